//! Going on with runs that have ended.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod kit;

use std::sync::Arc;

use kit::{Tally, Trick, TrickStore, asking, days, kinds, secs};
use stepwell_engine::testkit::{TestEngine, TestOptions};
use stepwell_engine::{EngineBuilder, ReplayTarget, ResumeError, WaitError};
use stepwell_journal::{Location, RunStatus};
use stepwell_kernel::{Ctx, Error, Result, Workflow, branch, workflow};
use stepwell_store::RunQuery;

/// Fails until the tally has `mended`.
fn fragile(tally: &Tally) -> Workflow {
    let tally = tally.clone();
    workflow("fragile", move |ctx: Ctx, shape: String| {
        let tally = tally.clone();
        async move { fragile_run(ctx, shape, tally).await }
    })
}

async fn fragile_run(ctx: Ctx, shape: String, tally: Tally) -> Result<u64> {
    let before = count(&ctx, &tally, "before", true).await?;
    let middle = match shape.as_str() {
        "plain" => count(&ctx, &tally, "fragile", false).await?,
        "join" => {
            let (left, right) = (tally.clone(), tally.clone());
            let branches = [
                branch("well", async move |ctx: Ctx| count(&ctx, &left, "well", true).await),
                branch("ill", async move |ctx: Ctx| count(&ctx, &right, "fragile", false).await),
            ];
            ctx.join("both", branches).await?.into_iter().sum()
        }
        "child" => ctx.child::<u64>("child", "fragile", &"plain").await?,
        _ => {
            ctx.sleep("long", days(1)).await?;
            1
        }
    };
    Ok(before + middle + count(&ctx, &tally, "after", true).await?)
}

async fn count(ctx: &Ctx, tally: &Tally, name: &str, works: bool) -> Result<u64> {
    let body = async || {
        tally.add(name);
        if works || tally.of("mended") > 0 { Ok(1_u64) } else { Err(Error::msg("broken")) }
    };
    ctx.step(name, body).retries(1).await
}

#[tokio::test]
async fn a_failed_run_tries_its_failed_step_again_and_nothing_else() {
    for shape in ["plain", "join", "child"] {
        let tally = Tally::default();
        let engine = kit::test_engine().await;
        engine.register(fragile(&tally)).unwrap();
        let run = engine.start("fragile", shape).await.unwrap();
        assert!(matches!(engine.wait::<u64>(&run).await, Err(WaitError::Failed(_))));
        let n_before = tally.of("before");

        // Not mended yet: it fails once more, after as many attempts as before.
        run.recover().await.unwrap();
        assert!(matches!(engine.wait::<u64>(&run).await, Err(WaitError::Failed(_))), "{shape}");
        assert_eq!(tally.of("fragile"), 4, "{shape}");

        tally.add("mended");
        run.recover().await.unwrap();
        let expected = match shape {
            "plain" => 3,
            "join" => 4,
            _ => 5,
        };
        assert_eq!(engine.wait::<u64>(&run).await.unwrap(), expected, "{shape}");
        assert_eq!(tally.of("before"), n_before, "{shape}");
        assert_eq!(tally.of("well"), usize::from(shape == "join"));
        assert_eq!(run.row().await.unwrap().status, RunStatus::Completed);
        assert!(matches!(run.recover().await, Err(ResumeError::Completed { .. })));
    }
}

#[tokio::test]
async fn a_cancelled_run_goes_on_where_it_was() {
    let tally = Tally::default();
    let engine = kit::test_engine().await;
    engine.register(fragile(&tally)).unwrap();
    let run = engine.start("fragile", "sleep").await.unwrap();
    engine.advance(secs(5)).await;
    assert!(matches!(run.recover().await, Err(ResumeError::NotEnded { .. })));
    run.cancel("a mistake").await.unwrap();
    assert!(matches!(engine.wait::<u64>(&run).await, Err(WaitError::Cancelled { .. })));
    run.recover().await.unwrap();
    assert_eq!(engine.wait::<u64>(&run).await.unwrap(), 3);
    assert_eq!(tally.of("before"), 1);
}

/// The child is recovered first and ends while its parent has ended: nobody tells the parent then, so it
/// must ask. With room for one run in memory, it leaves as soon as it merely waits.
#[tokio::test]
async fn a_resumed_run_learns_how_its_child_ended_wherever_it_is_cut_off() {
    for n in 1..=6 {
        let (store, tally) = (TrickStore::default(), Tally::default());
        let build = |builder: EngineBuilder| builder.residents_max(1);
        let options = TestOptions { build: Arc::new(build), ..TestOptions::default() };
        let mut engine = TestEngine::with(Arc::new(store.clone()), options).await;
        engine.register(fragile(&tally)).unwrap();
        let run = engine.start("fragile", "child").await.unwrap();
        assert!(matches!(engine.wait::<u64>(&run).await, Err(WaitError::Failed(_))));
        let all = engine.query(RunQuery::default()).await.unwrap().runs;
        let child = all.iter().find(|row| row.parent.is_some()).unwrap().run;

        tally.add("mended");
        let child = engine.get(child).await.unwrap();
        child.recover().await.unwrap();
        assert_eq!(engine.wait::<u64>(&child).await.unwrap(), 3);

        store.on_commit(n, Trick::CutOff);
        let is_recovered = run.recover().await.is_ok();
        engine.advance(secs(3)).await;
        store.heal();
        engine.restart().await;
        let run = engine.get(run.id()).await.unwrap();
        if !is_recovered {
            run.recover().await.unwrap();
        }
        engine.run_until_idle().await;
        assert_eq!(run.row().await.unwrap().status, RunStatus::Completed, "cut off at commit {n}");
        assert_eq!(run.output::<u64>().await.unwrap(), Some(5));
        assert_eq!(tally.of("fragile"), 3, "the child is not run again");
    }
}

