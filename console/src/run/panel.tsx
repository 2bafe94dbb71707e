/** One entry, looked at closely. */

import { useQuery } from "@tanstack/react-query";
import { ArrowUpRight, RotateCcw, Send, X } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";

import { call, path } from "../api/client";
import type { Entry, RunDetail } from "../api/types";
import { JsonView } from "../ui/json";
import { CopyButton, Loading, ProblemBox } from "../ui/parts";
import { Status } from "../ui/status";
import { absolute, clock, relative, span, useNow } from "../ui/time";
import { ReplayDialog, SendDialog, useMayLaunch } from "./actions";
import { Lines } from "./logs";
import { title, type AttemptView, type Node } from "./model";
import { useLogs } from "./use-run";

interface Props {
  run: RunDetail;
  node: Node;
  attempts: AttemptView[];
  at: number | null;
  frozenAt: number | null;
  onClose: () => void;
}

export function StepPanel({ run, node, attempts, at, frozenAt, onClose }: Props) {
  const [open, setOpen] = useState<"replay" | "send" | null>(null);
  const mayLaunch = useMayLaunch();
  return (
    <aside className="step-panel" aria-label={`Entry ${node.location}`}>
      <header>
        <div className="grow">
          <div className="row">
            <h2 className="clip">{title(node)}</h2>
            <Status status={node.status} />
          </div>
          <div className="row faint">
            <span>{node.kind}</span>
            <span className="mono clip">{node.location}</span>
            <CopyButton text={node.location} what="the location" />
          </div>
        </div>
        <button type="button" className="button plain icon" aria-label="Close the panel" onClick={onClose}>
          <X size={16} aria-hidden />
        </button>
      </header>
      <div className="step-body">
        <Facts node={node} frozenAt={frozenAt} />
        {node.child !== undefined && (
          <Link className="button" to={`/runs/${node.child.run_id}`}>
            <ArrowUpRight size={14} aria-hidden /> Open the run of {node.child.workflow}
          </Link>
        )}
        {node.error !== undefined && (
          <section>
            <h3>{node.status === "failed" ? "Error" : "Last failure"}</h3>
            <div className="run-note is-failed">
              {node.error.message}
              <div className="faint">
                {node.error.kind}
                {node.error.source && node.error.source !== node.location && ` at ${node.error.source}`}
              </div>
            </div>
          </section>
        )}
        {node.skipped_because !== undefined && <div className="run-note">Skipped: {node.skipped_because}</div>}
        <Output run={run} node={node} at={at} />
        {attempts.length > 0 && <Attempts attempts={attempts} />}
        {node.undo !== null && (
          <section>
            <h3>Taken back</h3>
            <div className="row">
              <Status status={node.undo.status} />
              {node.undo.error !== undefined && <span>{node.undo.error.message}</span>}
            </div>
          </section>
        )}
        <StepLogs id={run.run_id} location={node.location} until={at === null ? null : frozenAt} />
        {mayLaunch && (
          <div className="row wrap">
            {node.kind === "listen" && node.status === "waiting" && at === null && (
              <button type="button" className="button primary" onClick={() => setOpen("send")}>
                <Send size={14} aria-hidden /> Send {node.names?.[0]}
              </button>
            )}
            {node.kind !== "iteration" && node.kind !== "undo" && (
              <button type="button" className="button" onClick={() => setOpen("replay")}>
                <RotateCcw size={14} aria-hidden /> Replay from here
              </button>
            )}
          </div>
        )}
      </div>
      {open === "replay" && <ReplayDialog run={run} from={node.location} onClose={() => setOpen(null)} />}
      {open === "send" && <SendDialog run={run} name={node.names?.[0]} onClose={() => setOpen(null)} />}
    </aside>
  );
}

function Facts({ node, frozenAt }: { node: Node; frozenAt: number | null }) {
  const ticking = useNow(frozenAt !== null ? null : node.endMs === null ? 1_000 : 30_000);
  const now = frozenAt ?? ticking;
  const date = (text: string) => (
    <dd className="num">
      {absolute(Date.parse(text))} <span className="faint">({relative(Date.parse(text), now)})</span>
    </dd>
  );
  return (
    <dl className="facts">
      {node.startMs !== null && (
        <>
          <dt>Began</dt>
          <dd className="num">{absolute(node.startMs)}</dd>
          <dt>{node.endMs === null ? "So far" : "Took"}</dt>
          <dd className="num">{span((node.endMs ?? now) - node.startMs)}</dd>
        </>
      )}
      {node.retry_at !== undefined && node.endMs === null && (
        <>
          <dt>Next attempt</dt>
          {date(node.retry_at)}
        </>
      )}
      {node.until !== undefined && (
        <>
          <dt>Until</dt>
          {date(node.until)}
        </>
      )}
      {node.names !== undefined && (
        <>
          <dt>Listens for</dt>
          <dd className="mono">{node.names.join(", ")}</dd>
        </>
      )}
      {node.attempts > 0 && (
        <>
          <dt>Attempts</dt>
          <dd className="num">{node.attempts}</dd>
        </>
      )}
      <dt>First event</dt>
      <dd className="num">#{node.seq}</dd>
    </dl>
  );
}

function Output({ run, node, at }: { run: RunDetail; node: Node; at: number | null }) {
  const isLong = node.output_bytes !== undefined;
  const [isWanted, setWanted] = useState(false);
  const { data, error, isFetching } = useQuery({
    queryKey: ["entry", run.run_id, node.location, at, node.status],
    queryFn: ({ signal }) => call<Entry>(path`/api/runs/${run.run_id}/entries`, { signal, query: { location: node.location, at } }),
    enabled: isLong && isWanted,
  });
  if (!isLong && (node.output === undefined || node.output === null)) return null;
  return (
    <section>
      <h3>Output</h3>
      {!isLong && <JsonView value={node.output} label="the output" />}
      {isLong && data === undefined && (
        <button type="button" className="button small" disabled={isFetching} onClick={() => setWanted(true)}>
          Show all {Math.round((node.output_bytes ?? 0) / 1024)} KiB
        </button>
      )}
      {data !== undefined && <JsonView value={data.output} label="the output" />}
      {error !== null && <ProblemBox problem={error} />}
    </section>
  );
}

function Attempts({ attempts }: { attempts: AttemptView[] }) {
  return (
    <section>
      <h3>Attempts</h3>
      <ul className="attempts">
        {attempts.map((attempt, n) => (
          <li key={n}>
            <span className="num">{attempt.attempt}</span>
            <span className={`attempt-how is-${attempt.how}`}>{attempt.how}</span>
            <span className="num faint">
              {attempt.startMs !== null && clock(attempt.startMs)}
              {attempt.startMs !== null && attempt.endMs !== null && ` · ${span(attempt.endMs - attempt.startMs)}`}
            </span>
            {attempt.message !== null && <span className="attempt-message">{attempt.message}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function StepLogs({ id, location, until }: { id: string; location: string; until: number | null }) {
  const { data, error } = useLogs(id, { level: "debug", location });
  if (error !== null) return <ProblemBox problem={error} />;
  if (data === undefined) return <Loading what="logs" />;
  const lines = data.lines.filter((line) => until === null || Date.parse(line.at) <= until);
  if (lines.length === 0) return null;
  return (
    <section className="step-logs">
      <h3>Logs</h3>
      <Lines lines={lines} />
    </section>
  );
}
