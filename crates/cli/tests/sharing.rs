//! Servers that share a PostgreSQL, and moving there.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on should stop"
)]

mod kit;

use std::process::Stdio;
use std::time::{Duration, Instant};

use kit::{LONG, ran, stepwell};
use serde_json::Value;
use stepwell::prelude::*;
use stepwell::{RunStatus, StartOptions};
use stepwell_store_postgres::testkit;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;

/// A server that is killed when the test ends.
struct Node {
    child: Child,
    url: String,
}

impl Node {
    async fn start(address: &str) -> Node {
        let mut command = stepwell(&["serve", "--listen", "127.0.0.1:0", "--json"]);
        command.env("STEPWELL_STORE", address).kill_on_drop(true);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = tokio::time::timeout(LONG, lines.next_line()).await.unwrap().unwrap();
        let said: Value = serde_json::from_str(&line.expect("the server starts")).unwrap();
        Node { child, url: said["url"].as_str().unwrap().to_owned() }
    }

    async fn call(&self, args: &[&str]) -> Value {
        let done = ran(stepwell(&[args, &["--json", "--server", &self.url]].concat())).await;
        assert_eq!(done.code, 0, "{done:?}");
        serde_json::from_str(&done.stdout).unwrap()
    }

    /// Waits until this many nodes are alive, and own everything in equal parts.
    async fn until_shared(&self, n_nodes: usize) -> Value {
        let begun = Instant::now();
        loop {
            let status = self.call(&["cluster", "status"]).await;
            let nodes: Vec<&Value> = status["nodes"].as_array().unwrap().iter().collect();
            let alive: Vec<_> = nodes.iter().filter(|node| node["is_alive"] == true).collect();
            let n_shards: u64 = alive.iter().map(|node| node["n_shards"].as_u64().unwrap()).sum();
            let most = alive.iter().map(|node| node["n_shards"].as_u64().unwrap()).max();
            if alive.len() == n_nodes && n_shards == 64 && most == Some(64 / n_nodes as u64) {
                return status;
            }
            assert!(begun.elapsed() < Duration::from_secs(120), "{status}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

#[tokio::test]
async fn servers_share_a_database_and_each_answers_for_all() {
    let address = testkit::server().address();
    let first = Node::start(&address).await;
    first.until_shared(1).await;
    let second = Node::start(&address).await;
    let status = second.until_shared(2).await;
    assert_eq!(status["shared"], true);
    assert_eq!(
        status["nodes"].as_array().unwrap().iter().filter(|n| n["is_self"] == true).count(),
        1
    );
    second.call(&["health"]).await;
    // What one keeps, the other knows.
    first.call(&["token", "create", "ci", "--scope", "read"]).await;
    assert_eq!(second.call(&["token", "list"]).await["tokens"][0]["name"], "ci");
    let text = ran(stepwell(&["cluster", "status", "--shards", "--server", &second.url])).await;
    assert!(text.stdout.contains("64 shards, 0 of them without an owner"), "{text:?}");

    // A server that is told to end gives its part back at once; one that is killed loses it.
    let pid = first.child.id().unwrap().to_string();
    let killed = tokio::process::Command::new("kill").arg(&pid).status().await.unwrap();
    assert!(killed.success());
    second.until_shared(1).await;
    let third = Node::start(&address).await;
    third.until_shared(2).await;
    drop(second);
    third.until_shared(1).await;
    let check = ran(stepwell(&["store", "check", "--store", &address, "--json"])).await;
    assert_eq!(check.code, 0, "{check:?}");
    // The token and its name, and the key of webhooks, which the first node made for all.
    assert!(check.stdout.contains("\"n_documents\":3"), "{check:?}");
}

#[tokio::test]
async fn a_store_that_is_not_shared_says_so() {
    let dir = TempDir::new().unwrap();
    let node = Node::start(&format!("sqlite:{}", dir.path().join("a.db").display())).await;
    assert_eq!(node.call(&["cluster", "status"]).await["shared"], false);
}

async fn greet(ctx: Ctx, name: String) -> Result<String> {
    let greeting = ctx.step("greet", async || Ok::<_, Error>(format!("Hello, {name}"))).await?;
    let mark: String = ctx.listen("mark").await?;
    Ok(format!("{greeting}{mark}"))
}

fn keyed(key: &str) -> StartOptions {
    StartOptions { idempotency_key: Some(key.to_owned()), ..StartOptions::default() }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_copied_into_a_database_with_its_runs_under_way() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("stepwell.db");
    let engine = Engine::open(&path).await.unwrap();
    engine.register(workflow("greet", greet)).unwrap();
    let ended = engine.start_with("greet", &"Ada", keyed("ada")).await.unwrap();
    ended.send("mark", "!").await.unwrap();
    assert_eq!(ended.wait::<String>().await.unwrap(), "Hello, Ada!");
    let waiting = engine.start_with("greet", &"Bob", keyed("bob")).await.unwrap();
    let begun = Instant::now();
    while waiting.journal().await.unwrap().len() < 2 {
        assert!(begun.elapsed() < LONG);
    }
    engine.shutdown().await;

    let address = testkit::server().address();
    let from = format!("sqlite:{}", path.display());
    let migrate = ["store", "migrate", "--from", &from, "--store", &address, "--json"];
    let first = ran(stepwell(&migrate)).await;
    assert_eq!(first.code, 0, "{first:?}");
    let said: Value = serde_json::from_str(&first.stdout).unwrap();
    assert_eq!((&said["n_runs"], &said["n_runs_known"]), (&2.into(), &0.into()), "{said}");
    let again = ran(stepwell(&migrate)).await;
    let said: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!((&said["n_runs"], &said["n_runs_known"]), (&0.into(), &2.into()), "{said}");

    let engine = Engine::open_postgres(&address).await.unwrap();
    engine.register(workflow("greet", greet)).unwrap();
    let known = engine.start_with("greet", &"Ada", keyed("ada")).await.unwrap();
    assert_eq!(known.id(), ended.id());
    assert_eq!(known.row().await.unwrap().status, RunStatus::Completed);
    let going = engine.get(waiting.id()).await.unwrap();
    going.send("mark", "?").await.unwrap();
    assert_eq!(going.wait::<String>().await.unwrap(), "Hello, Bob?");
    assert_eq!(engine.check().await.unwrap().problems, [""; 0]);
    engine.shutdown().await;
}

#[tokio::test]
async fn what_cannot_be_migrated_is_refused_and_passwords_are_not_said() {
    let dir = TempDir::new().unwrap();
    let to_file = ran(stepwell(&["store", "migrate", "--store", "sqlite:a.db"])).await;
    assert_eq!(to_file.code, 2, "{to_file:?}");
    let away = "postgres://me:secret@127.0.0.1:1/x";
    let from = format!("sqlite:{}", dir.path().join("none.db").display());
    let nothing = ran(stepwell(&["store", "migrate", "--from", &from, "--store", away])).await;
    assert!(nothing.stderr.contains("there is no store at"), "{nothing:?}");
    let refused = ran(stepwell(&["store", "check", "--store", away])).await;
    assert!(refused.stderr.contains("refused"), "{refused:?}");
    let empty = testkit::server().address();
    let missing = ran(stepwell(&["store", "check", "--store", &empty])).await;
    assert!(missing.stderr.contains("there is no store at postgres://"), "{missing:?}");
    let mut show = stepwell(&["config", "show"]);
    show.env("STEPWELL_STORE", away).current_dir(dir.path());
    let shown = ran(show).await;
    assert!(shown.stdout.contains("postgres://me@127.0.0.1:1/x"), "{shown:?}");
    for said in [to_file, nothing, refused, missing, shown] {
        assert!(!format!("{said:?}").contains("secret"), "{said:?}");
    }
}
