//! Lua: hostile scripts end in an error of their own, and nothing else.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say so at once")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use stepwell_script::{CallOptions, ErrorKind, LuaScript, LuaStates, ScriptError, ScriptLimits};
use tokio_util::sync::CancellationToken;

const SMALL: ScriptLimits = ScriptLimits {
    time_ms: 200,
    memory_bytes: 8 << 20,
    stack_bytes: 512 << 10,
    recursion_max: 1_000,
    steps_max: u64::MAX,
    output_bytes: 64 << 10,
};
/// Enough time to run into another limit first, on a busy machine too.
const MUCH_TIME: ScriptLimits = ScriptLimits { time_ms: 60_000, ..SMALL };

fn call(states: &Arc<LuaStates>, source: &str, limits: ScriptLimits) -> Result<Value, ScriptError> {
    let options = CallOptions { limits, ..CallOptions::default() };
    LuaScript::compile::<&str>(states, source, &[])?.call(&Map::new(), &options)
}

fn fails(cases: &[&str], limits: ScriptLimits, kind: ErrorKind, message: &str) {
    let states = LuaStates::new();
    for source in cases {
        let error = call(&states, source, limits).unwrap_err();
        assert_eq!((error.kind, error.message.as_str()), (kind, message), "{source}");
        // The next call finds everything as it should be.
        assert_eq!(call(&states, "return 1 + 1", limits), Ok(json!(2)), "after {source}");
    }
}

#[test]
fn work_without_end_is_stopped() {
    let cases = [
        "while true do end",
        "repeat until false",
        "for _ = 1, math.huge do end",
        "while true do pcall(function() while true do end end) end",
        "while true do xpcall(error, function() end) end",
        "xpcall(error, function() while true do end end)",
        "coroutine.wrap(function() while true do end end)()",
        "while true do local co = coroutine.create(function() coroutine.yield() end) coroutine.resume(co) end",
        "return ('a'):rep(30):find(('a?'):rep(30) .. ('a'):rep(30))",
        "return ('a'):rep(1e5):find('.-.-.-.-b')",
        "return ('x'):rep(1e5):gsub('(.-)(.-)(.-)$z', '')",
        "local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) return t[1]",
        "local t = {} for i = 1, 3000 do t[i] = i end while true do table.sort(t, function(a, b) return a > b end) end",
        "local t = setmetatable({}, {__tostring = function() while true do end end}) return tostring(t)",
        "local s = ('a'):rep(1e6) local t = {} for i = 1, 1e5 do t[i] = i % 2 == 0 and s or s .. 'b' end table.sort(t)",
        "local function f() pcall(f) pcall(f) end f()",
    ];
    let started = Instant::now();
    fails(&cases[..11], SMALL, ErrorKind::TimedOut, "the script took longer than 200 ms");
    // Nothing holds up the clock for long: generous, because the machine may be busy.
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
    // These may run into more than one limit; they end in any case.
    let states = LuaStates::new();
    for source in &cases[11..] {
        let error = call(&states, source, SMALL).unwrap_err();
        assert!(error.kind != ErrorKind::Unavailable, "{source}: {error}");
    }
}

#[test]
fn loops_of_the_library_are_bounded() {
    let states = LuaStates::new();
    let message = |source: &str| call(&states, source, MUCH_TIME).unwrap_err().message;
    let too_long = "the texts are too long for one to be searched in the other";
    assert_eq!(message("return ('a'):rep(2e6):find(('a'):rep(1e6) .. 'b', 1, true)"), too_long);
    assert_eq!(message("return ('a'):rep(2e6):split(('a'):rep(1e6) .. 'b')"), too_long);
    assert_eq!(message("table.move({}, 1, 2^30, 2^30)"), "too many elements to move");
    let fine = [
        ("return ('a'):rep(1e6):find('ab', 1, true)", json!(null)),
        ("return ('hello world'):find('o w')", json!(5)),
        ("return ('hello'):find('l+')", json!(3)),
        ("return (select(2, ('hello'):find('l+')))", json!(4)),
        ("return ('a,b'):split(',')", json!(["a", "b"])),
        ("return table.move({1, 2, 3}, 2, 3, 1)", json!([2, 3, 3])),
        ("local t = {3, 1, 2} table.sort(t) return t", json!([1, 2, 3])),
        (
            "local t = {3, 1, 2} table.sort(t, function(a, b) return a > b end) return t",
            json!([3, 2, 1]),
        ),
    ];
    for (source, expected) in fine {
        assert_eq!(call(&states, source, MUCH_TIME), Ok(expected), "{source}");
    }
}

