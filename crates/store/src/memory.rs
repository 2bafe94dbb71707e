//! A store in memory, for tests and the simulator.
//!
//! It has no clock, no randomness and no waiting: the same calls in the same order leave the same
//! contents on every machine.

mod documents;
mod forget;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use parking_lot::{Mutex, MutexGuard};
use stepwell_journal::{Epoch, Event, RunId, RunState, RunStatus, Seq, UnixMillis};

use crate::{
    BeforeCommit, Commit, CommitError, Cursor, DocumentError, DocumentPage, DocumentQuery,
    DocumentWrite, DueRun, Forget, Forgotten, InboxId, InboxItem, Inboxed, LoadedRun, LogLine,
    LogPage, LogQuery, NewRun, Post, PostError, Posted, RunPage, RunQuery, RunRow, StartError,
    Started, StatusCount, Store, StoreError, StoreReport, Tallied,
};

/// Clones share their contents, and are closed together.
#[derive(Clone, Default)]
pub struct MemoryStore {
    contents: Arc<Mutex<Contents>>,
    closed: Arc<AtomicBool>,
}

impl MemoryStore {
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }

    /// The same contents behind a new handle, as a restarted process would find them.
    pub fn reopen(&self) -> MemoryStore {
        MemoryStore { contents: Arc::clone(&self.contents), closed: Arc::default() }
    }

    fn open(&self) -> Result<MutexGuard<'_, Contents>, StoreError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(StoreError::Closed);
        }
        Ok(self.contents.lock())
    }
}

#[derive(Default)]
struct Contents {
    epoch: Epoch,
    runs: BTreeMap<RunId, Run>,
    /// By namespace, workflow and key.
    keys: BTreeMap<(String, String, String), RunId>,
    by_age: BTreeSet<Cursor>,
    by_wake_at: BTreeSet<(UnixMillis, RunId)>,
    runnable: BTreeSet<RunId>,
    documents: documents::Documents,
}

struct Run {
    row: RunRow,
    /// The idempotency key that made it.
    key: Option<String>,
    journal: Vec<Event>,
    inbox: Vec<Inboxed>,
    logs: Vec<LogLine>,
}

impl Contents {
    fn start(&mut self, new: &NewRun) -> Result<Started, StartError> {
        let key = new
            .idempotency_key
            .as_ref()
            .map(|key| (new.started.namespace.clone(), new.started.workflow.clone(), key.clone()));
        if let Some(run) = key.as_ref().and_then(|key| self.keys.get(key)) {
            let first = self.runs.get(run).map(|run| run.row.input.clone()).unwrap_or_default();
            return Ok(new.existing(*run, &first));
        }
        if self.runs.contains_key(&new.run) {
            return Err(StartError::RunExists { run: new.run });
        }
        if let Some(key) = key {
            self.keys.insert(key, new.run);
        }
        let row = new.row();
        self.by_age.insert(row.cursor());
        let run = Run {
            row,
            key: new.idempotency_key.clone(),
            journal: new.journal(),
            inbox: Vec::new(),
            logs: Vec::new(),
        };
        self.runs.insert(new.run, run);
        self.change(new.run, |_| {});
        Ok(Started::Created)
    }

    fn commit(&mut self, commit: Commit) -> Result<(), CommitError> {
        let epoch = self.epoch;
        let Some(run) = self.runs.get(&commit.run) else {
            return Err(CommitError::UnknownRun { run: commit.run });
        };
        commit.check(BeforeCommit {
            epoch,
            next_seq: run.row.next_seq,
            status: run.row.status,
            cancels: &run.cancels(),
        })?;
        self.change(commit.run, |run| run.apply(&commit));
        for new in &commit.starts {
            // A child that exists already is left as it is.
            let _ = self.start(new);
        }
        for post in commit.posts {
            // A post to a run that is gone is dropped in silence.
            let _ = self.post(post);
        }
        Ok(())
    }

