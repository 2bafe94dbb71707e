//! The thread of a test engine, and who moves its clock.

use std::sync::Arc;
use std::time::Duration;

use stepwell_journal::{RunId, UnixMillis};
use stepwell_store::Store;
use tokio::sync::{mpsc, oneshot};
use tokio::task::LocalSet;

use crate::testkit::TestOptions;
use crate::{Engine, VirtualClock};

/// How often the driver looks whether something moves, in real time. Nothing waits for this when all is
/// quiet.
const LOOK_EVERY: Duration = Duration::from_micros(200);

/// How many times other tasks get a turn before the driver sleeps between its looks.
const YIELDS: usize = 1_000;

/// One move of the clock, to the next date that somebody waits for.
pub(crate) struct Turn {
    /// But not past this date. The clock ends there if nobody waits for an earlier one.
    pub until: Option<UnixMillis>,
    /// And not if this run has ended.
    pub unless_ended: Option<RunId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turned {
    Moved,
    /// Nobody waits for a date.
    Idle,
    /// The run in question has ended.
    Ended,
    /// The engine is gone.
    Closed,
}

pub(crate) struct Driver {
    engine: Engine,
    /// Small: whoever asks waits for the answer.
    turns: mpsc::Sender<(Turn, oneshot::Sender<Turned>)>,
}

impl Driver {
    pub async fn start(store: Arc<dyn Store>, clock: VirtualClock, options: TestOptions) -> Driver {
        let (turns, commands) = mpsc::channel(16);
        let (tell, opened) = oneshot::channel();
        let main = move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let runtime = runtime.unwrap_or_else(|error| panic!("no runtime for a test: {error}"));
            LocalSet::new().block_on(&runtime, async move {
                let builder = Engine::builder(store).clock(clock.clone());
                let opened = (options.build)(builder).on_current_thread().open().await;
                let engine =
                    opened.unwrap_or_else(|error| panic!("the test engine did not open: {error}"));
                let seat = Seat { engine: engine.clone(), clock, options };
                // The test waits for it, unless it was dropped.
                let _ = tell.send(engine);
                seat.drive(commands).await;
            });
        };
        let thread = std::thread::Builder::new().name("stepwell-test".to_owned()).spawn(main);
        if let Err(error) = thread {
            panic!("no thread for a test: {error}");
        }
        let Ok(engine) = opened.await else { panic!("the test engine's thread panicked") };
        Driver { engine, turns }
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    pub async fn turn(&self, turn: Turn) -> Turned {
        let (tell, turned) = oneshot::channel();
        if self.turns.send((turn, tell)).await.is_err() {
            return Turned::Closed;
        }
        turned.await.unwrap_or(Turned::Closed)
    }

    /// Gives others a moment of real time.
    pub async fn breathe(&self) {
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// The driver's end on the engine's thread.
struct Seat {
    engine: Engine,
    clock: VirtualClock,
    options: TestOptions,
}

impl Seat {
    async fn drive(self, mut commands: mpsc::Receiver<(Turn, oneshot::Sender<Turned>)>) {
        while let Some((turn, tell)) = commands.recv().await {
            let turned = self.turn(&turn).await;
            // The test may have given up waiting.
            let _ = tell.send(turned);
        }
        self.engine.abort().await;
    }

    async fn turn(&self, turn: &Turn) -> Turned {
        self.quiet().await;
        if let Some(run) = turn.unless_ended {
            match self.engine.store().row(run).await {
                Ok(Some(row)) if !row.status.is_ended() => {}
                Ok(_) | Err(_) => return Turned::Ended,
            }
        }
        if self.engine.shared().schedule.is_stopping() {
            return Turned::Closed;
        }
        let next = self.clock.next_sleeper();
        match (next, turn.until) {
            (Some(next), None) => self.clock.advance_to(next),
            (Some(next), Some(until)) if next <= until => self.clock.advance_to(next),
            (_, Some(until)) => {
                self.clock.advance_to(until);
                return Turned::Idle;
            }
            (None, None) => return Turned::Idle,
        }
        Turned::Moved
    }

    /// Until no run moves, no commit is under way and no step body runs, or bodies have been pending for
    /// so long that they seem to hang.
    async fn quiet(&self) {
        let shared = self.engine.shared();
        let Some(bustle) = &shared.bustle else { return };
        let mut n_yields = 0;
        let mut hangs_since = (bustle.turns(), tokio::time::Instant::now());
        loop {
            if !bustle.is_quiet() || self.clock.has_due_sleepers() {
                hangs_since = (bustle.turns(), tokio::time::Instant::now());
            } else if bustle.n_bodies() == 0 {
                return;
            } else if bustle.turns() != hangs_since.0 {
                hangs_since = (bustle.turns(), tokio::time::Instant::now());
            } else if hangs_since.1.elapsed() >= self.options.body_grace {
                return;
            }
            n_yields += 1;
            if n_yields < YIELDS {
                tokio::task::yield_now().await;
            } else {
                tokio::time::sleep(LOOK_EVERY).await;
            }
        }
    }
}
