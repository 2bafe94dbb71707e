//! One step: its attempts, one after another, until one succeeds or none is left.

use std::any::Any;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use stepwell_journal::{
    Attempt, EntryStatus, EventKind, Failure, FailureKind, Json, Location, Outcome, UnixMillis,
};

use crate::core::{Core, Urgency};
use crate::ops::{AttemptCx, CancelSignal};
use crate::policy::millis;
use crate::{AttemptEnd, Error, LocalBoxFuture, StepPolicy};

/// An attempt that takes longer than this gets a start marker in the journal, so that a crash counts.
const START_MARKER_AFTER_MS: u64 = 5;

/// A step's body with its types erased: the kernel sees JSON.
pub(crate) trait Body {
    fn call(&mut self, cx: AttemptCx) -> LocalBoxFuture<'_, Result<Json, Error>>;
}

/// A step whose entry is claimed.
pub(crate) struct Attempts<'a> {
    pub core: &'a Rc<Core>,
    pub location: &'a Location,
    pub policy: &'a StepPolicy,
    pub ephemeral: bool,
}

/// Who ended an attempt that failed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cause {
    Body,
    Crash,
}

enum Next {
    Ended(Outcome),
    /// The process ended in the middle of this attempt.
    Interrupted(Attempt),
    Begin(Attempt),
}

