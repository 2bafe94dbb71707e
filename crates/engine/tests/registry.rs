//! Who knows which workflow: namespaces, versions side by side, and definitions kept elsewhere.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

mod kit;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use kit::{days, secs};
use parking_lot::Mutex;
use stepwell_engine::{
    Definitions, EngineWait, RegisterError, ReplayTarget, RunHandle, StartError, StartOptions,
    WaitError, WaitingFor,
};
use stepwell_journal::{Json, Location, RunStatus};
use stepwell_kernel::{
    Ctx, Error, InputError, InputProblem, Result, Workflow, secs as secs_of, workflow,
};
use stepwell_store::BoxError;

/// Says which definition it is, after a day.
fn telling(name: &str, says: &'static str) -> Workflow {
    workflow(name, move |ctx: Ctx, (): ()| async move {
        ctx.sleep("a day", secs_of(86_400)).await?;
        ctx.step("say", async || Ok::<_, Error>(says.to_owned())).await
    })
}

/// The same as a definition whose version is its content.
fn pinned(name: &str, says: &'static str) -> Workflow {
    telling(name, says).version_named(says).pinned()
}

fn in_namespace(namespace: &str) -> StartOptions {
    StartOptions { namespace: Some(namespace.to_owned()), ..StartOptions::default() }
}

