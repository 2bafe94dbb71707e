//! What a run that was resumed has missed of its children.
//!
//! A child tells its parent how it ended in the same commit as its end. While the parent has ended itself,
//! the store drops that; so a parent that is resumed asks, before it does anything else. Its row says that
//! it is not merely waiting until it has: a crash in between makes the next engine ask.

use stepwell_journal::{Event, EventKind, Location, RunState, RunStatus};
use stepwell_store::{Inboxed, LoadedRun, StoreError};

use crate::effects::child_ended;
use crate::shared::Shared;

/// Puts the ends that the run missed into its inbox, as if its children had told it.
pub(crate) async fn catch_up(shared: &Shared, loaded: &mut LoadedRun) -> Result<(), StoreError> {
    if loaded.row.status == RunStatus::Waiting || !was_resumed(&loaded.journal) {
        return Ok(());
    }
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
    Ok(())
}

fn was_resumed(journal: &[Event]) -> bool {
    journal.iter().any(|event| matches!(event.kind, EventKind::RunResumed { .. }))
}

fn end_of(child: &LoadedRun) -> Option<Inboxed> {
    let state = RunState::fold(child.row.run, &child.journal).ok()?;
    let parent = state.started.as_ref()?.parent.as_ref()?;
    let ended = child.journal.iter().rev().find(|event| event.kind.is_outcome())?;
    let post = child_ended(child.row.run, parent, state.outcome.as_ref()?, ended);
    Some(Inboxed { id: post.id, at: post.at, item: post.item })
}
