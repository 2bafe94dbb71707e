//! Who owns which shard, and how shards change hands.
//!
//! A lease is a date in the node's row, set and compared by the database's clock. A shard changes hands in a
//! transaction that holds the rows of the old owner's writers: nothing of that owner is under way then, and
//! whatever it sends later finds the new epoch. If the old owner was stopped in the middle of a transaction, the
//! server ends that transaction after a few seconds.

use std::time::Duration;

use futures::join;
use stepwell_journal::Epoch;
use stepwell_store::{Owned, Shard};
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::codec::SHARDS;
use crate::connect::Connector;
use crate::fault::{Fault, Outcome};
use crate::given::Given;
use crate::listen::SHARDS_CALL;
use crate::writer::{Mark, Open, Tried};

/// What a node says when it says that it lives.
#[derive(Debug, Clone)]
pub(crate) struct Beat {
    pub lease: Duration,
    pub given_back: Vec<Shard>,
    /// Gives back everything, and lives no more.
    pub leaves: bool,
}

/// What a node owns, and what it should take.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Share {
    pub owned: Owned,
    /// Shards without a living owner, as many as this node should have.
    pub wanted: Vec<i16>,
}

/// A shard, its epoch and its owner, and whether that is alive.
type Row = (i16, i64, Option<Uuid>, bool);

impl Share {
    /// Each living node may have as many shards as there are for each, rounded up.
    fn of(node: Uuid, n_alive: usize, rows: &[Row]) -> Share {
        let quota = usize::from(SHARDS).div_ceil(n_alive.max(1));
        let mut share = Share::default();
        let mut free = Vec::new();
        for (shard, epoch, owner, is_alive) in rows {
            if *owner == Some(node) {
                let epoch = Epoch((*epoch).max(0) as u64);
                share.owned.shards.insert(Shard(shard.unsigned_abs()), epoch);
            } else if owner.is_none() || !is_alive {
                free.push(*shard);
            }
        }
        let n_mine = share.owned.shards.len();
        share.wanted = free.into_iter().take(quota.saturating_sub(n_mine)).collect();
        share.owned.surplus = share.owned.shards.keys().copied().skip(quota).collect();
        share
    }
}

pub(crate) async fn beat(connector: &Connector, open: Open<'_>, mark: Mark, beat: &Beat) -> Tried {
    match connector.in_time(say(connector, open, mark, beat)).await {
        Ok(share) => Tried::of(Given::Share(share), connector.in_time(open.commit()).await),
        Err(fault) => Tried::Failed(fault),
    }
}

/// Rows are locked in the order in which those who take shards lock them: the node, then its writers.
async fn say(connector: &Connector, open: Open<'_>, mark: Mark, beat: &Beat) -> Outcome<Share> {
    let client = open.client;
    let lease_ms = beat.lease.as_millis() as f64;
    let renew = "UPDATE node SET beat_at = clock_timestamp(),
           lease_until = clock_timestamp() + $2 * interval '1 millisecond' WHERE node = $1";
    let end = "UPDATE node SET beat_at = clock_timestamp(), lease_until = NULL WHERE node = $1";
    let counted = async {
        if beat.leaves || !beat.given_back.is_empty() {
            return Ok(Some(next_epoch(open).await?));
        }
        Ok::<_, Fault>(None)
    };
    let (begun, epoch) = join!(open.begin(), counted);
    begun?;
    let epoch = epoch?;
    let was_alive = "SELECT coalesce(lease_until > clock_timestamp(), false) FROM node
         WHERE node = $1 FOR UPDATE";
    let Some(row) = client.query_opt(was_alive, &[&open.node]).await? else {
        return Err(Fault::Lost("the row of this node is gone".to_owned()));
    };
    let was_alive: bool = row.try_get(0)?;
    match beat.leaves {
        true => client.execute(end, &[&open.node]).await?,
        false => client.execute(renew, &[&open.node, &lease_ms]).await?,
    };
    if !was_alive {
        // Others have more than their share now.
        call_all(connector, open).await?;
    }
    open.mark(mark).await?;
    if let Some(epoch) = epoch {
        give_back(connector, open, beat, epoch).await?;
    }
    read(open).await
}

