//! Files of every layout that was ever written are opened, and have everything.
//!
//! `WRITE_FIXTURE=1 cargo test -p stepwell-store-sqlite --test layouts` adds the file of the layout that
//! this version writes. Do so before the layout changes; never write an old file anew.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must panic")]

mod kit;

use std::path::{Path, PathBuf};

use kit::{commit, new_run, run_id, step};
use rusqlite::Connection;
use stepwell_journal::{
    Epoch, Event, EventKind, Failure, FailureKind, Json, Location, MessageId, Parent, RunStatus,
    Seq, UnixMillis,
};
use stepwell_store::{
    Commit, DocumentWrite, Expect, Forget, InboxId, InboxItem, LogLevel, LogLine, LogQuery, NewRun,
    Post, RowChange, RunQuery, Started, Store,
};
use stepwell_store_sqlite::SqliteStore;
use uuid::Uuid;

/// How many layouts have a file here.
const LAYOUTS: u32 = 1;

const N_RUNS: u64 = 9;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn event(seq: u64, kind: EventKind) -> Event {
    Event { seq: Seq(seq), at: UnixMillis(2_000_000 + seq), kind }
}

fn change(status: RunStatus) -> RowChange {
    RowChange {
        status,
        wake_at: None,
        labels: [("team".to_owned(), "blue".to_owned())].into(),
        description: Some("shipping a box".to_owned()),
        failure: None,
        at: UnixMillis(2_500_000),
    }
}

fn post(to: u64, n: u128, item: InboxItem) -> Post {
    Post { to: run_id(to), id: InboxId(Uuid::from_u128(n)), at: UnixMillis(2_100_000), item }
}

fn message(to: u64, n: u128) -> Post {
    let (id, body) = (MessageId(Uuid::from_u128(n)), Json::parse("[1]").unwrap());
    post(to, n, InboxItem::Message { id, name: "go".to_owned(), body, key: None, reply: None })
}

