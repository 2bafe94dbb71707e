//! Laws about documents.

use std::sync::Arc;

use stepwell_journal::{Json, UnixMillis};
use stepwell_store::{
    DOCUMENT_BODY_BYTES_MAX, DOCUMENT_NAME_BYTES_MAX, DOCUMENT_WRITES_MAX, DOCUMENTS_BYTES_MAX,
    Document, DocumentError, DocumentQuery, DocumentWrite, Expect, PAGE_ROWS_MAX, Store,
};
use tokio::task::JoinSet;

use crate::kit::{START, json};

pub(crate) fn put(key: &str, body: &str) -> DocumentWrite {
    DocumentWrite {
        namespace: "default".to_owned(),
        kind: "schedule".to_owned(),
        key: key.to_owned(),
        body: Some(json(body)),
        expect: Expect::Anything,
        at: START,
    }
}

fn removal(key: &str) -> DocumentWrite {
    DocumentWrite { body: None, ..put(key, "0") }
}

pub(crate) async fn write(store: &Arc<dyn Store>, write: DocumentWrite) -> u64 {
    let revisions = store.write_documents(vec![write]).await.unwrap();
    assert_eq!(revisions.len(), 1);
    revisions[0]
}

pub(crate) async fn found(store: &Arc<dyn Store>, key: &str) -> Option<Document> {
    let query = DocumentQuery {
        namespace: Some("default".to_owned()),
        kind: "schedule".to_owned(),
        key: Some(key.to_owned()),
        ..DocumentQuery::default()
    };
    let page = store.documents(query).await.unwrap();
    assert!(page.documents.len() <= 1);
    assert_eq!(page.next, None);
    page.documents.into_iter().next()
}

fn all() -> DocumentQuery {
    DocumentQuery { kind: "schedule".to_owned(), ..DocumentQuery::default() }
}

async fn names(store: &Arc<dyn Store>, query: DocumentQuery) -> Vec<String> {
    let page = store.documents(query).await.unwrap();
    page.documents.into_iter().map(|found| format!("{}/{}", found.namespace, found.key)).collect()
}

/// A body that has this many bytes.
fn body_of(n_bytes: usize) -> Json {
    json(&format!("\"{}\"", "x".repeat(n_bytes - 2)))
}

