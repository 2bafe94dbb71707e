//! One connection that writes, and the task that owns it.
//!
//! ```text
//!  callers ──encode──▶ queue ──▶ writer: BEGIN, mark, read and lock what the group names   (one round trip)
//!                                        judge in memory
//!                                        write all of it, COMMIT                           (one round trip)
//!                              or all of that at once, if what must be read is remembered (one round trip): see `kept`
//! ```
//!
//! The *mark* is the number of the transaction, written into the writer's own row before anything else. It
//! has two uses. Whoever takes shards from this node locks that row, and so waits until nothing of this node is
//! under way. And if the connection is lost after the commit was sent, the next connection reads the row: it
//! waits there until the old transaction is over, and the number says whether it was committed.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_postgres::Client;
use uuid::Uuid;

use crate::connect::{Connector, Link};
use crate::fault::{Fault, Outcome};
use crate::given::{Given, deliver};
use crate::kept::Kept;
use crate::request::Request;
use crate::statements::Statements;
use crate::stats::Counters;
use crate::{documents, forget, group, lease};

/// Callers wait for their answers anyway; a longer queue would only hide a slow database.
pub(crate) const QUEUE_LEN: usize = 4_096;
/// The most requests that share a transaction.
const BATCH_REQUESTS_MAX: usize = 1_024;
/// A transaction takes no more requests when it has this many bytes.
const BATCH_BYTES: usize = 16 * 1024 * 1024;
/// How often a transaction is tried again because others were there first.
const CONFLICTS_MAX: u32 = 32;
const PAUSE: Duration = Duration::from_millis(5);
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// Every statement of a writer finds its rows by their keys. Left to itself, the server reads whole tables for a large
/// group, plans anew for each, and compiles what looks expensive. Databases that only speak PostgreSQL's language may not
/// have all of these settings.
const PLANS: &str = "SELECT set_config(s.name, u.value, false) FROM pg_settings s JOIN (VALUES
       ('enable_seqscan', 'off'), ('enable_hashjoin', 'off'), ('enable_mergejoin', 'off'),
       ('plan_cache_mode', 'force_generic_plan'), ('jit', 'off')) AS u (name, value) ON s.name = u.name";

/// What all writers of a store share.
pub(crate) struct Shared {
    pub connector: Connector,
    pub node: Uuid,
    /// See [`Open`].
    pub is_shared: bool,
    pub name: String,
    pub address: Option<String>,
    pub version: String,
    pub patience: Duration,
    pub counters: Counters,
    /// The store's address, as it may be shown.
    pub store: String,
}

pub(crate) struct Writer {
    shared: Arc<Shared>,
    n: i16,
    queue: mpsc::Receiver<Request>,
    /// Taken from the queue, and not yet in a transaction.
    next: Option<Request>,
    link: Option<Prepared>,
    /// The number of the latest transaction that was tried.
    batch: i64,
    kept: Kept,
}

/// A connection that can write.
struct Prepared {
    link: Link,
    sql: Statements,
}

/// The transaction that a piece of work is done in. It has begun, and its mark is set.
#[derive(Clone, Copy)]
pub(crate) struct Open<'a> {
    pub client: &'a Client,
    pub sql: &'a Statements,
    pub node: Uuid,
    /// Others own runs too, and must be told.
    pub is_shared: bool,
    /// Where this writer counts runs.
    pub slot: i16,
}

/// How a transaction went.
pub(crate) enum Tried {
    Done(Given),
    /// The commit was sent, and no answer came.
    InDoubt(Given, Fault),
    /// Nothing was written.
    Failed(Fault),
}

impl Tried {
    /// The outcome of what was sent together with the commit.
    pub fn of(given: Given, written: Outcome<()>) -> Tried {
        match written {
            Ok(()) => Tried::Done(given),
            Err(fault) if fault.is_lost() => Tried::InDoubt(given, fault),
            Err(fault) => Tried::Failed(fault),
        }
    }
}

impl Writer {
    pub fn new(shared: Arc<Shared>, n: u16, queue: mpsc::Receiver<Request>) -> Writer {
        Writer {
            shared,
            n: n as i16,
            queue,
            next: None,
            link: None,
            batch: 0,
            kept: Kept::default(),
        }
    }

    /// Works until nobody can ask for anything any more.
    pub async fn run(mut self) {
        while let Some(requests) = self.take().await {
            self.perform(requests).await;
        }
    }

