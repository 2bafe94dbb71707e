//! How values lie in columns.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use stepwell_journal::{Failure, Json, Location, Parent, RunId, RunStatus, stable_hash};
use stepwell_store::{InboxId, Inboxed, LogLevel, RunRow, stored};
use tokio_postgres::Row;
use uuid::Uuid;

use crate::fault::{Fault, Outcome};

/// How many shards the runs of a store are in. It is in databases: never change it.
pub const SHARDS: u16 = 64;

/// The shard that a run is in, for ever.
pub(crate) fn shard_of(run: RunId) -> i16 {
    let hash = stable_hash(&[run.0.as_bytes()]);
    i16::try_from(hash % u64::from(SHARDS)).unwrap_or(0)
}

/// The columns that [`run_row`] reads, of [`RUNS`].
pub(crate) const RUN_COLUMNS: &str = "r.run, r.namespace, r.workflow, r.version, r.status, r.labels, \
     r.description, r.parent, r.parent_location, r.created_at, greatest(r.updated_at, j.at), \
     r.ended_at, r.wake_at, greatest(r.next_seq, j.next_seq), r.failure, r.cancelling";

/// The runs as `r`, and the last rows of the journals of those that have not ended as `j`.
pub(crate) const RUNS: &str = "runs r LEFT JOIN LATERAL (SELECT next_seq, at FROM journal \
     WHERE run = r.run AND r.ended_at IS NULL ORDER BY first_seq DESC LIMIT 1) j ON true";

/// The row without the run's input, which is null in it.
pub(crate) fn run_row(row: &Row) -> Outcome<RunRow> {
    let failure = match row.try_get::<_, Option<&str>>(14)? {
        Some(text) => Some(serde_json::from_str::<Failure>(text)?),
        None => None,
    };
    let parent = match row.try_get::<_, Option<Uuid>>(7)? {
        Some(run) => Some(Parent { run: RunId(run), location: location(row.try_get(8)?) }),
        None => None,
    };
    Ok(RunRow {
        run: RunId(row.try_get(0)?),
        namespace: plain(row.try_get(1)?),
        workflow: plain(row.try_get(2)?),
        version: plain(row.try_get(3)?),
        status: status(row.try_get(4)?)?,
        labels: labels(row.try_get(5)?)?,
        description: row.try_get::<_, Option<&str>>(6)?.map(plain),
        input: Json::null(),
        parent,
        created_at: stored::time(row.try_get(9)?),
        updated_at: stored::time(row.try_get(10)?),
        ended_at: row.try_get::<_, Option<i64>>(11)?.map(stored::time),
        wake_at: row.try_get::<_, Option<i64>>(12)?.map(stored::time),
        next_seq: stored::seq(row.try_get(13)?),
        failure,
        cancelling: row.try_get(15)?,
    })
}

/// The row of a run whose input stands in the column after [`RUN_COLUMNS`].
pub(crate) fn whole_run_row(row: &Row) -> Outcome<RunRow> {
    let mut found = run_row(row)?;
    found.input = Json::parse(row.try_get(16)?)?;
    Ok(found)
}

pub(crate) fn inboxed(row: &Row, first: usize) -> Outcome<Inboxed> {
    Ok(Inboxed {
        id: InboxId(row.try_get(first)?),
        at: stored::time(row.try_get(first + 1)?),
        item: stored::item(row.try_get(first + 2)?)?,
    })
}

pub(crate) fn labels(column: Option<&str>) -> Outcome<BTreeMap<String, String>> {
    match column {
        Some(text) => Ok(serde_json::from_str(text)?),
        None => Ok(BTreeMap::new()),
    }
}

pub(crate) fn labels_text(labels: &BTreeMap<String, String>) -> Outcome<Option<String>> {
    if labels.is_empty() {
        return Ok(None);
    }
    Ok(Some(serde_json::to_string(labels)?))
}

pub(crate) fn of_status(status: RunStatus) -> i16 {
    stored::of_status(status) as i16
}

pub(crate) fn status(column: i16) -> Outcome<RunStatus> {
    stored::status(column.into())
        .ok_or_else(|| Fault::Damaged(format!("there is no status {column}")))
}

pub(crate) fn of_level(level: LogLevel) -> i16 {
    stored::of_level(level) as i16
}

pub(crate) fn level(column: i16) -> Outcome<LogLevel> {
    stored::level(column.into())
        .ok_or_else(|| Fault::Damaged(format!("there is no level {column}")))
}

/// PostgreSQL's texts may have every character but the one with number 0, which may be in our names. So it is
/// written as 1 1, and 1 as 1 2: the order of texts, and which begins with which, stay what they are.
pub(crate) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', '\u{1}']) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace('\u{1}', "\u{1}\u{2}").replace('\0', "\u{1}\u{1}"))
}

pub(crate) fn owned(text: &str) -> String {
    escaped(text).into_owned()
}

/// The text that was escaped.
pub(crate) fn plain(column: &str) -> String {
    let mut text = String::with_capacity(column.len());
    let mut rest = column.chars();
    while let Some(c) = rest.next() {
        match c {
            '\u{1}' if rest.next() == Some('\u{1}') => text.push('\0'),
            c => text.push(c),
        }
    }
    text
}

pub(crate) fn location(column: &str) -> Location {
    Location::from_text(&plain(column))
}

/// What an idempotency key is found by. Keys may be longer than what an index takes.
pub(crate) fn key_digest(namespace: &str, workflow: &str, key: &str) -> Vec<u8> {
    digest(&[namespace, workflow, key]).to_vec()
}

/// What the runs with a label are found by. Labels may be longer than what an index takes.
pub(crate) fn label_digest(key: &str, value: &str) -> Uuid {
    let mut half = [0; 16];
    half.copy_from_slice(&digest(&[key, value])[..16]);
    Uuid::from_bytes(half)
}

fn digest(parts: &[&str]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_texts_come_back_and_keep_their_order() {
        let texts =
            ["", "\0", "\0\0", "\0\u{1}", "\u{1}", "\u{1}\0", "\u{1}\u{2}", "\u{2}", "a\0b", "é"];
        let escaped: Vec<_> = texts.iter().map(|text| owned(text)).collect();
        assert!(escaped.is_sorted());
        assert!(escaped.iter().all(|text| !text.contains('\0')));
        let back: Vec<_> = escaped.iter().map(|text| plain(text)).collect();
        assert_eq!(back, texts);
        for (text, full) in texts.iter().flat_map(|a| texts.iter().map(move |b| (a, b))) {
            assert_eq!(full.starts_with(text), owned(full).starts_with(&*owned(text)));
        }
    }

    #[test]
    fn digests_tell_where_one_part_ends() {
        assert_ne!(label_digest("ab", "c"), label_digest("a", "bc"));
        assert_ne!(key_digest("a", "", "b"), key_digest("a", "b", ""));
    }

    #[test]
    fn a_run_stays_in_its_shard() {
        // These are in databases.
        let shards: Vec<_> = (1..=4).map(|n| shard_of(RunId(Uuid::from_u128(n)))).collect();
        assert_eq!(shards, [58, 38, 10, 42]);
    }
}
