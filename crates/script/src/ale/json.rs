//! JSON to values and back.
//!
//! Both recurse, because both refuse what is nested deeper than [`JSON_DEPTH_MAX`].

use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};
use serde_json::{Map, Number as JsonNumber, Value as Json};

use super::heap::Heap;
use super::number::Number;
use super::sequence::items_of;
use super::value::{Fail, Object, Value};
use crate::ErrorKind;
use crate::outputs::{Expected, JSON_DEPTH_MAX, Path};

type Result<T> = std::result::Result<T, Fail>;

/// Objects become objects with keywords as keys, arrays vectors, null the empty list, whole numbers integers.
pub(super) fn from_json(heap: &mut Heap<'_>, json: &Json) -> Result<Value> {
    Incoming { heap, depth: 0 }.value(json)
}

struct Incoming<'h, 'p> {
    heap: &'h mut Heap<'p>,
    depth: usize,
}

impl Incoming<'_, '_> {
    fn value(&mut self, json: &Json) -> Result<Value> {
        if self.depth > JSON_DEPTH_MAX {
            let message = format!("an argument is nested more than {JSON_DEPTH_MAX} levels deep");
            return Err(Fail::stop(ErrorKind::NotJson, message));
        }
        self.heap.meter.charge(1)?;
        self.depth += 1;
        let value = match json {
            Json::Null => Value::Null,
            Json::Bool(value) => Value::Bool(*value),
            Json::Number(number) => self.number(number)?,
            Json::String(text) => self.heap.text(text.as_str())?,
            Json::Array(items) => {
                let items =
                    items.iter().map(|item| self.value(item)).collect::<Result<Vec<_>>>()?;
                self.heap.vector(items)?
            }
            Json::Object(entries) => {
                let mut members = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    let key = Value::Keyword(self.heap.name(key)?);
                    members.push((key, self.value(value)?));
                }
                let root = self.heap.tree_of(members)?;
                Value::Object(self.heap.alloc(Object::Map { root })?)
            }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn number(&mut self, number: &JsonNumber) -> Result<Value> {
        if let Some(value) = number.as_i64() {
            return Ok(Value::Int(value));
        }
        if let Some(value) = number.as_u64() {
            return self.heap.numeric(Number::from_big(value.into()));
        }
        let value = number.as_f64().unwrap_or(f64::NAN);
        match BigInt::from_f64(value) {
            Some(whole) if value.fract() == 0.0 => self.heap.numeric(Number::from_big(whole)),
            _ => Ok(Value::Float(value)),
        }
    }
}

/// A value without unknown lazy sequences as JSON, no longer than `bytes_max` as text.
pub(super) fn to_json(
    heap: &mut Heap<'_>,
    value: Value,
    expected: &Expected,
    bytes_max: usize,
) -> Result<Json> {
    Outgoing { heap, expected, path: Path::default(), bytes: 0, bytes_max }.value(value)
}

struct Outgoing<'h, 'p> {
    heap: &'h mut Heap<'p>,
    expected: &'h Expected,
    path: Path,
    bytes: usize,
    bytes_max: usize,
}

impl Outgoing<'_, '_> {
    fn value(&mut self, value: Value) -> Result<Json> {
        if self.path.depth() > JSON_DEPTH_MAX {
            let what = format!("the result is nested more than {JSON_DEPTH_MAX} levels deep");
            return Err(Fail::stop(ErrorKind::NotJson, what));
        }
        self.heap.meter.charge(1)?;
        self.count(1)?;
        match value {
            Value::Null if self.expected.array_at(&self.path) => Ok(Json::Array(Vec::new())),
            Value::Null => Ok(Json::Null),
            Value::Bool(value) => Ok(Json::Bool(value)),
            Value::Int(_) | Value::Float(_) => self.number(value),
            Value::Keyword(name) | Value::Symbol(name) => {
                let text = self.heap.name_text(name).to_owned();
                self.text(text)
            }
            Value::Native(_) | Value::Proc(_) => Err(self.not_json("a procedure")),
            Value::Object(at) => match self.heap.get(at) {
                Object::Text(text) => {
                    let text = text.as_str().to_owned();
                    self.text(text)
                }
                Object::Big(_) | Object::Ratio(_) => self.number(value),
                Object::Map { root } => {
                    let entries = self.heap.tree_entries(*root);
                    self.object(entries)
                }
                Object::Pair { car, cdr } => {
                    let items = vec![*car, *cdr];
                    self.array(items)
                }
                Object::List { .. }
                | Object::Vector { .. }
                | Object::Set { .. }
                | Object::Lazy(_) => {
                    let items = items_of(self.heap, value)?;
                    self.array(items)
                }
                _ => Err(self.not_json("a procedure")),
            },
        }
    }

    fn array(&mut self, items: Vec<Value>) -> Result<Json> {
        let mut array = Vec::new();
        for (index, item) in items.into_iter().enumerate() {
            self.path.push_index(index);
            array.push(self.value(item)?);
            self.path.pop();
        }
        Ok(Json::Array(array))
    }

    fn object(&mut self, entries: Vec<(Value, Value)>) -> Result<Json> {
        let mut object = Map::new();
        for (key, value) in entries {
            let key = match (key, self.heap.as_number(key)) {
                (Value::Keyword(name) | Value::Symbol(name), _) => {
                    self.heap.name_text(name).to_owned()
                }
                (Value::Bool(key), _) => key.to_string(),
                (_, Some(number)) => number.to_string(),
                _ => {
                    return Err(
                        self.not_json("a key that is neither a name, a number nor a boolean")
                    );
                }
            };
            self.count(key.len())?;
            self.path.push_key(&key);
            let value = self.value(value)?;
            self.path.pop();
            if object.insert(key, value).is_some() {
                return Err(self.not_json("two keys with one text"));
            }
        }
        Ok(Json::Object(object))
    }

    fn text(&mut self, text: String) -> Result<Json> {
        self.count(text.len())?;
        Ok(Json::String(text))
    }

    /// Whole numbers exactly, or not at all; ratios as the nearest float.
    fn number(&mut self, value: Value) -> Result<Json> {
        match self.heap.as_number(value) {
            Some(Number::Int(value)) => Ok(value.into()),
            Some(Number::Big(value)) => {
                if let Some(value) = value.to_u64() {
                    return Ok(value.into());
                }
                let float = value
                    .to_f64()
                    .filter(|float| BigInt::from_f64(*float).as_ref() == Some(&value));
                match float.and_then(JsonNumber::from_f64) {
                    Some(number) => Ok(Json::Number(number)),
                    None => Err(self.not_json(
                        "an integer that no JSON number holds exactly (`str` or `float` it)",
                    )),
                }
            }
            Some(other) => match JsonNumber::from_f64(other.to_f64()) {
                Some(number) => Ok(Json::Number(number)),
                None => Err(self.not_json("an infinite number, or one that is none")),
            },
            None => Ok(Json::Null),
        }
    }

    fn count(&mut self, bytes: usize) -> Result<()> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.bytes_max {
            let message = format!("the result is longer than {} bytes", self.bytes_max);
            return Err(Fail::stop(ErrorKind::OutputTooLarge, message));
        }
        Ok(())
    }

    fn not_json(&self, what: &str) -> Fail {
        Fail::stop(ErrorKind::NotJson, format!("the result has {what} at {}", self.path))
    }
}
