//! How much work planning is, counted in visits to steps and attributes.

use serde_json::json;

use super::families::{Planner, VISITS_MAX};
use super::{Plan, Undecided};
use crate::catalog::{Catalog, Edit};
use crate::names::{AttributeName, StepId};
use crate::problem::Problems;
use crate::step::{Action, ChildFlow, CompileProblem, Compiler, Language, StepDefinition};

struct Anything;

impl Compiler for Anything {
    fn compile(&self, _: Language, _: &str, _: &[&str]) -> Result<(), CompileProblem> {
        Ok(())
    }
}

fn step(id: &str, inputs: &[String], outputs: &[String]) -> StepDefinition {
    let mut attributes = serde_json::Map::new();
    for (names, role) in [(inputs, "required"), (outputs, "output")] {
        attributes.extend(names.iter().map(|name| (name.clone(), json!({ "role": role }))));
    }
    let script = json!({ "language": "ale", "source": "x" });
    let value = json!({ "id": id, "type": "script", "attributes": attributes, "script": script });
    StepDefinition::from_value(&value).unwrap()
}

fn catalog(steps: Vec<StepDefinition>) -> Catalog {
    let edits = steps.into_iter().map(Edit::Register).collect();
    Catalog::new().with_edits(edits, &Anything).unwrap().catalog
}

/// The plan, and the visits that it took.
fn plan(catalog: &Catalog, goal: &str) -> (Plan, usize) {
    let (plan, n_visits) = try_plan(catalog, goal);
    (plan.unwrap(), n_visits)
}

fn try_plan(catalog: &Catalog, goal: &str) -> (Result<Plan, Problems>, usize) {
    let mut planner = Planner::new(catalog.index(), &Undecided);
    let goal = catalog.index().find(goal).unwrap();
    let init = [(AttributeName::from("start"), json!(1))].into();
    let plan = planner.plan(&[goal], &init);
    (plan, planner.n_visits())
}

/// How many attributes the steps declare, all together.
fn n_edges(plan: &Plan) -> usize {
    plan.steps.values().map(|step| step.attributes.len()).sum()
}

fn chain(n: usize) -> Catalog {
    let name = |n: usize| if n == 0 { "start".to_owned() } else { format!("a{n}") };
    catalog((0..n).map(|n| step(&format!("s{n}"), &[name(n)], &[name(n + 1)])).collect())
}

/// Layers of steps, each of which needs several of the layer before.
fn mesh(n_layers: usize, width: usize, n_inputs: usize) -> Catalog {
    let name = |layer: usize, n: usize| {
        if layer == 0 { "start".to_owned() } else { format!("a{layer}-{}", n % width) }
    };
    let mut steps = Vec::new();
    for layer in 0..n_layers {
        for n in 0..width {
            let mut inputs: Vec<String> = (0..n_inputs).map(|more| name(layer, n + more)).collect();
            inputs.dedup();
            steps.push(step(&format!("s{layer}-{n}"), &inputs, &[name(layer + 1, n)]));
        }
    }
    let all: Vec<String> = (0..width).map(|n| name(n_layers, n)).collect();
    steps.push(step("goal", &all, &[]));
    catalog(steps)
}

#[test]
fn a_chain_of_ten_thousand_is_walked_once() {
    let (plan, n_visits) = plan(&chain(10_000), "s9999");
    assert_eq!(plan.steps.len(), 10_000);
    assert!(n_visits <= 3 * n_edges(&plan), "{n_visits}");
}

#[test]
fn a_mesh_of_ten_thousand_is_walked_once() {
    let (plan, n_visits) = plan(&mesh(100, 100, 5), "goal");
    assert_eq!(plan.steps.len(), 10_001);
    assert!(n_visits <= 3 * n_edges(&plan), "{n_visits}");
}

#[test]
fn the_work_grows_with_the_plan() {
    let visits = |n_layers| plan(&mesh(n_layers, 50, 5), "goal").1 as f64;
    let ratio = visits(100) / visits(50);
    assert!((1.9..2.1).contains(&ratio), "{ratio}");
}

#[test]
fn many_providers_and_many_consumers_are_not_multiplied() {
    const N: usize = 1000;
    const WIDTH: usize = 200;
    let shared = "shared".to_owned();
    let mut steps: Vec<StepDefinition> =
        (0..N).map(|n| step(&format!("p{n}"), &[], std::slice::from_ref(&shared))).collect();
    for n in 0..N {
        steps.push(step(&format!("c{n}"), std::slice::from_ref(&shared), &[format!("y{n}")]));
    }
    let groups: Vec<usize> = (0..N).step_by(WIDTH).collect();
    for first in &groups {
        let inputs: Vec<String> = (0..WIDTH).map(|n| format!("y{}", first + n)).collect();
        steps.push(step(&format!("g{first}"), &inputs, &[format!("z{first}")]));
    }
    let inputs: Vec<String> = groups.iter().map(|first| format!("z{first}")).collect();
    steps.push(step("goal", &inputs, &[]));
    let (plan, n_visits) = plan(&catalog(steps), "goal");
    assert_eq!(plan.steps.len(), 2 * N + groups.len() + 1);
    assert!(n_visits <= 3 * n_edges(&plan), "{n_visits}");
}

#[test]
fn a_small_plan_costs_the_same_in_a_large_catalog() {
    let (small, of_small) = plan(&chain(20), "s19");
    let (same, of_large) = plan(&chain(10_000), "s19");
    assert_eq!(small, same);
    assert_eq!(of_small, of_large);
}

/// Each of many flow steps looks at the same long chain for itself.
#[test]
fn the_work_for_child_plans_has_a_bound() {
    const CHAIN: usize = 2000;
    const WIDTH: usize = 250;
    let name = |n: usize| if n == 0 { "start".to_owned() } else { format!("a{n}") };
    let flows = |n_groups: usize| {
        let mut steps: Vec<StepDefinition> =
            (0..CHAIN).map(|n| step(&format!("s{n}"), &[name(n)], &[name(n + 1)])).collect();
        for group in 0..n_groups {
            let outputs: Vec<String> = (0..WIDTH).map(|n| format!("y{group}-{n}")).collect();
            for output in &outputs {
                let id = format!("f{output}");
                let mut flow = step(&id, &["start".to_owned()], std::slice::from_ref(output));
                flow.action = Action::Flow(ChildFlow {
                    goals: vec![StepId::from(format!("s{}", CHAIN - 1).as_str())],
                    inputs: Default::default(),
                    outputs: Default::default(),
                });
                steps.push(flow);
            }
            steps.push(step(&format!("g{group}"), &outputs, &[format!("z{group}")]));
        }
        let inputs: Vec<String> = (0..n_groups).map(|group| format!("z{group}")).collect();
        steps.push(step("goal", &inputs, &[]));
        catalog(steps)
    };
    let (problems, n_visits) = try_plan(&flows(4), "goal");
    assert!(n_visits > VISITS_MAX && n_visits < VISITS_MAX + 4 * CHAIN, "{n_visits}");
    let problems = problems.unwrap_err();
    assert_eq!(
        problems.to_string(),
        "/goals: plan_too_large: the plan takes more than 5000000 visits to steps: name \
         fewer goals, or give more in `init`"
    );
    // Within the bound, but larger than a plan may be: every flow step has a copy of the chain's plan.
    let (problems, n_visits) = try_plan(&flows(1), "goal");
    assert!(n_visits < VISITS_MAX);
    assert_eq!(problems.unwrap_err().as_slice()[0].code.as_str(), "plan_too_large");
}
