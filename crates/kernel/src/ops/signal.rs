//! What a step's body may know of its attempt.

use std::future::poll_fn;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

use serde::Serialize;
use stepwell_journal::{Attempt, Json, Location, RunId};

use crate::Level;
use crate::core::Core;

/// Given to the bodies of `step_with`.
pub struct AttemptCx {
    core: Rc<Core>,
    location: Location,
    attempt: Attempt,
    signal: CancelSignal,
    pub(crate) follows_crash: bool,
}

impl AttemptCx {
    pub(crate) fn new(
        core: Rc<Core>,
        location: Location,
        attempt: Attempt,
        signal: CancelSignal,
    ) -> AttemptCx {
        AttemptCx { core, location, attempt, signal, follows_crash: false }
    }

    pub fn run_id(&self) -> RunId {
        self.core.run
    }

    pub fn location(&self) -> &Location {
        &self.location
    }

    /// The first is 1.
    pub fn attempt(&self) -> Attempt {
        self.attempt
    }

    /// Whether the attempt before this one was cut off by a crash, and may have done its work. Only a step
    /// whose policy says `mark_start` can rely on a no.
    pub fn follows_crash(&self) -> bool {
        self.follows_crash
    }

    /// The same for every attempt of this step, and for no other: what a service needs to recognise a
    /// request that it has seen before.
    pub fn idempotency_key(&self) -> String {
        format!("{}/{}", self.core.run, self.location)
    }

    /// The W3C `traceparent` for calls that this attempt makes: the trace of whoever started the run, or
    /// one of the run's own, and a span for this attempt.
    pub fn traceparent(&self) -> String {
        self.core.trace.attempt(&self.location, self.attempt).to_string()
    }

    /// Fires when the attempt is given up: a timeout, a lost race, a cancel. The body's future is
    /// dropped then, but threads and tasks that it began are not.
    pub fn cancel_signal(&self) -> CancelSignal {
        self.signal.clone()
    }

    /// Writes a line into the run's log, as of this step.
    pub fn log(&self, level: Level, message: impl Into<String>) {
        self.core.log(level, &self.location, message.into(), Json::null());
    }

    pub fn log_with(&self, level: Level, message: impl Into<String>, fields: &impl Serialize) {
        let fields = Json::of(fields).unwrap_or_default();
        self.core.log(level, &self.location, message.into(), fields);
    }
}

/// Tells work that its result is no longer wanted. Can be sent to other threads.
#[derive(Clone)]
pub struct CancelSignal(Arc<Shared>);

struct Shared {
    is_cancelled: AtomicBool,
    wakers: Mutex<Vec<Waker>>,
}

impl CancelSignal {
    pub(crate) fn new() -> CancelSignal {
        CancelSignal(Arc::new(Shared {
            is_cancelled: AtomicBool::new(false),
            wakers: Mutex::new(Vec::new()),
        }))
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled.load(Ordering::Acquire)
    }

    /// Returns when the signal fires; at once if it has.
    pub async fn cancelled(&self) {
        poll_fn(|cx| {
            if self.is_cancelled() {
                return Poll::Ready(());
            }
            let mut wakers = self.wakers();
            // Looked at again under the lock: the signal may have fired in between.
            if self.is_cancelled() {
                return Poll::Ready(());
            }
            if !wakers.iter().any(|waker| waker.will_wake(cx.waker())) {
                wakers.push(cx.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }

    pub(crate) fn cancel(&self) {
        let wakers = {
            let mut wakers = self.wakers();
            self.0.is_cancelled.store(true, Ordering::Release);
            std::mem::take(&mut *wakers)
        };
        for waker in wakers {
            waker.wake();
        }
    }

    fn wakers(&self) -> std::sync::MutexGuard<'_, Vec<Waker>> {
        self.0.wakers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
