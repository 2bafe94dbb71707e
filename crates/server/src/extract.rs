//! Requests, read strictly: what is unknown, doubled or misplaced is refused with its name.

use std::str::FromStr;

use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use serde::de::DeserializeOwned;

use crate::api::Timestamp;
use crate::app::App;
use crate::problem::{Code, Problem};

/// The largest page that a list gives.
pub const PAGE_MAX: usize = 1_000;

/// A body of JSON.
pub struct JsonBody<T>(pub T);

/// A body of JSON that somebody else parses.
pub struct RawJson(pub Bytes);

/// The same where the whole body may be left out.
pub struct OptionalBody<T>(pub T);

/// The query of a request, name by name.
pub struct Params {
    pairs: Vec<(String, String)>,
}

impl<T: DeserializeOwned> FromRequest<App> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<JsonBody<T>, Problem> {
        let (parts, body) = request.into_parts();
        let bytes = read(&parts.headers, body, app).await?;
        parse(&bytes, app.config.limits.json_depth_max).map(JsonBody)
    }
}

impl FromRequest<App> for RawJson {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<RawJson, Problem> {
        let (parts, body) = request.into_parts();
        read(&parts.headers, body, app).await.map(RawJson)
    }
}

impl<T: DeserializeOwned + Default> FromRequest<App> for OptionalBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<OptionalBody<T>, Problem> {
        let (mut parts, body) = request.into_parts();
        let has_type = parts.headers.contains_key(header::CONTENT_TYPE);
        if !has_type {
            // Only a body that is not there may be undeclared; `read` would refuse it.
            let json = axum::http::HeaderValue::from_static("application/json");
            parts.headers.insert(header::CONTENT_TYPE, json);
        }
        let bytes = read(&parts.headers, body, app).await?;
        if bytes.is_empty() {
            return Ok(OptionalBody(T::default()));
        }
        if !has_type {
            return Err(undeclared("nothing"));
        }
        parse(&bytes, app.config.limits.json_depth_max).map(OptionalBody)
    }
}

async fn read(headers: &HeaderMap, body: Body, app: &App) -> Result<Bytes, Problem> {
    let declared = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = declared.unwrap_or("nothing").split(';').next().unwrap_or_default().trim();
    let is_json = media_type.eq_ignore_ascii_case("application/json")
        || media_type.to_ascii_lowercase().ends_with("+json");
    if !is_json {
        return Err(undeclared(media_type));
    }
    let bytes_max = app.config.limits.body_bytes_max;
    to_bytes(body, bytes_max).await.map_err(|error| {
        // The limit is the only error that has a cause of this kind.
        let is_limit = std::error::Error::source(&error)
            .is_some_and(|cause| cause.to_string().contains("length limit"));
        if is_limit {
            let detail =
                format!("the body has more than {bytes_max} bytes (limits.body_bytes_max)");
            Problem::new(Code::BodyTooLarge, detail)
        } else {
            Problem::new(Code::InvalidRequest, "the body ended before it was complete")
        }
    })
}

fn undeclared(media_type: &str) -> Problem {
    let detail =
        format!("the body is declared as {media_type}: send Content-Type: application/json");
    Problem::new(Code::UnsupportedMediaType, detail)
}

/// Parses one JSON object.
pub fn parse<T: DeserializeOwned>(bytes: &[u8], depth_max: usize) -> Result<T, Problem> {
    if depth(bytes) > depth_max {
        let detail =
            format!("arrays and objects lie more than {depth_max} deep (limits.json_depth_max)");
        return Err(Problem::new(Code::NestedTooDeep, detail));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    if let Some(first) = bytes.iter().find(|byte| !byte.is_ascii_whitespace())
        && *first != b'{'
    {
        // A struct could be read from an array, too.
        serde_json::from_slice::<serde::de::IgnoredAny>(bytes).map_err(|error| not_json(&error))?;
        return Err(Problem::new(Code::InvalidRequest, "the body must be a JSON object"));
    }
    let parsed = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let error = error.into_inner();
        if error.is_data() {
            let message = without_place(&error.to_string());
            let path = if path == "." { String::new() } else { path };
            let detail =
                if path.is_empty() { message.clone() } else { format!("`{path}`: {message}") };
            return Problem::new(Code::InvalidRequest, detail).at(path, message);
        }
        not_json(&error)
    })?;
    deserializer.end().map_err(|error| not_json(&error))?;
    Ok(parsed)
}

fn not_json(error: &serde_json::Error) -> Problem {
    Problem::new(Code::InvalidJson, error.to_string())
}

/// The path says where; line and column of what is JSON help nobody.
fn without_place(message: &str) -> String {
    match message.rfind(" at line ") {
        Some(end) => message[..end].to_owned(),
        None => message.to_owned(),
    }
}

