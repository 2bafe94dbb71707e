//! What is wrong with an input, and where.

use std::fmt;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_path_to_error::{Path, Segment};
use stepwell_journal::Json;

/// The input is not what the workflow takes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the input does not fit workflow `{workflow}`: {problem}")]
pub struct InputError {
    pub workflow: String,
    /// What is wrong and where, in one text.
    pub problem: String,
    /// The same, place by place. Never empty.
    pub errors: Vec<InputProblem>,
}

/// One thing that is wrong with an input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InputProblem {
    /// A JSON pointer to the place, such as `/order/lines/0/cents`; empty for the input itself.
    pub path: String,
    pub message: String,
}

impl InputError {
    /// At least one problem should be given: an error without any says only that there is one.
    pub fn new(workflow: &str, errors: Vec<InputProblem>) -> InputError {
        let mut errors = errors;
        if errors.is_empty() {
            errors.push(InputProblem::new("", "the input was refused"));
        }
        let problem: Vec<String> = errors.iter().map(ToString::to_string).collect();
        InputError { workflow: workflow.to_owned(), problem: problem.join("; "), errors }
    }

    /// Reads the input as a type; says where it does not fit.
    pub fn check<I: DeserializeOwned>(workflow: &str, input: &Json) -> Result<(), InputError> {
        if input.to::<I>().is_ok() {
            return Ok(());
        }
        // Read once more, slowly, to learn where.
        let mut reader = serde_json::Deserializer::from_str(input.as_str());
        match serde_path_to_error::deserialize::<_, I>(&mut reader) {
            Ok(_) => Ok(()),
            Err(error) => {
                let problem = InputProblem::new(pointer(error.path()), plain(error.inner()));
                Err(InputError::new(workflow, vec![problem]))
            }
        }
    }
}

impl InputProblem {
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> InputProblem {
        InputProblem { path: path.into(), message: message.into() }
    }
}

impl fmt::Display for InputProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "at {}: ", self.path)?;
        }
        f.write_str(&self.message)
    }
}

/// Without the line and column, which are those of a text that nobody has seen.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).map(str::to_owned).unwrap_or(text)
}

fn pointer(path: &Path) -> String {
    let mut pointer = String::new();
    for segment in path {
        match segment {
            Segment::Map { key } | Segment::Enum { variant: key } => {
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
            }
            Segment::Seq { index } => {
                pointer.push('/');
                pointer.push_str(&index.to_string());
            }
            Segment::Unknown => break,
        }
    }
    pointer
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only read as JSON")]
    struct Order {
        id: String,
        lines: Vec<Line>,
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only read as JSON")]
    struct Line {
        #[serde(rename = "in ~/cents")]
        cents: u64,
    }

    fn check(input: serde_json::Value) -> InputProblem {
        let error = InputError::check::<Order>("checkout", &Json::from(input)).unwrap_err();
        assert_eq!(error.problem, error.errors[0].to_string());
        error.errors[0].clone()
    }

    #[test]
    fn a_problem_says_where_it_is_and_what_was_expected() {
        let lines = serde_json::json!([{ "in ~/cents": 1 }, { "in ~/cents": "two" }]);
        let problem = check(serde_json::json!({ "id": "a", "lines": lines }));
        assert_eq!(problem.path, "/lines/1/in ~0~1cents");
        assert_eq!(problem.message, "invalid type: string \"two\", expected u64");
        let problem = check(serde_json::json!({ "id": "a" }));
        assert_eq!(problem, InputProblem::new("", "missing field `lines`"));
        assert_eq!(check(serde_json::json!(7)).path, "");
    }

    #[test]
    fn an_input_that_fits_is_no_problem() {
        let input = Json::from(serde_json::json!({ "id": "a", "lines": [] }));
        assert_eq!(InputError::check::<Order>("checkout", &input), Ok(()));
    }
}
