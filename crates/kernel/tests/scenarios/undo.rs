//! Rollback: what completed steps did is undone, newest first, whatever crashes.

use expect_test::expect;
use stepwell_kernel::{Backoff, Ctx, Error, Loop, StepPolicy, branch, secs};

use crate::kit::{In, bad, flow, kill, ok, ran, undoable, work};

#[test]
fn steps_are_undone_wherever_they_stood() {
    let played = flow(|ctx| async move {
        undoable(&ctx, "first").await?;
        ctx.join(
            "j",
            [
                branch("a", async |ctx: Ctx| undoable(&ctx, "in a").await),
                branch("b", async |ctx: Ctx| undoable(&ctx, "in b").await),
            ],
        )
        .await?;
        ctx.race("r", [branch("a", async |ctx: Ctx| undoable(&ctx, "in race").await)]).await?;
        ctx.looped("l", (), async |ctx, ()| {
            undoable(&ctx, "in loop").await?;
            Ok(Loop::<(), ()>::Break(()))
        })
        .await?;
        let _ = ctx
            .try_block("t", async |ctx| {
                undoable(&ctx, "in block").await?;
                bad(&ctx, "caught").await
            })
            .await?;
        Err::<(), _>(Error::msg("in the end"))
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded first attempt=1 "first"
        #2 BlockStarted j join
        #3 StepSucceeded j/a/in a attempt=1 "in a"
        #4 StepSucceeded j/b/in b attempt=1 "in b"
        #5 BranchEnded j/a
        #6 BranchEnded j/b
        #7 BlockEnded j
        #8 BlockStarted r race
        #9 StepSucceeded r/a/in race attempt=1 "in race"
        #10 BranchEnded r/a
        #11 BlockEnded r winner=a
        #12 BlockStarted l loop
        #13 StepSucceeded l/~0/in loop attempt=1 "in loop"
        #14 BlockEnded l
        #15 BlockStarted t block
        #16 StepSucceeded t/in block attempt=1 "in block"
        #17 StepFailed t/caught attempts=1 failed critically: no
        #18 BlockEnded t failed critically: no
        #19 UndoStarted failed: in the end
        #20 StepSucceeded t/in block/~undo attempt=1 null
        #21 StepSucceeded l/~0/in loop/~undo attempt=1 null
        #22 StepSucceeded r/a/in race/~undo attempt=1 null
        #23 StepSucceeded j/b/in b/~undo attempt=1 null
        #24 StepSucceeded j/a/in a/~undo attempt=1 null
        #25 StepSucceeded first/~undo attempt=1 null
        #26 RunFailed failed: in the end
    "##]]);
    let undone: Vec<_> = played.ran.iter().filter(|ran| ran.starts_with("undo")).collect();
    assert_eq!(
        undone,
        ["undo in block", "undo in loop", "undo in race", "undo in b", "undo in a", "undo first"]
    );
}

#[test]
fn a_step_that_did_not_complete_is_not_undone() {
    let played = flow(|ctx| async move {
        undoable(&ctx, "done").await?;
        ctx.step("half", async || Err::<u8, _>(Error::critical(Error::msg("half-way"))))
            .undo(async |_| {
                ran("undo half");
                Ok::<_, Error>(())
            })
            .await
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded done attempt=1 "done"
        #2 StepFailed half attempts=1 failed critically: half-way
        #3 UndoStarted `half` failed critically: half-way
        #4 StepSucceeded done/~undo attempt=1 null
        #5 RunFailed `half` failed critically: half-way
    "##]]);
    assert_eq!(played.ran, ["done", "undo done"]);
}

#[test]
fn a_run_that_completes_undoes_nothing() {
    let played = flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        Ok(ctx.try_block("t", async |ctx| bad(&ctx, "b").await).await?.is_err())
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 BlockStarted t block
        #3 StepFailed t/b attempts=1 failed critically: no
        #4 BlockEnded t failed critically: no
        #5 RunCompleted true
    "##]]);
    assert_eq!(played.ran, ["a", "t/b"]);
}

#[test]
fn a_failed_run_without_handlers_just_fails() {
    flow(|ctx| async move {
        ok(&ctx, "a", 1).await?;
        bad(&ctx, "b").await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepFailed b attempts=1 failed critically: no
        #3 RunFailed `b` failed critically: no
    "#]]);
}

#[test]
fn rollback_stops_at_the_last_checkpoint() {
    let played = flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        ctx.checkpoint("one").await?;
        undoable(&ctx, "b").await?;
        ctx.checkpoint("two").await?;
        undoable(&ctx, "c").await?;
        bad(&ctx, "d").await
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 CheckpointSet one
        #3 StepSucceeded b attempt=1 "b"
        #4 CheckpointSet two
        #5 StepSucceeded c attempt=1 "c"
        #6 StepFailed d attempts=1 failed critically: no
        #7 UndoStarted `d` failed critically: no
        #8 StepSucceeded c/~undo attempt=1 null
        #9 RunFailed `d` failed critically: no
    "##]]);
    assert_eq!(played.ran, ["a", "b", "c", "d", "undo c"]);
}

#[test]
fn a_checkpoint_with_nothing_after_it_leaves_nothing_to_undo() {
    flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        ctx.checkpoint("one").await?;
        bad(&ctx, "d").await
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 CheckpointSet one
        #3 StepFailed d attempts=1 failed critically: no
        #4 RunFailed `d` failed critically: no
    "##]]);
}

#[test]
fn a_handler_is_retried_by_its_own_policy() {
    flow(|ctx| async move {
        ctx.step("a", async || Ok::<_, Error>(1))
            .undo(async |_| {
                ran("undo");
                if crate::kit::times_ran("undo") == 1 { Err(Error::msg("busy")) } else { Ok(()) }
            })
            .undo_policy(StepPolicy {
                retries: 1,
                backoff: Backoff::fixed(secs(7)),
                ..StepPolicy::default()
            })
            .await?;
        bad(&ctx, "b").await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepFailed b attempts=1 failed critically: no
        #3 UndoStarted `b` failed critically: no
        #4 AttemptFailed a/~undo attempt=1 retry_at=1007000 failed: busy
        #5 StepSucceeded a/~undo attempt=2 null
        #6 RunFailed `b` failed critically: no
    "#]]);
}

#[test]
fn a_handler_that_fails_for_good_does_not_stop_the_others() {
    let played = flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        ctx.step("b", async || Ok::<_, Error>(1))
            .undo(async |_| Err(Error::critical(Error::msg("cannot"))))
            .await?;
        undoable(&ctx, "c").await?;
        bad(&ctx, "d").await
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 StepSucceeded b attempt=1 1
        #3 StepSucceeded c attempt=1 "c"
        #4 StepFailed d attempts=1 failed critically: no
        #5 UndoStarted `d` failed critically: no
        #6 StepSucceeded c/~undo attempt=1 null
        #7 StepFailed b/~undo attempts=1 failed critically: cannot
        #8 StepSucceeded a/~undo attempt=1 null
        #9 RunFailed `d` failed critically: no
    "##]]);
    assert_eq!(played.ran, ["a", "c", "d", "undo c", "undo a"]);
}

#[test]
fn a_handler_that_takes_too_long_does_not_stop_the_others() {
    flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        ctx.step("b", async || Ok::<_, Error>(1))
            .undo(async |_| {
                work(60_000).await;
                Ok::<_, Error>(())
            })
            .await?;
        bad(&ctx, "d").await
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 StepSucceeded b attempt=1 1
        #3 StepFailed d attempts=1 failed critically: no
        #4 UndoStarted `d` failed critically: no
        #5 AttemptStarted b/~undo attempt=1
        #6 StepFailed b/~undo attempts=1 timed out: the attempt took longer than its timeout
        #7 StepSucceeded a/~undo attempt=1 null
        #8 RunFailed `d` failed critically: no
    "##]]);
}

#[test]
fn a_handler_that_panics_does_not_stop_the_others() {
    flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        ctx.step("b", async || Ok::<_, Error>(1))
            .undo(async |_| -> Result<(), Error> { panic!("in the handler") })
            .undo_policy(StepPolicy { retries: 0, ..StepPolicy::default() })
            .await?;
        bad(&ctx, "d").await
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 StepSucceeded b attempt=1 1
        #3 StepFailed d attempts=1 failed critically: no
        #4 UndoStarted `d` failed critically: no
        #5 StepFailed b/~undo attempts=1 failed for good: in the handler
        #6 StepSucceeded a/~undo attempt=1 null
        #7 RunFailed `d` failed critically: no
    "##]]);
}

#[test]
fn a_handler_that_kills_the_process_is_given_up_in_the_end() {
    let (played, n_restarts) = flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        ctx.step("b", async || Ok::<_, Error>(1))
            .undo(async |_| {
                kill().await;
                Ok::<_, Error>(())
            })
            .undo_policy(StepPolicy {
                retries: 2,
                backoff: Backoff::fixed(secs(1)),
                ..StepPolicy::default()
            })
            .await?;
        bad(&ctx, "d").await
    })
    .play_with_restarts();
    expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 StepSucceeded b attempt=1 1
        #3 StepFailed d attempts=1 failed critically: no
        #4 UndoStarted `d` failed critically: no
        #5 AttemptStarted b/~undo attempt=1
        #6 AttemptFailed b/~undo attempt=1 retry_at=1001000 was interrupted: the process ended while this attempt was running
        #7 AttemptStarted b/~undo attempt=2
        #8 AttemptFailed b/~undo attempt=2 retry_at=1002000 was interrupted: the process ended while this attempt was running
        #9 AttemptStarted b/~undo attempt=3
        #10 StepFailed b/~undo attempts=3 failed for good: the process ended while this attempt was running
        #11 StepSucceeded a/~undo attempt=1 null
        #12 RunFailed `d` failed critically: no
    "##]].assert_eq(&played.text());
    assert_eq!(n_restarts, 4);
}

#[test]
fn the_error_of_the_run_stays_the_first_one() {
    flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        Err::<(), _>(Error::rollback(Error::msg("I want it undone")))
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 UndoStarted asked for rollback: I want it undone
        #3 StepSucceeded a/~undo attempt=1 null
        #4 RunFailed asked for rollback: I want it undone
    "##]]);
}

#[test]
fn messages_during_a_rollback_do_not_disturb_it() {
    flow(|ctx| async move {
        ctx.step("a", async || Ok::<_, Error>(1))
            .undo(async |_| {
                work(5_000).await;
                Ok::<_, Error>(())
            })
            .await?;
        bad(&ctx, "b").await
    })
    .at(1_000, In::Message("m", serde_json::json!(1)))
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepFailed b attempts=1 failed critically: no
        #3 UndoStarted `b` failed critically: no
        #4 AttemptStarted a/~undo attempt=1
        #5 MessageReceived m 1
        #6 StepSucceeded a/~undo attempt=1 null
        #7 RunFailed `b` failed critically: no
    "#]]);
}

#[test]
fn a_handler_may_hold_the_ctx_for_its_log() {
    let played = flow(|ctx| async move {
        let log = ctx.clone();
        ctx.step("a", async || Ok::<_, Error>(1))
            .undo(async move |_| {
                log.info("undoing");
                Ok::<_, Error>(())
            })
            .await?;
        bad(&ctx, "b").await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepFailed b attempts=1 failed critically: no
        #3 UndoStarted `b` failed critically: no
        #4 StepSucceeded a/~undo attempt=1 null
        #5 RunFailed `b` failed critically: no
    "#]]);
    let lines: Vec<_> =
        played.logs.iter().map(|log| (log.location.as_str(), &*log.message)).collect();
    assert_eq!(lines, [("a/~undo", "undoing")]);
}
