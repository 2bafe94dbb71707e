//! Graphs, the tools they call, and recordings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use stepwell_graph::refs::Completions;
use stepwell_mcp::recording::{Proposal, RecordedStatus, RecordedStep};
use stepwell_mcp::{ConnectionState, Recording, ServerStatus, ToolInfo};
use stepwell_store::RunRow;
use utoipa::ToSchema;

use super::Timestamp;

/// What is wrong with a graph, all of it at once.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct GraphCheck {
    /// Whether it could be saved.
    pub valid: bool,
    pub problems: Vec<GraphProblem>,
    /// Nodes and edges for drawing; null if it is not valid.
    #[schema(value_type = Option<Object>)]
    pub plan: Option<Value>,
    /// A hash of the definition; null if it is not valid.
    pub version: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct GraphProblem {
    /// The step's name, if it is about one that has one.
    pub step: Option<String>,
    /// Such as `steps[2].input.to`.
    pub field: String,
    /// Stable: docs/reference/graph.md explains each.
    pub code: String,
    pub message: String,
    /// Where in the text at `field` it begins, in bytes.
    pub start: Option<usize>,
    pub end: Option<usize>,
}

impl From<&stepwell_graph::Problem> for GraphProblem {
    fn from(problem: &stepwell_graph::Problem) -> GraphProblem {
        GraphProblem {
            step: problem.step.clone(),
            field: problem.field.as_str().to_owned(),
            code: problem.code.as_str().to_owned(),
            message: problem.message.clone(),
            start: problem.span.map(|span| span.start),
            end: problem.span.map(|span| span.end),
        }
    }
}

