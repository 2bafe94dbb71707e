//! Tools and code: results, schemas, attempts, timeouts, crashes.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use stepwell_graph::{ErrorCode, HostError, StepStatus, Tool, ToolResult, step_views};
use stepwell_journal::FailureKind;

use crate::kit::{Reply, Scene, TestHost, after, scene, schema, steps};

fn only(step: Value, host: impl Fn() -> TestHost + 'static) -> Scene {
    scene(steps(json!([step])), host)
}

fn call(config: Value) -> Value {
    json!({ "name": "a", "action": { "toolName": "T" }, "input": { "n": 1 }, "config": config })
}

fn replying(reply: fn(u32) -> Reply) -> impl Fn() -> TestHost {
    move || TestHost::default().tool("T", move |_, attempt| reply(attempt))
}

#[test]
fn a_result_is_the_structured_content_or_the_json_of_a_single_text_or_the_content() {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let image = json!({ "type": "image", "data": "…" });
    let table: Vec<(Option<Value>, Vec<Value>, Value)> = vec![
        (Some(json!({ "a": 1 })), vec![text("{\"b\": 2}")], json!({ "a": 1 })),
        (None, vec![text("{\"b\": 2}")], json!({ "b": 2 })),
        (None, vec![text("42")], json!(42)),
        (None, vec![text("hello")], json!([text("hello")])),
        (None, vec![text("1"), text("2")], json!([text("1"), text("2")])),
        (None, vec![image.clone()], json!([image])),
        (None, vec![], json!([])),
    ];
    for (structured_content, content, expected) in table {
        let result = ToolResult { structured_content, content, is_error: false };
        let host = move || {
            let result = result.clone();
            TestHost::default().tool("T", move |_, _| Reply::Says(result.clone()))
        };
        assert_eq!(only(call(json!({})), host).play_with_every_cut().output(), expected);
    }
}

#[test]
fn an_error_of_the_tool_fails_the_step_with_its_text() {
    let played =
        only(call(json!({})), replying(|_| Reply::Fails("quota exceeded"))).play_with_every_cut();
    assert_eq!(played.outcome(), "failed at `a`: failed for good: tool_failed: quota exceeded");
    assert_eq!(ErrorCode::of_message(&played.failure().message), Some(ErrorCode::ToolFailed));
    let silent = || {
        let result = ToolResult { is_error: true, ..ToolResult::default() };
        TestHost::default().tool("T", move |_, _| Reply::Says(result.clone()))
    };
    let played = only(call(json!({})), silent).play();
    assert_eq!(played.failure().message, "tool_failed: the tool failed and said nothing");
}

#[test]
fn a_tool_that_is_not_there_is_not_tried_again() {
    let step =
        json!({ "name": "a", "action": { "toolName": "NOBODY" }, "config": { "maxAttempts": 5 } });
    let played = only(step, TestHost::default).play_with_every_cut();
    assert_eq!(
        played.outcome(),
        "failed at `a`: failed critically: tool_unavailable: there is no tool `NOBODY`"
    );
}

#[test]
fn the_input_must_fit_the_tool_before_it_is_called() {
    let host = || {
        let input_schema = schema(&json!({ "properties": { "n": { "type": "string" } } }));
        let tool = Tool { input_schema, ..Tool::default() };
        TestHost::default().tool_with("T", tool, |_, _| Reply::Gives(json!(1)))
    };
    let played = only(call(json!({ "maxAttempts": 5 })), host).play();
    assert_eq!(
        played.outcome(),
        "failed at `a`: failed critically: tool_input: the input does not fit the tool `T`: at /n: 1 is not of type \"string\""
    );
    assert_eq!(played.callers(), [] as [&str; 0]);
}

#[test]
fn attempts_are_made_as_the_config_says_with_growing_waits() {
    let config = json!({ "maxAttempts": 4, "backoffMs": 1000 });
    let third =
        replying(
            |attempt| {
                if attempt < 3 { Reply::Fails("again") } else { Reply::Gives(json!(attempt)) }
            },
        );
    let played = only(call(config.clone()), third).play();
    assert_eq!(played.output(), json!(3));
    let at: Vec<u64> = played.host.calls().iter().map(|call| call.at_ms).collect();
    // A fifth of each wait is left to chance.
    assert!((800..=1_000).contains(&at[1]), "{at:?}");
    assert!((1_600..=2_000).contains(&(at[2] - at[1])), "{at:?}");
    let never = only(call(config), replying(|_| Reply::Fails("again"))).play_with_every_cut();
    assert_eq!(never.host.calls().len(), 4);
    assert_eq!(never.failure().attempts.0, 4);
    // One attempt is the default.
    let once = only(call(json!({})), replying(|_| Reply::Fails("again"))).play();
    assert_eq!(once.host.calls().len(), 1);
}

