//! The course of a flow: which steps may start, which are not needed, which cannot run, and when it ends.
//!
//! A [`FlowState`] is fed facts (a step has completed, failed or was skipped; a deadline has passed; a
//! value matches or not) and answers with decisions. It is a function of its plan, its initial state and
//! the facts in order, and nothing else: the same facts lead to the same decisions, in a replay too.
//!
//! It is never stuck. Each input of a step is satisfied, hopeless, or waits for a provider that has not
//! ended; the plan has no cycles, so among the steps that are left one waits for nothing but what was
//! asked for and not answered yet. When nothing of that is left, the flow has ended.
//!
//! A fact costs what it touches: the attributes that a step provides, and the inputs that wait for them.

mod input;
mod settle;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde_json::Value;

use crate::items::{Arguments, Outputs};
use crate::names::{AttributeName, StepId};
use crate::plan::Plan;
use crate::problem::Problems;
use crate::step::{Attribute, StepDefinition};

use input::InputState;
use settle::{Ask, Todo};

/// Something that has happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    /// The work of a step is done. Outputs that it does not declare are passed over.
    Completed {
        step: StepId,
        outputs: Outputs,
    },
    Failed {
        step: StepId,
        error: String,
    },
    /// A step that was started turned out not to be wanted: its predicate said no.
    Skipped {
        step: StepId,
        reason: String,
    },
    /// The time that an optional input was waited for is over.
    DeadlinePassed {
        step: StepId,
        attribute: AttributeName,
    },
    /// The answer to [`Decision::Match`].
    Matched {
        step: StepId,
        attribute: AttributeName,
        provider: Option<StepId>,
        is_match: bool,
    },
}

