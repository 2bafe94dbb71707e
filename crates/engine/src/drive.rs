//! One run while it is in memory: decide, write, act.
//!
//! ```text
//!                    Link                          Clock
//!      calls: woken, nudged, stop, abort      deadlines
//!                      |                           |
//!                      v                           v
//!   Execution <---- Drive: next() -> Happening -> handle() ----> Store: commit, inbox
//!     poll,              |
//!     receive,           +-- after each commit: Effects --> other runs, waiters, subscribers
//!     batch_committed
//! ```
//!
//! At most one commit is under way at a time. While it is, step bodies go on.

mod leave;

use std::sync::Arc;
use std::task::Waker;

use stepwell_journal::{Seq, UnixMillis};
use stepwell_kernel::{CommitNeed, Execution, Input};
use stepwell_store::{Commit, CommitError, Inboxed, LoadedRun, RowChange, StoreError};

use crate::clock::{BoxFuture, Sleeper};
use crate::compaction::{commit_compacted, garbage_that_stays};
use crate::config::{GARBAGE_MIN, LAZY_COMMIT_MS, SHOW_RUNNING_AFTER_MS};
use crate::effects::Effects;
use crate::facts::RunFacts;
use crate::inbox::{Inbox, Reading, input_of};
use crate::link::{Busy, Call, Link};
use crate::row::RowShadow;
pub(crate) use leave::Leave;

use crate::shared::Shared;
use crate::stats::{Counters, count};
use crate::updates::Untold;

pub(crate) struct Drive<'s> {
    shared: &'s Shared,
    counters: &'s Counters,
    link: &'s Arc<Link>,
    busy: &'s Busy,
    facts: &'s RunFacts,
    execution: Execution,
    waker: Waker,
    sleeper: Sleeper,
    row: RowShadow,
    /// Where the journal goes on, as far as commits were made or are under way.
    end: Seq,
    flight: Option<Flight<'s>>,
    reading: Option<Reading<'s>>,
    inbox: Inbox,
    times: Times,
    /// How much garbage there was at the last compaction.
    garbage_before: u64,
    /// Whether the workflow has seen everything that was committed.
    is_settled: bool,
    /// What subscribers are told once the run's state shows it.
    untold: Untold<'s>,
}

/// The commit that is under way.
struct Flight<'s> {
    done: BoxFuture<'s, Result<(), CommitError>>,
    effects: Effects,
    /// Whether the execution waits for this one.
    is_batch: bool,
    n_events: u64,
    began: u64,
}

struct Times {
    resident_since: UnixMillis,
    /// Since when nothing happened.
    idle_since: UnixMillis,
    /// Since when events wait that nobody waits for.
    lazy_since: Option<UnixMillis>,
}

/// What can happen to a run in memory.
enum Happening {
    Committed(Result<(), CommitError>),
    Read(Result<Vec<Inboxed>, StoreError>),
    Called,
    Deadline,
}

/// What a drive needs of its task.
pub(crate) struct Surroundings<'s> {
    pub shared: &'s Shared,
    pub counters: &'s Counters,
    pub link: &'s Arc<Link>,
    pub busy: &'s Busy,
    pub facts: &'s RunFacts,
}

