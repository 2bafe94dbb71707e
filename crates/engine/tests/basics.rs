//! Starting runs, waiting for them, and looking at them.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod kit;

use std::collections::BTreeMap;

use kit::{Tally, engine_with, kinds, secs};
use serde_json::json;
use stepwell_engine::testkit::{TestEngine, replay_check};
use stepwell_engine::{
    AskError, CancelError, GetError, RegisterError, SendError, StartError, StartOptions,
    UpdatesError, WaitError,
};
use stepwell_journal::{Location, RunId, RunStatus, Seq};
use stepwell_kernel::{Ctx, Error, Limits, Result, Workflow, workflow};
use stepwell_store::{LogLevel, RunQuery};
use uuid::Uuid;

async fn double(ctx: Ctx, n: u64) -> Result<u64> {
    ctx.set_label("parity", if n.is_multiple_of(2) { "even" } else { "odd" });
    let doubled = ctx.step("double", async || Ok::<_, Error>(n * 2)).await?;
    ctx.info("doubled");
    Ok(doubled)
}

async fn engine() -> TestEngine {
    let engine = kit::test_engine().await;
    engine.register(workflow("double", double)).unwrap();
    engine
}

#[tokio::test]
async fn a_run_gives_its_output_to_whoever_waits() {
    let engine = engine().await;
    let run = engine.start("double", &21).await.unwrap();
    assert_eq!(run.wait::<u64>().await.unwrap(), 42);
    // And once more from the store.
    let again = engine.get(run.id()).await.unwrap();
    assert_eq!(again.wait::<u64>().await.unwrap(), 42);
    assert_eq!(again.output::<u64>().await.unwrap(), Some(42));
    engine.settle().await;
    assert_eq!(engine.stats().n_residents, 0);
}

#[tokio::test]
async fn a_run_that_ends_at_once_writes_its_row_once() {
    let engine = engine().await;
    let run = engine.start("double", &1).await.unwrap();
    run.wait::<u64>().await.unwrap();
    let row = run.row().await.unwrap();
    assert_eq!(row.status, RunStatus::Completed);
    assert_eq!(row.labels["parity"], "odd");
    assert_eq!(kinds(&run).await, ["RunStarted", "Noted", "StepSucceeded", "RunCompleted"],);
}

#[tokio::test]
async fn a_failed_run_says_what_failed() {
    let engine = kit::test_engine().await;
    let failing = workflow("failing", |ctx: Ctx, (): ()| async move {
        let body = async || Err::<(), _>(Error::critical(Error::msg("no money")));
        ctx.step("charge", body).await
    });
    engine.register(failing).unwrap();
    let run = engine.start("failing", &()).await.unwrap();
    let Err(WaitError::Failed(failure)) = run.wait::<()>().await else { panic!("it completed") };
    assert_eq!(failure.source, Some(Location::from_text("charge")));
    assert_eq!(failure.message, "no money");
    assert_eq!(run.row().await.unwrap().failure, Some(failure));
}

#[tokio::test]
async fn a_panic_in_workflow_code_is_the_runs_failure_and_nobody_elses() {
    let engine = engine().await;
    let panicking = workflow("panicking", |ctx: Ctx, in_step: bool| async move {
        if in_step {
            let body = async || -> Result<u64> { panic!("in the body") };
            return ctx.step("boom", body).retries(0).await;
        }
        panic!("in the function")
    });
    engine.register(panicking).unwrap();
    for in_step in [true, false] {
        let run = engine.start("panicking", &in_step).await.unwrap();
        let Err(WaitError::Failed(failure)) = engine.wait::<u64>(&run).await else {
            panic!("it completed")
        };
        assert!(failure.message.contains("in the"), "{failure}");
    }
    let run = engine.start("double", &4).await.unwrap();
    assert_eq!(engine.wait::<u64>(&run).await.unwrap(), 8);
}

