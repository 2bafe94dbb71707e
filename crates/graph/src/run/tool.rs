//! Calling a tool: checked, timed, and repeated after a crash only where that is harmless.

use std::time::Duration;

use serde_json::{Map, Value};
use stepwell_journal::{Failure, FailureKind};
use stepwell_kernel::{AttemptCx, Ctx, Error, Result, StepPolicy, millis};

use super::action::{Input, Work, fits, policy};
use super::error::{ErrorCode, StepError};
use crate::host::{AttemptInfo, HostError, ToolCall, ToolName};
use crate::limits::TOOL_TIMEOUT_MS;
use crate::schema::Schema;

/// A call about to be made.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub tool: ToolName<'a>,
    pub input: &'a Input,
}

impl Work<'_> {
    pub(super) async fn call_tool(
        &self,
        ctx: &Ctx,
        name: &str,
        call: Call<'_>,
        output_schema: Option<&Schema>,
    ) -> Result<Value, Failure> {
        let config = &self.definition.config;
        let timeout = millis(config.timeout_ms.unwrap_or(TOOL_TIMEOUT_MS));
        let known = self.host.known_tool(call.tool);
        let may_repeat = self.retries_on_crash() || known.is_some_and(|tool| tool.may_repeat());
        let policy = StepPolicy { timeout, mark_start: !may_repeat, ..policy(config) };
        let body = async |cx: AttemptCx| {
            let output = self.attempt(&cx, call, timeout).await?;
            fits(output_schema, output)
        };
        ctx.step_with(name, body).policy(policy).await.map_err(Error::into_failure)
    }

    async fn attempt(&self, cx: &AttemptCx, call: Call<'_>, timeout: Duration) -> Result<Value> {
        let (name, input) = (call.tool, call.input.as_ref().map_err(Clone::clone)?);
        // A step without an input calls its tool without arguments.
        let no_arguments = Value::Object(Map::new());
        let input = if input.is_null() { &no_arguments } else { input };
        let tool = self.host.tool(name).await.map_err(unavailable)?;
        if cx.follows_crash() && !self.retries_on_crash() && !tool.may_repeat() {
            return Err(interrupted(name.tool));
        }
        if let Some(schema) = &tool.input_schema {
            schema.check(input).map_err(|mismatch| {
                let said = format!("the input does not fit the tool `{}`: {mismatch}", name.tool);
                StepError::new(ErrorCode::ToolInput, said)
            })?;
        }
        let attempt = AttemptInfo {
            run: cx.run_id(),
            step: &self.definition.name,
            item: self.item,
            attempt: cx.attempt().0,
            idempotency_key: cx.idempotency_key(),
            traceparent: cx.traceparent(),
            cancel: cx.cancel_signal(),
        };
        let call = ToolCall { name, input, timeout, attempt };
        let result = self.host.call_tool(call).await.map_err(unavailable)?;
        if result.is_error {
            return Err(StepError::new(ErrorCode::ToolFailed, result.text())
                .retryable(true)
                .into());
        }
        Ok(result.into_value())
    }

    /// Whether the author says that the call may be made again.
    fn retries_on_crash(&self) -> bool {
        self.definition.config.retry_on_crash == Some(true)
    }
}

fn unavailable(error: HostError) -> StepError {
    StepError::new(ErrorCode::ToolUnavailable, &error).retryable(error.may_retry)
}

/// Final, and of a kind of its own: a person decides whether the call is made again.
fn interrupted(tool: &str) -> Error {
    let said = StepError::new(
        ErrorCode::Interrupted,
        format!(
            "a crash cut off a call of `{tool}`, which may have done its work, and the tool does not say that it can \
             be called again; look, then resume the run, or set `retryOnCrash`"
        ),
    );
    Error::from(Failure::new(FailureKind::Interrupted, said.to_string()))
}