    fn post(&mut self, post: Post) -> Result<Posted, PostError> {
        let Some(run) = self.runs.get(&post.to) else {
            return Err(PostError::UnknownRun { run: post.to });
        };
        if run.row.status.is_ended() {
            return Err(PostError::RunEnded { run: post.to, status: run.row.status });
        }
        if run.inbox.iter().any(|inboxed| inboxed.id == post.id) {
            return Ok(Posted::Duplicate);
        }
        self.change(post.to, |run| {
            run.row.cancelling |= matches!(post.item, InboxItem::Cancel { .. });
            run.inbox.push(Inboxed { id: post.id, at: post.at, item: post.item });
        });
        Ok(Posted::Accepted)
    }

    /// The only way a run changes, so that the indexes always follow.
    fn change(&mut self, id: RunId, change: impl FnOnce(&mut Run)) {
        let Some(run) = self.runs.get_mut(&id) else { return };
        if let Some(wake_at) = run.row.wake_at {
            self.by_wake_at.remove(&(wake_at, id));
        }
        change(run);
        if let Some(wake_at) = run.row.wake_at {
            self.by_wake_at.insert((wake_at, id));
        }
        if run.row.is_runnable(run.inbox.is_empty()) {
            self.runnable.insert(id);
        } else {
            self.runnable.remove(&id);
        }
    }

    fn query(&self, query: &RunQuery) -> RunPage {
        let n_rows = query.n_rows();
        let mut page = RunPage::default();
        let after = query.after.map_or(Bound::Unbounded, Bound::Excluded);
        let ordered: Box<dyn Iterator<Item = &Cursor>> = match query.oldest_first {
            true => Box::new(self.by_age.range((after, Bound::Unbounded))),
            false => Box::new(self.by_age.range((Bound::Unbounded, after)).rev()),
        };
        for cursor in ordered {
            let Some(run) = self.runs.get(&cursor.run) else { continue };
            if !query.matches(&run.row) {
                continue;
            }
            if page.runs.len() == n_rows {
                page.next = page.runs.last().map(RunRow::cursor);
                break;
            }
            page.runs.push(run.row.clone());
        }
        page
    }

    fn check(&self) -> StoreReport {
        let mut report = StoreReport::default();
        for (id, run) in &self.runs {
            report.n_runs += 1;
            report.n_events += run.journal.len() as u64;
            if let Err(error) = RunState::fold(*id, &run.journal) {
                report.problems.push(error.to_string());
            }
        }
        report.n_documents = self.documents.len() as u64;
        report
    }
}

impl Run {
    fn apply(&mut self, commit: &Commit) {
        if let Some(compacted) = &commit.compacted {
            self.journal.clone_from(compacted);
        }
        self.journal.extend(commit.events.iter().cloned());
        self.row.follow(commit);
        // A run that has ended has carried out its cancels; what else is left waits for a resume.
        let ended = self.row.status.is_ended();
        self.inbox.retain(|inboxed| {
            let carried_out = ended && matches!(inboxed.item, InboxItem::Cancel { .. });
            !carried_out && !commit.taken.contains(&inboxed.id)
        });
        self.logs.extend(commit.logs.iter().cloned());
    }

    fn cancels(&self) -> Vec<InboxId> {
        self.inbox
            .iter()
            .filter(|inboxed| matches!(inboxed.item, InboxItem::Cancel { .. }))
            .map(|inboxed| inboxed.id)
            .collect()
    }

