//! Calling functions: what goes in, what comes out, how it ends.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use stepwell_script::js::{Bundle, Call, Grants, JsPool, Library, PoolOptions, Program};
use stepwell_script::{ErrorKind, SOURCE_BYTES_MAX, ScriptError, ScriptLimits};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::kit::{LIMITS, POOL, SCRIPTS, error_of, options, program, try_run};

type Answer = Result<Option<Value>, ScriptError>;

#[tokio::test]
async fn arguments_and_results_are_json() {
    let program = program("a.ts", &[("a.ts", "export function echo(...args) { return args; }")]);
    let args = [
        json!({ "a": [1, -2.5, 1e300, "ä😀\n\u{0}", null, true], "__proto__": 1 }),
        json!([]),
        json!("x"),
    ];
    let mut call = Call::export("echo").limits(LIMITS);
    for arg in &args {
        call = call.arg(arg).unwrap();
    }
    assert_eq!(POOL.call(&program, call).await.unwrap(), Some(json!(args)));
}

#[tokio::test]
async fn undefined_is_told_from_null() {
    for (text, expected) in [
        ("export default () => {}", None),
        ("export default async () => undefined", None),
        ("export default () => () => {}", None),
        ("export default () => null", Some(json!(null))),
        ("export default () => NaN", Some(json!(null))),
        ("export default async () => [undefined]", Some(json!([null]))),
        (
            "export default () => ({ a: undefined, d: new Date(0), m: new Map([[1, 2]]) })",
            Some(json!({ "d": "1970-01-01T00:00:00.000Z", "m": {} })),
        ),
        ("export default () => ({ then(done) { done(7) } })", Some(json!(7))),
    ] {
        assert_eq!(try_run(text).await.unwrap(), expected, "{text}");
    }
}

#[tokio::test]
async fn what_is_not_json_is_an_error() {
    for text in [
        "export default () => 1n",
        "export default () => { const o: any = {}; o.o = o; return o; }",
        "export default () => ({ toJSON() { throw new Error('no'); } })",
        "export default () => { let a: any = []; for (let n = 0; n < 300; n++) a = [a]; return a; }",
        "export default () => 'half \\ud800'",
    ] {
        let error = error_of(text).await;
        assert_eq!(error.kind, ErrorKind::NotJson, "{text}: {error}");
    }
}

#[tokio::test]
async fn functions_are_called_by_name() {
    let program = program(
        "a.ts",
        &[(
            "a.ts",
            "export const one = () => 1; export class K {}; export const text = 'x'; export default async function () { return 2; }",
        )],
    );
    let call = async |name: &str| POOL.call(&program, Call::export(name).limits(LIMITS)).await;
    assert_eq!(call("one").await.unwrap(), Some(json!(1)));
    assert_eq!(call("default").await.unwrap(), Some(json!(2)));
    let missing = call("two").await.unwrap_err();
    assert_eq!(missing.kind, ErrorKind::NoSuchFunction);
    assert!(missing.message.contains("K, default, one, text"), "{missing}");
    assert_eq!(call("text").await.unwrap_err().kind, ErrorKind::NoSuchFunction);
    assert_eq!(call("toString").await.unwrap_err().kind, ErrorKind::NoSuchFunction);
}

#[tokio::test]
async fn errors_carry_their_name_and_properties() {
    let error = error_of(
        "class StepError extends Error {
           name = 'StepError';
           constructor(message: string, options: object) { super(message); Object.assign(this, options); }
         }
         export default () => { throw new StepError('try later', { behavior: 'retry', maxAttempts: 3, nested: { a: [1] }, fn() {}, big: 1n }); };",
    )
    .await;
    assert_eq!(error.kind, ErrorKind::Thrown);
    assert_eq!(
        error.to_string(),
        "script.ts:5:55: StepError: try later".replace("5:55", &place(&error))
    );
    let thrown = error.thrown.unwrap();
    assert_eq!(thrown.name, "StepError");
    assert_eq!(
        Value::Object(thrown.properties),
        json!({ "behavior": "retry", "maxAttempts": 3, "nested": { "a": [1] } })
    );
}

fn place(error: &ScriptError) -> String {
    let position = error.position.as_ref().unwrap();
    format!("{}:{}", position.line, position.column)
}

#[tokio::test]
async fn anything_can_be_thrown() {
    for (text, message, value) in [
        ("throw 'text'", "text", json!("text")),
        ("throw { code: 7 }", "{\"code\":7}", json!({ "code": 7 })),
        ("throw undefined", "undefined", json!(null)),
        ("throw null", "null", json!(null)),
        ("throw Symbol('s')", "Symbol(s)", json!(null)),
        ("return Promise.reject(42)", "42", json!(42)),
        ("throw { toString() { throw 1 }, toJSON() { throw 1 } }", "a value", json!(null)),
    ] {
        let error = error_of(&format!("export default () => {{ {text}; }};")).await;
        assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Thrown, message), "{text}");
        let thrown = error.thrown.unwrap();
        assert_eq!((thrown.name.as_str(), &thrown.properties["value"]), ("", &value), "{text}");
    }
}

