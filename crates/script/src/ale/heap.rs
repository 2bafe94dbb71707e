//! Where a call's values live: one array of objects, counted in bytes, swept by marking.
//!
//! Objects name each other by index, so that a chain of a million of them is freed by a loop and not
//! by a million nested destructors, and a cycle (a lazy sequence can be one) is freed like all else.
//! Only the machine collects, between two instructions, when all that lives is on its stack: native
//! procedures can hold values in Rust variables without ceremony.

use std::mem::size_of;
use std::sync::Arc;

use num_rational::BigRational;

use super::meter::Meter;
use super::names::{Name, Names};
use super::number::{Number, NumberError};
use super::value::{Fail, Lazy, Node, Object, Ref, Text, Value};
use crate::ErrorKind;

/// Garbage below this is not worth a collection.
const GARBAGE_MIN_BYTES: usize = 1 << 20;
/// What a name costs beyond its text: an entry in two tables.
const NAME_BYTES: usize = 96;

pub(super) struct Heap<'p> {
    slots: Vec<Slot>,
    free: Vec<Ref>,
    bytes: usize,
    limit: usize,
    collect_at: usize,
    names: Names<'p>,
    pub(super) meter: Meter,
    empty: Ref,
}

struct Slot {
    object: Object,
    marked: bool,
}

type Result<T> = std::result::Result<T, Fail>;

