//! Sequences written in Rust.
//!
//! ```
//! # use serde::{Deserialize, Serialize};
//! # use stepwell_sequence::{Sequence, StepCx, StepError, StepExt, OnTimeout};
//! # use std::time::Duration;
//! #[derive(Serialize, Deserialize, schemars::JsonSchema)]
//! struct TreeRequest { kind: String }
//!
//! #[derive(Serialize, Deserialize)]
//! struct Tree { id: String }
//!
//! async fn find_tree(cx: StepCx) -> Result<Tree, StepError> {
//!     let request: TreeRequest = cx.input()?;
//!     Ok(Tree { id: format!("{}-1", request.kind) })
//! }
//!
//! async fn chop_tree(cx: StepCx) -> Result<u32, StepError> {
//!     let tree: Tree = cx.result("find_tree")?;
//!     cx.describe(format!("chopped {}", tree.id));
//!     Ok(10)
//! }
//!
//! let workflow = Sequence::new("tree-processing")
//!     .input::<TreeRequest>()
//!     .step(find_tree)
//!     .step(chop_tree.timeout(Duration::from_secs(60)).on_timeout(OnTimeout::Retry).max_attempts(3))
//!     .build()
//!     .unwrap();
//! assert_eq!(workflow.name(), "tree-processing");
//! ```

mod cx;
mod functions;
mod http;
mod list;

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use stepwell_journal::Json;
use stepwell_kernel::{InputError, Workflow};

pub use cx::{FailedCx, StepCx};
pub use functions::{IntoStep, IntoSteps, OnErrorFn, StepDef, StepExt, delay};
pub use http::{HttpStep, http_step};
pub use list::{ForEach, Steps};

use crate::error::StepError;
use crate::plan::{Nested, NodeKind, Plan, check};
use crate::problem::Problems;
use crate::workflow::{InputCheck, Parts, workflow};
use functions::RustHost;

/// A workflow that is a list of steps, under construction.
#[must_use = "a sequence does nothing until it is built and registered"]
pub struct Sequence {
    plan: Plan,
    list: Steps,
    version: Option<String>,
    input_schema: Option<serde_json::Value>,
    check_input: InputCheck,
}

impl Sequence {
    pub fn new(name: &str) -> Sequence {
        Sequence {
            plan: Plan { name: name.to_owned(), ..Plan::default() },
            list: Steps::new(),
            version: None,
            input_schema: None,
            check_input: Arc::new(|_| Ok(())),
        }
    }

