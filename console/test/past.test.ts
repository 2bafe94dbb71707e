import { describe, expect, it } from "vitest";

import { readJournal } from "../src/api/journal";
import type { EventPage, JournalEvent, RunDetail } from "../src/api/types";
import { attemptsOf, eventAt, flatten, type Node } from "../src/run/model";
import { nodesAt, runAt } from "../src/run/past/picture";
import { Story, retell } from "../src/run/past/story";
import { Versions, countUpTo } from "../src/run/past/versions";

type Data = JournalEvent["data"];
const at = (seq: number) => new Date(1_700_000_000_000 + seq * 1_000).toISOString();
const NOW = { created_at: at(0), workflow: "w", dialect: "code", last_seq: 99 } as RunDetail;
const failure = (message: string, more: Data = {}): Data => ({ kind: "error", message, attempts: 1, ...more });

/** A journal from kinds, locations and data, numbered from 0. */
function journal(...lines: [event: string, location?: string | null, data?: Data][]): JournalEvent[] {
  const start: (typeof lines)[number] = ["RunStarted", null, { labels: { shop: "north" }, deadline_at: null }];
  return [start, ...lines].map(([event, location = null, data = {}], seq) => ({ seq, at: at(seq), event, location, text: `#${seq} ${event}`, data }));
}

function told(events: JournalEvent[]): Story {
  const story = new Story();
  story.tell(events);
  return story;
}

const stand = (nodes: Node[]) => Object.fromEntries(flatten(nodes).map((node) => [node.location, node.status]));
const standAt = (story: Story, seq: number) => stand(nodesAt(story, seq, "code"));

describe("values as of an event", () => {
  it("are those that were set last", () => {
    const versions = new Versions<string>();
    for (const [seq, value] of [[2, "a"], [5, "b"], [5, "c"], [9, "d"]] as const) versions.set(seq, value);
    expect([0, 1, 2, 4, 5, 8, 9, 50].map((seq) => versions.at(seq))).toEqual([undefined, undefined, "a", "a", "c", "c", "d", "d"]);
    expect(versions.latest).toBe("d");
    expect(countUpTo([], 3)).toBe(0);
  });

  it("are found where events are missing", () => {
    const events = journal(["Noted", "~note0"], ["Noted", "~note1"], ["Noted", "~note2"]).filter(({ seq }) => seq !== 2);
    expect([0, 1, 2, 3, 4].map((seq) => eventAt(events, seq)?.seq)).toEqual([0, 1, undefined, 3, undefined]);
    expect(eventAt([], 0)).toBeUndefined();
  });
});

