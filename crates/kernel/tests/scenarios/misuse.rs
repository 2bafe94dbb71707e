//! What breaks a rule of `Ctx` is reported, and does not hang.

use std::cell::RefCell;
use std::future::{IntoFuture, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use expect_test::expect;
use serde_json::json;
use stepwell_journal::{EntryKind, UnixMillis};
use stepwell_kernel::{Ctx, Error, branch, secs};

use crate::kit::{In, START, bad, flow, ok, undoable, work};

#[test]
fn a_name_may_be_used_once_in_its_scope() {
    flow(|ctx| async move {
        ok(&ctx, "a", 1).await?;
        ctx.try_block("t", async |ctx| ok(&ctx, "a", 2).await).await?.unwrap();
        let _ = ctx.try_step("a", async || Ok::<_, Error>(3)).await?;
        Ok(())
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 BlockStarted t block
        #3 StepSucceeded t/a attempt=1 2
        #4 BlockEnded t
        #5 RunFailed `a` was misused: the name of step `a` is used twice in its scope; names must be unique there
    "#]]);
}

#[test]
fn a_name_used_twice_at_the_same_time_is_an_error_too() {
    flow(|ctx| async move {
        ctx.join(
            "j",
            [
                branch("same", async |ctx: Ctx| ok(&ctx, "a", 1).await),
                branch("same", async |ctx: Ctx| ok(&ctx, "a", 2).await),
            ],
        )
        .await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted j join
        #2 RunFailed `j` was misused: the name of branch `j/same` is used twice in its scope; names must be unique there
    "#]]);
}

#[test]
fn an_empty_name_is_an_error() {
    flow(|ctx| async move { ok(&ctx, "", 1).await }).check(expect![[r#"
        #0 RunStarted w null
        #1 RunFailed `(the run itself)` was misused: a step has a bad name: a name may not be empty
    "#]]);
    flow(|ctx| async move {
        ctx.skip("", "no name");
        Ok(())
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 RunFailed `(the run itself)` was misused: a step has a bad name: a name may not be empty
    "#]]);
    flow(|ctx| async move { ctx.join("j", [branch("", async |_: Ctx| Ok(1))]).await }).check(
        expect![[r#"
            #0 RunStarted w null
            #1 BlockStarted j join
            #2 RunFailed `j` was misused: a branch has a bad name: a name may not be empty
        "#]],
    );
    flow(|ctx| async move {
        ctx.set_label("", "value");
        Ok(())
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 RunFailed `(the run itself)` was misused: a label has a bad name: a name may not be empty
    "#]]);
}

#[test]
fn a_huge_name_is_an_error() {
    flow(|ctx| async move { ok(&ctx, &"long ".repeat(1_000), 1).await }).check(expect![[r#"
        #0 RunStarted w null
        #1 RunFailed `(the run itself)` was misused: a step has a bad name: the name `long long long long long long lo…` has 5000 bytes, at most 256 are allowed
    "#]]);
}

#[test]
fn names_of_any_characters_never_collide() {
    flow(|ctx| async move {
        let mut sum = 0;
        for (n, name) in ["a/b", "a~b", "a~sb", "a~tb", "~0", "~undo", "/", "~", "a b", "\n", "ü"]
            .iter()
            .enumerate()
        {
            sum += ok(&ctx, name, n).await?;
        }
        let nested = ctx.try_block("a", async |ctx| ok(&ctx, "b", 100).await).await?;
        Ok(sum + nested.unwrap())
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a~sb attempt=1 0
        #2 StepSucceeded a~tb attempt=1 1
        #3 StepSucceeded a~tsb attempt=1 2
        #4 StepSucceeded a~ttb attempt=1 3
        #5 StepSucceeded ~t0 attempt=1 4
        #6 StepSucceeded ~tundo attempt=1 5
        #7 StepSucceeded ~s attempt=1 6
        #8 StepSucceeded ~t attempt=1 7
        #9 StepSucceeded a b attempt=1 8
        #10 StepSucceeded \n attempt=1 9
        #11 StepSucceeded ü attempt=1 10
        #12 BlockStarted a block
        #13 StepSucceeded a/b attempt=1 100
        #14 BlockEnded a
        #15 RunCompleted 155
    "#]]);
}

#[test]
fn nesting_without_end_is_an_error() {
    fn deeper(ctx: Ctx) -> Pin<Box<dyn Future<Output = Result<(), Error>>>> {
        Box::pin(async move { ctx.try_block("t", deeper).await?.map_err(Error::from) })
    }
    let played = flow(deeper).play();
    assert!(played.outcome().contains("64 levels deep"), "{}", played.outcome());
}

#[test]
fn a_body_may_not_use_the_ctx() {
    flow(|ctx| async move { ctx.step("a", async || ok(&ctx, "b", 1).await).await })
        .check(expect![[r#"
            #0 RunStarted w null
            #1 RunFailed `b` was misused: step `b` was begun inside the body of step `a`; a body may not use `ctx`
        "#]]);
    flow(|ctx| async move {
        ctx.step("a", async || {
            ctx.describe("from inside");
            Ok::<_, Error>(())
        })
        .await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 RunFailed `(the run itself)` was misused: a description, label or fact was begun inside the body of step `a`; a body may not use `ctx`
    "#]]);
    flow(|ctx| async move { ctx.step("a", async || Ok::<_, Error>(ctx.random())).await })
        .check(expect![[r#"
            #0 RunStarted w null
            #1 RunFailed `(the run itself)` was misused: a random number was begun inside the body of step `a`; a body may not use `ctx`
        "#]]);
    flow(|ctx| async move { ctx.step("a", async || Ok::<_, Error>(ctx.uuid())).await })
        .check(expect![[r#"
            #0 RunStarted w null
            #1 RunFailed `(the run itself)` was misused: a random number was begun inside the body of step `a`; a body may not use `ctx`
        "#]]);
}

#[test]
fn a_branch_may_not_use_the_ctx_of_the_outer_function() {
    flow(|ctx| async move {
        let outer = ctx.clone();
        ctx.join("j", [branch("a", async move |_: Ctx| ok(&outer, "s", 1).await)]).await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted j join
        #2 RunFailed `s` was misused: step `s` was begun with the `ctx` of (the run itself), inside j/a; use the `ctx` that the inner function was given
    "#]]);
    flow(|ctx| async move {
        let outer = ctx.clone();
        let noted = ctx
            .try_block("t", async move |_: Ctx| {
                outer.set_label("k", "v");
                Ok(())
            })
            .await?;
        Ok(noted.is_ok())
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted t block
        #2 BlockEnded t
        #3 RunFailed `(the run itself)` was misused: a description, label or fact was begun with the `ctx` of (the run itself), inside t; use the `ctx` that the inner function was given
    "#]]);
}

#[test]
fn the_ctx_of_an_ended_branch_is_of_no_use() {
    fn leaking(use_it: fn(&Ctx)) -> crate::kit::Scenario {
        flow(move |ctx| async move {
            let leaked = ctx
                .join(
                    "j",
                    [branch("a", async |ctx: Ctx| Ok(ctx)), branch("b", async |ctx: Ctx| Ok(ctx))],
                )
                .await?;
            use_it(&leaked[0]);
            ok(&ctx, "after", 1).await
        })
    }
    leaking(|ctx| ctx.describe("too late")).check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted j join
        #2 BranchEnded j/a
        #3 BranchEnded j/b
        #4 BlockEnded j
        #5 RunFailed `j/a` was misused: a description, label or fact was begun with the `ctx` of a scope that has ended
    "#]]);
    leaking(|ctx| ctx.skip("s", "too late")).check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted j join
        #2 BranchEnded j/a
        #3 BranchEnded j/b
        #4 BlockEnded j
        #5 RunFailed `j/a/s` was misused: step `j/a/s` was begun with the `ctx` of a scope that has ended
    "#]]);
    flow(|ctx| async move {
        let leaked = ctx.join("j", [branch("a", async |ctx: Ctx| Ok(ctx))]).await?;
        ok(&leaked[0], "s", 1).await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted j join
        #2 BranchEnded j/a
        #3 BlockEnded j
        #4 RunFailed `j/a/s` was misused: step `j/a/s` was begun with the `ctx` of a scope that has ended
    "#]]);
}

#[test]
fn an_operation_that_is_dropped_under_way_is_an_error() {
    flow(|ctx| async move {
        let first = first_of(ok(&ctx, "quick", 1), async {
            ctx.sleep("slow", secs(100)).await?;
            Ok(2)
        })
        .await?;
        ok(&ctx, "after", first).await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded quick attempt=1 1
        #2 TimerSet slow fire_at=1100000
        #3 RunFailed `slow` was misused: the function moved on while sleep `slow` was still under way; await it to its end, or put it into a branch of `ctx.race`
    "#]]);
}

#[test]
fn a_function_that_ends_with_an_operation_under_way_is_an_error() {
    flow(|ctx| async move {
        let mut sleep = pin!(ctx.sleep("z", secs(100)).into_future());
        poll_fn(|cx| {
            assert!(sleep.as_mut().poll(cx).is_pending());
            Poll::Ready(())
        })
        .await;
        Ok(1)
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 RunFailed `z` was misused: the function moved on while sleep `z` was still under way; await it to its end, or put it into a branch of `ctx.race`
    "#]]);
}

#[test]
fn an_operation_that_is_kept_alive_past_the_end_is_an_error() {
    flow(|ctx| async move {
        let mut sleep = ctx.sleep("z", secs(100)).into_future();
        poll_fn(|cx| {
            assert!(sleep.as_mut().poll(cx).is_pending());
            Poll::Ready(())
        })
        .await;
        std::mem::forget(sleep);
        Ok(1)
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 RunFailed `(the run itself)` was misused: (the run itself) ended while an operation that it began was still under way; await it
    "#]]);
}

#[test]
fn an_operation_that_is_never_awaited_is_nothing() {
    flow(|ctx| async move {
        drop(ctx.step("a", async || Ok::<_, Error>(1)));
        drop(ctx.sleep("z", secs(1)).into_future());
        Ok(1)
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 RunCompleted 1
    "#]]);
}

#[test]
fn awaiting_what_never_comes_is_reported() {
    flow(|ctx| async move {
        ok(&ctx, "a", 1).await?;
        std::future::pending::<()>().await;
        Ok(())
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 RunFailed was misused: (the run itself) awaits something that is not an operation of `ctx`, after 1 operations: a timer, a channel or a task would not be replayed; do that inside a step, and use `ctx.sleep`, `ctx.listen`, `ctx.join` and `ctx.race`
    "#]]);
}

#[test]
fn awaiting_a_timer_that_is_not_ours_is_reported() {
    flow(|ctx| async move {
        let tried = ctx
            .try_block("t", async |_| {
                work(1_000).await;
                Ok(())
            })
            .await?;
        Ok(tried.is_ok())
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted t block
        #2 RunFailed was misused: t awaits something that is not an operation of `ctx`, after 0 operations: a timer, a channel or a task would not be replayed; do that inside a step, and use `ctx.sleep`, `ctx.listen`, `ctx.join` and `ctx.race`
    "#]]);
}

#[test]
fn a_foreign_future_beside_an_operation_is_reported_when_it_moves_the_function() {
    flow(|ctx| async move {
        let first = first_of(
            async {
                work(1_000).await;
                Ok(1)
            },
            async {
                ctx.sleep("z", secs(100)).await?;
                Ok(2)
            },
        )
        .await?;
        ok(&ctx, "after", first).await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 TimerSet z fire_at=1100000
        #2 RunFailed `z` was misused: the function moved on while sleep `z` was still under way; await it to its end, or put it into a branch of `ctx.race`
    "#]]);
}

#[test]
fn a_foreign_future_that_begins_an_operation_is_reported() {
    flow(|ctx| async move {
        let mut a = pin!(async {
            work(1_000).await;
            ok(&ctx, "after", 1).await
        });
        let mut b = pin!(ctx.sleep("z", secs(100)).into_future());
        poll_fn(|cx| {
            let (a, b) = (a.as_mut().poll(cx), b.as_mut().poll(cx));
            if a.is_ready() || b.is_ready() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        Ok(())
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 TimerSet z fire_at=1100000
        #2 RunFailed `after` was misused: the function went on to step `after` without waiting for an operation of `ctx`: it awaited something else before, such as a timer or a channel; do that inside a step
    "#]]);
}

#[test]
fn two_operations_of_one_scope_may_be_awaited_together() {
    flow(|ctx| async move {
        let mut a = pin!(ctx.sleep("a", secs(2)).into_future());
        let mut b = pin!(ctx.sleep("b", secs(1)).into_future());
        let (mut a_done, mut b_done) = (false, false);
        poll_fn(|cx| {
            a_done = a_done || a.as_mut().poll(cx).is_ready();
            b_done = b_done || b.as_mut().poll(cx).is_ready();
            if a_done && b_done { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        Ok(())
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 TimerSet a fire_at=1002000
        #2 TimerSet b fire_at=1001000
        #3 TimerFired b
        #4 TimerFired a
        #5 RunCompleted null
    "#]]);
}

#[test]
fn no_code_can_catch_a_fault_and_no_handler_runs_for_it() {
    let played = flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        let _ = ctx
            .try_block("t", async |ctx| {
                ok(&ctx, "x", 1).await?;
                ok(&ctx, "x", 2).await
            })
            .catch_rollback()
            .await;
        ok(&ctx, "after", 1).await
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 BlockStarted t block
        #3 StepSucceeded t/x attempt=1 1
        #4 RunFailed `t/x` was misused: the name of step `t/x` is used twice in its scope; names must be unique there
    "##]]);
    assert_eq!(played.ran, ["a", "t/x"]);
}

#[test]
fn a_body_that_hands_on_a_fault_from_elsewhere_just_fails() {
    let played = flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        ctx.step("b", async || {
            Err::<(), _>(Error::from(crate::kit::failure(
                stepwell_journal::FailureKind::Divergence,
                "of another run",
            )))
        })
        .await
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 StepFailed b attempts=1 failed critically: of another run
        #3 UndoStarted `b` failed critically: of another run
        #4 StepSucceeded a/~undo attempt=1 null
        #5 RunFailed `b` failed critically: of another run
    "##]]);
    assert_eq!(played.ran, ["a", "undo a"]);
}

#[test]
fn removing_what_is_there_is_a_name_used_twice() {
    flow(|ctx| async move {
        ctx.removed("a", EntryKind::Step);
        ok(&ctx, "a", 1).await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 RunFailed `a` was misused: the name of step `a` is used twice in its scope; names must be unique there
    "#]]);
}

#[test]
fn an_undo_handler_may_not_use_the_ctx() {
    flow(|ctx| async move {
        let inner = ctx.clone();
        ctx.step("a", async || Ok::<_, Error>(1))
            .undo(async move |_| inner.sleep("z", secs(1)).await)
            .await?;
        bad(&ctx, "b").await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepFailed b attempts=1 failed critically: no
        #3 UndoStarted `b` failed critically: no
        #4 RunFailed `z` was misused: sleep `z` was begun inside the body of step `a/~undo`; a body may not use `ctx`
    "#]]);
}

#[test]
fn a_ctx_used_from_a_task_of_its_own_is_reported() {
    // The operation is polled by somebody outside of the run.
    thread_local!(static KEPT: RefCell<Option<Ctx>> = const { RefCell::new(None) });
    let now = UnixMillis(START);
    let mut execution = flow(|ctx| async move {
        KEPT.set(Some(ctx.clone()));
        ctx.listen::<u32>("m").await
    })
    .load();
    execution.poll(now, Waker::noop());
    let ctx = KEPT.take().unwrap();
    let mut sleep = pin!(ctx.sleep("z", secs(1)).into_future());
    assert!(sleep.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    execution.poll(now, Waker::noop());
    let events = execution.take_batch().unwrap().events;
    expect![[r##"
        #1 ListenStarted m for=["m"]
        #2 RunFailed `z` was misused: sleep `z` was awaited outside of the workflow's own future
    "##]]
    .assert_eq(&stepwell_journal::render_journal(&events));
}

#[test]
fn messages_cannot_move_a_function_that_waits_for_something_else() {
    flow(|ctx| async move { ctx.sleep("z", secs(5)).await })
        .at(1_000, In::Message("m", json!(1)))
        .check(expect![[r#"
            #0 RunStarted w null
            #1 TimerSet z fire_at=1005000
            #2 MessageReceived m 1
            #3 TimerFired z
            #4 RunCompleted null
        "#]]);
}

/// The first of two to end; the other is dropped.
async fn first_of<T>(
    a: impl Future<Output = Result<T, Error>>,
    b: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let (mut a, mut b) = (Box::pin(a), Box::pin(b));
    poll_fn(|cx| {
        if let Poll::Ready(result) = a.as_mut().poll(cx) {
            return Poll::Ready(result);
        }
        b.as_mut().poll(cx)
    })
    .await
}
