//! What the engine's tests share: workflows that count what they do, and a store that misbehaves.

#![allow(dead_code, reason = "each test file uses a part of this")]
#![allow(clippy::unwrap_used, reason = "helpers of tests may panic")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use stepwell_engine::testkit::{TestEngine, TestOptions};
use stepwell_engine::{EngineBuilder, RunHandle};
use stepwell_journal::{Epoch, Event, EventKind, RunId, Seq, UnixMillis, effective};
use stepwell_kernel::{Backoff, Ctx, Error, Result, Workflow, millis, workflow};
use stepwell_store::{
    Cluster, Commit, CommitError, DocumentError, DocumentPage, DocumentQuery, DocumentWrite,
    DueRun, Forget, Forgotten, Inboxed, LoadedRun, LogPage, LogQuery, MemoryStore, NewRun, Post,
    PostError, Posted, RunPage, RunQuery, RunRow, StartError, Started, StatusCount, Store,
    StoreError, StoreReport, Tallied,
};
use stepwell_store_postgres::testkit;
use tokio::sync::watch;

/// Counts how often each step's body ran.
#[derive(Clone, Default)]
pub struct Tally(Arc<Mutex<BTreeMap<String, usize>>>);

impl Tally {
    pub fn add(&self, what: &str) {
        *self.0.lock().entry(what.to_owned()).or_default() += 1;
    }

    pub fn of(&self, what: &str) -> usize {
        self.0.lock().get(what).copied().unwrap_or(0)
    }

    pub fn all(&self) -> BTreeMap<String, usize> {
        self.0.lock().clone()
    }
}

/// One step that succeeds the second time, and one that takes too long; whether that fails the run is the input.
pub fn trying() -> Workflow {
    workflow("trying", |ctx: Ctx, fails: bool| async move {
        ctx.step_with("second time", async |cx| match cx.attempt().0 {
            1 => Err(Error::msg("again")),
            _ => Ok(()),
        })
        .backoff(Backoff::fixed(secs(10)))
        .await?;
        let slow = async || -> Result<()> { std::future::pending().await };
        let slow = ctx.try_step("slow", slow).timeout(millis(50)).await?;
        if fails { slow.map_err(Error::from) } else { Ok(()) }
    })
}

/// A run id as a workflow's input.
#[derive(serde::Deserialize, schemars::JsonSchema)]
pub struct RunIdText(#[schemars(with = "String")] RunId);

/// Asks the run that it is given, and ends with its answer.
pub fn asking() -> Workflow {
    let ask = |ctx: Ctx, to: RunIdText| async move { ctx.ask::<u64>(to.0, "q", &1).await };
    workflow("asking", ask)
}

/// What a [`TrickStore`] does to a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trick {
    /// From this commit on, nothing is written.
    CutOff,
    /// This commit is written, and its answer lost.
    LoseAnswer,
    /// This commit panics.
    Panic,
    /// This commit and all later ones panic.
    PanicAlways,
}

/// Which answers of a [`TrickStore`] can be held back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    Starts,
    Loads,
    /// To commits that end a run.
    Ends,
}

/// A store in memory that plays a trick on the nth commit.
#[derive(Clone, Default)]
pub struct TrickStore {
    pub inner: MemoryStore,
    cluster: Option<Arc<dyn Cluster>>,
    plan: Arc<Mutex<Plan>>,
    /// What is carried out and not answered yet.
    held: Arc<watch::Sender<Option<Answers>>>,
}

#[derive(Default)]
struct Plan {
    trick: Option<(u64, Trick)>,
    n_commits: u64,
    is_cut: bool,
}

impl TrickStore {
    pub fn shared(cluster: Arc<dyn Cluster>) -> TrickStore {
        TrickStore { cluster: Some(cluster), ..TrickStore::default() }
    }

    pub fn on_commit(&self, n: u64, trick: Trick) {
        let mut plan = self.plan.lock();
        plan.trick = Some((n, trick));
        plan.n_commits = 0;
    }

    /// From here on these are carried out, and answered later.
    pub fn hold(&self, answers: Answers) {
        self.held.send_replace(Some(answers));
    }

    pub fn give_answers(&self) {
        self.held.send_replace(None);
    }

    async fn answered<T>(&self, kind: Answers, answer: T) -> T {
        // Fails only if the sender is gone, and we hold it.
        let _ = self.held.subscribe().wait_for(|held| *held != Some(kind)).await;
        answer
    }

    pub fn heal(&self) {
        *self.plan.lock() = Plan::default();
    }

    pub fn is_cut(&self) -> bool {
        self.plan.lock().is_cut
    }

    pub fn n_commits(&self) -> u64 {
        self.plan.lock().n_commits
    }

