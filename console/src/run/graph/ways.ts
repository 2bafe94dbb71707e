/** How an arrow runs, as an SVG path. */

import { Position, getSmoothStepPath } from "@xyflow/react";

import { BOX, type Point } from "./place";

/** How far from the boxes an arrow goes back. */
const LANE = 16;
const RADIUS = 6;
const HEAD = { long: 7, half: 3.5 };

export interface Way {
  line: string;
  head: string;
  /** Where its label stands. */
  middle: Point;
}

/** From one box to another, given their upper left corners, past what stands between them. */
export function wayOf(from: Point, to: Point, past: Point[], isWide: boolean): Way {
  const source = isWide ? { x: from.x + BOX.width, y: from.y + BOX.height / 2 } : { x: from.x + BOX.width / 2, y: from.y + BOX.height };
  const target = isWide ? { x: to.x, y: to.y + BOX.height / 2 } : { x: to.x + BOX.width / 2, y: to.y };
  const isBack = isWide ? target.x < source.x : target.y < source.y;
  return isBack ? backwards(source, target, past, isWide) : forwards(source, target, past, isWide);
}

function forwards(source: Point, target: Point, past: Point[], isWide: boolean): Way {
  const [sourcePosition, targetPosition] = isWide ? [Position.Right, Position.Left] : [Position.Bottom, Position.Top];
  // The line ends inside its head, or it would stick out at the tip.
  const end = isWide ? { x: target.x - HEAD.long / 2, y: target.y } : { x: target.x, y: target.y - HEAD.long / 2 };
  const points = [source, ...past, end];
  let middle = past[Math.floor((past.length - 1) / 2)];
  const pieces = points.slice(1).map((to, n) => {
    const from = points[n] ?? to;
    const [piece, x, y] = getSmoothStepPath({ sourceX: from.x, sourceY: from.y, sourcePosition, targetX: to.x, targetY: to.y, targetPosition, borderRadius: RADIUS, offset: 12 });
    middle ??= { x, y };
    return piece;
  });
  return { line: pieces.join(" "), head: headAt(target, isWide ? { x: 1, y: 0 } : { x: 0, y: 1 }), middle: middle ?? target };
}

/** Leaves the box at its side, goes back along a lane beside all of them, and comes in from the side. */
function backwards(source: Point, target: Point, past: Point[], isWide: boolean): Way {
  // The ends of arrows are in the middle of a side: half a box further is the middle of the next one.
  const half = { x: BOX.width / 2, y: BOX.height / 2 };
  const from = isWide ? { x: source.x - half.x, y: source.y + half.y } : { x: source.x + half.x, y: source.y - half.y };
  const to = { x: target.x + half.x, y: target.y + half.y };
  if (isWide) {
    const lane = past.reduce((most, { y }) => Math.max(most, y), Math.max(from.y, to.y) + LANE);
    const line = bent([from, { x: from.x, y: lane }, { x: to.x, y: lane }, { x: to.x, y: to.y + HEAD.long / 2 }]);
    return { line, head: headAt(to, { x: 0, y: -1 }), middle: { x: (from.x + to.x) / 2, y: lane } };
  }
  const lane = past.reduce((most, { x }) => Math.max(most, x), Math.max(from.x, to.x) + LANE);
  const line = bent([from, { x: lane, y: from.y }, { x: lane, y: to.y }, { x: to.x + HEAD.long / 2, y: to.y }]);
  return { line, head: headAt(to, { x: -1, y: 0 }), middle: { x: lane, y: (from.y + to.y) / 2 } };
}

/** A triangle with its tip at `tip`, that points along `way`. */
function headAt(tip: Point, way: Point): string {
  const corner = (side: number) => `${tip.x - way.x * HEAD.long - way.y * HEAD.half * side},${tip.y - way.y * HEAD.long + way.x * HEAD.half * side}`;
  return `M${tip.x},${tip.y} L${corner(1)} L${corner(-1)} Z`;
}

/** Straight lines with round corners. */
function bent(points: Point[]): string {
  const corner = (n: number) => {
    const at = points[n] ?? { x: 0, y: 0 };
    const near = (other: Point | undefined) => {
      if (other === undefined) return at;
      const length = Math.hypot(other.x - at.x, other.y - at.y) || 1;
      const share = Math.min(RADIUS, length / 2) / length;
      return { x: at.x + (other.x - at.x) * share, y: at.y + (other.y - at.y) * share };
    };
    const [before, after] = [near(points[n - 1]), near(points[n + 1])];
    return `L${before.x},${before.y} Q${at.x},${at.y} ${after.x},${after.y}`;
  };
  const [first, last] = [points[0], points.at(-1)];
  return `M${first?.x},${first?.y} ${points.slice(1, -1).map((_, n) => corner(n + 1)).join(" ")} L${last?.x},${last?.y}`;
}
