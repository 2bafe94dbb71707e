//! How many runs of a workflow are under way, and how often one begins.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod kit;

use std::sync::Arc;
use std::time::Duration;

use kit::{engine_with, secs};
use parking_lot::Mutex;
use serde_json::json;
use stepwell_engine::testkit::TestEngine;
use stepwell_engine::{
    EngineWait, LimitKind, RegisterError, ReplayTarget, RunHandle, StartOptions, WaitingFor,
};
use stepwell_journal::{FailureKind, Location, RunStatus};
use stepwell_kernel::{
    Ctx, Error, KeyedLimit, Rate, Result, RunLimits, RunLimitsError, Workflow, workflow,
};
use stepwell_store::{RunQuery, Store};

/// Who is under way, and the most that ever were.
#[derive(Clone, Default)]
struct Crowd(Arc<Mutex<Counted>>);

type Counted = (Vec<serde_json::Value>, usize, Vec<u64>);

impl Crowd {
    fn enter(&self, who: &serde_json::Value) {
        let mut crowd = self.0.lock();
        crowd.0.push(who.clone());
        crowd.1 = crowd.1.max(crowd.0.len());
        crowd.2.extend(who["n"].as_u64());
    }

    fn leave(&self, who: &serde_json::Value) {
        self.0.lock().0.retain(|inside| inside != who);
    }

    fn inside(&self) -> Vec<u64> {
        self.0.lock().0.iter().filter_map(|who| who["n"].as_u64()).collect()
    }

    fn most(&self) -> usize {
        self.0.lock().1
    }

    /// In the order in which they began.
    fn order(&self) -> Vec<u64> {
        self.0.lock().2.clone()
    }
}

/// Is under way for `secs` seconds, all of them asleep.
fn sleeper(crowd: &Crowd) -> Workflow {
    let crowd = crowd.clone();
    workflow("sleeper", move |ctx: Ctx, who: serde_json::Value| {
        let crowd = crowd.clone();
        async move {
            ctx.step("enter", async || {
                crowd.enter(&who);
                Ok::<_, Error>(())
            })
            .await?;
            ctx.sleep("a while", secs(who["secs"].as_u64().unwrap_or(10))).await?;
            ctx.step("leave", async || {
                crowd.leave(&who);
                Ok::<_, Error>(())
            })
            .await
        }
    })
}

fn at_most(n: u32) -> RunLimits {
    RunLimits { concurrency: Some(n), ..RunLimits::default() }
}

async fn start(engine: &TestEngine, n: u64) -> RunHandle {
    start_with(engine, json!({ "n": n }), StartOptions::default()).await
}

async fn start_with(
    engine: &TestEngine,
    input: serde_json::Value,
    options: StartOptions,
) -> RunHandle {
    // One millisecond apart, so that they have an order.
    engine.advance(Duration::from_millis(1)).await;
    engine.start_with("sleeper", &input, options).await.unwrap()
}

async fn limit_of(run: &RunHandle) -> (LimitKind, String) {
    let view = run.state().await.unwrap();
    assert_eq!(view.status, RunStatus::Pending);
    match &view.waiting_for[..] {
        [WaitingFor::Engine(wait @ EngineWait::Limit(limit))] => {
            (limit.limit.clone(), wait.to_string())
        }
        other => panic!("{other:?}"),
    }
}

async fn n_ended(engine: &TestEngine) -> usize {
    let ended = RunQuery { statuses: vec![RunStatus::Completed], ..RunQuery::default() };
    engine.query(ended).await.unwrap().runs.len()
}

