//! Small scripts that stand alone: a module with a default export, or the body of a function.

use std::num::NonZeroUsize;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Map, Value};

use super::bundle::Bundle;
use super::call::Call;
use super::library::Library;
use super::pool::JsPool;
use super::program::Program;
use crate::cache::{Kept, SourceKey};
use crate::outputs::check_source;
use crate::{ErrorKind, ScriptError};

/// Compiled scripts that are kept, by source; and the bytes of all sources.
const SCRIPTS_KEPT: NonZeroUsize = NonZeroUsize::new(1_024).unwrap();
const SCRIPTS_KEPT_BYTES: usize = 16 << 20;

/// Words that cannot be the name of a variable in a module.
pub const RESERVED_WORDS: &[&str] = &[
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// Compiles scripts that stand alone, once for each source, and runs them.
#[derive(Clone)]
pub struct Scripts {
    pool: JsPool,
    library: Arc<Library>,
    compiled: Arc<Mutex<Kept<Source, Arc<Program>>>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Source {
    Module { file: String, text: String },
    Body { file: String, text: String, names: Vec<String> },
}

impl Source {
    fn text(&self) -> &str {
        let (Source::Module { text, .. } | Source::Body { text, .. }) = self;
        text
    }
}

impl SourceKey for Source {
    fn bytes(&self) -> usize {
        self.text().len()
    }
}

impl Scripts {
    pub fn new(pool: JsPool, library: Library) -> Scripts {
        let compiled = Arc::new(Mutex::new(Kept::new(SCRIPTS_KEPT, SCRIPTS_KEPT_BYTES)));
        Scripts { pool, library: Arc::new(library), compiled }
    }

    pub fn pool(&self) -> &JsPool {
        &self.pool
    }

    /// A module whose default export is a function. It is TypeScript unless `file` ends in `.js`.
    pub fn module(&self, file: &str, text: &str) -> Result<Arc<Program>, Vec<ScriptError>> {
        let source = Source::Module { file: file.to_owned(), text: text.to_owned() };
        self.compile(source, || {
            let bundle = Bundle::single(with_extension(file), text);
            Program::compile(&bundle, &self.library)
        })
    }

    /// The body of a function, `return a + b`, whose arguments have these names. It may `await`. All
    /// arguments are in `args`, too, for names that are no identifiers: `args["due-date"]`.
    pub fn body(
        &self,
        file: &str,
        text: &str,
        names: &[&str],
    ) -> Result<Arc<Program>, Vec<ScriptError>> {
        let mut names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        names.sort_unstable();
        names.dedup();
        let source =
            Source::Body { file: file.to_owned(), text: text.to_owned(), names: names.clone() };
        self.compile(source, || {
            let bound: Vec<&str> =
                names.iter().map(String::as_str).filter(|name| is_bindable(name)).collect();
            let args = if bound.contains(&"args") { "" } else { ", args" };
            let head =
                format!("export default async function ({{ {} }}{args}) {{", bound.join(", "));
            let bundle = Bundle::single(with_extension(file), format!("{head}\n{text}\n}}"));
            Program::compile_wrapped(&bundle, &self.library, 1)
        })
    }

    /// Calls the default export of a [`module`](Self::module) with one argument. `options` says what
    /// limits and grants it has; its target and arguments are not looked at.
    pub async fn eval_default_export(
        &self,
        file: &str,
        text: &str,
        input: &Value,
        options: Call,
    ) -> Result<Option<Value>, ScriptError> {
        let program = self.module(file, text).map_err(first)?;
        self.pool.call(&program, options.retargeted("default").arg(input)?).await
    }

    /// Calls a [`body`](Self::body) with arguments by name.
    pub async fn eval_body(
        &self,
        file: &str,
        text: &str,
        args: &Map<String, Value>,
        options: Call,
    ) -> Result<Option<Value>, ScriptError> {
        let names: Vec<&str> = args.keys().map(String::as_str).collect();
        let program = self.body(file, text, &names).map_err(first)?;
        let call = options.retargeted("default").arg(args)?.arg(args)?;
        self.pool.call(&program, call).await
    }

    fn compile(
        &self,
        source: Source,
        compile: impl FnOnce() -> Result<Arc<Program>, Vec<ScriptError>>,
    ) -> Result<Arc<Program>, Vec<ScriptError>> {
        if let Some(program) = self.compiled.lock().get(&source) {
            return Ok(program.clone());
        }
        check_source(source.text()).map_err(|error| vec![error])?;
        // Two callers may compile the same source at the same time; either result will do.
        let program = compile()?;
        self.compiled.lock().put(source, program.clone());
        Ok(program)
    }
}

fn with_extension(file: &str) -> String {
    match file.rsplit_once('.') {
        Some((_, "ts" | "mts" | "js" | "mjs")) => file.to_owned(),
        _ => format!("{file}.ts"),
    }
}

fn is_bindable(name: &str) -> bool {
    let mut chars = name.chars();
    let is_start = |c: char| c.is_alphabetic() || c == '_' || c == '$';
    chars.next().is_some_and(is_start)
        && chars.all(|c| is_start(c) || c.is_numeric())
        && !RESERVED_WORDS.contains(&name)
}

fn first(errors: Vec<ScriptError>) -> ScriptError {
    let none = || ScriptError::new(ErrorKind::Compile, "the script does not compile");
    errors.into_iter().next().unwrap_or_else(none)
}
