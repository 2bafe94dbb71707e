//! Code that changes while runs are under way: `version`, `removed`, and loud divergence.

use expect_test::{Expect, expect};
use stepwell_journal::EntryKind;
use stepwell_kernel::{Ctx, Error, Loop, Result, Workflow, branch, secs};

use crate::kit::{Played, code_of, flow, ok, undoable};

/// Two steps and a wait in the middle, as they were written at first.
async fn first_code(ctx: Ctx) -> Result<u32> {
    let a = ok(&ctx, "a", 1).await?;
    let b = ok(&ctx, "b", 2).await?;
    ctx.sleep("z", secs(10)).await?;
    ok(&ctx, "c", a + b).await
}

/// A run of the first code that sleeps, taken up by other code.
#[track_caller]
fn changed(code: Workflow, expected: Expect) -> Played {
    let played = flow(first_code).play_on_with(4, code);
    expected.assert_eq(&played.text());
    played
}

#[test]
fn the_same_code_goes_on() {
    let played = changed(
        code_of(first_code),
        expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepSucceeded b attempt=1 2
        #3 TimerSet z fire_at=1010000
        #4 TimerFired z
        #5 StepSucceeded c attempt=1 3
        #6 RunCompleted 3
    "#]],
    );
    assert_eq!(played.ran, ["c"]);
}

#[test]
fn reordering_independent_steps_is_harmless() {
    let code = code_of(|ctx| async move {
        let b = ok(&ctx, "b", 20).await?;
        let a = ok(&ctx, "a", 10).await?;
        ctx.sleep("z", secs(99)).await?;
        ok(&ctx, "c", a + b).await
    });
    let played = changed(
        code,
        expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepSucceeded b attempt=1 2
        #3 TimerSet z fire_at=1010000
        #4 TimerFired z
        #5 StepSucceeded c attempt=1 3
        #6 RunCompleted 3
    "#]],
    );
    assert_eq!((played.ran, played.state.is_ended()), (vec!["c".to_owned()], true));
}

#[test]
fn a_new_step_at_the_end_is_harmless() {
    let code = code_of(|ctx| async move {
        let sum = first_code(ctx.clone()).await?;
        ok(&ctx, "d", sum + 1).await
    });
    changed(
        code,
        expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepSucceeded b attempt=1 2
        #3 TimerSet z fire_at=1010000
        #4 TimerFired z
        #5 StepSucceeded c attempt=1 3
        #6 StepSucceeded d attempt=1 4
        #7 RunCompleted 4
    "#]],
    );
}

#[test]
fn a_missing_step_is_loud() {
    let code = code_of(|ctx| async move {
        let a = ok(&ctx, "a", 1).await?;
        ctx.sleep("z", secs(10)).await?;
        ok(&ctx, "c", a).await
    });
    changed(
        code,
        expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepSucceeded b attempt=1 2
        #3 TimerSet z fire_at=1010000
        #4 TimerFired z
        #5 StepSucceeded c attempt=1 1
        #6 RunFailed `b` diverged: run 00000000-0000-0000-0000-000000000007: the journal has a step at `b` (since #2), and the code went past that place without asking for it; if it was removed on purpose, say so with `ctx.removed`
    "#]],
    );
}

#[test]
fn a_renamed_step_is_loud() {
    let code = code_of(|ctx| async move {
        ok(&ctx, "a", 1).await?;
        ok(&ctx, "bee", 2).await
    });
    changed(
        code,
        expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepSucceeded b attempt=1 2
        #3 TimerSet z fire_at=1010000
        #4 StepSucceeded bee attempt=1 2
        #5 RunFailed `b` diverged: run 00000000-0000-0000-0000-000000000007: the journal has a step at `b` (since #2), and the code went past that place without asking for it; if it was removed on purpose, say so with `ctx.removed`
    "#]],
    );
}