#[tokio::test]
async fn odd_errors_are_described_too() {
    let error = error_of("export default () => { const e: any = new Error('m'); e.name = 7; e.cause = e; Object.defineProperty(e, 'bad', { enumerable: true, get() { throw 1 } }); throw e; };").await;
    assert_eq!(error.message, "m");
    assert_eq!(error.thrown.unwrap().name, "7");
    let error = error_of("export default () => Promise.any([Promise.reject(new Error('one')), Promise.reject('two')]);").await;
    assert_eq!(error.thrown.unwrap().properties["errors"], json!(["one", "two"]));
    let error =
        error_of("export default () => { throw new DOMException('gone', 'AbortError'); };").await;
    assert_eq!(
        (error.message.as_str(), error.thrown.unwrap().name.as_str()),
        ("gone", "AbortError")
    );
}

#[tokio::test]
async fn a_rejection_that_nobody_hears_ends_the_call() {
    let text = "export default () => new Promise(() => { (async () => { throw new Error('unheard'); })(); setTimeout(() => {}, 1e6); });";
    let error = error_of(text).await;
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Thrown, "unheard"));
    // Somebody listens, if late.
    let text = "export default async () => { const p = Promise.reject(new Error('x')); await null; await null; try { await p; } catch { return 'heard'; } };";
    assert_eq!(try_run(text).await.unwrap(), Some(json!("heard")));
}

#[tokio::test]
async fn a_driver_reads_what_a_file_defines() {
    let library = Library::new()
        .module("stepwell", "export class StepError extends Error { constructor(m, o) { super(m); this.name = 'StepError'; Object.assign(this, o); } }\nexport const delayStep = (o) => Object.assign(() => {}, { stepwell: o });")
        .driver(
            "import { positionOf, emit } from 'stepwell:host';
             export const describe = (exports) => exports.steps.map((fn) => ({ name: fn.name, at: positionOf(fn) }));
             export const callStep = (exports, index, input) => exports.steps[index]({ input, log: { info: (m) => emit('log', { m }) } });",
        );
    let texts = crate::kit::files(&[
        (
            "flow.ts",
            "import { StepError, delayStep } from 'stepwell';\nimport { chop } from './steps';\nenum Kind { Oak = 'oak' }\nfunction findTree({ input, log }: any) {\n  log.info('finding');\n  return { kind: Kind.Oak, input };\n}\nexport const steps = [findTree, chop, delayStep({ seconds: 1 }), () => { throw new StepError('no', { behavior: 'stop' }) }];",
        ),
        ("steps.ts", "// one\n// two\nexport async function chop() { return 'chopped'; }"),
    ]);
    let bundle = Bundle::collect("flow.ts", &texts, &library, Default::default()).unwrap();
    let program = Program::compile(&bundle, &library).unwrap();
    let described =
        POOL.call(&program, Call::driver("describe").limits(LIMITS)).await.unwrap().unwrap();
    assert_eq!(described[0]["name"], "findTree");
    assert_eq!(
        (&described[0]["at"]["file"], &described[0]["at"]["line"]),
        (&json!("flow.ts"), &json!(4))
    );
    assert_eq!(
        (&described[1]["at"]["file"], &described[1]["at"]["line"]),
        (&json!("steps.ts"), &json!(3))
    );
    assert_eq!(described[2]["at"], json!(null), "built in");

    let emitted = Arc::new(Mutex::new(Vec::new()));
    let sink = emitted.clone();
    let emit = Arc::new(move |channel: &str, value| sink.lock().push((channel.to_owned(), value)));
    let grants = Grants { emit: Some(emit), ..Grants::default() };
    let step = |n: usize| {
        Call::driver("callStep")
            .limits(LIMITS)
            .grants(grants.clone())
            .arg(&n)
            .unwrap()
            .arg("in")
            .unwrap()
    };
    assert_eq!(
        POOL.call(&program, step(0)).await.unwrap(),
        Some(json!({ "kind": "oak", "input": "in" }))
    );
    assert_eq!(*emitted.lock(), [("log".to_owned(), json!({ "m": "finding" }))]);
    assert_eq!(POOL.call(&program, step(1)).await.unwrap(), Some(json!("chopped")));
    let error = POOL.call(&program, step(3)).await.unwrap_err();
    assert_eq!(error.thrown.unwrap().properties["behavior"], "stop");
    assert_eq!(error.position.unwrap().line, 8);
}

