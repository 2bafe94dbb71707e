/** The catalog of flow steps, and the plans that goals make of it. */

import type { Json, Plan } from "../api/types";

export interface CatalogGraph {
  nodes: { id: string; kind: "step" | "attribute"; label: string; type?: string; health?: string }[];
  edges: { from: string; to: string; kind: string }[];
}

export interface CatalogStep {
  id: string;
  version: string;
  definition: StepDefinition;
  health: { status: "unknown" | "healthy" | "unhealthy"; error: string | null };
}

export interface Script {
  language: string;
  source: string;
}

export interface Attribute {
  role: string;
  type?: string;
  [key: string]: Json | undefined;
}

/** A step while it is being written: what the form has no field for stays as it is. */
export interface StepDefinition {
  id: string;
  name?: string;
  type: string;
  attributes?: Record<string, Attribute>;
  labels?: Record<string, string>;
  http?: { [key: string]: Json };
  script?: Script;
  flow?: { [key: string]: Json };
  predicate?: Script;
  work?: { [key: string]: Json };
  [key: string]: unknown;
}

export interface FlowPlan {
  goals: string[];
  steps: Record<string, { name?: string; type?: string; attributes?: Record<string, Attribute> }>;
  attributes: Record<string, { providers: string[]; consumers: string[] }>;
  required: string[];
  excluded: Record<"satisfied" | "missing" | "blocked", Record<string, { reason: string }>>;
}

export interface PlanPreview extends FlowPlan {
  can_run: boolean;
  obstacles: string[];
}

/** Steps and attributes as boxes: an attribute with many providers is one box, not many arrows. */
export function catalogPlan(graph: CatalogGraph): Plan {
  return {
    nodes: graph.nodes.map(({ id, kind, label, type, health }) => ({ name: id, title: label, kind: kind === "step" ? (type ?? "step") : "attribute", detail: health === "unhealthy" ? "unhealthy" : undefined })),
    edges: graph.edges.map(({ from, to, kind }) => ({ from, to, kind })),
  };
}

/** The boxes that a plan has no use for. */
export function outsideOf(plan: FlowPlan, graph: CatalogGraph): Set<string> {
  const inside = new Set([...Object.keys(plan.steps).map((id) => `step:${id}`), ...Object.keys(plan.attributes).map((name) => `attribute:${name}`)]);
  return new Set(graph.nodes.map((node) => node.id).filter((id) => !inside.has(id)));
}

/** The plan of a flow as a picture of its steps, for a run of it. */
export function flowPlan(input: Json): Plan | null {
  if (input === null || typeof input !== "object" || Array.isArray(input)) return null;
  const plan = input.plan as unknown as FlowPlan | undefined;
  if (plan?.steps === undefined || plan.attributes === undefined) return null;
  const nodes = Object.entries(plan.steps).map(([id, step]) => ({ name: id, title: step.name ?? id, kind: step.type ?? "step" }));
  const pairs = Object.values(plan.attributes).flatMap(({ providers, consumers }) => providers.flatMap((from) => consumers.map((to) => ({ from, to }))));
  return nodes.length === 0 ? null : { nodes, edges: pairs.filter(({ from, to }) => from !== to) };
}

/** The type that the steps of a plan declare for an attribute. */
export function typeOf(plan: FlowPlan, name: string): string {
  const declared = Object.values(plan.steps).map(({ attributes }) => attributes?.[name]);
  const known = declared.filter((one) => one !== undefined && one.role !== "const" && one.role !== "meta");
  return known.map((one) => one?.type ?? "any").find((type) => type !== "any") ?? "any";
}

const EMPTY: Record<string, Json> = { string: "", number: 0, boolean: false, array: [], object: {} };

/** Some value for everything that has to be given: a plan asks what is known, not what it is. */
export function assumed(plan: FlowPlan): Record<string, Json> {
  return Object.fromEntries(plan.required.map((name) => [name, EMPTY[typeOf(plan, name)] ?? null]));
}

/** What somebody typed for an attribute of this type. Throws an error that says what is expected. */
export function readTyped(name: string, text: string, type: string): Json {
  if (type === "string") return text;
  try {
    return JSON.parse(text) as Json;
  } catch {
    if (type === "any") return text;
    throw new Error(`${name} is no ${type}: ${type === "number" ? "write a number such as 12.5" : type === "boolean" ? "write true or false" : `write it as JSON, such as ${type === "array" ? "[1, 2]" : '{"id": 1}'}`}`);
  }
}

/** What a new step looks like before anybody has changed it. */
export const NEW_STEP: StepDefinition = {
  id: "new-step",
  name: "New step",
  type: "script",
  attributes: { n: { role: "required", type: "number" }, twice: { role: "output", type: "number" } },
  script: { language: "lua", source: "return { twice = n * 2 }" },
};

/** What each type of step has of its own, to begin with. */
export const TYPES: Record<string, { word: string; part: Partial<StepDefinition> }> = {
  script: { word: "Script: computes", part: { script: { language: "lua", source: "return {}" } } },
  sync: { word: "HTTP: calls and has the answer", part: { http: { url: "https://" } } },
  async: { word: "HTTP: calls and waits for a webhook", part: { http: { url: "https://" } } },
  flow: { word: "Flow: reaches goals of its own", part: { flow: { goals: [] } } },
};

/** The step with another type; what only the old type has is left behind. */
export function withType(step: StepDefinition, type: string): StepDefinition {
  const { http, script: _script, flow: _flow, ...rest } = step;
  const isHttp = type === "sync" || type === "async";
  return { ...rest, type, ...(isHttp && http !== undefined ? { http } : TYPES[type]?.part) };
}

/** Where in a script an error stands, from `line 2, column 5: ...`. */
export function markOf(source: string, message: string): { from: number; to: number; message: string } | null {
  const found = /^line (\d+), column (\d+): ?(.*)$/s.exec(message);
  if (found === null) return null;
  const lines = source.split("\n");
  const line = Math.min(Math.max(1, Number(found[1])), lines.length);
  const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  const length = lines[line - 1]?.length ?? 0;
  const from = start + Math.min(Math.max(0, Number(found[2]) - 1), Math.max(0, length - 1));
  return { from, to: Math.max(from, start + length), message: found[3] ?? message };
}
