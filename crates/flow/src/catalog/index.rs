//! Steps and attributes under small numbers, so that planning follows edges without looking up names.
//!
//! The numbers depend on the order of registration and never leave the crate. What is seen outside
//! is ordered by name: the lists of providers and consumers are kept in the order of step ids.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::types::{TypeSet, declarations};
use crate::names::{AttributeName, StepId};
use crate::step::{Collect, StepDefinition};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StepIx(u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct AttrIx(u32);

#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    ids: BTreeMap<StepId, StepIx>,
    entries: Vec<Option<Arc<Entry>>>,
    free_steps: Vec<StepIx>,
    names: BTreeMap<AttributeName, AttrIx>,
    uses: Vec<Arc<AttributeUse>>,
    free_attributes: Vec<AttrIx>,
    /// By goal: the flow steps that have it.
    goal_of: BTreeMap<StepId, BTreeSet<StepId>>,
}

/// A step, with its edges.
#[derive(Debug)]
pub(crate) struct Entry {
    pub step: Arc<StepDefinition>,
    pub inputs: Vec<InputEdge>,
    pub outputs: Vec<AttrIx>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct InputEdge {
    pub attribute: AttrIx,
    pub is_required: bool,
    pub collect: Collect,
    pub has_match: bool,
}

/// Who has an attribute in which role.
#[derive(Debug, Clone, Default)]
pub(crate) struct AttributeUse {
    pub name: Option<AttributeName>,
    pub providers: Vec<StepIx>,
    pub consumers: Vec<StepIx>,
    /// How many declarations allow which types.
    pub types: BTreeMap<TypeSet, usize>,
}

impl StepIx {
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

impl AttrIx {
    pub fn at(self) -> usize {
        self.0 as usize
    }
}

impl Index {
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// One more than the largest number of a step, and of an attribute.
    pub fn bounds(&self) -> (usize, usize) {
        (self.entries.len(), self.uses.len())
    }

    pub fn find(&self, id: &str) -> Option<StepIx> {
        self.ids.get(id).copied()
    }

    pub fn step(&self, id: &str) -> Option<&Arc<StepDefinition>> {
        self.find(id).map(|step| &self.entry(step).step)
    }

    /// In the order of their ids.
    pub fn entries(&self) -> impl Iterator<Item = (StepIx, &Arc<Entry>)> {
        self.ids.values().map(|step| (*step, self.entry(*step)))
    }

    pub fn entry(&self, step: StepIx) -> &Arc<Entry> {
        #[expect(clippy::expect_used, reason = "numbers of removed steps are in no list")]
        self.entries[step.at()].as_ref().expect("a step in use is there")
    }

    pub fn id(&self, step: StepIx) -> &StepId {
        &self.entry(step).step.id
    }

    pub fn find_attribute(&self, name: &str) -> Option<AttrIx> {
        self.names.get(name).copied()
    }

    /// In the order of their names.
    pub fn attributes(&self) -> impl Iterator<Item = (&AttributeName, &AttributeUse)> {
        self.names.iter().map(|(name, attribute)| (name, self.uses_of(*attribute)))
    }

    pub fn uses_of(&self, attribute: AttrIx) -> &AttributeUse {
        &self.uses[attribute.at()]
    }

    pub fn name(&self, attribute: AttrIx) -> &AttributeName {
        #[expect(clippy::expect_used, reason = "numbers of unused attributes are in no list")]
        self.uses[attribute.at()].name.as_ref().expect("an attribute in use has a name")
    }

    /// The flow steps that have this goal.
    pub fn flows_with_goal(&self, goal: &str) -> impl Iterator<Item = &StepId> {
        self.goal_of.get(goal).into_iter().flatten()
    }

