//! Every setting there is: its name, what it takes, and how else it can be given.

use std::sync::OnceLock;

use serde_json::Value;
use stepwell_server::ServerConfig;

use super::show::plain;
use super::{Kind, Path, StoreUrl};

/// One setting.
#[derive(Debug)]
pub struct Setting {
    /// Its name in the file; `*` stands for a workflow's name.
    pub key: &'static str,
    pub kind: Kind,
    /// The option of `stepwell serve`. Secrets have none: every process of a machine can see options.
    pub flag: Option<&'static str>,
    /// A shorter name in the environment, beside the one that is made from the key.
    pub short_env: Option<&'static str>,
    /// What holds if it is not set and has no default; empty if it has one.
    pub unset: &'static str,
    pub about: &'static str,
}

const fn setting(key: &'static str, kind: Kind, about: &'static str) -> Setting {
    Setting { key, kind, flag: None, short_env: None, unset: "", about }
}

impl Setting {
    const fn flag(mut self, flag: &'static str) -> Setting {
        self.flag = Some(flag);
        self
    }

    const fn short_env(mut self, name: &'static str) -> Setting {
        self.short_env = Some(name);
        self
    }

    const fn unset(mut self, text: &'static str) -> Setting {
        self.unset = text;
        self
    }

    /// The parts of its name.
    pub fn path(&self) -> Path {
        self.key.split('.').map(str::to_owned).collect()
    }

    /// Whether it is one of each workflow's, which only the file can name.
    pub fn is_per_workflow(&self) -> bool {
        self.key.contains('*')
    }

    /// `STEPWELL_ACCESS__ADMIN_TOKEN`; none for what only the file can name.
    pub fn env(&self) -> Option<String> {
        let name = self.key.replace('.', "__").to_ascii_uppercase();
        (!self.is_per_workflow()).then(|| format!("STEPWELL_{name}"))
    }

    /// All names that it has in the environment.
    pub fn envs(&self) -> Vec<String> {
        self.env().into_iter().chain(self.short_env.map(str::to_owned)).collect()
    }

    /// What holds unless it is set, in words; empty if that is nothing.
    pub fn default_text(&self) -> String {
        match plain(&default_of(self)) {
            text if text.is_empty() => self.unset.to_owned(),
            text => text,
        }
    }

    pub fn is_secret(&self) -> bool {
        matches!(self.kind, Kind::Secret)
    }
}

