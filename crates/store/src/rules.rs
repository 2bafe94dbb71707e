//! The rules that every store follows, written once so that no two stores can differ.

use serde_json::Value;
use stepwell_journal::{Epoch, Event, EventKind, Json, RunId, RunStatus, Seq, UnixMillis};

use crate::{
    Commit, CommitError, InboxId, InputFilter, LogLine, LogQuery, NewRun, RunQuery, RunRow, Started,
};

/// What a store knows of a run when a commit for it arrives.
#[derive(Debug, Clone, Copy)]
pub struct BeforeCommit<'a> {
    /// The latest ownership that the store has given out.
    pub epoch: Epoch,
    pub next_seq: Seq,
    pub status: RunStatus,
    /// The cancels in the run's inbox.
    pub cancels: &'a [InboxId],
}

impl NewRun {
    /// The run's first index row.
    pub fn row(&self) -> RunRow {
        let started = &self.started;
        RunRow {
            run: self.run,
            namespace: started.namespace.clone(),
            workflow: started.workflow.clone(),
            version: started.version.clone(),
            status: RunStatus::Pending,
            labels: started.labels.clone(),
            description: None,
            input: started.input.clone(),
            parent: started.parent.clone(),
            created_at: self.at,
            updated_at: self.at,
            ended_at: None,
            wake_at: self.start_at,
            next_seq: self.copied.last().map_or(Seq(1), |event| event.seq.next()),
            failure: None,
            cancelling: false,
        }
    }

    /// What a start with a key that was seen before comes to, if `first` is the input of the run it made.
    pub fn existing(&self, run: RunId, first: &Json) -> Started {
        let ours = &self.started.input;
        let same_input = ours == first
            || matches!((ours.to(), first.to()), (Ok(ours), Ok(first)) if same(&ours, &first));
        Started::Existing { run, same_input }
    }
}

impl Commit {
    /// Whether a store may write this.
    pub fn check(&self, before: BeforeCommit<'_>) -> Result<(), CommitError> {
        let run = self.run;
        if self.epoch < before.epoch {
            return Err(CommitError::Fenced { run, ours: self.epoch, current: before.epoch });
        }
        let expected = before.next_seq;
        if self.first_seq != expected {
            return Err(CommitError::Misplaced { run, expected, found: self.first_seq });
        }
        self.check_numbers()?;
        if before.status.is_ended() && !self.events.is_empty() && !self.resumes() {
            return Err(CommitError::RunEnded { run, status: before.status });
        }
        let cancel_waits = before.cancels.iter().any(|id| !self.taken.contains(id));
        if cancel_waits && self.events.iter().any(|event| ends_uncancelled(&event.kind)) {
            return Err(CommitError::CancelPending { run });
        }
        Ok(())
    }

    /// Where the journal goes on after this commit.
    pub fn next_seq(&self) -> Seq {
        self.events.last().map_or(self.first_seq, |event| event.seq.next())
    }

    /// The event that ends the run, if one of these does.
    pub fn outcome(&self) -> Option<&Event> {
        self.events.iter().rev().find(|event| event.kind.is_outcome())
    }

    /// Whether an ended run goes on with this commit.
    pub fn resumes(&self) -> bool {
        matches!(self.events.first(), Some(Event { kind: EventKind::RunResumed { .. }, .. }))
    }

    /// New events follow each other without gaps, and compacted ones stand in order before them.
    fn check_numbers(&self) -> Result<(), CommitError> {
        let misplaced =
            |expected, found| Err(CommitError::Misplaced { run: self.run, expected, found });
        let mut expected = self.first_seq;
        for event in &self.events {
            if event.seq != expected {
                return misplaced(expected, event.seq);
            }
            expected = expected.next();
        }
        let mut least = Seq(0);
        for event in self.compacted.iter().flatten() {
            if event.seq < least || event.seq >= self.first_seq {
                return misplaced(least, event.seq);
            }
            least = event.seq.next();
        }
        Ok(())
    }
}

fn ends_uncancelled(kind: &EventKind) -> bool {
    kind.is_outcome() && !matches!(kind, EventKind::RunCancelled { .. })
}

impl RunRow {
    /// Brings the row up to date with a commit to its run.
    pub fn follow(&mut self, commit: &Commit) {
        self.next_seq = commit.next_seq();
        if let Some(last) = commit.events.last() {
            self.updated_at = self.updated_at.max(last.at);
        }
        if commit.resumes() {
            self.status = RunStatus::Running;
            self.failure = None;
            self.ended_at = None;
            self.cancelling = false;
        }
        if let Some(change) = &commit.row {
            self.status = change.status;
            self.wake_at = change.wake_at;
            self.labels = change.labels.clone();
            self.description = change.description.clone();
            self.failure = change.failure.clone();
            self.updated_at = self.updated_at.max(change.at);
            self.ended_at = change.status.is_ended().then_some(change.at);
        }
        if let Some(outcome) = commit.outcome() {
            self.end(outcome);
        }
        if self.status.is_ended() {
            self.wake_at = None;
            self.cancelling = false;
        }
    }