#[tokio::test]
async fn a_body_gets_its_arguments_by_name() {
    let args: Map<String, Value> =
        serde_json::from_value(json!({ "b": 2, "a": 40, "due-date": "x", "class": 1 })).unwrap();
    let eval = async |text: &str| SCRIPTS.eval_body("sum", text, &args, options()).await;
    assert_eq!(eval("return { total: a + b }").await.unwrap(), Some(json!({ "total": 42 })));
    assert_eq!(
        eval("const n: number = await Promise.resolve(a);\nreturn n as number").await.unwrap(),
        Some(json!(40))
    );
    assert_eq!(eval("return args['due-date'] + args.class").await.unwrap(), Some(json!("x1")));
    assert_eq!(eval("a = 1; // comment").await.unwrap(), None);
    assert_eq!(eval("return").await.unwrap(), None);
    assert_eq!(eval("return missing").await.unwrap_err().thrown.unwrap().name, "ReferenceError");
}

#[tokio::test]
async fn a_source_that_stands_alone_has_a_bound() {
    let text = format!("return '{}'", "x".repeat(SOURCE_BYTES_MAX));
    let args = Map::new();
    let error = SCRIPTS.eval_body("a.ts", &text, &args, options()).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Compile);
    assert!(error.message.contains("more than 524288"), "{error}");
    let error = SCRIPTS.module("a.ts", &text).err().unwrap();
    assert!(error[0].message.contains("more than 524288"), "{}", error[0]);
}

/// A console that tells when the call said something.
fn announcing() -> (Grants, mpsc::UnboundedReceiver<()>) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let console = Arc::new(move |_| {
        // Whoever has heard enough is gone.
        let _ = sender.send(());
    });
    (Grants { console: Some(console), ..Grants::default() }, receiver)
}

/// A pool with one thread, which is busy until the token is cancelled.
async fn busy_pool(options: PoolOptions) -> (JsPool, CancellationToken) {
    let pool = JsPool::new(PoolOptions { cores: 1, calls_max: 1, ..options });
    let text = "export default () => { console.log('begun'); return new Promise((d) => setTimeout(d, 1e9)); };";
    let program = program("busy.ts", &[("busy.ts", text)]);
    let (grants, mut begun) = announcing();
    let token = CancellationToken::new();
    let limits = ScriptLimits { time_ms: 600_000, ..LIMITS };
    let call = Call::default().limits(limits).grants(grants).cancel(token.clone());
    tokio::spawn({
        let pool = pool.clone();
        async move { pool.call(&program, call).await }
    });
    begun.recv().await.unwrap();
    (pool, token)
}

/// Puts a call into the queue of a pool whose threads are busy.
async fn enqueue(call: &mut Pin<Box<impl Future<Output = Answer>>>) {
    let early = tokio::time::timeout(Duration::ZERO, call).await;
    assert!(early.is_err(), "it has to wait: {early:?}");
}

#[tokio::test]
async fn a_token_cancels_a_call_wherever_it_is() {
    for text in [
        "() => { while (true) {} }",
        "() => new Promise((d) => setTimeout(d, 1e6))",
        "async () => { while (true) await null; }",
    ] {
        let text = format!(
            "const f = {text}; export default () => {{ console.log('begun'); return f(); }};"
        );
        let program = program("a.ts", &[("a.ts", &text)]);
        let token = CancellationToken::new();
        let (grants, mut begun) = announcing();
        let call = Call::default().limits(LIMITS).grants(grants).cancel(token.clone());
        let running = tokio::spawn(async move { POOL.call(&program, call).await });
        begun.recv().await.unwrap();
        token.cancel();
        let error = running.await.unwrap().unwrap_err();
        assert_eq!(error.kind, ErrorKind::Cancelled, "{text}");
    }
}

#[tokio::test]
async fn a_call_whose_future_is_dropped_ends() {
    let pool = JsPool::new(PoolOptions { cores: 1, calls_max: 1, ..PoolOptions::default() });
    let text =
        "export default (n) => { console.log('begun'); if (n === 0) while (true) {} return n; };";
    let program = program("a.ts", &[("a.ts", text)]);
    let (grants, mut begun) = announcing();
    let limits = ScriptLimits { time_ms: 600_000, ..LIMITS };
    let looping = pool.call(&program, options().limits(limits).grants(grants).arg(&0).unwrap());
    tokio::select! {
        answer = looping => panic!("the loop ended: {answer:?}"),
        _ = begun.recv() => {}
    }
    // The only thread there is must be free again, long before the loop's limit.
    let next = pool.call(&program, options().arg(&1).unwrap());
    let next = tokio::time::timeout(Duration::from_secs(60), next).await.unwrap();
    assert_eq!(next.unwrap(), Some(json!(1)));
}

