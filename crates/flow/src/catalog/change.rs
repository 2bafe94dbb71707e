//! Changes of the catalog: checked as a whole, made as a whole.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use super::cycles::{Edges, Search, Via, describe, flow_cycle};
use super::types::clashes;
use super::{Catalog, CatalogEvent, Index, StepIx};
use crate::limits::CATALOG_STEPS_MAX;
use crate::names::{AttributeName, StepId};
use crate::problem::{Code, Path, Problem, Problems, did_you_mean, list};
use crate::step::{Compiler, StepDefinition};

/// One change of the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Adds a step. The same definition again changes nothing; another one is refused.
    Register(StepDefinition),
    /// Changes a step that must be there.
    Update(StepDefinition),
    Remove(StepId),
}

/// What a change leads to.
#[derive(Debug, Clone)]
pub struct Changed {
    pub catalog: Catalog,
    /// For the journal, in order. None if nothing has changed.
    pub events: Vec<CatalogEvent>,
    /// Who gets an attribute from one step less than before.
    pub lost: Vec<LostProvider>,
}

/// A step that has lost a provider of one of its inputs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct LostProvider {
    pub step: StepId,
    pub attribute: AttributeName,
    /// Who provided it.
    pub provider: StepId,
    /// Who still does.
    pub remaining: Vec<StepId>,
}

impl Catalog {
    /// Registers a step. Its shape is checked, then its scripts, then the catalog as it would be.
    pub fn with_step(
        &self,
        step: StepDefinition,
        compiler: &dyn Compiler,
    ) -> Result<Changed, Problems> {
        self.changed(vec![(Path::root(), Edit::Register(step))], compiler)
    }

    /// Changes a step that is there.
    pub fn with_update(
        &self,
        step: StepDefinition,
        compiler: &dyn Compiler,
    ) -> Result<Changed, Problems> {
        self.changed(vec![(Path::root(), Edit::Update(step))], compiler)
    }

    pub fn without_step(&self, id: &str) -> Result<Changed, Problems> {
        self.changed(vec![(Path::root(), Edit::Remove(StepId::from(id)))], &NothingToCompile)
    }

    /// Several changes at once, all or none. Only what they lead to has to be in order, so steps may
    /// come before what they refer to. Paths of problems begin with the place of the edit in the list.
    pub fn with_edits(
        &self,
        edits: Vec<Edit>,
        compiler: &dyn Compiler,
    ) -> Result<Changed, Problems> {
        let edits = edits.into_iter().enumerate();
        self.changed(edits.map(|(n, edit)| (Path::root().item(n), edit)).collect(), compiler)
    }

    fn changed(
        &self,
        edits: Vec<(Path, Edit)>,
        compiler: &dyn Compiler,
    ) -> Result<Changed, Problems> {
        each_step(&edits, |step| step.problems())?;
        each_step(&edits, |step| step.compile_problems(compiler))?;

        let mut change = Change {
            before: self,
            catalog: self.clone(),
            events: Vec::new(),
            touched: Touched::new(),
            removed: Vec::new(),
            problems: Vec::new(),
        };
        for (at, edit) in edits {
            change.edit(at, edit);
        }
        let mut change = Problems::or(std::mem::take(&mut change.problems), change)?;
        change.check();
        let mut change = Problems::or(std::mem::take(&mut change.problems), change)?;
        for (_, step) in std::mem::take(&mut change.touched).into_values() {
            change.catalog.settle_health(&step, &mut change.events);
        }
        let lost = change.lost_providers();
        Ok(Changed { catalog: change.catalog, events: change.events, lost })
    }
}

fn each_step(
    edits: &[(Path, Edit)],
    check: impl Fn(&StepDefinition) -> Vec<Problem>,
) -> Result<(), Problems> {
    let mut problems = Vec::new();
    for (at, edit) in edits {
        if let Edit::Register(step) | Edit::Update(step) = edit {
            problems.extend(check(step).into_iter().map(|problem| at.before(problem)));
        }
    }
    Problems::or(problems, ())
}

