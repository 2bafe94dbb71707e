//! `send` and `ask`: messages to other runs.

use std::future::IntoFuture;
use std::marker::PhantomData;
use std::rc::Rc;

use serde::Serialize;
use serde::de::DeserializeOwned;
use stepwell_journal::{
    Asked, EntryKind, Failure, Json, Location, Message, MessageId, Outcome, ReplyTo, RunId,
    UnixMillis,
};

use super::op::Op;
use super::signal::AttemptCx;
use super::step::parse;
use crate::attempt::{Attempts, Body};
use crate::core::Core;
use crate::{Ctx, Error, LocalBoxFuture, Result, SendError, StepPolicy};

/// A message about to be sent. `.await` sends it.
#[must_use = "a message is not sent until it is awaited"]
pub struct Send {
    ctx: Ctx,
    name: String,
    to: RunId,
    message: String,
    body: Result<Json, serde_json::Error>,
}

/// A question about to be asked. `.await` sends it and waits for the answer.
#[must_use = "a question is not asked until it is awaited"]
pub struct Ask<T> {
    send: Send,
    answer: PhantomData<fn() -> T>,
}

impl Ctx {
    /// Sends a message to another run, exactly once whatever crashes. It is an error if that run does
    /// not exist or has ended. The entry is called `send:<message>` unless it is named otherwise.
    pub fn send(&self, to: RunId, message: impl Into<String>, body: &impl Serialize) -> Send {
        let message = message.into();
        let name = format!("send:{message}");
        Send { ctx: self.clone(), name, to, message, body: Json::of(body) }
    }

    /// Sends a message to another run and waits for that run to answer it. The entry is called
    /// `ask:<message>` unless it is named otherwise.
    pub fn ask<T: DeserializeOwned>(
        &self,
        to: RunId,
        message: impl Into<String>,
        body: &impl Serialize,
    ) -> Ask<T> {
        let message = message.into();
        let name = format!("ask:{message}");
        let send = Send { ctx: self.clone(), name, to, message, body: Json::of(body) };
        Ask { send, answer: PhantomData }
    }
}

impl Send {
    /// Gives the entry another name: to send the same message twice in one scope.
    pub fn named(mut self, name: impl Into<String>) -> Send {
        self.name = name.into();
        self
    }

    async fn run(self) -> Result<()> {
        let op = Op::begin(&self.ctx, &self.name, EntryKind::Step).await;
        let sent = self.send_at(&op.core, &op.location, None).await;
        op.end(sent.map(|_| ()).map_err(Error::from))
    }

    async fn send_at(
        self,
        core: &Rc<Core>,
        location: &Location,
        reply: Option<ReplyTo>,
    ) -> Result<Json, Failure> {
        let policy = StepPolicy { retries: 10, retry_on_timeout: true, ..StepPolicy::default() };
        let attempts = Attempts { core, location, policy: &policy, ephemeral: false };
        let mut body = SendBody {
            core: core.clone(),
            to: self.to,
            name: self.message,
            body: self.body.map_err(Error::from),
            id: MessageId::sent_by(core.run, &core.once_per_life(location)),
            reply,
        };
        attempts.run(&mut body).await
    }
}

impl<T: DeserializeOwned> Ask<T> {
    /// Gives the entry another name: to ask the same twice in one scope.
    pub fn named(mut self, name: impl Into<String>) -> Ask<T> {
        self.send = self.send.named(name);
        self
    }

    async fn run(self) -> Result<T> {
        let op = Op::begin(&self.send.ctx, &self.send.name, EntryKind::Ask).await;
        let sending = op.location.sending();
        op.core.claim(op.scope(), &sending, EntryKind::Step).await;
        let reply = ReplyTo::Run { run: op.core.run, location: op.location.clone() };
        let asking = Asking::begin(&op);
        let sent = self.send.send_at(&op.core, &sending, Some(reply)).await;
        // An answer that is there proves that the question arrived, whatever the sender was told.
        if let Err(failure) = sent
            && !op.core.peek().has_outcome(&op.location)
        {
            drop(asking);
            return op.end(Err(failure.into()));
        }
        let outcome = op.core.outcome(&op.location).await;
        drop(asking);
        op.end(match outcome {
            Outcome::Value(answer) => parse(answer),
            Outcome::Failed(failure) => Err(failure.into()),
            other => Err(Error::msg(format!("a question cannot end with {other:?}"))),
        })
    }
}

/// Keeps a question on the list of those that an answer may come for, from before it is sent: the answer
/// may be faster than the news that it was sent.
struct Asking {
    core: Rc<Core>,
    location: Location,
}

impl Asking {
    fn begin(op: &Op) -> Asking {
        op.core.inner().open_asks.insert(op.location.clone());
        Asking { core: op.core.clone(), location: op.location.clone() }
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.core.inner().open_asks.remove(&self.location);
    }
}

impl IntoFuture for Send {
    type Output = Result<()>;
    type IntoFuture = LocalBoxFuture<'static, Result<()>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<T: DeserializeOwned + 'static> IntoFuture for Ask<T> {
    type Output = Result<T>;
    type IntoFuture = LocalBoxFuture<'static, Result<T>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

struct SendBody {
    core: Rc<Core>,
    to: RunId,
    name: String,
    body: Result<Json, Error>,
    id: MessageId,
    reply: Option<ReplyTo>,
}

impl Body for SendBody {
    fn call(&mut self, _cx: AttemptCx) -> LocalBoxFuture<'_, Result<Json, Error>> {
        Box::pin(async move {
            let body = match &self.body {
                Ok(body) => body.clone(),
                Err(error) => return Err(Error::critical(Error::msg(error))),
            };
            self.core.check_size("the message", &body)?;
            let message = Message {
                id: self.id,
                name: self.name.clone(),
                body,
                // The receiver knows the message again by its sender's place.
                key: Some(self.id.to_string()),
                reply: self.reply.clone(),
                received_at: UnixMillis(0),
            };
            match self.core.host.send(self.to, message).await {
                // Nobody waits for the answer to a plain message.
                Ok(()) if self.reply.is_none() => Ok(Json::null()),
                Ok(()) => Json::of(&Asked { to: self.to, message: self.id }).map_err(Error::from),
                Err(error @ SendError::Unavailable(_)) => Err(error.into()),
                Err(error @ (SendError::UnknownRun(_) | SendError::RunEnded(_))) => {
                    Err(Error::critical(error))
                }
            }
        })
    }
}
