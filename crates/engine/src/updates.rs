//! News for consoles and subscribers.
//!
//! Updates are made from committed events and may be lost: whoever needs certainty reads the journal.
//! They are only made while somebody listens.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::RwLock;
use stepwell_journal::{Event, Location, RunId, RunStatus, Seq, UnixMillis};
use tokio::sync::broadcast;

use crate::config::UPDATES_KEPT;
use crate::effects::RunFacts;

/// One event of a run, as news.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    pub run: RunId,
    pub namespace: Arc<str>,
    pub workflow: Arc<str>,
    pub seq: Seq,
    pub at: UnixMillis,
    /// The run's status after the commit that the event was part of.
    pub status: RunStatus,
    pub what: What,
}

/// What happened, without the values: those are in the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct What {
    /// The name of the event's kind.
    pub event: &'static str,
    pub location: Option<Location>,
}

impl What {
    pub(crate) fn of(event: &Event) -> What {
        What { event: event.kind.name(), location: event.kind.location().cloned() }
    }
}

/// An event that subscribers will be told of.
pub(crate) struct News {
    seq: Seq,
    at: UnixMillis,
    what: What,
}

impl News {
    pub fn of(event: &Event) -> News {
        News { seq: event.seq, at: event.at, what: What::of(event) }
    }
}

/// A subscription. Dropping it ends it.
pub struct Updates {
    receiver: broadcast::Receiver<Update>,
    n_readers: Arc<AtomicUsize>,
}

/// Why there is no next update.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UpdatesError {
    /// Read on: the next call gives the oldest update that is still there.
    #[error("{n_missed} updates were missed")]
    Missed { n_missed: u64 },
    #[error("the engine was shut down")]
    Closed,
}

impl Updates {
    pub async fn next(&mut self) -> Result<Update, UpdatesError> {
        self.receiver.recv().await.map_err(|error| match error {
            broadcast::error::RecvError::Lagged(n_missed) => UpdatesError::Missed { n_missed },
            broadcast::error::RecvError::Closed => UpdatesError::Closed,
        })
    }
}

impl Drop for Updates {
    fn drop(&mut self) {
        self.n_readers.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The engine's end.
pub(crate) struct UpdateHub {
    /// None after shut-down, so that readers see the end.
    sender: RwLock<Option<broadcast::Sender<Update>>>,
    /// Apart from the sender, so that a commit without readers takes no lock.
    n_readers: Arc<AtomicUsize>,
}

impl UpdateHub {
    pub fn new() -> UpdateHub {
        let sender = broadcast::Sender::new(UPDATES_KEPT);
        UpdateHub { sender: RwLock::new(Some(sender)), n_readers: Arc::default() }
    }

    pub fn subscribe(&self) -> Updates {
        self.n_readers.fetch_add(1, Ordering::Relaxed);
        let receiver = match &*self.sender.read() {
            Some(sender) => sender.subscribe(),
            None => broadcast::Sender::new(1).subscribe(),
        };
        Updates { receiver, n_readers: Arc::clone(&self.n_readers) }
    }

    pub fn has_readers(&self) -> bool {
        self.n_readers.load(Ordering::Relaxed) > 0
    }

    pub fn publish(&self, updates: impl Iterator<Item = Update>) {
        if let Some(sender) = &*self.sender.read() {
            for update in updates {
                // Fails only if nobody listens any more.
                let _ = sender.send(update);
            }
        }
    }

    pub fn publish_all(&self, facts: &RunFacts, status: RunStatus, news: Vec<News>) {
        let namespace: Arc<str> = facts.started.namespace.as_str().into();
        let workflow: Arc<str> = facts.started.workflow.as_str().into();
        self.publish(news.into_iter().map(|News { seq, at, what }| Update {
            run: facts.run,
            namespace: Arc::clone(&namespace),
            workflow: Arc::clone(&workflow),
            seq,
            at,
            status,
            what,
        }));
    }

    pub fn close(&self) {
        *self.sender.write() = None;
    }
}
