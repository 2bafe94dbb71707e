//! Laws about reading journals in pieces and about shortening them.

use std::sync::Arc;

use stepwell_journal::Seq;
use stepwell_store::{Commit, CommitError, Store};

use crate::kit::{Owner, new_run, run_id, step};

async fn page(owner: &Owner, from: u64, limit: usize) -> Vec<u64> {
    let events = owner.store.journal(run_id(1), Seq(from), limit).await.unwrap();
    events.iter().map(|event| event.seq.0).collect()
}

/// Eight steps, of which only the even ones stay when the ninth comes.
async fn compacted(owner: &Owner) {
    owner.start(1).await;
    for seq in 1..=8 {
        owner.commit(1, vec![step(seq)]).await;
    }
    let kept = new_run(1).journal().into_iter().chain([2, 4, 6, 8].map(step)).collect();
    let commit = Commit { compacted: Some(kept), ..owner.commit_of(1, vec![step(9)]) };
    owner.store.commit(commit).await.unwrap();
}

pub async fn a_journal_is_read_in_pages(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.commit(1, (1..=5).map(step).collect()).await;
    owner.commit(1, (6..=9).map(step).collect()).await;
    assert_eq!(page(&owner, 0, 3).await, [0, 1, 2]);
    assert_eq!(page(&owner, 3, 4).await, [3, 4, 5, 6]);
    assert_eq!(page(&owner, 7, 100).await, [7, 8, 9]);
    assert_eq!(page(&owner, 10, 100).await, [0; 0]);
    assert_eq!(page(&owner, 0, 0).await, [0; 0]);
    assert_eq!(page(&owner, 0, usize::MAX).await.len(), 10);
    assert_eq!(page(&owner, u64::MAX, usize::MAX).await, [0; 0]);
}

pub async fn compaction_replaces_what_came_before(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    compacted(&owner).await;
    assert_eq!(owner.seqs(1).await, [0, 2, 4, 6, 8, 9]);
    owner.commit(1, vec![step(10)]).await;
    assert_eq!(owner.seqs(1).await, [0, 2, 4, 6, 8, 9, 10]);
    assert_eq!(owner.row(1).await.next_seq, Seq(11));
}

pub async fn a_journal_with_gaps_is_read_in_pages(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    compacted(&owner).await;
    assert_eq!(page(&owner, 1, 2).await, [2, 4]);
    assert_eq!(page(&owner, 5, 2).await, [6, 8]);
    assert_eq!(page(&owner, 7, 9).await, [8, 9]);
}

pub async fn compaction_may_drop_the_latest_event(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.commit(1, vec![step(1), step(2)]).await;
    let commit = Commit {
        first_seq: Seq(3),
        compacted: Some(new_run(1).journal()),
        ..owner.commit_of(1, Vec::new())
    };
    owner.store.commit(commit).await.unwrap();
    assert_eq!(owner.seqs(1).await, [0]);
    // Numbers are never used twice.
    assert_eq!(owner.row(1).await.next_seq, Seq(3));
    assert_eq!(owner.load(1).await.row.next_seq, Seq(3));
    owner.commit(1, vec![step(3)]).await;
    assert_eq!(owner.seqs(1).await, [0, 3]);
}

pub async fn compaction_happens_again_and_again(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    for seq in 1..=50 {
        let commit = Commit {
            compacted: (seq % 5 == 0).then(|| new_run(1).journal()),
            ..owner.commit_of(1, vec![step(seq)])
        };
        owner.store.commit(commit).await.unwrap();
    }
    assert_eq!(owner.seqs(1).await, [0, 50]);
}

pub async fn a_refused_compaction_removes_nothing(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.commit(1, vec![step(1), step(2)]).await;
    let misplaced = Commit { compacted: Some(Vec::new()), ..owner.commit_of(1, vec![step(2)]) };
    owner.store.commit(misplaced).await.unwrap_err();
    // What stays of the past cannot lie in the future, or stand in another order.
    for kept in [vec![step(3)], vec![step(2), step(1)]] {
        let commit = Commit { compacted: Some(kept), ..owner.commit_of(1, vec![step(3)]) };
        let error = owner.store.commit(commit).await.unwrap_err();
        assert!(matches!(error, CommitError::Misplaced { .. }), "{error}");
    }
    assert_eq!(owner.seqs(1).await, [0, 1, 2]);
}
