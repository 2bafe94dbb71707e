//! Equality, and the one order of all values that sorting, maps and sets use.
//!
//! Both walk with a stack of their own: values nest as deeply as memory allows.

use std::cmp::Ordering;

use super::heap::Heap;
use super::number::Number;
use super::sequence::items_of;
use super::value::{Fail, Lazy, Object, Value};

/// The order of kinds. Lazy sequences count as lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Null,
    Bool,
    Number,
    Text,
    Keyword,
    Symbol,
    Pair,
    List,
    Vector,
    Map,
    Set,
    Procedure,
}

enum Task {
    Compare(Value, Value),
    /// What decides if all before was equal.
    Else(Ordering),
}

type Result<T> = std::result::Result<T, Fail>;

/// Alike in kind and content: `1` and `1.0` are not, nor are a list and a vector.
pub(super) fn equal(heap: &mut Heap<'_>, a: Value, b: Value) -> Result<bool> {
    if let (Some(a), Some(b)) = (heap.as_number(a), heap.as_number(b)) {
        return Ok(a == b);
    }
    match walk(heap, a, b, true)? {
        Some(ordering) => Ok(ordering == Ordering::Equal),
        None => Ok(false),
    }
}

/// A total order. Procedures have none.
pub(super) fn compare(heap: &mut Heap<'_>, a: Value, b: Value) -> Result<Ordering> {
    match (a, b) {
        (Value::Keyword(a), Value::Keyword(b)) if a == b => Ok(Ordering::Equal),
        (Value::Keyword(a), Value::Keyword(b)) => Ok(heap.name_text(a).cmp(heap.name_text(b))),
        (Value::Int(a), Value::Int(b)) => Ok(a.cmp(&b)),
        _ => walk(heap, a, b, false)?.ok_or_else(no_order),
    }
}

