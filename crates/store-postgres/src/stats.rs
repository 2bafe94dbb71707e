//! What the writers of a store have done.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts since the store was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    /// Transactions that were committed.
    pub n_transactions: u64,
    /// Starts, commits and posts in them, also those that were refused.
    pub n_requests: u64,
    /// Transactions that were tried again because others were there first.
    pub n_conflicts: u64,
    /// Transactions that were done again with a look at the database, because something was not as remembered.
    pub n_stale: u64,
    /// Commits that were not answered, and were found to be there.
    pub n_found_committed: u64,
    /// Commits that were not answered, and were found not to be there: they were done again.
    pub n_found_undone: u64,
}

#[derive(Default)]
pub(crate) struct Counters {
    pub transactions: AtomicU64,
    pub requests: AtomicU64,
    pub conflicts: AtomicU64,
    pub stale: AtomicU64,
    pub found_committed: AtomicU64,
    pub found_undone: AtomicU64,
}

impl Counters {
    pub fn add(counter: &AtomicU64, n: u64) {
        counter.fetch_add(n, Ordering::Relaxed);
    }

    pub fn stats(&self) -> Stats {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Stats {
            n_transactions: read(&self.transactions),
            n_requests: read(&self.requests),
            n_conflicts: read(&self.conflicts),
            n_stale: read(&self.stale),
            n_found_committed: read(&self.found_committed),
            n_found_undone: read(&self.found_undone),
        }
    }
}
