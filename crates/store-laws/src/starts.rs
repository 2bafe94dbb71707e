//! Laws about beginning runs.

use std::sync::Arc;

use stepwell_journal::{EventKind, Location, Parent, RunStatus, Seq, UnixMillis};
use stepwell_store::{NewRun, StartError, Started, Store};

use crate::kit::{Owner, START, completed, json, labels, new_run, run_id, step};

pub async fn a_started_run_has_its_first_event_and_a_pending_row(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    let mut new = new_run(1);
    new.started.labels = labels(&[("team", "blue")]);
    new.started.parent = Some(Parent { run: run_id(9), location: Location::from_text("call/a") });
    owner.start_run(new.clone()).await;

    let loaded = owner.load(1).await;
    assert_eq!(loaded.row, new.row());
    assert_eq!(loaded.row.status, RunStatus::Pending);
    assert_eq!(loaded.row.next_seq, Seq(1));
    assert_eq!(loaded.row.labels, new.started.labels);
    assert_eq!(loaded.journal.len(), 1);
    assert_eq!(loaded.journal[0].kind, EventKind::RunStarted(Box::new(new.started)));
    assert!(loaded.inbox.is_empty());
    assert_eq!(owner.row(1).await, loaded.row);
}

pub async fn a_run_id_is_used_once(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.commit(1, vec![step(1)]).await;
    let error = owner.store.start(new_run(1)).await.unwrap_err();
    assert!(matches!(error, StartError::RunExists { run } if run == run_id(1)), "{error}");
    assert_eq!(owner.seqs(1).await, [0, 1]);
}

pub async fn an_idempotency_key_gives_the_first_run(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    let keyed = |n| NewRun { idempotency_key: Some("k".to_owned()), ..new_run(n) };
    owner.start_run(keyed(1)).await;
    let existing = Started::Existing { run: run_id(1), same_input: true };
    assert_eq!(owner.store.start(keyed(2)).await.unwrap(), existing);
    assert!(owner.store.row(run_id(2)).await.unwrap().is_none());
    // A caller who did not hear the answer may try again with the same id.
    assert_eq!(owner.store.start(keyed(1)).await.unwrap(), existing);
    // The key holds after the run's end, too.
    owner.commit(1, vec![completed(1)]).await;
    assert_eq!(owner.store.start(keyed(3)).await.unwrap(), existing);
}

pub async fn a_key_that_was_seen_says_whether_the_input_is_the_same(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    let with = |n, input| {
        let mut new = NewRun { idempotency_key: Some("k".to_owned()), ..new_run(n) };
        new.started.input = json(input);
        new
    };
    owner.start_run(with(1, r#"{"a": 1, "b": [true, null]}"#)).await;
    let inputs = [
        (r#"{"a": 1, "b": [true, null]}"#, true),
        (r#"{"b":[true,null],"a":1.0}"#, true),
        (r#"{"a": 1, "b": [null, true]}"#, false),
        (r#"{"a": 1}"#, false),
        ("null", false),
    ];
    for (input, same_input) in inputs {
        let started = owner.store.start(with(2, input)).await.unwrap();
        assert_eq!(started, Started::Existing { run: run_id(1), same_input }, "{input}");
    }
    // The first input stays.
    assert_eq!(owner.row(1).await.input, json(r#"{"a": 1, "b": [true, null]}"#));
}

pub async fn an_idempotency_key_belongs_to_one_workflow_of_one_namespace(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    let keyed = |n| NewRun { idempotency_key: Some("k".to_owned()), ..new_run(n) };
    owner.start_run(keyed(1)).await;
    let mut other_workflow = keyed(2);
    other_workflow.started.workflow = "refund".to_owned();
    owner.start_run(other_workflow).await;
    let mut other_namespace = keyed(3);
    other_namespace.started.namespace = "test".to_owned();
    owner.start_run(other_namespace).await;
    owner.start_run(NewRun { idempotency_key: Some("K".to_owned()), ..new_run(4) }).await;
}

pub async fn a_run_may_begin_as_a_copy_of_a_journal(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    // The copied journal was compacted: it has a gap.
    owner.start_run(NewRun { copied: vec![step(1), step(5)], ..new_run(1) }).await;
    assert_eq!(owner.seqs(1).await, [0, 1, 5]);
    assert_eq!(owner.row(1).await.next_seq, Seq(6));
    owner.commit(1, vec![step(6)]).await;
    assert_eq!(owner.seqs(1).await, [0, 1, 5, 6]);
}

pub async fn a_run_with_a_date_waits_for_it(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    let start_at = UnixMillis(START.0 + 500);
    owner.start_run(NewRun { start_at: Some(start_at), ..new_run(1) }).await;
    assert_eq!(owner.row(1).await.wake_at, Some(start_at));
    assert!(owner.runnable().await.is_empty());
    assert!(owner.due(start_at.0 - 1).await.is_empty());
    assert_eq!(owner.due(start_at.0).await, [run_id(1)]);
}

pub async fn an_unknown_run_is_nothing(store: Arc<dyn Store>) {
    assert!(store.load(run_id(1)).await.unwrap().is_none());
    assert!(store.row(run_id(1)).await.unwrap().is_none());
    assert!(store.journal(run_id(1), Seq(0), 10).await.unwrap().is_empty());
}
