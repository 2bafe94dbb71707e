//! Answers of services to work items of async steps.
//!
//! What a work item is answered with first is decided by a document, and only then sent to the run. So the same answer
//! may come any number of times, also after a crash in between, and another one is refused.

use sha2::{Digest, Sha256};
use stepwell_engine::{Engine, SendError};
use stepwell_flow::{TokenKey, WebhookAnswer, webhook_message};
use stepwell_journal::RunId;
use stepwell_store::Expect;
use uuid::Uuid;

use crate::documents::Documents;
use crate::problem::{Code, Problem};

pub struct Webhooks {
    engine: Engine,
    tokens: TokenKey,
    /// The hash of what each work item was answered with.
    answers: Documents,
}

impl Webhooks {
    pub fn new(engine: Engine, tokens: TokenKey) -> Webhooks {
        let (store, clock) = (engine.store().clone(), engine.clock().clone());
        Webhooks { engine, tokens, answers: Documents::new(store, clock, "webhook") }
    }

    /// Takes an answer. It is durable when this returns.
    pub async fn answer(
        &self,
        (run, step, token): (&str, &str, &str),
        answer: &WebhookAnswer,
    ) -> Result<(), Problem> {
        let run: RunId = run.parse().map_err(|_| unknown())?;
        let token: Uuid = token.parse().map_err(|_| unknown())?;
        let place = self.tokens.place(run, step, token).ok_or_else(unknown)?;
        let row = self.engine.store().row(run).await?.ok_or_else(unknown)?;
        let hash = hash(answer);
        let key = format!("{run}/{step}/{place}");
        loop {
            match self.answers.get::<String>(&row.namespace, &key).await? {
                Some(found) if found.body == hash => break,
                Some(_) => {
                    let detail = "this work item was answered before, and otherwise";
                    return Err(Problem::new(Code::WebhookAnswered, detail));
                }
                None if row.status.is_ended() => {
                    let detail = format!("run `{run}` has ended, and waits for no answer");
                    return Err(Problem::new(Code::RunEnded, detail));
                }
                None => {}
            }
            match self.answers.put(&row.namespace, &key, &hash, Expect::Absent).await {
                Ok(()) => break,
                // Another answer was faster.
                Err(problem) if problem.is(Code::Changed) => {}
                Err(problem) => return Err(problem),
            }
        }
        let name = webhook_message(step, place);
        match self.engine.get(run).await?.send_with_key(&name, answer, &name).await {
            // The flow has ended without waiting for it.
            Ok(_) | Err(SendError::RunEnded { .. }) => Ok(()),
            Err(error @ SendError::TooLarge { .. }) => {
                // The run cannot take it, so it is no answer; a smaller one may come.
                self.answers.remove(&row.namespace, &key, Expect::Anything).await?;
                Err(error.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Forgets the answers to runs that are gone.
    pub async fn tidy(&self) -> Result<(), Problem> {
        for found in self.answers.list::<String>(None).await? {
            let run = found.key.split('/').next().and_then(|run| run.parse::<RunId>().ok());
            let is_kept = match run {
                Some(run) => self.engine.store().row(run).await?.is_some(),
                None => false,
            };
            if !is_kept {
                self.answers.remove(&found.namespace, &found.key, Expect::Anything).await?;
            }
        }
        Ok(())
    }
}

/// Whatever is wrong with the address, the caller is told the same.
fn unknown() -> Problem {
    Problem::new(Code::UnknownWebhook, "no work item waits for an answer here")
}

fn hash(answer: &WebhookAnswer) -> String {
    let text = serde_json::to_vec(answer).unwrap_or_default();
    Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect()
}
