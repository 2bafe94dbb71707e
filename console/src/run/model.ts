/** A run's tree, made ready for drawing. Nothing here knows how it is drawn. */

import type { Entry, EntryStatus, JournalEvent } from "../api/types";

/** An entry with its place, times that cover what is below it, and its children in an order that people expect. */
export interface Node extends Omit<Entry, "entries"> {
  startMs: number | null;
  endMs: number | null;
  depth: number;
  children: Node[];
  /** The step was taken back. */
  undo: Node | null;
}

/** What only the engine needs to see: notes, chosen versions, marks. */
const QUIET = new Set(["note", "version", "checkpoint"]);

export function makeTree(entries: Entry[], depth = 0): Node[] {
  return entries.filter((entry) => !QUIET.has(entry.kind)).map((entry) => makeNode(entry, depth));
}

function makeNode(entry: Entry, depth: number): Node {
  const { entries = [], ...rest } = entry;
  const below = makeTree(entries, depth + 1);
  const undo = below.find((node) => node.kind === "undo") ?? null;
  const children = below.filter((node) => node.kind !== "undo");
  if (entry.kind === "join" || entry.kind === "race") children.sort(byName);
  const own = { startMs: time(entry.started_at), endMs: time(entry.ended_at) };
  return { ...rest, ...own, ...(entry.kind === "branch" ? cover(own, children) : {}), depth, children, undo };
}

/** Of a branch only the end is recorded, so it lasts as long as what is in it. */
function cover(own: { startMs: number | null }, children: Node[]): { startMs?: number | null } {
  const starts = children.map((child) => child.startMs).filter((ms) => ms !== null);
  return starts.length === 0 ? {} : { startMs: Math.min(...starts, own.startMs ?? Infinity) };
}

function time(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}

const COLLATOR = new Intl.Collator("en", { numeric: true });

function byName(a: Node, b: Node): number {
  return COLLATOR.compare(a.name, b.name);
}

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

/** The attempts of every step, by location, from the journal up to `seq`. */
export function attemptsOf(events: JournalEvent[], seq: number): Map<string, AttemptView[]> {
  const found = new Map<string, AttemptView[]>();
  for (const event of events) {
    if (event.seq > seq || event.location === null) continue;
    const list = found.get(event.location) ?? [];
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
      default:
        continue;
    }
    found.set(event.location, list);
  }
  return found;
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
