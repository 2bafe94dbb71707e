//! Every bound of this crate: a number, a name, and (in the tests) a case on each side of it.

/// The largest definition of a step, in bytes of JSON.
pub const STEP_BYTES_MAX: usize = 512 * 1024;
/// The largest request for a plan or a start, in bytes of JSON.
pub const START_BYTES_MAX: usize = 1024 * 1024;
/// The most goals of a request, or of a flow step.
pub const GOALS_MAX: usize = 64;
/// The most work items that one step may fan out into.
pub const WORK_ITEMS_MAX: usize = 10_000;

/// The longest id of a step, in bytes.
pub const ID_BYTES_MAX: usize = 128;
/// The longest name of an attribute, or of what a step sees it as, in bytes.
pub const ATTRIBUTE_NAME_BYTES_MAX: usize = 128;
/// The longest name that a step is shown under, in bytes.
pub const NAME_BYTES_MAX: usize = 256;
/// The most attributes of a step.
pub const ATTRIBUTES_MAX: usize = 256;
/// The most labels of a step.
pub const LABELS_MAX: usize = 64;
/// The longest key of a label, in bytes.
pub const LABEL_KEY_BYTES_MAX: usize = 128;
/// The longest value of a label, in bytes.
pub const LABEL_VALUE_BYTES_MAX: usize = 256;
/// The longest script, predicate, match or mapping, in bytes.
pub const SOURCE_BYTES_MAX: usize = 256 * 1024;
/// The longest URL, in bytes, placeholders included.
pub const URL_BYTES_MAX: usize = 4096;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// The longest time that one HTTP call may take.
pub const TIMEOUT_MS_MAX: u64 = 60 * 60 * 1000;
/// The longest time that an async step may wait for its webhook.
pub const WEBHOOK_TIMEOUT_MS_MAX: u64 = 365 * DAY_MS;
/// The longest time that a step may wait for an optional input.
pub const DEADLINE_MS_MAX: u64 = 365 * DAY_MS;
/// The longest time that a recorded result may be reused.
pub const MEMO_TTL_MS_MAX: u64 = 365 * DAY_MS;
/// The most retries of a work item.
pub const RETRIES_MAX: u64 = 1000;
/// The longest delay before a retry.
pub const BACKOFF_MS_MAX: u64 = DAY_MS;
/// The most work items of one step that may run at a time.
pub const PARALLELISM_MAX: u64 = 1000;

/// The most steps of a catalog.
pub const CATALOG_STEPS_MAX: usize = 100_000;
/// The most steps of a plan, its child plans included.
pub const PLAN_STEPS_MAX: usize = 20_000;
/// How many flow steps may lie in one another.
pub const FLOW_DEPTH_MAX: usize = 16;
