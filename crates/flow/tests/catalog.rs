//! The catalog: what is taken, what is refused, and its journal.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod kit;

use expect_test::expect;
use serde_json::{Value, json};
use stepwell_flow::limits::CATALOG_STEPS_MAX;
use stepwell_flow::{
    Catalog, CatalogEvent, CatalogFoldError, Changed, Edit, Health, HealthStatus, Problems,
    StepDefinition, StepId, ValueType,
};

use kit::{Parentheses, catalog, catalog_of, flow, flow_json, ids, parse, step, step_json};

#[track_caller]
fn refused(changed: Result<Changed, Problems>, expected: &[&str]) {
    let problems = changed.unwrap_err().to_string();
    assert_eq!(problems.lines().collect::<Vec<_>>(), expected);
}

/// A step whose one attribute has a role and a type.
fn typed(id: &str, attribute: &str, fields: Value) -> StepDefinition {
    let mut value = step_json(&format!("{id}: ->"));
    value["attributes"][attribute] = fields;
    parse(&value).unwrap()
}

fn seed_step() -> StepDefinition {
    parse(&json!({
        "id": "send-email", "name": "Send Email", "type": "async",
        "http": {"url": "https://api.example.com/send-email", "method": "POST"},
        "attributes": {
            "recipient": {"role": "required", "type": "string"},
            "subject": {"role": "required", "type": "string"},
            "body": {"role": "optional", "type": "string", "default": "\"Hello!\""},
            "message_id": {"role": "output", "type": "string"},
        },
    }))
    .unwrap()
}

