//! Which tool servers there are: the `mcpServers` JSON that other programs use, too.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value};

use crate::limits::{
    CONNECT_TIMEOUT_MS, CONNECT_TIMEOUT_MS_MAX, SERVER_NAME_BYTES_MAX, SERVERS_MAX,
};

/// Fields that other programs keep in the same file and that say nothing about the connection.
const FOREIGN: &[&str] =
    &["alwaysAllow", "autoApprove", "description", "disabledTools", "icon", "timeout", "title"];

/// The upstream servers, by name. Not to be printed: it may hold secrets.
#[derive(Clone, Default)]
pub struct McpConfig {
    pub servers: BTreeMap<String, ServerConfig>,
}

#[derive(Clone)]
pub struct ServerConfig {
    pub transport: TransportConfig,
    /// From the start of a connection to the list of tools.
    pub connect_timeout: Duration,
}

#[derive(Clone)]
pub enum TransportConfig {
    /// A program that is started, and spoken to over its standard input and output.
    Stdio {
        command: String,
        args: Vec<String>,
        env: BTreeMap<String, String>,
        cwd: Option<PathBuf>,
    },
    /// A server that is there already.
    Http { url: String, headers: BTreeMap<String, String> },
}

/// What is wrong with a configuration, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{problem}", place(at))]
pub struct ConfigError {
    /// Such as `mcpServers.files.command`; empty for the whole.
    pub at: String,
    pub problem: String,
}

impl McpConfig {
    /// Reads a file. `${NAME}` in its texts stands for a variable of this process's environment, and
    /// `${NAME:-text}` for that or, where it is not set, the text.
    pub fn read(path: &Path) -> Result<McpConfig, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| wrong("", format!("{} cannot be read: {error}", path.display())))?;
        McpConfig::parse(&text, &|name| std::env::var(name).ok()).map_err(|error| ConfigError {
            problem: format!("{error}"),
            at: path.display().to_string(),
        })
    }

    pub fn parse(
        text: &str,
        environment: &dyn Fn(&str) -> Option<String>,
    ) -> Result<McpConfig, ConfigError> {
        let value: Value = serde_json::from_str(text)
            .map_err(|error| wrong("", format!("this is not JSON: {error}")))?;
        let servers = value.get("mcpServers").ok_or_else(|| {
            wrong("", "there is no `mcpServers`: {\"mcpServers\": {\"name\": {\"command\": …}}}")
        })?;
        let servers = object("mcpServers", servers)?;
        if servers.len() > SERVERS_MAX {
            let said =
                format!("{} servers are more than SERVERS_MAX, {SERVERS_MAX}", servers.len());
            return Err(wrong("mcpServers", said));
        }
        let mut config = McpConfig::default();
        for (name, server) in servers {
            let at = format!("mcpServers.{name}");
            check_name(&at, name)?;
            let reader =
                Reader { at, fields: object(&format!("mcpServers.{name}"), server)?, environment };
            if let Some(server) = reader.server()? {
                config.servers.insert(name.clone(), server);
            }
        }
        Ok(config)
    }
}

/// The fields of one server.
struct Reader<'a> {
    at: String,
    fields: &'a Map<String, Value>,
    environment: &'a dyn Fn(&str) -> Option<String>,
}

