//! Which runs a question asks for, as far as PostgreSQL can tell, and the rest.

use stepwell_journal::UnixMillis;
use stepwell_store::{IdRange, RunQuery, stored};
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::codec;

/// Conditions with their values.
#[derive(Default)]
pub(crate) struct Filter {
    terms: Vec<String>,
    values: Vec<Box<dyn ToSql + Sync + Send>>,
}

impl Filter {
    /// None if no run can match. What PostgreSQL cannot tell is not in it: see [`has_rest`].
    pub fn of(query: &RunQuery) -> Option<Filter> {
        let mut filter = Filter::default();
        let ids = IdRange::of(query.id_prefix.as_deref().unwrap_or_default())?;
        if let Some(namespace) = &query.namespace {
            filter.add("r.namespace = ?", codec::owned(namespace));
        }
        if let Some(workflow) = &query.workflow {
            filter.add("r.workflow = ?", codec::owned(workflow));
        }
        if !query.statuses.is_empty() {
            // Written out, because an index is only of some statuses.
            let numbers: Vec<_> =
                query.statuses.iter().map(|s| codec::of_status(*s).to_string()).collect();
            filter.terms.push(format!("r.status IN ({})", numbers.join(", ")));
        }
        for (key, value) in &query.labels {
            filter.add(
                "EXISTS (SELECT 1 FROM label l
                   WHERE l.digest = ? AND l.created_at = r.created_at AND l.run = r.run)",
                codec::label_digest(key, value),
            );
        }
        if let Some(parent) = query.parent {
            filter.add("r.parent = ?", parent.0);
        }
        if !ids.is_all {
            filter.add("r.run >= ?", Uuid::from_bytes(ids.first));
            filter.add("r.run <= ?", Uuid::from_bytes(ids.last));
        }
        filter.add_times("r.created_at", query.created_from, query.created_before);
        filter.add_times("r.ended_at", query.ended_from, query.ended_before);
        if let Some(from) = query.updated_from {
            filter.add(
                "(r.updated_at >= ? OR r.ended_at IS NULL AND (SELECT at FROM journal
                   WHERE run = r.run ORDER BY first_seq DESC LIMIT 1) >= ?)",
                stored::of_time(from),
            );
        }
        if let Some(wanted) = &query.text {
            filter.add_text(wanted);
        }
        Some(filter)
    }

    /// Adds a condition, in which a question mark stands for the value.
    pub fn add(&mut self, term: &str, value: impl ToSql + Sync + Send + 'static) {
        self.values.push(Box::new(value));
        self.terms.push(term.replace('?', &format!("${}", self.values.len())));
    }

    /// Runs after a place in the list.
    pub fn add_after(&mut self, after: stepwell_store::Cursor, oldest_first: bool) {
        self.values.push(Box::new(stored::of_time(after.created_at)));
        let created_at = self.values.len();
        let than = if oldest_first { '>' } else { '<' };
        self.add(&format!("(r.created_at, r.run) {than} (${created_at}, ?)"), after.run.0);
    }

    fn add_times(&mut self, column: &str, from: Option<UnixMillis>, before: Option<UnixMillis>) {
        if let Some(from) = from {
            self.add(&format!("{column} >= ?"), stored::of_time(from));
        }
        if let Some(before) = before {
            self.add(&format!("{column} < ?"), stored::of_time(before));
        }
    }

    /// Finds every run that has the text, and some that only seem to have it: labels and failures are looked
    /// at as the JSON that they are written as.
    fn add_text(&mut self, wanted: &str) {
        let plain = wanted.to_ascii_lowercase();
        let quoted = serde_json::Value::from(plain.as_str()).to_string();
        let inside = quoted[1..quoted.len() - 1].to_owned();
        let mut terms = Vec::new();
        for (column, wanted) in [
            ("workflow", codec::owned(&plain)),
            ("description", codec::owned(&plain)),
            ("labels", inside.clone()),
            ("failure", inside),
        ] {
            self.values.push(Box::new(wanted));
            terms.push(format!("strpos(lower(r.{column}), ${}) > 0", self.values.len()));
        }
        if let Some(ids) = IdRange::of(wanted) {
            self.values.push(Box::new(Uuid::from_bytes(ids.first)));
            self.values.push(Box::new(Uuid::from_bytes(ids.last)));
            let last = self.values.len();
            terms.push(format!("r.run BETWEEN ${} AND ${last}", last - 1));
        }
        self.terms.push(format!("({})", terms.join(" OR ")));
    }

    /// What stands after `WHERE`.
    pub fn condition(&self) -> String {
        if self.terms.is_empty() { "true".to_owned() } else { self.terms.join(" AND ") }
    }

    pub fn values(&self) -> Vec<&(dyn ToSql + Sync)> {
        self.values.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect()
    }
}

/// Whether rows must be looked at that the filter lets pass.
pub(crate) fn has_rest(query: &RunQuery) -> bool {
    query.text.is_some() || !query.input.is_empty()
}
