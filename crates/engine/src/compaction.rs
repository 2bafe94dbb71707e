//! Dropping events that no replay can need, from the store.

use stepwell_journal::compact;
use stepwell_store::{Commit, CommitError, LoadedRun, Store};

use crate::clock::BoxFuture;
use crate::config::GARBAGE_MIN;
use crate::facts::RunFacts;

/// Replaces the journal before the commit by its compacted form, together with the commit. The journal is
/// read for that: a run in memory does not hold it.
pub(crate) fn commit_compacted(
    store: &dyn Store,
    mut commit: Commit,
) -> BoxFuture<'_, Result<(), CommitError>> {
    Box::pin(async move {
        let run = commit.run;
        let Some(loaded) = store.load(run).await? else {
            return Err(CommitError::UnknownRun { run });
        };
        match compact(run, &loaded.journal) {
            Ok(compacted) => commit.compacted = Some(compacted),
            // The run goes on from memory; loading it again would show the same problem, louder.
            Err(error) => tracing::error!(%run, %error, "the journal cannot be compacted"),
        }
        store.commit(commit).await
    })
}

/// How much of what counts as garbage a compaction of this journal would keep. Looked into only when it
/// matters, because that costs as much as a compaction.
pub(crate) fn garbage_that_stays(n_garbage: u64, facts: &RunFacts, loaded: &LoadedRun) -> u64 {
    if n_garbage < GARBAGE_MIN {
        return 0;
    }
    let n_kept = compact(facts.run, &loaded.journal).map_or(0, |kept| kept.len());
    n_garbage.saturating_sub((loaded.journal.len() - n_kept) as u64)
}