#[tokio::test]
async fn a_call_that_is_cancelled_in_the_queue_never_begins() {
    let (pool, end) = busy_pool(PoolOptions::default()).await;
    let (grants, mut begun) = announcing();
    let program = program("a.ts", &[("a.ts", "export default () => console.log('begun');")]);
    let mut queued = Box::pin(pool.call(&program, options().grants(grants)));
    enqueue(&mut queued).await;
    drop(queued);
    end.cancel();
    pool.call(&program, options()).await.unwrap();
    assert!(begun.try_recv().is_err(), "it had been dropped");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_calls_run_at_once() {
    let program = program(
        "a.ts",
        &[(
            "a.ts",
            "let mine = 0; export default async (n) => { mine += n; await new Promise((d) => setTimeout(d, 20)); let sum = 0; for (let i = 0; i < 1000; i++) sum += i; return [mine, sum]; };",
        )],
    );
    let calls: Vec<_> = (0..200)
        .map(|n| {
            let program = program.clone();
            tokio::spawn(async move { POOL.call(&program, options().arg(&n).unwrap()).await })
        })
        .collect();
    for (n, call) in calls.into_iter().enumerate() {
        assert_eq!(call.await.unwrap().unwrap(), Some(json!([n, 499_500])));
    }
}

#[tokio::test]
async fn a_full_queue_refuses() {
    let (pool, end) = busy_pool(PoolOptions { queue_max: 1, ..PoolOptions::default() }).await;
    let program = program("a.ts", &[("a.ts", "export default () => 1;")]);
    let mut queued = Box::pin(pool.call(&program, options()));
    enqueue(&mut queued).await;
    let refused = pool.call(&program, options()).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Overloaded);
    assert!(refused.message.contains("1 calls are waiting"), "{refused}");
    end.cancel();
    assert_eq!(queued.await.unwrap(), Some(json!(1)));
}

#[tokio::test]
async fn calls_of_different_keys_take_turns() {
    let (pool, end) = busy_pool(PoolOptions::default()).await;
    let order = Arc::new(Mutex::new(Vec::new()));
    let program = program("a.ts", &[("a.ts", "export default () => console.log('begun');")]);
    let mut calls = Vec::new();
    for key in ["many"; 20].into_iter().chain(["one"]) {
        let sink = order.clone();
        let console = Arc::new(move |_| sink.lock().push(key));
        let grants = Grants { console: Some(console), ..Grants::default() };
        let mut call = Box::pin(pool.call(&program, options().grants(grants).turn_key(key)));
        enqueue(&mut call).await;
        calls.push(call);
    }
    end.cancel();
    for call in calls {
        call.await.unwrap();
    }
    assert_eq!(order.lock()[..3], ["many", "one", "many"]);
    assert_eq!(order.lock().len(), 21);
}

#[tokio::test]
async fn more_memory_than_before_gets_another_engine() {
    let pool = JsPool::new(PoolOptions { idle_engines_max: 1, ..PoolOptions::default() });
    let program = program("a.ts", &[("a.ts", "export default (n) => new Uint8Array(n).length;")]);
    for (memory_bytes, n) in [(1 << 20, 1000), (200 << 20, 150 << 20), (1 << 20, 1000)] {
        let call = options().limits(ScriptLimits { memory_bytes, ..LIMITS }).arg(&n).unwrap();
        assert_eq!(pool.call(&program, call).await.unwrap(), Some(json!(n)));
    }
}

#[tokio::test]
async fn emitting_is_bounded() {
    let library = Library::new().driver("import { emit } from 'stepwell:host'; export const flood = () => { for (let n = 0; n < 10_001; n++) emit('x', n); }; export const heap = () => { for (let n = 0; n < 33; n++) emit('x', 'x'.repeat(1 << 20)); };");
    let program = Program::compile(&Bundle::single("a.ts", ""), &library).unwrap();
    let error = POOL.call(&program, Call::driver("flood").limits(LIMITS)).await.unwrap_err();
    assert!(error.message.contains("10000 times"), "{error}");
    let error = POOL.call(&program, Call::driver("heap").limits(LIMITS)).await.unwrap_err();
    assert!(error.message.contains("33554432 bytes"), "{error}");
}

#[tokio::test]
async fn a_builtin_module_that_does_not_compile_is_an_error() {
    let library = Library::new().module("stepwell", "export const = 1;");
    let program = Program::compile(
        &Bundle::single("a.ts", "import 'stepwell'; export default () => 1;"),
        &library,
    )
    .unwrap();
    let error = POOL.call(&program, options()).await.unwrap_err();
    assert!(error.message.contains("stepwell:1:"), "{error}");
}
