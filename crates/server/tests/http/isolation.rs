//! Two namespaces, every route: nothing crosses.

use reqwest::Method;
use serde_json::{Value, json};

use crate::kit::{Running, answer, start_with};

const ADMIN: &str = "an admin token for tests";

async fn server() -> Running {
    start_with(|config| config.access.admin_token = Some(ADMIN.to_owned())).await
}

async fn token(server: &Running, namespace: &str, scope: &str) -> Running {
    let wish = json!({ "name": format!("{scope} of {namespace}"), "scope": scope, "namespace": namespace });
    let created = server.post("/api/tokens", wish).await;
    assert_eq!(created.status, 201, "{}", created.text);
    server.with_token(created.json()["token"].as_str().unwrap())
}

/// Every route of the OpenAPI document, with its verb.
async fn routes(server: &Running) -> Vec<(Method, String)> {
    let openapi = server.get("/api/openapi.json").await.json();
    let mut routes = Vec::new();
    for (path, item) in openapi["paths"].as_object().unwrap() {
        for verb in item.as_object().unwrap().keys() {
            let method = Method::from_bytes(verb.to_uppercase().as_bytes()).unwrap();
            routes.push((method, path.clone()));
        }
    }
    assert!(routes.len() >= 25, "{routes:?}");
    routes
}

fn body(path: &str) -> Value {
    match path {
        "/api/workflows/{name}/runs" => json!({ "input": 1 }),
        "/api/runs/{id}/replay" => json!({ "from": "before" }),
        "/api/runs/{id}/messages" => json!({ "name": "go", "body": "from elsewhere" }),
        "/api/schedules/{name}" => json!({ "workflow": "echo", "interval_ms": 3_600_000 }),
        "/api/tokens" => json!({ "name": "t", "scope": "read" }),
        "/api/steps" | "/api/steps/{step}" => step("nope"),
        "/api/plans" | "/api/flows" => json!({ "goals": ["nope"] }),
        "/api/graphs/completions" => {
            json!({ "definition": {}, "step": "a", "text": "@", "cursor": 1 })
        }
        "/api/recordings/{id}/calls" => json!({ "tool": "echo" }),
        "/api/recordings/{id}/presets" => json!({ "output": 1 }),
        "/api/recordings/{id}/inputs/{input}" => json!({ "value": 1 }),
        "/api/recordings/{id}/refs" => json!({ "step": "a", "pointer": "/a", "ref": "@a" }),
        "/api/recordings/{id}/save" => json!({ "workflow": "theirs" }),
        _ => json!({}),
    }
}

fn step(source: &str) -> Value {
    let script = json!({ "language": "ale", "source": format!("\"{source}\"") });
    json!({ "id": "nope", "type": "script", "script": script })
}

/// A path with something in every place.
fn filled(path: &str, id: &str, name: &str) -> String {
    let places =
        [("{id}", id), ("{name}", name), ("{code}", "internal"), ("{step}", "nope"), ("{run}", id)];
    let filled = places.iter().fold(path.to_owned(), |path, (place, it)| path.replace(place, it));
    filled.replace("{token}", "00000000-0000-8000-8000-000000000000")
}