#[tokio::test]
async fn no_more_than_the_limit_are_under_way_also_while_they_sleep() {
    let crowd = Crowd::default();
    let engine = kit::test_engine().await;
    engine.register(sleeper(&crowd).limits(at_most(3))).unwrap();
    let mut runs = Vec::new();
    for n in 0..10 {
        runs.push(start(&engine, n).await);
    }
    engine.advance(secs(5)).await;
    assert_eq!(crowd.inside(), [0, 1, 2]);
    assert_eq!(engine.stats().n_residents, 0, "those who are under way sleep, the others wait");
    assert_eq!(engine.stats().n_queued, 7);
    let (limit, text) = limit_of(&runs[3]).await;
    let LimitKind::Concurrency { max: 3, in_use: 3, held_by, by_parent: false } = limit else {
        panic!("{limit:?}");
    };
    assert_eq!(held_by.len(), 3);
    assert_eq!(text, "a slot of workflow `sleeper` (3 of 3 in use)");
    engine.run_until_idle().await;
    assert_eq!((crowd.most(), n_ended(&engine).await), (3, 10));
    assert_eq!(crowd.order(), (0..10).collect::<Vec<_>>(), "first come, first served");
    assert_eq!(engine.stats().n_queued, 0);
}

#[tokio::test]
async fn after_a_restart_the_store_says_who_is_under_way() {
    let crowd = Crowd::default();
    let mut engine = kit::test_engine().await;
    engine.register(sleeper(&crowd).limits(at_most(2))).unwrap();
    for n in 0..9 {
        start(&engine, n).await;
    }
    for _ in 0..8 {
        engine.advance(secs(7)).await;
        engine.restart().await;
    }
    engine.run_until_idle().await;
    assert_eq!((crowd.most(), n_ended(&engine).await), (2, 9));
    assert_eq!(crowd.order(), (0..9).collect::<Vec<_>>());
}

#[tokio::test]
async fn each_key_has_slots_of_its_own() {
    let crowd = Crowd::default();
    let engine = kit::test_engine().await;
    let keyed = KeyedLimit { key: "customer.id".to_owned(), concurrency: Some(1), rate: None };
    let limits = RunLimits { concurrency: Some(3), per_key: Some(keyed), rate: None };
    engine.register(sleeper(&crowd).limits(limits)).unwrap();
    let mut runs = Vec::new();
    for (n, customer) in ["a", "a", "a", "b", "b", "c", "d"].into_iter().enumerate() {
        let input = json!({ "n": n, "customer": { "id": customer } });
        runs.push(start_with(&engine, input, StartOptions::default()).await);
    }
    engine.advance(secs(1)).await;
    assert_eq!(crowd.inside(), [0, 3, 5]);
    let (_, text) = limit_of(&runs[1]).await;
    assert_eq!(text, "a slot of workflow `sleeper` with customer.id = \"a\" (1 of 1 in use)");
    let (_, text) = limit_of(&runs[6]).await;
    assert_eq!(text, "a slot of workflow `sleeper` (3 of 3 in use)");
    engine.run_until_idle().await;
    assert_eq!((crowd.most(), n_ended(&engine).await), (3, 7));
}

#[tokio::test]
async fn a_rate_lets_so_many_begin_in_its_time() {
    let crowd = Crowd::default();
    let mut engine = kit::test_engine().await;
    let rate = Some(Rate { n_runs: 2, per_ms: 60_000 });
    engine.register(sleeper(&crowd).limits(RunLimits { rate, ..RunLimits::default() })).unwrap();
    let mut runs = Vec::new();
    for n in 0..7 {
        runs.push(start(&engine, n).await);
    }
    engine.settle().await;
    let (limit, text) = limit_of(&runs[2]).await;
    let LimitKind::Rate { n_runs: 2, per_ms: 60_000, until } = limit else { panic!("{limit:?}") };
    assert!(until > engine.now());
    let begins =
        format!("its turn, at most 2 of workflow `sleeper` per minute, until {}", until.rfc3339());
    assert_eq!(text, begins);
    assert_eq!(crowd.order(), [0, 1]);
    engine.advance(secs(59)).await;
    assert_eq!(crowd.order(), [0, 1]);
    // What has begun is remembered by the store.
    engine.restart().await;
    engine.advance(Duration::from_millis(500)).await;
    assert_eq!(crowd.order(), [0, 1]);
    engine.advance(secs(2)).await;
    assert_eq!(crowd.order(), [0, 1, 2, 3]);
    engine.restart().await;
    engine.advance(secs(30)).await;
    assert_eq!(crowd.order(), [0, 1, 2, 3]);
    engine.run_until_idle().await;
    assert_eq!(crowd.order(), (0..7).collect::<Vec<_>>());
    assert_eq!(n_ended(&engine).await, 7);
}

