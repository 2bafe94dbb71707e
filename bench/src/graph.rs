//! Graphs over the API: a thousand code steps side by side, one after the other, and mixed; ten thousand items; and
//! tool calls through a local stdio server, beside a bare client of the same server.
//!
//! The sketch: a code step is a call of the sandbox (about 0.1 ms) and a commit that it shares with its neighbours. Side
//! by side, the sandbox bounds them; one after the other, the disk does: one fsync each.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use stepwell::ServerConfig;
use stepwell::prelude::*;
use stepwell_mcp::{CallOptions, McpConfig, ToolServers};
use tokio::sync::oneshot;

use crate::Outcome;
use crate::http::Client;
use crate::report::Report;

const STEPS: usize = 1_000;
const ITEMS: usize = 10_000;
const CALLS: usize = 1_000;
const AT_ONCE: usize = 16;

/// Where `scripts/ensure-tools mcp` puts the server that is called.
const TOOL_SERVER: &str = "target/tools/npm/node_modules/.bin/mcp-server-everything";

pub async fn graphs(report: &mut Report) -> Outcome {
    let dir = tempfile::tempdir_in(".")?;
    let tool_server = std::fs::canonicalize(TOOL_SERVER).ok();
    let config = tool_config(tool_server.as_ref());
    let file = dir.path().join("mcp.json");
    std::fs::write(&file, config.to_string())?;
    let engine = Engine::open(dir.path().join("bench.db")).await?;
    let settings = ServerConfig {
        listen: "127.0.0.1:0".parse()?,
        mcp_config: Some(file),
        ..ServerConfig::default()
    };
    let server = stepwell::bind(&engine, settings).await?;
    let address = server.local_addr()?.to_string();
    let (stop, stopped) = oneshot::channel::<()>();
    let served = tokio::spawn(server.run(async move {
        let _ = stopped.await;
    }));
    let mut client = Client::connect(&address).await.map_err(|error| error.to_string())?;
    #[expect(clippy::cast_precision_loss, reason = "a rate")]
    let per_second = |n: usize, took: Duration| n as f64 / took.as_secs_f64();
    for (name, graph) in [("wide", wide()), ("deep", deep()), ("mixed", mixed())] {
        let took = time(&mut client, &graph).await?;
        report.plain(
            &format!("graph: {STEPS} code steps, {name}"),
            per_second(STEPS, took),
            "steps/s",
        );
    }
    let took = time(&mut client, &each()).await?;
    report.plain(&format!("graph: forEach of {ITEMS} items"), per_second(ITEMS, took), "items/s");
    if tool_server.is_some() {
        let bare = per_second(CALLS, bare_client(&config).await?);
        report.plain("graph: tool calls, bare client", bare, "calls/s");
        time(&mut client, &calls(1)).await?;
        let took = time(&mut client, &calls(CALLS)).await?;
        report.beside("graph: tool calls, forEach", per_second(CALLS, took), "calls/s", bare, None);
    } else {
        println!("graph: tool calls are left out: scripts/ensure-tools mcp installs the server");
    }
    let _ = stop.send(());
    served.await??;
    Ok(())
}

fn tool_config(server: Option<&PathBuf>) -> Value {
    match server {
        Some(command) => json!({ "mcpServers": { "everything": { "command": command } } }),
        None => json!({ "mcpServers": {} }),
    }
}

/// Saves a graph, and measures one run of it.
async fn time(client: &mut Client, graph: &Value) -> Result<Duration, Box<dyn std::error::Error>> {
    let name = graph["id"].as_str().unwrap_or_default();
    let failed = |error: Box<dyn std::error::Error + Send + Sync>| error.to_string();
    client.put(&format!("/api/workflows/{name}"), &graph.to_string()).await.map_err(failed)?;
    let began = Instant::now();
    let started = client.post(&format!("/api/workflows/{name}/runs"), "{\"input\":1}").await;
    let started: Value = serde_json::from_str(&started.map_err(failed)?)?;
    let run = started["run_id"].as_str().unwrap_or_default();
    let ended = client.get(&format!("/api/runs/{run}/wait")).await.map_err(failed)?;
    let took = began.elapsed();
    let ended: Value = serde_json::from_str(&ended)?;
    if ended["status"] != "completed" {
        return Err(format!("{name}: {ended}").into());
    }
    Ok(took)
}

fn step(name: &str, needs: &Value) -> Value {
    let code = "export default (input) => input.n + 1";
    json!({ "name": name, "action": { "code": code }, "input": { "n": needs } })
}

fn wide() -> Value {
    let steps: Vec<Value> = (0..STEPS).map(|n| step(&format!("s{n}"), &json!("@input"))).collect();
    json!({ "id": "wide", "steps": steps })
}

fn deep() -> Value {
    let needs = |n: usize| if n == 0 { json!("@input") } else { json!(format!("@s{}", n - 1)) };
    let steps: Vec<Value> = (0..STEPS).map(|n| step(&format!("s{n}"), &needs(n))).collect();
    json!({ "id": "deep", "steps": steps })
}

/// Ten wide, a hundred deep; each row refers to the one before.
fn mixed() -> Value {
    const WIDTH: usize = 10;
    let needs = |n: usize| match n.checked_sub(WIDTH) {
        None => json!("@input"),
        Some(above) => json!(format!("@s{above}")),
    };
    let steps: Vec<Value> = (0..STEPS).map(|n| step(&format!("s{n}"), &needs(n))).collect();
    json!({ "id": "mixed", "steps": steps })
}

fn each() -> Value {
    let list = format!("export default () => Array.from({{ length: {ITEMS} }}, (_, n) => n)");
    json!({ "id": "each", "steps": [
        { "name": "list", "action": { "code": list } },
        { "name": "all", "forEach": { "ref": "@list", "concurrency": AT_ONCE }, "action": { "code": "export default (input) => input.n + 1" }, "input": { "n": "@item" } },
        { "name": "count", "action": { "code": "export default (input) => input.all.length" }, "input": { "all": "@all" } },
    ] })
}

fn calls(n: usize) -> Value {
    let list = format!("export default () => Array.from({{ length: {n} }}, (_, n) => n)");
    json!({ "id": "calls", "steps": [
        { "name": "list", "action": { "code": list } },
        { "name": "all", "forEach": { "ref": "@list", "concurrency": AT_ONCE }, "action": { "toolName": "echo" }, "input": { "message": "@item!" } },
        { "name": "count", "action": { "code": "export default (input) => input.all.length" }, "input": { "all": "@all" } },
    ] })
}

/// The same calls without anything recorded.
async fn bare_client(config: &Value) -> Result<Duration, Box<dyn std::error::Error>> {
    let config = McpConfig::parse(&config.to_string(), &|_| None)?;
    let servers = ToolServers::new(config, tokio::runtime::Handle::current());
    let tool = servers.find(stepwell_mcp::ToolName { server: None, tool: "echo" }).await?;
    let began = Instant::now();
    let mut clients = Vec::new();
    for at in 0..AT_ONCE {
        let (servers, tool) = (servers.clone(), std::sync::Arc::clone(&tool));
        clients.push(tokio::spawn(async move {
            for n in (at..CALLS).step_by(AT_ONCE) {
                let options =
                    CallOptions { timeout: Duration::from_secs(60), meta: Default::default() };
                servers.call(&tool, &json!({ "message": format!("{n}!") }), options).await?;
            }
            Ok::<_, stepwell_mcp::UpstreamError>(())
        }));
    }
    for client in clients {
        client.await??;
    }
    let took = began.elapsed();
    servers.close().await;
    Ok(took)
}