/// A new epoch. Those who change owners do so one after the other, before they hold anything else.
async fn next_epoch(open: Open<'_>) -> Outcome<i64> {
    let count = "UPDATE counter SET n = n + 1 WHERE name = 'epoch' RETURNING n";
    Ok(open.client.query_one(count, &[]).await?.try_get(0)?)
}

/// A commit that is still in the queue of another writer of this node must not come after the next owner has
/// begun: so the epoch grows now, while no writer is at work.
async fn give_back(connector: &Connector, open: Open<'_>, beat: &Beat, epoch: i64) -> Outcome<()> {
    let client = open.client;
    let shards: Vec<i16> = beat.given_back.iter().map(|shard| shard.0 as i16).collect();
    client
        .execute("SELECT 1 FROM writer WHERE node = $1 ORDER BY n FOR UPDATE", &[&open.node])
        .await?;
    let update = "UPDATE shard SET node = NULL, epoch = $3
         WHERE node = $1 AND ($4 OR shard = ANY($2))";
    client.execute(update, &[&open.node, &shards, &epoch, &beat.leaves]).await?;
    call_all(connector, open).await
}

/// Makes every node look at what it owns.
async fn call_all(connector: &Connector, open: Open<'_>) -> Outcome<()> {
    let values: [&(dyn ToSql + Sync); 2] = [&connector.channel(), &SHARDS_CALL];
    open.client.execute("SELECT pg_notify($1, $2)", &values).await?;
    Ok(())
}

async fn read(open: Open<'_>) -> Outcome<Share> {
    // All of it as of one moment: a node that dies in between is alive for all its shards, or for none.
    let rows =
        "SELECT s.shard, s.epoch, s.node, coalesce(n.lease_until > statement_timestamp(), false),
           (SELECT count(*) FROM node WHERE lease_until > statement_timestamp())
         FROM shard s LEFT JOIN node n ON n.node = s.node ORDER BY s.shard";
    let rows = open.client.query(rows, &[]).await?;
    let n_alive: i64 = rows.first().map_or(Ok(1), |row| row.try_get(4))?;
    let rows = rows
        .iter()
        .map(|row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, row.try_get(3)?)))
        .collect::<Outcome<Vec<Row>>>()?;
    Ok(Share::of(open.node, usize::try_from(n_alive).unwrap_or(1), &rows))
}

/// Takes shards that are free, or whose owner's lease has run out.
pub(crate) async fn take(
    connector: &Connector,
    open: Open<'_>,
    mark: Mark,
    wanted: &[i16],
) -> Tried {
    let taken = connector.in_time(async {
        let (begun, epoch) = join!(open.begin(), next_epoch(open));
        begun?;
        open.mark(mark).await?;
        take_wanted(open, wanted, epoch?).await?;
        read(open).await
    });
    match taken.await {
        Ok(share) => Tried::of(Given::Share(share), connector.in_time(open.commit()).await),
        Err(fault) => Tried::Failed(fault),
    }
}

async fn take_wanted(open: Open<'_>, wanted: &[i16], epoch: i64) -> Outcome<()> {
    let client = open.client;
    // Each is looked at again once it is locked: it may have said meanwhile that it lives.
    let dead = "SELECT n.node FROM node n
         WHERE n.node IN (SELECT s.node FROM shard s WHERE s.shard = ANY($1))
           AND (n.lease_until IS NULL OR n.lease_until <= clock_timestamp())
         ORDER BY n.node FOR UPDATE OF n";
    let rows = client.query(dead, &[&wanted]).await?;
    let dead: Vec<Uuid> = rows.iter().map(|row| Ok(row.try_get(0)?)).collect::<Outcome<_>>()?;
    let lock = "SELECT 1 FROM writer WHERE node = ANY($1) ORDER BY node, n FOR UPDATE";
    client.execute(lock, &[&dead]).await?;
    let update = "UPDATE shard s SET node = $1, epoch = $2
         WHERE s.shard = ANY($3) AND (s.node IS NULL OR s.node = ANY($4)
           OR NOT EXISTS (SELECT 1 FROM node n WHERE n.node = s.node))";
    let values: [&(dyn ToSql + Sync); 4] = [&open.node, &epoch, &wanted, &dead];
    client.execute(update, &values).await?;
    Ok(())
}

