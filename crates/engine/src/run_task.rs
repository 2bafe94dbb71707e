//! The task that owns a run while the run is in memory: load, drive, leave.

mod begin;
mod without_code;

use std::rc::Rc;
use std::sync::Arc;

use stepwell_journal::{
    Event, EventKind, RunId, RunOutcome, RunStarted, RunState, RunStatus, Seq, UnixMillis,
    effective,
};
use stepwell_kernel::{Execution, Setup, Workflow};
use stepwell_store::{Commit, CommitError, InboxItem, LoadedRun, StoreError};

use crate::children::catch_up;
use crate::clock::Backoff;
use crate::config::STORE_RETRY_MS;
use crate::drive::{Drive, Leave, Surroundings};
use crate::effects::{child_ended, no_answer};
use crate::facts::RunFacts;
use crate::host::RunHost;
use crate::link::{Busy, Call, Link};
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
    pub async fn run(mut self, mut fresh: Option<Box<LoadedRun>>) {
        loop {
            if self.link.has(Call::Abort) {
                return self.leave_now();
            }
            let then = match fresh.take() {
                Some(loaded) => self.take_up(*loaded, true).await,
                None => self.load().await,
            };
            match then {
                Then::Again => {}
                Then::Leave => return,
            }
        }
    }

    async fn load(&mut self) -> Then {
        // Whatever was posted before this is in what we are about to read.
        self.link.take(Call::Nudged);
        self.link.take(Call::Woken);
        let acks = self.link.take_acks();
        let asked = self.shared.updates.owed.asking();
        let loaded = match self.shared.store.load(self.run).await {
            Ok(loaded) => loaded,
            Err(error) => return self.store_failed(error).await,
        };
        self.link.set_trouble(None);
        count(&self.counters().n_loads, 1);
        self.shared.meters.loaded();
        let Some(loaded) = loaded else {
            tracing::warn!(run = %self.run, "a run that does not exist was called");
            self.shared.updates.owed.pay(self.run, asked, Seq(0), |_| {});
            let now = self.shared.clock.now();
            self.shared.admission.given_up(self.run, &self.shared.schedule, now);
            return self.release();
        };
        self.shared.tell_loaded(&loaded, asked);
        // The inbox is given to the execution before anything can move, so a cancel has been taken.
        Link::send_acks(acks);
        self.take_up(loaded, false).await
    }

    async fn take_up(&mut self, mut loaded: LoadedRun, is_fresh: bool) -> Then {
        if loaded.row.status.is_ended() {
            return self.settle(&loaded).await;
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
            Ok(None) => return self.without_code(loaded, now).await,
            Err(error) => return self.store_failed(StoreError::Unavailable(error)).await,
        };
        if has_cancel(&loaded) && !is_cancelled(&loaded.journal) {
            return self.accept_cancel(&loaded).await;
        }
        if !self.may_begin(&loaded, now) {
            return self.release();
        }
        if let Err(error) = catch_up(&self.shared, &mut loaded).await {
            return self.store_failed(error).await;
        }
        self.drive(&workflow, loaded, is_fresh).await
    }

    async fn drive(&mut self, workflow: &Workflow, loaded: LoadedRun, is_fresh: bool) -> Then {
        let (facts, execution) = match self.execution(workflow, &loaded, is_fresh) {
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
        let drive = Drive::new(around, execution, &loaded);
        drop(loaded);
        match drive.run().await {
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

    /// Somebody calls a run that has ended. Who asked it something must not wait for ever, and neither
    /// must a parent that was resumed and started it once more.
    async fn settle(&mut self, loaded: &LoadedRun) -> Then {
        let state = match RunState::fold(self.run, &loaded.journal) {
            Ok(state) => state,
            Err(error) => return self.quarantine(&error.to_string()),
        };
        self.shared.free_slot(self.run, &loaded.row.namespace, &loaded.row.workflow);
        if let Some(outcome) = &state.outcome {
            // Who begins to wait from here on looks into the store.
            self.link.call(Call::Ended);
            self.shared.waiters.ended(self.run, outcome);
        }
        let mut commit = self.commit_to(loaded);
        for inboxed in &loaded.inbox {
            if let InboxItem::Message { id, reply: Some(reply), .. } = &inboxed.item {
                commit.posts.extend(no_answer(self.run, *id, reply, inboxed.at));
            }
        }
        commit.posts.extend(self.end_for_parent(&state, &loaded.journal));
        // Two that have ended would otherwise tell each other the same for ever.
        if let Err(error) = self.drop_posts_to_ended(&mut commit).await {
            return self.store_failed(error).await;
        }
        let told: Vec<RunId> = commit.posts.iter().map(|post| post.to).collect();
        if !told.is_empty() {
            if let Err(error) = self.shared.store.commit(commit).await {
                return self.commit_failed(error).await;
            }
            told.into_iter().for_each(|run| self.shared.schedule.activate(run, Why::Nudge));
        }
        self.release()
    }

    async fn drop_posts_to_ended(&self, commit: &mut Commit) -> Result<(), StoreError> {
        let mut kept = Vec::with_capacity(commit.posts.len());
        for post in std::mem::take(&mut commit.posts) {
            let row = self.shared.store.row(post.to).await?;
            if row.is_some_and(|row| !row.status.is_ended()) {
                kept.push(post);
            }
        }
        commit.posts = kept;
        Ok(())
    }

    fn end_for_parent(&self, state: &RunState, journal: &[Event]) -> Option<stepwell_store::Post> {
        let parent = state.started.as_ref()?.parent.as_ref()?;
        let outcome: &RunOutcome = state.outcome.as_ref()?;
        let ended = journal.iter().rev().find(|event| event.kind.is_outcome())?;
        Some(child_ended(self.run, parent, outcome, ended))
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

    async fn commit_failed(&mut self, error: CommitError) -> Then {
        match error {
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
            CommitError::Store(error) => self.store_failed(error).await,
            // A lost answer, or a cancel that came first. What the store has decides.
            error => {
                tracing::debug!(run = %self.run, %error, "the run is loaded again");
                Then::Again
            }
        }
    }

    async fn store_failed(&mut self, error: StoreError) -> Then {
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
        self.shared.schedule.quarantine(self.run, problem);
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