pub async fn a_document_comes_back_as_it_was_written(store: Arc<dyn Store>) {
    assert_eq!(found(&store, "a").await, None);
    let written = DocumentWrite {
        body: Some(json(r#"{"b": 1, "a": [null, "zwölf \u0000 🦀"]}"#)),
        at: UnixMillis(77),
        ..put("a", "0")
    };
    let revision = write(&store, written.clone()).await;
    let DocumentWrite { namespace, kind, key, body, at, .. } = written;
    let body = body.unwrap();
    let expected = Document { namespace, kind, key, revision, at, body };
    assert_eq!(found(&store, "a").await, Some(expected));
    assert_eq!(found(&store, "b").await, None);
    assert!(store.write_documents(Vec::new()).await.unwrap().is_empty());
}

pub async fn a_document_is_replaced_and_removed(store: Arc<dyn Store>) {
    write(&store, put("a", "1")).await;
    let revision = write(&store, DocumentWrite { at: UnixMillis(5), ..put("a", "2") }).await;
    let now = found(&store, "a").await.unwrap();
    assert_eq!((now.body, now.revision, now.at), (json("2"), revision, UnixMillis(5)));
    write(&store, removal("a")).await;
    assert_eq!(found(&store, "a").await, None);
    // To remove what is not there changes nothing.
    write(&store, removal("a")).await;
    assert_eq!(store.check().await.unwrap().n_documents, 0);
}

pub async fn revisions_only_grow_also_across_a_removal(store: Arc<dyn Store>) {
    let mut revisions = Vec::new();
    for next in [put("a", "1"), put("b", "1"), put("a", "2"), removal("a"), put("a", "3")] {
        revisions.push(write(&store, next).await);
    }
    let both = store.write_documents(vec![put("b", "2"), put("a", "4")]).await.unwrap();
    revisions.extend(both);
    assert!(revisions.is_sorted_by(|left, right| left < right), "{revisions:?}");
    assert!(revisions[0] > 0);
    assert_eq!(found(&store, "a").await.unwrap().revision, revisions[6]);
}

pub async fn a_document_that_is_not_as_expected_stops_the_whole_call(store: Arc<dyn Store>) {
    let first = write(&store, put("a", "1")).await;
    let second = write(&store, put("a", "2")).await;
    for (key, expect, seen) in [
        ("a", Expect::Absent, Some(second)),
        ("a", Expect::Revision(first), Some(second)),
        ("a", Expect::Revision(u64::MAX), Some(second)),
        ("gone", Expect::Revision(first), None),
    ] {
        for is_first in [true, false] {
            let refused = DocumentWrite { expect, ..put(key, "9") };
            let mut writes = vec![refused, put("new", "9")];
            if !is_first {
                writes.reverse();
            }
            let error = store.write_documents(writes).await.unwrap_err();
            let DocumentError::Conflict { namespace, kind, key: named, found } = error else {
                panic!("{error}")
            };
            assert_eq!((namespace.as_str(), kind.as_str()), ("default", "schedule"));
            assert_eq!((named.as_str(), found), (key, seen));
        }
    }
    assert_eq!(found(&store, "a").await.unwrap().body, json("2"));
    assert_eq!(found(&store, "new").await, None);
    assert_eq!(found(&store, "gone").await, None);
    // And what is as expected is written.
    write(&store, DocumentWrite { expect: Expect::Absent, ..put("new", "1") }).await;
    let expect = Expect::Revision(second);
    write(&store, DocumentWrite { expect, ..removal("a") }).await;
    write(&store, DocumentWrite { expect: Expect::Absent, ..put("a", "3") }).await;
    assert_eq!(found(&store, "a").await.unwrap().body, json("3"));
}

pub async fn documents_of_other_kinds_and_namespaces_are_others(store: Arc<dyn Store>) {
    write(&store, put("a", "1")).await;
    let kind = "token".to_owned();
    write(&store, DocumentWrite { kind, ..put("a", "2") }).await;
    let namespace = "test".to_owned();
    write(&store, DocumentWrite { namespace, ..put("a", "3") }).await;
    assert_eq!(found(&store, "a").await.unwrap().body, json("1"));
    assert_eq!(names(&store, all()).await, ["default/a", "test/a"]);
    let of = |namespace: &str| DocumentQuery { namespace: Some(namespace.to_owned()), ..all() };
    assert_eq!(names(&store, of("test")).await, ["test/a"]);
    assert!(names(&store, of("other")).await.is_empty());
    let tokens = DocumentQuery { kind: "token".to_owned(), ..all() };
    assert_eq!(names(&store, tokens).await, ["default/a"]);
    write(&store, removal("a")).await;
    assert_eq!(names(&store, all()).await, ["test/a"]);
}

pub async fn documents_come_in_pages_by_namespace_and_key(store: Arc<dyn Store>) {
    let mut written = Vec::new();
    for namespace in ["b", "a", "", "ä", "B"] {
        for key in ["2", "1", "10", "", "é"] {
            let namespace = namespace.to_owned();
            write(&store, DocumentWrite { namespace: namespace.clone(), ..put(key, "1") }).await;
            written.push((namespace, key.to_owned()));
        }
    }
    written.sort();
    let expected: Vec<_> = written.iter().map(|(space, key)| format!("{space}/{key}")).collect();
    for limit in [1, 2, 3, 24, 25, 26] {
        let mut query = DocumentQuery { limit, ..all() };
        let mut seen = Vec::new();
        loop {
            let page = store.documents(query.clone()).await.unwrap();
            assert!(page.documents.len() <= limit);
            let names = page.documents.iter().map(|one| format!("{}/{}", one.namespace, one.key));
            seen.extend(names);
            query.after = page.next;
            if query.after.is_none() {
                break;
            }
        }
        assert_eq!(seen, expected, "{limit}");
    }
    // A cursor of all namespaces means the same for one of them.
    let after = Some(("a".to_owned(), "10".to_owned()));
    let of = |namespace: &str| DocumentQuery {
        namespace: Some(namespace.to_owned()),
        after: after.clone(),
        ..all()
    };
    assert_eq!(names(&store, of("a")).await, ["a/2", "a/é"]);
    assert_eq!(names(&store, of("b")).await.len(), 5);
    assert!(names(&store, of("B")).await.is_empty());
}

pub async fn pages_stay_right_while_documents_come_and_go(store: Arc<dyn Store>) {
    for key in ["b", "d", "f", "h"] {
        write(&store, put(key, "1")).await;
    }
    let query = DocumentQuery { limit: 2, ..all() };
    let first = store.documents(query.clone()).await.unwrap();
    assert_eq!(first.next, Some(("default".to_owned(), "d".to_owned())));
    // The last one that was seen goes, one comes before it and one behind it.
    write(&store, removal("d")).await;
    write(&store, put("a", "1")).await;
    write(&store, put("e", "1")).await;
    let query = DocumentQuery { after: first.next, ..query };
    assert_eq!(names(&store, query.clone()).await, ["default/e", "default/f"]);
    let rest = DocumentQuery { limit: 0, ..query };
    assert_eq!(names(&store, rest).await, ["default/e", "default/f", "default/h"]);
}

pub async fn documents_are_found_by_the_beginning_of_their_keys(store: Arc<dyn Store>) {
    let keys =
        ["a", "a/1", "a/2", "a0", "A/1", "a%", "b", "\u{10ffff}", "\u{10ffff}x", "a\u{d7ff}"];
    for key in keys {
        write(&store, put(key, "1")).await;
        let namespace = "test".to_owned();
        write(&store, DocumentWrite { namespace, ..put(key, "1") }).await;
    }
    for namespace in [Some("default".to_owned()), None] {
        for prefix in ["", "a", "a/", "a/1", "a%", "\u{10ffff}", "a\u{d7ff}", "c"] {
            let key_prefix = Some(prefix.to_owned());
            let query = DocumentQuery { namespace: namespace.clone(), key_prefix, ..all() };
            let mut expected = Vec::new();
            for space in ["default", "test"] {
                let keys = keys.iter().filter(|key| key.starts_with(prefix));
                let mut keys: Vec<_> = keys.map(|key| format!("{space}/{key}")).collect();
                keys.sort();
                if namespace.as_deref().is_none_or(|namespace| namespace == space) {
                    expected.extend(keys);
                }
            }
            assert_eq!(names(&store, query.clone()).await, expected, "{prefix}");
            let one = DocumentQuery { key: Some("a/1".to_owned()), ..query };
            let n_found = names(&store, one).await.len();
            let n_spaces = if namespace.is_some() { 1 } else { 2 };
            assert_eq!(n_found, if "a/1".starts_with(prefix) { n_spaces } else { 0 });
        }
    }
}

pub async fn odd_names_of_documents_are_only_names(store: Arc<dyn Store>) {
    let odd = ["", " ", "a'b\"c", "nul\0inside", "🦀 Übung", "%_", "x\u{202e}y", "line\nbreak"];
    for name in odd {
        let [namespace, kind, key] = [(); 3].map(|()| name.to_owned());
        let revision = write(&store, DocumentWrite { namespace, kind, key, ..put("", "1") }).await;
        let query = DocumentQuery {
            namespace: Some(name.to_owned()),
            kind: name.to_owned(),
            key: Some(name.to_owned()),
            key_prefix: Some(name.to_owned()),
            ..DocumentQuery::default()
        };
        let page = store.documents(query).await.unwrap();
        assert_eq!(page.documents.len(), 1, "{name:?}");
        assert_eq!(page.documents[0].revision, revision);
    }
    assert_eq!(store.check().await.unwrap().n_documents, odd.len() as u64);
}

pub async fn what_a_call_writes_has_bounds(store: Arc<dyn Store>) {
    let long = "k".repeat(DOCUMENT_NAME_BYTES_MAX);
    let longer = format!("{long}k");
    let whole = DocumentWrite {
        namespace: long.clone(),
        kind: long.clone(),
        body: Some(body_of(DOCUMENT_BODY_BYTES_MAX)),
        ..put(&long, "0")
    };
    write(&store, whole.clone()).await;
    let query = DocumentQuery { kind: long.clone(), ..DocumentQuery::default() };
    let page = store.documents(query).await.unwrap();
    assert_eq!(page.documents[0].body, whole.body.clone().unwrap());

    for refused in [
        DocumentWrite { namespace: longer.clone(), ..put("a", "1") },
        DocumentWrite { kind: longer.clone(), ..put("a", "1") },
        put(&longer, "1"),
    ] {
        let error = store.write_documents(vec![put("b", "1"), refused]).await.unwrap_err();
        assert!(matches!(error, DocumentError::NameTooLong { .. }), "{error}");
    }
    let body = Some(body_of(DOCUMENT_BODY_BYTES_MAX + 1));
    let refused = vec![put("b", "1"), DocumentWrite { body, ..put("a", "0") }];
    let error = store.write_documents(refused).await.unwrap_err();
    assert!(matches!(error, DocumentError::BodyTooLarge { .. }), "{error}");

    let many = |n| (0..n).map(|n| put(&format!("many {n}"), "1")).collect::<Vec<_>>();
    let error = store.write_documents(many(DOCUMENT_WRITES_MAX + 1)).await.unwrap_err();
    assert!(matches!(error, DocumentError::TooManyWrites { .. }), "{error}");

    let n_large = DOCUMENTS_BYTES_MAX / DOCUMENT_BODY_BYTES_MAX;
    let large = |n| DocumentWrite { body: whole.body.clone(), ..put(&format!("large {n}"), "0") };
    let mut refused: Vec<_> = (0..n_large).map(large).collect();
    refused.push(put("b", "1"));
    let error = store.write_documents(refused).await.unwrap_err();
    assert!(matches!(error, DocumentError::CallTooLarge { .. }), "{error}");

    let refused = vec![put("a", "1"), put("b", "1"), put("a", "2")];
    let error = store.write_documents(refused).await.unwrap_err();
    assert!(matches!(&error, DocumentError::Repeated { key, .. } if key == "a"), "{error}");

    assert!(names(&store, all()).await.is_empty());
    store.write_documents(many(DOCUMENT_WRITES_MAX)).await.unwrap();
}

pub async fn a_page_of_documents_has_bounds(store: Arc<dyn Store>) {
    let body = Some(body_of(DOCUMENT_BODY_BYTES_MAX));
    let n_large = DOCUMENTS_BYTES_MAX / DOCUMENT_BODY_BYTES_MAX + 1;
    for n in 0..n_large {
        write(&store, DocumentWrite { body: body.clone(), ..put(&format!("{n}"), "0") }).await;
    }
    let page = store.documents(all()).await.unwrap();
    assert_eq!(page.documents.len(), n_large - 1);
    let page = store.documents(DocumentQuery { after: page.next, ..all() }).await.unwrap();
    assert_eq!((page.documents.len(), page.next), (1, None));

    for first in [0, DOCUMENT_WRITES_MAX] {
        let writes = (first..first + DOCUMENT_WRITES_MAX)
            .map(|n| DocumentWrite { namespace: "many".to_owned(), ..put(&format!("{n}"), "1") });
        store.write_documents(writes.collect()).await.unwrap();
    }
    let many = DocumentQuery { namespace: Some("many".to_owned()), limit: usize::MAX, ..all() };
    let page = store.documents(many.clone()).await.unwrap();
    assert_eq!(page.documents.len(), PAGE_ROWS_MAX);
    assert!(page.next.is_some());
    assert_eq!(names(&store, DocumentQuery { limit: 0, ..many }).await.len(), 50);
}

pub async fn of_writes_that_race_for_one_revision_one_is_written(store: Arc<dyn Store>) {
    let mut revision = write(&store, put("a", "0")).await;
    for round in 1..=10 {
        let mut writes = JoinSet::new();
        for n in 0..20 {
            let store = Arc::clone(&store);
            let expect = Expect::Revision(revision);
            let write = DocumentWrite { expect, ..put("a", &format!("{round}{n:02}")) };
            writes.spawn(async move {
                match store.write_documents(vec![write.clone()]).await {
                    Ok(revisions) => Some((revisions[0], write.body)),
                    Err(DocumentError::Conflict { .. }) => None,
                    Err(error) => panic!("{error}"),
                }
            });
        }
        let won: Vec<_> = writes.join_all().await.into_iter().flatten().collect();
        assert_eq!(won.len(), 1);
        let now = found(&store, "a").await.unwrap();
        assert_eq!((now.revision, Some(now.body)), won[0]);
        revision = won[0].0;
    }
}
