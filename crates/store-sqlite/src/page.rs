//! Lists of runs and of log lines.
//!
//! Rows are streamed in the order of an index, newest first, until a page is full; whatever no index
//! can answer is looked at row by row. Where a question names several statuses or no namespace, each
//! combination is a list of its own, and the lists are merged: so every list has an index that gives
//! its order, and nothing is ever sorted by SQLite.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use stepwell_journal::{Json, Location};
use stepwell_store::{LogLine, LogPage, LogQuery, RunPage, RunQuery, RunRow};

use crate::codec::{self, RUN_COLUMNS};
use crate::fault::Outcome;
use crate::read::{begin, id_of, overlay};
use crate::writer::Shared;

pub(crate) fn runs(connection: &Connection, shared: &Shared, query: &RunQuery) -> Outcome<RunPage> {
    let (tables, n_removals) = {
        let tail = shared.tail.read();
        (begin(connection)?, tail.n_removals())
    };
    let Some(ids) = IdRange::of(query.id_prefix.as_deref()) else {
        return Ok(RunPage::default());
    };
    let mut found = Vec::new();
    for namespace in namespaces(&tables, query)? {
        let statuses = query.statuses.iter().map(|status| Some(codec::of_status(*status)));
        let statuses: Vec<_> =
            if query.statuses.is_empty() { vec![None] } else { statuses.collect() };
        for status in statuses {
            let list = List { query, namespace: &namespace, status, ids: &ids };
            list.read(&tables, &mut found)?;
        }
    }
    found.sort_unstable_by_key(|row: &RunRow| std::cmp::Reverse(row.cursor()));
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
        let (next_seq, updated_at) =
            select.query_row([codec::blob(row.run)], |row| Ok((row.get(0)?, row.get(1)?)))?;
        row.next_seq = row.next_seq.max(codec::seq(next_seq));
        row.updated_at = row.updated_at.max(codec::time(updated_at));
    }
    Ok(())
}

fn namespaces(connection: &Connection, query: &RunQuery) -> Outcome<Vec<String>> {
    if let Some(namespace) = &query.namespace {
        return Ok(vec![namespace.clone()]);
    }
    // One probe of the index per namespace, however many runs each has.
    let mut select = connection.prepare_cached(
        "WITH RECURSIVE names (name) AS (
           SELECT min(namespace) FROM runs
           UNION ALL
           SELECT (SELECT min(namespace) FROM runs WHERE namespace > name) FROM names
             WHERE name IS NOT NULL
         ) SELECT name FROM names WHERE name IS NOT NULL",
    )?;
    let names = select.query_map([], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

/// The runs of one namespace and, if one is named, one status.
struct List<'a> {
    query: &'a RunQuery,
    namespace: &'a str,
    status: Option<i64>,
    ids: &'a IdRange,
}

