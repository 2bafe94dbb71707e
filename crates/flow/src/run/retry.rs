//! Whether a work item is tried again, and when. The same for a flow under way and for one that is read.

use stepwell_journal::{Attempt, Failure, FailureKind};
use stepwell_kernel::{Backoff, StepPolicy, millis};

use crate::host::WorkError;
use crate::step::{self, StepDefinition};

/// How often a work item is tried again, at least, whose attempts were cut off by crashes. Such an attempt says nothing
/// against the item; but one that takes the process down must not do so for ever.
const CRASH_RETRIES_MIN: u64 = 3;

/// How long to wait before the next attempt; none if there is none.
pub(crate) fn tries_again(
    definition: &StepDefinition,
    failure: &Failure,
    attempt: u64,
) -> Option<u64> {
    let may_retry = matches!(failure.kind, FailureKind::Exhausted | FailureKind::Timeout);
    if !may_retry || attempt > definition.work.max_retries {
        return None;
    }
    let (asked_ms, _) = WorkError::split_wait(&failure.message);
    let failed = Attempt(u32::try_from(attempt).unwrap_or(u32::MAX));
    Some(backoff(definition).delay_ms(failed, 0).max(asked_ms.unwrap_or(0)))
}

/// What a failure says to people.
pub(crate) fn said(failure: &Failure) -> String {
    WorkError::split_wait(&failure.message).1.to_owned()
}

/// How one attempt is made. Further attempts are entries of their own, so that a work item that waits for its next
/// attempt leaves its place to others, in a replay too.
pub(crate) fn one_attempt(definition: &StepDefinition, timeout_ms: u64) -> StepPolicy {
    let crash_retries = definition.work.max_retries.max(CRASH_RETRIES_MIN);
    StepPolicy {
        retries: 0,
        backoff: backoff(definition),
        timeout: millis(timeout_ms),
        crash_retries: u32::try_from(crash_retries).unwrap_or(u32::MAX),
        ..StepPolicy::default()
    }
}

/// How a compensation is made: all attempts in one entry, for nobody waits for its place.
pub(crate) fn compensation(definition: &StepDefinition, timeout_ms: u64) -> StepPolicy {
    StepPolicy {
        retries: u32::try_from(definition.work.max_retries).unwrap_or(u32::MAX),
        retry_on_timeout: true,
        ..one_attempt(definition, timeout_ms)
    }
}

fn backoff(definition: &StepDefinition) -> Backoff {
    let work = &definition.work;
    let (initial, max) = (millis(work.initial_backoff_ms), millis(work.max_backoff_ms));
    match work.backoff {
        step::Backoff::Fixed => Backoff::fixed(initial),
        step::Backoff::Linear => Backoff::linear(initial, max),
        step::Backoff::Exponential => Backoff::exponential(initial, max),
    }
}
