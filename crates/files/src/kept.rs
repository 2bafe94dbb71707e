//! Every version of every file's workflows, as documents.

use std::sync::Arc;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use stepwell_engine::Definitions;
use stepwell_journal::{Json, UnixMillis};
use stepwell_kernel::Workflow;
use stepwell_sequence::ts::{Loaded, Sources, TsRuntime};
use stepwell_store::{BoxError, DocumentError, DocumentQuery, DocumentWrite, Expect, Store};

/// The kind of these documents.
pub const KIND: &str = "sequence";

/// They belong to no namespace.
const NAMESPACE: &str = "*";

/// What is kept of a version.
#[derive(Serialize, Deserialize)]
struct Kept {
    sources: Sources,
}

/// Finds older versions in the store.
#[derive(Clone)]
pub(crate) struct KeptVersions {
    pub store: Arc<dyn Store>,
    pub runtime: TsRuntime,
}

impl KeptVersions {
    /// Keeps a version, unless it is kept. Returns when that is durable.
    pub async fn keep(&self, loaded: &Loaded, at: UnixMillis) -> Result<(), DocumentError> {
        let key = key(loaded.name(), loaded.version());
        if self.read(&key).await?.is_some() {
            return Ok(());
        }
        let kept = Kept { sources: loaded.sources().clone() };
        let body = Json::of(&kept).unwrap_or_default();
        let write = DocumentWrite {
            namespace: NAMESPACE.to_owned(),
            kind: KIND.to_owned(),
            key,
            body: Some(body),
            // Another process that writes the same version writes the same texts.
            expect: Expect::Anything,
            at,
        };
        self.store.write_documents(vec![write]).await.map(drop)
    }

    async fn read(&self, key: &str) -> Result<Option<Json>, stepwell_store::StoreError> {
        let query = DocumentQuery {
            namespace: Some(NAMESPACE.to_owned()),
            kind: KIND.to_owned(),
            key: Some(key.to_owned()),
            ..DocumentQuery::default()
        };
        let mut page = self.store.documents(query).await?;
        Ok(page.documents.pop().map(|document| document.body))
    }
}

#[async_trait]
impl Definitions for KeptVersions {
    async fn find(
        &self,
        _namespace: &str,
        workflow: &str,
        version: &str,
    ) -> Result<Option<Workflow>, BoxError> {
        let Some(body) = self.read(&key(workflow, version)).await? else { return Ok(None) };
        let Kept { sources } = body.to()?;
        let loaded = self.runtime.restore(&sources).await?;
        let found = loaded
            .into_iter()
            .find(|loaded| loaded.name() == workflow && loaded.version() == version);
        Ok(found.map(|loaded| loaded.workflow()))
    }
}

fn key(workflow: &str, version: &str) -> String {
    format!("{workflow}@{version}")
}
