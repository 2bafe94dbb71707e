/**
 * The list of runs, live and without end.
 *
 * Pages hang together by cursors, so what is loaded never moves. News change rows in place. New runs appear on top while
 * one looks at the top; otherwise they wait until they are asked for.
 */

import { keepPreviousData, useInfiniteQuery, useQueryClient, type InfiniteData } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import { call } from "../api/client";
import { throttled, useAllUpdates } from "../api/queries";
import type { RunList, RunSummary, Update } from "../api/types";
import { hasEnded } from "../ui/status";
import { mayMatch, queryOf, type Filters } from "./filters";

const PAGE = 100;
/** How often the top of the list is read anew while much happens. */
const HEAD_MS = 1_000;

type Pages = InfiniteData<RunList, string | null>;

export function useRuns(filters: Filters, isHeld: boolean) {
  const client = useQueryClient();
  const query = useMemo(() => queryOf(filters), [filters]);
  const queryKey = useMemo(() => ["run-list", query], [query]);
  const [head, setHead] = useState<RunList | null>(null);
  const [nNew, setNew] = useState(0);

  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => call<RunList>("/api/runs", { signal, query: { ...query, limit: PAGE, cursor: pageParam } }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: Infinity,
    gcTime: 60_000,
    refetchOnWindowFocus: false,
    // The rows stay until others are there: a filter that is being typed makes no flicker.
    placeholderData: keepPreviousData,
  });

  const change = useCallback(
    (how: (run: RunSummary) => RunSummary) =>
      client.setQueryData<Pages>(queryKey, (old) => old && { ...old, pages: old.pages.map((page) => ({ ...page, runs: page.runs.map(how) })) }),
    [client, queryKey],
  );

  /** Puts the newest page on top of what is loaded; rows that are known are renewed where they stand. */
  const merge = useCallback(
    (fresh: RunList) =>
      client.setQueryData<Pages>(queryKey, (old) => {
        const first = old?.pages[0];
        if (old === undefined || first === undefined) return old;
        const known = new Set(old.pages.flatMap((page) => page.runs.map((run) => run.run_id)));
        const added = fresh.runs.filter((run) => !known.has(run.run_id));
        // Whatever lies between would be missing: begin anew rather than leave a hole.
        if (added.length === fresh.runs.length && fresh.next_cursor !== null) return { pages: [fresh], pageParams: [null] };
        return { ...old, pages: [{ ...first, counts: fresh.counts, runs: [...added, ...first.runs] }, ...old.pages.slice(1)] };
      }),
    [client, queryKey],
  );

  const held = useRef(isHeld);
  const readHead = useCallback(async () => {
    const fresh = await call<RunList>("/api/runs", { query: { ...query, limit: PAGE } }).catch(() => null);
    if (fresh === null) return;
    const byId = new Map(fresh.runs.map((run) => [run.run_id, run]));
    const known = client.getQueryData<Pages>(queryKey)?.pages.flatMap((page) => page.runs) ?? [];
    const knownIds = new Set(known.map((run) => run.run_id));
    setHead(fresh);
    change((run) => byId.get(run.run_id) ?? run);
    if (held.current) setNew(fresh.runs.filter((run) => !knownIds.has(run.run_id)).length);
    else {
      merge(fresh);
      setNew(0);
    }
  }, [client, queryKey, query, change, merge]);

  const soon = useMemo(() => throttled(() => void readHead(), HEAD_MS), [readHead]);
  useEffect(() => soon.stop, [soon]);
  useEffect(() => {
    held.current = isHeld;
    if (!isHeld) soon();
  }, [isHeld, soon]);

  useAllUpdates(
    (updates) => {
      const latest = new Map(updates.map((update) => [update.run_id, update]));
      change((run) => applied(run, latest.get(run.run_id)));
      if (updates.some((update) => mayMatch(filters, update) || filters.status.length > 0)) soon();
    },
    () => void client.invalidateQueries({ queryKey: ["run-list"] }),
  );

  const runs = useMemo(() => list.data?.pages.flatMap((page) => page.runs) ?? [], [list.data]);
  const counts = head?.counts ?? list.data?.pages[0]?.counts;
  const showNew = useCallback(() => {
    if (head !== null) merge(head);
    setNew(0);
  }, [head, merge]);
  return { list, runs, counts, nNew, showNew };
}

/** A row after a piece of news. The rest of it follows with the next page that is read. */
export function applied(run: RunSummary, update: Update | undefined): RunSummary {
  if (update === undefined || update.seq + 1 < run.n_events) return run;
  const status = update.status ?? run.status;
  return {
    ...run,
    status,
    cancelling: run.cancelling && !hasEnded(status),
    updated_at: update.at,
    ended_at: hasEnded(status) ? update.at : null,
    n_events: Math.max(run.n_events, update.seq + 1),
  };
}
