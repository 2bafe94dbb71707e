//! A panic hurts one run.

use expect_test::expect;
use stepwell_kernel::{Backoff, Ctx, Error, Result, branch, secs};

use crate::kit::{In, bad, flow, ok, undoable, work};

/// Panics when it is dropped, once.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("in a destructor");
        }
    }
}

#[test]
fn a_body_that_panics_is_tried_again() {
    flow(|ctx| async move {
        ctx.step_with("a", async |cx| {
            assert!(cx.attempt().0 > 2, "attempt {}", cx.attempt());
            Ok::<_, Error>(cx.attempt().0)
        })
        .backoff(Backoff::fixed(secs(1)))
        .await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 AttemptFailed a attempt=1 retry_at=1001000 panicked: attempt 1
        #2 AttemptFailed a attempt=2 retry_at=1002000 panicked: attempt 2
        #3 StepSucceeded a attempt=3 3
        #4 RunCompleted 3
    "#]]);
}

#[test]
fn a_body_that_always_panics_fails_for_good() {
    flow(|ctx| async move {
        ctx.step("a", async || -> Result<()> { panic!("always") })
            .retries(1)
            .backoff(Backoff::fixed(secs(1)))
            .await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 AttemptFailed a attempt=1 retry_at=1001000 panicked: always
        #2 StepFailed a attempts=2 failed for good: always
        #3 RunFailed `a` failed for good: always (after 2 attempts)
    "#]]);
}

#[test]
fn a_panic_of_something_that_is_not_text_is_told_as_well_as_it_can_be() {
    flow(|ctx| async move {
        ctx.step("a", async || -> Result<()> { std::panic::panic_any(7_u8) }).retries(0).await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepFailed a attempts=1 failed for good: with something that is not text
        #2 RunFailed `a` failed for good: with something that is not text
    "#]]);
}

#[test]
fn a_workflow_that_panics_fails_and_undoes() {
    flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        let list: Vec<u32> = ctx.step("empty", async || Ok::<_, Error>(Vec::new())).await?;
        Ok(list[0])
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 StepSucceeded empty attempt=1 []
        #3 UndoStarted panicked: the workflow panicked: index out of bounds: the len is 0 but the index is 0
        #4 StepSucceeded a/~undo attempt=1 null
        #5 RunFailed panicked: the workflow panicked: index out of bounds: the len is 0 but the index is 0
    "##]]);
}

#[test]
fn a_workflow_that_panics_at_once_fails() {
    flow(|ctx| -> std::future::Ready<Result<()>> { panic!("before the first await of {}", ctx.run_id()) })
        .check(expect![[r#"
            #0 RunStarted w null
            #1 RunFailed panicked: the workflow panicked: before the first await of 00000000-0000-0000-0000-000000000007
        "#]]);
}

#[test]
fn a_branch_that_panics_fails_the_run() {
    flow(|ctx| async move {
        ctx.join(
            "j",
            [
                branch("a", async |ctx: Ctx| ctx.sleep("z", secs(100)).await),
                branch("b", async |ctx: Ctx| {
                    ok(&ctx, "s", 1).await?;
                    panic!("in a branch")
                }),
            ],
        )
        .await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted j join
        #2 TimerSet j/a/z fire_at=1100000
        #3 StepSucceeded j/b/s attempt=1 1
        #4 RunFailed panicked: the workflow panicked: in a branch
    "#]]);
}

#[test]
fn a_bodys_destructor_that_panics_is_not_heard() {
    flow(|ctx| async move {
        ctx.step("a", async || {
            let _bomb = Bomb;
            work(60_000).await;
            Ok::<_, Error>(())
        })
        .timeout(secs(1))
        .retries(0)
        .await
    })
    .crash_matters()
    .check(expect![[r#"
        #0 RunStarted w null
        #1 AttemptStarted a attempt=1
        #2 StepFailed a attempts=1 timed out: the attempt took longer than its timeout
        #3 RunFailed `a` timed out: the attempt took longer than its timeout
    "#]]);
}

#[test]
fn a_destructor_that_panics_while_the_run_is_cancelled_is_not_heard() {
    flow(|ctx| async move {
        let _bomb = Bomb;
        undoable(&ctx, "a").await?;
        ctx.sleep("z", secs(100)).await?;
        std::mem::forget(_bomb);
        Ok(())
    })
    .undo_on_cancel()
    .at(1_000, In::Cancel("enough"))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 TimerSet z fire_at=1100000
        #3 CancelRequested "enough"
        #4 UndoStarted was cancelled: enough
        #5 StepSucceeded a/~undo attempt=1 null
        #6 RunCancelled "enough"
    "##]]);
}

#[test]
fn a_losers_destructor_that_panics_fails_the_run() {
    flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        ctx.race(
            "r",
            [
                branch("loser", async |ctx: Ctx| {
                    let _bomb = Bomb;
                    ctx.sleep("z", secs(100)).await
                }),
                branch("winner", async |ctx: Ctx| ctx.sleep("z", secs(1)).await),
            ],
        )
        .await?;
        bad(&ctx, "never").await
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 BlockStarted r race
        #3 TimerSet r/loser/z fire_at=1100000
        #4 TimerSet r/winner/z fire_at=1001000
        #5 TimerFired r/winner/z
        #6 BranchEnded r/winner
        #7 UndoStarted panicked: the workflow panicked: in a destructor
        #8 StepSucceeded a/~undo attempt=1 null
        #9 RunFailed panicked: the workflow panicked: in a destructor
    "##]]);
}
