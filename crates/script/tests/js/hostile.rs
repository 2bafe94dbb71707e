//! Files that mean harm: each ends in an error of its own, or gives a harmless value, and whoever comes
//! next does not notice. Plain bounds of time, memory, stack and output are in `limits`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use stepwell_script::js::{AllowedHosts, Call, Grants, JsPool, PoolOptions, WebFetch, WebOptions};
use stepwell_script::{ErrorKind, ScriptError, ScriptLimits};
use tokio_util::sync::CancellationToken;

use crate::kit::{LIMITS, POOL, SCRIPTS, error_of, options, program, run, value_of};

const SHORT: ScriptLimits = ScriptLimits { time_ms: 150, memory_bytes: 16 << 20, ..LIMITS };
const SLOW: ScriptLimits = ScriptLimits { time_ms: 150, ..LIMITS };
const SMALL: ScriptLimits = ScriptLimits { memory_bytes: 16 << 20, ..LIMITS };

async fn outcome(text: &str, limits: ScriptLimits) -> Result<Option<Value>, ScriptError> {
    let options = options().limits(limits);
    let result = SCRIPTS.eval_default_export("hostile.ts", text, &json!(null), options).await;
    assert_eq!(value_of("[1, 2].map((n) => n + 1)").await, json!([2, 3]), "after {text}");
    result
}

/// Each file's default export fails like this.
async fn all_fail(texts: &[&str], limits: ScriptLimits, kind: ErrorKind) {
    for text in texts {
        match outcome(&format!("export default {text}"), limits).await {
            Ok(value) => panic!("it gave {value:?}: {text}"),
            Err(error) => assert_eq!(error.kind, kind, "{text}: {error}"),
        }
    }
}

#[tokio::test]
async fn loops_hide_wherever_code_is_called() {
    all_fail(
        &[
            "() => ({ get then() { while (true) {} } })",
            "() => ({ then() { while (true) {} } })",
            "async () => { for await (const x of (async function* () { while (true) yield 1; })()); }",
            "() => { throw { toJSON() { while (true) {} } }; }",
            "() => Promise.reject({ get stack() { while (true) {} }, message: 'm', name: 'n' })",
            "() => `${{ [Symbol.toPrimitive]() { while (true) {} } }}`",
            "() => new Proxy({}, { ownKeys() { while (true) {} } })",
            "() => new Proxy([], { get(t, k) { if (k === 'length') while (true) {} return t[k]; } })",
            "() => console.log(new Proxy({}, { ownKeys() { while (true) {} } }))",
            "() => structuredClone({ get a() { while (true) {} } })",
            "() => new Promise(() => { setTimeout(() => { while (true) {} }, 1); })",
            "() => { const c = new AbortController(); c.signal.onabort = () => { while (true) {} }; c.abort(); }",
            "() => { function f() { try { f(); } finally { f(); } } f(); }",
            "() => new Function('while (true) {}')()",
            // Without memory for the error that would stop it.
            "() => { const all: any[] = []; try { while (true) all.push(new Array(100).fill(1)); } catch {} while (true) { try { while (true) all.length; } catch {} } }",
            "() => { const all: any[] = []; for (const n of [100, 1, 0]) try { while (true) all.push(new Array(n)); } catch {} while (true) { try { while (true) all.length; } catch {} } }",
            "() => eval('for (;;);')",
            "async () => { const all = []; for (;;) { all[0] = Promise.all([null, all[0]]); await null; } }",
        ],
        SHORT,
        ErrorKind::TimedOut,
    )
    .await;
}

