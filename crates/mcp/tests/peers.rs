//! The pool with real servers, installed by `scripts/ensure-tools mcp`.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use stepwell_graph::ToolName;
use stepwell_mcp::{CallOptions, Called, ConnectionState, McpConfig, ToolServers, UpstreamError};
use tokio::process::{Child, Command};
use tokio::runtime::Handle;

/// How long a test waits for something before it says that it did not come.
const PATIENCE: Duration = Duration::from_secs(120);

fn tools_dir() -> PathBuf {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    assert!(dir.join("npm").is_dir(), "install the MCP peers first: scripts/ensure-tools mcp");
    dir.canonicalize().unwrap()
}

fn npm(name: &str) -> String {
    tools_dir().join("npm/node_modules/.bin").join(name).display().to_string()
}

fn pip(name: &str) -> String {
    tools_dir().join("bin").join(name).display().to_string()
}

fn servers(config: Value) -> ToolServers {
    let config = McpConfig::parse(&json!({ "mcpServers": config }).to_string(), &|_| None).unwrap();
    ToolServers::new(config, Handle::current())
}

fn everything() -> Value {
    json!({ "command": npm("mcp-server-everything") })
}

fn options() -> CallOptions {
    CallOptions { timeout: PATIENCE, meta: Map::new() }
}

fn name(tool: &str) -> ToolName<'_> {
    ToolName { server: None, tool }
}

async fn call(servers: &ToolServers, tool: &str, input: Value) -> Result<Called, UpstreamError> {
    let tool = servers.find(name(tool)).await?;
    servers.call(&tool, &input, options()).await
}

fn state(servers: &ToolServers, server: &str) -> ConnectionState {
    servers.status().into_iter().find(|status| status.name == server).unwrap().state
}

async fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "it did not come: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_server_is_started_when_a_tool_is_needed_and_kept() {
    let servers = servers(json!({ "everything": everything() }));
    assert_eq!(state(&servers, "everything"), ConnectionState::Idle);
    assert!(servers.known(name("echo")).is_none());
    let echoed = call(&servers, "echo", json!({ "message": "hi" })).await.unwrap();
    assert_eq!(echoed.result.text(), "Echo: hi");
    assert_eq!(echoed.answer["content"][0]["text"], "Echo: hi");
    assert!(servers.known(name("echo")).is_some());
    let sum = call(&servers, "get-sum", json!({ "a": 2, "b": 3 })).await.unwrap();
    assert!(sum.result.text().contains('5'), "{sum:?}");
    let status = &servers.status()[0];
    assert_eq!((status.state, status.n_connections), (ConnectionState::Connected, 1));
    assert!(status.n_tools.unwrap() > 5);
    servers.close().await;
}

