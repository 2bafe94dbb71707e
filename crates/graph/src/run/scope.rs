//! What a step's refs are looked up in.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;

use crate::refs::{Root, Scope};

/// What is known of a step that has ended.
#[derive(Debug, Clone)]
pub(crate) enum Known {
    Value(Rc<Value>),
    /// It was skipped, or failed and was passed over.
    Absent,
}

impl Known {
    pub fn to_value(&self) -> Value {
        match self {
            Known::Value(value) => (**value).clone(),
            Known::Absent => Value::Null,
        }
    }
}

pub(crate) struct StepScope<'a> {
    /// The run's input.
    pub input: Rc<Value>,
    /// The steps that it refers to.
    pub needs: BTreeMap<&'a str, Known>,
    pub ctx: Value,
    /// The item and its place, inside a `forEach`.
    pub item: Option<(&'a Value, Value)>,
}

impl Scope for StepScope<'_> {
    fn root(&self, name: &str) -> Option<Root<'_>> {
        match name {
            "input" => Some(Root::Value(&self.input)),
            "ctx" => Some(Root::Value(&self.ctx)),
            "item" => self.item.as_ref().map(|(item, _)| Root::Value(item)),
            "index" => self.item.as_ref().map(|(_, index)| Root::Value(index)),
            step => self.needs.get(step).map(|known| match known {
                Known::Value(value) => Root::Value(value),
                Known::Absent => Root::Absent,
            }),
        }
    }
}
