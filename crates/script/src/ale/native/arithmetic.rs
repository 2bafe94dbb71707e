//! Numbers: arithmetic, comparison, rounding.

use std::cmp::Ordering;

use num_rational::BigRational;

use super::super::heap::Heap;
use super::super::number::{Number, NumberError};
use super::super::order::{compare, equal};
use super::super::sequence::excerpt;
use super::super::value::{Fail, Value};
use super::{Entry, MANY, Result, number};

type Binary = fn(Number, Number) -> std::result::Result<Number, NumberError>;

pub(super) const TABLE: &[Entry] = &[
    ("+", 0, MANY, |heap, args| fold(heap, Value::Int(0), args, add)),
    ("*", 0, MANY, |heap, args| fold(heap, Value::Int(1), args, multiply)),
    ("-", 1, MANY, |heap, args| match args {
        [only] => subtract(heap, Value::Int(0), *only),
        _ => fold(heap, args[0], &args[1..], subtract),
    }),
    ("/", 1, MANY, |heap, args| match args {
        [only] => slow(heap, Value::Int(1), *only, Number::div),
        _ => fold(heap, args[0], &args[1..], |heap, a, b| slow(heap, a, b, Number::div)),
    }),
    ("mod", 2, MANY, |heap, args| fold(heap, args[0], &args[1..], modulo)),
    ("modulo", 2, MANY, |heap, args| fold(heap, args[0], &args[1..], modulo)),
    ("rem", 2, 2, |heap, args| slow(heap, args[0], args[1], Number::rem)),
    ("quot", 2, 2, |heap, args| slow(heap, args[0], args[1], Number::quot)),
    ("inc", 1, 1, |heap, args| add(heap, args[0], Value::Int(1))),
    ("dec", 1, 1, |heap, args| subtract(heap, args[0], Value::Int(1))),
    ("min", 1, MANY, |heap, args| extreme(heap, args, Ordering::Less)),
    ("max", 1, MANY, |heap, args| extreme(heap, args, Ordering::Greater)),
    ("abs", 1, 1, |heap, args| match number(heap, args[0])? {
        negative if negative.is_negative() => heap.numeric(Number::Int(0).sub(negative)),
        Number::Float(value) => Ok(Value::Float(value.abs())),
        _ => Ok(args[0]),
    }),
    ("floor", 1, 1, |heap, args| whole(heap, args[0], BigRational::floor, f64::floor)),
    ("ceil", 1, 1, |heap, args| whole(heap, args[0], BigRational::ceil, f64::ceil)),
    ("round", 1, 1, |heap, args| whole(heap, args[0], BigRational::round, f64::round)),
    ("truncate", 1, 1, |heap, args| whole(heap, args[0], BigRational::trunc, f64::trunc)),
    ("sqrt", 1, 1, |heap, args| Ok(Value::Float(number(heap, args[0])?.to_f64().sqrt()))),
    ("expt", 2, 2, power),
    ("float", 1, 1, |heap, args| Ok(Value::Float(number(heap, args[0])?.to_f64()))),
    ("exact", 1, 1, |heap, args| match number(heap, args[0])?.to_exact() {
        Some(exact) => heap.numeric(exact),
        None => Err(Fail::raise(format!("{} has no exact value", excerpt(heap, args[0])))),
    }),
    ("=", 1, MANY, |heap, args| chain(heap, args, same)),
    ("!=", 1, MANY, |heap, args| match chain(heap, args, same)? {
        Value::Bool(all_same) => Ok(Value::Bool(!all_same)),
        other => Ok(other),
    }),
    ("<", 1, MANY, |heap, args| ordered(heap, args, |o| o == Ordering::Less)),
    ("<=", 1, MANY, |heap, args| ordered(heap, args, |o| o != Ordering::Greater)),
    (">", 1, MANY, |heap, args| ordered(heap, args, |o| o == Ordering::Greater)),
    (">=", 1, MANY, |heap, args| ordered(heap, args, |o| o != Ordering::Less)),
];

fn fold(
    heap: &mut Heap<'_>,
    first: Value,
    args: &[Value],
    with: fn(&mut Heap<'_>, Value, Value) -> Result<Value>,
) -> Result<Value> {
    heap.meter.charge(args.len() as u64 / 4)?;
    args.iter().try_fold(first, |so_far, arg| with(heap, so_far, *arg))
}

fn add(heap: &mut Heap<'_>, a: Value, b: Value) -> Result<Value> {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => match x.checked_add(y) {
            Some(sum) => Ok(Value::Int(sum)),
            None => slow(heap, a, b, Number::add),
        },
        (Value::Float(x), Value::Float(y)) => Ok(Value::Float(x + y)),
        _ => slow(heap, a, b, Number::add),
    }
}

