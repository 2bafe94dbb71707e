//! Lua, in Luau's dialect: its interrupts and its memory limit hold, and it has a sandbox.
//!
//! A script is compiled to bytecode once. A call takes a state from a pool, loads the bytecode into an
//! environment that is new and empty, and puts the state back; all else in a state is read-only, so that
//! nothing of a call is left for the next. What a script can use is told in `docs/reference/lua.md`.

mod convert;
mod failure;
mod states;

use std::sync::Arc;

use mlua::chunk::{ChunkMode, Compiler};
use mlua::{Function, MultiValue, Value};
use serde_json::{Map, Value as Json};

use crate::outputs::{CallOptions, check_source, framed, mentions, sorted_names};
use crate::{ErrorKind, ScriptError};
use convert::{Incoming, Outgoing};
use states::State;

pub use states::{LuaStates, STATES_IDLE_MAX};

/// What errors call the source.
const FILE: &str = "script.lua";

/// Words that cannot be the name of a variable.
pub const KEYWORDS: [&str; 21] = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local",
    "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
];

/// A compiled script. Any number of threads may call it at once.
pub struct LuaScript {
    bytecode: Vec<u8>,
    params: Vec<String>,
    source: Box<str>,
    states: Arc<LuaStates>,
}

impl LuaScript {
    /// Compiles a source that finds its arguments in local variables called `names`.
    ///
    /// Its calls share the states of other scripts that were compiled with these `states`.
    pub fn compile<S: AsRef<str>>(
        states: &Arc<LuaStates>,
        source: &str,
        names: &[S],
    ) -> Result<LuaScript, ScriptError> {
        check_source(source)?;
        let params = sorted_names(names)?;
        if let Some(odd) = params.iter().find(|name| !is_identifier(name)) {
            let message =
                format!("the argument `{odd}` cannot be a variable of Lua: give it another name");
            return Err(ScriptError::new(ErrorKind::Compile, message));
        }
        // In front of the first line and not above it, so that lines keep their numbers.
        let prefix = match params.as_slice() {
            [] => String::new(),
            params => format!("local {} = ...; ", params.join(", ")),
        };
        let compiler = Compiler::new().set_optimization_level(1).set_debug_level(1);
        let bytecode = compiler
            .compile(format!("{prefix}{source}"))
            .map_err(|error| framed(failure::compile(&error, source), source))?;
        Ok(LuaScript { bytecode, params, source: source.into(), states: states.clone() })
    }

    /// Calls the script. Arguments that are missing are nil; others than those of `compile` are ignored.
    pub fn call(
        &self,
        args: &Map<String, Json>,
        options: &CallOptions,
    ) -> Result<Json, ScriptError> {
        self.run(args, options, |state, value| {
            Outgoing::new(state.array_mark(), &options.expected, options.limits.output_bytes)
                .value(&value)
        })
    }

    /// Calls the script for a yes or no: everything but nil, null and false is yes.
    pub fn test(
        &self,
        args: &Map<String, Json>,
        options: &CallOptions,
    ) -> Result<bool, ScriptError> {
        self.run(args, options, |_, value| {
            Ok(!matches!(value, Value::Nil | Value::Boolean(false)) && !value.is_null())
        })
    }

    fn run<T>(
        &self,
        args: &Map<String, Json>,
        options: &CallOptions,
        finish: impl FnOnce(&State, Value) -> Result<T, ScriptError>,
    ) -> Result<T, ScriptError> {
        let state = self.states.take(options)?;
        let outcome = self
            .enter(&state, args)
            .map_err(|error| failure::runtime(&state, &error, &self.source))
            .and_then(|results| failure::outcome(&state, results, &self.source))
            .and_then(|value| finish(&state, value));
        // A state that was cut off may be full of garbage, or of coroutines that never ended.
        if !matches!(&outcome, Err(error) if was_cut_off(error.kind)) {
            self.states.put_back(state);
        }
        outcome.map_err(|error| framed(error, &self.source))
    }

    /// What `xpcall` says about the call: whether it ended well, and its results or what was raised.
    fn enter(&self, state: &State, args: &Map<String, Json>) -> Result<MultiValue, mlua::Error> {
        let chunk = state.lua().load(self.bytecode.as_slice()).set_name(format!("={FILE}"));
        let environment = state.environment()?;
        let function: Function =
            chunk.set_mode(ChunkMode::Binary).set_environment(environment).into_function()?;
        let mut values = MultiValue::with_capacity(self.params.len() + 2);
        values.push_back(Value::Function(function));
        values.push_back(Value::Function(state.handler().clone()));
        let mut incoming = Incoming::new(state);
        let all = self.source.contains("...");
        for name in &self.params {
            values.push_back(match args.get(name) {
                None | Some(Json::Null) => Value::Nil,
                Some(json) if all || mentions(&self.source, name) => incoming.value(json)?,
                Some(_) => Value::Nil,
            });
        }
        state.protected_call().call(values)
    }
}

impl std::fmt::Debug for LuaScript {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LuaScript").field("params", &self.params).finish_non_exhaustive()
    }
}

fn was_cut_off(kind: ErrorKind) -> bool {
    use ErrorKind::{Cancelled, OutOfMemory, StackOverflow, TimedOut};
    matches!(kind, TimedOut | Cancelled | OutOfMemory | StackOverflow)
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !KEYWORDS.contains(&name)
}
