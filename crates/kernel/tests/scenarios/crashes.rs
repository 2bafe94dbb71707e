//! Law 6: an attempt that a crash cut off counts, so that no body can kill the process for ever.

use expect_test::expect;
use serde_json::json;
use stepwell_journal::FailureKind;
use stepwell_kernel::{Backoff, Ctx, Error, Loop, StepPolicy, branch, hours, secs};

use crate::kit::{In, failure, flow, kill, ok, ran, work};

#[test]
fn a_body_that_kills_the_process_at_once_is_given_up_in_the_end() {
    let (played, n_restarts) = flow(|ctx| async move {
        ok(&ctx, "a", 1).await?;
        ctx.step("killer", async || {
            kill().await;
            Ok::<_, Error>(())
        })
        .retries(2)
        .backoff(Backoff::fixed(secs(30)))
        .await
    })
    .play_with_restarts();
    expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 AttemptStarted killer attempt=1
        #3 AttemptFailed killer attempt=1 retry_at=1030000 was interrupted: the process ended while this attempt was running
        #4 AttemptStarted killer attempt=2
        #5 AttemptFailed killer attempt=2 retry_at=1060000 was interrupted: the process ended while this attempt was running
        #6 AttemptStarted killer attempt=3
        #7 StepFailed killer attempts=3 failed for good: the process ended while this attempt was running
        #8 RunFailed `killer` failed for good: the process ended while this attempt was running (after 3 attempts)
    "#]].assert_eq(&played.text());
    // The first time nobody knew; then one restart for each attempt.
    assert_eq!(n_restarts, 4);
}

#[test]
fn a_body_that_kills_the_process_in_a_loop_is_given_up_in_the_end() {
    // The loop's advance is not durable when the killer begins.
    let (played, _) = flow(|ctx| async move {
        ctx.looped("l", 0, async |ctx, n: u32| {
            ctx.step("s", async || {
                if n == 1 {
                    kill().await;
                }
                Ok::<_, Error>(())
            })
            .retries(0)
            .await?;
            Ok(Loop::<u32, ()>::Continue(n + 1))
        })
        .await
    })
    .play_with_restarts();
    expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted l loop
        #2 StepSucceeded l/~0/s attempt=1 null
        #3 LoopAdvanced l iteration=1 1
        #4 AttemptStarted l/~1/s attempt=1
        #5 StepFailed l/~1/s attempts=1 failed for good: the process ended while this attempt was running
        #6 BlockEnded l failed for good: the process ended while this attempt was running
        #7 RunFailed `l/~1/s` failed for good: the process ended while this attempt was running
    "#]].assert_eq(&played.text());
}

#[test]
fn a_body_that_kills_the_process_after_an_ephemeral_step_is_given_up_in_the_end() {
    let (played, _) = flow(|ctx| async move {
        ctx.step("light", async || Ok::<_, Error>(1)).ephemeral().await?;
        ctx.step("killer", async || {
            kill().await;
            Ok::<_, Error>(())
        })
        .retries(1)
        .await
    })
    .play_with_restarts();
    assert_eq!(
        played.outcome(),
        "failed `killer` failed for good: the process ended while this attempt was running (after 2 attempts)"
    );
}

#[test]
fn a_body_that_kills_the_process_beside_others_is_given_up_in_the_end() {
    let (played, n_restarts) = flow(|ctx| async move {
        ctx.join(
            "j",
            (
                branch("busy", async |ctx: Ctx| {
                    for n in 0..20 {
                        ok(&ctx, &format!("s{n}"), n).await?;
                        ctx.sleep(format!("z{n}"), secs(1)).await?;
                    }
                    Ok(())
                }),
                branch("killer", async |ctx: Ctx| {
                    ctx.sleep("z", secs(3)).await?;
                    ctx.step("k", async || {
                        kill().await;
                        Ok::<_, Error>(())
                    })
                    .retries(3)
                    .backoff(Backoff::fixed(secs(2)))
                    .await
                }),
            ),
        )
        .await
        .map(|_| ())
    })
    .play_with_restarts();
    assert!(
        played.outcome().contains("1 of 2 branches of the join failed: killer"),
        "{}",
        played.text()
    );
    assert!(n_restarts <= 8, "{n_restarts} restarts for 4 attempts");
}