#[tokio::test]
async fn a_run_that_was_rolled_back_is_not_recovered() {
    let engine = kit::test_engine().await;
    let saga = workflow("saga", |ctx: Ctx, (): ()| async move {
        ctx.step("reserve", async || Ok::<_, Error>(1_u64))
            .undo(|_: u64| async { Ok::<_, Error>(()) })
            .await?;
        let body = async || Err::<(), _>(Error::critical(Error::msg("broken")));
        ctx.step("charge", body).await
    });
    engine.register(saga).unwrap();
    let run = engine.start("saga", &()).await.unwrap();
    assert!(matches!(engine.wait::<()>(&run).await, Err(WaitError::Failed(_))));
    assert!(matches!(run.recover().await, Err(ResumeError::RolledBack { .. })));
    let charge = Location::from_text("charge");
    let replayed = run.replay_from(&charge, ReplayTarget::SameRun).await;
    assert!(matches!(replayed, Err(ResumeError::RolledBack { .. })));
    let reserve = Location::from_text("reserve");
    run.replay_from(&reserve, ReplayTarget::SameRun).await.unwrap();
}

#[tokio::test]
async fn a_run_is_replayed_from_an_entry_in_itself() {
    let tally = Tally::default();
    tally.add("mended");
    let engine = kit::test_engine().await;
    engine.register(fragile(&tally)).unwrap();
    let run = engine.start("fragile", "plain").await.unwrap();
    engine.wait::<u64>(&run).await.unwrap();
    let nowhere = Location::from_text("nowhere");
    let unknown = run.replay_from(&nowhere, ReplayTarget::SameRun).await;
    assert!(matches!(unknown, Err(ResumeError::UnknownEntry { .. })));

    let fragile = Location::from_text("fragile");
    let same = run.replay_from(&fragile, ReplayTarget::SameRun).await.unwrap();
    assert_eq!(same.id(), run.id());
    assert_eq!(engine.wait::<u64>(&run).await.unwrap(), 3);
    let counts = ["before", "fragile", "after"].map(|step| tally.of(step));
    assert_eq!(counts, [1, 2, 2]);
}

#[tokio::test]
async fn a_run_is_replayed_from_an_entry_as_a_new_one() {
    let tally = Tally::default();
    tally.add("mended");
    let engine = kit::test_engine().await;
    engine.register(fragile(&tally)).unwrap();
    for (shape, expected) in [("plain", 3), ("join", 4), ("child", 5)] {
        let run = engine.start("fragile", shape).await.unwrap();
        assert_eq!(engine.wait::<u64>(&run).await.unwrap(), expected);
        let before = run.journal().await.unwrap();
        let n_before = tally.of("before");
        let after = Location::from_text("after");
        let copy = run.replay_from(&after, ReplayTarget::NewRun).await.unwrap();
        assert_ne!(copy.id(), run.id());
        assert_eq!(engine.wait::<u64>(&copy).await.unwrap(), expected, "{shape}");
        assert_eq!(tally.of("before"), n_before, "{shape}: kept, not run again");
        assert_eq!(run.journal().await.unwrap(), before, "the old run stays as it is");
        let started = copy.state().await.unwrap().state.started.unwrap();
        assert_eq!(started.replay_of, Some(run.id()));
        assert!(kinds(&copy).await.contains(&"RunCompleted"));
    }
    let all = engine.query(RunQuery::default()).await.unwrap().runs;
    assert!(all.iter().all(|row| row.status == RunStatus::Completed));
}

#[tokio::test]
async fn an_answer_that_came_while_the_run_had_ended_is_found() {
    let engine = kit::test_engine().await;
    let answering = workflow("answering", |ctx: Ctx, (): ()| async move {
        let asked = ctx.listen::<u64>("q").completable().await?;
        let answers: bool = ctx.listen("go").await?;
        if answers {
            asked.answer(&(asked.body + 1))?;
        }
        Ok::<_, Error>(())
    });
    engine.register(answering).unwrap();
    engine.register(asking()).unwrap();
    for answers in [true, false] {
        let other = engine.start("answering", &()).await.unwrap();
        let run = engine.start("asking", &other.id()).await.unwrap();
        engine.settle().await;
        run.cancel("too slow").await.unwrap();
        assert!(engine.wait::<u64>(&run).await.is_err());
        other.send("go", &answers).await.unwrap();
        engine.wait::<()>(&other).await.unwrap();

        run.recover().await.unwrap();
        let answer = engine.wait::<u64>(&run).await;
        match answers {
            true => assert_eq!(answer.unwrap(), 2),
            false => assert!(answer.unwrap_err().to_string().contains("without an answer")),
        }
    }
}