fn subtract(heap: &mut Heap<'_>, a: Value, b: Value) -> Result<Value> {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => match x.checked_sub(y) {
            Some(difference) => Ok(Value::Int(difference)),
            None => slow(heap, a, b, Number::sub),
        },
        (Value::Float(x), Value::Float(y)) => Ok(Value::Float(x - y)),
        _ => slow(heap, a, b, Number::sub),
    }
}

fn multiply(heap: &mut Heap<'_>, a: Value, b: Value) -> Result<Value> {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) => match x.checked_mul(y) {
            Some(product) => Ok(Value::Int(product)),
            None => slow(heap, a, b, Number::mul),
        },
        (Value::Float(x), Value::Float(y)) => Ok(Value::Float(x * y)),
        _ => slow(heap, a, b, Number::mul),
    }
}

fn modulo(heap: &mut Heap<'_>, a: Value, b: Value) -> Result<Value> {
    match (a, b) {
        (Value::Int(x), Value::Int(y)) if y > 0 => Ok(Value::Int(x.rem_euclid(y))),
        _ => slow(heap, a, b, Number::modulo),
    }
}

/// Numbers of any kind. Long ones take time in proportion to the product of their lengths, and ratios more,
/// because they are reduced.
fn slow(heap: &mut Heap<'_>, a: Value, b: Value, with: Binary) -> Result<Value> {
    let (a, b) = (number(heap, a)?, number(heap, b)?);
    let words = a.words() * b.words();
    heap.meter.charge(words / 16)?;
    let result = with(a, b);
    if let Ok(Number::Ratio(_)) = &result {
        heap.meter.charge(words * 4)?;
    }
    heap.numeric(result)
}

fn whole(
    heap: &mut Heap<'_>,
    value: Value,
    round: fn(&BigRational) -> BigRational,
    float: fn(f64) -> f64,
) -> Result<Value> {
    let rounded = match number(heap, value)?.rounded(round, float) {
        // A whole float is an integer from here on, if it is a number at all.
        Ok(number @ Number::Float(_)) => number.to_exact().unwrap_or(Ok(number)),
        other => other,
    };
    heap.numeric(rounded)
}

fn power(heap: &mut Heap<'_>, args: &[Value]) -> Result<Value> {
    let (base, exponent) = (number(heap, args[0])?, number(heap, args[1])?);
    match exponent {
        Number::Int(exponent) => {
            let words = base.words() * exponent.unsigned_abs().min(1 << 12);
            heap.meter.charge(words)?;
            heap.numeric(base.pow(exponent))
        }
        exponent => Ok(Value::Float(base.to_f64().powf(exponent.to_f64()))),
    }
}

fn extreme(heap: &mut Heap<'_>, args: &[Value], wanted: Ordering) -> Result<Value> {
    let mut best = args[0];
    number(heap, best)?;
    for arg in &args[1..] {
        let (a, b) = (number(heap, *arg)?, number(heap, best)?);
        if a.compare(&b) == Some(wanted) {
            best = *arg;
        }
    }
    Ok(best)
}

/// Whether each argument and the next pass.
fn chain(
    heap: &mut Heap<'_>,
    args: &[Value],
    test: impl Fn(&mut Heap<'_>, Value, Value) -> Result<bool>,
) -> Result<Value> {
    heap.meter.charge(args.len() as u64 / 4)?;
    for pair in args.windows(2) {
        if !test(heap, pair[0], pair[1])? {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

/// Numbers by value, whatever their kind; all else by content.
fn same(heap: &mut Heap<'_>, a: Value, b: Value) -> Result<bool> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Ok(a == b),
        _ => match (heap.as_number(a), heap.as_number(b)) {
            (Some(a), Some(b)) => Ok(a.compare(&b) == Some(Ordering::Equal)),
            _ => equal(heap, a, b),
        },
    }
}

fn ordered(heap: &mut Heap<'_>, args: &[Value], wanted: fn(Ordering) -> bool) -> Result<Value> {
    if let [only] = args
        && heap.as_text(*only).is_none()
    {
        number(heap, *only)?;
    }
    chain(heap, args, |heap, a, b| match (a, b) {
        (Value::Int(a), Value::Int(b)) => Ok(wanted(a.cmp(&b))),
        _ if heap.as_text(a).is_some() && heap.as_text(b).is_some() => {
            Ok(wanted(compare(heap, a, b)?))
        }
        _ => {
            let (a, b) = (number(heap, a)?, number(heap, b)?);
            Ok(a.compare(&b).is_some_and(wanted))
        }
    })
}
