/** The editor of graphs: a picture, fields and JSON of one and the same definition. */

import "./editor.css";
import "../run/run.css";
import "../workflows/workflows.css";

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Play, Plus, Redo2, Save, Undo2, Workflow } from "lucide-react";
import { useCallback, useDeferredValue, useEffect, useMemo, useState } from "react";
import { useNavigate, useParams } from "react-router";

import { call, path } from "../api/client";
import { workflowQuery } from "../api/queries";
import type { WorkflowView } from "../api/types";
import { isTyping } from "../app/shortcuts";
import { GraphView } from "../run/graph/view";
import { Editor } from "../ui/editor";
import { Empty, Loading, Menu, MenuItem, ProblemBox } from "../ui/parts";
import { KINDS, newName, planOf, readDefinition, renamed, type Definition, type Kind } from "./definition";
import { InputsForm } from "./inputs-form";
import { StepForm, type GraphProblem } from "./step-form";
import { useUndo } from "./use-undo";

const MODES = { step: "Step", inputs: "Inputs", json: "JSON" } as const;
type Mode = keyof typeof MODES;

interface GraphCheck {
  valid: boolean;
  problems: GraphProblem[];
  version: string | null;
}

export function Component() {
  const { name } = useParams();
  const { data, error } = useQuery({ ...workflowQuery(name ?? ""), enabled: name !== undefined, refetchOnWindowFocus: false });
  if (name === undefined) return <GraphEditor first={{ id: "new_graph", steps: [] }} saved={null} />;
  if (data === undefined) return <div className="page">{error !== null ? <ProblemBox problem={error} /> : <Loading what="the graph" />}</div>;
  const definition = (data as WorkflowView & { definition?: Definition | null }).definition;
  if (!definition) return <div className="page"><Empty title="This workflow is no graph">Only graphs, which are JSON, can be edited here.</Empty></div>;
  return <GraphEditor key={name} first={definition} saved={definition} />;
}

const print = (definition: Definition) => JSON.stringify(definition, null, 2);