#[tokio::test]
async fn bad_input_creates_nothing_and_says_what_is_wrong() {
    let limits = Limits { value_bytes_max: 100, ..Limits::default() };
    let engine = kit::engine_with(move |builder| builder.limits(limits.clone())).await;
    engine.register(workflow("double", double)).unwrap();
    engine.register(workflow("text", |_: Ctx, _: String| async { Ok::<_, Error>(()) })).unwrap();
    let long = "x".repeat(2_000);
    let label = |key: &str, value: &str| {
        let labels = BTreeMap::from([(key.to_owned(), value.to_owned())]);
        StartOptions { labels, ..StartOptions::default() }
    };
    let key = |key: &str| StartOptions {
        idempotency_key: Some(key.to_owned()),
        ..StartOptions::default()
    };
    let namespace =
        |name: &str| StartOptions { namespace: Some(name.to_owned()), ..StartOptions::default() };
    let none = StartOptions::default;
    let table: Vec<(&str, serde_json::Value, StartOptions, &str)> = vec![
        ("nobody", json!(1), none(), "there is no workflow `nobody`"),
        ("", json!(1), none(), "there is no workflow ``"),
        ("double", json!("one"), none(), "does not fit workflow `double`"),
        ("double", json!(-1), none(), "does not fit workflow `double`"),
        ("text", json!(long), none(), "more than the limit value_bytes_max of 100"),
        ("double", json!(1), label("", "v"), "the label `` cannot be used"),
        ("double", json!(1), label("k", &long), "the value of label `k` has 2000 bytes"),
        ("double", json!(1), key(""), "the idempotency key `` cannot be used"),
        ("double", json!(1), key(&long), "the idempotency key has 2000 bytes"),
        ("double", json!(1), namespace(""), "the namespace `` cannot be used"),
        ("double", json!(1), namespace(&long), "cannot be used"),
    ];
    for (name, input, options, expected) in table {
        let Err(error) = engine.start_with(name, &input, options).await else {
            panic!("{name} {input} was started")
        };
        assert!(error.to_string().contains(expected), "{error} should say: {expected}");
    }
    assert!(engine.query(RunQuery::default()).await.unwrap().runs.is_empty());
}

#[tokio::test]
async fn registering_checks_names_and_versions() {
    let engine = engine().await;
    let nameless = engine.register(workflow("", double));
    assert!(matches!(nameless, Err(RegisterError::Name { .. })));
    engine.register(workflow("double", double)).unwrap();
    let other: Workflow = workflow("double", double).version_named("2");
    let Err(RegisterError::AlreadyRegistered { registered, offered, .. }) = engine.register(other)
    else {
        panic!("two versions under one name")
    };
    assert_eq!((registered.as_str(), offered.as_str()), ("1", "2"));
}

#[tokio::test]
async fn a_run_that_does_not_exist_is_an_error_everywhere() {
    let engine = engine().await;
    let unknown = RunId(Uuid::from_u128(1));
    assert!(
        matches!(engine.get(unknown).await, Err(GetError::UnknownRun { run }) if run == unknown)
    );
}

#[tokio::test]
async fn an_ended_run_refuses_what_comes_too_late() {
    let engine = engine().await;
    let run = engine.start("double", &1).await.unwrap();
    run.wait::<u64>().await.unwrap();
    assert!(matches!(
        run.cancel("late").await,
        Err(CancelError::AlreadyEnded { status: RunStatus::Completed, .. })
    ));
    assert!(matches!(run.send("late", &1).await, Err(SendError::RunEnded { .. })));
    assert!(matches!(
        run.ask::<u64>("late", &1, secs(1)).await,
        Err(AskError::Send(SendError::RunEnded { .. }))
    ));
    assert!(matches!(run.send("", &1).await, Err(SendError::Name { .. })));
}

