//! What happens when the database goes away, answers are lost, and several processes begin at once.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod kit;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kit::{commit, new_run, run_id, step};
use stepwell_journal::{RunId, Seq};
use stepwell_store::{CommitError, DocumentWrite, Expect, Started, Store, StoreError};
use stepwell_store_postgres::testkit::proxy::Proxy;
use stepwell_store_postgres::testkit::{self, Server};
use stepwell_store_postgres::{Options, PostgresStore};
use tokio::task::JoinSet;

fn options() -> Options {
    PostgresStore::options().readers_max(2).patience(Duration::from_secs(60))
}

async fn n_events(store: &PostgresStore, run: RunId) -> u64 {
    let loaded = store.load(run).await.unwrap().unwrap();
    assert!(loaded.journal.iter().zip(0..).all(|(event, seq)| event.seq == Seq(seq)));
    assert_eq!(loaded.row.next_seq, Seq(loaded.journal.len() as u64));
    loaded.journal.len() as u64
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_that_open_a_new_store_at_once_make_its_tables_once() {
    let address = testkit::server().address();
    let mut openings = JoinSet::new();
    for _ in 0..8 {
        let address = address.clone();
        openings.spawn(async move { options().open(&address).await.unwrap() });
    }
    let stores = openings.join_all().await;
    for (store, n) in stores.iter().zip(1..) {
        assert_eq!(store.start(new_run(n)).await.unwrap(), Started::Created);
    }
    assert_eq!(stores[0].check().await.unwrap().n_runs, 8);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_of_a_newer_version_is_refused() {
    let server = testkit::server();
    let address = server.address_of("newer");
    PostgresStore::open(&address).await.unwrap().close().await;
    let client = server.client().await;
    client.batch_execute("UPDATE newer.stepwell_layout SET layout = 99").await.unwrap();
    let error = PostgresStore::open(&address).await.err().unwrap();
    assert!(matches!(error, StoreError::NewerLayout { found: 99, .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_not_there_is_an_error_that_says_so() {
    let error = PostgresStore::open("postgres://me:secret@127.0.0.1:1/x?sslmode=disable").await;
    let StoreError::Unavailable(cause) = error.err().unwrap() else { panic!() };
    assert!(cause.to_string().contains("refused"), "{cause}");
    let server = testkit::server();
    let address = server.address().replace("/postgres?", "/nowhere?");
    let StoreError::Unavailable(cause) = PostgresStore::open(&address).await.err().unwrap() else {
        panic!()
    };
    assert!(cause.to_string().contains("\"nowhere\" does not exist"), "{cause}");
}

/// Each commit is answered, though connections are cut again and again while commits are under way: those that
/// had reached the database, and whose answer was lost, are neither lost nor written twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn commits_whose_answers_are_lost_are_resolved_by_reading() {
    const N_RUNS: u64 = 20;
    let server = testkit::server();
    let proxy = Proxy::start(server.port()).await;
    let address = server.address_through(proxy.port(), "lossy");
    let store = options().open(&address).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    let done = Arc::new(AtomicBool::new(false));
    let mut tasks = JoinSet::new();
    for n in 0..N_RUNS {
        let (store, done) = (store.clone(), Arc::clone(&done));
        tasks.spawn(async move {
            assert_eq!(store.start(new_run(n)).await.unwrap(), Started::Created);
            let mut seq = 1;
            while !done.load(Ordering::Acquire) {
                store.commit(commit(n, epoch, vec![step(seq, 10)])).await.unwrap();
                seq += 1;
            }
            (n, seq)
        });
    }
    let begun = Instant::now();
    let (mut round, mut n_before) = (0, 0);
    while store.stats().n_found_committed < 3 || store.stats().n_found_undone < 1 {
        assert!(begun.elapsed() < Duration::from_secs(240), "{:?}", store.stats());
        if store.stats().n_transactions == n_before {
            tokio::time::sleep(Duration::from_millis(1)).await;
            continue;
        }
        n_before = store.stats().n_transactions;
        // Somewhere in the middle answers stop to arrive, and then the connection is gone.
        proxy.lose_answers_and_cut(round % 5).await;
        round += 1;
    }
    done.store(true, Ordering::Release);
    for (n, seq) in tasks.join_all().await {
        assert_eq!(n_events(&store, run_id(n)).await, seq);
    }
    assert_eq!(store.check().await.unwrap().problems, [""; 0]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_crashes_and_comes_back_loses_nothing() {
    const N_RUNS: u64 = 10;
    const N_STEPS: u64 = 40;
    let server = Arc::new(Server::start());
    let store = options().open(&server.address()).await.unwrap();
    let epoch = store.take_ownership().await.unwrap();
    let mut tasks = JoinSet::new();
    for n in 0..N_RUNS {
        let store = store.clone();
        tasks.spawn(async move {
            store.start(new_run(n)).await.unwrap();
            for seq in 1..=N_STEPS {
                store.commit(commit(n, epoch, vec![step(seq, 10)])).await.unwrap();
                let revision = store.write_documents(vec![document(n, seq)]).await.unwrap();
                assert_eq!(revision.len(), 1);
            }
        });
    }
    for mode in ["immediate", "fast"] {
        let server = Arc::clone(&server);
        let crashed = tokio::task::spawn_blocking(move || {
            server.stop(mode);
            server.boot();
        });
        crashed.await.unwrap();
    }
    tasks.join_all().await;
    for n in 0..N_RUNS {
        assert_eq!(n_events(&store, run_id(n)).await, N_STEPS + 1);
    }
    let report = store.check().await.unwrap();
    assert_eq!((report.n_documents, report.problems), (N_RUNS, Vec::new()));
}

fn document(n: u64, seq: u64) -> DocumentWrite {
    DocumentWrite {
        namespace: "default".to_owned(),
        kind: "test".to_owned(),
        key: n.to_string(),
        body: Some(stepwell_journal::Json::of(&seq).unwrap()),
        expect: Expect::Anything,
        at: stepwell_journal::UnixMillis(seq),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_stays_away_fails_calls_when_patience_ends() {
    let server = testkit::server();
    let proxy = Proxy::start(server.port()).await;
    let address = server.address_through(proxy.port(), "away");
    let patient = options().open(&address).await.unwrap();
    patient.start(new_run(1)).await.unwrap();
    let hasty = options().patience(Duration::from_millis(300)).open(&address).await.unwrap();
    proxy.close();
    let error = hasty.row(run_id(1)).await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error}");
    let error = hasty.start(new_run(2)).await.unwrap_err().to_string();
    assert!(error.contains("unavailable"), "{error}");
    proxy.open();
    patient.start(new_run(3)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_is_trusted_only_if_its_certificate_is() {
    let server = Server::start();
    let certificate = server.enable_tls();
    let base = server.address().replace("sslmode=disable", "sslmode=require");
    let StoreError::Unavailable(cause) = PostgresStore::open(&base).await.err().unwrap() else {
        panic!()
    };
    assert!(cause.to_string().contains("sslrootcert=FILE"), "{cause}");
    let trusted = format!("{base}&sslrootcert={}", certificate.display());
    let store = options().open(&trusted).await.unwrap();
    store.start(new_run(1)).await.unwrap();
    assert_eq!(n_events(&store, run_id(1)).await, 1);
    let elsewhere = trusted.replace("@127.0.0.1:", "@localhost:");
    assert!(PostgresStore::open(&elsewhere).await.is_err(), "it is for another name");
    let missing = format!("{base}&sslrootcert=/nowhere.pem");
    let StoreError::Unavailable(cause) = PostgresStore::open(&missing).await.err().unwrap() else {
        panic!()
    };
    assert!(cause.to_string().contains("/nowhere.pem"), "{cause}");
}

/// Two processes have the store open; the one that takes it last owns the runs.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_owner_of_before_is_fenced_in_the_middle_of_its_work() {
    const N_RUNS: u64 = 20;
    let address = testkit::server().address();
    let old = options().open(&address).await.unwrap();
    let new = options().open(&address).await.unwrap();
    let epoch = old.take_ownership().await.unwrap();
    let mut tasks = JoinSet::new();
    let begun = Arc::new(tokio::sync::Barrier::new(N_RUNS as usize + 1));
    for n in 0..N_RUNS {
        let (old, begun) = (old.clone(), Arc::clone(&begun));
        tasks.spawn(async move {
            old.start(new_run(n)).await.unwrap();
            begun.wait().await;
            for seq in 1.. {
                match old.commit(commit(n, epoch, vec![step(seq, 10)])).await {
                    Ok(()) => {}
                    Err(CommitError::Fenced { .. }) => return (n, seq),
                    Err(error) => panic!("{error}"),
                }
            }
            unreachable!("it is fenced at some time")
        });
    }
    begun.wait().await;
    let epoch = new.take_ownership().await.unwrap();
    // From here on nothing of the old owner may come.
    let mut ends = Vec::new();
    for n in 0..N_RUNS {
        ends.push(n_events(&new, run_id(n)).await);
    }
    for (n, seq) in tasks.join_all().await {
        assert_eq!(n_events(&new, run_id(n)).await, seq);
        assert_eq!(ends[n as usize], seq);
        new.commit(commit(n, epoch, vec![step(seq, 10)])).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_that_start_with_one_key_make_one_run() {
    let address = testkit::server().address();
    let stores = [options().open(&address).await.unwrap(), options().open(&address).await.unwrap()];
    for round in 0..20 {
        let mut starts = JoinSet::new();
        for (store, n) in stores.iter().cloned().zip([0, 1]) {
            let mut new = new_run(round * 2 + n);
            new.idempotency_key = Some(round.to_string());
            starts.spawn(async move { store.start(new).await.unwrap() });
        }
        let started = starts.join_all().await;
        let n_created = started.iter().filter(|started| **started == Started::Created).count();
        assert_eq!(n_created, 1, "{started:?}");
    }
    assert_eq!(stores[0].check().await.unwrap().n_runs, 20);
}
