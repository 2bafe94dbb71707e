//! Graphs over the API: saved, checked, run, pinned to their versions.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::kit::{Running, start, start_in, start_with};

/// Where `scripts/ensure-tools mcp` puts the peers.
pub fn tools_dir() -> PathBuf {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    assert!(dir.join("npm").is_dir(), "install the MCP peers first: scripts/ensure-tools mcp");
    dir.canonicalize().unwrap()
}

pub fn npm(name: &str) -> String {
    tools_dir().join("npm/node_modules/.bin").join(name).display().to_string()
}

/// A server whose graphs can call these MCP servers.
pub async fn start_with_tools(servers: Value) -> Running {
    let dir = tempfile::tempdir().unwrap();
    start_in_with_tools(dir, servers).await
}

pub async fn start_in_with_tools(dir: tempfile::TempDir, servers: Value) -> Running {
    let file = dir.path().join("mcp.json");
    std::fs::write(&file, json!({ "mcpServers": servers }).to_string()).unwrap();
    start_in(dir, |config| config.mcp_config = Some(file)).await
}

fn adder(id: &str, more: i64) -> Value {
    json!({
        "id": id,
        "title": "Adds",
        "input_schema": { "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] },
        "steps": [
            { "name": "add", "action": { "code": format!("export default (input: {{ n: number }}) => input.n + {more}") }, "input": { "n": "@input.n" } },
        ],
    })
}

async fn run(server: &Running, name: &str, input: Value) -> Value {
    let run = server.start(name, input).await;
    server.wait(&run).await
}

#[tokio::test]
async fn a_graph_is_saved_run_changed_and_removed() {
    let server = start().await;
    let made = server.put("/api/workflows/adder", adder("adder", 1)).await;
    assert_eq!(made.status, 201, "{}", made.text);
    assert_eq!(made.json()["dialect"], "graph");
    assert_eq!(run(&server, "adder", json!({ "n": 2 })).await["output"], 3);
    let changed = server.put("/api/workflows/adder", adder("adder", 10)).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    assert_ne!(changed.json()["version"], made.json()["version"]);
    assert_eq!(run(&server, "adder", json!({ "n": 2 })).await["output"], 12);
    let seen = server.get("/api/workflows/adder").await.json();
    assert_eq!(seen["definition"]["steps"][0]["name"], "add");
    assert_eq!(seen["plan"]["nodes"][0]["kind"], "code");
    let refused = server.post("/api/workflows/adder/runs", json!({ "input": { "n": "x" } })).await;
    assert_eq!(refused.problem(), "invalid_input");
    assert_eq!(server.delete("/api/workflows/adder").await.status, 204);
    assert_eq!(server.get("/api/workflows/adder").await.problem(), "unknown_workflow");
    assert_eq!(server.delete("/api/workflows/adder").await.problem(), "unknown_workflow");
    let refused = server.post("/api/workflows/adder/runs", json!({ "input": { "n": 1 } })).await;
    assert_eq!(refused.problem(), "unknown_workflow");
}

#[tokio::test]
async fn what_is_wrong_with_a_graph_is_told_with_step_and_field() {
    let server = start().await;
    let wrong = json!({
        "id": "wrong",
        "steps": [
            { "name": "a", "action": { "code": "export default (input) => input +" } },
            { "name": "b", "action": { "toolName": "X" }, "input": { "to": "@c.mail" } },
        ],
    });
    let refused = server.put("/api/workflows/wrong", wrong.clone()).await;
    assert_eq!(refused.problem(), "invalid_graph");
    let errors = refused.json()["errors"].clone();
    assert_eq!(errors[0]["path"], "steps[1].input.to", "{errors}");
    assert!(errors[0]["message"].as_str().unwrap().starts_with("step `b`: "), "{errors}");
    let checked = server.post("/api/graphs/check", wrong).await.json();
    assert_eq!(checked["valid"], false);
    assert_eq!(checked["problems"][0]["code"], "unknown_root");
    // Code is compiled before it is saved, and its place is told.
    let broken = json!({ "id": "wrong", "steps": [
        { "name": "a", "action": { "code": "export default (input) => {\n  return input +;\n}" } },
    ] });
    let refused = server.put("/api/workflows/wrong", broken).await.json();
    assert_eq!(refused["errors"][0]["path"], "steps[0].action.code", "{refused}");
    assert!(
        refused["errors"][0]["message"].as_str().unwrap().contains("line 2, column "),
        "{refused}"
    );
    let other = server.put("/api/workflows/other", adder("adder", 1)).await;
    assert_eq!(other.json()["errors"][0]["path"], "id");
    let taken = server.put("/api/workflows/echo", adder("echo", 1)).await;
    assert_eq!(taken.problem(), "name_taken");
    assert_eq!(server.delete("/api/workflows/echo").await.problem(), "name_taken");
    let good = server.post("/api/graphs/check", adder("adder", 1)).await.json();
    assert_eq!(
        (good["valid"].clone(), good["plan"]["nodes"][0]["name"].clone()),
        (json!(true), json!("add"))
    );
}

#[tokio::test]
async fn the_format_is_served_and_refs_are_completed() {
    let server = start().await;
    let schema = server.get("/api/schemas/graph").await.json();
    assert_eq!(schema["type"], "object", "{schema}");
    let wish =
        json!({ "definition": adder("adder", 1), "step": "add", "text": "@in", "cursor": 3 });
    let found = server.post("/api/graphs/completions", wish).await.json();
    let texts: Vec<&str> = found["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["text"].as_str().unwrap())
        .collect();
    assert!(texts.iter().any(|text| text.contains("input")), "{found}");
    let off = json!({ "definition": {}, "step": "a", "text": "é", "cursor": 1 });
    assert_eq!(server.post("/api/graphs/completions", off).await.problem(), "invalid_request");
}

#[tokio::test]
async fn code_is_bounded_and_its_errors_have_a_place() {
    let server = start().await;
    let graph = |code: &str, config: Value| {
        json!({ "id": "code", "steps": [
        { "name": "work", "action": { "code": code }, "input": { "n": "@input" }, "config": config },
    ] })
    };
    let cases = [
        (
            "export default (input) => {\n  throw new TypeError(`bad ${input.n}`);\n}",
            json!({}),
            "work.ts:2:",
            "TypeError: bad 7",
        ),
        (
            "export default () => { for (;;) {} }",
            json!({ "timeoutMs": 200 }),
            "",
            "time limit of 200 ms",
        ),
        (
            "export default () => { const a = []; for (;;) a.push(new Array(1000).fill(1)); }",
            json!({ "memoryMb": 8 }),
            "",
            "more memory",
        ),
        ("export default () => new Promise(() => {})", json!({}), "", "never settles"),
        ("export default async () => { await fetch('http://localhost'); }", json!({}), "", ""),
    ];
    for (code, config, place, said) in cases {
        let saved = server.put("/api/workflows/code", graph(code, config)).await;
        assert!(saved.status.is_success(), "{}", saved.text);
        let ended = run(&server, "code", json!(7)).await;
        let message =
            ended["error"]["message"].as_str().unwrap_or_else(|| panic!("{code}: {ended}"));
        assert!(
            message.starts_with("code: ") && message.contains(place) && message.contains(said),
            "{code}: {message}"
        );
    }
    // What it prints is in the run's log, and nothing of one call is left for the next.
    let counting = "export default () => { globalThis.n = (globalThis.n ?? 0) + 1; console.warn('n is', globalThis.n); return globalThis.n; }";
    server.put("/api/workflows/code", graph(counting, json!({}))).await;
    for _ in 0..3 {
        let id = server.start("code", json!(0)).await;
        assert_eq!(server.wait(&id).await["output"], 1);
        let logs = server.get(&format!("/api/runs/{id}/logs")).await.json();
        assert_eq!(logs["lines"][0]["message"], "n is 1", "{logs}");
    }
}

#[tokio::test]
async fn many_items_run_side_by_side_on_real_threads() {
    let server = start().await;
    let graph = json!({ "id": "each", "steps": [
        { "name": "list", "action": { "code": "export default () => Array.from({ length: 3000 }, (_, n) => n)" } },
        { "name": "all", "forEach": { "ref": "@list", "concurrency": 16 },
          "action": { "code": "export default (input) => input.n + 1" }, "input": { "n": "@item" } },
        { "name": "sum", "action": { "code": "export default (input) => input.all.reduce((a, b) => a + b)" },
          "input": { "all": "@all" } },
    ] });
    assert_eq!(server.put("/api/workflows/each", graph).await.status, 201);
    let ended = run(&server, "each", json!(null)).await;
    assert_eq!(ended["output"], 3000 * 3001 / 2, "{ended}");
}

#[tokio::test]
async fn runs_stay_with_their_version_across_a_restart() {
    let server = start().await;
    let waiting = |answer: i64| {
        json!({ "id": "waits", "steps": [
        { "name": "go", "action": { "listen": "go" } },
        { "name": "say", "action": { "code": format!("export default (input) => ({{ said: {answer}, heard: input.go }})") }, "input": { "go": "@go" } },
    ] })
    };
    server.put("/api/workflows/waits", waiting(1)).await;
    let old = server.start("waits", json!(null)).await;
    server.until(&old, |run| run["status"] == "waiting").await;
    server.put("/api/workflows/waits", waiting(2)).await;
    let new = server.start("waits", json!(null)).await;
    server.until(&new, |run| run["status"] == "waiting").await;
    assert_eq!(server.delete("/api/workflows/waits").await.status, 204);

    let server = start_in(server.stop().await, |_| {}).await;
    assert_eq!(server.get("/api/workflows/waits").await.problem(), "unknown_workflow");
    for (run, said) in [(&old, 1), (&new, 2)] {
        let sent = server
            .post(&format!("/api/runs/{run}/messages"), json!({ "name": "go", "body": "now" }))
            .await;
        assert_eq!(sent.status, 202, "{}", sent.text);
        assert_eq!(server.wait(run).await["output"], json!({ "said": said, "heard": "now" }));
    }
}

#[tokio::test]
async fn graphs_belong_to_a_namespace() {
    const ADMIN: &str = "an admin token for tests";
    let server = start_with(|config| config.access.admin_token = Some(ADMIN.to_owned())).await;
    let (red, blue) = (server.in_namespace("red"), server.in_namespace("blue"));
    red.put("/api/workflows/adder", adder("adder", 1)).await;
    blue.put("/api/workflows/adder", adder("adder", 2)).await;
    assert_eq!(run(&red, "adder", json!({ "n": 0 })).await["output"], 1);
    assert_eq!(run(&blue, "adder", json!({ "n": 0 })).await["output"], 2);
    assert_eq!(server.get("/api/workflows/adder").await.problem(), "unknown_workflow");
    let reader = json!({ "name": "r", "scope": "read", "namespace": "red" });
    let token =
        server.post("/api/tokens", reader).await.json()["token"].as_str().unwrap().to_owned();
    let reader = server.with_token(&token);
    assert_eq!(reader.put("/api/workflows/x", adder("x", 1)).await.problem(), "scope_too_small");
}

#[tokio::test]
async fn a_graph_calls_tools_and_other_workflows() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("n.json"), "{\"n\": 20}").unwrap();
    let server = start_with_tools(json!({
        "everything": { "command": npm("mcp-server-everything") },
        "files": { "command": npm("mcp-server-filesystem"), "args": [dir.path()] },
    }))
    .await;
    server.put("/api/workflows/adder", adder("adder", 1)).await;
    let graph = json!({ "id": "mixed", "steps": [
        { "name": "read", "action": { "toolName": "read_text_file", "transformCode": "export default (raw) => JSON.parse(raw.content)" }, "input": { "path": "@input.path" } },
        { "name": "more", "action": { "workflow": "adder" }, "input": { "n": "@read.n" } },
        { "name": "echo", "action": { "toolName": "echo", "server": "everything" }, "input": { "message": "it is @more" } },
    ] });
    assert_eq!(server.put("/api/workflows/mixed", graph).await.status, 201);
    let path = dir.path().join("n.json").display().to_string();
    let ended = run(&server, "mixed", json!({ "path": path })).await;
    assert_eq!(ended["output"][0]["text"], "Echo: it is 21", "{ended}");
    let missing = run(&server, "mixed", json!({ "path": "/etc/hostname" })).await;
    assert!(
        missing["error"]["message"].as_str().unwrap().starts_with("tool_failed: "),
        "{missing}"
    );
    let bad = json!({ "id": "bad", "steps": [{ "name": "echo", "action": { "toolName": "echo" }, "input": { "msg": 1 } }] });
    server.put("/api/workflows/bad", bad).await;
    let ended = run(&server, "bad", json!(null)).await;
    let message = ended["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.starts_with("tool_input: the input does not fit the tool `echo`"), "{message}");
    let listed = server.get("/api/tools").await.json();
    let echo =
        listed["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "echo").unwrap();
    assert_eq!(echo["server"], "everything");
    let states = server.get("/api/tools/servers").await.json();
    assert_eq!(states["servers"][0]["state"], "connected", "{states}");
    server.stop().await;
}

#[tokio::test]
async fn a_bad_configuration_of_tools_is_refused_before_anything_runs() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("mcp.json");
    std::fs::write(&file, r#"{"mcpServers": {"a": {"comand": "x"}}}"#).unwrap();
    let store =
        stepwell_store_sqlite::SqliteStore::options().open(&dir.path().join("t.db")).await.unwrap();
    let engine = stepwell_engine::Engine::builder(std::sync::Arc::new(store)).open().await.unwrap();
    let config = stepwell_server::ServerConfig {
        listen: "127.0.0.1:0".parse().unwrap(),
        mcp_config: Some(file),
        ..Default::default()
    };
    let metrics = stepwell_server::Metrics::install().unwrap();
    let refused = stepwell_server::Server::bind_with(engine, config, metrics).await.err().unwrap();
    assert!(refused.to_string().contains("mcpServers.a: give a `command`"), "{refused}");
}
