//! What a graph asks of its surroundings: tools and code.

use std::time::Duration;

use serde_json::Value;
use stepwell_journal::RunId;
use stepwell_kernel::{CancelSignal, Level, LocalBoxFuture};

use crate::schema::Schema;

/// Whoever calls tools and runs code for a graph. Its futures run inside step bodies: they may do I/O, and are
/// dropped when the attempt is given up.
pub trait GraphHost: Send + Sync + 'static {
    /// What is known of a tool. Asked before each call, so it should be remembered between them.
    fn tool<'a>(&'a self, tool: ToolName<'a>) -> LocalBoxFuture<'a, Result<Tool, HostError>>;

    /// The same without asking anybody, if that is possible: the journal need not have the start of a call that may
    /// be made again.
    fn known_tool(&self, _tool: ToolName<'_>) -> Option<Tool> {
        None
    }

    /// Calls a tool. The input fits the tool's schema. The kernel gives up the attempt after the call's timeout,
    /// too; whoever can tell the server should do so.
    fn call_tool<'a>(
        &'a self,
        call: ToolCall<'a>,
    ) -> LocalBoxFuture<'a, Result<ToolResult, HostError>>;

    /// Runs the function that the code exports, in a fresh context, and gives what it returns.
    fn run_code<'a>(&'a self, call: CodeCall<'a>) -> LocalBoxFuture<'a, Result<Value, HostError>>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolName<'a> {
    /// The server that has it; the host finds the tool if the step does not say.
    pub server: Option<&'a str>,
    pub tool: &'a str,
}

/// What a server says of its tool.
#[derive(Debug, Clone, Default)]
pub struct Tool {
    pub input_schema: Option<Schema>,
    /// Calling it again with the same input does nothing more.
    pub idempotent: bool,
    /// It changes nothing.
    pub read_only: bool,
}

pub struct ToolCall<'a> {
    pub name: ToolName<'a>,
    pub input: &'a Value,
    pub timeout: Duration,
    pub attempt: AttemptInfo<'a>,
}

/// Which attempt of which step a call belongs to.
pub struct AttemptInfo<'a> {
    pub run: RunId,
    pub step: &'a str,
    /// The place of the item, if the step has a `forEach`.
    pub item: Option<usize>,
    /// The first is 1.
    pub attempt: u32,
    /// The same for every attempt of this step or item, and for no other.
    pub idempotency_key: String,
    /// A W3C `traceparent` for this attempt.
    pub traceparent: String,
    /// Fires when the attempt is given up, for tasks that outlive the future.
    pub cancel: CancelSignal,
}

/// What a tool gave back, in the words of MCP.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolResult {
    pub structured_content: Option<Value>,
    /// Content blocks, such as `{"type": "text", "text": "…"}`.
    pub content: Vec<Value>,
    pub is_error: bool,
}

pub struct CodeCall<'a> {
    /// The step, for stack traces and logs.
    pub step: &'a str,
    /// The place of the item, if the step has a `forEach`.
    pub item: Option<usize>,
    pub code: &'a str,
    pub input: &'a Value,
    pub timeout: Duration,
    pub memory_bytes: usize,
    pub cancel: CancelSignal,
    /// Takes what the code printed, into the run's log.
    pub log: &'a dyn Fn(Level, String),
}

/// Why a host could not do as asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct HostError {
    pub message: String,
    /// Whether trying again could help.
    pub may_retry: bool,
}

impl HostError {
    /// A server that does not answer, a function that threw.
    pub fn retryable(message: impl Into<String>) -> HostError {
        HostError { message: message.into(), may_retry: true }
    }

    /// A tool that does not exist, code that does not compile.
    pub fn lasting(message: impl Into<String>) -> HostError {
        HostError { message: message.into(), may_retry: false }
    }
}

impl Tool {
    /// Whether a call that may have been made can be made again.
    pub fn may_repeat(&self) -> bool {
        self.idempotent || self.read_only
    }
}

impl ToolResult {
    /// What is recorded: the structured content, or the JSON of a single text block, or the content.
    pub fn into_value(self) -> Value {
        if let Some(value) = self.structured_content {
            return value;
        }
        if let [block] = self.content.as_slice()
            && let Some(text) = text_of(block)
            && let Ok(value) = serde_json::from_str(text)
        {
            return value;
        }
        Value::Array(self.content)
    }

    /// What the tool says in words.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self.content.iter().filter_map(text_of).collect();
        match (texts.is_empty(), &self.structured_content) {
            (false, _) => texts.join("\n"),
            (true, Some(value)) => value.to_string(),
            (true, None) => "the tool failed and said nothing".to_owned(),
        }
    }
}

fn text_of(block: &Value) -> Option<&str> {
    block["text"].as_str().filter(|_| block["type"] == "text")
}
