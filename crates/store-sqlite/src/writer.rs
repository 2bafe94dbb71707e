//! The thread that writes.
//!
//! It takes everything that waits, writes it in one transaction with one sync, and answers. What comes
//! meanwhile waits for the next round. Between rounds it folds a piece of the log and keeps the
//! write-ahead log short.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use parking_lot::RwLock;
use rusqlite::Connection;

use crate::batch::{Batch, Log, Numbers};
use crate::block::Segment;
use crate::checkpoint::Checkpoints;
use crate::count::Tally;
use crate::due::{Due, fail, judge};
use crate::fault::{Fault, Outcome};
use crate::fold::fold_piece;
use crate::garbage::{Garbage, Gone};
use crate::head::Heads;
use crate::lock::Lock;
use crate::options::{Options, Synchronous};
use crate::queue::{Queue, Request};
use crate::stats::{Counters, add};
use crate::tail::{NewBlock, Tail};
use crate::{recover, schema};

/// More requests than this do not share a transaction, so that the first of them need not wait for
/// ever.
const BATCH_REQUESTS_MAX: usize = 16_384;

/// The least that is folded between two batches: a millisecond of work.
const PIECE_BYTES_MIN: usize = 64 * 1024;

/// How much is folded at once when the store is closed and nobody waits for a commit.
const LAST_PIECE_BYTES: usize = 1024 * 1024;

/// How many bytes of rows of the log, needed or not, count like one byte that waits to be folded. Rows are
/// kept for the last of their blocks, so the log is about twice as long as what is needed of it; this keeps
/// it from becoming much longer.
const LOG_PER_WEIGHT: usize = 4;

/// What the writer, the readers and the handles have in common.
pub(crate) struct Shared {
    pub store: String,
    pub path: PathBuf,
    pub options: Options,
    pub queue: Queue,
    pub tail: RwLock<Tail>,
    /// Held by the writer from a commit until the tail has it.
    pub commits: RwLock<()>,
    pub counters: Counters,
    pub closed: AtomicBool,
    /// Nobody waits for the end: leave the log as it is, the next opening reads it.
    pub hurry: AtomicBool,
}

impl Shared {
    pub fn new(path: PathBuf, options: Options) -> Shared {
        Shared {
            store: path.display().to_string(),
            path,
            options,
            queue: Queue::default(),
            tail: RwLock::default(),
            commits: RwLock::default(),
            counters: Counters::default(),
            closed: AtomicBool::new(false),
            hurry: AtomicBool::new(false),
        }
    }
}

pub(crate) struct Writer {
    shared: Arc<Shared>,
    connection: Connection,
    heads: Heads,
    numbers: Numbers,
    garbage: Garbage,
    checkpoints: Checkpoints,
    _lock: Lock,
}

impl Writer {
    pub fn new(shared: Arc<Shared>, mut connection: Connection, lock: Lock) -> Outcome<Writer> {
        let numbers = recover::read_numbers(&connection)?;
        let garbage = Garbage::read(&connection)?;
        let mut tail = recover::read_tail(&connection, &garbage)?;
        tail.log_was_up_to(numbers.next_log - 1);
        *shared.tail.write() = tail;
        let other = schema::open_other(&shared.path)?;
        let checkpoints = Checkpoints::start(&mut connection, other)?;
        let heads = Heads::default();
        Ok(Writer { shared, connection, heads, numbers, garbage, checkpoints, _lock: lock })
    }

    /// Writes until the queue is closed and empty.
    pub fn run(mut self) {
        let mut requests = Vec::new();
        while let Some(since) = self.shared.queue.take(&mut requests) {
            forget_first(&mut requests);
            while !requests.is_empty() {
                let n_requests = requests.len().min(BATCH_REQUESTS_MAX);
                self.write(requests.drain(..n_requests), since);
                self.tidy();
            }
        }
        self.finish();
    }

