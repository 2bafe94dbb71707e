//! Runs that are being created.

use stepwell_journal::{Epoch, RunId};

use super::Schedule;

/// What was known of a run before it was created.
pub(super) struct Expectation {
    /// Somebody called it meanwhile: then it may not be any more what its creator made.
    pub is_called: bool,
    /// What commits to it were signed with.
    pub epoch: Epoch,
}

impl Expectation {
    /// Whether nobody can have done anything with the run since: no other engine either, if it was this one's all
    /// the time.
    pub fn holds(&self, epoch_now: Epoch) -> bool {
        !self.is_called && self.epoch == epoch_now
    }
}

/// A run that is being created. Dropped before it was taken up, it is looked for in the store: its creator
/// may have been dropped, or not have been answered.
pub(crate) struct Expected<'s> {
    pub(super) schedule: &'s Schedule,
    pub(super) run: RunId,
}

impl Expected<'_> {
    /// There is nothing to take up now.
    pub fn forget(self) {
        self.schedule.state.lock().expected.remove(&self.run);
    }

    /// Somebody else sees to it.
    pub fn hand_on(self) {
        std::mem::forget(self);
    }
}

impl Drop for Expected<'_> {
    fn drop(&mut self) {
        self.schedule.may_be_there(self.run);
    }
}
