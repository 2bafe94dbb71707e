//! Documents: named pieces of JSON that lie beside the runs, such as definitions, schedules and tokens.

use std::collections::BTreeSet;

use stepwell_journal::{Json, UnixMillis};

use crate::{PAGE_ROWS_MAX, StoreError};

/// The most bytes that a namespace, a kind or a key of a document may have.
pub const DOCUMENT_NAME_BYTES_MAX: usize = 512;

/// The most bytes that one document's body may have.
pub const DOCUMENT_BODY_BYTES_MAX: usize = 8 * 1024 * 1024;

/// The most writes that one call may bring.
pub const DOCUMENT_WRITES_MAX: usize = 1_000;

/// The most bytes of bodies that one call may bring, and that one page has.
pub const DOCUMENTS_BYTES_MAX: usize = 32 * 1024 * 1024;

// A document that can be written can be read: it fits into a page.
const _: () = assert!(DOCUMENT_BODY_BYTES_MAX <= DOCUMENTS_BYTES_MAX);

/// A piece of JSON that is found by its namespace, kind and key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    pub namespace: String,
    pub kind: String,
    pub key: String,
    /// Grows with every write to this key, also when the document is removed and comes back. It may skip
    /// numbers.
    pub revision: u64,
    /// When it was written last, as the writer said.
    pub at: UnixMillis,
    pub body: Json,
}

/// A wish to write one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentWrite {
    pub namespace: String,
    pub kind: String,
    pub key: String,
    /// None removes the document; to remove what is not there changes nothing.
    pub body: Option<Json>,
    pub expect: Expect,
    pub at: UnixMillis,
}

/// What must be there for a document to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Expect {
    #[default]
    Anything,
    Absent,
    Revision(u64),
}

/// Which documents, in the order of namespace and key.
#[derive(Debug, Clone, Default)]
pub struct DocumentQuery {
    /// Only this namespace; all of them if none.
    pub namespace: Option<String>,
    pub kind: String,
    /// Only this key.
    pub key: Option<String>,
    /// Only keys that begin with this text.
    pub key_prefix: Option<String>,
    /// Where the page before ended: a namespace and a key.
    pub after: Option<(String, String)>,
    /// 0 means 50; at most [`PAGE_ROWS_MAX`]. A page also ends before its bodies have more than
    /// [`DOCUMENTS_BYTES_MAX`] bytes.
    pub limit: usize,
}

#[derive(Debug, Clone, Default)]
pub struct DocumentPage {
    pub documents: Vec<Document>,
    /// Where the next page begins; none if this is the last. Stays right while documents come and go.
    pub next: Option<(String, String)>,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentError {
    /// Nothing was written. Read the document again, and decide again.
    #[error("the {kind} {key:?} of namespace {namespace:?} {}", found_text(*.found))]
    Conflict { namespace: String, kind: String, key: String, found: Option<u64> },
    /// Nothing was written: it would be unclear which of the writes is meant.
    #[error("the {kind} {key:?} of namespace {namespace:?} is written twice in one call")]
    Repeated { namespace: String, kind: String, key: String },
    /// Nothing was written. Use a shorter name.
    #[error("a document's {part} may have {bytes_max} bytes, this one has {n_bytes}")]
    NameTooLong { part: &'static str, n_bytes: usize, bytes_max: usize },
    /// Nothing was written. Make the document smaller, or make several of it.
    #[error(
        "the {kind} {key:?} of namespace {namespace:?} has {n_bytes} bytes, {bytes_max} are allowed"
    )]
    BodyTooLarge { namespace: String, kind: String, key: String, n_bytes: usize, bytes_max: usize },
    /// Nothing was written. Make several calls of it.
    #[error("one call may write {n_writes_max} documents, this one writes {n_writes}")]
    TooManyWrites { n_writes: usize, n_writes_max: usize },
    /// Nothing was written. Make several calls of it.
    #[error("the documents of one call may have {bytes_max} bytes, these have {n_bytes}")]
    CallTooLarge { n_bytes: usize, bytes_max: usize },
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn found_text(found: Option<u64>) -> String {
    match found {
        Some(revision) => format!("is there at revision {revision}"),
        None => "is not there".to_owned(),
    }
}

impl Expect {
    /// Whether a document of this revision, or none, is what was expected.
    pub fn holds(self, found: Option<u64>) -> bool {
        match self {
            Expect::Anything => true,
            Expect::Absent => found.is_none(),
            Expect::Revision(revision) => found == Some(revision),
        }
    }
}

impl DocumentWrite {
    /// Whether one call may bring these writes, whatever the store has.
    pub fn check_all(writes: &[DocumentWrite]) -> Result<(), DocumentError> {
        if writes.len() > DOCUMENT_WRITES_MAX {
            let n_writes = writes.len();
            return Err(DocumentError::TooManyWrites {
                n_writes,
                n_writes_max: DOCUMENT_WRITES_MAX,
            });
        }
        let mut names = BTreeSet::new();
        for write in writes {
            write.check()?;
            if !names.insert((&write.kind, &write.namespace, &write.key)) {
                let DocumentWrite { namespace, kind, key, .. } = write.clone();
                return Err(DocumentError::Repeated { namespace, kind, key });
            }
        }
        let n_bytes: usize = writes.iter().map(DocumentWrite::n_bytes).sum();
        if n_bytes > DOCUMENTS_BYTES_MAX {
            return Err(DocumentError::CallTooLarge { n_bytes, bytes_max: DOCUMENTS_BYTES_MAX });
        }
        Ok(())
    }