#[tokio::test]
async fn an_idempotency_key_gives_the_first_run_again() {
    let engine = engine().await;
    let options =
        || StartOptions { idempotency_key: Some("order 7".to_owned()), ..StartOptions::default() };
    let first = engine.start_with("double", &1, options()).await.unwrap();
    let second = engine.start_with("double", &2, options()).await.unwrap();
    assert_eq!(first.id(), second.id());
    assert_eq!(second.wait::<u64>().await.unwrap(), 2);
    let taken = StartOptions { run_id: Some(first.id()), ..StartOptions::default() };
    let error = engine.start_with("double", &1, taken).await;
    assert!(matches!(error, Err(StartError::RunExists { .. })));
}

#[tokio::test]
async fn a_run_with_a_start_date_begins_then() {
    let engine = engine().await;
    let start_at = engine.now().plus_ms(3_600_000);
    let options = StartOptions { start_at: Some(start_at), ..StartOptions::default() };
    let run = engine.start_with("double", &1, options).await.unwrap();
    engine.advance(secs(3_599)).await;
    let view = run.state().await.unwrap();
    assert_eq!(view.status, RunStatus::Pending);
    assert_eq!(
        serde_json::to_value(&view.waiting_for).unwrap(),
        json!([{ "for": "start", "until": start_at }])
    );
    assert_eq!(engine.stats().n_residents, 0);
    engine.advance(secs(1)).await;
    assert_eq!(run.wait::<u64>().await.unwrap(), 2);
}

#[tokio::test]
async fn waiting_has_a_limit_on_the_engines_clock() {
    let engine = kit::test_engine().await;
    let forever =
        workflow("forever", |ctx: Ctx, (): ()| async move { ctx.listen::<u64>("never").await });
    engine.register(forever).unwrap();
    let run = engine.start("forever", &()).await.unwrap();
    let waiting = run.wait_for::<u64>(secs(60));
    let (waited, ()) = tokio::join!(waiting, async {
        engine.settle().await;
        engine.advance(secs(61)).await;
    });
    assert!(matches!(waited, Err(WaitError::TimedOut { after_ms: 60_000, .. })));
}

#[tokio::test]
async fn subscribers_hear_of_every_committed_event() {
    let engine = engine().await;
    let mut updates = engine.subscribe();
    let run = engine.start("double", &1).await.unwrap();
    run.wait::<u64>().await.unwrap();
    let mut heard = Vec::new();
    while heard.last() != Some(&"RunCompleted") {
        let update = updates.next().await.unwrap();
        assert_eq!(update.run, run.id());
        heard.push(update.what.event);
        if update.what.event == "RunCompleted" {
            assert_eq!(update.status, RunStatus::Completed);
        }
    }
    assert_eq!(heard, ["RunStarted", "Noted", "StepSucceeded", "RunCompleted"]);
}

#[tokio::test]
async fn a_subscriber_that_lags_is_told_how_much_it_missed() {
    let engine = engine_with(|builder| builder.updates_kept(1_000)).await;
    let many = workflow("many", |ctx: Ctx, n: u64| async move {
        for step in 0..n {
            ctx.step(format!("step {step}"), async || Ok::<_, Error>(())).await?;
        }
        Ok::<_, Error>(())
    });
    engine.register(many).unwrap();
    let mut updates = engine.subscribe();
    let run = engine.start("many", &5_000).await.unwrap();
    run.wait::<()>().await.unwrap();
    let Err(UpdatesError::Missed { n_missed: Some(n_missed) }) = updates.next().await else {
        panic!("nothing was missed")
    };
    assert!(n_missed > 0);
    assert!(updates.next().await.is_ok(), "the rest can be read");
}

