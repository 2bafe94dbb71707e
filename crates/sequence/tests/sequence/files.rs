//! What only files have: imports, schemas, names, the sandbox.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use stepwell_engine::{StartError, WaitError};
use stepwell_journal::RunStatus;
use stepwell_script::js::{FetchError, FetchHost, FetchRequest, FetchResponse};
use stepwell_sequence::ts::{TsOptions, TsRuntime};

use crate::kit::{Case, engine, load, load_one};

async fn case(files: &[(&str, &str)]) -> Case {
    let loaded = load_one(files).await;
    let engine = engine().await;
    engine.register(loaded.workflow()).unwrap();
    Case { written: "TypeScript", engine }
}

async fn result(files: &[(&str, &str)], input: Value) -> Value {
    let case = case(files).await;
    case.run(input).await.1.unwrap()
}

#[tokio::test]
async fn steps_are_imported_from_other_files_with_or_without_extension() {
    let files = [
        (
            "flow.ts",
            "import { find } from './steps/tree';\nimport { chop } from './steps/more.ts';\nexport const steps = [find, chop];",
        ),
        (
            "steps/tree.ts",
            "import { wood } from '../lib/wood';\nexport function find() { return wood; }",
        ),
        (
            "steps/more.ts",
            "export const chop = ({ lastStep }: any): string => lastStep.result + '!';",
        ),
        ("lib/wood.ts", "export enum Wood { Oak = 'oak' }\nexport const wood: Wood = Wood.Oak;"),
    ];
    assert_eq!(result(&files, Value::Null).await, "oak!");
}

