//! What happens to a simulation while it lives, one thing at a time.

use stepwell_engine::{Clock, ReplayTarget};
use stepwell_journal::{Location, RunId, RunOutcome, UnixMillis};

use crate::client::Call;
use crate::generate::MESSAGES;
use crate::sim::{Sim, Slot};
use crate::world::Life;

const HOUR_MS: u64 = 3_600_000;

impl Sim {
    pub(crate) fn live(&mut self) {
        for _ in 0..self.rng.range(60, 400) {
            self.settle();
            if self.is_broken() {
                return;
            }
            self.check_rest();
            self.act();
        }
    }

    fn act(&mut self) {
        if self.live_node().is_none() {
            if self.rng.percent(70) {
                self.open_node();
            } else {
                self.let_time_pass();
            }
            return;
        }
        match self.rng.below(1_000) {
            0..620 => self.let_time_pass(),
            620..920 => self.random_call(),
            920..935 => self.crash_at_rest(),
            935..950 => self.jump(),
            950..956 => self.shut_down(),
            956..966 => self.end_zombies(),
            966..980 => self.register_late(),
            980..985 => self.change_limits(),
            _ => self.call_again(),
        }
    }

    pub(crate) fn register_late(&mut self) {
        if let Some(place) = self.place() {
            self.nodes[place].register(&self.world, "sim-late");
        }
    }

    pub(crate) fn let_time_pass(&mut self) {
        let left_ms = self.world.next_wake_ms();
        let ms = match (left_ms, self.rng.below(10)) {
            (Some(ms), 0) => self.rng.below(ms + 1),
            // Late: several are due at once.
            (Some(ms), 1) => ms + self.rng.below(2_000),
            (Some(ms), _) => ms,
            (None, _) => self.rng.below(1_000),
        };
        self.world.pass(ms);
    }

    pub(crate) fn crash_at_rest(&mut self) {
        if let Some(place) = self.place() {
            self.world.crash(self.nodes[place].id, "at rest");
        }
    }

    pub(crate) fn jump(&mut self) {
        let Some(place) = self.place() else { return };
        let wall = self.world.clocks(self.nodes[place].id).wall;
        let now = wall.now();
        let by_ms = self.rng.range(1, 5 * HOUR_MS);
        let to = match self.rng.percent(50) {
            true => now.plus_ms(by_ms),
            false => UnixMillis(now.0.saturating_sub(by_ms)),
        };
        self.world.say(format!("the clock of n{} jumps from {now} to {to}", self.nodes[place].id));
        self.world.state().counts.n_jumps += 1;
        self.world.set(&wall, to);
    }

    pub(crate) fn shut_down(&mut self) {
        let world = self.world.clone();
        if let Some(place) = self.place()
            && let Some(engine) = self.nodes[place].engine()
        {
            let node = &self.nodes[place];
            let id = node.id;
            world.say(format!("n{id} shuts down"));
            world.state().counts.n_shutdowns += 1;
            node.spawn(async move {
                engine.shutdown().await;
                world.say(format!("n{id} has shut down"));
                world.set_life(id, Life::Dead);
            });
        }
    }

    pub(crate) fn end_zombies(&mut self) {
        for node in &self.nodes {
            if self.world.life(node.id) == Life::Zombie {
                self.world.set_life(node.id, Life::Dead);
            }
        }
    }

    /// Whoever lost its engine asks the next one.
    pub(crate) fn call_again(&mut self) {
        let Some(mut call) = self.again.pop() else { return };
        if let Call::Start { run, .. } = &mut call {
            // The key says that the same run is meant, not the id.
            *run = self.run_id();
        }
        if !self.call(call.clone()) {
            self.again.push(call);
        }
    }

    pub(crate) fn random_call(&mut self) {
        let unstarted = self.slots.iter().position(|slot| !slot.is_asked_for);
        if let Some(place) = unstarted
            && self.rng.percent(60)
        {
            return self.start(place);
        }
        let Some(run) = self.any_run() else { return };
        let call = match self.rng.below(100) {
            0..45 => {
                let name = self.rng.pick(&MESSAGES).unwrap_or("m0");
                let token = self.world.state().token();
                Call::Send { to: run, name, token, keyed: self.rng.percent(70) }
            }
            45..53 => Call::Ask { to: run, token: self.world.state().token() },
            53..60 => Call::Cancel { run },
            60..66 => Call::Wake { run },
            66..76 => Call::Wait { run },
            76..82 => Call::Look { run },
            82..86 => return self.start_again(),
            _ => match self.resume(run) {
                Some(call) => call,
                None => return,
            },
        };
        self.call(call);
    }

    fn start(&mut self, place: usize) {
        let slot = self.slots[place].clone();
        let call = Call::Start {
            run: slot.run,
            workflow: slot.workflow,
            program: slot.program,
            key: slot.key,
            deadline_ms: slot.deadline_ms,
        };
        if self.call(call) {
            self.slots[place].is_asked_for = true;
        }
    }

    /// A second start with a key that was used before.
    fn start_again(&mut self) {
        let place = self.rng.index(self.slots.len());
        let slot = self.slots[place].clone();
        if slot.key.is_some() && slot.is_asked_for {
            let run = self.run_id();
            let Slot { workflow, program, key, deadline_ms, .. } = slot;
            self.call(Call::Start { run, workflow, program, key, deadline_ms });
        }
    }

    fn any_run(&mut self) -> Option<RunId> {
        let state = self.world.state();
        self.rng.pick(&state.laws.order)
    }

    /// Something for a run that has ended badly; rarely for one that has not.
    fn resume(&mut self, run: RunId) -> Option<Call> {
        let (is_failed, locations) = {
            let state = self.world.state();
            let mirror = state.laws.runs.get(&run)?;
            let is_failed = matches!(
                mirror.state.outcome,
                Some(RunOutcome::Failed(_) | RunOutcome::Cancelled(_))
            );
            let locations: Vec<Location> =
                mirror.state.entries.keys().filter(|at| !at.is_marker()).cloned().collect();
            (is_failed, locations)
        };
        if !is_failed && self.rng.percent(80) {
            return None;
        }
        let deadline_ms = self.deadline_ms();
        if self.rng.percent(60) || locations.is_empty() {
            return Some(Call::Recover { run, deadline_ms });
        }
        let at = locations[self.rng.index(locations.len())].clone();
        // A copy gets an id from the machine's clock, and its children ids from that: other names, and
        // so another order, with every simulation.
        let may_copy = !self.has_children(run) && self.rng.percent(50);
        let target = if may_copy { ReplayTarget::NewRun } else { ReplayTarget::SameRun };
        Some(Call::ReplayFrom { run, at, target, deadline_ms })
    }

    fn has_children(&self, run: RunId) -> bool {
        let state = self.world.state();
        let started = state.laws.runs.get(&run).and_then(|mirror| mirror.started());
        let program =
            started.and_then(|started| started.input.to::<crate::program::Program>().ok());
        program.is_none_or(|program| program.has_children())
    }
}
