/** One recording, live: its calls as they are made, the refs they could have, and the workflow they become. */

import "../editor/editor.css";
import "../workflows/workflows.css";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link2, Pin, Save, Square, Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { Link, useParams } from "react-router";

import { call, path, type Call } from "../api/client";
import { infoQuery, renewal } from "../api/queries";
import { read } from "../api/stream";
import { useMayLaunch } from "../run/actions";
import { JsonView } from "../ui/json";
import { CopyButton, Empty, Loading, PageHead, ProblemBox, Said } from "../ui/parts";
import { Status } from "../ui/status";
import { InputDialog, PresetDialog, SaveDialog } from "./dialogs";
import { recordingQuery, type Proposal, type RecordedStep, type Recording } from "./types";

const REDRAW_MS = 200;

export function Component() {
  const { id = "" } = useParams();
  const { data: recording, error } = useQuery(recordingQuery(id));
  const mayLaunch = useMayLaunch();
  const isAdmin = useQuery(infoQuery).data?.scope === "admin";
  const [opened, setOpened] = useState<"save" | "input" | "preset" | null>(null);
  useLiveRecording(id);
  const steer = useSteering(id);
  if (recording === undefined) return <div className="page">{error !== null ? <ProblemBox problem={error} /> : <Loading what="the recording" />}</div>;
  // What is finished takes no more changes; it can still be saved.
  const mayChange = mayLaunch && !recording.finished;
  const nKept = recording.steps.filter((step) => step.status === "completed").length;
  const close = () => setOpened(null);
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
        <Link className="button" to={`/runs/${id}`}>
          Its run
        </Link>
        {mayChange && (
          <button type="button" className="button" onClick={() => steer.mutate(["finish", { method: "POST" }])}>
            <Square size={13} aria-hidden /> Finish
          </button>
        )}
        {isAdmin && (
          <button type="button" className="button primary" disabled={nKept === 0} title={nKept === 0 ? "There is no call yet that went well" : undefined} onClick={() => setOpened("save")}>
            <Save size={14} aria-hidden /> Save as a workflow
          </button>
        )}
      </PageHead>
      {steer.error !== null && <ProblemBox problem={steer.error} />}
      {!recording.finished && <Address recording={recording} />}
      <Inputs recording={recording} onAdd={mayChange ? () => setOpened("input") : undefined} />
      {mayChange && <Proposals id={id} n={recording.steps.length} onTake={(body) => steer.mutate(["refs", { method: "POST", body }])} />}
      <section className="stack" aria-label="Calls">
        <div className="row">
          <h2 className="grow">{recording.steps.length === 1 ? "1 call" : `${recording.steps.length} calls`}</h2>
          {mayChange && (
            <button type="button" className="button small" onClick={() => setOpened("preset")}>
              <Pin size={12} aria-hidden /> Preset a result
            </button>
          )}
        </div>
        {recording.steps.length === 0 && (
          <div className="panel">
            <Empty title="No calls yet">They appear here as they are made. Without an agent at hand, preset a result, or call a tool from the terminal:
              <pre>{`stepwell recording call ${id} TOOL --input '{…}'`}</pre>
            </Empty>
          </div>
        )}
        <ol className="stack" aria-label="Recorded calls">
          {recording.steps.map((step) => (
            <StepCard key={step.name} step={step} onDrop={mayChange ? () => steer.mutate([path`steps/${step.name}`, { method: "DELETE" }]) : undefined} />
          ))}
        </ol>
      </section>
      {opened === "save" && <SaveDialog id={id} suggested={recording.title ?? ""} onClose={close} />}
      {opened === "input" && <InputDialog onClose={close} onSave={(name, body) => steer.mutate([path`inputs/${name}`, { method: "PUT", body }], { onSuccess: close })} error={steer.error} />}
      {opened === "preset" && <PresetDialog onClose={close} onSave={(body) => steer.mutate(["presets", { method: "POST", body }], { onSuccess: close })} error={steer.error} />}
    </div>
  );
}

function Address({ recording }: { recording: Recording }) {
  const address = `${window.location.origin}${recording.endpoint}`;
  return (
    <p className="muted">
      An MCP client records by calling tools at <code className="address">{address}</code> <CopyButton text={address} what="the address" />
    </p>
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
    mutationFn: ([to, how]: [string, Call]) => call(path`/api/recordings/${id}/` + to, how),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ["recording", id] });
      void client.invalidateQueries({ queryKey: ["proposals", id] });
    },
  });
}

function StepCard({ step, onDrop }: { step: RecordedStep; onDrop: (() => void) | undefined }) {
  const tool = step.tool === null ? null : `${step.server === null ? "" : `${step.server}: `}${step.tool}`;
  return (
    <li className="panel">
      <header>
        <h3 className="mono">{step.name}</h3>
        <span className="muted grow clip">{[tool, step.preset ? "preset" : null].filter((part) => part !== null).join(", ")}</span>
        {step.status === "failed" && <span className="faint hide-phone">left out on saving</span>}
        <Status status={step.status} />
        {onDrop !== undefined && (
          <button type="button" className="button small icon danger" aria-label={`Drop ${step.name}`} title="Takes the call out of the recording" onClick={onDrop}>
            <Trash2 size={13} aria-hidden />
          </button>
        )}
      </header>
      <div className="body two">
        <section className="stack">
          <h4>Input</h4>
          <JsonView value={step.input} label={`the input of ${step.name}`} />
        </section>
        <section className="stack">
          <h4>{step.error === null ? "Output" : "Error"}</h4>
          {step.error !== null ? <div className="field-error">{step.error}</div> : step.status === "running" ? <span className="muted">The tool has not answered yet.</span> : <JsonView value={step.output} label={`the output of ${step.name}`} />}
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
        {inputs.length === 0 && <span className="muted">None are named: every value stays as it was recorded. Name one, and refs to it are proposed wherever its value stands.</span>}
        {inputs.map(([name, { value, description }]) => (
          <span key={name} className="tag mono" title={description ?? undefined}>
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
            <span>
              <Said text={`\`${step}\` has \`${JSON.stringify(literal)}\` at \`${pointer}\`: take`} />
            </span>
            {refs.slice(0, 3).map((ref) => (
              <button key={ref} type="button" className="button small mono" aria-label={`Take ${ref} for ${pointer} of ${step}`} onClick={() => onTake({ step, pointer, ref })}>
                <Link2 size={12} aria-hidden /> {ref}
              </button>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
