//! News of runs that other engines have, for readers here.
//!
//! ```text
//!   a reader here --- Everywhere ---> announce --- Audience ---> the other engines
//!   their updates --- tell_others --- News: which events of which run ---> pass_on: reads those events, and publishes
//! ```
//!
//! Nobody tells anything while nobody reads. What is told may be lost, as all updates may: the journals have it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use stepwell_journal::{RunId, Seq};
use stepwell_store::{StoreError, Told};
use tokio::sync::{Notify, mpsc};

use crate::Engine;
use crate::clock::Clock;
use crate::shared::Shared;
use crate::updates::{Subject, UpdatesError, news};

/// How often others are told that somebody reads here, and for how long they believe it.
const ANNOUNCE_EVERY: Duration = Duration::from_secs(5);
const BELIEVED: Duration = Duration::from_secs(15);
/// How long updates are gathered before they are told.
const GATHER: Duration = Duration::from_millis(100);
/// How many updates are looked at, and how many runs are told of, at a time. Whoever moves more than this is not
/// followed in every step.
const GATHERED_MAX: usize = 8_192;
const RUNS_TOLD_MAX: usize = 500;
/// How much that was told may wait to be read.
const HEARD_MAX: usize = 4_096;
/// How many events of a run are read at a time.
const EVENTS_READ: usize = 256;

/// Who wants to hear of runs that somebody else has.
pub(crate) struct Audience {
    clock: Arc<dyn Clock>,
    /// Readers here.
    n_readers: AtomicUsize,
    /// Until when others have readers.
    others_until: Mutex<Option<Instant>>,
    changed: Notify,
    heard: mpsc::Sender<Heard>,
    /// Taken by the task that passes on what is heard.
    to_pass_on: Mutex<Option<mpsc::Receiver<Heard>>>,
}

/// Events that another engine has told of.
struct Heard {
    run: RunId,
    from: Seq,
    to: Seq,
}

impl Audience {
    pub fn new(clock: Arc<dyn Clock>) -> Audience {
        let (heard, to_pass_on) = mpsc::channel(HEARD_MAX);
        Audience {
            clock,
            n_readers: AtomicUsize::new(0),
            others_until: Mutex::default(),
            changed: Notify::new(),
            heard,
            to_pass_on: Mutex::new(Some(to_pass_on)),
        }
    }

    fn is_here(&self) -> bool {
        self.n_readers.load(Ordering::Acquire) > 0
    }

    fn is_elsewhere(&self) -> bool {
        self.others_until.lock().is_some_and(|until| self.clock.instant() < until)
    }

    /// Another engine has readers.
    pub fn announced(&self) {
        *self.others_until.lock() = Some(self.clock.instant() + BELIEVED);
        self.changed.notify_waiters();
    }

    /// Another engine has told something.
    pub fn heard(&self, run: RunId, from: Seq, to: Seq) {
        if self.is_here() {
            // What does not fit is lost: readers cannot be that quick.
            let _ = self.heard.try_send(Heard { run, from, to });
        }
    }
}

/// While this is held, news of runs that other engines have are told here, too.
pub struct Everywhere {
    shared: Arc<Shared>,
}

impl Engine {
    /// Makes [`Engine::subscribe`] tell also of the runs of engines that share the store, a moment later and with less
    /// certainty than of its own.
    pub fn everywhere(&self) -> Everywhere {
        let shared = Arc::clone(self.shared());
        shared.audience.n_readers.fetch_add(1, Ordering::AcqRel);
        shared.audience.changed.notify_waiters();
        Everywhere { shared }
    }
}

impl Drop for Everywhere {
    fn drop(&mut self) {
        self.shared.audience.n_readers.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Tells others that somebody reads here, as long as somebody does.
pub(crate) async fn announce(shared: Arc<Shared>) {
    let Some(shards) = shared.ownership.shards() else { return };
    loop {
        if !wait_until(&shared, || shared.audience.is_here()).await {
            return;
        }
        if let Err(error) = shards.cluster.tell(&[Told::Audience]).await {
            tracing::debug!(%error, "nobody knows that somebody reads here");
        }
        tokio::select! {
            biased;
            () = shared.closed() => return,
            () = shared.clock.pause(ANNOUNCE_EVERY) => {}
        }
    }
}

/// Tells of what happens here, while somebody reads elsewhere.
pub(crate) async fn tell_others(shared: Arc<Shared>) {
    let Some(shards) = shared.ownership.shards() else { return };
    while wait_until(&shared, || shared.audience.is_elsewhere()).await {
        let mut updates = shared.updates.subscribe();
        while shared.audience.is_elsewhere() {
            let gathered = tokio::select! {
                biased;
                () = shared.closed() => return,
                () = shared.clock.pause(BELIEVED) => continue,
                gathered = updates.next_batch(GATHERED_MAX) => gathered,
            };
            let mut moved: BTreeMap<RunId, (Seq, Seq)> = BTreeMap::new();
            match gathered {
                // What was heard of runs elsewhere is among the updates, and not ours to tell.
                Ok(batch) => {
                    for update in batch.iter().filter(|one| shared.ownership.owns(one.run)) {
                        let (from, to) =
                            moved.entry(update.run).or_insert((update.seq, update.seq));
                        (*from, *to) = ((*from).min(update.seq), (*to).max(update.seq));
                    }
                }
                Err(UpdatesError::Missed { .. }) => {}
                Err(_) => return,
            }
            let told: Vec<Told> = moved
                .into_iter()
                .take(RUNS_TOLD_MAX)
                .map(|(run, (from, to))| Told::News { run, from, to })
                .collect();
            if !told.is_empty()
                && let Err(error) = shards.cluster.tell(&told).await
            {
                tracing::debug!(%error, "news were not told");
            }
            shared.clock.pause(GATHER).await;
        }
    }
}

/// Publishes here what others have told of.
pub(crate) async fn pass_on(shared: Arc<Shared>) {
    let Some(mut heard) = shared.audience.to_pass_on.lock().take() else { return };
    loop {
        let heard = tokio::select! {
            biased;
            () = shared.closed() => return,
            heard = heard.recv() => heard,
        };
        let Some(heard) = heard else { return };
        if shared.ownership.owns(heard.run) {
            continue;
        }
        if let Err(error) = publish(&shared, &heard).await {
            tracing::debug!(%error, run = %heard.run, "news could not be read");
        }
    }
}

async fn publish(shared: &Shared, heard: &Heard) -> Result<(), StoreError> {
    let Some(row) = shared.store.row(heard.run).await? else { return Ok(()) };
    let subject = Subject {
        run: heard.run,
        namespace: row.namespace.as_str().into(),
        workflow: row.workflow.as_str().into(),
    };
    let mut from = heard.from;
    while from <= heard.to {
        let events = shared.store.journal(heard.run, from, EVENTS_READ).await?;
        let Some(last) = events.last() else { return Ok(()) };
        from = last.seq.next();
        let told: Vec<_> = events.iter().filter(|event| event.seq <= heard.to).map(news).collect();
        shared.updates.publish(&subject, row.status, &told);
    }
    Ok(())
}

/// Waits until it is so; false if the engine closes.
async fn wait_until(shared: &Shared, is_so: impl Fn() -> bool) -> bool {
    loop {
        let changed = shared.audience.changed.notified();
        tokio::pin!(changed);
        // Listen first, look then: nothing falls in between.
        changed.as_mut().enable();
        if is_so() {
            return true;
        }
        tokio::select! {
            biased;
            () = shared.closed() => return false,
            () = changed => {}
        }
    }
}
