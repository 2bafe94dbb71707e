//! Messages: taken once, in order, by who listened first; questions and answers.

use expect_test::expect;
use serde_json::json;
use stepwell_kernel::{Ctx, Error, Received, branch, secs};

use crate::kit::{ENDED, FLAKY, In, NOBODY, OTHER, SLOW, bad, flow, ok, scenario};

#[test]
fn a_message_that_came_before_the_listen_is_kept_for_it() {
    flow(|ctx| async move {
        ctx.sleep("nap", secs(5)).await?;
        let first: u32 = ctx.listen("m").await?;
        let second: u32 = ctx.listen("m").named("again").await?;
        Ok((first, second))
    })
    .at(1_000, In::Message("m", json!(1)))
    .at(2_000, In::Message("m", json!(2)))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 TimerSet nap fire_at=1005000
        #2 MessageReceived m 1
        #3 MessageReceived m 2
        #4 TimerFired nap
        #5 ListenStarted m for=["m"]
        #6 MessageTaken m n=1
        #7 ListenStarted again for=["m"]
        #8 MessageTaken again n=1
        #9 RunCompleted [1,2]
    "##]]);
}

#[test]
fn a_listen_takes_no_message_of_another_name() {
    flow(|ctx| async move { ctx.listen::<u32>("m").await })
        .at(1_000, In::Message("other", json!(0)))
        .at(2_000, In::Message("m", json!(1)))
        .check(expect![[r##"
            #0 RunStarted w null
            #1 ListenStarted m for=["m"]
            #2 MessageReceived other 0
            #3 MessageReceived m 1
            #4 MessageTaken m n=1
            #5 RunCompleted 1
        "##]]);
}

#[test]
fn a_run_that_listens_waits_for_the_name() {
    let played = flow(|ctx| async move { ctx.listen::<u32>("m").await }).play();
    expect![[r#"waiting [Messages { location: m, names: ["m"], until: None }]"#]]
        .assert_eq(&played.outcome());
}

#[test]
fn a_listen_for_any_of_several_names_says_which_came() {
    flow(|ctx| async move {
        let Received { name, body } = ctx.listen_any::<u32>("l", ["yes", "no"]).await?;
        let late = ctx.listen_any::<u32>("late", ["yes", "no"]).timeout(secs(1)).await?;
        Ok((name, body, late.is_none()))
    })
    .at(1_000, In::Message("no", json!(1)))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 ListenStarted l for=["yes", "no"]
        #2 MessageReceived no 1
        #3 MessageTaken l n=1
        #4 ListenStarted late for=["yes", "no"] deadline_at=1002000
        #5 ListenTimedOut late
        #6 RunCompleted ["no",1,true]
    "##]]);
}

#[test]
fn a_listen_for_nothing_is_an_error_and_not_a_wait() {
    flow(|ctx| async move {
        let names: [&str; 0] = [];
        let timed = ctx.listen_any::<u32>("timed", names).timeout(secs(1)).await?;
        assert!(timed.is_none());
        ctx.listen_any::<u32>("l", names).await.map(|_| ())
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 ListenStarted timed for=[] deadline_at=1001000
        #2 ListenTimedOut timed
        #3 RunFailed failed critically: listen `l` has no message names and no timeout: it would wait for ever
    "#]]);
}

#[test]
fn a_batch_takes_what_is_there_up_to_its_size() {
    flow(|ctx| async move {
        ctx.sleep("nap", secs(5)).await?;
        let first: Vec<u32> = ctx.listen_batch("m", 2).await?;
        let rest: Vec<u32> = ctx.listen_batch("m", 10).named("rest").await?;
        Ok((first, rest))
    })
    .at(1_000, In::Message("m", json!(1)))
    .at(1_000, In::Message("m", json!(2)))
    .at(1_000, In::Message("m", json!(3)))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 TimerSet nap fire_at=1005000
        #2 MessageReceived m 1
        #3 MessageReceived m 2
        #4 MessageReceived m 3
        #5 TimerFired nap
        #6 ListenStarted m for=["m"]
        #7 MessageTaken m n=2
        #8 ListenStarted rest for=["m"]
        #9 MessageTaken rest n=1
        #10 RunCompleted [[1,2],[3]]
    "##]]);
}

#[test]
fn a_batch_waits_for_its_least_number_or_its_timeout() {
    flow(|ctx| async move {
        let full: Option<Vec<u32>> = ctx.listen_batch("m", 5).at_least(2).timeout(secs(9)).await?;
        let part: Option<Vec<u32>> =
            ctx.listen_batch("m", 5).at_least(2).named("part").timeout(secs(9)).await?;
        let none: Option<Vec<u32>> =
            ctx.listen_batch("m", 5).at_least(2).named("none").timeout(secs(9)).await?;
        Ok((full, part, none))
    })
    .at(1_000, In::Message("m", json!(1)))
    .at(2_000, In::Message("m", json!(2)))
    .at(3_000, In::Message("m", json!(3)))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 ListenStarted m for=["m"] deadline_at=1009000
        #2 MessageReceived m 1
        #3 MessageReceived m 2
        #4 MessageTaken m n=2
        #5 ListenStarted part for=["m"] deadline_at=1011000
        #6 MessageReceived m 3
        #7 MessageTaken part n=1
        #8 ListenStarted none for=["m"] deadline_at=1020000
        #9 ListenTimedOut none
        #10 RunCompleted [[1,2],[3],null]
    "##]]);
}

#[test]
fn a_second_message_with_the_same_key_is_the_same_message() {
    flow(|ctx| async move {
        let one: u32 = ctx.listen("m").await?;
        let two: u32 = ctx.listen("m").named("second").await?;
        Ok((one, two))
    })
    .at(1_000, In::Keyed("k", "m", json!(1)))
    .at(1_000, In::Keyed("k", "m", json!(2)))
    .at(2_000, In::Keyed("k", "m", json!(3)))
    .at(3_000, In::Keyed("other", "m", json!(4)))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 ListenStarted m for=["m"]
        #2 MessageReceived m 1 key=k
        #3 MessageTaken m n=1
        #4 ListenStarted second for=["m"]
        #5 MessageReceived m 4 key=other
        #6 MessageTaken second n=1
        #7 RunCompleted [1,4]
    "##]]);
}

#[test]
fn the_same_message_twice_at_once_is_one_message() {
    flow(|ctx| async move {
        let one: u32 = ctx.listen("m").await?;
        let two: Option<u32> = ctx.listen("m").named("second").timeout(secs(1)).await?;
        Ok((one, two))
    })
    .at(1_000, In::Question("m", json!(1)))
    .at(1_000, In::Question("m", json!(1)))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 ListenStarted m for=["m"]
        #2 MessageReceived m 1 wants an answer
        #3 MessageTaken m n=1
        #4 ListenStarted second for=["m"] deadline_at=1002000
        #5 ListenTimedOut second
        #6 RunCompleted [1,null]
    "##]]);
}

#[test]
fn whoever_listened_first_takes_the_message_after_a_crash_too() {
    // The branch that comes first has the name that sorts last.
    flow(|ctx| async move {
        let listen = |name: &'static str| {
            branch(name, async move |ctx: Ctx| {
                let got: u32 = ctx.listen("m").await?;
                Ok((name, got))
            })
        };
        ctx.join("j", [listen("z"), listen("b"), listen("a")]).await
    })
    .at(1_000, In::Message("m", json!(1)))
    .at(2_000, In::Message("m", json!(2)))
    .at(3_000, In::Message("m", json!(3)))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 BlockStarted j join
        #2 ListenStarted j/z/m for=["m"]
        #3 ListenStarted j/b/m for=["m"]
        #4 ListenStarted j/a/m for=["m"]
        #5 MessageReceived m 1
        #6 MessageTaken j/z/m n=1
        #7 BranchEnded j/z
        #8 MessageReceived m 2
        #9 MessageTaken j/b/m n=1
        #10 BranchEnded j/b
        #11 MessageReceived m 3
        #12 MessageTaken j/a/m n=1
        #13 BranchEnded j/a
        #14 BlockEnded j
        #15 RunCompleted [["z",1],["b",2],["a",3]]
    "##]]);
}

#[test]
fn a_message_that_does_not_parse_fails_its_listen() {
    flow(|ctx| async move {
        let tried = ctx
            .try_block("t", async |ctx| ctx.listen::<u32>("m").await)
            .await?
            .unwrap_err();
        let next: u32 = ctx.listen("m").await?;
        Ok((tried.kind.as_str(), next))
    })
    .at(1_000, In::Message("m", json!("one")))
    .at(2_000, In::Message("m", json!(2)))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 BlockStarted t block
        #2 ListenStarted t/m for=["m"]
        #3 MessageReceived m "one"
        #4 MessageTaken t/m n=1
        #5 BlockEnded t failed critically: the recorded value is not a `u32`: invalid type: string "one", expected u32 at line 1 column 5
        #6 ListenStarted m for=["m"]
        #7 MessageReceived m 2
        #8 MessageTaken m n=1
        #9 RunCompleted ["failed critically",2]
    "##]]);
}

#[test]
fn a_question_is_answered_once() {
    let played = flow(|ctx| async move {
        let question = ctx.listen::<u32>("q").completable().await?;
        question.answer(&(question.body + 1))?;
        ok(&ctx, "after", 1).await?;
        let second = question.answer(&0);
        Ok(second.unwrap_err().to_string().contains("answered twice"))
    })
    .at(1_000, In::Question("q", json!(41)))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 ListenStarted q for=["q"]
        #2 MessageReceived q 41 wants an answer
        #3 MessageTaken q n=1
        #4 MessageAnswered 42
        #5 StepSucceeded after attempt=1 1
        #6 RunCompleted true
    "##]]);
    assert!(played.state.unanswered.is_empty());
}

#[test]
fn a_run_that_asks_again_after_a_crash_is_answered_again() {
    let played = flow(|ctx| async move {
        let question = ctx.listen::<u32>("q").completable().await?;
        question.answer(&(question.body + 1))?;
        ctx.sleep("z", secs(10)).await
    })
    .at(1_000, In::AskedByRun("q", json!(41)))
    .at(5_000, In::AskedByRun("q", json!(41)))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 ListenStarted q for=["q"]
        #2 MessageReceived q 41 key=asked wants an answer
        #3 MessageTaken q n=1
        #4 MessageAnswered 42
        #5 TimerSet z fire_at=1011000
        #6 TimerFired z
        #7 RunCompleted null
    "##]]);
    let answers: Vec<_> = played.answers.iter().map(|out| (out.to, out.answer.as_str())).collect();
    assert_eq!(answers, [(OTHER, "42"), (OTHER, "42")]);
}

#[test]
fn a_question_that_is_never_answered_stays_unanswered() {
    let played = flow(|ctx| async move {
        let question = ctx.listen::<u32>("q").completable().await?;
        ok(&ctx, "after", question.body).await
    })
    .at(1_000, In::Question("q", json!(41)))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 ListenStarted q for=["q"]
        #2 MessageReceived q 41 wants an answer
        #3 MessageTaken q n=1
        #4 StepSucceeded after attempt=1 41
        #5 RunCompleted 41
    "##]]);
    assert_eq!(played.state.unanswered.len(), 1);
}

#[test]
fn an_answer_to_a_message_whose_sender_does_not_wait_goes_nowhere() {
    flow(|ctx| async move {
        let question = ctx.listen::<u32>("q").completable().timeout(secs(5)).await?;
        question.unwrap().answer(&1)
    })
    .at(1_000, In::Message("q", json!(41)))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 ListenStarted q for=["q"] deadline_at=1005000
        #2 MessageReceived q 41
        #3 MessageTaken q n=1
        #4 RunCompleted null
    "##]]);
}

#[test]
fn a_message_is_sent_once_with_an_id_that_replays_repeat() {
    let scenario = flow(|ctx| async move {
        ctx.send(OTHER, "hello", &1).await?;
        ctx.send(OTHER, "hello", &2).named("hello again").await
    });
    let played = scenario.check(expect![[r#"
        #0 RunStarted w null
        #1 StepSucceeded send:hello attempt=1 null
        #2 StepSucceeded hello again attempt=1 null
        #3 RunCompleted null
    "#]]);
    let again = scenario.play_from(played.journal[..1].to_vec(), crate::kit::Load::Careful);
    let ids = |played: &crate::kit::Played| {
        played.sent.iter().map(|(_, message)| message.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(&played), ids(&again));
    assert_ne!(ids(&played)[0], ids(&played)[1]);
}

#[test]
fn a_message_to_a_run_that_is_not_there_is_a_failure() {
    flow(|ctx| async move {
        let nobody = ctx.try_block("t", async |ctx| ctx.send(NOBODY, "m", &1).await).await?;
        let failure = nobody.unwrap_err();
        assert_eq!(failure.kind, stepwell_journal::FailureKind::Critical);
        ctx.send(ENDED, "m", &1).await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 BlockStarted t block
        #2 StepFailed t/send:m attempts=1 failed critically: run 00000000-0000-0000-0000-000000000000 does not exist
        #3 BlockEnded t failed critically: run 00000000-0000-0000-0000-000000000000 does not exist
        #4 StepFailed send:m attempts=1 failed critically: run 00000000-0000-0000-0000-000000000009 has ended
        #5 RunFailed `send:m` failed critically: run 00000000-0000-0000-0000-000000000009 has ended
    "#]]);
}

#[test]
fn a_message_that_cannot_be_stored_is_sent_again() {
    let played = flow(|ctx| async move { ctx.send(FLAKY, "m", &1).await }).play();
    assert_eq!((played.outcome().as_str(), played.sent.len()), ("completed null", 1));
    assert_eq!(played.journal.len(), 5);
}

#[test]
fn a_question_to_another_run_waits_for_its_answer() {
    flow(|ctx| async move { ctx.ask::<u32>(OTHER, "q", &1).await })
        .at(5_000, In::Answer("ask:q", json!(42)))
        .check(expect![[r##"
            #0 RunStarted w null
            #1 StepSucceeded ask:q/~ask attempt=1 {"to":"00000000-0000-0000-0000-000000000008","message":"17d792f8-c8f3-5d5b-99bd-de64cfe0efed"}
            #2 AnswerReceived ask:q 42
            #3 RunCompleted 42
        "##]]);
}

#[test]
fn a_question_that_waits_says_so() {
    let played = flow(|ctx| async move { ctx.ask::<u32>(OTHER, "q", &1).await }).play();
    expect!["waiting [Answer { location: ask:q }]"].assert_eq(&played.outcome());
}

#[test]
fn a_question_to_nobody_is_a_failure() {
    flow(|ctx| async move { ctx.ask::<u32>(NOBODY, "q", &1).await }).check(expect![[r#"
        #0 RunStarted w null
        #1 StepFailed ask:q/~ask attempts=1 failed critically: run 00000000-0000-0000-0000-000000000000 does not exist
        #2 RunFailed `ask:q/~ask` failed critically: run 00000000-0000-0000-0000-000000000000 does not exist
    "#]]);
}

#[test]
fn an_answer_may_be_faster_than_the_news_that_the_question_was_sent() {
    flow(|ctx| async move { ctx.ask::<u32>(SLOW, "q", &1).await })
        .at(500, In::Answer("ask:q", json!(42)))
        .check(expect![[r##"
            #0 RunStarted w null
            #1 AttemptStarted ask:q/~ask attempt=1
            #2 AnswerReceived ask:q 42
            #3 StepSucceeded ask:q/~ask attempt=1 {"to":"00000000-0000-0000-0000-00000000000b","message":"17d792f8-c8f3-5d5b-99bd-de64cfe0efed"}
            #4 RunCompleted 42
        "##]]);
}

#[test]
fn only_the_first_answer_counts() {
    flow(|ctx| async move {
        let answer = ctx.ask::<u32>(OTHER, "q", &1).await?;
        ctx.sleep("z", secs(1)).await?;
        Ok(answer)
    })
    .at(500, In::Answer("ask:q", json!(1)))
    .at(500, In::Answer("ask:q", json!(2)))
    .at(700, In::Answer("ask:q", json!(3)))
    .at(800, In::Answer("never asked", json!(4)))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 StepSucceeded ask:q/~ask attempt=1 {"to":"00000000-0000-0000-0000-000000000008","message":"17d792f8-c8f3-5d5b-99bd-de64cfe0efed"}
        #2 AnswerReceived ask:q 1
        #3 TimerSet z fire_at=1001500
        #4 TimerFired z
        #5 RunCompleted 1
    "##]]);
}

#[test]
fn an_answer_to_a_lost_race_is_dropped() {
    flow(|ctx| async move {
        let raced = ctx
            .race(
                "r",
                [
                    branch("ask", async |ctx: Ctx| ctx.ask::<u32>(OTHER, "q", &1).await),
                    branch("sleep", async |ctx: Ctx| {
                        ctx.sleep("z", secs(1)).await?;
                        Ok(0)
                    }),
                ],
            )
            .await?;
        ctx.sleep("after", secs(10)).await?;
        Ok(raced.value)
    })
    .at(5_000, In::Answer("r/ask/ask:q", json!(1)))
    .check(expect![[r##"
        #0 RunStarted w null
        #1 BlockStarted r race
        #2 StepSucceeded r/ask/ask:q/~ask attempt=1 {"to":"00000000-0000-0000-0000-000000000008","message":"cacf36f5-cf54-5476-9a9e-41f5228025a4"}
        #3 TimerSet r/sleep/z fire_at=1001000
        #4 TimerFired r/sleep/z
        #5 BranchEnded r/sleep
        #6 BlockEnded r winner=sleep
        #7 TimerSet after fire_at=1011000
        #8 TimerFired after
        #9 RunCompleted 0
    "##]]);
}

#[test]
fn a_message_that_no_json_can_hold_is_a_failure() {
    flow(|ctx| async move {
        let odd = std::collections::BTreeMap::from([(vec![1], 1)]);
        ctx.send(OTHER, "m", &odd).await
    })
    .check(expect![[r#"
        #0 RunStarted w null
        #1 StepFailed send:m attempts=1 failed critically: key must be a string
        #2 RunFailed `send:m` failed critically: key must be a string
    "#]]);
}

#[test]
fn messages_nobody_listens_for_do_no_harm() {
    let played = flow(|ctx| async move {
        ctx.sleep("z", secs(2)).await?;
        bad(&ctx, "a").await
    })
    .at(1_000, In::Message("m", json!(1)))
    .at(9_000, In::Message("m", json!(2)))
    .check(expect![[r#"
        #0 RunStarted w null
        #1 TimerSet z fire_at=1002000
        #2 MessageReceived m 1
        #3 TimerFired z
        #4 StepFailed a attempts=1 failed critically: no
        #5 RunFailed `a` failed critically: no
    "#]]);
    assert_eq!(played.state.mailbox.len(), 1);
}

#[test]
fn an_input_that_does_not_parse_is_refused_before_anything_is_created() {
    let taken = stepwell_kernel::workflow("w", |_: Ctx, n: u32| async move { Ok::<_, Error>(n) });
    let error = taken.check_input(&stepwell_journal::Json::from(json!("x"))).unwrap_err();
    expect![[r#"the input does not fit workflow `w`: invalid type: string "x", expected u32"#]]
        .assert_eq(&error.to_string());
    // And if it is in a journal all the same, the run says so.
    scenario(taken, json!("x")).check(expect![[r##"
        #0 RunStarted w "x"
        #1 RunFailed diverged: run 00000000-0000-0000-0000-000000000007: the journal has an input that is not the `u32` that the code asks for: invalid type: string "x", expected u32 at line 1 column 3
    "##]]);
}
