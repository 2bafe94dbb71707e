//! One work item: what it sees, how it is tried, and what it gives.

use std::rc::Rc;

use serde_json::{Map, Value};
use stepwell_journal::Failure;
use stepwell_kernel::{AttemptCx, Ctx, Error, Result, Step, millis};
use stepwell_script::{Expected, outputs_of};
use uuid::Uuid;

use super::names::{Part, webhook_message};
use super::step::StepRun;
use super::{FLOW_WORKFLOW, FlowInput, FlowParent, retry};
use crate::host::{ServiceCall, WorkError};
use crate::http::{Compensation, filled_request};
use crate::items::{Arguments, Outputs};
use crate::memo::MemoKey;
use crate::scripts::ScriptArgs;
use crate::step::{Action, Http, Method, Script, ValueType};
use crate::webhook::WebhookAnswer;

pub(super) struct Work {
    pub step: Rc<StepRun>,
    place: usize,
    pub item: Arguments,
}

/// How an attempt has ended.
pub(super) enum Tried {
    Done(Outputs),
    /// Its predicate said no.
    Skipped,
    Again {
        delay_ms: u64,
    },
    Failed(String),
}

impl Work {
    pub fn new(step: Rc<StepRun>, place: usize, item: Arguments) -> Work {
        Work { step, place, item }
    }

    /// Asks a predicate, in an entry called `name`.
    pub async fn test(&self, ctx: &Ctx, name: String, predicate: &Script) -> Result<bool, Failure> {
        let body = async || {
            let args = self.seen().await?;
            let said = self.step.flow.host.scripts.test(predicate, args).await;
            Ok::<_, Error>(said.map_err(|error| script_failed("the predicate", &error))?)
        };
        ctx.step(name, body).ephemeral().await.map_err(Error::into_failure)
    }

    pub async fn attempt(
        self: Rc<Self>,
        ctx: &Ctx,
        attempt: u64,
        predicate: Option<&Script>,
    ) -> Result<Tried> {
        if attempt == 1 {
            if let Some(predicate) = predicate {
                match self.test(ctx, self.named(Part::Predicate), predicate).await {
                    Ok(true) => {}
                    Ok(false) => {
                        ctx.skip(&self.named(Part::Work { attempt }), super::PREDICATE_FALSE);
                        return Ok(Tried::Skipped);
                    }
                    Err(failure) => return Ok(Tried::Failed(retry::said(&failure))),
                }
            }
            if let Some(outputs) = self.remembered(ctx).await? {
                return Ok(Tried::Done(outputs));
            }
        }
        let tried = match &self.step.definition.action {
            Action::Sync(http) => self.do_it(ctx, attempt, Some(http)).await,
            Action::Script(_) => self.do_it(ctx, attempt, None).await,
            Action::Async(http) => self.call_and_listen(ctx, attempt, http).await?,
            Action::Flow(_) => self.run_child(ctx).await,
        };
        self.remember(ctx, &tried);
        Ok(tried)
    }

    /// Waits for the next attempt. An answer that comes meanwhile ends the item.
    pub async fn wait(&self, ctx: &Ctx, attempt: u64, delay_ms: u64) -> Result<Option<Tried>> {
        let name = self.named(Part::Wait { attempt });
        let Action::Async(http) = &self.step.definition.action else {
            ctx.sleep(name, millis(delay_ms)).await?;
            return Ok(None);
        };
        let listen = ctx.listen(self.message()).named(name).timeout(millis(delay_ms));
        let Some(answer) = listen.await? else { return Ok(None) };
        let tried = self.take(ctx, http, answer).await;
        self.remember(ctx, &tried);
        Ok(Some(tried))
    }

    /// Runs a script or calls a service whose response is the answer.
    async fn do_it(self: &Rc<Self>, ctx: &Ctx, attempt: u64, http: Option<&Http>) -> Tried {
        let name = self.named(Part::Work { attempt });
        let timeout_ms = http.map_or(0, |http| http.timeout_ms);
        let body = async |cx: AttemptCx| {
            let args = self.seen().await?;
            let answer = match &self.step.definition.action {
                Action::Script(script) => self.run_script(script, args).await?,
                _ => match http {
                    Some(http) => self.call(&cx, http, args, attempt, None).await?,
                    None => Value::Null,
                },
            };
            Ok::<_, Error>(self.given(answer).await?)
        };
        let step = ctx.step_with(name, body);
        let step = step.policy(retry::one_attempt(&self.step.definition, timeout_ms));
        match self.undoable(step, http).await {
            Ok(outputs) => Tried::Done(outputs),
            Err(error) => self.failed(&error.into_failure(), attempt),
        }
    }

