import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Ticker, noteServerTime, tickerOf } from "../src/api/clock";

describe("the clock", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_700_000_000_000 });
  });
  afterEach(() => {
    noteServerTime(new Date().toISOString());
    vi.useRealTimers();
  });

  it("tells everybody the same time, and only while somebody listens", () => {
    const ticker = new Ticker(1_000);
    const [one, other] = [vi.fn(), vi.fn()];
    const stop = [ticker.subscribe(one), ticker.subscribe(other)];
    expect(vi.getTimerCount()).toBe(1);
    const before = ticker.read();
    vi.advanceTimersByTime(999);
    expect(ticker.read()).toBe(before);
    vi.advanceTimersByTime(1);
    expect(ticker.read()).toBe(before + 1_000);
    expect([one.mock.calls.length, other.mock.calls.length]).toEqual([1, 1]);
    for (const end of stop) end();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is right for the first who asks after a while", () => {
    const ticker = new Ticker(1_000);
    ticker.read();
    vi.advanceTimersByTime(60_000);
    expect(ticker.read()).toBe(1_700_000_060_000);
  });

  it("is the server's", () => {
    noteServerTime(new Date(Date.now() + 5_000).toISOString());
    expect(new Ticker(1_000).read()).toBe(1_700_000_005_000);
  });

  it("is one for each pace", () => {
    expect(tickerOf(500)).toBe(tickerOf(500));
    expect(tickerOf(500)).not.toBe(tickerOf(501));
  });
});
