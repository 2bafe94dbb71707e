//! Random catalogs: the planner against a slow and simple one, and what must hold for every plan.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod kit;

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::Value;
use stepwell_flow::{
    Attribute, Catalog, Collect, Edit, Input, Plan, StepDefinition, StepId, Undecided,
};

use kit::random::{Draft, asked, drafts};
use kit::{Parentheses, request, step};

/// Registers what is taken, one after another, and checks that what is refused for a cycle has one.
fn register(drafts: &[Draft]) -> (Catalog, Vec<StepDefinition>) {
    let mut catalog = Catalog::new();
    let mut taken: Vec<StepDefinition> = Vec::new();
    for (n, draft) in drafts.iter().enumerate() {
        let step = draft.definition(n, &taken);
        match catalog.with_step(step.clone(), &Parentheses) {
            Ok(changed) => {
                catalog = changed.catalog;
                taken.push(step);
                assert!(!naive::waits_for_itself(&taken), "a cycle was taken");
                assert!(!naive::contains_itself(&taken), "a cycle of flows was taken");
            }
            Err(problems) => {
                let codes: BTreeSet<&str> =
                    problems.as_slice().iter().map(|problem| problem.code.as_str()).collect();
                taken.push(step);
                let expected = match naive::waits_for_itself(&taken) {
                    true => "attribute_cycle",
                    false if naive::contains_itself(&taken) => "flow_cycle",
                    false => "nothing",
                };
                assert_eq!(codes, [expected].into(), "{problems}");
                taken.pop();
            }
        }
    }
    (catalog, taken)
}

/// The same answers as the planner's, by trying everything again until nothing changes.
mod naive {
    use super::*;

    pub type Names = BTreeSet<String>;

    #[derive(Debug, PartialEq, Eq)]
    pub struct Answer {
        pub steps: Names,
        pub required: Names,
        pub satisfied: Names,
        pub missing: Names,
        pub blocked: Names,
    }

