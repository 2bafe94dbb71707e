//! Nodes that are restarted one by one with a new version of a workflow, under load.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::nodes::{Nodes, PATIENCE};

const LEASE: Duration = Duration::from_secs(10);
const CLIENTS: u64 = 4;
/// How many runs end between two restarts, at least.
const RUNS_EACH: u64 = 20;

/// A run says at its end with which version it began, and with which it ended.
fn write_workflow(dir: &Path, version: &str) {
    std::fs::create_dir_all(dir.join("workflows")).unwrap();
    let text = format!(
        "import {{ delayStep }} from 'stepwell';
const first = () => '{version}';
const last = ({{ steps }}: any) => `${{steps.first.result}} {version}`;
export const steps = [first, delayStep({{ milliseconds: 200 }}), last];"
    );
    std::fs::write(dir.join("workflows/rolled.ts"), text).unwrap();
}

/// What the clients share.
struct Load {
    client: reqwest::Client,
    /// Of the servers that are up, or going down.
    urls: Mutex<Vec<String>>,
    is_over: AtomicBool,
    next_key: AtomicU64,
    n_ended: AtomicU64,
    /// How many runs said what.
    said: Mutex<BTreeMap<String, u64>>,
}

impl Load {
    /// Asks one server after another until one answers, as a balancer would.
    async fn ask(&self, from: u64, path: &str, body: Option<&Value>) -> Value {
        let asked = async {
            for n in from.. {
                let url = {
                    let urls = self.urls.lock().unwrap();
                    format!("{}{path}", urls[n as usize % urls.len()])
                };
                let request = match body {
                    Some(body) => self.client.post(url).json(body),
                    None => self.client.get(url),
                };
                if let Ok(response) = request.send().await
                    && response.status().is_success()
                    && let Ok(answer) = response.json().await
                {
                    return answer;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Value::Null
        };
        tokio::time::timeout(PATIENCE, asked).await.unwrap()
    }

    /// Starts runs anywhere, and waits for their ends anywhere.
    async fn work(&self) {
        while !self.is_over.load(Ordering::Relaxed) {
            let n = self.next_key.fetch_add(1, Ordering::Relaxed);
            let wish = json!({ "idempotency_key": format!("key {n}") });
            let started = self.ask(n, "/api/workflows/rolled/runs", Some(&wish)).await;
            let run = started["run_id"].as_str().unwrap();
            let path = format!("/api/runs/{run}/wait?timeout_ms=20000");
            let ended = self.ask(n + 1, &path, None).await;
            assert_eq!(ended["status"], "completed", "{ended}");
            let said = ended["output"].as_str().unwrap().to_owned();
            *self.said.lock().unwrap().entry(said).or_default() += 1;
            self.n_ended.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits for so many ends more.
    async fn until_ended(&self, n_more: u64) {
        let n = self.n_ended.load(Ordering::Relaxed) + n_more;
        let ended = async {
            while self.n_ended.load(Ordering::Relaxed) < n {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(PATIENCE, ended).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_are_upgraded_one_by_one_under_load_and_runs_end_with_the_version_they_began_with() {
    let mut nodes = Nodes::start(&["a", "b", "c"], LEASE, |dir| write_workflow(dir, "one")).await;
    let urls = |nodes: &Nodes| nodes.all.iter().map(|node| node.url.clone()).collect::<Vec<_>>();
    let load = Arc::new(Load {
        client: nodes.all[0].client.clone(),
        urls: Mutex::new(urls(&nodes)),
        is_over: AtomicBool::new(false),
        next_key: AtomicU64::new(0),
        n_ended: AtomicU64::new(0),
        said: Mutex::default(),
    });
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| {
            let load = Arc::clone(&load);
            tokio::spawn(async move { load.work().await })
        })
        .collect();
    load.until_ended(RUNS_EACH).await;
    for n in 0..nodes.all.len() {
        nodes.all[n].victim.tell("-TERM");
        let ended = nodes.all[n].victim.until_ended(PATIENCE);
        assert!(ended, "{}", std::fs::read_to_string(nodes.all[n].dir.join("log")).unwrap());
        write_workflow(&nodes.all[n].dir, "two");
        nodes.serve_again(n).await;
        *load.urls.lock().unwrap() = urls(&nodes);
        load.until_ended(RUNS_EACH).await;
    }
    load.is_over.store(true, Ordering::Relaxed);
    for client in clients {
        client.await.unwrap();
    }
    let said = load.said.lock().unwrap().clone();
    println!("{said:?}");
    // Whichever node had a run, and whatever file it had.
    assert_eq!(said.keys().map(String::as_str).collect::<Vec<_>>(), ["one one", "two two"]);
}
