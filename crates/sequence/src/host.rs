//! What the interpreter asks of its surroundings: to call the author's functions.

use std::rc::Rc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use stepwell_journal::Json;
use stepwell_kernel::{AttemptCx, LocalBoxFuture};

use crate::context::Context;
use crate::error::StepError;
use crate::plan::FunctionRef;

/// Whoever has the functions that a plan names. Its futures run inside step bodies: they may do I/O, and are dropped
/// when the attempt is given up; the function must end then, too.
pub trait SequenceHost: Send + Sync + 'static {
    fn call(&self, call: Call) -> LocalBoxFuture<'_, Result<Answer, StepError>>;
}

/// One call of a function.
pub struct Call {
    pub role: Role,
    pub function: FunctionRef,
    /// The step's name.
    pub name: String,
    pub context: Context,
    /// What an error handler or the input's function is given.
    pub argument: Option<Json>,
    pub attempt: Rc<AttemptCx>,
    /// How long the call may take. The kernel gives up the attempt then; whoever can tell the code should do so.
    pub timeout: Option<Duration>,
}

/// What a function is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Step,
    /// Gives true or false.
    Condition,
    /// Gives an array.
    Items,
    OnError,
    /// Gives the input as steps see it.
    Input,
}

/// What a function gave. A step's is recorded as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// None is JavaScript's `undefined`.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub result: Option<Json>,
    /// The step's state, an object; none if it is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Json>,
}

/// `null` is a value here.
pub(crate) fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(from).map(Some)
}