    /// Whether what the store has is what was expected.
    pub fn check_found(&self, found: Option<u64>) -> Result<(), DocumentError> {
        if self.expect.holds(found) {
            return Ok(());
        }
        let DocumentWrite { namespace, kind, key, .. } = self.clone();
        Err(DocumentError::Conflict { namespace, kind, key, found })
    }

    fn check(&self) -> Result<(), DocumentError> {
        let names = [("namespace", &self.namespace), ("kind", &self.kind), ("key", &self.key)];
        for (part, name) in names {
            let (n_bytes, bytes_max) = (name.len(), DOCUMENT_NAME_BYTES_MAX);
            if n_bytes > bytes_max {
                return Err(DocumentError::NameTooLong { part, n_bytes, bytes_max });
            }
        }
        let (n_bytes, bytes_max) = (self.n_bytes(), DOCUMENT_BODY_BYTES_MAX);
        if n_bytes > bytes_max {
            let DocumentWrite { namespace, kind, key, .. } = self.clone();
            return Err(DocumentError::BodyTooLarge { namespace, kind, key, n_bytes, bytes_max });
        }
        Ok(())
    }

    fn n_bytes(&self) -> usize {
        self.body.as_ref().map_or(0, Json::n_bytes)
    }
}

impl DocumentQuery {
    pub fn n_rows(&self) -> usize {
        if self.limit == 0 { 50 } else { self.limit.min(PAGE_ROWS_MAX) }
    }

    /// Whether the document is one that is asked for, wherever the page begins.
    pub fn matches(&self, document: &Document) -> bool {
        self.kind == document.kind
            && self.namespace.as_ref().is_none_or(|namespace| *namespace == document.namespace)
            && self.key.as_ref().is_none_or(|key| *key == document.key)
            && self.key_prefix.as_ref().is_none_or(|prefix| document.key.starts_with(prefix))
    }
}

impl DocumentPage {
    /// Takes in the next document that matches. If the page is full, it notes where the next one begins
    /// and answers false.
    pub fn take_in(&mut self, query: &DocumentQuery, document: Document) -> bool {
        let n_bytes: usize = self.documents.iter().map(|known| known.body.n_bytes()).sum();
        let is_full = self.documents.len() == query.n_rows()
            || n_bytes + document.body.n_bytes() > DOCUMENTS_BYTES_MAX;
        if is_full {
            self.next =
                self.documents.last().map(|last| (last.namespace.clone(), last.key.clone()));
        } else {
            self.documents.push(document);
        }
        !is_full
    }
}