#[tokio::test]
async fn a_loop_of_slow_operations_ends_long_before_the_next_interrupt() {
    // QuickJS looks up every ten thousand turns: these would take hours, and keep the only thread.
    let pool = JsPool::new(PoolOptions { cores: 1, calls_max: 1, ..PoolOptions::default() });
    for body in [
        "while (true) 'x,'.repeat(2e5).split(',');",
        "while (true) try { 'x,'.repeat(2e5).split(','); } catch {}",
        "const a = new Array(3e5).fill({ a: 1 }); while (true) JSON.stringify(a);",
        "let s = 'x'; while (true) s = '(' + s + ')';",
    ] {
        let text = format!("export const slow = () => {{ {body} }}; export const quick = () => 1;");
        let program = program("a.ts", &[("a.ts", &text)]);
        let error = pool.call(&program, Call::export("slow").limits(SLOW)).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::TimedOut, "{body}: {error}");
        let cancel = CancellationToken::new();
        let slow = pool.call(&program, Call::export("slow").limits(LIMITS).cancel(cancel.clone()));
        let (slow, ()) = tokio::join!(slow, async { cancel.cancel() });
        assert_eq!(slow.unwrap_err().kind, ErrorKind::Cancelled, "{body}");
        let quick = pool.call(&program, Call::export("quick").limits(LIMITS));
        let quick = tokio::time::timeout(Duration::from_secs(240), quick).await;
        assert_eq!(quick.expect(body).unwrap(), Some(json!(1)), "{body}");
    }
}

#[tokio::test]
async fn loops_hide_at_the_top_of_files() {
    let program = program(
        "a.ts",
        &[
            ("a.ts", "import './b'; export default () => 1;"),
            ("b.ts", "class A { static { while (true) {} } } export { A };"),
        ],
    );
    for _ in 0..2 {
        let error = POOL.call(&program, options().limits(SHORT)).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::TimedOut, "{error}");
    }
    let text = "export default () => 1; const tick = () => queueMicrotask(tick); tick(); await new Promise(() => {});";
    assert_eq!(outcome(text, SHORT).await.unwrap_err().kind, ErrorKind::TimedOut);
}

#[tokio::test]
async fn loops_hide_in_schemas() {
    let text = "import { z } from 'zod';
        export const input = z.string().refine(() => { while (true) {} });
        export const lazy = z.string().refine(() => new Promise(() => {}));
        export const shape = { _zod: {}, safeParse() {}, get safeParseAsync() { while (true) {} } };";
    let program = program("a.ts", &[("a.ts", text)]);
    // Zod itself is loaded at leisure.
    let time = ScriptLimits { time_ms: 2_000, ..LIMITS };
    for (export, kind) in [
        ("input", ErrorKind::TimedOut),
        ("lazy", ErrorKind::NeverSettled),
        ("shape", ErrorKind::TimedOut),
    ] {
        let checked = POOL.validate(&program, export, &json!("x"), options().limits(time)).await;
        assert_eq!(checked.unwrap_err().kind, kind, "{export}");
    }
}

#[tokio::test]
async fn memory_bombs_of_every_kind() {
    all_fail(
        &[
            "() => { let s = 'x'; for (let n = 0; n < 28; n++) s += s; return s; }",
            "() => { const b = new ArrayBuffer(0, { maxByteLength: 2 ** 31 - 1 }); b.resize(2 ** 30); return b.byteLength; }",
            "() => Array.from({ length: 1e8 }, () => ({}))",
            "() => { const all = []; while (true) all.push(new Uint8Array(1 << 16)); }",
            "() => JSON.stringify({ a: [1] }, null, 10).repeat(1e6)",
            "() => { const big = new Array(1e5).fill('x'.repeat(1000)); return big; }",
            "() => { const a = []; a[2 ** 32 - 2] = 1; return a.fill(0); }",
            "() => structuredClone({ all: new Array(3e5).fill(0).map((n) => ({ n })) })",
            "() => { const all = []; while (true) all.push(() => all.length); }",
            "() => { const all = new Set(); while (true) all.add(Symbol('x'.repeat(100))); }",
            "async () => { const all = []; while (true) all.push(new Promise(() => {})); }",
            "() => 'x'.repeat(1e5).replaceAll('x', 'y'.repeat(1e3))",
            "() => 'x,'.repeat(1e6).split(',').map((x) => x.padEnd(1000))",
            "() => { const o = {}; for (let n = 0; ; n++) o['key' + n] = n; }",
            "() => { throw new Error('x'.repeat(2 ** 26)); }",
        ],
        SMALL,
        ErrorKind::OutOfMemory,
    )
    .await;
}