#[test]
fn a_slow_body_that_kills_the_process_was_marked_in_time() {
    let (played, n_restarts) = flow(|ctx| async move {
        ctx.step("killer", async || {
            work(10).await;
            kill().await;
            Ok::<_, Error>(())
        })
        .retries(0)
        .await
    })
    .play_with_restarts();
    expect![[r#"
        #0 RunStarted w null
        #1 AttemptStarted killer attempt=1
        #2 StepFailed killer attempts=1 failed for good: the process ended while this attempt was running
        #3 RunFailed `killer` failed for good: the process ended while this attempt was running
    "#]].assert_eq(&played.text());
    assert_eq!(n_restarts, 1);
}

#[test]
fn a_body_that_killed_the_process_once_may_succeed_the_next_time() {
    let (played, _) = flow(|ctx| async move {
        ctx.step_with("a", async |cx| {
            work(10).await;
            if cx.attempt().0 == 1 {
                kill().await;
            }
            Ok::<_, Error>(cx.attempt().0)
        })
        .backoff(Backoff::fixed(hours(1)))
        .await
    })
    .play_with_restarts();
    expect![[r#"
        #0 RunStarted w null
        #1 AttemptStarted a attempt=1
        #2 AttemptFailed a attempt=1 retry_at=4600010 was interrupted: the process ended while this attempt was running
        #3 AttemptStarted a attempt=2
        #4 StepSucceeded a attempt=2 2
        #5 RunCompleted 2
    "#]].assert_eq(&played.text());
}

#[test]
fn after_a_crash_only_the_first_attempts_wait_for_their_marker() {
    let scenario = flow(|ctx| async move {
        for name in ["a", "b", "c"] {
            ok(&ctx, name, 1).await?;
        }
        Ok(())
    });
    let first = scenario.play().journal[..1].to_vec();
    let played = scenario.play_from(first, crate::kit::Load::Careful);
    expect![[r#"
        #0 RunStarted w null
        #1 AttemptStarted a attempt=1
        #2 StepSucceeded a attempt=1 1
        #3 StepSucceeded b attempt=1 1
        #4 StepSucceeded c attempt=1 1
        #5 RunCompleted null
    "#]]
    .assert_eq(&played.text());
}

#[test]
fn a_cancel_ends_a_run_that_kills_the_process() {
    let (played, _) = flow(|ctx| async move {
        ctx.step("killer", async || {
            ran("killer");
            kill().await;
            Ok::<_, Error>(())
        })
        .backoff(Backoff::fixed(secs(10)))
        .retries(100)
        .await
    })
    .at(25_000, In::Cancel("enough"))
    .at(26_000, In::Message("late", json!(1)))
    .play_with_restarts();
    assert_eq!(played.outcome(), "cancelled enough");
}

#[test]
fn a_marked_attempt_begins_only_when_its_start_is_durable_and_the_next_one_knows_of_the_crash() {
    let once = |kind: fn() -> Error| {
        flow(move |ctx| async move {
            ctx.step_with("once", async |cx| {
                ran(cx.location().as_str());
                if cx.follows_crash() {
                    return Err(kind());
                }
                kill().await;
                Ok(())
            })
            .policy(StepPolicy {
                retries: 0,
                crash_retries: 1,
                mark_start: true,
                backoff: Backoff::fixed(secs(1)),
                ..StepPolicy::default()
            })
            .await
        })
        .play_with_restarts()
        .0
    };
    let interrupted = || Error::from(failure(FailureKind::Interrupted, "it may have happened"));
    expect![[r#"
        #0 RunStarted w null
        #1 AttemptStarted once attempt=1
        #2 AttemptFailed once attempt=1 retry_at=1001000 was interrupted: the process ended while this attempt was running
        #3 AttemptStarted once attempt=2
        #4 StepFailed once attempts=2 was interrupted: it may have happened
        #5 RunFailed `once` was interrupted: it may have happened (after 2 attempts)
    "#]].assert_eq(&once(interrupted).text());
    // Its own errors are counted by `retries` alone: the second attempt was the last.
    let played = once(|| Error::msg("no"));
    assert_eq!(played.outcome(), "failed `once` failed for good: no (after 2 attempts)");
}

#[test]
fn crashes_beyond_their_allowance_are_the_end_of_a_step() {
    let (played, _) = flow(|ctx| async move {
        ctx.step("killer", async || {
            kill().await;
            Ok::<_, Error>(())
        })
        .policy(StepPolicy { retries: 0, crash_retries: 2, ..StepPolicy::default() })
        .await
    })
    .play_with_restarts();
    assert_eq!(
        played.outcome(),
        "failed `killer` failed for good: the process ended while this attempt was running (after 3 attempts)"
    );
}
