//! `listen`, in all its forms: taking messages, oldest first.

use std::cell::Cell;
use std::future::IntoFuture;
use std::marker::PhantomData;
use std::rc::Rc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use stepwell_journal::{
    EntryKind, EventKind, Json, Message, MessageId, Outcome, ReplyTo, UnixMillis,
};

use super::op::Op;
use super::step::parse;
use crate::core::{Core, Inner, Urgency};
use crate::execution::AnswerOut;
use crate::policy::millis;
use crate::{Ctx, Error, LocalBoxFuture, Result};

/// A wait for messages. `.await` begins it.
#[must_use = "a listen does nothing until it is awaited"]
pub struct Listen<S> {
    ctx: Ctx,
    name: String,
    wanted: Wanted,
    shape: PhantomData<fn() -> S>,
}

struct Wanted {
    names: Vec<String>,
    n_min: usize,
    n_max: usize,
    timeout: Option<Duration>,
}

/// What a listen gives back.
pub trait Shape {
    type Output;

    /// None when the wait timed out.
    fn shape(ctx: &Ctx, messages: Option<Vec<Message>>) -> Result<Self::Output>;
}

/// One message's body.
pub struct One<T>(PhantomData<T>);
/// One message's name and body.
pub struct Any<T>(PhantomData<T>);
/// Several messages' bodies.
pub struct Batch<T>(PhantomData<T>);
/// One message whose sender waits for an answer.
pub struct Questions<T>(PhantomData<T>);
/// As `S`, or none after the timeout.
pub struct Maybe<S>(PhantomData<S>);

/// A message with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received<T> {
    pub name: String,
    pub body: T,
}

/// A message whose sender waits for an answer. A crash before the answer offers it again.
pub struct Question<T> {
    pub body: T,
    id: MessageId,
    core: Rc<Core>,
    answered: Cell<bool>,
}

impl Ctx {
    /// Takes the oldest message called `name`, or waits for one.
    pub fn listen<T: DeserializeOwned>(&self, name: impl Into<String>) -> Listen<One<T>> {
        let name = name.into();
        self.listen_for(name.clone(), vec![name], 1)
    }

    /// Takes the oldest message that has one of the names.
    pub fn listen_any<T: DeserializeOwned>(
        &self,
        name: impl Into<String>,
        messages: impl IntoIterator<Item = impl Into<String>>,
    ) -> Listen<Any<T>> {
        self.listen_for(name.into(), messages.into_iter().map(Into::into).collect(), 1)
    }

    /// Takes up to `n` messages called `name`, as soon as there is one; see [`Listen::at_least`].
    pub fn listen_batch<T: DeserializeOwned>(
        &self,
        name: impl Into<String>,
        n: usize,
    ) -> Listen<Batch<T>> {
        let name = name.into();
        self.listen_for(name.clone(), vec![name], n.max(1))
    }

    fn listen_for<S>(&self, name: String, names: Vec<String>, n_max: usize) -> Listen<S> {
        let wanted = Wanted { names, n_min: 1, n_max, timeout: None };
        Listen { ctx: self.clone(), name, wanted, shape: PhantomData }
    }
}

impl<S> Listen<S> {
    /// Gives the entry another name than the message: to listen twice for the same in one scope.
    pub fn named(mut self, name: impl Into<String>) -> Listen<S> {
        self.name = name.into();
        self
    }

    /// Gives up after a while; the result is then none, or what has come of a batch.
    pub fn timeout(self, timeout: Duration) -> Listen<Maybe<S>> {
        let wanted = Wanted { timeout: Some(timeout), ..self.wanted };
        Listen { ctx: self.ctx, name: self.name, wanted, shape: PhantomData }
    }
}

impl<T> Listen<Batch<T>> {
    /// Waits until `n` messages are there.
    pub fn at_least(mut self, n: usize) -> Self {
        self.wanted.n_min = n.clamp(1, self.wanted.n_max);
        self
    }
}

impl<T> Listen<One<T>> {
    /// Takes a message whose sender can be answered.
    pub fn completable(self) -> Listen<Questions<T>> {
        Listen { ctx: self.ctx, name: self.name, wanted: self.wanted, shape: PhantomData }
    }
}

impl<S: Shape> Listen<S> {
    async fn run(self) -> Result<S::Output> {
        let op = Op::begin(&self.ctx, &self.name, EntryKind::Listen).await;
        if self.wanted.names.is_empty() && self.wanted.timeout.is_none() {
            return op.end(Err(Error::critical(Error::msg(format!(
                "listen `{}` has no message names and no timeout: it would wait for ever",
                self.name
            )))));
        }
        let outcome = match op.core.recorded(&op.location).await {
            Some(outcome) => outcome,
            None => self.wanted.take(&op).await,
        };
        let result = match outcome {
            Outcome::Messages(messages) => S::shape(&self.ctx, Some(messages)),
            Outcome::TimedOut => S::shape(&self.ctx, None),
            other => Err(Error::msg(format!("a listen cannot end with {other:?}"))),
        };
        op.end(result)
    }
}

