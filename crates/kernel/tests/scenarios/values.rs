//! What code may know and say: time, chance, descriptions, labels, facts and logs.

use expect_test::expect;
use serde_json::json;
use stepwell_kernel::{Ctx, Level, Limits, Loop, branch, secs};

use crate::kit::{START, flow, ok};

#[test]
fn time_and_chance_are_the_same_on_every_replay() {
    flow(|ctx| async move {
        let first = (ctx.now().0 - START, ctx.random_u64(), ctx.uuid());
        ctx.sleep("z", secs(5)).await?;
        let second = (ctx.now().0 - START, ctx.random_u64(), ctx.uuid());
        ok(&ctx, "a", 1).await?;
        assert!((0.0..1.0).contains(&ctx.random()));
        assert_ne!(first.1, second.1);
        assert_eq!(first.2.get_version_num(), 4);
        Ok((first, second))
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 TimerSet z fire_at=1005000
        #2 TimerFired z
        #3 StepSucceeded a attempt=1 1
        #4 RunCompleted [[0,6361399720602587115,"ec32ae11-6fd3-4159-a71e-8e704349b44b"],[5000,17636649085452900460,"48b39848-1a0f-4c08-acca-6566… (131 bytes)
    "##]]);
}

#[test]
fn each_branch_and_iteration_has_its_own_chance() {
    let played = flow(|ctx| async move {
        let mut numbers = ctx
            .join(
                "j",
                [
                    branch("a", async |ctx: Ctx| Ok(ctx.random_u64())),
                    branch("b", async |ctx: Ctx| Ok(ctx.random_u64())),
                ],
            )
            .await?
            .to_vec();
        let drawn = ctx
            .looped("l", Vec::new(), async |ctx, mut drawn: Vec<u64>| {
                drawn.push(ctx.random_u64());
                ctx.sleep("z", secs(1)).await?;
                Ok(if drawn.len() == 4 { Loop::Break(drawn) } else { Loop::Continue(drawn) })
            })
            .keep(1)
            .await?;
        numbers.extend(drawn);
        numbers.push(ctx.random_u64());
        numbers.sort_unstable();
        numbers.dedup();
        Ok(numbers.len())
    })
    .play_with_every_cut();
    assert_eq!(played.outcome(), "completed 7");
}

#[test]
fn descriptions_labels_and_facts_are_recorded_once() {
    let played = flow(|ctx| async move {
        ctx.describe("starting");
        ctx.set_label("tier", "gold");
        ok(&ctx, "a", 1).await?;
        ctx.set_label("tier", "lead");
        ctx.fact("price", &json!({"cents": 5}))?;
        ctx.join(
            "j",
            [branch("x", async |ctx: Ctx| {
                ctx.describe("in a branch");
                ok(&ctx, "s", 1).await
            })],
        )
        .await?;
        ctx.sleep("z", secs(1)).await?;
        ctx.describe("nearly done");
        Ok(())
    })
    .check(expect![[r##"
        #0 RunStarted w null
        #1 Noted ~note0 description="starting"
        #2 Noted ~note1 label tier=gold
        #3 StepSucceeded a attempt=1 1
        #4 Noted ~note2 label tier=lead
        #5 Noted ~note3 price={"cents":5}
        #6 BlockStarted j join
        #7 Noted j/x/~note0 description="in a branch"
        #8 StepSucceeded j/x/s attempt=1 1
        #9 BranchEnded j/x
        #10 BlockEnded j
        #11 TimerSet z fire_at=1001000
        #12 TimerFired z
        #13 Noted ~note4 description="nearly done"
        #14 RunCompleted null
    "##]]);
    assert_eq!(played.state.description.as_deref(), Some("nearly done"));
    assert_eq!(played.state.labels["tier"], "lead");
}

#[test]
fn a_fact_over_the_limit_is_an_error_and_a_long_text_is_cut() {
    let limits = Limits { value_bytes_max: 10, text_bytes_max: 40, ..Limits::default() };
    flow(|ctx| async move {
        ctx.describe("long ".repeat(20));
        ctx.set_label("k", "long ".repeat(20));
        ctx.fact("big", &"x".repeat(100))
    })
    .limits(limits)
    .check(expect![[r##"
        #0 RunStarted w null
        #1 Noted ~note0 description="long long long long … (cut, 100 bytes)"
        #2 Noted ~note1 label k=long long long long … (cut, 100 bytes)
        #3 RunFailed exceeded a limit: the fact has 102 byte… (cut, 65 bytes)
    "##]]);
}

#[test]
fn log_lines_are_not_repeated_on_replay() {
    let scenario = flow(|ctx| async move {
        ctx.info("starting");
        ctx.step_with("a", async |cx| {
            cx.log(Level::Debug, "in the body");
            ctx.warn("also in the body");
            Ok::<_, stepwell_kernel::Error>(1)
        })
        .await?;
        ctx.log_with(Level::Error, "after", &json!({"n": 1}));
        ctx.sleep("z", secs(1)).await?;
        ctx.debug("done");
        Ok(())
    });
    let lines = |played: &crate::kit::Played| -> String {
        let line = |log: &stepwell_kernel::Log| {
            format!("{:?} {} {} {}\n", log.level, log.location, log.message, log.fields)
        };
        played.logs.iter().map(line).collect()
    };
    let played = scenario.play();
    expect![[r#"
        Info (the run itself) starting null
        Debug a in the body null
        Warn a also in the body null
        Error (the run itself) after {"n":1}
        Debug (the run itself) done null
    "#]]
    .assert_eq(&lines(&played));
    let again = scenario.play_from(played.journal[..3].to_vec(), crate::kit::Load::Plain);
    expect![[r#"
        Debug (the run itself) done null
    "#]]
    .assert_eq(&lines(&again));
}

#[test]
fn log_lines_without_end_are_dropped_with_a_word() {
    let limits = Limits { log_lines_max: 3, ..Limits::default() };
    let played = flow(|ctx| async move {
        for n in 0..10 {
            ok(&ctx, &format!("s{n}"), n).await?;
            ctx.info(format!("line {n}"));
        }
        Ok(())
    })
    .limits(limits)
    .play();
    let lines: Vec<_> = played.logs.iter().map(|log| log.message.as_str()).collect();
    expect![[r#"
        line 0
        line 1
        line 2
        more lines than the limit log_lines_max: later ones are dropped"#]]
    .assert_eq(&lines.join("\n"));
}
