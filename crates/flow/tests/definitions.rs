//! Good definitions: what they mean, their canonical form, and their version.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod kit;

use expect_test::expect;
use serde_json::{Value, json};
use stepwell_flow::{
    Action, Attribute, Backoff, Collect, Language, Method, StepDefinition, ValueType, Work,
};

use kit::{Parentheses, parse};

/// Every field that there is.
fn everything() -> Value {
    json!({
        "id": "send-email", "name": "Send Email", "type": "async",
        "labels": {"team": "growth", "area": "mail"},
        "attributes": {
            "recipient":  {"role": "required", "type": "string"},
            "users":      {"role": "required", "type": "array", "for_each": true},
            "body":       {"role": "optional", "type": "string", "default": "\"Hello!\"", "deadline_ms": 2000},
            "quotes":     {"role": "optional", "collect": "some", "mapping": "offers",
                           "match": {"language": "jsonpath", "source": "$.price"}},
            "region":     {"role": "const", "value": "\"eu\"", "type": "string"},
            "flow":       {"role": "meta", "key": "run_id"},
            "message_id": {"role": "output", "type": "string", "mapping": "$..id"},
            "sent_at":    {"role": "output", "mapping": {"name": "at", "script": {"language": "ale", "source": "value"}}},
        },
        "http": {"url": "https://api.example.com/send/{recipient}?to={users}", "method": "PUT", "timeout_ms": 5000,
                 "webhook_timeout_ms": 60000, "health_url": "https://api.example.com/health",
                 "compensate_url": "https://api.example.com/unsend/{message_id}", "secret": "mail-key"},
        "predicate": {"language": "lua", "source": "return region == 'eu'"},
        "work": {"max_retries": 5, "backoff": "fixed", "initial_backoff_ms": 500, "max_backoff_ms": 600, "parallelism": 4},
    })
}

#[test]
fn every_field_is_read() {
    let mut value = everything();
    value["attributes"]["message_id"]["mapping"] = json!({"name": "message_id"});
    let step = parse(&value).unwrap();
    assert_eq!(step.id.as_str(), "send-email");
    assert_eq!(step.labels["team"], "growth");
    let Action::Async(http) = &step.action else { panic!("{:?}", step.action) };
    assert_eq!((http.method, http.timeout_ms), (Method::Put, 5000));
    assert_eq!(http.webhook_timeout_ms, Some(60_000));
    assert_eq!(http.secret.as_deref(), Some("mail-key"));
    let Attribute::Optional { input, default, deadline_ms } = &step.attributes["body"] else {
        panic!("{:?}", step.attributes)
    };
    assert_eq!(input.kind, ValueType::String);
    assert_eq!((default.as_deref(), *deadline_ms), (Some("\"Hello!\""), Some(2000)));
    let quotes = step.attributes["quotes"].input().unwrap();
    assert_eq!(quotes.collect, Collect::Some);
    assert_eq!(quotes.matches.as_ref().unwrap().language, Language::JsonPath);
    assert!(step.attributes["users"].input().unwrap().for_each && step.fans_out());
    assert_eq!(
        step.work,
        Work {
            max_retries: 5,
            backoff: Backoff::Fixed,
            initial_backoff_ms: 500,
            max_backoff_ms: 600,
            parallelism: 4
        }
    );
    let arguments: Vec<(&str, &str)> = step.arguments().map(|(a, b)| (a.as_str(), b)).collect();
    assert_eq!(
        arguments,
        [
            ("body", "body"),
            ("flow", "flow"),
            ("quotes", "offers"),
            ("recipient", "recipient"),
            ("region", "region"),
            ("users", "users")
        ]
    );
    let answers: Vec<(&str, &str)> = step.answers().map(|(a, b)| (a.as_str(), b)).collect();
    assert_eq!(answers, [("message_id", "message_id"), ("sent_at", "at")]);
    assert_eq!(step.compile_problems(&Parentheses), []);
}