/// What keeps the run's code from running.
async fn waits(run: &RunHandle) -> Vec<String> {
    let waits = run.state().await.unwrap().waiting_for;
    let of_engine = waits.iter().filter(|wait| matches!(wait, WaitingFor::Engine(_)));
    of_engine.map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_workflow_for_all_is_there_in_every_namespace_and_one_for_a_namespace_stands_before_it() {
    let engine = kit::test_engine().await;
    engine.register(telling("tell", "for all")).unwrap();
    engine.register_in("red", telling("tell", "for red").version_named("r")).unwrap();
    engine.register_in("red", telling("own", "only red")).unwrap();
    let red = engine.start_with("tell", &(), in_namespace("red")).await.unwrap();
    let blue = engine.start_with("tell", &(), in_namespace("blue")).await.unwrap();
    assert_eq!(engine.wait::<String>(&red).await.unwrap(), "for red");
    assert_eq!(engine.wait::<String>(&blue).await.unwrap(), "for all");
    let own = engine.start_with("own", &(), in_namespace("red")).await.unwrap();
    assert_eq!(engine.wait::<String>(&own).await.unwrap(), "only red");
    let Err(StartError::UnknownWorkflow { name, namespace }) =
        engine.start_with("own", &(), in_namespace("blue")).await
    else {
        panic!("blue knows red's workflow");
    };
    assert_eq!((name.as_str(), namespace.as_str()), ("own", "blue"));
    let listed: Vec<_> = engine
        .workflows()
        .iter()
        .map(|(namespace, workflow)| (namespace.clone(), workflow.name().to_owned()))
        .collect();
    let red = Some("red".to_owned());
    let names = [(red.clone(), "own"), (None, "tell"), (red, "tell")];
    assert_eq!(listed, names.map(|(namespace, name)| (namespace, name.to_owned())));
    let seen = |namespace| engine.workflows_in(namespace).len();
    assert_eq!((seen("red"), seen("blue")), (2, 1));
    assert_eq!(engine.workflow("red", "tell").unwrap().version(), "r");
}

#[tokio::test]
async fn a_child_is_looked_for_in_its_parents_namespace() {
    let engine = kit::test_engine().await;
    let parent = workflow("parent", |ctx: Ctx, (): ()| async move {
        ctx.child::<String>("child", "tell", &()).await
    });
    engine.register(parent).unwrap();
    engine.register_in("red", telling("tell", "for red")).unwrap();
    let red = engine.start_with("parent", &(), in_namespace("red")).await.unwrap();
    assert_eq!(engine.wait::<String>(&red).await.unwrap(), "for red");
    let blue = engine.start_with("parent", &(), in_namespace("blue")).await.unwrap();
    let failed = engine.wait::<String>(&blue).await.unwrap_err();
    assert!(failed.to_string().contains("workflow `tell` is not registered"), "{failed}");
}

#[tokio::test]
async fn pinned_versions_live_side_by_side() {
    let mut engine = kit::test_engine().await;
    engine.register(pinned("tell", "first")).unwrap();
    let old = engine.start("tell", &()).await.unwrap();
    engine.advance(secs(5)).await;
    engine.register(pinned("tell", "second")).unwrap();
    let new = engine.start("tell", &()).await.unwrap();
    engine.restart().await;
    let [old, new] = [old, new].map(|run| run.id());
    let old = engine.get(old).await.unwrap();
    let new = engine.get(new).await.unwrap();
    assert_eq!(engine.wait::<String>(&old).await.unwrap(), "first");
    assert_eq!(engine.wait::<String>(&new).await.unwrap(), "second");
    assert_eq!(engine.workflows().len(), 1);
    // Who goes back to an old definition starts that.
    engine.register(pinned("tell", "first")).unwrap();
    assert_eq!(engine.workflow("default", "tell").unwrap().version(), "first");
}

#[tokio::test]
async fn code_goes_on_with_what_is_registered_and_is_not_replaced_by_accident() {
    let engine = kit::test_engine().await;
    engine.register(telling("tell", "first")).unwrap();
    let run = engine.start("tell", &()).await.unwrap();
    engine.advance(secs(5)).await;
    let second = telling("tell", "second").version_named("2");
    let refused = engine.register(second.clone());
    assert!(matches!(refused, Err(RegisterError::AlreadyRegistered { .. })), "{refused:?}");
    engine.replace(None, second).unwrap();
    assert_eq!(engine.wait::<String>(&run).await.unwrap(), "second");
}

#[tokio::test]
async fn an_unregistered_workflow_starts_nothing_and_its_pinned_runs_go_on() {
    let engine = kit::test_engine().await;
    engine.register(pinned("tell", "first")).unwrap();
    engine.register(telling("code", "code")).unwrap();
    let kept = engine.start("tell", &()).await.unwrap();
    let code = engine.start("code", &()).await.unwrap();
    engine.advance(secs(5)).await;
    assert!(engine.unregister(None, "tell"));
    assert!(engine.unregister(None, "code"));
    assert!(!engine.unregister(None, "code"), "once");
    assert!(!engine.unregister(Some("red"), "tell"), "there never was one");
    let refused = engine.start("tell", &()).await;
    assert!(matches!(refused, Err(StartError::UnknownWorkflow { .. })));
    assert!(engine.workflows().is_empty());
    engine.advance(days(2)).await;
    assert_eq!(kept.output::<String>().await.unwrap(), Some("first".to_owned()));
    assert_eq!(waits(&code).await, ["workflow `code` to be registered"]);
    engine.register(telling("code", "code")).unwrap();
    assert_eq!(engine.wait::<String>(&code).await.unwrap(), "code");
}

#[tokio::test]
async fn a_run_waits_for_its_own_version_and_for_no_other() {
    let mut engine = kit::test_engine().await;
    engine.register(pinned("tell", "first")).unwrap();
    let run = engine.start("tell", &()).await.unwrap().id();
    engine.advance(secs(5)).await;
    engine.crash().await;
    engine.register(pinned("tell", "second")).unwrap();
    engine.advance(days(2)).await;
    let run = engine.get(run).await.unwrap();
    assert_eq!(waits(&run).await, ["version first of workflow `tell` to be registered"]);
    let wait = run.state().await.unwrap().waiting_for.pop().unwrap();
    let version = Some("first".to_owned());
    let registration = EngineWait::Registration { workflow: "tell".to_owned(), version };
    assert_eq!(wait, WaitingFor::Engine(registration));
    engine.register(pinned("tell", "first")).unwrap();
    assert_eq!(engine.wait::<String>(&run).await.unwrap(), "first");
}

#[tokio::test]
async fn code_does_not_take_over_the_runs_of_a_definition_nor_the_other_way_round() {
    let engine = kit::test_engine().await;
    engine.register(pinned("a", "defined")).unwrap();
    engine.register(telling("b", "code")).unwrap();
    let defined = engine.start("a", &()).await.unwrap();
    let code = engine.start("b", &()).await.unwrap();
    engine.advance(secs(5)).await;
    engine.replace(None, telling("a", "code instead")).unwrap();
    engine.replace(None, pinned("b", "defined instead")).unwrap();
    engine.advance(days(2)).await;
    assert_eq!(defined.output::<String>().await.unwrap(), Some("defined".to_owned()));
    assert_eq!(waits(&code).await, ["workflow `b` to be registered"]);
    engine.register_in("default", telling("b", "code again")).unwrap();
    assert_eq!(engine.wait::<String>(&code).await.unwrap(), "code again");
}

/// Definitions that are kept, by namespace and version.
#[derive(Default, Clone)]
struct Shelf {
    kept: Arc<Mutex<BTreeMap<(String, String), Workflow>>>,
    n_asked: Arc<AtomicUsize>,
    n_failures: Arc<AtomicUsize>,
}

impl Shelf {
    fn put(&self, namespace: &str, workflow: Workflow) {
        let key = (namespace.to_owned(), workflow.version().to_owned());
        self.kept.lock().insert(key, workflow);
    }
}

#[async_trait]
impl Definitions for Shelf {
    async fn find(
        &self,
        namespace: &str,
        _workflow: &str,
        version: &str,
    ) -> Result<Option<Workflow>, BoxError> {
        self.n_asked.fetch_add(1, Ordering::SeqCst);
        let fails = |n: usize| n.checked_sub(1);
        if self.n_failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fails).is_ok() {
            return Err("the shelf is locked".into());
        }
        Ok(self.kept.lock().get(&(namespace.to_owned(), version.to_owned())).cloned())
    }
}

