//! Sequences: workflows that are lists of steps.
//!
//! There are two ways to write one, and both make the same [`Plan`]: the typed builder [`Sequence`], and
//! TypeScript files ([`ts`]). One interpreter ([`run_plan`]) walks the plan as a durable function on the
//! kernel's `Ctx`, and asks a [`SequenceHost`] to call the author's functions.
//!
//! ```text
//!   Sequence::new(..).step(..)        flow.ts: export const steps = [..]
//!            |                                    |  crates/script
//!            +---------------> Plan <-------------+
//!                               |  check, draw
//!                           run_plan  ---- call ---> SequenceHost: Rust functions, or JavaScript
//!                               |
//!                              Ctx (kernel): steps, retries, timers, loops, blocks, children
//! ```
//!
//! This crate must not know stores, the engine, or transports other than the requests of `httpStep`.

mod builder;
mod context;
mod error;
mod failed;
mod host;
mod limits;
mod plan;
mod problem;
mod record;
mod run;
pub mod ts;
mod workflow;

pub use builder::{
    FailedCx, ForEach, HttpStep, IntoStep, IntoSteps, OnErrorFn, Sequence, StepCx, StepDef,
    StepExt, Steps, delay, http_step,
};
pub use context::{Context, LastStep, SeenStep, StepStatus};
pub use error::{Behavior, Growth, StepError};
pub use failed::{Failed, FailedError, FailedStep, WorkflowState};
pub use host::{Answer, Call, Role, SequenceHost};
pub use limits::{
    ATTEMPTS_MAX, BACKOFF_BASE_MS, BACKOFF_MAX_MS, CONCURRENCY_MAX, CRASH_ATTEMPTS_MAX,
    CRASH_RETRIES, DEPTH_MAX, ITEMS_MAX, NAME_CHARS_MAX, NODES_MAX, TIME_MS_MAX,
};
pub use plan::{
    Action, Drawing, DrawnEdge, DrawnNode, FunctionRef, Nested, Node, NodeKind, OnTimeout, Plan,
    Step, StepConfig, check,
};
pub use problem::{Problem, Problems};
pub use record::{RecordedError, StepRecord, records};
pub use run::run_plan;
pub use workflow::DIALECT;
