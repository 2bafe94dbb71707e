//! Going on with a run that has ended: what of its journal must be void, and carrying that out.

use std::collections::{BTreeMap, BTreeSet};

use stepwell_journal::{
    Entry, EntryKind, Event, EventKind, Location, RunId, RunOutcome, RunState, RunStatus, Seq,
    SeqRange, UnixMillis, effective,
};
use stepwell_store::{
    Commit, CommitError, InboxId, InboxItem, Inboxed, LoadedRun, NewRun, RowChange,
};

use crate::clock::BoxFuture;
use crate::error::{GetError, ResumeError, StartError};
use crate::schedule::Why;
use crate::shared::Claim;
use crate::{Engine, RunHandle};

/// Where a replay goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayTarget {
    /// In the run itself, which must have ended: what came after is void.
    SameRun,
    /// In a new run that begins as a copy; the old one stays as it is.
    NewRun,
}

/// How a run goes on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ResumeOptions {
    /// When it must have ended. It has no deadline if none, whatever it was started with.
    pub deadline: Option<UnixMillis>,
}

impl RunHandle {
    /// Lets a run that failed or was cancelled go on: what failed is tried again with fresh attempts.
    pub async fn recover(&self) -> Result<(), ResumeError> {
        self.recover_with(ResumeOptions::default()).await
    }

    pub async fn recover_with(&self, options: ResumeOptions) -> Result<(), ResumeError> {
        recover(self.engine().clone(), self.id(), options).await
    }

    /// Does everything again from the entry at `location` on, and keeps everything before it.
    pub async fn replay_from(
        &self,
        location: &Location,
        target: ReplayTarget,
    ) -> Result<RunHandle, ResumeError> {
        self.replay_from_with(location, target, ResumeOptions::default()).await
    }

    pub async fn replay_from_with(
        &self,
        location: &Location,
        target: ReplayTarget,
        options: ResumeOptions,
    ) -> Result<RunHandle, ResumeError> {
        let _turn = Turn::take(self.engine(), self.id())?;
        let loaded = load(self.engine(), self.id()).await?;
        let state = fold(self.id(), &loaded.journal)?;
        let Some(entry) = state.entry(location) else {
            let location = location.clone();
            return Err(ResumeError::UnknownEntry { run: self.id(), location });
        };
        let from = entry.first_seq;
        check_not_undone(&state, from)?;
        match target {
            ReplayTarget::SameRun => {
                if !state.is_ended() {
                    let status = loaded.row.status;
                    return Err(ResumeError::NotEnded { run: self.id(), status });
                }
                let void = void_from(&loaded.journal, from);
                let reason = format!("replayed from {location}");
                resume(self.engine(), &loaded, &void, reason, options).await?;
                Ok(self.clone())
            }
            ReplayTarget::NewRun => {
                let new = copy_of(self.engine(), &loaded, &state, from, options)?;
                let started = self.engine().start_checked(new, true).await;
                let started = started.map(|launched| launched.run);
                started.map_err(|error| ResumeError::Start(Box::new(error)))
            }
        }
    }
}

/// Boxed, because a run's children are recovered with it.
fn recover(
    engine: Engine,
    run: RunId,
    options: ResumeOptions,
) -> BoxFuture<'static, Result<(), ResumeError>> {
    Box::pin(async move {
        let _turn = Turn::take(&engine, run)?;
        let loaded = load(&engine, run).await?;
        let state = fold(run, &loaded.journal)?;
        let sources = match &state.outcome {
            None => return Err(ResumeError::NotEnded { run, status: loaded.row.status }),
            Some(RunOutcome::Completed(_)) => return Err(ResumeError::Completed { run }),
            Some(RunOutcome::Failed(failure)) => failure.sources(),
            Some(RunOutcome::Cancelled(_)) => Vec::new(),
        };
        let undo = effective(&loaded.journal)
            .find(|event| matches!(event.kind, EventKind::UndoStarted { .. }));
        if let Some(undo) = undo {
            return Err(ResumeError::RolledBack { run, at: undo.seq });
        }
        let void = void_failures(&loaded.journal, &sources);
        let children = open_children(run, &loaded.journal, &void)?;
        for child in &children {
            match recover(engine.clone(), *child, ResumeOptions::default()).await {
                // It goes on already, or has a result that its parent has not seen.
                Ok(())
                | Err(ResumeError::NotEnded { .. } | ResumeError::Completed { .. })
                | Err(ResumeError::Get(GetError::UnknownRun { .. })) => {}
                Err(source) => {
                    return Err(ResumeError::Child { child: *child, source: Box::new(source) });
                }
            }
        }
        resume(&engine, &loaded, &void, "recovered".to_owned(), options).await
    })
}

/// Only one at a time resumes a run: each is the first to know what comes next in the journal.
struct Turn<'e> {
    engine: &'e Engine,
    run: RunId,
}