    async fn call_and_listen(&self, ctx: &Ctx, attempt: u64, http: &Http) -> Result<Tried> {
        let (run, step) = (self.step.flow.run, self.step.definition.id.as_str());
        let webhook_url = self.step.flow.host.webhook_url(run, step, self.token());
        let body = async |cx: AttemptCx| {
            let args = self.seen().await?;
            self.call(&cx, http, args, attempt, Some(&webhook_url)).await?;
            Ok::<_, Error>(())
        };
        let policy = retry::one_attempt(&self.step.definition, http.timeout_ms);
        let called = ctx.step_with(self.named(Part::Call { attempt }), body).policy(policy).await;
        if let Err(error) = called {
            return Ok(self.failed(&error.into_failure(), attempt));
        }
        let listen = ctx.listen(self.message()).named(self.named(Part::Webhook { attempt }));
        let answer = match http.webhook_timeout_ms {
            Some(timeout_ms) => listen.timeout(millis(timeout_ms)).await?,
            None => Some(listen.await?),
        };
        Ok(match answer {
            Some(answer) => self.take(ctx, http, answer).await,
            None => self.failed(&no_webhook(http), attempt),
        })
    }

    /// What a webhook has brought.
    async fn take(&self, ctx: &Ctx, http: &Http, answer: WebhookAnswer) -> Tried {
        let body = async || match answer.clone() {
            WebhookAnswer::Outputs(outputs) => Ok(self.given(Value::Object(outputs)).await?),
            WebhookAnswer::Problem(problem) => {
                Err(Error::critical(Error::msg(crate::webhook::problem_message(&problem))))
            }
        };
        let step = ctx.step(self.named(Part::Outputs), body).ephemeral();
        match self.undoable(step, Some(http)).await {
            Ok(outputs) => Tried::Done(outputs),
            Err(error) => Tried::Failed(retry::said(&error.into_failure())),
        }
    }

    /// Runs the flow of a flow step.
    async fn run_child(&self, ctx: &Ctx) -> Tried {
        let failed = |error: Error| Tried::Failed(retry::said(&error.into_failure()));
        let init = match self.child_init(ctx).await {
            Ok(init) => init,
            Err(error) => return failed(error),
        };
        let (flow, step_id) = (&self.step.flow, self.step.definition.id.clone());
        let Some(plan) = flow.plan.child(step_id.as_str()) else {
            return Tried::Failed(format!("the plan has no plan for the flow of `{step_id}`"));
        };
        let input = FlowInput {
            plan,
            init: init.into_iter().map(|(name, value)| (name.as_str().into(), value)).collect(),
            namespace: flow.namespace.clone(),
            parent: Some(FlowParent { run_id: flow.run, step_id }),
        };
        let name = self.named(Part::Work { attempt: 1 });
        let attributes: Map<String, Value> = match ctx.child(name, FLOW_WORKFLOW, &input).await {
            Ok(attributes) => attributes,
            Err(error) => return failed(error),
        };
        let body = async || Ok::<_, Error>(self.given(Value::Object(attributes.clone())).await?);
        match ctx.step(self.named(Part::Outputs), body).ephemeral().await {
            Ok(outputs) => Tried::Done(outputs),
            Err(error) => failed(error),
        }
    }

    async fn child_init(&self, ctx: &Ctx) -> Result<Map<String, Value>> {
        let mut inputs = self.step.definition.inputs();
        let has_script =
            inputs.any(|(_, it)| it.mapping.as_ref().is_some_and(|it| it.script.is_some()));
        if !has_script {
            // Nothing in it waits.
            return Ok(self.seen().await?.values);
        }
        let body = async || Ok::<_, Error>(self.seen().await?.values);
        ctx.step(self.named(Part::Inputs), body).ephemeral().await
    }

    async fn remembered(&self, ctx: &Ctx) -> Result<Option<Outputs>> {
        if !self.step.definition.memoizable {
            return Ok(None);
        }
        let (key, now) = (self.memo_key(), ctx.now());
        let body = async || {
            let found = self.step.flow.host.memo.get(&key, now);
            Ok::<_, Error>(found.map(|outputs| (*outputs).clone()))
        };
        ctx.step(self.named(Part::Memo), body).ephemeral().await
    }

    /// Also in a replay, with the time of then: so a restart forgets less.
    fn remember(&self, ctx: &Ctx, tried: &Tried) {
        let definition = &self.step.definition;
        if let Tried::Done(outputs) = tried
            && definition.memoizable
        {
            let memo = &self.step.flow.host.memo;
            memo.put(self.memo_key(), outputs, ctx.now(), definition.memo_ttl_ms);
        }
    }

