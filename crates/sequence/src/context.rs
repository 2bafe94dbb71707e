//! What a function sees of its run.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use stepwell_journal::Json;

use crate::host::{Answer, present};

/// How a step stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepStatus {
    #[default]
    Pending,
    Running,
    WaitingRetry,
    Completed,
    Failed,
    Skipped,
    Cancelled,
}

/// What other steps see of one that has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenStep {
    pub status: StepStatus,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub result: Option<Json>,
    #[serde(default = "empty", skip_serializing_if = "is_empty")]
    pub state: Json,
}

/// The step before this one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LastStep {
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub result: Option<Json>,
    #[serde(default = "empty", skip_serializing_if = "is_empty")]
    pub state: Json,
    /// None for the first step.
    pub step_name: Option<String>,
}

/// The steps that have ended, as a place in the plan sees them. Cheap to clone.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Seen {
    pub steps: BTreeMap<String, Rc<SeenStep>>,
    #[serde(rename = "lastStep")]
    pub last: LastStep,
}

/// All that a function is given, as data. Cheap to clone.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Context {
    /// None if the run was given nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input: Option<Json>,
    #[serde(flatten)]
    pub(crate) seen: Rc<Seen>,
    #[serde(flatten)]
    pub(crate) within: Within,
    pub run_id: String,
    pub workflow_name: String,
    /// The first is 1.
    pub attempt: u32,
}

/// Which item and which iteration a place belongs to: the innermost of each.
#[derive(Debug, Clone, Default, Serialize)]
pub(crate) struct Within {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u64>,
}

impl Context {
    pub fn steps(&self) -> impl Iterator<Item = (&str, &SeenStep)> {
        self.seen.steps.iter().map(|(name, step)| (name.as_str(), &**step))
    }

    pub fn step(&self, name: &str) -> Option<&SeenStep> {
        self.seen.steps.get(name).map(|step| &**step)
    }

    pub fn last_step(&self) -> &LastStep {
        &self.seen.last
    }

    /// The item that this is done for, in a `forEach`.
    pub fn item(&self) -> Option<&Json> {
        self.within.item.as_ref()
    }

    /// The item's place; the first is 0.
    pub fn index(&self) -> Option<usize> {
        self.within.index
    }

    /// In a loop; the first is 0.
    pub fn iteration(&self) -> Option<u64> {
        self.within.iteration
    }
}

impl Default for LastStep {
    fn default() -> LastStep {
        LastStep { result: None, state: empty(), step_name: None }
    }
}

impl SeenStep {
    /// What a step is seen as that ended well.
    pub(crate) fn of(answer: Answer) -> SeenStep {
        let state = answer.state.unwrap_or_else(empty);
        let status = if is_skipped(&state) { StepStatus::Skipped } else { StepStatus::Completed };
        SeenStep { status, result: answer.result, state }
    }

    pub(crate) fn completed(result: Option<Json>) -> SeenStep {
        SeenStep { status: StepStatus::Completed, result, state: empty() }
    }

    /// What a step is seen as that did not run, or failed.
    pub(crate) fn without_result(status: StepStatus, state: Option<Json>) -> SeenStep {
        SeenStep { status, result: None, state: state.unwrap_or_else(empty) }
    }
}

impl Seen {
    /// A step has ended.
    pub fn put(&mut self, name: &str, step: SeenStep) {
        self.last = LastStep {
            result: step.result.clone(),
            state: step.state.clone(),
            step_name: Some(name.to_owned()),
        };
        self.steps.insert(name.to_owned(), Rc::new(step));
    }

    /// The steps that ended since `before`.
    pub fn since(&self, before: &Seen) -> BTreeMap<String, Rc<SeenStep>> {
        let is_new = |(name, step): &(&String, &Rc<SeenStep>)| {
            before.steps.get(*name).is_none_or(|known| !Rc::ptr_eq(known, step))
        };
        self.steps.iter().filter(is_new).map(|(name, step)| (name.clone(), step.clone())).collect()
    }
}

/// `state.skipped = true`
pub(crate) fn is_skipped(state: &Json) -> bool {
    state.as_str().contains("\"skipped\"")
        && state.to::<Value>().is_ok_and(|state| state["skipped"] == true)
}

pub(crate) fn empty() -> Json {
    Json::from(Value::Object(serde_json::Map::new()))
}

fn is_empty(state: &Json) -> bool {
    state.as_str() == "{}"
}

impl StepStatus {
    pub fn as_str(self) -> &'static str {
        match self {
            StepStatus::Pending => "pending",
            StepStatus::Running => "running",
            StepStatus::WaitingRetry => "waiting_retry",
            StepStatus::Completed => "completed",
            StepStatus::Failed => "failed",
            StepStatus::Skipped => "skipped",
            StepStatus::Cancelled => "cancelled",
        }
    }
}
