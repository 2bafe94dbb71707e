//! The store for many machines: PostgreSQL.
//!
//! ```text
//!  callers ──encode──▶ queues ──▶ writers: one transaction for all that waits
//!  callers ──────────▶ pool of readers, each question of one moment
//! ```
//!
//! Any number of processes may have the store open. A run's journal has one writer at a time all the same:
//! runs are in *shards*, a shard has an *epoch*, and a commit of an older epoch writes nothing. The check is made
//! inside the commit's own transaction, in a way that whoever takes a shard cannot overtake: see `writer`.
//!
//! This crate is the only one that knows PostgreSQL. It must not know the engine or workflow code.

mod batch;
mod check;
mod cluster;
mod codec;
mod columns;
mod connect;
mod documents;
mod fault;
mod filter;
mod forget;
mod given;
mod group;
mod kept;
mod lease;
mod listen;
mod options;
mod page;
mod read;
mod request;
mod schema;
mod statements;
mod stats;
mod store;
#[cfg(feature = "testkit")]
pub mod testkit;
mod write;
mod writer;

pub use codec::SHARDS;
pub use options::{LEASE_MIN, Options};
pub use request::Imported;
pub use stats::Stats;
pub use store::PostgresStore;
