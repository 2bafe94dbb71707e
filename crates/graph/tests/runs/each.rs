//! `forEach`: items, their order, their number at a time, and their failures.

use serde_json::{Value, json};
use stepwell_graph::limits::ITEMS_MAX;
use stepwell_graph::{StepStatus, step_views};

use crate::kit::{Reply, Scene, TestHost, after, scene, steps};

/// `T` takes as long as the item says, fails for negative ones, and gives the item doubled.
fn host() -> TestHost {
    TestHost::default().tool("T", |input, _| {
        let n = input["n"].as_i64().unwrap();
        let reply = if n < 0 { Reply::Fails("negative") } else { Reply::Gives(json!(n * 2)) };
        after(n.unsigned_abs(), reply)
    })
}

fn each(config: Value, for_each: Value, items: Value) -> Scene {
    let step = json!({
        "name": "each", "forEach": for_each, "action": { "toolName": "T" }, "input": { "n": "@item", "i": "@index" },
        "config": config,
    });
    scene(steps(json!([step])), host).input(json!({ "list": items }))
}

fn of_list(config: Value, items: Value) -> Scene {
    each(config, json!({ "ref": "@input.list" }), items)
}

#[test]
fn items_run_one_after_another_unless_said_otherwise() {
    let played = of_list(json!({}), json!([30, 10, 20])).play_with_every_cut();
    assert_eq!(played.output(), json!([60, 20, 40]));
    assert_eq!(played.ended_at_ms, 60);
    assert_eq!(played.callers(), ["each/0", "each/1", "each/2"]);
    assert_eq!(played.host.most_at_once("each"), 1);
    assert_eq!(played.host.calls()[2].input, json!({ "n": 20, "i": 2 }));
}

#[test]
fn results_keep_the_order_of_the_items_and_concurrency_is_never_exceeded() {
    let items: Vec<u64> = (0..20).map(|n| (n * 37) % 50 + 1).collect();
    let doubled: Vec<u64> = items.iter().map(|n| n * 2).collect();
    for concurrency in [1, 2, 3, 7, 20, 1_000] {
        let for_each = json!({ "ref": "@input.list", "concurrency": concurrency });
        let played = each(json!({}), for_each, json!(items)).play_with_every_cut();
        assert_eq!(played.output(), json!(doubled));
        assert_eq!(played.host.most_at_once("each"), concurrency.min(20));
    }
}

#[test]
fn no_items_give_an_empty_array() {
    let played = of_list(json!({}), json!([])).play_with_every_cut();
    assert_eq!(played.output(), json!([]));
    assert_eq!(
        step_views(&of_list(json!({}), json!([])).graph, &played.state)[0].status,
        StepStatus::Completed
    );
}

#[test]
fn failed_items_are_null_and_the_log_says_why() {
    for config in [json!({}), json!({ "onError": "continue" })] {
        let played = of_list(config, json!([1, -2, 3])).play_with_every_cut();
        assert_eq!(played.output(), json!([2, null, 6]));
        assert_eq!(
            played.logs,
            ["item 1 failed, and is null: `each/1` failed for good: tool_failed: negative"]
        );
    }
}

#[test]
fn a_failed_item_fails_the_step_at_once_if_that_is_wanted() {
    let for_each = json!({ "ref": "@input.list", "concurrency": 3 });
    let played = each(json!({ "onError": "fail" }), for_each, json!([5000, -20, 10, 30, 40]))
        .play_with_every_cut();
    assert_eq!(played.outcome(), "failed at `each/1`: failed for good: tool_failed: negative");
    assert_eq!(played.ended_at_ms, 20);
    assert_eq!(played.callers(), ["each/0", "each/1", "each/2", "each/3"], "the last never began");
}

