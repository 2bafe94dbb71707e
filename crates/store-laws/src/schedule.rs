//! Laws about what an owner must take up, and when.

use std::sync::Arc;

use stepwell_journal::{RunStatus, UnixMillis};
use stepwell_store::{Commit, DueRun, Store};

use crate::kit::{
    Owner, START, change, completed, inbox_id, message, run_id, runs, step, waiting_until,
};

pub async fn due_runs_come_earliest_first(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for (n, at) in [(1, 300), (2, 100), (3, 200), (4, 100), (5, 900)] {
        owner.start_as(n, waiting_until(at)).await;
    }
    owner.start_as(6, change(RunStatus::Waiting)).await;
    let due = |run, wake_at| DueRun { run: run_id(run), wake_at: UnixMillis(wake_at) };
    assert_eq!(
        owner.store.due(UnixMillis(300), 10).await.unwrap(),
        [due(2, 100), due(4, 100), due(3, 200), due(1, 300)]
    );
    assert_eq!(owner.store.due(UnixMillis(u64::MAX), 2).await.unwrap(), [due(2, 100), due(4, 100)]);
    assert!(owner.store.due(UnixMillis(99), 10).await.unwrap().is_empty());
    assert!(owner.store.due(UnixMillis(300), 0).await.unwrap().is_empty());
}

pub async fn a_date_holds_until_it_is_replaced(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start_as(1, waiting_until(100)).await;
    // Asking does not use it up, and a commit without a row leaves it alone.
    assert_eq!(owner.due(100).await, runs(&[1]));
    owner.commit(1, vec![step(2)]).await;
    assert_eq!(owner.due(100).await, runs(&[1]));
    let row = Some(waiting_until(200));
    owner.store.commit(Commit { row, ..owner.commit_of(1, vec![step(3)]) }).await.unwrap();
    assert!(owner.due(199).await.is_empty());
    assert_eq!(owner.due(200).await, runs(&[1]));
    let row = Some(change(RunStatus::Running));
    owner.store.commit(Commit { row, ..owner.commit_of(1, vec![step(4)]) }).await.unwrap();
    assert!(owner.due(u64::MAX).await.is_empty());
}

pub async fn an_ended_run_is_never_due(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start_as(1, waiting_until(100)).await;
    owner.commit(1, vec![completed(2)]).await;
    assert!(owner.due(u64::MAX).await.is_empty());
}

pub async fn runnable_lists_what_an_owner_must_take_up(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.start_as(2, change(RunStatus::Running)).await;
    owner.start_as(3, change(RunStatus::RollingBack)).await;
    owner.start_as(4, change(RunStatus::Waiting)).await;
    owner.start_as(5, waiting_until(START.0 + 1)).await;
    owner.start(6).await;
    owner.commit(6, vec![completed(1)]).await;
    owner.start_as(7, waiting_until(START.0 + 1)).await;
    owner.post(message(7, 1)).await;
    assert_eq!(owner.runnable().await, runs(&[1, 2, 3, 7]));

    // A taken item no longer makes its run runnable.
    let commit = Commit { taken: vec![inbox_id(1)], ..owner.commit_of(7, vec![step(2)]) };
    owner.store.commit(commit).await.unwrap();
    assert_eq!(owner.runnable().await, runs(&[1, 2, 3]));
}

pub async fn an_ended_run_with_a_full_inbox_is_not_runnable(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.post(message(1, 1)).await;
    owner.commit(1, vec![completed(1)]).await;
    assert!(owner.runnable().await.is_empty());
    assert_eq!(owner.inbox(1).await, [inbox_id(1)]);
}

pub async fn runnable_runs_come_in_pages_by_id(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for n in [5, 3, 1, 4, 2] {
        owner.start(n).await;
    }
    let page = |after: Option<u64>, limit| owner.store.runnable(after.map(run_id), limit);
    assert_eq!(page(None, 2).await.unwrap(), runs(&[1, 2]));
    assert_eq!(page(Some(2), 2).await.unwrap(), runs(&[3, 4]));
    assert_eq!(page(Some(4), 2).await.unwrap(), runs(&[5]));
    assert!(page(Some(5), 2).await.unwrap().is_empty());
    assert!(page(None, 0).await.unwrap().is_empty());
}
