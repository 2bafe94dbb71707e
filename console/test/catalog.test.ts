import { describe, expect, it } from "vitest";

import type { Json } from "../src/api/types";
import { NEW_STEP, assumed, catalogPlan, flowPlan, markOf, outsideOf, readTyped, typeOf, withType, type CatalogGraph, type FlowPlan } from "../src/catalog/model";

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

describe("values for attributes", () => {
  const typed: FlowPlan = {
    ...plan,
    steps: {
      a: { attributes: { n: { role: "required", type: "number" }, id: { role: "required", type: "string" }, region: { role: "const", type: "array" } } },
      b: { attributes: { id: { role: "required" }, region: { role: "optional" }, list: { role: "required", type: "array" } } },
    },
    required: ["n", "id", "list", "region"],
  };

  it("have the type that a step declares, constants of other steps apart", () => {
    expect(["n", "id", "list", "region", "nowhere"].map((name) => typeOf(typed, name))).toEqual(["number", "string", "array", "any", "any"]);
    expect(assumed(typed)).toEqual({ n: 0, id: "", list: [], region: null });
  });

  it("are read by that type, and what cannot be is said", () => {
    expect(readTyped("id", "42", "string")).toBe("42");
    expect(readTyped("n", "42", "number")).toBe(42);
    expect(readTyped("x", "42", "any")).toBe(42);
    expect(readTyped("x", "some text", "any")).toBe("some text");
    expect(() => readTyped("n", "many", "number")).toThrow("n is no number: write a number such as 12.5");
    expect(() => readTyped("list", "1, 2", "array")).toThrow("write it as JSON, such as [1, 2]");
  });
});

describe("a step that is being written", () => {
  it("has what its type has, and nothing else", () => {
    const sync = withType(NEW_STEP, "sync");
    expect(sync).toMatchObject({ type: "sync", http: { url: "https://" }, attributes: NEW_STEP.attributes });
    expect(sync.script).toBeUndefined();
    const called = { ...sync, http: { url: "https://x.org" } };
    expect(withType(called, "async").http).toEqual({ url: "https://x.org" });
    expect(withType(called, "script").http).toBeUndefined();
  });

  it("is marked where its script is wrong", () => {
    const source = "local a = 1\nreturn = a\n";
    const mark = markOf(source, "line 2, column 8: unexpected '='");
    expect(mark?.message).toBe("unexpected '='");
    expect(source.slice(mark?.from, mark?.to)).toBe("= a");
    for (const odd of ["line 0, column 0: x", "line 99, column 99: x"]) {
      const { from = -1, to = -1 } = markOf(source, odd) ?? {};
      expect(from >= 0 && from <= to && to <= source.length).toBe(true);
    }
    expect(markOf("", "line 1, column 1: empty")).toEqual({ from: 0, to: 0, message: "empty" });
    expect(markOf(source, "it is too long")).toBeNull();
  });
});
