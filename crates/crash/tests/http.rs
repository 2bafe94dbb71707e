//! Kills a server with SIGKILL while clients start runs over HTTP: every start that was answered exists and ends, and
//! every client gets the same run for the same idempotency key, whenever it asks.

mod kit;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kit::spawn;
use serde_json::{Value, json};

const KILLS: u64 = 8;
const CLIENTS: u64 = 16;
const PATIENCE: Duration = Duration::from_secs(60);

/// What all clients share.
struct Load {
    dir: PathBuf,
    client: reqwest::Client,
    next_key: AtomicU64,
    is_over: AtomicBool,
    /// The run of each key that was answered.
    answered: Mutex<BTreeMap<u64, String>>,
}

impl Load {
    fn address(&self) -> Option<String> {
        std::fs::read_to_string(self.dir.join("address")).ok()
    }

    /// Starts the run of a key; none if there is no answer.
    async fn start(&self, key: u64) -> Option<String> {
        let url = format!("http://{}/api/workflows/five/runs", self.address()?);
        let wish = json!({ "input": key, "idempotency_key": format!("key {key}") });
        let response = self.client.post(url).json(&wish).send().await.ok()?;
        if !response.status().is_success() {
            return None;
        }
        let answer: Value = response.json().await.ok()?;
        answer["run_id"].as_str().map(str::to_owned)
    }

    fn note(&self, key: u64, run: String) {
        let mut answered = self.answered.lock().unwrap();
        let first = answered.entry(key).or_insert_with(|| run.clone());
        assert_eq!(*first, run, "key {key} made two runs");
    }

    /// New keys as fast as they are answered; a key that was not answered is tried until it is.
    async fn work(&self) {
        while !self.is_over.load(Ordering::Relaxed) {
            let key = self.next_key.fetch_add(1, Ordering::Relaxed);
            loop {
                if let Some(run) = self.start(key).await {
                    self.note(key, run);
                    break;
                }
                if self.is_over.load(Ordering::Relaxed) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_killed_under_load_loses_nothing_that_it_answered() {
    // The client wants one, although it speaks no TLS here.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let dir = tempfile::tempdir().unwrap();
    let load = Arc::new(Load {
        dir: dir.path().to_owned(),
        client: reqwest::Client::builder().timeout(Duration::from_secs(20)).build().unwrap(),
        next_key: AtomicU64::new(0),
        is_over: AtomicBool::new(false),
        answered: Mutex::default(),
    });
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let load = Arc::clone(&load);
            tokio::spawn(async move { load.work().await })
        })
        .collect();
    for _ in 0..KILLS {
        let before = load.answered.lock().unwrap().len();
        let mut victim = spawn(dir.path());
        let begun = Instant::now();
        // In the midst of work, wherever that is: after some answers more, not after some time.
        while load.answered.lock().unwrap().len() < before + 40 {
            assert!(begun.elapsed() < PATIENCE, "no answers");
            assert!(victim.0.try_wait().unwrap().is_none(), "the server ended by itself");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        victim.0.kill().unwrap();
        victim.0.wait().unwrap();
    }
    load.is_over.store(true, Ordering::Relaxed);
    for client in clients {
        client.await.unwrap();
    }

    let _last = spawn(dir.path());
    let answered = load.answered.lock().unwrap().clone();
    assert!(answered.len() as u64 >= KILLS * 40);
    let begun = Instant::now();
    for (key, run) in &answered {
        let again = loop {
            if let Some(run) = load.start(*key).await {
                break run;
            }
            assert!(begun.elapsed() < PATIENCE, "the server does not come back");
            tokio::time::sleep(Duration::from_millis(5)).await;
        };
        assert_eq!(again, *run, "key {key} has another run after the crash");
        let url =
            format!("http://{}/api/runs/{run}/wait?timeout_ms=30000", load.address().unwrap());
        let outcome: Value = load.client.get(url).send().await.unwrap().json().await.unwrap();
        assert_eq!(
            (&outcome["status"], &outcome["output"]),
            (&json!("completed"), &json!(key + 5)),
            "{outcome}"
        );
    }
    println!("{} runs, {KILLS} kills", answered.len());
}
