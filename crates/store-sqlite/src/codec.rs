//! How values lie in columns.

use std::collections::BTreeMap;

use rusqlite::Row;
use rusqlite::types::ValueRef;
use stepwell_journal::{Failure, Json, Location, Parent, RunId, RunStatus};
use stepwell_store::{InboxId, InboxItem, LogLevel, RunRow, stored};
use uuid::Uuid;

use crate::fault::{Fault, Outcome};

pub(crate) use stepwell_store::stored::{
    item_text, of_level, of_limit, of_seq, of_status, of_time, seq, time,
};

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

pub(crate) fn status(column: i64) -> Outcome<RunStatus> {
    stored::status(column).ok_or_else(|| Fault::Damaged(format!("there is no status {column}")))
}

pub(crate) fn level(column: i64) -> Outcome<LogLevel> {
    stored::level(column).ok_or_else(|| Fault::Damaged(format!("there is no level {column}")))
}

pub(crate) fn item(text: &str) -> Outcome<InboxItem> {
    Ok(stored::item(text)?)
}
