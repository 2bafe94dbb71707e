/** The filters beside the status: what, when, which text, labels and fields of the input. */

import { useQuery } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useEffect, useState, type FormEvent } from "react";

import { workflowsQuery } from "../api/queries";
import { Dialog } from "../ui/parts";
import { absolute } from "../ui/time";
import { ActionForm } from "../run/actions";
import type { Filters } from "./filters";

/** How long typing rests before the server is asked. */
const TYPING_MS = 250;

const SPANS: [label: string, ms: number][] = [
  ["Last 15 minutes", 15 * 60_000],
  ["Last hour", 3_600_000],
  ["Last 24 hours", 86_400_000],
  ["Last 7 days", 7 * 86_400_000],
];

interface Props {
  filters: Filters;
  onChange: (next: Filters) => void;
}

export function FilterBar({ filters, onChange }: Props) {
  const { data: workflows = [] } = useQuery(workflowsQuery);
  const [isAdding, setAdding] = useState(false);
  const names = [...new Set([...workflows.map((one) => one.name), filters.workflow])].filter((name) => name !== "").sort();
  return (
    <div className="row wrap filter-bar">
      <SearchField text={filters.q} onChange={(q) => onChange({ ...filters, q })} />
      <select className="select" aria-label="Workflow" value={filters.workflow} onChange={(event) => onChange({ ...filters, workflow: event.target.value })}>
        <option value="">Every workflow</option>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <select
        className="select"
        aria-label="Created"
        value={filters.from === "" && filters.to === "" ? "" : "custom"}
        onChange={(event) => {
          const ms = Number(event.target.value);
          if (event.target.value === "") onChange({ ...filters, from: "", to: "" });
          else if (ms > 0) onChange({ ...filters, from: new Date(Date.now() - ms).toISOString(), to: "" });
        }}
      >
        <option value="">Any time</option>
        {SPANS.map(([label, ms]) => (
          <option key={ms} value={ms}>
            {label}
          </option>
        ))}
        <option value="custom" disabled>
          A time of your own
        </option>
      </select>
      <Chips filters={filters} onChange={onChange} />
      <button type="button" className="button small" onClick={() => setAdding(true)}>
        <Plus size={13} aria-hidden /> Filter
      </button>
      {isAdding && <AddDialog filters={filters} onChange={onChange} onClose={() => setAdding(false)} />}
    </div>
  );
}

function SearchField({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const [typed, setTyped] = useState(text);
  useEffect(() => setTyped(text), [text]);
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => onChange(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, text, onChange]);
  return <input className="input search" type="search" data-search placeholder="Id, description, label, error" aria-label="Search runs" value={typed} onChange={(event) => setTyped(event.target.value)} />;
}

function Chips({ filters, onChange }: Props) {
  const chips: [text: string, without: Filters][] = [
    ...filters.labels.map((label): [string, Filters] => [label, { ...filters, labels: filters.labels.filter((one) => one !== label) }]),
    ...filters.inputs.map(([path, value], at): [string, Filters] => [`input.${path} = ${value}`, { ...filters, inputs: filters.inputs.filter((_, n) => n !== at) }]),
  ];
  if (filters.from !== "") chips.push([`from ${date(filters.from)}`, { ...filters, from: "" }]);
  if (filters.to !== "") chips.push([`before ${date(filters.to)}`, { ...filters, to: "" }]);
  if (filters.parent !== "") chips.push([`children of …${filters.parent.slice(-8)}`, { ...filters, parent: "" }]);
  return (
    <>
      {chips.map(([text, without]) => (
        <span key={text} className="tag">
          {text}
          <button type="button" className="chip-x" aria-label={`Without ${text}`} onClick={() => onChange(without)}>
            <X size={12} aria-hidden />
          </button>
        </span>
      ))}
    </>
  );
}

function date(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? text : absolute(ms);
}

const KINDS = { label: "A label", input: "A field of the input", from: "Created at or after", to: "Created before" } as const;

function AddDialog({ filters, onChange, onClose }: Props & { onClose: () => void }) {
  const [kind, setKind] = useState<keyof typeof KINDS>("label");
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const isDate = kind === "from" || kind === "to";
  const submit = () => {
    if (kind === "label") onChange({ ...filters, labels: [...filters.labels, `${name}=${value}`] });
    else if (kind === "input") onChange({ ...filters, inputs: [...filters.inputs, [name, value]] });
    else onChange({ ...filters, [kind]: new Date(value).toISOString() });
    onClose();
  };
  const typed = (set: (text: string) => void) => (event: FormEvent<HTMLInputElement>) => set(event.currentTarget.value);
  return (
    <Dialog title="Add a filter" onClose={onClose}>
      <ActionForm onSubmit={submit} onClose={onClose} error={null} isBusy={false} verb="Add">
        <label className="field">
          <span>By</span>
          <select className="select" value={kind} onChange={(event) => setKind(event.target.value as keyof typeof KINDS)}>
            {Object.entries(KINDS).map(([key, text]) => (
              <option key={key} value={key}>
                {text}
              </option>
            ))}
          </select>
        </label>
        {!isDate && (
          <label className="field">
            <span>{kind === "label" ? "Label" : "Path, such as customer.id"}</span>
            <input className="input mono" required value={name} onInput={typed(setName)} />
          </label>
        )}
        <label className="field">
          <span>{isDate ? "Your time" : "Value"}</span>
          <input className="input mono" required type={isDate ? "datetime-local" : "text"} value={value} onInput={typed(setValue)} />
        </label>
      </ActionForm>
    </Dialog>
  );
}
