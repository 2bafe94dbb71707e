//! What is left to do for a run that has ended.

use stepwell_journal::{Event, RunId, RunOutcome, RunState};
use stepwell_store::{Commit, InboxItem, LoadedRun, Post, StoreError};

use super::{RunTask, Then};
use crate::effects::{child_ended, no_answer};
use crate::link::Call;
use crate::schedule::Why;

impl RunTask {
    /// Somebody calls a run that has ended. Who asked it something must not wait for ever, and neither
    /// must a parent that was resumed and started it once more.
    pub(super) async fn settle(&mut self, loaded: &LoadedRun) -> Then {
        let state = match RunState::fold(self.run, &loaded.journal) {
            Ok(state) => state,
            Err(error) => return self.quarantine(&error.to_string()),
        };
        self.shared.free_slot(self.run, &loaded.row.namespace, &loaded.row.workflow);
        if let Some(outcome) = &state.outcome {
            // Who begins to wait from here on looks into the store.
            self.link.call(Call::Ended);
            self.shared.waiters.ended(self.run, outcome);
        }
        let mut commit = self.commit_to(loaded);
        for inboxed in &loaded.inbox {
            if let InboxItem::Message { id, reply: Some(reply), .. } = &inboxed.item {
                commit.posts.extend(no_answer(self.run, *id, reply, inboxed.at));
            }
        }
        commit.posts.extend(self.end_for_parent(&state, &loaded.journal));
        // Two that have ended would otherwise tell each other the same for ever.
        if let Err(error) = self.drop_posts_to_ended(&mut commit).await {
            return self.store_failed(error).await;
        }
        let told: Vec<RunId> = commit.posts.iter().map(|post| post.to).collect();
        if !told.is_empty() {
            if let Err(error) = self.shared.store.commit(commit).await {
                return self.commit_failed(error).await;
            }
            told.into_iter().for_each(|run| self.shared.schedule.activate(run, Why::Nudge));
        }
        self.release()
    }

    async fn drop_posts_to_ended(&self, commit: &mut Commit) -> Result<(), StoreError> {
        let mut kept = Vec::with_capacity(commit.posts.len());
        for post in std::mem::take(&mut commit.posts) {
            let row = self.shared.store.row(post.to).await?;
            if row.is_some_and(|row| !row.status.is_ended()) {
                kept.push(post);
            }
        }
        commit.posts = kept;
        Ok(())
    }

    fn end_for_parent(&self, state: &RunState, journal: &[Event]) -> Option<Post> {
        let parent = state.started.as_ref()?.parent.as_ref()?;
        let outcome: &RunOutcome = state.outcome.as_ref()?;
        let ended = journal.iter().rev().find(|event| event.kind.is_outcome())?;
        Some(child_ended(self.run, parent, outcome, ended))
    }
}
