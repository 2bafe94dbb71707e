//! What a run's operations share: the fold, the events on their way, and who waits for what.

mod claims;
mod delivery;
mod waiting;

use std::cell::{Cell, Ref, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use std::task::Waker;

use stepwell_journal::{
    EntryKind, Event, Failure, FailureKind, Json, Location, MessageId, RunId, RunState, Seq,
    UnixMillis, stable_hash,
};

use crate::execution::{AnswerOut, ChildStart, Log};
use crate::limits::cut;
use crate::rollback::UndoHandler;
use crate::scope::Scope;
use crate::{Error, Host, Level, Limits, TraceParent};

/// Who may see an event when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Urgency {
    /// Visible at once; committed with whatever is committed next.
    Lazy,
    /// Visible at once; to be committed without delay.
    Prompt,
    /// Visible when it is durable.
    Durable,
}

/// What a core is given besides its journal.
pub(crate) struct CoreSetup {
    pub limits: Limits,
    pub host: Rc<dyn Host>,
    pub now: UnixMillis,
}

pub(crate) struct Core {
    pub run: RunId,
    pub seed: u64,
    pub trace: TraceParent,
    pub limits: Limits,
    pub host: Rc<dyn Host>,
    inner: RefCell<Inner>,
    /// Whether futures are being dropped on purpose: a race's losers, or the whole run.
    releasing: Cell<bool>,
}

pub(crate) struct Inner {
    /// The fold. During replay it is that of the whole journal, ahead of what was delivered.
    pub state: RunState,
    pub now: UnixMillis,
    /// The last event that was delivered, and its time.
    pub cursor: Option<Seq>,
    pub cursor_at: UnixMillis,
    /// Whether all that was recorded is delivered, so that new things may begin.
    pub live: bool,
    /// Whether the run has done nothing yet: then its first lines of log are new.
    pub fresh: bool,
    /// Whether attempts wait for their start marker to be durable: until one has durably ended.
    pub careful: bool,
    /// Whether the workflow function may move: after a delivery, but not when a body's I/O woke it.
    pub delivering: bool,
    /// Nothing new begins.
    pub stopping: bool,
    /// The journal has a cancel, a rollback or a missed deadline, or the deadline has passed: all that the
    /// function decided is before that. Replay may carry it further than it came, for it was stopped before
    /// it saw the last events.
    pub was_stopped: bool,
    /// Why the run cannot go on: the workflow broke a rule, or diverged.
    pub fault: Option<Failure>,
    pub next_seq: Seq,
    /// Events before this one are durable.
    pub durable_to: Seq,
    /// How many events a compacted journal has.
    pub n_events: u64,
    undelivered: VecDeque<(Event, Urgency)>,
    pub outbox: Vec<Event>,
    pub outbox_urgency: Option<Urgency>,
    pub children: Vec<ChildStart>,
    pub cancel_children: Vec<RunId>,
    pub answers: Vec<AnswerOut>,
    pub logs: Vec<Log>,
    pub n_log_lines: usize,
    waiters: BTreeMap<Location, Waker>,
    deadlines: BTreeSet<(UnixMillis, Location)>,
    /// The deadlines of those who wait in [`Core::until`], to be taken back when they stop.
    armed: BTreeMap<Location, UnixMillis>,
    /// The entries that the code has asked for, numbered in that order.
    claimed: BTreeMap<Location, usize>,
    n_claims: usize,
    /// Entries of the loaded journal that the code has not asked for yet.
    pub unclaimed: BTreeSet<Location>,
    pub undo: BTreeMap<Location, UndoHandler>,
    /// Children that were started and have not ended.
    pub open_children: BTreeMap<Location, RunId>,
    /// Questions whose answer somebody waits for.
    pub open_asks: BTreeSet<Location>,
    /// Messages on their way into the mailbox, by id and by key.
    pub arriving: BTreeSet<MessageId>,
    pub arriving_keys: BTreeSet<String>,
    /// Whether a cancel was accepted, delivered or not.
    pub cancelling: bool,
    /// Whether the deadline was missed, delivered or not.
    pub overdue: bool,
    /// Messages in the mailbox that an entry is about to take.
    pub reserved: BTreeSet<MessageId>,
    /// Entries that listen, in the order in which they began.
    pub listeners: Vec<Location>,
    current_scope: Option<Rc<Scope>>,
    in_body: Option<Location>,
    pub n_bodies: usize,
}

