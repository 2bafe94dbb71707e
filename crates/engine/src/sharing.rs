//! The tasks of an engine that shares its store with others.
//!
//! ```text
//!   keep_shards:  beat --> won: search the store for runs;  lost: drop runs
//!                      --> surplus: let runs leave, then give the shard back
//!   hear:         called --> activate the run; wake who waits for it; beat now
//! ```
//!
//! A beat that is not answered for as long as a lease lasts means that others may have our shards: runs are
//! dropped then, before the store refuses their commits.

use std::sync::Arc;
use std::time::{Duration, Instant};

use stepwell_journal::RunId;
use stepwell_store::{Called, Owned, Shard, StoreError};

use crate::config::{ABORT_MS, LOOK_MS};
use crate::link::Call;
use crate::ownership::{Moved, Shards};
use crate::schedule::Why;
use crate::shared::Shared;
use crate::waiters::Loss;

/// While runs of shards that are to be given back leave memory, it is looked this often whether they have.
const LEAVING_LOOK: Duration = Duration::from_millis(20);
/// How many beats a lease has: some may be late, or be lost.
const BEATS_PER_LEASE: u32 = 4;

/// Keeps what this engine leases, until it closes.
pub(crate) async fn keep_shards(shared: Arc<Shared>) {
    let Some(shards) = shared.ownership.shards() else { return };
    let interval = shards.cluster.lease() / BEATS_PER_LEASE;
    while !*shared.closing.borrow() {
        if let Err(error) = beat(&shared, shards).await {
            tracing::warn!(%error, "this node could not say that it lives");
            if shared.ownership.has_run_out() {
                drop_all(&shared, shards).await;
            }
        }
        let is_leaving = !shards.leaving().is_empty();
        let pause = if is_leaving { LEAVING_LOOK.min(interval) } else { interval };
        tokio::select! {
            biased;
            () = shared.closed() => return,
            () = shared.beat_now.notified() => {}
            () = shared.clock.pause(pause) => {}
        }
    }
}

/// The first beat, before the engine is open: then it has something to do at once.
pub(crate) async fn begin(shared: &Shared) -> Result<(), StoreError> {
    match shared.ownership.shards() {
        Some(shards) => beat(shared, shards).await,
        None => Ok(()),
    }
}

/// Keeps the lease while step bodies end, and takes up nothing. Never ends by itself.
pub(crate) async fn stay_alive(shared: &Shared) {
    let Some(shards) = shared.ownership.shards() else { return std::future::pending().await };
    loop {
        shared.clock.pause(shards.cluster.lease() / BEATS_PER_LEASE).await;
        let begun = shared.clock.instant();
        match shards.cluster.beat(&[]).await {
            Ok(owned) => drop(renew(shared, shards, begun, &owned)),
            Err(error) => tracing::warn!(%error, "this node could not say that it lives"),
        }
    }
}

/// Gives everything back: nothing of it is in memory any more.
pub(crate) async fn leave(shared: &Shared) {
    let Some(shards) = shared.ownership.shards() else { return };
    if let Err(error) = shards.cluster.leave().await {
        tracing::warn!(%error, "others take over when the lease of this node has run out");
    }
}

async fn beat(shared: &Shared, shards: &Shards) -> Result<(), StoreError> {
    let given_back = left(shared, shards);
    let begun = shared.clock.instant();
    let owned = shards.cluster.beat(&given_back).await?;
    let ran_out = shared.ownership.has_run_out();
    let moved = renew(shared, shards, begun, &owned);
    if ran_out {
        // Runs that left because of that are still ours, if nobody took them. One that has ended is not found by a
        // search: whoever waits for it looks.
        shared.look_again();
        shared.waiters.moved(|_| true);
    }
    if !owned.surplus.is_empty() {
        shards.leave(&owned.surplus, shared.clock.instant());
        stop_runs(shared, shards, &owned.surplus, Call::Stop);
    }
    if moved.is_nothing() {
        return Ok(());
    }
    tracing::info!(
        n_shards = shards.n_owned(),
        n_gained = moved.gained.len(),
        n_lost = moved.lost.len(),
        "shards have moved"
    );
    // At once: whoever asks from here on is one of all those that are ours now.
    shared.admission.reset(&shared.schedule);
    lost(shared, shards, &moved.lost).await;
    if !moved.gained.is_empty() {
        shared.look_again();
    }
    Ok(())
}

