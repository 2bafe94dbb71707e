//! The fold: what a journal says about its run, as tables.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::fmt::Write;

use expect_test::{Expect, expect};
use stepwell_journal::{
    Attempt, EntryKind, Event, EventKind, Failure, FailureKind, Json, Location, Message, MessageId,
    Note, ReplyTo, RunId, RunStarted, RunState, Seq, SeqRange, UnixMillis, effective,
    render_journal,
};
use uuid::Uuid;

const RUN: RunId = RunId(Uuid::nil());

/// Folds the journal and compares what a person would want to know of the state, or the error.
#[track_caller]
fn check(kinds: impl IntoIterator<Item = EventKind>, expected: Expect) {
    let journal = journal(kinds);
    let text = match RunState::fold(RUN, &journal) {
        Ok(state) => describe(&state),
        Err(error) => format!("error: {error}\n"),
    };
    expected.assert_eq(&text);
}

fn journal(kinds: impl IntoIterator<Item = EventKind>) -> Vec<Event> {
    let started = EventKind::RunStarted(Box::new(RunStarted {
        workflow: "checkout".into(),
        version: "1".into(),
        namespace: "default".into(),
        input: Json::null(),
        labels: [("region".to_owned(), "eu".to_owned())].into(),
        parent: None,
        seed: 0,
        replay_of: None,
        pinned: false,
        deadline_at: None,
        trace: None,
    }));
    (0u64..)
        .zip(std::iter::once(started).chain(kinds))
        .map(|(n, kind)| Event { seq: Seq(n), at: UnixMillis(100 + n), kind })
        .collect()
}

fn describe(state: &RunState) -> String {
    let mut text = format!("{} next={} now={}", state.status(), state.next_seq, state.last_at);
    if let Some(at) = state.wake_at() {
        write!(text, " wake_at={at}").unwrap();
    }
    text.push('\n');
    for (location, entry) in &state.entries {
        write!(text, "  {location}: {} {:?}", entry.kind, entry.status).unwrap();
        if entry.attempts > Attempt(0) {
            write!(text, " attempts={}", entry.attempts).unwrap();
        }
        if let Some((seq, outcome)) = &entry.outcome {
            write!(text, " {seq} {outcome:?}").unwrap();
        }
        if let Some(iterations) = &entry.iterations {
            let begun: Vec<_> = iterations.begun.keys().collect();
            write!(text, " begun={begun:?} trimmed_before={}", iterations.trimmed_before).unwrap();
        }
        text.push('\n');
    }
    for wait in state.waits() {
        writeln!(text, "  waits for {wait:?}").unwrap();
    }
    writeln!(
        text,
        "  mailbox={} unanswered={} answers={} checkpoint={:?} labels={:?}",
        state.mailbox.len(),
        state.unanswered.len(),
        state.answers.len(),
        state.checkpoint.map(|seq| seq.0),
        state.labels,
    )
    .unwrap();
    text
}

fn at(path: &str) -> Location {
    Location::from_text(path)
}

fn failed(message: &str) -> Failure {
    Failure::new(FailureKind::Error, message)
}

fn step(path: &str) -> EventKind {
    EventKind::StepSucceeded { location: at(path), attempt: Attempt(1), value: Json::null() }
}

fn step_failed(path: &str) -> EventKind {
    EventKind::StepFailed { location: at(path), failure: failed("no").after(Attempt(4)) }
}

fn attempt_failed(path: &str) -> EventKind {
    EventKind::AttemptFailed {
        location: at(path),
        attempt: Attempt(1),
        failure: failed("busy"),
        retry_at: UnixMillis(500),
    }
}

fn attempt_started(path: &str, attempt: u32) -> EventKind {
    EventKind::AttemptStarted { location: at(path), attempt: Attempt(attempt) }
}

fn timer(path: &str, fire_at: u64) -> EventKind {
    EventKind::TimerSet { location: at(path), fire_at: UnixMillis(fire_at) }
}

fn begin(path: &str, kind: EntryKind) -> EventKind {
    EventKind::BlockStarted { location: at(path), kind }
}

fn advance(path: &str, iteration: u64, trimmed_before: u64) -> EventKind {
    EventKind::LoopAdvanced { location: at(path), iteration, state: Json::null(), trimmed_before }
}

