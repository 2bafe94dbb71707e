//! Which runs a question asks for, as far as SQLite can tell, and the rest.

use std::collections::HashSet;

use rusqlite::types::Value;
use rusqlite::{Connection, Row};
use stepwell_journal::{RunId, UnixMillis};
use stepwell_store::{IdRange, RunQuery, RunRow};
use uuid::Uuid;

use crate::codec;
use crate::fault::Outcome;
use crate::tail::Tail;

#[derive(Default)]
pub(crate) struct Filter {
    pub terms: Vec<String>,
    pub values: Vec<Value>,
}

impl Filter {
    pub fn add(&mut self, term: &str, value: Value) {
        self.terms.push(term.to_owned());
        self.values.push(value);
    }

    fn add_times(&mut self, column: &str, from: Option<UnixMillis>, before: Option<UnixMillis>) {
        if let Some(from) = from {
            self.add(&format!("{column} >= ?"), Value::Integer(codec::of_time(from)));
        }
        if let Some(before) = before {
            self.add(&format!("{column} < ?"), Value::Integer(codec::of_time(before)));
        }
    }

    /// Finds every run that has the text, and some that only seem to have it: labels and failures are looked
    /// at as the JSON that they are written as.
    fn add_text(&mut self, wanted: &str) {
        let plain = wanted.to_ascii_lowercase();
        let quoted = serde_json::Value::from(plain.as_str()).to_string();
        let escaped = &quoted[1..quoted.len() - 1];
        let mut terms = Vec::new();
        for (column, wanted) in [
            ("workflow", plain.as_str()),
            ("description", &plain),
            ("labels", escaped),
            ("failure", escaped),
        ] {
            terms.push(format!("instr(lower(r.{column}), ?) > 0"));
            self.values.push(text(wanted));
        }
        if let Some(ids) = IdRange::of(wanted) {
            terms.push("r.run BETWEEN ? AND ?".to_owned());
            self.values.push(Value::Blob(ids.first.to_vec()));
            self.values.push(Value::Blob(ids.last.to_vec()));
        }
        self.terms.push(format!("({})", terms.join(" OR ")));
    }
}

pub(crate) fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// The namespaces that must be looked at if only this one is asked for, or all of them.
pub(crate) fn namespaces(connection: &Connection, only: Option<&str>) -> Outcome<Vec<String>> {
    if let Some(namespace) = only {
        return Ok(vec![namespace.to_owned()]);
    }
    let mut select = connection.prepare_cached("SELECT DISTINCT namespace FROM tally")?;
    let names = select.query_map([], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

/// A question, with what must be known before its rows are read.
pub(crate) struct Asked<'a> {
    pub query: &'a RunQuery,
    ids: IdRange,
    /// The runs whose rows do not say yet that they were updated since then.
    updated: HashSet<RunId>,
}

/// Where the runs of a list are read from, and which of them are in it.
pub(crate) struct Source {
    pub from: &'static str,
    /// The table that has the order of the list.
    pub age: &'static str,
    pub filter: Filter,
}

impl<'a> Asked<'a> {
    /// The tail must be of the same moment as the tables. None if no run can match.
    pub fn of(query: &'a RunQuery, tail: &Tail) -> Option<Asked<'a>> {
        let ids = IdRange::of(query.id_prefix.as_deref().unwrap_or_default())?;
        let updated = match query.updated_from {
            Some(from) => tail.updated_from(from),
            None => HashSet::new(),
        };
        Some(Asked { query, ids, updated })
    }

    /// The runs of one namespace and, if one is named, one status. What SQLite cannot tell is not in the
    /// filter: see [`Asked::is_updated`] and [`Asked::matches_rest`].
    pub fn source(&self, namespace: &str, status: Option<i64>) -> Source {
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
        filter.add(&format!("{plain}r.namespace = ?"), text(namespace));
        if let Some(status) = status {
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
        filter.add_times(&format!("{age}.created_at"), query.created_from, query.created_before);
        // No index is meant to be used here: lists have the order of their creation.
        filter.add_times("+r.ended_at", query.ended_from, query.ended_before);
        if let Some(wanted) = &query.text {
            filter.add_text(wanted);
        }
        if let Some(after) = query.after {
            filter.values.push(Value::Integer(codec::of_time(after.created_at)));
            let run = Value::Blob(codec::blob(after.run).to_vec());
            let than = if query.oldest_first { '>' } else { '<' };
            filter.add(&format!("({age}.created_at, {age}.run) {than} (?, ?)"), run);
        }
        Source { from, age, filter }
    }

    /// Whether a row, whose first column is the run and which has its date in this column, was updated when
    /// it should.
    pub fn is_updated(&self, row: &Row<'_>, updated_at: usize) -> Outcome<bool> {
        let Some(from) = self.query.updated_from else { return Ok(true) };
        Ok(codec::time(row.get(updated_at)?) >= from
            || self.updated.contains(&RunId(Uuid::from_bytes(row.get(0)?))))
    }

    /// Whether there is something to ask [`Asked::matches_rest`].
    pub fn has_rest(&self) -> bool {
        self.query.text.is_some() || !self.query.input.is_empty()
    }

    pub fn matches_rest(&self, row: &RunRow) -> bool {
        self.query.matches_text(row) && self.query.matches_input(row)
    }
}
