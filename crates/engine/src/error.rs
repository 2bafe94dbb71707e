//! What can go wrong for the engine's callers, one type per operation.

use stepwell_journal::{Failure, FoldError, Location, LocationError, RunId, RunStatus, Seq};
use stepwell_kernel::{InputError, RunLimitsError, TraceParentError};
use stepwell_store::StoreError;

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    #[error("the store could not be taken over")]
    Store(#[from] StoreError),
    /// The system has no more threads, or no more files for their event loops.
    #[error("a worker thread could not be started")]
    Worker(#[source] std::io::Error),
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    #[error("`{name}` cannot be the name of a workflow")]
    Name { name: String, source: LocationError },
    #[error("`{namespace}` cannot be a namespace")]
    Namespace { namespace: String, source: LocationError },
    /// Give the other definition another name, replace the one that is there, or pin both.
    #[error("workflow `{name}` is registered with version {registered}, not {offered}")]
    AlreadyRegistered { name: String, registered: String, offered: String },
    #[error("the limits of workflow `{name}` cannot be kept")]
    Limits { name: String, source: RunLimitsError },
}

/// Nothing was created.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    #[error("there is no workflow `{name}` in namespace `{namespace}`")]
    UnknownWorkflow { name: String, namespace: String },
    #[error("the input of workflow `{workflow}` cannot be written as JSON")]
    InputNotJson { workflow: String, source: serde_json::Error },
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(
        "the input of workflow `{workflow}` has {n_bytes} bytes, more than the limit value_bytes_max of {bytes_max}"
    )]
    InputTooLarge { workflow: String, n_bytes: usize, bytes_max: usize },
    #[error("the {what} `{name}` cannot be used")]
    Name { what: &'static str, name: String, source: LocationError },
    #[error("the {what} has {n_bytes} bytes, at most {bytes_max} are allowed")]
    TooLong { what: String, n_bytes: usize, bytes_max: usize },
    #[error("{n_labels} labels are more than the {labels_max} that a run may have")]
    TooManyLabels { n_labels: usize, labels_max: usize },
    #[error("the trace context cannot be used")]
    Trace(#[from] TraceParentError),
    /// Use another id, or an idempotency key if the same run is meant.
    #[error("run {run} exists already")]
    RunExists { run: RunId },
    #[error("the engine is shutting down")]
    ShuttingDown,
    /// The run may have been created all the same: start it again with the same idempotency key.
    #[error("the run could not be stored")]
    Store(#[source] StoreError),
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GetError {
    #[error("run {run} does not exist")]
    UnknownRun { run: RunId },
    #[error("the journal of run {run} cannot be read")]
    Damaged { run: RunId, source: FoldError },
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WaitError {
    #[error("the run failed: {0}")]
    Failed(Failure),
    #[error("the run was cancelled: {reason}")]
    Cancelled { reason: String },
    /// The run goes on; wait again.
    #[error("run {run} had not ended after {after_ms} ms")]
    TimedOut { run: RunId, after_ms: u64 },
    /// Ask for the type that the workflow returns.
    #[error("the output of run {run} is of another type")]
    Output { run: RunId, source: serde_json::Error },
    #[error("run {run} does not exist")]
    UnknownRun { run: RunId },
    /// The run is durable; whoever opens the store next goes on with it.
    #[error("the engine was shut down before run {run} ended")]
    Closed { run: RunId },
    /// Another engine owns the store now, and the run with it.
    #[error("another engine has taken over run {run}")]
    Fenced { run: RunId },
    /// The engine failed on this run and left it alone.
    #[error("run {run} is in quarantine: {problem}")]
    Quarantined { run: RunId, problem: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Nothing was sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    #[error("the message name `{name}` cannot be used")]
    Name { name: String, source: LocationError },
    #[error("the body of message `{name}` cannot be written as JSON")]
    NotJson { name: String, source: serde_json::Error },
    #[error(
        "the body of message `{name}` has {n_bytes} bytes, more than the limit value_bytes_max of {bytes_max}"
    )]
    TooLarge { name: String, n_bytes: usize, bytes_max: usize },
    #[error("the key of message `{name}` has {n_bytes} bytes, it may have 1 to {bytes_max}")]
    Key { name: String, n_bytes: usize, bytes_max: usize },
    #[error("run {run} does not exist")]
    UnknownRun { run: RunId },
    #[error("run {run} has ended ({status})")]
    RunEnded { run: RunId, status: RunStatus },
    /// It may have been sent all the same: send it again with the same key.
    #[error("the message could not be stored")]
    Store(#[source] StoreError),
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    #[error(transparent)]
    Send(#[from] SendError),
    #[error("run {run} ended without an answer to `{name}`")]
    Unanswered { run: RunId, name: String },
    /// The answer may still come: ask again with the same key to find it.
    #[error("run {run} had not answered `{name}` after {after_ms} ms")]
    TimedOut { run: RunId, name: String, after_ms: u64 },
    #[error("the answer to `{name}` is of another type")]
    Answer { name: String, source: serde_json::Error },
    #[error("the answer of run {run} cannot be waited for any longer")]
    Closed { run: RunId, source: Box<WaitError> },
    #[error(transparent)]
    Get(#[from] GetError),
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CancelError {
    #[error("run {run} does not exist")]
    UnknownRun { run: RunId },
    #[error("run {run} has ended already ({status})")]
    AlreadyEnded { run: RunId, status: RunStatus },
    /// It may have been accepted all the same: cancel again.
    #[error("the cancel could not be stored")]
    Store(#[source] StoreError),
}

/// Nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResumeError {
    #[error(transparent)]
    Get(#[from] GetError),
    /// Cancel it first, or wait for its end.
    #[error("run {run} has not ended ({status})")]
    NotEnded { run: RunId, status: RunStatus },
    #[error("run {run} completed: there is nothing to recover")]
    Completed { run: RunId },
    /// Start a new run, or replay from an entry before the failure.
    #[error("run {run} was rolled back at {at}: the steps before the failure are undone")]
    RolledBack { run: RunId, at: Seq },
    #[error("run {run} has no entry at `{location}`")]
    UnknownEntry { run: RunId, location: Location },
    /// Somebody else resumed it at the same time.
    #[error("run {run} was changed by somebody else")]
    Changed { run: RunId },
    #[error("the child run {child} cannot be recovered")]
    Child { child: RunId, source: Box<ResumeError> },
    #[error("the engine is shutting down")]
    ShuttingDown,
    #[error("the new run could not be started")]
    Start(#[source] Box<StartError>),
    #[error(transparent)]
    Store(#[from] StoreError),
}
