//! Drives runs of graphs without an engine: virtual time, instant commits, and every cut of the journal.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Wake, Waker};

use parking_lot::Mutex;
use serde_json::{Value, json};
use stepwell_graph::{
    CodeCall, Graph, GraphHost, HostError, Schema, Tool, ToolCall, ToolName, ToolResult, workflow,
};
use stepwell_journal::{
    Event, EventKind, Failure, Json, Location, Message, MessageId, RunId, RunOutcome, RunStarted,
    RunState, Seq, UnixMillis, render_journal,
};
use stepwell_kernel::{
    ChildError, Execution, Host, Input, Limits, LocalBoxFuture, SendError, Setup, Workflow,
    WorkflowVersion,
};
use uuid::Uuid;

pub const START: u64 = 1_000_000;
pub const RUN: RunId = RunId(Uuid::from_u128(7));

// --- Virtual time ------------------------------------------------------------------------------------

#[derive(Default)]
struct World {
    now: u64,
    sleepers: BTreeMap<(u64, u64), Waker>,
    n_sleepers: u64,
    is_killed: bool,
}

thread_local! {
    static WORLD: RefCell<World> = RefCell::default();
}

/// Work that takes a while.
async fn work(ms: u64) {
    let until = WORLD.with_borrow(|world| world.now) + ms;
    poll_fn(move |cx| {
        WORLD.with_borrow_mut(|world| {
            if world.now >= until {
                return Poll::Ready(());
            }
            world.n_sleepers += 1;
            world.sleepers.insert((until, world.n_sleepers), cx.waker().clone());
            Poll::Pending
        })
    })
    .await;
}

fn advance(to: u64) {
    let due = WORLD.with_borrow_mut(|world| {
        world.now = to;
        let later = world.sleepers.split_off(&(to + 1, 0));
        std::mem::replace(&mut world.sleepers, later)
    });
    due.into_values().for_each(Waker::wake);
}

// --- Tools and code ----------------------------------------------------------------------------------

/// How a tool or code answers.
#[derive(Debug, Clone)]
pub enum Reply {
    Gives(Value),
    /// The words of MCP.
    Says(ToolResult),
    /// `isError`, or a throw.
    Fails(&'static str),
    Broken(HostError),
    After(u64, Box<Reply>),
    Hangs,
    /// The process dies.
    Kills,
}

pub fn after(ms: u64, reply: Reply) -> Reply {
    Reply::After(ms, Box::new(reply))
}

/// One call, as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Called {
    /// The step, and the item if there is one: `mail`, `mail/3`, `score (code)`.
    pub by: String,
    pub input: Value,
    pub attempt: u32,
    pub at_ms: u64,
}

type Answer = Box<dyn Fn(&Value, u32) -> Reply + Send + Sync>;

/// A host whose tools and code are functions of the test.
#[derive(Default)]
pub struct TestHost {
    tools: BTreeMap<String, (Tool, Answer)>,
    code: BTreeMap<String, Answer>,
    calls: Mutex<Vec<Called>>,
    running: Mutex<BTreeMap<String, usize>>,
    most: Mutex<BTreeMap<String, usize>>,
}

impl TestHost {
    /// A tool that says it can be called again.
    pub fn tool(
        self,
        name: &str,
        answer: impl Fn(&Value, u32) -> Reply + Send + Sync + 'static,
    ) -> TestHost {
        let tool = Tool { idempotent: true, ..Tool::default() };
        self.tool_with(name, tool, answer)
    }

    pub fn tool_with(
        mut self,
        name: &str,
        tool: Tool,
        answer: impl Fn(&Value, u32) -> Reply + Send + Sync + 'static,
    ) -> TestHost {
        self.tools.insert(name.to_owned(), (tool, Box::new(answer)));
        self
    }

    pub fn code(
        mut self,
        code: &str,
        answer: impl Fn(&Value, u32) -> Reply + Send + Sync + 'static,
    ) -> TestHost {
        self.code.insert(code.to_owned(), Box::new(answer));
        self
    }

