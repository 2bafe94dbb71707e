/** Finds a place for every box and a way for every arrow. Runs in a worker: hundreds of boxes take a while. */

import { Graph, layout } from "@dagrejs/dagre";

export const BOX = { width: 212, height: 56 };

export interface PlaceWish {
  boxes: string[];
  arrows: { from: string; to: string }[];
  /** Left to right, or top to bottom where there is no width. */
  direction: "LR" | "TB";
}

export interface Point {
  x: number;
  y: number;
}

export interface Places {
  /** The upper left corners. */
  boxes: Record<string, Point>;
  /** Where an arrow passes between other boxes, by the ids of its ends. Those that just go on to the next box have no need of it. */
  ways: Record<string, Point[]>;
}

export const NOWHERE: Places = { boxes: {}, ways: {} };

/** The room between boxes: across the way, and along it. */
const GAPS = { LR: { nodesep: 18, ranksep: 64 }, TB: { nodesep: 28, ranksep: 44 } };

/** The way it is drawn that lets its boxes be larger in the room there is. */
export function directionFor({ deep, broad }: { deep: number; broad: number }, room: { width: number; height: number }): PlaceWish["direction"] {
  const across = Math.min(room.width / (deep * (BOX.width + GAPS.LR.ranksep)), room.height / (broad * (BOX.height + GAPS.LR.nodesep)));
  const down = Math.min(room.width / (broad * (BOX.width + GAPS.TB.nodesep)), room.height / (deep * (BOX.height + GAPS.TB.ranksep)));
  // People read from left to right, where that costs little.
  return Math.min(1, across) >= Math.min(1, down) * 0.85 ? "LR" : "TB";
}

export function place({ boxes, arrows, direction }: PlaceWish): Places {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: direction, ...GAPS[direction] });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of boxes.toReversed()) graph.setNode(id, { ...BOX });
  const back = backOf(boxes, arrows);
  // Dagre puts what comes last on top.
  for (const arrow of arrows.toReversed()) {
    const [from, to] = back.has(idOf(arrow)) ? [arrow.to, arrow.from] : [arrow.from, arrow.to];
    graph.setEdge(from, to, {}, idOf(arrow));
  }
  layout(graph);
  const places: Places = { boxes: {}, ways: {} };
  for (const id of boxes) {
    const { x, y } = graph.node(id) as Point;
    places.boxes[id] = { x: x - BOX.width / 2, y: y - BOX.height / 2 };
  }
  for (const arrow of arrows) {
    const isBack = back.has(idOf(arrow));
    const [from, to] = isBack ? [arrow.to, arrow.from] : [arrow.from, arrow.to];
    const between = ((graph.edge(from, to, idOf(arrow)) as { points?: Point[] }).points ?? []).slice(1, -1);
    // Every other point lies between two ranks of boxes, where there is room anyway. Beside a box the way is straight.
    const beside = between.length > 1 ? between.filter((_, n) => n % 2 === 1) : between;
    const way = beside.flatMap(({ x, y }) => (direction === "LR" ? [{ x: x - BOX.width / 2, y }, { x: x + BOX.width / 2, y }] : [{ x, y: y - BOX.height / 2 }, { x, y: y + BOX.height / 2 }]));
    if (between.length > 1 || isBack) places.ways[idOf(arrow)] = isBack ? way.toReversed() : way;
  }
  return places;
}

const idOf = ({ from, to }: { from: string; to: string }) => `${from}>${to}`;

/** The arrows that close a circle, as seen from the first box: a loop is drawn forwards, and its end leads back. */
function backOf(boxes: string[], arrows: PlaceWish["arrows"]): Set<string> {
  const next = new Map<string, string[]>(boxes.map((id) => [id, []]));
  for (const { from, to } of arrows) next.get(from)?.push(to);
  const back = new Set<string>();
  const done = new Set<string>();
  for (const first of boxes) {
    if (done.has(first)) continue;
    // The way from the first box to where we are, each with what is still to be looked at: no recursion, for chains are long.
    const way: [string, number][] = [[first, 0]];
    const open = new Set([first]);
    for (let here = way.at(-1); here !== undefined; here = way.at(-1)) {
      const [id, n] = here;
      const to = next.get(id)?.[n];
      here[1] += 1;
      if (to === undefined) {
        way.pop();
        open.delete(id);
        done.add(id);
      } else if (open.has(to)) back.add(`${id}>${to}`);
      else if (!done.has(to)) {
        way.push([to, 0]);
        open.add(to);
      }
    }
  }
  return back;
}
