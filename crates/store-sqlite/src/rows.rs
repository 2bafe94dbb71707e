//! Writing the index of runs, inboxes and log lines.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};
use stepwell_journal::{Json, RunId, UnixMillis};
use stepwell_store::{Commit, InboxId, LogLine, RunRow, is_runnable};
use uuid::Uuid;

use crate::codec::{self, RUN_COLUMNS, blob, of_seq, of_status, of_time};
use crate::count::Family;
use crate::fault::{Fault, Outcome};
use crate::head::Head;

/// The run that a key has made, and its input.
pub(crate) fn keyed_run(
    connection: &Connection,
    namespace: &str,
    workflow: &str,
    key: &str,
) -> Outcome<Option<(RunId, Json)>> {
    let mut select = connection.prepare_cached(
        "SELECT k.run, i.body FROM idempotency k
           JOIN runs r ON r.run = k.run JOIN input i ON i.run = r.id
         WHERE k.namespace = ?1 AND k.workflow = ?2 AND k.key = ?3",
    )?;
    let mut rows = select.query([namespace, workflow, key])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let input = Json::parse(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?)?;
    Ok(Some((RunId(Uuid::from_bytes(row.get(0)?)), input)))
}

fn insert_key(connection: &Connection, row: &RunRow, key: &str) -> Outcome<()> {
    connection
        .prepare_cached(
            "INSERT INTO idempotency (namespace, workflow, key, run) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![row.namespace, row.workflow, key, blob(row.run)])?;
    Ok(())
}

pub(crate) fn delete_key(connection: &Connection, family: &Family, key: &str) -> Outcome<()> {
    connection
        .prepare_cached(
            "DELETE FROM idempotency WHERE namespace = ?1 AND workflow = ?2 AND key = ?3",
        )?
        .execute([&family.namespace, &family.workflow, key])?;
    Ok(())
}

/// A run that begins.
pub(crate) struct NewRow<'a> {
    pub id: i64,
    pub row: &'a RunRow,
    pub runnable: bool,
    pub key: Option<&'a str>,
    /// See `runs.folded`.
    pub folded: i64,
}

pub(crate) fn insert_run(connection: &Connection, new: &NewRow<'_>) -> Outcome<()> {
    let NewRow { id, row, runnable, key, folded } = *new;
    connection
        .prepare_cached(
            "INSERT INTO runs (id, run, namespace, workflow, version, parent, parent_location,
               created_at, status, updated_at, wake_at, next_seq, cancelling, runnable, labels, key,
               folded)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 0, ?13, ?14, ?15, ?16)",
        )?
        .execute(params![
            id,
            blob(row.run),
            row.namespace,
            row.workflow,
            row.version,
            row.parent.as_ref().map(|parent| blob(parent.run)),
            row.parent.as_ref().map(|parent| parent.location.as_str()),
            of_time(row.created_at),
            of_status(row.status),
            of_time(row.updated_at),
            row.wake_at.map(of_time),
            of_seq(row.next_seq),
            runnable,
            labels_text(&row.labels)?,
            key,
            folded,
        ])?;
    connection
        .prepare_cached("INSERT INTO input (run, body) VALUES (?1, ?2)")?
        .execute(params![id, row.input.as_str()])?;
    if let Some(key) = key {
        insert_key(connection, row, key)?;
    }
    insert_labels(connection, id, row, &row.labels)
}

/// Takes items out of an inbox. Ids that are not there change nothing.
pub(crate) fn take(connection: &Connection, head: &mut Head, taken: &[InboxId]) -> Outcome<()> {
    let mut delete = connection.prepare_cached("DELETE FROM inbox WHERE run = ?1 AND item = ?2")?;
    for id in taken {
        head.inbox.n_items -= delete.execute(params![head.id, codec::item_blob(*id)])? as i64;
        head.inbox.cancels.retain(|cancel| cancel != id);
    }
    Ok(())
}

