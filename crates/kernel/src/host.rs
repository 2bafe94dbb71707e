//! What the kernel asks of its surroundings.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use stepwell_journal::{Attempt, Json, Location, Message, RunId};

use crate::Error;

/// A future that stays on its thread.
pub type LocalBoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// A body that a test runs instead of the step's own.
pub type Mock = Rc<dyn Fn(Attempt) -> Result<Json, Error>>;

/// The engine, as a run sees it.
pub trait Host {
    /// Puts a message into another run's inbox, durably. A second one with the same id is dropped by
    /// the receiver.
    fn send(&self, to: RunId, message: Message) -> LocalBoxFuture<'static, Result<(), SendError>>;

    /// The version of a registered workflow, to start a child with; none if there is no such workflow.
    fn workflow_version(&self, name: &str) -> Option<String>;

    /// What a test put in place of the step at this location.
    fn mock(&self, _location: &Location) -> Option<Mock> {
        None
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
