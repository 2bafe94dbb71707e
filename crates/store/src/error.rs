//! What can go wrong, one type per operation.

use stepwell_journal::{Epoch, RunId, RunStatus, Seq};

pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The store itself failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another process has the store open: stop it, or open another store.
    #[error("the store {store} is in use by another process{}", .holder.as_ref().map(|h| format!(" ({h})")).unwrap_or_default())]
    InUse { store: String, holder: Option<String> },
    /// Make room on the disk; nothing that was acknowledged is lost.
    #[error("no room is left for the store {store}")]
    Full { store: String },
    /// Change the permissions, or open another file.
    #[error("the store {store} cannot be written")]
    ReadOnly { store: String },
    /// Restore a backup; `stepwell store check` says what is damaged.
    #[error("the store {store} is damaged: {problem}")]
    Damaged { store: String, problem: String },
    /// A newer Stepwell wrote this store: use that version or a later one.
    #[error("the store {store} has layout {found}, this version knows up to {known}")]
    NewerLayout { store: String, found: u32, known: u32 },
    /// The store did not answer. A write may or may not have happened: look before trying again.
    #[error("the store is unavailable")]
    Unavailable(#[source] BoxError),
    /// The store was closed, by `close` or because it failed for good.
    #[error("the store is closed")]
    Closed,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// Use another id, or an idempotency key if the same run is meant.
    #[error("run {run} exists already")]
    RunExists { run: RunId },
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommitError {
    /// Another owner has the run now. Nothing was written; drop the run.
    #[error("run {run} is owned by epoch {current}, this commit is of epoch {ours}")]
    Fenced { run: RunId, ours: Epoch, current: Epoch },
    /// The journal does not end where the commit begins. Nothing was written; load the run again.
    #[error("the journal of run {run} goes on at {expected}, this commit begins at {found}")]
    Misplaced { run: RunId, expected: Seq, found: Seq },
    /// The run would end otherwise than cancelled although a cancel was accepted. Nothing was written;
    /// load the run again and carry out the cancel.
    #[error("run {run} has a cancel in its inbox")]
    CancelPending { run: RunId },
    /// The run has ended, and the commit does not resume it. Nothing was written; drop the run.
    #[error("run {run} has ended ({status})")]
    RunEnded { run: RunId, status: RunStatus },
    /// Nothing was written.
    #[error("run {run} does not exist")]
    UnknownRun { run: RunId },
    /// See [`StoreError`]: load the run again before going on.
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PostError {
    #[error("run {run} does not exist")]
    UnknownRun { run: RunId },
    #[error("run {run} has ended ({status})")]
    RunEnded { run: RunId, status: RunStatus },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// An error with everything that lies behind it, on one line.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
