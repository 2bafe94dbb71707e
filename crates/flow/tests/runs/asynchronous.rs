//! Async steps: called now, answered later.

use std::time::Duration;

use serde_json::{Value, json};
use stepwell_flow::{WebhookAnswer, WorkError, webhook_message};

use crate::play::{Stage, Staged, outline, sync, with};

fn async_step(patch: Value) -> Value {
    with(with(sync("send", "to >id"), json!({"type": "async"})), patch)
}

fn outputs(value: Value) -> WebhookAnswer {
    WebhookAnswer::Outputs(value.as_object().unwrap().clone())
}

#[tokio::test]
async fn the_answer_comes_by_webhook() {
    let stage = Stage::new(&[async_step(json!({}))], Staged::default()).await;
    let run = stage.start(&["send"], json!({"to": "ada"})).await;
    stage.engine.advance(Duration::from_secs(86_400)).await;
    let waits = run.state().await.unwrap().waiting_for;
    assert!(format!("{waits:?}").contains("webhook/send/0"), "{waits:?}");
    let call = stage.services.calls.lock()[0].clone();
    let url = format!("http://here/webhooks/{}/send/{}", run.id(), call.token);
    assert_eq!(call.webhook_url, Some(url));
    let name = webhook_message("send", 0);
    run.send_with_key(&name, &outputs(json!({"id": 5, "more": 1})), &name).await.unwrap();
    assert_eq!(stage.end(&run).await, Ok(json!({"to": "ada", "id": 5})));
    stage.check_every_cut(&run).await;
}

#[tokio::test]
async fn an_answer_may_come_before_the_call_has_returned() {
    let stage = Stage::new(&[async_step(json!({}))], Staged::default()).await;
    stage.webhooks(|_| Some(outputs(json!({"id": 5}))));
    let run = stage.start(&["send"], json!({"to": "ada"})).await;
    assert_eq!(stage.end(&run).await, Ok(json!({"to": "ada", "id": 5})));
    stage.check_every_cut(&run).await;
}

#[tokio::test]
async fn an_answer_counts_although_the_call_seemed_to_fail() {
    let services = Staged::answering(|_| Err(WorkError::passing("the connection broke")));
    let stage = Stage::new(&[async_step(json!({}))], services).await;
    stage.webhooks(|_| Some(outputs(json!({"id": 5}))));
    let run = stage.start(&["send"], json!({"to": "ada"})).await;
    assert_eq!(stage.end(&run).await, Ok(json!({"to": "ada", "id": 5})));
    assert_eq!(stage.services.n_calls("send"), 1);
    stage.check_every_cut(&run).await;
}

#[tokio::test]
async fn a_problem_document_is_the_failure() {
    let stage = Stage::new(&[async_step(json!({}))], Staged::default()).await;
    let problem = json!({"title": "No such person", "status": 404});
    let problem = problem.as_object().unwrap().clone();
    stage.webhooks(move |_| Some(WebhookAnswer::Problem(problem.clone())));
    let run = stage.start(&["send"], json!({"to": "ada"})).await;
    let error = stage.end(&run).await.unwrap_err();
    assert!(
        error.ends_with("the service reported a failure (status 404): No such person"),
        "{error}"
    );
    let told = outline(&stage.events(&run).await);
    assert!(told.iter().any(|line| line.starts_with("work_failed send: the service")), "{told:?}");
}

#[tokio::test]
async fn a_webhook_that_does_not_come_is_asked_for_again() {
    let patch = json!({"http": {"webhook_timeout_ms": 60_000}, "work": {"max_retries": 1, "initial_backoff_ms": 1_000}});
    let stage = Stage::new(&[async_step(patch)], Staged::default()).await;
    let from = stage.engine.now().0;
    let run = stage.start(&["send"], json!({"to": "ada"})).await;
    let error = stage.end(&run).await.unwrap_err();
    assert!(error.contains("the webhook was not called within 60000 ms"), "{error}");
    assert_eq!(stage.engine.now().0 - from, 121_000);
    assert_eq!(stage.services.n_calls("send"), 2);
    let told = outline(&stage.events(&run).await);
    let n = |kind: &str| told.iter().filter(|line| line.starts_with(kind)).count();
    assert_eq!(
        (n("work_started"), n("work_not_completed"), n("work_failed")),
        (2, 1, 1),
        "{told:?}"
    );
    stage.check_every_cut(&run).await;
}

#[tokio::test]
async fn a_crash_between_call_and_webhook_loses_nothing() {
    let mut stage = Stage::new(&[async_step(json!({}))], Staged::default()).await;
    let id = stage.start(&["send"], json!({"to": "ada"})).await.id();
    stage.engine.settle().await;
    stage.engine.restart().await;
    let run = stage.engine.get(id).await.unwrap();
    let name = webhook_message("send", 0);
    run.send_with_key(&name, &outputs(json!({"id": 5})), &name).await.unwrap();
    stage.engine.restart().await;
    let run = stage.engine.get(id).await.unwrap();
    assert_eq!(stage.end(&run).await, Ok(json!({"to": "ada", "id": 5})));
    assert_eq!(stage.services.n_calls("send"), 1);
}

#[tokio::test]
async fn items_are_answered_each_by_its_own_webhook() {
    let step = with(sync("send", "to* >id"), json!({"type": "async", "work": {"parallelism": 2}}));
    let stage = Stage::new(&[step], Staged::default()).await;
    let run = stage.start(&["send"], json!({"to": ["a", "b", "c"]})).await;
    stage.engine.settle().await;
    assert_eq!(stage.services.n_calls("send"), 2, "one that waits for its answer is under way");
    for place in [1, 0, 2] {
        let name = webhook_message("send", place);
        run.send_with_key(&name, &outputs(json!({ "id": place })), &name).await.unwrap();
    }
    let ended = stage.end(&run).await.unwrap();
    let wanted = json!([{"to": "a", "id": 0}, {"to": "b", "id": 1}, {"to": "c", "id": 2}]);
    assert_eq!(ended["id"], wanted);
}
