//! How much a call has done, and how much it still may.

use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::value::Fail;
use crate::outputs::cancelled;
use crate::{CallOptions, ErrorKind};

/// Steps between two looks at the clock: well under a millisecond of work.
const STEPS_PER_LOOK: u64 = 4_096;

pub(super) struct Meter {
    steps: u64,
    /// Where something has to be looked at: the clock, or the end.
    look_at: u64,
    steps_max: u64,
    ends_at: Instant,
    time_ms: u64,
    cancel: Option<CancellationToken>,
}

impl Meter {
    pub(super) fn start(options: &CallOptions) -> Meter {
        let limits = &options.limits;
        Meter {
            steps: 0,
            look_at: STEPS_PER_LOOK.min(limits.steps_max),
            steps_max: limits.steps_max,
            ends_at: Instant::now() + Duration::from_millis(limits.time_ms),
            time_ms: limits.time_ms,
            cancel: options.cancel.clone(),
        }
    }

    pub(super) fn charge(&mut self, steps: u64) -> Result<(), Fail> {
        self.steps = self.steps.saturating_add(steps);
        if self.steps >= self.look_at { self.look() } else { Ok(()) }
    }

    #[cold]
    fn look(&mut self) -> Result<(), Fail> {
        if self.steps >= self.steps_max {
            return Err(Fail::stop(
                ErrorKind::TimedOut,
                format!("the script took more than {} steps", self.steps_max),
            ));
        }
        if Instant::now() >= self.ends_at {
            return Err(Fail::stop(
                ErrorKind::TimedOut,
                format!("the script took longer than {} ms", self.time_ms),
            ));
        }
        if self.cancel.as_ref().is_some_and(CancellationToken::is_cancelled) {
            let error = cancelled();
            return Err(Fail::stop(error.kind, error.message));
        }
        self.look_at = (self.steps + STEPS_PER_LOOK).min(self.steps_max);
        Ok(())
    }
}
