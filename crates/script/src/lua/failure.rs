//! What went wrong, in lines of the author's source.

use mlua::{Error, Lua, MultiValue, Value};

use super::FILE;
use super::convert::Outgoing;
use super::states::State;
use crate::outputs::cancelled;
use crate::{ErrorKind, Expected, ScriptError, ScriptLimits, Thrown};

/// Calls named in an error, innermost first.
const TRACE_MAX: usize = 20;
/// How deep to look for the script's own calls.
const LEVELS_MAX: usize = 1_000;
/// Longest JSON of a raised table that goes with its error.
const RAISED_BYTES_MAX: usize = 16 << 10;

/// What scripts of other Luas know and these do not.
const ABSENT: [&str; 15] = [
    "collectgarbage",
    "debug",
    "dofile",
    "getfenv",
    "io",
    "load",
    "loadfile",
    "loadstring",
    "os",
    "package",
    "print",
    "random",
    "randomseed",
    "require",
    "setfenv",
];

/// The script's own calls when something was raised, innermost first.
pub(super) struct Trace(Vec<(String, u32)>);

impl Trace {
    pub(super) fn of(lua: &Lua) -> Trace {
        let mut calls = Vec::new();
        for level in 0..LEVELS_MAX {
            let call = lua.inspect_stack(level, |debug| {
                let of_script = debug.source().short_src.is_some_and(|source| source == FILE);
                let line = debug.current_line().filter(|_| of_script)?;
                let name = debug
                    .names()
                    .name
                    .map_or_else(|| "the script".to_owned(), |name| name.into_owned());
                Some((name, u32::try_from(line).unwrap_or(0)))
            });
            match call {
                None => break,
                Some(call) => calls.extend(call),
            }
            if calls.len() == TRACE_MAX {
                break;
            }
        }
        Trace(calls)
    }
}

/// The source is no Lua.
pub(super) fn compile(error: &Error, source: &str) -> ScriptError {
    let text = match error {
        Error::SyntaxError { message, .. } => format!(":{}", message.trim_start_matches(':')),
        other => other.to_string(),
    };
    let (line, message) = located(&text);
    at_line(ScriptError::new(ErrorKind::Compile, message), line.unwrap_or(1), source)
}

/// The call could not be made or did not come back in the usual way.
pub(super) fn runtime(state: &State, error: &Error, source: &str) -> ScriptError {
    if let Error::ExternalError(inner) = error
        && let Some(own) = inner.downcast_ref::<ScriptError>()
    {
        return own.clone();
    }
    raised(state, &Value::Error(Box::new(error.clone())), source)
}

/// The script's first result, or what it raised.
pub(super) fn outcome(
    state: &State,
    results: MultiValue,
    source: &str,
) -> Result<Value, ScriptError> {
    let mut results = results.into_iter();
    let ended_well = matches!(results.next(), Some(Value::Boolean(true)));
    let first = results.next().unwrap_or(Value::Nil);
    if ended_well && state.cut_off().is_none() {
        return Ok(first);
    }
    Err(raised(state, &first, source))
}

fn raised(state: &State, value: &Value, source: &str) -> ScriptError {
    let trace = state.take_trace().map(|trace| trace.0).unwrap_or_default();
    let (line, mut error) = describe(state, value);
    if let Some(line) = trace.first().map(|(_, line)| *line).or(line) {
        error = at_line(error, line, source);
        explain_absence(&mut error, line, source);
    }
    if trace.len() > 1 {
        let lines = trace.iter().map(|(name, line)| format!("{name} ({FILE}:{line})"));
        error.stack = Some(lines.collect::<Vec<_>>().join("\n").into());
    }
    error
}

