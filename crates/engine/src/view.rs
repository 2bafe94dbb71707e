//! How a run stands, for people.

use serde::Serialize;
use stepwell_journal::{RunState, RunStatus, UnixMillis, Wait};
use stepwell_store::{LoadedRun, RunRow};

use crate::GetError;
use crate::schedule::Place;
use crate::shared::Shared;

/// A run at one moment.
#[derive(Debug, Clone)]
pub struct RunView {
    pub status: RunStatus,
    pub row: RunRow,
    pub state: RunState,
    /// Everything that the run waits for; empty if it is executing or has ended.
    pub waiting_for: Vec<WaitingFor>,
}

/// Something that a run waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum WaitingFor {
    /// What its code waits for.
    Entry(Wait),
    /// What keeps its code from running.
    Engine(EngineWait),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "for", rename_all = "snake_case")]
#[non_exhaustive]
pub enum EngineWait {
    /// The date that it was to be started at.
    Start { until: UnixMillis },
    /// A slot in memory.
    Slot,
    /// Somebody to register its workflow.
    Registration { workflow: String },
    /// The store to answer.
    Store { problem: String },
    /// Somebody to mend the engine, or the journal.
    Quarantine { problem: String },
}

impl RunView {
    pub(crate) fn of(shared: &Shared, loaded: LoadedRun) -> Result<RunView, GetError> {
        let LoadedRun { row, journal, .. } = loaded;
        let run = row.run;
        let state =
            RunState::fold(run, &journal).map_err(|source| GetError::Damaged { run, source })?;
        if state.is_ended() {
            let status = state.status();
            return Ok(RunView { status, row, state, waiting_for: Vec::new() });
        }
        let place = shared.schedule.place(run);
        let begun = matches!(place, Place::Resident(_)) || row.status != RunStatus::Pending;
        let status = if begun { state.status() } else { RunStatus::Pending };
        let mut waiting_for: Vec<WaitingFor> =
            state.waits().into_iter().map(WaitingFor::Entry).collect();
        waiting_for.extend(engine_wait(shared, &row, place).map(WaitingFor::Engine));
        Ok(RunView { status, row, state, waiting_for })
    }
}

fn engine_wait(shared: &Shared, row: &RunRow, place: Place) -> Option<EngineWait> {
    match place {
        Place::Quarantined(problem) => return Some(EngineWait::Quarantine { problem }),
        Place::Resident(link) => {
            if let Some(problem) = link.trouble() {
                return Some(EngineWait::Store { problem });
            }
        }
        Place::Ready | Place::Parked | Place::Elsewhere => {}
    }
    if shared.workflow(&row.workflow).is_none() {
        return Some(EngineWait::Registration { workflow: row.workflow.clone() });
    }
    match (shared.schedule.place(row.run), row.status, row.wake_at) {
        (Place::Ready, ..) => Some(EngineWait::Slot),
        (Place::Elsewhere, RunStatus::Pending, Some(until)) => Some(EngineWait::Start { until }),
        // Not in memory although it could move: it did not fit into the queue, and will be found.
        (Place::Elsewhere, RunStatus::Pending | RunStatus::Running, None) => Some(EngineWait::Slot),
        _ => None,
    }
}

impl std::fmt::Display for WaitingFor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WaitingFor::Entry(wait) => wait.fmt(f),
            WaitingFor::Engine(wait) => wait.fmt(f),
        }
    }
}

impl std::fmt::Display for EngineWait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            EngineWait::Start { until } => write!(f, "its start, at {}", until.rfc3339()),
            EngineWait::Slot => f.write_str("a slot in memory"),
            EngineWait::Registration { workflow } => {
                write!(f, "workflow `{workflow}` to be registered")
            }
            EngineWait::Store { problem } => write!(f, "the store: {problem}"),
            EngineWait::Quarantine { problem } => {
                write!(f, "help, because the engine failed: {problem}")
            }
        }
    }
}
