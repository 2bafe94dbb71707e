/** The catalog of flow steps, and the plans that goals make of it. */

import type { Json, Plan } from "../api/types";

export interface CatalogGraph {
  nodes: { id: string; kind: "step" | "attribute"; label: string; type?: string; health?: string }[];
  edges: { from: string; to: string; kind: string }[];
}

export interface CatalogStep {
  id: string;
  version: string;
  definition: { [key: string]: Json };
  health: { status: "unknown" | "healthy" | "unhealthy"; error: string | null };
}

export interface FlowPlan {
  goals: string[];
  steps: Record<string, { name?: string; type?: string; attributes?: Record<string, { role: string; type?: string }> }>;
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

/** What a new step looks like before anybody has changed it. */
export const NEW_STEP = {
  id: "new-step",
  name: "New step",
  type: "script",
  attributes: { n: { role: "required", type: "number" }, twice: { role: "output", type: "number" } },
  script: { language: "lua", source: "return {twice = n * 2}" },
};
