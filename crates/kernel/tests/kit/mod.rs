//! Drives runs without an engine: virtual time, instant commits, and every cut of the journal.

#![allow(dead_code, reason = "each test file uses its own part of the kit")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

use stepwell_journal::{
    Event, EventKind, Failure, Json, Location, Message, MessageId, RunId, RunOutcome, RunStarted,
    RunState, Seq, UnixMillis, render_journal,
};
use stepwell_kernel::{
    Execution, Host, Input, Limits, LocalBoxFuture, Mock, SendError, Setup, Workflow,
};
use uuid::Uuid;

/// Something that reaches the run from outside, at a time.
#[derive(Clone, Debug)]
pub enum In {
    Message(&'static str, serde_json::Value),
    Keyed(&'static str, &'static str, serde_json::Value),
    Question(&'static str, serde_json::Value),
    Cancel(&'static str),
    ChildOk(&'static str, serde_json::Value),
    ChildFailed(&'static str, &'static str),
    Answer(&'static str, serde_json::Value),
}

pub struct Scenario {
    pub workflow: Workflow,
    pub input: serde_json::Value,
    /// In order of time, in milliseconds since the start.
    pub inputs: Vec<(u64, In)>,
    pub limits: Limits,
}

/// What came of a scenario.
pub struct Played {
    pub journal: Vec<Event>,
    pub state: RunState,
    /// The bodies that ran, by what they said with [`ran`].
    pub ran: Vec<String>,
    pub sent: Vec<(RunId, Message)>,
    pub ended_at_ms: u64,
}

const START: u64 = 1_000_000;
pub const RUN: RunId = RunId(Uuid::from_u128(7));

#[derive(Default)]
struct World {
    now: u64,
    ran: Vec<String>,
    sleepers: BTreeMap<(u64, u64), Waker>,
    next_sleeper: u64,
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
    Scenario { workflow, input, inputs: Vec::new(), limits: Limits::default() }
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

    /// Plays the scenario once, without a crash.
    pub fn play(&self) -> Played {
        self.play_from(self.first(), false)
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
            for careful in [false, true] {
                let again = self.play_from(prefix.clone(), careful);
                let cut = render_journal(&prefix);
                let told = render_journal(&again.journal);
                assert_eq!(
                    shape(&again.state),
                    shape(&whole.state),
                    "cut after {n} events (careful: {careful})\n{cut}--- led to\n{told}"
                );
                let mut recorded = BTreeMap::new();
                for event in &again.journal {
                    if let EventKind::StepSucceeded { location, .. } = &event.kind {
                        let n = recorded.entry(location.clone()).or_insert(0);
                        *n += 1;
                        assert_eq!(*n, 1, "`{location}` succeeded twice:\n{told}");
                    }
                }
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
        };
        vec![Event {
            seq: Seq(0),
            at: UnixMillis(START),
            kind: EventKind::RunStarted(Box::new(started)),
        }]
    }

    pub fn play_from(&self, mut journal: Vec<Event>, careful: bool) -> Played {
        let start_at = journal.last().unwrap().at.0;
        WORLD.set(World { now: start_at, ..World::default() });
        let host = Rc::new(TestHost::default());
        let mut inputs = self.left(&journal);
        let mut execution = Execution::load(Setup {
            run: RUN,
            journal: &journal,
            workflow: &self.workflow,
            host: host.clone(),
            limits: self.limits.clone(),
            careful,
            now: UnixMillis(start_at),
        })
        .unwrap();
        for _ in 0..200_000 {
            let now = WORLD.with_borrow(|world| world.now);
            execution.poll(UnixMillis(now), Waker::noop());
            if let Some(batch) = execution.take_batch() {
                if let Some(first) = batch.events.first() {
                    assert_eq!(first.seq, journal.last().unwrap().seq.next());
                    assert_eq!(first.seq, batch.first_seq);
                }
                journal.extend(batch.events);
                execution.batch_committed();
                continue;
            }
            if execution.is_ended() {
                break;
            }
            let input_at = inputs.first().map(|(ms, _)| START + ms);
            if input_at.is_some_and(|at| at <= now) {
                let (_, input) = inputs.remove(0);
                execution.receive(UnixMillis(now), made(&input, now));
                continue;
            }
            let sleeper =
                WORLD.with_borrow(|world| world.sleepers.keys().next().map(|(at, _)| *at));
            let deadline = execution.next_deadline().map(|at| at.0);
            let Some(next) = [input_at, sleeper, deadline].into_iter().flatten().min() else {
                break;
            };
            advance(next.max(now));
        }
        let state = RunState::fold(RUN, &journal).unwrap();
        let live = execution.state().clone();
        assert_eq!(live.entries, state.entries, "the fold and the live state have drifted apart");
        let ran = WORLD.with_borrow(|world| world.ran.clone());
        let ended_at_ms = journal.last().unwrap().at.0 - START;
        let sent = host.sent.borrow().clone();
        Played { journal, state, ran, sent, ended_at_ms }
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

/// What must not depend on where a crash cut the run: the outcome and what each entry came to.
fn shape(state: &RunState) -> String {
    let outcome = match &state.outcome {
        Some(RunOutcome::Failed(failure)) => {
            let kind =
                if failure.kind.as_str() == "timed out" { "" } else { failure.kind.as_str() };
            format!("failed {kind} {:?}", failure.source)
        }
        other => format!("{other:?}"),
    };
    format!("{outcome}\nwaits {:?}", state.waits().len())
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
        In::Cancel(reason) => Input::Cancel { reason: (*reason).to_owned() },
        In::ChildOk(at, output) => child_ended(at, Ok(Json::from(output.clone()))),
        In::ChildFailed(at, text) => {
            child_ended(at, Err(Failure::new(stepwell_journal::FailureKind::Critical, *text)))
        }
        In::Answer(at, body) => Input::Answer {
            location: Location::from_text(at),
            answer: Ok(Json::from(body.clone())),
        },
    }
}

fn child_ended(at: &str, outcome: Result<Json, Failure>) -> Input {
    let location = Location::from_text(at);
    Input::ChildEnded { child: RunId::child_of(RUN, at), location, outcome }
}

fn advance(to: u64) {
    let due = WORLD.with_borrow_mut(|world| {
        world.now = to;
        let later = world.sleepers.split_off(&(to + 1, 0));
        std::mem::replace(&mut world.sleepers, later)
    });
    for waker in due.into_values() {
        waker.wake();
    }
}

#[derive(Default)]
struct TestHost {
    sent: RefCell<Vec<(RunId, Message)>>,
}

impl Host for TestHost {
    fn send(&self, to: RunId, message: Message) -> LocalBoxFuture<'static, Result<(), SendError>> {
        let answer = if to == RunId(Uuid::nil()) {
            Err(SendError::UnknownRun(to))
        } else {
            self.sent.borrow_mut().push((to, message));
            Ok(())
        };
        Box::pin(async move { answer })
    }

    fn workflow_version(&self, name: &str) -> Option<String> {
        (name != "missing").then(|| "1".to_owned())
    }

    fn mock(&self, _location: &Location) -> Option<Mock> {
        None
    }
}