/// The lease counts again, from when the beat began. Runs whose shards somebody took meanwhile are stopped before: no body
/// of theirs may begin in between.
fn renew(shared: &Shared, shards: &Shards, begun: Instant, owned: &Owned) -> Moved {
    let moved = shards.set(&owned.shards);
    stop_runs(shared, shards, &moved.lost, Call::Abort);
    shards.beaten(begun);
    moved
}

/// The shards whose runs have left memory.
fn left(shared: &Shared, shards: &Shards) -> Vec<Shard> {
    let leaving = shards.leaving();
    if leaving.is_empty() {
        return Vec::new();
    }
    let now = shared.clock.instant();
    let grace = Duration::from_millis(shared.config.grace_ms);
    let resident = shared.schedule.residents();
    let (mut left, mut late) = (Vec::new(), Vec::new());
    for (shard, since) in leaving {
        if !resident.iter().any(|run| shards.cluster.shard_of(*run) == shard) {
            left.push(shard);
        } else if now.duration_since(since) > grace {
            late.push(shard);
        }
    }
    stop_runs(shared, shards, &late, Call::Abort);
    left
}

/// Others own these shards: whatever is in memory of them counts no more.
async fn lost(shared: &Shared, shards: &Shards, lost: &[Shard]) {
    if lost.is_empty() {
        return;
    }
    stop_runs(shared, shards, lost, Call::Abort);
    shared.waiters.moved(|run| lost.contains(&shards.cluster.shard_of(run)));
    // A run that comes back must not meet what is left of itself.
    let until = shared.clock.instant() + Duration::from_millis(ABORT_MS);
    let is_lost = |run: &RunId| lost.contains(&shards.cluster.shard_of(*run));
    while shared.schedule.residents().iter().any(is_lost) && shared.clock.instant() < until {
        shared.clock.pause(LEAVING_LOOK).await;
    }
}

async fn drop_all(shared: &Shared, shards: &Shards) {
    let moved = shards.set(&std::collections::BTreeMap::new());
    if !moved.lost.is_empty() {
        tracing::error!("the lease of this node has run out: its runs are left to others");
        lost(shared, shards, &moved.lost).await;
    }
}

fn stop_runs(shared: &Shared, shards: &Shards, of: &[Shard], call: Call) {
    if !of.is_empty() {
        shared.schedule.stop_some(call, |run| of.contains(&shards.cluster.shard_of(run)));
    }
}

/// Acts on what other nodes say, and looks now and then whether something was not heard.
pub(crate) async fn hear(shared: Arc<Shared>) {
    let Some(shards) = shared.ownership.shards() else { return };
    let look = Duration::from_millis(LOOK_MS);
    let mut next_look = shared.clock.instant() + look;
    loop {
        let calls = tokio::select! {
            biased;
            () = shared.closed() => return,
            () = shared.clock.pause(next_look.saturating_duration_since(shared.clock.instant())) => {
                next_look = shared.clock.instant() + look;
                shared.look_again();
                continue;
            }
            calls = shards.cluster.called() => calls,
        };
        for call in calls {
            match call {
                Called::Run(run) => shared.schedule.activate(run, Why::Nudge),
                Called::Watched(run) => shared.waiters.lost(run, &Loss::Moved),
                Called::Shards => shared.beat_now.notify_one(),
                Called::Audience => shared.audience.announced(),
                Called::News { run, from, to } => shared.audience.heard(run, from, to),
                Called::Missed => {
                    shared.look_again();
                    shared.waiters.moved(|run| !shared.ownership.owns(run));
                    // Somebody may have posted to a run that is in memory.
                    let resident = shared.schedule.residents();
                    resident.into_iter().for_each(|run| shared.schedule.activate(run, Why::Nudge));
                }
            }
        }
    }
}
