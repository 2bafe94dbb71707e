//! What an editor offers while a ref is being typed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use stepwell_graph::refs::{CandidateKind, Shape, complete};
use stepwell_graph::roots_for;

fn definition() -> Value {
    json!({
        "id": "g",
        "input_schema": {
            "type": "object",
            "properties": {
                "user": { "$ref": "#/$defs/user" },
                "users": { "type": "array", "items": { "$ref": "#/$defs/user" } },
                "odd key": { "type": "string" },
            },
            "$defs": {
                "user": {
                    "type": "object", "title": "A user",
                    "properties": { "name": { "type": "string" }, "boss": { "$ref": "#/$defs/user" } },
                    "oneOf": [{ "properties": { "email": { "type": ["string", "null"] } } }, { "properties": { "phone": {} } }],
                },
            },
        },
        "steps": [
            { "name": "lookup", "action": { "toolName": "T" }, "input": "@input",
              "outputSchema": { "type": "object", "properties": { "logins": { "type": "integer" } } } },
            { "name": "mails", "action": { "toolName": "T" }, "forEach": { "ref": "@input.users" },
              "input": "@lookup", "outputSchema": { "type": "object", "properties": { "id": { "type": "string" } } } },
            { "name": "after", "action": { "toolName": "T" }, "input": "@mails" },
            { "name": "other", "action": { "toolName": "T" } },
            { "name": "", "action": "unfinished", "input": "@lookup[" },
        ],
    })
}

/// The texts that are offered where `|` stands, written as they would replace what is typed.
fn offered(step: &str, text: &str) -> Option<Vec<String>> {
    let cursor = text.find('|').unwrap();
    let whole = text.replace('|', "");
    let completions = complete(&whole, cursor, &roots_for(&definition(), step))?;
    let span = completions.span;
    assert!(span.end == cursor && whole.is_char_boundary(span.start));
    let replaced = |text: &str| format!("{}{text}", &whole[..span.start]);
    Some(completions.candidates.iter().map(|candidate| replaced(&candidate.text)).collect())
}

#[test]
fn a_table_of_what_is_offered() {
    let table: Vec<(&str, &str, &[&str])> = vec![
        // Roots: not the step itself, nor those that wait for it.
        ("lookup", "@|", &["@ctx", "@input", "@other"]),
        ("mails", "@|", &["@ctx", "@index", "@input", "@item", "@lookup", "@other"]),
        ("after", "@|", &["@ctx", "@input", "@lookup", "@mails", "@other"]),
        ("other", "hi @l|", &["hi @lookup"]),
        ("other", "@in|put", &["@input"]),
        ("other", "@x|", &[]),
        // Keys, from schemas, through local refs.
        ("other", "@input.|", &["@input[\"odd key\"]", "@input.user", "@input.users"]),
        ("other", "@input.us|", &["@input.user", "@input.users"]),
        (
            "other",
            "@input.user.|",
            &["@input.user.boss", "@input.user.email", "@input.user.name", "@input.user.phone"],
        ),
        ("other", "@input.user.boss.boss.na|", &["@input.user.boss.boss.name"]),
        ("other", "@input[\"o|", &["@input[\"odd key\"]"]),
        ("other", "@input[|", &["@input[\"odd key\"]", "@input[\"user\"]", "@input[\"users\"]"]),
        ("other", "@lookup.|", &["@lookup.logins"]),
        ("other", "@ctx.r|", &["@ctx.run_id"]),
        // Items.
        ("other", "@input.users.|", &["@input.users[0]"]),
        ("other", "@input.users[|", &["@input.users[0]"]),
        ("other", "@input.users[0].n|", &["@input.users[0].name"]),
        ("other", "@input.users.1.n|", &["@input.users.1.name"]),
        ("other", "@mails.|", &["@mails[0]"]),
        ("other", "@mails[0].|", &["@mails[0].id"]),
        ("mails", "Dear @item.n|", &["Dear @item.name"]),
        ("mails", "@item.boss.e|", &["@item.boss.email"]),
        // Nothing is known, but a ref is being typed.
        ("other", "@input.user.name.|", &[]),
        ("after", "@other.x|", &[]),
        ("mails", "@index.|", &[]),
        // After another ref.
        ("other", "@lookup.logins and @lookup.l|", &["@lookup.logins and @lookup.logins"]),
        ("other", "@@ @lookup.l|", &["@@ @lookup.logins"]),
    ];
    for (step, text, expected) in table {
        assert_eq!(offered(step, text).unwrap(), expected, "{step}: {text}");
    }
}

