//! Format 1. Tags are for ever: add new ones, never reuse or renumber.

use std::collections::BTreeMap;

use prost::{Message as _, Oneof};
use uuid::Uuid;

use super::DecodeError;
use crate::{
    Attempt, EntryKind, Event, EventKind, FAILURE_DEPTH_MAX, Failure, FailureKind, Json, Location,
    Message, MessageId, Note, Parent, ReplyTo, RunId, RunStarted, Seq, SeqRange, UnixMillis,
};

pub(super) fn encode(event: &Event, into: &mut Vec<u8>) {
    let written =
        EventV1 { seq: event.seq.0, at: event.at.0, kind: Some(KindV1::from(&event.kind)) };
    #[expect(clippy::expect_used, reason = "a Vec grows as far as it must")]
    written.encode_length_delimited(into).expect("a Vec has room");
}

pub(super) fn decode(rest: &mut &[u8], n: usize) -> Result<Event, DecodeError> {
    let read = EventV1::decode_length_delimited(rest)
        .map_err(|source| DecodeError::Damaged { n, source })?;
    let seq = Seq(read.seq);
    let kind = read.kind.ok_or(DecodeError::UnknownKind { seq })?;
    let kind = kind.into_kind(UnixMillis(read.at)).map_err(|error| match error {
        Bad::UnknownKind => DecodeError::UnknownKind { seq },
        Bad::Field(problem) => DecodeError::Invalid { seq, problem },
    })?;
    Ok(Event { seq, at: UnixMillis(read.at), kind })
}

#[derive(Clone, PartialEq, prost::Message)]
struct EventV1 {
    #[prost(uint64, tag = "1")]
    seq: u64,
    #[prost(uint64, tag = "2")]
    at: u64,
    #[prost(
        oneof = "KindV1",
        tags = "3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, \
                25, 26, 27, 28, 29, 30, 31, 32"
    )]
    kind: Option<KindV1>,
}

/// The most frequent kinds have the tags below 16, which take one byte.
#[derive(Clone, PartialEq, Oneof)]
enum KindV1 {
    #[prost(message, tag = "3")]
    RunStarted(Box<RunStartedV1>),
    #[prost(message, tag = "4")]
    AttemptStarted(PlaceV1),
    #[prost(message, tag = "5")]
    AttemptFailed(Box<AttemptFailedV1>),
    #[prost(message, tag = "6")]
    StepSucceeded(StepSucceededV1),
    #[prost(message, tag = "7")]
    StepFailed(Box<EndedV1>),
    #[prost(message, tag = "8")]
    TimerSet(PlaceV1),
    #[prost(message, tag = "9")]
    TimerFired(PlaceV1),
    #[prost(message, tag = "10")]
    MessageReceived(Box<MessageV1>),
    #[prost(message, tag = "11")]
    MessageTaken(TakenV1),
    #[prost(message, tag = "12")]
    LoopAdvanced(LoopAdvancedV1),
    #[prost(message, tag = "13")]
    RunCompleted(ValueV1),
    #[prost(message, tag = "14")]
    RunFailed(Box<EndedV1>),
    #[prost(message, tag = "15")]
    ListenStarted(ListenStartedV1),
    #[prost(message, tag = "16")]
    ListenTimedOut(PlaceV1),
    #[prost(message, tag = "17")]
    StepSkipped(TextV1),
    #[prost(message, tag = "18")]
    MessageAnswered(AnsweredV1),
    #[prost(message, tag = "19")]
    AnswerReceived(Box<EndedV1>),
    #[prost(message, tag = "20")]
    BlockStarted(PlaceV1),
    #[prost(message, tag = "21")]
    BranchEnded(Box<EndedV1>),
    #[prost(message, tag = "22")]
    BlockEnded(Box<EndedV1>),
    #[prost(message, tag = "23")]
    ChildStarted(ChildStartedV1),
    #[prost(message, tag = "24")]
    ChildEnded(Box<EndedV1>),
    #[prost(message, tag = "25")]
    VersionChosen(PlaceV1),
    #[prost(message, tag = "26")]
    CheckpointSet(PlaceV1),
    #[prost(message, tag = "27")]
    Noted(NotedV1),
    #[prost(message, tag = "28")]
    UndoStarted(Box<EndedV1>),
    #[prost(message, tag = "29")]
    CancelRequested(TextV1),
    #[prost(message, tag = "30")]
    RunResumed(RunResumedV1),
    #[prost(message, tag = "31")]
    RunCancelled(TextV1),
    #[prost(message, tag = "32")]
    DeadlinePassed(PlaceV1),
}

