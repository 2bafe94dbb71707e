//! The task that owns a run while the run is in memory: load, drive, leave.

mod begin;
mod settle;
mod without_code;

use std::rc::Rc;
use std::sync::Arc;

use stepwell_journal::{
    Event, EventKind, RunId, RunStarted, RunStatus, Seq, UnixMillis, effective,
};
use stepwell_kernel::{Execution, LocalBoxFuture, Setup, Workflow};
use stepwell_store::{Commit, CommitError, InboxItem, LoadedRun, StoreError};

use crate::clock::Backoff;
use crate::config::STORE_RETRY_MS;
use crate::drive::{Drive, Leave, Surroundings};
use crate::facts::RunFacts;
use crate::host::RunHost;
use crate::link::{Busy, Call, Link};
use crate::missed::{catch_up, may_have_missed};
use crate::row::RowShadow;
use crate::schedule::{Assignment, Why};
use crate::shared::Shared;
use crate::stats::{Counters, count};
use crate::waiters::Loss;

pub(crate) struct RunTask {
    shared: Arc<Shared>,
    worker: usize,
    run: RunId,
    link: Arc<Link>,
    busy: Busy,
    backoff: Backoff,
}

/// Whether a task goes on.
enum Then {
    /// With the run as the store has it now.
    Again,
    Leave,
}

impl RunTask {
    pub fn new(shared: Arc<Shared>, worker: usize, assignment: Assignment) -> RunTask {
        let Assignment { run, link, busy, fresh: _ } = assignment;
        let backoff = Backoff::new(STORE_RETRY_MS.0, STORE_RETRY_MS.1);
        RunTask { shared, worker, run, link, busy, backoff }
    }

    /// Until the run leaves memory. By then the schedule has been told.
    ///
    /// Thousands of these are in memory at a time, each with room for the longest of its awaits. So what
    /// most runs never come to is boxed, and nothing is held twice.
    pub async fn run(mut self, mut fresh: Option<Box<LoadedRun>>) {
        loop {
            if self.link.has(Call::Abort) {
                return self.leave_now();
            }
            let is_fresh = fresh.is_some();
            let loaded = match fresh.take() {
                Some(loaded) => Ok(loaded),
                None => self.load().await,
            };
            let then = match loaded {
                Ok(loaded) => self.take_up(loaded, is_fresh).await,
                Err(then) => then,
            };
            match then {
                Then::Again => {}
                Then::Leave => return,
            }
        }
    }

    async fn load(&mut self) -> Result<Box<LoadedRun>, Then> {
        // Whatever was posted before this is in what we are about to read.
        self.link.take(Call::Nudged);
        self.link.take(Call::Woken);
        let acks = self.link.take_acks();
        let asked = self.shared.updates.owed.asking();
        let loaded = match self.shared.store.load(self.run).await {
            Ok(loaded) => loaded,
            Err(error) => return Err(self.store_failed(error).await),
        };
        self.link.set_trouble(None);
        count(&self.counters().n_loads, 1);
        self.shared.meters.loaded();
        let Some(loaded) = loaded else {
            tracing::warn!(run = %self.run, "a run that does not exist was called");
            self.shared.updates.owed.pay(self.run, asked, Seq(0), |_| {});
            let now = self.shared.clock.now();
            self.shared.admission.given_up(self.run, &self.shared.schedule, now);
            return Err(self.release());
        };
        self.shared.tell_loaded(&loaded, asked);
        // The inbox is given to the execution before anything can move, so a cancel has been taken.
        Link::send_acks(acks);
        Ok(Box::new(loaded))
    }

