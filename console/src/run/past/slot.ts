/** Where an entry stands in its run's tree, and what it was after each event. */

import { COLLATOR, type Node, type Told } from "../model";
import { Versions } from "./versions";

export class Slot {
  /** Oldest first. */
  readonly children: Slot[] = [];
  /** Null where the entry is gone. What only has entries below it has none: an iteration, or a branch that goes on. */
  readonly versions = new Versions<Told | null>();
  /** The events that changed it, or anything below it. */
  readonly changes: number[] = [];
  /** What was drawn last, after so many of the changes: most of a tree is the same at most events. */
  drawn: { nChanges: number; node: Node | null } | null = null;
  private named: Slot[] | null = null;

  constructor(
    readonly location: string,
    readonly parent: Slot | null,
  ) {}

  /** The last part of the location, as it is written there. */
  get segment(): string {
    return this.location.slice(this.location.lastIndexOf("/") + 1);
  }

  get depth(): number {
    return this.parent === null ? -1 : this.parent.depth + 1;
  }

  add(child: Slot) {
    this.children.push(child);
    this.named = null;
  }

  /** The children as people count. */
  get byName(): Slot[] {
    this.named ??= this.children.map((slot) => [nameOf(slot.segment), slot] as const).sort(([a], [b]) => COLLATOR.compare(a, b)).map(([, slot]) => slot);
    return this.named;
  }

  set(seq: number, told: Told | null) {
    this.versions.set(seq, told);
    this.noteChange(seq);
  }

  private noteChange(seq: number) {
    if (this.changes.at(-1) !== seq) this.changes.push(seq);
    // What was drawn as of the end is no more as of the end.
    else if (this.drawn?.nChanges === this.changes.length) this.drawn = null;
    this.parent?.noteChange(seq);
  }
}

/** The name as its author wrote it; markers, such as `~undo`, as they are. */
export function nameOf(segment: string): string {
  return /^~[^ts]/.test(segment) ? segment : segment.replaceAll("~s", "/").replaceAll("~t", "~");
}

/** The number, if it is an iteration of a loop. */
export function iterationOf(segment: string): number | null {
  return /^~\d+$/.test(segment) ? Number(segment.slice(1)) : null;
}