impl List<'_> {
    /// Appends as many rows as a page has, and one more if there are more.
    fn read(&self, connection: &Connection, found: &mut Vec<RunRow>) -> Outcome<()> {
        let (sql, values) = self.sql();
        let mut select = connection.prepare_cached(&sql)?;
        let mut rows = select.query(params_from_iter(values))?;
        let n_rows_max = found.len() + self.query.n_rows() + 1;
        while found.len() < n_rows_max
            && let Some(row) = rows.next()?
        {
            let row = codec::run_row(row)?;
            if self.query.input.iter().all(|filter| filter.matches(&row.input)) {
                found.push(row);
            }
        }
        Ok(())
    }

    fn sql(&self) -> (String, Vec<Value>) {
        let query = self.query;
        let mut filter = Filter::default();
        let mut labels = query.labels.iter();
        // A label's index has the order of the list in itself, so the list is read from there.
        let (from, age) = match labels.next() {
            Some((key, value)) => {
                filter.add("l.key = ?", text(key));
                filter.add("l.value = ?", text(value));
                ("label l CROSS JOIN runs r ON r.id = l.id", "l")
            }
            None => ("runs r", "r"),
        };
        // A plus sign keeps an index on that column from being used: these two filters are narrower.
        let is_narrow = self.ids.is_narrow || query.parent.is_some() || age == "l";
        let plain = if is_narrow { "+" } else { "" };
        filter.add(&format!("{plain}r.namespace = ?"), text(self.namespace));
        if let Some(status) = self.status {
            filter.add(&format!("{plain}r.status = ?"), Value::Integer(status));
        }
        if let Some(workflow) = &query.workflow {
            filter.add(&format!("{plain}r.workflow = ?"), text(workflow));
        }
        if let Some(parent) = query.parent {
            filter.add("r.parent = ?", Value::Blob(codec::blob(parent).to_vec()));
        }
        for (key, value) in labels {
            filter.values.push(text(key));
            filter.add(
                "EXISTS (SELECT 1 FROM label m WHERE m.key = ? AND m.value = ?
                   AND m.created_at = r.created_at AND m.run = r.run)",
                text(value),
            );
        }
        if !self.ids.is_all {
            filter.add("r.run >= ?", Value::Blob(self.ids.first.to_vec()));
            filter.add("r.run <= ?", Value::Blob(self.ids.last.to_vec()));
        }
        if let Some(from) = query.created_from {
            filter.add(&format!("{age}.created_at >= ?"), Value::Integer(codec::of_time(from)));
        }
        if let Some(before) = query.created_before {
            filter.add(&format!("{age}.created_at < ?"), Value::Integer(codec::of_time(before)));
        }
        if let Some(after) = query.after {
            filter.values.push(Value::Integer(codec::of_time(after.created_at)));
            let run = Value::Blob(codec::blob(after.run).to_vec());
            filter.add(&format!("({age}.created_at, {age}.run) < (?, ?)"), run);
        }
        let sql = format!(
            "SELECT {RUN_COLUMNS} FROM {from} JOIN input i ON i.run = r.id WHERE {}
             ORDER BY {age}.created_at DESC, {age}.run DESC",
            filter.terms.join(" AND "),
        );
        (sql, filter.values)
    }
}

#[derive(Default)]
struct Filter {
    terms: Vec<String>,
    values: Vec<Value>,
}

impl Filter {
    fn add(&mut self, term: &str, value: Value) {
        self.terms.push(term.to_owned());
        self.values.push(value);
    }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// The ids that begin with some text, as a range of what is in the table.
struct IdRange {
    first: [u8; 16],
    last: [u8; 16],
    is_all: bool,
    is_narrow: bool,
}

impl IdRange {
    /// None if no id can begin like this.
    fn of(prefix: Option<&str>) -> Option<IdRange> {
        let prefix = prefix.unwrap_or_default();
        let (mut first, mut last) = ([0; 16], [0xff; 16]);
        let mut n_digits = 0;
        for (c, at) in prefix.chars().zip(0..) {
            if matches!(at, 8 | 13 | 18 | 23) {
                if c != '-' {
                    return None;
                }
                continue;
            }
            let digit = c.to_digit(16)? as u8;
            let shift = if n_digits % 2 == 0 { 4 } else { 0 };
            *first.get_mut(n_digits / 2)? |= digit << shift;
            *last.get_mut(n_digits / 2)? &= !((0xf - digit) << shift);
            n_digits += 1;
        }
        // Ids of the same days begin with the same eight digits, so fewer narrow nothing down.
        Some(IdRange { first, last, is_all: n_digits == 0, is_narrow: n_digits > 8 })
    }
}

pub(crate) fn lines(connection: &Connection, query: &LogQuery) -> Outcome<LogPage> {
    let tables = begin(connection)?;
    let Some(id) = id_of(&tables, query.run)? else { return Ok(LogPage::default()) };
    let mut select = tables.prepare_cached(
        "SELECT n, at, level, location, message, fields FROM line
         WHERE run = ?1 AND n > ?2 AND level >= ?3 ORDER BY n",
    )?;
    let after = query.after.map_or(0, |after| i64::try_from(after).unwrap_or(i64::MAX));
    let mut rows = select.query([id, after, codec::of_level(query.level_min)])?;
    let mut page = LogPage::default();
    let mut last = None;
    while let Some(row) = rows.next()? {
        let line = LogLine {
            at: codec::time(row.get(1)?),
            level: codec::level(row.get(2)?)?,
            location: Location::from_text(&row.get::<_, String>(3)?),
            message: row.get(4)?,
            fields: Json::parse(row.get_ref(5)?.as_str().map_err(rusqlite::Error::from)?)?,
        };
        if !query.matches(&line) {
            continue;
        }
        if page.lines.len() == query.n_rows() {
            page.next = last;
            break;
        }
        page.lines.push(line);
        last = u64::try_from(row.get::<_, i64>(0)?).ok();
    }
    Ok(page)
}