    pub fn calls(&self) -> Vec<Called> {
        self.calls.lock().clone()
    }

    /// How many calls of a step were under way at a time, at most.
    pub fn most_at_once(&self, step: &str) -> usize {
        self.most.lock().get(step).copied().unwrap_or(0)
    }

    fn begin(&self, step: &str, called: Called) -> Busy<'_> {
        self.calls.lock().push(called);
        let n = {
            let mut running = self.running.lock();
            let n = running.entry(step.to_owned()).or_default();
            *n += 1;
            *n
        };
        let mut most = self.most.lock();
        let most = most.entry(step.to_owned()).or_default();
        *most = n.max(*most);
        Busy { host: self, step: step.to_owned() }
    }
}

/// Counts a call as under way until it is dropped.
struct Busy<'a> {
    host: &'a TestHost,
    step: String,
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        *self.host.running.lock().get_mut(&self.step).unwrap() -= 1;
    }
}

fn place(step: &str, item: Option<usize>) -> String {
    item.map_or_else(|| step.to_owned(), |item| format!("{step}/{item}"))
}

fn called(by: String, input: &Value, attempt: u32) -> Called {
    let at_ms = WORLD.with_borrow(|world| world.now) - START;
    Called { by, input: input.clone(), attempt, at_ms }
}

async fn act(mut reply: Reply) -> Result<ToolResult, HostError> {
    loop {
        return match reply {
            Reply::After(ms, then) => {
                work(ms).await;
                reply = *then;
                continue;
            }
            Reply::Gives(value) => {
                Ok(ToolResult { structured_content: Some(value), ..ToolResult::default() })
            }
            Reply::Says(result) => Ok(result),
            Reply::Fails(text) => {
                let content = vec![json!({ "type": "text", "text": text })];
                Ok(ToolResult { content, is_error: true, ..ToolResult::default() })
            }
            Reply::Broken(error) => Err(error),
            Reply::Hangs => std::future::pending().await,
            Reply::Kills => {
                WORLD.with_borrow_mut(|world| world.is_killed = true);
                std::future::pending().await
            }
        };
    }
}

impl GraphHost for TestHost {
    fn tool<'a>(&'a self, name: ToolName<'a>) -> LocalBoxFuture<'a, Result<Tool, HostError>> {
        Box::pin(async move {
            let known = self.tools.get(name.tool).map(|(tool, _)| tool.clone());
            known.ok_or_else(|| HostError::lasting(format!("there is no tool `{}`", name.tool)))
        })
    }

    fn call_tool<'a>(
        &'a self,
        call: ToolCall<'a>,
    ) -> LocalBoxFuture<'a, Result<ToolResult, HostError>> {
        Box::pin(async move {
            let attempt = &call.attempt;
            let by = place(attempt.step, attempt.item);
            assert!(attempt.idempotency_key.starts_with(&format!("{}/{by}", attempt.run)));
            let _busy = self.begin(attempt.step, called(by, call.input, attempt.attempt));
            let (_, answer) = &self.tools[call.name.tool];
            act(answer(call.input, attempt.attempt)).await
        })
    }

    fn run_code<'a>(&'a self, call: CodeCall<'a>) -> LocalBoxFuture<'a, Result<Value, HostError>> {
        Box::pin(async move {
            let by = format!("{} (code)", place(call.step, call.item));
            let attempt = {
                let calls = self.calls.lock();
                calls.iter().filter(|earlier| earlier.by == by).count() as u32 + 1
            };
            let _busy = self.begin(call.step, called(by, call.input, attempt));
            let answer =
                self.code.get(call.code).ok_or_else(|| HostError::lasting("no such code"))?;
            let result = act(answer(call.input, attempt)).await?;
            if result.is_error {
                return Err(HostError::retryable(result.text()));
            }
            Ok(result.into_value())
        })
    }
}

// --- Scenes ------------------------------------------------------------------------------------------

type MakeHost = Box<dyn Fn() -> TestHost>;

