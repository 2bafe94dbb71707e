//! Lua: conversions, sandbox and errors, as data.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say so at once")]

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use stepwell_script::{
    CallOptions, ErrorKind, Expected, JSON_DEPTH_MAX, LuaScript, LuaStates, ScriptError, outputs_of,
};

/// All tests share states, as all scripts of an engine do: what one leaves behind, another may find.
static STATES: LazyLock<Arc<LuaStates>> = LazyLock::new(LuaStates::new);

fn args() -> Map<String, Value> {
    let args = json!({
        "a": 5, "b": 2.5, "s": "héllo", "yes": true, "none": null, "list": [1, null, 3], "empty": [], "bag": {},
        "obj": {"x": null, "list": [], "deep": {"n": 1}},
    });
    args.as_object().unwrap().clone()
}

fn call(source: &str, args: &Map<String, Value>, expected: Expected) -> Result<Value, ScriptError> {
    let names: Vec<&String> = args.keys().collect();
    let options = CallOptions { expected, ..CallOptions::default() };
    LuaScript::compile(&STATES, source, &names)?.call(args, &options)
}

fn gives(cases: &[(&str, Value)]) {
    for (source, expected) in cases {
        assert_eq!(call(source, &args(), Expected::ANYTHING).as_ref(), Ok(expected), "{source}");
    }
}

/// Each source fails: `line:column message`, or only a message where no line is to blame.
fn fails(kind: ErrorKind, cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        let error = call(source, &args(), Expected::ANYTHING).unwrap_err();
        let got = match &error.position {
            Some(at) => format!("{}:{} {}", at.line, at.column, error.message),
            None => error.message.clone(),
        };
        assert_eq!((error.kind, got.as_str()), (kind, *expected), "{source}");
    }
}

#[test]
fn values_become_json() {
    gives(&[
        ("return 42", json!(42)),
        ("return -7", json!(-7)),
        ("return 2.5", json!(2.5)),
        ("return 10 / 2", json!(5)),
        ("return -0.0", json!(0)),
        ("return 1e15", json!(1_000_000_000_000_000_u64)),
        ("return 2^53", json!(9_007_199_254_740_992_u64)),
        ("return -(2^53)", json!(-9_007_199_254_740_992_i64)),
        ("return 2^53 + 2", json!(9_007_199_254_740_994.0)),
        ("return 1e300", json!(1e300)),
        ("return 'text'", json!("text")),
        ("return ''", json!("")),
        ("return s", json!("héllo")),
        ("return true", json!(true)),
        ("return nil", json!(null)),
        ("return null", json!(null)),
        ("", json!(null)),
        ("return {}", json!({})),
        ("return {x = {}}", json!({"x": {}})),
        ("return {1, 2, 3}", json!([1, 2, 3])),
        ("return {1, null, 3}", json!([1, null, 3])),
        ("return {a = null}", json!({"a": null})),
        ("return {a = nil}", json!({})),
        ("return {a = {b = {c = {1, {d = 2}}}}}", json!({"a": {"b": {"c": [1, {"d": 2}]}}})),
        ("return array()", json!([])),
        ("return array({})", json!([])),
        ("return {rows = array{}}", json!({"rows": []})),
        ("return array{1, 2}", json!([1, 2])),
        ("return 1, 2, 3", json!(1)),
        ("return setmetatable({x = 1}, {__index = {y = 2}})", json!({"x": 1})),
        ("local t = {1} return {t, t}", json!([[1], [1]])),
    ]);
}

#[test]
fn arguments_are_local_variables() {
    gives(&[
        ("return a + b", json!(7.5)),
        ("return a", json!(5)),
        ("a = a + 1 return a", json!(6)),
        ("return yes and not none", json!(true)),
        ("return none == nil", json!(true)),
        ("return #list", json!(3)),
        ("return list[2] == null", json!(true)),
        ("return list", json!([1, null, 3])),
        (
            "return {list = list, empty = empty, bag = bag}",
            json!({"list": [1, null, 3], "empty": [], "bag": {}}),
        ),
        ("return obj", json!({"x": null, "list": [], "deep": {"n": 1}})),
        ("return obj.x == null", json!(true)),
        ("return obj.missing == nil", json!(true)),
        ("table.remove(list) table.remove(list) table.remove(list) return list", json!([])),
        ("table.insert(empty, 1) return empty", json!([1])),
        ("local n = 0 for _ in list do n += 1 end return n", json!(3)),
        ("return select('#', ...)", json!(9)),
        ("return (select(1, ...))", json!(5)),
        ("return #s", json!(6)),
        ("return utf8.len(s)", json!(5)),
    ]);
    let missing = LuaScript::compile(&STATES, "return x == nil", &["x"]).unwrap();
    assert_eq!(missing.call(&Map::new(), &CallOptions::default()), Ok(json!(true)));
}

