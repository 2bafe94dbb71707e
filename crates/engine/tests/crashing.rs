//! Crashes, lost answers, other owners, and code that is not there.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod kit;

use std::sync::Arc;
use std::time::Duration;

use kit::{Tally, Trick, TrickStore, days, recorded_steps, secs};
use serde_json::{Value, json};
use stepwell_engine::testkit::{TestEngine, TestOptions};
use stepwell_engine::{Engine, RunHandle, StartOptions, VirtualClock, WaitError};
use stepwell_journal::{RunId, RunStatus, UnixMillis};
use stepwell_kernel::{Branch, Ctx, Error, Loop, Result, Workflow, branch, workflow};
use stepwell_store::{MemoryStore, Store};

/// The first commit is 1; this is more than any of the workflows below makes.
const COMMITS_MAX: u64 = 200;

async fn count(ctx: &Ctx, tally: &Tally, name: &str) -> Result<u64> {
    let key = format!("{}{}", ctx.location().as_str(), name);
    let body = async || {
        tally.add(&key);
        Ok::<_, Error>(name.len() as u64)
    };
    ctx.step(name, body).await
}

/// Steps, a timer, a join with a timer in it, a retry, a loop and a child.
async fn everything(ctx: Ctx, tally: Tally) -> Result<u64> {
    let mut sum = count(&ctx, &tally, "one").await?;
    ctx.sleep("nap", days(1)).await?;
    let branches: Vec<Branch<'_, u64>> = ["a", "b", "c"]
        .into_iter()
        .map(|name| {
            let tally = tally.clone();
            branch(name, async move |ctx: Ctx| {
                if name == "b" {
                    ctx.sleep("pause", secs(10)).await?;
                }
                let first = count(&ctx, &tally, "first").await?;
                Ok(first + count(&ctx, &tally, "second").await?)
            })
        })
        .collect();
    sum += ctx.join("branches", branches).await?.into_iter().sum::<u64>();
    let failing = tally.clone();
    let flaky = async || {
        failing.add("flaky");
        if failing.of("flaky") < 3 { Err(Error::msg("again")) } else { Ok(1_u64) }
    };
    sum += ctx.step("flaky", flaky).retries(50).await?;
    sum += ctx
        .looped("loop", 0_u64, async |ctx, n: u64| {
            let n = n + count(&ctx, &tally, "turn").await?;
            Ok(if n >= 12 { Loop::Break(n) } else { Loop::Continue(n) })
        })
        .await?;
    sum += ctx.child::<u64>("child", "child", &5_u64).await?;
    count(&ctx, &tally, "last").await.map(|last| sum + last)
}

const EVERYTHING: u64 = 3 + 3 * (5 + 6) + 1 + 12 + 25 + 4;

async fn child(ctx: Ctx, n: u64) -> Result<u64> {
    ctx.sleep("nap", secs(5)).await?;
    ctx.step("square", async || Ok::<_, Error>(n * n)).await
}

fn definitions(tally: &Tally) -> Vec<Workflow> {
    let tally = tally.clone();
    let everything = workflow("everything", move |ctx: Ctx, (): ()| everything(ctx, tally.clone()));
    vec![everything, workflow("child", child)]
}

async fn engine_on(store: &TrickStore, tally: &Tally) -> TestEngine {
    let engine = TestEngine::with(Arc::new(store.clone()), TestOptions::default()).await;
    for workflow in definitions(tally) {
        engine.register(workflow).unwrap();
    }
    engine
}

async fn has_ended(run: &RunHandle) -> bool {
    run.row().await.unwrap().status.is_ended()
}

#[tokio::test]
async fn a_crash_at_any_commit_changes_nothing_but_the_time() {
    for n in 1..COMMITS_MAX {
        let (store, tally) = (TrickStore::default(), Tally::default());
        let mut engine = engine_on(&store, &tally).await;
        store.on_commit(n, Trick::CutOff);
        let run = engine.start("everything", &()).await.unwrap();
        while !store.is_cut() && !has_ended(&run).await {
            engine.advance(secs(3_600)).await;
        }
        let survived = !store.is_cut();
        // What is recorded now must never run again.
        let recorded = recorded_steps(&run).await;
        let before = tally.all();
        store.heal();
        engine.restart().await;
        let run = engine.get(run.id()).await.unwrap();
        assert_eq!(engine.wait::<u64>(&run).await.unwrap(), EVERYTHING, "cut at commit {n}");
        for step in recorded.iter().filter(|step| !step.starts_with("child")) {
            let key = match step.rsplit_once('/') {
                Some((scope, name)) => format!("{scope}{name}"),
                None => step.clone(),
            };
            assert_eq!(tally.of(&key), before[&key], "`{step}` ran again, cut at commit {n}");
        }
        assert!(store.check().await.unwrap().problems.is_empty());
        if survived {
            return;
        }
    }
    panic!("more commits than expected");
}