/// A graph, its surroundings, and what reaches the run from outside.
pub struct Scene {
    pub graph: Arc<Graph>,
    host: MakeHost,
    input: Value,
    /// When, and what.
    inputs: Vec<(u64, Input)>,
    /// How children end, by their workflow.
    children: BTreeMap<String, (u64, Result<Value, Failure>)>,
    deadline_ms: Option<u64>,
    /// Whether a crash may change the outcome, because attempts that it cut off take longer.
    crash_matters: bool,
}

pub struct Played {
    pub journal: Vec<Event>,
    pub state: RunState,
    pub host: Arc<TestHost>,
    pub ended_at_ms: u64,
    pub children: Vec<(String, Value)>,
    pub n_cancelled_children: usize,
    pub was_killed: bool,
    pub logs: Vec<String>,
    now: u64,
}

pub fn graph(definition: &Value) -> Arc<Graph> {
    match Graph::from_value(definition) {
        Ok(graph) => Arc::new(graph),
        Err(problems) => panic!("{problems}"),
    }
}

/// A graph of these steps.
pub fn steps(steps: Value) -> Value {
    json!({ "id": "g", "steps": steps })
}

pub fn scene(definition: Value, host: impl Fn() -> TestHost + 'static) -> Scene {
    Scene {
        graph: graph(&definition),
        host: Box::new(host),
        input: json!({}),
        inputs: Vec::new(),
        children: BTreeMap::new(),
        deadline_ms: None,
        crash_matters: false,
    }
}

impl Scene {
    pub fn input(mut self, input: Value) -> Scene {
        self.input = input;
        self
    }

    pub fn message(mut self, at_ms: u64, name: &str, body: Value) -> Scene {
        let message = Message {
            id: MessageId(Uuid::new_v5(&RUN.0, format!("{name}{at_ms}{body}").as_bytes())),
            name: name.to_owned(),
            body: Json::from(body),
            key: None,
            reply: None,
            received_at: UnixMillis(START + at_ms),
        };
        self.inputs.push((at_ms, Input::Message(message)));
        self
    }

    pub fn cancel(mut self, at_ms: u64) -> Scene {
        self.inputs.push((at_ms, Input::Cancel { reason: "enough".to_owned() }));
        self
    }

    pub fn child(mut self, workflow: &str, ms: u64, outcome: Result<Value, Failure>) -> Scene {
        self.children.insert(workflow.to_owned(), (ms, outcome));
        self
    }

    pub fn deadline(mut self, ms: u64) -> Scene {
        self.deadline_ms = Some(ms);
        self
    }

    pub fn crash_matters(mut self) -> Scene {
        self.crash_matters = true;
        self
    }

    fn first(&self, workflow: &Workflow) -> Event {
        let started = RunStarted {
            workflow: workflow.name().to_owned(),
            version: workflow.version().to_owned(),
            namespace: "default".to_owned(),
            input: Json::from(self.input.clone()),
            labels: BTreeMap::new(),
            parent: None,
            seed: 42,
            replay_of: None,
            pinned: true,
            deadline_at: self.deadline_ms.map(|ms| UnixMillis(START + ms)),
            trace: None,
        };
        let kind = EventKind::RunStarted(Box::new(started));
        Event { seq: Seq(0), at: UnixMillis(START), kind }
    }

    /// Plays it once, without a crash.
    pub fn play(&self) -> Played {
        self.play_from(Vec::new(), START)
    }

    /// Plays until the process dies, and again, until it does not.
    pub fn play_with_restarts(&self) -> Played {
        let mut played = self.play();
        for _ in 0..50 {
            if !played.was_killed {
                return played;
            }
            played = self.play_from(played.journal, played.now);
        }
        panic!("the process dies for ever:\n{}", played.text());
    }

    /// Plays it, then again from every prefix of its journal, each time to the same outcome; no call whose result
    /// the prefix has is made again.
    pub fn play_with_every_cut(&self) -> Played {
        self.play_from_every_cut().swap_remove(0)
    }

