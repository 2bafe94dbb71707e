//! The end of a simulation: nothing fails any more, everybody who waits is served, and every run must
//! come to its end.

use stepwell_journal::{RunId, Wait};

use crate::client::Call;
use crate::events::is_deaf;
use crate::faults::Faults;
use crate::generate::MESSAGES;
use crate::interpret::WORKFLOWS;
use crate::limits::Resumed;
use crate::mirror::Mirror;
use crate::sim::Sim;

/// More turns than any simulation needs to end.
const TURNS_MAX: u32 = 50_000;

impl Sim {
    pub(crate) fn drain(&mut self) {
        if self.is_broken() {
            return;
        }
        self.world.say("calm");
        self.is_calm = true;
        {
            let mut state = self.world.state();
            state.faults = Faults::default();
            state.crashes_left = 0;
            state.paused.clear();
        }
        self.end_zombies();
        self.again.clear();
        for _ in 0..TURNS_MAX {
            self.settle();
            let has_ended = self.is_broken()
                || match self.several {
                    Some(_) => self.drain_turn_with_others(),
                    None => self.drain_turn(),
                };
            if has_ended {
                return;
            }
        }
        let stuck = self.unended().first().copied();
        self.world.state().laws.broken(4, stuck, "the simulation does not end");
    }

    /// True when nothing is left to do.
    fn drain_turn(&mut self) -> bool {
        if self.live_node().is_none() {
            self.open_node();
            return false;
        }
        // Whoever waits for the slot of its own parent would wait for ever.
        let is_limited = self.world.state().laws.limits.values().any(|limits| !limits.is_empty());
        let is_open = self.live_node().is_some_and(|node| node.engine().is_some());
        if is_limited && is_open {
            self.change_limits();
            return false;
        }
        if let Some(ms) = self.world.next_wake_ms() {
            // All have ended, and the rest is what nobody waits for.
            if self.unended().is_empty() && self.open.borrow().is_empty() {
                return true;
            }
            self.world.pass(ms);
            return false;
        }
        if let Some(node) = self.live_node() {
            for name in WORKFLOWS {
                node.register(&self.world, name);
            }
        }
        self.settle();
        // A body that went on now may have taken its engine with it.
        if self.world.next_wake_ms().is_some() || self.live_node().is_none() {
            return false;
        }
        self.check_rest();
        if self.unended().is_empty() {
            return true;
        }
        self.serve();
        false
    }

    pub(crate) fn unended(&self) -> Vec<RunId> {
        let state = self.world.state();
        let is_open =
            |run: &&RunId| state.laws.runs.get(*run).is_some_and(|mirror| !mirror.state.is_ended());
        state.laws.order.iter().filter(is_open).copied().collect()
    }

    /// Sends everybody what they wait for.
    pub(crate) fn serve(&mut self) {
        let mut calls = Vec::new();
        let mut askers = Vec::new();
        for run in self.unended() {
            let waits = {
                let state = self.world.state();
                state.laws.runs.get(&run).map(|mirror| mirror.state.waits()).unwrap_or_default()
            };
            for wait in waits {
                match wait {
                    Wait::Messages { names, .. } => {
                        let name = MESSAGES.iter().find(|name| names.iter().any(|n| n == *name));
                        let token = self.world.state().token();
                        calls.extend(name.map(|name| Call::Send {
                            to: run,
                            name,
                            token,
                            keyed: true,
                        }));
                    }
                    Wait::Answer { .. } => askers.push(run),
                    Wait::Child { .. } | Wait::Timer { .. } | Wait::Retry { .. } => {}
                }
            }
        }
        if calls.is_empty() {
            // Runs that ask each other in a circle wait for something that can be named, for ever.
            calls.extend(askers.first().map(|run| Call::Cancel { run: *run }));
        }
        if calls.is_empty() {
            let stuck = self.unended().first().copied();
            let text = format!("nothing is under way, nobody can help the run: {}", self.stats());
            return self.world.state().laws.broken(4, stuck, text);
        }
        for call in calls {
            self.call(call);
        }
    }

    /// When nothing can move and no time is waited for, every run must be able to say why it stands.
    pub(crate) fn check_rest(&mut self) {
        let is_at_rest = self.world.next_wake_ms().is_none()
            && self.live_node().is_some_and(|node| node.engine().is_some());
        if !is_at_rest {
            return;
        }
        let knows_all = self.live_node().and_then(|node| node.engine()).is_some_and(|engine| {
            engine.workflows().len() == WORKFLOWS.len() && engine.stats().n_parked == 0
        });
        let stats = self.live_node().and_then(|node| node.engine()).map(|engine| engine.stats());
        let mut state = self.world.state();
        let mut problems = Vec::new();
        for (run, mirror) in &state.laws.runs {
            let is_late = mirror.started().is_some_and(|started| started.workflow == "sim-late");
            if mirror.state.is_ended() || is_late && !knows_all {
                continue;
            }
            let waits_for_slot =
                !mirror.has_begun && state.laws.full(*run, Resumed::Count).is_some();
            if waits_for_slot {
                continue;
            }
            if let Some((law, text)) = mirror.rest_problem() {
                problems.push((law, *run, format!("{text}: {stats:?}")));
            }
        }
        for (law, run, text) in problems {
            state.laws.broken(law, Some(run), text);
        }
    }
}

impl Mirror {
    /// What is wrong with the run, and which law says so, if nothing can move any more.
    pub fn rest_problem(&self) -> Option<(u8, String)> {
        if self.state.is_ended() {
            return None;
        }
        if self.state.waits().is_empty() {
            return Some((4, "the run waits for nothing".to_owned()));
        }
        if let Some(at) = is_deaf(self) {
            return Some((9, format!("`{at}` listens and does not take its message")));
        }
        let left = &self.inbox;
        (!left.is_empty()).then(|| (4, format!("the run does not look into its inbox: {left:?}")))
    }
}
