//! Which workflows there are: for whom, and in which versions.
//!
//! A workflow is registered for every namespace, or for one, where it stands before one of the same name
//! for all. A *pinned* workflow has versions side by side: the one registered last is what new runs begin
//! with, the others serve the runs that began with them. What is not here any more is asked for at the
//! [`Definitions`].

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::RwLock;
use stepwell_journal::{RunStarted, check_name};
use stepwell_kernel::Workflow;
use stepwell_store::BoxError;

use crate::config::VERSIONS_KEPT;
use crate::error::RegisterError;

/// Where older versions of pinned workflows are kept.
#[async_trait]
pub trait Definitions: Send + Sync + 'static {
    /// The workflow in exactly this version; none if it is not kept. An error is taken for a passing one,
    /// and the question asked again: give none for what will never be there.
    async fn find(
        &self,
        namespace: &str,
        workflow: &str,
        version: &str,
    ) -> Result<Option<Workflow>, BoxError>;
}

/// Whether a name may stand for something else from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    Refuse,
    Replace,
}

#[derive(Default)]
pub(crate) struct Registry {
    /// By name, and then by namespace; none is for all.
    names: RwLock<BTreeMap<String, BTreeMap<Option<String>, Versions>>>,
    /// Asked one after the other.
    definitions: RwLock<Vec<Arc<dyn Definitions>>>,
}

#[derive(Default)]
struct Versions {
    /// What new runs begin with; none once it was unregistered.
    current: Option<Workflow>,
    /// Other versions that runs may be pinned to, the latest in front.
    others: VecDeque<Workflow>,
}

impl Registry {
    pub fn register(
        &self,
        namespace: Option<&str>,
        workflow: Workflow,
        taken: Taken,
    ) -> Result<(), RegisterError> {
        let start = |name: &str| name.chars().take(32).collect::<String>();
        let name = workflow.name().to_owned();
        if let Err(source) = check_name(&name) {
            return Err(RegisterError::Name { name: start(&name), source });
        }
        if let Some(namespace) = namespace
            && let Err(source) = check_name(namespace)
        {
            return Err(RegisterError::Namespace { namespace: start(namespace), source });
        }
        workflow
            .run_limits()
            .check()
            .map_err(|source| RegisterError::Limits { name: name.clone(), source })?;
        let kept_max = self.kept_max();
        let mut names = self.names.write();
        let places = names.entry(name.clone()).or_default();
        let versions = places.entry(namespace.map(str::to_owned)).or_default();
        if let Some(known) = &versions.current
            && taken == Taken::Refuse
            && known.version() != workflow.version()
            && !(known.is_pinned() && workflow.is_pinned())
        {
            return Err(RegisterError::AlreadyRegistered {
                name,
                registered: known.version().to_owned(),
                offered: workflow.version().to_owned(),
            });
        }
        versions.make_current(workflow, kept_max);
        Ok(())
    }

    /// Lets no more runs begin. True if there was such a workflow.
    pub fn unregister(&self, namespace: Option<&str>, name: &str) -> bool {
        let kept_max = self.kept_max();
        let mut names = self.names.write();
        let versions =
            names.get_mut(name).and_then(|places| places.get_mut(&namespace.map(str::to_owned)));
        versions.is_some_and(|versions| versions.retire(kept_max))
    }

    /// What a new run in this namespace begins with.
    pub fn current(&self, namespace: &str, name: &str) -> Option<Workflow> {
        let names = self.names.read();
        let places = names.get(name)?;
        let own = places.get(&Some(namespace.to_owned())).and_then(|own| own.current.clone());
        own.or_else(|| places.get(&None)?.current.clone())
    }

    /// The same, or what new runs last began with: its limits hold for the runs that it has left.
    pub fn latest(&self, namespace: &str, name: &str) -> Option<Workflow> {
        let names = self.names.read();
        let places = names.get(name)?;
        let latest = |versions: &Versions| {
            versions.current.as_ref().or_else(|| versions.others.front()).cloned()
        };
        let own = places.get(&Some(namespace.to_owned())).and_then(latest);
        own.or_else(|| places.get(&None).and_then(latest))
    }

