//! The laws, applied to single events on their way into the store.

use stepwell_journal::{
    Event, EventKind, FailureKind, Location, Outcome, RunId, RunOutcome, UnixMillis,
};

use crate::laws::{Laws, is_early, succeeded_at};
use crate::mirror::Mirror;
use crate::program::SEND_NAME;

impl Laws {
    /// What must hold before the event is applied.
    pub(crate) fn check_event(&mut self, run: RunId, event: &Event) {
        let latest = self.latest;
        let Some(mirror) = self.runs.get(&run) else { return };
        let problem = match &event.kind {
            kind if event.seq < mirror.state.next_seq => {
                Some((3, format!("{} at {} is written a second time", kind.name(), event.seq)))
            }
            _ if event.at > latest => Some((8, format!("{} lies in the future", event.at))),
            EventKind::StepSucceeded { location, value, .. } => {
                let token = value.to::<u64>().ok();
                step_problem(mirror, location, token)
            }
            EventKind::TimerSet { location, fire_at } => {
                date_problem(mirror, location, Some(*fire_at))
            }
            EventKind::ListenStarted { location, deadline_at, .. } => {
                date_problem(mirror, location, *deadline_at)
            }
            EventKind::TimerFired { location } | EventKind::ListenTimedOut { location } => {
                let due = mirror.state.entry(location).and_then(|entry| entry.until);
                is_early(event, due, latest).then(|| (8, format!("`{location}` fired early")))
            }
            EventKind::MessageReceived(message) => {
                let token = message.body.to::<u64>().unwrap_or_default();
                self.message_problem(run, mirror, token)
            }
            EventKind::ChildStarted { child, .. } if !self.runs.contains_key(child) => {
                Some((9, format!("the child {child} is recorded and does not exist")))
            }
            EventKind::RunFailed { failure }
                if failure.is_fault() || failure.kind == FailureKind::Limit =>
            {
                Some((10, format!("the run ended with a fault: {failure}")))
            }
            EventKind::DeadlinePassed { deadline_at } => {
                deadline_problem(mirror, event, *deadline_at).or_else(|| {
                    is_early(event, Some(*deadline_at), latest).then(|| too_early(event))
                })
            }
            kind if kind.is_outcome() && mirror.cancel_stored => {
                let is_cancelled = matches!(kind, EventKind::RunCancelled { .. });
                (!is_cancelled).then(|| (7, format!("{} after a cancel", kind.name())))
            }
            kind if kind.is_outcome() => outcome_problem(mirror, event),
            _ => None,
        };
        if let Some((law, text)) = problem {
            self.broken(law, Some(run), text);
        }
    }

    fn message_problem(&self, run: RunId, mirror: &Mirror, token: u64) -> Option<(u8, String)> {
        if !self.posted.contains_key(&(run, token)) {
            return Some((9, format!("message {token:x} was received and never sent")));
        }
        mirror
            .received
            .contains(&token)
            .then(|| (9, format!("message {token:x} was received twice")))
    }

    /// What must hold once a run has ended.
    pub(crate) fn check_outcome(&mut self, run: RunId) {
        let Some(mirror) = self.runs.get(&run) else { return };
        let undoes = match &mirror.state.outcome {
            Some(RunOutcome::Failed(_)) if !mirror.state.is_overdue => true,
            Some(RunOutcome::Failed(_) | RunOutcome::Cancelled(_)) => {
                mirror.started().is_some_and(|started| started.workflow == "sim-undone")
            }
            Some(RunOutcome::Completed(_)) | None => false,
        };
        let state = &mirror.state;
        let left = mirror.undoable.iter().find(|step| {
            let counts = succeeded_at(state, step)
                .is_some_and(|seq| state.checkpoint.is_none_or(|checkpoint| seq > checkpoint));
            counts && state.entry(&step.undo()).is_none_or(|entry| entry.outcome.is_none())
        });
        if let Some(step) = left.filter(|_| undoes) {
            let text = format!("the run ended without undoing `{step}`");
            self.broken(4, Some(run), text);
        }
    }
}

/// A deadline passes once, at the date that the run has.
fn deadline_problem(mirror: &Mirror, event: &Event, at: UnixMillis) -> Option<(u8, String)> {
    if mirror.state.is_overdue {
        return Some((8, format!("the deadline passes a second time at {}", event.seq)));
    }
    let deadline_at = mirror.state.deadline_at;
    (deadline_at != Some(at)).then(|| (8, format!("{at} passed, the deadline is {deadline_at:?}")))
}

fn too_early(event: &Event) -> (u8, String) {
    (8, format!("{} at {} is too early", event.kind.name(), event.at))
}

/// How a run that was not cancelled ends: well, and in time, or with the deadline, or otherwise.
fn outcome_problem(mirror: &Mirror, event: &Event) -> Option<(u8, String)> {
    let missed = match &event.kind {
        EventKind::RunFailed { failure } if failure.kind == FailureKind::DeadlinePassed => {
            Some(failure)
        }
        _ => None,
    };
    // A failure that comes from an entry is that of a child that was late.
    let is_child_late = missed.is_some_and(|failure| failure.source.is_some());
    if missed.is_some() != mirror.state.is_overdue && !is_child_late {
        return Some((8, "the run missed its deadline, or it did not".to_owned()));
    }
    let deadline_at = mirror.state.deadline_at.unwrap_or(UnixMillis(u64::MAX));
    let is_late = matches!(event.kind, EventKind::RunCompleted { .. }) && event.at >= deadline_at;
    is_late.then(|| (8, format!("the run completed at {}, after its deadline", event.at)))
}

fn step_problem(mirror: &Mirror, at: &Location, token: Option<u64>) -> Option<(u8, String)> {
    if mirror.done.contains(at) {
        return Some((1, format!("`{at}` succeeded twice")));
    }
    let is_watched = !at.is_marker() && !at.name().starts_with(SEND_NAME);
    let was_returned = || {
        let returned = mirror.returned.get(at);
        token.is_some_and(|token| returned.is_some_and(|tokens| tokens.contains(&token)))
    };
    (is_watched && !was_returned())
        .then(|| (1, format!("`{at}` succeeded with something that no body returned")))
}

/// A date is recorded once.
fn date_problem(mirror: &Mirror, at: &Location, due: Option<UnixMillis>) -> Option<(u8, String)> {
    let entry = mirror.state.entry(at)?;
    Some((8, format!("`{at}` had the date {:?} and gets {due:?}", entry.until)))
}

/// Whether a listen that waits could have what lies in the mailbox.
pub fn is_deaf(mirror: &Mirror) -> Option<Location> {
    mirror.state.open_entries().find_map(|(at, entry)| {
        let waits = entry.outcome.is_none() && !entry.names.is_empty();
        let is_batch = at.name().starts_with(crate::program::BATCH_NAME);
        let has_mail = mirror.state.mailbox.iter().any(|m| entry.names.contains(&m.name));
        (waits && !is_batch && has_mail).then(|| at.clone())
    })
}

/// How the child's end would look to its parent.
pub fn child_outcomes(child: &Mirror) -> Vec<Outcome> {
    child
        .journal
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::RunCompleted { output } => Some(Outcome::Value(output.clone())),
            EventKind::RunFailed { failure } => Some(Outcome::Failed(failure.clone())),
            _ => None,
        })
        .collect()
}
