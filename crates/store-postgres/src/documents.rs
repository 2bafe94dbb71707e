//! Documents.

use std::collections::BTreeMap;

use futures::join;
use stepwell_journal::Json;
use stepwell_store::{
    DOCUMENTS_BYTES_MAX, Document, DocumentPage, DocumentQuery, DocumentWrite, stored,
};
use tokio_postgres::types::ToSql;

use crate::codec;
use crate::connect::Connector;
use crate::fault::{Fault, Outcome};
use crate::given::Given;
use crate::read::Reader;
use crate::writer::{Mark, Open, Tried};

/// A document's kind, namespace and key, as columns have them.
type Name = (String, String, String);

/// The new values, by column.
#[derive(Default)]
struct Columns {
    names: (Vec<String>, Vec<String>, Vec<String>),
    revisions: Vec<i64>,
    dates: Vec<i64>,
    bodies: Vec<String>,
}

impl Columns {
    fn push_name(&mut self, (kind, namespace, key): Name) {
        self.names.0.push(kind);
        self.names.1.push(namespace);
        self.names.2.push(key);
    }
}

fn name(write: &DocumentWrite) -> Name {
    (codec::owned(&write.kind), codec::owned(&write.namespace), codec::owned(&write.key))
}

/// Writes all or nothing. The bounds are checked already.
pub(crate) async fn attempt(
    connector: &Connector,
    open: Open<'_>,
    mark: Mark,
    writes: &[DocumentWrite],
) -> Tried {
    let (last, found) = match connector.in_time(read(open, mark, writes)).await {
        Ok(read) => read,
        Err(fault) => return Tried::Failed(fault),
    };
    for write in writes {
        if let Err(error) = write.check_found(found.get(&name(write)).map(|n| *n as u64)) {
            let given = Given::Revisions(Err(error));
            let ended = async { Ok(open.client.batch_execute("ROLLBACK").await?) };
            return match connector.in_time(ended).await {
                Ok(()) => Tried::Done(given),
                Err(fault) => Tried::Failed(fault),
            };
        }
    }
    let first = last - writes.len() as i64 + 1;
    let revisions = (first..=last).map(|revision| revision as u64).collect();
    let written = connector.in_time(write_all(open, writes, first)).await;
    Tried::of(Given::Revisions(Ok(revisions)), written)
}

/// The last of the new revisions, and the revisions that are there. Writers of documents wait for each other at
/// the counter, so that what is found stays true.
async fn read(
    open: Open<'_>,
    mark: Mark,
    writes: &[DocumentWrite],
) -> Outcome<(i64, BTreeMap<Name, i64>)> {
    let mut columns = Columns::default();
    writes.iter().for_each(|write| columns.push_name(name(write)));
    let names = &columns.names;
    let n_writes = writes.len() as i64;
    let count = "UPDATE counter SET n = n + $1 WHERE name = 'revision' RETURNING n";
    let select = "SELECT d.kind, d.namespace, d.key, d.revision FROM document d
           JOIN unnest($1::text[], $2::text[], $3::text[]) AS u (kind, namespace, key)
             ON d.kind = u.kind AND d.namespace = u.namespace AND d.key = u.key";
    open.begin().await?;
    let values: [&(dyn ToSql + Sync); 1] = [&n_writes];
    let (marked, last) = join!(open.mark(mark), open.client.query_one(count, &values));
    marked?;
    let last = last?.try_get(0)?;
    let rows = open.client.query(select, &[&names.0, &names.1, &names.2]).await?;
    let mut found = BTreeMap::new();
    for row in rows {
        let name = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
        found.insert(name, row.try_get(3)?);
    }
    Ok((last, found))
}

