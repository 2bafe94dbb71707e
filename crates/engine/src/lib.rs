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

mod clock;
mod compaction;
mod config;
mod drive;
mod effects;
mod engine;
mod error;
mod handle;
mod host;
mod inbox;
mod keeper;
mod link;
mod messages;
mod resume;
mod row;
mod run_task;
mod schedule;
mod shared;
mod start;
mod stats;
pub mod testkit;
mod threads;
mod timers;
mod updates;
mod view;
mod waiters;
mod worker;

pub use clock::{BoxFuture, Clock, SystemClock, VirtualClock};
pub use engine::{Engine, EngineBuilder};
pub use error::{
    AskError, CancelError, GetError, OpenError, RegisterError, ResumeError, SendError, StartError,
    WaitError,
};
pub use handle::RunHandle;
pub use resume::ReplayTarget;
pub use start::{DEFAULT_NAMESPACE, StartOptions};
pub use stats::Stats;
pub use updates::{Update, Updates, UpdatesError, What};
pub use view::{EngineWait, RunView, WaitingFor};
