//! The durable function behind a recording.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use stepwell_graph::{ErrorCode, ToolName};
use stepwell_journal::{Failure, FailureKind, UnixMillis};
use stepwell_kernel::{
    AttemptCx, Ctx, Error, Question, Result, StepPolicy, Together, Workflow, millis,
};

use super::command::{Answer, COMMAND, Command};
use super::decide::{Decision, decide};
use super::{Change, Recording, answer_with};
use crate::servers::ToolServers;
use crate::tools::{CallOptions, ToolInfo};

/// The name of the workflow that recordings are runs of.
pub const RECORDING: &str = "stepwell.recording";

/// The name of the facts that say what changed.
pub const CHANGE: &str = "recording";

/// How much longer than the tool the step may take: the tool's own error says more.
const GRACE_MS: u64 = 1_000;

/// How often a call that may be repeated is made again after crashes.
const CRASH_RETRIES: u32 = 3;

/// What a recording begins with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecordingInput {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The workflow that recordings are runs of.
pub fn record_workflow(tools: ToolServers) -> Workflow {
    let tools = Arc::new(tools);
    let schema = json!({
        "type": "object",
        "properties": {"title": {"type": "string"}, "description": {"type": "string"}},
        "additionalProperties": false,
    });
    Workflow::without_schema(RECORDING, move |ctx: Ctx, input: RecordingInput| {
        let tools = Arc::clone(&tools);
        async move { record(&ctx, input, &tools).await }
    })
    .dialect_named("recording")
    .titled("Recording")
    .described(
        "Calls of tools that become a workflow: started by RECORDING_START or POST /api/recordings",
    )
    .with_input_schema(schema)
}

enum Happened {
    Heard(Question<Command>),
    Ended {
        step: String,
        result: Result<Value, Failure>,
        said: Option<Value>,
        question: Question<Command>,
    },
}

async fn record(ctx: &Ctx, input: RecordingInput, tools: &ToolServers) -> Result<Value> {
    if let Some(title) = &input.title {
        ctx.describe(title);
    }
    let mut recording = Recording::new(input);
    let mut together = ctx.together();
    let mut n_commands = 1;
    together.add(hear(ctx, n_commands));
    while let Some(happened) = together.next().await {
        match happened? {
            Happened::Heard(question) => {
                obey(ctx, tools, &mut recording, &mut together, question)?;
                if !recording.is_finished {
                    n_commands += 1;
                    together.add(hear(ctx, n_commands));
                }
            }
            Happened::Ended { step, result, said, question } => {
                // The journal has the time; nothing here depends on it.
                let at = UnixMillis(0);
                let answer = match result {
                    Ok(value) => {
                        recording.completed(&step, &value, at);
                        Answer::Called { step }
                    }
                    Err(failure) => {
                        recording.failed(&step, &failure, at);
                        Answer::CallFailed { step, error: failure.message, answer: said }
                    }
                };
                question.answer(&answer)?;
            }
        }
    }
    let names: Vec<&str> = recording.steps.iter().map(|step| step.name.as_str()).collect();
    Ok(json!({ "steps": names, "input": recording.input_value() }))
}

async fn hear(ctx: &Ctx, n: usize) -> Result<Happened> {
    let listen = ctx.listen::<Command>(COMMAND).named(format!("command {n}")).completable();
    listen.await.map(Happened::Heard)
}

