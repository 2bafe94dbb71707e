//! `stepwell mcp`: the server's MCP endpoint over standard input and output; `stepwell mcp servers`.
//!
//! Each line of standard input is a message of JSON-RPC. It is posted to the endpoint, which keeps no sessions, and
//! what that answers goes to standard output, line by line.
//!
//! ```text
//!   client --stdin--> Bridge --POST /mcp--> server
//!          <-stdout-- lines <--JSON or SSE--
//! ```

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::StreamExt;
use serde_json::{Value, json};
use sse_stream::SseStream;
use stepwell_server::api::{ToolListView, ToolServerList};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::{AbortHandle, JoinSet};

use super::Cx;
use crate::args::{Mcp, McpCommand};
use crate::client::{Call, Client, Reply};
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::out::{Paint, Style, Table};

/// The error code of JSON-RPC for what went wrong on our side.
const INTERNAL_ERROR: i64 = -32_603;

/// How long the upstream servers may take to say what they have, beyond what an answer takes anyway.
const CONNECT_MS: u64 = 60_000;

/// How long a call over the bridge may take: the server decides.
const BRIDGED_MS: u64 = 900_000;

pub async fn mcp(cx: &mut Cx<'_>, mcp: Mcp) -> Result<Exit> {
    match mcp.command {
        Some(McpCommand::Servers) => servers(cx).await,
        None => bridge(cx.client.clone(), mcp.recording).await,
    }
}

async fn servers(cx: &mut Cx<'_>) -> Result<Exit> {
    let call = Call::get(&["api", "tools", "servers"]).with("connect", Some(true));
    let reply: Reply<ToolServerList> = cx.client.call(call.and_wait(CONNECT_MS)).await?;
    if cx.out.json {
        return cx.show(&reply, |_, _| String::new());
    }
    if reply.value.servers.is_empty() {
        cx.out.say("no MCP servers are configured: stepwell serve --mcp-config FILE")?;
    }
    let tools: Reply<ToolListView> = cx.client.call(Call::get(&["api", "tools"])).await?;
    cx.show(&reply, |list, style| servers_text(list, &tools.value, style))
}

fn servers_text(list: &ToolServerList, tools: &ToolListView, style: Style) -> String {
    let mut table = Table::new(["SERVER", "STATE", "TRANSPORT", "ADDRESS", "TOOLS"]);
    for server in &list.servers {
        let paint = match server.state.as_str() {
            "connected" => Paint::Good,
            "failed" => Paint::Bad,
            _ => Paint::Plain,
        };
        let own = tools.tools.iter().filter(|tool| tool.server == server.name);
        let names: Vec<&str> = own.map(|tool| tool.name.as_str()).collect();
        let said = server.error.clone().unwrap_or_else(|| names.join(", "));
        table.row([
            (Paint::Bold, server.name.clone()),
            (paint, server.state.clone()),
            (Paint::Plain, server.transport.clone()),
            (Paint::Dim, server.address.clone()),
            (Paint::Plain, said),
        ]);
    }
    table.render(style)
}

/// Carries messages until standard input ends.
async fn bridge(client: Client, recording: Option<String>) -> Result<Exit> {
    let bridge = Arc::new(Bridge {
        client,
        recording,
        version: Mutex::default(),
        out: Mutex::new(tokio::io::stdout()),
    });
    let mut lines = BufReader::new(tokio::io::stdin()).lines();
    let mut running = JoinSet::new();
    let mut by_id: BTreeMap<String, AbortHandle> = BTreeMap::new();
    while let Some(line) = lines.next_line().await? {
        if line.trim().is_empty() {
            continue;
        }
        let message: Value = match serde_json::from_str(&line) {
            Ok(message) => message,
            Err(error) => {
                let said = format!("this line is no JSON: {error}");
                bridge.write(&failure(&Value::Null, -32_700, &said)).await?;
                continue;
            }
        };
        if message["method"] == "notifications/cancelled" {
            // Nobody waits any more: dropping the request tells the server so.
            if let Some(request) = by_id.remove(&message["params"]["requestId"].to_string()) {
                request.abort();
            }
            continue;
        }
        // The handshake comes before everything else; after it, requests run side by side.
        if message["method"] == "initialize" {
            bridge.carry(message).await;
            continue;
        }
        let id = message.get("id").map(Value::to_string);
        let carried = Arc::clone(&bridge);
        let request = running.spawn(async move { carried.carry(message).await });
        by_id.extend(id.map(|id| (id, request)));
        by_id.retain(|_, request| !request.is_finished());
        while running.try_join_next().is_some() {}
    }
    while running.join_next().await.is_some() {}
    Ok(Exit::Ok)
}

