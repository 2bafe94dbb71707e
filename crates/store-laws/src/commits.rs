//! Laws about commits.

use std::sync::Arc;

use stepwell_journal::{Epoch, EventKind, RunStatus, Seq, UnixMillis};
use stepwell_store::{Commit, CommitError, LogLevel, LogLine, LogQuery, RowChange, Store};

use crate::kit::{
    Owner, START, cancel, cancelled, change, completed, event, failed, failure, inbox_id, json,
    labels, message, new_run, post, run_id, step, waiting_until,
};

pub async fn events_come_back_in_order(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.commit(1, vec![step(1), step(2)]).await;
    owner.commit(1, vec![step(3)]).await;
    let journal = owner.load(1).await.journal;
    assert_eq!(journal[1..], [step(1), step(2), step(3)]);
    let row = owner.row(1).await;
    assert_eq!(row.next_seq, Seq(4));
    assert_eq!(row.updated_at, step(3).at);
}

pub async fn ownership_only_grows(store: Arc<dyn Store>) {
    let first = store.take_ownership().await.unwrap();
    let second = store.take_ownership().await.unwrap();
    assert!(first < second);
    assert!(Epoch(0) < first);
}

pub async fn a_commit_of_an_older_epoch_writes_nothing(store: Arc<dyn Store>) {
    let old = Owner::of(store).await;
    old.start(1).await;
    let new = Owner::of(Arc::clone(&old.store)).await;
    let everything = everything(&old).await;
    let error = old.store.commit(everything).await.unwrap_err();
    let CommitError::Fenced { run, ours, current } = error else { panic!("{error}") };
    assert_eq!((run, ours, current), (run_id(1), old.epoch, new.epoch));
    assert_untouched(&new).await;
    new.commit(1, vec![step(1)]).await;
}

pub async fn a_misplaced_commit_writes_nothing(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    let mut ahead = everything(&owner).await;
    ahead.first_seq = Seq(2);
    ahead.events = vec![step(2)];
    let error = owner.store.commit(ahead).await.unwrap_err();
    let CommitError::Misplaced { run, expected, found } = error else { panic!("{error}") };
    assert_eq!((run, expected, found), (run_id(1), Seq(1), Seq(2)));
    assert_untouched(&owner).await;

    owner.commit(1, vec![step(1)]).await;
    // The same commit again: its caller did not hear the answer.
    let again = owner.commit_of(1, vec![step(1)]);
    let error = owner.store.commit(again).await.unwrap_err();
    assert!(matches!(error, CommitError::Misplaced { .. }), "{error}");
    assert_eq!(owner.seqs(1).await, [0, 1]);
}

pub async fn events_with_wrong_numbers_are_refused(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    let error = owner.store.commit(owner.commit_of(1, vec![step(1), step(3)])).await.unwrap_err();
    assert!(matches!(error, CommitError::Misplaced { .. }), "{error}");
    assert_eq!(owner.seqs(1).await, [0]);
}

pub async fn a_commit_to_an_unknown_run_is_refused(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    let error = owner.store.commit(owner.commit_of(1, vec![step(1)])).await.unwrap_err();
    assert!(matches!(error, CommitError::UnknownRun { .. }), "{error}");
    assert!(owner.store.load(run_id(1)).await.unwrap().is_none());
}

pub async fn a_commit_is_seen_whole(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    let commit = everything(&owner).await;
    let change = commit.row.clone().unwrap();
    owner.store.commit(commit).await.unwrap();

    let loaded = owner.load(1).await;
    assert_eq!(loaded.journal.len(), 2);
    assert!(loaded.inbox.is_empty());
    assert_eq!(loaded.row.status, RunStatus::Waiting);
    assert_eq!(loaded.row.wake_at, change.wake_at);
    assert_eq!(loaded.row.labels, change.labels);
    assert_eq!(loaded.row.description, change.description);
    assert_eq!(loaded.row.updated_at, change.at);
    assert_eq!(owner.inbox(2).await, [inbox_id(2)]);
    assert_eq!(owner.seqs(3).await, [0]);
    assert_eq!(owner.store.logs(LogQuery::of(run_id(1))).await.unwrap().lines.len(), 1);
}

