// What modules of a dialect may ask of the host.

import { native, stringify } from "stepwell:core";

export { signal } from "stepwell:events";

// Tells the host something; `channel` says what kind of thing. Nothing comes back.
export function emit(channel, value) {
  native.emit(String(channel), stringify(value) ?? "null");
}

// Where a function stands in its author's source: `{ file, line, column }`, or null if it is built in.
export function positionOf(fn) {
  if (typeof fn !== "function" || typeof fn.fileName !== "string") return null;
  const position = native.sourcePosition(fn.fileName, fn.lineNumber ?? 1, fn.columnNumber ?? 1);
  return position === undefined ? null : { file: position[0], line: position[1], column: position[2] };
}
