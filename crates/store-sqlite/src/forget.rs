//! Forgetting runs that have ended.
//!
//! A reader looks for the runs; the writer takes them a few at a time, looks at each again, and removes what
//! makes it a run: its row, its labels, its key. From then on nobody finds the rest, which the writer sweeps
//! away between batches, a little at a time: see `garbage`.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::types::Value;
use rusqlite::{Connection, params, params_from_iter};
use stepwell_journal::{RunId, RunStatus, UnixMillis};
use stepwell_store::{BeforeForget, Forget, WhyKept};
use uuid::Uuid;

use crate::batch::Batch;
use crate::codec;
use crate::count::Family;
use crate::fault::Outcome;
use crate::filter::{Filter, namespaces, text};
use crate::garbage::Gone;
use crate::read::begin;
use crate::rows;

/// How many runs the writer takes at once: a millisecond of work.
pub(crate) const BITE_RUNS: usize = 16;

/// The runs that may go, those that ended first before the others. Runs that must wait for their parents are
/// looked at each time, by a reader.
pub(crate) fn candidates(connection: &Connection, forget: &Forget) -> Outcome<Vec<RunId>> {
    let tables = begin(connection)?;
    let mut found = Vec::new();
    for namespace in namespaces(&tables, forget.namespace.as_deref())? {
        add_candidates(&tables, forget, &namespace, &mut found)?;
    }
    found.sort_unstable();
    found.truncate(forget.n_runs());
    Ok(found.into_iter().map(|(_, run)| RunId(Uuid::from_bytes(run))).collect())
}

fn add_candidates(
    connection: &Connection,
    forget: &Forget,
    namespace: &str,
    found: &mut Vec<(i64, [u8; 16])>,
) -> Outcome<()> {
    let mut filter = Filter::default();
    filter.add("r.namespace = ?", text(namespace));
    filter.add("r.ended_at < ?", Value::Integer(codec::of_time(forget.ended_before)));
    if let Some(workflow) = &forget.workflow {
        filter.add("r.workflow = ?", text(workflow));
    }
    if !forget.statuses.is_empty() {
        filter.terms.push(format!("r.status IN ({})", vec!["?"; forget.statuses.len()].join(", ")));
        let statuses = forget.statuses.iter().map(|status| codec::of_status(*status));
        filter.values.extend(statuses.map(Value::Integer));
    }
    filter.values.push(Value::Integer(codec::of_limit(forget.n_runs())));
    let mut select = connection.prepare_cached(&format!(
        "SELECT r.ended_at, r.run FROM runs r INDEXED BY runs_by_end
         WHERE r.ended_at IS NOT NULL AND {}
           AND NOT EXISTS (SELECT 1 FROM runs p WHERE p.run = r.parent)
         ORDER BY r.ended_at, r.run LIMIT ?",
        filter.terms.join(" AND "),
    ))?;
    let rows =
        select.query_map(params_from_iter(filter.values), |row| Ok((row.get(0)?, row.get(1)?)))?;
    for row in rows {
        found.push(row?);
    }
    Ok(())
}

/// What must be known of a run to forget it.
struct Ended {
    id: i64,
    family: Arc<Family>,
    status: RunStatus,
    ended_at: Option<UnixMillis>,
    created_at: UnixMillis,
    parent: Option<RunId>,
    key: Option<String>,
    labels: BTreeMap<String, String>,
}

impl Batch<'_> {
    /// Forgets runs of which this batch has written nothing, so that all there is of them in the log is in
    /// rows that are there already.
    pub fn forget(&mut self, forget: &Forget, runs: &[RunId]) -> Outcome<Vec<Result<(), WhyKept>>> {
        assert!(self.log.rows.is_empty(), "runs are forgotten before the log grows");
        let mut results = Vec::with_capacity(runs.len());
        for run in runs {
            results.push(self.forget_run(forget, *run)?);
        }
        self.connection
            .prepare_cached("UPDATE meta SET value = ?1 WHERE key = 'next_run'")?
            .execute([self.numbers.next_run])?;
        Ok(results)
    }

    fn forget_run(&mut self, forget: &Forget, run: RunId) -> Outcome<Result<(), WhyKept>> {
        let connection = self.connection;
        let Some(ended) = read(connection, run)? else { return Ok(Err(WhyKept::Unknown)) };
        let checked = forget.check(BeforeForget {
            namespace: &ended.family.namespace,
            workflow: &ended.family.workflow,
            status: ended.status,
            ended_at: ended.ended_at,
            parent: ended.parent,
        });
        if let Err(why) = checked {
            return Ok(Err(why));
        }
        connection.prepare_cached("DELETE FROM runs WHERE id = ?1")?.execute([ended.id])?;
        rows::delete_labels(connection, &ended.labels, ended.created_at, run)?;
        if let Some(key) = &ended.key {
            rows::delete_key(connection, &ended.family, key)?;
        }
        let gone = Gone { id: ended.id, run, last_log: self.numbers.next_log - 1 };
        connection
            .prepare_cached("INSERT INTO gone (id, run, last_log) VALUES (?1, ?2, ?3)")?
            .execute(params![gone.id, codec::blob(run), gone.last_log])?;
        self.tally.add(&ended.family, ended.status, -1);
        self.heads.remove(run);
        self.gone.push(gone);
        Ok(Ok(()))
    }
}

fn read(connection: &Connection, run: RunId) -> Outcome<Option<Ended>> {
    let mut select = connection.prepare_cached(
        "SELECT id, namespace, workflow, status, ended_at, created_at,
           (SELECT p.run FROM runs p WHERE p.run = r.parent), key, labels
         FROM runs r WHERE run = ?1",
    )?;
    let mut rows = select.query([codec::blob(run)])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    Ok(Some(Ended {
        id: row.get(0)?,
        family: Arc::new(Family { namespace: row.get(1)?, workflow: row.get(2)? }),
        status: codec::status(row.get(3)?)?,
        ended_at: row.get::<_, Option<i64>>(4)?.map(codec::time),
        created_at: codec::time(row.get(5)?),
        parent: row.get::<_, Option<[u8; 16]>>(6)?.map(|run| RunId(Uuid::from_bytes(run))),
        key: row.get(7)?,
        labels: codec::labels(row.get_ref(8)?)?,
    }))
}
