//! Tests of one value, each with its opposite: `number?` and `!number?`.

use super::super::heap::Heap;
use super::super::number::Number;
use super::super::sequence::{is_sequence, split};
use super::super::value::{Object, Value};
use super::{Result, number};

type Test = fn(&mut Heap<'_>, Value) -> Result<bool>;

pub(super) const TABLE: &[([&str; 2], Test)] = &[
    (["any?", "!any?"], |_, _| Ok(true)),
    (["null?", "!null?"], |_, value| Ok(matches!(value, Value::Null))),
    (["boolean?", "!boolean?"], |_, value| Ok(matches!(value, Value::Bool(_)))),
    (["true?", "!true?"], |_, value| Ok(matches!(value, Value::Bool(true)))),
    (["false?", "!false?"], |_, value| Ok(matches!(value, Value::Bool(false)))),
    (["number?", "!number?"], |heap, value| Ok(heap.as_number(value).is_some())),
    (["integer?", "!integer?"], |heap, value| {
        Ok(matches!(heap.as_number(value), Some(Number::Int(_) | Number::Big(_))))
    }),
    (["ratio?", "!ratio?"], |heap, value| {
        Ok(matches!(heap.as_number(value), Some(Number::Ratio(_))))
    }),
    (["float?", "!float?"], |_, value| Ok(matches!(value, Value::Float(_)))),
    (["nan?", "!nan?"], |_, value| Ok(matches!(value, Value::Float(f) if f.is_nan()))),
    (["inf?", "!inf?"], |_, value| Ok(matches!(value, Value::Float(f) if f == f64::INFINITY))),
    (["-inf?", "!-inf?"], |_, value| {
        Ok(matches!(value, Value::Float(f) if f == f64::NEG_INFINITY))
    }),
    (["zero?", "!zero?"], |heap, value| {
        Ok(matches!(heap.as_number(value), Some(Number::Int(0)))
            || matches!(value, Value::Float(f) if f == 0.0))
    }),
    (["pos?", "!pos?"], |heap, value| {
        let number = number(heap, value)?;
        Ok(number.compare(&Number::Int(0)).is_some_and(std::cmp::Ordering::is_gt))
    }),
    (["neg?", "!neg?"], |heap, value| Ok(number(heap, value)?.is_negative())),
    (["even?", "!even?"], |heap, value| Ok(is_multiple_of_two(number(heap, value)?))),
    (["odd?", "!odd?"], |heap, value| {
        let number = number(heap, value)?;
        let whole = !matches!(&number, Number::Float(f) if f.fract() != 0.0);
        Ok(whole && !matches!(number, Number::Ratio(_)) && !is_multiple_of_two(number))
    }),
    (["string?", "!string?"], |heap, value| Ok(heap.as_text(value).is_some())),
    (["keyword?", "!keyword?"], |_, value| Ok(matches!(value, Value::Keyword(_)))),
    (["symbol?", "!symbol?"], |_, value| Ok(matches!(value, Value::Symbol(_)))),
    (["list?", "!list?"], |heap, value| {
        Ok(matches!(value, Value::Null) || matches!(heap.object(value), Some(Object::List { .. })))
    }),
    (["cons?", "!cons?"], |heap, value| {
        Ok(matches!(heap.object(value), Some(Object::Pair { .. })))
    }),
    (["pair?", "!pair?"], |heap, value| {
        Ok(!matches!(value, Value::Null)
            && (is_sequence(heap, value)
                || matches!(heap.object(value), Some(Object::Pair { .. }))))
    }),
    (["vector?", "!vector?"], |heap, value| Ok(heap.slice(value).is_some())),
    (["object?", "!object?"], |heap, value| Ok(is_map(heap, value))),
    (["mapper?", "!mapper?"], |heap, value| Ok(is_map(heap, value))),
    (["mapped?", "!mapped?"], |heap, value| {
        Ok(is_map(heap, value) || matches!(heap.object(value), Some(Object::Set { .. })))
    }),
    (["set?", "!set?"], |heap, value| Ok(matches!(heap.object(value), Some(Object::Set { .. })))),
    (["seq?", "!seq?"], |heap, value| Ok(is_sequence(heap, value))),
    (["lazy?", "!lazy?"], |heap, value| Ok(is_lazy(heap, value))),
    (
        ["counted?", "!counted?"],
        |heap, value| Ok(is_sequence(heap, value) && !is_lazy(heap, value)),
    ),
    (["indexed?", "!indexed?"], |heap, value| Ok(is_indexed(heap, value))),
    (["reversible?", "!reversible?"], |heap, value| Ok(is_indexed(heap, value))),
    (["appendable?", "!appendable?"], |heap, value| {
        Ok(matches!(
            heap.object(value),
            Some(Object::Vector { .. } | Object::Text(_) | Object::Set { .. })
        ))
    }),
    (["atom?", "!atom?"], |heap, value| {
        Ok(matches!(value, Value::Null)
            || !(is_sequence(heap, value)
                || matches!(heap.object(value), Some(Object::Pair { .. })))
            || heap.as_text(value).is_some())
    }),
    (["procedure?", "!procedure?"], |heap, value| Ok(is_procedure(heap, value))),
    (["empty?", "!empty?"], |heap, value| Ok(split(heap, value)?.is_none())),
];

fn is_multiple_of_two(number: Number) -> bool {
    matches!(number.modulo(Number::Int(2)), Ok(rest) if rest.to_f64() == 0.0)
}

fn is_map(heap: &Heap<'_>, value: Value) -> bool {
    matches!(heap.object(value), Some(Object::Map { .. }))
}

fn is_lazy(heap: &Heap<'_>, value: Value) -> bool {
    matches!(heap.object(value), Some(Object::Lazy(_)))
}

fn is_indexed(heap: &Heap<'_>, value: Value) -> bool {
    matches!(value, Value::Null)
        || matches!(
            heap.object(value),
            Some(Object::List { .. } | Object::Vector { .. } | Object::Text(_))
        )
}

fn is_procedure(heap: &Heap<'_>, value: Value) -> bool {
    match value {
        Value::Native(_) | Value::Proc(_) | Value::Keyword(_) => true,
        _ => matches!(
            heap.object(value),
            Some(
                Object::Closure { .. }
                    | Object::Partial { .. }
                    | Object::Map { .. }
                    | Object::Set { .. }
            )
        ),
    }
}
