//! Drives runs without an engine: virtual time, instant commits, and every cut of the journal.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Wake, Waker};

use expect_test::Expect;
use serde::Serialize;
use serde::de::DeserializeOwned;
use stepwell_journal::{
    Event, EventKind, Failure, FailureKind, Json, Location, Message, MessageId, RunId, RunOutcome,
    RunStarted, RunState, Seq, UnixMillis, Wait, compact, effective, render_journal,
};
use stepwell_kernel::{
    AnswerOut, ChildError, ChildStart, CommitNeed, Ctx, Error, Execution, Host, Input, InputError,
    InputProblem, Limits, LocalBoxFuture, Log, Result, SendError, Setup, Workflow, WorkflowVersion,
    workflow,
};
use uuid::Uuid;

/// Something that reaches the run from outside, at a time.
#[derive(Clone, Debug)]
pub enum In {
    Message(&'static str, serde_json::Value),
    Keyed(&'static str, &'static str, serde_json::Value),
    Question(&'static str, serde_json::Value),
    /// A question of another run.
    AskedByRun(&'static str, serde_json::Value),
    Cancel(&'static str),
    ChildOk(&'static str, serde_json::Value),
    ChildFailed(&'static str, Failure),
    Answer(&'static str, serde_json::Value),
}

pub struct Scenario {
    pub workflow: Workflow,
    pub input: serde_json::Value,
    /// In order of time, in milliseconds since the start.
    pub inputs: Vec<(u64, In)>,
    pub limits: Limits,
    /// Whether a crash may change the outcome, because attempts that it cut off count and cost time.
    pub crash_matters: bool,
    /// When the children end well by themselves, in milliseconds after their start.
    pub children_take: Option<u64>,
    /// When the run must have ended, in milliseconds after the start.
    pub deadline: Option<u64>,
}

/// What came of a scenario.
pub struct Played {
    pub journal: Vec<Event>,
    pub state: RunState,
    /// The bodies that ran, by what they said with [`ran`].
    pub ran: Vec<String>,
    pub sent: Vec<(RunId, Message)>,
    pub children: Vec<ChildStart>,
    pub cancelled_children: Vec<RunId>,
    pub answers: Vec<AnswerOut>,
    pub logs: Vec<Log>,
    pub ended_at_ms: u64,
    /// Whether a body killed the process.
    pub was_killed: bool,
    now: u64,
}

/// How a journal is brought to life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    Plain,
    /// As after a crash.
    Careful,
    /// From what a compaction leaves of it.
    Compacted,
}

pub const START: u64 = 1_000_000;
pub const RUN: RunId = RunId(Uuid::from_u128(7));
/// Runs that are sent messages: one that takes them, one that never was, one that has ended, one whose
/// store fails twice, and one whose store takes a second.
pub const OTHER: RunId = RunId(Uuid::from_u128(8));
pub const NOBODY: RunId = RunId(Uuid::nil());
pub const ENDED: RunId = RunId(Uuid::from_u128(9));
pub const FLAKY: RunId = RunId(Uuid::from_u128(10));
pub const SLOW: RunId = RunId(Uuid::from_u128(11));

#[derive(Default)]
struct World {
    now: u64,
    ran: Vec<String>,
    sleepers: BTreeMap<(u64, u64), Waker>,
    next_sleeper: u64,
    is_killed: bool,
}

thread_local! {
    static WORLD: RefCell<World> = RefCell::default();
}

/// A body says that it ran.
pub fn ran(what: impl Into<String>) {
    WORLD.with_borrow_mut(|world| world.ran.push(what.into()));
}

/// How often a body said so.
pub fn times_ran(what: &str) -> usize {
    WORLD.with_borrow(|world| world.ran.iter().filter(|ran| *ran == what).count())
}

/// A body kills the process: nothing that is not durable stays.
pub async fn kill() {
    WORLD.with_borrow_mut(|world| world.is_killed = true);
    std::future::pending::<()>().await;
}

/// A step that says that it ran, with its location, and gives a value.
pub async fn ok<T>(ctx: &Ctx, name: &str, value: T) -> Result<T>
where
    T: Serialize + DeserializeOwned + Clone,
{
    ctx.step_with(name, async |cx| {
        ran(cx.location().as_str());
        Ok::<_, Error>(value.clone())
    })
    .await
}

/// A step that gives its name, and can be undone.
pub async fn undoable(ctx: &Ctx, name: &str) -> Result<String> {
    ctx.step_with(name, async |cx| {
        ran(cx.location().as_str());
        Ok::<_, Error>(name.to_owned())
    })
    .undo(async |name: String| {
        ran(format!("undo {name}"));
        Ok::<_, Error>(())
    })
    .await
}

/// A step that fails critically.
pub async fn bad(ctx: &Ctx, name: &str) -> Result<()> {
    ctx.step_with(name, async |cx| {
        ran(cx.location().as_str());
        Err::<(), _>(Error::critical(Error::msg("no")))
    })
    .await
}

/// Work that takes a while, in virtual time.
pub async fn work(ms: u64) {
    let until = WORLD.with_borrow(|world| world.now) + ms;
    poll_fn(move |cx| {
        WORLD.with_borrow_mut(|world| {
            if world.now >= until {
                return Poll::Ready(());
            }
            world.next_sleeper += 1;
            let id = world.next_sleeper;
            world.sleepers.insert((until, id), cx.waker().clone());
            Poll::Pending
        })
    })
    .await;
}

pub fn scenario(workflow: Workflow, input: serde_json::Value) -> Scenario {
    let limits = Limits::default();
    Scenario {
        workflow,
        input,
        inputs: Vec::new(),
        limits,
        crash_matters: false,
        children_take: None,
        deadline: None,
    }
}

/// A scenario of a workflow without an input.
pub fn flow<F, Fut, O>(code: F) -> Scenario
where
    F: Fn(Ctx) -> Fut + std::marker::Send + Sync + 'static,
    Fut: Future<Output = Result<O>> + 'static,
    O: Serialize + 'static,
{
    scenario(code_of(code), serde_json::Value::Null)
}

/// The workflow of such a scenario, for a change of code.
pub fn code_of<F, Fut, O>(code: F) -> Workflow
where
    F: Fn(Ctx) -> Fut + std::marker::Send + Sync + 'static,
    Fut: Future<Output = Result<O>> + 'static,
    O: Serialize + 'static,
{
    workflow("w", move |ctx: Ctx, (): ()| code(ctx))
}

impl Scenario {
    pub fn at(mut self, ms: u64, input: In) -> Scenario {
        self.inputs.push((ms, input));
        self
    }

    pub fn limits(mut self, limits: Limits) -> Scenario {
        self.limits = limits;
        self
    }

    /// For races between attempts and the clock: an attempt that a crash cut off counts, and is tried
    /// again later, so such a race may end otherwise. The laws hold all the same.
    pub fn crash_matters(mut self) -> Scenario {
        self.crash_matters = true;
        self
    }

    pub fn deadline(mut self, ms: u64) -> Scenario {
        self.deadline = Some(ms);
        self
    }

    pub fn undo_on_cancel(mut self) -> Scenario {
        self.workflow = self.workflow.undo_on_cancel();
        self
    }

    /// Plays the scenario with every cut, and compares its journal with what is expected.
    #[track_caller]
    pub fn check(&self, journal: Expect) -> Played {
        let played = self.play_with_every_cut();
        journal.assert_eq(&played.text());
        played
    }

    /// Plays the scenario once, without a crash.
    pub fn play(&self) -> Played {
        self.play_from(self.first(), Load::Plain)
    }

    /// Plays until the process is killed, and again, until it is not.
    pub fn play_with_restarts(&self) -> (Played, usize) {
        let mut played = self.play();
        for n_restarts in 0..50 {
            if !played.was_killed {
                return (played, n_restarts);
            }
            let left = self.left(&played.journal);
            played = self.play_at(played.journal, Load::Careful, played.now, left);
        }
        panic!("the process is killed for ever:\n{}", played.text());
    }

    /// The run after a change of its code: the first `n_events` by this code, the rest by `code`.
    pub fn play_on_with(&self, n_events: usize, code: Workflow) -> Played {
        let journal = self.play().journal;
        let prefix = journal[..n_events].to_vec();
        let inputs = self.inputs.clone();
        let after = Scenario {
            workflow: code,
            input: self.input.clone(),
            inputs,
            limits: self.limits.clone(),
            crash_matters: self.crash_matters,
            children_take: self.children_take,
            deadline: self.deadline,
        };
        after.play_from(prefix, Load::Plain)
    }

    /// Plays it, then again from every prefix of its journal: the outcome must be the same, and no
    /// step that the prefix records may run again.
    pub fn play_with_every_cut(&self) -> Played {
        let whole = self.play();
        for n in 1..whole.journal.len() {
            let prefix = whole.journal[..n].to_vec();
            if prefix.last().unwrap().kind.is_outcome() {
                continue;
            }
            let cut = render_journal(&prefix);
            for load in [Load::Plain, Load::Careful, Load::Compacted] {
                let journal = match load {
                    Load::Plain | Load::Careful => prefix.clone(),
                    Load::Compacted => compact(RUN, &prefix).unwrap(),
                };
                if load == Load::Compacted && journal.len() == prefix.len() {
                    continue;
                }
                let again = self.play_left(journal, load, self.left(&prefix));
                let told = render_journal(&again.journal);
                if !self.crash_matters {
                    assert_eq!(
                        shape(&again.state),
                        shape(&whole.state),
                        "cut after {n} events ({load:?})\n{cut}--- led to\n{told}"
                    );
                }
                // Time moves on in a crash, and a message may go to somebody else: whoever wanted it waits.
                let waits_for_message =
                    again.state.waits().iter().any(|wait| matches!(wait, Wait::Messages { .. }));
                assert!(
                    again.state.is_ended() || !whole.state.is_ended() || waits_for_message,
                    "{cut}--- led to\n{told}"
                );
                assert_no_recorded_step_ran(&prefix, &again, &cut);
            }
        }
        whole
    }

    fn first(&self) -> Vec<Event> {
        let started = RunStarted {
            workflow: self.workflow.name().to_owned(),
            version: self.workflow.version().to_owned(),
            namespace: "default".to_owned(),
            input: Json::from(self.input.clone()),
            labels: BTreeMap::new(),
            parent: None,
            seed: 42,
            replay_of: None,
            pinned: false,
            deadline_at: self.deadline.map(|ms| UnixMillis(START + ms)),
            trace: None,
        };
        vec![Event {
            seq: Seq(0),
            at: UnixMillis(START),
            kind: EventKind::RunStarted(Box::new(started)),
        }]
    }

    pub fn play_from(&self, journal: Vec<Event>, load: Load) -> Played {
        let left = self.left(&journal);
        self.play_left(journal, load, left)
    }

    fn play_left(&self, journal: Vec<Event>, load: Load, left: Vec<(u64, In)>) -> Played {
        let now = journal.last().unwrap().at.0;
        self.play_at(journal, load, now, left)
    }

    /// Brings the run to life, to be driven by hand.
    pub fn load(&self) -> Execution {
        Execution::load(Setup {
            run: RUN,
            journal: &self.first(),
            workflow: &self.workflow,
            host: Rc::new(TestHost::default()),
            limits: self.limits.clone(),
            careful: false,
            now: UnixMillis(START),
        })
        .unwrap()
    }

    /// The same, on a clock that shows so many milliseconds since the start.
    pub fn play_late(&self, journal: Vec<Event>, ms: u64) -> Played {
        let left = self.left(&journal);
        self.play_at(journal, Load::Plain, START + ms, left)
    }

    fn play_at(
        &self,
        mut journal: Vec<Event>,
        load: Load,
        start_at: u64,
        mut inputs: Vec<(u64, In)>,
    ) -> Played {
        WORLD.set(World { now: start_at, ..World::default() });
        let host = Rc::new(TestHost::default());
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        let mut execution = Execution::load(Setup {
            run: RUN,
            journal: &journal,
            workflow: &self.workflow,
            host: host.clone(),
            limits: self.limits.clone(),
            careful: load == Load::Careful,
            now: UnixMillis(start_at),
        })
        .unwrap();
        let (mut children, mut cancelled_children) = (Vec::new(), Vec::new());
        let (mut answers, mut logs) = (Vec::new(), Vec::new());
        let mut was_killed = false;
        let mut ends = self.ends_of_open_children(&execution.state());
        for _ in 0..1_000_000 {
            let now = WORLD.with_borrow(|world| world.now);
            if inputs.first().is_some_and(|(ms, _)| START + ms <= now) {
                let (_, input) = inputs.remove(0);
                execution.receive(UnixMillis(now), made(&input, now));
                continue;
            }
            if ends.first().is_some_and(|(at, _)| *at <= now) {
                let (_, end) = ends.remove(0);
                execution.receive(UnixMillis(now), end);
                continue;
            }
            woken.0.store(false, Ordering::Release);
            execution.poll(UnixMillis(now), &waker);
            was_killed = WORLD.with_borrow(|world| world.is_killed);
            if was_killed {
                break;
            }
            if let Some(batch) = execution.take_batch() {
                if let Some(first) = batch.events.first() {
                    assert_eq!(first.seq, journal.last().unwrap().seq.next());
                    assert_eq!(first.seq, batch.first_seq);
                }
                journal.extend(batch.events);
                if let Some(ms) = self.children_take {
                    let end = |child: &ChildStart| (now + ms, child_end(child.location.clone()));
                    ends.extend(batch.children.iter().map(end));
                }
                children.extend(batch.children);
                cancelled_children.extend(batch.cancel_children);
                answers.extend(batch.answers);
                logs.extend(batch.logs);
                execution.batch_committed();
                continue;
            }
            if execution.is_ended() {
                break;
            }
            if woken.0.load(Ordering::Acquire) {
                continue;
            }
            let input_at = inputs.first().map(|(ms, _)| START + ms);
            let sleeper =
                WORLD.with_borrow(|world| world.sleepers.keys().next().map(|(at, _)| *at));
            let deadline = execution.next_deadline().map(|at| at.0);
            let child_at = ends.first().map(|(at, _)| *at);
            let Some(next) = [input_at, child_at, sleeper, deadline].into_iter().flatten().min()
            else {
                break;
            };
            advance(next.max(now));
        }
        let state = RunState::fold(RUN, &journal).unwrap();
        if !was_killed {
            assert_eq!(*execution.state(), state, "the fold and the live state have drifted apart");
            assert_eq!(execution.commit_need(), CommitNeed::None);
            // Law 4. (A body that waits for ever is the exception: it is running.)
            let waits = !state.waits().is_empty() || execution.n_bodies() > 0;
            assert!(state.is_ended() || waits, "waits for nothing:\n{}", render_journal(&journal));
        }
        drop(execution);
        check_laws(&journal);
        let ended_at_ms = journal.last().unwrap().at.0 - START;
        let sent = host.sent.borrow().clone();
        let (ran, now) = WORLD.with_borrow(|world| (world.ran.clone(), world.now));
        Played {
            journal,
            state,
            ran,
            sent,
            children,
            cancelled_children,
            answers,
            logs,
            ended_at_ms,
            was_killed,
            now,
        }
    }

    fn ends_of_open_children(&self, state: &RunState) -> Vec<(u64, Input)> {
        let Some(ms) = self.children_take else { return Vec::new() };
        let mut open: Vec<_> = state.open_entries().filter(|(_, e)| e.child.is_some()).collect();
        open.sort_by_key(|(_, entry)| entry.first_seq);
        let end = |(at, entry): (&Location, &stepwell_journal::Entry)| {
            (entry.started_at.0 + ms, child_end(at.clone()))
        };
        open.into_iter().map(end).collect()
    }

    /// The inputs that the journal has not seen yet.
    fn left(&self, journal: &[Event]) -> Vec<(u64, In)> {
        let mut left = self.inputs.clone();
        for event in journal {
            let seen = |input: &In| match (&event.kind, input) {
                (
                    EventKind::MessageReceived(message),
                    In::Message(name, _) | In::Question(name, _),
                ) => message.name == *name && message.key.is_none(),
                (EventKind::MessageReceived(message), In::Keyed(key, ..)) => {
                    message.key.as_deref() == Some(*key)
                }
                (EventKind::MessageReceived(message), In::AskedByRun(name, _)) => {
                    message.name == *name && message.key.is_some()
                }
                (EventKind::CancelRequested { .. }, In::Cancel(_)) => true,
                (
                    EventKind::ChildEnded { location, .. },
                    In::ChildOk(at, _) | In::ChildFailed(at, _),
                ) => location.as_str() == *at,
                (EventKind::AnswerReceived { location, .. }, In::Answer(at, _)) => {
                    location.as_str() == *at
                }
                _ => false,
            };
            if let Some(place) = left.iter().position(|(_, input)| seen(input)) {
                left.remove(place);
            }
        }
        left
    }
}

impl Played {
    pub fn text(&self) -> String {
        render_journal(&self.journal)
    }

    /// The output, or how it failed.
    pub fn outcome(&self) -> String {
        match &self.state.outcome {
            Some(RunOutcome::Completed(output)) => format!("completed {output}"),
            Some(RunOutcome::Failed(failure)) => format!("failed {failure}"),
            Some(RunOutcome::Cancelled(reason)) => format!("cancelled {reason}"),
            None => format!("{} {:?}", self.state.status(), self.state.waits()),
        }
    }
}

/// What must not depend on where a crash cut the run. (The number of attempts does: see law 6.)
fn shape(state: &RunState) -> String {
    let outcome = match &state.outcome {
        Some(RunOutcome::Failed(failure)) => {
            let branches: Vec<&str> =
                failure.branches.iter().map(|(name, _)| name.as_str()).collect();
            format!("failed {} {:?} {branches:?}", failure.kind, failure.source)
        }
        other => format!("{other:?}"),
    };
    format!("{outcome}\nwaits {:?}\nlabels {:?}", state.waits().len(), state.labels)
}

/// What holds of every journal.
pub fn check_laws(journal: &[Event]) {
    let told = || render_journal(journal);
    let mut succeeded = BTreeSet::new();
    let mut taken = BTreeSet::new();
    let mut keys = BTreeSet::new();
    let mut attempts: BTreeMap<Location, u32> = BTreeMap::new();
    let (mut is_cancelled, mut is_undoing, mut is_overdue) = (false, false, false);
    let counted: Vec<&Event> = effective(journal).collect();
    for (n, event) in counted.iter().enumerate() {
        match &event.kind {
            EventKind::StepSucceeded { location, .. } => {
                assert!(succeeded.insert(location.clone()), "`{location}` twice:\n{}", told());
            }
            EventKind::AttemptStarted { location, attempt } => {
                let is_undo = location.as_str().ends_with("/~undo");
                assert!(!is_cancelled || is_undo, "`{location}` began after:\n{}", told());
                assert!(!is_overdue || is_undo, "`{location}` began after:\n{}", told());
                assert!(!is_undoing || is_undo, "`{location}` began after:\n{}", told());
                let before = attempts.insert(location.clone(), attempt.0).unwrap_or(0);
                assert!(before < attempt.0, "attempts of `{location}`:\n{}", told());
            }
            EventKind::MessageTaken { ids, .. } => {
                for id in ids {
                    assert!(taken.insert(*id), "{id} is taken twice:\n{}", told());
                }
            }
            EventKind::MessageReceived(message) => {
                if let Some(key) = &message.key {
                    assert!(keys.insert(key.clone()), "{key} twice:\n{}", told());
                }
            }
            EventKind::CancelRequested { .. } => {
                assert!(!is_cancelled, "cancelled twice:\n{}", told());
                is_cancelled = true;
            }
            EventKind::DeadlinePassed { deadline_at } => {
                assert!(!is_overdue, "the deadline is missed twice:\n{}", told());
                assert!(!is_cancelled, "a cancel wins over the deadline:\n{}", told());
                assert!(event.at >= *deadline_at, "too early:\n{}", told());
                is_overdue = true;
            }
            EventKind::UndoStarted { .. } => is_undoing = true,
            EventKind::RunCompleted { .. } => {
                assert!(!is_cancelled && !is_overdue, "it was stopped before:\n{}", told());
            }
            EventKind::RunFailed { failure } => {
                assert!(!is_cancelled, "cancel must win:\n{}", told());
                let is_missed = failure.kind == FailureKind::DeadlinePassed;
                assert_eq!(is_missed, is_overdue, "why did it fail?\n{}", told());
            }
            _ => {}
        }
        if n > 0 {
            assert!(event.at >= counted[n - 1].at, "time goes back:\n{}", told());
        }
    }
}

fn assert_no_recorded_step_ran(prefix: &[Event], again: &Played, cut: &str) {
    let recorded: BTreeSet<String> = prefix
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::StepSucceeded { location, .. } => Some(location.as_str().to_owned()),
            _ => None,
        })
        .collect();
    for ran in &again.ran {
        assert!(!recorded.contains(ran), "`{ran}` ran again although the journal had it:\n{cut}");
    }
}

fn made(input: &In, now: u64) -> Input {
    let message = |name: &str, key: Option<&str>, body: &serde_json::Value, asks: bool| {
        Input::Message(Message {
            id: MessageId(Uuid::new_v5(&RUN.0, format!("{name}{key:?}{body}").as_bytes())),
            name: name.to_owned(),
            body: Json::from(body.clone()),
            key: key.map(str::to_owned),
            reply: asks.then_some(stepwell_journal::ReplyTo::Caller),
            received_at: UnixMillis(now),
        })
    };
    match input {
        In::Message(name, body) => message(name, None, body, false),
        In::Keyed(key, name, body) => message(name, Some(key), body, false),
        In::Question(name, body) => message(name, None, body, true),
        In::AskedByRun(name, body) => match message(name, Some("asked"), body, true) {
            Input::Message(mut message) => {
                let location = Location::from_text("there");
                message.reply = Some(stepwell_journal::ReplyTo::Run { run: OTHER, location });
                Input::Message(message)
            }
            other => other,
        },
        In::Cancel(reason) => Input::Cancel { reason: (*reason).to_owned() },
        In::ChildOk(at, output) => child_ended(at, Ok(Json::from(output.clone()))),
        In::ChildFailed(at, failure) => child_ended(at, Err(failure.clone())),
        In::Answer(at, body) => Input::Answer {
            location: Location::from_text(at),
            answer: Ok(Json::from(body.clone())),
        },
    }
}

fn child_end(location: Location) -> Input {
    let child = RunId::child_of(RUN, location.as_str());
    Input::ChildEnded { child, location, outcome: Ok(Json::from(serde_json::json!(1))) }
}

fn child_ended(at: &str, outcome: Result<Json, Failure>) -> Input {
    let location = Location::from_text(at);
    Input::ChildEnded { child: RunId::child_of(RUN, at), location, outcome }
}

fn advance(to: u64) {
    let due = WORLD.with_borrow_mut(|world| {
        world.now = to;
        let later = world.sleepers.split_off(&(to.saturating_add(1), 0));
        std::mem::replace(&mut world.sleepers, later)
    });
    for waker in due.into_values() {
        waker.wake();
    }
}

#[derive(Default)]
struct TestHost {
    sent: RefCell<Vec<(RunId, Message)>>,
    tries: std::cell::Cell<u32>,
}

#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

/// A failure as a child's.
pub fn failure(kind: FailureKind, text: &str) -> Failure {
    Failure::new(kind, text)
}

impl Host for TestHost {
    fn send(&self, to: RunId, message: Message) -> LocalBoxFuture<'static, Result<(), SendError>> {
        let tries = self.tries.replace(self.tries.get() + 1);
        let answer = match to {
            NOBODY => Err(SendError::UnknownRun(to)),
            ENDED => Err(SendError::RunEnded(to)),
            FLAKY if tries < 2 => Err(SendError::Unavailable("the disk is busy".to_owned())),
            _ => {
                self.sent.borrow_mut().push((to, message));
                Ok(())
            }
        };
        Box::pin(async move {
            if to == SLOW {
                work(1_000).await;
            }
            answer
        })
    }

    fn child_version(&self, workflow: &str, input: &Json) -> Result<WorkflowVersion, ChildError> {
        match workflow {
            "missing" => Err(ChildError::Unknown { workflow: workflow.to_owned() }),
            "picky" => {
                let problem = InputProblem::new("/n", format!("{input} is not what it takes"));
                Err(ChildError::Input(InputError::new(workflow, vec![problem])))
            }
            _ => Ok(WorkflowVersion { version: "1".to_owned(), pinned: false }),
        }
    }
}
