//! Nothing that a call does is there for the next one.

use serde_json::{Value, json};
use stepwell_script::js::{Call, JsPool, PoolOptions, Program};

use crate::kit::{LIMITS, options, program};
use std::sync::Arc;

/// One engine, so that every call gets the one that the last call had.
fn lone_pool() -> JsPool {
    JsPool::new(PoolOptions {
        cores: 1,
        calls_max: 1,
        idle_engines_max: 1,
        ..PoolOptions::default()
    })
}

async fn call(pool: &JsPool, program: &Arc<Program>, export: &str) -> Value {
    let call = Call::export(export).limits(LIMITS);
    pool.call(program, call).await.unwrap().unwrap_or(Value::Null)
}

async fn check_forgotten(text: &str) {
    let (pool, program) = (lone_pool(), program("a.ts", &[("a.ts", text)]));
    let fresh = call(&pool, &program, "look").await;
    for _ in 0..3 {
        let _ = pool.call(&program, Call::export("change").limits(LIMITS)).await;
        assert_eq!(call(&pool, &program, "look").await, fresh, "{text}");
    }
}

#[tokio::test]
async fn variables_of_modules_are_as_they_were_loaded() {
    check_forgotten("let n = 0; const list = []; export const change = () => { n++; list.push(n); }; export const look = () => [n, list];").await;
}

#[tokio::test]
async fn globals_are_as_they_were_loaded() {
    check_forgotten(
        "export const change = () => { globalThis.secret = 1; delete globalThis.Map; (globalThis as any).parseInt = () => 7; undeclared(); };
         function undeclared() { (0, eval)('var leaked = 1'); }
         export const look = () => [typeof secret, typeof Map, parseInt('3'), typeof leaked];",
    )
    .await;
}

#[tokio::test]
async fn prototypes_are_as_they_were_loaded() {
    check_forgotten(
        "export const change = () => {
           (Array.prototype as any).evil = 1; Object.prototype.toString = () => 'evil';
           Promise.prototype.then = function () { throw new Error('no more promises'); };
           JSON.stringify = () => '\"stolen\"'; Function.prototype.call = () => 3;
           Object.defineProperty(Object.prototype, 'everywhere', { get: () => 'x' });
         };
         export const look = async () => { const keys = []; for (const k in [1]) keys.push(k); return [keys, String({}), ({} as any).everywhere ?? null, await Promise.resolve(1)]; };",
    )
    .await;
}

#[tokio::test]
async fn patched_builtins_of_the_machinery_are_forgotten() {
    check_forgotten(
        "export const change = () => { console.log = null; (globalThis as any).URL = 1; setTimeout = null; crypto.randomUUID = () => 'x'; Date.now = () => 1; Math.random = () => 4; AbortSignal.prototype.throwIfAborted = null; };
         export const look = () => [typeof console.log, typeof URL, typeof setTimeout, crypto.randomUUID().length, Date.now() > 1, Math.random() < 1];",
    )
    .await;
}

#[tokio::test]
async fn classes_registries_and_symbols_are_forgotten() {
    check_forgotten(
        "const weak = new WeakMap(); const key = {}; class A { static count = 0 }
         export const change = () => { weak.set(key, 1); A.count++; Object.freeze(key); (A as any).extra = Symbol.for('shared'); };
         export const look = () => [weak.get(key) ?? null, A.count, Object.isFrozen(key), Object.keys(A)];",
    )
    .await;
}

#[tokio::test]
async fn timers_and_promises_of_a_call_end_with_it() {
    check_forgotten(
        "let fired = 0;
         export const change = () => { setInterval(() => fired++, 1); setTimeout(() => fired++, 5); Promise.resolve().then(() => fired++); new Promise(() => {}); };
         export const look = async () => { await new Promise((done) => setTimeout(done, 20)); return fired; };",
    )
    .await;
}

#[tokio::test]
async fn calls_that_fail_leave_nothing_either() {
    for how in [
        "n++; throw new Error('x');",
        "n++; while (true) {}",
        "n++; const big = []; while (true) big.push(new Array(1000).fill(big));",
        "n++; (function f() { f(); })();",
        "n++; return new Promise(() => {});",
        "n++; Promise.reject(new Error('unheard')); return new Promise((d) => setTimeout(d, 5));",
        "n++; return 10n;",
        "n++; setTimeout(() => { throw 1; }, 1); return new Promise(() => {});",
    ] {
        let text =
            format!("let n = 0; export function change() {{ {how} }} export const look = () => n;");
        let (pool, program) = (lone_pool(), program("a.ts", &[("a.ts", &text)]));
        let limits = stepwell_script::ScriptLimits { time_ms: 300, ..LIMITS };
        for _ in 0..3 {
            pool.call(&program, Call::export("change").limits(limits)).await.unwrap_err();
            assert_eq!(call(&pool, &program, "look").await, json!(0), "{how}");
        }
    }
}

#[tokio::test]
async fn programs_do_not_see_each_other() {
    let pool = lone_pool();
    let one = program(
        "a.ts",
        &[("a.ts", "globalThis.mine = 1; export default () => [typeof mine, typeof yours];")],
    );
    let two = program(
        "a.ts",
        &[(
            "a.ts",
            "globalThis.yours = 1; (Array.prototype as any).x = 1; export default () => [typeof mine, typeof yours];",
        )],
    );
    let three = program(
        "a.ts",
        &[("a.ts", "export default () => [typeof mine, typeof yours, 'x' in []];")],
    );
    for _ in 0..3 {
        assert_eq!(pool.call(&one, options()).await.unwrap(), Some(json!(["number", "undefined"])));
        assert_eq!(pool.call(&two, options()).await.unwrap(), Some(json!(["undefined", "number"])));
        assert_eq!(
            pool.call(&three, options()).await.unwrap(),
            Some(json!(["undefined", "undefined", false]))
        );
    }
}

#[tokio::test]
async fn the_natives_survive_a_script_that_deletes_everything() {
    check_forgotten(
        "export const change = () => {
           for (const key of Reflect.ownKeys(globalThis)) { try { delete (globalThis as any)[key]; } catch {} }
         };
         export const look = async () => { console.log('x'); await new Promise((d) => setTimeout(d, 1)); return [new URL('http://a/b').pathname, typeof structuredClone, new TextEncoder().encode('ä').length]; };",
    )
    .await;
}

#[tokio::test]
async fn a_thousand_calls_on_one_engine_are_all_alike() {
    let pool = lone_pool();
    let text = "import { z } from 'zod';
        const cache = new Map(); const S = z.object({ n: z.number() });
        export default (input) => { cache.set(String(cache.size), S.parse(input)); (Array.prototype as any)['p' + input.n] = 1; return cache.size; };";
    let program = program("a.ts", &[("a.ts", text)]);
    for n in 0..1000 {
        let call = options().arg(&json!({ "n": n })).unwrap();
        assert_eq!(pool.call(&program, call).await.unwrap(), Some(json!(1)));
    }
}
