//! How a run stands, for people.

use serde::Serialize;
use stepwell_journal::{RunState, RunStatus, UnixMillis, Wait};
use stepwell_store::{LoadedRun, RunRow};

use crate::GetError;
use crate::admission::{Lane, LimitWait};
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
    /// Its deadline, which comes before the date that it was to be started at.
    Deadline { until: UnixMillis },
    /// A slot in memory.
    Slot,
    /// A limit of its workflow.
    Limit(LimitWait),
    /// Somebody to register its workflow, in this very version if the run is pinned to one.
    Registration {
        workflow: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        version: Option<String>,
    },
    /// The store to answer.
    Store { problem: String },
    /// Somebody to mend the engine, or the journal.
    Quarantine { problem: String },
}

impl RunView {
    pub(crate) async fn of(shared: &Shared, loaded: LoadedRun) -> Result<RunView, GetError> {
        let LoadedRun { row, journal, .. } = loaded;
        let run = row.run;
        let state =
            RunState::fold(run, &journal).map_err(|source| GetError::Damaged { run, source })?;
        if state.is_ended() {
            let status = state.status();
            return Ok(RunView { status, row, state, waiting_for: Vec::new() });
        }
        // Whoever cannot tell is not the one to say that nobody has it.
        let has_code = match &state.started {
            Some(started) => shared.registry.find(started).await.map_or(true, |w| w.is_some()),
            None => true,
        };
        let place = shared.schedule.place(run);
        let begun = matches!(place, Place::Resident(_)) || row.status != RunStatus::Pending;
        let status = if begun { state.status() } else { RunStatus::Pending };
        let mut waiting_for: Vec<WaitingFor> =
            state.waits().into_iter().map(WaitingFor::Entry).collect();
        let engine_wait = engine_wait(&state, &row, place, has_code);
        let limit = match engine_wait {
            None | Some(EngineWait::Slot) if row.status == RunStatus::Pending => {
                limit_wait(shared, &row)
            }
            _ => None,
        };
        waiting_for.extend(limit.or(engine_wait).map(WaitingFor::Engine));
        Ok(RunView { status, row, state, waiting_for })
    }
}

fn limit_wait(shared: &Shared, row: &RunRow) -> Option<EngineWait> {
    let lane = Lane::new(&row.namespace, &row.workflow);
    let limits = shared.limits(&lane);
    let now = shared.clock.now();
    shared.admission.wait_of(&lane, limits.as_deref(), row, now).map(EngineWait::Limit)
}

fn engine_wait(state: &RunState, row: &RunRow, place: Place, has_code: bool) -> Option<EngineWait> {
    match &place {
        Place::Quarantined(problem) => {
            return Some(EngineWait::Quarantine { problem: problem.clone() });
        }
        Place::Resident(link) => {
            if let Some(problem) = link.trouble() {
                return Some(EngineWait::Store { problem });
            }
        }
        Place::Ready | Place::Parked | Place::Elsewhere => {}
    }
    if !has_code {
        let pinned = state.started.as_ref().filter(|started| started.pinned);
        let version = pinned.map(|started| started.version.clone());
        return Some(EngineWait::Registration { workflow: row.workflow.clone(), version });
    }
    match (place, row.status, row.wake_at) {
        (Place::Ready, ..) => Some(EngineWait::Slot),
        (Place::Elsewhere, RunStatus::Pending, Some(until)) if state.deadline_at == Some(until) => {
            Some(EngineWait::Deadline { until })
        }
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
            EngineWait::Limit(limit) => limit.fmt(f),
            EngineWait::Deadline { until } => {
                write!(f, "its deadline, at {}, which comes before its start", until.rfc3339())
            }
            EngineWait::Registration { workflow, version: None } => {
                write!(f, "workflow `{workflow}` to be registered")
            }
            EngineWait::Registration { workflow, version: Some(version) } => {
                write!(f, "version {version} of workflow `{workflow}` to be registered")
            }
            EngineWait::Store { problem } => write!(f, "the store: {problem}"),
            EngineWait::Quarantine { problem } => {
                write!(f, "help, because the engine failed: {problem}")
            }
        }
    }
}
