//! What forgotten runs leave behind, and sweeping it away.
//!
//! A run that is forgotten leaves rows that have its number, and blocks in rows of the log that other runs
//! still need. The table `gone` remembers it until both are gone.

use std::collections::{HashMap, VecDeque};

use rusqlite::Connection;
use stepwell_journal::RunId;
use uuid::Uuid;

use crate::fault::Outcome;

/// How many rows are swept at once, about: a millisecond of work.
const PIECE_ROWS: usize = 128;

/// How many bytes of journals are swept at once, if there is more than one chunk of them.
const PIECE_BYTES: i64 = 1024 * 1024;

/// A run that was forgotten.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Gone {
    /// The number that it had in the tables.
    pub id: i64,
    pub run: RunId,
    /// The last row of the log that may have blocks of it.
    pub last_log: i64,
}

#[derive(Default)]
pub(crate) struct Garbage {
    /// What may have left rows behind, in the order in which it was forgotten.
    unswept: VecDeque<Gone>,
    /// What may have left blocks in the log, in the same order.
    in_log: VecDeque<Gone>,
    /// The last rows of the log that may have blocks of these runs.
    last_logs: HashMap<RunId, i64>,
}

impl Garbage {
    pub fn read(connection: &Connection) -> Outcome<Garbage> {
        let mut garbage = Garbage::default();
        let mut select =
            connection.prepare("SELECT id, run, last_log FROM gone ORDER BY last_log, id")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let run = RunId(Uuid::from_bytes(row.get(1)?));
            garbage.add(Gone { id: row.get(0)?, run, last_log: row.get(2)? });
        }
        Ok(garbage)
    }

    /// Whether there is something to sweep, if this is the log's first row.
    pub fn has_work(&self, first_log: Option<i64>) -> bool {
        !self.unswept.is_empty() || self.n_out(first_log) > 0
    }

    /// How many of those that were in the log are no longer.
    fn n_out(&self, first_log: Option<i64>) -> usize {
        let is_out = |gone: &&Gone| first_log.is_none_or(|first_log| gone.last_log < first_log);
        self.in_log.iter().take_while(is_out).count()
    }

    pub fn add(&mut self, gone: Gone) {
        self.unswept.push_back(gone);
        self.last_logs.insert(gone.run, gone.last_log);
    }

    /// The last row of the log that may have blocks of a run that had this id and was forgotten.
    pub fn last_log(&self, run: RunId) -> Option<i64> {
        self.last_logs.get(&run).copied()
    }

    /// Sweeps a piece in a transaction of its own, which needs no sync: what comes back after a crash is
    /// swept again. `first_log` is the log's first row. Says whether there may be more to do at once.
    pub fn sweep(&mut self, connection: &Connection, first_log: Option<i64>) -> Outcome<bool> {
        let n_out = self.n_out(first_log);
        let transaction = connection.unchecked_transaction()?;
        let mut n_rows_left = PIECE_ROWS;
        let mut n_swept = 0;
        for gone in &self.unswept {
            if !sweep_run(connection, gone.id, &mut n_rows_left)? {
                break;
            }
            n_swept += 1;
        }
        let mut delete = connection.prepare_cached("DELETE FROM gone WHERE id = ?1")?;
        for gone in self.in_log.iter().take(n_out) {
            delete.execute([gone.id])?;
        }
        transaction.commit()?;

        for gone in self.in_log.drain(..n_out) {
            // The same id may have been used and forgotten once more.
            if self.last_logs.get(&gone.run) == Some(&gone.last_log) {
                self.last_logs.remove(&gone.run);
            }
        }
        self.in_log.extend(self.unswept.drain(..n_swept));
        Ok(self.has_work(first_log))
    }
}

/// Removes rows of a run, no more than are left to remove. Says whether nothing is left of it.
fn sweep_run(connection: &Connection, id: i64, n_rows_left: &mut usize) -> Outcome<bool> {
    // A run without rows costs something, too.
    *n_rows_left = n_rows_left.saturating_sub(1);
    let pieces = [
        "DELETE FROM line WHERE run = ?1 AND n IN (SELECT n FROM line WHERE run = ?1 LIMIT ?2)",
        "DELETE FROM inbox WHERE run = ?1
           AND item IN (SELECT item FROM inbox WHERE run = ?1 LIMIT ?2)",
        "DELETE FROM input WHERE run = ?1 AND ?2 > 0",
    ];
    sweep_chunks(connection, id, n_rows_left)?;
    for sql in pieces {
        let n_rows = connection.prepare_cached(sql)?.execute([id, *n_rows_left as i64])?;
        *n_rows_left = n_rows_left.saturating_sub(n_rows);
    }
    Ok(*n_rows_left > 0)
}

