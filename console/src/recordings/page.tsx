/** One recording, live: its calls as they are made, the refs they could have, and the workflow they become. */

import "../workflows/workflows.css";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link2, Save, Square, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { Link, useNavigate, useParams } from "react-router";

import { call, path, type Call } from "../api/client";
import { renewal } from "../api/queries";
import { read } from "../api/stream";
import { readValue } from "../editor/definition";
import { ActionForm, useMayLaunch } from "../run/actions";
import { JsonView } from "../ui/json";
import { CopyButton, Dialog, Empty, Loading, PageHead, ProblemBox, Said } from "../ui/parts";
import { Status } from "../ui/status";
import { recordingQuery, type Proposal, type RecordedStep, type Recording } from "./types";

const REDRAW_MS = 200;

export function Component() {
  const { id = "" } = useParams();
  const { data: recording, error } = useQuery(recordingQuery(id));
  const mayChange = useMayLaunch();
  const [opened, setOpened] = useState<"save" | "input" | null>(null);
  useLiveRecording(id);
  const steer = useSteering(id);
  if (recording === undefined) return <div className="page">{error !== null ? <ProblemBox problem={error} /> : <Loading what="the recording" />}</div>;
  const address = `${window.location.origin}${recording.endpoint}`;
  return (
    <div className="page">
      <title>{`${recording.title ?? "Recording"} · Stepwell`}</title>
      <PageHead
        title={
          <>
            <Link to="/recordings">Recordings</Link> <span className="faint">/</span> {recording.title ?? "untitled"}
          </>
        }
        sub={recording.description ?? undefined}
      >
        <Status status={recording.finished ? "completed" : "running"} word={recording.finished ? "Finished" : "Recording"} />
        {mayChange && !recording.finished && (
          <button type="button" className="button" onClick={() => steer.mutate(["finish", { method: "POST" }])}>
            <Square size={13} aria-hidden /> Finish
          </button>
        )}
        {mayChange && (
          <button type="button" className="button primary" disabled={recording.steps.length === 0} onClick={() => setOpened("save")}>
            <Save size={14} aria-hidden /> Save as a workflow
          </button>
        )}
      </PageHead>
      {steer.error !== null && <ProblemBox problem={steer.error} />}
      {!recording.finished && (
        <p className="row wrap muted">
          An MCP client records by calling tools at <code>{address}</code> <CopyButton text={address} what="the address" />
        </p>
      )}
      <Inputs recording={recording} onAdd={mayChange ? () => setOpened("input") : undefined} />
      {mayChange && <Proposals id={id} n={recording.steps.length} onTake={(body) => steer.mutate(["refs", { method: "POST", body }])} />}
      {recording.steps.length === 0 && (
        <section className="panel">
          <Empty title="No calls yet">They appear here as they are made.</Empty>
        </section>
      )}
      <ol className="stack" aria-label="Recorded calls">
        {recording.steps.map((step) => (
          <StepCard key={step.name} step={step} onDrop={mayChange ? () => steer.mutate([path`steps/${step.name}`, { method: "DELETE" }]) : undefined} />
        ))}
      </ol>
      {opened === "save" && <SaveDialog id={id} onClose={() => setOpened(null)} />}
      {opened === "input" && <InputDialog onClose={() => setOpened(null)} onSave={(name, value) => steer.mutate([path`inputs/${name}`, { method: "PUT", body: { value } }], { onSuccess: () => setOpened(null) })} error={steer.error} />}
    </div>
  );
}

function useLiveRecording(id: string) {
  const client = useQueryClient();
  useEffect(() => {
    const renew = renewal(client, [["recording", id], ["proposals", id]], REDRAW_MS);
    const stop = read({ run: id, onUpdates: renew, onGap: renew, onEnd: renew });
    return () => {
      stop();
      renew.stop();
    };
  }, [client, id]);
}

function useSteering(id: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ([to, how]: [string, Call]) => call<Recording>(path`/api/recordings/${id}/` + to, how),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["recording", id] });
      void client.invalidateQueries({ queryKey: ["proposals", id] });
    },
  });
}

