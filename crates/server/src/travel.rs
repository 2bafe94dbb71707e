//! Time travel: a run as of any event of its journal.
//!
//! A state is a fold of the journal up to an event. Folding is quick, but somebody who moves a slider over a journal of a
//! hundred thousand events asks for many states of the same run: so some states on the way are kept, and the next fold
//! begins at the nearest.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use stepwell_engine::{Engine, GetError};
use stepwell_journal::{EventKind, RunId, RunState, Seq};
use stepwell_store::{RunRow, Store};

use crate::problem::Problem;

/// A state is kept every so many events.
const KEPT_EVERY: u64 = 5_000;

/// How many runs have states kept, the ones that were asked for last.
const RUNS_MAX: usize = 8;

/// How many events are read from the store at a time.
const PAGE_EVENTS: usize = 5_000;

/// States of runs that somebody looks at.
#[derive(Default)]
pub struct Travel {
    runs: Mutex<VecDeque<(RunId, Vec<Arc<RunState>>)>>,
}

/// What a walk over the journal met.
enum Walked {
    State(Arc<RunState>),
    /// An event that makes earlier ones void: states from before it lead nowhere.
    Resumed,
}

impl Travel {
    /// The run when `at` was its last event.
    pub async fn state_at(
        &self,
        engine: &Engine,
        row: &RunRow,
        at: Seq,
    ) -> Result<Arc<RunState>, Problem> {
        let last = row.next_seq.0.saturating_sub(1);
        if at.0 > last {
            return Err(Problem::field("at", format!("the journal of this run ends at {last}")));
        }
        let store = &**engine.store();
        if let Some(known) = self.nearest(row.run, at) {
            if known.next_seq.0 == at.0 + 1 {
                return Ok(known);
            }
            if let Walked::State(state) = self.walk(store, (*known).clone(), at).await? {
                return Ok(state);
            }
        }
        if let Walked::State(state) = self.walk(store, RunState::new(row.run), at).await? {
            return Ok(state);
        }
        // It was resumed: only a fold that sees all events up to there knows which of them are void.
        Ok(Arc::new(engine.handle(row).state_at(at).await?))
    }

    async fn walk(
        &self,
        store: &dyn Store,
        mut state: RunState,
        at: Seq,
    ) -> Result<Walked, Problem> {
        let run = state.run;
        let mut from = state.next_seq;
        let mut kept_at = from.0;
        loop {
            let page = store.journal(run, from, PAGE_EVENTS).await?;
            let Some(last) = page.last() else { return Ok(Walked::State(Arc::new(state))) };
            from = last.seq.next();
            for event in &page {
                if event.seq > at {
                    return Ok(Walked::State(Arc::new(state)));
                }
                if matches!(event.kind, EventKind::RunResumed { .. }) {
                    return Ok(Walked::Resumed);
                }
                state.apply(event).map_err(|source| GetError::Damaged { run, source })?;
                if event.seq.0 >= kept_at + KEPT_EVERY {
                    kept_at = event.seq.0;
                    self.keep(run, Arc::new(state.clone()));
                }
            }
        }
    }

    /// The latest state that is not after `at`.
    fn nearest(&self, run: RunId, at: Seq) -> Option<Arc<RunState>> {
        let runs = self.runs.lock();
        let (_, states) = runs.iter().find(|(known, _)| *known == run)?;
        let before = states.iter().filter(|state| state.next_seq.0 <= at.0 + 1);
        before.max_by_key(|state| state.next_seq).cloned()
    }

    fn keep(&self, run: RunId, state: Arc<RunState>) {
        let mut runs = self.runs.lock();
        let mut states = match runs.iter().position(|(known, _)| *known == run) {
            Some(place) => runs.remove(place).map(|(_, states)| states).unwrap_or_default(),
            None => Vec::new(),
        };
        if states.iter().all(|known| known.next_seq != state.next_seq) {
            states.push(state);
        }
        runs.push_back((run, states));
        if runs.len() > RUNS_MAX {
            runs.pop_front();
        }
    }
}
