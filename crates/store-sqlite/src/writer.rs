//! The thread that writes.
//!
//! It takes everything that waits, writes it in one transaction with one sync, and answers. What comes
//! meanwhile waits for the next round. Between rounds it folds a piece of the log and keeps the
//! write-ahead log short.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::RwLock;
use rusqlite::Connection;
use stepwell_journal::Epoch;
use stepwell_store::{CommitError, PostError, Posted, StartError, Started, StoreError};

use crate::batch::{Batch, Log, Numbers};
use crate::block::Segment;
use crate::checkpoint::Checkpoints;
use crate::fault::{Fault, Outcome};
use crate::fold::fold_piece;
use crate::head::Heads;
use crate::lock::Lock;
use crate::options::{Options, Synchronous};
use crate::queue::{Answer, Queue, Request};
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

/// What the writer, the readers and the handles have in common.
pub(crate) struct Shared {
    pub store: String,
    pub path: PathBuf,
    pub options: Options,
    pub queue: Queue,
    pub tail: RwLock<Tail>,
    pub counters: Counters,
    pub closed: AtomicBool,
    /// Nobody waits for the end: leave the log as it is, the next opening reads it.
    pub hurry: AtomicBool,
}

pub(crate) struct Writer {
    shared: Arc<Shared>,
    connection: Connection,
    heads: Heads,
    numbers: Numbers,
    checkpoints: Checkpoints,
    _lock: Lock,
}

/// An answer that is due when its batch is on disk.
enum Due {
    Start(Answer<Started, StartError>, Result<Started, StartError>),
    Commit(Answer<(), CommitError>, Result<(), CommitError>),
    Post(Answer<Posted, PostError>, Result<Posted, PostError>),
    Own(Answer<Epoch, StoreError>, Epoch),
    Limited(Answer<(), StoreError>),
}

type Written = Vec<(Segment, Vec<NewBlock>)>;

impl Writer {
    pub fn new(shared: Arc<Shared>, mut connection: Connection, lock: Lock) -> Outcome<Writer> {
        let numbers = recover::read_numbers(&connection)?;
        *shared.tail.write() = recover::read_tail(&connection)?;
        let other = schema::open_other(&shared.path)?;
        let checkpoints = Checkpoints::start(&mut connection, other)?;
        let heads = Heads::default();
        Ok(Writer { shared, connection, heads, numbers, checkpoints, _lock: lock })
    }

    /// Writes until the queue is closed and empty.
    pub fn run(mut self) {
        let mut requests = Vec::new();
        while self.shared.queue.take(&mut requests) {
            while !requests.is_empty() {
                let n_requests = requests.len().min(BATCH_REQUESTS_MAX);
                self.write(requests.drain(..n_requests));
                self.tidy();
            }
        }
        self.finish();
    }

