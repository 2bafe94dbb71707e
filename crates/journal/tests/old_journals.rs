//! Journals of every released format, which every later version must read as what they were.
//!
//! `UPDATE_FIXTURES=all cargo test -p stepwell-journal --test old_journals` writes those of today's format
//! anew. Do that only before a format is released: afterwards its bytes are as they are for ever.
//! `UPDATE_FIXTURES=text` reads the bytes and writes only the text, for when a type gained a field.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use stepwell_journal::{
    Attempt, EntryKind, Event, EventKind, Failure, FailureKind, Json, Location, Message, MessageId,
    Note, Parent, ReplyTo, RunId, RunStarted, Seq, SeqRange, UnixMillis, render_journal, wire,
};
use uuid::Uuid;

/// The files of format 1, and what they were written from. Later ones hold what came later: a file that
/// was released stays as it is.
fn files() -> [(&'static str, Vec<EventKind>); 2] {
    [("every-kind", every_kind()), ("deadlines", deadlines())]
}

#[test]
fn the_journals_of_format_1_read_as_they_did() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v1");
    let update = std::env::var("UPDATE_FIXTURES").unwrap_or_default();
    for (name, kinds) in files() {
        let binary = folder.join(format!("{name}.journal"));
        let text = folder.join(format!("{name}.txt"));
        if update == "all" {
            write_journal(&binary, kinds);
        }
        let events = wire::decode(&std::fs::read(&binary).unwrap()).unwrap();
        if !update.is_empty() {
            std::fs::write(&text, describe(&events)).unwrap();
        }
        assert_eq!(describe(&events), std::fs::read_to_string(&text).unwrap());
    }
}

/// Whoever adds a kind of event and forgets it here is told so.
#[test]
fn the_fixtures_have_every_kind_of_event() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/v1");
    let mut kinds = BTreeSet::new();
    for (name, _) in files() {
        let block = std::fs::read(folder.join(format!("{name}.journal"))).unwrap();
        kinds.extend(wire::decode(&block).unwrap().iter().map(|event| event.kind.name()));
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/event.rs");
    let source = std::fs::read_to_string(source).unwrap();
    let (_, names) = source.split_once("pub fn name(&self)").unwrap();
    let known: BTreeSet<&str> =
        names.lines().filter_map(|line| line.split_once("=> \"")?.1.strip_suffix("\",")).collect();
    assert_eq!(kinds, known);
}

/// As people read it, and then every field, for the renderer leaves some out and may change.
fn describe(events: &[Event]) -> String {
    let mut text = render_journal(events);
    text.push('\n');
    for event in events {
        writeln!(text, "{event:#?}").unwrap();
    }
    text
}

fn write_journal(path: &Path, kinds: Vec<EventKind>) {
    let events: Vec<Event> =
        (0u64..).zip(kinds).map(|(n, kind)| Event { seq: Seq(n), at: at(n), kind }).collect();
    let mut block = Vec::new();
    wire::encode(&events, &mut block);
    std::fs::write(path, block).unwrap();
}

fn every_kind() -> Vec<EventKind> {
    let mut kinds = steps();
    // Dates of messages are those of their events.
    kinds.extend(messages(kinds.len() as u64));
    kinds.extend(scopes());
    kinds.extend(endings());
    kinds
}

fn deadlines() -> Vec<EventKind> {
    let failure = Failure::new(FailureKind::DeadlinePassed, "it had to end by then");
    vec![
        EventKind::RunStarted(Box::new(RunStarted {
            workflow: "nightly".into(),
            version: "sha256:0a1b".into(),
            namespace: "reports".into(),
            input: json("{}"),
            labels: BTreeMap::new(),
            parent: None,
            seed: 1,
            replay_of: None,
            pinned: true,
            deadline_at: Some(at(3)),
            trace: Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".into()),
        })),
        EventKind::TimerSet { location: at_name("nap"), fire_at: at(90) },
        EventKind::DeadlinePassed { deadline_at: at(3) },
        EventKind::RunFailed { failure },
        EventKind::RunResumed {
            voids: vec![SeqRange { first: Seq(2), last: Seq(3) }],
            reason: "recover".into(),
            deadline_at: Some(at(500)),
        },
    ]
}

