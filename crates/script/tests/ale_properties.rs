//! Ale: what holds for any source and any value.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say so at once")]

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use stepwell_script::{AleScript, CallOptions, ErrorKind, ScriptLimits};

const TINY: ScriptLimits = ScriptLimits {
    time_ms: 5_000,
    memory_bytes: 1 << 20,
    stack_bytes: 512 << 10,
    recursion_max: 200,
    steps_max: 20_000,
    output_bytes: 16 << 10,
};

fn options() -> CallOptions {
    CallOptions { limits: TINY, ..CallOptions::default() }
}

/// What a script that is meant to end gives, as printed.
fn print(source: &str) -> String {
    let script = AleScript::compile::<&str>(source, &[]).unwrap();
    script.print(&Map::new(), &CallOptions::default()).unwrap()
}

/// Words that scripts are made of, and some that they are not.
const WORDS: &[&str] = &[
    "(",
    "(",
    "(",
    "(",
    ")",
    ")",
    ")",
    ")",
    "[",
    "]",
    "[",
    "]",
    "{",
    "}",
    "#{",
    "'",
    "\"a b\"",
    "\"",
    ".",
    ":k",
    ":",
    "x",
    "y",
    "f",
    "n",
    "0",
    "1",
    "-1",
    "2.5",
    "1/3",
    "99999999999999999999",
    "true",
    "false",
    "null",
    "nan",
    "+inf",
    "#t",
    "#f",
    "lambda",
    "let",
    "let*",
    "let-rec",
    "define",
    "define-lambda",
    "if",
    "cond",
    "case",
    "and",
    "or",
    "when",
    "unless",
    "begin",
    "quote",
    "->",
    "->>",
    "some->",
    "cond->",
    "for",
    "try",
    "catch",
    "raise",
    "lazy-seq",
    "map",
    "filter",
    "reduce",
    "range",
    "take",
    "drop",
    "concat",
    "cons",
    "first",
    "rest",
    "apply",
    "partial",
    "comp",
    "+",
    "-",
    "*",
    "/",
    "mod",
    "quot",
    "expt",
    "=",
    "<",
    "eq",
    "not",
    "inc",
    "str",
    "str!",
    "get",
    "assoc",
    "dissoc",
    "conj",
    "nth",
    "length",
    "reverse",
    "sort",
    "sort-by",
    "keys",
    "vals",
    "merge",
    "update",
    "group-by",
    "seq->vector",
    "seq->object",
    "split",
    "join",
    "replace",
    "subs",
    "keyword",
    "empty?",
    "number?",
    "list",
    "vector",
    "object",
    "set",
    "iterate",
    "cycle",
    "repeat",
    "mapcat",
    "flatten",
    "distinct",
    "zip",
    "partition",
    "else",
    "&",
    "`",
    ",@",
    "#|",
    "|#",
    ";",
    "\n",
    "é",
    "\u{0}",
];

/// A call of something with something, nested a few times.
fn call_soup() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(WORDS).prop_map(str::to_owned);
    leaf.prop_recursive(6, 64, 5, |inner| {
        (prop::sample::select(WORDS), prop::collection::vec(inner, 0..5), 0..4usize).prop_map(
            |(head, args, shape)| {
                let args = args.join(" ");
                match shape {
                    0 => format!("[{args}]"),
                    1 => format!("(lambda (x) {args})"),
                    2 => format!("(let [x {args}] ({head} x {args}))"),
                    _ => format!("({head} {args})"),
                }
            },
        )
    })
}

