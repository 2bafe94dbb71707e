/** One run, now and as of any of its events, kept up to date while it goes on. */

import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";

import { call, path } from "../api/client";
import { renewal, runQuery, useJournal } from "../api/queries";
import { read } from "../api/stream";
import type { LogLine, LogLines, RunDetail } from "../api/types";
import { hasEnded } from "../ui/status";

/** News come in bursts; the eye wants no more pictures than this. */
const REDRAW_MS = 200;
const LOG_PAGE = 1_000;

export function useRun(id: string, at: number | null) {
  const now = useQuery(runQuery(id, null));
  const then = useQuery({ ...runQuery(id, at), enabled: at !== null, placeholderData: keepPreviousData });
  const journal = useJournal(id);
  useLiveRun(id, now.data);
  const shown: RunDetail | undefined = at === null ? now.data : (then.data ?? now.data);
  return { now: now.data, shown, error: now.error ?? (at === null ? null : then.error), journal: journal.data ?? EMPTY };
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
