//! What must hold when a simulation is over.

use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use stepwell_journal::{Event, EventKind, FailureKind, Outcome, RunId, RunState, effective};
use stepwell_store::{LoadedRun, Store};

use crate::client::Call;
use crate::events::child_outcomes;
use crate::laws::Laws;
use crate::mirror::Mirror;
use crate::replay::{check_end, check_prefix};
use crate::sim::Sim;

/// How many prefixes of each journal are replayed.
const PREFIXES: usize = 4;

impl Sim {
    pub(crate) fn finish(&mut self) {
        if self.is_broken() {
            return;
        }
        self.check_callers();
        match self.several {
            Some(_) => self.check_shards(),
            None => self.check_heard(),
        }
        self.check_messages();
        self.check_children();
        let runs = self.world.state().laws.order.clone();
        for run in runs {
            let problem = self.check_run(run);
            if let Err((law, text)) = problem {
                self.world.state().laws.broken(law, Some(run), text);
            }
        }
        self.nodes.clear();
    }

    /// When the engine has done what it does, whoever listens has heard everything.
    fn check_heard(&mut self) {
        let is_idle = |sim: &Sim| {
            let engine = sim.live_node().and_then(|node| node.engine());
            // A task that waits for its store is idle, too.
            engine.is_none_or(|engine| engine.is_idle() && engine.stats().n_residents == 0)
        };
        while !is_idle(self)
            && let Some(ms) = self.world.next_wake_ms()
        {
            self.world.pass(ms);
            self.settle();
        }
        self.world.state().check_heard();
    }

    /// Nobody waits for the end of a run that has ended.
    fn check_callers(&mut self) {
        let waiting = self.open.borrow().values().find_map(|(_, call)| match call {
            Call::Wait { run } | Call::Ask { to: run, .. } => Some(*run),
            _ => None,
        });
        if let Some(run) = waiting {
            let text = "somebody waits for a run that has ended";
            self.world.state().laws.broken(4, Some(run), text);
        }
    }

    fn check_messages(&mut self) {
        let mut state = self.world.state();
        let laws: &Laws = &state.laws;
        let lost = laws.posted.keys().find(|(run, token)| {
            laws.runs.get(run).is_none_or(|mirror| {
                !mirror.received.contains(token)
                    && !mirror.dropped.contains(token)
                    && !mirror.inbox.values().any(|held| *held == Some(*token))
            })
        });
        if let Some((run, token)) = lost.copied() {
            let text = format!("message {token:x} is neither in the journal nor in the inbox");
            state.laws.broken(9, Some(run), text);
        }
    }

    fn check_children(&mut self) {
        let mut state = self.world.state();
        let problem = state
            .laws
            .runs
            .iter()
            .find_map(|(run, mirror)| Some((*run, child_problem(&state.laws, mirror)?)));
        if let Some((run, text)) = problem {
            state.laws.broken(9, Some(run), text);
        }
    }

    /// The store has what was committed, and it leads the code to the same end again.
    fn check_run(&mut self, run: RunId) -> Result<(), (u8, String)> {
        let loaded = self.load(run).ok_or_else(|| (2, "the run is gone".to_owned()))?;
        let (journal, state) = {
            let state = self.world.state();
            let mirror = state.laws.runs.get(&run).ok_or_else(|| (2, "unknown".to_owned()))?;
            let is_held = |event: &Event| mirror.journal.iter().any(|held| held.seq == event.seq);
            if !loaded.journal.iter().all(is_held) {
                return Err((3, "the store has events that were never committed".to_owned()));
            }
            (mirror.journal.clone(), mirror.state.clone())
        };
        let stored =
            RunState::fold(run, &loaded.journal).map_err(|error| (3, error.to_string()))?;
        if stored.outcome != state.outcome || stored.next_seq != state.next_seq {
            return Err((2, "the store has another end than what was committed".to_owned()));
        }
        if loaded.row.status != state.status() || loaded.row.wake_at.is_some() {
            let row = loaded.row.status;
            return Err((4, format!("the row says {row}, the journal {}", state.status())));
        }
        check_end(&self.world, run, &loaded.journal).map_err(|text| (3, text))?;
        let mut n_replays = 1;
        for _ in 0..PREFIXES {
            let prefix = &journal[..1 + self.rng.index(journal.len())];
            let is_open = RunState::fold(run, prefix).is_ok_and(|state| !state.is_ended());
            if is_open {
                check_prefix(&self.world, run, prefix).map_err(|text| (3, text))?;
                n_replays += 1;
            }
        }
        self.world.state().counts.n_replays += n_replays;
        Ok(())
    }

    /// The memory store never waits.
    fn load(&self, run: RunId) -> Option<LoadedRun> {
        let store = Arc::new(self.store.clone());
        let mut loading = store.load(run);
        match loading.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Ok(loaded)) => loaded,
            _ => None,
        }
    }
}

/// What a parent was told of a child must be how the child ended.
fn child_problem(laws: &Laws, parent: &Mirror) -> Option<String> {
    let events: Vec<&Event> = effective(&parent.journal).collect();
    events.iter().find_map(|event| {
        let EventKind::ChildStarted { location, child, .. } = &event.kind else { return None };
        let Some(child) = laws.runs.get(child) else {
            // A copy takes over what its original was told, and not the child.
            let is_copy = parent.started().is_some_and(|started| started.replay_of.is_some());
            return (!is_copy).then(|| format!("the child at `{location}` was never created"));
        };
        if !child.state.is_ended() {
            return Some(format!("the child at `{location}` has not ended"));
        }
        let told = events.iter().find_map(|event| match &event.kind {
            EventKind::ChildEnded { location: at, outcome } if at == location => Some(outcome),
            _ => None,
        })?;
        let is_true = match told {
            Ok(output) => child_outcomes(child).contains(&Outcome::Value(output.clone())),
            // A cancelled child's end has no failure of its own.
            Err(failure) if failure.kind == FailureKind::Cancelled => true,
            Err(failure) => child_outcomes(child).contains(&Outcome::Failed(failure.clone())),
        };
        (!is_true).then(|| format!("the parent was told another end of `{location}`"))
    })
}
