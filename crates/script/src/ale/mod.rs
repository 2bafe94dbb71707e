//! Ale, a small functional Lisp.
//!
//! The language is described in `docs/reference/ale.md`. It follows
//! [kode4food/ale](https://github.com/kode4food/ale), without what would need files, time, threads or
//! macros, and with limits on all that a script can use.
//!
//! ```text
//! source --reader--> forms --compile--> instructions --machine--> value --json--> result
//! ```
//!
//! Nothing in here recurses on the thread's stack for what a script or its values nest; see `heap` and
//! `machine`.

mod body;
mod call;
mod code;
mod compile;
mod constant;
mod derived;
mod emit;
mod heap;
mod json;
mod language;
mod machine;
mod map;
mod meter;
mod names;
mod native;
mod number;
mod order;
mod print;
mod reader;
mod rescue;
mod scope;
mod sequence;
mod special;
mod value;

use serde_json::{Map, Value as Json};

use code::Program;
use compile::Compiler;
use language::{Language, Prelude};
use machine::Machine;
use value::{Fail, Value};

use crate::outputs::{CallOptions, check_source, framed, mentions, sorted_names};
use crate::{ErrorKind, ScriptError};

/// What errors call the source.
const FILE: &str = "script.ale";

/// A compiled script. Calls share nothing: any number of threads may call it at once.
#[derive(Debug)]
pub struct AleScript {
    program: Program,
    params: Vec<String>,
    source: Box<str>,
}

impl AleScript {
    /// Compiles a source whose free variables are `names`.
    ///
    /// Fails where the source cannot be read, a special form has a wrong shape, or a name means nothing.
    pub fn compile<S: AsRef<str>>(source: &str, names: &[S]) -> Result<AleScript, ScriptError> {
        check_source(source)?;
        let params = sorted_names(names)?;
        if let Some(odd) = params.iter().find(|name| !reader::is_symbol(name)) {
            let message =
                format!("the argument `{odd}` cannot be a variable of Ale: give it another name");
            return Err(ScriptError::new(ErrorKind::Compile, message));
        }
        let program = compile_program(source, &params).map_err(|error| framed(error, source))?;
        Ok(AleScript { program, params, source: source.into() })
    }

    /// Calls the script. Arguments that are missing are null; others than those of `compile` are ignored.
    pub fn call(
        &self,
        args: &Map<String, Json>,
        options: &CallOptions,
    ) -> Result<Json, ScriptError> {
        self.run(args, options, |machine, value| {
            machine.realize(value)?;
            json::to_json(&mut machine.heap, value, &options.expected, options.limits.output_bytes)
        })
    }

    /// Calls the script for a yes or no: everything but `false` is yes.
    pub fn test(
        &self,
        args: &Map<String, Json>,
        options: &CallOptions,
    ) -> Result<bool, ScriptError> {
        self.run(args, options, |_, value| Ok(value.is_true()))
    }

    /// Calls the script and gives its value as Ale prints it.
    pub fn print(
        &self,
        args: &Map<String, Json>,
        options: &CallOptions,
    ) -> Result<String, ScriptError> {
        let bytes_max = options.limits.output_bytes;
        self.run(args, options, |machine, value| {
            machine.realize(value)?;
            let mut text = String::new();
            match print::print(&mut machine.heap, value, true, &mut text, bytes_max) {
                Ok(()) => Ok(text),
                Err(Fail::Full) => Err(Fail::stop(
                    ErrorKind::OutputTooLarge,
                    format!("the result is longer than {bytes_max} bytes"),
                )),
                Err(fail) => Err(fail),
            }
        })
    }

    fn run<T>(
        &self,
        args: &Map<String, Json>,
        options: &CallOptions,
        finish: impl FnOnce(&mut Machine<'_>, Value) -> Result<T, Fail>,
    ) -> Result<T, ScriptError> {
        let mut machine = Machine::new(Prelude::get()?, &self.program, options);
        let outcome = self
            .arguments(&mut machine, args)
            .and_then(|args| machine.run(args))
            .and_then(|value| finish(&mut machine, value));
        outcome.map_err(|fail| {
            let error = match fail {
                Fail::Full => machine.error(heap::out_of_memory(options.limits.memory_bytes)),
                fail => machine.error(fail),
            };
            framed(error, &self.source)
        })
    }

    fn arguments(
        &self,
        machine: &mut Machine<'_>,
        args: &Map<String, Json>,
    ) -> Result<Vec<Value>, Fail> {
        let args = self.params.iter().map(|name| match args.get(name) {
            Some(json) if mentions(&self.source, name) => json::from_json(&mut machine.heap, json),
            _ => Ok(Value::Null),
        });
        args.collect()
    }
}

fn compile_program(source: &str, params: &[String]) -> Result<Program, ScriptError> {
    let forms = reader::read(source)?;
    let language = Language::new(Prelude::get()?);
    let params: Vec<&str> = params.iter().map(String::as_str).collect();
    Compiler::script(language, &params, &forms)
}
