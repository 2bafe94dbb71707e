//! The JSON Schema of the graph format, for editors and for whoever writes graphs.

use serde_json::Value;

/// The schema's text, as it is shipped.
pub const GRAPH_SCHEMA: &str = include_str!("../schema/graph.schema.json");

/// The schema. What it accepts has the right form; [`crate::Graph`] checks names, refs and cycles, too.
pub fn graph_schema() -> Value {
    // A test parses the same text.
    serde_json::from_str(GRAPH_SCHEMA).unwrap_or_default()
}
