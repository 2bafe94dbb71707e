//! What an event says to a console, without the values: those are in the journal.

use stepwell_journal::{
    Attempt, EntryStatus, EventKind, Failure, FailureKind, Location, RunId, UnixMillis,
};

/// What happened: enough to redraw an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct What {
    /// The name of the event's kind.
    pub event: &'static str,
    /// The entry that it is about; none if it is about the run.
    pub location: Option<Location>,
    /// How that entry stands now, if this event changed it.
    pub entry: Option<EntryStatus>,
    /// The attempt that began or ended.
    pub attempt: Option<Attempt>,
    /// When the next attempt begins, a timer fires or a listen gives up; for the run, its deadline.
    pub until: Option<UnixMillis>,
    /// The run that was started at this entry.
    pub child: Option<RunId>,
    /// How the attempt, the entry or the run failed.
    pub failure: Option<FailureKind>,
}

impl What {
    pub(crate) fn of(kind: &EventKind) -> What {
        let mut what = What {
            event: kind.name(),
            location: kind.location().cloned(),
            entry: None,
            attempt: None,
            until: None,
            child: None,
            failure: None,
        };
        what.follow(kind);
        what
    }

    fn follow(&mut self, kind: &EventKind) {
        match kind {
            EventKind::RunStarted(started) => self.until = started.deadline_at,
            EventKind::AttemptStarted { attempt, .. } => {
                self.entry = Some(EntryStatus::Running);
                self.attempt = Some(*attempt);
            }
            EventKind::AttemptFailed { attempt, failure, retry_at, .. } => {
                self.entry = Some(EntryStatus::WaitingRetry);
                self.attempt = Some(*attempt);
                self.until = Some(*retry_at);
                self.failure = Some(failure.kind);
            }
            EventKind::StepSucceeded { attempt, .. } => {
                self.entry = Some(EntryStatus::Completed);
                self.attempt = Some(*attempt);
            }
            EventKind::StepFailed { failure, .. } => {
                self.attempt = Some(failure.attempts);
                self.ended(Some(failure));
            }
            EventKind::StepSkipped { .. } => self.entry = Some(EntryStatus::Skipped),
            EventKind::TimerSet { fire_at, .. } => self.waits(Some(*fire_at)),
            EventKind::ListenStarted { deadline_at, .. } => self.waits(*deadline_at),
            EventKind::ChildStarted { child, .. } => {
                self.waits(None);
                self.child = Some(*child);
            }
            EventKind::TimerFired { .. }
            | EventKind::ListenTimedOut { .. }
            | EventKind::MessageTaken { .. }
            | EventKind::VersionChosen { .. }
            | EventKind::CheckpointSet { .. }
            | EventKind::Noted { .. } => self.ended(None),
            EventKind::AnswerReceived { answer: outcome, .. }
            | EventKind::ChildEnded { outcome, .. } => self.ended(outcome.as_ref().err()),
            EventKind::BlockStarted { .. } | EventKind::LoopAdvanced { .. } => {
                self.entry = Some(EntryStatus::Running);
            }
            EventKind::BranchEnded { failure, .. } | EventKind::BlockEnded { failure, .. } => {
                self.ended(failure.as_ref());
            }
            EventKind::UndoStarted { failure } | EventKind::RunFailed { failure } => {
                self.failure = Some(failure.kind);
            }
            EventKind::DeadlinePassed { deadline_at } => self.until = Some(*deadline_at),
            EventKind::RunResumed { deadline_at, .. } => self.until = *deadline_at,
            EventKind::MessageReceived(_)
            | EventKind::MessageAnswered { .. }
            | EventKind::CancelRequested { .. }
            | EventKind::RunCompleted { .. }
            | EventKind::RunCancelled { .. } => {}
        }
    }

    fn waits(&mut self, until: Option<UnixMillis>) {
        self.entry = Some(EntryStatus::Waiting);
        self.until = until;
    }

    fn ended(&mut self, failure: Option<&Failure>) {
        self.failure = failure.map(|failure| failure.kind);
        self.entry = Some(match self.failure {
            None => EntryStatus::Completed,
            Some(FailureKind::Cancelled) => EntryStatus::Cancelled,
            Some(_) => EntryStatus::Failed,
        });
    }
}
