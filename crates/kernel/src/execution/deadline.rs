//! The deadline of a run: when it passes, the run is stopped as by a cancel, and fails.

use stepwell_journal::{EventKind, Failure, FailureKind, Location, UnixMillis};

use super::{Ending, Execution, Phase};
use crate::core::Urgency;

impl Execution {
    /// The run's deadline, while it can still be missed.
    pub(super) fn open_deadline(&self) -> Option<UnixMillis> {
        let inner = self.core.peek();
        let is_settled = inner.cancelling || inner.overdue || matches!(self.phase, Phase::Ended);
        inner.state.deadline_at.filter(|_| !is_settled)
    }

    /// From here on the run can only fail, or be cancelled.
    pub(super) fn miss_deadline(&mut self) {
        let Some(deadline_at) = self.open_deadline().filter(|at| *at <= self.core.now()) else {
            return;
        };
        self.core.inner().overdue = true;
        self.core.cancel_children_below(&Location::root());
        self.core.emit(EventKind::DeadlinePassed { deadline_at }, Urgency::Durable);
        self.stop(Ending::Failed(self.missed()));
    }

    /// What a run that missed its deadline fails with.
    pub(super) fn missed(&self) -> Failure {
        let inner = self.core.peek();
        let mut failure = Failure::missed_deadline(inner.state.deadline_at.unwrap_or_default());
        match &inner.state.rollback {
            Some(rollback) if rollback.kind == FailureKind::DeadlinePassed => rollback.clone(),
            Some(rollback) => {
                failure.message += &format!(", and it was still rolling back after: {rollback}");
                self.core.cut_failure(failure)
            }
            None => failure,
        }
    }
}
