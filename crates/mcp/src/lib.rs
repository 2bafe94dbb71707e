//! MCP for Stepwell: the tool servers that graphs call, and what a recording is made of.
//!
//! ```text
//!   mcpServers JSON ---> McpConfig ---> ToolServers ---- stdio, streamable HTTP ----> upstream servers
//!                                          ^    ^
//!         graphs call tools ---------------+    +---- recordings call tools: record_workflow
//! ```
//!
//! A [`ToolServers`] connects when a tool is first asked for, keeps the connection, and makes a new one when it
//! is lost. A [`Recording`] is a run like any other: its steps are calls that somebody makes through it, one by
//! one, and what it has become can be saved as a graph.
//!
//! This crate must not know stores, the engine, HTTP servers or the language that code steps are written in.

mod client;
mod config;
mod connect;
mod error;
pub mod limits;
pub mod recording;
mod servers;
mod tools;
mod upstream;

pub use config::{ConfigError, McpConfig, ServerConfig, TransportConfig};
pub use error::UpstreamError;
pub use recording::{Recording, record_workflow};
pub use servers::{ServerStatus, ServerTools, ToolServers};
pub use stepwell_graph::ToolName;
pub use tools::{CallOptions, Called, ToolInfo};
pub use upstream::ConnectionState;
