//! Laws about many callers at once.

use std::collections::BTreeSet;
use std::sync::Arc;

use stepwell_journal::{RunState, Seq};
use stepwell_store::{Commit, CommitError, NewRun, Posted, RunQuery, Started, Store};
use tokio::task::JoinSet;

use crate::kit::{Owner, cancel, completed, inbox_id, message, new_run, run_id, step};

pub async fn of_starts_that_race_with_one_key_one_creates_the_run(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    let mut starts = JoinSet::new();
    for n in 1..=50 {
        let store = Arc::clone(&owner.store);
        let new = NewRun { idempotency_key: Some("k".to_owned()), ..new_run(n) };
        starts.spawn(async move { (n, store.start(new).await.unwrap()) });
    }
    let mut created = Vec::new();
    let mut existing = BTreeSet::new();
    for (n, started) in starts.join_all().await {
        match started {
            Started::Created => created.push(run_id(n)),
            Started::Existing { run, .. } => drop(existing.insert(run)),
        }
    }
    assert_eq!(created.len(), 1);
    assert_eq!(existing.into_iter().collect::<Vec<_>>(), created);
    assert_eq!(owner.found(RunQuery::default()).await, created);
}

pub async fn of_starts_that_race_for_one_id_one_creates_the_run(store: Arc<dyn Store>) {
    let mut starts = JoinSet::new();
    for _ in 0..50 {
        let store = Arc::clone(&store);
        starts.spawn(async move { store.start(new_run(1)).await.is_ok() });
    }
    assert_eq!(starts.join_all().await.into_iter().filter(|ok| *ok).count(), 1);
}

pub async fn of_commits_that_race_for_one_place_one_is_written(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    for seq in 1..=10 {
        let mut commits = JoinSet::new();
        for _ in 0..10 {
            let owner = owner.clone();
            commits.spawn(async move {
                match owner.store.commit(owner.commit_of(1, vec![step(seq)])).await {
                    Ok(()) => true,
                    Err(CommitError::Misplaced { .. }) => false,
                    Err(error) => panic!("{error}"),
                }
            });
        }
        assert_eq!(commits.join_all().await.into_iter().filter(|ok| *ok).count(), 1);
    }
    assert_eq!(owner.seqs(1).await, (0..=10).collect::<Vec<_>>());
}

pub async fn of_posts_that_race_with_one_id_one_is_accepted(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    let mut posts = JoinSet::new();
    for _ in 0..50 {
        let store = Arc::clone(&owner.store);
        posts.spawn(async move { store.post(message(1, 1)).await.unwrap() });
    }
    let posted = posts.join_all().await;
    assert_eq!(posted.into_iter().filter(|posted| *posted == Posted::Accepted).count(), 1);
    assert_eq!(owner.inbox(1).await, [inbox_id(1)]);
}

pub async fn five_hundred_runs_commit_side_by_side(store: Arc<dyn Store>) {
    const N_RUNS: u64 = 500;
    const N_STEPS: u64 = 10;
    let owner = Owner::of(store).await;
    let mut tasks = JoinSet::new();
    for n in 0..N_RUNS {
        let owner = owner.clone();
        tasks.spawn(async move {
            owner.start(n).await;
            for seq in 1..=N_STEPS {
                owner.commit(n, vec![step(seq)]).await;
            }
            owner.commit(n, vec![completed(N_STEPS + 1)]).await;
        });
    }
    tasks.join_all().await;
    for n in 0..N_RUNS {
        let loaded = owner.load(n).await;
        assert_eq!(loaded.journal.len() as u64, N_STEPS + 2);
        assert_eq!(loaded.row.next_seq, Seq(N_STEPS + 2));
        assert!(RunState::fold(run_id(n), &loaded.journal).unwrap().is_ended());
    }
    assert!(owner.runnable().await.is_empty());
}

pub async fn an_accepted_cancel_and_another_outcome_never_both_happen(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for n in 0..100 {
        owner.start(n).await;
        let (store, post) = (Arc::clone(&owner.store), cancel(n, 1));
        let cancelling = tokio::spawn(async move { store.post(post).await.is_ok() });
        let (store, commit) = (Arc::clone(&owner.store), owner.commit_of(n, vec![completed(1)]));
        let completing = tokio::spawn(async move { store.commit(commit).await.is_ok() });
        assert_ne!(cancelling.await.unwrap(), completing.await.unwrap());
    }
}

pub async fn a_loaded_run_is_of_one_moment(store: Arc<dyn Store>) {
    const N_STEPS: u64 = 300;
    let owner = Owner::of(store).await;
    owner.start(1).await;
    let writer = {
        let owner = owner.clone();
        // Each commit takes the message that the one before it posted to this same run, so that the
        // inbox always holds exactly the message that is named after the journal's end.
        tokio::spawn(async move {
            owner.post(message(1, 1)).await;
            for seq in 1..=N_STEPS {
                let commit = Commit {
                    taken: vec![inbox_id(seq)],
                    posts: vec![message(1, seq + 1)],
                    ..owner.commit_of(1, vec![step(seq)])
                };
                owner.store.commit(commit).await.unwrap();
            }
        })
    };
    loop {
        let loaded = owner.load(1).await;
        let next_seq = loaded.row.next_seq;
        assert_eq!(loaded.journal.len() as u64, next_seq.0);
        assert!(loaded.journal.iter().zip(0..).all(|(event, seq)| event.seq == Seq(seq)));
        match &loaded.inbox[..] {
            [] => assert_eq!(next_seq, Seq(1)),
            [only] => assert_eq!(only.id, inbox_id(next_seq.0)),
            more => panic!("{} items", more.len()),
        }
        if next_seq == Seq(N_STEPS + 1) {
            break;
        }
    }
    writer.await.unwrap();
}
