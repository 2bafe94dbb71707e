/**
 * Live updates, for as long as somebody looks.
 *
 * A stream takes itself up again where it was, with patience that grows, whatever happened: a restart of the server, a
 * sleeping laptop, a proxy that hung up. When the server cannot tell what was missed, the reader is told to read anew.
 * A hidden tab gives its connection back after a while, since a browser has only a few of them.
 */

import { createParser } from "eventsource-parser";
import { useSyncExternalStore } from "react";

import { Problem, send, withQuery } from "./client";
import type { Update } from "./types";

const RETRY_MS_MIN = 250;
const RETRY_MS_MAX = 5_000;
/** A stream that says nothing for so long is dead: the server shows every 15 s that it lives. */
const SILENCE_MS_MAX = 45_000;
const HIDDEN_MS_MAX = 30_000;

export interface Reader {
  /** `null` reads all runs. */
  run: string | null;
  /** The last event that is known already, for one run. */
  after?: number;
  onUpdates(updates: Update[]): void;
  /** What was missed cannot be told: read what you show anew. */
  onGap(): void;
  /** The run has ended, and so has the stream. */
  onEnd?(): void;
}

export type Liveness = "connecting" | "live" | "lost";

const open = new Map<symbol, Liveness>();
const watchers = new Set<() => void>();
/** None where nobody reads. */
let overall: Liveness | null = null;

function note(key: symbol, state: Liveness | null) {
  if (state === null) open.delete(key);
  else open.set(key, state);
  const states = [...open.values()];
  overall = (["lost", "connecting", "live"] as const).find((one) => states.includes(one)) ?? null;
  for (const watcher of watchers) watcher();
}

/** Whether the screen hears news as it happens. */
export function useLiveness(): Liveness | null {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => overall,
  );
}

/** Reads until the returned function is called, or the run has ended. */
export function read(reader: Reader): () => void {
  const key = Symbol();
  const stopped = new AbortController();
  note(key, "connecting");
  void follow(reader, stopped.signal, (state) => {
    if (!stopped.signal.aborted) note(key, state);
  }).finally(() => note(key, null));
  return () => {
    stopped.abort();
    note(key, null);
  };
}

async function follow(reader: Reader, stopped: AbortSignal, tell: (state: Liveness) => void): Promise<void> {
  let last = reader.after === undefined ? undefined : String(reader.after);
  let retryMs = RETRY_MS_MIN;
  let wasLost = false;
  while (!stopped.aborted) {
    await shown(stopped);
    try {
      const isOver = await connection(reader, last, stopped, {
        onOpen() {
          tell("live");
          retryMs = RETRY_MS_MIN;
          if (wasLost) reader.onGap();
          wasLost = false;
        },
        onId(id) {
          last = id;
        },
        onGap() {
          last = undefined;
          reader.onGap();
        },
      });
      if (isOver) return;
    } catch (error) {
      if (stopped.aborted) return;
      if (error instanceof Problem && error.status === 410) {
        last = undefined;
        wasLost = true;
        continue;
      }
      if (error instanceof Problem && !error.isPassing) {
        // Nothing that waiting could mend: a revoked token, a run that is gone.
        tell("lost");
        return;
      }
      wasLost = true;
      tell("lost");
    }
    await pause(retryMs, stopped);
    retryMs = Math.min(RETRY_MS_MAX, retryMs * 2);
  }
}

interface Hooks {
  onOpen(): void;
  onId(id: string): void;
  onGap(): void;
}

/** One connection. True if there is nothing more to come. */
async function connection(reader: Reader, after: string | undefined, stopped: AbortSignal, hooks: Hooks): Promise<boolean> {
  const ended = new AbortController();
  const end = () => ended.abort();
  stopped.addEventListener("abort", end);
  let silence = setTimeout(end, SILENCE_MS_MAX);
  let hidden: ReturnType<typeof setTimeout> | undefined;
  const onVisibility = () => {
    clearTimeout(hidden);
    if (document.hidden) hidden = setTimeout(end, HIDDEN_MS_MAX);
  };
  document.addEventListener("visibilitychange", onVisibility);
  onVisibility();
  try {
    const to = withQuery("/api/updates", { run: reader.run, after });
    const response = await send(to, { signal: ended.signal, headers: { accept: "text/event-stream" } });
    hooks.onOpen();
    let isOver = false;
    let batch: Update[] = [];
    const parser = createParser({
      onEvent({ event, id, data }) {
        if (id !== undefined) hooks.onId(id);
        if (event === "update") batch.push(JSON.parse(data) as Update);
        else if (event === "dropped") hooks.onGap();
        else if (event === "end") isOver = true;
      },
    });
    const body = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const part = await body?.read();
      if (part === undefined || part.done) break;
      clearTimeout(silence);
      silence = setTimeout(end, SILENCE_MS_MAX);
      parser.feed(part.value);
      if (batch.length > 0) reader.onUpdates(batch);
      batch = [];
    }
    if (isOver) reader.onEnd?.();
    return isOver;
  } finally {
    clearTimeout(silence);
    clearTimeout(hidden);
    stopped.removeEventListener("abort", end);
    document.removeEventListener("visibilitychange", onVisibility);
    ended.abort();
  }
}

function pause(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      stopped.removeEventListener("abort", done);
      resolve();
    }
    stopped.addEventListener("abort", done);
  });
}

/** Resolves when the tab is looked at. */
function shown(stopped: AbortSignal): Promise<void> {
  if (!document.hidden || stopped.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    function look() {
      if (document.hidden && !stopped.aborted) return;
      document.removeEventListener("visibilitychange", look);
      stopped.removeEventListener("abort", look);
      resolve();
    }
    document.addEventListener("visibilitychange", look);
    stopped.addEventListener("abort", look);
  });
}
