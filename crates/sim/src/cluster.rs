//! One node's way to those that it shares the store with: the lease protocol, over the same calls that fail, lose
//! answers and are slow as all others to the store.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use stepwell_engine::Clock;
use stepwell_journal::{Epoch, RunId, UnixMillis};
use stepwell_store::{
    Called, Cluster, ClusterStatus, NodeStatus, Owned, Shard, ShardStatus, Store, StoreError, Told,
};
use tokio::sync::Notify;

use crate::calls::{Calls, Hearing};
use crate::faults::Sabotage;
use crate::lease::{Leases, Moved, Share};
use crate::store::{FaultyStore, Kind};
use crate::world::State;

/// What a store knows of the nodes that share it.
pub struct Sharing {
    pub leases: Leases,
    pub calls: Calls,
    /// Runs of which somebody wants to know when they end or answer.
    watched: BTreeSet<RunId>,
    /// Shards that their owners were told to give back.
    pub leaving: BTreeSet<Shard>,
}

impl Sharing {
    pub fn new(n_shards: u16, lease_ms: u64) -> Sharing {
        Sharing {
            leases: Leases::new(n_shards, lease_ms),
            calls: Calls::default(),
            watched: BTreeSet::new(),
            leaving: BTreeSet::new(),
        }
    }
}

impl State {
    /// Tells every node, as chance has it.
    pub fn tell_all(&mut self, called: Called, now: UnixMillis) {
        let nodes = self.sharing.as_ref().map(|sharing| sharing.calls.listeners());
        for node in nodes.unwrap_or_default() {
            self.tell(node, called, now);
        }
    }

    fn tell(&mut self, node: u32, called: Called, now: UnixMillis) {
        let is_spoiled =
            self.sabotage == Some(Sabotage::LoseCalls) && matches!(called, Called::Run(_));
        let fate = self.faults.call(&mut self.rng);
        let Some(sharing) = &mut self.sharing else { return };
        if is_spoiled {
            return;
        }
        if let Some(deaf_ms) = fate.deaf_ms {
            sharing.calls.deafen(node, now.plus_ms(deaf_ms));
        }
        if sharing.calls.is_deaf(node, now) {
            self.counts.n_calls_lost += 1;
            return;
        }
        for late_ms in std::iter::once(fate.late_ms).chain(fate.again_ms) {
            sharing.calls.arrive(node, called, now.plus_ms(late_ms));
        }
    }

    /// Shards have changed hands.
    pub fn shards_moved(&mut self, moved: &[Moved]) -> Vec<String> {
        for moved in moved {
            let is_takeover = moved.from.is_some() && moved.to.is_some();
            self.counts.n_takeovers += u64::from(is_takeover);
            self.counts.n_moves += u64::from(!is_takeover && moved.to.is_some());
            if let Some(sharing) = &mut self.sharing {
                sharing.leaving.remove(&moved.shard);
            }
            self.move_runs(*moved);
        }
        let name = |node: Option<u32>| node.map_or("nobody".to_owned(), |node| format!("n{node}"));
        moved
            .iter()
            .map(|Moved { shard, epoch, from, to }| {
                let (from, to) = (name(*from), name(*to));
                format!("shard {} goes from {from} to {to} with epoch {epoch}", shard.0)
            })
            .collect()
    }

    /// Whoever watches the run is told, once.
    pub fn tell_watchers(&mut self, run: RunId, now: UnixMillis) {
        let Some(sharing) = &mut self.sharing else { return };
        if sharing.watched.remove(&run) {
            self.tell_all(Called::Watched(run), now);
        }
    }

    /// The owner of a run must look at it. If that is who asks, it knows; if there is none, the next one looks.
    pub fn call_owner(&mut self, node: u32, run: RunId, now: UnixMillis) {
        let owner = self.sharing.as_mut().and_then(|sharing| sharing.leases.owner(run));
        if owner.is_some_and(|owner| owner != node) {
            self.tell_all(Called::Run(run), now);
        }
    }
}