impl<'s> Drive<'s> {
    pub fn new(around: Surroundings<'s>, execution: Execution, loaded: &LoadedRun) -> Drive<'s> {
        let Surroundings { shared, counters, link, busy, facts } = around;
        let now = shared.clock.now();
        let garbage_before = garbage_that_stays(execution.state().n_garbage, facts, loaded);
        let mut drive = Drive {
            shared,
            counters,
            link,
            busy,
            facts,
            execution,
            waker: Waker::from(Arc::clone(link)),
            sleeper: Sleeper::new(Arc::clone(&shared.clock)),
            row: RowShadow::of(&loaded.row),
            end: loaded.row.next_seq,
            flight: None,
            reading: None,
            inbox: Inbox::default(),
            times: Times { resident_since: now, idle_since: now, lazy_since: None },
            garbage_before,
            is_settled: true,
            untold: Untold::new(&shared.updates, shared.observed.is_wanted(), facts.run),
        };
        drive.receive(&loaded.inbox, now);
        drive
    }

    /// Until the run leaves memory.
    pub async fn run(&mut self) -> Leave {
        let mut poll_due = true;
        loop {
            if self.is_over() {
                return Leave::Aborted;
            }
            let now = self.shared.clock.now();
            // Once the outcome is decided, what comes belongs to whoever goes on with the run.
            let takes_more = self.reading.is_none() && !self.execution.has_decided();
            if takes_more && self.link.take(Call::Nudged) {
                self.read_inbox();
            }
            poll_due |= self.link.take(Call::Woken);
            if poll_due && !self.is_leaving() {
                self.execution.poll(now, &self.waker);
                self.is_settled = true;
                poll_due = false;
                self.publish();
            }
            if self.flight.is_none() {
                self.write(now);
            }
            if let Some(leave) = self.may_leave(now) {
                return leave;
            }
            match self.next(now).await {
                Happening::Committed(Ok(())) => poll_due |= self.committed(),
                Happening::Committed(Err(error)) => return self.not_committed(error),
                Happening::Read(Ok(items)) => {
                    let now = self.shared.clock.now();
                    self.receive(&items, now);
                    self.look_again();
                    if let Some(reading) = self.reading.take() {
                        Link::send_acks(reading.acks);
                    }
                    poll_due = true;
                }
                // A commit may be under way all the same.
                Happening::Read(Err(error)) => return self.not_committed(error.into()),
                Happening::Called => {}
                Happening::Deadline => poll_due = true,
            }
        }
    }

    /// Somebody else may have the run: no body may begin here, and no commit would count.
    fn is_over(&self) -> bool {
        self.link.has(Call::Abort) || self.shared.ownership.has_run_out()
    }

    async fn next(&mut self, now: UnixMillis) -> Happening {
        let deadline = self.deadline(now);
        let waits = self.flight.is_none() && self.reading.is_none();
        let _rest = waits.then(|| self.busy.rest(self.execution.n_bodies()));
        let commit = async {
            match &mut self.flight {
                Some(flight) => flight.done.as_mut().await,
                None => std::future::pending().await,
            }
        };
        let read = async {
            match &mut self.reading {
                Some(reading) => reading.done.as_mut().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            result = commit => Happening::Committed(result),
            result = read => Happening::Read(result),
            () = self.link.called() => Happening::Called,
            () = self.sleeper.ring(deadline) => Happening::Deadline,
        }
    }

    fn deadline(&self, now: UnixMillis) -> Option<UnixMillis> {
        if self.is_leaving() {
            // It is not polled any more, so nothing would become of a date that is due.
            return None;
        }
        let wanted = self.execution.next_deadline();
        if self.flight.is_some() {
            return wanted;
        }
        let lazy = self.times.lazy_since.map(|since| since.plus_ms(LAZY_COMMIT_MS));
        let show = (self.row.status() == stepwell_journal::RunStatus::Pending)
            .then(|| self.times.resident_since.plus_ms(SHOW_RUNNING_AFTER_MS));
        let sleep = self.sleeps_at(now);
        // Whatever is due was done before: only what lies ahead is worth waking for.
        [lazy, show, sleep].into_iter().flatten().filter(|at| *at > now).chain(wanted).min()
    }

    // --- Write -------------------------------------------------------------------------------------

    /// Begins the commit that is needed most, if one is.
    fn write(&mut self, now: UnixMillis) {
        let stopping = self.link.has(Call::Stop);
        let take_batch = match self.execution.commit_need() {
            CommitNeed::Now => true,
            CommitNeed::Lazy => {
                let since = *self.times.lazy_since.get_or_insert(now);
                stopping || now >= since.plus_ms(LAZY_COMMIT_MS)
            }
            CommitNeed::None => false,
        };
        if take_batch && let Some(batch) = self.execution.take_batch() {
            self.times.lazy_since = None;
            let mut commit = self.commit(batch.first_seq);
            let effects = Effects::of(self.facts, &self.execution.state(), batch, &mut commit);
            effects.expect_children(self.shared);
            self.untold.add(&commit.events);
            self.shared.meters.committing(&commit.events);
            commit.row = self.row.follow(&commit.events, now);
            if self.goes_to_sleep(now) {
                // One commit says both what it waits for and that it waits.
                let wake_at = self.execution.state().wake_at();
                commit.row = self.row.waiting(wake_at, now).or(commit.row);
            }
            self.end = commit.next_seq();
            let n_events = commit.events.len() as u64;
            let done = self.shared.store.commit(commit);
            let began = self.shared.meters.ticks();
            self.flight = Some(Flight { done, effects, is_batch: true, n_events, began });
            return;
        }
        if self.inbox.has_taken() {
            // These made no events: a second copy of a message, or a wake.
            return self.write_bare(None);
        }
        let shown_at = self.times.resident_since.plus_ms(SHOW_RUNNING_AFTER_MS);
        if now >= shown_at
            && let Some(row) = self.row.running(now)
        {
            return self.write_bare(Some(row));
        }
        self.compact_if_worth();
    }

    fn write_bare(&mut self, row: Option<RowChange>) {
        let mut commit = self.commit(self.end);
        commit.row = row;
        let done = self.shared.store.commit(commit);
        self.fly_bare(done);
    }

    /// A commit that the execution does not wait for.
    fn fly_bare(&mut self, done: BoxFuture<'s, Result<(), CommitError>>) {
        let (effects, began) = (Effects::default(), self.shared.meters.ticks());
        self.flight = Some(Flight { done, effects, is_batch: false, n_events: 0, began });
    }

    fn commit(&mut self, first_seq: Seq) -> Commit {
        let mut commit =
            Commit::new(self.facts.run, self.shared.ownership.epoch(self.facts.run), first_seq);
        commit.taken = self.inbox.take_out();
        commit
    }

    /// Drops what no replay can need, so that an endless loop has a bounded journal. It pays when as
    /// much goes as stays: then each event is copied once on average.
    fn compact_if_worth(&mut self) {
        let n_garbage = self.execution.state().n_garbage;
        let n_new = n_garbage.saturating_sub(self.garbage_before);
        let n_kept = self.execution.n_events();
        if n_new < GARBAGE_MIN || n_new < n_kept {
            return;
        }
        self.garbage_before = n_garbage;
        let commit = self.commit(self.end);
        let done = commit_compacted(&*self.shared.store, commit);
        self.fly_bare(done);
    }

    // --- Act ---------------------------------------------------------------------------------------

    /// The commit under way is durable. True if the workflow has something to see.
    fn committed(&mut self) -> bool {
        let Some(flight) = self.flight.take() else { return false };
        self.shared.meters.committed(flight.began);
        count(&self.counters.n_commits, 1);
        count(&self.counters.n_events, flight.n_events);
        self.inbox.taken_out();
        self.look_again();
        if !flight.is_batch {
            return false;
        }
        self.execution.batch_committed();
        self.is_settled = false;
        self.times.idle_since = self.shared.clock.now();
        if flight.effects.wants_messages && self.inbox.may_admit_more() {
            self.link.call(Call::Nudged);
        }
        flight.effects.tell_answers(self.shared, self.facts);
        if let Some(outcome) = &flight.effects.outcome {
            // In this order, for those who subscribe and then look: see `RunHandle::outcome`.
            self.link.call(Call::Ended);
            self.shared.run_ended(self.facts, outcome);
        }
        flight.effects.perform(self.shared, self.facts);
        true
    }

    /// Tells subscribers what was committed, with the status that it led to.
    fn publish(&mut self) {
        // News of the commit that is under way wait for it.
        if !self.untold.is_empty() && self.flight.is_none() {
            let events = self.untold.tell(&self.facts.subject, self.execution.state().status());
            self.shared.observed.committed(self.facts, &events);
        }
    }

    fn not_committed(&mut self, error: CommitError) -> Leave {
        count(&self.counters.n_commit_errors, 1);
        if let Some(flight) = self.flight.take() {
            flight.effects.assume_nothing(self.shared);
        }
        Leave::Failed(error)
    }

    // --- The inbox ---------------------------------------------------------------------------------

    fn read_inbox(&mut self) {
        self.inbox.forget_what_left();
        let acks = self.link.take_acks();
        let done = self.shared.store.inbox(self.facts.run);
        self.reading = Some(Reading { done, acks });
    }

    fn look_again(&mut self) {
        if self.inbox.must_look_again() {
            self.link.call(Call::Nudged);
        }
    }

    fn receive(&mut self, items: &[Inboxed], now: UnixMillis) {
        let messages_max = self.shared.config.limits.mailbox_messages_max;
        for inboxed in items {
            if self.execution.has_decided() {
                // It stays in the inbox: a cancel makes the store refuse any other outcome, a message is
                // there for a run that is resumed.
                return self.link.call(Call::Nudged);
            }
            if !self.inbox.admit(inboxed, &self.execution.state(), messages_max) {
                continue;
            }
            if let Some(input) = input_of(inboxed) {
                let has_key = matches!(&input, Input::Message(message) if message.key.is_some());
                self.execution.receive(now, input);
                self.times.idle_since = now;
                if has_key && !self.is_over() {
                    // So that the next one with this key is recognised.
                    self.execution.poll(now, &self.waker);
                }
            }
        }
    }
}
