//! Which runs may begin: the limits of workflows on how many runs are under way, and how often one begins.
//!
//! ```text
//!   run task --- ask: may it begin? ---> Group of its workflow and namespace --- yes, or it waits
//!   run task --- ended --------------->    |          ^
//!                                          |          +--- rebuild, refill --- keeper <--- query --- store
//!                                          +--- admitted, overdue --> Schedule
//! ```
//!
//! Only runs that have not begun are asked for. One that waits leaves memory; its place in the queue is here,
//! or, when the queue is long, only in the store. After a restart the store says who is under way.

mod group;
mod keep;
mod rebuild;
mod wait;
mod window;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, MutexGuard};
use stepwell_journal::{Json, RunId, UnixMillis};
use stepwell_kernel::{Rate, RunLimits};
use stepwell_store::Cursor;
use uuid::Uuid;

pub(crate) use keep::keep_admitting;
pub use wait::{LimitKind, LimitWait};

use crate::link::{Attention, Bustle};
use crate::schedule::{Schedule, Why};
use group::{Candidate, Group, Key};

/// A workflow in a namespace: its runs wait for each other.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lane {
    pub namespace: Arc<str>,
    pub workflow: Arc<str>,
}

impl Lane {
    pub fn new(namespace: &str, workflow: &str) -> Lane {
        Lane { namespace: namespace.into(), workflow: workflow.into() }
    }
}

/// A run that asks whether it may begin.
pub(crate) struct Asking<'a> {
    pub cursor: Cursor,
    pub input: &'a Json,
    pub deadline_at: Option<UnixMillis>,
    /// It has begun before: it goes on whatever the limits say, and counts.
    pub has_begun: bool,
}

pub(crate) struct Admission {
    state: Mutex<State>,
    /// Apart from the state, so that no run takes a lock where nothing is limited.
    in_use: AtomicBool,
    attention: Attention,
}

#[derive(Default)]
struct State {
    /// What the engine was told, which stands above what a workflow says.
    told: BTreeMap<Lane, Arc<RunLimits>>,
    groups: BTreeMap<Lane, Entry>,
    /// When groups have to be looked at.
    agenda: BTreeSet<(UnixMillis, Lane)>,
    /// Those that have to be looked at now.
    todo: BTreeSet<Lane>,
}

struct Entry {
    group: Group,
    stage: Stage,
    /// Its place on the agenda.
    date: Option<UnixMillis>,
    /// Who ended while the store was being asked, which may say otherwise.
    gone: BTreeSet<RunId>,
}

/// How much is known of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The store has to be asked who is under way. Nobody is admitted before.
    Unknown,
    /// It is being asked.
    Asking,
    Known,
}

impl Admission {
    pub fn new(bustle: Option<Arc<Bustle>>) -> Admission {
        Admission {
            state: Mutex::default(),
            in_use: AtomicBool::new(false),
            attention: Attention::new(bustle),
        }
    }

    /// Whether anything is limited at all.
    pub fn is_in_use(&self) -> bool {
        self.in_use.load(Ordering::Acquire)
    }

    /// From here on runs of the lane are limited like this, whatever their workflow says; none takes that
    /// back.
    pub fn tell(&self, lane: Lane, limits: Option<RunLimits>) {
        let mut state = self.state.lock();
        match limits {
            Some(limits) => drop(state.told.insert(lane, Arc::new(limits))),
            None => drop(state.told.remove(&lane)),
        }
        self.in_use.store(true, Ordering::Release);
    }

    /// What the lane is limited by, if its workflow says this of itself.
    pub fn limits(&self, lane: &Lane, own: Option<&RunLimits>) -> Option<Arc<RunLimits>> {
        let told = self.state.lock().told.get(lane).cloned();
        let limits = told.or_else(|| own.map(|own| Arc::new(own.clone())));
        limits.filter(|limits| !limits.is_empty())
    }

    /// A workflow that limits its runs is known from here on.
    pub fn expect_use(&self) {
        self.in_use.store(true, Ordering::Release);
    }

    /// The limits of a lane may have changed.
    pub fn relimit(
        &self,
        lane: &Lane,
        limits: Option<Arc<RunLimits>>,
        schedule: &Schedule,
        now: UnixMillis,
    ) {
        let mut state = self.state.lock();
        let Some(entry) = state.groups.get_mut(lane) else { return };
        let Some(limits) = limits else {
            // Nothing is limited any more: everybody looks again.
            let waiting: Vec<RunId> = entry.group.waiting().collect();
            state.groups.remove(lane);
            drop(state);
            waiting.into_iter().for_each(|run| schedule.activate(run, Why::Found));
            return schedule.search_again();
        };
        let admitted = entry.relimit(limits, now);
        self.settle(state, lane, admitted, schedule, now);
    }

    /// The lanes that have limits or had them, of this workflow.
    pub fn lanes_of(&self, workflow: &str) -> Vec<Lane> {
        let state = self.state.lock();
        state.groups.keys().filter(|lane| *lane.workflow == *workflow).cloned().collect()
    }

