//! Operations side by side, to which more are added while others run.

use expect_test::expect;
use stepwell_kernel::{Ctx, Error, Result, branch, millis, secs};

use crate::kit::{In, flow, ok, ran, work};

/// A step that takes so long, and gives that.
async fn slow(ctx: &Ctx, name: &str, ms: u64) -> Result<u64> {
    ctx.step_with(name, async |cx| {
        ran(cx.location().as_str());
        work(ms).await;
        Ok::<_, Error>(ms)
    })
    .await
}

#[test]
fn operations_run_side_by_side_and_more_are_added_while_they_run() {
    let played = flow(|ctx| async move {
        let mut together = ctx.together();
        together.add(slow(&ctx, "a", 3));
        together.add(slow(&ctx, "b", 1));
        let mut ended = Vec::new();
        while let Some(ms) = together.next().await {
            let ms = ms?;
            ended.push(ms);
            if ms == 1 {
                together.add(slow(&ctx, "c", 4));
            }
        }
        Ok(ended)
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded b attempt=1 1
        #2 StepSucceeded a attempt=1 3
        #3 StepSucceeded c attempt=1 4
        #4 RunCompleted [1,3,4]
    "#]]);
    assert_eq!(played.ended_at_ms, 5);
}

#[test]
fn what_is_dropped_is_given_up_and_its_run_ends_well() {
    let played = flow(|ctx| async move {
        let mut together = ctx.together();
        together.add(async { ok(&ctx, "quick", 1).await });
        together.add(slow(&ctx, "slow", 60_000));
        together.add(async { ctx.sleep("nap", secs(60)).await.map(|()| 2) });
        together.add(async { ctx.listen("never").await });
        together.add(async { ctx.child("child", "other", &1).await });
        // The slow one has its start marker by then.
        together.add(async { ctx.sleep("a moment", millis(100)).await.map(|()| 3) });
        let mut sum = 0;
        for _ in 0..2 {
            sum += together.next().await.unwrap()?;
        }
        drop(together);
        ok(&ctx, "after", sum).await
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded quick attempt=1 1
        #2 TimerSet nap fire_at=1060000
        #3 ListenStarted never for=["never"]
        #4 ChildStarted child other 1
        #5 TimerSet a moment fire_at=1000100
        #6 AttemptStarted slow attempt=1
        #7 TimerFired a moment
        #8 StepSucceeded after attempt=1 4
        #9 RunCompleted 4
    "##]]);
    assert_eq!(played.ended_at_ms, 100);
    assert_eq!(played.cancelled_children.len(), 1);
}

#[test]
fn what_is_dropped_in_a_block_ends_with_the_block() {
    let played = flow(|ctx| async move {
        let first = ctx
            .try_block("block", async |ctx| {
                let mut together = ctx.together();
                together.add(async { ctx.sleep("short", secs(1)).await.map(|()| 1) });
                together.add(async { ctx.child("child", "other", &1).await });
                together.next().await.unwrap()
            })
            .await??;
        ok(&ctx, "after", first).await
    })
    .at(500, In::Message("nobody listens", serde_json::json!(1)))
    .play_with_every_cut();
    assert_eq!(played.outcome(), "completed 1");
    assert_eq!(played.cancelled_children.len(), 1);
}

#[test]
fn branches_may_have_such_operations_of_their_own() {
    let code = async |ctx: Ctx| {
        let mut together = ctx.together();
        for n in 0..3 {
            let ctx = &ctx;
            together.add(async move { ok(ctx, &format!("s{n}"), n).await });
        }
        let mut sum = 0;
        while let Some(n) = together.next().await {
            sum += n?;
        }
        Ok(sum)
    };
    let played =
        flow(move |ctx| async move { ctx.join("j", [branch("a", code), branch("b", code)]).await })
            .play_with_every_cut();
    assert_eq!(played.outcome(), "completed [3,3]");
}

#[test]
fn ten_thousand_are_added_one_after_another() {
    let played = flow(|ctx| async move {
        let mut together = ctx.together();
        let mut next = 0;
        let mut sum = 0;
        loop {
            while next < 10_000 && next - sum < 8 {
                let (ctx, name) = (&ctx, next.to_string());
                together.add(async move { ok(ctx, &name, 1_u64).await });
                next += 1;
            }
            match together.next().await {
                Some(one) => sum += one?,
                None => return Ok(sum),
            }
        }
    })
    .play();
    assert_eq!(played.outcome(), "completed 10000");
}

#[test]
fn nothing_added_is_nothing_to_wait_for() {
    let played = flow(|ctx| async move { Ok(ctx.together::<u8>().next().await) });
    assert_eq!(played.play().outcome(), "completed null");
}

#[test]
fn an_operation_that_never_ends_by_itself_is_still_found_out() {
    let played = flow(|ctx| async move {
        let mut together = ctx.together();
        together.add(std::future::pending::<u8>());
        Ok(together.next().await)
    })
    .play();
    assert!(played.outcome().contains("awaits something that is not an operation"));
}
