//! What a service's response means: outputs, an error that passes, or one that lasts.

use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::{Response, StatusCode, Url};
use serde_json::Value;

use crate::host::WorkError;
use crate::limits::BACKOFF_MS_MAX;

/// The longest text of a service that goes into an error, in characters.
const TEXT_CHARS_MAX: usize = 500;

/// The most of an error's body that is read, in bytes.
const ERROR_BYTES_MAX: usize = 64 * 1024;

/// A URL for errors: without its query, which may hold what nobody else should see.
pub(super) fn short(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.to_string()
}

pub(super) fn unreachable(url: &Url, error: &reqwest::Error) -> WorkError {
    let mut text = format!("{} cannot be reached", short(url));
    // reqwest's own text repeats the URL, with its query.
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    if error.is_builder() { WorkError::lasting(text) } else { WorkError::passing(text) }
}

pub(super) async fn read(
    url: &Url,
    response: Response,
    bytes_max: usize,
) -> Result<Value, WorkError> {
    let status = response.status();
    if !status.is_success() {
        return Err(refused(url, response).await);
    }
    let Some(body) = body(url, response, bytes_max).await? else {
        return Err(WorkError::lasting(format!(
            "the response of {} has more than {bytes_max} bytes (flows.response_bytes_max)",
            short(url)
        )));
    };
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(Value::Null);
    }
    serde_json::from_slice(&body).map_err(|error| {
        WorkError::lasting(format!("the response of {} is no JSON: {error}", short(url)))
    })
}

/// The body; none if it is too large.
async fn body(
    url: &Url,
    mut response: Response,
    bytes_max: usize,
) -> Result<Option<Vec<u8>>, WorkError> {
    if response.content_length().is_some_and(|length| length > bytes_max as u64) {
        return Ok(None);
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| unreachable(url, &error))? {
        if body.len() + chunk.len() > bytes_max {
            return Ok(None);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Some(body))
}

async fn refused(url: &Url, response: Response) -> WorkError {
    let status = response.status();
    let headers = response.headers().clone();
    // What the service says of it is welcome, and not needed.
    let body = body(url, response, ERROR_BYTES_MAX).await.ok().flatten().unwrap_or_default();
    let said = said(&headers, &body);
    let mut message = format!("HTTP {} from {}", status.as_u16(), short(url));
    if status.is_redirection() {
        message.push_str(": redirects are not followed, give the step the final URL");
    }
    if !said.is_empty() {
        message.push_str(": ");
        message.push_str(&said);
    }
    if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
        WorkError { retry_after_ms: retry_after(&headers), ..WorkError::passing(message) }
    } else {
        WorkError::lasting(message)
    }
}

fn said(headers: &HeaderMap, body: &[u8]) -> String {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let text = match serde_json::from_slice::<Value>(body) {
        Ok(problem) if kind.contains("json") => problem_text(&problem),
        _ if kind.starts_with("text/plain") => String::from_utf8_lossy(body).trim().to_owned(),
        _ => String::new(),
    };
    cut(&text)
}

/// What a problem document (RFC 9457) says.
pub(crate) fn problem_text(problem: &Value) -> String {
    let parts = ["title", "detail"].into_iter().filter_map(|name| problem[name].as_str());
    let text = parts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(": ");
    if !text.is_empty() {
        return cut(&text);
    }
    let other = ["type", "error", "message"].into_iter().find_map(|name| problem[name].as_str());
    cut(other.unwrap_or_default())
}

fn cut(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(TEXT_CHARS_MAX).collect()
}

/// How long the service asks to wait, in seconds or until a date.
fn retry_after(headers: &HeaderMap) -> Option<u64> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    let ms = match text.parse::<u64>() {
        Ok(seconds) => seconds.saturating_mul(1_000),
        Err(_) => {
            let date = jiff::fmt::rfc2822::parse(text).ok()?.timestamp().as_millisecond();
            u64::try_from(date - super::sign::now_ms()).unwrap_or(0)
        }
    };
    Some(ms.min(BACKOFF_MS_MAX))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn asks(text: &str) -> Option<u64> {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, text.parse().unwrap());
        retry_after(&headers)
    }

    #[test]
    fn services_say_how_long_to_wait_in_seconds_or_by_date() {
        assert_eq!(asks("3"), Some(3_000));
        assert_eq!(asks("99999999999"), Some(BACKOFF_MS_MAX));
        assert_eq!(asks("Sun, 06 Nov 1994 08:49:37 GMT"), Some(0));
        assert_eq!(asks("Thu, 31 Dec 9998 23:59:59 GMT"), Some(BACKOFF_MS_MAX));
        assert_eq!(asks("soon"), None);
    }

    #[test]
    fn problem_documents_say_what_went_wrong() {
        let problem = json!({"type": "about:blank", "title": "No money", "detail": "only 3 left"});
        assert_eq!(problem_text(&problem), "No money: only 3 left");
        assert_eq!(problem_text(&json!({"type": "https://x/no-money"})), "https://x/no-money");
        assert_eq!(problem_text(&json!({"message": "m"})), "m");
        assert_eq!(problem_text(&json!([1])), "");
    }
}
