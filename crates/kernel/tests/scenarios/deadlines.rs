//! A deadline is a date: whatever the run does when it passes, the run fails there and then.

use expect_test::expect;
use serde_json::json;
use stepwell_journal::{Event, EventKind, Seq, UnixMillis};
use stepwell_kernel::{Backoff, Ctx, Error, branch, millis, secs};

use crate::kit::{In, Load, START, Scenario, bad, flow, ok, ran, undoable, work};

#[test]
fn a_deadline_in_the_first_step_ends_it() {
    let played = flow(|ctx| async move {
        ctx.step_with("slow", async |cx| {
            let signal = cx.cancel_signal();
            work(10_000).await;
            ran(format!("not stopped {}", signal.is_cancelled()));
            Ok::<_, Error>(())
        })
        .await
    })
    .deadline(2_000)
    .check(expect![[r#"
        #0 RunStarted w null deadline_at=1002000
        #1 AttemptStarted slow attempt=1
        #2 DeadlinePassed deadline_at=1002000
        #3 RunFailed missed its deadline: the run had to end by 1970-01-01T00:16:42.000Z
    "#]]);
    assert!(played.ran.is_empty());
    assert_eq!(played.ended_at_ms, 2_000);
    let failed = "missed its deadline: the run had to end by 1970-01-01T00:16:42.000Z";
    assert_eq!(played.outcome(), format!("failed {failed}"));
}

#[test]
fn a_run_that_ends_in_time_is_left_alone() {
    flow(|ctx| async move { ok(&ctx, "a", 1).await }).deadline(1_000).check(expect![[r#"
        #0 RunStarted w null deadline_at=1001000
        #1 StepSucceeded a attempt=1 1
        #2 RunCompleted 1
    "#]]);
}

#[test]
fn nothing_begins_when_the_deadline_has_passed_before_the_start() {
    let played =
        flow(|ctx| async move { ok(&ctx, "a", 1).await }).deadline(0).check(expect![[r#"
        #0 RunStarted w null deadline_at=1000000
        #1 DeadlinePassed deadline_at=1000000
        #2 RunFailed missed its deadline: the run had to end by 1970-01-01T00:16:40.000Z
    "#]]);
    assert!(played.ran.is_empty());
}

#[test]
fn nothing_is_even_noted_when_the_deadline_has_passed_before_the_start() {
    flow(|ctx| async move {
        ctx.describe("about to begin");
        ctx.join("j", [branch("b", async |ctx: Ctx| ctx.sleep("z", secs(1)).await)]).await
    })
    .deadline(0)
    .check(expect![[r#"
        #0 RunStarted w null deadline_at=1000000
        #1 DeadlinePassed deadline_at=1000000
        #2 RunFailed missed its deadline: the run had to end by 1970-01-01T00:16:40.000Z
    "#]]);
}

#[test]
fn a_deadline_ends_waits_and_cancels_children() {
    let played = flow(|ctx| async move {
        ctx.join(
            "j",
            (
                branch("sleep", async |ctx: Ctx| ctx.sleep("z", secs(100)).await),
                branch("listen", async |ctx: Ctx| ctx.listen::<u32>("m").await),
                branch("child", async |ctx: Ctx| ctx.child::<u32>("c", "other", &1).await),
                branch("retry", async |ctx: Ctx| {
                    ctx.step("try", async || Err::<(), _>(Error::msg("down")))
                        .backoff(Backoff::fixed(secs(50)))
                        .await
                }),
            ),
        )
        .await
    })
    .deadline(5_000)
    .check(expect![[r##"
        #0 RunStarted w null deadline_at=1005000
        #1 BlockStarted j join
        #2 TimerSet j/sleep/z fire_at=1100000
        #3 ListenStarted j/listen/m for=["m"]
        #4 ChildStarted j/child/c other 1
        #5 AttemptFailed j/retry/try attempt=1 retry_at=1050000 failed: down
        #6 DeadlinePassed deadline_at=1005000
        #7 RunFailed missed its deadline: the run had to end by 1970-01-01T00:16:45.000Z
    "##]]);
    assert_eq!(played.cancelled_children.len(), 1);
}

#[test]
fn a_missed_deadline_undoes_when_the_workflow_asks_for_it() {
    let saga = || {
        flow(|ctx| async move {
            undoable(&ctx, "a").await?;
            undoable(&ctx, "b").await?;
            ctx.sleep("z", secs(100)).await
        })
        .deadline(1_000)
    };
    let played = saga().undo_on_cancel().check(expect![[r##"
        #0 RunStarted w null deadline_at=1001000
        #1 StepSucceeded a attempt=1 "a"
        #2 StepSucceeded b attempt=1 "b"
        #3 TimerSet z fire_at=1100000
        #4 DeadlinePassed deadline_at=1001000
        #5 UndoStarted missed its deadline: the run had to end by 1970-01-01T00:16:41.000Z
        #6 StepSucceeded b/~undo attempt=1 null
        #7 StepSucceeded a/~undo attempt=1 null
        #8 RunFailed missed its deadline: the run had to end by 1970-01-01T00:16:41.000Z
    "##]]);
    assert_eq!(played.ran, ["a", "b", "undo b", "undo a"]);
    let played = saga().check(expect![[r##"
        #0 RunStarted w null deadline_at=1001000
        #1 StepSucceeded a attempt=1 "a"
        #2 StepSucceeded b attempt=1 "b"
        #3 TimerSet z fire_at=1100000
        #4 DeadlinePassed deadline_at=1001000
        #5 RunFailed missed its deadline: the run had to end by 1970-01-01T00:16:41.000Z
    "##]]);
    assert_eq!(played.ran, ["a", "b"]);
}

fn slow_rollback() -> Scenario {
    flow(|ctx| async move {
        for name in ["a", "b"] {
            ctx.step(name, async || Ok::<_, Error>(name.to_owned()))
                .undo(async |name: String| {
                    work(1_000).await;
                    ran(format!("undo {name}"));
                    Ok::<_, Error>(())
                })
                .await?;
        }
        bad(&ctx, "c").await
    })
    .deadline(500)
}

#[test]
fn a_deadline_in_a_rollback_ends_it() {
    let played = slow_rollback().check(expect![[r##"
        #0 RunStarted w null deadline_at=1000500
        #1 StepSucceeded a attempt=1 "a"
        #2 StepSucceeded b attempt=1 "b"
        #3 StepFailed c attempts=1 failed critically: no
        #4 UndoStarted `c` failed critically: no
        #5 AttemptStarted b/~undo attempt=1
        #6 DeadlinePassed deadline_at=1000500
        #7 RunFailed missed its deadline: the run had to end by 1970-01-01T00:16:40.500Z, and it was still rolling back after: `c` failed critically: no
    "##]]);
    assert_eq!(played.ran, ["c"]);
}

#[test]
fn a_deadline_in_a_rollback_lets_it_finish_when_the_workflow_asks_for_it() {
    let played = slow_rollback().undo_on_cancel().check(expect![[r##"
        #0 RunStarted w null deadline_at=1000500
        #1 StepSucceeded a attempt=1 "a"
        #2 StepSucceeded b attempt=1 "b"
        #3 StepFailed c attempts=1 failed critically: no
        #4 UndoStarted `c` failed critically: no
        #5 AttemptStarted b/~undo attempt=1
        #6 DeadlinePassed deadline_at=1000500
        #7 StepSucceeded b/~undo attempt=1 null
        #8 AttemptStarted a/~undo attempt=1
        #9 StepSucceeded a/~undo attempt=1 null
        #10 RunFailed missed its deadline: the run had to end by 1970-01-01T00:16:40.500Z, and it was still rolling back after: `c` failed critically: no
    "##]]);
    assert_eq!(played.ran, ["c", "undo b", "undo a"]);
}

#[test]
fn a_cancel_wins_over_a_deadline_before_and_after_it_has_passed() {
    let waiting = || {
        flow(|ctx| async move {
            undoable(&ctx, "a").await?;
            ctx.step("b", async || Ok::<_, Error>(1))
                .undo(async |_| {
                    work(2_000).await;
                    Ok::<_, Error>(())
                })
                .await?;
            ctx.sleep("z", secs(100)).await
        })
        .deadline(1_000)
        .undo_on_cancel()
        .crash_matters()
    };
    waiting().at(500, In::Cancel("before")).check(expect![[r##"
        #0 RunStarted w null deadline_at=1001000
        #1 StepSucceeded a attempt=1 "a"
        #2 StepSucceeded b attempt=1 1
        #3 TimerSet z fire_at=1100000
        #4 CancelRequested "before"
        #5 UndoStarted was cancelled: before
        #6 AttemptStarted b/~undo attempt=1
        #7 StepSucceeded b/~undo attempt=1 null
        #8 StepSucceeded a/~undo attempt=1 null
        #9 RunCancelled "before"
    "##]]);
    waiting().at(1_500, In::Cancel("after")).check(expect![[r##"
        #0 RunStarted w null deadline_at=1001000
        #1 StepSucceeded a attempt=1 "a"
        #2 StepSucceeded b attempt=1 1
        #3 TimerSet z fire_at=1100000
        #4 DeadlinePassed deadline_at=1001000
        #5 UndoStarted missed its deadline: the run had to end by 1970-01-01T00:16:41.000Z
        #6 AttemptStarted b/~undo attempt=1
        #7 CancelRequested "after"
        #8 StepSucceeded b/~undo attempt=1 null
        #9 StepSucceeded a/~undo attempt=1 null
        #10 RunCancelled "after"
    "##]]);
}

#[test]
fn a_deadline_holds_for_a_run_that_was_away_when_it_passed() {
    let scenario = flow(|ctx| async move {
        ctx.sleep("z", secs(10)).await?;
        ok(&ctx, "after", 1).await
    })
    .deadline(20_000);
    let asleep = scenario.play().journal[..2].to_vec();
    let played = scenario.play_late(asleep, 60_000);
    assert!(played.ran.is_empty(), "its timer had fired before, but nobody was there");
    assert!(played.outcome().starts_with("failed missed its deadline"), "{}", played.text());
}

#[test]
fn a_resumed_run_has_no_deadline_unless_it_gets_a_new_one() {
    let scenario = flow(|ctx| async move {
        ctx.sleep("z", secs(10)).await?;
        ok(&ctx, "after", 1).await
    })
    .deadline(5_000);
    let played = scenario.play();
    let last = played.journal.last().unwrap().seq;
    let resumed = |deadline_at| {
        let mut journal = played.journal.clone();
        let void = stepwell_journal::SeqRange { first: Seq(last.0 - 1), last };
        let kind = EventKind::RunResumed { voids: vec![void], reason: "again".into(), deadline_at };
        journal.push(Event { seq: last.next(), at: UnixMillis(START + 6_000), kind });
        scenario.play_from(journal, Load::Plain)
    };
    assert_eq!(resumed(None).outcome(), "completed 1");
    let again = resumed(Some(UnixMillis(START + 8_000)));
    assert!(again.outcome().starts_with("failed missed its deadline"), "{}", again.text());
    assert_eq!(again.ended_at_ms, 8_000);
}

#[test]
fn a_deadline_holds_at_every_moment() {
    for ms in [0, 1, 4, 5, 6, 9, 10, 11, 19, 20, 21, 30, 49, 50, 51, 59, 60, 61] {
        for undo in [false, true] {
            let scenario = flow(|ctx| async move {
                undoable(&ctx, "a").await?;
                ctx.step("b", async || {
                    work(10).await;
                    Ok::<_, Error>(1)
                })
                .await?;
                ctx.join(
                    "j",
                    (
                        branch("x", async |ctx: Ctx| ctx.sleep("z", secs(0)).await),
                        branch("y", async |ctx: Ctx| {
                            ctx.step_with("c", async |cx| match cx.attempt().0 {
                                1 => Err(Error::msg("again")),
                                _ => Ok(()),
                            })
                            .backoff(Backoff::fixed(millis(10)))
                            .await
                        }),
                        branch("z", async |ctx: Ctx| ctx.listen::<u32>("m").timeout(secs(1)).await),
                        branch("w", async |ctx: Ctx| ctx.child::<u32>("c", "other", &1).await),
                    ),
                )
                .await?;
                ctx.step("last", async || {
                    work(10).await;
                    Ok::<_, Error>(1)
                })
                .await
            })
            .at(30, In::Message("m", json!(1)))
            .at(50, In::ChildOk("j/w/c", json!(1)))
            .deadline(ms)
            .crash_matters();
            let scenario = if undo { scenario.undo_on_cancel() } else { scenario };
            let played = scenario.play_with_every_cut();
            let expected = if ms > 60 { "completed" } else { "failed missed its deadline" };
            assert!(played.outcome().starts_with(expected), "{ms}: {}", played.text());
        }
    }
}
