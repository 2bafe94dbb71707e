//! Recordings: workflows that come about by calling tools.
//!
//! A recording is a run of [`record_workflow`]. It waits for [`Command`]s; each call becomes a step of the run, so
//! its result is in the journal before anybody sees it, and nothing is lost in a crash. What the recording has
//! become is a fold of that journal, made by the run itself and by everybody who looks at it:
//!
//! ```text
//!   Command --ask--> the run: decide --> Change, a fact in the journal --> Recording::apply
//!                                |                                              ^
//!                                +--> a call: a step of the run --> its result -+
//! ```

mod command;
mod decide;
mod names;
mod propose;
mod save;
#[cfg(test)]
mod tests;
mod widen;
mod workflow;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stepwell_graph::ToolResult;
use stepwell_journal::{Event, EventKind, Failure, Note, UnixMillis, effective};

pub use command::{Answer, COMMAND, Command, Refusal};
pub use propose::{Proposal, proposals};
pub use save::definition;
pub use widen::widened;
pub use workflow::{CHANGE, RECORDING, RecordingInput, record_workflow};

/// What has been recorded so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Recording {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// In the order in which they were called; dropped ones are not among them.
    pub steps: Vec<RecordedStep>,
    /// By name: what `@input` is while recording.
    pub inputs: BTreeMap<String, NamedInput>,
    pub is_finished: bool,
    /// Every name that a step ever had: none is given twice.
    #[serde(skip)]
    names: BTreeSet<String>,
}

/// A call that was made, or a result that was set.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecordedStep {
    pub name: String,
    #[serde(flatten)]
    pub made: Made,
    pub status: RecordedStatus,
    /// What refs see of it; there once it is completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<UnixMillis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<UnixMillis>,
}

/// What a step is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Made {
    /// None for a result that was set and comes from no tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// As it was given, with its refs.
    #[serde(default)]
    pub input: Value,
    /// Whether the result was set instead of called for.
    #[serde(default)]
    pub is_preset: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordedStatus {
    Running,
    Completed,
    /// Left out when the recording is saved.
    Failed,
}

/// A value that a run of the saved workflow is given from outside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NamedInput {
    /// What it is while recording.
    pub value: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// What a command changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    StepAdded {
        step: String,
        #[serde(flatten)]
        made: Made,
    },
    StepDropped {
        step: String,
    },
    InputNamed {
        name: String,
        #[serde(flatten)]
        input: NamedInput,
    },
    /// A literal of a step's input became a ref.
    RefPlaced {
        step: String,
        pointer: String,
        written: String,
    },
    Finished,
}

impl Recording {
    pub fn new(input: RecordingInput) -> Recording {
        Recording { title: input.title, description: input.description, ..Recording::default() }
    }

    /// What a run's journal says of its recording.
    pub fn read(journal: &[Event]) -> Recording {
        let mut recording = Recording::default();
        for event in effective(journal) {
            match &event.kind {
                EventKind::RunStarted(started) => {
                    recording = Recording::new(started.input.to().unwrap_or_default());
                }
                EventKind::Noted { note: Note::Fact { name, value }, .. } if name == CHANGE => {
                    if let Ok(change) = value.to::<Change>() {
                        recording.apply(change, event.at);
                    }
                }
                EventKind::StepSucceeded { location, value, .. } => {
                    let answer = value.to().unwrap_or_default();
                    recording.completed(location.as_str(), &answer, event.at);
                }
                EventKind::StepFailed { location, failure } => {
                    recording.failed(location.as_str(), failure, event.at);
                }
                EventKind::RunCompleted { .. }
                | EventKind::RunFailed { .. }
                | EventKind::RunCancelled { .. } => recording.is_finished = true,
                _ => {}
            }
        }
        recording
    }

    pub fn step(&self, name: &str) -> Option<&RecordedStep> {
        self.steps.iter().find(|step| step.name == name)
    }

    /// The only function that changes the list of steps and inputs.
    pub(crate) fn apply(&mut self, change: Change, at: UnixMillis) {
        match change {
            Change::StepAdded { step, made } => {
                self.names.insert(step.clone());
                self.steps.push(RecordedStep {
                    name: step,
                    made,
                    status: RecordedStatus::Running,
                    output: None,
                    error: None,
                    started_at: Some(at),
                    ended_at: None,
                });
            }
            Change::StepDropped { step } => self.steps.retain(|other| other.name != step),
            Change::InputNamed { name, input } => {
                self.inputs.insert(name, input);
            }
            Change::RefPlaced { step, pointer, written } => {
                let place =
                    self.step_mut(&step).and_then(|step| step.made.input.pointer_mut(&pointer));
                if let Some(place) = place {
                    *place = Value::String(written);
                }
            }
            Change::Finished => self.is_finished = true,
        }
    }

    /// `answer` is what the tool gave, in the words of MCP; what counts of it is the step's output.
    pub(crate) fn completed(&mut self, step: &str, answer: &Value, at: UnixMillis) {
        if let Some(step) = self.step_mut(step) {
            step.status = RecordedStatus::Completed;
            step.output = Some(output_of(answer));
            step.ended_at = Some(at);
        }
    }

    pub(crate) fn failed(&mut self, step: &str, failure: &Failure, at: UnixMillis) {
        if let Some(step) = self.step_mut(step) {
            step.status = RecordedStatus::Failed;
            step.error = Some(failure.message.clone());
            step.ended_at = Some(at);
        }
    }

    /// What `@input` is.
    pub fn input_value(&self) -> Value {
        let pair = |(name, input): (&String, &NamedInput)| (name.clone(), input.value.clone());
        Value::Object(self.inputs.iter().map(pair).collect::<Map<_, _>>())
    }

    fn step_mut(&mut self, name: &str) -> Option<&mut RecordedStep> {
        self.steps.iter_mut().find(|step| step.name == name)
    }
}

/// What counts of a tool's answer.
pub(crate) fn output_of(answer: &Value) -> Value {
    let result = ToolResult {
        structured_content: answer
            .get("structuredContent")
            .filter(|value| !value.is_null())
            .cloned(),
        content: answer["content"].as_array().cloned().unwrap_or_default(),
        is_error: answer["isError"] == true,
    };
    result.into_value()
}

/// An answer that counts as this value.
pub(crate) fn answer_with(output: &Value) -> Value {
    let text = match output {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    serde_json::json!({ "content": [{ "type": "text", "text": text }], "structuredContent": output })
}