#[derive(Clone, PartialEq, prost::Message)]
struct RunStartedV1 {
    #[prost(string, tag = "1")]
    workflow: String,
    #[prost(string, tag = "2")]
    version: String,
    #[prost(string, tag = "3")]
    namespace: String,
    #[prost(string, tag = "4")]
    input: String,
    #[prost(btree_map = "string, string", tag = "5")]
    labels: BTreeMap<String, String>,
    #[prost(bytes = "vec", optional, tag = "6")]
    parent_run: Option<Vec<u8>>,
    #[prost(string, tag = "7")]
    parent_location: String,
    #[prost(fixed64, tag = "8")]
    seed: u64,
    #[prost(bytes = "vec", optional, tag = "9")]
    replay_of: Option<Vec<u8>>,
    #[prost(bool, tag = "10")]
    pinned: bool,
    #[prost(uint64, optional, tag = "11")]
    deadline_at: Option<u64>,
    #[prost(string, optional, tag = "12")]
    trace: Option<String>,
}

/// A location with a number: an attempt, a date, a version, a kind of entry.
#[derive(Clone, PartialEq, prost::Message)]
struct PlaceV1 {
    #[prost(string, tag = "1")]
    location: String,
    #[prost(uint64, tag = "2")]
    number: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
struct AttemptFailedV1 {
    #[prost(string, tag = "1")]
    location: String,
    #[prost(uint32, tag = "2")]
    attempt: u32,
    #[prost(message, optional, tag = "3")]
    failure: Option<FailureV1>,
    #[prost(uint64, tag = "4")]
    retry_at: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
struct StepSucceededV1 {
    #[prost(string, tag = "1")]
    location: String,
    #[prost(uint32, tag = "2")]
    attempt: u32,
    #[prost(string, tag = "3")]
    value: String,
}

/// How an entry or a run ended: with a failure, a value, or nothing to say.
#[derive(Clone, PartialEq, prost::Message)]
struct EndedV1 {
    #[prost(string, tag = "1")]
    location: String,
    #[prost(message, optional, tag = "2")]
    failure: Option<FailureV1>,
    #[prost(string, optional, tag = "3")]
    value: Option<String>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct FailureV1 {
    #[prost(uint32, tag = "1")]
    kind: u32,
    #[prost(string, tag = "2")]
    message: String,
    #[prost(string, optional, tag = "3")]
    source: Option<String>,
    #[prost(uint32, tag = "4")]
    attempts: u32,
    #[prost(message, repeated, tag = "5")]
    branches: Vec<BranchFailureV1>,
    #[prost(string, optional, tag = "6")]
    details: Option<String>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct BranchFailureV1 {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, optional, tag = "2")]
    failure: Option<FailureV1>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct MessageV1 {
    #[prost(bytes = "vec", tag = "1")]
    id: Vec<u8>,
    #[prost(string, tag = "2")]
    name: String,
    #[prost(string, tag = "3")]
    body: String,
    #[prost(string, optional, tag = "4")]
    key: Option<String>,
    #[prost(bool, tag = "5")]
    wants_answer: bool,
    #[prost(bytes = "vec", optional, tag = "6")]
    reply_run: Option<Vec<u8>>,
    #[prost(string, tag = "7")]
    reply_location: String,
}

#[derive(Clone, PartialEq, prost::Message)]
struct TakenV1 {
    #[prost(string, tag = "1")]
    location: String,
    #[prost(bytes = "vec", repeated, tag = "2")]
    ids: Vec<Vec<u8>>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct AnsweredV1 {
    #[prost(bytes = "vec", tag = "1")]
    id: Vec<u8>,
    #[prost(string, tag = "2")]
    body: String,
}

#[derive(Clone, PartialEq, prost::Message)]
struct LoopAdvancedV1 {
    #[prost(string, tag = "1")]
    location: String,
    #[prost(uint64, tag = "2")]
    iteration: u64,
    #[prost(string, tag = "3")]
    state: String,
    #[prost(uint64, tag = "4")]
    trimmed_before: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
struct ValueV1 {
    #[prost(string, tag = "1")]
    value: String,
}

#[derive(Clone, PartialEq, prost::Message)]
struct ListenStartedV1 {
    #[prost(string, tag = "1")]
    location: String,
    #[prost(string, repeated, tag = "2")]
    names: Vec<String>,
    #[prost(uint64, optional, tag = "3")]
    deadline_at: Option<u64>,
}

/// A location, if there is one, with a text.
#[derive(Clone, PartialEq, prost::Message)]
struct TextV1 {
    #[prost(string, tag = "1")]
    location: String,
    #[prost(string, tag = "2")]
    text: String,
}

#[derive(Clone, PartialEq, prost::Message)]
struct ChildStartedV1 {
    #[prost(string, tag = "1")]
    location: String,
    #[prost(bytes = "vec", tag = "2")]
    child: Vec<u8>,
    #[prost(string, tag = "3")]
    workflow: String,
    #[prost(string, tag = "4")]
    input: String,
}

#[derive(Clone, PartialEq, prost::Message)]
struct NotedV1 {
    #[prost(string, tag = "1")]
    location: String,
    /// 1 a description, 2 a label, 3 a fact.
    #[prost(uint32, tag = "2")]
    kind: u32,
    #[prost(string, tag = "3")]
    name: String,
    #[prost(string, tag = "4")]
    value: String,
}

#[derive(Clone, PartialEq, prost::Message)]
struct RunResumedV1 {
    #[prost(string, tag = "1")]
    reason: String,
    /// First and last, in turn.
    #[prost(uint64, repeated, tag = "2")]
    voids: Vec<u64>,
    #[prost(uint64, optional, tag = "3")]
    deadline_at: Option<u64>,
}

/// Why bytes that are a protocol buffer are still no event.
enum Bad {
    UnknownKind,
    Field(&'static str),
}

impl From<&EventKind> for KindV1 {
    fn from(kind: &EventKind) -> KindV1 {
        match kind {
            EventKind::RunStarted(started) => {
                KindV1::RunStarted(Box::new(RunStartedV1::from(&**started)))
            }
            EventKind::AttemptStarted { location, attempt } => {
                KindV1::AttemptStarted(PlaceV1::new(location, u64::from(attempt.0)))
            }
            EventKind::AttemptFailed { location, attempt, failure, retry_at } => {
                KindV1::AttemptFailed(Box::new(AttemptFailedV1 {
                    location: text(location),
                    attempt: attempt.0,
                    failure: Some(FailureV1::from(failure)),
                    retry_at: retry_at.0,
                }))
            }
            EventKind::StepSucceeded { location, attempt, value } => {
                KindV1::StepSucceeded(StepSucceededV1 {
                    location: text(location),
                    attempt: attempt.0,
                    value: value.to_string(),
                })
            }
            EventKind::StepFailed { location, failure } => {
                KindV1::StepFailed(EndedV1::failed(Some(location), failure))
            }
            EventKind::StepSkipped { location, reason } => {
                KindV1::StepSkipped(TextV1 { location: text(location), text: reason.clone() })
            }
            EventKind::TimerSet { location, fire_at } => {
                KindV1::TimerSet(PlaceV1::new(location, fire_at.0))
            }
            EventKind::TimerFired { location } => KindV1::TimerFired(PlaceV1::new(location, 0)),
            EventKind::ListenStarted { location, names, deadline_at } => {
                KindV1::ListenStarted(ListenStartedV1 {
                    location: text(location),
                    names: names.clone(),
                    deadline_at: deadline_at.map(|at| at.0),
                })
            }
            EventKind::ListenTimedOut { location } => {
                KindV1::ListenTimedOut(PlaceV1::new(location, 0))
            }
            EventKind::MessageReceived(message) => {
                KindV1::MessageReceived(Box::new(MessageV1::from(&**message)))
            }
            EventKind::MessageTaken { location, ids } => KindV1::MessageTaken(TakenV1 {
                location: text(location),
                ids: ids.iter().map(|id| id.0.into_bytes().to_vec()).collect(),
            }),
            EventKind::MessageAnswered { id, body } => KindV1::MessageAnswered(AnsweredV1 {
                id: id.0.into_bytes().to_vec(),
                body: body.to_string(),
            }),
            EventKind::AnswerReceived { location, answer } => {
                KindV1::AnswerReceived(EndedV1::result(location, answer))
            }
            EventKind::BlockStarted { location, kind } => {
                KindV1::BlockStarted(PlaceV1::new(location, entry_kind_number(*kind)))
            }
            EventKind::BranchEnded { location, failure } => {
                KindV1::BranchEnded(EndedV1::block(location, failure.as_ref(), None))
            }
            EventKind::BlockEnded { location, failure, winner } => {
                KindV1::BlockEnded(EndedV1::block(location, failure.as_ref(), winner.clone()))
            }
            EventKind::LoopAdvanced { location, iteration, state, trimmed_before } => {
                KindV1::LoopAdvanced(LoopAdvancedV1 {
                    location: text(location),
                    iteration: *iteration,
                    state: state.to_string(),
                    trimmed_before: *trimmed_before,
                })
            }
            EventKind::ChildStarted { location, child, workflow, input } => {
                KindV1::ChildStarted(ChildStartedV1 {
                    location: text(location),
                    child: child.0.into_bytes().to_vec(),
                    workflow: workflow.clone(),
                    input: input.to_string(),
                })
            }
            EventKind::ChildEnded { location, outcome } => {
                KindV1::ChildEnded(EndedV1::result(location, outcome))
            }
            EventKind::VersionChosen { location, version } => {
                KindV1::VersionChosen(PlaceV1::new(location, u64::from(*version)))
            }
            EventKind::CheckpointSet { location } => {
                KindV1::CheckpointSet(PlaceV1::new(location, 0))
            }
            EventKind::Noted { location, note } => KindV1::Noted(NotedV1::new(location, note)),
            EventKind::UndoStarted { failure } => {
                KindV1::UndoStarted(EndedV1::failed(None, failure))
            }
            EventKind::CancelRequested { reason } => {
                KindV1::CancelRequested(TextV1 { location: String::new(), text: reason.clone() })
            }
            EventKind::DeadlinePassed { deadline_at } => {
                KindV1::DeadlinePassed(PlaceV1::new(&Location::root(), deadline_at.0))
            }
            EventKind::RunResumed { voids, reason, deadline_at } => {
                KindV1::RunResumed(RunResumedV1 {
                    reason: reason.clone(),
                    voids: voids.iter().flat_map(|void| [void.first.0, void.last.0]).collect(),
                    deadline_at: deadline_at.map(|at| at.0),
                })
            }
            EventKind::RunCompleted { output } => {
                KindV1::RunCompleted(ValueV1 { value: output.to_string() })
            }
            EventKind::RunFailed { failure } => KindV1::RunFailed(EndedV1::failed(None, failure)),
            EventKind::RunCancelled { reason } => {
                KindV1::RunCancelled(TextV1 { location: String::new(), text: reason.clone() })
            }
        }
    }
}

impl KindV1 {
    fn into_kind(self, at: UnixMillis) -> Result<EventKind, Bad> {
        Ok(match self {
            KindV1::RunStarted(started) => EventKind::RunStarted(Box::new(started.read()?)),
            KindV1::AttemptStarted(place) => EventKind::AttemptStarted {
                location: location(&place.location),
                attempt: Attempt(place.small()?),
            },
            KindV1::AttemptFailed(failed) => EventKind::AttemptFailed {
                location: location(&failed.location),
                attempt: Attempt(failed.attempt),
                failure: failed.failure.ok_or(Bad::Field("no failure"))?.read()?,
                retry_at: UnixMillis(failed.retry_at),
            },
            KindV1::StepSucceeded(step) => EventKind::StepSucceeded {
                location: location(&step.location),
                attempt: Attempt(step.attempt),
                value: Json::trusted(step.value),
            },
            KindV1::StepFailed(ended) => EventKind::StepFailed {
                location: location(&ended.location),
                failure: ended.must_have_failed()?,
            },
            KindV1::StepSkipped(skipped) => EventKind::StepSkipped {
                location: location(&skipped.location),
                reason: skipped.text,
            },
            KindV1::TimerSet(place) => EventKind::TimerSet {
                location: location(&place.location),
                fire_at: UnixMillis(place.number),
            },
            KindV1::TimerFired(place) => {
                EventKind::TimerFired { location: location(&place.location) }
            }
            KindV1::ListenStarted(listen) => EventKind::ListenStarted {
                location: location(&listen.location),
                names: listen.names,
                deadline_at: listen.deadline_at.map(UnixMillis),
            },
            KindV1::ListenTimedOut(place) => {
                EventKind::ListenTimedOut { location: location(&place.location) }
            }
            KindV1::MessageReceived(message) => {
                EventKind::MessageReceived(Box::new(message.read(at)?))
            }
            KindV1::MessageTaken(taken) => EventKind::MessageTaken {
                location: location(&taken.location),
                ids: taken
                    .ids
                    .iter()
                    .map(|id| Ok(MessageId(uuid(id)?)))
                    .collect::<Result<_, Bad>>()?,
            },
            KindV1::MessageAnswered(answered) => EventKind::MessageAnswered {
                id: MessageId(uuid(&answered.id)?),
                body: Json::trusted(answered.body),
            },
            KindV1::AnswerReceived(ended) => EventKind::AnswerReceived {
                location: location(&ended.location),
                answer: ended.into_result()?,
            },
            KindV1::BlockStarted(place) => EventKind::BlockStarted {
                location: location(&place.location),
                kind: entry_kind(place.number)?,
            },
            KindV1::BranchEnded(ended) => EventKind::BranchEnded {
                location: location(&ended.location),
                failure: ended.failure.map(FailureV1::read).transpose()?,
            },
            KindV1::BlockEnded(ended) => EventKind::BlockEnded {
                location: location(&ended.location),
                failure: ended.failure.map(FailureV1::read).transpose()?,
                winner: ended.value,
            },
            KindV1::LoopAdvanced(advanced) => EventKind::LoopAdvanced {
                location: location(&advanced.location),
                iteration: advanced.iteration,
                state: Json::trusted(advanced.state),
                trimmed_before: advanced.trimmed_before,
            },
            KindV1::ChildStarted(child) => EventKind::ChildStarted {
                location: location(&child.location),
                child: RunId(uuid(&child.child)?),
                workflow: child.workflow,
                input: Json::trusted(child.input),
            },
            KindV1::ChildEnded(ended) => EventKind::ChildEnded {
                location: location(&ended.location),
                outcome: ended.into_result()?,
            },
            KindV1::VersionChosen(place) => EventKind::VersionChosen {
                location: location(&place.location),
                version: place.small()?,
            },
            KindV1::CheckpointSet(place) => {
                EventKind::CheckpointSet { location: location(&place.location) }
            }
            KindV1::Noted(noted) => {
                EventKind::Noted { location: location(&noted.location), note: noted.read()? }
            }
            KindV1::UndoStarted(ended) => {
                EventKind::UndoStarted { failure: ended.must_have_failed()? }
            }
            KindV1::CancelRequested(text) => EventKind::CancelRequested { reason: text.text },
            KindV1::DeadlinePassed(place) => {
                EventKind::DeadlinePassed { deadline_at: UnixMillis(place.number) }
            }
            KindV1::RunResumed(resumed) => EventKind::RunResumed {
                voids: resumed.ranges()?,
                deadline_at: resumed.deadline_at.map(UnixMillis),
                reason: resumed.reason,
            },
            KindV1::RunCompleted(value) => {
                EventKind::RunCompleted { output: Json::trusted(value.value) }
            }
            KindV1::RunFailed(ended) => EventKind::RunFailed { failure: ended.must_have_failed()? },
            KindV1::RunCancelled(text) => EventKind::RunCancelled { reason: text.text },
        })
    }
}

impl From<&RunStarted> for RunStartedV1 {
    fn from(started: &RunStarted) -> RunStartedV1 {
        RunStartedV1 {
            workflow: started.workflow.clone(),
            version: started.version.clone(),
            namespace: started.namespace.clone(),
            input: started.input.to_string(),
            labels: started.labels.clone(),
            parent_run: started.parent.as_ref().map(|parent| parent.run.0.into_bytes().to_vec()),
            parent_location: started
                .parent
                .as_ref()
                .map(|parent| text(&parent.location))
                .unwrap_or_default(),
            seed: started.seed,
            replay_of: started.replay_of.map(|run| run.0.into_bytes().to_vec()),
            pinned: started.pinned,
            deadline_at: started.deadline_at.map(|at| at.0),
            trace: started.trace.clone(),
        }
    }
}

impl RunStartedV1 {
    fn read(self) -> Result<RunStarted, Bad> {
        let parent = match self.parent_run {
            Some(run) => {
                Some(Parent { run: RunId(uuid(&run)?), location: location(&self.parent_location) })
            }
            None => None,
        };
        Ok(RunStarted {
            workflow: self.workflow,
            version: self.version,
            namespace: self.namespace,
            input: Json::trusted(self.input),
            labels: self.labels,
            parent,
            seed: self.seed,
            replay_of: self.replay_of.map(|run| uuid(&run)).transpose()?.map(RunId),
            pinned: self.pinned,
            deadline_at: self.deadline_at.map(UnixMillis),
            trace: self.trace,
        })
    }
}

impl PlaceV1 {
    fn new(location: &Location, number: u64) -> PlaceV1 {
        PlaceV1 { location: text(location), number }
    }

