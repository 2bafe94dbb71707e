//! The fold: what a journal says about its run.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::{Bound, Range};

use serde::Serialize;

use crate::entry::Iterations;
use crate::{
    Attempt, Entry, EntryKind, EntryStatus, Event, EventKind, Failure, Json, Location, Message,
    MessageId, Note, Outcome, ReplyTo, RunId, RunStarted, Seq, UnixMillis, Wait,
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
        match &self.outcome {
            Some(RunOutcome::Completed(_)) => return RunStatus::Completed,
            Some(RunOutcome::Failed(_)) => return RunStatus::Failed,
            Some(RunOutcome::Cancelled(_)) => return RunStatus::Cancelled,
            None => {}
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
        self.deadlines.first().map(|(at, _)| *at)
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

    /// The only function that changes a run's state: live execution and replay cannot drift apart.
    pub fn apply(&mut self, event: &Event) -> Result<(), FoldError> {
        self.check_order(event)?;
        let (seq, at) = (event.seq, event.at);
        match &event.kind {
            EventKind::RunStarted(started) => {
                self.labels = started.labels.clone();
                self.started = Some((**started).clone());
                self.started_at = at;
            }
            EventKind::AttemptStarted { location, attempt } => {
                let entry = self.touch(location, step_kind(location), event)?;
                entry.status = EntryStatus::Running;
                entry.attempts = *attempt;
                entry.retry_at = None;
                self.reindex(location);
            }
            EventKind::AttemptFailed { location, attempt, failure, retry_at } => {
                let entry = self.touch(location, step_kind(location), event)?;
                entry.status = EntryStatus::WaitingRetry;
                entry.attempts = *attempt;
                entry.last_failure = Some(failure.clone());
                entry.retry_at = Some(*retry_at);
                self.reindex(location);
            }
            EventKind::StepSucceeded { location, attempt, value } => {
                let kind = step_kind(location);
                self.touch(location, kind, event)?.attempts = *attempt;
                self.end(location, event, Outcome::Value(value.clone()));
                self.wait_for_answer(location, event)?;
            }
            EventKind::StepFailed { location, failure } => {
                let entry = self.touch(location, step_kind(location), event)?;
                entry.attempts = Attempt(entry.attempts.0.max(failure.attempts.0));
                entry.last_failure = Some(failure.clone());
                self.end(location, event, Outcome::Failed(failure.clone()));
            }
            EventKind::StepSkipped { location, reason } => {
                self.touch(location, EntryKind::Step, event)?;
                self.end(location, event, Outcome::Skipped(reason.clone()));
            }
            EventKind::TimerSet { location, fire_at } => {
                let entry = self.touch(location, EntryKind::Sleep, event)?;
                entry.status = EntryStatus::Waiting;
                entry.until = Some(*fire_at);
                self.reindex(location);
            }
            EventKind::TimerFired { location } => {
                self.touch(location, EntryKind::Sleep, event)?;
                self.end(location, event, Outcome::Done);
            }
            EventKind::ListenStarted { location, names, deadline_at } => {
                let entry = self.touch(location, EntryKind::Listen, event)?;
                entry.status = EntryStatus::Waiting;
                entry.names = names.clone();
                entry.until = *deadline_at;
                self.reindex(location);
            }
            EventKind::ListenTimedOut { location } => {
                self.touch(location, EntryKind::Listen, event)?;
                self.end(location, event, Outcome::TimedOut);
            }
            EventKind::MessageReceived(message) => self.receive(message, at),
            EventKind::MessageTaken { location, ids } => {
                self.touch(location, EntryKind::Listen, event)?;
                let taken = self.take(event, ids)?;
                self.end(location, event, Outcome::Messages(taken));
            }
            EventKind::MessageAnswered { id, body } => {
                if self.unanswered.remove(id).is_none() {
                    return Err(self.nonsense(seq, format!("message {id} awaits no answer")));
                }
                self.answers.push_back((*id, body.clone()));
                if self.answers.len() > ANSWERS_KEPT {
                    self.answers.pop_front();
                }
            }
            EventKind::AnswerReceived { location, answer: outcome } => {
                self.touch(location, EntryKind::Ask, event)?;
                self.end(location, event, outcome_of(outcome));
            }
            EventKind::BlockStarted { location, kind } => {
                self.touch(location, *kind, event)?;
            }
            EventKind::BranchEnded { location, failure } => {
                self.touch(location, EntryKind::Branch, event)?;
                self.end_scope(location, event, failure.as_ref());
            }
            EventKind::BlockEnded { location, failure, .. } => {
                let Some(kind) = self.entries.get(location).map(|entry| entry.kind) else {
                    return Err(self.nonsense(seq, format!("`{location}` ends and never began")));
                };
                self.touch(location, kind, event)?;
                self.end_scope(location, event, failure.as_ref());
            }
            EventKind::LoopAdvanced { location, iteration, state, trimmed_before } => {
                let entry = self.touch(location, EntryKind::Loop, event)?;
                let iterations = entry.iterations.get_or_insert_default();
                iterations.begun.insert(*iteration, (seq, state.clone()));
                self.cancel_open_below(&location.iteration(iteration.saturating_sub(1)), at);
                self.trim(location, *trimmed_before);
            }
            EventKind::ChildStarted { location, child, workflow, .. } => {
                let entry = self.touch(location, EntryKind::Child, event)?;
                entry.status = EntryStatus::Waiting;
                entry.child = Some((*child, workflow.clone()));
                self.reindex(location);
            }
            EventKind::ChildEnded { location, outcome } => {
                self.touch(location, EntryKind::Child, event)?;
                self.end(location, event, outcome_of(outcome));
            }
            EventKind::VersionChosen { location, version } => {
                self.touch(location, EntryKind::Version, event)?;
                self.end(location, event, Outcome::Version(*version));
            }
            EventKind::CheckpointSet { location } => {
                self.touch(location, EntryKind::Checkpoint, event)?;
                self.end(location, event, Outcome::Done);
                self.checkpoint = Some(seq);
            }
            EventKind::Noted { location, note } => {
                self.touch(location, EntryKind::Note, event)?;
                self.end(location, event, Outcome::Done);
                match note {
                    Note::Described { text } => self.description = Some(text.clone()),
                    Note::LabelSet { key, value } => {
                        self.labels.insert(key.clone(), value.clone());
                    }
                    Note::Fact { .. } => {}
                }
            }
            EventKind::UndoStarted { failure } => {
                self.rollback = Some(failure.clone());
                self.cancel_open_below(&Location::root(), at);
            }
            EventKind::CancelRequested { reason } => self.cancel = Some(reason.clone()),
            EventKind::RunResumed { .. } => self.n_resumed += 1,
            EventKind::RunCompleted { output } => {
                self.end_run(event, RunOutcome::Completed(output.clone()));
            }
            EventKind::RunFailed { failure } => {
                self.end_run(event, RunOutcome::Failed(failure.clone()));
            }
            EventKind::RunCancelled { reason } => {
                self.end_run(event, RunOutcome::Cancelled(reason.clone()));
            }
        }
        self.next_seq = seq.next();
        self.last_at = self.last_at.max(at);
        Ok(())
    }

    fn check_order(&self, event: &Event) -> Result<(), FoldError> {
        let is_start = matches!(event.kind, EventKind::RunStarted(_));
        if is_start != self.started.is_none() {
            return Err(self.nonsense(event.seq, "the run must start with its first event, once"));
        }
        if event.seq < self.next_seq {
            return Err(self.nonsense(event.seq, format!("{} was expected", self.next_seq)));
        }
        if event.seq.0 == u64::MAX {
            return Err(self.nonsense(event.seq, "no event can follow"));
        }
        if self.is_ended() {
            return Err(self.nonsense(event.seq, "the run had ended"));
        }
        Ok(())
    }

    /// The entry at `location`, made if this is its first event.
    fn touch(
        &mut self,
        location: &Location,
        kind: EntryKind,
        event: &Event,
    ) -> Result<&mut Entry, FoldError> {
        if let Some(entry) = self.entries.get(location) {
            if entry.kind != kind {
                let problem = format!("`{location}` was a {}, now it is a {kind}", entry.kind);
                return Err(self.nonsense(event.seq, problem));
            }
            if entry.status.is_ended() {
                return Err(self.nonsense(event.seq, format!("`{location}` had ended")));
            }
        } else {
            self.open.insert(location.clone());
        }
        let entry = self
            .entries
            .entry(location.clone())
            .or_insert_with(|| Entry::new(kind, event.seq, event.at));
        if let Some(at) = entry.wake_at() {
            self.deadlines.remove(&(at, location.clone()));
        }
        entry.n_events += 1;
        Ok(entry)
    }

    /// Puts the entry's date, if it has one, back among the deadlines.
    fn reindex(&mut self, location: &Location) {
        if let Some(at) = self.entries.get(location).and_then(Entry::wake_at) {
            self.deadlines.insert((at, location.clone()));
        }
    }

    fn end(&mut self, location: &Location, event: &Event, outcome: Outcome) {
        self.open.remove(location);
        if let Some(entry) = self.entries.get_mut(location) {
            entry.status = match &outcome {
                Outcome::Failed(failure) if failure.kind == crate::FailureKind::Cancelled => {
                    EntryStatus::Cancelled
                }
                Outcome::Failed(_) => EntryStatus::Failed,
                Outcome::Skipped(_) => EntryStatus::Skipped,
                Outcome::Value(_)
                | Outcome::Done
                | Outcome::Messages(_)
                | Outcome::TimedOut
                | Outcome::Version(_) => EntryStatus::Completed,
            };
            entry.retry_at = None;
            entry.ended_at = Some(event.at);
            entry.outcome = Some((event.seq, outcome));
        }
    }

    /// Ends a branch or block, and with it whatever was still open in it: a race's losers.
    fn end_scope(&mut self, location: &Location, event: &Event, failure: Option<&Failure>) {
        self.cancel_open_below(location, event.at);
        let outcome = match failure {
            Some(failure) => Outcome::Failed(failure.clone()),
            None => Outcome::Done,
        };
        self.end(location, event, outcome);
    }

    fn cancel_open_below(&mut self, location: &Location, at: UnixMillis) {
        let open: Vec<Location> = self.open.range(range_below(location)).cloned().collect();
        for location in open {
            self.open.remove(&location);
            if let Some(entry) = self.entries.get_mut(&location) {
                if let Some(wake_at) = entry.wake_at() {
                    self.deadlines.remove(&(wake_at, location.clone()));
                }
                entry.status = EntryStatus::Cancelled;
                entry.ended_at = Some(at);
            }
        }
    }

    fn end_run(&mut self, event: &Event, outcome: RunOutcome) {
        self.cancel_open_below(&Location::root(), event.at);
        self.ended_at = Some(event.at);
        self.outcome = Some(outcome);
    }

    /// A question that was sent makes its entry wait for the answer.
    fn wait_for_answer(&mut self, location: &Location, event: &Event) -> Result<(), FoldError> {
        let Some(parent) = location.parent().filter(|parent| parent.sending() == *location) else {
            return Ok(());
        };
        // The answer may be faster than the news that the question was sent.
        if self.entries.get(&parent).is_some_and(|entry| entry.status.is_ended()) {
            return Ok(());
        }
        let entry = self.touch(&parent, EntryKind::Ask, event)?;
        entry.status = EntryStatus::Waiting;
        // The event is about the sending half, and counted there.
        entry.n_events -= 1;
        Ok(())
    }

    fn receive(&mut self, message: &Message, received_at: UnixMillis) {
        if let Some(key) = &message.key {
            self.message_keys.push_back(key.clone());
            if self.message_keys.len() > MESSAGE_KEYS_KEPT {
                self.message_keys.pop_front();
            }
        }
        // The wire format has this date once, as the event's: live state must not differ from that.
        self.mailbox.push_back(Message { received_at, ..message.clone() });
    }

    fn take(&mut self, event: &Event, ids: &[MessageId]) -> Result<Vec<Message>, FoldError> {
        let mut taken = Vec::with_capacity(ids.len());
        for id in ids {
            let Some(place) = self.mailbox.iter().position(|message| message.id == *id) else {
                return Err(self.nonsense(event.seq, format!("message {id} is not in the mailbox")));
            };
            let Some(message) = self.mailbox.remove(place) else { continue };
            if let Some(reply) = &message.reply {
                self.unanswered.insert(message.id, reply.clone());
            }
            taken.push(message);
        }
        Ok(taken)
    }

    /// Forgets the iterations of the loop at `location` before `trimmed_before`.
    fn trim(&mut self, location: &Location, trimmed_before: u64) {
        let Some(entry) = self.entries.get_mut(location) else { return };
        let Some(iterations) = entry.iterations.as_deref_mut() else { return };
        let Iterations { begun, trimmed_before: before } = iterations;
        let gone = *before..trimmed_before.max(*before);
        *before = gone.end;
        let kept = begun.split_off(&gone.end);
        self.n_garbage += begun.len() as u64;
        entry.n_events = entry.n_events.saturating_sub(begun.len() as u32);
        *begun = kept;
        for location in self.locations_of(location, gone) {
            self.open.remove(&location);
            let Some(entry) = self.entries.remove(&location) else { continue };
            if let Some(at) = entry.wake_at() {
                self.deadlines.remove(&(at, location));
            }
            self.n_garbage += u64::from(entry.n_events);
        }
    }

    /// The entries of these iterations of a loop. Costs as much as there are entries, not iterations:
    /// after a compaction, the first advance trims all the iterations that ever were.
    fn locations_of(&self, looped: &Location, iterations: Range<u64>) -> Vec<Location> {
        let below = |scope: &Location| self.entries.range(range_below(scope)).map(|(at, _)| at);
        if iterations.end - iterations.start > self.entries.len() as u64 {
            return below(looped)
                .filter(|at| at.iteration_in(looped).is_some_and(|n| iterations.contains(&n)))
                .cloned()
                .collect();
        }
        iterations.flat_map(|n| below(&looped.iteration(n)).cloned().collect::<Vec<_>>()).collect()
    }

    fn nonsense(&self, seq: Seq, problem: impl Into<String>) -> FoldError {
        FoldError { run: self.run, seq, problem: problem.into() }
    }
}

fn range_below(location: &Location) -> (Bound<Location>, Bound<Location>) {
    if location.is_root() {
        return (Bound::Excluded(Location::root()), Bound::Unbounded);
    }
    let (first, end) = location.below();
    (Bound::Included(first), Bound::Excluded(end))
}

fn step_kind(location: &Location) -> EntryKind {
    if location.as_str().ends_with("/~undo") { EntryKind::Undo } else { EntryKind::Step }
}

fn outcome_of(result: &Result<Json, Failure>) -> Outcome {
    match result {
        Ok(value) => Outcome::Value(value.clone()),
        Err(failure) => Outcome::Failed(failure.clone()),
    }
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
