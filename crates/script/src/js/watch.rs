//! Ends calls that take too long or are no longer wanted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::arena::Arena;
use super::state::EventSender;
use super::turns::{Turn, Turns};

/// How much longer a script may run after its end was decided, to hear of it through its signal.
const ABORT_GRACE: Duration = Duration::from_millis(20);

/// The nice value of a thread whose script cannot be ended: about a tenth of what others get. Not the
/// lowest, with which a busy machine would keep it from ever reaching its end.
#[cfg(target_os = "linux")]
const LOW_PRIORITY: i32 = 10;

/// Why a call ended before it had a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    TimedOut,
    Cancelled,
}

/// The caller's hand on a call that another thread runs.
#[derive(Default)]
pub(super) struct CallControl {
    is_cancelled: AtomicBool,
    /// Wakes the thread if it waits for events.
    waker: Mutex<Option<EventSender>>,
    /// What the engine has its memory from.
    arena: Mutex<Option<Arc<Arena>>>,
    progress: Mutex<Progress>,
}

#[derive(Debug, Clone, Copy, Default)]
enum Progress {
    #[default]
    Waiting,
    Running(Running),
    /// The caller waits no longer, and the thread still runs.
    GivenUp,
    Ended,
}

/// A call that has begun.
#[derive(Debug, Clone, Copy)]
struct Running {
    since: Instant,
    #[cfg(target_os = "linux")]
    thread: rustix::process::Pid,
}

impl CallControl {
    pub(super) fn cancel(&self) {
        {
            // So that either we find the call running, or whoever begins it finds it cancelled.
            let _progress = self.progress.lock();
            self.is_cancelled.store(true, Ordering::Release);
        }
        if let Some(waker) = &*self.waker.lock() {
            waker.wake();
        }
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Acquire)
    }

    /// Called by the thread that runs the call.
    pub(super) fn begin(&self, waker: EventSender, arena: Arc<Arena>) {
        *self.waker.lock() = Some(waker);
        *self.arena.lock() = Some(arena);
        *self.progress.lock() = Progress::Running(Running {
            since: Instant::now(),
            #[cfg(target_os = "linux")]
            thread: rustix::thread::gettid(),
        });
    }

    /// Called by that thread at the end. Returns whether the caller had given it up.
    pub(super) fn end(&self) -> bool {
        let mut progress = self.progress.lock();
        let was = std::mem::replace(&mut *progress, Progress::Ended);
        if let Some(arena) = self.arena.lock().take() {
            arena.reopen();
        }
        matches!(was, Progress::GivenUp)
    }

    /// Since when the call runs, if it does.
    pub(super) fn running_since(&self) -> Option<Instant> {
        match *self.progress.lock() {
            Progress::Running(running) => Some(running.since),
            Progress::Waiting | Progress::GivenUp | Progress::Ended => None,
        }
    }

    /// Called by the caller: the thread runs on, out of everybody's way. Returns whether it did run.
    pub(super) fn give_up(&self, n_given_up: &AtomicUsize) -> bool {
        let mut progress = self.progress.lock();
        let Progress::Running(running) = *progress else { return false };
        *progress = Progress::GivenUp;
        // The thread cannot get past `end` meanwhile, so it is still in this call.
        n_given_up.fetch_add(1, Ordering::Relaxed);
        running.lower_priority();
        if let Some(arena) = &*self.arena.lock() {
            arena.close();
        }
        true
    }
}

impl Running {
    /// Lets everything else on the machine go first, mostly.
    fn lower_priority(&self) {
        #[cfg(target_os = "linux")]
        // Where it is not allowed, the thread just competes with others.
        let _ = rustix::process::setpriority_process(Some(self.thread), LOW_PRIORITY);
    }
}

/// What the engine asks now and then while it runs a script: may it go on?
pub(super) struct Watch {
    turns: Arc<Turns>,
    state: Mutex<WatchState>,
}

struct WatchState {
    control: Arc<CallControl>,
    deadline: Instant,
    turn_since: Instant,
    verdict: Option<Verdict>,
    /// The script was stopped where it was: whatever it says then is a consequence of that.
    has_stopped: bool,
    /// The script runs on only to hear of the verdict.
    is_in_grace: bool,
}

impl Watch {
    pub(super) fn new(turns: Arc<Turns>) -> Watch {
        let now = Instant::now();
        let state = WatchState {
            control: Arc::default(),
            deadline: now,
            turn_since: now,
            verdict: None,
            has_stopped: false,
            is_in_grace: false,
        };
        Watch { turns, state: Mutex::new(state) }
    }

    /// Starts the call's time. The thread has its turn.
    pub(super) fn begin(&self, control: Arc<CallControl>, time_ms: u64, turn: &Turn<'_>) {
        let now = Instant::now();
        // A limit of centuries is as good as none.
        let limit = Duration::from_millis(time_ms.min(u64::from(u32::MAX)));
        let deadline = now + limit;
        *self.state.lock() = WatchState {
            control,
            deadline,
            turn_since: turn.since,
            verdict: None,
            has_stopped: false,
            is_in_grace: false,
        };
    }

    /// The thread's turn goes on after the call.
    pub(super) fn end(&self, turn: &mut Turn<'_>) {
        turn.since = self.state.lock().turn_since;
    }

    /// Lets another compute while this call waits.
    pub(super) fn pause<T>(&self, wait: impl FnOnce(Instant) -> T) -> T {
        let deadline = self.state.lock().deadline;
        self.turns.end();
        let waited = wait(deadline);
        self.turns.begin();
        self.state.lock().turn_since = Instant::now();
        waited
    }

    /// Whether the call must end, as of now.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        self.check(&mut self.state.lock())
    }

    /// The verdict, if the script was already stopped for it.
    pub(super) fn stopped(&self) -> Option<Verdict> {
        let state = self.state.lock();
        state.verdict.filter(|_| state.has_stopped)
    }

    /// For the engine: `true` stops the script. Also lets others have their turn.
    pub(super) fn is_over(&self) -> bool {
        let mut state = self.state.lock();
        let is_over = match self.check(&mut state) {
            Some(_) => !state.is_in_grace || Instant::now() >= state.deadline,
            None => false,
        };
        state.has_stopped |= is_over;
        let since = state.turn_since;
        drop(state);
        if !is_over {
            self.state.lock().turn_since = self.turns.give_way(since);
        }
        is_over
    }

    /// A moment for the script to hear that it is over.
    pub(super) fn begin_grace(&self) {
        let mut state = self.state.lock();
        state.is_in_grace = true;
        state.deadline = Instant::now() + ABORT_GRACE;
    }

    fn check(&self, state: &mut WatchState) -> Option<Verdict> {
        if state.verdict.is_none() {
            if state.control.is_cancelled() {
                state.verdict = Some(Verdict::Cancelled);
            } else if Instant::now() >= state.deadline {
                state.verdict = Some(Verdict::TimedOut);
            }
        }
        state.verdict
    }
}
