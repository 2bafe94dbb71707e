//! `child`: a nested run with its own journal.

use std::future::IntoFuture;
use std::marker::PhantomData;

use serde::Serialize;
use serde::de::DeserializeOwned;
use stepwell_journal::{EntryKind, EventKind, Failure, FailureKind, Json, Outcome, RunId};

use super::op::Op;
use super::step::parse;
use crate::core::Urgency;
use crate::execution::ChildStart;
use crate::{Ctx, Error, LocalBoxFuture, Result};

/// A child run about to start. `.await` starts it and waits for its outcome.
#[must_use = "a child does nothing until it is awaited"]
pub struct Child<O> {
    ctx: Ctx,
    name: String,
    workflow: String,
    input: Result<Json, serde_json::Error>,
    output: PhantomData<fn() -> O>,
}

impl Ctx {
    /// Runs another workflow and waits for its output. Cancelling this run cancels it.
    pub fn child<O: DeserializeOwned>(
        &self,
        name: impl Into<String>,
        workflow: impl Into<String>,
        input: &impl Serialize,
    ) -> Child<O> {
        Child {
            ctx: self.clone(),
            name: name.into(),
            workflow: workflow.into(),
            input: Json::of(input),
            output: PhantomData,
        }
    }
}

impl<O: DeserializeOwned> Child<O> {
    async fn run(self) -> Result<O> {
        let op = Op::begin(&self.ctx, &self.name, EntryKind::Child).await;
        self.check_same(&op).await;
        let outcome = match op.core.recorded(&op.location).await {
            Some(outcome) => outcome,
            None => {
                if op.core.peek().state.entry(&op.location).is_none()
                    && let Err(failure) = start(&op, self.workflow, self.input)
                {
                    let location = op.location.clone();
                    let ended = EventKind::ChildEnded { location, outcome: Err(failure) };
                    op.core.emit(ended, Urgency::Durable);
                }
                op.core.outcome(&op.location).await
            }
        };
        let location = op.location.clone();
        op.end(match outcome {
            Outcome::Value(output) => parse(output),
            Outcome::Failed(mut failure) => {
                // The child's code is at fault, not this run's: here it is a failure like any other.
                if failure.is_fault() {
                    failure.kind = FailureKind::Critical;
                }
                // The child's own locations mean nothing here.
                if let Some(inner) = failure.source.replace(location.clone())
                    && inner != location
                {
                    failure.message = format!("in the child, at `{inner}`: {}", failure.message);
                }
                Err(failure.into())
            }
            other => Err(Error::msg(format!("a child cannot end with {other:?}"))),
        })
    }
}

impl<O> Child<O> {
    /// A child of another workflow than the recorded one is another child.
    async fn check_same(&self, op: &Op) {
        let recorded = {
            let inner = op.core.peek();
            let entry = inner.state.entry(&op.location);
            entry.and_then(|entry| Some((entry.child.as_ref()?.1.clone(), entry.first_seq)))
        };
        let Some((recorded, since)) = recorded.filter(|(recorded, _)| *recorded != self.workflow)
        else {
            return;
        };
        op.core.fault(
            Failure::new(
                FailureKind::Divergence,
                format!(
                    "run {}: at `{}` the journal has a child of workflow `{recorded}` (since {since}), \
                     the code asks for one of `{}`",
                    op.core.run, op.location, self.workflow
                ),
            )
            .at(&op.location),
        );
        std::future::pending::<()>().await;
    }
}

fn start(op: &Op, workflow: String, input: Result<Json, serde_json::Error>) -> Result<(), Failure> {
    let critical = |text: String| Failure::new(FailureKind::Critical, text).at(&op.location);
    let input =
        input.map_err(|error| critical(format!("the input cannot be written as JSON: {error}")))?;
    op.core
        .check_size("the child's input", &input)
        .map_err(|error| error.into_failure().at(&op.location))?;
    let version = op.core.host.child_version(&workflow, &input);
    let version = version.map_err(|error| critical(error.to_string()))?;
    let run = RunId::child_of(op.core.run, &op.core.once_per_life(&op.location));
    let started = EventKind::ChildStarted {
        location: op.location.clone(),
        child: run,
        workflow: workflow.clone(),
        input: input.clone(),
    };
    op.core.emit(started, Urgency::Prompt);
    let location = op.location.clone();
    op.core.inner().children.push(ChildStart { run, workflow, version, input, location });
    Ok(())
}

impl<O: DeserializeOwned + 'static> IntoFuture for Child<O> {
    type Output = Result<O>;
    type IntoFuture = LocalBoxFuture<'static, Result<O>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}
