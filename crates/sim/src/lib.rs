//! The deterministic simulator: many runs of random workflows on a store that fails, delays, loses
//! answers and crashes, with random callers and a clock that jumps. One seed is one simulation, on every
//! machine, and the laws of the design are checked after everything that happens.
//!
//! There are two kinds. In one, an engine owns the whole store until another takes it over (`act`, `drain`). In the other,
//! up to four nodes share it by leases (`several`, `calm`): a store in memory keeps them (`lease`, `calls`, `cluster`), and
//! nodes are killed, stand still for longer than their lease, miss what they are told, and have clocks that differ.
//!
//! It finds what no one thought of; what it has found once becomes a test of its own elsewhere.

mod act;
mod body;
mod calls;
mod calm;
mod check;
mod client;
mod cluster;
mod drain;
mod events;
mod faults;
mod generate;
mod heard;
mod interpret;
mod laws;
mod lease;
mod ledger;
mod limits;
mod mirror;
mod node;
mod owners;
mod program;
mod replay;
mod report;
mod rng;
mod several;
mod sim;
mod store;
mod time;
mod trace;
mod world;

pub use body::PANIC_TEXT;
pub use faults::Sabotage;
pub use ledger::Violation;
pub use report::{Counts, Report};
pub use rng::Rng;
pub use sim::{Nodes, Options, simulate};
