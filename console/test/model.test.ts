import { describe, expect, it } from "vitest";

import type { Entry, JournalEvent } from "../src/api/types";
import { BRANCHES_MAX, GROUP, extentOf, rangeOf, readPlan, shapeOf } from "../src/run/graph/shape";
import { BOX, directionFor, fitted, place } from "../src/run/graph/place";
import { wayOf } from "../src/run/graph/ways";
import { attemptsOf, byLocation, find, flatten, makeTree, tally, worst } from "../src/run/model";

let seq = 0;

function entry(location: string, kind: string, more: Partial<Entry> = {}): Entry {
  const at = new Date(1_700_000_000_000 + seq * 1_000).toISOString();
  seq += 1;
  const name = location.split("/").at(-1) ?? location;
  return { location, name, kind, status: "completed", started_at: at, ended_at: at, duration_ms: 0, seq, attempts: 1, ...more };
}

function join(n: number): Entry {
  const branches = Array.from({ length: n }, (_, k) => entry(`all/b${k}`, "branch", { entries: [entry(`all/b${k}/work`, "step")] }));
  return entry("all", "join", { entries: branches });
}

describe("the tree", () => {
  it("leaves notes out and keeps the rest in order", () => {
    const nodes = makeTree([entry("~note0", "note"), entry("a", "step"), entry("b", "step")]);
    expect(nodes.map((node) => node.name)).toEqual(["a", "b"]);
  });

  it("sorts branches as people count", () => {
    const [node] = makeTree([join(12)]);
    expect(node?.children.map((child) => child.name).slice(0, 4)).toEqual(["b0", "b1", "b2", "b3"]);
    expect(node?.children.at(-1)?.name).toBe("b11");
  });

  it("lets a branch last as long as what is in it", () => {
    const inner = entry("all/x/work", "step", { started_at: "2026-01-01T00:00:00Z", ended_at: "2026-01-01T00:00:05Z" });
    const branch = entry("all/x", "branch", { started_at: "2026-01-01T00:00:05Z", ended_at: "2026-01-01T00:00:05Z", entries: [inner] });
    const [node] = makeTree([entry("all", "join", { entries: [branch] })]);
    const child = node?.children[0];
    expect((child?.endMs ?? 0) - (child?.startMs ?? 0)).toBe(5_000);
  });

  it("keeps what takes a step back beside the step", () => {
    const nodes = makeTree([entry("reserve", "step", { entries: [entry("reserve/~undo", "undo")] })]);
    expect(nodes[0]?.undo?.location).toBe("reserve/~undo");
    expect(nodes[0]?.children).toEqual([]);
    expect(find(nodes, "reserve/~undo")?.kind).toBe("undo");
    expect(flatten(nodes).map((node) => node.kind)).toEqual(["step", "undo"]);
  });

  it("finds what is deep down, and nothing where there is nothing", () => {
    const nodes = makeTree([join(3)]);
    expect(find(nodes, "all/b2/work")?.kind).toBe("step");
    expect(find(nodes, "all/b9")).toBeNull();
  });

  it("says of many what matters most", () => {
    const nodes = makeTree([entry("a", "step"), entry("b", "step", { status: "failed" }), entry("c", "step", { status: "running" })]);
    expect(worst(tally(nodes))).toBe("failed");
  });
});

