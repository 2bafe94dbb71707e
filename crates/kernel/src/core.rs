//! What a run's operations share: the fold, the events on their way, and who waits for what.

use std::cell::{Cell, Ref, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use stepwell_journal::{
    EntryKind, Event, EventKind, Failure, FailureKind, Json, Location, MessageId, Outcome, RunId,
    RunState, Seq, UnixMillis, stable_hash,
};

use crate::execution::{AnswerOut, ChildStart, Log};
use crate::limits::cut;
use crate::rollback::UndoHandler;
use crate::scope::Scope;
use crate::{Error, Host, Level, Limits};

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
    /// The journal has a cancel or a rollback: all that the function decided is before that. Replay may
    /// carry it further than it came, for it was stopped before it saw the last events.
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
        let seed = state.started.as_ref().map_or(0, |started| started.seed);
        let open_children = state
            .open_entries()
            .filter_map(|(location, entry)| Some((location.clone(), entry.child.as_ref()?.0)))
            .collect();
        Core {
            run: state.run,
            seed,
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
                was_stopped: state.cancel.is_some() || state.rollback.is_some(),
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

    // --- Entries -----------------------------------------------------------------------------------

    /// Makes the caller the one that stands for the entry. Refused if the name is taken, if the journal
    /// has something else there, or if this is not the moment for operations.
    pub async fn claim(&self, scope: &Rc<Scope>, location: &Location, kind: EntryKind) {
        if let Err(failure) = self.try_claim(scope, location, kind) {
            self.fault(failure);
            // Nobody may catch this: the execution ends the run when it sees the fault.
            std::future::pending::<()>().await;
        }
    }

    pub fn try_claim(
        &self,
        scope: &Rc<Scope>,
        location: &Location,
        kind: EntryKind,
    ) -> Result<(), Failure> {
        let mut inner = self.inner();
        let misuse = |text: String| Failure::new(FailureKind::Misuse, text).at(location);
        if let Some(problem) = inner.misplaced(scope, || format!("{kind} `{location}`")) {
            return Err(misuse(problem));
        }
        if let Some(entry) = inner.state.entry(location)
            && entry.kind != kind
        {
            return Err(Failure::new(
                FailureKind::Divergence,
                format!(
                    "run {}: at `{location}` the journal has a {} (since {}), the code asks for a {kind}",
                    self.run, entry.kind, entry.first_seq
                ),
            )
            .at(location));
        }
        if inner.claimed.contains_key(location) {
            return Err(misuse(format!(
                "the name of {kind} `{location}` is used twice in its scope; names must be unique there"
            )));
        }
        let n = inner.n_claims;
        inner.n_claims += 1;
        inner.claimed.insert(location.clone(), n);
        inner.unclaimed.remove(location);
        Ok(())
    }

    /// Ends the run if code other than that of `scope` is what runs now: what it does would differ on
    /// replay. False if so.
    pub fn check_place(&self, scope: &Rc<Scope>, what: &str) -> bool {
        let problem = self.peek().misplaced(scope, || what.to_owned());
        let Some(problem) = problem else { return true };
        self.fault(Failure::new(FailureKind::Misuse, problem).at(&scope.location));
        false
    }

    /// Ends the run with an error that no workflow code can catch. The first one stands.
    pub fn fault(&self, failure: Failure) {
        let mut inner = self.inner();
        if inner.fault.is_none() {
            inner.fault = Some(failure);
        }
    }

    /// At the end of a scope every recorded entry in it must have been asked for.
    pub fn check_all_claimed(&self, scope: &Location) {
        let missing = {
            let inner = self.peek();
            if inner.unclaimed.is_empty() {
                return;
            }
            inner.unclaimed_below(scope).map(|location| {
                let entry = inner.state.entry(location);
                let kind = entry.map_or("entry", |entry| entry.kind.as_str());
                let since = entry.map_or(Seq(0), |entry| entry.first_seq);
                Failure::new(
                    FailureKind::Divergence,
                    format!(
                        "run {}: the journal has a {kind} at `{location}` (since {since}), and the code \
                         went past that place without asking for it; if it was removed on purpose, say \
                         so with `ctx.removed`",
                        self.run
                    ),
                )
                .at(location)
            })
        };
        if let Some(failure) = missing {
            self.fault(failure);
        }
    }

    /// Forgets the names below a location that can never be used again.
    pub fn forget_below(&self, location: &Location) {
        let mut inner = self.inner();
        let (first, end) = location.below();
        let mut later = inner.claimed.split_off(&first);
        inner.claimed.append(&mut later.split_off(&end));
        if !inner.undo.is_empty() {
            inner.undo.retain(|step, _| !step.is_below(location));
        }
    }

    // --- Events ------------------------------------------------------------------------------------

    /// Decides an event. It is delivered in its turn, by [`Core::deliver_next`].
    pub fn emit(&self, kind: EventKind, urgency: Urgency) -> Seq {
        let mut inner = self.inner();
        let seq = inner.next_seq;
        if inner.was_stopped {
            return seq;
        }
        let at = inner.now;
        inner.next_seq = seq.next();
        inner.n_events += 1;
        if let EventKind::ChildStarted { location, child, .. } = &kind {
            inner.open_children.insert(location.clone(), *child);
        }
        let event = Event { seq, at, kind };
        inner.outbox.push(event.clone());
        inner.outbox_urgency = inner.outbox_urgency.max(Some(urgency));
        inner.undelivered.push_back((event, urgency));
        seq
    }

    /// Applies the next event that may be seen, and wakes who waits for it. False if there is none.
    pub fn deliver_next(&self) -> bool {
        let mut inner = self.inner();
        let Some((event, urgency)) = inner.undelivered.front() else { return false };
        if *urgency == Urgency::Durable && event.seq >= inner.durable_to {
            return false;
        }
        let Some((event, _)) = inner.undelivered.pop_front() else { return false };
        let n_garbage = inner.state.n_garbage;
        if let Err(error) = inner.state.apply(&event) {
            // We made this event ourselves: that it makes no sense is a bug in this crate.
            panic!("{error}");
        }
        inner.n_events = inner.n_events.saturating_sub(inner.state.n_garbage - n_garbage);
        if inner.careful && event.seq < inner.durable_to && ends_attempt(&event.kind) {
            inner.careful = false;
        }
        inner.arrive(&event);
        true
    }

    /// The same for an event that was recorded before: the fold has it already.
    pub fn deliver_recorded(&self, event: &Event) {
        self.inner().arrive(event);
    }

    pub fn all_delivered(&self) -> bool {
        self.peek().undelivered.is_empty()
    }

    // --- Waiting -----------------------------------------------------------------------------------

    /// Waits at `location` until `ready` has an answer. It is asked again after each event that is
    /// delivered there, when a deadline armed there is due, and when the run goes live.
    pub async fn until<T>(
        &self,
        location: &Location,
        mut ready: impl FnMut(&mut Inner) -> Option<T>,
    ) -> T {
        let mut waiting = Waiting { core: self, location, has_begun: false };
        poll_fn(|cx| {
            let mut inner = self.inner();
            match ready(&mut inner) {
                Some(answer) => Poll::Ready(answer),
                None => {
                    inner.wait_at(location, cx.waker());
                    waiting.has_begun = true;
                    Poll::Pending
                }
            }
        })
        .await
    }

    /// Waits until the event is delivered.
    pub async fn delivered(&self, location: &Location, seq: Seq) {
        self.until(location, |inner| inner.is_delivered(seq).then_some(())).await;
    }

    /// The recorded outcome of the entry, when its turn comes; none once the run is live and there is
    /// nothing recorded, so that the entry may act.
    pub async fn recorded(&self, location: &Location) -> Option<Outcome> {
        self.until(location, |inner| inner.recorded(location)).await
    }

    /// The outcome of an entry that somebody else will end.
    pub async fn outcome(&self, location: &Location) -> Outcome {
        self.until(location, |inner| {
            let (seq, outcome) = inner.state.entry(location)?.outcome.as_ref()?;
            inner.is_delivered(*seq).then(|| outcome.clone())
        })
        .await
    }

    pub fn wait_at(&self, location: &Location, waker: &Waker) {
        self.inner().wait_at(location, waker);
    }

    pub fn stop_waiting_at(&self, location: &Location) {
        let mut inner = self.inner();
        inner.waiters.remove(location);
    }

    pub fn arm(&self, at: UnixMillis, location: &Location) {
        self.inner().deadlines.insert((at, location.clone()));
    }

    pub fn disarm(&self, at: UnixMillis, location: &Location) {
        self.inner().deadlines.remove(&(at, location.clone()));
    }

    pub fn next_deadline(&self) -> Option<UnixMillis> {
        self.peek().deadlines.first().map(|(at, _)| *at)
    }

    /// Sets the clock and wakes whatever is due.
    pub fn tick(&self, now: UnixMillis) {
        let mut inner = self.inner();
        // A clock that is set back must not make events go back in time.
        inner.now = inner.now.max(now);
        let now = inner.now;
        while let Some((at, _)) = inner.deadlines.first()
            && *at <= now
        {
            let Some((_, location)) = inner.deadlines.pop_first() else { break };
            inner.wake(&location);
        }
    }

    pub fn now(&self) -> UnixMillis {
        self.peek().now
    }

    /// The time of the last event that was delivered.
    pub fn seen_at(&self) -> UnixMillis {
        self.peek().cursor_at
    }

    /// New things may begin: whoever waits looks again, in the order in which the code came to them.
    pub fn go_live(&self, careful: bool) {
        let mut inner = self.inner();
        inner.live = true;
        inner.careful = careful;
        let mut waiters: Vec<_> = std::mem::take(&mut inner.waiters).into_iter().collect();
        waiters.sort_by_key(|(location, _)| inner.claimed.get(location));
        for (_, waker) in waiters {
            waker.wake();
        }
    }

    // --- Where the code is -------------------------------------------------------------------------

    pub fn enter_scope(&self, scope: Option<Rc<Scope>>) -> Option<Rc<Scope>> {
        std::mem::replace(&mut self.inner().current_scope, scope)
    }

    pub fn enter_body(&self, location: Option<Location>) -> Option<Location> {
        std::mem::replace(&mut self.inner().in_body, location)
    }

    /// The code waits, and not for an operation.
    pub fn foreign_await(&self, scope: &Location) {
        let failure = {
            let inner = self.peek();
            if inner.fault.is_some() {
                return;
            }
            let last =
                inner.claimed.keys().filter(|at| at.parent().as_ref() == Some(scope)).count();
            Failure::new(
                FailureKind::Misuse,
                format!(
                    "{scope} awaits something that is not an operation of `ctx`, after {last} operations: \
                     a timer, a channel or a task would not be replayed; do that inside a step, and use \
                     `ctx.sleep`, `ctx.listen`, `ctx.join` and `ctx.race`"
                ),
            )
        };
        self.fault(failure);
    }

    /// The run's input is not of the type that the code wants today. Does not return.
    pub async fn not_the_input<I>(&self, error: &serde_json::Error) -> Result<Json, Error> {
        let (run, shape) = (self.run, std::any::type_name::<I>());
        self.fault(Failure::new(
            FailureKind::Divergence,
            format!(
                "run {run}: the journal has an input that is not the `{shape}` that the code asks for: \
                 {error}"
            ),
        ));
        std::future::pending().await
    }

    /// The code has ended, and an operation that it began is kept alive somewhere.
    pub fn left_behind(&self, scope: &Location) {
        self.fault(
            Failure::new(
                FailureKind::Misuse,
                format!(
                    "{scope} ended while an operation that it began was still under way; await it"
                ),
            )
            .at(scope),
        );
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

    // --- Small things ------------------------------------------------------------------------------

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

impl Inner {
    pub fn is_delivered(&self, seq: Seq) -> bool {
        self.cursor.is_some_and(|cursor| seq <= cursor)
    }

    /// `Some(Some)` when the recorded outcome's turn has come, `Some(None)` when the entry may act.
    pub fn recorded(&self, location: &Location) -> Option<Option<Outcome>> {
        match self.state.entry(location).and_then(|entry| entry.outcome.as_ref()) {
            Some((seq, outcome)) => self.is_delivered(*seq).then(|| Some(outcome.clone())),
            None => (self.live && !self.stopping && self.fault.is_none()).then_some(None),
        }
    }

    /// Whether the entry's outcome is known and delivered.
    pub fn has_outcome(&self, location: &Location) -> bool {
        let outcome = self.state.entry(location).and_then(|entry| entry.outcome.as_ref());
        outcome.is_some_and(|(seq, _)| self.is_delivered(*seq))
    }

    pub fn unclaimed_below(&self, scope: &Location) -> Option<&Location> {
        if scope.is_root() {
            return self.unclaimed.first();
        }
        let (first, end) = scope.below();
        self.unclaimed.range(first..end).next()
    }

    /// Why an operation of `scope` may not begin now, if it may not.
    fn misplaced(&self, scope: &Rc<Scope>, what: impl Fn() -> String) -> Option<String> {
        if let Some(body) = &self.in_body {
            return Some(format!(
                "{} was begun inside the body of step `{body}`; a body may not use `ctx`",
                what()
            ));
        }
        if scope.is_ended() {
            return Some(format!("{} was begun with the `ctx` of a scope that has ended", what()));
        }
        match &self.current_scope {
            None => {
                return Some(format!(
                    "{} was awaited outside of the workflow's own future",
                    what()
                ));
            }
            Some(current) if !Rc::ptr_eq(current, scope) => {
                return Some(format!(
                    "{} was begun with the `ctx` of {}, inside {}; use the `ctx` that the inner function was given",
                    what(),
                    scope.location,
                    current.location
                ));
            }
            Some(_) => {}
        }
        if !self.delivering {
            return Some(format!(
                "the function went on to {} without waiting for an operation of `ctx`: it awaited \
                 something else before, such as a timer or a channel; do that inside a step",
                what()
            ));
        }
        None
    }

    /// Sets the one deadline of whoever waits at `location` in [`Core::until`].
    pub fn arm(&mut self, at: UnixMillis, location: &Location) {
        self.deadlines.insert((at, location.clone()));
        self.armed.insert(location.clone(), at);
    }

    fn wait_at(&mut self, location: &Location, waker: &Waker) {
        match self.waiters.get_mut(location) {
            Some(known) => known.clone_from(waker),
            None => {
                self.waiters.insert(location.clone(), waker.clone());
            }
        }
    }

    fn wake(&mut self, location: &Location) {
        if let Some(waker) = self.waiters.remove(location) {
            waker.wake();
        }
    }

    /// Moves the cursor to the event and wakes who waits for it.
    fn arrive(&mut self, event: &Event) {
        self.cursor = Some(event.seq);
        self.cursor_at = event.at;
        match &event.kind {
            EventKind::MessageReceived(message) => {
                self.arriving.remove(&message.id);
                if let Some(key) = &message.key {
                    self.arriving_keys.remove(key);
                }
                // In the order in which they began to listen: the first takes the message.
                for location in self.listeners.clone() {
                    self.wake(&location);
                }
            }
            EventKind::MessageTaken { ids, .. } => {
                for id in ids {
                    self.reserved.remove(id);
                }
            }
            EventKind::ChildEnded { location, .. } => {
                self.open_children.remove(location);
            }
            _ => {}
        }
        match event.kind.location() {
            Some(location) => self.wake(location),
            None => self.wake(&Location::root()),
        }
    }
}

/// Whoever waits in [`Core::until`]: leaves nothing behind, also when it is dropped.
struct Waiting<'a> {
    core: &'a Core,
    location: &'a Location,
    has_begun: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if !self.has_begun {
            return;
        }
        let mut inner = self.core.inner();
        inner.waiters.remove(self.location);
        if let Some(at) = inner.armed.remove(self.location) {
            inner.deadlines.remove(&(at, self.location.clone()));
        }
    }
}

/// Whether an attempt came to its own end with this event, so that it did not kill the process.
fn ends_attempt(kind: &EventKind) -> bool {
    match kind {
        EventKind::StepSucceeded { .. } => true,
        EventKind::StepFailed { failure, .. } | EventKind::AttemptFailed { failure, .. } => {
            failure.kind != FailureKind::Interrupted
        }
        _ => false,
    }
}
