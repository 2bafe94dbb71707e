//! What a server is told: every value has a default that is safe on a developer's machine.

mod flows;
mod span;

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use stepwell_store::StoreError;

pub use flows::FlowsConfig;
pub use span::Span;

/// The server's settings. Sections and names are those of `stepwell.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ServerConfig {
    /// Where to listen. Anything but loopback needs `access.admin_token`.
    pub listen: SocketAddr,
    /// A file that names the MCP servers whose tools graphs may call: `{"mcpServers": {…}}`.
    pub mcp_config: Option<PathBuf>,
    pub access: AccessConfig,
    pub limits: LimitsConfig,
    pub retention: RetentionConfig,
    /// By the workflow's name.
    pub workflows: BTreeMap<String, WorkflowConfig>,
    pub files: FilesConfig,
    pub flows: FlowsConfig,
    pub telemetry: TelemetryConfig,
    pub cluster: ClusterConfig,
    /// How long a shut-down waits for requests and for step bodies.
    pub shutdown_grace: Span,
}

/// Who may do what.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AccessConfig {
    /// A token that may do everything in every namespace. With it, every request needs a token.
    #[serde(skip_serializing)]
    pub admin_token: Option<String>,
    /// Whether every request needs a token; by default only if there is an admin token.
    pub token_required: Option<bool>,
    /// Sites whose pages may call the API from a browser, such as `https://ops.example.com`.
    pub origins: Vec<String>,
    /// Host names that the server answers to without a token, beside those of loopback.
    pub hosts: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsConfig {
    /// The largest request body.
    pub body_bytes_max: usize,
    /// The deepest nesting of JSON in a body.
    pub json_depth_max: usize,
    /// How many requests may be under way at one time, live updates and waits not counted.
    pub requests_max: usize,
    /// How many readers of live updates and waits there may be at one time.
    pub readers_max: usize,
}

/// How long ended runs are kept; for ever if left out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RetentionConfig {
    pub completed: Option<Span>,
    pub failed: Option<Span>,
    pub cancelled: Option<Span>,
}

/// What one workflow's runs may use.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct WorkflowConfig {
    /// How many runs may be under way at one time; more wait for a slot.
    pub concurrency: Option<u32>,
    /// How many runs may begin in a span of time.
    pub rate: Option<RateConfig>,
    /// The same for the runs that agree in a field of their input.
    pub per_key: Option<KeyConfig>,
    pub retention: Option<RetentionConfig>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateConfig {
    pub runs: u32,
    pub per: Span,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyConfig {
    /// The field, such as `customer.id`.
    pub field: String,
    #[serde(default)]
    pub concurrency: Option<u32>,
    #[serde(default)]
    pub rate: Option<RateConfig>,
}

/// Workflows that are TypeScript files, and what their code may use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FilesConfig {
    /// The folder whose files are registered; none if left out.
    pub dir: Option<PathBuf>,
    /// Whether files that change are registered again.
    pub watch: bool,
    /// Whether `fetch` and `httpStep` may make requests.
    pub fetch: bool,
    /// The hosts that they may go to, such as `api.example.com`, `localhost:8080` or `*.example.com`; any if empty.
    pub fetch_hosts: Vec<String>,
    /// What the values of one call may take.
    pub memory_bytes_max: usize,
    /// How long a step may take that has no timeout.
    pub step_time: Span,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TelemetryConfig {
    /// Which log lines are written: `info`, or finer such as `info,stepwell_engine=debug`.
    pub log: String,
    pub log_format: LogFormat,
    /// Where traces go over OTLP/HTTP, such as `http://localhost:4318`; nowhere if left out.
    pub otlp_endpoint: Option<String>,
    pub service_name: String,
}

/// This server beside the others that share its PostgreSQL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClusterConfig {
    /// How long others wait before they take over the runs of a server that says nothing.
    pub lease: Span,
    /// What the others call this server; the machine's name if left out.
    pub name: Option<String>,
    /// How many connections write.
    pub writers: u16,
}

