/** An arrow that passes by other boxes, or goes back: it takes the way that was found for it. */

import { BaseEdge, Position, getSmoothStepPath, type Edge, type EdgeProps } from "@xyflow/react";

import { BOX, type Point } from "./place";

export type WayEdge = Edge<{ way: Point[]; isWide: boolean }, "way">;

/** How far from the boxes an arrow goes back. */
const LANE = 16;
const RADIUS = 6;

export function WayView({ sourceX, sourceY, targetX, targetY, data, label, labelStyle, labelBgStyle, markerEnd, style }: EdgeProps<WayEdge>) {
  const way = data?.way ?? [];
  const isWide = data?.isWide ?? false;
  const source = { x: sourceX, y: sourceY };
  const target = { x: targetX, y: targetY };
  const isBack = isWide ? targetX < sourceX : targetY < sourceY;
  const { path, middle } = isBack ? backwards(source, target, way, isWide) : { path: forwards([source, ...way, target], isWide), middle: way[Math.floor((way.length - 1) / 2)] };
  return <BaseEdge path={path} label={label} labelX={middle?.x} labelY={middle?.y} {...{ labelStyle, labelBgStyle, markerEnd, style }} />;
}

function forwards(points: Point[], isWide: boolean): string {
  const [sourcePosition, targetPosition] = isWide ? [Position.Right, Position.Left] : [Position.Bottom, Position.Top];
  const pieces = points.slice(1).map((to, n) => {
    const from = points[n] ?? to;
    return getSmoothStepPath({ sourceX: from.x, sourceY: from.y, sourcePosition, targetX: to.x, targetY: to.y, targetPosition, borderRadius: RADIUS, offset: 12 })[0];
  });
  return pieces.join(" ");
}

/** Leaves the box at its side, goes back along a lane beside all of them, and comes in from the side. */
function backwards(source: Point, target: Point, way: Point[], isWide: boolean): { path: string; middle: Point } {
  // The ends of arrows are in the middle of a side: half a box further is the middle of the next one.
  const half = { x: BOX.width / 2, y: BOX.height / 2 };
  const from = isWide ? { x: source.x - half.x, y: source.y + half.y } : { x: source.x + half.x, y: source.y - half.y };
  const to = { x: target.x + half.x, y: target.y + half.y };
  if (isWide) {
    const lane = Math.max(from.y + LANE, to.y + LANE, ...way.map(({ y }) => y));
    return { path: bent([from, { x: from.x, y: lane }, { x: to.x, y: lane }, to]), middle: { x: (from.x + to.x) / 2, y: lane } };
  }
  const lane = Math.max(from.x + LANE, to.x + LANE, ...way.map(({ x }) => x));
  return { path: bent([from, { x: lane, y: from.y }, { x: lane, y: to.y }, to]), middle: { x: lane, y: (from.y + to.y) / 2 } };
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
