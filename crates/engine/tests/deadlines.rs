//! Deadlines of runs: dates that hold in every state, across restarts, in memory or not.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod kit;

use std::time::Duration;

use kit::{Tally, days, engine_with, kinds, secs};
use stepwell_engine::testkit::TestEngine;
use stepwell_engine::{
    EngineWait, ReplayTarget, ResumeOptions, RunHandle, StartOptions, WaitError, WaitingFor,
};
use stepwell_journal::{FailureKind, Location, RunStatus, UnixMillis};
use stepwell_kernel::{Ctx, Error, Result, Workflow, workflow};

fn until(deadline: UnixMillis) -> StartOptions {
    StartOptions { deadline: Some(deadline), ..StartOptions::default() }
}

async fn assert_missed(engine: &TestEngine, run: &RunHandle, deadline: UnixMillis) {
    let waited = engine.wait::<serde_json::Value>(run).await;
    let Err(WaitError::Failed(failure)) = waited else { panic!("{waited:?}") };
    assert_eq!(failure.kind, FailureKind::DeadlinePassed);
    assert_eq!(failure.message, format!("the run had to end by {}", deadline.rfc3339()));
    let row = run.row().await.unwrap();
    assert_eq!((row.status, row.wake_at), (RunStatus::Failed, None));
    assert_eq!(row.ended_at, Some(deadline), "then and not later");
    assert_eq!(row.failure, Some(failure));
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

async fn engine() -> TestEngine {
    let engine = kit::test_engine().await;
    engine.register(workflow("waiting", waiting)).unwrap();
    engine
}

#[tokio::test]
async fn a_deadline_ends_a_run_whatever_it_does() {
    for how in ["sleep", "listen", "retry", "body", "child"] {
        for (restarts, ms) in [(false, 200), (false, 5_000), (true, 5_000), (true, 3_600_000)] {
            let mut engine = engine().await;
            let deadline = engine.now().plus_ms(ms);
            let run = engine.start_with("waiting", how, until(deadline)).await.unwrap();
            engine.advance(Duration::from_millis(ms / 2)).await;
            assert!(!run.row().await.unwrap().status.is_ended(), "{how} {ms}");
            let id = run.id();
            if restarts {
                engine.restart().await;
            }
            let run = engine.get(id).await.unwrap();
            assert_missed(&engine, &run, deadline).await;
            let kinds = kinds(&run).await;
            assert!(kinds.ends_with(&["DeadlinePassed", "RunFailed"]), "{how}: {kinds:?}");
        }
    }
}

#[tokio::test]
async fn a_deadline_that_passes_while_nobody_is_there_is_missed() {
    let mut engine = engine().await;
    let deadline = engine.now().plus_ms(60_000);
    let run = engine.start_with("waiting", "sleep", until(deadline)).await.unwrap().id();
    engine.advance(secs(5)).await;
    // Nobody owns the store while the date passes.
    let clock = engine.virtual_clock().clone();
    engine.abort().await;
    clock.advance_to(deadline.plus_ms(1_000));
    engine.restart().await;
    let run = engine.get(run).await.unwrap();
    let failed = engine.wait::<u64>(&run).await;
    assert!(matches!(failed, Err(WaitError::Failed(_))), "{failed:?}");
    assert_eq!(run.row().await.unwrap().ended_at, Some(deadline.plus_ms(1_000)));
}

#[tokio::test]
async fn the_child_of_a_late_run_is_cancelled() {
    let engine = engine().await;
    let deadline = engine.now().plus_ms(60_000);
    let run = engine.start_with("waiting", "child", until(deadline)).await.unwrap();
    assert_missed(&engine, &run, deadline).await;
    engine.settle().await;
    let children = stepwell_store::RunQuery { parent: Some(run.id()), ..Default::default() };
    let children = engine.query(children).await.unwrap().runs;
    assert_eq!(children.len(), 1);
    assert_eq!(children[0].status, RunStatus::Cancelled);
}

#[tokio::test]
async fn a_run_that_ends_in_time_never_hears_of_its_deadline() {
    let engine = engine().await;
    let deadline = engine.now().plus_ms(60_000);
    let run = engine.start_with("waiting", "none", until(deadline)).await.unwrap();
    assert_eq!(engine.wait::<u64>(&run).await.unwrap(), 1);
    engine.advance(secs(100)).await;
    assert_eq!(run.row().await.unwrap().status, RunStatus::Completed);
    assert_eq!(engine.stats().n_timers, 0);
}

#[tokio::test]
async fn a_run_with_a_deadline_behind_it_does_nothing() {
    let engine = engine().await;
    let now = engine.now();
    let run = engine.start_with("waiting", "none", until(UnixMillis(now.0 - 1))).await.unwrap();
    let failed = engine.wait::<u64>(&run).await;
    assert!(matches!(failed, Err(WaitError::Failed(_))), "{failed:?}");
    assert_eq!(kinds(&run).await, ["RunStarted", "DeadlinePassed", "RunFailed"]);
    assert_eq!(engine.now(), now);
}

#[tokio::test]
async fn a_run_that_may_not_begin_before_its_deadline_says_so_and_fails_then() {
    let mut engine = engine().await;
    let deadline = engine.now().plus_ms(60_000);
    let options =
        StartOptions { start_at: Some(engine.now().plus_ms(86_400_000)), ..until(deadline) };
    let run = engine.start_with("waiting", "none", options).await.unwrap().id();
    engine.restart().await;
    let run = engine.get(run).await.unwrap();
    let waits = run.state().await.unwrap().waiting_for;
    assert_eq!(waits, [WaitingFor::Engine(EngineWait::Deadline { until: deadline })]);
    assert_missed(&engine, &run, deadline).await;
}

#[tokio::test]
async fn a_run_that_nobody_knows_the_workflow_of_misses_its_deadline() {
    for asleep_at_first in [false, true] {
        let mut engine = engine().await;
        let deadline = engine.now().plus_ms(3_600_000);
        let start_at = asleep_at_first.then(|| engine.now().plus_ms(60_000));
        let options = StartOptions { start_at, ..until(deadline) };
        // The process dies before the run is taken up.
        let run = stepwell_journal::RunId(uuid::Uuid::from_u128(7));
        let options = StartOptions { run_id: Some(run), ..options };
        if asleep_at_first {
            engine.start_with("waiting", "none", options).await.unwrap();
            engine.crash().await;
        } else {
            let gone = engine_with(|builder| builder.residents_max(1)).await;
            gone.register(workflow("waiting", waiting)).unwrap();
            gone.start("waiting", "body").await.unwrap();
            gone.settle().await;
            gone.start_with("waiting", "none", options).await.unwrap();
            engine = gone;
            engine.crash().await;
        }
        engine.advance(secs(300)).await;
        let run = engine.get(run).await.unwrap();
        assert!(!run.row().await.unwrap().status.is_ended());
        assert!(engine.stats().n_parked > 0);
        // Also across another restart.
        engine.crash().await;
        let run = engine.get(run.id()).await.unwrap();
        assert_missed(&engine, &run, deadline).await;
    }
}

fn undoing(tally: &Tally) -> Workflow {
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
                        Ok::<_, Error>(())
                    }
                })
                .await?;
            ctx.sleep("long", days(9)).await
        }
    })
}

