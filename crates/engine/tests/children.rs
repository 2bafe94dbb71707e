//! Runs that start runs.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod kit;

use kit::{days, secs};
use stepwell_engine::WaitError;
use stepwell_engine::testkit::TestEngine;
use stepwell_journal::{FailureKind, RunStatus};
use stepwell_kernel::{Branch, Ctx, Error, Result, branch, workflow};
use stepwell_store::RunQuery;

async fn child(ctx: Ctx, n: u64) -> Result<u64> {
    if n == 13 {
        return Err(Error::msg("unlucky"));
    }
    if n >= 100 {
        ctx.sleep("long", days(n)).await?;
    }
    ctx.step("square", async || Ok::<_, Error>(n * n)).await
}

async fn parent(ctx: Ctx, inputs: Vec<u64>) -> Result<Vec<u64>> {
    let branches: Vec<Branch<'_, u64>> = inputs
        .iter()
        .map(|n| {
            branch(format!("of {n}"), async move |ctx: Ctx| {
                ctx.child::<u64>("child", "child", n).await
            })
        })
        .collect();
    ctx.join("all", branches).await
}

async fn engine() -> TestEngine {
    let engine = kit::test_engine().await;
    engine.register(workflow("child", child)).unwrap();
    engine.register(workflow("parent", parent)).unwrap();
    engine
}

#[tokio::test]
async fn a_parent_gets_the_outputs_of_its_children() {
    let engine = engine().await;
    let run = engine.start("parent", &[2, 3, 100]).await.unwrap();
    assert_eq!(engine.wait::<Vec<u64>>(&run).await.unwrap(), [4, 9, 10_000]);
    let children = RunQuery { parent: Some(run.id()), ..RunQuery::default() };
    let children = engine.query(children).await.unwrap().runs;
    assert_eq!(children.len(), 3);
    assert!(children.iter().all(|row| row.status == RunStatus::Completed));
}

#[tokio::test]
async fn a_childs_failure_is_its_parents() {
    let engine = engine().await;
    let run = engine.start("parent", &[2, 13]).await.unwrap();
    let Err(WaitError::Failed(failure)) = engine.wait::<Vec<u64>>(&run).await else {
        panic!("it completed")
    };
    assert!(failure.branches[0].1.message.contains("unlucky"), "{failure:?}");
}

#[tokio::test]
async fn cancelling_a_parent_cancels_its_children() {
    for asleep in [false, true] {
        let engine = engine().await;
        let run = engine.start("parent", &[100, 200]).await.unwrap();
        if asleep {
            engine.advance(secs(3)).await;
            assert_eq!(engine.stats().n_residents, 0);
        } else {
            engine.settle().await;
        }
        run.cancel("enough").await.unwrap();
        engine.advance(secs(3)).await;
        let all = engine.query(RunQuery::default()).await.unwrap().runs;
        assert_eq!(all.len(), 3);
        assert!(all.iter().all(|row| row.status == RunStatus::Cancelled), "{all:?}");
    }
}

#[tokio::test]
async fn cancelling_a_child_is_a_failure_of_its_parent() {
    let engine = engine().await;
    let run = engine.start("parent", &[100]).await.unwrap();
    engine.advance(secs(3)).await;
    let children = RunQuery { parent: Some(run.id()), ..RunQuery::default() };
    let row = engine.query(children).await.unwrap().runs.remove(0);
    engine.get(row.run).await.unwrap().cancel("not this one").await.unwrap();
    let Err(WaitError::Failed(failure)) = engine.wait::<Vec<u64>>(&run).await else {
        panic!("it completed")
    };
    assert_eq!(failure.branches[0].1.kind, FailureKind::Cancelled, "{failure:?}");
}

#[tokio::test]
async fn a_child_of_an_unknown_workflow_is_an_error() {
    let engine = kit::test_engine().await;
    engine.register(workflow("parent", parent)).unwrap();
    let run = engine.start("parent", &[1]).await.unwrap();
    let error = engine.wait::<Vec<u64>>(&run).await.unwrap_err();
    assert!(matches!(error, WaitError::Failed(_)), "{error}");
}
