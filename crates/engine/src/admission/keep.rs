//! The task that looks after groups when no run does: at dates, and when the store has to be asked.

use std::sync::Arc;

use stepwell_journal::{RunId, UnixMillis};
use stepwell_store::Cursor;

use super::rebuild::{rebuild, refill};
use super::{Lane, Stage, State};
use crate::clock::{Backoff, sleep_until};
use crate::config::STORE_RETRY_MS;
use crate::keeper::wait_for_store;
use crate::link::Busy;
use crate::schedule::Why;
use crate::shared::Shared;

enum Work {
    /// The store has to be asked who is under way.
    Rebuild(Lane),
    /// There is room in the queue for some who wait in the store, after this one.
    Refill(Lane, Cursor),
    /// These may begin, or have missed their deadline.
    Wake(Vec<RunId>),
    /// Nothing before this date.
    Rest(Option<UnixMillis>),
}

/// Until the engine closes.
pub(crate) async fn keep_admitting(shared: Arc<Shared>, busy: Busy) {
    let mut backoff = Backoff::new(STORE_RETRY_MS.0, STORE_RETRY_MS.1);
    while !shared.schedule.is_stopping() {
        shared.admission.attention.take();
        let work = shared.admission.state.lock().work(shared.clock.now());
        let (lane, asked) = match work {
            Work::Rebuild(lane) => {
                let asked = rebuild(&shared, &lane).await;
                (lane, asked)
            }
            Work::Refill(lane, after) => {
                let asked = refill(&shared, &lane, Some(after)).await;
                (lane, asked)
            }
            Work::Wake(runs) => {
                runs.into_iter().for_each(|run| shared.schedule.activate(run, Why::Timer));
                continue;
            }
            Work::Rest(until) => {
                rest(&shared, &busy, until).await;
                continue;
            }
        };
        if let Err(error) = &asked {
            wait_for_store(&shared, &busy, &mut backoff, error).await;
        }
        shared.admission.state.lock().todo.insert(lane);
    }
}

async fn rest(shared: &Shared, busy: &Busy, until: Option<UnixMillis>) {
    let _rest = busy.rest(0);
    tokio::select! {
        biased;
        () = sleep_until(&*shared.clock, until) => {}
        () = shared.admission.attention.called() => {}
        () = shared.closed() => {}
    }
}

impl State {
    /// What is to be done next.
    fn work(&mut self, now: UnixMillis) -> Work {
        while let Some((at, lane)) = self.agenda.first().cloned()
            && at <= now
        {
            self.agenda.pop_first();
            if let Some(entry) = self.groups.get_mut(&lane) {
                entry.date = None;
            }
            self.todo.insert(lane);
        }
        while let Some(lane) = self.todo.pop_first() {
            let Some(entry) = self.groups.get_mut(&lane) else { continue };
            let mut runs = entry.group.overdue(now);
            runs.extend(entry.admit(now));
            if !runs.is_empty() {
                self.todo.insert(lane);
                return Work::Wake(runs);
            }
            if entry.stage == Stage::Unknown {
                return Work::Rebuild(lane);
            }
            if entry.stage == Stage::Known
                && let Some(after) = entry.group.wants_more()
            {
                entry.group.expect_all();
                return Work::Refill(lane, after);
            }
            self.note_date(&lane, now);
        }
        Work::Rest(self.agenda.first().map(|(at, _)| *at))
    }

    /// Remembers when the group has to be looked at. True if the keeper must know.
    pub(super) fn note_date(&mut self, lane: &Lane, now: UnixMillis) -> bool {
        let Some(entry) = self.groups.get_mut(lane) else { return false };
        let date = entry.group.next_date(now);
        let wants_store = entry.stage == Stage::Unknown || entry.group.wants_more().is_some();
        let mut is_news = wants_store && self.todo.insert(lane.clone());
        if entry.date != date {
            if let Some(before) = entry.date {
                self.agenda.remove(&(before, lane.clone()));
            }
            entry.date = date;
            if let Some(at) = date {
                self.agenda.insert((at, lane.clone()));
                is_news |= self.agenda.first().is_some_and(|(first, _)| *first == at);
            }
        }
        is_news
    }
}