#[tokio::test]
async fn structured_content_and_errors_are_told_apart() {
    let servers = servers(json!({ "everything": everything() }));
    let weather =
        call(&servers, "get-structured-content", json!({ "location": "Chicago" })).await.unwrap();
    let value = weather.result.clone().into_value();
    assert!(value["temperature"].is_number(), "{value}");
    let wrong = call(&servers, "get-structured-content", json!({ "location": "Nowhere" })).await;
    match wrong {
        // A server may refuse bad input with an error of the protocol or with a result that says so.
        Ok(called) => assert!(called.result.is_error, "{called:?}"),
        Err(error) => assert!(matches!(error, UpstreamError::Refused { .. }), "{error}"),
    }
    let refused = call(&servers, "echo", json!([1])).await.unwrap_err();
    assert!(refused.to_string().contains("a tool's input is an object"), "{refused}");
    assert!(!refused.may_retry());
    servers.close().await;
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_given_up_and_the_connection_goes_on() {
    let servers = servers(json!({ "everything": everything() }));
    let long = servers.find(name("trigger-long-running-operation")).await.unwrap();
    let short = CallOptions { timeout: Duration::from_millis(200), meta: Map::new() };
    let late =
        servers.call(&long, &json!({ "duration": 600, "steps": 600 }), short).await.unwrap_err();
    assert!(matches!(late, UpstreamError::TimedOut { timeout_ms: 200, .. }), "{late}");
    assert!(late.may_retry());
    call(&servers, "echo", json!({ "message": "still here" })).await.unwrap();
    assert_eq!(servers.status()[0].n_connections, 1);
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_died_is_started_again() {
    let dir = tempfile::tempdir().unwrap();
    let pid_file = dir.path().join("pid");
    // The shell leaves its process to the server, so the number is the server's.
    let script = format!("echo $$ > {}; exec {}", pid_file.display(), npm("mcp-server-everything"));
    let servers = servers(json!({ "everything": { "command": "sh", "args": ["-c", script] } }));
    call(&servers, "echo", json!({ "message": "one" })).await.unwrap();
    let pid = std::fs::read_to_string(&pid_file).unwrap().trim().to_owned();
    assert!(Command::new("kill").args(["-9", &pid]).status().await.unwrap().success());
    until("the loss is seen", || state(&servers, "everything") == ConnectionState::Idle).await;
    // What it had is remembered, and the next call brings it back.
    assert!(servers.known(name("echo")).is_some());
    call(&servers, "echo", json!({ "message": "two" })).await.unwrap();
    assert_eq!(servers.status()[0].n_connections, 2);
    servers.close().await;
}

/// The same server over HTTP, as a process of its own.
async fn everything_over_http(port: u16) -> Child {
    let child = Command::new(npm("mcp-server-everything"))
        .arg("streamableHttp")
        .env("PORT", port.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err() {
        assert!(begun.elapsed() < PATIENCE, "the server did not come up");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    child
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[tokio::test]
async fn a_server_over_http_is_called_and_found_again_after_a_restart() {
    let port = free_port();
    let mut child = everything_over_http(port).await;
    let url = format!("http://127.0.0.1:{port}/mcp");
    let servers = servers(json!({ "web": { "url": url, "headers": { "X-Team": "tests" } } }));
    let echoed = call(&servers, "echo", json!({ "message": "hi" })).await.unwrap();
    assert_eq!(echoed.result.text(), "Echo: hi");
    assert_eq!(servers.status()[0].transport, "http");
    child.kill().await.unwrap();
    let lost = call(&servers, "echo", json!({ "message": "nobody" })).await.unwrap_err();
    assert!(lost.may_retry(), "{lost}");
    let _child = everything_over_http(port).await;
    let begun = Instant::now();
    loop {
        match call(&servers, "echo", json!({ "message": "back" })).await {
            Ok(echoed) => break assert_eq!(echoed.result.text(), "Echo: back"),
            // The first calls may still meet the old session.
            Err(error) => assert!(begun.elapsed() < PATIENCE, "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    servers.close().await;
}

#[tokio::test]
async fn what_a_server_says_of_its_tools_is_known() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("a.txt"), "hello").unwrap();
    let files = json!({ "command": npm("mcp-server-filesystem"), "args": [dir.path()] });
    let servers = servers(json!({ "files": files }));
    let read = servers.find(name("read_text_file")).await.unwrap();
    assert!(read.tool.read_only && read.tool.may_repeat());
    let schema = read.tool.input_schema.as_ref().unwrap();
    assert!(schema.check(&json!({})).is_err() && schema.check(&json!({ "path": "a" })).is_ok());
    let path = dir.path().join("a.txt").display().to_string();
    let text = call(&servers, "read_text_file", json!({ "path": path })).await.unwrap();
    assert!(text.result.clone().into_value().to_string().contains("hello"), "{text:?}");
    let outside =
        call(&servers, "read_text_file", json!({ "path": "/etc/hostname" })).await.unwrap();
    assert!(outside.result.is_error);
    let write = servers.find(name("write_file")).await.unwrap();
    assert!(!write.tool.read_only);
    servers.close().await;
}

#[tokio::test]
async fn servers_in_python_work_as_well() {
    let dir = tempfile::tempdir().unwrap();
    let made =
        Command::new("git").args(["init", "-q"]).current_dir(dir.path()).status().await.unwrap();
    assert!(made.success());
    let servers = servers(json!({
        "time": { "command": pip("mcp-server-time") },
        "git": { "command": pip("mcp-server-git"), "args": ["--repository", dir.path()] },
    }));
    let listed = servers.list().await;
    assert_eq!(listed.len(), 2);
    assert!(listed.iter().all(|one| one.tools.is_ok()), "{listed:?}");
    let converted = call(
        &servers,
        "convert_time",
        json!({ "source_timezone": "Europe/Berlin", "time": "12:00", "target_timezone": "Asia/Tokyo" }),
    );
    let converted = converted.await.unwrap().result.into_value();
    assert!(converted["target"]["datetime"].is_string(), "{converted}");
    let status = call(&servers, "git_status", json!({ "repo_path": dir.path() })).await.unwrap();
    assert!(!status.result.is_error, "{status:?}");
    servers.close().await;
}

#[tokio::test]
async fn a_tool_that_several_servers_have_must_be_told_apart() {
    let servers = servers(json!({ "one": everything(), "two": everything() }));
    let error = servers.find(name("echo")).await.unwrap_err();
    assert!(error.to_string().contains("set `server` to one of one, two"), "{error}");
    let tool = servers.find(ToolName { server: Some("two"), tool: "echo" }).await.unwrap();
    assert_eq!(tool.server, "two");
    let missing = servers.find(name("ecko")).await.unwrap_err();
    assert!(missing.to_string().contains("did you mean `echo`?"), "{missing}");
    assert!(!missing.may_retry());
    let unknown = servers.find(ToolName { server: Some("three"), tool: "echo" }).await.unwrap_err();
    assert!(unknown.to_string().contains("there are one, two"), "{unknown}");
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_does_not_work_hurts_only_those_who_need_it() {
    let broken = json!({ "command": "sh", "args": ["-c", "echo no licence >&2; exit 3"] });
    let missing = json!({ "command": "/no/such/program" });
    let silent = json!({ "command": "sleep", "args": ["600"], "connectTimeoutMs": 300 });
    let config =
        json!({ "broken": broken, "missing": missing, "silent": silent, "works": everything() });
    let servers = servers(config);
    call(&servers, "echo", json!({ "message": "hi" })).await.unwrap();
    for (server, said) in [
        ("broken", "no licence"),
        ("missing", "`/no/such/program` cannot be started"),
        ("silent", "it was not ready within 300 ms"),
    ] {
        let error = servers.find(ToolName { server: Some(server), tool: "x" }).await.unwrap_err();
        assert!(error.may_retry() && error.to_string().contains(said), "{server}: {error}");
        assert_eq!(state(&servers, server), ConnectionState::Failed);
    }
    let nowhere = servers.find(name("no-such-tool")).await.unwrap_err();
    assert!(
        nowhere.to_string().contains("(broken, missing, silent could not be asked)"),
        "{nowhere}"
    );
    assert!(nowhere.may_retry());
    servers.close().await;
}

#[tokio::test]
async fn secrets_of_ours_are_not_handed_on() {
    // PATH is passed on, HOME too; nothing else of this process is.
    let script = format!("env >&2; exec {}", npm("mcp-server-everything"));
    let env = json!({ "GIVEN": "yes" });
    let servers = servers(json!({ "s": { "command": "sh", "args": ["-c", script], "env": env } }));
    call(&servers, "echo", json!({ "message": "hi" })).await.unwrap();
    let said = servers.status()[0].said.join("\n");
    assert!(said.contains("GIVEN=yes") && said.contains("PATH="), "{said}");
    assert!(!said.contains("CARGO_MANIFEST_DIR"), "{said}");
    servers.close().await;
}

#[tokio::test]
async fn a_list_of_tools_is_read_again_when_it_has_changed() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/growing.py");
    let servers = servers(json!({ "growing": { "command": "python3", "args": [script] } }));
    let missing = servers.find(name("grown_1")).await.unwrap_err();
    assert!(matches!(missing, UpstreamError::NoSuchTool { .. }), "{missing}");
    call(&servers, "grow", json!({})).await.unwrap();
    let begun = Instant::now();
    // The news come on their own way.
    while let Err(error) = servers.find(name("grown_1")).await {
        assert!(begun.elapsed() < PATIENCE, "{error}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let tool = servers.find(name("grown_1")).await.unwrap();
    let meta = Map::from_iter([("stepwell/idempotencyKey".to_owned(), json!("k"))]);
    let options = CallOptions { timeout: PATIENCE, meta };
    let called = servers.call(&tool, &Value::Null, options).await.unwrap();
    assert_eq!(called.result.into_value(), json!({ "tool": "grown_1", "key": "k" }));
    assert_eq!(servers.status()[0].n_connections, 1);
    servers.close().await;
}
