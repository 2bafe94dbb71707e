//! Plans: what is wrong with them, with file and line, and how they are drawn.

use std::time::Duration;

use serde_json::{Value, json};
use stepwell_sequence::ts::SOURCES_BYTES_MAX;
use stepwell_sequence::{
    CONCURRENCY_MAX, ForEach, NAME_CHARS_MAX, Plan, Sequence, StepCx, StepError, StepExt, Steps,
    TIME_MS_MAX, delay,
};

use crate::kit::{load, load_one};

/// Everything that is wrong with `flow.ts`, a problem a line.
async fn problems(text: &str) -> Vec<String> {
    let Err(problems) = load(&[("flow.ts", text)]).await.map(|loaded| loaded.len()) else {
        panic!("it loads: {text}");
    };
    problems.0.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn duplicate_names_are_refused_with_both_places() {
    let said = problems(
        "const a = () => 1;\nfunction twice() {}\nexport const steps = [\n  twice,\n  a,\n  twice,\n];\n",
    )
    .await;
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("flow.ts:2:"), "{said:?}");
    assert!(
        said[0].contains("two steps are called `twice` (the other is at flow.ts:2:"),
        "{said:?}"
    );
    let nested = "import { parallel } from 'stepwell';\nfunction x() {}\nexport const steps = [x, parallel({ name: 'p', steps: [x] })];";
    assert!(problems(nested).await[0].contains("two steps are called `x`"));
}

#[tokio::test]
async fn the_arms_of_a_branch_may_share_a_step() {
    let text = "import { branch } from 'stepwell';
        function tell() { return 1; }
        export const steps = [branch({ name: 'b', if: () => true, then: [tell], else: [tell] })];";
    assert_eq!(load_one(&[("flow.ts", text)]).await.plan().n_steps(), 2);
}

#[tokio::test]
async fn a_result_that_cannot_be_there_is_refused() {
    let later = "function first({ steps }) {\n  return steps.second.result;\n}\nfunction second() {}\nexport const steps = [first, second];";
    let said = problems(later).await;
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("step `first` reads `steps.second.result`, but `second` (at flow.ts:4:"),
        "{said:?}"
    );
    // In a loop the step of the iteration before is there; what is not of this workflow may be the parent's; and a
    // comment reads nothing.
    let fine = "import { loop } from 'stepwell';
        function a({ steps }) { return steps.b.result ?? steps.parent.result; }
        function b({ steps }) { /* steps.c.result */ return steps.a.result; }
        function c() { return 1; }
        export const steps = [loop({ name: 'l', body: [a, b], until: () => true }), c];";
    load_one(&[("flow.ts", fine)]).await;
}

#[tokio::test]
async fn bad_options_are_all_said_at_once() {
    let text = "import { forEach, loop, delayStep, branch } from 'stepwell';
const f = () => 1;
const g = () => 2;
export const description = 7;
export const steps = [
  { fn: f, timeout: '60', onTimeout: 'again', maxAttempts: 0, retries: 3 },
  { fn: g, onTimeout: 'retry' },
  { fn: 'h' },
  { fn: branch({ name: 'b', if: () => true, then: [function i() {}] }), timeout: 5 },
  forEach({ name: 'each', items: [1], steps: [] , concurrency: 0 }),
  loop({ name: 'l', body: () => 1 }),
  delayStep({ seconds: -1 }),
  () => 3,
  42,
];";
    let said = problems(text).await.join("\n");
    for expected in [
        "`description` must be a string, and is number",
        "`timeout` must be a whole number of milliseconds, and is \"60\"",
        "`onTimeout` must be one of stop, retry, and is \"again\"",
        "`maxAttempts` of step `f` must be from 1 to 1000, not 0",
        "a step has no option `retries`",
        "step `g` says what follows a timeout (`onTimeout`) but has no `timeout`",
        "a step's `fn` must be a function, and is string",
        "`timeout` can only be given to a step",
        "`items` of forEach() must be a function, and is an array",
        "loop() wants `until`, a function",
        "delayStep wants a length that is not negative",
        "a step needs a name",
        "is number: a step is a function",
    ] {
        assert!(said.contains(expected), "{expected}\nis not in\n{said}");
    }
    assert!(said.contains("flow.ts:10:"), "the place of forEach: {said}");
}

