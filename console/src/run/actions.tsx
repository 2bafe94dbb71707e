/** What can be done with a run. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Ban, Copy, Ellipsis, Play, RotateCcw, Send, Terminal, Trash2 } from "lucide-react";
import { useState, type FormEvent, type ReactNode } from "react";
import { useNavigate } from "react-router";

import { call, path } from "../api/client";
import { infoQuery } from "../api/queries";
import type { Accepted, Json, RunDetail } from "../api/types";
import { Editor } from "../ui/editor";
import { Dialog, Menu, MenuItem, ProblemBox, copy } from "../ui/parts";
import { hasEnded } from "../ui/status";
import { flowWish, homeOf, originOf } from "../workflows/homes";
import { cli, curl } from "./commands";

export function useMayLaunch(): boolean {
  const { data } = useQuery(infoQuery);
  return data === undefined || data.scope !== "read";
}

type Opened = "cancel" | "resume" | "send" | "delete" | null;

export function RunActions({ run }: { run: RunDetail }) {
  const [opened, setOpened] = useState<Opened>(null);
  const navigate = useNavigate();
  const mayLaunch = useMayLaunch();
  const { data: info } = useQuery(infoQuery);
  const isOver = hasEnded(run.status);
  const close = () => setOpened(null);
  const again = { input: run.input };
  const flow = flowWish(run);
  const isOwn = homeOf(run.dialect) === null;
  const startAgain = () =>
    void (flow === null ? navigate(`/workflows/${encodeURIComponent(run.workflow)}?tab=launch`, { state: again }) : navigate(originOf(run), { state: { init: flow.init } }));
  const words = flow === null ? ["start", run.workflow, "--input", JSON.stringify(run.input)] : ["flow", "start", ...flow.goals.flatMap((goal) => ["--goal", goal]), "--init", JSON.stringify(flow.init)];
  return (
    <div className="row">
      {mayLaunch && !isOver && run.waiting_for.some(({ wait }) => wait.for === "messages") && (
        <button type="button" className="button primary" onClick={() => setOpened("send")}>
          <Send size={14} aria-hidden /> Send a message
        </button>
      )}
      {mayLaunch && !isOver && (
        <button type="button" className="button danger" disabled={run.cancelling} onClick={() => setOpened("cancel")}>
          <Ban size={14} aria-hidden /> Cancel
        </button>
      )}
      {mayLaunch && (run.status === "failed" || run.status === "cancelled") && (
        <button type="button" className="button primary" onClick={() => setOpened("resume")}>
          <Play size={14} aria-hidden /> Resume
        </button>
      )}
      <Menu label="More" icon={<Ellipsis size={14} aria-hidden />}>
        {mayLaunch && (isOwn || flow !== null) && (
          <MenuItem icon={<RotateCcw size={14} aria-hidden />} onSelect={startAgain}>
            Start again with this input…
          </MenuItem>
        )}
        {mayLaunch && !isOver && (
          <MenuItem icon={<Send size={14} aria-hidden />} onSelect={() => setOpened("send")}>
            Send a message…
          </MenuItem>
        )}
        <MenuItem icon={<Terminal size={14} aria-hidden />} onSelect={() => void copy(cli(["run", "show", run.run_id]))}>
          Copy as CLI: show
        </MenuItem>
        {(isOwn || flow !== null) && (
          <>
            <MenuItem icon={<Terminal size={14} aria-hidden />} onSelect={() => void copy(cli(words))}>
              Copy as CLI: start
            </MenuItem>
            <MenuItem icon={<Terminal size={14} aria-hidden />} onSelect={() => void copy(flow === null ? curl("POST", path`/api/workflows/${run.workflow}/runs`, again) : curl("POST", "/api/flows", flow))}>
              Copy as curl: start
            </MenuItem>
          </>
        )}
        <MenuItem icon={<Copy size={14} aria-hidden />} onSelect={() => void copy(window.location.href)}>
          Copy link to this view
        </MenuItem>
        {isOver && info?.scope === "admin" && (
          <MenuItem icon={<Trash2 size={14} aria-hidden />} onSelect={() => setOpened("delete")}>
            Remove…
          </MenuItem>
        )}
      </Menu>
      {opened === "cancel" && <CancelDialog run={run} onClose={close} />}
      {opened === "resume" && <ResumeDialog run={run} onClose={close} />}
      {opened === "send" && <SendDialog run={run} name={waitedFor(run)} onClose={close} />}
      {opened === "delete" && <DeleteDialog run={run} onClose={close} />}
    </div>
  );
}

function waitedFor(run: RunDetail): string | undefined {
  return run.waiting_for.flatMap(({ wait }) => wait.names ?? [])[0];
}

/** Sends a wish about a run; what is shown of it is read anew. */
function useSteer<T>(run: RunDetail, verb: string, after: (answer: T) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: object | undefined) => call<T>(path`/api/runs/${run.run_id}/` + verb, { method: "POST", body }),
    onSuccess: (answer) => {
      void client.invalidateQueries({ queryKey: ["run"] });
      void client.invalidateQueries({ queryKey: ["journal"] });
      after(answer);
    },
  });
}

