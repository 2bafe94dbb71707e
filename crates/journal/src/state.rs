//! The fold: what a journal says about its run.

mod apply;
mod change;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Bound;

use serde::Serialize;

use crate::{
    Entry, EntryStatus, Event, EventKind, Failure, Json, Location, Message, MessageId, ReplyTo,
    RunId, RunStarted, Seq, UnixMillis, Wait,
};

/// How many message keys a run remembers, to recognise a message that is sent twice.
pub const MESSAGE_KEYS_KEPT: usize = 1_000;

/// How many answers a run remembers, for senders that ask again.
pub const ANSWERS_KEPT: usize = 1_000;

/// Everything a journal says about its run, as of its last event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunState {
    pub run: RunId,
    pub started: Option<RunStarted>,
    pub started_at: UnixMillis,
    /// The time of the last event: what `now()` tells the workflow.
    pub last_at: UnixMillis,
    /// Where the journal goes on.
    pub next_seq: Seq,
    pub entries: BTreeMap<Location, Entry>,
    pub labels: BTreeMap<String, String>,
    pub description: Option<String>,
    /// Received and not yet taken, oldest first.
    pub mailbox: VecDeque<Message>,
    /// Taken, and their sender waits for an answer.
    pub unanswered: BTreeMap<MessageId, ReplyTo>,
    /// The answers given, oldest first.
    pub answers: VecDeque<(MessageId, Json)>,
    pub cancel: Option<String>,
    /// When the run must have ended, if it has a deadline.
    pub deadline_at: Option<UnixMillis>,
    /// Whether the journal says that the deadline has passed.
    pub is_overdue: bool,
    /// Why the undo handlers run or ran.
    pub rollback: Option<Failure>,
    /// The event of the last checkpoint: undo handlers of steps before it never run.
    pub checkpoint: Option<Seq>,
    /// How often the run was resumed after it had ended.
    pub n_resumed: u32,
    pub outcome: Option<RunOutcome>,
    pub ended_at: Option<UnixMillis>,
    /// How many events a compaction of the journal would drop.
    pub n_garbage: u64,
    message_keys: VecDeque<String>,
    /// The entries that have not ended.
    open: BTreeSet<Location>,
    /// The dates that open entries want to be woken at.
    deadlines: BTreeSet<(UnixMillis, Location)>,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunOutcome {
    Completed(Json),
    Failed(Failure),
    Cancelled(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Started, and not yet taken up: it waits for a slot, or for its time.
    Pending,
    Running,
    /// For something that can be named.
    Waiting,
    RollingBack,
    Completed,
    Failed,
    Cancelled,
}

/// The journal contradicts itself: it was damaged, or written by something else.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the journal of run {run} makes no sense at {seq}: {problem}")]
pub struct FoldError {
    pub run: RunId,
    pub seq: Seq,
    pub problem: String,
}

/// The events that still count: those that no later `RunResumed` made void.
pub fn effective(journal: &[Event]) -> impl Iterator<Item = &Event> {
    let mut voids = Vec::new();
    for event in journal {
        if let EventKind::RunResumed { voids: ranges, .. } = &event.kind {
            voids.extend(ranges.iter().copied());
        }
    }
    journal.iter().filter(move |event| !voids.iter().any(|range| range.contains(event.seq)))
}

impl RunState {
    pub fn new(run: RunId) -> RunState {
        RunState {
            run,
            started: None,
            started_at: UnixMillis(0),
            last_at: UnixMillis(0),
            next_seq: Seq(0),
            entries: BTreeMap::new(),
            labels: BTreeMap::new(),
            description: None,
            mailbox: VecDeque::new(),
            unanswered: BTreeMap::new(),
            answers: VecDeque::new(),
            cancel: None,
            deadline_at: None,
            is_overdue: false,
            rollback: None,
            checkpoint: None,
            n_resumed: 0,
            outcome: None,
            ended_at: None,
            n_garbage: 0,
            message_keys: VecDeque::new(),
            open: BTreeSet::new(),
            deadlines: BTreeSet::new(),
        }
    }

    /// The state that a whole journal, or any prefix of one, leads to.
    pub fn fold(run: RunId, journal: &[Event]) -> Result<RunState, FoldError> {
        let mut state = RunState::new(run);
        for event in effective(journal) {
            state.apply(event)?;
        }
        Ok(state)
    }

    pub fn status(&self) -> RunStatus {
        if let Some(outcome) = &self.outcome {
            return outcome.status();
        }
        if self.rollback.is_some() {
            return RunStatus::RollingBack;
        }
        let mut waits = false;
        for (_, entry) in self.open_entries() {
            match entry.status {
                EntryStatus::Waiting | EntryStatus::WaitingRetry => waits = true,
                EntryStatus::Running if entry.attempts.0 > 0 => return RunStatus::Running,
                _ => {}
            }
        }
        if waits { RunStatus::Waiting } else { RunStatus::Running }
    }

    pub fn is_ended(&self) -> bool {
        self.outcome.is_some()
    }

    pub fn entry(&self, location: &Location) -> Option<&Entry> {
        self.entries.get(location)
    }

    /// The entries that stand below `location`, at whatever depth.
    pub fn below(&self, location: &Location) -> impl Iterator<Item = (&Location, &Entry)> {
        self.entries.range(range_below(location))
    }

    pub fn open_entries(&self) -> impl Iterator<Item = (&Location, &Entry)> {
        self.open.iter().filter_map(|location| self.entries.get_key_value(location))
    }

    /// The open children at or below `location`.
    pub fn open_children(&self, location: &Location) -> Vec<RunId> {
        self.open
            .range(range_below(location))
            .chain(self.open.get(location))
            .filter_map(|location| self.entries.get(location)?.child.as_ref())
            .map(|(child, _)| *child)
            .collect()
    }

    /// What the run waits for, as far as its journal tells.
    pub fn waits(&self) -> Vec<Wait> {
        self.open_entries().filter_map(|(location, entry)| entry.wait(location)).collect()
    }

    /// The earliest durable date at which something is due.
    pub fn wake_at(&self) -> Option<UnixMillis> {
        let first = self.deadlines.first().map(|(at, _)| *at);
        first.into_iter().chain(self.open_deadline()).min()
    }

    /// The run's deadline, while it can still be missed: not once it was, nor after a cancel, nor at the end.
    pub fn open_deadline(&self) -> Option<UnixMillis> {
        let is_settled = self.is_overdue || self.cancel.is_some() || self.is_ended();
        self.deadline_at.filter(|_| !is_settled)
    }

    /// Whether a message with this id or key came before.
    pub fn knows_message(&self, id: MessageId, key: Option<&str>) -> bool {
        key.is_some_and(|key| self.message_keys.iter().any(|known| known == key))
            || self.mailbox.iter().any(|message| message.id == id)
            || self.unanswered.contains_key(&id)
            || self.answer(id).is_some()
    }

    pub fn answer(&self, id: MessageId) -> Option<&Json> {
        self.answers.iter().rev().find(|(known, _)| *known == id).map(|(_, body)| body)
    }

    /// Whether the key of a received message is still remembered.
    pub(crate) fn remembers_key(&self, key: &str) -> bool {
        self.message_keys.iter().any(|known| known == key)
    }

    fn nonsense(&self, seq: Seq, problem: impl Into<String>) -> FoldError {
        FoldError { run: self.run, seq, problem: problem.into() }
    }
}

impl RunOutcome {
    pub fn status(&self) -> RunStatus {
        match self {
            RunOutcome::Completed(_) => RunStatus::Completed,
            RunOutcome::Failed(_) => RunStatus::Failed,
            RunOutcome::Cancelled(_) => RunStatus::Cancelled,
        }
    }
}

fn range_below(location: &Location) -> (Bound<Location>, Bound<Location>) {
    if location.is_root() {
        return (Bound::Excluded(Location::root()), Bound::Unbounded);
    }
    let (first, end) = location.below();
    (Bound::Included(first), Bound::Excluded(end))
}

impl RunStatus {
    pub const ALL: [RunStatus; 7] = [
        RunStatus::Pending,
        RunStatus::Running,
        RunStatus::Waiting,
        RunStatus::RollingBack,
        RunStatus::Completed,
        RunStatus::Failed,
        RunStatus::Cancelled,
    ];

    pub fn is_ended(self) -> bool {
        matches!(self, RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            RunStatus::Pending => "pending",
            RunStatus::Running => "running",
            RunStatus::Waiting => "waiting",
            RunStatus::RollingBack => "rolling_back",
            RunStatus::Completed => "completed",
            RunStatus::Failed => "failed",
            RunStatus::Cancelled => "cancelled",
        }
    }
}

impl std::fmt::Display for RunStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
