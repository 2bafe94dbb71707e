//! Cancelling, resuming, replaying, messages, deadlines.

use serde_json::json;

use crate::kit::{start, start_in};

#[tokio::test]
async fn a_cancelled_run_ends_as_cancelled_and_can_be_resumed() {
    let server = start().await;
    let run = server.start("listener", json!(null)).await;
    let cancelled =
        server.post(&format!("/api/runs/{run}/cancel"), json!({ "reason": "enough" })).await;
    assert_eq!(cancelled.status, 202, "{}", cancelled.text);
    let outcome = server.wait(&run).await;
    assert_eq!((&outcome["status"], &outcome["reason"]), (&json!("cancelled"), &json!("enough")));
    assert_eq!(
        server.post(&format!("/api/runs/{run}/cancel"), json!({})).await.status,
        202,
        "twice is fine"
    );
    let resumed = server.post(&format!("/api/runs/{run}/resume"), json!({})).await;
    assert_eq!(resumed.status, 202, "{}", resumed.text);
    server.until(&run, |run| run["status"] == "waiting").await;
    server.post(&format!("/api/runs/{run}/messages"), json!({ "name": "go", "body": 1 })).await;
    assert_eq!(server.wait(&run).await["status"], "completed");
}

#[tokio::test]
async fn a_failed_run_is_replayed_from_an_entry_in_a_copy_or_in_place() {
    let server = start().await;
    let run = server.start("failing", json!(null)).await;
    let outcome = server.wait(&run).await;
    assert_eq!(outcome["error"]["message"], "no luck");
    let copy = server.post(&format!("/api/runs/{run}/replay"), json!({ "from": "fails" })).await;
    assert_eq!(copy.status, 202, "{}", copy.text);
    let copy = copy.json()["run_id"].as_str().unwrap().to_owned();
    assert_ne!(copy, run);
    server.wait(&copy).await;
    assert_eq!(server.get(&format!("/api/runs/{copy}")).await.json()["replay_of"], run.as_str());
    let wish = json!({ "from": "before", "into": "same_run" });
    let same = server.post(&format!("/api/runs/{run}/replay"), wish).await;
    assert_eq!(same.json()["run_id"], run.as_str());
    server.until(&run, |run| run["status"] == "failed" && run["n_resumed"] == 1).await;
}

#[tokio::test]
async fn a_message_with_a_key_counts_once() {
    let server = start().await;
    let run = server.start("listener", json!(null)).await;
    let path = format!("/api/runs/{run}/messages");
    let first = server.post(&path, json!({ "name": "other", "key": "k", "body": 1 })).await.json();
    let again = server.post(&path, json!({ "name": "other", "key": "k", "body": 1 })).await.json();
    assert_eq!(first["message_id"], again["message_id"]);
    let shown = server.until(&run, |run| !run["mailbox"].as_array().unwrap().is_empty()).await;
    assert_eq!(shown["mailbox"].as_array().unwrap().len(), 1);
    assert_eq!(shown["mailbox"][0]["name"], "other");
}

#[tokio::test]
async fn a_deadline_ends_a_run_also_after_a_restart() {
    let server = start().await;
    let wish = json!({ "input": null, "deadline_ms": 1_200 });
    let started = server.post("/api/workflows/sleeper/runs", wish).await.json();
    let run = started["run_id"].as_str().unwrap().to_owned();
    let shown = server.until(&run, |run| run["status"] == "waiting").await;
    assert!(shown["deadline_at"].is_string(), "{shown:#}");
    let dir = server.stop().await;
    let server = start_in(dir, |_| {}).await;
    let outcome = server.wait(&run).await;
    assert_eq!(outcome["status"], "failed");
    assert_eq!(outcome["error"]["kind"], "deadline_passed", "{outcome:#}");
}

#[tokio::test]
async fn a_run_begins_at_its_date() {
    let server = start().await;
    let at = server.engine.clock().now().plus_ms(700);
    let wish = json!({ "input": 5, "start_at": at.rfc3339() });
    let run = server.post("/api/workflows/echo/runs", wish).await.json();
    let run = run["run_id"].as_str().unwrap();
    let shown = server.get(&format!("/api/runs/{run}")).await.json();
    assert_eq!(shown["status"], "pending");
    assert_eq!(shown["waiting_for"][0]["wait"]["for"], "start");
    assert_eq!(server.wait(run).await["output"], 5);
    let journal = server.get(&format!("/api/runs/{run}/journal")).await.json();
    assert!(journal["events"][1]["at"].as_str().unwrap() >= at.rfc3339().as_str(), "{journal:#}");
}

#[tokio::test]
async fn an_ended_run_can_be_removed() {
    let server = start().await;
    let run = server.start("echo", json!(1)).await;
    server.wait(&run).await;
    assert_eq!(server.delete(&format!("/api/runs/{run}")).await.status, 204);
    for path in ["", "/journal", "/logs", "/wait", "/entries?location=echo"] {
        assert_eq!(
            server.get(&format!("/api/runs/{run}{path}")).await.problem(),
            "unknown_run",
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_waiting_run_can_be_woken() {
    let server = start().await;
    let run = server.start("sleeper", json!(null)).await;
    let shown = server.until(&run, |run| run["status"] == "waiting").await;
    let woken = server.post(&format!("/api/runs/{run}/wake"), json!({})).await;
    assert_eq!(woken.status, 202, "{}", woken.text);
    let after = server.get(&format!("/api/runs/{run}")).await.json();
    assert_eq!(after["waiting_for"], shown["waiting_for"], "dates do not move");
}
