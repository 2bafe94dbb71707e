//! What the store knows of a group: who is under way, who began lately, who waits.

use stepwell_journal::{Event, EventKind, RunId, RunStatus, Seq, UnixMillis};
use stepwell_kernel::RunLimits;
use stepwell_store::{Cursor, PAGE_ROWS_MAX, RunQuery, RunRow, StoreError};

use super::group::{Candidate, Group};
use super::{Entry, Lane, Stage, key_of};
use crate::config::{QUEUED_MAX, RATE_READS_MAX};
use crate::schedule::Why;
use crate::shared::Shared;

const UNDER_WAY: [RunStatus; 3] = [RunStatus::Running, RunStatus::Waiting, RunStatus::RollingBack];
const ENDED: [RunStatus; 3] = [RunStatus::Completed, RunStatus::Failed, RunStatus::Cancelled];

/// Asks the store for everything that a group must know before it admits anybody.
pub(super) async fn rebuild(shared: &Shared, lane: &Lane) -> Result<(), StoreError> {
    let begun = with_entry(shared, lane, |entry, now| {
        entry.stage = Stage::Asking;
        entry.group.expect_all();
        entry.group.forget_begun(now);
        (*entry.group.limits).clone()
    });
    let Some(limits) = begun else { return Ok(()) };
    let asked = ask_store(shared, lane, &limits).await;
    shared.admission.with(lane, |entry| {
        // Limits that changed meanwhile may want more to be known.
        if entry.stage == Stage::Asking {
            entry.stage = if asked.is_ok() { Stage::Known } else { Stage::Unknown };
        }
        entry.gone.clear();
    });
    asked
}

async fn ask_store(shared: &Shared, lane: &Lane, limits: &RunLimits) -> Result<(), StoreError> {
    // Runs that wait come first: one that begins in between is then found among those under way.
    refill(shared, lane, None).await?;
    hold_under_way(shared, lane).await?;
    remember_begun(shared, lane, limits).await
}

async fn hold_under_way(shared: &Shared, lane: &Lane) -> Result<(), StoreError> {
    let query = RunQuery { statuses: UNDER_WAY.to_vec(), ..query_of(lane) };
    each_page(shared, query, usize::MAX, |rows| {
        let waited = with_entry(shared, lane, |entry, now| {
            // Where the store is shared, each node limits its own runs.
            let is_ours = |row: &&RunRow| shared.ownership.owns(row.run);
            let is_gone = |row: &RunRow| entry.gone.contains(&row.run);
            let held: Vec<_> = rows.iter().filter(is_ours).filter(|row| !is_gone(row)).collect();
            let mut waited = Vec::new();
            for row in held {
                let key = key_of(&entry.group.limits, &row.input);
                if entry.group.hold(row.run, key, None, now) {
                    waited.push(row.run);
                }
            }
            waited
        });
        // One whose row says that it is under way, and whose journal does not, has asked, and waits for an answer.
        let waited = waited.into_iter().flatten();
        waited.for_each(|run| shared.schedule.activate(run, Why::Found));
    })
    .await
}

/// When the runs began that a rate has to know of. They begin in the order of their creation, so it is enough
/// to look at those that were created last.
async fn remember_begun(
    shared: &Shared,
    lane: &Lane,
    limits: &RunLimits,
) -> Result<(), StoreError> {
    let of_key = limits.per_key.as_ref().and_then(|keyed| keyed.rate);
    let Some(per_ms) = [limits.rate, of_key].into_iter().flatten().map(|rate| rate.per_ms).max()
    else {
        return Ok(());
    };
    let n_runs = limits.rate.map_or(0, |rate| usize::try_from(rate.n_runs).unwrap_or(usize::MAX));
    let rows_max = if of_key.is_some() { RATE_READS_MAX } else { n_runs };
    let since = UnixMillis(shared.clock.now().0.saturating_sub(per_ms));
    let mut lately = Vec::new();
    for statuses in [ENDED, UNDER_WAY] {
        let query = RunQuery { statuses: statuses.to_vec(), ..query_of(lane) };
        each_page(shared, query, rows_max, |rows| {
            lately.extend(rows.iter().filter(|row| row.updated_at >= since).cloned());
        })
        .await?;
    }
    for row in lately {
        // A run's first event after its start tells when it began, to a few milliseconds.
        let first = first_event(shared, row.run, Seq(1)).await?;
        let Some(at) = first.map(|event| event.at).filter(|at| *at >= since) else { continue };
        with_group(shared, lane, |group, _| {
            let key = key_of(&group.limits, &row.input);
            group.began(key, at);
        });
    }
    Ok(())
}

