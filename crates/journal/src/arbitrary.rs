//! Strategies for property tests: any event that could be written.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;
use uuid::Uuid;

use crate::{
    Attempt, EntryKind, Event, EventKind, Failure, FailureKind, Json, Location, Message, MessageId,
    NAME_BYTES_MAX, Note, Parent, ReplyTo, RunId, RunStarted, Seq, SeqRange, UnixMillis,
};

/// Any name: of any characters, often of those that the text form of locations has to escape.
pub fn name() -> BoxedStrategy<String> {
    prop_oneof![
        3 => "[a-z]{1,8}",
        2 => "[/~ts0-9undo]{1,6}",
        2 => vec(any::<char>(), 1..20).prop_map(String::from_iter),
        1 => Just("~undo".to_owned()),
        1 => Just("x".repeat(NAME_BYTES_MAX)),
    ]
    .boxed()
}

/// Any location up to some depth, with markers of every kind.
pub fn location() -> BoxedStrategy<Location> {
    let segment = prop_oneof![
        6 => name().prop_map(Segment::Name),
        2 => any::<u64>().prop_map(Segment::Iteration),
        1 => Just(Segment::Undo),
        1 => Just(Segment::Sending),
        1 => (0..100u64).prop_map(Segment::Note),
    ];
    vec(segment, 0..6)
        .prop_map(|segments| {
            segments.iter().fold(Location::root(), |location, segment| segment.append(&location))
        })
        .boxed()
}

/// One step of a location's path.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Segment {
    Name(String),
    Iteration(u64),
    Undo,
    Sending,
    Note(u64),
}

impl Segment {
    /// The location one segment further; the same one if the name or the depth is refused.
    pub fn append(&self, location: &Location) -> Location {
        match self {
            Segment::Name(name) => location.named(name).unwrap_or_else(|_| location.clone()),
            Segment::Iteration(n) => location.iteration(*n),
            Segment::Undo => location.undo(),
            Segment::Sending => location.sending(),
            Segment::Note(n) => location.note(*n),
        }
    }
}

pub fn json() -> BoxedStrategy<Json> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        any::<f64>().prop_map(serde_json::Value::from),
        any::<String>().prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            btree_map("[a-z]{0,4}", inner, 0..4)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
    .prop_map(Json::from)
    .boxed()
}

pub fn failure() -> BoxedStrategy<Failure> {
    let parts =
        (failure_kind(), any::<String>(), option::of(location()), any::<u32>(), option::of(json()));
    let leaf = parts.prop_map(|(kind, message, source, attempts, details)| Failure {
        kind,
        message,
        source,
        attempts: Attempt(attempts),
        branches: Vec::new(),
        details,
    });
    leaf.prop_recursive(3, 8, 3, |inner| {
        (inner.clone(), vec((name(), inner), 0..3))
            .prop_map(|(failure, branches)| failure.of_branches(branches))
    })
    .boxed()
}

pub fn message(received_at: UnixMillis) -> BoxedStrategy<Message> {
    let reply = prop_oneof![
        Just(ReplyTo::Caller),
        (run_id(), location()).prop_map(|(run, location)| ReplyTo::Run { run, location }),
    ];
    (message_id(), name(), json(), option::of(any::<String>()), option::of(reply))
        .prop_map(move |(id, name, body, key, reply)| Message {
            id,
            name,
            body,
            key,
            reply,
            received_at,
        })
        .boxed()
}

/// Any event of any kind. It need not make sense in a journal.
pub fn event() -> BoxedStrategy<Event> {
    (any::<u64>(), any::<u64>())
        .prop_flat_map(|(seq, at)| {
            let (seq, at) = (Seq(seq), UnixMillis(at));
            event_kind(at).prop_map(move |kind| Event { seq, at, kind })
        })
        .boxed()
}

/// Any kind of event, as it could happen at this time.
pub fn event_kind(at: UnixMillis) -> BoxedStrategy<EventKind> {
    prop_oneof![
        8 => step_event(),
        9 => waiting_event(at),
        6 => scope_event(),
        7 => run_event(),
    ]
    .boxed()
}

fn step_event() -> BoxedStrategy<EventKind> {
    prop_oneof![
        (location(), attempt())
            .prop_map(|(location, attempt)| EventKind::AttemptStarted { location, attempt }),
        (location(), attempt(), failure(), millis()).prop_map(
            |(location, attempt, failure, retry_at)| EventKind::AttemptFailed {
                location,
                attempt,
                failure,
                retry_at
            }
        ),
        (location(), attempt(), json()).prop_map(|(location, attempt, value)| {
            EventKind::StepSucceeded { location, attempt, value }
        }),
        (location(), failure())
            .prop_map(|(location, failure)| EventKind::StepFailed { location, failure }),
        (location(), any::<String>())
            .prop_map(|(location, reason)| EventKind::StepSkipped { location, reason }),
        (location(), any::<u32>())
            .prop_map(|(location, version)| EventKind::VersionChosen { location, version }),
        location().prop_map(|location| EventKind::CheckpointSet { location }),
        (location(), note()).prop_map(|(location, note)| EventKind::Noted { location, note }),
    ]
    .boxed()
}

