//! When and how often to try again.

use std::time::Duration;

use stepwell_journal::{Attempt, stable_hash};

/// How a step is tried.
#[derive(Debug, Clone, PartialEq)]
pub struct StepPolicy {
    /// How many attempts may follow the first.
    pub retries: u32,
    pub backoff: Backoff,
    /// How long one attempt may take; zero for as long as it likes.
    pub timeout: Duration,
    /// Whether an attempt that took too long is retried; otherwise it is final.
    pub retry_on_timeout: bool,
    /// How many more attempts than `retries` allows may follow ones that a crash cut off.
    pub crash_retries: u32,
    /// Whether an attempt begins only when the journal has its start. No crash in the middle of one goes
    /// unnoticed then: `AttemptCx::follows_crash` tells the next.
    pub mark_start: bool,
}

impl Default for StepPolicy {
    fn default() -> StepPolicy {
        StepPolicy {
            retries: 3,
            backoff: Backoff::default(),
            timeout: Duration::from_secs(30),
            retry_on_timeout: false,
            crash_retries: 0,
            mark_start: false,
        }
    }
}

/// How long to wait before the next attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Backoff {
    grows: Grows,
    base: Duration,
    max: Duration,
    /// The share of the delay, from 0 to 1, that is left to chance.
    jitter: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Grows {
    Fixed,
    Linear,
    Exponential,
}

impl Default for Backoff {
    fn default() -> Backoff {
        Backoff::exponential(Duration::from_millis(100), Duration::from_secs(30)).jitter(0.2)
    }
}

impl Backoff {
    /// Always `delay`.
    pub fn fixed(delay: Duration) -> Backoff {
        Backoff { grows: Grows::Fixed, base: delay, max: delay, jitter: 0.0 }
    }

    /// `base`, twice `base`, three times `base`, and so on up to `max`.
    pub fn linear(base: Duration, max: Duration) -> Backoff {
        Backoff { grows: Grows::Linear, base, max, jitter: 0.0 }
    }

    /// `base`, then double each time, up to `max`.
    pub fn exponential(base: Duration, max: Duration) -> Backoff {
        Backoff { grows: Grows::Exponential, base, max, jitter: 0.0 }
    }

    /// Leaves a share of the delay, from 0 to 1, to chance, so that many runs do not try again at the
    /// same moment.
    #[must_use]
    pub fn jitter(mut self, share: f64) -> Backoff {
        self.jitter = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
        self
    }

    /// The delay after a failed attempt. `seed` decides about chance, so the answer is always the same.
    pub fn delay_ms(&self, failed: Attempt, seed: u64) -> u64 {
        let n = u64::from(failed.0.max(1));
        let base = millis(self.base);
        let grown = match self.grows {
            Grows::Fixed => base,
            Grows::Linear => base.saturating_mul(n),
            Grows::Exponential => {
                let doublings = u32::try_from(n - 1).unwrap_or(u32::MAX).min(63);
                base.saturating_mul(1_u64 << doublings)
            }
        };
        let whole = grown.min(millis(self.max));
        // The highest 53 bits make an even number from 0 up to 1.
        let hash = stable_hash(&[&seed.to_le_bytes(), &n.to_le_bytes()]);
        let chance = (hash >> 11) as f64 / (1_u64 << 53) as f64;
        whole - (whole as f64 * self.jitter * chance) as u64
    }
}

pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn delays_grow_as_their_name_says_and_stop_at_the_maximum() {
        let second = Duration::from_secs(1);
        let delays = |backoff: Backoff| {
            (1..=6).map(|n| backoff.delay_ms(Attempt(n), 7) / 1_000).collect::<Vec<_>>()
        };
        assert_eq!(delays(Backoff::fixed(second)), [1, 1, 1, 1, 1, 1]);
        assert_eq!(delays(Backoff::linear(second, 4 * second)), [1, 2, 3, 4, 4, 4]);
        assert_eq!(delays(Backoff::exponential(second, 10 * second)), [1, 2, 4, 8, 10, 10]);
    }

    proptest! {
        #[test]
        fn a_delay_lies_between_its_share_of_chance_and_the_maximum(
            base in 0_u64..100_000, max in 0_u64..1_000_000, jitter in -1.0_f64..2.0,
            attempt in 0_u32..=u32::MAX, seed: u64,
        ) {
            let backoff =
                Backoff::exponential(Duration::from_millis(base), Duration::from_millis(max))
                    .jitter(jitter);
            let delay = backoff.delay_ms(Attempt(attempt), seed);
            let whole = backoff.clone().jitter(0.0).delay_ms(Attempt(attempt), seed);
            prop_assert!(whole <= max);
            prop_assert!(delay <= whole);
            prop_assert!(delay as f64 >= whole as f64 * (1.0 - jitter.clamp(0.0, 1.0)) - 1.0);
            prop_assert_eq!(delay, backoff.delay_ms(Attempt(attempt), seed));
        }

        #[test]
        fn without_chance_delays_never_shrink(base in 0_u64..100_000, max in 0_u64..1_000_000, n in 1_u32..100) {
            for backoff in [
                Backoff::fixed(Duration::from_millis(base)),
                Backoff::linear(Duration::from_millis(base), Duration::from_millis(max)),
                Backoff::exponential(Duration::from_millis(base), Duration::from_millis(max)),
            ] {
                prop_assert!(backoff.delay_ms(Attempt(n), 0) <= backoff.delay_ms(Attempt(n + 1), 0));
            }
        }
    }
}
