//! One group of writes, judged in memory against what the database has, which is locked.
//!
//! A write is judged before anything of it is noted, so one that is refused leaves the others of its group
//! alone. What the group comes to is written by [`crate::write`], a few statements for all of it.

use std::collections::{BTreeMap, BTreeSet};

use stepwell_journal::{Epoch, EventKind, Json, RunId, RunStatus, UnixMillis};
use stepwell_store::{
    BeforeCommit, Commit, CommitError, InboxId, LogLine, NewRun, PostError, Posted, RunRow,
    StartError, Started,
};
use uuid::Uuid;

use crate::codec;
use crate::kept::{Kept, KeptRun};
use crate::request::{Block, CommitRequest, ImportRequest, Imported, PostRequest, Request};

/// What the database has of the runs that a group names, and what the group makes of it.
#[derive(Default)]
pub(crate) struct Batch {
    /// The present owner's epoch, by shard.
    pub epochs: BTreeMap<i16, Epoch>,
    /// The nodes that own the shards.
    pub owners: BTreeMap<i16, Option<Uuid>>,
    pub heads: BTreeMap<RunId, Head>,
    /// The runs that keys have made, with their inputs, by the keys' digests.
    pub keys: BTreeMap<Vec<u8>, (RunId, Json)>,
    /// Digests of keys that are new.
    pub new_keys: Vec<(Vec<u8>, RunId)>,
    /// Runs that their owner must look at.
    pub called: BTreeSet<RunId>,
    /// Runs that have ended or answered.
    pub spoke: BTreeSet<RunId>,
}

/// A run, and what is to be written of it.
pub(crate) struct Head {
    /// Its input is there only if the run is new.
    pub row: RunRow,
    /// It was not read for this group: see [`crate::kept`].
    pub is_kept: bool,
    /// As the database has it; none if the run is new.
    pub before: Option<Before>,
    pub key: Option<String>,
    pub inbox: Vec<Slot>,
    pub next_line: i64,
    pub change: Change,
    /// The journal's rows are removed first.
    pub replaces: bool,
    pub blocks: Vec<Entry>,
    pub lines: Vec<(i64, LogLine)>,
    /// What is taken out of the stored inbox.
    pub taken: Vec<InboxId>,
}

/// A row of the journal, with the epoch that signs it; 0 is for what anybody may write.
pub(crate) struct Entry {
    pub epoch: Epoch,
    pub block: Block,
}

pub(crate) struct Before {
    pub status: RunStatus,
    pub labels: BTreeMap<String, String>,
}

/// How much of a row is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    Nothing,
    /// The journal grows; where it ends stands in its last row.
    Journal,
    /// The end of the journal, and what the inbox changes.
    Little,
    Everything,
}

/// An item of an inbox.
pub(crate) struct Slot {
    pub id: InboxId,
    pub cancels: bool,
    /// None if the database has it already.
    pub new: Option<NewItem>,
}

pub(crate) struct NewItem {
    pub at: UnixMillis,
    pub body: String,
}

/// What became of one request of a group.
pub(crate) enum Verdict {
    Start(Result<Started, StartError>),
    Commit(Result<(), CommitError>),
    Post(Result<Posted, PostError>),
    /// Whether the run is new.
    Import(bool),
    /// It is no request that shares a transaction.
    Nothing,
}

/// What must be read and locked before a group is judged.
#[derive(Default)]
pub(crate) struct Needs {
    pub runs: BTreeSet<RunId>,
    /// The shards whose epochs commits are checked against.
    pub shards: BTreeSet<i16>,
    pub keys: BTreeSet<Vec<u8>>,
    is_careful: bool,
}

impl Needs {
    /// A run that is to begin is looked for only by who is careful: without, the database refuses a second one.
    pub fn of(requests: &[Request], kept: &Kept, is_careful: bool) -> Needs {
        let mut needs = Needs { is_careful, ..Needs::default() };
        for request in requests {
            match request {
                Request::Start { start, .. } => needs.add_start(start),
                Request::Commit { commit, .. } => {
                    needs.shards.insert(codec::shard_of(commit.commit.run));
                    if !kept.knows(&commit.commit) {
                        needs.runs.insert(commit.commit.run);
                    }
                    commit.starts.iter().for_each(|(new, _)| needs.add_start(new));
                    needs.runs.extend(commit.posts.iter().map(|post| post.post.to));
                }
                Request::Post { post, .. } => drop(needs.runs.insert(post.post.to)),
                Request::Import { run, .. } => {
                    needs.runs.insert(run.imported.loaded.row.run);
                    needs.keys.extend(run.key());
                }
                Request::Forget { .. }
                | Request::WriteDocuments { .. }
                | Request::TakeOwnership { .. }
                | Request::Beat { .. }
                | Request::TakeShards { .. } => {}
            }
        }
        needs
    }