#[test]
fn what_is_no_array_is_an_error_of_the_step() {
    for (value, said) in [
        (json!(null), "null"),
        (json!("abc"), "a string"),
        (json!({ "a": 1 }), "an object with the keys `a`"),
        (json!(3), "a number"),
    ] {
        // The default of an item is no default of the step.
        let played = of_list(json!({}), value.clone()).play_with_every_cut();
        let expected = format!(
            "failed at `each`: failed critically: for_each: `@input.list` must be an array, and is {said}"
        );
        assert_eq!(played.outcome(), expected);
        let played = of_list(json!({ "onError": "continue" }), value).play_with_every_cut();
        assert_eq!(played.outcome(), "completed null");
    }
    let missing = each(json!({}), json!({ "ref": "@input.nobody" }), json!([])).play();
    assert!(missing.outcome().contains("ref: `@input.nobody`"), "{}", missing.outcome());
}

#[test]
fn a_ref_that_is_missing_in_one_item_fails_that_item() {
    let step = json!({
        "name": "each", "forEach": { "ref": "@input.list" }, "action": { "toolName": "T" }, "input": { "n": "@item.n" },
    });
    let scene = scene(steps(json!([step])), host)
        .input(json!({ "list": [{ "n": 1 }, { "m": 2 }, { "n": 3 }] }));
    let played = scene.play_with_every_cut();
    assert_eq!(played.output(), json!([2, null, 6]));
}

#[test]
fn too_many_items_are_refused() {
    let played = of_list(json!({}), json!(vec![0; ITEMS_MAX + 1])).play();
    let expected =
        "for_each: `@input.list` has 100001 items, more than the limit ITEMS_MAX of 100000";
    assert_eq!(played.failure().message, expected);
}

#[test]
fn ten_thousand_items_run_in_order() {
    let items: Vec<u64> = (0..10_000).map(|n| n % 3).collect();
    let for_each = json!({ "ref": "@input.list", "concurrency": 50 });
    let played = each(json!({}), for_each, json!(items)).play();
    let expected: Vec<u64> = items.iter().map(|n| n * 2).collect();
    assert_eq!(played.output(), json!(expected));
    assert_eq!(played.host.most_at_once("each"), 50);
}

#[test]
fn items_can_be_of_every_action() {
    let definition = steps(json!([
        { "name": "code", "forEach": { "ref": "@input.list", "concurrency": 2 }, "action": { "code": "c" }, "input": "@item" },
        { "name": "nap", "forEach": { "ref": "@code" }, "action": { "sleep": 1000 }, "input": "@item" },
        { "name": "child", "forEach": { "ref": "@input.list", "concurrency": 2 },
          "action": { "workflow": "w", "input": { "n": "@item" } } },
        { "name": "word", "forEach": { "ref": "@input.list" }, "action": { "listen": "m" }, "outputSchema": { "type": "string" } },
        { "name": "shaped", "forEach": { "ref": "@input.list" }, "action": { "toolName": "T", "transformCode": "t" },
          "input": { "n": "@item" }, "config": { "memoryMb": 8 } },
    ]));
    let host = || {
        host()
            .code("c", |input, _| Reply::Gives(json!({ "c": input })))
            .code("t", |input, _| Reply::Gives(json!([input])))
    };
    let scene = scene(definition, host)
        .input(json!({ "list": [1, 2] }))
        .child("w", 5, Ok(json!("done")))
        .message(1, "m", json!("hi"))
        .message(2, "m", json!(7));
    let played = scene.play_with_every_cut();
    assert_eq!(
        played.output(),
        json!({ "nap": [null, null], "child": ["done", "done"], "word": ["hi", null], "shaped": [[2], [4]] })
    );
    assert_eq!(played.ended_at_ms, 2_000);
    assert_eq!(
        played.children,
        [("w".to_owned(), json!({ "n": 1 })), ("w".to_owned(), json!({ "n": 2 }))]
    );
    let views = step_views(&scene.graph, &played.state);
    let view = |name: &str| views.iter().find(|view| view.name == name).unwrap();
    assert_eq!(view("shaped").output, Some(json!([[2], [4]])));
    assert_eq!(
        view("word").items.map(|items| (items.n_items, items.n_completed, items.n_failed)),
        Some((2, 1, 1))
    );
}
