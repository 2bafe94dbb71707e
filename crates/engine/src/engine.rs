//! The engine as its users hold it.

use std::sync::Arc;

use parking_lot::Mutex;
use stepwell_journal::RunId;
use stepwell_kernel::Limits;
use stepwell_store::{RunPage, RunQuery, RunRow, StatusCount, Store, StoreError};
use tokio::sync::{Notify, mpsc, watch};

use crate::admission::Admission;
use crate::clock::{Clock, SystemClock};
use crate::config::{ABORT_MS, Config};
use crate::error::{GetError, OpenError};
use crate::handle::RunHandle;
use crate::host::Mocks;
use crate::link::{Bustle, Call};
use crate::meters::Meters;
use crate::news::Audience;
use crate::observer::{Observed, Observer};
use crate::ownership::Ownership;
use crate::registry::{Definitions, Registry};
use crate::schedule::Schedule;
use crate::shared::Shared;
use crate::sharing;
use crate::stats::{Counters, Stats};
use crate::threads::Threads;
use crate::timers::Timers;
use crate::updates::{Position, UpdateHub, Updates, UpdatesError};
use crate::waiters::{Loss, Waiters};
use crate::watchdog::Pulse;

/// Runs workflows. Cheap to clone; all clones are one engine, which ends when the last of them and the
/// last handle of a run are dropped, or with [`Engine::shutdown`].
#[derive(Clone)]
pub struct Engine {
    owner: Arc<Owner>,
}

struct Owner {
    shared: Arc<Shared>,
    threads: Mutex<Threads>,
}

/// What an engine is made of.
pub struct EngineBuilder {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    config: Config,
    n_workers: usize,
    on_current_thread: bool,
    definitions: Option<Arc<dyn Definitions>>,
    observed: Observed,
}

impl Engine {
    pub fn builder(store: Arc<dyn Store>) -> EngineBuilder {
        let n_cores = std::thread::available_parallelism().map_or(2, usize::from);
        EngineBuilder {
            store,
            clock: Arc::new(SystemClock),
            config: Config::default(),
            n_workers: n_cores.max(2),
            on_current_thread: false,
            definitions: None,
            observed: Observed::default(),
        }
    }

    /// A run that exists.
    pub async fn get(&self, run: RunId) -> Result<RunHandle, GetError> {
        match self.shared().store.row(run).await? {
            Some(_) => Ok(RunHandle::new(self.clone(), run)),
            None => Err(GetError::UnknownRun { run }),
        }
    }

    /// A run whose row was read: nothing is asked.
    pub fn handle(&self, row: &RunRow) -> RunHandle {
        RunHandle::new(self.clone(), row.run)
    }

    /// The runs that match, newest first, a page at a time. Rows follow their runs with up to a second's
    /// delay; [`RunHandle::state`] is exact.
    pub async fn query(&self, query: RunQuery) -> Result<RunPage, StoreError> {
        self.shared().store.query(query).await
    }

    /// How many of the runs that match are in each status, whatever the query says of statuses and pages.
    pub async fn count(&self, query: &RunQuery) -> Result<Vec<StatusCount>, StoreError> {
        self.shared().store.count(query).await
    }

    /// News of all runs from now on.
    pub fn subscribe(&self) -> Updates {
        self.shared().updates.subscribe()
    }

    /// News of all runs from where a reader was before, without gap or duplicate.
    pub fn updates_from(&self, position: Position) -> Result<Updates, UpdatesError> {
        self.shared().updates.read_from(position)
    }

    /// The place after the latest update: whoever takes it, looks at runs, and then reads on from there
    /// misses nothing.
    pub fn position(&self) -> Position {
        self.shared().updates.position()
    }

    pub fn stats(&self) -> Stats {
        self.shared().stats()
    }

    /// Whether the run is this engine's to run: always, unless it shares its store with others.
    pub fn owns(&self, run: RunId) -> bool {
        self.shared().ownership.owns(run)
    }

