//! Cancel wins: in every state that a run can be in.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod kit;

use std::time::Duration;

use kit::{Tally, days, engine_with, kinds, secs};
use stepwell_engine::testkit::TestEngine;
use stepwell_engine::{RunHandle, StartOptions, WaitError};
use stepwell_journal::RunStatus;
use stepwell_kernel::{Ctx, Error, Result, Workflow, workflow};

async fn assert_cancelled(engine: &TestEngine, run: &RunHandle) {
    let waited = engine.wait::<serde_json::Value>(run).await;
    assert!(
        matches!(&waited, Err(WaitError::Cancelled { reason }) if reason == "enough"),
        "{waited:?}"
    );
    assert_eq!(run.row().await.unwrap().status, RunStatus::Cancelled);
    run.cancel("again").await.unwrap();
}

async fn waiting(ctx: Ctx, how: String) -> Result<u64> {
    match how.as_str() {
        "sleep" => ctx.sleep("long", days(9)).await?,
        "listen" => ctx.listen::<()>("never").await?,
        "retry" => {
            let backoff = stepwell_kernel::Backoff::fixed(days(1));
            let body = async || Err::<(), _>(Error::msg("not today"));
            ctx.step("try", body).backoff(backoff).await?;
        }
        "body" => {
            let body = async || -> Result<()> { std::future::pending().await };
            ctx.step("hang", body).timeout(Duration::ZERO).await?;
        }
        "child" => ctx.child::<u64>("child", "waiting", &"sleep").await.map(|_| ())?,
        _ => {}
    }
    ctx.step("after", async || Ok::<_, Error>(1)).await
}

#[tokio::test]
async fn a_cancel_ends_a_run_whatever_it_does() {
    for how in ["sleep", "listen", "retry", "body", "child"] {
        for asleep in [false, true] {
            let engine = kit::test_engine().await;
            engine.register(workflow("waiting", waiting)).unwrap();
            let run = engine.start("waiting", how).await.unwrap();
            engine.advance(if asleep { secs(3) } else { Duration::ZERO }).await;
            run.cancel("enough").await.unwrap();
            assert_cancelled(&engine, &run).await;
            assert!(!kinds(&run).await.contains(&"RunCompleted"), "{how}");
        }
    }
}

#[tokio::test]
async fn no_step_begins_after_a_cancel_has_returned() {
    let tally = Tally::default();
    let counted = tally.clone();
    let engine = kit::test_engine().await;
    let busy = workflow("busy", move |ctx: Ctx, (): ()| {
        let tally = counted.clone();
        async move {
            for n in 0..1_000_000_u64 {
                let body = async || {
                    tally.add("step");
                    tokio::task::yield_now().await;
                    Ok::<_, Error>(())
                };
                ctx.step(format!("step {n}"), body).await?;
            }
            Ok::<_, Error>(())
        }
    });
    engine.register(busy).unwrap();
    let run = engine.start("busy", &()).await.unwrap();
    kit::until("it works", || tally.of("step") > 10).await;
    run.cancel("enough").await.unwrap();
    let n_steps = tally.of("step");
    assert_cancelled(&engine, &run).await;
    assert_eq!(tally.of("step"), n_steps);
}

#[tokio::test]
async fn a_cancelled_run_that_is_loaded_again_starts_no_step() {
    let tally = Tally::default();
    let counted = tally.clone();
    let mut engine = kit::test_engine().await;
    let stepping = workflow("stepping", move |ctx: Ctx, (): ()| {
        let tally = counted.clone();
        async move {
            ctx.sleep("a day", days(1)).await?;
            let body = async || {
                tally.add("step");
                Ok::<_, Error>(())
            };
            ctx.step("step", body).await
        }
    });
    engine.register(stepping.clone()).unwrap();
    let run = engine.start("stepping", &()).await.unwrap();
    engine.advance(secs(3)).await;
    // The cancel is accepted while nobody can carry it out, and the date passes.
    engine.crash().await;
    let run = engine.get(run.id()).await.unwrap();
    run.cancel("enough").await.unwrap();
    engine.advance(days(2)).await;
    assert!(run.row().await.unwrap().cancelling);
    engine.register(stepping).unwrap();
    assert_cancelled(&engine, &run).await;
    assert_eq!(tally.of("step"), 0);
}

#[tokio::test]
async fn a_run_that_waits_for_a_slot_can_be_cancelled() {
    let engine = engine_with(|builder| builder.residents_max(1)).await;
    engine.register(workflow("waiting", waiting)).unwrap();
    let first = engine.start("waiting", "body").await.unwrap();
    engine.settle().await;
    let queued = engine.start("waiting", "none").await.unwrap();
    queued.cancel("enough").await.unwrap();
    first.cancel("enough").await.unwrap();
    assert_cancelled(&engine, &first).await;
    assert_cancelled(&engine, &queued).await;
}

#[tokio::test]
async fn a_run_that_has_not_begun_can_be_cancelled() {
    let engine = kit::test_engine().await;
    engine.register(workflow("waiting", waiting)).unwrap();
    let start_at = Some(engine.now().plus_ms(86_400_000));
    let options = StartOptions { start_at, ..StartOptions::default() };
    let run = engine.start_with("waiting", "none", options).await.unwrap();
    let began = engine.now();
    run.cancel("enough").await.unwrap();
    assert_cancelled(&engine, &run).await;
    assert_eq!(engine.now(), began, "at once, not at its date");
}

#[tokio::test]
async fn an_untouched_run_of_an_unknown_workflow_can_be_cancelled() {
    let mut engine = kit::test_engine().await;
    engine.register(workflow("waiting", waiting)).unwrap();
    let start_at = Some(engine.now().plus_ms(1_000));
    let options = StartOptions { start_at, ..StartOptions::default() };
    let run = engine.start_with("waiting", "none", options).await.unwrap();
    engine.crash().await;
    engine.advance(secs(5)).await;
    let run = engine.get(run.id()).await.unwrap();
    assert_eq!(engine.stats().n_parked, 1);
    run.cancel("enough").await.unwrap();
    assert_cancelled(&engine, &run).await;
}

fn undoing(tally: &Tally, hangs_in_undo: bool) -> Workflow {
    let tally = tally.clone();
    workflow("undoing", move |ctx: Ctx, (): ()| {
        let tally = tally.clone();
        async move {
            let undone = tally.clone();
            ctx.step("reserve", async || Ok::<_, Error>(7_u64))
                .undo(move |_: u64| {
                    let undone = undone.clone();
                    async move {
                        undone.add("undo");
                        if hangs_in_undo && undone.of("undo") < 3 {
                            return Err(Error::msg("try again"));
                        }
                        Ok::<_, Error>(())
                    }
                })
                .await?;
            ctx.sleep("long", days(9)).await
        }
    })
    .undo_on_cancel()
}

#[tokio::test]
async fn a_cancel_runs_the_undo_handlers_if_the_workflow_asked_for_that() {
    for retries in [false, true] {
        let tally = Tally::default();
        let engine = kit::test_engine().await;
        engine.register(undoing(&tally, retries)).unwrap();
        let run = engine.start("undoing", &()).await.unwrap();
        engine.advance(secs(3)).await;
        run.cancel("enough").await.unwrap();
        engine.settle().await;
        run.cancel("enough").await.unwrap();
        assert_cancelled(&engine, &run).await;
        assert_eq!(tally.of("undo"), if retries { 3 } else { 1 });
    }
}
