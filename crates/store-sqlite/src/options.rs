//! How a store is opened.

use std::path::Path;

use stepwell_store::StoreError;

use crate::SqliteStore;

/// When a write is acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Synchronous {
    /// When the disk has it. Survives a power cut.
    #[default]
    Full,
    /// When the operating system has it. Survives the end of the process, not a power cut, which loses
    /// the last moments and leaves the rest consistent.
    Normal,
}

#[derive(Debug, Clone)]
pub struct Options {
    pub(crate) synchronous: Synchronous,
    pub(crate) fold_bytes: usize,
    pub(crate) cache_bytes: usize,
    pub(crate) readers_max: usize,
    pub(crate) pages_max: Option<u32>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            synchronous: Synchronous::Full,
            fold_bytes: 8 * 1024 * 1024,
            cache_bytes: 8 * 1024 * 1024,
            readers_max: 4,
            pages_max: None,
        }
    }
}

impl Options {
    pub fn synchronous(mut self, synchronous: Synchronous) -> Options {
        self.synchronous = synchronous;
        self
    }

    /// How much memory journals that wait in the log may take, about, before they are folded. Bounds the
    /// time that opening takes, too.
    pub fn fold_bytes(mut self, n_bytes: usize) -> Options {
        self.fold_bytes = n_bytes;
        self
    }

    /// The writer's page cache.
    pub fn cache_bytes(mut self, n_bytes: usize) -> Options {
        self.cache_bytes = n_bytes;
        self
    }

    /// How many readers may work at once.
    pub fn readers_max(mut self, n_readers: usize) -> Options {
        self.readers_max = n_readers.max(1);
        self
    }

    /// Makes the store full when the file has this many pages, as a full disk would.
    #[doc(hidden)]
    pub fn pages_max(mut self, n_pages: u32) -> Options {
        self.pages_max = Some(n_pages);
        self
    }

    /// Opens the store at `path`, and creates it if there is none.
    pub async fn open(self, path: impl AsRef<Path>) -> Result<SqliteStore, StoreError> {
        SqliteStore::open_with(self, path.as_ref().to_owned()).await
    }
}