    fn small(&self) -> Result<u32, Bad> {
        u32::try_from(self.number).map_err(|_| Bad::Field("a number is out of range"))
    }
}

impl EndedV1 {
    fn failed(location: Option<&Location>, failure: &Failure) -> Box<EndedV1> {
        Box::new(EndedV1 {
            location: location.map(text).unwrap_or_default(),
            failure: Some(FailureV1::from(failure)),
            value: None,
        })
    }

    fn block(
        location: &Location,
        failure: Option<&Failure>,
        value: Option<String>,
    ) -> Box<EndedV1> {
        Box::new(EndedV1 { location: text(location), failure: failure.map(FailureV1::from), value })
    }

    fn result(location: &Location, result: &Result<Json, Failure>) -> Box<EndedV1> {
        match result {
            Ok(value) => EndedV1::block(location, None, Some(value.to_string())),
            Err(failure) => EndedV1::failed(Some(location), failure),
        }
    }

    fn must_have_failed(self) -> Result<Failure, Bad> {
        self.failure.ok_or(Bad::Field("no failure"))?.read()
    }

    fn into_result(self) -> Result<Result<Json, Failure>, Bad> {
        match (self.failure, self.value) {
            (Some(failure), _) => Ok(Err(failure.read()?)),
            (None, Some(value)) => Ok(Ok(Json::trusted(value))),
            (None, None) => Err(Bad::Field("neither a value nor a failure")),
        }
    }
}

impl From<&Failure> for FailureV1 {
    fn from(failure: &Failure) -> FailureV1 {
        FailureV1::cut_at(failure, FAILURE_DEPTH_MAX)
    }
}

impl FailureV1 {
    /// Each level of branches takes two levels of nested messages, of which a reader accepts a hundred.
    /// A deeper failure is written without its depths rather than as an event that cannot be read.
    fn cut_at(failure: &Failure, depth: usize) -> FailureV1 {
        let branches = if depth == 0 { &[] } else { failure.branches.as_slice() };
        FailureV1 {
            kind: failure_kind_number(failure.kind),
            message: failure.message.clone(),
            source: failure.source.as_ref().map(text),
            attempts: failure.attempts.0,
            branches: branches
                .iter()
                .map(|(name, failure)| BranchFailureV1 {
                    name: name.clone(),
                    failure: Some(FailureV1::cut_at(failure, depth - 1)),
                })
                .collect(),
            details: failure.details.as_ref().map(ToString::to_string),
        }
    }

