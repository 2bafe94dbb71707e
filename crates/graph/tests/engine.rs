//! Graphs in an engine: with nested runs of any dialect, restarts, resumption, versions, deadlines.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use stepwell_engine::testkit::{TestEngine, TestOptions, replay_check};
use stepwell_engine::{ResumeOptions, RunHandle, StartError, StartOptions, WaitError};
use stepwell_graph::{
    CodeCall, Graph, GraphHost, HostError, StepStatus, Tool, ToolCall, ToolName, ToolResult,
    step_views, workflow,
};
use stepwell_journal::FailureKind;
use stepwell_kernel::{Ctx, Error, LocalBoxFuture, Workflow};
use stepwell_store_postgres::testkit;

/// Tools: `ECHO` gives its input; `FLAKY` fails until the test lets it succeed; `HANG` never answers.
#[derive(Default)]
struct Tools {
    calls: Mutex<BTreeMap<String, usize>>,
    is_well: Mutex<bool>,
}

impl Tools {
    fn calls(&self, step: &str) -> usize {
        self.calls.lock().get(step).copied().unwrap_or(0)
    }

    fn get_well(&self) {
        *self.is_well.lock() = true;
    }
}

impl GraphHost for Tools {
    fn tool<'a>(&'a self, name: ToolName<'a>) -> LocalBoxFuture<'a, Result<Tool, HostError>> {
        Box::pin(async move { Ok(Tool { idempotent: name.tool != "HANG", ..Tool::default() }) })
    }

    fn call_tool<'a>(
        &'a self,
        call: ToolCall<'a>,
    ) -> LocalBoxFuture<'a, Result<ToolResult, HostError>> {
        Box::pin(async move {
            let step = call.attempt.item.map_or_else(
                || call.attempt.step.to_owned(),
                |item| format!("{}/{item}", call.attempt.step),
            );
            *self.calls.lock().entry(step).or_default() += 1;
            let is_well = *self.is_well.lock();
            match call.name.tool {
                "FLAKY" if !is_well => Err(HostError::retryable("not today")),
                "HANG" if !is_well => std::future::pending().await,
                _ => {
                    let structured_content = Some(call.input.clone());
                    Ok(ToolResult { structured_content, ..ToolResult::default() })
                }
            }
        })
    }

    /// Code is a JSON value that it gives.
    fn run_code<'a>(&'a self, call: CodeCall<'a>) -> LocalBoxFuture<'a, Result<Value, HostError>> {
        Box::pin(async move {
            serde_json::from_str(call.code).map_err(|error| HostError::lasting(error.to_string()))
        })
    }
}

fn made(definition: Value, tools: &Arc<Tools>) -> (Arc<Graph>, Workflow) {
    let graph = Arc::new(Graph::from_value(&definition).unwrap());
    let workflow = workflow(&graph, tools.clone());
    (graph, workflow)
}

async fn test_engine() -> TestEngine {
    TestEngine::with(testkit::chosen_store().await, TestOptions::default()).await
}

async fn engine_with(definition: Value) -> (TestEngine, Arc<Tools>, Arc<Graph>) {
    let (engine, tools) = (test_engine().await, Arc::new(Tools::default()));
    let (graph, workflow) = made(definition, &tools);
    engine.register(workflow).unwrap();
    (engine, tools, graph)
}

async fn failure(engine: &TestEngine, run: &RunHandle) -> stepwell_journal::Failure {
    match engine.wait::<Value>(run).await {
        Err(WaitError::Failed(failure)) => failure,
        other => panic!("{other:?}"),
    }
}

fn call(name: &str, tool: &str, input: Value) -> Value {
    json!({ "name": name, "action": { "toolName": tool }, "input": input })
}