#[tokio::test]
async fn a_lost_answer_runs_no_step_twice() {
    for n in 1..COMMITS_MAX {
        let (store, tally) = (TrickStore::default(), Tally::default());
        let engine = engine_on(&store, &tally).await;
        store.on_commit(n, Trick::LoseAnswer);
        let run = engine.start("everything", &()).await.unwrap();
        assert_eq!(engine.wait::<u64>(&run).await.unwrap(), EVERYTHING, "lost answer {n}");
        for (step, n_times) in tally.all() {
            let expected = if step == "flaky" { 3 } else { 1 };
            assert_eq!(n_times, expected, "`{step}`, lost answer {n}");
        }
        if store.n_commits() < n {
            return;
        }
    }
    panic!("more commits than expected");
}

#[tokio::test]
async fn while_the_store_is_away_a_run_waits_for_it_and_says_so() {
    let (store, tally) = (TrickStore::default(), Tally::default());
    let engine = engine_on(&store, &tally).await;
    store.on_commit(1, Trick::CutOff);
    let run = engine.start("everything", &()).await.unwrap();
    engine.advance(secs(60)).await;
    let view = run.state().await.unwrap();
    let waits = serde_json::to_value(&view.waiting_for).unwrap();
    assert_eq!(waits, json!([{ "for": "store", "problem": "the store is unavailable" }]));
    store.heal();
    assert_eq!(engine.wait::<u64>(&run).await.unwrap(), EVERYTHING);
}

#[tokio::test]
async fn a_second_engine_fences_the_first() {
    let store = Arc::new(MemoryStore::new());
    let tally = Tally::default();
    let first = TestEngine::with(store.clone(), TestOptions::default()).await;
    definitions(&tally).into_iter().for_each(|workflow| first.register(workflow).unwrap());
    let run = first.start("everything", &()).await.unwrap();
    first.settle().await;
    let second = TestEngine::with(store.clone(), TestOptions::default()).await;
    definitions(&tally).into_iter().for_each(|workflow| second.register(workflow).unwrap());
    let (fenced, ()) = tokio::join!(run.wait::<u64>(), first.advance(days(2)));
    assert!(matches!(fenced, Err(WaitError::Fenced { .. })), "{fenced:?}");
    let run = second.get(run.id()).await.unwrap();
    assert_eq!(second.wait::<u64>(&run).await.unwrap(), EVERYTHING);
    assert!(store.check().await.unwrap().problems.is_empty());
}

#[tokio::test]
async fn a_run_of_an_unregistered_workflow_waits_for_it_and_says_so() {
    let (store, tally) = (TrickStore::default(), Tally::default());
    let mut engine = engine_on(&store, &tally).await;
    let run = engine.start("everything", &()).await.unwrap();
    engine.advance(secs(5)).await;
    engine.crash().await;
    engine.advance(days(2)).await;
    let run = engine.get(run.id()).await.unwrap();
    assert_eq!(engine.stats().n_parked, 1);
    assert_eq!(engine.stats().n_residents, 0);
    let waits = serde_json::to_value(run.state().await.unwrap().waiting_for).unwrap();
    let registration = json!({ "for": "registration", "workflow": "everything" });
    assert!(waits.as_array().unwrap().contains(&registration), "{waits}");
    definitions(&tally).into_iter().for_each(|workflow| engine.register(workflow).unwrap());
    assert_eq!(engine.wait::<u64>(&run).await.unwrap(), EVERYTHING);
}

#[tokio::test]
async fn a_step_that_kills_the_process_does_so_a_bounded_number_of_times() {
    let (store, tally) = (TrickStore::default(), Tally::default());
    let mut engine = engine_on(&store, &tally).await;
    let deadly = tally.clone();
    let killer = workflow("killer", move |ctx: Ctx, (): ()| {
        let tally = deadly.clone();
        async move {
            let body = async || -> Result<()> {
                tally.add("kill");
                // The test crashes the engine now.
                std::future::pending().await
            };
            ctx.step("kill", body).retries(2).timeout(Duration::ZERO).await
        }
    });
    engine.register(killer).unwrap();
    let run = engine.start("killer", &()).await.unwrap();
    let id = run.id();
    for _ in 0..20 {
        engine.advance(secs(60)).await;
        let run = engine.get(id).await.unwrap();
        if has_ended(&run).await {
            break;
        }
        engine.restart().await;
    }
    let run = engine.get(id).await.unwrap();
    assert_eq!(run.row().await.unwrap().status, RunStatus::Failed);
    assert_eq!(tally.of("kill"), 3);
}

