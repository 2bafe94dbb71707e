//! Making one connection to an upstream server.

use std::collections::{HashMap, VecDeque};
use std::process::Stdio;
use std::sync::Arc;

use parking_lot::Mutex;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use rmcp::model::ProtocolVersion;
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt, RoleClient, RunningService,
};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::process::{ChildStderr, Command};

use crate::client::Client;
use crate::config::TransportConfig;
use crate::limits::{STDERR_LINE_BYTES_MAX, STDERR_LINES_KEPT};

/// What a program that we start sees of our environment, beside what its configuration gives it. Tokens of ours
/// are not among it.
const PASSED_ON: &[&str] =
    &["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

pub(crate) type Service = RunningService<RoleClient, Client>;

/// What a server last wrote to its standard error: it often says why it does not work.
#[derive(Clone, Default)]
pub(crate) struct Stderr {
    lines: Arc<Mutex<VecDeque<String>>>,
}

impl Stderr {
    pub fn last(&self) -> Option<String> {
        self.lines.lock().back().cloned()
    }

    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().iter().cloned().collect()
    }

    fn push(&self, line: String) {
        let mut lines = self.lines.lock();
        if lines.len() == STDERR_LINES_KEPT {
            lines.pop_front();
        }
        lines.push_back(line);
    }
}

/// Connects and shakes hands; an error is said in words.
pub(crate) async fn connect(
    server: &str,
    transport: &TransportConfig,
    client: &Client,
    stderr: &Stderr,
) -> Result<Service, String> {
    // Almost every server knows the handshake; one that does not says so in an answer, and is asked the other way.
    match attempt(server, transport, client, stderr, ClientLifecycleMode::Initialize).await? {
        Ok(service) => Ok(service),
        Err(ClientInitializeError::JsonRpcError(first)) => {
            let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
            let mode = ClientLifecycleMode::Discover { preferred_versions };
            let second = attempt(server, transport, client, stderr, mode).await?;
            second.map_err(|_| first.to_string())
        }
        Err(error) => Err(error.to_string()),
    }
}

async fn attempt(
    server: &str,
    transport: &TransportConfig,
    client: &Client,
    stderr: &Stderr,
    mode: ClientLifecycleMode,
) -> Result<Result<Service, ClientInitializeError>, String> {
    match transport {
        TransportConfig::Stdio { command, args, env, cwd } => {
            let mut program = Command::new(command);
            program.args(args).env_clear();
            let passed_on =
                PASSED_ON.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)));
            program.envs(passed_on).envs(env);
            if let Some(cwd) = cwd {
                program.current_dir(cwd);
            }
            let spawned = TokioChildProcess::builder(program).stderr(Stdio::piped()).spawn();
            let (process, said) =
                spawned.map_err(|error| format!("`{command}` cannot be started: {error}"))?;
            if let Some(said) = said {
                tokio::spawn(listen_to(server.to_owned(), said, stderr.clone()));
            }
            Ok(client.clone().serve_with_lifecycle(process, mode).await)
        }
        TransportConfig::Http { url, headers } => {
            let config = http_config(url, headers)?;
            let transport = StreamableHttpClientTransport::from_config(config);
            Ok(client.clone().serve_with_lifecycle(transport, mode).await)
        }
    }
}

fn http_config(
    url: &str,
    headers: &std::collections::BTreeMap<String, String>,
) -> Result<StreamableHttpClientTransportConfig, String> {
    // Fails only if another part of the program was first, which will do as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut config = StreamableHttpClientTransportConfig::with_uri(url);
    let mut others = HashMap::new();
    for (name, value) in headers {
        let bad = |what: &str| format!("the header `{name}` has a {what} that cannot be sent");
        let parsed = HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad("name"))?;
        match value.strip_prefix("Bearer ") {
            Some(token) if parsed == AUTHORIZATION => config = config.auth_header(token),
            _ => {
                others.insert(parsed, HeaderValue::from_str(value).map_err(|_| bad("value"))?);
            }
        }
    }
    Ok(config.custom_headers(others).max_concurrent_requests(256))
}

/// Logs what the server writes, and keeps the last lines.
async fn listen_to(server: String, said: ChildStderr, stderr: Stderr) {
    let mut reader = BufReader::new(said);
    loop {
        let mut line = Vec::new();
        let limit = STDERR_LINE_BYTES_MAX as u64;
        match (&mut reader).take(limit).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                let line = String::from_utf8_lossy(&line).trim_end().to_owned();
                tracing::debug!(server, line, "an MCP server says");
                if !line.is_empty() {
                    stderr.push(line);
                }
            }
        }
    }
}
