//! Laws about forgetting runs that have ended.

use std::sync::Arc;

use stepwell_journal::{Event, EventKind, Location, Parent, RunId, RunStatus, Seq, UnixMillis};
use stepwell_store::{
    Commit, CommitError, FORGET_RUNS_MAX, Forget, Kept, LogLevel, LogLine, LogQuery, NewRun,
    PostError, RunQuery, Started, Store, WhyKept,
};
use tokio::task::JoinSet;

use crate::kit::{
    Owner, START, cancelled, change, completed, event, failed, json, labels, message, new_run,
    run_id, runs, step,
};

const LATER: UnixMillis = UnixMillis(u64::MAX);

/// Forgets what ended before, and says which.
async fn forget(owner: &Owner, forget: Forget) -> Vec<RunId> {
    let forgotten = owner.store.forget(forget).await.unwrap();
    assert_eq!(forgotten.kept, []);
    forgotten.runs
}

async fn left(owner: &Owner) -> Vec<RunId> {
    let mut left = owner.found(RunQuery { limit: 1_000, ..RunQuery::default() }).await;
    left.reverse();
    left
}

fn child(n: u64, parent: u64) -> NewRun {
    let mut new = new_run(n);
    new.started.parent = Some(Parent { run: run_id(parent), location: Location::from_text("a") });
    new
}

async fn end(owner: &Owner, n: u64, at: u64) {
    let completed = Event { at: UnixMillis(START.0 + at), ..completed(1) };
    owner.commit(n, vec![completed]).await;
}

fn resumed(seq: u64) -> Event {
    event(
        seq,
        EventKind::RunResumed { voids: Vec::new(), reason: "again".to_owned(), deadline_at: None },
    )
}

pub async fn nothing_knows_of_a_forgotten_run(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    let mut new = NewRun { idempotency_key: Some("k".to_owned()), ..child(1, 9) };
    new.started.labels = labels(&[("team", "blue")]);
    owner.start_run(new.clone()).await;
    owner.post(message(1, 1)).await;
    let line = LogLine {
        at: START,
        level: LogLevel::Info,
        location: Location::root(),
        message: "hello".to_owned(),
        fields: json("null"),
    };
    let commit = Commit { logs: vec![line], ..owner.commit_of(1, vec![step(1), completed(2)]) };
    owner.store.commit(commit).await.unwrap();
    assert_eq!(owner.inbox(1).await.len(), 1);

    assert_eq!(forget(&owner, Forget::ended_before(LATER)).await, runs(&[1]));
    assert!(owner.store.load(run_id(1)).await.unwrap().is_none());
    assert!(owner.store.row(run_id(1)).await.unwrap().is_none());
    assert!(owner.store.inbox(run_id(1)).await.unwrap().is_empty());
    assert!(owner.store.journal(run_id(1), Seq(0), 10).await.unwrap().is_empty());
    assert!(owner.store.logs(LogQuery::of(run_id(1))).await.unwrap().lines.is_empty());
    for query in [
        RunQuery::default(),
        RunQuery { labels: labels(&[("team", "blue")]), ..RunQuery::default() },
        RunQuery { parent: Some(run_id(9)), ..RunQuery::default() },
        RunQuery { id_prefix: Some(run_id(1).to_string()), ..RunQuery::default() },
    ] {
        assert!(owner.store.count(&query).await.unwrap().is_empty());
        assert!(owner.found(query).await.is_empty());
    }
    assert!(owner.runnable().await.is_empty());
    let report = owner.store.check().await.unwrap();
    assert_eq!((report.n_runs, report.n_events, report.problems), (0, 0, Vec::new()));
    // Nothing is left to forget, and the key means nothing any more.
    assert!(forget(&owner, Forget::ended_before(LATER)).await.is_empty());
    owner.start_run(NewRun { run: run_id(2), ..new }).await;
}

pub async fn a_forgotten_run_takes_nothing_more(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    end(&owner, 1, 0).await;
    owner.store.forget(Forget::runs(runs(&[1]))).await.unwrap();
    let error = owner.store.commit(owner.commit_of(1, vec![resumed(2)])).await.unwrap_err();
    assert!(matches!(error, CommitError::UnknownRun { .. }), "{error}");
    let error = owner.store.post(message(1, 1)).await.unwrap_err();
    assert!(matches!(error, PostError::UnknownRun { .. }), "{error}");
}

pub async fn only_ended_runs_are_forgotten(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    let statuses = [RunStatus::Running, RunStatus::Waiting, RunStatus::RollingBack];
    owner.start(1).await;
    for (status, n) in statuses.into_iter().zip(2..) {
        owner.start_as(n, change(status)).await;
    }
    for (event, n) in [completed(1), failed(1), cancelled(1)].into_iter().zip(5..) {
        owner.start(n).await;
        owner.commit(n, vec![event]).await;
    }
    // One that had ended and goes on.
    owner.start(8).await;
    owner.commit(8, vec![failed(1)]).await;
    owner.commit(8, vec![resumed(2)]).await;
    let mut forgotten = forget(&owner, Forget::ended_before(LATER)).await;
    forgotten.sort();
    assert_eq!(forgotten, runs(&[5, 6, 7]));
    assert_eq!(left(&owner).await, runs(&[1, 2, 3, 4, 8]));
    assert_eq!(owner.seqs(8).await, [0, 1, 2]);
    // Not even if that is what is asked for.
    let statuses = vec![RunStatus::Running, RunStatus::Pending];
    let running = Forget { statuses, ..Forget::ended_before(LATER) };
    assert!(forget(&owner, running).await.is_empty());
}