describe("a story", () => {
  it("knows a step while it runs, is tried again, and ends", () => {
    const story = told(
      journal(
        ["AttemptStarted", "charge", { attempt: 1 }],
        ["AttemptFailed", "charge", { attempt: 1, error: failure("no answer"), retry_at: at(9) }],
        ["AttemptStarted", "charge", { attempt: 2 }],
        ["StepSucceeded", "charge", { attempt: 2, output: { id: 7 } }],
        ["RunCompleted", null, { output: "done" }],
      ),
    );
    expect([1, 2, 3, 4].map((seq) => standAt(story, seq).charge)).toEqual(["running", "waiting_retry", "running", "completed"]);
    expect([0, 1, 2, 3, 4, 5].map((seq) => runAt(story, seq, NOW)?.status)).toEqual(["running", "running", "waiting", "running", "running", "completed"]);
    expect(runAt(story, 2, NOW)?.waiting_for[0]?.text).toBe(`attempt 2 of \`charge\`, at ${at(9)}, after: no answer`);
    const [node] = nodesAt(story, 4, "code");
    expect(node).toMatchObject({ attempts: 2, output: { id: 7 }, error: { message: "no answer" }, seq: 1 });
    expect(node?.retry_at).toBeUndefined();
    expect(runAt(story, 5, NOW)).toMatchObject({ output: "done", duration_ms: 5_000, ended_at: at(5) });
  });

  it("draws branches before they have an event of their own, in the order of their names", () => {
    const story = told(journal(["BlockStarted", "all", { kind: "join" }], ["AttemptStarted", "all/b10/work", { attempt: 1 }], ["AttemptStarted", "all/b9/work", { attempt: 1 }], ["StepSucceeded", "all/b10/work", { attempt: 1, output: 1 }], ["BranchEnded", "all/b10", { error: null }]));
    expect(standAt(story, 2)).toEqual({ all: "running", "all/b10": "running", "all/b10/work": "running" });
    expect(nodesAt(story, 5, "code")[0]?.children.map(({ name, kind, status }) => [name, kind, status])).toEqual([["b9", "branch", "running"], ["b10", "branch", "completed"]]);
  });

  it("ends with a race what has lost it, and with the run what was open", () => {
    const story = told(journal(["BlockStarted", "first", { kind: "race" }], ["TimerSet", "first/slow/nap", { fire_at: at(50) }], ["StepSucceeded", "first/fast/go", { attempt: 1, output: 1 }], ["BlockEnded", "first", { error: null, winner: "fast" }], ["ListenStarted", "ask", { names: ["yes"], deadline_at: null }], ["RunCancelled", null, { reason: "enough" }]));
    expect(standAt(story, 4)).toMatchObject({ first: "completed", "first/slow/nap": "cancelled", "first/fast/go": "completed" });
    expect(runAt(story, 5, NOW)?.waiting_for.map(({ text }) => text)).toEqual(["a message yes at `ask`"]);
    expect(standAt(story, 6).ask).toBe("cancelled");
    expect(runAt(story, 6, NOW)).toMatchObject({ status: "cancelled", cancel_reason: "enough", waiting_for: [] });
  });

  it("forgets iterations that are not kept, and knows them before that", () => {
    const turn = (n: number): [string, string, Data] => ["StepSucceeded", `poll/~${n}/ask`, { attempt: 1, output: n }];
    const next = (n: number): [string, string, Data] => ["LoopAdvanced", "poll", { iteration: n, state: null, trimmed_before: Math.max(0, n - 1) }];
    const story = told(journal(["BlockStarted", "poll", { kind: "loop" }], turn(0), next(1), turn(1), next(2), turn(2)));
    expect(Object.keys(standAt(story, 4))).toEqual(["poll", "poll/~0", "poll/~0/ask", "poll/~1", "poll/~1/ask"]);
    expect(Object.keys(standAt(story, 6))).toEqual(["poll", "poll/~1", "poll/~1/ask", "poll/~2", "poll/~2/ask"]);
    expect(nodesAt(story, 6, "code")[0]).toMatchObject({ trimmed_before: 1, children: [{ kind: "iteration", name: "1" }, { name: "2" }] });
  });

  it("keeps up with a loop that turns very often, and with one whose first turns were compacted away", () => {
    const turns = Array.from({ length: 5_000 }, (_, n): [string, string, Data][] => [
      ["StepSucceeded", `poll/~${n}/ask`, { attempt: 1, output: n }],
      ["LoopAdvanced", "poll", { iteration: n + 1, state: null, trimmed_before: Math.max(0, n - 1) }],
    ]).flat();
    const often = told(journal(["BlockStarted", "poll", { kind: "loop" }], ...turns));
    expect(Object.keys(standAt(often, 10_001))).toEqual(["poll", "poll/~4998", "poll/~4998/ask", "poll/~4999", "poll/~4999/ask"]);
    expect(Object.keys(standAt(often, 5_001))).toEqual(["poll", "poll/~2498", "poll/~2498/ask", "poll/~2499", "poll/~2499/ask"]);
    const late = told(journal(["BlockStarted", "poll", { kind: "loop" }], ["StepSucceeded", "poll/~900000/ask", { attempt: 1, output: 1 }], ["LoopAdvanced", "poll", { iteration: 900_001, state: null, trimmed_before: 900_001 }]));
    expect([2, 3].map((seq) => Object.keys(standAt(late, seq)))).toEqual([["poll", "poll/~900000", "poll/~900000/ask"], ["poll"]]);
  });

  it("takes back what a resumption made void, from there on only", () => {
    const story = told(
      journal(
        ["StepSucceeded", "a", { attempt: 1, output: 1 }],
        ["StepFailed", "b", { error: failure("broken") }],
        ["RunFailed", null, { error: failure("broken") }],
        ["RunResumed", null, { voids: [[2, 3]], reason: null, deadline_at: null }],
        ["StepSucceeded", "c", { attempt: 1, output: 3 }],
        ["StepSucceeded", "b", { attempt: 1, output: 2 }],
      ),
    );
    expect(standAt(story, 3)).toEqual({ a: "completed", b: "failed" });
    expect(runAt(story, 3, NOW)?.status).toBe("failed");
    expect(standAt(story, 4)).toEqual({ a: "completed" });
    expect(runAt(story, 4, NOW)).toMatchObject({ status: "running", error: null, ended_at: null, n_resumed: 1 });
    expect(Object.keys(standAt(story, 6))).toEqual(["a", "c", "b"]);
    expect(Object.keys(standAt(story, 2))).toEqual(["a", "b"]);
  });

  it("has messages in the mailbox until they are taken, and labels and descriptions from when they were set", () => {
    const message = (id: string): Data => ({ message_id: id, name: "go", body: { id }, key: null });
    const story = told(
      journal(["MessageReceived", null, message("m1")], ["MessageReceived", null, message("m2")], ["ListenStarted", "go", { names: ["go"], deadline_at: null }], ["MessageTaken", "go", { message_ids: ["m1"] }], ["Noted", "~note0", { description: "two chairs" }], ["Noted", "~note1", { label: "shop", value: "south" }]),
    );
    expect([1, 2, 4].map((seq) => runAt(story, seq, NOW)?.mailbox.map(({ message_id }) => message_id))).toEqual([["m1"], ["m1", "m2"], ["m2"]]);
    expect(nodesAt(story, 4, "code")[0]?.output).toEqual([{ id: "m1" }]);
    expect([4, 5, 6].map((seq) => [runAt(story, seq, NOW)?.description, runAt(story, seq, NOW)?.labels.shop])).toEqual([[null, "north"], ["two chairs", "north"], ["two chairs", "south"]]);
  });

  it("waits for the answer to a question, and for a child", () => {
    const story = told(journal(["StepSucceeded", "q/~ask", { attempt: 1, output: null }], ["ChildStarted", "sub", { run_id: "r2", workflow: "other", input: 1 }], ["AnswerReceived", "q", { output: 5 }], ["ChildEnded", "sub", { error: failure("stopped", { kind: "cancelled" }) }]));
    expect(runAt(story, 2, NOW)?.waiting_for.map(({ text }) => text)).toEqual(["the answer to `q`", "the child run r2 of workflow `other` at `sub`"]);
    expect(standAt(story, 4)).toMatchObject({ q: "completed", sub: "cancelled" });
    expect(runAt(story, 4, NOW)?.children).toEqual([{ run_id: "r2", workflow: "other", location: "sub" }]);
  });

  it("leaves long outputs out, as the server does", () => {
    const [node] = nodesAt(told(journal(["StepSucceeded", "a", { attempt: 1, output: "x".repeat(20_000) }])), 1, "code");
    expect(node).toMatchObject({ output_bytes: 20_002 });
    expect(node?.output).toBeUndefined();
  });

  it("shows the result of a sequence's step, and that it was skipped", () => {
    const events = journal(["StepSucceeded", "a", { attempt: 1, output: { result: 4, state: { skipped: true, description: "not on Sundays" } } }]);
    expect(nodesAt(told(events), 1, "sequence")[0]).toMatchObject({ output: 4, status: "skipped", skipped_because: "not on Sundays" });
  });

  it("is told bit by bit as it is told at once, and drawn in any order", () => {
    const kinds = Array.from({ length: 300 }, (_, n): [string, string, Data] => {
      const location = `all/b${n % 60}/step-${Math.floor(n / 120)}`;
      return n % 120 < 60 ? ["AttemptStarted", location, { attempt: 1 }] : ["StepSucceeded", location, { attempt: 1, output: n }];
    });
    const events = journal(["BlockStarted", "all", { kind: "join" }], ...kinds);
    let telling = retell(null, events.slice(0, 10));
    for (let n = 10; n <= events.length; n += 37) {
      telling = retell(telling, events.slice(0, n));
      if (telling.story !== null) nodesAt(telling.story, n - 5, "code");
    }
    telling = retell(telling, events);
    for (const seq of [200, 3, 150, 299, 0, 77, 300, 151, 150]) {
      const direct = nodesAt(told(events.filter((event) => event.seq <= seq)), seq, "code");
      expect(telling.story === null ? null : nodesAt(telling.story, seq, "code"), `as of event ${seq}`).toEqual(direct);
    }
  });

  it("keeps what has not changed, so that it need not be drawn again", () => {
    const story = told(journal(["StepSucceeded", "a", { attempt: 1, output: 1 }], ["AttemptStarted", "b", { attempt: 1 }], ["StepSucceeded", "b", { attempt: 1, output: 1 }]));
    const [before, after] = [nodesAt(story, 2, "code"), nodesAt(story, 3, "code")];
    expect(after[0]).toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });

  it("is none where it makes no sense, or says what is not known here; another journal begins anew", () => {
    expect(retell(null, journal(["SomethingNew", "a"])).story).toBeNull();
    expect(retell(null, journal(["SomethingNew"])).story).toBeNull();
    expect(retell(null, journal(["BlockEnded", "a", { error: null }])).story).toBeNull();
    expect(retell(null, journal(["StepSucceeded", "a", { attempt: 1 }], ["StepSucceeded", "a", { attempt: 1 }])).story).toBeNull();
    const first = retell(null, journal(["StepSucceeded", "a", { attempt: 1 }]));
    const other = retell(first, journal(["StepSucceeded", "b", { attempt: 1 }]));
    expect(other.story === null ? null : Object.keys(standAt(other.story, 1))).toEqual(["b"]);
  });
});

