//! What all parts of one engine have in common.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use stepwell_journal::{Json, RunId, RunOutcome, Seq, UnixMillis, stable_hash};
use stepwell_kernel::RunLimits;
use stepwell_store::{InboxId, InboxItem, LoadedRun, Post, PostError, Posted, Store, StoreError};
use tokio::sync::{Notify, watch};
use uuid::Uuid;

use crate::admission::{Admission, Lane};
use crate::clock::{Backoff, Clock};
use crate::config::{Config, TAKEN_LOOK_MS, TAKEN_MAX_MS};
use crate::facts::RunFacts;
use crate::host::Mocks;
use crate::link::{Bustle, Call};
use crate::meters::Meters;
use crate::news::Audience;
use crate::observer::Observed;
use crate::ownership::Ownership;
use crate::registry::Registry;
use crate::schedule::{Schedule, Why};
use crate::stats::{Counters, Stats};
use crate::timers::Timers;
use crate::updates::{Asked, UpdateHub, news};
use crate::waiters::{Loss, Waiters};
use crate::watchdog::Pulse;

pub(crate) struct Shared {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub ownership: Arc<Ownership>,
    /// What this node leases should be looked at now.
    pub beat_now: Notify,
    pub audience: Audience,
    pub opened_at: UnixMillis,
    pub config: Config,
    pub registry: Registry,
    pub schedule: Schedule,
    pub admission: Admission,
    pub timers: Timers,
    pub waiters: Arc<Waiters>,
    pub updates: Arc<UpdateHub>,
    /// Ended runs that somebody is about to resume.
    pub resuming: Mutex<BTreeSet<RunId>>,
    pub mocks: Mocks,
    /// One per worker.
    pub counters: Vec<Counters>,
    /// One per worker.
    pub pulses: Vec<Pulse>,
    pub meters: Meters,
    pub observed: Observed,
    pub bustle: Option<Arc<Bustle>>,
    /// True once the keeper's tasks should end.
    pub closing: watch::Sender<bool>,
}

impl Shared {
    /// What limits the runs of a workflow, if anything does.
    pub fn limits(&self, lane: &Lane) -> Option<Arc<RunLimits>> {
        if !self.admission.is_in_use() {
            return None;
        }
        let latest = self.registry.latest(&lane.namespace, &lane.workflow);
        self.admission.limits(lane, latest.as_ref().map(|workflow| workflow.run_limits()))
    }

    /// The run's outcome is durable.
    pub fn run_ended(&self, facts: &RunFacts, outcome: &RunOutcome) {
        self.waiters.ended(facts.run, outcome);
        let took_ms = self.clock.now().ms_since(facts.started_at);
        self.meters.run_ended(facts.workflow(), outcome, took_ms);
        self.free_slot(facts.run, facts.namespace(), facts.workflow());
    }

    /// The run has ended, or does not count any more: its slot is free.
    pub fn free_slot(&self, run: RunId, namespace: &str, workflow: &str) {
        if self.admission.is_in_use() {
            let lane = Lane::new(namespace, workflow);
            self.admission.ended(&lane, run, &self.schedule, self.clock.now());
        }
    }

    /// The run was loaded: tells subscribers what the store has of it and nobody has told them.
    pub fn tell_loaded(&self, loaded: &LoadedRun, asked: Asked) {
        let owed = &self.updates.owed;
        owed.pay(loaded.row.run, asked, end_of(loaded), |from| self.tell_from(loaded, from));
    }

    /// The run was created, and whoever did so claimed it: tells subscribers, unless somebody has.
    pub fn tell_created(&self, loaded: &LoadedRun) {
        let owed = &self.updates.owed;
        owed.settle(loaded.row.run, end_of(loaded), |from| self.tell_from(loaded, from));
    }

    fn tell_from(&self, loaded: &LoadedRun, from: Seq) {
        let Some(facts) = RunFacts::of(loaded) else { return };
        let first = loaded.journal.partition_point(|event| event.seq < from);
        let events = &loaded.journal[first..];
        let untold: Vec<_> = events.iter().map(news).collect();
        self.updates.publish(&facts.subject, loaded.row.status, &untold);
        self.observed.committed(&facts, events);
    }

    /// Puts something into a run's inbox and lets the run know.
    pub async fn post(&self, to: RunId, id: InboxId, item: InboxItem) -> Result<Posted, PostError> {
        let at = self.clock.now();
        let nudge = NudgeOnDrop { schedule: &self.schedule, to };
        let posted = self.store.post(Post { to, id, at, item }).await;
        // When the store did not answer, the item may be there all the same.
        if !matches!(posted, Ok(_) | Err(PostError::Store(_))) {
            std::mem::forget(nudge);
        }
        posted
    }

