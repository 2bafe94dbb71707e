//! Every bound of the graph dialect, with its number and its name.

/// The most steps of one graph.
pub const STEPS_MAX: usize = 5_000;
/// The longest name of a step, in bytes.
pub const STEP_NAME_BYTES_MAX: usize = 64;
/// The longest id of a graph, and the longest name of a tool, a server, a message or a nested workflow, in bytes.
pub const NAME_BYTES_MAX: usize = 200;
/// The longest title, in bytes.
pub const TITLE_BYTES_MAX: usize = 200;
/// The longest description, in bytes.
pub const DESCRIPTION_BYTES_MAX: usize = 16 * 1024;
/// The largest definition, in bytes of JSON.
pub const DEFINITION_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The longest `code` or `transformCode`, in bytes.
pub const CODE_BYTES_MAX: usize = 256 * 1024;
/// How deep the values of an `input` may lie in one another.
pub const INPUT_DEPTH_MAX: usize = 64;
/// The longest `when.ref` or `forEach.ref`, in bytes.
pub const REF_BYTES_MAX: usize = 1_000;
/// The most parts of one ref's path.
pub const REF_PARTS_MAX: usize = 32;
/// The most values that `when.in` may list.
pub const IN_VALUES_MAX: usize = 1_000;

/// The most items of a `forEach`.
pub const ITEMS_MAX: usize = 100_000;
/// How many items of a `forEach` may be under way at a time.
pub const CONCURRENCY_MAX: u64 = 1_000;
/// The most attempts of a step or an item.
pub const ATTEMPTS_MAX: u64 = 100;
/// The longest first wait before another attempt.
pub const BACKOFF_MS_MAX: u64 = 86_400_000;
/// The longest timeout: a year.
pub const TIMEOUT_MS_MAX: u64 = 366 * 86_400_000;
/// The longest sleep: ten years.
pub const SLEEP_MS_MAX: u64 = 3_660 * 86_400_000;
/// The most memory that code may be given, in megabytes.
pub const MEMORY_MB_MAX: u64 = 1_024;

/// How long a tool may take for one call unless the step says otherwise.
pub const TOOL_TIMEOUT_MS: u64 = 60_000;
/// How long code may run unless the step says otherwise.
pub const CODE_TIMEOUT_MS: u64 = 10_000;
/// How much memory code may use unless the step says otherwise.
pub const CODE_MEMORY_MB: u64 = 64;
/// The first wait before another attempt unless the step says otherwise.
pub const BACKOFF_MS: u64 = 1_000;
/// Waits double up to this, or stay at `backoffMs` if that is longer.
pub const BACKOFF_MS_GROWN_MAX: u64 = 300_000;
/// How many attempts may follow ones that a crash cut off, beyond `maxAttempts`, where repeating is allowed.
pub const CRASH_RETRIES: u32 = 3;

/// The largest input of one step after its refs are resolved, in bytes of JSON. Refs can multiply values.
pub const RESOLVED_BYTES_MAX: usize = 4 * 1024 * 1024;
