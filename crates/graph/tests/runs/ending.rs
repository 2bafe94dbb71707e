//! How runs end: return, failures, cancels, deadlines.

use serde_json::{Value, json};
use stepwell_graph::{StepStatus, step_views};
use stepwell_journal::{Attempt, EntryStatus, Event, EventKind, FailureKind, Location};

use crate::kit::{Played, Reply, Scene, TestHost, after, scene, steps};

fn host() -> TestHost {
    TestHost::default()
        .tool("T", |input, _| {
            let ms = input["ms"].as_u64().unwrap_or(0);
            after(ms, Reply::Gives(input.clone()))
        })
        .tool("BAD", |input, _| after(input["ms"].as_u64().unwrap_or(0), Reply::Fails("no")))
}

fn tool(name: &str, input: Value) -> Value {
    json!({ "name": name, "action": { "toolName": "T" }, "input": input })
}

fn status(played: &Played, location: &str) -> Option<EntryStatus> {
    played.state.entry(&Location::from_text(location)).map(|entry| entry.status)
}

#[test]
fn a_return_ends_the_run_well_and_cancels_what_is_in_flight() {
    let definition = steps(json!([
        tool("check", json!({ "ms": 10, "ok": false })),
        tool("slow", json!({ "ms": 60_000 })),
        tool("after_slow", json!("@slow")),
        { "name": "nap", "action": { "sleep": 3_600_000 } },
        { "name": "message", "action": { "listen": "never" } },
        { "name": "child", "action": { "workflow": "w" } },
        { "name": "many", "forEach": { "ref": "@input.list", "concurrency": 2 }, "action": { "toolName": "T" },
          "input": { "ms": 60_000 } },
        { "name": "stop", "when": { "ref": "@check.ok", "eq": false }, "action": { "return": true },
          "input": { "reason": "too new", "check": "@check" } },
    ]));
    let scene = scene(definition, host).input(json!({ "list": [1, 2, 3] })).child(
        "w",
        100_000,
        Ok(json!(1)),
    );
    let played = scene.play_with_every_cut();
    let expected = json!({ "reason": "too new", "check": { "ms": 10, "ok": false } });
    assert_eq!(played.output(), expected);
    assert_eq!(played.ended_at_ms, 10);
    assert_eq!(played.n_cancelled_children, 1);
    for open in ["slow", "nap", "message", "child", "many", "many/0", "many/1"] {
        assert_eq!(status(&played, open), Some(EntryStatus::Cancelled), "{open}");
    }
    assert_eq!(status(&played, "after_slow"), None);
    let views = step_views(&scene.graph, &played.state);
    let stop = views.iter().find(|view| view.name == "stop").unwrap();
    assert_eq!((stop.status, stop.output.as_ref()), (StepStatus::Completed, Some(&expected)));
}

#[test]
fn a_return_that_a_crash_cut_off_is_no_attempt_too_many() {
    let scene = scene(
        steps(json!([
            tool("check", json!({ "ok": true })),
            { "name": "end", "action": { "return": true }, "input": "@check" },
        ])),
        host,
    );
    let whole = scene.play();
    let end = Location::from_text("end");
    let is_end = |kind: &EventKind| matches!(kind, EventKind::StepSucceeded { location, .. } if *location == end);
    let n = whole.journal.iter().position(|event| is_end(&event.kind)).unwrap();
    let mut cut = whole.journal[..n].to_vec();
    let Event { seq, at, .. } = whole.journal[n];
    let kind = EventKind::AttemptStarted { location: end, attempt: Attempt(1) };
    cut.push(Event { seq, at, kind });
    let again = scene.play_from(cut, at.0);
    assert_eq!(again.output(), whole.output(), "{}", again.text());
}

#[test]
fn the_seeds_example_of_an_early_exit() {
    let definition = steps(json!([
        { "name": "validate", "action": { "code": "validate" }, "input": { "email": "@input.email?" } },
        { "name": "exit_if_invalid", "when": { "ref": "@validate.notOk", "eq": true }, "action": { "return": true },
          "input": { "error": "@validate.error" } },
        { "name": "create_user", "when": { "ref": "@validate.ok", "eq": true }, "action": { "toolName": "CREATE_USER" },
          "input": { "email": "@input.email" } },
    ]));
    let host = || {
        TestHost::default()
            .code("validate", |input, _| {
                let ok = !input["email"].is_null();
                let error = if ok { Value::Null } else { json!("Email required") };
                Reply::Gives(json!({ "ok": ok, "notOk": !ok, "error": error }))
            })
            .tool("CREATE_USER", |input, _| Reply::Gives(json!({ "created": input["email"] })))
    };
    let output =
        |input: Value| scene(definition.clone(), host).input(input).play_with_every_cut().output();
    assert_eq!(output(json!({})), json!({ "error": "Email required" }));
    assert_eq!(output(json!({ "email": "a@b.c" })), json!({ "created": "a@b.c" }));
}