#[tokio::test]
async fn names_come_from_the_file_the_export_and_the_variables() {
    let loaded = load_one(&[
        ("flow.ts", "import { workflow, httpStep, delayStep, createWorkflow } from 'stepwell';
const paymentFlow = workflow('./payment.ts');
export const get = httpStep({ url: 'http://x' });
const notify = createWorkflow('tell').step(function mail() {});
export const name = 'renamed';
export const description = 'what it is';
export const steps = [paymentFlow, get, delayStep({ seconds: 1 }), delayStep({ seconds: 2 }), notify, workflow('other')];"),
        ("payment.ts", "export const name = 'pay';\nexport const steps = [function charge() {}];"),
    ])
    .await;
    assert_eq!(
        (loaded.name(), loaded.plan().description.as_deref()),
        ("renamed", Some("what it is"))
    );
    let names: Vec<&str> = loaded.plan().nodes.iter().map(|node| node.name.as_str()).collect();
    assert_eq!(names, ["paymentFlow", "get", "delayStep", "delayStep-2", "tell", "other"]);
    assert_eq!(
        load_one(&[("tree-processing.ts", "export const steps = [function a() {}];")]).await.name(),
        "tree-processing"
    );
}

#[tokio::test]
async fn a_file_may_define_workflows_with_the_builder() {
    let text = "import { createWorkflow } from 'stepwell';\nimport { z } from 'zod';
        createWorkflow('one').input(z.object({ n: z.number() })).step(function a({ input }) { return input.n; }).steps([{ fn: function b({ lastStep }) { return lastStep.result + 1; }, timeout: 1000 }]).register();
        createWorkflow('two').step(function c() { return 'two'; }).register();";
    let loaded = load(&[("flow.ts", text)]).await.unwrap();
    let names: Vec<&str> = loaded.iter().map(|one| one.name()).collect();
    assert_eq!(names, ["one", "two"]);
    assert_ne!(loaded[0].version(), loaded[1].version());
    let engine = engine().await;
    for one in &loaded {
        engine.register(one.workflow()).unwrap();
    }
    let run = engine.start("one", &json!({ "n": 41 })).await.unwrap();
    assert_eq!(engine.wait::<u32>(&run).await.unwrap(), 42);
    assert!(engine.start("one", &json!({})).await.is_err());
    let run = engine.start("two", &Value::Null).await.unwrap();
    assert_eq!(engine.wait::<String>(&run).await.unwrap(), "two");
}

#[tokio::test]
async fn nested_files_see_their_parents_steps() {
    let files = [
        (
            "flow.ts",
            "import { workflow } from 'stepwell';\nconst order = () => 7;\nconst pay = workflow('./sub/payment');\nexport const steps = [order, pay];",
        ),
        (
            "sub/payment.ts",
            "import { cents } from './money';\nfunction charge({ steps, input, workflowName }) { return [steps.order.result, input, cents, workflowName]; }\nexport const steps = [charge];",
        ),
        ("sub/money.ts", "export const cents = 100;"),
    ];
    assert_eq!(result(&files, json!("in")).await, json!([7, "in", 100, "payment"]));
}

const ORDER: &str = "import { z } from 'zod';
    export const input = z.object({ id: z.uuid(), lines: z.array(z.object({ sku: z.string(), n: z.number().min(1).default(1) })), note: z.string().transform((s) => s.trim()).optional() });
    export const steps = [function show({ input }) { return input; }];";

#[tokio::test]
async fn an_input_is_checked_at_launch_with_every_place_that_is_wrong() {
    let case = case(&[("flow.ts", ORDER)]).await;
    let bad = json!({ "id": "x", "lines": [{ "sku": "a" }, { "sku": 7, "n": 0 }] });
    let Err(StartError::Input(error)) = case.engine.start("flow", &bad).await else {
        panic!("it started")
    };
    let paths: Vec<&str> = error.errors.iter().map(|error| error.path.as_str()).collect();
    assert_eq!(paths, ["/id", "/lines/1/sku", "/lines/1/n"], "{error}");
    assert!(error.errors[1].message.contains("expected string"), "{error}");
    assert!(case.engine.start("flow", &Value::Null).await.is_err());
    let page = case.engine.query(Default::default()).await.unwrap();
    assert!(page.runs.is_empty(), "nothing was created");
    let schema = case.engine.workflow("default", "flow").unwrap().input_schema().cloned().unwrap();
    assert_eq!(schema["properties"]["lines"]["items"]["properties"]["sku"]["type"], "string");
}

#[tokio::test]
async fn steps_see_the_input_as_its_schema_made_it() {
    let id = "0192f4c4-0000-7000-8000-000000000001";
    let input = json!({ "id": id, "lines": [{ "sku": "a" }], "note": "  hi " });
    let seen = result(&[("flow.ts", ORDER)], input).await;
    assert_eq!(seen, json!({ "id": id, "lines": [{ "sku": "a", "n": 1 }], "note": "hi" }));
}

#[tokio::test]
async fn results_are_checked_if_the_file_asks_for_it() {
    let text = |options: &str| {
        format!(
            "import {{ z }} from 'zod';\nimport {{ Results }} from 'stepwell';
             export const results = Results({{ find: z.object({{ id: z.string() }}) }}{options});
             export const steps = [function find() {{ return {{ id: 7 }}; }}];"
        )
    };
    assert_eq!(result(&[("flow.ts", &text(""))], Value::Null).await, json!({ "id": 7 }));
    let case = case(&[("flow.ts", &text(", { validate: true }"))]).await;
    let failure = case.run(Value::Null).await.1.unwrap_err();
    assert!(
        failure.message.contains("the result of `find` does not fit its schema: at id: "),
        "{failure}"
    );
}

#[tokio::test]
async fn the_context_has_all_that_was_promised() {
    let text = "export const steps = [function see(context) {
        const { runId, workflowName, attempt, signal, log, lastStep, steps, input, state } = context;
        return [typeof runId, workflowName, attempt, signal.aborted, Object.keys(log).join(), lastStep, steps.later.status, input === undefined, state, new URL('http://a/b').pathname, typeof crypto.randomUUID(), structuredClone([1]), new TextEncoder().encode('é').length];
    }, function later() { return 1; }];";
    let case = case(&[("flow.ts", text)]).await;
    let (run, _) = case.run(Value::Null).await;
    let seen = case.records(&run).await[0].result.clone().unwrap().to::<Value>().unwrap();
    assert_eq!(
        seen,
        json!(["string", "flow", 1, false, "debug,info,warn,error", { "state": {}, "stepName": null }, "pending", true, {}, "/b", "string", [1], 2])
    );
}

