//! What an editor offers while a ref is being typed.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use super::parse::{part_at, root_at, word_end};
use super::{Key, Span, is_word};

/// How many candidates are offered at most.
const CANDIDATES_MAX: usize = 200;

/// How often a schema is followed from one place to another before it is left alone.
const SCHEMA_HOPS_MAX: usize = 64;

/// What is known about what a root stands for.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    Unknown,
    /// A JSON Schema of the value.
    Schema(Value),
    /// A value as it was once, such as the output of an earlier run.
    Sample(Value),
}

impl Shape {
    /// What is known of what a path from here leads to.
    pub fn at<'k>(&self, path: impl IntoIterator<Item = &'k Key>) -> Shape {
        let places = path.into_iter().fold(Places::of(self), Places::into_part);
        if let Some(sample) = places.sample {
            return Shape::Sample(sample.clone());
        }
        let Some(document) = places.document.filter(|_| !places.schemas.is_empty()) else {
            return Shape::Unknown;
        };
        let mut schema = json!({ "anyOf": places.schemas });
        // What its `$ref`s lead to.
        for definitions in ["$defs", "definitions"] {
            if let Some(inner) = document.get(definitions) {
                schema[definitions] = inner.clone();
            }
        }
        Shape::Schema(schema)
    }
}

/// What can stand where the cursor is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Completions {
    /// What a chosen candidate replaces, in bytes of the text.
    pub span: Span,
    pub candidates: Vec<Candidate>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Candidate {
    /// What to put in place of the span.
    pub text: String,
    pub kind: CandidateKind,
    /// What it is, in a word: `string`, `array`, a schema's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CandidateKind {
    Root,
    Key,
    Item,
}

/// What can stand at the cursor, a place in bytes; none if no ref is being typed there. `roots` are those that
/// may be referred to from here: [`crate::roots_for`] lists them.
pub fn complete(text: &str, cursor: usize, roots: &BTreeMap<String, Shape>) -> Option<Completions> {
    let typed = text.get(..cursor)?;
    let open = open_ref(typed)?;
    let candidates = match &open.root {
        None => root_candidates(&typed[open.start + 1..], roots),
        Some(root) => {
            let shape = roots.get(root)?;
            let places = open.path.iter().fold(Places::of(shape), Places::into_part);
            places.candidates(&typed[open.from..])
        }
    };
    let span = Span { start: open.from, end: cursor };
    Some(Completions { span, candidates: candidates.into_iter().take(CANDIDATES_MAX).collect() })
}

/// A ref that reaches the end of the text.
struct OpenRef {
    start: usize,
    /// None while the root itself is being typed.
    root: Option<String>,
    /// The parts that are complete.
    path: Vec<Key>,
    /// Where the part that is being typed begins.
    from: usize,
}

fn open_ref(typed: &str) -> Option<OpenRef> {
    let mut at = 0;
    while let Some(start) = typed[at..].find('@').map(|place| at + place) {
        at = start + 1;
        if typed[at..].starts_with('@') {
            at += 1;
            continue;
        }
        let is_first = start == 0 || !is_word(typed.as_bytes()[start - 1]);
        if is_first && at == typed.len() {
            return Some(OpenRef { start, root: None, path: Vec::new(), from: start });
        }
        let Some(root) = root_at(typed, start) else { continue };
        at = start + 1 + root.len();
        if at == typed.len() {
            return Some(OpenRef { start, root: None, path: Vec::new(), from: start });
        }
        let mut path = Vec::new();
        while let Ok(Some(part)) = part_at(typed, at) {
            if part.span.end == typed.len() && !typed.ends_with(']') {
                break;
            }
            path.push(part.key);
            at = part.span.end;
        }
        if is_part_begun(&typed[at..]) {
            return Some(OpenRef { start, root: Some(root.to_owned()), path, from: at });
        }
    }
    None
}

/// Whether the rest is a part that is not complete, or that may still grow.
fn is_part_begun(rest: &str) -> bool {
    if let Some(key) = rest.strip_prefix("[\"") {
        return !key.contains('"');
    }
    if let Some(digits) = rest.strip_prefix('[') {
        return digits.bytes().all(|byte| byte.is_ascii_digit());
    }
    rest.starts_with('.') && word_end(rest, 1) == rest.len()
}

fn root_candidates(typed: &str, roots: &BTreeMap<String, Shape>) -> Vec<Candidate> {
    let matching = roots.iter().filter(|(name, _)| name.starts_with(typed));
    let candidate = |(name, shape): (&String, &Shape)| Candidate {
        text: format!("@{name}"),
        kind: CandidateKind::Root,
        detail: Places::of(shape).detail(),
    };
    matching.map(candidate).collect()
}