    async fn take_up(&mut self, mut loaded: Box<LoadedRun>, is_fresh: bool) -> Then {
        // The run may have moved to another engine, and on, since the store was asked for it.
        if self.link.has(Call::Abort) || self.shared.ownership.has_run_out() {
            self.leave_now();
            return Then::Leave;
        }
        if loaded.row.status.is_ended() {
            return Box::pin(self.settle(&loaded)).await;
        }
        let now = self.shared.clock.now();
        if let Some(wake_at) = loaded.row.wake_at
            && loaded.row.status == RunStatus::Pending
            && wake_at > now
            && !has_cancel(&loaded)
        {
            self.shared.timers.insert(wake_at, self.run);
            return self.release();
        }
        let Some(started) = started_of(&loaded) else {
            return self.quarantine("the journal does not begin with the run's start");
        };
        let workflow = match self.shared.registry.find(started).await {
            Ok(Some(workflow)) => workflow,
            Ok(None) => return Box::pin(self.without_code(&loaded, now)).await,
            Err(error) => return self.store_failed(StoreError::Unavailable(error)).await,
        };
        if has_cancel(&loaded) && !is_cancelled(&loaded.journal) {
            return Box::pin(self.accept_cancel(&loaded)).await;
        }
        if !self.may_begin(&loaded, now) {
            return self.release();
        }
        if may_have_missed(&loaded)
            && let Err(error) = Box::pin(catch_up(&self.shared, &mut loaded)).await
        {
            return self.store_failed(error).await;
        }
        self.drive(workflow, loaded, is_fresh).await
    }

    async fn drive(&mut self, workflow: Workflow, loaded: Box<LoadedRun>, is_fresh: bool) -> Then {
        let (facts, execution) = match self.execution(&workflow, &loaded, is_fresh) {
            Ok(made) => made,
            Err(problem) => return self.quarantine(&problem),
        };
        count(&self.counters().n_replayed, loaded.journal.len() as u64);
        self.shared.meters.replayed(loaded.journal.len() as u64);
        let around = Surroundings {
            shared: &self.shared,
            counters: &self.shared.counters[self.worker],
            link: &self.link,
            busy: &self.busy,
            facts: &facts,
        };
        let leave = {
            let mut drive = Drive::new(around, execution, &loaded);
            drop((workflow, loaded));
            drive.run().await
        };
        match leave {
            Leave::Ended => {
                count(&self.counters().n_ended, 1);
                self.link.take(Call::Woken);
                self.release()
            }
            Leave::Asleep { wake_at } => self.fall_asleep(wake_at),
            Leave::Stopped | Leave::Aborted => {
                self.leave_now();
                Then::Leave
            }
            Leave::Failed(error) => self.commit_failed(error).await,
        }
    }

    fn execution(
        &self,
        workflow: &Workflow,
        loaded: &LoadedRun,
        is_fresh: bool,
    ) -> Result<(RunFacts, Execution), String> {
        let Some(facts) = RunFacts::of(loaded) else {
            return Err("the journal does not begin with the run's start".to_owned());
        };
        // A run that was under way when another process owned it may have been cut off by a crash.
        let was_cut_off = !is_fresh
            && loaded.row.status != RunStatus::Waiting
            && self.shared.may_predate(loaded.row.created_at);
        let setup = Setup {
            run: self.run,
            journal: &loaded.journal,
            workflow,
            host: Rc::new(RunHost {
                shared: Arc::clone(&self.shared),
                worker: self.worker,
                subject: facts.subject.clone(),
            }),
            limits: self.shared.config.limits.clone(),
            careful: was_cut_off,
            now: self.shared.clock.now(),
        };
        match Execution::load(setup) {
            Ok(execution) => Ok((facts, execution)),
            Err(error) => Err(error.to_string()),
        }
    }

    /// A cancel goes into the journal before the code is brought to life: no step may begin after it.
    async fn accept_cancel(&mut self, loaded: &LoadedRun) -> Then {
        let at = self.shared.clock.now();
        let mut commit = self.commit_to(loaded);
        for inboxed in &loaded.inbox {
            if let InboxItem::Cancel { reason } = &inboxed.item {
                commit.taken.push(inboxed.id);
                if commit.events.is_empty() {
                    let kind = EventKind::CancelRequested { reason: reason.clone() };
                    commit.events.push(Event { seq: commit.first_seq, at, kind });
                }
            }
        }
        commit.row = RowShadow::of(&loaded.row).follow(&commit.events, at);
        // Whoever loads the run next tells.
        self.shared.updates.owed.owe(self.run, commit.first_seq);
        match self.shared.store.commit(commit).await {
            Ok(()) => Then::Again,
            Err(error) => self.commit_failed(error).await,
        }
    }

