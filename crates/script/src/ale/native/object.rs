//! Objects and sets, and looking things up in whatever can be looked into.

use super::super::heap::Heap;
use super::super::map::map_key;
use super::super::sequence::{excerpt, is_sequence, nth};
use super::super::value::{Fail, Object, Text, Value};
use super::{Entry, MANY, Result, index, not_a};

pub(super) const TABLE: &[Entry] = &[
    ("object", 0, MANY, map_of),
    ("set", 0, MANY, set_of),
    ("get", 2, 3, |heap, args| match (find(heap, args[0], args[1])?, args.get(2)) {
        (Some(value), _) => Ok(value),
        (None, Some(default)) => Ok(*default),
        (None, None) => Err(Fail::raise(format!("key {} not found", excerpt(heap, args[1])))),
    }),
    ("contains?", 2, 2, |heap, args| match heap.object(args[0]) {
        Some(Object::Map { .. } | Object::Set { .. }) => {
            find(heap, args[0], args[1]).map(|found| Value::Bool(found.is_some()))
        }
        _ => Ok(Value::Bool(false)),
    }),
    ("assoc", 2, MANY, assoc),
    ("assoc*", 2, MANY, assoc),
    ("dissoc", 2, MANY, dissoc),
    ("dissoc*", 2, MANY, dissoc),
    ("keys", 1, 1, |heap, args| {
        let keys = entries(heap, args[0])?.into_iter().map(|(key, _)| key).collect();
        heap.vector(keys)
    }),
    ("vals", 1, 1, |heap, args| {
        let values = entries(heap, args[0])?.into_iter().map(|(_, value)| value).collect();
        heap.vector(values)
    }),
    ("merge", 1, MANY, |heap, args| {
        let mut all = Vec::new();
        for arg in args {
            all.extend(entries(heap, *arg)?);
        }
        map_of_entries(heap, all)
    }),
];

/// An object of keys and values in turn.
pub(in super::super) fn map_of(heap: &mut Heap<'_>, items: &[Value]) -> Result<Value> {
    if items.len() % 2 == 1 {
        return Err(Fail::raise("an object has an even number of items: keys and their values"));
    }
    map_of_entries(heap, items.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect())
}

/// An object of entries; of those with one key the last counts.
pub(super) fn map_of_entries(heap: &mut Heap<'_>, entries: Vec<(Value, Value)>) -> Result<Value> {
    let mut entries = entries;
    for (key, _) in &mut entries {
        *key = map_key(heap, *key)?;
    }
    let root = heap.tree_of(entries)?;
    heap.alloc(Object::Map { root }).map(Value::Object)
}

pub(in super::super) fn set_of(heap: &mut Heap<'_>, items: &[Value]) -> Result<Value> {
    let root = heap.tree_of(items.iter().map(|item| (*item, *item)).collect())?;
    heap.alloc(Object::Set { root }).map(Value::Object)
}

/// Key and value of `(key . value)`, of `[key value]`, or of a list that begins with the key.
pub(super) fn entry_of(heap: &Heap<'_>, value: Value) -> Option<(Value, Value)> {
    match heap.object(value)? {
        Object::Pair { car, cdr } => Some((*car, *cdr)),
        Object::List { first, rest, .. } => Some((*first, rest.map_or(Value::Null, Value::Object))),
        Object::Vector { len: 2, .. } => match heap.slice(value)? {
            [key, value] => Some((*key, *value)),
            _ => None,
        },
        _ => None,
    }
}

fn entries(heap: &mut Heap<'_>, value: Value) -> Result<Vec<(Value, Value)>> {
    match (value, heap.object(value)) {
        (Value::Null, _) => Ok(Vec::new()),
        (_, Some(Object::Map { root })) => Ok(heap.tree_entries(*root)),
        _ => Err(not_a(heap, value, "an object")),
    }
}

/// `(assoc object entry ...)` or `(assoc object key value ...)`; also `(assoc vector index value)`.
fn assoc(heap: &mut Heap<'_>, args: &[Value]) -> Result<Value> {
    let flat: Vec<Value> =
        match args[1..].iter().map(|arg| entry_of(heap, *arg)).collect::<Option<Vec<_>>>() {
            Some(entries) => entries.into_iter().flat_map(|(key, value)| [key, value]).collect(),
            None if args.len() % 2 == 1 => args[1..].to_vec(),
            None => return Err(not_a(heap, args[1], "an entry: (key . value)")),
        };
    if let Some(items) = heap.slice(args[0]) {
        let mut items = items.to_vec();
        for pair in flat.chunks_exact(2) {
            let at = index(heap, pair[0])?;
            let Some(item) = items.get_mut(at) else {
                return Err(Fail::raise("the index is out of bounds"));
            };
            *item = pair[1];
        }
        return heap.vector(items);
    }
    let mut root = match (args[0], heap.object(args[0])) {
        (Value::Null, _) => None,
        (_, Some(Object::Map { root })) => *root,
        _ => return Err(not_a(heap, args[0], "an object")),
    };
    for pair in flat.chunks_exact(2) {
        let key = map_key(heap, pair[0])?;
        root = heap.tree_put(root, key, pair[1])?;
    }
    heap.alloc(Object::Map { root }).map(Value::Object)
}

