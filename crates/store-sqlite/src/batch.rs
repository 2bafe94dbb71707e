//! One group of writes: judged, and written into a transaction that the writer commits.
//!
//! A write is judged before anything of it is written, so one that is refused leaves the others of its
//! group alone. Only a failure of the store itself ends the whole group.

use std::sync::Arc;

use rusqlite::{Connection, params};
use stepwell_journal::{Epoch, RunId};
use stepwell_store::{BeforeCommit, CommitError, NewRun, PostError, Posted, StartError, Started};

use crate::block::{Header, SEGMENT_BYTES, Segment};
use crate::codec;
use crate::count::{Family, Tally};
use crate::fault::Outcome;
use crate::garbage::{Garbage, Gone};
use crate::head::{Head, Heads, InboxHead};
use crate::queue::{CommitRequest, Encoded, PostRequest};
use crate::rows::{self, NewRow};
use crate::tail::{NewBlock, Tail};

/// What the writer knows from one batch to the next.
pub(crate) struct Numbers {
    pub epoch: Epoch,
    /// The number of the next run.
    pub next_run: i64,
    /// The next row of the log.
    pub next_log: i64,
    /// The revision of the next document that is written.
    pub next_revision: i64,
}

pub(crate) struct Batch<'a> {
    pub connection: &'a Connection,
    pub tail: &'a Tail,
    pub heads: &'a mut Heads,
    pub numbers: &'a mut Numbers,
    pub log: Log,
    pub tally: Tally,
    pub garbage: &'a Garbage,
    /// The runs that are forgotten.
    pub gone: Vec<Gone>,
    pub n_writes: usize,
    pub n_events: usize,
}

/// What a batch adds to the log.
#[derive(Default)]
pub(crate) struct Log {
    pub rows: Vec<(Vec<u8>, Vec<NewBlock>)>,
    pub n_bytes: usize,
}

impl Log {
    fn push(&mut self, id: i64, header: Header, events: &[u8]) {
        let is_full = self.rows.last().is_none_or(|(bytes, _)| {
            !bytes.is_empty() && bytes.len() + events.len() > SEGMENT_BYTES
        });
        if is_full {
            self.rows.push((Vec::with_capacity(SEGMENT_BYTES.min(self.n_bytes + 512)), Vec::new()));
        }
        let Some((bytes, blocks)) = self.rows.last_mut() else { return };
        let (start, end) = header.write(events, bytes);
        blocks.push(NewBlock { id, header, start, end });
        self.n_bytes += events.len();
    }
}

