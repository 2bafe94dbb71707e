//! Steps, plans, flows and webhooks over HTTP.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::{get, post};
use axum::{Json, Router};
use parking_lot::Mutex;
use serde_json::{Value, json};
use stepwell_server::config::Span;

use crate::kit::{PATIENCE, Running, answer, start, start_in, start_with};

fn script(id: &str, needs: &[&str], gives: &str, source: &str) -> Value {
    let mut attributes: serde_json::Map<String, Value> =
        needs.iter().map(|name| ((*name).to_owned(), json!({"role": "required"}))).collect();
    attributes.insert(gives.to_owned(), json!({"role": "output"}));
    let script = json!({"language": "lua", "source": source});
    json!({"id": id, "type": "script", "attributes": attributes, "script": script})
}

async fn register(server: &Running, step: Value) {
    let answer = server.post("/api/steps", step).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
}

/// Starts a flow that begins with a text, and gives its id.
async fn start_flow(server: &Running, goal: &str) -> String {
    let wish = json!({"goals": [goal], "init": {"text": "x"}});
    let answer = server.post("/api/flows", wish).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.json()["run_id"].as_str().unwrap().to_owned()
}

/// What a service was sent.
type Calls = Arc<Mutex<Vec<(HeaderMap, Value)>>>;

/// A service that is called and answers when it is told to.
struct Service {
    url: String,
    calls: Calls,
}

