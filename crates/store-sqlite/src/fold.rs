//! Moving journals out of the log to where each lies together.
//!
//! A piece is the oldest tails, whole, of about some weight; the writer folds one between two groups
//! of commits. A piece needs no sync of its own: until it is on disk the log still has everything.

use parking_lot::RwLock;
use rusqlite::{Connection, OptionalExtension, params};
use stepwell_journal::Seq;

use crate::codec;
use crate::fault::Outcome;
use crate::tail::{RunTail, Tail};

/// A chunk that is smaller than this takes in what comes next, if that is small. Larger means fewer and
/// longer rows to read, and more bytes that are written again.
const MERGE_BELOW_BYTES: usize = 4 * 1024;

/// What is as large as this is a chunk by itself: to look for the chunk before it would cost more than
/// the longer row saves.
const SMALL_BYTES: usize = 1024;
const _: () = assert!(SMALL_BYTES < MERGE_BELOW_BYTES);

/// What a piece has moved.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Folded {
    pub n_runs: usize,
    pub n_bytes: usize,
}

/// Folds tails of about this weight. `last_log` is the log's last row.
pub(crate) fn fold_piece(
    connection: &Connection,
    tail: &RwLock<Tail>,
    last_log: i64,
    weight_max: usize,
) -> Outcome<Folded> {
    let (oldest, emptied) = {
        let tail = tail.read();
        let oldest = tail.oldest(weight_max);
        let emptied = tail.emptied_by(&oldest);
        (oldest, emptied)
    };
    if oldest.is_empty() && emptied.is_empty() {
        return Ok(Folded::default());
    }
    let transaction = connection.unchecked_transaction()?;
    let mut folded = Folded { n_runs: oldest.len(), n_bytes: 0 };
    for (_, run) in &oldest {
        folded.n_bytes += run.n_bytes;
        fold_run(connection, run, last_log)?;
    }
    let mut delete = connection.prepare_cached("DELETE FROM log WHERE id = ?1")?;
    for id in &emptied {
        delete.execute([id])?;
    }
    connection
        .prepare_cached("UPDATE meta SET value = ?1 WHERE key = 'next_log'")?
        .execute([last_log + 1])?;

    let mut tail = tail.write();
    transaction.commit()?;
    tail.remove(&oldest, &emptied);
    Ok(folded)
}

fn fold_run(connection: &Connection, run: &RunTail, last_log: i64) -> Outcome<()> {
    if run.replaces {
        connection.prepare_cached("DELETE FROM chunk WHERE run = ?1")?.execute([run.id])?;
    }
    let mut chunk = match first_chunk(connection, run)? {
        Some(chunk) => chunk,
        None => Chunk {
            is_new: true,
            first_seq: run.first_seq(),
            body: Vec::with_capacity(run.n_bytes),
        },
    };
    for block in &run.blocks {
        chunk.append(block.first_seq, block.events(), |full| full.write(connection, run.id))?;
    }
    chunk.write(connection, run.id)?;
    connection
        .prepare_cached(
            "UPDATE runs SET folded = ?2, next_seq = max(next_seq, ?3),
               updated_at = max(updated_at, ?4)
             WHERE id = ?1",
        )?
        .execute(params![run.id, last_log, codec::of_seq(run.next_seq), codec::of_time(run.at)])?;
    Ok(())
}

/// The run's last chunk, if it is small enough to take in more.
fn first_chunk(connection: &Connection, run: &RunTail) -> Outcome<Option<Chunk>> {
    // The tail of a new run, or of a compacted one, begins at the beginning.
    if run.first_seq() == Seq(0) || run.n_bytes >= SMALL_BYTES {
        return Ok(None);
    }
    let last = connection
        .prepare_cached(
            "SELECT first_seq, body FROM chunk WHERE run = ?1 ORDER BY first_seq DESC LIMIT 1",
        )?
        .query_row([run.id], |row| {
            let body = row.get_ref(1)?.as_blob()?;
            let is_small = body.len() < MERGE_BELOW_BYTES;
            let first_seq = codec::seq(row.get(0)?);
            Ok(is_small.then(|| Chunk { is_new: false, first_seq, body: body.to_vec() }))
        })
        .optional()?;
    Ok(last.flatten())
}

/// A row of `chunk`: a block of events like any other.
struct Chunk {
    is_new: bool,
    first_seq: Seq,
    body: Vec<u8>,
}

impl Chunk {
    /// Takes in a block, or gives itself to `full` and begins anew with it if they do not fit
    /// together: one chunk has one format.
    fn append(
        &mut self,
        first_seq: Seq,
        events: &[u8],
        full: impl FnOnce(&Chunk) -> Outcome<()>,
    ) -> Outcome<()> {
        match (self.body.first(), events.split_first()) {
            (_, None) => {}
            (None, Some(_)) => self.body.extend_from_slice(events),
            (Some(ours), Some((theirs, rest))) if ours == theirs => {
                self.body.extend_from_slice(rest);
            }
            (Some(_), Some(_)) => {
                full(self)?;
                *self = Chunk { is_new: true, first_seq, body: events.to_vec() };
            }
        }
        Ok(())
    }

    fn write(&self, connection: &Connection, run: i64) -> Outcome<()> {
        // A format and no events: everything was compacted away.
        if self.body.len() <= 1 {
            return Ok(());
        }
        connection
            .prepare_cached(if self.is_new {
                "INSERT INTO chunk (run, first_seq, body) VALUES (?1, ?2, ?3)"
            } else {
                "UPDATE chunk SET body = ?3 WHERE run = ?1 AND first_seq = ?2"
            })?
            .execute(params![run, codec::of_seq(self.first_seq), self.body])?;
        Ok(())
    }
}
