//! Checks of the tree itself: layers, lengths, words, links, licences.
//!
//! Each rule is a function from text to the problems it finds, so that its own tests can show it a bad
//! sample. `tests/tree.rs` applies the rules to the real tree. Nothing may depend on this crate.

mod layers;
mod lengths;
mod licences;
mod links;
mod map;
mod tree;
mod words;

pub use layers::{Edge, EdgeKind, edges, layer_problems};
pub use lengths::{Long, ratchet_problems, read_table, too_long, write_table};
pub use licences::{allowed_licences, is_allowed, licence_problems, source_problems};
pub use links::{Link, relative_links};
pub use map::map_problems;
pub use tree::Tree;
pub use words::{forbidden_marks, refused_names, unwanted_mentions};
