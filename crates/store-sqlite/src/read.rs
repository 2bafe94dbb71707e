//! Reading runs.

use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension, Transaction};
use stepwell_journal::{Event, RunId, Seq, UnixMillis, wire};
use stepwell_store::{DueRun, InboxId, Inboxed, LoadedRun, RunRow};
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::codec::{self, RUN_COLUMNS, blob};
use crate::fault::{Fault, Outcome};
use crate::moment::at_one_moment;
use crate::schema;
use crate::tail::RunTail;
use crate::writer::Shared;

/// The connections that read.
pub(crate) struct Readers {
    idle: Mutex<Vec<Connection>>,
    pub permits: Semaphore,
}

impl Readers {
    pub fn new(n_readers_max: usize) -> Readers {
        Readers { idle: Mutex::default(), permits: Semaphore::new(n_readers_max) }
    }

    /// Blocks its thread. To be called with a permit.
    pub fn read<T>(
        &self,
        shared: &Shared,
        work: impl FnOnce(&Connection, &Shared) -> Outcome<T>,
    ) -> Outcome<T> {
        let idle = self.idle.lock().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => schema::open_other(&shared.path)?,
        };
        let outcome = work(&connection, shared);
        if outcome.is_ok() {
            self.idle.lock().push(connection);
        }
        outcome
    }

    pub fn close(&self) {
        self.permits.close();
        self.idle.lock().clear();
    }
}

/// The tables and one run's tail as of one moment.
pub(crate) struct Snapshot<'a> {
    tables: Transaction<'a>,
    tail: Option<RunTail>,
}

impl<'a> Snapshot<'a> {
    pub fn of(connection: &'a Connection, shared: &Shared, run: RunId) -> Outcome<Snapshot<'a>> {
        let (tables, tail) = at_one_moment(connection, shared, |tail| tail.get(run).cloned())?;
        Ok(Snapshot { tables, tail })
    }

    /// The run's number and its row.
    fn row(&self, run: RunId) -> Outcome<Option<(i64, RunRow)>> {
        let mut select = self.tables.prepare_cached(&format!(
            "SELECT {RUN_COLUMNS}, r.id FROM runs r JOIN input i ON i.run = r.id WHERE r.run = ?1"
        ))?;
        let mut rows = select.query([blob(run)])?;
        let Some(found) = rows.next()? else { return Ok(None) };
        let mut row = codec::run_row(found)?;
        if let Some(tail) = &self.tail {
            overlay(&mut row, tail);
        }
        Ok(Some((found.get(17)?, row)))
    }

    /// Up to `limit` events from `from` on.
    fn journal(&self, id: i64, from: Seq, limit: usize) -> Outcome<Vec<Event>> {
        let mut page = Page { from, limit, events: Vec::new() };
        if self.tail.as_ref().is_none_or(|tail| !tail.replaces) {
            let mut select = self.tables.prepare_cached(
                "SELECT body FROM chunk WHERE run = ?1 AND first_seq >= coalesce(
                   (SELECT max(first_seq) FROM chunk WHERE run = ?1 AND first_seq <= ?2), 0)
                 ORDER BY first_seq",
            )?;
            let mut chunks = select.query([id, codec::of_seq(from)])?;
            while !page.is_full()
                && let Some(chunk) = chunks.next()?
            {
                page.add(chunk.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?)?;
            }
        }
        if let Some(tail) = &self.tail {
            page.add_tail(tail)?;
        }
        Ok(page.events)
    }

    fn inbox(&self, id: i64) -> Outcome<Vec<Inboxed>> {
        let mut select = self
            .tables
            .prepare_cached("SELECT item, at, body FROM inbox WHERE run = ?1 ORDER BY n")?;
        let mut rows = select.query([id])?;
        let mut inbox = Vec::new();
        while let Some(row) = rows.next()? {
            inbox.push(Inboxed {
                id: InboxId(Uuid::from_bytes(row.get(0)?)),
                at: codec::time(row.get(1)?),
                item: codec::item(row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?)?,
            });
        }
        Ok(inbox)
    }
}

/// Begins a transaction that sees the tables as they are now, whenever it reads.
pub(crate) fn begin(connection: &Connection) -> Outcome<Transaction<'_>> {
    let tables = connection.unchecked_transaction()?;
    // SQLite takes its snapshot at the first read, not at BEGIN.
    tables
        .prepare_cached("SELECT value FROM meta WHERE key = 'epoch'")?
        .query_row([], |row| row.get::<_, i64>(0))?;
    Ok(tables)
}

/// Rows are not written for every commit: the end of the journal is in the tail.
pub(crate) fn overlay(row: &mut RunRow, tail: &RunTail) {
    row.next_seq = row.next_seq.max(tail.next_seq);
    row.updated_at = row.updated_at.max(tail.at);
}

/// Events that are read from blocks until there are enough.
struct Page {
    from: Seq,
    limit: usize,
    events: Vec<Event>,
}

