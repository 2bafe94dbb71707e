//! The author's functions, and how they are called.

use std::any::type_name;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use serde::Serialize;
use stepwell_journal::Json;
use stepwell_kernel::LocalBoxFuture;

use super::cx::{FailedCx, StepCx};
use super::list::Steps;
use crate::error::{Growth, StepError};
use crate::host::{Answer, Call, SequenceHost};
use crate::plan::{OnTimeout, StepConfig};

type Ended<T> = LocalBoxFuture<'static, Result<T, StepError>>;

/// Tells something of what it sees.
type Asked<T> = dyn Fn(&StepCx) -> Result<T, StepError> + Send + Sync;

/// A function with its types erased.
#[derive(Clone)]
pub enum Function {
    Step(Arc<dyn Fn(StepCx) -> Ended<Json> + Send + Sync>),
    Condition(Arc<Asked<bool>>),
    Items(Arc<Asked<Json>>),
    OnError(Arc<dyn Fn(FailedCx) -> Ended<()> + Send + Sync>),
}

/// A step with its name and its options.
#[derive(Clone)]
#[must_use = "a step does nothing until it is part of a sequence"]
pub struct StepDef {
    pub(super) name: String,
    pub(super) work: Work,
    pub(super) config: StepConfig,
    pub(super) on_error: Option<Function>,
}

#[derive(Clone)]
pub(super) enum Work {
    Function { function: Function, about: Option<String> },
    Delay { ms: u64 },
}

/// What can be a step: an async function of a [`StepCx`], whose name is the step's, or a [`StepDef`].
pub trait IntoStep<M> {
    fn into_step(self) -> StepDef;
}

/// What can be a list of steps: a step, a tuple of them, a `Vec<StepDef>`, [`Steps`].
pub trait IntoSteps<M> {
    fn into_steps(self) -> Steps;
}

/// What can be an error handler: an async function of a [`FailedCx`].
pub trait OnErrorFn<M> {
    #[doc(hidden)]
    fn into_function(self) -> Function;
}

/// A durable wait as a step.
pub fn delay(name: &str, length: Duration) -> StepDef {
    let ms = u64::try_from(length.as_millis()).unwrap_or(u64::MAX);
    StepDef {
        name: name.to_owned(),
        work: Work::Delay { ms },
        config: StepConfig::default(),
        on_error: None,
    }
}

/// Options of a step: `chop_tree.timeout(secs(60)).max_attempts(3)`.
pub trait StepExt<M>: IntoStep<M> + Sized {
    /// Another name than the function's; closures need one.
    fn named(self, name: &str) -> StepDef {
        StepDef { name: name.to_owned(), ..self.into_step() }
    }

    /// How long one attempt may take.
    fn timeout(self, timeout: Duration) -> StepDef {
        let mut step = self.into_step();
        step.config.timeout_ms = Some(u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX));
        step
    }

    /// What follows an attempt that took too long.
    fn on_timeout(self, what: OnTimeout) -> StepDef {
        let mut step = self.into_step();
        step.config.on_timeout = what;
        step
    }

    /// How many attempts there may be in all; no error can ask for more.
    fn max_attempts(self, n: u32) -> StepDef {
        let mut step = self.into_step();
        step.config.max_attempts = Some(n);
        step
    }

    /// How the delay between attempts grows, where the error does not say.
    fn backoff(self, growth: Growth) -> StepDef {
        let mut step = self.into_step();
        step.config.backoff = Some(growth);
        step
    }

    /// Called on the step's final failure, before the workflow's handler.
    fn on_error<H>(self, handler: impl OnErrorFn<H>) -> StepDef {
        let mut step = self.into_step();
        step.on_error = Some(handler.into_function());
        step
    }
}

impl<M, S: IntoStep<M>> StepExt<M> for S {}

impl IntoStep<()> for StepDef {
    fn into_step(self) -> StepDef {
        self
    }
}

impl<F, Fut, T, E> IntoStep<(Fut, T, E)> for F
where
    F: Fn(StepCx) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<T, E>> + 'static,
    T: Serialize + 'static,
    E: Into<StepError> + 'static,
{
    fn into_step(self) -> StepDef {
        let call = move |cx: StepCx| -> Ended<Json> {
            let code = self(cx);
            Box::pin(async move {
                let result = code.await.map_err(Into::into)?;
                Ok(Json::of(&result)?)
            })
        };
        let function = Function::Step(Arc::new(call));
        StepDef {
            name: function_name::<F>(),
            work: Work::Function { function, about: None },
            config: StepConfig::default(),
            on_error: None,
        }
    }
}

