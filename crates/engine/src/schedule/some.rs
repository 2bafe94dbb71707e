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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use stepwell_journal::Epoch;
    use stepwell_store::Shard;
    use tokio::sync::mpsc;
    use uuid::Uuid;

    use super::*;
    use crate::SystemClock;
    use crate::link::Link;
    use crate::ownership::Ownership;
    use crate::ownership::tests::Halves;
    use crate::schedule::Place;

    #[test]
    fn a_run_that_has_moved_leaves_no_mark_here() {
        let ownership = Arc::new(Ownership::shared(Arc::new(Halves), Arc::new(SystemClock)));
        let shards = ownership.shards().unwrap();
        let (worker, _commands) = mpsc::unbounded_channel();
        let schedule = Schedule::new(vec![worker], 10, None, Arc::clone(&ownership));
        let (run, link) = (RunId(Uuid::from_u128(2)), Link::new(None));
        shards.set(&BTreeMap::from([(Shard(0), Epoch(5))]));
        assert!(schedule.park(run, "late", &link));
        assert!(matches!(schedule.place(run), Place::Parked));
        shards.set(&BTreeMap::new());
        schedule.stop_some(Call::Abort, |_| true);
        // Its task was about to park it, or to give it up.
        assert!(schedule.park(run, "late", &link));
        schedule.quarantine(run, "nonsense", &link);
        assert!(matches!(schedule.place(run), Place::Elsewhere));
        // It comes back, and the old task is still on its way out.
        shards.set(&BTreeMap::from([(Shard(0), Epoch(9))]));
        link.call(Call::Abort);
        assert!(schedule.park(run, "late", &link));
        assert!(matches!(schedule.place(run), Place::Elsewhere));
    }
}