fn keyed(n: u64) -> NewRun {
    let mut new = NewRun { idempotency_key: Some(format!("key {n}")), ..new_run(n) };
    new.started.input = Json::parse(r#"{"items": [{"sku": "a-1"}]}"#).unwrap();
    new.started.labels = [("team".to_owned(), "red".to_owned())].into();
    new
}

/// A run of every kind, for a store that folds at once.
async fn fill_chunks(store: &dyn Store, epoch: Epoch) {
    store.start(keyed(1)).await.unwrap();
    let line = LogLine {
        at: UnixMillis(2_000_001),
        level: LogLevel::Warn,
        location: Location::from_text("s1"),
        message: "slow".to_owned(),
        fields: Json::null(),
    };
    let logs = vec![line.clone(), LogLine { message: "slower".to_owned(), ..line }];
    store.commit(Commit { logs, ..commit(1, epoch, vec![step(1, 100)]) }).await.unwrap();
    let completed = event(2, EventKind::RunCompleted { output: Json::null() });
    let row = Some(change(RunStatus::Completed));
    store.commit(Commit { row, ..commit(1, epoch, vec![completed]) }).await.unwrap();

    store.start(new_run(2)).await.unwrap();
    let failure = Failure::new(FailureKind::Critical, "no such customer");
    let failed = event(1, EventKind::RunFailed { failure });
    store.commit(commit(2, epoch, vec![failed])).await.unwrap();

    let waiting = RowChange { wake_at: Some(UnixMillis(9_000_000)), ..change(RunStatus::Waiting) };
    store.start(new_run(3)).await.unwrap();
    let row = Some(waiting);
    store.commit(Commit { row, ..commit(3, epoch, vec![step(1, 10)]) }).await.unwrap();
    store.post(message(3, 31)).await.unwrap();

    let mut child = new_run(4);
    child.started.parent = Some(Parent { run: run_id(1), location: Location::from_text("call") });
    child.started.namespace = "test".to_owned();
    store.start(child).await.unwrap();
    store.post(post(4, 41, InboxItem::Cancel { reason: "asked".to_owned() })).await.unwrap();

    store.start(new_run(5)).await.unwrap();
    store.commit(commit(5, epoch, (1..=20).map(|seq| step(seq, 300)).collect())).await.unwrap();
    let compacted = Some(new_run(5).journal());
    store.commit(Commit { compacted, ..commit(5, epoch, vec![step(21, 10)]) }).await.unwrap();
    store.start(new_run(6)).await.unwrap();
}

/// More of the same, for a store that leaves everything in the log.
async fn fill_log(store: &dyn Store, epoch: Epoch) {
    store.commit(commit(5, epoch, vec![step(22, 10), step(23, 10)])).await.unwrap();
    let compacted = Some(new_run(6).journal());
    store.commit(Commit { compacted, ..commit(6, epoch, vec![step(1, 10)]) }).await.unwrap();
    store.start(keyed(7)).await.unwrap();
    let cancelled = event(1, EventKind::RunCancelled { reason: "asked".to_owned() });
    store.commit(commit(7, epoch, vec![cancelled])).await.unwrap();
    store.start(new_run(8)).await.unwrap();
    store.post(message(8, 81)).await.unwrap();
    let start_at = Some(UnixMillis(8_000_000));
    store.start(NewRun { start_at, ..new_run(9) }).await.unwrap();
}

async fn write(path: &Path) {
    let store = SqliteStore::options().fold_bytes(0).open(path).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    fill_chunks(&store, epoch).await;
    store.close().await;
    drop(store);
    let store = SqliteStore::open(path).await.unwrap();
    fill_log(&store, epoch).await;
}

#[tokio::test]
async fn the_file_of_this_layout_is_written_if_that_is_asked_for() {
    if std::env::var_os("WRITE_FIXTURE").is_none() {
        return;
    }
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("store");
    write(&path).await;
    let layout: u32 = {
        let tables = Connection::open(&path).unwrap();
        tables.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    };
    let to = folder().join(format!("layout-{layout}.sqlite"));
    assert!(!to.exists(), "{} is there already", to.display());
    std::fs::copy(&path, to).unwrap();
}
/// What a store says, of everything that it was asked in the same way.
async fn contents(store: &dyn Store) -> Vec<String> {
    let mut said = Vec::new();
    for n in 1..=N_RUNS {
        let loaded = store.load(run_id(n)).await.unwrap().unwrap();
        said.push(format!("{:#?}", loaded));
        said.push(format!("{:#?}", store.logs(LogQuery::of(run_id(n))).await.unwrap()));
    }
    for query in [
        RunQuery::default(),
        RunQuery { labels: [("team".to_owned(), "blue".to_owned())].into(), ..RunQuery::default() },
        RunQuery { parent: Some(run_id(1)), ..RunQuery::default() },
        RunQuery { statuses: vec![RunStatus::Cancelled], ..RunQuery::default() },
        RunQuery { namespace: Some("test".to_owned()), ..RunQuery::default() },
        RunQuery { text: Some("CUSTOMER".to_owned()), ..RunQuery::default() },
    ] {
        said.push(format!("{:#?}", store.query(query.clone()).await.unwrap()));
        said.push(format!("{:#?}", store.count(&query).await.unwrap()));
    }
    said.push(format!("{:?}", store.due(UnixMillis(u64::MAX), 100).await.unwrap()));
    said.push(format!("{:?}", store.runnable(None, 100).await.unwrap()));
    said
}

async fn opened(layout: u32) -> (tempfile::TempDir, SqliteStore) {
    let copy = tempfile::tempdir().unwrap();
    let path = copy.path().join("store");
    std::fs::copy(folder().join(format!("layout-{layout}.sqlite")), &path).unwrap();
    let store = SqliteStore::open(&path).await.unwrap();
    (copy, store)
}

async fn fresh() -> (tempfile::TempDir, SqliteStore) {
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("store");
    write(&path).await;
    let store = SqliteStore::open(&path).await.unwrap();
    (made, store)
}

#[tokio::test]
async fn a_file_of_an_older_layout_has_everything() {
    let (_made, fresh) = fresh().await;
    let expected = contents(&fresh).await;
    for layout in 1..=LAYOUTS {
        let (copy, store) = opened(layout).await;
        assert_eq!(contents(&store).await, expected);
        assert_eq!(store.check().await.unwrap().problems, [""; 0]);
        store.close().await;
        drop(store);
        // And once more, when it has the new layout.
        let store = SqliteStore::open(copy.path().join("store")).await.unwrap();
        assert_eq!(contents(&store).await, expected);
    }
}

#[tokio::test]
async fn a_file_of_an_older_layout_is_used_like_a_new_one() {
    for layout in 1..=LAYOUTS {
        let (_copy, store) = opened(layout).await;
        let epoch = store.take_ownership().await.unwrap();
        // Keys hold, and go with their run: one whose run is folded, one whose run is in the log.
        for n in [1, 7] {
            let again = NewRun { run: run_id(100), ..keyed(n) };
            let existing = Started::Existing { run: run_id(n), same_input: true };
            assert_eq!(store.start(again.clone()).await.unwrap(), existing);
            let forgotten = store.forget(Forget::runs(vec![run_id(n)])).await.unwrap();
            assert_eq!(forgotten.runs, [run_id(n)]);
            assert_eq!(store.start(again).await.unwrap(), Started::Created);
            let end = event(1, EventKind::RunCompleted { output: Json::null() });
            store.commit(commit(100, epoch, vec![end])).await.unwrap();
            store.forget(Forget::runs(vec![run_id(100)])).await.unwrap();
        }
        let all = Forget::ended_before(UnixMillis(u64::MAX));
        assert_eq!(store.forget(all).await.unwrap().runs, [run_id(2)]);
        let counts = store.count(&RunQuery::default()).await.unwrap();
        assert_eq!(counts.iter().map(|count| count.n_runs).sum::<u64>(), N_RUNS - 3);
        store.start(new_run(1)).await.unwrap();
        assert_eq!(store.load(run_id(1)).await.unwrap().unwrap().journal.len(), 1);
        let document = DocumentWrite {
            namespace: "default".to_owned(),
            kind: "schedule".to_owned(),
            key: "a".to_owned(),
            body: Some(Json::null()),
            expect: Expect::Absent,
            at: UnixMillis(1),
        };
        store.write_documents(vec![document]).await.unwrap();
        assert_eq!(store.check().await.unwrap().problems, [""; 0]);
    }
}

#[tokio::test]
async fn a_file_that_grew_up_has_the_tables_of_a_new_one() {
    let tables = |path: PathBuf| {
        let connection = Connection::open(path).unwrap();
        let mut select = connection.prepare("SELECT sql FROM sqlite_schema ORDER BY name").unwrap();
        let rows = select.query_map([], |row| row.get::<_, Option<String>>(0)).unwrap();
        rows.map(|row| row.unwrap()).collect::<Vec<_>>()
    };
    let made = tempfile::tempdir().unwrap();
    let path = made.path().join("store");
    SqliteStore::open(&path).await.unwrap().close().await;
    for layout in 1..=LAYOUTS {
        let (copy, store) = opened(layout).await;
        store.close().await;
        drop(store);
        assert_eq!(tables(copy.path().join("store")), tables(path.clone()));
    }
}