    /// What the workflow takes. Anything else is refused when a run is started.
    pub fn input<I: DeserializeOwned + JsonSchema + 'static>(mut self) -> Sequence {
        self.input_schema = Some(schemars::schema_for!(I).to_value());
        let name = self.plan.name.clone();
        self.check_input = Arc::new(move |input: &Json| InputError::check::<I>(&name, input));
        self
    }

    pub fn description(mut self, text: &str) -> Sequence {
        self.plan.description = Some(text.to_owned());
        self
    }

    /// What people call this version; a hash of the plan unless said otherwise. The code of steps is not part of
    /// that hash.
    pub fn version(mut self, version: &str) -> Sequence {
        self.version = Some(version.to_owned());
        self
    }

    pub fn step<M>(mut self, step: impl IntoStep<M>) -> Sequence {
        self.list = self.list.step(step);
        self
    }

    /// Several steps, one after another: a tuple, a list of [`StepDef`]s or [`Steps`].
    pub fn steps<M>(mut self, steps: impl IntoSteps<M>) -> Sequence {
        self.list = self.list.steps(steps);
        self
    }

    /// One way or the other.
    pub fn branch<A, B>(
        mut self,
        name: &str,
        condition: impl Fn(&StepCx) -> Result<bool, StepError> + Send + Sync + 'static,
        then: impl IntoSteps<A>,
        otherwise: impl IntoSteps<B>,
    ) -> Sequence {
        self.list = self.list.branch(name, condition, then, otherwise);
        self
    }

    /// Steps side by side. The result is an object of theirs.
    pub fn parallel<M>(mut self, name: &str, steps: impl IntoSteps<M>) -> Sequence {
        self.list = self.list.parallel(name, steps);
        self
    }

    /// Steps once for each item of a list. The result is the list of the last step's results, in the order of the
    /// items.
    pub fn for_each<T: Serialize, M>(
        mut self,
        name: &str,
        items: impl Fn(&StepCx) -> Result<Vec<T>, StepError> + Send + Sync + 'static,
        how: ForEach,
        body: impl IntoSteps<M>,
    ) -> Sequence {
        self.list = self.list.for_each(name, items, how, body);
        self
    }

    /// Steps again and again, until the function says so after an iteration.
    pub fn repeat<M>(
        mut self,
        name: &str,
        body: impl IntoSteps<M>,
        until: impl Fn(&StepCx) -> Result<bool, StepError> + Send + Sync + 'static,
    ) -> Sequence {
        self.list = self.list.repeat(name, body, until);
        self
    }

    /// The same, and the workflow fails where it is not done after so many iterations.
    pub fn repeat_at_most<M>(
        mut self,
        name: &str,
        max_iterations: u64,
        body: impl IntoSteps<M>,
        until: impl Fn(&StepCx) -> Result<bool, StepError> + Send + Sync + 'static,
    ) -> Sequence {
        self.list = self.list.repeat_at_most(name, max_iterations, body, until);
        self
    }

    /// Another sequence as one step, called by its name. Its steps are part of this run.
    pub fn nested(mut self, sequence: Sequence) -> Sequence {
        self.list = self.list.nested(sequence);
        self
    }

    /// A workflow that is registered, in any dialect, as one step: a run of its own.
    pub fn nested_run(mut self, name: &str, workflow: &str) -> Sequence {
        self.list = self.list.nested_run(name, workflow);
        self
    }

    /// Called on the final failure of any step, after the step's own handler.
    pub fn on_error<M>(mut self, handler: impl OnErrorFn<M>) -> Sequence {
        self.plan.on_error = Some(self.list.function(handler.into_function()));
        self
    }

    /// The names of the workflows that it nests as runs of their own.
    pub fn nested_runs(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut nodes = self.list.nodes.clone();
        for node in &mut nodes {
            node.runs_mut(&mut |node| {
                if let NodeKind::Workflow(Nested::Run { workflow, .. }) = &node.kind {
                    names.push(workflow.clone());
                }
            });
        }
        names
    }

    /// Says which of those are sequences, and see the steps of this one.
    pub fn sharing(mut self, is_sequence: impl Fn(&str) -> bool) -> Sequence {
        for node in &mut self.list.nodes {
            node.runs_mut(&mut |node| {
                if let NodeKind::Workflow(Nested::Run { workflow, shares_context, .. }) =
                    &mut node.kind
                {
                    *shares_context = is_sequence(workflow);
                }
            });
        }
        self
    }

    /// The plan, checked.
    pub fn plan(&self) -> Result<Plan, Problems> {
        let plan = Plan { nodes: self.list.nodes.clone(), ..self.plan.clone() };
        let problems = check(&plan);
        if problems.is_empty() { Ok(plan) } else { Err(Problems(problems)) }
    }

    /// Checks the plan and makes a workflow of it, to be registered with an engine.
    pub fn build(self) -> Result<Workflow, Problems> {
        let plan = self.plan()?;
        let version = self.version.unwrap_or_else(|| hash(&plan));
        Ok(workflow(Parts {
            plan: Arc::new(plan),
            version,
            host: Arc::new(RustHost { functions: self.list.functions }),
            input_schema: self.input_schema,
            check_input: self.check_input,
        }))
    }

    /// As a part of another.
    fn into_nested(self) -> (Nested, Steps) {
        let mut list = self.list;
        let nodes = std::mem::take(&mut list.nodes);
        let plan = Box::new(Plan { nodes, ..self.plan });
        (Nested::Inline { plan, on_error: None }, list)
    }
}

fn hash(plan: &Plan) -> String {
    let text = serde_json::to_string(plan).unwrap_or_default();
    Sha256::digest(text).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}
