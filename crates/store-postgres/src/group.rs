//! The transaction that starts, commits and posts share.

use std::collections::BTreeMap;

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
use crate::given::Given;
use crate::kept::Kept;
use crate::request::Request;
use crate::writer::{Mark, Open, Tried};

pub(crate) async fn attempt(
    connector: &Connector,
    open: Open<'_>,
    mark: Mark,
    requests: &[Request],
    kept: &mut Kept,
    is_careful: bool,
) -> Tried {
    let needs = Needs::of(requests, kept, is_careful);
    if needs.is_nothing()
        && let Some(epochs) = known_epochs(&needs, kept)
    {
        return at_once(connector, open, mark, requests, kept, epochs).await;
    }
    for run in &needs.runs {
        // What is read is more than what is remembered.
        kept.take(*run);
    }
    let mut batch = match connector.in_time(read(open, mark, needs)).await {
        Ok(batch) => batch,
        Err(fault) => return Tried::Failed(fault),
    };
    batch.recall(requests, kept);
    let (given, columns) = match judge(batch, requests, connector, open) {
        Ok(judged) => judged,
        Err(fault) => return Tried::Failed(fault),
    };
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

/// What is answered, and what is to be written for it.
fn judge(
    mut batch: Batch,
    requests: &[Request],
    connector: &Connector,
    open: Open<'_>,
) -> Outcome<(Given, Columns)> {
    let verdicts = requests.iter().map(|request| batch.judge(request)).collect();
    let mut columns = Columns::of(batch, connector, open)?;
    Ok((Given::Verdicts(verdicts, std::mem::take(&mut columns.learned)), columns))
}

/// The epochs of the shards that the group names, if all of these are ours.
fn known_epochs(needs: &Needs, kept: &Kept) -> Option<BTreeMap<i16, Epoch>> {
    needs.shards.iter().map(|shard| Some((*shard, kept.epoch(*shard)?))).collect()
}

/// Judges and writes in one round trip what needs no look at the database. If it is not all as this writer remembers it
/// the database refuses, and the same requests are judged with a look.
async fn at_once(
    connector: &Connector,
    open: Open<'_>,
    mark: Mark,
    requests: &[Request],
    kept: &mut Kept,
    epochs: BTreeMap<i16, Epoch>,
) -> Tried {
    let (shards, signed): (Vec<i16>, Vec<i64>) =
        epochs.iter().map(|(shard, epoch)| (*shard, epoch.0 as i64)).unzip();
    let owners = shards.iter().map(|shard| (*shard, Some(open.node))).collect();
    let mut batch = Batch { epochs, owners, ..Batch::default() };
    batch.recall(requests, kept);
    let (given, columns) = match judge(batch, requests, connector, open) {
        Ok(judged) => judged,
        Err(fault) => return Tried::Failed(fault),
    };
    let Open { client, sql, slot, .. } = open;
    let guard = async {
        let values: [&(dyn ToSql + Sync); 5] = [&mark.0, &mark.1, &mark.2, &shards, &signed];
        client.execute(&sql.guard, &values).await?;
        Ok(())
    };
    // Each is sent when it is first polled: in this order, and without waiting in between.
    let sent = async {
        let (begun, marked, guarded, written) =
            join!(open.begin(), open.mark(mark), guard, columns.write(client, sql, slot));
        begun.and(marked).and(guarded).and(written)
    };
    Tried::of(given, connector.in_time(sent).await)
}

/// Begins the transaction, and reads and locks what the group names: all sent at once. Each statement sees what
/// was committed before it began, so inboxes and epochs are read when the locks are held.
async fn read(open: Open<'_>, mark: Mark, needs: Needs) -> Outcome<Batch> {
    let Open { client, sql, .. } = open;
    let runs: Vec<Uuid> = needs.runs.iter().map(|run| run.0).collect();
    let mut shards = needs.shards;
    if open.is_shared {
        // Who owns a run matters only if it may be somebody else.
        shards.extend(needs.runs.iter().map(|run| codec::shard_of(*run)));
    }
    let shards: Vec<i16> = shards.into_iter().collect();
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
    let values: [&(dyn ToSql + Sync); 1] = [&runs];
    let (begun, marked, rows, epochs, inboxes, keyed) = join!(
        open.begin(),
        open.mark(mark),
        client.query(&sql.lock_runs, &values),
        epochs,
        client.query(&sql.inboxes, &values),
        keyed,
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
