//! The end of a simulation in which several nodes share the store. They say again and again that they live, so it is
//! never quiet; but when nothing else has happened for a while, nothing else can.

use stepwell_engine::Clock;
use stepwell_journal::{RunId, UnixMillis};

use crate::interpret::WORKFLOWS;
use crate::sim::Sim;

/// Whoever is told something acts at once, and whoever waits for a run of another node looks every 2 s. So after this
/// long nothing is under way any more.
const QUIET_MS: u64 = 5_000;

/// What was lost before the calm is found after a lease and a search, which nodes begin every 30 s. Whoever stood still
/// in the middle of a call has its answer by then, too.
const CALM_MS: u64 = 85_000;

/// How long callers may wait when all runs have ended.
const ANSWER_MS: u64 = 60_000;

impl Sim {
    /// True when nothing is left to do.
    pub(crate) fn drain_turn_with_others(&mut self) -> bool {
        let now = self.world.truth.now();
        let (is_quiet, n_running) = {
            let state = self.world.state();
            let n_running: usize = state.laws.runs.values().map(|run| run.running.len()).sum();
            (now.ms_since(state.quiet_since) >= QUIET_MS, n_running)
        };
        let live: Vec<u32> =
            self.live_places().into_iter().map(|place| self.nodes[place].id).collect();
        if self.calm_nodes != live {
            // What those who are gone had heard, others have to find out.
            self.calm_nodes = live;
            self.calm_since = now;
        }
        if self.calm_nodes.is_empty() {
            self.open_node();
            return false;
        }
        let is_limited = self.world.state().laws.limits.values().any(|limits| !limits.is_empty());
        if is_limited && !self.is_opening() {
            self.change_limits();
            return false;
        }
        let has_ended = self.unended().is_empty();
        if has_ended && (self.open.borrow().is_empty() || self.is_late(now)) {
            return true;
        }
        if !is_quiet || n_running > 0 || self.is_opening() || has_ended {
            self.pass_to_next();
            return false;
        }
        if let Some(ms) = self.world.next_date_ms() {
            self.world.walls_pass(ms);
            return false;
        }
        if !self.knows_all() {
            for place in self.live_places() {
                WORKFLOWS.iter().for_each(|name| self.nodes[place].register(&self.world, name));
            }
            self.world.state().quiet_since = now;
            return false;
        }
        self.serve_or_wait(now);
        false
    }

    fn serve_or_wait(&mut self, now: UnixMillis) {
        let problems = self.rest_problems();
        if now.ms_since(self.calm_since) < CALM_MS {
            return self.pass_to_next();
        }
        if problems.is_empty() {
            return self.serve();
        }
        let mut state = self.world.state();
        for (law, run, text) in problems {
            state.laws.broken(law, Some(run), text);
        }
    }

    pub(crate) fn pass_to_next(&mut self) {
        let ms = self.world.next_wake_ms().unwrap_or(QUIET_MS);
        self.world.pass(ms);
    }

    fn is_opening(&self) -> bool {
        self.live_places().into_iter().any(|place| self.nodes[place].engine().is_none())
    }

    fn knows_all(&self) -> bool {
        let mut engines =
            self.live_places().into_iter().filter_map(|place| self.nodes[place].engine());
        engines.all(|engine| engine.workflows().len() == WORKFLOWS.len())
    }

    /// All runs have ended for so long that everybody should know.
    fn is_late(&self, now: UnixMillis) -> bool {
        now.ms_since(self.world.state().quiet_since) >= ANSWER_MS
    }

    /// What the engines say of themselves.
    pub(crate) fn stats(&self) -> String {
        let of = |place: usize| {
            let node = &self.nodes[place];
            format!("n{}: {:?}; ", node.id, node.engine().map(|engine| engine.stats()))
        };
        self.live_places().into_iter().map(of).collect()
    }

    /// What is wrong with runs, if nothing can move any more.
    fn rest_problems(&self) -> Vec<(u8, RunId, String)> {
        let stats = self.stats();
        let state = self.world.state();
        let problem = |run: &RunId| {
            let (law, text) = state.laws.runs.get(run)?.rest_problem()?;
            let owner = state.laws.runs.get(run)?.owner;
            Some((law, *run, format!("{text}, owner {owner:?}, {stats}")))
        };
        state.laws.order.iter().filter_map(problem).collect()
    }
}