impl Turn<'_> {
    fn take(engine: &Engine, run: RunId) -> Result<Turn<'_>, ResumeError> {
        match engine.shared().resuming.lock().insert(run) {
            true => Ok(Turn { engine, run }),
            false => Err(ResumeError::Changed { run }),
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.engine.shared().resuming.lock().remove(&self.run);
    }
}

/// Writes that the run goes on, and lets it.
async fn resume(
    engine: &Engine,
    loaded: &LoadedRun,
    void: &BTreeSet<Seq>,
    reason: String,
    options: ResumeOptions,
) -> Result<(), ResumeError> {
    let shared = engine.shared();
    let run = loaded.row.run;
    if shared.schedule.is_stopping() {
        return Err(ResumeError::ShuttingDown);
    }
    let at = shared.clock.now();
    let deadline_at = options.deadline;
    let kind = EventKind::RunResumed { voids: ranges(void), reason, deadline_at };
    let event = Event { seq: loaded.row.next_seq, at, kind };
    let mut journal = loaded.journal.clone();
    journal.push(event.clone());
    let state = fold(run, &journal)?;
    let epoch = shared.ownership.present_epoch(run).await?;
    let mut commit = Commit::new(run, epoch, loaded.row.next_seq);
    commit.events.push(event);
    // Its children are asked anew: one may have been resumed since it ended.
    commit.taken = ends_of_children(&loaded.inbox);
    commit.row = Some(RowChange {
        status: RunStatus::Running,
        wake_at: None,
        labels: state.labels.clone(),
        description: state.description.clone(),
        failure: None,
        at,
    });
    // Told by whoever loads the run now: its last events may not have been told yet.
    let claim = Claim::new(shared, run, loaded.row.next_seq);
    let committed = shared.store.commit(commit).await;
    match &committed {
        Ok(()) | Err(CommitError::Store(_)) => drop(claim),
        Err(_) => claim.give_up(),
    }
    match committed {
        Ok(()) => {}
        Err(CommitError::Misplaced { .. }) => return Err(ResumeError::Changed { run }),
        Err(CommitError::Store(error)) => {
            // It may have been written all the same.
            shared.schedule.activate(run, Why::Found);
            return Err(error.into());
        }
        Err(error) => {
            return Err(stepwell_store::StoreError::Unavailable(Box::new(error)).into());
        }
    }
    shared.schedule.activate(run, Why::Found);
    Ok(())
}

fn ends_of_children(inbox: &[Inboxed]) -> Vec<InboxId> {
    let is_end = |inboxed: &&Inboxed| matches!(inboxed.item, InboxItem::ChildEnded { .. });
    inbox.iter().filter(is_end).map(|inboxed| inboxed.id).collect()
}

// --- What must be void: pure -------------------------------------------------------------------------

/// The run's end, a cancel, the failures at `sources`, and the ends of whatever failed because of them.
fn void_failures(journal: &[Event], sources: &[Location]) -> BTreeSet<Seq> {
    let is_source = |location: &Location| sources.contains(location);
    let holds_source = |location: &Location| sources.iter().any(|source| source.is_below(location));
    let mut void = begun_in_vain(journal, Seq(u64::MAX));
    for event in effective(journal) {
        let is_void = match &event.kind {
            EventKind::CancelRequested { .. } | EventKind::DeadlinePassed { .. } => true,
            kind if kind.is_outcome() => true,
            EventKind::StepFailed { location, .. }
            | EventKind::AttemptFailed { location, .. }
            | EventKind::AttemptStarted { location, .. }
            | EventKind::ChildEnded { location, outcome: Err(_) }
            | EventKind::AnswerReceived { location, answer: Err(_) } => is_source(location),
            // A wait that the failure came from was too long: it begins anew.
            EventKind::TimerSet { location, .. }
            | EventKind::TimerFired { location }
            | EventKind::ListenStarted { location, .. }
            | EventKind::ListenTimedOut { location } => is_source(location),
            EventKind::BranchEnded { location, failure: Some(_) }
            | EventKind::BlockEnded { location, failure: Some(_), .. } => {
                is_source(location) || holds_source(location)
            }
            _ => false,
        };
        if is_void {
            void.insert(event.seq);
        }
    }
    void
}

/// Everything from `from` on but messages and earlier resumptions, and attempts before it that had not ended by then.
fn void_from(journal: &[Event], from: Seq) -> BTreeSet<Seq> {
    let mut void = begun_in_vain(journal, from);
    let stays = |kind: &EventKind| {
        matches!(kind, EventKind::MessageReceived(_) | EventKind::RunResumed { .. })
    };
    let is_void = |event: &&Event| event.seq >= from && !stays(&event.kind);
    void.extend(effective(journal).filter(is_void).map(|event| event.seq));
    void
}

