//! Memoizable steps.

use std::time::Duration;

use serde_json::{Value, json};

use crate::play::{Stage, Staged, outline, sync, with};

fn rate(patch: Value) -> Value {
    with(with(sync("rate", "currency >rate"), json!({"memoizable": true})), patch)
}

#[tokio::test]
async fn a_recorded_result_is_reused_by_other_flows() {
    let services = Staged::answering(|_| Ok(json!({"rate": 1.1})));
    let stage = Stage::new(&[rate(json!({}))], services).await;
    for _ in 0..3 {
        let run = stage.start(&["rate"], json!({"currency": "usd"})).await;
        assert_eq!(stage.end(&run).await, Ok(json!({"currency": "usd", "rate": 1.1})));
        stage.check_every_cut(&run).await;
        let told = outline(&stage.events(&run).await);
        assert!(told.contains(&"work_succeeded rate".to_owned()), "{told:?}");
    }
    assert_eq!(stage.services.n_calls("rate"), 1);
    stage.run(&["rate"], json!({"currency": "chf"})).await.unwrap();
    assert_eq!(stage.services.n_calls("rate"), 2, "other inputs are another question");
}

#[tokio::test]
async fn a_result_has_a_lifetime() {
    let services = Staged::answering(|_| Ok(json!({"rate": 1.1})));
    let stage = Stage::new(&[rate(json!({"memo_ttl_ms": 60_000}))], services).await;
    for (after_secs, n_calls) in [(0, 1), (59, 1), (2, 2)] {
        stage.engine.advance(Duration::from_secs(after_secs)).await;
        stage.run(&["rate"], json!({"currency": "usd"})).await.unwrap();
        assert_eq!(stage.services.n_calls("rate"), n_calls);
    }
}

#[tokio::test]
async fn other_steps_are_not_remembered() {
    let services = Staged::answering(|_| Ok(json!({"rate": 1.1})));
    let stage = Stage::new(&[sync("rate", "currency >rate")], services).await;
    for _ in 0..2 {
        stage.run(&["rate"], json!({"currency": "usd"})).await.unwrap();
    }
    assert_eq!(stage.services.n_calls("rate"), 2);
}
