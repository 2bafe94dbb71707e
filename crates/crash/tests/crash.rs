//! Starts a real process with hundreds of runs, kills it at random moments, starts it again, and proves
//! by its ledger and its journals that nothing is lost and nothing recorded runs again.
//!
//! `CRASH_KILLS=500 cargo test -p stepwell-crash` kills more; `CRASH_SEED` repeats the moments.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use stepwell::{
    Engine, Event, EventKind, Location, RunHandle, RunId, RunOutcome, RunQuery, RunState,
};

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
    let status = wait_at_most(&mut last, Duration::from_secs(120));
    assert!(status, "not every run ended: {}", told(dir.path()));
    check(dir.path(), kills).await
}

async fn check(dir: &Path, kills: u64) -> Counts {
    let ledger = Ledger::read(dir);
    let engine = Engine::open(dir.join("store.db")).await.unwrap();
    let report = engine.check().await.unwrap();
    assert_eq!(report.problems, Vec::<String>::new());
    let mut counts = Counts { kills, ..Counts::default() };

    let acknowledged = std::fs::read_to_string(dir.join("acknowledged")).unwrap();
    let mut by_number: BTreeMap<u64, RunId> = BTreeMap::new();
    let mut messages = BTreeSet::new();
    for line in acknowledged.lines() {
        let [what, n, run] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let (n, run): (u64, RunId) = (n.parse().unwrap(), run.parse().unwrap());
        let first = *by_number.entry(n).or_insert(run);
        assert_eq!(first, run, "one idempotency key made two runs");
        if what == "message" {
            messages.insert(n);
        }
    }
    assert_eq!(by_number.len() as u64, kills * RUNS_EACH);
    counts.messages = messages.len();

    for (n, run) in &by_number {
        let run = engine.get(*run).await.unwrap();
        let journal = run.journal().await.unwrap();
        let outcome = RunState::fold(run.id(), &journal).unwrap().outcome;
        match outcome {
            Some(RunOutcome::Completed(_)) => assert!(!n.is_multiple_of(5)),
            Some(RunOutcome::Failed(failure)) => {
                assert!(n.is_multiple_of(5) && failure.message == "as planned", "{failure}");
            }
            other => panic!("run {n} came to {other:?}"),
        }
        check_messages(*n, &journal);
    }
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
        let began = ledger.began.get(&key).cloned().unwrap_or_default();
        counts.steps += 1;
        counts.repeated_before_recorded += began.len().saturating_sub(1);
        let last = began.iter().max();
        assert_eq!(last, Some(&incarnation), "{key:?} ran in {began:?}, recorded by {incarnation}");
        let n_last = began.iter().filter(|began| **began == incarnation).count();
        assert_eq!(n_last, 1, "{key:?} ran {n_last} times in incarnation {incarnation}");
    }
}

fn check_messages(n: u64, journal: &[Event]) {
    let received =
        journal.iter().filter(|event| matches!(event.kind, EventKind::MessageReceived(_)));
    let taken = journal.iter().filter(|event| matches!(event.kind, EventKind::MessageTaken { .. }));
    let wanted = usize::from(n.is_multiple_of(3));
    assert_eq!((received.count(), taken.count()), (wanted, wanted), "messages of run {n}");
}

async fn all_runs(engine: &Engine) -> Vec<RunHandle> {
    let mut runs = Vec::new();
    let mut query = RunQuery { limit: 1_000, ..RunQuery::default() };
    loop {
        let page = engine.query(query.clone()).await.unwrap();
        for row in &page.runs {
            assert!(row.status.is_ended(), "{row:?}");
            runs.push(engine.get(row.run).await.unwrap());
        }
        match page.next {
            Some(next) => query.after = Some(next),
            None => return runs,
        }
    }
}

/// Which incarnations began which step.
struct Ledger {
    began: BTreeMap<(RunId, String), Vec<u64>>,
}

impl Ledger {
    fn read(dir: &Path) -> Ledger {
        let mut began: BTreeMap<_, Vec<u64>> = BTreeMap::new();
        for line in std::fs::read_to_string(dir.join("ledger")).unwrap().lines() {
            let [run, step, incarnation] = line.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            let key = (run.parse().unwrap(), step.to_owned());
            began.entry(key).or_default().push(incarnation.parse().unwrap());
        }
        Ledger { began }
    }
}

/// A process that does not outlive its test.
struct Victim(Child);

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn spawn(dir: &Path, incarnation: u64, n_runs: u64, more: &[&str]) -> Victim {
    let log = std::fs::OpenOptions::new().create(true).append(true).open(dir.join("log")).unwrap();
    Victim(
        Command::new(env!("CARGO_BIN_EXE_stepwell-crash-victim"))
            .args([dir.to_str().unwrap(), &incarnation.to_string(), &n_runs.to_string()])
            .args(more)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap(),
    )
}

fn wait_at_most(victim: &mut Victim, bound: Duration) -> bool {
    let until = Instant::now() + bound;
    while Instant::now() < until {
        if let Some(status) = victim.0.try_wait().unwrap() {
            return status.success();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    false
}

fn told(dir: &Path) -> String {
    std::fs::read_to_string(dir.join("log")).unwrap_or_default()
}

fn from_env(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

struct Chance(u64);

impl Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}
