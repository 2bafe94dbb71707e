//! `httpStep`, against a real server on this machine.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use stepwell_script::js::{AllowedHosts, WebFetch, WebOptions};
use stepwell_sequence::ts::{TsOptions, TsRuntime};
use stepwell_sequence::{HttpStep, Sequence, StepCx, http_step};

use crate::kit::{Case, engine, write};

/// Answers each connection with the next of these, and the last one from then on. Says how many came.
fn server(answers: &'static [(u16, &'static str)]) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let n_asked = Arc::new(AtomicUsize::new(0));
    let counter = n_asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut request = Vec::new();
            let mut part = [0; 4096];
            loop {
                let n = stream.read(&mut part).unwrap_or(0);
                request.extend_from_slice(&part[..n]);
                let text = String::from_utf8_lossy(&request);
                let length = text
                    .to_ascii_lowercase()
                    .split("content-length: ")
                    .nth(1)
                    .and_then(|rest| rest.split("\r\n").next()?.parse::<usize>().ok());
                let body = text.split_once("\r\n\r\n").map(|(_, body)| body.len());
                if n == 0 || body.is_some_and(|body| body >= length.unwrap_or(0)) {
                    break;
                }
            }
            let n = counter.fetch_add(1, Ordering::SeqCst);
            let (status, body) = answers[n.min(answers.len() - 1)];
            let text = String::from_utf8_lossy(&request);
            let body = if body == "echo" {
                json!({ "request": text.lines().next(), "body": text.split_once("\r\n\r\n").map(|(_, body)| body), "keyed": text.to_ascii_lowercase().contains("idempotency-key: "), "traced": text.to_ascii_lowercase().contains("traceparent: ") }).to_string()
            } else {
                body.to_owned()
            };
            let answer = format!(
                "HTTP/1.1 {status} Answer\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (url, n_asked)
}

async fn cases(url: &str, method: &str) -> [Case; 2] {
    let fetch: Arc<WebFetch> = Arc::new(WebFetch::new(WebOptions::new(AllowedHosts::Any)).unwrap());
    let options = TsOptions { fetch: Some(fetch), ..TsOptions::default() };
    let runtime = TsRuntime::new(options).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let ts = format!(
        "import {{ httpStep }} from 'stepwell';\nexport const steps = [httpStep({{ name: 'call', url: '{url}/x', method: '{method}', body: ({{ input }}) => input ?? undefined }})];"
    );
    write(dir.path(), &[("flow.ts", &ts)]);
    let loaded = runtime.load_file(dir.path(), &dir.path().join("flow.ts")).await.unwrap();
    let request = HttpStep::new(method, &format!("{url}/x"));
    let request = if method == "POST" { request.body(|cx: &StepCx| cx.input()) } else { request };
    let rust = Sequence::new("flow").step(http_step("call", request)).build().unwrap();
    let mut made = Vec::new();
    for (written, workflow) in [("Rust", rust), ("TypeScript", loaded[0].workflow())] {
        let engine = engine().await;
        engine.register(workflow).unwrap();
        made.push(Case { written, engine });
    }
    made.try_into().unwrap_or_else(|_| panic!())
}

#[tokio::test]
async fn a_request_gives_parsed_json_and_says_who_asks() {
    let (url, _) = server(&[(200, "echo")]);
    for case in cases(&url, "POST").await {
        let (_, ended) = case.run(json!({ "a": 1 })).await;
        let expected = json!({ "request": "POST /x HTTP/1.1", "body": "{\"a\":1}", "keyed": true, "traced": true });
        assert_eq!(ended.unwrap(), expected, "{}", case.written);
    }
}

#[tokio::test]
async fn server_errors_and_failed_connections_are_tried_again_and_client_errors_are_not() {
    for case in
        cases(&server(&[(503, "{}"), (500, "{}"), (200, "7")]).0, "GET").await.into_iter().take(1)
    {
        assert_eq!(case.run(Value::Null).await.1.unwrap(), 7, "{}", case.written);
    }
    let (url, n_asked) = server(&[(503, "{}"), (500, "{}"), (200, "7")]);
    let [_, ts] = cases(&url, "GET").await;
    assert_eq!(ts.run(Value::Null).await.1.unwrap(), 7);
    assert_eq!(n_asked.load(Ordering::SeqCst), 3);
    let (url, n_asked) = server(&[(404, "{\"why\":\"gone\"}")]);
    for case in cases(&url, "GET").await {
        let failure = case.run(Value::Null).await.1.unwrap_err();
        assert!(failure.message.contains("answered 404"), "{}: {failure}", case.written);
    }
    assert_eq!(n_asked.load(Ordering::SeqCst), 2, "once each");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for case in cases(&format!("http://{closed}"), "GET").await {
        let (run, ended) = case.run(Value::Null).await;
        assert!(ended.is_err(), "{}", case.written);
        assert_eq!(case.records(&run).await[0].attempts, 3, "{}", case.written);
    }
}

#[tokio::test]
async fn requests_are_refused_where_they_are_off_or_the_host_is_not_allowed() {
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        &[(
            "flow.ts",
            "export const steps = [async function call() { return (await fetch('http://127.0.0.1:9/')).status; }];",
        )],
    );
    let only =
        WebFetch::new(WebOptions::new(AllowedHosts::Only(vec!["api.example.com".to_owned()])))
            .unwrap();
    for (fetch, expected) in
        [(None, "fetch"), (Some(Arc::new(only) as Arc<_>), "not among the allowed hosts")]
    {
        let runtime = TsRuntime::new(TsOptions { fetch, ..TsOptions::default() }).unwrap();
        let loaded = runtime.load_file(dir.path(), &dir.path().join("flow.ts")).await.unwrap();
        let engine = engine().await;
        engine.register(loaded[0].workflow()).unwrap();
        let case = Case { written: "TypeScript", engine };
        let failure = case.run(Value::Null).await.1.unwrap_err();
        assert!(failure.message.contains(expected), "{failure}");
    }
}
