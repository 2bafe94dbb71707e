//! One engine and the shards that it leases, step by step: what others do, when calls are answered and how time goes
//! is said by the test.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod kit;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use kit::{Answers, Tally, TrickStore};
use stepwell_engine::{BoxFuture, Clock, Engine, RunHandle, VirtualClock, WaitError};
use stepwell_journal::{Epoch, Event, EventKind, Json, RunId, RunStatus, UnixMillis};
use stepwell_kernel::{AttemptCx, Backoff, Ctx, Error, branch, workflow};
use stepwell_store::{
    Called, Cluster, ClusterStatus, Commit, Owned, Shard, Store, StoreError, Told,
};
use tokio::sync::watch;
use tokio::task::{JoinHandle, LocalSet};

const LEASE: Duration = Duration::from_secs(10);
const SHARD: Shard = Shard(0);

/// More turns than anything needs to come to rest.
const TURNS: usize = 1_000;

/// A wall clock, and the time that leases are counted in.
#[derive(Clone)]
struct Hands {
    wall: VirtualClock,
    spans: VirtualClock,
    began: Instant,
}

impl Hands {
    fn new() -> Hands {
        let clock = || VirtualClock::new(UnixMillis(1_000_000));
        Hands { wall: clock(), spans: clock(), began: Instant::now() }
    }

    fn pass(&self, span: Duration) {
        let ms = u64::try_from(span.as_millis()).unwrap();
        self.spans.advance_to(self.spans.now().plus_ms(ms));
        self.wall.advance_to(self.wall.now().plus_ms(ms));
    }
}

impl Clock for Hands {
    fn now(&self) -> UnixMillis {
        self.wall.now()
    }

    fn sleep_until(&self, at: UnixMillis) -> BoxFuture<'static, ()> {
        self.wall.sleep_until(at)
    }

    fn instant(&self) -> Instant {
        self.began + Duration::from_millis(self.spans.now().0)
    }

    fn pause(&self, span: Duration) -> BoxFuture<'static, ()> {
        let ms = u64::try_from(span.as_millis()).unwrap();
        self.spans.sleep_until(self.spans.now().plus_ms(ms))
    }
}

/// The only shard is this engine's with an epoch, or somebody else's; none while beats are not answered.
#[derive(Default)]
struct OneShard {
    answer: watch::Sender<Option<Option<Epoch>>>,
}

impl OneShard {
    fn says(&self, answer: Option<Option<Epoch>>) {
        self.answer.send_replace(answer);
    }
}

#[async_trait]
impl Cluster for OneShard {
    fn shard_of(&self, _: RunId) -> Shard {
        SHARD
    }

    fn lease(&self) -> Duration {
        LEASE
    }

    async fn join(&self) -> Result<Epoch, StoreError> {
        Ok(Epoch(1))
    }

    async fn beat(&self, _: &[Shard]) -> Result<Owned, StoreError> {
        let mut answer = self.answer.subscribe();
        // Fails only if the sender is gone, and we hold it.
        let epoch = answer.wait_for(Option::is_some).await.ok().and_then(|answer| answer.flatten());
        let shards: BTreeMap<Shard, Epoch> =
            epoch.map(|epoch| (SHARD, epoch)).into_iter().collect();
        Ok(Owned { shards, surplus: Vec::new() })
    }