    /// What a run goes on with, as far as it is in memory.
    fn known(&self, run: &RunStarted) -> Option<Workflow> {
        let names = self.names.read();
        let places = names.get(&run.workflow)?;
        let fits = |versions: &Versions| match run.pinned {
            true => versions.pinned(&run.version),
            false => versions.current.clone().filter(|workflow| !workflow.is_pinned()),
        };
        let own = places.get(&Some(run.namespace.clone())).and_then(fits);
        own.or_else(|| places.get(&None).and_then(fits))
    }

    /// Whether what the run goes on with is in memory.
    pub fn knows(&self, run: &RunStarted) -> bool {
        self.known(run).is_some()
    }

    /// What a run goes on with; none if nobody has it.
    pub async fn find(&self, run: &RunStarted) -> Result<Option<Workflow>, BoxError> {
        if let Some(known) = self.known(run) {
            return Ok(Some(known));
        }
        let Some(found) = self.find_kept(run).await? else { return Ok(None) };
        if found.name() != run.workflow || found.version() != run.version {
            let problem = format!(
                "version {} of workflow `{}` was asked for, version {} of `{}` was given",
                run.version,
                run.workflow,
                found.version(),
                found.name()
            );
            return Err(problem.into());
        }
        let found = found.pinned();
        let mut names = self.names.write();
        let places = names.entry(run.workflow.clone()).or_default();
        let versions = places.entry(Some(run.namespace.clone())).or_default();
        versions.keep(found.clone(), VERSIONS_KEPT);
        Ok(Some(found))
    }

    async fn find_kept(&self, run: &RunStarted) -> Result<Option<Workflow>, BoxError> {
        let definitions = if run.pinned { self.definitions() } else { Vec::new() };
        for kept in definitions {
            let found = kept.find(&run.namespace, &run.workflow, &run.version).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// Every workflow that new runs may begin with, and its namespace.
    pub fn list(&self) -> Vec<(Option<String>, Workflow)> {
        self.all(|versions| versions.current.iter().cloned().collect())
    }

    /// Every version that is in memory; of each name the current one last.
    pub fn list_versions(&self) -> Vec<(Option<String>, Workflow)> {
        self.all(|versions| {
            versions.others.iter().rev().chain(&versions.current).cloned().collect()
        })
    }

    /// What new runs in this namespace may begin with, by name.
    pub fn list_in(&self, namespace: &str) -> Vec<Workflow> {
        let names = self.names.read();
        let own = Some(namespace.to_owned());
        let visible = names.values().filter_map(|places| {
            let of = |place| places.get(place).and_then(|versions| versions.current.clone());
            of(&own).or_else(|| of(&None))
        });
        visible.collect()
    }

    pub fn add_definitions(&self, definitions: Arc<dyn Definitions>) {
        self.definitions.write().push(definitions);
    }

    pub fn definitions(&self) -> Vec<Arc<dyn Definitions>> {
        self.definitions.read().clone()
    }

    fn all(&self, of: impl Fn(&Versions) -> Vec<Workflow>) -> Vec<(Option<String>, Workflow)> {
        let names = self.names.read();
        let places = names.values().flatten();
        places
            .flat_map(|(namespace, versions)| {
                of(versions).into_iter().map(|workflow| (namespace.clone(), workflow))
            })
            .collect()
    }

    /// What can be found again need not be kept.
    fn kept_max(&self) -> usize {
        if self.definitions.read().is_empty() { usize::MAX } else { VERSIONS_KEPT }
    }
}

impl Versions {
    fn make_current(&mut self, workflow: Workflow, kept_max: usize) {
        self.retire(kept_max);
        self.others.retain(|other| other.version() != workflow.version());
        self.current = Some(workflow);
    }

    fn retire(&mut self, kept_max: usize) -> bool {
        let Some(before) = self.current.take() else { return false };
        if before.is_pinned() {
            self.keep(before, kept_max);
        }
        true
    }

    fn keep(&mut self, workflow: Workflow, kept_max: usize) {
        self.others.retain(|other| other.version() != workflow.version());
        self.others.push_front(workflow);
        self.others.truncate(kept_max);
    }

    fn pinned(&self, version: &str) -> Option<Workflow> {
        let mut all = self.current.iter().chain(&self.others);
        all.find(|workflow| workflow.is_pinned() && workflow.version() == version).cloned()
    }
}