#[tokio::test]
async fn recursion_of_every_kind() {
    all_fail(
        &[
            "() => { class A { get x() { return this.x; } } return new A().x; }",
            "() => { const f = (n) => [n].map(f); return f(1); }",
            "() => { const o = { toJSON() { return JSON.stringify(o); } }; return o; }",
            "() => { const o = { toString() { return String(o); } }; throw String(o); }",
            "() => { const f = () => Reflect.apply(f, null, []); f(); }",
            "() => { const p = new Proxy(function () {}, { apply: (t, s, a) => p(...a) }); return p(); }",
            "async () => { const f = async () => { await f(); }; await f(); }",
            "() => { const f = () => [2, 1].sort(f); return f(); }",
            "() => { const f = (s) => s.replace(/x/, f); return f('x'); }",
            "() => { let g = function* () { yield 1; }; for (let n = 0; n < 1e5; n++) { const h = g; g = function* () { yield* h(); }; } return [...g()]; }",
        ],
        LIMITS,
        ErrorKind::StackOverflow,
    )
    .await;
}

#[tokio::test]
async fn promises_that_nothing_settles() {
    all_fail(
        &[
            "() => Promise.race([])",
            "() => Promise.all([1, new Promise(() => {})])",
            "async () => { let wait; const p = new Promise((done) => { wait = done; }); await p; wait(); }",
            "async () => { const a: any = (async () => { await null; await a; })(); await a; }",
            "() => { const p: any = { then(done) { p.done = done; } }; return p; }",
            "(async () => { const g = (async function* () { await new Promise(() => {}); yield 1; })(); return g.next(); })",
        ],
        LIMITS,
        ErrorKind::NeverSettled,
    )
    .await;
}

#[tokio::test]
async fn returned_values_play_tricks() {
    // What JSON.stringify makes of them, nothing else.
    for (expression, expected) in [
        ("{ a: 1, toJSON: () => 'instead' }", json!("instead")),
        ("{ a: { toJSON: (key) => key } }", json!({ "a": "a" })),
        ("new Proxy({ a: 1, b: 2 }, { ownKeys: () => ['b', 'a'] })", json!({ "a": 1, "b": 2 })),
        ("new Proxy([1, 2, 3], { get: (t, k) => (k === 'length' ? 1 : t[k]) })", json!([1])),
        (
            "(n => ({ get a() { return ++n; }, get b() { return ++n; } }))(0)",
            json!({ "a": 1, "b": 2 }),
        ),
        (
            "[undefined, () => 1, Symbol('x'), NaN, -Infinity, -0]",
            json!([null, null, null, null, null, 0]),
        ),
        (
            "{ u: undefined, f() {}, s: Symbol('x'), m: new Map([[1, 2]]), d: new Date(0) }",
            json!({ "m": {}, "d": "1970-01-01T00:00:00.000Z" }),
        ),
        (
            "JSON.parse('{ \"__proto__\": { \"admin\": true }, \"constructor\": 1 }')",
            json!({ "__proto__": { "admin": true }, "constructor": 1 }),
        ),
        ("Object.assign(Object.create({ inherited: 1 }), { own: 2 })", json!({ "own": 2 })),
        ("Object.defineProperty({ a: 1 }, 'hidden', { value: 2 })", json!({ "a": 1 })),
        (
            "[new Number(1), new String('s'), new Boolean(false), Object(Symbol('x'))]",
            json!([1, "s", false, {}]),
        ),
        ("Object.create(null, { a: { value: 1, enumerable: true } })", json!({ "a": 1 })),
        ("new (class { #secret = 1; a = 2; static b = 3 })()", json!({ "a": 2 })),
        ("'\\u0000\\u2028\\ud83d\\ude00'", json!("\u{0}\u{2028}😀")),
        (
            "[1e21, 1e-7, 9007199254740993, 0.1 + 0.2]",
            json!([1e21, 1e-7, 9007199254740992_u64, 0.30000000000000004]),
        ),
        ("[,1]", json!([null, 1])),
        ("Promise.resolve({ then: 5 })", json!({ "then": 5 })),
    ] {
        assert_eq!(value_of(expression).await, expected, "{expression}");
    }
}

