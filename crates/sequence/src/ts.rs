//! Sequences written as TypeScript files.
//!
//! A [`TsRuntime`] loads a file with everything that it imports and nests ([`Sources`]), runs its top level in the
//! sandbox of `crates/script`, and makes a [`Plan`](crate::Plan) of what it exports. [`Loaded::workflow`] is the
//! workflow to be registered; its version is a hash of all texts, and the same [`Sources`] make the same workflow again
//! on any machine at any time.
//!
//! ```text
//!   disk, or a document --> Sources --> Program (one for each file that is a workflow) --> describe --> Plan
//!                                          ^                                                            |
//!                                          +------- TsHost::call <------ interpreter <------------------+
//! ```

mod describe;
mod host;
mod input;
mod library;
mod load;
mod names;
mod sources;

pub use library::library;
pub use load::{Loaded, TsOptions, TsRuntime};
pub use sources::{SOURCES_BYTES_MAX, Sources};
