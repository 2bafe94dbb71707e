/** What a graph takes: the fields of its input, as far as a list of them can say it. */

import { Plus, Trash2 } from "lucide-react";

import type { Json, Schema } from "../api/types";
import { NameInput } from "../ui/parts";
import type { Definition } from "./definition";

const TYPES = ["string", "number", "integer", "boolean", "object", "array"];

type Property = { [key: string]: Json };

/** The properties of a schema that is a plain list of fields; null of one that says more. */
export function propertiesOf(schema: unknown): Record<string, Property> | null {
  if (schema === undefined || schema === null) return {};
  const { type, properties = {}, ...rest } = schema as { type?: unknown; properties?: unknown; [key: string]: unknown };
  const isPlain = type === "object" && typeof properties === "object" && properties !== null && Object.keys(rest).every((word) => ["required", "additionalProperties", "$schema", "title", "description"].includes(word));
  if (!isPlain) return null;
  const all = Object.values(properties);
  return all.every((one) => one !== null && typeof one === "object" && !Array.isArray(one)) ? (properties as Record<string, Property>) : null;
}

export function InputsForm({ definition, onChange }: { definition: Definition; onChange: (next: Definition) => void }) {
  const schema = definition.input_schema as Schema | undefined;
  const properties = propertiesOf(schema);
  if (properties === null) return <p className="muted editor-hint">The schema of its input says more than a list of fields: edit it as JSON.</p>;
  const entries = Object.entries(properties);
  const required = Array.isArray(schema?.required) ? schema.required.filter((name) => typeof name === "string") : [];
  const write = (next: [string, Property][], names: string[]) => {
    const { input_schema: _old, ...rest } = definition;
    const kept = { type: "object", ...schema, properties: Object.fromEntries(next), required: names } as Schema;
    onChange((next.length === 0 ? rest : { ...rest, input_schema: kept }) as Definition);
  };
  const change = (at: number, name: string, about: Property) => write(entries.map((entry, n) => (n === at ? [name, about] : entry)), required.map((one) => (one === entries[at]?.[0] ? name : one)));
  const add = () => {
    let n = entries.length + 1;
    while (`field_${n}` in properties) n += 1;
    write([...entries, [`field_${n}`, { type: "string" }]], [...required, `field_${n}`]);
  };
  return (
    <div className="step-form">
      <p className="hint">
        A run is started with these; steps refer to them as <code>@input.name</code>.
      </p>
      {entries.map(([name, about], n) => (
        <div key={name} className="attribute">
          <div className="row">
            <NameInput label="Input" name={name} isTaken={(other) => other !== name && other in properties} onRename={(next) => change(n, next, about)} />
            <select className="select" aria-label={`Type of ${name}`} value={typeof about.type === "string" ? about.type : ""} onChange={(event) => change(n, name, { ...about, type: event.target.value })}>
              {typeof about.type !== "string" && <option value="">see JSON</option>}
              {TYPES.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
            <label className="row each">
              <input type="checkbox" checked={required.includes(name)} onChange={(event) => write(entries, event.target.checked ? [...required, name] : required.filter((one) => one !== name))} /> required
            </label>
            <button type="button" className="button plain icon small" aria-label={`Remove ${name}`} onClick={() => write(entries.filter((_, at) => at !== n), required.filter((one) => one !== name))}>
              <Trash2 size={13} aria-hidden />
            </button>
          </div>
          <input className="input" aria-label={`What ${name} is for`} placeholder="What it is for" value={typeof about.description === "string" ? about.description : ""} onChange={(event) => change(n, name, { ...about, description: event.target.value })} />
        </div>
      ))}
      <div>
        <button type="button" className="button small" onClick={add}>
          <Plus size={13} aria-hidden /> Input
        </button>
      </div>
    </div>
  );
}
