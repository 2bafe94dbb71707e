//! The handle.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use deadpool_postgres::Pool;
use futures::FutureExt;
use parking_lot::Mutex;
use stepwell_journal::{Epoch, Event, RunId, Seq, UnixMillis};
use stepwell_store::{
    Cluster, Commit, CommitError, DocumentError, DocumentPage, DocumentQuery, DocumentWrite,
    DueRun, Forget, Forgotten, Inboxed, LoadedRun, LogPage, LogQuery, NewRun, Post, PostError,
    Posted, RunPage, RunQuery, RunRow, StartError, Started, StatusCount, Store, StoreError,
    StoreReport, Tallied,
};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::check::Check;
use crate::cluster::Membership;
use crate::connect::Connector;
use crate::fault::{Fault, Outcome};
use crate::listen::Ear;
use crate::options::{Options, Target};
use crate::read::Work;
use crate::request::{
    Answer, CommitRequest, ImportRequest, Imported, PostRequest, Request, start_block,
};
use crate::stats::{Counters, Stats};
use crate::writer::{QUEUE_LEN, Shared, Writer};
use crate::{codec, documents, page, read, schema};

/// A store in a PostgreSQL database, which other processes may have open too. Clones are the same store.
///
/// It works on the tokio runtime that it was opened on. When the last clone goes, what is under way is finished
/// there; `close` waits for that.
#[derive(Clone)]
pub struct PostgresStore {
    inner: Arc<Inner>,
}

struct Inner {
    shared: Arc<Shared>,
    pool: Pool,
    runtime: Handle,
    writers: Mutex<Writers>,
    membership: Option<Membership>,
}

/// Nothing in it once the store is closed.
#[derive(Default)]
struct Writers {
    queues: Vec<mpsc::Sender<Request>>,
    tasks: Vec<JoinHandle<()>>,
}

impl PostgresStore {
    pub fn options() -> Options {
        Options::default()
    }

    /// Opens the store at an address, and creates its tables if there are none.
    pub async fn open(address: &str) -> Result<PostgresStore, StoreError> {
        Options::default().open(address).await
    }

    pub(crate) async fn open_with(
        options: Options,
        target: Target,
    ) -> Result<PostgresStore, StoreError> {
        let connector = Connector::new(&target, &options)?;
        let store = format!("{} (schema {})", target.shown, connector.schema);
        let failed = |fault: Fault| fault.into_error(&store);
        let link = connector.connect().await.map_err(failed)?;
        check_server(&link.client).await.map_err(failed)?;
        if options.creates {
            schema::migrate(&link.client, &connector.schema).await.map_err(failed)?;
        } else if schema::layout(&link.client, &connector.schema).await.map_err(failed)? == 0 {
            return Err(StoreError::Unavailable(format!("there is no store at {store}").into()));
        }
        drop(link);
        let pool = connector.pool(&options)?;
        let shared = Arc::new(Shared {
            connector,
            node: Uuid::now_v7(),
            is_shared: options.lease.is_some(),
            name: options.name,
            address: options.address,
            version: options.version,
            patience: options.patience,
            counters: Counters::default(),
            store,
        });
        let runtime = Handle::current();
        let mut writers = Writers::default();
        for n in 0..options.writers {
            let (queue, requests) = mpsc::channel(QUEUE_LEN);
            let writer = Writer::new(Arc::clone(&shared), n, requests);
            writers.queues.push(queue);
            writers.tasks.push(runtime.spawn(writer.run()));
        }
        let writers = Mutex::new(writers);
        let membership = options.lease.map(|lease| Membership {
            lease,
            ear: Ear::open(shared.connector.clone(), shared.node, lease / 2),
            joined: AtomicBool::new(false),
        });
        let inner = Inner { shared, pool, runtime, writers, membership };
        Ok(PostgresStore { inner: Arc::new(inner) })
    }

    /// Writes a run of another store as it is, with all that belongs to it. False, and nothing is written, if
    /// there is a run with its id.
    pub async fn import(&self, run: Imported) -> Result<bool, StoreError> {
        let run = Box::new(ImportRequest::new(run)?);
        self.write(|answer| Request::Import { run, answer }).await
    }

    pub fn stats(&self) -> Stats {
        self.inner.shared.counters.stats()
    }

    pub(crate) async fn write<T, E: From<StoreError>>(
        &self,
        request: impl FnOnce(Answer<T, E>) -> Request,
    ) -> Result<T, E> {
        let (answer, answered) = oneshot::channel();
        let request = request(answer);
        let queue = {
            let queues = &self.inner.writers.lock().queues;
            let n = request.run().map_or(0, codec::shard_of).unsigned_abs();
            let n_writers = queues.len().max(1);
            queues.get(usize::from(n) % n_writers).cloned()
        };
        let Some(queue) = queue else { return Err(StoreError::Closed.into()) };
        // Waits while the queue is full.
        queue.send(request).await.map_err(|_| StoreError::Closed)?;
        drop(queue);
        answered.await.unwrap_or_else(|_| Err(StoreError::Closed.into()))
    }

