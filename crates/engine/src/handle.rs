//! One run, as its users hold it.

use std::time::Duration;

use serde::de::DeserializeOwned;
use stepwell_journal::{Event, EventKind, RunId, RunOutcome, RunState, RunStatus, Seq};
use stepwell_store::{InboxId, InboxItem, LogPage, LogQuery, Post, PostError, RunRow, StoreError};
use uuid::Uuid;

use crate::config::REMOTE_LOOK_MS;
use crate::error::{CancelError, GetError, WaitError};
use crate::link::Call;
use crate::schedule::{Place, Why};
use crate::shared::{NudgeOnDrop, Shared};
use crate::waiters::{Loss, News, Waiter};
use crate::{Engine, RunView};

/// How many events are read from the store at a time.
const PAGE_EVENTS: usize = 10_000;

/// A run. Cheap to clone; keeps its engine alive.
#[derive(Clone)]
pub struct RunHandle {
    engine: Engine,
    run: RunId,
}

impl RunHandle {
    pub(crate) fn new(engine: Engine, run: RunId) -> RunHandle {
        RunHandle { engine, run }
    }

    pub fn id(&self) -> RunId {
        self.run
    }

    /// Waits until the run has ended, and gives its output.
    pub async fn wait<T: DeserializeOwned>(&self) -> Result<T, WaitError> {
        let outcome = self.outcome().await?;
        self.parse_output(outcome)
    }

