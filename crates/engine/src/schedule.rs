//! Which runs are in memory, and which come next.
//!
//! ```text
//!   start, send, cancel ---+                                  +--> worker 0: run tasks
//!   timers, recovery ------+-- activate --> Schedule -- take --+--> worker 1: run tasks
//!   a run that wakes one --+                  ^  |            +--> ...
//!                                             |  +-- call (resident already) --> Link of the run
//!                                             +-- release, park, panicked -- run task, worker
//! ```
//!
//! One lock guards it all. It is taken when a run comes or goes, never for a step.

mod expected;
mod some;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use stepwell_journal::RunId;
use stepwell_store::LoadedRun;
use tokio::sync::{Notify, mpsc, oneshot};

use crate::config::{PANICS_MAX, PARKED_MAX, READY_MAX};
use crate::link::{Bustle, Busy, Call, Link};
use crate::ownership::Ownership;

use expected::Expectation;
pub(crate) use expected::Expected;

pub(crate) struct Schedule {
    state: Mutex<State>,
    workers: Vec<mpsc::UnboundedSender<Command>>,
    residents_max: usize,
    bustle: Option<Arc<Bustle>>,
    ownership: Arc<Ownership>,
    /// Whether runs wait for a slot, so that those that only wait should leave at once.
    pressed: AtomicBool,
    /// The queue has room again, or the store must be searched again.
    pub attention: Notify,
    /// The last run has left.
    emptied: Notify,
}

#[derive(Default)]
struct State {
    residents: HashMap<RunId, Resident>,
    /// Residents per worker.
    loads: Vec<usize>,
    /// Runs that wait for a slot, first come first served.
    ready: VecDeque<RunId>,
    is_ready: HashSet<RunId>,
    /// Runs that are being created.
    expected: HashMap<RunId, Expectation>,
    /// Some runs did not fit into the queue: search the store when it is empty.
    overflowed: bool,
    /// Runs that wait for their workflow to be registered.
    parked: BTreeMap<RunId, String>,
    parked_overflowed: bool,
    /// Runs that the engine itself failed on, and how.
    quarantined: BTreeMap<RunId, String>,
    panics: BTreeMap<RunId, u32>,
    stopping: bool,
}

struct Resident {
    worker: usize,
    link: Arc<Link>,
}

/// What a worker is told. Never more than `residents_max` of them wait in all channels together.
pub(crate) enum Command {
    Take(Assignment),
    Close,
}

/// A run for a worker to take into memory.
pub(crate) struct Assignment {
    pub run: RunId,
    pub link: Arc<Link>,
    /// The run as it was just created, which saves reading it back.
    pub fresh: Option<Box<LoadedRun>>,
    pub busy: Busy,
}

/// Why a run should be in memory.
pub(crate) enum Why {
    /// Something is in its inbox.
    Nudge,
    /// Its date has come.
    Timer,
    /// The store says that it is not merely waiting.
    Found,
    /// It was just created.
    Fresh(Box<LoadedRun>),
}

/// Where the schedule has a run.
pub(crate) enum Place {
    Resident(Arc<Link>),
    Ready,
    Parked,
    Quarantined(String),
    /// Asleep or ended: the store knows.
    Elsewhere,
}

impl Schedule {
    pub fn new(
        workers: Vec<mpsc::UnboundedSender<Command>>,
        residents_max: usize,
        bustle: Option<Arc<Bustle>>,
        ownership: Arc<Ownership>,
    ) -> Schedule {
        let state = State { loads: vec![0; workers.len()], ..State::default() };
        Schedule {
            state: Mutex::new(state),
            workers,
            residents_max: residents_max.max(1),
            bustle,
            ownership,
            pressed: AtomicBool::new(false),
            attention: Notify::new(),
            emptied: Notify::new(),
        }
    }

    /// Sees to it that the run is in memory soon, and that it notices what happened.
    pub fn activate(&self, run: RunId, why: Why) {
        self.activate_in(&mut self.state.lock(), run, why);
    }

