//! Laws about stores that outlive their process: what was acknowledged is there after a reopening.

use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;

use stepwell_journal::{RunStatus, Seq, UnixMillis};
use stepwell_store::{
    Commit, CommitError, DocumentWrite, Forget, LogLevel, LogLine, LogQuery, NewRun, RunQuery,
    Started, StatusCount, Store, StoreError,
};
use tokio::task::JoinSet;

use crate::documents::{found, put, write};
use crate::kit::{
    Owner, START, cancel, change, completed, inbox_id, json, labels, message, new_run, run_id,
    runs, step, waiting_until,
};

/// A place for a store, and the way to open it.
pub struct Place<F> {
    folder: tempfile::TempDir,
    open: F,
}

impl<F, Opened> Place<F>
where
    F: Fn(PathBuf) -> Opened,
    Opened: Future<Output = Result<Arc<dyn Store>, StoreError>>,
{
    pub fn new(open: F) -> Place<F> {
        Place { folder: tempfile::tempdir().unwrap(), open }
    }

    async fn open(&self) -> Owner {
        let store = (self.open)(self.folder.path().join("store")).await.unwrap();
        Owner::of(store).await
    }

    /// The store as the next process finds it.
    async fn reopen(&self, owner: Owner) -> Owner {
        owner.store.close().await;
        drop(owner);
        self.open().await
    }
}

pub async fn runs_and_their_rows_are_there_after_reopening<F, Opened>(place: Place<F>)
where
    F: Fn(PathBuf) -> Opened,
    Opened: Future<Output = Result<Arc<dyn Store>, StoreError>>,
{
    let owner = place.open().await;
    let mut new = new_run(1);
    new.started.labels = labels(&[("team", "blue")]);
    owner.start_run(new).await;
    owner.commit(1, vec![step(1), step(2)]).await;
    owner.start_as(2, waiting_until(START.0 + 50)).await;
    owner.start(3).await;
    owner.commit(3, vec![completed(1)]).await;
    let mut before = Vec::new();
    for n in 1..=3 {
        before.push(owner.load(n).await);
    }

    let owner = place.reopen(owner).await;
    for (n, before) in (1..=3).zip(before) {
        let after = owner.load(n).await;
        assert_eq!(after.row, before.row);
        assert_eq!(after.journal, before.journal);
    }
    assert_eq!(owner.runnable().await, runs(&[1]));
    assert_eq!(owner.due(START.0 + 50).await, runs(&[2]));
    let labels = labels(&[("team", "blue")]);
    assert_eq!(owner.found(RunQuery { labels, ..RunQuery::default() }).await, runs(&[1]));
    owner.commit(1, vec![step(3)]).await;
    assert_eq!(owner.seqs(1).await, [0, 1, 2, 3]);
}

pub async fn inboxes_and_cancels_are_there_after_reopening<F, Opened>(place: Place<F>)
where
    F: Fn(PathBuf) -> Opened,
    Opened: Future<Output = Result<Arc<dyn Store>, StoreError>>,
{
    let owner = place.open().await;
    owner.start_as(1, change(RunStatus::Waiting)).await;
    owner.start_as(2, change(RunStatus::Waiting)).await;
    for id in [3, 1, 2] {
        owner.post(message(1, id)).await;
    }
    owner.post(cancel(2, 1)).await;

    let owner = place.reopen(owner).await;
    assert_eq!(owner.inbox(1).await, [3, 1, 2].map(inbox_id));
    assert_eq!(owner.runnable().await, runs(&[1, 2]));
    assert!(owner.row(2).await.cancelling);
    let error = owner.store.commit(owner.commit_of(2, vec![completed(2)])).await.unwrap_err();
    assert!(matches!(error, CommitError::CancelPending { .. }), "{error}");
    let taken = vec![inbox_id(1)];
    owner.store.commit(Commit { taken, ..owner.commit_of(2, vec![step(2)]) }).await.unwrap();

    let owner = place.reopen(owner).await;
    assert!(owner.row(2).await.cancelling);
}

pub async fn idempotency_keys_hold_after_reopening<F, Opened>(place: Place<F>)
where
    F: Fn(PathBuf) -> Opened,
    Opened: Future<Output = Result<Arc<dyn Store>, StoreError>>,
{
    let owner = place.open().await;
    let keyed = |n| NewRun { idempotency_key: Some("k".to_owned()), ..new_run(n) };
    owner.start_run(keyed(1)).await;
    let owner = place.reopen(owner).await;
    let existing = Started::Existing { run: run_id(1), same_input: true };
    assert_eq!(owner.store.start(keyed(2)).await.unwrap(), existing);
    owner.store.start(new_run(1)).await.unwrap_err();
}

pub async fn an_owner_of_before_is_fenced_after_reopening<F, Opened>(place: Place<F>)
where
    F: Fn(PathBuf) -> Opened,
    Opened: Future<Output = Result<Arc<dyn Store>, StoreError>>,
{
    let owner = place.open().await;
    owner.start(1).await;
    let old = owner.epoch;
    let owner = place.reopen(owner).await;
    assert!(old < owner.epoch);
    let commit = Commit { epoch: old, ..owner.commit_of(1, vec![step(1)]) };
    let error = owner.store.commit(commit).await.unwrap_err();
    assert!(matches!(error, CommitError::Fenced { .. }), "{error}");
}

