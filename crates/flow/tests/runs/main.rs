//! Flows as they run: on an engine in memory with a clock that skips time.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

#[path = "../kit/mod.rs"]
mod kit;

mod asynchronous;
mod compensating;
mod everything_ends;
mod items;
mod play;
mod remembering;
mod retrying;
mod scripts;
mod subflows;
mod telling;
