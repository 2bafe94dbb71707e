//! Forgetting runs that have ended.

use std::collections::BTreeSet;

use stepwell_journal::{RunId, RunStatus, UnixMillis};

/// The most runs that one call forgets, whatever is asked for.
pub const FORGET_RUNS_MAX: usize = 1_000;

/// Which ended runs to forget, those that ended first before the others. Empty filters match everything.
#[derive(Debug, Clone)]
pub struct Forget {
    /// Only this namespace; all of them if none.
    pub namespace: Option<String>,
    pub workflow: Option<String>,
    /// Any of these; all that an ended run may have if empty.
    pub statuses: Vec<RunStatus>,
    /// Ended before.
    pub ended_before: UnixMillis,
    /// Only these, in this order. All if empty.
    pub runs: Vec<RunId>,
    /// 0 means 100; at most [`FORGET_RUNS_MAX`].
    pub limit: usize,
}

/// What became of a [`Forget`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// The runs that are gone.
    pub runs: Vec<RunId>,
    /// Of the runs that were named, those that are still there, and why.
    pub kept: Vec<Kept>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub run: RunId,
    pub why: WhyKept,
}

/// Why a run was not forgotten.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WhyKept {
    #[error("it does not exist")]
    Unknown,
    /// Cancel it first, or wait.
    #[error("it has not ended ({status})")]
    NotEnded { status: RunStatus },
    /// Forget the parent first.
    #[error("its parent {parent} is still there")]
    HasParent { parent: RunId },
    #[error("it is not one of those that are to be forgotten")]
    Unmatched,
    /// Ask again.
    #[error("no more runs than asked for are forgotten at once")]
    OverLimit,
}

/// What a store knows of a run that is to be forgotten.
#[derive(Debug, Clone, Copy)]
pub struct BeforeForget<'a> {
    pub namespace: &'a str,
    pub workflow: &'a str,
    pub status: RunStatus,
    pub ended_at: Option<UnixMillis>,
    /// The run's parent, if the store still has it.
    pub parent: Option<RunId>,
}

impl Forget {
    /// Everything that ended before.
    pub fn ended_before(at: UnixMillis) -> Forget {
        Forget {
            namespace: None,
            workflow: None,
            statuses: Vec::new(),
            ended_before: at,
            runs: Vec::new(),
            limit: 0,
        }
    }

    /// These runs, whenever they ended.
    pub fn runs(runs: Vec<RunId>) -> Forget {
        Forget { runs, limit: FORGET_RUNS_MAX, ..Forget::ended_before(UnixMillis(u64::MAX)) }
    }

    pub fn n_runs(&self) -> usize {
        if self.limit == 0 { 100 } else { self.limit.min(FORGET_RUNS_MAX) }
    }

    /// The runs that are named, each once.
    pub fn named(&self) -> Vec<RunId> {
        let mut seen = BTreeSet::new();
        self.runs.iter().filter(|run| seen.insert(**run)).copied().collect()
    }

    /// Whether the run may go; if not, why.
    pub fn check(&self, before: BeforeForget<'_>) -> Result<(), WhyKept> {
        let matches = self.namespace.as_ref().is_none_or(|name| name == before.namespace)
            && self.workflow.as_ref().is_none_or(|name| name == before.workflow);
        if !matches {
            return Err(WhyKept::Unmatched);
        }
        let Some(ended_at) = before.ended_at.filter(|_| before.status.is_ended()) else {
            return Err(WhyKept::NotEnded { status: before.status });
        };
        let matches = (self.statuses.is_empty() || self.statuses.contains(&before.status))
            && ended_at < self.ended_before;
        match before.parent {
            _ if !matches => Err(WhyKept::Unmatched),
            Some(parent) => Err(WhyKept::HasParent { parent }),
            None => Ok(()),
        }
    }
}

impl Forgotten {
    /// Notes what became of a run that was named.
    pub fn note(&mut self, run: RunId, result: Result<(), WhyKept>) {
        match result {
            Ok(()) => self.runs.push(run),
            Err(why) => self.kept.push(Kept { run, why }),
        }
    }
}
