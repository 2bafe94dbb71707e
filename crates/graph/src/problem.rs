//! What is wrong with a graph: all of it at once, each with its step, its field and a stable code.

use std::fmt;

use serde::Serialize;

use crate::refs::{Span, is_word};

/// One thing that is wrong with a definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The step's name; none if it has none, or if no step is concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<String>,
    /// Where, as a path from the top: `steps[2].input.to`.
    pub field: Path,
    pub code: Code,
    /// What is wrong and how to mend it.
    pub message: String,
    /// Where in the string at `field`, if it is about a part of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<Span>,
}

/// What kind of problem it is. The names are stable; docs/reference/graph.md explains each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    Json,
    TooLarge,
    Type,
    Missing,
    UnknownField,
    Length,
    Name,
    ReservedName,
    DuplicateName,
    TooMany,
    Action,
    Number,
    Value,
    RefSyntax,
    NotARef,
    UnknownRoot,
    ItemOutsideForEach,
    UnknownCtx,
    Cycle,
    Operators,
    Operand,
    Schema,
    NotApplicable,
    TwoInputs,
}

/// Everything that is wrong with a definition; never empty.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Problems(pub Vec<Problem>);

/// A path into a definition: `steps[2].input["odd key"]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[serde(transparent)]
pub struct Path(String);

impl Path {
    /// The definition itself.
    pub fn top() -> Path {
        Path::default()
    }

    pub fn key(&self, key: &str) -> Path {
        let is_plain = !key.is_empty() && key.bytes().all(is_word);
        if !is_plain {
            return Path(format!("{}[{}]", self.0, serde_json::Value::from(key)));
        }
        let dot = if self.0.is_empty() { "" } else { "." };
        Path(format!("{}{dot}{key}", self.0))
    }

    pub fn item(&self, n: usize) -> Path {
        Path(format!("{}[{n}]", self.0))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Code {
    pub const ALL: [Code; 24] = [
        Code::Json,
        Code::TooLarge,
        Code::Type,
        Code::Missing,
        Code::UnknownField,
        Code::Length,
        Code::Name,
        Code::ReservedName,
        Code::DuplicateName,
        Code::TooMany,
        Code::Action,
        Code::Number,
        Code::Value,
        Code::RefSyntax,
        Code::NotARef,
        Code::UnknownRoot,
        Code::ItemOutsideForEach,
        Code::UnknownCtx,
        Code::Cycle,
        Code::Operators,
        Code::Operand,
        Code::Schema,
        Code::NotApplicable,
        Code::TwoInputs,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Code::Json => "json",
            Code::TooLarge => "too_large",
            Code::Type => "type",
            Code::Missing => "missing",
            Code::UnknownField => "unknown_field",
            Code::Length => "length",
            Code::Name => "name",
            Code::ReservedName => "reserved_name",
            Code::DuplicateName => "duplicate_name",
            Code::TooMany => "too_many",
            Code::Action => "action",
            Code::Number => "number",
            Code::Value => "value",
            Code::RefSyntax => "ref_syntax",
            Code::NotARef => "not_a_ref",
            Code::UnknownRoot => "unknown_root",
            Code::ItemOutsideForEach => "item_outside_for_each",
            Code::UnknownCtx => "unknown_ctx",
            Code::Cycle => "cycle",
            Code::Operators => "operators",
            Code::Operand => "operand",
            Code::Schema => "schema",
            Code::NotApplicable => "not_applicable",
            Code::TwoInputs => "two_inputs",
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "(the definition)" } else { &self.0 })
    }
}

/// As people read it: `step "mail", steps[3].input.to: … [unknown_root]`.
impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(step) = &self.step {
            write!(f, "step \"{step}\", ")?;
        }
        write!(f, "{}: {} [{}]", self.field, self.message, self.code)
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, problem) in self.0.iter().enumerate() {
            if n > 0 {
                writeln!(f)?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// ` Did you mean …?` for a word that is close to one of the others, otherwise nothing.
pub(crate) fn did_you_mean<'a>(word: &str, others: impl IntoIterator<Item = &'a str>) -> String {
    const DISTANCE_MAX: usize = 2;
    let distance = |other: &str| strsim::damerau_levenshtein(word, other);
    let close = |distance: usize| distance <= DISTANCE_MAX && distance < word.chars().count();
    let nearest = others
        .into_iter()
        .map(|other| (distance(other), other))
        .filter(|(distance, _)| close(*distance))
        .min();
    nearest.map_or_else(String::new, |(_, other)| format!(" Did you mean `{other}`?"))
}
