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

/**
 * Up to so many boxes the shortest arrows are looked for (network simplex). With more that takes most of the time, 1.6 of
 * 2.1 s for 500 boxes in fifty layers, and is hardly seen: those take the same room without it, 500 at random become 8% broader.
 */
const CAREFUL_MAX = 120;

export interface Room {
  width: number;
  height: number;
}

/** The way it is drawn that lets its boxes be larger in the room there is. */
export function directionFor({ deep, broad }: { deep: number; broad: number }, room: Room): PlaceWish["direction"] {
  const across = Math.min(room.width / (deep * (BOX.width + GAPS.LR.ranksep)), room.height / (broad * (BOX.height + GAPS.LR.nodesep)));
  const down = Math.min(room.width / (broad * (BOX.width + GAPS.TB.nodesep)), room.height / (deep * (BOX.height + GAPS.TB.ranksep)));
  // People read from left to right, where that costs little.
  return Math.min(1, across) >= Math.min(1, down) * 0.85 ? "LR" : "TB";
}

/**
 * Smaller than `min` nobody can read a box. What does not fit then is reached by moving, and may as well be read with ease.
 * Larger than `max` looks crude.
 */
const ZOOM = { min: 0.4, easy: 0.6, max: 1.05 };
/** The share of the room that stays free around a picture, on each side. */
const MARGIN = 0.06;

/** How to look at it so that all of it is seen; or at its beginning, if there is too much. */
export function fitted({ boxes }: Places, room: Room, isWide: boolean): { x: number; y: number; zoom: number } | null {
  const [low, high] = [{ x: Infinity, y: Infinity }, { x: -Infinity, y: -Infinity }];
  for (const { x, y } of Object.values(boxes)) {
    [low.x, low.y] = [Math.min(low.x, x), Math.min(low.y, y)];
    [high.x, high.y] = [Math.max(high.x, x + BOX.width), Math.max(high.y, y + BOX.height)];
  }
  if (low.x === Infinity || room.width === 0 || room.height === 0) return null;
  const margin = { x: room.width * MARGIN, y: room.height * MARGIN };
  const fits = Math.min((room.width - 2 * margin.x) / (high.x - low.x), (room.height - 2 * margin.y) / (high.y - low.y));
  const zoom = fits < ZOOM.min ? ZOOM.easy : Math.min(ZOOM.max, fits);
  const seen = { x: room.width / zoom, y: room.height / zoom };
  // Along its way it begins at the edge if there is more than can be seen; across, where its first boxes stand.
  const corner = (axis: "x" | "y", isAlong: boolean) => {
    const [least, most] = [low[axis] - margin[axis] / zoom, high[axis] + margin[axis] / zoom - seen[axis]];
    if (most <= least) return (least + most) / 2;
    const half = BOX[axis === "x" ? "width" : "height"] / 2;
    return isAlong ? least : Math.max(least, Math.min(most, beginning(Object.values(boxes), isWide)[axis] + half - seen[axis] / 2));
  };
  return { x: -zoom * corner("x", isWide), y: -zoom * corner("y", !isWide), zoom };
}

/** The middle one of the first boxes, along the way. */
function beginning(boxes: Point[], isWide: boolean): Point {
  const [along, across] = isWide ? (["x", "y"] as const) : (["y", "x"] as const);
  const first = boxes.reduce((least, box) => Math.min(least, box[along]), Infinity);
  const rank = boxes.filter((box) => box[along] - first < BOX[isWide ? "width" : "height"]).sort((a, b) => a[across] - b[across]);
  return rank[rank.length >> 1] ?? { x: 0, y: 0 };
}

export function place({ boxes, arrows, direction }: PlaceWish): Places {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: direction, ...GAPS[direction], ranker: boxes.length > CAREFUL_MAX ? "tight-tree" : "network-simplex" });
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
