//! Lists of runs and of log lines.
//!
//! Rows are streamed in the order of an index, newest or oldest first, until a page is full; whatever no index
//! can answer is looked at row by row. Where a question names several statuses or no namespace, each
//! combination is a list of its own, and the lists are merged: so every list has an index that gives
//! its order, and nothing is ever sorted by SQLite.

use rusqlite::{Connection, OptionalExtension, params_from_iter};
use stepwell_journal::{Json, Location};
use stepwell_store::{LogLine, LogPage, LogQuery, RunPage, RunQuery, RunRow};

use crate::codec::{self, RUN_COLUMNS};
use crate::fault::Outcome;
use crate::filter::{Asked, Source, namespaces};
use crate::moment::at_one_moment;
use crate::read::{begin, id_of, overlay};
use crate::writer::Shared;

pub(crate) fn runs(connection: &Connection, shared: &Shared, query: &RunQuery) -> Outcome<RunPage> {
    let (tables, (n_removals, asked)) =
        at_one_moment(connection, shared, |tail| (tail.n_removals(), Asked::of(query, tail)))?;
    let Some(asked) = asked else { return Ok(RunPage::default()) };
    let mut found = Vec::new();
    for namespace in namespaces(&tables, query.namespace.as_deref())? {
        let statuses = query.statuses.iter().map(|status| Some(codec::of_status(*status)));
        let statuses: Vec<_> =
            if query.statuses.is_empty() { vec![None] } else { statuses.collect() };
        for status in statuses {
            list(&tables, &asked, &namespace, status, &mut found)?;
        }
    }
    found.sort_unstable_by_key(|row: &RunRow| std::cmp::Reverse(row.cursor()));
    if query.oldest_first {
        found.reverse();
    }
    found.dedup_by_key(|row| row.run);
    let n_rows = query.n_rows();
    let has_more = found.len() > n_rows;
    found.truncate(n_rows);
    drop(tables);
    bring_up_to_date(connection, shared, n_removals, &mut found)?;
    let next = has_more.then(|| found.last().map(RunRow::cursor)).flatten();
    Ok(RunPage { runs: found, next })
}

/// The end of a journal is in the tail or, if that was folded after the rows were read, in the rows as
/// they are now.
fn bring_up_to_date(
    connection: &Connection,
    shared: &Shared,
    n_removals: u64,
    rows: &mut [RunRow],
) -> Outcome<()> {
    let tail = shared.tail.read();
    let folded_meanwhile = tail.n_removals() != n_removals;
    let tables = if folded_meanwhile { Some(begin(connection)?) } else { None };
    for row in rows.iter_mut() {
        if let Some(tail) = tail.get(row.run) {
            overlay(row, tail);
        }
    }
    drop(tail);
    let Some(tables) = tables else { return Ok(()) };
    let mut select =
        tables.prepare_cached("SELECT next_seq, updated_at FROM runs WHERE run = ?1")?;
    for row in rows {
        let now = select
            .query_row([codec::blob(row.run)], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        // A run that was forgotten meanwhile is listed as it was.
        let Some((next_seq, updated_at)) = now else { continue };
        row.next_seq = row.next_seq.max(codec::seq(next_seq));
        row.updated_at = row.updated_at.max(codec::time(updated_at));
    }
    Ok(())
}

/// The runs of one namespace and, if one is named, one status: as many as a page has, and one more if there
/// are more.
fn list(
    connection: &Connection,
    asked: &Asked<'_>,
    namespace: &str,
    status: Option<i64>,
    found: &mut Vec<RunRow>,
) -> Outcome<()> {
    let Source { from, age, filter } = asked.source(namespace, status);
    let order = if asked.query.oldest_first { "ASC" } else { "DESC" };
    let mut select = connection.prepare_cached(&format!(
        "SELECT {RUN_COLUMNS} FROM {from} JOIN input i ON i.run = r.id WHERE {}
         ORDER BY {age}.created_at {order}, {age}.run {order}",
        filter.terms.join(" AND "),
    ))?;
    let mut rows = select.query(params_from_iter(filter.values))?;
    let n_rows_max = found.len() + asked.query.n_rows() + 1;
    while found.len() < n_rows_max
        && let Some(row) = rows.next()?
    {
        if asked.is_updated(row, 11)? {
            let row = codec::run_row(row)?;
            if asked.matches_rest(&row) {
                found.push(row);
            }
        }
    }
    Ok(())
}

pub(crate) fn lines(connection: &Connection, query: &LogQuery) -> Outcome<LogPage> {
    let tables = begin(connection)?;
    let mut page = LogPage { end: query.after.unwrap_or(0), ..LogPage::default() };
    let Some(id) = id_of(&tables, query.run)? else { return Ok(page) };
    let mut select = tables.prepare_cached(
        "SELECT n, at, level, location, message, fields FROM line
         WHERE run = ?1 AND n > ?2 AND level >= ?3 ORDER BY n",
    )?;
    let after = i64::try_from(page.end).unwrap_or(i64::MAX);
    let mut rows = select.query([id, after, codec::of_level(query.level_min)])?;
    while let Some(row) = rows.next()? {
        let line = LogLine {
            at: codec::time(row.get(1)?),
            level: codec::level(row.get(2)?)?,
            location: Location::from_text(&row.get::<_, String>(3)?),
            message: row.get(4)?,
            fields: Json::parse(row.get_ref(5)?.as_str().map_err(rusqlite::Error::from)?)?,
        };
        if query.matches(&line) {
            if page.lines.len() == query.n_rows() {
                page.next = Some(page.end);
                return Ok(page);
            }
            page.lines.push(line);
        }
        page.end = row.get::<_, i64>(0)?.max(0) as u64;
    }
    // Whoever goes on from here need not look at the last lines again, which do not match.
    let last: i64 = tables
        .prepare_cached("SELECT coalesce(max(n), 0) FROM line WHERE run = ?1")?
        .query_row([id], |row| row.get(0))?;
    page.end = page.end.max(last.max(0) as u64);
    Ok(page)
}
