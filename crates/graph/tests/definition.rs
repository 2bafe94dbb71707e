//! What a graph may be, and everything that is wrong with one at once.

use proptest::prelude::*;
use serde_json::{Value, json};
use stepwell_graph::limits::{
    CODE_BYTES_MAX, DEFINITION_BYTES_MAX, DESCRIPTION_BYTES_MAX, IN_VALUES_MAX, NAME_BYTES_MAX,
    REF_BYTES_MAX, STEP_NAME_BYTES_MAX, STEPS_MAX, TITLE_BYTES_MAX,
};
use stepwell_graph::{
    Code, Definition, EdgeKind, GRAPH_SCHEMA, Graph, Problem, Schema, graph_schema, limits,
};

/// The graph of the format's own description, with every field in use.
fn onboard() -> Value {
    json!({
        "id": "onboard", "title": "Onboard a user", "description": "Looks a user up and greets their friends.",
        "input_schema": {
            "type": "object", "properties": { "user_id": { "type": "integer" } }, "required": ["user_id"],
        },
        "steps": [
            { "name": "lookup", "title": "Look up", "action": { "toolName": "GET_USER", "server": "crm" },
              "input": { "id": "@input.user_id" } },
            { "name": "score", "description": "Is this user old enough?",
              "action": { "code": "export default function (input) { return { ok: input.n > 3 } }" },
              "input": { "n": "@lookup.logins" }, "config": { "timeoutMs": 1000, "memoryMb": 16 } },
            { "name": "stop", "when": { "ref": "@score.ok", "eq": false }, "action": { "return": true },
              "input": { "reason": "too new" } },
            { "name": "mail", "forEach": { "ref": "@lookup.friends", "concurrency": 4 },
              "action": { "toolName": "SEND_EMAIL", "transformCode": "export default (r) => r.id" },
              "input": { "to": "@item.email", "n": "@index", "text": "Hello @item.name, from @lookup.name" },
              "outputSchema": { "type": "string" },
              "config": { "maxAttempts": 3, "backoffMs": 200, "timeoutMs": 10000, "onError": "continue",
                          "retryOnCrash": true } },
            { "name": "pause", "when": { "ref": "@score" }, "action": { "sleep": 60000 } },
            { "name": "approval", "action": { "listen": "approve" }, "input": "@pause", "config": { "timeoutMs": 5 } },
            { "name": "report", "action": { "workflow": "report", "input": { "who": "@lookup.name", "ok": "@approval?" } },
              "when": { "ref": "@mail[0]", "exists": true } },
        ],
    })
}

fn one(step: Value) -> Value {
    json!({ "id": "g", "steps": [step] })
}

fn sleep_with(field: &str, value: Value) -> Value {
    let mut step = json!({ "name": "a", "action": { "sleep": 1 } });
    step[field] = value;
    one(step)
}

fn tool_with(field: &str, value: Value) -> Value {
    let mut step = json!({ "name": "a", "action": { "toolName": "T" } });
    step[field] = value;
    one(step)
}

fn action(action: Value) -> Value {
    one(json!({ "name": "a", "action": action }))
}

fn valid() -> Vec<Value> {
    vec![
        onboard(),
        json!({ "id": "empty", "steps": [] }),
        one(json!({ "name": "_", "action": { "sleep": 0 } })),
        one(json!({ "name": "inputs", "action": { "sleep": 1.0 }, "input": null })),
        action(json!({ "workflow": "w" })),
        one(json!({ "name": "a", "action": { "workflow": "w" }, "input": "@input" })),
        tool_with("when", json!({ "ref": "@input.x?", "in": [1, "two", null] })),
        tool_with("when", json!({ "ref": "@input[\"odd \\\" key\"].0[3]", "gte": -1.5 })),
        tool_with("when", json!({ "ref": "@ctx.run_id", "neq": "@@input" })),
        tool_with("input", json!("@ctx.started_at")),
        tool_with(
            "input",
            json!({ "deep": [{ "mail": "me@input.com", "at": "@@lokup", "said": "@bob said" }] }),
        ),
        tool_with("outputSchema", json!(true)),
        sleep_with("config", json!({ "onError": "fail" })),
    ]
}