impl Attempts<'_> {
    pub async fn run(&self, body: &mut dyn Body) -> Result<Json, Failure> {
        loop {
            match self.core.until(self.location, |inner| self.next(inner)).await {
                Next::Ended(outcome) => return self.ended(outcome).await,
                Next::Interrupted(attempt) => {
                    let error = Error::of(
                        FailureKind::Interrupted,
                        "the process ended while this attempt was running",
                    );
                    self.failed(attempt, error, Cause::Crash).await?;
                }
                Next::Begin(attempt) => {
                    let marked = self.mark_start(attempt).await;
                    let ended = match self.core.host.mock(self.location) {
                        Some(mock) => mock(attempt),
                        None => self.attempt(attempt, marked, body).await,
                    };
                    if self.core.peek().fault.is_some() {
                        // The body broke a rule. Were its result recorded, a replay would not know.
                        std::future::pending::<()>().await;
                    }
                    match ended {
                        Ok(value) => match self.core.check_size("the step's result", &value) {
                            Ok(()) => return Ok(self.succeeded(attempt, value).await),
                            Err(error) => self.failed(attempt, error, Cause::Body).await?,
                        },
                        Err(error) => self.failed(attempt, error, Cause::Body).await?,
                    }
                }
            }
        }
    }

    fn next(&self, inner: &mut crate::core::Inner) -> Option<Next> {
        if let Some(outcome) = inner.recorded(self.location)? {
            return Some(Next::Ended(outcome));
        }
        let Some(entry) = inner.state.entry(self.location) else {
            return Some(Next::Begin(Attempt(1)));
        };
        let attempts = entry.attempts;
        if entry.status == EntryStatus::Running && attempts.0 > 0 {
            return Some(Next::Interrupted(attempts));
        }
        if let Some(retry_at) = entry.retry_at
            && retry_at > inner.now
        {
            inner.arm(retry_at, self.location);
            return None;
        }
        Some(Next::Begin(Attempt(attempts.0 + 1)))
    }

    async fn ended(&self, outcome: Outcome) -> Result<Json, Failure> {
        match outcome {
            Outcome::Value(value) => Ok(value),
            Outcome::Failed(failure) => Err(failure),
            other => {
                let problem = format!(
                    "run {}: at `{}` the journal has {other:?}, the code asks for a step's result",
                    self.core.run, self.location
                );
                let failure = Failure::new(FailureKind::Divergence, problem).at(self.location);
                self.core.fault(failure);
                std::future::pending().await
            }
        }
    }

    /// After a crash the first attempts begin only when the journal says so: a body that kills the
    /// process at once could otherwise do so for ever. Others do so if their policy asks for it.
    async fn mark_start(&self, attempt: Attempt) -> bool {
        if !self.core.peek().careful && !self.policy.mark_start {
            return false;
        }
        let marker = EventKind::AttemptStarted { location: self.location.clone(), attempt };
        let seq = self.core.emit(marker, Urgency::Durable);
        self.core.delivered(self.location, seq).await;
        true
    }

    async fn attempt(
        &self,
        attempt: Attempt,
        marked: bool,
        body: &mut dyn Body,
    ) -> Result<Json, Error> {
        let signal = CancelSignal::new();
        let mut cx =
            AttemptCx::new(self.core.clone(), self.location.clone(), attempt, signal.clone());
        cx.follows_crash = self.follows_crash();
        let now = self.core.now();
        let timeout_ms = millis(self.policy.timeout);
        let running = Running {
            core: self.core,
            location: self.location,
            attempt,
            body: Some(body.call(cx)),
            signal,
            timeout_at: (timeout_ms > 0).then(|| now.plus_ms(timeout_ms)),
            marker_at: (!marked).then(|| now.plus_ms(START_MARKER_AFTER_MS)),
            armed: false,
            began: self.core.host.attempt_begins(),
        };
        self.core.inner().n_bodies += 1;
        running.await
    }

    /// Whether the attempt before this one was cut off by a crash.
    fn follows_crash(&self) -> bool {
        let inner = self.core.peek();
        let last = inner.state.entry(self.location).and_then(|entry| entry.last_failure.as_ref());
        last.is_some_and(|failure| failure.kind == FailureKind::Interrupted)
    }

    async fn succeeded(&self, attempt: Attempt, value: Json) -> Json {
        let urgency = if self.ephemeral { Urgency::Lazy } else { Urgency::Durable };
        let event = EventKind::StepSucceeded {
            location: self.location.clone(),
            attempt,
            value: value.clone(),
        };
        let seq = self.core.emit(event, urgency);
        self.core.delivered(self.location, seq).await;
        value
    }

    /// Records the failure of an attempt. An error if it was the last. Boxed, because most steps need no
    /// room for it.
    fn failed(
        &self,
        attempt: Attempt,
        error: Error,
        cause: Cause,
    ) -> LocalBoxFuture<'_, Result<(), Failure>> {
        Box::pin(self.record_failure(attempt, error, cause))
    }

    async fn record_failure(
        &self,
        attempt: Attempt,
        error: Error,
        cause: Cause,
    ) -> Result<(), Failure> {
        let kind = error.kind();
        let may_retry = match kind {
            FailureKind::Error | FailureKind::Panic => true,
            // A body that says so itself does not want to repeat what a crash cut off.
            FailureKind::Interrupted => cause == Cause::Crash,
            FailureKind::Timeout => self.policy.retry_on_timeout,
            FailureKind::Critical
            | FailureKind::Exhausted
            | FailureKind::Rollback
            | FailureKind::Cancelled
            | FailureKind::Divergence
            | FailureKind::Misuse
            | FailureKind::Limit
            | FailureKind::DeadlinePassed => false,
        };
        let asked_delay = error.asked_delay();
        let failure = error.into_failure().at(self.location).after(attempt);
        let mut failure = self.core.cut_failure(failure);
        let location = self.location.clone();
        let retries = match cause {
            Cause::Body => self.policy.retries,
            Cause::Crash => self.policy.retries.saturating_add(self.policy.crash_retries),
        };
        if may_retry && attempt.0 <= retries {
            let delay_ms = match asked_delay {
                Some(delay) => millis(delay),
                None => {
                    self.policy.backoff.delay_ms(attempt, self.core.backoff_seed(self.location))
                }
            };
            let retry_at = self.core.now().plus_ms(delay_ms);
            let event = EventKind::AttemptFailed { location, attempt, failure, retry_at };
            let seq = self.core.emit(event, Urgency::Durable);
            self.core.delivered(self.location, seq).await;
            return Ok(());
        }
        if may_retry && kind != FailureKind::Timeout {
            failure.kind = FailureKind::Exhausted;
        }
        if failure.is_fault() {
            // Handed on from elsewhere: this run's code is not at fault.
            failure.kind = FailureKind::Critical;
        }
        let event = EventKind::StepFailed { location, failure: failure.clone() };
        let seq = self.core.emit(event, Urgency::Durable);
        self.core.delivered(self.location, seq).await;
        Err(failure)
    }
}

