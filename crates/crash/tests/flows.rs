//! Kills a server with SIGKILL between the calls of async steps and their webhooks: every work item is answered once,
//! and the flow ends as if nothing had been.

mod kit;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::HeaderMap;
use axum::{Json, Router, routing::post};
use kit::spawn;
use serde_json::{Value, json};

const ITEMS: usize = 40;
const PATIENCE: Duration = Duration::from_secs(60);

/// The paths of the webhooks that were asked for, by work item, and how often each was.
type Asked = Arc<Mutex<BTreeMap<u64, Vec<String>>>>;

async fn take(
    State(asked): State<Asked>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Json<Value> {
    let url = headers["stepwell-webhook-url"].to_str().unwrap();
    let path = url[url.find("/webhooks/").unwrap()..].to_owned();
    asked.lock().unwrap().entry(body["n"].as_u64().unwrap()).or_default().push(path);
    Json(json!({}))
}

async fn service(asked: Asked) -> String {
    let router = Router::new().route("/work", post(take)).with_state(asked);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/work", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}

/// Posts until the server, wherever it is now, gives an answer.
async fn posted(client: &reqwest::Client, dir: &Path, path: &str, body: &Value) -> (u16, Value) {
    let begun = Instant::now();
    loop {
        if let Ok(address) = std::fs::read_to_string(dir.join("address"))
            && let Ok(response) =
                client.post(format!("http://{address}{path}")).json(body).send().await
        {
            let status = response.status().as_u16();
            if let Ok(answer) = response.json().await {
                return (status, answer);
            }
        }
        assert!(begun.elapsed() < PATIENCE, "the server does not come back");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Waits until so many work items have asked.
async fn until_asked(asked: &Asked, n: usize) {
    let begun = Instant::now();
    while asked.lock().unwrap().len() < n {
        assert!(begun.elapsed() < PATIENCE, "only {:?}", asked.lock().unwrap().keys());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_killed_between_calls_and_webhooks_ends_its_flow_all_the_same() {
    // The client wants one, although it speaks no TLS here.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let dir = tempfile::tempdir().unwrap();
    let asked = Asked::default();
    let url = service(asked.clone()).await;
    let client = reqwest::Client::builder().timeout(Duration::from_secs(20)).build().unwrap();
    let step = json!({
        "id": "work", "type": "async", "http": {"url": url}, "work": {"parallelism": ITEMS / 2},
        "attributes": {"n": {"role": "required", "type": "array", "for_each": true}, "done": {"role": "output"}},
    });
    let mut victim = spawn(dir.path());
    assert_eq!(posted(&client, dir.path(), "/api/steps", &step).await.0, 201);
    let numbers: Vec<usize> = (0..ITEMS).collect();
    let wish = json!({"goals": ["work"], "init": {"n": numbers}, "idempotency_key": "k"});
    let (_, started) = posted(&client, dir.path(), "/api/flows", &wish).await;
    let run = started["run_id"].as_str().unwrap().to_owned();

    // Killed while it calls, and again while it is answered.
    until_asked(&asked, ITEMS / 4).await;
    victim.0.kill().unwrap();
    victim.0.wait().unwrap();
    let mut victim = spawn(dir.path());
    until_asked(&asked, ITEMS / 2).await;
    for n in 0..ITEMS {
        until_asked(&asked, (n + 1).max(ITEMS / 2)).await;
        if n == ITEMS / 3 {
            victim.0.kill().unwrap();
            victim.0.wait().unwrap();
            victim = spawn(dir.path());
        }
        let paths = asked.lock().unwrap()[&(n as u64)].clone();
        let different: BTreeSet<&String> = paths.iter().collect();
        assert_eq!(different.len(), 1, "item {n} has another token after the crash");
        let (status, answer) = posted(&client, dir.path(), &paths[0], &json!({"done": n})).await;
        assert_eq!(status, 200, "{answer}");
    }
    let address = std::fs::read_to_string(dir.path().join("address")).unwrap();
    let url = format!("http://{address}/api/runs/{run}/wait?timeout_ms=20000");
    let outcome: Value = client.get(url).send().await.unwrap().json().await.unwrap();
    let done: Vec<Value> = (0..ITEMS).map(|n| json!({"n": n, "done": n})).collect();
    assert_eq!(outcome["output"]["done"], json!(done), "{outcome}");
    let first = asked.lock().unwrap()[&0][0].clone();
    let (status, _) = posted(&client, dir.path(), &first, &json!({"done": "other"})).await;
    assert_eq!(status, 409);
}