    fn next(&self) -> Option<Trick> {
        let mut plan = self.plan.lock();
        plan.n_commits += 1;
        match plan.trick {
            Some((n, Trick::CutOff)) if plan.n_commits >= n => {
                plan.is_cut = true;
                Some(Trick::CutOff)
            }
            Some((n, Trick::PanicAlways)) if plan.n_commits >= n => Some(Trick::Panic),
            Some((n, trick)) if plan.n_commits == n => Some(trick),
            _ => None,
        }
    }
}

fn unavailable() -> StoreError {
    StoreError::Unavailable("the test said so".into())
}

#[async_trait]
impl Store for TrickStore {
    async fn take_ownership(&self) -> Result<Epoch, StoreError> {
        self.inner.take_ownership().await
    }
    async fn start(&self, run: NewRun) -> Result<Started, StartError> {
        let started = self.inner.start(run).await;
        self.answered(Answers::Starts, started).await
    }
    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        match self.next() {
            Some(Trick::CutOff) => Err(unavailable().into()),
            Some(Trick::LoseAnswer) => {
                self.inner.commit(commit).await?;
                Err(unavailable().into())
            }
            Some(Trick::Panic | Trick::PanicAlways) => panic!("the test said so"),
            None => {
                let ends = commit.outcome().is_some();
                let committed = self.inner.commit(commit).await;
                if ends { self.answered(Answers::Ends, committed).await } else { committed }
            }
        }
    }
    async fn post(&self, post: Post) -> Result<Posted, PostError> {
        self.inner.post(post).await
    }
    async fn load(&self, run: RunId) -> Result<Option<LoadedRun>, StoreError> {
        let loaded = self.inner.load(run).await;
        self.answered(Answers::Loads, loaded).await
    }
    async fn inbox(&self, run: RunId) -> Result<Vec<Inboxed>, StoreError> {
        self.inner.inbox(run).await
    }
    async fn row(&self, run: RunId) -> Result<Option<RunRow>, StoreError> {
        self.inner.row(run).await
    }
    async fn journal(&self, run: RunId, from: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.inner.journal(run, from, limit).await
    }
    async fn query(&self, query: RunQuery) -> Result<RunPage, StoreError> {
        self.inner.query(query).await
    }
    async fn tally(&self) -> Result<Vec<Tallied>, StoreError> {
        self.inner.tally().await
    }

    async fn count(&self, query: &RunQuery) -> Result<Vec<StatusCount>, StoreError> {
        self.inner.count(query).await
    }
    async fn due(&self, until: UnixMillis, limit: usize) -> Result<Vec<DueRun>, StoreError> {
        self.inner.due(until, limit).await
    }
    async fn runnable(&self, after: Option<RunId>, limit: usize) -> Result<Vec<RunId>, StoreError> {
        self.inner.runnable(after, limit).await
    }
    async fn logs(&self, query: LogQuery) -> Result<LogPage, StoreError> {
        self.inner.logs(query).await
    }
    async fn forget(&self, forget: Forget) -> Result<Forgotten, StoreError> {
        self.inner.forget(forget).await
    }
    async fn write_documents(&self, writes: Vec<DocumentWrite>) -> Result<Vec<u64>, DocumentError> {
        self.inner.write_documents(writes).await
    }
    async fn documents(&self, query: DocumentQuery) -> Result<DocumentPage, StoreError> {
        self.inner.documents(query).await
    }
    async fn check(&self) -> Result<StoreReport, StoreError> {
        self.inner.check().await
    }
    fn cluster(&self) -> Option<Arc<dyn Cluster>> {
        self.cluster.clone()
    }
    async fn close(&self) {
        self.inner.close().await;
    }
}

/// A test engine on the store that was chosen for all tests.
pub async fn test_engine() -> TestEngine {
    engine_with(|builder| builder).await
}

/// A test engine that is built in another way.
pub async fn engine_with(
    build: impl Fn(EngineBuilder) -> EngineBuilder + Send + Sync + 'static,
) -> TestEngine {
    let options = TestOptions { build: Arc::new(build), ..TestOptions::default() };
    TestEngine::with(testkit::chosen_store().await, options).await
}

/// Waits, in real time and with a bound, until the condition holds.
pub async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let limit = tokio::time::Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(tokio::time::Instant::now() < limit, "not in time: {what}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

/// The names of the events that count, in order.
pub async fn kinds(run: &RunHandle) -> Vec<&'static str> {
    let journal = run.journal().await.unwrap();
    effective(&journal).map(|event| event.kind.name()).collect()
}

/// The steps whose success is in the journal.
pub async fn recorded_steps(run: &RunHandle) -> Vec<String> {
    let journal = run.journal().await.unwrap();
    effective(&journal)
        .filter_map(|event| match &event.kind {
            EventKind::StepSucceeded { location, .. } => Some(location.as_str().to_owned()),
            _ => None,
        })
        .collect()
}

pub fn days(n: u64) -> Duration {
    Duration::from_secs(n * 86_400)
}

pub fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}
