//! Sending messages to runs from outside, and asking them.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use stepwell_journal::{Json, MessageId, ReplyTo, check_name};
use stepwell_store::{InboxId, InboxItem, PostError, StoreError};
use uuid::Uuid;

use crate::RunHandle;
use crate::config::TEXT_BYTES_MAX;
use crate::error::{AskError, GetError, SendError};
use crate::shared::fits;
use crate::waiters::{Loss, News};

/// A question about to be asked, or a message about to be sent.
struct Outgoing<'a> {
    name: &'a str,
    body: Json,
    key: Option<&'a str>,
    reply: Option<ReplyTo>,
}

impl RunHandle {
    /// Sends a message. Durable when this returns; the run takes it when it listens for it.
    pub async fn send(
        &self,
        name: &str,
        body: &(impl Serialize + ?Sized),
    ) -> Result<MessageId, SendError> {
        let out = Outgoing { name, body: to_json(name, body)?, key: None, reply: None };
        self.post(self.check(out)?).await
    }

    /// The same; a second message with this key is the same message, and is dropped.
    pub async fn send_with_key(
        &self,
        name: &str,
        body: &(impl Serialize + ?Sized),
        key: &str,
    ) -> Result<MessageId, SendError> {
        let out = Outgoing { name, body: to_json(name, body)?, key: Some(key), reply: None };
        self.post(self.check(out)?).await
    }

    /// Sends a message and waits for the run to answer it.
    pub async fn ask<T: DeserializeOwned>(
        &self,
        name: &str,
        body: &(impl Serialize + ?Sized),
        limit: Duration,
    ) -> Result<T, AskError> {
        let body = to_json(name, body)?;
        let out = Outgoing { name, body, key: None, reply: Some(ReplyTo::Caller) };
        self.ask_outgoing(out, limit).await
    }

    /// The same; whoever asks again with this key gets the first answer.
    pub async fn ask_with_key<T: DeserializeOwned>(
        &self,
        name: &str,
        body: &(impl Serialize + ?Sized),
        key: &str,
        limit: Duration,
    ) -> Result<T, AskError> {
        let body = to_json(name, body)?;
        let out = Outgoing { name, body, key: Some(key), reply: Some(ReplyTo::Caller) };
        self.ask_outgoing(out, limit).await
    }

    async fn ask_outgoing<T: DeserializeOwned>(
        &self,
        out: Outgoing<'_>,
        limit: Duration,
    ) -> Result<T, AskError> {
        let (run, name) = (self.id(), out.name);
        let after_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        let clock = &self.shared().clock;
        let until = clock.now().plus_ms(after_ms);
        let answer = tokio::select! {
            biased;
            answer = self.answer(out) => answer?,
            () = clock.sleep_until(until) => {
                return Err(AskError::TimedOut { run, name: name.to_owned(), after_ms });
            }
        };
        answer.to().map_err(|source| AskError::Answer { name: name.to_owned(), source })
    }

    async fn answer(&self, out: Outgoing<'_>) -> Result<Json, AskError> {
        let (run, name, has_key) = (self.id(), out.name.to_owned(), out.key.is_some());
        let item = self.check(out)?;
        let InboxItem::Message { id, .. } = item else {
            return Err(AskError::Unanswered { run, name });
        };
        // Listen first, then send, then look: the answer cannot slip through.
        let mut waiter = self.shared().waiters.subscribe(run, Some(id));
        let mut is_here = self.shared().ownership.owns(run);
        if !is_here {
            self.shared().watch(run).await.map_err(GetError::from)?;
        }
        let posted = self.post(item).await;
        if (has_key || posted.is_err())
            && let Some(answer) = self.state().await?.state.answer(id)
        {
            return Ok(answer.clone());
        }
        posted?;
        loop {
            match self.news_of(&mut waiter, is_here).await {
                News::Answered(answer) => return Ok(answer),
                News::Ended(_) => return Err(AskError::Unanswered { run, name }),
                News::Lost(Loss::Moved) => {}
                News::Lost(loss) => {
                    return Err(AskError::Closed { run, source: Box::new(self.lost(loss)) });
                }
            }
            waiter = self.shared().waiters.subscribe(run, Some(id));
            is_here = self.shared().ownership.owns(run);
            if !is_here {
                self.shared().watch(run).await.map_err(GetError::from)?;
            }
            let state = self.state().await?.state;
            if let Some(answer) = state.answer(id) {
                return Ok(answer.clone());
            }
            if state.is_ended() {
                return Err(AskError::Unanswered { run, name });
            }
        }
    }

    fn check(&self, out: Outgoing<'_>) -> Result<InboxItem, SendError> {
        let name = out.name.to_owned();
        if let Err(source) = check_name(&name) {
            let name = name.chars().take(32).collect();
            return Err(SendError::Name { name, source });
        }
        let bytes_max = self.shared().config.limits.value_bytes_max;
        if !fits(&out.body, bytes_max) {
            return Err(SendError::TooLarge { name, n_bytes: out.body.n_bytes(), bytes_max });
        }
        let id = match out.key {
            Some(key) if key.is_empty() || key.len() > TEXT_BYTES_MAX => {
                let (n_bytes, bytes_max) = (key.len(), TEXT_BYTES_MAX);
                return Err(SendError::Key { name, n_bytes, bytes_max });
            }
            // The same key is the same message: also for the inbox, and for who waits for its answer.
            Some(key) => Uuid::new_v5(&self.id().0, format!("message key:{key}").as_bytes()),
            None => Uuid::now_v7(),
        };
        let key = out.key.map(str::to_owned);
        Ok(InboxItem::Message { id: MessageId(id), name, body: out.body, key, reply: out.reply })
    }

    async fn post(&self, item: InboxItem) -> Result<MessageId, SendError> {
        let InboxItem::Message { id, .. } = &item else {
            return Err(SendError::UnknownRun { run: self.id() });
        };
        let id = *id;
        match self.shared().post(self.id(), InboxId(id.0), item).await {
            Ok(_) => Ok(id),
            Err(PostError::UnknownRun { run }) => Err(SendError::UnknownRun { run }),
            Err(PostError::RunEnded { run, status }) => Err(SendError::RunEnded { run, status }),
            Err(PostError::Store(error)) => Err(SendError::Store(error)),
            Err(error) => Err(SendError::Store(StoreError::Unavailable(Box::new(error)))),
        }
    }
}

fn to_json(name: &str, body: &(impl Serialize + ?Sized)) -> Result<Json, SendError> {
    Json::of(body).map_err(|source| SendError::NotJson { name: name.to_owned(), source })
}
