//! An engine with flows, and services that do as the test says.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use stepwell_engine::testkit::{TestEngine, TestOptions, replay_check};
use stepwell_engine::{Engine, RunHandle};
use stepwell_flow::{
    Catalog, Edit, FlowEvent, FlowHost, FlowInput, Memo, PlanRequest, Scripts, ServiceCall,
    Services, StepDefinition, TokenKey, WebhookAnswer, WorkError, flow_events, flow_workflow,
    webhook_message,
};
use stepwell_journal::{Event, EventKind, RunId, RunOutcome};
use stepwell_kernel::{LocalBoxFuture, Workflow};
use stepwell_store::{MemoryStore, NewRun, Store};
use stepwell_store_postgres::testkit;

pub const KEY: [u8; 32] = [42; 32];

type Answer = Arc<dyn Fn(&ServiceCall) -> Result<Value, WorkError> + Send + Sync>;

/// Calls under way, and the most there were at a time, by run and step.
type Busy = BTreeMap<(RunId, String), (usize, usize)>;

/// Services that answer as told, and remember what they were asked.
#[derive(Clone, Default)]
pub struct Staged {
    answer: Arc<Mutex<Option<Answer>>>,
    pub calls: Arc<Mutex<Vec<ServiceCall>>>,
    busy: Arc<Mutex<Busy>>,
    /// What is sent to a run before a call is answered.
    pub webhooks: Arc<Mutex<Option<(Engine, WebhookOf)>>>,
}

type WebhookOf = Arc<dyn Fn(&ServiceCall) -> Option<WebhookAnswer> + Send + Sync>;

impl Services for Staged {
    fn call(&self, call: ServiceCall) -> LocalBoxFuture<'static, Result<Value, WorkError>> {
        let staged = self.clone();
        Box::pin(async move {
            staged.calls.lock().push(call.clone());
            {
                let mut busy = staged.busy.lock();
                let (now, most) = busy.entry((call.run, call.step.clone())).or_default();
                *now += 1;
                *most = (*most).max(*now);
            }
            let _leave = Leave { staged: staged.clone(), of: (call.run, call.step.clone()) };
            // Others get a chance to be under way at the same time.
            for _ in 0..3 {
                tokio::task::yield_now().await;
            }
            let webhook = staged.webhooks.lock().clone();
            if let Some((engine, of)) = webhook
                && call.webhook_url.is_some()
                && let Some(answer) = of(&call)
            {
                let place = TokenKey::new(KEY).place(call.run, &call.step, call.token).unwrap();
                let name = webhook_message(&call.step, place);
                let run = engine.get(call.run).await.unwrap();
                // A flow that has ended does not want it.
                let _ = run.send_with_key(&name, &answer, &name).await;
            }
            let answer = staged.answer.lock().clone();
            answer.map_or(Ok(Value::Null), |answer| answer(&call))
        })
    }
}

struct Leave {
    staged: Staged,
    of: (RunId, String),
}

impl Drop for Leave {
    fn drop(&mut self) {
        if let Some((now, _)) = self.staged.busy.lock().get_mut(&self.of) {
            *now -= 1;
        }
    }
}

impl Staged {
    pub fn answering(
        answer: impl Fn(&ServiceCall) -> Result<Value, WorkError> + Send + Sync + 'static,
    ) -> Staged {
        let staged = Staged::default();
        *staged.answer.lock() = Some(Arc::new(answer));
        staged
    }

    /// From now on webhooks go to this engine. Before its flows begin to run: the engine that crashed cannot take any.
    pub fn answer_to(&self, engine: &Engine) {
        let mut webhooks = self.webhooks.lock();
        *webhooks = webhooks.take().map(|(_, of)| (engine.clone(), of));
    }

    /// The most calls of a step that were under way at a time in one run.
    pub fn most_at_a_time(&self, step: &str) -> usize {
        let busy = self.busy.lock();
        let of_step = busy.iter().filter(|((_, of), _)| of == step);
        of_step.map(|(_, (_, most))| *most).max().unwrap_or_default()
    }

    pub fn n_calls(&self, step: &str) -> usize {
        self.calls.lock().iter().filter(|call| call.step == step).count()
    }
}

/// An engine with flows over a catalog.
pub struct Stage {
    pub engine: TestEngine,
    pub services: Staged,
    pub workflow: Workflow,
    pub catalog: Catalog,
    scripts: Scripts,
}

impl Stage {
    pub async fn new(steps: &[Value], services: Staged) -> Stage {
        let scripts = Scripts::default();
        let parsed = steps.iter().map(|step| {
            StepDefinition::parse(step.to_string().as_bytes())
                .unwrap_or_else(|problems| panic!("{step}: {problems}"))
        });
        let edits = parsed.map(Edit::Register).collect();
        let changed = Catalog::new().with_edits(edits, &scripts);
        let catalog = changed.unwrap_or_else(|problems| panic!("{problems}")).catalog;
        Stage::of(catalog, services, scripts).await
    }

    pub async fn of(catalog: Catalog, services: Staged, scripts: Scripts) -> Stage {
        let host = FlowHost {
            scripts: scripts.clone(),
            services: Arc::new(services.clone()),
            memo: Memo::default(),
            tokens: TokenKey::new(KEY),
            public_url: "http://here".to_owned(),
        };
        let workflow = flow_workflow(Arc::new(host));
        let store = testkit::chosen_store().await;
        let engine = TestEngine::with(store, TestOptions::default()).await;
        engine.register(workflow.clone()).unwrap();
        Stage { engine, services, workflow, catalog, scripts }
    }

