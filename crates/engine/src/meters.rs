//! What is measured, by the `metrics` facade: nothing is kept here, and nothing happens without a recorder.
//!
//! Handles are made once, when the engine is opened: install the recorder before.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use metrics::{Counter, Histogram, Unit, counter, describe_counter, describe_histogram, histogram};
use parking_lot::RwLock;
use stepwell_journal::{Event, EventKind, RunOutcome, RunStatus};
use stepwell_kernel::AttemptEnd;

use crate::config::WORKFLOW_LABELS_MAX;

pub(crate) struct Meters {
    opened: Instant,
    /// By how the attempt ended.
    attempts: [Histogram; 4],
    /// By whether the step succeeded.
    attempts_per_step: [Histogram; 2],
    commit: Histogram,
    commit_events: Histogram,
    loads: Counter,
    replayed: Counter,
    /// By workflow, and then by outcome.
    runs: RwLock<BTreeMap<Arc<str>, Arc<[Histogram; 3]>>>,
}

/// What runs of workflows are counted as that came too late to have a label of their own.
const OTHERS: &str = "(other)";

const OUTCOMES: [RunStatus; 3] = [RunStatus::Completed, RunStatus::Failed, RunStatus::Cancelled];

impl Meters {
    pub fn new() -> Meters {
        describe();
        Meters {
            opened: Instant::now(),
            attempts: AttemptEnd::ALL
                .map(|end| histogram!("stepwell_attempt_seconds", "outcome" => end.as_str())),
            attempts_per_step: ["succeeded", "failed"]
                .map(|outcome| histogram!("stepwell_step_attempts", "outcome" => outcome)),
            commit: histogram!("stepwell_commit_seconds"),
            commit_events: histogram!("stepwell_commit_events"),
            loads: counter!("stepwell_loads_total"),
            replayed: counter!("stepwell_replayed_events_total"),
            runs: RwLock::default(),
        }
    }

    /// Microseconds since the engine was opened.
    pub fn ticks(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    pub fn attempt_ended(&self, began: u64, end: AttemptEnd) {
        let place = match end {
            AttemptEnd::Succeeded => 0,
            AttemptEnd::Failed => 1,
            AttemptEnd::TimedOut => 2,
            AttemptEnd::Dropped => 3,
        };
        self.attempts[place].record(seconds(self.ticks().saturating_sub(began)));
    }

    /// These events are about to be committed.
    pub fn committing(&self, events: &[Event]) {
        self.commit_events.record(events.len() as f64);
        for event in events {
            match &event.kind {
                EventKind::StepSucceeded { attempt, .. } => {
                    self.attempts_per_step[0].record(attempt.0);
                }
                EventKind::StepFailed { failure, .. } => {
                    self.attempts_per_step[1].record(failure.attempts.0);
                }
                _ => {}
            }
        }
    }

    /// A commit that began then is durable.
    pub fn committed(&self, began: u64) {
        self.commit.record(seconds(self.ticks().saturating_sub(began)));
    }

    pub fn loaded(&self) {
        self.loads.increment(1);
    }

    pub fn replayed(&self, n_events: u64) {
        self.replayed.increment(n_events);
    }

    pub fn run_ended(&self, workflow: &Arc<str>, outcome: &RunOutcome, took_ms: u64) {
        let place = match outcome {
            RunOutcome::Completed(_) => 0,
            RunOutcome::Failed(_) => 1,
            RunOutcome::Cancelled(_) => 2,
        };
        self.of_workflow(workflow)[place].record(seconds(took_ms.saturating_mul(1_000)));
    }

    fn of_workflow(&self, workflow: &Arc<str>) -> Arc<[Histogram; 3]> {
        if let Some(known) = self.runs.read().get(workflow) {
            return Arc::clone(known);
        }
        let mut runs = self.runs.write();
        let label: Arc<str> =
            if runs.len() < WORKFLOW_LABELS_MAX { Arc::clone(workflow) } else { OTHERS.into() };
        let made = runs.entry(label).or_insert_with_key(|label| {
            Arc::new(OUTCOMES.map(|outcome| {
                let labels =
                    [("outcome", outcome.as_str().to_owned()), ("workflow", label.to_string())];
                histogram!("stepwell_run_seconds", &labels)
            }))
        });
        Arc::clone(made)
    }
}

fn seconds(micros: u64) -> f64 {
    micros as f64 / 1e6
}

fn describe() {
    let secs = Unit::Seconds;
    describe_histogram!("stepwell_attempt_seconds", secs, "How long attempts of steps took");
    describe_histogram!("stepwell_step_attempts", "How many attempts steps needed");
    describe_histogram!("stepwell_commit_seconds", secs, "How long commits took, as runs see it");
    describe_histogram!("stepwell_commit_events", "How many events commits had");
    describe_histogram!("stepwell_run_seconds", secs, "How long runs took, from their start on");
    describe_counter!("stepwell_loads_total", "Runs that were loaded from the store");
    describe_counter!("stepwell_replayed_events_total", "Events that were replayed");
}
