//! What tools answer.

use rmcp::model::{CallToolResult, ContentBlock};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::extract::parse;
use crate::problem::Problem;

/// A result that programs and models can both read.
pub fn result(value: Value) -> CallToolResult {
    let text = serde_json::to_string_pretty(&value).unwrap_or_default();
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.structured_content = Some(value);
    result
}

/// A problem that the caller can do something about.
pub fn problem(problem: &Problem) -> CallToolResult {
    let mut text = problem.detail.clone();
    let untold = problem.errors.iter().filter(|error| !problem.detail.contains(&error.message));
    for error in untold {
        text.push_str(&format!("\n- {}: {}", error.path, error.message));
    }
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    let errors = &problem.errors;
    result.structured_content =
        Some(json!({ "code": problem.code, "detail": problem.detail, "errors": errors }));
    result
}

/// The arguments of a call, read strictly.
pub fn arguments<T: DeserializeOwned>(app: &App, given: &Map<String, Value>) -> Result<T, Problem> {
    let bytes = serde_json::to_vec(given).unwrap_or_default();
    parse(&bytes, app.config.limits.json_depth_max)
}

/// A value of the API as it goes over the wire.
pub fn wire(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
