//! Random catalogs, small enough for many of them to meet every rule.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::subsequence;
use serde_json::{Value, json};
use stepwell_flow::{AttributeName, Catalog, Plan, StepDefinition, Undecided};

use super::{Parentheses, flow_json, parse, request, step_json};

const N_ATTRIBUTES: usize = 7;

/// What a random step is made of.
#[derive(Debug, Clone)]
pub struct Draft {
    /// By attribute; none where the step does not name it.
    roles: Vec<Option<Role>>,
    /// The goals of a flow step, as numbers of steps that are there already.
    goals: Vec<usize>,
}

#[derive(Debug, Clone)]
enum Role {
    Required { collect: &'static str, has_match: bool },
    Optional { collect: &'static str, has_match: bool, deadline_ms: Option<u64> },
    Output,
}

/// Numbers of goals and of attributes in the initial state.
#[derive(Debug, Clone)]
pub struct Asked {
    goals: Vec<usize>,
    init: Vec<usize>,
}

fn role() -> impl Strategy<Value = Option<Role>> {
    let collect =
        || prop::sample::select(&["first", "first", "first", "last", "some", "all", "none"][..]);
    let has_match = || prop::bool::weighted(0.15);
    let deadline_ms = prop::sample::select(&[None, None, Some(0), Some(100)][..]);
    prop_oneof![
        12 => Just(None),
        3 => (collect(), has_match())
            .prop_map(|(collect, has_match)| Some(Role::Required { collect, has_match })),
        1 => (collect(), has_match(), deadline_ms).prop_map(|(collect, has_match, deadline_ms)| {
            Some(Role::Optional { collect, has_match, deadline_ms })
        }),
        4 => Just(Some(Role::Output)),
    ]
}

fn draft() -> impl Strategy<Value = Draft> {
    let goals = prop_oneof![
        2 => Just(Vec::new()),
        1 => prop::collection::vec(0usize..20, 1..3),
    ];
    (prop::collection::vec(role(), N_ATTRIBUTES), goals)
        .prop_map(|(roles, goals)| Draft { roles, goals })
}

pub fn drafts() -> impl Strategy<Value = Vec<Draft>> {
    prop::collection::vec(draft(), 1..12)
}

pub fn asked() -> impl Strategy<Value = Asked> {
    let attributes: Vec<usize> = (0..N_ATTRIBUTES).collect();
    (prop::collection::vec(0usize..9, 1..4), subsequence(attributes, 0..5))
        .prop_map(|(goals, init)| Asked { goals, init })
}

/// Registers what is taken, one after another.
pub fn register(drafts: &[Draft]) -> (Catalog, Vec<StepDefinition>) {
    let mut catalog = Catalog::new();
    let mut taken = Vec::new();
    for (n, draft) in drafts.iter().enumerate() {
        let step = draft.definition(n, &taken);
        if let Ok(changed) = catalog.with_step(step.clone(), &Parentheses) {
            catalog = changed.catalog;
            taken.push(step);
        }
    }
    (catalog, taken)
}

/// A plan, and what it begins with. What was lacking is given, so that most plans can be run.
pub fn supplied(drafts: &[Draft], asked: &Asked) -> (Plan, BTreeMap<AttributeName, Value>) {
    let (catalog, taken) = register(drafts);
    let (goals, init) = asked.pose(&taken);
    let goals: Vec<&str> = goals.iter().map(String::as_str).collect();
    let mut request = request(&goals, init);
    let plan = catalog.plan(&request, &Undecided).unwrap();
    request.init.extend(plan.required.iter().map(|name| (name.clone(), json!("given"))));
    (catalog.plan(&request, &Undecided).unwrap(), request.init)
}

impl Draft {
    /// The step `sN`, whose goals, if it has any, are among the others.
    pub fn definition(&self, n: usize, others: &[StepDefinition]) -> StepDefinition {
        let text = format!("s{n}: ->");
        let goals = self.goals.iter().filter(|_| !others.is_empty());
        let goals: BTreeSet<&str> =
            goals.map(|goal| others[goal % others.len()].id.as_str()).collect();
        let goals: Vec<&str> = goals.into_iter().collect();
        let mut value = if goals.is_empty() { step_json(&text) } else { flow_json(&text, &goals) };
        for (n, role) in self.roles.iter().enumerate() {
            if let Some(role) = role {
                value["attributes"][format!("a{n}")] = role.fields();
            }
        }
        parse(&value).unwrap()
    }
}

impl Role {
    fn fields(&self) -> Value {
        let (mut fields, has_match) = match self {
            Role::Output => return json!({"role": "output"}),
            Role::Required { collect, has_match } => {
                (json!({"role": "required", "collect": collect}), *has_match)
            }
            Role::Optional { collect, has_match, deadline_ms } => {
                let mut fields = json!({"role": "optional", "collect": collect});
                if let Some(deadline_ms) = deadline_ms {
                    fields["deadline_ms"] = json!(deadline_ms);
                    fields["default"] = json!("[]");
                }
                (fields, *has_match)
            }
        };
        if has_match {
            fields["match"] = json!({"language": "ale", "source": "value"});
        }
        fields
    }
}

impl Asked {
    /// Goals among the steps, and an initial state.
    pub fn pose(&self, taken: &[StepDefinition]) -> (Vec<String>, Value) {
        let goals = self.goals.iter().map(|n| taken[n % taken.len()].id.to_string()).collect();
        let init: BTreeMap<String, usize> =
            self.init.iter().map(|n| (format!("a{n}"), *n)).collect();
        (goals, json!(init))
    }
}
