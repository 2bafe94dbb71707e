//! Three nodes with wrong clocks on one PostgreSQL, under load, while nodes are killed and stopped, connections are cut,
//! answers are late or lost, and the database restarts and crashes. Afterwards every acknowledged run has ended, no recorded step has
//! run again, and messages were taken once.
//!
//! `CHAOS_FAULTS=200 cargo test -p stepwell-crash --test cluster` does more; `CRASH_SEED` repeats the choice of faults.

mod campaign;
mod kit;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use campaign::{
    Acknowledged, Chance, Harm, Ledger, all_runs, check_outcomes, from_env, skew_ms, spawn_on, told,
};
use kit::Victim;
use stepwell::{Engine, Event, EventKind, Location, RunId};
use stepwell_store_postgres::testkit::Server;
use stepwell_store_postgres::testkit::proxy::Proxy;

/// How many runs each process adds.
const RUNS_EACH: u64 = 6;
/// How many kinds of faults there are. Each comes once before any comes again.
const KINDS: u64 = 2 + Harm::KINDS;
/// How many nodes there are.
const NODES: usize = 3;
/// Longer than the lease of a victim, which is 2 s.
const STOPPED: Duration = Duration::from_millis(3_000);
/// What one process that is stopped may be about to begin in that very moment: two worker threads, of which each is in
/// one run that may begin two branches.
const BEGINNING_MAX: usize = 4;

#[derive(Debug, Default)]
struct Counts {
    kills: u64,
    stops: u64,
    harm: Harm,
    runs: usize,
    steps: usize,
    repeated_before_recorded: usize,
    /// Bodies of a node that had been stopped, begun in the moment when it went on.
    begun_by_stopped: usize,
    messages: usize,
}

/// The nodes, and how many processes there have been.
struct Cluster {
    dir: tempfile::TempDir,
    address: String,
    nodes: Vec<Victim>,
    n_processes: u64,
}

impl Cluster {
    fn start(&mut self, more: &[&str]) -> Victim {
        self.n_processes += 1;
        let n_runs = self.n_processes * RUNS_EACH;
        spawn_on(self.dir.path(), self.n_processes, n_runs, more, Some(&self.address))
    }

    /// Nodes end by themselves only if something is wrong.
    fn assert_alive(&mut self) {
        for node in &mut self.nodes {
            let ended = node.0.try_wait().unwrap();
            assert!(ended.is_none(), "a node ended by itself: {}", told(self.dir.path()));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_happens_to_nodes_and_database_every_run_ends_and_nothing_recorded_runs_again() {
    let n_faults: u64 = from_env("CHAOS_FAULTS").unwrap_or(12);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = from_env("CRASH_SEED").unwrap_or(now.subsec_nanos().into());
    println!("CRASH_SEED={seed}");
    let mut chance = Chance(seed | 1);
    let server = Arc::new(Server::start());
    let proxy = Proxy::start(server.port()).await;
    let dir = tempfile::tempdir().unwrap();
    let address = server.address_through(proxy.port(), "chaos");
    let mut cluster = Cluster { dir, address, nodes: Vec::new(), n_processes: 0 };
    for _ in 0..NODES {
        let node = cluster.start(&[]);
        cluster.nodes.push(node);
    }
    let mut counts = Counts::default();
    let mut kinds = Vec::new();
    for fault in 0..n_faults {
        tokio::time::sleep(Duration::from_millis(200 + chance.below(800))).await;
        cluster.assert_alive();
        let node = chance.below(NODES as u64) as usize;
        if fault % KINDS == 0 {
            kinds = chance.order(KINDS);
        }
        match kinds[(fault % KINDS) as usize] {
            0 => {
                counts.kills += 1;
                cluster.nodes[node].kill();
                cluster.nodes[node] = cluster.start(&[]);
            }
            1 => {
                counts.stops += 1;
                cluster.nodes[node].tell("-STOP");
                tokio::time::sleep(STOPPED).await;
                cluster.nodes[node].tell("-CONT");
            }
            kind => {
                counts.harm.inflict(kind - 2, (&server, &proxy), STOPPED, &mut chance).await;
            }
        }
    }
    let mut last = cluster.start(&["finish"]);
    let n_runs = cluster.n_processes * RUNS_EACH;
    let has_ended = last.until_ended(Duration::from_secs(300));
    assert!(has_ended, "not every run ended: {}", told(cluster.dir.path()));
    cluster.nodes.clear();
    check(cluster.dir.path(), &server.address_of("chaos"), n_runs, &mut counts).await;
    println!("{counts:?}");
}

async fn check(dir: &Path, address: &str, n_runs: u64, counts: &mut Counts) {
    let ledger = Ledger::read(dir);
    let engine = Engine::open_postgres(address).await.unwrap();
    assert_eq!(engine.check().await.unwrap().problems, Vec::<String>::new());
    let acknowledged = Acknowledged::read(dir);
    assert_eq!(acknowledged.runs.len() as u64, n_runs);
    counts.messages = acknowledged.n_messages;
    check_outcomes(&engine, &acknowledged).await;
    for run in all_runs(&engine).await {
        counts.runs += 1;
        check_steps(run.id(), &run.journal().await.unwrap(), &ledger, counts);
    }
    let begun_max = BEGINNING_MAX * counts.stops as usize;
    assert!(counts.begun_by_stopped <= begun_max, "{counts:?}");
    engine.shutdown().await;
}

/// The step's value is the process that recorded it: that one ran it once, and no other began it afterwards.
fn check_steps(run: RunId, journal: &[Event], ledger: &Ledger, counts: &mut Counts) {
    let mut recorded: BTreeSet<Location> = BTreeSet::new();
    for event in journal {
        let EventKind::StepSucceeded { location, value, .. } = &event.kind else { continue };
        assert!(recorded.insert(location.clone()), "{location} is recorded twice");
        let Ok(incarnation) = value.to::<u64>() else { continue };
        let key = (run, location.as_str().to_owned());
        let began = ledger.began.get(&key).cloned().unwrap_or_default();
        counts.steps += 1;
        counts.repeated_before_recorded += began.len().saturating_sub(1);
        assert!(began.iter().any(|began| began.incarnation == incarnation), "{key:?}: {began:?}");
        let recorded_at = event.at.0.saturating_add_signed(-skew_ms(incarnation));
        let late = || began.iter().filter(|began| began.at > recorded_at);
        let n_own = late().filter(|late| late.incarnation == incarnation).count();
        let n_others = late().count() - n_own;
        // A body that ends at once may begin and be recorded in the same moment.
        counts.begun_by_stopped += n_others + n_own.saturating_sub(1);
    }
}
