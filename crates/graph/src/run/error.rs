//! Why a step fails, beyond what the kernel says.

use std::fmt;

use stepwell_kernel::Error;

/// What kind of error a step ended with. It stands at the beginning of the failure's message, before a colon;
/// docs/reference/graph.md explains each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    Ref,
    TooLarge,
    When,
    ForEach,
    ToolUnavailable,
    ToolInput,
    ToolFailed,
    Code,
    OutputSchema,
    Interrupted,
    Timeout,
}

impl ErrorCode {
    pub const ALL: [ErrorCode; 11] = [
        ErrorCode::Ref,
        ErrorCode::TooLarge,
        ErrorCode::When,
        ErrorCode::ForEach,
        ErrorCode::ToolUnavailable,
        ErrorCode::ToolInput,
        ErrorCode::ToolFailed,
        ErrorCode::Code,
        ErrorCode::OutputSchema,
        ErrorCode::Interrupted,
        ErrorCode::Timeout,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            ErrorCode::Ref => "ref",
            ErrorCode::TooLarge => "too_large",
            ErrorCode::When => "when",
            ErrorCode::ForEach => "for_each",
            ErrorCode::ToolUnavailable => "tool_unavailable",
            ErrorCode::ToolInput => "tool_input",
            ErrorCode::ToolFailed => "tool_failed",
            ErrorCode::Code => "code",
            ErrorCode::OutputSchema => "output_schema",
            ErrorCode::Interrupted => "interrupted",
            ErrorCode::Timeout => "timeout",
        }
    }

    /// The code at the beginning of a failure's message.
    pub fn of_message(message: &str) -> Option<ErrorCode> {
        let (code, _) = message.split_once(": ")?;
        ErrorCode::ALL.into_iter().find(|known| known.as_str() == code)
    }
}

/// An error of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StepError {
    pub code: ErrorCode,
    pub message: String,
    /// Whether another attempt could help.
    pub may_retry: bool,
}

impl StepError {
    pub fn new(code: ErrorCode, message: impl fmt::Display) -> StepError {
        StepError { code, message: message.to_string(), may_retry: false }
    }

    pub fn retryable(self, may_retry: bool) -> StepError {
        StepError { may_retry, ..self }
    }
}

impl fmt::Display for StepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl From<StepError> for Error {
    fn from(error: StepError) -> Error {
        let said = Error::msg(&error);
        if error.may_retry { said } else { Error::critical(said) }
    }
}
