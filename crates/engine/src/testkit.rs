//! For tests of workflows: an engine in memory with a clock that skips time.
//!
//! ```
//! # use stepwell_engine::testkit::TestEngine;
//! # use stepwell_kernel::{Ctx, Error, Result, workflow};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! async fn remind(ctx: Ctx, name: String) -> Result<String> {
//!     ctx.sleep("a while", std::time::Duration::from_secs(30 * 86_400)).await?;
//!     ctx.step("mail", async || Ok::<_, Error>(format!("hello again, {name}"))).await
//! }
//!
//! let engine = TestEngine::new().await;
//! engine.register(workflow("remind", remind)).unwrap();
//! let run = engine.start("remind", "Ada").await.unwrap();
//! let mail: String = engine.wait(&run).await.unwrap(); // thirty days pass at once
//! assert_eq!(mail, "hello again, Ada");
//! # }
//! ```
//!
//! ```text
//!   the test's thread                          the engine's thread
//!     TestEngine::wait, advance --- Turn --->    Driver: waits until nothing moves, moves the clock
//!                               <-- Turned --    Engine (on the current thread), MemoryStore
//! ```

mod driver;
mod replay;

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use stepwell_journal::{Attempt, Json, RunId, UnixMillis};
use stepwell_kernel::Error;
use stepwell_store::{MemoryStore, Store};

use crate::testkit::driver::{Driver, Turn, Turned};
use crate::{Clock, Engine, EngineBuilder, RegisterError, RunHandle, VirtualClock, WaitError};

pub use replay::{ReplayProblem, replay_check};

/// 2026-01-01: tests should not depend on when they run.
const FIRST_DAY: UnixMillis = UnixMillis(1_767_225_600_000);

/// An engine in memory, on a thread of its own, whose clock stands still until a test moves it.
pub struct TestEngine {
    store: Arc<dyn Store>,
    clock: VirtualClock,
    options: TestOptions,
    driver: Driver,
}

/// How a [`TestEngine`] differs from an ordinary engine.
#[derive(Clone)]
pub struct TestOptions {
    /// Changes what the engine is built with.
    pub build: Arc<dyn Fn(EngineBuilder) -> EngineBuilder + Send + Sync>,
    /// How long, in real time, a step body may be pending before the clock skips although it runs.
    pub body_grace: Duration,
}

impl Default for TestOptions {
    fn default() -> TestOptions {
        TestOptions { build: Arc::new(|builder| builder), body_grace: Duration::from_millis(50) }
    }
}

/// Starting runs, registering workflows and the like.
impl Deref for TestEngine {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        self.driver.engine()
    }
}

impl TestEngine {
    pub async fn new() -> TestEngine {
        TestEngine::with(Arc::new(MemoryStore::new()), TestOptions::default()).await
    }

    /// With another store, or other options.
    ///
    /// # Panics
    /// If the store cannot be taken over.
    pub async fn with(store: Arc<dyn Store>, options: TestOptions) -> TestEngine {
        let clock = VirtualClock::new(FIRST_DAY);
        let driver = Driver::start(Arc::clone(&store), clock.clone(), options.clone()).await;
        TestEngine { store, clock, options, driver }
    }

    pub fn now(&self) -> UnixMillis {
        self.clock.now()
    }

    pub fn virtual_clock(&self) -> &VirtualClock {
        &self.clock
    }

    /// Waits for the run's output. Time passes as fast as the run allows.
    pub async fn wait<T: DeserializeOwned>(&self, run: &RunHandle) -> Result<T, WaitError> {
        self.pass_time_until_ended(run.id()).await;
        run.wait().await
    }

    /// Lets time pass until nothing is left to do without somebody outside. Never ends if some run
    /// always has a next date.
    pub async fn run_until_idle(&self) {
        let turn = || Turn { until: None, unless_ended: None };
        while self.driver.turn(turn()).await == Turned::Moved {}
    }

    /// Moves the clock, and everything that is due until then.
    pub async fn advance(&self, by: Duration) {
        let by_ms = u64::try_from(by.as_millis()).unwrap_or(u64::MAX);
        let until = self.clock.now().plus_ms(by_ms);
        let turn = || Turn { until: Some(until), unless_ended: None };
        while self.driver.turn(turn()).await == Turned::Moved {}
    }

    /// Lets everything happen that needs no time.
    pub async fn settle(&self) {
        self.advance(Duration::ZERO).await;
    }

    /// Runs `body` instead of the bodies of the steps with this name, or at this location.
    pub fn mock_step(
        &self,
        step: &str,
        body: impl Fn(Attempt) -> Result<serde_json::Value, Error> + Send + Sync + 'static,
    ) {
        let body = move |attempt| body(attempt).map(Json::from);
        self.shared().mocks.set(step, Arc::new(body));
    }

    /// What a crash and a new start of the process do: all memory is lost, the store stays. Workflows and
    /// mocks are registered again. Handles from before the crash are of no use any more.
    ///
    /// # Panics
    /// If the store cannot be taken over.
    pub async fn restart(&mut self) {
        let workflows = self.shared().registry.list_versions();
        let definitions = self.shared().registry.definitions();
        self.crash().await;
        for definitions in definitions {
            self.shared().registry.add_definitions(definitions);
        }
        for (namespace, workflow) in workflows {
            if let Err(error) = self.replace(namespace.as_deref(), workflow) {
                // It was registered before in the same way.
                let _: RegisterError = error;
            }
        }
    }

    /// The same, but the new process registers no workflow.
    ///
    /// # Panics
    /// If the store cannot be taken over.
    pub async fn crash(&mut self) {
        let old = self.driver.engine().clone();
        old.abort().await;
        let driver =
            Driver::start(Arc::clone(&self.store), self.clock.clone(), self.options.clone()).await;
        driver.engine().shared().mocks.copy_from(&old.shared().mocks);
        self.driver = driver;
    }

    async fn pass_time_until_ended(&self, run: RunId) {
        loop {
            let turn = Turn { until: None, unless_ended: Some(run) };
            match self.driver.turn(turn).await {
                Turned::Moved => {}
                // Somebody outside may still send something: wait for the run itself then.
                Turned::Idle => self.driver.breathe().await,
                Turned::Ended | Turned::Closed => return,
            }
        }
    }
}
