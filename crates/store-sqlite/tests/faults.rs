//! What a store does when the disk or the file lets it down.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must panic")]

mod kit;

use std::io::{Seek, SeekFrom, Write};

use kit::{commit, new_run, run_id, step};
use rusqlite::Connection;
use stepwell_journal::{Event, EventKind, Json, Seq, UnixMillis};
use stepwell_store::{
    CommitError, DocumentError, DocumentQuery, DocumentWrite, Expect, Forget, StartError, Store,
    StoreError,
};
use stepwell_store_sqlite::SqliteStore;
use tokio::task::JoinSet;

#[tokio::test]
async fn a_full_disk_loses_nothing_and_the_store_goes_on_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteStore::options().pages_max(120).fold_bytes(64 * 1024);
    let store = options.open(folder.path().join("store")).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    store.start(new_run(1)).await.unwrap();

    let mut next = 1;
    let error = loop {
        match store.commit(commit(1, epoch, vec![step(next, 2_000)])).await {
            Ok(()) => next += 1,
            Err(error) => break error,
        }
        assert!(next < 10_000, "the disk never became full");
    };
    assert!(matches!(error, CommitError::Store(StoreError::Full { .. })), "{error}");
    assert!(next > 10);
    // It stays full, for everybody, and what was acknowledged can be read.
    let big = {
        let mut new = new_run(2);
        new.started.input = stepwell_journal::Json::of(&"x".repeat(100_000)).unwrap();
        new
    };
    let error = store.start(big.clone()).await.unwrap_err();
    assert!(matches!(error, StartError::Store(StoreError::Full { .. })), "{error}");
    let loaded = store.load(run_id(1)).await.unwrap().unwrap();
    assert_eq!(loaded.row.next_seq, Seq(next));
    assert_eq!(loaded.journal.len() as u64, next);
    assert!(store.load(run_id(2)).await.unwrap().is_none());

    store.limit_pages(100_000).await.unwrap();
    store.commit(commit(1, epoch, vec![step(next, 2_000)])).await.unwrap();
    store.start(big).await.unwrap();
    assert_eq!(store.load(run_id(1)).await.unwrap().unwrap().journal.len() as u64, next + 1);
    assert_eq!(store.check().await.unwrap().problems, [""; 0]);
    store.close().await;

    let store = SqliteStore::open(folder.path().join("store")).await.unwrap();
    assert_eq!(store.load(run_id(1)).await.unwrap().unwrap().journal.len() as u64, next + 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn when_the_disk_is_full_every_caller_is_answered_and_only_the_acknowledged_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = SqliteStore::options().pages_max(400).open(&path).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    let mut writers = JoinSet::new();
    for n in 0..50 {
        let store = store.clone();
        writers.spawn(async move {
            store.start(new_run(n)).await.unwrap();
            let mut next = 1;
            while store.commit(commit(n, epoch, vec![step(next, 1_000)])).await.is_ok() {
                next += 1;
            }
            (n, next)
        });
    }
    let acknowledged = writers.join_all().await;
    // As after a crash: nothing is folded, nothing is said goodbye to.
    drop(store);
    let store = SqliteStore::open(&path).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    for (n, next) in acknowledged {
        let loaded = store.load(run_id(n)).await.unwrap().unwrap();
        assert_eq!(loaded.journal.len() as u64, next);
        store.commit(commit(n, epoch, vec![step(next, 1_000)])).await.unwrap();
    }
    assert_eq!(store.check().await.unwrap().problems, [""; 0]);
}

#[tokio::test]
async fn when_the_disk_is_full_documents_are_refused_whole_and_forgetting_makes_room() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteStore::options().pages_max(200).fold_bytes(16 * 1024);
    let store = options.open(folder.path().join("store")).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    let mut n_runs = 0;
    let error = loop {
        let end = EventKind::RunCompleted { output: Json::null() };
        let end = Event { seq: Seq(2), at: UnixMillis(n_runs), kind: end };
        let written = match store.start(new_run(n_runs)).await {
            Ok(_) => store.commit(commit(n_runs, epoch, vec![step(1, 10_000), end])).await,
            Err(StartError::Store(error)) => Err(error.into()),
            Err(error) => panic!("{error}"),
        };
        match written {
            Ok(()) => n_runs += 1,
            Err(error) => break error,
        }
        assert!(n_runs < 1_000, "the disk never became full");
    };
    assert!(matches!(error, CommitError::Store(StoreError::Full { .. })), "{error}");
    let document = |key: &str, n_bytes: usize| DocumentWrite {
        namespace: "default".to_owned(),
        kind: "definition".to_owned(),
        key: key.to_owned(),
        body: Some(Json::of(&"x".repeat(n_bytes)).unwrap()),
        expect: Expect::Anything,
        at: UnixMillis(0),
    };
    let writes = vec![document("small", 10), document("large", 300_000)];
    let error = store.write_documents(writes.clone()).await.unwrap_err();
    assert!(matches!(error, DocumentError::Store(StoreError::Full { .. })), "{error}");
    let query = DocumentQuery { kind: "definition".to_owned(), ..DocumentQuery::default() };
    assert!(store.documents(query.clone()).await.unwrap().documents.is_empty());

    let all = Forget { limit: 1_000, ..Forget::ended_before(UnixMillis(u64::MAX)) };
    assert_eq!(store.forget(all).await.unwrap().runs.len() as u64, n_runs);
    // What they have left is swept away by and by.
    let mut revisions = Err(error);
    for _ in 0..1_000 {
        revisions = store.write_documents(writes.clone()).await;
        if revisions.is_ok() {
            break;
        }
        tokio::task::yield_now().await;
    }
    assert_eq!(revisions.unwrap().len(), 2);
    assert_eq!(store.documents(query).await.unwrap().documents.len(), 2);
    assert_eq!(store.check().await.unwrap().problems, [""; 0]);
}

