//! Forgetting runs that have ended.

use std::collections::{BTreeMap, BTreeSet};

use futures::future::{BoxFuture, join_all};
use futures::{FutureExt, join};
use stepwell_journal::RunId;
use stepwell_store::{BeforeForget, Forget, Forgotten, RunRow, WhyKept, stored};
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::codec;
use crate::columns::Tally;
use crate::connect::Connector;
use crate::fault::Outcome;
use crate::given::Given;
use crate::write::send_tally;
use crate::writer::{Mark, Open, Tried};

/// Runs that are looked at, with their keys, and which of their parents are there.
#[derive(Default)]
struct Found {
    runs: BTreeMap<RunId, (RunRow, Option<String>)>,
    parents: BTreeSet<RunId>,
}

pub(crate) async fn attempt(
    connector: &Connector,
    open: Open<'_>,
    mark: Mark,
    forget: &Forget,
) -> Tried {
    let (found, forgotten) = match connector.in_time(choose(open, mark, forget)).await {
        Ok(chosen) => chosen,
        Err(fault) => return Tried::Failed(fault),
    };
    let written = connector.in_time(remove(open, &found, &forgotten.runs)).await;
    Tried::of(Given::Forgotten(forgotten), written)
}

async fn choose(open: Open<'_>, mark: Mark, forget: &Forget) -> Outcome<(Found, Forgotten)> {
    let (begun, marked) = join!(open.begin(), open.mark(mark));
    begun?;
    marked?;
    let named = forget.named();
    let mut forgotten = Forgotten::default();
    if named.is_empty() {
        let found = lock(open, &candidates(open, forget).await?).await?;
        let mut runs: Vec<_> = found
            .runs
            .values()
            .filter(|(row, _)| forget.check(found.before(row, &[])).is_ok())
            .map(|(row, _)| (row.ended_at, row.run))
            .collect();
        runs.sort_unstable();
        forgotten.runs = runs.into_iter().map(|(_, run)| run).collect();
        return Ok((found, forgotten));
    }
    let found = lock(open, &named.iter().map(|run| run.0).collect::<Vec<_>>()).await?;
    for run in named {
        let checked = match found.runs.get(&run) {
            _ if forgotten.runs.len() == forget.n_runs() => Err(WhyKept::OverLimit),
            None => Err(WhyKept::Unknown),
            Some((row, _)) => forget.check(found.before(row, &forgotten.runs)),
        };
        forgotten.note(run, checked);
    }
    Ok((found, forgotten))
}

impl Found {
    /// What is known of a run after these have gone.
    fn before<'a>(&self, row: &'a RunRow, gone: &[RunId]) -> BeforeForget<'a> {
        let parent = row.parent.as_ref().map(|parent| parent.run);
        BeforeForget {
            namespace: &row.namespace,
            workflow: &row.workflow,
            status: row.status,
            ended_at: row.ended_at,
            parent: parent.filter(|run| self.parents.contains(run) && !gone.contains(run)),
        }
    }
}

/// The runs that may go, those that ended first before the others.
async fn candidates(open: Open<'_>, forget: &Forget) -> Outcome<Vec<Uuid>> {
    let select = "SELECT r.run FROM runs r
         WHERE r.ended_at < $1 AND ($2::text IS NULL OR r.namespace = $2)
           AND ($3::text IS NULL OR r.workflow = $3)
           AND (cardinality($4::int2[]) = 0 OR r.status = ANY($4))
           AND NOT EXISTS (SELECT 1 FROM runs p WHERE p.run = r.parent)
         ORDER BY r.ended_at, r.run LIMIT $5";
    let before = stored::of_time(forget.ended_before);
    let namespace = forget.namespace.as_deref().map(codec::owned);
    let workflow = forget.workflow.as_deref().map(codec::owned);
    let statuses: Vec<i16> = forget.statuses.iter().map(|s| codec::of_status(*s)).collect();
    let limit = stored::of_limit(forget.n_runs());
    let rows =
        open.client.query(select, &[&before, &namespace, &workflow, &statuses, &limit]).await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

async fn lock(open: Open<'_>, runs: &[Uuid]) -> Outcome<Found> {
    let client = open.client;
    let keys = "SELECT run, key FROM runs WHERE run = ANY($1) AND key IS NOT NULL";
    let parents = "SELECT DISTINCT p.run FROM runs r JOIN runs p ON p.run = r.parent
         WHERE r.run = ANY($1)";
    let values: [&(dyn ToSql + Sync); 1] = [&runs];
    let rows = client.query(&open.sql.lock_runs, &values).await?;
    let (keys, parents) = join!(client.query(keys, &values), client.query(parents, &values));
    let mut found = Found::default();
    for row in rows {
        let row = codec::run_row(&row)?;
        found.runs.insert(row.run, (row, None));
    }
    for row in keys? {
        if let Some((_, key)) = found.runs.get_mut(&RunId(row.try_get(0)?)) {
            *key = Some(codec::plain(row.try_get(1)?));
        }
    }
    for row in parents? {
        found.parents.insert(RunId(row.try_get(0)?));
    }
    Ok(found)
}

async fn remove(open: Open<'_>, found: &Found, gone: &[RunId]) -> Outcome<()> {
    let runs: Vec<Uuid> = gone.iter().map(|run| run.0).collect();
    let mut keys = Vec::new();
    let mut labels = Vec::new();
    let mut tally = Tally::new();
    for (row, key) in gone.iter().filter_map(|run| found.runs.get(run)) {
        if let Some(key) = key {
            keys.push(codec::key_digest(&row.namespace, &row.workflow, key));
        }
        labels.extend(row.labels.iter().map(|(key, value)| codec::label_digest(key, value)));
        let family = (row.namespace.clone(), row.workflow.clone(), codec::of_status(row.status));
        *tally.entry(family).or_default() -= 1;
    }
    let client = open.client;
    let mut sent: Vec<BoxFuture<'_, Outcome<()>>> = Vec::new();
    for table in ["journal", "line", "inbox", "input", "runs"] {
        let delete = format!("DELETE FROM {table} WHERE run = ANY($1)");
        let runs = &runs;
        sent.push(
            async move {
                client.execute(&delete, &[runs]).await?;
                Ok(())
            }
            .boxed(),
        );
    }
    sent.extend(send_tally(client, open.sql, open.slot, &tally));
    let results = join_all(sent).await;
    results.into_iter().collect::<Outcome<()>>()?;
    let unlabel = "DELETE FROM label WHERE digest = ANY($1) AND run = ANY($2)";
    let unkey = "DELETE FROM idempotency WHERE digest = ANY($1)";
    client.execute(unlabel, &[&labels, &runs]).await?;
    client.execute(unkey, &[&keys]).await?;
    open.commit().await
}
