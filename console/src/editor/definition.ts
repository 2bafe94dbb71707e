/** A graph while it is being written: what changes it, and the picture that its refs make. */

import type { Json, Plan, PlanEdge } from "../api/types";

export type Action = { [key: string]: Json };

export interface GraphStep {
  name: string;
  title?: string;
  action: Action;
  input?: Json;
  when?: { [key: string]: Json };
  forEach?: { [key: string]: Json };
  config?: { [key: string]: Json };
  [key: string]: Json | undefined;
}

export interface Definition {
  id: string;
  title?: string;
  steps: GraphStep[];
  [key: string]: unknown;
}

export const KINDS = {
  tool: { word: "Tool call", action: { toolName: "" } },
  code: { word: "Code", action: { code: "export default function (input) {\n  return input;\n}\n" } },
  workflow: { word: "Nested workflow", action: { workflow: "" } },
  sleep: { word: "Sleep", action: { sleep: 1_000 } },
  listen: { word: "Listen for a message", action: { listen: "" } },
  return: { word: "Return", action: { return: true } },
} as const satisfies Record<string, { word: string; action: Action }>;
export type Kind = keyof typeof KINDS;

const BY_FIELD: Record<string, Kind> = { toolName: "tool", code: "code", workflow: "workflow", sleep: "sleep", listen: "listen", return: "return" };

export function kindOf(action: Action | undefined): Kind {
  const field = Object.keys(BY_FIELD).find((name) => action !== undefined && name in action);
  return (field === undefined ? undefined : BY_FIELD[field]) ?? "code";
}

/** The definition that a text holds, or null if it holds none that can be drawn. */
export function readDefinition(text: string): Definition | null {
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== "object") return null;
    const { steps } = value as { steps?: unknown };
    const isDrawable = Array.isArray(steps) && steps.every((step) => typeof (step as GraphStep | null)?.name === "string");
    return isDrawable ? (value as Definition) : null;
  } catch {
    return null;
  }
}

export function newName(definition: Definition, kind: Kind): string {
  const taken = new Set(definition.steps.map((step) => step.name));
  for (let n = 1; ; n += 1) if (!taken.has(`${kind}_${n}`)) return `${kind}_${n}`;
}

/** A ref begins where `@` begins a word; `@@` is an `@`. */
const REF = /(?<![\w@])@([A-Za-z_]\w*)/g;

function rootsIn(value: unknown, found: Set<string>) {
  if (typeof value === "string") for (const match of value.matchAll(REF)) found.add(match[1] ?? "");
  else if (Array.isArray(value)) for (const item of value) rootsIn(item, found);
  else if (value !== null && typeof value === "object") for (const item of Object.values(value)) rootsIn(item, found);
}

/** Nodes and edges, as far as the refs tell: the server's own plan needs a graph without faults. */
export function planOf(definition: Definition): Plan {
  const known = new Set(definition.steps.map((step) => step.name));
  const edges: PlanEdge[] = [];
  for (const step of definition.steps) {
    const parts: [string, unknown][] = [
      ["input", [step.input, step.action?.input]],
      ["when", step.when],
      ["for_each", step.forEach],
    ];
    for (const [kind, part] of parts) {
      const roots = new Set<string>();
      rootsIn(part, roots);
      for (const from of roots) if (known.has(from) && from !== step.name) edges.push({ from, to: step.name, kind });
    }
  }
  // Boxes have the names that refs are written with, not titles.
  return { nodes: definition.steps.map(({ name, action, forEach }) => ({ name, kind: kindOf(action), detail: [detailOf(action), forEach === undefined ? undefined : "for each"].filter((part) => part !== undefined).join(", ") || undefined })), edges };
}

function detailOf(action: Action | undefined): string | undefined {
  const value = action?.toolName ?? action?.workflow ?? action?.listen;
  if (action?.sleep !== undefined) return `${JSON.stringify(action.sleep)} ms`;
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The graph with a step under another name, and all refs to it. */
export function renamed(definition: Definition, from: string, to: string): Definition {
  const rewrite = (value: unknown): unknown => {
    if (typeof value === "string") return value.replaceAll(REF, (whole, root: string) => (root === from ? `@${to}` : whole));
    if (Array.isArray(value)) return value.map(rewrite);
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rewrite(item)]));
  };
  const steps = definition.steps.map((step) => {
    const { name, action, ...rest } = step;
    // Code may hold an @ that is no ref.
    const { code, transformCode, ...others } = action;
    const kept = { ...(code === undefined ? {} : { code }), ...(transformCode === undefined ? {} : { transformCode }) };
    return { name: name === from ? to : name, ...(rewrite(rest) as object), action: { ...(rewrite(others) as Action), ...kept } } as GraphStep;
  });
  return { ...definition, steps };
}

/** What somebody typed into a field for a value: JSON where it is JSON, else text, which may hold refs. */
export function readValue(text: string): Json | undefined {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

export function writeValue(value: Json | undefined): string {
  if (value === undefined) return "";
  if (typeof value !== "string") return JSON.stringify(value);
  // A text that would be read as something else keeps its quotes.
  return readValue(value) === value ? value : JSON.stringify(value);
}
