//! Tools, as their servers describe them, and what a call of one gives.

use std::collections::BTreeMap;
use std::time::Duration;

use rmcp::model::{CallToolResult, Tool as McpTool};
use serde::Serialize;
use serde_json::{Map, Value};
use stepwell_graph::{Schema, Tool, ToolResult};

/// A tool of an upstream server.
#[derive(Debug, Clone, Serialize)]
pub struct ToolInfo {
    pub server: String,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub input_schema: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Hints of the server: `readOnlyHint`, `idempotentHint` and the like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Value>,
    /// What a graph needs to know of it.
    #[serde(skip)]
    pub tool: Tool,
}

/// By name.
pub(crate) type ToolList = BTreeMap<String, std::sync::Arc<ToolInfo>>;

/// How a tool is called.
#[derive(Debug, Clone)]
pub struct CallOptions {
    pub timeout: Duration,
    /// What the call's `_meta` says.
    pub meta: Map<String, Value>,
}

/// What a call gave.
#[derive(Debug, Clone)]
pub struct Called {
    /// The answer as it came: `content`, `structuredContent`, `isError`, `_meta`.
    pub answer: Value,
    /// What of it counts.
    pub result: ToolResult,
}

impl ToolInfo {
    pub(crate) fn of(server: &str, tool: McpTool) -> ToolInfo {
        let input_schema = Value::Object((*tool.input_schema).clone());
        let hints = tool.annotations.as_ref();
        let compiled = Schema::compile(&input_schema).map_err(|error| {
            tracing::warn!(server, tool = %tool.name, %error, "the tool's schema is wrong: inputs are not checked");
        });
        ToolInfo {
            server: server.to_owned(),
            name: tool.name.to_string(),
            tool: Tool {
                input_schema: compiled.ok(),
                idempotent: hints.is_some_and(|hints| hints.idempotent_hint == Some(true)),
                read_only: hints.is_some_and(|hints| hints.read_only_hint == Some(true)),
            },
            title: tool.title.or_else(|| hints.and_then(|hints| hints.title.clone())),
            description: tool.description.map(|text| text.to_string()),
            input_schema,
            output_schema: tool.output_schema.map(|schema| Value::Object((*schema).clone())),
            annotations: hints.and_then(|hints| serde_json::to_value(hints).ok()),
        }
    }
}

impl Called {
    pub(crate) fn of(answer: CallToolResult) -> Called {
        let block = |block| serde_json::to_value(block).unwrap_or_default();
        let result = ToolResult {
            structured_content: answer.structured_content.clone().filter(|value| !value.is_null()),
            content: answer.content.iter().map(block).collect(),
            is_error: answer.is_error == Some(true),
        };
        let mut answer = serde_json::to_value(answer).unwrap_or_default();
        if let Some(fields) = answer.as_object_mut() {
            // A word of the protocol between us and the server.
            fields.remove("resultType");
        }
        Called { answer, result }
    }
}
