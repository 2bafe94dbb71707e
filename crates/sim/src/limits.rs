//! Limits on how many runs are under way: nobody begins beyond them, and nobody waits for a slot that is free.

use std::sync::Arc;

use stepwell_engine::Engine;
use stepwell_journal::RunId;
use stepwell_kernel::{KeyedLimit, Rate, RunLimits};

use crate::interpret::WORKFLOWS;
use crate::laws::Laws;
use crate::mirror::Mirror;
use crate::program::Program;
use crate::rng::Rng;
use crate::sim::Sim;
use crate::world::World;

/// Limits for some of the workflows.
pub type Limits = Vec<(&'static str, RunLimits)>;

/// Mostly none: what waits for a slot does little else.
pub fn random_limits(rng: &mut Rng) -> Limits {
    if rng.percent(60) {
        return Vec::new();
    }
    WORKFLOWS.iter().map(|workflow| (*workflow, limits(rng))).collect()
}

fn limits(rng: &mut Rng) -> RunLimits {
    let mut one = |odds: u32| rng.percent(odds).then(|| rng.range(1, 4));
    let concurrency = one(50).map(small);
    let of_key = one(30).map(small);
    let rate = one(15).map(|n| Rate { n_runs: small(n), per_ms: 700 });
    let key_rate = one(10).map(|n| Rate { n_runs: small(n), per_ms: 3_000 });
    let keyed = KeyedLimit { key: "key".to_owned(), concurrency: of_key, rate: key_rate };
    let per_key = (of_key.is_some() || key_rate.is_some()).then_some(keyed);
    RunLimits { concurrency, rate, per_key }
}

fn small(n: u64) -> u32 {
    u32::try_from(n).unwrap_or(1)
}

/// What the other nodes have.
pub fn present_limits(world: &World) -> Limits {
    let state = world.state();
    let of = |name: &&'static str| Some((*name, state.laws.limits.get(*name)?.clone()));
    WORKFLOWS.iter().filter_map(of).collect()
}

/// Tells the engine, and the watcher of the laws.
pub fn set_limits(world: &Arc<World>, engine: &Engine, limits: &Limits) {
    for workflow in WORKFLOWS {
        let found = limits.iter().find(|(name, _)| *name == workflow);
        let limits = found.map(|(_, limits)| limits.clone()).unwrap_or_default();
        world.state().laws.limited(workflow, limits.clone());
        // The laws would find out if they were refused.
        let _ = engine.set_limits("default", workflow, limits);
    }
}

impl Sim {
    /// Limits change while runs are under way.
    pub(crate) fn change_limits(&mut self) {
        if self.several.is_some() {
            return self.change_all_limits();
        }
        let limits = if self.is_calm { Vec::new() } else { random_limits(&mut self.rng) };
        if let Some(engine) = self.live_node().and_then(|node| node.engine()) {
            self.world.say(format!("limits {limits:?}"));
            set_limits(&self.world, &engine, &limits);
        }
    }
}

impl Laws {
    /// From here on the runs of a workflow are limited like this. Those that are there may have begun, and not
    /// have written anything yet.
    pub fn limited(&mut self, workflow: &str, limits: RunLimits) {
        let before = self.limits.insert(workflow.to_owned(), limits.clone());
        if before.unwrap_or_default() == limits {
            return;
        }
        for mirror in self.runs.values_mut() {
            mirror.may_have_begun |=
                mirror.started().is_some_and(|started| started.workflow == workflow);
        }
    }

    /// Code of the run does something for the first time.
    pub fn begins(&mut self, run: RunId) {
        let is_first = self.runs.get(&run).is_some_and(|mirror| !mirror.has_begun);
        if !is_first {
            return;
        }
        // Whoever resumes a run wants it to go on. Whether a copy has begun is not in its row: after a restart
        // it goes on as if it had. One that was cancelled or is late only has to end.
        let may_exceed = self.runs.get(&run).is_some_and(|mirror| {
            let has_to_end = mirror.state.cancel.is_some() || mirror.state.is_overdue;
            has_to_end || mirror.may_have_begun || mirror.n_resumes > 0
        });
        if !self.is_copy(run)
            && !may_exceed
            && let Some(full) = self.full(run, Resumed::MayComeInBetween)
        {
            self.broken(4, Some(run), format!("the run began beyond a limit: {full}"));
        }
        if let Some(mirror) = self.runs.get_mut(&run) {
            mirror.has_begun = true;
        }
    }

    /// The limit on slots that keeps the run from beginning, if one does.
    pub fn full(&self, run: RunId, resumed: Resumed) -> Option<String> {
        let mirror = self.runs.get(&run)?;
        let workflow = &mirror.started()?.workflow;
        let limits = self.limits.get(workflow)?;
        let key = key_of(mirror);
        let of_key = limits.per_key.as_ref().and_then(|keyed| keyed.concurrency);
        [(limits.concurrency, None), (of_key, key)].into_iter().find_map(|(n_max, key)| {
            let n_max = usize::try_from(n_max?).ok()?;
            let n_held = self.n_under_way(run, workflow, key, resumed);
            (n_held >= n_max).then(|| format!("{n_held} of {n_max} with key {key:?}"))
        })
    }

    fn n_under_way(&self, but: RunId, workflow: &str, key: Option<u64>, resumed: Resumed) -> usize {
        // Where several share the store, each limits its own runs.
        let owner = self.runs.get(&but).and_then(|mirror| mirror.owner);
        let counts = |(run, mirror): &(&RunId, &Mirror)| {
            **run != but
                && mirror.owner == owner
                && !mirror.is_leaving
                && (if resumed == Resumed::Count { mirror.has_begun } else { mirror.has_written })
                && !mirror.state.is_ended()
                && (resumed == Resumed::Count || mirror.n_resumes == 0)
                && !(resumed == Resumed::MayComeInBetween && owner.is_some() && self.is_copy(**run))
                && mirror.started().is_some_and(|started| started.workflow == workflow)
                && key.is_none_or(|key| key_of(mirror) == Some(key))
        };
        self.runs.iter().filter(counts).count()
    }
}

/// What runs that were resumed mean for others: they go on whatever the limits say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resumed {
    Count,
    MayComeInBetween,
}

fn key_of(mirror: &Mirror) -> Option<u64> {
    Some(mirror.started()?.input.to::<Program>().ok()?.key)
}
