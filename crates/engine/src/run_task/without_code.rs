//! What can be done with a run whose workflow nobody has registered.

use stepwell_journal::{Event, EventKind, Failure, RunState, RunStatus, UnixMillis};
use stepwell_store::{CommitError, InboxId, InboxItem, Inboxed, LoadedRun};

use super::begin::has_begun;
use super::{RunTask, Then, started_of};
use crate::effects::Effects;
use crate::facts::RunFacts;
use crate::link::Call;
use crate::row::RowShadow;

impl RunTask {
    /// The run's workflow is not registered. Only a run that has done nothing yet can be ended without its
    /// code, by a cancel or its deadline, because nothing can be there to undo.
    pub(super) async fn without_code(&mut self, loaded: &LoadedRun, now: UnixMillis) -> Then {
        let state = match RunState::fold(self.run, &loaded.journal) {
            Ok(state) => state,
            Err(error) => return self.quarantine(&error.to_string()),
        };
        let Some(facts) = RunFacts::of(loaded).filter(|_| state.entries.is_empty()) else {
            return self.park(loaded, None, now).await;
        };
        match end_of_untouched(loaded, &state, now) {
            Some(end) => self.end_untouched(&facts, loaded, end).await,
            None => self.park(loaded, state.open_deadline(), now).await,
        }
    }

    /// Lets the run wait for somebody to register its workflow, and for its deadline if it has one.
    async fn park(
        &mut self,
        loaded: &LoadedRun,
        deadline_at: Option<UnixMillis>,
        now: UnixMillis,
    ) -> Then {
        // A date that has passed must not stand in the way of others' dates.
        let wake_at = loaded.row.wake_at.filter(|at| *at > now).or(deadline_at);
        if loaded.row.wake_at != wake_at
            && let Err(error) = self.show_running(loaded, wake_at, now).await
        {
            return self.commit_failed(error).await;
        }
        if !self.shared.schedule.park(self.run, &loaded.row.workflow, &self.link) {
            return Then::Again;
        }
        if !has_begun(loaded) {
            self.shared.free_slot(self.run, &loaded.row.namespace, &loaded.row.workflow);
        }
        if let Some(at) = wake_at {
            self.shared.timers.insert(at, self.run);
        }
        // It may have been registered between our look and our parking.
        let started = started_of(loaded);
        if started.is_some_and(|started| self.shared.registry.knows(started)) {
            self.shared.schedule.unpark(Some(&loaded.row.workflow));
        }
        Then::Leave
    }

    async fn end_untouched(
        &mut self,
        facts: &RunFacts,
        loaded: &LoadedRun,
        end: [EventKind; 2],
    ) -> Then {
        let (first, at) = (loaded.row.next_seq, self.shared.clock.now());
        let [why, outcome] = end;
        let events = vec![
            Event { seq: first, at, kind: why },
            Event { seq: first.next(), at, kind: outcome },
        ];
        let mut after = loaded.clone();
        after.journal.extend(events.iter().cloned());
        self.shared.updates.owed.owe(self.run, first);
        // Who resumes the run before the store has answered us owes more than we can tell.
        let asked = self.shared.updates.owed.asking();
        let batch = stepwell_kernel::Batch { first_seq: first, events, ..Default::default() };
        let mut commit = self.commit_to(loaded);
        let state = RunState::new(self.run);
        let effects = Effects::of(facts, &state, batch, &mut commit);
        commit.row = RowShadow::of(&loaded.row).follow(&commit.events, at);
        // Messages stay, for a run that is resumed.
        commit.taken = cancels(loaded);
        if let Err(error) = self.shared.store.commit(commit).await {
            effects.assume_nothing(&self.shared);
            return self.commit_failed(error).await;
        }
        self.link.call(Call::Ended);
        if let Some(outcome) = &effects.outcome {
            after.row.status = outcome.status();
            self.shared.tell_loaded(&after, asked);
            self.shared.run_ended(facts, outcome);
        }
        effects.perform(&self.shared, facts);
        self.release()
    }

    async fn show_running(
        &self,
        loaded: &LoadedRun,
        wake_at: Option<UnixMillis>,
        now: UnixMillis,
    ) -> Result<(), CommitError> {
        let mut commit = self.commit_to(loaded);
        let mut row = loaded.row.clone();
        row.status = RunStatus::Pending;
        commit.row = RowShadow::of(&row).running(now);
        if let Some(row) = &mut commit.row {
            row.wake_at = wake_at;
        }
        self.shared.store.commit(commit).await
    }
}

/// How a run that has done nothing ends now, if it does.
fn end_of_untouched(
    loaded: &LoadedRun,
    state: &RunState,
    now: UnixMillis,
) -> Option<[EventKind; 2]> {
    let cancel = loaded.inbox.iter().find_map(|inboxed| match &inboxed.item {
        InboxItem::Cancel { reason } => Some(reason.clone()),
        _ => None,
    });
    if let Some(reason) = cancel {
        let requested = EventKind::CancelRequested { reason: reason.clone() };
        return Some([requested, EventKind::RunCancelled { reason }]);
    }
    let deadline_at = state.open_deadline().filter(|at| *at <= now)?;
    let passed = EventKind::DeadlinePassed { deadline_at };
    Some([passed, EventKind::RunFailed { failure: Failure::missed_deadline(deadline_at) }])
}

fn cancels(loaded: &LoadedRun) -> Vec<InboxId> {
    let is_cancel = |inboxed: &&Inboxed| matches!(inboxed.item, InboxItem::Cancel { .. });
    loaded.inbox.iter().filter(is_cancel).map(|inboxed| inboxed.id).collect()
}
