/**
 * All arrows of a picture, in a few elements.
 *
 * React Flow draws each by itself, in a picture of its own. A graph of 500 boxes has a thousand, and most of the time between
 * two frames went into painting them.
 */

import { ViewportPortal } from "@xyflow/react";
import { memo, useMemo } from "react";

import type { Places, Point } from "./place";
import type { Arrow } from "./shape";
import { wayOf, type Way } from "./ways";

/** Arrows that begin in one such square are one element: what is out of sight costs nothing, and the rest is few elements. */
const SQUARE = 1_000;

interface Props {
  arrows: Arrow[];
  places: Places;
  isWide: boolean;
  /** Nothing goes these ways yet, so that none of them is any different. */
  isSketch: boolean;
}

export const Arrows = memo(function Arrows({ arrows, places, isWide, isSketch }: Props) {
  // Where arrows run changes less often than which of them were taken.
  const known = useMemo(() => ({ places, isWide, ways: new Map<string, Way>() }), [places, isWide]);
  const { parts, labels } = useMemo(() => together(arrows, known, isSketch), [arrows, known, isSketch]);
  return (
    <ViewportPortal>
      <svg className="arrows" aria-hidden>
        {parts.map(({ id, isPlanned, line, heads }) => (
          <g key={id}>
            <path d={line} className={isPlanned ? "is-planned" : undefined} />
            <path d={heads} className="is-head" />
          </g>
        ))}
        {labels.map(({ id, text, at }) => (
          <text key={id} x={at.x} y={at.y}>
            {text}
          </text>
        ))}
      </svg>
    </ViewportPortal>
  );
});

interface Known {
  places: Places;
  isWide: boolean;
  ways: Map<string, Way>;
}

function together(arrows: Arrow[], known: Known, isSketch: boolean) {
  const found = new Map<string, { isPlanned: boolean; lines: string[]; heads: Set<string> }>();
  const labels: { id: string; text: string; at: Point }[] = [];
  for (const arrow of arrows) {
    const way = findWay(arrow, known);
    if (way === null) continue;
    const isPlanned = !arrow.isTaken && !isSketch;
    const id = `${isPlanned} ${Math.floor(way.middle.x / SQUARE)} ${Math.floor(way.middle.y / SQUARE)}`;
    // Many arrows lead to one box, and one head is enough.
    const part = found.get(id) ?? { isPlanned, lines: [], heads: new Set() };
    part.lines.push(way.line);
    part.heads.add(way.head);
    found.set(id, part);
    if (arrow.label !== null) labels.push({ id: arrow.id, text: arrow.label, at: way.middle });
  }
  const parts = [...found].map(([id, { isPlanned, lines, heads }]) => ({ id, isPlanned, line: lines.join(" "), heads: [...heads].join(" ") }));
  return { parts, labels };
}

function findWay({ id, from, to }: Arrow, { places, isWide, ways }: Known): Way | null {
  const [source, target] = [places.boxes[from], places.boxes[to]];
  if (source === undefined || target === undefined) return null;
  const way = ways.get(id) ?? wayOf(source, target, places.ways[id] ?? [], isWide);
  ways.set(id, way);
  return way;
}