#[test]
fn an_empty_table_is_an_array_where_one_is_declared() {
    let declared = || Expected::outputs(["rows"]);
    let case = |source, expected| call(source, &args(), expected);
    assert_eq!(
        case("return {rows = {}, other = {}}", declared()),
        Ok(json!({"rows": [], "other": {}}))
    );
    assert_eq!(case("return {rows = {1}}", declared()), Ok(json!({"rows": [1]})));
    assert_eq!(case("return {rows = {x = 1}}", declared()), Ok(json!({"rows": {"x": 1}})));
    assert_eq!(case("return {deep = {rows = {}}}", declared()), Ok(json!({"deep": {"rows": {}}})));
    assert_eq!(case("return {}", Expected::array()), Ok(json!([])));
    assert_eq!(case("return {}", declared()), Ok(json!({})));
}

#[test]
fn a_table_of_names_is_the_outputs_and_all_else_is_the_result() {
    let outputs =
        |source| Value::Object(outputs_of(call(source, &args(), Expected::ANYTHING).unwrap()));
    assert_eq!(outputs("return {total = a * 2}"), json!({"total": 10}));
    assert_eq!(outputs("return a * 2"), json!({"result": 10}));
    assert_eq!(outputs("return {1, 2}"), json!({"result": [1, 2]}));
    assert_eq!(outputs("return nil"), json!({"result": null}));
    assert_eq!(outputs("return {}"), json!({}));
}

#[test]
fn what_is_no_json_is_refused_with_its_path() {
    fails(
        ErrorKind::NotJson,
        &[
            ("return function() end", "the result has a function at $"),
            ("return {a = {b = {1, function() end}}}", "the result has a function at $.a.b[1]"),
            ("return {[\"odd key\"] = tostring}", "the result has a function at $[\"odd key\"]"),
            ("return coroutine.create(function() end)", "the result has a thread at $"),
            ("return buffer.create(1)", "the result has a buffer at $"),
            ("return {v = vector.create(1, 2, 3)}", "the result has a vector at $.v"),
            ("return 0/0", "the result has an infinite number, or one that is none at $"),
            (
                "return {math.huge}",
                "the result has an infinite number, or one that is none at $[0]",
            ),
            ("return '\\255'", "the result has a text that is not UTF-8 at $"),
            ("return {['\\255'] = 1}", "the result has a key that is not UTF-8 at $"),
            ("local t = {} t.t = t return t", "the result has a table that contains itself at $.t"),
            (
                "local t = {} t[1] = {t} return {x = t}",
                "the result has a table that contains itself at $.x[0][0]",
            ),
            (
                "return {1, 2, x = 3}",
                "the result has a table with both positions and names, or with holes (fill them with `null`) at $",
            ),
            (
                "return {a = {1, nil, 3}}",
                "the result has a table with both positions and names, or with holes (fill them with `null`) at $.a",
            ),
            (
                "return {[10] = 1}",
                "the result has a table with a key that is neither a text nor a position at $",
            ),
            (
                "return {[true] = 1}",
                "the result has a table with a key that is neither a text nor a position at $",
            ),
            (
                "return array{x = 1}",
                "the result has a table with both positions and names, or with holes (fill them with `null`) at $",
            ),
            (
                "local t = {} for _ = 1, 101 do t = {t} end return t",
                "the result is nested more than 100 levels deep",
            ),
        ],
    );
}