/// Lets those into the queue who wait in the store, the oldest first, after this one. The group must expect
/// all.
pub(super) async fn refill(
    shared: &Shared,
    lane: &Lane,
    after: Option<Cursor>,
) -> Result<(), StoreError> {
    let mut query = RunQuery {
        statuses: vec![RunStatus::Pending],
        oldest_first: true,
        after,
        ..query_of(lane)
    };
    loop {
        match refill_page(shared, lane, &query, after.is_some()).await {
            Ok(None) => return Ok(()),
            Ok(Some(next)) => query.after = Some(next),
            Err(error) => {
                // Nothing is forgotten: it is asked for again from here.
                if let Some(end) = query.after {
                    with_group(shared, lane, |group, now| group.expect_later(end, now));
                }
                return Err(error);
            }
        }
    }
}

/// Where to go on, if there is more and there is room.
async fn refill_page(
    shared: &Shared,
    lane: &Lane,
    query: &RunQuery,
    reads_deadlines: bool,
) -> Result<Option<Cursor>, StoreError> {
    let page = shared.store.query(query.clone()).await?;
    for row in page.runs.iter().filter(|row| shared.ownership.owns(row.run)) {
        // After a start every run asks for itself, and says when it must have ended.
        let first = match reads_deadlines {
            true => first_event(shared, row.run, Seq(0)).await?,
            false => None,
        };
        let deadline_at = first.and_then(|event| match event.kind {
            EventKind::RunStarted(started) => started.deadline_at,
            _ => None,
        });
        // Everything is read before anything is noted: if the store fails here, the row is looked at again.
        let began = match row.next_seq > Seq(1) {
            true => first_event(shared, row.run, Seq(1)).await?,
            false => None,
        };
        let is_news = with_entry(shared, lane, |entry, now| {
            let is_news = enter(entry, row, deadline_at, now);
            if let Some(event) = began.filter(|_| is_news) {
                let key = key_of(&entry.group.limits, &row.input);
                entry.group.began(key, event.at);
            }
            is_news
        });
        if is_news == Some(true) {
            shared.schedule.activate(row.run, Why::Found);
        }
    }
    let Some(next) = page.next else { return Ok(None) };
    let is_full = with_group(shared, lane, |group, now| {
        let is_full = group.n_waiting() >= QUEUED_MAX;
        if is_full {
            group.expect_later(next, now);
        }
        is_full
    });
    Ok((is_full == Some(false)).then_some(next))
}

/// A run that the store has as pending: it waits for a slot, or has one, or is not to begin yet. True if it
/// was not known that it has begun, and it should be looked at.
fn enter(
    entry: &mut Entry,
    row: &RunRow,
    deadline_at: Option<UnixMillis>,
    now: UnixMillis,
) -> bool {
    let group = &mut entry.group;
    let key = key_of(&group.limits, &row.input);
    if entry.gone.contains(&row.run) {
        return false;
    }
    if group.holds(row.run) || row.next_seq > Seq(1) {
        // Its row does not show it yet. (A copy has not begun, but nothing here tells it from one that has.)
        let was_held = group.holds(row.run);
        group.hold(row.run, key, None, now);
        return !was_held;
    }
    if row.wake_at.is_none_or(|at| at <= now) {
        group.wait(Candidate { cursor: row.cursor(), key, deadline_at }, now);
    }
    false
}

fn query_of(lane: &Lane) -> RunQuery {
    RunQuery {
        namespace: Some(lane.namespace.to_string()),
        workflow: Some(lane.workflow.to_string()),
        limit: PAGE_ROWS_MAX,
        ..RunQuery::default()
    }
}

async fn each_page(
    shared: &Shared,
    mut query: RunQuery,
    rows_max: usize,
    mut of: impl FnMut(&[RunRow]),
) -> Result<(), StoreError> {
    let mut n_rows = 0;
    loop {
        let page = shared.store.query(query.clone()).await?;
        of(&page.runs);
        n_rows += page.runs.len();
        match page.next {
            Some(next) if n_rows < rows_max => query.after = Some(next),
            _ => return Ok(()),
        }
    }
}

async fn first_event(shared: &Shared, run: RunId, from: Seq) -> Result<Option<Event>, StoreError> {
    let events = shared.store.journal(run, from, 1).await?;
    Ok(events.into_iter().next())
}

fn with_group<T>(
    shared: &Shared,
    lane: &Lane,
    of: impl FnOnce(&mut Group, UnixMillis) -> T,
) -> Option<T> {
    with_entry(shared, lane, |entry, now| of(&mut entry.group, now))
}

fn with_entry<T>(
    shared: &Shared,
    lane: &Lane,
    of: impl FnOnce(&mut Entry, UnixMillis) -> T,
) -> Option<T> {
    let now = shared.clock.now();
    shared.admission.with(lane, |entry| of(entry, now))
}
