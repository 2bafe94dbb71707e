//! Runs calls on threads of their own, with engines that are kept.
//!
//! ```text
//! caller ──Job──> FairQueue ──> worker thread ── has its turn, and takes an engine: one that has the
//!    ^                             │              program loaded, a blank one, or the one idle longest
//!    └──────── oneshot ────────────┘           ── runs the call, answers, renews the engine, keeps it
//! ```
//!
//! A call has a thread to itself from start to end, waiting included, so a script in an endless loop
//! holds up nobody: threads are many, [`Turns`] bounds how many compute at a time, and they take turns.
//! A thread takes a job only when it has its turn, and keeps it from job to job while there are any: so
//! no more threads and engines are in use than cores, those of calls that wait aside. One more thread
//! waits for its turn while jobs are queued, should all others turn out to be stuck.
//! An engine is used by one call at a time, and each call finds it as if it were new (see `realm`).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use serde_json::Value;
use tokio::sync::oneshot;

use super::call::Call;
use super::idle::IdleRealms;
use super::outcome::timed_out;
use super::program::Program;
use super::queue::FairQueue;
use super::realm::{Assignment, Realm, STACK_BYTES_MAX};
use super::turns::{Turn, Turns};
use super::watch::CallControl;
use crate::{ErrorKind, ScriptError, ScriptLimits};

/// How long after its time limit, or after it was cancelled, a call is given up that does not end: it is
/// in native code that cannot be interrupted. It gets no more memory then, which ends most of them.
const GIVE_UP_AFTER: Duration = Duration::from_millis(500);

/// A thread without work for so long ends.
const IDLE_THREAD: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolOptions {
    /// How many scripts compute at a time.
    pub cores: usize,
    /// How many calls go on at a time, those that wait for timers and requests included.
    pub calls_max: usize,
    /// How many engines are kept for later calls.
    pub idle_engines_max: usize,
    /// How many calls may wait for a thread.
    pub queue_max: usize,
    /// How many threads may hang in operations that cannot be interrupted before no more calls are taken.
    pub given_up_max: usize,
}

impl Default for PoolOptions {
    /// As many as there are cores; 128 calls at a time, 32 engines kept, 10,000 calls waiting, 64 given up.
    fn default() -> Self {
        let cores = thread::available_parallelism().map_or(2, usize::from);
        PoolOptions {
            cores,
            calls_max: 128,
            idle_engines_max: 32,
            queue_max: 10_000,
            given_up_max: 64,
        }
    }
}

/// Runs calls of any number of programs. Cheap to clone; the last clone ends the threads.
#[derive(Clone)]
pub struct JsPool {
    handle: Arc<Handle>,
}

struct Handle {
    shared: Arc<Shared>,
}

struct Shared {
    options: PoolOptions,
    turns: Arc<Turns>,
    state: Mutex<PoolState>,
    work: Condvar,
    n_given_up: AtomicUsize,
}

struct PoolState {
    queue: FairQueue<TurnKey, Job>,
    n_threads: usize,
    /// A thread was called for the queue's next job, and has not taken it yet.
    is_thread_coming: bool,
    idle_realms: IdleRealms,
    is_closed: bool,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum TurnKey {
    Named(Arc<str>),
    Program(super::ProgramId),
}

type Answer = Result<Option<Value>, ScriptError>;

struct Job {
    program: Arc<Program>,
    call: Call,
    control: Arc<CallControl>,
    runtime: Option<tokio::runtime::Handle>,
    answer: oneshot::Sender<Answer>,
}

impl JsPool {
    pub fn new(options: PoolOptions) -> JsPool {
        let state = PoolState {
            queue: FairQueue::new(),
            n_threads: 0,
            is_thread_coming: false,
            idle_realms: IdleRealms::new(options.idle_engines_max),
            is_closed: false,
        };
        let shared = Arc::new(Shared {
            options,
            turns: Arc::new(Turns::new(options.cores)),
            state: Mutex::new(state),
            work: Condvar::new(),
            n_given_up: AtomicUsize::new(0),
        });
        JsPool { handle: Arc::new(Handle { shared }) }
    }

