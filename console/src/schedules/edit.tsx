/** The form of a schedule, which shows the next times while one types. */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useState } from "react";

import { Problem, call, path } from "../api/client";
import { workflowsQuery } from "../api/queries";
import type { Json, PutSchedule, ScheduleView } from "../api/types";
import { ActionForm } from "../run/actions";
import { Editor } from "../ui/editor";
import { Dialog } from "../ui/parts";
import { absolute } from "../ui/time";

interface Texts {
  name: string;
  workflow: string;
  how: "cron" | "interval";
  cron: string;
  zone: string;
  secs: string;
  input: string;
  overlap: PutSchedule["overlap"];
  catchUp: PutSchedule["catch_up"];
}

function textsOf(schedule: ScheduleView | null): Texts {
  return {
    name: schedule?.name ?? "",
    workflow: schedule?.workflow ?? "",
    how: schedule?.interval_ms === undefined ? "cron" : "interval",
    cron: schedule?.cron ?? "0 * * * *",
    zone: schedule?.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    secs: schedule?.interval_ms === undefined ? "3600" : String(schedule.interval_ms / 1_000),
    input: JSON.stringify(schedule?.input ?? {}, null, 2),
    overlap: schedule?.overlap ?? "skip",
    catchUp: schedule?.catch_up ?? "last",
  };
}

function timesOf({ how, cron, zone, secs }: Texts) {
  return how === "cron" ? { cron, time_zone: zone === "" ? undefined : zone } : { interval_ms: Math.round(Number(secs) * 1_000) };
}

export function ScheduleDialog({ schedule, onClose }: { schedule: ScheduleView | null; onClose: () => void }) {
  const client = useQueryClient();
  const { data: workflows = [] } = useQuery(workflowsQuery);
  const [texts, setTexts] = useState(() => textsOf(schedule));
  const set = (part: Partial<Texts>) => setTexts({ ...texts, ...part });
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const { paused = false, labels, deadline_ms } = schedule ?? {};
      const body = { workflow: texts.workflow, input: readInput(texts.input), ...timesOf(texts), overlap: texts.overlap, catch_up: texts.catchUp, paused, labels, deadline_ms };
      return call(path`/api/schedules/${texts.name}`, { method: "PUT", body });
    },
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["schedules"] });
      onClose();
    },
  });
  return (
    <Dialog title={schedule === null ? "New schedule" : `Change ${schedule.name}`} onClose={onClose} wide>
      <ActionForm onSubmit={() => mutate()} verb={schedule === null ? "Make it" : "Change it"} {...{ onClose, error }} isBusy={isPending}>
        <div className="options-fields">
          <label className="field">
            <span>Name</span>
            <input className="input" required disabled={schedule !== null} value={texts.name} onChange={(event) => set({ name: event.target.value })} />
          </label>
          <label className="field">
            <span>Workflow</span>
            <select className="select" required value={texts.workflow} onChange={(event) => set({ workflow: event.target.value })}>
              <option value="" disabled>
                Choose one
              </option>
              {workflows.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <label className="field">
            <span>When</span>
            <select className="select" value={texts.how} onChange={(event) => set({ how: event.target.value as Texts["how"] })}>
              <option value="cron">By cron</option>
              <option value="interval">Every so often</option>
            </select>
          </label>
          {texts.how === "cron" ? (
            <>
              <label className="field">
                <span>Cron</span>
                <input className="input mono" required value={texts.cron} onChange={(event) => set({ cron: event.target.value })} />
              </label>
              <label className="field">
                <span>Time zone</span>
                <input className="input" value={texts.zone} onChange={(event) => set({ zone: event.target.value })} />
              </label>
            </>
          ) : (
            <label className="field">
              <span>Seconds</span>
              <input className="input" type="number" min={1} required value={texts.secs} onChange={(event) => set({ secs: event.target.value })} />
            </label>
          )}
          <label className="field">
            <span>If the last run has not ended</span>
            <select className="select" value={texts.overlap} onChange={(event) => set({ overlap: event.target.value as Texts["overlap"] })}>
              <option value="skip">leave this time out</option>
              <option value="queue">wait for it</option>
              <option value="allow">start all the same</option>
            </select>
          </label>
          <label className="field">
            <span>Times that passed with no server</span>
            <select className="select" value={texts.catchUp} onChange={(event) => set({ catchUp: event.target.value as Texts["catchUp"] })}>
              <option value="none">are left out</option>
              <option value="last">start one run</option>
              <option value="all">start one run each, up to 100</option>
            </select>
          </label>
        </div>
        <NextTimes texts={texts} />
        <div className="field">
          <span>Input (JSON)</span>
          <Editor value={texts.input} onChange={(input) => set({ input })} language="json" label="Input as JSON" minHeight={110} />
        </div>
      </ActionForm>
    </Dialog>
  );
}

function readInput(text: string): Json {
  try {
    return (text.trim() === "" ? null : JSON.parse(text)) as Json;
  } catch (error) {
    throw new Error(`The input is not JSON: ${(error as Error).message}`);
  }
}

function NextTimes({ texts }: { texts: Texts }) {
  const query = useDeferredValue({ ...timesOf(texts), n: 3 });
  const { data, error } = useQuery({
    queryKey: ["schedule-times", query],
    queryFn: ({ signal }) => call<{ next_at: string[] }>("/api/schedule-times", { signal, query }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  if (error !== null) return <div className="field-error">{error instanceof Problem ? (error.errors[0]?.message ?? error.message) : error.message}</div>;
  return <div className="hint">Next: {data?.next_at.map((at) => absolute(Date.parse(at))).join(" · ")}</div>;
}
