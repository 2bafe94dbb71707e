//! Bad requests, and the exact problem that each gets.

use reqwest::Method;

use crate::kit::{answer, start};

/// `{ended}`, `{waiting}` and `{failed}` stand for runs.
const START: &str = "/api/workflows/echo/runs";
const JSON: &str = "application/json";

struct Bad {
    request: &'static str,
    content_type: &'static str,
    body: &'static str,
    status: u16,
    code: &'static str,
    /// Part of the detail.
    says: &'static str,
}

const fn get(request: &'static str, status: u16, code: &'static str, says: &'static str) -> Bad {
    Bad { request, content_type: "", body: "", status, code, says }
}

const fn send(
    request: &'static str,
    body: &'static str,
    status: u16,
    code: &'static str,
    says: &'static str,
) -> Bad {
    Bad { request, content_type: JSON, body, status, code, says }
}

const UNKNOWN: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

const TABLE: &[Bad] = &[
    // Routes.
    get("GET /nowhere", 404, "unknown_route", "there is nothing at `/nowhere`"),
    get("GET /api", 404, "unknown_route", "see /api/docs"),
    get("GET /api/runs/", 404, "unknown_route", "nothing at"),
    get("DELETE /api/runs", 405, "method_not_allowed", "does not know DELETE"),
    get("PATCH /api/workflows", 405, "method_not_allowed", "does not know PATCH"),
    get("POST /api/workflows/echo", 405, "method_not_allowed", "does not know POST"),
    get("GET /api/problems/nonsense", 404, "unknown_route", "there is no problem `nonsense`"),
    // Workflows.
    get("GET /api/workflows/nope", 404, "unknown_workflow", "`nope`"),
    get("GET /api/workflows?x=1", 400, "invalid_request", "`x`: it is not known"),
    get("GET /api/workflows?cursor=1", 400, "invalid_request", "one page"),
    get("GET /api/workflows/echo?x=1", 400, "invalid_request", "`x`: it is not known"),
    // Starting.
    send("POST /api/workflows/nope/runs", "{}", 404, "unknown_workflow", "`nope`"),
    send(
        "POST /api/workflows/echo/runs?wait=1",
        "{}",
        400,
        "invalid_request",
        "`wait`: it is not known",
    ),
    Bad {
        request: "POST /api/workflows/echo/runs",
        content_type: "",
        body: "{}",
        status: 415,
        code: "unsupported_media_type",
        says: "application/json",
    },
    Bad {
        request: "POST /api/workflows/echo/runs",
        content_type: "text/plain",
        body: "{}",
        status: 415,
        code: "unsupported_media_type",
        says: "text/plain",
    },
    send("POST /api/workflows/echo/runs", "", 400, "invalid_json", "EOF"),
    send("POST /api/workflows/echo/runs", "{", 400, "invalid_json", "line 1"),
    send("POST /api/workflows/echo/runs", "{} {}", 400, "invalid_json", "trailing"),
    send("POST /api/workflows/echo/runs", "{'a':1}", 400, "invalid_json", "line 1 column 2"),
    send("POST /api/workflows/echo/runs", "[]", 400, "invalid_request", "must be a JSON object"),
    send("POST /api/workflows/echo/runs", "null", 400, "invalid_request", "must be a JSON object"),
    send(
        "POST /api/workflows/echo/runs",
        r#"{"inputs":1}"#,
        400,
        "invalid_request",
        "unknown field `inputs`",
    ),
    send(
        "POST /api/workflows/echo/runs",
        r#"{"run_id":5}"#,
        400,
        "invalid_request",
        "`run_id`: invalid type",
    ),
    send(
        "POST /api/workflows/echo/runs",
        r#"{"run_id":""}"#,
        400,
        "invalid_request",
        "1 to 128 characters",
    ),
    send(
        "POST /api/workflows/echo/runs",
        r#"{"run_id":"a\nb"}"#,
        400,
        "invalid_request",
        "control characters",
    ),
    send(
        "POST /api/workflows/echo/runs",
        r#"{"run_id":"{ended}"}"#,
        409,
        "run_exists",
        "exists already",
    ),
    send(
        "POST /api/workflows/echo/runs",
        r#"{"idempotency_key":""}"#,
        400,
        "invalid_request",
        "idempotency key",
    ),
    send(
        "POST /api/workflows/echo/runs",
        r#"{"labels":{"":"x"}}"#,
        400,
        "invalid_request",
        "label",
    ),
    send(
        "POST /api/workflows/echo/runs",
        r#"{"labels":{"a":1}}"#,
        400,
        "invalid_request",
        "`labels.a`: invalid type",
    ),
    send(
        "POST /api/workflows/echo/runs",
        r#"{"labels":[]}"#,
        400,
        "invalid_request",
        "`labels`: invalid type",
    ),
    send(
        "POST /api/workflows/echo/runs",
        r#"{"start_at":"tomorrow"}"#,
        400,
        "invalid_request",
        "`tomorrow` is not a date",
    ),
    send(
        "POST /api/workflows/echo/runs",
        r#"{"start_at":"1950-01-01T00:00:00Z"}"#,
        400,
        "invalid_request",
        "before 1970",
    ),
    send(
        "POST /api/workflows/echo/runs",
        r#"{"deadline_ms":0}"#,
        400,
        "invalid_request",
        "`deadline_ms`: 0 is not between",
    ),
    send(
        "POST /api/workflows/echo/runs",
        r#"{"deadline_ms":-1}"#,
        400,
        "invalid_request",
        "`deadline_ms`: invalid value",
    ),
    send(
        "POST /api/workflows/echo/runs",
        r#"{"deadline_ms":1.5}"#,
        400,
        "invalid_request",
        "`deadline_ms`: invalid type",
    ),
    send("POST /api/workflows/order/runs", "{}", 422, "invalid_input", "order"),
    send(
        "POST /api/workflows/order/runs",
        r#"{"input":{"sku":"a"}}"#,
        422,
        "invalid_input",
        "missing field `n`",
    ),
    send(
        "POST /api/workflows/order/runs",
        r#"{"input":{"sku":"a","n":"x"}}"#,
        422,
        "invalid_input",
        "expected u32",
    ),
    // Lists.
    get("GET /api/runs?status=done", 400, "invalid_request", "`done` is none of pending, running"),
    get("GET /api/runs?status=failed,", 400, "invalid_request", "`status`"),
    get("GET /api/runs?limit=0", 400, "invalid_request", "0 is not between 1 and 1000"),
    get("GET /api/runs?limit=1001", 400, "invalid_request", "1001 is not between 1 and 1000"),
    get("GET /api/runs?limit=x", 400, "invalid_request", "`x` is not a number"),
    get("GET /api/runs?limit=1&limit=2", 400, "invalid_request", "given 2 times"),
    get("GET /api/runs?cursor=x", 400, "invalid_request", "`cursor`: give the `next_cursor`"),
    get("GET /api/runs?label=a", 400, "invalid_request", "`a` is not of the form key=value"),
    get("GET /api/runs?from=yesterday", 400, "invalid_request", "`yesterday` is not a date"),
    get("GET /api/runs?input.=1", 400, "invalid_request", "input.customer.id"),
    get("GET /api/runs?states=failed", 400, "invalid_request", "there are workflow, status"),
    // One run.
    get("GET /api/runs/nope", 404, "unknown_run", "`nope`"),
    get("GET /api/runs/01890a5d-ac96-774b-bcce-b302099a8057", 404, "unknown_run", UNKNOWN),
    get("GET /api/runs/{ended}?at=x", 400, "invalid_request", "`at`"),
    get(
        "GET /api/runs/{ended}?at=99999",
        400,
        "invalid_request",
        "the journal of this run ends at",
    ),
    get("GET /api/runs/{ended}/entries", 400, "invalid_request", "`location`: it is missing"),
    get("GET /api/runs/{ended}/entries?location=nope", 404, "unknown_entry", "`nope`"),
    get("GET /api/runs/nope/journal", 404, "unknown_run", "`nope`"),
    get("GET /api/runs/{ended}/journal?from=-1", 400, "invalid_request", "`-1` is not a number"),
    get(
        "GET /api/runs/{ended}/journal?from=0&cursor=1",
        400,
        "invalid_request",
        "either this or a cursor",
    ),
    get(
        "GET /api/runs/{ended}/logs?level=loud",
        400,
        "invalid_request",
        "none of debug, info, warn, error",
    ),
    get(
        "GET /api/runs/{waiting}/wait?timeout_ms=1",
        408,
        "wait_timed_out",
        "had not ended after 1 ms (workflow `listener`)",
    ),
    get(
        "GET /api/runs/{waiting}/wait?timeout_ms=300001",
        400,
        "invalid_request",
        "more than 300000",
    ),
    get("DELETE /api/runs/{waiting}", 409, "run_not_ended", "stays"),
    get("DELETE /api/runs/nope", 404, "unknown_run", "`nope`"),
    // Steering.
    send("POST /api/runs/nope/cancel", "", 404, "unknown_run", "`nope`"),
    send("POST /api/runs/{ended}/cancel", "", 409, "run_ended", "has ended already"),
    send(
        "POST /api/runs/{waiting}/cancel",
        r#"{"why":"x"}"#,
        400,
        "invalid_request",
        "unknown field `why`",
    ),
    send("POST /api/runs/{ended}/resume", "", 409, "run_completed", "nothing to recover"),
    send("POST /api/runs/{waiting}/resume", "", 409, "run_not_ended", "has not ended"),
    send(
        "POST /api/runs/{failed}/resume",
        r#"{"deadline_ms":0}"#,
        400,
        "invalid_request",
        "`deadline_ms`",
    ),
    send("POST /api/runs/{ended}/replay", "{}", 400, "invalid_request", "missing field `from`"),
    send("POST /api/runs/{ended}/replay", r#"{"from":"nope"}"#, 404, "unknown_entry", "`nope`"),
    send(
        "POST /api/runs/{ended}/replay",
        r#"{"from":"echo","into":"x"}"#,
        400,
        "invalid_request",
        "unknown variant `x`",
    ),
    send("POST /api/runs/{waiting}/messages", "{}", 400, "invalid_request", "missing field `name`"),
    send("POST /api/runs/{waiting}/messages", r#"{"name":""}"#, 400, "invalid_request", "`name`"),
    send(
        "POST /api/runs/{waiting}/messages",
        r#"{"name":"x","key":""}"#,
        400,
        "invalid_request",
        "`key`",
    ),
    send(
        "POST /api/runs/{waiting}/messages",
        r#"{"name":"x","answer_within_ms":0}"#,
        400,
        "invalid_request",
        "`answer_within_ms`",
    ),
    send(
        "POST /api/runs/{waiting}/messages",
        r#"{"name":"x","answer_within_ms":5}"#,
        408,
        "answer_timed_out",
        "had not answered `x`",
    ),
    send("POST /api/runs/{ended}/messages", r#"{"name":"x"}"#, 409, "run_ended", "has ended"),
    // Updates.
    get("GET /api/updates?run=nope", 404, "unknown_run", "`nope`"),
    get(
        "GET /api/updates?run={ended}&workflow=echo",
        400,
        "invalid_request",
        "either this or a run",
    ),
    get("GET /api/updates?run={ended}&after=x", 400, "invalid_request", "number of an event"),
    get("GET /api/updates?after=nonsense", 400, "invalid_request", "as it was"),
    get("GET /api/updates?after=999999-5", 410, "updates_gone", "not kept any more"),
    // Schedules.
    get("GET /api/schedules/nope", 404, "unknown_schedule", "`nope`"),
    get("DELETE /api/schedules/nope", 404, "unknown_schedule", "`nope`"),
    send("PUT /api/schedules/s", "{}", 400, "invalid_request", "missing field `workflow`"),
    send(
        "PUT /api/schedules/s",
        r#"{"workflow":"echo"}"#,
        400,
        "invalid_request",
        "either cron or interval_ms",
    ),
    send(
        "PUT /api/schedules/s",
        r#"{"workflow":"echo","cron":"* * * * *","interval_ms":5000}"#,
        400,
        "invalid_request",
        "either cron or interval_ms",
    ),
    send(
        "PUT /api/schedules/s",
        r#"{"workflow":"echo","cron":"nonsense"}"#,
        400,
        "invalid_request",
        "`cron`",
    ),
    send(
        "PUT /api/schedules/s",
        r#"{"workflow":"echo","cron":"0 0 30 2 *"}"#,
        400,
        "invalid_request",
        "no such date",
    ),
    send(
        "PUT /api/schedules/s",
        r#"{"workflow":"echo","cron":"@daily","time_zone":"Mars"}"#,
        400,
        "invalid_request",
        "`Mars` is not a time zone",
    ),
    send(
        "PUT /api/schedules/s",
        r#"{"workflow":"echo","interval_ms":5}"#,
        400,
        "invalid_request",
        "5 is not between 1000",
    ),
    send(
        "PUT /api/schedules/s",
        r#"{"workflow":"echo","interval_ms":5000,"time_zone":"UTC"}"#,
        400,
        "invalid_request",
        "no time zone",
    ),
    send(
        "PUT /api/schedules/s",
        r#"{"workflow":"nope","interval_ms":5000}"#,
        404,
        "unknown_workflow",
        "`nope`",
    ),
    send(
        "PUT /api/schedules/s",
        r#"{"workflow":"order","interval_ms":5000,"input":{}}"#,
        422,
        "invalid_input",
        "missing field",
    ),
    get("GET /api/schedule-times?cron=x", 400, "invalid_request", "`cron`"),
    get(
        "GET /api/schedule-times?interval_ms=5000&n=101",
        400,
        "invalid_request",
        "101 is not between",
    ),
    // Tokens.
    send("POST /api/tokens", r#"{"name":"t"}"#, 400, "invalid_request", "missing field `scope`"),
    send(
        "POST /api/tokens",
        r#"{"name":"t","scope":"root"}"#,
        400,
        "invalid_request",
        "unknown variant `root`",
    ),
    send("POST /api/tokens", r#"{"name":"","scope":"read"}"#, 400, "invalid_request", "`name`"),
    send(
        "POST /api/tokens",
        r#"{"name":"t","scope":"read","namespace":""}"#,
        400,
        "invalid_request",
        "`namespace`",
    ),
    send(
        "POST /api/tokens",
        r#"{"name":"t","scope":"read","expires_at":"2020-01-01T00:00:00Z"}"#,
        400,
        "invalid_request",
        "the date has passed",
    ),
    get("DELETE /api/tokens/nope", 404, "unknown_token", "`nope`"),
];

#[tokio::test]
async fn each_bad_request_gets_its_problem_and_changes_nothing() {
    let server = start().await;
    let ended = server.start("echo", serde_json::json!(1)).await;
    let failed = server.start("failing", serde_json::json!(1)).await;
    let waiting = server.start("listener", serde_json::json!(1)).await;
    server.wait(&ended).await;
    server.wait(&failed).await;
    assert!(TABLE.len() >= 60, "{}", TABLE.len());
    let fill = |text: &str| {
        let text = text.replace("{ended}", &ended).replace("{waiting}", &waiting);
        text.replace("{failed}", &failed)
    };
    for bad in TABLE {
        let (method, path) = bad.request.split_once(' ').unwrap();
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let mut request = server.request(method, &fill(path)).body(fill(bad.body));
        if !bad.content_type.is_empty() {
            request = request.header("content-type", bad.content_type);
        }
        let answer = answer(request).await;
        let case = format!("{} {}\n{} {}", bad.request, bad.body, answer.status, answer.text);
        assert_eq!(answer.status.as_u16(), bad.status, "{case}");
        assert_eq!(answer.problem(), bad.code, "{case}");
        assert!(answer.json()["detail"].as_str().unwrap().contains(bad.says), "{case}");
    }
    let counts = server.get("/api/runs").await.json()["counts"].clone();
    let n_runs: u64 = counts.as_object().unwrap().values().filter_map(|n| n.as_u64()).sum();
    assert_eq!(n_runs, 3, "{counts}");
    assert_eq!(server.get("/api/schedules").await.json()["schedules"], serde_json::json!([]));
    assert_eq!(server.get("/api/tokens").await.json()["tokens"], serde_json::json!([]));
}

#[tokio::test]
async fn bodies_have_bounds() {
    let server = crate::kit::start_with(|config| {
        config.limits.body_bytes_max = 1_000;
        config.limits.json_depth_max = 5;
    })
    .await;
    let long = serde_json::json!({ "input": "x".repeat(2_000) });
    let answer = server.post(START, long).await;
    assert_eq!((answer.status.as_u16(), answer.problem().as_str()), (413, "body_too_large"));
    assert!(answer.text.contains("limits.body_bytes_max"), "{}", answer.text);
    let deep = serde_json::json!({ "input": [[[[[1]]]]] });
    let answer = server.post(START, deep).await;
    assert_eq!((answer.status.as_u16(), answer.problem().as_str()), (400, "nested_too_deep"));
    let fits = server.post(START, serde_json::json!({ "input": [[[[1]]]] })).await;
    assert_eq!(fits.status, 201, "{}", fits.text);
}

#[tokio::test]
async fn every_wrong_parameter_is_named() {
    let server = start().await;
    let problem = server.get("/api/runs?foo=1&bar=2").await.json();
    let paths: Vec<&str> = problem["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| error["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["foo", "bar"]);
}
