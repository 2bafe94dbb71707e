//! The records of a run's steps, as its state tells them.

use serde::Serialize;
use serde_json::Value;
use stepwell_journal::{Entry, EntryKind, EntryStatus, Failure, Json, Location, Outcome, RunState};

use crate::context::{StepStatus, empty, is_skipped};
use crate::error::Details;
use crate::host::Answer;
use crate::plan::{Nested, Node, NodeKind, Plan};

/// One step of a run. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepRecord {
    pub name: String,
    /// `step`, `http`, `delay`, `branch`, `loop`, `parallel`, `for_each` or `workflow`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Where its entry stands in the run.
    pub location: String,
    pub status: StepStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Json>,
    /// What the step put into its state.
    pub state: Json,
    /// Why it failed, or the last attempt did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<RecordedError>,
    pub attempts: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<u64>,
    /// In milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<u64>,
    /// When the next attempt begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<u64>,
    /// The item or iteration that it belongs to; iterations that a loop has let go of have no records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// The run that a nested workflow has of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub child: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepRecord>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedError {
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// The attempt that failed.
    pub attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occurred_at: Option<u64>,
}

/// The steps of a plan as a run stands, in the order of the plan.
pub fn records(plan: &Plan, state: &RunState) -> Vec<StepRecord> {
    Reader { state }.list(&plan.nodes, &Location::root(), None)
}

struct Reader<'a> {
    state: &'a RunState,
}

impl Reader<'_> {
    fn list(&self, nodes: &[Node], scope: &Location, number: Option<u64>) -> Vec<StepRecord> {
        nodes.iter().filter_map(|node| self.node(node, scope, number)).collect()
    }

    fn node(&self, node: &Node, scope: &Location, number: Option<u64>) -> Option<StepRecord> {
        let location = scope.named(&node.name).ok()?;
        let entry = self.state.entry(&location);
        let mut record = StepRecord {
            name: node.name.clone(),
            kind: node.word(),
            location: location.as_str().to_owned(),
            status: StepStatus::Pending,
            result: None,
            state: empty(),
            error: None,
            attempts: entry.map_or(0, |entry| entry.attempts.0),
            description: None,
            started_at: entry.map(|entry| entry.started_at.0),
            completed_at: entry.and_then(|entry| entry.ended_at).map(|at| at.0),
            duration: entry.and_then(|entry| Some(entry.ended_at?.ms_since(entry.started_at))),
            retry_at: entry.and_then(|entry| entry.retry_at).map(|at| at.0),
            number,
            child: entry.and_then(|entry| Some(entry.child.as_ref()?.0.to_string())),
            steps: Vec::new(),
        };
        if let Some(entry) = entry {
            record.read(entry);
        }
        record.steps = self.inner(node, &location);
        if record.result.is_none() && record.status == StepStatus::Completed {
            record.result = result_of(node, &record.steps);
        }
        Some(record)
    }

    fn inner(&self, node: &Node, location: &Location) -> Vec<StepRecord> {
        match &node.kind {
            NodeKind::Step(_) | NodeKind::Workflow(Nested::Run { .. }) => Vec::new(),
            NodeKind::Branch { then, otherwise, .. } => {
                let mut steps = self.list(then, location, None);
                let others = self.list(otherwise, location, None);
                steps.extend(others.into_iter().filter(|step| !has(then, &step.name)));
                steps
            }
            NodeKind::Parallel { nodes } => self.list(nodes, location, None),
            NodeKind::Workflow(Nested::Inline { plan, .. }) => {
                self.list(&plan.nodes, location, None)
            }
            NodeKind::Loop { body, .. } => {
                let iterations = self.numbers(location, |below| below.iteration_in(location));
                let each = |n: u64| self.list(body, &location.iteration(n), Some(n));
                iterations.into_iter().flat_map(each).collect()
            }
            NodeKind::ForEach { body, .. } => {
                let index = |below: &Location| {
                    let is_item = below.parent().as_ref() == Some(location);
                    is_item.then(|| below.name().parse().ok()).flatten()
                };
                let each = |n: u64| {
                    let item = location.named(&n.to_string());
                    item.map_or_else(|_| Vec::new(), |item| self.list(body, &item, Some(n)))
                };
                self.numbers(location, index).into_iter().flat_map(each).collect()
            }
        }
    }

    /// The numbers of the iterations or items that are recorded.
    fn numbers(&self, location: &Location, of: impl Fn(&Location) -> Option<u64>) -> Vec<u64> {
        let mut numbers: Vec<u64> =
            self.state.below(location).filter_map(|(below, _)| of(below)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    }
}

