//! `when`: every operator, on every kind of value.

use serde_json::{Value, json};

use crate::kit::{Reply, TestHost, scene, steps};

fn host() -> TestHost {
    TestHost::default().tool("T", |input, _| Reply::Gives(input.clone()))
}

/// Whether a step with this condition runs, when the run's input is `{"v": value}`.
fn runs(test: &Value, value: &Value) -> Result<bool, String> {
    let mut when = json!({ "ref": "@input.v" });
    when.as_object_mut().unwrap().extend(test.as_object().unwrap().clone());
    let definition =
        steps(json!([{ "name": "a", "when": when, "action": { "toolName": "T" }, "input": 1 }]));
    let played = scene(definition, host).input(json!({ "v": value })).play();
    match played.state.outcome {
        Some(stepwell_journal::RunOutcome::Completed(_)) => Ok(!played.callers().is_empty()),
        _ => Err(played.failure().message.clone()),
    }
}

#[test]
fn a_table_of_conditions() {
    let values = [
        json!(null),
        json!(false),
        json!(true),
        json!(0),
        json!(-0.0),
        json!(1),
        json!(1.0),
        json!(2.5),
        json!(""),
        json!("a"),
        json!("1"),
        json!([]),
        json!([1]),
        json!({}),
        json!({ "a": [1.0] }),
    ];
    // For each value in turn: + runs, - is skipped, ! is an error.
    let table: Vec<(Value, &str)> = vec![
        (json!({}), "--+--+++-++++++"),
        (json!({ "eq": null }), "+--------------"),
        (json!({ "eq": 1 }), "-----++--------"),
        (json!({ "eq": 0 }), "---++----------"),
        (json!({ "eq": "1" }), "----------+----"),
        (json!({ "eq": [1.0] }), "------------+--"),
        (json!({ "eq": { "a": [1] } }), "--------------+"),
        (json!({ "neq": 1 }), "+++++--++++++++"),
        (json!({ "neq": null }), "-++++++++++++++"),
        (json!({ "gt": 1 }), "-!!----+!!!!!!!"),
        (json!({ "lt": 1 }), "-!!++---!!!!!!!"),
        (json!({ "gte": 1 }), "-!!--+++!!!!!!!"),
        (json!({ "lte": 1 }), "-!!++++-!!!!!!!"),
        (json!({ "gt": -1.5 }), "-!!+++++!!!!!!!"),
        (json!({ "in": [] }), "---------------"),
        (json!({ "in": [null, "a", 1] }), "+----++--+-----"),
        (json!({ "in": [[1], {}] }), "------------++-"),
        (json!({ "exists": true }), "-++++++++++++++"),
        (json!({ "exists": false }), "+--------------"),
    ];
    for (test, expected) in table {
        let found: String = values
            .iter()
            .map(|value| match runs(&test, value) {
                Ok(true) => '+',
                Ok(false) => '-',
                Err(_) => '!',
            })
            .collect();
        assert_eq!(found, expected, "{test}");
    }
}

#[test]
fn whole_numbers_are_compared_exactly() {
    let big = 9_007_199_254_740_993_u64;
    assert_eq!(runs(&json!({ "eq": big }), &json!(big - 1)), Ok(false));
    assert_eq!(runs(&json!({ "gt": big - 1 }), &json!(big)), Ok(true));
    assert_eq!(runs(&json!({ "lt": u64::MAX }), &json!(i64::MIN)), Ok(true));
}

#[test]
fn a_comparison_with_what_is_no_number_says_so() {
    let error = runs(&json!({ "gt": 1 }), &json!("5")).unwrap_err();
    assert_eq!(error, "when: `@input.v` is compared with a number, and is a string");
}

#[test]
fn a_missing_path_is_an_error_unless_it_is_optional_or_asked_for_with_exists() {
    let outcome = |when: Value| {
        let definition = steps(
            json!([{ "name": "a", "when": when, "action": { "toolName": "T" }, "input": 1 }]),
        );
        scene(definition, host).play_with_every_cut().outcome()
    };
    assert_eq!(outcome(json!({ "ref": "@input.v?" })), "completed null");
    assert_eq!(outcome(json!({ "ref": "@input.v", "exists": false })), "completed 1");
    assert_eq!(outcome(json!({ "ref": "@input.v.w[3]", "exists": true })), "completed null");
    assert!(
        outcome(json!({ "ref": "@input.v" }))
            .starts_with("failed at `a`: failed critically: ref: `@input.v`")
    );
}

#[test]
fn a_skipped_step_is_null_for_those_that_refer_to_it_and_says_why() {
    let definition = steps(json!([
        { "name": "a", "when": { "ref": "@input.go", "eq": true }, "action": { "toolName": "T" }, "input": { "x": 1 } },
        { "name": "b", "action": { "toolName": "T" },
          "input": { "whole": "@a", "part": "@a.x.y[2]", "text": "<@a.x>" } },
        { "name": "c", "when": { "ref": "@a.x" }, "action": { "toolName": "T" }, "input": 1 },
        { "name": "d", "when": { "ref": "@c", "exists": false }, "action": { "toolName": "T" }, "input": "no c" },
    ]));
    let scene = scene(definition, host).input(json!({ "go": false }));
    let played = scene.play_with_every_cut();
    assert_eq!(
        played.output(),
        json!({ "b": { "whole": null, "part": null, "text": "<>" }, "d": "no c" })
    );
    assert_eq!(played.callers(), ["b", "d"]);
    let text = played.text();
    assert!(text.contains("StepSkipped a \"@input.go eq true is not so\""), "{text}");
    assert!(text.contains("StepSkipped c \"@a.x is not true\""), "{text}");
}
