//! What can happen to a run.

use std::collections::BTreeMap;

use crate::{
    Attempt, EntryKind, Failure, Json, Location, Message, MessageId, RunId, Seq, UnixMillis,
};

/// One immutable fact in a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub seq: Seq,
    pub at: UnixMillis,
    pub kind: EventKind,
}

/// A closed set: a new kind must break every match in the workspace. See
/// `docs/guides/adding-an-event-kind.md`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventKind {
    RunStarted(Box<RunStarted>),
    /// A step's attempt began. Written lazily, for attempts that take more than a moment.
    AttemptStarted {
        location: Location,
        attempt: Attempt,
    },
    /// An attempt failed and another will follow.
    AttemptFailed {
        location: Location,
        attempt: Attempt,
        failure: Failure,
        retry_at: UnixMillis,
    },
    StepSucceeded {
        location: Location,
        attempt: Attempt,
        value: Json,
    },
    /// The last attempt failed.
    StepFailed {
        location: Location,
        failure: Failure,
    },
    StepSkipped {
        location: Location,
        reason: String,
    },
    TimerSet {
        location: Location,
        fire_at: UnixMillis,
    },
    TimerFired {
        location: Location,
    },
    ListenStarted {
        location: Location,
        names: Vec<String>,
        deadline_at: Option<UnixMillis>,
    },
    ListenTimedOut {
        location: Location,
    },
    /// A message entered the run's mailbox.
    MessageReceived(Box<Message>),
    /// An entry took these messages out of the mailbox.
    MessageTaken {
        location: Location,
        ids: Vec<MessageId>,
    },
    /// The run answered a message whose sender waits.
    MessageAnswered {
        id: MessageId,
        body: Json,
    },
    /// The answer to a question that this run asked another.
    AnswerReceived {
        location: Location,
        answer: Result<Json, Failure>,
    },
    /// A join, race, block or loop began.
    BlockStarted {
        location: Location,
        kind: EntryKind,
    },
    BranchEnded {
        location: Location,
        failure: Option<Failure>,
    },
    /// A join, race, block or loop ended; `winner` names a race's first branch to succeed.
    BlockEnded {
        location: Location,
        failure: Option<Failure>,
        winner: Option<String>,
    },
    /// `iteration` begins with `state`, and what was kept of iterations before `trimmed_before` goes.
    LoopAdvanced {
        location: Location,
        iteration: u64,
        state: Json,
        trimmed_before: u64,
    },
    ChildStarted {
        location: Location,
        child: RunId,
        workflow: String,
        input: Json,
    },
    ChildEnded {
        location: Location,
        outcome: Result<Json, Failure>,
    },
    VersionChosen {
        location: Location,
        version: u32,
    },
    CheckpointSet {
        location: Location,
    },
    /// An unnamed fact: a description, a label, or a dialect's own.
    Noted {
        location: Location,
        note: Note,
    },
    /// The run failed, or was cancelled and wants undoing; the undo handlers begin.
    UndoStarted {
        failure: Failure,
    },
    CancelRequested {
        reason: String,
    },
    /// The run did not end in time. From here on it can only fail, or be cancelled.
    DeadlinePassed {
        deadline_at: UnixMillis,
    },
    /// The run goes on although it had ended, as if the events in `voids` had never been.
    RunResumed {
        voids: Vec<SeqRange>,
        reason: String,
        /// The deadline from here on. The one that the run was started with is over.
        deadline_at: Option<UnixMillis>,
    },
    RunCompleted {
        output: Json,
    },
    RunFailed {
        failure: Failure,
    },
    RunCancelled {
        reason: String,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunStarted {
    pub workflow: String,
    /// A hash of the workflow's definition, or what its author called it.
    pub version: String,
    pub namespace: String,
    pub input: Json,
    pub labels: BTreeMap<String, String>,
    pub parent: Option<Parent>,
    /// What `random` and `uuid` grow from.
    pub seed: u64,
    /// The run whose journal this one began as a copy of.
    pub replay_of: Option<RunId>,
    /// Whether the run can only go on with this very version of its workflow.
    pub pinned: bool,
    /// When the run must have ended.
    pub deadline_at: Option<UnixMillis>,
    /// The W3C `traceparent` of whoever started the run.
    pub trace: Option<String>,
}

/// The run that waits for this one, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parent {
    pub run: RunId,
    pub location: Location,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    Described {
        text: String,
    },
    LabelSet {
        key: String,
        value: String,
    },
    /// A fact that a dialect keeps, such as an attribute of a flow.
    Fact {
        name: String,
        value: Json,
    },
}

