//! The tasks that look after runs which are not in memory.
//!
//! ```text
//!   scan:    store.runnable --- Found ---> Schedule     at start-up, and after the queue overflowed
//!   timers:  store.due --> Timers -- Timer --> Schedule at each run's date
//! ```

use std::sync::Arc;

use stepwell_journal::UnixMillis;
use stepwell_store::StoreError;

use crate::clock::{Backoff, sleep_until};
use crate::config::{PAGE_RUNS, READY_MAX, STORE_RETRY_MS, TIMERS_MAX};
use crate::link::Busy;
use crate::schedule::Why;
use crate::shared::Shared;
use crate::timers::NextTimer;

/// A store may keep dates as signed numbers.
const END_OF_TIME: UnixMillis = UnixMillis(i64::MAX as u64);

/// While more runs are due than fit into memory, the store is asked no more often than this.
const REFILL_GAP_MS: u64 = 100;

/// Takes up every run that is not merely waiting, at start-up and whenever some were forgotten.
pub(crate) async fn scan(shared: Arc<Shared>, busy: Busy) {
    loop {
        scan_once(&shared, &busy).await;
        loop {
            let _rest = busy.rest(0);
            tokio::select! {
                biased;
                () = shared.schedule.attention.notified() => {}
                () = shared.closed() => return,
            }
            if shared.schedule.take_overflow() {
                break;
            }
        }
        // What did not fit may also have been due by its date.
        shared.timers.expect_refill();
    }
}

async fn scan_once(shared: &Shared, busy: &Busy) {
    let mut backoff = Backoff::new(STORE_RETRY_MS.0, STORE_RETRY_MS.1);
    let mut after = None;
    while !shared.schedule.is_stopping() {
        while shared.schedule.n_ready() > READY_MAX / 2 {
            let _rest = busy.rest(0);
            tokio::select! {
                biased;
                () = shared.schedule.attention.notified() => {}
                () = shared.closed() => return,
            }
        }
        match shared.store.runnable(after, PAGE_RUNS).await {
            Ok(page) => {
                page.iter().for_each(|run| shared.schedule.activate(*run, Why::Found));
                after = page.last().copied();
                if page.len() < PAGE_RUNS {
                    return;
                }
            }
            Err(error) => wait_for_store(shared, busy, &mut backoff, &error).await,
        }
    }
}

/// Wakes each waiting run at its date.
pub(crate) async fn keep_time(shared: Arc<Shared>, busy: Busy) {
    let mut backoff = Backoff::new(STORE_RETRY_MS.0, STORE_RETRY_MS.1);
    let mut refilled_at = None;
    while !shared.schedule.is_stopping() {
        let now = shared.clock.now();
        let until = match shared.timers.next() {
            NextTimer::At(at) if at <= now => {
                for run in shared.timers.take_due(now) {
                    shared.schedule.activate(run, Why::Timer);
                }
                continue;
            }
            NextTimer::At(at) => Some(at),
            NextTimer::Never => None,
            NextTimer::Refill => {
                let next = refilled_at.map_or(now, |at: UnixMillis| at.plus_ms(REFILL_GAP_MS));
                if next <= now {
                    refilled_at = Some(now);
                    if let Err(error) = refill(&shared).await {
                        shared.timers.expect_refill();
                        wait_for_store(&shared, &busy, &mut backoff, &error).await;
                    }
                    continue;
                }
                Some(next)
            }
        };
        let _rest = busy.rest(0);
        tokio::select! {
            biased;
            () = sleep_until(&*shared.clock, until) => {}
            () = shared.timers.changed() => {}
            () = shared.closed() => return,
        }
    }
}

async fn refill(shared: &Shared) -> Result<(), StoreError> {
    shared.timers.expect_all();
    let due = shared.store.due(END_OF_TIME, TIMERS_MAX).await?;
    shared.timers.refill(&due, due.len() < TIMERS_MAX);
    Ok(())
}

pub(crate) async fn wait_for_store(
    shared: &Shared,
    busy: &Busy,
    backoff: &mut Backoff,
    error: &StoreError,
) {
    let delay_ms = backoff.next_ms();
    tracing::warn!(%error, delay_ms, "the store failed, waiting runs are not looked after");
    let _rest = busy.rest(0);
    let sleep = shared.clock.sleep_until(shared.clock.now().plus_ms(delay_ms));
    tokio::select! {
        biased;
        () = sleep => {}
        () = shared.closed() => {}
    }
}