pub const SETTINGS: &[Setting] = &[
    setting(
        "listen",
        Kind::Address,
        "Where to listen. Anything but loopback needs an admin token",
    )
    .flag("listen"),
    setting(
        "store",
        Kind::Store,
        "Where everything is kept: sqlite:PATH, from the working directory, or postgres://USER@HOST/DATABASE",
    )
    .flag("store"),
    setting(
        "mcp_config",
        Kind::Text,
        "A file that names the MCP servers whose tools graphs and recordings call: {\"mcpServers\": {...}}",
    )
    .flag("mcp-config")
    .unset("none"),
    setting(
        "shutdown_grace",
        Kind::Span,
        "How long a shut-down waits for requests and for steps under way",
    )
    .flag("shutdown-grace"),
    setting(
        "cluster.lease",
        Kind::Span,
        "How long others that share the PostgreSQL wait before they take over the runs of a server that says nothing: 500ms to 10m",
    )
    .flag("lease"),
    setting("cluster.name", Kind::Text, "What the others call this server")
        .flag("node-name")
        .unset("the machine's name"),
    setting(
        "cluster.writers",
        Kind::Count { min: 1 },
        "How many connections to the PostgreSQL write: 1 to 16",
    )
    .flag("writers"),
    setting(
        "files.dir",
        Kind::Text,
        "The folder whose TypeScript files are registered as workflows",
    )
    .flag("workflows")
    .short_env("STEPWELL_WORKFLOWS")
    .unset("none"),
    setting(
        "files.watch",
        Kind::Bool,
        "Whether files that change are registered again; runs in flight finish on the code that they began with",
    )
    .flag("watch"),
    setting("files.fetch", Kind::Bool, "Whether the code of files may make requests")
        .flag("fetch"),
    setting(
        "files.fetch_hosts",
        Kind::Texts,
        "The hosts that it may reach, such as api.example.com, localhost:8080 or *.example.com",
    )
    .flag("fetch-host")
    .unset("any"),
    setting(
        "files.memory_bytes_max",
        Kind::Count { min: 1_048_576 },
        "The memory that one call of a file's function may take, in bytes",
    )
    .flag("script-memory"),
    setting("files.step_time", Kind::Span, "How long a step of a file may take that has no timeout")
        .flag("step-time"),
    setting(
        "access.admin_token",
        Kind::Secret,
        "A token that may do everything in every namespace; at least 16 characters. With it, every request needs a token",
    )
    .short_env("STEPWELL_ADMIN_TOKEN")
    .unset("none"),
    setting(
        "access.token_required",
        Kind::Bool,
        "Whether every request needs a token",
    )
    .flag("token-required")
    .unset("only if there is an admin token"),
    setting(
        "access.origins",
        Kind::Texts,
        "Sites whose pages may call the API from a browser, such as https://ops.example.com",
    )
    .flag("origin")
    .unset("none"),
    setting(
        "access.hosts",
        Kind::Texts,
        "Host names that the server answers to without a token, beside those of loopback",
    )
    .flag("host")
    .unset("none"),
    setting("limits.body_bytes_max", Kind::Count { min: 1 }, "The largest request body, in bytes")
        .flag("body-bytes-max"),
    setting("limits.json_depth_max", Kind::Count { min: 1 }, "The deepest nesting of JSON in a body")
        .flag("json-depth-max"),
    setting(
        "limits.requests_max",
        Kind::Count { min: 1 },
        "How many requests may be under way at one time, live updates and waits not counted",
    )
    .flag("requests-max"),
    setting(
        "limits.readers_max",
        Kind::Count { min: 1 },
        "How many readers of live updates and waits there may be at one time",
    )
    .flag("readers-max"),
    setting("retention.completed", Kind::Span, "How long completed runs are kept, such as 30d")
        .flag("keep-completed")
        .unset("for ever"),
    setting("retention.failed", Kind::Span, "How long failed runs are kept")
        .flag("keep-failed")
        .unset("for ever"),
    setting("retention.cancelled", Kind::Span, "How long cancelled runs are kept")
        .flag("keep-cancelled")
        .unset("for ever"),
    setting(
        "telemetry.log",
        Kind::Text,
        "Which log lines are written: info, or finer such as info,stepwell_engine=debug",
    )
    .flag("log")
    .short_env("STEPWELL_LOG"),
    setting(
        "telemetry.log_format",
        Kind::Word(&["auto", "pretty", "json"]),
        "How log lines look; auto is pretty on a terminal, JSON otherwise",
    )
    .flag("log-format")
    .short_env("STEPWELL_LOG_FORMAT"),
    setting(
        "telemetry.otlp_endpoint",
        Kind::Text,
        "Where traces go over OTLP/HTTP, such as http://localhost:4318",
    )
    .flag("otlp-endpoint")
    .short_env("STEPWELL_OTLP_ENDPOINT")
    .unset("nowhere"),
    setting("telemetry.service_name", Kind::Text, "What the server is called in traces")
        .flag("service-name"),
    setting(
        "flows.public_url",
        Kind::Text,
        "Where services reach this server, for the webhooks of flows, such as https://flows.example.com",
    )
    .flag("public-url")
    .unset("the address it listens on"),
    setting(
        "flows.allowed_hosts",
        Kind::Texts,
        "Hosts that steps of flows may call: api.example.com, localhost:8080, *.example.com",
    )
    .flag("allowed-host")
    .unset("all"),
    setting("flows.response_bytes_max", Kind::Count { min: 1 }, "The largest response of a service, in bytes")
        .flag("response-bytes-max"),
    setting("flows.health_interval", Kind::Span, "How often services are asked whether they are well")
        .flag("health-interval"),
    setting("flows.memo_results_max", Kind::Count { min: 1 }, "How many results of memoizable steps are kept")
        .flag("memo-results-max"),
    setting("flows.memo_bytes_max", Kind::Count { min: 1 }, "How many bytes they may have together")
        .flag("memo-bytes-max"),
    setting(
        "flows.secrets.*",
        Kind::Secret,
        "What the requests of steps are signed with that name this secret: whsec_ and 16 to 128 bytes in base64",
    )
    .unset("none"),
    setting(
        "workflows.*.concurrency",
        Kind::Count { min: 1 },
        "How many runs may be under way at one time; more wait for a slot",
    )
    .unset("no bound"),
    setting("workflows.*.rate.runs", Kind::Count { min: 1 }, "How many runs may begin in rate.per")
        .unset("no bound"),
    setting("workflows.*.rate.per", Kind::Span, "The span of time of rate.runs").unset("no bound"),
    setting(
        "workflows.*.per_key.field",
        Kind::Text,
        "A field of the input, such as customer.id: the bounds of per_key hold for the runs that agree in it",
    )
    .unset("none"),
    setting("workflows.*.per_key.concurrency", Kind::Count { min: 1 }, "As concurrency, for each value of the field")
        .unset("no bound"),
    setting("workflows.*.per_key.rate.runs", Kind::Count { min: 1 }, "As rate.runs, for each value of the field")
        .unset("no bound"),
    setting("workflows.*.per_key.rate.per", Kind::Span, "As rate.per, for each value of the field")
        .unset("no bound"),
    setting("workflows.*.retention.completed", Kind::Span, "As retention.completed, for this workflow")
        .unset("as for all"),
    setting("workflows.*.retention.failed", Kind::Span, "As retention.failed, for this workflow")
        .unset("as for all"),
    setting("workflows.*.retention.cancelled", Kind::Span, "As retention.cancelled, for this workflow")
        .unset("as for all"),
];

/// The setting of this name.
pub fn find(path: &[String]) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| {
        let parts: Vec<&str> = setting.key.split('.').collect();
        parts.len() == path.len() && begins(&parts, path)
    })
}

/// Whether settings have names that begin so.
pub fn is_section(path: &[String]) -> bool {
    SETTINGS.iter().any(|setting| {
        let parts: Vec<&str> = setting.key.split('.').collect();
        parts.len() > path.len() && begins(&parts, path)
    })
}

fn begins(parts: &[&str], path: &[String]) -> bool {
    parts.iter().zip(path).all(|(part, given)| *part == "*" || part == given)
}

/// What holds unless it is set; null if that is nothing.
pub fn default_of(setting: &Setting) -> Value {
    static DEFAULTS: OnceLock<Value> = OnceLock::new();
    if setting.key == "store" {
        return Value::String(StoreUrl::default().to_string());
    }
    let defaults = DEFAULTS
        .get_or_init(|| serde_json::to_value(ServerConfig::default()).unwrap_or(Value::Null));
    setting
        .key
        .split('.')
        .fold(defaults, |value, part| value.get(part).unwrap_or(&Value::Null))
        .clone()
}
