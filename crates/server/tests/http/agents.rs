//! The MCP endpoint, with a client that speaks the protocol by hand and with rmcp's.

use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::model::{CallToolRequestParams, CallToolResult, ProgressNotificationParam};
use rmcp::service::{NotificationContext, RoleClient, RunningService, ServiceExt};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, ServiceError};
use serde_json::{Value, json};

use crate::graphs::{npm, start_in_with_tools, start_with_tools};
use crate::kit::{PATIENCE, Running, start, start_with};

/// A client that remembers the progress it was told.
#[derive(Clone, Default)]
pub struct Agent {
    heard: Arc<Mutex<Vec<ProgressNotificationParam>>>,
}

impl ClientHandler for Agent {
    async fn on_progress(
        &self,
        param: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.heard.lock().push(param);
    }
}

pub type Connected = RunningService<RoleClient, Agent>;

pub async fn connect(server: &Running, path: &str, token: Option<&str>) -> Connected {
    let mut config = StreamableHttpClientTransportConfig::with_uri(format!("{}{path}", server.url));
    if let Some(token) = token {
        config = config.auth_header(token);
    }
    let transport = StreamableHttpClientTransport::from_config(config);
    Agent::default().serve(transport).await.unwrap()
}

pub async fn call(agent: &Connected, tool: &str, arguments: Value) -> CallToolResult {
    let result = try_call(agent, tool, arguments).await;
    result.unwrap_or_else(|error| panic!("{tool}: {error}"))
}

async fn try_call(
    agent: &Connected,
    tool: &str,
    arguments: Value,
) -> Result<CallToolResult, ServiceError> {
    let arguments = arguments.as_object().cloned().unwrap();
    agent.call_tool(CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)).await
}

/// The structured result of a call that must go well.
#[track_caller]
pub fn good(result: CallToolResult) -> Value {
    assert_ne!(result.is_error, Some(true), "{result:?}");
    result.structured_content.unwrap()
}

pub fn text(result: &CallToolResult) -> String {
    let texts =
        result.content.iter().filter_map(|block| block.as_text().map(|text| text.text.clone()));
    texts.collect::<Vec<_>>().join("\n")
}

async fn names(agent: &Connected) -> Vec<String> {
    let tools = agent.list_all_tools().await.unwrap();
    tools.into_iter().map(|tool| tool.name.to_string()).collect()
}

fn doubling() -> Value {
    json!({ "id": "double it", "description": "Doubles.", "input_schema": { "type": "object", "properties": { "n": { "type": "number" } }, "required": ["n"] },
        "steps": [
            { "name": "double", "action": { "code": "export default (i) => i.n * 2" }, "input": { "n": "@input.n" } },
            { "name": "done", "action": { "code": "export default (i) => ({ doubled: i.n })" }, "input": { "n": "@double" } },
        ] })
}

