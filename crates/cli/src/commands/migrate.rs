//! `stepwell store migrate`

use serde_json::json;
use stepwell::{
    Imported, LogQuery, PostgresStore, RunQuery, RunRow, SqliteStore, Store, StoreError, UnixMillis,
};

use super::store::{failed, open_file};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::out::Out;
use crate::settings::StoreUrl;

/// How many runs are copied at once.
const COPY_RUNS: usize = 100;

/// What was copied.
#[derive(Debug, Default)]
struct Copied {
    n_runs: u64,
    /// Runs that were there already.
    n_known: u64,
    n_documents: u64,
}

pub async fn migrate(from: Option<&str>, to: &StoreUrl, out: &mut Out) -> Result<Exit> {
    let from = from.map(StoreUrl::parse).transpose();
    let from = from.map_err(|problem| Error::usage(format!("--from: {problem}")))?;
    let StoreUrl::Postgres(address) = to else {
        return Err(Error::usage("only a database is brought up to date like this")
            .hint("name it with --store postgres://USER@HOST/DATABASE; a file is brought up to date by the server that opens it"));
    };
    let file = match &from {
        Some(from) => Some(open_file(from).await?),
        None => None,
    };
    let database = PostgresStore::open(address).await.map_err(|error| failed(&error))?;
    let copied = match &file {
        Some(file) => copy(file, &database).await,
        None => Ok(Copied::default()),
    };
    database.close().await;
    if let Some(file) = file {
        file.close().await;
    }
    let Copied { n_runs, n_known, n_documents } = copied.map_err(|error| failed(&error))?;
    if out.json {
        out.print_json_of(&json!({
            "store": to.to_string(),
            "from": from.map(|from| from.to_string()),
            "n_runs": n_runs,
            "n_runs_known": n_known,
            "n_documents": n_documents,
        }))?;
        return Ok(Exit::Ok);
    }
    match from {
        None => out.print(&format!("{to} is up to date"))?,
        Some(from) => out.print(&format!(
            "{to} has all of {from}: {n_runs} runs and {n_documents} documents were copied, {n_known} runs were there"
        ))?,
    }
    Ok(Exit::Ok)
}

async fn copy(from: &SqliteStore, to: &PostgresStore) -> std::result::Result<Copied, StoreError> {
    let mut copied = Copied::default();
    let mut query = RunQuery { oldest_first: true, limit: COPY_RUNS, ..RunQuery::default() };
    loop {
        let page = from.query(query.clone()).await?;
        let copies = page.runs.iter().map(|row| copy_run(from, to, row));
        for is_new in futures::future::try_join_all(copies).await? {
            match is_new {
                true => copied.n_runs += 1,
                false => copied.n_known += 1,
            }
        }
        match page.next {
            Some(next) => query.after = Some(next),
            None => break,
        }
    }
    copied.n_documents = copy_documents(from, to).await?;
    Ok(copied)
}

async fn copy_run(
    from: &SqliteStore,
    to: &PostgresStore,
    row: &RunRow,
) -> std::result::Result<bool, StoreError> {
    let gone = || StoreError::Unavailable(format!("run {} is gone", row.run).into());
    let loaded = from.load(row.run).await?.ok_or_else(gone)?;
    let idempotency_key = from.key_of(row.run).await?;
    let mut logs = Vec::new();
    let mut query = LogQuery::of(row.run);
    loop {
        let page = from.logs(query.clone()).await?;
        logs.extend(page.lines);
        match page.next {
            Some(next) => query.after = Some(next),
            None => break,
        }
    }
    to.import(Imported { loaded, idempotency_key, logs }).await
}

async fn copy_documents(
    from: &SqliteStore,
    to: &PostgresStore,
) -> std::result::Result<u64, StoreError> {
    let mut n_documents = 0;
    for kind in from.document_kinds().await? {
        n_documents += copy_kind(from, to, kind).await?;
    }
    Ok(n_documents)
}

async fn copy_kind(
    from: &SqliteStore,
    to: &PostgresStore,
    kind: String,
) -> std::result::Result<u64, StoreError> {
    let mut n_documents = 0;
    let mut query = stepwell::DocumentQuery { kind, ..stepwell::DocumentQuery::default() };
    loop {
        let page = from.documents(query.clone()).await?;
        let writes: Vec<_> = page.documents.into_iter().map(write_of).collect();
        n_documents += writes.len() as u64;
        if !writes.is_empty() {
            to.write_documents(writes)
                .await
                .map_err(|error| StoreError::Unavailable(Box::new(error)))?;
        }
        match page.next {
            Some(next) => query.after = Some(next),
            None => return Ok(n_documents),
        }
    }
}

fn write_of(document: stepwell::Document) -> stepwell::DocumentWrite {
    let stepwell::Document { namespace, kind, key, at, body, .. } = document;
    let at: UnixMillis = at;
    let expect = stepwell::Expect::Anything;
    stepwell::DocumentWrite { namespace, kind, key, body: Some(body), expect, at }
}
