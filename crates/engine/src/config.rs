//! The engine's numbers.

use stepwell_kernel::Limits;

/// What a builder collects, fixed once the engine is open.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    pub limits: Limits,
    /// How many runs may be in memory at one time.
    pub residents_max: usize,
    /// How long a run that only waits stays in memory.
    pub hibernate_after_ms: u64,
    /// How long a shut-down waits for step bodies.
    pub grace_ms: u64,
    /// How many updates are kept for readers that are behind, or come back.
    pub updates_kept: usize,
    /// How long the body of a step may block its thread before it is named.
    pub watch_after_ms: u64,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            limits: Limits::default(),
            residents_max: 10_000,
            hibernate_after_ms: 1_000,
            grace_ms: 10_000,
            updates_kept: 65_536,
            watch_after_ms: 5_000,
        }
    }
}

/// How often an engine that shares its store looks for runs that nobody has told it of.
pub(crate) const LOOK_MS: u64 = 30_000;

/// The delays between looks whether another node has taken a cancel, and how long that is waited for.
pub(crate) const TAKEN_LOOK_MS: (u64, u64) = (5, 200);
pub(crate) const TAKEN_MAX_MS: u64 = 10_000;

/// How often somebody who waits for a run of another node looks by itself.
pub(crate) const REMOTE_LOOK_MS: u64 = 2_000;

/// How long an abort waits for runs to leave: a body that blocks its thread never does.
pub(crate) const ABORT_MS: u64 = 5_000;

/// How many runs may wait for a slot in memory. More are found again in the store.
pub(crate) const READY_MAX: usize = 100_000;

/// How many runs of unregistered workflows are remembered. More are found again in the store.
pub(crate) const PARKED_MAX: usize = 10_000;

/// How many pending timers are in memory. More are found again in the store.
pub(crate) const TIMERS_MAX: usize = 10_000;

/// How many runs recovery asks the store for at a time.
pub(crate) const PAGE_RUNS: usize = 1_000;

/// How long events that nobody waits for may wait for company.
pub(crate) const LAZY_COMMIT_MS: u64 = 5;

/// A run that is still in memory after this is shown as running.
pub(crate) const SHOW_RUNNING_AFTER_MS: u64 = 1_000;

/// A journal is compacted when this many of its events are garbage, and as many as are not.
pub(crate) const GARBAGE_MIN: u64 = 500;

/// The delays between tries while the store does not answer.
pub(crate) const STORE_RETRY_MS: (u64, u64) = (50, 5_000);

/// How often a run whose task panicked is loaded again before it is left alone.
pub(crate) const PANICS_MAX: u32 = 3;

/// How many workflows have a label of their own in what is measured; the others share one.
pub(crate) const WORKFLOW_LABELS_MAX: usize = 200;

/// How many versions of a pinned workflow stay in memory besides the current one, where others can be
/// found again.
pub(crate) const VERSIONS_KEPT: usize = 16;

/// The most labels that a run may be started with.
pub(crate) const LABELS_MAX: usize = 64;

/// The longest value of a label, idempotency key, message key or reason, in bytes.
pub(crate) const TEXT_BYTES_MAX: usize = 1_024;

/// How many runs of one workflow may wait in memory for a limit. More wait in the store.
pub(crate) const QUEUED_MAX: usize = 100_000;

/// How many runs are looked at to learn when runs began, for a rate, after the engine was opened.
pub(crate) const RATE_READS_MAX: usize = 10_000;

// Recovery must be able to put a whole page into the queue of ready runs.
const _: () = assert!(READY_MAX >= 2 * PAGE_RUNS);
