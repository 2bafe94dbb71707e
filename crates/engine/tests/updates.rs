//! Following the news: from a position on, without gap or duplicate, whatever the engine goes through.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod kit;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kit::{Trick, TrickStore, engine_with, secs};
use stepwell_engine::testkit::{TestEngine, TestOptions};
use stepwell_engine::{Engine, Position, ReplayTarget, Update, Updates, UpdatesError};
use stepwell_journal::{EntryStatus, Epoch, Location, RunId, RunStatus, Seq};
use stepwell_kernel::{Backoff, Ctx, Error, Result, Workflow, workflow};
use stepwell_store::MemoryStore;

fn many() -> Workflow {
    workflow("many", |ctx: Ctx, n: u64| async move {
        for step in 0..n {
            ctx.step(format!("step {step}"), async || Ok::<_, Error>(())).await?;
        }
        Ok::<_, Error>(())
    })
}

async fn engine() -> TestEngine {
    let engine = kit::test_engine().await;
    engine.register(many()).unwrap();
    engine
}

/// Everything that is there.
async fn drain(updates: &mut Updates, engine: &Engine) -> Vec<Update> {
    let mut read = Vec::new();
    while updates.position() != engine.position() {
        read.extend(updates.next_batch(7).await.unwrap());
    }
    read
}

/// Each run's events in order, none left out, and positions without gaps.
fn assert_whole(updates: &[Update]) -> BTreeMap<RunId, Seq> {
    let mut last: BTreeMap<RunId, Seq> = BTreeMap::new();
    for (n, update) in updates.iter().enumerate() {
        assert_eq!(update.position, updates[0].position + n as u64);
        let before = last.insert(update.run, update.seq);
        if let Some(before) = before {
            assert_eq!(update.seq, before.next(), "{update:?}");
        }
    }
    last
}

#[tokio::test]
async fn a_reader_goes_on_from_where_it_was() {
    let engine = engine().await;
    let start = engine.position();
    assert_eq!(start.last, None);
    let run = engine.start("many", &20).await.unwrap();
    engine.wait::<()>(&run).await.unwrap();
    engine.settle().await;
    let mut whole = engine.updates_from(start).unwrap();
    let all = drain(&mut whole, &engine).await;
    assert_eq!(all.len(), 22);
    assert_whole(&all);
    // Cut anywhere, by position as text, the two halves are the whole.
    for n in 0..all.len() {
        let mut first = engine.updates_from(start).unwrap();
        let mut read = Vec::new();
        for _ in 0..n {
            read.push(first.next().await.unwrap());
        }
        let position: Position = first.position().to_string().parse().unwrap();
        let mut rest = engine.updates_from(position).unwrap();
        read.extend(drain(&mut rest, &engine).await);
        assert_eq!(read, all);
    }
}

#[tokio::test]
async fn a_position_of_another_life_or_beyond_the_end_is_unknown() {
    let mut engine = engine().await;
    let run = engine.start("many", &3).await.unwrap();
    engine.wait::<()>(&run).await.unwrap();
    let position = engine.position();
    let beyond = Position { last: position.last.map(|last| last + 1), ..position };
    let missed = UpdatesError::Missed { n_missed: None };
    assert_eq!(engine.updates_from(beyond).err(), Some(missed.clone()));
    engine.restart().await;
    assert_ne!(engine.position().life, position.life);
    assert_eq!(engine.updates_from(position).err(), Some(missed));
}

#[tokio::test]
async fn a_reader_that_was_lapped_is_told_and_reads_on() {
    let engine = engine_with(|builder| builder.updates_kept(100)).await;
    engine.register(many()).unwrap();
    let (start, mut slow) = (engine.position(), engine.subscribe());
    let run = engine.start("many", &500).await.unwrap();
    engine.wait::<()>(&run).await.unwrap();
    engine.settle().await;
    let n_missed = Some(502 - 100);
    assert_eq!(engine.updates_from(start).err(), Some(UpdatesError::Missed { n_missed }));
    assert_eq!(slow.next().await, Err(UpdatesError::Missed { n_missed }));
    let rest = drain(&mut slow, &engine).await;
    assert_eq!(rest.len(), 100);
    assert_whole(&rest);
    let oldest = Position { last: Some(401), ..start };
    assert_eq!(drain(&mut engine.updates_from(oldest).unwrap(), &engine).await, rest);
}

