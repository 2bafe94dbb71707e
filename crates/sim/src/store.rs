//! A store that fails, loses answers, is slow, and takes the process with it: one engine's way to the
//! memory that all of them share.

use std::future::Future;
use std::sync::Arc;

use async_trait::async_trait;
use stepwell_engine::Clock;
use stepwell_journal::{Epoch, Event, MessageId, RunId, Seq, UnixMillis};
use stepwell_store::{
    Commit, CommitError, DocumentError, DocumentPage, DocumentQuery, DocumentWrite, DueRun, Forget,
    Forgotten, InboxId, InboxItem, Inboxed, LoadedRun, LogPage, LogQuery, MemoryStore, NewRun,
    Post, PostError, Posted, RunPage, RunQuery, RunRow, StartError, Started, StatusCount, Store,
    StoreError, StoreReport, Tallied,
};
use uuid::Uuid;

use crate::faults::{Fate, Plan, Sabotage};
use crate::world::{Life, World};

pub struct FaultyStore {
    pub world: Arc<World>,
    pub node: u32,
    pub inner: MemoryStore,
}

/// What a call to the store is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    /// By the owner of the runs, or whoever becomes it.
    Write,
    /// By anybody.
    Open,
}

impl FaultyStore {
    /// Carries out `call` as chance has it. `watch` sees the result at the moment at which it is true.
    async fn call<T, E: From<StoreError>>(
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
            self.world.truth.sleep_until(until).await;
            self.unless_dead().await;
        }
        if plan.fate == Fate::CrashBefore {
            self.world.crash(self.node, "before a call to the store");
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
            self.world.work(plan.after_ms).await;
            self.unless_dead().await;
        }
        match plan.fate {
            Fate::LoseAnswer => Err(self.failed("loses an answer")),
            Fate::Pass | Fate::Refuse | Fate::CrashBefore | Fate::CrashAfter => Ok(()),
        }
    }

    /// A dead process gets no answers.
    async fn unless_dead(&self) {
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
        }
        let result = self.inner.commit(commit).await;
        self.watch_commit(&told, &result);
        result
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
                let is_owner = commit.epoch == state.laws.epoch;
                state.laws.require(is_owner, 5, commit.run, || {
                    format!("a commit of epoch {} by a fenced engine was taken", commit.epoch)
                });
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
                let mut state = self.world.state();
                state.laws.posted(&told);
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
                self.world.state().laws.created(&new);
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
        self.call(Kind::Read, self.inner.due(until, limit), |_| {}).await
    }

    async fn runnable(&self, after: Option<RunId>, limit: usize) -> Result<Vec<RunId>, StoreError> {
        self.call(Kind::Read, self.inner.runnable(after, limit), |_| {}).await
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

    async fn close(&self) {}
}
