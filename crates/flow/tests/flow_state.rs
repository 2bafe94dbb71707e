//! The course of a flow, one fact at a time.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod kit;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use stepwell_flow::{
    AttributeName, Catalog, Decision, Fact, FactError, FlowOutcome, FlowState, StepDefinition,
    StepId, StepStatus,
};

use kit::{catalog, catalog_of, merge, parse, plan, request, step, step_json};

/// A flow, told in words.
struct Play {
    state: FlowState,
}

fn begin(catalog: &Catalog, goals: &[&str], init: Value) -> (Play, Vec<String>) {
    let plan = plan(catalog, goals, init.clone());
    let (state, decisions) = FlowState::begin(&plan, &request(goals, init).init).unwrap();
    (Play { state }, decisions.iter().map(tell).collect())
}

impl Play {
    #[track_caller]
    fn completed(&mut self, step: &str, outputs: Value) -> Vec<String> {
        let outputs = request(&[], outputs).init;
        self.apply(Fact::Completed { step: StepId::from(step), outputs })
    }

    #[track_caller]
    fn failed(&mut self, step: &str) -> Vec<String> {
        self.apply(Fact::Failed { step: StepId::from(step), error: "boom".into() })
    }

    #[track_caller]
    fn skipped(&mut self, step: &str) -> Vec<String> {
        let reason = "predicate returned false".into();
        self.apply(Fact::Skipped { step: StepId::from(step), reason })
    }

    #[track_caller]
    fn deadline_passed(&mut self, step: &str, attribute: &str) -> Vec<String> {
        let attribute = AttributeName::from(attribute);
        self.apply(Fact::DeadlinePassed { step: StepId::from(step), attribute })
    }

    #[track_caller]
    fn matched(&mut self, step: &str, provider: Option<&str>, is_match: bool) -> Vec<String> {
        self.apply(Fact::Matched {
            step: StepId::from(step),
            attribute: AttributeName::from("x"),
            provider: provider.map(StepId::from),
            is_match,
        })
    }

    #[track_caller]
    fn apply(&mut self, fact: Fact) -> Vec<String> {
        self.state.apply(fact).unwrap().iter().map(tell).collect()
    }
}

fn tell(decision: &Decision) -> String {
    match decision {
        Decision::SetAttribute { name, value, provider } => {
            format!("{name} = {value} of {provider}")
        }
        Decision::Match { step, attribute, provider, value } => {
            let provider = provider.as_ref().map_or("init", StepId::as_str);
            format!("match {step}.{attribute} {value} of {provider}")
        }
        Decision::Wait { step, attribute, deadline_ms } => {
            format!("wait {step}.{attribute} {deadline_ms} ms")
        }
        Decision::Start { step, inputs } => {
            let inputs: BTreeMap<&str, &Value> =
                inputs.iter().map(|(name, value)| (name.as_str(), value.as_ref())).collect();
            format!("start {step} {}", json!(inputs))
        }
        Decision::Skip { step, reason } => format!("skip {step}: {reason}"),
        Decision::Fail { step, error } => format!("fail {step}: {error}"),
        Decision::Stop { step } => format!("stop {step}"),
        Decision::End(FlowOutcome::Completed) => "end".into(),
        Decision::End(FlowOutcome::Failed { goal, error }) => {
            format!("end: {goal} failed: {error}")
        }
    }
}

/// A step as in [`step`], with more fields for one of its inputs.
fn with_input(text: &str, input: &str, fields: Value) -> StepDefinition {
    let mut value = step_json(text);
    merge(&mut value["attributes"][input], &fields);
    parse(&value).unwrap()
}

