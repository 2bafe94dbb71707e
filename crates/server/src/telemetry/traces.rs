//! Sends runs that ended to a collector, over OTLP with JSON.

use std::time::Duration;

use reqwest::{Client, StatusCode};
use serde_json::Value;
use stepwell_engine::UpdatesError;
use stepwell_journal::{RunId, RunState};

use super::spans::{request, spans};
use crate::app::App;
use crate::config::ServeError;

/// How many updates are looked at, and how many spans are sent, at a time.
const BATCH: usize = 512;

/// How often a batch is tried, and how long to wait before each further try.
const TRIES: u32 = 4;
const RETRY: Duration = Duration::from_secs(1);

/// How long a collector may take.
const PATIENCE: Duration = Duration::from_secs(10);

struct Exporter {
    app: App,
    client: Client,
    url: String,
}

/// Gives the task that sends traces; none if nobody wants them.
pub fn export(app: &App) -> Result<Option<impl Future<Output = ()> + Send + use<>>, ServeError> {
    let Some(endpoint) = &app.config.telemetry.otlp_endpoint else { return Ok(None) };
    let url = format!("{}/v1/traces", endpoint.trim_end_matches('/'));
    // Whoever was first is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder().timeout(PATIENCE).build();
    let client = client.map_err(|error| ServeError::Telemetry(error.to_string()))?;
    let exporter = Exporter { app: app.clone(), client, url };
    Ok(Some(exporter.run()))
}

impl Exporter {
    async fn run(self) {
        let mut updates = self.app.engine.subscribe();
        loop {
            let batch = tokio::select! {
                batch = updates.next_batch(BATCH) => batch,
                () = self.app.closed() => return,
            };
            let ended = match batch {
                Ok(batch) => batch,
                Err(UpdatesError::Missed { .. }) => {
                    tracing::warn!("the collector is too slow, some runs are not told as traces");
                    continue;
                }
                Err(_) => return,
            };
            let mut waiting: Vec<Value> = Vec::new();
            for update in ended.iter().filter(|update| update.status.is_ended()) {
                if matches!(update.what.event, "RunCompleted" | "RunFailed" | "RunCancelled") {
                    waiting.extend(self.of_run(update.run).await);
                }
                if waiting.len() >= BATCH {
                    self.send(std::mem::take(&mut waiting)).await;
                }
            }
            if !waiting.is_empty() {
                self.send(waiting).await;
            }
        }
    }

    /// None if the run is gone already, or its journal cannot be read: others say that louder.
    async fn of_run(&self, run: RunId) -> Vec<Value> {
        let Ok(handle) = self.app.engine.get(run).await else { return Vec::new() };
        let Ok(journal) = handle.journal().await else { return Vec::new() };
        match RunState::fold(run, &journal) {
            Ok(state) => spans(&state, &journal),
            Err(_) => Vec::new(),
        }
    }

    async fn send(&self, spans: Vec<Value>) {
        let body = request(&self.app.config.telemetry.service_name, &spans);
        for n in 0..TRIES {
            let problem = match self.client.post(&self.url).json(&body).send().await {
                Ok(response) if response.status().is_success() => return,
                Ok(response) if !is_passing(response.status()) => {
                    let status = response.status();
                    tracing::warn!(%status, url = self.url, "the collector refuses traces");
                    return;
                }
                Ok(response) => response.status().to_string(),
                Err(error) => error.to_string(),
            };
            if n + 1 == TRIES {
                let n_spans = spans.len();
                tracing::warn!(problem, n_spans, url = self.url, "traces could not be sent");
                return;
            }
            tokio::select! {
                () = tokio::time::sleep(RETRY * 2_u32.pow(n)) => {}
                () = self.app.closed() => return,
            }
        }
    }
}

fn is_passing(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error()
}