    fn read(self) -> Result<Failure, Bad> {
        Ok(Failure {
            kind: failure_kind(self.kind)?,
            message: self.message,
            source: self.source.as_deref().map(location),
            attempts: Attempt(self.attempts),
            branches: self
                .branches
                .into_iter()
                .map(|branch| {
                    let failure = branch.failure.ok_or(Bad::Field("no failure"))?.read()?;
                    Ok((branch.name, failure))
                })
                .collect::<Result<_, Bad>>()?,
            details: self.details.map(Json::trusted),
        })
    }
}

impl From<&Message> for MessageV1 {
    fn from(message: &Message) -> MessageV1 {
        let (reply_run, reply_location) = match &message.reply {
            Some(ReplyTo::Run { run, location }) => {
                (Some(run.0.into_bytes().to_vec()), text(location))
            }
            Some(ReplyTo::Caller) | None => (None, String::new()),
        };
        MessageV1 {
            id: message.id.0.into_bytes().to_vec(),
            name: message.name.clone(),
            body: message.body.to_string(),
            key: message.key.clone(),
            wants_answer: message.reply.is_some(),
            reply_run,
            reply_location,
        }
    }
}

impl MessageV1 {
    fn read(self, received_at: UnixMillis) -> Result<Message, Bad> {
        let reply = match (self.wants_answer, self.reply_run) {
            (false, _) => None,
            (true, None) => Some(ReplyTo::Caller),
            (true, Some(run)) => Some(ReplyTo::Run {
                run: RunId(uuid(&run)?),
                location: location(&self.reply_location),
            }),
        };
        Ok(Message {
            id: MessageId(uuid(&self.id)?),
            name: self.name,
            body: Json::trusted(self.body),
            key: self.key,
            reply,
            received_at,
        })
    }
}

impl NotedV1 {
    fn new(location: &Location, note: &Note) -> NotedV1 {
        let (kind, name, value) = match note {
            Note::Described { text } => (1, String::new(), text.clone()),
            Note::LabelSet { key, value } => (2, key.clone(), value.clone()),
            Note::Fact { name, value } => (3, name.clone(), value.to_string()),
        };
        NotedV1 { location: text(location), kind, name, value }
    }

