//! Graphs: workflows as JSON, wired by refs, and the durable function that runs them.
//!
//! ```text
//!   JSON --- Graph::parse ---> Graph --- workflow(graph, host) ---> a kernel Workflow
//!             |   all problems   |                                      |
//!             v   at once        +--> plan, levels, edges               +--> run_graph on Ctx
//!          Problems                                                          |  tools, code
//!                                                                            v
//!                                                                         GraphHost
//! ```
//!
//! The order of steps comes from their refs alone ([`refs`]); a step starts the moment that what it refers to is
//! there. This crate must not know stores, engines, transports or the language that code steps are written in:
//! tools and code are asked of a [`GraphHost`].

mod canonical;
mod check;
mod definition;
mod format;
mod graph;
mod host;
pub mod limits;
mod plan;
mod problem;
pub mod refs;
mod roots;
mod run;
mod schema;
mod view;
mod workflow;

pub use check::is_step_name;
pub use definition::{Action, Always, Config, Definition, ForEach, OnError, Step, Test, When};
pub use format::{GRAPH_SCHEMA, graph_schema};
pub use graph::{Edge, EdgeKind, Graph};
pub use host::{AttemptInfo, CodeCall, GraphHost, HostError, Tool, ToolCall, ToolName, ToolResult};
pub use plan::{Plan, PlanEdge, PlanNode};
pub use problem::{Code, Path, Problem, Problems};
pub use roots::roots_for;
pub use run::{ErrorCode, run_graph};
pub use schema::{Mismatch, Schema, SchemaError};
pub use view::{ItemsView, StepStatus, StepView, step_views};
pub use workflow::workflow;