pub async fn what_ended_first_is_forgotten_first(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for (n, ended_at) in [(1, 30), (2, 10), (3, 40), (4, 20), (5, 10)] {
        let mut new = new_run(n);
        new.started.workflow = format!("w{}", n % 2);
        new.started.namespace = format!("n{}", n % 3);
        owner.start_run(new).await;
        end(&owner, n, ended_at).await;
    }
    let limit = |limit| Forget { limit, ..Forget::ended_before(LATER) };
    assert_eq!(forget(&owner, limit(1)).await, runs(&[2]));
    assert_eq!(forget(&owner, limit(3)).await, runs(&[5, 4, 1]));
    assert_eq!(forget(&owner, limit(3)).await, runs(&[3]));
}

pub async fn each_filter_of_a_forget_holds(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for n in 1..=8 {
        let mut new = new_run(n);
        new.started.namespace = if n % 2 == 0 { "even" } else { "odd" }.to_owned();
        new.started.workflow = if n <= 4 { "low" } else { "high" }.to_owned();
        owner.start_run(new).await;
        end(&owner, n, n * 10).await;
    }
    owner.start(9).await;
    owner.commit(9, vec![failed(1)]).await;
    let all = || Forget::ended_before(LATER);
    let before = Forget::ended_before(UnixMillis(START.0 + 20));
    assert_eq!(forget(&owner, before).await, runs(&[1]));
    let failed = Forget { statuses: vec![RunStatus::Failed, RunStatus::Cancelled], ..all() };
    assert_eq!(forget(&owner, failed).await, runs(&[9]));
    let even = Some("even".to_owned());
    let low = Some("low".to_owned());
    let both = Forget { namespace: even.clone(), workflow: low.clone(), ..all() };
    assert_eq!(forget(&owner, both).await, runs(&[2, 4]));
    assert_eq!(forget(&owner, Forget { workflow: low, ..all() }).await, runs(&[3]));
    let named = Forget { namespace: even.clone(), ..Forget::runs(runs(&[5, 6])) };
    let forgotten = owner.store.forget(named).await.unwrap();
    assert_eq!(forgotten.runs, runs(&[6]));
    assert_eq!(forgotten.kept, [Kept { run: run_id(5), why: WhyKept::Unmatched }]);
    assert_eq!(forget(&owner, Forget { namespace: even, ..all() }).await, runs(&[8]));
    assert_eq!(left(&owner).await, runs(&[5, 7]));
}

pub async fn a_tree_is_forgotten_root_first(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    for (n, parent) in [(2, 1), (3, 1), (4, 2), (5, 4)] {
        owner.start_run(child(n, parent)).await;
    }
    // Children end before their parents.
    for n in [5, 4, 3, 2] {
        end(&owner, n, 100 - n).await;
    }
    let all = || Forget::ended_before(LATER);
    assert!(forget(&owner, all()).await.is_empty());
    end(&owner, 1, 200).await;
    for generation in [&[1][..], &[3, 2], &[4], &[5], &[]] {
        assert_eq!(forget(&owner, all()).await, runs(generation));
    }
    assert!(left(&owner).await.is_empty());
}

pub async fn a_child_whose_parent_was_never_there_is_forgotten(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start_run(child(1, 99)).await;
    end(&owner, 1, 0).await;
    assert_eq!(forget(&owner, Forget::ended_before(LATER)).await, runs(&[1]));
}

pub async fn a_run_that_is_named_is_forgotten_or_it_is_said_why(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.start_run(child(2, 1)).await;
    end(&owner, 2, 0).await;
    owner.start(3).await;
    end(&owner, 3, 50).await;
    owner.start(4).await;
    end(&owner, 4, 0).await;
    let forgotten = owner.store.forget(Forget::runs(runs(&[1, 2, 3, 3, 77]))).await.unwrap();
    assert_eq!(forgotten.runs, runs(&[3]));
    let kept = |n, why| Kept { run: run_id(n), why };
    assert_eq!(
        forgotten.kept,
        [
            kept(1, WhyKept::NotEnded { status: RunStatus::Pending }),
            kept(2, WhyKept::HasParent { parent: run_id(1) }),
            kept(77, WhyKept::Unknown),
        ]
    );
    assert_eq!(left(&owner).await, runs(&[1, 2, 4]));
    // Whoever names a whole tree, root first, is rid of it.
    end(&owner, 1, 0).await;
    assert_eq!(forget(&owner, Forget::runs(runs(&[1, 2]))).await, runs(&[1, 2]));
    let before = Forget { ended_before: START, ..Forget::runs(runs(&[4])) };
    assert_eq!(owner.store.forget(before).await.unwrap().kept, [kept(4, WhyKept::Unmatched)]);
}

