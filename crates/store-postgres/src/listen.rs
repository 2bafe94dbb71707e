//! What nodes tell each other: PostgreSQL's notifications, to be quick. Whoever listens also looks now and then,
//! to be sure.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::{StreamExt, stream};
use stepwell_journal::{RunId, Seq};
use stepwell_store::{Called, Told};
use tokio::sync::mpsc;
use tokio::task::AbortHandle;
use tokio_postgres::AsyncMessage;
use uuid::Uuid;

use crate::connect::{Connector, Link};
use crate::fault::Outcome;

/// Says that a shard is free.
pub(crate) const SHARDS_CALL: &str = "s";
/// PostgreSQL takes less than 8,000 bytes.
const CALL_BYTES_MAX: usize = 7_900;
/// Who has not taken so many in time is told to look at everything instead.
const CALLS_LEN: usize = 1_024;
const PAUSE: Duration = Duration::from_millis(50);
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// Calls as the texts of notifications. That a watched run has spoken is said by `Statements::tell`.
pub(crate) fn texts(called: impl Iterator<Item = RunId>) -> Vec<String> {
    joined(called.map(|run| format!("r{run}")))
}

/// What a node tells all others as the texts of notifications.
pub(crate) fn texts_of(told: &[Told], own: Uuid) -> Vec<String> {
    joined(told.iter().map(|told| match told {
        Told::Audience => format!("a{own}"),
        Told::News { run, from, to } => format!("n{run}.{}.{}", from.0, to.0),
    }))
}

fn joined(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut texts = Vec::new();
    let mut text = String::new();
    for word in words {
        if text.len() + word.len() >= CALL_BYTES_MAX {
            texts.push(std::mem::take(&mut text));
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&word);
    }
    if !text.is_empty() {
        texts.push(text);
    }
    texts
}

/// What others say with a text. Who hears this has the id `own`, and hears itself, too.
fn calls(text: &str, own: Uuid) -> Vec<Called> {
    let run = |text: &str| Uuid::parse_str(text).ok().map(RunId);
    let is_own = format!("a{own}");
    text.split(' ')
        .filter(|word| *word != is_own)
        .map(|word| {
            let call = match word.split_at_checked(1) {
                Some(("r", rest)) => run(rest).map(Called::Run),
                Some(("w", rest)) => run(rest).map(Called::Watched),
                Some(("a", rest)) => run(rest).map(|_| Called::Audience),
                Some(("n", rest)) => news(rest),
                Some((SHARDS_CALL, "")) => Some(Called::Shards),
                _ => None,
            };
            // A newer version may say what this one does not know.
            call.unwrap_or(Called::Missed)
        })
        .collect()
}

fn news(text: &str) -> Option<Called> {
    let [run, from, to] = text.split('.').collect::<Vec<_>>()[..] else { return None };
    let run = RunId(Uuid::parse_str(run).ok()?);
    Some(Called::News { run, from: Seq(from.parse().ok()?), to: Seq(to.parse().ok()?) })
}

/// Where calls are heard.
pub(crate) struct Ear {
    calls: tokio::sync::Mutex<mpsc::Receiver<Vec<Called>>>,
    missed: Arc<AtomicBool>,
    listening: AbortHandle,
}

/// Where calls are told. When it is dropped, nobody is told any more.
struct Mouth {
    own: Uuid,
    calls: mpsc::Sender<Vec<Called>>,
    missed: Arc<AtomicBool>,
}

impl Mouth {
    fn tell(&self, calls: Vec<Called>) {
        if self.calls.try_send(calls).is_err() {
            self.missed.store(true, Ordering::Release);
        }
    }
}

impl Ear {
    /// Listens until nobody hears any more. Must be called on the store's runtime.
    pub fn open(connector: Connector, own: Uuid, ping: Duration) -> Ear {
        let (sender, receiver) = mpsc::channel(CALLS_LEN);
        let missed = Arc::new(AtomicBool::new(true));
        let mouth = Mouth { own, calls: sender, missed: Arc::clone(&missed) };
        let listening = tokio::spawn(listen(connector, mouth, ping)).abort_handle();
        Ear { calls: tokio::sync::Mutex::new(receiver), missed, listening }
    }