/// The steps that are new or different, and where they stand among the edits.
type Touched = BTreeMap<StepId, (Path, Arc<StepDefinition>)>;

/// A change under way.
struct Change<'a> {
    before: &'a Catalog,
    catalog: Catalog,
    events: Vec<CatalogEvent>,
    touched: Touched,
    removed: Vec<(Path, StepId)>,
    problems: Vec<Problem>,
}

impl Change<'_> {
    /// Makes one edit, if the step is there or not there as it should be.
    fn edit(&mut self, at: Path, edit: Edit) {
        let (step, is_update) = match edit {
            Edit::Register(step) => (step, false),
            Edit::Update(step) => (step, true),
            Edit::Remove(id) => {
                if self.catalog.step(id.as_str()).is_none() {
                    return self.unknown(&at, &id);
                }
                self.removed.push((at, id.clone()));
                self.touched.remove(&id);
                return self.follow(CatalogEvent::StepRemoved { step_id: id });
            }
        };
        match self.catalog.step(step.id.as_str()) {
            Some(known) if **known == step => return,
            None if is_update => return self.unknown(&at.field("id"), &step.id),
            Some(_) if !is_update => {
                let message = format!(
                    "there is another step `{}` already: update it, or choose another id",
                    step.id
                );
                return self.problems.push(at.field("id").problem(Code::StepExists, message));
            }
            None if self.catalog.len() >= CATALOG_STEPS_MAX => {
                let message = format!("a catalog has at most {CATALOG_STEPS_MAX} steps");
                return self.problems.push(at.problem(Code::CatalogFull, message));
            }
            Some(_) | None => {}
        }
        let step = Arc::new(step);
        self.touched.insert(step.id.clone(), (at, step.clone()));
        self.follow(if is_update {
            CatalogEvent::StepUpdated { step }
        } else {
            CatalogEvent::StepRegistered { step }
        });
    }

    fn unknown(&mut self, at: &Path, id: &StepId) {
        let ids = self.catalog.steps().map(|step| step.id.as_str());
        let hint = did_you_mean(id.as_str(), ids);
        let message = format!("there is no step `{id}`{hint}");
        self.problems.push(at.problem(Code::StepUnknown, message));
    }

    fn follow(&mut self, event: CatalogEvent) {
        // Whether the step is there was looked at a moment ago.
        let followed = self.catalog.apply(&event);
        debug_assert_eq!(followed, Ok(()));
        self.events.push(event);
    }

    /// What is wrong with the catalog as it would be.
    fn check(&mut self) {
        let index = self.catalog.index();
        for (at, step) in self.touched.values() {
            self.problems.extend(clashes(index, step).into_iter().map(|it| at.before(it)));
            self.problems.extend(unknown_goals(index, step).into_iter().map(|it| at.before(it)));
        }
        for (at, id) in &self.removed {
            let mut flows = index.flows_with_goal(id.as_str()).peekable();
            if index.find(id.as_str()).is_none() && flows.peek().is_some() {
                let flows: Vec<_> = flows.collect();
                let message = format!(
                    "`{id}` is a goal of {}: change or remove those first",
                    list(flows.iter())
                );
                self.problems.push(at.problem(Code::GoalInUse, message));
            }
        }
        self.problems.extend(cycle_problems(index, &self.touched));
    }

    fn lost_providers(&self) -> Vec<LostProvider> {
        let changed: BTreeSet<&StepId> =
            self.removed.iter().map(|(_, id)| id).chain(self.ids_touched()).collect();
        let mut lost = Vec::new();
        for id in changed {
            let Some(before) = self.before.step(id.as_str()) else { continue };
            let now = self.catalog.step(id.as_str());
            for name in before.outputs() {
                let is_kept = now.is_some_and(|now| now.outputs().any(|output| output == name));
                let view = self.catalog.attribute(name.as_str()).filter(|_| !is_kept);
                let Some(view) = view else { continue };
                lost.extend(view.edges.consumers.into_iter().map(|step| LostProvider {
                    step,
                    attribute: name.clone(),
                    provider: id.clone(),
                    remaining: view.edges.providers.clone(),
                }));
            }
        }
        lost.sort();
        lost
    }

    fn ids_touched(&self) -> impl Iterator<Item = &StepId> {
        self.events.iter().filter_map(|event| match event {
            CatalogEvent::StepUpdated { step } => Some(&step.id),
            CatalogEvent::StepRegistered { .. }
            | CatalogEvent::StepRemoved { .. }
            | CatalogEvent::StepHealthChanged { .. } => None,
        })
    }
}

