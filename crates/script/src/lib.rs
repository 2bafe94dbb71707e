//! Scripts that the dialects embed: compile, cache, run within limits.
//!
//! A script sees JSON and gives JSON. It has no files, no network and no clock unless its host grants
//! them, and it cannot take more time, memory, stack or output than its [`ScriptLimits`] say. Whatever
//! goes wrong in it is a [`ScriptError`] for one caller.
//!
//! This crate must not know runs, journals, stores or the engine.

mod cache;
mod error;
mod jsonpath;
mod limits;
mod outputs;

pub mod ale;
pub mod js;
pub mod lua;

pub use ale::AleScript;
pub use cache::{CacheCounts, Language, SCRIPTS_BYTES_MAX, SCRIPTS_MAX, ScriptCache};
pub use error::{ErrorKind, Position, ScriptError, Thrown};
pub use jsonpath::{JsonPath, PATH_BYTES_MAX, PATH_DEPTH_MAX, PATH_WORK_MAX};
pub use limits::ScriptLimits;
pub use lua::{LuaScript, LuaStates};
pub use outputs::{ARGS_MAX, CallOptions, Expected, JSON_DEPTH_MAX, SOURCE_BYTES_MAX, outputs_of};
