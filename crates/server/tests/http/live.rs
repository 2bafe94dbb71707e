//! Server-sent events.

use std::collections::BTreeMap;

use futures::StreamExt;
use reqwest::Method;
use serde_json::{Value, json};

use crate::kit::{PATIENCE, Running, start, start_in, start_with};

struct Stream {
    response: reqwest::Response,
    buffer: String,
}

#[derive(Debug, Clone)]
struct Told {
    kind: String,
    id: String,
    data: Value,
}

async fn open(server: &Running, query: &str, last: Option<&str>) -> Stream {
    let mut request = server.request(Method::GET, &format!("/api/updates{query}"));
    if let Some(last) = last {
        request = request.header("Last-Event-ID", last);
    }
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    Stream { response, buffer: String::new() }
}

impl Stream {
    /// The next event; none at the stream's end.
    async fn next(&mut self) -> Option<Told> {
        loop {
            if let Some((block, rest)) = self.buffer.split_once("\n\n") {
                let fields: BTreeMap<&str, &str> =
                    block.lines().filter_map(|line| line.split_once(": ")).collect();
                let told = fields.get("event").map(|kind| Told {
                    kind: (*kind).to_owned(),
                    id: (*fields.get("id").unwrap_or(&"")).to_owned(),
                    data: serde_json::from_str(fields["data"]).unwrap(),
                });
                self.buffer = rest.to_owned();
                match told {
                    Some(told) => return Some(told),
                    None => continue,
                }
            }
            let chunk =
                tokio::time::timeout(PATIENCE, self.response.chunk()).await.unwrap().unwrap()?;
            self.buffer.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }
}

#[tokio::test]
async fn a_runs_stream_is_its_journal_and_can_be_taken_up_anywhere() {
    let server = start().await;
    let run = server.start("order", json!({ "sku": "a", "n": 4 })).await;
    let mut stream = open(&server, &format!("?run={run}"), None).await;
    let mut told = Vec::new();
    loop {
        let next = stream.next().await.unwrap();
        if next.kind == "end" {
            break;
        }
        told.push(next);
    }
    assert!(stream.next().await.is_none(), "the stream ends");
    let names: Vec<&str> = told.iter().map(|told| told.data["event"].as_str().unwrap()).collect();
    assert_eq!(names.first(), Some(&"RunStarted"));
    assert_eq!(names.last(), Some(&"RunCompleted"));
    let ids: Vec<u64> = told.iter().map(|told| told.id.parse().unwrap()).collect();
    assert_eq!(ids, (0..ids.len() as u64).collect::<Vec<_>>());

    let dir = server.stop().await;
    let server = start_in(dir, |_| {}).await;
    let mut stream = open(&server, &format!("?run={run}"), Some("2")).await;
    assert_eq!(stream.next().await.unwrap().id, "3", "after a restart, too");
}

#[tokio::test]
async fn a_stream_of_all_runs_goes_on_without_gap_or_duplicate() {
    let server = start().await;
    let mut stream = open(&server, "", None).await;
    let n_runs = 60;
    let load = {
        let server = server.in_namespace("default");
        tokio::spawn(async move {
            let mut runs = Vec::new();
            for n in 0..n_runs {
                runs.push(server.start("order", json!({ "sku": "a", "n": n % 5 })).await);
            }
            for run in &runs {
                server.wait(run).await;
            }
            runs
        })
    };
    // Cut the line after every few events, and go on from the last id.
    let mut seen: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    let (mut n_ended, mut n_seen, mut last) = (0, 0, String::new());
    while n_ended < n_runs {
        let told = stream.next().await.unwrap();
        assert_eq!(told.kind, "update");
        let run = told.data["run_id"].as_str().unwrap().to_owned();
        seen.entry(run).or_default().push(told.data["seq"].as_u64().unwrap());
        n_ended += u32::from(told.data["event"] == "RunCompleted");
        last = told.id;
        n_seen += 1;
        if n_seen % 7 == 0 {
            stream = open(&server, "", Some(&last)).await;
        }
    }
    let runs = load.await.unwrap();
    for run in &runs {
        let journal = server.get(&format!("/api/runs/{run}/journal")).await.json();
        let wanted: Vec<u64> = journal["events"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| event["seq"].as_u64().unwrap())
            .collect();
        assert_eq!(seen[run], wanted, "{run}");
    }
    let dir = server.stop().await;
    let server = start_in(dir, |_| {}).await;
    let gone = server.get(&format!("/api/updates?after={last}")).await;
    assert_eq!(gone.problem(), "updates_gone", "a restart is not passed over in silence");
}

#[tokio::test]
async fn a_stream_can_be_of_one_workflow_and_of_one_namespace() {
    let server = start().await;
    let other = server.in_namespace("other");
    let mut stream = open(&server, "?workflow=echo", None).await;
    other.wait(&other.start("echo", json!(1)).await).await;
    server.wait(&server.start("order", json!({ "sku": "a", "n": 1 })).await).await;
    let wanted = server.start("echo", json!(1)).await;
    let told = stream.next().await.unwrap();
    assert_eq!(told.data["run_id"], wanted.as_str());
}

#[tokio::test]
async fn readers_have_a_bound() {
    let server = start_with(|config| config.limits.readers_max = 2).await;
    let first = open(&server, "", None).await;
    let _second = open(&server, "", None).await;
    let third = server.get("/api/updates").await;
    assert_eq!((third.status.as_u16(), third.problem().as_str()), (503, "too_busy"));
    assert!(third.text.contains("limits.readers_max"));
    drop(first);
    let begun = std::time::Instant::now();
    loop {
        let run = server.start("sleeper", json!(null)).await;
        let answer = server.get(&format!("/api/runs/{run}/wait?timeout_ms=1")).await;
        if answer.problem() == "wait_timed_out" {
            break;
        }
        assert!(begun.elapsed() < PATIENCE, "a place comes free when a reader leaves");
    }
}

#[tokio::test]
async fn a_shut_down_ends_streams_and_waits() {
    let server = start().await;
    let run = server.start("sleeper", json!(null)).await;
    let mut stream = open(&server, "", None).await;
    let waiting = {
        let server = server.in_namespace("default");
        let path = format!("/api/runs/{run}/wait");
        tokio::spawn(async move { server.get(&path).await })
    };
    server.until(&run, |run| run["status"] == "waiting").await;
    let _dir = server.stop().await;
    while let Some(told) = stream.next().await {
        assert_eq!(told.kind, "update");
    }
    assert_eq!(waiting.await.unwrap().problem(), "shutting_down");
}

#[tokio::test]
async fn ten_thousand_updates_reach_ten_readers() {
    let server = start().await;
    let mut readers = Vec::new();
    for _ in 0..10 {
        let stream = open(&server, "", None).await;
        readers.push(tokio::spawn(async move {
            let mut stream = stream;
            let (mut n_ended, mut n_seen) = (0, 0_u32);
            while n_ended < 10 {
                let told = stream.next().await.unwrap();
                assert_eq!(told.kind, "update");
                n_ended += u32::from(told.data["event"] == "RunCompleted");
                n_seen += 1;
            }
            n_seen
        }));
    }
    let starts = (0..10).map(|_| server.start("wide", json!(250)));
    futures::stream::iter(starts).buffer_unordered(10).collect::<Vec<_>>().await;
    for reader in readers {
        assert!(reader.await.unwrap() >= 10_000);
    }
}
