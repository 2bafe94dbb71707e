//! What is asked of a writer, with all encoding done by the caller.

use stepwell_journal::{Epoch, Event, RunId, Seq, UnixMillis, wire};
use stepwell_store::{
    Commit, CommitError, DocumentError, DocumentWrite, Forget, Forgotten, InboxItem, Inboxed,
    LoadedRun, LogLine, NewRun, Post, PostError, Posted, StartError, Started, StoreError, stored,
};
use tokio::sync::oneshot;

use crate::fault::Fault;
use crate::lease::{Beat, Share};

/// The most bytes of events or of one inbox item that one call may bring.
pub(crate) const WRITE_BYTES_MAX: usize = 256 * 1024 * 1024;

pub(crate) type Answer<T, E> = oneshot::Sender<Result<T, E>>;

/// One call. Its answer is dropped unsent if the store was closed first.
pub(crate) enum Request {
    Start { start: Box<NewRun>, block: Block, answer: Answer<Started, StartError> },
    Commit { commit: Box<CommitRequest>, answer: Answer<(), CommitError> },
    Post { post: Box<PostRequest>, answer: Answer<Posted, PostError> },
    Import { run: Box<ImportRequest>, answer: Answer<bool, StoreError> },
    Forget { forget: Box<Forget>, answer: Answer<Forgotten, StoreError> },
    WriteDocuments { writes: Vec<DocumentWrite>, answer: Answer<Vec<u64>, DocumentError> },
    TakeOwnership { answer: Answer<Epoch, StoreError> },
    Beat { beat: Beat, answer: Answer<Share, StoreError> },
    TakeShards { wanted: Vec<i16>, answer: Answer<Share, StoreError> },
}

/// Events as they lie in one row of `journal`.
#[derive(Clone)]
pub(crate) struct Block {
    pub first_seq: Seq,
    pub next_seq: Seq,
    /// The date of the last event.
    pub at: UnixMillis,
    pub body: Vec<u8>,
}

pub(crate) struct CommitRequest {
    /// Without its starts and posts, which are beside it.
    pub commit: Commit,
    pub compacted: Option<Block>,
    pub events: Option<Block>,
    pub starts: Vec<(NewRun, Block)>,
    pub posts: Vec<PostRequest>,
}

/// A run of another store, with all that belongs to it.
#[derive(Debug, Clone)]
pub struct Imported {
    pub loaded: LoadedRun,
    pub idempotency_key: Option<String>,
    /// All of its log, oldest line first.
    pub logs: Vec<LogLine>,
}

pub(crate) struct ImportRequest {
    pub imported: Imported,
    pub journal: Option<Block>,
    pub inbox: Vec<PostRequest>,
}

impl ImportRequest {
    pub fn new(imported: Imported) -> Result<ImportRequest, StoreError> {
        let journal = Block::of(&imported.loaded.journal)?;
        let to = imported.loaded.row.run;
        let posts = imported.loaded.inbox.iter().cloned();
        let posts =
            posts.map(|Inboxed { id, at, item }| PostRequest::new(Post { to, id, at, item }));
        let inbox = posts.collect::<Result<_, _>>()?;
        Ok(ImportRequest { journal, inbox, imported })
    }
}

pub(crate) struct PostRequest {
    pub post: Post,
    pub body: String,
}

impl Request {
    /// The run that decides which writer takes the request; none if that does not matter.
    pub fn run(&self) -> Option<RunId> {
        match self {
            Request::Start { start, .. } => Some(start.run),
            Request::Commit { commit, .. } => Some(commit.commit.run),
            Request::Post { post, .. } => Some(post.post.to),
            Request::Import { run, .. } => Some(run.imported.loaded.row.run),
            Request::Forget { .. }
            | Request::WriteDocuments { .. }
            | Request::TakeOwnership { .. }
            | Request::Beat { .. }
            | Request::TakeShards { .. } => None,
        }
    }

    /// Whether it shares a transaction with others.
    pub fn is_batched(&self) -> bool {
        self.run().is_some()
    }

