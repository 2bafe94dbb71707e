//! A store that fails, loses answers, is slow, and takes the process with it: one engine's way to the
//! memory that all of them share.

use std::future::Future;
use std::sync::Arc;

use async_trait::async_trait;
use stepwell_engine::Clock;
use stepwell_journal::{Epoch, Event, EventKind, MessageId, RunId, Seq, UnixMillis};
use stepwell_store::{
    Cluster, Commit, CommitError, DocumentError, DocumentPage, DocumentQuery, DocumentWrite,
    DueRun, Forget, Forgotten, InboxId, InboxItem, Inboxed, LoadedRun, LogPage, LogQuery,
    MemoryStore, NewRun, Post, PostError, Posted, RunPage, RunQuery, RunRow, StartError, Started,
    StatusCount, Store, StoreError, StoreReport, Tallied,
};
use uuid::Uuid;

use crate::cluster::cluster_of;
use crate::faults::{Fate, Plan, Sabotage};
use crate::world::{Life, World};

#[derive(Clone)]
pub struct FaultyStore {
    pub world: Arc<World>,
    pub node: u32,
    pub inner: MemoryStore,
}

/// What a call to the store is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Read,
    /// By the owner of the runs, or whoever becomes it.
    Write,
    /// By anybody.
    Open,
}

impl FaultyStore {
    /// Carries out `call` as chance has it. `watch` sees the result at the moment at which it is true.
    pub async fn call<T, E: From<StoreError>>(
        &self,
        kind: Kind,
        call: impl Future<Output = Result<T, E>> + Send,
        watch: impl FnOnce(&Result<T, E>) + Send,
    ) -> Result<T, E> {
        let plan = self.before(kind).await?;
        let result = call.await;
        watch(&result);
        self.after(plan).await?;
        result
    }

    async fn before(&self, kind: Kind) -> Result<Plan, StoreError> {
        self.unless_dead().await;
        let (plan, silent_until) = self.world.plan(kind != Kind::Read);
        let until = silent_until.max(self.world.truth.now().plus_ms(plan.before_ms));
        if until > self.world.truth.now() {
            self.world.clocks(self.node).truth.sleep_until(until).await;
            self.unless_dead().await;
        }
        if plan.fate == Fate::CrashBefore {
            self.world.crash(self.node, "before a call to the store");
            self.unless_dead().await;
        }
        if plan.fate == Fate::Freeze {
            let until = self.world.freeze(self.node);
            self.world.clocks(self.node).truth.sleep_until(until).await;
            self.unless_dead().await;
        }
        // Starts and posts are open to everybody and not fenced: a node that owns nothing may make them, and
        // tells the owner by means that one store in one process does not have. So zombies make none here.
        let is_zombie = kind == Kind::Open && self.world.life(self.node) == Life::Zombie;
        if plan.fate == Fate::Refuse || is_zombie {
            return Err(self.failed("refuses"));
        }
        Ok(plan)
    }

    async fn after(&self, plan: Plan) -> Result<(), StoreError> {
        if plan.fate == Fate::CrashAfter {
            self.world.crash(self.node, "after a call to the store");
            self.unless_dead().await;
        }
        if plan.after_ms > 0 {
            self.world.work(self.node, plan.after_ms).await;
            self.unless_dead().await;
        }
        match plan.fate {
            Fate::LoseAnswer => Err(self.failed("loses an answer")),
            Fate::Pass | Fate::Refuse | Fate::CrashBefore | Fate::CrashAfter | Fate::Freeze => {
                Ok(())
            }
        }
    }

    /// A dead process gets no answers.
    pub async fn unless_dead(&self) {
        if self.world.life(self.node) == Life::Dead {
            std::future::pending::<()>().await;
        }
    }

    fn failed(&self, how: &str) -> StoreError {
        self.world.say(format!("n{} store {how}", self.node));
        self.world.state().counts.n_faults += 1;
        StoreError::Unavailable(how.into())
    }

    /// The first thing that the sabotage applies to is spoiled.
    fn spoils(&self, sabotage: Sabotage) -> bool {
        let mut state = self.world.state();
        let is_meant = state.sabotage == Some(sabotage);
        if is_meant && sabotage != Sabotage::IgnoreFence {
            state.sabotage = None;
        }
        is_meant
    }

