//! The runs of some shards, when those move to another engine.

use stepwell_journal::RunId;

use super::Schedule;
use crate::link::Call;

impl Schedule {
    /// Gives the call to those of these runs that are here, and forgets the others.
    pub fn stop_some(&self, call: Call, is_meant: impl Fn(RunId) -> bool) {
        let mut guard = self.state.lock();
        let state = &mut *guard;
        state.ready.retain(|run| !is_meant(*run));
        state.is_ready.retain(|run| !is_meant(*run));
        state.parked.retain(|run, _| !is_meant(*run));
        state.quarantined.retain(|run, _| !is_meant(*run));
        let mut meant: Vec<_> = state.residents.iter().filter(|(run, _)| is_meant(**run)).collect();
        meant.sort_by_key(|(run, _)| **run);
        for (_, resident) in meant {
            resident.link.call(call);
        }
    }

    /// The runs that are in memory, in order.
    pub fn residents(&self) -> Vec<RunId> {
        let mut residents: Vec<RunId> = self.state.lock().residents.keys().copied().collect();
        residents.sort_unstable();
        residents
    }
}
