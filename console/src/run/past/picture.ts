/** A run as of an event of its story, as the server would tell it. */

import type { Child, Json, RunDetail, Wait } from "../../api/types";
import { isByName, loud, nodeOf, type Node, type Told } from "../model";
import { Slot, iterationOf, nameOf } from "./slot";
import type { Story } from "./story";
import { countUpTo } from "./versions";

/** The run without its entries, which are `nodesAt`; none before its first event. */
export function runAt(story: Story, seq: number, now: RunDetail): RunDetail | null {
  const facts = story.facts.at(seq);
  const last = story.last.at(seq);
  if (facts === undefined || last === undefined) return null;
  const { status, labels, description, output, error, cancelled, endedAt, deadlineAt, nResumed } = facts;
  return {
    ...now,
    ...{ status, labels, description, output, error },
    cancelling: cancelled !== null && endedAt === null,
    cancel_reason: cancelled,
    ...aroundAt(story, seq),
    entries: [],
    entries_omitted: 0,
    mailbox: story.messages.filter(({ isThere }) => isThere.at(seq) === true).map(({ message }) => message),
    updated_at: last.at,
    ended_at: endedAt,
    duration_ms: endedAt === null ? null : Date.parse(endedAt) - Date.parse(now.created_at),
    deadline_at: deadlineAt,
    n_resumed: nResumed,
    seq: last.seq,
  };
}

/** What the run waited for, and the runs that it had started. */
function aroundAt(story: Story, seq: number): { waiting_for: Wait[]; children: Child[] } {
  const waits: Wait[] = [];
  const children: Told[] = [];
  for (const slot of story.places) {
    const told = slot.versions.at(seq);
    if (!told) continue;
    if (told.child !== undefined) children.push(told);
    const wait = waitOf(told);
    if (wait !== null) waits.push(wait);
  }
  waits.sort((a, b) => ((a.wait.location ?? "") < (b.wait.location ?? "") ? -1 : 1));
  children.sort((a, b) => a.seq - b.seq);
  return { waiting_for: waits, children: children.flatMap(({ child }) => child ?? []) };
}

function waitOf({ location, kind, status, until, retry_at, names = [], attempts, error, child }: Told): Wait | null {
  const at = (date: string | undefined) => (date === undefined ? null : Date.parse(date));
  if (status === "waiting_retry") return { text: `attempt ${attempts + 1} of \`${location}\`, at ${retry_at}, after: ${error?.message}`, wait: { for: "retry", location, until: at(retry_at) } };
  if (status !== "waiting") return null;
  switch (kind) {
    case "sleep":
      return { text: `the timer \`${location}\`, until ${until}`, wait: { for: "timer", location, until: at(until) } };
    case "listen":
      return { text: `a message ${names.join(" or ")} at \`${location}\`${until === undefined ? "" : `, until ${until}`}`, wait: { for: "messages", location, names, until: at(until) } };
    case "child":
      return { text: `the child run ${child?.run_id} of workflow \`${child?.workflow}\` at \`${location}\``, wait: { for: "child", location } };
    case "ask":
      return { text: `the answer to \`${location}\``, wait: { for: "answer", location } };
    default:
      return null;
  }
}

/** The tree of entries. What has not changed since the last call is the very same. */
export function nodesAt(story: Story, seq: number, dialect: string | null): Node[] {
  const isMended = story.facts.at(seq)?.nResumed !== 0;
  return loud(below(story.root, { seq, isSequence: dialect === "sequence", isMended }));
}

interface As {
  seq: number;
  /** Steps of sequences record their state beside their result. */
  isSequence: boolean;
  /** Entries may have begun a second time, and stand where they did the first time. */
  isMended: boolean;
}

function below(slot: Slot, as: As): Node[] {
  const told = slot.versions.at(as.seq);
  const isNamed = told ? isByName(told.kind) : false;
  const nodes: Node[] = [];
  for (const child of isNamed ? slot.byName : slot.children) {
    const node = draw(child, as);
    if (node !== null) nodes.push(node);
  }
  if (as.isMended && !isNamed) nodes.sort((a, b) => firstSeq(a) - firstSeq(b));
  return nodes;
}

function draw(slot: Slot, as: As): Node | null {
  const nChanges = countUpTo(slot.changes, as.seq);
  if (nChanges === 0) return null;
  if (slot.drawn?.nChanges === nChanges) return slot.drawn.node;
  const children = below(slot, as);
  const told = slot.versions.at(as.seq) ?? (children.length === 0 ? null : covering(slot, children));
  const node = told === null ? null : nodeOf(as.isSequence ? answered(told) : told, children, slot.depth);
  slot.drawn = { nChanges, node };
  return node;
}

/** What has no event of its own is as its entries are. */
function covering({ location, segment }: Slot, children: Node[]): Told {
  const n = iterationOf(segment);
  const status = (["running", "waiting_retry", "waiting", "failed", "cancelled"] as const).find((one) => children.some((child) => child.status === one));
  const least = (numbers: (number | null)[]) => numbers.reduce<number | null>((low, ms) => (ms === null || (low !== null && low <= ms) ? low : ms), null);
  const ends = children.map((child) => child.endMs);
  return {
    location,
    name: n === null ? nameOf(segment) : String(n),
    kind: n === null ? "branch" : "iteration",
    status: status ?? "completed",
    startMs: least(children.map((child) => child.startMs)),
    endMs: ends.includes(null) ? null : -(least(ends.map((ms) => (ms === null ? null : -ms))) ?? 0),
    seq: least(children.map((child) => child.seq)) ?? 0,
    attempts: 0,
  };
}

/** A step of a sequence shows its result; its state may say that it was skipped. */
function answered(told: Told): Told {
  const { kind, name, output } = told;
  if (kind !== "step" || name.startsWith(".") || !isObject(output)) return told;
  const { result, state } = output;
  if (!isObject(state) || state.skipped !== true) return { ...told, output: result };
  return { ...told, output: result, status: "skipped", skipped_because: typeof state.description === "string" ? state.description : undefined };
}

function isObject(value: Json | undefined): value is { [key: string]: Json } {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function firstSeq(node: Node): number {
  return node.children.reduce((least, child) => Math.min(least, firstSeq(child)), node.seq);
}

