//! Whatever a catalog, its services and the machine do: every flow ends, and says why.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;
use serde_json::{Value, json};
use stepwell_engine::RunHandle;
use stepwell_flow::{
    Catalog, FlowEvent, FlowInput, PlanRequest, Scripts, ServiceCall, StepDefinition,
    WebhookAnswer, WorkError,
};

use crate::kit::random::{Asked, Draft, asked, drafts};
use crate::play::{Stage, Staged, with};

/// How one step behaves, beyond what its draft says.
#[derive(Debug, Clone)]
struct Manner {
    is_async: bool,
    parallelism: u64,
    max_retries: u64,
    for_each: bool,
    predicate: u8,
    /// By the number of the call: each is one of some ways to answer.
    answers: Vec<u8>,
}

fn manner() -> impl Strategy<Value = Manner> {
    let answers = prop::collection::vec(any::<u8>(), 4);
    (any::<bool>(), 1u64..4, 0u64..3, any::<bool>(), 0u8..12, answers).prop_map(
        |(is_async, parallelism, max_retries, for_each, predicate, answers)| Manner {
            is_async,
            parallelism,
            max_retries,
            for_each,
            predicate,
            answers,
        },
    )
}

impl Manner {
    fn shape(&self, draft: &StepDefinition) -> Value {
        let mut step = serde_json::to_value(draft).unwrap();
        let work = json!({"max_retries": self.max_retries, "parallelism": self.parallelism});
        step = with(step, json!({ "work": work }));
        if step["type"] == "script" {
            let id = step["id"].as_str().unwrap().to_owned();
            let kind = if self.is_async { "async" } else { "sync" };
            let mut http = json!({"url": format!("http://services/{id}")});
            if self.is_async {
                http["webhook_timeout_ms"] = json!(50_000);
            }
            step = with(step, json!({"type": kind, "http": http, "script": null}));
        }
        let source = match self.predicate {
            0 => "return false",
            1 => "return nil .. 1",
            2 => "return a0 ~= 'x'",
            _ => "",
        };
        let knows =
            step["attributes"]["a0"]["role"] != "output" && step["attributes"]["a0"].is_object();
        if !source.is_empty() && (self.predicate != 2 || knows) {
            step["predicate"] = json!({"language": "lua", "source": source});
        }
        if self.for_each {
            let attributes = step.get_mut("attributes").and_then(Value::as_object_mut);
            for attribute in attributes.into_iter().flat_map(|it| it.values_mut()) {
                if attribute["role"] == "required" && attribute.get("collect").is_none() {
                    attribute["for_each"] = json!(true);
                }
            }
        }
        step
    }

    fn answer(&self, call: &ServiceCall, outputs: &[String]) -> Result<Value, WorkError> {
        let place = call.token.as_bytes()[15] as usize + call.attempt as usize;
        match self.answers[place % self.answers.len()] % 10 {
            0 => Err(WorkError::lasting("refused")),
            1 | 2 => Err(WorkError::passing("busy")),
            3 => Ok(json!({})),
            way => {
                let value = match way {
                    4 => json!([]),
                    5 => json!([1, "x", null]),
                    6 => json!(false),
                    _ => json!(call.step),
                };
                Ok(outputs.iter().map(|name| (name.clone(), value.clone())).collect())
            }
        }
    }
}

struct World {
    catalog: Catalog,
    scripts: Scripts,
    manners: BTreeMap<String, (Manner, Vec<String>)>,
}

impl World {
    fn new(drafts: &[Draft], manners: &[Manner]) -> World {
        let scripts = Scripts::default();
        let mut world = World { catalog: Catalog::new(), scripts, manners: BTreeMap::new() };
        let mut taken = Vec::new();
        for (n, (draft, manner)) in drafts.iter().zip(manners.iter().cycle()).enumerate() {
            let text = manner.shape(&draft.definition(n, &taken)).to_string();
            let Ok(step) = StepDefinition::parse(text.as_bytes()) else { continue };
            if let Ok(changed) = world.catalog.with_step(step.clone(), &world.scripts) {
                world.catalog = changed.catalog;
                let outputs = step.outputs().map(ToString::to_string).collect();
                world.manners.insert(step.id.to_string(), (manner.clone(), outputs));
                taken.push(step);
            }
        }
        world
    }

