/**
 * What a journal says of its run, after each of its events.
 *
 * The same fold as the server's (`crates/journal/src/state/apply.rs`), except that nothing is forgotten: every entry keeps
 * what it was after each event that changed it. So the run as of any event is looked up rather than folded anew, and a
 * slider asks nobody. `e2e/past.test.ts` holds it to what the server says of the same events. A kind of event that it does
 * not know ends it: then the server is asked.
 */

import type { Failure, Json, JournalEvent, MailboxMessage, RunStatus } from "../../api/types";
import type { Told } from "../model";
import { Slot, iterationOf, nameOf } from "./slot";
import { Versions } from "./versions";

/** What is known of the run beside its entries. */
export interface Facts {
  status: RunStatus;
  labels: Record<string, string>;
  description: string | null;
  output: Json;
  error: Failure | null;
  cancelled: string | null;
  endedAt: string | null;
  deadlineAt: string | null;
  nResumed: number;
  isRollingBack: boolean;
}

const BEGINNING: Facts = { status: "running", labels: {}, description: null, output: null, error: null, cancelled: null, endedAt: null, deadlineAt: null, nResumed: 0, isRollingBack: false };

/** An output longer than this is not in the tree: the entry is asked for. */
const VALUE_SHOWN_BYTES_MAX = 16 * 1024;

type Data = JournalEvent["data"];
type Range = [first: number, last: number];

/** The journal says what this console cannot make sense of. */
export class Unknown extends Error {}

/** A story with what it was told from; none if that made no sense. */
export interface Telling {
  story: Story | null;
  events: JournalEvent[];
}

/** Goes on with a telling if these events go on where it ended; begins anew otherwise. */
export function retell(known: Telling | null, events: JournalEvent[]): Telling {
  const told = known?.events ?? [];
  const isMore = known !== null && told.length <= events.length && events[0] === told[0] && events[told.length - 1] === told.at(-1);
  if (isMore && (told.length === events.length || known.story === null)) return { story: known.story, events };
  const story = isMore && known.story !== null ? known.story : new Story();
  try {
    story.tell(isMore ? events.slice(told.length) : events);
    return { story, events };
  } catch (error) {
    if (error instanceof Unknown) return { story: null, events };
    throw error;
  }
}

export class Story {
  readonly root = new Slot("", null);
  readonly facts = new Versions<Facts>();
  /** The time of the last event, and its number. */
  readonly last = new Versions<{ seq: number; at: string }>();
  readonly messages: { message: MailboxMessage; isThere: Versions<boolean> }[] = [];
  private readonly slots = new Map<string, Slot>([["", this.root]]);
  private readonly events: JournalEvent[] = [];
  private readonly voids: Range[] = [];
  /** How many entries execute, and how many wait. */
  private nBusy = 0;
  private nWaiting = 0;

  /** Goes on with the events that follow those that it knows. */
  tell(events: readonly JournalEvent[]) {
    for (const event of events) {
      this.events.push(event);
      if (event.event === "RunResumed") this.resume(event);
      else this.apply(event);
    }
  }

  get lastSeq(): number {
    return this.last.latest?.seq ?? -1;
  }

  /** Every place that there ever was. */
  get places(): Iterable<Slot> {
    return this.slots.values();
  }

  private get now(): Facts {
    return this.facts.latest ?? BEGINNING;
  }

  private apply(event: JournalEvent) {
    const { seq, at, data } = event;
    if (event.location === null) this.change(seq, this.ofRun(event));
    else this.ofEntry(event, this.slot(event.location), data);
    const { endedAt, isRollingBack, status } = this.now;
    const moves = isRollingBack ? "rolling_back" : this.nBusy === 0 && this.nWaiting > 0 ? "waiting" : "running";
    if (endedAt === null && status !== moves) this.change(seq, { status: moves });
    const before = this.last.latest?.at ?? at;
    this.last.set(seq, { seq, at: at > before ? at : before });
  }

  private change(seq: number, facts: Partial<Facts>) {
    if (Object.keys(facts).length > 0) this.facts.set(seq, { ...this.now, ...facts });
  }

