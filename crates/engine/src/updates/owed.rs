//! What was written, or may have been, and nobody has been told of yet.
//!
//! Whoever lets events become durable from outside of a run's task *claims* the run first, so that neither
//! it nor the task, which may find the events in the store before the claimant hears of them, tells them
//! twice or in the wrong order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use parking_lot::Mutex;
use stepwell_journal::{RunId, Seq};

#[derive(Default)]
pub(crate) struct Owed {
    runs: Mutex<BTreeMap<RunId, Debt>>,
    /// Apart from the runs, so that a commit takes no lock where nothing is owed.
    n_runs: AtomicUsize,
    /// Grows whenever something is owed anew.
    n_debts: AtomicU64,
}

/// What nobody was told of a run: its events from here on, as far as there are any.
struct Debt {
    from: Seq,
    /// Who may still let events become durable.
    n_claims: u32,
    /// Only whoever loads the run can tell what there is, and begins to do so after this many debts.
    load_after: Option<u64>,
}

/// When the store was asked for a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked(u64);

impl Owed {
    /// Events of the run from `from` on may become durable, until the claim is given up.
    pub fn claim(&self, run: RunId, from: Seq) {
        self.change(|runs| owe(runs, run, from).n_claims += 1);
    }

    /// They did, or may have: whoever loads the run next tells.
    pub fn release(&self, run: RunId) {
        self.change(|runs| {
            if let Some(debt) = runs.get_mut(&run) {
                debt.n_claims = debt.n_claims.saturating_sub(1);
                debt.load_after = Some(self.next_debt());
            }
        });
    }

    /// They did, and the claimant, who knows the run up to `end`, tells unless somebody has.
    pub fn settle(&self, run: RunId, end: Seq, tell: impl FnOnce(Seq)) {
        self.change(|runs| {
            let Some(debt) = runs.get_mut(&run) else { return };
            debt.n_claims = debt.n_claims.saturating_sub(1);
            debt.pay(end, tell);
            if debt.n_claims == 0 && debt.load_after.is_none() {
                runs.remove(&run);
            }
        });
    }

    /// They did not.
    pub fn give_up(&self, run: RunId, from: Seq) {
        self.change(|runs| {
            let Some(debt) = runs.get_mut(&run) else { return };
            debt.n_claims = debt.n_claims.saturating_sub(1);
            if debt.n_claims == 0 && debt.load_after.is_none() && debt.from >= from {
                runs.remove(&run);
            }
        });
    }

    /// Events of the run from `from` on may be durable, and nobody will tell.
    pub fn owe(&self, run: RunId, from: Seq) {
        self.change(|runs| owe(runs, run, from).load_after = Some(self.next_debt()));
    }

    /// To be called before the store is asked for a run.
    pub fn asking(&self) -> Asked {
        Asked(self.n_debts.load(Ordering::SeqCst))
    }

    /// The run was loaded: its events before `end` are told now, all at once. Nobody can tell a later one in
    /// between. What came to be owed after the store was asked stays owed.
    pub fn pay(&self, run: RunId, asked: Asked, end: Seq, tell: impl FnOnce(Seq)) {
        if self.is_empty() {
            return;
        }
        self.change(|runs| {
            let Some(debt) = runs.get_mut(&run) else { return };
            debt.pay(end, tell);
            debt.load_after = debt.load_after.filter(|after| *after > asked.0);
            if debt.n_claims == 0 && debt.load_after.is_none() {
                runs.remove(&run);
            }
        });
    }

    /// The run's task has told the events before `end`.
    pub fn told(&self, run: RunId, end: Seq) {
        if self.is_empty() {
            return;
        }
        self.change(|runs| {
            if let Some(debt) = runs.get_mut(&run) {
                debt.from = end.max(debt.from);
            }
        });
    }

    fn next_debt(&self) -> u64 {
        self.n_debts.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn is_empty(&self) -> bool {
        self.n_runs.load(Ordering::SeqCst) == 0
    }

    fn change(&self, change: impl FnOnce(&mut BTreeMap<RunId, Debt>)) {
        let mut runs = self.runs.lock();
        change(&mut runs);
        self.n_runs.store(runs.len(), Ordering::SeqCst);
    }
}

impl Debt {
    fn pay(&mut self, end: Seq, tell: impl FnOnce(Seq)) {
        if self.from < end {
            tell(self.from);
            self.from = end;
        }
    }
}

fn owe(runs: &mut BTreeMap<RunId, Debt>, run: RunId, from: Seq) -> &mut Debt {
    let debt = runs.entry(run).or_insert(Debt { from, n_claims: 0, load_after: None });
    debt.from = from.min(debt.from);
    debt
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const RUN: RunId = RunId(Uuid::from_u128(7));

    fn paid(owed: &Owed, end: u64) -> Option<u64> {
        let mut paid = None;
        owed.pay(RUN, owed.asking(), Seq(end), |from| paid = Some(from.0));
        paid
    }

    #[test]
    fn what_is_owed_is_told_once_by_whoever_comes_first() {
        let owed = Owed::default();
        assert_eq!(paid(&owed, 3), None);
        owed.claim(RUN, Seq(0));
        assert_eq!(paid(&owed, 1), Some(0), "somebody loaded the run before its creator knew");
        owed.told(RUN, Seq(4));
        assert_eq!(paid(&owed, 1), None, "the creator comes late");
        owed.release(RUN);
        assert_eq!(paid(&owed, 6), Some(4));
        assert!(owed.is_empty());
    }

    #[test]
    fn whoever_knows_less_does_not_settle_what_others_owe() {
        let owed = Owed::default();
        owed.claim(RUN, Seq(0));
        assert_eq!(paid(&owed, 1), Some(0));
        owed.owe(RUN, Seq(1));
        owed.settle(RUN, Seq(1), |_| panic!("it was told"));
        assert_eq!(paid(&owed, 2), Some(1));
        owed.claim(RUN, Seq(0));
        let mut told = None;
        owed.settle(RUN, Seq(1), |from| told = Some(from));
        assert_eq!(told, Some(Seq(0)));
        assert!(owed.is_empty(), "nobody has to load it");
    }

    #[test]
    fn a_claim_outlives_a_load_that_came_too_early() {
        let owed = Owed::default();
        owed.claim(RUN, Seq(4));
        assert_eq!(paid(&owed, 4), None);
        owed.release(RUN);
        assert_eq!(paid(&owed, 5), Some(4));
        assert!(owed.is_empty());
    }

    #[test]
    fn a_load_that_began_before_does_not_settle_what_came_to_be_owed_since() {
        let owed = Owed::default();
        let asked = owed.asking();
        owed.claim(RUN, Seq(4));
        owed.release(RUN);
        owed.pay(RUN, asked, Seq(4), |_| panic!("there was nothing to tell"));
        assert_eq!(paid(&owed, 5), Some(4));
        assert!(owed.is_empty());
    }

    #[test]
    fn whoever_gives_up_a_claim_leaves_what_others_owe() {
        let owed = Owed::default();
        owed.claim(RUN, Seq(4));
        owed.owe(RUN, Seq(3));
        owed.give_up(RUN, Seq(4));
        assert_eq!(paid(&owed, 4), Some(3));
        owed.claim(RUN, Seq(4));
        owed.give_up(RUN, Seq(4));
        assert!(owed.is_empty());
    }
}
