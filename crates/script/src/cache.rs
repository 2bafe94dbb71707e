//! Compiled scripts, kept for the next call.

use std::any::Any;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lru::LruCache;
use parking_lot::Mutex;

use crate::outputs::sorted_names;
use crate::{AleScript, JsonPath, LuaScript, LuaStates, ScriptError};

/// Most scripts that are kept.
pub const SCRIPTS_MAX: NonZeroUsize = NonZeroUsize::new(4_096).unwrap();
/// Most bytes of source of all scripts that are kept. What they compile to takes a small multiple of it.
pub const SCRIPTS_BYTES_MAX: usize = 32 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    Js,
    Lua,
    Ale,
    JsonPath,
}

/// The scripts that were used last, of all languages, by source and names of arguments. Shared by threads.
pub struct ScriptCache {
    kept: Mutex<Kept<Key, Arc<dyn Any + Send + Sync>>>,
    lua: Arc<LuaStates>,
    hits: AtomicU64,
    misses: AtomicU64,
    evictions: AtomicU64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheCounts {
    /// Scripts at present.
    pub kept: usize,
    /// Their sources, in bytes.
    pub kept_bytes: usize,
    pub hits: u64,
    /// Look-ups that compiled, whether or not that succeeded.
    pub misses: u64,
    /// Scripts that were dropped for others.
    pub evictions: u64,
}

/// Values by their sources, bounded by their number and by the bytes of the sources.
pub(crate) struct Kept<K: Eq + Hash, V> {
    values: LruCache<K, V>,
    bytes: usize,
    bytes_max: usize,
}

/// A key that says how long its source is.
pub(crate) trait SourceKey: Eq + Hash {
    fn bytes(&self) -> usize;
}

#[derive(PartialEq, Eq, Hash)]
struct Key {
    language: Language,
    names: Vec<String>,
    source: Box<str>,
}

impl SourceKey for Key {
    fn bytes(&self) -> usize {
        self.source.len() + self.names.iter().map(String::len).sum::<usize>()
    }
}

impl Default for ScriptCache {
    fn default() -> Self {
        Self::new(SCRIPTS_MAX, SCRIPTS_BYTES_MAX)
    }
}

impl ScriptCache {
    #[must_use]
    pub fn new(scripts_max: NonZeroUsize, bytes_max: usize) -> ScriptCache {
        ScriptCache {
            kept: Mutex::new(Kept::new(scripts_max, bytes_max)),
            lua: LuaStates::new(),
            hits: AtomicU64::new(0),
            misses: AtomicU64::new(0),
            evictions: AtomicU64::new(0),
        }
    }

    pub fn lua<S: AsRef<str>>(
        &self,
        source: &str,
        names: &[S],
    ) -> Result<Arc<LuaScript>, ScriptError> {
        self.get_or_compile(Language::Lua, source, names, || {
            LuaScript::compile(&self.lua, source, names)
        })
    }

    pub fn ale<S: AsRef<str>>(
        &self,
        source: &str,
        names: &[S],
    ) -> Result<Arc<AleScript>, ScriptError> {
        self.get_or_compile(Language::Ale, source, names, || AleScript::compile(source, names))
    }

    pub fn json_path(&self, source: &str) -> Result<Arc<JsonPath>, ScriptError> {
        self.get_or_compile::<_, &str>(Language::JsonPath, source, &[], || {
            JsonPath::compile(source)
        })
    }

    /// The script of this language, source and names; compiled if it is not there. What does not compile is
    /// not kept. A language has one type of script: another one than before is compiled anew.
    pub fn get_or_compile<T: Send + Sync + 'static, S: AsRef<str>>(
        &self,
        language: Language,
        source: &str,
        names: &[S],
        compile: impl FnOnce() -> Result<T, ScriptError>,
    ) -> Result<Arc<T>, ScriptError> {
        let key = Key { language, names: sorted_names(names)?, source: source.into() };
        let found = self.kept.lock().get(&key).cloned();
        if let Some(script) = found.and_then(|script| script.downcast().ok()) {
            self.hits.fetch_add(1, Ordering::Relaxed);
            return Ok(script);
        }
        self.misses.fetch_add(1, Ordering::Relaxed);
        // Two threads may compile the same source at once; nobody waits for a lock meanwhile.
        let script = Arc::new(compile()?);
        let evicted = self.kept.lock().put(key, script.clone());
        self.evictions.fetch_add(evicted, Ordering::Relaxed);
        Ok(script)
    }

