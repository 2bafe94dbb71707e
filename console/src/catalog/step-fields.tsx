/** The fields of a step of the catalog. What they have no place for stays as it is in the JSON. */

import { Plus, Trash2 } from "lucide-react";
import { useMemo, type ReactNode } from "react";

import type { FieldError } from "../api/client";
import type { Json } from "../api/types";
import { Editor, type Language } from "../ui/editor";
import { NameInput } from "../ui/parts";
import { TYPES, markOf, withType, type Attribute, type Script, type StepDefinition } from "./model";

interface Props {
  step: StepDefinition;
  isNew: boolean;
  ids: string[];
  errors: FieldError[];
  onChange: (step: StepDefinition) => void;
}

export function StepFields({ step, isNew, ids, errors, onChange }: Props) {
  const set = (part: Partial<StepDefinition>) => onChange({ ...step, ...part });
  const wrong = (at: string) => errors.filter(({ path }) => path === at || path.startsWith(`${at}.`)).map(({ message }) => message);
  const part = (at: "http" | "flow" | "work", name: string, value: Json | undefined) => set({ [at]: without({ ...step[at], [name]: value }) });
  const isHttp = step.type === "sync" || step.type === "async";
  return (
    <div className="step-form">
      <div className="fields">
        <Field label="Id" wrong={wrong("id")}>
          <input className="input mono" value={step.id} disabled={!isNew} onChange={(event) => set({ id: event.target.value })} />
        </Field>
        <Field label="Name" wrong={wrong("name")}>
          <input className="input" value={step.name ?? ""} placeholder={step.id} onChange={(event) => set({ name: event.target.value || undefined })} />
        </Field>
      </div>
      <Field label="Type" wrong={wrong("type")}>
        <select className="select" aria-label="Type" value={step.type} onChange={(event) => onChange(withType(step, event.target.value))}>
          {Object.entries(TYPES).map(([type, { word }]) => (
            <option key={type} value={type}>
              {word}
            </option>
          ))}
        </select>
      </Field>
      <Attributes attributes={step.attributes ?? {}} errors={errors} onChange={(attributes) => set({ attributes })} />
      {step.script !== undefined && <ScriptFields legend="Script" at="script" script={step.script} languages={["lua", "ale", "js"]} wrong={wrong("script")} onChange={(script) => set({ script })} />}
      {isHttp && (
        <fieldset className="form-object">
          <legend>Request</legend>
          <Field label="URL, in which {names} of inputs may stand" wrong={wrong("http.url")}>
            <input className="input mono" value={text(step.http?.url)} onChange={(event) => part("http", "url", event.target.value)} />
          </Field>
          <div className="fields">
            <Field label="Method" wrong={wrong("http.method")}>
              <select className="select" aria-label="Method" value={text(step.http?.method) || "POST"} onChange={(event) => part("http", "method", event.target.value)}>
                {["GET", "POST", "PUT", "PATCH", "DELETE"].map((one) => (
                  <option key={one}>{one}</option>
                ))}
              </select>
            </Field>
            <NumberField label="Timeout (ms)" placeholder="30000" value={step.http?.timeout_ms} wrong={wrong("http.timeout_ms")} onChange={(n) => part("http", "timeout_ms", n)} />
            {step.type === "async" && <NumberField label="Webhook within (ms)" placeholder="for ever" value={step.http?.webhook_timeout_ms} wrong={wrong("http.webhook_timeout_ms")} onChange={(n) => part("http", "webhook_timeout_ms", n)} />}
          </div>
          {(["health_url", "compensate_url", "secret"] as const).map((name) => (
            <Field key={name} label={HTTP_WORDS[name]} wrong={wrong(`http.${name}`)}>
              <input className="input mono" value={text(step.http?.[name])} onChange={(event) => part("http", name, event.target.value || undefined)} />
            </Field>
          ))}
        </fieldset>
      )}
      {step.type === "flow" && <GoalFields ids={ids.filter((id) => id !== step.id)} goals={list(step.flow?.goals)} wrong={wrong("flow")} onChange={(goals) => part("flow", "goals", goals)} />}
      {step.predicate === undefined ? (
        <div>
          <button type="button" className="button small" onClick={() => set({ predicate: { language: "lua", source: "return true" } })}>
            <Plus size={13} aria-hidden /> Only if…
          </button>
        </div>
      ) : (
        <ScriptFields legend="Only if" at="predicate" script={step.predicate} languages={["lua", "ale", "js", "jsonpath"]} wrong={wrong("predicate")} onChange={(predicate) => set({ predicate })} onRemove={() => set({ predicate: undefined })} />
      )}
      <details className="options">
        <summary>Attempts and items side by side</summary>
        <div className="fields known">
          <NumberField label="Retries at most" placeholder="3" value={step.work?.max_retries} wrong={wrong("work.max_retries")} onChange={(n) => part("work", "max_retries", n)} min={0} />
          <NumberField label="First wait (ms)" placeholder="1000" value={step.work?.initial_backoff_ms} wrong={wrong("work.initial_backoff_ms")} onChange={(n) => part("work", "initial_backoff_ms", n)} />
          <NumberField label="Items at one time" placeholder="1" value={step.work?.parallelism} wrong={wrong("work.parallelism")} onChange={(n) => part("work", "parallelism", n)} />
        </div>
      </details>
    </div>
  );
}

