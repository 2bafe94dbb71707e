//! Real HTTP: services on real sockets that answer well, badly, late, or not at all.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use parking_lot::Mutex;
use serde_json::{Value, json};
use stepwell_flow::{
    HealthStatus, HttpOptions, HttpServices, Method, Secret, ServiceCall, Services, WorkError,
};
use stepwell_journal::RunId;
use stepwell_script::js::AllowedHosts;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use uuid::Uuid;

/// What a service does with a request.
#[derive(Clone)]
enum Reply {
    /// Sends these bytes and closes.
    Raw(String),
    /// Closes without a word.
    Close,
    /// Keeps the connection and never answers.
    Hang,
}

#[derive(Debug, Clone)]
struct Request {
    line: String,
    headers: BTreeMap<String, String>,
    body: String,
}

struct Service {
    url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Service {
    async fn start(reply: Reply) -> Service {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let seen = requests.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(answer(stream, reply.clone(), seen.clone()));
            }
        });
        Service { url, requests }
    }
}

async fn answer(mut stream: TcpStream, reply: Reply, seen: Arc<Mutex<Vec<Request>>>) {
    let mut bytes = Vec::new();
    let request = loop {
        let mut chunk = [0; 4096];
        let Ok(n) = stream.read(&mut chunk).await else { return };
        if n == 0 {
            return;
        }
        bytes.extend_from_slice(&chunk[..n]);
        let text = String::from_utf8(bytes.clone()).unwrap();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let mut lines = head.lines();
        let line = lines.next().unwrap().to_owned();
        let headers: BTreeMap<String, String> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let length = headers.get("content-length").map_or(0, |it| it.parse().unwrap());
        if body.len() >= length {
            break Request { line, headers, body: body.to_owned() };
        }
    };
    seen.lock().push(request);
    match reply {
        Reply::Raw(text) => {
            // The client may have hung up: then there is nobody to tell.
            let _ = stream.write_all(text.as_bytes()).await;
        }
        Reply::Close => {}
        Reply::Hang => std::future::pending().await,
    }
}

fn response(status: &str, headers: &str, body: &str) -> Reply {
    let length = body.len();
    Reply::Raw(format!(
        "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n{body}"
    ))
}

fn call(url: String) -> ServiceCall {
    ServiceCall {
        method: Method::Post,
        url,
        body: Some(json!({"a": 1})),
        run: RunId(Uuid::from_u128(1)),
        step: "send".to_owned(),
        token: Uuid::from_u128(2),
        attempt: 3,
        webhook_url: None,
        traceparent: None,
        secret: None,
    }
}

async fn asked(reply: Reply) -> Result<Value, WorkError> {
    let service = Service::start(reply).await;
    let services = HttpServices::new(HttpOptions::default()).unwrap();
    services.call(call(format!("{}/path?private=1", service.url))).await
}

