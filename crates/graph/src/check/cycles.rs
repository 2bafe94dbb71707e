//! Steps that wait for each other.

use std::collections::BTreeSet;

use crate::definition::Definition;
use crate::graph::{Edge, Node};
use crate::problem::{Code, Problem};

/// How many cycles are shown.
const CYCLES_SHOWN: usize = 20;

/// Cycles that share no step, each as its steps in order: every one waits for the next, the last for the first.
pub(super) fn find(nodes: &[Node]) -> Vec<Vec<usize>> {
    let mut left: BTreeSet<usize> = (0..nodes.len()).collect();
    let mut cycles = Vec::new();
    while cycles.len() < CYCLES_SHOWN {
        drop_free(nodes, &mut left);
        let Some(first) = left.first() else { break };
        let cycle = walk(nodes, &left, *first);
        for step in &cycle {
            left.remove(step);
        }
        cycles.push(cycle);
    }
    cycles
}

/// Takes away the steps that wait for none of those that are left, until there are none such.
fn drop_free(nodes: &[Node], left: &mut BTreeSet<usize>) {
    let mut n_waits: Vec<usize> = vec![0; nodes.len()];
    let mut needed_by: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for step in left.iter().copied() {
        for need in nodes[step].needs.iter().filter(|need| left.contains(need)) {
            n_waits[step] += 1;
            needed_by[*need].push(step);
        }
    }
    let mut free: Vec<usize> = left.iter().copied().filter(|step| n_waits[*step] == 0).collect();
    while let Some(step) = free.pop() {
        left.remove(&step);
        for waiting in &needed_by[step] {
            n_waits[*waiting] -= 1;
            if n_waits[*waiting] == 0 {
                free.push(*waiting);
            }
        }
    }
}

/// From a step to what it waits for, again and again, until a step comes round.
fn walk(nodes: &[Node], left: &BTreeSet<usize>, first: usize) -> Vec<usize> {
    let mut trail = vec![first];
    loop {
        let last = trail[trail.len() - 1];
        // Each step that is left waits for one that is left.
        let Some(next) = nodes[last].needs.iter().copied().find(|need| left.contains(need)) else {
            return trail;
        };
        if let Some(place) = trail.iter().position(|step| *step == next) {
            return trail.split_off(place);
        }
        trail.push(next);
    }
}

/// Says who waits for whom, and where that is written.
pub(super) fn describe(cycle: &[usize], definition: &Definition, edges: &[Edge]) -> Problem {
    let name = |step: usize| definition.steps[step].name.as_str();
    let edge_of = |place: usize| {
        let (step, need) = (cycle[place], cycle[(place + 1) % cycle.len()]);
        edges.iter().find(|edge| edge.to == step && edge.from == need)
    };
    let waits: Vec<String> = (0..cycle.len())
        .filter_map(|place| {
            let edge = edge_of(place)?;
            Some(format!("`{}` waits for `{}` ({})", name(edge.to), name(edge.from), edge.field))
        })
        .collect();
    let round: Vec<&str> = cycle.iter().chain(cycle.first()).map(|step| name(*step)).collect();
    Problem {
        step: cycle.first().map(|step| name(*step).to_owned()),
        field: edge_of(0).map(|edge| edge.field.clone()).unwrap_or_default(),
        code: Code::Cycle,
        message: format!("steps wait for each other: {}. {}", round.join(" -> "), waits.join(", ")),
        span: None,
    }
}
