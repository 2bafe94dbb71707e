//! Taking ownership of every run.

use futures::join;
use stepwell_journal::Epoch;

use crate::connect::Connector;
use crate::fault::Outcome;
use crate::writer::{Given, Mark, Open, Tried};

pub(crate) async fn attempt(connector: &Connector, open: Open<'_>, mark: Mark) -> Tried {
    let taken = connector.in_time(take(open, mark)).await;
    match taken {
        Ok(epoch) => Tried::of(Given::Epoch(epoch), connector.in_time(open.commit()).await),
        Err(fault) => Tried::Failed(fault),
    }
}

/// Waits until no owner has a transaction under way, and gives every shard a new epoch.
async fn take(open: Open<'_>, mark: Mark) -> Outcome<Epoch> {
    let client = open.client;
    // Those who take shards do so one after the other, before they hold anything else.
    let count = "UPDATE counter SET n = n + 1 WHERE name = 'epoch' RETURNING n";
    let (begun, counted) = join!(open.begin(), client.query_one(count, &[]));
    begun?;
    let epoch: i64 = counted?.try_get(0)?;
    let update = "UPDATE shard SET epoch = $1, node = $2";
    open.mark(mark).await?;
    client.execute("SELECT 1 FROM node ORDER BY node FOR UPDATE", &[]).await?;
    client.execute("SELECT 1 FROM writer ORDER BY node, n FOR UPDATE", &[]).await?;
    client.execute(update, &[&epoch, &open.node]).await?;
    Ok(Epoch(epoch.max(0) as u64))
}