type Expected = (&'static str, &'static str, Code, &'static str);

/// A definition, and the problems that it has: the step, the field, the code, a part of the message. Whether a
/// JSON Schema can see it, too.
fn invalid() -> Vec<(Value, Vec<Expected>, bool)> {
    let a = |field, code, message| vec![("a", field, code, message)];
    let top = |field, code, message| vec![("", field, code, message)];
    let long = |n: usize| "x".repeat(n);
    vec![
        // The form.
        (
            json!([]),
            vec![
                ("", "", Code::Type, "must be an object, and is an array of 0"),
                ("", "id", Code::Missing, "`id` is missing"),
                ("", "steps", Code::Missing, "`steps` is missing"),
            ],
            true,
        ),
        (json!({ "id": "g" }), top("steps", Code::Missing, "`steps` is missing"), true),
        (json!({ "steps": [] }), top("id", Code::Missing, "`id` is missing"), true),
        (json!({ "id": "", "steps": [] }), top("id", Code::Length, "must not be empty"), true),
        (
            json!({ "id": long(NAME_BYTES_MAX + 1), "steps": [] }),
            top("id", Code::Length, "has 201 bytes, at most 200"),
            true,
        ),
        (
            json!({ "id": 7, "steps": [] }),
            top("id", Code::Type, "must be a string, and is a number"),
            true,
        ),
        (json!({ "id": "g", "steps": {} }), top("steps", Code::Type, "must be an array"), true),
        (
            json!({ "id": "g", "steps": [], "step": 1 }),
            top("step", Code::UnknownField, "Did you mean `steps`?"),
            true,
        ),
        (
            json!({ "id": "g", "steps": [], "title": long(TITLE_BYTES_MAX + 1) }),
            top("title", Code::Length, "at most 200"),
            true,
        ),
        (
            json!({ "id": "g", "steps": [], "description": long(DESCRIPTION_BYTES_MAX + 1) }),
            top("description", Code::Length, "at most 16384"),
            true,
        ),
        (
            json!({ "id": "g", "steps": [], "title": null }),
            top("title", Code::Type, "must be a string, and is null"),
            true,
        ),
        (
            json!({ "id": "g", "steps": [], "input_schema": { "type": "strin" } }),
            top("input_schema", Code::Schema, "no JSON Schema that can be used"),
            false,
        ),
        (
            json!({ "id": "g", "steps": [], "input_schema": { "$ref": "https://example.com/x.json" } }),
            top("input_schema", Code::Schema, "no JSON Schema"),
            false,
        ),
        (
            json!({ "id": "g", "steps": [], "input_schema": { "pattern": "(" } }),
            top("input_schema", Code::Schema, "no JSON Schema"),
            false,
        ),
        (
            json!({ "id": "g", "steps": [7] }),
            vec![
                ("", "steps[0]", Code::Type, "must be an object, and is a number"),
                ("", "steps[0].name", Code::Missing, "`name` is missing"),
                ("", "steps[0].action", Code::Missing, "`action` is missing"),
            ],
            true,
        ),
        // Names.
        (
            one(json!({ "action": { "sleep": 1 } })),
            top("steps[0].name", Code::Missing, "`name` is missing"),
            true,
        ),
        (
            one(json!({ "name": "a b", "action": { "sleep": 1 } })),
            vec![("a b", "steps[0].name", Code::Name, "use ASCII letters")],
            true,
        ),
        (
            one(json!({ "name": "1a", "action": { "sleep": 1 } })),
            vec![("1a", "steps[0].name", Code::Name, "begin with no digit")],
            true,
        ),
        (
            one(json!({ "name": "é", "action": { "sleep": 1 } })),
            vec![("é", "steps[0].name", Code::Name, "use ASCII letters")],
            true,
        ),
        (
            one(json!({ "name": "item", "action": { "sleep": 1 } })),
            vec![("item", "steps[0].name", Code::ReservedName, "means something else")],
            true,
        ),
        (
            one(json!({ "name": "ctx", "action": { "sleep": 1 } })),
            vec![("ctx", "steps[0].name", Code::ReservedName, "means something else")],
            true,
        ),
        (
            json!({ "id": "g", "steps": [{ "name": "a", "action": { "sleep": 1 } }, { "name": "a", "action": { "sleep": 1 } }] }),
            vec![("a", "steps[1].name", Code::DuplicateName, "`a` is the name of steps[0], too")],
            false,
        ),
        // Actions.
        (
            one(json!({ "name": "a" })),
            a("steps[0].action", Code::Missing, "`action` is missing"),
            true,
        ),
        (action(json!("T")), a("steps[0].action", Code::Type, "must be an object"), true),
        (
            action(json!({})),
            a(
                "steps[0].action",
                Code::Action,
                "exactly one of `toolName`, `code`, `return`, `workflow`, `sleep`, `listen`, and has none",
            ),
            true,
        ),
        (
            action(json!({ "toolName": "T", "code": "c" })),
            a("steps[0].action", Code::Action, "and has `toolName`, `code`"),
            true,
        ),
        (
            action(json!({ "toolName": "" })),
            a("steps[0].action.toolName", Code::Length, "must not be empty"),
            true,
        ),
        (
            action(json!({ "toolName": "T", "sever": "s" })),
            a("steps[0].action.sever", Code::UnknownField, "Did you mean `server`?"),
            true,
        ),
        (
            action(json!({ "code": "c", "input": 1 })),
            a("steps[0].action.input", Code::UnknownField, "`input` is not a field here"),
            true,
        ),
        (
            action(json!({ "code": long(CODE_BYTES_MAX + 1) })),
            a("steps[0].action.code", Code::Length, "at most 262144"),
            true,
        ),
        (
            action(json!({ "return": false })),
            a("steps[0].action.return", Code::Value, "must be true"),
            true,
        ),
        (
            action(json!({ "sleep": -1 })),
            a("steps[0].action.sleep", Code::Number, "from 0 to 316224000000, and is -1"),
            true,
        ),
        (
            action(json!({ "sleep": 0.5 })),
            a("steps[0].action.sleep", Code::Number, "must be a whole number"),
            true,
        ),
        (
            action(json!({ "sleep": 316224000001_u64 })),
            a("steps[0].action.sleep", Code::Number, "to 316224000000"),
            true,
        ),
        (
            action(json!({ "sleep": "1s" })),
            a("steps[0].action.sleep", Code::Type, "must be a whole number, and is a string"),
            true,
        ),
        (
            action(json!({ "listen": "" })),
            a("steps[0].action.listen", Code::Length, "must not be empty"),
            true,
        ),
        (
            one(json!({ "name": "a", "action": { "workflow": "w", "input": 1 }, "input": 2 })),
            a("steps[0].action.input", Code::TwoInputs, "keep one of them"),
            true,
        ),
        // When.
        (
            tool_with("when", json!("@input.x")),
            a("steps[0].when", Code::Type, "must be an object"),
            true,
        ),
        (
            tool_with("when", json!({})),
            a("steps[0].when.ref", Code::Missing, "`ref` is missing"),
            true,
        ),
        (
            tool_with("when", json!({ "ref": "@input.x", "eq": 1, "gt": 0 })),
            a(
                "steps[0].when",
                Code::Operators,
                "has the operators `eq`, `gt`; at most one is allowed",
            ),
            true,
        ),
        (
            tool_with("when", json!({ "ref": "@input.x", "equals": 1 })),
            a("steps[0].when.equals", Code::UnknownField, "`equals` is not a field here"),
            true,
        ),
        (
            tool_with("when", json!({ "ref": "@input.x", "gt": "3" })),
            a("steps[0].when.gt", Code::Operand, "compares with a number, and this is a string"),
            true,
        ),
        (
            tool_with("when", json!({ "ref": "@input.x", "in": 3 })),
            a("steps[0].when.in", Code::Operand, "needs an array"),
            true,
        ),
        (
            tool_with("when", json!({ "ref": "@input.x", "in": vec![0; IN_VALUES_MAX + 1] })),
            a("steps[0].when.in", Code::TooMany, "the limit IN_VALUES_MAX of 1000"),
            true,
        ),
        (
            tool_with("when", json!({ "ref": "@input.x", "exists": "yes" })),
            a("steps[0].when.exists", Code::Operand, "needs true or false"),
            true,
        ),
        (
            tool_with("when", json!({ "ref": "@input.x", "eq": "@input.y" })),
            a("steps[0].when.eq", Code::Operand, "`@input.y` is not resolved here"),
            false,
        ),
        (
            tool_with("when", json!({ "ref": "@input.x", "in": ["a", "@input.y"] })),
            a("steps[0].when.in[1]", Code::Operand, "`@input.y` is not resolved here"),
            false,
        ),
        (
            tool_with("when", json!({ "ref": "input.x" })),
            a("steps[0].when.ref", Code::NotARef, "must be one ref and nothing else"),
            true,
        ),
        (
            tool_with("when", json!({ "ref": "@input.x ok" })),
            a("steps[0].when.ref", Code::NotARef, "must be one ref and nothing else"),
            true,
        ),
        (
            tool_with("when", json!({ "ref": "@input[x]" })),
            a("steps[0].when.ref", Code::RefSyntax, "must be followed by a number"),
            true,
        ),
        (
            tool_with("when", json!({ "ref": "@nobody.x" })),
            a("steps[0].when.ref", Code::UnknownRoot, "there is no step `nobody`"),
            false,
        ),
        (
            tool_with("when", json!({ "ref": "@item" })),
            a("steps[0].when.ref", Code::ItemOutsideForEach, "decided once, before the items"),
            false,
        ),
        (
            tool_with("when", json!({ "ref": "@ctx.user" })),
            a("steps[0].when.ref", Code::UnknownCtx, "`@ctx` has no `.user`; it has `run_id`"),
            false,
        ),
        (
            tool_with("when", json!({ "ref": format!("@input.{}", long(REF_BYTES_MAX)) })),
            a("steps[0].when.ref", Code::Length, "at most 1000"),
            true,
        ),
        // For each.
        (
            tool_with("forEach", json!({ "ref": "@input.list", "concurrency": 0 })),
            a("steps[0].forEach.concurrency", Code::Number, "from 1 to 1000, and is 0"),
            true,
        ),
        (
            tool_with("forEach", json!({ "ref": "@input.list", "concurrency": 1001 })),
            a("steps[0].forEach.concurrency", Code::Number, "from 1 to 1000, and is 1001"),
            true,
        ),
        (
            tool_with("forEach", json!({ "concurrency": 2 })),
            a("steps[0].forEach.ref", Code::Missing, "`ref` is missing"),
            true,
        ),
        (
            tool_with("forEach", json!({ "ref": "@index" })),
            a("steps[0].forEach.ref", Code::ItemOutsideForEach, "before the items"),
            false,
        ),
        (
            tool_with("forEach", json!({ "ref": ["@a"] })),
            a("steps[0].forEach.ref", Code::Type, "must be a string"),
            true,
        ),
        (
            one(
                json!({ "name": "a", "action": { "return": true }, "forEach": { "ref": "@input.x" } }),
            ),
            a("steps[0].forEach", Code::NotApplicable, "a run returns once"),
            true,
        ),
        // Input.
        (
            tool_with("input", json!({ "x": "@item.id" })),
            a(
                "steps[0].input.x",
                Code::ItemOutsideForEach,
                "only in the `input` of a step with `forEach`",
            ),
            false,
        ),
        (
            tool_with("input", json!({ "x": "n is @index" })),
            a(
                "steps[0].input.x",
                Code::ItemOutsideForEach,
                "only in the `input` of a step with `forEach`",
            ),
            false,
        ),
        (
            tool_with("input", json!({ "odd key": ["@nobody.id"] })),
            a(
                "steps[0].input[\"odd key\"][0]",
                Code::UnknownRoot,
                "there is no step `nobody`. If the text itself is meant, write `@@nobody.id`",
            ),
            false,
        ),
        (
            tool_with("input", json!("see @input[x]")),
            a("steps[0].input", Code::RefSyntax, "must be followed by a number"),
            false,
        ),
        (
            tool_with("input", json!("@ctx.user")),
            a("steps[0].input", Code::UnknownCtx, "`@ctx` has no `.user`"),
            false,
        ),
        (
            tool_with("input", (0..65).fold(json!(1), |value, _| json!([value]))),
            a("steps[0].input", Code::TooLarge, "INPUT_DEPTH_MAX of 64"),
            false,
        ),
        // Output and config.
        (
            tool_with("outputSchema", json!("string")),
            a("steps[0].outputSchema", Code::Schema, "no JSON Schema"),
            true,
        ),
        (
            sleep_with("outputSchema", json!({})),
            a("steps[0].outputSchema", Code::NotApplicable, "nothing to check"),
            true,
        ),
        (
            tool_with("config", json!([])),
            a("steps[0].config", Code::Type, "must be an object"),
            true,
        ),
        (
            tool_with("config", json!({ "maxAttemps": 3 })),
            a("steps[0].config.maxAttemps", Code::UnknownField, "Did you mean `maxAttempts`?"),
            true,
        ),
        (
            tool_with("config", json!({ "maxAttempts": 0 })),
            a("steps[0].config.maxAttempts", Code::Number, "from 1 to 100, and is 0"),
            true,
        ),
        (
            tool_with("config", json!({ "maxAttempts": 101 })),
            a("steps[0].config.maxAttempts", Code::Number, "from 1 to 100"),
            true,
        ),
        (
            tool_with("config", json!({ "backoffMs": 86_400_001 })),
            a("steps[0].config.backoffMs", Code::Number, "from 0 to 86400000"),
            true,
        ),
        (
            tool_with("config", json!({ "timeoutMs": 0 })),
            a("steps[0].config.timeoutMs", Code::Number, "from 1 to 31622400000"),
            true,
        ),
        (
            tool_with("config", json!({ "onError": "ignore" })),
            a("steps[0].config.onError", Code::Value, "must be \"fail\" or \"continue\""),
            true,
        ),
        (
            tool_with("config", json!({ "onError": true })),
            a("steps[0].config.onError", Code::Type, "must be \"fail\" or \"continue\""),
            true,
        ),
        (
            tool_with("config", json!({ "retryOnCrash": 1 })),
            a("steps[0].config.retryOnCrash", Code::Type, "must be true or false"),
            true,
        ),
        (
            tool_with("config", json!({ "memoryMb": 64 })),
            a("steps[0].config.memoryMb", Code::NotApplicable, "means nothing for a tool step"),
            true,
        ),
        (
            one(json!({ "name": "a", "action": { "code": "c" }, "config": { "memoryMb": 1025 } })),
            a("steps[0].config.memoryMb", Code::Number, "from 1 to 1024"),
            true,
        ),
        (
            one(
                json!({ "name": "a", "action": { "code": "c" }, "config": { "retryOnCrash": true } }),
            ),
            a("steps[0].config.retryOnCrash", Code::NotApplicable, "means nothing for a code step"),
            true,
        ),
        (
            sleep_with("config", json!({ "maxAttempts": 2, "timeoutMs": 1 })),
            vec![
                (
                    "a",
                    "steps[0].config.maxAttempts",
                    Code::NotApplicable,
                    "means nothing for a sleep step",
                ),
                (
                    "a",
                    "steps[0].config.timeoutMs",
                    Code::NotApplicable,
                    "means nothing for a sleep step",
                ),
            ],
            true,
        ),
        (
            one(json!({ "name": "a", "action": { "listen": "m" }, "config": { "backoffMs": 2 } })),
            a("steps[0].config.backoffMs", Code::NotApplicable, "a listen step"),
            true,
        ),
        (
            one(
                json!({ "name": "a", "action": { "workflow": "w" }, "config": { "maxAttempts": 2 } }),
            ),
            a("steps[0].config.maxAttempts", Code::NotApplicable, "a workflow step"),
            true,
        ),
        // Cycles.
        (
            tool_with("input", json!("@a.x")),
            a("steps[0].input", Code::Cycle, "a -> a. `a` waits for `a` (steps[0].input)"),
            false,
        ),
        (
            json!({ "id": "g", "steps": [
            { "name": "a", "action": { "toolName": "T" }, "input": { "x": "text @b.y" } },
            { "name": "b", "action": { "toolName": "T" }, "when": { "ref": "@c.ok" } },
            { "name": "c", "action": { "toolName": "T" }, "forEach": { "ref": "@a.list" } },
            { "name": "d", "action": { "toolName": "T" }, "input": "@c" },
            { "name": "e", "action": { "toolName": "T" }, "input": "@e2" },
            { "name": "e2", "action": { "workflow": "w", "input": ["@e"] } },
        ] }),
            vec![
                (
                    "a",
                    "steps[0].input.x",
                    Code::Cycle,
                    "a -> b -> c -> a. `a` waits for `b` (steps[0].input.x), `b` waits for `c` (steps[1].when.ref), `c` waits for `a` (steps[2].forEach.ref)",
                ),
                (
                    "e",
                    "steps[4].input",
                    Code::Cycle,
                    "e -> e2 -> e. `e` waits for `e2` (steps[4].input), `e2` waits for `e` (steps[5].action.input[0])",
                ),
            ],
            false,
        ),
        // Many at once.
        (
            json!({ "id": "g", "steps": [
            { "name": "a", "action": { "toolName": "T" }, "input": "@lokup.x", "config": { "maxAttempts": 0 } },
            { "name": "lookup", "action": {}, "when": { "ref": "@nobody", "lt": true } },
            { "name": "lookup", "action": { "code": "c" }, "input": "@lookup[" },
        ], "extra": 1 }),
            vec![
                ("", "extra", Code::UnknownField, "`extra` is not a field"),
                ("a", "steps[0].config.maxAttempts", Code::Number, "from 1 to 100"),
                ("lookup", "steps[1].when.lt", Code::Operand, "compares with a number"),
                ("lookup", "steps[1].action", Code::Action, "has none"),
                ("lookup", "steps[2].name", Code::DuplicateName, "steps[1], too"),
                ("a", "steps[0].input", Code::UnknownRoot, "Did you mean `lookup`?"),
                ("lookup", "steps[2].input", Code::RefSyntax, "must be followed by a number"),
            ],
            true,
        ),
    ]
}

fn problems(definition: &Value) -> Vec<Problem> {
    match Graph::from_value(definition) {
        Ok(_) => Vec::new(),
        Err(problems) => problems.0,
    }
}

#[test]
fn valid_graphs_are_accepted_and_written_as_they_were_read() {
    for definition in valid() {
        assert_eq!(problems(&definition), [], "{definition}");
        let graph = Graph::from_value(&definition).unwrap();
        let again = Graph::new(graph.definition()).unwrap();
        assert_eq!(again.definition(), graph.definition());
        assert_eq!(again.version(), graph.version());
        let read: Definition = serde_json::from_value(definition).unwrap();
        assert_eq!(&read, graph.definition());
    }
    let definition = onboard();
    let written =
        serde_json::to_value(Graph::from_value(&definition).unwrap().definition()).unwrap();
    assert_eq!(written, definition, "no field is lost or renamed");
}

#[test]
fn everything_that_is_wrong_is_said_at_once_with_its_step_field_and_code() {
    let mut codes = std::collections::BTreeSet::from([Code::Json, Code::TooLarge]);
    for (definition, expected, _) in invalid() {
        let found = problems(&definition);
        let told: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), expected.len(), "{definition}\n{}", told.join("\n"));
        for (problem, (step, field, code, message)) in found.iter().zip(expected) {
            assert_eq!(problem.step.as_deref().unwrap_or(""), step, "{problem}");
            assert_eq!(problem.field.as_str(), field, "{problem}");
            assert_eq!(problem.code, code, "{problem}");
            assert!(problem.message.contains(message), "{problem}\nshould say {message:?}");
            codes.insert(code);
        }
    }
    assert!(Code::ALL.iter().all(|code| codes.contains(code)), "every code is met: {codes:?}");
}