/// Brings the run's row up to date with a commit. Writes nothing if only the journal grows: the end of
/// the journal is read from the tail, and folding writes it into the row.
pub(crate) fn follow(connection: &Connection, head: &mut Head, commit: &Commit) -> Outcome<()> {
    let changes_row = commit.row.is_some() || commit.outcome().is_some() || commit.resumes();
    if !changes_row {
        head.next_seq = commit.next_seq();
        if let Some(last) = commit.events.last() {
            head.updated_at = head.updated_at.max(last.at);
        }
        return note_runnable(connection, head);
    }
    let mut row = match commit.row {
        // A change replaces everything that is not in the head, so there is nothing to read.
        Some(_) => row_of(head, commit.run),
        None => read_row(connection, head)?,
    };
    row.follow(commit);
    if row.status.is_ended() && !head.inbox.cancels.is_empty() {
        // A run that has ended has carried out its cancels.
        let cancels = std::mem::take(&mut head.inbox.cancels);
        take(connection, head, &cancels)?;
    }
    if row.labels != head.labels {
        delete_labels(connection, &head.labels, head.created_at, commit.run)?;
        insert_labels(connection, head.id, &row, &row.labels)?;
    }
    head.runnable = row.is_runnable(head.inbox.n_items == 0);
    let failure = row.failure.as_ref().map(serde_json::to_string).transpose()?;
    connection
        .prepare_cached(
            "UPDATE runs SET status = ?2, updated_at = ?3, ended_at = ?4, wake_at = ?5,
               next_seq = ?6, cancelling = ?7, runnable = ?8, labels = ?9, description = ?10,
               failure = ?11
             WHERE id = ?1",
        )?
        .execute(params![
            head.id,
            of_status(row.status),
            of_time(row.updated_at),
            row.ended_at.map(of_time),
            row.wake_at.map(of_time),
            of_seq(row.next_seq),
            row.cancelling,
            head.runnable,
            labels_text(&row.labels)?,
            row.description,
            failure,
        ])?;
    head.next_seq = row.next_seq;
    head.status = row.status;
    head.wake_at = row.wake_at;
    head.updated_at = row.updated_at;
    head.labels = row.labels;
    head.cancelling = row.cancelling;
    Ok(())
}

/// Notes in the row that the run has something new in its inbox.
pub(crate) fn note_post(connection: &Connection, head: &mut Head, cancels: bool) -> Outcome<()> {
    if cancels && !head.cancelling {
        connection
            .prepare_cached("UPDATE runs SET cancelling = 1 WHERE id = ?1")?
            .execute([head.id])?;
        head.cancelling = true;
    }
    note_runnable(connection, head)
}

fn note_runnable(connection: &Connection, head: &mut Head) -> Outcome<()> {
    let runnable = is_runnable(head.status, head.wake_at, head.inbox.n_items == 0);
    if runnable != head.runnable {
        connection
            .prepare_cached("UPDATE runs SET runnable = ?2 WHERE id = ?1")?
            .execute(params![head.id, runnable])?;
        head.runnable = runnable;
    }
    Ok(())
}

/// A row with what the head knows, for a change that replaces all the rest that can change.
fn row_of(head: &Head, run: RunId) -> RunRow {
    RunRow {
        run,
        namespace: String::new(),
        workflow: String::new(),
        version: String::new(),
        status: head.status,
        labels: BTreeMap::new(),
        description: None,
        input: Json::null(),
        parent: None,
        created_at: head.created_at,
        updated_at: head.updated_at,
        ended_at: None,
        wake_at: head.wake_at,
        next_seq: head.next_seq,
        failure: None,
        cancelling: head.cancelling,
    }
}

fn read_row(connection: &Connection, head: &Head) -> Outcome<RunRow> {
    let mut select = connection.prepare_cached(&format!(
        "SELECT {RUN_COLUMNS} FROM runs r JOIN input i ON i.run = r.id WHERE r.id = ?1"
    ))?;
    let mut rows = select.query([head.id])?;
    let row = rows.next()?.ok_or_else(|| Fault::Damaged("a run has no input".to_owned()))?;
    let mut row = codec::run_row(row)?;
    row.updated_at = head.updated_at;
    Ok(row)
}

fn insert_labels(
    connection: &Connection,
    id: i64,
    row: &RunRow,
    labels: &BTreeMap<String, String>,
) -> Outcome<()> {
    if labels.is_empty() {
        return Ok(());
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO label (key, value, created_at, run, id) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for (key, value) in labels {
        insert.execute(params![key, value, of_time(row.created_at), blob(row.run), id])?;
    }
    Ok(())
}

pub(crate) fn delete_labels(
    connection: &Connection,
    labels: &BTreeMap<String, String>,
    created_at: UnixMillis,
    run: RunId,
) -> Outcome<()> {
    let mut delete = connection.prepare_cached(
        "DELETE FROM label WHERE key = ?1 AND value = ?2 AND created_at = ?3 AND run = ?4",
    )?;
    for (key, value) in labels {
        delete.execute(params![key, value, of_time(created_at), blob(run)])?;
    }
    Ok(())
}

fn labels_text(labels: &BTreeMap<String, String>) -> Outcome<Option<String>> {
    if labels.is_empty() {
        return Ok(None);
    }
    Ok(Some(serde_json::to_string(labels)?))
}

pub(crate) fn insert_line(
    connection: &Connection,
    id: i64,
    number: i64,
    line: &LogLine,
) -> Outcome<()> {
    connection
        .prepare_cached(
            "INSERT INTO line (run, n, at, level, location, message, fields)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            id,
            number,
            of_time(line.at),
            codec::of_level(line.level),
            line.location.as_str(),
            line.message,
            line.fields.as_str(),
        ])?;
    Ok(())
}
