//! The laws, for the store in memory.

use stepwell_store::MemoryStore;
use stepwell_store_laws::Fresh;

async fn fresh() -> Fresh {
    Fresh::new(MemoryStore::new())
}

stepwell_store_laws::store_laws!(fresh);