    fn fall_asleep(&mut self, wake_at: Option<UnixMillis>) -> Then {
        if !self.shared.schedule.release(self.run, &self.link) {
            return Then::Again;
        }
        if let Some(at) = wake_at {
            self.shared.timers.insert(at, self.run);
        }
        count(&self.counters().n_hibernated, 1);
        Then::Leave
    }

    fn commit_failed(&mut self, error: CommitError) -> LocalBoxFuture<'_, Then> {
        let then = match error {
            CommitError::Fenced { .. } => {
                tracing::warn!(run = %self.run, %error, "another engine owns the run now");
                self.shared.fenced(self.run);
                self.leave_now();
                Then::Leave
            }
            CommitError::UnknownRun { .. } => {
                tracing::warn!(run = %self.run, "the run is gone");
                self.release()
            }
            CommitError::Store(error) => return self.store_failed(error),
            // A lost answer, or a cancel that came first. What the store has decides.
            error => {
                tracing::debug!(run = %self.run, %error, "the run is loaded again");
                Then::Again
            }
        };
        Box::pin(std::future::ready(then))
    }

    fn store_failed(&mut self, error: StoreError) -> LocalBoxFuture<'_, Then> {
        Box::pin(self.wait_for_store(error))
    }

    async fn wait_for_store(&mut self, error: StoreError) -> Then {
        if self.link.has(Call::Stop) {
            self.leave_now();
            return Then::Leave;
        }
        let delay_ms = self.backoff.next_ms();
        tracing::warn!(run = %self.run, %error, delay_ms, "the store failed, the run waits for it");
        self.link.set_trouble(Some(error.to_string()));
        let until = self.shared.clock.now().plus_ms(delay_ms);
        let mut sleep = self.shared.clock.sleep_until(until);
        let _rest = self.busy.rest(0);
        // What wakes the run, such as a message, must wait for the store too.
        while !self.link.has(Call::Stop) && !self.link.has(Call::Abort) {
            self.link.take(Call::Woken);
            self.link.take(Call::Nudged);
            tokio::select! {
                biased;
                () = &mut sleep => break,
                () = self.link.called() => {}
            }
        }
        Then::Again
    }

    fn quarantine(&mut self, problem: &str) -> Then {
        tracing::error!(run = %self.run, problem, "the run cannot be loaded and is left alone");
        self.shared.schedule.quarantine(self.run, problem, &self.link);
        self.shared.admission.given_up(self.run, &self.shared.schedule, self.shared.clock.now());
        self.shared.waiters.lost(self.run, &Loss::Quarantined(problem.to_owned()));
        Then::Leave
    }

    fn release(&mut self) -> Then {
        if self.shared.schedule.release(self.run, &self.link) { Then::Leave } else { Then::Again }
    }

    /// Leaves whatever was called: the store has everything.
    fn leave_now(&self) {
        self.link.call(Call::Abort);
        // Cannot be refused: the abort stands above every call.
        let _ = self.shared.schedule.release(self.run, &self.link);
        // The run may have come back while this task waited for the store: then it was called, and not a new one.
        let was_called = self.link.has(Call::Nudged) || self.link.has(Call::Woken);
        if was_called && !self.shared.ownership.has_run_out() {
            self.shared.schedule.activate(self.run, Why::Found);
        }
    }

    fn commit_to(&self, loaded: &LoadedRun) -> Commit {
        let end: Seq = loaded.row.next_seq;
        Commit::new(self.run, self.shared.ownership.epoch(self.run), end)
    }

    fn counters(&self) -> &Counters {
        &self.shared.counters[self.worker]
    }
}

fn started_of(loaded: &LoadedRun) -> Option<&RunStarted> {
    match loaded.journal.first() {
        Some(Event { kind: EventKind::RunStarted(started), .. }) => Some(started),
        _ => None,
    }
}

fn has_cancel(loaded: &LoadedRun) -> bool {
    loaded.inbox.iter().any(|inboxed| matches!(inboxed.item, InboxItem::Cancel { .. }))
}

fn is_cancelled(journal: &[Event]) -> bool {
    effective(journal).any(|event| matches!(event.kind, EventKind::CancelRequested { .. }))
}