fn describe(state: &State, value: &Value) -> (Option<u32>, ScriptError) {
    let limits = state.limits();
    if let Some(kind) = state.cut_off() {
        return (None, limit(kind, &limits));
    }
    let text = match value {
        Value::String(text) => text.to_string_lossy(),
        Value::Error(error) => match &**error {
            Error::MemoryError(_) => return (None, limit(ErrorKind::OutOfMemory, &limits)),
            other => innermost(other),
        },
        other => return (None, thrown(state, other)),
    };
    let (line, message) = located(&text);
    let error = match message {
        "not enough memory" => limit(ErrorKind::OutOfMemory, &limits),
        _ if message.starts_with("stack overflow") => limit(ErrorKind::StackOverflow, &limits),
        _ => ScriptError::new(ErrorKind::Thrown, message),
    };
    (line, error)
}

/// A value other than a text was raised: its `message`, and all of it for whoever wants more.
fn thrown(state: &State, value: &Value) -> ScriptError {
    let json =
        Outgoing::new(state.array_mark(), &Expected::ANYTHING, RAISED_BYTES_MAX).value(value);
    let message = match (value, &json) {
        (Value::Nil, _) => "the script raised nil".to_owned(),
        (Value::Table(table), json) => match (table.raw_get::<String>("message"), json) {
            (Ok(message), _) => message,
            (Err(_), Ok(json)) => json.to_string(),
            (Err(_), Err(_)) => "the script raised a table".to_owned(),
        },
        (_, Ok(json)) => json.to_string(),
        (other, Err(_)) => format!("the script raised a {}", other.type_name()),
    };
    let mut error = ScriptError::new(ErrorKind::Thrown, message);
    if let Ok(json) = json {
        let properties = [("value".to_owned(), json)].into_iter().collect();
        error.thrown = Some(Box::new(Thrown { properties, ..Thrown::default() }));
    }
    error
}

/// The message of an error without the traceback that wraps it.
fn innermost(error: &Error) -> String {
    match error {
        Error::CallbackError { cause, .. } => innermost(cause),
        Error::RuntimeError(message) => message.lines().next().unwrap_or_default().to_owned(),
        other => other.to_string(),
    }
}

fn limit(kind: ErrorKind, limits: &ScriptLimits) -> ScriptError {
    let message = match kind {
        ErrorKind::Cancelled => return cancelled(),
        ErrorKind::StackOverflow => format!("more than {} nested calls", limits.recursion_max),
        ErrorKind::OutOfMemory => {
            format!("the script's values need more than {} bytes of memory", limits.memory_bytes)
        }
        _ => format!("the script took longer than {} ms", limits.time_ms),
    };
    ScriptError::new(kind, message)
}

/// Splits `script.lua:3: message`, and `:3: message` as the compiler has it. An error that passes through a
/// coroutine has a place in front for each; the last is where it was raised. Lines of the sandbox are not
/// the author's.
fn located(text: &str) -> (Option<u32>, &str) {
    let mut found = (None, text);
    loop {
        let placed = [(FILE, true), ("sandbox", false), ("", true)].into_iter().find_map(
            |(name, of_script)| {
                let (line, message) =
                    found.1.strip_prefix(name)?.strip_prefix(':')?.split_once(": ")?;
                let line: u32 = line.parse().ok()?;
                Some((of_script.then_some(line), message))
            },
        );
        match placed {
            Some(placed) => found = placed,
            None => return found,
        }
    }
}

/// Luau does not name what is nil. If the line has a name that scripts lack, that is why.
fn explain_absence(error: &mut ScriptError, line: u32, source: &str) {
    if !error.message.starts_with("attempt to call a nil value")
        && !error.message.starts_with("attempt to index nil")
    {
        return;
    }
    let is_name_char = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut words = line_of(source, line).split(|c| !is_name_char(c));
    if let Some(name) = words.find(|word| ABSENT.contains(word)) {
        error.message.push_str(&format!(" (scripts have no `{name}`)"));
    }
}

/// Luau knows lines only: the column is where the line's code begins.
fn at_line(error: ScriptError, line: u32, source: &str) -> ScriptError {
    let blanks = line_of(source, line).chars().take_while(|c| c.is_whitespace()).count();
    error.at(FILE, line, u32::try_from(blanks + 1).unwrap_or(1))
}

fn line_of(source: &str, line: u32) -> &str {
    source.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default()
}