    /// The same, with all that was played; the one without a crash comes first.
    pub fn play_from_every_cut(&self) -> Vec<Played> {
        let whole = self.play();
        let mut all = Vec::new();
        for n in 1..whole.journal.len() {
            let prefix = whole.journal[..n].to_vec();
            let recorded: Vec<String> = prefix.iter().flat_map(recorded_callers).collect();
            let now = prefix.last().unwrap().at.0;
            let cut = render_journal(&prefix);
            let again = self.play_from(prefix, now);
            let told = || format!("cut after {n} events\n{cut}--- led to\n{}", again.text());
            assert!(again.state.is_ended() || !whole.state.is_ended(), "{}", told());
            if !self.crash_matters {
                assert_eq!(again.outcome(), whole.outcome(), "{}", told());
            }
            for call in again.host.calls() {
                assert!(!recorded.contains(&call.by), "`{}` was called again, {}", call.by, told());
            }
            all.push(again);
        }
        all.insert(0, whole);
        all
    }

    pub fn play_from(&self, mut journal: Vec<Event>, start_at: u64) -> Played {
        WORLD.set(World { now: start_at, ..World::default() });
        let host = Arc::new((self.host)());
        let workflow = workflow(&self.graph, host.clone());
        if journal.is_empty() {
            journal.push(self.first(&workflow));
        }
        let is_careful = journal.len() > 1;
        let mut inputs = self.inputs_left(&journal);
        let woken = Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        let mut execution = Execution::load(Setup {
            run: RUN,
            journal: &journal,
            workflow: &workflow,
            host: Rc::new(Nobody { children: self.children.keys().cloned().collect() }),
            limits: Limits::default(),
            careful: is_careful,
            now: UnixMillis(start_at),
        })
        .unwrap();
        let (mut children, mut n_cancelled_children) = (Vec::new(), 0);
        let mut logs = Vec::new();
        let mut was_killed = false;
        for _ in 0..1_000_000 {
            let now = WORLD.with_borrow(|world| world.now);
            if inputs.first().is_some_and(|(at, _)| *at <= now) {
                let (_, input) = inputs.remove(0);
                execution.receive(UnixMillis(now), input);
                continue;
            }
            woken.0.store(false, Ordering::Release);
            execution.poll(UnixMillis(now), &waker);
            was_killed = WORLD.with_borrow(|world| world.is_killed);
            if was_killed {
                break;
            }
            if let Some(batch) = execution.take_batch() {
                journal.extend(batch.events);
                for child in batch.children {
                    let input = child.input.to().unwrap();
                    children.push((child.workflow.clone(), input));
                    let (ms, outcome) = self.children[&child.workflow].clone();
                    inputs.push((now + ms, child_end(child.location, outcome)));
                    inputs.sort_by_key(|(at, _)| *at);
                }
                n_cancelled_children += batch.cancel_children.len();
                logs.extend(batch.logs.into_iter().map(|log| log.message));
                execution.batch_committed();
                continue;
            }
            if execution.is_ended() {
                break;
            }
            if woken.0.load(Ordering::Acquire) {
                continue;
            }
            let input_at = inputs.first().map(|(at, _)| *at);
            let sleeper =
                WORLD.with_borrow(|world| world.sleepers.keys().next().map(|(at, _)| *at));
            let deadline = execution.next_deadline().map(|at| at.0);
            let Some(next) = [input_at, sleeper, deadline].into_iter().flatten().min() else {
                break;
            };
            advance(next.max(now));
        }
        let state = RunState::fold(RUN, &journal).unwrap();
        if !was_killed {
            assert_eq!(*execution.state(), state, "the fold and the live state have drifted apart");
            let waits = !state.waits().is_empty() || execution.n_bodies() > 0;
            assert!(state.is_ended() || waits, "waits for nothing:\n{}", render_journal(&journal));
        }
        drop(execution);
        let ended_at_ms = journal.last().unwrap().at.0 - START;
        let now = WORLD.with_borrow(|world| world.now);
        Played {
            journal,
            state,
            host,
            ended_at_ms,
            children,
            n_cancelled_children,
            was_killed,
            logs,
            now,
        }
    }

