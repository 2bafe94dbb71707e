//! Which runs this engine may take up, and as whom it writes.
//!
//! Alone on a store an engine owns every run. Where others share the store, it owns the runs of the shards that
//! it leases: see `sharing`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::RwLock;
use stepwell_journal::{Epoch, RunId};
use stepwell_store::{Cluster, Shard, StoreError};
use uuid::Uuid;

/// How many ids are tried for a run that is to be owned here: enough even if one shard of 64 is.
const OWN_ID_TRIES: usize = 1_024;

use crate::clock::Clock;

pub(crate) enum Ownership {
    All(Epoch),
    Shards(Shards),
}

pub(crate) struct Shards {
    pub cluster: Arc<dyn Cluster>,
    clock: Arc<dyn Clock>,
    state: RwLock<State>,
    opened: Instant,
    /// Until when nobody else may have our shards, in milliseconds since the opening.
    safe_until_ms: AtomicU64,
}

#[derive(Default)]
struct State {
    owned: BTreeMap<Shard, Epoch>,
    /// Shards that are to be given back, and since when: their runs are leaving memory, no others come.
    leaving: BTreeMap<Shard, Instant>,
}

/// What an engine has won and lost.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Moved {
    pub gained: Vec<Shard>,
    pub lost: Vec<Shard>,
}

impl Moved {
    pub fn is_nothing(&self) -> bool {
        self.gained.is_empty() && self.lost.is_empty()
    }
}

impl Ownership {
    pub fn shared(cluster: Arc<dyn Cluster>, clock: Arc<dyn Clock>) -> Ownership {
        Ownership::Shards(Shards {
            cluster,
            opened: clock.instant(),
            clock,
            state: RwLock::default(),
            safe_until_ms: AtomicU64::new(0),
        })
    }

    /// Whether the run may be taken into memory here.
    pub fn owns(&self, run: RunId) -> bool {
        match self {
            Ownership::All(_) => true,
            Ownership::Shards(shards) => {
                let shard = shards.cluster.shard_of(run);
                let state = shards.state.read();
                state.owned.contains_key(&shard) && !state.leaving.contains_key(&shard)
            }
        }
    }

    /// An id for a new run: a run begins where it was asked for, unless nothing is owned here. Ids grow with time, so that
    /// new runs stand together in the store.
    pub fn new_run_id(&self) -> RunId {
        let mut ids = std::iter::repeat_with(|| RunId(Uuid::now_v7()));
        let own = ids.by_ref().take(OWN_ID_TRIES).find(|run| self.owns(*run));
        own.unwrap_or_else(|| RunId(Uuid::now_v7()))
    }

    /// What commits to the run are signed with. If somebody else owns it, it is one that no store accepts.
    pub fn epoch(&self, run: RunId) -> Epoch {
        match self {
            Ownership::All(epoch) => *epoch,
            Ownership::Shards(shards) => {
                let shard = shards.cluster.shard_of(run);
                shards.state.read().owned.get(&shard).copied().unwrap_or(Epoch(0))
            }
        }
    }

    /// What a commit to a run is signed with that has ended: it is in nobody's memory, so who writes to it need not be
    /// its owner.
    pub async fn present_epoch(&self, run: RunId) -> Result<Epoch, StoreError> {
        match self {
            Ownership::All(epoch) => Ok(*epoch),
            Ownership::Shards(shards) => shards.cluster.epoch_of(run).await,
        }
    }

    /// Whether somebody else may own what this engine believes to own: then nothing may begin any more.
    pub fn has_run_out(&self) -> bool {
        match self {
            Ownership::All(_) => false,
            Ownership::Shards(shards) => shards.has_run_out(),
        }
    }

    pub fn shards(&self) -> Option<&Shards> {
        match self {
            Ownership::All(_) => None,
            Ownership::Shards(shards) => Some(shards),
        }
    }
}

impl Shards {
    /// This is what the store says now. A shard with a new epoch was lost, and won again.
    pub fn set(&self, owned: &BTreeMap<Shard, Epoch>) -> Moved {
        let mut state = self.state.write();
        let is_in = |all: &BTreeMap<Shard, Epoch>, shard: &Shard, epoch: &Epoch| {
            all.get(shard) == Some(epoch)
        };
        let lost: Vec<Shard> =
            state.owned.iter().filter(|(s, e)| !is_in(owned, s, e)).map(|(s, _)| *s).collect();
        let gained =
            owned.iter().filter(|(s, e)| !is_in(&state.owned, s, e)).map(|(s, _)| *s).collect();
        state.owned.clone_from(owned);
        for shard in &lost {
            state.leaving.remove(shard);
        }
        Moved { gained, lost }
    }

    /// A beat that began then was answered. The store's lease began later, so it ends later.
    pub fn beaten(&self, begun: Instant) {
        let until = begun.duration_since(self.opened) + self.cluster.lease();
        self.safe_until_ms.store(as_ms(until), Ordering::Release);
    }

    fn has_run_out(&self) -> bool {
        as_ms(self.clock.instant().duration_since(self.opened))
            >= self.safe_until_ms.load(Ordering::Acquire)
    }

    /// Another engine has the run's shard, whatever the store said last.
    pub fn lose(&self, run: RunId) {
        let shard = self.cluster.shard_of(run);
        let mut state = self.state.write();
        state.owned.remove(&shard);
        state.leaving.remove(&shard);
    }

