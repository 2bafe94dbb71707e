//! Runs of graphs, driven without an engine: every feature, from every cut of its journal.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod conditions;
mod each;
mod ending;
mod kit;
mod order;
mod random;
mod tools;
mod waiting;
