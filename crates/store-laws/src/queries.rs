//! Laws about lists of runs.

use std::sync::Arc;

use stepwell_journal::{Location, Parent, RunStatus, UnixMillis};
use stepwell_store::{Cursor, Forget, PAGE_ROWS_MAX, RunQuery, RunRow, StatusCount, Store};

use crate::kit::{Owner, START, change, completed, json, labels, run_id, runs, step, with};
use crate::searches::of_input;

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

pub async fn a_query_can_list_the_oldest_first(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for n in 1..=30 {
        owner.start(n).await;
        if n % 3 == 0 {
            owner.commit(n, vec![completed(1)]).await;
        }
    }
    // Two of the same moment.
    owner.start_run(with(31, |new| new.at = START)).await;
    owner.start_run(with(32, |new| new.at = START)).await;
    let mut query = RunQuery {
        namespace: Some("default".to_owned()),
        statuses: vec![RunStatus::Pending, RunStatus::Failed],
        oldest_first: true,
        limit: 7,
        ..RunQuery::default()
    };
    let mut found = Vec::new();
    for n_left in [15, 8, 1, 0] {
        let page = owner.store.query(query.clone()).await.unwrap();
        found.extend(page.runs.iter().map(RunRow::cursor));
        assert_eq!(page.next.is_none(), n_left == 0);
        query.after = page.next;
    }
    assert_eq!(found.len(), 22);
    assert!(found.is_sorted(), "{found:?}");
    let none = RunQuery { after: found.last().copied(), ..query };
    assert!(owner.found(none).await.is_empty());
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

pub async fn runs_are_counted_by_status(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for n in 1..=5 {
        owner.start(n).await;
    }
    owner.commit(1, vec![completed(1)]).await;
    owner.commit(2, vec![completed(1)]).await;
    owner.start_run(with(6, |new| new.started.namespace = "test".to_owned())).await;
    owner.start_run(with(7, |new| new.started.workflow = "refund".to_owned())).await;
    owner.start_as(8, change(RunStatus::Running)).await;
    owner.start_as(9, change(RunStatus::Waiting)).await;
    let of = |namespace: Option<&str>, workflow: Option<&str>| RunQuery {
        namespace: namespace.map(str::to_owned),
        workflow: workflow.map(str::to_owned),
        // These say nothing about a count.
        statuses: vec![RunStatus::Failed],
        after: Some(Cursor { created_at: START, run: run_id(0) }),
        limit: 1,
        ..RunQuery::default()
    };
    let (pending, running) = (RunStatus::Pending, RunStatus::Running);
    let (waiting, completed) = (RunStatus::Waiting, RunStatus::Completed);
    for (query, expected) in [
        (of(None, None), &[(pending, 5), (running, 1), (waiting, 1), (completed, 2)][..]),
        (of(Some("default"), None), &[(pending, 4), (running, 1), (waiting, 1), (completed, 2)]),
        (of(Some("test"), None), &[(pending, 1)]),
        (of(Some("default"), Some("refund")), &[(pending, 1)]),
        (of(None, Some("order")), &[(pending, 4), (running, 1), (waiting, 1), (completed, 2)]),
        (of(Some("test"), Some("refund")), &[]),
        (of(Some("other"), None), &[]),
    ] {
        let count = owner.store.count(&query).await.unwrap();
        let count: Vec<_> = count.into_iter().map(|count| (count.status, count.n_runs)).collect();
        assert_eq!(count, expected, "{query:?}");
    }
}

pub async fn the_tally_has_every_workflow_of_every_namespace(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    assert_eq!(owner.store.tally().await.unwrap(), []);
    for n in 1..=40 {
        let new = with(n, |new| {
            new.started.namespace = if n % 2 == 0 { "even" } else { "odd" }.to_owned();
            new.started.workflow = format!("w{}", n % 3);
        });
        owner.start_run(new).await;
        if n % 4 == 0 {
            owner.commit(n, vec![completed(1)]).await;
        }
    }
    let check = async || {
        let tally = owner.store.tally().await.unwrap();
        assert!(tally.is_sorted(), "{tally:?}");
        let mut n_runs = 0;
        for of in &tally {
            let query = RunQuery {
                namespace: Some(of.namespace.clone()),
                workflow: Some(of.workflow.clone()),
                statuses: vec![of.status],
                limit: PAGE_ROWS_MAX,
                ..RunQuery::default()
            };
            assert_eq!(owner.found(query).await.len() as u64, of.n_runs, "{of:?}");
            assert_ne!(of.n_runs, 0);
            n_runs += of.n_runs;
        }
        (tally.len(), n_runs)
    };
    // Half of the even runs have ended, in three workflows.
    assert_eq!(check().await, (9, 40));
    let all = Forget::ended_before(UnixMillis(u64::MAX));
    assert_eq!(owner.store.forget(all).await.unwrap().runs.len(), 10);
    assert_eq!(check().await, (6, 30));
}

pub async fn runs_are_counted_with_every_filter(store: Arc<dyn Store>) {
    let owner = Owner::of(store).await;
    for n in 1..=30 {
        let new = with(n, |new| {
            new.started.namespace = if n % 2 == 0 { "even" } else { "odd" }.to_owned();
            new.started.workflow = format!("w{}", n % 3);
            new.started.labels = labels(&[("five", &(n % 5).to_string())]);
            new.started.input = json(&format!(r#"{{"n": {}}}"#, n % 7));
            let location = Location::from_text("a");
            new.started.parent = (n > 20).then(|| Parent { run: run_id(n % 4), location });
        });
        owner.start_run(new).await;
        match n % 4 {
            0 => owner.commit(n, vec![completed(1)]).await,
            1 => owner.commit(n, vec![step(1)]).await,
            _ => {}
        }
    }
    let at = |at: u64| Some(UnixMillis(START.0 + at));
    let all = RunQuery::default;
    for query in [
        all(),
        RunQuery { labels: labels(&[("five", "2")]), ..all() },
        RunQuery { created_from: at(7), created_before: at(19), ..all() },
        RunQuery { ended_from: at(0), ..all() },
        RunQuery { ended_before: at(2_000), ..all() },
        RunQuery { updated_from: at(1_001), ..all() },
        RunQuery { parent: Some(run_id(1)), ..all() },
        RunQuery { id_prefix: Some(run_id(17).to_string()[..35].to_owned()), ..all() },
        RunQuery { id_prefix: Some("nonsense".to_owned()), ..all() },
        RunQuery { text: Some("W1".to_owned()), ..all() },
        of_input(&["n"], "3"),
        RunQuery { namespace: Some("odd".to_owned()), ..of_input(&["n"], "3") },
        RunQuery { workflow: Some("w2".to_owned()), updated_from: at(900), ..all() },
    ] {
        let mut expected = Vec::new();
        for status in RunStatus::ALL {
            let query = RunQuery { statuses: vec![status], ..query.clone() };
            let n_runs = owner.found(query).await.len() as u64;
            expected.extend((n_runs > 0).then_some(StatusCount { status, n_runs }));
        }
        assert_eq!(owner.store.count(&query).await.unwrap(), expected, "{query:?}");
    }
}
