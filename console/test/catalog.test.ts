import { describe, expect, it } from "vitest";

import type { Json } from "../src/api/types";
import { catalogPlan, flowPlan, outsideOf, type CatalogGraph, type FlowPlan } from "../src/catalog/model";

const graph: CatalogGraph = {
  nodes: [
    { id: "step:a", kind: "step", label: "A", type: "script", health: "unhealthy" },
    { id: "step:b", kind: "step", label: "B", type: "sync" },
    { id: "attribute:n", kind: "attribute", label: "n" },
  ],
  edges: [{ from: "step:a", to: "attribute:n", kind: "output" }],
};
const plan: FlowPlan = {
  goals: ["b"],
  steps: { a: { name: "A", type: "script" }, b: { type: "sync" } },
  attributes: { n: { providers: ["a"], consumers: ["b"] }, out: { providers: ["b"], consumers: [] } },
  required: [],
  excluded: { satisfied: {}, missing: {}, blocked: {} },
};

describe("the catalog", () => {
  it("is drawn with its attributes, and says which steps are unwell", () => {
    const drawn = catalogPlan(graph);
    expect(drawn.nodes.map(({ title, kind, detail }) => [title, kind, detail])).toEqual([
      ["A", "script", "unhealthy"],
      ["B", "sync", undefined],
      ["n", "attribute", undefined],
    ]);
  });

  it("fades what a plan has no use for", () => {
    const { b: _, ...steps } = plan.steps;
    expect([...outsideOf({ ...plan, steps }, graph)]).toEqual(["step:b"]);
  });
});

describe("a run of a flow", () => {
  it("is drawn by the plan in its input", () => {
    const drawn = flowPlan({ plan: plan as unknown as string, init: {} });
    expect(drawn?.nodes.map(({ name, title }) => [name, title])).toEqual([
      ["a", "A"],
      ["b", "b"],
    ]);
    expect(drawn?.edges).toEqual([{ from: "a", to: "b" }]);
  });

  it("is drawn by what it did where there is no plan", () => {
    const inputs: Json[] = [null, 1, [], {}, { plan: {} }];
    for (const input of inputs) expect(flowPlan(input)).toBeNull();
  });
});
