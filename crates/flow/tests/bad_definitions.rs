//! Bad definitions, and exactly what each is told.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, as it should")]

mod kit;

use expect_test::{expect, expect_file};
use serde_json::{Value, json};
use stepwell_flow::limits::*;
use stepwell_flow::{Code, Problems, StepDefinition};

use kit::{Parentheses, merge, parse};

fn sync() -> Value {
    json!({
        "id": "send", "type": "sync",
        "attributes": {
            "to": {"role": "required", "type": "string"},
            "body": {"role": "optional", "type": "string", "default": "\"Hello!\""},
            "users": {"role": "required", "type": "array"},
            "region": {"role": "const", "value": "\"eu\""},
            "run": {"role": "meta", "key": "run_id"},
            "message_id": {"role": "output", "type": "string"},
        },
        "http": {"url": "https://api.example.com/send/{to}"},
    })
}

fn script() -> Value {
    json!({
        "id": "add", "type": "script",
        "attributes": {
            "a": {"role": "required", "type": "number"},
            "sum": {"role": "output", "type": "number"},
        },
        "script": {"language": "lua", "source": "return {sum = a}"},
    })
}

fn flow() -> Value {
    json!({
        "id": "pay", "type": "flow",
        "attributes": {
            "order": {"role": "required"},
            "note": {"role": "optional"},
            "receipt": {"role": "output"},
        },
        "flow": {"goals": ["charge"], "inputs": {"order": "order_id"}, "outputs": {"slip": "receipt"}},
    })
}

/// Every case of the table, with what it is told.
#[test]
fn bad_definitions_are_told_what_is_wrong_where_and_how_to_mend_it() {
    for base in [sync, script, flow] {
        assert_eq!(parse(&base()).map(|_| ()), Ok(()), "the bases are good");
    }
    let table = include_str!("bad_definitions.txt");
    let mut told = String::new();
    let mut n_cases = 0;
    for line in table.lines().filter(|line| !line.starts_with(' ')) {
        told.push_str(&format!("{line}\n"));
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        n_cases += 1;
        let problems = problems_of(line).to_string();
        told.extend(problems.lines().map(|problem| format!("    {problem}\n")));
    }
    assert!(n_cases >= 100, "{n_cases} cases");
    expect_file!["./bad_definitions.txt"].assert_eq(&told);
}

fn problems_of(case: &str) -> Problems {
    let (base, change) = case.split_once(' ').unwrap_or((case, ""));
    let mut definition = match base {
        "text" => return StepDefinition::parse(change.as_bytes()).unwrap_err(),
        "sync" => sync(),
        "script" => script(),
        "flow" => flow(),
        _ => panic!("there is no base `{base}`"),
    };
    merge(&mut definition, &serde_json::from_str(change).unwrap());
    parse(&definition).unwrap_err()
}

#[test]
fn nesting_has_a_bound() {
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let problems = StepDefinition::parse(deep.as_bytes()).unwrap_err();
    assert_eq!(
        problems.to_string(),
        "invalid_json: no JSON: recursion limit exceeded at line 1 column 128"
    );
}

