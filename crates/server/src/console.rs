//! The web console, carried in the binary.
//!
//! `make console` builds it into `console/dist`; whatever is there when this crate is compiled is served at `/`. Builds
//! for development read the folder at run time instead, so a new console needs no new server. Without a build there is
//! a page that says how to make one: nobody needs Node to work on the server.

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::problem::{Code, Problem};

#[derive(RustEmbed)]
#[folder = "../../console/dist"]
#[allow_missing = true]
struct Dist;

const INDEX: &str = "index.html";
const NOT_BUILT: &str = include_str!("../assets/no-console.html");

/// Scripts only from here, and nothing from elsewhere. Styles may stand in the page: the code editor and the graph
/// write theirs as they go.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; \
    base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Names under this folder hold a hash of their content, so they never change.
const HASHED: &str = "assets/";

/// What begins like this is for programs, and never a page of the console.
const NOT_PAGES: [&str; 5] = ["api", "health", "metrics", "webhooks", "mcp"];

/// Answers what no route knows: a file of the console, or the page that draws itself by its address.
pub async fn serve(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().trim_start_matches('/');
    let is_read = method == Method::GET || method == Method::HEAD;
    let first = path.split('/').next().unwrap_or_default();
    if !is_read || NOT_PAGES.contains(&first) {
        return unknown(&uri);
    }
    if path.is_empty() || path == INDEX {
        return page(&headers);
    }
    match Dist::get(path) {
        Some(file) if !path.ends_with(".gz") => answer(path, file, &headers),
        _ if asks_for_page(&headers) => page(&headers),
        _ => unknown(&uri),
    }
}

fn unknown(uri: &Uri) -> Response {
    let path = crate::extract::short(uri.path());
    Problem::new(Code::UnknownRoute, format!("there is nothing at `{path}`: see /api/docs"))
        .into_response()
}

fn page(headers: &HeaderMap) -> Response {
    match Dist::get(INDEX) {
        Some(file) => answer(INDEX, file, headers),
        None => {
            let policy = [(
                header::CONTENT_SECURITY_POLICY,
                "default-src 'none'; style-src 'unsafe-inline'",
            )];
            (policy, Html(NOT_BUILT)).into_response()
        }
    }
}

/// A browser that follows a link; scripts, pictures and programs ask for something else.
fn asks_for_page(headers: &HeaderMap) -> bool {
    holds(headers, &header::ACCEPT, "text/html")
}

fn answer(path: &str, file: EmbeddedFile, headers: &HeaderMap) -> Response {
    let packed = match holds(headers, &header::ACCEPT_ENCODING, "gzip") {
        true => Dist::get(&format!("{path}.gz")),
        false => None,
    };
    let is_packed = packed.is_some();
    // Two forms of one file are two things to a cache.
    let tag =
        format!("\"{}{}\"", hex(&file.metadata.sha256_hash()), if is_packed { "-gz" } else { "" });
    let is_known = holds(headers, &header::IF_NONE_MATCH, &tag);
    let mut response = if is_known {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        packed.unwrap_or(file).data.into_owned().into_response()
    };
    let cached = match path.starts_with(HASHED) {
        true => "public, max-age=31536000, immutable",
        false => "no-cache",
    };
    let sent = response.headers_mut();
    sent.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type(path)));
    sent.insert(header::CACHE_CONTROL, HeaderValue::from_static(cached));
    sent.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    sent.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    if is_packed {
        sent.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        sent.insert(header::ETAG, tag);
    }
    response
}

fn holds(headers: &HeaderMap, name: &header::HeaderName, wanted: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    let mut parts = values.flat_map(|value| value.split(','));
    parts.any(|part| part.split(';').next().unwrap_or_default().trim() == wanted)
}

/// The kinds of file that a build of the console has.
fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn hex(bytes: &[u8]) -> String {
    // Half of the hash is enough to tell two builds apart.
    bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
