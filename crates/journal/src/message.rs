//! Data sent to a run.

use crate::{Json, Location, MessageId, RunId, UnixMillis};

/// A message that a run has received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub id: MessageId,
    pub name: String,
    pub body: Json,
    /// A second message with this key is the same message, and is dropped.
    pub key: Option<String>,
    /// Set if the sender wants an answer.
    pub reply: Option<ReplyTo>,
    pub received_at: UnixMillis,
}

/// Who waits for the answer to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyTo {
    /// Somebody outside, who looks for the answer in this run's journal.
    Caller,
    /// The run that asked, at the entry where it waits.
    Run { run: RunId, location: Location },
}