#[test]
fn scripts_that_do_not_compile() {
    let mut definition = sync();
    let broken = json!({"language": "ale", "source": "(first value"});
    merge(
        &mut definition,
        &json!({
            "predicate": {"language": "lua", "source": "x\n  return )"},
            "attributes": {
                "to": {"match": broken, "mapping": {"name": "to", "script": broken}},
                "message_id": {"mapping": {"script": broken}},
            },
        }),
    );
    let problems = parse(&definition).unwrap().compile_problems(&Parentheses);
    let problems: Vec<String> = problems.iter().map(|problem| problem.to_string()).collect();
    expect![[r#"
        /attributes/message_id/mapping/script/source: script_error: line 1, column 1: this parenthesis has no other
        /attributes/to/match/source: script_error: line 1, column 1: this parenthesis has no other
        /attributes/to/mapping/script/source: script_error: line 1, column 1: this parenthesis has no other
        /predicate/source: script_error: line 2, column 10: this parenthesis has no other"#]].assert_eq(&problems.join("\n"));
}

/// One case on each side of every bound that counts bytes or entries.
#[test]
fn limits() {
    #[track_caller]
    fn check(edge: impl Fn(usize) -> Value, max: usize, expected: &str) {
        assert_eq!(parse(&edge(max)).map(|_| ()), Ok(()), "at the limit");
        let problems = parse(&edge(max + 1)).unwrap_err().into_vec();
        let [problem] = problems.as_slice() else { panic!("{problems:?}") };
        assert_eq!(format!("{}: {}", problem.code, problem.message), expected);
    }
    let with = |patch: Value| {
        let mut definition = sync();
        merge(&mut definition, &patch);
        definition
    };
    let long = |n: usize| "a".repeat(n);
    let map = |n: usize, value: Value| -> Value {
        (0..n).map(|n| (format!("n{n}"), value.clone())).collect::<serde_json::Map<_, _>>().into()
    };
    check(
        |n| with(json!({"id": long(n)})),
        ID_BYTES_MAX,
        "bad_name: this has 129 bytes, at most 128 are allowed",
    );
    check(
        |n| with(json!({"name": long(n)})),
        NAME_BYTES_MAX,
        "bad_name: this has 257 bytes, at most 256 are allowed",
    );
    check(
        |n| with(json!({"labels": map(n, json!("x"))})),
        LABELS_MAX,
        "too_many: there are 65, at most 64 are allowed",
    );
    check(
        |n| with(json!({"labels": {long(n): "x"}})),
        LABEL_KEY_BYTES_MAX,
        "bad_name: this has 129 bytes, at most 128 are allowed",
    );
    check(
        |n| with(json!({"labels": {"x": long(n)}})),
        LABEL_VALUE_BYTES_MAX,
        "bad_length: this has 257 bytes, at most 256 are allowed",
    );
    let n_attributes = sync()["attributes"].as_object().unwrap().len();
    check(
        |n| with(json!({"attributes": map(n - n_attributes, json!({"role": "output"}))})),
        ATTRIBUTES_MAX,
        "too_many: there are 257, at most 256 are allowed",
    );
    check(
        |n| with(json!({"attributes": {long(n): {"role": "output"}}})),
        ATTRIBUTE_NAME_BYTES_MAX,
        "bad_name: this has 129 bytes, at most 128 are allowed",
    );
    check(
        |n| with(json!({"attributes": {"body": {"mapping": {"name": long(n)}}}})),
        ATTRIBUTE_NAME_BYTES_MAX,
        "bad_name: this has 129 bytes, at most 128 are allowed",
    );
    check(
        |n| with(json!({"predicate": {"language": "lua", "source": long(n)}})),
        SOURCE_BYTES_MAX,
        "bad_length: the script has 262145 bytes, at most 262144 are allowed",
    );
    let url = "https://example.com/";
    check(
        |n| with(json!({"http": {"url": format!("{url}{}", long(n - url.len()))}})),
        URL_BYTES_MAX,
        "bad_url: this has 4097 bytes, at most 4096 are allowed",
    );
    let goals = |n: usize| (0..n).map(|n| json!(format!("g{n}"))).collect::<Vec<_>>();
    check(
        |n| {
            let mut definition = flow();
            definition["flow"]["goals"] = goals(n).into();
            definition
        },
        GOALS_MAX,
        "too_many: there are 65 goals, at most 64 are allowed",
    );
}

#[test]
fn a_definition_has_at_most_512_kilobytes() {
    let text = |n: usize| {
        let definition = script().to_string();
        let filler = " ".repeat(n - definition.len());
        format!("{filler}{definition}")
    };
    assert_eq!(STEP_BYTES_MAX, 512 * 1024);
    assert!(StepDefinition::parse(text(STEP_BYTES_MAX).as_bytes()).is_ok());
    let problems = StepDefinition::parse(text(STEP_BYTES_MAX + 1).as_bytes()).unwrap_err();
    assert_eq!(
        problems.to_string(),
        "too_large: this has 524289 bytes, at most 524288 are allowed"
    );

    // However it was made.
    let mut step = parse(&script()).unwrap();
    let n_bytes = step.canonical().len();
    step.name = "n".repeat(STEP_BYTES_MAX - n_bytes);
    let problems = step.problems();
    assert!(problems.iter().any(|problem| problem.code.as_str() == "too_large"), "{problems:?}");
}

/// The page must have every code, and every bound as it is.
#[test]
fn the_reference_lists_every_code_and_bound() {
    let page = include_str!("../../../docs/reference/flow-steps.md");
    for code in Code::ALL {
        assert!(page.contains(&format!("| `{code}` |")), "{code}");
    }
    let n_rows =
        page.lines().skip_while(|line| *line != "## Errors").filter(|line| line.starts_with("| `"));
    assert_eq!(n_rows.count(), Code::ALL.len(), "and no other");
    let bounds = [
        STEP_BYTES_MAX as u64,
        START_BYTES_MAX as u64,
        GOALS_MAX as u64,
        WORK_ITEMS_MAX as u64,
        ID_BYTES_MAX as u64,
        ATTRIBUTE_NAME_BYTES_MAX as u64,
        NAME_BYTES_MAX as u64,
        ATTRIBUTES_MAX as u64,
        LABELS_MAX as u64,
        LABEL_KEY_BYTES_MAX as u64,
        LABEL_VALUE_BYTES_MAX as u64,
        SOURCE_BYTES_MAX as u64,
        URL_BYTES_MAX as u64,
        TIMEOUT_MS_MAX,
        WEBHOOK_TIMEOUT_MS_MAX,
        DEADLINE_MS_MAX,
        MEMO_TTL_MS_MAX,
        RETRIES_MAX,
        BACKOFF_MS_MAX,
        PARALLELISM_MAX,
        CATALOG_STEPS_MAX as u64,
        PLAN_STEPS_MAX as u64,
        FLOW_DEPTH_MAX as u64,
    ];
    for bound in bounds {
        assert!(page.contains(&grouped(bound)), "{bound}");
    }
}

/// `12,345`
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(|group| str::from_utf8(group).unwrap());
    groups.collect::<Vec<_>>().join(",")
}
