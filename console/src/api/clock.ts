/**
 * The server's time, told to everybody at once.
 *
 * Hundreds of times stand on a screen, in boxes and rows that come and go: one timer for each pace is enough for all of them.
 */

/** How far the server's clock is ahead of this one. */
let skewMs = 0;

export function noteServerTime(now: string) {
  skewMs = Date.parse(now) - Date.now();
}

/** Tells the time anew every so often, while somebody listens. */
export class Ticker {
  private now = -Infinity;
  private timer: ReturnType<typeof setInterval> | undefined;
  private readonly listeners = new Set<() => void>();

  constructor(private readonly everyMs: number) {}

  readonly subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    this.timer ??= setInterval(this.tick, this.everyMs);
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      clearInterval(this.timer);
      this.timer = undefined;
    };
  };

  /** The same until the next tick. */
  readonly read = () => {
    const now = Date.now() + skewMs;
    // Nobody has listened for a while, or a laptop has slept.
    if (now - this.now > this.everyMs) this.now = now;
    return this.now;
  };

  private readonly tick = () => {
    this.now = Date.now() + skewMs;
    for (const listener of this.listeners) listener();
  };
}

const tickers = new Map<number, Ticker>();

export function tickerOf(everyMs: number): Ticker {
  const ticker = tickers.get(everyMs) ?? new Ticker(everyMs);
  tickers.set(everyMs, ticker);
  return ticker;
}

/** Time that stands still, for what needs none. */
export const STILL = { subscribe: () => () => undefined, read: () => 0 };
