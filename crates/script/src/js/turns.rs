//! Who may use a core. Each call has a thread of its own, and only as many run as there are cores; the
//! others wait for events or for their turn. A script that computes for long gives way to those that
//! wait, so that endless loops cost others time slices, not minutes.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// How long a script computes before it lets another have its turn.
const SLICE: Duration = Duration::from_millis(10);

/// How long a thread waits for its turn before it runs regardless: whoever holds it is in native code
/// that cannot be interrupted.
const PATIENCE: Duration = Duration::from_millis(200);

pub(super) struct Turns {
    /// Below zero where somebody lost patience.
    n_free: Mutex<isize>,
    freed: Condvar,
    n_waiting: AtomicUsize,
}

impl Turns {
    pub(super) fn new(n_cores: usize) -> Turns {
        Turns {
            n_free: Mutex::new(n_cores.max(1) as isize),
            freed: Condvar::new(),
            n_waiting: AtomicUsize::new(0),
        }
    }

    pub(super) fn begin(&self) {
        let mut n_free = self.n_free.lock();
        if *n_free <= 0 {
            self.n_waiting.fetch_add(1, Ordering::Relaxed);
            let until = Instant::now() + PATIENCE;
            while *n_free <= 0 && !self.freed.wait_until(&mut n_free, until).timed_out() {}
            self.n_waiting.fetch_sub(1, Ordering::Relaxed);
        }
        *n_free -= 1;
    }

    pub(super) fn end(&self) {
        *self.n_free.lock() += 1;
        self.freed.notify_one();
    }

    /// Called by whoever has the turn since `since`. Returns since when it has it now.
    pub(super) fn give_way(&self, since: Instant) -> Instant {
        if since.elapsed() < SLICE || self.n_waiting.load(Ordering::Relaxed) == 0 {
            return since;
        }
        self.end();
        self.begin();
        Instant::now()
    }
}

/// The turn that a thread has, given back when dropped.
pub(super) struct Turn<'a> {
    turns: &'a Turns,
    /// Whoever uses the turn may have had to give way.
    pub(super) since: Instant,
}

impl<'a> Turn<'a> {
    pub(super) fn begin(turns: &'a Turns) -> Turn<'a> {
        turns.begin();
        Turn { turns, since: Instant::now() }
    }

    pub(super) fn give_way(&mut self) {
        self.since = self.turns.give_way(self.since);
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.end();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::thread;

    use super::*;

    #[test]
    fn whoever_computes_for_long_gives_way() {
        let turns = Arc::new(Turns::new(1));
        turns.begin();
        let had_turn = Arc::new(AtomicBool::new(false));
        let other = thread::spawn({
            let (turns, had_turn) = (turns.clone(), had_turn.clone());
            move || {
                turns.begin();
                had_turn.store(true, Ordering::Release);
                turns.end();
            }
        });
        let started = Instant::now();
        let mut since = started;
        while !had_turn.load(Ordering::Acquire) {
            assert!(started.elapsed() < Duration::from_secs(20), "the other never had a turn");
            since = turns.give_way(since);
        }
        turns.end();
        other.join().unwrap();
        assert_eq!(*turns.n_free.lock(), 1);
    }

    #[test]
    fn nobody_waits_for_ever() {
        let turns = Turns::new(1);
        turns.begin();
        turns.begin();
        turns.end();
        turns.end();
        assert_eq!(*turns.n_free.lock(), 1);
    }
}