impl StepRecord {
    fn read(&mut self, entry: &Entry) {
        self.status = match entry.status {
            EntryStatus::Running | EntryStatus::Waiting => StepStatus::Running,
            EntryStatus::WaitingRetry => StepStatus::WaitingRetry,
            EntryStatus::Completed => StepStatus::Completed,
            EntryStatus::Failed => StepStatus::Failed,
            EntryStatus::Skipped => StepStatus::Skipped,
            EntryStatus::Cancelled => StepStatus::Cancelled,
        };
        if let Some(failure) = &entry.last_failure {
            self.error = Some(RecordedError::of(failure, None));
        }
        match entry.outcome.as_ref().map(|(_, outcome)| outcome) {
            Some(Outcome::Value(value)) if entry.kind == EntryKind::Child => {
                self.result = Some(value.clone());
            }
            Some(Outcome::Value(value)) => self.read_answer(value),
            Some(Outcome::Failed(failure)) => {
                self.attempts = self.attempts.max(failure.attempts.0);
                self.error = Some(RecordedError::of(failure, entry.ended_at.map(|at| at.0)));
                if let Some(state) = Details::of(failure).state {
                    self.read_state(state);
                }
            }
            Some(Outcome::Skipped(reason)) => self.description = Some(reason.clone()),
            _ => {}
        }
    }

    fn read_answer(&mut self, value: &Json) {
        let Ok(Answer { result, state }) = value.to() else { return };
        self.result = result;
        if let Some(state) = state {
            if is_skipped(&state) {
                self.status = StepStatus::Skipped;
            }
            self.read_state(state);
        }
    }

    fn read_state(&mut self, state: Json) {
        let value: Value = state.to().unwrap_or_default();
        self.description = value["description"].as_str().map(str::to_owned);
        self.state = state;
    }
}

impl RecordedError {
    fn of(failure: &Failure, occurred_at: Option<u64>) -> RecordedError {
        let details = Details::of(failure);
        let attempt = failure.attempts.0;
        RecordedError { message: details.message, stack: details.stack, attempt, occurred_at }
    }
}

/// What a block gave: it is not recorded, because it follows from its steps.
fn result_of(node: &Node, steps: &[StepRecord]) -> Option<Json> {
    let ran = |step: &&StepRecord| {
        !(step.status == StepStatus::Skipped
            && step.started_at == step.completed_at
            && step.attempts == 0)
    };
    match &node.kind {
        NodeKind::Step(_) | NodeKind::Workflow(Nested::Run { .. }) => None,
        NodeKind::Branch { .. } | NodeKind::Loop { .. } | NodeKind::Workflow(_) => {
            steps.iter().rfind(ran)?.result.clone()
        }
        NodeKind::Parallel { .. } => {
            let results = steps.iter().map(|step| (&step.name, step.result.clone()));
            Json::of(&results.collect::<std::collections::BTreeMap<_, _>>()).ok()
        }
        NodeKind::ForEach { body, .. } => {
            let last = body.last()?;
            let lasts = steps.iter().filter(|step| step.name == last.name);
            let results = lasts.map(|step| step.result.clone().unwrap_or_default());
            Json::of(&results.collect::<Vec<_>>()).ok()
        }
    }
}

fn has(nodes: &[Node], name: &str) -> bool {
    nodes.iter().any(|node| node.name == name)
}
