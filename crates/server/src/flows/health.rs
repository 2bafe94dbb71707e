//! Asks the services of steps whether they are well, every now and then.

use futures::StreamExt;
use futures::stream;
use stepwell_flow::{Health, StepId};

use crate::app::App;
use crate::problem::Problem;

/// How many services are asked at a time.
const PROBES_AT_A_TIME: usize = 16;

/// How often answers to runs that are gone are looked for.
const TIDY_MS: u64 = 3_600_000;

/// Asks, until the server goes down.
pub async fn keep(app: App) {
    let clock = app.engine.clock().clone();
    let rest_ms = app.config.flows.health_interval.as_ms();
    let mut tidied_at = clock.now();
    loop {
        let until = clock.now().plus_ms(rest_ms);
        tokio::select! {
            () = clock.sleep_until(until) => {}
            () = app.closed() => return,
        }
        if let Err(problem) = probe_all(&app).await {
            tracing::warn!(error = problem.detail, "the health of steps could not be noted");
        }
        if clock.now().0 >= tidied_at.0 + TIDY_MS {
            tidied_at = clock.now();
            if let Err(problem) = app.flows.webhooks.tidy().await {
                tracing::warn!(error = problem.detail, "old webhooks could not be forgotten");
            }
        }
    }
}

async fn probe_all(app: &App) -> Result<(), Problem> {
    for namespace in app.flows.catalogs.namespaces().await? {
        let catalog = app.flows.catalogs.get(&namespace).await?;
        let urls = catalog.steps().filter_map(|step| {
            let url = step.http()?.health_url.clone()?;
            Some((step.id.clone(), url))
        });
        let probes = stream::iter(urls.collect::<Vec<_>>())
            .map(async |(id, url)| (id, app.flows.services.probe(&url).await))
            .buffer_unordered(PROBES_AT_A_TIME);
        let found: Vec<(StepId, Health)> = probes.collect().await;
        for (id, health) in found.into_iter().filter(|(id, it)| catalog.health(id.as_str()) != *it)
        {
            let changed = app.flows.catalogs.change(&namespace, move |catalog, _| {
                catalog.with_health(id.as_str(), health.clone())
            });
            match changed.await {
                Ok(_) => {}
                // It was removed meanwhile.
                Err(problem) if problem.is(crate::problem::Code::UnknownStep) => {}
                Err(problem) => return Err(problem),
            }
        }
    }
    Ok(())
}
