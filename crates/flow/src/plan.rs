//! Plans: which steps lead to the goals.
//!
//! Planning has two passes. The first goes up from the goals and finds, for each step on the way, whether
//! it can run at all with what the initial state has and what other steps can provide. The second goes up
//! again and takes the steps that are wanted: all providers that can run join the plan and compete.
//! Both follow edges and touch nothing else, so their cost grows with what lies above the goals, not with
//! the catalog.
//!
//! Where a goal cannot be reached, the plan shows the way as far as it goes, and what is required. Such a
//! plan can be looked at but not run: see [`Plan::obstacles`].

mod build;
mod families;
mod request;
mod scratch;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::graph::{AttributeEdges, Graph, draw};
use crate::names::{AttributeName, StepId};
use crate::problem::{Code, Path, Problem, list};
use crate::step::{Script, StepDefinition, Version};

pub use request::PlanRequest;

/// All that a run needs to reach its goals, frozen: later changes of the catalog do not reach it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Plan {
    /// As asked for, each once.
    pub goals: Vec<StepId>,
    /// The steps that may run, the goals among them unless they are satisfied or blocked.
    pub steps: BTreeMap<StepId, Arc<StepDefinition>>,
    /// Every attribute that a step of the plan provides or consumes.
    pub attributes: BTreeMap<AttributeName, AttributeEdges>,
    /// What must be in the initial state and is not, because no step provides it.
    pub required: Vec<AttributeName>,
    /// The steps that were looked at and left out.
    pub excluded: Excluded,
    /// The plans of the flow steps, at whatever depth they stand. Only the outermost plan has them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub children: BTreeMap<StepId, Plan>,
}

/// Steps that are not in the plan, by why.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Excluded {
    /// The initial state has all that they would provide.
    pub satisfied: BTreeMap<StepId, Exclusion>,
    /// Nobody provides what they require.
    pub missing: BTreeMap<StepId, Exclusion>,
    /// They cannot run, whatever else is provided.
    pub blocked: BTreeMap<StepId, Exclusion>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exclusion {
    /// Those that are satisfied, missing, or in the way.
    pub attributes: Vec<AttributeName>,
    /// For people.
    pub reason: String,
}

/// Whoever can tell whether a value of the initial state passes a `match`. Must give the same answer
/// for the same value, always; `None` leaves the question to the run.
pub trait Matcher {
    fn matches(&self, script: &Script, value: &Value) -> Option<bool>;
}

/// Leaves every question to the run: a value counts, and so do its providers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Undecided;

impl Matcher for Undecided {
    fn matches(&self, _: &Script, _: &Value) -> Option<bool> {
        None
    }
}

impl Plan {
    /// What keeps the plan from being run; nothing if it can be.
    pub fn obstacles(&self) -> Vec<Problem> {
        self.obstacles_with(&BTreeMap::new())
    }

    /// The same if these values are there, too.
    pub(crate) fn obstacles_with(&self, init: &BTreeMap<AttributeName, Value>) -> Vec<Problem> {
        let at = Path::root().field("init");
        let missing = self.required.iter().filter(|name| !init.contains_key(*name)).map(|name| {
            let consumers = self.attributes.get(name).map(|edges| edges.consumers.as_slice());
            let message = format!(
                "`{name}` is needed by {}, and no step provides it: give it in `init`",
                list(consumers.unwrap_or_default().iter()),
            );
            at.field(name.as_str()).problem(Code::InitMissing, message)
        });
        let goals = Path::root().field("goals");
        let blocked = self.goals.iter().enumerate().filter_map(|(n, goal)| {
            let exclusion = self.excluded.blocked.get(goal)?;
            let message = format!("`{goal}` cannot run: {}", exclusion.reason);
            Some(goals.item(n).problem(Code::GoalBlocked, message))
        });
        missing.chain(blocked).collect()
    }

    /// The plan that a flow step runs, complete in itself.
    pub fn child(&self, step: &str) -> Option<Plan> {
        let mut child = self.children.get(step)?.clone();
        let mut wanted: Vec<StepId> = child.steps.keys().cloned().collect();
        while let Some(id) = wanted.pop() {
            if let Some(plan) = self.children.get(&id)
                && !child.children.contains_key(&id)
            {
                wanted.extend(plan.steps.keys().cloned());
                child.children.insert(id, plan.clone());
            }
        }
        Some(child)
    }

    /// The same for the same plan, always.
    pub fn version(&self) -> Version {
        #[expect(clippy::expect_used, reason = "only keys that are no texts have no form in JSON")]
        Version::of(&serde_json::to_string(self).expect("a plan has a form in JSON"))
    }

    pub fn graph(&self) -> Graph {
        draw(self.steps.values().map(|step| (step.as_ref(), None)))
    }
}
