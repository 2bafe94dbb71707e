//! The store as one of many that share the runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures::FutureExt;
use stepwell_journal::{Epoch, RunId};
use stepwell_store::{
    Called, Cluster, ClusterStatus, NodeStatus, Owned, Shard, ShardStatus, StoreError, Told,
};
use uuid::Uuid;

use crate::codec;
use crate::fault::Outcome;
use crate::lease::{Beat, SWEEP};
use crate::listen::{self, Ear};
use crate::read::Reader;
use crate::request::Request;
use crate::store::PostgresStore;

/// What a store knows of sharing.
pub(crate) struct Membership {
    pub lease: Duration,
    pub ear: Ear,
    /// From when on only runs of own shards are looked for.
    pub joined: AtomicBool,
}

#[async_trait]
impl Cluster for PostgresStore {
    fn shard_of(&self, run: RunId) -> Shard {
        Shard(codec::shard_of(run).unsigned_abs())
    }

    fn lease(&self) -> Duration {
        self.membership().map_or(Duration::ZERO, |membership| membership.lease)
    }

    async fn join(&self) -> Result<Epoch, StoreError> {
        if let Some(membership) = self.membership() {
            membership.joined.store(true, Ordering::Release);
        }
        self.read(|reader| sweep(reader).boxed()).await?;
        self.read(|reader| next_number(reader).boxed()).await
    }

    async fn beat(&self, given_back: &[Shard]) -> Result<Owned, StoreError> {
        let beat = Beat { lease: self.lease(), given_back: given_back.to_vec(), leaves: false };
        let share = self.write(|answer| Request::Beat { beat, answer }).await?;
        if share.wanted.is_empty() {
            return Ok(share.owned);
        }
        let wanted = share.wanted;
        Ok(self.write(|answer| Request::TakeShards { wanted, answer }).await?.owned)
    }

    async fn leave(&self) -> Result<(), StoreError> {
        let beat = Beat { lease: Duration::ZERO, given_back: Vec::new(), leaves: true };
        self.write(|answer| Request::Beat { beat, answer }).await?;
        Ok(())
    }

    async fn epoch_of(&self, run: RunId) -> Result<Epoch, StoreError> {
        self.read(move |reader| epoch_of(reader, codec::shard_of(run)).boxed()).await
    }

    async fn watch(&self, run: RunId) -> Result<bool, StoreError> {
        let node = self.node();
        self.read(move |reader| watch(reader, run, node).boxed()).await
    }

    async fn called(&self) -> Vec<Called> {
        match self.membership() {
            Some(membership) => membership.ear.called().await,
            None => std::future::pending().await,
        }
    }

    async fn tell(&self, told: &[Told]) -> Result<(), StoreError> {
        let texts = listen::texts_of(told, self.node());
        let channel = self.channel();
        self.read(move |reader| tell(reader, channel.clone(), texts.clone()).boxed()).await
    }

    async fn status(&self) -> Result<ClusterStatus, StoreError> {
        let node = self.node();
        self.read(move |reader| status(reader, node).boxed()).await
    }
}

impl PostgresStore {
    /// This store as one of many, if it was opened so.
    pub(crate) fn as_cluster(&self) -> Option<Arc<dyn Cluster>> {
        self.membership()?;
        Some(Arc::new(self.clone()))
    }
}

async fn tell(reader: &Reader, channel: String, texts: Vec<String>) -> Outcome<()> {
    let notify = "SELECT pg_notify($1, text) FROM unnest($2::text[]) text";
    reader.query(&reader.prepare(notify).await?, &[&channel, &texts]).await?;
    Ok(())
}

async fn sweep(reader: &Reader) -> Outcome<()> {
    reader.query(&reader.prepare(SWEEP).await?, &[]).await?;
    Ok(())
}

async fn next_number(reader: &Reader) -> Outcome<Epoch> {
    let count = "UPDATE counter SET n = n + 1 WHERE name = 'epoch' RETURNING n";
    let rows = reader.query(&reader.prepare(count).await?, &[]).await?;
    let n: i64 = rows.first().map_or(Ok(0), |row| row.try_get(0))?;
    Ok(Epoch(n.max(0) as u64))
}

async fn epoch_of(reader: &Reader, shard: i16) -> Outcome<Epoch> {
    let select = "SELECT epoch FROM shard WHERE shard = $1";
    let rows = reader.query(&reader.prepare(select).await?, &[&shard]).await?;
    let epoch: i64 = rows.first().map_or(Ok(0), |row| row.try_get(0))?;
    Ok(Epoch(epoch.max(0) as u64))
}

/// Whoever ends the run holds its row, and looks for watchers while doing so: none is overlooked.
async fn watch(reader: &Reader, run: RunId, node: Uuid) -> Outcome<bool> {
    let insert = "WITH r AS (SELECT run FROM runs WHERE run = $1 AND status < 4 FOR UPDATE)
         INSERT INTO watch (run, node) SELECT r.run, $2 FROM r
         ON CONFLICT (run, node) DO UPDATE SET node = EXCLUDED.node RETURNING run";
    let rows = reader.query(&reader.prepare(insert).await?, &[&run.0, &node]).await?;
    Ok(!rows.is_empty())
}

async fn status(reader: &Reader, own: Uuid) -> Outcome<ClusterStatus> {
    let nodes = "SELECT node, name, address, version,
           coalesce(lease_until > clock_timestamp(), false),
           (extract(epoch FROM clock_timestamp() - beat_at) * 1000)::int8
         FROM node WHERE lease_until IS NOT NULL ORDER BY name, node";
    let shards = "SELECT shard, epoch, node FROM shard ORDER BY shard";
    let nodes = reader.query(&reader.prepare(nodes).await?, &[]).await?;
    let mut status = ClusterStatus::default();
    for row in reader.query(&reader.prepare(shards).await?, &[]).await? {
        status.shards.push(ShardStatus {
            shard: Shard(row.try_get::<_, i16>(0)?.unsigned_abs()),
            epoch: Epoch(row.try_get::<_, i64>(1)?.max(0) as u64),
            node: row.try_get::<_, Option<Uuid>>(2)?.map(|node| node.to_string()),
        });
    }
    for row in nodes {
        let node: Uuid = row.try_get(0)?;
        let id = node.to_string();
        status.nodes.push(NodeStatus {
            name: row.try_get(1)?,
            address: row.try_get(2)?,
            version: row.try_get(3)?,
            is_self: node == own,
            is_alive: row.try_get(4)?,
            beat_ago: Duration::from_millis(row.try_get::<_, i64>(5)?.max(0) as u64),
            n_shards: status.shards.iter().filter(|shard| shard.node.as_ref() == Some(&id)).count(),
            id,
        });
    }
    Ok(status)
}