#[tokio::test]
async fn what_is_not_in_memory_is_looked_for_where_definitions_are_kept() {
    let mut engine = kit::test_engine().await;
    engine.register_in("red", pinned("tell", "first")).unwrap();
    let run = engine.start_with("tell", &(), in_namespace("red")).await.unwrap().id();
    let other = engine.start_with("tell", &(), in_namespace("red")).await.unwrap().id();
    engine.advance(secs(5)).await;
    engine.crash().await;
    let shelf = Shelf::default();
    shelf.put("blue", pinned("tell", "first"));
    engine.add_definitions(shelf.clone());
    engine.advance(days(2)).await;
    let run = engine.get(run).await.unwrap();
    assert_eq!(waits(&run).await, ["version first of workflow `tell` to be registered"]);
    assert_eq!(engine.stats().n_parked, 2);
    // Blue's definition is none of red's; once red's is there, whoever looks again finds it.
    shelf.put("red", pinned("tell", "first"));
    run.wake().await.unwrap();
    assert_eq!(engine.wait::<String>(&run).await.unwrap(), "first");
    let n_asked = shelf.n_asked.load(Ordering::SeqCst);
    let other = engine.get(other).await.unwrap();
    other.wake().await.unwrap();
    assert_eq!(engine.wait::<String>(&other).await.unwrap(), "first");
    assert_eq!(shelf.n_asked.load(Ordering::SeqCst), n_asked, "it is remembered");
    let refused = engine.start_with("tell", &(), in_namespace("red")).await;
    assert!(matches!(refused, Err(StartError::UnknownWorkflow { .. })), "kept is not current");
}

#[tokio::test]
async fn shelves_are_asked_one_after_the_other() {
    let mut engine = kit::test_engine().await;
    engine.register(pinned("tell", "first")).unwrap();
    let run = engine.start("tell", &()).await.unwrap().id();
    engine.advance(secs(5)).await;
    engine.crash().await;
    let (empty, full) = (Shelf::default(), Shelf::default());
    full.put("default", pinned("tell", "first"));
    engine.add_definitions(empty.clone());
    engine.add_definitions(full);
    let run = engine.get(run).await.unwrap();
    assert_eq!(engine.wait::<String>(&run).await.unwrap(), "first");
    assert!(empty.n_asked.load(Ordering::SeqCst) > 0);
}

#[tokio::test]
async fn a_shelf_that_fails_is_asked_again() {
    let mut engine = kit::test_engine().await;
    engine.register(pinned("tell", "first")).unwrap();
    let run = engine.start("tell", &()).await.unwrap().id();
    engine.advance(secs(5)).await;
    engine.crash().await;
    let shelf = Shelf::default();
    shelf.put("default", pinned("tell", "first"));
    shelf.n_failures.store(3, Ordering::SeqCst);
    engine.add_definitions(shelf);
    let run = engine.get(run).await.unwrap();
    assert_eq!(engine.wait::<String>(&run).await.unwrap(), "first");
}