    async fn write_commit(&self, mut commit: Commit) -> Result<(), CommitError> {
        let told = commit.clone();
        if !commit.events.is_empty() && self.spoils(Sabotage::DropCommit) {
            return Ok(());
        }
        if self.spoils(Sabotage::IgnoreFence) {
            commit.epoch = Epoch(u64::MAX);
        } else if let Some(current) = self.fence(&commit).await {
            let fenced = CommitError::Fenced { run: commit.run, ours: commit.epoch, current };
            let result = Err(fenced);
            self.watch_commit(&told, &result);
            return result;
        }
        let called = self.called_by(&commit).await;
        let result = self.inner.commit(commit).await;
        self.watch_commit(&told, &result);
        if result.is_ok() {
            self.tell_of(&told, &called);
        }
        result
    }

    /// The epoch of the run's shard, if the commit is older.
    async fn fence(&self, commit: &Commit) -> Option<Epoch> {
        // Of a run that is not there, the store says that first.
        self.inner.row(commit.run).await.ok()??;
        let mut state = self.world.state();
        let leases = &mut state.sharing.as_mut()?.leases;
        let shard = leases.shard_of(commit.run);
        Some(leases.held(shard).epoch).filter(|current| commit.epoch < *current)
    }

    /// The runs whose owners must look at them if the commit is taken.
    async fn called_by(&self, commit: &Commit) -> Vec<RunId> {
        let mut called = Vec::new();
        if self.world.state().sharing.is_none() {
            return called;
        }
        if commit.resumes() {
            called.push(commit.run);
        }
        for new in &commit.starts {
            if matches!(self.inner.row(new.run).await, Ok(None)) {
                called.push(new.run);
            }
        }
        for post in &commit.posts {
            let inbox = self.inner.inbox(post.to).await.unwrap_or_default();
            if !inbox.iter().any(|inboxed| inboxed.id == post.id) {
                called.push(post.to);
            }
        }
        called
    }

    /// The commit is durable: whoever it concerns elsewhere is told.
    fn tell_of(&self, commit: &Commit, called: &[RunId]) {
        let now = self.world.truth.now();
        let mut state = self.world.state();
        for new in &commit.starts {
            state.note_owner(new.run);
        }
        for run in called {
            state.call_owner(self.node, *run, now);
        }
        let speaks = commit.events.iter().any(|event| {
            event.kind.is_outcome() || matches!(event.kind, EventKind::MessageAnswered { .. })
        });
        if speaks {
            state.tell_watchers(commit.run, now);
        }
    }

    fn watch_commit(&self, commit: &Commit, result: &Result<(), CommitError>) {
        let is_fenced = matches!(result, Err(CommitError::Fenced { .. }));
        let line = {
            let mut state = self.world.state();
            state.counts.n_commits += 1;
            if is_fenced {
                state.counts.n_fenced += 1;
            }
            if result.is_ok() {
                state.check_writer(self.node, commit);
                state.laws.committed(commit);
            }
            let names: Vec<&str> = commit.events.iter().map(|event| event.kind.name()).collect();
            let alias = state.laws.alias(commit.run);
            let row = commit.row.as_ref().map_or("", |row| row.status.as_str());
            let said = match result {
                Ok(()) => "ok".to_owned(),
                Err(CommitError::Fenced { .. }) => "fenced".to_owned(),
                Err(CommitError::Misplaced { .. }) => "misplaced".to_owned(),
                Err(CommitError::CancelPending { .. }) => "cancel pending".to_owned(),
                Err(_) => "refused".to_owned(),
            };
            let (n, at) = (self.node, commit.first_seq);
            format!("n{n} {alias} commit {at} {} {row}: {said}", names.join(","))
        };
        self.world.say(line);
    }

    async fn write_post(&self, post: Post) -> Result<Posted, PostError> {
        if matches!(post.item, InboxItem::Message { .. }) {
            if self.spoils(Sabotage::DropMessage) {
                return Ok(Posted::Accepted);
            }
            if self.spoils(Sabotage::DoubleMessage) {
                let _ = self.inner.post(twin(post.clone())).await;
            }
        }
        let told = post.clone();
        let result = self.inner.post(post).await;
        if let Ok(Posted::Accepted) = result {
            let line = {
                let now = self.world.truth.now();
                let mut state = self.world.state();
                state.laws.posted(&told);
                state.call_owner(self.node, told.to, now);
                let what = match &told.item {
                    InboxItem::Message { name, .. } => name.as_str(),
                    InboxItem::Cancel { .. } => "cancel",
                    _ => "news",
                };
                format!("n{} {} inbox gets {what}", self.node, state.laws.alias(told.to))
            };
            self.world.say(line);
        }
        result
    }
}