    fn logs(&self, query: &LogQuery) -> LogPage {
        let n_rows = query.n_rows();
        let mut page = LogPage { end: query.after.unwrap_or(0), ..LogPage::default() };
        for (line, number) in self.logs.iter().zip(1_u64..) {
            if query.after.is_some_and(|after| number <= after) {
                continue;
            }
            if query.matches(line) {
                if page.lines.len() == n_rows {
                    page.next = Some(page.end);
                    break;
                }
                page.lines.push(line.clone());
            }
            page.end = number;
        }
        page
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn take_ownership(&self) -> Result<Epoch, StoreError> {
        let mut contents = self.open()?;
        contents.epoch = Epoch(contents.epoch.0 + 1);
        Ok(contents.epoch)
    }

    async fn start(&self, run: NewRun) -> Result<Started, StartError> {
        self.open()?.start(&run)
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        self.open()?.commit(commit)
    }

    async fn post(&self, post: Post) -> Result<Posted, PostError> {
        self.open()?.post(post)
    }

    async fn load(&self, run: RunId) -> Result<Option<LoadedRun>, StoreError> {
        Ok(self.open()?.runs.get(&run).map(|run| LoadedRun {
            row: run.row.clone(),
            journal: run.journal.clone(),
            inbox: run.inbox.clone(),
        }))
    }

    async fn inbox(&self, run: RunId) -> Result<Vec<Inboxed>, StoreError> {
        Ok(self.open()?.runs.get(&run).map(|run| run.inbox.clone()).unwrap_or_default())
    }

    async fn row(&self, run: RunId) -> Result<Option<RunRow>, StoreError> {
        Ok(self.open()?.runs.get(&run).map(|run| run.row.clone()))
    }

    async fn journal(&self, run: RunId, from: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        let contents = self.open()?;
        let journal = contents.runs.get(&run).map_or(&[][..], |run| &run.journal);
        let first = journal.partition_point(|event| event.seq < from);
        Ok(journal[first..].iter().take(limit).cloned().collect())
    }

    async fn query(&self, query: RunQuery) -> Result<RunPage, StoreError> {
        Ok(self.open()?.query(&query))
    }

    async fn tally(&self) -> Result<Vec<Tallied>, StoreError> {
        let contents = self.open()?;
        let mut counts = BTreeMap::<(&str, &str, RunStatus), u64>::new();
        for row in contents.runs.values().map(|run| &run.row) {
            *counts.entry((&row.namespace, &row.workflow, row.status)).or_default() += 1;
        }
        let tallied = counts.into_iter().map(|((namespace, workflow, status), n_runs)| Tallied {
            namespace: namespace.to_owned(),
            workflow: workflow.to_owned(),
            status,
            n_runs,
        });
        Ok(tallied.collect())
    }

    async fn count(&self, query: &RunQuery) -> Result<Vec<StatusCount>, StoreError> {
        let contents = self.open()?;
        let query = query.for_count();
        let mut counts = BTreeMap::<RunStatus, u64>::new();
        for run in contents.runs.values().filter(|run| query.matches(&run.row)) {
            *counts.entry(run.row.status).or_default() += 1;
        }
        Ok(counts.into_iter().map(|(status, n_runs)| StatusCount { status, n_runs }).collect())
    }

    async fn due(&self, until: UnixMillis, limit: usize) -> Result<Vec<DueRun>, StoreError> {
        let contents = self.open()?;
        Ok(contents
            .by_wake_at
            .iter()
            .take_while(|(wake_at, _)| *wake_at <= until)
            .take(limit)
            .map(|&(wake_at, run)| DueRun { run, wake_at })
            .collect())
    }

    async fn runnable(&self, after: Option<RunId>, limit: usize) -> Result<Vec<RunId>, StoreError> {
        let contents = self.open()?;
        let first = after.map_or(Bound::Unbounded, Bound::Excluded);
        let runs = contents.runnable.range((first, Bound::Unbounded));
        Ok(runs.take(limit).copied().collect())
    }

    async fn logs(&self, query: LogQuery) -> Result<LogPage, StoreError> {
        let contents = self.open()?;
        let unknown = || LogPage { end: query.after.unwrap_or(0), ..LogPage::default() };
        Ok(contents.runs.get(&query.run).map_or_else(unknown, |run| run.logs(&query)))
    }

    async fn forget(&self, forget: Forget) -> Result<Forgotten, StoreError> {
        Ok(self.open()?.forget(&forget))
    }

    async fn write_documents(&self, writes: Vec<DocumentWrite>) -> Result<Vec<u64>, DocumentError> {
        DocumentWrite::check_all(&writes)?;
        self.open()?.documents.write(writes)
    }

    async fn documents(&self, query: DocumentQuery) -> Result<DocumentPage, StoreError> {
        Ok(self.open()?.documents.page(&query))
    }

    async fn check(&self) -> Result<StoreReport, StoreError> {
        Ok(self.open()?.check())
    }

    async fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }
}