#[tokio::test]
async fn nested_workflows_that_are_not_there_are_refused() {
    let said = problems("import { workflow } from 'stepwell';\nexport const steps = [\n  workflow('./payment.ts'),\n];").await;
    assert!(said[0].starts_with("flow.ts:3:"), "{said:?}");
    assert!(
        said[0].contains("the nested workflow `./payment.ts` is not there: looked for payment.ts"),
        "{said:?}"
    );
    let cycle = [
        ("a.ts", "import { workflow } from 'stepwell';\nexport const steps = [workflow('./b')];"),
        ("b.ts", "import { workflow } from 'stepwell';\nexport const steps = [workflow('./a')];"),
    ];
    let said = load(&cycle).await.map(|loaded| loaded.len()).unwrap_err().to_string();
    assert!(said.contains("a workflow cannot nest itself: a.ts nests b.ts nests a.ts"), "{said}");
    let mut named = load_one(&[(
        "flow.ts",
        "import { workflow } from 'stepwell';\nexport const steps = [workflow('billing')];",
    )])
    .await;
    let said = named.resolve(|_| None).unwrap_err().to_string();
    assert!(
        said.contains("flow.ts:2:") && said.contains("there is no workflow `billing`"),
        "{said}"
    );
    assert!(named.resolve(|_| Some("code".to_owned())).is_ok());
}

#[tokio::test]
async fn code_that_does_not_load_says_where() {
    for (text, expected) in [
        ("export const steps = [", "flow.ts:1:"),
        ("import { x } from './gone';\nexport const steps = [() => x];", "flow.ts:1:"),
        (
            "import { z } from 'left-pad';\nexport const steps = [function a() { return z; }];",
            "`left-pad` cannot be imported",
        ),
        ("const a = 1;\nthrow new Error('at the top');\nexport const steps = [];", "flow.ts:2:"),
        (
            "import { nothing } from 'stepwell';\nexport const steps = [function a() { return nothing; }];",
            "flow.ts:1:",
        ),
        ("export const steps = [];", "workflow `flow` has no steps"),
        ("export const steps = () => 1;", "there are no steps"),
    ] {
        let said = problems(text).await.join("\n");
        assert!(said.contains(expected), "{text}\n{said}");
    }
    assert!(load(&[("lib.ts", "export const step = () => 1;")]).await.unwrap().is_empty());
}

async fn step(_: StepCx) -> Result<u32, StepError> {
    Ok(1)
}

#[test]
fn a_builder_is_checked_the_same_way() {
    let said = |sequence: Sequence| sequence.build().unwrap_err().to_string();
    assert!(said(Sequence::new("s")).contains("has no steps"));
    assert!(said(Sequence::new("s").step(step).step(step)).contains("two steps are called `step`"));
    assert!(
        said(Sequence::new("s").step(|_: StepCx| async { Ok::<_, StepError>(1) }))
            .contains("a step needs a name")
    );
    assert!(said(Sequence::new("s").step(step.named("a/b"))).contains("must not"));
    assert!(said(Sequence::new("s").step(step.max_attempts(0))).contains("`maxAttempts`"));
    let long = "x".repeat(NAME_CHARS_MAX + 1);
    assert!(said(Sequence::new("s").step(step.named(&long))).contains("NAME_CHARS_MAX = 128"));
    let mut deep = Steps::new().step(step);
    for n in 0..40 {
        deep = Steps::new().branch(&format!("b{n}"), |_| Ok(true), deep, ());
    }
    assert!(said(Sequence::new("s").steps(deep)).contains("DEPTH_MAX = 32"));
    let many: Vec<_> = (0..10_001).map(|n| step.named(&format!("s{n}"))).collect();
    assert!(said(Sequence::new("s").steps(many)).contains("NODES_MAX = 10000"));
}

