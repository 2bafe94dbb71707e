//! The workflows of an engine, as authors of sequences speak of them.

use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use stepwell_engine::{
    CancelError, DEFAULT_NAMESPACE, Engine, GetError, RegisterError, RunHandle, StartError,
    StartOptions, WaitError,
};
use stepwell_journal::{Failure, RunId, RunOutcome, RunStatus};
use stepwell_kernel::Workflow;
use stepwell_sequence::{Plan, StepRecord, records};
use stepwell_store::{RunQuery, RunRow, StoreError};
use uuid::Uuid;

use crate::files::{RegisterFileError, Registered, WorkflowFiles};
use crate::folder::Reloaded;

/// How long [`Registry::wait`] waits unless it is told otherwise.
pub const WAIT_TIMEOUT_MS: u64 = 300_000;

/// Registers, lists, starts and follows workflows. Cheap to clone.
#[derive(Clone)]
pub struct Registry {
    files: WorkflowFiles,
}

/// What [`Registry::list`] tells of a workflow.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowInfo {
    pub name: String,
    pub version: String,
    pub description: Option<String>,
    /// A JSON Schema; none if anything is taken.
    pub input_schema: Option<Value>,
    pub step_count: usize,
}

/// A run that was started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Started {
    pub run_id: RunId,
    /// `started`.
    pub status: &'static str,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunResult {
    pub run_id: RunId,
    /// `completed`, `failed` or `cancelled`.
    pub status: RunStatus,
    /// What the last step gave.
    pub output: Option<Value>,
    /// The records of the steps; empty if the workflow is no sequence.
    pub results: Vec<StepRecord>,
    pub error: Option<Failure>,
    /// The name of the step that failed.
    pub failed_step: Option<String>,
}

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WaitRunError {
    /// It goes on; wait again.
    #[error("run {run} of workflow `{workflow}` did not end within {timeout_ms} ms")]
    TimedOut { workflow: String, run: RunId, timeout_ms: u64 },
    #[error("run {run} is one of workflow `{found}`, not of `{workflow}`")]
    OtherWorkflow { workflow: String, run: RunId, found: String },
    #[error(transparent)]
    Get(#[from] GetError),
    #[error(transparent)]
    Wait(WaitError),
}

impl Registry {
    pub fn new(files: WorkflowFiles) -> Registry {
        Registry { files }
    }

    fn engine(&self) -> &Engine {
        self.files.engine()
    }

    /// Makes a workflow known: what [`Sequence::build`](stepwell_sequence::Sequence::build) gives, or one of another
    /// dialect.
    pub fn register(&self, workflow: Workflow) -> Result<(), RegisterError> {
        self.engine().register(workflow)
    }

    pub async fn register_file(
        &self,
        file: impl AsRef<Path>,
    ) -> Result<Vec<Registered>, RegisterFileError> {
        self.files.register_file(file).await
    }

    pub async fn register_directory(&self, folder: impl AsRef<Path>) -> std::io::Result<Reloaded> {
        self.files.register_directory(folder).await
    }

    /// What can be started, by name.
    pub fn list(&self) -> Vec<WorkflowInfo> {
        let info = |workflow: &Workflow| WorkflowInfo {
            name: workflow.name().to_owned(),
            version: workflow.version().to_owned(),
            description: workflow.description().map(str::to_owned),
            input_schema: workflow.input_schema().cloned(),
            step_count: Plan::of(workflow).map_or(0, |plan| plan.n_steps()),
        };
        self.engine().workflows_in(DEFAULT_NAMESPACE).iter().map(info).collect()
    }

    /// Starts a run. An input that does not fit is an error with every place, and nothing is created.
    pub async fn launch(&self, workflow: &str, input: &Value) -> Result<RunHandle, StartError> {
        self.engine().start(workflow, input).await
    }

    /// Starts a run with an id of the caller's, and returns at once. An id is never used again.
    pub async fn start(
        &self,
        workflow: &str,
        input: &Value,
        run_id: Option<RunId>,
    ) -> Result<Started, StartError> {
        let options = StartOptions { run_id, ..StartOptions::default() };
        let run = self.engine().start_with(workflow, input, options).await?;
        Ok(Started { run_id: run.id(), status: "started" })
    }

    /// The id that stands for a name of the caller's: the same as over HTTP.
    pub fn run_id(name: &str) -> RunId {
        if let Ok(id) = name.parse() {
            return id;
        }
        let name = format!("run:{DEFAULT_NAMESPACE}\u{0}{name}");
        RunId(Uuid::new_v5(&Uuid::NAMESPACE_OID, name.as_bytes()))
    }

    /// A run, to be looked at, waited for or cancelled.
    pub async fn get(&self, run: RunId) -> Result<RunHandle, GetError> {
        self.engine().get(run).await
    }

    /// The runs that have not ended, newest first; of one workflow, or of all.
    pub async fn active_runs(&self, workflow: Option<&str>) -> Result<Vec<RunRow>, StoreError> {
        let active = RunStatus::ALL.into_iter().filter(|status| !status.is_ended());
        let mut query = RunQuery {
            workflow: workflow.map(str::to_owned),
            statuses: active.collect(),
            ..RunQuery::default()
        };
        let mut rows = Vec::new();
        loop {
            let page = self.engine().query(query.clone()).await?;
            rows.extend(page.runs);
            match page.next {
                Some(next) => query.after = Some(next),
                None => return Ok(rows),
            }
        }
    }

    pub async fn cancel(&self, run: RunId, reason: &str) -> Result<(), CancelError> {
        let run = match self.engine().get(run).await {
            Ok(run) => run,
            Err(GetError::UnknownRun { run }) => return Err(CancelError::UnknownRun { run }),
            Err(GetError::Store(error)) => return Err(CancelError::Store(error)),
            Err(error) => {
                return Err(CancelError::Store(StoreError::Unavailable(Box::new(error))));
            }
        };
        run.cancel(reason).await
    }

    /// Waits until a run has ended; [`WAIT_TIMEOUT_MS`] unless said otherwise. Nothing is polled.
    pub async fn wait(
        &self,
        workflow: &str,
        run: RunId,
        timeout_ms: Option<u64>,
    ) -> Result<RunResult, WaitRunError> {
        let handle = self.engine().get(run).await?;
        let row = handle.row().await?;
        if row.workflow != workflow {
            let (workflow, found) = (workflow.to_owned(), row.workflow);
            return Err(WaitRunError::OtherWorkflow { workflow, run, found });
        }
        let timeout_ms = timeout_ms.unwrap_or(WAIT_TIMEOUT_MS);
        let until = self.engine().clock().now().plus_ms(timeout_ms);
        let outcome = tokio::select! {
            biased;
            outcome = handle.outcome() => outcome.map_err(WaitRunError::Wait)?,
            () = self.engine().clock().sleep_until(until) => {
                let workflow = workflow.to_owned();
                return Err(WaitRunError::TimedOut { workflow, run, timeout_ms });
            }
        };
        self.result(&handle, outcome).await
    }

    async fn result(
        &self,
        run: &RunHandle,
        outcome: RunOutcome,
    ) -> Result<RunResult, WaitRunError> {
        let state = run.state().await?.state;
        let definition = match &state.started {
            Some(started) => self.engine().workflow_of(started).await.ok().flatten(),
            None => None,
        };
        let plan = definition.as_ref().and_then(Plan::of);
        let results = plan.map_or_else(Vec::new, |plan| records(&plan, &state));
        let status = outcome.status();
        let (output, error) = match outcome {
            RunOutcome::Completed(output) => (output.to().ok(), None),
            RunOutcome::Failed(failure) => (None, Some(failure)),
            RunOutcome::Cancelled(_) => (None, None),
        };
        let failed_step = error.as_ref().and_then(|failure| {
            let source = failure.source.as_ref()?;
            // `checkValid/.if` is a failure of `checkValid`.
            let is_own = !source.name().starts_with('.');
            let step = if is_own { Some(source.clone()) } else { source.parent() };
            step.map(|step| step.name())
        });
        Ok(RunResult { run_id: run.id(), status, output, results, error, failed_step })
    }
}
