//! Stepwell is a durable workflow engine: write steps, and every result is recorded; kill the process
//! wherever you like, and it carries on from exactly where it was.
//!
//! ```
//! use stepwell::prelude::*;
//!
//! async fn greet(ctx: Ctx, name: String) -> Result<String> {
//!     let greeting = ctx.step("greet", async || Ok::<_, Error>(format!("Hello, {name}!"))).await?;
//!     ctx.sleep("a moment", millis(10)).await?;
//!     ctx.step("shout", async || Ok::<_, Error>(greeting.to_uppercase())).await
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<()> {
//!     # let dir = tempfile::tempdir()?;
//!     # std::env::set_current_dir(&dir)?;
//!     let engine = Engine::open("stepwell.db").await?;
//!     engine.register(workflow("greet", greet))?;
//!     let run = engine.start("greet", &"Ada").await?;
//!     let greeting: String = run.wait().await?;
//!     assert_eq!(greeting, "HELLO, ADA!");
//!     engine.shutdown().await;
//!     Ok(())
//! }
//! ```
//!
//! [`Ctx`] has the operations of a workflow: steps with retries, timeouts and undo handlers, durable
//! sleeps, messages, joins, races, loops, child runs. [`Engine`] starts runs and finds them again.
//! [`testkit`] runs workflows in memory on a clock that skips time. With the feature `server`, `serve` makes
//! the engine a service: an API over HTTP, live updates, schedules, access tokens.

mod engine;
pub mod sequence;
#[cfg(feature = "server")]
mod serve;

pub use engine::{Engine, LEASE, OpenError, Options};
#[cfg(feature = "server")]
pub use serve::{bind, bind_with, serve};
pub use stepwell_engine::*;
pub use stepwell_journal::{
    Entry, EntryKind, EntryStatus, Event, EventKind, Failure, FailureKind, Json, Location,
    MessageId, Outcome, RunId, RunIdError, RunOutcome, RunState, RunStatus, Seq, UnixMillis, Wait,
    render_event, render_journal,
};
pub use stepwell_kernel::{
    Ask, AttemptCx, Backoff, Branch, CancelSignal, Child, Ctx, Error, InputError, InputProblem,
    Join, KeyedLimit, Level, Limits, Listen, Loop, Looped, Question, Race, Raced, Rate, Received,
    Result, ResultExt, RunLimits, RunLimitsError, Send, Sleep, Source, Step, StepPolicy, Together,
    TraceParent, TryBlock, Workflow, WorkflowOptions, branch, days, hours, millis, mins, secs,
    workflow,
};
#[cfg(feature = "server")]
pub use stepwell_server::{self as server, ServeError, Server, ServerConfig};
pub use stepwell_store::{
    ClusterStatus, Cursor, Document, DocumentQuery, DocumentWrite, Expect, InputFilter, LogLevel,
    LogLine, LogPage, LogQuery, NodeStatus, RunPage, RunQuery, RunRow, ShardStatus, StatusCount,
    Store, StoreError, StoreReport,
};
pub use stepwell_store_postgres::{
    Imported, Options as PostgresOptions, PostgresStore, Stats as PostgresStats,
};
pub use stepwell_store_sqlite::{SqliteStore, Stats as StoreStats, Synchronous};

/// What almost every program that uses Stepwell needs.
pub mod prelude {
    pub use schemars::JsonSchema;
    pub use serde::{Deserialize, Serialize};

    pub use crate::{
        Backoff, Ctx, Engine, Error, Failure, FailureKind, Level, Loop, Result, ResultExt, RunId,
        StepPolicy, branch, days, hours, millis, mins, secs, workflow,
    };
}
