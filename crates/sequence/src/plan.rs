//! The plan: what both ways of writing a sequence make, and what drives execution and drawing.

mod check;
mod draw;

use serde::{Deserialize, Serialize};
use stepwell_script::Position;

pub use check::check;
pub use draw::{Drawing, DrawnEdge, DrawnNode};

use crate::error::Growth;

/// A workflow as a tree. It holds no functions: it names them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Plan {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    pub nodes: Vec<Node>,
    /// Called on the final failure of any step, after the step's own handler.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_error: Option<FunctionRef>,
    /// Makes of the run's input what the steps see.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<FunctionRef>,
    /// Where the workflow is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
}

/// A function of the author's, as its host finds it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionRef {
    /// The file whose program has it; empty where there is but one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    pub id: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// What `steps.<name>` finds. Unique in its workflow.
    pub name: String,
    #[serde(flatten)]
    pub kind: NodeKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum NodeKind {
    Step(Step),
    Branch {
        condition: FunctionRef,
        then: Vec<Node>,
        #[serde(rename = "else")]
        otherwise: Vec<Node>,
    },
    /// The body, again and again, until the function says so after an iteration.
    Loop {
        body: Vec<Node>,
        until: FunctionRef,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_iterations: Option<u64>,
    },
    Parallel {
        nodes: Vec<Node>,
    },
    ForEach {
        items: FunctionRef,
        body: Vec<Node>,
        /// How many items at a time; 1 is one after another.
        concurrency: usize,
    },
    Workflow(Nested),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Step {
    pub action: Action,
    #[serde(default)]
    pub config: StepConfig,
    /// The steps whose results its code reads, as far as that can be told from its text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Action {
    Function {
        function: FunctionRef,
        /// What a ready-made step does, such as `GET https://example.com`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<String>,
    },
    /// A durable timer.
    Delay { ms: u64 },
}

/// How a step is tried.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StepConfig {
    /// How long one attempt may take.
    #[serde(rename = "timeout", skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    pub on_timeout: OnTimeout,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff: Option<Growth>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_error: Option<FunctionRef>,
}

/// What follows an attempt that took too long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnTimeout {
    #[default]
    Stop,
    Retry,
}

/// Another workflow as one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum Nested {
    /// Its steps are part of this run.
    Inline {
        plan: Box<Plan>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on_error: Option<FunctionRef>,
    },
    /// A run of its own, of a workflow that is registered in any dialect.
    Run {
        workflow: String,
        /// Whether it is a sequence, which sees the steps of this one.
        #[serde(default)]
        shares_context: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        on_error: Option<FunctionRef>,
    },
}

impl Plan {
    /// How many steps there are, nested ones included.
    pub fn n_steps(&self) -> usize {
        let mut n_steps = 0;
        self.visit(&mut |node| n_steps += usize::from(node.is_leaf()));
        n_steps
    }

    /// Every node, outermost first.
    pub fn visit<'a>(&'a self, each: &mut dyn FnMut(&'a Node)) {
        for node in &self.nodes {
            node.visit(each);
        }
    }

    /// Every function that the plan names.
    pub fn functions_mut(&mut self, each: &mut dyn FnMut(&mut FunctionRef)) {
        self.on_error.iter_mut().chain(&mut self.input).for_each(&mut *each);
        for node in &mut self.nodes {
            node.functions_mut(each);
        }
    }

    /// Every nested workflow that is found by its name.
    pub fn runs_mut(&mut self, each: &mut dyn FnMut(&mut Node)) {
        for node in &mut self.nodes {
            node.runs_mut(each);
        }
    }
}

impl Node {
    /// Whether nothing lies in it.
    pub fn is_leaf(&self) -> bool {
        matches!(self.kind, NodeKind::Step(_) | NodeKind::Workflow(Nested::Run { .. }))
    }

    /// The word for its kind, as it is written.
    pub fn word(&self) -> &'static str {
        match &self.kind {
            NodeKind::Step(step) => match &step.action {
                Action::Function { about: None, .. } => "step",
                Action::Function { .. } => "http",
                Action::Delay { .. } => "delay",
            },
            NodeKind::Branch { .. } => "branch",
            NodeKind::Loop { .. } => "loop",
            NodeKind::Parallel { .. } => "parallel",
            NodeKind::ForEach { .. } => "for_each",
            NodeKind::Workflow(_) => "workflow",
        }
    }

    /// The lists of nodes that lie in it.
    pub fn inner(&self) -> Vec<&[Node]> {
        match &self.kind {
            NodeKind::Step(_) | NodeKind::Workflow(Nested::Run { .. }) => Vec::new(),
            NodeKind::Branch { then, otherwise, .. } => vec![then, otherwise],
            NodeKind::Loop { body, .. } | NodeKind::ForEach { body, .. } => vec![body],
            NodeKind::Parallel { nodes } => vec![nodes],
            NodeKind::Workflow(Nested::Inline { plan, .. }) => vec![&plan.nodes],
        }
    }

    fn inner_mut(&mut self) -> Vec<&mut Vec<Node>> {
        match &mut self.kind {
            NodeKind::Step(_) | NodeKind::Workflow(Nested::Run { .. }) => Vec::new(),
            NodeKind::Branch { then, otherwise, .. } => vec![then, otherwise],
            NodeKind::Loop { body, .. } | NodeKind::ForEach { body, .. } => vec![body],
            NodeKind::Parallel { nodes } => vec![nodes],
            NodeKind::Workflow(Nested::Inline { plan, .. }) => vec![&mut plan.nodes],
        }
    }

    fn visit<'a>(&'a self, each: &mut dyn FnMut(&'a Node)) {
        each(self);
        for node in self.inner().into_iter().flatten() {
            node.visit(each);
        }
    }

    pub(crate) fn functions_mut(&mut self, each: &mut dyn FnMut(&mut FunctionRef)) {
        match &mut self.kind {
            NodeKind::Step(step) => {
                if let Action::Function { function, .. } = &mut step.action {
                    each(function);
                }
                step.config.on_error.iter_mut().for_each(&mut *each);
            }
            NodeKind::Branch { condition, .. } => each(condition),
            NodeKind::Loop { until, .. } => each(until),
            NodeKind::Parallel { .. } => {}
            NodeKind::ForEach { items, .. } => each(items),
            NodeKind::Workflow(Nested::Inline { plan, on_error }) => {
                on_error.iter_mut().for_each(&mut *each);
                return plan.functions_mut(each);
            }
            NodeKind::Workflow(Nested::Run { on_error, .. }) => {
                on_error.iter_mut().for_each(&mut *each)
            }
        }
        for node in self.inner_mut().into_iter().flatten() {
            node.functions_mut(each);
        }
    }

    pub(crate) fn runs_mut(&mut self, each: &mut dyn FnMut(&mut Node)) {
        if matches!(self.kind, NodeKind::Workflow(Nested::Run { .. })) {
            each(self);
        }
        for node in self.inner_mut().into_iter().flatten() {
            node.runs_mut(each);
        }
    }
}