    /// A run is about to be created; it is taken up when the expectation ends, however that happens.
    pub fn expect(&self, run: RunId) -> Expected<'_> {
        let mut state = self.state.lock();
        // Somebody may be looking for it already: a start that was tried before and not answered.
        let is_called = state.residents.contains_key(&run)
            || state.is_ready.contains(&run)
            || state.parked.contains_key(&run);
        state.expected.insert(run, Expectation { is_called, epoch: self.ownership.epoch(run) });
        Expected { schedule: self, run }
    }

    /// The run was to be created, and nobody knows whether it was.
    pub fn may_be_there(&self, run: RunId) {
        let mut state = self.state.lock();
        if state.expected.remove(&run).is_some() {
            self.activate_in(&mut state, run, Why::Found);
        }
    }

    /// As [`Schedule::activate`] with a nudge; the answer ends when a task that was in memory already
    /// has read its inbox. None if the run is not in memory: it will read its inbox when it comes.
    pub fn nudge(&self, run: RunId) -> Option<oneshot::Receiver<()>> {
        let mut state = self.state.lock();
        if let Some(resident) = state.residents.get(&run) {
            let (ack, read) = oneshot::channel();
            resident.link.nudge_with(ack);
            return Some(read);
        }
        self.activate_in(&mut state, run, Why::Nudge);
        None
    }

    /// A run's task is about to end. False if it must go on because it was called in the meantime.
    #[must_use]
    pub fn release(&self, run: RunId, link: &Link) -> bool {
        let mut state = self.state.lock();
        if is_called(link) {
            return false;
        }
        state.panics.remove(&run);
        self.remove(&mut state, run);
        true
    }

    /// Remembers that the run waits for its workflow. The run's task ends after this.
    #[must_use]
    pub fn park(&self, run: RunId, workflow: &str, link: &Link) -> bool {
        let mut state = self.state.lock();
        if is_called(link) {
            return false;
        }
        if self.is_gone(run, link) {
            // Its next owner finds it. Here nobody would take the mark away when it has ended there.
        } else if state.parked.len() < PARKED_MAX {
            state.parked.insert(run, workflow.to_owned());
        } else {
            state.parked_overflowed = true;
        }
        self.remove(&mut state, run);
        true
    }

    /// The workflow may be there now: its runs look again. All runs if none is named.
    pub fn unpark(&self, workflow: Option<&str>) {
        let mut state = self.state.lock();
        let runs: Vec<RunId> = state
            .parked
            .iter()
            .filter(|(_, waits_for)| workflow.is_none_or(|workflow| *waits_for == workflow))
            .map(|(run, _)| *run)
            .collect();
        for run in runs {
            state.parked.remove(&run);
            self.activate_in(&mut state, run, Why::Found);
        }
        if std::mem::take(&mut state.parked_overflowed) {
            state.overflowed = true;
            self.attention.notify_one();
        }
    }

    /// The run's task panicked: it is tried again, a few times.
    pub fn panicked(&self, run: RunId, problem: &str) -> Verdict {
        let mut state = self.state.lock();
        let n_panics = {
            let n_panics = state.panics.entry(run).or_default();
            *n_panics += 1;
            *n_panics
        };
        self.remove(&mut state, run);
        if n_panics > PANICS_MAX {
            state.panics.remove(&run);
            state.quarantined.insert(run, problem.to_owned());
            return Verdict::Quarantined;
        }
        self.activate_in(&mut state, run, Why::Found);
        Verdict::TriedAgain
    }

    /// The engine cannot go on with this run. Its task ends after this.
    pub fn quarantine(&self, run: RunId, problem: &str, link: &Link) {
        let mut state = self.state.lock();
        if !self.is_gone(run, link) {
            state.quarantined.insert(run, problem.to_owned());
        }
        self.remove(&mut state, run);
    }

    /// Whether the run is another engine's by now.
    fn is_gone(&self, run: RunId, link: &Link) -> bool {
        link.has(Call::Abort) || !self.ownership.owns(run)
    }

    pub fn place(&self, run: RunId) -> Place {
        let state = self.state.lock();
        if let Some(resident) = state.residents.get(&run) {
            Place::Resident(Arc::clone(&resident.link))
        } else if state.is_ready.contains(&run) {
            Place::Ready
        } else if state.parked.contains_key(&run) {
            Place::Parked
        } else if let Some(problem) = state.quarantined.get(&run) {
            Place::Quarantined(problem.clone())
        } else {
            Place::Elsewhere
        }
    }

    /// Takes no more runs, and gives the call to those that are here.
    pub fn stop(&self, call: Call) {
        let mut state = self.state.lock();
        state.stopping = true;
        state.ready.clear();
        state.is_ready.clear();
        let mut residents: Vec<_> = state.residents.iter().collect();
        residents.sort_by_key(|(run, _)| **run);
        for (_, resident) in residents {
            resident.link.call(call);
        }
        if state.residents.is_empty() {
            self.emptied.notify_waiters();
        }
    }

    /// Ends the workers, once their runs have ended.
    pub fn close_workers(&self) {
        for worker in &self.workers {
            // A worker that is gone needs no word.
            let _ = worker.send(Command::Close);
        }
    }

    pub fn is_stopping(&self) -> bool {
        self.state.lock().stopping
    }

    /// Ends when no run is in memory.
    pub async fn emptied(&self) {
        loop {
            let emptied = self.emptied.notified();
            tokio::pin!(emptied);
            // Listen first, look then: nothing falls in between.
            emptied.as_mut().enable();
            if self.state.lock().residents.is_empty() {
                return;
            }
            emptied.await;
        }
    }

    pub fn is_pressed(&self) -> bool {
        self.pressed.load(Ordering::Relaxed)
    }

    /// Whether runs were dropped from the queue that only the store remembers, and there is room for
    /// them now. Asking takes the answer away.
    pub fn take_overflow(&self) -> bool {
        let mut state = self.state.lock();
        state.ready.is_empty() && std::mem::take(&mut state.overflowed)
    }

    /// Some runs may be found in the store only.
    pub fn search_again(&self) {
        self.state.lock().overflowed = true;
        self.attention.notify_one();
    }

    pub fn n_ready(&self) -> usize {
        self.state.lock().ready.len()
    }

    pub fn count(&self, stats: &mut crate::Stats) {
        let state = self.state.lock();
        stats.n_residents = state.residents.len();
        stats.n_ready = state.ready.len();
        stats.n_parked = state.parked.len();
        stats.n_quarantined = state.quarantined.len();
    }

    fn activate_in(&self, state: &mut State, run: RunId, why: Why) {
        let why = match why {
            Why::Fresh(fresh) => match state.expected.remove(&run) {
                Some(expected) if expected.holds(self.ownership.epoch(run)) => Why::Fresh(fresh),
                Some(_) | None => Why::Found,
            },
            why => {
                if let Some(expected) = state.expected.get_mut(&run) {
                    expected.is_called = true;
                }
                why
            }
        };
        if let Some(resident) = state.residents.get(&run) {
            match why {
                Why::Timer => resident.link.call(Call::Woken),
                // A task that found nothing, or an outcome, must look again before it leaves.
                Why::Nudge | Why::Found | Why::Fresh(_) => resident.link.call(Call::Nudged),
            }
            return;
        }
        // Who owns it was told by the store.
        if !self.ownership.owns(run) {
            return;
        }
        if state.stopping || state.is_ready.contains(&run) || state.quarantined.contains_key(&run) {
            return;
        }
        if state.parked.contains_key(&run) {
            if !matches!(why, Why::Nudge | Why::Timer) {
                return;
            }
            // A cancel, or a missed deadline, may be carried out without the workflow's code.
            state.parked.remove(&run);
        }
        if state.residents.len() < self.residents_max {
            let fresh = if let Why::Fresh(fresh) = why { Some(fresh) } else { None };
            self.place_on_worker(state, run, fresh);
        } else if state.ready.len() < READY_MAX {
            state.ready.push_back(run);
            state.is_ready.insert(run);
            self.pressed.store(true, Ordering::Relaxed);
        } else {
            state.overflowed = true;
        }
    }

    fn place_on_worker(&self, state: &mut State, run: RunId, fresh: Option<Box<LoadedRun>>) {
        let worker = (0..state.loads.len()).min_by_key(|worker| state.loads[*worker]).unwrap_or(0);
        let link = Link::new(self.bustle.clone());
        let busy = Busy::new(self.bustle.clone());
        let taken = Command::Take(Assignment { run, link: Arc::clone(&link), fresh, busy });
        if self.workers[worker].send(taken).is_ok() {
            state.loads[worker] += 1;
            state.residents.insert(run, Resident { worker, link });
        }
    }

    /// Forgets a resident, and gives its slot to the next in the queue.
    fn remove(&self, state: &mut State, run: RunId) {
        if let Some(resident) = state.residents.remove(&run) {
            state.loads[resident.worker] -= 1;
        }
        while state.residents.len() < self.residents_max
            && let Some(next) = state.ready.pop_front()
        {
            state.is_ready.remove(&next);
            self.place_on_worker(state, next, None);
            if state.ready.len() == READY_MAX / 2 {
                self.attention.notify_one();
            }
        }
        if state.ready.is_empty() && self.pressed.swap(false, Ordering::Relaxed) {
            self.attention.notify_one();
        }
        if state.residents.is_empty() {
            self.emptied.notify_waiters();
        }
    }
}

/// What becomes of a run whose task panicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    TriedAgain,
    Quarantined,
}

/// Whether somebody wants something of a task that is about to end.
fn is_called(link: &Link) -> bool {
    !link.has(Call::Abort) && (link.has(Call::Nudged) || link.has(Call::Woken))
}
