//! Plans: the document's examples, and every rule.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod kit;

use expect_test::expect;
use serde_json::{Value, json};
use stepwell_flow::limits::{FLOW_DEPTH_MAX, GOALS_MAX, PLAN_STEPS_MAX, START_BYTES_MAX};
use stepwell_flow::{
    AttributeName, Catalog, Excluded, Exclusion, Matcher, Plan, PlanRequest, Script,
    StepDefinition, StepId, Undecided,
};

use kit::{catalog, catalog_of, flow, flow_json, ids, parse, plan, request, step, step_json};

fn names(names: &[AttributeName]) -> Vec<&str> {
    names.iter().map(AttributeName::as_str).collect()
}

/// A step as in [`step`], with more fields for one of its inputs.
fn with_input(text: &str, input: &str, fields: Value) -> StepDefinition {
    let mut value = step_json(text);
    kit::merge(&mut value["attributes"][input], &fields);
    parse(&value).unwrap()
}

fn reason<'a>(excluded: &'a std::collections::BTreeMap<StepId, Exclusion>, id: &str) -> &'a str {
    &excluded[id].reason
}

/// The steps of "Planning from Goals".
fn shop() -> Catalog {
    catalog_of(&[
        "A: -> customer_id",
        "B: customer_id -> order_list",
        "C: order_list -> total_value",
        "D: total_value -> recommendation",
    ])
}

