//! A value with refs in it, parsed once.

use serde_json::Value;

use super::resolve::Resolver;
use super::{Piece, Ref, ResolveError, Scope, SyntaxError, parse};
use crate::limits::{INPUT_DEPTH_MAX, RESOLVED_BYTES_MAX};
use crate::problem::Path;

/// A JSON value whose strings may be or hold refs. Keys are not resolved.
#[derive(Debug, Clone, PartialEq)]
pub enum Wired {
    /// A value without refs, as a whole.
    Literal(Value),
    /// A string that is one ref: becomes the value, with its type.
    Ref(Ref),
    /// A string with refs in it, or with `@@`: stays a string.
    Text(Vec<Piece>),
    Array(Vec<Wired>),
    Object(Vec<(String, Wired)>),
}

/// A ref and the path of the string that holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub path: Path,
    pub found: Ref,
}

/// What is wrong in one of the strings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WiredError {
    pub path: Path,
    pub error: SyntaxError,
}

impl Wired {
    /// Parses the strings of `value`, which stands at `path`. All errors are found at once.
    pub fn parse(
        value: &Value,
        path: &Path,
        is_root: &dyn Fn(&str) -> bool,
    ) -> Result<Wired, Vec<WiredError>> {
        let mut reader = Reader { is_root, errors: Vec::new() };
        let wired = reader.read(value, path, 0);
        if reader.errors.is_empty() { Ok(wired) } else { Err(reader.errors) }
    }

    /// The refs, in the order in which they are written, with the paths of their strings below `path`.
    pub fn refs(&self, path: &Path) -> Vec<Place> {
        let mut refs = Vec::new();
        self.collect(path, &mut refs);
        refs
    }

    /// The value with all refs resolved. At most [`RESOLVED_BYTES_MAX`] bytes come of it.
    pub fn resolve(&self, scope: &dyn Scope) -> Result<Value, ResolveError> {
        Resolver::new(scope, RESOLVED_BYTES_MAX).resolve(self)
    }

    fn collect(&self, path: &Path, refs: &mut Vec<Place>) {
        let mut push = |found: &Ref| refs.push(Place { path: path.clone(), found: found.clone() });
        match self {
            Wired::Literal(_) => {}
            Wired::Ref(found) => push(found),
            Wired::Text(pieces) => {
                for piece in pieces {
                    if let Piece::Ref(found) = piece {
                        push(found);
                    }
                }
            }
            Wired::Array(items) => {
                for (n, item) in items.iter().enumerate() {
                    item.collect(&path.item(n), refs);
                }
            }
            Wired::Object(fields) => {
                for (key, inner) in fields {
                    inner.collect(&path.key(key), refs);
                }
            }
        }
    }

    fn as_literal(&self) -> Option<Value> {
        match self {
            Wired::Literal(value) => Some(value.clone()),
            Wired::Ref(_) | Wired::Text(_) | Wired::Array(_) | Wired::Object(_) => None,
        }
    }
}

struct Reader<'a> {
    is_root: &'a dyn Fn(&str) -> bool,
    errors: Vec<WiredError>,
}

impl Reader<'_> {
    fn read(&mut self, value: &Value, path: &Path, depth: usize) -> Wired {
        if depth > INPUT_DEPTH_MAX {
            let message = format!(
                "values lie deeper in one another than the limit INPUT_DEPTH_MAX of {INPUT_DEPTH_MAX}"
            );
            let error = SyntaxError { span: super::Span { start: 0, end: 0 }, message };
            self.errors.push(WiredError { path: path.clone(), error });
            return Wired::Literal(Value::Null);
        }
        match value {
            Value::String(text) => self.read_text(text, path),
            Value::Array(items) => {
                let wired: Vec<Wired> = items
                    .iter()
                    .enumerate()
                    .map(|(n, item)| self.read(item, &path.item(n), depth + 1))
                    .collect();
                let literals: Option<Vec<Value>> = wired.iter().map(Wired::as_literal).collect();
                literals.map_or(Wired::Array(wired), |items| Wired::Literal(Value::Array(items)))
            }
            Value::Object(fields) => {
                let wired: Vec<(String, Wired)> = fields
                    .iter()
                    .map(|(key, inner)| (key.clone(), self.read(inner, &path.key(key), depth + 1)))
                    .collect();
                let literal =
                    |(key, inner): &(String, Wired)| Some((key.clone(), inner.as_literal()?));
                let literals: Option<serde_json::Map<_, _>> = wired.iter().map(literal).collect();
                literals
                    .map_or(Wired::Object(wired), |fields| Wired::Literal(Value::Object(fields)))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => Wired::Literal(value.clone()),
        }
    }

    fn read_text(&mut self, text: &str, path: &Path) -> Wired {
        if !text.contains('@') {
            return Wired::Literal(Value::from(text));
        }
        let parsed = parse(text, self.is_root);
        if let Some(only) = parsed.only_ref() {
            return Wired::Ref(only.clone());
        }
        let errors = parsed.errors.into_iter();
        self.errors.extend(errors.map(|error| WiredError { path: path.clone(), error }));
        match parsed.pieces.as_slice() {
            [] => Wired::Literal(Value::from("")),
            [Piece::Text(literal)] => Wired::Literal(Value::from(literal.as_str())),
            _ => Wired::Text(parsed.pieces),
        }
    }
}
