//! The engine with its embedded store.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use stepwell_engine::EngineBuilder;
use stepwell_store::{Store, StoreError, StoreReport};
use stepwell_store_sqlite::SqliteStore;

/// An engine on a file of its own. Everything that a [`stepwell_engine::Engine`] can, and what only an
/// embedded store can: check itself, and back itself up while it works.
#[derive(Clone)]
pub struct Engine {
    engine: stepwell_engine::Engine,
    store: SqliteStore,
}

/// How to open an engine.
pub struct Options {
    sqlite: stepwell_store_sqlite::Options,
    tune: Box<dyn FnOnce(EngineBuilder) -> EngineBuilder + Send>,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    #[error("the store could not be opened")]
    Store(#[from] StoreError),
    #[error("the engine could not be started")]
    Engine(#[from] stepwell_engine::OpenError),
}

impl Engine {
    /// Opens the file, or makes it, and goes on with every run that is not ended.
    pub async fn open(path: impl AsRef<Path>) -> Result<Engine, OpenError> {
        Engine::options().open(path).await
    }

    pub fn options() -> Options {
        Options { sqlite: SqliteStore::options(), tune: Box::new(|builder| builder) }
    }

    /// The store itself, for its figures.
    pub fn sqlite(&self) -> &SqliteStore {
        &self.store
    }

    /// Reads the whole store and says what is wrong.
    pub async fn check(&self) -> Result<StoreReport, StoreError> {
        self.store.check().await
    }

    /// Writes a copy of the store, as of one moment, while work goes on.
    pub async fn backup(&self, to: impl AsRef<Path>) -> Result<(), StoreError> {
        self.store.backup(to.as_ref()).await
    }

    /// Lets running steps end for a while, writes what there is, and lets go of the file.
    pub async fn shutdown(&self) {
        self.engine.shutdown().await;
        self.store.close().await;
    }
}

impl Options {
    /// How the file is written: how safe, how often it is tidied up.
    #[must_use]
    pub fn sqlite(
        mut self,
        change: impl FnOnce(stepwell_store_sqlite::Options) -> stepwell_store_sqlite::Options,
    ) -> Options {
        self.sqlite = change(self.sqlite);
        self
    }

    /// How the engine works: threads, limits, how many runs may be in memory.
    #[must_use]
    pub fn engine(
        mut self,
        change: impl FnOnce(EngineBuilder) -> EngineBuilder + Send + 'static,
    ) -> Options {
        let before = self.tune;
        self.tune = Box::new(|builder| change(before(builder)));
        self
    }

    pub async fn open(self, path: impl AsRef<Path>) -> Result<Engine, OpenError> {
        // The engine counts from its beginning, if there is somebody to count for. Without, there are no figures of
        // steps; what is served all the same tells the rest.
        #[cfg(feature = "server")]
        if let Err(error) = stepwell_server::Metrics::install() {
            tracing::warn!(%error, "figures of steps are not kept");
        }
        let store = self.sqlite.open(path.as_ref()).await?;
        let builder = stepwell_engine::Engine::builder(Arc::new(store.clone()));
        let engine = (self.tune)(builder).open().await?;
        Ok(Engine { engine, store })
    }
}

impl Deref for Engine {
    type Target = stepwell_engine::Engine;

    fn deref(&self) -> &stepwell_engine::Engine {
        &self.engine
    }
}
