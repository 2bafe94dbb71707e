//! The scripts of steps, run: compiled once, kept, within limits.
//!
//! Small scripts are the rule, so a Lua or Ale script first runs where it is called, with a moment of time. One
//! that needs longer begins again on a thread of its own, with all the time that its limits give it: it has no
//! effects, and nobody else waits for it. JavaScript has threads of its own in any case.

use std::sync::Arc;

use serde_json::{Map, Value};
use stepwell_script::js::{Call, JsPool, Library, PoolOptions, Scripts as JsScripts};
use stepwell_script::{
    AleScript, CallOptions, ErrorKind, Expected, JsonPath, LuaScript, ScriptCache, ScriptError,
    ScriptLimits,
};
use tokio_util::sync::CancellationToken;

use crate::plan::Matcher;
use crate::step::{CompileProblem, Compiler, Language, Script, VALUE_ARGUMENT, ValueType};

/// How long a script may run on the thread of whoever calls it.
const MOMENT_MS: u64 = 2;

/// How long a script may take to tell a planner whether a value matches; later, the run finds out.
const PLANNING_MS: u64 = 20;

/// What errors call a script.
const FILE: &str = "script.js";

/// Compiles and runs scripts of all languages. Cheap to clone; all clones share what is compiled.
#[derive(Clone)]
pub struct Scripts {
    cache: Arc<ScriptCache>,
    js: JsScripts,
    limits: ScriptLimits,
}

/// A script that is compiled.
enum Compiled {
    Lua(Arc<LuaScript>),
    Ale(Arc<AleScript>),
    JsonPath(Arc<JsonPath>),
    Js,
}

/// What a script is called with.
#[derive(Debug, Clone, Default)]
pub struct ScriptArgs {
    /// All that the script can use, sorted. What has no value is null to a script, and not there to a path.
    pub names: Vec<String>,
    pub values: Map<String, Value>,
}

/// What is asked of a script.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Value,
    YesOrNo,
}

impl Default for Scripts {
    fn default() -> Scripts {
        Scripts::new(ScriptLimits::DEFAULT)
    }
}

impl Scripts {
    /// With a pool of its own for JavaScript, which begins no thread before it is needed.
    pub fn new(limits: ScriptLimits) -> Scripts {
        let js = JsScripts::new(JsPool::new(PoolOptions::default()), Library::new());
        Scripts { cache: Arc::default(), js, limits }
    }

    /// The result of a script; none if it has none, such as a path that selects nothing.
    pub async fn call(
        &self,
        script: &Script,
        args: ScriptArgs,
        expected: Expected,
    ) -> Result<Option<Value>, ScriptError> {
        self.run(script, args, expected, Asked::Value).await
    }

    /// Whether a script says yes to these inputs.
    pub async fn test(&self, script: &Script, args: ScriptArgs) -> Result<bool, ScriptError> {
        let said = self.run(script, args, Expected::ANYTHING, Asked::YesOrNo).await?;
        Ok(said.as_ref().is_some_and(is_true))
    }

    /// Whether a match says yes to this value.
    pub async fn test_value(&self, script: &Script, value: &Value) -> Result<bool, ScriptError> {
        match script.language {
            Language::JsonPath => self.cache.json_path(&script.source)?.matches(value),
            _ => self.test(script, of_value(value.clone())).await,
        }
    }

    /// What the script of a mapping makes of a value; none if it has no result.
    pub async fn map(
        &self,
        script: &Script,
        value: Value,
        kind: ValueType,
    ) -> Result<Option<Value>, ScriptError> {
        if script.language == Language::JsonPath {
            let path = self.cache.json_path(&script.source)?;
            return selected(&path, &script.source, &value, self.limits.output_bytes);
        }
        let expected = match kind {
            ValueType::Array => Expected::array(),
            _ => Expected::ANYTHING,
        };
        self.call(script, of_value(value), expected).await
    }

    async fn run(
        &self,
        script: &Script,
        args: ScriptArgs,
        expected: Expected,
        asked: Asked,
    ) -> Result<Option<Value>, ScriptError> {
        let ScriptArgs { names, values: mut args } = args;
        let compiled = self.compiled(script, &names)?;
        if matches!(compiled, Compiled::Js) {
            for name in names {
                args.entry(name).or_insert(Value::Null);
            }
            let call = Call::default().limits(self.limits);
            return self.js.eval_body(FILE, &script.source, &args, call).await;
        }
        let moment = ScriptLimits { time_ms: MOMENT_MS.min(self.limits.time_ms), ..self.limits };
        let options = CallOptions { limits: moment, expected: expected.clone(), cancel: None };
        let first = compiled.call(&script.source, &args, &options, asked);
        let is_late = matches!(&first, Err(error) if error.kind == ErrorKind::TimedOut);
        if !is_late || self.limits.time_ms <= MOMENT_MS {
            return first;
        }
        let cancel = CancellationToken::new();
        // Whoever gives the call up stops it.
        let _guard = cancel.clone().drop_guard();
        let options = CallOptions { limits: self.limits, expected, cancel: Some(cancel) };
        let source = script.source.clone();
        let thread =
            tokio::task::spawn_blocking(move || compiled.call(&source, &args, &options, asked));
        thread.await.unwrap_or_else(|error| {
            Err(ScriptError::new(
                ErrorKind::Unavailable,
                format!("the script's thread ended: {error}"),
            ))
        })
    }

