//! From the end of a call to what its caller gets.

use serde::Deserialize;
use serde_json::{Map, Value};

use super::compiled::STACK_OVERFLOW;
use super::drive::End;
use super::program::Program;
use super::state::Settled;
use super::text::truncate;
use super::watch::Verdict;
use crate::{ErrorKind, ScriptError, ScriptLimits, Thrown};

/// What `prelude/errors.js` says of what defies description.
pub(super) const INDESCRIBABLE: &str = "something that cannot be described was thrown";

/// What QuickJS says when there is no memory left.
const OUT_OF_MEMORY: (&str, &str) = ("InternalError", "out of memory");

/// What is kept of an error: it is told to people and stored, and a script could throw a whole heap.
const MESSAGE_BYTES_MAX: usize = 16 << 10;
const STACK_BYTES_MAX: usize = 64 << 10;
/// All properties of a thrown error as JSON. Of more, the first are kept.
const PROPERTIES_BYTES_MAX: usize = 64 << 10;

/// What was thrown, as `prelude/errors.js` describes it.
#[derive(Deserialize)]
struct Described {
    name: String,
    message: String,
    stack: Option<String>,
    #[serde(default)]
    properties: Map<String, Value>,
    cause: Option<Box<Described>>,
}

/// The result, `None` for `undefined`; or why there is none.
pub(super) fn outcome(
    end: End,
    program: &Program,
    limits: &ScriptLimits,
) -> Result<Option<Value>, ScriptError> {
    unbounded_outcome(end, program, limits).map_err(bounded)
}

fn unbounded_outcome(
    end: End,
    program: &Program,
    limits: &ScriptLimits,
) -> Result<Option<Value>, ScriptError> {
    let settled = match end {
        End::Settled(settled) => settled,
        End::Over(verdict) => return Err(verdict_error(verdict, limits)),
        End::NeverSettled => {
            let message = "the promise that was returned never settles: no timer and no request is \
                           pending that could settle it";
            return Err(ScriptError::new(ErrorKind::NeverSettled, message));
        }
    };
    let Settled { kind, text } = settled;
    let text_or_nothing = || text.clone().unwrap_or_default();
    match kind.as_str() {
        "value" => text.map(|text| value_of(&text, limits)).transpose(),
        "thrown" => Err(thrown(&text_or_nothing(), program, limits)),
        "not_json" => {
            let mut error = thrown(&text_or_nothing(), program, limits);
            if error.kind == ErrorKind::Thrown {
                error.kind = ErrorKind::NotJson;
                error.message = format!("the result cannot be written as JSON: {}", error.message);
                error.thrown = None;
            }
            Err(error)
        }
        "no_such_function" => Err(ScriptError::new(ErrorKind::NoSuchFunction, text_or_nothing())),
        _ => Err(out_of_memory(limits)),
    }
}

fn value_of(text: &str, limits: &ScriptLimits) -> Result<Value, ScriptError> {
    if text.len() > limits.output_bytes {
        let message = format!(
            "the result has {} bytes as JSON; {} are allowed",
            text.len(),
            limits.output_bytes
        );
        return Err(ScriptError::new(ErrorKind::OutputTooLarge, message));
    }
    serde_json::from_str(text).map_err(|error| {
        let message = format!("the result is not JSON that can be stored: {error}");
        ScriptError::new(ErrorKind::NotJson, message)
    })
}

/// The error without what would be too much of it.
fn bounded(mut error: ScriptError) -> ScriptError {
    truncate(&mut error.message, MESSAGE_BYTES_MAX);
    error.stack = error.stack.map(|stack| {
        let mut stack = String::from(stack);
        truncate(&mut stack, STACK_BYTES_MAX);
        stack.into()
    });
    if let Some(thrown) = &mut error.thrown {
        truncate(&mut thrown.name, MESSAGE_BYTES_MAX);
        let mut n_bytes = 0;
        thrown.properties.retain(|name, value| {
            n_bytes += name.len() + value.to_string().len();
            n_bytes <= PROPERTIES_BYTES_MAX
        });
        thrown.cause = thrown.cause.take().map(|cause| Box::new(bounded(*cause)));
    }
    error
}

pub(super) fn verdict_error(verdict: Verdict, limits: &ScriptLimits) -> ScriptError {
    match verdict {
        Verdict::TimedOut => timed_out(limits),
        Verdict::Cancelled => ScriptError::new(ErrorKind::Cancelled, "the call was cancelled"),
    }
}

pub(super) fn timed_out(limits: &ScriptLimits) -> ScriptError {
    let message = format!("the script took longer than its time limit of {} ms", limits.time_ms);
    ScriptError::new(ErrorKind::TimedOut, message)
}

pub(super) fn out_of_memory(limits: &ScriptLimits) -> ScriptError {
    let message = format!("the script needs more memory than its {} bytes", limits.memory_bytes);
    ScriptError::new(ErrorKind::OutOfMemory, message)
}

fn thrown(text: &str, program: &Program, limits: &ScriptLimits) -> ScriptError {
    let Ok(described) = serde_json::from_str::<Described>(text) else {
        return ScriptError::new(ErrorKind::Thrown, INDESCRIBABLE);
    };
    let what = (described.name.as_str(), described.message.as_str());
    let mut error = if what == OUT_OF_MEMORY {
        out_of_memory(limits)
    } else if what == ("RangeError", STACK_OVERFLOW) {
        let message = format!("calls are nested too deeply for {} bytes", limits.stack_bytes);
        ScriptError::new(ErrorKind::StackOverflow, message)
    } else {
        return described.into_error(program);
    };
    (error.position, error.stack) = described.places(program);
    error.frame = error.position.as_ref().and_then(|position| program.frame(position));
    error
}

impl Described {
    fn places(&self, program: &Program) -> (Option<crate::Position>, Option<Box<str>>) {
        self.stack.as_deref().map(|stack| program.source_stack(stack)).unwrap_or_default()
    }

    fn into_error(self, program: &Program) -> ScriptError {
        let (mut position, stack) = self.places(program);
        let mut kind = ErrorKind::Thrown;
        if self.name == "SyntaxError"
            && position.is_none()
            && let Some((export, module)) = missing_export(&self.message)
        {
            kind = ErrorKind::Compile;
            position = program.position_of_import(module, export);
        }
        let frame = position.as_ref().and_then(|position| program.frame(position));
        let cause = self.cause.map(|cause| Box::new(cause.into_error(program)));
        let thrown = Thrown { name: self.name, properties: self.properties, cause };
        let thrown = (kind == ErrorKind::Thrown).then(|| Box::new(thrown));
        ScriptError { kind, message: self.message, position, frame, stack, thrown }
    }
}

/// QuickJS: `Could not find export 'x' in module 'y'`. Returns `x` and `y`.
fn missing_export(message: &str) -> Option<(&str, &str)> {
    let rest = message.strip_prefix("Could not find export '")?;
    rest.strip_suffix('\'')?.split_once("' in module '")
}
