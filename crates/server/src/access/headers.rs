//! Keeps other sites' pages out.
//!
//! A server on loopback needs no token, so a page that a developer happens to have open must not be able to use it:
//! its requests carry an `Origin` of their own, or a `Host` that was made to point here.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::problem::{Code, Problem};

/// Refuses what a page of another site sends, and says in every answer how a browser is to treat it.
pub async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    // Webhooks come from anywhere, by whatever name the server has there: their address is the permission.
    let checked = match request.uri().path().starts_with("/webhooks/") {
        true => Ok(()),
        false => check(&app, request.headers()),
    };
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn check(app: &App, headers: &HeaderMap) -> Result<(), Problem> {
    let host = text(headers, &header::HOST);
    if !app.gate.is_token_needed() && !host.is_none_or(|host| may_be_host(app, host)) {
        let detail =
            "without a token the server only answers to names of this machine (access.hosts)";
        return Err(Problem::new(Code::OriginForbidden, detail));
    }
    let Some(origin) = text(headers, &header::ORIGIN) else { return Ok(()) };
    let is_own =
        host.is_some_and(|host| origin.split_once("://").is_some_and(|(_, of)| of == host));
    let is_allowed =
        app.config.access.origins.iter().any(|allowed| allowed == "*" || allowed == origin);
    if is_own || is_allowed {
        return Ok(());
    }
    let detail = "pages of other sites may not use this server (access.origins)";
    Err(Problem::new(Code::OriginForbidden, detail))
}

fn may_be_host(app: &App, host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_matches(['[', ']']);
    let is_loopback = name.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback());
    is_loopback
        || name.eq_ignore_ascii_case("localhost")
        || name.to_ascii_lowercase().ends_with(".localhost")
        || app.config.access.hosts.iter().any(|host| host.eq_ignore_ascii_case(name))
}

fn text<'h>(headers: &'h HeaderMap, name: &header::HeaderName) -> Option<&'h str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("(not text)"))
}
