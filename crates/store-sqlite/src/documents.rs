//! Documents: writing them in a batch, and reading them.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};
use stepwell_journal::Json;
use stepwell_store::{Document, DocumentError, DocumentPage, DocumentQuery, DocumentWrite};

use crate::batch::Batch;
use crate::codec;
use crate::fault::Outcome;
use crate::filter::{Filter, text};

impl Batch<'_> {
    /// Writes documents whose bounds are checked already, all or none of them.
    pub fn write_documents(
        &mut self,
        writes: &[DocumentWrite],
    ) -> Outcome<Result<Vec<u64>, DocumentError>> {
        for write in writes {
            if let Err(error) = write.check_found(revision_of(self.connection, write)?) {
                return Ok(Err(error));
            }
        }
        let mut revisions = Vec::with_capacity(writes.len());
        for write in writes {
            let revision = self.numbers.next_revision;
            self.numbers.next_revision += 1;
            write_one(self.connection, write, revision)?;
            revisions.push(revision.max(0) as u64);
        }
        self.connection
            .prepare_cached("UPDATE meta SET value = ?1 WHERE key = 'next_revision'")?
            .execute([self.numbers.next_revision])?;
        self.n_writes += writes.len();
        Ok(Ok(revisions))
    }
}

fn revision_of(connection: &Connection, write: &DocumentWrite) -> Outcome<Option<u64>> {
    let revision = connection
        .prepare_cached(
            "SELECT revision FROM document WHERE kind = ?1 AND namespace = ?2 AND key = ?3",
        )?
        .query_row([&write.kind, &write.namespace, &write.key], |row| row.get::<_, i64>(0))
        .optional()?;
    Ok(revision.map(|revision| revision.max(0) as u64))
}

fn write_one(connection: &Connection, write: &DocumentWrite, revision: i64) -> Outcome<()> {
    let DocumentWrite { kind, namespace, key, at, .. } = write;
    match &write.body {
        Some(body) => connection
            .prepare_cached(
                "INSERT INTO document (kind, namespace, key, revision, at, body)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                 ON CONFLICT (kind, namespace, key) DO UPDATE
                   SET revision = excluded.revision, at = excluded.at, body = excluded.body",
            )?
            .execute(params![kind, namespace, key, revision, codec::of_time(*at), body.as_str()])?,
        None => connection
            .prepare_cached("DELETE FROM document WHERE kind = ?1 AND namespace = ?2 AND key = ?3")?
            .execute([kind, namespace, key])?,
    };
    Ok(())
}

pub(crate) fn page(connection: &Connection, query: &DocumentQuery) -> Outcome<DocumentPage> {
    let mut page = DocumentPage::default();
    let Some(filter) = filter_of(query) else { return Ok(page) };
    let mut select = connection.prepare_cached(&format!(
        "SELECT namespace, kind, key, revision, at, body FROM document WHERE {}
         ORDER BY kind, namespace, key",
        filter.terms.join(" AND "),
    ))?;
    let mut rows = select.query(params_from_iter(filter.values))?;
    while let Some(row) = rows.next()? {
        let document = Document {
            namespace: row.get(0)?,
            kind: row.get(1)?,
            key: row.get(2)?,
            revision: row.get::<_, i64>(3)?.max(0) as u64,
            at: codec::time(row.get(4)?),
            body: Json::parse(row.get_ref(5)?.as_str().map_err(rusqlite::Error::from)?)?,
        };
        if query.matches(&document) && !page.take_in(query, document) {
            break;
        }
    }
    Ok(page)
}

/// None if there is nothing to find.
fn filter_of(query: &DocumentQuery) -> Option<Filter> {
    let mut filter = Filter::default();
    filter.add("kind = ?", text(&query.kind));
    match (&query.namespace, &query.after) {
        (None, None) => {}
        (None, Some((namespace, key))) => {
            filter.values.push(text(namespace));
            filter.add("(namespace, key) > (?, ?)", text(key));
        }
        (Some(namespace), after) => {
            filter.add("namespace = ?", text(namespace));
            if let Some((last, key)) = after {
                if last > namespace {
                    return None;
                }
                if last == namespace {
                    filter.add("key > ?", text(key));
                }
            }
        }
    }
    if let Some(key) = &query.key {
        filter.add("key = ?", text(key));
    }
    if let Some(prefix) = &query.key_prefix {
        filter.add("key >= ?", text(prefix));
        if let Some(end) = end_of_prefix(prefix) {
            filter.add("key < ?", Value::Text(end));
        }
    }
    Some(filter)
}

/// The least text that is greater than all that begin with `prefix`; none if there is no such text. Text in
/// UTF-8 has the order of its characters.
fn end_of_prefix(prefix: &str) -> Option<String> {
    let mut end = prefix.to_owned();
    while let Some(last) = end.pop() {
        if let Some(next) = (last..=char::MAX).nth(1) {
            end.push(next);
            return Some(end);
        }
    }
    None
}

/// The kinds that there are documents of, in order.
pub(crate) fn kinds(connection: &Connection) -> Outcome<Vec<String>> {
    let mut select =
        connection.prepare_cached("SELECT DISTINCT kind FROM document ORDER BY kind")?;
    let kinds = select.query_map([], |row| row.get(0))?;
    Ok(kinds.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_prefix_is_just_behind_all_that_begin_with_it() {
        assert_eq!(end_of_prefix("ab").as_deref(), Some("ac"));
        assert_eq!(end_of_prefix("a\u{d7ff}").as_deref(), Some("a\u{e000}"));
        assert_eq!(end_of_prefix("a\u{10ffff}").as_deref(), Some("b"));
        assert_eq!(end_of_prefix("\u{10ffff}"), None);
        assert_eq!(end_of_prefix(""), None);
    }
}