#[tokio::test]
async fn a_place_that_cannot_be_written_is_read_only() {
    // Not even root may create files here.
    let error = SqliteStore::open("/sys/stepwell-store").await.err().unwrap();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let error = SqliteStore::open(folder.path().join("no/store")).await.err().unwrap();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
}

#[tokio::test]
async fn a_file_that_is_no_database_is_damaged_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let text = "not a database, but a letter to a friend. ".repeat(200);
    std::fs::write(&path, &text).unwrap();
    let error = SqliteStore::open(&path).await.err().unwrap();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[tokio::test]
async fn a_database_of_another_program_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE theirs (a)").unwrap();
    let before = std::fs::read(&path).unwrap();
    let error = SqliteStore::open(&path).await.err().unwrap();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(std::fs::read(&path).unwrap() == before);
}

#[tokio::test]
async fn a_store_of_a_newer_layout_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    SqliteStore::open(&path).await.unwrap().close().await;
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = SqliteStore::open(&path).await.err().unwrap();
    assert!(matches!(error, StoreError::NewerLayout { found: 99, known: 2, .. }), "{error}");
}

#[tokio::test]
async fn a_second_opening_names_the_holder_and_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = SqliteStore::open(&path).await.unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    for path in [&path, &link] {
        let error = SqliteStore::open(path).await.err().unwrap();
        let StoreError::InUse { holder, .. } = error else { panic!("{error}") };
        assert_eq!(holder, Some(format!("process {}", std::process::id())));
    }
    store.start(new_run(1)).await.unwrap();
    drop(store);
    let store = SqliteStore::open(&path).await.unwrap();
    assert!(store.row(run_id(1)).await.unwrap().is_some());
}

#[tokio::test]
async fn a_damaged_journal_is_named_and_hurts_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = SqliteStore::open(&path).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    for n in 0..20 {
        store.start(new_run(n)).await.unwrap();
        store.commit(commit(n, epoch, vec![step(1, 20_000)])).await.unwrap();
    }
    store.close().await;
    drop(store);
    // One journal is nonsense, as a bug in a copying program might leave it.
    let tables = Connection::open(&path).unwrap();
    tables.execute("UPDATE chunk SET body = x'01ffffff' WHERE run = 7", []).unwrap();
    drop(tables);

    let store = SqliteStore::open(&path).await.unwrap();
    let report = store.check().await.unwrap();
    assert_eq!(report.n_runs, 20);
    assert_eq!(report.problems.len(), 1);
    assert!(report.problems[0].contains(&run_id(6).to_string()), "{:?}", report.problems);
    for n in 0..20 {
        match store.load(run_id(n)).await {
            Ok(run) => assert_eq!(run.unwrap().journal.len(), 2),
            Err(StoreError::Damaged { .. }) if n == 6 => {}
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test]
async fn a_damaged_page_is_found_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = SqliteStore::open(&path).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    store.start(new_run(1)).await.unwrap();
    store.commit(commit(1, epoch, vec![step(1, 100)])).await.unwrap();
    store.close().await;
    drop(store);
    let tables = Connection::open(&path).unwrap();
    let n_bytes: u64 =
        tables.pragma_query_value(None, "page_size", |row| row.get::<_, u32>(0)).unwrap().into();
    let sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'chunk'";
    let page: u64 = tables.query_row(sql, [], |row| row.get::<_, u32>(0)).unwrap().into();
    drop(tables);
    let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.seek(SeekFrom::Start((page - 1) * n_bytes)).unwrap();
    file.write_all(&[0xff; 64]).unwrap();

    let store = SqliteStore::open(&path).await.unwrap();
    assert!(!store.check().await.unwrap().problems.is_empty());
    let error = store.load(run_id(1)).await.err().unwrap();
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    // The list of runs lies on other pages.
    assert!(store.row(run_id(1)).await.unwrap().is_some());
}
