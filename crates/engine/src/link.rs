//! The wire between a run's task and everybody else.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU8, AtomicU64, Ordering};
use std::task::Wake;

use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};

/// What somebody wants from a run's task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    /// A step body can go on, or the clock should be looked at.
    Woken = 1,
    /// Something was put into the run's inbox.
    Nudged = 2,
    /// Let the bodies in flight end, write what there is, and leave.
    Stop = 4,
    /// Leave now, as a crash would.
    Abort = 8,
    /// The task's own: the outcome is durable.
    Ended = 16,
}

/// Calls to one run task. A call stays until it is taken, and a second one of its kind adds nothing,
/// so nothing here can grow and nothing can be missed.
pub(crate) struct Link {
    calls: AtomicU8,
    notify: Notify,
    /// Who wants to know that the inbox was read after they asked.
    acks: Mutex<Vec<oneshot::Sender<()>>>,
    /// Why the task cannot reach the store, while it cannot.
    trouble: Mutex<Option<String>>,
    bustle: Option<Arc<Bustle>>,
}

impl Link {
    pub fn new(bustle: Option<Arc<Bustle>>) -> Arc<Link> {
        Arc::new(Link {
            calls: AtomicU8::new(0),
            notify: Notify::new(),
            acks: Mutex::default(),
            trouble: Mutex::default(),
            bustle,
        })
    }

    pub fn call(&self, call: Call) {
        let before = self.calls.fetch_or(call as u8, Ordering::SeqCst);
        if before & call as u8 == 0 {
            self.count(call, 1);
            self.notify.notify_one();
        }
    }

    /// Whether the call was given since it was last taken.
    pub fn take(&self, call: Call) -> bool {
        if !self.has(call) {
            return false;
        }
        let before = self.calls.fetch_and(!(call as u8), Ordering::SeqCst);
        let was_set = before & call as u8 != 0;
        if was_set {
            self.count(call, -1);
        }
        was_set
    }

    pub fn has(&self, call: Call) -> bool {
        self.calls.load(Ordering::SeqCst) & call as u8 != 0
    }

    /// Ends with the next call, at once if one came since the last call.
    pub async fn called(&self) {
        self.notify.notified().await;
    }

    /// Nudges, and is told when the inbox was read after this.
    pub fn nudge_with(&self, ack: oneshot::Sender<()>) {
        self.acks.lock().push(ack);
        self.call(Call::Nudged);
    }

    /// Take these before the inbox is read, and send them after.
    pub fn take_acks(&self) -> Vec<oneshot::Sender<()>> {
        std::mem::take(&mut *self.acks.lock())
    }

    /// Whoever asked may have stopped waiting; what they posted is durable all the same.
    pub fn send_acks(acks: Vec<oneshot::Sender<()>>) {
        for ack in acks {
            let _ = ack.send(());
        }
    }

    pub fn set_trouble(&self, trouble: Option<String>) {
        *self.trouble.lock() = trouble;
    }

    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().clone()
    }

    /// Only calls that a task will act upon keep a test's clock from skipping.
    fn count(&self, call: Call, delta: i64) {
        if let (Some(bustle), Call::Woken | Call::Nudged) = (&self.bustle, call) {
            bustle.calls.fetch_add(delta, Ordering::SeqCst);
        }
    }
}

/// What a step body holds on to.
impl Wake for Link {
    fn wake(self: Arc<Self>) {
        self.call(Call::Woken);
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.call(Call::Woken);
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        self.take(Call::Woken);
        self.take(Call::Nudged);
    }
}

/// Calls to one of the engine's own tasks, which count as something going on until they are taken.
pub(crate) struct Attention {
    is_called: AtomicBool,
    notify: Notify,
    bustle: Option<Arc<Bustle>>,
}

impl Attention {
    pub fn new(bustle: Option<Arc<Bustle>>) -> Attention {
        Attention { is_called: AtomicBool::new(false), notify: Notify::new(), bustle }
    }

    pub fn call(&self) {
        if !self.is_called.swap(true, Ordering::SeqCst) {
            self.count(1);
        }
        self.notify.notify_one();
    }

    /// To be called before looking for what there is to do.
    pub fn take(&self) {
        if self.is_called.swap(false, Ordering::SeqCst) {
            self.count(-1);
        }
    }

    /// Ends with the next call, at once if one came since the last.
    pub async fn called(&self) {
        self.notify.notified().await;
    }

    fn count(&self, delta: i64) {
        if let Some(bustle) = &self.bustle {
            bustle.calls.fetch_add(delta, Ordering::SeqCst);
        }
    }
}

/// Whether anything is going on, for those who move a virtual clock: it may skip only when nothing is.
#[derive(Default)]
pub(crate) struct Bustle {
    /// Tasks that are doing something, or wait for the store.
    busy: AtomicI64,
    /// Calls that no task has taken yet.
    calls: AtomicI64,
    /// Step bodies that wait for something outside.
    bodies: AtomicI64,
    /// Moves whenever a task goes to rest.
    turns: AtomicU64,
}

impl Bustle {
    pub fn is_quiet(&self) -> bool {
        self.busy.load(Ordering::SeqCst) == 0 && self.calls.load(Ordering::SeqCst) == 0
    }

    pub fn n_bodies(&self) -> i64 {
        self.bodies.load(Ordering::SeqCst)
    }

    pub fn turns(&self) -> u64 {
        self.turns.load(Ordering::SeqCst)
    }
}

/// Held by a task for as long as it is one. Costs nothing where nobody moves the clock by hand.
pub(crate) struct Busy(Option<Arc<Bustle>>);

impl Busy {
    pub fn new(bustle: Option<Arc<Bustle>>) -> Busy {
        if let Some(bustle) = &bustle {
            bustle.busy.fetch_add(1, Ordering::SeqCst);
        }
        Busy(bustle)
    }

    /// Until the answer is dropped the task only waits: for the clock, for a call, or for its bodies.
    pub fn rest(&self, n_bodies: usize) -> Rest {
        let n_bodies = i64::try_from(n_bodies).unwrap_or(i64::MAX);
        if let Some(bustle) = &self.0 {
            bustle.bodies.fetch_add(n_bodies, Ordering::SeqCst);
            bustle.turns.fetch_add(1, Ordering::SeqCst);
            bustle.busy.fetch_sub(1, Ordering::SeqCst);
        }
        Rest { bustle: self.0.clone(), n_bodies }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        if let Some(bustle) = &self.0 {
            bustle.busy.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

pub(crate) struct Rest {
    bustle: Option<Arc<Bustle>>,
    n_bodies: i64,
}

impl Drop for Rest {
    fn drop(&mut self) {
        if let Some(bustle) = &self.bustle {
            bustle.busy.fetch_add(1, Ordering::SeqCst);
            bustle.bodies.fetch_sub(self.n_bodies, Ordering::SeqCst);
        }
    }
}
