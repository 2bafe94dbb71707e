//! Sequences on an engine in memory, whose clock skips time.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod both;
mod files;
mod http;
mod kit;
mod plans;
mod restarts;
