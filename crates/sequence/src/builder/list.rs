//! Lists of steps, which may hold other lists.

use std::sync::Arc;

use serde::Serialize;
use stepwell_journal::Json;

use super::functions::{Function, IntoStep, IntoSteps, Work};
use super::{Sequence, StepCx};
use crate::error::StepError;
use crate::plan::{Action, FunctionRef, Nested, Node, NodeKind, Step, StepConfig};

/// Steps, one after another: what stands in an arm of a branch, in a loop or in a `for_each`.
#[derive(Clone, Default)]
#[must_use = "steps do nothing until they are part of a sequence"]
pub struct Steps {
    pub(super) nodes: Vec<Node>,
    /// By the number that is a function's id.
    pub(super) functions: Vec<Function>,
}

/// How a `for_each` goes through its items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForEach {
    concurrency: usize,
}

impl ForEach {
    /// One after another.
    pub fn sequential() -> ForEach {
        ForEach { concurrency: 1 }
    }

    /// So many at a time.
    pub fn parallel(concurrency: usize) -> ForEach {
        ForEach { concurrency }
    }
}

impl Steps {
    pub fn new() -> Steps {
        Steps::default()
    }

    pub fn step<M>(mut self, step: impl IntoStep<M>) -> Steps {
        let def = step.into_step();
        let action = match def.work {
            Work::Function { function, about } => {
                Action::Function { function: self.function(function), about }
            }
            Work::Delay { ms } => Action::Delay { ms },
        };
        let on_error = def.on_error.map(|handler| self.function(handler));
        let config = StepConfig { on_error, ..def.config };
        self.push(&def.name, NodeKind::Step(Step { action, config, reads: Vec::new() }))
    }

    pub fn steps<M>(mut self, steps: impl IntoSteps<M>) -> Steps {
        let nodes = self.take_in(steps.into_steps());
        self.nodes.extend(nodes);
        self
    }

    /// See [`Sequence::branch`].
    pub fn branch<A, B>(
        mut self,
        name: &str,
        condition: impl Fn(&StepCx) -> Result<bool, StepError> + Send + Sync + 'static,
        then: impl IntoSteps<A>,
        otherwise: impl IntoSteps<B>,
    ) -> Steps {
        let condition = self.function(Function::Condition(Arc::new(condition)));
        let then = self.take_in(then.into_steps());
        let otherwise = self.take_in(otherwise.into_steps());
        self.push(name, NodeKind::Branch { condition, then, otherwise })
    }

    /// See [`Sequence::parallel`].
    pub fn parallel<M>(mut self, name: &str, steps: impl IntoSteps<M>) -> Steps {
        let nodes = self.take_in(steps.into_steps());
        self.push(name, NodeKind::Parallel { nodes })
    }

    /// See [`Sequence::for_each`].
    pub fn for_each<T: Serialize, M>(
        mut self,
        name: &str,
        items: impl Fn(&StepCx) -> Result<Vec<T>, StepError> + Send + Sync + 'static,
        how: ForEach,
        body: impl IntoSteps<M>,
    ) -> Steps {
        let items = move |cx: &StepCx| Ok(Json::of(&items(cx)?)?);
        let items = self.function(Function::Items(Arc::new(items)));
        let body = self.take_in(body.into_steps());
        self.push(name, NodeKind::ForEach { items, body, concurrency: how.concurrency })
    }

    /// See [`Sequence::repeat`].
    pub fn repeat<M>(
        self,
        name: &str,
        body: impl IntoSteps<M>,
        until: impl Fn(&StepCx) -> Result<bool, StepError> + Send + Sync + 'static,
    ) -> Steps {
        self.push_loop(name, None, body, until)
    }

    /// See [`Sequence::repeat_at_most`].
    pub fn repeat_at_most<M>(
        self,
        name: &str,
        max_iterations: u64,
        body: impl IntoSteps<M>,
        until: impl Fn(&StepCx) -> Result<bool, StepError> + Send + Sync + 'static,
    ) -> Steps {
        self.push_loop(name, Some(max_iterations), body, until)
    }

    fn push_loop<M>(
        mut self,
        name: &str,
        max_iterations: Option<u64>,
        body: impl IntoSteps<M>,
        until: impl Fn(&StepCx) -> Result<bool, StepError> + Send + Sync + 'static,
    ) -> Steps {
        let until = self.function(Function::Condition(Arc::new(until)));
        let body = self.take_in(body.into_steps());
        self.push(name, NodeKind::Loop { body, until, max_iterations })
    }

    /// See [`Sequence::nested`].
    pub fn nested(mut self, sequence: Sequence) -> Steps {
        let (nested, mut list) = sequence.into_nested();
        let name = match &nested {
            Nested::Inline { plan, .. } => plan.name.clone(),
            Nested::Run { workflow, .. } => workflow.clone(),
        };
        list.nodes.push(Node { name, kind: NodeKind::Workflow(nested), position: None });
        let nodes = self.take_in(list);
        self.nodes.extend(nodes);
        self
    }

    /// See [`Sequence::nested_run`].
    pub fn nested_run(self, name: &str, workflow: &str) -> Steps {
        let workflow = workflow.to_owned();
        let nested = Nested::Run { workflow, shares_context: false, on_error: None };
        self.push(name, NodeKind::Workflow(nested))
    }

    pub(super) fn function(&mut self, function: Function) -> FunctionRef {
        self.functions.push(function);
        let id = (self.functions.len() - 1).to_string();
        FunctionRef { unit: String::new(), id }
    }

    fn push(mut self, name: &str, kind: NodeKind) -> Steps {
        self.nodes.push(Node { name: name.to_owned(), kind, position: None });
        self
    }

    /// Takes another list's functions in, and gives its nodes, which name them by their new numbers.
    fn take_in(&mut self, other: Steps) -> Vec<Node> {
        let offset = self.functions.len();
        self.functions.extend(other.functions);
        let mut nodes = other.nodes;
        for node in &mut nodes {
            node.functions_mut(&mut |function| {
                let number: usize = function.id.parse().unwrap_or_default();
                function.id = (number + offset).to_string();
            });
        }
        nodes
    }
}
