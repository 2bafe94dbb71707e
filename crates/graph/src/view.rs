//! The steps of a run, as people ask for them: read from the run's state, not from the interpreter.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::Serialize;
use serde_json::Value;
use stepwell_journal::{
    Entry, EntryStatus, Failure, Location, Outcome, RunId, RunState, UnixMillis,
};

use crate::definition::{Action, OnError};
use crate::graph::Graph;
use crate::refs::look_up;
use crate::run::{Known, StepScope};

/// One step of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepView {
    pub name: String,
    /// `tool`, `code`, `return`, `workflow`, `sleep` or `listen`.
    pub kind: &'static str,
    pub status: StepStatus,
    /// There once the step is completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    /// What the tool gave, if `transformCode` made something else of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raw: Option<Value>,
    /// Why it was skipped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
    pub attempts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<UnixMillis>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<UnixMillis>,
    /// The nested run that it waits for, or waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub child: Option<RunId>,
    /// For a step with `forEach`, once it has begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<ItemsView>,
}

/// How far the items of a step are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ItemsView {
    pub n_items: usize,
    pub n_completed: usize,
    pub n_failed: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    /// Not begun, or not for long enough that the journal knows of it.
    Pending,
    Running,
    Waiting,
    WaitingRetry,
    Completed,
    Failed,
    Skipped,
    Cancelled,
}

/// The steps of a run of this graph, in the order of the definition.
pub fn step_views(graph: &Graph, state: &RunState) -> Vec<StepView> {
    let mut reader = Reader { graph, state, known: vec![None; graph.steps().len()] };
    let mut views: BTreeMap<usize, StepView> = BTreeMap::new();
    // Outputs first of those that others refer to: the number of items may depend on them.
    for step in graph.levels().into_iter().flatten() {
        views.insert(step, reader.step(step));
    }
    views.into_values().collect()
}

struct Reader<'a> {
    graph: &'a Graph,
    state: &'a RunState,
    known: Vec<Option<Known>>,
}

