//! Starts a real process with hundreds of runs, kills it at random moments, starts it again, and proves
//! by its ledger and its journals that nothing is lost and nothing recorded runs again.
//!
//! `CRASH_KILLS=500 cargo test -p stepwell-crash` kills more; `CRASH_SEED` repeats the moments.

mod campaign;
mod kit;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use campaign::{Acknowledged, Chance, Ledger, all_runs, check_outcomes, from_env, spawn, told};
use stepwell::{Engine, EventKind, Location, RunHandle};

/// How many runs each incarnation adds, so that every kill finds work under way.
const RUNS_EACH: u64 = 8;

#[tokio::test]
async fn whatever_is_killed_whenever_every_run_ends_and_no_recorded_step_runs_again() {
    let kills: u64 = from_env("CRASH_KILLS").unwrap_or(50);
    let seconds: Option<u64> = from_env("CRASH_SECONDS");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = from_env("CRASH_SEED").unwrap_or(now.subsec_nanos().into());
    println!("CRASH_SEED={seed}");
    let mut chance = Chance(seed | 1);
    let began = Instant::now();
    let mut rounds = 0;
    let mut total = Counts::default();
    loop {
        let counts = campaign(kills, &mut chance).await;
        total.add(&counts);
        rounds += 1;
        if seconds.is_none_or(|seconds| began.elapsed().as_secs() >= seconds) {
            break;
        }
    }
    println!("{rounds} rounds: {total:?}");
}

#[derive(Debug, Default)]
struct Counts {
    kills: u64,
    runs: usize,
    steps: usize,
    repeated_before_recorded: usize,
    messages: usize,
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.kills += other.kills;
        self.runs += other.runs;
        self.steps += other.steps;
        self.repeated_before_recorded += other.repeated_before_recorded;
        self.messages += other.messages;
    }
}

async fn campaign(kills: u64, chance: &mut Chance) -> Counts {
    let dir = tempfile::tempdir().unwrap();
    let n_runs = kills * RUNS_EACH;
    for incarnation in 1..=kills {
        let mut victim = spawn(dir.path(), incarnation, incarnation * RUNS_EACH, &[]);
        // Sometimes while it opens the store, sometimes in full work.
        std::thread::sleep(Duration::from_millis(5 + chance.below(150)));
        let early = victim.0.try_wait().unwrap();
        assert!(early.is_none(), "the victim ended by itself: {}", told(dir.path()));
        victim.0.kill().unwrap();
        victim.0.wait().unwrap();
    }
    let mut last = spawn(dir.path(), kills + 1, n_runs, &["finish"]);
    let status = last.until_ended(Duration::from_secs(120));
    assert!(status, "not every run ended: {}", told(dir.path()));
    check(dir.path(), kills).await
}

async fn check(dir: &Path, kills: u64) -> Counts {
    let ledger = Ledger::read(dir);
    let engine = Engine::open(dir.join("store.db")).await.unwrap();
    let report = engine.check().await.unwrap();
    assert_eq!(report.problems, Vec::<String>::new());
    let mut counts = Counts { kills, ..Counts::default() };

    let acknowledged = Acknowledged::read(dir);
    assert_eq!(acknowledged.runs.len() as u64, kills * RUNS_EACH);
    counts.messages = acknowledged.n_messages;
    check_outcomes(&engine, &acknowledged).await;
    for run in all_runs(&engine).await {
        check_steps(&run, &ledger, &mut counts).await;
    }
    engine.shutdown().await;
    counts
}

/// The step's value is the incarnation that recorded it: no later one may have run it, and that one only
/// once.
async fn check_steps(run: &RunHandle, ledger: &Ledger, counts: &mut Counts) {
    counts.runs += 1;
    let mut recorded: BTreeSet<Location> = BTreeSet::new();
    for event in run.journal().await.unwrap() {
        let EventKind::StepSucceeded { location, value, .. } = &event.kind else { continue };
        assert!(recorded.insert(location.clone()), "{location} is recorded twice");
        let Ok(incarnation) = value.to::<u64>() else { continue };
        let key = (run.id(), location.as_str().to_owned());
        let began = ledger.began.get(&key).into_iter().flatten().map(|began| began.incarnation);
        let began: Vec<u64> = began.collect();
        counts.steps += 1;
        counts.repeated_before_recorded += began.len().saturating_sub(1);
        let last = began.iter().max();
        assert_eq!(last, Some(&incarnation), "{key:?} ran in {began:?}, recorded by {incarnation}");
        let n_last = began.iter().filter(|began| **began == incarnation).count();
        assert_eq!(n_last, 1, "{key:?} ran {n_last} times in incarnation {incarnation}");
    }
}
