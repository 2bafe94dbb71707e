//! Counters.

use std::sync::atomic::{AtomicU64, Ordering};

/// What the store has done since it was opened, and how it is now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stats {
    /// Transactions that were committed for callers, each with one sync.
    pub n_batches: u64,
    /// Starts, commits, posts and documents that were written.
    pub n_writes: u64,
    pub n_events: u64,
    /// Bytes of journals that were appended to the log.
    pub logged_bytes: u64,
    pub n_folds: u64,
    pub n_folded_runs: u64,
    pub folded_bytes: u64,
    pub n_checkpoints: u64,
    pub n_forgotten: u64,
    /// How many requests each batch had.
    pub batch_writes: Histogram,
    /// How many microseconds the first request of each batch waited until the batch was on disk.
    pub commit_us: Histogram,
    /// How many requests wait for the writer now.
    pub queue_len: u64,
    /// What waits to be folded now: runs, and about how many events.
    pub tail_runs: u64,
    pub tail_events: u64,
    /// About what that takes in memory.
    pub tail_bytes: u64,
    /// What the log has, still needed or not.
    pub log_bytes: u64,
    pub file_bytes: u64,
    /// The write-ahead log, with the room that is kept in it.
    pub wal_bytes: u64,
}

/// How often a value was how large.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Histogram {
    /// The upper bounds, each with the number of values that were not above it.
    pub buckets: Vec<(u64, u64)>,
    /// The number of all values.
    pub count: u64,
    pub sum: u64,
}

const BATCH_WRITES: [u64; 13] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 4_096, 16_384];

/// A tenth of a millisecond to ten seconds.
const COMMIT_US: [u64; 16] = [
    100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000, 5_000_000, 10_000_000,
];

/// A histogram that is being counted.
pub(crate) struct Buckets<const N: usize> {
    bounds: [u64; N],
    /// How many values were in each bucket and in no lower one.
    counts: [AtomicU64; N],
    count: AtomicU64,
    sum: AtomicU64,
}

impl<const N: usize> Buckets<N> {
    fn new(bounds: [u64; N]) -> Buckets<N> {
        let counts = std::array::from_fn(|_| AtomicU64::new(0));
        Buckets { bounds, counts, count: AtomicU64::new(0), sum: AtomicU64::new(0) }
    }

    pub fn note(&self, value: u64) {
        if let Some(count) = self.counts.get(self.bounds.partition_point(|bound| *bound < value)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
    }

    fn histogram(&self) -> Histogram {
        // The total first: what comes meanwhile must not make a bucket larger than all of them.
        let count = self.count.load(Ordering::Relaxed);
        let mut n_values = 0;
        let counts = self.counts.iter().map(|n| {
            n_values += n.load(Ordering::Relaxed);
            n_values.min(count)
        });
        let buckets = self.bounds.into_iter().zip(counts).collect();
        Histogram { buckets, count, sum: self.sum.load(Ordering::Relaxed) }
    }
}

pub(crate) struct Counters {
    pub n_batches: AtomicU64,
    pub n_writes: AtomicU64,
    pub n_events: AtomicU64,
    pub logged_bytes: AtomicU64,
    pub n_folds: AtomicU64,
    pub n_folded_runs: AtomicU64,
    pub folded_bytes: AtomicU64,
    pub n_checkpoints: AtomicU64,
    pub n_forgotten: AtomicU64,
    pub batch_writes: Buckets<{ BATCH_WRITES.len() }>,
    pub commit_us: Buckets<{ COMMIT_US.len() }>,
}

impl Default for Counters {
    fn default() -> Counters {
        Counters {
            n_batches: AtomicU64::default(),
            n_writes: AtomicU64::default(),
            n_events: AtomicU64::default(),
            logged_bytes: AtomicU64::default(),
            n_folds: AtomicU64::default(),
            n_folded_runs: AtomicU64::default(),
            folded_bytes: AtomicU64::default(),
            n_checkpoints: AtomicU64::default(),
            n_forgotten: AtomicU64::default(),
            batch_writes: Buckets::new(BATCH_WRITES),
            commit_us: Buckets::new(COMMIT_US),
        }
    }
}

impl Counters {
    /// What is counted; the rest is none of this type's business.
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
            n_forgotten: get(&self.n_forgotten),
            batch_writes: self.batch_writes.histogram(),
            commit_us: self.commit_us.histogram(),
            ..Stats::default()
        }
    }
}

pub(crate) fn add(counter: &AtomicU64, n: usize) {
    counter.fetch_add(n as u64, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_counts_each_value_in_its_bucket_and_in_all_above() {
        let buckets = Buckets::new([10, 100]);
        for value in [0, 10, 11, 100, 101] {
            buckets.note(value);
        }
        let counted = buckets.histogram();
        assert_eq!(counted.buckets, [(10, 2), (100, 4)]);
        assert_eq!((counted.count, counted.sum), (5, 222));
    }
}
