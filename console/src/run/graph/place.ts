/** Finds a place for every box. Runs in a worker: hundreds of boxes take a while. */

import { Graph, layout } from "@dagrejs/dagre";

export const BOX = { width: 212, height: 56 };

export interface PlaceWish {
  boxes: string[];
  arrows: { from: string; to: string }[];
  /** Left to right, or top to bottom where there is no width. */
  direction: "LR" | "TB";
}

export type Places = Record<string, { x: number; y: number }>;

export function place({ boxes, arrows, direction }: PlaceWish): Places {
  const graph = new Graph();
  graph.setGraph({ rankdir: direction, nodesep: direction === "LR" ? 18 : 28, ranksep: direction === "LR" ? 64 : 44 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of boxes.toReversed()) graph.setNode(id, { ...BOX });
  // Dagre puts what comes last on top.
  for (const { from, to } of arrows.toReversed()) graph.setEdge(from, to);
  layout(graph);
  const places: Places = {};
  for (const id of boxes) {
    const { x, y } = graph.node(id) as { x: number; y: number };
    places[id] = { x: x - BOX.width / 2, y: y - BOX.height / 2 };
  }
  return places;
}
