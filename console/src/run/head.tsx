/** The top of a run's page: what it is, how it stands, what it waits for, and what can be done. */

import { ArrowUpRight, CornerLeftUp, Disc, History } from "lucide-react";
import { Link } from "react-router";

import type { RunDetail, Wait } from "../api/types";
import { Labels, RunId, Said, Time } from "../ui/parts";
import { Status, hasEnded } from "../ui/status";
import { relative, span, useNow, withoutDate } from "../ui/time";
import { originOf } from "../workflows/homes";
import { RunActions } from "./actions";

export function RunHead({ run, now, isPast }: { run: RunDetail; now: RunDetail; isPast: boolean }) {
  return (
    <header className="run-head">
      <div className="row wrap">
        <h1 className="row">
          <Link to={originOf(run)}>{run.workflow}</Link>
          <span className="faint">/</span>
          <RunId id={run.run_id} name={run.labels.run} />
        </h1>
        <Status status={run.status} cancelling={run.cancelling} />
        {isPast && <span className="tag past">as of event {run.seq}</span>}
        <span className="grow" />
        <RunActions run={now} />
      </div>
      {run.description !== null && <p className="run-description">{run.description}</p>}
      <div className="row wrap run-facts">
        <span className="muted">
          Started <Time at={run.created_at} />
        </span>
        <Duration run={run} isPast={isPast} />
        {run.dialect !== null && <span className="tag">{run.dialect}</span>}
        <span className="tag" title="The version of the workflow that it runs">
          version <span className="mono">{run.version.slice(0, 10)}</span>
        </span>
        {run.n_resumed > 0 && <span className="tag">resumed {run.n_resumed}×</span>}
        {run.deadline_at !== null && !hasEnded(run.status) && (
          <span className="tag">
            deadline <Time at={run.deadline_at} />
          </span>
        )}
        <Labels labels={withoutName(run.labels)} />
        <Relatives run={run} />
      </div>
      {run.error !== null && (
        <div className="run-note is-failed">
          {run.error.source && <code>{run.error.source}</code>} {run.error.message}
        </div>
      )}
      {run.cancel_reason !== null && (
        <div className="run-note is-cancelled">
          {run.status === "cancelled" ? "Cancelled" : "About to be cancelled"}: {run.cancel_reason}
        </div>
      )}
      {run.waiting_for.length > 0 && <Waits waits={run.waiting_for} isPast={isPast} />}
    </header>
  );
}

function withoutName({ run: _, ...labels }: Record<string, string>): Record<string, string> {
  return labels;
}

function Duration({ run, isPast }: { run: RunDetail; isPast: boolean }) {
  const isMoving = run.ended_at === null && !isPast;
  const now = useNow(isMoving ? 1_000 : null);
  const until = run.ended_at !== null ? Date.parse(run.ended_at) : isPast ? Date.parse(run.updated_at) : now;
  return (
    <span className="muted num">
      {run.ended_at === null ? "for" : "took"} {span(until - Date.parse(run.created_at))}
    </span>
  );
}

function Relatives({ run }: { run: RunDetail }) {
  return (
    <>
      {run.dialect === "recording" && (
        <Link className="tag" to={`/recordings/${run.run_id}`}>
          <Disc size={12} aria-hidden /> recording
        </Link>
      )}
      {run.parent !== null && (
        <Link className="tag" to={`/runs/${run.parent}`}>
          <CornerLeftUp size={12} aria-hidden /> parent run
        </Link>
      )}
      {run.replay_of !== null && (
        <Link className="tag" to={`/runs/${run.replay_of}`}>
          <History size={12} aria-hidden /> replay of another run
        </Link>
      )}
      {run.children.length > 0 && run.children.length <= 3 ? (
        run.children.map((child) => (
          <Link key={child.run_id} className="tag" to={`/runs/${child.run_id}`}>
            <ArrowUpRight size={12} aria-hidden /> child {child.workflow}
          </Link>
        ))
      ) : run.children.length > 0 ? (
        <Link className="tag" to={`/runs?parent=${run.run_id}`}>
          <ArrowUpRight size={12} aria-hidden /> {run.children.length} child runs
        </Link>
      ) : null}
    </>
  );
}

/** Law four: a run that does not move says what it waits for. */
function Waits({ waits, isPast }: { waits: Wait[]; isPast: boolean }) {
  const now = useNow(isPast ? null : 1_000);
  return (
    <ul className="run-note is-waiting" aria-label="What the run waits for">
      {waits.slice(0, 4).map((wait, n) => (
        <li key={n}>
          Waits for <Said text={withoutDate(wait.text)} />
          {typeof wait.wait.until === "number" && !isPast && <strong className="num"> {relative(wait.wait.until, now)}</strong>}
        </li>
      ))}
      {waits.length > 4 && <li className="muted">and for {waits.length - 4} other things</li>}
    </ul>
  );
}