    /// About how much of it is sent to the database.
    pub fn n_bytes(&self) -> usize {
        let of = |block: &Option<Block>| block.as_ref().map_or(0, |block| block.body.len());
        match self {
            Request::Start { block, .. } => 2 * block.body.len(),
            Request::Commit { commit, .. } => {
                of(&commit.events)
                    + of(&commit.compacted)
                    + commit.starts.iter().map(|(_, block)| 2 * block.body.len()).sum::<usize>()
                    + commit.posts.iter().map(|post| post.body.len()).sum::<usize>()
            }
            Request::Post { post, .. } => post.body.len(),
            Request::Import { run, .. } => {
                let inbox: usize = run.inbox.iter().map(|item| item.body.len()).sum();
                of(&run.journal) + inbox + run.imported.loaded.row.input.n_bytes()
            }
            Request::WriteDocuments { .. }
            | Request::Forget { .. }
            | Request::TakeOwnership { .. }
            | Request::Beat { .. }
            | Request::TakeShards { .. } => 0,
        }
    }

    /// Tells the caller that the store failed.
    pub fn fail(self, fault: Fault, store: &str) {
        let error = fault.into_error(store);
        // Whoever has stopped waiting need not be told.
        match self {
            Request::Start { answer, .. } => drop(answer.send(Err(error.into()))),
            Request::Commit { answer, .. } => drop(answer.send(Err(error.into()))),
            Request::Post { answer, .. } => drop(answer.send(Err(error.into()))),
            Request::Import { answer, .. } => drop(answer.send(Err(error))),
            Request::Forget { answer, .. } => drop(answer.send(Err(error))),
            Request::WriteDocuments { answer, .. } => drop(answer.send(Err(error.into()))),
            Request::TakeOwnership { answer } => drop(answer.send(Err(error))),
            Request::Beat { answer, .. } | Request::TakeShards { answer, .. } => {
                drop(answer.send(Err(error)));
            }
        }
    }
}

impl PostRequest {
    pub fn new(post: Post) -> Result<PostRequest, StoreError> {
        let body = stored::item_text(&post.item)
            .map_err(|error| StoreError::Unavailable(Box::new(error)))?;
        within_bounds(body.len())?;
        Ok(PostRequest { post, body })
    }

    pub fn cancels(&self) -> bool {
        matches!(self.post.item, InboxItem::Cancel { .. })
    }
}

impl CommitRequest {
    pub fn new(mut commit: Commit) -> Result<CommitRequest, StoreError> {
        let starts = std::mem::take(&mut commit.starts);
        let posts = std::mem::take(&mut commit.posts);
        let compacted = match &commit.compacted {
            Some(kept) => Block::of(kept)?,
            None => None,
        };
        let events = Block::of(&commit.events)?;
        let starts = starts.into_iter().map(|new| {
            let block = start_block(&new)?;
            Ok((new, block))
        });
        Ok(CommitRequest {
            starts: starts.collect::<Result<_, StoreError>>()?,
            posts: posts.into_iter().map(PostRequest::new).collect::<Result<_, _>>()?,
            commit,
            compacted,
            events,
        })
    }
}

impl Block {
    /// None if there are no events.
    fn of(events: &[Event]) -> Result<Option<Block>, StoreError> {
        let (Some(first), Some(last)) = (events.first(), events.last()) else { return Ok(None) };
        // Most commits are one event of a few hundred bytes.
        let mut body = Vec::with_capacity(384);
        wire::encode(events, &mut body);
        within_bounds(body.len())?;
        Ok(Some(Block { first_seq: first.seq, next_seq: last.seq.next(), at: last.at, body }))
    }
}

/// The journal that a run begins with.
pub(crate) fn start_block(new: &NewRun) -> Result<Block, StoreError> {
    let journal = new.journal();
    let mut body = Vec::new();
    wire::encode(&journal, &mut body);
    within_bounds(body.len())?;
    let (next_seq, at) = journal.last().map_or((Seq(0), new.at), |last| (last.seq.next(), last.at));
    Ok(Block { first_seq: Seq(0), next_seq, at, body })
}

fn within_bounds(n_bytes: usize) -> Result<(), StoreError> {
    if n_bytes > WRITE_BYTES_MAX {
        let problem = format!("{n_bytes} bytes at once are more than {WRITE_BYTES_MAX}");
        return Err(StoreError::Unavailable(problem.into()));
    }
    Ok(())
}