#[tokio::test]
async fn a_run_that_waits_can_be_cancelled_and_misses_its_deadline_at_once() {
    let crowd = Crowd::default();
    let engine = kit::test_engine().await;
    engine.register(sleeper(&crowd).limits(at_most(1))).unwrap();
    start_with(&engine, json!({ "n": 0, "secs": 1_000 }), StartOptions::default()).await;
    let cancelled = start(&engine, 1).await;
    let deadline = engine.now().plus_ms(60_000);
    let options = StartOptions { deadline: Some(deadline), ..StartOptions::default() };
    let late = start_with(&engine, json!({ "n": 2 }), options).await;
    let last = start(&engine, 3).await;
    engine.advance(secs(5)).await;
    let now = engine.now();
    cancelled.cancel("enough").await.unwrap();
    engine.settle().await;
    assert_eq!(cancelled.row().await.unwrap().status, RunStatus::Cancelled);
    assert_eq!(engine.now(), now);
    engine.advance(secs(60)).await;
    let row = late.row().await.unwrap();
    assert_eq!((row.status, row.ended_at), (RunStatus::Failed, Some(deadline)));
    assert_eq!(row.failure.unwrap().kind, FailureKind::DeadlinePassed);
    assert_eq!(crowd.order(), [0]);
    assert_eq!(engine.stats().n_queued, 1);
    engine.wait::<()>(&last).await.unwrap();
    assert_eq!(crowd.order(), [0, 3]);
}

#[tokio::test]
async fn a_message_to_a_run_that_waits_is_kept_until_it_begins() {
    let engine = kit::test_engine().await;
    let listening =
        workflow("listening", |ctx: Ctx, (): ()| async move { ctx.listen::<u64>("go").await });
    engine.register(listening.limits(at_most(1))).unwrap();
    let first = engine.start("listening", &()).await.unwrap();
    engine.advance(secs(1)).await;
    let second = engine.start("listening", &()).await.unwrap();
    second.send("go", &2).await.unwrap();
    engine.advance(secs(60)).await;
    assert_eq!(second.row().await.unwrap().status, RunStatus::Pending);
    first.send("go", &1).await.unwrap();
    assert_eq!(engine.wait::<u64>(&first).await.unwrap(), 1);
    assert_eq!(engine.wait::<u64>(&second).await.unwrap(), 2);
}

#[tokio::test]
async fn limits_can_be_set_changed_and_taken_back() {
    let crowd = Crowd::default();
    let engine = kit::test_engine().await;
    engine.register(sleeper(&crowd)).unwrap();
    engine.set_limits("default", "sleeper", at_most(1)).unwrap();
    assert_eq!(engine.limits("default", "sleeper"), at_most(1));
    assert_eq!(engine.limits("other", "sleeper"), RunLimits::default());
    for n in 0..10 {
        start_with(&engine, json!({ "n": n, "secs": 1_000 }), StartOptions::default()).await;
    }
    engine.advance(secs(1)).await;
    assert_eq!(crowd.inside().len(), 1);
    engine.set_limits("default", "sleeper", at_most(4)).unwrap();
    engine.advance(secs(1)).await;
    assert_eq!(crowd.inside().len(), 4);
    engine.set_limits("default", "sleeper", at_most(2)).unwrap();
    engine.advance(secs(1)).await;
    assert_eq!(crowd.inside().len(), 4, "nobody is thrown out");
    // Another key: the store is asked anew.
    let keyed = KeyedLimit { key: "secs".to_owned(), concurrency: Some(5), rate: None };
    let limits = RunLimits { per_key: Some(keyed), ..RunLimits::default() };
    engine.set_limits("default", "sleeper", limits).unwrap();
    engine.advance(secs(1)).await;
    assert_eq!(crowd.inside().len(), 5);
    engine.unset_limits("default", "sleeper");
    engine.advance(secs(1)).await;
    assert_eq!(crowd.inside().len(), 10);
    let refused = engine.set_limits("default", "sleeper", at_most(0));
    assert_eq!(refused, Err(RunLimitsError::Zero { limit: "concurrency" }));
    let refused = engine.replace(None, sleeper(&crowd).limits(at_most(0)));
    assert!(matches!(refused, Err(RegisterError::Limits { .. })), "{refused:?}");
}

