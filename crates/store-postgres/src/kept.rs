//! What a writer remembers of the runs that it has written to.
//!
//! Whoever owns a run is alone in writing its journal and its row, and all of that goes through one writer. So a commit to
//! a run that the writer remembers is judged without a look at the database. Two things may be otherwise than
//! remembered, and the transaction itself finds out, in the same round trip, and fails: the shard may belong to somebody else
//! (`Statements::guard`), and something may have been posted to the run (`Statements::quiet`), which only matters if the
//! run's row is written.

use std::collections::HashMap;

use stepwell_journal::{Epoch, RunId};
use stepwell_store::{Commit, RunRow};

/// A writer that would remember more runs than this forgets them all; each is then read once more.
const RUNS_MAX: usize = 16_384;

/// A run that has not ended and whose inbox is empty, as it was when its owner last wrote to it.
#[derive(Debug, Clone)]
pub(crate) struct KeptRun {
    /// Since when the run's shard is ours.
    pub epoch: Epoch,
    /// Without the input.
    pub row: RunRow,
    pub next_line: i64,
}

#[derive(Default)]
pub(crate) struct Kept {
    runs: HashMap<RunId, KeptRun>,
    /// The shards that were ours when they were last looked at, and since when.
    shards: HashMap<i16, Epoch>,
}

/// What is to be remembered when a transaction is committed.
#[derive(Default)]
pub(crate) struct Learned {
    pub runs: Vec<KeptRun>,
    pub shards: Vec<(i16, Epoch)>,
}

impl Kept {
    /// Whether the commit can be judged by what is remembered of its run.
    pub fn knows(&self, commit: &Commit) -> bool {
        let is_simple = commit.taken.is_empty() && commit.compacted.is_none() && !commit.resumes();
        is_simple
            && self.runs.get(&commit.run).is_some_and(|kept| {
                kept.epoch == commit.epoch && kept.row.next_seq == commit.first_seq
            })
    }

    /// What is remembered of a run, which is forgotten: it is about to change.
    pub fn take(&mut self, run: RunId) -> Option<KeptRun> {
        self.runs.remove(&run)
    }

    /// Since when a shard is ours, if it is.
    pub fn epoch(&self, shard: i16) -> Option<Epoch> {
        self.shards.get(&shard).copied()
    }

    /// A transaction was committed.
    pub fn learn(&mut self, learned: Learned) {
        if self.runs.len() + learned.runs.len() > RUNS_MAX {
            self.runs.clear();
        }
        self.shards.extend(learned.shards);
        self.runs.extend(learned.runs.into_iter().map(|kept| (kept.row.run, kept)));
    }

    /// Nothing is certain any more.
    pub fn clear(&mut self) {
        *self = Kept::default();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use stepwell_journal::{Json, RunStatus, Seq, UnixMillis};
    use stepwell_store::InboxId;
    use uuid::Uuid;

    use super::*;

    fn kept(n: u128) -> KeptRun {
        let row = RunRow {
            run: RunId(Uuid::from_u128(n)),
            namespace: "default".to_owned(),
            workflow: "w".to_owned(),
            version: "1".to_owned(),
            status: RunStatus::Running,
            labels: BTreeMap::new(),
            description: None,
            input: Json::null(),
            parent: None,
            created_at: UnixMillis(0),
            updated_at: UnixMillis(0),
            ended_at: None,
            wake_at: None,
            next_seq: Seq(1),
            failure: None,
            cancelling: false,
        };
        KeptRun { epoch: Epoch(3), row, next_line: 1 }
    }

    fn learned(runs: impl Iterator<Item = u128>) -> Learned {
        Learned { runs: runs.map(kept).collect(), ..Learned::default() }
    }

    #[test]
    fn a_commit_is_known_if_it_goes_on_where_its_owner_left_the_run() {
        let mut all = Kept::default();
        all.learn(learned(1..2));
        let run = RunId(Uuid::from_u128(1));
        let commit = Commit::new(run, Epoch(3), Seq(1));
        assert!(all.knows(&commit));
        for other in [
            Commit { epoch: Epoch(4), ..commit.clone() },
            Commit { first_seq: Seq(2), ..commit.clone() },
            Commit { run: RunId(Uuid::from_u128(2)), ..commit.clone() },
            Commit { compacted: Some(Vec::new()), ..commit.clone() },
            Commit { taken: vec![InboxId(Uuid::nil())], ..commit.clone() },
        ] {
            assert!(!all.knows(&other), "{other:?}");
        }
        assert!(all.take(run).is_some());
        assert!(!all.knows(&commit));
    }

    #[test]
    fn a_writer_remembers_no_more_than_it_may() {
        let mut all = Kept::default();
        let many = RUNS_MAX as u128;
        all.learn(learned(0..many));
        assert_eq!(all.runs.len(), RUNS_MAX);
        all.learn(learned(many..many + 1));
        assert_eq!(all.runs.len(), 1);
    }
}