    /// Takes a step in whose id is not there yet.
    pub fn insert(&mut self, step: Arc<StepDefinition>) -> StepIx {
        let place = self.free_steps.pop().unwrap_or_else(|| {
            self.entries.push(None);
            StepIx((self.entries.len() - 1) as u32)
        });
        let mut entry = Entry { step: step.clone(), inputs: Vec::new(), outputs: Vec::new() };
        self.ids.insert(step.id.clone(), place);
        for (name, attribute) in &step.attributes {
            if let Some(input) = attribute.input() {
                let attribute_place = self.intern(name);
                entry.inputs.push(InputEdge {
                    attribute: attribute_place,
                    is_required: attribute.is_required(),
                    collect: input.collect,
                    has_match: input.matches.is_some(),
                });
            } else if attribute.is_output() {
                entry.outputs.push(self.intern(name));
            }
        }
        let entry = Arc::new(entry);
        self.entries[place.at()] = Some(entry.clone());
        for edge in &entry.inputs {
            self.link(edge.attribute, place, Role::Consumer);
        }
        for output in &entry.outputs {
            self.link(*output, place, Role::Provider);
        }
        for declaration in declarations(&step) {
            let attribute = self.intern(&declaration.attribute);
            let types = &mut Arc::make_mut(&mut self.uses[attribute.at()]).types;
            *types.entry(declaration.types).or_default() += 1;
        }
        for goal in step.goals() {
            self.goal_of.entry(goal.clone()).or_default().insert(step.id.clone());
        }
        place
    }

    /// Takes a step out; nothing if it is not there.
    pub fn remove(&mut self, id: &StepId) -> Option<Arc<StepDefinition>> {
        let place = self.find(id.as_str())?;
        let entry = self.entry(place).clone();
        for edge in &entry.inputs {
            self.unlink(edge.attribute, place, Role::Consumer);
        }
        for output in &entry.outputs {
            self.unlink(*output, place, Role::Provider);
        }
        let step = &entry.step;
        for declaration in declarations(step) {
            let Some(attribute) = self.find_attribute(declaration.attribute.as_str()) else {
                continue;
            };
            let uses = Arc::make_mut(&mut self.uses[attribute.at()]);
            if let Some(count) = uses.types.get_mut(&declaration.types) {
                *count -= 1;
            }
            uses.types.retain(|_, count| *count > 0);
            if uses.types.is_empty() {
                self.names.remove(&declaration.attribute);
                uses.name = None;
                self.free_attributes.push(attribute);
            }
        }
        for goal in step.goals() {
            if let Some(flows) = self.goal_of.get_mut(goal) {
                flows.remove(id);
                if flows.is_empty() {
                    self.goal_of.remove(goal);
                }
            }
        }
        self.ids.remove(id);
        self.entries[place.at()] = None;
        self.free_steps.push(place);
        Some(step.clone())
    }

    fn intern(&mut self, name: &AttributeName) -> AttrIx {
        if let Some(attribute) = self.names.get(name) {
            return *attribute;
        }
        let attribute = self.free_attributes.pop().unwrap_or_else(|| {
            self.uses.push(Arc::default());
            AttrIx((self.uses.len() - 1) as u32)
        });
        Arc::make_mut(&mut self.uses[attribute.at()]).name = Some(name.clone());
        self.names.insert(name.clone(), attribute);
        attribute
    }

    fn link(&mut self, attribute: AttrIx, step: StepIx, role: Role) {
        let position = self.position(attribute, step, role);
        Arc::make_mut(&mut self.uses[attribute.at()]).steps_mut(role).insert(position, step);
    }

    fn unlink(&mut self, attribute: AttrIx, step: StepIx, role: Role) {
        let position = self.position(attribute, step, role);
        Arc::make_mut(&mut self.uses[attribute.at()]).steps_mut(role).remove(position);
    }

    /// Where the step stands, or would stand, among others in the order of ids.
    fn position(&self, attribute: AttrIx, step: StepIx, role: Role) -> usize {
        let uses = self.uses_of(attribute);
        let steps = match role {
            Role::Provider => &uses.providers,
            Role::Consumer => &uses.consumers,
        };
        let id = self.id(step);
        steps.partition_point(|other| self.id(*other) < id)
    }
}

impl AttributeUse {
    fn steps_mut(&mut self, role: Role) -> &mut Vec<StepIx> {
        match role {
            Role::Provider => &mut self.providers,
            Role::Consumer => &mut self.consumers,
        }
    }
}

impl InputEdge {
    /// Whether one value that is there satisfies the input, so that no provider has to run for it.
    pub fn is_settled_by_a_value(self) -> bool {
        self.collect == Collect::First && !self.has_match
    }
}

#[derive(Debug, Clone, Copy)]
enum Role {
    Provider,
    Consumer,
}
