//! Stepwell over HTTP: the API, live updates, schedules, access tokens, metrics, and the console at `/`.
//!
//! ```text
//!   request --> guard (origin, host) --> Gate (token, namespace, scope) --> routes --> Engine, Store
//!                                                                             |
//!   schedules::keep, retention::keep <------------- App ----------------------+
//! ```
//!
//! [`serve`] is all that a program needs that has an engine:
//!
//! ```no_run
//! # async fn main_() -> Result<(), Box<dyn std::error::Error>> {
//! # let engine: stepwell_engine::Engine = todo();
//! # fn todo() -> stepwell_engine::Engine { unreachable!() }
//! stepwell_server::serve(engine, stepwell_server::ServerConfig::default()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! This crate must not know any database, and is the only one that knows axum.

mod access;
pub mod api;
mod app;
pub mod config;
mod console;
mod documents;
mod extract;
mod files;
mod flows;
mod graphs;
mod limits;
mod mcp;
pub mod problem;
mod recordings;
mod retention;
mod routes;
mod schedules;
mod server;
mod telemetry;
mod travel;

pub use config::{ServeError, ServerConfig};
pub use problem::{Code, Problem};
pub use server::{Server, serve, told_to_end};
pub use telemetry::Metrics;