#[test]
fn errors_have_the_lines_of_the_source() {
    fails(
        ErrorKind::Compile,
        &[
            ("return (", "1:1 Expected identifier when parsing expression, got <eof>"),
            (
                "local x = 1\n  local y = = 2",
                "2:3 Expected identifier when parsing expression, got '='",
            ),
            ("return 'abc", "1:1 Malformed string; did you forget to finish it?"),
            ("end", "1:1 Expected <eof>, got 'end'"),
        ],
    );
    fails(
        ErrorKind::Thrown,
        &[
            ("error('boom')", "1:1 boom"),
            ("\n\n   error('boom')", "3:4 boom"),
            ("local x = nil\nlocal y = 2\nreturn x.y + y", "3:1 attempt to index nil with 'y'"),
            ("local function f()\n  error('deep')\nend\nf()", "2:3 deep"),
            ("error('no place', 0)", "1:1 no place"),
            ("error({message = 'from a table', code = 5})", "1:1 from a table"),
            ("error({code = 5})", "1:1 {\"code\":5}"),
            ("error()", "1:1 the script raised nil"),
            ("error(5)", "1:1 5"),
            ("return 1 + {}", "1:1 attempt to perform arithmetic (add) on number and table"),
            ("return a .. {}", "1:1 attempt to concatenate number with table"),
            (
                "return string.find(nil, 'x')",
                "1:1 invalid argument #1 to 'find' (string expected, got nil)",
            ),
            ("return string.rep()", "1:1 missing argument #1 to 'rep' (string expected)"),
            ("assert(false, 'asserted')", "1:1 asserted"),
            ("coroutine.wrap(function()\n error('in a coroutine') end)()", "2:2 in a coroutine"),
            ("return array(5)", "1:1 `array` takes a table that can be changed, or nothing"),
            ("return array(string)", "1:1 `array` takes a table that can be changed, or nothing"),
        ],
    );
}

#[test]
fn an_error_names_the_calls_that_led_to_it() {
    let source = "local function inner()\n  error('x')\nend\nlocal function outer()\n  inner()\nend\nouter()";
    let error = call(source, &Map::new(), Expected::ANYTHING).unwrap_err();
    assert_eq!(error.to_string(), "script.lua:2:3: x");
    assert_eq!(
        error.stack.as_deref(),
        Some("inner (script.lua:2)\nouter (script.lua:5)\nthe script (script.lua:7)")
    );
    assert_eq!(
        error.frame.as_deref(),
        Some("1 | local function inner()\n2 |   error('x')\n  |   ^")
    );
    let error = call("error({code = 7})", &Map::new(), Expected::ANYTHING).unwrap_err();
    assert_eq!(error.thrown.unwrap().properties["value"], json!({"code": 7}));
}

#[test]
fn what_reaches_outside_is_not_there() {
    for name in [
        "io",
        "os",
        "debug",
        "package",
        "require",
        "dofile",
        "loadfile",
        "load",
        "loadstring",
        "collectgarbage",
        "gcinfo",
        "getfenv",
        "setfenv",
        "newproxy",
        "print",
        "math.random",
        "math.randomseed",
        "math.noise",
    ] {
        gives(&[(&format!("return {name} == nil"), json!(true))]);
    }
    fails(
        ErrorKind::Thrown,
        &[
            ("return os.time()", "1:1 attempt to index nil with 'time' (scripts have no `os`)"),
            (
                "\nlocal x = require('y')",
                "2:1 attempt to call a nil value (scripts have no `require`)",
            ),
            (
                "return load('return 1')()",
                "1:1 attempt to call a nil value (scripts have no `load`)",
            ),
            ("print('hi')", "1:1 attempt to call a nil value (scripts have no `print`)"),
            ("return math.random(6)", "1:1 attempt to call a nil value (scripts have no `random`)"),
        ],
    );
    // What is left is only what computes.
    let globals = "local names = {} for name in getmetatable(_G) or {} do names[name] = true end return names";
    gives(&[(globals, json!({}))]);
}

#[test]
fn nothing_is_left_for_the_next_call() {
    let pairs = [
        ("leaked = 1 return leaked", json!(1), "return leaked", json!(null)),
        ("_G.leaked = 1 return leaked", json!(1), "return leaked or _G.leaked", json!(null)),
        ("rawset(_G, 'leaked', 1) return leaked", json!(1), "return leaked", json!(null)),
        ("string = 5 return string", json!(5), "return string.upper('a')", json!("A")),
        ("tostring = 5 return tostring", json!(5), "return tostring(1)", json!("1")),
        (
            "local t = setmetatable({}, {__mode = 'k'}) t[{}] = 1 return 1",
            json!(1),
            "return 1",
            json!(1),
        ),
        (
            "co = coroutine.create(function() coroutine.yield(1) end) coroutine.resume(co) return 1",
            json!(1),
            "return co",
            json!(null),
        ),
    ];
    for (first, gives_first, second, gives_second) in pairs {
        gives(&[(first, gives_first), (second, gives_second)]);
    }
    // A failed call leaves no more than others.
    fails(ErrorKind::Thrown, &[("leaked = 1 error('x')", "1:1 x")]);
    gives(&[("return leaked", json!(null))]);
}

