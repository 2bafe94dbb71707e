//! From a fact to all that follows.

use std::sync::Arc;

use serde_json::Value;

use super::input::Settled;
use super::{Candidate, Decision, FlowOutcome, FlowState, StepStatus};
use crate::items::Outputs;

/// Why a step that nobody waits for does not run.
const NOT_NEEDED: &str = "outputs not needed";
/// Why a step does not run, or its result does not count, when the goals are decided.
const FLOW_ENDED: &str = "the flow has ended";

/// Something that follows and was not looked at yet.
#[derive(Debug, Clone, Copy)]
pub(super) enum Todo {
    /// Whether an input is settled now.
    Look { step: usize, input: usize },
    /// An optional input is not waited for any longer.
    GiveUp { step: usize, input: usize },
    /// Nobody waits for the attribute any longer.
    Release { attribute: usize },
    /// Whether anybody needs the step.
    Need { step: usize },
}

/// Something that others have to tell about an open input.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ask {
    step: usize,
    input: usize,
    about: About,
}

#[derive(Debug, Clone, Copy)]
enum About {
    /// Whether the value at this place matches.
    Match {
        value: usize,
    },
    Deadline {
        deadline_ms: u64,
    },
}

impl FlowState {
    pub(super) fn look_at_everything(&mut self) {
        for step in 0..self.steps.len() {
            self.todo.push_back(Todo::Need { step });
            self.look_at_inputs(step);
            self.note_progress(step, true);
        }
        if self.n_goals_open == 0 {
            self.end(FlowOutcome::Completed);
        }
    }

    fn look_at_inputs(&mut self, step: usize) {
        let inputs = 0..self.steps[step].inputs.len();
        self.todo.extend(inputs.map(|input| Todo::Look { step, input }));
    }

    /// Follows everything to its end. Steps are started last, when it is known which are needed.
    pub(super) fn settle(&mut self) -> Vec<Decision> {
        while self.outcome.is_none() {
            if let Some(todo) = self.todo.pop_front() {
                match todo {
                    Todo::Look { step, input } => self.look(step, input),
                    Todo::GiveUp { step, input } => self.give_up(step, input),
                    Todo::Release { attribute } => self.release(attribute),
                    Todo::Need { step } => self.skip_if_not_needed(step),
                }
            } else if let Some(step) = self.supplied.pop_front() {
                self.wait(step);
            } else if let Some(ask) = self.asks.pop_front() {
                self.ask(ask);
            } else if let Some(step) = self.ready.pop_front() {
                self.start(step);
            } else {
                break;
            }
        }
        std::mem::take(&mut self.decisions)
    }

    fn look(&mut self, step: usize, input: usize) {
        if !self.is_open(step, input) {
            return;
        }
        let state = &mut self.steps[step].inputs[input];
        let attribute = &self.attributes[state.attribute];
        let unmatched = state.take_unmatched(attribute);
        let about = unmatched.map(|value| About::Match { value });
        self.asks.extend(about.map(|about| Ask { step, input, about }));
        if let Some(settled) = state.judge(attribute) {
            self.settle_input(step, input, settled);
        }
    }

    fn ask(&mut self, Ask { step, input, about }: Ask) {
        if !self.is_open(step, input) {
            return;
        }
        let attribute = &self.attributes[self.steps[step].inputs[input].attribute];
        let step = self.steps[step].definition.id.clone();
        let name = attribute.name.clone();
        self.decisions.push(match about {
            About::Match { value } => {
                let candidate = &attribute.values[value];
                let provider = candidate.provider.map(|it| self.steps[it].definition.id.clone());
                let value = candidate.value.clone();
                Decision::Match { step, attribute: name, provider, value }
            }
            About::Deadline { deadline_ms } => {
                Decision::Wait { step, attribute: name, deadline_ms }
            }
        });
    }

    fn give_up(&mut self, step: usize, input: usize) {
        let is_pending = self.steps[step].status == StepStatus::Pending;
        let state = &mut self.steps[step].inputs[input];
        if is_pending && state.is_wanting() {
            let attribute = state.attribute;
            state.give_up(&self.attributes[attribute]);
            self.want_less(attribute);
            self.look(step, input);
        }
    }

    fn is_open(&self, step: usize, input: usize) -> bool {
        let step = &self.steps[step];
        step.status == StepStatus::Pending && step.inputs[input].settled.is_none()
    }