  /** What is about the run itself, or a message. */
  private ofRun({ event, seq, at, data }: JournalEvent): Partial<Facts> {
    switch (event) {
      case "RunStarted":
        return { labels: data.labels as Record<string, string>, deadlineAt: data.deadline_at as string | null };
      case "MessageReceived": {
        const message = { message_id: String(data.message_id), name: String(data.name), body: data.body ?? null, key: data.key as string | null, received_at: at };
        this.messages.push({ message, isThere: new Versions() });
        this.messages.at(-1)?.isThere.set(seq, true);
        return {};
      }
      case "MessageAnswered":
      case "DeadlinePassed":
        return {};
      case "UndoStarted":
        this.cancelBelow(this.root, seq, at);
        return { isRollingBack: true };
      case "CancelRequested":
        return { cancelled: String(data.reason) };
      case "RunResumed":
        return { nResumed: this.now.nResumed + 1, deadlineAt: data.deadline_at as string | null };
      case "RunCompleted":
        this.cancelBelow(this.root, seq, at);
        return { status: "completed", endedAt: at, output: data.output ?? null };
      case "RunFailed":
        this.cancelBelow(this.root, seq, at);
        return { status: "failed", endedAt: at, error: failureOf(data) };
      case "RunCancelled":
        this.cancelBelow(this.root, seq, at);
        return { status: "cancelled", endedAt: at, cancelled: String(data.reason) };
      default:
        throw new Unknown(event);
    }
  }

  private ofEntry(event: JournalEvent, slot: Slot, data: Data) {
    const { seq } = event;
    const touch = (kind: string, more: Partial<Told> = {}) => this.put(slot, seq, { ...touched(slot, kind, event), ...more });
    const end = (kind: string, more: Partial<Told> = {}) => touch(kind, { status: "completed", retry_at: undefined, endMs: Date.parse(event.at), ...more });
    const step = slot.segment === "~undo" ? "undo" : "step";
    switch (event.event) {
      case "AttemptStarted":
        return touch(step, { status: "running", attempts: Number(data.attempt), retry_at: undefined });
      case "AttemptFailed":
        return touch(step, { status: "waiting_retry", attempts: Number(data.attempt), error: failureOf(data), retry_at: String(data.retry_at) });
      case "StepSucceeded":
        end(step, { attempts: Number(data.attempt), ...outputOf(data.output) });
        return this.waitForAnswer(slot, event);
      case "StepFailed": {
        const error = failureOf(data);
        const attempts = Math.max(slot.versions.latest?.attempts ?? 0, error.attempts ?? 0);
        return end(step, { attempts, ...failed(error) });
      }
      case "StepSkipped":
        return end("step", { status: "skipped", skipped_because: String(data.reason) });
      case "TimerSet":
        return touch("sleep", { status: "waiting", until: String(data.fire_at) });
      case "TimerFired":
        return end("sleep");
      case "ListenStarted":
        return touch("listen", { status: "waiting", names: data.names as string[], until: (data.deadline_at as string | null) ?? undefined });
      case "ListenTimedOut":
        return end("listen");
      case "MessageTaken":
        return end("listen", outputOf(this.take(data.message_ids as string[], seq)));
      case "AnswerReceived":
        return end("ask", resultOf(data));
      case "BlockStarted":
        return touch(String(data.kind));
      case "BranchEnded":
      case "BlockEnded": {
        this.cancelBelow(slot, seq, event.at);
        const kind = event.event === "BranchEnded" ? "branch" : slot.versions.latest?.kind;
        if (kind === undefined) throw new Unknown(`${slot.location} ends and never began`);
        return end(kind, data.error === null ? {} : failed(failureOf(data)));
      }
      case "LoopAdvanced":
        return this.advance(slot, event, touch);
      case "ChildStarted":
        return touch("child", { status: "waiting", child: { run_id: String(data.run_id), workflow: String(data.workflow), location: slot.location } });
      case "ChildEnded":
        return end("child", resultOf(data));
      case "VersionChosen":
        return end("version", outputOf(data.version));
      case "CheckpointSet":
        return end("checkpoint");
      case "Noted":
        end("note");
        if (typeof data.description === "string") this.change(seq, { description: data.description });
        if (typeof data.label === "string") this.change(seq, { labels: { ...this.now.labels, [data.label]: String(data.value) } });
        return;
      default:
        throw new Unknown(event.event);
    }
  }

  /** The next iteration begins: what was open in the last one ends, and iterations that are not kept any more go. */
  private advance(slot: Slot, { seq, at, data }: JournalEvent, touch: (kind: string, more: Partial<Told>) => void) {
    const before = slot.versions.latest?.trimmed_before ?? 0;
    const until = Math.max(before, Number(data.trimmed_before));
    touch("loop", { trimmed_before: until });
    const last = this.slots.get(`${slot.location}/~${Math.max(0, Number(data.iteration) - 1)}`);
    if (last !== undefined) this.cancelBelow(last, seq, at);
    for (const child of this.iterations(slot, before, until)) this.walk(child, (gone) => gone.versions.latest && this.put(gone, seq, null));
  }

