//! What is written, in pieces that are durable whole or not at all.

use stepwell_journal::{
    Epoch, Event, EventKind, Failure, Json, Location, Message, MessageId, ReplyTo, RunId,
    RunStarted, Seq, UnixMillis,
};
use uuid::Uuid;

use crate::{LogLine, RowChange};

/// A run that does not exist yet.
#[derive(Debug, Clone)]
pub struct NewRun {
    pub run: RunId,
    pub at: UnixMillis,
    pub started: RunStarted,
    /// A second start of the same workflow in the same namespace with this key is the first one.
    pub idempotency_key: Option<String>,
    /// When it may begin; at once if none.
    pub start_at: Option<UnixMillis>,
    /// What follows `RunStarted` when the run begins as a copy of another one's journal.
    pub copied: Vec<Event>,
}

impl NewRun {
    /// The journal that the run begins with.
    pub fn journal(&self) -> Vec<Event> {
        let first = Event {
            seq: Seq(0),
            at: self.at,
            kind: EventKind::RunStarted(Box::new(self.started.clone())),
        };
        std::iter::once(first).chain(self.copied.iter().cloned()).collect()
    }
}

/// What became of a start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Started {
    Created,
    /// The idempotency key was seen before: this is the run it made, and whether that has the same input.
    Existing {
        run: RunId,
        same_input: bool,
    },
}

/// Everything that one transition makes durable: in one transaction, or not at all.
#[derive(Debug, Clone)]
pub struct Commit {
    pub run: RunId,
    /// The writer's ownership. A store that has seen a later epoch refuses.
    pub epoch: Epoch,
    /// Where `events` begin: the journal's present end.
    pub first_seq: Seq,
    pub events: Vec<Event>,
    /// What changes in the run's index row; nothing if none.
    pub row: Option<RowChange>,
    /// What the events have used up of the inbox.
    pub taken: Vec<InboxId>,
    /// What goes into the inboxes of other runs. Dropped in silence if that run is unknown or ended.
    pub posts: Vec<Post>,
    /// The children that begin. One that exists already is left as it is.
    pub starts: Vec<NewRun>,
    /// Replaces all events before `first_seq`; leaves them alone if none.
    pub compacted: Option<Vec<Event>>,
    pub logs: Vec<LogLine>,
}

impl Commit {
    pub fn new(run: RunId, epoch: Epoch, first_seq: Seq) -> Commit {
        Commit {
            run,
            epoch,
            first_seq,
            events: Vec::new(),
            row: None,
            taken: Vec::new(),
            posts: Vec::new(),
            starts: Vec::new(),
            compacted: None,
            logs: Vec::new(),
        }
    }
}

/// Names one item in an inbox. An item that is posted twice has the same id both times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InboxId(pub Uuid);

/// Something for a run that the poster does not own.
#[derive(Debug, Clone)]
pub struct Post {
    pub to: RunId,
    pub id: InboxId,
    pub at: UnixMillis,
    pub item: InboxItem,
}

/// A posted item as the run's owner finds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inboxed {
    pub id: InboxId,
    pub at: UnixMillis,
    pub item: InboxItem,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InboxItem {
    Message {
        id: MessageId,
        name: String,
        body: Json,
        key: Option<String>,
        reply: Option<ReplyTo>,
    },
    /// From then on the run cannot end in any other way: see [`CommitError::CancelPending`].
    ///
    /// [`CommitError::CancelPending`]: crate::CommitError::CancelPending
    Cancel {
        reason: String,
    },
    /// A child ended.
    ChildEnded {
        location: Location,
        child: RunId,
        outcome: Result<Json, Failure>,
    },
    /// The answer to a question that the run asked.
    Answer {
        location: Location,
        answer: Result<Json, Failure>,
    },
    /// Look at the clock and the inbox now.
    Wake,
}

impl InboxItem {
    /// The message as the run's journal will have it, if this is one.
    pub fn message(&self, received_at: UnixMillis) -> Option<Message> {
        match self {
            InboxItem::Message { id, name, body, key, reply } => Some(Message {
                id: *id,
                name: name.clone(),
                body: body.clone(),
                key: key.clone(),
                reply: reply.clone(),
                received_at,
            }),
            InboxItem::Cancel { .. }
            | InboxItem::ChildEnded { .. }
            | InboxItem::Answer { .. }
            | InboxItem::Wake => None,
        }
    }
}

/// What became of a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Posted {
    Accepted,
    /// An item with this id is in the inbox already.
    Duplicate,
}