/// Events from `first` to `last`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeqRange {
    pub first: Seq,
    pub last: Seq,
}

impl SeqRange {
    pub fn contains(&self, seq: Seq) -> bool {
        self.first <= seq && seq <= self.last
    }
}

impl EventKind {
    /// The entry that the event is about; none if it is about the run or a message.
    pub fn location(&self) -> Option<&Location> {
        match self {
            EventKind::AttemptStarted { location, .. }
            | EventKind::AttemptFailed { location, .. }
            | EventKind::StepSucceeded { location, .. }
            | EventKind::StepFailed { location, .. }
            | EventKind::StepSkipped { location, .. }
            | EventKind::TimerSet { location, .. }
            | EventKind::TimerFired { location }
            | EventKind::ListenStarted { location, .. }
            | EventKind::ListenTimedOut { location }
            | EventKind::MessageTaken { location, .. }
            | EventKind::AnswerReceived { location, .. }
            | EventKind::BlockStarted { location, .. }
            | EventKind::BranchEnded { location, .. }
            | EventKind::BlockEnded { location, .. }
            | EventKind::LoopAdvanced { location, .. }
            | EventKind::ChildStarted { location, .. }
            | EventKind::ChildEnded { location, .. }
            | EventKind::VersionChosen { location, .. }
            | EventKind::CheckpointSet { location }
            | EventKind::Noted { location, .. } => Some(location),
            EventKind::RunStarted(_)
            | EventKind::MessageReceived(_)
            | EventKind::MessageAnswered { .. }
            | EventKind::UndoStarted { .. }
            | EventKind::CancelRequested { .. }
            | EventKind::DeadlinePassed { .. }
            | EventKind::RunResumed { .. }
            | EventKind::RunCompleted { .. }
            | EventKind::RunFailed { .. }
            | EventKind::RunCancelled { .. } => None,
        }
    }

    /// Whether the run has ended with this event.
    pub fn is_outcome(&self) -> bool {
        matches!(
            self,
            EventKind::RunCompleted { .. }
                | EventKind::RunFailed { .. }
                | EventKind::RunCancelled { .. }
        )
    }

    /// The kind's name, as people see it.
    pub fn name(&self) -> &'static str {
        match self {
            EventKind::RunStarted(_) => "RunStarted",
            EventKind::AttemptStarted { .. } => "AttemptStarted",
            EventKind::AttemptFailed { .. } => "AttemptFailed",
            EventKind::StepSucceeded { .. } => "StepSucceeded",
            EventKind::StepFailed { .. } => "StepFailed",
            EventKind::StepSkipped { .. } => "StepSkipped",
            EventKind::TimerSet { .. } => "TimerSet",
            EventKind::TimerFired { .. } => "TimerFired",
            EventKind::ListenStarted { .. } => "ListenStarted",
            EventKind::ListenTimedOut { .. } => "ListenTimedOut",
            EventKind::MessageReceived(_) => "MessageReceived",
            EventKind::MessageTaken { .. } => "MessageTaken",
            EventKind::MessageAnswered { .. } => "MessageAnswered",
            EventKind::AnswerReceived { .. } => "AnswerReceived",
            EventKind::BlockStarted { .. } => "BlockStarted",
            EventKind::BranchEnded { .. } => "BranchEnded",
            EventKind::BlockEnded { .. } => "BlockEnded",
            EventKind::LoopAdvanced { .. } => "LoopAdvanced",
            EventKind::ChildStarted { .. } => "ChildStarted",
            EventKind::ChildEnded { .. } => "ChildEnded",
            EventKind::VersionChosen { .. } => "VersionChosen",
            EventKind::CheckpointSet { .. } => "CheckpointSet",
            EventKind::Noted { .. } => "Noted",
            EventKind::UndoStarted { .. } => "UndoStarted",
            EventKind::CancelRequested { .. } => "CancelRequested",
            EventKind::DeadlinePassed { .. } => "DeadlinePassed",
            EventKind::RunResumed { .. } => "RunResumed",
            EventKind::RunCompleted { .. } => "RunCompleted",
            EventKind::RunFailed { .. } => "RunFailed",
            EventKind::RunCancelled { .. } => "RunCancelled",
        }
    }
}
