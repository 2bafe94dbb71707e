//! Making workflows known, for all namespaces or for one.

use std::sync::Arc;

use stepwell_journal::RunStarted;
use stepwell_kernel::{RunLimits, RunLimitsError, Workflow};
use stepwell_store::BoxError;

use crate::admission::Lane;
use crate::registry::{Definitions, Taken};
use crate::{Engine, RegisterError};

impl Engine {
    /// Makes a workflow known in every namespace. Its runs that wait for it go on.
    pub fn register(&self, workflow: Workflow) -> Result<(), RegisterError> {
        self.make_known(None, workflow, Taken::Refuse)
    }

    /// Makes a workflow known in one namespace, where it stands before one of the same name for all.
    pub fn register_in(&self, namespace: &str, workflow: Workflow) -> Result<(), RegisterError> {
        self.make_known(Some(namespace), workflow, Taken::Refuse)
    }

    /// As [`Engine::register`] or [`Engine::register_in`], also where another definition has that name:
    /// runs of a pinned one go on with it, other runs with the new one.
    pub fn replace(
        &self,
        namespace: Option<&str>,
        workflow: Workflow,
    ) -> Result<(), RegisterError> {
        self.make_known(namespace, workflow, Taken::Replace)
    }

    /// Lets no more runs of this workflow begin, in one namespace, or in those that have none of their own.
    /// Runs of a pinned version go on as long as that is found; others wait until the workflow is registered
    /// again. False if there is no such workflow.
    pub fn unregister(&self, namespace: Option<&str>, name: &str) -> bool {
        let was_known = self.shared().registry.unregister(namespace, name);
        self.relimit(name);
        was_known
    }

    /// Limits the runs of a workflow in a namespace, whatever the workflow says of itself. Limits that limit
    /// nothing let every run begin; see [`Engine::unset_limits`] to take them back.
    pub fn set_limits(
        &self,
        namespace: &str,
        workflow: &str,
        limits: RunLimits,
    ) -> Result<(), RunLimitsError> {
        limits.check()?;
        self.shared().admission.tell(Lane::new(namespace, workflow), Some(limits));
        self.relimit(workflow);
        Ok(())
    }

    /// Lets the workflow's own limits stand again.
    pub fn unset_limits(&self, namespace: &str, workflow: &str) {
        self.shared().admission.tell(Lane::new(namespace, workflow), None);
        self.relimit(workflow);
    }

    /// What limits the runs of a workflow in a namespace.
    pub fn limits(&self, namespace: &str, workflow: &str) -> RunLimits {
        let limits = self.shared().limits(&Lane::new(namespace, workflow));
        limits.map(|limits| (*limits).clone()).unwrap_or_default()
    }

    /// Where versions of pinned workflows are found that nobody has registered. Those added before are asked
    /// first. Runs that wait for a version look there.
    pub fn add_definitions(&self, definitions: impl Definitions) {
        let shared = self.shared();
        shared.registry.add_definitions(Arc::new(definitions));
        shared.schedule.unpark(None);
    }

    /// Every workflow that new runs may begin with, with its namespace; none is for all.
    pub fn workflows(&self) -> Vec<(Option<String>, Workflow)> {
        self.shared().registry.list()
    }

    /// What new runs in this namespace may begin with, by name.
    pub fn workflows_in(&self, namespace: &str) -> Vec<Workflow> {
        self.shared().registry.list_in(namespace)
    }

    /// What a new run in this namespace would begin with.
    pub fn workflow(&self, namespace: &str, name: &str) -> Option<Workflow> {
        self.shared().registry.current(namespace, name)
    }

    /// What a run that was started like this goes on with; none if nobody has it.
    pub async fn workflow_of(&self, started: &RunStarted) -> Result<Option<Workflow>, BoxError> {
        self.shared().registry.find(started).await
    }

    fn make_known(
        &self,
        namespace: Option<&str>,
        workflow: Workflow,
        taken: Taken,
    ) -> Result<(), RegisterError> {
        let shared = self.shared();
        let name = workflow.name().to_owned();
        let is_limited = !workflow.run_limits().is_empty();
        shared.registry.register(namespace, workflow, taken)?;
        if is_limited {
            shared.admission.expect_use();
        }
        self.relimit(&name);
        shared.schedule.unpark(Some(&name));
        Ok(())
    }

    /// The limits of a workflow's runs may have changed.
    fn relimit(&self, workflow: &str) {
        let shared = self.shared();
        for lane in shared.admission.lanes_of(workflow) {
            let limits = shared.limits(&lane);
            shared.admission.relimit(&lane, limits, &shared.schedule, shared.clock.now());
        }
    }
}
