//! The server's own log lines, on standard error.

use stepwell_server::config::{LogFormat, TelemetryConfig};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry, fmt};

use crate::error::{Error, Result};

/// Begins to write log lines.
pub fn start(config: &TelemetryConfig, is_terminal: bool) -> Result<()> {
    // The MCP library tells of every request as if that were news; who wants to know names it.
    let wanted = format!("rmcp=warn,{}", config.log);
    let filter = EnvFilter::builder().parse(&wanted).map_err(|error| {
        Error::usage(format!("telemetry.log: `{}` makes no sense: {error}", config.log))
            .hint("give a level such as info, or finer: info,stepwell_engine=debug")
    })?;
    let is_pretty = match config.log_format {
        LogFormat::Auto => is_terminal,
        LogFormat::Pretty => true,
        LogFormat::Json => false,
    };
    let lines = fmt::layer().with_writer(std::io::stderr);
    let lines: Box<dyn Layer<Registry> + Send + Sync> = match is_pretty {
        true => lines.with_ansi(is_terminal).with_target(false).with_filter(filter).boxed(),
        false => lines.json().flatten_event(true).with_filter(filter).boxed(),
    };
    let subscriber = tracing_subscriber::registry().with(lines);
    subscriber.try_init().map_err(|error| Error::local(format!("no log can be written: {error}")))
}
