//! Strict reading of JSON: every wrong field is reported with its path, not only the first.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::problem::{Code, Path, Problem, Problems, did_you_mean};

/// Parses JSON of at most `bytes_max` bytes in which no object has a field twice.
pub(crate) fn parse(bytes: &[u8], bytes_max: usize) -> Result<Value, Problems> {
    let whole = Path::root();
    if bytes.len() > bytes_max {
        let message = format!("this has {} bytes, at most {bytes_max} are allowed", bytes.len());
        return Err(whole.problem(Code::TooLarge, message).into());
    }
    let mut duplicates = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let parsed = Strict { at: Place::Whole, duplicates: &mut duplicates }
        .deserialize(&mut deserializer)
        .and_then(|value| deserializer.end().map(|()| value));
    match parsed {
        Ok(value) => Problems::or(duplicates, value),
        Err(error) => Err(whole.problem(Code::InvalidJson, format!("no JSON: {error}")).into()),
    }
}

/// The problems found so far, and how to read each kind of value.
#[derive(Default)]
pub(crate) struct Reading {
    pub problems: Vec<Problem>,
}

/// An object, and which of its fields were asked for.
pub(crate) struct Fields<'v> {
    pub at: Path,
    object: &'v Map<String, Value>,
    known: Vec<&'static str>,
}

impl Reading {
    pub fn object<'v>(&mut self, value: &'v Value, at: &Path) -> Option<Fields<'v>> {
        match value {
            Value::Object(object) => Some(Fields { at: at.clone(), object, known: Vec::new() }),
            _ => self.wrong_type(value, at, "an object"),
        }
    }

    /// A field that must be there.
    pub fn required<T>(
        &mut self,
        fields: &mut Fields<'_>,
        name: &'static str,
        read: impl FnOnce(&mut Reading, &Value, &Path) -> Option<T>,
    ) -> Option<T> {
        if !fields.object.contains_key(name) {
            let message = format!("the field `{name}` is missing");
            self.add(&fields.at.field(name), Code::MissingField, message);
        }
        self.optional(fields, name, read)
    }

    pub fn optional<T>(
        &mut self,
        fields: &mut Fields<'_>,
        name: &'static str,
        read: impl FnOnce(&mut Reading, &Value, &Path) -> Option<T>,
    ) -> Option<T> {
        fields.known.push(name);
        let value = fields.object.get(name)?;
        read(self, value, &fields.at.field(name))
    }

    /// Reports the fields that nobody asked for.
    pub fn end(&mut self, fields: Fields<'_>) {
        self.end_with(fields, |_| None);
    }

    /// The same where a field may exist, but not here; `elsewhere` then says what is wrong.
    pub fn end_with(
        &mut self,
        fields: Fields<'_>,
        elsewhere: impl Fn(&str) -> Option<(Code, String)>,
    ) {
        for (name, _) in sorted(fields.object) {
            if fields.known.contains(&name) {
                continue;
            }
            let (code, message) = elsewhere(name).unwrap_or_else(|| {
                let hint = did_you_mean(name, fields.known.iter().copied());
                (Code::UnknownField, format!("there is no field `{name}` here{hint}"))
            });
            self.add(&fields.at.field(name), code, message);
        }
    }

    pub fn text(&mut self, value: &Value, at: &Path) -> Option<String> {
        match value {
            Value::String(text) => Some(text.clone()),
            _ => self.wrong_type(value, at, "a text"),
        }
    }

    pub fn boolean(&mut self, value: &Value, at: &Path) -> Option<bool> {
        match value {
            Value::Bool(flag) => Some(*flag),
            _ => self.wrong_type(value, at, "true or false"),
        }
    }

    pub fn whole_number(&mut self, value: &Value, at: &Path) -> Option<u64> {
        let number = value.as_u64();
        if number.is_none() {
            let found = if value.is_number() { value.to_string() } else { kind_of(value).into() };
            let message = format!("this must be a whole number, zero or more; it is {found}");
            self.add(at, Code::WrongType, message);
        }
        number
    }

    pub fn list<T>(
        &mut self,
        value: &Value,
        at: &Path,
        mut read: impl FnMut(&mut Reading, &Value, &Path) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Value::Array(items) = value else { return self.wrong_type(value, at, "a list") };
        // Every item is read, so that every problem is found.
        let read: Vec<Option<T>> = items
            .iter()
            .enumerate()
            .map(|(index, item)| read(self, item, &at.item(index)))
            .collect();
        read.into_iter().collect()
    }

    pub fn map<K: Ord + for<'a> From<&'a str>, T>(
        &mut self,
        value: &Value,
        at: &Path,
        mut read: impl FnMut(&mut Reading, &Value, &Path) -> Option<T>,
    ) -> Option<BTreeMap<K, T>> {
        let Value::Object(object) = value else { return self.wrong_type(value, at, "an object") };
        let read: Vec<Option<(K, T)>> = sorted(object)
            .into_iter()
            .map(|(key, item)| Some((K::from(key), read(self, item, &at.field(key))?)))
            .collect();
        read.into_iter().collect()
    }

    /// One of the texts in `choices`.
    pub fn choice<T: Copy>(
        &mut self,
        value: &Value,
        at: &Path,
        choices: &[(&'static str, T)],
    ) -> Option<T> {
        let text = self.text(value, at)?;
        let found = choices.iter().find(|(name, _)| *name == text);
        if found.is_none() {
            let names: Vec<String> = choices.iter().map(|(name, _)| format!("`{name}`")).collect();
            let hint = did_you_mean(&text, choices.iter().map(|(name, _)| *name));
            let message = format!("`{text}` is none of {}{hint}", names.join(", "));
            self.add(at, Code::UnknownValue, message);
        }
        found.map(|(_, choice)| *choice)
    }

    pub fn add(&mut self, at: &Path, code: Code, message: impl Into<String>) {
        self.problems.push(at.problem(code, message));
    }

    pub fn wrong_type<T>(&mut self, value: &Value, at: &Path, expected: &str) -> Option<T> {
        let message = format!("this must be {expected}, it is {}", kind_of(value));
        self.add(at, Code::WrongType, message);
        None
    }
}

impl Fields<'_> {
    pub fn has(&self, name: &str) -> bool {
        self.object.contains_key(name)
    }
}

