//! Sleeps: dates that are recorded once and never move.

use expect_test::expect;
use stepwell_journal::UnixMillis;
use stepwell_kernel::{Backoff, Ctx, Error, branch, days, hours, millis, mins, secs};

use crate::kit::{In, START, flow, ok};

#[test]
fn a_sleep_ends_at_its_date() {
    let played = flow(|ctx| async move {
        ctx.sleep("a", hours(2)).await?;
        ctx.sleep_until("b", UnixMillis(START + 10_000_000)).await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 TimerSet a fire_at=8200000
        #2 TimerFired a
        #3 TimerSet b fire_at=11000000
        #4 TimerFired b
        #5 RunCompleted null
    "#]]);
    assert_eq!(played.ended_at_ms, 10_000_000);
}

#[test]
fn no_time_and_past_dates_are_over_at_once() {
    flow(|ctx| async move {
        ctx.sleep("zero", secs(0)).await?;
        ctx.sleep("less than a millisecond", std::time::Duration::from_nanos(1)).await?;
        ctx.sleep_until("past", UnixMillis(1)).await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 TimerFired zero
        #2 TimerFired less than a millisecond
        #3 TimerFired past
        #4 RunCompleted null
    "#]]);
}

#[test]
fn a_sleep_longer_than_time_itself_waits() {
    flow(|ctx| async move { ctx.sleep("a", days(u64::MAX)).await })
        .at(1_000, In::Cancel("enough"))
        .check(expect![[r##"
            #0 RunStarted w null
            #1 TimerSet a fire_at=18446744073709551615
            #2 CancelRequested "enough"
            #3 RunCancelled "enough"
        "##]]);
}

#[test]
fn sleeps_in_branches_do_not_wait_for_each_other() {
    let played = flow(|ctx| async move {
        let nap = |name: &'static str, n: u64| {
            branch(name, async move |ctx: Ctx| {
                ctx.sleep("one", secs(n)).await?;
                ctx.sleep("two", secs(n)).await?;
                Ok(ctx.now().0 - START)
            })
        };
        ctx.join("j", [nap("a", 3), nap("b", 1), nap("c", 2)]).await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted j join
        #2 TimerSet j/a/one fire_at=1003000
        #3 TimerSet j/b/one fire_at=1001000
        #4 TimerSet j/c/one fire_at=1002000
        #5 TimerFired j/b/one
        #6 TimerSet j/b/two fire_at=1002000
        #7 TimerFired j/b/two
        #8 TimerFired j/c/one
        #9 BranchEnded j/b
        #10 TimerSet j/c/two fire_at=1004000
        #11 TimerFired j/a/one
        #12 TimerSet j/a/two fire_at=1006000
        #13 TimerFired j/c/two
        #14 BranchEnded j/c
        #15 TimerFired j/a/two
        #16 BranchEnded j/a
        #17 BlockEnded j
        #18 RunCompleted [6000,2000,4000]
    "#]]);
    assert_eq!(played.ended_at_ms, 6_000);
}

#[test]
fn a_retry_in_one_branch_waits_on_its_own() {
    flow(|ctx| async move {
        ctx.join(
            "j",
            (
                branch("flaky", async |ctx: Ctx| {
                    ctx.step_with("s", async |cx| match cx.attempt().0 {
                        1 => Err(Error::msg("not yet")),
                        n => Ok(n),
                    })
                    .backoff(Backoff::fixed(secs(10)))
                    .await
                }),
                branch("quick", async |ctx: Ctx| {
                    ok(&ctx, "a", 1).await?;
                    ctx.sleep("nap", secs(2)).await?;
                    ok(&ctx, "b", 2).await
                }),
            ),
        )
        .await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted j join
        #2 AttemptFailed j/flaky/s attempt=1 retry_at=1010000 failed: not yet
        #3 StepSucceeded j/quick/a attempt=1 1
        #4 TimerSet j/quick/nap fire_at=1002000
        #5 TimerFired j/quick/nap
        #6 StepSucceeded j/quick/b attempt=1 2
        #7 BranchEnded j/quick
        #8 StepSucceeded j/flaky/s attempt=2 2
        #9 BranchEnded j/flaky
        #10 BlockEnded j
        #11 RunCompleted [2,2]
    "#]]);
}

#[test]
fn a_race_between_a_long_step_and_a_short_sleep_ends_when_the_sleep_does() {
    let played = flow(|ctx| async move {
        let raced = ctx
            .race(
                "r",
                [
                    branch("step", async |ctx: Ctx| {
                        ctx.step("s", async || std::future::pending::<Result<u8, Error>>().await)
                            .timeout(secs(0))
                            .await
                    }),
                    branch("sleep", async |ctx: Ctx| {
                        ctx.sleep("z", millis(1)).await?;
                        Ok(2)
                    }),
                ],
            )
            .await?;
        Ok(raced.winner)
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 BlockStarted r race
        #2 TimerSet r/sleep/z fire_at=1000001
        #3 TimerFired r/sleep/z
        #4 BranchEnded r/sleep
        #5 BlockEnded r winner=sleep
        #6 RunCompleted "sleep"
    "##]]);
    assert_eq!(played.ended_at_ms, 1);
}

#[test]
fn a_date_stays_where_it_was_however_late_the_run_wakes() {
    // Cut after the timer is set, and brought back long after its date.
    let scenario = flow(|ctx| async move {
        ctx.sleep("a", mins(1)).await?;
        ctx.sleep("b", mins(1)).await
    });
    let journal = scenario.play().journal[..2].to_vec();
    let played = scenario.play_late(journal, 600_000);
    expect![[r#"
        #0 RunStarted w null
        #1 TimerSet a fire_at=1060000
        #2 TimerFired a
        #3 TimerSet b fire_at=1660000
        #4 TimerFired b
        #5 RunCompleted null
    "#]]
    .assert_eq(&played.text());
}

#[test]
fn a_clock_that_is_set_back_moves_no_date() {
    let scenario = flow(|ctx| async move { ctx.sleep("a", mins(1)).await });
    let journal = scenario.play().journal[..2].to_vec();
    let played = scenario.play_late(journal, 0);
    assert_eq!(played.ended_at_ms, 60_000);
}
