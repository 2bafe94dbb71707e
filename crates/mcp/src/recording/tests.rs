//! The recording as a function of its commands, without tools.

use serde_json::{Value, json};
use stepwell_graph::Graph;
use stepwell_journal::{Failure, FailureKind, UnixMillis};

use super::decide::{Decision, decide};
use super::*;
use crate::limits::{RECORDED_CALL_MS_MAX, RECORDED_INPUTS_MAX, RECORDED_STEPS_MAX};

const NOW: UnixMillis = UnixMillis(1);

fn call(tool: &str, input: Value) -> Command {
    Command::Call { tool: tool.to_owned(), server: Some("s".to_owned()), input, timeout_ms: None }
}

/// Carries out a command; a call gives `output`.
fn obey(
    recording: &mut Recording,
    command: Command,
    output: Value,
) -> Result<Option<Value>, Refusal> {
    match decide(recording, command)? {
        Decision::Change(change) => {
            recording.apply(change, NOW);
            Ok(None)
        }
        Decision::Call { change, step, input, .. } => {
            recording.apply(change, NOW);
            recording.completed(&step, &answer_with(&output), NOW);
            Ok(Some(input))
        }
        Decision::Preset { change, step, output } => {
            recording.apply(change, NOW);
            recording.completed(&step, &answer_with(&output), NOW);
            Ok(None)
        }
    }
}

fn refusal(recording: &mut Recording, command: Command) -> String {
    obey(recording, command, Value::Null).unwrap_err().to_string()
}

/// A user was looked up by a named input, and orders by a literal that is the user's id.
fn recorded() -> Recording {
    let mut recording =
        Recording::new(RecordingInput { title: Some("Orders".to_owned()), description: None });
    let name = Command::NameInput {
        name: "email".to_owned(),
        value: json!("ada@x.org"),
        description: None,
    };
    obey(&mut recording, name, Value::Null).unwrap();
    let user = json!({ "id": 4711, "name": "Ada Lovelace", "tags": ["vip"] });
    let given =
        obey(&mut recording, call("GET_USER", json!({ "email": "@input.email" })), user).unwrap();
    assert_eq!(given, Some(json!({ "email": "ada@x.org" })));
    let orders = json!([{ "no": "A-17" }]);
    obey(&mut recording, call("GET_ORDERS", json!({ "user": 4711, "page": 1 })), orders).unwrap();
    recording
}

fn fail(recording: &mut Recording, tool: &str) {
    let Ok(Decision::Call { change, step, .. }) = decide(recording, call(tool, json!({}))) else {
        panic!("no call");
    };
    recording.apply(change, NOW);
    recording.failed(&step, &Failure::new(FailureKind::Critical, "no luck"), NOW);
}

#[test]
fn refs_are_resolved_strictly() {
    let mut recording = recorded();
    let text = json!({ "text": "Dear @get_user_1.name, mail test@example.com or @@home" });
    let given = obey(&mut recording, call("SEND", text), Value::Null).unwrap();
    assert_eq!(given, Some(json!({ "text": "Dear Ada Lovelace, mail test@example.com or @home" })));
    let cases = [
        (
            json!({ "a": "@get_user_2.id" }),
            "`input.a`: there is no step `get_user_2`; steps with an output: get_user_1, get_orders_1, send_1",
        ),
        (
            json!({ "a": ["@get_user_1.mail"] }),
            "`input`: `@get_user_1.mail`: `@get_user_1` has no key `mail`",
        ),
        (
            json!({ "a": "@input.user_id" }),
            "`input`: `@input.user_id`: `@input` has no key `user_id`",
        ),
        (json!({ "a": "@get_user_1[x]" }), "`input.a`"),
    ];
    for (input, said) in cases {
        let refused = refusal(&mut recording, call("X", input));
        assert!(refused.starts_with(said), "{refused}");
    }
    assert_eq!(recording.steps.len(), 3, "nothing was recorded");
}

#[test]
fn failed_and_unfinished_steps_have_no_output_to_refer_to() {
    let mut recording = recorded();
    fail(&mut recording, "BROKEN");
    let refused = refusal(&mut recording, call("X", json!({ "a": "@broken_1" })));
    assert!(refused.contains("`broken_1` failed"), "{refused}");
    let Ok(Decision::Call { change, .. }) = decide(&recording, call("SLOW", json!({}))) else {
        panic!("no call");
    };
    recording.apply(change, NOW);
    let refused = refusal(&mut recording, call("X", json!({ "a": "@slow_1" })));
    assert!(refused.contains("`slow_1` has not ended yet"), "{refused}");
    let unsaved = definition(&recording, "x").unwrap_err().to_string();
    assert!(unsaved.contains("slow_1 have not ended yet"), "{unsaved}");
}

