//! The outside world: time, chance, what bodies did, and the watcher of the laws. It survives every crash.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use stepwell_engine::{Clock, VirtualClock};
use stepwell_journal::{Location, RunId, UnixMillis};

use crate::cluster::Sharing;
use crate::faults::{Faults, Plan, Sabotage};
use crate::heard::Heard;
use crate::interpret::answer_to;
use crate::laws::Laws;
use crate::ledger::{Begun, Body, Seen};
use crate::report::Counts;
use crate::rng::Rng;
use crate::time::Clocks;
use crate::trace::Trace;

/// When simulations begin: a date like any other.
pub const START: UnixMillis = UnixMillis(1_700_000_000_000);

pub struct World {
    pub wall: VirtualClock,
    pub truth: VirtualClock,
    /// Where spans of time are counted from.
    pub began: Instant,
    /// How often engines have looked at the clock since they were last polled.
    n_looks: AtomicU64,
    state: Mutex<State>,
}

/// More looks at the clock than any engine needs before it lets others have a turn.
const LOOKS_MAX: u64 = 1_000_000;

/// What is behind the lock.
pub struct State {
    pub laws: Laws,
    pub trace: Trace,
    pub counts: Counts,
    pub faults: Faults,
    pub sabotage: Option<Sabotage>,
    pub rng: Rng,
    lives: Vec<Life>,
    /// By engine.
    pub clocks: Vec<Clocks>,
    /// The nodes that share the store, if several do.
    pub sharing: Option<Sharing>,
    /// Nodes that stand still, and until when.
    pub paused: BTreeMap<u32, UnixMillis>,
    /// Since when nothing has happened that is worth a word.
    pub quiet_since: UnixMillis,
    /// The engine that was opened last, and does not open any more.
    opened: Option<u32>,
    /// The store does not answer before.
    stalled_until: UnixMillis,
    n_begun: BTreeMap<(RunId, Location), u32>,
    pub heard: Heard,
    next_token: u64,
    /// Crashes that chance may still bring about.
    pub crashes_left: u32,
}

/// How an engine fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    Live,
    /// It does not know that another has taken its place.
    Zombie,
    /// Its process has ended: nothing of it may reach the outside any more.
    Dead,
}

impl World {
    pub fn new(rng: Rng, faults: Faults, trace: Trace) -> Arc<World> {
        Arc::new(World {
            wall: VirtualClock::new(START),
            truth: VirtualClock::new(START),
            began: Instant::now(),
            n_looks: AtomicU64::new(0),
            state: Mutex::new(State {
                laws: Laws::new(START),
                trace,
                counts: Counts::default(),
                faults,
                sabotage: None,
                rng,
                lives: Vec::new(),
                clocks: Vec::new(),
                sharing: None,
                paused: BTreeMap::new(),
                quiet_since: START,
                opened: None,
                stalled_until: START,
                n_begun: BTreeMap::new(),
                heard: Heard::new(),
                next_token: 1,
                crashes_left: 0,
            }),
        })
    }