#[tokio::test]
async fn an_agent_finds_starts_watches_and_answers_workflows_of_every_dialect() {
    let server = start().await;
    let agent = connect(&server, "/mcp", None).await;
    let made =
        good(call(&agent, "COLLECTION_WORKFLOW_CREATE", json!({ "data": doubling() })).await);
    assert_eq!(made["item"]["id"], "double it");
    let again = call(&agent, "COLLECTION_WORKFLOW_CREATE", json!({ "data": doubling() })).await;
    assert!(again.is_error == Some(true) && text(&again).contains("is there already"), "{again:?}");
    let listed = good(call(&agent, "COLLECTION_WORKFLOW_LIST", json!({})).await);
    let starts = |id: &str| {
        let item =
            listed["items"].as_array().unwrap().iter().find(|item| item["id"] == id).unwrap();
        item["start_tool"].as_str().unwrap().to_owned()
    };
    assert_eq!(starts("double it"), "START_WORKFLOW_DOUBLE_IT");
    let tools = agent.list_all_tools().await.unwrap();
    let start = tools.iter().find(|tool| tool.name == "START_WORKFLOW_DOUBLE_IT").unwrap();
    assert_eq!(start.input_schema["required"], json!(["n"]));
    for name in [
        "COLLECTION_WORKFLOW_GET",
        "COLLECTION_WORKFLOW_UPDATE",
        "COLLECTION_WORKFLOW_DELETE",
        "COLLECTION_WORKFLOW_EXECUTION_LIST",
        "COLLECTION_WORKFLOW_EXECUTION_GET",
        "COLLECTION_WORKFLOW_EXECUTION_CREATE",
        "COLLECTION_WORKFLOW_EXECUTION_GET_STEP_RESULT",
        "CANCEL_EXECUTION",
        "RESUME_EXECUTION",
        "WORKFLOW_EXECUTION_GET_WORKFLOW",
        "START_WORKFLOW_ECHO",
        "START_WORKFLOW_ORDER",
        "RECORDING_START",
    ] {
        assert!(tools.iter().any(|tool| tool.name == name), "{name}");
    }
    // A graph, and code.
    let ended = good(call(&agent, "START_WORKFLOW_DOUBLE_IT", json!({ "n": 21 })).await);
    assert_eq!(
        (&ended["status"], &ended["output"]),
        (&json!("completed"), &json!({ "doubled": 42 })),
        "{ended:#}"
    );
    let id = ended["id"].as_str().unwrap();
    let step = good(
        call(
            &agent,
            "COLLECTION_WORKFLOW_EXECUTION_GET_STEP_RESULT",
            json!({ "id": id, "step": "double" }),
        )
        .await,
    );
    assert_eq!(
        (&step["step"]["output"], &step["step"]["status"]),
        (&json!(42), &json!("completed"))
    );
    let frozen = good(call(&agent, "WORKFLOW_EXECUTION_GET_WORKFLOW", json!({ "id": id })).await);
    assert_eq!(frozen["item"]["definition"]["steps"][0]["name"], "double");
    let echoed = good(call(&agent, "START_WORKFLOW_ECHO", json!({ "input": [1, 2] })).await);
    assert_eq!(echoed["output"], json!([1, 2]), "{echoed:#}");
    let step = good(
        call(
            &agent,
            "COLLECTION_WORKFLOW_EXECUTION_GET_STEP_RESULT",
            json!({ "id": echoed["id"], "step": "echo" }),
        )
        .await,
    );
    assert_eq!(step["step"]["output"], json!([1, 2]), "{step:#}");
    // One that waits for an answer.
    let begun = good(
        call(
            &agent,
            "COLLECTION_WORKFLOW_EXECUTION_CREATE",
            json!({ "workflow_collection_id": "listener" }),
        )
        .await,
    );
    let id = begun["item"]["id"].as_str().unwrap().to_owned();
    server.until(&id, |run| run["status"] == "waiting").await;
    let waiting =
        good(call(&agent, "COLLECTION_WORKFLOW_EXECUTION_GET", json!({ "id": id })).await);
    assert!(waiting["item"]["waiting_for"].to_string().contains("go"), "{waiting:#}");
    good(
        call(&agent, "SEND_MESSAGE_TO_EXECUTION", json!({ "id": id, "name": "go", "body": "yes" }))
            .await,
    );
    let ended = good(
        call(&agent, "COLLECTION_WORKFLOW_EXECUTION_GET", json!({ "id": id, "wait_ms": 30_000 }))
            .await,
    );
    assert_eq!(ended["item"]["output"], "yes");
    let listed = good(
        call(
            &agent,
            "COLLECTION_WORKFLOW_EXECUTION_LIST",
            json!({ "workflow_collection_id": "listener", "status": "completed" }),
        )
        .await,
    );
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
    agent.cancel().await.unwrap();
}

