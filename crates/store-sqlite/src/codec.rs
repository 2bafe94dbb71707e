//! How values lie in columns.

use std::collections::BTreeMap;

use rusqlite::Row;
use rusqlite::types::ValueRef;
use serde::{Deserialize, Serialize};
use stepwell_journal::{
    Failure, Json, Location, MessageId, Parent, ReplyTo, RunId, RunStatus, Seq, UnixMillis,
};
use stepwell_store::{InboxId, InboxItem, LogLevel, RunRow};
use uuid::Uuid;

use crate::fault::{Fault, Outcome};

/// The columns that [`run_row`] reads, of `runs r` and `input i`.
pub(crate) const RUN_COLUMNS: &str = "r.run, r.namespace, r.workflow, r.version, r.status, r.labels, \
     r.description, i.body, r.parent, r.parent_location, r.created_at, r.updated_at, r.ended_at, \
     r.wake_at, r.next_seq, r.failure, r.cancelling";

pub(crate) fn run_row(row: &Row<'_>) -> Outcome<RunRow> {
    let labels = labels(row.get_ref(5)?)?;
    let failure = match row.get_ref(15)?.as_str_or_null().map_err(rusqlite::Error::from)? {
        Some(text) => Some(serde_json::from_str::<Failure>(text)?),
        None => None,
    };
    let parent = match row.get::<_, Option<[u8; 16]>>(8)? {
        Some(run) => Some(Parent {
            run: RunId(Uuid::from_bytes(run)),
            location: Location::from_text(&row.get::<_, String>(9)?),
        }),
        None => None,
    };
    let input = row.get_ref(7)?.as_str().map_err(rusqlite::Error::from)?;
    Ok(RunRow {
        run: RunId(Uuid::from_bytes(row.get(0)?)),
        namespace: row.get(1)?,
        workflow: row.get(2)?,
        version: row.get(3)?,
        status: status(row.get(4)?)?,
        labels,
        description: row.get(6)?,
        input: Json::parse(input)?,
        parent,
        created_at: time(row.get(10)?),
        updated_at: time(row.get(11)?),
        ended_at: row.get::<_, Option<i64>>(12)?.map(time),
        wake_at: row.get::<_, Option<i64>>(13)?.map(time),
        next_seq: seq(row.get(14)?),
        failure,
        cancelling: row.get(16)?,
    })
}

pub(crate) fn labels(column: ValueRef<'_>) -> Outcome<BTreeMap<String, String>> {
    match column.as_str_or_null().map_err(rusqlite::Error::from)? {
        Some(text) => Ok(serde_json::from_str(text)?),
        None => Ok(BTreeMap::new()),
    }
}

pub(crate) fn blob(run: RunId) -> [u8; 16] {
    run.0.into_bytes()
}

pub(crate) fn item_blob(id: InboxId) -> [u8; 16] {
    id.0.into_bytes()
}

/// SQLite's numbers end at half of ours. No real date is there, only "never", which stays "never".
pub(crate) fn of_time(at: UnixMillis) -> i64 {
    i64::try_from(at.0).unwrap_or(i64::MAX)
}

pub(crate) fn time(column: i64) -> UnixMillis {
    if column == i64::MAX { UnixMillis(u64::MAX) } else { UnixMillis(column.max(0) as u64) }
}

pub(crate) fn of_seq(seq: Seq) -> i64 {
    i64::try_from(seq.0).unwrap_or(i64::MAX)
}

pub(crate) fn seq(column: i64) -> Seq {
    Seq(column.max(0) as u64)
}

/// A limit as SQLite wants it.
pub(crate) fn of_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// These numbers are in files: never renumber.
pub(crate) fn of_status(status: RunStatus) -> i64 {
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

pub(crate) fn status(column: i64) -> Outcome<RunStatus> {
    RunStatus::ALL
        .into_iter()
        .find(|status| of_status(*status) == column)
        .ok_or_else(|| Fault::Damaged(format!("there is no status {column}")))
}

/// These numbers are in files: never renumber.
pub(crate) fn of_level(level: LogLevel) -> i64 {
    match level {
        LogLevel::Debug => 0,
        LogLevel::Info => 1,
        LogLevel::Warn => 2,
        LogLevel::Error => 3,
    }
}

pub(crate) fn level(column: i64) -> Outcome<LogLevel> {
    [LogLevel::Debug, LogLevel::Info, LogLevel::Warn, LogLevel::Error]
        .into_iter()
        .find(|level| of_level(*level) == column)
        .ok_or_else(|| Fault::Damaged(format!("there is no level {column}")))
}

/// An inbox item as it is written. The names are in files: never rename.
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

pub(crate) fn item_text(item: &InboxItem) -> Result<String, serde_json::Error> {
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

pub(crate) fn item(text: &str) -> Outcome<InboxItem> {
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
