//! Reading one run.

use std::time::Duration;

use deadpool_postgres::{Object, Pool, PoolError};
use futures::future::BoxFuture;
use futures::join;
use stepwell_journal::{Event, RunId, Seq, UnixMillis, wire};
use stepwell_store::{DueRun, Inboxed, LoadedRun, RunRow, stored, with_causes};
use tokio::time::Instant;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Statement};
use uuid::Uuid;

use crate::codec::{self, RUN_COLUMNS, RUNS};
use crate::connect::within;
use crate::fault::{Fault, Outcome};

const PAUSE: Duration = Duration::from_millis(20);
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// A connection that reads.
pub(crate) struct Reader {
    connection: Object,
}

impl Reader {
    pub async fn prepare(&self, sql: &str) -> Outcome<Statement> {
        Ok(self.connection.prepare_cached(sql).await?)
    }

    pub async fn query(
        &self,
        statement: &Statement,
        values: &[&(dyn ToSql + Sync)],
    ) -> Outcome<Vec<Row>> {
        Ok(self.connection.query(statement, values).await?)
    }

    /// From here to [`Reader::end`] everything is of one moment.
    pub async fn begin(&self) -> Outcome<()> {
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        Ok(self.connection.batch_execute(begin).await?)
    }

    /// The same for what may take as long as it takes.
    pub async fn begin_long(&self) -> Outcome<()> {
        self.begin().await?;
        Ok(self.connection.batch_execute("SET LOCAL statement_timeout = 0").await?)
    }

    pub async fn end(&self) -> Outcome<()> {
        Ok(self.connection.batch_execute("COMMIT").await?)
    }
}

/// What a reader is asked to do; it may be asked again if its connection is lost.
pub(crate) trait Work<T>: for<'a> Fn(&'a Reader) -> BoxFuture<'a, Outcome<T>> {}

impl<T, F: for<'a> Fn(&'a Reader) -> BoxFuture<'a, Outcome<T>>> Work<T> for F {}

/// Reads on a connection that is free, and on another one if that is lost.
pub(crate) async fn read<T>(
    pool: &Pool,
    answer_max: Duration,
    patience: Duration,
    work: impl Work<T>,
) -> Outcome<T> {
    let deadline = Instant::now() + patience;
    let mut pause = PAUSE;
    loop {
        let fault = match pool.get().await {
            Ok(connection) => {
                let reader = Reader { connection };
                match within(answer_max, work(&reader)).await {
                    Ok(found) => return Ok(found),
                    Err(fault) => {
                        // It may be in the middle of something: nobody else should get it.
                        drop(Object::take(reader.connection));
                        fault
                    }
                }
            }
            Err(PoolError::Backend(error)) => Fault::from(error),
            Err(PoolError::Closed) => return Err(Fault::Closed),
            Err(error) => Fault::Lost(with_causes(&error)),
        };
        if !fault.is_lost() || Instant::now() >= deadline {
            return Err(fault);
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(PAUSE_MAX);
    }
}

const INBOX: &str = "SELECT item, at, body FROM inbox WHERE run = $1 ORDER BY n";

/// The run's row with its input.
fn row_sql() -> String {
    format!(
        "SELECT {RUN_COLUMNS}, i.body FROM {RUNS} JOIN input i ON i.run = r.run WHERE r.run = $1"
    )
}

pub(crate) async fn load(reader: &Reader, run: RunId) -> Outcome<Option<LoadedRun>> {
    let row = reader.prepare(&row_sql()).await?;
    let blocks =
        reader.prepare("SELECT body FROM journal WHERE run = $1 ORDER BY first_seq").await?;
    let items = reader.prepare(INBOX).await?;
    let values: [&(dyn ToSql + Sync); 1] = [&run.0];
    let (begun, row, blocks, items, ended) = join!(
        reader.begin(),
        reader.query(&row, &values),
        reader.query(&blocks, &values),
        reader.query(&items, &values),
        reader.end(),
    );
    begun?;
    let (row, blocks, items) = (row?, blocks?, items?);
    ended?;
    let Some(row) = row.first() else { return Ok(None) };
    let mut journal = Vec::new();
    for block in &blocks {
        wire::decode_into(block.try_get(0)?, &mut journal)?;
    }
    Ok(Some(LoadedRun {
        row: codec::whole_run_row(row)?,
        journal,
        inbox: items.iter().map(|item| codec::inboxed(item, 0)).collect::<Outcome<_>>()?,
    }))
}

pub(crate) async fn inbox(reader: &Reader, run: RunId) -> Outcome<Vec<Inboxed>> {
    let items = reader.query(&reader.prepare(INBOX).await?, &[&run.0]).await?;
    items.iter().map(|item| codec::inboxed(item, 0)).collect()
}

pub(crate) async fn row(reader: &Reader, run: RunId) -> Outcome<Option<RunRow>> {
    let rows = reader.query(&reader.prepare(&row_sql()).await?, &[&run.0]).await?;
    rows.first().map(codec::whole_run_row).transpose()
}

pub(crate) async fn journal(
    reader: &Reader,
    run: RunId,
    from: Seq,
    limit: usize,
) -> Outcome<Vec<Event>> {
    // Each block has an event at least, and the first may begin before what is asked for.
    let select = "SELECT body FROM journal WHERE run = $1 AND first_seq >= coalesce(
           (SELECT max(first_seq) FROM journal WHERE run = $1 AND first_seq <= $2), 0)
         ORDER BY first_seq LIMIT $3";
    let n_blocks = stored::of_limit(limit.saturating_add(1));
    let statement = reader.prepare(select).await?;
    let rows = reader.query(&statement, &[&run.0, &stored::of_seq(from), &n_blocks]).await?;
    let mut events = Vec::new();
    for row in rows {
        wire::decode_into(row.try_get(0)?, &mut events)?;
    }
    let first = events.partition_point(|event| event.seq < from);
    events.drain(..first);
    events.truncate(limit);
    Ok(events)
}

/// Whether a run is of a shard that `$1` owns, if a node is named.
const OWN: &str = "($1::uuid IS NULL OR shard IN (SELECT s.shard FROM shard s WHERE s.node = $1))";

pub(crate) async fn due(
    reader: &Reader,
    node: Option<Uuid>,
    until: UnixMillis,
    limit: usize,
) -> Outcome<Vec<DueRun>> {
    let select = format!(
        "SELECT run, wake_at FROM runs WHERE wake_at <= $2 AND {OWN} ORDER BY wake_at, run LIMIT $3"
    );
    let statement = reader.prepare(&select).await?;
    let values: [&(dyn ToSql + Sync); 3] =
        [&node, &stored::of_time(until), &stored::of_limit(limit)];
    let rows = reader.query(&statement, &values).await?;
    rows.iter()
        .map(|row| {
            Ok(DueRun { run: RunId(row.try_get(0)?), wake_at: stored::time(row.try_get(1)?) })
        })
        .collect()
}

pub(crate) async fn runnable(
    reader: &Reader,
    node: Option<Uuid>,
    after: Option<RunId>,
    limit: usize,
) -> Outcome<Vec<RunId>> {
    let select = format!(
        "SELECT run FROM runs WHERE runnable AND ($2::uuid IS NULL OR run > $2) AND {OWN}
         ORDER BY run LIMIT $3"
    );
    let statement = reader.prepare(&select).await?;
    let values: [&(dyn ToSql + Sync); 3] =
        [&node, &after.map(|run| run.0), &stored::of_limit(limit)];
    let rows = reader.query(&statement, &values).await?;
    rows.iter().map(|row| Ok(RunId(row.try_get(0)?))).collect()
}
