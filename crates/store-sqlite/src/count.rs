//! Counting runs by status.
//!
//! The table `tally` has the count of every namespace, workflow and status. The writer adds up what a batch
//! changes and writes it once, so a count costs no more than there are workflows, and a batch no more than
//! the workflows that it touches.

use std::collections::BTreeMap;
use std::sync::Arc;

use rusqlite::{Connection, params, params_from_iter};
use stepwell_journal::RunStatus;
use stepwell_store::{RunQuery, StatusCount, Tallied};

use crate::codec::{self, RUN_COLUMNS};
use crate::fault::Outcome;
use crate::filter::{Asked, namespaces};
use crate::moment::at_one_moment;
use crate::writer::Shared;

/// What runs are counted by, beside their status.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Family {
    pub namespace: String,
    pub workflow: String,
}

/// What a batch changes in the counts.
#[derive(Default)]
pub(crate) struct Tally {
    changes: BTreeMap<(Arc<Family>, i64), i64>,
}

impl Tally {
    pub fn add(&mut self, family: &Arc<Family>, status: RunStatus, n: i64) {
        *self.changes.entry((Arc::clone(family), codec::of_status(status))).or_default() += n;
    }

    pub fn write(&self, connection: &Connection) -> Outcome<()> {
        if self.changes.is_empty() {
            return Ok(());
        }
        let mut insert = connection.prepare_cached(
            "INSERT INTO tally (namespace, workflow, status, n) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO UPDATE SET n = n + excluded.n",
        )?;
        for ((family, status), n) in &self.changes {
            if *n == 0 {
                continue;
            }
            insert.execute(params![family.namespace, family.workflow, status, n])?;
        }
        Ok(())
    }
}

pub(crate) fn count(
    connection: &Connection,
    shared: &Shared,
    query: &RunQuery,
) -> Outcome<Vec<StatusCount>> {
    let counts = if is_tallied(query) {
        tallied(connection, query)?
    } else {
        looked_at(connection, shared, query)?
    };
    let counts = counts.into_iter().filter(|(_, n_runs)| *n_runs > 0);
    counts
        .map(|(status, n_runs)| Ok(StatusCount { status: codec::status(status)?, n_runs }))
        .collect()
}

pub(crate) fn tally(connection: &Connection) -> Outcome<Vec<Tallied>> {
    let mut select = connection
        .prepare_cached("SELECT namespace, workflow, status, n FROM tally WHERE n > 0")?;
    let mut rows = select.query([])?;
    let mut tallied = Vec::new();
    while let Some(row) = rows.next()? {
        tallied.push(Tallied {
            namespace: row.get(0)?,
            workflow: row.get(1)?,
            status: codec::status(row.get(2)?)?,
            n_runs: row.get::<_, i64>(3)?.max(0) as u64,
        });
    }
    tallied.sort();
    Ok(tallied)
}

/// Whether the tally can tell. Names every field, so that a new one is not overlooked.
fn is_tallied(query: &RunQuery) -> bool {
    let RunQuery {
        namespace: _,
        workflow: _,
        statuses: _,
        labels,
        created_from,
        created_before,
        ended_from,
        ended_before,
        updated_from,
        input,
        parent,
        id_prefix,
        text,
        after: _,
        oldest_first: _,
        limit: _,
    } = query;
    let dates = [created_from, created_before, ended_from, ended_before, updated_from];
    dates.iter().all(|date| date.is_none())
        && labels.is_empty()
        && input.is_empty()
        && parent.is_none()
        && [id_prefix, text].iter().all(|text| text.is_none())
}

fn tallied(connection: &Connection, query: &RunQuery) -> Outcome<BTreeMap<i64, u64>> {
    let mut select = connection.prepare_cached(
        "SELECT status, sum(n) FROM tally
         WHERE (?1 IS NULL OR namespace = ?1) AND (?2 IS NULL OR workflow = ?2) GROUP BY status",
    )?;
    let mut rows = select.query(params![query.namespace, query.workflow])?;
    let mut counts = BTreeMap::new();
    while let Some(row) = rows.next()? {
        counts.insert(row.get(0)?, row.get::<_, i64>(1)?.max(0) as u64);
    }
    Ok(counts)
}

fn looked_at(
    connection: &Connection,
    shared: &Shared,
    query: &RunQuery,
) -> Outcome<BTreeMap<i64, u64>> {
    let query = query.for_count();
    let (tables, asked) = at_one_moment(connection, shared, |tail| Asked::of(&query, tail))?;
    let mut counts = BTreeMap::new();
    let Some(asked) = asked else { return Ok(counts) };
    for namespace in namespaces(&tables, query.namespace.as_deref())? {
        let source = asked.source(&namespace, None);
        let has_rest = asked.has_rest();
        let (columns, join, status, updated_at) = if has_rest {
            (RUN_COLUMNS, "JOIN input i ON i.run = r.id", 4, 11)
        } else {
            ("r.run, r.status, r.updated_at", "", 1, 2)
        };
        let mut select = tables.prepare_cached(&format!(
            "SELECT {columns} FROM {} {join} WHERE {}",
            source.from,
            source.filter.terms.join(" AND "),
        ))?;
        let mut rows = select.query(params_from_iter(source.filter.values))?;
        while let Some(row) = rows.next()? {
            let is_meant = asked.is_updated(row, updated_at)?
                && (!has_rest || asked.matches_rest(&codec::run_row(row)?));
            if is_meant {
                *counts.entry(row.get(status)?).or_default() += 1;
            }
        }
    }
    Ok(counts)
}
