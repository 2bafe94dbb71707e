//! Sequences: lists of steps, written in Rust or as TypeScript files.
//!
//! ```
//! use stepwell::prelude::*;
//! use stepwell::sequence::{RegisterSequence, Sequence, StepCx, StepError};
//!
//! async fn greet(cx: StepCx) -> Result<String, StepError> {
//!     Ok(format!("Hello, {}!", cx.input::<String>()?))
//! }
//!
//! async fn shout(cx: StepCx) -> Result<String, StepError> {
//!     Ok(cx.result::<String>("greet")?.to_uppercase())
//! }
//!
//! #[tokio::main]
//! async fn main() -> Result<()> {
//!     # let dir = tempfile::tempdir()?;
//!     # std::env::set_current_dir(&dir)?;
//!     let engine = Engine::open("stepwell.db").await?;
//!     Sequence::new("greet").input::<String>().step(greet).step(shout).register(&engine)?;
//!     let run = engine.start("greet", &"Ada").await?;
//!     assert_eq!(run.wait::<String>().await?, "HELLO, ADA!");
//!     engine.shutdown().await;
//!     Ok(())
//! }
//! ```

use stepwell_engine::RegisterError;
pub use stepwell_files::{
    CheckedFile, CheckedWorkflow, FileTrouble, RegisterFileError, Registered, Registry, Reloaded,
    RunResult, Started, WAIT_TIMEOUT_MS, WaitRunError, WorkflowFiles, WorkflowInfo, check_files,
};
pub use stepwell_script::ScriptLimits;
pub use stepwell_script::js::{AllowedHosts, FetchHost, WebFetch, WebOptions};
pub use stepwell_sequence::ts::{TsOptions, TsRuntime};
pub use stepwell_sequence::{
    Behavior, FailedCx, ForEach, Growth, HttpStep, OnTimeout, Plan, Problem, Problems, Sequence,
    StepCx, StepDef, StepError, StepExt, StepRecord, StepStatus, Steps, delay, http_step, records,
};

/// Why a sequence was not registered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SequenceError {
    /// Mend the plan.
    #[error(transparent)]
    Plan(#[from] Problems),
    #[error(transparent)]
    Register(#[from] RegisterError),
}

/// `.register(&engine)` at the end of a builder.
pub trait RegisterSequence {
    /// Checks the plan, and makes the workflow known in every namespace.
    fn register(self, engine: &stepwell_engine::Engine) -> Result<(), SequenceError>;
}

impl RegisterSequence for Sequence {
    fn register(self, engine: &stepwell_engine::Engine) -> Result<(), SequenceError> {
        let mut problems = Vec::new();
        for workflow in self.nested_runs() {
            if engine.workflow(stepwell_engine::DEFAULT_NAMESPACE, &workflow).is_none() {
                let said = format!("there is no workflow `{workflow}`: register it first");
                problems.push(Problem::new(said));
            }
        }
        if !problems.is_empty() {
            return Err(Problems(problems).into());
        }
        let sequence = self.sharing(|name| {
            let known = engine.workflow(stepwell_engine::DEFAULT_NAMESPACE, name);
            known.is_some_and(|known| known.dialect() == stepwell_sequence::DIALECT)
        });
        Ok(engine.register(sequence.build()?)?)
    }
}

impl crate::Engine {
    /// TypeScript files as workflows of this engine, and the registry over them.
    pub fn files(&self, options: TsOptions) -> std::io::Result<Registry> {
        Ok(Registry::new(WorkflowFiles::new(self, options)?))
    }
}
