// What hosts want to know about a Zod schema.

import { z } from "zod";

export function isSchema(value) {
  return typeof value === "object" && value !== null && typeof value._zod === "object" && typeof value.safeParse === "function";
}

// The JSON Schema of what may be given: before defaults, transforms and coercions.
export function jsonSchemaOf(schema) {
  if (!isSchema(schema)) throw new TypeError("a Zod schema is wanted");
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

// `{ value }`, or `{ issues: [{ path, message, code }] }` with everything that is wrong.
export async function validate(schema, value) {
  if (!isSchema(schema)) throw new TypeError("a Zod schema is wanted");
  const result = await schema.safeParseAsync(value);
  if (result.success) return { value: result.data };
  const issues = result.error.issues.map(({ path, message, code }) => {
    return { path: path.map((key) => (typeof key === "number" ? key : String(key))), message, code };
  });
  return { issues };
}