    /// Whether nothing must be read before it is written.
    pub fn is_nothing(&self) -> bool {
        self.runs.is_empty() && self.keys.is_empty()
    }

    fn add_start(&mut self, new: &NewRun) {
        self.shards.insert(codec::shard_of(new.run));
        if self.is_careful {
            self.runs.insert(new.run);
        }
        self.keys.extend(key_of(new));
    }
}

/// Whether whoever waits for the run may have been waiting for this.
fn speaks(commit: &Commit) -> bool {
    commit.events.iter().any(|event| {
        event.kind.is_outcome() || matches!(event.kind, EventKind::MessageAnswered { .. })
    })
}

impl ImportRequest {
    fn key(&self) -> Option<Vec<u8>> {
        let row = &self.imported.loaded.row;
        let key = self.imported.idempotency_key.as_ref()?;
        Some(codec::key_digest(&row.namespace, &row.workflow, key))
    }
}

fn key_of(new: &NewRun) -> Option<Vec<u8>> {
    let started = &new.started;
    let key = new.idempotency_key.as_ref()?;
    Some(codec::key_digest(&started.namespace, &started.workflow, key))
}

impl Batch {
    /// The runs of these requests that need not be read.
    pub fn recall(&mut self, requests: &[Request], kept: &mut Kept) {
        for request in requests {
            let Request::Commit { commit, .. } = request else { continue };
            if let Some(KeptRun { row, next_line, .. }) = kept.take(commit.commit.run) {
                let head = Head { is_kept: true, ..Head::stored(row, next_line) };
                self.heads.insert(commit.commit.run, head);
            }
        }
    }

    pub fn judge(&mut self, request: &Request) -> Verdict {
        match request {
            Request::Start { start, block, .. } => Verdict::Start(self.start(start, block)),
            Request::Commit { commit, .. } => Verdict::Commit(self.commit(commit)),
            Request::Post { post, .. } => Verdict::Post(self.post(post)),
            Request::Import { run, .. } => Verdict::Import(self.import(run)),
            Request::Forget { .. }
            | Request::WriteDocuments { .. }
            | Request::TakeOwnership { .. }
            | Request::Beat { .. }
            | Request::TakeShards { .. } => Verdict::Nothing,
        }
    }

    fn start(&mut self, new: &NewRun, block: &Block) -> Result<Started, StartError> {
        let key = key_of(new);
        if let Some((run, input)) = key.as_ref().and_then(|key| self.keys.get(key)) {
            return Ok(new.existing(*run, input));
        }
        if self.heads.contains_key(&new.run) {
            return Err(StartError::RunExists { run: new.run });
        }
        if let Some(key) = key {
            self.keys.insert(key.clone(), (new.run, new.started.input.clone()));
            self.new_keys.push((key, new.run));
        }
        let head = Head {
            row: new.row(),
            is_kept: false,
            before: None,
            key: new.idempotency_key.clone(),
            inbox: Vec::new(),
            next_line: 1,
            change: Change::Everything,
            replaces: false,
            blocks: vec![Entry { epoch: Epoch(0), block: block.clone() }],
            lines: Vec::new(),
            taken: Vec::new(),
        };
        self.heads.insert(new.run, head);
        self.called.insert(new.run);
        Ok(Started::Created)
    }

    /// A run that is there already is left as it is, so that a copy that was cut off can be made again.
    fn import(&mut self, request: &ImportRequest) -> bool {
        let Imported { loaded, idempotency_key, logs } = &request.imported;
        let run = loaded.row.run;
        if self.heads.contains_key(&run) {
            return false;
        }
        if let Some(key) = request.key().filter(|key| !self.keys.contains_key(key)) {
            self.keys.insert(key.clone(), (run, loaded.row.input.clone()));
            self.new_keys.push((key, run));
        }
        let slot = |post: &PostRequest| {
            let new = Some(NewItem { at: post.post.at, body: post.body.clone() });
            Slot { id: post.post.id, cancels: post.cancels(), new }
        };
        let lines: Vec<_> = (1..).zip(logs.iter().cloned()).collect();
        let entry = |block: &Block| Entry { epoch: Epoch(0), block: block.clone() };
        let head = Head {
            row: loaded.row.clone(),
            is_kept: false,
            before: None,
            key: idempotency_key.clone(),
            inbox: request.inbox.iter().map(slot).collect(),
            next_line: 1 + lines.len() as i64,
            change: Change::Everything,
            replaces: false,
            blocks: request.journal.iter().map(entry).collect(),
            lines,
            taken: Vec::new(),
        };
        self.heads.insert(run, head);
        self.called.insert(run);
        true
    }

