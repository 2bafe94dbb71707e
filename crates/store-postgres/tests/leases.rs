//! Several processes that share the runs of one store.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod kit;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use kit::{commit, new_run, run_id, step};
use stepwell_journal::{Epoch, EventKind, Json};
use stepwell_store::{
    Called, Cluster, Commit, CommitError, InboxId, InboxItem, Owned, Post, Shard, Store,
};
use stepwell_store_postgres::{PostgresStore, SHARDS, testkit};
use uuid::Uuid;

/// Longer than any test takes, so that nobody dies who is not meant to.
const LONG: Duration = Duration::from_secs(600);
const SHORT: Duration = Duration::from_millis(500);
const WAIT_MAX: Duration = Duration::from_secs(60);

async fn node(address: &str, lease: Duration) -> PostgresStore {
    let options = PostgresStore::options().readers_max(2).shared(lease);
    let store = options.open(address).await.unwrap();
    store.join().await.unwrap();
    store
}

/// A run of this number or a later one that is in one of the shards.
fn run_in(store: &PostgresStore, owned: &Owned, from: u64) -> u64 {
    (from..).find(|n| owned.shards.contains_key(&store.shard_of(run_id(*n)))).unwrap()
}

fn epoch_of(store: &PostgresStore, owned: &Owned, n: u64) -> Epoch {
    owned.shards[&store.shard_of(run_id(n))]
}

fn wake(n: u64) -> Post {
    Post {
        to: run_id(n),
        id: InboxId(Uuid::from_u128(u128::from(n))),
        at: stepwell_journal::UnixMillis(1),
        item: InboxItem::Wake,
    }
}

/// Everything that was called until `wanted` is.
async fn hear(store: &PostgresStore, wanted: Called) {
    let hearing = async {
        loop {
            if store.called().await.contains(&wanted) {
                return;
            }
        }
    };
    tokio::time::timeout(WAIT_MAX, hearing).await.unwrap();
}

