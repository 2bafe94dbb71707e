//! Bounds: values, outputs, messages and journals that are too large.

use expect_test::expect;
use stepwell_kernel::{Error, Limits, Loop};

use crate::kit::{OTHER, flow, ok, undoable};

fn small() -> Limits {
    Limits { value_bytes_max: 30, ..Limits::default() }
}

#[test]
fn a_result_over_the_limit_fails_its_step() {
    flow(|ctx| async move {
        let tried = ctx.try_step("a", async || Ok::<_, Error>("x".repeat(100))).await?;
        Ok(tried.is_err())
    })
    .limits(small())
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepFailed a attempts=1 exceeded a limit: the step's result has 102 bytes, more than the limit value_bytes_max of 30
        #2 RunCompleted true
    "#]]);
}

#[test]
fn an_output_over_the_limit_fails_the_run() {
    flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        Ok("x".repeat(100))
    })
    .limits(small())
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 UndoStarted exceeded a limit: the run's output has 102 bytes, more than the limit value_bytes_max of 30
        #3 StepSucceeded a/~undo attempt=1 null
        #4 RunFailed exceeded a limit: the run's output has 102 bytes, more than the limit value_bytes_max of 30
    "##]]);
}

#[test]
fn a_message_over_the_limit_is_not_sent() {
    let played = flow(|ctx| async move { ctx.send(OTHER, "m", &"x".repeat(100)).await })
        .limits(small())
        .check(expect![[r#"
            #0 RunStarted w null
            #1 StepFailed send:m attempts=1 exceeded a limit: the message has 102 bytes, more than the limit value_bytes_max of 30
            #2 RunFailed `send:m` exceeded a limit: the message has 102 bytes, more than the limit value_bytes_max of 30
        "#]]);
    assert!(played.sent.is_empty());
}

#[test]
fn a_journal_over_the_limit_ends_its_run_and_undoes_it() {
    let limits = Limits { journal_events_max: 5, ..Limits::default() };
    let played = flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        for n in 0.. {
            ok(&ctx, &format!("s{n}"), n).await?;
        }
        Ok(())
    })
    .limits(limits)
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 StepSucceeded s0 attempt=1 0
        #3 StepSucceeded s1 attempt=1 1
        #4 StepSucceeded s2 attempt=1 2
        #5 StepSucceeded s3 attempt=1 3
        #6 UndoStarted exceeded a limit: the journal has 6 events, more than the limit journal_events_max of 5
        #7 StepSucceeded a/~undo attempt=1 null
        #8 RunFailed exceeded a limit: the journal has 6 events, more than the limit journal_events_max of 5
    "##]]);
    assert_eq!(played.ran.last().unwrap(), "undo a");
}

#[test]
fn a_journal_of_events_that_nobody_waits_for_is_bounded_too() {
    let limits = Limits { journal_events_max: 2_000, ..Limits::default() };
    let played = flow(|ctx| async move {
        for n in 0_u64.. {
            ctx.step(format!("s{n}"), async || Ok::<_, Error>(n)).ephemeral().await?;
        }
        Ok(())
    })
    .limits(limits)
    .play();
    assert!(played.outcome().contains("journal_events_max"), "{}", played.outcome());
    assert!(played.journal.len() < 2_010, "{}", played.journal.len());
}

#[test]
fn a_loop_without_end_stays_within_the_limit_after_a_compaction_too() {
    let limits = Limits { journal_events_max: 100, ..Limits::default() };
    let scenario = flow(|ctx| async move {
        ctx.looped("l", 0, async |ctx, n: u32| {
            let n = ok(&ctx, "inc", n + 1).await?;
            Ok(if n == 300 { Loop::Break(n) } else { Loop::Continue(n) })
        })
        .keep(2)
        .await
    })
    .limits(limits);
    let whole = scenario.play();
    assert_eq!(whole.outcome(), "completed 300");
    let short = stepwell_journal::compact(crate::kit::RUN, &whole.journal[..500]).unwrap();
    assert!(short.len() < 20);
    let played = scenario.play_from(short, crate::kit::Load::Compacted);
    assert_eq!(played.outcome(), "completed 300");
}
