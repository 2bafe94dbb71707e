//! One way to walk all sequences: lists, vectors, texts, maps, sets and lazy sequences.

use super::heap::Heap;
use super::print::print;
use super::value::{Fail, Lazy, Object, Text, Value};

type Result<T> = std::result::Result<T, Fail>;

/// Longest excerpt of a value in an error message.
const EXCERPT_CHARS: usize = 60;

pub(super) fn is_sequence(heap: &Heap<'_>, value: Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(at) => matches!(
            heap.get(at),
            Object::List { .. }
                | Object::Vector { .. }
                | Object::Text(_)
                | Object::Map { .. }
                | Object::Set { .. }
                | Object::Lazy(_)
        ),
        _ => false,
    }
}

/// The first item and the sequence of the others, or nothing for an empty sequence.
pub(super) fn split(heap: &mut Heap<'_>, value: Value) -> Result<Option<(Value, Value)>> {
    let Value::Object(at) = value else {
        return match value {
            Value::Null => Ok(None),
            _ => Err(not_a_sequence(heap, value)),
        };
    };
    match heap.get(at) {
        Object::List { first, rest, .. } => {
            Ok(Some((*first, rest.map_or(Value::Null, Value::Object))))
        }
        Object::Vector { len: 0, .. } => Ok(None),
        Object::Vector { buffer, start, len } => {
            let (buffer, start, len) = (*buffer, *start + 1, *len - 1);
            let first = heap.slice(value).and_then(|items| items.first().copied());
            let rest = heap.alloc(Object::Vector { buffer, start, len })?;
            Ok(first.map(|first| (first, Value::Object(rest))))
        }
        Object::Text(text) => {
            let text = text.clone();
            let Some(first) = text.as_str().chars().next() else { return Ok(None) };
            let (at, end) = (first.len_utf8(), text.as_str().len());
            let first = heap.text_part(text.part(0, at))?;
            Ok(Some((first, heap.text_part(text.part(at, end))?)))
        }
        Object::Map { root } => {
            let root = *root;
            let Some((key, value)) = heap.tree_first(root) else { return Ok(None) };
            let entry = heap.pair(key, value)?;
            let root = heap.tree_without_first(root)?;
            Ok(Some((entry, Value::Object(heap.alloc(Object::Map { root })?))))
        }
        Object::Set { root } => {
            let root = *root;
            let Some((item, _)) = heap.tree_first(root) else { return Ok(None) };
            let root = heap.tree_without_first(root)?;
            Ok(Some((item, Value::Object(heap.alloc(Object::Set { root })?))))
        }
        Object::Lazy(_) => match heap.lazy_state(at) {
            (_, Some(Lazy::Empty)) => Ok(None),
            (_, Some(Lazy::Cons { first, rest })) => Ok(Some((first, rest))),
            (at, _) => Err(Fail::Force(at)),
        },
        _ => Err(not_a_sequence(heap, value)),
    }
}

/// All items of a sequence that ends.
pub(super) fn items_of(heap: &mut Heap<'_>, value: Value) -> Result<Vec<Value>> {
    let mut items = Vec::new();
    let mut rest = value;
    loop {
        let Value::Object(at) = rest else {
            return match rest {
                Value::Null => Ok(items),
                _ => Err(not_a_sequence(heap, rest)),
            };
        };
        match heap.get(at) {
            Object::List { first, rest: next, .. } => {
                items.push(*first);
                rest = next.map_or(Value::Null, Value::Object);
            }
            Object::Lazy(_) => match heap.lazy_state(at) {
                (_, Some(Lazy::Empty)) => return Ok(items),
                (_, Some(Lazy::Cons { first, rest: next })) => {
                    items.push(first);
                    rest = next;
                }
                _ => return Err(Fail::Realize { value, deep: false }),
            },
            _ => {
                extend_at_once(heap, rest, &mut items)?;
                return Ok(items);
            }
        }
        // A sequence that leads back into itself has no end: it runs into the memory limit.
        if items.len().is_multiple_of(1024) {
            heap.meter.charge(1024)?;
            heap.check_room(items.len() * size_of::<Value>())?;
        }
    }
}