    /// Runs a call and returns its result, `None` for `undefined`. Dropping the future ends the call.
    pub async fn call(&self, program: &Arc<Program>, call: Call) -> Answer {
        let limits = call.limits;
        let cancel = call.cancel.clone();
        let control = Arc::new(CallControl::default());
        let shared = self.handle.shared.clone();
        let _ends_with_us = CancelOnDrop { shared, control: control.clone() };
        let answer = self.submit(program, call, control.clone())?;
        let cancelled = async {
            match &cancel {
                Some(token) => token.cancelled().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            answer = answer => answer.unwrap_or_else(|_| Err(lost())),
            () = cancelled => Err(ScriptError::new(ErrorKind::Cancelled, "the call was cancelled")),
            () = overdue(&control, &limits, &self.handle.shared.n_given_up) => {
                let mut error = timed_out(&limits);
                error.message += ", in an operation that cannot be interrupted";
                Err(error)
            }
        }
    }

    fn submit(
        &self,
        program: &Arc<Program>,
        call: Call,
        control: Arc<CallControl>,
    ) -> Result<oneshot::Receiver<Answer>, ScriptError> {
        let shared = &self.handle.shared;
        let given_up_max = shared.options.given_up_max;
        if shared.n_given_up.load(Ordering::Relaxed) >= given_up_max {
            let message =
                format!("{given_up_max} scripts hang in operations that cannot be interrupted");
            return Err(ScriptError::new(ErrorKind::Overloaded, message));
        }
        let (sender, receiver) = oneshot::channel();
        let runtime = call.grants.fetch.as_ref().map(|_| tokio::runtime::Handle::current());
        let key = match &call.turn_key {
            Some(key) => TurnKey::Named(key.clone()),
            None => TurnKey::Program(program.id()),
        };
        let program = program.clone();
        let mut state = shared.state.lock();
        if state.queue.len() >= shared.options.queue_max {
            let message = format!("{} calls are waiting already", shared.options.queue_max);
            return Err(ScriptError::new(ErrorKind::Overloaded, message));
        }
        state.queue.push(key, Job { program, call, control, runtime, answer: sender });
        shared.call_thread(&mut state)?;
        Ok(receiver)
    }
}

impl Default for JsPool {
    fn default() -> Self {
        JsPool::new(PoolOptions::default())
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.state.lock().is_closed = true;
        self.shared.work.notify_all();
    }
}

impl Shared {
    /// Sees to it that a thread comes for the queue's next job. Where there can be no more threads, one
    /// that ends its call will take it.
    fn call_thread(self: &Arc<Self>, state: &mut PoolState) -> Result<(), ScriptError> {
        if state.is_thread_coming || state.queue.len() == 0 {
            return Ok(());
        }
        if self.work.notify_one() {
            state.is_thread_coming = true;
        } else if state.n_threads < self.options.calls_max {
            self.start_thread(state)?;
        }
        Ok(())
    }

    fn start_thread(self: &Arc<Self>, state: &mut PoolState) -> Result<(), ScriptError> {
        let shared = self.clone();
        let builder = thread::Builder::new().name("script".to_owned());
        match builder.stack_size(2 * STACK_BYTES_MAX).spawn(move || shared.work()) {
            Ok(_) => {
                state.n_threads += 1;
                state.is_thread_coming = true;
                Ok(())
            }
            // Those that are there will do the work.
            Err(_) if state.n_threads > 0 => Ok(()),
            Err(error) => {
                let message = format!("no thread to run scripts on: {error}");
                Err(ScriptError::new(ErrorKind::Unavailable, message))
            }
        }
    }

    /// What a thread does from when it is called until there was no more work for long.
    fn work(self: Arc<Self>) {
        loop {
            let mut turn = Turn::begin(&self.turns);
            self.state.lock().is_thread_coming = false;
            while let Some(job) = self.next_job() {
                if job.control.is_cancelled() || job.answer.is_closed() {
                    continue;
                }
                let (realm, was_given_up) = self.run(job, &mut turn);
                if was_given_up {
                    // The system lets everything else go before this thread, for as long as it lives.
                    drop((realm, turn));
                    self.replace_thread();
                    return;
                }
                if let Some(realm) = realm {
                    let evicted = self.state.lock().idle_realms.keep(realm);
                    // Freed outside of the lock.
                    drop(evicted);
                }
                turn.give_way();
            }
            drop(turn);
            if !self.is_called() {
                return;
            }
        }
    }

