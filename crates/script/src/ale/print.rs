//! Values as text. What is printed can be read back, except for procedures.
//!
//! Walks with a stack of its own: values nest as deeply as memory allows.

use std::fmt::Write;

use super::heap::Heap;
use super::reader::is_readable_name;
use super::sequence::items_of;
use super::value::{Fail, Lazy, Object, Ref, Value};

enum Task {
    Print(Value),
    Text(&'static str),
}

/// Appends a value, texts in quotes if `quoted`. Beyond `bytes_max` it gives up as if memory was full.
pub(super) fn print(
    heap: &mut Heap<'_>,
    value: Value,
    quoted: bool,
    out: &mut String,
    bytes_max: usize,
) -> Result<(), Fail> {
    if let (false, Some(text)) = (quoted, heap.as_text(value)) {
        out.push_str(text);
        return Ok(());
    }
    let mut tasks = vec![Task::Print(value)];
    while let Some(task) = tasks.pop() {
        heap.meter.charge(1)?;
        match task {
            Task::Text(text) => out.push_str(text),
            Task::Print(item) => {
                print_one(heap, item, out, &mut tasks).map_err(|fail| match fail {
                    // All at once: starting over after each item would take quadratic time.
                    Fail::Force(_) | Fail::Realize { .. } => Fail::Realize { value, deep: true },
                    other => other,
                })?
            }
        }
        if out.len() > bytes_max {
            return Err(Fail::Full);
        }
    }
    Ok(())
}

fn print_one(
    heap: &mut Heap<'_>,
    value: Value,
    out: &mut String,
    tasks: &mut Vec<Task>,
) -> Result<(), Fail> {
    match value {
        Value::Null => out.push_str("()"),
        Value::Bool(true) => out.push_str("#t"),
        Value::Bool(false) => out.push_str("#f"),
        Value::Keyword(name) => {
            out.push(':');
            out.push_str(heap.name_text(name));
        }
        Value::Symbol(name) => out.push_str(heap.name_text(name)),
        Value::Native(_) | Value::Proc(_) => out.push_str("#<procedure>"),
        Value::Int(value) => {
            let _ = write!(out, "{value}");
        }
        Value::Float(_) => print_number(heap, value, out)?,
        Value::Object(at) => return print_object(heap, at, out, tasks),
    }
    Ok(())
}

fn print_object(
    heap: &mut Heap<'_>,
    at: Ref,
    out: &mut String,
    tasks: &mut Vec<Task>,
) -> Result<(), Fail> {
    let value = Value::Object(at);
    match heap.get(at) {
        Object::Text(text) => print_text(text.as_str(), out),
        Object::Big(_) | Object::Ratio(_) => print_number(heap, value, out)?,
        Object::Pair { car, cdr } => {
            let (car, cdr) = (*car, *cdr);
            print_pair(heap, car, cdr, tasks);
        }
        Object::List { .. } => push_all(tasks, ["(", ")"], items_of(heap, value)?),
        Object::Lazy(_) => match heap.lazy_state(at) {
            (at, Some(Lazy::Thunk(_) | Lazy::Running | Lazy::Failed(_)) | None) => {
                return Err(Fail::Force(at));
            }
            _ => push_all(tasks, ["(", ")"], items_of(heap, value)?),
        },
        Object::Vector { .. } => push_all(tasks, ["[", "]"], items_of(heap, value)?),
        Object::Set { .. } => push_all(tasks, ["#{", "}"], items_of(heap, value)?),
        Object::Map { root } => {
            let entries = heap.tree_entries(*root);
            push_entries(heap, entries, tasks)?;
        }
        _ => out.push_str("#<procedure>"),
    }
    Ok(())
}

fn push_all(tasks: &mut Vec<Task>, [open, close]: [&'static str; 2], items: Vec<Value>) {
    tasks.push(Task::Text(close));
    for (index, item) in items.into_iter().enumerate().rev() {
        tasks.push(Task::Print(item));
        if index > 0 {
            tasks.push(Task::Text(" "));
        }
    }
    tasks.push(Task::Text(open));
}

fn push_entries(
    heap: &mut Heap<'_>,
    entries: Vec<(Value, Value)>,
    tasks: &mut Vec<Task>,
) -> Result<(), Fail> {
    let mut items = Vec::with_capacity(entries.len() * 2);
    for (key, value) in entries {
        items.push(match key {
            // A key that is no readable keyword is printed as a text, which is the same key.
            Value::Keyword(name) if !is_readable_name(heap.name_text(name)) => {
                let text = heap.name_text(name).to_owned();
                heap.text(text)?
            }
            _ => key,
        });
        items.push(value);
    }
    push_all(tasks, ["{", "}"], items);
    Ok(())
}

/// `(a . b)`, and `(a b . c)` for a pair whose second half is a pair.
fn print_pair(heap: &Heap<'_>, car: Value, cdr: Value, tasks: &mut Vec<Task>) {
    let mut parts = vec![Task::Text("("), Task::Print(car)];
    let mut rest = cdr;
    while let Some(Object::Pair { car, cdr }) = heap.object(rest) {
        parts.extend([Task::Text(" "), Task::Print(*car)]);
        rest = *cdr;
    }
    parts.extend([Task::Text(" . "), Task::Print(rest), Task::Text(")")]);
    tasks.extend(parts.into_iter().rev());
}

fn print_number(heap: &mut Heap<'_>, value: Value, out: &mut String) -> Result<(), Fail> {
    if let Some(number) = heap.as_number(value) {
        // Writing a long integer in decimal takes quadratic time.
        heap.meter.charge(number.words() * number.words() / 16)?;
        let _ = write!(out, "{number}");
    }
    Ok(())
}

pub(super) fn print_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            other => out.push(other),
        }
    }
    out.push('"');
}
