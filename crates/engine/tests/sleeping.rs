//! Runs that wait: timers, messages, hibernation and the bound on runs in memory.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod kit;

use std::time::Duration;

use kit::{Tally, asking, days, engine_with, kinds, secs};
use serde_json::json;
use stepwell_engine::testkit::TestEngine;
use stepwell_engine::{AskError, RunHandle};
use stepwell_journal::{RunStatus, compact};
use stepwell_kernel::{Ctx, Error, Limits, Loop, Result, branch, workflow};
use stepwell_store::RunQuery;

async fn sleeper(ctx: Ctx, ms: u64) -> Result<u64> {
    ctx.sleep("nap", Duration::from_millis(ms)).await?;
    ctx.step("after", async || Ok::<_, Error>(ms)).await
}

async fn listener(ctx: Ctx, (): ()) -> Result<String> {
    ctx.listen::<String>("word").await
}

async fn engine() -> TestEngine {
    let engine = kit::test_engine().await;
    engine.register(workflow("sleeper", sleeper)).unwrap();
    engine.register(workflow("listener", listener)).unwrap();
    engine
}

/// Lets a run that only waits leave memory.
async fn hibernate(engine: &TestEngine) {
    engine.advance(secs(2)).await;
    assert_eq!(engine.stats().n_residents, 0, "still in memory");
}

#[tokio::test]
async fn a_sleeping_run_leaves_memory_and_wakes_at_its_date() {
    let engine = engine().await;
    let began = engine.now();
    let run = engine.start("sleeper", &days(30).as_millis()).await.unwrap();
    hibernate(&engine).await;
    let row = run.row().await.unwrap();
    assert_eq!(row.status, RunStatus::Waiting);
    assert_eq!(row.wake_at, Some(began.plus_ms(days(30).as_millis() as u64)));
    let view = run.state().await.unwrap();
    assert_eq!(serde_json::to_value(&view.waiting_for).unwrap()[0]["for"], "timer");

    engine.advance(days(30) - secs(3)).await;
    assert_eq!(run.output::<u64>().await.unwrap(), None, "a second too early");
    engine.advance(secs(1)).await;
    assert_eq!(run.output::<u64>().await.unwrap(), Some(days(30).as_millis() as u64));
}

#[tokio::test]
async fn time_skips_to_the_date_and_no_further() {
    let engine = engine().await;
    let began = engine.now();
    let other = engine.start("sleeper", &days(400).as_millis()).await.unwrap();
    let run = engine.start("sleeper", &days(30).as_millis()).await.unwrap();
    engine.wait::<u64>(&run).await.unwrap();
    assert_eq!(engine.now(), began.plus_ms(days(30).as_millis() as u64));
    assert_eq!(other.output::<u64>().await.unwrap(), None);
}

#[tokio::test]
async fn a_short_wait_stays_in_memory() {
    let engine = engine().await;
    let run = engine.start("sleeper", &500).await.unwrap();
    engine.wait::<u64>(&run).await.unwrap();
    assert_eq!(engine.stats().n_hibernated, 0);
    assert_eq!(engine.stats().n_loads, 0);
}

#[tokio::test]
async fn a_message_wakes_a_run_that_left_memory() {
    let engine = engine().await;
    let run = engine.start("listener", &()).await.unwrap();
    hibernate(&engine).await;
    assert_eq!(run.row().await.unwrap().status, RunStatus::Waiting);
    run.send("other", &1).await.unwrap();
    run.send("word", "hello").await.unwrap();
    assert_eq!(run.wait::<String>().await.unwrap(), "hello");
    // A call that comes when the run has already found both messages and ended loads it once more.
    assert!((1..=2).contains(&engine.stats().n_loads), "{:?}", engine.stats());
}

