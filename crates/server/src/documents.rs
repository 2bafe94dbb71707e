//! Documents of the store, as types of the server.

use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use stepwell_engine::Clock;
use stepwell_journal::Json;
use stepwell_store::{DocumentError, DocumentQuery, DocumentWrite, Expect, PAGE_ROWS_MAX, Store};

use crate::problem::{Code, Problem, internal, with_causes};

/// Documents of the server itself lie in a namespace that nobody can name.
pub const SYSTEM: &str = "*";

/// One kind of document.
#[derive(Clone)]
pub struct Documents {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    kind: &'static str,
}

/// A document, read.
#[derive(Debug, Clone)]
pub struct Found<T> {
    pub namespace: String,
    pub key: String,
    pub revision: u64,
    pub body: T,
}

impl Documents {
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, kind: &'static str) -> Documents {
        Documents { store, clock, kind }
    }

    pub async fn get<T: DeserializeOwned>(
        &self,
        namespace: &str,
        key: &str,
    ) -> Result<Option<Found<T>>, Problem> {
        let query = DocumentQuery {
            namespace: Some(namespace.to_owned()),
            kind: self.kind.to_owned(),
            key: Some(key.to_owned()),
            ..DocumentQuery::default()
        };
        Ok(self.page(query).await?.0.pop())
    }

    /// All of a namespace, or of all of them, by namespace and key.
    pub async fn list<T: DeserializeOwned>(
        &self,
        namespace: Option<&str>,
    ) -> Result<Vec<Found<T>>, Problem> {
        let (mut all, mut after) = (Vec::new(), None);
        loop {
            let query = DocumentQuery {
                namespace: namespace.map(str::to_owned),
                kind: self.kind.to_owned(),
                after,
                limit: PAGE_ROWS_MAX,
                ..DocumentQuery::default()
            };
            let (mut page, next) = self.page(query).await?;
            all.append(&mut page);
            after = next;
            if after.is_none() {
                return Ok(all);
            }
        }
    }

    /// Those of a namespace after this key, by key; at most so many, or all that there are.
    pub async fn list_after<T: DeserializeOwned>(
        &self,
        namespace: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Found<T>>, Problem> {
        let mut all: Vec<Found<T>> = Vec::new();
        let mut after = after.map(|key| (namespace.to_owned(), key.to_owned()));
        loop {
            let query = DocumentQuery {
                namespace: Some(namespace.to_owned()),
                kind: self.kind.to_owned(),
                after,
                limit: PAGE_ROWS_MAX.min(limit - all.len()),
                ..DocumentQuery::default()
            };
            let (mut page, next) = self.page(query).await?;
            all.append(&mut page);
            after = next;
            if after.is_none() || all.len() >= limit {
                return Ok(all);
            }
        }
    }

    async fn page<T: DeserializeOwned>(
        &self,
        query: DocumentQuery,
    ) -> Result<(Vec<Found<T>>, Option<(String, String)>), Problem> {
        let page = self.store.documents(query).await?;
        let mut found = Vec::with_capacity(page.documents.len());
        for document in page.documents {
            let body = document.body.to().map_err(|error| {
                internal(&format!("the {} {:?} cannot be read: {error}", self.kind, document.key))
            })?;
            let (namespace, key) = (document.namespace, document.key);
            found.push(Found { namespace, key, revision: document.revision, body });
        }
        Ok((found, page.next))
    }

    /// A wish to write one, for [`write_all`].
    pub fn write(
        &self,
        namespace: &str,
        key: &str,
        body: Option<&impl Serialize>,
        expect: Expect,
    ) -> Result<DocumentWrite, Problem> {
        let body = match body {
            Some(body) => Some(Json::of(body).map_err(|error| internal(&error.to_string()))?),
            None => None,
        };
        Ok(DocumentWrite {
            namespace: namespace.to_owned(),
            kind: self.kind.to_owned(),
            key: key.to_owned(),
            body,
            expect,
            at: self.clock.now(),
        })
    }

    pub async fn put(
        &self,
        namespace: &str,
        key: &str,
        body: &impl Serialize,
        expect: Expect,
    ) -> Result<(), Problem> {
        write_all(&*self.store, vec![self.write(namespace, key, Some(body), expect)?]).await
    }

    pub async fn remove(&self, namespace: &str, key: &str, expect: Expect) -> Result<(), Problem> {
        write_all(&*self.store, vec![self.write(namespace, key, None::<&()>, expect)?]).await
    }
}

/// Writes all of them or none. A document that is not as expected is a problem `changed`.
pub async fn write_all(store: &dyn Store, writes: Vec<DocumentWrite>) -> Result<(), Problem> {
    match store.write_documents(writes).await {
        Ok(_) => Ok(()),
        Err(DocumentError::Store(error)) => Err(error.into()),
        Err(error @ DocumentError::Conflict { .. }) => {
            Err(Problem::new(Code::Changed, with_causes(&error)))
        }
        Err(error) => Err(Problem::new(Code::ValueTooLarge, with_causes(&error))),
    }
}