function GraphEditor({ first, saved }: { first: Definition; saved: Definition | null }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { now: text, change, undo, redo, canUndo, canRedo } = useUndo(print(first));
  const [selected, setSelected] = useState<string | null>(first.steps[0]?.name ?? null);
  const [mode, setMode] = useState<Mode>("step");
  const parsed = useMemo(() => readDefinition(text), [text]);
  // What cannot be read yet leaves the last picture standing.
  const [drawn, setDrawn] = useState(first);
  useEffect(() => {
    if (parsed !== null) setDrawn(parsed);
  }, [parsed]);
  const plan = useMemo(() => planOf(drawn), [drawn]);
  const check = useCheck(drawn);
  const problems = useMemo(() => (parsed === null ? [{ step: null, field: "", code: "json", message: "The JSON cannot be read yet." }] : (check?.problems ?? [])), [check, parsed]);
  const marked = useMemo(() => new Set(problems.map((problem) => problem.step ?? "")), [problems]);
  useUndoKeys(undo, redo);

  const apply = useCallback((next: Definition) => change(print(next)), [change]);
  const save = useMutation({
    mutationFn: () => call<WorkflowView>(path`/api/workflows/${drawn.id}`, { method: "PUT", body: drawn }),
    onSuccess: (view) => {
      void client.invalidateQueries({ queryKey: ["workflows"] });
      client.setQueryData(["workflow", view.name], view);
    },
  });
  const saveThen = (to: string) => save.mutate(undefined, { onSuccess: () => void navigate(to) });
  const step = drawn.steps.find((one) => one.name === selected);
  const name = encodeURIComponent(drawn.id);
  const choose = useCallback((id: string | null) => {
    setSelected(id);
    if (id !== null) setMode("step");
  }, []);
  const add = (kind: Kind) => {
    const made = newName(drawn, kind);
    apply({ ...drawn, steps: [...drawn.steps, { name: made, action: { ...KINDS[kind].action } }] });
    setSelected(made);
    setMode("step");
  };

  return (
    <div className="graph-editor">
      <title>{`${drawn.id}, edited · Stepwell`}</title>
      <header className="run-head">
        <div className="row wrap">
          <h1 className="grow">{saved === null ? "New graph" : `Edit ${drawn.title || drawn.id}`}</h1>
          <Menu label="Add a step" icon={<Plus size={14} aria-hidden />}>
            {(Object.keys(KINDS) as Kind[]).map((kind) => (
              <MenuItem key={kind} onSelect={() => add(kind)}>
                {KINDS[kind].word}
              </MenuItem>
            ))}
          </Menu>
          <button type="button" className="button icon" aria-label="Undo" disabled={!canUndo} onClick={undo}>
            <Undo2 size={14} aria-hidden />
          </button>
          <button type="button" className="button icon" aria-label="Redo" disabled={!canRedo} onClick={redo}>
            <Redo2 size={14} aria-hidden />
          </button>
          <button type="button" className="button" disabled={save.isPending || problems.length > 0} onClick={() => saveThen(`/workflows/${name}`)}>
            <Save size={14} aria-hidden /> Save
          </button>
          <button type="button" className="button primary" disabled={save.isPending || problems.length > 0} onClick={() => saveThen(`/workflows/${name}?tab=launch`)}>
            <Play size={14} aria-hidden /> Save and run
          </button>
        </div>
        <div className="row wrap">
          <label className="row">
            <span className="label">Id</span>
            <input className="input mono" value={drawn.id} disabled={saved !== null} onChange={(event) => apply({ ...drawn, id: event.target.value })} />
          </label>
          <label className="row grow">
            <span className="label">Title</span>
            <input className="input" value={drawn.title ?? ""} onChange={(event) => apply({ ...drawn, title: event.target.value === "" ? undefined : event.target.value })} />
          </label>
        </div>
        {save.error !== null && <ProblemBox problem={save.error} />}
      </header>
      <div className="run-body">
        <section className="run-view" aria-label="Picture of the graph">
          {drawn.steps.length === 0 ? <div className="grow"><Empty icon={Workflow} title="An empty graph">Add a step above. What one step gives, another takes by a ref such as <code>@lookup.id</code>; refs make the arrows.</Empty></div> : <GraphView nodes={[]} plan={plan} selected={selected} onSelect={choose} frozenAt={0} isSketch marked={marked} />}
          <Problems problems={problems} onSelect={choose} />
        </section>
        <aside className="step-panel editor-panel" aria-label="What is edited">
          <div className="row editor-modes">
            <div className="segments" role="group" aria-label="What is edited">
              {(Object.keys(MODES) as Mode[]).map((one) => (
                <button key={one} type="button" aria-pressed={mode === one} onClick={() => setMode(one)}>
                  {MODES[one]}
                </button>
              ))}
            </div>
          </div>
          {mode === "json" ? (
            <Editor value={text} onChange={change} language="json" label="The graph as JSON" minHeight={400} />
          ) : mode === "inputs" ? (
            <InputsForm definition={drawn} onChange={apply} />
          ) : step === undefined ? (
            <p className="muted editor-hint">Choose a step, or add one.</p>
          ) : (
            <StepForm
              definition={drawn}
              step={step}
              problems={problems.filter((problem) => problem.step === step.name)}
              onChange={(next) => apply({ ...drawn, steps: drawn.steps.map((one) => (one.name === step.name ? next : one)) })}
              onRename={(to) => {
                if (to === "" || to === step.name) return;
                apply(renamed(drawn, step.name, to));
                setSelected(to);
              }}
              onRemove={() => {
                apply({ ...drawn, steps: drawn.steps.filter((one) => one.name !== step.name) });
                setSelected(null);
              }}
            />
          )}
        </aside>
      </div>
    </div>
  );
}

/** What the server has against the graph, asked for when typing rests. */
function useCheck(definition: Definition): GraphCheck | undefined {
  const asked = useDeferredValue(definition);
  const { data } = useQuery({
    queryKey: ["graph-check", asked],
    queryFn: ({ signal }) => call<GraphCheck>("/api/graphs/check", { method: "POST", body: asked, signal }),
    placeholderData: keepPreviousData,
    gcTime: 10_000,
  });
  return data;
}

function Problems({ problems, onSelect }: { problems: GraphProblem[]; onSelect: (step: string) => void }) {
  return (
    <ul className="graph-problems" aria-label="What is wrong">
      {problems.length === 0 && <li className="muted">Nothing is wrong with it.</li>}
      {problems.map((problem, n) => (
        <li key={n}>
          {problem.step !== null && (
            <button type="button" className="link mono" onClick={() => onSelect(problem.step ?? "")}>
              {problem.step}
            </button>
          )}{" "}
          <code className="faint">{problem.field}</code> {problem.message}
        </li>
      ))}
    </ul>
  );
}

function useUndoKeys(undo: () => void, redo: () => void) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.metaKey || event.ctrlKey) || isTyping(event)) return;
      const key = event.key.toLowerCase();
      if (key === "z" && !event.shiftKey) undo();
      else if (key === "y" || (key === "z" && event.shiftKey)) redo();
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [undo, redo]);
}