  /** Costs as much as there are iterations in the page: a loop advances often, and after a compaction by very many at once. */
  private iterations(slot: Slot, from: number, until: number): Slot[] {
    if (until - from <= slot.children.length) return Array.from({ length: until - from }, (_, n) => this.slots.get(`${slot.location}/~${from + n}`)).filter((one) => one !== undefined);
    return slot.children.filter(({ segment }) => {
      const n = iterationOf(segment);
      return n !== null && n >= from && n < until;
    });
  }

  /** A question that was sent makes its entry wait for the answer, which may have been faster. */
  private waitForAnswer(sending: Slot, event: JournalEvent) {
    const { parent } = sending;
    if (parent === null || sending.segment !== "~ask") return;
    const known = parent.versions.latest;
    if (known?.endMs === undefined || known.endMs === null) this.put(parent, event.seq, { ...touched(parent, "ask", event), status: "waiting" });
  }

  private take(ids: string[], seq: number): Json {
    return ids.map((id) => {
      const found = this.messages.find(({ message, isThere }) => message.message_id === id && isThere.latest === true);
      if (found === undefined) throw new Unknown(`message ${id} is not in the mailbox`);
      found.isThere.set(seq, false);
      return found.message.body;
    });
  }

  private cancelBelow(above: Slot, seq: number, at: string) {
    for (const child of above.children) {
      this.walk(child, (slot) => {
        const told = slot.versions.latest;
        if (told && told.endMs === null) this.put(slot, seq, { ...told, status: "cancelled", endMs: Date.parse(at) });
      });
    }
  }

  private walk(slot: Slot, visit: (slot: Slot) => void) {
    visit(slot);
    for (const child of slot.children) this.walk(child, visit);
  }

  private put(slot: Slot, seq: number, told: Told | null) {
    const before = slot.versions.latest ?? null;
    this.nBusy += Number(isBusy(told)) - Number(isBusy(before));
    this.nWaiting += Number(isWaiting(told)) - Number(isWaiting(before));
    slot.set(seq, told);
  }

  private slot(location: string): Slot {
    const known = this.slots.get(location);
    if (known !== undefined) return known;
    const parent = this.slot(location.slice(0, Math.max(0, location.lastIndexOf("/"))));
    const slot = new Slot(location, parent);
    parent.add(slot);
    this.slots.set(location, slot);
    return slot;
  }

  /** From here on the run is as if the events that are void had never been: what they changed changes back. */
  private resume(event: JournalEvent) {
    const { seq } = event;
    this.voids.push(...(event.data.voids as Range[]));
    const anew = new Story();
    for (const one of this.events) {
      if (!this.voids.some(([first, last]) => one.seq >= first && one.seq <= last)) anew.apply(one);
    }
    for (const [location, slot] of this.slots) {
      const told = anew.slots.get(location)?.versions.latest ?? null;
      if (told !== slot.versions.latest) this.put(slot, seq, told);
    }
    this.facts.set(seq, anew.now);
    this.last.set(seq, { seq, at: anew.last.latest?.at ?? event.at });
    const left = new Set(anew.messages.filter(({ isThere }) => isThere.latest).map(({ message }) => message.message_id));
    for (const { message, isThere } of this.messages) isThere.set(seq, left.has(message.message_id));
  }
}

const isBusy = (told: Told | null) => told?.status === "running" && told.attempts > 0;
const isWaiting = (told: Told | null) => told?.status === "waiting" || told?.status === "waiting_retry";

/** The entry as it is, or as it begins with this event. */
function touched(slot: Slot, kind: string, { seq, at }: JournalEvent): Told {
  const known = slot.versions.latest;
  if (!known) return { location: slot.location, name: nameOf(slot.segment), kind, status: "running", startMs: Date.parse(at), endMs: null, seq, attempts: 0 };
  if (known.kind !== kind || known.endMs !== null) throw new Unknown(`${slot.location} had ended, or was something else`);
  return known;
}

function failureOf(data: Data): Failure {
  return data.error as unknown as Failure;
}

function failed(error: Failure): Partial<Told> {
  return { status: error.kind === "cancelled" ? "cancelled" : "failed", error };
}

function resultOf(data: Data): Partial<Told> {
  return data.error === undefined ? outputOf(data.output) : failed(failureOf(data));
}

function outputOf(output: Json | undefined): Partial<Told> {
  const isShort = output === null || typeof output !== "object" ? typeof output !== "string" || output.length < VALUE_SHOWN_BYTES_MAX / 4 : false;
  if (isShort) return { output };
  const nBytes = new TextEncoder().encode(JSON.stringify(output)).length;
  return nBytes > VALUE_SHOWN_BYTES_MAX ? { output_bytes: nBytes } : { output };
}
