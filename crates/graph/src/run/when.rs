//! Whether a step runs.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::error::{ErrorCode, StepError};
use crate::definition::Test;
use crate::graph::Condition;
use crate::refs::{Ref, Scope, describe, look_up};

/// Whether the condition holds.
pub(super) fn holds(when: &Condition, scope: &dyn Scope) -> Result<bool, StepError> {
    // Whether something is there can be asked of every path.
    let optional = matches!(when.test, Test::Exists(_)) || when.of.optional;
    let of = Ref { optional, ..when.of.clone() };
    let value = look_up(&of, scope).map_err(|error| StepError::new(ErrorCode::Ref, error))?;
    let value = value.unwrap_or(&Value::Null);
    Ok(match &when.test {
        Test::Truth => is_true(value),
        Test::Eq(operand) => is_equal(value, operand),
        Test::Neq(operand) => !is_equal(value, operand),
        Test::Gt(operand) => compare(when, value, operand)?.is_some_and(Ordering::is_gt),
        Test::Lt(operand) => compare(when, value, operand)?.is_some_and(Ordering::is_lt),
        Test::Gte(operand) => compare(when, value, operand)?.is_some_and(Ordering::is_ge),
        Test::Lte(operand) => compare(when, value, operand)?.is_some_and(Ordering::is_le),
        Test::In(operands) => operands.iter().any(|operand| is_equal(value, operand)),
        Test::Exists(wanted) => *wanted != value.is_null(),
    })
}

/// Why a step is skipped.
pub(super) fn reason(when: Option<&Condition>) -> String {
    let Some(Condition { of, test }) = when else { return String::new() };
    match test.operator() {
        None => format!("{of} is not true"),
        Some((operator, operand)) => format!("{of} {operator} {operand} is not so"),
    }
}

/// As JavaScript has it: false, null, 0 and "" are false.
fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(yes) => *yes,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// `2` and `2.0` are equal, at whatever depth.
fn is_equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => order(one, other) == Some(Ordering::Equal),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let is_same = |(key, one): (&String, &Value)| {
                other.get(key).is_some_and(|other| is_equal(one, other))
            };
            one.len() == other.len() && one.iter().all(is_same)
        }
        _ => one == other,
    }
}

/// None for null, which is neither less nor more.
fn compare(
    when: &Condition,
    value: &Value,
    operand: &Number,
) -> Result<Option<Ordering>, StepError> {
    match value {
        Value::Null => Ok(None),
        Value::Number(number) => Ok(order(number, operand)),
        other => Err(StepError::new(
            ErrorCode::When,
            format!("`{}` is compared with a number, and is {}", when.of, describe(other)),
        )),
    }
}

/// Whole numbers are compared exactly.
fn order(one: &Number, other: &Number) -> Option<Ordering> {
    let whole = |number: &Number| {
        number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
    };
    match (whole(one), whole(other)) {
        (Some(one), Some(other)) => Some(one.cmp(&other)),
        _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
    }
}
