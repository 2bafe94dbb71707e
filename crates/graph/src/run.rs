//! The interpreter: a graph as a durable function.
//!
//! All steps of a run stand side by side in one [`Together`](stepwell_kernel::Together): a step is added to it the moment that its last
//! ref is there. What the function sees is a function of the journal alone, so replay adds the same steps at the
//! same events. When a `return` step ends, or a step fails the run, the rest is dropped and with it cancelled.
//!
//! ```text
//!   entries of a run:   lookup                  a tool, code, return, sleep, listen or workflow step
//!                       mail                    a step of several entries: a block
//!                       mail/call, /transform     the tool's raw result, and what transformCode made of it
//!                       mail/run, /timeout        a nested run and its timeout
//!                       mail/message, /check      a message, and whether it fits outputSchema
//!                       mail/0, mail/1, …         the items of a forEach, each again one entry or a block
//! ```

mod action;
mod each;
mod error;
mod scope;
mod tool;
mod when;

use std::rc::Rc;

use serde_json::{Map, Value, json};
use stepwell_journal::Failure;
use stepwell_kernel::{Ctx, Result};

use crate::definition::{OnError, Step};
use crate::graph::{Graph, Node};
use crate::host::GraphHost;
use action::{Work, fail};
pub use error::ErrorCode;
pub(crate) use scope::{Known, StepScope};

/// Runs a graph to its output.
pub async fn run_graph(
    ctx: &Ctx,
    graph: &Graph,
    input: Value,
    host: &dyn GraphHost,
) -> Result<Value> {
    let facts = json!({
        "run_id": ctx.run_id().to_string(),
        "workflow": graph.id(),
        "version": graph.version(),
        "started_at": ctx.now().0,
    });
    let run = Run { ctx, graph, host, input: Rc::new(input), facts };
    let mut outputs: Vec<Option<Known>> = vec![None; graph.nodes().len()];
    let mut n_waits: Vec<usize> = graph.nodes().iter().map(|node| node.needs.len()).collect();
    let mut together = ctx.together();
    for (n, node) in graph.nodes().iter().enumerate() {
        if node.needs.is_empty() {
            together.add(run.step(n, &outputs));
        }
    }
    while let Some(ended) = together.next().await {
        let (ended, output) = match ended? {
            Ended::Returned(output) => return Ok(output),
            Ended::Step(n, output) => (n, output),
        };
        outputs[ended] = Some(output);
        for waiting in graph.nodes()[ended].needed_by.iter().copied() {
            n_waits[waiting] -= 1;
            if n_waits[waiting] == 0 {
                together.add(run.step(waiting, &outputs));
            }
        }
    }
    Ok(output_of(graph, &outputs))
}

/// That of the one step nobody refers to, or of the several by name.
fn output_of(graph: &Graph, outputs: &[Option<Known>]) -> Value {
    let output = |step: &usize| outputs[*step].as_ref().map_or(Value::Null, Known::to_value);
    match graph.sinks().as_slice() {
        [only] => output(only),
        several => {
            let named = |step: &usize| (graph.steps()[*step].name.clone(), output(step));
            Value::Object(several.iter().map(named).collect())
        }
    }
}

struct Run<'a> {
    ctx: &'a Ctx,
    graph: &'a Graph,
    host: &'a dyn GraphHost,
    input: Rc<Value>,
    /// What `@ctx` says to every step.
    facts: Value,
}

enum Ended {
    Step(usize, Known),
    Returned(Value),
}

impl<'a> Run<'a> {
    /// The step, about to run: what it refers to is there.
    fn step(
        &self,
        n: usize,
        outputs: &[Option<Known>],
    ) -> impl Future<Output = Result<Ended>> + 'a {
        let (definition, node) = (&self.graph.steps()[n], &self.graph.nodes()[n]);
        let known = |need: &usize| {
            let output = outputs[*need].clone().unwrap_or(Known::Absent);
            (self.graph.steps()[*need].name.as_str(), output)
        };
        let scope = StepScope {
            input: self.input.clone(),
            needs: node.needs.iter().map(known).collect(),
            ctx: self.facts_for(&definition.name),
            item: None,
        };
        let step = RunStep { ctx: self.ctx, host: self.host, definition, node, scope };
        async move {
            let output = step.run().await?;
            Ok(match output {
                Known::Value(value) if definition.action.is_return() => {
                    Ended::Returned(Rc::unwrap_or_clone(value))
                }
                output => Ended::Step(n, output),
            })
        }
    }

    fn facts_for(&self, step: &str) -> Value {
        let mut facts: Map<String, Value> = self.facts.as_object().cloned().unwrap_or_default();
        let key = format!("{}/{step}", self.ctx.run_id());
        facts.insert("step".to_owned(), Value::from(step));
        facts.insert("idempotency_key".to_owned(), Value::from(key));
        Value::Object(facts)
    }
}

/// One step of a run.
struct RunStep<'a> {
    ctx: &'a Ctx,
    host: &'a dyn GraphHost,
    definition: &'a Step,
    node: &'a Node,
    scope: StepScope<'a>,
}

impl RunStep<'_> {
    async fn run(&self) -> Result<Known> {
        let (ctx, name) = (self.ctx, self.definition.name.as_str());
        let ended = match self.node.when.as_ref().map(|when| when::holds(when, &self.scope)) {
            Some(Ok(false)) => {
                ctx.skip(name, when::reason(self.node.when.as_ref()));
                return Ok(Known::Absent);
            }
            Some(Err(error)) => fail(ctx, name, error).await,
            Some(Ok(true)) | None => match &self.node.each {
                Some(each) => self.run_each(each).await,
                None => {
                    let input = action::resolve(self.node.input.as_ref(), &self.scope);
                    self.work(None).run(ctx, name, input).await
                }
            },
        };
        match ended {
            Ok(value) => Ok(Known::Value(Rc::new(value))),
            Err(failure) => self.failed(failure),
        }
    }

    fn failed(&self, failure: Failure) -> Result<Known> {
        if self.definition.config.on_error != Some(OnError::Continue) {
            return Err(failure.into());
        }
        let name = &self.definition.name;
        self.ctx.warn(format!("step `{name}` failed, and the run goes on without it: {failure}"));
        Ok(Known::Absent)
    }

    fn work(&self, item: Option<usize>) -> Work<'_> {
        Work {
            host: self.host,
            definition: self.definition,
            output_schema: self.node.output_schema.as_ref(),
            item,
        }
    }
}