/// The places that a path may lead to: a schema can leave several open.
struct Places<'a> {
    /// What local `$ref`s of schemas are looked up in.
    document: Option<&'a Value>,
    schemas: Vec<&'a Value>,
    sample: Option<&'a Value>,
}

impl<'a> Places<'a> {
    fn of(shape: &'a Shape) -> Places<'a> {
        match shape {
            Shape::Unknown => Places { document: None, schemas: Vec::new(), sample: None },
            Shape::Schema(schema) => {
                let places = Places { document: Some(schema), schemas: vec![schema], sample: None };
                places.expanded()
            }
            Shape::Sample(value) => {
                Places { document: None, schemas: Vec::new(), sample: Some(value) }
            }
        }
    }

    /// Follows local `$ref`s, and takes in what `allOf`, `anyOf` and `oneOf` allow.
    fn expanded(mut self) -> Places<'a> {
        let mut n = 0;
        while n < self.schemas.len() && n < SCHEMA_HOPS_MAX {
            let schema = self.schemas[n];
            if let (Some(pointer), Some(document)) = (local_ref(schema), self.document) {
                self.schemas.extend(document.pointer(pointer));
            }
            for several in ["allOf", "anyOf", "oneOf"] {
                self.schemas.extend(schema[several].as_array().into_iter().flatten());
            }
            n += 1;
        }
        self
    }

    fn into_part(self, key: &Key) -> Places<'a> {
        let schemas = self.schemas.iter().filter_map(|schema| match key {
            Key::Name(name) => schema["properties"].get(name),
            Key::Index(n) => schema["prefixItems"].get(n).or_else(|| schema.get("items")),
        });
        let sample = self.sample.and_then(|sample| match key {
            Key::Name(name) => sample.get(name),
            Key::Index(n) => sample.get(n),
        });
        Places { document: self.document, schemas: schemas.collect(), sample }.expanded()
    }

    fn keys(&self) -> BTreeMap<&'a str, Option<String>> {
        let mut keys = BTreeMap::new();
        for properties in self.schemas.iter().filter_map(|schema| schema["properties"].as_object())
        {
            for (key, schema) in properties {
                keys.entry(key.as_str()).or_insert_with(|| schema_detail(schema));
            }
        }
        for (key, value) in self.sample.and_then(Value::as_object).into_iter().flatten() {
            keys.entry(key.as_str()).or_insert_with(|| Some(type_of(value).to_owned()));
        }
        keys
    }

    fn has_items(&self) -> bool {
        let of_schema = |schema: &&Value| {
            schema["type"] == "array"
                || schema.get("items").is_some()
                || schema.get("prefixItems").is_some()
        };
        let of_sample = |sample: &Value| sample.as_array().is_some_and(|items| !items.is_empty());
        self.schemas.iter().any(of_schema) || self.sample.is_some_and(of_sample)
    }

    /// What fits what is typed of a part: `.na`, `[`, `["fi`.
    fn candidates(&self, typed: &str) -> Vec<Candidate> {
        let begun = typed.trim_start_matches(['.', '[', '"']);
        let mut candidates = Vec::new();
        if self.has_items() && !typed.starts_with("[\"") && "0".starts_with(begun) {
            let (text, detail) = ("[0]".to_owned(), self.item_detail());
            candidates.push(Candidate { text, kind: CandidateKind::Item, detail });
        }
        for (key, detail) in self.keys().into_iter().filter(|(key, _)| key.starts_with(begun)) {
            let text = match typed.starts_with('[') {
                true => format!("[{}]", Value::from(key)),
                false => Key::Name(key.to_owned()).to_string(),
            };
            candidates.push(Candidate { text, kind: CandidateKind::Key, detail });
        }
        candidates
    }

    fn item_detail(&self) -> Option<String> {
        let places =
            Places { document: self.document, schemas: self.schemas.clone(), sample: self.sample };
        places.into_part(&Key::Index(0)).detail()
    }

    fn detail(&self) -> Option<String> {
        let of_schemas = self.schemas.iter().find_map(|schema| schema_detail(schema));
        of_schemas.or_else(|| Some(type_of(self.sample?).to_owned()))
    }
}

fn local_ref(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.strip_prefix('#')
}

fn schema_detail(schema: &Value) -> Option<String> {
    let title = schema["title"].as_str().map(str::to_owned);
    title.or_else(|| match &schema["type"] {
        Value::String(one) => Some(one.clone()),
        Value::Array(several) => {
            let names: Vec<&str> = several.iter().filter_map(Value::as_str).collect();
            Some(names.join(" or "))
        }
        _ => None,
    })
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
