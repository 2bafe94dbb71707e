//! A registered definition, ready to be run.

use std::future::Future;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use stepwell_journal::{Json, stable_hash};

use crate::{Ctx, Error, LocalBoxFuture, Result};

type Function = dyn Fn(Ctx, Json) -> LocalBoxFuture<'static, Result<Json>> + Send + Sync;
type InputCheck = dyn Fn(&Json) -> Result<(), InputError> + Send + Sync;

/// A workflow: a name, a version, and the durable function that runs it.
#[derive(Clone)]
pub struct Workflow {
    name: Arc<str>,
    version: Arc<str>,
    description: Option<Arc<str>>,
    input_schema: Option<Arc<serde_json::Value>>,
    pub(crate) options: WorkflowOptions,
    check_input: Arc<InputCheck>,
    function: Arc<Function>,
}

/// How the runs of a workflow behave.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkflowOptions {
    /// Whether the undo handlers run when a run is cancelled.
    pub undo_on_cancel: bool,
}

/// The input is not what the workflow takes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the input does not fit workflow `{workflow}`: {problem}")]
pub struct InputError {
    pub workflow: String,
    /// What is wrong and where, in the words of the parser.
    pub problem: String,
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
        let name: Arc<str> = Arc::from(name);
        let checked = name.clone();
        let check_input = move |input: &Json| match input.to::<I>() {
            Ok(_) => Ok(()),
            Err(error) => {
                Err(InputError { workflow: checked.to_string(), problem: error.to_string() })
            }
        };
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
        Workflow {
            name,
            version: Arc::from("1"),
            description: None,
            input_schema: None,
            options: WorkflowOptions::default(),
            check_input: Arc::new(check_input),
            function: Arc::new(erased),
        }
    }

    /// What people call this version of the definition; `1` unless said otherwise.
    #[must_use]
    pub fn version_named(mut self, version: &str) -> Workflow {
        self.version = Arc::from(version);
        self
    }

    #[must_use]
    pub fn described(mut self, description: &str) -> Workflow {
        self.description = Some(Arc::from(description));
        self
    }

    #[must_use]
    pub fn with_input_schema(mut self, schema: serde_json::Value) -> Workflow {
        self.input_schema = Some(Arc::new(schema));
        self
    }

    /// Runs the undo handlers when a run of this workflow is cancelled, too.
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

    pub fn description(&self) -> Option<&str> {
        self.description.as_deref()
    }

    /// A JSON Schema of the input, if the workflow has one.
    pub fn input_schema(&self) -> Option<&serde_json::Value> {
        self.input_schema.as_deref()
    }

    pub fn options(&self) -> WorkflowOptions {
        self.options
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
}
