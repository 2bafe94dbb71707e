//! One operation of a run, as its events have built it.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::{Attempt, Failure, Json, Location, Message, RunId, Seq, UnixMillis};

/// A node of a run's tree: a step, sleep, listen, join and so on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub kind: EntryKind,
    pub status: EntryStatus,
    pub first_seq: Seq,
    pub started_at: UnixMillis,
    pub ended_at: Option<UnixMillis>,
    /// How many attempts began.
    pub attempts: Attempt,
    /// The last failure of an attempt, also of one that was retried with success.
    pub last_failure: Option<Failure>,
    /// When the next attempt begins, while it waits for one.
    pub retry_at: Option<UnixMillis>,
    /// When a sleep ends or a listen gives up.
    pub until: Option<UnixMillis>,
    /// What a listen listens for.
    pub names: Vec<String>,
    /// The run that a child entry started, and its workflow.
    pub child: Option<(RunId, String)>,
    /// The iterations that are still kept, when this is a loop.
    pub iterations: Option<Box<Iterations>>,
    /// How it ended, and with which event.
    pub outcome: Option<(Seq, Outcome)>,
    /// How many events of the journal are about this entry.
    pub n_events: u32,
}

/// A loop's iterations: the state each began with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Iterations {
    /// By number; the first one kept is where replay begins. Iteration 0 has no event and is not here.
    pub begun: BTreeMap<u64, (Seq, Json)>,
    /// Iterations before this one are gone.
    pub trimmed_before: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryKind {
    Step,
    Sleep,
    Listen,
    Ask,
    Join,
    Race,
    Block,
    Loop,
    Branch,
    Child,
    Version,
    Checkpoint,
    Note,
    Undo,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryStatus {
    Running,
    /// For a date, a message, a child or an answer.
    Waiting,
    WaitingRetry,
    Completed,
    Failed,
    Skipped,
    Cancelled,
}

/// How an entry ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A step, child or question with its result.
    Value(Json),
    Failed(Failure),
    Skipped(String),
    /// A timer fired, a checkpoint was set, a block ended: nothing to say.
    Done,
    Messages(Vec<Message>),
    /// A listen that gave up.
    TimedOut,
    Version(u32),
}

/// Something that a run waits for, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "for", rename_all = "snake_case")]
pub enum Wait {
    Timer { location: Location, until: UnixMillis },
    Messages { location: Location, names: Vec<String>, until: Option<UnixMillis> },
    Retry { location: Location, attempt: Attempt, until: UnixMillis, last_error: String },
    Child { location: Location, run: RunId, workflow: String },
    Answer { location: Location },
}

impl EntryStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            EntryStatus::Running => "running",
            EntryStatus::Waiting => "waiting",
            EntryStatus::WaitingRetry => "waiting_retry",
            EntryStatus::Completed => "completed",
            EntryStatus::Failed => "failed",
            EntryStatus::Skipped => "skipped",
            EntryStatus::Cancelled => "cancelled",
        }
    }
}

impl EntryKind {
    pub const ALL: [EntryKind; 14] = [
        EntryKind::Step,
        EntryKind::Sleep,
        EntryKind::Listen,
        EntryKind::Ask,
        EntryKind::Join,
        EntryKind::Race,
        EntryKind::Block,
        EntryKind::Loop,
        EntryKind::Branch,
        EntryKind::Child,
        EntryKind::Version,
        EntryKind::Checkpoint,
        EntryKind::Note,
        EntryKind::Undo,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            EntryKind::Step => "step",
            EntryKind::Sleep => "sleep",
            EntryKind::Listen => "listen",
            EntryKind::Ask => "ask",
            EntryKind::Join => "join",
            EntryKind::Race => "race",
            EntryKind::Block => "block",
            EntryKind::Loop => "loop",
            EntryKind::Branch => "branch",
            EntryKind::Child => "child",
            EntryKind::Version => "version",
            EntryKind::Checkpoint => "checkpoint",
            EntryKind::Note => "note",
            EntryKind::Undo => "undo",
        }
    }
}

impl std::fmt::Display for EntryKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl EntryStatus {
    pub fn is_ended(self) -> bool {
        match self {
            EntryStatus::Running | EntryStatus::Waiting | EntryStatus::WaitingRetry => false,
            EntryStatus::Completed
            | EntryStatus::Failed
            | EntryStatus::Skipped
            | EntryStatus::Cancelled => true,
        }
    }
}

impl Entry {
    pub(crate) fn new(kind: EntryKind, seq: Seq, at: UnixMillis) -> Entry {
        Entry {
            kind,
            status: EntryStatus::Running,
            first_seq: seq,
            started_at: at,
            ended_at: None,
            attempts: Attempt(0),
            last_failure: None,
            retry_at: None,
            until: None,
            names: Vec::new(),
            child: None,
            iterations: None,
            outcome: None,
            n_events: 0,
        }
    }

    /// The durable date that this entry wants to be woken at.
    pub fn wake_at(&self) -> Option<UnixMillis> {
        match self.status {
            EntryStatus::WaitingRetry => self.retry_at,
            EntryStatus::Waiting => self.until,
            EntryStatus::Running
            | EntryStatus::Completed
            | EntryStatus::Failed
            | EntryStatus::Skipped
            | EntryStatus::Cancelled => None,
        }
    }

    /// What this entry waits for, if it does.
    pub fn wait(&self, location: &Location) -> Option<Wait> {
        let location = location.clone();
        match (self.status, self.kind) {
            (EntryStatus::WaitingRetry, _) => Some(Wait::Retry {
                location,
                attempt: Attempt(self.attempts.0.saturating_add(1)),
                until: self.retry_at?,
                last_error: self.last_failure.as_ref().map(|f| f.message.clone())?,
            }),
            (EntryStatus::Waiting, EntryKind::Sleep) => {
                Some(Wait::Timer { location, until: self.until? })
            }
            (EntryStatus::Waiting, EntryKind::Listen) => {
                Some(Wait::Messages { location, names: self.names.clone(), until: self.until })
            }
            (EntryStatus::Waiting, EntryKind::Child) => {
                let (run, workflow) = self.child.clone()?;
                Some(Wait::Child { location, run, workflow })
            }
            (EntryStatus::Waiting, EntryKind::Ask) => Some(Wait::Answer { location }),
            _ => None,
        }
    }
}

/// As people read it: `the message "approve" at decision/person, until 2026-11-16T03:05:17.042Z`.
impl std::fmt::Display for Wait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Wait::Timer { location, until } => {
                write!(f, "the timer `{location}`, until {}", until.rfc3339())
            }
            Wait::Messages { location, names, until } => {
                write!(f, "a message {} at `{location}`", names.join(" or "))?;
                match until {
                    Some(until) => write!(f, ", until {}", until.rfc3339()),
                    None => Ok(()),
                }
            }
            Wait::Retry { location, attempt, until, last_error } => write!(
                f,
                "attempt {attempt} of `{location}`, at {}, after: {last_error}",
                until.rfc3339()
            ),
            Wait::Child { location, run, workflow } => {
                write!(f, "the child run {run} of workflow `{workflow}` at `{location}`")
            }
            Wait::Answer { location } => write!(f, "the answer to `{location}`"),
        }
    }
}
