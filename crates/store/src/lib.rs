//! What Stepwell asks of a store, and the store for tests.
//!
//! A store keeps journals, the index of runs, inboxes, logs and documents. It decides nothing: whatever
//! belongs together comes in one [`Commit`], which is one transaction or nothing. Every store passes the suite
//! of `stepwell-store-laws`.
//!
//! This crate must not know any database, workflow code or the engine.

mod cluster;
mod document;
mod error;
mod forget;
mod id_range;
mod memory;
mod query;
mod row;
mod rules;
pub mod stored;
mod write;

use std::sync::Arc;

use async_trait::async_trait;
use stepwell_journal::{Epoch, Event, RunId, Seq, UnixMillis};

pub use cluster::{Called, Cluster, ClusterStatus, NodeStatus, Owned, Shard, ShardStatus, Told};
pub use document::{
    DOCUMENT_BODY_BYTES_MAX, DOCUMENT_NAME_BYTES_MAX, DOCUMENT_WRITES_MAX, DOCUMENTS_BYTES_MAX,
    Document, DocumentError, DocumentPage, DocumentQuery, DocumentWrite, Expect,
};
pub use error::{BoxError, CommitError, PostError, StartError, StoreError, with_causes};
pub use forget::{BeforeForget, FORGET_RUNS_MAX, Forget, Forgotten, Kept, WhyKept};
pub use id_range::IdRange;
pub use memory::MemoryStore;
pub use query::{
    Cursor, DueRun, InputFilter, LogPage, LogQuery, PAGE_ROWS_MAX, RunPage, RunQuery, StatusCount,
    Tallied,
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
    pub n_documents: u64,
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

    /// The runs that match, in the order of their creation, a page at a time.
    async fn query(&self, query: RunQuery) -> Result<RunPage, StoreError>;

    /// How many of the runs that match are in each status, for those that any is in. Whatever the query says
    /// of statuses, a page's beginning and its length does not matter. Quick if it names at most a namespace
    /// and a workflow; else every run may be looked at.
    async fn count(&self, query: &RunQuery) -> Result<Vec<StatusCount>, StoreError>;

    /// How many runs of each namespace and workflow are in each status, for those that any is in: the whole
    /// store at a glance, and quick. In order.
    async fn tally(&self) -> Result<Vec<Tallied>, StoreError>;

    /// The waiting runs that want to be woken at or before `until`, earliest first.
    async fn due(&self, until: UnixMillis, limit: usize) -> Result<Vec<DueRun>, StoreError>;

    /// The runs that are not ended and not merely waiting, or that have something in their inbox:
    /// what an owner must take up. In order of id, after `after`.
    async fn runnable(&self, after: Option<RunId>, limit: usize) -> Result<Vec<RunId>, StoreError>;

    /// The log lines of a run, oldest first, a page at a time.
    async fn logs(&self, query: LogQuery) -> Result<LogPage, StoreError>;

    /// Removes runs that have ended, with all that belongs to them: journal, logs, inbox, idempotency key.
    /// A run whose parent is still there stays, so trees go root first: whoever wants all of a tree asks
    /// until nothing is forgotten any more. If it fails, some of the runs may be gone.
    async fn forget(&self, forget: Forget) -> Result<Forgotten, StoreError>;

    /// Writes documents, all of them or none, and gives their new revisions. Durable when it returns.
    async fn write_documents(&self, writes: Vec<DocumentWrite>) -> Result<Vec<u64>, DocumentError>;

    /// The documents that match, in the order of namespace and key, a page at a time.
    async fn documents(&self, query: DocumentQuery) -> Result<DocumentPage, StoreError>;

    /// Reads everything and says what is wrong.
    async fn check(&self) -> Result<StoreReport, StoreError>;

    /// The others that share the runs; none if whoever takes ownership owns them all. If there is one,
    /// `due` and `runnable` give the runs of this process's shards only, once it has joined.
    fn cluster(&self) -> Option<Arc<dyn Cluster>> {
        None
    }

    /// Finishes what is under way and lets go of files. Later calls fail.
    async fn close(&self);
}
