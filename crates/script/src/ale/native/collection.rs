//! Lists, vectors and sequences of all kinds; and calling procedures with them.

use super::super::heap::Heap;
use super::super::map::map_key;
use super::super::order::{equal, sort_by_key};
use super::super::sequence::{excerpt, is_sequence, items_of, length, not_a_sequence, nth, split};
use super::super::value::{Fail, Lazy, Object, Raise, Value};
use super::object::{entry_of, map_of, map_of_entries, set_of};
use super::text::concatenated;
use super::{Entry, MANY, Result, index, not_a};
use crate::ErrorKind;

pub(super) const TABLE: &[Entry] = &[
    ("list", 0, MANY, |heap, args| heap.list(args)),
    ("vector", 0, MANY, |heap, args| heap.vector(args.to_vec())),
    ("cons", 2, 2, |heap, args| cons(heap, args[0], args[1])),
    ("%pair", 2, 2, |heap, args| match heap.object(args[1]) {
        Some(Object::List { .. }) => heap.prepend(args[0], args[1]),
        None if matches!(args[1], Value::Null) => heap.prepend(args[0], Value::Null),
        _ => heap.pair(args[0], args[1]),
    }),
    ("car", 1, 1, |heap, args| first(heap, args[0])),
    ("first", 1, 1, |heap, args| first(heap, args[0])),
    ("cdr", 1, 1, |heap, args| rest(heap, args[0])),
    ("rest", 1, 1, |heap, args| rest(heap, args[0])),
    ("seq", 1, 1, |heap, args| {
        match is_sequence(heap, args[0]) && split(heap, args[0])?.is_some() {
            true => Ok(args[0]),
            false => Ok(Value::Bool(false)),
        }
    }),
    ("seq!", 1, 1, |heap, args| match split(heap, args[0])? {
        Some(_) => Ok(args[0]),
        None => Ok(Value::Bool(false)),
    }),
    ("%items", 1, 1, items),
    ("length", 1, 1, |heap, args| length(heap, args[0]).map(|n| Value::Int(n as i64))),
    ("length!", 1, 1, |heap, args| length(heap, args[0]).map(|n| Value::Int(n as i64))),
    ("nth", 2, 3, at_index),
    ("nth!", 2, 3, at_index),
    ("last", 1, 1, last),
    ("last!", 1, 1, last),
    ("reverse", 1, 1, reverse),
    ("reverse!", 1, 1, reverse),
    ("conj", 2, MANY, |heap, args| {
        args[1..].iter().try_fold(args[0], |so_far, item| conj(heap, so_far, *item))
    }),
    ("append", 2, MANY, |heap, args| {
        args[1..].iter().try_fold(args[0], |so_far, item| append(heap, so_far, *item))
    }),
    ("concat!", 0, MANY, |heap, args| {
        let all = gather(heap, args)?;
        heap.list(&all)
    }),
    ("seq->list", 1, MANY, |heap, args| {
        let all = gather(heap, args)?;
        heap.list(&all)
    }),
    ("seq->vector", 1, MANY, |heap, args| {
        let all = gather(heap, args)?;
        heap.vector(all)
    }),
    ("seq->set", 1, MANY, |heap, args| {
        let all = gather(heap, args)?;
        set_of(heap, &all)
    }),
    ("seq->object", 1, MANY, |heap, args| {
        let all = gather(heap, args)?;
        match all.iter().map(|item| entry_of(heap, *item)).collect::<Option<Vec<_>>>() {
            Some(entries) => map_of_entries(heap, entries),
            None => map_of(heap, &all),
        }
    }),
    ("%sort", 1, 1, |heap, args| {
        let items = items_of(heap, args[0])?;
        let sorted = sort_by_key(heap, items, |item| *item)?;
        heap.vector(sorted)
    }),
    ("eq", 1, MANY, |heap, args| all_equal(heap, args).map(Value::Bool)),
    ("!eq", 1, MANY, |heap, args| all_equal(heap, args).map(|same| Value::Bool(!same))),
    ("not", 1, 1, |_, args| Ok(Value::Bool(!args[0].is_true()))),
    ("identity", 1, 1, |_, args| Ok(args[0])),
    ("apply", 2, MANY, |heap, args| {
        let (last, before) =
            args.split_last().map_or((Value::Null, args), |(last, rest)| (*last, rest));
        let mut all = before[1..].to_vec();
        all.extend(items_of(heap, last)?);
        Err(Fail::Invoke { callee: before[0], args: all })
    }),
    ("partial", 1, MANY, |heap, args| {
        let args_given = args[1..].into();
        heap.alloc(Object::Partial { target: args[0], args: args_given }).map(Value::Object)
    }),
    ("raise", 1, MANY, |heap, args| {
        // Several values are raised as the text that they make together.
        let value = match args {
            [only] => *only,
            _ => concatenated(heap, args)?,
        };
        // What is lazy in it is known before it is raised.
        concatenated(heap, &[value])?;
        Err(raise(heap, value))
    }),
];

fn first(heap: &mut Heap<'_>, value: Value) -> Result<Value> {
    match heap.object(value) {
        Some(Object::Pair { car, .. }) => Ok(*car),
        _ => Ok(split(heap, value)?.map_or(Value::Null, |(first, _)| first)),
    }
}

fn rest(heap: &mut Heap<'_>, value: Value) -> Result<Value> {
    match heap.object(value) {
        Some(Object::Pair { cdr, .. }) => Ok(*cdr),
        // The rest of an empty vector is an empty vector.
        _ => Ok(split(heap, value)?.map_or(value, |(_, rest)| rest)),
    }
}