#[test]
fn planning_from_goals() {
    let plan = plan(&shop(), &["D"], json!({}));
    expect![[r#"
        {
          "goals": [
            "D"
          ],
          "steps": {
            "A": {
              "id": "A",
              "type": "script",
              "attributes": {
                "customer_id": {
                  "role": "output"
                }
              },
              "script": {
                "language": "ale",
                "source": "x"
              }
            },
            "B": {
              "id": "B",
              "type": "script",
              "attributes": {
                "customer_id": {
                  "role": "required"
                },
                "order_list": {
                  "role": "output"
                }
              },
              "script": {
                "language": "ale",
                "source": "x"
              }
            },
            "C": {
              "id": "C",
              "type": "script",
              "attributes": {
                "order_list": {
                  "role": "required"
                },
                "total_value": {
                  "role": "output"
                }
              },
              "script": {
                "language": "ale",
                "source": "x"
              }
            },
            "D": {
              "id": "D",
              "type": "script",
              "attributes": {
                "recommendation": {
                  "role": "output"
                },
                "total_value": {
                  "role": "required"
                }
              },
              "script": {
                "language": "ale",
                "source": "x"
              }
            }
          },
          "attributes": {
            "customer_id": {
              "providers": [
                "A"
              ],
              "consumers": [
                "B"
              ]
            },
            "order_list": {
              "providers": [
                "B"
              ],
              "consumers": [
                "C"
              ]
            },
            "recommendation": {
              "providers": [
                "D"
              ],
              "consumers": []
            },
            "total_value": {
              "providers": [
                "C"
              ],
              "consumers": [
                "D"
              ]
            }
          },
          "required": [],
          "excluded": {
            "satisfied": {},
            "missing": {},
            "blocked": {}
          }
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&plan).unwrap());
}

#[test]
fn what_the_initial_state_has_is_not_computed() {
    let plan = plan(&shop(), &["D"], json!({"customer_id": 123}));
    assert_eq!(ids(plan.steps.keys()), ["B", "C", "D"]);
    assert_eq!(names(&plan.required), [] as [&str; 0]);
    expect![[r#"{"satisfied":{"A":{"attributes":["customer_id"],"reason":"the initial state has `customer_id`"}},"missing":{},"blocked":{}}"#]].assert_eq(&serde_json::to_string(&plan.excluded).unwrap());
    assert_eq!(ids(&plan.attributes["customer_id"].consumers), ["B"]);
    assert_eq!(plan.obstacles(), []);
}

#[test]
fn what_nobody_provides_is_required_and_the_way_is_shown() {
    let shop = shop().without_step("A").unwrap().catalog;
    let plan = plan(&shop, &["D"], json!({}));
    assert_eq!(ids(plan.steps.keys()), ["B", "C", "D"]);
    assert_eq!(names(&plan.required), ["customer_id"]);
    assert_eq!(plan.excluded, Excluded::default());
    let obstacles: Vec<String> = plan.obstacles().iter().map(|it| it.to_string()).collect();
    assert_eq!(
        obstacles,
        [
            "/init/customer_id: init_missing: `customer_id` is needed by `B`, and no step provides it: give it in `init`"
        ]
    );
}

#[test]
fn the_plan_of_the_event_has_its_shape() {
    let two = catalog_of(&["fetch-user: user_id -> email", "send-email: email -> message_id"]);
    let plan = plan(&two, &["send-email"], json!({"user_id": "12345"}));
    let value = serde_json::to_value(&plan).unwrap();
    assert_eq!(value["goals"], json!(["send-email"]));
    assert_eq!(
        value["attributes"],
        json!({
            "user_id": {"providers": [], "consumers": ["fetch-user"]},
            "email": {"providers": ["fetch-user"], "consumers": ["send-email"]},
            "message_id": {"providers": ["send-email"], "consumers": []},
        })
    );
    assert_eq!(value["steps"]["send-email"]["attributes"]["email"], json!({"role": "required"}));
}

#[test]
fn all_providers_that_can_run_compete() {
    let all = catalog_of(&["p: -> x", "q: -> x", "r: k -> x", "g: x -> y"]);
    let without = plan(&all, &["g"], json!({}));
    assert_eq!(ids(&without.attributes["x"].providers), ["p", "q"]);
    assert_eq!(
        reason(&without.excluded.missing, "r"),
        "the initial state lacks `k`, and no step can provide it"
    );
    let with = plan(&all, &["g"], json!({"k": 1}));
    assert_eq!(ids(&with.attributes["x"].providers), ["p", "q", "r"]);
    assert_eq!(with.excluded, Excluded::default());
}

#[test]
fn a_provider_that_fails_far_up_is_left_out_with_what_it_lacks() {
    let all = catalog_of(&["p: -> x", "u: nothing -> v", "q: v -> x", "g: x ->"]);
    let plan = plan(&all, &["g"], json!({}));
    assert_eq!(ids(plan.steps.keys()), ["g", "p"]);
    assert_eq!(names(&plan.excluded.missing["q"].attributes), ["v"]);
}

#[test]
fn where_nothing_can_run_all_ways_are_shown() {
    let all = catalog_of(&["p: a -> x", "q: b -> x", "g: x ->"]);
    let plan = plan(&all, &["g"], json!({}));
    assert_eq!(ids(plan.steps.keys()), ["g", "p", "q"]);
    assert_eq!(names(&plan.required), ["a", "b"]);
    // One of them is enough.
    let plan = kit::plan(&all, &["g"], json!({"b": 1}));
    assert_eq!(ids(plan.steps.keys()), ["g", "q"]);
    assert_eq!(plan.obstacles(), []);
}

#[test]
fn optional_inputs_pull_in_their_providers_and_require_nothing() {
    let all = catalog_of(&["p: -> x", "q: missing -> z", "g: x?, y?, z? -> w"]);
    let plan = plan(&all, &["g"], json!({}));
    assert_eq!(ids(plan.steps.keys()), ["g", "p"]);
    assert_eq!(names(&plan.required), [] as [&str; 0]);
    assert_eq!(names(&plan.excluded.missing["q"].attributes), ["missing"]);
    assert_eq!(ids(&plan.attributes["y"].consumers), ["g"]);
}

#[test]
fn a_goal_that_is_satisfied_needs_no_step() {
    let plan = plan(&shop(), &["D"], json!({"recommendation": "buy"}));
    assert!(plan.steps.is_empty() && plan.required.is_empty());
    assert_eq!(reason(&plan.excluded.satisfied, "D"), "the initial state has `recommendation`");
    assert_eq!(plan.obstacles(), []);
}

#[test]
fn a_step_that_gives_nothing_is_never_satisfied() {
    let all = catalog_of(&["notify: ->", "half: -> x, y"]);
    let plan = plan(&all, &["notify", "half"], json!({"x": 1}));
    assert_eq!(ids(plan.steps.keys()), ["half", "notify"]);
}

#[test]
fn constants_and_metadata_are_nobodys_attributes() {
    let mut value = step_json("g: -> y");
    value["attributes"]["x"] = json!({"role": "const", "value": "1"});
    value["attributes"]["run"] = json!({"role": "meta", "key": "run_id"});
    let all = catalog([step("p: -> x, run"), parse(&value).unwrap()]);
    let plan = plan(&all, &["g"], json!({}));
    assert_eq!(ids(plan.steps.keys()), ["g"]);
    assert_eq!(plan.attributes.keys().map(|it| it.as_str()).collect::<Vec<_>>(), ["y"]);
}

#[test]
fn several_goals_share_one_plan() {
    let all = catalog_of(&["p: -> x", "g: x -> y", "h: x -> z", "other: x -> w"]);
    let plan = plan(&all, &["h", "g", "h"], json!({}));
    assert_eq!(ids(&plan.goals), ["h", "g"]);
    assert_eq!(ids(plan.steps.keys()), ["g", "h", "p"]);
}

#[test]
fn a_value_settles_only_an_input_that_takes_the_first() {
    for (collect, expected) in [
        ("first", vec!["g"]),
        ("last", vec!["g", "p"]),
        ("some", vec!["g", "p"]),
        ("all", vec!["g", "p"]),
    ] {
        let consumer = with_input("g: x ->", "x", json!({"collect": collect}));
        let all = catalog([step("p: -> x"), consumer]);
        let plan = plan(&all, &["g"], json!({"x": 1}));
        assert_eq!(ids(plan.steps.keys()), expected, "{collect}");
        assert_eq!(plan.obstacles(), []);
    }
}

#[test]
fn a_step_that_runs_only_without_a_value() {
    let consumer = with_input("g: x -> y", "x", json!({"collect": "none"}));
    let all = catalog([step("p: -> x"), consumer]);
    // Whether anybody provides it shows only when they have tried.
    let open = plan(&all, &["g"], json!({}));
    assert_eq!(ids(open.steps.keys()), ["g", "p"]);
    let alone = plan(&all.without_step("p").unwrap().catalog, &["g"], json!({}));
    assert_eq!(ids(alone.steps.keys()), ["g"]);
    assert_eq!(alone.obstacles(), []);

    let blocked = plan(&all, &["g"], json!({"x": 1}));
    assert!(blocked.steps.is_empty());
    let obstacles: Vec<String> = blocked.obstacles().iter().map(|it| it.to_string()).collect();
    assert_eq!(
        obstacles,
        [
            "/goals/0: goal_blocked: `g` cannot run: it runs only without `x`, and the initial state has it"
        ]
    );
}

#[test]
fn who_needs_a_blocked_step_needs_its_output_from_elsewhere() {
    let blocked = with_input("b: x -> y", "x", json!({"collect": "none"}));
    let all = catalog([blocked, step("g: y ->")]);
    let plan = plan(&all, &["g"], json!({"x": 1}));
    assert_eq!(ids(plan.steps.keys()), ["g"]);
    assert_eq!(names(&plan.required), ["y"]);
    assert_eq!(plan.excluded.blocked.len(), 1);
}

/// Matches texts that hold the script's source.
struct Holds;

impl Matcher for Holds {
    fn matches(&self, script: &Script, value: &Value) -> Option<bool> {
        value.as_str().map(|text| text.contains(&script.source))
    }
}

#[test]
fn a_value_that_does_not_match_does_not_satisfy() {
    let matching = |collect: &str| {
        let fields = json!({"collect": collect, "match": {"language": "lua", "source": "gold"}});
        with_input("g: x -> y", "x", fields)
    };
    let check = |collect: &str, has_provider: bool, value: Value| -> String {
        let mut steps = vec![matching(collect)];
        steps.extend(has_provider.then(|| step("p: -> x")));
        let plan = catalog(steps).plan(&request(&["g"], json!({"x": value})), &Holds).unwrap();
        match plan.excluded.blocked.get("g") {
            Some(exclusion) => exclusion.reason.clone(),
            None => ids(plan.steps.keys()).join(" "),
        }
    };
    assert_eq!(check("first", true, json!("golden")), "g");
    assert_eq!(check("first", true, json!("silver")), "g p");
    assert_eq!(
        check("first", false, json!("silver")),
        "the initial value of `x` does not match, and no step can provide another"
    );
    assert_eq!(check("first", true, json!(7)), "g p", "left to the run");
    assert_eq!(check("first", false, json!(7)), "g", "left to the run");
    assert_eq!(check("last", true, json!("golden")), "g p");
    assert_eq!(check("some", false, json!("golden")), "g");
    assert_eq!(
        check("all", true, json!("silver")),
        "the initial value of `x` does not match, and all must"
    );
    assert_eq!(check("none", false, json!("silver")), "g");
    assert_eq!(
        check("none", false, json!("golden")),
        "it runs only without `x`, and the initial state has it"
    );
}

fn payments() -> Catalog {
    let mut pay = flow_json("pay: order -> payment_receipt", &["charge"]);
    pay["flow"]["inputs"] = json!({"order": "order_id"});
    pay["flow"]["outputs"] = json!({"receipt": "payment_receipt"});
    catalog([
        step("load: order_id -> amount"),
        step("charge: amount, order_id -> receipt"),
        parse(&pay).unwrap(),
        step("ship: payment_receipt -> parcel"),
    ])
}

#[test]
fn flow_steps_bring_their_own_plans() {
    let plan = plan(&payments(), &["ship"], json!({"order": 7}));
    assert_eq!(ids(plan.steps.keys()), ["pay", "ship"]);
    let child = &plan.children["pay"];
    assert_eq!(ids(&child.goals), ["charge"]);
    assert_eq!(ids(child.steps.keys()), ["charge", "load"]);
    assert_eq!(names(&child.required), [] as [&str; 0]);
    assert_eq!(plan.child("pay").as_ref(), Some(child));
    assert_eq!(plan.child("ship"), None);
}

#[test]
fn a_flow_step_whose_flow_lacks_something_is_blocked() {
    let all = catalog([
        step("charge: card, amount -> receipt"),
        flow("pay: amount -> receipt", &["charge"]),
    ]);
    let lacking = plan(&all, &["pay"], json!({"amount": 1}));
    assert_eq!(
        reason(&lacking.excluded.blocked, "pay"),
        "its flow needs `card`, which no step provides"
    );
    let all =
        catalog([step("charge: card -> receipt"), flow("pay: card? -> receipt", &["charge"])]);
    let leaving_out = plan(&all, &["pay"], json!({"card": 1}));
    assert_eq!(
        reason(&leaving_out.excluded.blocked, "pay"),
        "its flow needs `card`, which no step provides; the input `card` may leave it out: make it required, or give it a default"
    );
    let none = with_input("alone: x -> y", "x", json!({"collect": "none"}));
    let all = catalog([none, flow("outer: x ->", &["alone"])]);
    assert_eq!(
        reason(&plan(&all, &["outer"], json!({"x": 1})).excluded.blocked, "outer"),
        "its goal `alone` cannot run: it runs only without `x`, and the initial state has it"
    );
}

#[test]
fn a_flow_step_in_several_places_is_planned_once() {
    let all = catalog([
        step("leaf: -> l"),
        flow("inner: -> i", &["leaf"]),
        flow("left: -> x", &["inner"]),
        flow("right: -> y", &["inner"]),
        step("g: x, y -> z"),
    ]);
    let plan = plan(&all, &["g"], json!({}));
    assert_eq!(ids(plan.children.keys()), ["inner", "left", "right"]);
    assert!(plan.children.values().all(|child| child.children.is_empty()));
    // What a child run is given is complete, and no more than that.
    let left = plan.child("left").unwrap();
    assert_eq!(ids(left.children.keys()), ["inner"]);
    assert_eq!(left.child("inner").unwrap().children.len(), 0);
}

#[test]
fn flows_in_one_another_have_a_bound() {
    let nested = |n: usize| {
        let mut steps = vec![step("s0: -> a0")];
        steps.extend((1..=n).map(|n| flow(&format!("s{n}: -> a{n}"), &[&format!("s{}", n - 1)])));
        catalog(steps)
    };
    let goal = format!("s{FLOW_DEPTH_MAX}");
    let deep = plan(&nested(FLOW_DEPTH_MAX), &[&goal], json!({}));
    assert_eq!(deep.obstacles(), []);
    assert_eq!(deep.children.len(), FLOW_DEPTH_MAX);
    let goal = format!("s{}", FLOW_DEPTH_MAX + 1);
    let deeper = plan(&nested(FLOW_DEPTH_MAX + 1), &[&goal], json!({}));
    assert_eq!(
        reason(&deeper.excluded.blocked, &goal),
        "more than 16 flows lie in one another below this step"
    );
    // However deep it goes, and whatever else depends on it.
    let goal = "s3000";
    let plan = plan(&nested(3000), &[goal, "s16"], json!({}));
    assert_eq!(ids(plan.excluded.blocked.keys()), [goal]);
    assert_eq!(ids(plan.steps.keys()), ["s16"]);
}

#[test]
fn goals_that_do_not_exist_are_told_with_near_names() {
    let all = catalog_of(&["send-email: -> a", "send-emails: -> b", "fetch-user: -> c"]);
    let problems = |goals: &[&str]| {
        let problems = all.plan(&request(goals, json!({})), &Undecided).unwrap_err();
        problems.to_string()
    };
    assert_eq!(
        problems(&["send-emial", "fetch-user", "nonsense"]),
        "/goals/0: goal_unknown: there is no step `send-emial`; did you mean `send-email` or `send-emails`?\n\
         /goals/2: goal_unknown: there is no step `nonsense`"
    );
    assert_eq!(problems(&[]), "/goals: no_goals: name at least one goal");
    let many: Vec<String> = (0..=GOALS_MAX).map(|n| format!("g{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert!(
        problems(&many)
            .starts_with("/goals: too_many: there are 65 goals, at most 64 are allowed\n")
    );
    assert_eq!(all.nearest("send-emial").len(), 2);
}

#[test]
fn sixty_four_goals_are_allowed() {
    let all: Vec<String> = (0..GOALS_MAX).map(|n| format!("g{n}: -> a{n}")).collect();
    let catalog = catalog(all.iter().map(|text| step(text)));
    let goals: Vec<String> = (0..GOALS_MAX).map(|n| format!("g{n}")).collect();
    let goals: Vec<&str> = goals.iter().map(String::as_str).collect();
    assert_eq!(plan(&catalog, &goals, json!({})).steps.len(), GOALS_MAX);
}

#[test]
fn values_of_the_initial_state_must_have_the_declared_type() {
    let text = with_input("g: x, y? -> z", "x", json!({"type": "string"}));
    let list = with_input("h: l ->", "l", json!({"type": "array", "for_each": true}));
    let all = catalog([text, list, step("unrelated: w ->")]);
    let problems = |init: Value| match all.plan(&request(&["g", "h"], init), &Undecided) {
        Ok(_) => String::new(),
        Err(problems) => problems.to_string(),
    };
    assert_eq!(problems(json!({"x": "a", "y": null, "l": [], "w": 1, "unknown": 2})), "");
    assert_eq!(
        problems(json!({"x": 5, "l": "a"})),
        "/init/l: init_type: `l` is a text, and `h` takes array here\n\
         /init/x: init_type: `x` is a number, and `g` takes string here"
    );
    assert_eq!(
        problems(json!({"x": null, "l": []})),
        "/init/x: init_type: `x` is null, and `g` takes string here"
    );
    // A list of the values of all providers is made for the step: each value may be anything.
    let collecting = with_input("c: x ->", "x", json!({"type": "array", "collect": "all"}));
    let plan = plan(&catalog([collecting]), &["c"], json!({"x": 5}));
    assert_eq!(plan.obstacles(), []);
}

#[test]
fn a_plan_has_a_largest_size() {
    let layers: Vec<String> =
        (0..PLAN_STEPS_MAX).map(|n| format!("s{n}: a{n} -> a{}", n + 1)).collect();
    let all = catalog(layers.iter().map(|text| step(text)));
    let last = format!("s{}", PLAN_STEPS_MAX - 1);
    assert_eq!(plan(&all, &[&last], json!({"a0": 1})).steps.len(), PLAN_STEPS_MAX);
    let more = all
        .with_step(step(&format!("z: a{PLAN_STEPS_MAX} ->")), &kit::Parentheses)
        .unwrap()
        .catalog;
    let problems = more.plan(&request(&["z"], json!({"a0": 1})), &Undecided).unwrap_err();
    assert_eq!(
        problems.to_string(),
        "/goals: plan_too_large: the plan has 20001 steps, at most 20000 are allowed: name fewer goals, or give more in `init`"
    );
}

#[test]
fn requests_are_read_strictly() {
    let read = |text: &str| PlanRequest::parse(text.as_bytes()).map_err(|it| it.to_string());
    let good = read(r#"{"goals": ["a", "b"], "init": {"x": [1, {"y": null}]}}"#).unwrap();
    assert_eq!(good, request(&["a", "b"], json!({"x": [1, {"y": null}]})));
    assert_eq!(read(r#"{"goals": ["a"]}"#).unwrap().init.len(), 0);
    assert_eq!(
        read(r#"{"goal": ["a"], "init": []}"#).unwrap_err(),
        "/goals: missing_field: the field `goals` is missing\n\
         /init: wrong_type: this must be an object, it is a list\n\
         /goal: unknown_field: there is no field `goal` here; did you mean `goals`?"
    );
    assert_eq!(
        read(r#"{"goals": ["a", 1]}"#).unwrap_err(),
        "/goals/1: wrong_type: this must be a text, it is a number"
    );
    assert_eq!(
        read(r#"{"goals": ["a"], "init": {"x": 1, "x": 2}}"#).unwrap_err(),
        "/init/x: duplicate_field: the field `x` is there twice: keep one"
    );
    assert_eq!(read("[]").unwrap_err(), "wrong_type: this must be an object, it is a list");
}

#[test]
fn a_request_has_at_most_a_megabyte() {
    let text = |n: usize| {
        let text = r#"{"goals": ["a"]}"#;
        format!("{}{text}", " ".repeat(n - text.len()))
    };
    assert_eq!(START_BYTES_MAX, 1024 * 1024);
    assert!(PlanRequest::parse(text(START_BYTES_MAX).as_bytes()).is_ok());
    assert_eq!(
        PlanRequest::parse(text(START_BYTES_MAX + 1).as_bytes()).unwrap_err().to_string(),
        "too_large: this has 1048577 bytes, at most 1048576 are allowed"
    );
}

#[test]
fn a_plan_reads_as_it_was_written() {
    let plan = plan(&payments(), &["ship"], json!({}));
    let text = serde_json::to_string(&plan).unwrap();
    let read: Plan = serde_json::from_str(&text).unwrap();
    assert_eq!(read, plan);
    assert_eq!(serde_json::to_string(&read).unwrap(), text);
    assert_eq!(read.version(), plan.version());
}

#[test]
fn a_plan_is_frozen() {
    let before = shop();
    let plan = plan(&before, &["D"], json!({}));
    let after = before.with_update(step("A: -> customer_id, more"), &kit::Parentheses).unwrap();
    assert_eq!(*plan.steps["A"], step("A: -> customer_id"));
    let again = kit::plan(&after.catalog, &["D"], json!({}));
    assert_ne!(again.version(), plan.version());
}

#[test]
fn a_plan_can_be_drawn() {
    let plan = plan(&payments(), &["ship"], json!({"order": 7}));
    let graph = plan.graph();
    let nodes: Vec<&str> = graph.nodes.iter().map(|node| node.id.as_str()).collect();
    assert_eq!(
        nodes,
        [
            "step:pay",
            "step:ship",
            "attribute:order",
            "attribute:parcel",
            "attribute:payment_receipt"
        ]
    );
}
