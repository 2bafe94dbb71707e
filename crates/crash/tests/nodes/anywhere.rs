//! Requests that reach another node than the one that has the run.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::HeaderMap;
use axum::{Json, Router, routing::post};
use serde_json::{Value, json};

use crate::nodes::{Nodes, PATIENCE};

/// So many of each, through every node: their owners are anywhere.
const RUNS: usize = 12;

/// No lease runs out here, however busy the machine is.
const LEASE: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_node_takes_starts_messages_cancels_waits_and_readers_of_any_run() {
    let nodes = Nodes::start(&["a", "b", "c"], LEASE, |_| {}).await;
    for n in 0..RUNS {
        let [here, there, elsewhere] = [nodes.nth(n), nodes.nth(n + 1), nodes.nth(n + 2)];
        // One key is one run, wherever it arrives.
        let wish = json!({ "input": n, "idempotency_key": format!("key {n}") });
        let (first, second) = tokio::join!(
            here.post("/api/workflows/five/runs", wish.clone()),
            there.post("/api/workflows/five/runs", wish)
        );
        assert_eq!(first.1["run_id"], second.1["run_id"]);
        let statuses = BTreeSet::from([first.0, second.0]);
        assert_eq!(statuses, BTreeSet::from([200, 201]), "{first:?} {second:?}");
        let run = first.1["run_id"].as_str().unwrap();
        assert_eq!(elsewhere.wait(run).await["output"], n + 5);

        let run = here.start("word", json!(n)).await;
        let reader = there.news(&run);
        let sender = async {
            let message = json!({ "name": "word", "body": format!("word {n}") });
            let (status, answer) =
                elsewhere.post(&format!("/api/runs/{run}/messages"), message).await;
            assert_eq!(status, 202, "{answer}");
            there.wait(&run).await
        };
        let (news, ended) = tokio::join!(reader, sender);
        assert_eq!(ended["output"], format!("word {n}"), "{ended}");
        for event in ["RunStarted", "MessageTaken", "RunCompleted"] {
            assert!(news.contains(event), "{event} is not in {news}");
        }

        let run = here.start("word", json!(n)).await;
        let (status, answer) =
            there.post(&format!("/api/runs/{run}/cancel"), json!({ "reason": "enough" })).await;
        assert_eq!(status, 202, "{answer}");
        assert_eq!(elsewhere.wait(&run).await["status"], "cancelled");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_of_all_news_hears_of_runs_on_every_node() {
    let nodes = Nodes::start(&["a", "b", "c"], LEASE, |_| {}).await;
    let mut news = nodes.nth(0).follow("/api/updates").await;
    let begun = Instant::now();
    // The others hear in a moment that somebody reads, and not before.
    loop {
        let mut runs = Vec::new();
        for n in 0..RUNS {
            let run = nodes.nth(n).start("five", json!(n)).await;
            nodes.nth(n + 1).wait(&run).await;
            runs.push(run);
        }
        let is_end = |line: &str, run: &str| line.contains(run) && line.contains("RunCompleted");
        let is_told = |text: &str, run: &str| text.lines().any(|line| is_end(line, run));
        let told = news.until(|text| runs.iter().all(|run| is_told(text, run)));
        if tokio::time::timeout(Duration::from_secs(5), told).await.is_ok() {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "{}", news.text);
    }
    let positions: Vec<&str> = news.text.lines().filter(|line| line.starts_with("id:")).collect();
    assert_eq!(positions.iter().collect::<BTreeSet<_>>().len(), positions.len());
}

/// The paths of the webhooks that were asked for.
type Asked = Arc<Mutex<Vec<String>>>;

async fn take(State(asked): State<Asked>, headers: HeaderMap) -> Json<Value> {
    let url = headers["stepwell-webhook-url"].to_str().unwrap();
    asked.lock().unwrap().push(url[url.find("/webhooks/").unwrap()..].to_owned());
    Json(json!({}))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_webhook_may_arrive_at_any_node_and_counts_once() {
    let asked = Asked::default();
    let router = Router::new().route("/work", post(take)).with_state(asked.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/work", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });

    let nodes = Nodes::start(&["a", "b", "c"], LEASE, |_| {}).await;
    let step = json!({
        "id": "review", "type": "async", "http": {"url": url},
        "attributes": {"text": {"role": "required"}, "verdict": {"role": "output"}},
    });
    let (status, answer) = nodes.nth(0).post("/api/steps", step).await;
    assert_eq!(status, 201, "{answer}");
    for n in 0..RUNS / 2 {
        // The catalog was changed on the first node.
        let wish = json!({"goals": ["review"], "init": {"text": "x"}});
        let (status, started) = nodes.nth(n + 1).post("/api/flows", wish).await;
        assert_eq!(status, 201, "{started}");
        let run = started["run_id"].as_str().unwrap();
        let begun = Instant::now();
        let webhook = loop {
            if let Some(path) = asked.lock().unwrap().iter().find(|path| path.contains(run)) {
                break path.clone();
            }
            assert!(begun.elapsed() < PATIENCE, "the service is not called");
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        let (good, other) = (json!({"verdict": "good"}), json!({"verdict": "bad"}));
        assert_eq!(nodes.nth(n + 2).post(&webhook, good.clone()).await.0, 200);
        assert_eq!(nodes.nth(n).post(&webhook, good).await.0, 200);
        assert_eq!(nodes.nth(n + 1).post(&webhook, other).await.1["code"], "webhook_answered");
        assert_eq!(nodes.nth(n).wait(run).await["output"]["verdict"], "good");
    }
}
