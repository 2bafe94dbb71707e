//! Whether a run may begin.

use stepwell_journal::UnixMillis;
use stepwell_store::LoadedRun;

use super::{RunTask, is_cancelled, started_of};
use crate::admission::{Asking, Lane};

impl RunTask {
    /// Whether no limit of its workflow keeps the run from beginning now. If one does, the run leaves memory,
    /// and is called again when it may. One that was cancelled, or missed its deadline, only has to end.
    pub(super) fn may_begin(&self, loaded: &LoadedRun, now: UnixMillis) -> bool {
        let shared = &self.shared;
        if !shared.admission.is_in_use() {
            return true;
        }
        let row = &loaded.row;
        let lane = Lane::new(&row.namespace, &row.workflow);
        let Some(limits) = shared.limits(&lane) else { return true };
        let deadline_at = started_of(loaded).and_then(|started| started.deadline_at);
        let has_begun = has_begun(loaded);
        let has_to_end =
            is_cancelled(&loaded.journal) || !has_begun && deadline_at.is_some_and(|at| at <= now);
        if has_to_end {
            return true;
        }
        let asking = Asking { cursor: row.cursor(), input: &row.input, deadline_at, has_begun };
        shared.admission.ask(&lane, limits, &asking, &shared.schedule, now)
    }
}

/// Whether anything has come of the run. What a copy took over from its original happened before it was made.
pub(super) fn has_begun(loaded: &LoadedRun) -> bool {
    let created_at = loaded.row.created_at;
    loaded.journal.iter().skip(1).any(|event| event.at >= created_at)
}