impl Reader<'_> {
    /// None if it is switched off.
    fn server(&self) -> Result<Option<ServerConfig>, ConfigError> {
        let kind = self.text("type")?;
        let (command, url) = (self.text("command")?, self.text("url")?);
        let transport = match (command, url, kind.as_deref()) {
            (_, _, Some("sse")) => {
                let said = "the transport `sse` is outdated and not spoken here: use the server's \
                            streamable HTTP address";
                return Err(self.wrong("type", said));
            }
            (Some(command), None, None | Some("stdio")) => {
                self.only(&["command", "args", "env", "cwd"])?;
                if command.is_empty() {
                    return Err(self.wrong("command", "name a program"));
                }
                TransportConfig::Stdio {
                    command,
                    args: self.texts("args")?,
                    env: self.table("env")?,
                    cwd: self.text("cwd")?.map(PathBuf::from),
                }
            }
            (None, Some(url), None | Some("http" | "streamable-http" | "streamableHttp")) => {
                self.only(&["url", "headers"])?;
                let parsed = reqwest::Url::parse(&url);
                if !parsed
                    .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
                {
                    return Err(self.wrong("url", "give an http or https URL"));
                }
                TransportConfig::Http { url, headers: self.table("headers")? }
            }
            (Some(_), Some(_), _) => {
                return Err(self.wrong("", "it has a `command` and a `url`: give one of them"));
            }
            (None, None, _) => {
                return Err(self.wrong("", "give a `command` to start, or the `url` of a server"));
            }
            (_, _, kind) => {
                let said = format!(
                    "`{}` does not fit the other fields: `stdio` goes with `command`, `http` with `url`",
                    kind.unwrap_or_default()
                );
                return Err(self.wrong("type", said));
            }
        };
        let connect_timeout = Duration::from_millis(self.connect_timeout_ms()?);
        match self.fields.get("disabled") {
            Some(Value::Bool(true)) => Ok(None),
            Some(Value::Bool(false)) | None => {
                Ok(Some(ServerConfig { transport, connect_timeout }))
            }
            Some(_) => Err(self.wrong("disabled", "it must be true or false")),
        }
    }

    fn connect_timeout_ms(&self) -> Result<u64, ConfigError> {
        match self.fields.get("connectTimeoutMs") {
            None => Ok(CONNECT_TIMEOUT_MS),
            Some(value) => value
                .as_u64()
                .filter(|ms| (1..=CONNECT_TIMEOUT_MS_MAX).contains(ms))
                .ok_or_else(|| {
                    let said =
                        format!("it must be a whole number from 1 to {CONNECT_TIMEOUT_MS_MAX}");
                    self.wrong("connectTimeoutMs", said)
                }),
        }
    }

    fn only(&self, known: &[&str]) -> Result<(), ConfigError> {
        let always = ["type", "disabled", "connectTimeoutMs"];
        let is_known = |field: &str| {
            known.contains(&field) || always.contains(&field) || FOREIGN.contains(&field)
        };
        match self.fields.keys().find(|field| !is_known(field)) {
            None => Ok(()),
            Some(field) => {
                let said = format!("it is not known here: there are {}", known.join(", "));
                Err(self.wrong(field, said))
            }
        }
    }

    fn text(&self, field: &str) -> Result<Option<String>, ConfigError> {
        self.fields.get(field).map(|value| self.expanded(field, value)).transpose()
    }

    fn texts(&self, field: &str) -> Result<Vec<String>, ConfigError> {
        match self.fields.get(field) {
            None => Ok(Vec::new()),
            Some(Value::Array(items)) => {
                let item =
                    |(n, value): (usize, &Value)| self.expanded(&format!("{field}[{n}]"), value);
                items.iter().enumerate().map(item).collect()
            }
            Some(_) => Err(self.wrong(field, "it must be an array of texts")),
        }
    }

    fn table(&self, field: &str) -> Result<BTreeMap<String, String>, ConfigError> {
        let Some(value) = self.fields.get(field) else { return Ok(BTreeMap::new()) };
        let pair = |(key, value): (&String, &Value)| {
            Ok((key.clone(), self.expanded(&format!("{field}.{key}"), value)?))
        };
        object(&format!("{}.{field}", self.at), value)?.iter().map(pair).collect()
    }

    /// The text with its `${NAME}`s replaced.
    fn expanded(&self, field: &str, value: &Value) -> Result<String, ConfigError> {
        let Value::String(text) = value else { return Err(self.wrong(field, "it must be a text")) };
        let (mut expanded, mut rest) = (String::new(), text.as_str());
        while let Some((before, after)) = rest.split_once("${") {
            let Some((inside, after)) = after.split_once('}') else {
                return Err(self.wrong(field, "a `${` has no `}`"));
            };
            let (name, fallback) = match inside.split_once(":-") {
                Some((name, fallback)) => (name, Some(fallback.to_owned())),
                None => (inside, None),
            };
            let found = (self.environment)(name).or(fallback).ok_or_else(|| {
                let said =
                    format!("the environment has no `{name}`: set it, or write ${{{name}:-…}}");
                self.wrong(field, said)
            })?;
            expanded.push_str(before);
            expanded.push_str(&found);
            rest = after;
        }
        expanded.push_str(rest);
        Ok(expanded)
    }

    fn wrong(&self, field: &str, problem: impl Into<String>) -> ConfigError {
        let dot = if field.is_empty() { "" } else { "." };
        wrong(&format!("{}{dot}{field}", self.at), problem)
    }
}

fn object<'v>(at: &str, value: &'v Value) -> Result<&'v Map<String, Value>, ConfigError> {
    value.as_object().ok_or_else(|| wrong(at, "it must be an object"))
}

