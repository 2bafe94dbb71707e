//! The interpreter: a flow as a durable function.
//!
//! A [`FlowState`] decides, and this carries out: all steps of a flow stand side by side in one
//! [`Together`](stepwell_kernel::Together), and each end is a fact that the state answers with what follows. What the
//! function sees is a function of the journal alone, so a replay comes to the same decisions at the same events.
//!
//! ```text
//!   entries of a run:   send-email predicate       whether the step runs; if not, `send-email` is skipped, with the reason
//!                       send-email                 a block with the work items:
//!                       send-email/0                 the first work item, done by a script or a call
//!                       send-email/0 wait 1          the wait before its second attempt, and
//!                       send-email/0 #2              that attempt
//!                       send-email/0 call            the call of an async step,
//!                       send-email/0 webhook           the wait for its answer, and
//!                       send-email/0 outputs           what the answer gives; also of a flow step, whose child is `0`
//!                       send-email/0 predicate       whether this one of several items runs
//!                       send-email/0 memo            whether a result is remembered
//!                       send-email waits for body  the time that an optional input is waited for
//! ```

pub(crate) mod names;
pub(crate) mod retry;
mod step;
mod values;
mod work;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stepwell_journal::{Json, RunId};
use stepwell_kernel::{
    Ctx, Error, InputError, InputProblem, LocalBoxFuture, Result, Workflow, millis,
};

use crate::host::FlowHost;
use crate::items::Arguments;
use crate::names::{AttributeName, StepId};
use crate::plan::Plan;
use crate::state::{Decision, Fact, FlowOutcome, FlowState};
pub use names::webhook_message;
pub(crate) use step::PREDICATE_FALSE;
use step::StepRun;
pub(crate) use work::no_webhook;
use work::script_failed;

/// The name of the workflow that all flows are runs of.
pub const FLOW_WORKFLOW: &str = "flow";

/// The version of the interpreter, not of a plan: plans are in the input.
const VERSION: &str = "1";

/// What a flow begins with. The plan is frozen here, so later changes of the catalog do not reach the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlowInput {
    pub plan: Plan,
    #[serde(default)]
    pub init: BTreeMap<AttributeName, Value>,
    pub namespace: String,
    /// The flow step that started it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<FlowParent>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowParent {
    pub run_id: RunId,
    pub step_id: StepId,
}

/// The workflow that runs flows.
pub fn flow_workflow(host: Arc<FlowHost>) -> Workflow {
    let function = move |ctx: Ctx, input: Json| -> LocalBoxFuture<'static, Result<Json>> {
        let host = host.clone();
        Box::pin(async move {
            let input: FlowInput = input.to().map_err(Error::critical)?;
            Ok(Json::of(&run_flow(&ctx, input, &host).await?)?)
        })
    };
    Workflow::dynamic(FLOW_WORKFLOW, VERSION, check_input, function)
        .dialect_named("flow")
        .titled("Flow")
        .described(
            "Runs the steps of a plan until its goals are reached. Start one with POST /api/flows.",
        )
}

fn check_input(input: &Json) -> Result<(), InputError> {
    let refused = |problems| InputError::new(FLOW_WORKFLOW, problems);
    let input: FlowInput =
        input.to().map_err(|error| refused(vec![InputProblem::new("", error.to_string())]))?;
    match input.plan.obstacles_with(&input.init) {
        problems if problems.is_empty() => Ok(()),
        problems => Err(refused(
            problems.into_iter().map(|it| InputProblem::new(it.path, it.message)).collect(),
        )),
    }
}

/// Runs a flow to its end, and gives the attributes that it has then.
pub async fn run_flow(
    ctx: &Ctx,
    input: FlowInput,
    host: &Arc<FlowHost>,
) -> Result<Map<String, Value>> {
    let (mut state, mut decisions) =
        FlowState::begin(&input.plan, &input.init).map_err(Error::critical)?;
    let flow = Rc::new(Flow {
        run: ctx.run_id(),
        host: host.clone(),
        plan: input.plan,
        namespace: input.namespace,
        parent: input.parent,
    });
    let mut together = ctx.together();
    loop {
        for decision in decisions {
            match decision {
                Decision::SetAttribute { .. } => {}
                Decision::Match { step, attribute, provider, value } => {
                    together.add(flow.clone().match_value(ctx, step, attribute, provider, value));
                }
                Decision::Wait { step, attribute, deadline_ms } => {
                    together.add(wait(ctx, step, attribute, deadline_ms));
                }
                Decision::Start { step, inputs } => {
                    together.add(flow.clone().start(ctx, step, inputs));
                }
                Decision::Skip { step, reason } | Decision::Fail { step, error: reason } => {
                    ctx.skip(step.as_str(), reason);
                }
                // They go with the set.
                Decision::Stop { .. } => {}
                Decision::End(FlowOutcome::Completed) => return Ok(attributes(&state)),
                Decision::End(FlowOutcome::Failed { goal, error }) => {
                    let said = format!("goal `{goal}` cannot complete: {error}");
                    return Err(Error::critical(Error::msg(said)));
                }
            }
        }
        let Some(fact) = together.next().await else {
            // The state promises that this cannot be; if it breaks its promise, a run must not hang.
            return Err(Error::critical(Error::msg(
                "the flow waits for nothing: a fault of Stepwell",
            )));
        };
        decisions = state.apply(fact?).map_err(Error::critical)?;
    }
}

fn attributes(state: &FlowState) -> Map<String, Value> {
    state.attributes().map(|(name, value, _)| (name.to_string(), (**value).clone())).collect()
}

async fn wait(ctx: &Ctx, step: StepId, attribute: AttributeName, deadline_ms: u64) -> Result<Fact> {
    ctx.sleep(names::deadline(&step, &attribute), millis(deadline_ms)).await?;
    Ok(Fact::DeadlinePassed { step, attribute })
}

/// What all steps of a flow share.
struct Flow {
    run: RunId,
    host: Arc<FlowHost>,
    plan: Plan,
    namespace: String,
    parent: Option<FlowParent>,
}

impl Flow {
    async fn start(self: Rc<Self>, ctx: &Ctx, step: StepId, inputs: Arguments) -> Result<Fact> {
        let Some(definition) = self.plan.steps.get(&step).cloned() else {
            return Ok(Fact::Failed { step, error: "the plan has no such step".to_owned() });
        };
        Rc::new(StepRun::new(self, definition)).run(ctx, inputs).await
    }

    /// A match that fails says no: the value is not what the step wants.
    async fn match_value(
        self: Rc<Self>,
        ctx: &Ctx,
        step: StepId,
        attribute: AttributeName,
        provider: Option<StepId>,
        value: Arc<Value>,
    ) -> Result<Fact> {
        let name = names::matching(&step, &attribute, provider.as_ref());
        let input = self.plan.steps.get(&step).and_then(|step| step.attributes.get(&attribute));
        let script = input.and_then(|attribute| attribute.input()?.matches.as_ref());
        let body = async || match script {
            Some(script) => {
                let said = self.host.scripts.test_value(script, &value).await;
                Ok::<_, Error>(said.map_err(|error| script_failed("the match", &error))?)
            }
            None => Ok(true),
        };
        let is_match = match ctx.step(name, body).ephemeral().await {
            Ok(is_match) => is_match,
            Err(error) => {
                ctx.warn(format!("the match of `{attribute}` in step `{step}` failed: {error}"));
                false
            }
        };
        Ok(Fact::Matched { step, attribute, provider, is_match })
    }
}
