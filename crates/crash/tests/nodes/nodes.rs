//! The servers, and how they are talked to.

#![allow(dead_code, reason = "each test program uses a part of this")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use stepwell_store_postgres::testkit;
use tempfile::TempDir;

use crate::kit::{Victim, spawn_with};

/// Longer than anything here takes, on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(120);

pub struct Node {
    pub victim: Victim,
    pub dir: PathBuf,
    pub client: reqwest::Client,
    pub url: String,
}

/// Servers that share a store.
pub struct Nodes {
    pub all: Vec<Node>,
    pub folder: TempDir,
    address: String,
    lease: Duration,
    more: Vec<(&'static str, String)>,
}

impl Nodes {
    /// As many servers as these have folders, each with its part of the runs.
    pub async fn start(names: &[&str], lease: Duration, prepare: impl Fn(&PathBuf)) -> Nodes {
        let address = tokio::task::spawn_blocking(|| testkit::server().address()).await.unwrap();
        Nodes::start_on(address, names, lease, Vec::new(), prepare).await
    }

    /// The same on this database, with more in the servers' environment.
    pub async fn start_on(
        address: String,
        names: &[&str],
        lease: Duration,
        more: Vec<(&'static str, String)>,
        prepare: impl Fn(&PathBuf),
    ) -> Nodes {
        // The client wants one, although it speaks no TLS here.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let folder = tempfile::tempdir().unwrap();
        let mut nodes = Nodes { all: Vec::new(), folder, address, lease, more };
        for name in names {
            let dir = nodes.folder.path().join(name);
            std::fs::create_dir(&dir).unwrap();
            prepare(&dir);
            let node = nodes.serve(dir).await;
            nodes.all.push(node);
        }
        nodes.until_shared().await;
        nodes
    }

    /// Starts a server with this folder, and waits until it may take requests.
    async fn serve(&self, dir: PathBuf) -> Node {
        let outside = self.folder.path().to_str().unwrap();
        let lease = self.lease.as_millis().to_string();
        let mut environment = vec![
            ("CRASH_STORE", &*self.address),
            ("CRASH_LEASE_MS", &lease),
            ("CRASH_OUTSIDE", outside),
        ];
        environment.extend(self.more.iter().map(|(name, value)| (*name, &**value)));
        let victim = spawn_with(&dir, &environment);
        let client = reqwest::Client::builder().timeout(PATIENCE).build().unwrap();
        let mut node = Node { victim, dir, client, url: String::new() };
        let begun = Instant::now();
        loop {
            let told = std::fs::read_to_string(node.dir.join("log")).unwrap_or_default();
            assert!(node.victim.0.try_wait().unwrap().is_none(), "it ended by itself: {told}");
            assert!(begun.elapsed() < PATIENCE, "it does not come: {told}");
            if let Ok(address) = std::fs::read_to_string(node.dir.join("address")) {
                node.url = format!("http://{address}");
                let ready = node.client.get(format!("{}/health/ready", node.url)).send().await;
                if ready.is_ok_and(|ready| ready.status() == 200) {
                    return node;
                }
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Starts a server again that has ended.
    pub async fn serve_again(&mut self, n: usize) {
        self.all[n] = self.serve(self.all[n].dir.clone()).await;
    }

    /// Waits until every server has shards, and every shard a server.
    pub async fn until_shared(&self) {
        let begun = Instant::now();
        loop {
            let status = self.all[0].get("/api/cluster").await.1;
            let nodes = status["nodes"].as_array().unwrap();
            let is_at_work =
                |node: &&Value| node["is_alive"] == true && node["n_shards"].as_u64() > Some(0);
            let n_owned = status["shards"].as_array().unwrap().iter();
            let n_free = n_owned.filter(|shard| shard["node"].is_null()).count();
            if nodes.iter().filter(is_at_work).count() == self.all.len() && n_free == 0 {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "{status}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// One after the other, for ever.
    pub fn nth(&self, n: usize) -> &Node {
        &self.all[n % self.all.len()]
    }

    /// The processes that began this step of a run, in order.
    pub fn began(&self, run: &str, step: &str) -> Vec<u32> {
        let ledger = std::fs::read_to_string(self.folder.path().join("ledger")).unwrap_or_default();
        let words = ledger.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        words
            .filter(|words| words[..2] == [run, step])
            .map(|words| words[2].parse().unwrap())
            .collect()
    }

    /// Waits until the step was begun by somebody who is wanted, and says by whom.
    pub async fn until_began(&self, run: &str, step: &str, wanted: impl Fn(u32) -> bool) -> u32 {
        let begun = Instant::now();
        loop {
            if let Some(pid) = self.began(run, step).into_iter().find(|pid| wanted(*pid)) {
                return pid;
            }
            assert!(begun.elapsed() < PATIENCE, "{step} of {run} is not begun");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Which server has this process.
    pub fn position(&self, pid: u32) -> usize {
        self.all.iter().position(|node| node.victim.0.id() == pid).unwrap()
    }

    /// Lets the step of a run end that is held.
    pub fn let_go(&self, run: &str) {
        std::fs::write(self.folder.path().join(format!("go-{run}")), "").unwrap();
    }
}

impl Node {
    pub async fn get(&self, path: &str) -> (u16, Value) {
        answer(self.client.get(format!("{}{path}", self.url))).await
    }

    pub async fn post(&self, path: &str, body: Value) -> (u16, Value) {
        answer(self.client.post(format!("{}{path}", self.url)).json(&body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> (u16, Value) {
        answer(self.client.put(format!("{}{path}", self.url)).json(&body)).await
    }

    pub async fn delete(&self, path: &str) -> u16 {
        self.client.delete(format!("{}{path}", self.url)).send().await.unwrap().status().as_u16()
    }

    /// Starts a run, and gives its id.
    pub async fn start(&self, workflow: &str, input: Value) -> String {
        let (status, answer) =
            self.post(&format!("/api/workflows/{workflow}/runs"), json!({ "input": input })).await;
        assert_eq!(status, 201, "{answer}");
        answer["run_id"].as_str().unwrap().to_owned()
    }

    /// Waits for the end of a run.
    pub async fn wait(&self, run: &str) -> Value {
        let begun = Instant::now();
        loop {
            let (status, answer) =
                self.get(&format!("/api/runs/{run}/wait?timeout_ms=20000")).await;
            if status == 200 {
                return answer;
            }
            assert!(begun.elapsed() < PATIENCE, "{answer}");
        }
    }

    /// Reads the news of a run until its end.
    pub async fn news(&self, run: &str) -> String {
        let mut news = self.follow(&format!("/api/updates?run={run}")).await;
        news.until(|text| text.contains("event: end")).await;
        news.text
    }

    /// Reads news as they come.
    pub async fn follow(&self, path: &str) -> News {
        let response = self.client.get(format!("{}{path}", self.url)).send().await.unwrap();
        assert_eq!(response.status(), 200);
        News { response, text: String::new() }
    }
}

/// A stream of events that is being read.
pub struct News {
    response: reqwest::Response,
    pub text: String,
}

impl News {
    /// Reads on until it is so.
    pub async fn until(&mut self, is_so: impl Fn(&str) -> bool) {
        let read = async {
            while !is_so(&self.text) {
                let piece = self.response.chunk().await.unwrap();
                let piece = piece.expect("the stream goes on");
                self.text.push_str(std::str::from_utf8(&piece).unwrap());
            }
        };
        if tokio::time::timeout(PATIENCE, read).await.is_err() {
            panic!("it never came: {}", self.text);
        }
    }
}

async fn answer(request: reqwest::RequestBuilder) -> (u16, Value) {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let text = response.text().await.unwrap();
    (status, serde_json::from_str(&text).unwrap_or(Value::String(text)))
}
