//! One upstream server: connected when it is needed, kept, and connected again when it is lost.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rmcp::model::{ClientRequest, PaginatedRequestParams, PingRequest};
use rmcp::service::{Peer, RoleClient, ServiceError};
use serde::Serialize;
use tokio::task::AbortHandle;

use crate::client::Client;
use crate::config::{ServerConfig, TransportConfig};
use crate::connect::{Service, Stderr, connect};
use crate::error::UpstreamError;
use crate::limits::{CLOSE_TIMEOUT_MS, PING_EVERY_MS, PING_TIMEOUT_MS, TOOL_PAGES_MAX, TOOLS_MAX};
use crate::tools::{ToolInfo, ToolList};

/// How it stands with a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionState {
    /// Nobody has needed it yet, or it was lost and nobody has needed it since.
    Idle,
    Connecting,
    Connected,
    /// The last try failed.
    Failed,
}

pub(crate) struct Upstream {
    pub name: String,
    config: ServerConfig,
    /// Held while a connection is made: whoever comes meanwhile waits for it.
    live: tokio::sync::Mutex<Option<Live>>,
    known: Mutex<Known>,
    stderr: Stderr,
}

/// A connection. Dropping it ends it.
struct Live {
    service: Service,
    client: Client,
    pinging: AbortHandle,
}

/// What can be told without waiting.
#[derive(Default)]
struct Known {
    peer: Option<Peer<RoleClient>>,
    is_connecting: bool,
    /// Stays when the connection is lost: the next one most likely has the same.
    tools: Option<Arc<ToolList>>,
    /// Of the last try, if that failed.
    failure: Option<(Instant, UpstreamError)>,
    n_failures: u64,
    n_connections: u64,
}

impl Upstream {
    pub fn new(name: String, config: ServerConfig) -> Upstream {
        let (live, known) = (tokio::sync::Mutex::new(None), Mutex::default());
        Upstream { name, config, live, known, stderr: Stderr::default() }
    }

    /// A working connection. Must be called on the runtime that connections live on.
    pub async fn peer(&self) -> Result<Peer<RoleClient>, UpstreamError> {
        self.with_live(|live| live.service.peer().clone()).await
    }

    /// The server's tools: those that are remembered, unless it said that they have changed.
    pub async fn tools(&self) -> Result<Arc<ToolList>, UpstreamError> {
        let client = self.with_live(|live| live.client.clone()).await?;
        if !client.take_stale()
            && let Some(tools) = self.known_tools()
        {
            return Ok(tools);
        }
        let peer = self.peer().await?;
        let listed = tokio::time::timeout(self.config.connect_timeout, self.list(&peer)).await;
        match listed.unwrap_or_else(|_| Err(self.unreachable("it did not list its tools in time")))
        {
            Ok(tools) => {
                let tools = Arc::new(tools);
                self.known.lock().tools = Some(Arc::clone(&tools));
                Ok(tools)
            }
            Err(error) => {
                client.mark_stale();
                Err(error)
            }
        }
    }

    pub fn known_tools(&self) -> Option<Arc<ToolList>> {
        self.known.lock().tools.clone()
    }

    /// When the last try failed, if it did.
    pub fn failed_at(&self) -> Option<Instant> {
        self.known.lock().failure.as_ref().map(|(at, _)| *at)
    }

    pub fn state(&self) -> (ConnectionState, Option<String>) {
        let known = self.known.lock();
        let is_open = known.peer.as_ref().is_some_and(|peer| !peer.is_transport_closed());
        match (&known.failure, known.is_connecting, is_open) {
            (_, true, _) => (ConnectionState::Connecting, None),
            (None, _, true) => (ConnectionState::Connected, None),
            (Some((_, error)), ..) => (ConnectionState::Failed, Some(error.to_string())),
            (None, ..) => (ConnectionState::Idle, None),
        }
    }

    pub fn n_connections(&self) -> u64 {
        self.known.lock().n_connections
    }

    pub fn stderr_lines(&self) -> Vec<String> {
        self.stderr.lines()
    }

    /// `stdio` or `http`, and the program or address. Arguments and headers may hold secrets and are not told.
    pub fn describe(&self) -> (&'static str, &str) {
        match &self.config.transport {
            TransportConfig::Stdio { command, .. } => ("stdio", command),
            TransportConfig::Http { url, .. } => {
                ("http", url.split(['?', '#']).next().unwrap_or_default())
            }
        }
    }

    pub async fn close(&self) {
        let live = self.live.lock().await.take();
        if let Some(mut live) = live {
            let limit = Duration::from_millis(CLOSE_TIMEOUT_MS);
            let closed = live.service.close_with_timeout(limit).await;
            if !matches!(closed, Ok(Some(_))) {
                tracing::warn!(server = self.name, "an MCP server did not end in time");
            }
        }
    }

