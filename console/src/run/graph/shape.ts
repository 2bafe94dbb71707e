/**
 * A run as boxes and arrows.
 *
 * A workflow with a plan is drawn as its plan, each box as far as the run has come. Code has no plan: its picture is what
 * it did so far. Entries that follow one another are a chain; a join or a race fans out into its branches; a loop shows its
 * last iteration; where there are too many branches to look at, one box stands for all of them until it is opened.
 */

import type { Plan, PlanNode } from "../../api/types";
import type { AnyStatus } from "../../ui/status";
import { tally, title, worst, type Node, type Tally } from "../model";

/** More branches than this are one box. */
export const BRANCHES_MAX = 12;
/** Of more branches than this, when all are shown, each box stands for so many until it is opened in turn. */
export const GROUP = 100;

export interface Box {
  id: string;
  title: string;
  /** The branch that it begins. */
  branch: string | null;
  kind: string;
  detail: string | null;
  status: AnyStatus;
  /** The entry behind it; none for what has not been reached. */
  node: Node | null;
  /** How many of its parts are in which status. */
  parts: Tally | null;
  /** The location whose branches can be shown or hidden here. */
  opens: string | null;
}

export interface Arrow {
  id: string;
  from: string;
  to: string;
  label: string | null;
  /** Whether the run has come this way. */
  isTaken: boolean;
}

export interface Shape {
  boxes: Box[];
  arrows: Arrow[];
}

export function shapeOf(nodes: Node[], plan: Plan | null, open: ReadonlySet<string>): Shape {
  return plan === null ? new Drawing(open).whole(nodes) : planned(nodes, plan);
}

/** What is said at the beginning of a chain: in its first box, or on the arrow to it. */
interface About {
  branch: string | null;
  label: string | null;
}

const NOTHING: About = { branch: null, label: null };

class Drawing {
  readonly boxes: Box[] = [];
  readonly arrows: Arrow[] = [];

  constructor(readonly open: ReadonlySet<string>) {}

  whole(nodes: Node[]): Shape {
    this.chain(nodes, [], NOTHING);
    return { boxes: this.boxes, arrows: this.arrows };
  }

  /** Draws entries one after the other; says where the chain ends. */
  private chain(nodes: Node[], from: string[], about: About): string[] {
    let ends = from;
    let said = about;
    for (const node of nodes) {
      ends = this.entry(node, ends, said);
      said = NOTHING;
    }
    return ends;
  }

  private entry(node: Node, from: string[], about: About): string[] {
    if (node.kind === "iteration") return this.chain(node.children, from, { branch: null, label: `iteration ${node.name}` });
    if (node.kind === "branch" && node.children.length > 0) return this.chain(node.children, from, { branch: node.name, label: null });
    this.box(node, from, about);
    const at = [node.location];
    switch (node.kind) {
      case "join":
      case "race":
        return this.branches(node);
      case "loop": {
        const last = node.children.at(-1);
        return last === undefined ? at : this.chain(last.children, at, { branch: null, label: `iteration ${last.name}` });
      }
      default:
        return this.chain(node.children, at, NOTHING);
    }
  }

  private branches(node: Node): string[] {
    const { location, children } = node;
    if (children.length === 0) return [location];
    if (children.length > BRANCHES_MAX && !this.open.has(location)) {
      return [location];
    }
    if (children.length <= GROUP) return children.flatMap((child) => this.entry(child, [location], NOTHING));
    const groups = Array.from({ length: Math.ceil(children.length / GROUP) }, (_, n) => children.slice(n * GROUP, (n + 1) * GROUP));
    return groups.flatMap((group, n) => this.group(location, group, n));
  }

  /** Some of very many branches. */
  private group(from: string, nodes: Node[], n: number): string[] {
    const id = `${from}#${n}`;
    const parts = tally(nodes);
    this.boxes.push({ id, title: rangeOf(nodes[0]?.name ?? "", nodes.at(-1)?.name ?? ""), branch: null, kind: "branches", detail: null, status: worst(parts), node: null, parts, opens: id });
    this.arrows.push({ id: `${from}>${id}`, from, to: id, label: null, isTaken: true });
    return this.open.has(id) ? nodes.flatMap((node) => this.entry(node, [id], NOTHING)) : [id];
  }

  private box(node: Node, from: string[], { branch, label }: About) {
    const isWide = node.children.length > BRANCHES_MAX && (node.kind === "join" || node.kind === "race");
    this.boxes.push({
      id: node.location,
      title: title(node),
      branch,
      kind: node.kind,
      detail: detailOf(node),
      status: node.status,
      node,
      parts: node.kind === "join" || node.kind === "race" ? tally(node.children) : null,
      opens: isWide ? node.location : null,
    });
    for (const one of from) this.arrows.push({ id: `${one}>${node.location}`, from: one, to: node.location, label, isTaken: true });
  }
}

