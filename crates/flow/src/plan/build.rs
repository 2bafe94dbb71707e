//! One plan: the two passes.

use std::collections::BTreeMap;

use serde_json::Value;

use super::families::{Child, Children};
use super::scratch::{AttributeMark, Scratch, StepMark};
use super::{Excluded, Exclusion, Matcher, Plan};
use crate::catalog::{AttrIx, Entry, Index, InputEdge, StepIx};
use crate::graph::AttributeEdges;
use crate::names::{AttributeName, StepId};
use crate::problem::list;
use crate::step::Collect;

/// What a plan begins with. A child's values are not known when it is planned, only that they will be
/// there.
pub(super) type Initial<'a> = BTreeMap<AttrIx, Option<&'a Value>>;

/// What one plan is made from.
pub(super) struct Scene<'a> {
    index: &'a Index,
    init: Initial<'a>,
    /// What the initial state means for the inputs that have a `match`.
    matched: BTreeMap<(StepIx, AttrIx), FromInit>,
    /// How many steps and attributes were come to, as often as that was.
    pub n_visits: usize,
}

/// What the initial state does for one input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FromInit {
    Nothing,
    /// No provider has to run for it.
    Settles,
    /// It is there, but providers may add to it or stand in for it.
    Counts,
    /// It is there, and does not match.
    Fails,
    /// No provider can make it good.
    Blocks,
}

/// Whether a step can run.
enum Verdict {
    Satisfiable,
    Missing(Vec<AttrIx>),
    Blocked(Exclusion),
}

/// The steps above the goals, providers before consumers.
pub(super) type Cone = Vec<StepIx>;