    struct World<'a> {
        all: &'a [StepDefinition],
        /// Those from which something leads to the goals. A flow step is not among those that it looks
        /// at itself, or this would never end.
        steps: Vec<&'a StepDefinition>,
        init: Names,
    }

    pub fn waits_for_itself(steps: &[StepDefinition]) -> bool {
        let mut before: BTreeSet<(String, String)> = BTreeSet::new();
        for consumer in steps {
            for provider in steps {
                let is_fed = consumer
                    .inputs()
                    .any(|(name, _)| provider.outputs().any(|output| output == name));
                if is_fed {
                    before.insert((provider.id.to_string(), consumer.id.to_string()));
                }
            }
        }
        has_cycle(before)
    }

    /// Whether a flow step could come to be in its own plan.
    pub fn contains_itself(steps: &[StepDefinition]) -> bool {
        let flows = || steps.iter().filter(|step| step.child_flow().is_some());
        let inside = flows().flat_map(|flow| {
            let goals: Vec<&str> = flow.goals().iter().map(StepId::as_str).collect();
            let above = World::above(steps, &goals, given_to_child(flow)).steps;
            let inner = above.into_iter().filter(|step| step.child_flow().is_some());
            inner.map(|inner| (flow.id.to_string(), inner.id.to_string())).collect::<Vec<_>>()
        });
        has_cycle(inside.collect())
    }

    fn has_cycle(mut leads: BTreeSet<(String, String)>) -> bool {
        loop {
            let more: BTreeSet<(String, String)> = leads
                .iter()
                .flat_map(|(a, b)| {
                    let next = leads.iter().filter(move |(c, _)| b == c);
                    next.map(move |(_, d)| (a.clone(), d.clone()))
                })
                .collect();
            let n = leads.len();
            leads.extend(more);
            if leads.len() == n {
                return leads.iter().any(|(a, b)| a == b);
            }
        }
    }

    /// Whether one value is enough.
    fn settles(input: &Input) -> bool {
        input.collect == Collect::First && input.matches.is_none()
    }

    fn given_to_child(flow: &StepDefinition) -> Names {
        let given = flow.attributes.iter().filter_map(|(name, attribute)| match attribute {
            Attribute::Required(input) if input.collect != Collect::None => Some(name.to_string()),
            Attribute::Optional { default: Some(_), .. } => Some(name.to_string()),
            _ => None,
        });
        given.collect()
    }

    pub fn plan(steps: &[StepDefinition], goals: &[&str], init: &Names) -> Answer {
        World::above(steps, goals, init.clone()).plan(goals)
    }

    impl<'a> World<'a> {
        fn above(all: &'a [StepDefinition], goals: &[&str], init: Names) -> World<'a> {
            let mut above: Names = goals.iter().map(|goal| (*goal).to_owned()).collect();
            loop {
                let n = above.len();
                for consumer in all {
                    for (name, input) in consumer.inputs() {
                        let is_settled = settles(input) && init.contains(name.as_str());
                        if !above.contains(consumer.id.as_str()) || is_settled {
                            continue;
                        }
                        let gives = |step: &&StepDefinition| step.outputs().any(|it| it == name);
                        above.extend(all.iter().filter(gives).map(|step| step.id.to_string()));
                    }
                }
                if above.len() == n {
                    let steps = all.iter().filter(|step| above.contains(step.id.as_str()));
                    return World { all, steps: steps.collect(), init };
                }
            }
        }

        fn step(&self, id: &str) -> &StepDefinition {
            self.steps.iter().find(|step| step.id.as_str() == id).unwrap()
        }

        fn providers(&self, name: &str) -> Vec<&StepDefinition> {
            let gives =
                |step: &&StepDefinition| step.outputs().any(|output| output.as_str() == name);
            self.all.iter().filter(gives).collect()
        }

        fn is_satisfied(&self, step: &StepDefinition) -> bool {
            step.outputs().count() > 0 && step.outputs().all(|it| self.init.contains(it.as_str()))
        }

        fn is_blocked(&self, step: &StepDefinition) -> bool {
            let is_present = step.attributes.iter().any(|(name, attribute)| match attribute {
                Attribute::Required(input) => {
                    input.collect == Collect::None
                        && input.matches.is_none()
                        && self.init.contains(name.as_str())
                }
                _ => false,
            });
            is_present || step.child_flow().is_some_and(|_| !self.child_is_fine(step))
        }

        fn child_is_fine(&self, step: &StepDefinition) -> bool {
            let goals: Vec<&str> = step.goals().iter().map(StepId::as_str).collect();
            let child = World::above(self.all, &goals, given_to_child(step)).plan(&goals);
            child.required.is_empty() && goals.iter().all(|goal| !child.blocked.contains(*goal))
        }

        /// Pass 1, over all steps there are.
        fn satisfiable(&self) -> Names {
            let mut can_run = Names::new();
            loop {
                let n = can_run.len();
                for step in &self.steps {
                    let has_all = step.attributes.iter().all(|(name, attribute)| match attribute {
                        Attribute::Required(input) if input.collect != Collect::None => {
                            let mut providers = self.providers(name.as_str()).into_iter();
                            self.init.contains(name.as_str())
                                || providers.any(|it| can_run.contains(it.id.as_str()))
                        }
                        _ => true,
                    });
                    if has_all && !self.is_blocked(step) {
                        can_run.insert(step.id.to_string());
                    }
                }
                if can_run.len() == n {
                    return can_run;
                }
            }
        }

        fn plan(&self, goals: &[&str]) -> Answer {
            let can_run = self.satisfiable();
            let blocked: Names = self
                .steps
                .iter()
                .filter(|step| self.is_blocked(step))
                .map(|step| step.id.to_string())
                .collect();
            let mut steps = Names::new();
            let mut looked_at = Names::new();
            for goal in goals {
                looked_at.insert((*goal).to_owned());
                if !self.is_satisfied(self.step(goal)) && !blocked.contains(*goal) {
                    steps.insert((*goal).to_owned());
                }
            }
            let mut required = Names::new();
            let mut settled = Names::new();
            loop {
                let n = (steps.len(), required.len(), looked_at.len());
                for id in steps.clone() {
                    for (name, input) in self.step(&id).inputs() {
                        let is_required = self.step(&id).attributes[name].is_required();
                        let has = self.init.contains(name.as_str());
                        let providers = self.providers(name.as_str());
                        if has && settles(input) {
                            let idle = providers.iter().filter(|it| self.is_satisfied(it));
                            settled.extend(idle.map(|it| it.id.to_string()));
                            continue;
                        }
                        looked_at.extend(providers.iter().map(|it| it.id.to_string()));
                        let able = providers.iter().filter(|it| can_run.contains(it.id.as_str()));
                        let able: Vec<String> = able.map(|it| it.id.to_string()).collect();
                        let is_lacking = is_required
                            && !has
                            && input.collect != Collect::None
                            && able.is_empty();
                        steps.extend(able);
                        if is_lacking {
                            let open =
                                providers.iter().filter(|it| !blocked.contains(it.id.as_str()));
                            let open: Vec<String> = open.map(|it| it.id.to_string()).collect();
                            if open.is_empty() {
                                required.insert(name.to_string());
                            }
                            steps.extend(open);
                        }
                    }
                }
                if n == (steps.len(), required.len(), looked_at.len()) {
                    break;
                }
            }
            let satisfied = goals.iter().filter(|goal| self.is_satisfied(self.step(goal)));
            settled.extend(satisfied.map(|goal| (*goal).to_owned()));
            let out: Names = looked_at.difference(&steps).cloned().collect();
            let out: Names = out.difference(&settled).cloned().collect();
            Answer {
                satisfied: settled.difference(&steps).cloned().collect(),
                missing: out.difference(&blocked).cloned().collect(),
                blocked: out.intersection(&blocked).cloned().collect(),
                steps,
                required,
            }
        }
    }
}