#[tokio::test]
async fn a_graph_is_a_workflow_like_any_other() {
    let definition = json!({
        "id": "greet", "title": "Greet", "description": "Says hello.",
        "input_schema": { "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] },
        "steps": [call("hello", "ECHO", json!("Hello @input.name"))],
    });
    let (engine, _, graph) = engine_with(definition.clone()).await;
    let workflow = engine.workflow("default", "greet").unwrap();
    assert_eq!(workflow.version(), graph.version());
    assert_eq!(
        (workflow.dialect(), workflow.title(), workflow.description()),
        ("graph", Some("Greet"), Some("Says hello."))
    );
    assert_eq!(workflow.input_schema(), Some(&definition["input_schema"]));
    assert_eq!(workflow.plan().unwrap()["nodes"][0]["name"], "hello");
    let run = engine.start("greet", &json!({ "name": "Ada" })).await.unwrap();
    assert_eq!(engine.wait::<String>(&run).await.unwrap(), "Hello Ada");
    replay_check(&run.journal().await.unwrap(), &workflow).unwrap();
}

#[tokio::test]
async fn bad_input_creates_nothing_and_says_what_is_wrong() {
    let definition = json!({
        "id": "greet", "steps": [],
        "input_schema": { "properties": { "a": { "items": { "type": "string", "format": "email" } } }, "required": ["b"] },
    });
    let (engine, ..) = engine_with(definition).await;
    let input = json!({ "a": ["x@y.z", "nope", 7] });
    let Err(StartError::Input(error)) = engine.start("greet", &input).await else {
        panic!("it started")
    };
    let said: Vec<String> = error.errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "\"b\" is a required property",
            "at /a/1: \"nope\" is not a \"email\"",
            "at /a/2: 7 is not of type \"string\"",
        ]
    );
    assert!(engine.query(stepwell_store::RunQuery::default()).await.unwrap().runs.is_empty());
}

#[tokio::test]
async fn nested_runs_are_of_any_dialect() {
    let definition = json!({ "id": "outer", "steps": [
        { "name": "code", "action": { "workflow": "double", "input": 21 } },
        { "name": "graph", "action": { "workflow": "inner", "input": { "n": "@code" } } },
        { "name": "many", "forEach": { "ref": "@input.list", "concurrency": 3 },
          "action": { "workflow": "double", "input": "@item" } },
        { "name": "picky", "action": { "workflow": "double", "input": "text" }, "config": { "onError": "continue" } },
    ] });
    let (mut engine, tools, _) = engine_with(definition).await;
    let inner = json!({ "id": "inner", "steps": [
        { "name": "nap", "action": { "sleep": 86_400_000 } },
        call("give", "ECHO", json!({ "n": "@input.n", "after": "@nap" })),
    ] });
    engine.register(made(inner, &tools).1).unwrap();
    let double = |ctx: Ctx, n: u64| async move {
        ctx.sleep("nap", Duration::from_secs(5)).await?;
        ctx.step("double", async || Ok::<_, Error>(n * 2)).await
    };
    engine.register(stepwell_kernel::workflow("double", double)).unwrap();
    let run = engine.start("outer", &json!({ "list": [1, 2, 3] })).await.unwrap();
    engine.advance(Duration::from_secs(2)).await;
    engine.restart().await;
    let run = engine.get(run.id()).await.unwrap();
    assert_eq!(
        engine.wait::<Value>(&run).await.unwrap(),
        json!({ "graph": { "n": 42, "after": null }, "many": [2, 4, 6], "picky": null })
    );
}

