//! A plan with the plans of its flow steps, innermost first.
//!
//! What a flow step's own plan is depends on its definition and the catalog, not on where it stands. So
//! each is planned once, however often it is used, and the nesting is walked without recursion.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::build::{Cone, Initial, Scene};
use super::scratch::Scratch;
use super::{Exclusion, Matcher, Plan, Undecided};
use crate::catalog::{Index, StepIx, always_given};
use crate::limits::{FLOW_DEPTH_MAX, PLAN_STEPS_MAX};
use crate::names::{AttributeName, StepId};
use crate::problem::{Code, Path, Problem, Problems, list};
use crate::read::kind_of;
use crate::step::StepDefinition;

/// What has become of a flow step's own plan.
pub(super) enum Child {
    Ready(Plan),
    Cannot(Exclusion),
}

pub(super) type Children = BTreeMap<StepIx, Child>;

pub(super) struct Planner<'a> {
    index: &'a Index,
    matcher: &'a dyn Matcher,
    n_visits: usize,
    scratch: Scratch,
}

/// How often steps and attributes may be come to for one plan and its child plans: a bound on time and
/// memory.
pub(super) const VISITS_MAX: usize = 5_000_000;

/// A flow step whose own plan is to be made.
struct Family<'a> {
    goals: Vec<StepIx>,
    scene: Scene<'a>,
    cone: Cone,
    flows: Vec<StepIx>,
}

impl<'a> Planner<'a> {
    pub fn new(index: &'a Index, matcher: &'a dyn Matcher) -> Planner<'a> {
        Planner { index, matcher, n_visits: 0, scratch: Scratch::new(index) }
    }

    pub fn plan(
        &mut self,
        goals: &[StepIx],
        init: &'a BTreeMap<AttributeName, Value>,
    ) -> Result<Plan, Problems> {
        let initial: Initial = init
            .iter()
            .filter_map(|(name, value)| {
                Some((self.index.find_attribute(name.as_str())?, Some(value)))
            })
            .collect();
        let root = self.family(goals.to_vec(), initial, self.matcher)?;
        let mut families = BTreeMap::new();
        let mut wanted = root.flows.clone();
        while let Some(flow) = wanted.pop() {
            if families.contains_key(&flow) {
                continue;
            }
            let step = &self.index.entry(flow).step;
            let names = always_given(step);
            let given = names.iter().filter_map(|name| self.index.find_attribute(name));
            let goals =
                step.goals().iter().filter_map(|goal| self.index.find(goal.as_str())).collect();
            let family = self.family(goals, given.map(|it| (it, None)).collect(), &Undecided)?;
            wanted.extend(&family.flows);
            families.insert(flow, family);
        }
        let children = self.children(&families);
        let mut plan = root.scene.build(&root.goals, &root.cone, &children, &mut self.scratch);
        plan.children = self.used_children(&plan, children);
        let n_steps: usize =
            plan.steps.len() + plan.children.values().map(|child| child.steps.len()).sum::<usize>();
        if n_steps > PLAN_STEPS_MAX {
            return Err(too_large(format!(
                "has {n_steps} steps, at most {PLAN_STEPS_MAX} are allowed"
            )));
        }
        Problems::or(type_problems(&plan, init), plan)
    }

    fn family(
        &mut self,
        goals: Vec<StepIx>,
        init: Initial<'a>,
        matcher: &dyn Matcher,
    ) -> Result<Family<'a>, Problems> {
        let mut scene = Scene::new(self.index, init);
        let cone = scene.cone(&goals, matcher, &mut self.scratch);
        self.n_visits += scene.n_visits;
        if self.n_visits > VISITS_MAX {
            return Err(too_large(format!("takes more than {VISITS_MAX} visits to steps")));
        }
        let is_flow = |step: &StepIx| self.index.entry(*step).step.child_flow().is_some();
        let flows = cone.iter().copied().filter(is_flow).collect();
        Ok(Family { goals, scene, cone, flows })
    }

    /// How often steps and attributes were come to.
    #[cfg(test)]
    pub fn n_visits(&self) -> usize {
        self.n_visits
    }

    /// The plans of all flow steps, each after those of the flow steps in it.
    fn children(&mut self, families: &BTreeMap<StepIx, Family<'_>>) -> Children {
        let mut children = Children::new();
        let mut heights: BTreeMap<StepIx, usize> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for start in families.keys() {
            if !seen.insert(*start) {
                continue;
            }
            let mut stack = vec![(*start, 0)];
            while let Some((flow, next)) = stack.last_mut() {
                let family = &families[flow];
                if let Some(inner) = family.flows.get(*next) {
                    *next += 1;
                    // A flow step in itself is refused by the catalog. If a damaged journal has one, it
                    // is seen already, and this does not go on for ever.
                    if seen.insert(*inner) {
                        stack.push((*inner, 0));
                    }
                    continue;
                }
                let flow = *flow;
                stack.pop();
                let inner = family.flows.iter().filter_map(|inner| heights.get(inner));
                let height = 1 + inner.max().copied().unwrap_or_default();
                heights.insert(flow, height);
                children.insert(flow, self.child(flow, family, height, &children));
            }
        }
        children
    }

    fn child(
        &mut self,
        flow: StepIx,
        family: &Family<'_>,
        height: usize,
        children: &Children,
    ) -> Child {
        if height > FLOW_DEPTH_MAX {
            let reason =
                format!("more than {FLOW_DEPTH_MAX} flows lie in one another below this step");
            return Child::Cannot(Exclusion { attributes: Vec::new(), reason });
        }
        let plan = family.scene.build(&family.goals, &family.cone, children, &mut self.scratch);
        if !plan.required.is_empty() {
            let reason = what_the_flow_lacks(&self.index.entry(flow).step, &plan.required);
            return Child::Cannot(Exclusion { attributes: plan.required, reason });
        }
        let blocked = plan
            .goals
            .iter()
            .find_map(|goal| plan.excluded.blocked.get(goal).map(|exclusion| (goal, exclusion)));
        if let Some((goal, exclusion)) = blocked {
            let reason = format!("its goal `{goal}` cannot run: {}", exclusion.reason);
            return Child::Cannot(Exclusion { attributes: exclusion.attributes.clone(), reason });
        }
        Child::Ready(plan)
    }

    /// Those that the plan comes to, at whatever depth.
    fn used_children(&self, plan: &Plan, mut children: Children) -> BTreeMap<StepId, Plan> {
        let mut used = BTreeMap::new();
        let mut wanted: Vec<StepId> = plan.steps.keys().cloned().collect();
        while let Some(id) = wanted.pop() {
            let place = self.index.find(id.as_str());
            if let Some(Child::Ready(child)) = place.and_then(|place| children.remove(&place)) {
                wanted.extend(child.steps.keys().cloned());
                used.insert(id, child);
            }
        }
        used
    }
}