/// Removes what nodes have left behind that have not been seen for a day and own nothing.
pub(crate) const SWEEP: &str = "WITH gone AS (
       DELETE FROM node n WHERE n.beat_at < clock_timestamp() - interval '1 day'
         AND (n.lease_until IS NULL OR n.lease_until < clock_timestamp())
         AND NOT EXISTS (SELECT 1 FROM shard s WHERE s.node = n.node) RETURNING n.node),
     unwatched AS (DELETE FROM watch w USING gone g WHERE w.node = g.node)
     DELETE FROM writer w USING gone g WHERE w.node = g.node";

/// Takes every shard from whoever has it.
pub(crate) async fn take_all(connector: &Connector, open: Open<'_>, mark: Mark) -> Tried {
    let taken = connector.in_time(async {
        let (begun, epoch) = join!(open.begin(), next_epoch(open));
        begun?;
        let epoch = epoch?;
        open.mark(mark).await?;
        let client = open.client;
        client.execute("SELECT 1 FROM node ORDER BY node FOR UPDATE", &[]).await?;
        client.execute("SELECT 1 FROM writer ORDER BY node, n FOR UPDATE", &[]).await?;
        client.execute("UPDATE shard SET epoch = $1, node = $2", &[&epoch, &open.node]).await?;
        Ok(Epoch(epoch.max(0) as u64))
    });
    match taken.await {
        Ok(epoch) => Tried::of(Given::Epoch(epoch), connector.in_time(open.commit()).await),
        Err(fault) => Tried::Failed(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(n: u128) -> Uuid {
        Uuid::from_u128(n)
    }

    /// The shards of living nodes and of dead ones.
    fn rows(owner_of: impl Fn(u16) -> Option<(u128, bool)>) -> Vec<Row> {
        (0..SHARDS)
            .map(|shard| {
                let owner = owner_of(shard);
                let is_alive = owner.is_some_and(|(_, is_alive)| is_alive);
                (shard as i16, 7, owner.map(|(n, _)| node(n)), is_alive)
            })
            .collect()
    }

    #[test]
    fn a_node_alone_wants_everything() {
        let share = Share::of(node(1), 1, &rows(|_| None));
        assert_eq!(share.wanted.len(), usize::from(SHARDS));
        assert_eq!(share.owned, Owned::default());
    }

    #[test]
    fn a_node_that_has_more_than_its_share_is_told() {
        let share = Share::of(node(1), 3, &rows(|_| Some((1, true))));
        assert_eq!(share.owned.shards.len(), 64);
        assert_eq!(share.owned.surplus.len(), 64 - 22);
        assert!(share.wanted.is_empty());
    }

    #[test]
    fn shards_of_the_dead_are_wanted_and_those_of_the_living_are_not() {
        let all = rows(|shard| match shard {
            0..20 => Some((1, true)),
            20..40 => Some((2, false)),
            _ => Some((3, true)),
        });
        let share = Share::of(node(1), 2, &all);
        assert_eq!(share.wanted, (20..32).collect::<Vec<_>>());
        assert!(share.owned.surplus.is_empty());
        assert!(Share::of(node(4), 64, &all).wanted.len() == 1);
    }

    #[test]
    fn shares_end_whatever_the_number_of_nodes() {
        for n_nodes in 1..=70_usize {
            let mut owners: Vec<Option<(u128, bool)>> = vec![Some((1, true)); usize::from(SHARDS)];
            for _ in 0..3 {
                for me in 1..=n_nodes as u128 {
                    let all = rows(|shard| owners[usize::from(shard)]);
                    let share = Share::of(node(me), n_nodes, &all);
                    for shard in share.owned.surplus {
                        owners[usize::from(shard.0)] = None;
                    }
                    for shard in share.wanted {
                        owners[shard as usize] = Some((me, true));
                    }
                }
            }
            let all = rows(|shard| owners[usize::from(shard)]);
            for me in 1..=n_nodes as u128 {
                let share = Share::of(node(me), n_nodes, &all);
                assert!(share.owned.surplus.is_empty() && share.wanted.is_empty(), "{n_nodes}");
            }
            assert!(owners.iter().all(Option::is_some), "{n_nodes}");
        }
    }
}
