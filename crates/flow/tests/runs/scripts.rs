//! Scripts in all languages: as steps, predicates, matches and mappings.

use serde_json::json;

use crate::play::{Stage, Staged, script, sync, with};

#[tokio::test]
async fn every_language_computes() {
    let steps = [
        script("lua", "a b >sum", "lua", "return {sum = a + b}"),
        script("ale", "sum >twice", "ale", "{:twice (* 2 sum)}"),
        script("js", "twice >text", "js", "return { text: `it is ${twice}` }"),
    ];
    let stage = Stage::new(&steps, Staged::default()).await;
    let ended = stage.run(&["js"], json!({"a": 1, "b": 2})).await;
    assert_eq!(ended, Ok(json!({"a": 1, "b": 2, "sum": 3, "twice": 6, "text": "it is 6"})));
}

#[tokio::test]
async fn a_result_that_is_no_object_is_the_output_result() {
    let steps = [
        script("one", "a >result", "lua", "return a * 2"),
        with(
            script("list", "result >all", "lua", "return {}"),
            json!({"attributes": {"all": {"type": "array"}}, "script": {"source": "return {all = {}}"}}),
        ),
    ];
    let stage = Stage::new(&steps, Staged::default()).await;
    let ended = stage.run(&["list"], json!({"a": 4})).await.unwrap();
    assert_eq!((&ended["result"], &ended["all"]), (&json!(8), &json!([])));
}

#[tokio::test]
async fn a_script_that_fails_fails_its_step_at_once_and_says_where() {
    let steps = [script("bad", "a >b", "lua", "local x = a\nreturn x.y.z")];
    let stage = Stage::new(&steps, Staged::default()).await;
    let run = stage.start(&["bad"], json!({"a": {}})).await;
    let error = stage.end(&run).await.unwrap_err();
    assert!(error.starts_with("goal `bad` cannot complete: the script failed: "), "{error}");
    assert!(error.contains(":2:"), "{error}");
    assert_eq!(stage.engine.now().0 % 1_000, 0, "nothing was waited for");
}

#[tokio::test]
async fn a_script_without_end_hurts_its_step_alone() {
    for (language, source) in
        [("lua", "while true do end"), ("ale", "(last (range 0 +inf))"), ("js", "for (;;) {}")]
    {
        let Ok(catalog) = stepwell_flow::StepDefinition::parse(
            script("endless", "a >b", language, source).to_string().as_bytes(),
        ) else {
            panic!("{language}")
        };
        if catalog.compile_problems(&stepwell_flow::Scripts::default()).is_empty() {
            let limits = stepwell_script::ScriptLimits {
                time_ms: 100,
                ..stepwell_script::ScriptLimits::DEFAULT
            };
            let scripts = stepwell_flow::Scripts::new(limits);
            let changed = stepwell_flow::Catalog::new().with_step(catalog, &scripts).unwrap();
            let stage = Stage::of(changed.catalog, Staged::default(), scripts).await;
            let error = stage.run(&["endless"], json!({"a": 1})).await.unwrap_err();
            assert!(error.contains("the script failed"), "{language}: {error}");
        }
    }
}

#[tokio::test]
async fn a_predicate_decides_whether_a_step_runs() {
    let says = |language: &str, source: &str| {
        with(
            sync("send", "amount >id"),
            json!({"predicate": {"language": language, "source": source}}),
        )
    };
    for (language, source) in [
        ("lua", "return amount > 10"),
        ("ale", "(> amount 10)"),
        ("js", "return amount > 10"),
        ("jsonpath", "$.amount > 10"),
    ] {
        let services = Staged::answering(|_| Ok(json!({"id": 7})));
        let stage = Stage::new(&[says(language, source)], services).await;
        let sent = stage.run(&["send"], json!({"amount": 11})).await;
        assert_eq!(sent, Ok(json!({"amount": 11, "id": 7})), "{language}");
        let run = stage.start(&["send"], json!({"amount": 10})).await;
        assert_eq!(stage.end(&run).await, Ok(json!({"amount": 10})), "{language}");
        assert_eq!(stage.services.n_calls("send"), 1, "{language}");
        let entry = run.state().await.unwrap().state;
        let entry = entry.entry(&stepwell_journal::Location::from_text("send")).unwrap().clone();
        assert_eq!(entry.status, stepwell_journal::EntryStatus::Skipped);
        stage.check_every_cut(&run).await;
    }
}