    fn read(self) -> Result<Note, Bad> {
        match self.kind {
            1 => Ok(Note::Described { text: self.value }),
            2 => Ok(Note::LabelSet { key: self.name, value: self.value }),
            3 => Ok(Note::Fact { name: self.name, value: Json::trusted(self.value) }),
            _ => Err(Bad::UnknownKind),
        }
    }
}

impl RunResumedV1 {
    fn ranges(&self) -> Result<Vec<SeqRange>, Bad> {
        let (pairs, rest) = self.voids.as_chunks::<2>();
        if !rest.is_empty() {
            return Err(Bad::Field("a range has no end"));
        }
        Ok(pairs
            .iter()
            .map(|[first, last]| SeqRange { first: Seq(*first), last: Seq(*last) })
            .collect())
    }
}

fn text(location: &Location) -> String {
    location.as_str().to_owned()
}

fn location(text: &str) -> Location {
    Location::from_text(text)
}

fn uuid(bytes: &[u8]) -> Result<Uuid, Bad> {
    Uuid::from_slice(bytes).map_err(|_| Bad::Field("an id has not 16 bytes"))
}

/// Numbers are for ever.
fn failure_kind_number(kind: FailureKind) -> u32 {
    match kind {
        FailureKind::Error => 0,
        FailureKind::Critical => 1,
        FailureKind::Timeout => 2,
        FailureKind::Exhausted => 3,
        FailureKind::Rollback => 4,
        FailureKind::Interrupted => 5,
        FailureKind::Panic => 6,
        FailureKind::Cancelled => 7,
        FailureKind::Divergence => 8,
        FailureKind::Misuse => 9,
        FailureKind::Limit => 10,
        FailureKind::DeadlinePassed => 11,
    }
}

fn failure_kind(number: u32) -> Result<FailureKind, Bad> {
    Ok(match number {
        0 => FailureKind::Error,
        1 => FailureKind::Critical,
        2 => FailureKind::Timeout,
        3 => FailureKind::Exhausted,
        4 => FailureKind::Rollback,
        5 => FailureKind::Interrupted,
        6 => FailureKind::Panic,
        7 => FailureKind::Cancelled,
        8 => FailureKind::Divergence,
        9 => FailureKind::Misuse,
        10 => FailureKind::Limit,
        11 => FailureKind::DeadlinePassed,
        _ => return Err(Bad::UnknownKind),
    })
}

/// Numbers are for ever.
fn entry_kind_number(kind: EntryKind) -> u64 {
    match kind {
        EntryKind::Step => 0,
        EntryKind::Sleep => 1,
        EntryKind::Listen => 2,
        EntryKind::Ask => 3,
        EntryKind::Join => 4,
        EntryKind::Race => 5,
        EntryKind::Block => 6,
        EntryKind::Loop => 7,
        EntryKind::Branch => 8,
        EntryKind::Child => 9,
        EntryKind::Version => 10,
        EntryKind::Checkpoint => 11,
        EntryKind::Note => 12,
        EntryKind::Undo => 13,
    }
}

fn entry_kind(number: u64) -> Result<EntryKind, Bad> {
    Ok(match number {
        0 => EntryKind::Step,
        1 => EntryKind::Sleep,
        2 => EntryKind::Listen,
        3 => EntryKind::Ask,
        4 => EntryKind::Join,
        5 => EntryKind::Race,
        6 => EntryKind::Block,
        7 => EntryKind::Loop,
        8 => EntryKind::Branch,
        9 => EntryKind::Child,
        10 => EntryKind::Version,
        11 => EntryKind::Checkpoint,
        12 => EntryKind::Note,
        13 => EntryKind::Undo,
        _ => return Err(Bad::UnknownKind),
    })
}