/// Procedures and how many arguments they take.
const CALLS: &[(&str, usize)] = &[
    ("map", 2),
    ("map", 3),
    ("filter", 2),
    ("remove", 2),
    ("reduce", 2),
    ("reduce", 3),
    ("fold-right", 3),
    ("range", 1),
    ("range", 2),
    ("range", 3),
    ("take", 2),
    ("drop", 2),
    ("take-while", 2),
    ("drop-while", 2),
    ("concat", 2),
    ("mapcat", 2),
    ("cons", 2),
    ("first", 1),
    ("rest", 1),
    ("last", 1),
    ("nth", 2),
    ("nth", 3),
    ("length", 1),
    ("reverse", 1),
    ("sort", 1),
    ("sort", 2),
    ("sort-by", 2),
    ("conj", 2),
    ("append", 2),
    ("list", 2),
    ("vector", 3),
    ("object", 2),
    ("set", 2),
    ("get", 2),
    ("get", 3),
    ("assoc", 2),
    ("assoc", 3),
    ("dissoc", 2),
    ("keys", 1),
    ("vals", 1),
    ("merge", 2),
    ("update", 3),
    ("get-in", 2),
    ("assoc-in", 3),
    ("select-keys", 2),
    ("map-vals", 2),
    ("group-by", 2),
    ("frequencies", 1),
    ("distinct", 1),
    ("flatten", 1),
    ("partition", 2),
    ("zip", 2),
    ("interleave", 2),
    ("cartesian-product", 2),
    ("iterate", 2),
    ("repeat", 2),
    ("cycle", 1),
    ("some", 2),
    ("every?", 2),
    ("find", 2),
    ("index-of", 2),
    ("apply", 2),
    ("apply", 3),
    ("partial", 2),
    ("comp", 2),
    ("juxt", 2),
    ("complement", 1),
    ("constantly", 1),
    ("seq", 1),
    ("seq->list", 1),
    ("seq->vector", 1),
    ("seq->set", 1),
    ("seq->object", 1),
    ("empty?", 1),
    ("number?", 1),
    ("even?", 1),
    ("eq", 2),
    ("=", 2),
    ("<", 2),
    ("+", 2),
    ("-", 2),
    ("*", 2),
    ("/", 2),
    ("mod", 2),
    ("quot", 2),
    ("expt", 2),
    ("min", 2),
    ("abs", 1),
    ("floor", 1),
    ("sqrt", 1),
    ("exact", 1),
    ("str", 2),
    ("str!", 1),
    ("split", 2),
    ("join", 2),
    ("replace", 3),
    ("subs", 2),
    ("upper-case", 1),
    ("trim", 1),
    ("includes?", 2),
    ("parse-number", 2),
    ("keyword", 1),
    ("name", 1),
    ("contains?", 2),
    ("raise", 1),
    ("recover", 2),
    ("if", 3),
    ("and", 2),
    ("or", 2),
    ("when", 2),
    ("begin", 2),
    ("lazy-seq", 1),
    ("thunk", 1),
    ("quote", 1),
    ("try", 1),
    ("not", 1),
];

/// Programs that compile, and mostly do something silly.
fn program() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(
        &[
            "x",
            "y",
            "n",
            "0",
            "1",
            "2",
            "-3",
            "1/2",
            "2.5",
            "99999999999999999999",
            "\"a b\"",
            "\"\"",
            "[]",
            "[1 2 3]",
            "[[1 2] [3 4]]",
            "'(1 2)",
            "'()",
            "{:k 1}",
            "{}",
            "#{1 2}",
            ":k",
            "true",
            "false",
            "null",
            "+inf",
            "nan",
            "inc",
            "first",
            "str",
            "identity",
            "(range)",
            "(repeat 1)",
            "(lambda (x) x)",
            "(lambda xs xs)",
            "(1 . 2)",
            "(lambda-rec f (x) (f x))",
            "(lambda-rec f (x) (cons x (f x)))",
        ][..],
    );
    leaf.prop_map(str::to_owned).prop_recursive(7, 96, 4, |inner| {
        let call = (prop::sample::select(CALLS), prop::collection::vec(inner.clone(), 3))
            .prop_map(|((head, argc), args)| format!("({head} {})", args[..argc].join(" ")));
        prop_oneof![
            6 => call,
            1 => inner.clone().prop_map(|body| format!("(lambda (x) {body})")),
            1 => inner.clone().prop_map(|body| format!("(lambda (x y) {body})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(value, body)| format!("(let [n {value}] {body})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(value, body)| format!("(let-rec [x (lazy-seq {value})] {body})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(body, caught)| format!("(try {body} (catch x {caught}))")),
            1 => inner.clone().prop_map(|value| format!("(some-> {value} list (conj 1) (->> (map inc)))")),
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(" "))),
            1 => (inner.clone(), inner).prop_map(|(callee, arg)| format!("({callee} {arg})")),
        ]
    })
}

/// Runs a source and checks what must hold whatever it is.
fn run(source: &str) -> Result<(), TestCaseError> {
    let args = json!({"x": [1, {"k": null}], "y": "text", "n": 3});
    let script = match AleScript::compile(source, &["x", "y", "n"]) {
        Ok(script) => script,
        Err(error) => {
            prop_assert_eq!(error.kind, ErrorKind::Compile);
            // The reader and the compiler know where they are.
            prop_assert!(error.position.is_some_and(|at| at.line >= 1 && at.column >= 1));
            return Ok(());
        }
    };
    let args = args.as_object().unwrap();
    let once = script.call(args, &options());
    if let Err(error) = &once {
        prop_assert!(
            error.kind != ErrorKind::Unavailable && error.kind != ErrorKind::Compile,
            "{error}"
        );
    }
    // The same arguments give the same result, and the call before left nothing.
    prop_assert_eq!(&once, &script.call(args, &options()));
    let _ = script.print(args, &options());
    Ok(())
}

