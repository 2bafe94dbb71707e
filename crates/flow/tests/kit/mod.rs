//! Steps in short, and a compiler with one rule.
#![allow(dead_code, reason = "every test file uses another part")]

pub mod random;

use serde_json::{Value, json};
use stepwell_flow::{
    AttributeName, Catalog, CompileProblem, Compiler, Edit, Language, Plan, PlanRequest, Problems,
    StepDefinition, StepId, Undecided,
};

/// Takes every source whose parentheses match.
pub struct Parentheses;

impl Compiler for Parentheses {
    fn compile(&self, _: Language, source: &str, _: &[&str]) -> Result<(), CompileProblem> {
        let mut open = Vec::new();
        for (line, text) in (1..).zip(source.lines()) {
            for (column, c) in (1..).zip(text.chars()) {
                match c {
                    '(' => open.push((line, column)),
                    ')' if open.pop().is_none() => return Err(unmatched(line, column)),
                    _ => {}
                }
            }
        }
        open.pop().map_or(Ok(()), |(line, column)| Err(unmatched(line, column)))
    }
}

fn unmatched(line: u32, column: u32) -> CompileProblem {
    let message = "this parenthesis has no other".to_owned();
    CompileProblem { message, line: Some(line), column: Some(column) }
}

pub fn parse(value: &Value) -> Result<StepDefinition, Problems> {
    StepDefinition::parse(value.to_string().as_bytes())
}

/// `a: x, y? -> z` is the script step `a` that needs `x`, can use `y` and gives `z`.
pub fn step(text: &str) -> StepDefinition {
    parse(&step_json(text)).unwrap()
}

pub fn step_json(text: &str) -> Value {
    let (id, rest) = text.split_once(':').unwrap();
    let (inputs, outputs) = rest.split_once("->").unwrap();
    let names = |list: &str| -> Vec<String> {
        let names = list.split(',').map(|name| name.trim().to_owned());
        names.filter(|name| !name.is_empty()).collect()
    };
    let mut attributes = serde_json::Map::new();
    for name in names(inputs) {
        let role = if name.ends_with('?') { "optional" } else { "required" };
        attributes.insert(name.trim_end_matches('?').to_owned(), json!({ "role": role }));
    }
    for name in names(outputs) {
        attributes.insert(name, json!({ "role": "output" }));
    }
    let script = json!({ "language": "ale", "source": "x" });
    json!({ "id": id.trim(), "type": "script", "attributes": attributes, "script": script })
}

/// The flow step `id` with these goals; the rest as in [`step`].
pub fn flow_json(text: &str, goals: &[&str]) -> Value {
    let mut flow = step_json(text);
    flow["type"] = json!("flow");
    flow["flow"] = json!({ "goals": goals });
    flow.as_object_mut().unwrap().remove("script");
    flow
}

pub fn flow(text: &str, goals: &[&str]) -> StepDefinition {
    parse(&flow_json(text, goals)).unwrap()
}

/// All at once, so that their order does not matter.
pub fn catalog(steps: impl IntoIterator<Item = StepDefinition>) -> Catalog {
    let edits = steps.into_iter().map(Edit::Register).collect();
    Catalog::new().with_edits(edits, &Parentheses).unwrap().catalog
}

pub fn catalog_of(steps: &[&str]) -> Catalog {
    catalog(steps.iter().map(|text| step(text)))
}

pub fn request(goals: &[&str], init: Value) -> PlanRequest {
    let Value::Object(init) = init else { panic!("an initial state is an object") };
    PlanRequest {
        goals: goals.iter().map(|goal| StepId::from(*goal)).collect(),
        init: init.into_iter().map(|(name, it)| (AttributeName::from(name.as_str()), it)).collect(),
    }
}

pub fn plan(catalog: &Catalog, goals: &[&str], init: Value) -> Plan {
    catalog.plan(&request(goals, init), &Undecided).unwrap()
}

pub fn ids<'a>(ids: impl IntoIterator<Item = &'a StepId>) -> Vec<&'a str> {
    ids.into_iter().map(StepId::as_str).collect()
}

/// A JSON Merge Patch (RFC 7396): what is null goes away.
pub fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let target = target.as_object_mut().unwrap();
    for (name, value) in patch {
        if value.is_null() {
            target.remove(name);
        } else {
            merge(target.entry(name).or_insert(Value::Null), value);
        }
    }
}
