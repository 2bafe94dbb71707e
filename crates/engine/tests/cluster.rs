//! Several engines on one PostgreSQL.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod kit;

use std::sync::Arc;
use std::time::Duration;

use kit::Tally;
use stepwell_engine::{Engine, RunHandle, StartOptions, WaitError};
use stepwell_journal::{RunId, RunStatus};
use stepwell_kernel::{Ctx, Error, RunLimits, workflow};
use stepwell_store::{Cluster, Store};
use stepwell_store_postgres::{PostgresStore, SHARDS, testkit};
use uuid::Uuid;

/// So long that nobody loses it on a busy machine.
const LONG: Duration = Duration::from_secs(60);
/// For nodes that are to die.
const SHORT: Duration = Duration::from_secs(2);

struct Node {
    engine: Engine,
    store: Arc<PostgresStore>,
}

/// Waits for something that is bound to happen, on a machine that may be busy.
async fn until<F: Future<Output = bool>>(what: &str, mut is_so: impl FnMut() -> F) {
    let waiting = async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_secs(120), waiting).await.is_ok(), "{what}");
}

async fn node(address: &str, lease: Duration, tally: &Tally) -> Node {
    let options = PostgresStore::options().readers_max(4).shared(lease);
    let store = Arc::new(options.open(address).await.unwrap());
    let builder = Engine::builder(Arc::clone(&store) as Arc<dyn Store>).workers(1);
    let engine = builder.hibernate_after(Duration::from_millis(50)).open().await.unwrap();
    register(&engine, tally);
    Node { engine, store }
}

/// Nodes that each have their share.
async fn nodes<const N: usize>(address: &str, lease: Duration, tally: &Tally) -> [Node; N] {
    let mut nodes = Vec::new();
    for _ in 0..N {
        nodes.push(node(address, lease, tally).await);
    }
    let quota = usize::from(SHARDS).div_ceil(N);
    until("every node has its share", || async {
        let status = nodes[0].store.status().await.unwrap();
        let alive = status.nodes.iter().filter(|node| node.is_alive);
        status.shards.iter().all(|shard| shard.node.is_some())
            && alive.clone().count() == N
            && alive.clone().all(|node| node.n_shards <= quota)
    })
    .await;
    nodes.try_into().ok().unwrap()
}

fn register(engine: &Engine, tally: &Tally) {
    let counted = tally.clone();
    let family = workflow("family", move |ctx: Ctx, depth: u64| {
        let tally = counted.clone();
        async move {
            let run = ctx.run_id();
            let body = async || {
                tally.add(&format!("{run} work"));
                Ok::<_, Error>(1_u64)
            };
            let mut sum = ctx.step("work", body).await?;
            if depth > 0 {
                sum += ctx.child::<u64>("left", "family", &(depth - 1)).await?;
                sum += ctx.child::<u64>("right", "family", &(depth - 1)).await?;
            }
            ctx.sleep("blink", Duration::from_millis(5)).await?;
            Ok::<u64, Error>(sum)
        }
    });
    engine.register(family).unwrap();
    let listening = workflow("listening", |ctx: Ctx, (): ()| async move {
        let first: u64 = ctx.listen("first").await?;
        let asked = ctx.listen::<u64>("second").completable().await?;
        asked.answer(&(asked.body + first))?;
        let last: u64 = ctx.listen("last").await?;
        Ok::<u64, Error>(first + asked.body + last)
    });
    engine.register(listening).unwrap();
    let counted = tally.clone();
    let slow = workflow("slow", move |ctx: Ctx, ms: u64| {
        let tally = counted.clone();
        async move {
            let run = ctx.run_id();
            for step in ["one", "two", "three"] {
                let body = async || {
                    tally.add(&format!("{run} {step}"));
                    Ok::<_, Error>(())
                };
                ctx.step(step, body).await?;
                ctx.sleep(format!("after {step}"), Duration::from_millis(ms)).await?;
            }
            Ok::<u64, Error>(ms)
        }
    });
    engine.register(slow).unwrap();
    let counted = tally.clone();
    let failing = workflow("failing", move |ctx: Ctx, (): ()| {
        let tally = counted.clone();
        async move {
            let run = ctx.run_id();
            let body = async || {
                tally.add(&format!("{run} fails"));
                match tally.of(&format!("{run} fails")) {
                    1 => Err(Error::critical(Error::msg("the first time"))),
                    n => Ok(n as u64),
                }
            };
            ctx.step("fails", body).await
        }
    });
    engine.register(failing).unwrap();
    let limited = workflow("limited", |ctx: Ctx, (): ()| async move {
        ctx.sleep("a while", Duration::from_millis(30)).await
    });
    let limits = RunLimits { concurrency: Some(2), ..RunLimits::default() };
    engine.register(limited.limits(limits)).unwrap();
}