fn message(n: u64, reply: Option<ReplyTo>) -> EventKind {
    EventKind::MessageReceived(Box::new(Message {
        id: id(n),
        name: "approve".into(),
        body: Json::null(),
        key: Some(format!("key{n}")),
        reply,
        received_at: UnixMillis(0),
    }))
}

fn listen(path: &str, deadline_at: Option<u64>) -> EventKind {
    let names = vec!["approve".into()];
    EventKind::ListenStarted { location: at(path), names, deadline_at: deadline_at.map(UnixMillis) }
}

fn take(path: &str, ids: &[u64]) -> EventKind {
    EventKind::MessageTaken { location: at(path), ids: ids.iter().map(|n| id(*n)).collect() }
}

fn child(path: &str) -> EventKind {
    EventKind::ChildStarted {
        location: at(path),
        child: RunId(Uuid::from_u128(9)),
        workflow: "ship".into(),
        input: Json::null(),
    }
}

fn resumed(ranges: &[(u64, u64)]) -> EventKind {
    let voids =
        ranges.iter().map(|(first, last)| SeqRange { first: Seq(*first), last: Seq(*last) });
    EventKind::RunResumed { voids: voids.collect(), reason: "recover".into(), deadline_at: None }
}

fn run_failed() -> EventKind {
    EventKind::RunFailed { failure: failed("no") }
}

fn id(n: u64) -> MessageId {
    MessageId(Uuid::from_u64_pair(0, n))
}

