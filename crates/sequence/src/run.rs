//! The interpreter: a plan as a durable function.
//!
//! ```text
//!   entries of a run:   .input                     what the schema made of the input
//!                       findTree                   a step; a delay is a sleep
//!                       .onError findTree          its error handler, then the workflow's:
//!                       .workflow.onError findTree
//!                       checkValid                 a branch: a block
//!                       checkValid/.if               what the condition said
//!                       checkValid/ship              the steps of the arm that was taken
//!                       drain/~3/fetch, ~3/.until  an iteration of a loop
//!                       notify/sendEmail           the steps of a parallel, side by side
//!                       batches/.items, /0/process the list of a forEach, and its items
//!                       payment/charge             a nested workflow: a block, or a child run
//! ```
//!
//! Whatever functions say about the way to go is recorded, so a replay goes the same way.

mod blocks;
mod handlers;
mod step;

use std::rc::Rc;

use stepwell_journal::{Failure, Json};
use stepwell_kernel::{Ctx, Error, LocalBoxFuture, Result};

use crate::context::{Context, Seen, Within};
use crate::host::SequenceHost;
use crate::plan::{Nested, Node, NodeKind, Plan};

/// Runs a plan to the result of its last step. `input` is what the run was started with, whether by a user or by
/// a sequence that nests this one.
pub async fn run_plan(
    ctx: &Ctx,
    plan: &Plan,
    input: Json,
    host: &dyn SequenceHost,
) -> Result<Json> {
    let (input, seen) = crate::workflow::unpack(&input)?;
    let mut run = Run { host, plan, input: (input.as_str() != "null").then_some(input) };
    let within = Within::default();
    run.read_input(ctx, &seen, &within).await?;
    let seen = run.list(ctx, &plan.nodes, seen, &within).await?;
    Ok(seen.last.result.unwrap_or_default())
}

/// One workflow under way: the run's own, or one that is nested in it.
struct Run<'a> {
    host: &'a dyn SequenceHost,
    plan: &'a Plan,
    input: Option<Json>,
}

/// A block's result, whichever way it failed.
fn flat<T>(ended: Result<Result<T, Failure>>) -> Result<T, Failure> {
    ended.map_err(Error::into_failure).flatten()
}

impl Run<'_> {
    /// Runs nodes one after another. What comes back is what is seen after the last.
    fn list<'s>(
        &'s self,
        ctx: &'s Ctx,
        nodes: &'s [Node],
        seen: Seen,
        within: &'s Within,
    ) -> LocalBoxFuture<'s, Result<Seen, Failure>> {
        Box::pin(async move {
            let mut seen = seen;
            for node in nodes {
                seen = self.node(ctx, node, seen, within).await?;
            }
            Ok(seen)
        })
    }

    async fn node(
        &self,
        ctx: &Ctx,
        node: &Node,
        seen: Seen,
        within: &Within,
    ) -> Result<Seen, Failure> {
        match &node.kind {
            NodeKind::Step(step) => self.step(ctx, node, step, seen, within).await,
            NodeKind::Branch { .. } => self.branch(ctx, node, seen, within).await,
            NodeKind::Loop { .. } => self.looped(ctx, node, seen, within).await,
            NodeKind::Parallel { nodes } => self.parallel(ctx, node, nodes, seen, within).await,
            NodeKind::ForEach { .. } => self.for_each(ctx, node, seen, within).await,
            NodeKind::Workflow(Nested::Inline { plan, .. }) => {
                self.nested(ctx, node, plan, seen, within).await
            }
            NodeKind::Workflow(Nested::Run { .. }) => self.child(ctx, node, seen, within).await,
        }
    }

    fn context(&self, ctx: &Ctx, seen: &Rc<Seen>, within: &Within, attempt: u32) -> Context {
        Context {
            input: self.input.clone(),
            seen: seen.clone(),
            within: within.clone(),
            run_id: ctx.run_id().to_string(),
            workflow_name: self.plan.name.clone(),
            attempt,
        }
    }
}
