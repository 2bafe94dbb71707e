/** The rows. Only those in sight are drawn, so a hundred thousand are no more than fifty. */

import { createColumnHelper, flexRender, getCoreRowModel, useReactTable, type Row } from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useMemo, useRef, useState, type MouseEvent } from "react";
import { Link } from "react-router";

import type { RunSummary } from "../api/types";
import { Labels, Time, shortId } from "../ui/parts";
import { Status, hasEnded } from "../ui/status";
import { relative, span, useNow } from "../ui/time";
import { useLatest } from "../ui/use-latest";

const ROW_PX = 40;
/** More is asked for when so many rows are left. */
const AHEAD = 30;

interface Props {
  runs: RunSummary[];
  selected: ReadonlySet<string>;
  onSelected: (selected: ReadonlySet<string>) => void;
  onScrolled: (isScrolled: boolean) => void;
  hasMore: boolean;
  isReading: boolean;
  /** Other rows are on their way. */
  isOld: boolean;
  onMore: () => void;
}

const helper = createColumnHelper<RunSummary>();
const COLUMNS = [
  helper.accessor("status", { header: "Status", cell: ({ row: { original: run } }) => <Status status={run.status} cancelling={run.cancelling} /> }),
  helper.accessor("workflow", {
    header: "Workflow",
    cell: ({ row: { original: run } }) => (
      <Link className="clip plain-link" to={`/runs/${run.run_id}`}>
        {run.workflow}
      </Link>
    ),
  }),
  helper.accessor("run_id", {
    header: "Run",
    cell: ({ row: { original: run } }) => (
      <Link className="mono clip" to={`/runs/${run.run_id}`} title={run.run_id}>
        {run.labels.run ?? shortId(run.run_id)}
      </Link>
    ),
  }),
  helper.display({ id: "about", header: "About", cell: ({ row: { original: run } }) => <About run={run} /> }),
  helper.accessor("created_at", { header: "Created", cell: (cell) => <Time at={cell.getValue()} /> }),
  helper.display({ id: "duration", header: "Duration", cell: ({ row: { original: run } }) => <Duration run={run} /> }),
];

export function RunTable({ runs, selected, onSelected, onScrolled, hasMore, isReading, isOld, onMore }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({ count: runs.length, getScrollElement: () => scroller.current, estimateSize: () => ROW_PX, overscan: 12, getItemKey: (index) => runs[index]?.run_id ?? index });
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  // The table knows only the rows in sight: to make a model of all of them would take longer with every page.
  const shown = useMemo(() => runs.slice(first, last + 1), [runs, first, last]);
  const table = useReactTable({ data: shown, columns: COLUMNS, getCoreRowModel: getCoreRowModel(), getRowId: (run) => run.run_id });
  const rows = table.getRowModel().rows;
  useEffect(() => {
    if (hasMore && !isReading && last >= runs.length - AHEAD) onMore();
  }, [hasMore, isReading, last, runs.length, onMore]);
  const choose = useChoosing(runs, selected, onSelected);
  const isAll = runs.length > 0 && selected.size >= runs.length && runs.every((run) => selected.has(run.run_id));

  return (
    <div
      className="run-table"
      ref={scroller}
      aria-busy={isOld}
      role="region"
      aria-label="List of runs"
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget }) => onScrolled(currentTarget.scrollTop > ROW_PX)}
    >
      <div role="table" aria-label="Runs" aria-rowcount={hasMore ? -1 : runs.length + 1}>
      <div role="rowgroup" className="run-head-group">
        <div role="row" className="run-row run-row-head" aria-rowindex={1}>
          <span role="columnheader">
            <input type="checkbox" aria-label="Choose all that are loaded" checked={isAll} onChange={() => onSelected(isAll ? new Set() : new Set(runs.map((run) => run.run_id)))} />
          </span>
          {table.getFlatHeaders().map((header) => (
            <span key={header.id} role="columnheader" data-column={header.id}>
              {flexRender(header.column.columnDef.header, header.getContext())}
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {items.map(({ index, start, key }) => {
          const row = rows[index - first];
          return row === undefined ? null : <RunRow key={key} row={row} run={row.original} index={index} start={start} isSelected={selected.has(row.original.run_id)} choose={choose} />;
        })}
      </div>
      </div>
      <p className="run-table-end muted" role="status">
        {isReading ? "Reading more…" : hasMore ? "" : `${runs.length.toLocaleString()} runs, all of them`}
      </p>
    </div>
  );
}

interface RowProps {
  row: Row<RunSummary>;
  run: RunSummary;
  index: number;
  start: number;
  isSelected: boolean;
  choose: (index: number, event: MouseEvent) => void;
}

const RunRow = memo(
  function RunRow({ row, run, index, start, isSelected, choose }: RowProps) {
    return (
      <div role="row" className="run-row" aria-rowindex={index + 2} data-selected={isSelected} data-run={run.run_id} style={{ transform: `translateY(${start}px)` }}>
        <span role="cell">
          <input type="checkbox" aria-label={`Choose run ${run.run_id}`} checked={isSelected} onClick={(event) => choose(index, event)} onChange={() => undefined} />
        </span>
        {row.getVisibleCells().map((cell) => (
          <span key={cell.id} role="cell" data-column={cell.column.id}>
            {flexRender(cell.column.columnDef.cell, cell.getContext())}
          </span>
        ))}
      </div>
    );
  },
  // The table makes its rows anew as others come into sight; all that one shows is its run.
  (a, b) => a.run === b.run && a.index === b.index && a.start === b.start && a.isSelected === b.isSelected && a.choose === b.choose,
);

/** One box, or with Shift all between this one and the last. */
function useChoosing(runs: RunSummary[], selected: ReadonlySet<string>, onSelected: Props["onSelected"]) {
  const [anchor, setAnchor] = useState<string | null>(null);
  return useLatest((index: number, event: MouseEvent) => {
    const run = runs[index];
    if (run === undefined) return;
    const next = new Set(selected);
    const isOn = !selected.has(run.run_id);
    const from = event.shiftKey ? runs.findIndex((one) => one.run_id === anchor) : -1;
    const [low, high] = from < 0 ? [index, index] : [Math.min(from, index), Math.max(from, index)];
    for (const { run_id } of runs.slice(low, high + 1)) {
      if (isOn) next.add(run_id);
      else next.delete(run_id);
    }
    setAnchor(run.run_id);
    onSelected(next);
  });
}

function About({ run }: { run: RunSummary }) {
  const labels = useMemo(() => Object.fromEntries(Object.entries(run.labels).filter(([key]) => key !== "run")), [run.labels]);
  return (
    <span className="row run-about">
      <span className={run.error === null ? "clip" : "clip run-error"} title={run.error?.message ?? run.description ?? ""}>
        {run.error !== null ? `${run.error.source ? `${run.error.source}: ` : ""}${run.error.message}` : (run.description ?? "")}
      </span>
      <span className="row run-labels hide-phone">
        <Labels labels={labels} />
      </span>
    </span>
  );
}

function Duration({ run }: { run: RunSummary }) {
  const now = useNow(hasEnded(run.status) ? null : 1_000);
  if (!hasEnded(run.status) && run.wake_at !== null) {
    return (
      <span className="num waiting-until" title="When it goes on">
        {relative(Date.parse(run.wake_at), now)}
      </span>
    );
  }
  const until = run.ended_at === null ? now : Date.parse(run.ended_at);
  return <span className="num">{span(until - Date.parse(run.created_at))}</span>;
}