/// Data as it may stand in a source.
fn data() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        any::<i64>().prop_map(|n| n.to_string()),
        (any::<i64>(), 1..1000i64).prop_map(|(a, b)| format!("{a}/{b}")),
        any::<f64>()
            .prop_filter("is printed as a literal", |f| f.is_finite())
            .prop_map(|f| format!("{f:?}")),
        "[1-9][0-9]{20,40}",
        Just("#t".to_owned()),
        Just("#f".to_owned()),
        Just("()".to_owned()),
        Just("+inf".to_owned()),
        "[a-z][a-z0-9?!*<>=-]{0,8}".prop_filter("a literal", |name| name != "nan"),
        ":[a-z0-9?!*<>=.-]{1,8}",
        ".{0,8}".prop_map(|text| json!(text).to_string().replace("\\u00", "?")),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        let many = prop::collection::vec(inner.clone(), 0..5);
        prop_oneof![
            many.clone().prop_map(|items| format!("({})", items.join(" "))),
            many.clone().prop_map(|items| format!("[{}]", items.join(" "))),
            many.prop_map(|items| format!("#{{{}}}", items.join(" "))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} . {b})")),
            prop::collection::vec((inner.clone(), inner), 0..4).prop_map(|entries| {
                let entries: Vec<String> =
                    entries.into_iter().map(|(k, v)| format!("{k} {v}")).collect();
                format!("{{{}}}", entries.join(" "))
            }),
        ]
    })
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (any::<f64>())
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
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn no_soup_of_words_panics(words in prop::collection::vec(prop::sample::select(WORDS), 0..40)) {
        run(&words.join(" "))?;
        run(&words.concat())?;
    }

    #[test]
    fn no_soup_of_calls_panics(source in call_soup()) {
        run(&source)?;
    }

    #[test]
    fn no_program_panics(source in program()) {
        prop_assert!(AleScript::compile(&source, &["x", "y", "n"]).is_ok(), "{}", source);
        run(&source)?;
    }

    #[test]
    fn no_soup_of_characters_panics(source in "[()\\[\\]{}'\"#|;:.,`@\\\\a-c0-2/+\\-éλ \n]{0,60}") {
        run(&source)?;
    }

    #[test]
    fn what_is_printed_reads_back_as_the_same_value(data in data()) {
        let printed = print(&format!("'{data}"));
        prop_assert_eq!(&print(&format!("'{printed}")), &printed);
        prop_assert_eq!(print(&format!("(eq '{data} '{printed})")), "#t", "{} printed as {}", data, printed);
    }

    #[test]
    fn json_goes_in_and_out_unchanged(value in json_value()) {
        let script = AleScript::compile("[x]", &["x"]).unwrap();
        let args = [("x".to_owned(), value.clone())].into_iter().collect();
        prop_assert_eq!(script.call(&args, &options()).unwrap(), json!([value]));
    }

    #[test]
    fn integers_are_those_of_a_wider_type(a in any::<i64>(), b in any::<i64>()) {
        let (wide_a, wide_b) = (i128::from(a), i128::from(b));
        prop_assert_eq!(print(&format!("(+ {a} {b})")), (wide_a + wide_b).to_string());
        prop_assert_eq!(print(&format!("(- {a} {b})")), (wide_a - wide_b).to_string());
        prop_assert_eq!(print(&format!("(* {a} {b})")), (wide_a * wide_b).to_string());
        if b != 0 {
            prop_assert_eq!(print(&format!("(quot {a} {b})")), (wide_a / wide_b).to_string());
            prop_assert_eq!(print(&format!("(rem {a} {b})")), (wide_a % wide_b).to_string());
            prop_assert_eq!(print(&format!("(= (* (/ {a} {b}) {b}) {a})")), "#t");
            let modulo = wide_a.rem_euclid(wide_b.abs());
            let modulo = if wide_b < 0 && modulo != 0 { modulo + wide_b } else { modulo };
            prop_assert_eq!(print(&format!("(mod {a} {b})")), modulo.to_string());
        }
        prop_assert_eq!(print(&format!("(< {a} {b})")), if a < b { "#t" } else { "#f" });
    }

    #[test]
    fn objects_behave_like_maps(steps in prop::collection::vec((any::<bool>(), 0..40i64, 0..100i64), 0..80)) {
        let mut source = "{}".to_owned();
        let mut expected = std::collections::BTreeMap::new();
        for (put, key, value) in steps {
            if put {
                source = format!("(assoc {source} {key} {value})");
                expected.insert(key, value);
            } else {
                source = format!("(dissoc {source} {key})");
                expected.remove(&key);
            }
        }
        let printed = print(&source);
        let entries: Vec<String> = expected.iter().map(|(key, value)| format!("{key} {value}")).collect();
        prop_assert_eq!(printed, format!("{{{}}}", entries.join(" ")));
    }

    #[test]
    fn sorting_sorts(items in prop::collection::vec(-50..50i64, 0..60)) {
        let list: Vec<String> = items.iter().map(i64::to_string).collect();
        let mut sorted = items;
        sorted.sort_unstable();
        let expected = format!("{sorted:?}").replace(',', "");
        prop_assert_eq!(print(&format!("(sort [{}])", list.join(" "))), expected.clone());
        prop_assert_eq!(print(&format!("(sort < [{}])", list.join(" "))), expected.clone());
        let backwards = format!("{:?}", sorted.iter().rev().collect::<Vec<_>>()).replace(',', "");
        prop_assert_eq!(print(&format!("(sort-by - [{}])", list.join(" "))), backwards);
    }
}