/// The run as another engine has it.
async fn on(node: &Node, run: &RunHandle) -> RunHandle {
    node.engine.get(run.id()).await.unwrap()
}

/// A run that another node owns.
async fn start_elsewhere(node: &Node, workflow: &str) -> RunHandle {
    let ids = std::iter::repeat_with(|| RunId(Uuid::now_v7()));
    let run_id = ids.into_iter().find(|run| !node.engine.owns(*run));
    let options = StartOptions { run_id, ..StartOptions::default() };
    node.engine.start_with(workflow, &(), options).await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_and_their_children_end_wherever_they_are_started_and_waited_for() {
    let tally = Tally::default();
    let nodes: [Node; 3] = nodes(&testkit::server().address(), LONG, &tally).await;
    let mut runs = Vec::new();
    for n in 0..30 {
        runs.push(nodes[n % 3].engine.start("family", &2_u64).await.unwrap());
    }
    for (run, n) in runs.iter().zip(0..) {
        let elsewhere = on(&nodes[(n + 1) % 3], run).await;
        assert_eq!(elsewhere.wait::<u64>().await.unwrap(), 7);
    }
    let owners = nodes.iter().map(|node| runs.iter().filter(|r| node.engine.owns(r.id())).count());
    assert_eq!(owners.sum::<usize>(), 30);
    assert_eq!(tally.all().len(), 30 * 7);
    assert!(tally.all().values().all(|n| *n == 1), "{:?}", tally.all());
    for node in &nodes {
        assert!(node.engine.stats().n_ended > 0);
        node.engine.shutdown().await;
    }
    assert_eq!(nodes[0].store.check().await.unwrap().problems, [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_questions_and_cancels_reach_a_run_through_any_node() {
    let tally = Tally::default();
    let nodes: [Node; 2] = nodes(&testkit::server().address(), LONG, &tally).await;
    let run = start_elsewhere(&nodes[0], "listening").await;
    let owner = on(&nodes[1], &run).await;
    run.send("first", &1_u64).await.unwrap();
    assert_eq!(run.ask::<u64>("second", &2_u64, LONG).await.unwrap(), 3);
    owner.send("last", &3_u64).await.unwrap();
    assert_eq!(run.wait::<u64>().await.unwrap(), 6);

    let run = start_elsewhere(&nodes[0], "listening").await;
    run.cancel("enough").await.unwrap();
    assert!(matches!(run.wait::<u64>().await, Err(WaitError::Cancelled { .. })));
    assert_eq!(run.row().await.unwrap().status, RunStatus::Cancelled);

    let run = start_elsewhere(&nodes[0], "failing").await;
    assert!(matches!(run.wait::<u64>().await, Err(WaitError::Failed(_))));
    run.recover().await.unwrap();
    assert_eq!(run.wait::<u64>().await.unwrap(), 2);
    for node in nodes {
        node.engine.shutdown().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_runs_of_a_node_that_died_go_on_elsewhere_and_repeat_nothing() {
    let tally = Tally::default();
    let [dead, heir]: [Node; 2] = nodes(&testkit::server().address(), SHORT, &tally).await;
    let mut runs = Vec::new();
    for _ in 0..20 {
        runs.push(dead.engine.start("slow", &200_u64).await.unwrap());
    }
    until("steps have begun", || async { tally.all().len() >= 20 }).await;
    // It says nothing more, as if it had been killed.
    dead.engine.abort().await;
    for run in &runs {
        assert_eq!(on(&heir, run).await.wait::<u64>().await.unwrap(), 200);
    }
    for run in &runs {
        for step in ["one", "two", "three"] {
            // A body that was cut off before its result was written may run again; these end at once.
            let n_times = tally.of(&format!("{} {step}", run.id()));
            assert!((1..=2).contains(&n_times), "{step} ran {n_times} times");
        }
    }
    heir.engine.shutdown().await;
    assert_eq!(heir.store.check().await.unwrap().problems, [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_shuts_down_gives_its_runs_away_at_once() {
    let tally = Tally::default();
    // The lease outlasts the test: nobody takes over who was not given.
    let [first, second]: [Node; 2] =
        nodes(&testkit::server().address(), Duration::from_secs(3_600), &tally).await;
    let mut runs = Vec::new();
    for _ in 0..10 {
        runs.push(first.engine.start("slow", &50_u64).await.unwrap());
    }
    first.engine.shutdown().await;
    for run in &runs {
        assert_eq!(on(&second, run).await.wait::<u64>().await.unwrap(), 50);
        for step in ["one", "two", "three"] {
            assert_eq!(tally.of(&format!("{} {step}", run.id())), 1, "{step}");
        }
    }
    second.engine.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_that_come_take_over_runs_under_way_and_repeat_nothing() {
    let tally = Tally::default();
    let address = testkit::server().address();
    let first = node(&address, LONG, &tally).await;
    let mut runs = Vec::new();
    for _ in 0..30 {
        runs.push(first.engine.start("slow", &300_u64).await.unwrap());
    }
    let second = node(&address, LONG, &tally).await;
    // The first gives half of its shards back, although their runs are under way.
    until("the second has its share", || async {
        let status = second.store.status().await.unwrap();
        status.nodes.iter().all(|node| node.n_shards == usize::from(SHARDS) / 2)
    })
    .await;
    for run in &runs {
        assert_eq!(run.wait::<u64>().await.unwrap(), 300);
        for step in ["one", "two", "three"] {
            assert_eq!(tally.of(&format!("{} {step}", run.id())), 1, "{step}");
        }
    }
    first.engine.shutdown().await;
    second.engine.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limited_runs_all_begin_though_a_node_dies() {
    let tally = Tally::default();
    let [dead, heir]: [Node; 2] = nodes(&testkit::server().address(), SHORT, &tally).await;
    let mut runs = Vec::new();
    for _ in 0..30 {
        runs.push(dead.engine.start("limited", &()).await.unwrap());
    }
    dead.engine.abort().await;
    for run in &runs {
        on(&heir, run).await.wait::<()>().await.unwrap();
    }
    heir.engine.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn runs_with_a_date_begin_on_their_owner() {
    let tally = Tally::default();
    let nodes: [Node; 2] = nodes(&testkit::server().address(), LONG, &tally).await;
    let mut runs = Vec::new();
    for n in 0..20 {
        let soon = nodes[0].engine.clock().now().plus_ms(100);
        let options = StartOptions { start_at: Some(soon), ..StartOptions::default() };
        runs.push(nodes[n % 2].engine.start_with("slow", &1_u64, options).await.unwrap());
    }
    for run in &runs {
        assert_eq!(run.wait::<u64>().await.unwrap(), 1);
    }
    for node in nodes {
        node.engine.shutdown().await;
    }
}
