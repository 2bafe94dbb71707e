//! What the disk and the store can do by themselves.

use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

use stepwell_journal::{
    Attempt, Event, EventKind, Json, Location, RunId, RunStarted, Seq, UnixMillis,
};
use stepwell_store::{Commit, NewRun, Store};
use stepwell_store_sqlite::SqliteStore;
use uuid::Uuid;

use crate::Outcome;
use crate::report::{Report, median};

/// The commits that wait at one time when the store alone is measured.
const WAITING: usize = 4_096;

pub async fn measure(report: &mut Report) -> Outcome {
    report.plain("limit: append 256 B + fdatasync, median", fdatasync()?, "us");
    for waiting in [1, 16, 256, WAITING] {
        let name = format!("limit: store alone, {waiting} commits waiting");
        report.plain(&name, bare_append(waiting).await?, "events/s");
    }
    Ok(())
}

/// The median of the latencies, in microseconds.
fn fdatasync() -> Result<f64, std::io::Error> {
    let mut file = tempfile::tempfile_in(".")?;
    let mut latencies = Vec::new();
    for _ in 0..1_000 {
        let began = Instant::now();
        file.write_all(&[7; 256])?;
        file.sync_data()?;
        latencies.push(began.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(&mut latencies))
}

/// One-event commits of different runs through the store's own interface, `waiting` at a time.
async fn bare_append(waiting: usize) -> Result<f64, Box<dyn std::error::Error>> {
    let dir = tempfile::tempdir_in(".")?;
    let store = Arc::new(SqliteStore::open(dir.path().join("bare.db")).await?);
    let epoch = store.take_ownership().await?;
    let n_each = (100_000 / waiting).clamp(20, 1_000);
    let mut runs = Vec::new();
    for _ in 0..waiting {
        runs.push(new_run());
    }
    let starts = runs.iter().cloned().map(|run| {
        let store = store.clone();
        tokio::spawn(async move { store.start(run).await })
    });
    for start in starts.collect::<Vec<_>>() {
        start.await??;
    }
    let began = Instant::now();
    let tasks: Vec<_> = runs
        .into_iter()
        .map(|new| {
            let store = store.clone();
            tokio::spawn(async move {
                for n in 0..n_each as u64 {
                    let mut commit = Commit::new(new.run, epoch, Seq(n + 1));
                    commit.events.push(event(n + 1));
                    store.commit(commit).await?;
                }
                Ok::<_, stepwell_store::CommitError>(())
            })
        })
        .collect();
    for task in tasks {
        task.await??;
    }
    let rate = (waiting * n_each) as f64 / began.elapsed().as_secs_f64();
    store.close().await;
    Ok(rate)
}

/// An event of about 200 bytes.
fn event(seq: u64) -> Event {
    let value = Json::from(serde_json::json!({ "text": "x".repeat(150) }));
    let location = Location::from_text(&format!("step-{seq}"));
    let kind = EventKind::StepSucceeded { location, attempt: Attempt(1), value };
    Event { seq: Seq(seq), at: UnixMillis(1_700_000_000_000), kind }
}

pub fn new_run() -> NewRun {
    NewRun {
        run: RunId(Uuid::now_v7()),
        at: UnixMillis(1_700_000_000_000),
        started: RunStarted {
            workflow: "bench".to_owned(),
            version: "1".to_owned(),
            namespace: "default".to_owned(),
            input: Json::null(),
            labels: Default::default(),
            parent: None,
            seed: 1,
            replay_of: None,
            pinned: false,
            deadline_at: None,
            trace: None,
        },
        idempotency_key: None,
        start_at: None,
        copied: Vec::new(),
    }
}