impl<'a> Scene<'a> {
    pub fn new(index: &'a Index, init: Initial<'a>) -> Scene<'a> {
        Scene { index, init, matched: BTreeMap::new(), n_visits: 0 }
    }

    /// Goes up from the goals. Without recursion: chains are as long as catalogs are large.
    pub fn cone(&mut self, goals: &[StepIx], matcher: &dyn Matcher, scratch: &mut Scratch) -> Cone {
        enum Visit {
            Step(StepIx),
            Attribute(AttrIx),
            /// All that the step needs has been left.
            Leave(StepIx),
        }
        let index = self.index;
        scratch.begin();
        let mut cone = Cone::new();
        let mut stack: Vec<Visit> = goals.iter().map(|goal| Visit::Step(*goal)).collect();
        // What is pushed a second time before its turn has come is needed earlier: it is marked when
        // its turn comes, not when it is pushed.
        while let Some(visit) = stack.pop() {
            self.n_visits += 1;
            match visit {
                Visit::Step(step) if scratch.mark(step, StepMark::Seen) => {
                    stack.push(Visit::Leave(step));
                    for edge in &index.entry(step).inputs {
                        if edge.has_match {
                            let from_init = self.match_init(step, *edge, matcher);
                            self.matched.insert((step, edge.attribute), from_init);
                        }
                        if self.given_by_init(step, *edge) != FromInit::Settles {
                            stack.push(Visit::Attribute(edge.attribute));
                        }
                    }
                }
                Visit::Attribute(attribute)
                    if scratch.mark_attribute(attribute, AttributeMark::Seen) =>
                {
                    let providers = &index.uses_of(attribute).providers;
                    stack.extend(providers.iter().map(|provider| Visit::Step(*provider)));
                }
                Visit::Step(_) | Visit::Attribute(_) => {}
                Visit::Leave(step) => cone.push(step),
            }
        }
        cone
    }

    /// Both passes, over a cone that was made of the same goals.
    pub fn build(
        &self,
        goals: &[StepIx],
        cone: &Cone,
        children: &Children,
        scratch: &mut Scratch,
    ) -> Plan {
        scratch.begin();
        for step in cone {
            match self.judge(*step, children, scratch) {
                Verdict::Satisfiable => {
                    scratch.mark(*step, StepMark::Satisfiable);
                    for output in &self.index.entry(*step).outputs {
                        scratch.mark_attribute(*output, AttributeMark::Provided);
                    }
                }
                Verdict::Blocked(_) => {
                    scratch.mark(*step, StepMark::Blocked);
                }
                Verdict::Missing(_) => {}
            }
        }
        let mut selection = Selection {
            scene: self,
            scratch,
            selected: Vec::new(),
            n_fresh: 0,
            passed_over: Vec::new(),
            satisfied: Vec::new(),
            required: Vec::new(),
        };
        selection.select(goals);
        selection.into_plan(goals, children)
    }

    /// Once all that the step could get its inputs from has been judged.
    fn judge(&self, step: StepIx, children: &Children, scratch: &Scratch) -> Verdict {
        let entry = self.index.entry(step);
        let name = |edge: &InputEdge| self.index.name(edge.attribute).clone();
        let mut missing = Vec::new();
        for edge in entry.inputs.iter().filter(|edge| edge.is_required) {
            let is_provided = scratch.attribute_has(edge.attribute, AttributeMark::Provided);
            match self.given_by_init(step, *edge) {
                FromInit::Settles | FromInit::Counts => {}
                FromInit::Nothing if is_provided || edge.collect == Collect::None => {}
                FromInit::Nothing => missing.push(edge.attribute),
                FromInit::Fails if is_provided => {}
                FromInit::Fails => {
                    let name = name(edge);
                    let reason = format!(
                        "the initial value of `{name}` does not match, and no step can provide \
                         another"
                    );
                    return Verdict::Blocked(Exclusion { attributes: vec![name], reason });
                }
                FromInit::Blocks => {
                    let name = name(edge);
                    let reason = match edge.collect {
                        Collect::None => {
                            format!("it runs only without `{name}`, and the initial state has it")
                        }
                        _ => format!("the initial value of `{name}` does not match, and all must"),
                    };
                    return Verdict::Blocked(Exclusion { attributes: vec![name], reason });
                }
            }
        }
        if let Some(Child::Cannot(exclusion)) = children.get(&step) {
            return Verdict::Blocked(exclusion.clone());
        }
        if missing.is_empty() { Verdict::Satisfiable } else { Verdict::Missing(missing) }
    }

    fn given_by_init(&self, step: StepIx, edge: InputEdge) -> FromInit {
        if edge.has_match {
            let known = self.matched.get(&(step, edge.attribute));
            return known.copied().unwrap_or(FromInit::Nothing);
        }
        match (self.init.contains_key(&edge.attribute), edge.collect) {
            (false, _) => FromInit::Nothing,
            (true, Collect::First) => FromInit::Settles,
            (true, Collect::Last | Collect::All | Collect::Some) => FromInit::Counts,
            (true, Collect::None) => FromInit::Blocks,
        }
    }

    fn match_init(&self, step: StepIx, edge: InputEdge, matcher: &dyn Matcher) -> FromInit {
        let Some(value) = self.init.get(&edge.attribute) else { return FromInit::Nothing };
        let attributes = &self.index.entry(step).step.attributes;
        let input = attributes.get(self.index.name(edge.attribute)).and_then(|it| it.input());
        let script = input.and_then(|input| input.matches.as_ref());
        let is_match = match (script, value) {
            (Some(script), Some(value)) => matcher.matches(script, value),
            _ => None,
        };
        match (is_match, edge.collect) {
            (Some(true), Collect::First) => FromInit::Settles,
            (Some(true), Collect::None) => FromInit::Blocks,
            (Some(false), Collect::None) => FromInit::Nothing,
            (Some(false), Collect::All) => FromInit::Blocks,
            (Some(false), _) => FromInit::Fails,
            (Some(true), _) | (None, _) => FromInit::Counts,
        }
    }

    /// Whether the initial state has all that the step would provide.
    fn is_satisfied(&self, step: StepIx) -> bool {
        let outputs = &self.index.entry(step).outputs;
        !outputs.is_empty() && outputs.iter().all(|output| self.init.contains_key(output))
    }

    fn names(&self, attributes: &[AttrIx]) -> Vec<AttributeName> {
        let mut names: Vec<_> = attributes.iter().map(|it| self.index.name(*it).clone()).collect();
        names.sort_unstable();
        names
    }
}

/// The second pass.
struct Selection<'s, 'a> {
    scene: &'s Scene<'a>,
    scratch: &'s mut Scratch,
    selected: Vec<StepIx>,
    /// How many of the selected had their inputs looked at.
    n_fresh: usize,
    passed_over: Vec<StepIx>,
    satisfied: Vec<StepIx>,
    required: Vec<AttrIx>,
}

impl Selection<'_, '_> {
    fn select(&mut self, goals: &[StepIx]) {
        for goal in goals {
            if self.scene.is_satisfied(*goal) {
                self.satisfy(*goal);
            } else if self.scratch.has(*goal, StepMark::Blocked) {
                self.pass_over(*goal);
            } else {
                self.take(*goal);
            }
        }
        while let Some(step) = self.selected.get(self.n_fresh).copied() {
            self.n_fresh += 1;
            for edge in &self.scene.index.entry(step).inputs {
                self.provide(step, *edge);
            }
        }
    }

    fn take(&mut self, step: StepIx) {
        if self.scratch.mark(step, StepMark::Selected) {
            self.selected.push(step);
        }
    }

