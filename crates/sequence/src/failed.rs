//! What error handlers are told.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stepwell_journal::{Failure, Json};

use crate::context::{Context, SeenStep, StepStatus, empty};
use crate::error::{Behavior, Details};

/// The argument of `onError`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Failed {
    pub error: FailedError,
    pub failed_step: FailedStep,
    pub workflow_state: WorkflowState,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailedError {
    pub message: String,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// The last attempt.
    pub attempt: u32,
    /// What else the error said of itself.
    #[serde(flatten)]
    pub properties: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedStep {
    pub step_name: String,
    pub status: StepStatus,
    pub result: Value,
    pub state: Value,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowState {
    #[serde(default)]
    pub input: Value,
    pub steps: std::collections::BTreeMap<String, SeenStep>,
    /// `failed`, or `running` if the workflow goes on.
    pub status: String,
    pub run_id: String,
    pub workflow_name: String,
}

impl Failed {
    pub(crate) fn of(name: &str, failure: &Failure, context: &Context) -> Failed {
        let details = Details::of(failure);
        let value = |json: Option<&Json>| json.and_then(|json| json.to().ok()).unwrap_or_default();
        let goes_on = details.behavior == Behavior::Continue;
        let mut properties = details.properties;
        for known in ["message", "name", "stack", "attempt"] {
            properties.remove(known);
        }
        let name_of_error = if details.name.is_empty() { "Error".to_owned() } else { details.name };
        let mut steps: std::collections::BTreeMap<String, SeenStep> =
            context.steps().map(|(name, step)| (name.to_owned(), step.clone())).collect();
        let state = details.state.unwrap_or_else(empty);
        steps.insert(
            name.to_owned(),
            SeenStep { status: StepStatus::Failed, result: None, state: state.clone() },
        );
        Failed {
            error: FailedError {
                message: details.message,
                name: name_of_error,
                stack: details.stack,
                attempt: failure.attempts.0.max(1),
                properties,
            },
            failed_step: FailedStep {
                step_name: name.to_owned(),
                status: StepStatus::Failed,
                result: Value::Null,
                state: value(Some(&state)),
            },
            workflow_state: WorkflowState {
                input: value(context.input.as_ref()),
                steps,
                status: if goes_on { "running" } else { "failed" }.to_owned(),
                run_id: context.run_id.clone(),
                workflow_name: context.workflow_name.clone(),
            },
        }
    }
}