#[tokio::test]
async fn times_and_concurrency_have_bounds() {
    let over = TIME_MS_MAX + 1;
    let said = |sequence: Sequence| sequence.build().unwrap_err().to_string();
    let timeout = |ms| Sequence::new("s").step(step.timeout(Duration::from_millis(ms)));
    assert!(timeout(TIME_MS_MAX).build().is_ok());
    assert!(said(timeout(over)).contains("`timeout` of step `step` must be from 1 to 8640000000"));
    let rest = |ms| Sequence::new("s").step(delay("rest", Duration::from_millis(ms)));
    assert!(rest(TIME_MS_MAX).build().is_ok());
    assert!(said(rest(over)).contains("delay `rest` is longer than 8640000000 milliseconds"));
    let each = |n| {
        let items = |_: &StepCx| Ok(vec![1]);
        Sequence::new("s").for_each("each", items, ForEach::parallel(n), step)
    };
    assert!(each(CONCURRENCY_MAX).build().is_ok());
    assert!(said(each(CONCURRENCY_MAX + 1)).contains("must be from 1 to 1000, not 1001"));
    let text = "import { delayStep, forEach } from 'stepwell';
        function a() {}
        export const steps = [
          { fn: a, timeout: 8640000001 },
          delayStep({ name: 'rest', days: 101 }),
          forEach({ name: 'each', items: () => [1], steps: [function b() {}], concurrency: 1001 }),
        ];";
    let said = problems(text).await.join("\n");
    for expected in ["`timeout` of step `a`", "delay `rest` is longer", "must be from 1 to 1000"] {
        assert!(said.contains(expected), "{expected}\n{said}");
    }
}

#[tokio::test]
async fn the_files_of_a_workflow_have_a_size_that_can_be_kept() {
    // Each workflow's own files are few enough; together they are too many.
    let filler = format!("export const text = '{}';", "x".repeat(900_000));
    let names = ["a", "b", "c", "d", "e", "f"];
    let import = |name: &str| format!("import {{ text as {name} }} from './{name}';\n");
    let flow = format!(
        "import {{ workflow }} from 'stepwell';\n{}export const steps = [function f1() {{ return a + b + c; }}, workflow('./nested')];",
        names[..3].iter().map(|name| import(name)).collect::<String>()
    );
    let nested = format!(
        "{}export const steps = [function f2() {{ return d + e + f; }}];",
        names[3..].iter().map(|name| import(name)).collect::<String>()
    );
    let parts = names.map(|name| format!("{name}.ts"));
    let mut files = vec![("flow.ts", flow.as_str()), ("nested.ts", nested.as_str())];
    files.extend(parts.iter().map(|part| (part.as_str(), filler.as_str())));
    let Err(problems) = load(&files).await.map(|loaded| loaded.len()) else {
        panic!("more than {SOURCES_BYTES_MAX} bytes are taken")
    };
    assert!(problems.to_string().contains("more than SOURCES_BYTES_MAX = 4194304"), "{problems}");
}

#[tokio::test]
async fn a_plan_is_data_that_comes_back_as_it_was_and_is_drawn() {
    let text = "import { branch, parallel } from 'stepwell';
        const a = () => 1; const b = () => 2; const c = () => 3; const d = () => 4;
        export const steps = [a, branch({ name: 'fork', if: () => true, then: [b], else: [c] }), parallel({ name: 'side', steps: [d] })];";
    let loaded = load_one(&[("flow.ts", text)]).await;
    let plan = loaded.plan();
    let kept: Plan = serde_json::from_str(&serde_json::to_string(plan).unwrap()).unwrap();
    assert_eq!(&kept, plan);
    let workflow = loaded.workflow();
    assert_eq!(Plan::of(&workflow).as_ref(), Some(plan));
    let drawing = (**workflow.plan().unwrap()).clone();
    let nodes: Vec<(&str, &str)> = drawing["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| (node["name"].as_str().unwrap(), node["kind"].as_str().unwrap()))
        .collect();
    assert_eq!(
        nodes,
        [
            ("a", "step"),
            ("fork", "branch"),
            ("fork/b", "step"),
            ("fork/c", "step"),
            ("side", "parallel"),
            ("side/d", "step")
        ]
    );
    let edges: Vec<Value> = drawing["edges"].as_array().unwrap().clone();
    let edge = |from: &str, to: &str, kind: &str| json!({ "from": from, "to": to, "kind": kind });
    for expected in [
        edge("a", "fork", "next"),
        edge("fork", "fork/b", "then"),
        edge("fork", "fork/c", "else"),
        edge("fork/b", "side", "next"),
        edge("fork/c", "side", "next"),
        edge("side", "side/d", "side"),
    ] {
        assert!(edges.contains(&expected), "{expected} is not in {edges:?}");
    }
    assert_eq!(drawing["nodes"][0]["level"], 0);
    assert_eq!(drawing["nodes"][4]["isOutput"], true);
}
