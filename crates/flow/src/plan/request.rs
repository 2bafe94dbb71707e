//! What somebody asks of the planner.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::families::Planner;
use super::{Matcher, Plan};
use crate::catalog::{Catalog, StepIx};
use crate::limits::START_BYTES_MAX;
use crate::names::{AttributeName, StepId};
use crate::problem::{Code, Path, Problems, did_you_mean};
use crate::read::{self, Reading};
use crate::step::{goal_list_problems, goals};

/// Goals, and what is known to begin with.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PlanRequest {
    pub goals: Vec<StepId>,
    pub init: BTreeMap<AttributeName, Value>,
}

impl PlanRequest {
    /// Reads `{"goals": [...], "init": {...}}`.
    pub fn parse(bytes: &[u8]) -> Result<PlanRequest, Problems> {
        let value = read::parse(bytes, START_BYTES_MAX)?;
        let mut reading = Reading::default();
        let mut request = PlanRequest::default();
        if let Some(mut fields) = reading.object(&value, &Path::root()) {
            let goals = reading.required(&mut fields, "goals", goals);
            let init = reading.optional(&mut fields, "init", |reading, value, at| {
                reading.map(value, at, |_, value, _| Some(value.clone()))
            });
            reading.end(fields);
            request =
                PlanRequest { goals: goals.unwrap_or_default(), init: init.unwrap_or_default() };
        }
        Problems::or(reading.problems, request)
    }
}

impl Catalog {
    /// Plans. The same catalog, goals and initial state give the same plan, byte for byte.
    pub fn plan(&self, request: &PlanRequest, matcher: &dyn Matcher) -> Result<Plan, Problems> {
        let goals = self.find_goals(&request.goals)?;
        Planner::new(self.index(), matcher).plan(&goals, &request.init)
    }

    /// The goals, each once.
    fn find_goals(&self, goals: &[StepId]) -> Result<Vec<StepIx>, Problems> {
        let at = Path::root().field("goals");
        let mut problems: Vec<_> = goal_list_problems(&at, goals).into_iter().collect();
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        for (n, goal) in goals.iter().enumerate() {
            if !seen.insert(goal) {
                continue;
            }
            match self.index().find(goal.as_str()) {
                Some(step) => found.push(step),
                None => {
                    let ids = self.steps().map(|step| step.id.as_str());
                    let hint = did_you_mean(goal.as_str(), ids);
                    let message = format!("there is no step `{goal}`{hint}");
                    problems.push(at.item(n).problem(Code::GoalUnknown, message));
                }
            }
        }
        Problems::or(problems, found)
    }
}
