//! What is wrong with a definition, and where.

use std::fmt;

use serde::Serialize;
use stepwell_script::{Position, ScriptError};

/// One thing that is wrong with a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// What is wrong and how to mend it.
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    /// The source around the position, with a caret.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frame: Option<String>,
}

/// Everything that is wrong with a definition. Never empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Problems(pub Vec<Problem>);

impl Problem {
    pub fn new(message: impl Into<String>) -> Problem {
        Problem { message: message.into(), position: None, frame: None }
    }

    #[must_use]
    pub fn at(mut self, position: Option<&Position>) -> Problem {
        self.position = position.cloned();
        self
    }
}

impl From<ScriptError> for Problem {
    fn from(error: ScriptError) -> Problem {
        let position = error.position.clone();
        let frame = error.frame.as_deref().map(str::to_owned);
        let message = ScriptError { position: None, ..error }.to_string();
        Problem { message, position, frame }
    }
}

impl From<ScriptError> for Problems {
    fn from(error: ScriptError) -> Problems {
        Problems(vec![error.into()])
    }
}

impl From<Vec<ScriptError>> for Problems {
    fn from(errors: Vec<ScriptError>) -> Problems {
        Problems(errors.into_iter().map(Problem::from).collect())
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Problems {
        Problems(vec![problem])
    }
}

/// `orders.ts:12:3: a step is called twice`
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = &self.position {
            write!(f, "{position}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, problem) in self.0.iter().enumerate() {
            if n > 0 {
                f.write_str("; ")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}