    /// What waits, up to what fits into a transaction.
    async fn take(&mut self) -> Option<Vec<Request>> {
        let first = match self.next.take() {
            Some(first) => first,
            None => self.queue.recv().await?,
        };
        let (mut n_bytes, shares) = (first.n_bytes(), first.is_batched());
        let mut requests = vec![first];
        while shares && requests.len() < BATCH_REQUESTS_MAX && n_bytes < BATCH_BYTES {
            let Ok(request) = self.queue.try_recv() else { break };
            if !request.is_batched() {
                self.next = Some(request);
                break;
            }
            n_bytes += request.n_bytes();
            requests.push(request);
        }
        Some(requests)
    }

    async fn perform(&mut self, requests: Vec<Request>) {
        match self.settle(&requests).await {
            Ok(given) => {
                Counters::add(&self.shared.counters.transactions, 1);
                Counters::add(&self.shared.counters.requests, requests.len() as u64);
                deliver(requests, given);
            }
            // One that the database refuses must not harm those that it shares a transaction with.
            Err(Fault::Unavailable(_) | Fault::Damaged(_)) if requests.len() > 1 => {
                for request in requests {
                    let alone = vec![request];
                    match self.settle(&alone).await {
                        Ok(given) => deliver(alone, given),
                        Err(fault) => self.fail(alone, &fault),
                    }
                }
            }
            Err(fault) => {
                let is_lost = fault.is_lost();
                self.fail(requests, &fault);
                // The others have waited as long as their caller should.
                while is_lost && let Ok(request) = self.queue.try_recv() {
                    request.fail(fault.clone(), &self.shared.store);
                }
            }
        }
    }

    fn fail(&self, requests: Vec<Request>, fault: &Fault) {
        for request in requests {
            request.fail(fault.clone(), &self.shared.store);
        }
    }

    /// Tries until the work is committed or cannot be.
    async fn settle(&mut self, requests: &[Request]) -> Outcome<Given> {
        let deadline = Instant::now() + self.shared.patience;
        let mut n_conflicts = 0;
        let mut is_careful = false;
        loop {
            let shared = Arc::clone(&self.shared);
            self.connect(deadline).await?;
            let Some(Prepared { link, sql }) = &self.link else { continue };
            self.batch += 1;
            let slot = shared.slot(self.n);
            let Shared { node, is_shared, .. } = *shared;
            let open = Open { client: &link.client, sql, node, is_shared, slot };
            let mark = (node, self.n, self.batch);
            let tried = attempt(&shared, open, mark, requests, &mut self.kept, is_careful).await;
            if !matches!(tried, Tried::Done(_)) {
                self.kept.clear();
                is_careful = true;
            }
            match tried {
                Tried::Done(mut given) => {
                    if let Given::Verdicts(_, learned) = &mut given {
                        self.kept.learn(std::mem::take(learned));
                    }
                    return Ok(given);
                }
                Tried::InDoubt(given, fault) => {
                    self.link = None;
                    tracing::warn!(?fault, "a commit was not answered; looking what became of it");
                    let counters = &shared.counters;
                    if self.was_committed(deadline).await? {
                        Counters::add(&counters.found_committed, 1);
                        return Ok(given);
                    }
                    Counters::add(&counters.found_undone, 1);
                }
                Tried::Failed(Fault::Stale(_)) => {
                    Counters::add(&shared.counters.stale, 1);
                    self.roll_back().await;
                }
                Tried::Failed(Fault::Conflict(_)) if n_conflicts < CONFLICTS_MAX => {
                    n_conflicts += 1;
                    Counters::add(&shared.counters.conflicts, 1);
                    self.roll_back().await;
                    // Two that met once should not meet again in step.
                    let pause = PAUSE * (n_conflicts + u32::from(slot.unsigned_abs() % 4));
                    tokio::time::sleep(pause.min(PAUSE_MAX)).await;
                }
                Tried::Failed(fault) if fault.is_lost() && Instant::now() < deadline => {
                    self.link = None;
                }
                Tried::Failed(fault) => {
                    self.roll_back().await;
                    return Err(fault);
                }
            }
        }
    }

    async fn roll_back(&mut self) {
        let Some(prepared) = &self.link else { return };
        let client = &prepared.link.client;
        let rolled_back =
            self.shared.connector.in_time(async { Ok(client.batch_execute("ROLLBACK").await?) });
        if rolled_back.await.is_err() {
            self.link = None;
        }
    }

