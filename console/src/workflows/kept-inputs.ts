/** The last inputs of each workflow, kept by this browser. */

import { namespace } from "../api/session";
import type { Json } from "../api/types";

const KEPT_MAX = 8;
/** Longer inputs are not kept: a browser has little room. */
const CHARS_MAX = 50_000;

export interface Kept {
  at: number;
  input: Json;
}

function key(workflow: string): string {
  return `stepwell.inputs.${namespace ?? ""}/${workflow}`;
}

export function keptInputs(workflow: string): Kept[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key(workflow)) ?? "[]");
    return Array.isArray(kept) ? (kept as Kept[]) : [];
  } catch {
    return [];
  }
}

export function keepInput(workflow: string, input: Json, now: number) {
  const text = JSON.stringify(input);
  if (text.length > CHARS_MAX) return;
  const others = keptInputs(workflow).filter((kept) => JSON.stringify(kept.input) !== text);
  try {
    localStorage.setItem(key(workflow), JSON.stringify([{ at: now, input }, ...others].slice(0, KEPT_MAX)));
  } catch {
    // A full store only means that nothing is remembered.
  }
}
