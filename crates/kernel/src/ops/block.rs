//! `try_block`: a stretch of workflow code whose failure is a value.

use std::future::IntoFuture;

use stepwell_journal::{EntryKind, EventKind, Failure, FailureKind};

use super::op::Op;
use crate::core::Urgency;
use crate::scope::Scoped;
use crate::{Ctx, LocalBoxFuture, Result};

type Code<'a, T> = Box<dyn FnOnce(Ctx) -> LocalBoxFuture<'a, Result<T>> + 'a>;

/// A block about to run. `.await` runs it.
#[must_use = "a block does nothing until it is awaited"]
pub struct TryBlock<'a, T> {
    ctx: Ctx,
    name: String,
    code: Code<'a, T>,
    catch_rollback: bool,
}

impl Ctx {
    /// Runs `code` in a scope of its own; a failure comes back as a value: `Ok(Err(failure))`. A
    /// rollback comes through as an error unless `catch_rollback` asks for it.
    pub fn try_block<'a, T, F>(&self, name: impl Into<String>, code: F) -> TryBlock<'a, T>
    where
        F: AsyncFnOnce(Ctx) -> Result<T> + 'a,
        T: 'a,
    {
        TryBlock {
            ctx: self.clone(),
            name: name.into(),
            code: Box::new(|ctx| Box::pin(async move { code(ctx).await })),
            catch_rollback: false,
        }
    }
}

impl<T> TryBlock<'_, T> {
    /// Makes a rollback a value, too.
    pub fn catch_rollback(mut self) -> Self {
        self.catch_rollback = true;
        self
    }

    async fn run(self) -> Result<Result<T, Failure>> {
        let op = Op::begin(&self.ctx, &self.name, EntryKind::Block).await;
        op.block_started(EntryKind::Block);
        let ctx = op.inner_ctx(op.location.clone());
        let scope = ctx.scope.clone();
        let result = Scoped::new(op.core.clone(), scope, (self.code)(ctx)).await;
        let result = result.map_err(|error| error.into_failure());
        op.block_ended(result.as_ref().err(), None);
        op.end(match result {
            Ok(value) => Ok(Ok(value)),
            Err(failure) if failure.kind == FailureKind::Rollback && !self.catch_rollback => {
                Err(failure.into())
            }
            Err(failure) => Ok(Err(failure)),
        })
    }
}

impl<'a, T: 'a> IntoFuture for TryBlock<'a, T> {
    type Output = Result<Result<T, Failure>>;
    type IntoFuture = LocalBoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl Op {
    /// Records that a join, race, block or loop began, unless that is recorded.
    pub fn block_started(&self, kind: EntryKind) {
        if self.core.peek().state.entry(&self.location).is_none() {
            let location = self.location.clone();
            self.core.emit(EventKind::BlockStarted { location, kind }, Urgency::Lazy);
        }
    }

    /// Records that it ended, unless that is recorded, and lets go of what was still open in it.
    pub fn block_ended(&self, failure: Option<&Failure>, winner: Option<String>) {
        self.core.check_all_claimed(&self.location);
        let recorded = {
            let inner = self.core.peek();
            inner.state.entry(&self.location).is_some_and(|entry| entry.outcome.is_some())
        };
        if !recorded {
            self.core.cancel_children_below(&self.location);
            let (location, failure) = (self.location.clone(), failure.cloned());
            let ended = EventKind::BlockEnded { location, failure, winner };
            self.core.emit(ended, Urgency::Lazy);
        }
    }
}
