//! Random workflows: whatever they do, and wherever a crash cuts them, the laws hold.

use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;
use stepwell_kernel::{
    Backoff, Branch, Ctx, Error, LocalBoxFuture, Loop, Result, Workflow, branch, millis,
};

use crate::kit::{In, ran, scenario, work};

/// One operation of a random workflow. Its name is its place in the list that holds it.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Node {
    /// Fails so many times, after so long a work each; four attempts are made.
    Step {
        fails: u32,
        ms: u64,
        undo: bool,
        ephemeral: bool,
    },
    Critical,
    Sleep {
        ms: u64,
    },
    Listen {
        timeout_ms: Option<u64>,
    },
    Child,
    Checkpoint,
    Join(Vec<Node>),
    Race(Vec<Node>),
    Loop {
        rounds: u64,
        keep: u64,
        commit_every: u64,
        body: Vec<Node>,
    },
    Try(Vec<Node>),
}

/// Runs the nodes one after another.
fn run(ctx: Ctx, nodes: Vec<Node>) -> LocalBoxFuture<'static, Result<u64>> {
    Box::pin(async move {
        let mut sum = 0;
        for (n, node) in nodes.into_iter().enumerate() {
            sum += run_one(&ctx, format!("n{n}"), node).await?;
        }
        Ok(sum)
    })
}

async fn run_one(ctx: &Ctx, name: String, node: Node) -> Result<u64> {
    match node {
        Node::Step { fails, ms, undo, ephemeral } => {
            let mut step = ctx
                .step_with(name, async move |cx| {
                    if !ephemeral {
                        ran(cx.location().as_str());
                    }
                    work(ms).await;
                    if cx.attempt().0 <= fails { Err(Error::msg("again")) } else { Ok(1_u64) }
                })
                .backoff(Backoff::fixed(millis(50)));
            if undo {
                step = step.undo(async |_| {
                    work(1).await;
                    Ok::<_, Error>(())
                });
            }
            if ephemeral { step.ephemeral().await } else { step.await }
        }
        Node::Critical => {
            ctx.step(name, async || Err::<u64, _>(Error::critical(Error::msg("no")))).await
        }
        Node::Sleep { ms } => {
            ctx.sleep(name, millis(ms)).await?;
            Ok(0)
        }
        Node::Listen { timeout_ms: None } => ctx.listen::<u64>("m").named(name).await,
        Node::Listen { timeout_ms: Some(ms) } => {
            Ok(ctx.listen::<u64>("m").named(name).timeout(millis(ms)).await?.unwrap_or(0))
        }
        Node::Child => ctx.child::<u64>(name, "other", &1).await,
        Node::Checkpoint => {
            ctx.checkpoint(&name).await?;
            Ok(0)
        }
        Node::Join(nodes) => Ok(ctx.join(name, branches(nodes)).await?.into_iter().sum()),
        Node::Race(nodes) => Ok(ctx.race(name, branches(nodes)).await?.value),
        Node::Loop { rounds, keep, commit_every, body } => {
            ctx.looped(name, (0, 0), async |ctx, (n, sum): (u64, u64)| {
                if n == rounds {
                    return Ok(Loop::Break(sum));
                }
                let sum = sum + run(ctx, body.clone()).await?;
                Ok(Loop::Continue((n + 1, sum)))
            })
            .keep(keep)
            .commit_every(commit_every)
            .await
        }
        Node::Try(nodes) => {
            Ok(ctx.try_block(name, async |ctx| run(ctx, nodes).await).await?.unwrap_or(100))
        }
    }
}

/// A branch for each node.
fn branches(nodes: Vec<Node>) -> Vec<Branch<'static, u64>> {
    let branch_of = |(n, node): (usize, Node)| {
        branch(format!("b{n}"), async move |ctx: Ctx| run(ctx, vec![node]).await)
    };
    nodes.into_iter().enumerate().map(branch_of).collect()
}

fn program() -> Workflow {
    Workflow::without_schema("random", |ctx: Ctx, nodes: Vec<Node>| run(ctx, nodes))
}

fn any_node() -> impl Strategy<Value = Node> {
    let ms = prop_oneof![Just(0_u64), 0_u64..4, 5_u64..200];
    let step = (prop_oneof![5 => Just(0_u32), 2 => 1_u32..3, 1 => 4_u32..6], ms.clone());
    let leaf = prop_oneof![
        6 => (step, any::<bool>(), prop::bool::weighted(0.1)).prop_map(
            |((fails, ms), undo, ephemeral)| Node::Step { fails, ms, undo, ephemeral }
        ),
        1 => Just(Node::Critical),
        2 => ms.clone().prop_map(|ms| Node::Sleep { ms }),
        2 => prop::option::weighted(0.7, ms).prop_map(|timeout_ms| Node::Listen { timeout_ms }),
        1 => Just(Node::Child),
        1 => Just(Node::Checkpoint),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let nodes = || prop::collection::vec(inner.clone(), 0..4);
        prop_oneof![
            nodes().prop_map(Node::Join),
            nodes().prop_map(Node::Race),
            (0_u64..4, 1_u64..3, 1_u64..3, nodes()).prop_map(
                |(rounds, keep, commit_every, body)| {
                    Node::Loop { rounds, keep, commit_every, body }
                }
            ),
            nodes().prop_map(Node::Try),
        ]
    })
}

/// Whether a crash may change how these end. An attempt that takes a while may be cut off by the crash:
/// it counts, and the next one comes later, so that it may be one too many, or too late for a race or for
/// a message. An ephemeral step may run again, and what runs beside it is then ahead of it.
fn crash_matters(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Step { ms, ephemeral, .. } => *ms >= 5 || *ephemeral,
        // A message may come in the same millisecond as the timeout: either may be first.
        Node::Listen { timeout_ms } => timeout_ms.is_some(),
        Node::Critical | Node::Sleep { .. } | Node::Child | Node::Checkpoint => false,
        Node::Join(nodes) | Node::Try(nodes) => crash_matters(nodes),
        // Of branches that end in the same millisecond either may win.
        Node::Race(_) => true,
        Node::Loop { body, .. } => crash_matters(body),
    })
}

proptest! {
    // As many as `PROPTEST_CASES` says, 200 without it.
    #![proptest_config(ProptestConfig {
        cases: std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(200),
        max_shrink_iters: 2_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn the_laws_hold_for_every_workflow_and_every_cut(
        nodes in prop::collection::vec(any_node(), 1..5),
        messages in prop::collection::vec(0_u64..500, 0..5),
        cancel in prop::option::weighted(0.3, 0_u64..500),
        deadline in prop::option::weighted(0.3, 0_u64..500),
        children_take in 0_u64..300,
        undo_on_cancel: bool,
    ) {
        let mut played = scenario(program(), json!(nodes));
        played.children_take = Some(children_take);
        // A crash costs time: a run that just made it without one may be late with one.
        played.crash_matters = crash_matters(&nodes) || deadline.is_some();
        played.deadline = deadline;
        for (n, ms) in messages.iter().enumerate() {
            played = played.at(*ms, In::Message("m", json!(n)));
        }
        if let Some(ms) = cancel {
            played = played.at(ms, In::Cancel("enough"));
        }
        played.inputs.sort_by_key(|(ms, _)| *ms);
        if undo_on_cancel {
            played = played.undo_on_cancel();
        }
        played.play_with_every_cut();
    }
}