fn unknown_goals(index: &Index, step: &StepDefinition) -> Vec<Problem> {
    let at = Path::root().field("flow").field("goals");
    let unknown =
        step.goals().iter().enumerate().filter(|(_, goal)| index.find(goal.as_str()).is_none());
    unknown
        .map(|(n, goal)| {
            let ids = index.entries().map(|(_, entry)| entry.step.id.as_str());
            let hint = did_you_mean(goal.as_str(), ids);
            let message = format!("there is no step `{goal}`{hint}");
            at.item(n).problem(Code::GoalUnknown, message)
        })
        .collect()
}

/// The cycles that the touched steps close. What is new must go through what was touched.
fn cycle_problems(index: &Index, touched: &Touched) -> Vec<Problem> {
    let places: Vec<(StepIx, &Path, &StepDefinition)> = touched
        .values()
        .filter_map(|(at, step)| Some((index.find(step.id.as_str())?, at, step.as_ref())))
        .filter(|(place, _, step)| may_close_a_cycle(index, *place, step))
        .collect();
    let mut problems = Vec::new();
    let mut search = Search::new(index, Edges::Attributes);
    for (place, at, step) in &places {
        if let Some(mut cycle) = search.cycle_from(*place) {
            // Begin with the step that closes it, if it is a part.
            if let Some(own) = cycle.iter().position(|(step, _)| step == place) {
                cycle.rotate_left(own + 1);
            }
            let mut at = at.field("attributes");
            if let Some((_, Via::Needs(attribute))) = cycle.first()
                && step.attributes.contains_key(attribute)
            {
                at = at.field(attribute.as_str());
            }
            let message = format!("this would wait for itself: {}", describe(index, &cycle));
            problems.push(at.problem(Code::AttributeCycle, message));
        }
    }
    if !problems.is_empty() {
        return problems;
    }
    // Most catalogs end here; only what might be a cycle is looked at closely.
    let mut search = Search::new(index, Edges::AttributesAndGoals);
    let suspect = places.iter().find(|(place, _, _)| search.cycle_from(*place).is_some());
    if let Some(suspect) = suspect
        && let Some(cycle) = flow_cycle(index)
    {
        let is_part = |place: StepIx| cycle.iter().any(|(step, _)| *step == place);
        let (_, at, step) = places.iter().find(|it| is_part(it.0)).unwrap_or(suspect);
        let at = at.field(if step.child_flow().is_some() { "flow" } else { "attributes" });
        let message = format!("this flow would contain itself: {}", describe(index, &cycle));
        problems.push(at.problem(Code::FlowCycle, message));
    }
    problems
}

/// Whether the step both leads on and is led to.
fn may_close_a_cycle(index: &Index, place: StepIx, step: &StepDefinition) -> bool {
    let entry = index.entry(place);
    let is_fed = entry.inputs.iter().any(|it| !index.uses_of(it.attribute).providers.is_empty());
    let feeds = entry.outputs.iter().any(|it| !index.uses_of(*it).consumers.is_empty());
    let is_goal = index.flows_with_goal(step.id.as_str()).next().is_some();
    (is_fed || step.child_flow().is_some()) && (feeds || is_goal)
}

/// A removal has no scripts.
struct NothingToCompile;

impl Compiler for NothingToCompile {
    fn compile(
        &self,
        _: crate::step::Language,
        _: &str,
        _: &[&str],
    ) -> Result<(), crate::step::CompileProblem> {
        Ok(())
    }
}
