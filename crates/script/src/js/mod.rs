//! JavaScript and TypeScript.
//!
//! A [`Bundle`] is a definition's files; a [`Program`] is a bundle made ready to run, with a [`Library`]
//! of built-in modules; a [`JsPool`] runs [`Call`]s of programs on threads of its own.
//!
//! **Each call finds the program as it was right after loading.** The top level of its modules has run;
//! what other calls did to globals, prototypes or variables of modules is not there. A call that timed
//! out, ran out of memory or was cancelled changes nothing for the next.

mod arena;
mod bundle;
mod call;
mod chance;
mod compiled;
mod drive;
mod fetch;
mod idle;
mod library;
mod natives;
mod once;
mod outcome;
mod pool;
mod positions;
mod prelude;
mod program;
mod queue;
mod realm;
mod resolve;
mod source;
mod stack;
mod state;
mod syntax;
pub(crate) mod text;
mod trace;
mod translate;
mod turns;
mod watch;
mod web;
mod zod;

pub use bundle::{Bundle, BundleLimits};
pub use call::{Call, ConsoleLevel, ConsoleLine, ConsoleSink, EmitSink, Fixed, Grants, Target};
pub use fetch::{FetchError, FetchHost, FetchRequest, FetchResponse, Redirect};
pub use library::Library;
pub use once::{RESERVED_WORDS, Scripts};
pub use pool::{JsPool, PoolOptions};
pub use program::{Program, ProgramId};
pub use source::{Directory, ModuleSource, SourceError, join};
pub use web::{AllowedHosts, WebFetch, WebOptions};
pub use zod::{Issue, Validated};
