//! Refs: `@lookup.friends[0].name`, the wires of a graph.
//!
//! ```text
//! ref   = "@" root part* "?"?
//! part  = "." word | "[" digits "]" | "[" JSON string "]"
//! root  = "input" | "item" | "index" | "ctx" | a step's name
//! word  = ASCII letters, digits and "_"
//! ```
//!
//! A ref starts only where `@` begins a word (no ASCII letter, digit or `_` stands before it) and its root is
//! known; `@@` is a literal `@`. One parser serves validation, resolution and the editor's completions.

mod complete;
mod parse;
mod resolve;
mod wired;

use std::fmt;

use serde::Serialize;

pub use complete::{Candidate, CandidateKind, Completions, Shape, complete};
pub use parse::{Parsed, Piece, SyntaxError, looks_like_ref, parse};
pub(crate) use resolve::describe;
pub use resolve::{RefError, ResolveError, Root, Scope, look_up};
pub use wired::{Place, Wired, WiredError};

/// A stretch of a text, in bytes: from `start` up to `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// A ref, as parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ref {
    pub root: String,
    pub path: Vec<Part>,
    /// Whether a path that does not exist is null instead of an error.
    pub optional: bool,
    /// Where it stands in its text, from the `@` on.
    pub span: Span,
}

/// One part of a ref's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub key: Key,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    Name(String),
    /// A place in an array. An object is asked for the key with these digits.
    Index(usize),
}

/// Whether a character belongs to a root, or to a name after a dot.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether the text can be the name of a step, and so a root.
pub(crate) fn is_identifier(text: &str) -> bool {
    let starts_well = text.bytes().next().is_some_and(|first| !first.is_ascii_digit());
    starts_well && text.bytes().all(is_word)
}

/// As it is written, in the shortest form.
impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.root)?;
        self.path.iter().try_for_each(|part| part.key.fmt(f))?;
        if self.optional { f.write_str("?") } else { Ok(()) }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Index(n) => write!(f, "[{n}]"),
            Key::Name(name) if is_dotted(name) => write!(f, ".{name}"),
            Key::Name(name) => write!(f, "[{}]", serde_json::Value::from(name.as_str())),
        }
    }
}

/// Whether a key can stand after a dot and is then read as that name, not as a number.
fn is_dotted(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_word) && parse::index_of(name).is_none()
}
