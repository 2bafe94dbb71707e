import { afterEach, describe, expect, it, vi } from "vitest";

import { read } from "../src/api/stream";
import type { Update } from "../src/api/types";

/** A server that answers each connection with the next of these. */
function serving(...answers: (() => Response | Promise<Response>)[]) {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (to: string, init: RequestInit) => {
    asked.push(to);
    const answer = answers.shift();
    if (answer !== undefined) return answer();
    return new Promise<Response>((_, reject) => init.signal?.addEventListener("abort", () => reject(new DOMException("", "AbortError"))));
  });
  return asked;
}

function stream(...parts: string[]): Response {
  return new Response(parts.join(""), { headers: { "content-type": "text/event-stream" } });
}

function update(id: string, seq: number): string {
  return `event: update\nid: ${id}\ndata: ${JSON.stringify({ run_id: "r", seq })}\n\n`;
}

function gone(): Response {
  return new Response(JSON.stringify({ code: "updates_gone", title: "Gone", detail: "" }), { status: 410 });
}

function reading(run: string | null) {
  const seen: number[] = [];
  const heard = { seen, nGaps: 0, isOver: false };
  const stop = read({
    run,
    onUpdates: (updates: Update[]) => seen.push(...updates.map((one) => one.seq)),
    onGap: () => {
      heard.nGaps += 1;
    },
    onEnd: () => {
      heard.isOver = true;
    },
  });
  return { heard, stop };
}

afterEach(() => vi.unstubAllGlobals());

describe("live updates", () => {
  it("are taken up where they were cut off", async () => {
    const asked = serving(
      () => stream(update("4.1", 1), update("4.2", 2)),
      () => stream(update("4.3", 3)),
    );
    const { heard, stop } = reading(null);
    await vi.waitFor(() => expect(heard.seen).toEqual([1, 2, 3]), { timeout: 10_000 });
    expect(asked.slice(0, 2)).toEqual(["/api/updates", "/api/updates?after=4.2"]);
    stop();
  });

  it("survive a server that is away, and then read anew", async () => {
    const away = () => Promise.reject(new TypeError("refused"));
    const asked = serving(() => stream(update("4.1", 1)), away, gone, () => stream(update("5.1", 9)));
    const { heard, stop } = reading(null);
    await vi.waitFor(() => expect(heard.seen).toEqual([1, 9]), { timeout: 10_000 });
    expect(heard.nGaps).toBe(1);
    expect(asked[3]).toBe("/api/updates");
    stop();
  });

  it("say so when some were dropped", async () => {
    serving(() => stream(update("4.1", 1), "event: dropped\ndata: {}\n\n"), () => stream(update("4.9", 9)));
    const { heard, stop } = reading(null);
    await vi.waitFor(() => expect(heard.seen).toEqual([1, 9]), { timeout: 10_000 });
    expect(heard.nGaps).toBe(1);
    stop();
  });

  it("of a run end with the run", async () => {
    const asked = serving(() => stream(update("1", 1), "event: end\ndata: {}\n\n"));
    const { heard } = reading("r");
    await vi.waitFor(() => expect(heard.isOver).toBe(true), { timeout: 10_000 });
    expect(asked).toEqual(["/api/updates?run=r"]);
  });

  it("stop when nobody reads", async () => {
    const asked = serving(() => stream(update("4.1", 1)));
    const { heard, stop } = reading(null);
    await vi.waitFor(() => expect(heard.seen).toEqual([1]), { timeout: 10_000 });
    stop();
    const n = asked.length;
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(asked.length).toBeLessThanOrEqual(n + 1);
  });
});