fn steps() -> Vec<EventKind> {
    let failure = Failure::new(FailureKind::Timeout, "no answer within 30 s");
    vec![
        EventKind::RunStarted(Box::new(RunStarted {
            workflow: "checkout".into(),
            version: "1f2e3d".into(),
            namespace: "default".into(),
            input: json(r#"{"id":"o-1","cents":4200}"#),
            labels: BTreeMap::from([("customer".into(), "c-7".into())]),
            parent: Some(Parent { run: run(1), location: at_name("children").iteration(2) }),
            seed: 0x5eed_5eed_5eed_5eed,
            replay_of: Some(run(2)),
            pinned: false,
            deadline_at: None,
            trace: None,
        })),
        EventKind::AttemptStarted { location: at_name("reserve"), attempt: Attempt(1) },
        EventKind::AttemptFailed {
            location: at_name("reserve"),
            attempt: Attempt(1),
            failure: failure.clone().at(&at_name("reserve")).after(Attempt(1)),
            retry_at: at(60),
        },
        EventKind::StepSucceeded {
            location: at_name("reserve"),
            attempt: Attempt(2),
            value: json(r#"{"hold":7}"#),
        },
        EventKind::StepFailed {
            location: at_name("a/b~c"),
            failure: failure.at(&at_name("a/b~c")).after(Attempt(4)),
        },
        EventKind::StepSkipped { location: at_name("gift wrap"), reason: "not asked for".into() },
        EventKind::VersionChosen { location: at_name("pricing"), version: 3 },
        EventKind::CheckpointSet { location: at_name("paid") },
        EventKind::Noted {
            location: Location::root().note(0),
            note: Note::Described { text: "order o-1".into() },
        },
        EventKind::Noted {
            location: Location::root().note(1),
            note: Note::LabelSet { key: "region".into(), value: "eu".into() },
        },
        EventKind::Noted {
            location: Location::root().note(2),
            note: Note::Fact { name: "attribute".into(), value: json("[1,2]") },
        },
        EventKind::TimerSet { location: at_name("nap"), fire_at: at(90) },
        EventKind::TimerFired { location: at_name("nap") },
    ]
}

fn messages(first: u64) -> Vec<EventKind> {
    let message = |n: u64, key: Option<&str>, reply| {
        EventKind::MessageReceived(Box::new(Message {
            id: message_id(n),
            name: "approve".into(),
            body: json(r#"{"by":"ann"}"#),
            key: key.map(str::to_owned),
            reply,
            received_at: at(first + 1 + n),
        }))
    };
    vec![
        EventKind::ListenStarted {
            location: at_name("approval"),
            names: vec!["approve".into(), "refuse".into()],
            deadline_at: Some(at(500)),
        },
        message(0, None, None),
        message(1, Some("k-1"), Some(ReplyTo::Caller)),
        message(2, None, Some(ReplyTo::Run { run: run(3), location: at_name("question") })),
        EventKind::MessageTaken {
            location: at_name("approval"),
            ids: vec![message_id(0), message_id(1)],
        },
        EventKind::MessageAnswered { id: message_id(1), body: json("\"thanks\"") },
        EventKind::ListenTimedOut { location: at_name("second approval") },
        EventKind::AnswerReceived { location: at_name("question"), answer: Ok(json("42")) },
        EventKind::AnswerReceived {
            location: at_name("other question"),
            answer: Err(Failure::new(FailureKind::Cancelled, "the run was cancelled")),
        },
    ]
}

fn scopes() -> Vec<EventKind> {
    // Those that there were at first.
    let first = FailureKind::ALL.into_iter().take(11);
    let failures: Vec<_> =
        first.map(|kind| (kind.to_string(), Failure::new(kind, "why"))).collect();
    let blocks = EntryKind::ALL
        .map(|kind| EventKind::BlockStarted { location: at_name(&format!("a {kind}")), kind });
    let mut kinds = blocks.to_vec();
    kinds.extend([
        EventKind::BranchEnded {
            location: at_name("checks").named("fraud").unwrap(),
            failure: None,
        },
        EventKind::BlockEnded {
            location: at_name("a race"),
            failure: None,
            winner: Some("human".into()),
        },
        EventKind::BlockEnded {
            location: at_name("a join"),
            failure: Some(Failure::new(FailureKind::Error, "all failed").of_branches(failures)),
            winner: None,
        },
        EventKind::LoopAdvanced {
            location: at_name("a loop"),
            iteration: 21,
            state: json("{\"page\":21}"),
            trimmed_before: 1,
        },
        EventKind::ChildStarted {
            location: at_name("a child"),
            child: RunId::child_of(run(1), "a child"),
            workflow: "ship".into(),
            input: json("null"),
        },
        EventKind::ChildEnded { location: at_name("a child"), outcome: Ok(json("true")) },
        EventKind::ChildEnded {
            location: at_name("b child"),
            outcome: Err(Failure::new(FailureKind::Exhausted, "lorry broke")),
        },
    ]);
    kinds
}

fn endings() -> Vec<EventKind> {
    vec![
        EventKind::CancelRequested { reason: "changed my mind".into() },
        EventKind::UndoStarted { failure: Failure::new(FailureKind::Rollback, "out of stock") },
        EventKind::RunFailed { failure: Failure::new(FailureKind::Rollback, "out of stock") },
        EventKind::RunResumed {
            voids: vec![
                SeqRange { first: Seq(4), last: Seq(4) },
                SeqRange { first: Seq(40), last: Seq(45) },
            ],
            reason: "recover".into(),
            deadline_at: None,
        },
        EventKind::RunCompleted { output: json("\"done\"") },
        EventKind::RunCancelled { reason: "changed my mind".into() },
    ]
}

fn at(n: u64) -> UnixMillis {
    UnixMillis(1_794_787_200_000 + n)
}

fn at_name(name: &str) -> Location {
    Location::root().named(name).unwrap()
}

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

fn run(n: u128) -> RunId {
    RunId(Uuid::from_u128(n))
}

fn message_id(n: u64) -> MessageId {
    MessageId(Uuid::from_u64_pair(9, n))
}
