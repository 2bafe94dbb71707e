//! Engines that share a PostgreSQL, beside a bare batched insert into the same server.
//!
//! The sketch: a step is one row of the journal. A run of five steps is besides that a row in three tables, its last event,
//! and an update of its row, in six indexes: about three times a bare row for each step. All nodes are in this process and
//! share its cores with the server: more of them show that they do not hinder each other, not how far they scale.

use std::sync::Arc;
use std::time::{Duration, Instant};

use stepwell::prelude::*;
use stepwell::{PostgresStore, StartOptions};
use stepwell_store::{Cluster, Store};
use stepwell_store_postgres::Imported;
use stepwell_store_postgres::testkit::Server;
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::Outcome;
use crate::report::{Goal, Report, median};

const ROWS: usize = 200_000;
const ROWS_EACH: usize = 1_024;
const RUNS: usize = 10_000;
const STEPS: u64 = 5;
const IN_FLIGHT: usize = 2_048;
/// How many runs have ended when it is looked whether that costs something.
const FINISHED: usize = 100_000;
const LAUNCHES: usize = 200;
const LEASE: Duration = Duration::from_secs(2);

pub async fn cluster(report: &mut Report) -> Outcome {
    let server = tokio::task::spawn_blocking(Server::start_durable).await?;
    let limit = bare(&server).await?;
    report.plain("postgres: bare batched insert of 200 B, 2 connections", limit, "rows/s");
    for n_nodes in 1..=3 {
        let nodes = open(&server.address(), n_nodes, stepwell::LEASE).await?;
        let rate = steps_per_second(&nodes).await.map_err(|error| error.to_string())?;
        let name = format!("postgres: {RUNS} runs of {STEPS} steps, nodes: {n_nodes}");
        let goal = (n_nodes == 1).then_some(Goal::AtLeast(0.4));
        report.beside(&name, rate, "steps/s", limit, goal);
        if n_nodes == 2 {
            let mut here = launches(&nodes[0], true).await?;
            let mut elsewhere = launches(&nodes[0], false).await?;
            let here = median(&mut here);
            let name = "postgres: launch and wait through a node that is not the owner, median";
            report.plain("postgres: launch and wait through the owner, median", here, "ms");
            report.beside(name, median(&mut elsewhere), "ms", here, None);
        }
        for node in nodes {
            node.shutdown().await;
        }
    }
    growth(report, &server.address()).await?;
    let taken_after = take_over(&server.address()).await?;
    let name = "postgres: work goes on after a node was killed, in leases";
    report.judged(name, taken_after / LEASE.as_secs_f64(), "leases", Goal::AtMost(2.0));
    Ok(())
}

/// Rows per second that plain statements write, many at a time.
async fn bare(server: &Server) -> Result<f64, Box<dyn std::error::Error>> {
    let clients = [server.client().await, server.client().await];
    clients[0]
        .batch_execute(
            "CREATE TABLE bare (run UUID, seq BIGINT, body BYTEA, PRIMARY KEY (run, seq))",
        )
        .await?;
    let began = Instant::now();
    let insert = async |client: &tokio_postgres::Client| {
        let sql = "INSERT INTO bare SELECT * FROM unnest($1::uuid[], $2::int8[], $3::bytea[])";
        let statement = client.prepare(sql).await?;
        let body = [7_u8; 200];
        for batch in 0..ROWS / ROWS_EACH / 2 {
            let runs: Vec<Uuid> = (0..ROWS_EACH).map(|_| Uuid::now_v7()).collect();
            let seqs = vec![batch as i64; ROWS_EACH];
            let bodies = vec![&body[..]; ROWS_EACH];
            client.execute(&statement, &[&runs, &seqs, &bodies]).await?;
        }
        Ok::<_, tokio_postgres::Error>(())
    };
    let (first, second) = tokio::join!(insert(&clients[0]), insert(&clients[1]));
    first?;
    second?;
    Ok((ROWS / ROWS_EACH / 2 * 2 * ROWS_EACH) as f64 / began.elapsed().as_secs_f64())
}

async fn five(ctx: Ctx, n: u64) -> Result<u64> {
    let mut sum = n;
    for i in 0..STEPS {
        sum = ctx.step(format!("step-{i}"), async || Ok::<_, Error>(sum + i)).await?;
    }
    Ok(sum)
}

