//! How a step says that it failed, and what is to follow.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use stepwell_journal::{Attempt, Failure, FailureKind, Json, stable_hash};
use stepwell_kernel::{AttemptCx, Backoff, Error};
use stepwell_script::{Position, ScriptError};

use crate::limits::{ATTEMPTS_MAX, BACKOFF_BASE_MS, BACKOFF_MAX_MS, DETAILS_BYTES_MAX, JITTER};
use crate::plan::StepConfig;

/// What follows a step's failure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Behavior {
    /// The workflow fails.
    #[default]
    Stop,
    /// The step has failed, and the workflow goes on.
    Continue,
    /// Another attempt, if one is left; otherwise as `Stop`.
    Retry,
}

/// How the delay between attempts grows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Growth {
    /// One second, two, three, up to a minute.
    #[default]
    Linear,
    /// One second, two, four, up to a minute.
    Exponential,
}

/// A step's failure. Any `std::error::Error` becomes one with `?`, and then stops the workflow.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StepError {
    pub message: String,
    pub behavior: Behavior,
    /// How many attempts there may be in all, with `Retry`.
    pub max_attempts: Option<u32>,
    pub backoff: Option<Growth>,
    /// The share of the delay, from 0 to 1, that is left to chance.
    pub jitter: Option<f64>,
    about: Box<About>,
}

/// What else is known of an error.
#[derive(Debug, Clone, Default, PartialEq)]
struct About {
    /// `TypeError`; empty for an error of a Rust step.
    name: String,
    position: Option<Position>,
    stack: Option<String>,
    /// What the error says of itself.
    properties: Map<String, Value>,
    /// What the step had put into its state.
    state: Option<Json>,
}

/// What the journal keeps of a failure beside its message.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Details {
    /// As the author wrote it, without a position.
    pub message: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    pub behavior: Behavior,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<Position>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub properties: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Json>,
}

impl StepError {
    /// Stops the workflow.
    pub fn stop(message: impl Into<String>) -> StepError {
        StepError { message: message.into(), ..StepError::default() }
    }

    /// Is logged, and the workflow goes on with the next step.
    pub fn go_on(message: impl Into<String>) -> StepError {
        StepError { behavior: Behavior::Continue, ..StepError::stop(message) }
    }

    /// Asks for another attempt. How many there may be is said by [`StepError::max_attempts`] or the step's
    /// configuration, whichever is less; one if neither says.
    pub fn retry(message: impl Into<String>) -> StepError {
        StepError { behavior: Behavior::Retry, ..StepError::stop(message) }
    }

    #[must_use]
    pub fn max_attempts(mut self, n: u32) -> StepError {
        self.max_attempts = Some(n);
        self
    }

    #[must_use]
    pub fn backoff(mut self, growth: Growth) -> StepError {
        self.backoff = Some(growth);
        self
    }

    #[must_use]
    pub fn jitter(mut self, share: f64) -> StepError {
        self.jitter = Some(share);
        self
    }

    /// Says something more of the error, for handlers.
    #[must_use]
    pub fn property(mut self, name: &str, value: Value) -> StepError {
        self.about.properties.insert(name.to_owned(), value);
        self
    }

    /// The calls that led to it, if it came out of a script.
    pub fn stack(&self) -> Option<&str> {
        self.about.stack.as_deref()
    }

    /// What the step had put into its state before.
    pub(crate) fn with_state(mut self, state: Option<Json>) -> StepError {
        self.about.state = state;
        self
    }

    /// `min(error.maxAttempts ?? config.maxAttempts ?? 1, config.maxAttempts ?? infinity)`
    fn attempts_max(&self, config: &StepConfig) -> u32 {
        let wanted = self.max_attempts.or(config.max_attempts).unwrap_or(1);
        wanted.min(config.max_attempts.unwrap_or(u32::MAX)).min(ATTEMPTS_MAX)
    }

