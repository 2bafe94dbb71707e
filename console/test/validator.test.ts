import { describe, expect, it } from "vitest";

import { Problem } from "../src/api/client";
import { errorsAt } from "../src/workflows/launch";
import { problemsOf, validator } from "../src/workflows/validator";

const schema = {
  type: "object" as const,
  properties: {
    item: { type: "string" as const, minLength: 2 },
    n: { type: "integer" as const, minimum: 1 },
    lines: { type: "array" as const, items: { $ref: "#/$defs/line" } },
  },
  required: ["item", "n"],
  $defs: { line: { type: "object" as const, properties: { sku: { type: "string" as const } }, required: ["sku"] } },
};

describe("the check of forms", () => {
  it("takes what fits", () => {
    expect(problemsOf(schema, { item: "tea", n: 2, lines: [{ sku: "a" }] })).toEqual([]);
  });

  it("says what is wrong at the field where it is wrong", () => {
    const found = problemsOf(schema, { item: "t", n: 0, lines: [{}] });
    expect(found.map(({ property }) => property).sort()).toEqual([".item", ".lines.0.sku", ".n"]);
    expect(found.find(({ property }) => property === ".lines.0.sku")?.message).toBe("is required");
  });

  it("names a missing field, not its parent", () => {
    expect(problemsOf(schema, {}).map(({ property, message }) => `${property} ${message}`)).toEqual([".item is required", ".n is required"]);
  });

  it("says which type was wanted", () => {
    expect(problemsOf(schema, { item: "tea", n: "two" })[0]?.message).toContain("integer");
  });

  it("chooses between alternatives that refer to the whole", () => {
    expect(validator.isValid({ $ref: "#/$defs/line" }, { sku: "a" }, schema)).toBe(true);
    expect(validator.isValid({ $ref: "#/$defs/line" }, {}, schema)).toBe(false);
  });

  it("writes no code: the page forbids it", () => {
    const made = globalThis.Function;
    globalThis.Function = (() => {
      throw new Error("no code from text");
    }) as unknown as FunctionConstructor;
    try {
      expect(problemsOf(schema, {})).toHaveLength(2);
    } finally {
      globalThis.Function = made;
    }
  });
});

describe("what the server says", () => {
  it("comes to the field that it is about", () => {
    const problem = new Problem({
      status: 422,
      code: "invalid_input",
      title: "",
      detail: "",
      errors: [
        { path: "input.n", message: "too small" },
        { path: "input.lines[0].sku", message: "unknown" },
        { path: "input", message: "odd" },
      ],
    });
    expect(errorsAt(problem)).toEqual({ n: { __errors: ["too small"] }, lines: { 0: { sku: { __errors: ["unknown"] } } }, __errors: ["odd"] });
  });
});
