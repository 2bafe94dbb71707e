//! What the campaigns share: victims, what they wrote, and what must hold of it.

#![allow(dead_code, reason = "each campaign uses a part of this")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use stepwell::{Engine, Event, EventKind, RunHandle, RunId, RunOutcome, RunQuery, RunState};
use stepwell_store_postgres::testkit::Server;
use stepwell_store_postgres::testkit::proxy::Proxy;

use crate::kit::Victim;

/// What the victims were told.
pub struct Acknowledged {
    /// The runs by the numbers in their idempotency keys.
    pub runs: BTreeMap<u64, RunId>,
    pub n_messages: usize,
}

impl Acknowledged {
    pub fn read(dir: &Path) -> Acknowledged {
        let mut runs: BTreeMap<u64, RunId> = BTreeMap::new();
        let mut messages = BTreeSet::new();
        for line in std::fs::read_to_string(dir.join("acknowledged")).unwrap().lines() {
            let [what, n, run] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let (n, run): (u64, RunId) = (n.parse().unwrap(), run.parse().unwrap());
            let first = *runs.entry(n).or_insert(run);
            assert_eq!(first, run, "one idempotency key made two runs");
            if what == "message" {
                messages.insert(n);
            }
        }
        Acknowledged { runs, n_messages: messages.len() }
    }
}

/// Every run ended as it should, and took the messages that it should.
pub async fn check_outcomes(engine: &Engine, acknowledged: &Acknowledged) {
    for (n, run) in &acknowledged.runs {
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
}

fn check_messages(n: u64, journal: &[Event]) {
    let received =
        journal.iter().filter(|event| matches!(event.kind, EventKind::MessageReceived(_)));
    let taken = journal.iter().filter(|event| matches!(event.kind, EventKind::MessageTaken { .. }));
    let wanted = usize::from(n.is_multiple_of(3));
    assert_eq!((received.count(), taken.count()), (wanted, wanted), "messages of run {n}");
}

pub async fn all_runs(engine: &Engine) -> Vec<RunHandle> {
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

/// A body that began.
#[derive(Debug, Clone, Copy)]
pub struct Began {
    pub incarnation: u64,
    /// In milliseconds since 1970.
    pub at: u64,
}

/// Which incarnations began which step.
pub struct Ledger {
    pub began: BTreeMap<(RunId, String), Vec<Began>>,
}

impl Ledger {
    pub fn read(dir: &Path) -> Ledger {
        let mut began: BTreeMap<_, Vec<Began>> = BTreeMap::new();
        for line in std::fs::read_to_string(dir.join("ledger")).unwrap().lines() {
            let [run, step, incarnation, at] = line.split(' ').collect::<Vec<_>>()[..] else {
                panic!("{line}")
            };
            let key = (run.parse().unwrap(), step.to_owned());
            let (incarnation, at) = (incarnation.parse().unwrap(), at.parse().unwrap());
            began.entry(key).or_default().push(Began { incarnation, at });
        }
        Ledger { began }
    }
}

pub fn spawn(dir: &Path, incarnation: u64, n_runs: u64, more: &[&str]) -> Victim {
    spawn_on(dir, incarnation, n_runs, more, None)
}

/// How much the clock of a process is fast, in milliseconds; less than nothing if it is slow. Only processes that
/// share a database have wrong clocks.
pub fn skew_ms(incarnation: u64) -> i64 {
    i64::try_from(incarnation % 5).unwrap() * 700 - 1_400
}

/// The same on a database.
pub fn spawn_on(
    dir: &Path,
    incarnation: u64,
    n_runs: u64,
    more: &[&str],
    store: Option<&str>,
) -> Victim {
    let log = std::fs::OpenOptions::new().create(true).append(true).open(dir.join("log")).unwrap();
    Victim(
        Command::new(env!("CARGO_BIN_EXE_stepwell-crash-victim"))
            .args([dir.to_str().unwrap(), &incarnation.to_string(), &n_runs.to_string()])
            .args(more)
            .envs(store.map(|store| ("CRASH_STORE", store)))
            .env("CRASH_SKEW_MS", skew_ms(incarnation).to_string())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap(),
    )
}

pub fn told(dir: &Path) -> String {
    std::fs::read_to_string(dir.join("log")).unwrap_or_default()
}

pub fn from_env(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap())
}

/// What was done to the database, and to the connections to it.
#[derive(Debug, Default)]
pub struct Harm {
    pub cuts: u64,
    pub delays: u64,
    pub restarts: u64,
    pub crashes: u64,
}

impl Harm {
    /// How many kinds there are.
    pub const KINDS: u64 = 4;

    /// Does harm of this kind; late answers come after `late`.
    pub async fn inflict(
        &mut self,
        kind: u64,
        (server, proxy): (&Arc<Server>, &Proxy),
        late: Duration,
        chance: &mut Chance,
    ) {
        let mode = match kind {
            0 => {
                self.cuts += 1;
                return proxy.lose_answers_and_cut(chance.below(20)).await;
            }
            1 => {
                self.delays += 1;
                return proxy.hold(late).await;
            }
            2 => {
                self.restarts += 1;
                "fast"
            }
            _ => {
                self.crashes += 1;
                "immediate"
            }
        };
        let server = Arc::clone(server);
        let restarted = tokio::task::spawn_blocking(move || {
            server.stop(mode);
            server.boot();
        });
        restarted.await.unwrap();
    }
}

pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    /// The numbers below this one, in any order.
    pub fn order(&mut self, n: u64) -> Vec<u64> {
        let mut left: Vec<u64> = (0..n).collect();
        let mut order = Vec::new();
        while !left.is_empty() {
            let next = self.below(left.len() as u64) as usize;
            order.push(left.swap_remove(next));
        }
        order
    }
}