pub async fn posts_and_starts_that_cannot_be_do_not_stop_a_commit(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.start(2).await;
    owner.commit(2, vec![completed(1)]).await;
    owner.start(3).await;
    owner.commit(3, vec![step(1)]).await;
    owner.post(message(3, 7)).await;
    let commit = Commit {
        posts: vec![message(99, 1), message(2, 2), message(3, 7), message(3, 8), message(4, 9)],
        starts: vec![new_run(3), new_run(4)],
        ..owner.commit_of(1, vec![step(1)])
    };
    owner.store.commit(commit).await.unwrap();
    assert!(owner.inbox(2).await.is_empty());
    assert_eq!(owner.seqs(3).await, [0, 1]);
    assert_eq!(owner.inbox(3).await, [inbox_id(7), inbox_id(8)]);
    // What is posted to a child that begins in the same commit arrives.
    assert_eq!(owner.inbox(4).await, [inbox_id(9)]);
}

pub async fn a_commit_without_events_changes_the_rest(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.post(message(1, 1)).await;
    let commit = Commit {
        taken: vec![inbox_id(1), inbox_id(77)],
        row: Some(waiting_until(START.0 + 9_000)),
        ..owner.commit_of(1, Vec::new())
    };
    owner.store.commit(commit).await.unwrap();
    let loaded = owner.load(1).await;
    assert_eq!(loaded.journal.len(), 1);
    assert_eq!(loaded.row.next_seq, Seq(1));
    assert_eq!(loaded.row.status, RunStatus::Waiting);
    assert!(loaded.inbox.is_empty());
    owner.commit(1, vec![step(1)]).await;
}

pub async fn an_outcome_ends_the_run(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for (n, outcome, status) in [
        (1, completed(1), RunStatus::Completed),
        (2, failed(1), RunStatus::Failed),
        (3, cancelled(1), RunStatus::Cancelled),
    ] {
        owner.start(n).await;
        let row = (n != 1).then(|| change(status));
        let commit = Commit { row, ..owner.commit_of(n, vec![outcome.clone()]) };
        owner.store.commit(commit).await.unwrap();
        let row = owner.row(n).await;
        assert_eq!(row.status, status);
        assert_eq!(row.ended_at, Some(outcome.at));
        assert_eq!(row.wake_at, None);
        assert_eq!(row.failure, (status == RunStatus::Failed).then(failure));
    }
}

pub async fn an_ended_run_takes_no_more_events(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.commit(1, vec![completed(1)]).await;
    let error = owner.store.commit(owner.commit_of(1, vec![step(2)])).await.unwrap_err();
    assert!(matches!(error, CommitError::RunEnded { .. }), "{error}");
    assert_eq!(owner.seqs(1).await, [0, 1]);
}

pub async fn an_ended_run_may_be_resumed(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.post(cancel(1, 1)).await;
    owner.commit(1, vec![cancelled(1)]).await;
    let resumed =
        EventKind::RunResumed { voids: Vec::new(), reason: "mended".to_owned(), deadline_at: None };
    owner.commit(1, vec![event(2, resumed), step(3)]).await;
    let loaded = owner.load(1).await;
    assert_eq!(loaded.row.status, RunStatus::Running);
    assert_eq!(loaded.row.ended_at, None);
    assert!(!loaded.row.cancelling);
    // The cancel was carried out when the run ended; it does not come back.
    assert!(loaded.inbox.is_empty());
    assert_eq!(owner.runnable().await, [run_id(1)]);
    owner.commit(1, vec![completed(4)]).await;
}

