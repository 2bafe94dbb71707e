//! Cancel wins: wherever it comes, the run ends cancelled.

use expect_test::expect;
use serde_json::json;
use stepwell_kernel::{Backoff, Ctx, Error, branch, secs};

use crate::kit::{In, OTHER, Scenario, bad, flow, ok, ran, undoable, work};

#[test]
fn a_cancel_before_the_first_step_keeps_it_from_starting() {
    let played = flow(|ctx| async move { ok(&ctx, "a", 1).await })
        .at(0, In::Cancel("at once"))
        .check(expect![[r##"
            #0 RunStarted w null
            #1 CancelRequested "at once"
            #2 RunCancelled "at once"
        "##]]);
    assert!(played.ran.is_empty());
}

#[test]
fn a_cancel_in_the_last_step_wins() {
    let played = flow(|ctx| async move {
        ok(&ctx, "a", 1).await?;
        ctx.step("last", async || {
            work(1_000).await;
            ran("not cancelled");
            Ok::<_, Error>(())
        })
        .await
    })
    .at(999, In::Cancel("nearly done"))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 AttemptStarted last attempt=1
        #3 CancelRequested "nearly done"
        #4 RunCancelled "nearly done"
    "##]]);
    assert_eq!(played.ran, ["a"]);
}

#[test]
fn a_cancel_ends_a_sleep_a_listen_and_a_question() {
    flow(|ctx| async move {
        ctx.join(
            "j",
            (
                branch("sleep", async |ctx: Ctx| ctx.sleep("z", secs(100)).await),
                branch("listen", async |ctx: Ctx| ctx.listen::<u32>("m").await),
                branch("ask", async |ctx: Ctx| ctx.ask::<u32>(OTHER, "q", &1).await),
            ),
        )
        .await
    })
    .at(1_000, In::Cancel("enough"))
    .at(1_000, In::Message("m", json!(1)))
    .at(1_000, In::Answer("j/ask/ask:q", json!(1)))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 BlockStarted j join
        #2 TimerSet j/sleep/z fire_at=1100000
        #3 ListenStarted j/listen/m for=["m"]
        #4 StepSucceeded j/ask/ask:q/~ask attempt=1 {"to":"00000000-0000-0000-0000-000000000008","message":"b8149165-7b78-5fc4-a7e7-bca0f9219cc3"}
        #5 CancelRequested "enough"
        #6 MessageReceived m 1
        #7 RunCancelled "enough"
    "##]]);
}

#[test]
fn a_cancel_in_a_retry_wait_ends_it() {
    let played = flow(|ctx| async move {
        ctx.step("a", async || {
            ran("try");
            Err::<(), _>(Error::msg("down"))
        })
        .backoff(Backoff::fixed(secs(10)))
        .await
    })
    .at(5_000, In::Cancel("enough"))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 AttemptFailed a attempt=1 retry_at=1010000 failed: down
        #2 CancelRequested "enough"
        #3 RunCancelled "enough"
    "##]]);
    assert_eq!(played.ran, ["try"]);
}

#[test]
fn the_second_cancel_changes_nothing() {
    flow(|ctx| async move { ctx.sleep("z", secs(100)).await })
        .at(1_000, In::Cancel("first"))
        .at(1_000, In::Cancel("second"))
        .at(1_001, In::Cancel("third"))
        .check(expect![[r##"
            #0 RunStarted w null
            #1 TimerSet z fire_at=1100000
            #2 CancelRequested "first"
            #3 RunCancelled "first"
        "##]]);
}

#[test]
fn a_cancel_undoes_when_the_workflow_asks_for_it() {
    let saga = || {
        flow(|ctx| async move {
            undoable(&ctx, "a").await?;
            undoable(&ctx, "b").await?;
            ctx.sleep("z", secs(100)).await
        })
        .at(1_000, In::Cancel("enough"))
    };
    let played = saga().undo_on_cancel().check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 StepSucceeded b attempt=1 "b"
        #3 TimerSet z fire_at=1100000
        #4 CancelRequested "enough"
        #5 UndoStarted was cancelled: enough
        #6 StepSucceeded b/~undo attempt=1 null
        #7 StepSucceeded a/~undo attempt=1 null
        #8 RunCancelled "enough"
    "##]]);
    assert_eq!(played.ran, ["a", "b", "undo b", "undo a"]);
    let played = saga().check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 StepSucceeded b attempt=1 "b"
        #3 TimerSet z fire_at=1100000
        #4 CancelRequested "enough"
        #5 RunCancelled "enough"
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
}

#[test]
fn a_cancel_in_a_rollback_ends_it() {
    let played = slow_rollback().at(500, In::Cancel("enough")).check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 StepSucceeded b attempt=1 "b"
        #3 StepFailed c attempts=1 failed critically: no
        #4 UndoStarted `c` failed critically: no
        #5 AttemptStarted b/~undo attempt=1
        #6 CancelRequested "enough"
        #7 RunCancelled "enough"
    "##]]);
    assert_eq!(played.ran, ["c"]);
}

#[test]
fn a_cancel_in_a_rollback_lets_it_finish_when_the_workflow_asks_for_it() {
    let played =
        slow_rollback().undo_on_cancel().at(500, In::Cancel("enough")).check(expect![[r##"
            #0 RunStarted w null
            #1 StepSucceeded a attempt=1 "a"
            #2 StepSucceeded b attempt=1 "b"
            #3 StepFailed c attempts=1 failed critically: no
            #4 UndoStarted `c` failed critically: no
            #5 AttemptStarted b/~undo attempt=1
            #6 CancelRequested "enough"
            #7 StepSucceeded b/~undo attempt=1 null
            #8 AttemptStarted a/~undo attempt=1
            #9 StepSucceeded a/~undo attempt=1 null
            #10 RunCancelled "enough"
        "##]]);
    assert_eq!(played.ran, ["c", "undo b", "undo a"]);
}

#[test]
fn a_cancel_in_a_rollbacks_retry_wait_lets_it_finish_when_asked() {
    flow(|ctx| async move {
        ctx.step("a", async || Ok::<_, Error>(1))
            .undo(async |_| Err(Error::msg("busy")))
            .undo_policy(stepwell_kernel::StepPolicy {
                retries: 1,
                backoff: Backoff::fixed(secs(10)),
                ..stepwell_kernel::StepPolicy::default()
            })
            .await?;
        bad(&ctx, "b").await
    })
    .undo_on_cancel()
    .at(5_000, In::Cancel("enough"))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepFailed b attempts=1 failed critically: no
        #3 UndoStarted `b` failed critically: no
        #4 AttemptFailed a/~undo attempt=1 retry_at=1010000 failed: busy
        #5 CancelRequested "enough"
        #6 StepFailed a/~undo attempts=2 failed for good: busy
        #7 RunCancelled "enough"
    "##]]);
}

#[test]
fn a_cancel_wins_at_every_moment() {
    // The same run cancelled at each moment of its life, with a crash after every event of each.
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
                            .backoff(Backoff::fixed(std::time::Duration::from_millis(10)))
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
                .await?;
                bad(&ctx, "bad").await
            })
            .at(30, In::Message("m", json!(1)))
            .at(50, In::ChildOk("j/w/c", json!(1)))
            .at(ms, In::Cancel("enough"));
            let mut scenario = if undo { scenario.undo_on_cancel() } else { scenario };
            scenario.inputs.sort_by_key(|(ms, _)| *ms);
            // A run that had failed before the cancel came stays failed.
            let played = scenario.crash_matters().play_with_every_cut();
            let expected = if ms > 60 { "failed" } else { "cancelled" };
            assert!(played.outcome().starts_with(expected), "{ms}: {}", played.text());
        }
    }
}