    /// Takes no more runs of these shards.
    pub fn leave(&self, shards: &[Shard], now: Instant) {
        let mut state = self.state.write();
        for shard in shards {
            state.leaving.entry(*shard).or_insert(now);
        }
    }

    /// The shards that are to be given back, and since when.
    pub fn leaving(&self) -> BTreeMap<Shard, Instant> {
        self.state.read().leaving.clone()
    }

    pub fn n_owned(&self) -> usize {
        self.state.read().owned.len()
    }
}

fn as_ms(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::Duration;

    use async_trait::async_trait;
    use stepwell_store::{Called, ClusterStatus, Owned, Told};
    use uuid::Uuid;

    use super::*;
    use crate::SystemClock;

    pub(crate) struct Halves;

    #[async_trait]
    impl Cluster for Halves {
        fn shard_of(&self, run: RunId) -> Shard {
            Shard(u16::from(run.0.as_bytes()[15] % 2))
        }

        fn lease(&self) -> Duration {
            Duration::from_millis(20)
        }

        async fn join(&self) -> Result<Epoch, StoreError> {
            Ok(Epoch(1))
        }

        async fn beat(&self, _: &[Shard]) -> Result<Owned, StoreError> {
            Ok(Owned::default())
        }

        async fn leave(&self) -> Result<(), StoreError> {
            Ok(())
        }

        async fn epoch_of(&self, _: RunId) -> Result<Epoch, StoreError> {
            Ok(Epoch(1))
        }

        async fn watch(&self, _: RunId) -> Result<bool, StoreError> {
            Ok(false)
        }

        async fn called(&self) -> Vec<Called> {
            Vec::new()
        }

        async fn tell(&self, _: &[Told]) -> Result<(), StoreError> {
            Ok(())
        }

        async fn status(&self) -> Result<ClusterStatus, StoreError> {
            Ok(ClusterStatus::default())
        }
    }

    const EVEN: RunId = RunId(Uuid::from_u128(2));
    const ODD: RunId = RunId(Uuid::from_u128(3));

    #[test]
    fn runs_of_a_shard_that_is_leaving_are_written_but_not_taken_up() {
        let ownership = Ownership::shared(Arc::new(Halves), Arc::new(SystemClock));
        let shards = ownership.shards().unwrap();
        assert_eq!((ownership.owns(EVEN), ownership.epoch(EVEN)), (false, Epoch(0)));
        let moved = shards.set(&BTreeMap::from([(Shard(0), Epoch(5))]));
        assert_eq!(moved, Moved { gained: vec![Shard(0)], lost: Vec::new() });
        assert_eq!((ownership.owns(EVEN), ownership.epoch(EVEN)), (true, Epoch(5)));
        assert!(!ownership.owns(ODD));
        let now = Instant::now();
        shards.leave(&[Shard(0)], now);
        assert_eq!((ownership.owns(EVEN), ownership.epoch(EVEN)), (false, Epoch(5)));
        assert_eq!(shards.leaving(), BTreeMap::from([(Shard(0), now)]));
    }

    #[test]
    fn a_new_run_belongs_to_who_makes_it_if_that_is_possible() {
        let ownership = Ownership::shared(Arc::new(Halves), Arc::new(SystemClock));
        let first = ownership.new_run_id();
        assert!(!ownership.owns(first), "nothing is ours, and there is an id all the same");
        let shards = ownership.shards().unwrap();
        shards.set(&BTreeMap::from([(Shard(1), Epoch(5))]));
        let runs: Vec<RunId> = (0..100).map(|_| ownership.new_run_id()).collect();
        assert!(runs.iter().all(|run| ownership.owns(*run)) && runs.is_sorted());
    }

    #[test]
    fn a_lease_that_nobody_renews_runs_out_by_the_clock_of_this_process() {
        let ownership = Ownership::shared(Arc::new(Halves), Arc::new(SystemClock));
        let shards = ownership.shards().unwrap();
        assert!(ownership.has_run_out(), "before the first beat nothing is ours");
        shards.beaten(Instant::now() + Duration::from_secs(60));
        assert!(!ownership.has_run_out());
        // A beat that began so long ago that its lease is over.
        shards.beaten(shards.opened);
        let begun = Instant::now();
        while !ownership.has_run_out() {
            assert!(begun.elapsed() < Duration::from_secs(60));
            std::thread::yield_now();
        }
        assert!(!Ownership::All(Epoch(1)).has_run_out());
    }

    #[test]
    fn a_shard_that_comes_back_with_a_new_epoch_was_lost_in_between() {
        let ownership = Ownership::shared(Arc::new(Halves), Arc::new(SystemClock));
        let shards = ownership.shards().unwrap();
        shards.set(&BTreeMap::from([(Shard(0), Epoch(5)), (Shard(1), Epoch(5))]));
        let moved = shards.set(&BTreeMap::from([(Shard(0), Epoch(9)), (Shard(1), Epoch(5))]));
        assert_eq!(moved, Moved { gained: vec![Shard(0)], lost: vec![Shard(0)] });
        shards.lose(ODD);
        assert!(!ownership.owns(ODD) && ownership.owns(EVEN));
        // The store says that it is ours all the same, so it is taken up again.
        let moved = shards.set(&BTreeMap::from([(Shard(0), Epoch(9)), (Shard(1), Epoch(11))]));
        assert_eq!(moved, Moved { gained: vec![Shard(1)], lost: Vec::new() });
    }
}