/// How deep brackets lie, strings left out. Right for JSON; for anything else the parser has the say.
fn depth(bytes: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_string, mut is_escaped) = (0_usize, 0, false, false);
    for byte in bytes {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

impl FromRequestParts<App> for Params {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Params, Problem> {
        let query = parts.uri.query().unwrap_or_default();
        Ok(Params { pairs: form_urlencoded::parse(query.as_bytes()).into_owned().collect() })
    }
}

impl Params {
    /// The query of a request that did not come as a URL.
    pub fn of(pairs: Vec<(String, String)>) -> Params {
        Params { pairs }
    }

    /// The value of a name that may be given once.
    pub fn take(&mut self, name: &str) -> Result<Option<String>, Problem> {
        let mut values = self.take_all(name);
        match values.len() {
            0 => Ok(None),
            1 => Ok(values.pop()),
            n => {
                Err(Problem::field(name, format!("it was given {n} times, and can be given once")))
            }
        }
    }

    /// All values of a name.
    pub fn take_all(&mut self, name: &str) -> Vec<String> {
        let (taken, left) = self.pairs.drain(..).partition(|(key, _)| key == name);
        self.pairs = left;
        let taken: Vec<(String, String)> = taken;
        taken.into_iter().map(|(_, value)| value).collect()
    }

    /// All names that begin with this, without it, and their values.
    pub fn take_prefixed(&mut self, prefix: &str) -> Vec<(String, String)> {
        let (taken, left): (Vec<_>, Vec<_>) =
            self.pairs.drain(..).partition(|(key, _)| key.starts_with(prefix));
        self.pairs = left;
        taken.into_iter().map(|(key, value)| (key[prefix.len()..].to_owned(), value)).collect()
    }

    pub fn take_number<N: FromStr>(&mut self, name: &str) -> Result<Option<N>, Problem> {
        let Some(text) = self.take(name)? else { return Ok(None) };
        match text.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => {
                Err(Problem::field(name, format!("`{}` is not a number that fits", short(&text))))
            }
        }
    }

    pub fn take_date(&mut self, name: &str) -> Result<Option<Timestamp>, Problem> {
        let Some(text) = self.take(name)? else { return Ok(None) };
        Timestamp::parse(&text).map(Some).map_err(|message| Problem::field(name, message))
    }

    /// One of the words, or none.
    pub fn take_word<T: Copy>(
        &mut self,
        name: &str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, Problem> {
        match self.take(name)? {
            Some(text) => word(name, &text, words).map(Some),
            None => Ok(None),
        }
    }

    /// How many rows a page is to have.
    pub fn take_limit(&mut self, usual: usize) -> Result<usize, Problem> {
        match self.take_number::<usize>("limit")? {
            None => Ok(usual),
            Some(limit) if (1..=PAGE_MAX).contains(&limit) => Ok(limit),
            Some(limit) => {
                Err(Problem::field("limit", format!("{limit} is not between 1 and {PAGE_MAX}")))
            }
        }
    }

    /// Refuses what nobody asked for. Names the ones that are known.
    pub fn finish(self, known: &[&str]) -> Result<(), Problem> {
        let mut problem: Option<Problem> = None;
        for (name, _) in self.pairs {
            let name = short(&name);
            let message = if known.is_empty() {
                "it is not known: this takes no parameters".to_owned()
            } else {
                format!("it is not known: there are {}", known.join(", "))
            };
            problem = Some(match problem {
                None => Problem::field(&name, message),
                Some(problem) => problem.at(name, message),
            });
        }
        problem.map_or(Ok(()), Err)
    }
}

/// One of some words.
pub fn word<T: Copy>(name: &str, text: &str, words: &[(&str, T)]) -> Result<T, Problem> {
    match words.iter().find(|(word, _)| *word == text) {
        Some((_, value)) => Ok(*value),
        None => {
            let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let message = format!("`{}` is none of {}", short(text), known.join(", "));
            Err(Problem::field(name, message))
        }
    }
}

/// What callers sent, cut before it goes into an answer.
pub fn short(text: &str) -> String {
    let cut: String = text.chars().filter(|c| !c.is_control()).take(64).collect();
    if cut.len() < text.len() { format!("{cut}…") } else { cut }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wish {
        #[expect(dead_code, reason = "only its type matters")]
        n: u32,
    }

    fn problem_of(text: &str) -> Problem {
        parse::<Wish>(text.as_bytes(), 8).unwrap_err()
    }

    #[test]
    fn wrong_bodies_are_told_what_and_where() {
        let cases = [
            (r#"{"n": "x"}"#, "invalid_request", "`n`: invalid type: string \"x\", expected u32"),
            (r#"{"m": 1}"#, "invalid_request", "`m`: unknown field `m`, expected `n`"),
            ("{}", "invalid_request", "missing field `n`"),
            ("[1]", "invalid_request", "the body must be a JSON object"),
            ("{", "invalid_json", "EOF while parsing an object at line 1 column 1"),
            ("", "invalid_json", "EOF while parsing a value at line 1 column 0"),
            (r#"{"n": 1} x"#, "invalid_json", "trailing characters at line 1 column 10"),
        ];
        for (text, code, detail) in cases {
            let problem = problem_of(text);
            assert_eq!((&*problem.code, problem.detail.as_str()), (code, detail), "{text}");
        }
        let deep = format!("{{\"n\": {}1{}}}", "[".repeat(8), "]".repeat(8));
        assert!(problem_of(&deep).is(Code::NestedTooDeep));
    }

    #[test]
    fn brackets_in_strings_are_not_deep() {
        assert_eq!(depth(br#"{"a": "[[[[\"[["}"#), 1);
        assert_eq!(depth(br#"[[{"a": []}]]"#), 4);
    }
}
