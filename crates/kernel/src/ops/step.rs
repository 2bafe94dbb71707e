//! `step` and `try_step`: work with effects, whose result is recorded.

use std::future::IntoFuture;
use std::marker::PhantomData;
use std::rc::Rc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use stepwell_journal::{EntryKind, Failure, FailureKind, Json};

use super::op::Op;
use super::signal::AttemptCx;
use crate::attempt::{Attempts, Body};
use crate::rollback::UndoHandler;
use crate::{Backoff, Ctx, Error, LocalBoxFuture, Result, StepPolicy};

/// A step that fails the workflow when it fails.
pub struct Plain;

/// A step whose failure is a value.
pub struct Trying {
    catch_rollback: bool,
}

/// A step about to run. Its options have defaults; `.await` runs it.
#[must_use = "a step does nothing until it is awaited"]
pub struct Step<'a, T, M = Plain> {
    ctx: Ctx,
    name: String,
    body: Box<dyn Body + 'a>,
    policy: StepPolicy,
    undo_policy: StepPolicy,
    undo: Option<UndoHandler>,
    ephemeral: bool,
    mode: M,
    result: PhantomData<fn() -> T>,
}

impl Ctx {
    /// Runs `body` and records its result, once. A failure is retried as the options say.
    pub fn step<'a, T, E, F>(&self, name: impl Into<String>, body: F) -> Step<'a, T>
    where
        F: AsyncFnMut() -> Result<T, E> + 'a,
        T: Serialize + DeserializeOwned + 'a,
        E: Into<Error> + 'a,
    {
        self.step_of(name, Box::new(Simple(body, PhantomData)), Plain)
    }

    /// The same for a body that wants to know its attempt, its idempotency key or its cancel signal.
    pub fn step_with<'a, T, E, F>(&self, name: impl Into<String>, body: F) -> Step<'a, T>
    where
        F: AsyncFnMut(AttemptCx) -> Result<T, E> + 'a,
        T: Serialize + DeserializeOwned + 'a,
        E: Into<Error> + 'a,
    {
        self.step_of(name, Box::new(WithCx(body, PhantomData)), Plain)
    }

    /// As a step, but a failure comes back as a value: `Ok(Err(failure))`. A rollback comes through as
    /// an error unless `catch_rollback` asks for it.
    pub fn try_step<'a, T, E, F>(&self, name: impl Into<String>, body: F) -> Step<'a, T, Trying>
    where
        F: AsyncFnMut() -> Result<T, E> + 'a,
        T: Serialize + DeserializeOwned + 'a,
        E: Into<Error> + 'a,
    {
        let mode = Trying { catch_rollback: false };
        self.step_of(name, Box::new(Simple(body, PhantomData)), mode)
    }

    pub(crate) fn step_of<'a, T, M>(
        &self,
        name: impl Into<String>,
        body: Box<dyn Body + 'a>,
        mode: M,
    ) -> Step<'a, T, M> {
        Step {
            ctx: self.clone(),
            name: name.into(),
            body,
            policy: StepPolicy::default(),
            undo_policy: StepPolicy::default(),
            undo: None,
            ephemeral: false,
            mode,
            result: PhantomData,
        }
    }
}

impl<'a, T, M> Step<'a, T, M> {
    /// How many attempts may follow the first; 3 unless said otherwise.
    pub fn retries(mut self, n: u32) -> Self {
        self.policy.retries = n;
        self
    }