#[test]
fn text_that_is_no_json_or_too_long_is_said_to_be_that() {
    let said = |text: &str| Graph::parse(text).unwrap_err().0[0].to_string();
    assert_eq!(
        said("{\n  \"id\": g"),
        "(the definition): this is not JSON: expected value at line 2 column 9 [json]"
    );
    assert!(
        said(&" ".repeat(DEFINITION_BYTES_MAX + 1))
            .contains("the limit DEFINITION_BYTES_MAX of 4194304")
    );
    let steps: Vec<Value> = (0..=STEPS_MAX)
        .map(|n| json!({ "name": format!("s{n}"), "action": { "sleep": 0 } }))
        .collect();
    let found = problems(&json!({ "id": "g", "steps": steps }));
    assert_eq!(
        found[0].to_string(),
        "steps: 5001 steps are more than the limit STEPS_MAX of 5000 [too_many]"
    );
    let name = "n".repeat(STEP_NAME_BYTES_MAX + 1);
    let found = problems(&one(json!({ "name": name, "action": { "sleep": 0 } })));
    assert!(found[0].message.contains("at most 64"));
}

#[test]
fn a_problem_in_a_ref_says_where_in_the_text_and_is_json_for_machines() {
    let found = problems(&tool_with("input", json!({ "x": "id @input[x] ok" })));
    let expected = json!([{
        "step": "a", "field": "steps[0].input.x", "code": "ref_syntax", "message": found[0].message,
        "span": { "start": 9, "end": 12 },
    }]);
    assert_eq!(serde_json::to_value(&found).unwrap(), expected);
    for code in Code::ALL {
        assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
    }
}