#[tokio::test]
async fn runs_are_cancelled_and_resumed_and_bad_calls_get_reasons() {
    let server = start().await;
    let agent = connect(&server, "/mcp", None).await;
    let begun = good(
        call(
            &agent,
            "COLLECTION_WORKFLOW_EXECUTION_CREATE",
            json!({ "workflow_collection_id": "listener" }),
        )
        .await,
    );
    let id = begun["item"]["id"].as_str().unwrap().to_owned();
    good(call(&agent, "CANCEL_EXECUTION", json!({ "id": id, "reason": "enough" })).await);
    assert_eq!(server.wait(&id).await["status"], "cancelled");
    good(call(&agent, "RESUME_EXECUTION", json!({ "id": id })).await);
    server.until(&id, |run| run["status"] == "waiting").await;
    for (tool, arguments, said) in [
        ("COLLECTION_WORKFLOW_GET", json!({ "id": "nobody" }), "there is no workflow `nobody`"),
        ("COLLECTION_WORKFLOW_GET", json!({ "name": "echo" }), "unknown field `name`"),
        (
            "COLLECTION_WORKFLOW_EXECUTION_GET",
            json!({ "id": "nobody" }),
            "there is no run `nobody`",
        ),
        (
            "COLLECTION_WORKFLOW_EXECUTION_GET",
            json!({ "id": id, "wait_ms": 50_001 }),
            "is more than 50000",
        ),
        (
            "COLLECTION_WORKFLOW_UPDATE",
            json!({ "id": "x", "data": { "id": "x", "steps": [] } }),
            "there is no graph `x`",
        ),
        ("START_WORKFLOW_ORDER", json!({ "sku": "a" }), "n"),
        ("RECORDING_STEPS", json!({}), "name a recording"),
        ("RECORDING_STEPS", json!({ "recording_id": id }), "there is no recording"),
    ] {
        let refused = call(&agent, tool, arguments.clone()).await;
        assert_eq!(refused.is_error, Some(true), "{tool} {arguments}");
        assert!(text(&refused).contains(said), "{tool} {arguments}: {}", text(&refused));
        assert!(refused.structured_content.unwrap()["code"].is_string());
    }
    let unknown = try_call(&agent, "NO_SUCH_TOOL", json!({})).await.unwrap_err();
    assert!(unknown.to_string().contains("there is no tool `NO_SUCH_TOOL`"), "{unknown}");
    agent.cancel().await.unwrap();
}

