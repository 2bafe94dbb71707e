//! Runs that are being created.

use stepwell_journal::RunId;

use super::Schedule;

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
