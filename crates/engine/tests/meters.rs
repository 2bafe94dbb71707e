//! What is measured of an engine at work.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod kit;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use kit::trying;
use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};

/// One recorder for the whole process, and so one test.
fn recorder() -> &'static Snapshotter {
    static SNAPSHOTTER: OnceLock<Snapshotter> = OnceLock::new();
    SNAPSHOTTER.get_or_init(|| {
        let recorder = DebuggingRecorder::new();
        let snapshotter = recorder.snapshotter();
        recorder.install().unwrap();
        snapshotter
    })
}

/// The values of a histogram, or the count of a counter, by name and labels. Looking takes them away.
fn measured() -> BTreeMap<String, Vec<f64>> {
    let mut measured = BTreeMap::new();
    for (key, _, _, value) in recorder().snapshot().into_vec() {
        let labels: Vec<String> =
            key.key().labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
        let values = match value {
            DebugValue::Histogram(values) => values.into_iter().map(f64::from).collect(),
            DebugValue::Counter(n) => vec![n as f64],
            DebugValue::Gauge(n) => vec![f64::from(n)],
        };
        measured.insert(format!("{} {}", key.key().name(), labels.join(",")), values);
    }
    measured
}

#[tokio::test]
async fn what_runs_steps_and_commits_take_is_measured() {
    recorder();
    let engine = kit::test_engine().await;
    engine.register(trying()).unwrap();
    measured();
    let good = engine.start("trying", &false).await.unwrap();
    engine.wait::<()>(&good).await.unwrap();
    let bad = engine.start("trying", &true).await.unwrap();
    engine.wait::<()>(&bad).await.unwrap_err();
    let measured = measured();
    let of = |name: &str| measured.get(name).cloned().unwrap_or_default();
    assert_eq!(of("stepwell_attempt_seconds outcome=succeeded").len(), 2);
    assert_eq!(of("stepwell_attempt_seconds outcome=failed").len(), 2);
    let timed_out = of("stepwell_attempt_seconds outcome=timed_out");
    assert_eq!(timed_out.len(), 2);
    assert_eq!(of("stepwell_step_attempts outcome=succeeded"), [2.0, 2.0]);
    assert_eq!(of("stepwell_step_attempts outcome=failed"), [1.0, 1.0]);
    let completed = of("stepwell_run_seconds outcome=completed,workflow=trying");
    let failed = of("stepwell_run_seconds outcome=failed,workflow=trying");
    assert_eq!((completed.len(), failed.len()), (1, 1));
    assert!(completed[0] >= 10.0, "by the engine's clock: {completed:?}");
    let n_commits = of("stepwell_commit_seconds ").len() as u64;
    assert!(n_commits > 4, "{n_commits}");
    assert!(of("stepwell_commit_events ").iter().sum::<f64>() >= 8.0);
    assert!(of("stepwell_loads_total ")[0] >= 2.0, "it slept between its attempts");
    assert!(of("stepwell_replayed_events_total ")[0] >= 4.0);
}