function StepCard({ step, onDrop }: { step: RecordedStep; onDrop: (() => void) | undefined }) {
  return (
    <li className="panel">
      <header>
        <h2 className="mono">{step.name}</h2>
        <span className="muted grow clip">
          {step.preset ? "set by hand" : `${step.server === null ? "" : `${step.server}: `}${step.tool ?? ""}`}
        </span>
        <Status status={step.status} />
        {onDrop !== undefined && (
          <button type="button" className="button small icon danger" aria-label={`Drop ${step.name}`} onClick={onDrop}>
            <Trash2 size={13} aria-hidden />
          </button>
        )}
      </header>
      <div className="body two">
        <section className="stack">
          <h3>Input</h3>
          <JsonView value={step.input} label="the input" />
        </section>
        <section className="stack">
          <h3>{step.error === null ? "Output" : "Error"}</h3>
          {step.error === null ? <JsonView value={step.output} label="the output" /> : <div className="field-error">{step.error}</div>}
        </section>
      </div>
    </li>
  );
}

function Inputs({ recording, onAdd }: { recording: Recording; onAdd: (() => void) | undefined }) {
  const inputs = Object.entries(recording.inputs);
  return (
    <section className="panel">
      <header>
        <h2 className="grow">Inputs of the workflow</h2>
        {onAdd !== undefined && (
          <button type="button" className="button small" onClick={onAdd}>
            Name an input
          </button>
        )}
      </header>
      <div className="body row wrap">
        {inputs.length === 0 && <span className="muted">None are named: every value stays as it was.</span>}
        {inputs.map(([name, { value }]) => (
          <span key={name} className="tag mono">
            @input.{name} = {JSON.stringify(value)}
          </span>
        ))}
      </div>
    </section>
  );
}

function Proposals({ id, n, onTake }: { id: string; n: number; onTake: (body: { step: string; pointer: string; ref: string }) => void }) {
  const { data } = useQuery({
    queryKey: ["proposals", id],
    queryFn: async ({ signal }) => (await call<{ proposals: Proposal[] }>(path`/api/recordings/${id}/proposals`, { signal })).proposals,
    enabled: n > 0,
  });
  if (data === undefined || data.length === 0) return null;
  return (
    <section className="panel">
      <header>
        <h2>Probably meant as refs</h2>
      </header>
      <ul className="body stack">
        {data.map(({ step, pointer, literal, refs }) => (
          <li key={`${step}${pointer}`} className="row wrap">
            <Said text={`\`${step}\` at \`${pointer}\` has \`${JSON.stringify(literal)}\``} />
            {refs.slice(0, 3).map((ref) => (
              <button key={ref} type="button" className="button small mono" onClick={() => onTake({ step, pointer, ref })}>
                <Link2 size={12} aria-hidden /> {ref}
              </button>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

function SaveDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const navigate = useNavigate();
  const [workflow, setWorkflow] = useState("");
  const [replace, setReplace] = useState(false);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => call<{ name: string }>(path`/api/recordings/${id}/save`, { method: "POST", body: { workflow, replace } }),
    onSuccess: ({ name }) => void navigate(`/workflows/${encodeURIComponent(name)}`),
  });
  return (
    <Dialog title="Save as a workflow" onClose={onClose}>
      <ActionForm onSubmit={() => mutate()} verb="Save" {...{ onClose, error }} isBusy={isPending}>
        <p className="muted">Calls that failed are left out.</p>
        <label className="field">
          <span>Name of the workflow</span>
          <input className="input mono" required value={workflow} onChange={(event) => setWorkflow(event.target.value)} />
        </label>
        <label className="row">
          <input type="checkbox" checked={replace} onChange={(event) => setReplace(event.target.checked)} /> It may take the place of a graph of this name
        </label>
      </ActionForm>
    </Dialog>
  );
}

function InputDialog({ onClose, onSave, error }: { onClose: () => void; onSave: (name: string, value: unknown) => void; error: unknown }) {
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  return (
    <Dialog title="Name an input" onClose={onClose}>
      <ActionForm onSubmit={() => onSave(name, readValue(value) ?? null)} verb="Name it" onClose={onClose} error={error} isBusy={false}>
        <label className="field">
          <span>Name</span>
          <input className="input mono" required value={name} onChange={(event) => setName(event.target.value)} />
        </label>
        <label className="field">
          <span>Its value while recording (JSON or text)</span>
          <input className="input mono" value={value} onChange={(event) => setValue(event.target.value)} />
        </label>
      </ActionForm>
    </Dialog>
  );
}