#[tokio::test]
async fn returned_values_that_are_no_json_are_refused() {
    for (expression, word) in [
        ("{ get a() { throw new Error('in the getter'); } }", "in the getter"),
        ("{ toJSON() { throw new TypeError('in toJSON'); } }", "in toJSON"),
        ("new Proxy({}, { ownKeys() { throw new Error('in the trap'); } })", "in the trap"),
        ("new Proxy({}, { ownKeys: () => ['a', 'a'] })", "the result cannot be written"),
        ("(({ proxy, revoke }) => (revoke(), [proxy]))(Proxy.revocable({}, {}))", "revoked"),
        ("(o => (o.self = o))({})", "circular"),
        ("(a => (a.push(a), a))([])", "circular"),
        ("{ n: 10n }", "BigInt"),
        ("Object(10n)", "BigInt"),
        ("{ toJSON: () => 10n }", "BigInt"),
        ("'\\ud800'", "not JSON that can be stored"),
        ("{ ['\\udfff']: 1 }", "not JSON that can be stored"),
        ("(() => { let a = 1; for (let n = 0; n < 500; n++) a = [a]; return a; })()", "recursion"),
    ] {
        let error = error_of(&format!("export default () => ({expression});")).await;
        assert_eq!(error.kind, ErrorKind::NotJson, "{expression}: {error}");
        assert!(error.message.contains(word), "{expression}: {error}");
    }
}

#[tokio::test]
async fn prototypes_that_are_poisoned_hurt_the_call_alone() {
    // Whatever becomes of the call, it ends; and the next finds the world whole (see `outcome`).
    let getter = "get() { throw new Error('poison'); }, set() { throw new Error('poison'); }, configurable: true";
    let mut poisons: Vec<String> = [
        "then",
        "cause",
        "errors",
        "stack",
        "value",
        "get",
        "set",
        "toJSON",
        "kind",
        "properties",
        "length",
        "0",
        "promise",
        "reason",
    ]
    .iter()
    .map(|name| format!("Object.defineProperty(Object.prototype, '{name}', {{ {getter} }});"))
    .collect();
    poisons.extend(
        [
            "Object.prototype.toJSON = () => { throw 1; };",
            "Array.prototype.toJSON = () => 10n;",
            "Array.prototype[Symbol.iterator] = function* () { throw new Error('no iteration'); };",
            "Array.prototype.push = () => { throw new Error('no push'); };",
            "Array.isArray = () => { throw new Error('no arrays'); };",
            "Promise.prototype.then = () => { throw new Error('no promises'); };",
            "Promise.prototype.constructor = function () { throw new Error('no constructor'); };",
            "Object.defineProperty(Promise, Symbol.species, { get() { throw new Error('no species'); } });",
            "Function.prototype.call = Function.prototype.apply = () => { throw new Error('no calls'); };",
            "Reflect.apply = Reflect.ownKeys = () => { throw new Error('no reflection'); };",
            "Object.keys = Object.entries = Object.freeze = () => { throw new Error('no keys'); };",
            "String.prototype.slice = String.prototype.replaceAll = () => 'x'.repeat(1e7);",
            "globalThis.String = globalThis.Number = globalThis.Error = null;",
            "Error.prepareStackTrace = () => { throw new Error('no stacks'); };",
            "Error.prepareStackTrace = () => ({ toString() { throw 1; } });",
            "Error.stackTraceLimit = 1e9;",
            "Object.setPrototypeOf(Object.prototype.__proto__ ?? {}, null); Object.setPrototypeOf(Error.prototype, null);",
            "JSON.stringify = JSON.parse = () => { throw new Error('no JSON'); };",
        ]
        .map(str::to_owned),
    );
    for poison in &poisons {
        for end in [
            "return { a: [1] };",
            "throw new Error('x', { cause: new TypeError('y') });",
            "await null; Promise.reject(new AggregateError([new Error('z')], 'w'));",
            "setTimeout(() => { throw { a: 1 }; }, 1); await new Promise(() => {});",
        ] {
            let text = format!("export default async () => {{ {poison} {end} }};");
            match outcome(&text, LIMITS).await {
                Ok(_) => {}
                Err(error) => assert!(
                    matches!(
                        error.kind,
                        ErrorKind::Thrown | ErrorKind::NotJson | ErrorKind::NeverSettled
                    ),
                    "{text}: {:?} {error}",
                    error.kind
                ),
            }
        }
    }
}

