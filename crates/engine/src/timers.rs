//! The timers that are near.
//!
//! Every waiting run's date is in the store. The engine keeps the earliest of them in memory and knows
//! up to which date it has them all: a run that falls asleep puts itself here if its date is not later,
//! and is found in the store otherwise, when the ones here are used up.
//!
//! ```text
//!   run task --- insert (date <= known_until) ---> Timers <--- refill --- keeper <--- due --- store
//!                                                     |                     |
//!                                                     +--- take_due ------->+--- activate ---> Schedule
//! ```

use std::collections::BTreeSet;

use parking_lot::Mutex;
use stepwell_journal::{RunId, UnixMillis};
use stepwell_store::DueRun;
use tokio::sync::Notify;

use crate::config::TIMERS_MAX;

#[derive(Default)]
pub(crate) struct Timers {
    near: Mutex<Near>,
    /// The first date has changed.
    changed: Notify,
}

struct Near {
    dates: BTreeSet<(UnixMillis, RunId)>,
    /// All dates up to this one are here; the store has the later ones.
    known_until: Option<UnixMillis>,
    /// Earlier dates may be missing: the store must be asked now.
    is_stale: bool,
}

/// When the keeper has to do something about timers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NextTimer {
    At(UnixMillis),
    /// Ask the store.
    Refill,
    /// There are none, here or in the store.
    Never,
}

impl Default for Near {
    fn default() -> Near {
        Near { dates: BTreeSet::new(), known_until: Some(UnixMillis(0)), is_stale: false }
    }
}

impl Timers {
    /// A run sleeps until `at`, and the store knows.
    pub fn insert(&self, at: UnixMillis, run: RunId) {
        let mut near = self.near.lock();
        if near.known_until.is_some_and(|until| at > until) {
            return;
        }
        near.dates.insert((at, run));
        let is_first = near.dates.first() == Some(&(at, run));
        // The bound is soft, so that the far end is not cut off at every insertion.
        if near.dates.len() > 2 * TIMERS_MAX {
            near.cut();
        }
        drop(near);
        if is_first {
            self.changed.notify_one();
        }
    }

    pub fn next(&self) -> NextTimer {
        let near = self.near.lock();
        if near.is_stale {
            return NextTimer::Refill;
        }
        match (near.dates.first(), near.known_until) {
            (Some((at, _)), _) => NextTimer::At(*at),
            (None, Some(_)) => NextTimer::Refill,
            (None, None) => NextTimer::Never,
        }
    }

    /// Ends when a date was inserted before all others.
    pub async fn changed(&self) {
        self.changed.notified().await;
    }

    /// From here on runs that fall asleep are inserted, whatever their date. Call before the store is
    /// asked, so that no run falls between its answer and [`Timers::refill`].
    pub fn expect_all(&self) {
        let mut near = self.near.lock();
        near.known_until = None;
        near.is_stale = false;
    }

    /// The store may have dates that should be here.
    pub fn expect_refill(&self) {
        self.near.lock().is_stale = true;
        self.changed.notify_one();
    }

    /// The store's earliest dates; `all` if it has no others.
    pub fn refill(&self, due: &[DueRun], all: bool) {
        let mut near = self.near.lock();
        near.dates.extend(due.iter().map(|due| (due.wake_at, due.run)));
        if let (false, Some(last)) = (all, due.last()) {
            near.known_until = Some(last.wake_at);
            near.dates.split_off(&(last.wake_at.plus_ms(1), RunId(uuid::Uuid::nil())));
        }
    }

    /// Takes out what is due.
    pub fn take_due(&self, now: UnixMillis) -> Vec<RunId> {
        let mut near = self.near.lock();
        let later = near.dates.split_off(&(now.plus_ms(1), RunId(uuid::Uuid::nil())));
        let due = std::mem::replace(&mut near.dates, later);
        due.into_iter().map(|(_, run)| run).collect()
    }

    pub fn len(&self) -> usize {
        self.near.lock().dates.len()
    }
}

impl Near {
    /// Forgets the latest dates: the store has them.
    fn cut(&mut self) {
        while self.dates.len() > TIMERS_MAX {
            self.dates.pop_last();
        }
        // Others of the last date may be gone, so that date does not count as known; they are found
        // when the store is asked again.
        self.known_until = self.dates.last().map(|(at, _)| UnixMillis(at.0.saturating_sub(1)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(n: u128) -> RunId {
        RunId(uuid::Uuid::from_u128(n))
    }

    fn due(n: u128, wake_at: u64) -> DueRun {
        DueRun { run: run(n), wake_at: UnixMillis(wake_at) }
    }

    #[test]
    fn at_first_the_store_must_be_asked() {
        assert_eq!(Timers::default().next(), NextTimer::Refill);
    }

    #[test]
    fn a_date_later_than_what_is_known_is_left_to_the_store() {
        let timers = Timers::default();
        timers.expect_all();
        timers.refill(&[due(1, 10), due(2, 20)], false);
        timers.insert(UnixMillis(30), run(3));
        timers.insert(UnixMillis(15), run(4));
        assert_eq!(timers.take_due(UnixMillis(100)), [run(1), run(4), run(2)]);
        assert_eq!(timers.next(), NextTimer::Refill);
    }

    #[test]
    fn when_the_store_has_no_more_every_date_is_kept() {
        let timers = Timers::default();
        timers.expect_all();
        timers.refill(&[], true);
        assert_eq!(timers.next(), NextTimer::Never);
        timers.insert(UnixMillis(1 << 40), run(3));
        assert_eq!(timers.next(), NextTimer::At(UnixMillis(1 << 40)));
    }

    #[test]
    fn memory_stays_bounded_however_many_runs_fall_asleep() {
        let timers = Timers::default();
        timers.expect_all();
        timers.refill(&[], true);
        for n in 0..100_000 {
            timers.insert(UnixMillis(n), run(u128::from(n)));
        }
        assert!(timers.len() <= 2 * TIMERS_MAX);
        assert_eq!(timers.next(), NextTimer::At(UnixMillis(0)));
    }
}
