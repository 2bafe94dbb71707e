//! Documents in memory.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::{Document, DocumentError, DocumentPage, DocumentQuery, DocumentWrite};

#[derive(Default)]
pub(super) struct Documents {
    /// By kind, namespace and key.
    by_name: BTreeMap<(String, String, String), Document>,
    last_revision: u64,
}

impl Documents {
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Writes all or nothing. The bounds are checked already.
    pub fn write(&mut self, writes: Vec<DocumentWrite>) -> Result<Vec<u64>, DocumentError> {
        for write in &writes {
            let name = (write.kind.clone(), write.namespace.clone(), write.key.clone());
            write.check_found(self.by_name.get(&name).map(|found| found.revision))?;
        }
        Ok(writes.into_iter().map(|write| self.write_one(write)).collect())
    }

    fn write_one(&mut self, write: DocumentWrite) -> u64 {
        self.last_revision += 1;
        let revision = self.last_revision;
        let DocumentWrite { namespace, kind, key, body, at, .. } = write;
        let name = (kind.clone(), namespace.clone(), key.clone());
        match body {
            Some(body) => {
                let document = Document { namespace, kind, key, revision, at, body };
                self.by_name.insert(name, document);
            }
            None => drop(self.by_name.remove(&name)),
        }
        revision
    }

    pub fn page(&self, query: &DocumentQuery) -> DocumentPage {
        let first = match query.after.clone() {
            Some((namespace, key)) => Bound::Excluded((query.kind.clone(), namespace, key)),
            None => Bound::Included((query.kind.clone(), String::new(), String::new())),
        };
        let mut page = DocumentPage::default();
        for document in self.by_name.range((first, Bound::Unbounded)).map(|(_, document)| document)
        {
            if document.kind != query.kind {
                break;
            }
            if query.matches(document) && !page.take_in(query, document.clone()) {
                break;
            }
        }
        page
    }
}
