//! The error type of workflow code and step bodies.

use std::fmt;
use std::time::Duration;

use stepwell_journal::{Failure, FailureKind};

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a step's body, an operation or a workflow failed.
///
/// Any `std::error::Error` turns into one with `?`, and is then an ordinary error: a step that returns
/// it is retried. [`Error::critical`] and [`Error::rollback`] are not.
pub struct Error(Box<Inner>);

struct Inner {
    failure: Failure,
    /// Whether the failure came out of an operation, so that its source and kind stand as they are.
    recorded: bool,
    /// How long to wait before the next attempt, whatever the policy says.
    retry_after: Option<Duration>,
}

impl Error {
    /// An ordinary error from a text.
    pub fn msg(message: impl fmt::Display) -> Error {
        Error::of(FailureKind::Error, message)
    }

    /// An error that trying again cannot mend.
    pub fn critical(error: impl Into<Error>) -> Error {
        error.into().with_kind(FailureKind::Critical)
    }

    /// An error that trying again cannot mend, and that asks for the undo handlers to run. `try_step`
    /// and `try_block` let it through unless they are told to catch it.
    pub fn rollback(error: impl Into<Error>) -> Error {
        error.into().with_kind(FailureKind::Rollback)
    }

    /// If the step is tried again, then after so long, whatever its backoff says.
    #[must_use]
    pub fn retry_after(mut self, delay: Duration) -> Error {
        self.0.retry_after = Some(delay);
        self
    }

    pub(crate) fn asked_delay(&self) -> Option<Duration> {
        self.0.retry_after
    }

    pub fn kind(&self) -> FailureKind {
        self.0.failure.kind
    }

    /// What is recorded of it.
    pub fn failure(&self) -> &Failure {
        &self.0.failure
    }

    pub fn into_failure(self) -> Failure {
        self.0.failure
    }

    pub(crate) fn of(kind: FailureKind, message: impl fmt::Display) -> Error {
        let failure = Failure::new(kind, message.to_string());
        Error(Box::new(Inner { failure, recorded: false, retry_after: None }))
    }

    fn with_kind(mut self, kind: FailureKind) -> Error {
        self.0.failure.kind = kind;
        self
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<E> for Error {
    fn from(error: E) -> Error {
        // An operation's failure, handed on as the workflow's error, stays what it is.
        if let Some(failure) = (&error as &dyn std::any::Any).downcast_ref::<Failure>() {
            let failure = failure.clone();
            return Error(Box::new(Inner { failure, recorded: true, retry_after: None }));
        }
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            message.push_str(": ");
            message.push_str(&cause.to_string());
            source = cause.source();
        }
        Error::msg(message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.recorded { self.0.failure.fmt(f) } else { f.write_str(&self.0.failure.message) }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0.failure, f)
    }
}

/// Says of a `Result`'s error how it is to be treated: `charge(card).await.critical()?`.
pub trait ResultExt<T> {
    /// The error, if any, is not to be retried.
    fn critical(self) -> Result<T>;
    /// The error, if any, is not to be retried and asks for the undo handlers to run.
    fn rollback(self) -> Result<T>;
}

impl<T, E: Into<Error>> ResultExt<T> for Result<T, E> {
    fn critical(self) -> Result<T> {
        self.map_err(Error::critical)
    }

    fn rollback(self) -> Result<T> {
        self.map_err(Error::rollback)
    }
}