#[test]
fn a_step_that_became_something_else_is_loud() {
    let code = code_of(|ctx| async move {
        ok(&ctx, "a", 1).await?;
        ctx.sleep("b", secs(1)).await
    });
    changed(
        code,
        expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepSucceeded b attempt=1 2
        #3 TimerSet z fire_at=1010000
        #4 RunFailed `b` diverged: run 00000000-0000-0000-0000-000000000007: at `b` the journal has a step (since #2), the code asks for a sleep
    "#]],
    );
    let code = code_of(|ctx| async move {
        ok(&ctx, "a", 1).await?;
        ctx.skip("b", "not needed any more");
        Ok(())
    });
    changed(
        code,
        expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepSucceeded b attempt=1 2
        #3 TimerSet z fire_at=1010000
        #4 RunFailed `b` diverged: run 00000000-0000-0000-0000-000000000007: at `b` the journal has a step that ran (since #2), the code skips it
    "#]],
    );
}

#[test]
fn a_skipped_step_that_now_runs_is_loud() {
    let skipping = flow(|ctx| async move {
        ctx.skip("a", "no need");
        ok(&ctx, "b", 1).await?;
        ctx.sleep("z", secs(1)).await
    });
    let code = code_of(|ctx| async move { ok(&ctx, "a", 1).await });
    let played = skipping.play_on_with(4, code);
    expect![[r#"failed `a` diverged: run 00000000-0000-0000-0000-000000000007: at `a` the journal has Skipped("no need"), the code asks for a step's result"#]].assert_eq(&played.outcome());
    assert!(played.ran.is_empty());
}

#[test]
fn a_result_of_another_type_is_loud_and_undoes_nothing() {
    let code = code_of(|ctx| async move {
        undoable(&ctx, "zero").await?;
        ok(&ctx, "a", "text".to_owned()).await
    });
    changed(
        code,
        expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepSucceeded b attempt=1 2
        #3 TimerSet z fire_at=1010000
        #4 StepSucceeded zero attempt=1 "zero"
        #5 RunFailed `a` diverged: run 00000000-0000-0000-0000-000000000007: at `a` the journal has a value that is not the `alloc::string::String` that the code asks for: invalid type: integer `1`, expected a string at line 1 column 1
    "##]],
    );
}

#[test]
fn a_function_that_ends_early_is_loud() {
    changed(
        code_of(|_| async move { Ok(()) }),
        expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepSucceeded b attempt=1 2
        #3 TimerSet z fire_at=1010000
        #4 RunFailed `a` diverged: run 00000000-0000-0000-0000-000000000007: the journal has a step at `a` (since #1), and the code went past that place without asking for it; if it was removed on purpose, say so with `ctx.removed`
    "#]],
    );
}

#[test]
fn a_function_that_fails_early_is_loud() {
    changed(
        code_of(|_| async move { Err::<(), _>(Error::msg("early")) }),
        expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepSucceeded b attempt=1 2
        #3 TimerSet z fire_at=1010000
        #4 RunFailed `a` diverged: run 00000000-0000-0000-0000-000000000007: the journal has a step at `a` (since #1), and the code went past that place without asking for it; if it was removed on purpose, say so with `ctx.removed`
    "#]],
    );
}

#[test]
fn an_input_that_no_longer_parses_is_loud() {
    let code = stepwell_kernel::workflow("w", |_: Ctx, n: u32| async move { Ok::<_, Error>(n) });
    changed(
        code,
        expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepSucceeded b attempt=1 2
        #3 TimerSet z fire_at=1010000
        #4 RunFailed diverged: run 00000000-0000-0000-0000-000000000007: the journal has an input that is not the `u32` that the code asks for: invalid type: null, expected u32 at line 1 column 4
    "#]],
    );
}

#[test]
fn a_removed_step_is_passed_over() {
    let code = code_of(|ctx| async move {
        let a = ok(&ctx, "a", 1).await?;
        ctx.removed("b", EntryKind::Step);
        ctx.sleep("z", secs(10)).await?;
        ok(&ctx, "c", a).await
    });
    changed(
        code,
        expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepSucceeded b attempt=1 2
        #3 TimerSet z fire_at=1010000
        #4 TimerFired z
        #5 StepSucceeded c attempt=1 1
        #6 RunCompleted 1
    "#]],
    );
}

#[test]
fn what_was_removed_must_be_of_the_kind_that_was_said() {
    let code = code_of(|ctx| async move {
        ok(&ctx, "a", 1).await?;
        ctx.removed("b", EntryKind::Sleep);
        ctx.sleep("z", secs(10)).await
    });
    changed(
        code,
        expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepSucceeded b attempt=1 2
        #3 TimerSet z fire_at=1010000
        #4 RunFailed `b` diverged: run 00000000-0000-0000-0000-000000000007: at `b` the journal has a step (since #2), the code asks for a sleep
    "#]],
    );
}

fn two_branches() -> crate::kit::Scenario {
    flow(|ctx| async move {
        ctx.join(
            "j",
            [
                branch("a", async |ctx: Ctx| ok(&ctx, "s", 1).await),
                branch("b", async |ctx: Ctx| ok(&ctx, "s", 2).await),
            ],
        )
        .await?;
        ctx.sleep("z", secs(10)).await?;
        ok(&ctx, "after", 3).await
    })
}

#[test]
fn a_branch_that_is_gone_is_loud_before_anything_else_happens() {
    let code = code_of(|ctx| async move {
        ctx.join("j", [branch("a", async |ctx: Ctx| ok(&ctx, "s", 1).await)]).await?;
        ok(&ctx, "new", 3).await
    });
    let played = two_branches().play_on_with(7, code);
    expect!["failed `j/b` diverged: run 00000000-0000-0000-0000-000000000007: the journal has a branch at `j/b` (since #5), and the code went past that place without asking for it; if it was removed on purpose, say so with `ctx.removed`"].assert_eq(&played.outcome());
    assert!(played.ran.is_empty(), "{:?}", played.ran);
}

#[test]
fn a_removed_join_is_passed_over_with_all_that_stood_in_it() {
    let code = code_of(|ctx| async move {
        ctx.removed("j", EntryKind::Join);
        ctx.sleep("z", secs(10)).await?;
        ok(&ctx, "after", 3).await
    });
    let played = two_branches().play_on_with(8, code);
    assert_eq!(played.outcome(), "completed 3");
}

#[test]
fn a_loop_that_now_ends_earlier_is_loud() {
    let looping = |rounds: u32| {
        move |ctx: Ctx| async move {
            ctx.looped("l", 0, async |ctx, n: u32| {
                let n = ok(&ctx, "inc", n + 1).await?;
                Ok(if n == rounds { Loop::Break(n) } else { Loop::Continue(n) })
            })
            .await?;
            ok(&ctx, "after", 1).await
        }
    };
    let played = flow(looping(5)).play_on_with(8, code_of(looping(2)));
    expect!["failed `l/~2/inc` diverged: run 00000000-0000-0000-0000-000000000007: the journal has a step at `l/~2/inc` (since #6), and the code went past that place without asking for it; if it was removed on purpose, say so with `ctx.removed`"].assert_eq(&played.outcome());
    assert!(played.ran.is_empty());
}

#[test]
fn a_child_of_another_workflow_is_loud() {
    let calling = |workflow: &'static str| {
        move |ctx: Ctx| async move { ctx.child::<u32>("c", workflow, &1).await }
    };
    let played = flow(calling("one")).play_on_with(2, code_of(calling("two")));
    expect!["failed `c` diverged: run 00000000-0000-0000-0000-000000000007: at `c` the journal has a child of workflow `one` (since #1), the code asks for one of `two`"].assert_eq(&played.outcome());
}

async fn versioned(ctx: Ctx) -> Result<String> {
    let a = ok(&ctx, "a", 1).await?;
    let version = ctx.version("split", 2).await?;
    if version == 1 {
        ok(&ctx, "b", 2).await?;
    } else {
        ok(&ctx, "b1", 3).await?;
        ok(&ctx, "b2", 4).await?;
    }
    ctx.sleep("z", secs(10)).await?;
    ok(&ctx, "c", 5).await?;
    Ok(format!("version {version} {a}"))
}

#[test]
fn new_runs_take_the_latest_version() {
    flow(versioned).check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 VersionChosen split 2
        #3 StepSucceeded b1 attempt=1 3
        #4 StepSucceeded b2 attempt=1 4
        #5 TimerSet z fire_at=1010000
        #6 TimerFired z
        #7 StepSucceeded c attempt=1 5
        #8 RunCompleted "version 2 1"
    "##]]);
}

#[test]
fn runs_that_passed_before_the_call_was_written_take_the_first() {
    let played = changed(
        code_of(versioned),
        expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 1
        #2 StepSucceeded b attempt=1 2
        #3 TimerSet z fire_at=1010000
        #4 TimerFired z
        #5 StepSucceeded c attempt=1 5
        #6 RunCompleted "version 1 1"
    "##]],
    );
    assert_eq!(played.ran, ["c"]);
    // And again from every cut: the answer is not recorded, and does not change.
    for n in 3..played.journal.len() - 1 {
        let again =
            flow(versioned).play_from(played.journal[..n].to_vec(), crate::kit::Load::Plain);
        assert_eq!(again.outcome(), r#"completed "version 1 1""#, "cut after {n}");
    }
}

#[test]
fn runs_that_had_not_come_there_take_the_latest() {
    let played = flow(first_code).play_on_with(2, code_of(versioned));
    assert_eq!(played.outcome(), r#"completed "version 2 1""#);
}

#[test]
fn a_run_keeps_its_version_when_a_later_one_is_written() {
    let later = code_of(|ctx| async move {
        ok(&ctx, "a", 1).await?;
        let version = ctx.version("split", 3).await?;
        if version == 2 {
            ok(&ctx, "b1", 3).await?;
            ok(&ctx, "b2", 4).await?;
        }
        ctx.sleep("z", secs(10)).await?;
        Ok(version)
    });
    let played = flow(versioned).play_on_with(6, later);
    assert_eq!(played.outcome(), "completed 2");
}

#[test]
fn a_loop_whose_state_has_another_type_diverges() {
    let before = |ctx: Ctx| async move {
        ctx.looped("l", 0, async |ctx, n: u32| {
            ctx.sleep("z", secs(1)).await?;
            Ok(if n == 3 { Loop::Break(n) } else { Loop::Continue(n + 1) })
        })
        .await
    };
    let after = |ctx: Ctx| async move {
        ctx.looped("l", String::new(), async |ctx, text: String| {
            ctx.sleep("z", secs(1)).await?;
            Ok(if text == "aaa" { Loop::Break(3_u32) } else { Loop::Continue(text + "a") })
        })
        .await
    };
    let played = flow(before).play_on_with(6, code_of(after));
    assert!(played.outcome().starts_with("failed `l` diverged"), "{}", played.outcome());
}

#[test]
fn each_iteration_of_a_loop_asks_for_its_own_version() {
    let before = |ctx: Ctx| async move {
        ctx.looped("l", (0, Vec::new()), async |ctx, (n, seen): (u32, Vec<u32>)| {
            ctx.sleep("z", secs(1)).await?;
            Ok(if n == 3 { Loop::Break(seen) } else { Loop::Continue((n + 1, seen)) })
        })
        .await
    };
    let after = |ctx: Ctx| async move {
        ctx.looped("l", (0, Vec::new()), async |ctx, (n, mut seen): (u32, Vec<u32>)| {
            seen.push(ctx.version("v", 2).await?);
            ctx.sleep("z", secs(1)).await?;
            Ok(if n == 3 { Loop::Break(seen) } else { Loop::Continue((n + 1, seen)) })
        })
        .await
    };
    // Begun in the second iteration, which begins with what the first one left, as it is recorded.
    let played = flow(before).play_on_with(6, code_of(after));
    assert_eq!(played.outcome(), "completed [1,2,2]");
}
