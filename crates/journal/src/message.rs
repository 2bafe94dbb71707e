//! Data sent to a run.

use serde::{Deserialize, Serialize};

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

/// What is recorded of a question that was sent: where its answer can be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    pub to: RunId,
    pub message: MessageId,
}

/// Who waits for the answer to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyTo {
    /// Somebody outside, who looks for the answer in this run's journal.
    Caller,
    /// The run that asked, at the entry where it waits.
    Run { run: RunId, location: Location },
}
