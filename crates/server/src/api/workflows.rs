//! Definitions, and the server itself.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use stepwell_files::FileTrouble;
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
    /// Why the file's text of today does not load, if so: this is the last version that did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<FailedFile>,
    /// A graph as it was saved; null for other dialects, and in lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub definition: Option<Value>,
}

/// A file whose text of today does not load.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct FailedFile {
    pub file: String,
    /// The workflows that are registered of it, in the last version that loaded.
    pub workflows: Vec<String>,
    pub problems: Vec<FileProblem>,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct FileProblem {
    pub message: String,
    /// The file that it is in, which may be one that is imported.
    pub file: Option<String>,
    pub line: Option<u32>,
    pub column: Option<u32>,
    /// The source around it, with a caret.
    pub frame: Option<String>,
}

impl From<&FileTrouble> for FailedFile {
    fn from(trouble: &FileTrouble) -> FailedFile {
        let problem = |problem: &stepwell_sequence::Problem| FileProblem {
            message: problem.message.clone(),
            file: problem.position.as_ref().map(|position| position.file.clone()),
            line: problem.position.as_ref().map(|position| position.line),
            column: problem.position.as_ref().map(|position| position.column),
            frame: problem.frame.clone(),
        };
        FailedFile {
            file: trouble.file.clone(),
            workflows: trouble.workflows.iter().map(|one| one.name.clone()).collect(),
            problems: trouble.problems.0.iter().map(problem).collect(),
        }
    }
}

impl WorkflowView {
    /// `failed` are the files that do not load.
    pub fn of(workflow: &Workflow, failed: &[FailedFile]) -> WorkflowView {
        let is_of = |file: &&FailedFile| file.workflows.iter().any(|one| one == workflow.name());
        WorkflowView {
            problem: failed.iter().find(is_of).cloned(),
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
        WorkflowView { definition, ..WorkflowView::of(workflow, &[]) }
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct WorkflowList {
    pub workflows: Vec<WorkflowView>,
    /// Files of the server's folder that do not load.
    #[serde(default)]
    pub failed_files: Vec<FailedFile>,
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
