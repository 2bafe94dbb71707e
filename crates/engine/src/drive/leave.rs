//! When a run leaves memory, and why.

use stepwell_journal::UnixMillis;
use stepwell_kernel::CommitNeed;
use stepwell_store::CommitError;

use super::Drive;
use crate::link::Call;

/// Why a run leaves memory.
pub(crate) enum Leave {
    /// The outcome is durable.
    Ended,
    /// It only waits, and the store knows until when.
    Asleep { wake_at: Option<UnixMillis> },
    /// The engine shuts down; the store knows all there is.
    Stopped,
    /// Drop everything.
    Aborted,
    /// The store did not take a commit, or did not answer: memory is ahead of it, and only a fresh
    /// replay can be trusted.
    Failed(CommitError),
}

impl Drive<'_> {
    /// A run that shuts down leaves between two steps: its next one would begin with the next poll.
    pub(super) fn is_leaving(&self) -> bool {
        !self.is_settled && self.link.has(Call::Stop) && self.execution.n_bodies() == 0
    }

    pub(super) fn may_leave(&mut self, now: UnixMillis) -> Option<Leave> {
        if self.flight.is_some() || self.reading.is_some() {
            return None;
        }
        if self.execution.is_ended() {
            return Some(Leave::Ended);
        }
        if self.link.has(Call::Nudged) && !self.execution.has_decided() {
            return None;
        }
        let stopping = self.link.has(Call::Stop);
        let busy = self.execution.n_bodies() > 0
            || self.execution.commit_need() != CommitNeed::None
            || self.link.has(Call::Woken);
        if busy {
            return None;
        }
        if stopping && !self.is_settled {
            return Some(Leave::Stopped);
        }
        if !stopping && self.sleeps_at(now).is_none_or(|at| now < at) {
            return None;
        }
        let wake_at = self.execution.state().wake_at();
        match self.row.waiting(wake_at, now) {
            Some(row) => {
                self.write_bare(Some(row));
                None
            }
            None if stopping => Some(Leave::Stopped),
            None => Some(Leave::Asleep { wake_at }),
        }
    }

    /// Whether all that is left to do is to wait for a date that is far off.
    pub(super) fn goes_to_sleep(&self, now: UnixMillis) -> bool {
        let after_ms = self.shared.config.hibernate_after_ms;
        self.execution.n_bodies() == 0
            && !self.execution.awaits_commit()
            && self.execution.next_timer().is_some_and(|at| at.ms_since(now) > after_ms)
    }

    /// When the run may leave memory if nothing happens until then; none if it has something to do.
    /// One that knows that it has long to wait goes at once, one that waits for others lingers a little.
    pub(super) fn sleeps_at(&self, now: UnixMillis) -> Option<UnixMillis> {
        if self.execution.n_bodies() > 0 || self.execution.commit_need() != CommitNeed::None {
            return None;
        }
        let after_ms = self.shared.config.hibernate_after_ms;
        if self.execution.next_deadline().is_some_and(|at| at.ms_since(now) <= after_ms) {
            return None;
        }
        let linger_ms = match self.execution.next_timer() {
            _ if self.shared.schedule.is_pressed() => 0,
            Some(_) => 0,
            None => after_ms,
        };
        Some(self.times.idle_since.plus_ms(linger_ms))
    }
}