#[test]
fn values_without_end_run_out_of_memory() {
    fails(
        &[
            "local t = {} for i = 1, math.huge do t[i] = i end",
            "local s = 'x' while true do s = s .. s end",
            "return ('x'):rep(2^30)",
            "return table.create(2^26, 0)",
            "return buffer.create(2^30)",
            "local t = {} while true do t = {t, t, {}} end",
            "local t = {} for i = 1, 2^20 do t[i] = ('x'):rep(100) .. i end return table.concat(t)",
            "return (('x'):rep(1000):gsub('x', ('y'):rep(1e5)))",
            "return string.format(('%s'):rep(100), table.unpack(table.create(100, ('x'):rep(1e6))))",
        ],
        MUCH_TIME,
        ErrorKind::OutOfMemory,
        "the script's values need more than 8388608 bytes of memory",
    );
    // Garbage of calls before counts for nothing.
    let states = LuaStates::new();
    for _ in 0..30 {
        let source = "local t = {} for i = 1, 2e5 do t[i] = i end return #t";
        assert_eq!(call(&states, source, MUCH_TIME), Ok(json!(200_000)));
    }
}

#[test]
fn recursion_has_a_bound() {
    fails(
        &[
            "local function f() return 1 + f() end return f()",
            "local function f() return f() end return f()",
            "local function f() f() return 1 end while true do pcall(f) end",
        ],
        MUCH_TIME,
        ErrorKind::StackOverflow,
        "more than 1000 nested calls",
    );
    let states = LuaStates::new();
    let source =
        "local function f(n) if n == 0 then return 0 end return 1 + f(n - 1) end return f(900)";
    assert_eq!(call(&states, source, MUCH_TIME), Ok(json!(900)));
    // Calls through C nest less deeply, by Luau's own bound.
    let source =
        "local t = setmetatable({}, {__index = function(t, k) return t[k + 1] end}) return t[1]";
    let error = call(&states, source, MUCH_TIME).unwrap_err();
    assert!(matches!(error.kind, ErrorKind::StackOverflow | ErrorKind::Thrown), "{error}");
    // A script cannot have more than Luau has, whatever its limits say.
    let source = "local function f() return 1 + f() end return f()";
    let error = call(
        &states,
        source,
        ScriptLimits { recursion_max: 1_000_000, memory_bytes: 256 << 20, ..MUCH_TIME },
    )
    .unwrap_err();
    assert_eq!(error.kind, ErrorKind::StackOverflow);
}

#[test]
fn results_have_a_bound() {
    fails(
        &[
            "return ('x'):rep(70000)",
            "return {a = {('x'):rep(70000)}}",
            "local t = {} for i = 1, 70000 do t[i] = i end return t",
            "local t = {} for i = 1, 7000 do t['key number ' .. i] = i end return t",
            "local t = {1} for _ = 1, 60 do t = {t, t} end return t",
        ],
        MUCH_TIME,
        ErrorKind::OutputTooLarge,
        "the result is longer than 65536 bytes",
    );
}

#[test]
fn a_cancelled_call_ends() {
    let cancel = CancellationToken::new();
    let options =
        CallOptions { limits: MUCH_TIME, cancel: Some(cancel.clone()), ..CallOptions::default() };
    let script = LuaScript::compile::<&str>(&LuaStates::new(), "while true do end", &[]).unwrap();
    let error = std::thread::scope(|scope| {
        let running = scope.spawn(|| script.call(&Map::new(), &options));
        cancel.cancel();
        running.join().unwrap().unwrap_err()
    });
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::Cancelled, "the call was cancelled")
    );
}

#[test]
fn sources_have_a_bound() {
    let states = LuaStates::new();
    let long = format!("return 1 -- {}", "x".repeat(512 << 10));
    assert_eq!(call(&states, &long, SMALL).unwrap_err().kind, ErrorKind::Compile);
    for nested in [
        format!("return {}1{}", "(".repeat(50_000), ")".repeat(50_000)),
        format!("return {}{}", "{".repeat(50_000), "}".repeat(50_000)),
        format!("{}{}", "if true then ".repeat(20_000), "end ".repeat(20_000)),
        format!("return {}1", "-".repeat(50_000).replace("--", "- -")),
        format!("return {}", "1 .. ".repeat(50_000) + "1"),
        format!("return {}", "not ".repeat(50_000) + "1"),
    ] {
        let error = call(&states, &nested, SMALL).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Compile, "{}", &nested[..40]);
    }
}

#[test]
fn calls_at_once_do_not_meet() {
    let states = LuaStates::new();
    let script = Arc::new(
        LuaScript::compile(
            &states,
            "total = n for i = 1, 100 do total += i end return total",
            &["n"],
        )
        .unwrap(),
    );
    let threads: Vec<_> = (0..8)
        .map(|thread| {
            let script = script.clone();
            std::thread::spawn(move || {
                for n in 0..100 {
                    let args = json!({"n": thread * 1000 + n});
                    let result = script.call(args.as_object().unwrap(), &CallOptions::default());
                    assert_eq!(result, Ok(json!(thread * 1000 + n + 5050)));
                }
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}
