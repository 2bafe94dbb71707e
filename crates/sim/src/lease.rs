//! Who owns which shard, as a store that many nodes share keeps it: rows, dates and epochs, without waiting,
//! chance or faults. It says the same as the store for PostgreSQL, in memory.

use std::collections::BTreeMap;
use std::time::Duration;

use stepwell_journal::{Epoch, RunId, UnixMillis, stable_hash};
use stepwell_store::{Owned, Shard};

use crate::faults::Sabotage;

pub struct Leases {
    pub lease_ms: u64,
    /// By number.
    shards: Vec<Held>,
    /// Until when each node counts as alive; none if it has left.
    nodes: BTreeMap<u32, Option<UnixMillis>>,
    /// What the next epoch comes after.
    counter: u64,
    /// Runs whose ids come from the machine, and differ with every simulation: they are dealt out.
    strangers: BTreeMap<RunId, Shard>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    pub epoch: Epoch,
    pub node: Option<u32>,
}

/// What a node owns, and what it should take.
#[derive(Debug, PartialEq, Eq)]
pub struct Share {
    pub owned: Owned,
    /// Shards without a living owner, as many as the node should have.
    pub wanted: Vec<Shard>,
}

/// A shard that has changed hands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moved {
    pub shard: Shard,
    pub epoch: Epoch,
    pub from: Option<u32>,
    pub to: Option<u32>,
}

impl Leases {
    pub fn new(n_shards: u16, lease_ms: u64) -> Leases {
        // No commit may be signed with an epoch that a node has which owns nothing.
        let free = Held { epoch: Epoch(1), node: None };
        Leases {
            lease_ms,
            shards: vec![free; usize::from(n_shards.max(1))],
            nodes: BTreeMap::new(),
            counter: 1,
            strangers: BTreeMap::new(),
        }
    }

    pub fn shard_of(&mut self, run: RunId) -> Shard {
        let n_shards = self.shards.len() as u64;
        let is_stranger = run.0.get_version_num() == 7 && run.0.as_bytes()[0] < 0xf0;
        let n = match is_stranger {
            true => {
                let next = Shard((self.strangers.len() as u64 % n_shards) as u16);
                return *self.strangers.entry(run).or_insert(next);
            }
            false => stable_hash(&[run.0.as_bytes()]),
        };
        Shard((n % n_shards) as u16)
    }

    /// The shard as it is held now.
    pub fn held(&self, shard: Shard) -> Held {
        self.shards[usize::from(shard.0)]
    }

    pub fn owner(&mut self, run: RunId) -> Option<u32> {
        let shard = self.shard_of(run);
        self.held(shard).node
    }

    pub fn is_alive(&self, node: u32, now: UnixMillis) -> bool {
        self.nodes.get(&node).copied().flatten().is_some_and(|until| until > now)
    }