    /// Whether the run may begin now. If not, it is activated when it may.
    pub fn ask(
        &self,
        lane: &Lane,
        limits: Arc<RunLimits>,
        asking: &Asking<'_>,
        schedule: &Schedule,
        now: UnixMillis,
    ) -> bool {
        let run = asking.cursor.run;
        let key = key_of(&limits, asking.input);
        let mut state = self.state.lock();
        let entry = state.groups.entry(lane.clone()).or_insert_with(|| Entry {
            group: Group::new(Arc::clone(&limits)),
            stage: Stage::Unknown,
            date: None,
            gone: BTreeSet::new(),
        });
        if entry.group.holds(run) {
            return true;
        }
        if asking.has_begun {
            entry.group.hold(run, key, None, now);
            return true;
        }
        let candidate = Candidate { cursor: asking.cursor, key, deadline_at: asking.deadline_at };
        entry.group.wait(candidate, now);
        let mut admitted = entry.admit(now);
        let may_begin = entry.group.holds(run);
        admitted.retain(|admitted| *admitted != run);
        self.settle(state, lane, admitted, schedule, now);
        may_begin
    }

    /// The run has ended, or was given up: whoever waits for its slot may have it.
    pub fn ended(&self, lane: &Lane, run: RunId, schedule: &Schedule, now: UnixMillis) {
        if !self.is_in_use() {
            return;
        }
        let mut state = self.state.lock();
        let Some(entry) = state.groups.get_mut(lane) else { return };
        if entry.stage == Stage::Asking {
            entry.gone.insert(run);
        }
        if !entry.group.release(run, now) {
            return;
        }
        let admitted = entry.admit(now);
        self.settle(state, lane, admitted, schedule, now);
    }

    /// The same for who does not know the run's workflow.
    pub fn given_up(&self, run: RunId, schedule: &Schedule, now: UnixMillis) {
        let lanes: Vec<Lane> = self.state.lock().groups.keys().cloned().collect();
        for lane in lanes {
            self.ended(&lane, run, schedule, now);
        }
    }

    /// Others own other runs now: everything that is known of groups is forgotten, and asked for anew.
    pub fn reset(&self, schedule: &Schedule) {
        if !self.is_in_use() {
            return;
        }
        let groups = {
            let mut state = self.state.lock();
            state.agenda.clear();
            state.todo.clear();
            std::mem::take(&mut state.groups)
        };
        let waiting = groups.values().flat_map(|entry| entry.group.waiting());
        waiting.for_each(|run| schedule.activate(run, Why::Found));
        schedule.search_again();
    }

    /// After a group has changed: lets those go who may, and the keeper know what it must.
    fn settle(
        &self,
        mut state: MutexGuard<'_, State>,
        lane: &Lane,
        admitted: Vec<RunId>,
        schedule: &Schedule,
        now: UnixMillis,
    ) {
        let is_news = state.note_date(lane, now);
        drop(state);
        admitted.into_iter().for_each(|run| schedule.activate(run, Why::Found));
        if is_news {
            self.attention.call();
        }
    }

    fn with<T>(&self, lane: &Lane, of: impl FnOnce(&mut Entry) -> T) -> Option<T> {
        self.state.lock().groups.get_mut(lane).map(of)
    }

    /// How many runs wait, as far as they are in memory.
    pub fn n_waiting(&self) -> usize {
        self.state.lock().groups.values().map(|entry| entry.group.n_waiting()).sum()
    }
}

impl Entry {
    fn admit(&mut self, now: UnixMillis) -> Vec<RunId> {
        match self.stage {
            Stage::Known => self.group.admit(now),
            Stage::Unknown | Stage::Asking => Vec::new(),
        }
    }

    fn relimit(&mut self, limits: Arc<RunLimits>, now: UnixMillis) -> Vec<RunId> {
        let path = |limits: &RunLimits| limits.per_key.as_ref().map(|keyed| keyed.key.clone());
        let span = |rate: Option<Rate>| rate.map(|rate| rate.per_ms);
        let key_span = |limits: &RunLimits| span(limits.per_key.as_ref()?.rate);
        let before = &self.group.limits;
        let must_ask = path(before) != path(&limits)
            || span(before.rate) < span(limits.rate)
            || key_span(before) < key_span(&limits);
        self.group.relimit(limits, now);
        if must_ask {
            // Who has which key, and when runs began, is in the store.
            self.stage = Stage::Unknown;
        }
        self.admit(now)
    }
}

/// What the run has in common with others that a limit per key is about.
fn key_of(limits: &RunLimits, input: &Json) -> Key {
    match &limits.per_key {
        None => Uuid::nil(),
        Some(keyed) => {
            let value = input.to::<serde_json::Value>().unwrap_or_default();
            Uuid::new_v5(&Uuid::nil(), keyed.key_of(&value).as_bytes())
        }
    }
}