    #[must_use]
    pub fn counts(&self) -> CacheCounts {
        let kept = self.kept.lock();
        CacheCounts {
            kept: kept.values.len(),
            kept_bytes: kept.bytes,
            hits: self.hits.load(Ordering::Relaxed),
            misses: self.misses.load(Ordering::Relaxed),
            evictions: self.evictions.load(Ordering::Relaxed),
        }
    }
}

impl<K: SourceKey, V> Kept<K, V> {
    pub(crate) fn new(n_max: NonZeroUsize, bytes_max: usize) -> Self {
        Kept { values: LruCache::new(n_max), bytes: 0, bytes_max }
    }

    pub(crate) fn get(&mut self, key: &K) -> Option<&V> {
        self.values.get(key)
    }

    /// Keeps a value and says how many others had to go.
    pub(crate) fn put(&mut self, key: K, value: V) -> u64 {
        let mut evicted = 0;
        self.bytes += key.bytes();
        if let Some((old, _)) = self.values.push(key, value) {
            self.bytes -= old.bytes();
            evicted += 1;
        }
        while self.bytes > self.bytes_max
            && let Some((old, _)) = self.values.pop_lru()
        {
            self.bytes -= old.bytes();
            evicted += 1;
        }
        evicted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn small(scripts_max: usize, bytes_max: usize) -> ScriptCache {
        ScriptCache::new(NonZeroUsize::new(scripts_max).unwrap(), bytes_max)
    }

    #[test]
    fn a_source_is_compiled_once() {
        let cache = ScriptCache::default();
        let first = cache.ale("(+ a b)", &["a", "b"]).unwrap();
        let again = cache.ale("(+ a b)", &["b", "a"]).unwrap();
        assert!(Arc::ptr_eq(&first, &again));
        let CacheCounts { kept, kept_bytes, hits, misses, evictions } = cache.counts();
        assert_eq!((kept, kept_bytes, hits, misses, evictions), (1, 9, 1, 1, 0));
    }

    #[test]
    fn languages_and_names_are_told_apart() {
        let cache = ScriptCache::default();
        cache.lua("return a", &["a"]).unwrap();
        cache.lua("return a", &["a", "b"]).unwrap();
        cache.json_path("$.a").unwrap();
        assert_eq!(cache.ale("$.a", &["a"]).unwrap_err().message, "unknown name `$.a`");
        assert_eq!(cache.ale("(* amount 2)", &["inner"]).unwrap_err().kind, ErrorKind::Compile);
        let counts = cache.counts();
        assert_eq!((counts.kept, counts.hits, counts.misses), (3, 0, 5));
    }

    #[test]
    fn what_was_used_least_recently_goes_first() {
        let cache = small(2, usize::MAX);
        cache.json_path("$.a").unwrap();
        cache.json_path("$.b").unwrap();
        cache.json_path("$.a").unwrap();
        cache.json_path("$.c").unwrap();
        assert_eq!(cache.counts().evictions, 1);
        cache.json_path("$.a").unwrap();
        assert_eq!(cache.counts().hits, 2);
        cache.json_path("$.b").unwrap();
        assert_eq!((cache.counts().hits, cache.counts().kept, cache.counts().evictions), (2, 2, 2));
    }

    #[test]
    fn sources_have_a_bound_in_bytes() {
        let cache = small(100, 20);
        cache.json_path("$.aaaaaa").unwrap();
        cache.json_path("$.bbbbbb").unwrap();
        assert_eq!((cache.counts().kept, cache.counts().kept_bytes), (2, 16));
        cache.json_path("$.cccccc").unwrap();
        assert_eq!(
            (cache.counts().kept, cache.counts().kept_bytes, cache.counts().evictions),
            (2, 16, 1)
        );
        // Larger than all that may be kept: it is used, and not kept.
        let long = format!("$.{}", "d".repeat(30));
        assert!(cache.json_path(&long).is_ok());
        assert_eq!((cache.counts().kept, cache.counts().kept_bytes), (0, 0));
    }

    #[test]
    fn threads_share_it() {
        let cache = Arc::new(small(8, usize::MAX));
        let threads: Vec<_> = (0..4)
            .map(|_| {
                let cache = cache.clone();
                std::thread::spawn(move || {
                    for n in 0..200 {
                        let path = cache.json_path(&format!("$.a{}", n % 16)).unwrap();
                        assert!(!path.is_expression());
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let counts = cache.counts();
        assert_eq!((counts.kept, counts.hits + counts.misses), (8, 800));
    }
}