fn cons(heap: &mut Heap<'_>, item: Value, onto: Value) -> Result<Value> {
    match (onto, heap.object(onto)) {
        (Value::Null, _) | (_, Some(Object::List { .. })) => heap.prepend(item, onto),
        (_, Some(Object::Vector { .. })) => {
            let mut items = vec![item];
            items.extend(heap.slice(onto).unwrap_or_default());
            heap.meter.charge(items.len() as u64 / 8)?;
            heap.vector(items)
        }
        _ if is_sequence(heap, onto) => heap.lazy(Lazy::Cons { first: item, rest: onto }),
        _ => heap.pair(item, onto),
    }
}

/// A sequence that is quick to walk from front to back.
fn items(heap: &mut Heap<'_>, args: &[Value]) -> Result<Value> {
    match heap.object(args[0]) {
        Some(Object::Map { .. } | Object::Set { .. }) => {
            let items = items_of(heap, args[0])?;
            heap.vector(items)
        }
        _ if is_sequence(heap, args[0]) => Ok(args[0]),
        _ => Err(not_a_sequence(heap, args[0])),
    }
}

fn at_index(heap: &mut Heap<'_>, args: &[Value]) -> Result<Value> {
    if let Some(Object::Lazy(_)) = heap.object(args[0]) {
        return Err(Fail::Delegate { name: "lazy-nth", args: args.to_vec() });
    }
    let found = match index(heap, args[1]) {
        Ok(position) => nth(heap, args[0], position)?,
        Err(fail) if args.len() < 3 => return Err(fail),
        Err(_) => None,
    };
    match (found, args.get(2)) {
        (Some(item), _) => Ok(item),
        (None, Some(default)) => Ok(*default),
        (None, None) => Err(Fail::raise("the index is out of bounds")),
    }
}

fn last(heap: &mut Heap<'_>, args: &[Value]) -> Result<Value> {
    if let Some(Object::Lazy(_)) = heap.object(args[0]) {
        return Err(Fail::Delegate { name: "lazy-last", args: args.to_vec() });
    }
    if let Some(items) = heap.slice(args[0]) {
        return Ok(items.last().copied().unwrap_or(Value::Null));
    }
    Ok(items_of(heap, args[0])?.last().copied().unwrap_or(Value::Null))
}

fn reverse(heap: &mut Heap<'_>, args: &[Value]) -> Result<Value> {
    if let Some(text) = heap.as_text(args[0]) {
        heap.check_room(text.len())?;
        let reversed: String = text.chars().rev().collect();
        return heap.text(reversed);
    }
    let mut items = items_of(heap, args[0])?;
    items.reverse();
    if heap.slice(args[0]).is_some() { heap.vector(items) } else { heap.list(&items) }
}

fn conj(heap: &mut Heap<'_>, onto: Value, item: Value) -> Result<Value> {
    match heap.object(onto) {
        Some(Object::Vector { .. } | Object::Text(_) | Object::Set { .. }) => {
            append(heap, onto, item)
        }
        Some(Object::Map { root }) => {
            let root = *root;
            let Some((key, value)) = entry_of(heap, item) else {
                return Err(not_a(heap, item, "an entry: (key . value)"));
            };
            let key = map_key(heap, key)?;
            let root = heap.tree_put(root, key, value)?;
            heap.alloc(Object::Map { root }).map(Value::Object)
        }
        _ if is_sequence(heap, onto) => cons(heap, item, onto),
        _ => Err(not_a_sequence(heap, onto)),
    }
}

fn append(heap: &mut Heap<'_>, onto: Value, item: Value) -> Result<Value> {
    match heap.object(onto) {
        Some(Object::Vector { buffer, start, len }) => {
            let (buffer, start, len) = (*buffer, *start, *len);
            if heap.extend_buffer(buffer, (start + len) as usize, item)? {
                return heap
                    .alloc(Object::Vector { buffer, start, len: len + 1 })
                    .map(Value::Object);
            }
            let mut items = Vec::with_capacity(len as usize * 2 + 2);
            items.extend(heap.slice(onto).unwrap_or_default());
            items.push(item);
            heap.meter.charge(items.len() as u64 / 8)?;
            heap.vector(items)
        }
        Some(Object::Text(text)) => {
            let text = text.clone();
            let Some(tail) = heap.as_text(item) else { return Err(not_a(heap, item, "a text")) };
            heap.check_room(text.as_str().len() + tail.len())?;
            let joined = [text.as_str(), tail].concat();
            heap.text(joined)
        }
        Some(Object::Set { root }) => {
            let root = *root;
            let root = heap.tree_put(root, item, item)?;
            heap.alloc(Object::Set { root }).map(Value::Object)
        }
        _ => Err(not_a(heap, onto, "a vector, a text or a set")),
    }
}

/// The items of all sequences in one.
fn gather(heap: &mut Heap<'_>, sequences: &[Value]) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    for sequence in sequences {
        all.extend(items_of(heap, *sequence)?);
    }
    Ok(all)
}

fn all_equal(heap: &mut Heap<'_>, args: &[Value]) -> Result<bool> {
    for other in &args[1..] {
        if !equal(heap, args[0], *other)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What was raised, and its text as the message.
pub(in super::super) fn raise(heap: &mut Heap<'_>, value: Value) -> Fail {
    let message = match heap.as_text(value) {
        Some(text) => text.to_owned(),
        None => excerpt(heap, value),
    };
    Fail::Raise(Box::new(Raise { kind: ErrorKind::Thrown, message, value: Some(value) }))
}
