//! What can go wrong with a script, in one shape for every language.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A script that could not be compiled, threw, or exceeded a limit.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub struct ScriptError {
    pub kind: ErrorKind,
    /// One sentence for the script's author, without the position.
    pub message: String,
    /// Where in the author's source.
    pub position: Option<Position>,
    /// The source around the position, with a caret.
    pub frame: Option<Box<str>>,
    /// The calls that led to the error, in positions of the author's source, one a line.
    pub stack: Option<Box<str>>,
    /// What the script threw, if it threw.
    pub thrown: Option<Box<Thrown>>,
}

/// What a script threw, beyond its message.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Thrown {
    /// `TypeError`, `StepError`; empty where the thrown value is no error object.
    pub name: String,
    /// The error's own enumerable properties, or the thrown value as `value` where it is no error object.
    pub properties: Map<String, Value>,
    pub cause: Option<Box<ScriptError>>,
}

/// A place in the author's source. Lines and columns begin at 1; columns count characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    pub file: String,
    pub line: u32,
    pub column: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The source is wrong, or a module that it imports cannot be found. Trying again is of no use.
    Compile,
    /// The script threw, or rejected the promise that it returned.
    Thrown,
    /// The call took longer than `time_ms`.
    TimedOut,
    /// The host cancelled the call.
    Cancelled,
    /// The script's values grew past `memory_bytes`.
    OutOfMemory,
    /// The script called itself too deeply.
    StackOverflow,
    /// The result is longer than `output_bytes`.
    OutputTooLarge,
    /// The script returned a promise and nothing is left that could settle it.
    NeverSettled,
    /// The result cannot be written as JSON: a cycle, or a big integer.
    NotJson,
    /// The bundle has no such export, or it is not a function.
    NoSuchFunction,
    /// The queue of calls is full. Trying again later may help.
    Overloaded,
    /// The engine that ran the script is gone. A bug, or the pool was shut down.
    Unavailable,
}

impl ScriptError {
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind, message, position: None, frame: None, stack: None, thrown: None }
    }

    #[must_use]
    pub fn at(mut self, file: impl Into<String>, line: u32, column: u32) -> Self {
        self.position = Some(Position { file: file.into(), line, column });
        self
    }
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = &self.position {
            write!(f, "{position}: ")?;
        }
        match self.thrown.as_deref() {
            Some(thrown) if !thrown.name.is_empty() && thrown.name != "Error" => {
                write!(f, "{}: {}", thrown.name, self.message)
            }
            _ => f.write_str(&self.message),
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}