#[test]
fn a_run_that_just_started_is_running() {
    check(
        [],
        expect![[r#"
        running next=#1 now=100
          mailbox=0 unanswered=0 answers=0 checkpoint=None labels={"region": "eu"}
    "#]],
    );
}

#[test]
fn an_attempt_under_way_is_running_whatever_else_waits() {
    check(
        [timer("nap", 900), attempt_started("charge", 1)],
        expect![[r#"
        running next=#3 now=102 wake_at=900
          charge: step Running attempts=1
          nap: sleep Waiting
          waits for Timer { location: nap, until: UnixMillis(900) }
          mailbox=0 unanswered=0 answers=0 checkpoint=None labels={"region": "eu"}
    "#]],
    );
}

#[test]
fn a_retry_waits_for_its_date() {
    check(
        [attempt_failed("charge")],
        expect![[r#"
        waiting next=#2 now=101 wake_at=500
          charge: step WaitingRetry attempts=1
          waits for Retry { location: charge, attempt: Attempt(2), until: UnixMillis(500), last_error: "busy" }
          mailbox=0 unanswered=0 answers=0 checkpoint=None labels={"region": "eu"}
    "#]],
    );
}

#[test]
fn a_second_attempt_is_no_longer_a_wait() {
    check(
        [attempt_failed("charge"), attempt_started("charge", 2)],
        expect![[r#"
        running next=#3 now=102
          charge: step Running attempts=2
          mailbox=0 unanswered=0 answers=0 checkpoint=None labels={"region": "eu"}
    "#]],
    );
}

#[test]
fn every_wait_has_a_name_and_the_earliest_date_wakes() {
    check(
        [
            timer("nap", 900),
            listen("approval", Some(700)),
            listen("forever", None),
            child("ship"),
            step("question/~ask"),
            attempt_failed("charge"),
        ],
        expect![[r#"
            waiting next=#7 now=106 wake_at=500
              approval: listen Waiting
              charge: step WaitingRetry attempts=1
              forever: listen Waiting
              nap: sleep Waiting
              question: ask Waiting
              question/~ask: step Completed attempts=1 #5 Value(null)
              ship: child Waiting
              waits for Messages { location: approval, names: ["approve"], until: Some(UnixMillis(700)) }
              waits for Retry { location: charge, attempt: Attempt(2), until: UnixMillis(500), last_error: "busy" }
              waits for Messages { location: forever, names: ["approve"], until: None }
              waits for Timer { location: nap, until: UnixMillis(900) }
              waits for Answer { location: question }
              waits for Child { location: ship, run: 00000000-0000-0000-0000-000000000009, workflow: "ship" }
              mailbox=0 unanswered=0 answers=0 checkpoint=None labels={"region": "eu"}
        "#]],
    );
}

#[test]
fn whatever_ends_stops_waiting() {
    check(
        [
            timer("nap", 900),
            listen("approval", Some(700)),
            listen("forever", None),
            child("ship"),
            step("question/~ask"),
            attempt_failed("charge"),
            EventKind::TimerFired { location: at("nap") },
            EventKind::ListenTimedOut { location: at("approval") },
            message(1, None),
            take("forever", &[1]),
            EventKind::ChildEnded { location: at("ship"), outcome: Ok(Json::null()) },
            EventKind::AnswerReceived { location: at("question"), answer: Err(failed("no")) },
            step_failed("charge"),
        ],
        expect![[r#"
            running next=#14 now=113
              approval: listen Completed #8 TimedOut
              charge: step Failed attempts=4 #13 Failed(Failure { kind: Error, message: "no", source: None, attempts: Attempt(4), branches: [], details: None })
              forever: listen Completed #10 Messages([Message { id: 00000000-0000-0000-0000-000000000001, name: "approve", body: null, key: Some("key1"), reply: None, received_at: UnixMillis(109) }])
              nap: sleep Completed #7 Done
              question: ask Failed #12 Failed(Failure { kind: Error, message: "no", source: None, attempts: Attempt(0), branches: [], details: None })
              question/~ask: step Completed attempts=1 #5 Value(null)
              ship: child Completed #11 Value(null)
              mailbox=0 unanswered=0 answers=0 checkpoint=None labels={"region": "eu"}
        "#]],
    );
}

#[test]
fn a_message_is_received_taken_and_answered() {
    let answer = EventKind::MessageAnswered { id: id(1), body: Json::null() };
    let journal = [message(1, Some(ReplyTo::Caller)), take("approval", &[1]), answer];
    check(
        journal[..1].to_vec(),
        expect![[r#"
        running next=#2 now=101
          mailbox=1 unanswered=0 answers=0 checkpoint=None labels={"region": "eu"}
    "#]],
    );
    check(
        journal[..2].to_vec(),
        expect![[r#"
        running next=#3 now=102
          approval: listen Completed #2 Messages([Message { id: 00000000-0000-0000-0000-000000000001, name: "approve", body: null, key: Some("key1"), reply: Some(Caller), received_at: UnixMillis(101) }])
          mailbox=0 unanswered=1 answers=0 checkpoint=None labels={"region": "eu"}
    "#]],
    );
    check(
        journal[..3].to_vec(),
        expect![[r#"
        running next=#4 now=103
          approval: listen Completed #2 Messages([Message { id: 00000000-0000-0000-0000-000000000001, name: "approve", body: null, key: Some("key1"), reply: Some(Caller), received_at: UnixMillis(101) }])
          mailbox=0 unanswered=0 answers=1 checkpoint=None labels={"region": "eu"}
    "#]],
    );
}

#[test]
fn a_race_that_ends_cancels_what_is_open_in_it() {
    check(
        [
            begin("race", EntryKind::Race),
            timer("race/slow/nap", 900),
            child("race/other/ship"),
            timer("race2", 950),
            EventKind::BranchEnded { location: at("race/quick"), failure: None },
            EventKind::BlockEnded {
                location: at("race"),
                failure: None,
                winner: Some("quick".into()),
            },
        ],
        expect![[r#"
            waiting next=#7 now=106 wake_at=950
              race: race Completed #6 Done
              race/other/ship: child Cancelled
              race/quick: branch Completed #5 Done
              race/slow/nap: sleep Cancelled
              race2: sleep Waiting
              waits for Timer { location: race2, until: UnixMillis(950) }
              mailbox=0 unanswered=0 answers=0 checkpoint=None labels={"region": "eu"}
        "#]],
    );
}

#[test]
fn a_loop_forgets_the_iterations_that_it_trims() {
    check(
        [
            begin("poll", EntryKind::Loop),
            step("poll/~0/fetch"),
            advance("poll", 1, 0),
            step("poll/~1/fetch"),
            timer("poll/~1/nap", 900),
            advance("poll", 2, 1),
            step("poll/~2/fetch"),
            advance("poll", 3, 2),
        ],
        expect![[r#"
            running next=#9 now=108
              poll: loop Running begun=[2, 3] trimmed_before=2
              poll/~2/fetch: step Completed attempts=1 #7 Value(null)
              mailbox=0 unanswered=0 answers=0 checkpoint=None labels={"region": "eu"}
        "#]],
    );
}

#[test]
fn notes_and_checkpoints_show_in_the_state() {
    let label = Note::LabelSet { key: "region".into(), value: "us".into() };
    check(
        [
            EventKind::Noted { location: at("~note0"), note: label },
            EventKind::CheckpointSet { location: at("paid") },
        ],
        expect![[r#"
            running next=#3 now=102
              paid: checkpoint Completed #2 Done
              ~note0: note Completed #1 Done
              mailbox=0 unanswered=0 answers=0 checkpoint=Some(2) labels={"region": "us"}
        "#]],
    );
}

#[test]
fn undo_cancels_what_is_open_and_is_named_so() {
    check(
        [
            step("reserve"),
            timer("nap", 900),
            EventKind::UndoStarted { failure: failed("no") },
            attempt_started("reserve/~undo", 1),
        ],
        expect![[r#"
            rolling_back next=#5 now=104
              nap: sleep Cancelled
              reserve: step Completed attempts=1 #1 Value(null)
              reserve/~undo: undo Running attempts=1
              mailbox=0 unanswered=0 answers=0 checkpoint=None labels={"region": "eu"}
        "#]],
    );
}

#[test]
fn a_run_that_ended_waits_for_nothing() {
    check(
        [timer("nap", 900), run_failed()],
        expect![[r#"
        failed next=#3 now=102
          nap: sleep Cancelled
          mailbox=0 unanswered=0 answers=0 checkpoint=None labels={"region": "eu"}
    "#]],
    );
    check(
        [EventKind::RunCompleted { output: Json::null() }],
        expect![[r#"
        completed next=#2 now=101
          mailbox=0 unanswered=0 answers=0 checkpoint=None labels={"region": "eu"}
    "#]],
    );
    check(
        [
            EventKind::CancelRequested { reason: "why".into() },
            EventKind::RunCancelled { reason: "why".into() },
        ],
        expect![[r#"
            cancelled next=#3 now=102
              mailbox=0 unanswered=0 answers=0 checkpoint=None labels={"region": "eu"}
        "#]],
    );
}

/// The journal of a run that must have ended at 600.
fn with_deadline(kinds: impl IntoIterator<Item = EventKind>) -> RunState {
    let mut journal = journal(kinds);
    if let EventKind::RunStarted(started) = &mut journal[0].kind {
        started.deadline_at = Some(UnixMillis(600));
    }
    RunState::fold(RUN, &journal).unwrap()
}

#[test]
fn a_deadline_is_a_date_to_wake_for_until_it_is_settled() {
    let passed = || EventKind::DeadlinePassed { deadline_at: UnixMillis(600) };
    let cancel = EventKind::CancelRequested { reason: "why".into() };
    let wake_at = |kinds: Vec<EventKind>| with_deadline(kinds).wake_at().map(|at| at.0);
    assert_eq!(wake_at(vec![]), Some(600));
    assert_eq!(wake_at(vec![timer("nap", 500)]), Some(500), "what is due earlier");
    assert_eq!(wake_at(vec![timer("nap", 900)]), Some(600));
    assert_eq!(wake_at(vec![timer("nap", 900), passed()]), Some(900), "it has passed");
    assert_eq!(wake_at(vec![cancel]), None, "a cancel wins");
    assert_eq!(wake_at(vec![run_failed()]), None);
}

#[test]
fn a_resumed_run_has_the_deadline_that_it_was_resumed_with() {
    let passed = EventKind::DeadlinePassed { deadline_at: UnixMillis(600) };
    let mut again = resumed(&[(1, 2)]);
    let state = with_deadline([passed.clone(), run_failed(), again.clone()]);
    assert_eq!((state.deadline_at, state.is_overdue), (None, false));
    if let EventKind::RunResumed { deadline_at, .. } = &mut again {
        *deadline_at = Some(UnixMillis(700));
    }
    let state = with_deadline([passed, run_failed(), again]);
    assert_eq!((state.wake_at(), state.is_overdue), (Some(UnixMillis(700)), false));
}

#[test]
fn a_resumed_run_has_forgotten_what_was_voided() {
    check(
        [step("a"), step_failed("b"), run_failed(), resumed(&[(2, 3)])],
        expect![[r#"
        running next=#5 now=104
          a: step Completed attempts=1 #1 Value(null)
          mailbox=0 unanswered=0 answers=0 checkpoint=None labels={"region": "eu"}
    "#]],
    );
}

#[test]
fn what_was_voided_once_stays_void() {
    // The second resumption voids the first one too.
    let journal = journal([
        step("a"),
        step_failed("b"),
        step("c"),
        run_failed(),
        resumed(&[(2, 2), (4, 4)]),
        run_failed(),
        resumed(&[(3, 6)]),
    ]);
    let text = render_journal(effective(&journal));
    expect![[r##"
        #0 RunStarted checkout null
        #1 StepSucceeded a attempt=1 null
        #7 RunResumed "recover" void=#3..#6
    "##]]
    .assert_eq(&text);
}

#[test]
fn a_prefix_that_ends_before_the_resumption_shows_the_run_as_it_was() {
    let journal = journal([step_failed("b"), run_failed(), resumed(&[(1, 2)])]);
    let before = RunState::fold(RUN, &journal[..3]).unwrap();
    assert!(before.is_ended());
    assert!(before.entry(&at("b")).is_some());
    let after = RunState::fold(RUN, &journal).unwrap();
    assert!(!after.is_ended());
    assert!(after.entry(&at("b")).is_none());
}

#[test]
fn a_journal_that_contradicts_itself_is_an_error_that_names_the_event() {
    check(
        [step("a"), step("a")],
        expect![[r#"
        error: the journal of run 00000000-0000-0000-0000-000000000000 makes no sense at #2: `a` had ended
    "#]],
    );
    check(
        [step("a"), timer("a", 1)],
        expect![[r#"
        error: the journal of run 00000000-0000-0000-0000-000000000000 makes no sense at #2: `a` was a step, now it is a sleep
    "#]],
    );
    check(
        [run_failed(), step("a")],
        expect![[r#"
        error: the journal of run 00000000-0000-0000-0000-000000000000 makes no sense at #2: the run had ended
    "#]],
    );
    check(
        [take("a", &[1])],
        expect![[r#"
        error: the journal of run 00000000-0000-0000-0000-000000000000 makes no sense at #1: message 00000000-0000-0000-0000-000000000001 is not in the mailbox
    "#]],
    );
    check(
        [EventKind::MessageAnswered { id: id(1), body: Json::null() }],
        expect![[r#"
        error: the journal of run 00000000-0000-0000-0000-000000000000 makes no sense at #1: message 00000000-0000-0000-0000-000000000001 awaits no answer
    "#]],
    );
    check(
        [EventKind::BlockEnded { location: at("a"), failure: None, winner: None }],
        expect![[r#"
            error: the journal of run 00000000-0000-0000-0000-000000000000 makes no sense at #1: `a` ends and never began
        "#]],
    );
}

#[test]
fn a_journal_that_does_not_begin_with_its_start_or_goes_back_is_an_error() {
    let whole = journal([step("a"), step("b")]);
    assert!(RunState::fold(RUN, &whole[1..]).is_err());
    let [start, a, b] = whole.try_into().unwrap();
    assert!(RunState::fold(RUN, &[start.clone(), b.clone(), a]).is_err());
    // A gap is what compaction leaves.
    assert!(RunState::fold(RUN, &[start.clone(), b.clone()]).is_ok());
    let last = Event { seq: Seq(u64::MAX), ..b };
    assert!(RunState::fold(RUN, &[start, last]).is_err());
}

#[test]
fn the_children_below_a_location_are_found_and_no_others() {
    let journal = journal([child("join/a/ship"), child("join2"), child("join")]);
    let state = RunState::fold(RUN, &journal).unwrap();
    assert_eq!(state.open_children(&at("join")).len(), 2);
    assert_eq!(state.open_children(&Location::root()).len(), 3);
}

#[test]
fn a_message_is_known_by_its_id_or_its_key() {
    let state = RunState::fold(RUN, &journal([message(1, None)])).unwrap();
    assert!(state.knows_message(id(1), None));
    assert!(state.knows_message(id(2), Some("key1")));
    assert!(!state.knows_message(id(2), Some("key2")));
    // Live and read from the wire, its date is the event's.
    assert_eq!(state.mailbox[0].received_at, UnixMillis(101));
}

#[test]
fn nothing_in_an_event_makes_a_second_line() {
    let failure = failed("first\nsecond\u{7}");
    let events = journal([EventKind::RunFailed { failure }]);
    expect![[r#"
        #0 RunStarted checkout null
        #1 RunFailed failed: first\nsecond\u{7}
    "#]]
    .assert_eq(&render_journal(&events));
}