    fn commit(&mut self, request: &CommitRequest) -> Result<(), CommitError> {
        let commit = &request.commit;
        let Some(head) = self.heads.get_mut(&commit.run) else {
            return Err(CommitError::UnknownRun { run: commit.run });
        };
        let epoch = self.epochs.get(&codec::shard_of(commit.run)).copied().unwrap_or_default();
        commit.check(BeforeCommit {
            epoch,
            next_seq: head.row.next_seq,
            status: head.row.status,
            cancels: &head.cancels(),
        })?;
        head.apply(request);
        if commit.resumes() {
            self.called.insert(commit.run);
        }
        if speaks(commit) {
            self.spoke.insert(commit.run);
        }
        for (new, block) in &request.starts {
            // A child that exists already is left as it is.
            let _ = self.start(new, block);
        }
        for post in &request.posts {
            // A post to a run that is gone is dropped in silence.
            let _ = self.post(post);
        }
        Ok(())
    }

    fn post(&mut self, request: &PostRequest) -> Result<Posted, PostError> {
        let post = &request.post;
        let Some(head) = self.heads.get_mut(&post.to) else {
            return Err(PostError::UnknownRun { run: post.to });
        };
        if head.row.status.is_ended() {
            return Err(PostError::RunEnded { run: post.to, status: head.row.status });
        }
        if head.inbox.iter().any(|slot| slot.id == post.id) {
            return Ok(Posted::Duplicate);
        }
        let new = Some(NewItem { at: post.at, body: request.body.clone() });
        head.inbox.push(Slot { id: post.id, cancels: request.cancels(), new });
        head.row.cancelling |= request.cancels();
        head.changes(Change::Little);
        self.called.insert(post.to);
        Ok(Posted::Accepted)
    }
}

impl Head {
    /// A run as the database has it.
    pub fn stored(row: RunRow, next_line: i64) -> Head {
        Head {
            before: Some(Before { status: row.status, labels: row.labels.clone() }),
            row,
            is_kept: false,
            key: None,
            inbox: Vec::new(),
            next_line,
            change: Change::Nothing,
            replaces: false,
            blocks: Vec::new(),
            lines: Vec::new(),
            taken: Vec::new(),
        }
    }

    pub fn is_runnable(&self) -> bool {
        self.row.is_runnable(self.inbox.is_empty())
    }

    fn changes(&mut self, change: Change) {
        self.change = self.change.max(change);
    }

    fn cancels(&self) -> Vec<InboxId> {
        self.inbox.iter().filter(|slot| slot.cancels).map(|slot| slot.id).collect()
    }

    fn apply(&mut self, request: &CommitRequest) {
        let commit = &request.commit;
        if commit.compacted.is_some() {
            self.replaces = true;
            self.blocks.clear();
        }
        let changes_row = commit.row.is_some() || commit.outcome().is_some() || commit.resumes();
        // Whoever watches for an answer must find the row locked.
        let only_appends = commit.taken.is_empty()
            && commit.logs.is_empty()
            && commit.compacted.is_none()
            && !speaks(commit);
        self.changes(match (changes_row, only_appends) {
            (true, _) => Change::Everything,
            (false, true) => Change::Journal,
            (false, false) => Change::Little,
        });
        self.row.follow(commit);
        for block in request.compacted.iter().chain(&request.events) {
            let block = Block { at: self.row.updated_at, ..block.clone() };
            self.blocks.push(Entry { epoch: commit.epoch, block });
        }
        // A run that has ended has carried out its cancels; what else is left waits for a resume.
        let ended = self.row.status.is_ended();
        let taken = &mut self.taken;
        self.inbox.retain(|slot| {
            let is_kept = !(ended && slot.cancels || commit.taken.contains(&slot.id));
            if !is_kept && slot.new.is_none() {
                taken.push(slot.id);
            }
            is_kept
        });
        for line in &commit.logs {
            self.lines.push((self.next_line, line.clone()));
            self.next_line += 1;
        }
    }
}
