//! Recordings: runs that are told, call by call, what to do.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use stepwell_engine::{AskError, Engine, RunHandle, SendError, StartOptions};
use stepwell_graph::ToolName;
use stepwell_journal::{Location, Outcome};
use stepwell_mcp::limits::{RECORDED_CALL_MS, RECORDED_CALL_MS_MAX};
use stepwell_mcp::recording::{
    Answer, COMMAND, Command, RECORDING, RecordingInput, Refusal, definition, record_workflow,
};
use stepwell_mcp::{Recording, ToolServers, UpstreamError};
use stepwell_store::RunRow;

use crate::app::App;
use crate::config::ServeError;
use crate::graphs::{Put, SavedGraph};
use crate::problem::{Code, Problem};

/// How long a command that calls no tool may take.
const COMMAND_MS: u64 = 30_000;

/// How much longer than the call its answer may take.
const ANSWER_GRACE_MS: u64 = 10_000;

/// What a call gave.
pub struct RecordedCall {
    pub step: String,
    /// In the words of MCP.
    pub answer: Value,
    pub is_error: bool,
}

/// Makes recordings possible, in every namespace.
pub fn register(engine: &Engine, tools: &ToolServers) -> Result<(), ServeError> {
    engine.register(record_workflow(tools.clone())).map_err(|error| ServeError::Setting {
        setting: "workflows".to_owned(),
        value: RECORDING.to_owned(),
        problem: error.to_string(),
    })
}

impl App {
    /// Begins a recording.
    pub async fn start_recording(
        &self,
        namespace: &str,
        input: RecordingInput,
        labels: BTreeMap<String, String>,
    ) -> Result<RunHandle, Problem> {
        let options = StartOptions {
            namespace: Some(namespace.to_owned()),
            labels,
            ..StartOptions::default()
        };
        Ok(self.engine.launch(RECORDING, &input, options).await?.run)
    }

    /// The run of a recording of this namespace.
    pub async fn recording_row(&self, namespace: &str, id: &str) -> Result<RunRow, Problem> {
        match self.row(namespace, id).await {
            Ok(row) if row.workflow == RECORDING => Ok(row),
            Err(problem) if !problem.is(Code::UnknownRun) => Err(problem),
            Ok(_) | Err(_) => {
                let id: String = id.chars().take(128).collect();
                let detail = format!("there is no recording `{id}` in this namespace");
                Err(Problem::new(Code::UnknownRun, detail))
            }
        }
    }

    pub async fn recording(&self, row: &RunRow) -> Result<Recording, Problem> {
        Ok(Recording::read(&self.engine.get(row.run).await?.journal().await?))
    }

    /// Does what needs no tool.
    pub async fn command(&self, row: &RunRow, command: &Command) -> Result<Answer, Problem> {
        self.ask(row, command, COMMAND_MS).await
    }

    /// Calls a tool as a step of the recording. A call that fails is an answer, too.
    pub async fn record_call(
        &self,
        row: &RunRow,
        command: Command,
    ) -> Result<RecordedCall, Problem> {
        let (command, limit_ms) = match command {
            Command::Call { tool, server, input, timeout_ms } => {
                let name = ToolName { server: server.as_deref(), tool: &tool };
                // The saved workflow must mean the same tool, whatever servers there are then.
                let server = Some(self.tools.find(name).await?.server.clone());
                let limit_ms = timeout_ms.unwrap_or(RECORDED_CALL_MS).min(RECORDED_CALL_MS_MAX);
                (Command::Call { tool, server, input, timeout_ms }, limit_ms)
            }
            other => (other, COMMAND_MS),
        };
        match self.ask(row, &command, limit_ms + ANSWER_GRACE_MS).await? {
            Answer::Called { step } => {
                let answer = self.recorded_answer(row, &step).await?;
                Ok(RecordedCall { step, answer, is_error: false })
            }
            Answer::CallFailed { step, error, answer } => {
                let said =
                    || json!({ "content": [{ "type": "text", "text": error }], "isError": true });
                Ok(RecordedCall { step, answer: answer.unwrap_or_else(said), is_error: true })
            }
            Answer::Done | Answer::Refused(_) => {
                Err(Problem::new(Code::RecordingRefused, "the recording gave no result"))
            }
        }
    }

    /// Saves what was recorded as a graph.
    pub async fn save_recording(
        &self,
        row: &RunRow,
        name: &str,
        put: Put,
    ) -> Result<SavedGraph, Problem> {
        let recording = self.recording(row).await?;
        let definition = definition(&recording, name).map_err(|refusal| refused(&refusal))?;
        let value = serde_json::to_value(&definition)
            .map_err(|error| crate::problem::internal(&error.to_string()))?;
        self.graphs.put(&row.namespace, name, &value, put).await
    }

    async fn ask(&self, row: &RunRow, command: &Command, limit_ms: u64) -> Result<Answer, Problem> {
        let run = self.engine.get(row.run).await?;
        let limit = Duration::from_millis(limit_ms);
        match run.ask::<Answer>(COMMAND, command, limit).await {
            Ok(Answer::Refused(refusal)) => Err(refused(&refusal)),
            Ok(answer) => Ok(answer),
            Err(AskError::Send(SendError::RunEnded { .. }) | AskError::Unanswered { .. }) => {
                let detail = "the recording is finished: look at it, save it, or begin another";
                Err(Problem::new(Code::RecordingRefused, detail))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// What a tool gave to a step that succeeded.
    async fn recorded_answer(&self, row: &RunRow, step: &str) -> Result<Value, Problem> {
        let view = self.engine.get(row.run).await?.state().await?;
        let entry = view.state.entry(&Location::from_text(step));
        match entry.and_then(|entry| entry.outcome.as_ref()).map(|(_, outcome)| outcome) {
            Some(Outcome::Value(value)) => Ok(value.to().unwrap_or_default()),
            _ => Err(Problem::new(
                Code::RecordingRefused,
                format!("the step `{step}` was dropped meanwhile"),
            )),
        }
    }
}

fn refused(refusal: &Refusal) -> Problem {
    let problem = Problem::new(Code::RecordingRefused, refusal.to_string());
    if refusal.at.is_empty() { problem } else { problem.at(&refusal.at, &refusal.problem) }
}

impl From<UpstreamError> for Problem {
    fn from(error: UpstreamError) -> Problem {
        let code = match &error {
            UpstreamError::UnknownServer { .. }
            | UpstreamError::UnknownTool { .. }
            | UpstreamError::NoSuchTool { .. }
            | UpstreamError::Ambiguous { .. } => Code::UnknownTool,
            _ => Code::ToolUnavailable,
        };
        Problem::new(code, error.to_string())
    }
}
