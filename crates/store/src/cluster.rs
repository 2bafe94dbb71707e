//! Many processes on one store: who owns which runs.
//!
//! Runs are in *shards*, for ever. A process leases shards for as long as it says again and again that it
//! lives; each time a shard changes hands its *epoch* grows, and commits of an older epoch write nothing. All
//! dates are those of the store, so it does not matter how the clocks of the processes go.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use stepwell_journal::{Epoch, RunId, Seq};

use crate::StoreError;

/// A part of all runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shard(pub u16);

/// What a process owns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Owned {
    /// Its shards, and since which epoch.
    pub shards: BTreeMap<Shard, Epoch>,
    /// Those that are more than its share: to be given back once their runs are out of memory.
    pub surplus: Vec<Shard>,
}

/// What a process hears from others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Called {
    /// The run was created or resumed, or has something in its inbox.
    Run(RunId),
    /// A run that was watched has ended, or has answered somebody.
    Watched(RunId),
    /// A shard is free.
    Shards,
    /// Another process wants to be told news.
    Audience,
    /// Another process has told news.
    News { run: RunId, from: Seq, to: Seq },
    /// Something may have been said that was not heard: look at everything.
    Missed,
}

/// What a process tells all others. It may be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// It wants to be told news.
    Audience,
    /// These events of a run are in its journal: from the first to the last.
    News { run: RunId, from: Seq, to: Seq },
}

/// Everybody who shares a store.
#[derive(Debug, Clone, Default)]
pub struct ClusterStatus {
    pub nodes: Vec<NodeStatus>,
    /// In order.
    pub shards: Vec<ShardStatus>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeStatus {
    /// Differs with each start of a process.
    pub id: String,
    pub name: String,
    /// Where it answers requests, if it does.
    pub address: Option<String>,
    pub version: String,
    /// This process itself.
    pub is_self: bool,
    /// Its lease has not run out.
    pub is_alive: bool,
    /// How long ago it said last that it lives, by the store's clock.
    pub beat_ago: Duration,
    pub n_shards: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardStatus {
    pub shard: Shard,
    pub epoch: Epoch,
    /// The id of the node that owns it.
    pub node: Option<String>,
}

#[async_trait]
pub trait Cluster: Send + Sync + 'static {
    fn shard_of(&self, run: RunId) -> Shard;

    /// How long a process that says nothing keeps its shards.
    fn lease(&self) -> Duration;

    /// Makes this process one of those that share the runs. Gives a number that no other process was given.
    async fn join(&self) -> Result<Epoch, StoreError>;

    /// Says that this process lives, gives shards back, takes its share of those that are free or whose owner
    /// is dead, and says what it owns now.
    async fn beat(&self, given_back: &[Shard]) -> Result<Owned, StoreError>;

    /// Gives everything back.
    async fn leave(&self) -> Result<(), StoreError>;

    /// The present epoch of the shard that a run is in, whoever owns it.
    async fn epoch_of(&self, run: RunId) -> Result<Epoch, StoreError>;

    /// Asks to be called once when the run ends or answers. False if it is unknown or has ended.
    async fn watch(&self, run: RunId) -> Result<bool, StoreError>;

    /// Waits for news from others. For one caller at a time.
    async fn called(&self) -> Vec<Called>;

    /// Tells all others, who hear it once or not at all.
    async fn tell(&self, told: &[Told]) -> Result<(), StoreError>;

    async fn status(&self) -> Result<ClusterStatus, StoreError>;
}
