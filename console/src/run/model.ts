/** A run's tree, made ready for drawing. Nothing here knows how it is drawn. */

import type { Entry, EntryStatus, JournalEvent } from "../api/types";

/** An entry by itself, with its times as numbers. */
export interface Told extends Omit<Entry, "entries" | "started_at" | "ended_at" | "duration_ms"> {
  startMs: number | null;
  endMs: number | null;
}

/** An entry with its place, times that cover what is below it, and its children in an order that people expect. */
export interface Node extends Told {
  depth: number;
  children: Node[];
  /** The step was taken back. */
  undo: Node | null;
}

/** What only the engine needs to see: notes, chosen versions, marks. */
const QUIET = new Set(["note", "version", "checkpoint"]);

export function makeTree(entries: Entry[], depth = 0): Node[] {
  return loud(entries.map((entry) => makeNode(entry, depth)));
}

function makeNode({ entries = [], started_at, ended_at, duration_ms: _, ...rest }: Entry, depth: number): Node {
  const below = entries.map((entry) => makeNode(entry, depth + 1));
  if (isByName(rest.kind)) below.sort((a, b) => COLLATOR.compare(a.name, b.name));
  return nodeOf({ ...rest, startMs: time(started_at), endMs: time(ended_at) }, below, depth);
}

/** Joins what is known of an entry with what stands below it, which is in order already. */
export function nodeOf(told: Told, below: Node[], depth: number): Node {
  const undo = below.find((node) => node.kind === "undo") ?? null;
  const children = loud(undo === null ? below : below.filter((node) => node.kind !== "undo"));
  return { ...told, startMs: told.kind === "branch" ? startOf(told, children) : told.startMs, depth, children, undo };
}

export function loud(nodes: Node[]): Node[] {
  return nodes.some((node) => QUIET.has(node.kind)) ? nodes.filter((node) => !QUIET.has(node.kind)) : nodes;
}

/** Whether its children began at once, so that only their names put them in order. */
export function isByName(kind: string): boolean {
  return kind === "join" || kind === "race";
}

/** Of a branch only the end is recorded, so it lasts as long as what is in it. */
function startOf({ startMs }: Told, children: Node[]): number | null {
  const first = children.reduce((least, child) => Math.min(least, child.startMs ?? Infinity), Infinity);
  return first === Infinity ? startMs : Math.min(first, startMs ?? Infinity);
}

function time(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}

/** As people count: `b2` before `b10`. */
export const COLLATOR = new Intl.Collator("en", { numeric: true });

export function flatten(nodes: Node[], isOpen: (node: Node) => boolean = () => true): Node[] {
  const flat: Node[] = [];
  const walk = (list: Node[]) => {
    for (const node of list) {
      flat.push(node);
      if (isOpen(node)) walk(node.children);
      if (node.undo !== null && isOpen(node)) flat.push(node.undo);
    }
  };
  walk(nodes);
  return flat;
}

export function find(nodes: Node[], location: string): Node | null {
  for (const node of nodes) {
    if (node.location === location) return node;
    if (node.undo?.location === location) return node.undo;
    if (location.startsWith(`${node.location}/`)) {
      const found = find(node.children, location);
      if (found !== null) return found;
    }
  }
  return null;
}

export function title(node: Node): string {
  if (node.kind === "undo") return "undo";
  return node.kind === "iteration" ? `iteration ${node.name}` : node.name;
}

/** What stands above a location, outermost first, itself last. */
export function trail(location: string): string[] {
  const parts = location.split("/");
  return parts.map((_, n) => parts.slice(0, n + 1).join("/"));
}

export type Tally = Record<EntryStatus, number>;

export function tally(nodes: Node[]): Tally {
  const counted: Tally = { running: 0, waiting: 0, waiting_retry: 0, completed: 0, failed: 0, skipped: 0, cancelled: 0 };
  for (const node of nodes) counted[node.status] += 1;
  return counted;
}

/** The one status that says most about many. */
export function worst(counted: Tally): EntryStatus {
  const order: EntryStatus[] = ["failed", "waiting_retry", "running", "waiting", "cancelled", "completed", "skipped"];
  return order.find((status) => counted[status] > 0) ?? "completed";
}

export interface AttemptView {
  attempt: number;
  startMs: number | null;
  endMs: number | null;
  how: "succeeded" | "failed" | "running";
  message: string | null;
  retryAtMs: number | null;
}

/** The event with this number; numbers go up, and some may be missing. */
export function eventAt(events: JournalEvent[], seq: number): JournalEvent | undefined {
  let [low, high] = [0, events.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle]?.seq ?? Infinity) < seq) low = middle + 1;
    else high = middle;
  }
  return events[low]?.seq === seq ? events[low] : undefined;
}

/** Which events are about which location, in their order. */
export function byLocation(events: JournalEvent[]): Map<string, JournalEvent[]> {
  const found = new Map<string, JournalEvent[]>();
  for (const event of events) {
    if (event.location === null) continue;
    const known = found.get(event.location);
    if (known === undefined) found.set(event.location, [event]);
    else known.push(event);
  }
  return found;
}

/** The attempts of a step, from the events about it up to `seq`. */
export function attemptsOf(events: JournalEvent[], seq: number): AttemptView[] {
  const list: AttemptView[] = [];
  for (const event of events) {
    if (event.seq > seq) break;
    const at = Date.parse(event.at);
    const attempt = typeof event.data.attempt === "number" ? event.data.attempt : list.length || 1;
    switch (event.event) {
      case "AttemptStarted":
        list.push({ attempt, startMs: at, endMs: null, how: "running", message: null, retryAtMs: null });
        break;
      case "AttemptFailed":
        end(list, attempt, { endMs: at, how: "failed", message: messageOf(event), retryAtMs: Date.parse(String(event.data.retry_at)) });
        break;
      case "StepSucceeded":
        end(list, attempt, { endMs: at, how: "succeeded" });
        break;
      case "StepFailed":
        end(list, lastAttempt(list), { endMs: at, how: "failed", message: messageOf(event) });
        break;
    }
  }
  return list;
}

function lastAttempt(list: AttemptView[]): number {
  const last = list.at(-1);
  return last === undefined ? 1 : last.how === "running" ? last.attempt : last.attempt + 1;
}

/** The start of a quick attempt is not recorded: it has an end only. */
function end(list: AttemptView[], attempt: number, how: Partial<AttemptView>) {
  const open = list.find((one) => one.attempt === attempt && one.how === "running");
  if (open !== undefined) Object.assign(open, how);
  else list.push({ attempt, startMs: null, endMs: null, how: "running", message: null, retryAtMs: null, ...how });
}

function messageOf(event: JournalEvent): string | null {
  const error = event.data.error;
  return error !== null && typeof error === "object" && !Array.isArray(error) ? String(error.message ?? "") : null;
}
