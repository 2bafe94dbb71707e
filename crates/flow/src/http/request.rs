//! Requests as a step describes them: placeholders, query, body.

use serde_json::{Map, Value, json};

use crate::host::WorkError;
use crate::step::{Http, Method, placeholders};

/// A request with everything filled in.
#[derive(Debug, PartialEq)]
pub(crate) struct Filled {
    pub url: String,
    pub body: Option<Value>,
}

/// What is told to whom when work is to be undone.
pub(crate) struct Compensation<'a> {
    pub url: &'a str,
    pub input: &'a Map<String, Value>,
    pub output: &'a Map<String, Value>,
}

/// The request of a work item. Inputs go into the placeholders; a body has all of them, and without a body those that
/// are in no placeholder go into the query.
pub(crate) fn filled_request(
    http: &Http,
    inputs: &Map<String, Value>,
) -> Result<Filled, WorkError> {
    let mut url = fill(&http.url, |name| inputs.get(name))?;
    if !matches!(http.method, Method::Get | Method::Delete) {
        return Ok(Filled { url, body: Some(Value::Object(inputs.clone())) });
    }
    let used = placeholders(&http.url).map_err(WorkError::lasting)?;
    for (name, value) in inputs.iter().filter(|(name, _)| !used.contains(&name.as_str())) {
        let text = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        url.push(if url.contains('?') { '&' } else { '?' });
        url.push_str(&encoded(name));
        url.push('=');
        url.push_str(&encoded(&text));
    }
    Ok(Filled { url, body: None })
}

impl Compensation<'_> {
    pub fn filled(&self) -> Result<Filled, WorkError> {
        let url = fill(self.url, |name| self.input.get(name).or_else(|| self.output.get(name)))?;
        Ok(Filled { url, body: Some(json!({ "input": self.input, "output": self.output })) })
    }
}

fn fill<'a>(pattern: &str, value: impl Fn(&str) -> Option<&'a Value>) -> Result<String, WorkError> {
    let mut url = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some((before, from)) = rest.split_once('{')
        && let Some((name, after)) = from.split_once('}')
    {
        url.push_str(before);
        let text = match value(name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::Bool(yes)) => yes.to_string(),
            Some(Value::Null) | None => return Err(unusable(name, "there is no value")),
            Some(Value::Array(_)) => return Err(unusable(name, "the value is a list")),
            Some(Value::Object(_)) => return Err(unusable(name, "the value is an object")),
        };
        // Encoded or not, these would lead to another path.
        if text == "." || text == ".." {
            return Err(unusable(name, "`.` and `..` are no names in a path"));
        }
        url.push_str(&encoded(&text));
        rest = after;
    }
    url.push_str(rest);
    Ok(url)
}

fn unusable(name: &str, why: &str) -> WorkError {
    WorkError::lasting(format!("`{{{name}}}` in the URL cannot be filled in: {why}"))
}

/// Percent-encodes all but the characters that stand for themselves everywhere (RFC 3986).
fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    fn http(method: Method, url: &str) -> Http {
        Http {
            url: url.to_owned(),
            method,
            timeout_ms: 1,
            webhook_timeout_ms: None,
            health_url: None,
            compensate_url: None,
            secret: None,
        }
    }

    fn inputs(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn inputs_go_into_the_path_and_the_body() {
        let http = http(Method::Post, "http://x/send/{to}/{n}?q={q}");
        let inputs = inputs(json!({"to": "a/b c?", "n": 3, "q": true, "more": [1]}));
        let filled = filled_request(&http, &inputs).unwrap();
        assert_eq!(filled.url, "http://x/send/a%2Fb%20c%3F/3?q=true");
        assert_eq!(filled.body, Some(Value::Object(inputs)));
    }

    #[test]
    fn without_a_body_the_other_inputs_go_into_the_query() {
        let http = http(Method::Get, "http://x/{id}?v=1");
        let inputs = inputs(json!({"id": 1, "tags": ["a", "b"], "who": "ü"}));
        let filled = filled_request(&http, &inputs).unwrap();
        assert_eq!(filled.url, "http://x/1?v=1&tags=%5B%22a%22%2C%22b%22%5D&who=%C3%BC");
        assert_eq!(filled.body, None);
    }

    #[test]
    fn values_that_would_lead_elsewhere_are_refused() {
        let http = http(Method::Post, "http://x/users/{id}/mail");
        for value in [json!(".."), json!("."), json!(null), json!([]), json!({})] {
            let error = filled_request(&http, &inputs(json!({ "id": value }))).unwrap_err();
            assert!(
                !error.may_retry && error.message.starts_with("`{id}` in the URL"),
                "{error:?}"
            );
        }
        let filled = filled_request(&http, &inputs(json!({"id": "../../admin"}))).unwrap();
        assert_eq!(filled.url, "http://x/users/..%2F..%2Fadmin/mail");
    }

    #[test]
    fn a_compensation_knows_input_and_output() {
        let (input, output) = (inputs(json!({"a": 1})), inputs(json!({"b": "x"})));
        let compensation =
            Compensation { url: "http://x/undo/{a}/{b}", input: &input, output: &output };
        let filled = compensation.filled().unwrap();
        assert_eq!(filled.url, "http://x/undo/1/x");
        assert_eq!(filled.body, Some(json!({"input": {"a": 1}, "output": {"b": "x"}})));
    }
}
