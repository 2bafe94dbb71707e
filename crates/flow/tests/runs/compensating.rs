//! What was done is undone when a flow fails, newest first.

use serde_json::{Value, json};
use stepwell_flow::{WebhookAnswer, WorkError};

use crate::play::{Stage, Staged, sync, with};

fn steps() -> [Value; 3] {
    let undo = |id: &str| json!({"http": {"compensate_url": format!("http://services/undo-{id}")}});
    [
        with(sync("reserve", "order >room"), undo("reserve")),
        with(
            with(sync("charge", "room >receipt"), undo("charge/{room}/{receipt}")),
            json!({"type": "async", "http": {"secret": "s"}}),
        ),
        sync("ship", "receipt >parcel"),
    ]
}

async fn stage(ship: Result<Value, WorkError>) -> Stage {
    let services = Staged::answering(move |call| match call.step.as_str() {
        "reserve" if call.url.contains("undo") && call.attempt == 1 => Ok(Value::Null),
        "reserve" => Ok(json!({"room": 12})),
        "charge" => Ok(Value::Null),
        _ => ship.clone(),
    });
    let stage = Stage::new(&steps(), services).await;
    stage.webhooks(|_| {
        let outputs = json!({"receipt": "r1"});
        Some(WebhookAnswer::Outputs(outputs.as_object().unwrap().clone()))
    });
    stage
}

#[tokio::test]
async fn a_flow_that_fails_is_compensated_newest_first_with_the_same_tokens() {
    let stage = stage(Err(WorkError::lasting("no ship"))).await;
    let run = stage.start(&["ship"], json!({"order": 1})).await;
    assert_eq!(stage.end(&run).await, Err("goal `ship` cannot complete: no ship".to_owned()));
    let calls = stage.services.calls.lock().clone();
    let urls: Vec<&str> = calls.iter().map(|call| call.url.as_str()).collect();
    let wanted = ["reserve", "charge", "ship", "undo-charge/12/r1", "undo-reserve"];
    assert_eq!(urls, wanted.map(|path| format!("http://services/{path}")));
    assert_eq!((calls[3].token, calls[4].token), (calls[1].token, calls[0].token));
    assert_eq!(calls[3].secret.as_deref(), Some("s"));
    let body = json!({"input": {"room": 12}, "output": {"receipt": "r1"}});
    assert_eq!(calls[3].body, Some(body));
    stage.check_every_cut(&run).await;
}

#[tokio::test]
async fn a_flow_that_completes_is_not_compensated() {
    let stage = stage(Ok(json!({"parcel": 3}))).await;
    let ended = stage.run(&["ship"], json!({"order": 1})).await.unwrap();
    assert_eq!(ended["parcel"], 3);
    assert!(stage.services.calls.lock().iter().all(|call| !call.url.contains("undo")));
}
