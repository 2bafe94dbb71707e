//! What graphs ask for: tools of upstream servers, and code in a sandbox.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Map, Value};
use stepwell_graph::{
    CodeCall, GraphHost, HostError, Problem, Tool, ToolCall, ToolName, ToolResult,
};
use stepwell_kernel::{Level, LocalBoxFuture};
use stepwell_mcp::{CallOptions, ToolServers};
use stepwell_script::js::{
    Call, ConsoleLevel, ConsoleLine, Grants, JsPool, Library, PoolOptions, Scripts,
};
use stepwell_script::{ErrorKind, ScriptError, ScriptLimits};

/// How many lines of one call's console go to the run's log; later ones are dropped.
const CONSOLE_LINES_MAX: usize = 1_000;

pub struct Host {
    tools: ToolServers,
    scripts: Scripts,
}

impl Host {
    pub fn new(tools: ToolServers) -> Host {
        let pool = JsPool::new(PoolOptions::default());
        Host { tools, scripts: Scripts::new(pool, Library::new()) }
    }

    /// What is wrong with the code of a step, before it runs.
    pub fn check_code(&self, step: &str, code: &str) -> Vec<ScriptError> {
        self.scripts.module(&file_of(step), code).err().unwrap_or_default()
    }

    async fn run(&self, call: &CodeCall<'_>) -> Result<Value, ScriptError> {
        let lines: Arc<Mutex<Vec<ConsoleLine>>> = Arc::default();
        let heard = Arc::clone(&lines);
        let console = move |line: ConsoleLine| {
            let mut lines = heard.lock();
            if lines.len() < CONSOLE_LINES_MAX {
                lines.push(line);
            }
        };
        let limits = ScriptLimits {
            time_ms: u64::try_from(call.timeout.as_millis()).unwrap_or(u64::MAX),
            memory_bytes: call.memory_bytes,
            ..ScriptLimits::DEFAULT
        };
        let grants = Grants { console: Some(Arc::new(console)), ..Grants::default() };
        let options = Call::default().limits(limits).grants(grants);
        let file = file_of(call.step);
        let ended = self.scripts.eval_default_export(&file, call.code, call.input, options).await;
        for line in lines.lock().drain(..) {
            (call.log)(level(line.level), line.text);
        }
        ended.map(Option::unwrap_or_default)
    }
}

impl GraphHost for Host {
    fn tool<'a>(&'a self, tool: ToolName<'a>) -> LocalBoxFuture<'a, Result<Tool, HostError>> {
        Box::pin(async move { Ok(self.tools.find(tool).await?.tool.clone()) })
    }

    fn known_tool(&self, tool: ToolName<'_>) -> Option<Tool> {
        self.tools.known(tool).map(|found| found.tool.clone())
    }

    fn call_tool<'a>(
        &'a self,
        call: ToolCall<'a>,
    ) -> LocalBoxFuture<'a, Result<ToolResult, HostError>> {
        Box::pin(async move {
            let tool = self.tools.find(call.name).await?;
            let ToolCall { input, timeout, attempt, .. } = call;
            let meta = Map::from_iter([
                ("stepwell/idempotencyKey".to_owned(), Value::from(attempt.idempotency_key)),
                ("traceparent".to_owned(), Value::from(attempt.traceparent)),
            ]);
            let called = self.tools.call(&tool, input, CallOptions { timeout, meta }).await?;
            Ok(called.result)
        })
    }

    fn run_code<'a>(&'a self, call: CodeCall<'a>) -> LocalBoxFuture<'a, Result<Value, HostError>> {
        Box::pin(async move {
            self.run(&call).await.map_err(|error| {
                let message = error.to_string();
                HostError { message, may_retry: may_retry(error.kind) }
            })
        })
    }
}

/// The code's problems as those of the graph.
pub fn code_problem(step: &str, field: stepwell_graph::Path, error: &ScriptError) -> Problem {
    let place = error.position.as_ref();
    let place =
        place.map(|at| format!("line {}, column {}: ", at.line, at.column)).unwrap_or_default();
    Problem {
        step: Some(step.to_owned()),
        field,
        code: stepwell_graph::Code::Value,
        message: format!("{place}{}", error.message),
        span: None,
    }
}

fn file_of(step: &str) -> String {
    format!("{step}.ts")
}

/// What depends on the code alone fails again the next time.
fn may_retry(kind: ErrorKind) -> bool {
    match kind {
        ErrorKind::Thrown
        | ErrorKind::TimedOut
        | ErrorKind::Cancelled
        | ErrorKind::Overloaded
        | ErrorKind::Unavailable => true,
        ErrorKind::Compile
        | ErrorKind::OutOfMemory
        | ErrorKind::StackOverflow
        | ErrorKind::OutputTooLarge
        | ErrorKind::NeverSettled
        | ErrorKind::NotJson
        | ErrorKind::NoSuchFunction => false,
    }
}

fn level(level: ConsoleLevel) -> Level {
    match level {
        ConsoleLevel::Debug => Level::Debug,
        ConsoleLevel::Info => Level::Info,
        ConsoleLevel::Warn => Level::Warn,
        ConsoleLevel::Error => Level::Error,
    }
}
