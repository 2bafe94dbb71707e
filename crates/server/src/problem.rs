//! Errors as callers get them: problem documents (RFC 9457) with a stable code.

mod code;
mod from;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use code::Code;
pub use from::internal;
pub use stepwell_store::with_causes;

/// What went wrong, and how to do it right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// A page about this kind of problem, on this server.
    #[serde(rename = "type")]
    #[schema(value_type = String)]
    pub page: Box<str>,
    /// The kind of problem in a few words.
    #[schema(value_type = String)]
    pub title: Box<str>,
    /// The HTTP status.
    pub status: u16,
    /// Stable: programs can depend on it.
    #[schema(value_type = String)]
    pub code: Box<str>,
    /// What went wrong this time, and what to do about it.
    pub detail: String,
    /// Every place of the request that is wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldError>,
}

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldError {
    /// Such as `input.items.0.sku`; empty for the whole.
    pub path: String,
    pub message: String,
    /// The kind of error, where the thing has kinds of its own: those of steps are in docs/reference/flow-steps.md.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

impl Problem {
    pub fn new(code: Code, detail: impl Into<String>) -> Problem {
        Problem {
            page: format!("/api/problems/{}", code.as_str()).into(),
            title: code.title().into(),
            status: code.status().as_u16(),
            code: code.as_str().into(),
            detail: detail.into(),
            errors: Vec::new(),
        }
    }

    pub fn is(&self, code: Code) -> bool {
        *self.code == *code.as_str()
    }

    pub fn at(mut self, path: impl Into<String>, message: impl Into<String>) -> Problem {
        let (path, message) = (path.into(), message.into());
        self.errors.push(FieldError { path, message, code: None });
        self
    }

    /// The same for something that has kinds of errors of its own.
    pub fn at_with(mut self, path: String, message: String, code: &str) -> Problem {
        self.errors.push(FieldError { path, message, code: Some(code.to_owned()) });
        self
    }

    /// A field of the request cannot be taken.
    pub fn field(path: &str, message: impl Into<String>) -> Problem {
        let message = message.into();
        Problem::new(Code::InvalidRequest, format!("`{path}`: {message}")).at(path, message)
    }

    /// Somebody who may not see a run is told the same as if it did not exist.
    pub fn unknown_run(id: &str) -> Problem {
        let id: String = id.chars().take(128).collect();
        Problem::new(Code::UnknownRun, format!("there is no run `{id}` in this namespace"))
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if status == StatusCode::UNAUTHORIZED {
            let challenge = HeaderValue::from_static("Bearer realm=\"stepwell\"");
            headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        if status == StatusCode::SERVICE_UNAVAILABLE || status == StatusCode::TOO_MANY_REQUESTS {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}