fn check_name(at: &str, name: &str) -> Result<(), ConfigError> {
    let is_good = (1..=SERVER_NAME_BYTES_MAX).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    if is_good {
        return Ok(());
    }
    let said = format!(
        "a server's name has 1 to {SERVER_NAME_BYTES_MAX} letters, digits, `_`, `-` and `.`"
    );
    Err(wrong(at, said))
}

fn wrong(at: &str, problem: impl Into<String>) -> ConfigError {
    ConfigError { at: at.to_owned(), problem: problem.into() }
}

fn place(at: &str) -> String {
    if at.is_empty() { String::new() } else { format!("{at}: ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<McpConfig, ConfigError> {
        McpConfig::parse(text, &|name| (name == "TOKEN").then(|| "s3cret".to_owned()))
    }

    #[test]
    fn both_transports_are_read_and_variables_are_filled_in() {
        let config = parse(
            r#"{"mcpServers": {
                "files": {"command": "npx", "args": ["-y", "${HOME_DIR:-/srv}/x"], "env": {"KEY": "${TOKEN}"}, "autoApprove": []},
                "web": {"type": "http", "url": "https://example.com/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
                "off": {"command": "x", "disabled": true}
            }}"#,
        )
        .unwrap();
        assert_eq!(config.servers.keys().collect::<Vec<_>>(), ["files", "web"]);
        let TransportConfig::Stdio { command, args, env, cwd } = &config.servers["files"].transport
        else {
            panic!("not stdio");
        };
        assert_eq!((command.as_str(), cwd), ("npx", &None));
        assert_eq!(args, &["-y", "/srv/x"]);
        assert_eq!(env["KEY"], "s3cret");
        let TransportConfig::Http { url, headers } = &config.servers["web"].transport else {
            panic!("not http");
        };
        assert_eq!(url, "https://example.com/mcp");
        assert_eq!(headers["Authorization"], "Bearer s3cret");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let server = |fields: &str| format!(r#"{{"mcpServers": {{"s": {fields}}}}}"#);
        let cases = [
            ("[".to_owned(), "this is not JSON: EOF while parsing a list at line 1 column 1"),
            ("{}".to_owned(), "there is no `mcpServers`"),
            (r#"{"mcpServers": []}"#.to_owned(), "mcpServers: it must be an object"),
            (server("{}"), "mcpServers.s: give a `command` to start, or the `url` of a server"),
            (
                server(r#"{"command": "a", "url": "b"}"#),
                "mcpServers.s: it has a `command` and a `url`",
            ),
            (server(r#"{"command": "a", "arg": []}"#), "mcpServers.s.arg: it is not known here"),
            (server(r#"{"command": "a", "args": [1]}"#), "mcpServers.s.args[0]: it must be a text"),
            (server(r#"{"command": ""}"#), "mcpServers.s.command: name a program"),
            (server(r#"{"url": "ftp://x"}"#), "mcpServers.s.url: give an http or https URL"),
            (
                server(r#"{"url": "http://x", "type": "sse"}"#),
                "mcpServers.s.type: the transport `sse`",
            ),
            (
                server(r#"{"url": "http://x", "type": "stdio"}"#),
                "mcpServers.s.type: `stdio` does not fit",
            ),
            (
                server(r#"{"command": "${NO}"}"#),
                "mcpServers.s.command: the environment has no `NO`",
            ),
            (server(r#"{"command": "${NO"}"#), "mcpServers.s.command: a `${` has no `}`"),
            (
                server(r#"{"command": "a", "disabled": 1}"#),
                "mcpServers.s.disabled: it must be true or false",
            ),
            (
                server(r#"{"command": "a", "connectTimeoutMs": 0}"#),
                "mcpServers.s.connectTimeoutMs: it must be",
            ),
            (
                r#"{"mcpServers": {"a b": {}}}"#.to_owned(),
                "mcpServers.a b: a server's name has 1 to 64",
            ),
        ];
        for (text, said) in cases {
            let error = parse(&text).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.starts_with(said), "{text}: {error}");
        }
        let many: Vec<String> =
            (0..=SERVERS_MAX).map(|n| format!(r#""s{n}": {{"command": "x"}}"#)).collect();
        let error = parse(&format!(r#"{{"mcpServers": {{{}}}}}"#, many.join(","))).err().unwrap();
        assert_eq!(error.to_string(), "mcpServers: 201 servers are more than SERVERS_MAX, 200");
    }
}