    /// A thread ends, and what it would have done is left to another.
    fn replace_thread(self: &Arc<Self>) {
        let mut state = self.state.lock();
        state.n_threads -= 1;
        // Only where there is no thread at all, and none to be had.
        while let Err(error) = self.call_thread(&mut state) {
            let Some(job) = state.queue.pop() else { return };
            let _ = job.answer.send(Err(error));
        }
    }

    /// The next job, and a thread for the one after it.
    fn next_job(self: &Arc<Self>) -> Option<Job> {
        let mut state = self.state.lock();
        let job = state.queue.pop();
        // Without another thread, this one does it all.
        let _ = self.call_thread(&mut state);
        job
    }

    /// Waits until the thread is called for. `false` if it is no longer needed.
    fn is_called(&self) -> bool {
        let mut state = self.state.lock();
        let is_called = state.queue.len() > 0
            || (!state.is_closed && !self.work.wait_for(&mut state, IDLE_THREAD).timed_out());
        let goes_on = is_called && !state.is_closed;
        if !goes_on {
            state.n_threads -= 1;
        }
        goes_on
    }

    /// Runs a job and answers it. Returns the engine if it can be used again, and whether the caller had
    /// given this thread up.
    fn run(&self, job: Job, turn: &mut Turn<'_>) -> (Option<Realm>, bool) {
        let Job { program, call, control, runtime, answer } = job;
        let assignment = Assignment { program: &program, call: &call, control: &control, runtime };
        let mut realm = match self.realm_for(&assignment) {
            Ok(realm) => realm,
            Err(error) => {
                let _ = answer.send(Err(error));
                return (None, false);
            }
        };
        let result = catch_unwind(AssertUnwindSafe(|| realm.run(&assignment, turn)));
        let was_given_up = control.end();
        if was_given_up {
            self.n_given_up.fetch_sub(1, Ordering::Relaxed);
        }
        let is_sound = result.is_ok();
        // The caller may have stopped waiting.
        let _ = answer.send(result.unwrap_or_else(|_| Err(lost())));
        ((is_sound && realm.renew()).then_some(realm), was_given_up)
    }

    fn realm_for(&self, assignment: &Assignment<'_>) -> Result<Realm, ScriptError> {
        let memory_bytes = assignment.call.limits.memory_bytes;
        let idle = self.state.lock().idle_realms.take(assignment.key(), memory_bytes);
        match idle {
            Some(realm) => Ok(realm),
            None => Realm::new(memory_bytes, self.turns.clone()),
        }
    }
}

/// Resolves when a call that has begun did not end although its time is long up, and is given up.
async fn overdue(control: &CallControl, limits: &ScriptLimits, n_given_up: &AtomicUsize) {
    let limit = Duration::from_millis(limits.time_ms).saturating_add(GIVE_UP_AFTER);
    let mut wait = limit;
    loop {
        tokio::time::sleep(wait).await;
        // A call that waits in the queue has not begun, and has all its time still.
        wait = match control.running_since() {
            Some(since) if since.elapsed() >= limit => {
                if control.give_up(n_given_up) {
                    return;
                }
                limit
            }
            Some(since) => limit.saturating_sub(since.elapsed()),
            None => limit,
        };
    }
}

fn lost() -> ScriptError {
    ScriptError::new(ErrorKind::Unavailable, "the engine that ran the script is gone")
}

/// Ends a call that nobody waits for any longer.
struct CancelOnDrop {
    shared: Arc<Shared>,
    control: Arc<CallControl>,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        let CancelOnDrop { shared, control } = self;
        control.cancel();
        if control.running_since().is_none() {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let (shared, control) = (shared.clone(), control.clone());
        runtime.spawn(async move {
            tokio::time::sleep(GIVE_UP_AFTER).await;
            control.give_up(&shared.n_given_up);
        });
    }
}
