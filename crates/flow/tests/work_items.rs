//! Fanning out and coming together.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod kit;

use std::sync::Arc;

use serde_json::{Value, json};
use stepwell_flow::limits::WORK_ITEMS_MAX;
use stepwell_flow::{Arguments, Outputs, StepDefinition};

use kit::{parse, request, step, step_json};

/// Users and actions fan out, the note does not.
fn notify() -> StepDefinition {
    let mut value = step_json("notify: note -> message_id, sent");
    let each = json!({"role": "required", "for_each": true});
    value["attributes"]["users"] = each.clone();
    value["attributes"]["actions"] = json!({"role": "optional", "for_each": true});
    parse(&value).unwrap()
}

fn arguments(value: Value) -> Arguments {
    request(&[], value).init.into_iter().map(|(name, it)| (name, Arc::new(it))).collect()
}

fn outputs(value: Value) -> Outputs {
    request(&[], value).init
}

fn items(step: &StepDefinition, inputs: Value) -> Vec<Value> {
    let items = step.work_items(&arguments(inputs)).unwrap();
    items
        .iter()
        .map(|item| {
            json!(
                item.iter()
                    .map(|(k, v)| (k.as_str(), &**v))
                    .collect::<std::collections::BTreeMap<_, _>>()
            )
        })
        .collect()
}

#[test]
fn every_element_is_a_work_item_in_order() {
    assert_eq!(
        items(&notify(), json!({"users": ["alice", "bob"], "note": "hi"})),
        [json!({"users": "alice", "note": "hi"}), json!({"users": "bob", "note": "hi"})]
    );
}

#[test]
fn several_arrays_make_every_combination() {
    assert_eq!(
        items(
            &notify(),
            json!({"users": ["alice", "bob"], "actions": ["notify", "log"], "note": 1})
        ),
        [
            json!({"users": "alice", "actions": "notify", "note": 1}),
            json!({"users": "bob", "actions": "notify", "note": 1}),
            json!({"users": "alice", "actions": "log", "note": 1}),
            json!({"users": "bob", "actions": "log", "note": 1}),
        ]
    );
}

#[test]
fn what_is_no_array_does_not_fan_out() {
    assert_eq!(items(&notify(), json!({"users": "alice"})), [json!({"users": "alice"})]);
    assert_eq!(items(&step("a: x ->"), json!({"x": [1, 2]})), [json!({"x": [1, 2]})]);
    assert_eq!(items(&step("a: ->"), json!({})), [json!({})]);
}

#[test]
fn an_empty_array_makes_no_items_and_empty_arrays() {
    let step = notify();
    assert_eq!(items(&step, json!({"users": [], "actions": [1, 2]})), [] as [Value; 0]);
    assert_eq!(step.aggregate(&[]), outputs(json!({"message_id": [], "sent": []})));
}

#[test]
fn a_step_fans_out_into_ten_thousand_items_at_most() {
    let array = |n: usize| json!(vec![0; n]);
    let step = notify();
    let of = |users: usize, actions: usize| {
        step.work_items(&arguments(json!({"users": array(users), "actions": array(actions)})))
    };
    assert_eq!(WORK_ITEMS_MAX, 10_000);
    assert_eq!(of(WORK_ITEMS_MAX, 1).unwrap().len(), WORK_ITEMS_MAX);
    assert_eq!(of(100, 100).unwrap().len(), WORK_ITEMS_MAX);
    assert_eq!(
        of(WORK_ITEMS_MAX + 1, 1).unwrap_err().to_string(),
        "step `notify` would fan out into 10001 work items, at most 10000 are allowed: pass it shorter arrays"
    );
    assert_eq!(of(101, 100).unwrap_err().n_items, Some(10_100));
    assert_eq!(of(100_000, 0).unwrap().len(), 0);
}

#[test]
fn outputs_come_together_in_the_order_of_the_inputs() {
    let step = notify();
    let item = |user: &str, given: Option<Value>| {
        (arguments(json!({"users": user, "note": 1})), given.map(outputs))
    };
    let together = step.aggregate(&[
        item("alice", Some(json!({"message_id": "msg-123", "undeclared": 1}))),
        item("bob", None),
        item("charlie", Some(json!({"message_id": "msg-789"}))),
    ]);
    assert_eq!(
        together,
        outputs(json!({
            "message_id": [
                {"users": "alice", "message_id": "msg-123"},
                {"users": "charlie", "message_id": "msg-789"},
            ],
        })),
        "bob was skipped, and nobody gave `sent`"
    );
    let all_skipped = step.aggregate(&[item("alice", None), item("bob", None)]);
    assert_eq!(all_skipped, outputs(json!({"message_id": [], "sent": []})));
}

#[test]
fn one_item_gives_its_outputs_as_they_are() {
    let step = notify();
    let inputs = arguments(json!({"users": "alice"}));
    let given = outputs(json!({"message_id": "msg-123", "undeclared": 1}));
    let together = step.aggregate(&[(inputs.clone(), Some(given))]);
    assert_eq!(together, outputs(json!({"message_id": "msg-123"})));
    assert_eq!(step.aggregate(&[(inputs, None)]), Outputs::new());
}
