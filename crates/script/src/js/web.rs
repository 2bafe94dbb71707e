//! Requests over the real network, to hosts that are allowed, within bounds.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Response, Url, redirect};

use super::fetch::{FetchError, FetchHost, FetchRequest, FetchResponse, Redirect};

const REDIRECTS_MAX: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebOptions {
    pub allowed: AllowedHosts,
    /// From the request to the last byte of the answer.
    pub time: Duration,
    pub response_bytes_max: usize,
    pub request_bytes_max: usize,
}

impl WebOptions {
    /// 30 s, 8 MB each way.
    pub fn new(allowed: AllowedHosts) -> WebOptions {
        let bytes_max = 8 << 20;
        WebOptions {
            allowed,
            time: Duration::from_secs(30),
            response_bytes_max: bytes_max,
            request_bytes_max: bytes_max,
        }
    }
}

/// Where requests may go, redirects included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedHosts {
    Any,
    /// `api.example.com`, `localhost:8080` (that port only) or `*.example.com` (hosts below, not
    /// `example.com` itself).
    Only(Vec<String>),
}

impl AllowedHosts {
    pub fn allows(&self, url: &Url) -> bool {
        let AllowedHosts::Only(hosts) = self else { return true };
        let Some(host) = url.host_str() else { return false };
        let port = url.port_or_known_default();
        hosts.iter().any(|allowed| {
            let allowed = allowed.to_ascii_lowercase();
            let (name, wanted_port) = split_port(&allowed);
            let is_host = match name.strip_prefix("*.") {
                Some(domain) => host.strip_suffix(domain).is_some_and(|sub| sub.ends_with('.')),
                None => host == name,
            };
            is_host && (wanted_port.is_none() || wanted_port == port)
        })
    }
}

/// An IPv6 address has colons of its own, inside of brackets.
fn split_port(host: &str) -> (&str, Option<u16>) {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => match port.parse() {
            Ok(port) => (name, Some(port)),
            Err(_) => (host, None),
        },
        _ => (host, None),
    }
}

/// Makes requests with reqwest. Connections are kept and shared by all calls that have the same one.
#[derive(Clone)]
pub struct WebFetch {
    options: Arc<WebOptions>,
    following: Client,
    /// Leaves redirects to whoever asked.
    staying: Client,
}

impl WebFetch {
    pub fn new(options: WebOptions) -> Result<WebFetch, FetchError> {
        // Whoever has a provider keeps it; where nobody chose one, TLS would not work at all.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let options = Arc::new(options);
        let allowed = options.clone();
        let policy = redirect::Policy::custom(move |attempt| {
            if attempt.previous().len() > REDIRECTS_MAX {
                return attempt.error(format!("more than {REDIRECTS_MAX} redirects"));
            }
            if let Err(FetchError(reason)) = check_url(&allowed.allowed, attempt.url()) {
                return attempt.error(reason);
            }
            attempt.follow()
        });
        let build = |policy| {
            let builder = Client::builder().redirect(policy).timeout(options.time);
            builder.user_agent("stepwell").build().map_err(|error| FetchError(chain(&error)))
        };
        let (following, staying) = (build(policy)?, build(redirect::Policy::none())?);
        Ok(WebFetch { options, following, staying })
    }

    async fn send(&self, request: FetchRequest) -> Result<FetchResponse, FetchError> {
        let FetchRequest { method, url, headers, body, redirect } = request;
        let asked = Url::parse(&url).map_err(|error| FetchError(format!("{url}: {error}")))?;
        check_url(&self.options.allowed, &asked)?;
        let body = body.unwrap_or_default();
        let bytes_max = self.options.request_bytes_max;
        if body.len() > bytes_max {
            return Err(FetchError(format!("the body has more than {bytes_max} bytes")));
        }
        let method = Method::from_bytes(method.as_bytes())
            .map_err(|_| FetchError(format!("{method} is no HTTP method")))?;
        let client = if redirect == Redirect::Follow { &self.following } else { &self.staying };
        let request =
            client.request(method, asked.clone()).headers(header_map(&headers)?).body(body);
        let response = request.send().await.map_err(|error| FetchError(chain(&error)))?;
        let status = response.status();
        if redirect == Redirect::Error && status.is_redirection() {
            return Err(FetchError(format!("{asked} redirects")));
        }
        let head = FetchResponse {
            status: status.as_u16(),
            status_text: status.canonical_reason().unwrap_or_default().to_owned(),
            url: response.url().to_string(),
            redirected: *response.url() != asked,
            headers: header_pairs(response.headers()),
            body: Bytes::new(),
        };
        let body = body_of(response, self.options.response_bytes_max).await?;
        Ok(FetchResponse { body, ..head })
    }
}

#[async_trait]
impl FetchHost for WebFetch {
    async fn fetch(&self, request: FetchRequest) -> Result<FetchResponse, FetchError> {
        self.send(request).await
    }
}

fn check_url(allowed: &AllowedHosts, url: &Url) -> Result<(), FetchError> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(FetchError(format!("{}: is neither http nor https", url.scheme())));
    }
    if !allowed.allows(url) {
        let host = url.host_str().unwrap_or_default();
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        return Err(FetchError(format!("{host}{port} is not among the allowed hosts")));
    }
    Ok(())
}

fn header_map(headers: &[(String, String)]) -> Result<HeaderMap, FetchError> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let bad = || FetchError(format!("the header {name} cannot be sent"));
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad())?;
        map.append(header, HeaderValue::from_str(value).map_err(|_| bad())?);
    }
    Ok(map)
}

fn header_pairs(headers: &HeaderMap) -> Vec<(String, String)> {
    let pairs = headers.iter();
    pairs
        .map(|(name, value)| {
            (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        })
        .collect()
}

async fn body_of(mut response: Response, bytes_max: usize) -> Result<Bytes, FetchError> {
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| FetchError(chain(&error)))? {
        if body.len() + chunk.len() > bytes_max {
            return Err(FetchError(format!("the answer has more than {bytes_max} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

/// The error and what caused it, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_allowed_by_name_port_and_domain() {
        let hosts = ["api.example.com", "localhost:8080", "*.acme.org", "[::1]"];
        let allowed = AllowedHosts::Only(hosts.map(str::to_owned).into());
        let allows = |url: &str| allowed.allows(&Url::parse(url).unwrap());
        for url in [
            "https://api.example.com/x",
            "http://API.EXAMPLE.COM:9999",
            "http://localhost:8080",
            "https://a.acme.org",
            "https://a.b.acme.org",
            "http://[::1]:7777/",
        ] {
            assert!(allows(url), "{url}");
        }
        for url in [
            "https://example.com",
            "https://api.example.com.evil.net",
            "http://localhost",
            "http://localhost:8081",
            "https://acme.org",
            "https://evilacme.org",
            "https://user@evil.net/api.example.com",
        ] {
            assert!(!allows(url), "{url}");
        }
        assert!(AllowedHosts::Any.allows(&Url::parse("http://anything").unwrap()));
    }
}