/// What could be written at the cursor of a text in a graph.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CompleteRef {
    /// The graph as it is so far; it need not be valid.
    #[schema(value_type = Object)]
    pub definition: Value,
    /// The name of the step whose field is written.
    pub step: String,
    pub text: String,
    /// Where the cursor stands in the text, in bytes.
    pub cursor: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RefCompletions {
    /// What a candidate takes the place of, in bytes of the text.
    pub start: usize,
    pub end: usize,
    pub candidates: Vec<RefCandidate>,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RefCandidate {
    pub text: String,
    /// What it is, if that is known: `string`, `array` and the like.
    pub detail: Option<String>,
}

impl From<Completions> for RefCompletions {
    fn from(found: Completions) -> RefCompletions {
        let candidate = |candidate: stepwell_graph::refs::Candidate| RefCandidate {
            text: candidate.text,
            detail: candidate.detail,
        };
        RefCompletions {
            start: found.span.start,
            end: found.span.end,
            candidates: found.candidates.into_iter().map(candidate).collect(),
        }
    }
}

/// The tools of all upstream servers.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ToolListView {
    pub tools: Vec<ToolView>,
    /// Servers that could not be asked, and why.
    pub unreachable: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ToolView {
    pub server: String,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    #[schema(value_type = Object)]
    pub input_schema: Value,
    #[schema(value_type = Option<Object>)]
    pub output_schema: Option<Value>,
    /// Whether a call that a crash cut off is made again.
    pub may_repeat: bool,
    /// What the server says of it, such as `readOnlyHint`.
    #[schema(value_type = Option<Object>)]
    pub annotations: Option<Value>,
}

impl From<&ToolInfo> for ToolView {
    fn from(tool: &ToolInfo) -> ToolView {
        ToolView {
            server: tool.server.clone(),
            name: tool.name.clone(),
            title: tool.title.clone(),
            description: tool.description.clone(),
            input_schema: tool.input_schema.clone(),
            output_schema: tool.output_schema.clone(),
            may_repeat: tool.tool.may_repeat(),
            annotations: tool.annotations.clone(),
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ToolServerList {
    pub servers: Vec<ToolServerView>,
}

/// How it stands with an upstream server.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ToolServerView {
    pub name: String,
    /// `stdio` or `http`.
    pub transport: String,
    /// The program, or the address without its query.
    pub address: String,
    /// `idle`, `connecting`, `connected` or `failed`.
    pub state: String,
    /// Why the last try failed.
    pub error: Option<String>,
    /// Null if it was never asked.
    pub n_tools: Option<usize>,
    /// How often it was connected; more than once means that it was lost.
    pub n_connections: u64,
    /// What it last wrote to its standard error.
    pub said: Vec<String>,
}

impl From<ServerStatus> for ToolServerView {
    fn from(status: ServerStatus) -> ToolServerView {
        let state = match status.state {
            ConnectionState::Idle => "idle",
            ConnectionState::Connecting => "connecting",
            ConnectionState::Connected => "connected",
            ConnectionState::Failed => "failed",
        };
        ToolServerView {
            name: status.name,
            transport: status.transport.to_owned(),
            address: status.address,
            state: state.to_owned(),
            error: status.error,
            n_tools: status.n_tools,
            n_connections: status.n_connections,
            said: status.said,
        }
    }
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct StartRecording {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

/// A recording, as far as it is.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RecordingView {
    /// Also the id of its run.
    pub recording_id: String,
    /// The status of its run: `waiting` while nothing is being called.
    pub status: String,
    /// Where an MCP client calls tools through it.
    pub endpoint: String,
    /// Whether it takes no more calls.
    pub finished: bool,
    pub title: Option<String>,
    pub description: Option<String>,
    pub steps: Vec<RecordedStepView>,
    /// What `@input` is while recording, by name.
    pub inputs: BTreeMap<String, RecordedInputView>,
    pub created_at: Timestamp,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RecordedStepView {
    pub name: String,
    /// Null for a result that was set and comes from no tool.
    pub tool: Option<String>,
    pub server: Option<String>,
    /// As it was given, with its refs.
    #[schema(value_type = serde_json::Value)]
    pub input: Value,
    /// Whether the result was set instead of called for.
    pub preset: bool,
    /// `running`, `completed` or `failed`.
    pub status: String,
    /// What refs see of it.
    #[schema(value_type = serde_json::Value)]
    pub output: Option<Value>,
    pub error: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedInputView {
    #[schema(value_type = serde_json::Value)]
    pub value: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl RecordingView {
    pub(crate) fn of(row: &RunRow, recording: Recording) -> RecordingView {
        let input = |(name, input): (String, stepwell_mcp::recording::NamedInput)| {
            (name, RecordedInputView { value: input.value, description: input.description })
        };
        RecordingView {
            recording_id: row.run.to_string(),
            status: row.status.to_string(),
            endpoint: format!("/mcp/recordings/{}", row.run),
            finished: recording.is_finished,
            title: recording.title,
            description: recording.description,
            steps: recording.steps.into_iter().map(RecordedStepView::from).collect(),
            inputs: recording.inputs.into_iter().map(input).collect(),
            created_at: Timestamp(row.created_at),
        }
    }
}

impl From<RecordedStep> for RecordedStepView {
    fn from(step: RecordedStep) -> RecordedStepView {
        let status = match step.status {
            RecordedStatus::Running => "running",
            RecordedStatus::Completed => "completed",
            RecordedStatus::Failed => "failed",
        };
        RecordedStepView {
            name: step.name,
            tool: step.made.tool,
            server: step.made.server,
            input: step.made.input,
            preset: step.made.is_preset,
            status: status.to_owned(),
            output: step.output,
            error: step.error,
        }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RecordingList {
    pub recordings: Vec<super::RunSummary>,
    pub next_cursor: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordCall {
    pub tool: String,
    /// Which server's; needed only if several have it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// May hold refs, such as `@get_user_1.id`.
    #[serde(default)]
    #[schema(value_type = serde_json::Value)]
    pub input: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 600000)]
    pub timeout_ms: Option<u64>,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordPreset {
    /// What the step is called; made from the tool's name if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The tool that the saved workflow calls; a plain value if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    #[serde(default)]
    #[schema(value_type = serde_json::Value)]
    pub input: Value,
    #[schema(value_type = serde_json::Value)]
    pub output: Value,
}

/// What a call gave.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RecordedCallView {
    /// The name of the step that it became.
    pub step: String,
    pub failed: bool,
    /// In the words of MCP: `content`, `structuredContent`, `isError`.
    #[schema(value_type = Object)]
    pub answer: Value,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ProposalList {
    pub proposals: Vec<ProposalView>,
}

/// A literal that equals an earlier output.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ProposalView {
    pub step: String,
    /// Where in the step's input, as a JSON pointer.
    pub pointer: String,
    #[schema(value_type = serde_json::Value)]
    pub literal: Value,
    /// The likeliest first.
    pub refs: Vec<String>,
}

impl From<Proposal> for ProposalView {
    fn from(proposal: Proposal) -> ProposalView {
        let Proposal { step, pointer, literal, refs } = proposal;
        ProposalView { step, pointer, literal, refs }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceRef {
    pub step: String,
    /// Where in the step's input, as a JSON pointer.
    pub pointer: String,
    /// Must have the value that is there now.
    #[serde(rename = "ref")]
    pub written: String,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SaveRecording {
    /// The name of the workflow that it becomes.
    pub workflow: String,
    /// Whether a graph of this name may be replaced.
    #[serde(default)]
    pub replace: bool,
}