    /// Bodies panic by design, but never while they hold this.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn say(&self, line: impl Into<String>) {
        let now = self.truth.now();
        let mut state = self.state();
        state.quiet_since = now;
        state.trace.line(format!("{:>9} {}", now.ms_since(START), line.into()));
    }

    /// Engines had their turn.
    pub fn polled(&self) {
        self.n_looks.store(0, Ordering::Relaxed);
    }

    /// Whoever looks at the clock without end and without letting go is stopped by force: nothing else
    /// could stop it.
    #[expect(clippy::panic, reason = "a task that never yields cannot be told otherwise")]
    pub fn look(&self) {
        if self.n_looks.fetch_add(1, Ordering::Relaxed) > LOOKS_MAX {
            self.state().laws.broken(4, None, "a task spins: it never lets others have a turn");
            panic!("{}", crate::PANIC_TEXT);
        }
    }

    // --- Engines -----------------------------------------------------------------------------------

    /// A new engine comes. Where nobody shares the store, it takes the place of whichever lived.
    pub fn born(&self) -> u32 {
        let mut state = self.state();
        state.lives.push(Life::Live);
        let clocks = self.new_clocks(&mut state);
        state.clocks.push(clocks);
        u32::try_from(state.lives.len() - 1).unwrap_or(u32::MAX)
    }

    /// The engine owns the store.
    pub fn opened(&self, node: u32) {
        self.state().opened = Some(node);
    }

    pub fn life(&self, node: u32) -> Life {
        self.state().life(node)
    }

    pub fn set_life(&self, node: u32, life: Life) {
        self.state().set_life(node, life);
    }

    /// A body takes the process with it.
    pub fn kill(&self, node: u32) {
        self.say(format!("n{node} is killed by a body"));
        let mut state = self.state();
        state.counts.n_crashes += 1;
        state.set_life(node, Life::Dead);
    }

    /// The process ends, or seems to.
    pub fn crash(&self, node: u32, why: &str) {
        let life = {
            let mut state = self.state();
            if state.life(node) == Life::Live && state.crashes_left == 0 {
                return;
            }
            state.crashes_left = state.crashes_left.saturating_sub(1);
            state.counts.n_crashes += 1;
            let odds = state.faults.zombie;
            // One that is still being opened would fence its successor.
            let may_linger = state.life(node) == Life::Live
                && state.opened == Some(node)
                && state.sharing.is_none();
            let life = if may_linger && state.rng.odds(odds) { Life::Zombie } else { Life::Dead };
            state.set_life(node, life);
            life
        };
        self.say(format!("n{node} crashes {why}: {life:?}"));
    }

    /// What happens to a call to the store, and until when the store is silent.
    pub fn plan(&self, is_write: bool) -> (Plan, UnixMillis) {
        let now = self.truth.now();
        let mut state = self.state();
        let faults = state.faults;
        let plan = faults.plan(&mut state.rng, is_write);
        if plan.stall_ms > 0 {
            state.stalled_until = now.plus_ms(plan.stall_ms);
            state.counts.n_faults += 1;
        }
        (plan, state.stalled_until)
    }

    // --- Bodies and code ---------------------------------------------------------------------------

    /// None if the engine is dead.
    pub fn begin(self: &Arc<Self>, node: u32, body: Body) -> Option<Begun> {
        let line = {
            let mut state = self.state();
            let life = state.life(node);
            if life == Life::Dead {
                return None;
            }
            let counts = state.counts_for(node, body.run);
            if counts {
                state.laws.began(node, &body);
            } else if state.sharing.is_some() {
                let text = format!("`{}`: a body began on n{node}, which does not own it", body.at);
                state.laws.broken(5, Some(body.run), text);
            }
            state.counts.n_bodies += 1;
            format!("n{node} {} `{}` body begins ({life:?})", state.laws.alias(body.run), body.at)
        };
        self.say(line);
        let mut state = self.state();
        let n = state.n_begun.entry((body.run, body.at.clone())).or_default();
        *n += 1;
        let n = *n;
        let token = state.next_token;
        state.next_token += 1;
        Some(Begun { world: Arc::clone(self), run: body.run, at: body.at, node, n, token })
    }

    pub fn body_returned(&self, begun: &Begun) {
        let mut state = self.state();
        if let Some(mirror) = state.laws.runs.get_mut(&begun.run) {
            mirror.returned.entry(begun.at.clone()).or_default().insert(begun.token);
        }
    }

    pub fn body_gone(&self, begun: &Begun) {
        let now = self.truth.now();
        let mut state = self.state();
        state.quiet_since = now;
        if let Some(mirror) = state.laws.runs.get_mut(&begun.run)
            && mirror.running.get(&begun.at) == Some(&begun.node)
        {
            mirror.running.remove(&begun.at);
        }
    }

    /// Workflow code was given a result.
    pub fn saw(&self, node: u32, run: RunId, at: &Location, seen: Seen) {
        let mut state = self.state();
        // What a fenced engine believes is its own affair.
        if state.counts_for(node, run) {
            state.laws.saw(run, at, &seen);
        }
    }

    /// The step has an undo handler.
    pub fn can_undo(&self, node: u32, run: RunId, at: &Location) {
        let mut state = self.state();
        if state.counts_for(node, run)
            && let Some(mirror) = state.laws.runs.get_mut(&run)
        {
            mirror.undoable.insert(at.clone());
        }
    }

    /// An undo handler was given the step's result.
    pub fn check_undo(&self, node: u32, run: RunId, step: &Location, token: u64) {
        let mut state = self.state();
        if !state.counts_for(node, run) {
            return;
        }
        state.laws.saw(run, step, &Seen::Value(token));
    }

    /// A question was answered: one of these.
    pub fn check_answer(&self, asked: &[u64], answer: u64) {
        if !asked.iter().any(|token| answer_to(*token) == answer) {
            let text = format!("question {asked:x?} got the answer to another one");
            self.state().laws.broken(9, None, text);
        }
    }

    pub fn n_resumes(&self, run: RunId) -> u32 {
        self.state().laws.runs.get(&run).map_or(0, |mirror| mirror.n_resumes)
    }

    /// Whether the run began as a copy of another one.
    pub fn is_copy(&self, run: RunId) -> bool {
        self.state().laws.is_copy(run)
    }
}

impl State {
    pub fn life(&self, node: u32) -> Life {
        let place = usize::try_from(node).unwrap_or(usize::MAX);
        self.lives.get(place).copied().unwrap_or(Life::Dead)
    }

    fn set_life(&mut self, node: u32, life: Life) {
        let place = usize::try_from(node).unwrap_or(usize::MAX);
        let before = self.life(node);
        if let Some(known) = self.lives.get_mut(place) {
            *known = life;
        }
        if life == Life::Dead {
            self.paused.remove(&node);
            if let Some(sharing) = &mut self.sharing {
                sharing.calls.close(node);
            }
        }
        if life != Life::Live {
            // What runs there runs no longer, or does not count.
            for mirror in self.laws.runs.values_mut() {
                mirror.running.retain(|_, owner| *owner != node);
                let was_its = self.sharing.is_none() || mirror.owner == Some(node);
                if before == Life::Live && was_its {
                    mirror.forget_begin();
                }
            }
        }
    }

    /// A token that nobody has used.
    pub fn token(&mut self) -> u64 {
        self.next_token += 1;
        self.next_token - 1
    }
}
