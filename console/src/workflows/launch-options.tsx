/** What can be said about a run beside its input. */

import type { StartRun } from "../api/types";

export interface OptionTexts {
  runId: string;
  key: string;
  labels: string;
  startAt: string;
  deadlineSecs: string;
}

export const OPTIONS_EMPTY: OptionTexts = { runId: "", key: "", labels: "", startAt: "", deadlineSecs: "" };

/** Throws an error that says which field cannot be read. */
export function readOptions(texts: OptionTexts): Omit<StartRun, "input"> {
  const labels = readLabels(texts.labels);
  const secs = Number(texts.deadlineSecs);
  if (texts.deadlineSecs !== "" && !(secs > 0)) throw new Error("The time limit is a number of seconds above 0");
  return {
    ...(texts.runId === "" ? {} : { run_id: texts.runId }),
    ...(texts.key === "" ? {} : { idempotency_key: texts.key }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(texts.startAt === "" ? {} : { start_at: new Date(texts.startAt).toISOString() }),
    ...(texts.deadlineSecs === "" ? {} : { deadline_ms: Math.round(secs * 1_000) }),
  };
}

export function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  for (const part of text.split(",").map((one) => one.trim())) {
    if (part === "") continue;
    const at = part.indexOf("=");
    if (at < 1) throw new Error(`The label "${part}" is not of the form key=value`);
    labels[part.slice(0, at).trim()] = part.slice(at + 1).trim();
  }
  return labels;
}

const FIELDS: [name: keyof OptionTexts, label: string, hint: string, type: string][] = [
  ["runId", "Run id", "Made up if left out; never reused", "text"],
  ["key", "Idempotency key", "A second start with it gives the first run", "text"],
  ["labels", "Labels", "team=ops, ticket=42", "text"],
  ["startAt", "Begin at", "At once if left out", "datetime-local"],
  ["deadlineSecs", "Time limit (seconds)", "For ever if left out", "number"],
];

export function OptionFields({ options, onChange }: { options: OptionTexts; onChange: (next: OptionTexts) => void }) {
  return (
    <details className="options">
      <summary>Options</summary>
      <div className="options-fields">
        {FIELDS.map(([name, label, hint, type]) => (
          <label key={name} className="field">
            <span>{label}</span>
            <input className="input" type={type} value={options[name]} onChange={(event) => onChange({ ...options, [name]: event.target.value })} />
            <small className="hint">{hint}</small>
          </label>
        ))}
      </div>
    </details>
  );
}
