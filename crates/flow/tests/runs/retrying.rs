//! Attempts: which errors are tried again, when, and in whose place.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use stepwell_flow::WorkError;

use crate::play::{Stage, Staged, outline, sync, with};

fn fails_until(attempt: u64) -> Staged {
    Staged::answering(move |call| match call.attempt {
        n if n < attempt => Err(WorkError::passing("busy")),
        _ => Ok(json!({"done": true})),
    })
}

#[tokio::test]
async fn passing_errors_are_tried_again_with_the_same_token_after_the_backoff() {
    for (backoff, waits) in
        [("fixed", [100, 100, 100]), ("linear", [100, 200, 300]), ("exponential", [100, 200, 400])]
    {
        let work = json!({"max_retries": 3, "backoff": backoff, "initial_backoff_ms": 100});
        let step = with(sync("work", ">done"), json!({ "work": work }));
        let stage = Stage::new(&[step], fails_until(4)).await;
        let from = stage.engine.now().0;
        let run = stage.start(&["work"], json!({})).await;
        assert_eq!(stage.end(&run).await, Ok(json!({"done": true})));
        let waited: u64 = waits.iter().sum();
        assert_eq!(stage.engine.now().0 - from, waited, "{backoff}");
        let calls = stage.services.calls.lock().clone();
        let attempts: Vec<u64> = calls.iter().map(|call| call.attempt).collect();
        assert_eq!(attempts, [1, 2, 3, 4]);
        assert!(calls.iter().all(|call| call.token == calls[0].token));
        stage.check_every_cut(&run).await;
    }
}

#[tokio::test]
async fn after_the_last_retry_the_error_stands() {
    let step = with(sync("work", ">done"), json!({"work": {"max_retries": 2}}));
    let stage = Stage::new(&[step], fails_until(9)).await;
    let run = stage.start(&["work"], json!({})).await;
    assert_eq!(stage.end(&run).await, Err("goal `work` cannot complete: busy".to_owned()));
    assert_eq!(stage.services.n_calls("work"), 3);
    let told = outline(&stage.events(&run).await);
    assert_eq!(
        told,
        [
            "flow_started",
            "step_started work",
            "work_started work",
            "work_not_completed work: busy",
            "retry_scheduled work",
            "work_started work",
            "work_not_completed work: busy",
            "retry_scheduled work",
            "work_started work",
            "work_failed work: busy",
            "step_failed work: busy",
            "flow_failed: goal `work` cannot complete: busy",
        ]
    );
}

#[tokio::test]
async fn lasting_errors_are_not_tried_again() {
    let stage = Stage::new(
        &[sync("work", ">done")],
        Staged::answering(|_| Err(WorkError::lasting("HTTP 404"))),
    )
    .await;
    let error = stage.run(&["work"], json!({})).await.unwrap_err();
    assert_eq!(error, "goal `work` cannot complete: HTTP 404");
    assert_eq!(stage.services.n_calls("work"), 1);
}

#[tokio::test]
async fn a_service_may_ask_for_a_longer_wait() {
    let step = with(sync("work", ">done"), json!({"work": {"initial_backoff_ms": 100}}));
    let services = Staged::answering(|call| match call.attempt {
        1 => Err(WorkError { retry_after_ms: Some(90_000), ..WorkError::passing("HTTP 429") }),
        _ => Ok(json!({"done": true})),
    });
    let stage = Stage::new(&[step], services).await;
    let from = stage.engine.now().0;
    let run = stage.start(&["work"], json!({})).await;
    stage.end(&run).await.unwrap();
    assert_eq!(stage.engine.now().0 - from, 90_000);
    let events = stage.events(&run).await;
    let failed = events.iter().find(|event| event.kind == "work_not_completed").unwrap();
    assert_eq!(failed.data["error"], "HTTP 429");
    stage.check_every_cut(&run).await;
}

#[tokio::test]
async fn an_item_that_waits_for_its_retry_leaves_its_place_to_others() {
    let work = json!({"parallelism": 1, "backoff": "fixed", "initial_backoff_ms": 60_000});
    let step = with(sync("work", "n* >done"), json!({ "work": work }));
    let services =
        Staged::answering(|call| match (call.body.clone().unwrap()["n"].as_u64(), call.attempt) {
            (Some(0), 1) => Err(WorkError::passing("busy")),
            (n, _) => Ok(json!({ "done": n })),
        });
    let stage = Stage::new(&[step], services).await;
    let run = stage.start(&["work"], json!({"n": [0, 1, 2]})).await;
    let ended = stage.end(&run).await.unwrap();
    let order: Vec<Value> = stage
        .services
        .calls
        .lock()
        .iter()
        .map(|call| call.body.clone().unwrap()["n"].clone())
        .collect();
    assert_eq!(order, [0, 1, 2, 0]);
    assert_eq!(ended["done"][0], json!({"n": 0, "done": 0}), "in the order of inputs all the same");
    assert_eq!(stage.services.most_at_a_time("work"), 1);
    stage.check_every_cut(&run).await;
}

#[tokio::test]
async fn retries_whose_time_passed_while_the_engine_was_down_run_at_once() {
    let work = json!({"initial_backoff_ms": 60_000});
    let step = with(sync("work", ">done"), json!({ "work": work }));
    let mut stage = Stage::new(&[step], fails_until(2)).await;
    let run = stage.start(&["work"], json!({})).await.id();
    stage.engine.settle().await;
    assert_eq!(stage.services.n_calls("work"), 1);
    stage.engine.abort().await;
    stage.engine.virtual_clock().set(stage.engine.now().plus_ms(3_600_000));
    stage.engine.restart().await;
    let run = stage.engine.get(run).await.unwrap();
    let from = stage.engine.now().0;
    assert_eq!(stage.end(&run).await, Ok(json!({"done": true})));
    assert_eq!(stage.engine.now().0, from);
    assert_eq!(stage.services.n_calls("work"), 2);
}

#[tokio::test]
async fn a_panic_in_a_service_hurts_its_step_alone() {
    let has_panicked = Arc::new(AtomicBool::new(false));
    let seen = has_panicked.clone();
    let services = Staged::answering(move |_| {
        assert!(seen.swap(true, Ordering::Relaxed), "the first call panics");
        Ok(json!({"done": true}))
    });
    let stage = Stage::new(&[sync("work", ">done")], services).await;
    assert_eq!(stage.run(&["work"], json!({})).await, Ok(json!({"done": true})));
}

#[tokio::test]
async fn a_deadline_gives_up_waiting_for_an_optional_input() {
    let slow = with(
        sync("slow", ">extra"),
        json!({"work": {"backoff": "fixed", "initial_backoff_ms": 10_000}}),
    );
    let fast = with(
        sync("fast", "extra? >done"),
        json!({"attributes": {"extra": {"default": "\"none\"", "deadline_ms": 2_000}}}),
    );
    let services = Staged::answering(|call| match (call.step.as_str(), call.attempt) {
        ("slow", 1) => Err(WorkError::passing("busy")),
        ("slow", _) => Ok(json!({"extra": "late"})),
        _ => Ok(json!({"done": call.body.clone().unwrap()["extra"]})),
    });
    let stage = Stage::new(&[slow, fast], services).await;
    let from = stage.engine.now().0;
    let run = stage.start(&["fast"], json!({})).await;
    assert_eq!(stage.end(&run).await, Ok(json!({"done": "none"})));
    assert_eq!(stage.engine.now().0 - from, 2_000);
    stage.check_every_cut(&run).await;
}
