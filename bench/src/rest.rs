//! Runs at rest: asleep, or long ended.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use stepwell::prelude::*;
use stepwell_journal::{Event, EventKind, Json, RunStatus, Seq};
use stepwell_store::{Commit, RowChange, Store};
use stepwell_store_sqlite::SqliteStore;

use crate::Outcome;
use crate::limits::new_run;
use crate::report::{Goal, Report, median};

const ASLEEP: usize = 100_000;
/// How many starts wait at one time. A run in memory takes some 15 kB until it has gone to sleep, so more
/// of them leave a higher mark in the allocator, not more runs asleep.
const STARTING: usize = 256;
const WOKEN: usize = 10_000;
const FINISHED: usize = 1_000_000;

async fn nap(ctx: Ctx, ms: u64) -> Result<u64> {
    ctx.sleep("nap", millis(ms)).await?;
    Ok(ms)
}

pub async fn asleep(report: &mut Report) -> Outcome {
    let dir = tempfile::tempdir_in(".")?;
    let engine = Engine::open(dir.path().join("asleep.db")).await?;
    engine.register(workflow("nap", nap))?;
    engine.start("nap", &1_u64).await.map_err(Box::new)?.wait::<u64>().await?;
    let before = resident_mb()?;
    let began = Instant::now();
    start_naps(&engine, ASLEEP, 86_400_000).await?;
    let goal = Goal::AtMost(60.0);
    report.judged("100,000 runs started that sleep", began.elapsed().as_secs_f64(), "s", goal);
    // Until the last of them has left memory.
    while engine.stats().n_residents > 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let more = resident_mb()? - before;
    report.judged("100,000 runs asleep: more resident memory", more, "MB", Goal::AtMost(50.0));

    let due_ms = 5_000;
    let began = Instant::now();
    let runs = start_naps(&engine, WOKEN, due_ms).await?;
    let due = began + Duration::from_millis(due_ms);
    for run in runs {
        run.wait::<u64>().await?;
    }
    let late = Instant::now().saturating_duration_since(due).as_secs_f64();
    report.plain("10,000 runs due at once, beside 100,000 asleep: all ended", late, "s after");
    engine.shutdown().await;
    Ok(())
}

async fn start_naps(
    engine: &Engine,
    n: usize,
    ms: u64,
) -> std::result::Result<Vec<stepwell::RunHandle>, Box<dyn std::error::Error>> {
    let mut tasks = tokio::task::JoinSet::new();
    let mut runs = Vec::with_capacity(n);
    for _ in 0..n {
        if tasks.len() >= STARTING
            && let Some(run) = tasks.join_next().await
        {
            runs.push(run??);
        }
        let engine = engine.clone();
        tasks.spawn(async move { engine.start("nap", &ms).await });
    }
    while let Some(run) = tasks.join_next().await {
        runs.push(run??);
    }
    Ok(runs)
}

pub async fn start_up(report: &mut Report) -> Outcome {
    let dir = tempfile::tempdir_in(".")?;
    let empty = dir.path().join("empty.db");
    SqliteStore::open(&empty).await?.close().await;
    let full = dir.path().join("full.db");
    let began = Instant::now();
    fill(&full, FINISHED).await?;
    report.plain("1,000,000 finished runs written", began.elapsed().as_secs_f64(), "s");
    let size_mb = std::fs::metadata(&full)?.len() as f64 / 1e6;
    report.plain("1,000,000 finished runs: size of the file", size_mb, "MB");
    let empty_ms = open_ms(&empty).await?;
    report.plain("start-up with an empty store", empty_ms, "ms");
    let full_ms = open_ms(&full).await?;
    let goal = Some(Goal::AtMost(1.5));
    report.beside("start-up with 1,000,000 finished runs", full_ms, "ms", empty_ms, goal);
    Ok(())
}

/// From nothing to a run that has ended: recovery included.
async fn open_ms(path: &Path) -> std::result::Result<f64, Box<dyn std::error::Error>> {
    let mut times = Vec::new();
    for _ in 0..15 {
        let began = Instant::now();
        let engine = Engine::open(path).await?;
        engine.register(workflow("nap", nap))?;
        engine.start("nap", &0_u64).await?.wait::<u64>().await?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
        engine.shutdown().await;
    }
    Ok(median(&mut times))
}

async fn fill(path: &Path, n: usize) -> Outcome {
    let store = Arc::new(SqliteStore::open(path).await?);
    let epoch = store.take_ownership().await?;
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..n {
        if tasks.len() >= 4_000
            && let Some(done) = tasks.join_next().await
        {
            done??;
        }
        let store = store.clone();
        tasks.spawn(async move {
            let new = new_run();
            let (run, at) = (new.run, new.at);
            store.start(new).await.map_err(|error| error.to_string())?;
            let mut commit = Commit::new(run, epoch, Seq(1));
            let kind = EventKind::RunCompleted { output: Json::null() };
            commit.events.push(Event { seq: Seq(1), at, kind });
            commit.row = Some(RowChange {
                status: RunStatus::Completed,
                wake_at: None,
                labels: Default::default(),
                description: None,
                failure: None,
                at,
            });
            store.commit(commit).await.map_err(|error| error.to_string())
        });
    }
    while let Some(done) = tasks.join_next().await {
        done??;
    }
    store.close().await;
    Ok(())
}

fn resident_mb() -> std::io::Result<f64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let kb = status.lines().find_map(|line| {
        line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse::<f64>().ok()
    });
    Ok(kb.unwrap_or(f64::NAN) / 1_000.0)
}
