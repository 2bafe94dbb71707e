//! What a flow asks of its surroundings: scripts, services, what is remembered, and keys.

use std::sync::Arc;

use serde_json::Value;
use stepwell_journal::RunId;
use stepwell_kernel::{Error, LocalBoxFuture};
use uuid::Uuid;

use crate::memo::Memo;
use crate::scripts::Scripts;
use crate::step::Method;
use crate::token::TokenKey;

/// All that flows need beside their plans. One for all flows of a process.
pub struct FlowHost {
    pub scripts: Scripts,
    pub services: Arc<dyn Services>,
    pub memo: Memo,
    pub tokens: TokenKey,
    /// Where services reach the webhooks, such as `https://flows.example.com`, without a slash at the end.
    pub public_url: String,
}

impl FlowHost {
    /// Where the service that has this work item answers.
    pub fn webhook_url(&self, run: RunId, step: &str, token: Uuid) -> String {
        format!("{}/webhooks/{run}/{step}/{token}", self.public_url)
    }
}

/// Whoever calls services for a flow. Its futures run inside step bodies, and are dropped when an attempt is given up:
/// they need not mind the time.
pub trait Services: Send + Sync + 'static {
    /// Makes one call, and gives the JSON of the response; null if it is empty.
    fn call(&self, call: ServiceCall) -> LocalBoxFuture<'static, Result<Value, WorkError>>;
}

/// One call of a service.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceCall {
    pub method: Method,
    /// With all placeholders filled in.
    pub url: String,
    pub body: Option<Value>,
    pub run: RunId,
    pub step: String,
    /// The work item's token: the same in all attempts.
    pub token: Uuid,
    /// The first is 1.
    pub attempt: u64,
    /// Where to answer, if the response is not the answer.
    pub webhook_url: Option<String>,
    /// A W3C `traceparent` for this attempt.
    pub traceparent: Option<String>,
    /// The name of the secret that the request is signed with.
    pub secret: Option<String>,
}

/// Why a work item was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkError {
    pub message: String,
    /// Whether trying again could help.
    pub may_retry: bool,
    /// How long to wait before that, as the service asks for.
    pub retry_after_ms: Option<u64>,
}

/// How a message begins that says how long to wait. The journal keeps errors as text, and a replay has to wait as long.
const RETRY_AFTER: &str = "retry after ";

impl WorkError {
    /// A service that does not answer, or asks to be tried again.
    pub fn passing(message: impl Into<String>) -> WorkError {
        WorkError { message: message.into(), may_retry: true, retry_after_ms: None }
    }

    /// A request that is refused, an answer that makes no sense, a script that fails.
    pub fn lasting(message: impl Into<String>) -> WorkError {
        WorkError { message: message.into(), may_retry: false, retry_after_ms: None }
    }

    /// How long a recorded error says to wait, and the rest of it.
    pub(crate) fn split_wait(message: &str) -> (Option<u64>, &str) {
        let split = message.strip_prefix(RETRY_AFTER).and_then(|rest| rest.split_once(" ms: "));
        match split.map(|(ms, rest)| (ms.parse(), rest)) {
            Some((Ok(ms), rest)) => (Some(ms), rest),
            _ => (None, message),
        }
    }
}

impl From<WorkError> for Error {
    fn from(error: WorkError) -> Error {
        let WorkError { message, may_retry, retry_after_ms } = error;
        let error = Error::msg(match retry_after_ms {
            Some(ms) => format!("{RETRY_AFTER}{ms} ms: {message}"),
            None => message,
        });
        if may_retry { error } else { Error::critical(error) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_error_still_says_how_long_to_wait() {
        let error =
            WorkError { retry_after_ms: Some(1_500), ..WorkError::passing("HTTP 429: a: b") };
        let recorded = Error::from(error).into_failure().message;
        assert_eq!(WorkError::split_wait(&recorded), (Some(1_500), "HTTP 429: a: b"));
        for other in ["boom", "retry after lunch", "retry after x ms: y"] {
            assert_eq!(WorkError::split_wait(other), (None, other));
        }
    }
}