#[test]
fn a_server_that_is_away_is_tried_again() {
    let away = replying(|attempt| match attempt {
        1 => Reply::Broken(HostError::retryable("connection refused")),
        2 => Reply::Broken(HostError::lasting("no such method")),
        _ => Reply::Gives(json!(1)),
    });
    // A crash in the second attempt leads to a third, which succeeds.
    let played =
        only(call(json!({ "maxAttempts": 9 })), away).crash_matters().play_with_every_cut();
    assert_eq!(
        played.outcome(),
        "failed at `a`: failed critically: tool_unavailable: no such method"
    );
}

#[test]
fn a_call_that_takes_too_long_is_given_up_and_may_be_tried_again() {
    let hangs =
        replying(|attempt| if attempt == 1 { Reply::Hangs } else { Reply::Gives(json!("late")) });
    let played = only(call(json!({ "timeoutMs": 500, "maxAttempts": 2, "backoffMs": 0 })), hangs)
        .play_with_every_cut();
    assert_eq!((played.output(), played.ended_at_ms), (json!("late"), 500));
    let forever = only(call(json!({})), replying(|_| Reply::Hangs)).play();
    assert_eq!(forever.failure().kind, FailureKind::Timeout);
    assert_eq!(forever.ended_at_ms, 60_000, "a minute unless said otherwise");
}

#[test]
fn an_output_must_fit_its_schema_and_is_not_asked_for_again() {
    let mut step = call(json!({ "maxAttempts": 3 }));
    step["outputSchema"] = json!({ "type": "object", "required": ["id"] });
    let unfit = only(step.clone(), replying(|_| Reply::Gives(json!({ "name": "x" }))))
        .play_with_every_cut();
    assert_eq!(
        unfit.outcome(),
        "failed at `a`: failed critically: output_schema: the output does not fit the outputSchema: at the value itself: \
         \"id\" is a required property"
    );
    assert_eq!(unfit.host.calls().len(), 1);
    let fit = only(step, replying(|_| Reply::Gives(json!({ "id": 1 })))).play_with_every_cut();
    assert_eq!(fit.output(), json!({ "id": 1 }));
}

#[test]
fn transform_code_makes_the_output_and_the_raw_result_is_kept() {
    let step = json!({
        "name": "a", "action": { "toolName": "T", "transformCode": "t" }, "outputSchema": { "type": "number" },
    });
    let host = || {
        TestHost::default()
            .tool("T", |_, _| Reply::Gives(json!({ "total": 3, "rest": "much" })))
            .code("t", |input, _| Reply::Gives(input["total"].clone()))
    };
    let scene = only(step.clone(), host);
    let played = scene.play_with_every_cut();
    assert_eq!(played.output(), json!(3));
    let view = &step_views(&scene.graph, &played.state)[0];
    assert_eq!(view.output, Some(json!(3)));
    assert_eq!(view.raw, Some(json!({ "total": 3, "rest": "much" })));
    // It fails after the call: the call is not made again by its attempts.
    let broken = || {
        TestHost::default().tool("T", |_, _| Reply::Gives(json!({ "total": 3 }))).code(
            "t",
            |_, attempt| {
                let said = if attempt == 2 { "TypeError at 1:7" } else { "called too often" };
                Reply::Broken(HostError::lasting(said))
            },
        )
    };
    let scene = only(step, broken);
    let played = scene.play_with_every_cut();
    let outcome = played.outcome();
    assert!(outcome.starts_with("failed at `a/transform`: failed critically: code: "), "{outcome}");
    let view = &step_views(&scene.graph, &played.state)[0];
    assert_eq!(
        (view.status, &view.output, &view.raw),
        (StepStatus::Failed, &None, &Some(json!({ "total": 3 })))
    );
}

