// What the other built-in modules share. Files cannot import any of them.

// The functions that Rust supplies. Filled once, before any script runs.
export const native = Object.create(null);

// The call that goes on: its AbortController, once somebody asked for the signal.
export const call = { controller: undefined };

export const { stringify, parse } = JSON;

// Adds a global as the standard ones are: not enumerable, and a script may replace it.
export function define(name, value) {
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: false });
}

export function isObject(value) {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
