/** A step of the catalog, as a form or as JSON. The server says everything that is wrong with it, scripts included. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Save, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";

import { Problem, call, path } from "../api/client";
import { Editor } from "../ui/editor";
import { Dialog, Loading, ProblemBox, Said } from "../ui/parts";
import { ActionForm } from "../run/actions";
import { stepQuery } from "./goal-panel";
import { NEW_STEP, type StepDefinition } from "./model";
import { StepFields } from "./step-fields";

interface Props {
  /** Empty for a step that is not there yet. */
  id: string;
  /** Of all steps in the catalog. */
  ids: string[];
  onClose: (id: string | null) => void;
}

export function StepEditor({ id, ids, onClose }: Props) {
  const isNew = id === "";
  const { data, error } = useQuery({ ...stepQuery(id), enabled: !isNew, refetchOnWindowFocus: false });
  if (!isNew && data === undefined) return <aside className="step-panel editor-panel">{error !== null ? <ProblemBox problem={error} /> : <Loading what="the step" />}</aside>;
  return <Inside first={isNew ? NEW_STEP : (data?.definition ?? NEW_STEP)} {...{ isNew, ids, onClose }} />;
}

/** The step that a text holds, or null. */
function readStep(text: string): StepDefinition | null {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as StepDefinition) : null;
  } catch {
    return null;
  }
}

/** In the order in which people write it. */
function print({ id, name, type, labels, attributes, predicate, script, http, flow, work, ...rest }: StepDefinition): string {
  return JSON.stringify({ id, name, type, labels, attributes, predicate, script, http, flow, work, ...rest }, null, 2);
}

function Inside({ first, isNew, ids, onClose }: { first: StepDefinition; isNew: boolean; ids: string[]; onClose: (id: string | null) => void }) {
  const client = useQueryClient();
  const [text, setText] = useState(() => print(first));
  const [mode, setMode] = useState<"form" | "json">("form");
  const [isRemoving, setRemoving] = useState(false);
  const step = useMemo(() => readStep(text), [text]);
  const renew = (id: string | null) => {
    for (const key of ["catalog", "plan", "step"]) void client.invalidateQueries({ queryKey: [key] });
    onClose(id);
  };
  const save = useMutation({
    mutationFn: async () => {
      if (step === null) throw new Error("This is no JSON object yet: the editor marks where.");
      await (isNew ? call("/api/steps", { method: "POST", body: step }) : call(path`/api/steps/${step.id}`, { method: "PUT", body: step }));
      return step.id;
    },
    onSuccess: renew,
  });
  const change = (next: string) => {
    setText(next);
    save.reset();
  };
  const errors = save.error instanceof Problem ? save.error.errors : [];
  return (
    <aside className="step-panel editor-panel" aria-label="Step">
      <div className="row wrap editor-modes">
        <div className="segments" role="group" aria-label="How the step is edited">
          {(["form", "json"] as const).map((one) => (
            <button key={one} type="button" aria-pressed={mode === one} onClick={() => setMode(one)}>
              {one === "form" ? "Form" : "JSON"}
            </button>
          ))}
        </div>
        <span className="grow" />
        {!isNew && (
          <button type="button" className="button small danger" onClick={() => setRemoving(true)}>
            <Trash2 size={13} aria-hidden /> Remove
          </button>
        )}
        <button type="button" className="button small" onClick={() => onClose(isNew ? null : first.id)}>
          Leave it
        </button>
        <button type="button" className="button small primary" disabled={save.isPending} onClick={() => save.mutate()}>
          <Save size={13} aria-hidden /> {isNew ? "Register" : "Save"}
        </button>
      </div>
      {save.error !== null && <ProblemBox problem={save.error} />}
      {mode === "json" || step === null ? (
        <>
          {mode === "form" && <p className="muted editor-hint">The JSON cannot be read yet: mend it, and the form is back.</p>}
          <Editor value={text} onChange={change} language="json" label="The step as JSON" minHeight={360} />
        </>
      ) : (
        <StepFields step={step} isNew={isNew} ids={ids} errors={errors} onChange={(next) => change(print(next))} />
      )}
      {isRemoving && <RemoveDialog id={first.id} onClose={() => setRemoving(false)} onDone={() => renew(null)} />}
    </aside>
  );
}

interface Removed {
  lost: { step: string; attribute: string; providers: string[] }[];
}

function RemoveDialog({ id, onClose, onDone }: { id: string; onClose: () => void; onDone: () => void }) {
  const { mutate, error, isPending, data } = useMutation({ mutationFn: () => call<Removed>(path`/api/steps/${id}`, { method: "DELETE" }), onSuccess: ({ lost }) => lost.length === 0 && onDone() });
  if (data !== undefined) {
    return (
      <Dialog title={`${id} is removed`} onClose={onDone}>
        <ul>
          {data.lost.map(({ step, attribute, providers }) => (
            <li key={`${step} ${attribute}`}>
              <Said text={`\`${step}\` gets \`${attribute}\` from ${providers.length === 0 ? "no step any more" : providers.map((one) => `\`${one}\``).join(", ")}`} />
            </li>
          ))}
        </ul>
        <div className="actions">
          <button type="button" className="button" onClick={onDone}>
            Close
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={`Remove ${id}?`} onClose={onClose}>
      <ActionForm onSubmit={() => mutate()} onClose={onClose} error={error} isBusy={isPending} verb="Remove" tone="danger">
        <p className="muted">Flows that were started before finish as they began.</p>
      </ActionForm>
    </Dialog>
  );
}
