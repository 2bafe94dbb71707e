//! Naming step bodies that block their thread.
//!
//! A worker counts a turn whenever a body begins to be polled or gives its thread back. The watchdog looks at
//! that count now and then: one that stays the same inside a body is a body that blocks all runs of its
//! worker. Nobody reads a clock for that.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use stepwell_journal::{Location, RunId};

use crate::shared::Shared;

/// How many times the watchdog looks until a body counts as blocking.
const LOOKS: u32 = 4;

/// What one worker's bodies do.
#[derive(Default)]
pub(crate) struct Pulse {
    /// Odd while a body is being polled.
    turns: AtomicU64,
    polled: Mutex<Option<Polled>>,
}

/// The body that was polled last.
#[derive(Clone)]
struct Polled {
    run: RunId,
    workflow: Arc<str>,
    location: Location,
}

/// What the watchdog saw of a pulse.
#[derive(Default, Clone, Copy)]
struct Seen {
    turns: u64,
    n_looks: u32,
}

impl Pulse {
    pub fn enter(&self, run: RunId, workflow: &Arc<str>, location: &Location) {
        let polled = Polled { run, workflow: Arc::clone(workflow), location: location.clone() };
        *self.polled.lock() = Some(polled);
        self.turns.fetch_add(1, Ordering::Relaxed);
    }

    pub fn leave(&self) {
        self.turns.fetch_add(1, Ordering::Relaxed);
    }
}

/// Until the engine closes. Only for engines that have threads of their own.
pub(crate) async fn watch(shared: Arc<Shared>) {
    let after = Duration::from_millis(shared.config.watch_after_ms);
    let mut seen = vec![Seen::default(); shared.pulses.len()];
    loop {
        tokio::select! {
            biased;
            () = shared.closed() => return,
            () = tokio::time::sleep(after / LOOKS) => {}
        }
        for (pulse, seen) in shared.pulses.iter().zip(&mut seen) {
            if let Some(polled) = seen.look(pulse) {
                let Polled { run, workflow, location } = polled;
                let for_secs = (after / LOOKS * seen.n_looks).as_secs_f64();
                tracing::warn!(
                    %run,
                    workflow = &*workflow,
                    location = location.as_str(),
                    for_secs,
                    "the body of a step blocks its thread, and with it other runs: let it await, or move \
                     the work to `spawn_blocking`"
                );
            }
        }
    }
}

impl Seen {
    /// The body that blocks, each time that it has done so twice as long as before.
    fn look(&mut self, pulse: &Pulse) -> Option<Polled> {
        let turns = pulse.turns.load(Ordering::Relaxed);
        if turns != self.turns || turns.is_multiple_of(2) {
            *self = Seen { turns, n_looks: 0 };
            return None;
        }
        self.n_looks += 1;
        let is_news = self.n_looks >= LOOKS && (self.n_looks / LOOKS).is_power_of_two();
        let is_news = is_news && self.n_looks.is_multiple_of(LOOKS);
        is_news.then(|| pulse.polled.lock().clone()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn a_body_that_blocks_is_named_seldom_and_one_that_moves_never() {
        let (pulse, mut seen) = (Pulse::default(), Seen::default());
        let enter = || pulse.enter(RunId(Uuid::nil()), &"w".into(), &Location::from_text("a"));
        for _ in 0..20 {
            enter();
            assert!(seen.look(&pulse).is_none());
            pulse.leave();
            assert!(seen.look(&pulse).is_none());
        }
        enter();
        let named: Vec<usize> = (0..40).filter(|_| seen.look(&pulse).is_some()).collect();
        assert_eq!(named, [4, 8, 16, 32], "looks after the first");
        pulse.leave();
        assert!(seen.look(&pulse).is_none());
    }
}