    /// The journal is the only truth: whatever the change said, an outcome ends the run.
    fn end(&mut self, outcome: &Event) {
        self.ended_at = Some(outcome.at);
        match &outcome.kind {
            EventKind::RunCompleted { .. } => self.status = RunStatus::Completed,
            EventKind::RunCancelled { .. } => self.status = RunStatus::Cancelled,
            EventKind::RunFailed { failure } => {
                self.status = RunStatus::Failed;
                self.failure = Some(failure.clone());
            }
            _ => {}
        }
    }

    /// Whether an owner must take the run up without waiting for a date.
    pub fn is_runnable(&self, inbox_is_empty: bool) -> bool {
        is_runnable(self.status, self.wake_at, inbox_is_empty)
    }
}

/// Whether an owner must take a run up that has this status and this date.
pub fn is_runnable(status: RunStatus, wake_at: Option<UnixMillis>, inbox_is_empty: bool) -> bool {
    match status {
        RunStatus::Running | RunStatus::RollingBack => true,
        RunStatus::Pending => wake_at.is_none() || !inbox_is_empty,
        RunStatus::Waiting => !inbox_is_empty,
        RunStatus::Completed | RunStatus::Failed | RunStatus::Cancelled => false,
    }
}

impl RunQuery {
    /// Whether the run is one that is asked for, wherever the page begins.
    pub fn matches(&self, row: &RunRow) -> bool {
        self.namespace.as_ref().is_none_or(|namespace| *namespace == row.namespace)
            && self.workflow.as_ref().is_none_or(|workflow| *workflow == row.workflow)
            && (self.statuses.is_empty() || self.statuses.contains(&row.status))
            && self.labels.iter().all(|(key, value)| row.labels.get(key) == Some(value))
            && self.created_from.is_none_or(|from| row.created_at >= from)
            && self.created_before.is_none_or(|before| row.created_at < before)
            && self
                .parent
                .is_none_or(|parent| row.parent.as_ref().is_some_and(|of| of.run == parent))
            && self
                .id_prefix
                .as_ref()
                .is_none_or(|prefix| row.run.to_string().starts_with(&prefix.to_lowercase()))
            && self.ended_from.is_none_or(|from| row.ended_at.is_some_and(|at| at >= from))
            && self.ended_before.is_none_or(|before| row.ended_at.is_some_and(|at| at < before))
            && self.updated_from.is_none_or(|from| row.updated_at >= from)
            && self.matches_text(row)
            && self.matches_input(row)
    }

    /// Whether the run has the text that is asked for.
    pub fn matches_text(&self, row: &RunRow) -> bool {
        self.text.as_ref().is_none_or(|text| has_text(row, text))
    }

    /// Whether the run's input has the values that are asked for.
    pub fn matches_input(&self, row: &RunRow) -> bool {
        self.input.iter().all(|filter| filter.matches(&row.input))
    }

    /// The runs that a count of this query counts: of every status, wherever a page begins.
    pub fn for_count(&self) -> RunQuery {
        RunQuery { statuses: Vec::new(), after: None, ..self.clone() }
    }
}

fn has_text(row: &RunRow, text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    let contains = |found: &str| found.to_ascii_lowercase().contains(&text);
    row.run.to_string().starts_with(&text)
        || contains(&row.workflow)
        || row.description.as_deref().is_some_and(contains)
        || row.labels.values().any(|value| contains(value))
        || row.failure.as_ref().is_some_and(|failure| contains(&failure.message))
}

impl InputFilter {
    pub fn matches(&self, input: &Json) -> bool {
        let (Ok(input), Ok(wanted)) = (input.to::<Value>(), self.equals.to::<Value>()) else {
            return false;
        };
        let found = self.path.iter().try_fold(&input, |value, part| match value {
            Value::Object(fields) => fields.get(part),
            Value::Array(items) => items.get(index(part)?),
            _ => None,
        });
        found.is_some_and(|found| same(found, &wanted))
    }
}

/// The part of a path as a place in an array. `01` and `+1` are no places.
fn index(part: &str) -> Option<usize> {
    part.parse().ok().filter(|index: &usize| index.to_string() == part)
}

/// Equal as people see it: `1` is `1.0`, and fields have no order.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || left.is_f64() != right.is_f64() && left.as_f64() == right.as_f64()
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, left)| right.get(key).is_some_and(|right| same(left, right)))
        }
        _ => left == right,
    }
}

impl LogQuery {
    /// Whether the line is one that is asked for, wherever the page begins.
    pub fn matches(&self, line: &LogLine) -> bool {
        line.level >= self.level_min
            && self.location.as_ref().is_none_or(|wanted| {
                wanted.is_root() || line.location == *wanted || line.location.is_below(wanted)
            })
    }
}
