//! Runs of every dialect, started at any server, with messages for some.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::task::{JoinHandle, JoinSet};

use crate::nodes::{Nodes, PATIENCE};
use crate::outside::Outside;

/// How long one server is waited for before another one is asked.
const ANSWER_MAX: Duration = Duration::from_secs(5);
/// How long every run may take to end once nothing happens any more.
const END_MAX: Duration = Duration::from_secs(300);
const BETWEEN: Duration = Duration::from_millis(250);

pub const DIALECTS: [&str; 4] = ["code", "sequence", "flow", "graph"];

const CHAIN: &str = r#"
async function act({ input }, step) {
  const body = JSON.stringify({ what: `sequence-${input.n}/${step}` });
  const response = await fetch(`${input.base}/effect`, { method: "POST", headers: { "content-type": "application/json" }, body });
  return (await response.json()).mark;
}
async function a(context) { return act(context, "a"); }
async function b(context) { return act(context, "b"); }
async function c(context) { return act(context, "c"); }
export const steps = [
  { fn: a, maxAttempts: 1000 },
  { fn: b, maxAttempts: 1000 },
  { fn: c, maxAttempts: 1000 },
];
"#;

/// The folder of a server.
pub fn prepare(dir: &Path) {
    std::fs::create_dir(dir.join("workflows")).unwrap();
    std::fs::write(dir.join("workflows/sequence.ts"), CHAIN).unwrap();
}

/// Where the servers are now.
#[derive(Clone)]
pub struct Addresses {
    urls: Arc<Mutex<Vec<String>>>,
    next: Arc<AtomicUsize>,
    client: reqwest::Client,
}

impl Default for Addresses {
    fn default() -> Addresses {
        // The client wants one, although it speaks no TLS here.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder().timeout(ANSWER_MAX).build().unwrap();
        Addresses { urls: Arc::default(), next: Arc::default(), client }
    }
}

impl Addresses {
    fn set(&self, nodes: &Nodes) {
        *self.urls.lock().unwrap() = nodes.all.iter().map(|node| node.url.clone()).collect();
    }

    fn next(&self) -> String {
        let urls = self.urls.lock().unwrap();
        urls[self.next.fetch_add(1, Ordering::Relaxed) % urls.len()].clone()
    }