    fn pass_over(&mut self, step: StepIx) {
        if self.scratch.mark(step, StepMark::PassedOver) {
            self.passed_over.push(step);
        }
    }

    fn satisfy(&mut self, step: StepIx) {
        if self.scratch.mark(step, StepMark::Satisfied) {
            self.satisfied.push(step);
        }
    }

    /// Takes in who provides an input.
    fn provide(&mut self, step: StepIx, edge: InputEdge) {
        let from_init = self.scene.given_by_init(step, edge);
        let providers = &self.scene.index.uses_of(edge.attribute).providers;
        if from_init == FromInit::Settles {
            // Those that are not needed because the initial state has all that they give.
            if self.scratch.mark_attribute(edge.attribute, AttributeMark::Settled) {
                for provider in providers.iter().filter(|it| self.scene.is_satisfied(**it)) {
                    self.satisfy(*provider);
                }
            }
            return;
        }
        if self.scratch.mark_attribute(edge.attribute, AttributeMark::Pulled) {
            for provider in providers {
                if self.scratch.has(*provider, StepMark::Satisfiable) {
                    self.take(*provider);
                } else {
                    self.pass_over(*provider);
                }
            }
        }
        let is_lacking = edge.is_required
            && edge.collect != Collect::None
            && from_init == FromInit::Nothing
            && !self.scratch.attribute_has(edge.attribute, AttributeMark::Provided);
        if !is_lacking || !self.scratch.mark_attribute(edge.attribute, AttributeMark::Shown) {
            return;
        }
        // Show the way as far as it goes.
        let mut goes_on = false;
        for provider in providers {
            if !self.scratch.has(*provider, StepMark::Blocked) {
                self.take(*provider);
                goes_on = true;
            }
        }
        if !goes_on {
            self.required.push(edge.attribute);
        }
    }

    fn into_plan(self, goals: &[StepIx], children: &Children) -> Plan {
        let scene = self.scene;
        let index = scene.index;
        let excluded = self.excluded(children);
        // In the order of ids, so that providers and consumers are, too.
        let entries = self.selected.iter().map(|step| index.entry(*step).as_ref());
        let mut selected: Vec<(&StepId, &Entry)> =
            entries.map(|entry| (&entry.step.id, entry)).collect();
        selected.sort_unstable_by_key(|(id, _)| *id);
        let mut attributes: Vec<(AttributeName, AttributeEdges)> = Vec::new();
        for (id, entry) in &selected {
            let inputs = entry.inputs.iter().map(|edge| (edge.attribute, false));
            let outputs = entry.outputs.iter().map(|output| (*output, true));
            for (attribute, is_output) in inputs.chain(outputs) {
                let place = self.scratch.place(attribute, attributes.len());
                if place == attributes.len() {
                    attributes.push((index.name(attribute).clone(), AttributeEdges::default()));
                }
                let edges = &mut attributes[place].1;
                let steps = if is_output { &mut edges.providers } else { &mut edges.consumers };
                steps.push((*id).clone());
            }
        }
        let steps = selected.into_iter().map(|(id, entry)| (id.clone(), entry.step.clone()));
        Plan {
            goals: goals.iter().map(|goal| index.id(*goal).clone()).collect(),
            steps: steps.collect(),
            attributes: attributes.into_iter().collect(),
            required: scene.names(&self.required),
            excluded,
            children: BTreeMap::new(),
        }
    }

    fn excluded(&self, children: &Children) -> Excluded {
        let scene = self.scene;
        let is_out = |step: &&StepIx| !self.scratch.has(**step, StepMark::Selected);
        let mut excluded = Excluded::default();
        for step in self.satisfied.iter().filter(is_out) {
            let entry = scene.index.entry(*step);
            let attributes = scene.names(&entry.outputs);
            let reason = format!("the initial state has {}", list(attributes.iter()));
            let id = entry.step.id.clone();
            excluded.satisfied.insert(id, Exclusion { attributes, reason });
        }
        // What is satisfied needs no other reason.
        let is_open = |step: &&StepIx| !self.scratch.has(**step, StepMark::Satisfied);
        for step in self.passed_over.iter().filter(is_out).filter(is_open) {
            let id = scene.index.id(*step).clone();
            match scene.judge(*step, children, self.scratch) {
                Verdict::Missing(missing) => {
                    let attributes = scene.names(&missing);
                    let reason = format!(
                        "the initial state lacks {}, and no step can provide it",
                        list(attributes.iter())
                    );
                    excluded.missing.insert(id, Exclusion { attributes, reason });
                }
                Verdict::Blocked(exclusion) => {
                    excluded.blocked.insert(id, exclusion);
                }
                // One that can run is never passed over.
                Verdict::Satisfiable => {}
            }
        }
        excluded
    }
}
