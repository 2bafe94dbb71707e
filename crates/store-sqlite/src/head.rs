//! What the writer must know of a run to judge a commit, kept in memory for runs that are active.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension};
use stepwell_journal::{RunId, RunStatus, Seq, UnixMillis};
use stepwell_store::InboxId;
use uuid::Uuid;

use crate::codec;
use crate::count::Family;
use crate::fault::Outcome;
use crate::tail::Tail;

/// How many runs are remembered at least; twice as many at most, and those of one batch.
const HEADS_KEPT: usize = 8_192;

#[derive(Debug, Clone)]
pub(crate) struct Head {
    /// The run's number in the tables.
    pub id: i64,
    pub family: Arc<Family>,
    pub next_seq: Seq,
    pub status: RunStatus,
    pub wake_at: Option<UnixMillis>,
    pub updated_at: UnixMillis,
    pub created_at: UnixMillis,
    pub labels: BTreeMap<String, String>,
    pub cancelling: bool,
    /// What `runs.runnable` says.
    pub runnable: bool,
    pub inbox: InboxHead,
    /// The number of the next log line; none if nobody has asked yet.
    pub next_line: Option<i64>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct InboxHead {
    pub n_items: i64,
    /// The number of the next item.
    pub next: i64,
    pub cancels: Vec<InboxId>,
}

/// Two generations: what is used moves to the young one, and when that is full the old one goes.
#[derive(Default)]
pub(crate) struct Heads {
    young: HashMap<RunId, Head>,
    old: HashMap<RunId, Head>,
}

impl Heads {
    /// The head of a run, from memory or from the tables; none if the run is unknown.
    pub fn get(
        &mut self,
        run: RunId,
        connection: &Connection,
        tail: &Tail,
    ) -> Outcome<Option<&mut Head>> {
        // Asked twice because the borrow checker cannot see that the first answer ends the function.
        if !self.young.contains_key(&run) {
            let found = match self.old.remove(&run) {
                Some(head) => Some(head),
                None => read(run, connection, tail)?,
            };
            let Some(head) = found else { return Ok(None) };
            self.young.insert(run, head);
        }
        Ok(self.young.get_mut(&run))
    }

    pub fn insert(&mut self, run: RunId, head: Head) {
        self.young.insert(run, head);
    }

    /// Lets go of what was not used for long. Only between batches: within one, a head may know of
    /// writes that neither the tail nor the tables have yet.
    pub fn age(&mut self) {
        if self.young.len() > HEADS_KEPT {
            self.old = std::mem::take(&mut self.young);
        }
    }

    /// Lets go of a run that is gone.
    pub fn remove(&mut self, run: RunId) {
        self.young.remove(&run);
        self.old.remove(&run);
    }

    /// Forgets everything, because a transaction that heads knew of was rolled back.
    pub fn clear(&mut self) {
        self.young.clear();
        self.old.clear();
    }
}

fn read(run: RunId, connection: &Connection, tail: &Tail) -> Outcome<Option<Head>> {
    let mut select = connection.prepare_cached(
        "SELECT id, next_seq, status, wake_at, updated_at, created_at, labels, cancelling, runnable,
           namespace, workflow
         FROM runs WHERE run = ?1",
    )?;
    let mut rows = select.query([codec::blob(run)])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let mut head = Head {
        id: row.get(0)?,
        family: Arc::new(Family { namespace: row.get(9)?, workflow: row.get(10)? }),
        next_seq: codec::seq(row.get(1)?),
        status: codec::status(row.get(2)?)?,
        wake_at: row.get::<_, Option<i64>>(3)?.map(codec::time),
        updated_at: codec::time(row.get(4)?),
        created_at: codec::time(row.get(5)?),
        labels: codec::labels(row.get_ref(6)?)?,
        cancelling: row.get(7)?,
        runnable: row.get(8)?,
        inbox: InboxHead::default(),
        next_line: None,
    };
    head.inbox = read_inbox(head.id, connection)?;
    if let Some(tail) = tail.get(run) {
        head.next_seq = head.next_seq.max(tail.next_seq);
        head.updated_at = head.updated_at.max(tail.at);
    }
    Ok(Some(head))
}

fn read_inbox(id: i64, connection: &Connection) -> Outcome<InboxHead> {
    let mut count = connection
        .prepare_cached("SELECT count(*), coalesce(max(n), 0) + 1 FROM inbox WHERE run = ?1")?;
    let (n_items, next) = count.query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut inbox = InboxHead { n_items, next, cancels: Vec::new() };
    if n_items > 0 {
        let mut cancels =
            connection.prepare_cached("SELECT item FROM inbox WHERE run = ?1 AND cancels = 1")?;
        for item in cancels.query_map([id], |row| row.get::<_, [u8; 16]>(0))? {
            inbox.cancels.push(InboxId(Uuid::from_bytes(item?)));
        }
    }
    Ok(inbox)
}

impl Head {
    /// The number that the next line of the run's log gets.
    pub fn take_line_number(&mut self, connection: &Connection) -> Outcome<i64> {
        let next = match self.next_line {
            Some(next) => next,
            None => connection
                .prepare_cached("SELECT n FROM line WHERE run = ?1 ORDER BY n DESC LIMIT 1")?
                .query_row([self.id], |row| row.get::<_, i64>(0))
                .optional()?
                .map_or(1, |last| last + 1),
        };
        self.next_line = Some(next + 1);
        Ok(next)
    }
}