    /// Posts to one server after the other until one gives an answer that is not its own trouble.
    pub async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        self.until_answered(|url| self.client.post(format!("{url}{path}")).json(body)).await
    }

    async fn put(&self, path: &str, body: &Value) -> (u16, Value) {
        self.until_answered(|url| self.client.put(format!("{url}{path}")).json(body)).await
    }

    async fn get(&self, path: &str) -> (u16, Value) {
        self.until_answered(|url| self.client.get(format!("{url}{path}"))).await
    }

    async fn until_answered(
        &self,
        request: impl Fn(String) -> reqwest::RequestBuilder,
    ) -> (u16, Value) {
        let begun = Instant::now();
        loop {
            if let Ok(response) = request(self.next()).send().await {
                let status = response.status().as_u16();
                if status < 500
                    && let Ok(answer) = response.json().await
                {
                    return (status, answer);
                }
            }
            assert!(begun.elapsed() < PATIENCE, "no server answers");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

/// The runs that were acknowledged, by dialect and number.
pub type Acknowledged = BTreeMap<(&'static str, u64), String>;

pub struct Load {
    addresses: Addresses,
    is_over: Arc<AtomicBool>,
    starting: JoinHandle<Acknowledged>,
}

impl Load {
    pub async fn start(nodes: &Nodes, outside: &Outside) -> Load {
        let addresses = outside.addresses().clone();
        addresses.set(nodes);
        save(&addresses, &outside.url).await;
        let is_over = Arc::new(AtomicBool::new(false));
        let starting =
            tokio::spawn(steady(addresses.clone(), outside.url.clone(), is_over.clone()));
        Load { addresses, is_over, starting }
    }

    /// A server listens elsewhere now.
    pub fn moved(&self, nodes: &Nodes) {
        self.addresses.set(nodes);
    }

    /// Starts no more, and waits until all have ended.
    pub async fn finish(self) -> Acknowledged {
        self.is_over.store(true, Ordering::Release);
        let runs = self.starting.await.unwrap();
        let begun = Instant::now();
        for (what, run) in &runs {
            loop {
                let (status, answer) =
                    self.addresses.get(&format!("/api/runs/{run}/wait?timeout_ms=2000")).await;
                if status == 200 {
                    assert_eq!(answer["status"], "completed", "{what:?}: {answer}");
                    break;
                }
                if begun.elapsed() > END_MAX {
                    let (_, state) = self.addresses.get(&format!("/api/runs/{run}")).await;
                    panic!("{what:?} does not end: {answer}, {state:#}");
                }
            }
        }
        runs
    }
}

/// Saves the steps of flows, and the graph.
async fn save(addresses: &Addresses, url: &str) {
    let first = json!({
        "id": "first", "type": "sync", "http": {"url": format!("{url}/flow/first")},
        "work": {"max_retries": 1000, "initial_backoff_ms": 100, "max_backoff_ms": 500},
        "attributes": {"n": {"role": "required", "type": "number"}, "first": {"role": "output", "type": "string"}},
    });
    let second = json!({
        "id": "second", "type": "async", "http": {"url": format!("{url}/flow/second")},
        "work": {"max_retries": 1000, "initial_backoff_ms": 100, "max_backoff_ms": 500},
        "attributes": {
            "n": {"role": "required", "type": "number"}, "first": {"role": "required", "type": "string"},
            "second": {"role": "output", "type": "string"},
        },
    });
    for step in [first, second] {
        let (status, answer) = addresses.post("/api/steps", &step).await;
        assert!(status == 201 || status == 409, "{answer}");
    }
    let graph = json!({"id": "graph", "steps": [
        {"name": "twice", "action": {"code": "export default (input) => ({ n: input.n, twice: 2 * input.n })"}, "input": {"n": "@input.n"}},
        {"name": "nested", "action": {"workflow": "outside"}, "input": {"what": "graph", "n": "@twice.n", "listens": false}},
        {"name": "go", "action": {"listen": "go"}},
        {"name": "end", "action": {"return": true}, "input": {"marks": "@nested", "go": "@go"}},
    ]});
    let (status, answer) = addresses.put("/api/workflows/graph", &graph).await;
    assert!(status < 300, "{answer}");
}

/// Now and then a run of each dialect, whatever has become of those before, until it is over.
async fn steady(addresses: Addresses, url: String, is_over: Arc<AtomicBool>) -> Acknowledged {
    let mut starting = JoinSet::new();
    let mut n = 0;
    while !is_over.load(Ordering::Acquire) {
        n += 1;
        for dialect in DIALECTS {
            let (addresses, url) = (addresses.clone(), url.clone());
            starting
                .spawn(async move { ((dialect, n), start(&addresses, &url, dialect, n).await) });
        }
        tokio::time::sleep(BETWEEN).await;
    }
    starting.join_all().await.into_iter().collect()
}

/// Whether a run of this dialect waits for a message.
pub fn listens(dialect: &str) -> bool {
    matches!(dialect, "code" | "graph")
}

/// The keys make a start and a message that are tried again one start and one message.
async fn start(addresses: &Addresses, url: &str, dialect: &str, n: u64) -> String {
    let key = format!("{dialect}-{n}");
    let (path, body) = match dialect {
        "code" => (
            "/api/workflows/outside/runs",
            json!({"input": {"what": "code", "n": n, "listens": true}}),
        ),
        "sequence" => ("/api/workflows/sequence/runs", json!({"input": {"n": n, "base": url}})),
        "graph" => ("/api/workflows/graph/runs", json!({"input": {"n": n}})),
        _ => ("/api/flows", json!({"goals": ["second"], "init": {"n": n}})),
    };
    let mut body = body;
    body["idempotency_key"] = json!(key);
    let (status, answer) = addresses.post(path, &body).await;
    assert!(status < 300, "{key}: {status} {answer}");
    let run = answer["run_id"].as_str().unwrap().to_owned();
    if listens(dialect) {
        let message = json!({"name": "go", "body": n, "key": key});
        let (status, answer) = addresses.post(&format!("/api/runs/{run}/messages"), &message).await;
        // One that has ended has taken it before.
        assert!(status < 300 || status == 409, "{key}: {status} {answer}");
    }
    run
}
