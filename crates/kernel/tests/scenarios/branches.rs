//! Joins and races: branches side by side.

use expect_test::expect;
use serde_json::json;
use stepwell_kernel::{Backoff, Branch, Ctx, Error, Limits, Loop, branch, millis, secs};

use crate::kit::{In, bad, flow, ok, undoable, work};

#[test]
fn a_join_collects_the_results_of_branches_of_any_types() {
    flow(|ctx| async move {
        ctx.join(
            "j",
            (
                branch("a", async |ctx: Ctx| ok(&ctx, "s", 1_u8).await),
                branch("b", async |ctx: Ctx| ok(&ctx, "s", "two".to_owned()).await),
                branch("c", async |_: Ctx| Ok(true)),
            ),
        )
        .await
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 BlockStarted j join
        #2 BranchEnded j/c
        #3 StepSucceeded j/a/s attempt=1 1
        #4 StepSucceeded j/b/s attempt=1 "two"
        #5 BranchEnded j/a
        #6 BranchEnded j/b
        #7 BlockEnded j
        #8 RunCompleted [1,"two",true]
    "##]]);
}

#[test]
fn a_join_waits_for_all_and_tells_the_failures_by_branch() {
    flow(|ctx| async move {
        let joined = ctx
            .try_block("t", async |ctx| {
                ctx.join(
                    "j",
                    [
                        branch("z", async |ctx: Ctx| {
                            ctx.sleep("nap", secs(1)).await?;
                            bad(&ctx, "s").await
                        }),
                        branch("ok", async |ctx: Ctx| {
                            ctx.sleep("nap", secs(2)).await?;
                            ok(&ctx, "s", ()).await
                        }),
                        branch("a", async |_: Ctx| Err(Error::msg("its own"))),
                    ],
                )
                .await
            })
            .await?;
        let failure = joined.unwrap_err();
        let names: Vec<_> =
            failure.branches.iter().map(|(name, failure)| (name, failure.to_string())).collect();
        Ok(json!({ "kind": failure.kind.as_str(), "message": failure.message, "names": names }))
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 BlockStarted t block
        #2 BlockStarted t/j join
        #3 BranchEnded t/j/a failed: its own
        #4 TimerSet t/j/z/nap fire_at=1001000
        #5 TimerSet t/j/ok/nap fire_at=1002000
        #6 TimerFired t/j/z/nap
        #7 StepFailed t/j/z/s attempts=1 failed critically: no
        #8 BranchEnded t/j/z failed critically: no
        #9 TimerFired t/j/ok/nap
        #10 StepSucceeded t/j/ok/s attempt=1 null
        #11 BranchEnded t/j/ok
        #12 BlockEnded t/j failed: 2 of 3 branches of the join failed: z: no; a: its own
        #13 BlockEnded t failed: 2 of 3 branches of the join failed: z: no; a: its own
        #14 RunCompleted {"kind":"failed","message":"2 of 3 branches of the join failed: z: no; a: its own","names":[["z","`t/j/z/s` failed criti… (157 bytes)
    "##]]);
}

#[test]
fn a_join_that_all_branches_fail_says_so() {
    flow(|ctx| async move {
        let branches: Vec<Branch<'_, ()>> = (0..8)
            .map(|n| branch(format!("b{n}"), async |ctx: Ctx| bad(&ctx, "s").await))
            .collect();
        ctx.join("j", branches).await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted j join
        #2 StepFailed j/b0/s attempts=1 failed critically: no
        #3 StepFailed j/b1/s attempts=1 failed critically: no
        #4 StepFailed j/b2/s attempts=1 failed critically: no
        #5 StepFailed j/b3/s attempts=1 failed critically: no
        #6 StepFailed j/b4/s attempts=1 failed critically: no
        #7 StepFailed j/b5/s attempts=1 failed critically: no
        #8 StepFailed j/b6/s attempts=1 failed critically: no
        #9 StepFailed j/b7/s attempts=1 failed critically: no
        #10 BranchEnded j/b0 failed critically: no
        #11 BranchEnded j/b1 failed critically: no
        #12 BranchEnded j/b2 failed critically: no
        #13 BranchEnded j/b3 failed critically: no
        #14 BranchEnded j/b4 failed critically: no
        #15 BranchEnded j/b5 failed critically: no
        #16 BranchEnded j/b6 failed critically: no
        #17 BranchEnded j/b7 failed critically: no
        #18 BlockEnded j failed critically: 8 of 8 branches of the join failed: b0: no; b1: no; b2: no; b3: no; b4: no; and 3 more
        #19 RunFailed `j` failed critically: 8 of 8 branches of the join failed: b0: no; b1: no; b2: no; b3: no; b4: no; and 3 more
    "#]]);
}

#[test]
fn a_rollback_in_one_branch_is_the_joins() {
    flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        let tried = ctx
            .try_block("t", async |ctx| {
                ctx.join(
                    "j",
                    [
                        branch("plain", async |ctx: Ctx| bad(&ctx, "s").await),
                        branch("back", async |ctx: Ctx| {
                            ctx.step("s", async || Err::<(), _>(Error::rollback(Error::msg("b")))).await
                        }),
                    ],
                )
                .await
            })
            .await?;
        Ok(tried.is_ok())
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 BlockStarted t block
        #3 BlockStarted t/j join
        #4 StepFailed t/j/plain/s attempts=1 failed critically: no
        #5 StepFailed t/j/back/s attempts=1 asked for rollback: b
        #6 BranchEnded t/j/plain failed critically: no
        #7 BranchEnded t/j/back asked for rollback: b
        #8 BlockEnded t/j asked for rollback: 2 of 2 branches of the join failed: plain: no; back: b
        #9 BlockEnded t asked for rollback: 2 of 2 branches of the join failed: plain: no; back: b
        #10 UndoStarted `t/j` asked for rollback: 2 of 2 branches of the join failed: plain: no; back: b
        #11 StepSucceeded a/~undo attempt=1 null
        #12 RunFailed `t/j` asked for rollback: 2 of 2 branches of the join failed: plain: no; back: b
    "##]]);
}

#[test]
fn a_join_without_branches_is_over_at_once() {
    flow(|ctx| async move {
        let none: Vec<Branch<'_, u8>> = Vec::new();
        ctx.join("j", none).await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted j join
        #2 BlockEnded j
        #3 RunCompleted []
    "#]]);
}

#[test]
fn a_race_without_branches_has_no_winner() {
    flow(|ctx| async move {
        let none: Vec<Branch<'_, u8>> = Vec::new();
        Ok(ctx.race("r", none).await?.winner)
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted r race
        #2 BlockEnded r failed critically: a race without branches has no winner
        #3 RunFailed `r` failed critically: a race without branches has no winner
    "#]]);
}

#[test]
fn a_race_that_all_branches_lose_tells_every_cause() {
    flow(|ctx| async move {
        let raced = ctx
            .race(
                "r",
                [
                    branch("a", async |ctx: Ctx| bad(&ctx, "s").await),
                    branch("b", async |_: Ctx| Err(Error::msg("mine"))),
                ],
            )
            .await?;
        Ok(raced.winner)
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted r race
        #2 BranchEnded r/b failed: mine
        #3 StepFailed r/a/s attempts=1 failed critically: no
        #4 BranchEnded r/a failed critically: no
        #5 BlockEnded r failed: 2 of 2 branches of the race failed: a: no; b: mine
        #6 RunFailed `r` failed: 2 of 2 branches of the race failed: a: no; b: mine
    "#]]);
}

#[test]
fn a_failure_does_not_win_a_race() {
    flow(|ctx| async move {
        let raced = ctx
            .race(
                "r",
                [
                    branch("bad", async |ctx: Ctx| {
                        bad(&ctx, "s").await?;
                        Ok(0)
                    }),
                    branch("slow", async |ctx: Ctx| {
                        ctx.sleep("z", secs(9)).await?;
                        Ok(1)
                    }),
                ],
            )
            .await?;
        Ok((raced.winner, raced.value))
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 BlockStarted r race
        #2 StepFailed r/bad/s attempts=1 failed critically: no
        #3 TimerSet r/slow/z fire_at=1009000
        #4 BranchEnded r/bad failed critically: no
        #5 TimerFired r/slow/z
        #6 BranchEnded r/slow
        #7 BlockEnded r winner=slow
        #8 RunCompleted ["slow",1]
    "##]]);
}

#[test]
fn of_two_branches_that_end_at_once_the_first_in_the_journal_wins() {
    flow(|ctx| async move {
        let raced = ctx
            .race(
                "r",
                [
                    branch("z", async |ctx: Ctx| ok(&ctx, "s", 1).await),
                    branch("a", async |ctx: Ctx| ok(&ctx, "s", 2).await),
                ],
            )
            .await?;
        ok(&ctx, "after", raced.value).await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted r race
        #2 StepSucceeded r/z/s attempt=1 1
        #3 StepSucceeded r/a/s attempt=1 2
        #4 BranchEnded r/z
        #5 BlockEnded r winner=z
        #6 StepSucceeded after attempt=1 1
        #7 RunCompleted 1
    "#]]);
}

#[test]
fn a_branch_that_needs_no_operation_wins_before_the_others_begin() {
    flow(|ctx| async move {
        let raced = ctx
            .race(
                "r",
                [
                    branch("now", async |_: Ctx| Ok(1)),
                    branch("never", async |ctx: Ctx| ok(&ctx, "s", 2).await),
                ],
            )
            .await?;
        Ok(raced.value)
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted r race
        #2 BranchEnded r/now
        #3 BlockEnded r winner=now
        #4 RunCompleted 1
    "#]]);
}

#[test]
fn what_a_loser_completed_is_undone_when_the_run_fails_later() {
    let played = flow(|ctx| async move {
        ctx.race(
            "r",
            [
                branch("loser", async |ctx: Ctx| {
                    undoable(&ctx, "done").await?;
                    ctx.sleep("long", secs(100)).await
                }),
                branch("winner", async |ctx: Ctx| ctx.sleep("short", secs(1)).await),
            ],
        )
        .await?;
        bad(&ctx, "after").await
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 BlockStarted r race
        #2 StepSucceeded r/loser/done attempt=1 "done"
        #3 TimerSet r/winner/short fire_at=1001000
        #4 TimerSet r/loser/long fire_at=1100000
        #5 TimerFired r/winner/short
        #6 BranchEnded r/winner
        #7 BlockEnded r winner=winner
        #8 StepFailed after attempts=1 failed critically: no
        #9 UndoStarted `after` failed critically: no
        #10 StepSucceeded r/loser/done/~undo attempt=1 null
        #11 RunFailed `after` failed critically: no
    "##]]);
    assert_eq!(played.ran, ["r/loser/done", "after", "undo done"]);
}

#[test]
fn a_message_does_not_go_to_a_race_that_is_over() {
    flow(|ctx| async move {
        ctx.race(
            "r",
            [
                branch("listen", async |ctx: Ctx| ctx.listen::<u32>("m").await.map(|_| ())),
                branch("sleep", async |ctx: Ctx| ctx.sleep("z", secs(1)).await),
            ],
        )
        .await?;
        ctx.listen::<u32>("m").await
    })
    .at(5_000, In::Message("m", json!(7)))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 BlockStarted r race
        #2 ListenStarted r/listen/m for=["m"]
        #3 TimerSet r/sleep/z fire_at=1001000
        #4 TimerFired r/sleep/z
        #5 BranchEnded r/sleep
        #6 BlockEnded r winner=sleep
        #7 ListenStarted m for=["m"]
        #8 MessageReceived m 7
        #9 MessageTaken m n=1
        #10 RunCompleted 7
    "##]]);
}

#[test]
fn joins_in_races_in_loops_in_blocks() {
    flow(|ctx| async move {
        let tried = ctx
            .try_block("t", async |ctx| {
                ctx.looped("l", 0, async |ctx, n: u32| {
                    let raced = ctx
                        .race(
                            "r",
                            [
                                branch("join", async |ctx: Ctx| {
                                    let pair = ctx
                                        .join(
                                            "j",
                                            [
                                                branch("x", async |ctx: Ctx| {
                                                    ok(&ctx, "s", n).await
                                                }),
                                                branch("y", async |ctx: Ctx| {
                                                    ctx.sleep("z", secs(1)).await?;
                                                    Ok(1)
                                                }),
                                            ],
                                        )
                                        .await?;
                                    Ok(pair[0] + pair[1])
                                }),
                                branch("limit", async |ctx: Ctx| {
                                    ctx.sleep("z", secs(100)).await?;
                                    Ok(100)
                                }),
                            ],
                        )
                        .await?;
                    Ok(match raced.value {
                        2 => Loop::Break("done"),
                        next => Loop::Continue(next),
                    })
                })
                .await
            })
            .await?;
        Ok(tried.unwrap())
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 BlockStarted t block
        #2 BlockStarted t/l loop
        #3 BlockStarted t/l/~0/r race
        #4 BlockStarted t/l/~0/r/join/j join
        #5 StepSucceeded t/l/~0/r/join/j/x/s attempt=1 0
        #6 TimerSet t/l/~0/r/join/j/y/z fire_at=1001000
        #7 TimerSet t/l/~0/r/limit/z fire_at=1100000
        #8 BranchEnded t/l/~0/r/join/j/x
        #9 TimerFired t/l/~0/r/join/j/y/z
        #10 BranchEnded t/l/~0/r/join/j/y
        #11 BlockEnded t/l/~0/r/join/j
        #12 BranchEnded t/l/~0/r/join
        #13 BlockEnded t/l/~0/r winner=join
        #14 LoopAdvanced t/l iteration=1 1
        #15 BlockStarted t/l/~1/r race
        #16 BlockStarted t/l/~1/r/join/j join
        #17 StepSucceeded t/l/~1/r/join/j/x/s attempt=1 1
        #18 TimerSet t/l/~1/r/join/j/y/z fire_at=1002000
        #19 TimerSet t/l/~1/r/limit/z fire_at=1101000
        #20 BranchEnded t/l/~1/r/join/j/x
        #21 TimerFired t/l/~1/r/join/j/y/z
        #22 BranchEnded t/l/~1/r/join/j/y
        #23 BlockEnded t/l/~1/r/join/j
        #24 BranchEnded t/l/~1/r/join
        #25 BlockEnded t/l/~1/r winner=join
        #26 BlockEnded t/l
        #27 BlockEnded t
        #28 RunCompleted "done"
    "##]]);
}

#[test]
fn ten_thousand_branches_of_one_join_finish() {
    let played = flow(|ctx| async move {
        let branches: Vec<_> = (0..10_000_u64)
            .map(|n| {
                branch(format!("b{n}"), async move |ctx: Ctx| {
                    ctx.step("s", async || Ok::<_, Error>(n)).await
                })
            })
            .collect();
        Ok(ctx.join("j", branches).await?.iter().sum::<u64>())
    })
    .play();
    assert_eq!(played.outcome(), "completed 49995000");
    assert_eq!(played.journal.len(), 20_004);
}

#[test]
fn more_branches_than_the_limit_are_refused_before_one_begins() {
    let limits = Limits { branches_max: 2, ..Limits::default() };
    let played = flow(|ctx| async move {
        let branches: Vec<_> = (0..3)
            .map(|n| branch(format!("b{n}"), async |ctx: Ctx| ok(&ctx, "s", 1).await))
            .collect();
        ctx.join("j", branches).await
    })
    .limits(limits)
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted j join
        #2 RunFailed `j` exceeded a limit: 3 branches are more than the limit branches_max of 2
    "#]]);
    assert!(played.ran.is_empty());
}

#[test]
fn a_slow_attempt_in_one_branch_holds_nobody_up() {
    let played = flow(|ctx| async move {
        ctx.join(
            "j",
            (
                branch("slow", async |ctx: Ctx| {
                    ctx.step("s", async || {
                        work(5_000).await;
                        Ok::<_, Error>(1)
                    })
                    .backoff(Backoff::fixed(millis(1)))
                    .await
                }),
                branch("quick", async |ctx: Ctx| {
                    for n in 0..3 {
                        ok(&ctx, &format!("s{n}"), n).await?;
                        ctx.sleep(format!("z{n}"), millis(100)).await?;
                    }
                    Ok(ctx.now().0)
                }),
            ),
        )
        .await
    })
    .crash_matters()
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted j join
        #2 StepSucceeded j/quick/s0 attempt=1 0
        #3 TimerSet j/quick/z0 fire_at=1000100
        #4 AttemptStarted j/slow/s attempt=1
        #5 TimerFired j/quick/z0
        #6 StepSucceeded j/quick/s1 attempt=1 1
        #7 TimerSet j/quick/z1 fire_at=1000200
        #8 TimerFired j/quick/z1
        #9 StepSucceeded j/quick/s2 attempt=1 2
        #10 TimerSet j/quick/z2 fire_at=1000300
        #11 TimerFired j/quick/z2
        #12 BranchEnded j/quick
        #13 StepSucceeded j/slow/s attempt=1 1
        #14 BranchEnded j/slow
        #15 BlockEnded j
        #16 RunCompleted [1,1000300]
    "#]]);
    assert_eq!(played.ended_at_ms, 5_000);
}