    pub fn store(&self) -> &Arc<dyn Store> {
        &self.shared().store
    }

    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.shared().clock
    }

    /// Whether nothing is going on: no run moves, no commit is under way, and nobody was called who has
    /// not come yet. Only known for engines that run on the current thread; others are never idle.
    /// Step bodies that wait for something outside do not count, see [`Engine::n_waiting_bodies`].
    pub fn is_idle(&self) -> bool {
        self.shared().bustle.as_ref().is_some_and(|bustle| bustle.is_quiet())
    }

    /// How many step bodies wait for something outside. Known as for [`Engine::is_idle`].
    pub fn n_waiting_bodies(&self) -> usize {
        let n_bodies = self.shared().bustle.as_ref().map_or(0, |bustle| bustle.n_bodies());
        usize::try_from(n_bodies).unwrap_or(0)
    }

    /// Takes no new work, lets the step bodies in flight end for a while, and writes what there is. What
    /// did not end goes on when the store is opened again. The store stays open.
    pub async fn shutdown(&self) {
        let shared = self.shared();
        shared.closing.send_replace(true);
        shared.schedule.stop(Call::Stop);
        let until = shared.clock.now().plus_ms(shared.config.grace_ms);
        tokio::select! {
            biased;
            () = shared.schedule.emptied() => {}
            () = sharing::stay_alive(shared) => {}
            () = shared.clock.sleep_until(until) => {
                tracing::warn!("some step bodies did not end in time; they are tried again later");
            }
        }
        self.stop_at_once().await;
        sharing::leave(shared).await;
        self.finish().await;
    }

    /// Stops at once and writes nothing more, as a crash would.
    pub async fn abort(&self) {
        self.stop_at_once().await;
        self.finish().await;
    }

    async fn stop_at_once(&self) {
        let shared = self.shared();
        shared.closing.send_replace(true);
        shared.schedule.stop(Call::Abort);
        let until = shared.clock.now().plus_ms(ABORT_MS);
        tokio::select! {
            biased;
            () = shared.schedule.emptied() => {}
            () = shared.clock.sleep_until(until) => {
                tracing::error!("a step body blocks its thread and cannot be stopped; it is left behind");
            }
        }
    }

    async fn finish(&self) {
        let shared = self.shared();
        shared.schedule.close_workers();
        shared.waiters.close(&Loss::Closed);
        shared.updates.close();
        let threads = std::mem::take(&mut *self.owner.threads.lock());
        threads.join().await;
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.owner.shared
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // Threads end by themselves once their runs are gone: waiting for them here could block a
        // runtime. What is not durable is lost, as in a crash.
        self.shared.closing.send_replace(true);
        self.shared.schedule.stop(Call::Abort);
        self.shared.schedule.close_workers();
        self.shared.waiters.close(&Loss::Closed);
        self.shared.updates.close();
    }
}

