//! The order of steps, and what a run gives.

use expect_test::expect;
use serde_json::{Value, json};

use crate::kit::{Reply, TestHost, after, scene, steps};

/// `T` gives its input after as many milliseconds as its input says.
fn echo() -> TestHost {
    TestHost::default().tool("T", |input, _| {
        let ms = input["ms"].as_u64().unwrap_or(0);
        after(ms, Reply::Gives(input.clone()))
    })
}

fn tool(name: &str, input: Value) -> Value {
    json!({ "name": name, "action": { "toolName": "T" }, "input": input })
}

#[test]
fn steps_without_refs_run_in_parallel_and_others_the_moment_that_theirs_are_there() {
    // `fast2` needs only `fast`: it does not wait for `slow`, which stands on the same level as `fast`.
    let definition = steps(json!([
        tool("last", json!({ "a": "@slow.ms", "b": "@fast2.ms" })),
        tool("slow", json!({ "ms": 100 })),
        tool("fast", json!({ "ms": 10 })),
        tool("fast2", json!({ "ms": 20, "after": "@fast" })),
    ]));
    let played = scene(definition, echo).play_with_every_cut();
    assert_eq!(played.output(), json!({ "a": 100, "b": 20 }));
    let calls: Vec<(String, u64)> =
        played.host.calls().into_iter().map(|call| (call.by, call.at_ms)).collect();
    let expected = [("slow", 0), ("fast", 0), ("fast2", 10), ("last", 100)];
    assert_eq!(calls, expected.map(|(by, at)| (by.to_owned(), at)));
}

#[test]
fn the_journal_reads_like_the_graph() {
    let definition = steps(json!([
        tool("lookup", json!({ "name": "Ada", "ok": true, "friends": [1, 2] })),
        json!({ "name": "score", "action": { "code": "score" }, "input": "@lookup.ok" }),
        json!({ "name": "no", "when": { "ref": "@score.n", "gt": 5 }, "action": { "toolName": "T" } }),
        json!({ "name": "mail", "forEach": { "ref": "@lookup.friends" }, "action": { "toolName": "T" },
                "input": { "n": "@item", "said": "@no" } }),
    ]));
    let host = || echo().code("score", |_, _| Reply::Gives(json!({ "n": 1 })));
    let played = scene(definition, host).play_with_every_cut();
    expect![[r##"
        #0 RunStarted g {}
        #1 AttemptStarted lookup attempt=1
        #2 StepSucceeded lookup attempt=1 {"friends":[1,2],"name":"Ada","ok":true}
        #3 StepSucceeded score attempt=1 {"n":1}
        #4 StepSkipped no "@score.n gt 5 is not so"
        #5 BlockStarted mail block
        #6 AttemptStarted mail/0 attempt=1
        #7 StepSucceeded mail/0 attempt=1 {"n":1,"said":null}
        #8 AttemptStarted mail/1 attempt=1
        #9 StepSucceeded mail/1 attempt=1 {"n":2,"said":null}
        #10 BlockEnded mail
        #11 RunCompleted [{"n":1,"said":null},{"n":2,"said":null}]
    "##]]
    .assert_eq(&played.text());
}

#[test]
fn refs_give_values_with_their_types_and_text() {
    let definition = json!({
        "id": "greet", "steps": [
            tool("lookup", json!({ "name": "Ada", "n": 3, "tags": ["x"], "none": null })),
            tool("all", json!({
                "whole": "@lookup", "n": "@lookup.n", "text": "Hello @lookup.name, @lookup.n @lookup.tags@lookup.none",
                "mine": "@input.who", "missing": "@input.nobody?", "mail": "me@lookup.com", "at": "@@lookup",
                "run": "@ctx.run_id", "step": "@ctx.step", "key": "@ctx.idempotency_key", "at_ms": "@ctx.started_at",
                "workflow": "@ctx.workflow",
            })),
        ],
    });
    let scene = scene(definition, echo).input(json!({ "who": [1] }));
    let played = scene.play_with_every_cut();
    let run = "00000000-0000-0000-0000-000000000007";
    assert_eq!(
        played.output(),
        json!({
            "whole": { "name": "Ada", "n": 3, "tags": ["x"], "none": null }, "n": 3,
            "text": "Hello Ada, 3 [\"x\"]@lookup.none", "mine": [1], "missing": null, "mail": "me@lookup.com",
            "at": "@lookup", "run": run, "step": "all", "key": format!("{run}/all"), "at_ms": 1_000_000,
            "workflow": "greet",
        })
    );
}

#[test]
fn a_path_that_is_not_there_fails_the_step_that_refers_to_it() {
    let definition = steps(json!([
        tool("lookup", json!({ "name": "Ada" })),
        tool("mail", json!({ "to": "@lookup.email" })),
    ]));
    let played = scene(definition, echo).play_with_every_cut();
    assert_eq!(
        played.outcome(),
        "failed at `mail`: failed critically: ref: `@lookup.email`: `@lookup` has no key `email`; it is an object with \
         the keys `name`"
    );
    assert_eq!(played.callers(), ["lookup"]);
}

#[test]
fn a_run_gives_the_output_of_the_one_step_nobody_refers_to_or_of_the_several_by_name() {
    let output = |definition: Value| scene(definition, echo).play_with_every_cut().output();
    assert_eq!(output(steps(json!([]))), json!({}));
    assert_eq!(output(steps(json!([tool("a", json!(1))]))), json!(1));
    let two = steps(json!([tool("a", json!(1)), tool("b", json!("@a")), tool("c", json!("@a"))]));
    assert_eq!(output(two), json!({ "b": 1, "c": 1 }));
    // A step without an input calls its tool without arguments.
    let none = steps(json!([{ "name": "a", "action": { "toolName": "T" } }]));
    assert_eq!(output(none), json!({}));
}

#[test]
fn return_steps_that_do_not_run_are_no_part_of_the_output() {
    let definition = steps(json!([
        tool("a", json!({ "ok": true })),
        json!({ "name": "stop", "when": { "ref": "@a.ok", "eq": false }, "action": { "return": true }, "input": "no" }),
    ]));
    assert_eq!(scene(definition, echo).play_with_every_cut().output(), json!({ "ok": true }));
}

#[test]
fn a_thousand_steps_run_wide_and_deep() {
    let wide: Vec<Value> =
        (0..1_000).map(|n| tool(&format!("s{n}"), json!({ "ms": n % 7 }))).collect();
    let played = scene(steps(json!(wide)), echo).play();
    assert_eq!(played.output().as_object().unwrap().len(), 1_000);
    assert_eq!(played.ended_at_ms, 6);
    let deep: Vec<Value> = (0..1_000)
        .map(|n| {
            let input = if n == 0 { json!(0) } else { json!([format!("@s{}?", n - 1), n]) };
            tool(&format!("s{n}"), if n % 100 == 0 { json!(n) } else { input })
        })
        .collect();
    let played = scene(steps(json!(deep)), echo).play();
    assert_eq!(played.host.calls().len(), 1_000);
}
