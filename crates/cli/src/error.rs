//! What a command says when it cannot do what it was asked for.

use serde_json::{Value, json};
use stepwell_server::problem::Problem;

use crate::exit::Exit;
use crate::out::clean;

pub type Result<T> = std::result::Result<T, Error>;

/// One line about what is wrong, and one about what to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub exit: Exit,
    pub what: String,
    pub hint: Option<String>,
    /// What the server said, if it was the server.
    pub problem: Option<Box<Problem>>,
}

impl Error {
    pub fn new(exit: Exit, what: impl Into<String>) -> Error {
        Error { exit, what: what.into(), hint: None, problem: None }
    }

    pub fn usage(what: impl Into<String>) -> Error {
        Error::new(Exit::Usage, what)
    }

    pub fn local(what: impl Into<String>) -> Error {
        Error::new(Exit::Local, what)
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }

    /// For people: `error: ...`, the places of the request that are wrong, and `hint: ...`.
    pub fn text(&self) -> String {
        // Who pressed Ctrl-C knows that, and wants to know how things stand.
        let prefix = if self.exit == Exit::Interrupted { "" } else { "error: " };
        let mut text = format!("{prefix}{}\n", clean(&self.what));
        for error in self.problem.iter().flat_map(|problem| &problem.errors) {
            let is_said = self.what.contains(&error.message);
            if !is_said {
                text.push_str(&format!("  {}: {}\n", clean(&error.path), clean(&error.message)));
            }
        }
        if let Some(hint) = &self.hint {
            text.push_str(&format!("hint: {}\n", clean(hint)));
        }
        text
    }

    /// For programs.
    pub fn json(&self) -> Value {
        json!({
            "error": self.what,
            "hint": self.hint,
            "exit_code": self.exit.code(),
            "problem": self.problem,
        })
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Error {}

impl From<std::io::Error> for Error {
    /// Only standard output and error are written without saying what they are.
    fn from(error: std::io::Error) -> Error {
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            // Whoever read our output has read enough, as `head` does.
            return Error::new(Exit::Ok, "the reader of the output is gone");
        }
        Error::local(format!("the output cannot be written: {error}"))
    }
}

/// The known name that is meant, if one is near enough to be a slip.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LIKE_ENOUGH: f64 = 0.75;
    known
        .into_iter()
        .map(|candidate| (strsim::normalized_damerau_levenshtein(name, candidate), candidate))
        .filter(|(likeness, _)| *likeness >= LIKE_ENOUGH)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name_and_another_word_does_not() {
        let known = ["listen", "store", "telemetry.log"];
        assert_eq!(nearest("lisen", known), Some("listen"));
        assert_eq!(nearest("lsiten", known), Some("listen"));
        assert_eq!(nearest("port", known), None);
    }

    #[test]
    fn an_error_is_a_line_and_a_hint() {
        let error = Error::usage("`x` is no number").hint("give one such as 5");
        assert_eq!(error.text(), "error: `x` is no number\nhint: give one such as 5\n");
        assert_eq!(error.json()["exit_code"], 2);
    }
}