fn dissoc(heap: &mut Heap<'_>, args: &[Value]) -> Result<Value> {
    match heap.object(args[0]) {
        Some(Object::Map { root }) => {
            let mut root = *root;
            for key in &args[1..] {
                let key = map_key(heap, *key)?;
                root = heap.tree_remove(root, key)?;
            }
            heap.alloc(Object::Map { root }).map(Value::Object)
        }
        Some(Object::Set { root }) => {
            let mut root = *root;
            for item in &args[1..] {
                root = heap.tree_remove(root, *item)?;
            }
            heap.alloc(Object::Set { root }).map(Value::Object)
        }
        _ => Err(not_a(heap, args[0], "an object")),
    }
}

/// What an object has under a key, a set as a member, or a sequence at a position.
fn find(heap: &mut Heap<'_>, within: Value, key: Value) -> Result<Option<Value>> {
    match (within, heap.object(within)) {
        (Value::Null, _) => Ok(None),
        (_, Some(Object::Map { root })) => {
            let root = *root;
            let key = map_key(heap, key)?;
            heap.tree_get(root, key)
        }
        (_, Some(Object::Set { root })) => {
            let root = *root;
            heap.tree_get(root, key)
        }
        _ if is_sequence(heap, within) && matches!(key, Value::Int(_)) => match key {
            Value::Int(_) if matches!(heap.object(within), Some(Object::Lazy(_))) => {
                Err(Fail::Realize { value: within, deep: false })
            }
            Value::Int(at) if at >= 0 => {
                nth(heap, within, usize::try_from(at).unwrap_or(usize::MAX))
            }
            _ => Ok(None),
        },
        _ => Err(not_a(heap, within, "an object")),
    }
}

/// Calls something that is not a procedure but can be called as one: a keyword or number looks itself
/// up in its argument, an object or set looks its argument up, a sequence gives the part from one
/// position to another. Nothing if the value cannot be called.
pub(in super::super) fn look_up(
    heap: &mut Heap<'_>,
    callee: Value,
    args: &[Value],
) -> Result<Option<Value>> {
    if let Value::Bool(_) = callee {
        return Ok(Some(callee));
    }
    let (within, key) = match (callee, heap.object(callee)) {
        (Value::Keyword(_) | Value::Int(_), _) => (args.first().copied(), Some(callee)),
        (_, Some(Object::Map { .. } | Object::Set { .. })) => (Some(callee), args.first().copied()),
        (_, Some(Object::List { .. } | Object::Vector { .. } | Object::Text(_))) => {
            return part(heap, callee, args).map(Some);
        }
        _ => return Ok(None),
    };
    let (Some(within), Some(key), ..=2) = (within, key, args.len()) else {
        let callee = excerpt(heap, callee);
        return Err(Fail::raise(format!("{callee} got {} arguments, expected 1 or 2", args.len())));
    };
    let found = find(heap, within, key)?;
    Ok(Some(found.or(args.get(1).copied()).unwrap_or(Value::Null)))
}

/// `(sequence start)` and `(sequence start end)`.
fn part(heap: &mut Heap<'_>, sequence: Value, args: &[Value]) -> Result<Value> {
    if args.is_empty() || args.len() > 2 {
        return Err(Fail::raise(format!(
            "a sequence got {} arguments, expected 1 or 2",
            args.len()
        )));
    }
    let start = index(heap, args[0])?;
    let end = args.get(1).map(|end| index(heap, *end)).transpose()?;
    between(heap, sequence, start, end)
}

/// The part of a list, vector or text from one position to another, or to the end.
pub(super) fn between(
    heap: &mut Heap<'_>,
    sequence: Value,
    start: usize,
    end: Option<usize>,
) -> Result<Value> {
    let len = super::super::sequence::length(heap, sequence)?;
    let end = end.unwrap_or(len);
    if start > end || end > len {
        return Err(Fail::raise(format!(
            "{start} to {end} is not within a sequence of {len} items"
        )));
    }
    match heap.object(sequence) {
        Some(Object::Vector { buffer, start: base, .. }) => {
            let (buffer, start, len) = (*buffer, *base + start as u32, (end - start) as u32);
            heap.alloc(Object::Vector { buffer, start, len }).map(Value::Object)
        }
        Some(Object::Text(text)) => {
            let text = text.clone();
            let byte_at = |chars: usize| byte_position(&text, chars);
            heap.text_part(text.part(byte_at(start), byte_at(end)))
        }
        _ => {
            let items = super::super::sequence::items_of(heap, sequence)?;
            heap.list(items.get(start..end).unwrap_or_default())
        }
    }
}

fn byte_position(text: &Text, chars: usize) -> usize {
    text.as_str().char_indices().nth(chars).map_or(text.as_str().len(), |(at, _)| at)
}
