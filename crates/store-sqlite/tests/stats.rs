//! What the store tells of itself.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must panic")]

mod kit;

use kit::{commit, new_run, run_id, step};
use rusqlite::Connection;
use stepwell_journal::{Event, EventKind, Json, Seq, UnixMillis};
use stepwell_store::{DocumentWrite, Expect, Forget, Store};
use stepwell_store_sqlite::SqliteStore;

fn document(key: &str) -> DocumentWrite {
    DocumentWrite {
        namespace: "default".to_owned(),
        kind: "token".to_owned(),
        key: key.to_owned(),
        body: Some(Json::null()),
        expect: Expect::Anything,
        at: UnixMillis(0),
    }
}

#[tokio::test]
async fn everything_that_is_written_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = SqliteStore::open(&path).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    for n in 0..10 {
        store.start(new_run(n)).await.unwrap();
        store.commit(commit(n, epoch, vec![step(1, 100), step(2, 100)])).await.unwrap();
    }
    store.write_documents(vec![document("a"), document("b")]).await.unwrap();
    let stats = store.stats();
    // Nobody shares a batch with anybody here.
    assert_eq!((stats.n_batches, stats.n_writes, stats.n_events), (22, 22, 30));
    assert_eq!((stats.batch_writes.count, stats.batch_writes.sum), (22, 22));
    assert_eq!(stats.batch_writes.buckets[0], (1, 22));
    assert_eq!(stats.commit_us.count, 22);
    assert!(stats.commit_us.sum > 0);
    assert!(stats.commit_us.buckets.is_sorted());
    assert!(stats.commit_us.buckets.iter().all(|(_, n)| *n <= 22));
    assert_eq!((stats.tail_runs, stats.tail_events, stats.queue_len), (10, 30, 0));
    assert!(stats.tail_bytes > 10 * 200 && stats.log_bytes > 10 * 200, "{stats:?}");
    assert!(stats.wal_bytes > 0 && stats.file_bytes > 0, "{stats:?}");

    let end = EventKind::RunCompleted { output: Json::null() };
    let end = Event { seq: Seq(3), at: UnixMillis(1), kind: end };
    store.commit(commit(1, epoch, vec![end])).await.unwrap();
    assert_eq!(store.stats().tail_events, 31);
    store.forget(Forget::runs(vec![run_id(1)])).await.unwrap();
    let stats = store.stats();
    assert_eq!((stats.n_forgotten, stats.tail_runs, stats.tail_events), (1, 9, 27));
    drop(store);
    // About as many are counted when the log is read again.
    let store = SqliteStore::open(&path).await.unwrap();
    assert_eq!((store.stats().tail_runs, store.stats().tail_events), (9, 27));
}

#[tokio::test]
async fn a_check_finds_wrong_counts_lost_journals_and_broken_documents() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = SqliteStore::open(&path).await.unwrap();
    store.start(new_run(1)).await.unwrap();
    store.write_documents(vec![document("whole"), document("broken")]).await.unwrap();
    store.close().await;
    drop(store);
    let tables = Connection::open(&path).unwrap();
    tables.execute("UPDATE tally SET n = 2", []).unwrap();
    tables.execute("INSERT INTO chunk VALUES (99, 0, x'01')", []).unwrap();
    tables.execute("UPDATE document SET body = '{' WHERE key = 'broken'", []).unwrap();
    drop(tables);
    let store = SqliteStore::open(&path).await.unwrap();
    let report = store.check().await.unwrap();
    assert_eq!((report.n_runs, report.n_documents), (1, 2));
    let [miscounted, lost, broken] = &report.problems[..] else { panic!("{report:?}") };
    assert!(miscounted.contains("\"order\"") && miscounted.contains("miscounted"), "{miscounted}");
    assert!(lost.contains("belong to no run"), "{lost}");
    assert!(broken.contains("\"broken\""), "{broken}");
}
