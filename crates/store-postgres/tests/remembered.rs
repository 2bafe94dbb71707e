//! A writer remembers the runs that it has written to, and finds out when something has changed behind its back.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod kit;

use std::time::Duration;

use kit::{commit, new_run, run_id, step};
use stepwell_journal::{Epoch, Event, EventKind, Json, RunStatus, Seq, UnixMillis};
use stepwell_store::{
    Cluster, CommitError, InboxId, InboxItem, Owned, Post, PostError, Posted, RunQuery, StartError,
    Store,
};
use stepwell_store_postgres::{PostgresStore, testkit};
use uuid::Uuid;

/// Longer than any test takes.
const LEASE: Duration = Duration::from_secs(600);

struct Two {
    address: String,
    owner: PostgresStore,
    owned: Owned,
    other: PostgresStore,
}

/// One that owns everything, and one that owns nothing.
async fn two() -> Two {
    let address = testkit::server().address();
    let open = async || {
        let options = PostgresStore::options().readers_max(2).shared(LEASE);
        let store = options.open(&address).await.unwrap();
        store.join().await.unwrap();
        store
    };
    let owner = open().await;
    let owned = owner.beat(&[]).await.unwrap();
    let other = open().await;
    Two { owner, owned, other, address: address.clone() }
}

impl Two {
    fn epoch(&self, n: u64) -> Epoch {
        self.owned.shards[&self.owner.shard_of(run_id(n))]
    }

    /// A run with one step, which its owner remembers.
    async fn begin(&self, n: u64) {
        self.owner.start(new_run(n)).await.unwrap();
        self.owner.commit(commit(n, self.epoch(n), vec![step(1, 10)])).await.unwrap();
    }

    async fn complete(&self, n: u64, seq: u64) -> Result<(), CommitError> {
        let kind = EventKind::RunCompleted { output: Json::null() };
        let event = Event { seq: Seq(seq), at: UnixMillis(3_000_000), kind };
        self.owner.commit(commit(n, self.epoch(n), vec![event])).await
    }
}

fn cancel(n: u64) -> Post {
    let item = InboxItem::Cancel { reason: "enough".to_owned() };
    Post { to: run_id(n), id: InboxId(Uuid::from_u128(u128::from(n))), at: UnixMillis(1), item }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_from_elsewhere_is_seen_by_a_run_that_is_remembered() {
    let two = two().await;
    two.begin(1).await;
    assert_eq!(two.other.post(cancel(1)).await.unwrap(), Posted::Accepted);
    // The journal may grow, but the run cannot end as if nothing had been said.
    two.owner.commit(commit(1, two.epoch(1), vec![step(2, 10)])).await.unwrap();
    assert_eq!(two.owner.stats().n_stale, 0);
    let refused = two.complete(1, 3).await.unwrap_err();
    assert!(matches!(refused, CommitError::CancelPending { .. }), "{refused}");
    assert_eq!(two.owner.stats().n_stale, 1);
    let row = two.other.row(run_id(1)).await.unwrap().unwrap();
    assert!(row.cancelling && row.next_seq == Seq(3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_lost_a_shard_writes_nothing_of_what_it_remembers() {
    let two = two().await;
    two.begin(1).await;
    let alone = PostgresStore::options().readers_max(2).open(&two.address).await.unwrap();
    let epoch = alone.take_ownership().await.unwrap();
    let late = two.owner.commit(commit(1, two.epoch(1), vec![step(2, 10)])).await.unwrap_err();
    assert!(matches!(late, CommitError::Fenced { current, .. } if current == epoch), "{late}");
    assert_eq!(two.owner.stats().n_stale, 1);
    // Whoever has it now goes on where it was left.
    alone.commit(commit(1, epoch, vec![step(2, 10)])).await.unwrap();
    assert_eq!(alone.journal(run_id(1), Seq(0), 10).await.unwrap().len(), 3);
    assert_eq!(alone.check().await.unwrap().problems, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_exists_is_not_begun_again() {
    let two = two().await;
    two.begin(1).await;
    for store in [&two.owner, &two.other] {
        let refused = store.start(new_run(1)).await.unwrap_err();
        assert!(matches!(refused, StartError::RunExists { .. }), "{refused}");
    }
    two.owner.commit(commit(1, two.epoch(1), vec![step(2, 10)])).await.unwrap();
    assert_eq!(two.other.journal(run_id(1), Seq(0), 10).await.unwrap().len(), 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_only_the_journal_knows_is_in_every_row_that_is_read() {
    let two = two().await;
    two.begin(1).await;
    two.begin(2).await;
    let steps: Vec<Event> = (2..9).map(|seq| step(seq, 10)).collect();
    for event in &steps {
        two.owner.commit(commit(1, two.epoch(1), vec![event.clone()])).await.unwrap();
    }
    let last = steps.last().unwrap();
    let row = two.other.row(run_id(1)).await.unwrap().unwrap();
    assert_eq!((row.next_seq, row.updated_at), (last.seq.next(), last.at));
    assert_eq!(two.other.load(run_id(1)).await.unwrap().unwrap().row, row);
    let lately = RunQuery { updated_from: Some(last.at), ..RunQuery::default() };
    assert_eq!(two.other.query(lately.clone()).await.unwrap().runs, [row]);
    two.complete(1, 9).await.unwrap();
    let ended = two.other.query(lately).await.unwrap().runs;
    assert_eq!((ended[0].status, ended[0].next_seq), (RunStatus::Completed, Seq(10)));
    assert_eq!(two.owner.check().await.unwrap().problems, Vec::<String>::new());
}

/// Whichever comes first: a cancel that was accepted is never overlooked, and one that was refused came too late.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_and_an_end_that_meet_agree_on_who_was_first() {
    let two = two().await;
    let mut n_cancelled = 0;
    for n in 1..=200 {
        two.begin(n).await;
        let (posted, completed) = tokio::join!(two.other.post(cancel(n)), two.complete(n, 2));
        match (posted, completed) {
            (Ok(Posted::Accepted), Err(CommitError::CancelPending { .. })) => n_cancelled += 1,
            (Err(PostError::RunEnded { .. }), Ok(())) => {}
            both => panic!("{both:?}"),
        }
    }
    let stats = two.owner.stats();
    assert!(n_cancelled >= stats.n_stale, "{stats:?}");
    assert_eq!(two.owner.check().await.unwrap().problems, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_journal_in_which_an_older_epoch_comes_later_is_reported() {
    let two = two().await;
    two.begin(1).await;
    two.owner.commit(commit(1, two.epoch(1), vec![step(2, 10)])).await.unwrap();
    let client = testkit::server().client().await;
    let schema = two.address.rsplit('=').next().unwrap();
    let forge = format!("UPDATE {schema}.journal SET epoch = 999 WHERE first_seq = 1");
    assert_eq!(client.execute(&forge, &[]).await.unwrap(), 1);
    let problems = two.owner.check().await.unwrap().problems;
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("after 999"), "{problems:?}");
}
