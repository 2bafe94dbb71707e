//! How many runs of a workflow may be under way, and how often one may begin.

use serde::{Deserialize, Serialize};

/// Bounds on the runs of one workflow in one namespace. A run that has begun counts until it has ended,
/// also while it only waits; those that may not begin yet wait in the order of their creation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunLimits {
    /// How many may be under way at one time.
    pub concurrency: Option<u32>,
    /// How often one may begin.
    pub rate: Option<Rate>,
    /// The same for the runs that have a field of their input in common.
    pub per_key: Option<KeyedLimit>,
}

/// Bounds on the runs whose inputs have the same value at `key`. Runs without that field have a common
/// place of their own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyedLimit {
    /// Where the key stands in the input: names of fields with dots between them, as in `customer.id`.
    pub key: String,
    #[serde(default)]
    pub concurrency: Option<u32>,
    #[serde(default)]
    pub rate: Option<Rate>,
}

/// At most `n_runs` begin within any `per_ms` milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    pub n_runs: u32,
    pub per_ms: u64,
}

/// The most runs that a rate may allow in its time: the engine remembers each of them.
pub const RATE_RUNS_MAX: u32 = 10_000;

/// The longest time that a rate may be about: 31 days.
pub const RATE_MS_MAX: u64 = 31 * 86_400_000;

/// The limits make no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RunLimitsError {
    /// Allow at least one, or leave the limit out.
    #[error("a limit `{limit}` of 0 would keep every run from beginning")]
    Zero { limit: &'static str },
    #[error("{n_runs} runs in a rate are more than the limit RATE_RUNS_MAX of {RATE_RUNS_MAX}")]
    TooMany { n_runs: u32 },
    #[error("a rate per {per_ms} ms is longer than the limit RATE_MS_MAX of {RATE_MS_MAX}")]
    TooLong { per_ms: u64 },
    /// Name a field of the input.
    #[error("the key `{key}` is no path of field names with dots between them")]
    Key { key: String },
}

impl RunLimits {
    pub fn is_empty(&self) -> bool {
        *self == RunLimits::default()
    }

    /// Whether these limits can be kept.
    pub fn check(&self) -> Result<(), RunLimitsError> {
        check_one(self.concurrency, self.rate)?;
        if let Some(keyed) = &self.per_key {
            if keyed.key.split('.').any(str::is_empty) {
                return Err(RunLimitsError::Key { key: keyed.key.clone() });
            }
            check_one(keyed.concurrency, keyed.rate)?;
        }
        Ok(())
    }
}

fn check_one(concurrency: Option<u32>, rate: Option<Rate>) -> Result<(), RunLimitsError> {
    if concurrency == Some(0) {
        return Err(RunLimitsError::Zero { limit: "concurrency" });
    }
    let Some(Rate { n_runs, per_ms }) = rate else { return Ok(()) };
    match (n_runs, per_ms) {
        (0, _) => Err(RunLimitsError::Zero { limit: "rate.n_runs" }),
        (_, 0) => Err(RunLimitsError::Zero { limit: "rate.per_ms" }),
        _ if n_runs > RATE_RUNS_MAX => Err(RunLimitsError::TooMany { n_runs }),
        _ if per_ms > RATE_MS_MAX => Err(RunLimitsError::TooLong { per_ms }),
        _ => Ok(()),
    }
}

impl KeyedLimit {
    /// What the input has at the key, as text that is the same for equal values.
    pub fn key_of(&self, input: &serde_json::Value) -> String {
        let found = self.key.split('.').try_fold(input, |value, name| value.as_object()?.get(name));
        found.map_or_else(|| "null".to_owned(), ToString::to_string)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn limits_that_cannot_be_kept_are_refused() {
        let zero = RunLimits { concurrency: Some(0), ..RunLimits::default() };
        assert_eq!(zero.check(), Err(RunLimitsError::Zero { limit: "concurrency" }));
        let rate = |n_runs, per_ms| RunLimits {
            rate: Some(Rate { n_runs, per_ms }),
            ..RunLimits::default()
        };
        assert_eq!(rate(0, 1).check(), Err(RunLimitsError::Zero { limit: "rate.n_runs" }));
        assert_eq!(rate(1, 0).check(), Err(RunLimitsError::Zero { limit: "rate.per_ms" }));
        assert_eq!(rate(RATE_RUNS_MAX, RATE_MS_MAX).check(), Ok(()));
        let n_runs = RATE_RUNS_MAX + 1;
        assert_eq!(rate(n_runs, 1).check(), Err(RunLimitsError::TooMany { n_runs }));
        let per_ms = RATE_MS_MAX + 1;
        assert_eq!(rate(1, per_ms).check(), Err(RunLimitsError::TooLong { per_ms }));
        let keyed = |key: &str| RunLimits {
            per_key: Some(KeyedLimit { key: key.into(), concurrency: Some(1), rate: None }),
            ..RunLimits::default()
        };
        assert_eq!(keyed("a.b").check(), Ok(()));
        assert_eq!(keyed("a..b").check(), Err(RunLimitsError::Key { key: "a..b".into() }));
        assert_eq!(keyed("").check(), Err(RunLimitsError::Key { key: String::new() }));
    }

    #[test]
    fn a_key_is_found_by_its_path_or_is_that_of_those_without() {
        let keyed = KeyedLimit { key: "customer.id".into(), concurrency: None, rate: None };
        assert_eq!(keyed.key_of(&json!({ "customer": { "id": "c-7" } })), "\"c-7\"");
        assert_eq!(keyed.key_of(&json!({ "customer": 7 })), "null");
        assert_eq!(keyed.key_of(&json!({ "customer": { "id": null } })), "null");
    }
}
