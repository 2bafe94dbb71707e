//! The laws, for the embedded store.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must panic")]

use std::path::PathBuf;
use std::sync::Arc;

use stepwell_store::{Store, StoreError};
use stepwell_store_laws::Fresh;
use stepwell_store_sqlite::{SqliteStore, Synchronous};

mod everything_in_the_tail {
    use super::*;

    async fn fresh() -> Fresh {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("store")).await.unwrap();
        Fresh::keeping(store, folder)
    }

    stepwell_store_laws::store_laws!(fresh);
}

/// A threshold of nothing folds after every batch.
mod everything_folded {
    use super::*;

    async fn fresh() -> Fresh {
        let folder = tempfile::tempdir().unwrap();
        let options = SqliteStore::options().fold_bytes(0).synchronous(Synchronous::Normal);
        let store = options.open(folder.path().join("store")).await.unwrap();
        Fresh::keeping(store, folder)
    }

    stepwell_store_laws::store_laws!(fresh);
}

mod reopened {
    use super::*;

    async fn open(path: PathBuf) -> Result<Arc<dyn Store>, StoreError> {
        Ok(Arc::new(SqliteStore::open(path).await?))
    }

    stepwell_store_laws::persistent_store_laws!(open);
    stepwell_store_laws::exclusive_store_laws!(open);
}
