//! One run being driven: fed and drained by its owner.

mod deadline;
mod ending;
mod exchange;
mod run_waker;

use std::cell::Ref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use stepwell_journal::{
    Event, EventKind, Failure, FailureKind, Json, Location, Message, ReplyTo, RunState, Seq,
    UnixMillis, effective,
};

pub use exchange::{AnswerOut, Batch, ChildStart, CommitNeed, Input, Log, ReplayError, Setup};
use run_waker::RunWaker;

use crate::attempt::panic_text;
use crate::core::{Core, CoreSetup, Urgency};
use crate::scope::Scoped;
use crate::{Ctx, Error, LocalBoxFuture};

/// How many events one call of `poll` delivers before its owner gets a turn: a loop that never waits
/// must not starve other runs.
const DELIVERIES_PER_POLL_MAX: usize = 512;

/// How many events may pile up that nobody waits for before they are committed anyway.
const LAZY_EVENTS_MAX: usize = 256;

/// A run between its workflow function and its owner. Stays on one thread.
pub struct Execution {
    core: Rc<Core>,
    phase: Phase,
    undo_on_cancel: bool,
    waker: Arc<RunWaker>,
    batch_end: Option<Seq>,
    /// What to go live with; none once that is done.
    careful: Option<bool>,
}

enum Phase {
    /// The workflow function runs.
    Function(LocalBoxFuture<'static, Result<Json, Error>>),
    /// It has ended, or was stopped; what it left behind is being delivered.
    Settling(Ending),
    /// The undo handlers run.
    RollingBack(LocalBoxFuture<'static, ()>, Ending),
    /// The outcome is decided.
    Ended,
}

#[derive(Clone)]
enum Ending {
    Completed(Json),
    Failed(Failure),
    Cancelled(String),
}

impl Execution {
    /// Folds the journal and replays it through the workflow function. Nothing new begins before the
    /// first call of `poll`, so that what waits in the inbox, such as a cancel, comes first.
    pub fn load(setup: Setup<'_>) -> Result<Execution, ReplayError> {
        let state = RunState::fold(setup.run, setup.journal)?;
        let Some(started) = &state.started else {
            return Err(ReplayError::Empty { run: setup.run });
        };
        if state.is_ended() {
            return Err(ReplayError::Ended { run: setup.run });
        }
        let input = started.input.clone();
        let around = CoreSetup { limits: setup.limits, host: setup.host, now: setup.now };
        let core = Rc::new(Core::new(state, setup.journal.len() as u64, around));
        let ctx = Ctx::new(core.clone(), Location::root());
        let scope = ctx.scope.clone();
        let workflow = setup.workflow.clone();
        // The function itself may panic before its first await.
        let code: LocalBoxFuture<'static, _> =
            Box::pin(async move { workflow.call(ctx, input).await });
        let function = Box::pin(Scoped::new(core.clone(), scope, code));
        let mut execution = Execution {
            core,
            phase: Phase::Function(function),
            undo_on_cancel: setup.workflow.options.undo_on_cancel,
            waker: Arc::new(RunWaker::new()),
            batch_end: None,
            careful: Some(setup.careful),
        };
        execution.core.inner().fresh = setup.journal.len() == 1 && !setup.careful;
        execution.replay(setup.journal);
        Ok(execution)
    }

    /// Runs workflow code and step bodies until nothing more happens without a commit, the clock, a
    /// message or a body's I/O. `waker` is woken when a body can go on.
    pub fn poll(&mut self, now: UnixMillis, waker: &Waker) {
        self.waker.set_owner(waker);
        self.core.tick(now);
        self.miss_deadline();
        if let Some(careful) = self.careful.take() {
            self.over_limit();
            self.core.go_live(careful);
            self.poll_code(true);
        }
        self.poll_code(false);
        for _ in 0..DELIVERIES_PER_POLL_MAX {
            if self.over_limit() {
                continue;
            }
            if self.core.deliver_next() {
                self.poll_code(true);
            } else if !self.settle() {
                return;
            }
        }
        // Out of turns, not out of work.
        self.waker.wake_owner();
    }

    /// Takes something from the inbox. Call `poll` afterwards.
    pub fn receive(&mut self, now: UnixMillis, input: Input) {
        self.core.tick(now);
        match input {
            Input::Message(message) => self.receive_message(message),
            Input::Cancel { reason } => self.cancel(reason),
            Input::ChildEnded { location, child, outcome } => {
                let is_open = self.core.peek().open_children.get(&location) == Some(&child);
                if is_open {
                    self.core.inner().open_children.remove(&location);
                    self.core.emit(EventKind::ChildEnded { location, outcome }, Urgency::Durable);
                }
            }
            Input::Answer { location, answer } => {
                let is_open = {
                    let mut inner = self.core.inner();
                    let entry = inner.state.entry(&location);
                    let is_ended = entry.is_some_and(|entry| entry.status.is_ended());
                    // Whoever waits for it need not have recorded yet that the question was sent.
                    inner.open_asks.remove(&location) && !is_ended
                };
                if is_open {
                    self.core
                        .emit(EventKind::AnswerReceived { location, answer }, Urgency::Durable);
                }
            }
        }
    }

    /// What is to be committed; at most one batch is out at a time.
    pub fn take_batch(&mut self) -> Option<Batch> {
        if self.batch_end.is_some() || self.commit_need() == CommitNeed::None {
            return None;
        }
        let mut inner = self.core.inner();
        let inner = &mut *inner;
        inner.outbox_urgency = None;
        let events = std::mem::take(&mut inner.outbox);
        self.batch_end = Some(inner.next_seq);
        Some(Batch {
            first_seq: events.first().map_or(inner.next_seq, |event| event.seq),
            events,
            children: std::mem::take(&mut inner.children),
            cancel_children: std::mem::take(&mut inner.cancel_children),
            answers: std::mem::take(&mut inner.answers),
            logs: std::mem::take(&mut inner.logs),
        })
    }

    /// The batch that was taken is durable: its events become visible. Call `poll` afterwards.
    pub fn batch_committed(&mut self) {
        if let Some(end) = self.batch_end.take() {
            self.core.inner().durable_to = end;
        }
    }

    pub fn commit_need(&self) -> CommitNeed {
        let inner = self.core.peek();
        match inner.outbox_urgency {
            Some(Urgency::Durable | Urgency::Prompt) => CommitNeed::Now,
            Some(Urgency::Lazy) if inner.outbox.len() >= LAZY_EVENTS_MAX => CommitNeed::Now,
            Some(Urgency::Lazy) => CommitNeed::Lazy,
            None if !inner.cancel_children.is_empty() || !inner.answers.is_empty() => {
                CommitNeed::Now
            }
            None if !inner.logs.is_empty() => CommitNeed::Lazy,
            None => CommitNeed::None,
        }
    }

    /// Whether something moves once what was decided is durable.
    pub fn awaits_commit(&self) -> bool {
        !self.core.all_delivered()
    }

    /// When `poll` wants to be called next, at the latest.
    pub fn next_deadline(&self) -> Option<UnixMillis> {
        self.next_timer().into_iter().chain(self.open_deadline()).min()
    }

    /// The same without the deadline of the run itself: only what the code waits for.
    pub fn next_timer(&self) -> Option<UnixMillis> {
        self.core.next_deadline()
    }

    /// How many step bodies are running. A run with none, nothing to commit and no outcome only waits.
    pub fn n_bodies(&self) -> usize {
        self.core.peek().n_bodies
    }

    /// How many events the journal would have if it were compacted now.
    pub fn n_events(&self) -> u64 {
        self.core.peek().n_events
    }

    /// Whether the outcome is decided, durable or not: nothing that is received now can change it.
    pub fn has_decided(&self) -> bool {
        matches!(self.phase, Phase::Ended)
    }

    /// Whether the outcome is durable.
    pub fn is_ended(&self) -> bool {
        self.core.peek().state.is_ended()
    }

    pub fn state(&self) -> Ref<'_, RunState> {
        Ref::map(self.core.peek(), |inner| &inner.state)
    }

    fn replay(&mut self, journal: &[Event]) {
        for event in effective(journal) {
            self.core.deliver_recorded(event);
            match &event.kind {
                EventKind::CancelRequested { reason } => {
                    self.stop(Ending::Cancelled(reason.clone()));
                }
                EventKind::DeadlinePassed { .. } => self.stop(Ending::Failed(self.missed())),
                // The function had ended, whatever it would do today.
                EventKind::UndoStarted { failure } if matches!(self.phase, Phase::Function(_)) => {
                    self.end_phase(Ending::Failed(failure.clone()));
                }
                _ => self.poll_code(true),
            }
        }
        self.core.inner().was_stopped = false;
    }

    /// Polls the function or the rollback if something woke it. The function may move only when
    /// `delivering`: a body's I/O makes bodies move, not the function.
    fn poll_code(&mut self, delivering: bool) {
        // A poll may wake the code again by itself; a few rounds settle that, the rest can wait.
        for _ in 0..64 {
            // One may come from outside of the function, by an operation polled where it should not be.
            let fault = self.core.inner().fault.take();
            if let Some(fault) = fault {
                return self.end_phase(Ending::Failed(fault));
            }
            if !self.waker.take() {
                return;
            }
            self.core.inner().delivering = delivering;
            let ended = self.poll_once();
            self.core.inner().delivering = false;
            let fault = self.core.inner().fault.take();
            if let Some(fault) = fault {
                self.end_phase(Ending::Failed(fault));
                return;
            }
            if let Some(ending) = ended {
                self.end_phase(ending);
                return;
            }
        }
        self.waker.wake_owner();
    }

    fn poll_once(&mut self) -> Option<Ending> {
        let waker = Waker::from(self.waker.clone());
        let mut cx = Context::from_waker(&waker);
        match &mut self.phase {
            Phase::Function(function) => {
                match catch_unwind(AssertUnwindSafe(|| function.as_mut().poll(&mut cx))) {
                    Ok(Poll::Pending) => None,
                    Ok(Poll::Ready(result)) => Some(self.ending_of(result)),
                    Err(panic) => Some(Ending::Failed(Failure::new(
                        FailureKind::Panic,
                        format!("the workflow panicked: {}", panic_text(&*panic)),
                    ))),
                }
            }
            Phase::RollingBack(rollback, ending) => match rollback.as_mut().poll(&mut cx) {
                Poll::Pending => None,
                Poll::Ready(()) => Some(ending.clone()),
            },
            Phase::Settling(_) | Phase::Ended => None,
        }
    }

    fn ending_of(&self, result: Result<Json, Error>) -> Ending {
        match result {
            Ok(output) => match self.core.check_size("the run's output", &output) {
                Ok(()) => Ending::Completed(output),
                Err(error) => Ending::Failed(error.into_failure()),
            },
            Err(error) => Ending::Failed(self.core.cut_failure(error.into_failure())),
        }
    }

    /// Drops whatever code runs, and goes on to deliver what it left behind.
    fn end_phase(&mut self, ending: Ending) {
        let before = std::mem::replace(&mut self.phase, Phase::Settling(ending));
        // Destructors of workflow code are its author's: a panic there must not reach the engine.
        let core = self.core.clone();
        let _ = catch_unwind(AssertUnwindSafe(|| core.release(|| drop(before))));
        self.core.inner().fault = None;
    }

    fn receive_message(&mut self, message: Message) {
        if matches!(self.phase, Phase::Ended) {
            return;
        }
        let mut inner = self.core.inner();
        if inner.state.knows_message(message.id, message.key.as_deref()) {
            // Whoever asks again, after a crash, missed the answer.
            if let Some(ReplyTo::Run { run: to, location }) = message.reply
                && let Some(answer) = inner.state.answer(message.id).cloned()
            {
                inner.answers.push(AnswerOut { to, location, message: message.id, answer });
            }
            return;
        }
        let is_first = message.key.clone().is_none_or(|key| inner.arriving_keys.insert(key));
        if !is_first || !inner.arriving.insert(message.id) {
            return;
        }
        drop(inner);
        self.core.emit(EventKind::MessageReceived(Box::new(message)), Urgency::Prompt);
    }

    /// From here on the run can only end cancelled.
    fn cancel(&mut self, reason: String) {
        let is_known = std::mem::replace(&mut self.core.inner().cancelling, true);
        if is_known || matches!(self.phase, Phase::Ended) {
            return;
        }
        self.core.cancel_children_below(&Location::root());
        self.core.emit(EventKind::CancelRequested { reason: reason.clone() }, Urgency::Durable);
        self.stop(Ending::Cancelled(reason));
    }

    /// Stops the code at once. A rollback goes on if the workflow wants to be undone when it is stopped.
    fn stop(&mut self, because: Ending) {
        match &mut self.phase {
            Phase::RollingBack(_, ending) if self.undo_on_cancel => *ending = because,
            Phase::Function(_) | Phase::RollingBack(..) | Phase::Settling(_) => {
                self.core.inner().stopping = true;
                self.end_phase(because);
            }
            Phase::Ended => {}
        }
    }
}

impl Drop for Execution {
    fn drop(&mut self) {
        let phase = std::mem::replace(&mut self.phase, Phase::Ended);
        let core = self.core.clone();
        let _ = catch_unwind(AssertUnwindSafe(|| core.release(|| drop(phase))));
        // A handler may hold a `Ctx`, and with it this core: they would keep each other alive.
        let undo = std::mem::take(&mut self.core.inner().undo);
        let _ = catch_unwind(AssertUnwindSafe(|| drop(undo)));
    }
}
