//! Laws about lists of runs.

use std::sync::Arc;

use stepwell_journal::{Location, Parent, RunStatus, UnixMillis};
use stepwell_store::{InputFilter, NewRun, PAGE_ROWS_MAX, RunQuery, StatusCount, Store};

use crate::kit::{Owner, START, change, completed, json, labels, new_run, run_id, runs, step};

fn with(n: u64, change: impl FnOnce(&mut NewRun)) -> NewRun {
    let mut new = new_run(n);
    change(&mut new);
    new
}

fn of_input(path: &[&str], equals: &str) -> RunQuery {
    let path = path.iter().map(|key| (*key).to_owned()).collect();
    RunQuery { input: vec![InputFilter { path, equals: json(equals) }], ..RunQuery::default() }
}

pub async fn a_query_without_filters_lists_all_runs_newest_first(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for n in [2, 1, 3] {
        owner.start(n).await;
    }
    let page = owner.store.query(RunQuery::default()).await.unwrap();
    assert_eq!(page.next, None);
    assert_eq!(page.runs.iter().map(|row| row.run).collect::<Vec<_>>(), runs(&[3, 2, 1]));
    assert_eq!(page.runs[0], owner.row(3).await);
}

pub async fn runs_of_the_same_moment_are_listed_by_id(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for n in [2, 5, 1, 4, 3] {
        owner.start_run(with(n, |new| new.at = START)).await;
    }
    let mut found = Vec::new();
    let mut query = RunQuery { limit: 2, ..RunQuery::default() };
    loop {
        let page = owner.store.query(query.clone()).await.unwrap();
        found.extend(page.runs.iter().map(|row| row.run));
        query.after = page.next;
        if page.next.is_none() {
            break;
        }
    }
    assert_eq!(found, runs(&[5, 4, 3, 2, 1]));
}

pub async fn each_filter_finds_its_runs(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start_run(with(1, |new| new.started.namespace = "test".to_owned())).await;
    owner.start_run(with(2, |new| new.started.workflow = "refund".to_owned())).await;
    let blue = labels(&[("team", "blue"), ("tier", "1")]);
    owner.start_run(with(3, |new| new.started.labels = blue)).await;
    let red = labels(&[("team", "red"), ("tier", "1")]);
    owner.start_run(with(4, |new| new.started.labels = red)).await;
    let parent = Parent { run: run_id(1), location: Location::from_text("a") };
    owner.start_run(with(5, |new| new.started.parent = Some(parent))).await;
    owner.start_as(6, change(RunStatus::Running)).await;
    owner.start(7).await;
    owner.commit(7, vec![completed(1)]).await;

    let all = RunQuery::default;
    let namespace = Some("test".to_owned());
    assert_eq!(owner.found(RunQuery { namespace, ..all() }).await, runs(&[1]));
    let workflow = Some("refund".to_owned());
    assert_eq!(owner.found(RunQuery { workflow, ..all() }).await, runs(&[2]));
    let team = labels(&[("team", "blue")]);
    assert_eq!(owner.found(RunQuery { labels: team, ..all() }).await, runs(&[3]));
    let tier = labels(&[("tier", "1")]);
    assert_eq!(owner.found(RunQuery { labels: tier, ..all() }).await, runs(&[4, 3]));
    let both = labels(&[("team", "red"), ("tier", "1")]);
    assert_eq!(owner.found(RunQuery { labels: both, ..all() }).await, runs(&[4]));
    let neither = labels(&[("team", "red"), ("tier", "2")]);
    assert!(owner.found(RunQuery { labels: neither, ..all() }).await.is_empty());
    let parent = Some(run_id(1));
    assert_eq!(owner.found(RunQuery { parent, ..all() }).await, runs(&[5]));
    let statuses = vec![RunStatus::Running, RunStatus::Completed];
    assert_eq!(owner.found(RunQuery { statuses, ..all() }).await, runs(&[7, 6]));
    let created_from = Some(UnixMillis(START.0 + 6));
    assert_eq!(owner.found(RunQuery { created_from, ..all() }).await, runs(&[7, 6]));
    let created_before = Some(UnixMillis(START.0 + 3));
    assert_eq!(owner.found(RunQuery { created_before, ..all() }).await, runs(&[2, 1]));
}