    pub fn unreachable(&self, problem: impl Into<String>) -> UpstreamError {
        UpstreamError::Unreachable { server: self.name.clone(), problem: problem.into() }
    }

    async fn with_live<T>(&self, take: impl FnOnce(&Live) -> T) -> Result<T, UpstreamError> {
        let n_failures = self.known.lock().n_failures;
        let mut slot = self.live.lock().await;
        if let Some(live) = &*slot
            && !live.service.peer().is_transport_closed()
        {
            return Ok(take(live));
        }
        *slot = None;
        {
            let mut known = self.known.lock();
            // Somebody tried while we waited for our turn: once is enough for both.
            if known.n_failures != n_failures
                && let Some((_, error)) = &known.failure
            {
                return Err(error.clone());
            }
            known.is_connecting = true;
        }
        let connected = self.connect().await;
        let mut known = self.known.lock();
        known.is_connecting = false;
        match connected {
            Ok((live, tools)) => {
                known.peer = Some(live.service.peer().clone());
                known.tools = Some(Arc::new(tools));
                known.failure = None;
                known.n_connections += 1;
                Ok(take(slot.insert(live)))
            }
            Err(error) => {
                tracing::warn!(server = self.name, %error, "an MCP server cannot be reached");
                known.failure = Some((Instant::now(), error.clone()));
                known.n_failures += 1;
                Err(error)
            }
        }
    }

    async fn connect(&self) -> Result<(Live, ToolList), UpstreamError> {
        let limit = self.config.connect_timeout;
        let connected = tokio::time::timeout(limit, async {
            let client = Client::default();
            let service = connect(&self.name, &self.config.transport, &client, &self.stderr).await;
            let service =
                service.map_err(|problem| self.unreachable(self.with_last_words(problem)))?;
            let tools = self.list(service.peer()).await?;
            let ends = service.cancellation_token();
            let watch = watch(self.name.clone(), service.peer().clone(), move || ends.cancel());
            let pinging = tokio::spawn(watch).abort_handle();
            Ok((Live { service, client, pinging }, tools))
        });
        connected.await.unwrap_or_else(|_| {
            let said = format!("it was not ready within {} ms", limit.as_millis());
            Err(self.unreachable(self.with_last_words(said)))
        })
    }

    fn with_last_words(&self, problem: String) -> String {
        match self.stderr.last() {
            Some(line) => format!("{problem}; it last said: {line}"),
            None => problem,
        }
    }

    async fn list(&self, peer: &Peer<RoleClient>) -> Result<ToolList, UpstreamError> {
        let offers_tools = peer.peer_info().is_none_or(|info| info.capabilities.tools.is_some());
        let (mut tools, mut cursor) = (ToolList::new(), None);
        if !offers_tools {
            return Ok(tools);
        }
        for _ in 0..TOOL_PAGES_MAX {
            let params = PaginatedRequestParams::default().with_cursor(cursor);
            let page = peer.list_tools(Some(params)).await;
            let page = page.map_err(|error| {
                self.unreachable(format!("it does not list its tools: {error}"))
            })?;
            for tool in page.tools {
                let info = ToolInfo::of(&self.name, tool);
                tools.insert(info.name.clone(), Arc::new(info));
            }
            if tools.len() > TOOLS_MAX {
                break;
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(tools);
            }
        }
        Err(self.unreachable(format!(
            "it lists more than {TOOLS_MAX} tools (TOOLS_MAX), or more than {TOOL_PAGES_MAX} pages of them"
        )))
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.pinging.abort();
    }
}

/// Asks a connection now and then whether it still works, and ends it if it does not.
async fn watch(server: String, peer: Peer<RoleClient>, end: impl FnOnce() + Send) {
    // The latest protocol has no ping: there, a lost connection shows with the next call.
    let has_ping = peer.peer_info().is_none_or(|info| info.protocol_version.has_initialize());
    if !has_ping {
        return;
    }
    loop {
        tokio::time::sleep(Duration::from_millis(PING_EVERY_MS)).await;
        let ping = ClientRequest::PingRequest(PingRequest::default());
        let limit = Duration::from_millis(PING_TIMEOUT_MS);
        match tokio::time::timeout(limit, peer.send_request(ping)).await {
            // An error is an answer, too.
            Ok(Ok(_) | Err(ServiceError::McpError(_))) => {}
            Ok(Err(error)) => {
                tracing::info!(server, %error, "an MCP server is gone");
                return end();
            }
            Err(_) => {
                tracing::info!(server, "an MCP server does not answer any more");
                return end();
            }
        }
    }
}
