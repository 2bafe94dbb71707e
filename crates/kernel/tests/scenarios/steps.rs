//! Steps: results, retries, timeouts, failures.

use std::collections::BTreeMap;

use crate::kit::{In, bad, flow, ok, ran, scenario, times_ran, undoable, work};
use expect_test::expect;
use serde_json::json;
use stepwell_kernel::{
    Backoff, CancelSignal, Ctx, Error, Limits, Loop, Result, branch, millis, secs, workflow,
};

#[test]
fn steps_run_in_order_and_their_results_are_recorded() {
    async fn add(ctx: Ctx, n: u64) -> Result<u64> {
        let a = ctx
            .step("one", async || {
                ran("one");
                Ok::<_, Error>(n + 1)
            })
            .await?;
        let b = ctx
            .step("two", async || {
                ran("two");
                Ok::<_, Error>(a + 1)
            })
            .await?;
        Ok(b)
    }
    let played = scenario(workflow("add", add), json!(40)).play_with_every_cut();
    expect![[r#"
        #0 RunStarted add 40
        #1 StepSucceeded one attempt=1 41
        #2 StepSucceeded two attempt=1 42
        #3 RunCompleted 42
    "#]]
    .assert_eq(&played.text());
}

#[test]
fn a_failing_step_is_tried_again_after_its_backoff() {
    async fn flaky(ctx: Ctx, _: ()) -> Result<u32> {
        ctx.step("flaky", async || {
            ran("try");
            if times_ran("try") < 3 { Err(Error::msg("not yet")) } else { Ok(7) }
        })
        .backoff(Backoff::fixed(secs(2)))
        .await
    }
    let played = scenario(workflow("flaky", flaky), json!(null)).play();
    expect![[r#"
        #0 RunStarted flaky null
        #1 AttemptFailed flaky attempt=1 retry_at=1002000 failed: not yet
        #2 AttemptFailed flaky attempt=2 retry_at=1004000 failed: not yet
        #3 StepSucceeded flaky attempt=3 7
        #4 RunCompleted 7
    "#]]
    .assert_eq(&played.text());
}

#[test]
fn a_race_ends_when_its_first_branch_does_and_a_join_waits_for_all() {
    async fn race(ctx: Ctx, _: ()) -> Result<String> {
        let raced = ctx
            .race(
                "r",
                [
                    branch("slow", async |ctx| {
                        ctx.step("work", async || {
                            work(10_000).await;
                            Ok::<_, Error>("slow".to_owned())
                        })
                        .await
                    }),
                    branch("nap", async |ctx| {
                        ctx.sleep("nap", millis(50)).await?;
                        Ok("nap".to_owned())
                    }),
                ],
            )
            .await?;
        let (a, b) = ctx
            .join(
                "j",
                (
                    branch("a", async |ctx| ctx.step("s", async || Ok::<_, Error>(1_u32)).await),
                    branch("b", async |ctx| {
                        ctx.sleep("z", secs(1)).await?;
                        Ok("b".to_owned())
                    }),
                ),
            )
            .await?;
        Ok(format!("{} {a} {b}", raced.value))
    }
    let played = scenario(workflow("race", race), json!(null)).play_with_every_cut();
    expect![[r##"
        #0 RunStarted race null
        #1 BlockStarted r race
        #2 TimerSet r/nap/nap fire_at=1000050
        #3 AttemptStarted r/slow/work attempt=1
        #4 TimerFired r/nap/nap
        #5 BranchEnded r/nap
        #6 BlockEnded r winner=nap
        #7 BlockStarted j join
        #8 StepSucceeded j/a/s attempt=1 1
        #9 TimerSet j/b/z fire_at=1001050
        #10 BranchEnded j/a
        #11 TimerFired j/b/z
        #12 BranchEnded j/b
        #13 BlockEnded j
        #14 RunCompleted "nap 1 b"
    "##]]
    .assert_eq(&played.text());
}

#[test]
fn a_loop_keeps_only_its_last_iterations() {
    async fn count(ctx: Ctx, n: u64) -> Result<u64> {
        ctx.looped("l", 0_u64, async |ctx, i| {
            let next = ctx.step("inc", async || Ok::<_, Error>(i + 1)).await?;
            Ok(if next == n { Loop::Break(next) } else { Loop::Continue(next) })
        })
        .keep(2)
        .await
    }
    let played = scenario(workflow("count", count), json!(5)).play_with_every_cut();
    expect![[r#"
        #0 RunStarted count 5
        #1 BlockStarted l loop
        #2 StepSucceeded l/~0/inc attempt=1 1
        #3 LoopAdvanced l iteration=1 1
        #4 StepSucceeded l/~1/inc attempt=1 2
        #5 LoopAdvanced l iteration=2 2
        #6 StepSucceeded l/~2/inc attempt=1 3
        #7 LoopAdvanced l iteration=3 3 trimmed_before=1
        #8 StepSucceeded l/~3/inc attempt=1 4
        #9 LoopAdvanced l iteration=4 4 trimmed_before=2
        #10 StepSucceeded l/~4/inc attempt=1 5
        #11 BlockEnded l
        #12 RunCompleted 5
    "#]]
    .assert_eq(&played.text());
    let state = played.state;
    assert!(state.entry(&stepwell_journal::Location::from_text("l/~1/inc")).is_none());
}

#[test]
fn completed_steps_are_undone_newest_first_when_the_run_fails() {
    async fn saga(ctx: Ctx, _: ()) -> Result<()> {
        for name in ["a", "b"] {
            ctx.step(name, async || {
                ran(name);
                Ok::<_, Error>(name.to_owned())
            })
            .undo(async |name: String| {
                ran(format!("undo {name}"));
                Ok::<_, Error>(())
            })
            .await?;
        }
        ctx.step("c", async || Err::<(), _>(Error::critical(Error::msg("no")))).await
    }
    let played = scenario(workflow("saga", saga), json!(null)).play_with_every_cut();
    assert_eq!(played.ran, ["a", "b", "undo b", "undo a"]);
    expect![[r#"
        #0 RunStarted saga null
        #1 StepSucceeded a attempt=1 "a"
        #2 StepSucceeded b attempt=1 "b"
        #3 StepFailed c attempts=1 failed critically: no
        #4 UndoStarted `c` failed critically: no
        #5 StepSucceeded b/~undo attempt=1 null
        #6 StepSucceeded a/~undo attempt=1 null
        #7 RunFailed `c` failed critically: no
    "#]]
    .assert_eq(&played.text());
}

#[test]
fn a_message_is_taken_or_the_wait_times_out() {
    async fn approval(ctx: Ctx, _: ()) -> Result<String> {
        let first: Option<String> = ctx.listen("approve").timeout(secs(5)).await?;
        let second: Option<String> = ctx.listen("approve").named("again").timeout(secs(5)).await?;
        Ok(format!("{first:?} {second:?}"))
    }
    let played = scenario(workflow("approval", approval), json!(null))
        .at(1_000, In::Message("approve", json!("yes")))
        .play_with_every_cut();
    expect![[r#"
        #0 RunStarted approval null
        #1 ListenStarted approve for=["approve"] deadline_at=1005000
        #2 MessageReceived approve "yes"
        #3 MessageTaken approve n=1
        #4 ListenStarted again for=["approve"] deadline_at=1006000
        #5 ListenTimedOut again
        #6 RunCompleted "Some(\"yes\") None"
    "#]]
    .assert_eq(&played.text());
}

#[test]
fn without_retries_the_first_failure_is_the_last() {
    flow(|ctx| async move {
        ctx.step("a", async || Err::<(), _>(Error::msg("down"))).retries(0).await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepFailed a attempts=1 failed for good: down
        #2 RunFailed `a` failed for good: down
    "#]]);
}

#[test]
fn a_linear_backoff_grows_by_its_base() {
    flow(|ctx| async move {
        ctx.step("a", async || Err::<(), _>(Error::msg("down")))
            .retries(3)
            .backoff(Backoff::linear(secs(1), millis(2_500)))
            .await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 AttemptFailed a attempt=1 retry_at=1001000 failed: down
        #2 AttemptFailed a attempt=2 retry_at=1003000 failed: down
        #3 AttemptFailed a attempt=3 retry_at=1005500 failed: down
        #4 StepFailed a attempts=4 failed for good: down
        #5 RunFailed `a` failed for good: down (after 4 attempts)
    "#]]);
}

#[test]
fn an_exponential_backoff_doubles() {
    flow(|ctx| async move {
        ctx.step_with("a", async |cx| {
            if cx.attempt().0 < 4 { Err(Error::msg("down")) } else { Ok(cx.attempt().0) }
        })
        .backoff(Backoff::exponential(secs(1), secs(100)))
        .await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 AttemptFailed a attempt=1 retry_at=1001000 failed: down
        #2 AttemptFailed a attempt=2 retry_at=1003000 failed: down
        #3 AttemptFailed a attempt=3 retry_at=1007000 failed: down
        #4 StepSucceeded a attempt=4 4
        #5 RunCompleted 4
    "#]]);
}

#[test]
fn chance_in_a_backoff_is_the_same_on_every_replay() {
    flow(|ctx| async move {
        ctx.step("a", async || Err::<(), _>(Error::msg("down"))).retries(2).await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 AttemptFailed a attempt=1 retry_at=1000097 failed: down
        #2 AttemptFailed a attempt=2 retry_at=1000262 failed: down
        #3 StepFailed a attempts=3 failed for good: down
        #4 RunFailed `a` failed for good: down (after 3 attempts)
    "#]]);
}

#[test]
fn a_critical_error_is_not_retried() {
    flow(|ctx| async move { bad(&ctx, "a").await }).check(expect![[r#"
        #0 RunStarted w null
        #1 StepFailed a attempts=1 failed critically: no
        #2 RunFailed `a` failed critically: no
    "#]]);
}

#[test]
fn errors_of_any_type_are_told_in_their_words() {
    flow(|ctx| async move { ctx.step("a", async || "x".parse::<u32>()).retries(0).await }).check(
        expect![[r#"
        #0 RunStarted w null
        #1 StepFailed a attempts=1 failed for good: invalid digit found in string
        #2 RunFailed `a` failed for good: invalid digit found in string
    "#]],
    );
}

#[test]
fn a_timeout_is_final_and_tells_the_body() {
    let played = flow(|ctx| async move {
        ctx.step_with("a", async |cx| {
            let _told = Told(cx.cancel_signal());
            work(60_000).await;
            Ok::<_, Error>(())
        })
        .timeout(secs(2))
        .await
    })
    .crash_matters()
    .check(expect![[r#"
        #0 RunStarted w null
        #1 AttemptStarted a attempt=1
        #2 StepFailed a attempts=1 timed out: the attempt took longer than its timeout
        #3 RunFailed `a` timed out: the attempt took longer than its timeout
    "#]]);
    assert_eq!(played.ran, ["told"]);
}

#[test]
fn a_timeout_is_retried_when_asked_and_stays_a_timeout_at_the_end() {
    flow(|ctx| async move {
        ctx.step("a", async || {
            work(60_000).await;
            Ok::<_, Error>(())
        })
        .timeout(secs(2))
        .retry_on_timeout(true)
        .retries(1)
        .backoff(Backoff::fixed(secs(1)))
        .await
    })
    .crash_matters()
    .check(expect![[r#"
        #0 RunStarted w null
        #1 AttemptStarted a attempt=1
        #2 AttemptFailed a attempt=1 retry_at=1003000 timed out: the attempt took longer than its timeout
        #3 AttemptStarted a attempt=2
        #4 StepFailed a attempts=2 timed out: the attempt took longer than its timeout
        #5 RunFailed `a` timed out: the attempt took longer than its timeout (after 2 attempts)
    "#]]);
}

#[test]
fn a_timeout_of_zero_is_none() {
    flow(|ctx| async move {
        ctx.step("a", async || {
            work(1_000_000_000).await;
            Ok::<_, Error>(1)
        })
        .timeout(secs(0))
        .await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 AttemptStarted a attempt=1
        #2 StepSucceeded a attempt=1 1
        #3 RunCompleted 1
    "#]]);
}

#[test]
fn a_step_without_a_timeout_of_its_own_has_thirty_seconds() {
    flow(|ctx| async move {
        let fast = ctx
            .step("fast", async || {
                work(29_999).await;
                Ok::<_, Error>(1)
            })
            .await?;
        let slow = ctx
            .try_step("slow", async || {
                work(30_001).await;
                Ok::<_, Error>(1)
            })
            .await?;
        Ok((fast, slow.is_err()))
    })
    .crash_matters()
    .check(expect![[r#"
        #0 RunStarted w null
        #1 AttemptStarted fast attempt=1
        #2 StepSucceeded fast attempt=1 1
        #3 AttemptStarted slow attempt=1
        #4 StepFailed slow attempts=1 timed out: the attempt took longer than its timeout
        #5 RunCompleted [1,true]
    "#]]);
}

#[test]
fn a_body_that_is_ready_when_its_time_is_up_has_won() {
    flow(|ctx| async move {
        ctx.step("a", async || {
            work(2_000).await;
            Ok::<_, Error>(1)
        })
        .timeout(secs(2))
        .await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 AttemptStarted a attempt=1
        #2 StepSucceeded a attempt=1 1
        #3 RunCompleted 1
    "#]]);
}

#[test]
fn an_ephemeral_result_rides_with_the_next_commit() {
    let played = flow(|ctx| async move {
        let a = ctx
            .step("a", async || {
                ran("ephemeral");
                Ok::<_, Error>(1)
            })
            .ephemeral()
            .await?;
        ok(&ctx, "b", a + 1).await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepSucceeded b attempt=1 2
        #3 RunCompleted 2
    "#]]);
    assert_eq!(played.ran, ["ephemeral", "b"]);
}

#[test]
fn an_attempt_knows_its_number_and_a_key_that_stays_the_same() {
    flow(|ctx| async move {
        ctx.step_with("pay/now", async |cx| {
            let said = format!("{} {}", cx.attempt(), cx.idempotency_key());
            if cx.attempt().0 == 1 { Err(Error::msg(said)) } else { Ok(said) }
        })
        .backoff(Backoff::fixed(secs(1)))
        .await
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 AttemptFailed pay~snow attempt=1 retry_at=1001000 failed: 1 00000000-0000-0000-0000-000000000007/pay~snow
        #2 StepSucceeded pay~snow attempt=2 "2 00000000-0000-0000-0000-000000000007/pay~snow"
        #3 RunCompleted "2 00000000-0000-0000-0000-000000000007/pay~snow"
    "##]]);
}

#[test]
fn a_lost_race_tells_the_body_at_once() {
    let played = flow(|ctx| async move {
        let raced = ctx
            .race(
                "r",
                [
                    branch("slow", async |ctx: Ctx| {
                        ctx.step_with("work", async |cx| {
                            let _told = Told(cx.cancel_signal());
                            work(60_000).await;
                            Ok::<_, Error>(0)
                        })
                        .timeout(secs(0))
                        .await
                    }),
                    branch("fast", async |ctx: Ctx| {
                        ctx.sleep("nap", secs(1)).await?;
                        Ok(1)
                    }),
                ],
            )
            .await?;
        Ok(raced.value)
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted r race
        #2 TimerSet r/fast/nap fire_at=1001000
        #3 AttemptStarted r/slow/work attempt=1
        #4 TimerFired r/fast/nap
        #5 BranchEnded r/fast
        #6 BlockEnded r winner=fast
        #7 RunCompleted 1
    "#]]);
    assert_eq!((played.ran, played.ended_at_ms), (vec!["told".to_owned()], 1_000));
}

#[test]
fn a_cancel_tells_the_body_at_once() {
    let played = flow(|ctx| async move {
        ctx.step_with("work", async |cx| {
            let _told = Told(cx.cancel_signal());
            work(60_000).await;
            Ok::<_, Error>(0)
        })
        .await
    })
    .at(1_000, In::Cancel("enough"))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 AttemptStarted work attempt=1
        #2 CancelRequested "enough"
        #3 RunCancelled "enough"
    "##]]);
    assert_eq!((played.ran, played.ended_at_ms), (vec!["told".to_owned()], 1_000));
}

#[test]
fn the_cancel_signal_of_an_attempt_that_ends_by_itself_does_not_fire() {
    let played = flow(|ctx| async move {
        ctx.step_with("a", async |cx| {
            let _told = Told(cx.cancel_signal());
            Ok::<_, Error>(0)
        })
        .await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 0
        #2 RunCompleted 0
    "#]]);
    assert_eq!(played.ran, ["not told"]);
}

#[test]
fn a_body_may_borrow_and_change_the_functions_own_locals() {
    flow(|ctx| async move {
        let (list, mut n) = (vec![1, 2, 3], 0);
        let sum = ctx
            .step("sum", async || {
                n += list.len();
                Ok::<_, Error>(list.iter().sum::<i32>())
            })
            .await?;
        Ok((sum, list))
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded sum attempt=1 6
        #2 RunCompleted [6,[1,2,3]]
    "#]]);
}

#[test]
fn a_tried_step_tells_the_kind_the_source_and_the_attempts_of_its_failure() {
    flow(|ctx| async move {
        let ok = ctx.try_step("ok", async || Ok::<_, Error>(7)).await?;
        let critical =
            ctx.try_step("critical", async || Err::<(), _>(Error::critical(Error::msg("bad")))).await?;
        let slow = ctx
            .try_step("slow", async || {
                work(60_000).await;
                Ok::<_, Error>(())
            })
            .await?;
        let exhausted = ctx
            .try_step("exhausted", async || Err::<(), _>(Error::msg("down")))
            .retries(1)
            .backoff(Backoff::fixed(secs(1)))
            .await?;
        let rollback = ctx
            .try_step("rollback", async || Err::<(), _>(Error::rollback(Error::msg("back"))))
            .catch_rollback()
            .await?;
        let told = [critical, slow, exhausted, rollback].map(|tried| {
            let failure = tried.unwrap_err();
            (failure.kind.as_str(), failure.source.unwrap().to_string(), failure.message)
        });
        Ok((ok.unwrap(), told))
    })
    .crash_matters()
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded ok attempt=1 7
        #2 StepFailed critical attempts=1 failed critically: bad
        #3 AttemptStarted slow attempt=1
        #4 StepFailed slow attempts=1 timed out: the attempt took longer than its timeout
        #5 AttemptFailed exhausted attempt=1 retry_at=1031000 failed: down
        #6 StepFailed exhausted attempts=2 failed for good: down
        #7 StepFailed rollback attempts=1 asked for rollback: back
        #8 RunCompleted [7,[["failed critically","critical","bad"],["timed out","slow","the attempt took longer than its timeout"],["failed for … (188 bytes)
    "##]]);
}

#[test]
fn a_tried_step_lets_a_rollback_through() {
    flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        let tried =
            ctx.try_step("b", async || Err::<(), _>(Error::rollback(Error::msg("back")))).await?;
        Ok(tried.is_err())
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 StepFailed b attempts=1 asked for rollback: back
        #3 UndoStarted `b` asked for rollback: back
        #4 StepSucceeded a/~undo attempt=1 null
        #5 RunFailed `b` asked for rollback: back
    "##]]);
}

#[test]
fn a_tried_block_tells_what_failed_in_it() {
    flow(|ctx| async move {
        let ok = ctx.try_block("ok", async |ctx| ok(&ctx, "a", 1).await).await?;
        let failed = ctx
            .try_block("failed", async |ctx| {
                bad(&ctx, "b").await?;
                Ok(2)
            })
            .await?
            .unwrap_err();
        let own = ctx
            .try_block("own", async |_| Err::<(), _>(Error::msg("of the code itself")))
            .await?
            .unwrap_err();
        let back = ctx
            .try_block("back", async |ctx| {
                ctx.step("c", async || Err::<(), _>(Error::rollback(Error::msg("back")))).await
            })
            .catch_rollback()
            .await?
            .unwrap_err();
        Ok((ok.unwrap(), failed.to_string(), own.to_string(), back.to_string()))
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 BlockStarted ok block
        #2 StepSucceeded ok/a attempt=1 1
        #3 BlockEnded ok
        #4 BlockStarted failed block
        #5 StepFailed failed/b attempts=1 failed critically: no
        #6 BlockEnded failed failed critically: no
        #7 BlockStarted own block
        #8 BlockEnded own failed: of the code itself
        #9 BlockStarted back block
        #10 StepFailed back/c attempts=1 asked for rollback: back
        #11 BlockEnded back asked for rollback: back
        #12 RunCompleted [1,"`failed/b` failed critically: no","failed: of the code itself","`back/c` asked for rollback: back"]
    "##]]);
}

#[test]
fn a_tried_block_lets_a_rollback_through() {
    flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        let tried = ctx
            .try_block("t", async |ctx| {
                undoable(&ctx, "b").await?;
                ctx.step("c", async || Err::<(), _>(Error::rollback(Error::msg("back")))).await
            })
            .await?;
        Ok(tried.is_ok())
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 BlockStarted t block
        #3 StepSucceeded t/b attempt=1 "b"
        #4 StepFailed t/c attempts=1 asked for rollback: back
        #5 BlockEnded t asked for rollback: back
        #6 UndoStarted `t/c` asked for rollback: back
        #7 StepSucceeded t/b/~undo attempt=1 null
        #8 StepSucceeded a/~undo attempt=1 null
        #9 RunFailed `t/c` asked for rollback: back
    "##]]);
}

#[test]
fn a_result_that_json_cannot_hold_is_a_critical_failure() {
    flow(|ctx| async move {
        ctx.step("a", async || {
            Ok::<_, Error>(BTreeMap::from([(vec![1, 2], 3)]))
        })
        .await
        .map(|_| ())
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepFailed a attempts=1 failed critically: the result cannot be written as JSON: key must be a string
        #2 RunFailed `a` failed critically: the result cannot be written as JSON: key must be a string
    "#]]);
}

#[test]
fn a_skipped_step_is_recorded_with_its_reason() {
    flow(|ctx| async move {
        ctx.skip("a", "nobody needs it");
        ok(&ctx, "b", 1).await
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSkipped a "nobody needs it"
        #2 StepSucceeded b attempt=1 1
        #3 RunCompleted 1
    "##]]);
}

#[test]
fn an_attempt_that_takes_a_while_gets_a_start_marker() {
    flow(|ctx| async move {
        ctx.step_with("a", async |cx| {
            ran(cx.location().as_str());
            work(20).await;
            Ok::<_, Error>(1)
        })
        .await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 AttemptStarted a attempt=1
        #2 StepSucceeded a attempt=1 1
        #3 RunCompleted 1
    "#]]);
}

#[test]
fn two_thousand_steps_run_one_after_another() {
    let played = flow(|ctx| async move {
        let mut sum = 0;
        for n in 0..2_000_u64 {
            sum += ctx.step(format!("s{n}"), async || Ok::<_, Error>(n)).await?;
        }
        Ok(sum)
    })
    .play();
    assert_eq!(played.outcome(), "completed 1999000");
    assert_eq!(played.journal.len(), 2_002);
}

#[test]
fn an_error_text_without_end_is_cut() {
    let limits = Limits { text_bytes_max: 40, ..Limits::default() };
    flow(|ctx| async move {
        ctx.step("a", async || Err::<(), _>(Error::critical(Error::msg("é".repeat(100))))).await
    })
    .limits(limits)
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepFailed a attempts=1 failed critically: éééééééééé… (cut, 200 bytes)
        #2 RunFailed `a` failed critically: éééééééééé… (cut, 200 bytes)
    "#]]);
}

/// Says, when it is dropped, whether the signal had fired.
struct Told(CancelSignal);

impl Drop for Told {
    fn drop(&mut self) {
        ran(if self.0.is_cancelled() { "told" } else { "not told" });
    }
}