    /// Writes one group and answers all of it.
    fn write(&mut self, requests: impl ExactSizeIterator<Item = Request>, since: Instant) {
        let n_requests = requests.len();
        let mut due = Vec::with_capacity(n_requests);
        let mut requests = requests;
        let outcome = self.transact(&mut requests, &mut due);
        match outcome {
            Ok(()) => {
                self.shared.counters.batch_writes.note(n_requests as u64);
                let waited = u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX);
                self.shared.counters.commit_us.note(waited);
                due.into_iter().for_each(Due::send);
            }
            Err(fault) => {
                if !self.connection.is_autocommit() {
                    // SQLite may have rolled back by itself; if this fails, the next batch says why.
                    let _ = self.connection.execute_batch("ROLLBACK");
                }
                self.heads.clear();
                if let Ok(numbers) = recover::read_numbers(&self.connection) {
                    self.numbers = numbers;
                }
                if matches!(fault, Fault::SyncFailed(_)) {
                    tracing::error!(
                        problem = fault.problem(),
                        "the store is closed: a sync failed"
                    );
                    self.shared.closed.store(true, Ordering::Release);
                    self.shared.queue.close();
                }
                let store = &self.shared.store;
                due.into_iter().for_each(|due| due.fail(&fault, store));
                requests.for_each(|request| fail(request, &fault, store));
            }
        }
    }

    fn transact(
        &mut self,
        requests: &mut impl Iterator<Item = Request>,
        due: &mut Vec<Due>,
    ) -> Outcome<()> {
        self.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        let Applied { written, gone, n_writes, n_events, n_bytes } = self.apply(requests, due)?;
        let gone_runs: Vec<_> = gone.iter().map(|gone| gone.run).collect();
        let mut commit = self.connection.prepare_cached("COMMIT")?;
        {
            let _commits = self.shared.commits.write();
            // Readers notice whether rows were added to the log, and wait for the tail only then. That a run
            // is gone they could not notice.
            let before = (!gone_runs.is_empty()).then(|| self.shared.tail.write());
            commit.execute([])?;
            let mut tail = before.unwrap_or_else(|| self.shared.tail.write());
            tail.forget(&gone_runs);
            for (segment, blocks) in written {
                tail.add(segment, blocks);
            }
        }
        drop(commit);
        let counters = &self.shared.counters;
        add(&counters.n_batches, 1);
        add(&counters.n_writes, n_writes);
        add(&counters.n_events, n_events);
        add(&counters.logged_bytes, n_bytes);
        add(&counters.n_forgotten, gone.len());
        gone.into_iter().for_each(|gone| self.garbage.add(gone));
        Ok(())
    }

    fn apply(
        &mut self,
        requests: &mut impl Iterator<Item = Request>,
        due: &mut Vec<Due>,
    ) -> Outcome<Applied> {
        // Nobody else writes to the tail, so this lock only keeps out this thread's own mistakes.
        let tail = self.shared.tail.read();
        let mut batch = Batch {
            connection: &self.connection,
            tail: &tail,
            heads: &mut self.heads,
            numbers: &mut self.numbers,
            log: Log::default(),
            tally: Tally::default(),
            garbage: &self.garbage,
            gone: Vec::new(),
            n_writes: 0,
            n_events: 0,
        };
        let mut failed = None;
        for request in requests {
            if let Err((fault, request)) = judge(&mut batch, request, due) {
                failed = Some((fault, request));
                break;
            }
        }
        if let Some((fault, request)) = failed {
            fail(request, &fault, &self.shared.store);
            return Err(fault);
        }
        batch.tally.write(batch.connection)?;
        Ok(Applied {
            written: batch.write_log()?,
            gone: batch.gone,
            n_writes: batch.n_writes,
            n_events: batch.n_events,
            n_bytes: batch.log.n_bytes,
        })
    }

    /// What can be done while nobody waits for it.
    fn tidy(&mut self) {
        self.heads.age();
        let weight_max = self.shared.options.fold_bytes;
        let excess = self.tail_weight().saturating_sub(weight_max);
        if excess > 0 {
            // Half of it: a burst is folded in pieces that grow no larger than the batches that made
            // it, and under steady load the tail settles at twice a batch above its bound.
            self.fold((excess / 2).max(PIECE_BYTES_MIN));
        }
        while self.shared.queue.is_empty()
            && self.tail_weight() > weight_max / 2
            && self.fold(PIECE_BYTES_MIN)
        {}
        while self.sweep() && self.shared.queue.is_empty() {}
        if self.checkpoints.tidy(&self.connection) {
            add(&self.shared.counters.n_checkpoints, 1);
        }
    }

    /// What there is to fold. Rows of the log that are kept for a few blocks count, too.
    fn tail_weight(&self) -> usize {
        let tail = self.shared.tail.read();
        tail.weight().max(tail.log_bytes() / LOG_PER_WEIGHT)
    }

    /// Folds a piece. Says whether there was something to fold.
    fn fold(&mut self, weight_max: usize) -> bool {
        let last_log = self.numbers.next_log - 1;
        let shared = Arc::clone(&self.shared);
        let folded = self.work_unsynced("fold a piece of the log", |writer| {
            let _commits = shared.commits.write();
            fold_piece(&writer.connection, &shared.tail, last_log, weight_max)
        });
        let Some(folded) = folded else { return false };
        let counters = &self.shared.counters;
        add(&counters.n_folds, 1);
        add(&counters.n_folded_runs, folded.n_runs);
        add(&counters.folded_bytes, folded.n_bytes);
        folded.n_runs > 0
    }

    /// Sweeps away a piece of what forgotten runs have left. Says whether there is more.
    fn sweep(&mut self) -> bool {
        let first_log = self.shared.tail.read().first_log();
        if !self.garbage.has_work(first_log) {
            return false;
        }
        let more = self.work_unsynced("sweep away forgotten runs", |writer| {
            writer.garbage.sweep(&writer.connection, first_log)
        });
        more.unwrap_or(false)
    }

    /// Does something that may be lost in a crash because it would be done again. If it fails, it has changed
    /// nothing, and is tried again after the next batch.
    fn work_unsynced<T>(
        &mut self,
        what: &str,
        work: impl FnOnce(&mut Writer) -> Outcome<T>,
    ) -> Option<T> {
        let full = self.shared.options.synchronous == Synchronous::Full;
        let worked =
            set_synchronous(&self.connection, full, Synchronous::Normal).and_then(|()| work(self));
        if worked.is_err() && !self.connection.is_autocommit() {
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        let restored = set_synchronous(&self.connection, full, Synchronous::Full);
        match worked.and_then(|worked| restored.map(|()| worked)) {
            Ok(worked) => Some(worked),
            Err(fault) => {
                tracing::warn!(problem = fault.problem(), "failed to {what}");
                None
            }
        }
    }

    fn finish(mut self) {
        self.shared.closed.store(true, Ordering::Release);
        if !self.shared.hurry.load(Ordering::Acquire) {
            while self.fold(LAST_PIECE_BYTES) {}
            while self.sweep() {}
        }
        self.checkpoints.stop();
    }
}

/// Leaves the level alone if the user chose one that does not sync.
fn set_synchronous(connection: &Connection, full: bool, level: Synchronous) -> Outcome<()> {
    if full { schema::set_synchronous(connection, level) } else { Ok(()) }
}

/// Runs are forgotten before anything else of a batch is written: then all there is of them in the log is
/// in rows that are there already. Nobody can tell, because nothing in a batch was acknowledged before.
fn forget_first(requests: &mut [Request]) {
    if requests.iter().any(is_forget) {
        requests.sort_by_key(|request| !is_forget(request));
    }
}

fn is_forget(request: &Request) -> bool {
    matches!(request, Request::Forget { .. })
}

/// What a batch has written into its transaction.
struct Applied {
    written: Vec<(Segment, Vec<NewBlock>)>,
    gone: Vec<Gone>,
    n_writes: usize,
    n_events: usize,
    n_bytes: usize,
}
