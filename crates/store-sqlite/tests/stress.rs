//! Readers, writers, folding, crashes and copies at once.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on must panic")]

mod kit;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kit::{commit, new_run, run_id, step};
use stepwell_journal::{Epoch, RunState, Seq};
use stepwell_store::{Commit, CommitError, LoadedRun, Store, StoreError};
use stepwell_store_sqlite::SqliteStore;
use tokio::task::JoinSet;

const N_RUNS: u64 = 8;

/// What is acknowledged of each run: where its journal goes on.
type Acknowledged = Arc<[AtomicU64; N_RUNS as usize]>;

async fn write(store: SqliteStore, n: u64, epoch: Epoch, n_events: u64, known: Acknowledged) {
    store.start(new_run(n)).await.unwrap();
    known[n as usize].store(1, Ordering::Release);
    for seq in 1..=n_events {
        let compacted = (seq % 97 == 0).then(|| new_run(n).journal());
        let commit = Commit { compacted, ..commit(n, epoch, vec![step(seq, 50)]) };
        store.commit(commit).await.unwrap();
        known[n as usize].store(seq + 1, Ordering::Release);
    }
}

/// A journal begins with its start, has one gap at most, where it was compacted, and ends as the row says.
fn check(n: u64, loaded: &LoadedRun, acknowledged: u64) {
    let seqs: Vec<u64> = loaded.journal.iter().map(|event| event.seq.0).collect();
    let next_seq = loaded.row.next_seq.0;
    assert!(next_seq >= acknowledged, "{next_seq} of {acknowledged}");
    assert_eq!((seqs[0], *seqs.last().unwrap()), (0, next_seq - 1));
    let gaps: Vec<_> = seqs.windows(2).filter(|pair| pair[1] != pair[0] + 1).collect();
    let compacted_at = (next_seq - 1) / 97 * 97;
    match gaps[..] {
        [] => assert!(compacted_at <= 1, "{seqs:?}"),
        [gap] => assert_eq!(gap, [0, compacted_at]),
        _ => panic!("{seqs:?}"),
    }
    RunState::fold(run_id(n), &loaded.journal).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn loads_are_of_one_moment_while_writes_and_folds_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteStore::options().fold_bytes(4 * 1024);
    let store = options.open(folder.path().join("store")).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    let known = Acknowledged::default();
    let ended = Arc::new(AtomicBool::new(false));
    let mut readers = JoinSet::new();
    for reader in 0..4 {
        let (store, known, ended) = (store.clone(), Arc::clone(&known), Arc::clone(&ended));
        readers.spawn(async move {
            let mut n = reader;
            while !ended.load(Ordering::Acquire) {
                n = (n + 1) % N_RUNS;
                let acknowledged = known[n as usize].load(Ordering::Acquire);
                if acknowledged == 0 {
                    tokio::task::yield_now().await;
                    continue;
                }
                check(n, &store.load(run_id(n)).await.unwrap().unwrap(), acknowledged);
                let from = Seq(acknowledged - 1);
                let page = store.journal(run_id(n), from, 5).await.unwrap();
                assert!(page.is_empty() || page[0].seq >= from);
            }
        });
    }
    let mut writers = JoinSet::new();
    for n in 0..N_RUNS {
        writers.spawn(write(store.clone(), n, epoch, 1_000, Arc::clone(&known)));
    }
    writers.join_all().await;
    ended.store(true, Ordering::Release);
    readers.join_all().await;
    assert!(store.stats().n_folds > 0);
    assert_eq!(store.check().await.unwrap().problems, [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_crash_leaves_has_everything_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = SqliteStore::options().fold_bytes(16 * 1024).open(&path).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    let known = Acknowledged::default();
    for round in 0..5 {
        // The files as they are between two rounds are what a crash at that moment would leave.
        let mut writers = JoinSet::new();
        for n in 0..N_RUNS {
            let (store, known) = (store.clone(), Arc::clone(&known));
            writers.spawn(async move {
                if round == 0 {
                    return write(store, n, epoch, 100, known).await;
                }
                for seq in 1 + round * 100..=round * 100 + 100 {
                    let compacted = (seq % 97 == 0).then(|| new_run(n).journal());
                    let commit = Commit { compacted, ..commit(n, epoch, vec![step(seq, 50)]) };
                    store.commit(commit).await.unwrap();
                    known[n as usize].store(seq + 1, Ordering::Release);
                }
            });
        }
        writers.join_all().await;
        // Folding goes on for a moment after the last commit; a copy that it overlaps proves nothing.
        loop {
            let stats = store.stats();
            if stats.tail_bytes <= 8 * 1024 && stats.log_bytes <= 32 * 1024 {
                break;
            }
            tokio::task::yield_now().await;
        }
        let crashed = folder.path().join(format!("crashed-{round}"));
        copy(&path, &crashed);
        let after = SqliteStore::open(&crashed).await.unwrap();
        for n in 0..N_RUNS {
            let acknowledged = known[n as usize].load(Ordering::Acquire);
            check(n, &after.load(run_id(n)).await.unwrap().unwrap(), acknowledged);
        }
        assert_eq!(after.check().await.unwrap().problems, [""; 0]);
    }
}

fn copy(from: &Path, to: &Path) {
    for ending in ["", "-wal"] {
        let of = |path: &Path| format!("{}{ending}", path.display());
        std::fs::copy(of(from), of(to)).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_has_everything_of_before_while_writes_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteStore::options().fold_bytes(64 * 1024);
    let store = options.open(folder.path().join("store")).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    let known = Acknowledged::default();
    let mut writers = JoinSet::new();
    for n in 0..N_RUNS {
        writers.spawn(write(store.clone(), n, epoch, 800, Arc::clone(&known)));
    }
    let backup = folder.path().join("backup");
    while known.iter().any(|next| next.load(Ordering::Acquire) < 200) {
        tokio::task::yield_now().await;
    }
    let before: Vec<u64> = known.iter().map(|next| next.load(Ordering::Acquire)).collect();
    store.backup(&backup).await.unwrap();
    writers.join_all().await;

    let copy = SqliteStore::open(&backup).await.unwrap();
    for (n, acknowledged) in (0..N_RUNS).zip(before) {
        check(n, &copy.load(run_id(n)).await.unwrap().unwrap(), acknowledged);
    }
    assert_eq!(copy.check().await.unwrap().problems, [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_write_that_meets_a_close_is_durable_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = SqliteStore::open(&path).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    let mut writers = JoinSet::new();
    for n in 0..N_RUNS {
        store.start(new_run(n)).await.unwrap();
        let store = store.clone();
        writers.spawn(async move {
            for seq in 1.. {
                match store.commit(commit(n, epoch, vec![step(seq, 50)])).await {
                    Ok(()) => {}
                    Err(CommitError::Store(StoreError::Closed)) => return (n, seq),
                    Err(error) => panic!("{error}"),
                }
            }
            unreachable!("the store was closed")
        });
    }
    while store.stats().n_events < 500 {
        tokio::task::yield_now().await;
    }
    store.close().await;
    let acknowledged = writers.join_all().await;
    let store = SqliteStore::open(&path).await.unwrap();
    assert_eq!(store.stats().tail_runs, 0);
    for (n, next) in acknowledged {
        assert_eq!(store.row(run_id(n)).await.unwrap().unwrap().next_seq, Seq(next));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_tail_and_the_write_ahead_log_stay_short() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = SqliteStore::options().fold_bytes(256 * 1024).open(&path).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    let mut writers = JoinSet::new();
    for n in 0..200 {
        let store = store.clone();
        writers.spawn(async move {
            store.start(new_run(n)).await.unwrap();
            for seq in 1..=100 {
                store.commit(commit(n, epoch, vec![step(seq, 2_000)])).await.unwrap();
            }
        });
    }
    writers.join_all().await;
    let stats = store.stats();
    assert_eq!(stats.n_events, 200 * 101);
    assert!(stats.tail_bytes <= 2 * 1024 * 1024, "{stats:?}");
    assert!(stats.n_batches < stats.n_writes / 2, "{stats:?}");
    let wal_bytes = std::fs::metadata(folder.path().join("store-wal")).unwrap().len();
    assert!(wal_bytes < 128 * 1024 * 1024, "{wal_bytes}");
}
