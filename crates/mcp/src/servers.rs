//! All upstream servers together.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use rmcp::model::{CallToolRequestParams, CallToolResponse, MetaObject, RequestMetaObject};
use rmcp::service::ServiceError;
use serde::Serialize;
use serde_json::{Map, Value};
use stepwell_graph::ToolName;
use tokio::runtime::Handle;

use crate::config::McpConfig;
use crate::error::UpstreamError;
use crate::limits::RETRY_AFTER_MS;
use crate::tools::{CallOptions, Called, ToolInfo, ToolList};
use crate::upstream::{ConnectionState, Upstream};

/// The upstream servers of a configuration. Cheap to clone.
#[derive(Clone)]
pub struct ToolServers {
    upstreams: Arc<BTreeMap<String, Arc<Upstream>>>,
    /// Where connections live: they outlast whoever asked for them.
    runtime: Handle,
}

/// A server's tools, or why it does not tell.
#[derive(Debug, Clone)]
pub struct ServerTools {
    pub server: String,
    pub tools: Result<Vec<Arc<ToolInfo>>, UpstreamError>,
}

/// How it stands with a server.
#[derive(Debug, Clone, Serialize)]
pub struct ServerStatus {
    pub name: String,
    /// `stdio` or `http`.
    pub transport: &'static str,
    /// The program, or the address without its query.
    pub address: String,
    pub state: ConnectionState,
    /// Why the last try failed.
    pub error: Option<String>,
    /// None if they were never listed.
    pub n_tools: Option<usize>,
    /// How often it was connected; more than once means that it was lost.
    pub n_connections: u64,
    /// What it last wrote to its standard error.
    pub said: Vec<String>,
}

impl ToolServers {
    /// Connects to nobody yet. Connections will live on this runtime.
    pub fn new(config: McpConfig, runtime: Handle) -> ToolServers {
        let upstream =
            |(name, config): (String, _)| (name.clone(), Arc::new(Upstream::new(name, config)));
        let upstreams = config.servers.into_iter().map(upstream).collect();
        ToolServers { upstreams: Arc::new(upstreams), runtime }
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.upstreams.keys().map(String::as_str)
    }

    /// Finds a tool: on the server that is named, or on the only one that has it.
    pub async fn find(&self, name: ToolName<'_>) -> Result<Arc<ToolInfo>, UpstreamError> {
        match name.server {
            Some(server) => self.find_on(server, name.tool).await,
            None => self.find_anywhere(name.tool).await,
        }
    }

    /// The same from what is remembered, without asking anybody.
    pub fn known(&self, name: ToolName<'_>) -> Option<Arc<ToolInfo>> {
        let on = |upstream: &Arc<Upstream>| upstream.known_tools()?.get(name.tool).cloned();
        match name.server {
            Some(server) => self.upstreams.get(server).and_then(on),
            None => {
                let mut found = self.upstreams.values().filter_map(on);
                found.next().filter(|_| found.next().is_none())
            }
        }
    }

    /// Every server's tools. Servers that are not connected are.
    pub async fn list(&self) -> Vec<ServerTools> {
        let listing = self.upstreams.values().map(|upstream| async move {
            let tools = self.tools_of(upstream).await;
            let tools = tools.map(|tools| tools.values().cloned().collect());
            ServerTools { server: upstream.name.clone(), tools }
        });
        join_all(listing).await
    }

    /// Calls a tool that was found.
    pub async fn call(
        &self,
        tool: &ToolInfo,
        input: &Value,
        options: CallOptions,
    ) -> Result<Called, UpstreamError> {
        let arguments = match input {
            Value::Object(arguments) => arguments.clone(),
            Value::Null => Map::new(),
            _ => return Err(refused(tool, "a tool's input is an object")),
        };
        let upstream = self.upstream(&tool.server)?;
        let called = self.call_once(upstream, tool, &arguments, &options).await;
        match called {
            // Nobody knows whether it was carried out, and that does not matter here.
            Err(UpstreamError::Broken { .. }) if tool.tool.may_repeat() => {
                self.call_once(upstream, tool, &arguments, &options).await
            }
            called => called,
        }
    }

    pub fn status(&self) -> Vec<ServerStatus> {
        let status = |upstream: &Arc<Upstream>| {
            let (state, error) = upstream.state();
            let (transport, address) = upstream.describe();
            ServerStatus {
                name: upstream.name.clone(),
                transport,
                address: address.to_owned(),
                state,
                error,
                n_tools: upstream.known_tools().map(|tools| tools.len()),
                n_connections: upstream.n_connections(),
                said: upstream.stderr_lines(),
            }
        };
        self.upstreams.values().map(status).collect()
    }

    /// Ends all connections, and the programs that were started.
    pub async fn close(&self) {
        join_all(self.upstreams.values().map(|upstream| upstream.close())).await;
    }