impl Wanted {
    /// Waits for the messages, or the timeout, and records which it was.
    async fn take(&self, op: &Op) -> Outcome {
        let deadline_at = self.begin(op);
        op.core.inner().listeners.push(op.location.clone());
        let listening = Listening { op };
        let ended = op.core.until(&op.location, |inner| self.ready(op, inner, deadline_at)).await;
        drop(listening);
        op.core.emit(ended, Urgency::Durable);
        op.core.outcome(&op.location).await
    }

    fn begin(&self, op: &Op) -> Option<UnixMillis> {
        let recorded = op.core.peek().state.entry(&op.location).map(|entry| entry.until);
        recorded.unwrap_or_else(|| {
            let deadline_at = self.timeout.map(|timeout| op.core.now().plus_ms(millis(timeout)));
            let (location, names) = (op.location.clone(), self.names.clone());
            op.core
                .emit(EventKind::ListenStarted { location, names, deadline_at }, Urgency::Prompt);
            deadline_at
        })
    }

    fn ready(
        &self,
        op: &Op,
        inner: &mut Inner,
        deadline_at: Option<UnixMillis>,
    ) -> Option<EventKind> {
        if inner.stopping {
            return None;
        }
        let location = op.location.clone();
        let is_over = deadline_at.is_some_and(|at| at <= inner.now);
        let ids: Vec<MessageId> = inner
            .state
            .mailbox
            .iter()
            .filter(|message| self.names.contains(&message.name))
            .filter(|message| !inner.reserved.contains(&message.id))
            .take(self.n_max)
            .map(|message| message.id)
            .collect();
        if ids.len() >= self.n_min || is_over && !ids.is_empty() {
            inner.reserved.extend(ids.iter().copied());
            return Some(EventKind::MessageTaken { location, ids });
        }
        if is_over {
            return Some(EventKind::ListenTimedOut { location });
        }
        if let Some(at) = deadline_at {
            inner.arm(at, &location);
        }
        None
    }
}

/// Takes the entry off the list of listeners, whatever happens to it.
struct Listening<'a> {
    op: &'a Op,
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        let mut inner = self.op.core.inner();
        inner.listeners.retain(|location| *location != self.op.location);
    }
}

impl<S: Shape + 'static> IntoFuture for Listen<S> {
    type Output = Result<S::Output>;
    type IntoFuture = LocalBoxFuture<'static, Result<S::Output>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

fn only(messages: Option<Vec<Message>>) -> Result<Message> {
    messages
        .and_then(|messages| messages.into_iter().next())
        .ok_or_else(|| Error::msg("a wait without a timeout timed out"))
}

impl<T: DeserializeOwned> Shape for One<T> {
    type Output = T;

    fn shape(_ctx: &Ctx, messages: Option<Vec<Message>>) -> Result<T> {
        parse(only(messages)?.body)
    }
}

impl<T: DeserializeOwned> Shape for Any<T> {
    type Output = Received<T>;

    fn shape(_ctx: &Ctx, messages: Option<Vec<Message>>) -> Result<Received<T>> {
        let message = only(messages)?;
        Ok(Received { name: message.name, body: parse(message.body)? })
    }
}

impl<T: DeserializeOwned> Shape for Batch<T> {
    type Output = Vec<T>;

    fn shape(_ctx: &Ctx, messages: Option<Vec<Message>>) -> Result<Vec<T>> {
        messages.unwrap_or_default().into_iter().map(|message| parse(message.body)).collect()
    }
}

impl<T: DeserializeOwned> Shape for Questions<T> {
    type Output = Question<T>;

    fn shape(ctx: &Ctx, messages: Option<Vec<Message>>) -> Result<Question<T>> {
        let message = only(messages)?;
        Ok(Question {
            body: parse(message.body)?,
            id: message.id,
            core: ctx.core.clone(),
            answered: Cell::new(false),
        })
    }
}

impl<S: Shape> Shape for Maybe<S> {
    type Output = Option<S::Output>;

    fn shape(ctx: &Ctx, messages: Option<Vec<Message>>) -> Result<Option<S::Output>> {
        match messages {
            Some(messages) => S::shape(ctx, Some(messages)).map(Some),
            None => Ok(None),
        }
    }
}

impl<T> Question<T> {
    /// Answers the sender, who is told when the answer is durable. A sender that does not wait is not
    /// told; a second answer is an error.
    pub fn answer(&self, answer: &impl Serialize) -> Result<()> {
        if self.answered.replace(true) {
            return Err(Error::critical(Error::msg(format!(
                "message {} is answered twice",
                self.id
            ))));
        }
        let body = Json::of(answer)?;
        self.core.check_size("the answer", &body)?;
        let reply = self.core.peek().state.unanswered.get(&self.id).cloned();
        // None: it was answered before, and this is a replay; or the sender does not wait.
        let Some(reply) = reply else { return Ok(()) };
        self.core
            .emit(EventKind::MessageAnswered { id: self.id, body: body.clone() }, Urgency::Prompt);
        if let ReplyTo::Run { run, location } = reply {
            let answer = AnswerOut { to: run, location, message: self.id, answer: body };
            self.core.inner().answers.push(answer);
        }
        Ok(())
    }
}