#[test]
fn a_step_that_is_registered_is_there_and_its_event_tells_all() {
    let changed = Catalog::new().with_step(seed_step(), &Parentheses).unwrap();
    assert_eq!(**changed.catalog.step("send-email").unwrap(), seed_step());
    assert_eq!(changed.catalog.health("send-email").status, HealthStatus::Unknown);
    expect![[r#"
        [
          {
            "type": "step_registered",
            "data": {
              "step": {
                "id": "send-email",
                "name": "Send Email",
                "type": "async",
                "attributes": {
                  "body": {
                    "role": "optional",
                    "type": "string",
                    "default": "\"Hello!\""
                  },
                  "message_id": {
                    "role": "output",
                    "type": "string"
                  },
                  "recipient": {
                    "role": "required",
                    "type": "string"
                  },
                  "subject": {
                    "role": "required",
                    "type": "string"
                  }
                },
                "http": {
                  "url": "https://api.example.com/send-email"
                }
              }
            }
          }
        ]"#]]
    .assert_eq(&serde_json::to_string_pretty(&changed.events).unwrap());
}

#[test]
fn the_same_step_again_changes_nothing() {
    let one = catalog([seed_step()]);
    let again = one.with_step(seed_step(), &Parentheses).unwrap();
    assert_eq!(again.events, []);
    assert_eq!(one.with_update(seed_step(), &Parentheses).unwrap().events, []);
}

#[test]
fn another_step_of_the_same_id_is_refused_and_an_update_is_not() {
    let one = catalog_of(&["a: -> x"]);
    refused(
        one.with_step(step("a: -> y"), &Parentheses),
        &["/id: step_exists: there is another step `a` already: update it, or choose another id"],
    );
    let updated = one.with_update(step("a: -> y"), &Parentheses).unwrap();
    assert_eq!(**updated.catalog.step("a").unwrap(), step("a: -> y"));
    assert!(
        matches!(&updated.events[0], CatalogEvent::StepUpdated { step } if step.id.as_str() == "a")
    );
    // The snapshot from before is what it was.
    assert_eq!(**one.step("a").unwrap(), step("a: -> x"));
}

#[test]
fn what_is_not_there_cannot_be_updated_or_removed() {
    let one = catalog_of(&["fetch-user: -> x"]);
    refused(
        one.with_update(step("fetch-usr: -> x"), &Parentheses),
        &["/id: step_unknown: there is no step `fetch-usr`; did you mean `fetch-user`?"],
    );
    refused(one.without_step("fetch"), &["step_unknown: there is no step `fetch`"]);
    refused(
        one.with_health("nobody", Health::healthy()),
        &["step_unknown: there is no step `nobody`"],
    );
}

#[test]
fn shape_comes_before_scripts_and_scripts_before_the_catalog() {
    let one = catalog_of(&["a: -> x"]);
    let mut bad = step("a: -> y");
    bad.predicate =
        Some(stepwell_flow::Script { language: stepwell_flow::Language::Ale, source: "(f".into() });
    bad.work.parallelism = 0;
    refused(
        one.with_step(bad.clone(), &Parentheses),
        &["/work/parallelism: out_of_range: 0 is not between 1 and 1000"],
    );
    bad.work.parallelism = 1;
    refused(
        one.with_step(bad.clone(), &Parentheses),
        &["/predicate/source: script_error: line 1, column 1: this parenthesis has no other"],
    );
    bad.predicate = None;
    refused(
        one.with_step(bad, &Parentheses),
        &["/id: step_exists: there is another step `a` already: update it, or choose another id"],
    );
}

#[test]
fn attributes_have_one_type_in_all_steps() {
    let string = json!({"role": "output", "type": "string"});
    let number = json!({"role": "required", "type": "number"});
    let two = catalog([typed("a", "user", string.clone()), typed("b", "user", string)]);
    refused(
        two.with_step(typed("c", "user", number), &Parentheses),
        &[
            "/attributes/user/type: type_clash: `user` has the type number here and string in `a` and `b`: an attribute has one type in all steps",
        ],
    );
    // Any is all types; constants and metadata are no attributes of the flow.
    for fields in [
        json!({"role": "required"}),
        json!({"role": "const", "type": "number", "value": "1"}),
        json!({"role": "meta", "key": "token"}),
        json!({"role": "required", "type": "array", "collect": "all"}),
    ] {
        assert!(two.with_step(typed("c", "user", fields), &Parentheses).is_ok());
    }
    assert_eq!(two.attribute("user").unwrap().kind, ValueType::String);
}

#[test]
fn any_is_no_bridge_between_types() {
    let any = json!({"role": "required"});
    let string = json!({"role": "required", "type": "string"});
    let boolean = json!({"role": "optional", "type": "boolean"});
    let two = catalog([typed("a", "x", any), typed("b", "x", string)]);
    refused(
        two.with_step(typed("c", "x", boolean), &Parentheses),
        &[
            "/attributes/x/type: type_clash: `x` has the type boolean here and string in `b`: an attribute has one type in all steps",
        ],
    );
}

#[test]
fn what_fans_out_gives_a_value_or_an_array_of_them() {
    let fan = parse(&json!({
        "id": "fan", "type": "script", "script": {"language": "ale", "source": "x"},
        "attributes": {
            "users": {"role": "required", "type": "array", "for_each": true},
            "mail": {"role": "output", "type": "string"},
        },
    }))
    .unwrap();
    let one = catalog([fan]);
    for kind in ["string", "array", "any"] {
        let consumer = typed("c", "mail", json!({"role": "required", "type": kind}));
        assert!(one.with_step(consumer, &Parentheses).is_ok(), "{kind}");
    }
    let consumer = typed("c", "mail", json!({"role": "required", "type": "number"}));
    refused(
        one.with_step(consumer, &Parentheses),
        &[
            "/attributes/mail/type: type_clash: `mail` has the type number here and string or array in `fan`: an attribute has one type in all steps",
        ],
    );
}

#[test]
fn what_a_flow_step_renames_keeps_its_type() {
    let charge = typed("charge", "order_id", json!({"role": "required", "type": "string"}));
    let mut pay = flow_json("pay: ->", &["charge"]);
    pay["attributes"]["order"] = json!({"role": "required", "type": "number"});
    pay["flow"]["inputs"] = json!({"order": "order_id"});
    let one = catalog([charge]);
    refused(
        one.with_step(parse(&pay).unwrap(), &Parentheses),
        &[
            "/attributes/order/type: type_clash: `order_id` has the type number here and string in `charge`: an attribute has one type in all steps",
        ],
    );
    // A script in between may change the type.
    pay["attributes"]["order"]["mapping"] = json!("$.id");
    assert!(one.with_step(parse(&pay).unwrap(), &Parentheses).is_ok());
}

#[test]
fn a_type_that_nobody_declares_any_more_is_free() {
    let one = catalog([typed("a", "x", json!({"role": "output", "type": "string"}))]);
    let number = typed("b", "x", json!({"role": "output", "type": "number"}));
    assert!(one.with_step(number.clone(), &Parentheses).is_err());
    let none = one.without_step("a").unwrap().catalog;
    assert!(none.attribute("x").is_none());
    assert!(none.with_step(number, &Parentheses).is_ok());
}

#[test]
fn cycles_through_attributes_are_refused_with_their_path() {
    let chain = catalog_of(&["b: y -> z", "c: z -> w"]);
    refused(
        chain.with_step(step("a: w -> y"), &Parentheses),
        &[
            "/attributes/w: attribute_cycle: this would wait for itself: `a` needs `w` from `c`, which needs `z` from `b`, which needs `y` from `a`",
        ],
    );
    refused(
        chain.with_step(step("a: w? -> y"), &Parentheses),
        &[
            "/attributes/w: attribute_cycle: this would wait for itself: `a` needs `w` from `c`, which needs `z` from `b`, which needs `y` from `a`",
        ],
    );
    assert!(chain.with_step(step("a: v -> y"), &Parentheses).is_ok());
    let closing = chain.with_step(step("a: v -> y"), &Parentheses).unwrap().catalog;
    refused(
        closing.with_update(step("a: v, z -> y"), &Parentheses),
        &[
            "/attributes/z: attribute_cycle: this would wait for itself: `a` needs `z` from `b`, which needs `y` from `a`",
        ],
    );
    let two = Catalog::new().with_edits(
        vec![Edit::Register(step("p: a -> b")), Edit::Register(step("q: b -> a"))],
        &Parentheses,
    );
    refused(
        two,
        &[
            "/0/attributes/a: attribute_cycle: this would wait for itself: `p` needs `a` from `q`, which needs `b` from `p`",
        ],
    );
}

#[test]
fn a_long_cycle_is_told_in_short() {
    let chain: Vec<String> = (0..40).map(|n| format!("s{n:02}: a{n} -> a{}", n + 1)).collect();
    let chain = catalog(chain.iter().map(|text| step(text)));
    refused(
        chain.with_step(step("z: a40 -> a0"), &Parentheses),
        &[
            "/attributes/a40: attribute_cycle: this would wait for itself: `z` needs `a40` from `s39`, which needs `a39` from `s38`, which needs `a38` from `s37`, which needs `a37` from `s36`, which needs `a36` from `s35`, which needs `a35` from `s34`, which needs `a34` from `s33`, which needs `a33` from `s32`, which needs `a32` from `s31`, which needs `a31` from `s30`, which needs `a30` from `s29`, which needs `a29` from `s28`, and so on over 29 more steps",
        ],
    );
}

#[test]
fn a_chain_of_thousands_is_walked_without_recursion() {
    let chain: Vec<String> = (0..5000).map(|n| format!("s{n}: a{n} -> a{}", n + 1)).collect();
    let chain = catalog(chain.iter().map(|text| step(text)));
    let problems = chain.with_step(step("z: a5000 -> a0"), &Parentheses).unwrap_err();
    assert_eq!(problems.as_slice()[0].code.as_str(), "attribute_cycle");
}

#[test]
fn cycles_through_goals_are_refused() {
    let one = catalog_of(&["a: -> x"]);
    refused(
        one.with_step(flow("f: ->", &["f"]), &Parentheses),
        &["/flow: flow_cycle: this flow would contain itself: `f` has the goal `f`"],
    );
    let two = Catalog::new().with_edits(
        vec![
            Edit::Register(flow("f: ->", &["g"])),
            Edit::Register(flow("g: ->", &["a", "f"])),
            Edit::Register(step("a: -> x")),
        ],
        &Parentheses,
    );
    refused(
        two,
        &[
            "/0/flow: flow_cycle: this flow would contain itself: `f` has the goal `g`, which has the goal `f`",
        ],
    );
}

#[test]
fn a_flow_that_would_need_itself_through_an_attribute_is_refused() {
    let one = catalog_of(&["g: x -> y"]);
    refused(
        one.with_step(flow("f: -> x", &["g"]), &Parentheses),
        &[
            "/flow: flow_cycle: this flow would contain itself: `f` has the goal `g`, which needs `x` from `f`",
        ],
    );
    // The step that closes the cycle need not be the flow.
    let flows = catalog([step("g: x -> y"), flow("f: -> w", &["g"])]);
    refused(
        flows.with_step(step("h: w -> x"), &Parentheses),
        &[
            "/attributes: flow_cycle: this flow would contain itself: `f` has the goal `g`, which needs `x` from `h`, which needs `w` from `f`",
        ],
    );
}

#[test]
fn what_a_flow_step_passes_in_is_no_cycle() {
    // The flow begins with `x`, so it never asks the step outside that provides `x`, itself.
    let mut inner = flow_json("f: seed -> x", &["g"]);
    inner["flow"]["inputs"] = json!({"seed": "x"});
    inner["flow"]["outputs"] = json!({"y": "x"});
    let one = catalog_of(&["g: x -> y"]);
    let two = one.with_step(parse(&inner).unwrap(), &Parentheses).unwrap().catalog;
    let plan = kit::plan(&two, &["f"], json!({"seed": 1}));
    assert_eq!(ids(plan.steps.keys()), ["f"]);
    assert_eq!(ids(plan.children["f"].steps.keys()), ["g"]);
}

#[test]
fn goals_must_be_there_and_stay_there() {
    let one = catalog_of(&["charge: -> receipt"]);
    refused(
        one.with_step(flow("pay: ->", &["charge", "chrage", "x"]), &Parentheses),
        &[
            "/flow/goals/1: goal_unknown: there is no step `chrage`; did you mean `charge`?",
            "/flow/goals/2: goal_unknown: there is no step `x`",
        ],
    );
    let two = one.with_step(flow("pay: ->", &["charge"]), &Parentheses).unwrap().catalog;
    refused(
        two.without_step("charge"),
        &["goal_in_use: `charge` is a goal of `pay`: change or remove those first"],
    );
    // Both at once are fine, in whatever order.
    let edits = vec![Edit::Remove(StepId::from("charge")), Edit::Remove(StepId::from("pay"))];
    assert!(two.with_edits(edits, &Parentheses).unwrap().catalog.is_empty());
}

#[test]
fn who_loses_a_provider_is_told() {
    let four = catalog_of(&["a: -> x, y", "b: -> x", "c: x, y? -> z", "d: y -> w"]);
    let removed = four.without_step("a").unwrap();
    expect![[r#"
        [
          {
            "step": "c",
            "attribute": "x",
            "provider": "a",
            "remaining": [
              "b"
            ]
          },
          {
            "step": "c",
            "attribute": "y",
            "provider": "a",
            "remaining": []
          },
          {
            "step": "d",
            "attribute": "y",
            "provider": "a",
            "remaining": []
          }
        ]"#]]
    .assert_eq(&serde_json::to_string_pretty(&removed.lost).unwrap());
    expect![[r#"[{"type":"step_removed","data":{"step_id":"a"}}]"#]]
        .assert_eq(&serde_json::to_string(&removed.events).unwrap());
    let updated = four.with_update(step("a: -> y"), &Parentheses).unwrap();
    let lost: Vec<_> = updated.lost.iter().map(|lost| lost.attribute.as_str()).collect();
    assert_eq!(lost, ["x"]);
    assert_eq!(four.without_step("d").unwrap().lost, []);
}

#[test]
fn several_changes_are_made_together_or_not_at_all() {
    let one = catalog_of(&["a: -> x"]);
    let edits = vec![
        Edit::Register(flow("f: ->", &["g"])),
        Edit::Register(step("g: x -> y")),
        Edit::Update(step("a: -> x, v")),
    ];
    let changed = one.with_edits(edits, &Parentheses).unwrap();
    assert_eq!(changed.catalog.len(), 3);
    let edits = vec![
        Edit::Register(step("g: x -> y")),
        Edit::Register(step("a: -> y")),
        Edit::Remove(StepId::from("b")),
    ];
    refused(
        one.with_edits(edits, &Parentheses),
        &[
            "/1/id: step_exists: there is another step `a` already: update it, or choose another id",
            "/2: step_unknown: there is no step `b`",
        ],
    );
    assert_eq!(one.len(), 1);
}

#[test]
fn the_journal_tells_how_the_catalog_came_to_be() {
    let mut now = Catalog::new();
    let mut journal = Vec::new();
    let mut follow = |changed: Changed, now: &mut Catalog| {
        journal.extend(changed.events);
        *now = changed.catalog;
    };
    follow(now.with_step(seed_step(), &Parentheses).unwrap(), &mut now);
    follow(now.with_step(step("a: -> x"), &Parentheses).unwrap(), &mut now);
    follow(now.with_step(flow("f: ->", &["a", "send-email"]), &Parentheses).unwrap(), &mut now);
    let refused = Health::unhealthy("connection refused: https://api.example.com/send-email");
    follow(now.with_health("send-email", refused).unwrap(), &mut now);
    follow(now.with_update(step("a: -> x, y"), &Parentheses).unwrap(), &mut now);
    follow(now.with_health("send-email", Health::healthy()).unwrap(), &mut now);
    follow(now.without_step("f").unwrap(), &mut now);

    let lines: Vec<String> = journal
        .iter()
        .map(|event| {
            let mut value = serde_json::to_value(event).unwrap();
            if let Some(step) = value["data"].get("step") {
                value["data"]["step"] = step["id"].clone();
            }
            value.to_string()
        })
        .collect();
    expect![[r#"
        {"data":{"step":"send-email"},"type":"step_registered"}
        {"data":{"step":"a"},"type":"step_registered"}
        {"data":{"status":"healthy","step_id":"a"},"type":"step_health_changed"}
        {"data":{"step":"f"},"type":"step_registered"}
        {"data":{"error":"connection refused: https://api.example.com/send-email","status":"unhealthy","step_id":"send-email"},"type":"step_health_changed"}
        {"data":{"error":"its goal `send-email` is unhealthy","status":"unhealthy","step_id":"f"},"type":"step_health_changed"}
        {"data":{"step":"a"},"type":"step_updated"}
        {"data":{"status":"healthy","step_id":"a"},"type":"step_health_changed"}
        {"data":{"status":"healthy","step_id":"send-email"},"type":"step_health_changed"}
        {"data":{"status":"healthy","step_id":"f"},"type":"step_health_changed"}
        {"data":{"step_id":"f"},"type":"step_removed"}"#]].assert_eq(&lines.join("\n"));

    // What was written reads as the same, and folds to the same.
    let text = serde_json::to_string(&journal).unwrap();
    let read: Vec<CatalogEvent> = serde_json::from_str(&text).unwrap();
    assert_eq!(read, journal);
    let folded = Catalog::fold(&read).unwrap();
    assert!(folded.steps().eq(now.steps()));
    assert_eq!(folded.graph(), now.graph());
}

#[test]
fn a_journal_that_contradicts_itself_is_an_error() {
    let registered = CatalogEvent::StepRegistered { step: step("a: -> x").into() };
    let removed = CatalogEvent::StepRemoved { step_id: StepId::from("a") };
    let id = StepId::from("a");
    assert_eq!(
        Catalog::fold([&registered, &registered]).unwrap_err(),
        CatalogFoldError::RegisteredTwice { id: id.clone() }
    );
    assert_eq!(
        Catalog::fold([&registered, &removed, &removed]).unwrap_err(),
        CatalogFoldError::UnknownStep { id }
    );
}

#[test]
fn flow_steps_are_as_well_as_their_goals() {
    let status = |catalog: &Catalog, id: &str| catalog.health(id).status;
    let http = |id: &str| {
        parse(&json!({"id": id, "type": "sync", "http": {"url": "https://a.b/c"}})).unwrap()
    };
    let all = catalog([http("a"), http("b"), flow("f: ->", &["a", "b"]), flow("g: ->", &["f"])]);
    assert_eq!(status(&all, "g"), HealthStatus::Unknown);
    let all = all.with_health("a", Health::healthy()).unwrap().catalog;
    assert_eq!(status(&all, "f"), HealthStatus::Unknown);
    let changed = all.with_health("b", Health::healthy()).unwrap();
    assert_eq!(status(&changed.catalog, "f"), HealthStatus::Healthy);
    assert_eq!(status(&changed.catalog, "g"), HealthStatus::Healthy);
    assert_eq!(changed.events.len(), 3);
    let all = changed.catalog;
    assert_eq!(all.with_health("b", Health::healthy()).unwrap().events, [], "no news");
    let ill = all.with_health("b", Health::unhealthy("no answer")).unwrap().catalog;
    assert_eq!(ill.health("g").error.as_deref(), Some("its goal `f` is unhealthy"));
    // Nobody has looked at the new definition, so nothing is known of who depends on it.
    let mut changed = http("b");
    changed.work.parallelism = 2;
    let updated = ill.with_update(changed, &Parentheses).unwrap().catalog;
    assert_eq!(status(&updated, "g"), HealthStatus::Unknown);
    // A flow step's health is not for others to say.
    assert_eq!(updated.with_health("g", Health::healthy()).unwrap().events, []);
}

#[test]
fn the_graph_has_steps_and_attributes() {
    let mut fetch = step("fetch: user_id -> email");
    fetch.name = "Fetch User".into();
    let all = catalog([
        fetch,
        step("send: email, body? -> sent"),
        flow("all: user_id -> sent", &["send"]),
    ]);
    expect![[r#"
        {
          "nodes": [
            {
              "id": "step:all",
              "kind": "step",
              "label": "all",
              "type": "flow",
              "health": "healthy"
            },
            {
              "id": "step:fetch",
              "kind": "step",
              "label": "Fetch User",
              "type": "script",
              "health": "healthy"
            },
            {
              "id": "step:send",
              "kind": "step",
              "label": "send",
              "type": "script",
              "health": "healthy"
            },
            {
              "id": "attribute:body",
              "kind": "attribute",
              "label": "body"
            },
            {
              "id": "attribute:email",
              "kind": "attribute",
              "label": "email"
            },
            {
              "id": "attribute:sent",
              "kind": "attribute",
              "label": "sent"
            },
            {
              "id": "attribute:user_id",
              "kind": "attribute",
              "label": "user_id"
            }
          ],
          "edges": [
            {
              "from": "step:all",
              "to": "attribute:sent",
              "kind": "output"
            },
            {
              "from": "attribute:user_id",
              "to": "step:all",
              "kind": "required"
            },
            {
              "from": "step:all",
              "to": "step:send",
              "kind": "goal"
            },
            {
              "from": "step:fetch",
              "to": "attribute:email",
              "kind": "output"
            },
            {
              "from": "attribute:user_id",
              "to": "step:fetch",
              "kind": "required"
            },
            {
              "from": "attribute:body",
              "to": "step:send",
              "kind": "optional"
            },
            {
              "from": "attribute:email",
              "to": "step:send",
              "kind": "required"
            },
            {
              "from": "step:send",
              "to": "attribute:sent",
              "kind": "output"
            }
          ]
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&all.graph()).unwrap());
}

#[test]
fn attributes_tell_their_providers_and_consumers_in_order() {
    let all = catalog_of(&["z: -> x", "b: x -> y", "a: -> x", "c: x? ->"]);
    let view = all.attribute("x").unwrap();
    assert_eq!(ids(&view.edges.providers), ["a", "z"]);
    assert_eq!(ids(&view.edges.consumers), ["b", "c"]);
    assert_eq!(all.attributes().count(), 2);
    assert!(all.attribute("nothing").is_none());
}

#[test]
fn a_catalog_has_a_largest_size() {
    let numbered = |n: usize| {
        let mut step = step("s: ->");
        step.id = StepId::from(format!("s{n}").as_str());
        step.name = step.id.to_string();
        step
    };
    let mut all = Catalog::new();
    for n in 1..CATALOG_STEPS_MAX {
        all.apply(&CatalogEvent::StepRegistered { step: numbered(n).into() }).unwrap();
    }
    let full = all.with_step(numbered(0), &Parentheses).unwrap().catalog;
    assert_eq!(full.len(), CATALOG_STEPS_MAX);
    refused(
        full.with_step(step("one-more: ->"), &Parentheses),
        &["catalog_full: a catalog has at most 100000 steps"],
    );
    let mut changed = numbered(7);
    changed.work.parallelism = 2;
    assert!(full.with_update(changed, &Parentheses).is_ok());
}
