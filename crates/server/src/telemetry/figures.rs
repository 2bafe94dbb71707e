//! Figures about the server and its engine, for Prometheus.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use metrics::{counter, describe_counter, describe_gauge, describe_histogram, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use stepwell_engine::{Engine, Stats};
use stepwell_store::RunQuery;

use crate::config::ServeError;
use crate::problem::Problem;

/// Seconds.
const LATENCY_BUCKETS: &[f64] = &[
    0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0,
    600.0,
];

const COUNT_BUCKETS: &[f64] = &[1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1_000.0];

/// There is one recorder in a process, however many servers.
static RECORDER: OnceLock<Result<PrometheusHandle, String>> = OnceLock::new();

/// Where figures are kept.
#[derive(Clone)]
pub struct Metrics {
    handle: PrometheusHandle,
    extra: Option<Arc<dyn Fn() -> String + Send + Sync>>,
}

impl Metrics {
    /// Figures that the engine counts from now on are kept. Open the engine after this.
    pub fn install() -> Result<Metrics, ServeError> {
        let installed = RECORDER.get_or_init(|| {
            let recorder = PrometheusBuilder::new()
                .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), LATENCY_BUCKETS)
                .and_then(|builder| {
                    builder.set_buckets_for_metric(
                        Matcher::Suffix("_attempts".to_owned()),
                        COUNT_BUCKETS,
                    )
                })
                .and_then(|builder| {
                    builder.set_buckets_for_metric(
                        Matcher::Suffix("_commit_events".to_owned()),
                        COUNT_BUCKETS,
                    )
                })
                .map_err(|error| error.to_string())?
                .build_recorder();
            let handle = recorder.handle();
            metrics::set_global_recorder(recorder).map_err(|error| error.to_string())?;
            describe();
            Ok(handle)
        });
        match installed {
            Ok(handle) => Ok(Metrics { handle: handle.clone(), extra: None }),
            Err(problem) => Err(ServeError::Telemetry(problem.clone())),
        }
    }

    /// Adds text in Prometheus' format, such as the store's own figures.
    #[must_use]
    pub fn with(mut self, extra: impl Fn() -> String + Send + Sync + 'static) -> Metrics {
        self.extra = Some(Arc::new(extra));
        self
    }

    pub async fn render(&self, engine: &Engine) -> Result<String, Problem> {
        for count in engine.count(&RunQuery::default()).await? {
            #[expect(clippy::cast_precision_loss, reason = "figures, not counts to the last run")]
            gauge!("stepwell_runs", "status" => count.status.as_str()).set(count.n_runs as f64);
        }
        tell(&engine.stats());
        self.handle.run_upkeep();
        let mut text = self.handle.render();
        if let Some(extra) = &self.extra {
            text.push_str(&extra());
        }
        Ok(text)
    }
}

#[expect(clippy::cast_precision_loss, reason = "figures, not counts to the last run")]
fn tell(stats: &Stats) {
    gauge!("stepwell_runs_resident").set(stats.n_residents as f64);
    gauge!("stepwell_runs_ready").set(stats.n_ready as f64);
    gauge!("stepwell_runs_parked").set(stats.n_parked as f64);
    gauge!("stepwell_runs_quarantined").set(stats.n_quarantined as f64);
    gauge!("stepwell_timers_resident").set(stats.n_timers as f64);
    counter!("stepwell_commits_total").absolute(stats.n_commits);
    counter!("stepwell_events_total").absolute(stats.n_events);
    counter!("stepwell_ended_runs_total").absolute(stats.n_ended);
    counter!("stepwell_hibernated_runs_total").absolute(stats.n_hibernated);
    counter!("stepwell_commit_errors_total").absolute(stats.n_commit_errors);
}

fn describe() {
    describe_gauge!("stepwell_runs", "Runs that the store has, by status.");
    describe_gauge!("stepwell_runs_resident", "Runs in memory.");
    describe_gauge!("stepwell_runs_ready", "Runs that wait for a slot in memory.");
    describe_gauge!("stepwell_runs_parked", "Runs that wait for their workflow to be registered.");
    describe_gauge!("stepwell_runs_quarantined", "Runs that the engine failed on and left alone.");
    describe_gauge!("stepwell_timers_resident", "Timers in memory.");
    describe_counter!("stepwell_commits_total", "Commits to the store.");
    describe_counter!("stepwell_events_total", "Events written to journals.");
    describe_counter!("stepwell_ended_runs_total", "Runs that ended.");
    describe_counter!("stepwell_hibernated_runs_total", "Runs that left memory to wait.");
    describe_counter!(
        "stepwell_commit_errors_total",
        "Commits that the store refused or did not answer."
    );
    describe_histogram!(
        "stepwell_http_request_seconds",
        "How long requests took, by route and status."
    );
}

/// Counts a request and how long it took.
pub async fn measure(path: Option<MatchedPath>, request: Request, next: Next) -> Response {
    let method = request.method().as_str().to_owned();
    let begun = Instant::now();
    let response = next.run(request).await;
    // Routes, not paths: those that callers make up must not make figures of their own.
    let route = path.as_ref().map_or("(none)", |path| path.as_str()).to_owned();
    let status = response.status().as_str().to_owned();
    histogram!("stepwell_http_request_seconds", "method" => method, "route" => route, "status" => status)
        .record(begun.elapsed().as_secs_f64());
    response
}
