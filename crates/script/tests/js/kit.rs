//! What the tests share: one pool for all of them, so that whatever a call leaves behind would be found
//! by another.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;
use serde_json::Value;
use stepwell_script::js::{
    Bundle, BundleLimits, Call, ConsoleLine, Grants, JsPool, Library, PoolOptions, Program, Scripts,
};
use stepwell_script::{ScriptError, ScriptLimits};

pub static POOL: LazyLock<JsPool> =
    LazyLock::new(|| JsPool::new(PoolOptions { idle_engines_max: 8, ..PoolOptions::default() }));

pub static SCRIPTS: LazyLock<Scripts> =
    LazyLock::new(|| Scripts::new(POOL.clone(), Library::new()));

/// Generous: the machine that runs the tests may be busy.
pub const LIMITS: ScriptLimits = ScriptLimits { time_ms: 30_000, ..ScriptLimits::DEFAULT };

pub fn options() -> Call {
    Call::default().limits(LIMITS)
}

/// The result of a module's default export, TypeScript, without input.
pub async fn run(text: &str) -> Value {
    match try_run(text).await {
        Ok(value) => value.unwrap_or(Value::Null),
        Err(error) => panic!("{error}\n{:?}\n{text}", error.stack),
    }
}

pub async fn try_run(text: &str) -> Result<Option<Value>, ScriptError> {
    SCRIPTS.eval_default_export("script.ts", text, &Value::Null, options()).await
}

/// The value of an expression.
pub async fn value_of(expression: &str) -> Value {
    run(&format!("export default async () => ({expression});")).await
}

/// The error of a module that must fail.
pub async fn error_of(text: &str) -> ScriptError {
    match try_run(text).await {
        Ok(value) => panic!("it gave {value:?}: {text}"),
        Err(error) => error,
    }
}

pub fn files(files: &[(&str, &str)]) -> BTreeMap<String, String> {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

pub fn bundle(entry: &str, texts: &[(&str, &str)]) -> Result<Bundle, Vec<ScriptError>> {
    Bundle::collect(entry, &files(texts), &Library::new(), BundleLimits::DEFAULT)
}

pub fn program(entry: &str, texts: &[(&str, &str)]) -> Arc<Program> {
    let bundle = bundle(entry, texts).unwrap();
    Program::compile(&bundle, &Library::new()).unwrap()
}

/// A console that remembers.
pub fn console() -> (Grants, Arc<Mutex<Vec<ConsoleLine>>>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let sink = lines.clone();
    let console = Arc::new(move |line| sink.lock().push(line));
    (Grants { console: Some(console), ..Grants::default() }, lines)
}
