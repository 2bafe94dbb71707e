//! Laws about values and names of every size and kind.

use std::sync::Arc;

use stepwell_journal::RunState;
use stepwell_store::{Commit, NewRun, RowChange, RunQuery, Started, Store, StoreError};

use crate::kit::{
    Owner, change, json, labels, new_run, run_id, runs, step, step_with, waiting_until,
};

pub async fn big_values_come_back_whole(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    let big = json(&format!("\"{}\"", "x".repeat(1024 * 1024)));
    let mut new = new_run(1);
    new.started.input = big.clone();
    owner.start_run(new).await;
    let events = vec![step_with(1, "a", big.clone()), step_with(2, "b", big.clone()), step(3)];
    owner.commit(1, events.clone()).await;
    let small = step(4);
    owner.commit(1, vec![small.clone()]).await;
    let loaded = owner.load(1).await;
    assert_eq!(loaded.row.input, big);
    assert!(loaded.journal[1..4] == events[..]);
    assert_eq!(loaded.journal[4], small);
    let page = owner.store.journal(run_id(1), stepwell_journal::Seq(3), 9).await.unwrap();
    assert_eq!(page.len(), 2);
}

pub async fn odd_names_are_only_names(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    let odd = ["", " ", "a'b\"c", "nul\0inside", "🦀 Übung", "%_", "x\u{202e}y", "line\nbreak"];
    for (name, n) in odd.into_iter().zip(1..) {
        let mut new = new_run(n);
        new.started.namespace = name.to_owned();
        new.started.workflow = name.to_owned();
        new.started.version = name.to_owned();
        new.started.labels = labels(&[(name, name)]);
        new.started.input = json(r#""\u0000""#);
        new.idempotency_key = Some(name.to_owned());
        owner.start_run(new.clone()).await;
        let again = NewRun { run: run_id(100 + n), ..new.clone() };
        let existing = Started::Existing { run: run_id(n), same_input: true };
        assert_eq!(owner.store.start(again).await.unwrap(), existing);
        assert_eq!(owner.row(n).await, new.row());
        if !name.is_empty() {
            owner.commit(n, vec![step_with(1, name, json(r#"{"": null}"#))]).await;
            assert_eq!(owner.load(n).await.journal[1].kind.location().unwrap().name(), name);
        }
        let query = RunQuery {
            namespace: Some(name.to_owned()),
            workflow: Some(name.to_owned()),
            labels: labels(&[(name, name)]),
            ..RunQuery::default()
        };
        assert_eq!(owner.found(query.clone()).await, runs(&[n]), "{name:?}");
        assert_eq!(owner.store.count(&query).await.unwrap().len(), 1);
        let query = RunQuery { labels: labels(&[]), ..query };
        assert_eq!(owner.store.count(&query).await.unwrap().len(), 1);
        let query = RunQuery { text: Some(name.to_owned()), ..query };
        assert_eq!(owner.found(query).await, runs(&[n]), "{name:?}");
    }
}

pub async fn dates_may_be_at_the_end_of_time(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start_as(1, waiting_until(u64::MAX)).await;
    assert_eq!(owner.row(1).await.wake_at.unwrap().0, u64::MAX);
    assert!(owner.due(u64::MAX / 2 - 1).await.is_empty());
    assert_eq!(owner.due(u64::MAX).await, runs(&[1]));
}

pub async fn a_long_journal_comes_back_whole(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    let mut seq = 1;
    for n_events in 1..=100 {
        owner.commit(1, (seq..seq + n_events).map(step).collect()).await;
        seq += n_events;
    }
    assert_eq!(owner.seqs(1).await, (0..seq).collect::<Vec<_>>());
    let page = owner.store.journal(run_id(1), stepwell_journal::Seq(2_500), 7).await.unwrap();
    assert_eq!(page, (2_500..2_507).map(step).collect::<Vec<_>>());
}

pub async fn a_check_counts_everything_and_finds_nothing_wrong(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for n in 1..=3 {
        owner.start(n).await;
        owner.commit(n, vec![step(1), step(2)]).await;
    }
    let report = owner.store.check().await.unwrap();
    assert_eq!((report.n_runs, report.n_events), (3, 9));
    assert_eq!(report.problems, [""; 0]);
}

pub async fn a_check_finds_a_journal_that_makes_no_sense(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.start(2).await;
    // The same entry ends twice.
    owner.commit(2, vec![step_with(1, "a", json("1")), step_with(2, "a", json("2"))]).await;
    assert!(RunState::fold(run_id(2), &owner.load(2).await.journal).is_err());
    let report = owner.store.check().await.unwrap();
    assert_eq!(report.problems.len(), 1);
    assert!(report.problems[0].contains(&run_id(2).to_string()), "{}", report.problems[0]);
}

pub async fn a_closed_store_says_so(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.store.close().await;
    owner.store.close().await;
    let loaded = owner.store.load(run_id(1)).await;
    assert!(matches!(loaded, Err(StoreError::Closed)), "{loaded:?}");
    owner.store.commit(owner.commit_of(1, vec![step(1)])).await.unwrap_err();
    owner.store.start(new_run(2)).await.unwrap_err();
}

pub async fn a_label_may_change_on_every_commit(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    let of = |n: u64| labels(&[("n", &n.to_string())]);
    for seq in 1..=20 {
        let row = RowChange { labels: of(seq), ..change(stepwell_journal::RunStatus::Running) };
        let commit = Commit { row: Some(row), ..owner.commit_of(1, vec![step(seq)]) };
        owner.store.commit(commit).await.unwrap();
    }
    let query = |n| RunQuery { labels: of(n), ..RunQuery::default() };
    assert_eq!(owner.found(query(20)).await, runs(&[1]));
    assert!(owner.found(query(19)).await.is_empty());
}
