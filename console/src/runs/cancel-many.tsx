/** Cancels many runs, a few at a time, and says how it went. */

import { useRef, useState } from "react";

import { Problem, call, path } from "../api/client";
import type { RunSummary } from "../api/types";
import { Dialog } from "../ui/parts";
import { ActionForm } from "../run/actions";

/** How many requests are under way at one time. */
const AT_ONCE = 6;

interface Props {
  runs: RunSummary[];
  onClose: () => void;
  onDone: () => void;
}

export function CancelManyDialog({ runs, onClose, onDone }: Props) {
  // Rows change while the dialog is open; what was chosen does not.
  const [wanted] = useState(runs);
  const [reason, setReason] = useState("");
  const [nDone, setDone] = useState(0);
  const [failed, setFailed] = useState<string[]>([]);
  const [state, setState] = useState<"asking" | "working" | "over">("asking");
  const stopped = useRef(false);

  const work = async () => {
    setState("working");
    const queue = [...wanted];
    const one = async () => {
      for (let run = queue.shift(); run !== undefined && !stopped.current; run = queue.shift()) {
        const id = run.run_id;
        try {
          await call(path`/api/runs/${id}/cancel`, { method: "POST", body: reason === "" ? {} : { reason } });
        } catch (error) {
          // It ended by itself in the meantime: nothing is left to cancel.
          const isOver = error instanceof Problem && error.code === "run_ended";
          if (!isOver) setFailed((old) => [...old, `${id}: ${(error as Error).message}`]);
        }
        setDone((n) => n + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    setState("over");
    onDone();
  };

  const close = () => {
    stopped.current = true;
    onClose();
  };
  return (
    <Dialog title={`Cancel ${wanted.length} runs?`} onClose={close}>
      {state === "asking" ? (
        <ActionForm onSubmit={() => void work()} onClose={close} error={null} isBusy={false} verb={`Cancel ${wanted.length} runs`} tone="danger">
          <p className="muted">No step of them begins any more, and their children are cancelled too.</p>
          <label className="field">
            <span>Reason, if you like</span>
            <input className="input" value={reason} onChange={(event) => setReason(event.target.value)} />
          </label>
        </ActionForm>
      ) : (
        <div className="stack">
          <progress max={wanted.length} value={nDone} aria-label="Cancelled so far" />
          <p role="status">
            {nDone} of {wanted.length}
            {state === "over" && failed.length === 0 && ": all are told to end."}
          </p>
          {failed.length > 0 && (
            <ul className="field-error">
              {failed.slice(0, 10).map((text) => (
                <li key={text}>{text}</li>
              ))}
              {failed.length > 10 && <li>and {failed.length - 10} more</li>}
            </ul>
          )}
          <div className="actions">
            <button type="button" className="button" onClick={close}>
              {state === "over" ? "Close" : "Stop"}
            </button>
          </div>
        </div>
      )}
    </Dialog>
  );
}