#[test]
fn code_gets_its_limits_and_its_errors_fail_the_step() {
    let step = |config: Value| json!({ "name": "a", "action": { "code": "c" }, "input": { "n": 2 }, "config": config });
    let host = || {
        TestHost::default()
            .code("c", |input, _| Reply::Gives(json!(input["n"].as_u64().unwrap() + 1)))
    };
    assert_eq!(only(step(json!({})), host).play_with_every_cut().output(), json!(3));
    let throws =
        || TestHost::default().code("c", |_, _| Reply::Fails("Error: no (line 3, column 7)"));
    let played = only(step(json!({ "maxAttempts": 2, "backoffMs": 1 })), throws).play();
    assert_eq!(
        played.outcome(),
        "failed at `a`: failed for good: code: Error: no (line 3, column 7)"
    );
    assert_eq!(played.host.calls().len(), 2);
    // A host that does not keep its own limit is not waited for much longer.
    let hangs = || TestHost::default().code("c", |_, _| Reply::Hangs);
    let played = only(step(json!({})), hangs).play();
    assert_eq!((played.failure().kind, played.ended_at_ms), (FailureKind::Timeout, 11_000));
    let played = only(step(json!({ "timeoutMs": 50 })), hangs).play();
    assert_eq!(played.ended_at_ms, 1_050);
}

// --- Crashes -----------------------------------------------------------------------------------------

/// A tool that kills the process the first time it is called, whatever life that is in.
fn deadly(tool: Tool, n_kills: u32) -> impl Fn() -> TestHost {
    let n_calls = std::sync::Arc::new(AtomicU32::new(0));
    move || {
        let n_calls = n_calls.clone();
        TestHost::default().tool_with("T", tool.clone(), move |_, _| {
            match n_calls.fetch_add(1, Ordering::SeqCst) < n_kills {
                true => Reply::Kills,
                false => Reply::Gives(json!("done")),
            }
        })
    }
}

#[test]
fn a_call_that_a_crash_cut_off_is_repeated_only_if_that_is_harmless() {
    let idempotent = Tool { idempotent: true, ..Tool::default() };
    let read_only = Tool { read_only: true, ..Tool::default() };
    let other = Tool::default();
    for (tool, config) in [
        (idempotent.clone(), json!({})),
        (read_only, json!({})),
        (other.clone(), json!({ "retryOnCrash": true })),
    ] {
        let played = only(call(config), deadly(tool, 1)).play_with_restarts();
        assert_eq!(played.outcome(), "completed \"done\"");
    }
    for config in [json!({}), json!({ "maxAttempts": 3 }), json!({ "retryOnCrash": false })] {
        let played = only(call(config), deadly(other.clone(), 1)).play_with_restarts();
        assert_eq!(played.failure().kind, FailureKind::Interrupted);
        assert!(played.failure().message.starts_with("interrupted: a crash cut off a call of `T`"));
        assert_eq!(played.callers(), [] as [&str; 0], "it was not called in this life");
    }
    // One that kills every time is given up, though it may be repeated.
    let played = only(call(json!({})), deadly(idempotent, 100)).play_with_restarts();
    assert_eq!(played.failure().kind, FailureKind::Exhausted);
    assert_eq!(played.failure().attempts.0, 4);
}

#[test]
fn a_crash_before_or_after_a_call_interrupts_nothing() {
    // Cut anywhere but in the middle of the call: it is made once.
    let definition = steps(json!([
        call(json!({})),
        { "name": "b", "action": { "toolName": "T" }, "input": "@a" },
    ]));
    let host =
        || TestHost::default().tool_with("T", Tool::default(), |_, _| Reply::Gives(json!(1)));
    let scene = scene(definition, host).crash_matters();
    let whole = scene.play_with_every_cut();
    assert_eq!(whole.output(), json!(1));
    let markers = whole.text().matches("AttemptStarted").count();
    assert_eq!(markers, 2, "the journal has each call before it is made:\n{}", whole.text());
}

#[test]
fn code_that_a_crash_cut_off_runs_again() {
    let n_calls = std::sync::Arc::new(AtomicU32::new(0));
    let host = move || {
        let n_calls = n_calls.clone();
        TestHost::default().code("c", move |_, _| match n_calls.fetch_add(1, Ordering::SeqCst) {
            0 => after(100, Reply::Kills),
            _ => Reply::Gives(json!("done")),
        })
    };
    let step = json!({ "name": "a", "action": { "code": "c" } });
    assert_eq!(only(step, host).play_with_restarts().outcome(), "completed \"done\"");
}
