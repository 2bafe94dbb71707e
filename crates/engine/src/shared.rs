//! What all parts of one engine have in common.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::RwLock;
use stepwell_journal::{Epoch, Json, RunId, UnixMillis, stable_hash};
use stepwell_kernel::Workflow;
use stepwell_store::{InboxId, InboxItem, Post, PostError, Posted, Store};
use tokio::sync::watch;
use uuid::Uuid;

use crate::clock::Clock;
use crate::config::Config;
use crate::host::Mocks;
use crate::link::{Bustle, Call};
use crate::schedule::{Schedule, Why};
use crate::stats::{Counters, Stats};
use crate::timers::Timers;
use crate::updates::UpdateHub;
use crate::waiters::{Loss, Waiters};

pub(crate) struct Shared {
    pub store: Arc<dyn Store>,
    pub clock: Arc<dyn Clock>,
    pub epoch: Epoch,
    pub opened_at: UnixMillis,
    pub config: Config,
    pub workflows: RwLock<BTreeMap<String, Workflow>>,
    pub schedule: Schedule,
    pub timers: Timers,
    pub waiters: Arc<Waiters>,
    pub updates: UpdateHub,
    pub mocks: Mocks,
    /// One per worker.
    pub counters: Vec<Counters>,
    pub bustle: Option<Arc<Bustle>>,
    /// True once the keeper's tasks should end.
    pub closing: watch::Sender<bool>,
}

impl Shared {
    pub fn workflow(&self, name: &str) -> Option<Workflow> {
        self.workflows.read().get(name).cloned()
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

    /// Another engine owns the store: nothing that this one does counts any more.
    pub fn fenced(&self) {
        self.schedule.stop(Call::Abort);
        self.closing.send_replace(true);
        self.waiters.close(&Loss::Fenced);
        self.updates.close();
    }

    /// Ends when the keeper's tasks should.
    pub async fn closed(&self) {
        let mut closing = self.closing.subscribe();
        // Fails only if the sender is gone, and we hold it.
        let _ = closing.wait_for(|closing| *closing).await;
    }

    pub fn stats(&self) -> Stats {
        let mut stats = Stats { n_timers: self.timers.len(), ..Stats::default() };
        self.schedule.count(&mut stats);
        for counters in &self.counters {
            stats.add(counters);
        }
        stats
    }
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
