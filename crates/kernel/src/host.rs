//! What the kernel asks of its surroundings.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use stepwell_journal::{Attempt, Json, Location, Message, RunId};

use crate::{Error, InputError};

/// A future that stays on its thread.
pub type LocalBoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// A body that a test runs instead of the step's own.
pub type Mock = Rc<dyn Fn(Attempt) -> Result<Json, Error>>;

/// The engine, as a run sees it.
pub trait Host {
    /// Puts a message into another run's inbox, durably. A second one with the same id is dropped by
    /// the receiver.
    fn send(&self, to: RunId, message: Message) -> LocalBoxFuture<'static, Result<(), SendError>>;

    /// What a child of this workflow is to be started with, if it can take this input.
    fn child_version(&self, workflow: &str, input: &Json) -> Result<WorkflowVersion, ChildError>;

    /// What a test put in place of the step at this location.
    fn mock(&self, _location: &Location) -> Option<Mock> {
        None
    }

    /// Code of the run begins to be polled: the body of the step at this location.
    fn enters_body(&self, _location: &Location) {}

    /// It gives its thread back.
    fn leaves_body(&self) {}

    /// An attempt begins. What this returns is given back when it ends.
    fn attempt_begins(&self) -> u64 {
        0
    }

    fn attempt_ended(&self, _began: u64, _end: AttemptEnd) {}
}

/// The definition that a run is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkflowVersion {
    pub version: String,
    /// Whether the run can only go on with this very version.
    pub pinned: bool,
}

/// Why there can be no child.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChildError {
    #[error("workflow `{workflow}` is not registered")]
    Unknown { workflow: String },
    #[error(transparent)]
    Input(#[from] InputError),
}

/// How an attempt's body ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptEnd {
    Succeeded,
    Failed,
    TimedOut,
    /// Its result was no longer wanted: a lost race, a cancel, a missed deadline, a shut-down.
    Dropped,
}

impl AttemptEnd {
    pub const ALL: [AttemptEnd; 4] =
        [AttemptEnd::Succeeded, AttemptEnd::Failed, AttemptEnd::TimedOut, AttemptEnd::Dropped];

    pub fn as_str(self) -> &'static str {
        match self {
            AttemptEnd::Succeeded => "succeeded",
            AttemptEnd::Failed => "failed",
            AttemptEnd::TimedOut => "timed_out",
            AttemptEnd::Dropped => "dropped",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// Trying again is useless.
    #[error("run {0} does not exist")]
    UnknownRun(RunId),
    /// Trying again is useless.
    #[error("run {0} has ended")]
    RunEnded(RunId),
    /// Try again later.
    #[error("the message could not be stored: {0}")]
    Unavailable(String),
}