/// Sorts by a key of each item; stable. By merging, because a comparison can fail.
pub(super) fn sort_by_key<T: Copy>(
    heap: &mut Heap<'_>,
    items: Vec<T>,
    key: impl Fn(&T) -> Value + Copy,
) -> Result<Vec<T>> {
    let mut sorted = items;
    let mut width = 1;
    while width < sorted.len() {
        let mut merged = Vec::with_capacity(sorted.len());
        for pair in sorted.chunks(width * 2) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let ([a, ..], [b, ..]) = (left, right) {
                heap.meter.charge(1)?;
                let (next, from) = match compare(heap, key(b), key(a))? {
                    Ordering::Less => (b, &mut right),
                    _ => (a, &mut left),
                };
                merged.push(*next);
                *from = &from[1..];
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        sorted = merged;
        width *= 2;
    }
    Ok(sorted)
}

/// Refuses what cannot be the key of an object or a member of a set.
pub(super) fn check_key(heap: &Heap<'_>, key: Value) -> Result<()> {
    if kind(heap, key)? == Kind::Procedure { Err(no_order()) } else { Ok(()) }
}

fn no_order() -> Fail {
    Fail::raise("procedures have no order: they cannot be sorted, nor be keys")
}

/// How two values compare; nothing if they are different procedures. With `only_equality` values of
/// different length or kind are told apart without a look inside.
fn walk(heap: &mut Heap<'_>, a: Value, b: Value, only_equality: bool) -> Result<Option<Ordering>> {
    let mut tasks = vec![Task::Compare(a, b)];
    while let Some(task) = tasks.pop() {
        heap.meter.charge(1)?;
        let ordering = match task {
            Task::Else(ordering) => ordering,
            Task::Compare(a, b) => {
                let (kind_a, kind_b) = (kind(heap, a)?, kind(heap, b)?);
                if kind_a != kind_b {
                    return Ok(Some(kind_a.cmp(&kind_b)));
                }
                if let (Some(a), Some(b)) = (heap.as_text(a), heap.as_text(b)) {
                    let bytes = a.len().min(b.len());
                    heap.meter.charge(bytes as u64 / 64)?;
                }
                match leaves(heap, kind_a, a, b) {
                    Leaves::Known(ordering) => ordering,
                    Leaves::Different => return Ok(None),
                    Leaves::LookInside => {
                        push_inside(heap, (kind_a, a, b), only_equality, &mut tasks)?;
                        Ordering::Equal
                    }
                }
            }
        };
        if ordering != Ordering::Equal {
            return Ok(Some(ordering));
        }
    }
    Ok(Some(Ordering::Equal))
}

enum Leaves {
    Known(Ordering),
    Different,
    LookInside,
}

fn leaves(heap: &Heap<'_>, kind: Kind, a: Value, b: Value) -> Leaves {
    if let (Value::Object(a), Value::Object(b)) = (a, b)
        && a == b
    {
        return Leaves::Known(Ordering::Equal);
    }
    Leaves::Known(match (kind, a, b) {
        (Kind::Null, ..) => Ordering::Equal,
        (Kind::Bool, Value::Bool(a), Value::Bool(b)) => a.cmp(&b),
        (Kind::Number, ..) => match (heap.as_number(a), heap.as_number(b)) {
            (Some(a), Some(b)) => order_numbers(&a, &b),
            _ => Ordering::Equal,
        },
        (Kind::Text, ..) => heap.as_text(a).cmp(&heap.as_text(b)),
        (Kind::Keyword, Value::Keyword(a), Value::Keyword(b))
        | (Kind::Symbol, Value::Symbol(a), Value::Symbol(b)) => {
            heap.name_text(a).cmp(heap.name_text(b))
        }
        (Kind::Procedure, Value::Native(a), Value::Native(b)) if a == b => Ordering::Equal,
        (Kind::Procedure, Value::Proc(a), Value::Proc(b)) if a == b => Ordering::Equal,
        (Kind::Procedure, ..) => return Leaves::Different,
        _ => return Leaves::LookInside,
    })
}

/// By value, and then by kind: `1` before `1.0`, and not-a-number last.
fn order_numbers(a: &Number, b: &Number) -> Ordering {
    let rank = |number: &Number| match number {
        Number::Int(_) | Number::Big(_) => 0,
        Number::Ratio(_) => 1,
        Number::Float(_) => 2,
    };
    let is_nan = |number: &Number| matches!(number, Number::Float(f) if f.is_nan());
    let by_value = a.compare(b).unwrap_or_else(|| is_nan(a).cmp(&is_nan(b)));
    by_value.then(rank(a).cmp(&rank(b)))
}

fn push_inside(
    heap: &mut Heap<'_>,
    (kind, a, b): (Kind, Value, Value),
    only_equality: bool,
    tasks: &mut Vec<Task>,
) -> Result<()> {
    let (a, b) = (inside(heap, kind, a)?, inside(heap, kind, b)?);
    heap.meter.charge((a.len() + b.len()) as u64)?;
    let by_length = a.len().cmp(&b.len());
    if only_equality && by_length != Ordering::Equal {
        tasks.push(Task::Else(by_length));
        return Ok(());
    }
    tasks.push(Task::Else(by_length));
    tasks.extend(a.into_iter().zip(b).map(|(a, b)| Task::Compare(a, b)).rev());
    Ok(())
}

fn inside(heap: &mut Heap<'_>, kind: Kind, value: Value) -> Result<Vec<Value>> {
    match heap.object(value) {
        Some(Object::Pair { car, cdr }) => Ok(vec![*car, *cdr]),
        Some(Object::Map { root }) => {
            let root = *root;
            Ok(heap.tree_entries(root).into_iter().flat_map(|(key, value)| [key, value]).collect())
        }
        _ if kind == Kind::List => items_of(heap, value).map_err(|fail| match fail {
            Fail::Realize { value, .. } => Fail::Realize { value, deep: true },
            other => other,
        }),
        _ => items_of(heap, value),
    }
}

fn kind(heap: &Heap<'_>, value: Value) -> Result<Kind> {
    Ok(match value {
        Value::Null => Kind::Null,
        Value::Bool(_) => Kind::Bool,
        Value::Int(_) | Value::Float(_) => Kind::Number,
        Value::Keyword(_) => Kind::Keyword,
        Value::Symbol(_) => Kind::Symbol,
        Value::Native(_) | Value::Proc(_) => Kind::Procedure,
        Value::Object(at) => match heap.get(at) {
            Object::Text(_) => Kind::Text,
            Object::Big(_) | Object::Ratio(_) => Kind::Number,
            Object::Pair { .. } => Kind::Pair,
            Object::List { .. } => Kind::List,
            Object::Vector { .. } => Kind::Vector,
            Object::Map { .. } => Kind::Map,
            Object::Set { .. } => Kind::Set,
            Object::Lazy(_) => match heap.lazy_state(at) {
                // An empty sequence is the empty list.
                (_, Some(Lazy::Empty)) => Kind::Null,
                (_, Some(Lazy::Cons { .. })) => Kind::List,
                (at, _) => return Err(Fail::Force(at)),
            },
            _ => Kind::Procedure,
        },
    })
}
