//! Who waits for a run's outcome or for its answer to a message.
//!
//! Nobody polls: a waiter registers here, and the run's task tells it what was committed.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use stepwell_journal::{Json, MessageId, RunId, RunOutcome};
use tokio::sync::oneshot;

/// More than workers, so that two of them seldom meet at one lock.
const N_SHARDS: usize = 16;

/// What a waiter is told.
#[derive(Debug, Clone)]
pub(crate) enum News {
    Ended(RunOutcome),
    Answered(Json),
    /// Nothing more will be known here: the engine closes, was fenced, or gave the run up.
    Lost(Loss),
}

#[derive(Debug, Clone)]
pub(crate) enum Loss {
    Closed,
    Fenced,
    Quarantined(String),
    /// The run is somebody else's, or something was heard of it: look at the store, and ask again.
    Moved,
}

#[derive(Default)]
pub(crate) struct Waiters {
    shards: [Mutex<Shard>; N_SHARDS],
}

#[derive(Default)]
struct Shard {
    runs: HashMap<RunId, Vec<Entry>>,
    /// Set once the engine can tell nobody anything any more.
    lost: Option<Loss>,
}

struct Entry {
    /// Only the answer to this message, or the end without one.
    message: Option<MessageId>,
    tell: oneshot::Sender<News>,
}

/// A place among the waiters, given up when it is dropped.
pub(crate) struct Waiter {
    waiters: Arc<Waiters>,
    run: RunId,
    news: oneshot::Receiver<News>,
}

impl Waiters {
    pub fn subscribe(self: &Arc<Self>, run: RunId, message: Option<MessageId>) -> Waiter {
        let (tell, news) = oneshot::channel();
        let mut shard = self.shard(run);
        match &shard.lost {
            // The receiver is ours, so somebody hears this.
            Some(loss) => drop(tell.send(News::Lost(loss.clone()))),
            None => shard.runs.entry(run).or_default().push(Entry { message, tell }),
        }
        Waiter { waiters: Arc::clone(self), run, news }
    }

    /// The run's end is durable.
    pub fn ended(&self, run: RunId, outcome: &RunOutcome) {
        self.tell_all(run, || News::Ended(outcome.clone()));
    }

    /// The engine cannot go on with this run.
    pub fn lost(&self, run: RunId, loss: &Loss) {
        self.tell_all(run, || News::Lost(loss.clone()));
    }

    /// These runs are somebody else's now.
    pub fn moved(&self, is_meant: impl Fn(RunId) -> bool) {
        let mut runs: Vec<RunId> = Vec::new();
        for shard in &self.shards {
            runs.extend(shard.lock().runs.keys().filter(|run| is_meant(**run)));
        }
        runs.sort_unstable();
        runs.into_iter().for_each(|run| self.lost(run, &Loss::Moved));
    }

    /// An answer is durable.
    pub fn answered(&self, run: RunId, message: MessageId, body: &Json) {
        let mut shard = self.shard(run);
        let Some(entries) = shard.runs.get_mut(&run) else { return };
        let mut kept = Vec::with_capacity(entries.len());
        for entry in entries.drain(..) {
            if entry.message == Some(message) {
                // Who stopped waiting misses nothing: the answer is in the journal.
                let _ = entry.tell.send(News::Answered(body.clone()));
            } else {
                kept.push(entry);
            }
        }
        *entries = kept;
    }

    /// The engine can tell nobody anything from here on.
    pub fn close(&self, loss: &Loss) {
        for shard in &self.shards {
            let mut shard = shard.lock();
            shard.lost.get_or_insert_with(|| loss.clone());
            let mut runs: Vec<_> = std::mem::take(&mut shard.runs).into_iter().collect();
            runs.sort_by_key(|(run, _)| *run);
            for entry in runs.into_iter().flat_map(|(_, entries)| entries) {
                let _ = entry.tell.send(News::Lost(loss.clone()));
            }
        }
    }

    fn tell_all(&self, run: RunId, news: impl Fn() -> News) {
        let entries = self.shard(run).runs.remove(&run);
        for entry in entries.into_iter().flatten() {
            // Who stopped waiting misses nothing: the outcome is in the store.
            let _ = entry.tell.send(news());
        }
    }

    fn shard(&self, run: RunId) -> parking_lot::MutexGuard<'_, Shard> {
        // The last byte of every kind of run id is well mixed.
        self.shards[usize::from(run.0.as_bytes()[15]) % N_SHARDS].lock()
    }
}

impl Waiter {
    pub async fn news(&mut self) -> News {
        // The sender goes without a word only if the whole engine was dropped.
        (&mut self.news).await.unwrap_or(News::Lost(Loss::Closed))
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        self.news.close();
        let mut shard = self.waiters.shard(self.run);
        if let Some(entries) = shard.runs.get_mut(&self.run) {
            entries.retain(|entry| !entry.tell.is_closed());
            if entries.is_empty() {
                shard.runs.remove(&self.run);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_waiter_that_gives_up_leaves_nothing_behind() {
        let waiters = Arc::new(Waiters::default());
        let run = RunId(Uuid::from_u128(7));
        let waiter = waiters.subscribe(run, None);
        assert_eq!(waiters.shard(run).runs.len(), 1);
        drop(waiter);
        assert!(waiters.shard(run).runs.is_empty());
    }
}
