//! What is called, with what, and what the call may do.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::fetch::FetchHost;
use crate::{ErrorKind, ScriptError, ScriptLimits};

/// One call of a function in a [`Program`](super::Program).
#[derive(Clone)]
pub struct Call {
    pub(super) target: Target,
    /// JSON texts.
    pub(super) args: Vec<String>,
    pub(super) limits: ScriptLimits,
    pub(super) grants: Grants,
    pub(super) cancel: Option<CancellationToken>,
    pub(super) turn_key: Option<Arc<str>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// An exported function of the entry file.
    Export(String),
    /// An exported function of the library's [driver](super::Library::driver). Its first argument is the
    /// entry file's exports; the call's arguments follow.
    Driver(String),
    /// The JSON Schema of an exported Zod schema.
    JsonSchema(String),
    /// An exported Zod schema, applied to the one argument.
    Validate(String),
}

/// What a call may do beyond computing. By default nothing: no network, and nobody hears what it says.
#[derive(Clone, Default)]
pub struct Grants {
    pub console: Option<ConsoleSink>,
    /// Hears what modules of a dialect `emit`.
    pub emit: Option<EmitSink>,
    pub fetch: Option<Arc<dyn FetchHost>>,
    /// Replaces the clock and chance, so that the same call gives the same result.
    pub fixed: Option<Fixed>,
}

/// Time that stands still and random numbers that are the same each time.
///
/// What the top level of a module computes does not depend on it: there, time is 1970-01-01 and the
/// seed is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixed {
    /// Milliseconds since 1970-01-01, UTC.
    pub now_ms: i64,
    pub seed: u64,
}

/// Is called on the script's thread, for each line as it is printed.
pub type ConsoleSink = Arc<dyn Fn(ConsoleLine) + Send + Sync>;

/// Is called on the script's thread with a channel and a value.
pub type EmitSink = Arc<dyn Fn(&str, Value) + Send + Sync>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsoleLine {
    pub level: ConsoleLevel,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConsoleLevel {
    Debug,
    Info,
    Warn,
    Error,
}

impl Call {
    pub fn new(target: Target) -> Call {
        Call {
            target,
            args: Vec::new(),
            limits: ScriptLimits::DEFAULT,
            grants: Grants::default(),
            cancel: None,
            turn_key: None,
        }
    }

    pub fn export(name: impl Into<String>) -> Call {
        Call::new(Target::Export(name.into()))
    }

    pub fn driver(name: impl Into<String>) -> Call {
        Call::new(Target::Driver(name.into()))
    }

    /// Adds an argument. An error if it cannot be written as JSON.
    pub fn arg(mut self, arg: &(impl Serialize + ?Sized)) -> Result<Call, ScriptError> {
        let text = serde_json::to_string(arg).map_err(|error| {
            ScriptError::new(ErrorKind::NotJson, format!("an argument is not JSON: {error}"))
        })?;
        self.args.push(text);
        Ok(self)
    }

    #[must_use]
    pub fn limits(mut self, limits: ScriptLimits) -> Call {
        self.limits = limits;
        self
    }

    #[must_use]
    pub fn grants(mut self, grants: Grants) -> Call {
        self.grants = grants;
        self
    }

    /// Ends the call with [`ErrorKind::Cancelled`] when the token is cancelled. Dropping the call's future
    /// ends it too.
    #[must_use]
    pub fn cancel(mut self, token: CancellationToken) -> Call {
        self.cancel = Some(token);
        self
    }

    /// Calls with different keys take turns when they have to queue, so that ten thousand calls of one
    /// run do not keep another waiting. The program's id is the key where none is given.
    #[must_use]
    pub fn turn_key(mut self, key: impl Into<Arc<str>>) -> Call {
        self.turn_key = Some(key.into());
        self
    }

    /// The same limits and grants, for another function, without arguments.
    pub(super) fn retargeted(self, export: &str) -> Call {
        Call { target: Target::Export(export.to_owned()), args: Vec::new(), ..self }
    }

    /// The arguments as one JSON array.
    pub(super) fn args_text(&self) -> String {
        format!("[{}]", self.args.join(","))
    }
}

impl Default for Call {
    /// The default export, without arguments, grants or a token.
    fn default() -> Self {
        Call::export("default")
    }
}

impl fmt::Debug for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("target", &self.target).field("args", &self.args).finish()
    }
}
