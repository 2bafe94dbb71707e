/** Times as people say them. */

import { useSyncExternalStore } from "react";

import { STILL, tickerOf } from "../api/clock";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export function span(ms: number): string {
  if (!Number.isFinite(ms)) return "–";
  const n = Math.max(0, Math.round(ms));
  if (n < SECOND) return `${n} ms`;
  if (n < 10 * SECOND) return `${(n / SECOND).toFixed(1)} s`;
  // Rounded before it is split, so that no second is left over sixty times.
  const s = Math.round(n / SECOND);
  if (s < 60) return `${s} s`;
  if (s < 3_600) return pair(Math.floor(s / 60), "m", s % 60, "s");
  const m = Math.round(s / 60);
  if (m < 24 * 60) return pair(Math.floor(m / 60), "h", m % 60, "m");
  const h = Math.round(m / 60);
  return pair(Math.floor(h / 24), "d", h % 24, "h");
}

function pair(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit} ${small}${smallUnit}`;
}

export function relative(at: number, now: number): string {
  const ms = now - at;
  if (Math.abs(ms) < 1_500) return "now";
  const text = ms > 0 ? coarse(ms) : coarse(-ms);
  return ms > 0 ? `${text} ago` : `in ${text}`;
}

function coarse(ms: number): string {
  if (ms < MINUTE) return `${Math.round(ms / SECOND)}s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)}m`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)}h`;
  return `${Math.floor(ms / DAY)}d`;
}

/** A wait in words without its date, which is told beside it as a countdown. */
export function withoutDate(text: string): string {
  return text.replace(/,? (until|at) \d{4}-\S+Z$/, "");
}

const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });

export function absolute(at: number): string {
  return FULL.format(at);
}

/** With milliseconds, since that is where runs differ. */
export function clock(at: number): string {
  return `${CLOCK.format(at)}.${String(at % SECOND).padStart(3, "0")}`;
}

/** The server's time, told anew every so often; `null` is for what does not look at the time now. */
export function useNow(everyMs: number | null = 1_000): number {
  const ticker = everyMs === null ? STILL : tickerOf(everyMs);
  return useSyncExternalStore(ticker.subscribe, ticker.read);
}