/// An attempt under way.
struct Running<'a> {
    core: &'a Rc<Core>,
    location: &'a Location,
    attempt: Attempt,
    /// None once it has ended.
    body: Option<LocalBoxFuture<'a, Result<Json, Error>>>,
    signal: CancelSignal,
    timeout_at: Option<UnixMillis>,
    /// When to write the start marker; none once it is written.
    marker_at: Option<UnixMillis>,
    armed: bool,
    /// What the host wants to know again at the end.
    began: u64,
}

impl Future for Running<'_> {
    type Output = Result<Json, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        if let Some(ended) = this.poll_body(cx) {
            this.ended(if ended.is_ok() { AttemptEnd::Succeeded } else { AttemptEnd::Failed });
            return Poll::Ready(ended);
        }
        let now = this.core.now();
        if let Some(at) = this.timeout_at
            && at <= now
        {
            this.timeout_at = None;
            this.stop(AttemptEnd::TimedOut);
            return Poll::Ready(Err(Error::of(
                FailureKind::Timeout,
                "the attempt took longer than its timeout",
            )));
        }
        if let Some(at) = this.marker_at
            && at <= now
        {
            this.marker_at = None;
            let (location, attempt) = (this.location.clone(), this.attempt);
            this.core.emit(EventKind::AttemptStarted { location, attempt }, Urgency::Prompt);
        }
        if !this.armed {
            this.armed = true;
            for at in [this.timeout_at, this.marker_at].into_iter().flatten() {
                this.core.arm(at, this.location);
            }
        }
        this.core.wait_at(this.location, cx.waker());
        Poll::Pending
    }
}

impl Running<'_> {
    /// The body's result, if it has ended. A panic is the body's error, not the engine's.
    fn poll_body(&mut self, cx: &mut Context<'_>) -> Option<Result<Json, Error>> {
        let body = self.body.as_mut()?;
        let outer = self.core.enter_body(Some(self.location.clone()));
        self.core.host.enters_body(self.location);
        let polled = catch_unwind(AssertUnwindSafe(|| body.as_mut().poll(cx)));
        self.core.host.leaves_body();
        self.core.enter_body(outer);
        match polled {
            Ok(Poll::Pending) => None,
            Ok(Poll::Ready(result)) => Some(result),
            Err(panic) => Some(Err(Error::of(FailureKind::Panic, panic_text(&*panic)))),
        }
    }

    fn ended(&mut self, end: AttemptEnd) {
        self.body = None;
        self.core.host.attempt_ended(self.began, end);
        self.core.inner().n_bodies -= 1;
        if self.armed {
            self.core.stop_waiting_at(self.location);
            for at in [self.timeout_at, self.marker_at].into_iter().flatten() {
                self.core.disarm(at, self.location);
            }
        }
    }

    /// Drops the body in the middle of its work, after telling it.
    fn stop(&mut self, end: AttemptEnd) {
        self.signal.cancel();
        let body = self.body.take();
        // A body's destructors are its author's code.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(body)));
        self.ended(end);
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if self.body.is_some() {
            self.stop(AttemptEnd::Dropped);
        }
    }
}

pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    if let Some(text) = panic.downcast_ref::<&str>() {
        return (*text).to_owned();
    }
    match panic.downcast_ref::<String>() {
        Some(text) => text.clone(),
        None => "with something that is not text".to_owned(),
    }
}
