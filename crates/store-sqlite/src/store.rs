//! The handle.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use async_trait::async_trait;
use parking_lot::Mutex;
use rusqlite::Connection;
use stepwell_journal::{Epoch, Event, RunId, Seq, UnixMillis};
use stepwell_store::{
    Commit, CommitError, DocumentError, DocumentPage, DocumentQuery, DocumentWrite, DueRun, Forget,
    Forgotten, Inboxed, LoadedRun, LogPage, LogQuery, NewRun, Post, PostError, Posted, RunPage,
    RunQuery, RunRow, StartError, Started, StatusCount, Store, StoreError, StoreReport, Tallied,
    WhyKept,
};
use tokio::sync::{oneshot, watch};

use crate::checkpoint;
use crate::fault::{Fault, Outcome};
use crate::forget::BITE_RUNS;
use crate::lock::{Lock, beside};
use crate::options::Options;
use crate::queue::{Answer, CommitRequest, Encoded, PostRequest, Request};
use crate::read::Readers;
use crate::stats::Stats;
use crate::writer::{Shared, Writer};
use crate::{backup, check, count, documents, forget, page, read, schema};

/// A store in one file. Clones are the same store.
///
/// The last clone to go ends the writer's thread and waits for that. `close` does more: it folds the
/// whole log, so that the next opening has nothing to read.
#[derive(Clone)]
pub struct SqliteStore {
    inner: Arc<Inner>,
}

struct Inner {
    shared: Arc<Shared>,
    readers: Readers,
    thread: Mutex<Option<JoinHandle<()>>>,
    ended: watch::Receiver<bool>,
}

impl SqliteStore {
    pub fn options() -> Options {
        Options::default()
    }

    /// Opens the store at `path`, and creates it if there is none.
    pub async fn open(path: impl AsRef<Path>) -> Result<SqliteStore, StoreError> {
        Options::default().open(path).await
    }

    pub(crate) async fn open_with(
        options: Options,
        path: PathBuf,
    ) -> Result<SqliteStore, StoreError> {
        // Two names of one file must meet at one lock.
        let path = std::fs::canonicalize(&path).unwrap_or(path);
        let shared = Arc::new(Shared::new(path, options));
        let (opened_tx, opened) = oneshot::channel();
        let (ended_tx, ended) = watch::channel(false);
        let thread = std::thread::Builder::new()
            .name("stepwell-writer".to_owned())
            .spawn({
                let shared = Arc::clone(&shared);
                move || {
                    let _end = End { shared: Arc::clone(&shared), ended_tx };
                    match open_writer(&shared) {
                        Ok(writer) => {
                            let _ = opened_tx.send(Ok(()));
                            writer.run();
                        }
                        Err(error) => drop(opened_tx.send(Err(error))),
                    }
                }
            })
            .map_err(|error| StoreError::Unavailable(Box::new(error)))?;
        let readers = Readers::new(shared.options.readers_max);
        let thread = Mutex::new(Some(thread));
        let store = SqliteStore { inner: Arc::new(Inner { shared, readers, thread, ended }) };
        opened.await.map_err(|_| StoreError::Closed)??;
        Ok(store)
    }

    pub fn stats(&self) -> Stats {
        let shared = &self.inner.shared;
        let tail = shared.tail.read();
        let bytes_of = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
        Stats {
            queue_len: shared.queue.len() as u64,
            tail_runs: tail.runs().len() as u64,
            tail_events: tail.n_events(),
            tail_bytes: tail.weight() as u64,
            log_bytes: tail.log_bytes() as u64,
            file_bytes: bytes_of(&shared.path),
            wal_bytes: bytes_of(&beside(&shared.path, "-wal")),
            ..shared.counters.stats()
        }
    }

    /// Copies the store as it is now into a new file, while writes go on. A file that is there already
    /// is replaced when the copy is whole.
    pub async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        let to = to.to_owned();
        self.read(move |connection, _| backup::backup(connection, &to)).await
    }

    /// The idempotency key that made the run, if one did.
    pub async fn key_of(&self, run: RunId) -> Result<Option<String>, StoreError> {
        self.read(move |connection, _| read::key_of(connection, run)).await
    }

    /// The kinds of documents that are there, in order.
    pub async fn document_kinds(&self) -> Result<Vec<String>, StoreError> {
        self.read(|connection, _| documents::kinds(connection)).await
    }

    /// Makes the disk as small as this, in pages of the file.
    #[doc(hidden)]
    pub async fn limit_pages(&self, n_pages: u32) -> Result<(), StoreError> {
        self.write(|answer| Request::LimitPages { n_pages, answer }).await
    }

    async fn write<T, E: From<StoreError>>(
        &self,
        request: impl FnOnce(Answer<T, E>) -> Request,
    ) -> Result<T, E> {
        let (answer, answered) = oneshot::channel();
        self.inner.shared.queue.push(request(answer));
        // The writer answers everything it takes; what it never took is dropped with the queue.
        answered.await.unwrap_or_else(|_| Err(StoreError::Closed.into()))
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &Shared) -> Outcome<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let inner = Arc::clone(&self.inner);
        if inner.shared.closed.load(Ordering::Acquire) {
            return Err(StoreError::Closed);
        }
        let permit = self.inner.readers.permits.acquire().await.map_err(|_| StoreError::Closed)?;
        let outcome = tokio::task::spawn_blocking(move || {
            inner
                .readers
                .read(&inner.shared, work)
                .map_err(|fault| fault.into_error(&inner.shared.store))
        });
        let outcome = outcome.await.map_err(|error| StoreError::Unavailable(Box::new(error)))?;
        drop(permit);
        outcome
    }
}