    /// Connections live on the store's runtime, whoever asks.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl Work<T> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        self.read_within(self.inner.shared.connector.answer_max, work).await
    }

    async fn read_within<T: Send + 'static>(
        &self,
        answer_max: Duration,
        work: impl Work<T> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        let inner = Arc::clone(&self.inner);
        let reading = self.inner.runtime.spawn(async move {
            read::read(&inner.pool, answer_max, inner.shared.patience, work).await
        });
        let found = reading.await.map_err(|error| StoreError::Unavailable(Box::new(error)))?;
        found.map_err(|fault| fault.into_error(&self.inner.shared.store))
    }

    pub(crate) fn membership(&self) -> Option<&Membership> {
        self.inner.membership.as_ref()
    }

    /// Where nodes tell each other.
    pub(crate) fn channel(&self) -> String {
        self.inner.shared.connector.channel()
    }

    pub(crate) fn node(&self) -> Uuid {
        self.inner.shared.node
    }

    /// The node whose runs are looked for; all runs if none.
    fn own_node(&self) -> Option<Uuid> {
        let membership = self.membership()?;
        membership.joined.load(Ordering::Acquire).then(|| self.node())
    }

    async fn look(&self, check: Check, part: Part) -> Result<(Check, bool), StoreError> {
        self.read_within(LOOK_MAX, move |reader| {
            let mut check = check.clone();
            async move {
                let more = match part {
                    Part::Runs => check.runs(reader).await?,
                    Part::Tally => check.tally(reader).await.map(|()| false)?,
                    Part::Documents => check.documents(reader).await.map(|()| false)?,
                };
                Ok((check, more))
            }
            .boxed()
        })
        .await
    }
}

/// How long a check may look at all rows of a table.
const LOOK_MAX: Duration = Duration::from_secs(3_600);

/// What a check looks at.
#[derive(Clone, Copy)]
enum Part {
    Runs,
    Tally,
    Documents,
}

/// Whether the database can hold what we write.
async fn check_server(client: &tokio_postgres::Client) -> Outcome<()> {
    let encoding: String = client.query_one("SHOW server_encoding", &[]).await?.try_get(0)?;
    if encoding != "UTF8" {
        return Err(Fault::Unavailable(format!(
            "the database has the encoding {encoding}; create it with ENCODING 'UTF8'"
        )));
    }
    Ok(())
}

#[async_trait]
impl Store for PostgresStore {
    async fn take_ownership(&self) -> Result<Epoch, StoreError> {
        self.write(|answer| Request::TakeOwnership { answer }).await
    }

    async fn start(&self, run: NewRun) -> Result<Started, StartError> {
        let block = start_block(&run)?;
        self.write(|answer| Request::Start { start: Box::new(run), block, answer }).await
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
        self.read(move |reader| read::load(reader, run).boxed()).await
    }

    async fn inbox(&self, run: RunId) -> Result<Vec<Inboxed>, StoreError> {
        self.read(move |reader| read::inbox(reader, run).boxed()).await
    }

    async fn row(&self, run: RunId) -> Result<Option<RunRow>, StoreError> {
        self.read(move |reader| read::row(reader, run).boxed()).await
    }

    async fn journal(&self, run: RunId, from: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.read(move |reader| read::journal(reader, run, from, limit).boxed()).await
    }

    async fn query(&self, query: RunQuery) -> Result<RunPage, StoreError> {
        let query = Arc::new(query);
        self.read(move |reader| {
            let query = Arc::clone(&query);
            async move { page::runs(reader, &query).await }.boxed()
        })
        .await
    }

    async fn tally(&self) -> Result<Vec<Tallied>, StoreError> {
        self.read(|reader| page::tally(reader).boxed()).await
    }

    async fn count(&self, query: &RunQuery) -> Result<Vec<StatusCount>, StoreError> {
        let query = Arc::new(query.clone());
        self.read(move |reader| {
            let query = Arc::clone(&query);
            async move { page::count(reader, &query).await }.boxed()
        })
        .await
    }

    async fn due(&self, until: UnixMillis, limit: usize) -> Result<Vec<DueRun>, StoreError> {
        let node = self.own_node();
        self.read(move |reader| read::due(reader, node, until, limit).boxed()).await
    }

    async fn runnable(&self, after: Option<RunId>, limit: usize) -> Result<Vec<RunId>, StoreError> {
        let node = self.own_node();
        self.read(move |reader| read::runnable(reader, node, after, limit).boxed()).await
    }

    async fn logs(&self, query: LogQuery) -> Result<LogPage, StoreError> {
        let query = Arc::new(query);
        self.read(move |reader| {
            let query = Arc::clone(&query);
            async move { page::lines(reader, &query).await }.boxed()
        })
        .await
    }

    async fn forget(&self, forget: Forget) -> Result<Forgotten, StoreError> {
        self.write(|answer| Request::Forget { forget: Box::new(forget), answer }).await
    }

    async fn write_documents(&self, writes: Vec<DocumentWrite>) -> Result<Vec<u64>, DocumentError> {
        DocumentWrite::check_all(&writes)?;
        self.write(|answer| Request::WriteDocuments { writes, answer }).await
    }

    async fn documents(&self, query: DocumentQuery) -> Result<DocumentPage, StoreError> {
        let query = Arc::new(query);
        self.read(move |reader| {
            let query = Arc::clone(&query);
            async move { documents::page(reader, &query).await }.boxed()
        })
        .await
    }

    async fn check(&self) -> Result<StoreReport, StoreError> {
        let (mut check, mut more) = self.look(Check::default(), Part::Runs).await?;
        while more {
            (check, more) = self.look(check, Part::Runs).await?;
        }
        let (check, _) = self.look(check, Part::Tally).await?;
        let (check, _) = self.look(check, Part::Documents).await?;
        Ok(check.report)
    }

    fn cluster(&self) -> Option<Arc<dyn Cluster>> {
        self.as_cluster()
    }

    async fn close(&self) {
        let writers = std::mem::take(&mut *self.inner.writers.lock());
        drop(writers.queues);
        for task in writers.tasks {
            // A panic of a writer has been printed; there is nothing to add.
            let _ = task.await;
        }
        if let Some(membership) = self.membership() {
            membership.ear.close();
        }
        self.inner.pool.close();
    }
}