impl FaultyStore {
    /// Does something with the leases, at the moment at which the store does it.
    fn on_leases<T>(&self, change: impl FnOnce(&mut Leases, UnixMillis) -> (T, Vec<Moved>)) -> T {
        let now = self.world.truth.now();
        let (given, said) = {
            let mut state = self.world.state();
            // Only nodes that share a store have come here.
            let sharing = state.sharing.get_or_insert_with(|| Sharing::new(1, 1));
            let (given, moved) = change(&mut sharing.leases, now);
            (given, state.shards_moved(&moved))
        };
        said.into_iter().for_each(|line| self.world.say(line));
        given
    }

    fn call_shards(&self) {
        let now = self.world.truth.now();
        self.world.state().tell_all(Called::Shards, now);
    }

    async fn say_alive(&self, given_back: Vec<Shard>) -> Result<Share, StoreError> {
        let sabotage = self.world.state().sabotage;
        let (share, is_back) = self.on_leases(|leases, now| {
            let is_back = leases.renew(self.node, now);
            let moved = match given_back.is_empty() {
                true => Vec::new(),
                false => leases.give_back(self.node, &given_back),
            };
            ((leases.share(self.node, now, sabotage), is_back), moved)
        });
        if is_back || !given_back.is_empty() {
            self.call_shards();
        }
        self.tell_surplus(&share.owned);
        Ok(share)
    }

    async fn take(&self, wanted: Vec<Shard>) -> Result<Owned, StoreError> {
        let sabotage = self.world.state().sabotage;
        let owned = self.on_leases(|leases, now| {
            let moved = leases.take(self.node, now, &wanted, sabotage);
            (leases.share(self.node, now, sabotage).owned, moved)
        });
        self.tell_surplus(&owned);
        Ok(owned)
    }

    fn tell_surplus(&self, owned: &Owned) {
        let mut state = self.world.state();
        if let Some(sharing) = &mut state.sharing {
            sharing.leaving.extend(owned.surplus.iter().copied());
        }
        if !owned.surplus.is_empty() {
            let runs = state.laws.order.clone();
            runs.into_iter().for_each(|run| state.note_owner(run));
        }
    }

    /// What there is to hear, and what rings when there is more; none if the node does not listen.
    fn hear(&self, now: UnixMillis) -> Option<(Hearing, Arc<Notify>)> {
        let mut state = self.world.state();
        let calls = &mut state.sharing.as_mut()?.calls;
        Some((calls.hear(self.node, now), calls.news(self.node)?))
    }

    /// Whether the node owns the run's shard, as the store has it.
    pub fn is_own(&self, run: RunId) -> bool {
        let mut state = self.world.state();
        let owner = state.sharing.as_mut().map(|sharing| sharing.leases.owner(run));
        owner.is_none_or(|owner| owner == Some(self.node))
    }
}

#[async_trait]
impl Cluster for FaultyStore {
    fn shard_of(&self, run: RunId) -> Shard {
        let mut state = self.world.state();
        state.sharing.as_mut().map_or(Shard(0), |sharing| sharing.leases.shard_of(run))
    }

    fn lease(&self) -> Duration {
        let state = self.world.state();
        let lease_ms = state.sharing.as_ref().map_or(0, |sharing| sharing.leases.lease_ms);
        Duration::from_millis(lease_ms)
    }

    async fn join(&self) -> Result<Epoch, StoreError> {
        let join = async {
            let now = self.world.truth.now();
            if let Some(sharing) = &mut self.world.state().sharing {
                sharing.calls.open(self.node, now);
            }
            Ok(self.on_leases(|leases, _| (leases.next_epoch(), Vec::new())))
        };
        self.call(Kind::Write, join, |_| {}).await
    }

