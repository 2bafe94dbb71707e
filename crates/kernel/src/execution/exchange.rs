//! What passes between an execution and its owner.

use std::rc::Rc;

use stepwell_journal::{
    Event, Failure, FoldError, Json, Location, Message, MessageId, RunId, Seq, UnixMillis,
};

use crate::{Host, Level, Limits, Workflow, WorkflowVersion};

/// What is needed to bring a run to life.
pub struct Setup<'a> {
    pub run: RunId,
    /// The whole journal, oldest event first.
    pub journal: &'a [Event],
    pub workflow: &'a Workflow,
    pub host: Rc<dyn Host>,
    pub limits: Limits,
    /// The run was cut off by a crash: attempts begin only when their start marker is durable.
    pub careful: bool,
    pub now: UnixMillis,
}

/// The journal cannot be brought to life.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The journal is damaged.
    #[error(transparent)]
    Fold(#[from] FoldError),
    /// There is nothing to run.
    #[error("run {run} has no journal")]
    Empty { run: RunId },
    /// An ended run is looked at, not run; resume it first.
    #[error("run {run} has ended")]
    Ended { run: RunId },
}

/// Something from the run's inbox.
#[derive(Debug, Clone)]
pub enum Input {
    Message(Message),
    Cancel { reason: String },
    ChildEnded { location: Location, child: RunId, outcome: Result<Json, Failure> },
    Answer { location: Location, answer: Result<Json, Failure> },
}

/// What is to be made durable, in one transaction.
#[derive(Debug, Default)]
#[must_use = "a batch that is not committed is lost"]
pub struct Batch {
    pub first_seq: Seq,
    pub events: Vec<Event>,
    pub children: Vec<ChildStart>,
    pub cancel_children: Vec<RunId>,
    pub answers: Vec<AnswerOut>,
    pub logs: Vec<Log>,
}

/// A child to be created.
#[derive(Debug, Clone)]
pub struct ChildStart {
    pub run: RunId,
    pub workflow: String,
    pub version: WorkflowVersion,
    pub input: Json,
    /// Where the parent waits for it.
    pub location: Location,
}

/// An answer for a run that asked.
#[derive(Debug, Clone)]
pub struct AnswerOut {
    pub to: RunId,
    pub location: Location,
    pub message: MessageId,
    pub answer: Json,
}

/// A line for the run's log.
#[derive(Debug, Clone)]
pub struct Log {
    pub at: UnixMillis,
    pub level: Level,
    pub location: Location,
    pub message: String,
    pub fields: Json,
}

/// Whether there is something to commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitNeed {
    None,
    /// Only events and log lines that nobody waits for: they may wait a moment for company.
    Lazy,
    Now,
}
