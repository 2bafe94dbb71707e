//! Counters.

use std::sync::atomic::{AtomicU64, Ordering};

/// What the store has done since it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Transactions that were committed for callers, each with one sync.
    pub n_batches: u64,
    /// Starts, commits and posts that were written.
    pub n_writes: u64,
    pub n_events: u64,
    /// Bytes of journals that were appended to the log.
    pub logged_bytes: u64,
    pub n_folds: u64,
    pub n_folded_runs: u64,
    pub folded_bytes: u64,
    pub n_checkpoints: u64,
    /// What waits to be folded now.
    pub tail_runs: u64,
    /// About what that takes in memory.
    pub tail_bytes: u64,
}

#[derive(Default)]
pub(crate) struct Counters {
    pub n_batches: AtomicU64,
    pub n_writes: AtomicU64,
    pub n_events: AtomicU64,
    pub logged_bytes: AtomicU64,
    pub n_folds: AtomicU64,
    pub n_folded_runs: AtomicU64,
    pub folded_bytes: AtomicU64,
    pub n_checkpoints: AtomicU64,
}

impl Counters {
    pub fn stats(&self) -> Stats {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Stats {
            n_batches: get(&self.n_batches),
            n_writes: get(&self.n_writes),
            n_events: get(&self.n_events),
            logged_bytes: get(&self.logged_bytes),
            n_folds: get(&self.n_folds),
            n_folded_runs: get(&self.n_folded_runs),
            folded_bytes: get(&self.folded_bytes),
            n_checkpoints: get(&self.n_checkpoints),
            tail_runs: 0,
            tail_bytes: 0,
        }
    }
}

pub(crate) fn add(counter: &AtomicU64, n: usize) {
    counter.fetch_add(n as u64, Ordering::Relaxed);
}