#[test]
fn the_library_is_read_only() {
    fails(
        ErrorKind::Thrown,
        &[
            ("string.upper = nil", "1:1 attempt to modify a readonly table"),
            ("math.pi = 3", "1:1 attempt to modify a readonly table"),
            ("table.extra = 1", "1:1 attempt to modify a readonly table"),
            ("rawset(string, 'x', 1)", "1:1 attempt to modify a readonly table"),
            ("getmetatable('').__index = function() end", "1:1 attempt to modify a readonly table"),
            ("setmetatable(string, {})", "1:1 attempt to modify a readonly table"),
            ("table.insert(string, 1)", "1:1 attempt to modify a readonly table"),
            ("setmetatable(list, {})", "1:1 cannot change a protected metatable"),
            ("setmetatable(_G, nil)", "1:1 cannot change a protected metatable"),
        ],
    );
    gives(&[("return getmetatable(list) == false and getmetatable(_G) == false", json!(true))]);
}

#[test]
fn a_test_follows_luas_truth() {
    let cases = [
        ("return a > 1", true),
        ("return a > 9", false),
        ("return nil", false),
        ("", false),
        ("return 0", true),
        ("return ''", true),
        ("return null", false),
        ("return obj.x", false),
        ("return {}", true),
    ];
    for (source, expected) in cases {
        let args = args();
        let names: Vec<&String> = args.keys().collect();
        let script = LuaScript::compile(&STATES, source, &names).unwrap();
        assert_eq!(script.test(&args, &CallOptions::default()), Ok(expected), "{source}");
    }
}

#[test]
fn a_name_that_cannot_be_a_variable_is_refused() {
    for odd in ["order-id", "1st", "", "end", "a b", "x;y", "é"] {
        let error = LuaScript::compile(&STATES, "return 1", &[odd]).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Compile, "{odd}");
        assert_eq!(
            error.message,
            format!("the argument `{odd}` cannot be a variable of Lua: give it another name")
        );
    }
    let many: Vec<String> = (0..150).map(|n| format!("a{n}")).collect();
    let script = LuaScript::compile(&STATES, "return a149", &many).unwrap();
    let args = [("a149".to_owned(), json!(7))].into_iter().collect();
    assert_eq!(script.call(&args, &CallOptions::default()), Ok(json!(7)));
}

#[test]
fn arguments_nest_to_a_bound() {
    let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
    let with = |value: Value| {
        call("return 1, x", &[("x".to_owned(), value)].into_iter().collect(), Expected::ANYTHING)
    };
    assert_eq!(with(nested(JSON_DEPTH_MAX)), Ok(json!(1)));
    let error = with(nested(JSON_DEPTH_MAX + 1)).unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::NotJson, "an argument is nested more than 100 levels deep")
    );
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-(1i64 << 53)..=1i64 << 53).prop_map(Value::from),
        any::<f64>()
            .prop_filter("a fraction", |f| f.is_finite() && f.fract() != 0.0)
            .prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(".{0,8}", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn json_goes_in_and_out_unchanged(value in json_value()) {
        let args = [("x".to_owned(), value.clone())].into_iter().collect();
        prop_assert_eq!(call("return {x = x}", &args, Expected::ANYTHING).unwrap(), match value {
            Value::Null => json!({}),
            value => json!({"x": value}),
        });
    }

    #[test]
    fn no_soup_of_words_panics(words in prop::collection::vec(prop::sample::select(&[
        "local", "x", "=", "function", "(", ")", "end", "if", "then", "else", "return", "{", "}", "[", "]", ",", "..",
        "...", "+", "-", "*", "/", "#", "'s'", "1", "0", "nil", "true", "for", "in", "do", "while", "break", "repeat",
        "until", "error", "pcall", "table.insert", "string.rep", "setmetatable", "array", "null", "\n", "--", "[[", "]]",
        "goto", "::", "continue", "type", "export", "`", "{{", "\\",
    ][..]), 0..25)) {
        let options = CallOptions {
            limits: stepwell_script::ScriptLimits { time_ms: 200, memory_bytes: 1 << 20, ..Default::default() },
            ..CallOptions::default()
        };
        if let Ok(script) = LuaScript::compile(&STATES, &words.join(" "), &["x"])
            && let Err(error) = script.call(&Map::new(), &options)
        {
            prop_assert!(error.kind != ErrorKind::Unavailable, "{error}");
        }
    }
}