#[test]
fn the_version_depends_on_the_content_and_on_nothing_else() {
    let version = |text: &str| Graph::parse(text).unwrap().version().to_owned();
    let one = r#"{"id":"g","steps":[{"name":"a","action":{"sleep":1},"input":{"x":1,"y":[2.0]}}]}"#;
    let same = r#" { "steps": [ {"input": {"y": [2], "x": 1}, "action": {"sleep": 1.0}, "config": {}, "name": "a"} ], "id": "g" } "#;
    assert_eq!(version(one), version(same));
    assert_eq!(version(one).len(), 32);
    assert_eq!(
        Graph::parse(same).unwrap().canonical(),
        r#"{"id":"g","steps":[{"action":{"sleep":1},"input":{"x":1,"y":[2]},"name":"a"}]}"#
    );
    for other in [
        r#"{"id":"h","steps":[{"name":"a","action":{"sleep":1},"input":{"x":1,"y":[2]}}]}"#,
        r#"{"id":"g","steps":[{"name":"a","action":{"sleep":2},"input":{"x":1,"y":[2]}}]}"#,
        r#"{"id":"g","steps":[{"name":"a","action":{"sleep":1},"input":{"x":1,"y":["2"]}}]}"#,
        r#"{"id":"g","title":"G","steps":[{"name":"a","action":{"sleep":1},"input":{"x":1,"y":[2]}}]}"#,
    ] {
        assert_ne!(version(one), version(other));
    }
}

