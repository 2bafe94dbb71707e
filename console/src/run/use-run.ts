/** One run, now and as of any of its events, kept up to date while it goes on. */

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";

import { call, path } from "../api/client";
import { renewal, runQuery, useJournal } from "../api/queries";
import { read } from "../api/stream";
import type { JournalEvent, LogLine, LogLines, RunDetail } from "../api/types";
import { hasEnded } from "../ui/status";
import { makeTree, type Node } from "./model";
import { nodesAt, runAt } from "./past/picture";
import { retell, type Telling } from "./past/story";

/** News come in bursts; the eye wants no more pictures than this. */
const REDRAW_MS = 200;
const LOG_PAGE = 1_000;
/** How many events a story goes on by at a time, and how many need none of that. */
const TOLD_AT_ONCE = 1_000;

// Safari has no idle time.
const whenIdle: (act: () => void) => number = globalThis.requestIdleCallback ?? ((act) => globalThis.setTimeout(act, 20));
const notWhenIdle: (handle: number) => void = globalThis.cancelIdleCallback ?? globalThis.clearTimeout;

/** How the run stands, with its entries as they are drawn. */
export interface Picture {
  run: RunDetail;
  nodes: Node[];
}

export function useRun(id: string, at: number | null) {
  const now = useQuery(runQuery(id, null));
  const events = useJournal(id, now.data?.last_seq).data ?? EMPTY;
  const told = useTold(events, at, now.data);
  // The journal tells what was, once it is read: until then, and where it cannot, the server does.
  const then = useQuery({ ...runQuery(id, at), enabled: at !== null && told === null, placeholderData: keepPreviousData });
  useLiveRun(id, now.data);
  const asked = at === null ? now.data : (then.data ?? now.data);
  const entries = asked?.entries ?? EMPTY;
  const nodes = useMemo(() => makeTree(entries), [entries]);
  const picture: Picture | null = told ?? (asked === undefined ? null : { run: asked, nodes });
  return { now: now.data, picture, error: now.error ?? (at === null || told !== null ? null : then.error), journal: events };
}

/** The run as of an event, from its journal. Null if that is not known. */
function useTold(events: JournalEvent[], at: number | null, now: RunDetail | undefined): Picture | null {
  const known = useRef<Telling>(null);
  // The story is told while nobody waits for it, so that the first move of the slider need not.
  useEffect(() => {
    if (events.length < TOLD_AT_ONCE) return;
    let handle = whenIdle(go);
    function go() {
      const n = (known.current?.events.length ?? 0) + TOLD_AT_ONCE;
      known.current = retell(known.current, n < events.length ? events.slice(0, n) : events);
      if (n < events.length) handle = whenIdle(go);
    }
    return () => notWhenIdle(handle);
  }, [events]);
  return useMemo(() => {
    if (at === null || now === undefined || (events.at(-1)?.seq ?? -1) < Math.min(at, now.last_seq)) return null;
    known.current = retell(known.current, events);
    const { story } = known.current;
    const run = story === null ? null : runAt(story, at, now);
    return story === null || run === null ? null : { run, nodes: nodesAt(story, at, now.dialect) };
  }, [events, at, now]);
}

const EMPTY: never[] = [];

function useLiveRun(id: string, run: RunDetail | undefined) {
  const client = useQueryClient();
  const isOpen = run !== undefined && !hasEnded(run.status);
  const resumed = run?.n_resumed ?? 0;
  const runId = run?.run_id;
  const lastSeq = run?.last_seq;
  useEffect(() => {
    if (!isOpen || runId === undefined) return;
    const renew = renewal(client, [["run", id, "now"], ["journal", id], ["logs", id]], REDRAW_MS);
    const stop = read({ run: runId, after: lastSeq, onUpdates: renew, onGap: renew, onEnd: renew });
    return () => {
      stop();
      renew.stop();
    };
    // Where the stream begins matters only when it begins.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [client, id, runId, isOpen, resumed]);
}

interface Logged {
  lines: LogLine[];
  tail: string | null;
}

/** What the run logged, all of it; what is known stays, and only what came since is asked for. */
export function useLogs(id: string, filter: { level: string; location: string | null }) {
  const client = useQueryClient();
  const queryKey = useMemo(() => ["logs", id, filter.level, filter.location], [id, filter.level, filter.location]);
  return useQuery({
    queryKey,
    queryFn: async ({ signal }): Promise<Logged> => {
      const known = client.getQueryData<Logged>(queryKey);
      const lines = [...(known?.lines ?? [])];
      let cursor = known?.tail ?? null;
      for (;;) {
        const query = { level: filter.level, location: filter.location, cursor, limit: LOG_PAGE };
        const page = await call<LogLines>(path`/api/runs/${id}/logs`, { signal, query });
        lines.push(...page.lines);
        if (page.next_cursor === null) return { lines, tail: page.tail_cursor };
        cursor = page.next_cursor;
      }
    },
    staleTime: 1_000,
  });
}
