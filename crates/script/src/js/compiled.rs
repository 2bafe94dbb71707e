//! QuickJS bytecode, made from source in this process and only ever read by it.

#![expect(unsafe_code, reason = "QuickJS trusts bytecode; we load only what we compiled ourselves")]

use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::Declared;
use rquickjs::{CatchResultExt, CaughtError, Context, Ctx, Module, Runtime, WriteOptions};

use super::text::{at_offset, frame};
use super::trace::stack_frames;
use crate::{ErrorKind, Position, ScriptError};

/// What the compiler itself may use. The stack is enough for some hundred brackets that are open at a
/// time, and there is always a thread that has it: built-in modules are compiled where scripts run.
const COMPILER_MEMORY_BYTES: usize = 256 << 20;
const COMPILER_STACK_BYTES: usize = 1 << 20;

/// What QuickJS says when the stack is used up.
pub(super) const STACK_OVERFLOW: &str = "Maximum call stack size exceeded";

/// A compiled module. Only [`compile`] makes one, so what it holds is valid.
pub(super) struct Bytecode(Vec<u8>);

impl Bytecode {
    pub(super) fn load<'js>(&self, ctx: &Ctx<'js>) -> rquickjs::Result<Module<'js, Declared>> {
        // SAFETY: the bytes were written by `compile`, by the same engine.
        unsafe { Module::load(ctx.clone(), &self.0) }
    }
}

/// Why a module does not compile, in positions of the code that was given.
pub(super) struct CompileFailure {
    name: String,
    message: String,
    place: Option<(u32, u32)>,
}

impl CompileFailure {
    pub(super) fn has_place(&self) -> bool {
        self.place.is_some()
    }

    /// `to_source` maps a line and column to the author's `text`.
    pub(super) fn into_script_error(
        self,
        to_source: &dyn Fn(u32, u32) -> (u32, u32),
        text: &str,
    ) -> ScriptError {
        let mut error = ScriptError::new(ErrorKind::Compile, self.message);
        match self.place {
            Some((line, column)) => {
                let (line, column) = to_source(line, column);
                error.frame = frame(text, line, column);
                error.position = Some(Position { file: self.name, line, column });
            }
            None => error.message = format!("{}: {}", self.name, error.message),
        }
        error
    }

    /// An error that QuickJS did not locate, and whose place was found otherwise.
    pub(super) fn at_offset(self, text: &str, offset: usize) -> ScriptError {
        let error = ScriptError::new(ErrorKind::Compile, self.message);
        at_offset(error, &self.name, text, offset)
    }
}

/// Compiles one module. What it imports is not looked at. Without `keeps_source`, functions do not show
/// their text, and the bytecode is a third of the size.
pub(super) fn compile(
    name: &str,
    code: &str,
    keeps_source: bool,
) -> Result<Bytecode, CompileFailure> {
    let failure = |message: String, place| CompileFailure { name: name.to_owned(), message, place };
    let engine = || -> rquickjs::Result<Context> {
        let runtime = Runtime::new()?;
        runtime.set_memory_limit(COMPILER_MEMORY_BYTES);
        runtime.set_max_stack_size(COMPILER_STACK_BYTES);
        runtime.set_loader(NoImports, NoImports);
        Context::full(&runtime)
    };
    let context = engine().map_err(|error| failure(error.to_string(), None))?;
    context.with(|ctx| {
        let options = WriteOptions { strip_source: !keeps_source, ..WriteOptions::default() };
        let written = Module::declare(ctx.clone(), name, code).and_then(|m| m.write(options));
        written.catch(&ctx).map(Bytecode).map_err(|error| match error {
            CaughtError::Exception(exception) => {
                let stack = exception.stack().unwrap_or_default();
                let place = stack_frames(&stack)
                    .find(|frame| frame.file == name)
                    .map(|frame| (frame.line, frame.column));
                let message = exception.message().unwrap_or_default();
                if message == STACK_OVERFLOW {
                    return failure("the code is nested too deeply".to_owned(), place);
                }
                failure(message, place)
            }
            other => failure(other.to_string(), None),
        })
    })
}

/// QuickJS resolves imports as it compiles. Here every import means one empty module.
struct NoImports;

impl Resolver for NoImports {
    fn resolve<'js>(
        &mut self,
        _: &Ctx<'js>,
        _: &str,
        _: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<String> {
        Ok("stepwell:nothing".to_owned())
    }
}

impl Loader for NoImports {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _: Option<ImportAttributes<'js>>,
    ) -> rquickjs::Result<Module<'js, Declared>> {
        Module::declare(ctx.clone(), name, "")
    }
}