    /// Another engine owns the run: of the whole store, nothing that this one does counts any more; of a shard,
    /// nothing of that shard does.
    pub fn fenced(&self, run: RunId) {
        if let Some(shards) = self.ownership.shards() {
            shards.lose(run);
            let shard = shards.cluster.shard_of(run);
            let is_lost = |run| shards.cluster.shard_of(run) == shard;
            self.schedule.stop_some(Call::Abort, is_lost);
            self.waiters.moved(is_lost);
            self.beat_now.notify_one();
            return;
        }
        self.schedule.stop(Call::Abort);
        self.closing.send_replace(true);
        self.waiters.close(&Loss::Fenced);
        self.updates.close();
    }

    /// Asks to hear of a run that another node has.
    pub async fn watch(&self, run: RunId) -> Result<(), StoreError> {
        if let Some(shards) = self.ownership.shards() {
            shards.cluster.watch(run).await?;
        }
        Ok(())
    }

    /// Waits until the run's owner, on another node, has taken an item out of the run's inbox, but not for
    /// ever: an owner that is dead has an heir, who finds the item.
    pub async fn wait_until_taken(&self, run: RunId, id: InboxId) -> Result<(), StoreError> {
        let mut backoff = Backoff::new(TAKEN_LOOK_MS.0, TAKEN_LOOK_MS.1);
        let until = self.clock.instant() + Duration::from_millis(TAKEN_MAX_MS);
        while self.clock.instant() < until {
            if !self.store.inbox(run).await?.iter().any(|inboxed| inboxed.id == id) {
                return Ok(());
            }
            self.clock.pause(Duration::from_millis(backoff.next_ms())).await;
        }
        Ok(())
    }

    /// Whether a run of this date may have been under way elsewhere. The clocks of other nodes say nothing.
    pub fn may_predate(&self, created_at: UnixMillis) -> bool {
        created_at <= self.opened_at || self.ownership.shards().is_some()
    }

    /// Some runs may be found in the store only.
    pub fn look_again(&self) {
        self.schedule.search_again();
        self.timers.expect_refill();
    }

    /// Ends when the keeper's tasks should.
    pub async fn closed(&self) {
        let mut closing = self.closing.subscribe();
        // Fails only if the sender is gone, and we hold it.
        let _ = closing.wait_for(|closing| *closing).await;
    }

    pub fn stats(&self) -> Stats {
        let mut stats = Stats {
            n_timers: self.timers.len(),
            n_queued: self.admission.n_waiting(),
            n_updates: self.updates.n_published(),
            ..Stats::default()
        };
        self.schedule.count(&mut stats);
        for counters in &self.counters {
            stats.add(counters);
        }
        stats
    }
}

fn end_of(loaded: &LoadedRun) -> Seq {
    loaded.journal.last().map_or(Seq(0), |event| event.seq.next())
}

/// What `random` and `uuid` of the run grow from.
pub(crate) fn seed_of(run: RunId) -> u64 {
    stable_hash(&[run.0.as_bytes()])
}

/// An inbox id that is the same whenever the same thing is posted again.
pub(crate) fn inbox_id(to: RunId, purpose: &str) -> InboxId {
    InboxId(Uuid::new_v5(&to.0, purpose.as_bytes()))
}

/// Whether a value is within the limit.
pub(crate) fn fits(value: &Json, bytes_max: usize) -> bool {
    value.n_bytes() <= bytes_max
}

/// Held by whoever lets events of a run become durable from outside of the run's task: see `owed`. Dropped,
/// also when its holder gives up waiting for the store, the events may be there.
pub(crate) struct Claim<'s> {
    shared: &'s Shared,
    run: RunId,
    from: Seq,
}

impl<'s> Claim<'s> {
    pub fn new(shared: &'s Shared, run: RunId, from: Seq) -> Claim<'s> {
        shared.updates.owed.claim(run, from);
        Claim { shared, run, from }
    }

    /// Nothing was written.
    pub fn give_up(self) {
        self.shared.updates.owed.give_up(self.run, self.from);
        std::mem::forget(self);
    }

    /// The run was created.
    pub fn settle(self, loaded: &LoadedRun) {
        self.shared.tell_created(loaded);
        std::mem::forget(self);
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.shared.updates.owed.release(self.run);
    }
}

/// Makes a run look into its inbox, also when whoever posts there gives up waiting for the store.
pub(crate) struct NudgeOnDrop<'s> {
    pub schedule: &'s Schedule,
    pub to: RunId,
}

impl Drop for NudgeOnDrop<'_> {
    fn drop(&mut self) {
        self.schedule.activate(self.to, Why::Nudge);
    }
}