#[tokio::test]
async fn a_waiting_graph_sleeps_in_the_store_and_goes_on_after_a_restart() {
    let definition = json!({ "id": "g", "steps": [
        call("before", "ECHO", json!(1)),
        { "name": "nap", "action": { "sleep": 2_592_000_000_u64 }, "input": "@before" },
        { "name": "word", "action": { "listen": "approve" }, "input": "@nap" },
        call("after", "ECHO", json!(["@word", "@before"])),
    ] });
    let (mut engine, tools, graph) = engine_with(definition).await;
    let run = engine.start("g", &json!({})).await.unwrap();
    engine.advance(Duration::from_secs(3_600)).await;
    assert_eq!(engine.stats().n_residents, 0);
    engine.restart().await;
    engine.advance(Duration::from_secs(31 * 86_400)).await;
    assert_eq!(engine.stats().n_residents, 0);
    let run = engine.get(run.id()).await.unwrap();
    let journal = run.journal().await.unwrap();
    let state = stepwell_journal::RunState::fold(run.id(), &journal).unwrap();
    let statuses: Vec<StepStatus> =
        step_views(&graph, &state).iter().map(|view| view.status).collect();
    assert_eq!(
        statuses,
        [StepStatus::Completed, StepStatus::Completed, StepStatus::Waiting, StepStatus::Pending]
    );
    run.send("approve", &json!("yes")).await.unwrap();
    assert_eq!(engine.wait::<Value>(&run).await.unwrap(), json!(["yes", 1]));
    assert_eq!(tools.calls("before"), 1);
}

#[tokio::test]
async fn a_resumed_run_keeps_what_was_finished_and_tries_the_rest_again() {
    let definition = json!({ "id": "g", "steps": [
        call("first", "ECHO", json!(1)),
        { "name": "nap", "action": { "sleep": 1000 }, "input": "@first" },
        call("flaky", "FLAKY", json!("@nap")),
        { "name": "many", "forEach": { "ref": "@input.list", "concurrency": 2 }, "action": { "toolName": "ECHO" },
          "input": ["@item", "@first"] },
        call("last", "ECHO", json!(["@flaky", "@many"])),
    ] });
    let (engine, tools, graph) = engine_with(definition).await;
    let run = engine.start("g", &json!({ "list": [1, 2] })).await.unwrap();
    let failed = failure(&engine, &run).await;
    assert_eq!(failed.message, "tool_unavailable: not today");
    // A second time, and then for good.
    run.recover().await.unwrap();
    assert_eq!(failure(&engine, &run).await.message, "tool_unavailable: not today");
    tools.get_well();
    run.recover().await.unwrap();
    assert_eq!(engine.wait::<Value>(&run).await.unwrap(), json!([{}, [[1, 1], [2, 1]]]));
    assert_eq!(
        (tools.calls("first"), tools.calls("flaky"), tools.calls("many/1"), tools.calls("last")),
        (1, 3, 1, 1)
    );
    replay_check(&run.journal().await.unwrap(), &workflow(&graph, tools)).unwrap();
}

#[tokio::test]
async fn a_failed_item_is_tried_again_when_the_run_is_resumed() {
    let definition = json!({ "id": "g", "steps": [
        { "name": "many", "forEach": { "ref": "@input", "concurrency": 1 }, "action": { "toolName": "FLAKY" },
          "input": "@item", "config": { "onError": "fail" } },
    ] });
    let (engine, tools, _) = engine_with(definition).await;
    let run = engine.start("g", &json!([1, 2, 3])).await.unwrap();
    assert_eq!(failure(&engine, &run).await.source.unwrap().as_str(), "many/0");
    tools.get_well();
    run.recover().await.unwrap();
    assert_eq!(engine.wait::<Value>(&run).await.unwrap(), json!([1, 2, 3]));
    assert_eq!((tools.calls("many/0"), tools.calls("many/1")), (2, 1));
}

#[tokio::test]
async fn a_call_that_a_restart_cut_off_fails_as_interrupted_and_can_be_resumed() {
    let definition =
        json!({ "id": "g", "steps": [call("charge", "HANG", json!({ "cents": 100 }))] });
    let (mut engine, tools, _) = engine_with(definition).await;
    let run = engine.start("g", &json!({})).await.unwrap();
    engine.advance(Duration::from_secs(1)).await;
    assert_eq!(tools.calls("charge"), 1);
    engine.restart().await;
    let run = engine.get(run.id()).await.unwrap();
    let failed = failure(&engine, &run).await;
    assert_eq!(failed.kind, FailureKind::Interrupted);
    assert!(
        failed.message.starts_with("interrupted: a crash cut off a call of `HANG`"),
        "{failed}"
    );
    assert_eq!(tools.calls("charge"), 1, "it is not repeated by itself");
    tools.get_well();
    run.recover().await.unwrap();
    assert_eq!(engine.wait::<Value>(&run).await.unwrap(), json!({ "cents": 100 }));
    assert_eq!(tools.calls("charge"), 2);
}