/// Nodes that each have their share.
async fn open(
    address: &str,
    n_nodes: usize,
    lease: Duration,
) -> Result<Vec<Engine>, Box<dyn std::error::Error>> {
    let mut nodes = Vec::new();
    for _ in 0..n_nodes {
        let options = Engine::options().postgres(|store| store.shared(lease));
        let node = options.open_postgres(address).await?;
        node.register(workflow("five", five))?;
        nodes.push(node);
    }
    let quota = 64_usize.div_ceil(n_nodes);
    let status = async |store: &PostgresStore| store.status().await;
    // What the database says of a node's share is known to the node a moment later.
    let has_share = |node: &Engine| (0..640).any(|_| node.owns(RunId(Uuid::now_v7())));
    while let Some(store) = nodes[0].postgres()
        && (status(store).await?.nodes.iter().any(|node| node.is_alive && node.n_shards > quota)
            || !nodes.iter().all(has_share))
    {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(nodes)
}

/// How the speed of one node changes with the shards that its runs are in, and with runs that have ended.
async fn growth(report: &mut Report, address: &str) -> Outcome {
    let nodes = open(address, 1, stepwell::LEASE).await?;
    let node = &nodes[0];
    let mut all = None;
    for n_shards in [64, 8, 1] {
        let rate = steps_in_shards(node, n_shards).await.map_err(|error| error.to_string())?;
        let name = format!("postgres: {RUNS} runs in {n_shards} of 64 shards");
        report.beside(&name, rate, "steps/s", *all.get_or_insert(rate), None);
    }
    let before = steps_per_second(&nodes).await.map_err(|error| error.to_string())?;
    finish_many(node).await?;
    let after = steps_per_second(&nodes).await.map_err(|error| error.to_string())?;
    let name = format!("postgres: the same with {FINISHED} more runs that have ended");
    report.beside(&name, after, "steps/s", before, None);
    node.shutdown().await;
    Ok(())
}

/// Copies of a run that has ended, as many as are wanted.
async fn finish_many(node: &Engine) -> Outcome {
    let run = node.start("five", &0_u64).await?;
    run.wait::<u64>().await?;
    let store = node.postgres().ok_or("there is no database")?;
    let ended = store.load(run.id()).await?.ok_or("the run is gone")?;
    let slots = Arc::new(Semaphore::new(IN_FLIGHT));
    for _ in 0..FINISHED {
        let slot = slots.clone().acquire_owned().await?;
        let mut loaded = ended.clone();
        loaded.row.run = RunId(Uuid::now_v7());
        let store = store.clone();
        tokio::spawn(async move {
            let imported = Imported { loaded, idempotency_key: None, logs: Vec::new() };
            store.import(imported).await.expect("the database takes it");
            drop(slot);
        });
    }
    drop(slots.acquire_many(IN_FLIGHT as u32).await?);
    Ok(())
}

/// Durable steps per second of runs that are in some of the shards.
async fn steps_in_shards(node: &Engine, n_shards: u16) -> Result<f64> {
    let Some(cluster) = node.store().cluster() else { return Ok(f64::NAN) };
    steps(std::slice::from_ref(node), || {
        loop {
            let run = RunId(Uuid::now_v7());
            if cluster.shard_of(run).0 < n_shards {
                return Some(run);
            }
        }
    })
    .await
}

/// Durable steps per second of runs that begin where they are asked for.
async fn steps_per_second(nodes: &[Engine]) -> Result<f64> {
    steps(nodes, || None).await
}

async fn steps(nodes: &[Engine], new_id: impl Fn() -> Option<RunId>) -> Result<f64> {
    let slots = Arc::new(Semaphore::new(IN_FLIGHT));
    let began = Instant::now();
    let mut tasks = Vec::with_capacity(RUNS);
    for i in 0..RUNS {
        let slot = slots.clone().acquire_owned().await?;
        let node = nodes[i % nodes.len()].clone();
        let options = StartOptions { run_id: new_id(), ..Default::default() };
        tasks.push(tokio::spawn(async move {
            let run = node.start_with("five", &0_u64, options).await?;
            let sum = run.wait::<u64>().await?;
            drop(slot);
            Ok::<u64, Error>(sum)
        }));
    }
    for task in tasks {
        task.await??;
    }
    Ok((RUNS as u64 * STEPS) as f64 / began.elapsed().as_secs_f64())
}

/// A new id that the node owns, or does not.
fn id(node: &Engine, is_owned: bool) -> RunId {
    loop {
        let run = RunId(Uuid::now_v7());
        if node.owns(run) == is_owned {
            return run;
        }
    }
}

/// How long it takes to launch a run of five steps and to hear of its end, in milliseconds.
async fn launches(node: &Engine, is_owned: bool) -> Result<Vec<f64>, Box<dyn std::error::Error>> {
    let mut took = Vec::new();
    for _ in 0..LAUNCHES {
        let options = StartOptions { run_id: Some(id(node, is_owned)), ..Default::default() };
        let began = Instant::now();
        node.start_with("five", &0_u64, options).await?.wait::<u64>().await?;
        took.push(began.elapsed().as_secs_f64() * 1_000.0);
    }
    Ok(took)
}

/// How many seconds after a node has died its runs go on.
async fn take_over(address: &str) -> Result<f64, Box<dyn std::error::Error>> {
    let nodes = open(address, 2, LEASE).await?;
    let options = StartOptions { run_id: Some(id(&nodes[1], true)), ..Default::default() };
    nodes[1].abort().await;
    let began = Instant::now();
    nodes[0].start_with("five", &0_u64, options).await?.wait::<u64>().await?;
    let took = began.elapsed().as_secs_f64();
    nodes[0].shutdown().await;
    Ok(took)
}
