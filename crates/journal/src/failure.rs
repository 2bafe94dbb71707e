//! How something failed, as data that a journal can hold.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Attempt, Json, Location, UnixMillis};

/// How deep failures of branches may lie in one another. Child runs can nest them without end, and a
/// reader of journals has to stop somewhere.
pub const FAILURE_DEPTH_MAX: usize = 40;

/// A failure of an attempt, a step, a branch or a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub kind: FailureKind,
    /// The author's error, with its causes, for people.
    pub message: String,
    /// The entry that failed; none if the workflow function returned the error itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Location>,
    /// How many attempts were made; 0 where there are none to make.
    pub attempts: Attempt,
    /// The failures of the branches, by name, when a join or a race failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<(String, Failure)>,
    /// What a dialect knows of it beyond the message, such as the stack of a script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Json>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// An ordinary error: of an attempt, to be retried; or returned by the workflow function.
    Error,
    /// The author said that trying again is useless.
    Critical,
    /// An attempt took longer than its timeout.
    Timeout,
    /// The last attempt that the retry policy allows failed.
    Exhausted,
    /// The author asked for the undo handlers to run.
    Rollback,
    /// The process ended while the attempt ran.
    Interrupted,
    /// The code panicked.
    Panic,
    /// The run, or the child it waited for, was cancelled.
    Cancelled,
    /// The code does not match the journal.
    Divergence,
    /// The workflow broke a rule of `Ctx`: a name used twice, an operation not awaited, and the like.
    Misuse,
    /// A named limit was exceeded.
    Limit,
    /// The run, or the child it waited for, did not end before its deadline.
    DeadlinePassed,
}

impl Failure {
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure {
            kind,
            message: message.into(),
            source: None,
            attempts: Attempt(0),
            branches: Vec::new(),
            details: None,
        }
    }

    /// What a run that did not end in time fails with.
    pub fn missed_deadline(deadline_at: UnixMillis) -> Failure {
        let message = format!("the run had to end by {}", deadline_at.rfc3339());
        Failure::new(FailureKind::DeadlinePassed, message)
    }

    pub fn at(mut self, source: &Location) -> Failure {
        self.source = Some(source.clone());
        self
    }

    pub fn after(mut self, attempts: Attempt) -> Failure {
        self.attempts = attempts;
        self
    }

    pub fn with_details(mut self, details: Json) -> Failure {
        self.details = Some(details);
        self
    }

    /// The failure of a join or a race. What lies deeper than [`FAILURE_DEPTH_MAX`] is left out, so that
    /// workflow code sees the same failure now and when it is read from the journal.
    pub fn of_branches(mut self, branches: Vec<(String, Failure)>) -> Failure {
        self.branches = branches;
        self.cut_below(FAILURE_DEPTH_MAX);
        self
    }

    fn cut_below(&mut self, depth: usize) {
        if depth == 0 {
            self.branches.clear();
        }
        for (_, failure) in &mut self.branches {
            failure.cut_below(depth - 1);
        }
    }

    /// Whether the fault lies in the code or its use of Stepwell, not in the work: no handler may
    /// catch it, and no undo handler runs for it, because mended code can go on from here.
    pub fn is_fault(&self) -> bool {
        matches!(self.kind, FailureKind::Divergence | FailureKind::Misuse)
    }

    /// The locations of the steps that this failure came from.
    pub fn sources(&self) -> Vec<Location> {
        if self.branches.is_empty() {
            return self.source.iter().cloned().collect();
        }
        self.branches.iter().flat_map(|(_, failure)| failure.sources()).collect()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(source) = &self.source {
            write!(f, "`{source}` ")?;
        }
        write!(f, "{}: {}", self.kind, self.message)?;
        if self.attempts.0 > 1 {
            write!(f, " (after {} attempts)", self.attempts)?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

impl FailureKind {
    pub const ALL: [FailureKind; 12] = [
        FailureKind::Error,
        FailureKind::Critical,
        FailureKind::Timeout,
        FailureKind::Exhausted,
        FailureKind::Rollback,
        FailureKind::Interrupted,
        FailureKind::Panic,
        FailureKind::Cancelled,
        FailureKind::Divergence,
        FailureKind::Misuse,
        FailureKind::Limit,
        FailureKind::DeadlinePassed,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            FailureKind::Error => "failed",
            FailureKind::Critical => "failed critically",
            FailureKind::Timeout => "timed out",
            FailureKind::Exhausted => "failed for good",
            FailureKind::Rollback => "asked for rollback",
            FailureKind::Interrupted => "was interrupted",
            FailureKind::Panic => "panicked",
            FailureKind::Cancelled => "was cancelled",
            FailureKind::Divergence => "diverged",
            FailureKind::Misuse => "was misused",
            FailureKind::Limit => "exceeded a limit",
            FailureKind::DeadlinePassed => "missed its deadline",
        }
    }
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
