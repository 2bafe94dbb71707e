//! Tables, and connections to them.

use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use stepwell_store::StoreError;

use crate::fault::{Fault, Outcome};
use crate::options::{Options, Synchronous};

/// What makes each layout out of the one before it. A new file goes through all of them, so that it cannot
/// differ from one that has grown up. Never change one that was released.
const LAYOUTS: [&str; 2] = [LAYOUT_1, LAYOUT_2];

/// The layout that this version writes.
pub(crate) const LAYOUT: u32 = LAYOUTS.len() as u32;

/// Says that a file is ours: "WELL".
const APPLICATION_ID: u32 = 0x5745_4c4c;

/// `runs.id` numbers runs in the order of their creation and stands for them in the other tables.
/// `runs.folded` is the last row of `log` that holds nothing of the run that is not in `chunk`.
/// `runs.runnable` is what `RunRow::is_runnable` says, kept so that an index can hold only those.
///
/// `meta.next_log` numbers the rows of `log` on although the rows before are deleted: a number that is used
/// twice would be taken for one that is folded.
///
/// The lists of runs are ordered by creation and id, so their indexes end with both. Inputs lie apart,
/// because rows change often and inputs, which may be large, never do.
const LAYOUT_1: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('epoch', 0), ('next_log', 1);

CREATE TABLE log (id INTEGER PRIMARY KEY, body BLOB NOT NULL);

CREATE TABLE chunk (
  run INTEGER NOT NULL, first_seq INTEGER NOT NULL, body BLOB NOT NULL,
  PRIMARY KEY (run, first_seq)
) WITHOUT ROWID;

CREATE TABLE runs (
  id INTEGER PRIMARY KEY, run BLOB NOT NULL,
  namespace TEXT NOT NULL, workflow TEXT NOT NULL, version TEXT NOT NULL,
  parent BLOB, parent_location TEXT, created_at INTEGER NOT NULL,
  status INTEGER NOT NULL, updated_at INTEGER NOT NULL, ended_at INTEGER, wake_at INTEGER,
  next_seq INTEGER NOT NULL, folded INTEGER NOT NULL DEFAULT 0,
  cancelling INTEGER NOT NULL, runnable INTEGER NOT NULL,
  labels TEXT, description TEXT, failure TEXT
);
CREATE UNIQUE INDEX runs_by_id ON runs (run);
CREATE INDEX runs_by_age ON runs (namespace, created_at, run);
CREATE INDEX runs_by_status ON runs (namespace, status, created_at, run);
CREATE INDEX runs_by_workflow ON runs (namespace, workflow, created_at, run);
CREATE INDEX runs_by_parent ON runs (parent, created_at, run) WHERE parent IS NOT NULL;
CREATE INDEX runs_by_wake_at ON runs (wake_at, run) WHERE wake_at IS NOT NULL;
CREATE INDEX runs_runnable ON runs (run) WHERE runnable = 1;

CREATE TABLE input (run INTEGER PRIMARY KEY, body TEXT NOT NULL);

CREATE TABLE label (
  key TEXT NOT NULL, value TEXT NOT NULL, created_at INTEGER NOT NULL, run BLOB NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (key, value, created_at, run)
) WITHOUT ROWID;

CREATE TABLE idempotency (
  namespace TEXT NOT NULL, workflow TEXT NOT NULL, key TEXT NOT NULL, run BLOB NOT NULL,
  PRIMARY KEY (namespace, workflow, key)
) WITHOUT ROWID;

CREATE TABLE inbox (
  run INTEGER NOT NULL, item BLOB NOT NULL, n INTEGER NOT NULL, at INTEGER NOT NULL,
  cancels INTEGER NOT NULL, body TEXT NOT NULL,
  PRIMARY KEY (run, item)
) WITHOUT ROWID;

CREATE TABLE line (
  run INTEGER NOT NULL, n INTEGER NOT NULL, at INTEGER NOT NULL, level INTEGER NOT NULL,
  location TEXT NOT NULL, message TEXT NOT NULL, fields TEXT NOT NULL,
  PRIMARY KEY (run, n)
) WITHOUT ROWID;
";

/// `runs.key` is the idempotency key that made the run. `tally` has how many runs are in each status.
///
/// `gone` has the runs that were forgotten and of which something may be left: rows of other tables that have
/// their number, or blocks in rows of `log` up to `last_log`. So `meta.next_run` numbers runs on although the
/// last of them may be gone.
///
/// Documents have large bodies and are found by name, so the names lie apart, in an index.
const LAYOUT_2: &str = "
INSERT INTO meta VALUES ('next_run', 1), ('next_revision', 1);