#[tokio::test]
async fn prototypes_that_are_poisoned_while_loading_stay_with_the_file() {
    let text = "Object.prototype.toJSON = () => 'evil'; Array.prototype.map = () => 'evil';
        export default () => ({ a: 1 });";
    assert_eq!(outcome(text, LIMITS).await.unwrap(), Some(json!("evil")));
}

#[tokio::test]
async fn an_error_is_told_in_few_words_however_large_it_is() {
    for text in [
        "throw new Error('x'.repeat(1e7));",
        "throw 'x'.repeat(1e7);",
        "const e = new Error('x'); e.stack = 'at a.ts:1:1\\n'.repeat(1e6); throw e;",
        "const e: any = new Error('x'); for (let n = 0; n < 1e5; n++) e['key' + n] = n; throw e;",
        "const e: any = new Error('x'); for (let n = 0; n < 100; n++) e['key' + n] = 'y'.repeat(60_000); throw e;",
        "let e: any = new Error('x'.repeat(1e5)); for (let n = 0; n < 100; n++) e = new Error('x'.repeat(1e5), { cause: e }); throw e;",
        "const e = new Error('x'); e.name = 'N'.repeat(1e7); throw e;",
        "throw Object.assign(new Error('x'), { ['k'.repeat(1e6)]: 1 });",
        "String.prototype.slice = () => 'z'.repeat(1e6); throw new Error('x'.repeat(1e7));",
        "throw { value: 'x'.repeat(1e7) };",
    ] {
        let text = format!("export default () => {{ {text} }}");
        let error = outcome(&text, LIMITS).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Thrown, "{text}");
        let (mut link, mut n_links) = (Some(&error), 0);
        while let Some(error) = link {
            assert!(error.message.len() < 17 << 10, "{text}: {}", error.message.len());
            assert!(error.stack.as_ref().is_none_or(|stack| stack.len() < 65 << 10), "{text}");
            let thrown = error.thrown.as_ref().unwrap();
            assert!(thrown.name.len() < 17 << 10, "{text}: {}", thrown.name.len());
            let properties = Value::Object(thrown.properties.clone()).to_string();
            // Commas, quotes and the like come on top.
            assert!(properties.len() < 128 << 10, "{text}: {}", properties.len());
            (link, n_links) = (thrown.cause.as_deref(), n_links + 1);
        }
        assert!(n_links < 10, "{text}: {n_links}");
    }
}

#[tokio::test]
async fn stacks_do_not_hand_out_the_machinery() {
    // Call sites of V8 know the functions on the stack; ours may, too, but not those of the machinery.
    let text = "export default async () => {
        const found = new Set<any>();
        Error.prepareStackTrace = (error, sites) => {
          for (const site of sites ?? []) for (const f of [site.getFunction?.(), site.getThis?.()]) if (typeof f === 'function') found.add(f.name + ' ' + String(f.fileName));
          return 'stack';
        };
        void new Error('x').stack;
        await null; void new Error('x').stack;
        await new Promise<void>((done) => setTimeout(() => { void new Error('x').stack; done(); }, 1));
        new EventTarget().dispatchEvent(new Event('x'));
        const target = new EventTarget(); target.addEventListener('x', () => void new Error('x').stack); target.dispatchEvent(new Event('x'));
        return [...found].filter((name) => name.includes('stepwell:'));
      };";
    assert_eq!(run(text).await, json!([]));
}

