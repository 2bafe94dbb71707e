//! What steps lie in: branches, loops, steps side by side, items, nested workflows.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use stepwell_journal::{Failure, FailureKind, Json};
use stepwell_kernel::{Ctx, Error, Loop, Result};

use super::{Run, flat};
use crate::context::{LastStep, Seen, SeenStep, StepStatus, Within};
use crate::host::Role;
use crate::limits::ITEMS_MAX;
use crate::plan::{Nested, Node, NodeKind, Plan};
use crate::workflow::pack;

/// What one iteration of a loop leaves to the next.
#[derive(Serialize, Deserialize)]
struct Turn {
    iteration: u64,
    steps: BTreeMap<String, Rc<SeenStep>>,
    last: LastStep,
}

impl Run<'_> {
    pub(super) async fn branch(
        &self,
        ctx: &Ctx,
        node: &Node,
        seen: Seen,
        within: &Within,
    ) -> Result<Seen, Failure> {
        let NodeKind::Branch { condition, then, otherwise } = &node.kind else { return Ok(seen) };
        let block = async |ctx: Ctx| -> Result<Seen> {
            let asked = (".if", Role::Condition, condition);
            let answer = self.ask(&ctx, asked, node, (&seen, within)).await?;
            let is_met = answer.as_str() == "true";
            let (taken, other) = if is_met { (then, otherwise) } else { (otherwise, then) };
            let mut seen = seen.clone();
            for other in other.iter().filter(|other| !has(taken, &other.name)) {
                ctx.skip(&other.name, format!("the condition of `{}` was {is_met}", node.name));
                let skipped = SeenStep::without_result(StepStatus::Skipped, None);
                seen.steps.insert(other.name.clone(), Rc::new(skipped));
            }
            let mut seen = self.list(&ctx, taken, seen, within).await?;
            let result = if taken.is_empty() { None } else { seen.last.result.clone() };
            seen.put(&node.name, SeenStep::completed(result));
            Ok(seen)
        };
        flat(ctx.try_block(&node.name, block).await)
    }

    pub(super) async fn looped(
        &self,
        ctx: &Ctx,
        node: &Node,
        seen: Seen,
        within: &Within,
    ) -> Result<Seen, Failure> {
        let NodeKind::Loop { body, until, max_iterations } = &node.kind else { return Ok(seen) };
        let first = Turn { iteration: 0, steps: BTreeMap::new(), last: seen.last.clone() };
        let iteration = async |ctx: Ctx, turn: Turn| -> Result<Loop<Turn, Turn>> {
            let mut before = seen.clone();
            before.steps.extend(turn.steps);
            before.last = turn.last;
            let within = Within { iteration: Some(turn.iteration), ..within.clone() };
            let after = self.list(&ctx, body, before, &within).await?;
            let asked = (".until", Role::Condition, until);
            let is_done = self.ask(&ctx, asked, node, (&after, &within)).await?.as_str() == "true";
            let n_made = turn.iteration + 1;
            let next =
                Turn { iteration: n_made, steps: after.since(&seen), last: after.last.clone() };
            if is_done {
                return Ok(Loop::Break(next));
            }
            if max_iterations.is_some_and(|max| n_made >= max) {
                let said = format!(
                    "loop `{}` was not done after its maxIterations of {n_made}",
                    node.name
                );
                let failure = Failure::new(FailureKind::Limit, said).at(ctx.location());
                self.failed(&ctx, node, None, &failure, (&after, &within)).await;
                return Err(failure.into());
            }
            Ok(Loop::Continue(next))
        };
        let ended = ctx.looped(&node.name, first, iteration).await;
        let turn = ended.map_err(Error::into_failure)?;
        let mut seen = seen.clone();
        seen.steps.extend(turn.steps);
        seen.put(&node.name, SeenStep::completed(turn.last.result));
        Ok(seen)
    }

    /// The results by name. The first failure fails it, and gives up the others.
    pub(super) async fn parallel(
        &self,
        ctx: &Ctx,
        node: &Node,
        nodes: &[Node],
        seen: Seen,
        within: &Within,
    ) -> Result<Seen, Failure> {
        let block = async |ctx: Ctx| -> Result<Vec<Option<Seen>>> {
            let ctx = &ctx;
            let mut ended: Vec<Option<Seen>> = vec![None; nodes.len()];
            let mut together = ctx.together();
            for (n, node) in nodes.iter().enumerate() {
                let before = seen.clone();
                together.add(async move { (n, self.node(ctx, node, before, within).await) });
            }
            while let Some((n, after)) = together.next().await {
                ended[n] = Some(after?);
            }
            Ok(ended)
        };
        let ended = flat(ctx.try_block(&node.name, block).await)?;
        let mut after = seen.clone();
        let mut results = BTreeMap::new();
        for (node, ended) in nodes.iter().zip(ended.into_iter().flatten()) {
            results.insert(node.name.clone(), ended.last.result.clone().unwrap_or_default());
            after.steps.extend(ended.since(&seen));
        }
        let results = Json::of(&results).map_err(|error| Error::from(error).into_failure())?;
        after.put(&node.name, SeenStep::completed(Some(results)));
        Ok(after)
    }

    /// The results in the order of the items, whichever ends first.
    pub(super) async fn for_each(
        &self,
        ctx: &Ctx,
        node: &Node,
        mut seen: Seen,
        within: &Within,
    ) -> Result<Seen, Failure> {
        let NodeKind::ForEach { items, body, concurrency } = &node.kind else { return Ok(seen) };
        let block = async |ctx: Ctx| -> Result<Vec<Json>> {
            let ctx = &ctx;
            let (seen, asked) = (&seen, (".items", Role::Items, items));
            let list = self.ask(ctx, asked, node, (seen, within)).await?;
            let list = match items_of(&node.name, &list) {
                Ok(list) => list,
                Err(failure) => {
                    let failure = failure.at(ctx.location());
                    self.failed(ctx, node, None, &failure, (seen, within)).await;
                    return Err(failure.into());
                }
            };
            let mut results = vec![Json::null(); list.len()];
            let mut left = list.into_iter().enumerate();
            let mut n_running = 0;
            let mut together = ctx.together();
            loop {
                for (index, item) in left.by_ref().take(concurrency - n_running) {
                    let (item, index) = (Some(item), Some(index));
                    let within = Within { item, index, iteration: within.iteration };
                    together.add(self.item(ctx, body, seen.clone(), within));
                    n_running += 1;
                }
                let Some((index, ended)) = together.next().await else { return Ok(results) };
                n_running -= 1;
                results[index] = ended?;
            }
        };
        let results = flat(ctx.try_block(&node.name, block).await)?;
        let results = Json::of(&results).map_err(|error| Error::from(error).into_failure())?;
        seen.put(&node.name, SeenStep::completed(Some(results)));
        Ok(seen)
    }

    async fn item(
        &self,
        ctx: &Ctx,
        body: &[Node],
        seen: Seen,
        within: Within,
    ) -> (usize, Result<Json, Failure>) {
        let index = within.index.unwrap_or_default();
        let block = async |ctx: Ctx| -> Result<Json> {
            let after = self.list(&ctx, body, seen, &within).await?;
            Ok(after.last.result.unwrap_or_default())
        };
        (index, flat(ctx.try_block(index.to_string(), block).await))
    }

    /// A workflow whose steps are part of this run. It sees what this one sees; this one sees its result.
    pub(super) async fn nested(
        &self,
        ctx: &Ctx,
        node: &Node,
        plan: &Plan,
        mut seen: Seen,
        within: &Within,
    ) -> Result<Seen, Failure> {
        let inner = Run { host: self.host, plan, input: self.input.clone() };
        let before = seen.clone();
        let block = async |ctx: Ctx| -> Result<Seen> {
            Ok(inner.list(&ctx, &plan.nodes, before, within).await?)
        };
        match flat(ctx.try_block(&node.name, block).await) {
            Ok(after) => {
                seen.put(&node.name, SeenStep::completed(after.last.result));
                Ok(seen)
            }
            Err(failure) => self.nested_failed(ctx, node, failure, (&seen, within)).await,
        }
    }

    /// A workflow that runs by itself, in whatever dialect. A cancel of this run reaches it.
    pub(super) async fn child(
        &self,
        ctx: &Ctx,
        node: &Node,
        mut seen: Seen,
        within: &Within,
    ) -> Result<Seen, Failure> {
        let NodeKind::Workflow(Nested::Run { workflow, shares_context, .. }) = &node.kind else {
            return Ok(seen);
        };
        let input = self.input.clone().unwrap_or_default();
        let input = if *shares_context { pack(&input, &seen) } else { input };
        match ctx.child::<Json>(&node.name, workflow, &input).await {
            Ok(output) => {
                seen.put(&node.name, SeenStep::completed(Some(output)));
                Ok(seen)
            }
            Err(error) => {
                let failure = error.into_failure();
                self.nested_failed(ctx, node, failure, (&seen, within)).await
            }
        }
    }

    async fn nested_failed(
        &self,
        ctx: &Ctx,
        node: &Node,
        failure: Failure,
        around: (&Seen, &Within),
    ) -> Result<Seen, Failure> {
        let own = match &node.kind {
            NodeKind::Workflow(Nested::Inline { on_error, .. } | Nested::Run { on_error, .. }) => {
                on_error.as_ref()
            }
            _ => None,
        };
        self.failed(ctx, node, own, &failure, around).await;
        Err(failure)
    }
}

fn has(nodes: &[Node], name: &str) -> bool {
    nodes.iter().any(|node| node.name == name)
}

fn items_of(name: &str, list: &Json) -> Result<Vec<Json>, Failure> {
    let refused = |said: String| Failure::new(FailureKind::Critical, said);
    let items: Vec<Json> = list.to().map_err(|_| {
        refused(format!("the items of forEach `{name}` must be an array, and are {list:.60}"))
    })?;
    if items.len() > ITEMS_MAX {
        let n = items.len();
        let said = format!("forEach `{name}` has {n} items, more than ITEMS_MAX = {ITEMS_MAX}");
        return Err(refused(said));
    }
    Ok(items)
}
