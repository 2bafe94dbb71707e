//! Sleeps, messages and nested runs.

use serde_json::{Value, json};
use stepwell_graph::{StepStatus, step_views};
use stepwell_journal::{Failure, FailureKind, RunId, Wait};

use crate::kit::{RUN, Reply, Scene, TestHost, scene, steps};

fn host() -> TestHost {
    TestHost::default().tool("T", |input, _| Reply::Gives(input.clone()))
}

fn only(step: Value) -> Scene {
    scene(steps(json!([step])), host)
}

#[test]
fn a_sleep_waits_and_gives_null() {
    let definition = steps(json!([
        { "name": "a", "action": { "toolName": "T" }, "input": 1 },
        { "name": "nap", "action": { "sleep": 86_400_000 }, "input": "@a" },
        { "name": "b", "action": { "toolName": "T" }, "input": ["@nap", "@a"] },
    ]));
    let played = scene(definition, host).play_with_every_cut();
    assert_eq!(played.output(), json!([null, 1]));
    assert_eq!(played.ended_at_ms, 86_400_000);
    let zero = only(json!({ "name": "nap", "action": { "sleep": 0 } })).play_with_every_cut();
    assert_eq!((zero.output(), zero.ended_at_ms), (json!(null), 0));
}

#[test]
fn a_listen_takes_a_message_and_gives_its_body() {
    let listen = || only(json!({ "name": "approval", "action": { "listen": "approve" } }));
    let played = listen().message(500, "approve", json!({ "by": "Ada" })).play_with_every_cut();
    assert_eq!(played.output(), json!({ "by": "Ada" }));
    assert_eq!(played.ended_at_ms, 500);
    // Until it comes, the run waits, and says for what.
    let waiting = listen().play();
    assert!(
        matches!(&waiting.state.waits()[..], [Wait::Messages { names, .. }] if names == &["approve"])
    );
    assert_eq!(step_views(&listen().graph, &waiting.state)[0].status, StepStatus::Waiting);
}

#[test]
fn two_steps_that_listen_for_the_same_take_a_message_each() {
    let definition = steps(json!([
        { "name": "first", "action": { "listen": "m" } },
        { "name": "second", "action": { "listen": "m" } },
    ]));
    let scene = scene(definition, host).message(1, "m", json!(1)).message(2, "m", json!(2));
    assert_eq!(scene.play_with_every_cut().output(), json!({ "first": 1, "second": 2 }));
}

#[test]
fn a_listen_gives_up_after_its_timeout() {
    let listen = |more: Value| {
        let mut step = json!({ "name": "approval", "action": { "listen": "approve" }, "config": { "timeoutMs": 1000 } });
        step.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        only(step).message(5_000, "approve", json!(1))
    };
    for more in [json!({}), json!({ "outputSchema": {} })] {
        let scene = listen(more.clone());
        let played = scene.play_with_every_cut();
        let at = if more == json!({}) { "approval" } else { "approval/message" };
        assert_eq!(
            played.outcome(),
            format!(
                "failed at `{at}`: timed out: timeout: the message `approve` took longer than timeoutMs, 1000 ms"
            )
        );
        assert_eq!(played.ended_at_ms, 1_000);
        assert_eq!(step_views(&scene.graph, &played.state)[0].status, StepStatus::Failed);
    }
    let goes_on = listen(json!({ "config": { "timeoutMs": 1000, "onError": "continue" } }))
        .play_with_every_cut();
    assert_eq!(goes_on.output(), json!(null));
}

#[test]
fn a_message_that_does_not_fit_fails_the_step() {
    let scene = only(json!({
        "name": "approval", "action": { "listen": "approve" }, "outputSchema": { "type": "object" },
    }))
    .message(5, "approve", json!("yes"));
    let played = scene.play_with_every_cut();
    assert_eq!(
        played.outcome(),
        "failed at `approval/check`: failed critically: output_schema: the output does not fit the outputSchema: at the \
         value itself: \"yes\" is not of type \"object\""
    );
}

#[test]
fn a_nested_run_gets_its_input_and_gives_its_output() {
    let definition = steps(json!([
        { "name": "a", "action": { "toolName": "T" }, "input": { "n": 7 } },
        { "name": "child", "action": { "workflow": "report", "input": { "n": "@a.n", "text": "n is @a.n" } } },
        { "name": "other", "action": { "workflow": "report" }, "input": "@child" },
    ]));
    let scene = scene(definition, host).child("report", 50, Ok(json!({ "sum": 1 })));
    let played = scene.play_with_every_cut();
    assert_eq!(played.output(), json!({ "sum": 1 }));
    let inputs: Vec<Value> = played.children.into_iter().map(|(_, input)| input).collect();
    assert_eq!(inputs, [json!({ "n": 7, "text": "n is 7" }), json!({ "sum": 1 })]);
    let views = step_views(&scene.graph, &played.state);
    assert_eq!(views[1].output, Some(json!({ "sum": 1 })));
    assert_eq!(views[1].child, Some(RunId::child_of(RUN, "child")));
}

#[test]
fn a_nested_run_that_fails_or_does_not_exist_fails_the_step() {
    let child = |config: Value| {
        let step = json!({ "name": "child", "action": { "workflow": "report" }, "config": config });
        let failure = Failure::new(FailureKind::Exhausted, "no paper");
        only(step).child("report", 50, Err(failure))
    };
    let played = child(json!({})).play_with_every_cut();
    assert_eq!(played.outcome(), "failed at `child`: failed for good: no paper");
    let timed = child(json!({ "timeoutMs": 1_000 })).play_with_every_cut();
    assert_eq!(
        (timed.outcome().as_str(), timed.ended_at_ms),
        ("failed at `child/run`: failed for good: no paper", 50)
    );
    let passed = child(json!({ "onError": "continue" })).play_with_every_cut();
    assert_eq!(passed.output(), json!(null));
    let unknown =
        only(json!({ "name": "child", "action": { "workflow": "nobody" } })).play_with_every_cut();
    assert_eq!(
        unknown.outcome(),
        "failed at `child`: failed critically: workflow `nobody` is not registered"
    );
}

#[test]
fn a_nested_run_that_takes_too_long_is_cancelled() {
    let step = json!({
        "name": "child", "action": { "workflow": "slow" }, "config": { "timeoutMs": 1000 }, "outputSchema": { "type": "number" },
    });
    let late = only(step.clone()).child("slow", 5_000, Ok(json!(1))).play_with_every_cut();
    assert_eq!(
        late.outcome(),
        "failed at `child/timeout`: timed out: timeout: the run of `slow` took longer than timeoutMs, 1000 ms"
    );
    assert_eq!((late.ended_at_ms, late.n_cancelled_children), (1_000, 1));
    let in_time = only(step.clone()).child("slow", 500, Ok(json!(1))).play_with_every_cut();
    assert_eq!((in_time.output(), in_time.ended_at_ms), (json!(1), 500));
    let unfit = only(step).child("slow", 500, Ok(json!("one"))).play_with_every_cut();
    assert!(
        unfit.outcome().starts_with("failed at `child/check`: failed critically: output_schema: ")
    );
}

#[test]
fn refs_that_lead_nowhere_fail_steps_that_only_wait() {
    for action in [json!({ "sleep": 5 }), json!({ "listen": "m" }), json!({ "workflow": "w" })] {
        let played = only(json!({ "name": "a", "action": action, "input": "@input.x" }))
            .play_with_every_cut();
        assert!(played.outcome().starts_with("failed at `a`: failed critically: ref: `@input.x`"));
    }
}
