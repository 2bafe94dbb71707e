//! Concurrency and rate limits, retention, and the bound on requests.

use serde_json::json;
use stepwell_server::config::{KeyConfig, RateConfig, RetentionConfig, Span, WorkflowConfig};

use crate::kit::{PATIENCE, start_with};

#[tokio::test]
async fn runs_beyond_the_limit_wait_for_a_slot_and_say_so() {
    let server = start_with(|config| {
        let limits = WorkflowConfig { concurrency: Some(2), ..Default::default() };
        config.workflows.insert("listener".to_owned(), limits);
    })
    .await;
    let mut runs = Vec::new();
    for _ in 0..4 {
        runs.push(server.start("listener", json!(null)).await);
    }
    server.until(&runs[1], |run| run["status"] == "waiting").await;
    // For a moment it runs: it asks for a slot.
    let waits = |run: &serde_json::Value| {
        let text = run["waiting_for"][0]["text"].as_str();
        run["status"] == "pending" && text.is_some_and(|text| text.contains("2 of 2"))
    };
    server.until(&runs[2], waits).await;
    let cancelled = server.post(&format!("/api/runs/{}/cancel", runs[2]), json!({})).await;
    assert_eq!(cancelled.status, 202);
    assert_eq!(
        server.wait(&runs[2]).await["status"],
        "cancelled",
        "also while it waits for a slot"
    );
    for run in [&runs[0], &runs[1], &runs[3]] {
        server.post(&format!("/api/runs/{run}/messages"), json!({ "name": "go", "body": 1 })).await;
    }
    for run in [&runs[0], &runs[1], &runs[3]] {
        assert_eq!(server.wait(run).await["status"], "completed");
    }
}

#[tokio::test]
async fn limits_can_be_per_key_of_the_input() {
    let server = start_with(|config| {
        let per_key =
            KeyConfig { field: "customer.id".to_owned(), concurrency: Some(1), rate: None };
        let limits = WorkflowConfig { per_key: Some(per_key), ..Default::default() };
        config.workflows.insert("listener".to_owned(), limits);
    })
    .await;
    let of = |id: u32| json!({ "customer": { "id": id } });
    let (a, b) = (server.start("listener", of(1)).await, server.start("listener", of(1)).await);
    let c = server.start("listener", of(2)).await;
    server.until(&a, |run| run["status"] == "waiting").await;
    server.until(&c, |run| run["status"] == "waiting").await;
    assert_eq!(server.get(&format!("/api/runs/{b}")).await.json()["status"], "pending");
    server.post(&format!("/api/runs/{a}/messages"), json!({ "name": "go", "body": 1 })).await;
    server.until(&b, |run| run["status"] == "waiting").await;
}

#[tokio::test]
async fn a_rate_holds_runs_back() {
    let server = start_with(|config| {
        let rate = Some(RateConfig { runs: 2, per: Span::from_ms(800) });
        let limits = WorkflowConfig { rate, ..Default::default() };
        config.workflows.insert("echo".to_owned(), limits);
    })
    .await;
    let mut runs = Vec::new();
    for n in 0..5 {
        runs.push(server.start("echo", json!(n)).await);
    }
    let mut begun = Vec::new();
    for run in &runs {
        server.wait(run).await;
        let journal = server.get(&format!("/api/runs/{run}/journal")).await.json();
        let at: jiff::Timestamp = journal["events"][1]["at"].as_str().unwrap().parse().unwrap();
        begun.push(at.as_millisecond());
    }
    begun.sort_unstable();
    // A date of the journal is when its event was decided; allow for the step itself.
    assert!(begun[4] - begun[0] >= 800, "five runs at two per 800 ms: {begun:?}");
}

#[tokio::test]
async fn ended_runs_are_forgotten_when_their_time_is_over() {
    let server = start_with(|config| {
        let retention = RetentionConfig { completed: Some(Span::from_ms(1)), ..Default::default() };
        config.retention = retention;
    })
    .await;
    let done = server.start("echo", json!(1)).await;
    let failed = server.start("failing", json!(1)).await;
    server.wait(&failed).await;
    let begun = std::time::Instant::now();
    while server.get(&format!("/api/runs/{done}")).await.status == 200 {
        assert!(begun.elapsed() < PATIENCE * 3, "it stays");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert_eq!(server.get(&format!("/api/runs/{failed}")).await.json()["status"], "failed");
}
