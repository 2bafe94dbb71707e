//! What a recording is told, and what it answers.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The message that carries commands.
pub const COMMAND: &str = "command";

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Command {
    /// Calls a tool, and records the call.
    Call {
        tool: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        server: Option<String>,
        /// May hold refs.
        #[serde(default)]
        input: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u64>,
    },
    /// Records a result without calling anybody.
    Preset {
        /// What the step is called; made from the tool's name if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        server: Option<String>,
        #[serde(default)]
        input: Value,
        output: Value,
    },
    /// Takes a step out.
    Drop { step: String },
    /// Gives `@input.<name>` a value.
    NameInput {
        name: String,
        value: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    /// Makes a literal a ref that has the same value.
    PlaceRef {
        step: String,
        /// Where in the step's input, as a JSON pointer.
        pointer: String,
        #[serde(rename = "ref")]
        written: String,
    },
    /// Takes no more commands.
    Finish,
}

/// How a command went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Answer {
    /// It was done.
    Done,
    /// The step succeeded. What the tool gave is in the journal.
    Called { step: String },
    /// The step failed.
    CallFailed {
        step: String,
        error: String,
        /// What the tool said, if it answered at all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answer: Option<Value>,
    },
    /// Nothing was done.
    Refused(Refusal),
}

/// Why nothing was done, and how to do it right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{}{problem}", if at.is_empty() { String::new() } else { format!("`{at}`: ") })]
pub struct Refusal {
    /// The field of the command; empty for the whole.
    pub at: String,
    pub problem: String,
}

impl Refusal {
    pub fn new(at: &str, problem: impl Into<String>) -> Refusal {
        Refusal { at: at.to_owned(), problem: problem.into() }
    }
}