/// Items of a sequence that knows them all.
fn extend_at_once(heap: &mut Heap<'_>, value: Value, items: &mut Vec<Value>) -> Result<()> {
    match heap.object(value) {
        Some(Object::Vector { .. }) => items.extend(heap.slice(value).unwrap_or_default()),
        Some(Object::Text(text)) => {
            let text = text.clone();
            items.extend(characters(heap, &text)?);
        }
        Some(Object::Map { root }) => {
            for (key, value) in heap.tree_entries(*root) {
                items.push(heap.pair(key, value)?);
            }
        }
        Some(Object::Set { root }) => {
            items.extend(heap.tree_entries(*root).into_iter().map(|(item, _)| item));
        }
        _ => return Err(not_a_sequence(heap, value)),
    }
    heap.meter.charge(items.len() as u64)
}

fn characters(heap: &mut Heap<'_>, text: &Text) -> Result<Vec<Value>> {
    let string = text.as_str();
    heap.meter.charge(string.len() as u64)?;
    string.char_indices().map(|(at, c)| heap.text_part(text.part(at, at + c.len_utf8()))).collect()
}

/// How many items, counted without walking where the sequence knows.
pub(super) fn length(heap: &mut Heap<'_>, value: Value) -> Result<usize> {
    match heap.object(value) {
        Some(Object::List { len, .. }) => Ok(*len as usize),
        Some(Object::Vector { len, .. }) => Ok(*len as usize),
        Some(Object::Map { root } | Object::Set { root }) => Ok(heap.tree_len(*root) as usize),
        Some(Object::Text(text)) => {
            let (bytes, chars) = (text.as_str().len(), text.as_str().chars().count());
            heap.meter.charge(bytes as u64 / 16)?;
            Ok(chars)
        }
        Some(Object::Lazy(_)) => Err(Fail::Delegate { name: "lazy-length", args: vec![value] }),
        _ => items_of(heap, value).map(|items| items.len()),
    }
}

/// The item at a position. `value` is a list, vector or text.
pub(super) fn nth(heap: &mut Heap<'_>, value: Value, index: usize) -> Result<Option<Value>> {
    match heap.object(value) {
        Some(Object::Vector { .. }) => {
            Ok(heap.slice(value).and_then(|items| items.get(index).copied()))
        }
        Some(Object::Text(text)) => {
            let text = text.clone();
            let mut chars = text.as_str().char_indices().skip(index);
            heap.meter.charge(index as u64)?;
            chars.next().map(|(at, c)| heap.text_part(text.part(at, at + c.len_utf8()))).transpose()
        }
        _ => {
            let mut rest = value;
            for _ in 0..index {
                heap.meter.charge(1)?;
                match split(heap, rest)? {
                    Some((_, next)) => rest = next,
                    None => return Ok(None),
                }
            }
            Ok(split(heap, rest)?.map(|(first, _)| first))
        }
    }
}

pub(super) fn not_a_sequence(heap: &mut Heap<'_>, value: Value) -> Fail {
    Fail::raise(format!("{} is not a sequence", excerpt(heap, value)))
}

/// A value in an error message: short, and without calling anything.
pub(super) fn excerpt(heap: &mut Heap<'_>, value: Value) -> String {
    let mut text = String::new();
    // Four bytes are enough for any character.
    match print(heap, value, true, &mut text, EXCERPT_CHARS * 4) {
        Ok(()) if text.chars().count() <= EXCERPT_CHARS => text,
        Err(Fail::Force(_) | Fail::Realize { .. }) => "a lazy sequence".to_owned(),
        _ => text.chars().take(EXCERPT_CHARS).chain("...".chars()).collect(),
    }
}