    /// Lets async steps be answered while they are called.
    pub fn webhooks(
        &self,
        of: impl Fn(&ServiceCall) -> Option<WebhookAnswer> + Send + Sync + 'static,
    ) {
        *self.services.webhooks.lock() = Some(((*self.engine).clone(), Arc::new(of)));
    }

    pub fn input(&self, goals: &[&str], init: Value) -> FlowInput {
        let body = json!({ "goals": goals, "init": init }).to_string();
        let request = PlanRequest::parse(body.as_bytes()).unwrap();
        let plan = self.catalog.plan(&request, &self.scripts).unwrap();
        FlowInput { plan, init: request.init, namespace: "default".to_owned(), parent: None }
    }

    pub async fn start(&self, goals: &[&str], init: Value) -> RunHandle {
        self.engine.start("flow", &self.input(goals, init)).await.unwrap()
    }

    /// The attributes that a flow ends with, or its error.
    pub async fn run(&self, goals: &[&str], init: Value) -> Result<Value, String> {
        let run = self.start(goals, init).await;
        self.end(&run).await
    }

    pub async fn end(&self, run: &RunHandle) -> Result<Value, String> {
        // Its error is read from the outcome.
        let _ = self.engine.wait::<Value>(run).await;
        match run.outcome().await.unwrap() {
            RunOutcome::Completed(output) => Ok(output.to().unwrap()),
            RunOutcome::Failed(failure) => Err(failure.message),
            RunOutcome::Cancelled(reason) => Err(reason),
        }
    }

    pub async fn events(&self, run: &RunHandle) -> Vec<FlowEvent> {
        let journal = run.journal().await.unwrap();
        flow_events(run.id(), &journal, &TokenKey::new(KEY)).unwrap()
    }

    /// What a crash right after these events and a new start of the process make of a run: it goes on in another store.
    pub async fn resumed(&self, journal: &[Event]) -> (Stage, RunHandle) {
        let EventKind::RunStarted(started) = &journal[0].kind else { panic!("{journal:?}") };
        let run = RunId(uuid::Uuid::now_v7());
        let new = NewRun {
            run,
            at: journal[0].at,
            started: (**started).clone(),
            idempotency_key: None,
            start_at: None,
            copied: journal[1..].to_vec(),
        };
        let store = MemoryStore::new();
        store.start(new).await.unwrap();
        let engine = TestEngine::with(Arc::new(store), TestOptions::default()).await;
        self.services.answer_to(&engine);
        engine.register(self.workflow.clone()).unwrap();
        let stage = Stage {
            engine,
            services: self.services.clone(),
            workflow: self.workflow.clone(),
            catalog: self.catalog.clone(),
            scripts: self.scripts.clone(),
        };
        let handle = stage.engine.get(run).await.unwrap();
        (stage, handle)
    }

    /// Every beginning of the run's journal leads to where it led.
    pub async fn check_every_cut(&self, run: &RunHandle) {
        let journal = run.journal().await.unwrap();
        for end in 1..=journal.len() {
            if let Err(problem) = replay_check(&journal[..end], &self.workflow) {
                panic!("cut at {end} of {}: {problem}", journal.len());
            }
        }
    }
}

/// `{"id": ..., "type": "sync", "http": ...}` with these attributes in short: `name` is required, `name?`
/// optional, `name*` for each, `>name` an output.
pub fn sync(id: &str, attributes: &str) -> Value {
    let mut step = json!({ "id": id, "type": "sync", "attributes": declared(attributes) });
    step["http"] = json!({ "url": format!("http://services/{id}") });
    step
}

pub fn script(id: &str, attributes: &str, language: &str, source: &str) -> Value {
    let script = json!({ "language": language, "source": source });
    json!({ "id": id, "type": "script", "attributes": declared(attributes), "script": script })
}

pub fn declared(attributes: &str) -> Value {
    let mut declared = serde_json::Map::new();
    for text in attributes.split_whitespace() {
        let (name, fields) = if let Some(name) = text.strip_prefix('>') {
            (name, json!({"role": "output"}))
        } else if let Some(name) = text.strip_suffix('?') {
            (name, json!({"role": "optional"}))
        } else if let Some(name) = text.strip_suffix('*') {
            (name, json!({"role": "required", "for_each": true}))
        } else {
            (text, json!({"role": "required"}))
        };
        declared.insert(name.to_owned(), fields);
    }
    Value::Object(declared)
}

/// A step with some fields changed.
pub fn with(mut step: Value, patch: Value) -> Value {
    crate::kit::merge(&mut step, &patch);
    step
}

/// `type step_id` of each event, and what else tells them apart.
pub fn outline(events: &[FlowEvent]) -> Vec<String> {
    let text = |event: &FlowEvent, name: &str| event.data[name].as_str().map(str::to_owned);
    let line = |event: &FlowEvent| {
        let about = text(event, "step_id").or_else(|| text(event, "name")).unwrap_or_default();
        let why = text(event, "error").or_else(|| text(event, "reason"));
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        format!("{} {about}", event.kind).trim_end().to_owned() + &why
    };
    events.iter().map(line).collect()
}
