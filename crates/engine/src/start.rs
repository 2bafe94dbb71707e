//! Starting runs: everything is checked before anything is written.

use std::collections::BTreeMap;

use serde::Serialize;
use stepwell_journal::{Json, RunId, RunStarted, UnixMillis, check_name};
use stepwell_store::{NewRun, Started};
use uuid::Uuid;

use crate::config::{LABELS_MAX, TEXT_BYTES_MAX};
use crate::effects::fresh;
use crate::schedule::Why;
use crate::shared::{Shared, fits, seed_of};
use crate::updates::{Update, What};
use crate::{Engine, RunHandle, StartError};

/// The namespace of runs that were started without one.
pub const DEFAULT_NAMESPACE: &str = "default";

/// How a run is to be started.
#[derive(Debug, Clone, Default)]
pub struct StartOptions {
    /// The run's id; a new one if none.
    pub run_id: Option<RunId>,
    /// A second start of the same workflow in the same namespace with this key gives the first run.
    pub idempotency_key: Option<String>,
    pub labels: BTreeMap<String, String>,
    /// [`DEFAULT_NAMESPACE`] if none.
    pub namespace: Option<String>,
    /// When it may begin; at once if none.
    pub start_at: Option<UnixMillis>,
}

impl Engine {
    /// Starts a run. Returns when the run is durable, not when it has ended.
    pub async fn start(
        &self,
        workflow: &str,
        input: &(impl Serialize + ?Sized),
    ) -> Result<RunHandle, StartError> {
        self.start_with(workflow, input, StartOptions::default()).await
    }

    pub async fn start_with(
        &self,
        workflow: &str,
        input: &(impl Serialize + ?Sized),
        options: StartOptions,
    ) -> Result<RunHandle, StartError> {
        let input = Json::of(input)
            .map_err(|source| StartError::InputNotJson { workflow: workflow.to_owned(), source })?;
        let new = self.new_run(workflow, input, options)?;
        self.start_checked(new).await
    }

    /// Writes a run that was checked before.
    pub(crate) async fn start_checked(&self, new: NewRun) -> Result<RunHandle, StartError> {
        let shared = self.shared();
        if shared.schedule.is_stopping() {
            return Err(StartError::ShuttingDown);
        }
        let loaded = fresh(&new);
        let expected = shared.schedule.expect(new.run);
        let started = shared.store.start(new).await.map_err(|error| match error {
            stepwell_store::StartError::RunExists { run } => StartError::RunExists { run },
            stepwell_store::StartError::Store(error) => StartError::Store(error),
            error => StartError::Store(stepwell_store::StoreError::Unavailable(Box::new(error))),
        })?;
        let run = match started {
            Started::Existing(run) => {
                expected.forget();
                // Whoever created it may not have been told so.
                shared.schedule.activate(run, Why::Found);
                run
            }
            Started::Created => {
                let run = loaded.row.run;
                announce(shared, &loaded);
                match loaded.row.wake_at {
                    Some(at) if at > shared.clock.now() => {
                        expected.forget();
                        shared.timers.insert(at, run);
                    }
                    _ => shared.schedule.activate(run, Why::Fresh(Box::new(loaded))),
                }
                run
            }
        };
        Ok(RunHandle::new(self.clone(), run))
    }

    fn new_run(
        &self,
        workflow: &str,
        input: Json,
        options: StartOptions,
    ) -> Result<NewRun, StartError> {
        let shared = self.shared();
        let Some(definition) = shared.workflow(workflow) else {
            return Err(StartError::UnknownWorkflow { name: workflow.to_owned() });
        };
        let bytes_max = shared.config.limits.value_bytes_max;
        if !fits(&input, bytes_max) {
            let (workflow, n_bytes) = (workflow.to_owned(), input.n_bytes());
            return Err(StartError::InputTooLarge { workflow, n_bytes, bytes_max });
        }
        definition.check_input(&input)?;
        options.check()?;
        let now = shared.clock.now();
        let run = options.run_id.unwrap_or_else(new_run_id);
        Ok(NewRun {
            run,
            at: now,
            started: RunStarted {
                workflow: workflow.to_owned(),
                version: definition.version().to_owned(),
                namespace: options.namespace.unwrap_or_else(|| DEFAULT_NAMESPACE.to_owned()),
                input,
                labels: options.labels,
                parent: None,
                seed: seed_of(run),
                replay_of: None,
            },
            idempotency_key: options.idempotency_key,
            start_at: options.start_at.filter(|at| *at > now),
            copied: Vec::new(),
        })
    }
}

impl StartOptions {
    fn check(&self) -> Result<(), StartError> {
        if let Some(namespace) = &self.namespace {
            check("namespace", namespace)?;
        }
        if let Some(key) = &self.idempotency_key {
            check_text("idempotency key", key)?;
            if key.is_empty() {
                check("idempotency key", key)?;
            }
        }
        if self.labels.len() > LABELS_MAX {
            let n_labels = self.labels.len();
            return Err(StartError::TooManyLabels { n_labels, labels_max: LABELS_MAX });
        }
        for (key, value) in &self.labels {
            check("label", key)?;
            check_text(&format!("value of label `{key}`"), value)?;
        }
        Ok(())
    }
}

/// Ids that grow with time, so that new runs stand together in the store.
pub(crate) fn new_run_id() -> RunId {
    RunId(Uuid::now_v7())
}

fn check(what: &'static str, name: &str) -> Result<(), StartError> {
    check_name(name).map_err(|source| {
        let name = name.chars().take(32).collect();
        StartError::Name { what, name, source }
    })
}

fn check_text(what: &str, text: &str) -> Result<(), StartError> {
    if text.len() <= TEXT_BYTES_MAX {
        return Ok(());
    }
    let (what, n_bytes) = (what.to_owned(), text.len());
    Err(StartError::TooLong { what, n_bytes, bytes_max: TEXT_BYTES_MAX })
}

fn announce(shared: &Shared, loaded: &stepwell_store::LoadedRun) {
    if !shared.updates.has_readers() {
        return;
    }
    let row = &loaded.row;
    shared.updates.publish(loaded.journal.first().into_iter().map(|event| Update {
        run: row.run,
        namespace: row.namespace.as_str().into(),
        workflow: row.workflow.as_str().into(),
        seq: event.seq,
        at: event.at,
        status: row.status,
        what: What::of(event),
    }));
}
