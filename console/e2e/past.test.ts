/** What the console tells of a run's past from its journal is what the server tells of it. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { readJournal } from "../src/api/journal";
import type { EventPage, JournalEvent, RunDetail, Wait } from "../src/api/types";
import { makeTree, type Node } from "../src/run/model";
import { nodesAt, runAt } from "../src/run/past/picture";
import { Story } from "../src/run/past/story";
import { Server, seed } from "./kit";

/** Longer journals are looked at here and there. */
const LOOKS_MAX = 60;

let server: Server;
let runs: string[];

beforeAll(async () => {
  server = new Server();
  await server.start();
  const seeded = await seed(server);
  // What still waits has a past, too.
  const { waiting, nested, ...ending } = seeded.runs;
  await Promise.all(Object.values(ending).map((run) => server.ended(run)));
  const cancelled = await server.launch("approval", { euros: 4_000, deadline_secs: 86_000 });
  await server.api(`/api/runs/${cancelled}/cancel`, { reason: "not wanted any more" });
  await server.ended(cancelled);
  const steps = [
    { name: "good", action: { code: "export default () => 1" } },
    { name: "bad", action: { code: "export default () => { throw new Error('no luck') }" }, input: "@good" },
  ];
  await server.api("/api/workflows/unlucky", { id: "unlucky", steps }, "PUT");
  const resumed = await server.launch("unlucky", {});
  expect((await server.ended(resumed)).status).toBe("failed");
  await server.api(`/api/runs/${resumed}/resume`, {});
  await server.ended(resumed);
  const all = await server.api<{ runs: { run_id: string }[] }>("/api/runs?limit=1000");
  runs = all.runs.map((run) => run.run_id);
  expect(runs).toEqual(expect.arrayContaining([waiting, nested, cancelled, resumed, ...Object.values(ending)]));
});
afterAll(async () => {
  await server?.remove();
});

const told = ({ text, wait: { until } }: Wait) => ({ text, until: until ?? null });

/** What of a run is shown, without what the clock decides and what only the server knows. */
function shown(run: RunDetail) {
  const { entries: _, entries_omitted: __, waiting_for, ...rest } = run;
  return { ...rest, waiting_for: waiting_for.map(told) };
}

/** The server says what a step of a sequence describes itself as, which nothing shows. */
function plain(nodes: Node[]): unknown {
  return JSON.parse(JSON.stringify(nodes, (key, value: unknown) => (key === "description" ? undefined : value)));
}

describe("the past that the console tells", () => {
  it("is the server's, of all examples and after each of their events", async () => {
    const kinds = new Set<string>();
    for (const id of runs) {
      const now = await server.api<RunDetail>(`/api/runs/${id}`);
      const read = (from: number) => server.api<EventPage>(`/api/runs/${id}/journal?from=${from}&limit=1000`);
      const events: JournalEvent[] = await readJournal([], now.last_seq, read);
      for (const { event } of events) kinds.add(event);
      const story = new Story();
      story.tell(events);
      const every = Math.max(1, Math.ceil(events.length / LOOKS_MAX));
      // Backwards and forwards: what was drawn last must not shine through.
      const seqs = events.filter((_, n) => n % every === 0).map(({ seq }) => seq);
      for (const seq of [...seqs.toReversed(), ...seqs]) {
        const then = await server.api<RunDetail>(`/api/runs/${id}?at=${seq}`);
        const told = runAt(story, seq, now);
        const about = `${now.workflow} ${id} as of event ${seq}`;
        expect(told === null ? null : shown(told), about).toEqual({ ...shown(then), last_seq: now.last_seq });
        expect(plain(nodesAt(story, seq, now.dialect)), about).toEqual(plain(makeTree(then.entries)));
      }
    }
    // What the examples do not do is in `test/past.test.ts`.
    expect([...kinds].sort()).toEqual(expect.arrayContaining(["AttemptFailed", "BlockEnded", "BranchEnded", "CancelRequested", "ChildEnded", "LoopAdvanced", "MessageTaken", "RunResumed", "StepSkipped", "TimerFired"]));
  });
});