describe("a journal", () => {
  const PAGE = 1_000;
  const pages = (events: JournalEvent[], asked: number[]) => async (from: number): Promise<EventPage> => {
    asked.push(from);
    const rest = events.filter(({ seq }) => seq >= from);
    const last = rest[PAGE];
    return { events: rest.slice(0, PAGE), next_cursor: last === undefined ? null : String(last.seq) };
  };

  it("is read whole, several pages at a time, with gaps and with what came meanwhile", async () => {
    const all = Array.from({ length: 7_400 }, (_, seq) => ({ ...journal()[0], seq }) as JournalEvent);
    const thin = all.filter(({ seq }) => seq < 10 || seq > 2_500 || seq % 3 === 0);
    for (const events of [all, thin, all.slice(0, 1), all.slice(0, 1_000), []]) {
      for (const lastSeq of [0, 2_000, 7_399]) {
        const asked: number[] = [];
        expect((await readJournal([], lastSeq, pages(events, asked))).map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq));
      }
    }
    const asked: number[] = [];
    expect(await readJournal(all.slice(0, 7_000), 7_399, pages(all, asked))).toHaveLength(7_400);
    expect(asked).toEqual([7_000]);
  });

  it("has the attempts of one step, up to an event", () => {
    const events = journal(["AttemptStarted", "a", { attempt: 1 }], ["AttemptFailed", "a", { attempt: 1, error: failure("no"), retry_at: at(5) }]);
    expect(attemptsOf(events.slice(1), 1).map(({ how }) => how)).toEqual(["running"]);
    expect(attemptsOf(events.slice(1), 2).map(({ how }) => how)).toEqual(["failed"]);
  });
});