fn answer(plan: &Plan) -> naive::Answer {
    let names = |ids: &mut dyn Iterator<Item = &StepId>| ids.map(|id| id.to_string()).collect();
    naive::Answer {
        steps: names(&mut plan.steps.keys()),
        required: plan.required.iter().map(|name| name.to_string()).collect(),
        satisfied: names(&mut plan.excluded.satisfied.keys()),
        missing: names(&mut plan.excluded.missing.keys()),
        blocked: names(&mut plan.excluded.blocked.keys()),
    }
}

fn plan_text(catalog: &Catalog, goals: &[&str], init: &Value) -> String {
    let plan = catalog.plan(&request(goals, init.clone()), &Undecided).unwrap();
    serde_json::to_string(&plan).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn the_planner_agrees_with_the_slow_one(drafts in drafts(), asked in asked()) {
        let (catalog, taken) = register(&drafts);
        prop_assume!(!taken.is_empty());
        let (goals, init) = asked.pose(&taken);
        let goals: Vec<&str> = goals.iter().map(String::as_str).collect();
        let plan = catalog.plan(&request(&goals, init.clone()), &Undecided).unwrap();
        let known = init.as_object().unwrap().keys().cloned().collect();
        prop_assert_eq!(answer(&plan), naive::plan(&taken, &goals, &known));

        // Every flow step of the plan, and of its children, has its own plan, and it can run.
        let all = std::iter::once(&plan).chain(plan.children.values());
        for step in all.flat_map(|plan| plan.steps.values()) {
            if step.child_flow().is_some() {
                let child = &plan.children[&step.id];
                prop_assert_eq!(&child.goals, &step.goals());
                prop_assert!(child.required.is_empty());
                prop_assert_eq!(child.obstacles(), []);
            }
        }
    }

}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn plans_do_not_depend_on_the_order_of_registration(
        (drafts, order) in drafts().prop_flat_map(|drafts| {
            let order: Vec<usize> = (0..drafts.len()).collect();
            (Just(drafts), Just(order).prop_shuffle())
        }),
        asked in asked(),
    ) {
        let (catalog, taken) = register(&drafts);
        prop_assume!(!taken.is_empty());
        let (goals, init) = asked.pose(&taken);
        let goals: Vec<&str> = goals.iter().map(String::as_str).collect();
        let text = plan_text(&catalog, &goals, &init);
        prop_assert_eq!(&plan_text(&catalog, &goals, &init), &text, "the same again");

        let order: Vec<usize> = order.into_iter().filter(|n| *n < taken.len()).collect();
        let edits = order.iter().map(|n| Edit::Register(taken[*n].clone())).collect();
        let shuffled = Catalog::new().with_edits(edits, &Parentheses).unwrap().catalog;
        prop_assert_eq!(&plan_text(&shuffled, &goals, &init), &text);

        // Steps that come and go leave nothing behind.
        let mut edits: Vec<Edit> = (0..5).map(|n| Edit::Register(step(&format!("x{n}: a{n} ->")))).collect();
        edits.extend(taken.iter().map(|step| Edit::Remove(step.id.clone())));
        edits.extend(order.iter().rev().map(|n| Edit::Register(taken[*n].clone())));
        edits.extend((0..5).map(|n| Edit::Remove(StepId::from(format!("x{n}").as_str()))));
        let again = shuffled.with_edits(edits, &Parentheses).unwrap();
        prop_assert_eq!(&plan_text(&again.catalog, &goals, &init), &text);
        prop_assert_eq!(again.catalog.graph(), catalog.graph());
        let views = |catalog: &Catalog| {
            catalog.attributes().map(|(name, view)| (name.clone(), view)).collect::<Vec<_>>()
        };
        prop_assert_eq!(views(&again.catalog), views(&catalog));
    }

    #[test]
    fn an_unrelated_step_changes_nothing(drafts in drafts(), asked in asked()) {
        let (catalog, taken) = register(&drafts);
        prop_assume!(!taken.is_empty());
        let (goals, init) = asked.pose(&taken);
        let goals: Vec<&str> = goals.iter().map(String::as_str).collect();
        let more = catalog.with_step(step("other: b0 -> b1"), &Parentheses).unwrap().catalog;
        // It consumes what others provide, and nobody asks for it.
        let more = more.with_step(step("leaf: a0, a1 -> b2"), &Parentheses).unwrap().catalog;
        prop_assert_eq!(plan_text(&more, &goals, &init), plan_text(&catalog, &goals, &init));
    }

    #[test]
    fn a_plan_is_complete_in_itself(drafts in drafts(), asked in asked()) {
        let (catalog, taken) = register(&drafts);
        prop_assume!(!taken.is_empty());
        let (goals, init) = asked.pose(&taken);
        let goals: Vec<&str> = goals.iter().map(String::as_str).collect();
        let text = plan_text(&catalog, &goals, &init);
        let plan: Plan = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&serde_json::to_string(&plan).unwrap(), &text);
        for (id, step) in &plan.steps {
            for (name, _) in step.inputs() {
                prop_assert!(plan.attributes[name].consumers.contains(id));
            }
            for name in step.outputs() {
                prop_assert!(plan.attributes[name].providers.contains(id));
            }
        }
        for edges in plan.attributes.values() {
            for id in edges.providers.iter().chain(&edges.consumers) {
                prop_assert!(plan.steps.contains_key(id));
            }
            prop_assert!(edges.providers.is_sorted() && edges.consumers.is_sorted());
        }
        for id in plan.children.keys() {
            let child = plan.child(id.as_str()).unwrap();
            let inner = child.steps.values().filter(|step| step.child_flow().is_some());
            prop_assert!(inner.map(|step| &step.id).all(|id| child.children.contains_key(id)));
        }
    }
}
