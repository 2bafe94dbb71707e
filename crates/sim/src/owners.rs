//! The laws where several nodes share a store: each run has one writer at a time, and only its owner begins anything.

use stepwell_journal::RunId;
use stepwell_store::{Commit, Shard};

use crate::lease::Moved;
use crate::world::{Life, State};

impl State {
    /// Whether what the node does with the run counts. What others believe is their own affair.
    pub fn counts_for(&mut self, node: u32, run: RunId) -> bool {
        let owner = self.sharing.as_mut().map(|sharing| sharing.leases.owner(run));
        self.life(node) == Life::Live && owner.is_none_or(|owner| owner == Some(node))
    }

    /// The run is there: remembers whose it is.
    pub fn note_owner(&mut self, run: RunId) {
        let Some(sharing) = &mut self.sharing else { return };
        let shard = sharing.leases.shard_of(run);
        if let Some(mirror) = self.laws.runs.get_mut(&run) {
            mirror.owner = sharing.leases.held(shard).node;
            mirror.is_leaving = sharing.leaving.contains(&shard);
        }
    }

    /// What was under way on the node that had the shard is cut off: it runs there no longer, or does not count.
    pub fn move_runs(&mut self, moved: Moved) {
        let Some(sharing) = &mut self.sharing else { return };
        for (run, mirror) in &mut self.laws.runs {
            if sharing.leases.shard_of(*run) == moved.shard {
                mirror.owner = moved.to;
                mirror.is_leaving = false;
                mirror.running.retain(|_, node| Some(*node) == moved.to);
                mirror.forget_begin();
            }
            if moved.to.is_some() && mirror.owner == moved.to {
                // Whoever gets more runs has more under way than those who were let in before knew.
                mirror.may_have_begun = true;
            }
        }
    }

    /// The store took a commit of this node.
    pub fn check_writer(&mut self, node: u32, commit: &Commit) {
        let Some(sharing) = &mut self.sharing else {
            let is_owner = commit.epoch == self.laws.epoch;
            return self.laws.require(is_owner, 5, commit.run, || {
                format!("a commit of epoch {} by a fenced engine was taken", commit.epoch)
            });
        };
        let shard = sharing.leases.shard_of(commit.run);
        let held = sharing.leases.held(shard);
        let is_present = commit.epoch == held.epoch;
        self.laws.require(is_present, 5, commit.run, || {
            format!("a commit of epoch {} was taken, its shard has {}", commit.epoch, held.epoch)
        });
        self.check_epoch(node, shard, commit);
    }

    /// Whatever the leases say: the epochs of a journal do not go back, and each belongs to one node. Only whoever
    /// resumes a run need not own it.
    fn check_epoch(&mut self, node: u32, shard: Shard, commit: &Commit) {
        let (run, epoch) = (commit.run, commit.epoch);
        if let Some(mirror) = self.laws.runs.get_mut(&run) {
            let before = std::mem::replace(&mut mirror.epoch, epoch);
            self.laws.require(before <= epoch, 5, run, || {
                format!("the journal has events of epoch {before}, and gets some of {epoch}")
            });
        }
        if !commit.resumes() {
            let first = *self.laws.writers.entry((shard, epoch)).or_insert(node);
            self.laws.require(first == node, 5, run, || {
                format!(
                    "n{node} writes with epoch {epoch} of shard {}, which is n{first}'s",
                    shard.0
                )
            });
        }
    }
}