#[test]
fn edges_and_levels_come_from_refs_of_every_kind() {
    let graph = Graph::from_value(&onboard()).unwrap();
    let name = |n: &usize| graph.steps()[*n].name.as_str();
    let edges: Vec<(&str, &str, EdgeKind, &str)> = graph
        .edges()
        .iter()
        .map(|edge| (name(&edge.from), name(&edge.to), edge.kind, edge.written.as_str()))
        .collect();
    assert_eq!(
        edges,
        [
            ("lookup", "score", EdgeKind::Input, "@lookup.logins"),
            ("score", "stop", EdgeKind::When, "@score.ok"),
            ("lookup", "mail", EdgeKind::ForEach, "@lookup.friends"),
            ("lookup", "mail", EdgeKind::Input, "@lookup.name"),
            ("score", "pause", EdgeKind::When, "@score"),
            ("pause", "approval", EdgeKind::Input, "@pause"),
            ("mail", "report", EdgeKind::When, "@mail[0]"),
            ("approval", "report", EdgeKind::Input, "@approval?"),
            ("lookup", "report", EdgeKind::Input, "@lookup.name"),
        ]
    );
    let levels: Vec<Vec<&str>> =
        graph.levels().iter().map(|level| level.iter().map(name).collect()).collect();
    assert_eq!(
        levels,
        [
            vec!["lookup"],
            vec!["score", "mail"],
            vec!["stop", "pause"],
            vec!["approval"],
            vec!["report"]
        ]
    );
    assert_eq!(graph.sinks().iter().map(name).collect::<Vec<_>>(), ["report"]);
}