#[tokio::test]
async fn console_lines_are_the_steps_log() {
    let case = case(&[("flow.ts", "export const steps = [function talk() { console.log('hello', { a: 1 }); console.error('oh'); }];")]).await;
    let (run, _) = case.run(Value::Null).await;
    let lines: Vec<String> = run
        .logs()
        .await
        .unwrap()
        .lines
        .iter()
        .map(|line| format!("{:?} {} {}", line.level, line.location, line.message))
        .collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("Info talk hello") && lines[1] == "Error talk oh", "{lines:?}");
}

#[tokio::test]
async fn hostile_steps_fail_their_own_run_and_no_other() {
    let hostile = [
        ("while (true) {}", "longer than its time limit"),
        ("const a = []; while (true) a.push(new Array(1e5).fill(1));", "more memory"),
        ("const f = () => f(); f();", "too deeply"),
        ("return new Promise(() => {});", "never settles"),
        ("const a = {}; a.a = a; return a;", "cannot be written as JSON"),
        ("return 'x'.repeat(5e6);", "bytes as JSON"),
        ("throw null;", "null"),
        ("return { toJSON() { throw new Error('no json') } };", "no json"),
    ];
    let engine = engine().await;
    let good =
        load_one(&[("good.ts", "export const steps = [function ok() { return 'ok'; }];")]).await;
    engine.register(good.workflow()).unwrap();
    let limits = stepwell_script::ScriptLimits { memory_bytes: 48 << 20, ..Default::default() };
    let options = TsOptions { limits, step_time: Duration::from_secs(5), ..Default::default() };
    let runtime = TsRuntime::new(options).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let mut runs = Vec::new();
    for (n, (code, expected)) in hostile.iter().enumerate() {
        let name = format!("bad{n}.ts");
        crate::kit::write(
            dir.path(),
            &[(&name, &format!("export const steps = [function bad() {{ {code} }}];"))],
        );
        let loaded = runtime.load_file(dir.path(), &dir.path().join(&name)).await.unwrap();
        engine.register(loaded[0].workflow()).unwrap();
        runs.push((engine.start(&format!("bad{n}"), &Value::Null).await.unwrap(), code, expected));
    }
    let run = engine.start("good", &Value::Null).await.unwrap();
    assert_eq!(engine.wait::<String>(&run).await.unwrap(), "ok");
    for (run, code, expected) in runs {
        match engine.wait::<Value>(&run).await {
            Err(WaitError::Failed(failure)) => {
                assert!(failure.message.contains(expected), "{code}: {failure}");
            }
            other => panic!("{code}: {other:?}"),
        }
    }
    let run = engine.start("good", &Value::Null).await.unwrap();
    assert_eq!(engine.wait::<String>(&run).await.unwrap(), "ok");
}

#[tokio::test]
async fn a_file_that_never_finishes_loading_is_refused() {
    let limits = stepwell_script::ScriptLimits { memory_bytes: 16 << 20, ..Default::default() };
    let options = TsOptions { limits, ..Default::default() };
    let runtime = TsRuntime::new(options).unwrap();
    let dir = tempfile::tempdir().unwrap();
    crate::kit::write(
        dir.path(),
        &[(
            "flow.ts",
            "const a: any[] = []; while (true) a.push(new Array(1e5).fill(1));\nexport const steps = [];",
        )],
    );
    let said = runtime
        .load_file(dir.path(), &dir.path().join("flow.ts"))
        .await
        .map(|loaded| loaded.len())
        .unwrap_err();
    assert!(said.to_string().contains("memory"), "{said}");
}