/// What follows from the facts.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// The attribute has its value from now on. Later providers do not change it.
    SetAttribute {
        name: AttributeName,
        value: Arc<Value>,
        provider: StepId,
    },
    /// Find out whether a value passes the input's `match`. No provider: it is of the initial state.
    Match {
        step: StepId,
        attribute: AttributeName,
        provider: Option<StepId>,
        value: Arc<Value>,
    },
    /// Say so when this time is over.
    Wait {
        step: StepId,
        attribute: AttributeName,
        deadline_ms: u64,
    },
    /// Run the step with these inputs, constants included, before any mapping.
    Start {
        step: StepId,
        inputs: Arguments,
    },
    /// The step will not run, and nothing is wrong with that.
    Skip {
        step: StepId,
        reason: String,
    },
    /// The step cannot run.
    Fail {
        step: StepId,
        error: String,
    },
    /// The step is running and its result is of no use: the flow has ended.
    Stop {
        step: StepId,
    },
    End(FlowOutcome),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlowOutcome {
    /// Every goal has completed, was skipped, or was satisfied from the start.
    Completed,
    Failed {
        goal: StepId,
        error: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepStatus {
    Pending,
    Active,
    Completed,
    Failed { error: String },
    Skipped { reason: String },
}

/// A fact that cannot be one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FactError {
    /// The facts are of another flow.
    #[error("the plan has no step `{step}`")]
    UnknownStep { step: StepId },
    /// The facts are of another flow.
    #[error("step `{step}` has no input `{attribute}`")]
    UnknownInput { step: StepId, attribute: AttributeName },
    /// The step was not started, or has ended before: report each end once.
    #[error("step `{step}` cannot end: it is {status:?}")]
    NotActive { step: StepId, status: StepStatus },
    /// Stop feeding facts after [`Decision::End`].
    #[error("the flow has ended")]
    Ended,
}

/// How far a flow has come.
#[derive(Debug, Clone)]
pub struct FlowState {
    /// In the order of ids.
    steps: Vec<StepState>,
    /// In the order of names.
    attributes: Vec<AttributeState>,
    n_goals_open: usize,
    outcome: Option<FlowOutcome>,
    todo: VecDeque<Todo>,
    /// Steps whose required inputs are there, and that may have to wait for others.
    supplied: VecDeque<usize>,
    /// What to ask for when it is known which steps are needed.
    asks: VecDeque<Ask>,
    /// Steps whose inputs are all settled.
    ready: VecDeque<usize>,
    decisions: Vec<Decision>,
}

#[derive(Debug, Clone)]
struct StepState {
    definition: Arc<StepDefinition>,
    is_goal: bool,
    status: StepStatus,
    inputs: Vec<InputState>,
    outputs: Vec<usize>,
    /// How many inputs are not settled yet.
    n_required_open: usize,
    n_optional_open: usize,
    /// How many of its outputs somebody waits for.
    n_outputs_wanted: usize,
}

#[derive(Debug, Clone)]
struct AttributeState {
    name: AttributeName,
    providers: Vec<usize>,
    /// Steps and the places of their inputs.
    consumers: Vec<(usize, usize)>,
    /// In the order in which they arrived.
    values: Vec<Candidate>,
    n_providers_open: usize,
    /// Whether a provider has ended without a value.
    has_gap: bool,
    /// How many inputs of pending steps wait for another value.
    n_wants: usize,
}

/// A value, and who gave it: nobody if the initial state had it.
#[derive(Debug, Clone)]
struct Candidate {
    provider: Option<usize>,
    value: Arc<Value>,
}

impl FlowState {
    /// Begins a flow. A plan with obstacles cannot be run.
    pub fn begin(
        plan: &Plan,
        init: &BTreeMap<AttributeName, Value>,
    ) -> Result<(FlowState, Vec<Decision>), Problems> {
        let mut state = Problems::or(plan.obstacles_with(init), FlowState::new(plan, init))?;
        state.look_at_everything();
        let decisions = state.settle();
        Ok((state, decisions))
    }

    /// Takes in a fact and says what follows from it.
    pub fn apply(&mut self, fact: Fact) -> Result<Vec<Decision>, FactError> {
        if self.outcome.is_some() {
            return Err(FactError::Ended);
        }
        match fact {
            Fact::Completed { step, outputs } => {
                let place = self.active(&step)?;
                self.end_step(place, StepStatus::Completed, outputs);
            }
            Fact::Failed { step, error } => {
                let place = self.active(&step)?;
                self.end_step(place, StepStatus::Failed { error }, Outputs::new());
            }
            Fact::Skipped { step, reason } => {
                let place = self.active(&step)?;
                self.end_step(place, StepStatus::Skipped { reason }, Outputs::new());
            }
            Fact::DeadlinePassed { step, attribute } => {
                let (step, input) = self.find_input(&step, &attribute)?;
                self.todo.push_back(Todo::GiveUp { step, input });
            }
            Fact::Matched { step, attribute, provider, is_match } => {
                let (step, input) = self.find_input(&step, &attribute)?;
                let provider = provider.map(|provider| self.find(&provider)).transpose()?;
                self.note_match(step, input, provider, is_match);
            }
        }
        Ok(self.settle())
    }

    pub fn outcome(&self) -> Option<&FlowOutcome> {
        self.outcome.as_ref()
    }

    pub fn status(&self, step: &str) -> Option<&StepStatus> {
        let place = self.steps.binary_search_by(|it| it.definition.id.as_str().cmp(step)).ok()?;
        Some(&self.steps[place].status)
    }

    /// The status of every step, in the order of ids.
    pub fn statuses(&self) -> impl Iterator<Item = (&StepId, &StepStatus)> {
        self.steps.iter().map(|step| (&step.definition.id, &step.status))
    }

    /// The attributes that have a value, and who set it: nobody if it was there from the start.
    pub fn attributes(
        &self,
    ) -> impl Iterator<Item = (&AttributeName, &Arc<Value>, Option<&StepId>)> {
        self.attributes.iter().filter_map(|attribute| {
            let first = attribute.values.first()?;
            let provider = first.provider.map(|step| &self.steps[step].definition.id);
            Some((&attribute.name, &first.value, provider))
        })
    }

    fn new(plan: &Plan, init: &BTreeMap<AttributeName, Value>) -> FlowState {
        let places: BTreeMap<&StepId, usize> = plan.steps.keys().zip(0..).collect();
        let names: BTreeMap<&AttributeName, usize> = plan.attributes.keys().zip(0..).collect();
        let attributes = plan.attributes.iter().map(|(name, edges)| {
            let value = init.get(name).map(|value| Arc::new(value.clone()));
            AttributeState {
                name: name.clone(),
                providers: edges.providers.iter().map(|id| places[id]).collect(),
                consumers: Vec::new(),
                values: value
                    .map(|value| Candidate { provider: None, value })
                    .into_iter()
                    .collect(),
                n_providers_open: edges.providers.len(),
                has_gap: false,
                n_wants: 0,
            }
        });
        let mut state = FlowState {
            attributes: attributes.collect(),
            steps: plan.steps.values().map(|step| StepState::new(step, plan, &names)).collect(),
            n_goals_open: plan.goals.iter().filter(|goal| places.contains_key(goal)).count(),
            outcome: None,
            todo: VecDeque::new(),
            supplied: VecDeque::new(),
            asks: VecDeque::new(),
            ready: VecDeque::new(),
            decisions: Vec::new(),
        };
        for (place, step) in state.steps.iter().enumerate() {
            for (n, input) in step.inputs.iter().enumerate() {
                let attribute = &mut state.attributes[input.attribute];
                attribute.consumers.push((place, n));
                attribute.n_wants += 1;
            }
        }
        for step in &mut state.steps {
            let wanted = step.outputs.iter().filter(|it| state.attributes[**it].n_wants > 0);
            step.n_outputs_wanted = wanted.count();
        }
        state
    }

    fn find(&self, id: &StepId) -> Result<usize, FactError> {
        self.steps
            .binary_search_by(|it| it.definition.id.cmp(id))
            .map_err(|_| FactError::UnknownStep { step: id.clone() })
    }

    fn find_input(
        &self,
        id: &StepId,
        attribute: &AttributeName,
    ) -> Result<(usize, usize), FactError> {
        let step = self.find(id)?;
        let inputs = &self.steps[step].inputs;
        let input = inputs.iter().position(|it| self.attributes[it.attribute].name == *attribute);
        input.map(|input| (step, input)).ok_or_else(|| FactError::UnknownInput {
            step: id.clone(),
            attribute: attribute.clone(),
        })
    }

    fn active(&self, id: &StepId) -> Result<usize, FactError> {
        let step = self.find(id)?;
        match &self.steps[step].status {
            StepStatus::Active => Ok(step),
            status => Err(FactError::NotActive { step: id.clone(), status: status.clone() }),
        }
    }
}

impl StepState {
    fn new(
        definition: &Arc<StepDefinition>,
        plan: &Plan,
        names: &BTreeMap<&AttributeName, usize>,
    ) -> StepState {
        let inputs: Vec<InputState> = definition
            .attributes
            .iter()
            .filter_map(|(name, attribute)| InputState::new(names.get(name).copied()?, attribute))
            .collect();
        let n_required_open = inputs.iter().filter(|input| input.is_required).count();
        StepState {
            is_goal: plan.goals.contains(&definition.id),
            status: StepStatus::Pending,
            outputs: definition.outputs().filter_map(|name| names.get(name).copied()).collect(),
            n_required_open,
            n_optional_open: inputs.len() - n_required_open,
            n_outputs_wanted: 0,
            inputs,
            definition: definition.clone(),
        }
    }

    /// What the step runs with: the values of its settled inputs, defaults and constants.
    fn arguments(&self, attributes: &[AttributeState]) -> Arguments {
        let mut arguments = Arguments::new();
        for input in &self.inputs {
            if let Some(value) = input.value() {
                arguments.insert(attributes[input.attribute].name.clone(), value.clone());
            }
        }
        for (name, attribute) in &self.definition.attributes {
            let text = match attribute {
                Attribute::Optional { default, .. } => default.as_ref(),
                Attribute::Const { value, .. } => Some(value),
                Attribute::Required(_) | Attribute::Meta { .. } | Attribute::Output { .. } => None,
            };
            // A text that is no JSON would have been refused with the definition.
            if let Some(value) = text.and_then(|text| serde_json::from_str(text).ok())
                && !arguments.contains_key(name)
            {
                arguments.insert(name.clone(), Arc::new(value));
            }
        }
        arguments
    }
}