impl Batch<'_> {
    pub fn start(&mut self, start: &Encoded<NewRun>) -> Outcome<Result<Started, StartError>> {
        let new = &start.what;
        if let Some(key) = &new.idempotency_key {
            let started = &new.started;
            let seen =
                rows::keyed_run(self.connection, &started.namespace, &started.workflow, key)?;
            if let Some((run, input)) = seen {
                return Ok(Ok(new.existing(run, &input)));
            }
        }
        if self.heads.get(new.run, self.connection, self.tail)?.is_some() {
            return Ok(Err(StartError::RunExists { run: new.run }));
        }
        let id = self.numbers.next_run;
        self.numbers.next_run += 1;
        let row = new.row();
        let runnable = row.is_runnable(true);
        let key = new.idempotency_key.as_deref();
        // Blocks of a run that had this id and was forgotten are none of this run's.
        let folded = self.last_log_of_gone(new.run).unwrap_or(0);
        let new_row = NewRow { id, row: &row, runnable, key, folded };
        rows::insert_run(self.connection, &new_row)?;
        let family = Family { namespace: row.namespace, workflow: row.workflow };
        let family = Arc::new(family);
        self.tally.add(&family, row.status, 1);
        self.heads.insert(
            new.run,
            Head {
                id,
                family,
                next_seq: row.next_seq,
                status: row.status,
                wake_at: row.wake_at,
                updated_at: row.updated_at,
                created_at: row.created_at,
                labels: row.labels,
                cancelling: false,
                runnable,
                inbox: InboxHead { n_items: 0, next: 1, cancels: Vec::new() },
                next_line: Some(1),
            },
        );
        self.log.push(id, start.header, &start.events);
        self.n_writes += 1;
        self.n_events += 1 + new.copied.len();
        Ok(Ok(Started::Created))
    }

    pub fn commit(&mut self, request: &CommitRequest) -> Outcome<Result<(), CommitError>> {
        let commit = &request.commit;
        let (connection, epoch) = (self.connection, self.numbers.epoch);
        let Some(head) = self.heads.get(commit.run, connection, self.tail)? else {
            return Ok(Err(CommitError::UnknownRun { run: commit.run }));
        };
        let before = BeforeCommit {
            epoch,
            next_seq: head.next_seq,
            status: head.status,
            cancels: &head.inbox.cancels,
        };
        if let Err(error) = commit.check(before) {
            return Ok(Err(error));
        }
        if !commit.taken.is_empty() {
            rows::take(connection, head, &commit.taken)?;
        }
        let status = head.status;
        rows::follow(connection, head, commit)?;
        if head.status != status {
            self.tally.add(&head.family, status, -1);
            self.tally.add(&head.family, head.status, 1);
        }
        for line in &commit.logs {
            let number = head.take_line_number(connection)?;
            rows::insert_line(connection, head.id, number, line)?;
        }
        if let Some((header, events)) = &request.block {
            self.log.push(head.id, *header, events);
        }
        self.n_writes += 1;
        self.n_events += commit.events.len();
        for start in &request.starts {
            // A child that exists already is left as it is.
            let _ = self.start(start)?;
        }
        for post in &request.posts {
            // A post to a run that is gone is dropped in silence.
            let _ = self.post(post)?;
        }
        Ok(Ok(()))
    }

    pub fn post(&mut self, request: &PostRequest) -> Outcome<Result<Posted, PostError>> {
        let run: RunId = request.post.to;
        let connection = self.connection;
        let Some(head) = self.heads.get(run, connection, self.tail)? else {
            return Ok(Err(PostError::UnknownRun { run }));
        };
        if head.status.is_ended() {
            return Ok(Err(PostError::RunEnded { run, status: head.status }));
        }
        let n_inserted = connection
            .prepare_cached(
                "INSERT INTO inbox (run, item, n, at, cancels, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT DO NOTHING",
            )?
            .execute(params![
                head.id,
                codec::item_blob(request.post.id),
                head.inbox.next,
                codec::of_time(request.post.at),
                request.cancels(),
                request.body,
            ])?;
        if n_inserted == 0 {
            return Ok(Ok(Posted::Duplicate));
        }
        head.inbox.next += 1;
        head.inbox.n_items += 1;
        if request.cancels() {
            head.inbox.cancels.push(request.post.id);
        }
        rows::note_post(connection, head, request.cancels())?;
        self.n_writes += 1;
        Ok(Ok(Posted::Accepted))
    }

    fn last_log_of_gone(&self, run: RunId) -> Option<i64> {
        let of_this_batch = self.gone.iter().rev().find(|gone| gone.run == run);
        of_this_batch.map(|gone| gone.last_log).or_else(|| self.garbage.last_log(run))
    }

    pub fn take_ownership(&mut self) -> Outcome<Epoch> {
        let epoch = Epoch(self.numbers.epoch.0 + 1);
        let column = i64::try_from(epoch.0).unwrap_or(i64::MAX);
        self.connection
            .prepare_cached("UPDATE meta SET value = ?1 WHERE key = 'epoch'")?
            .execute([column])?;
        self.numbers.epoch = epoch;
        Ok(epoch)
    }

    /// Writes the log's rows; what they become in the tail once the transaction is committed.
    pub fn write_log(&mut self) -> Outcome<Vec<(Segment, Vec<NewBlock>)>> {
        let mut insert =
            self.connection.prepare_cached("INSERT INTO log (id, body) VALUES (?1, ?2)")?;
        let mut written = Vec::with_capacity(self.log.rows.len());
        for (bytes, blocks) in self.log.rows.drain(..) {
            let log_id = self.numbers.next_log;
            insert.execute(params![log_id, bytes])?;
            self.numbers.next_log += 1;
            written.push((Segment { log_id, bytes }, blocks));
        }
        Ok(written)
    }
}
