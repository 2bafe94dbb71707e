import { describe, expect, it } from "vitest";

import { path, withQuery } from "../src/api/client";
import type { RunSummary } from "../src/api/types";
import { cli, curl, quoted } from "../src/run/commands";
import { mayMatch, readFilters, writeFilters } from "../src/runs/filters";
import { applied } from "../src/runs/use-runs";
import { relative, span, withoutDate } from "../src/ui/time";
import { keepInput, keptInputs } from "../src/workflows/kept-inputs";
import { readLabels, readOptions, OPTIONS_EMPTY } from "../src/workflows/launch-options";

describe("times", () => {
  it("are as long as people say", () => {
    const said = [0, 999, 1_000, 9_949, 12_300, 59_600, 60_000, 61_000, 3_599_900, 3_600_000, 5_400_000, 86_400_000, 100_000_000];
    expect(said.map(span)).toEqual(["0 ms", "999 ms", "1.0 s", "9.9 s", "12 s", "1m", "1m", "1m 1s", "1h", "1h", "1h 30m", "1d", "1d 4h"]);
  });

  it("lie before or after now", () => {
    expect([-3_600_000, -61_000, -900, 0, 5_000, 7_200_000].map((ms) => relative(ms, 0))).toEqual(["1h ago", "1m ago", "now", "now", "in 5s", "in 2h"]);
  });

  it("are told once where a countdown stands beside them", () => {
    expect(withoutDate("the timer `a/b`, until 2026-11-17T06:45:45.487Z")).toBe("the timer `a/b`");
    expect(withoutDate("a retry of `charge` at 2026-11-16T03:05:17.042Z")).toBe("a retry of `charge`");
    expect(withoutDate("a message decide at `decision`")).toBe("a message decide at `decision`");
  });
});

describe("filters", () => {
  it("are written to the address and read back the same", () => {
    const text = "status=running%2Cfailed&workflow=order&q=tea&label=team%3Dops&label=a%3Db&from=2026-01-01T00%3A00%3A00Z&input.customer.id=42&input.n=1";
    const filters = readFilters(new URLSearchParams(text));
    expect(filters.inputs).toEqual([
      ["customer.id", "42"],
      ["n", "1"],
    ]);
    expect(readFilters(writeFilters(filters))).toEqual(filters);
    expect(writeFilters(readFilters(new URLSearchParams("status=nonsense&other=1"))).toString()).toBe("");
  });

  it("know which news may concern them", () => {
    const filters = readFilters(new URLSearchParams("status=failed&workflow=order"));
    expect(mayMatch(filters, { workflow: "order", status: "failed" })).toBe(true);
    expect(mayMatch(filters, { workflow: "other", status: "failed" })).toBe(false);
    expect(mayMatch(filters, { workflow: "order", status: "running" })).toBe(false);
  });
});

describe("rows", () => {
  const run: RunSummary = { run_id: "r", workflow: "w", version: "1", status: "running", cancelling: true, labels: {}, description: null, error: null, parent: null, created_at: "", updated_at: "", ended_at: null, wake_at: null, n_events: 5 };
  const news = { run_id: "r", workflow: "w", at: "2026-01-01T00:00:00Z", event: "RunCancelled", location: null };

  it("follow the news", () => {
    const after = applied(run, { ...news, seq: 7, status: "cancelled" });
    expect([after.status, after.cancelling, after.ended_at, after.n_events]).toEqual(["cancelled", false, news.at, 8]);
  });

  it("do not go back in time", () => {
    expect(applied(run, { ...news, seq: 2, status: "pending" })).toBe(run);
    expect(applied(run, undefined)).toBe(run);
  });
});

describe("commands", () => {
  it("are safe in a shell", () => {
    expect(quoted("plain-word_1")).toBe("plain-word_1");
    expect(quoted("it's $HOME")).toBe(`'it'\\''s $HOME'`);
    expect(quoted("")).toBe("''");
    expect(cli(["start", "order", "--input", '{"a":1}'])).toBe(`stepwell --server ${window.location.origin} start order --input '{"a":1}'`);
    expect(curl("POST", "/api/x", { a: "b c" })).toContain(`-d '{"a":"b c"}'`);
  });
});

describe("addresses", () => {
  it("hold names whatever is in them", () => {
    expect(path`/api/workflows/${"a/b c"}/runs`).toBe("/api/workflows/a%2Fb%20c/runs");
    expect(withQuery("/x", { a: undefined, b: "", c: ["1", "2"], d: 0 })).toBe("/x?c=1&c=2&d=0");
  });
});

describe("inputs that were used", () => {
  it("are remembered once each, the latest first, and not for ever", () => {
    for (let n = 0; n < 12; n += 1) keepInput("order", { n }, n);
    keepInput("order", { n: 5 }, 99);
    const kept = keptInputs("order");
    expect(kept).toHaveLength(8);
    expect(kept[0]?.input).toEqual({ n: 5 });
    expect(kept.filter(({ input }) => JSON.stringify(input) === '{"n":5}')).toHaveLength(1);
    expect(keptInputs("other")).toEqual([]);
  });

  it("are not kept when they are long", () => {
    keepInput("order", "x".repeat(60_000), 1);
    expect(keptInputs("order")).toEqual([]);
  });
});

describe("options of a start", () => {
  it("are left out unless they are given", () => {
    expect(readOptions(OPTIONS_EMPTY)).toEqual({});
    expect(readOptions({ ...OPTIONS_EMPTY, deadlineSecs: "1.5", labels: "a=b, c = d=e" })).toEqual({ deadline_ms: 1_500, labels: { a: "b", c: "d=e" } });
  });

  it("say what is wrong with them", () => {
    expect(() => readLabels("ops")).toThrow("key=value");
    expect(() => readOptions({ ...OPTIONS_EMPTY, deadlineSecs: "-1" })).toThrow("seconds");
  });
});