#[tokio::test]
async fn no_message_is_lost_however_it_meets_hibernation() {
    let engine = engine_with(|builder| builder.hibernate_after(Duration::ZERO)).await;
    let count = workflow("count", |ctx: Ctx, n: u64| async move {
        ctx.looped("messages", 0, async |ctx, sum: u64| {
            if sum == n {
                return Ok(Loop::Break(sum));
            }
            let _: u64 = ctx.listen("one").await?;
            Ok(Loop::Continue(sum + 1))
        })
        .await
    });
    engine.register(count).unwrap();
    let run = engine.start("count", &200).await.unwrap();
    for n in 0..200_u64 {
        run.send("one", &n).await.unwrap();
        if n % 3 == 0 {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(engine.wait::<u64>(&run).await.unwrap(), 200);
}

#[tokio::test]
async fn a_message_with_a_known_key_is_dropped() {
    let engine = kit::test_engine().await;
    let two = workflow("two", |ctx: Ctx, (): ()| async move {
        let first: u64 = ctx.listen("n").named("first").await?;
        let second: u64 = ctx.listen("n").named("second").await?;
        Ok::<_, Error>((first, second))
    });
    engine.register(two).unwrap();
    let run = engine.start("two", &()).await.unwrap();
    run.send_with_key("n", &1, "a").await.unwrap();
    engine.settle().await;
    run.send_with_key("n", &2, "a").await.unwrap();
    engine.settle().await;
    run.send_with_key("n", &3, "b").await.unwrap();
    assert_eq!(run.wait::<(u64, u64)>().await.unwrap(), (1, 3));
}

#[tokio::test]
async fn a_full_mailbox_loses_nothing_and_blocks_nobody() {
    let limits = Limits { mailbox_messages_max: 3, ..Limits::default() };
    let engine = engine_with(move |builder| builder.limits(limits.clone())).await;
    let picky = workflow("picky", |ctx: Ctx, (): ()| async move {
        let wanted: u64 = ctx.listen("wanted").await?;
        let mut sum = 0;
        for n in 0..10 {
            sum += ctx.listen::<u64>("noise").named(format!("noise {n}")).await?;
        }
        Ok::<_, Error>((wanted, sum))
    });
    engine.register(picky).unwrap();
    let run = engine.start("picky", &()).await.unwrap();
    for n in 0..10_u64 {
        run.send("noise", &n).await.unwrap();
    }
    engine.settle().await;
    assert_eq!(run.state().await.unwrap().state.mailbox.len(), 3);
    run.send("wanted", &7).await.unwrap();
    assert_eq!(run.wait::<(u64, u64)>().await.unwrap(), (7, 45));
}

#[tokio::test]
async fn a_question_is_answered_also_from_sleep() {
    let engine = kit::test_engine().await;
    let answering = workflow("answering", |ctx: Ctx, (): ()| async move {
        for n in 0..2_u64 {
            let asked = ctx.listen::<u64>("double").named(format!("ask {n}")).completable().await?;
            asked.answer(&(asked.body * 2))?;
        }
        ctx.listen::<u64>("end").await
    });
    engine.register(answering).unwrap();
    let run = engine.start("answering", &()).await.unwrap();
    hibernate(&engine).await;
    assert_eq!(run.ask::<u64>("double", &4, secs(60)).await.unwrap(), 8);
    let keyed = || run.ask_with_key::<u64>("double", &5, "k", secs(60));
    assert_eq!(keyed().await.unwrap(), 10);
    assert_eq!(keyed().await.unwrap(), 10, "found in the journal");
    let unanswered = run.clone();
    let asking = async move { unanswered.ask::<u64>("double", &6, secs(600)).await };
    let ending = async {
        engine.settle().await;
        run.send("end", &1).await.unwrap();
    };
    let (asked, ()) = tokio::join!(asking, ending);
    assert!(matches!(asked, Err(AskError::Unanswered { .. })), "{asked:?}");
}

#[tokio::test]
async fn an_answer_in_the_same_commit_as_the_end_is_an_answer() {
    let engine = kit::test_engine().await;
    let answering = workflow("answering", |ctx: Ctx, (): ()| async move {
        let asked = ctx.listen::<u64>("double").completable().await?;
        asked.answer(&(asked.body * 2))
    });
    engine.register(answering).unwrap();
    let run = engine.start("answering", &()).await.unwrap();
    assert_eq!(run.ask::<u64>("double", &4, secs(60)).await.unwrap(), 8);
}

#[tokio::test]
async fn runs_ask_each_other_and_an_end_without_an_answer_is_one() {
    let engine = kit::test_engine().await;
    let answering = workflow("answering", |ctx: Ctx, answers: bool| async move {
        let asked = ctx.listen::<u64>("q").completable().await?;
        if answers {
            asked.answer(&(asked.body + 1))?;
        }
        Ok::<_, Error>(())
    });
    engine.register(answering).unwrap();
    engine.register(asking()).unwrap();
    for answers in [true, false] {
        let other = engine.start("answering", &answers).await.unwrap();
        let run = engine.start("asking", &other.id()).await.unwrap();
        let answer = engine.wait::<u64>(&run).await;
        match answers {
            true => assert_eq!(answer.unwrap(), 2),
            false => assert!(answer.unwrap_err().to_string().contains("without an answer")),
        }
    }
}

#[tokio::test]
async fn ten_thousand_timers_due_at_once_all_fire_with_few_runs_in_memory() {
    let engine = engine_with(|builder| builder.residents_max(100)).await;
    engine.register(workflow("sleeper", sleeper)).unwrap();
    let mut runs = Vec::new();
    for _ in 0..10_500 {
        runs.push(engine.start("sleeper", &days(1).as_millis()).await.unwrap());
    }
    engine.advance(secs(10)).await;
    let stats = engine.stats();
    assert_eq!((stats.n_residents, stats.n_ready), (0, 0), "all asleep");
    assert!(stats.n_timers <= 20_000);
    engine.advance(days(1)).await;
    engine.advance(secs(10)).await;
    let counts = engine.count(&RunQuery::default()).await.unwrap();
    assert_eq!(counts.len(), 1, "{counts:?}");
    assert_eq!((counts[0].status, counts[0].n_runs), (RunStatus::Completed, 10_500));
}

#[tokio::test]
async fn runs_beyond_the_bound_wait_for_a_slot_and_say_so() {
    let engine = engine_with(|builder| builder.residents_max(2)).await;
    let (open, gate) = tokio::sync::watch::channel(false);
    let tally = Tally::default();
    let counted = tally.clone();
    let gated = workflow("gated", move |ctx: Ctx, (): ()| {
        let (mut gate, tally) = (gate.clone(), counted.clone());
        async move {
            let body = async || {
                tally.add("in");
                gate.wait_for(|open| *open).await.map_err(Error::msg)?;
                Ok::<_, Error>(())
            };
            ctx.step("wait", body).timeout(Duration::ZERO).await
        }
    });
    engine.register(gated).unwrap();
    let mut runs: Vec<RunHandle> = Vec::new();
    for _ in 0..5 {
        runs.push(engine.start("gated", &()).await.unwrap());
    }
    kit::until("two are in", || tally.of("in") == 2).await;
    assert_eq!((engine.stats().n_residents, engine.stats().n_ready), (2, 3));
    let view = runs[4].state().await.unwrap();
    assert_eq!(view.status, RunStatus::Pending);
    assert_eq!(serde_json::to_value(&view.waiting_for).unwrap(), json!([{ "for": "slot" }]));
    open.send_replace(true);
    for run in &runs {
        run.wait::<()>().await.unwrap();
    }
}

#[tokio::test]
async fn a_race_of_a_message_and_a_timer_is_decided_by_the_first() {
    let engine = kit::test_engine().await;
    let approval = workflow("approval", |ctx: Ctx, (): ()| async move {
        let raced = ctx
            .race(
                "approval",
                [
                    branch("human", async |ctx: Ctx| ctx.listen::<bool>("approve").await),
                    branch("limit", async |ctx: Ctx| {
                        ctx.sleep("a day", days(1)).await?;
                        Ok(false)
                    }),
                ],
            )
            .await?;
        Ok::<_, Error>((raced.winner, raced.value))
    });
    engine.register(approval).unwrap();
    let asked = engine.start("approval", &()).await.unwrap();
    let ignored = engine.start("approval", &()).await.unwrap();
    hibernate(&engine).await;
    asked.send("approve", &true).await.unwrap();
    assert_eq!(asked.wait::<(String, bool)>().await.unwrap(), ("human".to_owned(), true));
    let late = engine.wait::<(String, bool)>(&ignored).await.unwrap();
    assert_eq!(late, ("limit".to_owned(), false));
}

#[tokio::test]
async fn an_endless_loop_keeps_its_journal_short() {
    let engine = kit::test_engine().await;
    let poller = workflow("poller", |ctx: Ctx, n: u64| async move {
        ctx.looped("poll", 0, async |ctx, seen: u64| {
            let next = ctx.step("look", async || Ok::<_, Error>(seen + 1)).await?;
            Ok(if next == n { Loop::Break(next) } else { Loop::Continue(next) })
        })
        .await
    });
    engine.register(poller).unwrap();
    let run = engine.start("poller", &5_000).await.unwrap();
    assert_eq!(engine.wait::<u64>(&run).await.unwrap(), 5_000);
    let journal = run.journal().await.unwrap();
    assert!(journal.len() < 2_000, "{} events", journal.len());
    assert!(compact(run.id(), &journal).unwrap().len() < 200);
    assert_eq!(kinds(&run).await.last(), Some(&"RunCompleted"));
}
