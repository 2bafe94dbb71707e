/** Runs that start by the clock. */

import "./schedules.css";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { CalendarClock, Pause, Pencil, Play, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { Link } from "react-router";

import { call, path } from "../api/client";
import { infoQuery, schedulesQuery } from "../api/queries";
import type { PutSchedule, ScheduleView } from "../api/types";
import { Dialog, Empty, Loading, PageHead, ProblemBox, Time, shortId } from "../ui/parts";
import { ActionForm } from "../run/actions";
import { span } from "../ui/time";
import { ScheduleDialog } from "./edit";

export function Component() {
  const { data, error } = useQuery({ ...schedulesQuery, refetchInterval: 5_000 });
  const { data: info } = useQuery(infoQuery);
  const [edited, setEdited] = useState<ScheduleView | "new" | null>(null);
  const [removed, setRemoved] = useState<ScheduleView | null>(null);
  const mayChange = info?.scope === "admin";
  return (
    <div className="page">
      <title>Schedules · Stepwell</title>
      <PageHead title="Schedules" sub="Runs that start by the clock; each time starts one run, whatever crashes in between.">
        {mayChange && (
          <button type="button" className="button primary" onClick={() => setEdited("new")}>
            <Plus size={14} aria-hidden /> New schedule
          </button>
        )}
      </PageHead>
      {error !== null && <ProblemBox problem={error} />}
      {data === undefined && error === null && <Loading what="the schedules" />}
      {data?.length === 0 && (
        <section className="panel">
          <Empty icon={CalendarClock} title="No schedules yet">
            Make one here, or from the terminal:
            <pre>stepwell schedule put nightly --workflow report --cron '0 3 * * *'</pre>
          </Empty>
        </section>
      )}
      <ul className="stack">
        {data?.map((schedule) => (
          <Row key={schedule.name} schedule={schedule} mayChange={mayChange} onEdit={() => setEdited(schedule)} onRemove={() => setRemoved(schedule)} />
        ))}
      </ul>
      {edited !== null && <ScheduleDialog schedule={edited === "new" ? null : edited} onClose={() => setEdited(null)} />}
      {removed !== null && <RemoveDialog schedule={removed} onClose={() => setRemoved(null)} />}
    </div>
  );
}

export function whenOf({ cron, time_zone, interval_ms }: PutSchedule): string {
  if (cron !== undefined) return `${cron}${time_zone === undefined ? "" : ` in ${time_zone}`}`;
  return `every ${span(interval_ms ?? 0)}`;
}

/** A schedule as it was asked for: without what the server adds. */
function wishOf({ name: _n, created_at: _c, next_at: _x, last_at: _l, last_run: _r, last_problem: _p, n_started: _s, n_skipped: _k, ...wish }: ScheduleView): PutSchedule {
  return wish;
}

function Row({ schedule, mayChange, onEdit, onRemove }: { schedule: ScheduleView; mayChange: boolean; onEdit: () => void; onRemove: () => void }) {
  const client = useQueryClient();
  const pause = useMutation({
    mutationFn: () => call(path`/api/schedules/${schedule.name}`, { method: "PUT", body: { ...wishOf(schedule), paused: !schedule.paused } }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["schedules"] }),
  });
  const next = schedule.next_at[0];
  return (
    <li className="panel schedule" data-paused={schedule.paused}>
      <div className="schedule-main">
        <h2>{schedule.name}</h2>
        <div className="muted">
          starts <Link to={`/workflows/${encodeURIComponent(schedule.workflow)}`}>{schedule.workflow}</Link> <code>{whenOf(schedule)}</code>
        </div>
      </div>
      <dl className="schedule-facts">
        <div>
          <dt>Next</dt>
          <dd>{schedule.paused ? "paused" : next === undefined ? "never" : <Time at={next} />}</dd>
        </div>
        <div>
          <dt>Last</dt>
          <dd>
            {schedule.last_run !== null ? (
              <Link to={`/runs/${schedule.last_run}`} title={schedule.last_run}>
                {schedule.last_at === null ? shortId(schedule.last_run) : <Time at={schedule.last_at} />}
              </Link>
            ) : (
              "not yet"
            )}
          </dd>
        </div>
        <div>
          <dt>Started</dt>
          <dd className="num">
            {schedule.n_started}
            {schedule.n_skipped > 0 && <span className="faint"> ({schedule.n_skipped} skipped)</span>}
          </dd>
        </div>
        <div>
          <dt>Overlap</dt>
          <dd>{schedule.overlap}</dd>
        </div>
      </dl>
      {mayChange && (
        <div className="row">
          <button type="button" className="button small" disabled={pause.isPending} onClick={() => pause.mutate()}>
            {schedule.paused ? <Play size={13} aria-hidden /> : <Pause size={13} aria-hidden />} {schedule.paused ? "Go on" : "Pause"}
          </button>
          <button type="button" className="button small icon" aria-label={`Change ${schedule.name}`} onClick={onEdit}>
            <Pencil size={13} aria-hidden />
          </button>
          <button type="button" className="button small icon danger" aria-label={`Remove ${schedule.name}`} onClick={onRemove}>
            <Trash2 size={13} aria-hidden />
          </button>
        </div>
      )}
      {(schedule.last_problem !== null || pause.error !== null) && (
        <div className="schedule-problem field-error">{pause.error?.message ?? `The last time started nothing: ${schedule.last_problem ?? ""}`}</div>
      )}
    </li>
  );
}

function RemoveDialog({ schedule, onClose }: { schedule: ScheduleView; onClose: () => void }) {
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => call(path`/api/schedules/${schedule.name}`, { method: "DELETE" }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["schedules"] });
      onClose();
    },
  });
  return (
    <Dialog title={`Remove ${schedule.name}?`} onClose={onClose}>
      <ActionForm onSubmit={() => mutate()} verb="Remove" tone="danger" {...{ onClose, error }} isBusy={isPending}>
        <p className="muted">Nothing is started by it any more. Its runs stay as they are.</p>
      </ActionForm>
    </Dialog>
  );
}
