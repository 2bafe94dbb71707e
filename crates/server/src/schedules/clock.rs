//! The task that starts runs when their time has come.

use std::collections::BTreeSet;
use std::sync::Arc;

use stepwell_engine::{StartError, StartOptions};
use stepwell_journal::{RunId, UnixMillis};
use stepwell_store::Expect;
use tokio::sync::Notify;

use super::Stored;
use crate::api::Overlap;
use crate::app::App;
use crate::documents::Found;
use crate::problem::{Code, Problem, with_causes};

/// How often all schedules are read again, for changes that other nodes made.
const REREAD_MS: u64 = 10_000;

/// How long to wait after the store failed.
const RETRY_MS: u64 = 1_000;

/// Starts what is due, until the server goes down.
pub async fn keep(app: App) {
    let mut watched: BTreeSet<RunId> = BTreeSet::new();
    loop {
        let now = app.engine.clock().now();
        let next = match round(&app, now, &mut watched).await {
            Ok(next) => next.min(now.plus_ms(REREAD_MS)),
            Err(problem) => {
                tracing::warn!(problem = problem.detail, "schedules could not be looked after");
                now.plus_ms(RETRY_MS)
            }
        };
        tokio::select! {
            () = app.engine.clock().sleep_until(next) => {}
            () = app.schedules.changed.notified() => {}
            () = app.closed() => return,
        }
    }
}

/// Handles everything that is due, and says when the next time is.
async fn round(
    app: &App,
    now: UnixMillis,
    watched: &mut BTreeSet<RunId>,
) -> Result<UnixMillis, Problem> {
    let mut next = UnixMillis(u64::MAX);
    for found in app.schedules.documents.list::<Stored>(None).await? {
        let Some(times) = found.body.times().filter(|_| !found.body.schedule.paused) else {
            continue;
        };
        if let Some(at) = times.next(now) {
            next = next.min(at);
        }
        let due = times.due(UnixMillis(found.body.handled), now, found.body.schedule.catch_up);
        if due.is_empty() && found.body.queued.is_none() {
            continue;
        }
        match handle(app, found, &due, watched).await {
            // Another node was quicker, or somebody changed it: the next round sees that.
            Err(problem) if problem.is(Code::Changed) => next = now,
            handled => handled?,
        }
    }
    Ok(next)
}

async fn handle(
    app: &App,
    found: Found<Stored>,
    due: &[UnixMillis],
    watched: &mut BTreeSet<RunId>,
) -> Result<(), Problem> {
    let Found { namespace, key: name, revision, body: before } = found;
    let mut stored = before.clone();
    let queued = stored.queued.take().map(UnixMillis);
    for at in queued.into_iter().chain(due.iter().copied()) {
        stored.handled = stored.handled.max(at.0);
        match (stored.schedule.overlap, unended(app, &stored).await?) {
            (Overlap::Allow, _) | (_, None) => {
                start(app, &namespace, &name, &mut stored, at).await?
            }
            (Overlap::Skip, Some(_)) => stored.n_skipped += 1,
            (Overlap::Queue, Some(run)) => {
                if stored.queued.replace(at.0).is_some() {
                    stored.n_skipped += 1;
                }
                watch(app, run, watched);
            }
        }
    }
    let is_same = stored.handled == before.handled
        && stored.queued == before.queued
        && stored.n_started == before.n_started;
    if is_same {
        return Ok(());
    }
    let expect = Expect::Revision(revision);
    app.schedules.documents.put(&namespace, &name, &stored, expect).await
}

/// The last run that the schedule started, if it has not ended.
async fn unended(app: &App, stored: &Stored) -> Result<Option<RunId>, Problem> {
    let Some(run) = stored.last_run.as_deref().and_then(|text| text.parse::<RunId>().ok()) else {
        return Ok(None);
    };
    let row = app.engine.store().row(run).await?;
    Ok(row.filter(|row| !row.status.is_ended()).map(|row| row.run))
}

/// Looks again when the run has ended.
fn watch(app: &App, run: RunId, watched: &mut BTreeSet<RunId>) {
    if !watched.insert(run) {
        return;
    }
    let (app, changed): (App, Arc<Notify>) = (app.clone(), Arc::clone(&app.schedules.changed));
    tokio::spawn(async move {
        if let Ok(handle) = app.engine.get(run).await {
            tokio::select! {
                // However it ended, or could not be waited for: the next round looks.
                _ = handle.outcome() => {}
                () = app.closed() => return,
            }
        }
        changed.notify_one();
    });
}

async fn start(
    app: &App,
    namespace: &str,
    name: &str,
    stored: &mut Stored,
    at: UnixMillis,
) -> Result<(), Problem> {
    let schedule = &stored.schedule;
    let mut labels = schedule.labels.clone();
    labels.insert("schedule".to_owned(), name.to_owned());
    let options = StartOptions {
        namespace: Some(namespace.to_owned()),
        idempotency_key: Some(format!("schedule {name} {} {}", stored.created_at, at.0)),
        labels,
        deadline: schedule.deadline_ms.map(|ms| app.engine.clock().now().plus_ms(ms)),
        ..StartOptions::default()
    };
    let started = app.engine.start_with(&schedule.workflow, &schedule.input, options).await;
    match started {
        Ok(run) => {
            stored.last_at = Some(at.0);
            stored.last_run = Some(run.id().to_string());
            stored.last_problem = None;
            stored.n_started += 1;
            Ok(())
        }
        Err(StartError::Store(error)) => Err(error.into()),
        Err(error @ StartError::ShuttingDown) => Err(error.into()),
        Err(error) => {
            let problem = with_causes(&error);
            tracing::warn!(
                namespace,
                schedule = name,
                problem,
                "a scheduled run could not be started"
            );
            stored.last_at = Some(at.0);
            stored.last_problem = Some(problem);
            Ok(())
        }
    }
}
