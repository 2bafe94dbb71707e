//! What a store that is opened reads: the log, and nothing else.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension};
use stepwell_journal::{Epoch, RunId};

use crate::batch::Numbers;
use crate::block::{Segment, read_blocks};
use crate::codec;
use crate::fault::{Fault, Outcome};
use crate::tail::{NewBlock, Tail};

pub(crate) fn read_numbers(connection: &Connection) -> Outcome<Numbers> {
    let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    let epoch = number("SELECT value FROM meta WHERE key = 'epoch'")?;
    let next_log = number("SELECT value FROM meta WHERE key = 'next_log'")?;
    let last_log = number("SELECT coalesce(max(id), 0) FROM log")?;
    Ok(Numbers {
        epoch: Epoch(epoch.max(0) as u64),
        next_run: number("SELECT coalesce(max(id), 0) + 1 FROM runs")?,
        next_log: next_log.max(last_log + 1),
    })
}

/// The tail as it was when the store was last written.
pub(crate) fn read_tail(connection: &Connection) -> Outcome<Tail> {
    let mut tail = Tail::default();
    let mut runs = HashMap::new();
    let mut select = connection.prepare("SELECT id, body FROM log ORDER BY id")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        let segment = Segment { log_id: row.get(0)?, bytes: row.get(1)? };
        let mut blocks = Vec::new();
        for (header, start, end) in read_blocks(&segment.bytes)? {
            let (id, folded) = match runs.get(&header.run) {
                Some(known) => *known,
                None => {
                    let read = read_run(connection, header.run)?;
                    runs.insert(header.run, read);
                    read
                }
            };
            if folded < segment.log_id {
                blocks.push(NewBlock { id, header, start, end });
            }
        }
        tail.add(segment, blocks);
    }
    Ok(tail)
}

fn read_run(connection: &Connection, run: RunId) -> Outcome<(i64, i64)> {
    connection
        .prepare_cached("SELECT id, folded FROM runs WHERE run = ?1")?
        .query_row([codec::blob(run)], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?
        .ok_or_else(|| Fault::Damaged(format!("the log has events of run {run}, which has no row")))
}
