//! Loops: state per iteration, and journals that stay short.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Waker;

use expect_test::expect;
use serde_json::json;
use stepwell_journal::{Location, UnixMillis, compact};
use stepwell_kernel::{Ctx, Error, Limits, Loop, branch, secs};

use crate::kit::{In, Load, RUN, START, bad, flow, ok, undoable};

#[test]
fn a_loop_may_end_in_its_first_iteration() {
    flow(|ctx| async move {
        ctx.looped("l", 1, async |_, n: u32| Ok(Loop::<u32, u32>::Break(n))).await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted l loop
        #2 BlockEnded l
        #3 RunCompleted 1
    "#]]);
}

#[test]
fn the_state_is_recorded_as_often_as_asked() {
    flow(|ctx| async move {
        ctx.looped("l", 0, async |ctx, n: u32| {
            let n = ok(&ctx, "inc", n + 1).await?;
            Ok(if n == 8 { Loop::Break(n) } else { Loop::Continue(n) })
        })
        .commit_every(3)
        .keep(2)
        .await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted l loop
        #2 StepSucceeded l/~0/inc attempt=1 1
        #3 StepSucceeded l/~1/inc attempt=1 2
        #4 StepSucceeded l/~2/inc attempt=1 3
        #5 LoopAdvanced l iteration=3 3
        #6 StepSucceeded l/~3/inc attempt=1 4
        #7 StepSucceeded l/~4/inc attempt=1 5
        #8 StepSucceeded l/~5/inc attempt=1 6
        #9 LoopAdvanced l iteration=6 6 trimmed_before=3
        #10 StepSucceeded l/~6/inc attempt=1 7
        #11 StepSucceeded l/~7/inc attempt=1 8
        #12 BlockEnded l
        #13 RunCompleted 8
    "#]]);
}

#[test]
fn the_last_twenty_iterations_are_kept() {
    let played = flow(|ctx| async move {
        ctx.looped("l", 0, async |ctx, n: u32| {
            let n = ok(&ctx, "inc", n + 1).await?;
            Ok(if n == 40 { Loop::Break(n) } else { Loop::Continue(n) })
        })
        .await
    })
    .play_with_every_cut();
    assert_eq!(played.outcome(), "completed 40");
    let kept = (0..40)
        .filter(|n| {
            let at = Location::from_text(&format!("l/~{n}/inc"));
            played.state.entry(&at).is_some()
        })
        .count();
    assert_eq!(kept, 21);
}

#[test]
fn a_compacted_journal_goes_on_where_the_whole_one_would() {
    let scenario = flow(|ctx| async move {
        let before = ok(&ctx, "before", 1).await?;
        let n = ctx
            .looped("l", 0, async |ctx, n: u32| {
                ctx.describe(format!("round {n}"));
                let n = ok(&ctx, "inc", n + 1).await?;
                ctx.sleep("z", secs(1)).await?;
                Ok(if n == 6 { Loop::Break(n) } else { Loop::Continue(n) })
            })
            .keep(1)
            .await?;
        ok(&ctx, "after", n + before).await
    });
    let whole = scenario.play_with_every_cut();
    assert_eq!(whole.outcome(), "completed 7");
    let prefix = whole.journal[..20].to_vec();
    let short = compact(RUN, &prefix).unwrap();
    let played = scenario.play_from(short, Load::Compacted);
    expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded before attempt=1 1
        #2 BlockStarted l loop
        #8 Noted l/~1/~note0 description="round 1"
        #12 LoopAdvanced l iteration=2 2 trimmed_before=2
        #13 Noted l/~2/~note0 description="round 2"
        #14 StepSucceeded l/~2/inc attempt=1 3
        #15 TimerSet l/~2/z fire_at=1003000
        #16 TimerFired l/~2/z
        #17 LoopAdvanced l iteration=3 3 trimmed_before=2
        #18 Noted l/~3/~note0 description="round 3"
        #19 StepSucceeded l/~3/inc attempt=1 4
        #20 TimerSet l/~3/z fire_at=1004000
        #21 TimerFired l/~3/z
        #22 LoopAdvanced l iteration=4 4 trimmed_before=3
        #23 Noted l/~4/~note0 description="round 4"
        #24 StepSucceeded l/~4/inc attempt=1 5
        #25 TimerSet l/~4/z fire_at=1005000
        #26 TimerFired l/~4/z
        #27 LoopAdvanced l iteration=5 5 trimmed_before=4
        #28 Noted l/~5/~note0 description="round 5"
        #29 StepSucceeded l/~5/inc attempt=1 6
        #30 TimerSet l/~5/z fire_at=1006000
        #31 TimerFired l/~5/z
        #32 BlockEnded l
        #33 StepSucceeded after attempt=1 7
        #34 RunCompleted 7
    "##]]
    .assert_eq(&played.text());
}

#[test]
fn a_loop_that_never_waits_lets_others_have_their_turn() {
    let n_rounds = Arc::new(AtomicUsize::new(0));
    let counted = n_rounds.clone();
    let scenario = flow(move |ctx| {
        let counted = counted.clone();
        async move {
            ctx.looped("l", 0_u64, async |_, n| {
                counted.fetch_add(1, Ordering::Relaxed);
                Ok(Loop::<u64, ()>::Continue(n + 1))
            })
            .await
        }
    });
    let mut execution = scenario.load();
    for n in 1..=10_usize {
        execution.poll(UnixMillis(START), Waker::noop());
        let n_rounds = n_rounds.load(Ordering::Relaxed);
        assert!(n_rounds <= n * 600, "{n_rounds} rounds in {n} polls");
        if execution.take_batch().is_some() {
            execution.batch_committed();
        }
    }
    assert!(execution.n_events() < 100, "{} events are kept", execution.n_events());
    execution
        .receive(UnixMillis(START), stepwell_kernel::Input::Cancel { reason: "enough".to_owned() });
    execution.poll(UnixMillis(START), Waker::noop());
    let batch = execution.take_batch().unwrap();
    execution.batch_committed();
    execution.poll(UnixMillis(START), Waker::noop());
    let last = execution.take_batch().map(|batch| batch.events).unwrap_or(batch.events);
    execution.batch_committed();
    execution.poll(UnixMillis(START), Waker::noop());
    assert!(execution.is_ended(), "{last:?}");
}

#[test]
fn steps_in_kept_iterations_are_undone() {
    let played = flow(|ctx| async move {
        ctx.looped("l", 0, async |ctx, n: u32| {
            ctx.step("s", async || Ok::<_, Error>(n))
                .undo(async |n: u32| {
                    crate::kit::ran(format!("undo {n}"));
                    Ok::<_, Error>(())
                })
                .await?;
            if n == 3 {
                bad(&ctx, "no").await?;
            }
            Ok(Loop::<u32, ()>::Continue(n + 1))
        })
        .keep(2)
        .await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted l loop
        #2 StepSucceeded l/~0/s attempt=1 0
        #3 LoopAdvanced l iteration=1 1
        #4 StepSucceeded l/~1/s attempt=1 1
        #5 LoopAdvanced l iteration=2 2
        #6 StepSucceeded l/~2/s attempt=1 2
        #7 LoopAdvanced l iteration=3 3 trimmed_before=1
        #8 StepSucceeded l/~3/s attempt=1 3
        #9 StepFailed l/~3/no attempts=1 failed critically: no
        #10 BlockEnded l failed critically: no
        #11 UndoStarted `l/~3/no` failed critically: no
        #12 StepSucceeded l/~3/s/~undo attempt=1 null
        #13 StepSucceeded l/~2/s/~undo attempt=1 null
        #14 StepSucceeded l/~1/s/~undo attempt=1 null
        #15 RunFailed `l/~3/no` failed critically: no
    "#]]);
    assert_eq!(played.ran[1..], ["undo 3", "undo 2", "undo 1"]);
}

#[test]
fn a_failure_in_an_iteration_is_the_loops() {
    flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        let tried = ctx
            .try_block("t", async |ctx| {
                ctx.looped("l", (), async |ctx, ()| {
                    bad(&ctx, "no").await?;
                    Ok(Loop::<(), ()>::Continue(()))
                })
                .await
            })
            .await?;
        Ok(tried.unwrap_err().to_string())
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 BlockStarted t block
        #3 BlockStarted t/l loop
        #4 StepFailed t/l/~0/no attempts=1 failed critically: no
        #5 BlockEnded t/l failed critically: no
        #6 BlockEnded t failed critically: no
        #7 RunCompleted "`t/l/~0/no` failed critically: no"
    "##]]);
}

#[test]
fn a_poller_takes_messages_for_ever() {
    flow(|ctx| async move {
        ctx.looped("l", 0, async |ctx, sum: u32| {
            let got: Option<u32> = ctx.listen("m").timeout(secs(10)).await?;
            Ok(match got {
                Some(n) => Loop::Continue(sum + n),
                None => Loop::Break(sum),
            })
        })
        .keep(1)
        .await
    })
    .at(1_000, In::Message("m", json!(1)))
    .at(2_000, In::Message("m", json!(2)))
    .at(3_000, In::Keyed("k", "m", json!(3)))
    .at(4_000, In::Keyed("k", "m", json!(3)))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 BlockStarted l loop
        #2 ListenStarted l/~0/m for=["m"] deadline_at=1010000
        #3 MessageReceived m 1
        #4 MessageTaken l/~0/m n=1
        #5 LoopAdvanced l iteration=1 1
        #6 ListenStarted l/~1/m for=["m"] deadline_at=1011000
        #7 MessageReceived m 2
        #8 MessageTaken l/~1/m n=1
        #9 LoopAdvanced l iteration=2 3 trimmed_before=1
        #10 ListenStarted l/~2/m for=["m"] deadline_at=1012000
        #11 MessageReceived m 3 key=k
        #12 MessageTaken l/~2/m n=1
        #13 LoopAdvanced l iteration=3 6 trimmed_before=2
        #14 ListenStarted l/~3/m for=["m"] deadline_at=1013000
        #15 ListenTimedOut l/~3/m
        #16 BlockEnded l
        #17 RunCompleted 6
    "##]]);
}

#[test]
fn a_loop_in_a_loop_starts_afresh_in_each_round() {
    flow(|ctx| async move {
        ctx.looped("outer", 0, async |ctx, n: u32| {
            let inner = ctx
                .looped("inner", n, async |ctx, m: u32| {
                    let m = ok(&ctx, "inc", m + 1).await?;
                    Ok(if m >= n + 2 { Loop::Break(m) } else { Loop::Continue(m) })
                })
                .keep(1)
                .await?;
            Ok(if inner >= 4 { Loop::Break(inner) } else { Loop::Continue(inner) })
        })
        .keep(1)
        .await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted outer loop
        #2 BlockStarted outer/~0/inner loop
        #3 StepSucceeded outer/~0/inner/~0/inc attempt=1 1
        #4 LoopAdvanced outer/~0/inner iteration=1 1
        #5 StepSucceeded outer/~0/inner/~1/inc attempt=1 2
        #6 BlockEnded outer/~0/inner
        #7 LoopAdvanced outer iteration=1 2
        #8 BlockStarted outer/~1/inner loop
        #9 StepSucceeded outer/~1/inner/~0/inc attempt=1 3
        #10 LoopAdvanced outer/~1/inner iteration=1 3
        #11 StepSucceeded outer/~1/inner/~1/inc attempt=1 4
        #12 BlockEnded outer/~1/inner
        #13 BlockEnded outer
        #14 RunCompleted 4
    "#]]);
}

#[test]
fn waits_that_a_race_gave_up_are_not_remembered() {
    // An endless loop of races in memory: what is left of each must not pile up.
    let scenario = flow(|ctx| async move {
        ctx.looped("l", 0_u64, async |ctx, n| {
            ctx.race(
                "r",
                [
                    branch("long", async |ctx: Ctx| ctx.sleep("z", secs(1_000_000)).await),
                    branch("heard", async |ctx: Ctx| {
                        ctx.listen::<()>("m").timeout(secs(1_000_000)).await.map(|_| ())
                    }),
                    branch("now", async |ctx: Ctx| ctx.sleep("z", secs(0)).await),
                ],
            )
            .await?;
            Ok(if n == 50 { Loop::Break(()) } else { Loop::Continue(n + 1) })
        })
        .await?;
        ctx.listen::<()>("end").await
    });
    let mut execution = scenario.load();
    for _ in 0..1_000 {
        execution.poll(UnixMillis(START), Waker::noop());
        if execution.take_batch().is_some() {
            execution.batch_committed();
        }
    }
    assert_eq!(execution.state().waits().len(), 1);
    assert_eq!(execution.next_deadline(), None);
}

#[test]
fn a_state_over_the_limit_fails_the_loop() {
    let limits = Limits { value_bytes_max: 20, ..Limits::default() };
    flow(|ctx| async move {
        ctx.looped("l", String::new(), async |_, text: String| {
            Ok(Loop::<String, ()>::Continue(text + "12345678"))
        })
        .await
    })
    .limits(limits)
    .check(expect![[r##"
        #0 RunStarted w null
        #1 BlockStarted l loop
        #2 LoopAdvanced l iteration=1 "12345678"
        #3 LoopAdvanced l iteration=2 "1234567812345678"
        #4 BlockEnded l exceeded a limit: the loop's state has 26 bytes, more than the limit value_bytes_max of 20
        #5 RunFailed exceeded a limit: the loop's state has 26 bytes, more than the limit value_bytes_max of 20
    "##]]);
}