/// From here on everything is heard.
async fn begin_to_hear(store: &PostgresStore) {
    // Once for what was before, and once when the connection is there.
    hear(store, Called::Missed).await;
    hear(store, Called::Missed).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shards_are_shared_when_nodes_come_and_go() {
    let address = testkit::server().address();
    let first = node(&address, LONG).await;
    let owned = first.beat(&[]).await.unwrap();
    assert_eq!(owned.shards.len(), usize::from(SHARDS));
    assert!(owned.surplus.is_empty());

    let second = node(&address, LONG).await;
    assert!(second.beat(&[]).await.unwrap().shards.is_empty());
    let surplus = first.beat(&[]).await.unwrap().surplus;
    assert_eq!(surplus.len(), usize::from(SHARDS) / 2);
    let kept = first.beat(&surplus).await.unwrap();
    assert_eq!((kept.shards.len(), kept.surplus.len()), (32, 0));
    let taken = second.beat(&[]).await.unwrap();
    let both: BTreeSet<Shard> = kept.shards.keys().chain(taken.shards.keys()).copied().collect();
    assert_eq!(both.len(), usize::from(SHARDS));
    // A shard that changed hands has a later epoch.
    for (shard, epoch) in &taken.shards {
        assert!(*epoch > owned.shards[shard]);
    }

    second.leave().await.unwrap();
    assert_eq!(first.beat(&[]).await.unwrap().shards.len(), usize::from(SHARDS));
    let status = first.status().await.unwrap();
    assert_eq!(status.nodes.len(), 1);
    assert!(status.nodes[0].is_self && status.nodes[0].is_alive);
    assert_eq!(status.nodes[0].n_shards, usize::from(SHARDS));
    assert!(status.shards.iter().all(|shard| shard.node.as_ref() == Some(&status.nodes[0].id)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_shards_of_a_dead_node_are_taken_and_it_is_fenced() {
    let address = testkit::server().address();
    let dead = node(&address, SHORT).await;
    let before = dead.beat(&[]).await.unwrap();
    dead.start(new_run(1)).await.unwrap();
    let old = epoch_of(&dead, &before, 1);
    dead.commit(commit(1, old, vec![step(1, 10)])).await.unwrap();

    // It says nothing more. Nobody takes its shards before its lease has run out.
    let heir = node(&address, LONG).await;
    let begun = Instant::now();
    let after = loop {
        let owned = heir.beat(&[]).await.unwrap();
        if !owned.shards.is_empty() {
            break owned;
        }
        assert!(begun.elapsed() < WAIT_MAX);
    };
    assert_eq!(after.shards.len(), usize::from(SHARDS));
    let error = dead.commit(commit(1, old, vec![step(2, 10)])).await.unwrap_err();
    assert!(matches!(error, CommitError::Fenced { .. }), "{error}");
    heir.commit(commit(1, epoch_of(&heir, &after, 1), vec![step(2, 10)])).await.unwrap();
    assert_eq!(heir.load(run_id(1)).await.unwrap().unwrap().journal.len(), 3);
    // It wakes up, and finds that it has lost everything.
    assert!(dead.beat(&[]).await.unwrap().shards.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_looks_for_its_own_runs_only() {
    let address = testkit::server().address();
    let (first, second) = (node(&address, LONG).await, node(&address, LONG).await);
    first.beat(&[]).await.unwrap();
    second.beat(&[]).await.unwrap();
    let surplus = first.beat(&[]).await.unwrap().surplus;
    let kept = first.beat(&surplus).await.unwrap();
    let taken = second.beat(&[]).await.unwrap();
    let n_runs = 40;
    for n in 1..=n_runs {
        let mut new = new_run(n);
        new.start_at = (n % 2 == 0).then_some(stepwell_journal::UnixMillis(5));
        first.start(new).await.unwrap();
    }
    let mut found = BTreeSet::new();
    for (store, owned) in [(&first, &kept), (&second, &taken)] {
        let runnable = store.runnable(None, 100).await.unwrap();
        let due = store.due(stepwell_journal::UnixMillis(5), 100).await.unwrap();
        for run in runnable.into_iter().chain(due.into_iter().map(|due| due.run)) {
            assert!(owned.shards.contains_key(&store.shard_of(run)));
            assert!(found.insert(run));
        }
    }
    assert_eq!(found.len() as u64, n_runs);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_owner_is_called_whoever_writes() {
    let address = testkit::server().address();
    let (owner, other) = (node(&address, LONG).await, node(&address, LONG).await);
    begin_to_hear(&owner).await;
    let owned = owner.beat(&[]).await.unwrap();
    other.start(new_run(1)).await.unwrap();
    hear(&owner, Called::Run(run_id(1))).await;
    other.post(wake(1)).await.unwrap();
    hear(&owner, Called::Run(run_id(1))).await;

    // Who watches a run is told when it answers, and when it ends.
    begin_to_hear(&other).await;
    let epoch = epoch_of(&owner, &owned, 1);
    let say = |seq, kind| {
        let event = stepwell_journal::Event { kind, ..step(seq, 1) };
        Commit { events: vec![event], ..commit(1, epoch, vec![step(seq, 1)]) }
    };
    assert!(other.watch(run_id(1)).await.unwrap());
    let id = stepwell_journal::MessageId(Uuid::from_u128(9));
    owner.commit(say(1, EventKind::MessageAnswered { id, body: Json::null() })).await.unwrap();
    hear(&other, Called::Watched(run_id(1))).await;
    assert!(other.watch(run_id(1)).await.unwrap());
    owner.commit(say(2, EventKind::RunCompleted { output: Json::null() })).await.unwrap();
    hear(&other, Called::Watched(run_id(1))).await;
    assert!(!other.watch(run_id(1)).await.unwrap());
    assert!(!other.watch(run_id(2)).await.unwrap());

    owner.leave().await.unwrap();
    hear(&other, Called::Shards).await;
}

/// A node gives a shard back while commits for it are still on their way: either they are written before the
/// next owner begins, or not at all.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_written_behind_the_back_of_the_next_owner() {
    let address = testkit::server().address();
    let (first, second) = (node(&address, LONG).await, node(&address, LONG).await);
    for round in 0..10 {
        let (giver, taker) = if round % 2 == 0 { (&first, &second) } else { (&second, &first) };
        let owned = giver.beat(&[]).await.unwrap();
        let n = run_in(giver, &owned, 1 + round * 1_000);
        let epoch = epoch_of(giver, &owned, n);
        giver.start(new_run(n)).await.unwrap();
        let writing = {
            let giver = giver.clone();
            tokio::spawn(async move {
                for seq in 1.. {
                    let written = giver.commit(commit(n, epoch, vec![step(seq, 10)])).await;
                    match written {
                        Ok(()) => {}
                        Err(CommitError::Fenced { .. }) => return seq,
                        Err(error) => panic!("{error}"),
                    }
                }
                unreachable!("it is fenced at some time")
            })
        };
        giver.leave().await.unwrap();
        let owned = taker.beat(&[]).await.unwrap();
        let epoch = epoch_of(taker, &owned, n);
        let end = taker.row(run_id(n)).await.unwrap().unwrap().next_seq.0;
        taker.commit(commit(n, epoch, vec![step(end, 10)])).await.unwrap();
        assert_eq!(writing.await.unwrap(), end);
    }
}
