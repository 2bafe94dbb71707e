//! The engine as a service over HTTP.

use std::fmt::Write;

use stepwell_server::{Metrics, ServeError, Server, ServerConfig, told_to_end};
use stepwell_store_postgres::PostgresStore;
use stepwell_store_sqlite::{Histogram, SqliteStore};

use crate::Engine;

/// Serves the engine's workflows until the process is told to end, by SIGTERM or Ctrl-C; then lets running steps end for
/// a while, writes what there is, and lets go of the file.
pub async fn serve(engine: Engine, config: ServerConfig) -> Result<(), ServeError> {
    let server = bind(&engine, config).await?;
    server.run(told_to_end()).await
}

/// Takes the address, and does not answer yet: [`Server::run`] does. For programs that want to know the address, or
/// decide themselves when to end.
pub async fn bind(engine: &Engine, config: ServerConfig) -> Result<Server, ServeError> {
    bind_with(engine, config, Metrics::install()?).await
}

/// The same with figures that were counted since before the engine was opened.
pub async fn bind_with(
    engine: &Engine,
    config: ServerConfig,
    metrics: Metrics,
) -> Result<Server, ServeError> {
    let metrics = match (engine.sqlite().cloned(), engine.postgres().cloned()) {
        (Some(store), _) => metrics.with(move || figures(&store)),
        (None, Some(store)) => metrics.with(move || postgres_figures(&store)),
        (None, None) => metrics,
    };
    Server::bind_with((**engine).clone(), config, metrics).await
}

/// The store's figures in the text format of Prometheus.
fn figures(store: &SqliteStore) -> String {
    let stats = store.stats();
    let mut text = String::new();
    for (name, kind, about, value) in [
        ("batches_total", "counter", "Transactions, each with one sync.", stats.n_batches),
        (
            "writes_total",
            "counter",
            "Starts, commits, posts and documents written.",
            stats.n_writes,
        ),
        (
            "logged_bytes_total",
            "counter",
            "Bytes of journals appended to the log.",
            stats.logged_bytes,
        ),
        ("folds_total", "counter", "Pieces of the log folded.", stats.n_folds),
        (
            "checkpoints_total",
            "counter",
            "Checkpoints of the write-ahead log.",
            stats.n_checkpoints,
        ),
        ("forgotten_runs_total", "counter", "Runs removed.", stats.n_forgotten),
        ("queue_length", "gauge", "Requests that wait for the writer.", stats.queue_len),
        ("tail_runs", "gauge", "Runs whose events wait to be folded.", stats.tail_runs),
        ("tail_bytes", "gauge", "Memory that they take, about.", stats.tail_bytes),
        ("file_bytes", "gauge", "The size of the file.", stats.file_bytes),
        ("wal_bytes", "gauge", "The size of the write-ahead log.", stats.wal_bytes),
    ] {
        let name = format!("stepwell_store_{name}");
        let _ = writeln!(text, "# HELP {name} {about}\n# TYPE {name} {kind}\n{name} {value}");
    }
    let batches = ("stepwell_store_batch_writes", "Requests in each transaction.");
    write_histogram(&mut text, batches, &stats.batch_writes, 1.0);
    let commits = ("stepwell_store_commit_seconds", "From a request to its being on disk.");
    write_histogram(&mut text, commits, &stats.commit_us, 1e-6);
    text
}

/// The same for a database.
fn postgres_figures(store: &PostgresStore) -> String {
    let stats = store.stats();
    let mut text = String::new();
    for (name, about, value) in [
        ("batches_total", "Transactions that were committed.", stats.n_transactions),
        ("writes_total", "Starts, commits and posts in them.", stats.n_requests),
        ("conflicts_total", "Transactions that were tried again.", stats.n_conflicts),
        (
            "unanswered_committed_total",
            "Commits that were not answered, and had happened.",
            stats.n_found_committed,
        ),
        (
            "unanswered_undone_total",
            "Commits that were not answered, and had not happened: they were done again.",
            stats.n_found_undone,
        ),
    ] {
        let name = format!("stepwell_store_{name}");
        let _ = writeln!(text, "# HELP {name} {about}\n# TYPE {name} counter\n{name} {value}");
    }
    text
}

#[expect(clippy::cast_precision_loss, reason = "figures, not counts to the last one")]
fn write_histogram(
    text: &mut String,
    (name, about): (&str, &str),
    histogram: &Histogram,
    unit: f64,
) {
    let _ = writeln!(text, "# HELP {name} {about}\n# TYPE {name} histogram");
    for (bound, n) in &histogram.buckets {
        let _ = writeln!(text, "{name}_bucket{{le=\"{}\"}} {n}", *bound as f64 * unit);
    }
    let _ = writeln!(text, "{name}_bucket{{le=\"+Inf\"}} {}", histogram.count);
    let _ = writeln!(text, "{name}_sum {}", histogram.sum as f64 * unit);
    let _ = writeln!(text, "{name}_count {}", histogram.count);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn figures_are_in_the_form_that_prometheus_reads() {
        let dir = tempfile::tempdir().unwrap();
        let engine = Engine::open(dir.path().join("stepwell.db")).await.unwrap();
        let figures = figures(engine.sqlite().unwrap());
        for line in figures.lines().filter(|line| !line.starts_with("# ")) {
            let (name, value) = line.rsplit_once(' ').unwrap();
            assert!(name.starts_with("stepwell_store_"), "{line}");
            assert!(value.parse::<f64>().is_ok(), "{line}");
        }
        let count_of = |text: &str| figures.matches(text).count();
        assert_eq!(count_of("stepwell_store_commit_seconds_bucket{le=\"+Inf\"} "), 1);
        assert_eq!(count_of("stepwell_store_commit_seconds_bucket{le=\"0.001\"} "), 1);
        assert_eq!(count_of("# TYPE stepwell_store_batches_total counter\n"), 1);
        engine.shutdown().await;
    }
}
