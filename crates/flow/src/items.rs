//! Work items: the parallel pieces of a step, and how their outputs come together again.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::limits::WORK_ITEMS_MAX;
use crate::names::{AttributeName, StepId};
use crate::step::StepDefinition;

/// What a step, or one of its work items, runs with, by attribute.
pub type Arguments = BTreeMap<AttributeName, Arc<Value>>;

/// What a step, or one of its work items, gives, by attribute.
pub type Outputs = BTreeMap<AttributeName, Value>;

/// A step would fan out too far.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "step `{step}` would fan out into {} work items, at most {WORK_ITEMS_MAX} are allowed: pass it \
     shorter arrays",
    n_items.map_or_else(|| "more than 2^64".to_owned(), |n| n.to_string())
)]
pub struct TooManyItems {
    pub step: StepId,
    /// None if that is too large a number.
    pub n_items: Option<u64>,
}

impl StepDefinition {
    /// Whether these inputs are split into work items: a `for_each` input is an array, of whatever length.
    pub fn splits(&self, inputs: &Arguments) -> bool {
        let mut each = self.inputs().filter(|(_, input)| input.for_each);
        each.any(|(name, _)| inputs.get(name).is_some_and(|value| value.is_array()))
    }

    /// The work items of a step: one for each combination of the elements of its `for_each` arrays, in
    /// their order, the array of the last name going fastest. A `for_each` input that is no array is an
    /// input like others. No items if an array is empty.
    pub fn work_items(&self, inputs: &Arguments) -> Result<Vec<Arguments>, TooManyItems> {
        let arrays: Vec<(&AttributeName, &Vec<Value>)> = self
            .inputs()
            .filter(|(_, input)| input.for_each)
            .filter_map(|(name, _)| Some((name, inputs.get(name)?.as_array()?)))
            .collect();
        let is_empty = arrays.iter().any(|(_, array)| array.is_empty());
        let lengths = arrays.iter().map(|(_, array)| array.len() as u64);
        let n_items = lengths.filter(|_| !is_empty).try_fold(1, u64::checked_mul);
        if n_items.is_none_or(|n| n > WORK_ITEMS_MAX as u64) {
            return Err(TooManyItems { step: self.id.clone(), n_items });
        }
        let mut items = if is_empty { Vec::new() } else { vec![inputs.clone()] };
        for (name, array) in arrays {
            let elements: Vec<Arc<Value>> = array.iter().cloned().map(Arc::new).collect();
            items = items
                .into_iter()
                .flat_map(|item| {
                    elements.iter().map(move |element| {
                        let mut item = item.clone();
                        item.insert(name.clone(), element.clone());
                        item
                    })
                })
                .collect();
        }
        Ok(items)
    }

    /// The outputs of a step, from those of its work items in their order; none for an item that was
    /// skipped. One item gives its outputs as they are. Several give arrays, in which each element names
    /// the `for_each` inputs that it comes from. An output that no item gave is left out, and is an empty
    /// array if no item ran.
    pub fn aggregate(&self, items: &[(Arguments, Option<Outputs>)]) -> Outputs {
        if let [(_, outputs)] = items {
            let mut outputs = outputs.clone().unwrap_or_default();
            outputs.retain(|name, _| self.outputs().any(|output| output == name));
            return outputs;
        }
        let has_run = items.iter().any(|(_, outputs)| outputs.is_some());
        let mut together = Outputs::new();
        for name in self.outputs() {
            let entries = items.iter().filter_map(|(inputs, outputs)| {
                let value = outputs.as_ref()?.get(name)?;
                let sources = self.inputs().filter(|(_, input)| input.for_each);
                let mut entry: Map<String, Value> = sources
                    .filter_map(|(name, _)| Some((name.to_string(), (**inputs.get(name)?).clone())))
                    .collect();
                entry.insert(name.to_string(), value.clone());
                Some(Value::Object(entry))
            });
            let entries: Vec<Value> = entries.collect();
            if !entries.is_empty() || !has_run {
                together.insert(name.clone(), Value::Array(entries));
            }
        }
        together
    }
}
