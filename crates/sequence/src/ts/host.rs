//! Calls a file's functions.

use std::collections::BTreeMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stepwell_journal::Json;
use stepwell_kernel::{AttemptCx, Level, LocalBoxFuture};
use stepwell_script::js::{Call as JsCall, ConsoleLevel, Grants, Program};
use stepwell_script::{ErrorKind, ScriptError, ScriptLimits};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::load::TsRuntime;
use crate::context::Context;
use crate::error::StepError;
use crate::host::{Answer, Call, Role, SequenceHost};

/// How much longer than its timeout an attempt's script may take: the kernel gives it up before, and says so.
const GRACE: Duration = Duration::from_secs(5);

pub(super) struct TsHost {
    pub runtime: TsRuntime,
    /// By file.
    pub programs: BTreeMap<String, Arc<Program>>,
}

/// What a function is given, beside what the driver adds.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    #[serde(flatten)]
    context: &'a Context,
    idempotency_key: String,
    traceparent: String,
}

/// A line of the log, as the driver emits it.
#[derive(Deserialize)]
struct Line {
    level: LineLevel,
    message: String,
    #[serde(default)]
    fields: Value,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum LineLevel {
    Debug,
    Info,
    Warn,
    Error,
}

impl SequenceHost for TsHost {
    fn call(&self, call: Call) -> LocalBoxFuture<'_, Result<Answer, StepError>> {
        Box::pin(async move {
            let Some(program) = self.programs.get(&call.function.unit) else {
                let unit = &call.function.unit;
                return Err(StepError::stop(format!("the file {unit} is not loaded")));
            };
            let state = Arc::default();
            match self.run(program, &call, &state).await {
                Ok(answer) => Ok(answer),
                // The kernel is about to give this attempt up, and knows what is to follow.
                Err(error) if error.kind == ErrorKind::TimedOut && call.timeout.is_some() => {
                    std::future::pending().await
                }
                Err(error) => {
                    let state = state.lock().take().map(Json::from);
                    Err(StepError::from(error).with_state(state))
                }
            }
        })
    }
}

impl TsHost {
    async fn run(
        &self,
        program: &Arc<Program>,
        call: &Call,
        state: &Arc<Mutex<Option<Value>>>,
    ) -> Result<Answer, ScriptError> {
        let (lines, mut said) = unbounded_channel::<Line>();
        let console = {
            let lines = lines.clone();
            Arc::new(move |line: stepwell_script::js::ConsoleLine| {
                let (level, message) = (line.level.into(), line.text);
                // Nobody listens once the attempt is given up.
                let _ = lines.send(Line { level, message, fields: Value::Null });
            })
        };
        let emit = {
            let state = state.clone();
            Arc::new(move |channel: &str, value: Value| match channel {
                "log" => {
                    if let Ok(line) = serde_json::from_value(value) {
                        let _ = lines.send(line);
                    }
                }
                _ => *state.lock() = Some(value),
            })
        };
        let options = self.runtime.options();
        let grants = Grants {
            console: Some(console),
            emit: Some(emit),
            fetch: options.fetch.clone(),
            fixed: None,
        };
        let time = call.timeout.map_or(options.step_time, |timeout| timeout + GRACE);
        let time_ms = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let data = Data {
            context: &call.context,
            idempotency_key: call.attempt.idempotency_key(),
            traceparent: call.attempt.traceparent(),
        };
        let js = JsCall::driver("run")
            .arg(&call.role)?
            .arg(&call.function.id)?
            .arg(&call.name)?
            .arg(&data)?
            .arg(&call.argument)?
            .limits(ScriptLimits { time_ms, ..options.limits })
            .grants(grants)
            .turn_key(call.context.run_id.as_str());
        let _turn = self.runtime.turn().await?;
        let mut answer = pin!(self.runtime.pool().call(program, js));
        let answer = loop {
            tokio::select! {
                biased;
                Some(line) = said.recv() => log(&call.attempt, line),
                answer = &mut answer => break answer,
            }
        };
        drain(&call.attempt, &mut said);
        parse(call.role, answer?)
    }
}

/// What a driver's `run` gives is an answer, as JSON.
fn parse(role: Role, value: Option<Value>) -> Result<Answer, ScriptError> {
    let Some(Value::Object(mut value)) = value else {
        return Err(ScriptError::new(ErrorKind::Unavailable, format!("{role:?} gave no answer")));
    };
    let mut field = |name: &str| value.remove(name).map(Json::from);
    Ok(Answer { result: field("result"), state: field("state") })
}

fn drain(attempt: &AttemptCx, said: &mut UnboundedReceiver<Line>) {
    while let Ok(line) = said.try_recv() {
        log(attempt, line);
    }
}

fn log(attempt: &AttemptCx, line: Line) {
    let level = match line.level {
        LineLevel::Debug => Level::Debug,
        LineLevel::Info => Level::Info,
        LineLevel::Warn => Level::Warn,
        LineLevel::Error => Level::Error,
    };
    match line.fields {
        Value::Null => attempt.log(level, line.message),
        fields => attempt.log_with(level, line.message, &fields),
    }
}

impl From<ConsoleLevel> for LineLevel {
    fn from(level: ConsoleLevel) -> LineLevel {
        match level {
            ConsoleLevel::Debug => LineLevel::Debug,
            ConsoleLevel::Info => LineLevel::Info,
            ConsoleLevel::Warn => LineLevel::Warn,
            ConsoleLevel::Error => LineLevel::Error,
        }
    }
}
