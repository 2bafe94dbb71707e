//! How a run comes to its end: settling, rollback, outcome.

use stepwell_journal::{EventKind, Failure, FailureKind, Location};

use super::{Ending, Execution, Phase};
use crate::LocalBoxFuture;
use crate::core::Urgency;
use crate::rollback::{roll_back, undoable};
use crate::scope::{Scope, Scoped};

impl Execution {
    /// Decides what follows when the code has ended and all it left behind is delivered. False if there
    /// is nothing to decide.
    pub(super) fn settle(&mut self) -> bool {
        let Phase::Settling(ending) = &self.phase else { return false };
        if !self.core.all_delivered() {
            return false;
        }
        let mut ending = ending.clone();
        let (cancelled, overdue, rollback) = {
            let inner = self.core.peek();
            (inner.state.cancel.clone(), inner.state.is_overdue, inner.state.rollback.clone())
        };
        let is_fault = matches!(&ending, Ending::Failed(failure) if failure.is_fault());
        let was_stopped = cancelled.is_some() || overdue;
        if let Some(reason) = cancelled {
            ending = Ending::Cancelled(reason);
        } else if overdue {
            ending = Ending::Failed(self.missed());
        } else if let Some(failure) = &rollback
            && !is_fault
        {
            // The run's error stays the original one.
            ending = Ending::Failed(failure.clone());
        }
        let wants_undo = match &ending {
            Ending::Completed(_) => false,
            Ending::Failed(_) | Ending::Cancelled(_) => {
                !is_fault && (self.undo_on_cancel || !was_stopped)
            }
        };
        let left = if wants_undo { self.n_left_to_undo() } else { 0 };
        if left > 0 {
            self.start_rollback(ending, rollback.is_some());
        } else {
            self.finish(ending);
        }
        true
    }

    fn n_left_to_undo(&self) -> usize {
        let inner = self.core.peek();
        let is_undone = |location: &Location| {
            inner.state.entry(&location.undo()).is_some_and(|entry| entry.outcome.is_some())
        };
        undoable(&self.core).iter().filter(|(location, ..)| !is_undone(location)).count()
    }

    fn start_rollback(&mut self, ending: Ending, is_recorded: bool) {
        let core = self.core.clone();
        core.inner().stopping = false;
        let mut started = None;
        if !is_recorded {
            let failure = match &ending {
                Ending::Failed(failure) => failure.clone(),
                Ending::Cancelled(reason) => Failure::new(FailureKind::Cancelled, reason.clone()),
                Ending::Completed(_) => return,
            };
            core.cancel_children_below(&Location::root());
            started = Some(core.emit(EventKind::UndoStarted { failure }, Urgency::Durable));
        }
        let scope = Scope::new(Location::root());
        let rollback_scope = scope.clone();
        let rollback_core = core.clone();
        let code: LocalBoxFuture<'static, ()> = Box::pin(async move {
            if let Some(seq) = started {
                rollback_scope.operation_began();
                rollback_core.delivered(&Location::root(), seq).await;
                rollback_scope.operation_ended();
            }
            roll_back(rollback_core, rollback_scope).await;
        });
        self.phase = Phase::RollingBack(Box::pin(Scoped::new(core, scope, code)), ending);
        self.waker.mark();
        self.poll_code(true);
    }

    fn finish(&mut self, ending: Ending) {
        self.core.cancel_children_below(&Location::root());
        let outcome = match ending {
            Ending::Completed(output) => EventKind::RunCompleted { output },
            Ending::Failed(failure) => EventKind::RunFailed { failure },
            Ending::Cancelled(reason) => EventKind::RunCancelled { reason },
        };
        self.core.emit(outcome, Urgency::Durable);
        self.phase = Phase::Ended;
    }

    /// A journal that is too long ends its run, while there is still room to say so.
    pub(super) fn over_limit(&mut self) -> bool {
        let limit = self.core.limits.journal_events_max;
        let n_events = self.core.peek().n_events;
        if n_events <= limit || !matches!(self.phase, Phase::Function(_)) {
            return false;
        }
        self.end_phase(Ending::Failed(Failure::new(
            FailureKind::Limit,
            format!("the journal has {n_events} events, more than the limit journal_events_max of {limit}"),
        )));
        true
    }
}
