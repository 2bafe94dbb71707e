//! The laws, for PostgreSQL.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::path::PathBuf;
use std::sync::Arc;

use stepwell_store::{Store, StoreError};
use stepwell_store_laws::Fresh;
use stepwell_store_postgres::{PostgresStore, testkit};

mod two_writers {
    use super::*;

    async fn fresh() -> Fresh {
        let store = PostgresStore::options().readers_max(2);
        Fresh::new(store.open(&testkit::server().address()).await.unwrap())
    }

    stepwell_store_laws::store_laws!(fresh);
}

mod reopened {
    use super::*;

    /// The place is a folder that only this test has: its name makes the schema.
    async fn open(path: PathBuf) -> Result<Arc<dyn Store>, StoreError> {
        let folder = path.parent().and_then(|folder| folder.file_name()).unwrap();
        let letters = folder.to_str().unwrap().bytes().map(|byte| format!("{byte:02x}"));
        let schema = format!("place_{}", letters.collect::<String>());
        let address = testkit::server().address_of(&schema);
        Ok(Arc::new(PostgresStore::options().readers_max(2).open(&address).await?))
    }

    stepwell_store_laws::persistent_store_laws!(open);
}