#[tokio::test]
async fn a_client_that_asks_for_progress_is_told_of_each_step() {
    let server = start().await;
    server.put("/api/workflows/double%20it", doubling()).await;
    let agent = connect(&server, "/mcp", None).await;
    // rmcp's client gives every request a token.
    let ended = good(call(&agent, "START_WORKFLOW_DOUBLE_IT", json!({ "n": 1 })).await);
    assert_eq!(ended["status"], "completed");
    let begun = std::time::Instant::now();
    while agent.service().heard.lock().len() < 2 {
        assert!(begun.elapsed() < PATIENCE, "{:?}", agent.service().heard.lock());
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let mut heard = agent.service().heard.lock().clone();
    heard.sort_by(|one, other| one.progress.total_cmp(&other.progress));
    let told: Vec<(f64, Option<f64>)> =
        heard.iter().map(|param| (param.progress, param.total)).collect();
    assert_eq!(told, [(1.0, Some(2.0)), (2.0, Some(2.0))]);
    assert_eq!(heard[0].message.as_deref(), Some("double: completed"));
    agent.cancel().await.unwrap();
}

#[tokio::test]
async fn tokens_and_namespaces_hold_for_agents_too() {
    const ADMIN: &str = "an admin token for tests";
    let server = start_with(|config| config.access.admin_token = Some(ADMIN.to_owned())).await;
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    let nobody = server.without_token().post("/mcp", ping).await;
    assert_eq!(nobody.problem(), "token_required");
    let token = |namespace: &str, scope: &str| {
        let (server, wish) = (
            &server,
            json!({ "name": format!("{namespace} {scope}"), "scope": scope, "namespace": namespace }),
        );
        async move {
            server.post("/api/tokens", wish).await.json()["token"].as_str().unwrap().to_owned()
        }
    };
    let (red, blue, reads) =
        (token("red", "admin").await, token("blue", "admin").await, token("red", "read").await);
    let red = connect(&server, "/mcp", Some(&red)).await;
    good(call(&red, "COLLECTION_WORKFLOW_CREATE", json!({ "data": doubling() })).await);
    let run = good(call(&red, "START_WORKFLOW_DOUBLE_IT", json!({ "n": 1 })).await);
    let recording = good(call(&red, "RECORDING_START", json!({})).await);
    let blue = connect(&server, "/mcp", Some(&blue)).await;
    assert!(!names(&blue).await.iter().any(|name| name == "START_WORKFLOW_DOUBLE_IT"));
    for tool in [
        "COLLECTION_WORKFLOW_EXECUTION_GET",
        "CANCEL_EXECUTION",
        "RESUME_EXECUTION",
        "WORKFLOW_EXECUTION_GET_WORKFLOW",
    ] {
        let hidden = call(&blue, tool, json!({ "id": run["id"] })).await;
        assert!(text(&hidden).contains("there is no run"), "{tool}: {hidden:?}");
    }
    let path = recording["endpoint"].as_str().unwrap();
    let hidden =
        call(&blue, "RECORDING_STEPS", json!({ "recording_id": recording["recording_id"] })).await;
    assert!(text(&hidden).contains("there is no recording"), "{hidden:?}");
    let other = server
        .in_namespace("blue")
        .post(path, json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" }))
        .await;
    assert_eq!(other.problem(), "unknown_run");
    let reader = connect(&server, "/mcp", Some(&reads)).await;
    let seen = names(&reader).await;
    assert!(seen.contains(&"COLLECTION_WORKFLOW_LIST".to_owned()));
    assert!(
        !seen.iter().any(|name| name.starts_with("START_")
            || name == "CANCEL_EXECUTION"
            || name == "RECORDING_SAVE"),
        "{seen:?}"
    );
    let refused = call(&reader, "CANCEL_EXECUTION", json!({ "id": run["id"] })).await;
    assert!(text(&refused).contains("this needs scope `launch`"), "{refused:?}");
    let refused = call(&reader, "START_WORKFLOW_DOUBLE_IT", json!({ "n": 1 })).await;
    assert!(text(&refused).contains("this needs scope `launch`"), "{refused:?}");
}

#[tokio::test]
async fn a_request_stands_for_itself() {
    let server = start().await;
    // No handshake, no session: what a client sends after the server was restarted.
    let request = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": { "name": "COLLECTION_WORKFLOW_LIST", "arguments": {} } });
    let response = server
        .request(reqwest::Method::POST, "/mcp")
        .header("accept", "application/json, text/event-stream")
        .json(&request);
    let answer = crate::kit::answer(response).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.json()["id"], 7);
    assert!(answer.json()["result"]["structuredContent"]["items"].is_array());
    let foreign =
        server.request(reqwest::Method::POST, "/mcp").header("host", "evil.example").json(&request);
    assert_eq!(crate::kit::answer(foreign).await.problem(), "origin_forbidden");
}

#[tokio::test]
async fn an_agent_records_and_what_it_recorded_runs_without_it() {
    let dir = tempfile::tempdir().unwrap();
    let notes = tempfile::tempdir().unwrap();
    std::fs::write(notes.path().join("a.txt"), "alpha").unwrap();
    std::fs::write(notes.path().join("b.txt"), "beta").unwrap();
    let tools = json!({
        "everything": { "command": npm("mcp-server-everything") },
        "files": { "command": npm("mcp-server-filesystem"), "args": [notes.path()] },
    });
    let server = start_in_with_tools(dir, tools.clone()).await;
    let main = connect(&server, "/mcp", None).await;
    let begun = good(call(&main, "RECORDING_START", json!({ "title": "Read and say" })).await);
    let (id, path) = (
        begun["recording_id"].as_str().unwrap().to_owned(),
        begun["endpoint"].as_str().unwrap().to_owned(),
    );
    let agent = connect(&server, &path, None).await;
    let listed = agent.list_all_tools().await.unwrap();
    let sum = listed.iter().find(|tool| tool.name == "get-sum").unwrap();
    assert!(sum.input_schema["properties"]["a"]["anyOf"].is_array(), "{:?}", sum.input_schema);
    let file = |name: &str| notes.path().join(name).display().to_string();
    good(
        call(
            &agent,
            "RECORDING_NAME_INPUT",
            json!({ "name": "file", "value": file("a.txt"), "description": "Which file" }),
        )
        .await,
    );
    let read = call(&agent, "read_text_file", json!({ "path": "@input.file" })).await;
    assert_eq!(read.meta.as_ref().unwrap()["stepwell/step"], "read_text_file_1");
    assert_eq!(read.structured_content.as_ref().unwrap()["content"], "alpha");
    assert!(
        text(&read).starts_with("alpha") && text(&read).ends_with("@read_text_file_1]"),
        "{read:?}"
    );
    // A literal that should be a ref, a failure, and two at once.
    call(&agent, "echo", json!({ "message": "alpha" })).await;
    let failed = call(&agent, "read_text_file", json!({ "path": "/etc/hostname" })).await;
    assert!(
        failed.is_error == Some(true) && text(&failed).contains("the failed step read_text_file_2"),
        "{failed:?}"
    );
    let wrong = call(&agent, "echo", json!({ "message": "@read_text_file_2.content" })).await;
    assert!(
        wrong.is_error == Some(true) && text(&wrong).contains("`read_text_file_2` failed"),
        "{wrong:?}"
    );
    let (one, two) = tokio::join!(
        call(&agent, "echo", json!({ "message": "is @read_text_file_1.content" })),
        call(&agent, "get-sum", json!({ "a": 2, "b": 3 })),
    );
    assert!(
        text(&one).starts_with("Echo: is alpha") && two.is_error != Some(true),
        "{one:?} {two:?}"
    );

    // Another server takes over; neither the recording nor the client notices.
    let server = start_in_with_tools(server.stop().await, tools).await;
    let agent = connect(&server, &path, None).await;
    let steps = good(call(&agent, "RECORDING_STEPS", json!({})).await);
    let seen: Vec<(&str, &str)> = steps["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| (step["name"].as_str().unwrap(), step["status"].as_str().unwrap()))
        .collect();
    assert_eq!(seen.len(), 5, "{seen:?}");
    assert!(
        seen.contains(&("read_text_file_2", "failed")) && seen.contains(&("echo_2", "completed")),
        "{seen:?}"
    );
    let proposals = good(call(&agent, "RECORDING_PROPOSE_REFS", json!({})).await);
    let proposal = &proposals["proposals"][0];
    assert_eq!(
        (&proposal["step"], &proposal["pointer"]),
        (&json!("echo_1"), &json!("/message")),
        "{proposals}"
    );
    let place = json!({ "step": "echo_1", "pointer": "/message", "ref": proposal["refs"][0] });
    good(call(&agent, "RECORDING_PLACE_REF", place).await);
    good(
        call(
            &agent,
            "RECORDING_PRESET",
            json!({ "name": "greeting", "output": { "text": "hello" } }),
        )
        .await,
    );
    call(&agent, "echo", json!({ "message": "@greeting.text" })).await;
    good(call(&agent, "RECORDING_DROP_STEP", json!({ "step": "get_sum_1" })).await);
    let saved = good(call(&agent, "RECORDING_SAVE", json!({ "workflow": "read and say" })).await);
    assert_eq!(saved["start_tool"], "START_WORKFLOW_READ_AND_SAY");
    good(call(&agent, "RECORDING_FINISH", json!({})).await);
    let over = call(&agent, "echo", json!({ "message": "more" })).await;
    assert!(over.is_error == Some(true) && text(&over).contains("finished"), "{over:?}");
    assert_eq!(server.wait(&id).await["status"], "completed");

    let main = connect(&server, "/mcp", None).await;
    let ended =
        good(call(&main, "START_WORKFLOW_READ_AND_SAY", json!({ "file": file("b.txt") })).await);
    assert_eq!(ended["status"], "completed", "{ended:#}");
    assert_eq!(ended["output"]["echo_1"][0]["text"], "Echo: beta");
    assert_eq!(ended["output"]["echo_2"][0]["text"], "Echo: is beta");
    assert_eq!(ended["output"]["echo_3"][0]["text"], "Echo: hello");
    server.stop().await;
}

#[tokio::test]
async fn recordings_over_the_api_say_the_same() {
    let server =
        start_with_tools(json!({ "everything": { "command": npm("mcp-server-everything") } }))
            .await;
    let made = server.post("/api/recordings", json!({ "title": "T" })).await;
    assert_eq!(made.status, 201, "{}", made.text);
    let id = made.json()["recording_id"].as_str().unwrap().to_owned();
    let at = |rest: &str| format!("/api/recordings/{id}{rest}");
    let called = server
        .post(&at("/calls"), json!({ "tool": "echo", "input": { "message": "hello" } }))
        .await
        .json();
    assert_eq!((&called["step"], &called["failed"]), (&json!("echo_1"), &json!(false)), "{called}");
    let unknown = server.post(&at("/calls"), json!({ "tool": "nope" })).await;
    assert_eq!(unknown.problem(), "unknown_tool");
    let failed = server
        .post(&at("/calls"), json!({ "tool": "echo", "input": { "message": 1 } }))
        .await
        .json();
    assert_eq!((&failed["step"], &failed["failed"]), (&json!("echo_2"), &json!(true)), "{failed}");
    let input = server.put(&at("/inputs/who"), json!({ "value": "Ada" })).await;
    assert_eq!(input.json()["inputs"]["who"]["value"], "Ada", "{}", input.text);
    let preset = server
        .post(
            &at("/presets"),
            json!({ "tool": "echo", "input": { "message": "@input.who" }, "output": "said" }),
        )
        .await;
    assert_eq!(preset.json()["step"], "echo_3", "{}", preset.text);
    let dropped = server.delete(&at("/steps/echo_1")).await;
    assert_eq!(dropped.json()["steps"].as_array().unwrap().len(), 2, "{}", dropped.text);
    assert_eq!(server.delete(&at("/steps/echo_1")).await.problem(), "recording_refused");
    assert_eq!(server.get(&at("/proposals")).await.json()["proposals"], json!([]));
    let saved = server.post(&at("/save"), json!({ "workflow": "said" })).await;
    assert_eq!(saved.status, 201, "{}", saved.text);
    assert_eq!(
        server.post(&at("/save"), json!({ "workflow": "said" })).await.problem(),
        "name_taken"
    );
    assert_eq!(
        server.post(&at("/save"), json!({ "workflow": "said", "replace": true })).await.status,
        200
    );
    let finished = server.post(&at("/finish"), json!({})).await;
    assert_eq!(finished.json()["finished"], true, "{}", finished.text);
    let listed = server.get("/api/recordings").await.json();
    assert_eq!(listed["recordings"][0]["run_id"], id.as_str());
    let run = server.start("said", json!({ "who": "Bob" })).await;
    assert_eq!(server.wait(&run).await["output"][0]["text"], "Echo: Bob");
    // It is a run as well, and looks like one.
    assert_eq!(server.get(&format!("/api/runs/{id}")).await.json()["dialect"], "recording");
    server.stop().await;
}

#[tokio::test]
async fn the_handshake_of_the_latest_protocol_works_as_well() {
    let server = start().await;
    let config = StreamableHttpClientTransportConfig::with_uri(format!("{}/mcp", server.url));
    let transport = StreamableHttpClientTransport::from_config(config);
    let mode = rmcp::service::ClientLifecycleMode::Discover {
        preferred_versions: vec![rmcp::model::ProtocolVersion::V_2026_07_28],
    };
    let agent =
        rmcp::service::ClientServiceExt::serve_with_lifecycle(Agent::default(), transport, mode)
            .await
            .unwrap();
    assert!(names(&agent).await.contains(&"COLLECTION_WORKFLOW_LIST".to_owned()));
    let listed = good(call(&agent, "COLLECTION_WORKFLOW_LIST", json!({ "dialect": "code" })).await);
    assert!(!listed["items"].as_array().unwrap().is_empty());
}