    pub(super) fn note_match(
        &mut self,
        step: usize,
        input: usize,
        provider: Option<usize>,
        is_match: bool,
    ) {
        let state = &mut self.steps[step].inputs[input];
        let values = &self.attributes[state.attribute].values;
        let place = values.iter().position(|candidate| candidate.provider == provider);
        if let Some(verdict) = place.and_then(|place| state.verdicts.get_mut(place)) {
            *verdict = Some(is_match);
            self.todo.push_back(Todo::Look { step, input });
        }
    }

    fn settle_input(&mut self, step: usize, input: usize, settled: Settled) {
        let state = &mut self.steps[step];
        let attribute = state.inputs[input].attribute;
        let is_required = state.inputs[input].is_required;
        let is_hopeless = matches!(settled, Settled::Unavailable | Settled::Unsuitable);
        let was_wanting = state.inputs[input].is_wanting();
        state.inputs[input].settled = Some(settled);
        if was_wanting {
            self.want_less(attribute);
        }
        if is_required && is_hopeless {
            let status = self.why_hopeless(step, attribute);
            return self.end_step(step, status, Outputs::new());
        }
        let state = &mut self.steps[step];
        if is_required {
            state.n_required_open -= 1;
        } else {
            state.n_optional_open -= 1;
        }
        self.note_progress(step, is_required);
    }

    /// How a step ends that lacks a required attribute. One whose own conditions say that it should not
    /// run is skipped, whatever else it lacks.
    fn why_hopeless(&self, step: usize, lacking: usize) -> StepStatus {
        let required = self.steps[step].inputs.iter().filter(|input| input.is_required);
        for input in required {
            let attribute = &self.attributes[input.attribute];
            let settled = input.settled.clone().or_else(|| input.judge(attribute));
            if matches!(settled, Some(Settled::Unsuitable)) {
                return StepStatus::Skipped { reason: input.why_unsuitable(&attribute.name) };
            }
        }
        StepStatus::Failed { error: self.why_unavailable(lacking) }
    }

    /// Whether a step whose inputs have changed can go on.
    fn note_progress(&mut self, step: usize, is_required: bool) {
        let state = &self.steps[step];
        match (state.n_required_open, state.n_optional_open) {
            (0, 0) => self.ready.push_back(step),
            // Waiting begins once.
            (0, _) if is_required => self.supplied.push_back(step),
            _ => {}
        }
    }

    fn want_less(&mut self, attribute: usize) {
        let state = &mut self.attributes[attribute];
        state.n_wants -= 1;
        if state.n_wants == 0 {
            self.todo.push_back(Todo::Release { attribute });
        }
    }

    fn release(&mut self, attribute: usize) {
        for place in 0..self.attributes[attribute].providers.len() {
            let step = self.attributes[attribute].providers[place];
            self.steps[step].n_outputs_wanted -= 1;
            self.skip_if_not_needed(step);
        }
    }

    fn skip_if_not_needed(&mut self, step: usize) {
        let state = &self.steps[step];
        let is_needed = state.is_goal || state.n_outputs_wanted > 0;
        if state.status == StepStatus::Pending && !is_needed {
            let status = StepStatus::Skipped { reason: NOT_NEEDED.to_owned() };
            self.end_step(step, status, Outputs::new());
        }
    }

    /// Begins to wait for the optional inputs that are still open.
    fn wait(&mut self, step: usize) {
        let state = &self.steps[step];
        if state.status != StepStatus::Pending {
            return;
        }
        let open = state.inputs.iter().enumerate().filter(|(_, input)| input.settled.is_none());
        for (place, input) in open {
            match input.deadline_ms {
                Some(0) => self.todo.push_back(Todo::GiveUp { step, input: place }),
                Some(deadline_ms) => {
                    let about = About::Deadline { deadline_ms };
                    self.asks.push_back(Ask { step, input: place, about });
                }
                None => {}
            }
        }
    }

    fn start(&mut self, step: usize) {
        let state = &mut self.steps[step];
        if state.status != StepStatus::Pending {
            return;
        }
        state.status = StepStatus::Active;
        let step = state.definition.id.clone();
        let inputs = state.arguments(&self.attributes);
        self.decisions.push(Decision::Start { step, inputs });
    }

