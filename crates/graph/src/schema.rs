//! JSON Schemas, compiled once: of a run's input, of a step's output, of a tool's input.

use std::fmt;
use std::sync::Arc;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

/// How often a `pattern` may go back over its text before it gives up: one that does so without end must not
/// hold up a thread.
const BACKTRACKS_MAX: usize = 100_000;

/// How many differences an error lists.
const DIFFERENCES_SHOWN: usize = 5;

/// How much of one difference is shown, in characters.
const DIFFERENCE_CHARS_MAX: usize = 300;

/// A JSON Schema, ready to check values. Formats are checked; nothing is ever fetched from elsewhere.
#[derive(Clone)]
pub struct Schema(Arc<Validator>);

/// The schema itself is wrong.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct SchemaError {
    /// Where in the schema, as a JSON pointer.
    pub at: String,
    pub problem: String,
}

/// How a value differs from what a schema asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// Places, as JSON pointers into the value, and what is wrong there; the first few.
    pub differences: Vec<(String, String)>,
    /// How many more there are.
    pub n_more: usize,
}

impl Schema {
    /// Compiles a schema. The draft is the one that its `$schema` names, or 2020-12.
    pub fn compile(schema: &Value) -> Result<Schema, SchemaError> {
        let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACKS_MAX);
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .offline()
            .with_pattern_options(patterns)
            .build(schema);
        match validator {
            Ok(validator) => Ok(Schema(Arc::new(validator))),
            Err(error) => {
                let at = error.instance_path().as_str().to_owned();
                let place = if at.is_empty() { String::new() } else { format!("at {at}: ") };
                Err(SchemaError { at, problem: cut(format!("{place}{error}")) })
            }
        }
    }

    pub fn check(&self, value: &Value) -> Result<(), Mismatch> {
        if self.0.is_valid(value) {
            return Ok(());
        }
        let mut errors = self.0.iter_errors(value);
        let differences = errors
            .by_ref()
            .take(DIFFERENCES_SHOWN)
            .map(|error| (error.instance_path().as_str().to_owned(), cut(error.to_string())))
            .collect();
        Err(Mismatch { differences, n_more: errors.count() })
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Schema")
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, (at, problem)) in self.differences.iter().enumerate() {
            let place = if at.is_empty() { "the value itself" } else { at };
            write!(f, "{}at {place}: {problem}", if n > 0 { "; " } else { "" })?;
        }
        if self.n_more > 0 { write!(f, "; and {} more", self.n_more) } else { Ok(()) }
    }
}

impl std::error::Error for Mismatch {}

fn cut(text: String) -> String {
    if text.chars().count() <= DIFFERENCE_CHARS_MAX {
        return text;
    }
    text.chars().take(DIFFERENCE_CHARS_MAX).chain(['…']).collect()
}