pub async fn a_call_forgets_no_more_than_its_bound(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    let n_runs = FORGET_RUNS_MAX as u64 + 1;
    let mut ends = JoinSet::new();
    for n in 0..n_runs {
        let owner = owner.clone();
        ends.spawn(async move {
            owner.start(n).await;
            end(&owner, n, n).await;
        });
    }
    ends.join_all().await;
    assert_eq!(forget(&owner, Forget::ended_before(LATER)).await.len(), 100);
    let named = Forget { limit: 2, ..Forget::runs(runs(&[200, 0, 201, 202])) };
    let forgotten = owner.store.forget(named).await.unwrap();
    assert_eq!(forgotten.runs, runs(&[200, 201]));
    let why: Vec<_> = forgotten.kept.into_iter().map(|kept| kept.why).collect();
    assert_eq!(why, [WhyKept::Unknown, WhyKept::OverLimit]);
    for n in 0..102 {
        owner.start(5_000 + n).await;
        end(&owner, 5_000 + n, 0).await;
    }
    let all = Forget { limit: usize::MAX, ..Forget::ended_before(LATER) };
    assert_eq!(forget(&owner, all.clone()).await.len(), FORGET_RUNS_MAX);
    assert_eq!(forget(&owner, all).await, runs(&[1_000]));
}

pub async fn a_forgotten_id_may_be_used_again(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    let keyed = || NewRun { idempotency_key: Some("k".to_owned()), ..new_run(1) };
    for round in 0..5 {
        owner.start_run(keyed()).await;
        // A run beside it, whose events share the place of this one's.
        owner.start(10 + round).await;
        owner.commit(1, (1..=round + 1).map(step).collect()).await;
        owner.post(message(1, 1)).await;
        assert_eq!(owner.seqs(1).await, (0..=round + 1).collect::<Vec<_>>());
        assert_eq!(owner.inbox(1).await.len(), 1);
        owner.commit(1, vec![completed(round + 2)]).await;
        let again = owner.store.start(NewRun { run: run_id(2), ..keyed() }).await.unwrap();
        assert_eq!(again, Started::Existing { run: run_id(1), same_input: true });
        assert_eq!(forget(&owner, Forget::runs(runs(&[1]))).await, runs(&[1]));
        assert_eq!(owner.seqs(10 + round).await, [0]);
    }
    owner.start_run(keyed()).await;
    assert_eq!(owner.seqs(1).await, [0]);
    assert!(owner.inbox(1).await.is_empty());
    assert_eq!(owner.store.check().await.unwrap().problems, [""; 0]);
}

pub async fn runs_are_forgotten_while_others_are_written(store: Arc<dyn Store>) {
    const N_RUNS: u64 = 200;
    let owner = Owner::of(store).await;
    let mut writers = JoinSet::new();
    for n in 0..N_RUNS {
        let owner = owner.clone();
        writers.spawn(async move {
            owner.start(n).await;
            for seq in 1..=5 {
                owner.commit(n, vec![step(seq)]).await;
            }
            owner.start(N_RUNS + n).await;
            owner.commit(n, vec![completed(6)]).await;
        });
    }
    let forgetting = {
        let owner = owner.clone();
        tokio::spawn(async move {
            let mut gone = Vec::new();
            while gone.len() < N_RUNS as usize {
                gone.extend(forget(&owner, Forget::ended_before(LATER)).await);
                for row in owner.store.query(RunQuery::default()).await.unwrap().runs {
                    // It may be forgotten since it was listed, and else it is whole.
                    if let Some(loaded) = owner.store.load(row.run).await.unwrap() {
                        assert_eq!(loaded.journal.len() as u64, loaded.row.next_seq.0);
                    }
                }
            }
            gone
        })
    };
    writers.join_all().await;
    let mut gone = forgetting.await.unwrap();
    gone.sort();
    assert_eq!(gone, (0..N_RUNS).map(run_id).collect::<Vec<_>>());
    assert_eq!(left(&owner).await, (N_RUNS..2 * N_RUNS).map(run_id).collect::<Vec<_>>());
    let report = owner.store.check().await.unwrap();
    assert_eq!((report.n_runs, report.problems), (N_RUNS, Vec::new()));
}

pub async fn a_run_is_resumed_or_forgotten_and_never_both(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for n in 0..100 {
        owner.start(n).await;
        owner.commit(n, vec![failed(1)]).await;
        let (store, commit) = (Arc::clone(&owner.store), owner.commit_of(n, vec![resumed(2)]));
        let resuming = tokio::spawn(async move { store.commit(commit).await.is_ok() });
        let (store, forget) = (Arc::clone(&owner.store), Forget::runs(runs(&[n])));
        let forgetting = tokio::spawn(async move { store.forget(forget).await.unwrap() });
        let is_resumed = resuming.await.unwrap();
        assert_ne!(is_resumed, forgetting.await.unwrap().runs == runs(&[n]));
        assert_eq!(owner.store.row(run_id(n)).await.unwrap().is_some(), is_resumed);
    }
}
