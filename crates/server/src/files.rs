//! Workflows that are TypeScript files: loaded when the server starts, and looked after if the settings say so.

use std::sync::Arc;
use std::time::Duration;

use stepwell_engine::Engine;
use stepwell_files::{Reloaded, WorkflowFiles};
use stepwell_script::ScriptLimits;
use stepwell_script::js::{AllowedHosts, FetchHost, WebFetch, WebOptions};
use stepwell_sequence::ts::TsOptions;

use crate::app::App;
use crate::config::{FilesConfig, ServeError, ServerConfig};
use crate::limits;

/// Registers the files of the configured folder. One that does not load is said, and keeps no other from being there.
pub async fn open(engine: &Engine, config: &ServerConfig) -> Result<WorkflowFiles, ServeError> {
    let files = WorkflowFiles::new(engine, options(&config.files)?)?;
    if let Some(dir) = &config.files.dir {
        say(&files.register_directory(dir).await?);
    }
    Ok(files)
}

/// Looks after the folder until the server goes down.
pub async fn keep(app: App) {
    let Some(dir) = app.config.files.dir.as_ref().filter(|_| app.config.files.watch) else {
        return;
    };
    let told = |reloaded: Reloaded| {
        say(&reloaded);
        // A new version knows nothing of the limits of the one before.
        if let Err(error) = limits::apply(&app.engine, &app.config) {
            tracing::error!(%error, "the limits of a workflow cannot be applied");
        }
    };
    tokio::select! {
        () = app.files.watch(dir, told) => {}
        () = app.closed() => {}
    }
}

pub fn options(config: &FilesConfig) -> Result<TsOptions, ServeError> {
    let fetch: Option<Arc<dyn FetchHost>> = match config.fetch {
        false => None,
        true => {
            let allowed = match config.fetch_hosts.as_slice() {
                [] => AllowedHosts::Any,
                hosts => AllowedHosts::Only(hosts.to_vec()),
            };
            let web = WebFetch::new(WebOptions::new(allowed));
            Some(Arc::new(web.map_err(|error| ServeError::Fetch(error.to_string()))?))
        }
    };
    Ok(TsOptions {
        limits: ScriptLimits { memory_bytes: config.memory_bytes_max, ..ScriptLimits::DEFAULT },
        step_time: Duration::from_millis(config.step_time.as_ms()),
        fetch,
        ..TsOptions::default()
    })
}

fn say(reloaded: &Reloaded) {
    for (file, workflow) in &reloaded.registered {
        let (name, version) = (&workflow.name, &workflow.version);
        tracing::info!(workflow = name, version, file = %file.display(), "workflow registered");
    }
    for workflow in &reloaded.removed {
        tracing::info!(workflow = workflow.name, "workflow removed: its file is gone");
    }
    for (file, problems) in &reloaded.failed {
        for problem in &problems.0 {
            tracing::error!(file = %file.display(), "{problem}");
        }
    }
}