#[tokio::test]
async fn a_wait_that_was_too_long_begins_anew_when_the_run_is_resumed() {
    let definition = json!({ "id": "g", "steps": [
        { "name": "word", "action": { "listen": "approve" }, "config": { "timeoutMs": 1000 } },
    ] });
    let (engine, ..) = engine_with(definition).await;
    let run = engine.start("g", &json!({})).await.unwrap();
    assert_eq!(failure(&engine, &run).await.kind, FailureKind::Timeout);
    run.recover().await.unwrap();
    engine.advance(Duration::from_millis(500)).await;
    assert!(!run.row().await.unwrap().status.is_ended());
    run.send("approve", &json!("yes")).await.unwrap();
    assert_eq!(engine.wait::<Value>(&run).await.unwrap(), json!("yes"));

    let definition = json!({ "id": "h", "steps": [
        { "name": "child", "action": { "workflow": "slow" }, "config": { "timeoutMs": 1000 } },
    ] });
    engine.register(made(definition, &Arc::default()).1).unwrap();
    let slow = |ctx: Ctx, _: Value| async move { ctx.listen::<Value>("go").await };
    engine.register(stepwell_kernel::workflow("slow", slow)).unwrap();
    let run = engine.start("h", &json!({})).await.unwrap();
    assert_eq!(failure(&engine, &run).await.kind, FailureKind::Timeout);
    run.recover().await.unwrap();
    engine.advance(Duration::from_millis(500)).await;
    assert!(!run.row().await.unwrap().status.is_ended());
    assert_eq!(failure(&engine, &run).await.kind, FailureKind::Timeout);
}

#[tokio::test]
async fn a_cancelled_run_can_be_resumed_and_a_deadline_ends_it() {
    let definition = json!({ "id": "g", "steps": [
        call("first", "ECHO", json!(1)),
        { "name": "nap", "action": { "sleep": 60_000 }, "input": "@first" },
        { "name": "rest", "action": { "sleep": 3_600_000 }, "input": "@nap" },
    ] });
    let (engine, tools, _) = engine_with(definition).await;
    let deadline = Some(engine.now().plus_ms(90_000));
    let run = engine
        .start_with("g", &json!({}), StartOptions { deadline, ..StartOptions::default() })
        .await
        .unwrap();
    engine.advance(Duration::from_secs(30)).await;
    run.cancel("a pause").await.unwrap();
    assert!(matches!(engine.wait::<Value>(&run).await, Err(WaitError::Cancelled { .. })));
    let deadline = Some(engine.now().plus_ms(45_000));
    run.recover_with(ResumeOptions { deadline }).await.unwrap();
    assert_eq!(failure(&engine, &run).await.kind, FailureKind::DeadlinePassed);
    run.recover().await.unwrap();
    assert_eq!(engine.wait::<Value>(&run).await.unwrap(), json!(null));
    assert_eq!(tools.calls("first"), 1);
}

#[tokio::test]
async fn a_run_stays_with_the_definition_that_it_began_with() {
    let version = |text: &str| {
        json!({ "id": "g", "steps": [
            { "name": "nap", "action": { "sleep": 60_000 } },
            call("say", "ECHO", json!([text, "@nap"])),
        ] })
    };
    let (engine, tools, _) = engine_with(version("old")).await;
    let old = engine.start("g", &json!({})).await.unwrap();
    engine.advance(Duration::from_secs(1)).await;
    engine.register(made(version("new"), &tools).1).unwrap();
    let new = engine.start("g", &json!({})).await.unwrap();
    assert_eq!(engine.wait::<Value>(&old).await.unwrap(), json!(["old", null]));
    assert_eq!(engine.wait::<Value>(&new).await.unwrap(), json!(["new", null]));
}