impl<F, Fut, E> OnErrorFn<(Fut, E)> for F
where
    F: Fn(FailedCx) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<(), E>> + 'static,
    E: Into<StepError> + 'static,
{
    fn into_function(self) -> Function {
        Function::OnError(Arc::new(move |failed| {
            let code = self(failed);
            Box::pin(async move { code.await.map_err(Into::into) })
        }))
    }
}

/// `my_crate::orders::find_tree` is `find_tree`; a closure has no name.
fn function_name<F>() -> String {
    let path = type_name::<F>();
    let path = path.split('<').next().unwrap_or_default();
    let name = path.rsplit("::").next().unwrap_or_default();
    if name.starts_with('{') { String::new() } else { name.to_owned() }
}

/// One step alone.
pub struct One<M>(std::marker::PhantomData<M>);

impl<M, S: IntoStep<M>> IntoSteps<One<M>> for S {
    fn into_steps(self) -> Steps {
        Steps::new().step(self)
    }
}

impl IntoSteps<()> for Steps {
    fn into_steps(self) -> Steps {
        self
    }
}

/// No steps: the arm of a branch in which nothing is to be done.
impl IntoSteps<()> for () {
    fn into_steps(self) -> Steps {
        Steps::new()
    }
}

impl IntoSteps<()> for Vec<StepDef> {
    fn into_steps(self) -> Steps {
        self.into_iter().fold(Steps::new(), Steps::step)
    }
}

macro_rules! tuples {
    ($($step:ident $marker:ident),+) => {
        impl<$($step, $marker),+> IntoSteps<($($marker,)+)> for ($($step,)+)
        where
            $($step: IntoSteps<$marker>),+
        {
            #[expect(non_snake_case, reason = "the names of types serve as those of values")]
            fn into_steps(self) -> Steps {
                let ($($step,)+) = self;
                Steps::new()$(.steps($step))+
            }
        }
    };
}

tuples!(A MA);
tuples!(A MA, B MB);
tuples!(A MA, B MB, C MC);
tuples!(A MA, B MB, C MC, D MD);
tuples!(A MA, B MB, C MC, D MD, E ME);
tuples!(A MA, B MB, C MC, D MD, E ME, F MF);
tuples!(A MA, B MB, C MC, D MD, E ME, F MF, G MG);
tuples!(A MA, B MB, C MC, D MD, E ME, F MF, G MG, H MH);

/// Calls the functions of a builder.
pub(super) struct RustHost {
    pub functions: Vec<Function>,
}

impl SequenceHost for RustHost {
    fn call(&self, call: Call) -> LocalBoxFuture<'_, Result<Answer, StepError>> {
        let number: Option<usize> = call.function.id.parse().ok();
        let function = number.and_then(|number| self.functions.get(number)).cloned();
        Box::pin(async move {
            let Some(function) = function else {
                return Err(StepError::stop(format!("there is no function {}", call.function.id)));
            };
            // A panic is the step's error: it stops the workflow, and is not tried again.
            let ended = AssertUnwindSafe(answer(function, call)).catch_unwind().await;
            ended.unwrap_or_else(|panic| {
                Err(StepError::stop(format!("it panicked: {}", text(&*panic))))
            })
        })
    }
}

async fn answer(function: Function, call: Call) -> Result<Answer, StepError> {
    let of = |result: Json| Answer { result: Some(result), state: None };
    match function {
        Function::Step(step) => {
            let cx = StepCx::new(&call);
            match step(cx.clone()).await {
                Ok(result) => Ok(Answer { result: Some(result), state: cx.state() }),
                Err(error) => Err(error.with_state(cx.state())),
            }
        }
        Function::Condition(condition) => Ok(of(Json::of(&condition(&StepCx::new(&call))?)?)),
        Function::Items(items) => Ok(of(items(&StepCx::new(&call))?)),
        Function::OnError(handler) => {
            handler(FailedCx::new(&call)?).await?;
            Ok(Answer::default())
        }
    }
}

fn text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "with something that is not text".to_owned())
}