    /// Writes one group and answers all of it.
    fn write(&mut self, requests: impl Iterator<Item = Request>) {
        let mut due = Vec::with_capacity(requests.size_hint().0);
        let mut requests = requests;
        let outcome = self.transact(&mut requests, &mut due);
        match outcome {
            Ok(()) => due.into_iter().for_each(Due::send),
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
        let (written, counts) = self.apply(requests, due)?;
        let mut commit = self.connection.prepare_cached("COMMIT")?;
        {
            // Readers begin their snapshots under this lock: they see the tables and the tail of the
            // same moment.
            let mut tail = self.shared.tail.write();
            commit.execute([])?;
            for (segment, blocks) in written {
                tail.add(segment, blocks);
            }
        }
        let counters = &self.shared.counters;
        add(&counters.n_batches, 1);
        add(&counters.n_writes, counts.n_writes);
        add(&counters.n_events, counts.n_events);
        add(&counters.logged_bytes, counts.n_bytes);
        Ok(())
    }

    fn apply(
        &mut self,
        requests: &mut impl Iterator<Item = Request>,
        due: &mut Vec<Due>,
    ) -> Outcome<(Written, Counts)> {
        // Nobody else writes to the tail, so this lock only keeps out this thread's own mistakes.
        let tail = self.shared.tail.read();
        let mut batch = Batch {
            connection: &self.connection,
            tail: &tail,
            heads: &mut self.heads,
            numbers: &mut self.numbers,
            log: Log::default(),
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
        let written = batch.write_log()?;
        let counts = Counts {
            n_writes: batch.n_writes,
            n_events: batch.n_events,
            n_bytes: batch.log.n_bytes,
        };
        Ok((written, counts))
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
        if self.checkpoints.tidy(&self.connection) {
            add(&self.shared.counters.n_checkpoints, 1);
        }
    }

    fn tail_weight(&self) -> usize {
        self.shared.tail.read().weight()
    }

    /// Folds a piece. One that fails changes nothing, and is tried again after the next batch.
    fn fold(&mut self, weight_max: usize) -> bool {
        let last_log = self.numbers.next_log - 1;
        let full = self.shared.options.synchronous == Synchronous::Full;
        let folded = set_synchronous(&self.connection, full, Synchronous::Normal)
            .and_then(|()| fold_piece(&self.connection, &self.shared.tail, last_log, weight_max));
        if folded.is_err() && !self.connection.is_autocommit() {
            let _ = self.connection.execute_batch("ROLLBACK");
        }
        let restored = set_synchronous(&self.connection, full, Synchronous::Full);
        match folded.and_then(|folded| restored.map(|()| folded)) {
            Ok(folded) => {
                let counters = &self.shared.counters;
                add(&counters.n_folds, 1);
                add(&counters.n_folded_runs, folded.n_runs);
                add(&counters.folded_bytes, folded.n_bytes);
                folded.n_runs > 0
            }
            Err(fault) => {
                tracing::warn!(problem = fault.problem(), "failed to fold a piece of the log");
                false
            }
        }
    }

    fn finish(mut self) {
        self.shared.closed.store(true, Ordering::Release);
        if !self.shared.hurry.load(Ordering::Acquire) {
            while self.fold(LAST_PIECE_BYTES) {}
        }
        self.checkpoints.stop();
    }
}

/// Leaves the level alone if the user chose one that does not sync.
fn set_synchronous(connection: &Connection, full: bool, level: Synchronous) -> Outcome<()> {
    if full { schema::set_synchronous(connection, level) } else { Ok(()) }
}

struct Counts {
    n_writes: usize,
    n_events: usize,
    n_bytes: usize,
}

/// Writes one request into the batch, or gives it back if the store fails.
fn judge(
    batch: &mut Batch<'_>,
    request: Request,
    due: &mut Vec<Due>,
) -> Result<(), (Fault, Request)> {
    match request {
        Request::Start { start, answer } => match batch.start(&start) {
            Ok(result) => due.push(Due::Start(answer, result)),
            Err(fault) => return Err((fault, Request::Start { start, answer })),
        },
        Request::Commit { commit, answer } => match batch.commit(&commit) {
            Ok(result) => due.push(Due::Commit(answer, result)),
            Err(fault) => return Err((fault, Request::Commit { commit, answer })),
        },
        Request::Post { post, answer } => match batch.post(&post) {
            Ok(result) => due.push(Due::Post(answer, result)),
            Err(fault) => return Err((fault, Request::Post { post, answer })),
        },
        Request::TakeOwnership { answer } => match batch.take_ownership() {
            Ok(epoch) => due.push(Due::Own(answer, epoch)),
            Err(fault) => return Err((fault, Request::TakeOwnership { answer })),
        },
        Request::LimitPages { n_pages, answer } => {
            match batch.connection.pragma_update(None, "max_page_count", n_pages) {
                Ok(()) => due.push(Due::Limited(answer)),
                Err(error) => {
                    return Err((error.into(), Request::LimitPages { n_pages, answer }));
                }
            }
        }
    }
    Ok(())
}

impl Due {
    /// A caller who no longer waits does not change what was written.
    fn send(self) {
        match self {
            Due::Start(answer, result) => drop(answer.send(result)),
            Due::Commit(answer, result) => drop(answer.send(result)),
            Due::Post(answer, result) => drop(answer.send(result)),
            Due::Own(answer, epoch) => drop(answer.send(Ok(epoch))),
            Due::Limited(answer) => drop(answer.send(Ok(()))),
        }
    }

    fn fail(self, fault: &Fault, store: &str) {
        let error = fault.clone().into_error(store);
        match self {
            Due::Start(answer, _) => drop(answer.send(Err(error.into()))),
            Due::Commit(answer, _) => drop(answer.send(Err(error.into()))),
            Due::Post(answer, _) => drop(answer.send(Err(error.into()))),
            Due::Own(answer, _) => drop(answer.send(Err(error))),
            Due::Limited(answer) => drop(answer.send(Err(error))),
        }
    }
}

fn fail(request: Request, fault: &Fault, store: &str) {
    let error = fault.clone().into_error(store);
    match request {
        Request::Start { answer, .. } => drop(answer.send(Err(error.into()))),
        Request::Commit { answer, .. } => drop(answer.send(Err(error.into()))),
        Request::Post { answer, .. } => drop(answer.send(Err(error.into()))),
        Request::TakeOwnership { answer } => drop(answer.send(Err(error))),
        Request::LimitPages { answer, .. } => drop(answer.send(Err(error))),
    }
}
