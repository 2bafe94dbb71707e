//! News for consoles and subscribers.
//!
//! ```text
//!   run tasks, start, resume --- publish ---> Ring: the latest updates, each at its position
//!                                              ^  ^  ^
//!                         Updates (readers) ---+--+--+  each walks at its own pace
//! ```
//!
//! Updates are made from committed events. There is one ring for all readers: one that is too slow finds
//! that what it has not read is gone, and is told so. Whoever needs certainty reads the journal.
//!
//! Of one run they come in the order of its journal, without gaps. So whoever writes events and may not
//! live to tell says so first: what is *owed* is told by whoever loads the run next.

mod owed;
mod reader;
mod ring;
mod what;

use std::sync::Arc;

use parking_lot::Mutex;
use stepwell_journal::{Epoch, Event, RunId, RunStatus, Seq, UnixMillis};
use tokio::sync::Notify;

pub use reader::{Position, PositionError, Updates, UpdatesError};
pub use what::What;

pub(crate) use crate::updates::owed::Asked;
use crate::updates::owed::Owed;
use crate::updates::ring::Ring;

/// One event of a run, as news.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// Grows by one with every update of one life of the engine.
    pub position: u64,
    pub run: RunId,
    pub namespace: Arc<str>,
    pub workflow: Arc<str>,
    pub seq: Seq,
    pub at: UnixMillis,
    /// The run's status once the event had been seen by its code.
    pub status: RunStatus,
    pub what: What,
}

/// The run that news are about.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    pub run: RunId,
    pub namespace: Arc<str>,
    pub workflow: Arc<str>,
}

/// The engine's end.
pub(crate) struct UpdateHub {
    life: Epoch,
    ring: Mutex<Ring>,
    /// Wakes one reader, which wakes the next: a commit must not pay for all of them.
    news: Notify,
    pub owed: Owed,
}

impl UpdateHub {
    pub fn new(life: Epoch, kept: usize) -> UpdateHub {
        UpdateHub {
            life,
            ring: Mutex::new(Ring::new(kept)),
            news: Notify::new(),
            owed: Owed::default(),
        }
    }

    pub fn publish(
        &self,
        subject: &Subject,
        status: RunStatus,
        events: &[(Seq, UnixMillis, What)],
    ) {
        if events.is_empty() {
            return;
        }
        let updates: Arc<[Update]> = events
            .iter()
            .map(|(seq, at, what)| Update {
                position: 0,
                run: subject.run,
                namespace: Arc::clone(&subject.namespace),
                workflow: Arc::clone(&subject.workflow),
                seq: *seq,
                at: *at,
                status,
                what: what.clone(),
            })
            .collect();
        // What falls out of the ring is dropped when nobody waits for the lock any more.
        let _gone = self.ring.lock().push(updates);
        self.news.notify_one();
    }

    /// Readers get what is there, and then the end.
    pub fn close(&self) {
        self.ring.lock().close();
        self.news.notify_one();
    }

    pub fn n_published(&self) -> u64 {
        self.ring.lock().next_position()
    }
}

/// Events that were given to the store, for those who will be told of them. Dropped with some of them
/// untold, it leaves word that they are owed.
pub(crate) struct Untold<'s> {
    hub: &'s UpdateHub,
    run: RunId,
    events: Vec<(Seq, UnixMillis, What)>,
    /// The events themselves, if somebody wants them.
    whole: Option<Vec<Event>>,
}

impl<'s> Untold<'s> {
    pub fn new(hub: &'s UpdateHub, keeps_whole: bool, run: RunId) -> Untold<'s> {
        Untold { hub, run, events: Vec::new(), whole: keeps_whole.then(Vec::new) }
    }

    pub fn add(&mut self, events: &[Event]) {
        self.events.extend(events.iter().map(news));
        if let Some(whole) = &mut self.whole {
            whole.extend_from_slice(events);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Gives back the events themselves, if they were kept.
    pub fn tell(&mut self, subject: &Subject, status: RunStatus) -> Vec<Event> {
        self.hub.publish(subject, status, &self.events);
        if let Some((last, ..)) = self.events.last() {
            self.hub.owed.told(self.run, last.next());
        }
        self.events.clear();
        self.whole.as_mut().map(std::mem::take).unwrap_or_default()
    }
}

impl Drop for Untold<'_> {
    fn drop(&mut self) {
        if let Some((seq, ..)) = self.events.first() {
            self.hub.owed.owe(self.run, *seq);
        }
    }
}

pub(crate) fn news(event: &Event) -> (Seq, UnixMillis, What) {
    (event.seq, event.at, What::of(&event.kind))
}
