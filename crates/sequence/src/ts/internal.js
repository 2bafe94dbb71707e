// What the module `stepwell` and the driver share, out of reach of files.

import { positionOf } from "stepwell:host";

// What a value stands for in a list of steps: `{ type, ...options, site }`.
export const KIND = Symbol("stepwell.kind");

// The workflows that `createWorkflow(...).register()` made, in order.
export const registered = [];

// Where the file's code called what calls this: `{ file, line, column }` of the author's source, or null.
export function callSite() {
  for (const line of (new Error().stack ?? "").split("\n")) {
    const found = /(?:\(|at )([^()]*?):(\d+)(?::(\d+))?\)?\s*$/.exec(line);
    if (found === null) continue;
    const [, file, row, column] = found;
    if (file === "stepwell" || file.startsWith("stepwell:") || file === "native") continue;
    return sourceOf(file.trim(), Number(row), Number(column ?? 1));
  }
  return null;
}

function sourceOf(fileName, lineNumber, columnNumber) {
  const place = () => {};
  for (const [key, value] of Object.entries({ fileName, lineNumber, columnNumber })) {
    Object.defineProperty(place, key, { value, configurable: true });
  }
  return positionOf(place);
}