async fn service() -> Service {
    let calls: Calls = Arc::default();
    let take = async |State(calls): State<Calls>, headers: HeaderMap, Json(body): Json<Value>| {
        calls.lock().push((headers, body));
        Json(json!({"accepted": true}))
    };
    let router = Router::new()
        .route("/work", post(take))
        .route("/health", get(async || "ok"))
        .with_state(calls.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    Service { url, calls }
}

impl Service {
    /// The path of the webhook that the first call brought.
    async fn webhook(&self) -> String {
        let begun = std::time::Instant::now();
        loop {
            if let Some((headers, _)) = self.calls.lock().first() {
                let url = headers["stepwell-webhook-url"].to_str().unwrap().to_owned();
                return url[url.find("/webhooks/").unwrap()..].to_owned();
            }
            assert!(begun.elapsed() < PATIENCE, "the service was not called");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

fn async_step(service: &Service) -> Value {
    json!({
        "id": "review", "type": "async", "http": {"url": format!("{}/work", service.url)},
        "attributes": {"text": {"role": "required"}, "verdict": {"role": "output"}},
    })
}

#[tokio::test]
async fn steps_are_registered_read_changed_and_removed() {
    let server = start().await;
    let double = script("double", &["a"], "b", "return {b = a * 2}");
    register(&server, double.clone()).await;
    let again = server.post("/api/steps", double.clone()).await;
    assert_eq!((again.status.as_u16(), &again.json()["changed"]), (200, &json!(false)));
    let other = script("double", &["a"], "b", "return {b = a * 3}");
    assert_eq!(server.post("/api/steps", other.clone()).await.problem(), "step_exists");
    let seen = server.get("/api/steps/double").await.json();
    assert_eq!(seen["definition"]["script"]["source"], "return {b = a * 2}");
    assert_eq!(seen["health"]["status"], "healthy");
    let changed = server.put("/api/steps/double", other).await.json();
    assert_eq!(
        (&changed["changed"], changed["step"]["version"] != seen["version"]),
        (&json!(true), true)
    );
    register(&server, script("next", &["b"], "c", "return {c = b}")).await;
    let listed = server.get("/api/steps?limit=1").await.json();
    assert_eq!(
        (&listed["steps"][0]["id"], &listed["next_cursor"]),
        (&json!("double"), &json!("double"))
    );
    let listed = server.get("/api/steps?cursor=double").await.json();
    assert_eq!((&listed["steps"][0]["id"], &listed["next_cursor"]), (&json!("next"), &Value::Null));
    let graph = server.get("/api/steps/graph").await.json();
    assert_eq!(graph["nodes"].as_array().unwrap().len(), 5);
    let removed = server.delete("/api/steps/double").await.json();
    assert_eq!(removed["lost"], json!([{"step": "next", "attribute": "b", "providers": []}]));
    assert_eq!(server.get("/api/steps/double").await.problem(), "unknown_step");
    assert_eq!(server.delete("/api/steps/double").await.problem(), "unknown_step");
    let events = server.get("/api/steps/events").await.json();
    let kinds: Vec<&str> = events["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    let wanted = [
        "step_registered",
        "step_health_changed",
        "step_updated",
        "step_health_changed",
        "step_registered",
        "step_health_changed",
        "step_removed",
    ];
    assert_eq!(kinds, wanted);
    assert_eq!(events["events"][0]["data"]["step"]["id"], "double");
    let page = server.get("/api/steps/events?limit=2&cursor=2").await.json();
    assert_eq!((&page["events"][0]["seq"], &page["next_cursor"]), (&json!(2), &json!("4")));
}

#[tokio::test]
async fn definitions_that_make_no_sense_are_refused_with_every_place() {
    let server = start().await;
    let bad = json!({"id": "bad", "type": "script", "colour": "red"});
    let refused = server.post("/api/steps", bad).await;
    assert_eq!(refused.problem(), "invalid_step");
    let errors = refused.json()["errors"].as_array().unwrap().clone();
    let codes: Vec<&str> = errors.iter().map(|error| error["code"].as_str().unwrap()).collect();
    assert!(codes.contains(&"missing_field") && codes.contains(&"unknown_field"), "{errors:?}");
    let broken = script("broken", &["a"], "b", "return {\n  b = = 1\n}");
    let refused = server.post("/api/steps", broken).await.json();
    assert_eq!(refused["errors"][0]["code"], "script_error");
    assert!(refused["errors"][0]["message"].as_str().unwrap().contains("line 2"), "{refused}");
    for (id, code) in [("graph", "invalid_step"), ("events", "invalid_step")] {
        assert_eq!(
            server.post("/api/steps", script(id, &[], "x", "return 1")).await.problem(),
            code
        );
    }
    register(&server, script("a", &["x"], "y", "return {y = 1}")).await;
    let cycle = server.post("/api/steps", script("b", &["y"], "x", "return {x = 1}")).await;
    assert_eq!(cycle.json()["errors"][0]["code"], "attribute_cycle");
    let flow = json!({"id": "f", "type": "flow", "flow": {"goals": ["a"]},
        "attributes": {"x": {"role": "required"}, "z": {"role": "output", "mapping": "y"}}});
    register(&server, flow).await;
    assert_eq!(server.delete("/api/steps/a").await.problem(), "step_in_use");
    assert_eq!(
        server.put("/api/steps/nope", script("nope", &[], "q", "return 1")).await.problem(),
        "unknown_step"
    );
    let elsewhere = server.put("/api/steps/other", script("a", &[], "q", "return 1")).await;
    assert_eq!(elsewhere.problem(), "invalid_request");
    let large = script("large", &[], "q", &"x".repeat(600_000));
    assert_eq!(server.post("/api/steps", large).await.problem(), "body_too_large");
}

#[tokio::test]
async fn goals_are_planned_and_run() {
    let server = start().await;
    register(&server, script("price", &["item"], "amount", "return {amount = #item}")).await;
    register(
        &server,
        script("pay", &["amount"], "receipt", "return {receipt = 'paid ' .. amount}"),
    )
    .await;
    let preview = server.post("/api/plans", json!({"goals": ["pay"]})).await.json();
    assert_eq!((&preview["can_run"], &preview["required"]), (&json!(false), &json!(["item"])));
    assert!(preview["obstacles"][0].as_str().unwrap().contains("`item`"), "{preview}");
    let init = json!({"item": "book"});
    let plan = server.post("/api/plans", json!({"goals": ["pay"], "init": init})).await.json();
    assert_eq!(plan["can_run"], true);
    let lacking = server.post("/api/flows", json!({"goals": ["pay"]})).await;
    assert_eq!(lacking.problem(), "flow_cannot_run");
    assert_eq!(lacking.json()["errors"][0]["path"], "init.item");
    let unknown = server.post("/api/flows", json!({"goals": ["pya"]})).await;
    assert_eq!(unknown.problem(), "invalid_goals");
    assert!(unknown.json()["detail"].as_str().unwrap().contains("`pay`"), "{}", unknown.text);
    let started = server
        .post("/api/flows", json!({"goals": ["pay"], "init": init, "idempotency_key": "k"}))
        .await;
    assert_eq!(started.status, 201, "{}", started.text);
    let run = started.json()["run_id"].as_str().unwrap().to_owned();
    let ended = server.wait(&run).await;
    assert_eq!(ended["output"], json!({"item": "book", "amount": 4, "receipt": "paid 4"}));
    let events = server.get(&format!("/api/flows/{run}/events")).await.json();
    let last = events["events"].as_array().unwrap().last().unwrap().clone();
    assert_eq!(last["type"], "flow_completed");
    let page = server.get(&format!("/api/flows/{run}/events?limit=1&cursor=1")).await.json();
    assert_eq!(
        (&page["events"][0]["type"], &page["next_cursor"]),
        (&json!("step_started"), &json!("2"))
    );
    let found = server.get("/api/runs?label=goal%3Dpay").await.json();
    assert_eq!(found["runs"][0]["run_id"], json!(run));
    let again = server
        .post("/api/flows", json!({"goals": ["pay"], "init": init, "idempotency_key": "k"}))
        .await;
    assert_eq!((again.status.as_u16(), &again.json()["run_id"]), (200, &json!(run)));
    let echo = server.start("echo", json!(1)).await;
    assert_eq!(server.get(&format!("/api/flows/{echo}/events")).await.problem(), "no_flow");
}

#[tokio::test]
async fn flows_begin_with_goals_and_in_no_other_way() {
    let server = start().await;
    let plain = server.post("/api/workflows/flow/runs", json!({"input": {}})).await;
    assert_eq!(plain.problem(), "invalid_request");
    let schedule = json!({"workflow": "flow", "interval_ms": 3_600_000});
    assert_eq!(server.put("/api/schedules/s", schedule).await.problem(), "invalid_request");
    assert!(!server.get("/api/workflows").await.text.contains("\"flow\""));
}

#[tokio::test]
async fn a_webhook_is_answered_once() {
    let (server, service) = (start().await, service().await);
    register(&server, async_step(&service)).await;
    let run = start_flow(&server, "review").await;
    let webhook = service.webhook().await;
    assert_eq!(service.calls.lock()[0].1, json!({"text": "x"}));
    let (head, token) = webhook.rsplit_once('/').unwrap();
    let other = uuid::Uuid::from_u128(token.parse::<uuid::Uuid>().unwrap().as_u128() ^ 1);
    let anybody = server.without_token();
    for path in [
        format!("{head}/{other}"),
        format!("{head}/nonsense"),
        webhook.replace("review", "other"),
        webhook.replace(&run, "00000000-0000-7000-8000-000000000000"),
    ] {
        assert_eq!(
            anybody.post(&path, json!({"verdict": "no"})).await.problem(),
            "unknown_webhook",
            "{path}"
        );
    }
    let list = answer(anybody.request(reqwest::Method::POST, &webhook).json(&json!([1]))).await;
    assert_eq!(list.problem(), "invalid_request");
    let large = json!({"verdict": "x".repeat(5_000_000)});
    assert_eq!(anybody.post(&webhook, large).await.problem(), "value_too_large");
    assert_eq!(anybody.post(&webhook, json!({"verdict": "good"})).await.status, 200);
    assert_eq!(server.wait(&run).await["output"], json!({"text": "x", "verdict": "good"}));
    assert_eq!(anybody.post(&webhook, json!({"verdict": "good"})).await.status, 200);
    assert_eq!(
        anybody.post(&webhook, json!({"verdict": "bad"})).await.problem(),
        "webhook_answered"
    );
}

#[tokio::test]
async fn a_problem_document_at_the_webhook_fails_the_work() {
    let (server, service) = (start().await, service().await);
    register(&server, async_step(&service)).await;
    let run = start_flow(&server, "review").await;
    let webhook = service.webhook().await;
    let problem = json!({"title": "Illegible", "status": 422}).to_string();
    let request = server.request(reqwest::Method::POST, &webhook);
    let request = request.header("content-type", "application/problem+json").body(problem);
    assert_eq!(answer(request).await.status, 200);
    let ended = server.wait(&run).await;
    assert!(ended["error"]["message"].as_str().unwrap().contains("Illegible"), "{ended}");
    let late = server.post(&webhook, json!({"verdict": "good"})).await;
    assert_eq!(late.problem(), "webhook_answered");
}

#[tokio::test]
async fn an_answer_to_a_run_that_has_ended_is_refused() {
    let (server, service) = (start().await, service().await);
    register(&server, async_step(&service)).await;
    let run = start_flow(&server, "review").await;
    let webhook = service.webhook().await;
    assert_eq!(server.post(&format!("/api/runs/{run}/cancel"), json!({})).await.status, 202);
    server.wait(&run).await;
    assert_eq!(server.post(&webhook, json!({"verdict": "good"})).await.problem(), "run_ended");
}

#[tokio::test]
async fn a_flow_finishes_as_it_began_after_a_change_of_the_catalog_and_a_restart() {
    let (server, service) = (start().await, service().await);
    register(&server, async_step(&service)).await;
    register(&server, script("publish", &["verdict"], "page", "return {page = 'old ' .. verdict}"))
        .await;
    let run = start_flow(&server, "publish").await;
    let webhook = service.webhook().await;
    let newer = script("publish", &["verdict"], "page", "return {page = 'new ' .. verdict}");
    assert_eq!(server.put("/api/steps/publish", newer).await.status, 200);
    let dir = server.stop().await;
    let server = start_in(dir, |_| {}).await;
    assert_eq!(server.delete("/api/steps/review").await.status, 200);
    assert_eq!(server.post(&webhook, json!({"verdict": "good"})).await.status, 200);
    assert_eq!(server.wait(&run).await["output"]["page"], "old good");
    assert_eq!(service.calls.lock().len(), 1, "the call was not made again");
    let now = server.post("/api/plans", json!({"goals": ["publish"]})).await.json();
    assert_eq!(now["steps"]["publish"]["script"]["source"], "return {page = 'new ' .. verdict}");
}

#[tokio::test]
async fn services_are_asked_whether_they_are_well() {
    let service = service().await;
    let server = start_with(|config| config.flows.health_interval = Span::from_ms(1_000)).await;
    let mut step = async_step(&service);
    step["http"]["health_url"] = json!(format!("{}/health", service.url));
    register(&server, step.clone()).await;
    step["id"] = json!("ill");
    step["http"]["health_url"] = json!("http://127.0.0.1:1/health");
    register(&server, step).await;
    let begun = std::time::Instant::now();
    for (id, wanted) in [("review", "healthy"), ("ill", "unhealthy")] {
        loop {
            let seen = server.get(&format!("/api/steps/{id}")).await.json();
            if seen["health"]["status"] == wanted {
                break;
            }
            assert!(begun.elapsed() < PATIENCE, "{seen}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
    let events = server.get("/api/steps/events").await.text;
    assert!(events.contains("\"step_health_changed\""), "{events}");
}

#[tokio::test]
async fn hosts_that_are_not_allowed_are_not_called() {
    let service = service().await;
    let server =
        start_with(|config| config.flows.allowed_hosts = vec!["api.example.com".to_owned()]).await;
    register(&server, async_step(&service)).await;
    let run = start_flow(&server, "review").await;
    let ended = server.wait(&run).await;
    assert!(ended["error"]["message"].as_str().unwrap().contains("flows.allowed_hosts"), "{ended}");
    assert!(service.calls.lock().is_empty());
}

#[tokio::test]
async fn many_writers_of_one_catalog_lose_nothing() {
    let server = start().await;
    let writers = (0..24).map(|n| {
        let server = server.in_namespace("shared");
        tokio::spawn(async move {
            register(&server, script(&format!("s{n}"), &[], &format!("x{n}"), "return 1")).await;
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let listed = server.in_namespace("shared").get("/api/steps").await.json();
    assert_eq!(listed["steps"].as_array().unwrap().len(), 24);
    assert_eq!(server.get("/api/steps").await.json()["steps"], json!([]));
}
