/** What screens read, and how long it is believed. */

import { QueryClient, queryOptions, useQuery, useQueryClient, type QueryKey } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { Problem, call, path, type Query } from "./client";
import { noteServerTime } from "./clock";
import { JOURNAL_PAGE, readJournal } from "./journal";
import { read } from "./stream";
import type {
  CountsOverTime,
  EventPage,
  Json,
  JournalEvent,
  NamespaceView,
  RunDetail,
  RunList,
  ScheduleView,
  ServerInfo,
  TokenView,
  Update,
  WorkflowView,
} from "./types";

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // A server that restarts is back in a moment; what it says is believed at once.
        retry: (n, error) => error instanceof Problem && error.isPassing && n < 30,
        retryDelay: (n) => Math.min(2_000, 200 * 2 ** n),
        refetchOnWindowFocus: true,
        networkMode: "always",
      },
      mutations: { networkMode: "always" },
    },
  });
}

export const infoQuery = queryOptions({
  queryKey: ["info"],
  queryFn: async ({ signal }) => {
    const info = await call<ServerInfo>("/api/info", { signal });
    noteServerTime(info.now);
    return info;
  },
  staleTime: 60_000,
});

export const workflowsQuery = queryOptions({
  queryKey: ["workflows"],
  queryFn: async ({ signal }) => (await call<{ workflows: WorkflowView[] }>("/api/workflows", { signal })).workflows,
  staleTime: 15_000,
});

export const workflowQuery = (name: string) =>
  queryOptions({
    queryKey: ["workflow", name],
    queryFn: ({ signal }) => call<WorkflowView>(path`/api/workflows/${name}`, { signal }),
    staleTime: 15_000,
  });

export const runQuery = (id: string, at: number | null) =>
  queryOptions({
    queryKey: at === null ? ["run", id, "now"] : ["run", id, "at", at],
    queryFn: ({ signal }) => call<RunDetail>(path`/api/runs/${id}`, { signal, query: { at } }),
    // What was is not going to change; it only takes room.
    staleTime: at === null ? 1_000 : Infinity,
    gcTime: at === null ? 300_000 : 30_000,
    structuralSharing: at === null && ((old, fresh) => sameEntries(old as RunDetail | undefined, fresh as RunDetail)),
  });

/** The same events make the same entries: so the old ones stay, and what is drawn of them. */
function sameEntries(old: RunDetail | undefined, fresh: RunDetail): RunDetail {
  return old !== undefined && old !== fresh && old.seq === fresh.seq && old.dialect === fresh.dialect ? { ...fresh, entries: old.entries } : fresh;
}

export const runsQuery = (query: Query) =>
  queryOptions({
    queryKey: ["runs", query],
    queryFn: ({ signal }) => call<RunList>("/api/runs", { signal, query }),
  });

export const countsQuery = (query: Query) =>
  queryOptions({
    queryKey: ["run-counts", query],
    queryFn: ({ signal }) => call<CountsOverTime>("/api/run-counts", { signal, query }),
  });

export const schedulesQuery = queryOptions({
  queryKey: ["schedules"],
  queryFn: async ({ signal }) => (await call<{ schedules: ScheduleView[] }>("/api/schedules", { signal })).schedules,
});

export const tokensQuery = queryOptions({
  queryKey: ["tokens"],
  queryFn: async ({ signal }) => (await call<{ tokens: TokenView[] }>("/api/tokens", { signal })).tokens,
});

export const namespacesQuery = queryOptions({
  queryKey: ["namespaces"],
  queryFn: async ({ signal }) => (await call<{ namespaces: NamespaceView[] }>("/api/namespaces", { signal })).namespaces,
  staleTime: 30_000,
});

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: ({ signal }) => call<{ [key: string]: Json }>("/api/settings", { signal }),
});

/**
 * The whole journal of a run up to `lastSeq` at least. What is known stays; only what came since is asked for, a few pages
 * at a time.
 */
export function useJournal(id: string, lastSeq: number | undefined) {
  const client = useQueryClient();
  return useQuery({
    queryKey: ["journal", id],
    queryFn: async ({ signal, queryKey }) => {
      const known = client.getQueryData<JournalEvent[]>(queryKey) ?? [];
      const read = (from: number) => call<EventPage>(path`/api/runs/${id}/journal`, { signal, query: { from, limit: JOURNAL_PAGE } });
      return readJournal(known, lastSeq ?? 0, read);
    },
    enabled: lastSeq !== undefined,
    staleTime: 1_000,
    // Events never change, and to compare ten thousand of them takes longer than to draw them.
    structuralSharing: false,
  });
}

/** Calls `act` soon after each call, but not more often than every `everyMs`. The last call always counts. */
export function throttled(act: () => void, everyMs: number): { (): void; stop(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = -Infinity;
  const run = () => {
    timer = undefined;
    lastAt = performance.now();
    act();
  };
  const soon = () => {
    timer ??= setTimeout(run, Math.max(0, lastAt + everyMs - performance.now()));
  };
  soon.stop = () => clearTimeout(timer);
  return soon;
}

/**
 * Reads what is known under these keys anew, soon and not too often.
 *
 * A request under way is let finish, or a busy run would never be drawn; but what it brings may be older than the news, so
 * it is followed by another.
 */
export function renewal(client: QueryClient, keys: QueryKey[], everyMs: number) {
  const renew = throttled(() => {
    let isLate = false;
    for (const queryKey of keys) {
      if (client.isFetching({ queryKey }) > 0) isLate = true;
      else void client.invalidateQueries({ queryKey });
    }
    if (isLate) renew();
  }, everyMs);
  return renew;
}

/** Hears of all runs while the component is there. */
export function useAllUpdates(onUpdates: (updates: Update[]) => void, onGap: () => void) {
  const latest = useRef({ onUpdates, onGap });
  useEffect(() => {
    latest.current = { onUpdates, onGap };
  });
  useEffect(
    () =>
      read({
        run: null,
        onUpdates: (updates) => latest.current.onUpdates(updates),
        onGap: () => latest.current.onGap(),
      }),
    [],
  );
}
