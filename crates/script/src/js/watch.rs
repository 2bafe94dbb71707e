//! Ends calls that take too long or are no longer wanted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::state::EventSender;
use super::turns::Turns;

/// How much longer a script may run after its end was decided, to hear of it through its signal.
const ABORT_GRACE: Duration = Duration::from_millis(20);

/// The nice value of a thread whose script cannot be ended.
#[cfg(target_os = "linux")]
const LOWEST_PRIORITY: i32 = 19;

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
pub(super) struct Running {
    pub(super) since: Instant,
    #[cfg(target_os = "linux")]
    thread: rustix::process::Pid,
}

impl CallControl {
    pub(super) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Release);
        if let Some(waker) = &*self.waker.lock() {
            waker.wake();
        }
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Acquire)
    }

    /// Called by the thread that runs the call.
    pub(super) fn begin(&self, waker: EventSender) {
        *self.waker.lock() = Some(waker);
        *self.progress.lock() = Progress::Running(Running {
            since: Instant::now(),
            #[cfg(target_os = "linux")]
            thread: rustix::thread::gettid(),
        });
    }

    /// Called by that thread at the end. Returns whether the caller had given it up.
    pub(super) fn end(&self) -> bool {
        let was = std::mem::replace(&mut *self.progress.lock(), Progress::Ended);
        matches!(was, Progress::GivenUp)
    }

    pub(super) fn running(&self) -> Option<Running> {
        match *self.progress.lock() {
            Progress::Running(running) => Some(running),
            Progress::Waiting | Progress::GivenUp | Progress::Ended => None,
        }
    }

    /// Called by the caller. Returns whether there was something to give up.
    pub(super) fn give_up(&self) -> bool {
        let mut progress = self.progress.lock();
        let is_running = matches!(*progress, Progress::Running(_));
        if is_running {
            *progress = Progress::GivenUp;
        }
        is_running
    }
}

impl Running {
    /// Lets everything else on the machine go first.
    pub(super) fn lower_priority(&self) {
        #[cfg(target_os = "linux")]
        // Where it is not allowed, the thread just competes with others.
        let _ = rustix::process::setpriority_process(Some(self.thread), LOWEST_PRIORITY);
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

    /// Gets the turn to compute and starts the call's time.
    pub(super) fn begin(&self, control: Arc<CallControl>, time_ms: u64) {
        self.turns.begin();
        let now = Instant::now();
        // A limit of centuries is as good as none.
        let limit = Duration::from_millis(time_ms.min(u64::from(u32::MAX)));
        let deadline = now + limit;
        *self.state.lock() = WatchState {
            control,
            deadline,
            turn_since: now,
            verdict: None,
            has_stopped: false,
            is_in_grace: false,
        };
    }

    pub(super) fn end(&self) {
        self.turns.end();
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