#[test]
fn steps_start_as_their_inputs_come() {
    let all = catalog_of(&["A: -> a", "B: a -> b", "C: a, b -> c"]);
    let (mut play, first) = begin(&all, &["C"], json!({}));
    assert_eq!(first, ["start A {}"]);
    assert_eq!(play.completed("A", json!({"a": 1})), ["a = 1 of A", r#"start B {"a":1}"#]);
    assert_eq!(play.completed("B", json!({"b": 2})), ["b = 2 of B", r#"start C {"a":1,"b":2}"#]);
    assert_eq!(play.completed("C", json!({"c": 3})), ["c = 3 of C", "end"]);
    assert_eq!(play.state.outcome(), Some(&FlowOutcome::Completed));
    let set: Vec<_> = play.state.attributes().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(set, ["a", "b", "c"]);
}

#[test]
fn a_goal_that_is_satisfied_ends_the_flow_at_once() {
    let all = catalog_of(&["A: -> a", "B: -> b"]);
    let (play, first) = begin(&all, &["A"], json!({"a": 1}));
    assert_eq!(first, ["end"]);
    assert_eq!(play.state.statuses().count(), 0);
    let (mut play, first) = begin(&all, &["A", "B"], json!({"a": 1}));
    assert_eq!(first, ["start B {}"]);
    assert_eq!(play.completed("B", json!({})), ["end"]);
}

#[test]
fn the_first_provider_wins_and_those_that_wait_are_skipped() {
    let all = catalog_of(&["p: -> x", "q: -> x", "s: -> k", "r: k -> x", "g: x -> y"]);
    let (mut play, first) = begin(&all, &["g"], json!({}));
    assert_eq!(first, ["start p {}", "start q {}", "start s {}"]);
    assert_eq!(
        play.completed("q", json!({"x": "fast"})),
        ["x = \"fast\" of q", "skip r: outputs not needed", r#"start g {"x":"fast"}"#]
    );
    // What comes late is let in and changes nothing.
    assert_eq!(play.completed("p", json!({"x": "slow"})), [] as [&str; 0]);
    assert_eq!(play.completed("g", json!({"y": 1})), ["y = 1 of g", "stop s", "end"]);
    assert_eq!(
        play.state.status("s"),
        Some(&StepStatus::Skipped { reason: "the flow has ended".into() })
    );
}

#[test]
fn a_flow_fails_when_no_provider_is_left() {
    let all = catalog_of(&["p: -> x", "q: -> x", "g: x -> y", "other: -> z"]);
    let (mut play, _) = begin(&all, &["g", "other"], json!({}));
    assert_eq!(play.failed("p"), [] as [&str; 0]);
    assert_eq!(
        play.skipped("q"),
        [
            "fail g: required input `x` is no longer available: `p` failed, `q` was skipped",
            "stop other",
            "end: g failed: required input `x` is no longer available: `p` failed, `q` was skipped",
        ]
    );
}

#[test]
fn a_provider_that_does_not_give_what_it_declares_is_as_good_as_none() {
    let all = catalog_of(&["p: -> x, w", "g: x -> y"]);
    let (mut play, _) = begin(&all, &["g"], json!({}));
    assert_eq!(
        play.completed("p", json!({"w": 1, "undeclared": 2})),
        [
            "w = 1 of p",
            "fail g: required input `x` is no longer available: `p` did not give it",
            "end: g failed: required input `x` is no longer available: `p` did not give it",
        ]
    );
}

#[test]
fn failure_goes_down_and_idleness_goes_up() {
    let all = catalog_of(&[
        "bad: -> a",
        "mid: a, h -> b",
        "low: b -> c",
        "src: -> i",
        "help: i -> h",
        "g: c? -> d",
    ]);
    let (mut play, first) = begin(&all, &["g"], json!({}));
    assert_eq!(first, ["start bad {}", "start src {}"]);
    // `help` would have helped `mid` only.
    assert_eq!(
        play.failed("bad"),
        [
            "fail mid: required input `a` is no longer available: `bad` failed",
            "fail low: required input `b` is no longer available: `mid` failed",
            "skip help: outputs not needed",
            "start g {}",
        ]
    );
    assert_eq!(play.completed("g", json!({"d": 1})), ["d = 1 of g", "stop src", "end"]);
}

#[test]
fn optional_inputs_have_their_default_or_nothing() {
    let mut value = step_json("g: x?, y?, z? -> w");
    merge(
        &mut value["attributes"],
        &json!({"x": {"default": "\"none\""}, "k": {"role": "const", "value": "[1]"}}),
    );
    let all = catalog([step("p: -> x"), step("q: -> z"), parse(&value).unwrap()]);
    let (mut play, first) = begin(&all, &["g"], json!({}));
    assert_eq!(first, ["start p {}", "start q {}"]);
    assert_eq!(play.completed("q", json!({"z": null})), ["z = null of q"]);
    assert_eq!(play.skipped("p"), [r#"start g {"k":[1],"x":"none","z":null}"#]);
}

#[test]
fn an_optional_input_is_waited_for_until_its_deadline() {
    let late = |deadline_ms: u64| {
        let fields = json!({"deadline_ms": deadline_ms, "default": "0"});
        let all =
            catalog([step("r: -> a"), step("p: -> x"), with_input("g: a, x? -> y", "x", fields)]);
        begin(&all, &["g"], json!({})).0
    };
    let mut play = late(500);
    // The time begins when the required inputs are there.
    assert_eq!(play.completed("r", json!({"a": 1})), ["a = 1 of r", "wait g.x 500 ms"]);
    assert_eq!(play.deadline_passed("g", "x"), [r#"start g {"a":1,"x":0}"#]);
    assert_eq!(
        play.completed("p", json!({"x": 7})),
        ["x = 7 of p"],
        "for this step it is too late"
    );

    let mut play = late(500);
    play.completed("r", json!({"a": 1}));
    assert_eq!(play.completed("p", json!({"x": 7})), ["x = 7 of p", r#"start g {"a":1,"x":7}"#]);
    assert_eq!(play.deadline_passed("g", "x"), [] as [&str; 0]);

    // With no time to wait, only what is there counts. Whoever was to provide it may still be running.
    let mut play = late(0);
    assert_eq!(play.completed("r", json!({"a": 1})), ["a = 1 of r", r#"start g {"a":1,"x":0}"#]);
    let mut play = late(0);
    play.completed("p", json!({"x": 7}));
    assert_eq!(play.completed("r", json!({"a": 1})), ["a = 1 of r", r#"start g {"a":1,"x":7}"#]);
}

#[test]
fn a_provider_that_was_waited_for_too_long_is_not_started() {
    let fields = json!({"deadline_ms": 10});
    let all = catalog([step("s: -> k"), step("p: k -> x"), with_input("g: x? -> y", "x", fields)]);
    let (mut play, first) = begin(&all, &["g"], json!({}));
    assert_eq!(first, ["wait g.x 10 ms", "start s {}"]);
    assert_eq!(play.deadline_passed("g", "x"), ["skip p: outputs not needed", "start g {}"]);
}

#[test]
fn values_combine_as_the_input_collects_them() {
    let started = |collect: &str| {
        let all = catalog([
            step("p: -> x"),
            step("q: -> x"),
            with_input("g: x -> y", "x", json!({"collect": collect})),
        ]);
        let (mut play, _) = begin(&all, &["g"], json!({"x": 0}));
        if collect == "first" {
            return vec![];
        }
        play.completed("q", json!({"x": 2}));
        play.completed("p", json!({"x": 1}))
    };
    assert_eq!(started("last"), [r#"start g {"x":1}"#]);
    assert_eq!(started("some"), [r#"start g {"x":[0,2,1]}"#], "as they arrived");
    assert_eq!(started("all"), [r#"start g {"x":[0,1,2]}"#], "in the order of providers");
}

#[test]
fn all_needs_every_provider_and_some_needs_one() {
    let fail_one = |collect: &str| {
        let all = catalog([
            step("p: -> x"),
            step("q: -> x"),
            with_input("g: x -> y", "x", json!({"collect": collect})),
        ]);
        let (mut play, _) = begin(&all, &["g"], json!({}));
        let mut told = play.completed("q", json!({"x": 2}));
        told.extend(play.failed("p"));
        told
    };
    assert_eq!(
        fail_one("all"),
        [
            "x = 2 of q",
            "fail g: required input `x` is no longer available: `p` failed",
            "end: g failed: required input `x` is no longer available: `p` failed",
        ]
    );
    assert_eq!(fail_one("some"), ["x = 2 of q", r#"start g {"x":[2]}"#]);
    assert_eq!(fail_one("last"), ["x = 2 of q", r#"start g {"x":2}"#]);
}

#[test]
fn a_step_that_stands_in_for_others_runs_only_without_them() {
    let stand_in = with_input("stand-in: x -> y", "x", json!({"collect": "none"}));
    let all = catalog([step("main: -> x"), stand_in, step("next: x -> y"), step("g: y ->")]);
    let (mut play, first) = begin(&all, &["g"], json!({}));
    assert_eq!(first, ["start main {}"]);
    assert_eq!(
        play.completed("main", json!({"x": 1})),
        ["x = 1 of main", "skip stand-in: input `x` has a value", r#"start next {"x":1}"#]
    );
    let (mut play, _) = begin(&all, &["g"], json!({}));
    assert_eq!(
        play.failed("main"),
        [
            "fail next: required input `x` is no longer available: `main` failed",
            "start stand-in {}",
        ]
    );
}

#[test]
fn only_matching_values_count() {
    let fields = json!({"match": {"language": "ale", "source": "value"}});
    let all = catalog([step("p: -> x"), step("q: -> x"), with_input("g: x -> y", "x", fields)]);
    let (mut play, _) = begin(&all, &["g"], json!({}));
    assert_eq!(play.completed("p", json!({"x": 1})), ["x = 1 of p", "match g.x 1 of p"]);
    assert_eq!(play.matched("g", Some("p"), false), [] as [&str; 0], "there is another provider");
    assert_eq!(play.completed("q", json!({"x": 2})), ["match g.x 2 of q"]);
    assert_eq!(play.matched("g", Some("q"), true), [r#"start g {"x":2}"#]);

    let (mut play, _) = begin(&all, &["g"], json!({}));
    play.completed("p", json!({"x": 1}));
    play.failed("q");
    assert_eq!(
        play.matched("g", Some("p"), false),
        ["skip g: no value of input `x` matches", "end"]
    );
}

#[test]
fn a_value_of_the_initial_state_is_asked_about_first() {
    let fields = json!({"match": {"language": "ale", "source": "value"}});
    let all = catalog([step("s: -> k"), step("p: k -> x"), with_input("g: x -> y", "x", fields)]);
    let (mut play, first) = begin(&all, &["g"], json!({"x": 0}));
    assert_eq!(first, ["match g.x 0 of init", "start s {}"]);
    assert_eq!(play.matched("g", None, true), ["skip p: outputs not needed", r#"start g {"x":0}"#]);
}

#[test]
fn a_goal_that_is_skipped_is_decided() {
    let all = catalog_of(&["g: -> x", "h: -> y"]);
    let (mut play, _) = begin(&all, &["g", "h"], json!({}));
    assert_eq!(play.skipped("g"), [] as [&str; 0]);
    assert_eq!(play.completed("h", json!({})), ["end"]);
}

#[test]
fn one_goal_that_fails_fails_the_flow() {
    let all = catalog_of(&["g: -> x", "h: -> y", "s: -> k", "i: k ->"]);
    let (mut play, _) = begin(&all, &["g", "h", "i"], json!({}));
    assert_eq!(
        play.failed("g"),
        ["stop h", "skip i: the flow has ended", "stop s", "end: g failed: boom"]
    );
    assert!(
        play.state
            .statuses()
            .all(|(_, status)| { !matches!(status, StepStatus::Pending | StepStatus::Active) })
    );
}

#[test]
fn facts_that_cannot_be_are_refused_and_change_nothing() {
    let all = catalog_of(&["p: -> x", "g: x ->"]);
    let (mut play, _) = begin(&all, &["g"], json!({}));
    let failed = |step: &str| Fact::Failed { step: StepId::from(step), error: "boom".into() };
    let id = StepId::from("g");
    assert_eq!(
        play.state.apply(failed("g")),
        Err(FactError::NotActive { step: id.clone(), status: StepStatus::Pending })
    );
    assert_eq!(
        play.state.apply(failed("nobody")),
        Err(FactError::UnknownStep { step: StepId::from("nobody") })
    );
    let attribute = AttributeName::from("y");
    assert_eq!(
        play.state.apply(Fact::DeadlinePassed { step: id.clone(), attribute: attribute.clone() }),
        Err(FactError::UnknownInput { step: id, attribute })
    );
    play.completed("p", json!({"x": 1}));
    assert_eq!(
        play.state.apply(failed("p")),
        Err(FactError::NotActive { step: StepId::from("p"), status: StepStatus::Completed })
    );
    play.completed("g", json!({}));
    assert_eq!(play.state.apply(failed("g")), Err(FactError::Ended));
}

#[test]
fn a_plan_with_obstacles_does_not_begin() {
    let all = catalog_of(&["g: x ->"]);
    let lacking = plan(&all, &["g"], json!({}));
    let problems = FlowState::begin(&lacking, &BTreeMap::new()).unwrap_err();
    assert_eq!(problems.as_slice()[0].code.as_str(), "init_missing");
    // What was missing when the plan was made may be there now.
    let (_, decisions) = FlowState::begin(&lacking, &request(&[], json!({"x": 1})).init).unwrap();
    assert_eq!(decisions.iter().map(tell).collect::<Vec<_>>(), [r#"start g {"x":1}"#]);
}

#[test]
fn what_the_plan_did_not_count_on_saves_work() {
    // A child's plan is made before its values are known; an optional input may be there after all.
    let all = catalog_of(&["p: -> x", "g: x -> y"]);
    let planned = plan(&all, &["g"], json!({}));
    let (_, decisions) = FlowState::begin(&planned, &request(&[], json!({"x": 1})).init).unwrap();
    let told: Vec<String> = decisions.iter().map(tell).collect();
    assert_eq!(told, ["skip p: outputs not needed", r#"start g {"x":1}"#]);
}

#[test]
fn a_long_chain_costs_each_fact_the_same() {
    let n = 5000;
    let chain: Vec<String> = (0..n).map(|n| format!("s{n}: a{n} -> a{}", n + 1)).collect();
    let all = catalog(chain.iter().map(|text| step(text)));
    let (mut play, mut told) = begin(&all, &[&format!("s{}", n - 1)], json!({"a0": 0}));
    for at in 0..n {
        assert_eq!(told.last().unwrap(), &format!("start s{at} {{\"a{at}\":{at}}}"));
        told = play.completed(&format!("s{at}"), json!({format!("a{}", at + 1): at + 1}));
    }
    assert_eq!(told.last().unwrap(), "end");
}
