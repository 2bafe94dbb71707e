//! What callers want written, on its way to the writer.
//!
//! Callers encode; the writer only copies. The queue has no bound of its own: every caller waits for
//! its answer, so it is never longer than the number of callers.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::{Condvar, Mutex};
use stepwell_journal::{Epoch, RunId, UnixMillis, wire};
use stepwell_store::{
    Commit, CommitError, DocumentError, DocumentWrite, Forget, InboxItem, NewRun, Post, PostError,
    Posted, StartError, Started, StoreError, WhyKept,
};
use tokio::sync::oneshot;

use crate::block::Header;
use crate::codec;

/// More than this no commit may bring: SQLite's own bound on a value is near.
pub(crate) const WRITE_BYTES_MAX: usize = 512 * 1024 * 1024;

pub(crate) type Answer<T, E> = oneshot::Sender<Result<T, E>>;

/// A wish of one caller.
pub(crate) enum Request {
    Start {
        start: Box<Encoded<NewRun>>,
        answer: Answer<Started, StartError>,
    },
    Commit {
        commit: Box<CommitRequest>,
        answer: Answer<(), CommitError>,
    },
    Post {
        post: Box<PostRequest>,
        answer: Answer<Posted, PostError>,
    },
    Documents {
        writes: Vec<DocumentWrite>,
        answer: Answer<Vec<u64>, DocumentError>,
    },
    Forget {
        forget: Arc<Forget>,
        /// Those of them whose turn it is.
        runs: Vec<RunId>,
        answer: Answer<Vec<Result<(), WhyKept>>, StoreError>,
    },
    TakeOwnership {
        answer: Answer<Epoch, StoreError>,
    },
    /// For tests: a disk that is as small as this.
    LimitPages {
        n_pages: u32,
        answer: Answer<(), StoreError>,
    },
}

/// Something with events, and its block for the log.
pub(crate) struct Encoded<T> {
    pub what: T,
    pub header: Header,
    pub events: Vec<u8>,
}

pub(crate) struct CommitRequest {
    pub commit: Commit,
    /// None if the journal does not change.
    pub block: Option<(Header, Vec<u8>)>,
    pub starts: Vec<Encoded<NewRun>>,
    pub posts: Vec<PostRequest>,
}

pub(crate) struct PostRequest {
    pub post: Post,
    pub body: String,
}

impl PostRequest {
    pub fn new(post: Post) -> Result<PostRequest, StoreError> {
        let body = codec::item_text(&post.item)
            .map_err(|error| StoreError::Unavailable(Box::new(error)))?;
        within_bounds(body.len())?;
        Ok(PostRequest { post, body })
    }

    pub fn cancels(&self) -> bool {
        matches!(self.post.item, InboxItem::Cancel { .. })
    }
}

impl Encoded<NewRun> {
    pub fn new(new: NewRun) -> Result<Encoded<NewRun>, StoreError> {
        let journal = new.journal();
        let mut events = Vec::new();
        wire::encode(&journal, &mut events);
        within_bounds(events.len())?;
        let header = Header {
            run: new.run,
            replaces: false,
            first_seq: stepwell_journal::Seq(0),
            next_seq: new.row().next_seq,
            at: new.at,
        };
        Ok(Encoded { what: new, header, events })
    }
}

impl CommitRequest {
    pub fn new(mut commit: Commit) -> Result<CommitRequest, StoreError> {
        let starts = std::mem::take(&mut commit.starts);
        let posts = std::mem::take(&mut commit.posts);
        let block = block_of(&commit)?;
        Ok(CommitRequest {
            commit,
            block,
            starts: starts.into_iter().map(Encoded::new).collect::<Result<_, _>>()?,
            posts: posts.into_iter().map(PostRequest::new).collect::<Result<_, _>>()?,
        })
    }
}

fn block_of(commit: &Commit) -> Result<Option<(Header, Vec<u8>)>, StoreError> {
    let kept = commit.compacted.as_deref();
    if kept.is_none() && commit.events.is_empty() {
        return Ok(None);
    }
    // Most commits are one event of a few hundred bytes.
    let mut bytes = Vec::with_capacity(384);
    wire::encode(kept.unwrap_or_default(), &mut bytes);
    let start = bytes.len();
    wire::encode(&commit.events, &mut bytes);
    // Both halves begin with the format, which one block has once.
    bytes.remove(start);
    within_bounds(bytes.len())?;
    let first = kept.and_then(<[_]>::first).or(commit.events.first());
    let header = Header {
        run: commit.run,
        replaces: kept.is_some(),
        first_seq: first.map_or(commit.first_seq, |event| event.seq),
        next_seq: commit.next_seq(),
        at: commit.events.last().map_or(UnixMillis(0), |event| event.at),
    };
    Ok(Some((header, bytes)))
}

fn within_bounds(n_bytes: usize) -> Result<(), StoreError> {
    if n_bytes > WRITE_BYTES_MAX {
        let problem = format!("{n_bytes} bytes at once are more than {WRITE_BYTES_MAX}");
        return Err(StoreError::Unavailable(problem.into()));
    }
    Ok(())
}

#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<Request>,
    /// When the first of them came.
    since: Option<Instant>,
    writer_sleeps: bool,
    closed: bool,
}

impl Queue {
    /// Queues a request, which is dropped, and with it its answer, if the store is closed.
    pub fn push(&self, request: Request) {
        let mut state = self.state.lock();
        if state.closed {
            return;
        }
        if state.waiting.is_empty() {
            state.since = Some(Instant::now());
        }
        state.waiting.push(request);
        if state.writer_sleeps {
            state.writer_sleeps = false;
            drop(state);
            self.wake.notify_one();
        }
    }

    /// Takes everything that waits, oldest first, and says since when the first of it has waited. Sleeps until
    /// there is something, or until the queue is closed: then there is nothing to say.
    pub fn take(&self, into: &mut Vec<Request>) -> Option<Instant> {
        let mut state = self.state.lock();
        while state.waiting.is_empty() && !state.closed {
            state.writer_sleeps = true;
            self.wake.wait(&mut state);
        }
        std::mem::swap(&mut state.waiting, into);
        state.since.take()
    }

    /// How many requests wait.
    pub fn len(&self) -> usize {
        self.state.lock().waiting.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Refuses whatever comes from now on.
    pub fn close(&self) {
        self.state.lock().closed = true;
        self.wake.notify_all();
    }

    /// Refuses whatever comes from now on, and whatever still waits: nobody will take it.
    pub fn abandon(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        state.waiting.clear();
    }
}
