//! From texts to workflows.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use stepwell_journal::Json;
use stepwell_kernel::Workflow;
use stepwell_script::js::{
    Bundle, BundleLimits, Call, Directory, FetchHost, JsPool, PoolOptions, Program,
};
use stepwell_script::{ErrorKind, ScriptError, ScriptLimits};
use tokio::sync::{Semaphore, SemaphorePermit};

use super::describe::{Described, DescribedNode, Reader};
use super::host::TsHost;
use super::input::InputChecks;
use super::library::library;
use super::sources::{Shelf, Sources};
use crate::plan::{Nested, NodeKind, Plan, check};
use crate::problem::{Problem, Problems};
use crate::workflow::{InputCheck, Parts, workflow};

/// How long the top level of a file may take.
const LOAD_TIME_MS: u64 = 10_000;

/// How many calls may be under way or waiting in the script engine; more wait here.
const CALLS_MAX: usize = 4_096;

/// What files may use.
#[derive(Clone)]
pub struct TsOptions {
    /// Memory, stack and output of one call. Its time is the step's timeout, or `step_time`.
    pub limits: ScriptLimits,
    /// How long a call may take whose step has no timeout.
    pub step_time: Duration,
    /// Who makes the requests of `fetch`; none refuses them.
    pub fetch: Option<Arc<dyn FetchHost>>,
    pub pool: PoolOptions,
    pub bundle: BundleLimits,
}

impl Default for TsOptions {
    /// 64 MB, 5 minutes, no requests.
    fn default() -> TsOptions {
        TsOptions {
            limits: ScriptLimits::DEFAULT,
            step_time: Duration::from_secs(300),
            fetch: None,
            pool: PoolOptions::default(),
            bundle: BundleLimits::DEFAULT,
        }
    }
}

/// Loads files and runs their functions. Cheap to clone.
#[derive(Clone)]
pub struct TsRuntime {
    inner: Arc<Inner>,
}

struct Inner {
    options: TsOptions,
    pool: JsPool,
    turns: Semaphore,
    inputs: InputChecks,
}

/// A workflow of a file, ready to be registered.
#[derive(Clone)]
pub struct Loaded {
    runtime: TsRuntime,
    plan: Plan,
    version: String,
    /// Which of the file's workflows: empty for the one that its exports make.
    root: String,
    sources: Sources,
    programs: BTreeMap<String, Arc<Program>>,
    input_schema: Option<Value>,
}

impl TsRuntime {
    /// Fails only if no thread can be started.
    pub fn new(options: TsOptions) -> std::io::Result<TsRuntime> {
        let inner = Inner {
            pool: JsPool::new(options.pool),
            turns: Semaphore::new(CALLS_MAX.min(options.pool.queue_max)),
            inputs: InputChecks::start()?,
            options,
        };
        Ok(TsRuntime { inner: Arc::new(inner) })
    }

    pub(super) fn options(&self) -> &TsOptions {
        &self.inner.options
    }

    pub(super) fn pool(&self) -> &JsPool {
        &self.inner.pool
    }