impl Core {
    pub fn new(state: RunState, n_events: u64, setup: CoreSetup) -> Core {
        let CoreSetup { limits, host, now } = setup;
        // A clock that was set back since must not make events go back in time.
        let now = now.max(state.last_at);
        let seed = state.started.as_ref().map_or(0, |started| started.seed);
        let trace = state.started.as_ref().and_then(|started| started.trace.as_deref());
        let open_children = state
            .open_entries()
            .filter_map(|(location, entry)| Some((location.clone(), entry.child.as_ref()?.0)))
            .collect();
        Core {
            run: state.run,
            seed,
            trace: TraceParent::of_run(state.run, trace),
            limits,
            host,
            releasing: Cell::new(false),
            inner: RefCell::new(Inner {
                now,
                cursor: None,
                cursor_at: UnixMillis(0),
                live: false,
                fresh: false,
                careful: false,
                delivering: false,
                stopping: false,
                was_stopped: state.cancel.is_some()
                    || state.is_overdue
                    || state.open_deadline().is_some_and(|at| at <= now)
                    || state.rollback.is_some(),
                fault: None,
                next_seq: state.next_seq,
                durable_to: state.next_seq,
                n_events: n_events.saturating_sub(state.n_garbage),
                undelivered: VecDeque::new(),
                outbox: Vec::new(),
                outbox_urgency: None,
                children: Vec::new(),
                cancel_children: Vec::new(),
                answers: Vec::new(),
                logs: Vec::new(),
                n_log_lines: 0,
                waiters: BTreeMap::new(),
                deadlines: BTreeSet::new(),
                armed: BTreeMap::new(),
                claimed: BTreeMap::new(),
                n_claims: 0,
                // Undo handlers are asked for by the rollback, not by the workflow function.
                unclaimed: state
                    .entries
                    .iter()
                    .filter(|(_, entry)| entry.kind != EntryKind::Undo)
                    .map(|(location, _)| location.clone())
                    .collect(),
                undo: BTreeMap::new(),
                open_children,
                open_asks: BTreeSet::new(),
                arriving: BTreeSet::new(),
                arriving_keys: BTreeSet::new(),
                cancelling: state.cancel.is_some(),
                overdue: state.is_overdue,
                reserved: BTreeSet::new(),
                listeners: Vec::new(),
                current_scope: None,
                in_body: None,
                n_bodies: 0,
                state,
            }),
        }
    }

    pub fn inner(&self) -> std::cell::RefMut<'_, Inner> {
        self.inner.borrow_mut()
    }

    pub fn peek(&self) -> Ref<'_, Inner> {
        self.inner.borrow()
    }

    pub fn enter_scope(&self, scope: Option<Rc<Scope>>) -> Option<Rc<Scope>> {
        std::mem::replace(&mut self.inner().current_scope, scope)
    }

    pub fn enter_body(&self, location: Option<Location>) -> Option<Location> {
        std::mem::replace(&mut self.inner().in_body, location)
    }

    /// Runs `drop_them`, in which futures of unfinished operations are dropped on purpose.
    pub fn release<T>(&self, drop_them: impl FnOnce() -> T) -> T {
        let before = self.releasing.replace(true);
        let result = drop_them();
        self.releasing.set(before);
        result
    }

    pub fn is_releasing(&self) -> bool {
        self.releasing.get()
    }

    pub fn random(&self, scope: &Scope) -> u64 {
        let n = scope.next_random();
        let seed = self.seed.to_le_bytes();
        stable_hash(&[&seed, scope.location.as_str().as_bytes(), &n.to_le_bytes()])
    }

    /// The location, told apart from what stood there before the run was resumed: a child that was voided
    /// is not the one that is started in its place.
    pub fn once_per_life(&self, location: &Location) -> String {
        match self.peek().state.n_resumed {
            0 => location.as_str().to_owned(),
            n => format!("{}#{n}", location.as_str()),
        }
    }

    /// Chance for a step's backoff.
    pub fn backoff_seed(&self, location: &Location) -> u64 {
        stable_hash(&[&self.seed.to_le_bytes(), location.as_str().as_bytes()])
    }

    /// Checks a value against the limit.
    pub fn check_size(&self, what: &str, value: &Json) -> Result<(), Error> {
        let limit = self.limits.value_bytes_max;
        if value.n_bytes() <= limit {
            return Ok(());
        }
        let n_bytes = value.n_bytes();
        Err(Error::of(
            FailureKind::Limit,
            format!("{what} has {n_bytes} bytes, more than the limit value_bytes_max of {limit}"),
        ))
    }

    pub fn cut_failure(&self, mut failure: Failure) -> Failure {
        failure.message = cut(failure.message, self.limits.text_bytes_max);
        failure
    }

    pub fn log(&self, level: Level, location: &Location, message: String, fields: Json) {
        let mut inner = self.inner();
        if !(inner.live || inner.fresh) || inner.n_log_lines > self.limits.log_lines_max {
            return;
        }
        inner.n_log_lines += 1;
        let message = if inner.n_log_lines > self.limits.log_lines_max {
            "more lines than the limit log_lines_max: later ones are dropped".to_owned()
        } else {
            cut(message, self.limits.text_bytes_max)
        };
        let location = inner.in_body.clone().unwrap_or_else(|| location.clone());
        let at = inner.now;
        inner.logs.push(Log { at, level, location, message, fields });
    }

    /// Asks the children at or below `location` to end.
    pub fn cancel_children_below(&self, location: &Location) {
        let mut inner = self.inner();
        let inner = &mut *inner;
        let children = inner
            .open_children
            .iter()
            .filter(|(at, _)| at.is_below(location))
            .map(|(_, child)| *child);
        inner.cancel_children.extend(children);
        inner.open_children.retain(|at, _| !at.is_below(location));
    }
}