    /// Lets go of the connection.
    pub fn close(&self) {
        self.listening.abort();
    }

    pub async fn called(&self) -> Vec<Called> {
        let mut calls = self.calls.lock().await;
        if self.missed.swap(false, Ordering::AcqRel) {
            return vec![Called::Missed];
        }
        match calls.recv().await {
            Some(called) => called,
            // The store is closed: there will be no more.
            None => std::future::pending().await,
        }
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.close();
    }
}

async fn listen(connector: Connector, mouth: Mouth, ping: Duration) {
    let mouth = Arc::new(mouth);
    let mut pause = PAUSE;
    while !mouth.calls.is_closed() {
        match hear(&connector, &mouth).await {
            Ok(link) => {
                pause = PAUSE;
                // Whatever was said before is not heard.
                mouth.tell(vec![Called::Missed]);
                while !mouth.calls.is_closed() && is_there(&connector, &link).await {
                    tokio::select! {
                        () = tokio::time::sleep(ping) => {}
                        () = mouth.calls.closed() => return,
                    }
                }
            }
            Err(fault) => tracing::warn!(?fault, "news of other nodes are not heard"),
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(PAUSE_MAX);
    }
}

/// A connection whose notifications are told.
async fn hear(connector: &Connector, mouth: &Arc<Mouth>) -> Outcome<Link> {
    let mouth = Arc::clone(mouth);
    let link = connector
        .connect_with(move |mut connection| {
            let mut messages = stream::poll_fn(move |context| connection.poll_message(context));
            async move {
                while let Some(Ok(message)) = messages.next().await {
                    if let AsyncMessage::Notification(notification) = message {
                        let calls = calls(notification.payload(), mouth.own);
                        if !calls.is_empty() {
                            mouth.tell(calls);
                        }
                    }
                }
            }
        })
        .await?;
    let listen = format!("LISTEN {}", crate::schema::quoted(&connector.channel()));
    connector.in_time(async { Ok(link.client.batch_execute(&listen).await?) }).await?;
    Ok(link)
}

async fn is_there(connector: &Connector, link: &Link) -> bool {
    let asked = connector.in_time(async { Ok(link.client.batch_execute("SELECT 1").await?) });
    !link.client.is_closed() && asked.await.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: Uuid = Uuid::from_u128(1 << 100);

    #[test]
    fn news_are_heard_by_others_and_an_audience_does_not_hear_itself() {
        let run = RunId(Uuid::from_u128(7));
        let told = [Told::Audience, Told::News { run, from: Seq(3), to: Seq(9) }];
        let [text] = &texts_of(&told, OWN)[..] else { panic!() };
        let news = Called::News { run, from: Seq(3), to: Seq(9) };
        assert_eq!(calls(text, OWN), [news]);
        assert_eq!(calls(text, Uuid::nil()), [Called::Audience, news]);
    }

    #[test]
    fn calls_come_back_from_texts_that_fit() {
        let runs: Vec<RunId> = (0..500).map(|n| RunId(Uuid::from_u128(n))).collect();
        let texts = texts(runs.iter().copied());
        assert!(texts.len() > 1 && texts.iter().all(|text| text.len() < 8_000));
        let heard: Vec<Called> = texts.iter().flat_map(|text| calls(text, OWN)).collect();
        assert_eq!(heard, runs.iter().map(|run| Called::Run(*run)).collect::<Vec<_>>());
        assert_eq!(calls(&format!("w{}", runs[0]), OWN), [Called::Watched(runs[0])]);
    }

    #[test]
    fn what_is_not_understood_means_to_look_at_everything() {
        for text in ["", "x", "rnonsense", "s1", "ü", "n1.2", "a"] {
            assert_eq!(calls(text, OWN), [Called::Missed], "{text:?}");
        }
        assert_eq!(calls("s", OWN), [Called::Shards]);
    }
}