#[tokio::test]
async fn runs_are_found_by_what_is_known_of_them() {
    let engine = engine().await;
    for n in 0..4_u64 {
        let run = engine.start("double", &n).await.unwrap();
        run.wait::<u64>().await.unwrap();
    }
    let odd = RunQuery {
        labels: BTreeMap::from([("parity".to_owned(), "odd".to_owned())]),
        statuses: vec![RunStatus::Completed],
        workflow: Some("double".to_owned()),
        ..RunQuery::default()
    };
    assert_eq!(engine.query(odd).await.unwrap().runs.len(), 2);
    let counts = engine.count(&RunQuery::default()).await.unwrap();
    assert_eq!(counts.len(), 1);
    assert_eq!((counts[0].status, counts[0].n_runs), (RunStatus::Completed, 4));
}

#[tokio::test]
async fn logs_are_kept_with_the_run() {
    let engine = engine().await;
    let run = engine.start("double", &1).await.unwrap();
    run.wait::<u64>().await.unwrap();
    let lines = run.logs().await.unwrap().lines;
    assert_eq!(lines.len(), 1);
    assert_eq!((lines[0].level, lines[0].message.as_str()), (LogLevel::Info, "doubled"));
}

#[tokio::test]
async fn the_state_at_any_event_can_be_seen() {
    let engine = engine().await;
    let run = engine.start("double", &1).await.unwrap();
    run.wait::<u64>().await.unwrap();
    let before = run.state_at(Seq(1)).await.unwrap();
    assert!(before.outcome.is_none());
    assert!(before.entry(&Location::from_text("double")).is_none());
    let after = run.state_at(Seq(2)).await.unwrap();
    assert!(after.entry(&Location::from_text("double")).is_some());
}

#[tokio::test]
async fn a_mocked_step_does_not_run_its_body() {
    let tally = Tally::default();
    let counted = tally.clone();
    let engine = kit::test_engine().await;
    let paying = workflow("paying", move |ctx: Ctx, (): ()| {
        let tally = counted.clone();
        async move {
            let body = async || {
                tally.add("charge");
                Ok::<_, Error>(0_u64)
            };
            ctx.step("charge", body).await
        }
    });
    engine.register(paying).unwrap();
    engine.mock_step("charge", |attempt| match attempt.0 {
        1 => Err(Error::msg("not yet")),
        _ => Ok(json!(99)),
    });
    let run = engine.start("paying", &()).await.unwrap();
    assert_eq!(engine.wait::<u64>(&run).await.unwrap(), 99);
    assert_eq!(tally.of("charge"), 0);
}

#[tokio::test]
async fn a_saved_journal_is_checked_against_todays_code() {
    let engine = engine().await;
    let run = engine.start("double", &1).await.unwrap();
    run.wait::<u64>().await.unwrap();
    let journal = run.journal().await.unwrap();
    replay_check(&journal, &workflow("double", double)).unwrap();
    replay_check(&journal[..2], &workflow("double", double)).unwrap();

    let renamed = workflow("double", |ctx: Ctx, n: u64| async move {
        ctx.set_label("parity", "odd");
        ctx.step("twice", async || Ok::<_, Error>(n * 2)).await
    });
    replay_check(&journal, &renamed).expect_err("the step has another name");

    let other_result = workflow("double", |ctx: Ctx, n: u64| async move {
        ctx.set_label("parity", "odd");
        Ok::<_, Error>(1 + ctx.step("double", async || Ok::<_, Error>(n * 2)).await?)
    });
    replay_check(&journal, &other_result).expect_err("the output differs");
}

#[tokio::test]
async fn a_body_that_hangs_does_not_keep_time_from_passing() {
    let engine = kit::test_engine().await;
    let hanging = workflow("hanging", |ctx: Ctx, (): ()| async move {
        let body = async || -> Result<()> { std::future::pending().await };
        ctx.step("hang", body).timeout(secs(30)).await
    });
    engine.register(hanging).unwrap();
    let begun = engine.now();
    let run = engine.start("hanging", &()).await.unwrap();
    let Err(WaitError::Failed(failure)) = engine.wait::<()>(&run).await else { panic!("it ended") };
    assert!(failure.to_string().contains("timed out"), "{failure}");
    assert_eq!(engine.now(), begun.plus_ms(30_000));
}
