//! The library as a program embeds it: real threads, a real file, real time.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::time::Duration;

use serde_json::json;
use stepwell::prelude::*;
use stepwell::{
    AskError, CancelError, EngineWait, GetError, InputFilter, Json, OpenError, RunHandle, RunQuery,
    RunStatus, SendError, StartError, StartOptions, StoreError, WaitError, WaitingFor,
};
use tempfile::TempDir;

async fn double(ctx: Ctx, n: u64) -> Result<u64> {
    ctx.step("double", async || Ok::<_, Error>(n * 2)).await
}

async fn wait_for_word(ctx: Ctx, _: ()) -> Result<String> {
    ctx.listen("word").await
}

async fn open(dir: &TempDir) -> Engine {
    let engine = Engine::open(dir.path().join("stepwell.db")).await.unwrap();
    engine.register(workflow("double", double)).unwrap();
    engine.register(workflow("word", wait_for_word)).unwrap();
    engine
}

/// Looks again and again until it is so, within a bound.
async fn until<F: AsyncFn() -> bool>(so: F) {
    for _ in 0..2_000 {
        if so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it never came to be so");
}

#[tokio::test]
async fn a_run_that_waits_goes_on_in_the_next_process() {
    let dir = TempDir::new().unwrap();
    let engine = open(&dir).await;
    let id = engine.start("word", &()).await.unwrap().id();
    engine.shutdown().await;

    let engine = open(&dir).await;
    let run = engine.get(id).await.unwrap();
    run.send("word", &"hello").await.unwrap();
    assert_eq!(run.wait::<String>().await.unwrap(), "hello");
    assert_eq!(engine.check().await.unwrap().problems, Vec::<String>::new());
    engine.shutdown().await;
}

#[tokio::test]
async fn a_second_engine_on_the_same_file_is_told_so_and_does_no_harm() {
    let dir = TempDir::new().unwrap();
    let engine = open(&dir).await;
    let second = Engine::open(dir.path().join("stepwell.db")).await;
    let Err(OpenError::Store(StoreError::InUse { holder, .. })) = second else {
        panic!("the second one was let in")
    };
    assert!(holder.unwrap().contains(&std::process::id().to_string()));
    let run = engine.start("double", &21_u64).await.unwrap();
    assert_eq!(run.wait::<u64>().await.unwrap(), 42);
    engine.shutdown().await;
}

async fn fill(ctx: Ctx, n: u64) -> Result<u64> {
    for i in 0..n {
        ctx.step(format!("page {i}"), async || Ok::<_, Error>("x".repeat(20_000))).await?;
    }
    Ok(n)
}

#[tokio::test]
async fn a_full_disk_stops_a_run_which_says_so_and_goes_on_when_there_is_room() {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("small.db");
    let engine = Engine::options().sqlite(|sqlite| sqlite.pages_max(200)).open(path).await.unwrap();
    engine.register(workflow("fill", fill)).unwrap();
    let run = engine.start("fill", &60_u64).await.unwrap();
    let waits_for_the_store = async || {
        let waits = run.state().await.unwrap().waiting_for;
        waits.iter().any(|wait| matches!(wait, WaitingFor::Engine(EngineWait::Store { .. })))
    };
    until(waits_for_the_store).await;
    let recorded = run.journal().await.unwrap().len();
    assert!(recorded < 60, "all of it found room");

    engine.sqlite().unwrap().limit_pages(1_000_000).await.unwrap();
    assert_eq!(run.wait::<u64>().await.unwrap(), 60);
    let journal = run.journal().await.unwrap();
    let steps = journal.iter().filter(|event| event.kind.name() == "StepSucceeded");
    assert_eq!(steps.count(), 60, "each step is recorded once");
    engine.shutdown().await;
}

#[tokio::test]
async fn a_backup_made_under_load_opens_and_has_what_was_acknowledged_before_it() {
    let dir = TempDir::new().unwrap();
    let engine = open(&dir).await;
    let mut before = Vec::new();
    for n in 0..200_u64 {
        before.push(engine.start("double", &n).await.unwrap());
    }
    let load = tokio::spawn({
        let engine = engine.clone();
        async move {
            for n in 0..200_u64 {
                engine.start("double", &n).await.unwrap().wait::<u64>().await.unwrap();
            }
        }
    });
    let copy = dir.path().join("copy.db");
    engine.backup(&copy).await.unwrap();
    load.await.unwrap();
    engine.shutdown().await;

    let restored = Engine::open(&copy).await.unwrap();
    restored.register(workflow("double", double)).unwrap();
    for (n, run) in before.iter().enumerate() {
        let run = restored.get(run.id()).await.unwrap();
        assert_eq!(run.wait::<u64>().await.unwrap(), 2 * n as u64);
    }
    assert_eq!(restored.check().await.unwrap().problems, Vec::<String>::new());
    restored.shutdown().await;
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Order {
    customer: String,
    cents: u64,
}

async fn order(ctx: Ctx, order: Order) -> Result<u64> {
    ctx.set_label("size", if order.cents > 1_000 { "large" } else { "small" });
    ctx.step("ok", async || Ok::<_, Error>(order.cents)).await
}

#[tokio::test]
async fn runs_are_found_by_label_status_workflow_and_input() {
    let dir = TempDir::new().unwrap();
    let engine = open(&dir).await;
    engine.register(workflow("order", order)).unwrap();
    for cents in [500, 1_500, 2_500] {
        let order = Order { customer: format!("c{cents}"), cents };
        engine.start("order", &order).await.unwrap().wait::<u64>().await.unwrap();
    }
    engine.start("word", &()).await.unwrap();
    let n = async |query: RunQuery| engine.query(query).await.unwrap().runs.len();
    let labels = [("size".to_owned(), "large".to_owned())].into();
    assert_eq!(n(RunQuery { labels, ..Default::default() }).await, 2);
    let workflow = Some("order".to_owned());
    assert_eq!(n(RunQuery { workflow, ..Default::default() }).await, 3);
    let statuses = vec![RunStatus::Completed];
    assert_eq!(n(RunQuery { statuses, ..Default::default() }).await, 3);
    let filter =
        InputFilter { path: vec!["customer".to_owned()], equals: Json::from(json!("c500")) };
    assert_eq!(n(RunQuery { input: vec![filter], ..Default::default() }).await, 1);
    engine.shutdown().await;
}

#[tokio::test]
async fn a_bad_start_is_a_typed_error_that_names_the_thing_and_creates_nothing() {
    let dir = TempDir::new().unwrap();
    let engine = open(&dir).await;
    let unknown = engine.start("nothing", &1_u64).await.err().unwrap();
    assert!(matches!(&unknown, StartError::UnknownWorkflow { name, .. } if name == "nothing"));
    let wrong = engine.start("double", &"not a number").await.err().unwrap();
    assert!(wrong.to_string().contains("`double`"), "{wrong}");
    let huge = engine.start("double", &"x".repeat(5_000_000)).await.err().unwrap();
    assert!(huge.to_string().contains("double"), "{huge}");
    let labels = [(String::new(), "x".to_owned())].into();
    let options = StartOptions { labels, ..Default::default() };
    assert!(engine.start_with("double", &1_u64, options).await.is_err());
    assert!(engine.query(RunQuery::default()).await.unwrap().runs.is_empty());

    let nobody: RunId = "00000000-0000-0000-0000-000000000000".parse().unwrap();
    assert!(matches!(engine.get(nobody).await, Err(GetError::UnknownRun { run }) if run == nobody));
    assert!("not an id".parse::<RunId>().is_err());
    for name in ["", &"n".repeat(300)] {
        assert!(engine.register(workflow(name, double)).is_err(), "{name:?} was taken");
    }
    engine.shutdown().await;
}

#[tokio::test]
async fn a_bad_call_of_a_run_is_a_typed_error() {
    let dir = TempDir::new().unwrap();
    let engine = open(&dir).await;
    let run = engine.start("word", &()).await.unwrap();
    assert!(matches!(run.send("", &1).await, Err(SendError::Name { .. })));
    let again = StartOptions { run_id: Some(run.id()), ..Default::default() };
    let twice = engine.start_with("word", &(), again).await.err().unwrap();
    assert!(matches!(twice, StartError::RunExists { run: known } if known == run.id()));
    assert!(matches!(
        run.wait_for::<String>(Duration::from_millis(20)).await,
        Err(WaitError::TimedOut { run: late, after_ms: 20 }) if late == run.id()
    ));
    assert!(matches!(
        run.ask::<u64>("anybody there", &1, Duration::from_millis(20)).await,
        Err(AskError::TimedOut { .. })
    ));
    cancelled(&run).await;
    run.cancel("again").await.unwrap();
    let done = engine.start("double", &1_u64).await.unwrap();
    done.wait::<u64>().await.unwrap();
    assert!(matches!(done.cancel("too late").await, Err(CancelError::AlreadyEnded { .. })));
    assert!(matches!(run.send("word", &"late").await, Err(SendError::RunEnded { .. })));
    engine.shutdown().await;
}

async fn cancelled(run: &RunHandle) {
    run.cancel("no longer wanted").await.unwrap();
    let ended = run.wait::<String>().await;
    assert!(matches!(ended, Err(WaitError::Cancelled { reason }) if reason == "no longer wanted"));
}
