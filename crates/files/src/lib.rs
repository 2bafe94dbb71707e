//! TypeScript files as workflows of an engine.
//!
//! [`WorkflowFiles`] loads files, registers what they define, and keeps every version as a document of the store: runs
//! in flight finish on the code that they began with, after a restart too. It can look after a folder, and registers
//! what changes in it. [`Registry`] is the engine's workflows as authors of sequences speak of them.
//!
//! ```text
//!   folder --scan--> TsRuntime::load_file --> documents (kind `sequence`) --> Engine::register
//!                                                 |
//!   Engine: a run of an older version --find------+--> TsRuntime::restore
//! ```
//!
//! This crate must not know HTTP, nor any one database.

mod check;
mod files;
mod folder;
mod kept;
mod registry;

pub use check::{CheckedFile, CheckedWorkflow, check_files};
pub use files::{FileTrouble, RegisterFileError, Registered, WorkflowFiles};
pub use folder::{FILES_MAX, Reloaded, WATCH_EVERY};
pub use kept::KIND;
pub use registry::{Registry, RunResult, Started, WAIT_TIMEOUT_MS, WaitRunError, WorkflowInfo};
