//! What a Rust step is given.

use std::any::type_name;
use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use stepwell_journal::Json;
use stepwell_kernel::{AttemptCx, CancelSignal, Level};

use crate::context::{Context, StepStatus};
use crate::error::StepError;
use crate::failed::Failed;
use crate::host::Call;

/// A step's view of its run: the input, the steps before it, its own state. Cheap to clone.
#[derive(Clone)]
pub struct StepCx {
    context: Context,
    state: Rc<RefCell<Map<String, Value>>>,
    attempt: Rc<AttemptCx>,
}

impl StepCx {
    pub(super) fn new(call: &Call) -> StepCx {
        StepCx {
            context: call.context.clone(),
            state: Rc::default(),
            attempt: call.attempt.clone(),
        }
    }

    pub fn input<T: DeserializeOwned>(&self) -> Result<T, StepError> {
        parse("the input", self.context.input.as_ref())
    }

    /// The result of a step that has completed.
    pub fn result<T: DeserializeOwned>(&self, step: &str) -> Result<T, StepError> {
        match self.context.step(step) {
            Some(seen) if seen.status == StepStatus::Completed => {
                parse(&format!("the result of step `{step}`"), seen.result.as_ref())
            }
            Some(seen) => {
                let status = seen.status.as_str();
                Err(StepError::stop(format!("step `{step}` has no result: it is {status}")))
            }
            None => Err(StepError::stop(format!("step `{step}` has no result: it has not run"))),
        }
    }

    /// What a step put into its state; an empty object if it has not run.
    pub fn state_of(&self, step: &str) -> Value {
        let seen = self.context.step(step);
        let state = seen.and_then(|seen| seen.state.to().ok());
        state.unwrap_or_else(|| Value::Object(Map::new()))
    }

    pub fn status_of(&self, step: &str) -> StepStatus {
        self.context.step(step).map(|seen| seen.status).unwrap_or_default()
    }

    /// The result of the step before this one.
    pub fn last_result<T: DeserializeOwned>(&self) -> Result<T, StepError> {
        parse("the last step's result", self.context.last_step().result.as_ref())
    }

    /// The name of the step before this one; none for the first.
    pub fn last_step(&self) -> Option<&str> {
        self.context.last_step().step_name.as_deref()
    }

    /// The item of the `for_each` that this is a step of.
    pub fn item<T: DeserializeOwned>(&self) -> Result<T, StepError> {
        if self.context.item().is_none() {
            return Err(StepError::stop("there is no item outside of a for_each"));
        }
        parse("the item", self.context.item())
    }

    /// The item's place; the first is 0.
    pub fn index(&self) -> Option<usize> {
        self.context.index()
    }

    /// The loop's iteration; the first is 0.
    pub fn iteration(&self) -> Option<u64> {
        self.context.iteration()
    }

    /// Says in words what the step did.
    pub fn describe(&self, text: impl Into<String>) {
        self.put("description", Value::String(text.into()));
    }

    /// Marks the step as skipped. It should return right after.
    pub fn skip(&self, why: impl Into<String>) {
        self.put("skipped", Value::Bool(true));
        self.describe(why);
    }

    /// Puts something into the step's state, where later steps see it.
    pub fn set_state(&self, key: &str, value: &impl Serialize) -> Result<(), StepError> {
        self.put(key, serde_json::to_value(value)?);
        Ok(())
    }

    pub fn run_id(&self) -> &str {
        &self.context.run_id
    }

    pub fn workflow_name(&self) -> &str {
        &self.context.workflow_name
    }

    /// The first is 1.
    pub fn attempt(&self) -> u32 {
        self.context.attempt
    }

    /// The same for every attempt of this step, and for no other.
    pub fn idempotency_key(&self) -> String {
        self.attempt.idempotency_key()
    }

    /// A W3C `traceparent` for calls that this attempt makes.
    pub fn traceparent(&self) -> String {
        self.attempt.traceparent()
    }

    /// Fires when the attempt is given up: a timeout or a cancel.
    pub fn cancel_signal(&self) -> CancelSignal {
        self.attempt.cancel_signal()
    }

    pub fn debug(&self, message: impl Into<String>) {
        self.attempt.log(Level::Debug, message);
    }

    pub fn info(&self, message: impl Into<String>) {
        self.attempt.log(Level::Info, message);
    }

    pub fn warn(&self, message: impl Into<String>) {
        self.attempt.log(Level::Warn, message);
    }

    pub fn error(&self, message: impl Into<String>) {
        self.attempt.log(Level::Error, message);
    }

    /// A log line with fields.
    pub fn log_with(&self, level: Level, message: impl Into<String>, fields: &impl Serialize) {
        self.attempt.log_with(level, message, fields);
    }

    /// The step's state, if it put anything there.
    pub(super) fn state(&self) -> Option<Json> {
        let state = self.state.borrow();
        (!state.is_empty()).then(|| Json::from(Value::Object(state.clone())))
    }

    fn put(&self, key: &str, value: Value) {
        self.state.borrow_mut().insert(key.to_owned(), value);
    }
}

fn parse<T: DeserializeOwned>(what: &str, value: Option<&Json>) -> Result<T, StepError> {
    let value = value.cloned().unwrap_or_default();
    value.to().map_err(|error| {
        StepError::stop(format!("{what} is not a `{}`: {error}", type_name::<T>()))
    })
}

/// What an error handler is given.
pub struct FailedCx {
    failed: Failed,
    attempt: Rc<AttemptCx>,
}

impl FailedCx {
    pub(super) fn new(call: &Call) -> Result<FailedCx, StepError> {
        let failed = call.argument.as_ref().map(Json::to).transpose()?;
        let failed = failed.ok_or_else(|| StepError::stop("there is no failure to handle"))?;
        Ok(FailedCx { failed, attempt: call.attempt.clone() })
    }

    pub fn log(&self, level: Level, message: impl Into<String>) {
        self.attempt.log(level, message);
    }
}

impl Deref for FailedCx {
    type Target = Failed;

    fn deref(&self) -> &Failed {
        &self.failed
    }
}
