//! A script cannot take more than it was given, and whoever comes next does not notice.

use std::time::{Duration, Instant};

use serde_json::json;
use stepwell_script::js::{Call, Grants, JsPool, PoolOptions};
use stepwell_script::{ErrorKind, ScriptError, ScriptLimits};
use tokio_util::sync::CancellationToken;

use crate::kit::{LIMITS, POOL, SCRIPTS, options, program, value_of};

const SHORT: ScriptLimits = ScriptLimits { time_ms: 150, ..LIMITS };

async fn limited(text: &str, limits: ScriptLimits) -> ScriptError {
    let text = format!("export default {text}");
    let options = options().limits(limits);
    let result = SCRIPTS.eval_default_export("script.ts", &text, &json!(null), options).await;
    // The pool is well, whatever the script did.
    assert_eq!(value_of("1 + 1").await, json!(2));
    match result {
        Ok(value) => panic!("it gave {value:?}: {text}"),
        Err(error) => error,
    }
}

async fn check_time(text: &str) {
    let error = limited(text, SHORT).await;
    assert_eq!(error.kind, ErrorKind::TimedOut, "{text}: {error}");
    assert!(error.message.contains("150 ms"), "{error}");
}

#[tokio::test]
async fn an_endless_loop_is_stopped() {
    check_time("() => { while (true) {} }").await;
}

#[tokio::test]
async fn an_endless_loop_cannot_catch_its_end() {
    check_time(
        "() => { while (true) { try { while (true) {} } catch {} finally { while (true) {} } } }",
    )
    .await;
    check_time("async () => { while (true) { try { await (async () => { while (true) {} })(); } catch {} } }").await;
}

#[tokio::test]
async fn endless_promises_are_stopped() {
    check_time("() => { const again = () => Promise.resolve().then(again); return again(); }")
        .await;
    check_time("async () => { while (true) await null; }").await;
    check_time("() => new Promise(() => { const again = () => queueMicrotask(again); again(); })")
        .await;
}

#[tokio::test]
async fn endless_timers_are_stopped() {
    check_time("() => new Promise(() => { setInterval(() => {}, 1); })").await;
    check_time("() => new Promise((done) => setTimeout(done, 1e6))").await;
}

#[tokio::test]
async fn endless_generators_getters_and_proxies_are_stopped() {
    check_time("() => { for (const x of (function* () { while (true) yield 1; })()); }").await;
    check_time("() => ({ get a() { while (true) {} } })").await;
    check_time("() => ({ toJSON() { while (true) {} } })").await;
    check_time("() => { throw { get message() { while (true) {} }, name: 'x' }; }").await;
    check_time("() => [1, 2].sort(() => { while (true) {} })").await;
}

#[tokio::test]
async fn a_regular_expression_that_explodes_is_stopped() {
    check_time("() => /^(a+)+$/.test('a'.repeat(40) + 'b')").await;
    check_time("() => 'x'.repeat(40).replace(/(x*)*y/, '')").await;
}

#[tokio::test]
async fn native_loops_over_huge_arrays_are_stopped_or_given_up() {
    check_time("() => new Array(2 ** 32 - 1).indexOf(1)").await;
    // QuickJS does not look up while it searches a text.
    check_time(&format!("() => {SEARCH}")).await;
}

/// Some thousand million comparisons between which nothing can be interrupted.
const SEARCH: &str = "'a'.repeat(2 ** 17).indexOf('a'.repeat(2 ** 16) + 'b')";

