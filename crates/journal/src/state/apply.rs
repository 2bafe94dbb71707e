//! What each kind of event does to the state.

use super::{FoldError, RunOutcome, RunState};
use crate::state::ANSWERS_KEPT;
use crate::{
    Attempt, EntryKind, EntryStatus, Event, EventKind, Failure, Json, Location, Note, Outcome,
};

impl RunState {
    /// The only function that changes a run's state: live execution and replay cannot drift apart.
    pub fn apply(&mut self, event: &Event) -> Result<(), FoldError> {
        self.check_order(event)?;
        let (seq, at) = (event.seq, event.at);
        match &event.kind {
            EventKind::RunStarted(started) => {
                self.labels = started.labels.clone();
                self.started = Some((**started).clone());
                self.started_at = at;
                self.deadline_at = started.deadline_at;
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
            EventKind::DeadlinePassed { .. } => self.is_overdue = true,
            EventKind::RunResumed { deadline_at, .. } => {
                self.n_resumed += 1;
                self.deadline_at = *deadline_at;
            }
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