pub async fn filters_hold_together(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for n in 1..=40 {
        let new = with(n, |new| {
            new.started.namespace = if n % 2 == 0 { "even" } else { "odd" }.to_owned();
            new.started.workflow = format!("w{}", n % 3);
            new.started.labels = labels(&[("five", &(n % 5).to_string())]);
            new.started.input = json(&format!(r#"{{"n": {n}, "half": {}}}"#, n < 20));
        });
        owner.start_run(new).await;
        if n % 4 == 0 {
            owner.commit(n, vec![completed(1)]).await;
        }
    }
    let query = RunQuery {
        namespace: Some("even".to_owned()),
        workflow: Some("w0".to_owned()),
        statuses: vec![RunStatus::Completed],
        created_from: Some(UnixMillis(START.0 + 12)),
        created_before: Some(UnixMillis(START.0 + 37)),
        ..RunQuery::default()
    };
    assert_eq!(owner.found(query.clone()).await, runs(&[36, 24, 12]));
    let labels = labels(&[("five", "1")]);
    assert_eq!(owner.found(RunQuery { labels, ..query.clone() }).await, runs(&[36]));
    let input = of_input(&["half"], "true").input;
    assert_eq!(owner.found(RunQuery { input, ..query }).await, runs(&[12]));
}

pub async fn an_input_field_is_found_by_its_value(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    let inputs = [
        r#"{"customer": {"id": 7, "name": "Zoë"}, "odd.\"key": [1, {"a": null}]}"#,
        r#"{"customer": {"id": "7"}, "total": 1.0}"#,
        r#"{"customer": null, "total": 1}"#,
        r#"{"customer": {"id": 70}}"#,
        r#"[1, 2]"#,
        r#""text""#,
    ];
    for (input, n) in inputs.into_iter().zip(1..) {
        owner.start_run(with(n, |new| new.started.input = json(input))).await;
    }
    assert_eq!(owner.found(of_input(&["customer", "id"], "7")).await, runs(&[1]));
    assert_eq!(owner.found(of_input(&["customer", "id"], r#""7""#)).await, runs(&[2]));
    assert_eq!(owner.found(of_input(&["customer", "name"], r#""Zoë""#)).await, runs(&[1]));
    assert_eq!(owner.found(of_input(&["customer"], "null")).await, runs(&[3]));
    assert_eq!(owner.found(of_input(&["odd.\"key"], r#"[1,{"a":null}]"#)).await, runs(&[1]));
    assert_eq!(owner.found(of_input(&["total"], "1")).await, runs(&[3, 2]));
    assert_eq!(owner.found(of_input(&[], "[1,2]")).await, runs(&[5]));
    assert_eq!(owner.found(of_input(&[], r#""text""#)).await, runs(&[6]));
    assert!(owner.found(of_input(&["customer", "id", "x"], "7")).await.is_empty());
    assert!(owner.found(of_input(&["missing"], "null")).await.is_empty());
}

pub async fn a_run_is_found_by_the_beginning_of_its_id(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for n in [0x10, 0x11, 0x20] {
        owner.start(n).await;
    }
    let whole = run_id(0x11).to_string();
    let found = |prefix: &str| {
        owner.found(RunQuery { id_prefix: Some(prefix.to_owned()), ..RunQuery::default() })
    };
    assert_eq!(found(&whole).await, runs(&[0x11]));
    assert_eq!(found(&whole.to_uppercase()).await, runs(&[0x11]));
    for n_chars in [0, 1, 8, 9, 13, 14, 20] {
        assert_eq!(found(&whole[..n_chars]).await, runs(&[0x20, 0x11, 0x10]), "{n_chars}");
    }
    assert_eq!(found(&whole[..35]).await, runs(&[0x11, 0x10]));
    for nonsense in ["%", "zz", "ffff", "0192 ", "'", &format!("{whole}0"), &whole[1..]] {
        assert!(found(nonsense).await.is_empty(), "{nonsense}");
    }
}

pub async fn a_cursor_stays_right_while_runs_come_and_change(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for n in (10..=50).step_by(10) {
        owner.start(n).await;
    }
    let mut query = RunQuery { limit: 2, ..RunQuery::default() };
    let first = owner.store.query(query.clone()).await.unwrap();
    assert_eq!(first.runs.iter().map(|row| row.run).collect::<Vec<_>>(), runs(&[50, 40]));
    // A newer run, one in the page that was seen, one in the page to come, and one that changes.
    for n in [60, 45, 35] {
        owner.start(n).await;
    }
    owner.commit(40, vec![completed(1)]).await;
    query.after = first.next;
    let second = owner.store.query(query.clone()).await.unwrap();
    assert_eq!(second.runs.iter().map(|row| row.run).collect::<Vec<_>>(), runs(&[35, 30]));
    query.after = second.next;
    let third = owner.store.query(query).await.unwrap();
    assert_eq!(third.runs.iter().map(|row| row.run).collect::<Vec<_>>(), runs(&[20, 10]));
    assert_eq!(third.next, None);
}

pub async fn a_cursor_works_with_filters(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for n in 1..=30 {
        owner.start(n).await;
        if n % 3 == 0 {
            owner.commit(n, vec![completed(1)]).await;
        }
    }
    let mut query = RunQuery {
        namespace: Some("default".to_owned()),
        statuses: vec![RunStatus::Completed, RunStatus::Failed],
        limit: 4,
        ..RunQuery::default()
    };
    let mut found = Vec::new();
    for n_left in [6, 2, 0] {
        let page = owner.store.query(query.clone()).await.unwrap();
        found.extend(page.runs.iter().map(|row| row.run));
        assert_eq!(page.next.is_none(), n_left == 0);
        query.after = page.next;
    }
    assert_eq!(found, runs(&[30, 27, 24, 21, 18, 15, 12, 9, 6, 3]));
}

pub async fn a_page_has_a_bound(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for n in 0..PAGE_ROWS_MAX as u64 + 1 {
        owner.start(n).await;
    }
    let all = RunQuery { limit: usize::MAX, ..RunQuery::default() };
    let page = owner.store.query(all).await.unwrap();
    assert_eq!(page.runs.len(), PAGE_ROWS_MAX);
    assert!(page.next.is_some());
    assert_eq!(owner.found(RunQuery::default()).await.len(), 50);
}

pub async fn a_listed_row_is_as_new_as_the_journal(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    owner.start(1).await;
    owner.commit(1, vec![step(1), step(2)]).await;
    let page = owner.store.query(RunQuery::default()).await.unwrap();
    assert_eq!(page.runs, [owner.row(1).await]);
    assert_eq!(page.runs[0].next_seq, stepwell_journal::Seq(3));
}

pub async fn runs_are_counted_by_status_within_a_namespace(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for n in 1..=5 {
        owner.start(n).await;
    }
    owner.commit(1, vec![completed(1)]).await;
    owner.commit(2, vec![completed(1)]).await;
    owner.start_run(with(6, |new| new.started.namespace = "test".to_owned())).await;
    let count = |status, n_runs| StatusCount { status, n_runs };
    assert_eq!(
        owner.store.count("default").await.unwrap(),
        [count(RunStatus::Pending, 3), count(RunStatus::Completed, 2)]
    );
    assert_eq!(owner.store.count("test").await.unwrap(), [count(RunStatus::Pending, 1)]);
    assert!(owner.store.count("other").await.unwrap().is_empty());
}