#[tokio::test]
async fn too_many_threads_that_hang_refuse_more_calls_until_one_ends() {
    let pool = JsPool::new(PoolOptions { given_up_max: 1, ..PoolOptions::default() });
    let text = format!("export const hang = () => {SEARCH}; export const quick = () => 1;");
    let program = program("a.ts", &[("a.ts", &text)]);
    let error = pool.call(&program, Call::export("hang").limits(SHORT)).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::TimedOut);
    assert!(error.message.contains("cannot be interrupted"), "{error}");
    let refused = pool.call(&program, Call::export("quick").limits(LIMITS)).await.unwrap_err();
    assert_eq!(refused.kind, ErrorKind::Overloaded);
    assert!(refused.message.contains("1 scripts hang"), "{refused}");
    let until = Instant::now() + Duration::from_secs(300);
    loop {
        match pool.call(&program, Call::export("quick").limits(LIMITS)).await {
            Ok(value) => break assert_eq!(value, Some(json!(1))),
            Err(error) => assert_eq!(error.kind, ErrorKind::Overloaded),
        }
        assert!(Instant::now() < until, "the thread never ends");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_top_level_that_never_ends_is_stopped() {
    check_time("1; while (true) {}").await;
}

#[tokio::test]
async fn memory_is_bounded() {
    for text in [
        "() => { const all = []; while (true) all.push(new Array(100).fill(all.length)); }",
        "() => { let s = 'x'; while (true) s = [s, s].join(''); }",
        "() => 'x'.repeat(2 ** 29)",
        "() => new Array(2 ** 27).fill(0)",
        "() => new Uint8Array(2 ** 30)",
        "() => { const m = new Map(); for (let n = 0; ; n++) m.set(n, { n }); }",
        "() => 'x'.repeat(2 ** 24).split('')",
        "() => JSON.stringify(new Array(2 ** 21).fill('xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'))",
        "async () => { const all = []; while (true) { await null; all.push('x'.repeat(100_000) + all.length); } }",
    ] {
        let error = limited(text, ScriptLimits { memory_bytes: 16 << 20, ..LIMITS }).await;
        assert_eq!(error.kind, ErrorKind::OutOfMemory, "{text}: {error}");
        assert!(error.message.contains("16777216 bytes"), "{error}");
    }
}

#[tokio::test]
async fn all_of_the_memory_can_be_used() {
    let limits = ScriptLimits { memory_bytes: 32 << 20, ..LIMITS };
    let text =
        "export default () => { const b = new Uint8Array(24 << 20); b[5] = 1; return b.length; };";
    let result =
        SCRIPTS.eval_default_export("a.ts", text, &json!(null), options().limits(limits)).await;
    assert_eq!(result.unwrap(), Some(json!(24 << 20)));
}

#[tokio::test]
async fn a_script_may_survive_its_own_greed() {
    let text =
        "export default () => { try { new Uint8Array(2 ** 30) } catch (e) { return e.message } };";
    let result = SCRIPTS.eval_default_export("a.ts", text, &json!(null), options()).await;
    assert_eq!(result.unwrap(), Some(json!("out of memory")));
}

#[tokio::test]
async fn recursion_is_bounded() {
    for text in [
        "function f() { return f() + 1 }",
        "() => { const o = {}; o.toString = () => `${o}`; return `${o}`; }",
        "() => { let a = []; for (let n = 0; n < 200_000; n++) a = [a]; return JSON.stringify(a); }",
        "() => { const p = new Proxy({}, { get: (t, k, r) => r[k] }); return p.x; }",
        "() => JSON.parse('['.repeat(200_000))",
    ] {
        let error = limited(text, LIMITS).await;
        assert_eq!(error.kind, ErrorKind::StackOverflow, "{text}: {error}");
    }
}

#[tokio::test]
async fn ordinary_recursion_fits() {
    let text = "export default () => { const depth = (n: number): number => n === 0 ? 0 : 1 + depth(n - 1); return depth(1000); };";
    let result = SCRIPTS.eval_default_export("a.ts", text, &json!(null), options()).await;
    assert_eq!(result.unwrap(), Some(json!(1000)));
}

#[tokio::test]
async fn output_is_bounded() {
    let limits = ScriptLimits { output_bytes: 100, ..LIMITS };
    let error = limited("() => 'x'.repeat(99)", limits).await;
    assert_eq!(error.kind, ErrorKind::OutputTooLarge);
    assert!(
        error.message.contains("101 bytes") && error.message.contains("100 are allowed"),
        "{error}"
    );
    let text = "export default () => 'x'.repeat(98)";
    let fits =
        SCRIPTS.eval_default_export("a.ts", text, &json!(null), options().limits(limits)).await;
    assert_eq!(fits.unwrap(), Some(json!("x".repeat(98))));
}

#[tokio::test]
async fn a_promise_that_never_settles_is_an_error_of_its_own() {
    for text in [
        "() => new Promise(() => {})",
        "async () => { await new Promise(() => {}); }",
        "() => ({ then() {} })",
    ] {
        let error = limited(text, LIMITS).await;
        assert_eq!(error.kind, ErrorKind::NeverSettled, "{text}: {error}");
    }
    let error = limited("1; await new Promise(() => {});", LIMITS).await;
    assert_eq!(error.kind, ErrorKind::NeverSettled, "{error}");
}

#[tokio::test]
async fn a_script_hears_that_its_time_is_up() {
    use std::sync::Arc;
    let library = stepwell_script::js::Library::new().driver(
        "import { signal, emit } from 'stepwell:host';
         export const wait = () => new Promise(() => {
           signal().addEventListener('abort', () => emit('aborted', signal().reason.name));
           setTimeout(() => {}, 1e6);
         });
         export const spin = () => { signal().addEventListener('abort', () => emit('aborted', signal().reason.name)); while (true) {} };
         export const stubborn = () => { signal().onabort = () => { while (true) {} }; while (true) {} };",
    );
    let bundle = stepwell_script::js::Bundle::single("a.ts", "export const x = 1;");
    let program = stepwell_script::js::Program::compile(&bundle, &library).unwrap();
    for (name, heard) in [("wait", true), ("spin", true), ("stubborn", false)] {
        let emitted = Arc::new(parking_lot::Mutex::new(Vec::new()));
        let sink = emitted.clone();
        let emit =
            Arc::new(move |channel: &str, value| sink.lock().push((channel.to_owned(), value)));
        let grants = Grants { emit: Some(emit), ..Grants::default() };
        // Long enough to get as far as the loop on a busy machine.
        let limits = ScriptLimits { time_ms: 2_000, ..LIMITS };
        let call = Call::driver(name).limits(limits).grants(grants);
        let error = POOL.call(&program, call).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::TimedOut, "{name}");
        let expected =
            if heard { vec![("aborted".to_owned(), json!("TimeoutError"))] } else { Vec::new() };
        assert_eq!(*emitted.lock(), expected, "{name}");
    }
}

#[tokio::test]
async fn hostile_scripts_do_not_hold_up_others() {
    // Far more endless loops than cores, and none of them ends before the others are done.
    let program = program("a.ts", &[("a.ts", "export default () => { while (true) {} };")]);
    let limits = ScriptLimits { time_ms: 600_000, ..LIMITS };
    let stop = CancellationToken::new();
    let loops: Vec<_> = (0..16)
        .map(|_| {
            let (program, call) =
                (program.clone(), Call::default().limits(limits).cancel(stop.clone()));
            tokio::spawn(async move { POOL.call(&program, call).await })
        })
        .collect();
    for n in 0..20 {
        assert_eq!(value_of(&format!("{n} + 1")).await, json!(n + 1));
    }
    stop.cancel();
    for looping in loops {
        assert_eq!(looping.await.unwrap().unwrap_err().kind, ErrorKind::Cancelled);
    }
}