#[tokio::test]
async fn namespaces_do_not_take_each_others_slots() {
    let crowd = Crowd::default();
    let engine = kit::test_engine().await;
    engine.register(sleeper(&crowd).limits(at_most(1))).unwrap();
    for n in 0..4 {
        let namespace = Some(if n % 2 == 0 { "red" } else { "blue" }.to_owned());
        let options = StartOptions { namespace, ..StartOptions::default() };
        start_with(&engine, json!({ "n": n }), options).await;
    }
    engine.advance(secs(1)).await;
    assert_eq!(crowd.inside(), [0, 1]);
    engine.run_until_idle().await;
    assert_eq!(crowd.order(), [0, 1, 2, 3]);
}

#[tokio::test]
async fn a_child_counts_and_who_waits_for_its_own_parent_is_told_so() {
    let engine = kit::test_engine().await;
    let nested = workflow("nested", |ctx: Ctx, depth: u64| async move {
        if depth > 0 {
            ctx.child::<u64>("child", "nested", &(depth - 1)).await?;
        }
        Ok::<_, Error>(depth)
    });
    engine.register(nested.limits(at_most(2))).unwrap();
    let fits = engine.start("nested", &1).await.unwrap();
    assert_eq!(engine.wait::<u64>(&fits).await.unwrap(), 1);
    let stuck = engine.start("nested", &2).await.unwrap();
    engine.advance(secs(60)).await;
    let pending = RunQuery { statuses: vec![RunStatus::Pending], ..RunQuery::default() };
    let child = engine.query(pending).await.unwrap().runs.remove(0);
    let child = engine.get(child.run).await.unwrap();
    let (limit, text) = limit_of(&child).await;
    assert!(matches!(limit, LimitKind::Concurrency { by_parent: true, .. }), "{limit:?}");
    let said = "a slot of workflow `nested` (2 of 2 in use, one by the run that started it)";
    assert_eq!(text, said);
    // Whoever reads that knows what to do.
    engine.set_limits("default", "nested", at_most(3)).unwrap();
    assert_eq!(engine.wait::<u64>(&stuck).await.unwrap(), 2);
}

async fn failing(ctx: Ctx, n: u64) -> Result<u64> {
    ctx.sleep("a while", secs(10)).await?;
    ctx.step("fail", async || Err::<(), _>(Error::critical(Error::msg("no")))).await?;
    Ok(n)
}

#[tokio::test]
async fn a_resumed_run_goes_on_and_counts_and_a_copy_waits_its_turn() {
    let engine = kit::test_engine().await;
    engine.register(workflow("failing", failing).limits(at_most(1))).unwrap();
    let first = engine.start("failing", &1).await.unwrap();
    engine.wait::<u64>(&first).await.unwrap_err();
    let second = engine.start("failing", &2).await.unwrap();
    engine.advance(secs(1)).await;
    let place = Location::from_text("a while");
    let copy = first.replay_from(&place, ReplayTarget::NewRun).await.unwrap();
    first.replay_from(&place, ReplayTarget::SameRun).await.unwrap();
    engine.advance(secs(1)).await;
    assert_eq!(first.row().await.unwrap().status, RunStatus::Waiting, "a person asked for it");
    let (limit, _) = limit_of(&copy).await;
    assert!(matches!(limit, LimitKind::Concurrency { in_use: 2, max: 1, .. }), "{limit:?}");
    for run in [&first, &second, &copy] {
        engine.wait::<u64>(run).await.unwrap_err();
    }
    assert_eq!(engine.stats().n_queued, 0);
}

