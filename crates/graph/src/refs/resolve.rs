//! From refs to values.

use serde_json::Value;

use super::{Key, Piece, Ref, Span, Wired};

/// What refs are looked up in.
pub trait Scope {
    /// None if there is no such root.
    fn root(&self, name: &str) -> Option<Root<'_>>;
}

/// What a root stands for.
#[derive(Debug, Clone, Copy)]
pub enum Root<'a> {
    Value(&'a Value),
    /// A step that was skipped, or failed and was passed over: it is null, and so is everything in it.
    Absent,
}

impl Scope for std::collections::BTreeMap<String, Value> {
    fn root(&self, name: &str) -> Option<Root<'_>> {
        self.get(name).map(Root::Value)
    }
}

/// A path that leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{written}`: {problem}")]
pub struct RefError {
    /// The ref, as it is written.
    pub written: String,
    /// The part of its path that is missing, as it is written; the root if that is unknown.
    pub missing: String,
    pub problem: String,
    /// Where the missing part stands in the text.
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    #[error(transparent)]
    Ref(#[from] RefError),
    #[error("the resolved input is larger than the limit RESOLVED_BYTES_MAX of {bytes_max} bytes")]
    TooLarge { bytes_max: usize },
}

/// The value that a ref stands for; none where that is null because nothing is there.
pub fn look_up<'a>(found: &Ref, scope: &'a dyn Scope) -> Result<Option<&'a Value>, RefError> {
    let mut value = match scope.root(&found.root) {
        Some(Root::Value(value)) => value,
        Some(Root::Absent) => return Ok(None),
        None => {
            let missing = format!("@{}", found.root);
            let problem = format!("there is no `{missing}` here");
            let end = found.span.start + missing.len();
            let span = Span { start: found.span.start, end };
            return Err(RefError { written: found.to_string(), missing, problem, span });
        }
    };
    for (n, part) in found.path.iter().enumerate() {
        match step_into(value, &part.key) {
            Some(inner) => value = inner,
            None if found.optional => return Ok(None),
            None => {
                let before =
                    Ref { path: found.path[..n].to_vec(), optional: false, ..found.clone() };
                return Err(RefError {
                    written: found.to_string(),
                    missing: part.key.to_string(),
                    problem: nothing_at(&before, value, &part.key),
                    span: part.span,
                });
            }
        }
    }
    Ok(Some(value))
}

fn step_into<'a>(value: &'a Value, key: &Key) -> Option<&'a Value> {
    match (value, key) {
        (Value::Object(fields), Key::Name(name)) => fields.get(name),
        (Value::Object(fields), Key::Index(index)) => fields.get(&index.to_string()),
        (Value::Array(items), Key::Index(index)) => items.get(*index),
        _ => None,
    }
}

/// Says which part is missing and what was there instead. Values are not shown: they may be secret.
fn nothing_at(before: &Ref, value: &Value, key: &Key) -> String {
    let there = describe(value);
    match (value, key) {
        (Value::Object(_), Key::Name(name)) => {
            format!("`{before}` has no key `{name}`; it is {there}")
        }
        (Value::Object(_), Key::Index(n)) => format!("`{before}` has no key `{n}`; it is {there}"),
        (Value::Array(_), Key::Index(n)) => format!("`{before}` has no item {n}; it is {there}"),
        (Value::Array(_), Key::Name(name)) => {
            format!(
                "`{before}` is {there}, which has no key `{name}`; take an item first, as in `{before}[0]`"
            )
        }
        _ => format!("`{before}` is {there}, so there is no `{key}` in it"),
    }
}

/// What kind of thing a value is, without showing it.
pub(crate) fn describe(value: &Value) -> String {
    const KEYS_SHOWN: usize = 8;
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "a boolean".to_owned(),
        Value::Number(_) => "a number".to_owned(),
        Value::String(_) => "a string".to_owned(),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(fields) if fields.is_empty() => "an object without keys".to_owned(),
        Value::Object(fields) => {
            let shown: Vec<String> =
                fields.keys().take(KEYS_SHOWN).map(|key| format!("`{}`", short(key))).collect();
            let more = if fields.len() > KEYS_SHOWN { ", …" } else { "" };
            format!("an object with the keys {}{more}", shown.join(", "))
        }
    }
}

fn short(key: &str) -> String {
    const CHARS_SHOWN: usize = 40;
    if key.chars().count() <= CHARS_SHOWN {
        return key.to_owned();
    }
    key.chars().take(CHARS_SHOWN).chain(['…']).collect()
}

/// One resolution, with what is left of its bytes.
pub(super) struct Resolver<'a> {
    scope: &'a dyn Scope,
    bytes_left: usize,
    bytes_max: usize,
}

impl<'a> Resolver<'a> {
    pub fn new(scope: &'a dyn Scope, bytes_max: usize) -> Resolver<'a> {
        Resolver { scope, bytes_left: bytes_max, bytes_max }
    }

    pub fn resolve(&mut self, wired: &Wired) -> Result<Value, ResolveError> {
        Ok(match wired {
            Wired::Literal(value) => self.copy(value)?,
            Wired::Ref(found) => match look_up(found, self.scope)? {
                Some(value) => self.copy(value)?,
                None => Value::Null,
            },
            Wired::Text(pieces) => Value::String(self.interpolate(pieces)?),
            Wired::Array(items) => {
                self.spend(2 + items.len())?;
                Value::Array(items.iter().map(|item| self.resolve(item)).collect::<Result<_, _>>()?)
            }
            Wired::Object(fields) => {
                self.spend(2 + 4 * fields.len())?;
                let field = |(key, inner): &(String, Wired)| {
                    self.spend(key.len())?;
                    Ok::<_, ResolveError>((key.clone(), self.resolve(inner)?))
                };
                Value::Object(fields.iter().map(field).collect::<Result<_, _>>()?)
            }
        })
    }

    fn interpolate(&mut self, pieces: &[Piece]) -> Result<String, ResolveError> {
        let mut text = String::new();
        for piece in pieces {
            let length = text.len();
            match piece {
                Piece::Text(literal) => text.push_str(literal),
                Piece::Ref(found) => match look_up(found, self.scope)? {
                    None | Some(Value::Null) => {}
                    Some(Value::String(value)) => text.push_str(value),
                    Some(other) => text.push_str(&other.to_string()),
                },
            }
            self.spend(text.len() - length)?;
        }
        Ok(text)
    }

    fn copy(&mut self, value: &Value) -> Result<Value, ResolveError> {
        self.spend(size_of(value))?;
        Ok(value.clone())
    }

    fn spend(&mut self, n_bytes: usize) -> Result<(), ResolveError> {
        match self.bytes_left.checked_sub(n_bytes) {
            Some(left) => {
                self.bytes_left = left;
                Ok(())
            }
            None => Err(ResolveError::TooLarge { bytes_max: self.bytes_max }),
        }
    }
}

/// About as many bytes as the value has as JSON, escapes aside.
fn size_of(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) => 4,
        Value::Number(number) if number.is_f64() => 18,
        Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => 2 + items.iter().map(|item| size_of(item) + 1).sum::<usize>(),
        Value::Object(fields) => {
            2 + fields.iter().map(|(key, inner)| key.len() + 4 + size_of(inner)).sum::<usize>()
        }
    }
}
