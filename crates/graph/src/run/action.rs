//! What a step does, as operations of the kernel.

use serde_json::Value;
use stepwell_journal::{Failure, FailureKind};
use stepwell_kernel::{AttemptCx, Backoff, Ctx, Error, Level, Result, StepPolicy, millis};

use super::error::{ErrorCode, StepError};
use super::tool::Call;
use crate::definition::{Action, Config, Step};
use crate::host::{CodeCall, GraphHost, ToolName};
use crate::limits::{
    BACKOFF_MS, BACKOFF_MS_GROWN_MAX, CODE_MEMORY_MB, CODE_TIMEOUT_MS, CRASH_RETRIES,
};
use crate::refs::{ResolveError, Scope, Wired};
use crate::schema::Schema;

/// How much longer than its own limit code may take before the kernel gives the attempt up: the host's error
/// says more.
const CODE_GRACE_MS: u64 = 1_000;

/// How much of a backoff is left to chance.
const JITTER: f64 = 0.2;

/// What is left to do of a step, or of one item, when its refs are resolved.
pub(super) struct Work<'a> {
    pub host: &'a dyn GraphHost,
    pub definition: &'a Step,
    pub output_schema: Option<&'a Schema>,
    pub item: Option<usize>,
}

/// The input with its refs resolved; null if the step has none.
pub(super) fn resolve(input: Option<&Wired>, scope: &dyn Scope) -> Result<Value, StepError> {
    let Some(input) = input else { return Ok(Value::Null) };
    input.resolve(scope).map_err(|error| match &error {
        ResolveError::Ref(_) => StepError::new(ErrorCode::Ref, error),
        ResolveError::TooLarge { .. } => StepError::new(ErrorCode::TooLarge, error),
    })
}

/// Records that the step failed before it did anything.
pub(super) async fn fail(ctx: &Ctx, name: &str, error: StepError) -> Result<Value, Failure> {
    let body = async || Err::<Value, _>(Error::from(error.clone()));
    ctx.step(name, body).policy(harmless()).await.map_err(Error::into_failure)
}

/// A block's result, whichever way it failed.
pub(super) fn flat<T>(ended: Result<Result<T, Failure>>) -> Result<T, Failure> {
    ended.map_err(Error::into_failure).flatten()
}

/// The resolved input, or why there is none.
pub(super) type Input = Result<Value, StepError>;