    pub fn all(&self) -> impl Iterator<Item = (Shard, Held)> + '_ {
        (0..).map(Shard).zip(self.shards.iter().copied())
    }

    /// The nodes that have not left, in order.
    pub fn nodes(&self) -> Vec<u32> {
        self.nodes.iter().filter(|(_, until)| until.is_some()).map(|(node, _)| *node).collect()
    }

    /// How long ago the node said last that it lives.
    pub fn beat_ago(&self, node: u32, now: UnixMillis) -> Duration {
        let until = self.nodes.get(&node).copied().flatten().unwrap_or(now);
        Duration::from_millis(now.plus_ms(self.lease_ms).ms_since(until))
    }

    /// A number that nobody else was given.
    pub fn next_epoch(&mut self) -> Epoch {
        self.counter += 1;
        Epoch(self.counter)
    }

    /// The node lives. True if it did not count as alive: others have more than their share now.
    pub fn renew(&mut self, node: u32, now: UnixMillis) -> bool {
        let was_alive = self.is_alive(node, now);
        self.nodes.insert(node, Some(now.plus_ms(self.lease_ms)));
        !was_alive
    }

    /// The epoch grows when a shard is given back, not only when it is taken: what the node may still send must not
    /// count.
    pub fn give_back(&mut self, node: u32, shards: &[Shard]) -> Vec<Moved> {
        let epoch = self.next_epoch();
        let mut moved = Vec::new();
        for shard in shards {
            let held = &mut self.shards[usize::from(shard.0)];
            if held.node == Some(node) {
                *held = Held { epoch, node: None };
                moved.push(Moved { shard: *shard, epoch, from: Some(node), to: None });
            }
        }
        moved
    }

    pub fn leave(&mut self, node: u32) -> Vec<Moved> {
        self.nodes.insert(node, None);
        let shards: Vec<Shard> = self.all().map(|(shard, _)| shard).collect();
        self.give_back(node, &shards)
    }

    /// Each living node may have as many shards as there are for each, rounded up.
    pub fn share(&self, node: u32, now: UnixMillis, sabotage: Option<Sabotage>) -> Share {
        let n_alive = self.nodes.keys().filter(|node| self.is_alive(**node, now)).count();
        let quota = self.shards.len().div_ceil(n_alive.max(1));
        let mut owned = Owned::default();
        let mut free = Vec::new();
        for (shard, held) in self.all() {
            if held.node == Some(node) {
                owned.shards.insert(shard, held.epoch);
            } else if self.is_free(held, now, sabotage) {
                free.push(shard);
            }
        }
        let wanted = free.into_iter().take(quota.saturating_sub(owned.shards.len())).collect();
        owned.surplus = owned.shards.keys().copied().skip(quota).collect();
        Share { owned, wanted }
    }

    fn is_free(&self, held: Held, now: UnixMillis, sabotage: Option<Sabotage>) -> bool {
        let is_held = held.node.is_some_and(|owner| self.is_alive(owner, now));
        !is_held || sabotage == Some(Sabotage::TakeFromLiving)
    }

    /// Takes shards that are free, or whose owner's lease has run out, looked at anew.
    pub fn take(
        &mut self,
        node: u32,
        now: UnixMillis,
        wanted: &[Shard],
        sabotage: Option<Sabotage>,
    ) -> Vec<Moved> {
        let next = self.next_epoch();
        let mut moved = Vec::new();
        for shard in wanted {
            let held = self.held(*shard);
            if !self.is_free(held, now, sabotage) {
                continue;
            }
            let epoch = if sabotage == Some(Sabotage::KeepEpoch) { held.epoch } else { next };
            self.shards[usize::from(shard.0)] = Held { epoch, node: Some(node) };
            moved.push(Moved { shard: *shard, epoch, from: held.node, to: Some(node) });
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000;

    fn at(seconds: u64) -> UnixMillis {
        UnixMillis(seconds * SECOND)
    }

    /// A beat as a node does it: it says that it lives, gives back what is too much, and takes what it should.
    fn beat(leases: &mut Leases, node: u32, now: UnixMillis) -> Vec<Moved> {
        leases.renew(node, now);
        let surplus = leases.share(node, now, None).owned.surplus;
        let mut moved = leases.give_back(node, &surplus);
        let wanted = leases.share(node, now, None).wanted;
        moved.extend(leases.take(node, now, &wanted, None));
        moved
    }

    #[test]
    fn a_node_that_says_nothing_loses_its_shards_and_every_move_has_a_later_epoch() {
        let mut leases = Leases::new(4, 10 * SECOND);
        assert_eq!(beat(&mut leases, 1, at(0)).len(), 4);
        assert!(beat(&mut leases, 2, at(9)).is_empty(), "the first one lives");
        let before = leases.held(Shard(0)).epoch;
        let taken = leases.take(2, at(10), &[Shard(0)], None);
        assert_eq!(taken.len(), 1);
        assert_eq!((taken[0].from, taken[0].to), (Some(1), Some(2)));
        assert!(taken[0].epoch > before);
        assert_eq!(
            leases.share(1, at(10), None).owned.shards.len(),
            3,
            "it keeps what nobody took"
        );
    }

    #[test]
    fn a_node_that_wakes_up_in_time_is_looked_at_again_before_anything_is_taken() {
        let mut leases = Leases::new(4, 10 * SECOND);
        beat(&mut leases, 1, at(0));
        leases.renew(2, at(11));
        let wanted = leases.share(2, at(11), None).wanted;
        assert_eq!(wanted.len(), 4);
        assert!(leases.renew(1, at(12)), "it had not counted as alive");
        assert!(leases.take(2, at(12), &wanted, None).is_empty());
    }

    #[test]
    fn shards_come_to_be_shared_evenly_and_go_back_when_a_node_leaves() {
        let mut leases = Leases::new(8, 10 * SECOND);
        for _ in 0..3 {
            for node in 1..=3 {
                beat(&mut leases, node, at(1));
            }
        }
        let n_shards = |leases: &Leases, node| leases.share(node, at(1), None).owned.shards.len();
        assert_eq!((1..=3).map(|node| n_shards(&leases, node)).sum::<usize>(), 8);
        assert!((1..=3).all(|node| n_shards(&leases, node) <= 3));
        let n_left = n_shards(&leases, 2);
        assert_eq!(leases.leave(2).len(), n_left);
        assert!(!leases.is_alive(2, at(1)));
        beat(&mut leases, 1, at(1));
        beat(&mut leases, 3, at(1));
        assert_eq!(n_shards(&leases, 1) + n_shards(&leases, 3), 8);
    }
}