#[tokio::test]
async fn a_request_says_who_asks_and_for_what() {
    let service = Service::start(response("200 OK", "", r#"{"id": 7}"#)).await;
    let services = HttpServices::new(HttpOptions::default()).unwrap();
    let call = ServiceCall {
        webhook_url: Some("http://here/webhooks/x".to_owned()),
        traceparent: Some("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01".to_owned()),
        ..call(format!("{}/send/ada", service.url))
    };
    assert_eq!(services.call(call).await, Ok(json!({"id": 7})));
    let request = service.requests.lock()[0].clone();
    assert_eq!(request.line, "POST /send/ada HTTP/1.1");
    assert_eq!(request.body, r#"{"a":1}"#);
    let header = |name: &str| request.headers[name].clone();
    assert_eq!(header("idempotency-key"), Uuid::from_u128(2).to_string());
    assert_eq!(header("stepwell-run"), Uuid::from_u128(1).to_string());
    assert_eq!((header("stepwell-step"), header("stepwell-attempt")), ("send".into(), "3".into()));
    assert_eq!(header("stepwell-webhook-url"), "http://here/webhooks/x");
    assert_eq!(header("content-type"), "application/json");
    assert!(header("traceparent").starts_with("00-0af7"));
    assert!(!request.headers.contains_key("webhook-signature"));
}

#[tokio::test]
async fn requests_are_signed_when_a_secret_is_named() {
    let service = Service::start(response("200 OK", "", "{}")).await;
    let text = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let secrets = BTreeMap::from([("mail".to_owned(), Secret::parse(text).unwrap())]);
    let services = HttpServices::new(HttpOptions { secrets, ..HttpOptions::default() }).unwrap();
    let signed = ServiceCall { secret: Some("mail".to_owned()), ..call(service.url.clone()) };
    services.call(signed).await.unwrap();
    let request = service.requests.lock()[0].clone();
    let key = base64::engine::general_purpose::STANDARD.decode(&text[6..]).unwrap();
    let (id, at) = (&request.headers["webhook-id"], &request.headers["webhook-timestamp"]);
    let signature = {
        use hmac::Mac;
        let mut mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(&key).unwrap();
        mac.update(format!("{id}.{at}.{}", request.body).as_bytes());
        base64::engine::general_purpose::STANDARD.encode(mac.finalize().into_bytes())
    };
    assert_eq!(request.headers["webhook-signature"], format!("v1,{signature}"));
    assert_eq!(*id, Uuid::from_u128(2).to_string());

    let unknown = ServiceCall { secret: Some("other".to_owned()), ..call(service.url) };
    let error = services.call(unknown).await.unwrap_err();
    assert_eq!(error.message, "there is no secret `other`: set flows.secrets.other");
    assert!(!error.may_retry);
}

#[tokio::test]
async fn what_passes_is_told_from_what_lasts() {
    let cases = [
        (response("500 Oops", "", ""), true, "HTTP 500 from"),
        (response("503 Busy", "content-type: text/plain\r\n", "soon"), true, ": soon"),
        (response("429 Slow", "retry-after: 7\r\n", ""), true, "HTTP 429 from"),
        (response("404 No", "", ""), false, "HTTP 404 from"),
        (response("408 Late", "", ""), false, "HTTP 408 from"),
        (
            response("302 There", "location: http://elsewhere/\r\n", ""),
            false,
            "redirects are not followed",
        ),
        (
            response(
                "422 No",
                "content-type: application/problem+json\r\n",
                r#"{"title": "No money", "detail": "only 3"}"#,
            ),
            false,
            ": No money: only 3",
        ),
        (response("200 OK", "", "{nonsense"), false, "is no JSON"),
        (
            Reply::Raw("HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{".to_owned()),
            true,
            "cannot be reached",
        ),
        (Reply::Raw("what?".to_owned()), true, "cannot be reached"),
        (Reply::Close, true, "cannot be reached"),
    ];
    for (reply, may_retry, said) in cases {
        let error = asked(reply).await.unwrap_err();
        assert_eq!(error.may_retry, may_retry, "{error:?}");
        assert!(error.message.contains(said), "{error:?}");
        assert!(!error.message.contains("private"), "queries are not told: {error:?}");
    }
    let slow = asked(response("429 Slow", "retry-after: 7\r\n", "")).await.unwrap_err();
    assert_eq!(slow.retry_after_ms, Some(7_000));
}

#[tokio::test]
async fn an_empty_response_has_no_outputs() {
    assert_eq!(asked(response("204 No Content", "", "")).await, Ok(Value::Null));
    assert_eq!(asked(response("200 OK", "", " \n")).await, Ok(Value::Null));
    assert_eq!(asked(response("200 OK", "", "[1]")).await, Ok(json!([1])));
}

#[tokio::test]
async fn nobody_listening_is_an_error_that_passes() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let services = HttpServices::new(HttpOptions::default()).unwrap();
    let error = services.call(call(url)).await.unwrap_err();
    assert!(error.may_retry && error.message.contains("refused"), "{error:?}");
}

#[tokio::test]
async fn a_response_that_is_too_large_is_not_read() {
    let options = HttpOptions { response_bytes_max: 100, ..HttpOptions::default() };
    let services = HttpServices::new(options).unwrap();
    let (fits, large) = (format!("\"{}\"", "x".repeat(98)), format!("\"{}\"", "x".repeat(99)));
    let chunked = format!(
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{large}\r\n0\r\n\r\n",
        large.len()
    );
    for (reply, is_read) in [
        (response("200 OK", "", &fits), true),
        (response("200 OK", "", &large), false),
        (Reply::Raw(chunked), false),
    ] {
        let service = Service::start(reply).await;
        let read = services.call(call(service.url)).await;
        assert_eq!(read.is_ok(), is_read, "{read:?}");
        if let Err(error) = read {
            assert!(error.message.contains("more than 100 bytes") && !error.may_retry, "{error:?}");
        }
    }
}

#[tokio::test]
async fn only_allowed_hosts_are_called() {
    let service = Service::start(response("200 OK", "", "{}")).await;
    let only = |host: &str| {
        let allowed = AllowedHosts::Only(vec![host.to_owned()]);
        HttpServices::new(HttpOptions { allowed, ..HttpOptions::default() }).unwrap()
    };
    assert!(only("127.0.0.1").call(call(service.url.clone())).await.is_ok());
    let error = only("api.example.com").call(call(service.url.clone())).await.unwrap_err();
    assert!(error.message.contains("flows.allowed_hosts") && !error.may_retry, "{error:?}");
    assert_eq!(service.requests.lock().len(), 1);
}

#[tokio::test]
async fn a_call_that_is_given_up_ends() {
    let service = Service::start(Reply::Hang).await;
    let services = HttpServices::new(HttpOptions::default()).unwrap();
    let waited =
        tokio::time::timeout(Duration::from_millis(300), services.call(call(service.url))).await;
    assert!(waited.is_err());
}

#[tokio::test]
async fn a_probe_says_whether_a_service_is_well() {
    let services = HttpServices::new(HttpOptions::default()).unwrap();
    let well = Service::start(response("200 OK", "", "")).await;
    assert_eq!(services.probe(&well.url).await.status, HealthStatus::Healthy);
    assert_eq!(well.requests.lock()[0].line, "GET / HTTP/1.1");
    let ill = Service::start(response("500 Oops", "", "")).await;
    let health = services.probe(&ill.url).await;
    assert_eq!(health.status, HealthStatus::Unhealthy);
    assert!(health.error.unwrap().contains("500"));
    assert_eq!(services.probe("http://127.0.0.1:1").await.status, HealthStatus::Unhealthy);
}
