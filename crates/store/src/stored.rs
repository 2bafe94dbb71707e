//! How values lie in columns, the same in every database: so a store can be copied into another one.

use serde::{Deserialize, Serialize};
use stepwell_journal::{
    Failure, Json, Location, MessageId, ReplyTo, RunId, RunStatus, Seq, UnixMillis,
};

use crate::{InboxItem, LogLevel};

/// The numbers of databases end at half of ours. No real date is there, only "never", which stays "never".
pub fn of_time(at: UnixMillis) -> i64 {
    i64::try_from(at.0).unwrap_or(i64::MAX)
}

pub fn time(column: i64) -> UnixMillis {
    if column == i64::MAX { UnixMillis(u64::MAX) } else { UnixMillis(column.max(0) as u64) }
}

pub fn of_seq(seq: Seq) -> i64 {
    i64::try_from(seq.0).unwrap_or(i64::MAX)
}

pub fn seq(column: i64) -> Seq {
    Seq(column.max(0) as u64)
}

/// A limit as databases want it.
pub fn of_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// These numbers are in databases: never renumber.
pub fn of_status(status: RunStatus) -> i64 {
    match status {
        RunStatus::Pending => 0,
        RunStatus::Running => 1,
        RunStatus::Waiting => 2,
        RunStatus::RollingBack => 3,
        RunStatus::Completed => 4,
        RunStatus::Failed => 5,
        RunStatus::Cancelled => 6,
    }
}

/// None if there is no such status.
pub fn status(column: i64) -> Option<RunStatus> {
    RunStatus::ALL.into_iter().find(|status| of_status(*status) == column)
}

/// These numbers are in databases: never renumber.
pub fn of_level(level: LogLevel) -> i64 {
    match level {
        LogLevel::Debug => 0,
        LogLevel::Info => 1,
        LogLevel::Warn => 2,
        LogLevel::Error => 3,
    }
}

/// None if there is no such level.
pub fn level(column: i64) -> Option<LogLevel> {
    [LogLevel::Debug, LogLevel::Info, LogLevel::Warn, LogLevel::Error]
        .into_iter()
        .find(|level| of_level(*level) == column)
}

/// An inbox item as it is written. The names are in databases: never rename.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ItemV1 {
    Message {
        id: MessageId,
        name: String,
        body: Json,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reply: Option<ReplyV1>,
    },
    Cancel {
        reason: String,
    },
    ChildEnded {
        location: Location,
        child: RunId,
        outcome: Result<Json, Failure>,
    },
    Answer {
        location: Location,
        answer: Result<Json, Failure>,
    },
    Wake,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ReplyV1 {
    Caller,
    Run { run: RunId, location: Location },
}

pub fn item_text(item: &InboxItem) -> Result<String, serde_json::Error> {
    serde_json::to_string(&match item.clone() {
        InboxItem::Message { id, name, body, key, reply } => {
            let reply = reply.map(|reply| match reply {
                ReplyTo::Caller => ReplyV1::Caller,
                ReplyTo::Run { run, location } => ReplyV1::Run { run, location },
            });
            ItemV1::Message { id, name, body, key, reply }
        }
        InboxItem::Cancel { reason } => ItemV1::Cancel { reason },
        InboxItem::ChildEnded { location, child, outcome } => {
            ItemV1::ChildEnded { location, child, outcome }
        }
        InboxItem::Answer { location, answer } => ItemV1::Answer { location, answer },
        InboxItem::Wake => ItemV1::Wake,
    })
}

pub fn item(text: &str) -> Result<InboxItem, serde_json::Error> {
    Ok(match serde_json::from_str(text)? {
        ItemV1::Message { id, name, body, key, reply } => {
            let reply = reply.map(|reply| match reply {
                ReplyV1::Caller => ReplyTo::Caller,
                ReplyV1::Run { run, location } => ReplyTo::Run { run, location },
            });
            InboxItem::Message { id, name, body, key, reply }
        }
        ItemV1::Cancel { reason } => InboxItem::Cancel { reason },
        ItemV1::ChildEnded { location, child, outcome } => {
            InboxItem::ChildEnded { location, child, outcome }
        }
        ItemV1::Answer { location, answer } => InboxItem::Answer { location, answer },
        ItemV1::Wake => InboxItem::Wake,
    })
}
