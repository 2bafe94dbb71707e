//! What may be referred to from a step, for completions while a graph is being written.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::check::{CTX_FIELDS, check};
use crate::definition::{Step, read};
use crate::graph::Node;
use crate::refs::{Key, Shape, parse};

/// The roots that the step called `step` may refer to, and what is known of them. The definition may be
/// unfinished. Steps that wait for this one, directly or not, are left out: they would make a cycle.
pub fn roots_for(definition: &Value, step: &str) -> BTreeMap<String, Shape> {
    let definition = read(definition).definition;
    let nodes = check(&definition, &mut Vec::new()).nodes;
    let here = definition.steps.iter().position(|other| other.name == step);
    let waiting = here.map(|here| waiting_for(here, &nodes)).unwrap_or_default();
    let schema_of = |schema: &Option<Value>| schema.clone().map_or(Shape::Unknown, Shape::Schema);
    let mut roots = BTreeMap::from([
        ("input".to_owned(), schema_of(&definition.input_schema)),
        ("ctx".to_owned(), Shape::Schema(ctx_schema())),
    ]);
    for (n, other) in definition.steps.iter().enumerate() {
        if !waiting.contains(&n) && !other.name.is_empty() {
            roots.insert(other.name.clone(), output_shape(other));
        }
    }
    if let Some(each) = here.and_then(|here| definition.steps[here].for_each.as_ref()) {
        let item = item_shape(&each.of, &roots).unwrap_or(Shape::Unknown);
        roots.insert("item".to_owned(), item);
        roots.insert("index".to_owned(), Shape::Schema(json!({ "type": "integer" })));
    }
    roots
}

/// The step itself and all that wait for it.
fn waiting_for(here: usize, nodes: &[Node]) -> BTreeSet<usize> {
    let mut needed_by: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (n, node) in nodes.iter().enumerate() {
        node.needs.iter().for_each(|need| needed_by[*need].push(n));
    }
    let mut waiting = BTreeSet::from([here]);
    let mut left = vec![here];
    while let Some(need) = left.pop() {
        left.extend(needed_by[need].iter().copied().filter(|n| waiting.insert(*n)));
    }
    waiting
}

fn output_shape(step: &Step) -> Shape {
    match (&step.output_schema, &step.for_each) {
        (Some(schema), None) => Shape::Schema(schema.clone()),
        (Some(schema), Some(_)) => Shape::Schema(json!({ "type": "array", "items": schema })),
        (None, Some(_)) => Shape::Schema(json!({ "type": "array" })),
        (None, None) => Shape::Unknown,
    }
}

fn ctx_schema() -> Value {
    let field = |name: &str| {
        let kind = if name == "started_at" { "integer" } else { "string" };
        (name.to_owned(), json!({ "type": kind }))
    };
    let properties: serde_json::Map<String, Value> = CTX_FIELDS.into_iter().map(field).collect();
    json!({ "type": "object", "properties": properties })
}

/// The shape of the items of what a ref leads to.
fn item_shape(text: &str, roots: &BTreeMap<String, Shape>) -> Option<Shape> {
    let parsed = parse(text, &|root| roots.contains_key(root));
    let found = parsed.only_ref()?;
    let path = found.path.iter().map(|part| &part.key).chain([&Key::Index(0)]);
    Some(roots.get(&found.root)?.at(path))
}
