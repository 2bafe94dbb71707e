//! Whether steps are well. Services are probed by others; flow steps follow their goals.

use super::{Catalog, CatalogEvent, Changed, Health, HealthStatus};
use crate::names::StepId;
use crate::problem::{Code, Path, Problems};
use crate::step::{Action, StepDefinition};

impl Catalog {
    /// Notes what a probe has found. No events if nothing is new; else one for the step, and one for
    /// each flow step whose health follows.
    pub fn with_health(&self, id: &str, health: Health) -> Result<Changed, Problems> {
        let mut next = self.clone();
        let Some(step) = self.step(id).cloned() else {
            let message = format!("there is no step `{id}`");
            return Err(Path::root().problem(Code::StepUnknown, message).into());
        };
        let mut events = Vec::new();
        if step.child_flow().is_none() {
            next.set_health(&step.id, health, &mut events);
        }
        Ok(Changed { catalog: next, events, lost: Vec::new() })
    }

    /// What is known of a step without asking anybody, after its definition has changed.
    pub(super) fn settle_health(&mut self, step: &StepDefinition, events: &mut Vec<CatalogEvent>) {
        match &step.action {
            // It would not have been taken if it did not compile.
            Action::Script(_) => self.set_health(&step.id, Health::healthy(), events),
            Action::Flow(_) => self.follow_goals(vec![step.id.clone()], events),
            Action::Sync(_) | Action::Async(_) => {
                self.follow_goals(self.flows_with_goal(&step.id), events);
            }
        }
    }

    fn set_health(&mut self, id: &StepId, health: Health, events: &mut Vec<CatalogEvent>) {
        if self.note_health(id, health, events) {
            self.follow_goals(self.flows_with_goal(id), events);
        }
    }

    /// Lets these flow steps follow their goals, and those whose goals they are, and so on.
    fn follow_goals(&mut self, mut flows: Vec<StepId>, events: &mut Vec<CatalogEvent>) {
        while let Some(id) = flows.pop() {
            let goals = self.step(id.as_str()).and_then(|step| step.child_flow());
            let Some(health) = goals.map(|flow| self.health_of_goals(&flow.goals)) else {
                continue;
            };
            if self.note_health(&id, health, events) {
                flows.extend(self.flows_with_goal(&id));
            }
        }
    }

    /// Unhealthy if one goal is, healthy if all are.
    fn health_of_goals(&self, goals: &[StepId]) -> Health {
        let is = |goal: &StepId, status| self.health(goal.as_str()).status == status;
        if let Some(goal) = goals.iter().find(|goal| is(goal, HealthStatus::Unhealthy)) {
            return Health::unhealthy(format!("its goal `{goal}` is unhealthy"));
        }
        if goals.iter().all(|goal| is(goal, HealthStatus::Healthy)) {
            return Health::healthy();
        }
        Health::default()
    }

    /// Whether that is news.
    fn note_health(&mut self, id: &StepId, health: Health, events: &mut Vec<CatalogEvent>) -> bool {
        if self.health(id.as_str()) == health {
            return false;
        }
        let event = CatalogEvent::StepHealthChanged { step_id: id.clone(), health };
        let is_followed = self.apply(&event).is_ok();
        if is_followed {
            events.push(event);
        }
        is_followed
    }

    fn flows_with_goal(&self, goal: &StepId) -> Vec<StepId> {
        self.index().flows_with_goal(goal.as_str()).cloned().collect()
    }
}
