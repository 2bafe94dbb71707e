//! Forgetting runs in memory.

use stepwell_journal::RunId;

use crate::{BeforeForget, Forget, Forgotten, WhyKept};

use super::Contents;

impl Contents {
    pub(super) fn forget(&mut self, forget: &Forget) -> Forgotten {
        let mut forgotten = Forgotten::default();
        for run in forget.named() {
            let checked = if forgotten.runs.len() == forget.n_runs() {
                Err(WhyKept::OverLimit)
            } else {
                self.check_forget(forget, run)
            };
            if checked.is_ok() {
                self.remove(run);
            }
            forgotten.note(run, checked);
        }
        if forget.runs.is_empty() {
            forgotten.runs = self.forgettable(forget);
            for run in &forgotten.runs {
                self.remove(*run);
            }
        }
        forgotten
    }

    /// The runs that may go, those that ended first before the others.
    fn forgettable(&self, forget: &Forget) -> Vec<RunId> {
        let mut runs: Vec<_> = self
            .runs
            .iter()
            .filter(|(run, _)| self.check_forget(forget, **run).is_ok())
            .map(|(run, found)| (found.row.ended_at, *run))
            .collect();
        runs.sort_unstable();
        runs.truncate(forget.n_runs());
        runs.into_iter().map(|(_, run)| run).collect()
    }

    fn check_forget(&self, forget: &Forget, run: RunId) -> Result<(), WhyKept> {
        let row = &self.runs.get(&run).ok_or(WhyKept::Unknown)?.row;
        let parent = row.parent.as_ref().map(|parent| parent.run);
        forget.check(BeforeForget {
            namespace: &row.namespace,
            workflow: &row.workflow,
            status: row.status,
            ended_at: row.ended_at,
            parent: parent.filter(|parent| self.runs.contains_key(parent)),
        })
    }

    fn remove(&mut self, run: RunId) {
        let Some(gone) = self.runs.remove(&run) else { return };
        self.by_age.remove(&gone.row.cursor());
        self.runnable.remove(&run);
        if let Some(wake_at) = gone.row.wake_at {
            self.by_wake_at.remove(&(wake_at, run));
        }
        if let Some(key) = gone.key {
            self.keys.remove(&(gone.row.namespace, gone.row.workflow, key));
        }
    }
}
