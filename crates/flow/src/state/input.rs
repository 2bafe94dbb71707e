//! One input of a step: whether it has what it needs, has to wait, or never will.

use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::AttributeState;
use crate::names::AttributeName;
use crate::step::{Attribute, Collect};

#[derive(Debug, Clone)]
pub(super) struct InputState {
    pub attribute: usize,
    pub is_required: bool,
    pub deadline_ms: Option<u64>,
    collect: Collect,
    has_match: bool,
    /// For each value of the attribute, whether it matches, if that is known. Only with a match.
    pub verdicts: Vec<Option<bool>>,
    /// How many values count, if it is not waited for more.
    n_values_max: Option<usize>,
    pub settled: Option<Settled>,
}

/// What has become of an input.
#[derive(Debug, Clone)]
pub(super) enum Settled {
    Given(Arc<Value>),
    /// There is no value, and that is what was wanted.
    Nothing,
    /// There is no value, and none will come.
    Unavailable,
    /// There are values, and they are not what was wanted.
    Unsuitable,
}

impl InputState {
    pub fn new(place: usize, attribute: &Attribute) -> Option<InputState> {
        let input = attribute.input()?;
        let deadline_ms = match attribute {
            Attribute::Optional { deadline_ms, .. } => *deadline_ms,
            _ => None,
        };
        Some(InputState {
            attribute: place,
            is_required: attribute.is_required(),
            deadline_ms,
            collect: input.collect,
            has_match: input.matches.is_some(),
            verdicts: Vec::new(),
            n_values_max: None,
            settled: None,
        })
    }

    pub fn value(&self) -> Option<&Arc<Value>> {
        match self.settled.as_ref()? {
            Settled::Given(value) => Some(value),
            Settled::Nothing | Settled::Unavailable | Settled::Unsuitable => None,
        }
    }

    /// Why the values that are there are not what was wanted.
    pub fn why_unsuitable(&self, name: &AttributeName) -> String {
        match self.collect {
            Collect::None => format!("input `{name}` has a value"),
            Collect::All => format!("not every value of input `{name}` matches"),
            _ => format!("no value of input `{name}` matches"),
        }
    }

    /// Whether the input could still use another value.
    pub fn is_wanting(&self) -> bool {
        self.settled.is_none() && self.n_values_max.is_none()
    }

    /// From now on, only the values that are there count.
    pub fn give_up(&mut self, attribute: &AttributeState) {
        self.n_values_max = Some(attribute.values.len());
    }

    /// The places of the values whose match nobody has asked for yet. From now on somebody has.
    pub fn take_unmatched(&mut self, attribute: &AttributeState) -> Range<usize> {
        if !self.has_match {
            return 0..0;
        }
        let (first, end) = (self.verdicts.len(), self.n_values(attribute));
        self.verdicts.resize(end.max(first), None);
        first..end
    }

    /// What becomes of the input as things stand; nothing yet if it has to wait.
    pub fn judge(&self, attribute: &AttributeState) -> Option<Settled> {
        let is_open = attribute.n_providers_open > 0;
        let has_given_up = self.n_values_max.is_some();
        let has_values = self.n_values(attribute) > 0;
        let none_left = || if has_values { Settled::Unsuitable } else { Settled::Unavailable };
        let mut verdicts = self.verdicts_of(attribute);
        match self.collect {
            Collect::First => {
                // An earlier value whose match is not known yet might be the one.
                match verdicts.position(|verdict| verdict != Some(false)) {
                    Some(place) => (self.verdict(place) == Some(true))
                        .then(|| Settled::Given(attribute.values[place].value.clone())),
                    None if is_open && !has_given_up => None,
                    None => Some(none_left()),
                }
            }
            Collect::All if attribute.has_gap => Some(Settled::Unavailable),
            Collect::All if self.has_match && verdicts.any(|it| it == Some(false)) => {
                Some(Settled::Unsuitable)
            }
            Collect::None if verdicts.any(|it| it == Some(true)) => Some(Settled::Unsuitable),
            // Whether all have given a value, or none has, is not known.
            Collect::All | Collect::None if is_open && has_given_up => Some(Settled::Unavailable),
            _ if is_open && !has_given_up => None,
            _ if self.verdicts_of(attribute).any(|it| it.is_none()) => None,
            Collect::None => Some(Settled::Nothing),
            Collect::Last | Collect::All | Collect::Some => {
                Some(self.gathered(attribute).unwrap_or_else(none_left))
            }
        }
    }

    /// The matching values as they are given to the step; nothing if there are none.
    fn gathered(&self, attribute: &AttributeState) -> Option<Settled> {
        let places = 0..self.n_values(attribute);
        let matching = places.filter(|place| self.verdict(*place) == Some(true));
        let mut matching: Vec<_> = matching.map(|place| &attribute.values[place]).collect();
        if self.collect == Collect::Last {
            return Some(Settled::Given(matching.pop()?.value.clone()));
        }
        if self.collect == Collect::All {
            // Places are in the order of ids, and the initial state comes first.
            matching.sort_by_key(|candidate| candidate.provider);
        }
        let list: Vec<Value> =
            matching.iter().map(|candidate| (*candidate.value).clone()).collect();
        (!list.is_empty()).then(|| Settled::Given(Arc::new(Value::Array(list))))
    }

    fn n_values(&self, attribute: &AttributeState) -> usize {
        self.n_values_max.unwrap_or(attribute.values.len())
    }

    fn verdict(&self, place: usize) -> Option<bool> {
        if !self.has_match {
            return Some(true);
        }
        self.verdicts.get(place).copied().flatten()
    }

    fn verdicts_of(&self, attribute: &AttributeState) -> impl Iterator<Item = Option<bool>> {
        (0..self.n_values(attribute)).map(|place| self.verdict(place))
    }
}