#[test]
fn nothing_is_offered_where_no_ref_is_being_typed() {
    for text in [
        "|",
        "hi|",
        "me@in|",
        "@@|",
        "@@inp|",
        "@input |",
        "@input.user |",
        "@input.user?|",
        "@input.user, |",
        "|@input",
        "@nobody.x|",
        "@input[\"odd key\"] |",
        "@input[x|",
        "@1|",
    ] {
        assert_eq!(offered("other", text), None, "{text}");
    }
    let roots = BTreeMap::new();
    assert_eq!(complete("é@", 1, &roots), None, "not in the middle of a character");
    assert_eq!(complete("@", 9, &roots), None, "not past the end");
}

#[test]
fn samples_of_values_tell_as_much_as_schemas() {
    let sample =
        json!({ "name": "Ada", "tags": ["x"], "none": [], "deep": [{ "a": 1 }], "0": true });
    let roots = BTreeMap::from([("run".to_owned(), Shape::Sample(sample))]);
    let offered = |text: &str| {
        let completions = complete(text, text.len(), &roots).unwrap();
        let candidate = |candidate: stepwell_graph::refs::Candidate| {
            (candidate.text, candidate.kind, candidate.detail.unwrap_or_default())
        };
        completions.candidates.into_iter().map(candidate).collect::<Vec<_>>()
    };
    assert_eq!(offered("@"), [("@run".to_owned(), CandidateKind::Root, "object".to_owned())]);
    let keys: Vec<String> =
        offered("@run.").into_iter().map(|(text, _, detail)| format!("{text} {detail}")).collect();
    assert_eq!(
        keys,
        ["[\"0\"] boolean", ".deep array", ".name string", ".none array", ".tags array"]
    );
    assert_eq!(
        offered("@run.tags["),
        [("[0]".to_owned(), CandidateKind::Item, "string".to_owned())]
    );
    assert_eq!(offered("@run.none["), []);
    assert_eq!(offered("@run.deep[0].")[0].0, ".a");
}

#[test]
fn a_schema_that_leads_in_circles_is_followed_for_a_while_only() {
    let schema = json!({ "$ref": "#", "anyOf": [{ "$ref": "#" }, { "properties": { "a": { "$ref": "#" } } }] });
    let roots = BTreeMap::from([("run".to_owned(), Shape::Schema(schema))]);
    let completions = complete("@run.a.a.", 9, &roots).unwrap();
    assert_eq!(completions.candidates[0].text, ".a");
}

proptest! {
    #[test]
    fn completing_never_panics(text in "[@.\\[\\]\"?0-9a-z é]{0,20}", cursor in 0_usize..24, step in "[a-z]{0,6}") {
        let _ = complete(&text, cursor, &roots_for(&definition(), &step));
    }

    #[test]
    fn what_is_chosen_is_a_part_of_a_ref(prefix in "[ a-z]{0,4}", n in any::<prop::sample::Index>()) {
        let roots = roots_for(&definition(), "mails");
        for text in ["@", "@input.", "@input.user.", "@item.", "@input.users["] {
            let text = format!("{prefix} {text}");
            let completions = complete(&text, text.len(), &roots).unwrap();
            let chosen = n.get(&completions.candidates);
            let whole = format!("{}{}", &text[..completions.span.start], chosen.text);
            let parsed = stepwell_graph::refs::parse(&whole, &|root| roots.contains_key(root));
            prop_assert!(parsed.errors.is_empty());
            prop_assert_eq!(parsed.refs().last().unwrap().span.end, whole.len());
        }
    }
}
