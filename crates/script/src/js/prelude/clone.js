// `structuredClone`.

import { define, isObject } from "stepwell:core";

const TypedArray = Object.getPrototypeOf(Uint8Array);
const ERRORS = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

function refuse(value) {
  const shown = typeof value === "function" ? `the function ${value.name || "(anonymous)"}` : `a ${typeof value}`;
  throw new DOMException(`${shown} cannot be cloned`, "DataCloneError");
}

function remembered(seen, value, copy, fill) {
  seen.set(value, copy);
  fill?.(copy);
  return copy;
}

function cloneBuffer(buffer, seen) {
  return seen.get(buffer) ?? remembered(seen, buffer, buffer.slice(0));
}

function cloneError(error, seen) {
  const copy = Object.create((ERRORS[error.name] ?? Error).prototype);
  return remembered(seen, error, copy, () => {
    for (const key of ["message", "stack", "cause"]) {
      if (!Object.hasOwn(error, key)) continue;
      Object.defineProperty(copy, key, { value: clone(error[key], seen), writable: true, configurable: true });
    }
  });
}

// As properties of its own, whatever their names: `__proto__`, too.
function fillFrom(value, seen) {
  return (copy) => {
    for (const key of Object.keys(value)) {
      Object.defineProperty(copy, key, { value: clone(value[key], seen), writable: true, enumerable: true, configurable: true });
    }
  };
}

function cloneObject(value, seen) {
  if (Array.isArray(value)) {
    return remembered(seen, value, new Array(value.length), fillFrom(value, seen));
  }
  if (value instanceof Date) return remembered(seen, value, new Date(value.getTime()));
  if (value instanceof RegExp) return remembered(seen, value, new RegExp(value.source, value.flags));
  if (value instanceof Boolean || value instanceof Number || value instanceof String || value instanceof BigInt) {
    return remembered(seen, value, Object(value.valueOf()));
  }
  if (value instanceof Map) {
    return remembered(seen, value, new Map(), (copy) => {
      for (const [key, item] of [...value]) copy.set(clone(key, seen), clone(item, seen));
    });
  }
  if (value instanceof Set) {
    return remembered(seen, value, new Set(), (copy) => {
      for (const item of [...value]) copy.add(clone(item, seen));
    });
  }
  if (value instanceof ArrayBuffer) return cloneBuffer(value, seen);
  if (value instanceof TypedArray) {
    return remembered(seen, value, new value.constructor(cloneBuffer(value.buffer, seen), value.byteOffset, value.length));
  }
  if (value instanceof DataView) {
    return remembered(seen, value, new DataView(cloneBuffer(value.buffer, seen), value.byteOffset, value.byteLength));
  }
  if (value instanceof Error) return cloneError(value, seen);
  if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef) {
    refuse(value);
  }
  return remembered(seen, value, {}, fillFrom(value, seen));
}

function clone(value, seen) {
  if (typeof value === "function" || typeof value === "symbol") refuse(value);
  if (!isObject(value)) return value;
  return seen.has(value) ? seen.get(value) : cloneObject(value, seen);
}

export function installClone() {
  define("structuredClone", (value, options = {}) => {
    if (options?.transfer?.length > 0) throw new DOMException("nothing can be transferred here", "DataCloneError");
    return clone(value, new Map());
  });
}