    async fn call_once(
        &self,
        upstream: &Arc<Upstream>,
        tool: &ToolInfo,
        arguments: &Map<String, Value>,
        options: &CallOptions,
    ) -> Result<Called, UpstreamError> {
        let connecting = Arc::clone(upstream);
        let peer = self.on_runtime(async move { connecting.peer().await }, upstream).await?;
        let mut params =
            CallToolRequestParams::new(tool.name.clone()).with_arguments(arguments.clone());
        params.meta = Some(RequestMetaObject(MetaObject(options.meta.clone())));
        let called = tokio::time::timeout(options.timeout, peer.call_tool_once(params)).await;
        let (server, name) = (tool.server.clone(), tool.name.clone());
        let unsupported = |problem: &str| UpstreamError::Unsupported {
            server: server.clone(),
            tool: name.clone(),
            problem: problem.to_owned(),
        };
        match called {
            Ok(Ok(CallToolResponse::Complete(answer))) => Ok(Called::of(answer)),
            Ok(Ok(CallToolResponse::InputRequired(_))) => Err(unsupported(
                "asks for input in the middle of the call, which nobody can give here",
            )),
            Ok(Ok(_)) => Err(unsupported("answers with something other than a result")),
            Ok(Err(ServiceError::McpError(error))) => Err(refused(tool, &error.message)),
            Ok(Err(ServiceError::UnexpectedResponse)) => {
                Err(refused(tool, "it answered with something that is no result of a tool"))
            }
            Ok(Err(error)) => {
                Err(UpstreamError::Broken { server, tool: name, problem: error.to_string() })
            }
            Err(_) => {
                let timeout_ms = u64::try_from(options.timeout.as_millis()).unwrap_or(u64::MAX);
                Err(UpstreamError::TimedOut { server, tool: name, timeout_ms })
            }
        }
    }

    async fn find_on(&self, server: &str, tool: &str) -> Result<Arc<ToolInfo>, UpstreamError> {
        let upstream = self.upstream(server)?;
        let tools = self.tools_of(upstream).await?;
        tools.get(tool).cloned().ok_or_else(|| UpstreamError::UnknownTool {
            server: server.to_owned(),
            tool: tool.to_owned(),
            near: nearest(tool, tools.keys()),
        })
    }

    async fn find_anywhere(&self, tool: &str) -> Result<Arc<ToolInfo>, UpstreamError> {
        let asked = self.upstreams.values().map(|upstream| async move {
            let left_alone = upstream
                .failed_at()
                .is_some_and(|at| at.elapsed() < Duration::from_millis(RETRY_AFTER_MS));
            let tools = match (left_alone, upstream.known_tools()) {
                (true, known) => known,
                (false, _) => self.tools_of(upstream).await.ok().or_else(|| upstream.known_tools()),
            };
            (upstream.name.clone(), tools)
        });
        let asked = join_all(asked).await;
        let on = |(_, tools): &(String, Option<Arc<ToolList>>)| tools.as_ref()?.get(tool).cloned();
        let found: Vec<Arc<ToolInfo>> = asked.iter().filter_map(on).collect();
        match found.as_slice() {
            [only] => Ok(Arc::clone(only)),
            [] => {
                let lists = asked.iter().filter_map(|(_, tools)| tools.as_ref());
                let near = nearest(tool, lists.flat_map(|tools| tools.keys()));
                let unasked = asked.iter().filter(|(_, tools)| tools.is_none());
                let unasked = unasked.map(|(name, _)| name.clone()).collect();
                Err(UpstreamError::NoSuchTool { tool: tool.to_owned(), near, unasked })
            }
            several => Err(UpstreamError::Ambiguous {
                tool: tool.to_owned(),
                servers: several.iter().map(|tool| tool.server.clone()).collect(),
            }),
        }
    }

    async fn tools_of(&self, upstream: &Arc<Upstream>) -> Result<Arc<ToolList>, UpstreamError> {
        let asked = Arc::clone(upstream);
        self.on_runtime(async move { asked.tools().await }, upstream).await
    }

    /// Runs it to its end on the connections' own runtime, also if nobody waits for it any more.
    async fn on_runtime<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, UpstreamError>> + Send + 'static,
        upstream: &Upstream,
    ) -> Result<T, UpstreamError> {
        match self.runtime.spawn(work).await {
            Ok(result) => result,
            Err(error) => Err(upstream.unreachable(format!("the connection failed: {error}"))),
        }
    }

    fn upstream(&self, server: &str) -> Result<&Arc<Upstream>, UpstreamError> {
        self.upstreams.get(server).ok_or_else(|| UpstreamError::UnknownServer {
            server: server.to_owned(),
            known: self.names().map(str::to_owned).collect(),
        })
    }
}

fn refused(tool: &ToolInfo, problem: &str) -> UpstreamError {
    UpstreamError::Refused {
        server: tool.server.clone(),
        tool: tool.name.clone(),
        problem: problem.to_owned(),
    }
}

/// A name that was probably meant.
fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n String>) -> Option<String> {
    const LIKENESS_MIN: f64 = 0.7;
    let wanted = name.to_lowercase();
    let likeness = |known: &String| strsim::jaro_winkler(&wanted, &known.to_lowercase());
    let scored = known.map(|known| (likeness(known), known));
    let best = scored.max_by(|(one, _), (other, _)| one.total_cmp(other));
    best.filter(|(likeness, _)| *likeness >= LIKENESS_MIN).map(|(_, name)| name.clone())
}