/// The same message, as if it were another one.
fn twin(mut post: Post) -> Post {
    let other = Uuid::new_v5(&post.id.0, b"twin");
    post.id = InboxId(other);
    if let InboxItem::Message { id, key, .. } = &mut post.item {
        *id = MessageId(other);
        *key = None;
    }
    post
}

#[async_trait]
impl Store for FaultyStore {
    async fn take_ownership(&self) -> Result<Epoch, StoreError> {
        let watch = |result: &Result<Epoch, StoreError>| {
            if let Ok(epoch) = result {
                self.world.state().laws.epoch = *epoch;
            }
        };
        self.call(Kind::Write, self.inner.take_ownership(), watch).await
    }

    async fn start(&self, run: NewRun) -> Result<Started, StartError> {
        let new = run.clone();
        let watch = |result: &Result<Started, StartError>| {
            if let Ok(Started::Created) = result {
                let now = self.world.truth.now();
                let mut state = self.world.state();
                state.laws.created(&new);
                state.note_owner(new.run);
                state.call_owner(self.node, new.run, now);
            }
            let alias = self.world.state().laws.alias(new.run);
            let ok = result.is_ok();
            self.world.say(format!("n{} {alias} start {}: {ok}", self.node, new.started.workflow));
        };
        self.call(Kind::Open, self.inner.start(run), watch).await
    }

    async fn commit(&self, commit: Commit) -> Result<(), CommitError> {
        self.call(Kind::Write, self.write_commit(commit), |_| {}).await
    }

    async fn post(&self, post: Post) -> Result<Posted, PostError> {
        self.call(Kind::Open, self.write_post(post), |_| {}).await
    }

    async fn load(&self, run: RunId) -> Result<Option<LoadedRun>, StoreError> {
        self.call(Kind::Read, self.inner.load(run), |_| {}).await
    }

    async fn inbox(&self, run: RunId) -> Result<Vec<Inboxed>, StoreError> {
        self.call(Kind::Read, self.inner.inbox(run), |_| {}).await
    }

    async fn row(&self, run: RunId) -> Result<Option<RunRow>, StoreError> {
        self.call(Kind::Read, self.inner.row(run), |_| {}).await
    }

    async fn journal(&self, run: RunId, from: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.call(Kind::Read, self.inner.journal(run, from, limit), |_| {}).await
    }

    async fn query(&self, query: RunQuery) -> Result<RunPage, StoreError> {
        self.call(Kind::Read, self.inner.query(query), |_| {}).await
    }

    async fn tally(&self) -> Result<Vec<Tallied>, StoreError> {
        self.call(Kind::Read, self.inner.tally(), |_| {}).await
    }

    async fn count(&self, query: &RunQuery) -> Result<Vec<StatusCount>, StoreError> {
        self.call(Kind::Read, self.inner.count(query), |_| {}).await
    }

    async fn due(&self, until: UnixMillis, limit: usize) -> Result<Vec<DueRun>, StoreError> {
        let own = async {
            let mut due = self.inner.due(until, usize::MAX).await?;
            due.retain(|due| self.is_own(due.run));
            due.truncate(limit);
            Ok(due)
        };
        self.call(Kind::Read, own, |_| {}).await
    }

    async fn runnable(&self, after: Option<RunId>, limit: usize) -> Result<Vec<RunId>, StoreError> {
        let own = async {
            let mut runnable = self.inner.runnable(after, usize::MAX).await?;
            runnable.retain(|run| self.is_own(*run));
            runnable.truncate(limit);
            Ok(runnable)
        };
        self.call(Kind::Read, own, |_| {}).await
    }

    async fn logs(&self, query: LogQuery) -> Result<LogPage, StoreError> {
        self.call(Kind::Read, self.inner.logs(query), |_| {}).await
    }

    async fn forget(&self, forget: Forget) -> Result<Forgotten, StoreError> {
        self.call(Kind::Open, self.inner.forget(forget), |_| {}).await
    }

    async fn write_documents(&self, writes: Vec<DocumentWrite>) -> Result<Vec<u64>, DocumentError> {
        self.call(Kind::Open, self.inner.write_documents(writes), |_| {}).await
    }

    async fn documents(&self, query: DocumentQuery) -> Result<DocumentPage, StoreError> {
        self.call(Kind::Read, self.inner.documents(query), |_| {}).await
    }

    async fn check(&self) -> Result<StoreReport, StoreError> {
        self.call(Kind::Read, self.inner.check(), |_| {}).await
    }

    fn cluster(&self) -> Option<Arc<dyn Cluster>> {
        cluster_of(self)
    }

    async fn close(&self) {}
}