/// A shorter lease would run out between two beats on a busy machine.
pub const LEASE_MS_MIN: u64 = 500;
/// After a longer one nobody would wait for a node that died.
pub const LEASE_MS_MAX: u64 = 600_000;
/// More connections that write make smaller groups, not more speed.
pub const WRITERS_MAX: u16 = 16;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// Pretty on a terminal, JSON otherwise.
    #[default]
    Auto,
    Pretty,
    Json,
}

/// Why a server cannot run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    #[error(
        "{listen} can be reached from other machines, so an admin token is needed: set access.admin_token (or STEPWELL_ADMIN_TOKEN), or listen on 127.0.0.1"
    )]
    Unprotected { listen: SocketAddr },
    #[error("the admin token has {n_chars} characters; at least {chars_min} are needed")]
    WeakAdminToken { n_chars: usize, chars_min: usize },
    #[error("`{value}` in {setting} cannot be used: {problem}")]
    Setting { setting: String, value: String, problem: String },
    #[error("{listen} cannot be listened on")]
    Listen { listen: SocketAddr, source: std::io::Error },
    #[error("the metrics or traces cannot be set up: {0}")]
    Telemetry(String),
    #[error("scripts cannot make requests: {0}")]
    Fetch(String),
    #[error("flows cannot be set up: {0}")]
    Flows(String),
    #[error("the saved graphs cannot be read: {0}")]
    Graphs(String),
    #[error("the store failed")]
    Store(#[from] StoreError),
    #[error("the server stopped")]
    Io(#[from] std::io::Error),
}

/// The shortest admin token that is taken.
pub const ADMIN_TOKEN_CHARS_MIN: usize = 16;

impl ServerConfig {
    /// Says what makes no sense, before anything is opened.
    pub fn check(&self) -> Result<(), ServeError> {
        if let Some(token) = &self.access.admin_token {
            let n_chars = token.chars().count();
            if n_chars < ADMIN_TOKEN_CHARS_MIN {
                return Err(ServeError::WeakAdminToken {
                    n_chars,
                    chars_min: ADMIN_TOKEN_CHARS_MIN,
                });
            }
        } else if !self.listen.ip().is_loopback() {
            return Err(ServeError::Unprotected { listen: self.listen });
        }
        if let Some(endpoint) = &self.telemetry.otlp_endpoint
            && !reqwest::Url::parse(endpoint).is_ok_and(|url| url.scheme().starts_with("http"))
        {
            return Err(ServeError::Setting {
                setting: "telemetry.otlp_endpoint".to_owned(),
                value: endpoint.clone(),
                problem: "give a URL such as http://localhost:4318".to_owned(),
            });
        }
        if let Some(dir) = &self.files.dir
            && !dir.is_dir()
        {
            return Err(ServeError::Setting {
                setting: "files.dir".to_owned(),
                value: dir.display().to_string(),
                problem: "there is no such folder: give one that holds workflow files".to_owned(),
            });
        }
        self.flows.check()?;
        self.cluster.check()?;
        for origin in &self.access.origins {
            let is_origin = origin == "*"
                || (origin.starts_with("http://") || origin.starts_with("https://"))
                    && origin.matches('/').count() == 2;
            if !is_origin {
                return Err(ServeError::Setting {
                    setting: "access.origins".to_owned(),
                    value: origin.clone(),
                    problem: "give scheme and host alone, such as https://ops.example.com"
                        .to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Whether requests without a token are refused.
    pub fn needs_token(&self) -> bool {
        self.access.token_required.unwrap_or(self.access.admin_token.is_some())
    }
}

impl Default for ServerConfig {
    fn default() -> ServerConfig {
        ServerConfig {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 7070)),
            mcp_config: None,
            access: AccessConfig::default(),
            limits: LimitsConfig::default(),
            retention: RetentionConfig::default(),
            workflows: BTreeMap::new(),
            files: FilesConfig::default(),
            flows: FlowsConfig::default(),
            telemetry: TelemetryConfig::default(),
            cluster: ClusterConfig::default(),
            shutdown_grace: Span::from_ms(10_000),
        }
    }
}

impl ClusterConfig {
    fn check(&self) -> Result<(), ServeError> {
        let wrong = |name: &str, value: String, problem: String| {
            Err(ServeError::Setting { setting: format!("cluster.{name}"), value, problem })
        };
        if !(LEASE_MS_MIN..=LEASE_MS_MAX).contains(&self.lease.as_ms()) {
            let (min, max) = (Span::from_ms(LEASE_MS_MIN), Span::from_ms(LEASE_MS_MAX));
            return wrong("lease", self.lease.to_string(), format!("give {min} to {max}"));
        }
        if !(1..=WRITERS_MAX).contains(&self.writers) {
            return wrong("writers", self.writers.to_string(), format!("give 1 to {WRITERS_MAX}"));
        }
        Ok(())
    }
}

impl Default for ClusterConfig {
    fn default() -> ClusterConfig {
        ClusterConfig { lease: Span::from_ms(10_000), name: None, writers: 2 }
    }
}

impl Default for LimitsConfig {
    fn default() -> LimitsConfig {
        LimitsConfig {
            body_bytes_max: 8 * 1024 * 1024,
            json_depth_max: 64,
            requests_max: 4_096,
            readers_max: 10_000,
        }
    }
}

impl Default for FilesConfig {
    fn default() -> FilesConfig {
        FilesConfig {
            dir: None,
            watch: false,
            fetch: true,
            fetch_hosts: Vec::new(),
            memory_bytes_max: 64 << 20,
            step_time: Span::from_ms(300_000),
        }
    }
}

impl Default for TelemetryConfig {
    fn default() -> TelemetryConfig {
        TelemetryConfig {
            log: "info".to_owned(),
            log_format: LogFormat::Auto,
            otlp_endpoint: None,
            service_name: "stepwell".to_owned(),
        }
    }
}

/// Never prints the token.
impl std::fmt::Debug for AccessConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccessConfig")
            .field("admin_token", &self.admin_token.as_ref().map(|_| "(set)"))
            .field("token_required", &self.token_required)
            .field("origins", &self.origins)
            .field("hosts", &self.hosts)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listening(listen: &str, admin_token: Option<&str>) -> ServerConfig {
        let mut config = ServerConfig { listen: listen.parse().unwrap(), ..Default::default() };
        config.access.admin_token = admin_token.map(str::to_owned);
        config
    }

    #[test]
    fn other_machines_only_come_in_with_a_token() {
        assert!(listening("127.0.0.1:0", None).check().is_ok());
        assert!(listening("[::1]:0", None).check().is_ok());
        let error = listening("0.0.0.0:7070", None).check().unwrap_err();
        assert!(error.to_string().contains("admin token"), "{error}");
        assert!(listening("0.0.0.0:7070", Some("0123456789abcdef")).check().is_ok());
        assert!(listening("0.0.0.0:7070", Some("short")).check().is_err());
    }

    #[test]
    fn a_cluster_has_bounds() {
        let check = |lease_ms, writers| {
            let cluster = ClusterConfig { lease: Span::from_ms(lease_ms), name: None, writers };
            cluster.check()
        };
        for (lease_ms, writers) in [(LEASE_MS_MIN, 1), (LEASE_MS_MAX, WRITERS_MAX)] {
            assert!(check(lease_ms, writers).is_ok());
        }
        for (lease_ms, writers) in
            [(LEASE_MS_MIN - 1, 2), (LEASE_MS_MAX + 1, 2), (10_000, 0), (10_000, WRITERS_MAX + 1)]
        {
            assert!(check(lease_ms, writers).is_err(), "{lease_ms} {writers}");
        }
        let error = check(20, 2).unwrap_err().to_string();
        assert_eq!(error, "`20ms` in cluster.lease cannot be used: give 500ms to 10m");
    }

    #[test]
    fn an_admin_token_makes_tokens_required() {
        assert!(!listening("127.0.0.1:0", None).needs_token());
        assert!(listening("127.0.0.1:0", Some("0123456789abcdef")).needs_token());
    }

    #[test]
    fn unknown_settings_are_refused_and_tokens_not_printed() {
        assert!(toml::from_str::<ServerConfig>("lisen = '127.0.0.1:1'").is_err());
        let config = listening("127.0.0.1:0", Some("0123456789abcdef"));
        assert!(!format!("{config:?}").contains("0123456789abcdef"));
        assert!(!toml::to_string(&config).unwrap().contains("0123456789abcdef"));
    }
}
