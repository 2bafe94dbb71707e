//! Runs the kernel: run tasks, timers, recovery, updates.
//!
//! An [`Engine`] owns the runs of one store. Each run that has something to do is in memory, driven by
//! a task of its own; all others are in the store, and cost nothing here but a place among the timers
//! that are near.
//!
//! ```text
//!   Engine, RunHandle ----- start, post -----> Store <----- commit, load, inbox ------+
//!     |        ^                                 ^                                    |
//!     |        | outcomes, answers               | runnable, due                      |
//!     |        | (Waiters, Updates)              |                                    |
//!     |        +------------------------------+  +--- keeper: scan, keep_time         |
//!     |                                       |           |                           |
//!     +--- activate, nudge ---> Schedule <----|-----------+                           |
//!                                  |          |                                       |
//!                                  +-- Take --|--> worker: RunTask -> Drive ----------+
//!                                                                      |
//!                                                                      +--> Execution (kernel)
//! ```
//!
//! This crate must not know any database or any dialect.

mod admission;
mod clock;
mod compaction;
mod config;
mod drive;
mod effects;
mod engine;
mod error;
mod facts;
mod handle;
mod host;
mod inbox;
mod keeper;
mod link;
mod messages;
mod meters;
mod missed;
mod news;
mod observer;
mod ownership;
mod registry;
mod resume;
mod row;
mod run_task;
mod schedule;
mod shared;
mod sharing;
mod start;
mod stats;
pub mod testkit;
mod threads;
mod timers;
mod updates;
mod view;
mod waiters;
mod watchdog;
mod worker;
mod workflows;

pub use admission::{LimitKind, LimitWait};
pub use clock::{BoxFuture, Clock, SystemClock, VirtualClock};
pub use engine::{Engine, EngineBuilder};
pub use error::{
    AskError, CancelError, GetError, OpenError, RegisterError, ResumeError, SendError, StartError,
    WaitError,
};
pub use facts::RunFacts;
pub use handle::RunHandle;
pub use news::Everywhere;
pub use observer::Observer;
pub use registry::Definitions;
pub use resume::{ReplayTarget, ResumeOptions};
pub use start::{DEFAULT_NAMESPACE, Launched, StartOptions};
pub use stats::Stats;
pub use updates::{Position, PositionError, Update, Updates, UpdatesError, What};
pub use view::{EngineWait, RunView, WaitingFor};