#[test]
fn a_return_whose_input_cannot_be_resolved_or_does_not_fit_fails() {
    let returning = |input: Value| {
        let step = json!({
            "name": "stop", "action": { "return": true }, "input": input, "outputSchema": { "type": "string" },
        });
        scene(steps(json!([step])), host).play_with_every_cut().outcome()
    };
    assert_eq!(returning(json!("fine")), "completed \"fine\"");
    assert!(returning(json!("@input.x")).starts_with("failed at `stop`: failed critically: ref: "));
    assert!(
        returning(json!(1)).starts_with("failed at `stop`: failed critically: output_schema: ")
    );
}

#[test]
fn a_failed_step_fails_the_run_at_once() {
    let definition = steps(json!([
        { "name": "bad", "action": { "toolName": "BAD" }, "input": { "ms": 10 } },
        tool("slow", json!({ "ms": 60_000 })),
        tool("after_bad", json!("@bad?")),
    ]));
    let scene = scene(definition, host);
    let played = scene.play_with_every_cut();
    assert_eq!(played.outcome(), "failed at `bad`: failed for good: tool_failed: no");
    assert_eq!(played.ended_at_ms, 10);
    assert_eq!(played.callers(), ["bad", "slow"]);
    let views = step_views(&scene.graph, &played.state);
    let statuses: Vec<StepStatus> = views.iter().map(|view| view.status).collect();
    assert_eq!(statuses, [StepStatus::Failed, StepStatus::Cancelled, StepStatus::Pending]);
    assert_eq!(views[0].failure.as_ref().unwrap().message, "tool_failed: no");
}

#[test]
fn a_step_that_may_fail_is_null_and_the_run_goes_on() {
    let definition = steps(json!([
        { "name": "bad", "action": { "toolName": "BAD" }, "config": { "onError": "continue" } },
        { "name": "lost", "action": { "toolName": "T" }, "input": "@input.nobody", "config": { "onError": "continue" } },
        tool("after", json!({ "bad": "@bad.x.y", "lost": "@lost", "text": "<@bad>" })),
    ]));
    let scene = scene(definition, host);
    let played = scene.play_with_every_cut();
    assert_eq!(played.output(), json!({ "bad": null, "lost": null, "text": "<>" }));
    assert_eq!(
        played.logs[1],
        "step `lost` failed, and the run goes on without it: `lost` failed critically: ref: `@input.nobody`: `@input` has \
         no key `nobody`; it is an object without keys"
    );
    assert_eq!(step_views(&scene.graph, &played.state)[0].status, StepStatus::Failed);
}

#[test]
fn of_two_ends_at_the_same_time_the_first_in_the_journal_stands() {
    let returns =
        |name: &str| json!({ "name": name, "action": { "return": true }, "input": [name, "@a"] });
    let definition = steps(json!([tool("a", json!({ "ms": 10 })), returns("one"), returns("two")]));
    assert_eq!(
        scene(definition, host).play_with_every_cut().output(),
        json!(["one", { "ms": 10 }])
    );
    let definition = steps(json!([
        tool("a", json!({ "ms": 10 })),
        { "name": "bad", "action": { "toolName": "BAD" }, "input": { "ms": 10 } },
        returns("one"),
    ]));
    let played = scene(definition, host).crash_matters().play_with_every_cut();
    assert_eq!(played.outcome(), "failed at `bad`: failed for good: tool_failed: no");
}

fn everything() -> Scene {
    let definition = steps(json!([
        tool("slow", json!({ "ms": 60_000 })),
        { "name": "nap", "action": { "sleep": 3_600_000 } },
        { "name": "child", "action": { "workflow": "w" } },
        { "name": "many", "forEach": { "ref": "@input.list" }, "action": { "toolName": "T" }, "input": { "ms": 60_000 } },
    ]));
    scene(definition, host).input(json!({ "list": [1, 2, 3] })).child("w", 100_000, Ok(json!(1)))
}

#[test]
fn a_cancel_wins_whatever_is_under_way() {
    let played = everything().cancel(61_000).play_with_every_cut();
    assert_eq!(played.outcome(), "cancelled enough");
    assert_eq!(played.ended_at_ms, 61_000);
    assert_eq!(played.n_cancelled_children, 1);
    assert_eq!(played.callers(), ["slow", "many/0", "many/1"]);
}

#[test]
fn a_deadline_interrupts_what_is_running() {
    let played = everything().deadline(61_000).play_with_every_cut();
    assert_eq!(played.failure().kind, FailureKind::DeadlinePassed);
    assert_eq!(played.ended_at_ms, 61_000);
    assert_eq!(played.callers(), ["slow", "many/0", "many/1"]);
}
