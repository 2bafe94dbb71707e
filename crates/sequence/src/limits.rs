//! The numbers of sequences.

/// The most nodes that one workflow may have, nested ones included.
pub const NODES_MAX: usize = 10_000;

/// How deep branches, loops and nested workflows may lie in one another.
pub const DEPTH_MAX: usize = 32;

/// The longest name of a step.
pub const NAME_CHARS_MAX: usize = 128;

/// The most items that one `forEach` goes through.
pub const ITEMS_MAX: usize = 10_000;

/// The most items or steps that run side by side.
pub const CONCURRENCY_MAX: usize = 1_000;

/// The most attempts of one step, whatever an error asks for.
pub const ATTEMPTS_MAX: u32 = 1_000;

/// How many more attempts than its configuration allows a step gets after ones that a crash cut off.
pub const CRASH_RETRIES: u32 = 3;

/// A step that says nothing of attempts is given up if this many were made and the last was cut off by a
/// crash: it may be what kills the process.
pub const CRASH_ATTEMPTS_MAX: u32 = 10;

/// The delay before the second attempt.
pub const BACKOFF_BASE_MS: u64 = 1_000;

/// The longest delay between attempts.
pub const BACKOFF_MAX_MS: u64 = 60_000;

/// The share of a delay that `jitter: true` leaves to chance.
pub const JITTER: f64 = 0.5;

/// The longest timeout of an attempt and the longest delay: a hundred days.
pub const TIME_MS_MAX: u64 = 100 * 86_400_000;

/// How long an error handler, a condition or a list function may take.
pub const HANDLER_TIMEOUT_MS: u64 = 60_000;

/// How much of a stack, and of an error's own properties, is recorded.
pub const DETAILS_BYTES_MAX: usize = 8 * 1024;
