//! Steps, and the functions that decide the way.

use std::rc::Rc;
use std::time::Duration;

use serde_json::json;
use stepwell_journal::{Failure, FailureKind, Json};
use stepwell_kernel::{AttemptCx, Ctx, Error, Level, Result, StepPolicy, millis};

use super::Run;
use crate::context::{Seen, SeenStep, StepStatus, Within};
use crate::error::{Behavior, Details, StepError, backoff};
use crate::host::{Answer, Call, Role};
use crate::limits::{ATTEMPTS_MAX, CRASH_ATTEMPTS_MAX, CRASH_RETRIES, HANDLER_TIMEOUT_MS};
use crate::plan::{Action, FunctionRef, Node, OnTimeout, Step, StepConfig};

impl Run<'_> {
    pub(super) async fn step(
        &self,
        ctx: &Ctx,
        node: &Node,
        step: &Step,
        mut seen: Seen,
        within: &Within,
    ) -> Result<Seen, Failure> {
        let ended = match &step.action {
            Action::Delay { ms } => {
                let slept = ctx.sleep(&node.name, millis(*ms)).await;
                slept.map(|()| SeenStep::completed(None))
            }
            Action::Function { function, .. } => {
                let answer = self.attempts(ctx, node, (function, &step.config), &seen, within);
                answer.await.map(SeenStep::of)
            }
        };
        let failure = match ended {
            Ok(ended) => {
                seen.put(&node.name, ended);
                return Ok(seen);
            }
            Err(error) => error.into_failure(),
        };
        self.failed(ctx, node, step.config.on_error.as_ref(), &failure, (&seen, within)).await;
        let details = Details::of(&failure);
        if details.behavior != Behavior::Continue {
            return Err(failure);
        }
        let message = format!("step `{}` failed, and the workflow goes on: {failure}", node.name);
        ctx.warn(message);
        seen.put(&node.name, SeenStep::without_result(StepStatus::Failed, details.state));
        Ok(seen)
    }

    async fn attempts(
        &self,
        ctx: &Ctx,
        node: &Node,
        (function, config): (&FunctionRef, &StepConfig),
        seen: &Seen,
        within: &Within,
    ) -> Result<Answer> {
        let seen = Rc::new(seen.clone());
        let body = async |cx: AttemptCx| -> Result<Answer> {
            if config.max_attempts.is_none() {
                give_up_after_crashes(&cx)?;
            }
            let cx = Rc::new(cx);
            let call = Call {
                role: Role::Step,
                function: function.clone(),
                name: node.name.clone(),
                context: self.context(ctx, &seen, within, cx.attempt().0),
                argument: None,
                attempt: cx.clone(),
                timeout: config.timeout_ms.map(Duration::from_millis),
            };
            self.host.call(call).await.map_err(|error| {
                let fields = json!({ "attempt": cx.attempt().0, "stack": error.stack() });
                cx.log_with(Level::Error, error.to_string(), &fields);
                error.settle(config, &cx)
            })
        };
        ctx.step_with(&node.name, body).policy(policy(config)).await
    }

    /// What a function says that decides the way. Losing it with a crash loses nothing: no step ran that it
    /// decided about.
    pub(super) async fn ask(
        &self,
        ctx: &Ctx,
        (entry, role, function): (&str, Role, &FunctionRef),
        node: &Node,
        (seen, within): (&Seen, &Within),
    ) -> Result<Json, Failure> {
        let told = Rc::new(seen.clone());
        let body = async |cx: AttemptCx| -> Result<Json> {
            let call = Call {
                role,
                function: function.clone(),
                name: node.name.clone(),
                context: self.context(ctx, &told, within, 1),
                argument: None,
                attempt: Rc::new(cx),
                timeout: None,
            };
            let answer = self.host.call(call).await.map_err(StepError::into_final)?;
            Ok(answer.result.unwrap_or_default())
        };
        let asked = ctx.step_with(entry, body).policy(once()).ephemeral().await;
        match asked {
            Ok(answer) => Ok(answer),
            Err(error) => {
                let failure = error.into_failure();
                self.failed(ctx, node, None, &failure, (seen, within)).await;
                Err(failure)
            }
        }
    }

    /// Lets the schema make of the input what steps see: with defaults, transformed.
    pub(super) async fn read_input(
        &mut self,
        ctx: &Ctx,
        seen: &Seen,
        within: &Within,
    ) -> Result<()> {
        let Some(function) = &self.plan.input else { return Ok(()) };
        let seen = Rc::new(seen.clone());
        let this = &*self;
        let body = async |cx: AttemptCx| -> Result<Answer> {
            let call = Call {
                role: Role::Input,
                function: function.clone(),
                name: "input".to_owned(),
                context: this.context(ctx, &seen, within, 1),
                argument: this.input.clone(),
                attempt: Rc::new(cx),
                timeout: None,
            };
            this.host.call(call).await.map_err(StepError::into_final)
        };
        let read: Answer = ctx.step_with(".input", body).policy(once()).ephemeral().await?;
        self.input = read.result;
        Ok(())
    }
}

/// A step that says nothing of attempts may be tried as often as its errors ask for, but must not kill the process
/// for ever.
fn give_up_after_crashes(cx: &AttemptCx) -> Result<()> {
    let n_made = cx.attempt().0.saturating_sub(1);
    if !cx.follows_crash() || n_made < CRASH_ATTEMPTS_MAX {
        return Ok(());
    }
    let said = format!("the process ended while attempt {n_made} of this step was running");
    Err(Error::from(Failure::new(FailureKind::Exhausted, said)))
}

fn policy(config: &StepConfig) -> StepPolicy {
    let attempts_max = config.max_attempts.unwrap_or(ATTEMPTS_MAX);
    StepPolicy {
        retries: attempts_max.saturating_sub(1),
        backoff: backoff(config.backoff.unwrap_or_default()),
        timeout: millis(config.timeout_ms.unwrap_or(0)),
        // Without a word about attempts there is one.
        retry_on_timeout: config.on_timeout == OnTimeout::Retry && config.max_attempts.is_some(),
        crash_retries: CRASH_RETRIES,
        mark_start: false,
    }
}

/// For functions that are not steps: tried again only after a crash.
pub(super) fn once() -> StepPolicy {
    StepPolicy {
        retries: 0,
        timeout: millis(HANDLER_TIMEOUT_MS),
        crash_retries: CRASH_RETRIES,
        ..StepPolicy::default()
    }
}
