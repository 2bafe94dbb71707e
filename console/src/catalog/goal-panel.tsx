/** The way to chosen goals: which steps may run, which are left out and why, and the form that starts a flow. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { ChevronDown, Pencil, Play, X } from "lucide-react";
import { useMemo, useState } from "react";
import { Link, useLocation, useNavigate } from "react-router";

import { call, path } from "../api/client";
import type { Json, StartedRun } from "../api/types";
import { writeValue } from "../editor/definition";
import { useMayLaunch } from "../run/actions";
import { Menu, MenuItem, ProblemBox, Said } from "../ui/parts";
import { Status } from "../ui/status";
import { relative } from "../ui/time";
import { keepInput, keptInputs } from "../workflows/kept-inputs";
import { readTyped, typeOf, type CatalogGraph, type CatalogStep, type PlanPreview } from "./model";

interface Props {
  goals: string[];
  graph: CatalogGraph | undefined;
  preview: PlanPreview | undefined;
  error: Error | null;
  onGoals: (goals: string[]) => void;
  onEdit: ((id: string) => void) | undefined;
}

export function GoalPanel({ goals, graph, preview, error, onGoals, onEdit }: Props) {
  const others = graph?.nodes.filter((node) => node.kind === "step" && !goals.includes(node.id.slice(5))) ?? [];
  return (
    <div className="step-form">
      <section className="stack">
        <h2>{goals.length === 1 ? "Goal" : "Goals"}</h2>
        <ul className="stack goals">
          {goals.map((goal) => (
            <li key={goal} className="row">
              <strong className="mono clip grow">{goal}</strong>
              <Health id={goal} />
              {onEdit !== undefined && (
                <button type="button" className="button small" onClick={() => onEdit(goal)}>
                  <Pencil size={12} aria-hidden /> Edit
                </button>
              )}
              <button type="button" className="button plain icon small" aria-label={`Without ${goal}`} onClick={() => onGoals(goals.filter((one) => one !== goal))}>
                <X size={13} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
        {others.length > 0 && (
          <select className="select" aria-label="Another goal" value="" onChange={(event) => onGoals([...goals, event.target.value])}>
            <option value="" disabled>
              Add a goal…
            </option>
            {others.map(({ id, label }) => (
              <option key={id} value={id.slice(5)}>
                {label}
              </option>
            ))}
          </select>
        )}
      </section>
      {error !== null && <ProblemBox problem={error} />}
      {preview !== undefined && error === null && (
        <>
          <Way preview={preview} />
          <LaunchFlow key={goals.join()} goals={goals} preview={preview} />
        </>
      )}
    </div>
  );
}

export const stepQuery = (id: string) => ({
  queryKey: ["step", id],
  queryFn: ({ signal }: { signal: AbortSignal }) => call<CatalogStep>(path`/api/steps/${id}`, { signal }),
});

function Health({ id }: { id: string }) {
  const { data } = useQuery(stepQuery(id));
  if (data === undefined || data.health.status === "unknown") return null;
  return (
    <span title={data.health.error ?? undefined}>
      <Status status={data.health.status === "healthy" ? "completed" : "failed"} word={data.health.status} />
    </span>
  );
}

function Way({ preview }: { preview: PlanPreview }) {
  const left = Object.values(preview.excluded).flatMap((steps) => Object.entries(steps));
  const steps = Object.keys(preview.steps);
  return (
    <>
      <section className="stack" aria-label="The way there">
        <h3>{steps.length === 1 ? "1 step may run" : `${steps.length} steps may run`}</h3>
        <div className="row wrap">
          {steps.map((id) => (
            <Link key={id} className="tag mono" to={`/catalog?goal=${encodeURIComponent(id)}`}>
              {id}
            </Link>
          ))}
        </div>
      </section>
      {left.length > 0 && (
        <section className="stack" aria-label="Left out">
          <h3>Left out</h3>
          <ul>
            {left.map(([id, { reason }]) => (
              <li key={id} className="muted">
                <code>{id}</code>: <Said text={reason} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {!preview.can_run && (
        <ul className="field-error" aria-label="What is in the way">
          {preview.obstacles.map((text) => (
            <li key={text}>
              <Said text={text} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

type Texts = Record<string, string>;

function LaunchFlow({ goals, preview }: { goals: string[]; preview: PlanPreview }) {
  const navigate = useNavigate();
  const mayLaunch = useMayLaunch();
  const given = (useLocation().state as { init?: Record<string, Json> } | null)?.init;
  const name = `flow to ${goals.join()}`;
  const kept = useMemo(() => keptInputs(name), [name]);
  const write = (init: Json | undefined): Texts =>
    Object.fromEntries(Object.entries((init ?? {}) as Record<string, Json>).map(([key, value]) => [key, typeOf(preview, key) === "string" && typeof value === "string" ? value : writeValue(value)]));
  const [texts, setTexts] = useState<Texts>(() => write(given ?? kept[0]?.input));
  // What no step provides has to be given; what some step needs may be.
  const others = Object.keys(preview.attributes).filter((one) => !preview.required.includes(one) && (preview.attributes[one]?.consumers.length ?? 0) > 0);
  const start = useMutation({
    mutationFn: async () => {
      const filled = Object.entries(texts).filter(([key, text]) => text !== "" && (preview.required.includes(key) || others.includes(key)));
      const init = Object.fromEntries(filled.map(([key, text]) => [key, readTyped(key, text, typeOf(preview, key))]));
      const started = await call<StartedRun>("/api/flows", { method: "POST", body: { goals, init } });
      keepInput(name, init, Date.now());
      return started;
    },
    onSuccess: ({ run_id }) => void navigate(`/runs/${run_id}`),
  });
  if (!mayLaunch) return null;
  const field = (one: string, isRequired: boolean) => (
    <ValueField key={one} name={one} type={typeOf(preview, one)} isRequired={isRequired} text={texts[one] ?? ""} onChange={(text) => { start.reset(); setTexts({ ...texts, [one]: text }); }} />
  );
  return (
    <form
      className="stack"
      aria-label="Start a flow"
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate();
      }}
    >
      <div className="row">
        <h3 className="grow">Start a flow</h3>
        {kept.length > 0 && (
          <Menu label="Last inputs" icon={<ChevronDown size={14} aria-hidden />}>
            {kept.map((one) => (
              <MenuItem key={one.at} onSelect={() => setTexts(write(one.input))}>
                <span className="mono clip kept">{JSON.stringify(one.input)}</span>
                <span className="faint">{relative(one.at, Date.now())}</span>
              </MenuItem>
            ))}
          </Menu>
        )}
      </div>
      {preview.required.length === 0 && <p className="muted">Nothing has to be given.</p>}
      {preview.required.map((one) => field(one, true))}
      {others.length > 0 && (
        <details className="options">
          <summary>What is known already</summary>
          <div className="stack known">
            <p className="hint">A value given here spares the steps that would find it.</p>
            {others.map((one) => field(one, false))}
          </div>
        </details>
      )}
      {start.error !== null && <ProblemBox problem={start.error} />}
      <div>
        <button className="button primary" disabled={start.isPending}>
          <Play size={14} aria-hidden /> Start the flow
        </button>
      </div>
    </form>
  );
}

const PLACEHOLDERS: Record<string, string> = { array: "[…], as JSON", object: "{…}, as JSON", any: "JSON or text" };

function ValueField({ name, type, isRequired, text, onChange }: { name: string; type: string; isRequired: boolean; text: string; onChange: (text: string) => void }) {
  const props = { className: "input mono", required: isRequired, value: text, placeholder: PLACEHOLDERS[type] };
  return (
    <label className="field">
      <span>
        {name}
        {isRequired && " *"} <span className="faint">{type}</span>
      </span>
      {type === "boolean" ? (
        <select className="select" required={isRequired} value={text} onChange={(event) => onChange(event.target.value)}>
          <option value="" />
          <option>true</option>
          <option>false</option>
        </select>
      ) : type === "array" || type === "object" ? (
        <textarea {...props} rows={2} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <input {...props} inputMode={type === "number" ? "decimal" : undefined} onChange={(event) => onChange(event.target.value)} />
      )}
    </label>
  );
}
