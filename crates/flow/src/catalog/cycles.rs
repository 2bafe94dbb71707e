//! Steps that would, in the end, wait for themselves.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::index::{AttrIx, Index, StepIx};
use crate::names::AttributeName;
use crate::step::StepDefinition;

/// Why one step comes to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Via {
    /// The other provides this attribute.
    Needs(AttributeName),
    /// The other is a goal of its flow.
    Goal,
}

/// From a step on and back to it: each hop and where it leads.
pub(crate) type Cycle = Vec<(StepIx, Via)>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edges {
    Attributes,
    AttributesAndGoals,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Step(StepIx),
    /// A node of its own, so that many providers and many consumers cost their sum, not their product.
    Attribute(AttrIx),
}

/// A search for cycles from one step after another. What was found to lead to none is not walked again.
pub(crate) struct Search<'a> {
    index: &'a Index,
    edges: Edges,
    done: BTreeSet<Node>,
}

impl<'a> Search<'a> {
    pub fn new(index: &'a Index, edges: Edges) -> Search<'a> {
        Search { index, edges, done: BTreeSet::new() }
    }

    /// A cycle that can be reached from the step and was not found before. Without recursion: chains are
    /// as long as catalogs are large.
    pub fn cycle_from(&mut self, start: StepIx) -> Option<Cycle> {
        let start = Node::Step(start);
        if self.done.contains(&start) {
            return None;
        }
        let mut open = BTreeSet::from([start]);
        let mut stack = vec![(start, 0)];
        while let Some((node, next)) = stack.last_mut() {
            let Some(child) = successor(self.index, *node, *next, self.edges) else {
                open.remove(node);
                self.done.insert(*node);
                stack.pop();
                continue;
            };
            *next += 1;
            if open.contains(&child) {
                let begin = stack.iter().position(|(node, _)| *node == child).unwrap_or_default();
                let nodes: Vec<Node> = stack[begin..].iter().map(|(node, _)| *node).collect();
                self.done.append(&mut open);
                return Some(hops(self.index, &nodes));
            }
            if !self.done.contains(&child) {
                open.insert(child);
                stack.push((child, 0));
            }
        }
        None
    }
}

fn successor(index: &Index, node: Node, n: usize, edges: Edges) -> Option<Node> {
    match node {
        Node::Attribute(attribute) => {
            index.uses_of(attribute).providers.get(n).copied().map(Node::Step)
        }
        Node::Step(step) => {
            let entry = index.entry(step);
            if let Some(edge) = entry.inputs.get(n) {
                return Some(Node::Attribute(edge.attribute));
            }
            let flow = entry.step.child_flow().filter(|_| edges == Edges::AttributesAndGoals)?;
            // Goals that do not exist are another problem.
            let mut goals = flow.goals.iter().filter_map(|goal| index.find(goal.as_str()));
            goals.nth(n - entry.inputs.len()).map(Node::Step)
        }
    }
}

fn hops(index: &Index, nodes: &[Node]) -> Cycle {
    // Begin with a step, not with an attribute.
    let first = nodes.iter().position(|node| matches!(node, Node::Step(_))).unwrap_or_default();
    let mut around = nodes[first..].iter().chain(&nodes[..=first]).copied();
    let mut via = Via::Goal;
    let mut cycle = Cycle::new();
    around.next();
    for node in around {
        match node {
            Node::Attribute(attribute) => via = Via::Needs(index.name(attribute).clone()),
            Node::Step(step) => {
                cycle.push((step, std::mem::replace(&mut via, Via::Goal)));
            }
        }
    }
    cycle
}

/// Whether some flow step would have itself in its own plan. What a flow step passes into its flow is
/// not computed there, so not every cycle of goals and attributes is one.
pub(crate) fn flow_cycle(index: &Index) -> Option<Cycle> {
    let flows = index.entries().filter(|(_, entry)| entry.step.child_flow().is_some());
    let inside: BTreeMap<StepIx, Vec<StepIx>> = flows
        .map(|(flow, _)| {
            let steps = reached_inside(index, flow).into_keys();
            let is_flow = |step: &StepIx| index.entry(*step).step.child_flow().is_some();
            (flow, steps.filter(is_flow).collect())
        })
        .collect();
    // Breadth first from each: the shortest way back.
    for start in inside.keys() {
        let mut came_from: BTreeMap<StepIx, StepIx> = BTreeMap::new();
        let mut queue = VecDeque::from([*start]);
        while let Some(flow) = queue.pop_front() {
            for next in &inside[&flow] {
                if came_from.contains_key(next) {
                    continue;
                }
                came_from.insert(*next, flow);
                if next == start {
                    return Some(way_back(index, *start, &came_from));
                }
                queue.push_back(*next);
            }
        }
    }
    None
}

/// The hops of the cycle that leads over these flow steps back to the first.
fn way_back(index: &Index, start: StepIx, came_from: &BTreeMap<StepIx, StepIx>) -> Cycle {
    let mut cycle = Cycle::new();
    let mut to = start;
    loop {
        let flow = came_from[&to];
        let reached = reached_inside(index, flow);
        let mut at = to;
        while let Some((before, via)) = reached.get(&at) {
            cycle.push((at, via.clone()));
            match before {
                Some(before) => at = *before,
                None => break,
            }
        }
        to = flow;
        if to == start {
            cycle.reverse();
            return cycle;
        }
    }
}

/// The steps that the plan of a flow step could have, each with the step that leads to it: none for
/// the goals.
fn reached_inside(index: &Index, flow: StepIx) -> BTreeMap<StepIx, (Option<StepIx>, Via)> {
    let step = &index.entry(flow).step;
    let given = always_given(step);
    let mut reached: BTreeMap<StepIx, (Option<StepIx>, Via)> = BTreeMap::new();
    let mut queue: VecDeque<StepIx> = VecDeque::new();
    for goal in step.goals() {
        if let Some(goal) = index.find(goal.as_str()) {
            reached.insert(goal, (None, Via::Goal));
            queue.push_back(goal);
        }
    }
    let mut crossed = BTreeSet::new();
    while let Some(at) = queue.pop_front() {
        for edge in &index.entry(at).inputs {
            let name = index.name(edge.attribute);
            let is_given = edge.is_settled_by_a_value() && given.contains(name.as_str());
            if is_given || !crossed.insert(edge.attribute) {
                continue;
            }
            for provider in &index.uses_of(edge.attribute).providers {
                if !reached.contains_key(provider) {
                    reached.insert(*provider, (Some(at), Via::Needs(name.clone())));
                    queue.push_back(*provider);
                }
            }
        }
    }
    reached
}

/// The attributes that the flow of a flow step always begins with.
pub(crate) fn always_given(step: &StepDefinition) -> BTreeSet<&str> {
    let arguments = step.arguments();
    arguments
        .filter(|(name, _)| step.attributes[*name].is_always_there())
        .map(|(_, argument)| argument)
        .collect()
}

/// `a` needs `x` from `b`, which needs `y` from `a`.
pub(crate) fn describe(index: &Index, cycle: &Cycle) -> String {
    const HOPS_SHOWN_MAX: usize = 12;
    let first = cycle.last().map(|(step, _)| format!("`{}`", index.id(*step))).unwrap_or_default();
    let mut text = first;
    for (n, (step, via)) in cycle.iter().enumerate() {
        if n == HOPS_SHOWN_MAX {
            text.push_str(&format!(", and so on over {} more steps", cycle.len() - n));
            break;
        }
        let which = if n == 0 { "" } else { ", which" };
        let to = index.id(*step);
        match via {
            Via::Needs(attribute) => {
                text.push_str(&format!("{which} needs `{attribute}` from `{to}`"))
            }
            Via::Goal => text.push_str(&format!("{which} has the goal `{to}`")),
        }
    }
    text
}