impl Work<'_> {
    /// Does it, in an entry called `name` of this scope.
    pub async fn run(&self, ctx: &Ctx, name: &str, input: Input) -> Result<Value, Failure> {
        let config = &self.definition.config;
        match &self.definition.action {
            Action::Tool { tool_name, server, transform_code } => {
                let tool = ToolName { server: server.as_deref(), tool: tool_name };
                let call = Call { tool, input: &input };
                match transform_code {
                    None => self.call_tool(ctx, name, call, self.output_schema).await,
                    Some(code) => self.call_and_transform(ctx, name, call, code).await,
                }
            }
            Action::Code { code } => {
                let timeout_ms = config.timeout_ms.unwrap_or(CODE_TIMEOUT_MS);
                self.run_code(ctx, name, Code { code, timeout_ms }, &input).await
            }
            Action::Return { .. } => self.check(ctx, name, input).await,
            Action::Workflow { workflow, .. } => match input {
                Ok(input) => self.run_child(ctx, name, workflow, &input).await,
                Err(error) => fail(ctx, name, error).await,
            },
            Action::Sleep { sleep } => match input {
                Ok(_) => {
                    let slept = ctx.sleep(name, millis(*sleep)).await;
                    slept.map(|()| Value::Null).map_err(Error::into_failure)
                }
                Err(error) => fail(ctx, name, error).await,
            },
            Action::Listen { listen } => match input {
                Ok(_) => self.listen(ctx, name, listen).await,
                Err(error) => fail(ctx, name, error).await,
            },
        }
    }

    async fn call_and_transform(
        &self,
        ctx: &Ctx,
        name: &str,
        call: Call<'_>,
        code: &str,
    ) -> Result<Value, Failure> {
        let block = ctx.try_block(name, async |ctx| {
            let raw = self.call_tool(&ctx, "call", call, None).await?;
            let code = Code { code, timeout_ms: CODE_TIMEOUT_MS };
            Ok(self.run_code(&ctx, "transform", code, &Ok(raw)).await?)
        });
        flat(block.await)
    }

    async fn run_code(
        &self,
        ctx: &Ctx,
        name: &str,
        code: Code<'_>,
        input: &Input,
    ) -> Result<Value, Failure> {
        let config = &self.definition.config;
        let memory_mb = config.memory_mb.unwrap_or(CODE_MEMORY_MB);
        let timeout = millis(code.timeout_ms + CODE_GRACE_MS);
        let log = |level: Level, text: String| ctx.log(level, text);
        let body = async |cx: AttemptCx| {
            let call = CodeCall {
                step: &self.definition.name,
                item: self.item,
                code: code.code,
                input: input.as_ref().map_err(Clone::clone)?,
                timeout: millis(code.timeout_ms),
                memory_bytes: usize::try_from(memory_mb * 1024 * 1024).unwrap_or(usize::MAX),
                cancel: cx.cancel_signal(),
                log: &log,
            };
            let output = self.host.run_code(call).await.map_err(|error| {
                StepError::new(ErrorCode::Code, &error).retryable(error.may_retry)
            })?;
            fits(self.output_schema, output)
        };
        let policy = StepPolicy { timeout, ..policy(config) };
        ctx.step_with(name, body).policy(policy).await.map_err(Error::into_failure)
    }

    /// Gives the value if it fits the `outputSchema`. Cheap and harmless to repeat, so it waits for no commit.
    async fn check(&self, ctx: &Ctx, name: &str, value: Input) -> Result<Value, Failure> {
        let body = async || fits(self.output_schema, value.clone()?);
        ctx.step(name, body).policy(harmless()).ephemeral().await.map_err(Error::into_failure)
    }

    async fn run_child(
        &self,
        ctx: &Ctx,
        name: &str,
        workflow: &str,
        input: &Value,
    ) -> Result<Value, Failure> {
        let timeout_ms = self.definition.config.timeout_ms;
        if timeout_ms.is_none() && self.output_schema.is_none() {
            return ctx.child(name, workflow, input).await.map_err(Error::into_failure);
        }
        let block = ctx.try_block(name, async |ctx| {
            let mut together = ctx.together();
            together.add(async { ctx.child("run", workflow, input).await });
            if let Some(ms) = timeout_ms {
                let ctx = &ctx;
                together.add(async move {
                    ctx.sleep("timeout", millis(ms)).await?;
                    Err(timed_out(ctx, "timeout", &format!("the run of `{workflow}` took"), ms))
                });
            }
            let output = together.next().await.unwrap_or(Ok(Value::Null))?;
            drop(together);
            match self.output_schema {
                Some(_) => Ok(self.check(&ctx, "check", Ok(output)).await?),
                None => Ok(output),
            }
        });
        flat(block.await)
    }

    async fn listen(&self, ctx: &Ctx, name: &str, message: &str) -> Result<Value, Failure> {
        if self.output_schema.is_none() {
            return self.hear(ctx, name, message).await.map_err(Error::into_failure);
        }
        let block = ctx.try_block(name, async |ctx| {
            let body = self.hear(&ctx, "message", message).await?;
            Ok(self.check(&ctx, "check", Ok(body)).await?)
        });
        flat(block.await)
    }

    async fn hear(&self, ctx: &Ctx, name: &str, message: &str) -> Result<Value> {
        let listen = ctx.listen::<Value>(message).named(name);
        match self.definition.config.timeout_ms {
            None => listen.await,
            Some(ms) => {
                let heard = listen.timeout(millis(ms)).await?;
                heard.ok_or_else(|| {
                    timed_out(ctx, name, &format!("the message `{message}` took"), ms)
                })
            }
        }
    }
}

/// Code and how long it may run.
#[derive(Clone, Copy)]
struct Code<'a> {
    code: &'a str,
    timeout_ms: u64,
}

/// How it is done what always comes to the same: once, and again after whatever crash.
fn harmless() -> StepPolicy {
    StepPolicy { retries: 0, crash_retries: u32::MAX, ..StepPolicy::default() }
}

/// How a tool or code is tried, its timeout aside.
pub(super) fn policy(config: &Config) -> StepPolicy {
    let backoff_ms = config.backoff_ms.unwrap_or(BACKOFF_MS);
    let grown_ms = backoff_ms.max(BACKOFF_MS_GROWN_MAX);
    let attempts = u32::try_from(config.max_attempts.unwrap_or(1)).unwrap_or(u32::MAX);
    StepPolicy {
        retries: attempts.saturating_sub(1),
        backoff: Backoff::exponential(millis(backoff_ms), millis(grown_ms)).jitter(JITTER),
        retry_on_timeout: true,
        crash_retries: CRASH_RETRIES,
        ..StepPolicy::default()
    }
}

/// The output, if it fits the schema.
pub(super) fn fits(schema: Option<&Schema>, output: Value) -> Result<Value> {
    if let Some(schema) = schema
        && let Err(mismatch) = schema.check(&output)
    {
        let said = format!("the output does not fit the outputSchema: {mismatch}");
        return Err(StepError::new(ErrorCode::OutputSchema, said).into());
    }
    Ok(output)
}

fn timed_out(ctx: &Ctx, name: &str, what: &str, ms: u64) -> Error {
    let said = StepError::new(ErrorCode::Timeout, format!("{what} longer than timeoutMs, {ms} ms"));
    let failure = Failure::new(FailureKind::Timeout, said.to_string());
    // The name was good enough for the entry that timed out.
    let at = ctx.location().named(name).unwrap_or_else(|_| ctx.location().clone());
    Error::from(failure.at(&at))
}
