//! Services over HTTP: requests as steps describe them, and what their answers mean.
//!
//! This is the one module of the crate that does I/O, and it does so only inside of step bodies.

mod answer;
mod request;
mod sign;

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url, redirect};
use serde_json::Value;
use stepwell_kernel::LocalBoxFuture;
use stepwell_script::js::AllowedHosts;
use tokio::runtime::Handle;

use crate::catalog::Health;
use crate::host::{ServiceCall, Services, WorkError};

pub(crate) use answer::problem_text;
pub(crate) use request::{Compensation, filled_request};
pub use sign::{BadSecret, Secret};

/// The largest response, unless said otherwise: what a run may record as one value.
pub const RESPONSE_BYTES_MAX: usize = 4 * 1024 * 1024;

/// How long a service may take to say that it is well.
pub const PROBE_MS_MAX: u64 = 5_000;

/// How long connections are kept that nobody uses.
const IDLE: Duration = Duration::from_secs(30);

#[derive(Debug, Clone)]
pub struct HttpOptions {
    pub allowed: AllowedHosts,
    pub response_bytes_max: usize,
    /// What requests are signed with, by name.
    pub secrets: BTreeMap<String, Secret>,
}

impl Default for HttpOptions {
    fn default() -> HttpOptions {
        HttpOptions {
            allowed: AllowedHosts::Any,
            response_bytes_max: RESPONSE_BYTES_MAX,
            secrets: BTreeMap::new(),
        }
    }
}

/// Calls services with reqwest. Connections are kept and shared by all flows.
///
/// Requests are made on the runtime that it was made on, and not on the threads that run flows: those end with their
/// engine, and may be busy.
#[derive(Clone)]
pub struct HttpServices {
    client: Client,
    runtime: Handle,
    options: std::sync::Arc<HttpOptions>,
}

impl HttpServices {
    /// Must be called inside of a tokio runtime. Fails if the system gives no TLS roots.
    pub fn new(options: HttpOptions) -> Result<HttpServices, reqwest::Error> {
        // Whoever has a provider keeps it; where nobody chose one, TLS would not work at all.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            // A redirect could lead to hosts that are not allowed, and would drop the body.
            .redirect(redirect::Policy::none())
            .pool_idle_timeout(IDLE)
            .user_agent("stepwell")
            .build()?;
        Ok(HttpServices { client, runtime: Handle::current(), options: options.into() })
    }

    /// Asks a service whether it is well.
    pub async fn probe(&self, url: &str) -> Health {
        let probed = self.on_runtime(self.clone().ask(url.to_owned())).await;
        match probed {
            Ok(()) => Health::healthy(),
            Err(error) => Health::unhealthy(error.message),
        }
    }

    async fn ask(self, url: String) -> Result<(), WorkError> {
        let url = self.allowed(&url)?;
        let limit = Duration::from_millis(PROBE_MS_MAX);
        let request = self.client.get(url.clone()).timeout(limit);
        let response = request.send().await.map_err(|error| answer::unreachable(&url, &error))?;
        match response.status() {
            status if status.is_success() => Ok(()),
            status => Err(WorkError::passing(format!("{} from {}", status, answer::short(&url)))),
        }
    }

    fn allowed(&self, url: &str) -> Result<Url, WorkError> {
        let url = Url::parse(url)
            .map_err(|error| WorkError::lasting(format!("`{url}` is no URL: {error}")))?;
        if self.options.allowed.allows(&url) {
            return Ok(url);
        }
        let host = url.host_str().unwrap_or_default();
        Err(WorkError::lasting(format!(
            "`{host}` is not among the hosts that flows may call (flows.allowed_hosts)"
        )))
    }

    async fn request(self, call: ServiceCall) -> Result<Value, WorkError> {
        let url = self.allowed(&call.url)?;
        let body = call.body.as_ref().map(Value::to_string).unwrap_or_default();
        let headers = self.headers(&call, &body)?;
        let method = reqwest::Method::from_bytes(call.method.as_str().as_bytes())
            .map_err(|error| WorkError::lasting(error.to_string()))?;
        let mut request = self.client.request(method, url.clone()).headers(headers);
        if call.body.is_some() {
            request = request.header("content-type", "application/json").body(body);
        }
        let response = request.send().await.map_err(|error| answer::unreachable(&url, &error))?;
        answer::read(&url, response, self.options.response_bytes_max).await
    }

    fn headers(&self, call: &ServiceCall, body: &str) -> Result<HeaderMap, WorkError> {
        let token = call.token.to_string();
        let mut headers = HeaderMap::new();
        let mut put = |name: &'static str, value: &str| match HeaderValue::from_str(value) {
            Ok(value) => {
                headers.insert(HeaderName::from_static(name), value);
                Ok(())
            }
            Err(error) => Err(WorkError::lasting(format!("header {name}: {error}"))),
        };
        put("accept", "application/json, application/problem+json")?;
        put("idempotency-key", &token)?;
        put("stepwell-run", &call.run.to_string())?;
        put("stepwell-step", &call.step)?;
        put("stepwell-attempt", &call.attempt.to_string())?;
        if let Some(url) = &call.webhook_url {
            put("stepwell-webhook-url", url)?;
        }
        if let Some(traceparent) = &call.traceparent {
            put("traceparent", traceparent)?;
        }
        if let Some(name) = &call.secret {
            let Some(secret) = self.options.secrets.get(name) else {
                return Err(WorkError::lasting(format!(
                    "there is no secret `{name}`: set flows.secrets.{name}"
                )));
            };
            let signature = secret.sign(&token, body);
            put("webhook-id", &token)?;
            put("webhook-timestamp", &signature.timestamp)?;
            put("webhook-signature", &signature.signature)?;
        }
        Ok(headers)
    }

    /// Runs a request elsewhere; dropping the future ends it there.
    async fn on_runtime<T: Send + 'static>(
        &self,
        request: impl Future<Output = Result<T, WorkError>> + Send + 'static,
    ) -> Result<T, WorkError> {
        let mut task = AbortOnDrop(self.runtime.spawn(request));
        let ended = (&mut task.0).await;
        ended.unwrap_or_else(|error| Err(WorkError::passing(format!("the call ended: {error}"))))
    }
}

impl Services for HttpServices {
    fn call(&self, call: ServiceCall) -> LocalBoxFuture<'static, Result<Value, WorkError>> {
        let services = self.clone();
        Box::pin(async move {
            let request = services.clone().request(call);
            services.on_runtime(request).await
        })
    }
}

struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
