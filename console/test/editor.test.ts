import { describe, expect, it } from "vitest";

import { kindOf, newName, planOf, readDefinition, readValue, renamed, writeValue, type Action, type Definition } from "../src/editor/definition";
import { propertiesOf } from "../src/editor/inputs-form";

const graph: Definition = {
  id: "onboard",
  steps: [
    { name: "lookup", action: { toolName: "GET_USER" }, input: { id: "@input.user_id" } },
    { name: "score", action: { code: "export default (i) => '@lookup'" }, input: { n: "@lookup.logins", mail: "me@lookup.com", text: "@@lookup" } },
    { name: "mail", action: { toolName: "SEND" }, when: { ref: "@score.ok" }, forEach: { ref: "@lookup.friends" }, input: "Hello @item, from @lookup.name" },
  ],
};

describe("a graph that is being written", () => {
  it("is drawn by its refs, and by nothing that only looks like one", () => {
    const { nodes, edges } = planOf(graph);
    expect(nodes.map(({ name, kind, detail }) => [name, kind, detail])).toEqual([
      ["lookup", "tool", "GET_USER"],
      ["score", "code", undefined],
      ["mail", "tool", "SEND, for each"],
    ]);
    expect(edges.map(({ from, to, kind }) => `${from}>${to} ${kind}`)).toEqual(["lookup>score input", "lookup>mail input", "score>mail when", "lookup>mail for_each"]);
  });

  it("keeps its refs when a step is renamed, and its code as it was", () => {
    const { steps } = renamed(graph, "lookup", "user");
    expect(steps[0]?.name).toBe("user");
    expect(steps[1]?.input).toEqual({ n: "@user.logins", mail: "me@lookup.com", text: "@@lookup" });
    expect(steps[1]?.action.code).toBe("export default (i) => '@lookup'");
    expect(steps[2]?.forEach).toEqual({ ref: "@user.friends" });
    expect(steps[2]?.input).toBe("Hello @item, from @user.name");
  });

  it("gives new steps names that are free", () => {
    expect(newName({ id: "x", steps: [{ name: "code_1", action: {} }] }, "code")).toBe("code_2");
  });

  it("is read from JSON only when it can be drawn", () => {
    for (const text of ["", "{", "null", "[]", '{"steps": 1}', '{"steps": [{}]}', '{"steps": [null]}']) expect(readDefinition(text)).toBeNull();
    expect(readDefinition(JSON.stringify(graph))).toEqual(graph);
  });

  it("knows the kinds of actions", () => {
    const actions: (Action | undefined)[] = [{ sleep: 1 }, { return: true }, { workflow: "x" }, undefined];
    expect(actions.map(kindOf)).toEqual(["sleep", "return", "workflow", "code"]);
  });
});

describe("a field for a value", () => {
  it("reads JSON as JSON and the rest as text, and writes what it reads", () => {
    for (const value of ["@a.b", "hello @a", 3, true, null, { a: ["@b"] }, "3", "true", '"quoted"']) expect(readValue(writeValue(value))).toEqual(value);
    expect(readValue("")).toBeUndefined();
    expect(writeValue("3")).toBe('"3"');
  });
});

describe("the inputs of a graph", () => {
  it("are a list of fields where its schema is one, and JSON elsewhere", () => {
    expect(propertiesOf(undefined)).toEqual({});
    expect(propertiesOf({ type: "object", properties: { a: { type: "string" } }, required: ["a"] })).toEqual({ a: { type: "string" } });
    for (const rich of [{ type: "array" }, { type: "object", oneOf: [] }, { type: "object", properties: { a: true } }]) expect(propertiesOf(rich)).toBeNull();
  });
});
