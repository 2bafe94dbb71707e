//! A registered definition, ready to be run.

mod input;
mod run_limits;

use std::future::Future;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use stepwell_journal::{Json, stable_hash};

pub use input::{InputError, InputProblem};
pub use run_limits::{KeyedLimit, RATE_MS_MAX, RATE_RUNS_MAX, Rate, RunLimits, RunLimitsError};

use crate::{Ctx, Error, LocalBoxFuture, Result};

type Function = dyn Fn(Ctx, Json) -> LocalBoxFuture<'static, Result<Json>> + Send + Sync;
type InputCheck = dyn Fn(&Json) -> Result<(), InputError> + Send + Sync;

/// The dialect of workflows that are functions.
const CODE: &str = "code";

/// A workflow: a name, a version, and the durable function that runs it. Cheap to clone.
#[derive(Clone)]
pub struct Workflow {
    name: Arc<str>,
    version: Arc<str>,
    about: Arc<About>,
    pub(crate) options: WorkflowOptions,
    check_input: Arc<InputCheck>,
    function: Arc<Function>,
}

/// What people and programs are told of a workflow.
#[derive(Debug, Clone)]
struct About {
    dialect: Arc<str>,
    title: Option<String>,
    description: Option<String>,
    source: Option<Source>,
    input_schema: Option<Arc<serde_json::Value>>,
    output_schema: Option<Arc<serde_json::Value>>,
    plan: Option<Arc<serde_json::Value>>,
    limits: RunLimits,
}

/// Where a definition was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Source {
    pub file: String,
    /// The first is 1.
    pub line: Option<u32>,
    /// The first is 1.
    pub column: Option<u32>,
}

/// How the runs of a workflow behave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkflowOptions {
    /// Whether the undo handlers run when a run is cancelled or misses its deadline.
    pub undo_on_cancel: bool,
    /// Whether a run can only go on with the very version that it began with.
    pub pinned: bool,
}

/// Makes a workflow of an async function: `workflow("checkout", checkout)`.
pub fn workflow<F, Fut, I, O, E>(name: &str, function: F) -> Workflow
where
    F: Fn(Ctx, I) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, E>> + 'static,
    I: DeserializeOwned + JsonSchema + 'static,
    O: Serialize + 'static,
    E: Into<Error> + 'static,
{
    let schema = schemars::schema_for!(I).to_value();
    Workflow::without_schema(name, function).with_input_schema(schema)
}

impl Workflow {
    /// The same for an input type that cannot describe itself.
    pub fn without_schema<F, Fut, I, O, E>(name: &str, function: F) -> Workflow
    where
        F: Fn(Ctx, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, E>> + 'static,
        I: DeserializeOwned + 'static,
        O: Serialize + 'static,
        E: Into<Error> + 'static,
    {
        let checked = name.to_owned();
        let check_input = move |input: &Json| InputError::check::<I>(&checked, input);
        let function = Arc::new(function);
        let erased = move |ctx: Ctx, input: Json| -> LocalBoxFuture<'static, Result<Json>> {
            let function = function.clone();
            Box::pin(async move {
                let input = match input.to::<I>() {
                    Ok(input) => input,
                    Err(error) => return ctx.core.not_the_input::<I>(&error).await,
                };
                let output = function(ctx, input).await.map_err(Into::into)?;
                Ok(Json::of(&output)?)
            })
        };
        Workflow::dynamic(name, "1", check_input, erased)
    }

    /// A workflow whose types are known only when it runs: an interpreter of definitions. `function` is
    /// given what `check_input` has passed, or what another version's has.
    pub fn dynamic<C, F>(name: &str, version: &str, check_input: C, function: F) -> Workflow
    where
        C: Fn(&Json) -> Result<(), InputError> + Send + Sync + 'static,
        F: Fn(Ctx, Json) -> LocalBoxFuture<'static, Result<Json>> + Send + Sync + 'static,
    {
        Workflow {
            name: Arc::from(name),
            version: Arc::from(version),
            about: Arc::new(About {
                dialect: Arc::from(CODE),
                title: None,
                description: None,
                source: None,
                input_schema: None,
                output_schema: None,
                plan: None,
                limits: RunLimits::default(),
            }),
            options: WorkflowOptions::default(),
            check_input: Arc::new(check_input),
            function: Arc::new(function),
        }
    }