#[test]
fn literals_that_equal_earlier_outputs_are_proposed_and_placed() {
    let mut recording = recorded();
    let mail = json!({ "to": "ada@x.org", "about": "A-17", "n": 1, "who": "Ada Lovelace", "text": "@get_user_1.name" });
    obey(&mut recording, call("SEND", mail), Value::Null).unwrap();
    let mut found: Vec<(String, String, Vec<String>)> =
        proposals(&recording).into_iter().map(|one| (one.step, one.pointer, one.refs)).collect();
    found.sort();
    assert_eq!(
        found,
        [
            ("get_orders_1".into(), "/user".into(), vec!["@get_user_1.id".into()]),
            ("send_1".into(), "/about".into(), vec!["@get_orders_1[0].no".into()]),
            ("send_1".into(), "/to".into(), vec!["@input.email".into()]),
            ("send_1".into(), "/who".into(), vec!["@get_user_1.name".into()]),
        ],
        "an address is no ref, the text is one already, and 1 is too common"
    );
    let place = |pointer: &str, written: &str| Command::PlaceRef {
        step: "get_orders_1".to_owned(),
        pointer: pointer.to_owned(),
        written: written.to_owned(),
    };
    obey(&mut recording, place("/user", "@get_user_1.id"), Value::Null).unwrap();
    assert_eq!(recording.step("get_orders_1").unwrap().made.input["user"], "@get_user_1.id");
    for (pointer, written, said) in [
        ("/user", "@get_user_1.name", "has another value"),
        ("/nowhere", "@get_user_1.id", "has nothing at `/nowhere`"),
        ("/page", "1", "is no ref"),
        ("/page", "@send_1.x", "comes after"),
    ] {
        let refused = refusal(&mut recording, place(pointer, written));
        assert!(refused.contains(said), "{refused}");
    }
}

#[test]
fn what_is_saved_is_a_graph_without_the_failures() {
    let mut recording = recorded();
    fail(&mut recording, "GET_USER");
    let preset = Command::Preset {
        name: Some("rates".to_owned()),
        tool: None,
        server: None,
        input: Value::Null,
        output: json!({ "eur": 1.1 }),
    };
    obey(&mut recording, preset, Value::Null).unwrap();
    obey(&mut recording, call("PAY", json!({ "rate": "@rates.eur" })), Value::Null).unwrap();
    let saved = definition(&recording, "orders").unwrap();
    let graph = Graph::new(&saved).unwrap();
    let names: Vec<&str> = graph.steps().iter().map(|step| step.name.as_str()).collect();
    assert_eq!(names, ["get_user_1", "get_orders_1", "rates", "pay_1"]);
    assert!(graph.check_input(&json!({ "email": "b@x.org" })).is_ok());
    assert!(
        graph.check_input(&json!({})).is_err()
            && graph.check_input(&json!({ "email": 1 })).is_err()
    );
    let written = serde_json::to_value(&saved).unwrap();
    assert_eq!(written["steps"][0]["action"], json!({ "toolName": "GET_USER", "server": "s" }));
    assert_eq!(written["steps"][0]["input"], json!({ "email": "@input.email" }));
    assert_eq!(
        written["steps"][2]["action"]["code"],
        "export default function () {\n  return {\"eur\":1.1};\n}\n"
    );
    let empty = definition(&Recording::default(), "x").unwrap_err().to_string();
    assert!(empty.contains("nothing to save"), "{empty}");
}

#[test]
fn a_step_that_others_refer_to_stays() {
    let mut recording = recorded();
    obey(&mut recording, call("SEND", json!({ "to": "@get_user_1.name" })), Value::Null).unwrap();
    let drop = |step: &str| Command::Drop { step: step.to_owned() };
    assert!(refusal(&mut recording, drop("get_user_1")).contains("send_1 refer to `get_user_1`"));
    assert!(refusal(&mut recording, drop("nobody")).contains("there is no step `nobody`"));
    obey(&mut recording, drop("send_1"), Value::Null).unwrap();
    obey(&mut recording, drop("get_user_1"), Value::Null).unwrap();
    // A name that was given once is not given again: the journal has an entry of that name.
    obey(&mut recording, call("GET_USER", json!({})), Value::Null).unwrap();
    assert_eq!(recording.steps.last().unwrap().name, "get_user_2");
}

#[test]
fn every_limit_is_told_by_its_name() {
    let mut recording = Recording::default();
    let name =
        |n: usize| Command::NameInput { name: format!("i{n}"), value: json!(1), description: None };
    for n in 0..RECORDED_INPUTS_MAX {
        obey(&mut recording, name(n), Value::Null).unwrap();
    }
    assert!(refusal(&mut recording, name(RECORDED_INPUTS_MAX)).contains("RECORDED_INPUTS_MAX"));
    obey(&mut recording, name(0), Value::Null).unwrap();
    let bad = Command::NameInput { name: "user id".to_owned(), value: json!(1), description: None };
    assert!(refusal(&mut recording, bad).contains("identifier"));
    let slow = |ms| Command::Call {
        tool: "t".to_owned(),
        server: None,
        input: Value::Null,
        timeout_ms: Some(ms),
    };
    for ms in [0, RECORDED_CALL_MS_MAX + 1] {
        assert!(refusal(&mut recording, slow(ms)).contains("is not between 1 and 600000"));
    }
    for _ in 0..RECORDED_STEPS_MAX {
        obey(&mut recording, slow(1), Value::Null).unwrap();
    }
    assert!(refusal(&mut recording, slow(1)).contains("RECORDED_STEPS_MAX"));
}
