//! Who makes the HTTP requests of scripts.

use async_trait::async_trait;
use bytes::Bytes;
use serde::{Deserialize, Serialize};

/// Makes a request for a script, or refuses. Implementations bound time and size.
#[async_trait]
pub trait FetchHost: Send + Sync {
    async fn fetch(&self, request: FetchRequest) -> Result<FetchResponse, FetchError>;
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchRequest {
    pub method: String,
    /// Absolute.
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<Bytes>,
    pub redirect: Redirect,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Redirect {
    #[default]
    Follow,
    Error,
    /// The response that redirects is the result.
    Manual,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchResponse {
    pub status: u16,
    pub status_text: String,
    /// Where the response came from, after redirects.
    pub url: String,
    pub redirected: bool,
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
}

/// A sentence for the script's author. The script gets it as a `TypeError`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FetchError(pub String);

/// What `prelude/fetch.js` sends.
#[derive(Deserialize)]
pub(super) struct RequestHead {
    method: String,
    url: String,
    redirect: Redirect,
    headers: Vec<(String, String)>,
}

impl RequestHead {
    pub(super) fn into_request(self, body: Option<Bytes>) -> FetchRequest {
        let RequestHead { method, url, redirect, headers } = self;
        FetchRequest { method, url, headers, body, redirect }
    }
}

/// What `prelude/fetch.js` reads.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResponseHead<'a> {
    status: u16,
    status_text: &'a str,
    url: &'a str,
    redirected: bool,
    headers: &'a [(String, String)],
}

impl<'a> From<&'a FetchResponse> for ResponseHead<'a> {
    fn from(response: &'a FetchResponse) -> Self {
        let FetchResponse { status, status_text, url, redirected, headers, .. } = response;
        ResponseHead { status: *status, status_text, url, redirected: *redirected, headers }
    }
}
