//! Questions about runs.

use std::collections::BTreeMap;

use stepwell_journal::{Json, Location, RunId, RunStatus, UnixMillis};

use crate::{LogLevel, LogLine, RunRow};

/// The most rows a page may have, whatever is asked for.
pub const PAGE_ROWS_MAX: usize = 1_000;

/// Which runs, newest first unless said otherwise. Empty filters match everything.
#[derive(Debug, Clone, Default)]
pub struct RunQuery {
    /// Only this namespace; all of them if none.
    pub namespace: Option<String>,
    pub workflow: Option<String>,
    /// Any of these; all if empty.
    pub statuses: Vec<RunStatus>,
    /// All of these.
    pub labels: BTreeMap<String, String>,
    /// Created at or after.
    pub created_from: Option<UnixMillis>,
    /// Created before.
    pub created_before: Option<UnixMillis>,
    /// Ended at or after.
    pub ended_from: Option<UnixMillis>,
    /// Ended before.
    pub ended_before: Option<UnixMillis>,
    /// Updated at or after.
    pub updated_from: Option<UnixMillis>,
    /// All of these.
    pub input: Vec<InputFilter>,
    pub parent: Option<RunId>,
    /// The run's id begins with this text.
    pub id_prefix: Option<String>,
    /// The run's id begins with this text, or its workflow's name, its description, the value of one of its
    /// labels or its failure's message contains it. Upper and lower case of ASCII letters are the same.
    pub text: Option<String>,
    /// Oldest first, instead of newest first.
    pub oldest_first: bool,
    /// Where the page before ended.
    pub after: Option<Cursor>,
    /// 0 means 50; at most [`PAGE_ROWS_MAX`].
    pub limit: usize,
}

/// A field of the run's input, by its path of object keys and array indices, has this value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputFilter {
    pub path: Vec<String>,
    pub equals: Json,
}

/// A place between two rows. Stays right while runs come and go, because a run's creation never changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cursor {
    pub created_at: UnixMillis,
    pub run: RunId,
}

#[derive(Debug, Clone, Default)]
pub struct RunPage {
    pub runs: Vec<RunRow>,
    /// Where the next page begins; none if this is the last.
    pub next: Option<Cursor>,
}

/// How many runs of one workflow in one namespace are in one status.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tallied {
    pub namespace: String,
    pub workflow: String,
    pub status: RunStatus,
    pub n_runs: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusCount {
    pub status: RunStatus,
    pub n_runs: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueRun {
    pub run: RunId,
    pub wake_at: UnixMillis,
}

/// Which log lines of one run, oldest first.
#[derive(Debug, Clone)]
pub struct LogQuery {
    pub run: RunId,
    pub level_min: LogLevel,
    /// Only this entry and what stands below it; the whole run if none.
    pub location: Option<Location>,
    /// Where the page before ended.
    pub after: Option<u64>,
    /// 0 means 200; at most [`PAGE_ROWS_MAX`].
    pub limit: usize,
}

#[derive(Debug, Clone, Default)]
pub struct LogPage {
    pub lines: Vec<LogLine>,
    /// Where the next page begins; none if this is the last.
    pub next: Option<u64>,
    /// Where whoever has read this page goes on, now or when there are more lines.
    pub end: u64,
}

impl RunQuery {
    pub fn n_rows(&self) -> usize {
        if self.limit == 0 { 50 } else { self.limit.min(PAGE_ROWS_MAX) }
    }
}

impl LogQuery {
    pub fn of(run: RunId) -> LogQuery {
        LogQuery { run, level_min: LogLevel::Debug, location: None, after: None, limit: 0 }
    }

    pub fn n_rows(&self) -> usize {
        if self.limit == 0 { 200 } else { self.limit.min(PAGE_ROWS_MAX) }
    }
}

impl RunRow {
    pub fn cursor(&self) -> Cursor {
        Cursor { created_at: self.created_at, run: self.run }
    }
}
