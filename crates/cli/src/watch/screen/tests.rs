use expect_test::expect;
use indicatif::InMemoryTerm;
use serde_json::{Value, json};

use super::*;
use crate::sample::{NOW, ahead, entry, failure, run};

const N_ROWS: u16 = 12;
const N_COLUMNS: u16 = 60;

fn standing(status: &str, entries: Value) -> RunDetail {
    let waits = json!([{ "text": "a slot in memory", "wait": {} }]);
    run(json!({ "run_id": "r-1", "status": status, "entries": entries, "waiting_for": waits }))
}

fn screen() -> (InMemoryTerm, Screen) {
    let term = InMemoryTerm::new(N_ROWS, N_COLUMNS);
    let target = ProgressDrawTarget::term_like(Box::new(term.clone()));
    let size = Size { rows: usize::from(N_ROWS), columns: usize::from(N_COLUMNS) };
    let screen = Screen::new(target, size, Style::PLAIN).unwrap();
    (term, screen)
}

#[test]
fn lines_change_in_place_and_count_down() {
    let (term, mut screen) = screen();
    let mut shown = Vec::new();
    screen.show(&standing("pending", json!([])), NOW);
    shown.push(term.contents());
    let running = entry("reserve", "step", "running", json!({}));
    screen.show(&standing("running", json!([running])), NOW.plus_ms(400));
    shown.push(term.contents());
    let reserve = entry("reserve", "step", "completed", json!({}));
    let retry = json!({ "retry_at": ahead(3_000), "error": failure("busy") });
    let retry = entry("charge", "step", "waiting_retry", retry);
    screen.show(&standing("waiting", json!([reserve, retry])), NOW.plus_ms(500));
    shown.push(term.contents());
    screen.trouble("no server answers; trying again");
    screen.tick(NOW.plus_ms(2_200));
    shown.push(term.contents());
    let charge = entry("charge", "step", "completed", json!({ "attempts": 2 }));
    let mut ended = standing("completed", json!([reserve, charge]));
    ended.waiting_for.clear();
    screen.show(&ended, NOW.plus_ms(3_000));
    screen.finish();
    drop(screen);
    shown.push(term.contents());
    expect![[r#"
        checkout r-1 pending 0ms
          waits for a slot in memory
        --
        checkout r-1 running 400ms
          ⠹ reserve  5.4s
        --
        checkout r-1 waiting 500ms
          ✓ reserve  152ms
          ↻ charge   attempt 1 failed: busy, next in 3s
        --
        checkout r-1 waiting 2.2s
          ✓ reserve  152ms
          ↻ charge   attempt 1 failed: busy, next in 1s
        no server answers; trying again
        --
        checkout r-1 completed 3s
          ✓ reserve  152ms
          ✓ charge   152ms, 2 attempts"#]]
    .assert_eq(&shown.join("\n--\n"));
}

#[test]
fn what_still_runs_when_nobody_watches_any_more_stays_as_it_was() {
    let (term, mut screen) = screen();
    screen.show(&standing("running", json!([entry("reserve", "step", "running", json!({}))])), NOW);
    drop(screen);
    assert_eq!(term.contents(), "checkout r-1 running 0ms\n  ⠙ reserve  5s");
}

#[test]
fn a_line_that_is_too_long_is_cut() {
    let (term, mut screen) = screen();
    let error = json!({ "retry_at": ahead(3_000), "error": failure(&"very long ".repeat(20)) });
    let retry = entry("charge", "step", "waiting_retry", error);
    screen.show(&standing("waiting", json!([retry])), NOW);
    let contents = term.contents();
    assert_eq!(contents.lines().count(), 2, "{contents}");
    assert!(contents.ends_with("very long…"), "{contents}");
}

#[test]
fn what_does_not_fit_is_what_ended_long_ago() {
    let status = |n| match n {
        2 => "failed",
        4 => "running",
        _ => "completed",
    };
    let entries: Vec<Value> =
        (0..30).map(|n| entry(&format!("s{n}"), "step", status(n), json!({}))).collect();
    let (term, mut screen) = screen();
    screen.show(&standing("running", json!(entries)), NOW);
    let contents = term.contents();
    let shown: Vec<&str> = contents
        .lines()
        .filter_map(|line| line.split_whitespace().find(|word| word.starts_with('s')))
        .collect();
    assert_eq!(shown, ["s2", "s4", "s24", "s25", "s26", "s27", "s28", "s29"]);
    assert!(contents.ends_with("… and 22 more"), "{contents}");
    assert!(contents.lines().count() < usize::from(N_ROWS));
}
