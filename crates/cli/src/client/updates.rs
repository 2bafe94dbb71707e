//! Live updates of one run, with reconnection.

use std::time::Duration;

use futures::StreamExt;
use sse_stream::SseStream;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::{Call, Client, unreachable};
use crate::error::Result;
use crate::exit::Exit;

/// The server shows every 15 seconds that it lives; a stream that is silent for longer is dead.
const SILENCE_MAX: Duration = Duration::from_secs(40);

/// Between two tries to connect.
const RETRY: Duration = Duration::from_secs(1);

/// What is known from the stream.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Feed {
    /// The stream is open: whatever happens is told.
    pub is_live: bool,
    /// How often something happened to the run.
    pub n_changes: u64,
}

/// News about one run; what happens in between two looks is one change. Dropping it ends the stream.
pub struct Updates {
    feed: watch::Receiver<Feed>,
    _task: JoinSet<()>,
}

impl Updates {
    /// What happens after event `last_seq`.
    pub fn of_run(client: &Client, id: &str, last_seq: u64) -> Updates {
        let (sender, feed) = watch::channel(Feed::default());
        let mut task = JoinSet::new();
        let last_id = last_seq.to_string();
        task.spawn(Follow { client: client.clone(), id: id.to_owned(), last_id, sender }.run());
        Updates { feed, _task: task }
    }

    /// Whether changes are told at present.
    pub fn is_live(&self) -> bool {
        self.feed.borrow().is_live
    }

    /// Ends when something changed, be it the run or the stream; never, once the stream is over.
    pub async fn changed(&mut self) {
        if self.feed.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

struct Follow {
    client: Client,
    id: String,
    last_id: String,
    sender: watch::Sender<Feed>,
}

impl Follow {
    async fn run(mut self) {
        loop {
            let is_over = match self.follow().await {
                Ok(is_over) => is_over,
                // What the server refuses once it refuses again; the caller asks in another way.
                Err(error) => matches!(error.exit, Exit::Refused | Exit::NotFound),
            };
            self.sender.send_modify(|feed| feed.is_live = false);
            if is_over {
                return;
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    /// Reads one stream to its end; true if the run has ended.
    async fn follow(&mut self) -> Result<bool> {
        let call = Call::get(&["api", "updates"])
            .with("run", Some(&self.id))
            .with("after", Some(&self.last_id));
        let server = self.client.server();
        let response = self.client.request(call)?.send().await;
        let response = response.map_err(|error| unreachable(server, &error))?;
        if !response.status().is_success() {
            return self.client.text_of(response).await.map(|_| false);
        }
        self.sender.send_modify(|feed| feed.is_live = true);
        let mut events = SseStream::from_bytes_stream(response.bytes_stream());
        loop {
            let event = match tokio::time::timeout(SILENCE_MAX, events.next()).await {
                Ok(Some(Ok(event))) => event,
                Ok(Some(Err(_)) | None) | Err(_) => return Ok(false),
            };
            if let Some(id) = event.id {
                self.last_id = id;
            }
            if matches!(event.event.as_deref(), Some("update" | "end")) {
                self.sender.send_modify(|feed| feed.n_changes += 1);
            }
            if event.event.as_deref() == Some("end") {
                return Ok(true);
            }
        }
    }
}