#[test]
fn the_plan_is_what_a_console_draws() {
    let graph = Graph::from_value(&onboard()).unwrap();
    let plan = serde_json::to_value(graph.plan()).unwrap();
    assert_eq!(
        plan["nodes"][0],
        json!({
            "name": "lookup", "title": "Look up", "kind": "tool", "detail": "crm: GET_USER", "level": 0, "hasWhen": false,
            "forEach": false, "isOutput": false,
        })
    );
    assert_eq!(
        plan["nodes"][3],
        json!({
            "name": "mail", "kind": "tool", "detail": "SEND_EMAIL", "level": 1, "hasWhen": false, "forEach": true,
            "isOutput": false,
        })
    );
    let details: Vec<&Value> =
        plan["nodes"].as_array().unwrap().iter().map(|node| &node["detail"]).collect();
    assert_eq!(details[4..], [&json!("60000 ms"), &json!("approve"), &json!("report")]);
    let into_mail: Vec<&Value> =
        plan["edges"].as_array().unwrap().iter().filter(|edge| edge["to"] == "mail").collect();
    assert_eq!(
        into_mail,
        [
            &json!({ "from": "lookup", "to": "mail", "kind": "input", "refs": ["@lookup.name"] }),
            &json!({ "from": "lookup", "to": "mail", "kind": "forEach", "refs": ["@lookup.friends"] }),
        ]
    );
}

