//! The API over real HTTP, on a real store.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

mod agents;
mod bad_requests;
mod console;
mod flows;
mod graphs;
mod isolation;
mod kit;
mod limits;
mod live;
mod pages;
mod runs;
mod scheduled;
mod steering;
mod tokens;
mod traces;
mod travel;
