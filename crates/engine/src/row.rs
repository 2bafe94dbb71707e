//! What a run's index row says, and when it must say something else.

use std::collections::BTreeMap;

use stepwell_journal::{Event, EventKind, Failure, Note, RunStatus, UnixMillis};
use stepwell_store::{RowChange, RunRow};

/// The row as the store has it, or will have it once the commit under way is durable. Rows are for lists
/// and for recovery, so they are written seldom: a run that ends at once writes its row once.
pub(crate) struct RowShadow {
    status: RunStatus,
    wake_at: Option<UnixMillis>,
    labels: BTreeMap<String, String>,
    description: Option<String>,
}

impl RowShadow {
    pub fn of(row: &RunRow) -> RowShadow {
        RowShadow {
            status: row.status,
            wake_at: row.wake_at,
            labels: row.labels.clone(),
            description: row.description.clone(),
        }
    }

    pub fn status(&self) -> RunStatus {
        self.status
    }

    /// What must be written together with these events.
    pub fn follow(&mut self, events: &[Event], at: UnixMillis) -> Option<RowChange> {
        let mut changed = false;
        let mut failure = None;
        // After a crash only runs that are not merely waiting are taken up at once: whoever goes on
        // after a wait must say so with the first thing it writes.
        if !events.is_empty() && (self.status == RunStatus::Waiting || self.wake_at.is_some()) {
            self.wake_at = None;
            self.status = match self.status {
                RunStatus::RollingBack => RunStatus::RollingBack,
                _ => RunStatus::Running,
            };
            changed = true;
        }
        for event in events {
            changed |= self.follow_one(&event.kind, &mut failure);
        }
        changed.then(|| self.change(failure, at))
    }

    /// What must be written when the run is still in memory after a while.
    pub fn running(&mut self, at: UnixMillis) -> Option<RowChange> {
        if self.status != RunStatus::Pending {
            return None;
        }
        self.status = RunStatus::Running;
        self.wake_at = None;
        Some(self.change(None, at))
    }

    /// What must be written before the run leaves memory and only waits.
    pub fn waiting(&mut self, wake_at: Option<UnixMillis>, at: UnixMillis) -> Option<RowChange> {
        let status = match self.status {
            RunStatus::RollingBack => RunStatus::RollingBack,
            _ => RunStatus::Waiting,
        };
        if self.status == status && self.wake_at == wake_at {
            return None;
        }
        self.status = status;
        self.wake_at = wake_at;
        Some(self.change(None, at))
    }

    fn follow_one(&mut self, kind: &EventKind, failure: &mut Option<Failure>) -> bool {
        match kind {
            EventKind::Noted { note: Note::LabelSet { key, value }, .. } => {
                self.labels.insert(key.clone(), value.clone()).as_ref() != Some(value)
            }
            EventKind::Noted { note: Note::Described { text }, .. } => {
                self.description.replace(text.clone()).as_ref() != Some(text)
            }
            EventKind::UndoStarted { .. } => {
                self.status = RunStatus::RollingBack;
                true
            }
            EventKind::RunCompleted { .. } => self.end(RunStatus::Completed),
            EventKind::RunCancelled { .. } => self.end(RunStatus::Cancelled),
            EventKind::RunFailed { failure: cause } => {
                *failure = Some(cause.clone());
                self.end(RunStatus::Failed)
            }
            _ => false,
        }
    }

    fn end(&mut self, status: RunStatus) -> bool {
        self.status = status;
        self.wake_at = None;
        true
    }

    fn change(&self, failure: Option<Failure>, at: UnixMillis) -> RowChange {
        RowChange {
            status: self.status,
            wake_at: self.wake_at,
            labels: self.labels.clone(),
            description: self.description.clone(),
            failure,
            at,
        }
    }
}