#[test]
fn ten_thousand_refs_and_long_chains_are_checked_in_a_moment() {
    let chain: Vec<Value> = (0..STEPS_MAX)
        .map(|n| {
            let input = if n == 0 { json!(null) } else { json!([format!("@s{}", n - 1), "@s0?"]) };
            json!({ "name": format!("s{n}"), "action": { "toolName": "T" }, "input": input })
        })
        .map(|mut step| {
            if step["name"] == "s0" {
                step["input"] = json!("@input");
            }
            step
        })
        .collect();
    let graph = Graph::from_value(&json!({ "id": "g", "steps": chain })).unwrap();
    assert_eq!(graph.levels().len(), STEPS_MAX);
    assert_eq!(graph.sinks(), [STEPS_MAX - 1]);
}

// --- The format's schema -----------------------------------------------------------------------------

#[test]
fn the_schema_accepts_every_valid_graph_and_refuses_what_a_schema_can_see() {
    serde_json::from_str::<Value>(GRAPH_SCHEMA).unwrap();
    let schema = Schema::compile(&graph_schema()).unwrap();
    for definition in valid() {
        assert_eq!(schema.check(&definition), Ok(()), "{definition}");
    }
    let mut n_refused = 0;
    for (definition, _, is_seen) in invalid() {
        assert_eq!(schema.check(&definition).is_err(), is_seen, "{definition}");
        n_refused += usize::from(is_seen);
    }
    assert!(n_refused > 50);
}

#[test]
fn the_schema_has_the_numbers_of_the_limits() {
    let schema = graph_schema();
    let at = |pointer: &str| schema.pointer(pointer).and_then(Value::as_u64).unwrap();
    let actions = |n: usize, field: &str, key: &str| {
        at(&format!("/$defs/action/oneOf/{n}/properties/{field}/{key}"))
    };
    let config = |field: &str| at(&format!("/$defs/config/properties/{field}/maximum"));
    assert_eq!(at("/properties/steps/maxItems"), limits::STEPS_MAX as u64);
    assert_eq!(at("/properties/id/maxLength"), limits::NAME_BYTES_MAX as u64);
    assert_eq!(at("/properties/title/maxLength"), limits::TITLE_BYTES_MAX as u64);
    assert_eq!(at("/properties/description/maxLength"), limits::DESCRIPTION_BYTES_MAX as u64);
    assert_eq!(at("/$defs/step/properties/name/maxLength"), limits::STEP_NAME_BYTES_MAX as u64);
    assert_eq!(at("/$defs/ref/maxLength"), limits::REF_BYTES_MAX as u64);
    assert_eq!(at("/$defs/when/properties/in/maxItems"), limits::IN_VALUES_MAX as u64);
    assert_eq!(at("/$defs/forEach/properties/concurrency/maximum"), limits::CONCURRENCY_MAX);
    assert_eq!(actions(0, "transformCode", "maxLength"), limits::CODE_BYTES_MAX as u64);
    assert_eq!(actions(1, "code", "maxLength"), limits::CODE_BYTES_MAX as u64);
    assert_eq!(actions(4, "sleep", "maximum"), limits::SLEEP_MS_MAX);
    assert_eq!(config("maxAttempts"), limits::ATTEMPTS_MAX);
    assert_eq!(config("backoffMs"), limits::BACKOFF_MS_MAX);
    assert_eq!(config("timeoutMs"), limits::TIMEOUT_MS_MAX);
    assert_eq!(config("memoryMb"), limits::MEMORY_MB_MAX);
}

#[test]
fn every_field_of_the_schema_is_described() {
    fn undescribed(schema: &Value, path: &str, found: &mut Vec<String>) {
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            let path = format!("{path}.{name}");
            let is_said = field.get("description").is_some() || field.get("$ref").is_some();
            if !is_said && field.get("const").is_none() {
                found.push(path.clone());
            }
            undescribed(field, &path, found);
        }
        for (n, inner) in schema["oneOf"].as_array().into_iter().flatten().enumerate() {
            undescribed(inner, &format!("{path}[{n}]"), found);
        }
    }
    let schema = graph_schema();
    let mut found = Vec::new();
    undescribed(&schema, "", &mut found);
    for (name, inner) in schema["$defs"].as_object().unwrap() {
        undescribed(inner, name, &mut found);
    }
    assert_eq!(found, Vec::<String>::new());
}