#[tokio::test]
async fn memory_does_not_grow_with_versions_that_can_be_found_again() {
    let engine = kit::test_engine().await;
    let shelf = Shelf::default();
    engine.add_definitions(shelf.clone());
    let first = pinned("tell", "first");
    shelf.put("default", first.clone());
    engine.register(first).unwrap();
    let run = engine.start("tell", &()).await.unwrap();
    engine.advance(secs(5)).await;
    for n in 0..20 {
        engine.register(telling("tell", "later").version_named(&n.to_string()).pinned()).unwrap();
    }
    assert_eq!(shelf.n_asked.load(Ordering::SeqCst), 0);
    assert_eq!(engine.wait::<String>(&run).await.unwrap(), "first");
    assert_eq!(shelf.n_asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_copy_of_a_pinned_run_is_pinned_to_the_same_version() {
    let engine = kit::test_engine().await;
    engine.register(pinned("tell", "first")).unwrap();
    let run = engine.start("tell", &()).await.unwrap();
    engine.wait::<String>(&run).await.unwrap();
    engine.register(pinned("tell", "second")).unwrap();
    let say = Location::from_text("say");
    let copy = run.replay_from(&say, ReplayTarget::NewRun).await.unwrap();
    assert_eq!(engine.wait::<String>(&copy).await.unwrap(), "first");
    assert_eq!(copy.row().await.unwrap().version, "first");
}

fn picky() -> Workflow {
    let check = |input: &Json| {
        let n = input.to::<serde_json::Value>().unwrap_or_default()["n"].as_u64();
        let mut errors = Vec::new();
        if n.is_none() {
            errors.push(InputProblem::new("/n", "a number is missing"));
            errors.push(InputProblem::new("", "one field is expected"));
        }
        if errors.is_empty() { Ok(()) } else { Err(InputError::new("picky", errors)) }
    };
    let double = |ctx: Ctx, input: Json| -> stepwell_kernel::LocalBoxFuture<'static, _> {
        Box::pin(async move {
            let n = input.to::<serde_json::Value>()?["n"].as_u64().unwrap_or_default();
            let doubled = ctx.step("double", async || Ok::<_, Error>(n * 2)).await?;
            Ok(Json::of(&doubled)?)
        })
    };
    Workflow::dynamic("picky", "sha:1", check, double)
        .pinned()
        .dialect_named("graph")
        .titled("Picky")
        .with_plan(serde_json::json!({ "nodes": ["double"] }))
        .with_output_schema(serde_json::json!({ "type": "integer" }))
}

#[tokio::test]
async fn an_interpreter_runs_what_it_was_given_and_checks_its_input_itself() {
    let engine = kit::test_engine().await;
    engine.register(picky()).unwrap();
    let Err(StartError::Input(error)) = engine.start("picky", &serde_json::json!({})).await else {
        panic!("it took the input");
    };
    assert_eq!(error.errors.len(), 2);
    assert_eq!(error.errors[0].path, "/n");
    assert_eq!(error.problem, "at /n: a number is missing; one field is expected");
    let run = engine.start("picky", &serde_json::json!({ "n": 21 })).await.unwrap();
    assert_eq!(engine.wait::<u64>(&run).await.unwrap(), 42);
    let (_, listed) = engine.workflows().remove(0);
    assert_eq!((listed.dialect(), listed.title()), ("graph", Some("Picky")));
    assert_eq!(listed.plan().unwrap()["nodes"][0], "double");
    assert_eq!(listed.output_schema().unwrap()["type"], "integer");
}

#[tokio::test]
async fn a_typed_input_that_does_not_fit_is_told_where() {
    let engine = kit::test_engine().await;
    engine
        .register(workflow("sum", |_: Ctx, n: Vec<u64>| async move {
            Ok::<_, Error>(n.iter().sum::<u64>())
        }))
        .unwrap();
    let Err(StartError::Input(error)) = engine.start("sum", &serde_json::json!([1, "2"])).await
    else {
        panic!("it took the input");
    };
    assert_eq!(error.errors[0].path, "/1");
    let said = error.to_string();
    assert!(
        said.starts_with("the input does not fit workflow `sum`: at /1: invalid type"),
        "{said}"
    );
    assert!(!said.contains("line"), "{said}");
}

#[tokio::test]
async fn bad_names_are_refused() {
    let engine = kit::test_engine().await;
    let long = "n".repeat(300);
    let refused = engine.register_in(&long, telling("tell", ""));
    assert!(matches!(refused, Err(RegisterError::Namespace { .. })), "{refused:?}");
    let refused = engine.register_in("", telling("tell", ""));
    assert!(matches!(refused, Err(RegisterError::Namespace { .. })), "{refused:?}");
    let run = engine.start("tell", &()).await;
    assert!(matches!(run, Err(StartError::UnknownWorkflow { .. })));
}

#[tokio::test]
async fn a_run_of_nobodys_workflow_can_be_cancelled_whatever_its_version() {
    let mut engine = kit::test_engine().await;
    engine.register(pinned("tell", "first")).unwrap();
    let options =
        StartOptions { start_at: Some(engine.now().plus_ms(1_000)), ..StartOptions::default() };
    let run = engine.start_with("tell", &(), options).await.unwrap().id();
    engine.crash().await;
    engine.advance(secs(5)).await;
    let run = engine.get(run).await.unwrap();
    run.cancel("enough").await.unwrap();
    let cancelled = engine.wait::<String>(&run).await;
    assert!(matches!(cancelled, Err(WaitError::Cancelled { .. })), "{cancelled:?}");
    assert_eq!(run.row().await.unwrap().status, RunStatus::Cancelled);
}
