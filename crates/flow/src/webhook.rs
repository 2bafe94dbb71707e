//! What services answer at a webhook.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::http::problem_text;

/// An answer, as the run gets it as a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WebhookAnswer {
    Outputs(Map<String, Value>),
    /// A problem document (RFC 9457): the work has failed.
    Problem(Map<String, Value>),
}

/// What a problem document says, for the work item's error.
pub(crate) fn problem_message(problem: &Map<String, Value>) -> String {
    let text = problem_text(&Value::Object(problem.clone()));
    let status = problem.get("status").and_then(Value::as_u64);
    let said = if text.is_empty() { "the service says no more".to_owned() } else { text };
    match status {
        Some(status) => format!("the service reported a failure (status {status}): {said}"),
        None => format!("the service reported a failure: {said}"),
    }
}