const HTTP_WORDS = { health_url: "Is it well? (URL, probed now and then)", compensate_url: "Takes it back (URL, called if the flow fails)", secret: "Signed with (name of a secret)" };

const text = (value: Json | undefined) => (typeof value === "string" ? value : "");
const list = (value: Json | undefined) => (Array.isArray(value) ? value.filter((one) => typeof one === "string") : []);

/** Without the fields that were emptied; nothing if none is left. */
function without(object: { [key: string]: Json | undefined }): { [key: string]: Json } | undefined {
  const kept = Object.entries(object).filter((pair): pair is [string, Json] => pair[1] !== undefined);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function Field({ label, wrong, children }: { label: string; wrong: string[]; children: ReactNode }) {
  return (
    <div className="field" data-invalid={wrong.length > 0}>
      <label className="field">
        <span>{label}</span>
        {children}
      </label>
      {wrong.map((message) => (
        <div key={message} className="field-error" role="alert">
          {message}
        </div>
      ))}
    </div>
  );
}

function NumberField({ label, value, wrong, onChange, placeholder, min = 1 }: { label: string; value: Json | undefined; wrong: string[]; onChange: (n: number | undefined) => void; placeholder: string; min?: number }) {
  return (
    <Field label={label} wrong={wrong}>
      <input className="input" type="number" min={min} placeholder={placeholder} value={typeof value === "number" ? value : ""} onChange={(event) => onChange(event.target.value === "" ? undefined : Number(event.target.value))} />
    </Field>
  );
}

const WORDS: Record<string, { word: string; editor: Language }> = {
  lua: { word: "Lua", editor: "lua" },
  ale: { word: "Ale", editor: "ale" },
  js: { word: "JavaScript", editor: "typescript" },
  jsonpath: { word: "JSONPath", editor: "plain" },
};

interface ScriptProps {
  legend: string;
  at: string;
  script: Script;
  languages: string[];
  wrong: string[];
  onChange: (script: Script) => void;
  onRemove?: () => void;
}

function ScriptFields({ legend, at, script, languages, wrong, onChange, onRemove }: ScriptProps) {
  const { language, source } = script;
  const marks = useMemo(() => wrong.map((message) => markOf(source, message)).filter((mark) => mark !== null), [wrong.join("\n"), source]); // eslint-disable-line react-hooks/exhaustive-deps -- the texts are all that matters
  return (
    <fieldset className="form-object">
      <legend>{legend}</legend>
      <div className="row">
        <select className="select" aria-label={`Language of ${legend}`} value={language} onChange={(event) => onChange({ language: event.target.value, source })}>
          {languages.map((one) => (
            <option key={one} value={one}>
              {WORDS[one]?.word}
            </option>
          ))}
        </select>
        {onRemove !== undefined && (
          <button type="button" className="button plain icon danger" aria-label={`Remove ${legend}`} onClick={onRemove}>
            <Trash2 size={14} aria-hidden />
          </button>
        )}
      </div>
      <Editor key={language} value={source} onChange={(next) => onChange({ language, source: next })} language={WORDS[language]?.editor ?? "plain"} label={`Source of ${at}`} marks={marks} minHeight={90} />
      {wrong.map((message) => (
        <div key={message} className="field-error" role="alert">
          {message}
        </div>
      ))}
    </fieldset>
  );
}

function GoalFields({ ids, goals, wrong, onChange }: { ids: string[]; goals: string[]; wrong: string[]; onChange: (goals: string[]) => void }) {
  return (
    <fieldset className="form-object">
      <legend>Goals of its flow</legend>
      {[...new Set([...goals, ...ids])].map((id) => (
        <label key={id} className="row">
          <input type="checkbox" checked={goals.includes(id)} onChange={(event) => onChange(event.target.checked ? [...goals, id] : goals.filter((one) => one !== id))} />
          <span className="mono">{id}</span>
        </label>
      ))}
      {wrong.map((message) => (
        <div key={message} className="field-error" role="alert">
          {message}
        </div>
      ))}
    </fieldset>
  );
}

const ROLES = ["required", "optional", "const", "meta", "output"];
const ATTRIBUTE_TYPES = ["any", "string", "number", "boolean", "object", "array", "null"];
const META_KEYS = ["run_id", "step_id", "namespace", "token", "webhook_url", "parent_run_id", "parent_step_id"];
/** The field that a role has of its own. */
const OWN: Record<string, { name: string; placeholder: string }> = {
  optional: { name: "default", placeholder: 'default, as JSON: "eu"' },
  const: { name: "value", placeholder: 'value, as JSON: "eu"' },
};

interface AttributesProps {
  attributes: Record<string, Attribute>;
  errors: FieldError[];
  onChange: (attributes: Record<string, Attribute>) => void;
}

function Attributes({ attributes, errors, onChange }: AttributesProps) {
  const entries = Object.entries(attributes);
  const change = (at: number, name: string, attribute: Attribute) => onChange(Object.fromEntries(entries.map((entry, n) => (n === at ? [name, attribute] : entry))));
  const add = () => {
    let n = entries.length + 1;
    while (`attribute_${n}` in attributes) n += 1;
    onChange({ ...attributes, [`attribute_${n}`]: { role: "required" } });
  };
  return (
    <fieldset className="form-object attributes">
      <legend>Attributes</legend>
      {entries.length === 0 && <p className="hint">What it takes and what it gives.</p>}
      {entries.map(([name, attribute], n) => (
        <AttributeRow key={name} {...{ name, attribute }} isTaken={(other) => other !== name && other in attributes} wrong={errors.filter(({ path }) => path === `attributes.${name}` || path.startsWith(`attributes.${name}.`))} onChange={(next, about) => change(n, next, about)} onRemove={() => onChange(Object.fromEntries(entries.filter((_, at) => at !== n)))} />
      ))}
      <div>
        <button type="button" className="button small" onClick={add}>
          <Plus size={13} aria-hidden /> Attribute
        </button>
      </div>
    </fieldset>
  );
}

interface RowProps {
  name: string;
  attribute: Attribute;
  isTaken: (name: string) => boolean;
  wrong: FieldError[];
  onChange: (name: string, attribute: Attribute) => void;
  onRemove: () => void;
}

function AttributeRow({ name, attribute, isTaken, wrong, onChange, onRemove }: RowProps) {
  const { role, type } = attribute;
  const own = OWN[role];
  const set = (field: string, value: Json | undefined) => onChange(name, without({ ...attribute, [field]: value }) as unknown as Attribute);
  // Fields of another role would only be refused.
  const setRole = (next: string) => onChange(name, { role: next, ...(type === undefined ? {} : { type }), ...(next === "meta" ? { key: "run_id" } : next === "const" ? { value: "null" } : {}) });
  const mayFanOut = (role === "required" || role === "optional") && (type === undefined || type === "any" || type === "array" || attribute.for_each === true);
  return (
    <div className="attribute">
      <div className="row">
        <NameInput label="Attribute" {...{ name, isTaken }} onRename={(next) => onChange(next, attribute)} />
        <select className="select" aria-label={`Role of ${name}`} value={role} onChange={(event) => setRole(event.target.value)}>
          {ROLES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <select className="select" aria-label={`Type of ${name}`} value={type ?? "any"} onChange={(event) => set("type", event.target.value === "any" ? undefined : event.target.value)}>
          {ATTRIBUTE_TYPES.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <button type="button" className="button plain icon small" aria-label={`Remove ${name}`} onClick={onRemove}>
          <Trash2 size={13} aria-hidden />
        </button>
      </div>
      {(own !== undefined || role === "meta" || mayFanOut) && (
        <div className="row">
          {own !== undefined && <input className="input mono" aria-label={`${own.name} of ${name}`} placeholder={own.placeholder} value={text(attribute[own.name])} onChange={(event) => set(own.name, event.target.value === "" && role === "optional" ? undefined : event.target.value)} />}
          {role === "meta" && (
            <select className="select" aria-label={`What ${name} is`} value={text(attribute.key)} onChange={(event) => set("key", event.target.value)}>
              {META_KEYS.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          )}
          {mayFanOut && (
            <label className="row each">
              <input type="checkbox" checked={attribute.for_each === true} onChange={(event) => set("for_each", event.target.checked || undefined)} /> for each item
            </label>
          )}
        </div>
      )}
      {wrong.map(({ message }) => (
        <div key={message} className="field-error" role="alert">
          {message}
        </div>
      ))}
    </div>
  );
}
