//! The characters of a source that mean something, without those in texts.

use super::{PATH_DEPTH_MAX, error_at};
use crate::ScriptError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    /// The byte where it is.
    pub(super) at: usize,
    pub(super) what: char,
    /// Brackets of all kinds around it. Those that open or close count themselves.
    pub(super) depth: usize,
    /// Square brackets around it.
    pub(super) square: usize,
}

/// Fails where brackets do not match or nest too deeply.
pub(super) fn scan(source: &str) -> Result<Vec<Mark>, ScriptError> {
    let mut marks = Vec::new();
    let mut open: Vec<char> = Vec::new();
    let mut chars = source.char_indices();
    while let Some((at, what)) = chars.next() {
        match what {
            '"' | '\'' => {
                let mut escaped = false;
                let end = chars.find(|(_, c)| {
                    let ends = *c == what && !escaped;
                    escaped = *c == '\\' && !escaped;
                    ends
                });
                if end.is_none() {
                    return Err(error_at(source, at, "the text has no closing quote"));
                }
                continue;
            }
            '[' | '(' => open.push(what),
            _ => {}
        }
        if open.len() > PATH_DEPTH_MAX {
            let message = format!("nested more than {PATH_DEPTH_MAX} levels deep");
            return Err(error_at(source, at, &message));
        }
        let square = open.iter().filter(|bracket| **bracket == '[').count();
        marks.push(Mark { at, what, depth: open.len(), square });
        if let ']' | ')' = what {
            let matching = if what == ']' { '[' } else { '(' };
            if open.pop() != Some(matching) {
                return Err(error_at(source, at, &format!("`{what}` closes nothing")));
            }
        }
    }
    match open.last() {
        None => Ok(marks),
        Some(bracket) => Err(error_at(source, source.len(), &format!("`{bracket}` is not closed"))),
    }
}
