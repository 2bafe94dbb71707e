//! `looped`: durable state per iteration, and a journal that stays short.

use std::future::IntoFuture;

use serde::Serialize;
use serde::de::DeserializeOwned;
use stepwell_journal::{EntryKind, EventKind, Json, Seq};

use super::op::Op;
use crate::core::Urgency;
use crate::scope::Scoped;
use crate::{Ctx, LocalBoxFuture, Result};

/// How an iteration ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loop<S, B> {
    /// Another iteration follows, with this state.
    Continue(S),
    Break(B),
}

type Iteration<'a, S, B> = Box<dyn FnIteration<S, B> + 'a>;

/// A loop about to run. `.await` runs it.
#[must_use = "a loop does nothing until it is awaited"]
pub struct Looped<'a, S, B> {
    ctx: Ctx,
    name: String,
    state: S,
    iteration: Iteration<'a, S, B>,
    keep: u64,
    commit_every: u64,
}

impl Ctx {
    /// Runs `iteration` with `state` again and again until it breaks. Each iteration is a scope of its
    /// own; the journal keeps the last 20 iterations only, so the loop may be endless.
    pub fn looped<'a, S, B, F>(
        &self,
        name: impl Into<String>,
        state: S,
        iteration: F,
    ) -> Looped<'a, S, B>
    where
        F: AsyncFnMut(Ctx, S) -> Result<Loop<S, B>> + 'a,
        S: Serialize + DeserializeOwned + 'a,
        B: 'a,
    {
        Looped {
            ctx: self.clone(),
            name: name.into(),
            state,
            iteration: Box::new(iteration),
            keep: 20,
            commit_every: 1,
        }
    }
}

impl<S: Serialize + DeserializeOwned, B> Looped<'_, S, B> {
    /// How many past iterations the journal keeps: what can be looked at, replayed and undone. At
    /// least 1; 20 unless said otherwise.
    pub fn keep(mut self, n: u64) -> Self {
        self.keep = n.max(1);
        self
    }

    /// How often the state is recorded: every iteration unless said otherwise. Iterations since the
    /// last one are replayed from their steps.
    pub fn commit_every(mut self, n: u64) -> Self {
        self.commit_every = n.max(1);
        self
    }

    async fn run(mut self) -> Result<B> {
        let op = Op::begin(&self.ctx, &self.name, EntryKind::Loop).await;
        op.block_started(EntryKind::Loop);
        let (mut n, kept) = first_kept(&op);
        let mut state = match kept {
            Some((seq, state)) => {
                // As when it began: after the event that says so, which `now` tells the time of.
                op.core.delivered(&op.location, seq).await;
                match state.to() {
                    Ok(state) => state,
                    Err(error) => op.not_a(&error).await,
                }
            }
            None => self.state,
        };
        let result = loop {
            let ctx = op.inner_ctx(op.location.iteration(n));
            let scope = ctx.scope.clone();
            let code = self.iteration.call(ctx, state);
            match Scoped::new(op.core.clone(), scope, code).await {
                Ok(Loop::Continue(next)) => state = next,
                Ok(Loop::Break(value)) => break Ok(value),
                Err(error) => break Err(error),
            }
            n += 1;
            if n.is_multiple_of(self.commit_every) {
                let trimmed_before = n.saturating_sub(self.keep);
                let trimmed_before = trimmed_before - trimmed_before % self.commit_every;
                match advance(&op, n, &state, trimmed_before).await {
                    // What is recorded is what the next iteration sees, now and on every replay.
                    Ok(recorded) => match recorded.to() {
                        Ok(recorded) => state = recorded,
                        Err(error) => op.not_a(&error).await,
                    },
                    Err(error) => break Err(error),
                }
                // Each advance lets go of what the one before it did not: as many as are committed at once.
                for gone in trimmed_before.saturating_sub(self.commit_every)..trimmed_before {
                    op.core.forget_below(&op.location.iteration(gone));
                }
            }
        };
        op.block_ended(result.as_ref().err().map(|error| error.failure()), None);
        op.end(result)
    }
}

/// Where replay begins: the oldest iteration that is kept, and its state unless it is the first.
fn first_kept(op: &Op) -> (u64, Option<(Seq, Json)>) {
    let inner = op.core.peek();
    let iterations = inner.state.entry(&op.location).and_then(|entry| entry.iterations.as_deref());
    let Some(iterations) = iterations.filter(|iterations| iterations.trimmed_before > 0) else {
        return (0, None);
    };
    match iterations.begun.get(&iterations.trimmed_before) {
        Some(begun) => (iterations.trimmed_before, Some(begun.clone())),
        None => (0, None),
    }
}

/// Records the state that iteration `n` begins with, and lets go of those that are kept no longer. Gives
/// back what is recorded.
async fn advance<S: Serialize>(op: &Op, n: u64, state: &S, trimmed_before: u64) -> Result<Json> {
    let recorded: Option<(Seq, Json)> = {
        let inner = op.core.peek();
        let entry = inner.state.entry(&op.location);
        let iterations = entry.and_then(|entry| entry.iterations.as_deref());
        iterations.and_then(|iterations| iterations.begun.get(&n)).cloned()
    };
    let (seq, state) = match recorded {
        Some(recorded) => recorded,
        None => {
            let state = Json::of(state)?;
            op.core.check_size("the loop's state", &state)?;
            let advanced = EventKind::LoopAdvanced {
                location: op.location.clone(),
                iteration: n,
                state: state.clone(),
                trimmed_before,
            };
            (op.core.emit(advanced, Urgency::Lazy), state)
        }
    };
    op.core.delivered(&op.location, seq).await;
    Ok(state)
}

impl<'a, S, B> IntoFuture for Looped<'a, S, B>
where
    S: Serialize + DeserializeOwned + 'a,
    B: 'a,
{
    type Output = Result<B>;
    type IntoFuture = LocalBoxFuture<'a, Result<B>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

trait FnIteration<S, B> {
    fn call<'x>(&'x mut self, ctx: Ctx, state: S) -> LocalBoxFuture<'x, Result<Loop<S, B>>>
    where
        S: 'x,
        B: 'x;
}

impl<F, S, B> FnIteration<S, B> for F
where
    F: AsyncFnMut(Ctx, S) -> Result<Loop<S, B>>,
{
    fn call<'x>(&'x mut self, ctx: Ctx, state: S) -> LocalBoxFuture<'x, Result<Loop<S, B>>>
    where
        S: 'x,
        B: 'x,
    {
        Box::pin(self(ctx, state))
    }
}
