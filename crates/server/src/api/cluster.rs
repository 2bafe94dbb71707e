//! The nodes that share a store.

use serde::{Deserialize, Serialize};
use stepwell_store::ClusterStatus;
use utoipa::ToSchema;

/// Who shares the runs of a store.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ClusterView {
    /// False if one process owns every run; then there is nothing else here.
    pub shared: bool,
    pub nodes: Vec<NodeView>,
    /// The parts that the runs are in, in order.
    pub shards: Vec<ShardView>,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct NodeView {
    /// Differs with each start of a process.
    pub id: String,
    pub name: String,
    /// Where it answers requests.
    pub address: Option<String>,
    pub version: String,
    /// It has answered this request.
    pub is_self: bool,
    /// Its lease has not run out.
    pub is_alive: bool,
    /// How long ago it said last that it lives, by the clock of the database.
    pub beat_ago_ms: u64,
    pub n_shards: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ShardView {
    pub shard: u16,
    /// Grows each time the shard changes hands.
    pub epoch: u64,
    /// The id of the node that owns it.
    pub node: Option<String>,
}

impl From<ClusterStatus> for ClusterView {
    fn from(status: ClusterStatus) -> ClusterView {
        let nodes = status.nodes.into_iter().map(|node| NodeView {
            id: node.id,
            name: node.name,
            address: node.address,
            version: node.version,
            is_self: node.is_self,
            is_alive: node.is_alive,
            beat_ago_ms: u64::try_from(node.beat_ago.as_millis()).unwrap_or(u64::MAX),
            n_shards: node.n_shards,
        });
        let shards = status.shards.into_iter().map(|shard| ShardView {
            shard: shard.shard.0,
            epoch: shard.epoch.0,
            node: shard.node,
        });
        ClusterView { shared: true, nodes: nodes.collect(), shards: shards.collect() }
    }
}