/** `picture-1 … 100`: what both begin with is said once, but no number is cut in two. */
export function rangeOf(first: string, last: string): string {
  if (first === last) return first;
  let n = 0;
  while (n < last.length && first[n] === last[n]) n += 1;
  while (n > 0 && /\d/.test(last[n - 1] ?? "")) n -= 1;
  return `${first} … ${last.slice(n)}`;
}

function detailOf(node: Node): string | null {
  if (node.child !== undefined) return node.child.workflow;
  if (node.kind === "listen") return node.names?.join(", ") ?? null;
  if (node.kind === "loop") {
    const n = (node.trimmed_before ?? 0) + node.children.length;
    return n === 1 ? "1 iteration" : `${n} iterations`;
  }
  return null;
}

function planned(nodes: Node[], plan: Plan): Shape {
  const reached = reachedOf(nodes, new Set(plan.nodes.map((step) => step.name)));
  const boxes = plan.nodes.map((step) => boxOf(step, reached.get(step.name) ?? []));
  const known = new Map(boxes.map((box) => [box.id, box]));
  const pairs = new Map<string, Arrow>();
  for (const { from, to, kind } of plan.edges) {
    const target = known.get(to);
    if (target === undefined || !known.has(from)) continue;
    const id = `${from}>${to}`;
    const isTaken = target.status !== "planned" && target.status !== "skipped";
    pairs.set(id, { id, from, to, label: kind !== undefined && SAID.has(kind) ? kind : (pairs.get(id)?.label ?? null), isTaken });
  }
  return { boxes, arrows: [...pairs.values()] };
}

/** The kinds of edges that say something. */
const SAID = new Set(["when", "then", "else", "again"]);

/** Iterations of a loop and items of a list stand between a step and its place in the plan. */
const isItem = (node: Node) => node.kind === "iteration" || /^\d+$/.test(node.name);

/** The entries of each step of the plan, which may lie in others and may have come about many times. */
function reachedOf(nodes: Node[], names: ReadonlySet<string>): Map<string, Node[]> {
  const found = new Map<string, Node[]>();
  const walk = (list: Node[], above: string) => {
    for (const node of list) {
      if (isItem(node)) {
        walk(node.children, above);
        continue;
      }
      const name = `${above}${node.name}`;
      if (names.has(name)) found.set(name, [...(found.get(name) ?? []), node]);
      walk(node.children, `${name}/`);
    }
  };
  walk(nodes, "");
  return found;
}

function boxOf(step: PlanNode, entries: Node[]): Box {
  const node = entries.at(-1) ?? null;
  const items = entries.length > 1 ? entries : (node?.children.filter(isItem) ?? []);
  const parts = items.length > 1 ? tally(items) : null;
  // What goes on in it says more than that it runs; what it ended as says most.
  const isOne = entries.length === 1 && node?.status !== "running";
  const status = node === null ? "planned" : parts === null || isOne ? node.status : worst(parts);
  return { id: step.name, title: step.title ?? step.name, branch: null, kind: step.kind ?? "step", detail: step.detail ?? null, status, node, parts, opens: null };
}

/** A plan, if it is one that can be drawn: other dialects may say more. */
export function readPlan(plan: unknown): Plan | null {
  if (plan === null || typeof plan !== "object") return null;
  const { nodes, edges } = plan as Record<string, unknown>;
  if (!Array.isArray(nodes) || !Array.isArray(edges) || nodes.length === 0) return null;
  const isNamed = nodes.every((node) => typeof (node as { name?: unknown } | null)?.name === "string");
  return isNamed ? (plan as Plan) : null;
}

/** How many boxes the longest way through it has, and how many stand side by side at most. */
export function extentOf({ boxes, arrows }: Shape): { deep: number; broad: number } {
  const into = new Map<string, string[]>();
  for (const { from, to } of arrows) {
    const known = into.get(to);
    if (known === undefined) into.set(to, [from]);
    else known.push(from);
  }
  const known = new Map<string, number>();
  const depth = (id: string): number => {
    const found = known.get(id);
    if (found !== undefined) return found;
    // A circle, which a loop makes, counts once.
    known.set(id, 1);
    const deep = 1 + Math.max(0, ...(into.get(id) ?? []).map(depth));
    known.set(id, deep);
    return deep;
  };
  const layers = new Map<number, number>();
  // In the order of their making, so that no call goes deeper than a few boxes.
  for (const box of boxes) {
    const at = depth(box.id);
    layers.set(at, (layers.get(at) ?? 0) + 1);
  }
  return { deep: Math.max(0, ...layers.keys()), broad: Math.max(0, ...layers.values()) };
}
