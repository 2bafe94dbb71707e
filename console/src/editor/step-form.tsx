/** The fields of one step. */

import { useQuery } from "@tanstack/react-query";
import { Trash2 } from "lucide-react";
import type { ReactNode } from "react";

import { call } from "../api/client";
import { workflowsQuery } from "../api/queries";
import type { Json, Schema } from "../api/types";
import { Editor } from "../ui/editor";
import { KINDS, kindOf, readValue, writeValue, type Action, type Definition, type GraphStep, type Kind } from "./definition";
import { RefInput } from "./ref-input";

export interface ToolView {
  server: string;
  name: string;
  title: string | null;
  description: string | null;
  input_schema: Schema;
  annotations: { [hint: string]: Json } | null;
}

export interface GraphProblem {
  step: string | null;
  field: string;
  code: string;
  message: string;
}

export function useTools() {
  return useQuery({
    queryKey: ["tools"],
    queryFn: ({ signal }) => call<{ tools: ToolView[]; unreachable: Record<string, string> }>("/api/tools", { signal }),
    staleTime: 60_000,
  });
}

const ATTEMPTS = { maxAttempts: "At most", backoffMs: "First wait (ms)", timeoutMs: "Each within (ms)" } as const;

const OPERATORS = ["is true", "eq", "neq", "gt", "lt", "gte", "lte", "in", "exists"] as const;

interface Props {
  definition: Definition;
  step: GraphStep;
  problems: GraphProblem[];
  onChange: (step: GraphStep) => void;
  onRename: (name: string) => void;
  onRemove: () => void;
}

export function StepForm({ definition, step, problems, onChange, onRename, onRemove }: Props) {
  const kind = kindOf(step.action);
  const set = (part: Partial<GraphStep>) => onChange(clean({ ...step, ...part }));
  const value = (label: string, text: string, change: (text: string) => void, placeholder?: string) => (
    <RefInput {...{ definition, label, placeholder }} step={step.name} value={text} onChange={change} />
  );
  return (
    <div className="step-form">
      <div className="row">
        <Field label="Name">
          <input className="input mono" key={step.name} defaultValue={step.name} onBlur={(event) => onRename(event.target.value.trim())} onKeyDown={(event) => event.key === "Enter" && event.currentTarget.blur()} />
        </Field>
        <Field label="Does">
          <select className="select" aria-label="Does" value={kind} onChange={(event) => set({ action: { ...KINDS[event.target.value as Kind].action } })}>
            {(Object.keys(KINDS) as Kind[]).map((one) => (
              <option key={one} value={one}>
                {KINDS[one].word}
              </option>
            ))}
          </select>
        </Field>
        <button type="button" className="button plain icon danger" aria-label={`Remove ${step.name}`} onClick={onRemove}>
          <Trash2 size={14} aria-hidden />
        </button>
      </div>
      {problems.map((problem, n) => (
        <div key={n} className="field-error" role="alert">
          <code>{problem.field.replace(/^steps\[\d+\]\.?/, "") || "step"}</code>: {problem.message}
        </div>
      ))}
      <ActionFields step={step} set={set} />
      {kind !== "sleep" && kind !== "listen" && <InputFields step={step} set={set} value={value} />}
      <WhenFields step={step} set={set} value={value} />
      <fieldset className="form-object">
        <legend>For each</legend>
        {value("For each item of", writeValue(step.forEach?.ref), (text) => set({ forEach: text === "" ? undefined : { ...step.forEach, ref: text } }), "@step.list, or nothing for once")}
        {step.forEach !== undefined && (
          <NumberField label="At one time" value={step.forEach.concurrency} onChange={(n) => set({ forEach: dropped({ ...step.forEach, concurrency: n }) })} />
        )}
      </fieldset>
      {(kind === "tool" || kind === "code") && (
        <fieldset className="form-object">
          <legend>Attempts</legend>
          <div className="fields">
            {(Object.keys(ATTEMPTS) as (keyof typeof ATTEMPTS)[]).map((name) => (
              <NumberField key={name} label={ATTEMPTS[name]} value={step.config?.[name]} onChange={(n) => set({ config: dropped({ ...step.config, [name]: n }) })} />
            ))}
          </div>
          <Field label={step.forEach === undefined ? "If it fails" : "If an item fails"}>
            <select className="select" aria-label="If it fails" value={typeof step.config?.onError === "string" ? step.config.onError : ""} onChange={(event) => set({ config: dropped({ ...step.config, onError: event.target.value || undefined }) })}>
              <option value="">{step.forEach === undefined ? "the run fails" : "it is null, and the others go on"}</option>
              {step.forEach === undefined ? <option value="continue">it is null, and the run goes on</option> : <option value="fail">the step fails</option>}
            </select>
          </Field>
        </fieldset>
      )}
    </div>
  );
}

