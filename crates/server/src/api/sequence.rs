//! Steps of sequences as their authors speak of them: a result, and a state apart from it.

use serde::{Deserialize, Serialize};
use stepwell_journal::Json;
use stepwell_sequence::Answer;
use utoipa::ToSchema;

use super::EntryView;

/// The steps of a sequence's run, as a tree.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct StepRecords {
    /// Each with `name`, `type`, `location`, `status`, `result`, `state`, `error`, `attempts`, `description`, `startedAt`,
    /// `completedAt`, `duration`, and the `steps` that lie in it.
    #[schema(value_type = Vec<Object>)]
    pub steps: serde_json::Value,
}

/// Shows the result of each step, instead of what is recorded: the result with the step's state.
pub fn show_answers(entries: &mut [EntryView]) {
    for entry in entries {
        show_answers(&mut entry.entries);
        // Names that begin with a dot are the interpreter's own.
        if entry.kind == "step" && !entry.name.starts_with('.') {
            show_answer(entry);
        }
    }
}

fn show_answer(entry: &mut EntryView) {
    let recorded = entry.output.as_ref().map(Json::to::<Answer>);
    let Some(Ok(Answer { result, state })) = recorded else { return };
    entry.output = result;
    let state: serde_json::Value = state.and_then(|state| state.to().ok()).unwrap_or_default();
    entry.description = state["description"].as_str().map(str::to_owned);
    if state["skipped"] == true {
        "skipped".clone_into(&mut entry.status);
        entry.skipped_because.clone_from(&entry.description);
    }
}
