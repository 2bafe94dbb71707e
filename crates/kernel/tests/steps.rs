//! Steps: results, retries, timeouts, failures.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod kit;

use expect_test::expect;
use kit::{In, ran, scenario, times_ran, work};
use serde_json::json;
use stepwell_kernel::{Backoff, Ctx, Error, Loop, Result, branch, millis, secs, workflow};

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