    /// How long to wait before the next attempt; exponential from 100 ms to 30 s unless said otherwise.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.policy.backoff = backoff;
        self
    }

    /// How long one attempt may take; 30 s unless said otherwise, zero for as long as it likes.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.policy.timeout = timeout;
        self
    }

    /// Whether an attempt that took too long is retried; it is final unless said otherwise.
    pub fn retry_on_timeout(mut self, retry: bool) -> Self {
        self.policy.retry_on_timeout = retry;
        self
    }

    /// All of the above at once.
    pub fn policy(mut self, policy: StepPolicy) -> Self {
        self.policy = policy;
        self
    }

    /// Lets the result ride with the next commit instead of waiting for its own. After a crash the step
    /// may run again although its result was used; for work that is cheap and harmless to repeat.
    pub fn ephemeral(mut self) -> Self {
        self.ephemeral = true;
        self
    }

    /// How to take back what the step did, given its result. Runs if the run fails for good after the
    /// step succeeded, newest step first.
    pub fn undo<E, F>(mut self, undo: F) -> Self
    where
        F: AsyncFn(T) -> Result<(), E> + 'static,
        T: DeserializeOwned + 'static,
        E: Into<Error> + 'static,
    {
        let undo = Rc::new(undo);
        self.undo = Some(UndoHandler {
            undo: Rc::new(move |value: Json| {
                let undo = undo.clone();
                Box::pin(async move {
                    let value = value.to::<T>().map_err(Error::critical)?;
                    undo(value).await.map_err(Into::into)
                })
            }),
            policy: StepPolicy::default(),
        });
        self
    }

    /// How the undo handler is tried; as a step by default.
    pub fn undo_policy(mut self, policy: StepPolicy) -> Self {
        self.undo_policy = policy;
        self
    }

    /// Borrows the step, so that its future does not hold it twice.
    async fn run(&mut self) -> Result<T, Failure>
    where
        T: DeserializeOwned,
    {
        let op = Op::begin(&self.ctx, &self.name, EntryKind::Step).await;
        if let Some(mut handler) = self.undo.take() {
            handler.policy = self.undo_policy.clone();
            op.core.inner().undo.insert(op.location.clone(), handler);
        }
        let attempts = Attempts {
            core: &op.core,
            location: &op.location,
            policy: &self.policy,
            ephemeral: self.ephemeral,
        };
        let result = match attempts.run(&mut *self.body).await {
            Ok(value) => match value.to() {
                Ok(value) => Ok(value),
                Err(error) => Ok(op.not_a::<T>(&error).await),
            },
            Err(failure) => Err(failure),
        };
        op.end(result)
    }
}

impl<T> Step<'_, T, Trying> {
    /// Makes a rollback a value, too.
    pub fn catch_rollback(mut self) -> Self {
        self.mode.catch_rollback = true;
        self
    }
}

impl<'a, T: DeserializeOwned + 'a> IntoFuture for Step<'a, T, Plain> {
    type Output = Result<T>;
    type IntoFuture = LocalBoxFuture<'a, Result<T>>;

    fn into_future(mut self) -> Self::IntoFuture {
        Box::pin(async move { Ok(self.run().await?) })
    }
}

impl<'a, T: DeserializeOwned + 'a> IntoFuture for Step<'a, T, Trying> {
    type Output = Result<Result<T, Failure>>;
    type IntoFuture = LocalBoxFuture<'a, Result<Result<T, Failure>>>;

    fn into_future(mut self) -> Self::IntoFuture {
        let catch_rollback = self.mode.catch_rollback;
        Box::pin(async move {
            match self.run().await {
                Ok(value) => Ok(Ok(value)),
                Err(failure) if failure.kind == FailureKind::Rollback && !catch_rollback => {
                    Err(failure.into())
                }
                Err(failure) => Ok(Err(failure)),
            }
        })
    }
}

/// What somebody else wrote, as the type that the code wants.
pub(super) fn parse<T: DeserializeOwned>(value: Json) -> Result<T> {
    value.to().map_err(|error| {
        let shape = std::any::type_name::<T>();
        Error::critical(Error::msg(format!("the recorded value is not a `{shape}`: {error}")))
    })
}

impl Op {
    /// What this run recorded here is not of the type that the code wants today. Does not return: the
    /// code is at fault, and mended code can go on.
    pub async fn not_a<T>(&self, error: &serde_json::Error) -> T {
        let shape = std::any::type_name::<T>();
        self.core.fault(
            Failure::new(
                FailureKind::Divergence,
                format!(
                    "run {}: at `{}` the journal has a value that is not the `{shape}` that the code \
                     asks for: {error}",
                    self.core.run, self.location
                ),
            )
            .at(&self.location),
        );
        std::future::pending().await
    }
}

struct Simple<F, T, E>(F, PhantomData<fn() -> (T, E)>);

impl<F, T, E> Body for Simple<F, T, E>
where
    F: AsyncFnMut() -> Result<T, E>,
    T: Serialize,
    E: Into<Error>,
{
    fn call(&mut self, _cx: AttemptCx) -> LocalBoxFuture<'_, Result<Json, Error>> {
        Box::pin(async move { written((self.0)().await) })
    }
}

struct WithCx<F, T, E>(F, PhantomData<fn() -> (T, E)>);

impl<F, T, E> Body for WithCx<F, T, E>
where
    F: AsyncFnMut(AttemptCx) -> Result<T, E>,
    T: Serialize,
    E: Into<Error>,
{
    fn call(&mut self, cx: AttemptCx) -> LocalBoxFuture<'_, Result<Json, Error>> {
        Box::pin(async move { written((self.0)(cx).await) })
    }
}

fn written<T: Serialize, E: Into<Error>>(result: Result<T, E>) -> Result<Json, Error> {
    let value = result.map_err(Into::into)?;
    Json::of(&value).map_err(|error| {
        Error::critical(Error::msg(format!("the result cannot be written as JSON: {error}")))
    })
}