#[tokio::test]
async fn a_predicate_that_fails_fails_the_step() {
    let step = with(
        sync("send", "amount >id"),
        json!({"predicate": {"language": "lua", "source": "return amount > 10"}}),
    );
    let stage = Stage::new(&[step], Staged::default()).await;
    let error = stage.run(&["send"], json!({"amount": "much"})).await.unwrap_err();
    assert!(error.contains("the predicate failed"), "{error}");
    assert_eq!(stage.services.n_calls("send"), 0);
}

#[tokio::test]
async fn optional_inputs_that_are_not_there_are_null_to_scripts() {
    let steps = [script("greet", "name? >text", "lua", "return {text = 'Hi ' .. (name or 'you')}")];
    let stage = Stage::new(&steps, Staged::default()).await;
    assert_eq!(stage.run(&["greet"], json!({})).await, Ok(json!({"text": "Hi you"})));
    let steps = [script("greet", "name? >text", "js", "return {text: 'Hi ' + (name ?? 'you')}")];
    let stage = Stage::new(&steps, Staged::default()).await;
    assert_eq!(stage.run(&["greet"], json!({})).await, Ok(json!({"text": "Hi you"})));
}

#[tokio::test]
async fn mappings_lie_between_the_flow_and_the_step() {
    let step = json!({
        "id": "shop", "type": "sync", "http": {"url": "http://services/shop/{customer}"},
        "attributes": {
            "user": {"role": "required", "mapping": {"name": "customer", "script": {"language": "lua", "source": "return value.id"}}},
            "region": {"role": "const", "value": "\"eu\""},
            "run": {"role": "meta", "key": "run_id"},
            "books": {"role": "output", "type": "array", "mapping": "$..book"},
            "first": {"role": "output", "mapping": "$.shelf[0].book"},
            "total": {"role": "output", "type": "number", "mapping": "sum"},
        }
    });
    let services = Staged::answering(|call| {
        assert_eq!(call.url, "http://services/shop/u%201");
        let body = call.body.clone().unwrap();
        assert_eq!((&body["customer"], &body["region"]), (&json!("u 1"), &json!("eu")));
        assert_eq!(body["run"], json!(call.run.to_string()));
        assert_eq!(body.get("user"), None);
        Ok(json!({"shelf": [{"book": "a"}, {"book": "b"}], "sum": 3}))
    });
    let stage = Stage::new(&[step], services).await;
    let ended = stage.run(&["shop"], json!({"user": {"id": "u 1"}})).await.unwrap();
    assert_eq!(ended["books"], json!(["a", "b"]));
    assert_eq!((&ended["first"], &ended["total"]), (&json!("a"), &json!(3)));
}

#[tokio::test]
async fn an_output_of_another_type_than_declared_is_an_error() {
    let step = with(sync("count", ">n"), json!({"attributes": {"n": {"type": "number"}}}));
    let services = Staged::answering(|_| Ok(json!({"n": "three"})));
    let stage = Stage::new(&[step], services).await;
    let error = stage.run(&["count"], json!({})).await.unwrap_err();
    assert_eq!(
        error,
        "goal `count` cannot complete: the output `n` is declared as number, and is a string"
    );
}

#[tokio::test]
async fn values_that_do_not_match_are_not_taken() {
    let steps = [
        sync("cheap", ">price"),
        with(
            sync("buy", "price >bought"),
            json!({"attributes": {"price": {"match": {"language": "lua", "source": "return value < 10"}}}}),
        ),
    ];
    let services = Staged::answering(|call| match call.step.as_str() {
        "cheap" => Ok(json!({"price": 12})),
        _ => Ok(json!({"bought": true})),
    });
    let stage = Stage::new(&steps, services).await;
    let run = stage.start(&["buy"], json!({})).await;
    assert_eq!(stage.end(&run).await, Ok(json!({"price": 12})), "the goal is skipped");
    assert_eq!(stage.services.n_calls("buy"), 0);
    stage.check_every_cut(&run).await;
}
