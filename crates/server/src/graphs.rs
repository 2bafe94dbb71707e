//! Graphs: saved by callers, kept as documents by the hash of their content, and registered with the engine.
//!
//! ```text
//!   PUT --> check --> documents: graph-version NAME@HASH (kept), graph NAME (the current one) --> engine
//!   a run of an older version --> Definitions::find --> graph-version NAME@HASH
//!   another node changed one  --> graph-head has a new revision --> `fresh` reads the current ones again
//! ```

mod fresh;
mod host;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use stepwell_engine::{Definitions, Engine};
use stepwell_graph::{Action, Graph, Path, Problems, workflow};
use stepwell_kernel::{RunLimits, Workflow};
use stepwell_mcp::ToolServers;
use stepwell_store::{BoxError, Expect};
use tokio::sync::Mutex;

use crate::documents::{Documents, write_all};
use crate::extract::short;
use crate::problem::{Code, Problem, internal};
use host::{Host, code_problem};

pub use fresh::keep;

/// The most graphs of one namespace.
pub const GRAPHS_MAX: usize = 10_000;

/// The dialect's name, as workflows carry it.
pub const DIALECT: &str = "graph";

/// The graphs of all namespaces. Cheap to clone.
#[derive(Clone)]
pub struct Graphs {
    engine: Engine,
    current: Documents,
    versions: Documents,
    /// Changes with every change of a graph.
    head: Documents,
    /// The revision of the head that the engine is up to date with.
    seen: Arc<AtomicU64>,
    host: Arc<Host>,
    /// What the settings say of runs, by the workflow's name.
    limits: Arc<BTreeMap<String, RunLimits>>,
    /// One change at a time: the engine must end up with what the store has.
    changing: Arc<Mutex<()>>,
}

/// What is kept of the version that new runs begin with.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Current {
    version: String,
}

/// A graph that was saved, or looked at.
pub struct SavedGraph {
    pub workflow: Workflow,
    pub is_new: bool,
}

/// Whether a name may be there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    Either,
    New,
    Known,
}

impl Graphs {
    pub fn new(engine: Engine, tools: ToolServers, limits: BTreeMap<String, RunLimits>) -> Graphs {
        let documents =
            |kind| Documents::new(Arc::clone(engine.store()), Arc::clone(engine.clock()), kind);
        Graphs {
            current: documents("graph"),
            versions: documents("graph-version"),
            head: documents("graph-head"),
            seen: Arc::default(),
            host: Arc::new(Host::new(tools)),
            limits: Arc::new(limits),
            changing: Arc::default(),
            engine,
        }
    }

    /// Registers every graph that was saved, and lets runs find older versions.
    pub async fn load(&self) -> Result<(), Problem> {
        self.read_all().await?;
        self.engine.add_definitions(self.clone());
        Ok(())
    }

    /// Checks a definition as far as that is possible without running it.
    pub async fn check(&self, definition: &Value) -> Result<Graph, Problems> {
        let graph = Graph::from_value(definition)?;
        let (host, steps) = (Arc::clone(&self.host), graph.steps().to_vec());
        let checking = tokio::task::spawn_blocking(move || {
            let mut problems = Vec::new();
            for (n, step) in steps.iter().enumerate() {
                let (code, field) = match &step.action {
                    Action::Code { code } => (code, "code"),
                    Action::Tool { transform_code: Some(code), .. } => (code, "transformCode"),
                    _ => continue,
                };
                let field = Path::top().key("steps").item(n).key("action").key(field);
                let errors = host.check_code(&step.name, code);
                let problem = |error| code_problem(&step.name, field.clone(), error);
                problems.extend(errors.iter().map(problem));
            }
            problems
        });
        match checking.await {
            Ok(problems) if problems.is_empty() => Ok(graph),
            Ok(problems) => Err(Problems(problems)),
            Err(error) => {
                tracing::error!(%error, "the check of a graph's code failed");
                Ok(graph)
            }
        }
    }

    /// Saves a graph under its id, which must be `name`.
    pub async fn put(
        &self,
        namespace: &str,
        name: &str,
        definition: &Value,
        put: Put,
    ) -> Result<SavedGraph, Problem> {
        let graph = self.check(definition).await.map_err(|problems| invalid(&problems))?;
        if graph.id() != name {
            let said = format!("it is `{}`, and must be `{}`", short(graph.id()), short(name));
            return Err(Problem::new(Code::InvalidGraph, format!("`id`: {said}")).at("id", said));
        }
        self.refresh().await?;
        let _turn = self.changing.lock().await;
        self.check_free(namespace, name)?;
        let before = self.current.get::<Current>(namespace, name).await?;
        match (put, &before) {
            (Put::New, Some(_)) => {
                return Err(taken(name, "a graph of this name is there already"));
            }
            (Put::Known, None) => return Err(unknown(name)),
            _ => {}
        }
        let expect =
            before.as_ref().map_or(Expect::Absent, |found| Expect::Revision(found.revision));
        let body: Value = serde_json::from_str(&graph.canonical())
            .map_err(|error| internal(&error.to_string()))?;
        let current = Current { version: graph.version().to_owned() };
        let key = version_key(name, graph.version());
        let writes = vec![
            self.versions.write(namespace, &key, Some(&body), Expect::Anything)?,
            self.current.write(namespace, name, Some(&current), expect)?,
            self.new_head()?,
        ];
        write_all(&**self.engine.store(), writes).await?;
        self.register(namespace, &Arc::new(graph))?;
        let workflow = self.engine.workflow(namespace, name).ok_or_else(|| unknown(name))?;
        Ok(SavedGraph { workflow, is_new: before.is_none() })
    }

