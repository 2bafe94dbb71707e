//! What a store that is opened reads: the log, and nothing else.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension};
use stepwell_journal::{Epoch, RunId};

use crate::batch::Numbers;
use crate::block::{Segment, read_blocks};
use crate::codec;
use crate::fault::{Fault, Outcome};
use crate::garbage::Garbage;
use crate::tail::{NewBlock, Tail};

pub(crate) fn read_numbers(connection: &Connection) -> Outcome<Numbers> {
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let epoch = number("SELECT value FROM meta WHERE key = 'epoch'")?;
    let next_log = number("SELECT value FROM meta WHERE key = 'next_log'")?;
    let next_run = number("SELECT value FROM meta WHERE key = 'next_run'")?;
    let next_revision = number("SELECT value FROM meta WHERE key = 'next_revision'")?;
    let last_log = number("SELECT coalesce(max(id), 0) FROM log")?;
    Ok(Numbers {
        epoch: Epoch(epoch.max(0) as u64),
        next_run: next_run.max(number("SELECT coalesce(max(id), 0) + 1 FROM runs")?),
        next_log: next_log.max(last_log + 1),
        next_revision,
    })
}

/// The tail as it was when the store was last written.
pub(crate) fn read_tail(connection: &Connection, garbage: &Garbage) -> Outcome<Tail> {
    let mut tail = Tail::default();
    let mut runs = HashMap::new();
    let mut select = connection.prepare("SELECT id, body FROM log ORDER BY id")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let segment = Segment { log_id: row.get(0)?, bytes: row.get(1)? };
        let mut blocks = Vec::new();
        for (header, start, end) in read_blocks(&segment.bytes)? {
            let run = header.run;
            let known = match runs.get(&run) {
                Some(known) => *known,
                None => {
                    let read = read_run(connection, run)?;
                    runs.insert(run, read);
                    read
                }
            };
            match known {
                Some((id, folded)) if folded < segment.log_id => {
                    blocks.push(NewBlock { id, header, start, end });
                }
                Some(_) => {}
                None if garbage.last_log(run) >= Some(segment.log_id) => {}
                None => {
                    let problem = format!("the log has events of run {run}, which has no row");
                    return Err(Fault::Damaged(problem));
                }
            }
        }
        tail.add(segment, blocks);
    }
    Ok(tail)
}

/// The run's number, and the last row of the log that holds nothing of it.
fn read_run(connection: &Connection, run: RunId) -> Outcome<Option<(i64, i64)>> {
    let read = connection
        .prepare_cached("SELECT id, folded FROM runs WHERE run = ?1")?
        .query_row([codec::blob(run)], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    Ok(read)
}