impl<'p> Heap<'p> {
    pub(super) fn new(names: Names<'p>, meter: Meter, limit: usize) -> Heap<'p> {
        let nothing = Slot { object: Object::Buffer(Vec::new()), marked: false };
        Heap {
            slots: vec![nothing],
            free: Vec::new(),
            bytes: 0,
            limit,
            collect_at: GARBAGE_MIN_BYTES.min(limit),
            names,
            meter,
            empty: Ref::at(0),
        }
    }

    pub(super) fn get(&self, at: Ref) -> &Object {
        &self.slots[at.index()].object
    }

    pub(super) fn object(&self, value: Value) -> Option<&Object> {
        match value {
            Value::Object(at) => Some(self.get(at)),
            _ => None,
        }
    }

    pub(super) fn alloc(&mut self, object: Object) -> Result<Ref> {
        let bytes = owned_bytes(&object);
        self.alloc_counting(object, bytes)
    }

    fn alloc_counting(&mut self, object: Object, bytes: usize) -> Result<Ref> {
        self.take(size_of::<Slot>() + bytes)?;
        let slot = Slot { object, marked: false };
        Ok(match self.free.pop() {
            Some(at) => {
                self.slots[at.index()] = slot;
                at
            }
            None => {
                self.slots.push(slot);
                Ref::at(self.slots.len() - 1)
            }
        })
    }

    /// Counts memory, or says that there is none.
    fn take(&mut self, bytes: usize) -> Result<()> {
        self.check_room(bytes)?;
        self.bytes += bytes;
        Ok(())
    }

    /// Fails if so many more bytes would not fit. To be asked before something large is built in Rust.
    pub(super) fn check_room(&self, bytes: usize) -> Result<()> {
        if self.bytes.saturating_add(bytes) > self.limit { Err(Fail::Full) } else { Ok(()) }
    }

    /// How many more bytes fit.
    pub(super) fn room(&self) -> usize {
        self.limit.saturating_sub(self.bytes)
    }

    /// Whether a collection has left so little room that the next one would come at once, and so on until
    /// all time is spent on them.
    pub(super) fn is_crowded(&self) -> bool {
        self.bytes > self.limit - self.limit / 16
    }

    pub(super) fn wants_collection(&self) -> bool {
        self.bytes > self.collect_at
    }

    /// Frees all that cannot be reached from the roots.
    pub(super) fn collect(&mut self, roots: impl Iterator<Item = Value>) {
        let mut gray: Vec<Ref> = vec![self.empty];
        gray.extend(roots.filter_map(|value| match value {
            Value::Object(at) => Some(at),
            _ => None,
        }));
        while let Some(at) = gray.pop() {
            let slot = &mut self.slots[at.index()];
            if !slot.marked {
                slot.marked = true;
                push_children(&slot.object, &mut gray);
            }
        }
        let mut live = 0;
        for (index, slot) in self.slots.iter_mut().enumerate() {
            if slot.marked {
                slot.marked = false;
                live += 1;
            } else if !matches!(slot.object, Object::Free) {
                let freed = size_of::<Slot>() + releasable_bytes(&slot.object);
                self.bytes = self.bytes.saturating_sub(freed);
                slot.object = Object::Free;
                self.free.push(Ref::at(index));
            }
        }
        // Marking visits what lives and sweeping every slot: both count as work.
        let _ = self.meter.charge((live + self.slots.len() / 8) as u64);
        self.collect_at = (self.bytes * 2).max(self.bytes + GARBAGE_MIN_BYTES).min(self.limit);
    }

    // Names.

    pub(super) fn name(&mut self, text: &str) -> Result<Name> {
        if let Some(name) = self.names.find(text) {
            return Ok(name);
        }
        self.take(NAME_BYTES + text.len())?;
        Ok(self.names.add(text))
    }

    pub(super) fn name_text(&self, name: Name) -> &str {
        self.names.text(name)
    }

    // Making values.

    pub(super) fn text(&mut self, text: impl Into<Arc<str>>) -> Result<Value> {
        let text = text.into();
        let bytes = text.len();
        self.alloc_counting(Object::Text(Text::new(text)), bytes).map(Value::Object)
    }

    /// A text whose bytes are counted already, or belong to the program.
    pub(super) fn text_part(&mut self, text: Text) -> Result<Value> {
        self.alloc(Object::Text(text)).map(Value::Object)
    }

    pub(super) fn number(&mut self, number: Number) -> Result<Value> {
        let object = match number {
            Number::Int(value) => return Ok(Value::Int(value)),
            Number::Float(value) => return Ok(Value::Float(value)),
            Number::Big(value) => Object::Big(Box::new(value)),
            Number::Ratio(value) => Object::Ratio(Box::new(value)),
        };
        self.alloc(object).map(Value::Object)
    }

    pub(super) fn numeric(
        &mut self,
        number: std::result::Result<Number, NumberError>,
    ) -> Result<Value> {
        match number {
            Ok(number) => self.number(number),
            Err(NumberError::DivideByZero) => Err(Fail::raise("divide by zero")),
            Err(NumberError::TooLarge) => Err(Fail::raise(
                "the number is too long: integers have at most 262,144 bits, ratios 16,384",
            )),
        }
    }

    pub(super) fn vector(&mut self, items: Vec<Value>) -> Result<Value> {
        let len = items.len() as u32;
        let buffer = if items.is_empty() { self.empty } else { self.alloc(Object::Buffer(items))? };
        self.alloc(Object::Vector { buffer, start: 0, len }).map(Value::Object)
    }

    pub(super) fn list(&mut self, items: &[Value]) -> Result<Value> {
        self.list_before(items, Value::Null)
    }

    /// `items` and then those of a list, or of nothing.
    pub(super) fn list_before(&mut self, items: &[Value], rest: Value) -> Result<Value> {
        let mut list = rest;
        for item in items.iter().rev() {
            list = self.prepend(*item, list)?;
        }
        Ok(list)
    }

    /// A list with one more item. `list` is a list or nothing.
    pub(super) fn prepend(&mut self, first: Value, list: Value) -> Result<Value> {
        let (rest, len) = match list {
            Value::Object(at) => match self.get(at) {
                Object::List { len, .. } => (Some(at), *len),
                _ => return self.pair(first, list),
            },
            _ => (None, 0),
        };
        self.alloc(Object::List { first, rest, len: len.saturating_add(1) }).map(Value::Object)
    }

    pub(super) fn pair(&mut self, car: Value, cdr: Value) -> Result<Value> {
        self.alloc(Object::Pair { car, cdr }).map(Value::Object)
    }

    pub(super) fn lazy(&mut self, lazy: Lazy) -> Result<Value> {
        self.alloc(Object::Lazy(lazy)).map(Value::Object)
    }

    pub(super) fn node(&mut self, node: Node) -> Result<Ref> {
        self.alloc(Object::Node(Box::new(node)))
    }

    // Changing the few objects that change.

    pub(super) fn set_lazy(&mut self, at: Ref, lazy: Lazy) {
        self.slots[at.index()].object = Object::Lazy(lazy);
    }

    pub(super) fn fill_cell(&mut self, at: Ref, value: Value) {
        self.slots[at.index()].object = Object::Cell(Some(value));
    }

    /// Adds to the end of a buffer of which the vector sees all, else nothing.
    pub(super) fn extend_buffer(&mut self, buffer: Ref, end: usize, item: Value) -> Result<bool> {
        let Object::Buffer(items) = &self.slots[buffer.index()].object else { return Ok(false) };
        if items.len() != end || buffer == self.empty {
            return Ok(false);
        }
        let grows_by = if items.len() == items.capacity() { items.capacity() } else { 0 };
        self.take(grows_by * size_of::<Value>())?;
        if let Object::Buffer(items) = &mut self.slots[buffer.index()].object {
            items.reserve_exact(grows_by);
            items.push(item);
        }
        Ok(true)
    }

    // Looking at values.

    pub(super) fn as_text(&self, value: Value) -> Option<&str> {
        match self.object(value) {
            Some(Object::Text(text)) => Some(text.as_str()),
            _ => None,
        }
    }

    pub(super) fn as_number(&self, value: Value) -> Option<Number> {
        match value {
            Value::Int(value) => Some(Number::Int(value)),
            Value::Float(value) => Some(Number::Float(value)),
            Value::Object(at) => match self.get(at) {
                Object::Big(value) => Some(Number::Big((**value).clone())),
                Object::Ratio(value) => Some(Number::Ratio(BigRational::clone(value))),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn slice(&self, value: Value) -> Option<&[Value]> {
        match self.object(value) {
            Some(Object::Vector { buffer, start, len }) => match self.get(*buffer) {
                Object::Buffer(items) => items.get(*start as usize..(*start + *len) as usize),
                _ => None,
            },
            _ => None,
        }
    }

    /// What a lazy sequence is by now, through those that are the same as another.
    pub(super) fn lazy_state(&self, mut at: Ref) -> (Ref, Option<Lazy>) {
        loop {
            match self.get(at) {
                Object::Lazy(Lazy::Same(other)) => at = *other,
                Object::Lazy(lazy) => return (at, Some(*lazy)),
                _ => return (at, None),
            }
        }
    }
}

/// What cannot be had however much is collected.
pub(super) fn out_of_memory(limit: usize) -> Fail {
    Fail::stop(
        ErrorKind::OutOfMemory,
        format!("the script's values need more than {limit} bytes of memory"),
    )
}

/// Memory that belongs to the object alone. A text's bytes are counted where the text is made.
fn owned_bytes(object: &Object) -> usize {
    let values = |n: usize| n * size_of::<Value>();
    match object {
        Object::Big(value) => 48 + (value.bits() / 8) as usize,
        Object::Ratio(value) => 96 + ((value.numer().bits() + value.denom().bits()) / 8) as usize,
        Object::Buffer(items) => values(items.capacity()),
        Object::Node(_) => size_of::<Node>(),
        Object::Closure { captures, .. } => values(captures.len()),
        Object::Partial { args, .. } => values(args.len()),
        _ => 0,
    }
}

/// Memory that comes free with the object: for a text its bytes, if nobody else has them.
fn releasable_bytes(object: &Object) -> usize {
    match object {
        Object::Text(text) if Arc::strong_count(&text.whole) == 1 => text.whole.len(),
        other => owned_bytes(other),
    }
}

fn push_children(object: &Object, gray: &mut Vec<Ref>) {
    let mut push = |value: &Value| {
        if let Value::Object(at) = value {
            gray.push(*at);
        }
    };
    match object {
        Object::Free | Object::Text(_) | Object::Big(_) | Object::Ratio(_) => {}
        Object::List { first, rest, .. } => {
            push(first);
            gray.extend(rest);
        }
        Object::Pair { car, cdr } => [car, cdr].into_iter().for_each(push),
        Object::Buffer(items) => items.iter().for_each(push),
        Object::Vector { buffer, .. } => gray.push(*buffer),
        Object::Map { root } | Object::Set { root } => gray.extend(root),
        Object::Node(node) => {
            [&node.key, &node.value].into_iter().for_each(push);
            gray.extend(node.left.into_iter().chain(node.right));
        }
        Object::Lazy(Lazy::Thunk(value) | Lazy::Failed(value)) => push(value),
        Object::Lazy(Lazy::Cons { first, rest }) => [first, rest].into_iter().for_each(push),
        Object::Lazy(Lazy::Same(other)) => gray.push(*other),
        Object::Lazy(Lazy::Running | Lazy::Empty) => {}
        Object::Closure { captures, .. } => captures.iter().for_each(push),
        Object::Partial { target, args } => {
            push(target);
            args.iter().for_each(push);
        }
        Object::Cell(value) => value.iter().for_each(push),
    }
}