    /// Lets no more runs of a graph begin. Runs under way go on: its versions are kept.
    pub async fn delete(&self, namespace: &str, name: &str) -> Result<(), Problem> {
        self.refresh().await?;
        let _turn = self.changing.lock().await;
        let Some(found) = self.current.get::<Current>(namespace, name).await? else {
            return Err(match self.engine.workflow(namespace, name) {
                Some(other) => not_a_graph(name, other.dialect()),
                None => unknown(name),
            });
        };
        let expect = Expect::Revision(found.revision);
        let writes =
            vec![self.current.write(namespace, name, None::<&()>, expect)?, self.new_head()?];
        write_all(&**self.engine.store(), writes).await?;
        self.engine.unregister(Some(namespace), name);
        Ok(())
    }

    /// The definition of a version, as it was saved.
    pub async fn definition(
        &self,
        namespace: &str,
        name: &str,
        version: &str,
    ) -> Result<Option<Value>, Problem> {
        let found = self.versions.get::<Value>(namespace, &version_key(name, version)).await?;
        Ok(found.map(|found| found.body))
    }

    /// The graph of a version.
    pub async fn version(
        &self,
        namespace: &str,
        name: &str,
        version: &str,
    ) -> Result<Option<Arc<Graph>>, Problem> {
        let Some(body) = self.definition(namespace, name, version).await? else { return Ok(None) };
        match Graph::from_value(&body) {
            Ok(graph) => Ok(Some(Arc::new(graph))),
            Err(problems) => {
                tracing::error!(namespace, name, version, %problems, "a saved graph is not valid any more");
                Ok(None)
            }
        }
    }

    fn register(&self, namespace: &str, graph: &Arc<Graph>) -> Result<(), Problem> {
        let mut workflow = workflow(graph, self.host.clone());
        if let Some(limits) = self.limits.get(graph.id()) {
            workflow = workflow.limits(limits.clone());
        }
        let registered = self.engine.replace(Some(namespace), workflow);
        registered.map_err(|error| Problem::new(Code::InvalidGraph, error.to_string()))
    }

    fn check_free(&self, namespace: &str, name: &str) -> Result<(), Problem> {
        match self.engine.workflow(namespace, name) {
            Some(other) if other.dialect() != DIALECT => Err(not_a_graph(name, other.dialect())),
            Some(_) => Ok(()),
            None if self.engine.workflows_in(namespace).len() >= GRAPHS_MAX => {
                let said = format!("a namespace has at most {GRAPHS_MAX} graphs (GRAPHS_MAX)");
                Err(Problem::new(Code::InvalidRequest, said))
            }
            None => Ok(()),
        }
    }
}

#[async_trait]
impl Definitions for Graphs {
    async fn find(
        &self,
        namespace: &str,
        name: &str,
        version: &str,
    ) -> Result<Option<Workflow>, BoxError> {
        let found = self.version(namespace, name, version).await;
        let found = found.map_err(|problem| BoxError::from(problem.detail))?;
        Ok(found.map(|graph| workflow(&graph, self.host.clone())))
    }
}

/// Every problem with its step and its field.
pub fn invalid(problems: &Problems) -> Problem {
    let detail = match problems.0.as_slice() {
        [only] => format!("`{}`: {}", only.field.as_str(), with_step(only)),
        several => format!("{} things are wrong with the graph", several.len()),
    };
    problems.0.iter().fold(Problem::new(Code::InvalidGraph, detail), |problem, one| {
        problem.at(one.field.as_str(), with_step(one))
    })
}

fn with_step(problem: &stepwell_graph::Problem) -> String {
    match &problem.step {
        Some(step) => format!("step `{step}`: {}", problem.message),
        None => problem.message.clone(),
    }
}

fn version_key(name: &str, version: &str) -> String {
    format!("{name}@{version}")
}

fn not_a_graph(name: &str, dialect: &str) -> Problem {
    taken(name, &format!("it is a workflow of the dialect {dialect}, which is not changed here"))
}

fn taken(name: &str, why: &str) -> Problem {
    Problem::new(Code::NameTaken, format!("`{}`: {why}", short(name)))
}

fn unknown(name: &str) -> Problem {
    let detail = format!("there is no graph `{}` in this namespace", short(name));
    Problem::new(Code::UnknownWorkflow, detail)
}
