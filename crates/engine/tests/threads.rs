//! The engine as it really runs: threads, the machine's clock, shut-down.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod kit;

use std::sync::Arc;
use std::time::Duration;

use kit::{Tally, secs, until};
use stepwell_engine::{Engine, StartError, WaitError};
use stepwell_journal::RunStatus;
use stepwell_kernel::{Ctx, Error, Result, workflow};
use stepwell_store::{MemoryStore, Store};

async fn steps(ctx: Ctx, n: u64) -> Result<u64> {
    let mut sum = 0;
    for step in 0..n {
        sum += ctx.step(format!("step {step}"), async || Ok::<_, Error>(1_u64)).await?;
    }
    ctx.sleep("blink", Duration::from_millis(5)).await?;
    Ok(sum)
}

async fn open(store: &Arc<dyn Store>) -> Engine {
    let builder = Engine::builder(Arc::clone(store)).workers(3);
    let engine = builder.hibernate_after(Duration::from_millis(20)).open().await.unwrap();
    engine.register(workflow("steps", steps)).unwrap();
    engine
}

fn memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_runs_end_on_several_threads() {
    let store = memory();
    let engine = open(&store).await;
    let mut runs = Vec::new();
    for _ in 0..1_000 {
        runs.push(engine.start("steps", &10).await.unwrap());
    }
    for run in &runs {
        assert_eq!(run.wait::<u64>().await.unwrap(), 10);
    }
    until("all have left", || engine.stats().n_residents == 0).await;
    assert_eq!(engine.stats().n_ended, 1_000);
    engine.shutdown().await;
    assert!(store.check().await.unwrap().problems.is_empty());
}

#[tokio::test]
async fn a_shut_down_lets_bodies_end_and_starts_no_other() {
    let store = memory();
    let engine = open(&store).await;
    let tally = Tally::default();
    let counted = tally.clone();
    let (open_gate, gate) = tokio::sync::watch::channel(false);
    let two = workflow("two", move |ctx: Ctx, (): ()| {
        let (tally, gate) = (counted.clone(), gate.clone());
        async move {
            let mut gate = gate.clone();
            let first = async || {
                tally.add("first");
                gate.wait_for(|open| *open).await.map_err(Error::msg)?;
                Ok::<_, Error>(())
            };
            ctx.step("first", first).await?;
            let second = async || {
                tally.add("second");
                Ok::<_, Error>(2)
            };
            ctx.step("second", second).await
        }
    });
    engine.register(two.clone()).unwrap();
    let run = engine.start("two", &()).await.unwrap();
    until("the body runs", || tally.of("first") == 1).await;
    let stopping = tokio::spawn({
        let engine = engine.clone();
        async move { engine.shutdown().await }
    });
    let refused = async {
        loop {
            match engine.start("two", &()).await {
                Err(StartError::ShuttingDown) => break,
                Ok(_) => tokio::task::yield_now().await,
                Err(error) => panic!("{error}"),
            }
        }
    };
    tokio::time::timeout(secs(10), refused).await.unwrap();
    open_gate.send_replace(true);
    stopping.await.unwrap();
    assert_eq!(tally.of("second"), 0, "nothing new begins");
    assert!(matches!(run.wait::<u64>().await, Err(WaitError::Closed { .. })));

    let engine = open(&store).await;
    engine.register(two).unwrap();
    let run = engine.get(run.id()).await.unwrap();
    assert_eq!(run.wait::<u64>().await.unwrap(), 2);
    let n_others = n_others(&engine, run.id()).await;
    assert_eq!(tally.of("second"), 1 + n_others);
    engine.shutdown().await;
}

/// How many other runs have completed, once all have.
async fn n_others(engine: &Engine, run: stepwell_journal::RunId) -> usize {
    let rows = engine.query(stepwell_store::RunQuery::default()).await.unwrap().runs;
    for row in &rows {
        engine.get(row.run).await.unwrap().wait::<u64>().await.unwrap();
    }
    rows.iter().filter(|row| row.run != run).count()
}

#[tokio::test]
async fn a_body_that_does_not_end_is_left_after_the_grace() {
    let store = memory();
    let builder = Engine::builder(Arc::clone(&store)).workers(1).grace(Duration::from_millis(20));
    let engine = builder.open().await.unwrap();
    let hanging = workflow("hanging", |ctx: Ctx, (): ()| async move {
        let body = async || -> Result<()> { std::future::pending().await };
        ctx.step("hang", body).timeout(Duration::ZERO).await
    });
    engine.register(hanging).unwrap();
    let run = engine.start("hanging", &()).await.unwrap();
    until("it is in memory", || engine.stats().n_residents == 1).await;
    tokio::time::timeout(secs(10), engine.shutdown()).await.unwrap();
    let row = store.row(run.id()).await.unwrap().unwrap();
    assert!(!row.status.is_ended());
}

#[tokio::test]
async fn a_shut_down_leaves_waiting_runs_ready_for_the_next_start() {
    let store = memory();
    let engine = open(&store).await;
    let listening =
        workflow("listening", |ctx: Ctx, (): ()| async move { ctx.listen::<u64>("n").await });
    engine.register(listening.clone()).unwrap();
    let run = engine.start("listening", &()).await.unwrap();
    engine.shutdown().await;
    let row = store.row(run.id()).await.unwrap().unwrap();
    assert!(matches!(row.status, RunStatus::Waiting | RunStatus::Pending), "{}", row.status);
    let engine = open(&store).await;
    engine.register(listening).unwrap();
    let run = engine.get(run.id()).await.unwrap();
    run.send("n", &5).await.unwrap();
    assert_eq!(run.wait::<u64>().await.unwrap(), 5);
}

#[tokio::test]
async fn messages_and_cancels_from_many_tasks_reach_runs_that_fall_asleep() {
    let store = memory();
    let builder = Engine::builder(Arc::clone(&store)).workers(3);
    let engine = builder.hibernate_after(Duration::ZERO).open().await.unwrap();
    let adding = workflow("adding", |ctx: Ctx, n: u64| async move {
        let mut sum = 0;
        for message in 0..n {
            sum += ctx.listen::<u64>("add").named(format!("message {message}")).await?;
        }
        Ok::<_, Error>(sum)
    });
    engine.register(adding).unwrap();
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..50_u64 {
        let run = engine.start("adding", &20).await.unwrap();
        tasks.spawn(async move {
            for message in 0..20 {
                if n % 10 == 9 && message == 10 {
                    run.cancel("enough").await.unwrap();
                    assert!(matches!(run.wait::<u64>().await, Err(WaitError::Cancelled { .. })));
                    return;
                }
                run.send("add", &1).await.unwrap();
                tokio::task::yield_now().await;
            }
            assert_eq!(run.wait::<u64>().await.unwrap(), 20);
        });
    }
    let all = async {
        while let Some(ended) = tasks.join_next().await {
            ended.unwrap()
        }
    };
    tokio::time::timeout(secs(30), all).await.unwrap();
    engine.shutdown().await;
}
