//! How often something happened lately.

use std::collections::VecDeque;

use stepwell_journal::UnixMillis;
use stepwell_kernel::Rate;

/// When runs began, as far as a rate has to know: never more than it allows.
#[derive(Debug, Default)]
pub(super) struct Window {
    begun: VecDeque<UnixMillis>,
}

impl Window {
    /// From when on another one may begin; none if it may now.
    pub fn closed_until(&mut self, rate: Option<Rate>, now: UnixMillis) -> Option<UnixMillis> {
        let rate = rate?;
        self.forget(rate, now);
        let n_max = usize::try_from(rate.n_runs).unwrap_or(usize::MAX);
        // Limits may have become lower than what has begun.
        let place = self.begun.len().checked_sub(n_max)?;
        self.begun.get(place).map(|at| at.plus_ms(rate.per_ms))
    }

    pub fn begin(&mut self, rate: Option<Rate>, at: UnixMillis) {
        if rate.is_some() {
            let place = self.begun.partition_point(|begun| *begun <= at);
            self.begun.insert(place, at);
        }
    }

    /// When nothing of this matters any more; none if nothing does already.
    pub fn over_at(&self, rate: Option<Rate>) -> Option<UnixMillis> {
        Some(self.begun.back()?.plus_ms(rate?.per_ms))
    }

    fn forget(&mut self, rate: Rate, now: UnixMillis) {
        // A clock that was set back must not close the window for as long as it was set back by.
        for at in self.begun.iter_mut().rev().take_while(|at| **at > now) {
            *at = now;
        }
        while self.begun.front().is_some_and(|at| at.plus_ms(rate.per_ms) <= now) {
            self.begun.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Option<Rate> = Some(Rate { n_runs: 2, per_ms: 100 });

    fn at(ms: u64) -> UnixMillis {
        UnixMillis(ms)
    }

    #[test]
    fn a_rate_counts_any_stretch_of_its_time() {
        let mut window = Window::default();
        assert_eq!(window.closed_until(RATE, at(0)), None);
        window.begin(RATE, at(0));
        window.begin(RATE, at(90));
        assert_eq!(window.closed_until(RATE, at(95)), Some(at(100)));
        assert_eq!(window.closed_until(RATE, at(100)), None);
        window.begin(RATE, at(100));
        assert_eq!(window.closed_until(RATE, at(101)), Some(at(190)));
        assert_eq!(window.over_at(RATE), Some(at(200)));
    }

    #[test]
    fn a_clock_that_is_set_back_does_not_close_the_window_for_long() {
        let mut window = Window::default();
        window.begin(RATE, at(1_000_000));
        window.begin(RATE, at(1_000_000));
        assert_eq!(window.closed_until(RATE, at(50)), Some(at(150)));
    }

    #[test]
    fn a_rate_that_became_lower_waits_until_enough_is_over() {
        let mut window = Window::default();
        (0..4).for_each(|n| window.begin(RATE, at(n * 10)));
        assert_eq!(window.closed_until(RATE, at(30)), Some(at(120)));
    }
}
