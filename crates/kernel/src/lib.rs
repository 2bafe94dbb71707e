//! Durable functions: [`Ctx`], its operations, and the executor that runs and replays them.
//!
//! A workflow is an async function whose every outside effect goes through [`Ctx`]. Its operations
//! record what happened as events, and find recorded events instead of acting again. An [`Execution`]
//! drives one run: its owner feeds it time, messages and commits, and takes the events to be committed.
//!
//! ```text
//!            poll, receive, batch_committed
//!   engine ---------------------------------> Execution --- polls ---> workflow function
//!          <---------------------------------    |                         |
//!            take_batch, next_deadline           |  delivers events,       | claims entries,
//!                                                v  in journal order       v emits events
//!                                               Core <------------------- operations of Ctx
//! ```
//!
//! What the workflow observes is a function of the journal alone: an operation's result becomes visible
//! when its event is *delivered*, events are delivered one by one in the order of the journal, and the
//! function is polled after each. Replay delivers what was recorded, live execution what was just
//! committed, by the same code.
//!
//! This crate knows no clock, no I/O, no threads, no store and no tokio.

mod attempt;
mod branch_set;
mod core;
mod ctx;
mod error;
mod execution;
mod host;
mod limits;
mod ops;
mod policy;
mod rollback;
mod scope;
mod trace;
mod workflow;

pub use ctx::{Ctx, Level, days, hours, millis, mins, secs};
pub use error::{Error, Result, ResultExt};
pub use execution::{
    AnswerOut, Batch, ChildStart, CommitNeed, Execution, Input, Log, ReplayError, Setup,
};
pub use host::{AttemptEnd, ChildError, Host, LocalBoxFuture, Mock, SendError, WorkflowVersion};
pub use limits::Limits;
pub use ops::{
    Any, Ask, AttemptCx, Batch as MessageBatch, Branch, Branches, CancelSignal, Child, Join,
    Listen, Loop, Looped, Maybe, One, Plain, Question, Questions, Race, Raced, Received, Send,
    Shape, Sleep, Step, Together, TryBlock, Trying, branch,
};
pub use policy::{Backoff, StepPolicy};
pub use trace::{TraceParent, TraceParentError};
pub use workflow::{
    InputError, InputProblem, KeyedLimit, RATE_MS_MAX, RATE_RUNS_MAX, Rate, RunLimits,
    RunLimitsError, Source, Workflow, WorkflowOptions, workflow,
};
