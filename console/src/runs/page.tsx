/** All runs: find them, watch them, cancel many. */

import "./runs.css";

import { Ban, ListTree, RefreshCw } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { Link, useSearchParams } from "react-router";

import { RUN_STATUSES, type RunStatus } from "../api/types";
import { Empty, Loading, PageHead, ProblemBox } from "../ui/parts";
import { StatusIcon, hasEnded, lookOf } from "../ui/status";
import { useMayLaunch } from "../run/actions";
import { CancelManyDialog } from "./cancel-many";
import { FilterBar } from "./filter-bar";
import { isFiltered, readFilters, writeFilters, type Filters } from "./filters";
import { RunTable } from "./table";
import { useRuns } from "./use-runs";

export function Component() {
  const [params, setParams] = useSearchParams();
  const key = params.toString();
  // eslint-disable-next-line react-hooks/exhaustive-deps -- `key` is all that the filters come from
  const filters = useMemo(() => readFilters(params), [key]);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isScrolled, setScrolled] = useState(false);
  const [isCancelling, setCancelling] = useState(false);
  const mayLaunch = useMayLaunch();
  const { list, runs, counts, nNew, showNew } = useRuns(filters, isScrolled || selected.size > 0);
  const setFilters = useCallback((next: Filters) => {
    setSelected(new Set());
    setParams(writeFilters(next), { replace: true });
  }, [setParams]);
  const chosen = selected.size === 0 ? [] : runs.filter((run) => selected.has(run.run_id));
  const cancellable = chosen.filter((run) => !hasEnded(run.status));
  return (
    <div className="runs">
      <title>Runs · Stepwell</title>
      <div className="runs-top">
        <PageHead title="Runs">
          {selected.size > 0 && (
            <>
              <span className="muted num">{selected.size} chosen</span>
              <button type="button" className="button small" onClick={() => setSelected(new Set())}>
                Choose none
              </button>
              <button type="button" className="button danger" disabled={!mayLaunch || cancellable.length === 0} onClick={() => setCancelling(true)}>
                <Ban size={14} aria-hidden /> Cancel {cancellable.length}
              </button>
            </>
          )}
          <Link className="button" to="/workflows">
            Start a run
          </Link>
        </PageHead>
        <StatusFilter filters={filters} counts={counts} onChange={setFilters} />
        <FilterBar filters={filters} onChange={setFilters} />
      </div>
      {nNew > 0 && (
        <button type="button" className="new-runs" onClick={showNew}>
          <RefreshCw size={13} aria-hidden /> {nNew}
          {nNew >= 100 && "+"} new
        </button>
      )}
      {list.error !== null && (
        <div className="page">
          <ProblemBox problem={list.error} />
        </div>
      )}
      {list.isPending && <Loading what="the runs" />}
      {list.isSuccess && runs.length === 0 && <NoRuns filters={filters} onClear={() => setFilters(readFilters(new URLSearchParams()))} />}
      {runs.length > 0 && (
        <RunTable
          runs={runs}
          selected={selected}
          onSelected={setSelected}
          onScrolled={setScrolled}
          hasMore={list.hasNextPage}
          isReading={list.isFetchingNextPage || list.isPlaceholderData}
          isOld={list.isPlaceholderData}
          onMore={() => {
            if (!list.isFetchingNextPage && !list.isPlaceholderData) void list.fetchNextPage();
          }}
        />
      )}
      {isCancelling && <CancelManyDialog runs={cancellable} onClose={() => setCancelling(false)} onDone={() => setSelected(new Set())} />}
    </div>
  );
}

function StatusFilter({ filters, counts, onChange }: { filters: Filters; counts: Partial<Record<RunStatus, number>> | undefined; onChange: (next: Filters) => void }) {
  const total = RUN_STATUSES.reduce((sum, status) => sum + (counts?.[status] ?? 0), 0);
  const toggle = (status: RunStatus) => {
    const has = filters.status.includes(status);
    onChange({ ...filters, status: has ? filters.status.filter((one) => one !== status) : [...filters.status, status] });
  };
  return (
    <div className="status-filter" role="group" aria-label="Status">
      <button type="button" aria-pressed={filters.status.length === 0} onClick={() => onChange({ ...filters, status: [] })}>
        All <span className="num faint">{counts === undefined ? "" : total.toLocaleString()}</span>
      </button>
      {RUN_STATUSES.map((status) => (
        <button key={status} type="button" aria-pressed={filters.status.includes(status)} onClick={() => toggle(status)}>
          <StatusIcon status={status} size={13} />
          {lookOf(status).word} <span className="num faint">{counts?.[status]?.toLocaleString() ?? ""}</span>
        </button>
      ))}
    </div>
  );
}

function NoRuns({ filters, onClear }: { filters: Filters; onClear: () => void }) {
  if (isFiltered(filters)) {
    return (
      <Empty icon={ListTree} title="No run matches">
        <button type="button" className="button" onClick={onClear}>
          Clear the filters
        </button>
      </Empty>
    );
  }
  return (
    <Empty icon={ListTree} title="Nothing has run yet">
      Start a run from <Link to="/workflows">a workflow</Link>, or from the terminal:
      <pre>stepwell start NAME --input '…' --wait</pre>
    </Empty>
  );
}