fn waiting_event(at: UnixMillis) -> BoxedStrategy<EventKind> {
    prop_oneof![
        (location(), millis())
            .prop_map(|(location, fire_at)| EventKind::TimerSet { location, fire_at }),
        location().prop_map(|location| EventKind::TimerFired { location }),
        (location(), vec(name(), 0..3), option::of(millis())).prop_map(
            |(location, names, deadline_at)| EventKind::ListenStarted {
                location,
                names,
                deadline_at
            }
        ),
        location().prop_map(|location| EventKind::ListenTimedOut { location }),
        message(at).prop_map(|message| EventKind::MessageReceived(Box::new(message))),
        (location(), vec(message_id(), 0..4))
            .prop_map(|(location, ids)| EventKind::MessageTaken { location, ids }),
        (message_id(), json()).prop_map(|(id, body)| EventKind::MessageAnswered { id, body }),
        (location(), result())
            .prop_map(|(location, answer)| EventKind::AnswerReceived { location, answer }),
        (any::<String>()).prop_map(|reason| EventKind::CancelRequested { reason }),
    ]
    .boxed()
}

fn scope_event() -> BoxedStrategy<EventKind> {
    prop_oneof![
        (location(), entry_kind())
            .prop_map(|(location, kind)| EventKind::BlockStarted { location, kind }),
        (location(), option::of(failure()))
            .prop_map(|(location, failure)| EventKind::BranchEnded { location, failure }),
        (location(), option::of(failure()), option::of(any::<String>())).prop_map(
            |(location, failure, winner)| EventKind::BlockEnded { location, failure, winner }
        ),
        (location(), any::<u64>(), json(), any::<u64>()).prop_map(
            |(location, iteration, state, trimmed_before)| EventKind::LoopAdvanced {
                location,
                iteration,
                state,
                trimmed_before
            }
        ),
        (location(), run_id(), name(), json()).prop_map(|(location, child, workflow, input)| {
            EventKind::ChildStarted { location, child, workflow, input }
        }),
        (location(), result())
            .prop_map(|(location, outcome)| EventKind::ChildEnded { location, outcome }),
    ]
    .boxed()
}

fn run_event() -> BoxedStrategy<EventKind> {
    let range = (any::<u64>(), any::<u64>())
        .prop_map(|(first, last)| SeqRange { first: Seq(first), last: Seq(last) });
    prop_oneof![
        run_started().prop_map(|started| EventKind::RunStarted(Box::new(started))),
        failure().prop_map(|failure| EventKind::UndoStarted { failure }),
        (vec(range, 0..4), any::<String>(), option::of(millis())).prop_map(
            |(voids, reason, deadline_at)| EventKind::RunResumed { voids, reason, deadline_at }
        ),
        millis().prop_map(|deadline_at| EventKind::DeadlinePassed { deadline_at }),
        json().prop_map(|output| EventKind::RunCompleted { output }),
        failure().prop_map(|failure| EventKind::RunFailed { failure }),
        any::<String>().prop_map(|reason| EventKind::RunCancelled { reason }),
    ]
    .boxed()
}

fn run_started() -> BoxedStrategy<RunStarted> {
    let parent =
        option::of((run_id(), location()).prop_map(|(run, location)| Parent { run, location }));
    let names = (name(), any::<String>(), name());
    let origin = (parent, option::of(run_id()), option::of(any::<String>()));
    let rest = (any::<u64>(), any::<bool>(), option::of(millis()));
    (names, json(), labels(), origin, rest)
        .prop_map(|(names, input, labels, (parent, replay_of, trace), rest)| {
            let (workflow, version, namespace) = names;
            let (seed, pinned, deadline_at) = rest;
            RunStarted {
                workflow,
                version,
                namespace,
                input,
                labels,
                parent,
                seed,
                replay_of,
                pinned,
                deadline_at,
                trace,
            }
        })
        .boxed()
}

fn labels() -> BoxedStrategy<BTreeMap<String, String>> {
    btree_map(any::<String>(), any::<String>(), 0..3).boxed()
}

fn note() -> BoxedStrategy<Note> {
    prop_oneof![
        any::<String>().prop_map(|text| Note::Described { text }),
        (any::<String>(), any::<String>()).prop_map(|(key, value)| Note::LabelSet { key, value }),
        (name(), json()).prop_map(|(name, value)| Note::Fact { name, value }),
    ]
    .boxed()
}

fn result() -> BoxedStrategy<Result<Json, Failure>> {
    prop_oneof![json().prop_map(Ok), failure().prop_map(Err)].boxed()
}

fn run_id() -> BoxedStrategy<RunId> {
    any::<u128>().prop_map(|id| RunId(Uuid::from_u128(id))).boxed()
}

fn message_id() -> BoxedStrategy<MessageId> {
    any::<u128>().prop_map(|id| MessageId(Uuid::from_u128(id))).boxed()
}

fn attempt() -> BoxedStrategy<Attempt> {
    any::<u32>().prop_map(Attempt).boxed()
}

fn millis() -> BoxedStrategy<UnixMillis> {
    any::<u64>().prop_map(UnixMillis).boxed()
}

fn failure_kind() -> BoxedStrategy<FailureKind> {
    proptest::sample::select(FailureKind::ALL.as_slice()).boxed()
}

fn entry_kind() -> BoxedStrategy<EntryKind> {
    proptest::sample::select(EntryKind::ALL.as_slice()).boxed()
}