async fn write_all(open: Open<'_>, writes: &[DocumentWrite], first: i64) -> Outcome<()> {
    let (mut removed, mut put) = (Columns::default(), Columns::default());
    for (write, revision) in writes.iter().zip(first..) {
        let Some(body) = &write.body else {
            removed.push_name(name(write));
            continue;
        };
        put.push_name(name(write));
        put.revisions.push(revision);
        put.dates.push(stored::of_time(write.at));
        put.bodies.push(body.as_str().to_owned());
    }
    let delete = "DELETE FROM document d
           USING unnest($1::text[], $2::text[], $3::text[]) AS u (kind, namespace, key)
           WHERE d.kind = u.kind AND d.namespace = u.namespace AND d.key = u.key";
    let insert = "INSERT INTO document (kind, namespace, key, revision, at, body)
           SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int8[], $5::int8[], $6::text[])
           ON CONFLICT (kind, namespace, key)
             DO UPDATE SET revision = EXCLUDED.revision, at = EXCLUDED.at, body = EXCLUDED.body";
    let client = open.client;
    if !removed.names.0.is_empty() {
        let names = &removed.names;
        client.execute(delete, &[&names.0, &names.1, &names.2]).await?;
    }
    if !put.revisions.is_empty() {
        let (names, put) = (&put.names, &put);
        let values: [&(dyn ToSql + Sync); 6] =
            [&names.0, &names.1, &names.2, &put.revisions, &put.dates, &put.bodies];
        client.execute(insert, &values).await?;
    }
    open.commit().await
}

/// Which documents are on a page: those of a query, after the page before.
const PAGE: &str = "FROM document
     WHERE kind = $1 AND ($2::text IS NULL OR namespace = $2) AND ($3::text IS NULL OR key = $3)
       AND ($4::text IS NULL OR (key >= $4 AND left(key, length($4)) = $4))
       AND ($5::text IS NULL OR (namespace, key) > ($5, $6))
     ORDER BY namespace, key";

pub(crate) async fn page(reader: &Reader, query: &DocumentQuery) -> Outcome<DocumentPage> {
    let kind = codec::escaped(&query.kind);
    let of = |text: &Option<String>| text.as_deref().map(codec::owned);
    let (namespace, key, prefix) = (of(&query.namespace), of(&query.key), of(&query.key_prefix));
    let after = query.after.as_ref();
    let (after_namespace, after_key) = (
        after.map(|(namespace, _)| codec::owned(namespace)),
        after.map(|(_, key)| codec::owned(key)).unwrap_or_default(),
    );
    let limit = stored::of_limit(query.n_rows() + 1);
    // Bodies may be large: how many fit is known before any is read.
    let sizes = reader.prepare(&format!("SELECT octet_length(body) {PAGE} LIMIT $7")).await?;
    let bodies = reader
        .prepare(&format!("SELECT namespace, key, revision, at, body {PAGE} LIMIT $7"))
        .await?;
    reader.begin().await?;
    let names: [&(dyn ToSql + Sync); 6] =
        [&&*kind, &namespace, &key, &prefix, &after_namespace, &after_key];

    let all_sizes = reader.query(&sizes, &[&names[..], &[&limit]].concat()).await?;
    let mut n_bytes = 0;
    let mut n_fitting = 0;
    for row in &all_sizes {
        n_bytes += usize::try_from(row.try_get::<_, i32>(0)?).unwrap_or(usize::MAX);
        if n_fitting == query.n_rows() || n_bytes > DOCUMENTS_BYTES_MAX {
            break;
        }
        n_fitting += 1;
    }
    let n_wanted = stored::of_limit(n_fitting);
    let rows = reader.query(&bodies, &[&names[..], &[&n_wanted]].concat()).await?;
    reader.end().await?;
    let mut page = DocumentPage::default();
    for row in &rows {
        page.documents.push(Document {
            namespace: codec::plain(row.try_get(0)?),
            kind: query.kind.clone(),
            key: codec::plain(row.try_get(1)?),
            revision: row.try_get::<_, i64>(2)?.max(0) as u64,
            at: stored::time(row.try_get(3)?),
            body: Json::parse(row.try_get(4)?).map_err(Fault::from)?,
        });
    }
    if n_fitting < all_sizes.len() {
        let last = page.documents.last();
        page.next = last.map(|last| (last.namespace.clone(), last.key.clone()));
    }
    Ok(page)
}