    /// What the kernel is told: whether to try again and when, or how the step has failed.
    pub(crate) fn settle(self, config: &StepConfig, cx: &AttemptCx) -> Error {
        let attempt = cx.attempt();
        let is_retried = self.behavior == Behavior::Retry && attempt.0 < self.attempts_max(config);
        if is_retried {
            let growth = self.backoff.or(config.backoff).unwrap_or_default();
            let backoff = backoff(growth).jitter(self.jitter.unwrap_or(0.0));
            let seed = stable_hash(&[cx.idempotency_key().as_bytes()]);
            let delay = Duration::from_millis(backoff.delay_ms(attempt, seed));
            return Error::from(self.into_failure(FailureKind::Error)).retry_after(delay);
        }
        let kind = match self.behavior {
            Behavior::Retry if attempt > Attempt(1) => FailureKind::Exhausted,
            Behavior::Retry | Behavior::Stop | Behavior::Continue => FailureKind::Critical,
        };
        Error::from(self.into_failure(kind))
    }

    /// Of a function that is not a step: nothing is tried again.
    pub(crate) fn into_final(self) -> Error {
        Error::from(self.into_failure(FailureKind::Critical))
    }

    fn into_failure(self, kind: FailureKind) -> Failure {
        let text = self.to_string();
        let StepError { message, behavior, about, .. } = self;
        let About { name, position, mut stack, mut properties, state } = *about;
        if let Some(stack) = &mut stack {
            stack.truncate(stack.floor_char_boundary(DETAILS_BYTES_MAX));
        }
        let n_bytes = Json::of(&properties).map_or(usize::MAX, |text| text.n_bytes());
        if n_bytes > DETAILS_BYTES_MAX {
            properties = Map::new();
        }
        let details = Details { message, name, behavior, position, stack, properties, state };
        let failure = Failure::new(kind, text);
        match Json::of(&details) {
            Ok(details) => failure.with_details(details),
            Err(_) => failure,
        }
    }
}

/// The configured delays.
pub(crate) fn backoff(growth: Growth) -> Backoff {
    let (base, max) =
        (Duration::from_millis(BACKOFF_BASE_MS), Duration::from_millis(BACKOFF_MAX_MS));
    match growth {
        Growth::Linear => Backoff::linear(base, max),
        Growth::Exponential => Backoff::exponential(base, max),
    }
}

impl Details {
    /// What is known of a failure, whoever recorded it.
    pub fn of(failure: &Failure) -> Details {
        let recorded = failure.details.as_ref().and_then(|details| details.to().ok());
        recorded.unwrap_or_else(|| {
            let name = if failure.kind == FailureKind::Timeout { "TimeoutError" } else { "" };
            Details {
                message: failure.message.clone(),
                name: name.to_owned(),
                ..Details::default()
            }
        })
    }
}

/// As people read it, with the place in the author's source.
impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(position) = &self.about.position {
            write!(f, "{position}: ")?;
        }
        if !matches!(self.about.name.as_str(), "" | "Error" | "StepError") {
            write!(f, "{}: ", self.about.name)?;
        }
        f.write_str(&self.message)
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for StepError {
    fn from(error: E) -> StepError {
        if let Some(error) = (&error as &dyn std::any::Any).downcast_ref::<ScriptError>() {
            return StepError::of_script(error);
        }
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            message.push_str(": ");
            message.push_str(&cause.to_string());
            source = cause.source();
        }
        StepError::stop(message)
    }
}

impl StepError {
    /// What a script threw, or which limit it met.
    fn of_script(error: &ScriptError) -> StepError {
        let mut step_error = StepError::stop(error.message.clone());
        step_error.about.position.clone_from(&error.position);
        step_error.about.stack = error.stack.as_deref().map(str::to_owned);
        let Some(thrown) = &error.thrown else { return step_error };
        step_error.about.name.clone_from(&thrown.name);
        let mut properties = thrown.properties.clone();
        if properties.remove("isStepError") == Some(Value::Bool(true)) {
            let field = |name: &str, properties: &mut Map<String, Value>| {
                properties.remove(name).unwrap_or_default()
            };
            let behavior = field("behavior", &mut properties);
            step_error.behavior = serde_json::from_value(behavior).unwrap_or_default();
            let attempts = field("maxAttempts", &mut properties).as_u64();
            step_error.max_attempts = attempts.map(|n| u32::try_from(n).unwrap_or(u32::MAX).max(1));
            step_error.backoff =
                serde_json::from_value(field("backoff", &mut properties)).unwrap_or_default();
            step_error.jitter = match field("jitter", &mut properties) {
                Value::Bool(true) => Some(JITTER),
                other => other.as_f64(),
            };
        }
        step_error.about.properties = properties;
        step_error
    }
}