ALTER TABLE runs ADD COLUMN key TEXT;
UPDATE runs SET key = i.key FROM idempotency i WHERE i.run = runs.run;
CREATE INDEX runs_by_end ON runs (namespace, ended_at, run, workflow, status, parent)
  WHERE ended_at IS NOT NULL;

CREATE TABLE tally (
  namespace TEXT NOT NULL, workflow TEXT NOT NULL, status INTEGER NOT NULL, n INTEGER NOT NULL,
  PRIMARY KEY (namespace, workflow, status)
) WITHOUT ROWID;
INSERT INTO tally SELECT namespace, workflow, status, count(*) FROM runs GROUP BY 1, 2, 3;

CREATE TABLE gone (id INTEGER PRIMARY KEY, run BLOB NOT NULL, last_log INTEGER NOT NULL);

CREATE TABLE document (
  id INTEGER PRIMARY KEY, kind TEXT NOT NULL, namespace TEXT NOT NULL, key TEXT NOT NULL,
  revision INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL
);
CREATE UNIQUE INDEX document_by_name ON document (kind, namespace, key);
";

/// All tables, for tests of what works on them.
#[cfg(test)]
pub(crate) fn tables() -> String {
    LAYOUTS.concat()
}

/// The one connection that writes. Creates the tables in a new file, and brings an old one up to date.
pub(crate) fn open_writer(path: &Path, options: &Options) -> Result<Connection, StoreError> {
    let store = path.display().to_string();
    let fault = |error: rusqlite::Error| Fault::from(error).into_error(&store);
    let connection = Connection::open_with_flags(path, flags()).map_err(fault)?;
    let found = layout_of(&connection).map_err(|fault| fault.into_error(&store))?;
    match found {
        Some(found) if found > LAYOUT => {
            return Err(StoreError::NewerLayout { store, found, known: LAYOUT });
        }
        Some(_) | None => {}
    }
    if connection.is_readonly("main").map_err(fault)? {
        return Err(StoreError::ReadOnly { store });
    }
    set_up_writer(&connection, options, found).map_err(|fault| fault.into_error(&store))?;
    Ok(connection)
}

/// The layout of the file; none if it is new. Whatever is no store of ours counts as damaged.
fn layout_of(connection: &Connection) -> Outcome<Option<u32>> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
    let layout = pragma("user_version")?;
    let application_id = pragma("application_id")?;
    let n_tables: u32 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match (application_id, n_tables) {
        (APPLICATION_ID, _) if layout > 0 => Ok(Some(layout)),
        (0, 0) => Ok(None),
        _ => Err(Fault::Damaged("the file is not a Stepwell store".to_owned())),
    }
}

fn set_up_writer(connection: &Connection, options: &Options, found: Option<u32>) -> Outcome<()> {
    let cache_kib = options.cache_bytes / 1024;
    connection.pragma_update(None, "journal_mode", "wal")?;
    set_synchronous(connection, options.synchronous)?;
    connection.pragma_update(None, "cache_size", -i64::try_from(cache_kib).unwrap_or(i64::MAX))?;
    keep_plans(connection)?;
    connection.set_prepared_statement_cache_capacity(64);
    if let Some(n_pages) = options.pages_max {
        connection.pragma_update(None, "max_page_count", n_pages)?;
    }
    let missing = &LAYOUTS[found.unwrap_or(0) as usize..];
    if missing.is_empty() {
        // A file that cannot be written should say so now and not at the first commit.
        connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK;")?;
    } else {
        if let Some(found) = found {
            tracing::info!(found, layout = LAYOUT, "the store gets a new layout");
        }
        connection.execute_batch(&format!(
            "BEGIN IMMEDIATE; {}
             PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {LAYOUT}; COMMIT;",
            missing.concat(),
        ))?;
    }
    Ok(())
}

pub(crate) fn set_synchronous(connection: &Connection, synchronous: Synchronous) -> Outcome<()> {
    let level = match synchronous {
        Synchronous::Full => "FULL",
        Synchronous::Normal => "NORMAL",
    };
    connection.pragma_update(None, "synchronous", level)?;
    Ok(())
}

/// A connection for readers and for checkpoints.
pub(crate) fn open_other(path: &Path) -> Outcome<Connection> {
    let connection = Connection::open_with_flags(path, flags() & !OpenFlags::SQLITE_OPEN_CREATE)?;
    connection.pragma_update(None, "cache_size", -1024)?;
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    keep_plans(&connection)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(connection)
}

/// Statements keep their plan whatever is bound to them. Without this, SQLite prepares many of them
/// anew for every new value, which costs more than running them.
fn keep_plans(connection: &Connection) -> Outcome<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

fn flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
}
