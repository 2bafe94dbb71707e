//! The transaction that starts, commits and posts share.

use std::collections::BTreeSet;

use futures::join;
use stepwell_journal::{Epoch, Json, RunId};
use stepwell_store::InboxId;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::batch::{Batch, Head, Needs, Slot};
use crate::codec;
use crate::columns::Columns;
use crate::connect::Connector;
use crate::fault::Outcome;
use crate::request::Request;
use crate::writer::{Given, Mark, Open, Tried};

pub(crate) async fn attempt(
    connector: &Connector,
    open: Open<'_>,
    mark: Mark,
    requests: &[Request],
) -> Tried {
    let needs = Needs::of(requests);
    let mut batch = match connector.in_time(read(open, mark, &needs)).await {
        Ok(batch) => batch,
        Err(fault) => return Tried::Failed(fault),
    };
    let verdicts = requests.iter().map(|request| batch.judge(request)).collect();
    let columns = match Columns::of(batch, connector, open) {
        Ok(columns) => columns,
        Err(fault) => return Tried::Failed(fault),
    };
    let given = Given::Verdicts(verdicts);
    if columns.is_empty() {
        // Nothing was changed, so it does not matter how the transaction ends.
        let ended = connector.in_time(async { Ok(open.client.batch_execute("ROLLBACK").await?) });
        return match ended.await {
            Ok(()) => Tried::Done(given),
            Err(fault) => Tried::Failed(fault),
        };
    }
    let written = connector.in_time(columns.write(open.client, open.sql, open.slot)).await;
    Tried::of(given, written)
}

/// Begins the transaction, and reads and locks what the group names: all sent at once. Each statement sees what
/// was committed before it began, so inboxes and epochs are read when the locks are held.
async fn read(open: Open<'_>, mark: Mark, needs: &Needs) -> Outcome<Batch> {
    let Open { client, sql, .. } = open;
    let runs: Vec<Uuid> = needs.runs.iter().map(|run| run.0).collect();
    // Who owns a run matters only if it may be somebody else.
    let shards: Vec<i16> = match open.is_shared {
        true => needs.runs.iter().map(|run| codec::shard_of(*run)).collect::<BTreeSet<_>>(),
        false => needs.shards.clone(),
    }
    .into_iter()
    .collect();
    let speaking: Vec<Uuid> = needs.speaking.iter().map(|run| run.0).collect();
    let keys: Vec<&[u8]> = needs.keys.iter().map(Vec::as_slice).collect();
    let keyed = async {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        client.query(&sql.keyed, &[&keys]).await
    };
    let epochs = async {
        if shards.is_empty() {
            return Ok(Vec::new());
        }
        client.query(&sql.epochs, &[&shards]).await
    };
    let watched = async {
        if speaking.is_empty() || !open.is_shared {
            return Ok(Vec::new());
        }
        client.query(&sql.watched, &[&speaking]).await
    };
    let values: [&(dyn ToSql + Sync); 1] = [&runs];
    let (begun, marked, rows, epochs, inboxes, keyed, watched) = join!(
        open.begin(),
        open.mark(mark),
        client.query(&sql.lock_runs, &values),
        epochs,
        client.query(&sql.inboxes, &values),
        keyed,
        watched,
    );
    begun?;
    marked?;
    let mut batch = Batch::default();
    add_heads(&mut batch, &rows?)?;
    for row in epochs? {
        batch.epochs.insert(row.try_get(0)?, Epoch(row.try_get::<_, i64>(1)?.max(0) as u64));
        batch.owners.insert(row.try_get(0)?, row.try_get(2)?);
    }
    add_inboxes(&mut batch, &inboxes?)?;
    for row in keyed? {
        let input = Json::parse(row.try_get(2)?)?;
        batch.keys.insert(row.try_get(0)?, (RunId(row.try_get(1)?), input));
    }
    for row in watched? {
        batch.watched.insert(RunId(row.try_get(0)?));
    }
    Ok(batch)
}

fn add_heads(batch: &mut Batch, rows: &[Row]) -> Outcome<()> {
    for row in rows {
        let found = codec::run_row(row)?;
        batch.heads.insert(found.run, Head::stored(found, row.try_get(16)?));
    }
    Ok(())
}

fn add_inboxes(batch: &mut Batch, rows: &[Row]) -> Outcome<()> {
    for row in rows {
        let Some(head) = batch.heads.get_mut(&RunId(row.try_get(0)?)) else { continue };
        let slot = Slot { id: InboxId(row.try_get(1)?), cancels: row.try_get(2)?, new: None };
        head.inbox.push(slot);
    }
    Ok(())
}
