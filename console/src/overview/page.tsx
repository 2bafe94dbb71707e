/** The whole at a glance: what runs, what waits and for what, what failed. */

import "./overview.css";
import "../workflows/workflows.css";

import { keepPreviousData, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, lazy, useEffect, useMemo, useState } from "react";
import { Link } from "react-router";

import { countsQuery, renewal, runQuery, runsQuery, useAllUpdates, workflowsQuery } from "../api/queries";
import type { RunStatus, RunSummary } from "../api/types";
import { Empty, Loading, PageHead, ProblemBox, Said, Time, shortId } from "../ui/parts";
import { StatusIcon, lookOf } from "../ui/status";
import { relative, useNow, withoutDate } from "../ui/time";

const Health = lazy(() => import("./health").then(({ Health: view }) => ({ default: view })));
const Chart = lazy(() => import("./chart"));

/** How often figures are read anew while much happens. */
const RENEW_MS = 2_000;

/** The workflow that recordings are runs of. */
const RECORDING = "stepwell.recording";

const RANGES = {
  hour: { label: "1 hour", ms: 3_600_000, buckets: 30 },
  day: { label: "24 hours", ms: 86_400_000, buckets: 48 },
  week: { label: "7 days", ms: 7 * 86_400_000, buckets: 56 },
} as const;
type Range = keyof typeof RANGES;

export function Component() {
  const [range, setRange] = useState<Range>("hour");
  useRenewal();
  const { data: all, error } = useQuery(runsQuery({ limit: 1 }));
  const { data: workflows } = useQuery(workflowsQuery);
  const counts = all?.counts;
  const isNew = all !== undefined && all.runs.length === 0;
  return (
    <div className="page">
      <title>Overview · Stepwell</title>
      <PageHead title="Overview">
        <Link className="button primary" to="/workflows">
          Start a run
        </Link>
      </PageHead>
      {error !== null && <ProblemBox problem={error} />}
      <div className="tiles">
        {(["running", "waiting", "pending", "failed", "completed", "cancelled"] as const).map((status) => (
          <Tile key={status} status={status} n={counts?.[status]} />
        ))}
      </div>
      {isNew ? (
        <section className="panel">
          <Empty title="Welcome. Nothing has run yet">
            {workflows !== undefined && workflows.length > 0 ? (
              <>
                {workflows.length} workflows are registered: <Link to="/workflows">choose one</Link> and start it, or use the terminal:
              </>
            ) : (
              <>Register a workflow in your program, then start it here or from the terminal:</>
            )}
            <pre>stepwell start {workflows?.[0]?.name ?? "NAME"} --input '…' --wait</pre>
          </Empty>
        </section>
      ) : (
        <>
          <section className="panel">
            <header>
              <h2 className="grow">Runs by when they began</h2>
              <div className="segments" role="group" aria-label="Range">
                {(Object.keys(RANGES) as Range[]).map((one) => (
                  <button key={one} type="button" aria-pressed={range === one} onClick={() => setRange(one)}>
                    {RANGES[one].label}
                  </button>
                ))}
              </div>
            </header>
            <Throughput range={range} />
          </section>
          <div className="two">
            <Waiting />
            <Failures />
            <Suspense fallback={null}>
              <Health />
            </Suspense>
          </div>
        </>
      )}
    </div>
  );
}

function useRenewal() {
  const client = useQueryClient();
  const renew = useMemo(() => renewal(client, [["runs"], ["run-counts"]], RENEW_MS), [client]);
  useEffect(() => renew.stop, [renew]);
  useAllUpdates(renew, renew);
}

function Tile({ status, n }: { status: RunStatus; n: number | undefined }) {
  return (
    <Link className="tile" to={`/runs?status=${status}`} style={{ "--tone": `var(--${lookOf(status).tone})` } as React.CSSProperties}>
      <span className="tile-word">
        <StatusIcon status={status} size={13} /> {lookOf(status).word}
      </span>
      <span className="tile-number num">{n === undefined ? "–" : n.toLocaleString()}</span>
    </Link>
  );
}

function Throughput({ range }: { range: Range }) {
  const { ms, buckets } = RANGES[range];
  const stepMs = ms / buckets;
  const now = useNow(Math.min(stepMs, 60_000));
  // Edges that stand still until the next one is reached, so that bars do not creep.
  const to = new Date(Math.ceil(now / stepMs) * stepMs);
  const query = { from: new Date(to.getTime() - ms).toISOString(), to: to.toISOString(), buckets };
  const { data, error } = useQuery({ ...countsQuery(query), placeholderData: keepPreviousData });
  if (error !== null) return <ProblemBox problem={error} />;
  return (
    <div className="chart">
      <Suspense fallback={<Loading what="the chart" />}>{data !== undefined && <Chart counts={data} stepMs={stepMs} />}</Suspense>
    </div>
  );
}

function Waiting() {
  const { data } = useQuery(runsQuery({ status: "waiting,pending", limit: 7 }));
  const runs = data?.runs ?? [];
  // What a run waits for is known to the run alone.
  const details = useQueries({ queries: runs.map((run) => ({ ...runQuery(run.run_id, null), staleTime: 10_000 })) });
  const now = useNow(1_000);
  return (
    <RunPanel title="Waiting" to="/runs?status=waiting,pending" isEmpty={data !== undefined && runs.length === 0} empty="Nothing waits.">
      {runs.map((run, n) => {
        const wait = details[n]?.data?.waiting_for.at(-1);
        return (
          <RunLine key={run.run_id} run={run}>
            {run.workflow === RECORDING ? `${run.description ?? "a recording"}: for its next call` : wait === undefined ? (run.description ?? "") : <Said text={`for ${withoutDate(wait.text)}`} />}
            {run.wake_at !== null && <span className="num waiting-until"> {relative(Date.parse(run.wake_at), now)}</span>}
          </RunLine>
        );
      })}
    </RunPanel>
  );
}

function Failures() {
  const { data } = useQuery(runsQuery({ status: "failed", limit: 7 }));
  return (
    <RunPanel title="Recent failures" to="/runs?status=failed" isEmpty={data?.runs.length === 0} empty="Nothing failed.">
      {data?.runs.map((run) => (
        <RunLine key={run.run_id} run={run}>
          <span className="run-error">
            {run.error?.source && `${run.error.source}: `}
            {run.error?.message}
          </span>
        </RunLine>
      ))}
    </RunPanel>
  );
}

function RunPanel({ title, to, isEmpty, empty, children }: { title: string; to: string; isEmpty: boolean; empty: string; children: React.ReactNode }) {
  return (
    <section className="panel">
      <header>
        <h2 className="grow">{title}</h2>
        <Link to={to}>All of them</Link>
      </header>
      {isEmpty && <p className="muted body">{empty}</p>}
      <ul className="run-lines">{children}</ul>
    </section>
  );
}

function RunLine({ run, children }: { run: RunSummary; children: React.ReactNode }) {
  return (
    <li>
      <Link className="run-line" to={`/runs/${run.run_id}`}>
        <StatusIcon status={run.status} />
        <span className="grow">
          <span className="row">
            <strong className="clip">{run.workflow}</strong>
            <span className="mono faint clip grow">{run.labels.run ?? shortId(run.run_id)}</span>
            <span className="faint">
              <Time at={run.created_at} />
            </span>
          </span>
          <span className="clip muted run-line-text">{children}</span>
        </span>
      </Link>
    </li>
  );
}
