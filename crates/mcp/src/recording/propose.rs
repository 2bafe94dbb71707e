//! Literals that look as if they came from an earlier step.

use serde::Serialize;
use serde_json::Value;
use stepwell_graph::refs::{Key, parse};

use super::{RecordedStatus, Recording};
use crate::limits::{PROPOSALS_MAX, PROPOSED_TEXT_CHARS_MIN, PROPOSED_VALUES_MAX};

/// How many refs are offered for one literal.
const REFS_OFFERED: usize = 3;

/// A literal and the refs that have its value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Proposal {
    pub step: String,
    /// Where in the step's input, as a JSON pointer.
    pub pointer: String,
    pub literal: Value,
    /// The likeliest first.
    pub refs: Vec<String>,
}

/// What could become refs, in the order of the steps. Nothing is changed: a person or a model decides.
pub fn proposals(recording: &Recording) -> Vec<Proposal> {
    let mut known = Known::default();
    known.add("input", &recording.input_value());
    let mut proposals = Vec::new();
    for step in &recording.steps {
        if step.status == RecordedStatus::Failed {
            continue;
        }
        let mut literals = Vec::new();
        collect(&step.made.input, &mut String::new(), &mut literals);
        for (pointer, literal) in literals {
            let refs = known.refs_to(&literal);
            if !refs.is_empty() && proposals.len() < PROPOSALS_MAX {
                proposals.push(Proposal { step: step.name.clone(), pointer, literal, refs });
            }
        }
        if let Some(output) = &step.output {
            known.add(&step.name, output);
        }
    }
    proposals
}

/// Values that were seen, with their refs.
#[derive(Default)]
struct Known {
    values: Vec<(Value, String)>,
}

impl Known {
    fn add(&mut self, root: &str, output: &Value) {
        let mut found = Vec::new();
        leaves(output, &format!("@{root}"), &mut found);
        self.values.extend(found);
    }

    /// Those of later steps first, and of them the shortest.
    fn refs_to(&self, literal: &Value) -> Vec<String> {
        let same = self.values.iter().rev().filter(|(value, _)| value == literal);
        let mut refs: Vec<String> = same.map(|(_, written)| written.clone()).collect();
        refs.sort_by_key(|written| written.matches(['.', '[']).count());
        refs.truncate(REFS_OFFERED);
        refs
    }
}

fn leaves(value: &Value, written: &str, found: &mut Vec<(Value, String)>) {
    if found.len() >= PROPOSED_VALUES_MAX {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (key, inner) in fields {
                leaves(inner, &format!("{written}{}", Key::Name(key.clone())), found);
            }
        }
        Value::Array(items) => {
            for (n, inner) in items.iter().enumerate() {
                leaves(inner, &format!("{written}{}", Key::Index(n)), found);
            }
        }
        leaf if is_telling(leaf) => found.push((leaf.clone(), written.to_owned())),
        _ => {}
    }
}

/// The literals of an input that could be refs, with their pointers.
fn collect(value: &Value, pointer: &mut String, found: &mut Vec<(String, Value)>) {
    let mut below = |key: &str, inner: &Value| {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
        collect(inner, pointer, found);
        pointer.truncate(length);
    };
    match value {
        Value::Object(fields) => fields.iter().for_each(|(key, inner)| below(key, inner)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, inner)| below(&n.to_string(), inner));
        }
        Value::String(text) if holds_refs(text) => {}
        leaf if is_telling(leaf) => found.push((pointer.clone(), leaf.clone())),
        _ => {}
    }
}

/// Whether a text is more than it says: it holds refs already, or stands for another text by `@@`. An address does not.
fn holds_refs(text: &str) -> bool {
    text.contains("@@") || parse(text, &|_| true).refs().next().is_some()
}

/// Whether two equal values are more than chance.
fn is_telling(value: &Value) -> bool {
    match value {
        Value::String(text) => text.chars().count() >= PROPOSED_TEXT_CHARS_MIN,
        Value::Number(number) => !matches!(number.as_i64(), Some(-1..=1)),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}
