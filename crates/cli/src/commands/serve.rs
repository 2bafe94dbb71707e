//! `stepwell serve`

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::json;
use stepwell::{Engine, OpenError};
use stepwell_server::{Metrics, ServeError, ServerConfig, told_to_end};

use super::store;
use crate::args::Serve;
use crate::error::{Error, Result};
use crate::exit::Exit;
use crate::logging;
use crate::out::{Document, Out, Style};
use crate::settings::{Settings, Sources, StoreUrl};

pub async fn serve(serve: &Serve, out: &mut Out) -> Result<Exit> {
    let settings = Settings::load(&Sources::of_process(&serve.settings))?;
    let Settings { server: config, store: url, .. } = &settings;
    config.check().map_err(|error| refusal(&error))?;
    logging::start(&config.telemetry, out.stderr_is_terminal)?;
    // Figures count from here on, so this comes before the engine.
    let metrics = Metrics::install().map_err(|error| refusal(&error))?;
    let grace = Duration::from_millis(config.shutdown_grace.as_ms());
    let options = Engine::options().engine(move |engine| engine.grace(grace));
    let engine = match url {
        StoreUrl::Sqlite(path) => options.open(path).await,
        StoreUrl::Postgres(address) => {
            let listen = config.listen.to_string();
            let cluster = &config.cluster;
            let lease = Duration::from_millis(cluster.lease.as_ms());
            let name = cluster.name.clone().unwrap_or_else(host_name);
            let options = options.postgres(|store| {
                store.shared(lease).name(name).address(listen).writers(cluster.writers)
            });
            options.open_postgres(address).await
        }
    };
    let engine = engine.map_err(|error| match error {
        OpenError::Store(error) => store::failed(&error),
        error => Error::local(stepwell_server::problem::with_causes(&error)),
    })?;
    let server = stepwell::bind_with(&engine, config.clone(), metrics).await;
    let server = server.map_err(|error| refusal(&error))?;
    let address = server.local_addr().map_err(|error| refusal(&error))?;
    let store = match url {
        StoreUrl::Sqlite(path) => {
            let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            StoreUrl::Sqlite(path).to_string()
        }
        StoreUrl::Postgres(_) => url.to_string(),
    };
    match out.json {
        true => out.print_json_of(&json!({
            "url": format!("http://{address}"),
            "store": store,
            "docs": format!("http://{address}/api/docs"),
            "pid": std::process::id(),
        }))?,
        false => {
            let names = engine.workflows().into_iter().map(|(_, one)| one.name().to_owned());
            let place = (address, store);
            out.print(&announcement(&place, config, &names.collect::<Vec<_>>(), out.style))?
        }
    }
    server.run(told_to_end()).await.map_err(|error| refusal(&error))?;
    Ok(Exit::Ok)
}

/// What other nodes call this machine.
fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name = name.trim();
    if name.is_empty() { "node".to_owned() } else { name.to_owned() }
}

/// What is said once the server can be called.
fn announcement(
    (address, store): &(SocketAddr, String),
    config: &ServerConfig,
    workflows: &[String],
    style: Style,
) -> String {
    let url = format!("http://{address}");
    let mut text = Document::default();
    text.line("listening", url.clone());
    text.line("store", store);
    text.line("docs", format!("{url}/api/docs"));
    text.line(
        "tokens",
        if config.needs_token() { "required" } else { "not required on this machine" },
    );
    let watched = if config.files.watch { ", and files that change are loaded again" } else { "" };
    text.line(
        "workflows",
        match (workflows.is_empty(), &config.files.dir) {
            (false, _) => format!("{}{watched}", workflows.join(", ")),
            (true, Some(dir)) => format!("none in {} yet{watched}", dir.display()),
            (true, None) => "none yet: give a folder of TypeScript files with --workflows (`stepwell init` makes one); \
                             those in Rust are served by your own program, with stepwell::serve"
                .to_owned(),
        },
    );
    text.line("stop", "Ctrl-C, or SIGTERM");
    text.render(style)
}

/// Why a server does not run, and what to do.
pub fn refusal(error: &ServeError) -> Error {
    let what = stepwell_server::problem::with_causes(error);
    match error {
        ServeError::Unprotected { .. } | ServeError::WeakAdminToken { .. } => Error::usage(what).hint(
            "make one with `export STEPWELL_ADMIN_TOKEN=$(openssl rand -hex 24)`; callers give it as STEPWELL_TOKEN",
        ),
        ServeError::Setting { .. } => Error::usage(what).hint("`stepwell config show` prints where each value came from"),
        ServeError::Listen { listen, source } if source.kind() == std::io::ErrorKind::AddrInUse => Error::local(what)
            .hint(format!("something listens on {listen} already: stop it, or give another --listen")),
        ServeError::Listen { .. } => Error::local(what).hint("give an address of this machine with --listen, and a port that you may use"),
        ServeError::Store(error) => store::failed(error),
        _ => Error::local(what),
    }
}
