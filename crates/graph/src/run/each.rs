//! `forEach`: a step once for each item of an array.

use serde_json::Value;
use stepwell_journal::Failure;
use stepwell_kernel::{Ctx, Error, Result};

use super::action::{fail, flat, resolve};
use super::error::{ErrorCode, StepError};
use super::{RunStep, StepScope};
use crate::definition::OnError;
use crate::graph::Each;
use crate::limits::ITEMS_MAX;
use crate::refs::{describe, look_up};

impl RunStep<'_> {
    /// The results in the order of the items; null for those that failed.
    pub(super) async fn run_each(&self, each: &Each) -> Result<Value, Failure> {
        let name = self.definition.name.as_str();
        let items = match self.items(each) {
            Ok(items) => items,
            Err(error) => return fail(self.ctx, name, error).await,
        };
        let block = self.ctx.try_block(name, async |ctx| self.run_items(&ctx, each, items).await);
        flat(block.await).map(Value::Array)
    }

    fn items(&self, each: &Each) -> Result<&[Value], StepError> {
        let of = &each.of;
        let found =
            look_up(of, &self.scope).map_err(|error| StepError::new(ErrorCode::Ref, error))?;
        let problem = match found.unwrap_or(&Value::Null) {
            Value::Array(items) if items.len() <= ITEMS_MAX => return Ok(items),
            Value::Array(items) => {
                let n = items.len();
                format!("`{of}` has {n} items, more than the limit ITEMS_MAX of {ITEMS_MAX}")
            }
            other => format!("`{of}` must be an array, and is {}", describe(other)),
        };
        Err(StepError::new(ErrorCode::ForEach, problem))
    }

    async fn run_items(&self, ctx: &Ctx, each: &Each, items: &[Value]) -> Result<Vec<Value>> {
        let mut results = vec![Value::Null; items.len()];
        let mut left = items.iter().enumerate();
        let mut n_running = 0;
        let mut together = ctx.together();
        loop {
            for (n, item) in left.by_ref().take(each.concurrency - n_running) {
                together.add(async move { (n, self.run_item(ctx, n, item).await) });
                n_running += 1;
            }
            let Some((n, result)) = together.next().await else { return Ok(results) };
            n_running -= 1;
            match result {
                Ok(value) => results[n] = value,
                Err(failure) if self.definition.config.on_error == Some(OnError::Fail) => {
                    return Err(Error::from(failure));
                }
                Err(failure) => ctx.warn(format!("item {n} failed, and is null: {failure}")),
            }
        }
    }

    async fn run_item(&self, ctx: &Ctx, n: usize, item: &Value) -> Result<Value, Failure> {
        let mut scope = StepScope {
            input: self.scope.input.clone(),
            needs: self.scope.needs.clone(),
            ctx: self.scope.ctx.clone(),
            item: Some((item, Value::from(n))),
        };
        if let Some(Value::String(key)) = scope.ctx.get_mut("idempotency_key") {
            key.push_str(&format!("/{n}"));
        }
        let input = resolve(self.node.input.as_ref(), &scope);
        drop(scope);
        self.work(Some(n)).run(ctx, &n.to_string(), input).await
    }
}