// --- Schemas of values -------------------------------------------------------------------------------

#[test]
fn formats_are_checked_and_nothing_is_fetched() {
    let schema = Schema::compile(&json!({ "type": "string", "format": "email" })).unwrap();
    assert_eq!(schema.check(&json!("a@example.com")), Ok(()));
    let mismatch = schema.check(&json!("a")).unwrap_err();
    assert_eq!(mismatch.to_string(), "at the value itself: \"a\" is not a \"email\"");
    assert!(Schema::compile(&json!({ "$ref": "http://127.0.0.1:1/x" })).is_err());
    assert!(Schema::compile(&json!({ "$ref": "file:///etc/passwd" })).is_err());
}

#[test]
fn a_pattern_that_goes_back_without_end_gives_up() {
    let schema = Schema::compile(&json!({ "pattern": "^(?=(a+)+$)(a+)+$" })).unwrap();
    // Without the bound this would go on for longer than anybody waits.
    assert!(schema.check(&json!(format!("{}b", "a".repeat(200)))).is_err());
}

#[test]
fn a_mismatch_lists_a_few_differences_and_counts_the_rest() {
    let schema =
        Schema::compile(&json!({ "items": { "type": "string", "maxLength": 3 } })).unwrap();
    let mismatch = schema.check(&json!([1, 2, "ok", 3, 4, 5, 6, "x".repeat(1_000)])).unwrap_err();
    assert_eq!(mismatch.differences.len(), 5);
    assert_eq!(mismatch.n_more, 2);
    assert!(mismatch.to_string().starts_with("at /0: 1 is not of type \"string\"; at /1"));
    let long = schema.check(&json!(["x".repeat(1_000)])).unwrap_err();
    assert!(long.to_string().len() < 400);
}

// --- The reference -----------------------------------------------------------------------------------

#[test]
fn the_reference_explains_every_code_and_its_example_is_valid() {
    let page = include_str!("../../../docs/reference/graph.md");
    for code in Code::ALL {
        assert!(page.contains(&format!("\n| `{code}` |")), "{code} is not explained");
    }
    for code in stepwell_graph::ErrorCode::ALL {
        assert!(
            page.contains(&format!("\n| `{}` |", code.as_str())),
            "{} is not explained",
            code.as_str()
        );
    }
    let example = page.split("```json").nth(1).unwrap().split("```").next().unwrap();
    Graph::parse(example).unwrap();
}

// --- Any JSON ----------------------------------------------------------------------------------------

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..2_000).prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        prop::sample::select(vec![
            "",
            "a",
            "@input",
            "@lookup.x",
            "@item",
            "@score.ok",
            "@mail",
            "@nobody",
            "@@",
            "@lookup[",
            "fail",
            "string",
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let key = prop::sample::select(vec![
            "name",
            "action",
            "input",
            "when",
            "ref",
            "eq",
            "gt",
            "in",
            "exists",
            "sleep",
            "toolName",
            "code",
            "return",
            "type",
            "forEach",
            "config",
            "onError",
            "timeoutMs",
            "steps",
            "x",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key.prop_map(str::to_owned), inner, 0..4)
                .prop_map(|map| json!(map)),
        ]
    })
}

/// Every place in a value, as JSON pointers.
fn places(value: &Value, at: String, found: &mut Vec<String>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(fields) => fields.iter().map(|(key, inner)| (key.clone(), inner)).collect(),
        Value::Array(items) => {
            items.iter().enumerate().map(|(n, item)| (n.to_string(), item)).collect()
        }
        _ => Vec::new(),
    };
    for (key, inner) in inner {
        places(inner, format!("{at}/{key}"), found);
    }
    found.push(at);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_json_is_a_graph_or_has_problems(value in any_json()) {
        if let Err(problems) = Graph::from_value(&value) {
            prop_assert!(!problems.0.is_empty());
        }
    }

    /// What is accepted the schema accepts, too, and it reads as it was written.
    #[test]
    fn a_graph_with_something_else_in_some_places_is_checked_as_the_schema_says(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any_json()), 1..3),
    ) {
        let mut definition = onboard();
        for (index, value) in changes {
            let mut found = Vec::new();
            places(&definition, String::new(), &mut found);
            let place: &String = index.get(&found);
            *definition.pointer_mut(place).unwrap() = value;
        }
        let schema = Schema::compile(&graph_schema()).unwrap();
        if let Ok(graph) = Graph::from_value(&definition) {
            prop_assert_eq!(schema.check(&definition), Ok(()));
            let again = Graph::new(graph.definition()).unwrap();
            prop_assert_eq!(again.version(), graph.version());
        }
    }
}
