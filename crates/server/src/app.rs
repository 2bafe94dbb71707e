//! What all requests have in common.

use std::sync::Arc;

use axum::extract::FromRef;
use stepwell_engine::Engine;
use stepwell_files::WorkflowFiles;
use stepwell_flow::FLOW_WORKFLOW;
use stepwell_journal::{RunId, UnixMillis};
use stepwell_kernel::Workflow;
use stepwell_mcp::ToolServers;
use stepwell_mcp::recording::RECORDING;
use stepwell_store::RunRow;
use tokio::sync::{Semaphore, watch};
use uuid::Uuid;

use crate::access::Gate;
use crate::config::ServerConfig;
use crate::flows::Flows;
use crate::graphs::Graphs;
use crate::problem::{Code, Problem};
use crate::schedules::Schedules;
use crate::telemetry::Metrics;
use crate::travel::Travel;

/// The longest id that a user may give a run.
const RUN_NAME_CHARS_MAX: usize = 128;

/// The furthest that a deadline may lie ahead: a hundred years.
const DEADLINE_MS_MAX: u64 = 100 * 366 * 86_400_000;

/// The server's inside. Cheap to clone.
#[derive(Clone)]
pub struct App {
    parts: Arc<Parts>,
}

pub struct Parts {
    pub engine: Engine,
    pub config: ServerConfig,
    pub gate: Gate,
    pub schedules: Schedules,
    pub files: WorkflowFiles,
    pub flows: Flows,
    pub tools: ToolServers,
    pub graphs: Graphs,
    pub metrics: Metrics,
    pub travel: Travel,
    /// One permit for each reader of live updates and each wait.
    pub readers: Arc<Semaphore>,
    pub started_at: UnixMillis,
    /// True once no new work is taken.
    pub closing: watch::Sender<bool>,
}

impl App {
    pub fn new(parts: Parts) -> App {
        App { parts: Arc::new(parts) }
    }

    /// A place among the readers, or a problem if there are too many.
    pub fn reader(&self) -> Result<tokio::sync::OwnedSemaphorePermit, Problem> {
        Arc::clone(&self.readers).try_acquire_owned().map_err(|_| {
            let readers_max = self.config.limits.readers_max;
            let detail = format!("{readers_max} readers are waiting already (limits.readers_max)");
            Problem::new(Code::TooBusy, detail)
        })
    }

    /// Ends when the server goes down.
    pub async fn closed(&self) {
        let mut closing = self.closing.subscribe();
        // Fails only if the sender is gone, and we hold it.
        let _ = closing.wait_for(|closing| *closing).await;
    }

    /// The date of a deadline that is so long from now.
    pub fn deadline(&self, within_ms: Option<u64>) -> Result<Option<UnixMillis>, Problem> {
        match within_ms {
            Some(ms) if !(1..=DEADLINE_MS_MAX).contains(&ms) => {
                let said = format!("{ms} is not between 1 and {DEADLINE_MS_MAX}");
                Err(Problem::field("deadline_ms", said))
            }
            ms => Ok(ms.map(|ms| self.engine.clock().now().plus_ms(ms))),
        }
    }

    /// What callers of a namespace may start, by name. Recordings and flows have ways of their own.
    pub fn workflows_in(&self, namespace: &str) -> Vec<Workflow> {
        let all = self.engine.workflows_in(namespace);
        let is_hidden = |workflow: &Workflow| [RECORDING, FLOW_WORKFLOW].contains(&workflow.name());
        all.into_iter().filter(|workflow| !is_hidden(workflow)).collect()
    }

    /// The dialect of a run's workflow, if that is registered.
    pub fn dialect(&self, row: &RunRow) -> Option<String> {
        let workflow = self.engine.workflow(&row.namespace, &row.workflow)?;
        Some(workflow.dialect().to_owned())
    }

    /// The run's row, if it exists in this namespace.
    pub async fn row(&self, namespace: &str, id: &str) -> Result<RunRow, Problem> {
        let run = run_id(namespace, id)?;
        match self.engine.store().row(run).await? {
            Some(row) if row.namespace == namespace => Ok(row),
            Some(_) | None => Err(Problem::unknown_run(id)),
        }
    }
}

/// A run by its id, or by the name that its starter gave it.
pub fn run_id(namespace: &str, text: &str) -> Result<RunId, Problem> {
    if let Ok(id) = text.parse() {
        return Ok(id);
    }
    let n_chars = text.chars().count();
    if text.is_empty() || n_chars > RUN_NAME_CHARS_MAX || text.contains(char::is_control) {
        let said = format!(
            "a run's id has 1 to {RUN_NAME_CHARS_MAX} characters, none of them control characters"
        );
        return Err(Problem::field("run_id", said));
    }
    let name = format!("run:{namespace}\u{0}{text}");
    Ok(RunId(Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes())))
}

impl std::ops::Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.parts
    }
}

impl FromRef<App> for Engine {
    fn from_ref(app: &App) -> Engine {
        app.engine.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_runs_are_ids_of_their_namespace() {
        let id = run_id("default", "order-42").unwrap();
        assert_eq!(id, run_id("default", "order-42").unwrap());
        assert_ne!(id, run_id("other", "order-42").unwrap());
        assert_eq!(run_id("other", &id.to_string()).unwrap(), id);
        for text in ["", "a\nb", &"x".repeat(129)] {
            assert!(run_id("default", text).is_err(), "{text:?}");
        }
    }
}
