//! What the engine counts.

use std::sync::atomic::{AtomicU64, Ordering};

/// What an engine has done since it was opened, and what it holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Runs in memory.
    pub n_residents: usize,
    /// Runs that wait for a slot in memory.
    pub n_ready: usize,
    /// Runs that wait for their workflow to be registered, as far as they are remembered.
    pub n_parked: usize,
    /// Runs that were given up because the engine itself failed on them.
    pub n_quarantined: usize,
    /// Runs that wait for a limit of their workflow, as far as they are remembered.
    pub n_queued: usize,
    /// Timers in memory.
    pub n_timers: usize,
    pub n_commits: u64,
    pub n_events: u64,
    /// Runs that were loaded from the store.
    pub n_loads: u64,
    /// Events that were replayed.
    pub n_replayed: u64,
    pub n_ended: u64,
    pub n_hibernated: u64,
    /// Commits that the store refused or did not answer.
    pub n_commit_errors: u64,
    /// News that were published.
    pub n_updates: u64,
}

/// One worker's share, so that no counter is shared by all runs.
#[derive(Default)]
pub(crate) struct Counters {
    pub n_commits: AtomicU64,
    pub n_events: AtomicU64,
    pub n_loads: AtomicU64,
    pub n_replayed: AtomicU64,
    pub n_ended: AtomicU64,
    pub n_hibernated: AtomicU64,
    pub n_commit_errors: AtomicU64,
}

pub(crate) fn count(counter: &AtomicU64, n: u64) {
    counter.fetch_add(n, Ordering::Relaxed);
}

impl Stats {
    pub(crate) fn add(&mut self, counters: &Counters) {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        self.n_commits += read(&counters.n_commits);
        self.n_events += read(&counters.n_events);
        self.n_loads += read(&counters.n_loads);
        self.n_replayed += read(&counters.n_replayed);
        self.n_ended += read(&counters.n_ended);
        self.n_hibernated += read(&counters.n_hibernated);
        self.n_commit_errors += read(&counters.n_commit_errors);
    }
}