#[tokio::test]
async fn a_damaged_journal_quarantines_its_run_and_no_other() {
    use stepwell_journal::{Event, EventKind, Location, RunStarted};
    let store = MemoryStore::new();
    let run = RunId(uuid::Uuid::from_u128(77));
    let fired = EventKind::TimerFired { location: Location::from_text("nap") };
    let nonsense = Event { seq: stepwell_journal::Seq(1), at: UnixMillis(0), kind: fired };
    let twice = Event { seq: stepwell_journal::Seq(2), ..nonsense.clone() };
    let started = RunStarted {
        workflow: "child".to_owned(),
        version: "1".to_owned(),
        namespace: "default".to_owned(),
        input: stepwell_journal::Json::of(&1).unwrap(),
        labels: Default::default(),
        parent: None,
        seed: 0,
        replay_of: None,
        pinned: false,
        deadline_at: None,
        trace: None,
    };
    let new = stepwell_store::NewRun {
        run,
        at: UnixMillis(0),
        started,
        idempotency_key: None,
        start_at: None,
        copied: vec![nonsense, twice],
    };
    store.start(new).await.unwrap();
    let engine = TestEngine::with(Arc::new(store), TestOptions::default()).await;
    engine.register(workflow("child", child)).unwrap();
    engine.settle().await;
    assert_eq!(engine.stats().n_quarantined, 1);
    let damaged = engine.get(run).await.unwrap();
    assert!(matches!(damaged.wait::<Value>().await, Err(WaitError::Quarantined { .. })));
    let healthy = engine.start("child", &3).await.unwrap();
    assert_eq!(engine.wait::<u64>(&healthy).await.unwrap(), 9);
}

#[tokio::test]
async fn a_panic_of_the_engine_itself_is_survived() {
    for n in [1, 4, 9] {
        let (store, tally) = (TrickStore::default(), Tally::default());
        let engine = engine_on(&store, &tally).await;
        store.on_commit(n, Trick::Panic);
        let run = engine.start("everything", &()).await.unwrap();
        assert_eq!(engine.wait::<u64>(&run).await.unwrap(), EVERYTHING);
    }
}

#[tokio::test]
async fn a_run_that_the_engine_always_panics_on_is_left_alone() {
    let (store, tally) = (TrickStore::default(), Tally::default());
    let engine = engine_on(&store, &tally).await;
    store.on_commit(1, Trick::PanicAlways);
    let run = engine.start("everything", &()).await.unwrap();
    let waited = run.wait::<u64>().await;
    assert!(matches!(waited, Err(WaitError::Quarantined { .. })), "{waited:?}");
    let view = run.state().await.unwrap();
    let waits = serde_json::to_value(&view.waiting_for).unwrap();
    assert_eq!(waits, json!([{ "for": "quarantine", "problem": "the test said so" }]));
    assert_eq!(store.n_commits(), 4, "a few times, not for ever");
    assert_eq!(tally.of("one"), 1, "a crash counts: the next attempt waited for its marker");
    store.heal();
    let other = engine.start("child", &3).await.unwrap();
    assert_eq!(engine.wait::<u64>(&other).await.unwrap(), 9);
}

#[tokio::test]
async fn a_clock_that_jumps_loses_no_timer() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let local = tokio::task::LocalSet::new();
    local
        .run_until(async {
            let clock = VirtualClock::new(UnixMillis(1_000_000_000));
            let builder = Engine::builder(store).clock(clock.clone()).on_current_thread();
            let engine = builder.open().await.unwrap();
            engine.register(workflow("child", child)).unwrap();
            let run = engine.start("child", &3).await.unwrap();
            idle(&engine, &clock).await;
            // Back by a day, then forward past the date.
            clock.set(UnixMillis(1_000_000_000 - 86_400_000));
            idle(&engine, &clock).await;
            clock.set(UnixMillis(1_000_000_000 + 4_999));
            idle(&engine, &clock).await;
            assert_eq!(run.output::<u64>().await.unwrap(), None);
            clock.set(UnixMillis(1_000_000_000 + 90_000_000));
            assert_eq!(run.wait::<u64>().await.unwrap(), 9);
            engine.shutdown().await;
        })
        .await;
}

async fn idle(engine: &Engine, clock: &VirtualClock) {
    for _ in 0..100_000 {
        tokio::task::yield_now().await;
        if engine.is_idle() && !clock.has_due_sleepers() {
            return;
        }
    }
    panic!("never idle");
}

#[tokio::test]
async fn many_runs_and_a_full_queue_survive_a_crash() {
    let (store, tally) = (TrickStore::default(), Tally::default());
    let build = |builder: stepwell_engine::EngineBuilder| builder.residents_max(7);
    let options = TestOptions { build: Arc::new(build), ..TestOptions::default() };
    let mut engine = TestEngine::with(Arc::new(store.clone()), options).await;
    definitions(&tally).into_iter().for_each(|workflow| engine.register(workflow).unwrap());
    let mut runs = Vec::new();
    for _ in 0..50 {
        let options = StartOptions::default();
        runs.push(engine.start_with("child", &6, options).await.unwrap().id());
    }
    engine.restart().await;
    for run in runs {
        let run = engine.get(run).await.unwrap();
        assert_eq!(engine.wait::<u64>(&run).await.unwrap(), 36);
    }
}