    /// Makes sure that there is a connection, and tries until the deadline.
    async fn connect(&mut self, deadline: Instant) -> Outcome<()> {
        let mut pause = PAUSE;
        while self.link.as_ref().is_none_or(|prepared| prepared.link.client.is_closed()) {
            match self.shared.prepare(self.n).await {
                Ok(prepared) => self.link = Some(prepared),
                Err(fault) if fault.is_lost() && Instant::now() < deadline => {
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(PAUSE_MAX);
                }
                Err(fault) => return Err(fault),
            }
        }
        Ok(())
    }

    /// Whether the transaction that was not answered is committed. Waits until it is over.
    async fn was_committed(&mut self, deadline: Instant) -> Outcome<bool> {
        loop {
            self.connect(deadline).await?;
            let Some(Prepared { link, .. }) = &self.link else { continue };
            let (node, n) = (self.shared.node, self.n);
            let asked = self.shared.connector.in_time(async {
                let select = "SELECT batch FROM writer WHERE node = $1 AND n = $2 FOR UPDATE";
                Ok(link.client.query_opt(select, &[&node, &n]).await?)
            });
            match asked.await {
                Ok(Some(row)) => return Ok(row.try_get::<_, i64>(0)? == self.batch),
                Ok(None) => {
                    return Err(Fault::Unavailable("the row of this writer is gone".to_owned()));
                }
                Err(fault) if fault.is_lost() && Instant::now() < deadline => self.link = None,
                Err(fault) => return Err(fault),
            }
        }
    }
}

async fn attempt(
    shared: &Shared,
    open: Open<'_>,
    mark: Mark,
    requests: &[Request],
    kept: &mut Kept,
    is_careful: bool,
) -> Tried {
    let connector = &shared.connector;
    match requests {
        [Request::Forget { forget, .. }] => forget::attempt(connector, open, mark, forget).await,
        [Request::WriteDocuments { writes, .. }] => {
            documents::attempt(connector, open, mark, writes).await
        }
        [Request::TakeOwnership { .. }] => lease::take_all(connector, open, mark).await,
        [Request::Beat { beat, .. }] => lease::beat(connector, open, mark, beat).await,
        [Request::TakeShards { wanted, .. }] => lease::take(connector, open, mark, wanted).await,
        requests => group::attempt(connector, open, mark, requests, kept, is_careful).await,
    }
}

/// Whose transaction it is, and its number.
pub(crate) type Mark = (Uuid, i16, i64);

impl Open<'_> {
    /// Sets the mark. The statement is sent when this is first polled.
    pub async fn mark(&self, (node, n, batch): Mark) -> Outcome<()> {
        match self.client.execute(&self.sql.mark, &[&node, &n, &batch]).await? {
            1 => Ok(()),
            // A new connection writes the row again.
            _ => Err(Fault::Lost("the row of this writer is gone".to_owned())),
        }
    }

    pub async fn begin(&self) -> Outcome<()> {
        Ok(self.client.batch_execute("BEGIN").await?)
    }

    pub async fn commit(&self) -> Outcome<()> {
        Ok(self.client.batch_execute("COMMIT").await?)
    }
}

impl Shared {
    /// Where a writer counts runs, so that two seldom meet.
    fn slot(&self, n: i16) -> i16 {
        let (first, _) = self.node.as_u64_pair();
        (first % 61) as i16 * 16 + n
    }

    async fn prepare(&self, n: i16) -> Outcome<Prepared> {
        let link = self.connector.connect().await?;
        let preparing = async {
            link.client.execute(PLANS, &[]).await?;
            self.register(&link.client, n).await?;
            Statements::prepare(&link.client).await
        };
        let sql = self.connector.in_time(preparing).await?;
        Ok(Prepared { link, sql })
    }

    /// Writes the rows of this node and of one of its writers, unless they are there. Whoever takes shards from
    /// this node has its row locked: so no writer appears unseen.
    async fn register(&self, client: &Client, n: i16) -> Outcome<()> {
        let insert = "INSERT INTO node (node, name, address, version) VALUES ($1, $2, $3, $4)
                      ON CONFLICT (node) DO NOTHING";
        client.execute(insert, &[&self.node, &self.name, &self.address, &self.version]).await?;
        let lock = "WITH locked AS (SELECT node FROM node WHERE node = $1 FOR UPDATE)
                    INSERT INTO writer (node, n, batch) SELECT node, $2, 0 FROM locked
                    ON CONFLICT (node, n) DO NOTHING";
        client.execute(lock, &[&self.node, &n]).await?;
        Ok(())
    }
}
