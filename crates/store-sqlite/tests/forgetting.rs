//! Forgetting runs: what the file looks like before, after and in between.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must panic")]

mod kit;

use std::path::Path;

use kit::{commit, new_run, run_id, step};
use rusqlite::Connection;
use stepwell_journal::{Epoch, Event, EventKind, Json, Seq, UnixMillis};
use stepwell_store::{Commit, Forget, NewRun, Store};
use stepwell_store_sqlite::{SqliteStore, Synchronous};

fn completed(seq: u64) -> Event {
    let kind = EventKind::RunCompleted { output: Json::null() };
    Event { seq: Seq(seq), at: UnixMillis(3_000_000 + seq), kind }
}

/// A run with this many steps of 1,000 bytes, from start to end.
async fn live(store: &SqliteStore, epoch: Epoch, n: u64, n_steps: u64) {
    let key = Some(format!("key {n}"));
    store.start(NewRun { idempotency_key: key, ..new_run(n) }).await.unwrap();
    let events = (1..=n_steps).map(|seq| step(seq, 1_000)).chain([completed(n_steps + 1)]);
    store.commit(commit(n, epoch, events.collect())).await.unwrap();
}

async fn forget_all(store: &SqliteStore) -> usize {
    let all = Forget { limit: usize::MAX, ..Forget::ended_before(UnixMillis(u64::MAX)) };
    store.forget(all).await.unwrap().runs.len()
}

/// Ends the store as a crash would: nothing is folded, nothing is said goodbye to.
async fn crash(store: SqliteStore, path: &Path) -> (SqliteStore, Epoch) {
    drop(store);
    let store = SqliteStore::open(path).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    (store, epoch)
}

fn number(path: &Path, sql: &str) -> i64 {
    Connection::open(path).unwrap().query_row(sql, [], |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn runs_that_were_forgotten_in_the_log_do_not_come_back_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let mut store = SqliteStore::open(&path).await.unwrap();
    let mut epoch = store.take_ownership().await.unwrap();
    for round in 0..4 {
        for n in 0..10 {
            live(&store, epoch, n, 2).await;
        }
        // These keep the rows of the log in use that the others are in, too.
        store.start(new_run(100 + round)).await.unwrap();
        assert_eq!(forget_all(&store).await, 10);
        if round % 2 == 1 {
            // Some of them are there again before the crash, with fewer events than before.
            live(&store, epoch, 3, 1).await;
            store.start(new_run(4)).await.unwrap();
        }
        (store, epoch) = crash(store, &path).await;
        for n in 0..10 {
            let n_events = store.load(run_id(n)).await.unwrap().map(|run| run.journal.len());
            let expected = match n {
                3 if round % 2 == 1 => Some(3),
                4 if round % 2 == 1 => Some(1),
                _ => None,
            };
            assert_eq!(n_events, expected, "run {n} of round {round}");
        }
        assert_eq!(store.check().await.unwrap().problems, [""; 0]);
        if round % 2 == 1 {
            store.commit(commit(4, epoch, vec![completed(1)])).await.unwrap();
            assert_eq!(forget_all(&store).await, 2);
        }
    }
    for n in 0..4 {
        assert_eq!(store.load(run_id(100 + n)).await.unwrap().unwrap().journal.len(), 1);
    }
}

#[tokio::test]
async fn nothing_is_left_of_a_forgotten_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let options = SqliteStore::options().fold_bytes(0).synchronous(Synchronous::Normal);
    let store = options.open(&path).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    for n in 0..40 {
        live(&store, epoch, n, 20).await;
    }
    store.start(new_run(1_000)).await.unwrap();
    assert_eq!(forget_all(&store).await, 40);
    store.close().await;
    drop(store);
    for (table, n_rows) in [
        ("runs", 1),
        ("input", 1),
        ("chunk", 1),
        ("label", 0),
        ("idempotency", 0),
        ("inbox", 0),
        ("line", 0),
        ("log", 0),
        ("gone", 0),
    ] {
        assert_eq!(number(&path, &format!("SELECT count(*) FROM {table}")), n_rows, "{table}");
    }
    // Numbers of runs are not used twice, even if the last of them is gone.
    let store = SqliteStore::open(&path).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    live(&store, epoch, 1, 1).await;
    forget_all(&store).await;
    let (store, _) = crash(store, &path).await;
    store.start(new_run(2)).await.unwrap();
    drop(store);
    assert_eq!(number(&path, "SELECT max(id) FROM runs"), 43);
}

#[tokio::test]
async fn the_room_of_forgotten_runs_is_used_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let options = SqliteStore::options().fold_bytes(64 * 1024).synchronous(Synchronous::Normal);
    let store = options.open(&path).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    let mut n_pages = Vec::new();
    for round in 0..12 {
        for n in 0..40 {
            live(&store, epoch, round * 100 + n, 50).await;
        }
        assert_eq!(forget_all(&store).await, 40);
        n_pages.push(number(&path, "SELECT page_count FROM pragma_page_count"));
    }
    // Two megabytes come and go in every round.
    assert!(n_pages[11] <= n_pages[2] + n_pages[2] / 2, "{n_pages:?}");
}

#[tokio::test]
async fn the_log_stays_short_although_all_that_is_in_it_is_forgotten_or_compacted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let options = SqliteStore::options().fold_bytes(64 * 1024).synchronous(Synchronous::Normal);
    let store = options.open(&path).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    store.start(new_run(0)).await.unwrap();
    for seq in 1..=400 {
        // A small run that lives on, one that goes at once, and one that is compacted all the time.
        store.start(new_run(10_000 + seq)).await.unwrap();
        live(&store, epoch, seq, 4).await;
        assert_eq!(store.forget(Forget::runs(vec![run_id(seq)])).await.unwrap().runs.len(), 1);
        let compacted = Some(new_run(0).journal());
        let commit = Commit { compacted, ..commit(0, epoch, vec![step(seq, 4_000)]) };
        store.commit(commit).await.unwrap();
    }
    drop(store);
    let n_bytes = number(&path, "SELECT coalesce(sum(length(body)), 0) FROM log");
    assert!(n_bytes < 4 * 64 * 1024 + 16 * 1024, "{n_bytes}");
    let store = SqliteStore::open(&path).await.unwrap();
    assert_eq!(store.check().await.unwrap().problems, [""; 0]);
}

#[tokio::test]
async fn a_log_with_events_of_a_run_that_nobody_forgot_is_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = SqliteStore::open(&path).await.unwrap();
    store.start(new_run(1)).await.unwrap();
    drop(store);
    Connection::open(&path).unwrap().execute("DELETE FROM runs", []).unwrap();
    let error = SqliteStore::open(&path).await.err().unwrap();
    assert!(error.to_string().contains(&run_id(1).to_string()), "{error}");
}
