//! Lists of runs and of log lines, and counts.

use std::collections::BTreeMap;

use stepwell_journal::Json;
use stepwell_store::{
    LogLine, LogPage, LogQuery, RunPage, RunQuery, RunRow, StatusCount, Tallied, stored,
};
use tokio_postgres::types::ToSql;

use crate::codec::{self, RUN_COLUMNS, RUNS};
use crate::fault::Outcome;
use crate::filter::{Filter, has_rest};
use crate::read::Reader;

/// How many rows are read at once if each must be looked at.
const LOOK_ROWS: usize = 256;

pub(crate) async fn runs(reader: &Reader, query: &RunQuery) -> Outcome<RunPage> {
    let n_rows = query.n_rows();
    let mut found = Vec::new();
    look(reader, query, n_rows + 1, |row| {
        found.push(row);
        found.len() <= n_rows
    })
    .await?;
    let has_more = found.len() > n_rows;
    found.truncate(n_rows);
    let next = has_more.then(|| found.last().map(RunRow::cursor)).flatten();
    Ok(RunPage { runs: found, next })
}

/// Shows the runs that match, in order, until there are none or enough were seen.
async fn look(
    reader: &Reader,
    query: &RunQuery,
    n_rows: usize,
    mut see: impl FnMut(RunRow) -> bool + Send,
) -> Outcome<()> {
    let n_rows = if has_rest(query) { n_rows.max(LOOK_ROWS) } else { n_rows };
    let order = if query.oldest_first { "ASC" } else { "DESC" };
    let mut after = query.after;
    loop {
        let Some(mut filter) = Filter::of(query) else { return Ok(()) };
        if let Some(after) = after {
            filter.add_after(after, query.oldest_first);
        }
        let statement = reader
            .prepare(&format!(
                "SELECT {RUN_COLUMNS}, i.body FROM {RUNS} JOIN input i ON i.run = r.run WHERE {}
                 ORDER BY r.created_at {order}, r.run {order} LIMIT {n_rows}",
                filter.condition(),
            ))
            .await?;
        let rows = reader.query(&statement, &filter.values()).await?;
        for row in &rows {
            let row = codec::whole_run_row(row)?;
            after = Some(row.cursor());
            let matches = query.matches_text(&row) && query.matches_input(&row);
            if matches && !see(row) {
                return Ok(());
            }
        }
        if rows.len() < n_rows {
            return Ok(());
        }
    }
}

pub(crate) async fn count(reader: &Reader, query: &RunQuery) -> Outcome<Vec<StatusCount>> {
    let query = query.for_count();
    let mut counts = BTreeMap::new();
    if is_tallied(&query) {
        let select = "SELECT status, sum(n)::int8 FROM tally
             WHERE ($1::text IS NULL OR namespace = $1) AND ($2::text IS NULL OR workflow = $2)
             GROUP BY status";
        let namespace = query.namespace.as_deref().map(codec::owned);
        let workflow = query.workflow.as_deref().map(codec::owned);
        let statement = reader.prepare(select).await?;
        for row in reader.query(&statement, &[&namespace, &workflow]).await? {
            counts.insert(codec::status(row.try_get(0)?)?, row.try_get::<_, i64>(1)?.max(0) as u64);
        }
    } else if has_rest(&query) {
        look(reader, &query, LOOK_ROWS, |row| {
            *counts.entry(row.status).or_default() += 1;
            true
        })
        .await?;
    } else if let Some(filter) = Filter::of(&query) {
        let statement = reader
            .prepare(&format!(
                "SELECT r.status, count(*) FROM runs r WHERE {} GROUP BY r.status",
                filter.condition(),
            ))
            .await?;
        for row in reader.query(&statement, &filter.values()).await? {
            counts.insert(codec::status(row.try_get(0)?)?, row.try_get::<_, i64>(1)?.max(0) as u64);
        }
    }
    let counts = counts.into_iter().filter(|(_, n_runs)| *n_runs > 0);
    Ok(counts.map(|(status, n_runs)| StatusCount { status, n_runs }).collect())
}

pub(crate) async fn tally(reader: &Reader) -> Outcome<Vec<Tallied>> {
    let select = "SELECT namespace, workflow, status, sum(n)::int8 FROM tally
         GROUP BY namespace, workflow, status HAVING sum(n) > 0";
    let rows = reader.query(&reader.prepare(select).await?, &[]).await?;
    let mut tallied = Vec::new();
    for row in rows {
        tallied.push(Tallied {
            namespace: codec::plain(row.try_get(0)?),
            workflow: codec::plain(row.try_get(1)?),
            status: codec::status(row.try_get(2)?)?,
            n_runs: row.try_get::<_, i64>(3)?.max(0) as u64,
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

pub(crate) async fn lines(reader: &Reader, query: &LogQuery) -> Outcome<LogPage> {
    let mut page = LogPage { end: query.after.unwrap_or(0), ..LogPage::default() };
    let last = reader.prepare("SELECT next_line - 1 FROM runs WHERE run = $1").await?;
    // Read before the lines are, so that none is skipped that comes meanwhile.
    let last = reader.query(&last, &[&query.run.0]).await?;
    let Some(last) = last.first() else { return Ok(page) };
    let last = last.try_get::<_, i64>(0)?;
    let select = "SELECT n, at, level, location, message, fields FROM line
         WHERE run = $1 AND n > $2 AND n <= $3 AND level >= $4 ORDER BY n LIMIT $5";
    let statement = reader.prepare(select).await?;
    let limit = query.n_rows() + 1;
    let level = codec::of_level(query.level_min);
    let mut seen = i64::try_from(page.end).unwrap_or(i64::MAX);
    loop {
        let values: [&(dyn ToSql + Sync); 5] =
            [&query.run.0, &seen, &last, &level, &stored::of_limit(limit)];
        let rows = reader.query(&statement, &values).await?;
        for row in &rows {
            let line = LogLine {
                at: stored::time(row.try_get(1)?),
                level: codec::level(row.try_get(2)?)?,
                location: codec::location(row.try_get(3)?),
                message: codec::plain(row.try_get(4)?),
                fields: Json::parse(row.try_get(5)?)?,
            };
            if query.matches(&line) {
                if page.lines.len() == query.n_rows() {
                    page.next = Some(page.end);
                    return Ok(page);
                }
                page.lines.push(line);
            }
            seen = row.try_get(0)?;
            page.end = seen.max(0) as u64;
        }
        if rows.len() < limit {
            // Whoever goes on from here need not look at the last lines again, which do not match.
            page.end = page.end.max(last.max(0) as u64);
            return Ok(page);
        }
    }
}