#[tokio::test]
async fn a_batch_never_hides_that_something_was_missed() {
    let engine = engine_with(|builder| builder.updates_kept(10)).await;
    engine.register(many()).unwrap();
    let mut updates = engine.subscribe();
    let run = engine.start("many", &5).await.unwrap();
    engine.wait::<()>(&run).await.unwrap();
    engine.settle().await;
    assert_eq!(updates.next_batch(2).await.unwrap().len(), 2);
    let run = engine.start("many", &50).await.unwrap();
    engine.wait::<()>(&run).await.unwrap();
    engine.settle().await;
    let missed = updates.next_batch(100).await;
    assert!(matches!(missed, Err(UpdatesError::Missed { n_missed: Some(_) })), "{missed:?}");
    assert_eq!(updates.next_batch(100).await.unwrap().len(), 10);
}

#[tokio::test]
async fn readers_hear_the_end_of_the_engine_after_all_else() {
    let engine = engine().await;
    let mut updates = engine.subscribe();
    let run = engine.start("many", &3).await.unwrap();
    engine.wait::<()>(&run).await.unwrap();
    engine.settle().await;
    let waiting = tokio::spawn({
        let mut late = engine.subscribe();
        async move { late.next().await }
    });
    engine.shutdown().await;
    for _ in 0..5 {
        updates.next().await.unwrap();
    }
    assert_eq!(updates.next().await, Err(UpdatesError::Closed));
    assert_eq!(waiting.await.unwrap(), Err(UpdatesError::Closed));
}

#[tokio::test]
async fn an_update_says_how_the_entry_stands() {
    let engine = kit::test_engine().await;
    let trying = workflow("trying", |ctx: Ctx, (): ()| async move {
        ctx.step_with("try", async |cx| match cx.attempt().0 {
            1 => Err(Error::msg("again")),
            _ => Ok(()),
        })
        .backoff(Backoff::fixed(secs(10)))
        .await?;
        ctx.sleep("nap", secs(10)).await
    });
    engine.register(trying).unwrap();
    let mut updates = engine.subscribe();
    let run = engine.start("trying", &()).await.unwrap();
    engine.wait::<()>(&run).await.unwrap();
    engine.settle().await;
    let heard = drain(&mut updates, &engine).await;
    let told: Vec<_> = heard
        .iter()
        .map(|update| {
            let what = &update.what;
            let attempt = what.attempt.map(|attempt| attempt.0);
            (what.event, what.entry, attempt, what.until.is_some(), update.status)
        })
        .collect();
    use EntryStatus::{Completed, Waiting, WaitingRetry};
    // The status is the run's when it is told, and by then it has begun to sleep.
    assert_eq!(
        told,
        [
            ("RunStarted", None, None, false, RunStatus::Pending),
            ("AttemptFailed", Some(WaitingRetry), Some(1), true, RunStatus::Waiting),
            ("StepSucceeded", Some(Completed), Some(2), false, RunStatus::Waiting),
            ("TimerSet", Some(Waiting), None, true, RunStatus::Waiting),
            ("TimerFired", Some(Completed), None, false, RunStatus::Running),
            ("RunCompleted", None, None, false, RunStatus::Completed),
        ]
    );
    assert_eq!(heard[1].what.location, Some(Location::from_text("try")));
    assert_eq!(heard[1].what.failure, Some(stepwell_journal::FailureKind::Error));
    assert_eq!((&*heard[0].namespace, &*heard[0].workflow), ("default", "trying"));
}

async fn everything(ctx: Ctx, (): ()) -> Result<()> {
    ctx.step("one", async || Ok::<_, Error>(())).await?;
    ctx.child::<()>("child", "many", &3_u64).await?;
    ctx.sleep("nap", secs(10)).await?;
    ctx.step("fails", async || Err::<(), _>(Error::critical(Error::msg("no")))).await
}

