//! What all languages agree on: how arguments are named, what a result may be, and what it means.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::js::text::frame;
use crate::{ErrorKind, ScriptError, ScriptLimits};

/// Longest source of a script: what a step of a catalog may hold.
pub const SOURCE_BYTES_MAX: usize = 512 << 10;
/// Most arguments of a script.
pub const ARGS_MAX: usize = 150;
/// Deepest nesting of arguments and results. Below what JSON readers accept, so that a result can be
/// wrapped a few times and still be read.
pub const JSON_DEPTH_MAX: usize = 100;

/// What one call of a Lua or Ale script is subject to.
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    pub limits: ScriptLimits,
    pub expected: Expected,
    /// Ends the call with [`ErrorKind::Cancelled`] soon after it is cancelled.
    pub cancel: Option<CancellationToken>,
}

/// A result as outputs: an object is the outputs, anything else is the output `result`.
#[must_use]
pub fn outputs_of(result: Value) -> Map<String, Value> {
    match result {
        Value::Object(outputs) => outputs,
        other => [("result".to_owned(), other)].into_iter().collect(),
    }
}

/// What the declared types say about a result, where a language cannot: Lua's empty table is an object
/// and Ale's empty list is null, unless an array is expected in that place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expected {
    array: bool,
    array_outputs: BTreeSet<String>,
}

impl Expected {
    /// Nothing is declared.
    pub const ANYTHING: Expected = Expected { array: false, array_outputs: BTreeSet::new() };

    /// The result is an array.
    #[must_use]
    pub fn array() -> Expected {
        Expected { array: true, array_outputs: BTreeSet::new() }
    }

    /// The result is an object, and these members of it are arrays.
    #[must_use]
    pub fn outputs(arrays: impl IntoIterator<Item = impl Into<String>>) -> Expected {
        Expected { array: false, array_outputs: arrays.into_iter().map(Into::into).collect() }
    }

    pub(crate) fn array_at(&self, path: &Path) -> bool {
        match path.0.as_slice() {
            [] => self.array,
            [Part::Key(name)] => self.array_outputs.contains(name),
            _ => false,
        }
    }
}

/// Where in a result something is, for errors: `$.items[3].name`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Path(Vec<Part>);

#[derive(Debug, Clone)]
enum Part {
    Key(String),
    Index(usize),
}

impl Path {
    pub(crate) fn depth(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn push_key(&mut self, key: &str) {
        self.0.push(Part::Key(key.to_owned()));
    }

    pub(crate) fn push_index(&mut self, index: usize) {
        self.0.push(Part::Index(index));
    }

    pub(crate) fn pop(&mut self) {
        self.0.pop();
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("$")?;
        for part in &self.0 {
            match part {
                Part::Index(index) => write!(f, "[{index}]")?,
                Part::Key(key) if is_plain(key) => write!(f, ".{key}")?,
                Part::Key(key) => write!(f, "[{}]", Value::from(key.as_str()))?,
            }
        }
        Ok(())
    }
}

fn is_plain(key: &str) -> bool {
    let mut chars = key.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
}

/// Argument names as scripts take them: sorted, each once.
pub(crate) fn sorted_names<S: AsRef<str>>(names: &[S]) -> Result<Vec<String>, ScriptError> {
    let sorted: BTreeSet<&str> = names.iter().map(AsRef::as_ref).collect();
    if sorted.len() > ARGS_MAX {
        let message = format!("a script has at most {ARGS_MAX} arguments, not {}", sorted.len());
        return Err(ScriptError::new(ErrorKind::Compile, message));
    }
    Ok(sorted.into_iter().map(str::to_owned).collect())
}

/// Whether a source can be about an argument. If its name is nowhere in the source, there is no need to
/// make it ready for a call.
pub(crate) fn mentions(source: &str, name: &str) -> bool {
    source.contains(name)
}

pub(crate) fn check_source(source: &str) -> Result<(), ScriptError> {
    if source.len() > SOURCE_BYTES_MAX {
        let message =
            format!("the source has {} bytes, more than {SOURCE_BYTES_MAX}", source.len());
        return Err(ScriptError::new(ErrorKind::Compile, message));
    }
    Ok(())
}

/// The error with the lines of the source that it is about.
pub(crate) fn framed(mut error: ScriptError, source: &str) -> ScriptError {
    if let Some(position) = &error.position {
        error.frame = frame(source, position.line, position.column);
    }
    error
}

/// The call is over because the host wants it so.
pub(crate) fn cancelled() -> ScriptError {
    ScriptError::new(ErrorKind::Cancelled, "the call was cancelled")
}