impl EngineBuilder {
    /// Another clock than the machine's.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock) -> EngineBuilder {
        self.clock = Arc::new(clock);
        self
    }

    /// Bounds on what one run may use.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> EngineBuilder {
        self.config.limits = limits;
        self
    }

    /// How many threads run workflows; as many as there are cores, and at least 2, unless said otherwise.
    #[must_use]
    pub fn workers(mut self, n_workers: usize) -> EngineBuilder {
        self.n_workers = n_workers.max(1);
        self
    }

    /// How many runs may be in memory at one time. More wait for a slot.
    #[must_use]
    pub fn residents_max(mut self, residents_max: usize) -> EngineBuilder {
        self.config.residents_max = residents_max.max(1);
        self
    }

    /// How long a run that only waits stays in memory.
    #[must_use]
    pub fn hibernate_after(mut self, after: std::time::Duration) -> EngineBuilder {
        self.config.hibernate_after_ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
        self
    }

    /// How long a shut-down waits for step bodies.
    #[must_use]
    pub fn grace(mut self, grace: std::time::Duration) -> EngineBuilder {
        self.config.grace_ms = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        self
    }

    /// How many updates are kept for readers that are behind or come back; 65,536 unless said otherwise,
    /// which take about 10 MB once there were that many.
    #[must_use]
    pub fn updates_kept(mut self, updates_kept: usize) -> EngineBuilder {
        self.config.updates_kept = updates_kept.max(1);
        self
    }

    /// Where versions of pinned workflows are found that nobody has registered.
    #[must_use]
    pub fn definitions(mut self, definitions: impl Definitions) -> EngineBuilder {
        self.definitions = Some(Arc::new(definitions));
        self
    }

    /// Lets somebody see every event once it is durable.
    #[must_use]
    pub fn observer(mut self, observer: impl Observer) -> EngineBuilder {
        self.observed = Observed(Some(Arc::new(observer)));
        self
    }

    /// How long the body of a step may block its thread before a warning names it; 5 s unless said otherwise.
    #[must_use]
    pub fn watch_bodies(mut self, after: std::time::Duration) -> EngineBuilder {
        let after_ms = u64::try_from(after.as_millis()).unwrap_or(u64::MAX);
        self.config.watch_after_ms = after_ms.max(1);
        self
    }

    /// Runs everything on the caller's `LocalSet`, without threads and without timers other than the clock's, so
    /// that one seed of a simulator gives one order of events. [`EngineBuilder::open`] must then be called
    /// inside a `LocalSet`.
    #[must_use]
    pub fn on_current_thread(mut self) -> EngineBuilder {
        self.on_current_thread = true;
        self.n_workers = 1;
        self
    }

    /// Takes the store over and begins to work. Runs that were under way go on in the background.
    pub async fn open(self) -> Result<Engine, OpenError> {
        // What updates are numbered by: no other life of an engine on this store has the same.
        let (life, ownership) = match self.store.cluster() {
            Some(cluster) => {
                let life = cluster.join().await?;
                (life, Ownership::shared(cluster, Arc::clone(&self.clock)))
            }
            None => {
                let epoch = self.store.take_ownership().await?;
                (epoch, Ownership::All(epoch))
            }
        };
        let ownership = Arc::new(ownership);
        let bustle = self.on_current_thread.then(|| Arc::new(Bustle::default()));
        let (senders, commands): (Vec<_>, Vec<_>) =
            (0..self.n_workers).map(|_| mpsc::unbounded_channel()).unzip();
        let registry = Registry::default();
        if let Some(definitions) = self.definitions {
            registry.add_definitions(definitions);
        }
        let shared = Arc::new(Shared {
            opened_at: self.clock.now(),
            store: self.store,
            schedule: Schedule::new(
                senders,
                self.config.residents_max,
                bustle.clone(),
                Arc::clone(&ownership),
            ),
            ownership,
            beat_now: Notify::new(),
            audience: Audience::new(Arc::clone(&self.clock)),
            clock: self.clock,
            updates: Arc::new(UpdateHub::new(life, self.config.updates_kept)),
            config: self.config,
            registry,
            admission: Admission::new(bustle.clone()),
            timers: Timers::default(),
            waiters: Arc::new(Waiters::default()),
            resuming: Mutex::default(),
            mocks: Mocks::default(),
            counters: (0..self.n_workers).map(|_| Counters::default()).collect(),
            pulses: (0..self.n_workers).map(|_| Pulse::default()).collect(),
            meters: Meters::new(),
            observed: self.observed,
            bustle,
            closing: watch::Sender::new(false),
        });
        sharing::begin(&shared).await?;
        let threads = if self.on_current_thread {
            Threads::on_current_thread(&shared, commands)
        } else {
            Threads::start(&shared, commands).map_err(OpenError::Worker)?
        };
        Ok(Engine { owner: Arc::new(Owner { shared, threads: Mutex::new(threads) }) })
    }
}