interface FormProps {
  onSubmit: () => void;
  onClose: () => void;
  error: unknown;
  isBusy: boolean;
  verb: string;
  tone?: "danger";
  children: ReactNode;
}

/** A dialog's content with the buttons that all of them have. */
export function ActionForm({ onSubmit, onClose, error, isBusy, verb, tone, children }: FormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form className="stack" onSubmit={submit}>
      {children}
      {error !== null && error !== undefined && <ProblemBox problem={error} />}
      <div className="actions">
        <button type="button" className="button" onClick={onClose}>
          Leave it
        </button>
        <button className={`button primary ${tone ?? ""}`} disabled={isBusy}>
          {verb}
        </button>
      </div>
    </form>
  );
}

interface SteerProps {
  run: RunDetail;
  onClose: () => void;
}

function CancelDialog({ run, onClose }: SteerProps) {
  const [reason, setReason] = useState("");
  const { mutate, error, isPending } = useSteer<Accepted>(run, "cancel", onClose);
  return (
    <Dialog title="Cancel this run?" onClose={onClose}>
      <ActionForm onSubmit={() => mutate(reason === "" ? undefined : { reason })} verb="Cancel the run" tone="danger" {...{ onClose, error }} isBusy={isPending}>
        <p className="muted">No step begins any more; steps under way are told to stop, and children are cancelled too.</p>
        <label className="field">
          <span>Reason, if you like</span>
          <input className="input" value={reason} onChange={(event) => setReason(event.target.value)} />
        </label>
      </ActionForm>
    </Dialog>
  );
}

function ResumeDialog({ run, onClose }: SteerProps) {
  const { mutate, error, isPending } = useSteer<Accepted>(run, "resume", onClose);
  return (
    <Dialog title="Resume this run?" onClose={onClose}>
      <ActionForm onSubmit={() => mutate(undefined)} verb="Resume" {...{ onClose, error }} isBusy={isPending}>
        <p className="muted">What succeeded stays as it is; what failed is tried again with fresh attempts.</p>
      </ActionForm>
    </Dialog>
  );
}

export function ReplayDialog({ run, from, onClose }: SteerProps & { from: string }) {
  const navigate = useNavigate();
  const [into, setInto] = useState<"new_run" | "same_run">("new_run");
  const { mutate, error, isPending } = useSteer<Accepted>(run, "replay", (answer) => {
    onClose();
    void navigate(`/runs/${answer.run_id}`);
  });
  return (
    <Dialog title={`Replay from ${from}`} onClose={onClose}>
      <ActionForm onSubmit={() => mutate({ from, into })} verb="Replay" {...{ onClose, error }} isBusy={isPending}>
        <p className="muted">Everything before it is kept as it was recorded; it and all that came after is done again.</p>
        <label className="row">
          <input type="radio" name="into" checked={into === "new_run"} onChange={() => setInto("new_run")} /> In a new run; this one stays as it is
        </label>
        <label className="row">
          <input type="radio" name="into" checked={into === "same_run"} disabled={!hasEnded(run.status)} onChange={() => setInto("same_run")} /> In this run, which must have ended
        </label>
      </ActionForm>
    </Dialog>
  );
}

export function SendDialog({ run, name: first, onClose }: SteerProps & { name?: string | undefined }) {
  const [name, setName] = useState(first ?? "");
  const [text, setText] = useState("{}");
  const [problem, setProblem] = useState<unknown>(null);
  const { mutate, error, isPending } = useSteer<unknown>(run, "messages", onClose);
  const submit = () => {
    setProblem(null);
    try {
      mutate({ name, body: (text.trim() === "" ? null : JSON.parse(text)) as Json });
    } catch (reason) {
      setProblem(new Error(`The body is not JSON: ${(reason as Error).message}`));
    }
  };
  return (
    <Dialog title="Send a message" onClose={onClose} wide>
      <ActionForm onSubmit={submit} verb="Send" onClose={onClose} error={problem ?? error} isBusy={isPending}>
        <p className="muted">It is kept until the run listens for it, and taken exactly once.</p>
        <label className="field">
          <span>Name</span>
          <input className="input mono" required list="message-names" value={name} onChange={(event) => setName(event.target.value)} />
          <datalist id="message-names">
            {run.waiting_for
              .flatMap(({ wait }) => wait.names ?? [])
              .map((one) => (
                <option key={one} value={one} />
              ))}
          </datalist>
        </label>
        <div className="field">
          <span>Body (JSON)</span>
          <Editor value={text} onChange={setText} language="json" label="Body of the message" minHeight={120} />
        </div>
      </ActionForm>
    </Dialog>
  );
}

function DeleteDialog({ run, onClose }: SteerProps) {
  const navigate = useNavigate();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => call(path`/api/runs/${run.run_id}`, { method: "DELETE" }),
    onSuccess: () => void navigate("/runs"),
  });
  return (
    <Dialog title="Remove this run for good?" onClose={onClose}>
      <ActionForm onSubmit={() => mutate()} verb="Remove" tone="danger" {...{ onClose, error }} isBusy={isPending}>
        <p className="muted">Its journal and its logs go with it. This cannot be taken back.</p>
      </ActionForm>
    </Dialog>
  );
}