    /// Ends a step, with what it gives to others and what it wants of others no longer.
    pub(super) fn end_step(&mut self, step: usize, status: StepStatus, mut outputs: Outputs) {
        let state = &mut self.steps[step];
        let id = state.definition.id.clone();
        // Whoever started the step knows how it ended.
        let was_active = std::mem::replace(&mut state.status, status.clone()) == StepStatus::Active;
        match &status {
            StepStatus::Failed { error } if !was_active => {
                self.decisions.push(Decision::Fail { step: id, error: error.clone() });
            }
            StepStatus::Skipped { reason } if !was_active => {
                self.decisions.push(Decision::Skip { step: id, reason: reason.clone() });
            }
            _ => {}
        }
        for place in 0..self.steps[step].outputs.len() {
            let attribute = self.steps[step].outputs[place];
            let value = outputs.remove(&self.attributes[attribute].name);
            self.provide(attribute, step, value);
        }
        let wanting = self.steps[step].inputs.iter().filter(|input| input.is_wanting());
        for attribute in wanting.map(|input| input.attribute).collect::<Vec<_>>() {
            self.want_less(attribute);
        }
        if self.steps[step].is_goal {
            self.end_goal(step, &status);
        }
    }

    /// A provider has ended, with a value or without.
    fn provide(&mut self, attribute: usize, step: usize, value: Option<Value>) {
        let state = &mut self.attributes[attribute];
        state.n_providers_open -= 1;
        match value.map(Arc::new) {
            Some(value) => {
                if state.values.is_empty() {
                    self.decisions.push(Decision::SetAttribute {
                        name: state.name.clone(),
                        value: value.clone(),
                        provider: self.steps[step].definition.id.clone(),
                    });
                }
                state.values.push(Candidate { provider: Some(step), value });
            }
            None => state.has_gap = true,
        }
        let consumers = state.consumers.iter();
        self.todo.extend(consumers.map(|(step, input)| Todo::Look { step: *step, input: *input }));
    }

    fn end_goal(&mut self, step: usize, status: &StepStatus) {
        match status {
            StepStatus::Failed { error } => {
                let goal = self.steps[step].definition.id.clone();
                self.end(FlowOutcome::Failed { goal, error: error.clone() });
            }
            _ => {
                self.n_goals_open -= 1;
                if self.n_goals_open == 0 {
                    self.end(FlowOutcome::Completed);
                }
            }
        }
    }

    /// Ends the flow, and with it whatever was still to be done.
    fn end(&mut self, outcome: FlowOutcome) {
        if self.outcome.is_some() {
            return;
        }
        for step in &mut self.steps {
            let id = step.definition.id.clone();
            let reason = FLOW_ENDED.to_owned();
            match step.status {
                StepStatus::Active => self.decisions.push(Decision::Stop { step: id }),
                StepStatus::Pending => {
                    self.decisions.push(Decision::Skip { step: id, reason: reason.clone() });
                }
                StepStatus::Completed | StepStatus::Failed { .. } | StepStatus::Skipped { .. } => {
                    continue;
                }
            }
            step.status = StepStatus::Skipped { reason };
        }
        self.decisions.push(Decision::End(outcome.clone()));
        self.outcome = Some(outcome);
    }

    /// What has become of those who could have provided an attribute.
    fn why_unavailable(&self, attribute: usize) -> String {
        const SHOWN_MAX: usize = 5;
        let attribute = &self.attributes[attribute];
        let gave =
            |provider: &usize| attribute.values.iter().any(|it| it.provider == Some(*provider));
        let ends: Vec<String> = attribute
            .providers
            .iter()
            .filter(|provider| !gave(provider))
            .map(|provider| &self.steps[*provider])
            .filter_map(|provider| {
                let end = match &provider.status {
                    StepStatus::Failed { .. } => "failed",
                    StepStatus::Skipped { .. } => "was skipped",
                    StepStatus::Completed => "did not give it",
                    StepStatus::Pending | StepStatus::Active => return None,
                };
                Some(format!("`{}` {end}", provider.definition.id))
            })
            .take(SHOWN_MAX)
            .collect();
        let name = &attribute.name;
        match ends.is_empty() {
            true => format!("required input `{name}` is not available: no step provides it"),
            false => format!("required input `{name}` is no longer available: {}", ends.join(", ")),
        }
    }
}
