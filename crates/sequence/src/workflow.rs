//! A sequence as a workflow that an engine can run.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stepwell_journal::Json;
use stepwell_kernel::{Ctx, Error, InputError, LocalBoxFuture, Result, Source, Workflow};

use crate::context::{LastStep, Seen, SeenStep};
use crate::host::SequenceHost;
use crate::plan::Plan;
use crate::run::run_plan;

/// The dialect of these workflows.
pub const DIALECT: &str = "sequence";

/// Says whether the workflow can take an input, before anything is created.
pub(crate) type InputCheck = Arc<dyn Fn(&Json) -> Result<(), InputError> + Send + Sync>;

/// What a workflow is made of.
pub(crate) struct Parts {
    pub plan: Arc<Plan>,
    pub version: String,
    pub host: Arc<dyn SequenceHost>,
    pub input_schema: Option<serde_json::Value>,
    pub check_input: InputCheck,
}

/// What a sequence gives to another that it nests as a run of its own.
#[derive(Serialize, Deserialize)]
struct Inherited {
    #[serde(rename = "stepwell:context")]
    context: InheritedContext,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct InheritedContext {
    input: Json,
    steps: BTreeMap<String, Rc<SeenStep>>,
    last_step: LastStep,
}

const INHERITED: &str = "{\"stepwell:context\":";

pub(crate) fn pack(input: &Json, seen: &Seen) -> Json {
    let context = InheritedContext {
        input: input.clone(),
        steps: seen.steps.clone(),
        last_step: seen.last.clone(),
    };
    Json::of(&Inherited { context }).unwrap_or_else(|_| input.clone())
}

/// The input, and what was seen before.
pub(crate) fn unpack(input: &Json) -> Result<(Json, Seen)> {
    if !input.as_str().starts_with(INHERITED) {
        return Ok((input.clone(), Seen::default()));
    }
    let Inherited { context } = input.to().map_err(Error::critical)?;
    Ok((context.input, Seen { steps: context.steps, last: context.last_step }))
}

impl Plan {
    /// The plan of a workflow that is a sequence.
    pub fn of(workflow: &Workflow) -> Option<Plan> {
        let drawing = workflow.plan().filter(|_| workflow.dialect() == DIALECT)?;
        Plan::deserialize(drawing.get("tree")?).ok()
    }
}

pub(crate) fn workflow(parts: Parts) -> Workflow {
    let Parts { plan, version, host, input_schema, check_input } = parts;
    let name = plan.name.clone();
    let check = move |input: &Json| match unpack(input) {
        Ok((input, _)) => check_input(&input),
        Err(error) => Err(InputError::new(
            &name,
            vec![stepwell_kernel::InputProblem::new("", error.to_string())],
        )),
    };
    let running = plan.clone();
    let function = move |ctx: Ctx, input: Json| -> LocalBoxFuture<'static, Result<Json>> {
        let (plan, host) = (running.clone(), host.clone());
        Box::pin(async move { run_plan(&ctx, &plan, input, &*host).await })
    };
    let drawing = serde_json::to_value(plan.draw()).unwrap_or_default();
    let mut workflow = Workflow::dynamic(&plan.name, &version, check, function)
        .dialect_named(DIALECT)
        .with_plan(drawing);
    if let Some(description) = &plan.description {
        workflow = workflow.described(description);
    }
    if let Some(schema) = input_schema {
        workflow = workflow.with_input_schema(schema);
    }
    if let Some(position) = &plan.position {
        let (file, line, column) = (position.file.clone(), position.line, position.column);
        workflow = workflow.written_in(Source { file, line: Some(line), column: Some(column) });
    }
    workflow
}
