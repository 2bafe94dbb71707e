//! Time and random numbers, the system's or fixed ones.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::call::Fixed;

pub(super) struct Chance {
    fixed: Option<Fixed>,
    started: Instant,
    /// The state of SplitMix64; `None` until the first number is asked for.
    state: Option<u64>,
}

impl Chance {
    pub(super) fn new(fixed: Option<Fixed>) -> Chance {
        Chance { fixed, started: Instant::now(), state: None }
    }

    /// Milliseconds since 1970, as `Date.now` counts them.
    pub(super) fn now_ms(&self) -> f64 {
        match self.fixed {
            Some(fixed) => fixed.now_ms as f64,
            // A clock before 1970 is wrong; 1970 is as good an answer as any.
            None => {
                SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as f64
            }
        }
    }

    /// Milliseconds since the call began.
    pub(super) fn elapsed_ms(&self) -> f64 {
        match self.fixed {
            Some(_) => 0.0,
            None => self.started.elapsed().as_secs_f64() * 1e3,
        }
    }

    /// At least 0, less than 1.
    pub(super) fn random(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Unpredictable, unless a seed was given. `None` if the system has no entropy.
    pub(super) fn bytes(&mut self, n_bytes: usize) -> Option<Vec<u8>> {
        let mut bytes = vec![0; n_bytes];
        if self.fixed.is_some() {
            for chunk in bytes.chunks_mut(8) {
                chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
            }
            return Some(bytes);
        }
        getrandom::fill(&mut bytes).ok()?;
        Some(bytes)
    }

    fn next(&mut self) -> u64 {
        let seed = || match self.fixed {
            Some(fixed) => fixed.seed,
            // `Math.random` promises nothing, so the time will do where there is no entropy.
            None => getrandom::u64().unwrap_or_else(|_| self.started.elapsed().as_nanos() as u64),
        };
        let state = self.state.unwrap_or_else(seed).wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.state = Some(state);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
