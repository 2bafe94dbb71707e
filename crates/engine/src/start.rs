//! Starting runs: everything is checked before anything is written.

use std::collections::BTreeMap;

use serde::Serialize;
use stepwell_journal::{Json, RunId, RunStarted, Seq, UnixMillis, check_name};
use stepwell_kernel::TraceParent;
use stepwell_store::{NewRun, Started};

use crate::config::{LABELS_MAX, TEXT_BYTES_MAX};
use crate::effects::fresh;
use crate::schedule::Why;
use crate::shared::{Claim, fits, seed_of};
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
    /// When it must have ended: it fails then, whatever it does. Never if none.
    pub deadline: Option<UnixMillis>,
    /// The W3C `traceparent` of the caller.
    pub trace: Option<String>,
}

/// A run that was asked for.
#[derive(Clone)]
pub struct Launched {
    pub run: RunHandle,
    /// False if the idempotency key was seen before, and this is the run that it made.
    pub is_new: bool,
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
        Ok(self.launch(workflow, input, options).await?.run)
    }

    /// The same, and says whether the run is new.
    pub async fn launch(
        &self,
        workflow: &str,
        input: &(impl Serialize + ?Sized),
        options: StartOptions,
    ) -> Result<Launched, StartError> {
        let input = Json::of(input)
            .map_err(|source| StartError::InputNotJson { workflow: workflow.to_owned(), source })?;
        let has_id = options.run_id.is_some();
        let new = self.new_run(workflow, input, options)?;
        // A run that exists must not look as if it were being created.
        let is_new = !has_id || !self.exists(new.run).await?;
        if !is_new && new.idempotency_key.is_none() {
            return Err(StartError::RunExists { run: new.run });
        }
        self.start_checked(new, is_new).await
    }

    /// Writes a run that was checked before.
    pub(crate) async fn start_checked(
        &self,
        new: NewRun,
        is_new: bool,
    ) -> Result<Launched, StartError> {
        let shared = self.shared();
        if shared.schedule.is_stopping() {
            return Err(StartError::ShuttingDown);
        }
        let loaded = fresh(&new);
        let new_run = new.run;
        let expected = shared.schedule.expect(new_run);
        // From here on somebody may find the run in the store before we know of it.
        let claim = is_new.then(|| Claim::new(shared, new_run, Seq(0)));
        let started = match shared.store.start(new).await {
            Ok(started) => started,
            Err(stepwell_store::StartError::RunExists { run }) => {
                claim.into_iter().for_each(Claim::give_up);
                return Err(StartError::RunExists { run });
            }
            Err(stepwell_store::StartError::Store(error)) => return Err(StartError::Store(error)),
            Err(error) => {
                let error = stepwell_store::StoreError::Unavailable(Box::new(error));
                return Err(StartError::Store(error));
            }
        };
        let run = match started {
            Started::Existing { run, .. } => {
                expected.forget();
                claim.into_iter().for_each(Claim::give_up);
                // Whoever created it may not have been told so.
                shared.schedule.activate(run, Why::Found);
                run
            }
            Started::Created => {
                let run = loaded.row.run;
                claim.into_iter().for_each(|claim| claim.settle(&loaded));
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
        let is_new = run == new_run;
        Ok(Launched { run: RunHandle::new(self.clone(), run), is_new })
    }

    async fn exists(&self, run: RunId) -> Result<bool, StartError> {
        let row = self.shared().store.row(run).await.map_err(StartError::Store)?;
        Ok(row.is_some())
    }

    fn new_run(
        &self,
        workflow: &str,
        input: Json,
        options: StartOptions,
    ) -> Result<NewRun, StartError> {
        let shared = self.shared();
        let namespace = options.namespace.as_deref().unwrap_or(DEFAULT_NAMESPACE);
        let Some(definition) = shared.registry.current(namespace, workflow) else {
            let (name, namespace) = (workflow.to_owned(), namespace.to_owned());
            return Err(StartError::UnknownWorkflow { name, namespace });
        };
        let bytes_max = shared.config.limits.value_bytes_max;
        if !fits(&input, bytes_max) {
            let (workflow, n_bytes) = (workflow.to_owned(), input.n_bytes());
            return Err(StartError::InputTooLarge { workflow, n_bytes, bytes_max });
        }
        definition.check_input(&input)?;
        options.check()?;
        let now = shared.clock.now();
        let run = options.run_id.unwrap_or_else(|| shared.ownership.new_run_id());
        let start_at = options.start_at.filter(|at| *at > now);
        Ok(NewRun {
            run,
            at: now,
            started: RunStarted {
                workflow: workflow.to_owned(),
                version: definition.version().to_owned(),
                namespace: namespace.to_owned(),
                input,
                labels: options.labels,
                parent: None,
                seed: seed_of(run),
                replay_of: None,
                pinned: definition.is_pinned(),
                deadline_at: options.deadline,
                trace: options.trace,
            },
            idempotency_key: options.idempotency_key,
            // Whoever has to end before it may begin is looked after at its deadline.
            start_at: start_at.map(|at| options.deadline.map_or(at, |deadline| at.min(deadline))),
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
        if let Some(trace) = &self.trace {
            trace.parse::<TraceParent>()?;
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
