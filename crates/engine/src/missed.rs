//! What a run that was resumed has missed: ends of its children, and answers to its questions.
//!
//! A child tells its parent how it ended in the same commit as its end, and a run that was asked something
//! tells who asked in the same commit as its answer. While the one who is told has ended itself, the store
//! drops that; so a run that is resumed asks, before it does anything else. Its row says that it is not
//! merely waiting until it has: a crash in between makes the next engine ask.

use stepwell_journal::{
    Asked, Event, EventKind, Failure, FailureKind, Json, Location, Outcome, RunState, RunStatus,
    Wait,
};
use stepwell_store::{InboxItem, Inboxed, LoadedRun, StoreError};

use crate::effects::child_ended;
use crate::shared::{Shared, inbox_id};

/// Whether the run was resumed, and may not have asked since.
pub(crate) fn may_have_missed(loaded: &LoadedRun) -> bool {
    let resumes = |event: &Event| matches!(event.kind, EventKind::RunResumed { .. });
    loaded.row.status != RunStatus::Waiting && loaded.journal.iter().any(resumes)
}

/// Puts what the run missed into its inbox, as if it had been told.
pub(crate) async fn catch_up(shared: &Shared, loaded: &mut LoadedRun) -> Result<(), StoreError> {
    let Ok(state) = RunState::fold(loaded.row.run, &loaded.journal) else {
        // Whoever replays the journal says what is wrong with it.
        return Ok(());
    };
    for child in state.open_children(&Location::root()) {
        // One that ends after this look finds its parent alive, and tells it.
        let has_ended = shared.store.row(child).await?.is_some_and(|row| row.status.is_ended());
        if has_ended
            && let Some(child) = shared.store.load(child).await?
            && let Some(end) = end_of(&child)
            && !loaded.inbox.iter().any(|inboxed| inboxed.id == end.id)
        {
            loaded.inbox.push(end);
        }
    }
    for wait in state.waits() {
        if let Wait::Answer { location } = wait
            && !loaded.inbox.iter().any(|inboxed| is_answer_to(&inboxed.item, &location))
            && let Some(answer) = missed_answer(shared, &state, &location).await?
        {
            loaded.inbox.push(answer);
        }
    }
    Ok(())
}

fn is_answer_to(item: &InboxItem, question: &Location) -> bool {
    matches!(item, InboxItem::Answer { location, .. } if location == question)
}

/// What became of a question, if that is decided.
async fn missed_answer(
    shared: &Shared,
    state: &RunState,
    location: &Location,
) -> Result<Option<Inboxed>, StoreError> {
    let sent = state.entries.get(&location.sending()).and_then(|entry| entry.outcome.as_ref());
    let Some((_, Outcome::Value(sent))) = sent else { return Ok(None) };
    let Ok(asked) = sent.to::<Asked>() else { return Ok(None) };
    let other = shared.store.load(asked.to).await?;
    Ok(answer_of(asked, other.as_ref()).map(|answer| Inboxed {
        id: inbox_id(state.run, &format!("missed answer to {}", asked.message)),
        at: shared.clock.now(),
        item: InboxItem::Answer { location: location.clone(), answer },
    }))
}

/// What the run that was asked says; nothing if it may still answer.
fn answer_of(asked: Asked, other: Option<&LoadedRun>) -> Option<Result<Json, Failure>> {
    let Asked { to, message } = asked;
    let failed = |said: String| Some(Err(Failure::new(FailureKind::Error, said)));
    let Some(other) = other else {
        return failed(format!("run {to}, which was asked, is gone"));
    };
    let theirs = RunState::fold(to, &other.journal).ok()?;
    if let Some((_, answer)) = theirs.answers.iter().find(|(id, _)| *id == message) {
        return Some(Ok(answer.clone()));
    }
    if theirs.is_ended() {
        return failed(format!("run {to} ended without an answer"));
    }
    let is_here =
        |inboxed: &Inboxed| matches!(inboxed.item, InboxItem::Message { id, .. } if id == message);
    let is_open = theirs.unanswered.contains_key(&message)
        || theirs.mailbox.iter().any(|known| known.id == message)
        || other.inbox.iter().any(is_here);
    if is_open {
        return None;
    }
    failed(format!("run {to} answered while this run had ended, too long ago to be remembered"))
}

fn end_of(child: &LoadedRun) -> Option<Inboxed> {
    let state = RunState::fold(child.row.run, &child.journal).ok()?;
    let parent = state.started.as_ref()?.parent.as_ref()?;
    let ended = child.journal.iter().rev().find(|event| event.kind.is_outcome())?;
    let post = child_ended(child.row.run, parent, state.outcome.as_ref()?, ended);
    Some(Inboxed { id: post.id, at: post.at, item: post.item })
}