fn what_the_flow_lacks(step: &StepDefinition, required: &[AttributeName]) -> String {
    let mut reason = format!("its flow needs {}, which no step provides", list(required.iter()));
    for (name, argument) in step.arguments() {
        if required.iter().any(|it| it.as_str() == argument) {
            reason.push_str(&format!(
                "; the input `{name}` may leave it out: make it required, or give it a default"
            ));
        }
    }
    reason
}

/// The values of the initial state that are not what the steps of the plan declare.
fn type_problems(plan: &Plan, init: &BTreeMap<AttributeName, Value>) -> Vec<Problem> {
    let at = Path::root().field("init");
    let mut problems = Vec::new();
    for (name, value) in init {
        let consumers = plan.attributes.get(name).map(|edges| edges.consumers.as_slice());
        let wrong = consumers.unwrap_or_default().iter().find_map(|id| {
            let input = plan.steps.get(id)?.attributes.get(name)?.input()?;
            let fits = input.collect.is_list() || input.kind.accepts(value);
            (!fits).then_some((id, input.kind))
        });
        if let Some((id, kind)) = wrong {
            let message =
                format!("`{name}` is {}, and `{id}` takes {} here", kind_of(value), kind.as_str());
            problems.push(at.field(name.as_str()).problem(Code::InitType, message));
        }
    }
    problems
}

fn too_large(what: String) -> Problems {
    let message = format!("the plan {what}: name fewer goals, or give more in `init`");
    Path::root().field("goals").problem(Code::PlanTooLarge, message).into()
}