/// The start markers of attempts that nothing came of before `end`: nobody's fault, so not an attempt.
fn begun_in_vain(journal: &[Event], end: Seq) -> BTreeSet<Seq> {
    let mut begun: BTreeMap<&Location, Seq> = BTreeMap::new();
    for event in effective(journal).filter(|event| event.seq < end) {
        match &event.kind {
            EventKind::AttemptStarted { location, .. } => {
                begun.insert(location, event.seq);
            }
            kind => {
                if let Some(location) = kind.location() {
                    begun.remove(location);
                }
            }
        }
    }
    begun.into_values().collect()
}

/// The children that the run waits for once these events are void.
fn open_children(
    run: RunId,
    journal: &[Event],
    void: &BTreeSet<Seq>,
) -> Result<Vec<RunId>, ResumeError> {
    let kept: Vec<Event> =
        effective(journal).filter(|event| !void.contains(&event.seq)).cloned().collect();
    Ok(fold(run, &kept)?.open_children(&Location::root()))
}

/// A step before `from` that was undone cannot be kept.
fn check_not_undone(state: &RunState, from: Seq) -> Result<(), ResumeError> {
    let undone = |(location, entry): &(&Location, &Entry)| {
        entry.kind == EntryKind::Undo
            && location
                .parent()
                .and_then(|step| state.entry(&step))
                .is_some_and(|step| step.first_seq < from)
    };
    match state.entries.iter().find(undone) {
        Some((_, entry)) => Err(ResumeError::RolledBack { run: state.run, at: entry.first_seq }),
        None => Ok(()),
    }
}

/// A new run that begins with what this one did before `from`.
fn copy_of(
    engine: &Engine,
    loaded: &LoadedRun,
    state: &RunState,
    from: Seq,
    options: ResumeOptions,
) -> Result<NewRun, ResumeError> {
    let Some(mut started) = state.started.clone() else {
        return Err(GetError::UnknownRun { run: state.run }.into());
    };
    // What was recorded by a pinned version is only understood by that version.
    if !started.pinned {
        let current = engine.shared().registry.current(&started.namespace, &started.workflow);
        let Some(workflow) = current.filter(|workflow| !workflow.is_pinned()) else {
            let (name, namespace) = (started.workflow, started.namespace);
            let error = StartError::UnknownWorkflow { name, namespace };
            return Err(ResumeError::Start(Box::new(error)));
        };
        started.version = workflow.version().to_owned();
    }
    started.deadline_at = options.deadline;
    started.parent = None;
    started.replay_of = Some(state.run);
    let copied = copied(&loaded.journal, from);
    Ok(NewRun {
        run: engine.shared().ownership.new_run_id(),
        at: engine.shared().clock.now(),
        started,
        idempotency_key: None,
        start_at: None,
        copied,
    })
}

/// What a copy keeps: children and questions that had not ended belong to the old run, and are begun anew.
fn copied(journal: &[Event], from: Seq) -> Vec<Event> {
    let mut void = begun_in_vain(journal, from);
    let mut open: BTreeMap<Location, Seq> = BTreeMap::new();
    for event in effective(journal).filter(|event| event.seq < from) {
        match &event.kind {
            EventKind::RunStarted(_)
            | EventKind::RunResumed { .. }
            | EventKind::CancelRequested { .. }
            | EventKind::DeadlinePassed { .. } => {
                void.insert(event.seq);
            }
            EventKind::ChildStarted { location, .. } => {
                open.insert(location.clone(), event.seq);
            }
            EventKind::StepSucceeded { location, .. } => {
                let question = location.parent().filter(|parent| parent.sending() == *location);
                if let Some(question) = question {
                    open.insert(question, event.seq);
                }
            }
            EventKind::ChildEnded { location, .. } | EventKind::AnswerReceived { location, .. } => {
                open.remove(location);
            }
            _ => {}
        }
    }
    void.extend(open.into_values());
    effective(journal)
        .filter(|event| event.seq < from && !void.contains(&event.seq))
        .cloned()
        .collect()
}

fn ranges(seqs: &BTreeSet<Seq>) -> Vec<SeqRange> {
    let mut ranges: Vec<SeqRange> = Vec::new();
    for seq in seqs {
        match ranges.last_mut() {
            Some(range) if range.last.next() == *seq => range.last = *seq,
            _ => ranges.push(SeqRange { first: *seq, last: *seq }),
        }
    }
    ranges
}

fn fold(run: RunId, journal: &[Event]) -> Result<RunState, ResumeError> {
    RunState::fold(run, journal).map_err(|source| GetError::Damaged { run, source }.into())
}

async fn load(engine: &Engine, run: RunId) -> Result<LoadedRun, ResumeError> {
    let loaded = engine.shared().store.load(run).await?;
    loaded.ok_or_else(|| GetError::UnknownRun { run }.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_become_one_range() {
        let seqs = [3, 4, 5, 9].map(Seq).into_iter().collect();
        let made: Vec<(u64, u64)> =
            ranges(&seqs).iter().map(|range| (range.first.0, range.last.0)).collect();
        assert_eq!(made, [(3, 5), (9, 9)]);
    }
}
