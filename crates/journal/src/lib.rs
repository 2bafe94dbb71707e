//! What a run's journal is made of.
//!
//! A run's journal is its events in order, and the only truth about the run. [`RunState`] is the fold
//! of a journal: what the console shows, what time travel recomputes, and what the kernel looks into
//! when a workflow asks for something that was recorded before.
//!
//! This crate knows no store, no clock, no async and no workflow code.

#[cfg(feature = "arbitrary")]
pub mod arbitrary;
mod compact;
mod entry;
mod event;
mod failure;
mod hash;
mod ids;
mod json;
mod location;
mod message;
mod render;
mod state;
pub mod wire;

pub use compact::compact;
pub use entry::{Entry, EntryKind, EntryStatus, Outcome, Wait};
pub use event::{Event, EventKind, Note, Parent, RunStarted, SeqRange};
pub use failure::{FAILURE_DEPTH_MAX, Failure, FailureKind};
pub use hash::stable_hash;
pub use ids::{Attempt, Epoch, MessageId, RunId, RunIdError, Seq, UnixMillis};
pub use json::Json;
pub use location::{Location, LocationError, NAME_BYTES_MAX, check_name};
pub use message::{Asked, Message, ReplyTo};
pub use render::{render_event, render_journal};
pub use state::{FoldError, RunOutcome, RunState, RunStatus, effective};