/// Chunks may be large, so their bytes count as well.
fn sweep_chunks(connection: &Connection, id: i64, n_rows_left: &mut usize) -> Outcome<()> {
    let mut select = connection.prepare_cached(
        "SELECT first_seq, length(body) FROM chunk WHERE run = ?1 ORDER BY first_seq",
    )?;
    let mut rows = select.query([id])?;
    let mut n_bytes = 0;
    let mut last = None;
    while *n_rows_left > 0
        && let Some(row) = rows.next()?
    {
        last = Some(row.get::<_, i64>(0)?);
        n_bytes += row.get::<_, i64>(1)?;
        *n_rows_left = if n_bytes < PIECE_BYTES { *n_rows_left - 1 } else { 0 };
    }
    drop(rows);
    if let Some(last) = last {
        connection
            .prepare_cached("DELETE FROM chunk WHERE run = ?1 AND first_seq <= ?2")?
            .execute([id, last])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables() -> Connection {
        let tables = Connection::open_in_memory().unwrap();
        tables.execute_batch(&crate::schema::tables()).unwrap();
        tables
    }

    fn n_rows(tables: &Connection) -> usize {
        let count = |table: &str| {
            let sql = format!("SELECT count(*) FROM {table}");
            tables.query_row(&sql, [], |row| row.get::<_, i64>(0)).unwrap() as usize
        };
        ["chunk", "line", "inbox", "input"].into_iter().map(count).sum()
    }

    /// A run that was forgotten and has left this many rows of each kind.
    fn leave(tables: &Connection, id: i64, n_rows: i64, n_bytes: usize) -> Gone {
        let run = RunId(Uuid::from_u128(id as u128));
        for n in 0..n_rows {
            let body = vec![7_u8; n_bytes];
            let sql = "INSERT INTO chunk VALUES (?1, ?2, ?3)";
            tables.execute(sql, rusqlite::params![id, n, body]).unwrap();
            let sql = "INSERT INTO line VALUES (?1, ?2, 0, 0, '', '', 'null')";
            tables.execute(sql, [id, n]).unwrap();
            let sql = "INSERT INTO inbox VALUES (?1, ?2, ?2, 0, 0, '')";
            tables.execute(sql, [id, n]).unwrap();
        }
        tables.execute("INSERT INTO input VALUES (?1, 'null')", [id]).unwrap();
        let last_log = id;
        let sql = "INSERT INTO gone VALUES (?1, ?2, ?3)";
        tables.execute(sql, rusqlite::params![id, run.0.into_bytes(), last_log]).unwrap();
        Gone { id, run, last_log }
    }

    #[test]
    fn what_runs_have_left_goes_in_small_pieces() {
        let tables = tables();
        leave(&tables, 1, 500, 10);
        for id in 2..=400 {
            leave(&tables, id, 0, 0);
        }
        leave(&tables, 500, 10, 600_000);
        // Another run, which is there.
        leave(&tables, 600, 3, 10);
        tables.execute("DELETE FROM gone WHERE id = 600", []).unwrap();
        let mut garbage = Garbage::read(&tables).unwrap();
        let mut n_pieces = 0;
        while garbage.has_work(None) {
            let before = n_rows(&tables);
            garbage.sweep(&tables, None).unwrap();
            assert!(before - n_rows(&tables) <= PIECE_ROWS);
            n_pieces += 1;
            assert!(n_pieces < 100);
        }
        // Ten large chunks, two at once; four hundred runs of two units each; the rows of the first.
        assert!(n_pieces >= 1_500 / PIECE_ROWS + 800 / PIECE_ROWS + 5, "{n_pieces}");
        assert_eq!(n_rows(&tables), 10);
        let n_gone: i64 =
            tables.query_row("SELECT count(*) FROM gone", [], |row| row.get(0)).unwrap();
        assert_eq!(n_gone, 0);
        assert!(garbage.last_logs.is_empty());
    }

    #[test]
    fn a_run_is_remembered_as_long_as_the_log_may_have_blocks_of_it() {
        let tables = tables();
        let mut garbage = Garbage::default();
        let first = leave(&tables, 1, 0, 0);
        garbage.add(first);
        // The same id once more.
        let again = Gone { run: first.run, ..leave(&tables, 9, 0, 0) };
        let sql = "UPDATE gone SET run = (SELECT run FROM gone WHERE id = 1)";
        tables.execute(sql, []).unwrap();
        garbage.add(again);
        assert!(!garbage.sweep(&tables, Some(1)).unwrap());
        assert_eq!(garbage.last_log(first.run), Some(9));
        assert!(garbage.has_work(Some(2)));
        garbage.sweep(&tables, Some(2)).unwrap();
        assert_eq!(garbage.last_log(first.run), Some(9));
        assert!(!garbage.has_work(Some(9)));
        assert_eq!(Garbage::read(&tables).unwrap().last_log(first.run), Some(9));
        garbage.sweep(&tables, Some(10)).unwrap();
        assert_eq!(garbage.last_log(first.run), None);
        assert_eq!(Garbage::read(&tables).unwrap().last_log(again.run), None);
    }
}
