//! Flow steps: flows in flows.

use serde_json::{Value, json};
use stepwell_flow::WorkError;

use crate::play::{Stage, Staged, declared, script, sync, with};

fn pay() -> Value {
    json!({
        "id": "pay", "type": "flow", "attributes": declared("order >payment_receipt"),
        "flow": {"goals": ["charge"], "inputs": {"order": "order_id"}, "outputs": {"receipt": "payment_receipt"}},
    })
}

#[tokio::test]
async fn a_flow_step_maps_its_inputs_and_outputs() {
    let steps = [
        script("price", "order_id >amount", "lua", "return {amount = order_id * 10}"),
        script(
            "charge",
            "amount order_id >receipt",
            "lua",
            "return {receipt = 'r' .. order_id .. ':' .. amount}",
        ),
        pay(),
    ];
    let stage = Stage::new(&steps, Staged::default()).await;
    let run = stage.start(&["pay"], json!({"order": 7})).await;
    assert_eq!(stage.end(&run).await, Ok(json!({"order": 7, "payment_receipt": "r7:70"})));
    stage.check_every_cut(&run).await;
}

#[tokio::test]
async fn a_child_knows_its_parent_and_runs_as_a_run_of_its_own() {
    let charge = json!({
        "id": "charge", "type": "sync", "http": {"url": "http://services/charge"},
        "attributes": {
            "order_id": {"role": "required"}, "receipt": {"role": "output"},
            "parent": {"role": "meta", "key": "parent_run_id"}, "from": {"role": "meta", "key": "parent_step_id"},
        },
    });
    let services = Staged::answering(|call| {
        let body = call.body.clone().unwrap();
        Ok(
            json!({"receipt": format!("{} of {}", body["from"].as_str().unwrap(), body["parent"].as_str().unwrap())}),
        )
    });
    let stage = Stage::new(&[charge, pay()], services).await;
    let run = stage.start(&["pay"], json!({"order": 7})).await;
    let ended = stage.end(&run).await.unwrap();
    assert_eq!(ended["payment_receipt"], json!(format!("pay of {}", run.id())));
    assert_ne!(stage.services.calls.lock()[0].run, run.id());
}

#[tokio::test]
async fn a_child_that_fails_fails_its_step() {
    let steps = [sync("charge", "order_id >receipt"), pay()];
    let stage = Stage::new(&steps, Staged::answering(|_| Err(WorkError::lasting("broke")))).await;
    let run = stage.start(&["pay"], json!({"order": 7})).await;
    let error = stage.end(&run).await.unwrap_err();
    assert_eq!(error, "goal `pay` cannot complete: goal `charge` cannot complete: broke");
    stage.check_every_cut(&run).await;
}

#[tokio::test]
async fn a_flow_step_runs_for_each() {
    let steps = [
        script("charge", "order_id >receipt", "lua", "return {receipt = 'r' .. order_id}"),
        with(
            pay(),
            json!({"attributes": {"order": {"for_each": true}}, "work": {"parallelism": 2}}),
        ),
    ];
    let stage = Stage::new(&steps, Staged::default()).await;
    let ended = stage.run(&["pay"], json!({"order": [1, 2, 3]})).await.unwrap();
    let receipts = ended["payment_receipt"].as_array().unwrap();
    assert_eq!(receipts[2], json!({"order": 3, "payment_receipt": "r3"}));
    assert_eq!(receipts.len(), 3);
}

#[tokio::test]
async fn flows_of_later_catalogs_do_not_reach_a_run() {
    let steps = [sync("charge", "order_id >receipt"), pay()];
    let stage = Stage::new(&steps, Staged::answering(|_| Ok(json!({"receipt": 1})))).await;
    let input = stage.input(&["pay"], json!({"order": 7}));
    // The plan of the child is part of the plan, so the catalog is not asked any more.
    assert!(input.plan.children.contains_key("pay"));
    let mut stage = stage;
    stage.catalog = stepwell_flow::Catalog::new();
    let run = stage.engine.start("flow", &input).await.unwrap();
    assert_eq!(stage.end(&run).await, Ok(json!({"order": 7, "payment_receipt": 1})));
}
