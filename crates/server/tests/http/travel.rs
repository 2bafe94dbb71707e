//! Time travel.

use serde_json::{Value, json};
use stepwell_journal::{EntryKind, Seq};
use stepwell_sequence::{Sequence, StepCx, StepError};

use crate::kit::start;

#[tokio::test]
async fn a_run_is_shown_as_of_every_event() {
    let server = start().await;
    let run = server.start("order", json!({ "sku": "a", "n": 5 })).await;
    server.wait(&run).await;
    let last = server.get(&format!("/api/runs/{run}")).await.json();
    let last_seq = last["last_seq"].as_u64().unwrap();
    for seq in 0..=last_seq {
        let shown = server.get(&format!("/api/runs/{run}?at={seq}")).await.json();
        assert_eq!(shown["seq"], seq);
        assert_eq!(shown["last_seq"], last_seq);
        let n_entries = shown["entries"].as_array().unwrap().len() as u64;
        assert_eq!(n_entries, seq.min(5));
        assert_eq!(shown["status"] == "completed", seq == last_seq);
    }
    let end = server.get(&format!("/api/runs/{run}?at={last_seq}")).await.json();
    assert_eq!(end["entries"], last["entries"]);
}

#[tokio::test]
async fn a_resumed_run_is_shown_as_it_was_before_and_after() {
    let server = start().await;
    let run = server.start("failing", json!(null)).await;
    server.wait(&run).await;
    let before = server.get(&format!("/api/runs/{run}")).await.json();
    let failed_at = before["last_seq"].as_u64().unwrap();
    server.post(&format!("/api/runs/{run}/resume"), json!({})).await;
    let after = server.until(&run, |run| run["status"] == "failed" && run["n_resumed"] == 1).await;
    let then = server.get(&format!("/api/runs/{run}?at={failed_at}")).await.json();
    assert_eq!((&then["status"], &then["n_resumed"]), (&json!("failed"), &json!(0)));
    let resumed = server.get(&format!("/api/runs/{run}?at={}", failed_at + 1)).await.json();
    assert_eq!((&resumed["error"], &resumed["n_resumed"]), (&json!(null), &json!(1)));
    let now = server.get(&format!("/api/runs/{run}?at={}", after["last_seq"])).await.json();
    assert_eq!(now["entries"], after["entries"]);
}

#[tokio::test]
async fn a_long_journal_is_travelled_in_any_order() {
    let server = start().await;
    let run = server.start("wide", json!(3_500)).await;
    server.wait(&run).await;
    let handle = server.engine.get(run.parse().unwrap()).await.unwrap();
    for seq in [11_999, 3, 5_000, 5_001, 9_999, 10_000, 10_001, 0] {
        let shown = server.get(&format!("/api/runs/{run}?at={seq}")).await.json();
        assert_eq!(shown["seq"], seq);
        let folded = handle.state_at(Seq(seq)).await.unwrap();
        let n_folded =
            folded.entries.values().filter(|entry| entry.kind != EntryKind::Branch).count();
        assert_eq!(n_entries(&shown["entries"]), n_folded, "as of {seq}");
    }
}

/// Branches aside, which may have no event of their own.
fn n_entries(entries: &Value) -> usize {
    let Some(entries) = entries.as_array() else { return 0 };
    let own = entries.iter().filter(|entry| entry["kind"] != "branch").count();
    own + entries.iter().map(|entry| n_entries(&entry["entries"])).sum::<usize>()
}

#[tokio::test]
async fn the_steps_of_a_sequence_are_shown_as_of_any_event() {
    async fn find(_: StepCx) -> Result<u32, StepError> {
        Ok(7)
    }
    async fn double(cx: StepCx) -> Result<u32, StepError> {
        Ok(cx.result::<u32>("find")? * 2)
    }
    let server = start().await;
    server
        .engine
        .register(Sequence::new("trees").step(find).step(double).build().unwrap())
        .unwrap();
    let run = server.start("trees", json!(null)).await;
    server.wait(&run).await;
    let steps_at = async |query: &str| {
        let answer = server.get(&format!("/api/runs/{run}/steps{query}")).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let steps = answer.json()["steps"].clone();
        let about = |step: &Value| json!([step["name"], step["status"], step["result"]]);
        steps.as_array().unwrap().iter().map(about).collect::<Vec<_>>()
    };
    let ended = [json!(["find", "completed", 7]), json!(["double", "completed", 14])];
    assert_eq!(steps_at("").await, ended);
    assert_eq!(
        steps_at("?at=0").await,
        [json!(["find", "pending", null]), json!(["double", "pending", null])]
    );
    let other = server.start("echo", json!(1)).await;
    let refused = server.get(&format!("/api/runs/{other}/steps")).await;
    assert_eq!((refused.status.as_u16(), refused.problem().as_str()), (404, "unknown_entry"));
    assert_eq!(server.get(&format!("/api/runs/{run}/steps?as=2")).await.status, 400);
}
