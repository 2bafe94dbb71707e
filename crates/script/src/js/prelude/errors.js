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
  // Without a prototype: the script may have given all objects a setter of some name.
  const found = { __proto__: null };
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
    __proto__: null,
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
  return { __proto__: null, name: "", message, properties: { __proto__: null, value } };
}

// For what defies description: a getter that throws, a patched built-in.
const INDESCRIBABLE = '{"name":"","message":"something that cannot be described was thrown","properties":{}}';

export function describedText(thrown) {
  return quietly(() => stringify(describe(thrown, 0))) ?? INDESCRIBABLE;
}