#[tokio::test]
async fn there_is_no_way_to_files() {
    for specifier in [
        "std",
        "os",
        "bjson",
        "qjs:std",
        "qjs:os",
        "qjs:bjson",
        "fs",
        "node:fs",
        "node:child_process",
        "file:///etc/passwd",
        "/etc/passwd",
        "../../../../etc/passwd",
        "./../../etc/passwd",
        "data:text/javascript,export default 1",
        "stepwell:main",
        "stepwell:core",
        "stepwell:host",
        "stepwell:driver",
        "stepwell:nothing",
        "\\u0000",
        "",
    ] {
        for import in [
            "(x) => import(x)",
            "(0, eval)('(x) => import(x)')",
            "new Function('x', 'return import(x)')",
        ] {
            let text = format!("export default async () => ({import})('{specifier}');");
            let error = error_of(&text).await;
            assert_eq!(error.kind, ErrorKind::Thrown, "{import} {specifier}: {error}");
        }
    }
    let names = "['std', 'os', 'bjson', 'scriptArgs', 'print', 'load', 'loadScript', 'loadFile', 'evalScript', '__loadScript', 'gc', 'navigator', 'process', 'require', 'Deno', 'Bun', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'Worker', 'importScripts']";
    let text = format!(
        "export default () => {{ const global = new Function('return this')() ?? globalThis; return {names}.filter((name) => name in global); }};"
    );
    assert_eq!(run(&text).await, json!([]));
    let meta =
        run("export default () => [typeof import.meta.url, Object.keys(import.meta)];").await;
    assert!(!meta.to_string().contains('/'), "no path of this machine: {meta}");
}

#[tokio::test]
async fn there_is_no_way_to_the_network_but_the_one_that_was_granted() {
    let denied = error_of("export default () => fetch('http://127.0.0.1:1/');").await;
    assert!(denied.message.contains("not granted"), "{denied}");
    let denied = error_of("await fetch('http://127.0.0.1:1/'); export default () => 1;").await;
    assert!(denied.message.contains("not granted"), "at the top of a file, too: {denied}");

    let hosts = AllowedHosts::Only(vec!["api.example.com".to_owned(), "*.example.org".to_owned()]);
    let fetch = Arc::new(WebFetch::new(WebOptions::new(hosts)).unwrap());
    for url in [
        "file:///etc/passwd",
        "ftp://api.example.com/",
        "data:text/plain,x",
        "http://127.0.0.1:1/",
        "http://[::1]/",
        "http://0x7f.1/",
        "http://2130706433/",
        "http://localhost/",
        "http://169.254.169.254/latest/meta-data/",
        "http://api.example.com@127.0.0.1/",
        "http://127.0.0.1/#api.example.com",
        "http://api.example.com.evil.test/",
        "http://evil.test\\\\@api.example.com.evil.test/",
        "http://example.org/",
        "http://evilexample.org/",
        "http://api.example.com\\u3002evil.test/",
    ] {
        let grants = Grants { fetch: Some(fetch.clone()), ..Grants::default() };
        let text = format!("export default () => fetch('{url}');");
        let options = options().grants(grants);
        let result = SCRIPTS.eval_default_export("a.ts", &text, &json!(null), options).await;
        let error = result.unwrap_err();
        let refused = error.message.contains("not among the allowed hosts")
            || error.message.contains("neither http nor https");
        assert!(error.kind == ErrorKind::Thrown && refused, "{url}: {error}");
    }
}