pub async fn compacted_journals_and_logs_are_there_after_reopening<F, Opened>(place: Place<F>)
where
    F: Fn(PathBuf) -> Opened,
    Opened: Future<Output = Result<Arc<dyn Store>, StoreError>>,
{
    let owner = place.open().await;
    owner.start(1).await;
    owner.commit(1, vec![step(1), step(2)]).await;
    let line = LogLine {
        at: START,
        level: LogLevel::Info,
        location: stepwell_journal::Location::root(),
        message: "hello".to_owned(),
        fields: json("null"),
    };
    let commit = Commit {
        first_seq: Seq(3),
        compacted: Some(new_run(1).journal()),
        logs: vec![line.clone()],
        ..owner.commit_of(1, Vec::new())
    };
    owner.store.commit(commit).await.unwrap();
    let owner = place.reopen(owner).await;
    assert_eq!(owner.seqs(1).await, [0]);
    assert_eq!(owner.row(1).await.next_seq, Seq(3));
    assert_eq!(owner.store.logs(LogQuery::of(run_id(1))).await.unwrap().lines, [line]);
}

pub async fn documents_and_their_revisions_are_there_after_reopening<F, Opened>(place: Place<F>)
where
    F: Fn(PathBuf) -> Opened,
    Opened: Future<Output = Result<Arc<dyn Store>, StoreError>>,
{
    let owner = place.open().await;
    let kept = write(&owner.store, put("kept", "[1]")).await;
    write(&owner.store, put("removed", "1")).await;
    let removed = DocumentWrite { body: None, ..put("removed", "1") };
    let last = write(&owner.store, removed).await;
    let owner = place.reopen(owner).await;
    let document = found(&owner.store, "kept").await.unwrap();
    assert_eq!((document.revision, document.body), (kept, json("[1]")));
    assert_eq!(found(&owner.store, "removed").await, None);
    assert!(write(&owner.store, put("removed", "2")).await > last);
}

pub async fn forgotten_runs_stay_forgotten_after_reopening<F, Opened>(place: Place<F>)
where
    F: Fn(PathBuf) -> Opened,
    Opened: Future<Output = Result<Arc<dyn Store>, StoreError>>,
{
    const N_RUNS: u64 = 40;
    let mut owner = place.open().await;
    for round in 0..4 {
        for n in 0..N_RUNS {
            let key = Some(format!("key {n}"));
            owner.start_run(NewRun { idempotency_key: key, ..new_run(n) }).await;
            owner.commit(n, vec![step(1), step(2)]).await;
        }
        owner.start(1_000 + round).await;
        for n in 0..N_RUNS {
            owner.commit(n, vec![completed(3)]).await;
        }
        // Half of them are forgotten where they were written, the others by the next process.
        let gone: Vec<_> = (0..N_RUNS).filter(|n| n % 2 == 0).map(run_id).collect();
        assert_eq!(owner.store.forget(Forget::runs(gone.clone())).await.unwrap().runs, gone);
        owner.commit(1_000 + round, vec![step(1)]).await;
        owner = place.reopen(owner).await;
        assert_eq!(owner.seqs(1_000 + round).await, [0, 1]);
        for n in 0..N_RUNS {
            let is_there = owner.store.load(run_id(n)).await.unwrap().is_some();
            assert_eq!(is_there, n % 2 == 1);
        }
        let all = Forget::ended_before(UnixMillis(u64::MAX));
        assert_eq!(owner.store.forget(all).await.unwrap().runs.len() as u64, N_RUNS / 2);
        let report = owner.store.check().await.unwrap();
        assert_eq!((report.n_runs, report.problems), (round + 1, Vec::new()));
    }
    let pending = StatusCount { status: RunStatus::Pending, n_runs: 4 };
    assert_eq!(owner.store.count(&RunQuery::default()).await.unwrap(), [pending]);
}

pub async fn many_journals_are_there_after_each_of_many_reopenings<F, Opened>(place: Place<F>)
where
    F: Fn(PathBuf) -> Opened,
    Opened: Future<Output = Result<Arc<dyn Store>, StoreError>>,
{
    const N_RUNS: u64 = 60;
    let mut owner = place.open().await;
    for n in 0..N_RUNS {
        owner.start(n).await;
    }
    for round in 0..4 {
        let mut tasks = JoinSet::new();
        for n in 0..N_RUNS {
            let owner = owner.clone();
            tasks.spawn(async move {
                for seq in 1 + round * 5..=round * 5 + 5 {
                    owner.commit(n, vec![step(seq)]).await;
                }
            });
        }
        tasks.join_all().await;
        owner = place.reopen(owner).await;
        for n in 0..N_RUNS {
            assert_eq!(owner.seqs(n).await, (0..=round * 5 + 5).collect::<Vec<_>>());
        }
    }
    assert_eq!(owner.store.check().await.unwrap().problems, [""; 0]);
}

pub async fn a_store_is_open_once<F, Opened>(place: Place<F>)
where
    F: Fn(PathBuf) -> Opened,
    Opened: Future<Output = Result<Arc<dyn Store>, StoreError>>,
{
    let owner = place.open().await;
    owner.start(1).await;
    let second = (place.open)(place.folder.path().join("store")).await;
    assert!(matches!(second, Err(StoreError::InUse { .. })));
    // The attempt did no harm.
    owner.commit(1, vec![step(1)]).await;
    let owner = place.reopen(owner).await;
    assert_eq!(owner.seqs(1).await, [0, 1]);
}