    async fn leave(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn epoch_of(&self, _: RunId) -> Result<Epoch, StoreError> {
        Ok(self.answer.borrow().flatten().unwrap_or(Epoch(1)))
    }

    async fn watch(&self, _: RunId) -> Result<bool, StoreError> {
        Ok(true)
    }

    async fn called(&self) -> Vec<Called> {
        std::future::pending().await
    }

    async fn tell(&self, _: &[Told]) -> Result<(), StoreError> {
        Ok(())
    }

    async fn status(&self) -> Result<ClusterStatus, StoreError> {
        Ok(ClusterStatus::default())
    }
}

type Waiting = JoinHandle<Result<u64, WaitError>>;

struct Node {
    engine: Engine,
    store: TrickStore,
    shard: Arc<OneShard>,
    hands: Hands,
    tally: Tally,
}

impl Node {
    /// An engine that owns the shard, on the test's own thread.
    async fn open() -> Node {
        let (hands, tally, shard) = (Hands::new(), Tally::default(), Arc::new(OneShard::default()));
        shard.says(Some(Some(Epoch(2))));
        let store = TrickStore::shared(shard.clone());
        let engine = Engine::builder(Arc::new(store.clone()))
            .clock(hands.clone())
            .hibernate_after(Duration::ZERO)
            .grace(10 * LEASE)
            .on_current_thread()
            .open()
            .await
            .unwrap();
        let counted = tally.clone();
        let listening = workflow("listening", move |ctx: Ctx, (): ()| {
            let tally = counted.clone();
            async move {
                let n: u64 = ctx.listen("go").await?;
                let body = async || {
                    tally.add("work");
                    Ok::<_, Error>(n)
                };
                ctx.step("work", body).await
            }
        });
        engine.register(listening).unwrap();
        let counted = tally.clone();
        let trying = workflow("trying", move |ctx: Ctx, (): ()| {
            let tally = counted.clone();
            async move {
                let body = async |cx: AttemptCx| {
                    tally.add("work");
                    let n = u64::from(cx.attempt().0);
                    if n == 1 { Err(Error::msg("again")) } else { Ok(n) }
                };
                ctx.step_with("work", body).backoff(Backoff::fixed(LEASE)).await
            }
        });
        engine.register(trying).unwrap();
        Node { engine, store, shard, hands, tally }
    }

    /// A run that waits, and is not in memory.
    async fn asleep(&self, workflow: &str) -> RunHandle {
        let run = self.engine.start(workflow, &()).await.unwrap();
        self.pass(Duration::from_millis(100)).await;
        assert_eq!(self.engine.stats().n_residents, 0);
        run
    }

    async fn rest(&self) {
        for _ in 0..TURNS {
            tokio::task::yield_now().await;
        }
    }

    async fn pass(&self, span: Duration) {
        self.hands.pass(span);
        self.rest().await;
    }

    /// What the run ends with, while time goes on.
    async fn outcome_of(&self, run: &RunHandle) -> u64 {
        let run = run.clone();
        let waiting = tokio::task::spawn_local(async move { run.wait::<u64>().await });
        self.answer_of(waiting).await
    }

    async fn answer_of(&self, waiting: Waiting) -> u64 {
        for _ in 0..20 {
            self.pass(Duration::from_millis(500)).await;
        }
        assert!(waiting.is_finished(), "nobody tells that the run has ended");
        waiting.await.unwrap().unwrap()
    }

    /// Nobody answers for longer than the lease.
    async fn outlive_lease(&self) {
        self.shard.says(None);
        for _ in 0..5 {
            self.pass(LEASE / 4).await;
        }
    }
}

fn on_one_thread<F: Future<Output = ()> + 'static>(test: F) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    LocalSet::new().block_on(&runtime, test);
}

#[test]
fn a_run_that_was_read_before_the_lease_ran_out_begins_nothing_after_it() {
    on_one_thread(async {
        let node = Node::open().await;
        let run = node.asleep("trying").await;
        assert_eq!(node.tally.of("work"), 1);
        node.store.hold(Answers::Loads);
        // The run is being loaded, with a message that has a key, and its second attempt is due.
        run.send_with_key("news", &7_u64, "once").await.unwrap();
        node.rest().await;
        assert_eq!(node.engine.stats().n_residents, 1);
        node.outlive_lease().await;
        node.store.give_answers();
        node.rest().await;
        assert_eq!(node.tally.of("work"), 1, "a body began although others may have the run");
        node.shard.says(Some(Some(Epoch(2))));
        assert_eq!(node.outcome_of(&run).await, 2);
        assert_eq!(node.tally.of("work"), 2);
    });
}

