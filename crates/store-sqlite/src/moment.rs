//! The tables and the tail as of one moment, without waiting for the disk.
//!
//! The writer commits first, which takes as long as the disk does, and then adds what it wrote to the tail. A
//! reader takes a snapshot of the tables, looks at the tail, and compares: the number of the log's last row
//! says whether the two belong together. If not, one of them is a moment ahead, and the reader tries again.

use rusqlite::{Connection, Transaction};

use crate::fault::Outcome;
use crate::read::begin;
use crate::tail::Tail;
use crate::writer::Shared;

/// After so many tries a reader keeps the writer from committing.
const TRIES_MAX: usize = 32;

pub(crate) fn at_one_moment<'c, T>(
    connection: &'c Connection,
    shared: &Shared,
    of_tail: impl Fn(&Tail) -> T,
) -> Outcome<(Transaction<'c>, T)> {
    for _ in 0..TRIES_MAX {
        let n_removals = shared.tail.read().n_removals();
        let tables = begin(connection)?;
        let last_log = last_log(&tables)?;
        let tail = shared.tail.read();
        if tail.last_log() == last_log && tail.n_removals() == n_removals {
            let of_tail = of_tail(&tail);
            return Ok((tables, of_tail));
        }
        drop(tail);
        std::thread::yield_now();
    }
    let _commits = shared.commits.read();
    let tables = begin(connection)?;
    let of_tail = of_tail(&shared.tail.read());
    Ok((tables, of_tail))
}

/// The number of the log's last row that ever was: rows before `next_log` may have been folded away.
fn last_log(tables: &Transaction<'_>) -> Outcome<i64> {
    let last = tables
        .prepare_cached(
            "SELECT max((SELECT coalesce(max(id), 0) FROM log),
                        (SELECT value - 1 FROM meta WHERE key = 'next_log'))",
        )?
        .query_row([], |row| row.get(0))?;
    Ok(last)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests may panic")]

    use super::*;
    use crate::block::Segment;
    use crate::schema;

    fn shared(path: &std::path::Path) -> Shared {
        Shared::new(path.to_owned(), crate::Options::default())
    }

    #[test]
    fn a_tail_that_is_behind_is_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("moment.db");
        let shared = shared(&path);
        let writer = schema::open_writer(&path, &shared.options).unwrap();
        let reader = schema::open_other(&path).unwrap();
        let log_id = |tail: &Tail| tail.last_log();
        assert_eq!(at_one_moment(&reader, &shared, log_id).unwrap().1, 0);

        writer.execute("INSERT INTO log VALUES (1, x'')", []).unwrap();
        std::thread::scope(|scope| {
            // Held as the writer holds it, so that the reader cannot give up comparing.
            let commits = shared.commits.write();
            let reading =
                scope.spawn(|| at_one_moment(&reader_of(&path), &shared, log_id).unwrap().1);
            shared.tail.write().add(Segment { log_id: 1, bytes: Vec::new() }, Vec::new());
            drop(commits);
            assert_eq!(reading.join().unwrap(), 1);
        });
    }

    #[test]
    fn what_never_fits_is_read_while_nobody_commits() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("moment.db");
        let shared = shared(&path);
        let writer = schema::open_writer(&path, &shared.options).unwrap();
        writer.execute("INSERT INTO log VALUES (7, x'')", []).unwrap();
        let reader = schema::open_other(&path).unwrap();
        let (tables, of_tail) = at_one_moment(&reader, &shared, Tail::last_log).unwrap();
        assert_eq!((last_log(&tables).unwrap(), of_tail), (7, 0));
    }

    fn reader_of(path: &std::path::Path) -> Connection {
        schema::open_other(path).unwrap()
    }
}