impl Reader<'_> {
    fn step(&mut self, n: usize) -> StepView {
        let step = &self.graph.steps()[n];
        let location = Location::from_text(&step.name);
        let entry = self.state.entry(&location);
        let status = entry.map_or(StepStatus::Pending, status_of);
        let mut view = StepView {
            name: step.name.clone(),
            kind: step.action.kind(),
            status,
            output: None,
            raw: None,
            reason: None,
            failure: None,
            attempts: entry.map_or(0, |entry| entry.attempts.0),
            started_at: entry.map(|entry| entry.started_at),
            ended_at: entry.and_then(|entry| entry.ended_at),
            child: self.child(&location),
            items: None,
        };
        let Some(entry) = entry else { return view };
        match entry.outcome.as_ref().map(|(_, outcome)| outcome) {
            Some(Outcome::Skipped(reason)) => view.reason = Some(reason.clone()),
            Some(Outcome::Failed(failure)) => view.failure = Some(failure.clone()),
            _ => {}
        }
        let is_block = entry.kind == stepwell_journal::EntryKind::Block;
        if self.graph.nodes()[n].each.is_some() && is_block {
            self.read_items(n, &location, &mut view);
        } else {
            view.output =
                self.output(&step.action, &location).filter(|_| view.status.is_completed());
            view.raw = self.raw(&step.action, &location);
            view.attempts = view.attempts.max(self.attempts_below(&location));
        }
        let goes_on = step.config.on_error == Some(OnError::Continue);
        self.known[n] = match (view.status, &view.output) {
            (_, Some(output)) => Some(Known::Value(Rc::new(output.clone()))),
            (StepStatus::Skipped, _) => Some(Known::Absent),
            (StepStatus::Failed, _) if goes_on => Some(Known::Absent),
            _ => None,
        };
        view
    }

    fn read_items(&self, n: usize, location: &Location, view: &mut StepView) {
        let action = &self.graph.steps()[n].action;
        let mut items = ItemsView { n_items: self.n_items(n), ..ItemsView::default() };
        let mut outputs = vec![Value::Null; items.n_items];
        for (n, output) in outputs.iter_mut().enumerate() {
            let item = Location::from_text(&format!("{location}/{n}"));
            match self.state.entry(&item).map(status_of) {
                Some(StepStatus::Failed) => items.n_failed += 1,
                Some(StepStatus::Completed) => {
                    items.n_completed += 1;
                    *output = self.output(action, &item).unwrap_or_default();
                }
                _ => {}
            }
        }
        view.output = view.status.is_completed().then_some(Value::Array(outputs));
        view.items = Some(items);
    }

    /// The length of the array that the step goes through.
    fn n_items(&self, n: usize) -> usize {
        let node = &self.graph.nodes()[n];
        let Some(each) = &node.each else { return 0 };
        let known = |need: &usize| {
            Some((self.graph.steps()[*need].name.as_str(), self.known[*need].clone()?))
        };
        let input = self.state.started.as_ref().and_then(|started| started.input.to().ok());
        let scope = StepScope {
            input: Rc::new(input.unwrap_or_default()),
            needs: node.needs.iter().filter_map(known).collect(),
            ctx: Value::Null,
            item: None,
        };
        let found = look_up(&each.of, &scope).ok().flatten();
        found.and_then(Value::as_array).map_or(0, Vec::len)
    }

    /// What the entry, or the last entry of the block, gave.
    fn output(&self, action: &Action, location: &Location) -> Option<Value> {
        let inner = match action {
            Action::Tool { transform_code: Some(_), .. } => "transform",
            Action::Workflow { .. } => "run",
            Action::Listen { .. } => "message",
            Action::Tool { .. }
            | Action::Code { .. }
            | Action::Return { .. }
            | Action::Sleep { .. } => "",
        };
        let below = Location::from_text(&format!("{location}/{inner}"));
        let entry = self.state.entry(&below).or_else(|| self.state.entry(location))?;
        match &entry.outcome.as_ref()?.1 {
            Outcome::Value(value) => value.to().ok(),
            Outcome::Messages(messages) => messages.first()?.body.to().ok(),
            Outcome::Done => Some(Value::Null),
            Outcome::Failed(_) | Outcome::Skipped(_) | Outcome::TimedOut | Outcome::Version(_) => {
                None
            }
        }
    }

    fn raw(&self, action: &Action, location: &Location) -> Option<Value> {
        let Action::Tool { transform_code: Some(_), .. } = action else { return None };
        let call = self.state.entry(&Location::from_text(&format!("{location}/call")))?;
        match &call.outcome.as_ref()?.1 {
            Outcome::Value(value) => value.to().ok(),
            _ => None,
        }
    }

    fn child(&self, location: &Location) -> Option<RunId> {
        let run = Location::from_text(&format!("{location}/run"));
        let entry = self.state.entry(&run).or_else(|| self.state.entry(location))?;
        entry.child.as_ref().map(|(run, _)| *run)
    }

    /// The most attempts of the entries of a block.
    fn attempts_below(&self, location: &Location) -> u32 {
        let attempts = |inner: &str| {
            let below = Location::from_text(&format!("{location}/{inner}"));
            self.state.entry(&below).map_or(0, |entry| entry.attempts.0)
        };
        attempts("call").max(attempts("transform"))
    }
}

impl StepStatus {
    fn is_completed(self) -> bool {
        self == StepStatus::Completed
    }
}

fn status_of(entry: &Entry) -> StepStatus {
    if let Some((_, Outcome::TimedOut)) = entry.outcome {
        // The kernel's listen has ended well; the step has not.
        return StepStatus::Failed;
    }
    match entry.status {
        EntryStatus::Running => StepStatus::Running,
        EntryStatus::Waiting => StepStatus::Waiting,
        EntryStatus::WaitingRetry => StepStatus::WaitingRetry,
        EntryStatus::Completed => StepStatus::Completed,
        EntryStatus::Failed => StepStatus::Failed,
        EntryStatus::Skipped => StepStatus::Skipped,
        EntryStatus::Cancelled => StepStatus::Cancelled,
    }
}