    fn compiled(&self, script: &Script, names: &[String]) -> Result<Compiled, ScriptError> {
        Ok(match script.language {
            Language::Lua => Compiled::Lua(self.cache.lua(&script.source, names)?),
            Language::Ale => Compiled::Ale(self.cache.ale(&script.source, names)?),
            Language::JsonPath => Compiled::JsonPath(self.cache.json_path(&script.source)?),
            Language::Js => Compiled::Js,
        })
    }
}

impl Compiled {
    fn call(
        &self,
        source: &str,
        args: &Map<String, Value>,
        options: &CallOptions,
        asked: Asked,
    ) -> Result<Option<Value>, ScriptError> {
        let said = |yes: bool| Some(Value::Bool(yes));
        match (self, asked) {
            (Compiled::Lua(script), Asked::Value) => script.call(args, options).map(Some),
            (Compiled::Lua(script), Asked::YesOrNo) => script.test(args, options).map(said),
            (Compiled::Ale(script), Asked::Value) => script.call(args, options).map(Some),
            (Compiled::Ale(script), Asked::YesOrNo) => script.test(args, options).map(said),
            (Compiled::JsonPath(path), Asked::Value) => {
                let document = Value::Object(args.clone());
                selected(path, source, &document, options.limits.output_bytes)
            }
            (Compiled::JsonPath(path), Asked::YesOrNo) => {
                path.matches(&Value::Object(args.clone())).map(said)
            }
            (Compiled::Js, _) => Err(ScriptError::new(
                ErrorKind::Unavailable,
                "JavaScript runs on the threads of its pool",
            )),
        }
    }
}

impl Compiler for Scripts {
    fn compile(
        &self,
        language: Language,
        source: &str,
        args: &[&str],
    ) -> Result<(), CompileProblem> {
        let compiled = match language {
            Language::Lua => self.cache.lua(source, args).map(drop),
            Language::Ale => self.cache.ale(source, args).map(drop),
            Language::JsonPath => self.cache.json_path(source).map(drop),
            Language::Js => self.js.body(FILE, source, args).map(drop).map_err(|mut errors| {
                let none = ScriptError::new(ErrorKind::Compile, "the script does not compile");
                if errors.is_empty() { none } else { errors.swap_remove(0) }
            }),
        };
        compiled.map_err(|error| CompileProblem {
            line: error.position.as_ref().map(|position| position.line),
            column: error.position.as_ref().map(|position| position.column),
            message: error.message,
        })
    }
}

impl Matcher for Scripts {
    fn matches(&self, script: &Script, value: &Value) -> Option<bool> {
        if script.language == Language::JsonPath {
            return self.cache.json_path(&script.source).ok()?.matches(value).ok();
        }
        let args = of_value(value.clone());
        let compiled = self.compiled(script, &args.names).ok()?;
        let limits = ScriptLimits { time_ms: PLANNING_MS.min(self.limits.time_ms), ..self.limits };
        let options = CallOptions { limits, ..CallOptions::default() };
        let said = compiled.call(&script.source, &args.values, &options, Asked::YesOrNo).ok()??;
        Some(is_true(&said))
    }
}

/// What JavaScript takes for a yes. The other languages have said so themselves.
fn is_true(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Bool(true) | Value::Array(_) | Value::Object(_) => true,
    }
}

fn of_value(value: Value) -> ScriptArgs {
    let name = VALUE_ARGUMENT.to_owned();
    ScriptArgs { names: vec![name.clone()], values: [(name, value)].into_iter().collect() }
}

/// The value at a path that can select one place only; a list of what any other path selects.
fn selected(
    path: &JsonPath,
    source: &str,
    value: &Value,
    bytes_max: usize,
) -> Result<Option<Value>, ScriptError> {
    let mut selected = path.select(value, bytes_max)?;
    Ok(match path.is_expression() || is_singular(source) {
        true => selected.pop(),
        false => Some(Value::Array(selected)),
    })
}

/// Whether a path consists of names and indices alone.
fn is_singular(source: &str) -> bool {
    let mut quote = None;
    let mut is_escaped = false;
    let mut before = ' ';
    for c in source.chars() {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if c == '\\' => is_escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '"' || c == '\'' => quote = Some(c),
            None if matches!(c, '*' | '?' | ':' | ',') || (c == '.' && before == '.') => {
                return false;
            }
            None => {}
        }
        before = c;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_names_and_indices_select_one_place() {
        for path in ["$", "$.a.b", "$['a..b'][0]", r#"$["*"]"#, r#"$["\"*"].x"#] {
            assert!(is_singular(path), "{path}");
        }
        for path in ["$..a", "$.*", "$[?@.a]", "$[0,1]", "$[1:2]", "$['a', 'b']"] {
            assert!(!is_singular(path), "{path}");
        }
    }
}
