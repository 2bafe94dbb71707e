//! The embedded store: one SQLite file.
//!
//! ```text
//!  callers ──encode──▶ queue ──▶ writer thread ──one transaction, one fsync──▶ log, runs, inbox, ...
//!                                   │   │                                        │
//!                                   │   └─ now and then: fold a piece of the log ┘──▶ chunk
//!                                   │      or sweep away what forgotten runs have left
//!                                   ▼
//!                                  tail (memory) ◀── readers ──▶ their own connections
//! ```
//!
//! The layout decides the speed. Events are appended to `log`, whose rows each hold the blocks of many
//! commits, and which no index slows down. The *tail* is the same blocks in memory, by run: what is not
//! yet folded is read from there. Folding moves a run's tail into `chunk` rows, where its journal lies
//! together. When a store is opened, the tail is read back from what is left in `log`, which the fold
//! threshold bounds; nothing else is read.
//!
//! A run that is forgotten loses its row, and with it everybody's way to the rest, in the transaction that
//! answers; the rest is swept away later, between two groups of commits. Counts of runs by workflow and status
//! are kept in a table of their own, which each group of commits brings up to date once.
//!
//! A reader sees the tables and the tail of one moment, and never waits for a commit (see `moment`).
//!
//! This crate is the only one that knows SQLite. It must not know the engine or workflow code.

mod backup;
mod batch;
mod block;
mod check;
mod checkpoint;
mod codec;
mod count;
mod documents;
mod due;
mod fault;
mod filter;
mod fold;
mod forget;
mod garbage;
mod head;
mod lock;
mod moment;
mod options;
mod page;
mod queue;
mod read;
mod recover;
mod rows;
mod schema;
mod stats;
mod store;
mod tail;
mod writer;

pub use options::{Options, Synchronous};
pub use stats::{Histogram, Stats};
pub use store::SqliteStore;