#[tokio::test]
async fn runs_that_may_not_begin_yet_take_no_slot() {
    let crowd = Crowd::default();
    let engine = kit::test_engine().await;
    engine.register(sleeper(&crowd).limits(at_most(1))).unwrap();
    let start_at = Some(engine.now().plus_ms(100_000));
    let options = StartOptions { start_at, ..StartOptions::default() };
    let later = start_with(&engine, json!({ "n": 0 }), options).await;
    start(&engine, 1).await;
    engine.advance(secs(5)).await;
    assert_eq!(crowd.inside(), [1]);
    engine.wait::<()>(&later).await.unwrap();
    assert_eq!(crowd.order(), [1, 0]);
}

#[tokio::test]
async fn a_run_that_the_engine_gave_up_gives_its_slot_back() {
    use kit::{Trick, TrickStore};
    let crowd = Crowd::default();
    let store = TrickStore::default();
    let options = stepwell_engine::testkit::TestOptions::default();
    let engine = TestEngine::with(Arc::new(store.clone()), options).await;
    engine.register(sleeper(&crowd).limits(at_most(1))).unwrap();
    store.on_commit(1, Trick::PanicAlways);
    let given_up = start(&engine, 0).await;
    engine.advance(secs(1)).await;
    assert_eq!(engine.stats().n_quarantined, 1);
    store.heal();
    let next = start(&engine, 1).await;
    engine.wait::<()>(&next).await.unwrap();
    assert!(!given_up.row().await.unwrap().status.is_ended());
}

#[tokio::test]
async fn a_run_whose_workflow_went_away_gives_its_slot_back() {
    let crowd = Crowd::default();
    let engine = engine_with(|builder| builder.residents_max(1)).await;
    let pinned = |version: &str| sleeper(&crowd).limits(at_most(1)).version_named(version).pinned();
    engine.register(pinned("1")).unwrap();
    for n in 0..3 {
        start(&engine, n).await;
    }
    engine.register(pinned("2")).unwrap();
    engine.unregister(None, "sleeper");
    engine.register(pinned("2")).unwrap();
    engine.run_until_idle().await;
    assert_eq!((crowd.most(), n_ended(&engine).await), (1, 3));
}

/// The real clock and real threads, with more runs than fit into memory.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_hold_with_many_threads() {
    let store: Arc<dyn Store> = Arc::new(stepwell_store::MemoryStore::new());
    let engine = stepwell_engine::Engine::builder(Arc::clone(&store))
        .residents_max(10)
        .open()
        .await
        .unwrap();
    let crowd = Crowd::default();
    let counted = crowd.clone();
    let short = workflow("short", move |ctx: Ctx, n: u64| {
        let crowd = counted.clone();
        async move {
            ctx.step("inside", async || {
                crowd.enter(&json!({ "n": n }));
                tokio::time::sleep(Duration::from_millis(1)).await;
                crowd.leave(&json!({ "n": n }));
                Ok::<_, Error>(())
            })
            .await
        }
    });
    engine.register(short.limits(at_most(4))).unwrap();
    let mut runs = Vec::new();
    for n in 0..300_u64 {
        runs.push(engine.start("short", &n).await.unwrap());
    }
    for run in &runs {
        run.wait_for::<()>(Duration::from_secs(60)).await.unwrap();
    }
    assert!(crowd.most() <= 4, "{}", crowd.most());
    assert_eq!(crowd.order().len(), 300);
    assert_eq!(engine.stats().n_queued, 0);
    engine.shutdown().await;
}