#[tokio::test]
async fn no_route_shows_or_touches_another_namespace() {
    let server = server().await;
    let (mine, theirs) =
        (token(&server, "mine", "admin").await, token(&server, "theirs", "admin").await);
    let waiting = mine.start("listener", json!("a secret of mine")).await;
    let ended = mine.start("failing", json!("a secret of mine")).await;
    mine.wait(&ended).await;
    let schedule =
        json!({ "workflow": "echo", "interval_ms": 3_600_000, "input": "a secret of mine" });
    assert_eq!(mine.put("/api/schedules/nightly", schedule).await.status, 201);
    assert_eq!(mine.post("/api/steps", step("a secret of mine")).await.status, 201);
    let named = json!({ "run_id": "my-run", "input": "a secret of mine" });
    assert_eq!(mine.post("/api/workflows/sleeper/runs", named).await.status, 201);
    let before = mine.get(&format!("/api/runs/{waiting}/journal")).await.text;

    for (method, path) in routes(&server).await {
        if path == "/api/updates" || path == "/metrics" {
            continue; // Below, and figures without names.
        }
        for id in [waiting.as_str(), ended.as_str(), "my-run"] {
            let filled = filled(&path, id, "nightly");
            let filled = match path.as_str() {
                "/api/workflows/{name}/runs" => "/api/workflows/echo/runs".to_owned(),
                "/api/runs/{id}/entries" => format!("{filled}?location=before"),
                _ => filled,
            };
            let mut request = theirs.request(method.clone(), &filled);
            if method != Method::GET && method != Method::DELETE {
                request = request.json(&body(&path));
            }
            let answer = answer(request).await;
            assert!(
                !answer.text.contains("a secret of mine"),
                "{method} {filled}: {}",
                answer.text
            );
            assert!(
                !answer.text.contains(&waiting) || path.contains("{id}"),
                "{method} {filled}: {}",
                answer.text
            );
            if path.contains("{id}") {
                assert_eq!(answer.problem(), "unknown_run", "{method} {filled}");
            }
        }
    }
    let after = mine.get(&format!("/api/runs/{waiting}/journal")).await.text;
    assert_eq!(before, after);
    assert_eq!(mine.get("/api/schedules/nightly").await.json()["input"], "a secret of mine");
    assert!(mine.get("/api/steps/nope").await.text.contains("a secret of mine"));
    assert_eq!(mine.get(&format!("/api/runs/{ended}")).await.json()["status"], "failed");
    let counts = mine.get("/api/runs").await.json()["counts"].clone();
    assert_eq!(counts["failed"], 1);

    let forced = theirs.in_namespace("mine").get("/api/runs").await;
    assert_eq!(forced.problem(), "namespace_forbidden");
    let named = theirs.get("/api/namespaces").await.json();
    assert_eq!(named["namespaces"].as_array().unwrap().len(), 1);
    let all = server.get("/api/namespaces").await.json();
    let all: Vec<&str> = all["namespaces"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(all, ["default", "mine", "theirs"]);
}

#[tokio::test]
async fn the_same_name_is_another_run_in_another_namespace() {
    let server = server().await;
    let (a, b) = (server.in_namespace("a"), server.in_namespace("b"));
    let wish = json!({ "run_id": "job", "input": "x", "idempotency_key": "k" });
    let first = a.post("/api/workflows/echo/runs", wish.clone()).await;
    let second = b.post("/api/workflows/echo/runs", wish).await;
    assert_eq!((first.status.as_u16(), second.status.as_u16()), (201, 201));
    assert_ne!(first.json()["run_id"], second.json()["run_id"]);
}

/// The least scope that each route needs.
fn scope_of(method: &Method, path: &str) -> Option<&'static str> {
    let open = ["/health", "/api/problems", "/webhooks"];
    if open.iter().any(|start| path.starts_with(start)) {
        return None;
    }
    let is_of_recording = path.starts_with("/api/recordings");
    let is_admin = path.starts_with("/api/tokens")
        || path == "/api/settings"
        || (path.starts_with("/api/schedules") && method != Method::GET)
        || (path.starts_with("/api/steps") && method != Method::GET)
        || (path == "/api/workflows/{name}" && method == Method::PUT)
        || path.ends_with("/save")
        || (method == Method::DELETE && !is_of_recording);
    // A plan, a check and a completion change nothing.
    let is_launch = method != Method::GET
        && path != "/api/plans"
        && (is_of_recording || !path.starts_with("/api/graphs/"));
    Some(if is_admin {
        "admin"
    } else if is_launch {
        "launch"
    } else {
        "read"
    })
}

#[tokio::test]
async fn each_scope_opens_the_routes_that_it_should() {
    let server = server().await;
    let scopes = ["read", "launch", "admin"];
    let mut callers = Vec::new();
    for scope in scopes {
        callers.push(token(&server, "default", scope).await);
    }
    for (method, path) in routes(&server).await {
        if path == "/api/updates" {
            continue; // A stream has no end; it is read in `live`.
        }
        let filled = filled(&path, "nope", "nope");
        let needed = scope_of(&method, &path);
        let anonymous = answer(server.without_token().request(method.clone(), &filled)).await;
        let is_open = anonymous.status != 401;
        assert_eq!(
            is_open,
            needed.is_none(),
            "{method} {path} without a token: {}",
            anonymous.text
        );
        let wrong =
            answer(server.with_token("swt_nonsense").request(method.clone(), &filled)).await;
        assert_eq!(wrong.status == 401, needed.is_some(), "{method} {path}: {}", wrong.text);
        for (caller, scope) in callers.iter().zip(scopes) {
            let mut request = caller.request(method.clone(), &filled);
            if method != Method::GET && method != Method::DELETE {
                request = request.json(&body(&path));
            }
            let seen = answer(request).await;
            let rank = |scope: &str| scopes.iter().position(|one| *one == scope);
            let is_enough = needed.is_none_or(|needed| rank(scope) >= rank(needed));
            assert_eq!(seen.status != 403, is_enough, "{method} {path} as {scope}: {}", seen.text);
            assert_ne!(seen.status, 401, "{method} {path} as {scope}");
        }
    }
}