    /// What people call this version of the definition; `1` unless said otherwise.
    #[must_use]
    pub fn version_named(mut self, version: &str) -> Workflow {
        self.version = Arc::from(version);
        self
    }

    /// Runs go on with the version that they began with, and several versions live side by side: for
    /// definitions whose version is a hash of their content.
    #[must_use]
    pub fn pinned(mut self) -> Workflow {
        self.options.pinned = true;
        self
    }

    /// The language of the definition; `code` unless said otherwise.
    #[must_use]
    pub fn dialect_named(self, dialect: &str) -> Workflow {
        self.with(|about| about.dialect = Arc::from(dialect))
    }

    /// A name for people.
    #[must_use]
    pub fn titled(self, title: &str) -> Workflow {
        self.with(|about| about.title = Some(title.to_owned()))
    }

    #[must_use]
    pub fn described(self, description: &str) -> Workflow {
        self.with(|about| about.description = Some(description.to_owned()))
    }

    /// Where the definition was written.
    #[must_use]
    pub fn written_in(self, source: Source) -> Workflow {
        self.with(|about| about.source = Some(source))
    }

    #[must_use]
    pub fn with_input_schema(self, schema: serde_json::Value) -> Workflow {
        self.with(|about| about.input_schema = Some(Arc::new(schema)))
    }

    #[must_use]
    pub fn with_output_schema(self, schema: serde_json::Value) -> Workflow {
        self.with(|about| about.output_schema = Some(Arc::new(schema)))
    }

    /// The definition as nodes and edges, for drawing.
    #[must_use]
    pub fn with_plan(self, plan: serde_json::Value) -> Workflow {
        self.with(|about| about.plan = Some(Arc::new(plan)))
    }

    /// How many runs may be under way, and how often one may begin. Limits that the engine was given
    /// for this workflow stand above these.
    #[must_use]
    pub fn limits(self, limits: RunLimits) -> Workflow {
        self.with(|about| about.limits = limits)
    }

    /// Runs the undo handlers when a run of this workflow is cancelled or misses its deadline, too.
    #[must_use]
    pub fn undo_on_cancel(mut self) -> Workflow {
        self.options.undo_on_cancel = true;
        self
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn version(&self) -> &str {
        &self.version
    }

    pub fn dialect(&self) -> &str {
        &self.about.dialect
    }

    pub fn title(&self) -> Option<&str> {
        self.about.title.as_deref()
    }

    pub fn description(&self) -> Option<&str> {
        self.about.description.as_deref()
    }

    pub fn source(&self) -> Option<&Source> {
        self.about.source.as_ref()
    }

    /// A JSON Schema of the input, if the workflow has one.
    pub fn input_schema(&self) -> Option<&serde_json::Value> {
        self.about.input_schema.as_deref()
    }

    /// A JSON Schema of the output, if the workflow has one.
    pub fn output_schema(&self) -> Option<&serde_json::Value> {
        self.about.output_schema.as_deref()
    }

    pub fn plan(&self) -> Option<&Arc<serde_json::Value>> {
        self.about.plan.as_ref()
    }

    pub fn run_limits(&self) -> &RunLimits {
        &self.about.limits
    }

    pub fn options(&self) -> WorkflowOptions {
        self.options
    }

    pub fn is_pinned(&self) -> bool {
        self.options.pinned
    }

    /// Says whether the workflow can take this input, before anything is created.
    pub fn check_input(&self, input: &Json) -> Result<(), InputError> {
        (self.check_input)(input)
    }

    /// A number that differs between workflows that differ in name or version.
    pub fn fingerprint(&self) -> u64 {
        stable_hash(&[self.name.as_bytes(), self.version.as_bytes()])
    }

    pub(crate) fn call(&self, ctx: Ctx, input: Json) -> LocalBoxFuture<'static, Result<Json>> {
        (self.function)(ctx, input)
    }

    fn with(mut self, change: impl FnOnce(&mut About)) -> Workflow {
        change(Arc::make_mut(&mut self.about));
        self
    }
}

impl std::fmt::Debug for Workflow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Workflow")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("dialect", &self.about.dialect)
            .finish_non_exhaustive()
    }
}