/// Does what a command says, or begins to.
fn obey<'a>(
    ctx: &'a Ctx,
    tools: &'a ToolServers,
    recording: &mut Recording,
    together: &mut Together<'a, Result<Happened>>,
    question: Question<Command>,
) -> Result<()> {
    let decision = match decide(recording, question.body.clone()) {
        Ok(decision) => decision,
        Err(refusal) => return question.answer(&Answer::Refused(refusal)),
    };
    match decision {
        Decision::Change(change) => {
            change_to(ctx, recording, change)?;
            question.answer(&Answer::Done)?;
        }
        Decision::Call { change, step, input, timeout_ms } => {
            let name = match &change {
                Change::StepAdded { made, .. } => {
                    (made.server.clone(), made.tool.clone().unwrap_or_default())
                }
                _ => (None, String::new()),
            };
            change_to(ctx, recording, change)?;
            let call = Call { ctx, tools, server: name.0, tool: name.1, input, timeout_ms };
            together.add(async move {
                let said = RefCell::new(None);
                let result = call.make(&step, &said).await;
                Ok(Happened::Ended { step, result, said: said.into_inner(), question })
            });
        }
        Decision::Preset { change, step, output } => {
            change_to(ctx, recording, change)?;
            let answer = answer_with(&output);
            together.add(async move {
                let body = async || Ok::<_, Error>(answer.clone());
                // It always comes to the same, so no crash is one too many.
                let policy = StepPolicy { crash_retries: u32::MAX, ..StepPolicy::default() };
                let result = ctx.step(step.clone(), body).policy(policy).await;
                let result = result.map_err(Error::into_failure);
                Ok(Happened::Ended { step, result, said: None, question })
            });
        }
    }
    Ok(())
}

fn change_to(ctx: &Ctx, recording: &mut Recording, change: Change) -> Result<()> {
    ctx.fact(CHANGE, &change)?;
    recording.apply(change, UnixMillis(0));
    Ok(())
}

/// A call about to be made.
struct Call<'a> {
    ctx: &'a Ctx,
    tools: &'a ToolServers,
    server: Option<String>,
    tool: String,
    input: Value,
    timeout_ms: u64,
}

impl Call<'_> {
    /// `said` gets what the tool answered if that is an error.
    async fn make(&self, step: &str, said: &RefCell<Option<Value>>) -> Result<Value, Failure> {
        let known = self.tools.known(self.name());
        let policy = StepPolicy {
            retries: 0,
            crash_retries: CRASH_RETRIES,
            timeout: millis(self.timeout_ms + GRACE_MS),
            mark_start: !known.is_some_and(|tool| tool.tool.may_repeat()),
            ..StepPolicy::default()
        };
        let body = async |cx: AttemptCx| self.attempt(&cx, said).await;
        let made = self.ctx.step_with(step, body).policy(policy).await;
        made.map_err(Error::into_failure)
    }

    async fn attempt(&self, cx: &AttemptCx, said: &RefCell<Option<Value>>) -> Result<Value> {
        let tool = self.tools.find(self.name()).await.map_err(Error::critical)?;
        if cx.follows_crash() && !tool.tool.may_repeat() {
            let message = format!(
                "{}: a crash cut off the call of `{}`, which may have done its work; look, and call it again if not",
                ErrorCode::Interrupted.as_str(),
                self.tool
            );
            return Err(Error::from(Failure::new(FailureKind::Interrupted, message)));
        }
        self.check_input(&tool)?;
        let meta = Map::from_iter([
            ("stepwell/idempotencyKey".to_owned(), Value::from(cx.idempotency_key())),
            ("traceparent".to_owned(), Value::from(cx.traceparent())),
        ]);
        let options = CallOptions { timeout: Duration::from_millis(self.timeout_ms), meta };
        let called = self.tools.call(&tool, &self.input, options).await.map_err(Error::critical)?;
        if called.result.is_error {
            let text = called.result.text();
            said.replace(Some(called.answer));
            return Err(Error::critical(Error::msg(text)));
        }
        Ok(called.answer)
    }

    fn check_input(&self, tool: &ToolInfo) -> Result<()> {
        let Some(schema) = &tool.tool.input_schema else { return Ok(()) };
        let input = if self.input.is_null() { &json!({}) } else { &self.input };
        schema.check(input).map_err(|mismatch| {
            let said = format!("the input does not fit the tool `{}`: {mismatch}", self.tool);
            Error::critical(Error::msg(said))
        })
    }

    fn name(&self) -> ToolName<'_> {
        ToolName { server: self.server.as_deref(), tool: &self.tool }
    }
}