#[test]
fn the_canonical_form_has_fields_in_order_and_no_defaults() {
    let mut value = everything();
    // A mapping in short is written out.
    value["http"]["compensate_url"] = json!("https://api.example.com/unsend/{recipient}");
    let step = parse(&value).unwrap();
    expect![[r#"{"id":"send-email","name":"Send Email","type":"async","labels":{"area":"mail","team":"growth"},"attributes":{"body":{"role":"optional","type":"string","default":"\"Hello!\"","deadline_ms":2000},"flow":{"role":"meta","key":"run_id"},"message_id":{"role":"output","type":"string","mapping":{"script":{"language":"jsonpath","source":"$..id"}}},"quotes":{"role":"optional","collect":"some","match":{"language":"jsonpath","source":"$.price"},"mapping":{"name":"offers"}},"recipient":{"role":"required","type":"string"},"region":{"role":"const","type":"string","value":"\"eu\""},"sent_at":{"role":"output","mapping":{"name":"at","script":{"language":"ale","source":"value"}}},"users":{"role":"required","type":"array","for_each":true}},"http":{"url":"https://api.example.com/send/{recipient}?to={users}","method":"PUT","timeout_ms":5000,"webhook_timeout_ms":60000,"health_url":"https://api.example.com/health","compensate_url":"https://api.example.com/unsend/{recipient}","secret":"mail-key"},"predicate":{"language":"lua","source":"return region == 'eu'"},"work":{"max_retries":5,"backoff":"fixed","initial_backoff_ms":500,"max_backoff_ms":600,"parallelism":4}}"#]].assert_eq(&step.canonical());
    let short = parse(&json!({
        "id": "a", "type": "script", "script": {"language": "js", "source": "1"},
    }));
    expect![[r#"{"id":"a","type":"script","script":{"language":"js","source":"1"}}"#]]
        .assert_eq(&short.unwrap().canonical());
}

#[test]
fn what_was_written_reads_as_the_same() {
    let mut value = everything();
    value["http"]["compensate_url"] = json!("https://api.example.com/unsend/{recipient}");
    let flow = json!({
        "id": "pay", "type": "flow", "memoizable": true, "memo_ttl_ms": 1000,
        "attributes": {"order": {"role": "required"}, "receipt": {"role": "output"}},
        "flow": {"goals": ["charge"], "inputs": {"order": "order_id"}, "outputs": {"slip": "receipt"}},
    });
    for value in [value, flow] {
        let step = parse(&value).unwrap();
        assert_eq!(StepDefinition::parse(step.canonical().as_bytes()).unwrap(), step);
        assert_eq!(serde_json::from_str::<StepDefinition>(&step.canonical()).unwrap(), step);
    }
}

#[test]
fn a_flow_step_sees_its_inputs_as_attributes_of_its_flow() {
    let step = parse(&json!({
        "id": "pay", "type": "flow",
        "attributes": {
            "order": {"role": "required"}, "note": {"role": "optional", "mapping": "memo"}, "at": {"role": "meta", "key": "run_id"},
            "receipt": {"role": "output"}, "total": {"role": "output"}, "state": {"role": "output", "mapping": "status"},
        },
        "flow": {"goals": ["charge"], "inputs": {"order": "order_id", "at": "parent"}, "outputs": {"slip": "receipt"}},
    }))
    .unwrap();
    let arguments: Vec<(&str, &str)> = step.arguments().map(|(a, b)| (a.as_str(), b)).collect();
    assert_eq!(arguments, [("at", "parent"), ("note", "memo"), ("order", "order_id")]);
    let answers: Vec<(&str, &str)> = step.answers().map(|(a, b)| (a.as_str(), b)).collect();
    assert_eq!(answers, [("receipt", "slip"), ("state", "status"), ("total", "total")]);
}

#[test]
fn what_means_the_same_has_the_same_version() {
    let short = json!({
        "id": "a", "type": "sync", "attributes": {"x": {"role": "required"}}, "http": {"url": "https://a.b/c"},
    });
    let long = json!({
        "work": {"parallelism": 1, "max_backoff_ms": 60000, "initial_backoff_ms": 1000, "backoff": "exponential", "max_retries": 3},
        "http": {"timeout_ms": 30000, "method": "POST", "url": "https://a.b/c"},
        "attributes": {"x": {"type": "any", "role": "required", "for_each": false, "collect": "first"}},
        "memoizable": false, "labels": {}, "name": "a", "type": "sync", "id": "a",
    });
    let (short, long) = (parse(&short).unwrap(), parse(&long).unwrap());
    assert_eq!(short, long);
    assert_eq!(short.version(), long.version());
}

#[test]
fn whatever_differs_has_another_version() {
    let base = everything();
    let changes = [
        ("/name", json!("Other")),
        ("/labels/team", json!("core")),
        ("/type", json!("sync")),
        ("/attributes/body/default", json!("\"Hi\"")),
        ("/attributes/body/deadline_ms", json!(2001)),
        ("/attributes/quotes/collect", json!("all")),
        ("/attributes/quotes/match/source", json!("$.cost")),
        ("/attributes/users/for_each", json!(false)),
        ("/attributes/region/value", json!("\"us\"")),
        ("/attributes/flow/key", json!("token")),
        ("/attributes/sent_at/mapping/name", json!("time")),
        ("/http/url", json!("https://api.example.com/mail")),
        ("/http/method", json!("POST")),
        ("/http/secret", json!("other")),
        ("/predicate/source", json!("return true")),
        ("/work/parallelism", json!(5)),
    ];
    let version =
        |value: &Value| serde_json::from_value::<StepDefinition>(value.clone()).unwrap().version();
    let mut versions = vec![version(&base)];
    for (path, changed) in changes {
        let mut value = base.clone();
        *value.pointer_mut(path).unwrap() = changed;
        versions.push(version(&value));
    }
    let n_versions = versions.len();
    versions.sort();
    versions.dedup();
    assert_eq!(versions.len(), n_versions);
}

/// Versions are in journals and in memos: they must be the same in every release.
#[test]
fn versions_never_change() {
    let step = kit::step("a: x, y? -> z");
    expect!["956d3bfe94f81ae029e5cbfeb00a05058dc65c533da6a930392d8a43b175ab25"]
        .assert_eq(step.version().as_str());
}

#[test]
fn the_longest_deadline_and_the_shortest_are_allowed() {
    for deadline_ms in [0, stepwell_flow::limits::DEADLINE_MS_MAX] {
        let mut value = everything();
        value["http"]["compensate_url"] = json!("https://api.example.com/unsend");
        value["attributes"]["body"]["deadline_ms"] = json!(deadline_ms);
        assert!(parse(&value).is_ok());
    }
}

#[test]
fn numbers_at_their_bounds_are_allowed() {
    use stepwell_flow::limits::*;
    let mut value = everything();
    value["http"] = json!({
        "url": "https://a.b", "timeout_ms": TIMEOUT_MS_MAX, "webhook_timeout_ms": WEBHOOK_TIMEOUT_MS_MAX,
    });
    value["work"] = json!({
        "max_retries": RETRIES_MAX, "initial_backoff_ms": BACKOFF_MS_MAX, "max_backoff_ms": BACKOFF_MS_MAX,
        "parallelism": PARALLELISM_MAX,
    });
    assert_eq!(parse(&value).map(|_| ()), Ok(()));
    value["work"] =
        json!({"max_retries": 0, "initial_backoff_ms": 1, "max_backoff_ms": 1, "parallelism": 1});
    value["http"]["timeout_ms"] = json!(1);
    value["http"]["webhook_timeout_ms"] = json!(1);
    assert_eq!(parse(&value).map(|_| ()), Ok(()));
    for memo_ttl_ms in [1, MEMO_TTL_MS_MAX] {
        let mut value = kit::step_json("a: -> x");
        value["memoizable"] = json!(true);
        value["memo_ttl_ms"] = json!(memo_ttl_ms);
        assert_eq!(parse(&value).map(|_| ()), Ok(()));
    }
}
