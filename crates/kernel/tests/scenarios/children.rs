//! Child runs.

use expect_test::expect;
use serde_json::json;
use stepwell_journal::{FailureKind, RunId};
use stepwell_kernel::{Ctx, Limits, branch, secs};

use crate::kit::{In, RUN, bad, failure, flow, ok, undoable};

#[test]
fn a_child_is_not_started_with_an_input_that_its_workflow_does_not_take() {
    let played =
        flow(|ctx| async move { ctx.child::<u32>("c", "picky", &7).await }).check(expect![[r#"
            #0 RunStarted w null
            #1 ChildEnded c failed critically: the input does not fit workflow `picky`: at /n: 7 is not what it takes
            #2 RunFailed `c` failed critically: the input does not fit workflow `picky`: at /n: 7 is not what it takes
        "#]]);
    assert!(played.children.is_empty());
}

#[test]
fn a_child_gives_its_output() {
    let played = flow(|ctx| async move { ctx.child::<u32>("c", "other", &json!({"n": 1})).await })
        .at(5_000, In::ChildOk("c", json!(42)))
        .check(expect![[r##"
            #0 RunStarted w null
            #1 ChildStarted c other {"n":1}
            #2 ChildEnded c 42
            #3 RunCompleted 42
        "##]]);
    let [child] = &played.children[..] else { panic!("{:?}", played.children) };
    assert_eq!(child.run, RunId::child_of(RUN, "c"));
    assert_eq!((child.workflow.as_str(), child.input.as_str()), ("other", r#"{"n":1}"#));
}

#[test]
fn a_run_that_waits_for_a_child_says_so() {
    let played = flow(|ctx| async move { ctx.child::<u32>("c", "other", &1).await }).play();
    expect![[r#"waiting [Child { location: c, run: 97ec547d-38cb-542d-a747-b09a9e111dfd, workflow: "other" }]"#]].assert_eq(&played.outcome());
}

#[test]
fn a_childs_failure_is_its_parents() {
    flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        ctx.child::<u32>("c", "other", &1).await
    })
    .at(5_000, In::ChildFailed("c", failure(FailureKind::Critical, "no")))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 ChildStarted c other 1
        #3 ChildEnded c failed critically: no
        #4 UndoStarted `c` failed critically: no
        #5 StepSucceeded a/~undo attempt=1 null
        #6 RunFailed `c` failed critically: no
    "##]]);
}

#[test]
fn a_childs_broken_code_does_not_keep_its_parent_from_undoing() {
    let played = flow(|ctx| async move {
        undoable(&ctx, "a").await?;
        ctx.child::<u32>("c", "other", &1).await
    })
    .at(5_000, In::ChildFailed("c", failure(FailureKind::Divergence, "the child's code changed")))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded a attempt=1 "a"
        #2 ChildStarted c other 1
        #3 ChildEnded c diverged: the child's code changed
        #4 UndoStarted `c` failed critically: the child's code changed
        #5 StepSucceeded a/~undo attempt=1 null
        #6 RunFailed `c` failed critically: the child's code changed
    "##]]);
    assert_eq!(played.ran, ["a", "undo a"]);
}

#[test]
fn a_workflow_that_is_not_registered_is_a_failure() {
    flow(|ctx| async move { ctx.child::<u32>("c", "missing", &1).await }).check(expect![[r#"
        #0 RunStarted w null
        #1 ChildEnded c failed critically: workflow `missing` is not registered
        #2 RunFailed `c` failed critically: workflow `missing` is not registered
    "#]]);
}

#[test]
fn only_the_first_end_of_a_child_counts() {
    flow(|ctx| async move {
        let output: u32 = ctx.child("c", "other", &1).await?;
        ctx.sleep("z", secs(5)).await?;
        Ok(output)
    })
    .at(1_000, In::ChildOk("c", json!(1)))
    .at(1_000, In::ChildOk("c", json!(2)))
    .at(2_000, In::ChildOk("c", json!(3)))
    .at(2_000, In::ChildOk("never started", json!(4)))
    .check(expect![[r#"
        #0 RunStarted w null
        #1 ChildStarted c other 1
        #2 ChildEnded c 1
        #3 TimerSet z fire_at=1006000
        #4 TimerFired z
        #5 RunCompleted 1
    "#]]);
}

#[test]
fn a_losers_child_is_cancelled_with_the_race() {
    let played = flow(|ctx| async move {
        let raced = ctx
            .race(
                "r",
                [
                    branch("child", async |ctx: Ctx| ctx.child::<u32>("c", "other", &1).await),
                    branch("sleep", async |ctx: Ctx| {
                        ctx.sleep("z", secs(1)).await?;
                        Ok(0)
                    }),
                ],
            )
            .await?;
        ctx.sleep("after", secs(5)).await?;
        Ok(raced.value)
    })
    .at(3_000, In::ChildFailed("r/child/c", failure(FailureKind::Cancelled, "by its parent")))
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted r race
        #2 ChildStarted r/child/c other 1
        #3 TimerSet r/sleep/z fire_at=1001000
        #4 TimerFired r/sleep/z
        #5 BranchEnded r/sleep
        #6 BlockEnded r winner=sleep
        #7 TimerSet after fire_at=1006000
        #8 TimerFired after
        #9 RunCompleted 0
    "#]]);
    assert_eq!(played.cancelled_children, [RunId::child_of(RUN, "r/child/c")]);
}

#[test]
fn open_children_are_cancelled_with_the_run() {
    let played = flow(|ctx| async move {
        ctx.join(
            "j",
            [
                branch("a", async |ctx: Ctx| ctx.child::<u32>("c", "other", &1).await),
                branch("b", async |ctx: Ctx| ctx.child::<u32>("c", "other", &2).await),
            ],
        )
        .await
    })
    .at(1_000, In::ChildOk("j/a/c", json!(1)))
    .at(2_000, In::Cancel("enough"))
    .at(2_000, In::ChildOk("j/b/c", json!(2)))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 BlockStarted j join
        #2 ChildStarted j/a/c other 1
        #3 ChildStarted j/b/c other 2
        #4 ChildEnded j/a/c 1
        #5 BranchEnded j/a
        #6 CancelRequested "enough"
        #7 RunCancelled "enough"
    "##]]);
    assert_eq!(played.cancelled_children, [RunId::child_of(RUN, "j/b/c")]);
}

#[test]
fn a_failed_branch_of_a_join_does_not_cancel_its_siblings_child() {
    let played = flow(|ctx| async move {
        ctx.join(
            "j",
            [
                branch("a", async |ctx: Ctx| ctx.child::<u32>("c", "other", &1).await.map(|_| ())),
                branch("b", async |ctx: Ctx| bad(&ctx, "s").await),
            ],
        )
        .await
    })
    .at(9_000, In::ChildOk("j/a/c", json!(1)))
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted j join
        #2 ChildStarted j/a/c other 1
        #3 StepFailed j/b/s attempts=1 failed critically: no
        #4 BranchEnded j/b failed critically: no
        #5 ChildEnded j/a/c 1
        #6 BranchEnded j/a
        #7 BlockEnded j failed critically: 1 of 2 branches of the join failed: b: no
        #8 RunFailed `j` failed critically: 1 of 2 branches of the join failed: b: no
    "#]]);
    assert!(played.cancelled_children.is_empty());
}

#[test]
fn an_output_of_another_type_is_a_failure() {
    flow(|ctx| async move { ctx.child::<u32>("c", "other", &1).await })
        .at(1_000, In::ChildOk("c", json!("text")))
        .check(expect![[r##"
            #0 RunStarted w null
            #1 ChildStarted c other 1
            #2 ChildEnded c "text"
            #3 RunFailed failed critically: the recorded value is not a `u32`: invalid type: string "text", expected u32 at line 1 column 6
        "##]]);
}

#[test]
fn an_input_over_the_limit_starts_no_child() {
    let limits = Limits { value_bytes_max: 10, ..Limits::default() };
    let played = flow(|ctx| async move {
        let tried = ctx
            .try_block("t", async |ctx| ctx.child::<u32>("c", "other", &"x".repeat(99)).await)
            .await?;
        ok(&ctx, "after", tried.is_err()).await
    })
    .limits(limits)
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted t block
        #2 ChildEnded t/c exceeded a limit: the child's input has 101 bytes, more than the limit value_bytes_max of 10
        #3 BlockEnded t exceeded a limit: the child's input has 101 bytes, more than the limit value_bytes_max of 10
        #4 StepSucceeded after attempt=1 true
        #5 RunCompleted true
    "#]]);
    assert!(played.children.is_empty());
}