    async fn beat(&self, given_back: &[Shard]) -> Result<Owned, StoreError> {
        let said = self.say_alive(given_back.to_vec());
        let share = self.call(Kind::Write, said, |_| {}).await?;
        if share.wanted.is_empty() {
            return Ok(share.owned);
        }
        self.call(Kind::Write, self.take(share.wanted), |_| {}).await
    }

    async fn leave(&self) -> Result<(), StoreError> {
        let leave = async {
            self.on_leases(|leases, _| ((), leases.leave(self.node)));
            self.call_shards();
            Ok(())
        };
        self.call(Kind::Write, leave, |_| {}).await
    }

    async fn epoch_of(&self, run: RunId) -> Result<Epoch, StoreError> {
        let read = async {
            Ok(self.on_leases(|leases, _| {
                let shard = leases.shard_of(run);
                (leases.held(shard).epoch, Vec::new())
            }))
        };
        self.call(Kind::Read, read, |_| {}).await
    }

    async fn watch(&self, run: RunId) -> Result<bool, StoreError> {
        let watch = async {
            let row = self.inner.row(run).await?;
            let is_open = row.is_some_and(|row| !row.status.is_ended());
            if is_open && let Some(sharing) = &mut self.world.state().sharing {
                sharing.watched.insert(run);
            }
            Ok(is_open)
        };
        self.call(Kind::Open, watch, |_| {}).await
    }

    async fn called(&self) -> Vec<Called> {
        let clock = self.world.clocks(self.node).truth;
        loop {
            self.unless_dead().await;
            let Some((hearing, news)) = self.hear(clock.now()) else {
                return std::future::pending().await;
            };
            let until = match hearing {
                Hearing::Now(calls) => return calls,
                Hearing::At(at) => Some(at),
                Hearing::Nothing => None,
            };
            tokio::select! {
                biased;
                () = news.notified() => {}
                () = clock.sleep_until(until.unwrap_or_default()), if until.is_some() => {}
            }
        }
    }

    async fn tell(&self, told: &[Told]) -> Result<(), StoreError> {
        let told: Vec<Told> = told.to_vec();
        let tell = async {
            let now = self.world.truth.now();
            let mut state = self.world.state();
            for told in told {
                match told {
                    // Who says that it listens does not say so to itself.
                    Told::Audience => {
                        let sharing = state.sharing.as_ref();
                        let nodes = sharing.map(|sharing| sharing.calls.listeners());
                        let others = nodes.into_iter().flatten().filter(|node| *node != self.node);
                        others.for_each(|node| state.tell(node, Called::Audience, now));
                    }
                    Told::News { run, from, to } => {
                        state.tell_all(Called::News { run, from, to }, now);
                    }
                }
            }
            Ok(())
        };
        self.call(Kind::Open, tell, |_| {}).await
    }

    async fn status(&self) -> Result<ClusterStatus, StoreError> {
        let read = async {
            let now = self.world.truth.now();
            let name = |node: u32| format!("n{node}");
            Ok(self.on_leases(|leases, _| {
                let nodes = leases.nodes().into_iter().map(|node| NodeStatus {
                    id: name(node),
                    name: name(node),
                    address: None,
                    version: "1".to_owned(),
                    is_self: node == self.node,
                    is_alive: leases.is_alive(node, now),
                    beat_ago: leases.beat_ago(node, now),
                    n_shards: leases.all().filter(|(_, held)| held.node == Some(node)).count(),
                });
                let shards = leases.all().map(|(shard, held)| ShardStatus {
                    shard,
                    epoch: held.epoch,
                    node: held.node.map(name),
                });
                let status = ClusterStatus { nodes: nodes.collect(), shards: shards.collect() };
                (status, Vec::new())
            }))
        };
        self.call(Kind::Read, read, |_| {}).await
    }
}

/// The store of a node, as one of many if it is.
pub fn cluster_of(store: &FaultyStore) -> Option<Arc<dyn Cluster>> {
    store.world.state().sharing.as_ref()?;
    Some(Arc::new(store.clone()))
}