/** Without the fields that were emptied. */
function dropped(object: { [key: string]: Json | undefined }): { [key: string]: Json } | undefined {
  const kept = Object.entries(object).filter((pair): pair is [string, Json] => pair[1] !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function clean(step: GraphStep): GraphStep {
  return (dropped(step as { [key: string]: Json | undefined }) ?? step) as unknown as GraphStep;
}

function Field({ label, children }: { label: string; children: ReactNode }) {
  return (
    <label className="field grow">
      <span>{label}</span>
      {children}
    </label>
  );
}

function NumberField({ label, value, onChange }: { label: string; value: Json | undefined; onChange: (n: number | undefined) => void }) {
  return (
    <Field label={label}>
      <input className="input" type="number" min={1} value={typeof value === "number" ? value : ""} onChange={(event) => onChange(event.target.value === "" ? undefined : Number(event.target.value))} />
    </Field>
  );
}

type Set = (part: Partial<GraphStep>) => void;

function toolOf(tools: ToolView[], { toolName, server }: Action): ToolView | undefined {
  return tools.find((one) => one.name === toolName && (server === undefined || one.server === server));
}

function ActionFields({ step, set }: { step: GraphStep; set: Set }) {
  const { data: tools } = useTools();
  const { data: workflows = [] } = useQuery(workflowsQuery);
  const { action } = step;
  const text = (name: string) => (typeof action[name] === "string" ? action[name] : "");
  switch (kindOf(action)) {
    case "tool": {
      const offered = tools?.tools ?? [];
      const tool = toolOf(offered, action);
      const chosen = tool === undefined ? "" : `${tool.server}/${tool.name}`;
      const servers = [...new Set(offered.map((one) => one.server))];
      const isShared = (name: string) => offered.filter((one) => one.name === name).length > 1;
      return (
        <Field label="Tool">
          <select
            className="select mono"
            aria-label="Tool"
            value={chosen}
            onChange={(event) => {
              const next = offered.find((one) => `${one.server}/${one.name}` === event.target.value);
              const { server: _server, ...rest } = action;
              // The server is named only where several have the tool.
              if (next !== undefined) set({ action: { ...rest, toolName: next.name, ...(isShared(next.name) ? { server: next.server } : {}) } });
            }}
          >
            {tool === undefined && <option value="">{text("toolName") === "" ? "Choose a tool…" : `${text("toolName")} (no server offers it now)`}</option>}
            {servers.map((server) => (
              <optgroup key={server} label={server}>
                {offered
                  .filter((one) => one.server === server)
                  .map((one) => (
                    <option key={one.name} value={`${server}/${one.name}`}>
                      {one.name}
                    </option>
                  ))}
              </optgroup>
            ))}
          </select>
          {tool !== undefined && <small className="hint">{tool.description}</small>}
          {tools !== undefined && servers.length === 0 && <small className="hint">There are no tool servers: start Stepwell with --mcp-config.</small>}
        </Field>
      );
    }
    case "code":
      return <Editor key={step.name} value={text("code")} onChange={(code) => set({ action: { ...action, code } })} language="typescript" label={`Code of ${step.name}`} minHeight={150} />;
    case "workflow":
      return (
        <Field label="Workflow">
          <input className="input mono" list="nested" value={text("workflow")} onChange={(event) => set({ action: { ...action, workflow: event.target.value } })} />
          <datalist id="nested">
            {workflows.map(({ name }) => (
              <option key={name} value={name} />
            ))}
          </datalist>
        </Field>
      );
    case "sleep":
      return <NumberField label="Milliseconds" value={action.sleep} onChange={(n) => set({ action: { ...action, sleep: n ?? 0 } })} />;
    case "listen":
      return (
        <Field label="Name of the message">
          <input className="input mono" value={text("listen")} onChange={(event) => set({ action: { ...action, listen: event.target.value } })} />
        </Field>
      );
    case "return":
      return <p className="hint">Ends the run with success; its input is the run's output.</p>;
  }
}

type ValueField = (label: string, text: string, change: (text: string) => void, placeholder?: string) => ReactNode;

/** One field for each property that the tool knows; one for the whole input elsewhere. */
function InputFields({ step, set, value }: { step: GraphStep; set: Set; value: ValueField }) {
  const { data: tools } = useTools();
  const tool = toolOf(tools?.tools ?? [], step.action);
  const properties = tool?.input_schema.properties as Record<string, { description?: string; type?: string }> | undefined;
  const { input } = step;
  const isObject = input === undefined || (typeof input === "object" && input !== null && !Array.isArray(input));
  if (properties === undefined || !isObject || Object.keys(properties).length === 0) {
    return (
      <fieldset className="form-object">
        <legend>Input</legend>
        {value("Input", writeValue(input), (text) => set({ input: readValue(text) }), '{"name": "@step.field"}, or a ref')}
      </fieldset>
    );
  }
  const required = Array.isArray(tool?.input_schema.required) ? tool.input_schema.required : [];
  const given = (input ?? {}) as { [key: string]: Json };
  return (
    <fieldset className="form-object">
      <legend>Input of {tool?.name}</legend>
      {Object.entries(properties).map(([name, about]) => (
        <div key={name} className="field">
          <span>
            {name}
            {required.includes(name) && " *"} <span className="faint">{about.type}</span>
          </span>
          {value(name, writeValue(given[name]), (text) => set({ input: dropped({ ...given, [name]: readValue(text) }) }))}
          {about.description !== undefined && <small className="hint">{about.description}</small>}
        </div>
      ))}
    </fieldset>
  );
}

function WhenFields({ step, set, value }: { step: GraphStep; set: Set; value: ValueField }) {
  const { when } = step;
  const operator = OPERATORS.find((one) => when !== undefined && one in when) ?? "is true";
  const write = (ref: string, how: string, operand: Json | undefined) => set({ when: ref === "" ? undefined : { ref, ...(how === "is true" ? {} : { [how]: operand ?? (how === "exists" ? true : null) }) } });
  const ref = typeof when?.ref === "string" ? when.ref : "";
  const operand = when?.[operator];
  return (
    <fieldset className="form-object">
      <legend>When</legend>
      {value("Only when", ref, (text) => write(text, operator, operand), "@step.field, or nothing for always")}
      {when !== undefined && (
        <div className="row">
          <select className="select" aria-label="How it is compared" value={operator} onChange={(event) => write(ref, event.target.value, operand)}>
            {OPERATORS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
          {operator !== "is true" && <input className="input mono" aria-label="What it is compared with" value={writeValue(operand)} onChange={(event) => write(ref, operator, readValue(event.target.value))} />}
        </div>
      )}
    </fieldset>
  );
}
