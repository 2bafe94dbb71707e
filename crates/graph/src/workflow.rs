//! A graph as a workflow that an engine can run.

use std::sync::Arc;

use serde_json::Value;
use stepwell_journal::Json;
use stepwell_kernel::{Ctx, Error, InputError, InputProblem, LocalBoxFuture, Result, Workflow};

use crate::graph::Graph;
use crate::host::GraphHost;
use crate::run::run_graph;

/// Makes a workflow of a graph. Its name is the graph's id, its version the graph's; runs stay with the version
/// that they began with.
pub fn workflow(graph: &Arc<Graph>, host: Arc<dyn GraphHost>) -> Workflow {
    let checked = graph.clone();
    let check_input = move |input: &Json| check_input(&checked, input);
    let running = graph.clone();
    let function = move |ctx: Ctx, input: Json| -> LocalBoxFuture<'static, Result<Json>> {
        let (graph, host) = (running.clone(), host.clone());
        Box::pin(async move {
            let input: Value = input.to().map_err(Error::critical)?;
            let output = run_graph(&ctx, &graph, input, &*host).await?;
            Ok(Json::from(output))
        })
    };
    let definition = graph.definition();
    let plan = serde_json::to_value(graph.plan()).unwrap_or_default();
    let mut workflow = Workflow::dynamic(graph.id(), graph.version(), check_input, function)
        .dialect_named("graph")
        .pinned()
        .with_plan(plan);
    if let Some(title) = &definition.title {
        workflow = workflow.titled(title);
    }
    if let Some(description) = &definition.description {
        workflow = workflow.described(description);
    }
    if let Some(schema) = &definition.input_schema {
        workflow = workflow.with_input_schema(schema.clone());
    }
    workflow
}

fn check_input(graph: &Graph, input: &Json) -> Result<(), InputError> {
    let refused = |problems: Vec<InputProblem>| InputError::new(graph.id(), problems);
    let value: Value =
        input.to().map_err(|error| refused(vec![InputProblem::new("", error.to_string())]))?;
    graph.check_input(&value).map_err(|mismatch| {
        let problem = |(at, said): (String, String)| InputProblem::new(at, said);
        let mut problems: Vec<_> = mismatch.differences.into_iter().map(problem).collect();
        if mismatch.n_more > 0 {
            let said = format!("and {} more differences", mismatch.n_more);
            problems.push(InputProblem::new("", said));
        }
        refused(problems)
    })
}
