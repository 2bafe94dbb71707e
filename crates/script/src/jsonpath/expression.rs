//! Conditions about a whole value: `$.kind == "email"`.
//!
//! The RFC has such expressions only in filters, where `@` is the node at hand. So the value is put into an
//! array of its own and filtered there: `$.kind == "email"` becomes `$[?@.kind == "email"]`, and a `$`
//! inside a filter of the expression becomes `$[0]`.

use serde_json::{Map, Value};
use serde_json_path::JsonPath as Query;

use super::error_at;
use super::rewrite::Rewritten;
use super::scan::Mark;
use crate::ScriptError;

#[derive(Debug, Clone)]
pub(super) struct Expression {
    query: Query,
    /// The members of the value that the expression looks at, if it looks at nothing else.
    members: Option<Vec<String>>,
}

impl Expression {
    pub(super) fn compile(source: &str, marks: &[Mark]) -> Result<Expression, ScriptError> {
        if let Some(comma) = marks.iter().find(|mark| mark.what == ',' && mark.depth == 0) {
            return Err(error_at(source, comma.at, "a condition is one expression"));
        }
        if let Some(at) = marks.iter().find(|mark| mark.what == '@' && mark.square == 0) {
            return Err(error_at(
                source,
                at.at,
                "`@` stands only inside a filter; the whole value is `$`",
            ));
        }
        let mut filter =
            Rewritten::new(source, marks, "$[?", |mark| match (mark.what, mark.square) {
                ('$', 0) => Some("@"),
                ('$', _) => Some("$[0]"),
                _ => None,
            });
        filter.push("]", source.len());
        let query = Query::parse(&filter.text).map_err(|error| {
            let offset = filter.offset(error.position()).unwrap_or(source.len());
            let error = error_at(source, offset, error.message());
            match source.contains('$') {
                true => error,
                false => ScriptError {
                    message: format!("{} (a path begins with `$`)", error.message),
                    ..error
                },
            }
        })?;
        Ok(Expression { query, members: members(source, marks) })
    }

    pub(super) fn holds(&self, value: &Value) -> bool {
        let value = match (&self.members, value) {
            (Some(names), Value::Object(all)) => {
                let copied =
                    names.iter().filter_map(|name| Some((name.clone(), all.get(name)?.clone())));
                Value::Object(copied.collect::<Map<_, _>>())
            }
            _ => value.clone(),
        };
        !self.query.query(&Value::Array(vec![value])).is_empty()
    }
}

/// The names in `$.name`, if every `$` is followed by one.
fn members(source: &str, marks: &[Mark]) -> Option<Vec<String>> {
    let roots = marks.iter().filter(|mark| mark.what == '$');
    let names = roots.map(|root| {
        let rest = source[root.at + 1..].strip_prefix('.')?;
        let is_name_char = |c: char| c == '_' || c.is_ascii_alphanumeric() || !c.is_ascii();
        let end = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
        (root.square == 0 && end > 0).then(|| rest[..end].to_owned())
    });
    names.collect()
}
