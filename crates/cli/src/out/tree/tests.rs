use expect_test::expect;
use serde_json::json;

use super::*;
use crate::sample::{NOW, ago, ahead, entry, failure, run};

#[test]
fn a_run_under_way_says_what_it_waits_for() {
    let ask = entry("checks/fraud/ask", "step", "completed", json!({}));
    let fraud = entry(
        "checks/fraud",
        "branch",
        "completed",
        json!({ "entries": [ask], "duration_ms": 3_200 }),
    );
    let undo = entry("reserve/~undo", "undo", "completed", json!({}));
    let iteration = entry("polls/~3", "iteration", "running", json!({}));
    let child = json!({
        "run_id": "0192f4c4-0000-7000-8000-000000000002", "workflow": "shipping", "location": "ship",
    });
    let retry = json!({ "attempts": 2, "retry_at": ahead(3_000), "error": failure("timed out") });
    let entries = json!([
        entry("~note0", "note", "completed", json!({})),
        entry("reserve", "step", "completed", json!({ "output_bytes": 20_000, "entries": [undo] })),
        entry("checks", "join", "completed", json!({ "entries": [fraud], "attempts": 0 })),
        entry("charge", "step", "waiting_retry", retry),
        entry("fetch", "step", "running", json!({ "attempts": 3, "error": failure("no answer") })),
        entry(
            "decision",
            "listen",
            "waiting",
            json!({ "names": ["yes", "no"], "until": ahead(60_000) })
        ),
        entry("pause", "sleep", "waiting", json!({ "until": ahead(7_200_000) })),
        entry("gift", "step", "skipped", json!({ "skipped_because": "no gift wanted" })),
        entry("polls", "loop", "running", json!({ "entries": [iteration] })),
        entry("ship", "child", "waiting", json!({ "child": child })),
    ]);
    let message = json!({ "message_id": "m", "name": "note", "body": "hi", "key": null, "received_at": ago(0) });
    let run = run(json!({
        "description": "2 of tea", "input": { "id": "A-1" }, "labels": { "order": "A-1", "to": "Bonn" },
        "created_at": ago(180_000), "entries": entries, "deadline_at": ahead(600_000),
        "waiting_for": [{ "text": "a retry of `charge` at 2026-11-16T03:05:20.000Z", "wait": {} }],
        "mailbox": [message],
    }));
    expect![[r#"
        run        0192f4c4-0000-7000-8000-000000000001
        workflow   checkout (code, version 3f2a9c)
        status     waiting
        about      2 of tea
        labels     order=A-1, to=Bonn
        created    3m ago (2026-11-16T03:02:17.000Z)
        deadline   in 10m (2026-11-16T03:15:17.000Z)
        waits for  a retry of `charge` at 2026-11-16T03:05:20.000Z
        message    note "hi", not taken yet
        input      {"id":"A-1"}

        ✓ reserve   step       152ms, output of 20000 bytes
          ✓ undo    undo       152ms
        ✓ checks    join       152ms
          ✓ fraud   branch
            ✓ ask   step       152ms
        ↻ charge    step       attempt 2 failed: timed out, next in 3s
        ● fetch     step       5s, attempt 3, after: no answer
        ✉ decision  listen     for yes, no, until 2026-11-16T03:06:17.000Z (in 1m00s)
        ◷ pause     sleep      until 2026-11-16T05:05:17.000Z (in 2h00m)
        – gift      step       no gift wanted
        ● polls     loop       5s
          ● #3      iteration  5s
        ◷ ship      child      run 0192f4c4-0000-7000-8000-000000000002 (shipping)
    "#]]
    .assert_eq(&run_text(&run, NOW, Style::PLAIN));
}

#[test]
fn a_run_that_failed_shows_every_branch_that_did() {
    let fraud = json!({
        "kind": "critical", "message": "the card\nis stolen", "source": "checks/fraud/ask", "attempts": 1,
    });
    let rate = json!({ "kind": "exhausted", "message": "no rate", "source": "checks/rate/ask", "attempts": 3 });
    let error = json!({
        "kind": "error", "message": "2 branches failed", "source": "checks", "attempts": 0,
        "branches": [["fraud", fraud], ["rate", rate]],
    });
    let entries = json!([
        entry("checks", "join", "failed", json!({ "error": error, "attempts": 0 })),
        entry("later", "step", "cancelled", json!({})),
    ]);
    let run = run(json!({
        "status": "failed", "error": error, "entries": entries, "entries_omitted": 12,
        "created_at": ago(180_000), "ended_at": ago(60_000), "duration_ms": 120_000, "n_resumed": 2,
        "parent": "p", "replay_of": "r", "last_seq": 9,
    }));
    expect![[r#"
        run        0192f4c4-0000-7000-8000-000000000001
        workflow   checkout (code, version 3f2a9c)
        status     failed
        created    3m ago (2026-11-16T03:02:17.000Z)
        ended      1m ago (2026-11-16T03:04:17.000Z), took 2m00s
        parent     p
        replay of  r
        resumed    2 times
        as of      event #7 of #9
        input      null
        error      `checks` failed: 2 branches failed
        error        in branch fraud: `checks/fraud/ask` failed critically: the card\nis stolen
        error        in branch rate: `checks/rate/ask` failed for good: no rate (after 3 attempts)

        ✗ checks  join  152ms, 2 branches failed
        ⊘ later   step  152ms
        … and 12 more entries
    "#]]
    .assert_eq(&run_text(&run, NOW, Style::PLAIN));
}

#[test]
fn one_entry_shows_its_whole_output() {
    let entry = entry("fetch", "step", "completed", json!({ "output": { "a": [1, 2] } }));
    let entry: EntryView = serde_json::from_value(entry).unwrap();
    expect![[r#"
        ✓ fetch  step  152ms

        {
          "a": [
            1,
            2
          ]
        }
    "#]]
    .assert_eq(&entry_text(&entry, NOW, Style::PLAIN));
}

#[test]
fn colours_say_how_things_stand() {
    let run =
        run(json!({ "status": "running", "entries": [entry("a", "step", "failed", json!({}))] }));
    let text = run_text(&run, NOW, Style::new(true));
    assert!(text.contains("\u{1b}[36mrunning\u{1b}[0m"), "{text}");
    assert!(text.contains("\u{1b}[31m✗\u{1b}[0m"), "{text}");
}
