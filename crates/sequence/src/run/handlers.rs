//! `onError`: the step's handler, then the workflow's.

use std::rc::Rc;

use stepwell_journal::{Failure, Json};
use stepwell_kernel::{AttemptCx, Ctx, Result};

use super::Run;
use super::step::once;
use crate::context::{Seen, Within};
use crate::error::StepError;
use crate::failed::Failed;
use crate::host::{Call, Role};
use crate::plan::{FunctionRef, Node};

impl Run<'_> {
    /// Calls the handlers of a final failure, each once, with the same argument. One that fails is logged, and
    /// changes nothing.
    pub(super) async fn failed(
        &self,
        ctx: &Ctx,
        node: &Node,
        own: Option<&FunctionRef>,
        failure: &Failure,
        (seen, within): (&Seen, &Within),
    ) {
        if own.is_none() && self.plan.on_error.is_none() {
            return;
        }
        let seen = Rc::new(seen.clone());
        let context = self.context(ctx, &seen, within, failure.attempts.0);
        let argument = Json::of(&Failed::of(&node.name, failure, &context)).unwrap_or_default();
        let handlers = [(".onError", own), (".workflow.onError", self.plan.on_error.as_ref())];
        for (entry, function) in handlers {
            let Some(function) = function else { continue };
            let body = async |cx: AttemptCx| -> Result<()> {
                let call = Call {
                    role: Role::OnError,
                    function: function.clone(),
                    name: node.name.clone(),
                    context: context.clone(),
                    argument: Some(argument.clone()),
                    attempt: Rc::new(cx),
                    timeout: None,
                };
                self.host.call(call).await.map(|_| ()).map_err(StepError::into_final)
            };
            let entry = format!("{entry} {}", node.name);
            if let Err(error) = ctx.step_with(entry, body).policy(once()).await {
                ctx.warn(format!("the error handler of `{}` failed: {error}", node.name));
            }
        }
    }
}
