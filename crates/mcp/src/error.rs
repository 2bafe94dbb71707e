//! Why a tool could not be found or called.

/// What went wrong between us and an upstream server.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum UpstreamError {
    /// The configuration has no such server. Trying again is of no use.
    #[error("there is no MCP server `{server}`{}", among(known))]
    UnknownServer { server: String, known: Vec<String> },
    /// The server has no such tool. Trying again is of no use.
    #[error("the MCP server `{server}` has no tool `{tool}`{}", maybe(near.as_deref()))]
    UnknownTool { server: String, tool: String, near: Option<String> },
    /// No server has it. Trying again helps only if one of those that could not be asked has it.
    #[error(
        "no MCP server has a tool `{tool}`{}{}",
        maybe(near.as_deref()),
        unasked_text(unasked)
    )]
    NoSuchTool { tool: String, near: Option<String>, unasked: Vec<String> },
    /// Several servers have it: the step has to say which it means.
    #[error("the tool `{tool}` is on several MCP servers: set `server` to one of {}", servers.join(", "))]
    Ambiguous { tool: String, servers: Vec<String> },
    /// The server could not be started or reached. Trying again may help.
    #[error("the MCP server `{server}` cannot be reached: {problem}")]
    Unreachable { server: String, problem: String },
    /// The connection broke during the call, which may have been carried out.
    #[error(
        "the connection to the MCP server `{server}` broke during the call of `{tool}`: {problem}"
    )]
    Broken { server: String, tool: String, problem: String },
    /// The server did not answer in time; it was told that nobody waits any more.
    #[error("the tool `{tool}` of `{server}` did not answer within {timeout_ms} ms")]
    TimedOut { server: String, tool: String, timeout_ms: u64 },
    /// The server refused the call with an error of the protocol.
    #[error("the MCP server `{server}` refused the call of `{tool}`: {problem}")]
    Refused { server: String, tool: String, problem: String },
    /// The tool wants something that a call from here cannot give: an answer by a person, a task.
    #[error("the tool `{tool}` of `{server}` {problem}")]
    Unsupported { server: String, tool: String, problem: String },
}

impl UpstreamError {
    /// Whether trying again could help.
    pub fn may_retry(&self) -> bool {
        match self {
            UpstreamError::Unreachable { .. }
            | UpstreamError::Broken { .. }
            | UpstreamError::TimedOut { .. } => true,
            UpstreamError::NoSuchTool { unasked, .. } => !unasked.is_empty(),
            UpstreamError::UnknownServer { .. }
            | UpstreamError::UnknownTool { .. }
            | UpstreamError::Ambiguous { .. }
            | UpstreamError::Refused { .. }
            | UpstreamError::Unsupported { .. } => false,
        }
    }
}

impl From<UpstreamError> for stepwell_graph::HostError {
    fn from(error: UpstreamError) -> stepwell_graph::HostError {
        stepwell_graph::HostError { message: error.to_string(), may_retry: error.may_retry() }
    }
}

fn among(known: &[String]) -> String {
    match known {
        [] => ": none is configured (serve --mcp-config FILE)".to_owned(),
        known => format!(": there are {}", known.join(", ")),
    }
}

fn maybe(near: Option<&str>) -> String {
    near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
}

fn unasked_text(unasked: &[String]) -> String {
    match unasked {
        [] => String::new(),
        unasked => format!(" ({} could not be asked)", unasked.join(", ")),
    }
}