#[tokio::test]
async fn a_missed_deadline_undoes_if_the_workflow_asked_for_that() {
    for asks in [false, true] {
        let tally = Tally::default();
        let engine = kit::test_engine().await;
        let workflow = undoing(&tally);
        engine.register(if asks { workflow.undo_on_cancel() } else { workflow }).unwrap();
        let deadline = engine.now().plus_ms(60_000);
        let run = engine.start_with("undoing", &(), until(deadline)).await.unwrap();
        assert_missed(&engine, &run, deadline).await;
        assert_eq!(tally.of("undo"), usize::from(asks));
    }
}

#[tokio::test]
async fn a_resumed_run_has_a_new_deadline_or_none() {
    let engine = engine().await;
    let deadline = engine.now().plus_ms(60_000);
    let run = engine.start_with("waiting", "sleep", until(deadline)).await.unwrap();
    assert_missed(&engine, &run, deadline).await;
    let again = engine.now().plus_ms(30_000);
    run.recover_with(ResumeOptions { deadline: Some(again) }).await.unwrap();
    assert_missed(&engine, &run, again).await;
    let copied = engine.now().plus_ms(10_000);
    let long = Location::from_text("long");
    let options = ResumeOptions { deadline: Some(copied) };
    let copy = run.replay_from_with(&long, ReplayTarget::NewRun, options).await.unwrap();
    assert_missed(&engine, &copy, copied).await;
    run.recover().await.unwrap();
    assert_eq!(engine.wait::<u64>(&run).await.unwrap(), 1);
}

#[tokio::test]
async fn a_cancel_wins_over_the_deadline() {
    let engine = engine().await;
    let deadline = engine.now().plus_ms(60_000);
    let run = engine.start_with("waiting", "sleep", until(deadline)).await.unwrap();
    engine.advance(secs(30)).await;
    run.cancel("enough").await.unwrap();
    engine.advance(secs(60)).await;
    assert_eq!(run.row().await.unwrap().status, RunStatus::Cancelled);
}

#[tokio::test]
async fn a_deadline_far_off_does_not_send_a_run_that_waits_for_others_to_sleep_at_once() {
    let engine = engine().await;
    let deadline = engine.now().plus_ms(3_600_000);
    engine.start_with("waiting", "listen", until(deadline)).await.unwrap();
    engine.settle().await;
    assert_eq!((engine.stats().n_residents, engine.stats().n_hibernated), (1, 0));
    engine.advance(secs(2)).await;
    assert_eq!((engine.stats().n_residents, engine.stats().n_hibernated), (0, 1));
}
