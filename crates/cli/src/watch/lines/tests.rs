use expect_test::expect;
use serde_json::{Value, json};

use super::*;
use crate::sample::{NOW, ahead, entry, failure, run};

fn changes(lines: &mut Lines, entries: Value) -> String {
    lines.changes(&run(json!({ "entries": entries })), NOW)
}

#[test]
fn every_change_is_one_line_and_what_stays_is_none() {
    let running = entry("a", "step", "running", json!({}));
    let retry = json!({ "retry_at": ahead(2_000), "error": failure("no\nanswer") });
    let retry = entry("a", "step", "waiting_retry", retry);
    let again = entry("a", "step", "running", json!({ "attempts": 2 }));
    let done = entry("a", "step", "completed", json!({ "attempts": 2 }));
    let failed =
        entry("fan/x/b", "step", "failed", json!({ "attempts": 3, "error": failure("broken") }));
    let branch = entry("fan/x", "branch", "running", json!({ "entries": [failed] }));
    let fan = |entries: Value| entry("fan", "join", "running", json!({ "entries": entries }));
    let looks = [
        json!([]),
        json!([running]),
        json!([running]),
        json!([retry]),
        json!([again]),
        json!([done, fan(json!([]))]),
        json!([done, fan(json!([branch]))]),
    ];
    let mut lines = Lines::new(true);
    let text: Vec<String> = looks.into_iter().map(|entries| changes(&mut lines, entries)).collect();
    expect![[r#"
        --
        ● a running
        --
        --
        ↻ a waiting retry: attempt 1 failed: no\nanswer, next in 2s
        --
        ● a running: 5s, attempt 2
        --
        ✓ a completed: 152ms, 2 attempts
        ● fan running
        --
        ✗ fan/x/b failed: 152ms, 3 attempts, broken
    "#]]
    .assert_eq(&text.join("--\n"));
}

#[test]
fn what_ended_before_we_came_is_only_counted() {
    let mut lines = Lines::new(false);
    let entries = json!([
        entry("a", "step", "completed", json!({})),
        entry("b", "step", "completed", json!({})),
        entry("c", "step", "running", json!({})),
    ]);
    assert_eq!(changes(&mut lines, entries.clone()), "2 entries ended before\n● c running\n");
    assert_eq!(changes(&mut lines, entries), "");
}

#[test]
fn trouble_is_said_once_and_so_is_its_end() {
    let mut lines = Lines::new(true);
    assert_eq!(lines.trouble("no server answers"), "no server answers\n");
    assert_eq!(lines.trouble("no server answers"), "");
    assert_eq!(changes(&mut lines, json!([])), "the server answers again\n");
    assert_eq!(changes(&mut lines, json!([])), "");
}
