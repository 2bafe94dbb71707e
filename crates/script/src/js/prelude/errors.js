// What was thrown, as JSON text that Rust reads.

import { isObject, parse, stringify } from "stepwell:core";

const CAUSES_MAX = 5;
const PROPERTY_CHARS_MAX = 65_536;

// Reading a property of a thrown value can throw in turn.
function quietly(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

export function isError(value) {
  if (!isObject(value)) return false;
  if (value instanceof Error || value instanceof DOMException) return true;
  return typeof quietly(() => value.message) === "string" && typeof quietly(() => value.name) === "string";
}

function properties(error) {
  const found = {};
  for (const key of quietly(() => Object.keys(error)) ?? []) {
    if (key === "name" || key === "message" || key === "stack" || key === "cause") continue;
    const text = quietly(() => stringify(error[key]));
    if (text !== undefined && text.length <= PROPERTY_CHARS_MAX) found[key] = parse(text);
  }
  return found;
}

function describeError(error, nCauses) {
  const text = (key) => {
    const value = quietly(() => error[key]);
    return value === undefined ? undefined : quietly(() => String(value));
  };
  const cause = quietly(() => error.cause);
  const described = {
    name: text("name") ?? "Error",
    message: text("message") ?? "",
    stack: text("stack"),
    properties: properties(error),
  };
  if (Array.isArray(error.errors)) {
    described.properties.errors ??= error.errors.slice(0, 100).map((inner) => describe(inner, CAUSES_MAX).message);
  }
  if (cause !== undefined && nCauses < CAUSES_MAX) described.cause = describe(cause, nCauses + 1);
  return described;
}

function describe(thrown, nCauses) {
  if (isError(thrown)) return describeError(thrown, nCauses);
  const text = quietly(() => stringify(thrown));
  const value = text === undefined || text.length > PROPERTY_CHARS_MAX ? null : parse(text);
  const message = typeof thrown === "string" ? thrown : (text ?? quietly(() => String(thrown)) ?? "a value");
  return { name: "", message, properties: { value } };
}

export function describedText(thrown) {
  const described = describe(thrown, 0);
  return quietly(() => stringify(described)) ?? stringify({ name: "", message: "a value that cannot be shown", properties: {} });
}
