//! What Stepwell asks of a store, and the store for tests.
//!
//! A store keeps journals, the index of runs, inboxes and logs. It decides nothing: whatever belongs
//! together comes in one [`Commit`], which is one transaction or nothing. Every store passes the suite
//! of `stepwell-store-laws`.
//!
//! This crate must not know any database, workflow code or the engine.

mod error;
mod memory;
mod query;
mod row;
mod rules;
mod write;

use async_trait::async_trait;
use stepwell_journal::{Epoch, Event, RunId, Seq, UnixMillis};

pub use error::{BoxError, CommitError, PostError, StartError, StoreError};
pub use memory::MemoryStore;
pub use query::{
    Cursor, DueRun, InputFilter, LogPage, LogQuery, PAGE_ROWS_MAX, RunPage, RunQuery, StatusCount,
};
pub use row::{LogLevel, LogLine, RowChange, RunRow};
pub use rules::{BeforeCommit, is_runnable};
pub use write::{Commit, InboxId, InboxItem, Inboxed, NewRun, Post, Posted, Started};

/// A run as a store has it.
#[derive(Debug, Clone)]
pub struct LoadedRun {
    pub row: RunRow,
    /// The whole journal, oldest event first.
    pub journal: Vec<Event>,
    /// What was posted to the run and not yet taken, oldest first.
    pub inbox: Vec<Inboxed>,
}

/// What a check of the whole store found.
#[derive(Debug, Clone, Default)]
pub struct StoreReport {
    pub n_runs: u64,
    pub n_events: u64,
    /// One line per problem; empty if all is well.
    pub problems: Vec<String>,
}

#[async_trait]
pub trait Store: Send + Sync + 'static {
    /// Takes over every run of the store and fences whoever owned them before.
    async fn take_ownership(&self) -> Result<Epoch, StoreError>;

    /// Creates a run with its first event. Durable when it returns.
    async fn start(&self, run: NewRun) -> Result<Started, StartError>;

    /// Makes one transition of a run durable: all of it, or nothing.
    async fn commit(&self, commit: Commit) -> Result<(), CommitError>;

    /// Puts something into the inbox of a run that somebody else may own. Durable when it returns.
    async fn post(&self, post: Post) -> Result<Posted, PostError>;

    /// The run with its journal and its inbox, as of one moment; none if it is unknown.
    async fn load(&self, run: RunId) -> Result<Option<LoadedRun>, StoreError>;

    /// What was posted to the run and not yet taken, oldest first. Empty if the run is unknown.
    async fn inbox(&self, run: RunId) -> Result<Vec<Inboxed>, StoreError>;

    /// The run's index row; none if it is unknown.
    async fn row(&self, run: RunId) -> Result<Option<RunRow>, StoreError>;

    /// Up to `limit` events from `from` on, oldest first. Empty if the run is unknown.
    async fn journal(&self, run: RunId, from: Seq, limit: usize) -> Result<Vec<Event>, StoreError>;

    /// The runs that match, newest first, a page at a time.
    async fn query(&self, query: RunQuery) -> Result<RunPage, StoreError>;

    /// How many runs of a namespace are in each status.
    async fn count(&self, namespace: &str) -> Result<Vec<StatusCount>, StoreError>;

    /// The waiting runs that want to be woken at or before `until`, earliest first.
    async fn due(&self, until: UnixMillis, limit: usize) -> Result<Vec<DueRun>, StoreError>;

    /// The runs that are not ended and not merely waiting, or that have something in their inbox:
    /// what an owner must take up. In order of id, after `after`.
    async fn runnable(&self, after: Option<RunId>, limit: usize) -> Result<Vec<RunId>, StoreError>;

    /// The log lines of a run, oldest first, a page at a time.
    async fn logs(&self, query: LogQuery) -> Result<LogPage, StoreError>;

    /// Reads everything and says what is wrong.
    async fn check(&self) -> Result<StoreReport, StoreError>;

    /// Finishes what is under way and lets go of files. Later calls fail.
    async fn close(&self);
}