    pub(super) async fn turn(&self) -> Result<SemaphorePermit<'_>, ScriptError> {
        let closed = |_| ScriptError::new(ErrorKind::Unavailable, "the scripts were shut down");
        self.inner.turns.acquire().await.map_err(closed)
    }

    /// Every workflow that a file defines; none if it exports no `steps`, as files do that others import. Nothing
    /// outside of `root` is read.
    pub async fn load_file(&self, root: &Path, file: &Path) -> Result<Vec<Loaded>, Problems> {
        let shelf = Shelf::disk(root, self.options().bundle)?;
        let directory = Directory::new(root).map_err(|error| {
            Problem::new(format!("the folder {} cannot be opened: {error}", root.display()))
        })?;
        let Some(entry) = directory.relative(file) else {
            let said = if file.exists() { "is not below" } else { "is not there; looked in" };
            let said = format!("{} {said} {}", file.display(), root.display());
            return Err(Problem::new(said).into());
        };
        self.load(&shelf, &entry).await
    }

    /// The same workflows from what was kept of them.
    pub async fn restore(&self, sources: &Sources) -> Result<Vec<Loaded>, Problems> {
        let mut loaded = self.load(&Shelf::Kept(sources), &sources.entry).await?;
        for loaded in &mut loaded {
            let dialect = |name: &str| {
                let is_sequence = sources.runs.get(name).copied().unwrap_or(false);
                Some(if is_sequence { crate::DIALECT } else { "" }.to_owned())
            };
            // They were found when the definition was registered.
            let _ = loaded.resolve(dialect);
        }
        Ok(loaded)
    }

    async fn load(&self, shelf: &Shelf<'_>, entry: &str) -> Result<Vec<Loaded>, Problems> {
        let units = self.units(shelf, entry).await?;
        let sources = Sources {
            entry: entry.to_owned(),
            units: units.iter().map(|(path, unit)| (path.clone(), unit.bundle.clone())).collect(),
            runs: BTreeMap::new(),
        };
        sources.check_size()?;
        let programs: BTreeMap<String, Arc<Program>> =
            units.iter().map(|(path, unit)| (path.clone(), unit.program.clone())).collect();
        let mut all = Vec::new();
        let mut problems = Vec::new();
        for described in &units[entry].described {
            let mut reader = Reader::new(&units, shelf);
            let plan = reader.workflow(entry, described);
            reader.problems.extend(check(&plan));
            problems.append(&mut reader.problems);
            let input_schema = match described.has_input {
                true => self.input_schema(&units[entry].program, &described.root).await,
                false => Ok(None),
            };
            let input_schema = input_schema.unwrap_or_else(|error| {
                let said = format!("`input` has no JSON Schema: {error}");
                problems.push(Problem::new(said).at(plan.position.as_ref()));
                None
            });
            all.push(Loaded {
                runtime: self.clone(),
                version: sources.hash(&described.root),
                plan,
                root: described.root.clone(),
                sources: sources.clone(),
                programs: programs.clone(),
                input_schema,
            });
        }
        if problems.is_empty() { Ok(all) } else { Err(Problems(problems)) }
    }

    /// The file and, one after another, all that are nested in it.
    async fn units(
        &self,
        shelf: &Shelf<'_>,
        entry: &str,
    ) -> Result<BTreeMap<String, Unit>, Problems> {
        let mut units = BTreeMap::new();
        let mut waiting = vec![entry.to_owned()];
        while let Some(path) = waiting.pop() {
            if units.contains_key(&path) {
                continue;
            }
            let unit = self.unit(shelf, &path).await?;
            for described in &unit.described {
                described.visit(&mut |node: &DescribedNode| {
                    let from = node.file_of(&path);
                    let found = node.file.as_deref().map(|file| shelf.resolve(from, file));
                    // What is not there is said with its place when the plan is made.
                    waiting.extend(found.and_then(Result::ok));
                });
            }
            units.insert(path, unit);
        }
        Ok(units)
    }

    async fn unit(&self, shelf: &Shelf<'_>, path: &str) -> Result<Unit, Problems> {
        let bundle = shelf.unit(path)?;
        let program = Program::compile(&bundle, library())?;
        let limits = ScriptLimits { time_ms: LOAD_TIME_MS, ..self.options().limits };
        let call = Call::driver("describe").limits(limits);
        let described = self.pool().call(&program, call).await?;
        let described = serde_json::from_value(described.unwrap_or_default()).map_err(|error| {
            Problem::new(format!("{path}: what the file exports cannot be read: {error}"))
        })?;
        Ok(Unit { bundle, program, described })
    }

    async fn input_schema(
        &self,
        program: &Arc<Program>,
        root: &str,
    ) -> Result<Option<Value>, ScriptError> {
        let limits = ScriptLimits { time_ms: LOAD_TIME_MS, ..self.options().limits };
        self.pool().call(program, Call::driver("inputSchema").arg(root)?.limits(limits)).await
    }
}

/// A file that defines workflows, loaded.
pub(super) struct Unit {
    pub bundle: Bundle,
    pub program: Arc<Program>,
    pub described: Vec<Described>,
}

impl Loaded {
    pub fn name(&self) -> &str {
        &self.plan.name
    }

    /// A hash of every text that the definition is made of.
    pub fn version(&self) -> &str {
        &self.version
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    pub fn input_schema(&self) -> Option<&Value> {
        self.input_schema.as_ref()
    }

    /// What is to be kept for runs in flight.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Finds the nested workflows that are named and not files. `dialect` knows the workflows that there are.
    pub fn resolve(&mut self, dialect: impl Fn(&str) -> Option<String>) -> Result<(), Problems> {
        let mut problems = Vec::new();
        let runs = &mut self.sources.runs;
        self.plan.runs_mut(&mut |node| {
            let position = node.position.clone();
            let NodeKind::Workflow(Nested::Run { workflow, shares_context, .. }) = &mut node.kind
            else {
                return;
            };
            match dialect(workflow) {
                Some(dialect) => {
                    *shares_context = dialect == crate::DIALECT;
                    runs.insert(workflow.clone(), *shares_context);
                }
                None => {
                    let said = format!(
                        "there is no workflow `{workflow}`: register it, or name its file, such as \
                         './{workflow}.ts'"
                    );
                    problems.push(Problem::new(said).at(position.as_ref()));
                }
            }
        });
        if problems.is_empty() { Ok(()) } else { Err(Problems(problems)) }
    }

    /// The workflow. Runs stay with the version that they began with.
    pub fn workflow(&self) -> Workflow {
        let host = TsHost { runtime: self.runtime.clone(), programs: self.programs.clone() };
        workflow(Parts {
            plan: Arc::new(self.plan.clone()),
            version: self.version.clone(),
            host: Arc::new(host),
            input_schema: self.input_schema.clone(),
            check_input: self.input_check(),
        })
        .pinned()
    }

    fn input_check(&self) -> InputCheck {
        let program = self.programs.get(&self.sources.entry).cloned();
        let Some(program) = program.filter(|_| self.plan.input.is_some()) else {
            return Arc::new(|_: &Json| Ok(()));
        };
        let (runtime, name, root) =
            (self.runtime.clone(), self.plan.name.clone(), self.root.clone());
        Arc::new(move |input: &Json| {
            let limits = runtime.options().limits;
            runtime.inner.inputs.check((&name, &root), &program, input, limits)
        })
    }
}
