//! Work items: fanning out, in parallel, and together again.

use serde_json::{Value, json};
use stepwell_flow::WorkError;

use crate::play::{Stage, Staged, script, sync, with};

#[tokio::test]
async fn outputs_stand_in_the_order_of_inputs() {
    let step = with(sync("notify", "users* action >id"), json!({"work": {"parallelism": 4}}));
    let services = Staged::answering(|call| {
        let body = call.body.clone().unwrap();
        Ok(
            json!({"id": format!("{}-{}", body["users"].as_str().unwrap(), body["action"].as_str().unwrap())}),
        )
    });
    let stage = Stage::new(&[step], services).await;
    let users: Vec<String> = (0..50).map(|n| format!("u{n}")).collect();
    let run = stage.start(&["notify"], json!({"users": users, "action": "mail"})).await;
    let ended = stage.end(&run).await.unwrap();
    let wanted: Vec<Value> =
        users.iter().map(|user| json!({"users": user, "id": format!("{user}-mail")})).collect();
    assert_eq!(ended["id"], json!(wanted));
    assert_eq!(stage.services.most_at_a_time("notify"), 4);
    stage.check_every_cut(&run).await;
}

#[tokio::test]
async fn one_work_item_at_a_time_unless_said_otherwise() {
    let stage = Stage::new(
        &[sync("work", "items* >done")],
        Staged::answering(|_| Ok(json!({"done": true}))),
    )
    .await;
    stage.run(&["work"], json!({"items": [1, 2, 3, 4]})).await.unwrap();
    assert_eq!(stage.services.most_at_a_time("work"), 1);
    let tokens: std::collections::BTreeSet<_> =
        stage.services.calls.lock().iter().map(|call| call.token).collect();
    assert_eq!(tokens.len(), 4);
}

#[tokio::test]
async fn several_arrays_make_all_combinations() {
    let step = script("pair", "a* b* >ab", "lua", "return {ab = a .. b}");
    let stage = Stage::new(&[step], Staged::default()).await;
    let ended = stage.run(&["pair"], json!({"a": ["x", "y"], "b": ["1", "2"]})).await.unwrap();
    let pairs: Vec<&str> =
        ended["ab"].as_array().unwrap().iter().map(|it| it["ab"].as_str().unwrap()).collect();
    assert_eq!(pairs, ["x1", "x2", "y1", "y2"]);
    assert_eq!(ended["ab"][2], json!({"a": "y", "b": "1", "ab": "y1"}));
}

#[tokio::test]
async fn an_empty_array_gives_an_empty_array_and_the_flow_goes_on() {
    let steps = [
        script("each", "items* >done", "lua", "return {done = items}"),
        script("count", "done >n", "lua", "return {n = #done}"),
    ];
    let stage = Stage::new(&steps, Staged::default()).await;
    let run = stage.start(&["count"], json!({"items": []})).await;
    let ended = stage.end(&run).await;
    assert_eq!(ended, Ok(json!({"items": [], "done": [], "n": 0})));
    stage.check_every_cut(&run).await;
}

#[tokio::test]
async fn a_single_item_gives_its_value_directly() {
    let step = script("each", "items* >done", "lua", "return {done = items * 2}");
    let stage = Stage::new(&[step], Staged::default()).await;
    for items in [json!([4]), json!(4)] {
        let ended = stage.run(&["each"], json!({ "items": items })).await.unwrap();
        assert_eq!(ended["done"], json!(8));
    }
}

#[tokio::test]
async fn a_predicate_skips_single_items_or_all_of_them() {
    let step = with(
        script("big", "n* >twice", "lua", "return {twice = n * 2}"),
        json!({"predicate": {"language": "lua", "source": "return n > 10"}}),
    );
    let stage = Stage::new(&[step], Staged::default()).await;
    let run = stage.start(&["big"], json!({"n": [5, 20, 7, 30]})).await;
    let ended = stage.end(&run).await.unwrap();
    assert_eq!(ended["twice"], json!([{"n": 20, "twice": 40}, {"n": 30, "twice": 60}]));
    stage.check_every_cut(&run).await;
    let run = stage.start(&["big"], json!({"n": [5, 7]})).await;
    assert_eq!(stage.end(&run).await, Ok(json!({"n": [5, 7]})));
    let last = stage.events(&run).await;
    assert!(last.iter().any(|event| event.kind == "step_skipped"), "{last:?}");
}

#[tokio::test]
async fn too_many_items_are_refused_with_the_number() {
    let step = script("each", "a* b* >ab", "lua", "return {ab = 1}");
    let stage = Stage::new(&[step], Staged::default()).await;
    let many: Vec<usize> = (0..101).collect();
    let error = stage
        .run(&["each"], json!({"a": many, "b": (0..100).collect::<Vec<_>>()}))
        .await
        .unwrap_err();
    assert!(error.contains("10100 work items, at most 10000"), "{error}");
}

#[tokio::test]
async fn after_a_failed_item_no_more_begin() {
    let step = with(sync("work", "n* >done"), json!({"work": {"max_retries": 0}}));
    let services = Staged::answering(|call| match call.body.clone().unwrap()["n"].as_u64() {
        Some(1) => Err(WorkError::lasting("no")),
        _ => Ok(json!({"done": true})),
    });
    let stage = Stage::new(&[step], services).await;
    let error = stage.run(&["work"], json!({"n": [0, 1, 2, 3]})).await.unwrap_err();
    assert_eq!(error, "goal `work` cannot complete: work item 1 of 4 failed: no");
    assert_eq!(stage.services.n_calls("work"), 2);
}
