//! Definitions, and the server itself.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use stepwell_kernel::Workflow;
use utoipa::ToSchema;

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct WorkflowView {
    pub name: String,
    /// `code`, `sequence`, `flow` or `graph`.
    pub dialect: String,
    pub version: String,
    pub title: Option<String>,
    pub description: Option<String>,
    /// A JSON Schema of the input; null if anything is taken.
    #[schema(value_type = Option<Object>)]
    pub input_schema: Option<Value>,
    #[schema(value_type = Option<Object>)]
    pub output_schema: Option<Value>,
    /// Nodes and edges for drawing; null for code, whose plan only its runs know.
    #[schema(value_type = Option<Object>)]
    pub plan: Option<Value>,
    /// The file that it was read from, if it was.
    pub file: Option<String>,
    /// A graph as it was saved; null for other dialects, and in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub definition: Option<Value>,
}

impl WorkflowView {
    pub fn of(workflow: &Workflow) -> WorkflowView {
        WorkflowView {
            name: workflow.name().to_owned(),
            dialect: workflow.dialect().to_owned(),
            version: workflow.version().to_owned(),
            title: workflow.title().map(str::to_owned),
            description: workflow.description().map(str::to_owned),
            input_schema: workflow.input_schema().cloned(),
            output_schema: workflow.output_schema().cloned(),
            plan: workflow.plan().map(|plan| (**plan).clone()),
            file: workflow.source().map(|source| source.file.clone()),
            definition: None,
        }
    }

    pub(crate) fn with_definition(workflow: &Workflow, definition: Option<Value>) -> WorkflowView {
        WorkflowView { definition, ..WorkflowView::of(workflow) }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct WorkflowList {
    pub workflows: Vec<WorkflowView>,
    pub next_cursor: Option<String>,
}

/// Who answers, and as whom.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ServerInfo {
    pub version: String,
    /// The namespace that this request works in.
    pub namespace: String,
    /// What this request may do.
    pub scope: super::Scope,
    /// The name of the token that was used; null without one.
    pub token: Option<String>,
    /// Whether requests need a token.
    pub token_required: bool,
    pub started_at: super::Timestamp,
    /// The time by the server's clock.
    pub now: super::Timestamp,
}