/// Cancels, resumes, copies, children: all of them write events, not only run tasks.
#[tokio::test]
async fn nothing_is_left_out_whoever_writes_it() {
    let engine = engine().await;
    engine.register(workflow("everything", everything)).unwrap();
    let mut updates = engine.updates_from(engine.position()).unwrap();
    let run = engine.start("everything", &()).await.unwrap();
    engine.advance(secs(3)).await;
    run.cancel("enough").await.unwrap();
    engine.settle().await;
    run.recover().await.unwrap();
    engine.wait::<()>(&run).await.unwrap_err();
    run.recover().await.unwrap();
    engine.wait::<()>(&run).await.unwrap_err();
    let nap = Location::from_text("nap");
    let copy = run.replay_from(&nap, ReplayTarget::NewRun).await.unwrap();
    engine.wait::<()>(&copy).await.unwrap_err();
    engine.settle().await;
    let heard = drain(&mut updates, &engine).await;
    let of_others: Vec<Update> =
        heard.iter().filter(|update| update.run != copy.id()).cloned().collect();
    let mut last: BTreeMap<RunId, Seq> = BTreeMap::new();
    for update in &of_others {
        let expected = last.get(&update.run).map_or(Seq(0), |seq| seq.next());
        assert_eq!(update.seq, expected, "{update:?}");
        last.insert(update.run, update.seq);
    }
    assert_eq!(last.len(), 2, "the run and its child");
    let journal = run.journal().await.unwrap();
    assert_eq!(last[&run.id()], journal.last().unwrap().seq);
    let seqs_of_copy: Vec<Seq> =
        heard.iter().filter(|update| update.run == copy.id()).map(|update| update.seq).collect();
    let journal: Vec<Seq> = copy.journal().await.unwrap().iter().map(|event| event.seq).collect();
    assert_eq!(seqs_of_copy, journal);
}

/// A commit whose answer is lost is told of when the run is loaded again.
#[tokio::test]
async fn nothing_is_left_out_when_an_answer_is_lost() {
    for n in 1..12 {
        let store = TrickStore::default();
        let engine = TestEngine::with(Arc::new(store.clone()), TestOptions::default()).await;
        engine.register(many()).unwrap();
        engine.register(workflow("everything", everything)).unwrap();
        let mut updates = engine.updates_from(engine.position()).unwrap();
        store.on_commit(n, Trick::LoseAnswer);
        let run = engine.start("everything", &()).await.unwrap();
        engine.wait::<()>(&run).await.unwrap_err();
        engine.run_until_idle().await;
        let heard = drain(&mut updates, &engine).await;
        let last = assert_whole(&heard);
        let journal = run.journal().await.unwrap();
        assert_eq!(last[&run.id()], journal.last().unwrap().seq, "{n}");
        let first: Vec<Seq> = heard.iter().filter(|u| u.seq == Seq(0)).map(|u| u.seq).collect();
        assert_eq!(first.len(), 2, "{n}");
    }
}

/// Real threads, many runs, ten readers: each hears of everything, in order, fast enough.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_readers_keep_up_with_many_runs() {
    const RUNS: u64 = 200;
    const STEPS: u64 = 50;
    let store = Arc::new(MemoryStore::new());
    let engine = Engine::builder(store).open().await.unwrap();
    engine.register(many()).unwrap();
    let n_expected = usize::try_from(RUNS * (STEPS + 2)).unwrap();
    let readers: Vec<_> = (0..10)
        .map(|_| {
            let mut updates = engine.subscribe();
            tokio::spawn(async move {
                let mut read = Vec::new();
                while read.len() < n_expected {
                    read.extend(updates.next_batch(256).await.unwrap());
                }
                read
            })
        })
        .collect();
    let began = Instant::now();
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        runs.push(engine.start("many", &STEPS).await.unwrap());
    }
    for run in &runs {
        run.wait::<()>().await.unwrap();
    }
    for reader in readers {
        let read = tokio::time::timeout(Duration::from_secs(60), reader).await.unwrap().unwrap();
        let last = assert_whole(&read);
        assert_eq!(last.len(), runs.len());
        assert!(last.values().all(|seq| *seq == Seq(STEPS + 1)));
    }
    assert!(began.elapsed() < Duration::from_secs(60));
    assert_eq!(engine.stats().n_updates, n_expected as u64);
    engine.shutdown().await;
}

#[test]
fn positions_are_told_as_text() {
    let position = Position { life: Epoch(7), last: Some(12) };
    assert_eq!(position.to_string(), "7-12");
    assert!("7_12".parse::<Position>().unwrap_err().to_string().contains("7-1234"));
}