describe("the picture", () => {
  it("draws a chain, fans out and comes together again", () => {
    const shape = shapeOf(makeTree([entry("first", "step"), join(2), entry("last", "step")]), null, new Set());
    expect(shape.boxes.map((box) => box.id)).toEqual(["first", "all", "all/b0/work", "all/b1/work", "last"]);
    expect(shape.arrows.map(({ from, to }) => `${from}>${to}`)).toEqual(["first>all", "all>all/b0/work", "all>all/b1/work", "all/b0/work>last", "all/b1/work>last"]);
    expect(shape.boxes[2]?.branch).toBe("b0");
  });

  it("draws one box for many branches until it is opened", () => {
    const nodes = makeTree([join(BRANCHES_MAX + 1), entry("last", "step")]);
    const closed = shapeOf(nodes, null, new Set());
    expect(closed.boxes.map((box) => box.id)).toEqual(["all", "last"]);
    expect(closed.boxes[0]?.parts?.completed).toBe(BRANCHES_MAX + 1);
    const open = shapeOf(nodes, null, new Set(["all"]));
    expect(open.boxes).toHaveLength(BRANCHES_MAX + 3);
  });

  it("draws very many branches in groups, each of which can be opened", () => {
    const nodes = makeTree([join(GROUP * 2 + 1), entry("last", "step")]);
    const groups = shapeOf(nodes, null, new Set(["all"]));
    expect(groups.boxes.map(({ id, title }) => [id, title])).toEqual([["all", "all"], ["all#0", "b0 … 99"], ["all#1", "b100 … 199"], ["all#2", "b200"], ["last", "last"]]);
    expect(groups.boxes[1]).toMatchObject({ opens: "all#0", status: "completed", parts: { completed: GROUP } });
    expect(groups.arrows.map(({ id }) => id)).toEqual(["all>all#0", "all>all#1", "all>all#2", "all#0>last", "all#1>last", "all#2>last"]);
    const open = shapeOf(nodes, null, new Set(["all", "all#2"]));
    expect(open.boxes.map(({ id }) => id)).toEqual(["all", "all#0", "all#1", "all#2", "all/b200/work", "last"]);
    expect([rangeOf("picture-1", "picture-100"), rangeOf("north", "south"), rangeOf("a", "ab"), rangeOf("x1", "x19")]).toEqual(["picture-1 … 100", "north … south", "a … b", "x1 … 19"]);
    // A group that is open while the join is not shows nothing.
    expect(shapeOf(nodes, null, new Set(["all#2"])).boxes).toHaveLength(2);
  });

  it("is looked at whole, or from its beginning", () => {
    const room = { width: 1_000, height: 500 };
    const row = (n: number) => ({ boxes: Object.fromEntries(Array.from({ length: n }, (_, k) => [`s${k}`, { x: k * 300, y: 0 }])), ways: {} });
    expect(fitted({ boxes: {}, ways: {} }, room, true)).toBeNull();
    const whole = fitted(row(4), room, true);
    expect(whole?.x).toBeCloseTo((1_000 - (whole?.zoom ?? 0) * (900 + BOX.width)) / 2);
    expect(whole?.zoom).toBeGreaterThan(0.4);
    const long = fitted(row(40), room, true);
    expect(long?.zoom).toBe(0.6);
    expect(long?.x).toBeCloseTo(60);
    // What is too broad as well is looked at where it begins, and never beside it.
    const tail = Object.fromEntries(Array.from({ length: 30 }, (_, k) => [`t${k}`, { x: 900, y: k * 100 }]));
    const broad = fitted({ boxes: { ...row(40).boxes, ...tail }, ways: {} }, room, true);
    expect(broad?.y).toBeCloseTo(30);
  });

  it("has arrows from box to box that end in their heads, forwards and back", () => {
    const [left, right] = [{ x: 0, y: 0 }, { x: 400, y: 0 }];
    const on = wayOf(left, right, [], true);
    expect(on.line.startsWith(`M${BOX.width} ${BOX.height / 2}`)).toBe(true);
    expect(on.head.startsWith(`M400,${BOX.height / 2} `)).toBe(true);
    const back = wayOf(right, left, [], true);
    // Below the boxes, and up into the first one.
    expect(back.middle.y).toBeGreaterThan(BOX.height);
    expect(back.head.startsWith(`M${BOX.width / 2},${BOX.height} `)).toBe(true);
    expect(wayOf(left, { x: 0, y: 200 }, [], false).head.startsWith(`M${BOX.width / 2},200 `)).toBe(true);
  });

  it("shows the last iteration of a loop", () => {
    const iterations = [0, 1, 2].map((n) => entry(`poll/~${n}`, "iteration", { name: String(n), entries: [entry(`poll/~${n}/ask`, "step")] }));
    const shape = shapeOf(makeTree([entry("poll", "loop", { entries: iterations, trimmed_before: 7 })]), null, new Set());
    expect(shape.boxes.map((box) => box.id)).toEqual(["poll", "poll/~2/ask"]);
    expect(shape.boxes[0]?.detail).toBe("10 iterations");
    expect(shape.arrows[0]?.label).toBe("iteration 2");
  });

  it("draws a plan as far as the run has come", () => {
    const plan = { nodes: [{ name: "a", kind: "code" }, { name: "b", kind: "tool" }], edges: [{ from: "a", to: "b" }, { from: "a", to: "gone" }] };
    const shape = shapeOf(makeTree([entry("a", "step")]), plan, new Set());
    expect(shape.boxes.map((box) => [box.id, box.status])).toEqual([
      ["a", "completed"],
      ["b", "planned"],
    ]);
    expect(shape.arrows).toHaveLength(1);
    expect(shape.arrows[0]?.isTaken).toBe(false);
  });

  it("knows how long it is, circles and long chains too", () => {
    expect(extentOf(shapeOf(makeTree([entry("first", "step"), join(3), entry("last", "step")]), null, new Set()))).toEqual({ deep: 4, broad: 3 });
    const circle = { nodes: [{ name: "a" }, { name: "b" }], edges: [{ from: "a", to: "b" }, { from: "b", to: "a" }] };
    expect(extentOf(shapeOf([], circle, new Set())).deep).toBeGreaterThan(0);
    const chain = makeTree(Array.from({ length: 20_000 }, (_, n) => entry(`s${n}`, "step")));
    expect(extentOf(shapeOf(chain, null, new Set()))).toEqual({ deep: 20_000, broad: 1 });
  });

  it("is drawn across where there is width, and down where there is not", () => {
    const wide = { width: 1_100, height: 500 };
    expect(directionFor({ deep: 3, broad: 2 }, wide)).toBe("LR");
    expect(directionFor({ deep: 9, broad: 1 }, wide)).toBe("TB");
    expect(directionFor({ deep: 6, broad: 2 }, { width: 390, height: 560 })).toBe("TB");
    expect(directionFor({ deep: 2, broad: 40 }, wide)).toBe("LR");
  });

  it("finds the steps of a plan wherever the run has them", () => {
    const plan = {
      nodes: ["first", "either", "either/yes", "either/no", "again", "again/work", "each", "each/one"].map((name) => ({ name })),
      edges: [
        { from: "first", to: "either", kind: "next" },
        { from: "either", to: "either/yes", kind: "then" },
        { from: "either", to: "either/no", kind: "else" },
      ],
    };
    const iteration = (n: number, status: "completed" | "running") => entry(`again/~${n}`, "iteration", { name: String(n), status, entries: [entry(`again/~${n}/work`, "step", { status })] });
    const item = (n: number) => entry(`each/${n}`, "block", { entries: [entry(`each/${n}/one`, "step", { status: n === 1 ? "failed" : "completed" })] });
    const run = makeTree([
      entry("first", "step"),
      entry("either", "block", { entries: [entry("either/.if", "step"), entry("either/yes", "step"), entry("either/no", "step", { status: "skipped" })] }),
      entry("again", "loop", { status: "running", entries: [iteration(0, "completed"), iteration(1, "running")] }),
      entry("each", "block", { status: "failed", entries: [item(0), item(1)] }),
    ]);
    const shape = shapeOf(run, plan, new Set());
    expect(Object.fromEntries(shape.boxes.map((box) => [box.id, box.status]))).toEqual({
      first: "completed",
      either: "completed",
      "either/yes": "completed",
      "either/no": "skipped",
      again: "running",
      "again/work": "running",
      each: "failed",
      "each/one": "failed",
    });
    expect(shape.boxes.find((box) => box.id === "each/one")?.parts?.completed).toBe(1);
    expect(shape.boxes.find((box) => box.id === "either")?.parts).toBeNull();
    expect(shape.arrows.map(({ label, isTaken }) => [label, isTaken])).toEqual([[null, true], ["then", true], ["else", false]]);
  });

  it("leads arrows around boxes that stand in the way, and back", () => {
    const arrows = [["a", "b"], ["b", "c"], ["a", "c"], ["c", "a"]].map(([from = "", to = ""]) => ({ from, to }));
    for (const direction of ["LR", "TB"] as const) {
      const { boxes, ways } = place({ boxes: ["a", "b", "c"], arrows, direction });
      expect(Object.keys(ways).sort()).toEqual(["a>c", "c>a"]);
      const inside = ways["a>c"]?.some(({ x, y }) => x > (boxes.b?.x ?? 0) && x < (boxes.b?.x ?? 0) + BOX.width && y > (boxes.b?.y ?? 0) && y < (boxes.b?.y ?? 0) + BOX.height);
      expect(inside).toBe(false);
    }
  });

  it("takes only what is a plan for a plan", () => {
    for (const other of [null, 3, "x", {}, { nodes: [] }, { nodes: ["a"], edges: [] }, { nodes: [{}], edges: [] }]) expect(readPlan(other)).toBeNull();
    expect(readPlan({ nodes: [{ name: "a" }], edges: [] })).not.toBeNull();
  });

  it("finds a place for every box, none on another, in the order of the branches", () => {
    const shape = shapeOf(makeTree([entry("first", "step"), join(5)]), null, new Set());
    const places = place({ boxes: shape.boxes.map((box) => box.id), arrows: shape.arrows, direction: "LR" });
    const spots = Object.values(places.boxes).map(({ x, y }) => `${x},${y}`);
    expect(new Set(spots).size).toBe(shape.boxes.length);
    expect(places.boxes["all/b0/work"]?.y).toBeLessThan(places.boxes["all/b4/work"]?.y ?? 0);
  });
});

