// Values as text for people: what console methods print.

import { native } from "stepwell:core";
import { isError } from "stepwell:errors";

const DEPTH_MAX = 4;
const ITEMS_MAX = 100;
const CHARS_MAX = 10_000;

const TypedArray = Object.getPrototypeOf(Uint8Array);

function quote(text) {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n")}'`;
}

function list(items, nAll, open, close) {
  if (nAll > items.length) items.push(`... ${nAll - items.length} more`);
  if (items.length === 0) return open + close;
  return `${open} ${items.join(", ")} ${close}`;
}

function entries(value, seen) {
  const keys = Reflect.ownKeys(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));
  return [keys.length, keys.slice(0, ITEMS_MAX).map((key) => {
    const shown = typeof key === "symbol" ? `[${String(key)}]` : /^[\w$]+$/.test(key) ? key : quote(key);
    const property = Object.getOwnPropertyDescriptor(value, key);
    return `${shown}: ${"value" in property ? nested(property.value, seen) : "[Getter]"}`;
  })];
}

function nested(value, seen) {
  return typeof value === "string" ? quote(value) : show(value, seen);
}

function showObject(value, seen) {
  if (Array.isArray(value)) {
    return list(value.slice(0, ITEMS_MAX).map((item) => nested(item, seen)), value.length, "[", "]");
  }
  if (value instanceof Map) {
    const items = [...value].slice(0, ITEMS_MAX).map(([key, item]) => `${nested(key, seen)} => ${nested(item, seen)}`);
    return `Map(${value.size}) ${list(items, value.size, "{", "}")}`;
  }
  if (value instanceof Set) {
    const items = [...value].slice(0, ITEMS_MAX).map((item) => nested(item, seen));
    return `Set(${value.size}) ${list(items, value.size, "{", "}")}`;
  }
  if (value instanceof TypedArray) {
    const items = Array.from(value.subarray(0, ITEMS_MAX), (item) => String(item));
    return `${value.constructor.name}(${value.length}) ${list(items, value.length, "[", "]")}`;
  }
  const [nAll, items] = entries(value, seen);
  const maker = Object.getPrototypeOf(value)?.constructor;
  const prefix = typeof maker === "function" && maker !== Object && maker.name ? `${maker.name} ` : "";
  return prefix + list(items, nAll, "{", "}");
}

function show(value, seen) {
  switch (typeof value) {
    case "string": return value;
    case "bigint": return `${value}n`;
    case "symbol": return String(value);
    case "function": return `[Function: ${value.name || "(anonymous)"}]`;
    case "number": return Object.is(value, -0) ? "-0" : String(value);
    case "object": break;
    default: return String(value);
  }
  if (value === null) return "null";
  if (seen.includes(value)) return "[Circular]";
  if (isError(value)) return native.showError(String(value).toWellFormed(), typeof value.stack === "string" ? value.stack.toWellFormed() : "");
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return "Promise { ... }";
  if (value instanceof URL) return value.href;
  if (seen.length >= DEPTH_MAX) return Array.isArray(value) ? "[Array]" : "[Object]";
  seen.push(value);
  const text = showObject(value, seen);
  seen.pop();
  return text;
}

export function inspect(value) {
  try {
    const text = show(value, []);
    return text.length > CHARS_MAX ? `${text.slice(0, CHARS_MAX)}... ${text.length - CHARS_MAX} more characters` : text;
  } catch (error) {
    return `[cannot be shown: ${isError(error) ? error.message : "it threw"}]`;
  }
}

// `console.log("%s has %d", name, n)`, and whatever is left over, with spaces between.
export function format(args) {
  if (args.length === 0) return "";
  if (typeof args[0] !== "string") return args.map(inspect).join(" ");
  let next = 1;
  const first = args[0].replace(/%([sdifjoOc%])/g, (whole, kind) => {
    if (kind === "%") return "%";
    if (next >= args.length) return whole;
    const value = args[next++];
    switch (kind) {
      case "s": return inspect(value);
      case "d": return typeof value === "object" ? "NaN" : String(Number(value));
      case "i": return String(Number.parseInt(value, 10));
      case "f": return String(Number.parseFloat(value));
      case "c": return "";
      default: return nested(value, []);
    }
  });
  return [first, ...args.slice(next).map(inspect)].join(" ");
}
