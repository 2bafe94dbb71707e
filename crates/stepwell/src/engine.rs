//! The engine with its store: a file of its own, or a database that it shares with other engines.

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use std::time::Duration;

use stepwell_engine::EngineBuilder;
use stepwell_store::{StoreError, StoreReport};
use stepwell_store_postgres::PostgresStore;
use stepwell_store_sqlite::SqliteStore;

/// How long a node that says nothing keeps its runs, unless said otherwise.
pub const LEASE: Duration = Duration::from_secs(10);

/// An engine with its store. Everything that a [`stepwell_engine::Engine`] can, and what the store can: check
/// itself, and, if it is a file, back itself up while it works.
#[derive(Clone)]
pub struct Engine {
    engine: stepwell_engine::Engine,
    store: Kept,
}

/// Where everything is kept.
#[derive(Clone)]
enum Kept {
    Sqlite(SqliteStore),
    Postgres(PostgresStore),
}

/// How to open an engine.
pub struct Options {
    sqlite: stepwell_store_sqlite::Options,
    postgres: stepwell_store_postgres::Options,
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
        Options {
            sqlite: SqliteStore::options(),
            postgres: PostgresStore::options().shared(LEASE),
            tune: Box::new(|builder| builder),
        }
    }

    /// Opens a database such as `postgres://user@host/database`, and shares its runs with every other engine
    /// that has it open: each runs a part of them, and any of them can be asked for any run.
    pub async fn open_postgres(address: &str) -> Result<Engine, OpenError> {
        Engine::options().open_postgres(address).await
    }

    /// The file, if that is where everything is kept.
    pub fn sqlite(&self) -> Option<&SqliteStore> {
        match &self.store {
            Kept::Sqlite(store) => Some(store),
            Kept::Postgres(_) => None,
        }
    }

    /// The database, if that is where everything is kept.
    pub fn postgres(&self) -> Option<&PostgresStore> {
        match &self.store {
            Kept::Sqlite(_) => None,
            Kept::Postgres(store) => Some(store),
        }
    }

    /// Reads the whole store and says what is wrong.
    pub async fn check(&self) -> Result<StoreReport, StoreError> {
        self.engine.store().check().await
    }

    /// Writes a copy of the store, as of one moment, while work goes on. A database has its own ways for that,
    /// such as `pg_dump`.
    pub async fn backup(&self, to: impl AsRef<Path>) -> Result<(), StoreError> {
        match &self.store {
            Kept::Sqlite(store) => store.backup(to.as_ref()).await,
            Kept::Postgres(_) => {
                Err(StoreError::Unavailable("copy a database with pg_dump or its like".into()))
            }
        }
    }

    /// Lets running steps end for a while, writes what there is, and lets go of the store.
    pub async fn shutdown(&self) {
        self.engine.shutdown().await;
        self.engine.store().close().await;
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

    /// How the database is used: connections, what this node is called, how long its leases are.
    #[must_use]
    pub fn postgres(
        mut self,
        change: impl FnOnce(stepwell_store_postgres::Options) -> stepwell_store_postgres::Options,
    ) -> Options {
        self.postgres = change(self.postgres);
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
        count_steps();
        let store = self.sqlite.open(path.as_ref()).await?;
        let builder = stepwell_engine::Engine::builder(Arc::new(store.clone()));
        let engine = (self.tune)(builder).open().await?;
        Ok(Engine { engine, store: Kept::Sqlite(store) })
    }

    /// See [`Engine::open_postgres`].
    pub async fn open_postgres(self, address: &str) -> Result<Engine, OpenError> {
        count_steps();
        let store = self.postgres.open(address).await?;
        let builder = stepwell_engine::Engine::builder(Arc::new(store.clone()));
        let engine = (self.tune)(builder).open().await?;
        Ok(Engine { engine, store: Kept::Postgres(store) })
    }
}

/// The engine counts from its beginning, if there is somebody to count for. Without, there are no figures of
/// steps; what is served all the same tells the rest.
fn count_steps() {
    #[cfg(feature = "server")]
    if let Err(error) = stepwell_server::Metrics::install() {
        tracing::warn!(%error, "figures of steps are not kept");
    }
}

impl Deref for Engine {
    type Target = stepwell_engine::Engine;

    fn deref(&self) -> &stepwell_engine::Engine {
        &self.engine
    }
}
