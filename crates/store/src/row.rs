//! The index of runs, and logs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use stepwell_journal::{Failure, Json, Location, Parent, RunId, RunStatus, Seq, UnixMillis};

/// What lists and searches know of a run. Derived from its journal, and written with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    pub run: RunId,
    pub namespace: String,
    pub workflow: String,
    pub version: String,
    pub status: RunStatus,
    pub labels: BTreeMap<String, String>,
    pub description: Option<String>,
    pub input: Json,
    pub parent: Option<Parent>,
    pub created_at: UnixMillis,
    pub updated_at: UnixMillis,
    pub ended_at: Option<UnixMillis>,
    /// When a waiting run wants to be woken, or a pending one may begin.
    pub wake_at: Option<UnixMillis>,
    /// Where the journal goes on.
    pub next_seq: Seq,
    pub failure: Option<Failure>,
    /// A cancel was accepted and is not carried out yet.
    pub cancelling: bool,
}

/// The new values of what can change in a row. `updated_at` and `next_seq` follow the events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowChange {
    pub status: RunStatus,
    pub wake_at: Option<UnixMillis>,
    pub labels: BTreeMap<String, String>,
    pub description: Option<String>,
    pub failure: Option<Failure>,
    pub at: UnixMillis,
}

/// One line of a run's log: text for people, not part of the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogLine {
    pub at: UnixMillis,
    pub level: LogLevel,
    /// The entry that said it; the root if the workflow function itself did.
    pub location: Location,
    pub message: String,
    /// An object of further fields, or null.
    pub fields: Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    Debug,
    Info,
    Warn,
    Error,
}

impl LogLevel {
    pub fn as_str(self) -> &'static str {
        match self {
            LogLevel::Debug => "debug",
            LogLevel::Info => "info",
            LogLevel::Warn => "warn",
            LogLevel::Error => "error",
        }
    }
}
