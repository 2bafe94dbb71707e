//! The process that gets killed while it runs TypeScript files, whose steps have effects over HTTP.
//!
//! `stepwell-crash-files DIR RUNS [finish]`: serves the workflows of `DIR/workflows` on `DIR/store.db` and starts runs
//! with the numbers up to RUNS, until it is killed; with `finish` until every run has ended.

use std::path::Path;

use stepwell::prelude::*;
use stepwell::sequence::{AllowedHosts, TsOptions, WebFetch, WebOptions};
use stepwell::{StartError, StartOptions};

#[tokio::main]
async fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let dir = Path::new(&args[0]);
    let n_runs: u64 = args[1].parse()?;
    let engine = Engine::open(dir.join("store.db")).await?;
    let web = WebFetch::new(WebOptions::new(AllowedHosts::Any))?;
    let fetch: Option<std::sync::Arc<dyn stepwell::sequence::FetchHost>> =
        Some(std::sync::Arc::new(web));
    let registry = engine.files(TsOptions { fetch, ..TsOptions::default() })?;
    let loaded = registry.register_directory(dir.join("workflows")).await?;
    if let Some((_, problems)) = loaded.failed.first() {
        return Err(Error::msg(problems));
    }
    for n in 1..=n_runs {
        let options =
            StartOptions { idempotency_key: Some(n.to_string()), ..StartOptions::default() };
        match engine.launch("torn", &n, options).await {
            Ok(_) | Err(StartError::ShuttingDown) => {}
            Err(error) => return Err(error.into()),
        }
    }
    if args.get(2).is_some_and(|word| word == "finish") {
        for row in registry.active_runs(None).await? {
            registry.wait(&row.workflow, row.run, None).await?;
        }
        engine.shutdown().await;
        return Ok(());
    }
    std::future::pending().await
}
