/** The catalog of flow steps: who gives what to whom, and the way to any goal. */

import "../run/run.css";
import "../editor/editor.css";

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Play, Plus, Save, Trash2, Waypoints } from "lucide-react";
import { useMemo, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";

import { call, path } from "../api/client";
import { infoQuery } from "../api/queries";
import type { Json, StartedRun } from "../api/types";
import { readValue } from "../editor/definition";
import { useMayLaunch } from "../run/actions";
import { GraphView } from "../run/graph/view";
import { Editor } from "../ui/editor";
import { Empty, Loading, PageHead, ProblemBox, Said } from "../ui/parts";
import { Status } from "../ui/status";
import { NEW_STEP, catalogPlan, outsideOf, type CatalogGraph, type CatalogStep, type PlanPreview } from "./model";

const NOTHING: ReadonlySet<string> = new Set();

export function Component() {
  const [params, setParams] = useSearchParams();
  const goals = params.getAll("goal");
  const edited = params.get("edit");
  const isAdmin = useQuery(infoQuery).data?.scope === "admin";
  const { data: graph, error } = useQuery({ queryKey: ["catalog"], queryFn: ({ signal }) => call<CatalogGraph>("/api/steps/graph", { signal }) });
  const preview = usePreview(goals);
  const plan = useMemo(() => (graph === undefined ? null : catalogPlan(graph)), [graph]);
  const dimmed = useMemo(() => (graph === undefined || preview.data === undefined || goals.length === 0 ? NOTHING : outsideOf(preview.data, graph)), [graph, preview.data, goals.length]);
  const choose = (id: string | null) => {
    if (id === null) setParams({});
    else if (id.startsWith("step:")) setParams({ goal: id.slice("step:".length) });
  };
  const edit = (id: string) => setParams((old) => new URLSearchParams([...[...old].filter(([name]) => name === "goal"), ["edit", id]]));
  return (
    <div className="graph-editor">
      <title>Catalog · Stepwell</title>
      <div className="catalog-head">
        <PageHead title="Catalog" sub="Steps of flows. Choose one to see the way to it; the rest fades.">
          {isAdmin && (
            <button type="button" className="button primary" onClick={() => setParams({ edit: "" })}>
              <Plus size={14} aria-hidden /> New step
            </button>
          )}
        </PageHead>
      </div>
      {error !== null && <ProblemBox problem={error} />}
      <div className="run-body">
        <section className="run-view" aria-label="Picture of the catalog">
          {plan === null ? (
            <Loading what="the catalog" />
          ) : plan.nodes.length === 0 ? (
            <Empty icon={Waypoints} title="The catalog is empty">
              Register a step here, or from the terminal:
              <pre>stepwell step register step.json</pre>
            </Empty>
          ) : (
            <GraphView nodes={[]} plan={plan} selected={goals[0] === undefined ? null : `step:${goals[0]}`} onSelect={choose} frozenAt={0} picks="plan" dimmed={dimmed} />
          )}
        </section>
        {edited !== null ? (
          <StepEditor key={edited} id={edited} onClose={(id) => setParams(id === null ? {} : { goal: id })} />
        ) : (
          goals.length > 0 && (
            <aside className="step-panel editor-panel" aria-label="The way to the goal">
              <GoalPanel key={goals.join()} goals={goals} graph={graph} preview={preview.data} error={preview.error} onGoals={(next) => setParams({ goal: next })} onEdit={isAdmin ? edit : undefined} />
            </aside>
          )
        )}
      </div>
    </div>
  );
}

function usePreview(goals: string[]) {
  return useQuery({
    queryKey: ["plan", goals],
    queryFn: ({ signal }) => call<PlanPreview>("/api/plans", { method: "POST", body: { goals, init: {} }, signal }),
    enabled: goals.length > 0,
    placeholderData: keepPreviousData,
  });
}

interface GoalProps {
  goals: string[];
  graph: CatalogGraph | undefined;
  preview: PlanPreview | undefined;
  error: Error | null;
  onGoals: (goals: string[]) => void;
  onEdit: ((id: string) => void) | undefined;
}

function GoalPanel({ goals, graph, preview, error, onGoals, onEdit }: GoalProps) {
  const others = graph?.nodes.filter((node) => node.kind === "step" && !goals.includes(node.id.slice(5))) ?? [];
  return (
    <div className="step-form">
      <div className="row wrap">
        {goals.map((goal) => (
          <span key={goal} className="row">
            <strong>{goal}</strong>
            <Health id={goal} />
            {onEdit !== undefined && (
              <button type="button" className="button small" onClick={() => onEdit(goal)}>
                Edit
              </button>
            )}
          </span>
        ))}
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
      </div>
      {error !== null && <ProblemBox problem={error} />}
      {preview !== undefined && (
        <>
          <section className="stack">
            <h3>The way there</h3>
            <p className="muted">{Object.keys(preview.steps).length} steps may run: {Object.keys(preview.steps).join(", ")}</p>
          </section>
          <Excluded preview={preview} />
          <LaunchFlow goals={goals} preview={preview} />
        </>
      )}
    </div>
  );
}

function Health({ id }: { id: string }) {
  const { data } = useQuery(stepQuery(id));
  if (data === undefined || data.health.status === "unknown") return null;
  return <Status status={data.health.status === "healthy" ? "completed" : "failed"} word={data.health.status} />;
}

const stepQuery = (id: string) => ({
  queryKey: ["step", id],
  queryFn: ({ signal }: { signal: AbortSignal }) => call<CatalogStep>(path`/api/steps/${id}`, { signal }),
});

function Excluded({ preview }: { preview: PlanPreview }) {
  const all = Object.values(preview.excluded).flatMap((steps) => Object.entries(steps));
  if (all.length === 0) return null;
  return (
    <section className="stack">
      <h3>Left out</h3>
      <ul>
        {all.map(([id, { reason }]) => (
          <li key={id} className="muted">
            <code>{id}</code>: <Said text={reason} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function LaunchFlow({ goals, preview }: { goals: string[]; preview: PlanPreview }) {
  const navigate = useNavigate();
  const mayLaunch = useMayLaunch();
  const [texts, setTexts] = useState<Record<string, string>>({});
  // What no step provides has to be given; what some step needs may be.
  const names = [...preview.required, ...Object.keys(preview.attributes).filter((name) => !preview.required.includes(name) && (preview.attributes[name]?.consumers.length ?? 0) > 0)];
  const start = useMutation({
    mutationFn: () => {
      const given = Object.entries(texts).map(([name, text]) => [name, readValue(text)] as const);
      const init = Object.fromEntries(given.filter((pair): pair is readonly [string, Json] => pair[1] !== undefined));
      return call<StartedRun>("/api/flows", { method: "POST", body: { goals, init } });
    },
    onSuccess: ({ run_id }) => void navigate(`/runs/${run_id}`),
  });
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate();
      }}
    >
      <h3>Start a flow</h3>
      {names.map((name) => (
        <label key={name} className="field">
          <span>
            {name}
            {preview.required.includes(name) ? " *" : " (if it is known)"}
          </span>
          <input className="input mono" required={preview.required.includes(name)} placeholder="JSON or text" value={texts[name] ?? ""} onChange={(event) => setTexts({ ...texts, [name]: event.target.value })} />
        </label>
      ))}
      {start.error !== null && <ProblemBox problem={start.error} />}
      {mayLaunch && (
        <div>
          <button className="button primary" disabled={start.isPending}>
            <Play size={14} aria-hidden /> Start the flow
          </button>
        </div>
      )}
    </form>
  );
}

/** A step as JSON: the server says everything that is wrong with it, scripts included. */
function StepEditor({ id, onClose }: { id: string; onClose: (id: string | null) => void }) {
  const isNew = id === "";
  const { data, error } = useQuery({ ...stepQuery(id), enabled: !isNew, refetchOnWindowFocus: false });
  if (!isNew && data === undefined) return <aside className="step-panel editor-panel">{error !== null ? <ProblemBox problem={error} /> : <Loading what="the step" />}</aside>;
  return <StepForm first={isNew ? NEW_STEP : (data?.definition ?? {})} isNew={isNew} onClose={onClose} />;
}

function StepForm({ first, isNew, onClose }: { first: object; isNew: boolean; onClose: (id: string | null) => void }) {
  const client = useQueryClient();
  const [text, setText] = useState(() => JSON.stringify(first, null, 2));
  const [wrong, setWrong] = useState<Error | null>(null);
  const renew = (id: string | null) => {
    for (const key of ["catalog", "plan", "step"]) void client.invalidateQueries({ queryKey: [key] });
    onClose(id);
  };
  const save = useMutation({
    mutationFn: (step: { id: string }) => (isNew ? call("/api/steps", { method: "POST", body: step }) : call(path`/api/steps/${step.id}`, { method: "PUT", body: step })),
    onSuccess: (_, step) => renew(step.id),
  });
  const remove = useMutation({ mutationFn: () => call(path`/api/steps/${(first as { id: string }).id}`, { method: "DELETE" }), onSuccess: () => renew(null) });
  const submit = () => {
    setWrong(null);
    try {
      save.mutate(JSON.parse(text) as { id: string });
    } catch (reason) {
      setWrong(new Error(`This is not JSON: ${(reason as Error).message}`));
    }
  };
  return (
    <aside className="step-panel editor-panel" aria-label="Step">
      <div className="row editor-modes">
        <strong className="grow">{isNew ? "New step" : (first as { id: string }).id}</strong>
        {!isNew && (
          <button type="button" className="button small danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
            <Trash2 size={13} aria-hidden /> Remove
          </button>
        )}
        <button type="button" className="button small" onClick={() => onClose(isNew ? null : (first as { id: string }).id)}>
          Leave it
        </button>
        <button type="button" className="button small primary" disabled={save.isPending} onClick={submit}>
          <Save size={13} aria-hidden /> {isNew ? "Register" : "Save"}
        </button>
      </div>
      {(wrong ?? save.error ?? remove.error) !== null && <ProblemBox problem={wrong ?? save.error ?? remove.error} />}
      <Editor value={text} onChange={setText} language="json" label="The step as JSON" minHeight={360} />
    </aside>
  );
}
