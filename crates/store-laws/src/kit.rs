//! Short ways to say what the laws say often.

use std::collections::BTreeMap;
use std::sync::Arc;

use stepwell_journal::{
    Attempt, Epoch, Event, EventKind, Failure, FailureKind, Json, Location, MessageId, RunId,
    RunStarted, RunStatus, Seq, UnixMillis,
};
use stepwell_store::{
    Commit, InboxId, InboxItem, LoadedRun, NewRun, Post, RowChange, RunQuery, RunRow, Started,
    Store,
};
use uuid::Uuid;

/// When the runs of the laws begin.
pub(crate) const START: UnixMillis = UnixMillis(1_000_000);

pub(crate) fn run_id(n: u64) -> RunId {
    RunId(Uuid::from_u128(0x0192_0000_0000_7000_8000_0000_0000_0000 | u128::from(n)))
}

pub(crate) fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

pub(crate) fn new_run(n: u64) -> NewRun {
    NewRun {
        run: run_id(n),
        at: UnixMillis(START.0 + n),
        started: RunStarted {
            workflow: "order".to_owned(),
            version: "1".to_owned(),
            namespace: "default".to_owned(),
            input: json(r#"{"customer": {"id": 7}}"#),
            labels: BTreeMap::new(),
            parent: None,
            seed: n,
            replay_of: None,
            pinned: false,
            deadline_at: None,
            trace: None,
        },
        idempotency_key: None,
        start_at: None,
        copied: Vec::new(),
    }
}

pub(crate) fn with(n: u64, change: impl FnOnce(&mut NewRun)) -> NewRun {
    let mut new = new_run(n);
    change(&mut new);
    new
}

pub(crate) fn event(seq: u64, kind: EventKind) -> Event {
    Event { seq: Seq(seq), at: UnixMillis(START.0 + 1_000 + seq), kind }
}

pub(crate) fn step(seq: u64) -> Event {
    step_with(seq, &format!("s{seq}"), json("1"))
}

pub(crate) fn step_with(seq: u64, name: &str, value: Json) -> Event {
    let location = Location::root().named(name).unwrap();
    event(seq, EventKind::StepSucceeded { location, attempt: Attempt(1), value })
}

pub(crate) fn completed(seq: u64) -> Event {
    event(seq, EventKind::RunCompleted { output: json("true") })
}

pub(crate) fn failed(seq: u64) -> Event {
    event(seq, EventKind::RunFailed { failure: failure() })
}

pub(crate) fn cancelled(seq: u64) -> Event {
    event(seq, EventKind::RunCancelled { reason: "asked".to_owned() })
}

pub(crate) fn failure() -> Failure {
    Failure::new(FailureKind::Critical, "no such customer")
}

pub(crate) fn change(status: RunStatus) -> RowChange {
    RowChange {
        status,
        wake_at: None,
        labels: BTreeMap::new(),
        description: None,
        failure: None,
        at: UnixMillis(START.0 + 5_000),
    }
}

pub(crate) fn waiting_until(at: u64) -> RowChange {
    RowChange { wake_at: Some(UnixMillis(at)), ..change(RunStatus::Waiting) }
}

pub(crate) fn inbox_id(n: u64) -> InboxId {
    InboxId(Uuid::from_u128(0xb0c5 << 64 | u128::from(n)))
}

pub(crate) fn post(to: u64, id: u64, item: InboxItem) -> Post {
    Post { to: run_id(to), id: inbox_id(id), at: START, item }
}

pub(crate) fn message(to: u64, id: u64) -> Post {
    let item = InboxItem::Message {
        id: MessageId(Uuid::from_u128(u128::from(id))),
        name: "approved".to_owned(),
        body: json("true"),
        key: None,
        reply: None,
    };
    post(to, id, item)
}

pub(crate) fn cancel(to: u64, id: u64) -> Post {
    post(to, id, InboxItem::Cancel { reason: "asked".to_owned() })
}

pub(crate) fn labels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

/// A store and its owner.
#[derive(Clone)]
pub(crate) struct Owner {
    pub store: Arc<dyn Store>,
    pub epoch: Epoch,
}

impl Owner {
    pub async fn of(store: Arc<dyn Store>) -> Owner {
        let epoch = store.take_ownership().await.unwrap();
        Owner { store, epoch }
    }

    pub async fn start(&self, n: u64) {
        self.start_run(new_run(n)).await;
    }

    pub async fn start_run(&self, new: NewRun) {
        assert_eq!(self.store.start(new).await.unwrap(), Started::Created);
    }

    /// A commit of these events, which begin where the first one says.
    pub fn commit_of(&self, n: u64, events: Vec<Event>) -> Commit {
        let first_seq = events.first().map_or(Seq(1), |event| event.seq);
        Commit { events, ..Commit::new(run_id(n), self.epoch, first_seq) }
    }

    pub async fn commit(&self, n: u64, events: Vec<Event>) {
        self.store.commit(self.commit_of(n, events)).await.unwrap();
    }

    /// Starts a run and gives its row these values.
    pub async fn start_as(&self, n: u64, change: RowChange) {
        self.start(n).await;
        let row = Some(change);
        self.store.commit(Commit { row, ..self.commit_of(n, vec![step(1)]) }).await.unwrap();
    }

    pub async fn post(&self, post: Post) {
        self.store.post(post).await.unwrap();
    }

    pub async fn load(&self, n: u64) -> LoadedRun {
        self.store.load(run_id(n)).await.unwrap().unwrap()
    }

    pub async fn row(&self, n: u64) -> RunRow {
        self.store.row(run_id(n)).await.unwrap().unwrap()
    }

    /// The numbers of the run's events.
    pub async fn seqs(&self, n: u64) -> Vec<u64> {
        self.load(n).await.journal.iter().map(|event| event.seq.0).collect()
    }

    /// The ids in the run's inbox.
    pub async fn inbox(&self, n: u64) -> Vec<InboxId> {
        let inbox = self.store.inbox(run_id(n)).await.unwrap();
        assert_eq!(inbox, self.load(n).await.inbox);
        inbox.iter().map(|inboxed| inboxed.id).collect()
    }

    pub async fn found(&self, query: RunQuery) -> Vec<RunId> {
        let page = self.store.query(query).await.unwrap();
        page.runs.iter().map(|row| row.run).collect()
    }

    pub async fn runnable(&self) -> Vec<RunId> {
        self.store.runnable(None, 1_000).await.unwrap()
    }

    pub async fn due(&self, until: u64) -> Vec<RunId> {
        let due = self.store.due(UnixMillis(until), 1_000).await.unwrap();
        due.iter().map(|due| due.run).collect()
    }
}

pub(crate) fn runs(numbers: &[u64]) -> Vec<RunId> {
    numbers.iter().map(|n| run_id(*n)).collect()
}