    /// The inputs that the journal has not seen yet, the ends of open children among them.
    fn inputs_left(&self, journal: &[Event]) -> Vec<(u64, Input)> {
        let is_seen = |input: &Input| {
            journal.iter().any(|event| match (&event.kind, input) {
                (EventKind::MessageReceived(seen), Input::Message(message)) => {
                    seen.id == message.id
                }
                (EventKind::CancelRequested { .. }, Input::Cancel { .. }) => true,
                _ => false,
            })
        };
        let state = RunState::fold(RUN, journal).unwrap();
        let open = state.open_entries().filter_map(|(location, entry)| {
            let (_, workflow) = entry.child.as_ref()?;
            let (ms, outcome) = self.children[workflow].clone();
            Some((entry.started_at.0 + ms, child_end(location.clone(), outcome)))
        });
        let inputs = self.inputs.iter().filter(|(_, input)| !is_seen(input)).cloned();
        let mut left: Vec<_> =
            inputs.map(|(at_ms, input)| (START + at_ms, input)).chain(open).collect();
        left.sort_by_key(|(at, _)| *at);
        left
    }
}

impl Played {
    pub fn text(&self) -> String {
        render_journal(&self.journal)
    }

    /// The output.
    #[track_caller]
    pub fn output(&self) -> Value {
        match &self.state.outcome {
            Some(RunOutcome::Completed(output)) => output.to().unwrap(),
            _ => panic!("{}\n{}", self.outcome(), self.text()),
        }
    }

    #[track_caller]
    pub fn failure(&self) -> &Failure {
        match &self.state.outcome {
            Some(RunOutcome::Failed(failure)) => failure,
            _ => panic!("{}\n{}", self.outcome(), self.text()),
        }
    }

    /// How it ended, without what a crash may change: the number of attempts.
    pub fn outcome(&self) -> String {
        match &self.state.outcome {
            Some(RunOutcome::Completed(output)) => format!("completed {output}"),
            Some(RunOutcome::Failed(failure)) => {
                let source = failure.source.as_ref().map_or("", Location::as_str);
                format!("failed at `{source}`: {}: {}", failure.kind, failure.message)
            }
            Some(RunOutcome::Cancelled(reason)) => format!("cancelled {reason}"),
            None => format!("{} {:?}", self.state.status(), self.state.waits()),
        }
    }

    /// Who called, in order.
    pub fn callers(&self) -> Vec<String> {
        self.host.calls().into_iter().map(|call| call.by).collect()
    }
}

/// The callers whose results the event records.
fn recorded_callers(event: &Event) -> Vec<String> {
    let EventKind::StepSucceeded { location, .. } = &event.kind else { return Vec::new() };
    let location = location.as_str();
    match location.strip_suffix("/call").map(str::to_owned) {
        Some(tool) => vec![tool],
        None => {
            let step = location.trim_end_matches("/transform");
            vec![location.to_owned(), format!("{step} (code)")]
        }
    }
}

fn child_end(location: Location, outcome: Result<Value, Failure>) -> Input {
    let child = RunId::child_of(RUN, location.as_str());
    Input::ChildEnded { location, child, outcome: outcome.map(Json::from) }
}

#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

/// Surroundings with nobody to send to, and some workflows.
struct Nobody {
    children: Vec<String>,
}

impl Host for Nobody {
    fn send(&self, to: RunId, _: Message) -> LocalBoxFuture<'static, Result<(), SendError>> {
        Box::pin(async move { Err(SendError::UnknownRun(to)) })
    }

    fn child_version(&self, workflow: &str, _: &Json) -> Result<WorkflowVersion, ChildError> {
        match self.children.iter().any(|known| known == workflow) {
            true => Ok(WorkflowVersion { version: "1".to_owned(), pinned: false }),
            false => Err(ChildError::Unknown { workflow: workflow.to_owned() }),
        }
    }
}

pub fn schema(schema: &Value) -> Option<Schema> {
    Some(Schema::compile(schema).unwrap())
}
