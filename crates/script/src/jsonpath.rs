//! JSONPath (RFC 9535), as a query and as a condition.
//!
//! A source that begins with `$` and is a path is a query: it selects values, and as a condition it holds
//! if it selects anything, be it null. Anything else is an expression of the RFC's filters about the whole
//! value, such as `$.kind == "email" && length($.items) > 2`: it selects nothing, and holds or not.

mod cost;
mod expression;
mod rewrite;
mod scan;

use serde_json::Value;
use serde_json_path::JsonPath as Query;

use crate::{ErrorKind, ScriptError};
use cost::Cost;
use expression::Expression;
use rewrite::Rewritten;
use scan::scan;

pub use cost::PATH_WORK_MAX;

/// Longest source.
pub const PATH_BYTES_MAX: usize = 8 << 10;
/// How deep brackets may nest: parser and evaluation recurse.
pub const PATH_DEPTH_MAX: usize = 32;
/// What errors call the source.
const FILE: &str = "jsonpath";

/// A compiled source.
#[derive(Debug, Clone)]
pub struct JsonPath {
    form: Form,
    cost: Cost,
}

#[derive(Debug, Clone)]
enum Form {
    Query(Query),
    Expression(Expression),
}

impl JsonPath {
    /// Compiles a source; the error says where it is wrong.
    pub fn compile(source: &str) -> Result<JsonPath, ScriptError> {
        if source.len() > PATH_BYTES_MAX {
            let message =
                format!("the path has {} bytes, more than {PATH_BYTES_MAX}", source.len());
            return Err(ScriptError::new(ErrorKind::Compile, message));
        }
        if source.trim().is_empty() {
            return Err(ScriptError::new(
                ErrorKind::Compile,
                "the path is empty: `$` is the whole value",
            ));
        }
        let marks = scan(source)?;
        let cost = Cost::of(source, &marks);
        let is_operator = |c: char| matches!(c, '=' | '!' | '<' | '>' | '&' | '|' | '(');
        let is_path = source.trim_start().starts_with('$')
            && !marks.iter().any(|mark| mark.depth == 0 && is_operator(mark.what));
        let form = match is_path {
            true => {
                let path = Rewritten::new(source, &marks, "", |_| None);
                Form::Query(Query::parse(&path.text).map_err(|error| {
                    let offset = path.offset(error.position()).unwrap_or(source.len());
                    error_at(source, offset, error.message())
                })?)
            }
            false => Form::Expression(Expression::compile(source, &marks)?),
        };
        Ok(JsonPath { form, cost })
    }

    /// Whether the source is an expression and not a path.
    #[must_use]
    pub fn is_expression(&self) -> bool {
        matches!(self.form, Form::Expression(_))
    }

    /// Whether the path selects anything, or the expression holds.
    pub fn matches(&self, value: &Value) -> Result<bool, ScriptError> {
        self.cost.check(value)?;
        Ok(match &self.form {
            Form::Query(query) => !query.query(value).is_empty(),
            Form::Expression(expression) => expression.holds(value),
        })
    }

    /// All values that the path selects, in the order of the document; for an expression, whether it holds.
    pub fn select(&self, value: &Value, output_bytes: usize) -> Result<Vec<Value>, ScriptError> {
        self.cost.check(value)?;
        let selected = match &self.form {
            Form::Query(query) => query.query(value).all(),
            Form::Expression(expression) => return Ok(vec![Value::Bool(expression.holds(value))]),
        };
        let mut bytes = 0;
        for value in &selected {
            bytes += size_of_json(value, output_bytes.saturating_sub(bytes));
            if bytes > output_bytes {
                let message = format!("the selected values are longer than {output_bytes} bytes");
                return Err(ScriptError::new(ErrorKind::OutputTooLarge, message));
            }
        }
        Ok(selected.into_iter().cloned().collect())
    }
}

/// The error that the parser met at a byte of the source.
fn error_at(source: &str, offset: usize, message: &str) -> ScriptError {
    let before: String = source.get(..offset).unwrap_or(source).to_owned();
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
    let met = match source.get(offset..).and_then(|rest| rest.chars().next()) {
        Some(c) => format!("unexpected `{c}`"),
        None => "unexpected end".to_owned(),
    };
    // The parser's own words say more than the place only where it has some.
    let message = match message.strip_suffix("parser error") {
        Some(context) if context.trim().is_empty() => met,
        Some(context) => format!("{met} {}", context.trim().trim_end_matches(',')),
        None => message.to_owned(),
    };
    let (line, column) = (u32::try_from(line).unwrap_or(1), u32::try_from(column).unwrap_or(1));
    ScriptError::new(ErrorKind::Compile, message).at(FILE, line, column)
}

/// How long a value is as JSON, roughly; stops counting beyond `bytes_max`.
fn size_of_json(value: &Value, bytes_max: usize) -> usize {
    let mut bytes = 0;
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        bytes += match value {
            Value::String(text) => text.len() + 2,
            Value::Object(members) => {
                pending.extend(members.values());
                members.keys().map(|key| key.len() + 4).sum::<usize>() + 2
            }
            Value::Array(items) => {
                pending.extend(items);
                items.len() + 2
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => 4,
        };
        if bytes > bytes_max {
            break;
        }
    }
    bytes
}
