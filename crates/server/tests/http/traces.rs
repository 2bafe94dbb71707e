//! Traces, as a collector gets them.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::routing::post;
use parking_lot::Mutex;
use reqwest::Method;
use serde_json::{Value, json};

use crate::kit::{PATIENCE, answer, start_with};

type Got = Arc<Mutex<Vec<Value>>>;

async fn collector() -> (String, Got) {
    let got = Got::default();
    let take = async |State(got): State<Got>, Json(body): Json<Value>| {
        got.lock().push(body);
        Json(json!({}))
    };
    let router = axum::Router::new().route("/v1/traces", post(take)).with_state(Arc::clone(&got));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    (address, got)
}

async fn spans_of(got: &Got, trace: &str) -> Vec<Value> {
    let begun = std::time::Instant::now();
    loop {
        let spans: Vec<Value> = got
            .lock()
            .iter()
            .flat_map(|body| {
                body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone()
            })
            .filter(|span| span["traceId"] == trace)
            .collect();
        if !spans.is_empty() {
            return spans;
        }
        assert!(begun.elapsed() < PATIENCE, "no spans came");
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_run_is_told_as_a_trace_that_goes_on_from_its_callers() {
    let (endpoint, got) = collector().await;
    let server = start_with(|config| config.telemetry.otlp_endpoint = Some(endpoint)).await;
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let request = server
        .request(Method::POST, "/api/workflows/failing/runs")
        .header("traceparent", format!("00-{trace}-00f067aa0ba902b7-01"))
        .json(&json!({ "input": null }));
    assert_eq!(answer(request).await.status, 201);
    let spans = spans_of(&got, trace).await;
    let find = |name: &str| spans.iter().find(|span| span["name"] == name).unwrap().clone();
    let run = find("failing");
    assert_eq!(run["parentSpanId"], "00f067aa0ba902b7");
    assert_eq!(run["status"]["code"], 2);
    let (before, fails) = (find("before"), find("fails"));
    assert_eq!((&before["parentSpanId"], &before["status"]["code"]), (&run["spanId"], &json!(1)));
    assert_eq!(fails["status"]["message"], "no luck");
    assert_eq!(find("fails, attempt 1")["parentSpanId"], fails["spanId"]);
    let nanos = |span: &Value, field: &str| span[field].as_str().unwrap().parse::<u128>().unwrap();
    for span in &spans {
        assert!(nanos(span, "startTimeUnixNano") <= nanos(span, "endTimeUnixNano"), "{span:#}");
    }
}

#[tokio::test]
async fn a_caller_that_does_not_record_is_not_recorded() {
    let (endpoint, got) = collector().await;
    let server = start_with(|config| config.telemetry.otlp_endpoint = Some(endpoint)).await;
    let trace = "4bf92f3577b34da6a3ce929d0e0e4737";
    let request = server
        .request(Method::POST, "/api/workflows/echo/runs")
        .header("traceparent", format!("00-{trace}-00f067aa0ba902b7-00"))
        .json(&json!({ "input": null }));
    let run = answer(request).await.json()["run_id"].as_str().unwrap().to_owned();
    server.wait(&run).await;
    let other = server.start("echo", json!(1)).await;
    spans_of(&got, &other.replace('-', "")).await;
    let silent = got.lock().iter().all(|body| !body.to_string().contains(trace));
    assert!(silent, "the flag says that nobody records this trace");
}
