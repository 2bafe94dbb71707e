//! Texts.

use super::super::heap::Heap;
use super::super::number::Number;
use super::super::print::print;
use super::super::sequence::items_of;
use super::super::value::{Object, Text, Value};
use super::object::between;
use super::{Entry, MANY, Result, index, not_a};

pub(super) const TABLE: &[Entry] = &[
    ("str", 0, MANY, concatenated),
    ("str!", 0, MANY, |heap, args| {
        let mut out = String::new();
        for (position, arg) in args.iter().enumerate() {
            if position > 0 {
                out.push(' ');
            }
            print(heap, *arg, true, &mut out, heap.room())?;
        }
        heap.text(out)
    }),
    ("upper-case", 1, 1, |heap, args| {
        let text = text(heap, args[0])?;
        heap.check_room(text.as_str().len())?;
        heap.text(text.as_str().to_uppercase())
    }),
    ("lower-case", 1, 1, |heap, args| {
        let text = text(heap, args[0])?;
        heap.check_room(text.as_str().len())?;
        heap.text(text.as_str().to_lowercase())
    }),
    ("trim", 1, 1, |heap, args| {
        let text = text(heap, args[0])?;
        let trimmed = text.as_str().trim();
        let start = trimmed.as_ptr() as usize - text.as_str().as_ptr() as usize;
        heap.text_part(text.part(start, start + trimmed.len()))
    }),
    ("split", 2, 2, split_text),
    ("join", 1, 2, join),
    ("replace", 3, 3, |heap, args| {
        let (whole, from, to) = (text(heap, args[0])?, text(heap, args[1])?, text(heap, args[2])?);
        let (whole, from, to) = (whole.as_str(), from.as_str(), to.as_str());
        let times = whole.len() / from.len().max(1) + 1;
        let worst = whole.len().saturating_add(times.saturating_mul(to.len()));
        if heap.check_room(worst).is_err() {
            let times = whole.matches(from).count();
            heap.check_room(whole.len().saturating_add(times.saturating_mul(to.len())))?;
        }
        heap.meter.charge(whole.len() as u64 / 8)?;
        heap.text(whole.replace(from, to))
    }),
    ("starts-with?", 2, 2, |heap, args| {
        Ok(Value::Bool(text(heap, args[0])?.as_str().starts_with(text(heap, args[1])?.as_str())))
    }),
    ("ends-with?", 2, 2, |heap, args| {
        Ok(Value::Bool(text(heap, args[0])?.as_str().ends_with(text(heap, args[1])?.as_str())))
    }),
    ("includes?", 2, 2, |heap, args| {
        let (whole, part) = (text(heap, args[0])?, text(heap, args[1])?);
        heap.meter.charge(whole.as_str().len() as u64 / 16)?;
        Ok(Value::Bool(whole.as_str().contains(part.as_str())))
    }),
    ("subs", 2, 3, |heap, args| {
        text(heap, args[0])?;
        let start = index(heap, args[1])?;
        let end = args.get(2).map(|end| index(heap, *end)).transpose()?;
        between(heap, args[0], start, end)
    }),
    ("parse-number", 1, 2, |heap, args| {
        let text = text(heap, args[0])?;
        match (Number::parse(text.as_str().trim()), args.get(1)) {
            (Some(number), _) => heap.number(number),
            (None, Some(default)) => Ok(*default),
            (None, None) => Err(not_a(heap, args[0], "the text of a number")),
        }
    }),
    ("keyword", 1, 1, |heap, args| {
        let name = name_of(heap, args[0])?;
        heap.name(&name).map(Value::Keyword)
    }),
    ("sym", 1, 1, |heap, args| {
        let name = name_of(heap, args[0])?;
        heap.name(&name).map(Value::Symbol)
    }),
    ("name", 1, 1, |heap, args| {
        let name = name_of(heap, args[0])?;
        heap.text(name)
    }),
];

/// All values as one text. Null gives nothing.
pub(super) fn concatenated(heap: &mut Heap<'_>, args: &[Value]) -> Result<Value> {
    let mut out = String::new();
    for arg in args {
        if !matches!(arg, Value::Null) {
            print(heap, *arg, false, &mut out, heap.room())?;
        }
    }
    heap.meter.charge(out.len() as u64 / 16)?;
    heap.text(out)
}

fn text(heap: &mut Heap<'_>, value: Value) -> Result<Text> {
    match heap.object(value) {
        Some(Object::Text(text)) => {
            let text = text.clone();
            // Whatever is done with it is done at least once with all of it.
            heap.meter.charge(text.as_str().len() as u64 / 64)?;
            Ok(text)
        }
        _ => Err(not_a(heap, value, "a text")),
    }
}

fn name_of(heap: &mut Heap<'_>, value: Value) -> Result<String> {
    match value {
        Value::Keyword(name) | Value::Symbol(name) => Ok(heap.name_text(name).to_owned()),
        _ => text(heap, value).map(|text| text.as_str().to_owned()),
    }
}

/// `(split text separator)`; without a separator into characters.
fn split_text(heap: &mut Heap<'_>, args: &[Value]) -> Result<Value> {
    let (whole, separator) = (text(heap, args[0])?, text(heap, args[1])?);
    if separator.as_str().is_empty() {
        let items = items_of(heap, args[0])?;
        return heap.vector(items);
    }
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, found) in whole.as_str().match_indices(separator.as_str()) {
        heap.meter.charge(1)?;
        parts.push(heap.text_part(whole.part(start, at))?);
        start = at + found.len();
    }
    parts.push(heap.text_part(whole.part(start, whole.as_str().len()))?);
    heap.vector(parts)
}

/// `(join separator sequence)` or `(join sequence)`.
fn join(heap: &mut Heap<'_>, args: &[Value]) -> Result<Value> {
    let (separator, sequence) = match args {
        [sequence] => (String::new(), *sequence),
        _ => (text(heap, args[0])?.as_str().to_owned(), args[1]),
    };
    let mut out = String::new();
    for (position, item) in items_of(heap, sequence)?.into_iter().enumerate() {
        if position > 0 {
            out.push_str(&separator);
        }
        if !matches!(item, Value::Null) {
            print(heap, item, false, &mut out, heap.room())?;
        }
        heap.check_room(out.len())?;
    }
    heap.text(out)
}