    /// What to start with, if the goals can be reached at all.
    fn input(&self, asked: &Asked) -> Option<FlowInput> {
        let taken: Vec<StepDefinition> =
            self.catalog.steps().map(|step| (**step).clone()).collect();
        if taken.is_empty() {
            return None;
        }
        let (goals, init) = asked.pose(&taken);
        let body = json!({ "goals": goals, "init": init }).to_string();
        let mut request = PlanRequest::parse(body.as_bytes()).ok()?;
        let plan = self.catalog.plan(&request, &self.scripts).ok()?;
        let given = [json!("given"), json!([]), json!(["p", "q"])];
        let missing = plan.required.iter().zip(given.iter().cycle());
        request.init.extend(missing.map(|(name, value)| (name.clone(), value.clone())));
        let plan = self.catalog.plan(&request, &self.scripts).ok()?;
        let namespace = "default".to_owned();
        let can_run = plan.obstacles().is_empty();
        can_run.then_some(FlowInput { plan, init: request.init, namespace, parent: None })
    }

    async fn stage(&self) -> Stage {
        let manners = self.manners.clone();
        let answer = move |call: &ServiceCall| {
            let (manner, outputs) = &manners[&call.step];
            manner.answer(call, outputs)
        };
        let services = Staged::answering(answer);
        let stage = Stage::of(self.catalog.clone(), services, self.scripts.clone()).await;
        let manners = self.manners.clone();
        stage.webhooks(move |call| {
            let (manner, outputs) = &manners[&call.step];
            // Some webhooks never come.
            match manner.answer(call, outputs) {
                Ok(Value::Object(outputs)) if !outputs.is_empty() => {
                    Some(WebhookAnswer::Outputs(outputs))
                }
                _ => None,
            }
        });
        stage
    }
}

/// Each step of the plan ended in one way, with a reason if it did not complete; and what was told is what came out.
fn check_told(input: &FlowInput, events: &[FlowEvent], ended: &Result<Value, String>) {
    for step in input.plan.steps.keys() {
        let ends: Vec<&FlowEvent> = events
            .iter()
            .filter(|it| matches!(it.kind, "step_completed" | "step_failed" | "step_skipped"))
            .filter(|it| it.data["step_id"] == step.as_str())
            .collect();
        assert_eq!(ends.len(), 1, "{step}: {ends:#?}");
        let why = ends[0].data.get("error").or(ends[0].data.get("reason"));
        let has_reason = why.and_then(Value::as_str).is_some_and(|why| !why.is_empty());
        assert_eq!(has_reason, ends[0].kind != "step_completed", "{:?}", ends[0]);
    }
    let last = events.last().unwrap();
    match ended {
        Ok(attributes) => {
            assert_eq!(last.kind, "flow_completed");
            let mut told: serde_json::Map<String, Value> = serde_json::Map::new();
            for name in input.plan.attributes.keys() {
                if let Some(value) = input.init.get(name) {
                    told.insert(name.to_string(), value.clone());
                }
            }
            for event in events.iter().filter(|event| event.kind == "attribute_set") {
                told.insert(
                    event.data["name"].as_str().unwrap().to_owned(),
                    event.data["value"].clone(),
                );
            }
            assert_eq!(*attributes, Value::Object(told));
        }
        Err(error) => {
            assert_eq!((last.kind, &last.data["error"]), ("flow_failed", &json!(error)));
        }
    }
}

async fn check(world: World, input: FlowInput, crashes: Vec<u64>) {
    let mut stage = world.stage().await;
    let id = stage.engine.start("flow", &input).await.unwrap().id();
    for crash in crashes {
        stage.engine.advance(Duration::from_millis(crash)).await;
        stage.engine.crash().await;
        stage.services.answer_to(&stage.engine);
        stage.engine.register(stage.workflow.clone()).unwrap();
    }
    let run = stage.engine.get(id).await.unwrap();
    check_end(&stage, &run, &input).await;
    for step in input.plan.steps.values() {
        let most = stage.services.most_at_a_time(step.id.as_str());
        assert!(most as u64 <= step.work.parallelism, "{} at a time in {}", most, step.id);
    }
    stage.check_every_cut(&run).await;
    // Children are in another store.
    if input.plan.children.is_empty() {
        let journal = run.journal().await.unwrap();
        // A crash after every event.
        for end in 1..journal.len() {
            let (resumed, again) = stage.resumed(&journal[..end]).await;
            check_end(&resumed, &again, &input).await;
        }
    }
}

async fn check_end(stage: &Stage, run: &RunHandle, input: &FlowInput) {
    let ended = tokio::time::timeout(Duration::from_secs(120), stage.end(run)).await;
    let Ok(ended) = ended else {
        panic!("the flow hangs: {:?}", run.state().await.unwrap().waiting_for)
    };
    check_told(input, &stage.events(run).await, &ended);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn every_flow_ends_with_a_reason_for_each_step_that_did_not_run(
        drafts in drafts(),
        manners in prop::collection::vec(manner(), 6),
        asked in asked(),
        crashes in prop::collection::vec(0u64..5_000, 0..3),
    ) {
        let world = World::new(&drafts, &manners);
        let Some(input) = world.input(&asked) else { return Ok(()) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(check(world, input, crashes));
    }
}