struct Bridge {
    client: Client,
    recording: Option<String>,
    /// What the handshake agreed on.
    version: Mutex<Option<String>>,
    out: Mutex<tokio::io::Stdout>,
}

impl Bridge {
    async fn carry(&self, message: Value) {
        let id = message.get("id").cloned();
        if let Err(error) = self.post(&message).await {
            // A notification has no id, and nobody waits for an answer.
            let Some(id) = id else { return };
            let mut said = error.what.clone();
            if let Some(hint) = &error.hint {
                said.push_str(&format!(" ({hint})"));
            }
            // Standard output is gone only if the client is.
            let _ = self.write(&failure(&id, INTERNAL_ERROR, &said)).await;
        }
    }

    async fn post(&self, message: &Value) -> Result<()> {
        let path = match &self.recording {
            Some(id) => vec!["mcp", "recordings", id.as_str()],
            None => vec!["mcp"],
        };
        let call = Call::post(&path).body(message).and_wait(BRIDGED_MS);
        let mut headers = vec![("Accept", "application/json, text/event-stream".to_owned())];
        let meta = &message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
        let version = meta.as_str().map(str::to_owned).or(self.version.lock().await.clone());
        if let Some(version) = version.filter(|_| message["method"] != "initialize") {
            headers.push(("MCP-Protocol-Version", version));
            // The latest protocol wants what a proxy routes by, too.
            if let Some(method) = message["method"].as_str() {
                headers.push(("Mcp-Method", method.to_owned()));
            }
            if let Some(name) = message["params"]["name"].as_str().filter(|name| name.is_ascii()) {
                headers.push(("Mcp-Name", name.to_owned()));
            }
        }
        let response = self.client.open(call, &headers).await?;
        let kind = response.headers().get("content-type").and_then(|value| value.to_str().ok());
        if kind.is_some_and(|kind| kind.starts_with("text/event-stream")) {
            let mut events = SseStream::from_bytes_stream(response.bytes_stream());
            while let Some(event) = events.next().await {
                let event = event
                    .map_err(|error| Error::local(format!("the answer broke off: {error}")))?;
                if let Some(data) = event.data.filter(|data| !data.trim().is_empty()) {
                    self.answer(&data).await?;
                }
            }
            return Ok(());
        }
        let text = response
            .text()
            .await
            .map_err(|error| Error::local(format!("the answer broke off: {error}")))?;
        if text.trim().is_empty() { Ok(()) } else { self.answer(&text).await }
    }

    async fn answer(&self, text: &str) -> Result<()> {
        let answer: Value = serde_json::from_str(text)
            .map_err(|error| Error::local(format!("the server answered with no JSON: {error}")))?;
        if let Some(version) = answer["result"]["protocolVersion"].as_str() {
            *self.version.lock().await = Some(version.to_owned());
        }
        self.write(&answer).await
    }

    async fn write(&self, message: &Value) -> Result<()> {
        let mut out = self.out.lock().await;
        out.write_all(format!("{message}\n").as_bytes()).await?;
        out.flush().await?;
        Ok(())
    }
}

fn failure(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}
