//! The tests that every store must pass.
//!
//! A store's crate calls [`store_laws!`] with a function that makes an empty store, and gets one test
//! per law. A law that is added here reaches every store at its next build. Stores that outlive their
//! process also call [`persistent_store_laws!`], and those that only one process may open
//! [`exclusive_store_laws!`].
//!
//! This crate must not know any particular store.

#![expect(clippy::unwrap_used, reason = "a law that does not hold must panic")]

pub mod commits;
pub mod compaction;
pub mod documents;
pub mod forgetting;
pub mod inbox;
mod kit;
mod list;
pub mod logs;
pub mod persistence;
pub mod queries;
pub mod races;
pub mod schedule;
pub mod searches;
pub mod starts;
pub mod values;

use std::any::Any;
use std::sync::Arc;

use stepwell_store::Store;

/// An empty store, with whatever must live as long as it does, such as its folder.
pub struct Fresh {
    store: Arc<dyn Store>,
    _keep: Box<dyn Any + Send>,
}

impl Fresh {
    pub fn new(store: impl Store) -> Fresh {
        Fresh::keeping(store, ())
    }

    pub fn keeping(store: impl Store, keep: impl Any + Send) -> Fresh {
        Fresh { store: Arc::new(store), _keep: Box::new(keep) }
    }

    pub fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store)
    }
}