#[test]
fn a_run_whose_end_was_not_answered_before_the_lease_ran_out_is_told_to_who_waits() {
    on_one_thread(async {
        let node = Node::open().await;
        let run = node.asleep("listening").await;
        node.store.hold(Answers::Ends);
        run.send("go", &7_u64).await.unwrap();
        let waiting = {
            let run = run.clone();
            tokio::task::spawn_local(async move { run.wait::<u64>().await })
        };
        node.pass(Duration::from_millis(100)).await;
        assert_eq!(run.row().await.unwrap().status, RunStatus::Completed);
        node.outlive_lease().await;
        // Whoever is in memory looks at the lease when it is called, here in vain.
        assert!(run.cancel("too late").await.is_err());
        node.rest().await;
        node.shard.says(Some(Some(Epoch(2))));
        assert_eq!(node.answer_of(waiting).await, 7);
        assert_eq!(node.tally.of("work"), 1);
    });
}

#[test]
fn a_node_that_shuts_down_begins_nothing_of_what_was_taken_from_it() {
    on_one_thread(async {
        let node = Node::open().await;
        let counted = node.tally.clone();
        let busy = workflow("busy", move |ctx: Ctx, (): ()| {
            let tally = counted.clone();
            async move {
                // The one keeps the run in memory, the other wants to begin once more.
                let hang = branch("hang", async |ctx: Ctx| {
                    ctx.step("hang", async || std::future::pending::<Result<u64, Error>>().await)
                        .timeout(Duration::ZERO)
                        .await
                });
                let again = branch("again", async |ctx: Ctx| {
                    let body = async || {
                        tally.add("work");
                        Err::<u64, _>(Error::msg("again"))
                    };
                    ctx.step("work", body).backoff(Backoff::fixed(2 * LEASE)).await
                });
                let (a, b) = ctx.join("both", (hang, again)).await?;
                Ok::<u64, Error>(a + b)
            }
        });
        node.engine.register(busy).unwrap();
        node.engine.start("busy", &()).await.unwrap();
        node.rest().await;
        assert_eq!(node.tally.of("work"), 1);
        let engine = node.engine.clone();
        let ending = tokio::task::spawn_local(async move { engine.shutdown().await });
        node.rest().await;
        assert!(!ending.is_finished());
        // While nothing moves here the lease runs out, and somebody takes the shard.
        node.shard.says(Some(None));
        node.pass(2 * LEASE).await;
        assert_eq!(node.tally.of("work"), 1, "a body began although somebody else has the run");
        node.pass(20 * LEASE).await;
        assert!(ending.is_finished());
    });
}

/// Ends the run, as an engine would that owned its shard in between.
async fn end_elsewhere(node: &Node, run: RunId) {
    let row = node.store.inner.row(run).await.unwrap().unwrap();
    let mut commit = Commit::new(run, Epoch(3), row.next_seq);
    let kind = EventKind::RunCompleted { output: Json::of(&9_u64).unwrap() };
    commit.events.push(Event { seq: row.next_seq, at: row.updated_at, kind });
    node.store.inner.commit(commit).await.unwrap();
}

#[test]
fn a_run_that_somebody_else_had_since_it_was_made_is_not_taken_up_as_it_was_made() {
    on_one_thread(async {
        let node = Node::open().await;
        let counted = node.tally.clone();
        let working = workflow("working", move |ctx: Ctx, (): ()| {
            let tally = counted.clone();
            async move {
                let body = async || {
                    tally.add("work");
                    Ok::<_, Error>(1_u64)
                };
                ctx.step("work", body).await
            }
        });
        node.engine.register(working).unwrap();
        node.store.hold(Answers::Starts);
        let starting = {
            let engine = node.engine.clone();
            tokio::task::spawn_local(async move { engine.start("working", &()).await.unwrap() })
        };
        node.rest().await;
        // The shard goes to somebody else, who ends the run, and comes back.
        node.shard.says(Some(None));
        node.pass(LEASE / 4).await;
        let page = node.store.inner.query(Default::default()).await.unwrap();
        end_elsewhere(&node, page.runs[0].run).await;
        node.shard.says(Some(Some(Epoch(4))));
        node.pass(LEASE / 4).await;
        node.store.give_answers();
        let run = starting.await.unwrap();
        node.rest().await;
        assert_eq!(node.outcome_of(&run).await, 9);
        assert_eq!(node.tally.of("work"), 0, "a run that has ended began once more");
    });
}