/// What must happen when the writer's thread ends, even if it panics: nobody may wait for it any more.
struct End {
    shared: Arc<Shared>,
    ended_tx: watch::Sender<bool>,
}

impl Drop for End {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Release);
        self.shared.queue.abandon();
        let _ = self.ended_tx.send(true);
    }
}

fn open_writer(shared: &Arc<Shared>) -> Result<Writer, StoreError> {
    let lock = Lock::take(&shared.path)?;
    let connection = schema::open_writer(&shared.path, &shared.options)?;
    checkpoint::make_room(&shared.path);
    Writer::new(Arc::clone(shared), connection, lock)
        .map_err(|fault: Fault| fault.into_error(&shared.store))
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.shared.hurry.store(true, Ordering::Release);
        self.shared.queue.close();
        if let Some(thread) = self.thread.lock().take() {
            // A panic of the writer has been printed; there is nothing to add.
            let _ = thread.join();
        }
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn take_ownership(&self) -> Result<Epoch, StoreError> {
        self.write(|answer| Request::TakeOwnership { answer }).await
    }

    async fn start(&self, run: NewRun) -> Result<Started, StartError> {
        let start = Box::new(Encoded::new(run)?);
        self.write(|answer| Request::Start { start, answer }).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        let commit = Box::new(CommitRequest::new(commit)?);
        self.write(|answer| Request::Commit { commit, answer }).await
    }

    async fn post(&self, post: Post) -> Result<Posted, PostError> {
        let post = Box::new(PostRequest::new(post)?);
        self.write(|answer| Request::Post { post, answer }).await
    }

    async fn load(&self, run: RunId) -> Result<Option<LoadedRun>, StoreError> {
        self.read(move |connection, shared| read::load(connection, shared, run)).await
    }

    async fn inbox(&self, run: RunId) -> Result<Vec<Inboxed>, StoreError> {
        self.read(move |connection, shared| read::inbox(connection, shared, run)).await
    }

    async fn row(&self, run: RunId) -> Result<Option<RunRow>, StoreError> {
        self.read(move |connection, shared| read::row(connection, shared, run)).await
    }

    async fn journal(&self, run: RunId, from: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        let shared = &self.inner.shared;
        if let Some(events) = read::journal_in_tail(shared, run, from, limit)
            && !shared.closed.load(Ordering::Acquire)
        {
            return events.map_err(|fault| fault.into_error(&shared.store));
        }
        self.read(move |connection, shared| read::journal(connection, shared, run, from, limit))
            .await
    }

    async fn query(&self, query: RunQuery) -> Result<RunPage, StoreError> {
        self.read(move |connection, shared| page::runs(connection, shared, &query)).await
    }

    async fn tally(&self) -> Result<Vec<Tallied>, StoreError> {
        self.read(|connection, _| count::tally(connection)).await
    }

    async fn count(&self, query: &RunQuery) -> Result<Vec<StatusCount>, StoreError> {
        let query = query.clone();
        self.read(move |connection, shared| count::count(connection, shared, &query)).await
    }

    async fn due(&self, until: UnixMillis, limit: usize) -> Result<Vec<DueRun>, StoreError> {
        self.read(move |connection, _| read::due(connection, until, limit)).await
    }

    async fn runnable(&self, after: Option<RunId>, limit: usize) -> Result<Vec<RunId>, StoreError> {
        self.read(move |connection, _| read::runnable(connection, after, limit)).await
    }

    async fn logs(&self, query: LogQuery) -> Result<LogPage, StoreError> {
        self.read(move |connection, _| page::lines(connection, &query)).await
    }

    async fn forget(&self, forget: Forget) -> Result<Forgotten, StoreError> {
        let is_named = !forget.runs.is_empty();
        let forget = Arc::new(forget);
        let runs = if is_named {
            forget.named()
        } else {
            let forget = Arc::clone(&forget);
            self.read(move |connection, _| forget::candidates(connection, &forget)).await?
        };
        let mut forgotten = Forgotten::default();
        let mut rest = &runs[..];
        while let n_runs @ 1.. = rest.len().min(forget.n_runs() - forgotten.runs.len()) {
            let (bite, later) = rest.split_at(n_runs.min(BITE_RUNS));
            rest = later;
            let (forget, runs) = (Arc::clone(&forget), bite.to_vec());
            let results = self.write(|answer| Request::Forget { forget, runs, answer }).await?;
            for (run, result) in bite.iter().zip(results) {
                forgotten.note(*run, result);
            }
        }
        rest.iter().for_each(|run| forgotten.note(*run, Err(WhyKept::OverLimit)));
        if !is_named {
            forgotten.kept.clear();
        }
        Ok(forgotten)
    }

    async fn write_documents(&self, writes: Vec<DocumentWrite>) -> Result<Vec<u64>, DocumentError> {
        DocumentWrite::check_all(&writes)?;
        self.write(|answer| Request::Documents { writes, answer }).await
    }

    async fn documents(&self, query: DocumentQuery) -> Result<DocumentPage, StoreError> {
        self.read(move |connection, _| documents::page(connection, &query)).await
    }

    async fn check(&self) -> Result<StoreReport, StoreError> {
        self.read(check::check).await
    }

    async fn close(&self) {
        self.inner.shared.closed.store(true, Ordering::Release);
        self.inner.readers.close();
        self.inner.shared.queue.close();
        // The sender goes when the thread ends, however it ends.
        let _ = self.inner.ended.clone().wait_for(|ended| *ended).await;
    }
}
