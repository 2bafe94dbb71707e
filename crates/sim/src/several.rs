//! What happens to a simulation in which several nodes share the store.

use stepwell_engine::Clock;
use stepwell_journal::RunId;
use stepwell_store::Shard;

use crate::cluster::Sharing;
use crate::limits::{random_limits, set_limits};
use crate::rng::Rng;
use crate::sim::Sim;
use crate::world::Life;

const NODES_MAX: u64 = 4;
const SHARDS: (u64, u64) = (4, 8);
const LEASES_MS: [u64; 3] = [2_000, 5_000, 10_000];

/// While nobody has anything to do but say that it lives, time passes up to so many times at once.
const LULLS_MAX: u32 = 8;

/// How long it takes at most until shards have found their owners, once nothing fails any more.
const SHARED_OUT_MS: u64 = 60_000;

/// What several nodes have in common, as the seed has it.
pub struct Several {
    /// How many nodes are wanted at a time.
    pub n_nodes: usize,
}

impl Several {
    pub fn random(rng: &mut Rng) -> (Several, Sharing) {
        let n_nodes = usize::try_from(rng.range(1, NODES_MAX)).unwrap_or(1);
        let n_shards = u16::try_from(rng.range(SHARDS.0, SHARDS.1)).unwrap_or(4);
        let lease_ms = rng.pick(&LEASES_MS).unwrap_or(10_000);
        (Several { n_nodes }, Sharing::new(n_shards, lease_ms))
    }
}

impl Sim {
    pub(crate) fn live_with_others(&mut self) {
        for _ in 0..self.rng.range(60, 300) {
            self.settle();
            if self.is_broken() {
                return;
            }
            self.act_on_one();
        }
    }

    fn act_on_one(&mut self) {
        let n_wanted = self.several.as_ref().map_or(1, |several| several.n_nodes);
        let n_live = self.live_places().len();
        if n_live == 0 || n_live < n_wanted && self.rng.percent(10) {
            return self.open_node();
        }
        match self.rng.below(1_000) {
            0..540 => self.let_lull_pass(),
            540..830 => self.random_call(),
            830..850 => self.crash_at_rest(),
            850..885 => self.stop_one(),
            885..905 => self.jump(),
            905..920 => self.shut_down(),
            920..940 => self.deafen_one(),
            940..960 => self.register_late(),
            960..967 => self.change_limits(),
            967..985 => self.call_again(),
            // The whole machine room stands still: every lease runs out.
            985..990 => self.world.pass(self.rng.range(1_000, 30_000)),
            _ => self.let_dates_come(),
        }
    }

    /// Until something happens, but not for ever.
    fn let_lull_pass(&mut self) {
        for _ in 0..LULLS_MAX {
            let before = self.world.state().counts;
            self.let_time_pass();
            self.settle();
            if self.is_broken() || self.world.state().counts != before {
                return;
            }
        }
    }

    /// Some wait for hours, and beats are seconds apart.
    fn let_dates_come(&mut self) {
        if let Some(ms) = self.world.next_date_ms() {
            self.world.walls_pass(ms);
        }
    }

    fn lease_ms(&self) -> u64 {
        self.world.state().sharing.as_ref().map_or(0, |sharing| sharing.leases.lease_ms)
    }

    /// A process that is not given the processor does not know it.
    fn stop_one(&mut self) {
        let lease_ms = self.lease_ms();
        let ms = match self.rng.below(4) {
            0 => self.rng.range(1, lease_ms),
            1 => lease_ms + self.rng.below(20),
            2 => self.rng.range(lease_ms, 3 * lease_ms),
            _ => self.rng.range(lease_ms, 60_000),
        };
        if let Some(node) = self.one_node() {
            self.world.say(format!("n{node} stands still for {ms} ms"));
            self.world.stop(node, self.world.truth.now().plus_ms(ms));
        }
    }

    fn deafen_one(&mut self) {
        let until = self.world.truth.now().plus_ms(self.rng.range(1, 20_000));
        if let Some(node) = self.one_node() {
            self.world.say(format!("n{node} hears nothing until {until}"));
            if let Some(sharing) = &mut self.world.state().sharing {
                sharing.calls.deafen(node, until);
            }
        }
    }

    /// Where the engines that live are among the nodes.
    pub(crate) fn live_places(&self) -> Vec<usize> {
        let is_live = |place: &usize| self.world.life(self.nodes[*place].id) == Life::Live;
        (0..self.nodes.len()).filter(is_live).collect()
    }

    fn one_node(&mut self) -> Option<u32> {
        self.place().map(|place| self.nodes[place].id)
    }

    /// Limits are the same on all nodes.
    pub(crate) fn change_all_limits(&mut self) {
        let limits = if self.is_calm { Vec::new() } else { random_limits(&mut self.rng) };
        self.world.say(format!("limits {limits:?}"));
        for place in self.live_places() {
            if let Some(engine) = self.nodes[place].engine() {
                set_limits(&self.world, &engine, &limits);
            }
        }
    }

    // --- The end -----------------------------------------------------------------------------------

    /// Nothing fails any more, so soon every shard must have an owner that lives, and no node too many of them.
    pub(crate) fn check_shards(&mut self) {
        let until = self.world.truth.now().plus_ms(SHARED_OUT_MS);
        while let Some(problem) = self.shard_problem() {
            if self.live_places().is_empty() {
                self.open_node();
            }
            if self.world.truth.now() >= until {
                return self.world.state().laws.broken(4, None, problem);
            }
            self.pass_to_next();
            self.settle();
            if self.is_broken() {
                return;
            }
        }
    }

    fn shard_problem(&self) -> Option<String> {
        let opening =
            self.live_places().into_iter().find(|place| self.nodes[*place].engine().is_none());
        if let Some(place) = opening {
            return Some(format!("n{} does not come up", self.nodes[place].id));
        }
        let runs = self.world.state().laws.order.clone();
        if let Some(problem) = runs.into_iter().find_map(|run| self.owner_problem(run)) {
            return Some(problem);
        }
        let state = self.world.state();
        let now = self.world.truth.now();
        let leases = &state.sharing.as_ref()?.leases;
        for (Shard(shard), held) in leases.all() {
            let Some(node) = held.node else { return Some(format!("nobody owns shard {shard}")) };
            if state.life(node) != Life::Live || !leases.is_alive(node, now) {
                return Some(format!("n{node} owns shard {shard} and does not live"));
            }
            let share = leases.share(node, now, None);
            if !share.owned.surplus.is_empty() {
                return Some(format!("n{node} does not give back what is too much"));
            }
        }
        None
    }

    /// The nodes come to agree with the store on whose a run is.
    fn owner_problem(&self, run: RunId) -> Option<String> {
        let believes = |place: &usize| self.nodes[*place].engine().is_some_and(|e| e.owns(run));
        let owners: Vec<u32> = self
            .live_places()
            .into_iter()
            .filter(believes)
            .map(|place| self.nodes[place].id)
            .collect();
        let mut state = self.world.state();
        let stored = state.sharing.as_mut().and_then(|sharing| sharing.leases.owner(run));
        let is_same = owners.iter().copied().eq(stored);
        (!is_same).then(|| format!("{owners:?} believe to own a run, the store says {stored:?}"))
    }
}