    /// The same, but not for longer than this.
    pub async fn wait_for<T: DeserializeOwned>(&self, limit: Duration) -> Result<T, WaitError> {
        let after_ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX);
        let clock = &self.shared().clock;
        let until = clock.now().plus_ms(after_ms);
        tokio::select! {
            biased;
            outcome = self.outcome() => self.parse_output(outcome?),
            () = clock.sleep_until(until) => Err(WaitError::TimedOut { run: self.run, after_ms }),
        }
    }

    /// Waits until the run has ended, and says how.
    pub async fn outcome(&self) -> Result<RunOutcome, WaitError> {
        loop {
            if let Some(outcome) = self.next_outcome().await? {
                return Ok(outcome);
            }
        }
    }

    /// None if it is time to look again, because another node has the run.
    async fn next_outcome(&self) -> Result<Option<RunOutcome>, WaitError> {
        let run = self.run;
        // Subscribe first, look then. A task marks its link before it tells its waiters, so either the
        // link is marked and the store has the outcome, or we are told.
        let mut waiter = self.shared().waiters.subscribe(run, None);
        let is_here = self.shared().ownership.owns(run);
        let must_look = match self.shared().schedule.place(run) {
            _ if !is_here => {
                self.shared().watch(run).await?;
                true
            }
            // A commit whose answer was lost may have been the last one, or another node's was.
            Place::Resident(link) => {
                link.has(Call::Ended) || link.has(Call::Abort) || link.trouble().is_some()
            }
            Place::Ready | Place::Parked => false,
            Place::Quarantined(problem) => return Err(WaitError::Quarantined { run, problem }),
            Place::Elsewhere => true,
        };
        if must_look && let Some(outcome) = self.recorded_outcome().await? {
            return Ok(Some(outcome));
        }
        match self.news_of(&mut waiter, is_here).await {
            News::Ended(outcome) => Ok(Some(outcome)),
            News::Lost(Loss::Moved) => Ok(None),
            News::Lost(loss) => Err(self.lost(loss)),
            // Only asked for by `ask`.
            News::Answered(_) => Err(WaitError::Closed { run }),
        }
    }

    /// What happens to the run. Of one that another node has, it may be that nothing is heard: then it is time
    /// to look.
    pub(crate) async fn news_of(&self, waiter: &mut Waiter, is_here: bool) -> News {
        if is_here {
            return waiter.news().await;
        }
        let look = Duration::from_millis(REMOTE_LOOK_MS);
        tokio::select! {
            biased;
            news = waiter.news() => news,
            () = self.shared().clock.pause(look) => News::Lost(Loss::Moved),
        }
    }

    /// The output, if the run has completed. Does not wait.
    pub async fn output<T: DeserializeOwned>(&self) -> Result<Option<T>, WaitError> {
        match self.recorded_outcome().await? {
            Some(outcome) => self.parse_output(outcome).map(Some),
            None => Ok(None),
        }
    }

    /// Ends the run. When this returns, the cancel is durable and no step begins any more. Cancelling
    /// twice is fine.
    pub async fn cancel(&self, reason: &str) -> Result<(), CancelError> {
        let run = self.run;
        let shared = self.shared();
        let mut reason = reason.to_owned();
        reason.truncate(reason.floor_char_boundary(crate::config::TEXT_BYTES_MAX));
        let cancel = InboxId(Uuid::now_v7());
        let post = Post {
            to: run,
            id: cancel,
            at: shared.clock.now(),
            item: InboxItem::Cancel { reason },
        };
        let nudge = NudgeOnDrop { schedule: &shared.schedule, to: run };
        let posted = shared.store.post(post).await;
        std::mem::forget(nudge);
        // When the store did not answer, the cancel may be there all the same.
        let taken = shared.schedule.nudge(run);
        match posted {
            Ok(_) => {}
            Err(PostError::RunEnded { status: RunStatus::Cancelled, .. }) => return Ok(()),
            Err(PostError::RunEnded { status, .. }) => {
                return Err(CancelError::AlreadyEnded { run, status });
            }
            Err(PostError::UnknownRun { .. }) => return Err(CancelError::UnknownRun { run }),
            Err(PostError::Store(error)) => return Err(CancelError::Store(error)),
            Err(error) => {
                return Err(CancelError::Store(StoreError::Unavailable(Box::new(error))));
            }
        }
        if let Some(taken) = taken {
            // A task that ends without an answer starts no step either.
            let _ = taken.await;
        }
        // Whoever owned the run may have lost it just now.
        if !shared.ownership.owns(run) || shared.ownership.has_run_out() {
            shared.wait_until_taken(run, cancel).await.map_err(CancelError::Store)?;
        }
        Ok(())
    }

    /// Makes the run look at the clock and its inbox. Never moves a date.
    pub async fn wake(&self) -> Result<(), GetError> {
        if self.row().await?.status.is_ended() {
            return Ok(());
        }
        if !self.shared().ownership.owns(self.run) {
            // Another node has it, and is told by the store. One that has ended needs no word.
            let id = InboxId(Uuid::now_v7());
            return match self.shared().post(self.run, id, InboxItem::Wake).await {
                Err(PostError::Store(error)) => Err(error.into()),
                _ => Ok(()),
            };
        }
        self.shared().schedule.activate(self.run, Why::Nudge);
        Ok(())
    }

    /// The run's index row: cheap, and up to a second behind.
    pub async fn row(&self) -> Result<RunRow, GetError> {
        let row = self.shared().store.row(self.run).await?;
        row.ok_or(GetError::UnknownRun { run: self.run })
    }

    /// How the run stands, and what it waits for.
    pub async fn state(&self) -> Result<RunView, GetError> {
        let loaded = self.shared().store.load(self.run).await?;
        let loaded = loaded.ok_or(GetError::UnknownRun { run: self.run })?;
        RunView::of(self.shared(), loaded).await
    }

    /// How the run stood when `seq` was its last event.
    pub async fn state_at(&self, seq: Seq) -> Result<RunState, GetError> {
        let mut journal = self.journal().await?;
        journal.retain(|event| event.seq <= seq);
        RunState::fold(self.run, &journal)
            .map_err(|source| GetError::Damaged { run: self.run, source })
    }

    /// All events, oldest first.
    pub async fn journal(&self) -> Result<Vec<Event>, GetError> {
        let mut journal: Vec<Event> = Vec::new();
        loop {
            let from = journal.last().map_or(Seq(0), |event| event.seq.next());
            let page = self.shared().store.journal(self.run, from, PAGE_EVENTS).await?;
            let is_last = page.len() < PAGE_EVENTS;
            journal.extend(page);
            if is_last {
                break;
            }
        }
        if journal.is_empty() {
            return Err(GetError::UnknownRun { run: self.run });
        }
        Ok(journal)
    }

    /// The first page of what the run logged; use [`RunHandle::logs_with`] for more.
    pub async fn logs(&self) -> Result<LogPage, GetError> {
        self.logs_with(LogQuery::of(self.run)).await
    }

    /// The log lines that match. The query's run is this one, whatever it says.
    pub async fn logs_with(&self, mut query: LogQuery) -> Result<LogPage, GetError> {
        query.run = self.run;
        Ok(self.shared().store.logs(query).await?)
    }

    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn shared(&self) -> &Shared {
        self.engine.shared()
    }

    pub(crate) fn lost(&self, loss: Loss) -> WaitError {
        let run = self.run;
        match loss {
            Loss::Closed | Loss::Moved => WaitError::Closed { run },
            Loss::Fenced => WaitError::Fenced { run },
            Loss::Quarantined(problem) => WaitError::Quarantined { run, problem },
        }
    }

    /// The outcome that the store has, if it has one.
    async fn recorded_outcome(&self) -> Result<Option<RunOutcome>, WaitError> {
        let run = self.run;
        let store = &self.shared().store;
        let Some(row) = store.row(run).await? else {
            return Err(WaitError::UnknownRun { run });
        };
        if !row.status.is_ended() {
            return Ok(None);
        }
        // The outcome is the last event of an ended run.
        let last = Seq(row.next_seq.0.saturating_sub(1));
        let events = store.journal(run, last, 1).await?;
        Ok(events.into_iter().next().and_then(|event| match event.kind {
            EventKind::RunCompleted { output } => Some(RunOutcome::Completed(output)),
            EventKind::RunFailed { failure } => Some(RunOutcome::Failed(failure)),
            EventKind::RunCancelled { reason } => Some(RunOutcome::Cancelled(reason)),
            // It was resumed since we read its row.
            _ => None,
        }))
    }

    fn parse_output<T: DeserializeOwned>(&self, outcome: RunOutcome) -> Result<T, WaitError> {
        match outcome {
            RunOutcome::Completed(output) => {
                output.to().map_err(|source| WaitError::Output { run: self.run, source })
            }
            RunOutcome::Failed(failure) => Err(WaitError::Failed(failure)),
            RunOutcome::Cancelled(reason) => Err(WaitError::Cancelled { reason }),
        }
    }
}