describe("attempts", () => {
  const event = (n: number, kind: string, data: JournalEvent["data"]): JournalEvent => ({ seq: n, at: new Date(n * 1_000).toISOString(), event: kind, location: "charge", text: "", data });
  const events = [
    event(1, "AttemptStarted", { attempt: 1 }),
    event(2, "AttemptFailed", { attempt: 1, error: { message: "no answer" }, retry_at: "1970-01-01T00:00:03Z" }),
    event(3, "AttemptFailed", { attempt: 2, error: { message: "no answer" }, retry_at: "1970-01-01T00:00:04Z" }),
    event(4, "AttemptStarted", { attempt: 3 }),
    event(5, "StepSucceeded", { attempt: 3, output: 1 }),
  ];

  it("are read from the journal, those without a recorded start too", () => {
    const list = attemptsOf(byLocation(events).get("charge") ?? [], Infinity);
    expect(list.map(({ attempt, how, startMs }) => [attempt, how, startMs])).toEqual([
      [1, "failed", 1_000],
      [2, "failed", null],
      [3, "succeeded", 4_000],
    ]);
    expect(list[0]?.message).toBe("no answer");
  });

  it("are those of the time that is shown", () => {
    expect(attemptsOf(events, 4).map(({ how }) => how)).toEqual(["failed", "failed", "running"]);
    expect(attemptsOf(events, 0)).toEqual([]);
  });
});