/// A request that never ends, and says when it begins and when it is given up.
struct Endless(tokio::sync::mpsc::UnboundedSender<&'static str>);

#[async_trait::async_trait]
impl FetchHost for Endless {
    async fn fetch(&self, _: FetchRequest) -> Result<FetchResponse, FetchError> {
        struct GivenUp(tokio::sync::mpsc::UnboundedSender<&'static str>);
        impl Drop for GivenUp {
            fn drop(&mut self) {
                let _ = self.0.send("given up");
            }
        }
        let _ = self.0.send("begun");
        let _given_up = GivenUp(self.0.clone());
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_cancel_and_a_timeout_reach_running_javascript() {
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let options = TsOptions { fetch: Some(Arc::new(Endless(told))), ..TsOptions::default() };
    let runtime = TsRuntime::new(options).unwrap();
    let dir = tempfile::tempdir().unwrap();
    for (name, options) in [("free", ""), ("bound", ", timeout: 60000")] {
        let text = format!(
            "async function call() {{ await fetch('http://x'); }}\nexport const steps = [{{ fn: call{options} }}];"
        );
        crate::kit::write(dir.path(), &[(&format!("{name}.ts"), &text)]);
    }
    let engine = engine().await;
    for name in ["free", "bound"] {
        let loaded =
            runtime.load_file(dir.path(), &dir.path().join(format!("{name}.ts"))).await.unwrap();
        engine.register(loaded[0].workflow()).unwrap();
    }
    let mut next = async || {
        tokio::time::timeout(Duration::from_secs(60), heard.recv()).await.unwrap().unwrap()
    };
    let run = engine.start("free", &Value::Null).await.unwrap();
    assert_eq!(next().await, "begun");
    run.cancel("enough").await.unwrap();
    assert_eq!(next().await, "given up");
    assert!(engine.wait::<Value>(&run).await.is_err());
    assert_eq!(run.state().await.unwrap().status, RunStatus::Cancelled);
    let run = engine.start("bound", &Value::Null).await.unwrap();
    assert_eq!(next().await, "begun");
    assert!(matches!(engine.wait::<Value>(&run).await, Err(WaitError::Failed(_))));
    assert_eq!(next().await, "given up");
}

#[tokio::test]
async fn a_nested_run_by_name_shares_the_context_and_is_cancelled_with_its_parent() {
    let engine = engine().await;
    let child = load_one(&[("child.ts", "import { delayStep } from 'stepwell';\nexport const steps = [delayStep({ name: 'rest', hours: 1 }), function tell({ input, steps }) { return [input, steps.before.result]; }];")]).await;
    engine.register(child.workflow()).unwrap();
    let mut parent = load_one(&[("flow.ts", "import { workflow } from 'stepwell';\nexport const steps = [function before() { return 5; }, workflow('child'), function after({ lastStep }) { return lastStep; }];")]).await;
    parent
        .resolve(|name| engine.workflow("default", name).map(|one| one.dialect().to_owned()))
        .unwrap();
    engine.register(parent.workflow()).unwrap();
    let run = engine.start("flow", &json!("in")).await.unwrap();
    let last: Value = engine.wait(&run).await.unwrap();
    assert_eq!(last["result"], json!(["in", 5]));
    let run = engine.start("flow", &json!("in")).await.unwrap();
    engine.settle().await;
    let state = run.state().await.unwrap().state;
    let entry = state.entries.values().find(|entry| entry.child.is_some()).unwrap();
    let child = engine.get(entry.child.clone().unwrap().0).await.unwrap();
    run.cancel("enough").await.unwrap();
    engine.settle().await;
    for run in [run, child] {
        assert_eq!(run.state().await.unwrap().status, RunStatus::Cancelled);
    }
}
