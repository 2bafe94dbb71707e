//! `http_step`: a request as a step.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use stepwell_script::js::{
    AllowedHosts, FetchError, FetchHost, FetchRequest, FetchResponse, Redirect, WebFetch,
    WebOptions,
};

use super::StepCx;
use super::functions::{IntoStep, StepDef, StepExt, Work};
use crate::error::{Growth, StepError};

/// How many attempts a request gets that failed for a reason that may pass.
const HTTP_ATTEMPTS: u32 = 3;

type Made<T> = Arc<dyn Fn(&StepCx) -> Result<T, StepError> + Send + Sync>;

/// A request. 2xx is success, and JSON is parsed; other answers fail the step. 5xx and connections that fail are tried
/// again, three times in all unless said otherwise.
#[derive(Clone)]
pub struct HttpStep {
    method: String,
    about: String,
    url: Made<String>,
    headers: Vec<(String, String)>,
    body: Option<Made<Value>>,
    timeout: Option<Duration>,
    retry_on: Vec<u16>,
    attempts_max: u32,
    fetch: Option<Arc<dyn FetchHost>>,
}

impl HttpStep {
    pub fn new(method: &str, url: &str) -> HttpStep {
        let fixed = url.to_owned();
        HttpStep {
            method: method.to_ascii_uppercase(),
            about: url.to_owned(),
            url: Arc::new(move |_| Ok(fixed.clone())),
            headers: Vec::new(),
            body: None,
            timeout: None,
            retry_on: Vec::new(),
            attempts_max: HTTP_ATTEMPTS,
            fetch: None,
        }
    }

    pub fn get(url: &str) -> HttpStep {
        HttpStep::new("GET", url)
    }

    pub fn post(url: &str) -> HttpStep {
        HttpStep::new("POST", url)
    }

    /// A URL that depends on the run.
    #[must_use]
    pub fn url(
        mut self,
        url: impl Fn(&StepCx) -> Result<String, StepError> + Send + Sync + 'static,
    ) -> HttpStep {
        self.url = Arc::new(url);
        self
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> HttpStep {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A JSON body.
    #[must_use]
    pub fn body(
        mut self,
        body: impl Fn(&StepCx) -> Result<Value, StepError> + Send + Sync + 'static,
    ) -> HttpStep {
        self.body = Some(Arc::new(body));
        self
    }

    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> HttpStep {
        self.timeout = Some(timeout);
        self
    }

    /// Statuses that are tried again, beside 5xx.
    #[must_use]
    pub fn retry_on(mut self, statuses: &[u16]) -> HttpStep {
        self.retry_on = statuses.to_vec();
        self
    }

    /// How many attempts there may be in all.
    #[must_use]
    pub fn attempts(mut self, n: u32) -> HttpStep {
        self.attempts_max = n;
        self
    }

    /// Who makes the request; by default it may go anywhere.
    #[must_use]
    pub fn fetch(mut self, fetch: Arc<dyn FetchHost>) -> HttpStep {
        self.fetch = Some(fetch);
        self
    }

    async fn send(self, cx: StepCx) -> Result<Value, StepError> {
        let url = (self.url)(&cx)?;
        let mut headers = self.headers.clone();
        let has = |headers: &[(String, String)], name: &str| {
            headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
        };
        let body = self.body.as_ref().map(|body| body(&cx)).transpose()?;
        let added = [
            ("content-type", body.as_ref().map(|_| "application/json".to_owned())),
            ("traceparent", Some(cx.traceparent())),
            ("idempotency-key", Some(cx.idempotency_key())),
        ];
        for (name, value) in added {
            if let Some(value) = value.filter(|_| !has(&headers, name)) {
                headers.push((name.to_owned(), value));
            }
        }
        let request = FetchRequest {
            method: self.method.clone(),
            url: url.clone(),
            headers,
            body: body.map(|body| Bytes::from(body.to_string())),
            redirect: Redirect::Follow,
        };
        let fetch = match &self.fetch {
            Some(fetch) => fetch.clone(),
            None => anywhere()?,
        };
        let retry = |message: String| {
            StepError::retry(message).max_attempts(self.attempts_max).backoff(Growth::Exponential)
        };
        let response = fetch.fetch(request).await.map_err(|error| retry(error.to_string()))?;
        cx.set_state("httpStatus", &response.status)?;
        let status = response.status;
        let what = format!("{} {url} answered {status} {}", self.method, response.status_text);
        match status {
            200..=299 => Ok(content(&response)),
            500..=599 => Err(with_body(retry(what), &response)),
            _ if self.retry_on.contains(&status) => Err(with_body(retry(what), &response)),
            _ => Err(with_body(StepError::stop(what), &response)),
        }
    }
}

/// A request as a step.
pub fn http_step(name: &str, request: HttpStep) -> StepDef {
    let about = format!("{} {}", request.method, request.about);
    let timeout = request.timeout;
    let call = move |cx: StepCx| request.clone().send(cx);
    let mut step = call.into_step().named(name);
    if let Work::Function { about: known, .. } = &mut step.work {
        *known = Some(about);
    }
    match timeout {
        Some(timeout) => step.timeout(timeout),
        None => step,
    }
}

fn content(response: &FetchResponse) -> Value {
    let is_json = response.headers.iter().any(|(name, value)| {
        name.eq_ignore_ascii_case("content-type") && value.to_ascii_lowercase().contains("json")
    });
    let parsed = is_json.then(|| serde_json::from_slice(&response.body).ok()).flatten();
    parsed.unwrap_or_else(|| Value::String(String::from_utf8_lossy(&response.body).into_owned()))
}

fn with_body(error: StepError, response: &FetchResponse) -> StepError {
    let text = String::from_utf8_lossy(&response.body);
    let start: String = text.chars().take(1_000).collect();
    error.property("status", json!(response.status)).property("body", json!(start))
}

fn anywhere() -> Result<Arc<dyn FetchHost>, StepError> {
    static WEB: OnceLock<Result<WebFetch, FetchError>> = OnceLock::new();
    let web = WEB.get_or_init(|| WebFetch::new(WebOptions::new(AllowedHosts::Any)));
    web.clone().map(|web| Arc::new(web) as Arc<dyn FetchHost>).map_err(StepError::from)
}