    fn memo_key(&self) -> MemoKey {
        let inputs = serde_json::to_string(&self.item).unwrap_or_default();
        MemoKey::new(&self.step.flow.namespace, &self.step.definition, &inputs)
    }

    async fn run_script(&self, script: &Script, args: ScriptArgs) -> Result<Value, WorkError> {
        let definition = &self.step.definition;
        let arrays = definition.answers().filter(|(name, _)| {
            definition.attributes.get(*name).is_some_and(|it| it.kind() == ValueType::Array)
        });
        let expected = Expected::outputs(arrays.map(|(_, answer)| answer));
        let result = self.step.flow.host.scripts.call(script, args, expected).await;
        let result = result.map_err(|error| script_failed("the script", &error))?;
        Ok(Value::Object(outputs_of(result.unwrap_or_default())))
    }

    async fn call(
        &self,
        cx: &AttemptCx,
        http: &Http,
        args: ScriptArgs,
        attempt: u64,
        webhook_url: Option<&str>,
    ) -> Result<Value, WorkError> {
        let filled = filled_request(http, &args.values)?;
        let call = ServiceCall {
            method: http.method,
            url: filled.url,
            body: filled.body,
            run: self.step.flow.run,
            step: self.step.definition.id.to_string(),
            token: self.token(),
            attempt,
            webhook_url: webhook_url.map(str::to_owned),
            traceparent: Some(cx.traceparent()),
            secret: http.secret.clone(),
        };
        self.step.flow.host.services.call(call).await
    }

    /// A step that knows how its work is undone.
    fn undoable<'a>(&self, step: Step<'a, Outputs>, http: Option<&Http>) -> Step<'a, Outputs> {
        let Some((http, url)) = http.and_then(|http| Some((http, http.compensate_url.clone()?)))
        else {
            return step;
        };
        let work = Rc::new(Work::new(self.step.clone(), self.place, self.item.clone()));
        let (timeout_ms, secret) = (http.timeout_ms, http.secret.clone());
        let undo = move |outputs: Outputs| {
            let (work, url, secret) = (work.clone(), url.clone(), secret.clone());
            async move { Ok::<_, Error>(work.compensate(&url, secret, outputs).await?) }
        };
        step.undo(undo).undo_policy(retry::compensation(&self.step.definition, timeout_ms))
    }

    async fn compensate(
        &self,
        url: &str,
        secret: Option<String>,
        outputs: Outputs,
    ) -> Result<(), WorkError> {
        let input = self.seen().await?.values;
        let output: Map<String, Value> =
            outputs.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
        let filled = Compensation { url, input: &input, output: &output }.filled()?;
        let call = ServiceCall {
            method: Method::Post,
            url: filled.url,
            body: filled.body,
            run: self.step.flow.run,
            step: self.step.definition.id.to_string(),
            token: self.token(),
            attempt: 1,
            webhook_url: None,
            traceparent: None,
            secret,
        };
        self.step.flow.host.services.call(call).await.map(drop)
    }

    pub fn token(&self) -> Uuid {
        let flow = &self.step.flow;
        flow.host.tokens.token(flow.run, self.step.definition.id.as_str(), self.place)
    }

    fn message(&self) -> String {
        webhook_message(self.step.definition.id.as_str(), self.place)
    }

    fn named(&self, part: Part) -> String {
        part.of(self.place)
    }

    fn failed(&self, failure: &Failure, attempt: u64) -> Tried {
        match retry::tries_again(&self.step.definition, failure, attempt) {
            Some(delay_ms) => Tried::Again { delay_ms },
            None => Tried::Failed(retry::said(failure)),
        }
    }
}

pub(super) fn script_failed(what: &str, error: &stepwell_script::ScriptError) -> WorkError {
    use stepwell_script::ErrorKind;
    let message = format!("{what} failed: {error}");
    match error.kind {
        // Not the script's fault.
        ErrorKind::Overloaded | ErrorKind::Unavailable => WorkError::passing(message),
        _ => WorkError::lasting(message),
    }
}

/// What a wait for a webhook that did not come counts as.
pub(crate) fn no_webhook(http: &Http) -> Failure {
    let ms = http.webhook_timeout_ms.unwrap_or_default();
    let message = format!("the webhook was not called within {ms} ms (webhook_timeout_ms)");
    Failure::new(stepwell_journal::FailureKind::Timeout, message)
}