/// By name, whatever the order in the text: the same mistakes give the same problems.
fn sorted(object: &Map<String, Value>) -> BTreeMap<&str, &Value> {
    object.iter().map(|(name, value)| (name.as_str(), value)).collect()
}

/// How a person would call this value.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// Reads any JSON, and notes the fields that an object has twice.
struct Strict<'a> {
    at: Place<'a>,
    duplicates: &'a mut Vec<Problem>,
}

/// Where the reader is. Written down only when something is wrong there.
#[derive(Clone, Copy)]
enum Place<'a> {
    Whole,
    Field(&'a Place<'a>, &'a str),
    Item(&'a Place<'a>, usize),
}

impl Place<'_> {
    fn path(&self) -> Path {
        match self {
            Place::Whole => Path::root(),
            Place::Field(place, name) => place.path().field(name),
            Place::Item(place, index) => place.path().item(*index),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let at = Place::Item(&self.at, list.len());
            match items.next_element_seed(Strict { at, duplicates: self.duplicates })? {
                Some(item) => list.push(item),
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(name) = fields.next_key::<String>()? {
            let at = Place::Field(&self.at, &name);
            let value = fields.next_value_seed(Strict { at, duplicates: self.duplicates })?;
            if object.contains_key(&name) {
                let message = format!("the field `{name}` is there twice: keep one");
                self.duplicates.push(at.path().problem(Code::DuplicateField, message));
            }
            object.insert(name, value);
        }
        Ok(Value::Object(object))
    }
}