pub async fn a_run_with_a_cancel_in_its_inbox_ends_in_no_other_way(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.post(cancel(1, 1)).await;
    for outcome in [completed(1), failed(1)] {
        let error = owner.store.commit(owner.commit_of(1, vec![outcome])).await.unwrap_err();
        assert!(matches!(error, CommitError::CancelPending { .. }), "{error}");
    }
    assert_eq!(owner.seqs(1).await, [0]);
    assert_eq!(owner.inbox(1).await, [inbox_id(1)]);
    // Other events may still come, and the cancelled end may.
    owner.commit(1, vec![step(1)]).await;
    owner.commit(1, vec![cancelled(2)]).await;
    assert_eq!(owner.row(1).await.status, RunStatus::Cancelled);
}

pub async fn a_commit_that_takes_the_cancel_may_end_the_run(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.post(cancel(1, 1)).await;
    let taken = vec![inbox_id(1)];
    owner.store.commit(Commit { taken, ..owner.commit_of(1, vec![failed(1)]) }).await.unwrap();
    assert_eq!(owner.row(1).await.status, RunStatus::Failed);
}

pub async fn a_run_is_cancelling_from_the_accepted_cancel_to_its_end(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    assert!(!owner.row(1).await.cancelling);
    owner.post(cancel(1, 1)).await;
    assert!(owner.row(1).await.cancelling);
    let taken = vec![inbox_id(1)];
    let row = Some(change(RunStatus::RollingBack));
    let take = Commit { taken, row, ..owner.commit_of(1, vec![step(1)]) };
    owner.store.commit(take).await.unwrap();
    assert!(owner.row(1).await.cancelling);
    assert!(owner.load(1).await.row.cancelling);
    owner.commit(1, vec![cancelled(2)]).await;
    assert!(!owner.row(1).await.cancelling);
}

pub async fn a_row_change_replaces_what_was_there(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    let first = RowChange {
        labels: labels(&[("a", "1"), ("b", "2")]),
        description: Some("first".to_owned()),
        failure: Some(failure()),
        ..waiting_until(START.0 + 1)
    };
    owner.start_as(1, first.clone()).await;
    assert_eq!(owner.row(1).await.failure, Some(failure()));
    let second = RowChange {
        labels: labels(&[("b", "3")]),
        at: UnixMillis(START.0 + 6_000),
        ..change(RunStatus::Running)
    };
    let row = Some(second.clone());
    owner.store.commit(Commit { row, ..owner.commit_of(1, vec![step(2)]) }).await.unwrap();
    let row = owner.row(1).await;
    assert_eq!(row.labels, second.labels);
    assert_eq!((row.description, row.failure, row.wake_at), (None, None, None));
    assert_eq!(row.updated_at, second.at);
    assert_eq!(row.created_at, new_run(1).at);
}

/// Run 2 exists and run 3 does not; run 1 has a message.
async fn everything(owner: &Owner) -> Commit {
    owner.start(2).await;
    owner.post(message(1, 1)).await;
    let row = RowChange {
        labels: labels(&[("team", "blue")]),
        description: Some("about".to_owned()),
        ..waiting_until(START.0 + 9_000)
    };
    let line = LogLine {
        at: START,
        level: LogLevel::Info,
        location: stepwell_journal::Location::root(),
        message: "hello".to_owned(),
        fields: json("null"),
    };
    Commit {
        row: Some(row),
        taken: vec![inbox_id(1)],
        posts: vec![post(2, 2, stepwell_store::InboxItem::Wake)],
        starts: vec![new_run(3)],
        logs: vec![line],
        ..owner.commit_of(1, vec![step(1)])
    }
}

async fn assert_untouched(owner: &Owner) {
    let loaded = owner.load(1).await;
    assert_eq!(loaded.journal.len(), 1);
    assert_eq!(loaded.row, new_run(1).row());
    assert_eq!(owner.inbox(1).await, [inbox_id(1)]);
    assert!(owner.inbox(2).await.is_empty());
    assert!(owner.store.row(run_id(3)).await.unwrap().is_none());
    assert!(owner.store.logs(LogQuery::of(run_id(1))).await.unwrap().lines.is_empty());
}