impl Page {
    fn is_full(&self) -> bool {
        self.events.len() >= self.limit
    }

    fn add(&mut self, block: &[u8]) -> Outcome<()> {
        let n_before = self.events.len();
        wire::decode_into(block, &mut self.events)?;
        let n_early =
            self.events[n_before..].iter().take_while(|event| event.seq < self.from).count();
        self.events.drain(n_before..n_before + n_early);
        self.events.truncate(self.limit);
        Ok(())
    }

    fn add_tail(&mut self, tail: &RunTail) -> Outcome<()> {
        let n_later = tail.blocks.partition_point(|block| block.first_seq <= self.from);
        for block in &tail.blocks[n_later.saturating_sub(1)..] {
            if self.is_full() {
                break;
            }
            self.add(block.events())?;
        }
        Ok(())
    }
}

pub(crate) fn load(
    connection: &Connection,
    shared: &Shared,
    run: RunId,
) -> Outcome<Option<LoadedRun>> {
    let snapshot = Snapshot::of(connection, shared, run)?;
    let Some((id, row)) = snapshot.row(run)? else { return Ok(None) };
    let journal = snapshot.journal(id, Seq(0), usize::MAX)?;
    Ok(Some(LoadedRun { row, journal, inbox: snapshot.inbox(id)? }))
}

pub(crate) fn row(connection: &Connection, shared: &Shared, run: RunId) -> Outcome<Option<RunRow>> {
    Ok(Snapshot::of(connection, shared, run)?.row(run)?.map(|(_, row)| row))
}

pub(crate) fn inbox(connection: &Connection, shared: &Shared, run: RunId) -> Outcome<Vec<Inboxed>> {
    let snapshot = Snapshot::of(connection, shared, run)?;
    match id_of(&snapshot.tables, run)? {
        Some(id) => snapshot.inbox(id),
        None => Ok(Vec::new()),
    }
}

pub(crate) fn journal(
    connection: &Connection,
    shared: &Shared,
    run: RunId,
    from: Seq,
    limit: usize,
) -> Outcome<Vec<Event>> {
    let snapshot = Snapshot::of(connection, shared, run)?;
    match id_of(&snapshot.tables, run)? {
        Some(id) => snapshot.journal(id, from, limit),
        None => Ok(Vec::new()),
    }
}

/// The events from `from` on if all of them are in memory.
pub(crate) fn journal_in_tail(
    shared: &Shared,
    run: RunId,
    from: Seq,
    limit: usize,
) -> Option<Outcome<Vec<Event>>> {
    let tail = shared.tail.read().get(run).filter(|tail| tail.first_seq() <= from).cloned()?;
    let mut page = Page { from, limit, events: Vec::new() };
    Some(page.add_tail(&tail).map(|()| page.events))
}

pub(crate) fn id_of(connection: &Connection, run: RunId) -> Outcome<Option<i64>> {
    let id = connection
        .prepare_cached("SELECT id FROM runs WHERE run = ?1")?
        .query_row([blob(run)], |row| row.get(0))
        .optional()?;
    Ok(id)
}

/// The idempotency key that made the run.
pub(crate) fn key_of(connection: &Connection, run: RunId) -> Outcome<Option<String>> {
    let key = connection
        .prepare_cached("SELECT key FROM runs WHERE run = ?1")?
        .query_row([blob(run)], |row| row.get(0))
        .optional()?;
    Ok(key.flatten())
}

pub(crate) fn due(
    connection: &Connection,
    until: UnixMillis,
    limit: usize,
) -> Outcome<Vec<DueRun>> {
    let mut select = connection.prepare_cached(
        "SELECT run, wake_at FROM runs WHERE wake_at IS NOT NULL AND wake_at <= ?1
         ORDER BY wake_at, run LIMIT ?2",
    )?;
    let due = select.query_map([codec::of_time(until), codec::of_limit(limit)], |row| {
        let run = RunId(Uuid::from_bytes(row.get(0)?));
        Ok(DueRun { run, wake_at: codec::time(row.get(1)?) })
    })?;
    due.map(|due| due.map_err(Fault::from)).collect()
}

pub(crate) fn runnable(
    connection: &Connection,
    after: Option<RunId>,
    limit: usize,
) -> Outcome<Vec<RunId>> {
    let mut select = connection.prepare_cached(
        "SELECT run FROM runs WHERE runnable = 1 AND run > ?1 ORDER BY run LIMIT ?2",
    )?;
    // Every id is greater than the empty blob.
    let after = after.map(|run| blob(run).to_vec()).unwrap_or_default();
    let runs = select.query_map(rusqlite::params![after, codec::of_limit(limit)], |row| {
        Ok(RunId(Uuid::from_bytes(row.get(0)?)))
    })?;
    runs.map(|run| run.map_err(Fault::from)).collect()
}
