//! Graphs that another node has saved or removed.
//!
//! Where nodes share a store, the engine of each must know the same graphs. One small document changes with every
//! change of a graph; whoever needs to know the graphs of this moment looks at it first, and everybody does now and then.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use stepwell_store::{DocumentWrite, Expect};

use super::{Current, DIALECT, Graphs};
use crate::app::App;
use crate::documents::{Found, SYSTEM};
use crate::problem::Problem;

const HEAD: &str = "head";

/// How often it is looked whether another node has changed a graph.
const LOOK: Duration = Duration::from_secs(1);

/// Looks for what other nodes change, until the server goes down.
pub async fn keep(app: App) {
    if app.engine.store().cluster().is_none() {
        return;
    }
    loop {
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = app.closed() => return,
        }
        if let Err(problem) = app.graphs.refresh().await {
            tracing::warn!(
                problem = problem.detail,
                "graphs of other nodes could not be looked for"
            );
        }
    }
}

impl Graphs {
    /// Makes the engine know every graph as it is now. Asks nobody where no other node shares the store.
    pub async fn refresh(&self) -> Result<(), Problem> {
        if self.engine.store().cluster().is_none() || self.is_fresh().await? {
            return Ok(());
        }
        let _turn = self.changing.lock().await;
        if self.is_fresh().await? {
            return Ok(());
        }
        self.read_all().await
    }

    /// The same before a workflow is looked up that may be a graph: what is none costs nothing.
    pub async fn refresh_for(&self, namespace: &str, workflow: &str) -> Result<(), Problem> {
        match self.engine.workflow(namespace, workflow) {
            Some(known) if known.dialect() != DIALECT => Ok(()),
            Some(_) | None => self.refresh().await,
        }
    }

    /// Registers what is saved, and takes back what is not saved any more.
    pub(super) async fn read_all(&self) -> Result<(), Problem> {
        // Read before the graphs: a change in between is noticed next time.
        let head = self.head_now().await?;
        let mut saved = BTreeSet::new();
        for found in self.current.list::<Current>(None).await? {
            let Found { namespace, key: name, body: Current { version }, .. } = found;
            let known = self.engine.workflow(&namespace, &name);
            if known.is_none_or(|known| known.dialect() != DIALECT || known.version() != version) {
                match self.version(&namespace, &name, &version).await? {
                    Some(graph) => self.register(&namespace, &graph)?,
                    None => {
                        tracing::error!(namespace, name, version, "a saved graph cannot be read")
                    }
                }
            }
            saved.insert((namespace, name));
        }
        for (namespace, workflow) in self.engine.workflows() {
            let Some(namespace) = namespace.filter(|_| workflow.dialect() == DIALECT) else {
                continue;
            };
            let place = (namespace, workflow.name().to_owned());
            if !saved.contains(&place) {
                self.engine.unregister(Some(&place.0), &place.1);
            }
        }
        self.seen.store(head, Ordering::Release);
        Ok(())
    }

    /// What is written with every change of a graph.
    pub(super) fn new_head(&self) -> Result<DocumentWrite, Problem> {
        self.head.write(SYSTEM, HEAD, Some(&json!({})), Expect::Anything)
    }

    async fn is_fresh(&self) -> Result<bool, Problem> {
        Ok(self.head_now().await? == self.seen.load(Ordering::Acquire))
    }

    async fn head_now(&self) -> Result<u64, Problem> {
        let head = self.head.get::<serde_json::Value>(SYSTEM, HEAD).await?;
        Ok(head.map_or(0, |head| head.revision))
    }
}
