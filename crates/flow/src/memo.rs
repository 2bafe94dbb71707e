//! Results of memoizable steps, kept for other flows.

use std::num::NonZeroUsize;
use std::sync::Arc;

use lru::LruCache;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use stepwell_journal::UnixMillis;

use crate::items::Outputs;
use crate::step::StepDefinition;

/// The most results that are kept, unless said otherwise.
pub const MEMO_RESULTS_MAX: NonZeroUsize = NonZeroUsize::new(10_000).unwrap();

/// The most bytes of results that are kept, as JSON, unless said otherwise.
pub const MEMO_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The results that were used last. Shared by all flows of a process, and gone with it: after a restart, the results
/// of flows that go on come back with them.
#[derive(Clone)]
pub struct Memo {
    kept: Arc<Mutex<Kept>>,
}

/// What a result is found by: the namespace, the definition and the inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MemoKey([u8; 32]);

struct Kept {
    results: LruCache<MemoKey, KeptResult>,
    bytes: usize,
    bytes_max: usize,
}

struct KeptResult {
    outputs: Arc<Outputs>,
    n_bytes: usize,
    expires_at: Option<UnixMillis>,
}

impl Default for Memo {
    fn default() -> Memo {
        Memo::new(MEMO_RESULTS_MAX, MEMO_BYTES_MAX)
    }
}

impl Memo {
    pub fn new(results_max: NonZeroUsize, bytes_max: usize) -> Memo {
        let kept = Kept { results: LruCache::new(results_max), bytes: 0, bytes_max };
        Memo { kept: Arc::new(Mutex::new(kept)) }
    }

    pub fn get(&self, key: &MemoKey, now: UnixMillis) -> Option<Arc<Outputs>> {
        let mut kept = self.kept.lock();
        let found = kept.results.get(key)?;
        if found.expires_at.is_none_or(|at| at > now) {
            return Some(found.outputs.clone());
        }
        let gone = kept.results.pop(key);
        kept.bytes -= gone.map_or(0, |gone| gone.n_bytes);
        None
    }

    /// Keeps a result that was made at `at`.
    pub fn put(&self, key: MemoKey, outputs: &Outputs, at: UnixMillis, ttl_ms: Option<u64>) {
        let n_bytes = serde_json::to_vec(outputs).map_or(0, |text| text.len());
        let expires_at = ttl_ms.map(|ttl_ms| at.plus_ms(ttl_ms));
        let result = KeptResult { outputs: Arc::new(outputs.clone()), n_bytes, expires_at };
        let mut kept = self.kept.lock();
        if n_bytes > kept.bytes_max {
            return;
        }
        kept.bytes += n_bytes;
        if let Some((_, old)) = kept.results.push(key, result) {
            kept.bytes -= old.n_bytes;
        }
        while kept.bytes > kept.bytes_max
            && let Some((_, old)) = kept.results.pop_lru()
        {
            kept.bytes -= old.n_bytes;
        }
    }

    /// How many results are kept, and how many bytes they have.
    pub fn size(&self) -> (usize, usize) {
        let kept = self.kept.lock();
        (kept.results.len(), kept.bytes)
    }
}

impl MemoKey {
    /// `inputs` is what the step sees, as canonical JSON.
    pub(crate) fn new(namespace: &str, definition: &StepDefinition, inputs: &str) -> MemoKey {
        let mut hash = Sha256::new();
        for part in [namespace, definition.version().as_str(), inputs] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        MemoKey(hash.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn key(n: u8) -> MemoKey {
        MemoKey([n; 32])
    }

    fn outputs(text: &str) -> Outputs {
        [("x".into(), json!(text))].into_iter().collect()
    }

    #[test]
    fn results_go_when_their_time_is_over() {
        let memo = Memo::default();
        memo.put(key(1), &outputs("a"), UnixMillis(1_000), Some(50));
        memo.put(key(2), &outputs("b"), UnixMillis(1_000), None);
        assert_eq!(*memo.get(&key(1), UnixMillis(1_049)).unwrap(), outputs("a"));
        assert_eq!(memo.get(&key(1), UnixMillis(1_050)), None);
        assert_eq!(*memo.get(&key(2), UnixMillis(u64::MAX)).unwrap(), outputs("b"));
        assert_eq!(memo.size(), (1, 9));
    }

    #[test]
    fn the_results_that_were_not_used_go_first() {
        let memo = Memo::new(NonZeroUsize::new(2).unwrap(), 1_000);
        for n in 1..=3 {
            memo.put(key(n), &outputs("a"), UnixMillis(0), None);
        }
        assert_eq!((memo.get(&key(1), UnixMillis(0)), memo.size()), (None, (2, 18)));
        // As many bytes as two small results have, and one more.
        let memo = Memo::new(MEMO_RESULTS_MAX, 19);
        for n in 1..=3 {
            memo.put(key(n), &outputs("a"), UnixMillis(0), None);
        }
        assert_eq!((memo.get(&key(1), UnixMillis(0)), memo.size()), (None, (2, 18)));
        memo.put(key(4), &outputs(&"a".repeat(20)), UnixMillis(0), None);
        assert_eq!(memo.size(), (2, 18), "what is larger than all that may be kept is not kept");
    }
}
