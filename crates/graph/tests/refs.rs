//! Refs: a table of texts with their values or errors, and what holds of every text.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};
use stepwell_graph::Path;
use stepwell_graph::limits::{INPUT_DEPTH_MAX, REF_PARTS_MAX, RESOLVED_BYTES_MAX};
use stepwell_graph::refs::{Piece, ResolveError, Root, Scope, Wired, looks_like_ref, parse};

struct World(BTreeMap<String, Value>);

/// The step `gone` was skipped.
impl Scope for World {
    fn root(&self, name: &str) -> Option<Root<'_>> {
        if name == "gone" {
            return Some(Root::Absent);
        }
        self.0.get(name).map(Root::Value)
    }
}

fn world() -> World {
    let world = json!({
        "input": {
            "user_id": 42, "email": "ada@example.com", "tags": ["a", "b"],
            "nested": { "a": { "b": [{ "c": 1 }] } }, "odd key": "odd", "": "empty", "0": "zero", "2fa": "on",
            "none": null, "yes": true, "half": 1.5, "q\"uote": "quoted", "@at": "sign", "ünï": "umlauts",
            "a.b": "dotted", "big": 12345678901234567890_u64, "007": "bond", "tab\t": "tabbed", "Name": "upper",
        },
        "item": { "email": "bob@example.com", "name": "Bob" },
        "index": 1,
        "ctx": { "run_id": "r-1" },
        "lookup": { "name": "Ada", "logins": 3, "friends": [{ "name": "Bob" }, { "name": "Eve" }], "none": null },
        "list": [10, 20, [30]],
        "word": "hello",
        "nil": null,
        "_x1": "underscore",
    });
    World(serde_json::from_value(world).unwrap())
}

fn is_root(name: &str) -> bool {
    world().root(name).is_some()
}

/// The value, or everything that is wrong.
fn resolve(value: &Value) -> Result<Value, String> {
    let wired = Wired::parse(value, &Path::top().key("v"), &is_root).map_err(|errors| {
        let said: Vec<String> = errors
            .iter()
            .map(|error| {
                format!("{}..{} {}", error.error.span.start, error.error.span.end, error.error)
            })
            .collect();
        said.join("\n")
    })?;
    wired.resolve(&world()).map_err(|error| error.to_string())
}

#[test]
fn a_table_of_texts_and_their_values() {
    let friends = json!([{ "name": "Bob" }, { "name": "Eve" }]);
    let table: Vec<(&str, Value)> = vec![
        // No refs: nothing changes.
        ("", json!("")),
        ("hello", json!("hello")),
        ("@", json!("@")),
        ("@ ", json!("@ ")),
        ("a @ b", json!("a @ b")),
        ("test@example.com", json!("test@example.com")),
        ("ada@input.com", json!("ada@input.com")),
        ("x_@input", json!("x_@input")),
        ("9@input", json!("9@input")),
        ("@bob", json!("@bob")),
        ("hi @bob, hi @alice.smith", json!("hi @bob, hi @alice.smith")),
        ("@inputs", json!("@inputs")),
        ("@Input", json!("@Input")),
        ("@input2.x", json!("@input2.x")),
        ("@input_x", json!("@input_x")),
        ("@1", json!("@1")),
        ("@.x", json!("@.x")),
        ("@[0]", json!("@[0]")),
        ("@ünï", json!("@ünï")),
        ("100%", json!("100%")),
        ("${input}", json!("${input}")),
        ("日本語", json!("日本語")),
        // A literal @.
        ("@@", json!("@")),
        ("@@input", json!("@input")),
        ("@@input.user_id", json!("@input.user_id")),
        ("@@@@", json!("@@")),
        ("@@@", json!("@@")),
        ("a@@b", json!("a@b")),
        ("@@bob", json!("@bob")),
        ("@@@input.user_id", json!("@42")),
        ("@@@@input", json!("@@input")),
        ("@@ @word", json!("@ hello")),
        // Whole refs keep their type.
        ("@input.user_id", json!(42)),
        ("@input.yes", json!(true)),
        ("@input.half", json!(1.5)),
        ("@input.none", json!(null)),
        ("@input.tags", json!(["a", "b"])),
        ("@input.nested", json!({ "a": { "b": [{ "c": 1 }] } })),
        ("@input.big", json!(12345678901234567890_u64)),
        ("@lookup", world().0["lookup"].clone()),
        ("@list", json!([10, 20, [30]])),
        ("@word", json!("hello")),
        ("@nil", json!(null)),
        ("@index", json!(1)),
        ("@item", json!({ "email": "bob@example.com", "name": "Bob" })),
        ("@item.email", json!("bob@example.com")),
        ("@ctx.run_id", json!("r-1")),
        ("@_x1", json!("underscore")),
        ("@lookup.friends", friends),
        // Paths.
        ("@list.0", json!(10)),
        ("@list[0]", json!(10)),
        ("@list[2][0]", json!(30)),
        ("@list.2.0", json!(30)),
        ("@list.2[0]", json!(30)),
        ("@lookup.friends.1.name", json!("Eve")),
        ("@lookup.friends[1].name", json!("Eve")),
        ("@lookup[\"friends\"][1][\"name\"]", json!("Eve")),
        ("@input.nested.a.b[0].c", json!(1)),
        ("@input[\"odd key\"]", json!("odd")),
        ("@input[\"\"]", json!("empty")),
        ("@input[\"a.b\"]", json!("dotted")),
        ("@input[\"q\\\"uote\"]", json!("quoted")),
        ("@input[\"@at\"]", json!("sign")),
        ("@input[\"ünï\"]", json!("umlauts")),
        ("@input[\"\\u00fcn\\u00ef\"]", json!("umlauts")),
        ("@input[\"tab\\t\"]", json!("tabbed")),
        ("@input.2fa", json!("on")),
        ("@input.0", json!("zero")),
        ("@input[0]", json!("zero")),
        ("@input[\"0\"]", json!("zero")),
        ("@input.007", json!("bond")),
        ("@input[\"007\"]", json!("bond")),
        ("@input.Name", json!("upper")),
        // Optional.
        ("@lookup.nick?", json!(null)),
        ("@lookup.nick.deep[3]?", json!(null)),
        ("@lookup.name?", json!("Ada")),
        ("@lookup?", world().0["lookup"].clone()),
        ("@list[9]?", json!(null)),
        ("@word.length?", json!(null)),
        ("@nil.a.b?", json!(null)),
        ("@lookup.none.x?", json!(null)),
        // A step that was skipped is null, and so is everything in it.
        ("@gone", json!(null)),
        ("@gone.a.b[3]", json!(null)),
        ("@gone?", json!(null)),
        ("<@gone.name>", json!("<>")),
        // Inside text.
        ("Hello @item.name, from @lookup.name", json!("Hello Bob, from Ada")),
        ("Hello @lookup.name.", json!("Hello Ada.")),
        ("@lookup.name!", json!("Ada!")),
        (" @lookup.name", json!(" Ada")),
        ("@lookup.name ", json!("Ada ")),
        ("(@lookup.name)", json!("(Ada)")),
        ("\"@lookup.name\"", json!("\"Ada\"")),
        ("@lookup.name@item.name", json!("Ada@item.name")),
        ("@lookup.name-@item.name", json!("Ada-Bob")),
        ("@word@@example.com", json!("hello@example.com")),
        ("mailto:@item.email", json!("mailto:bob@example.com")),
        ("a/@input.user_id/b", json!("a/42/b")),
        ("n=@index", json!("n=1")),
        ("[@index]", json!("[1]")),
        ("{@index}", json!("{1}")),
        ("none: @input.none.", json!("none: .")),
        ("yes: @input.yes", json!("yes: true")),
        ("half: @input.half", json!("half: 1.5")),
        ("tags: @input.tags", json!("tags: [\"a\",\"b\"]")),
        ("deep: @input.nested", json!("deep: {\"a\":{\"b\":[{\"c\":1}]}}")),
        ("nick: @lookup.nick?.", json!("nick: .")),
        ("Is it @lookup.name?", json!("Is it Ada")),
        ("Is it @lookup.name??", json!("Is it Ada?")),
        ("@lookup..name", json!(format!("{}..name", world().0["lookup"]))),
        ("你好@lookup.name。", json!("你好Ada。")),
        ("line\n@word\nline", json!("line\nhello\nline")),
        ("@word,@word;@word", json!("hello,hello;hello")),
        ("@bob and @word", json!("@bob and hello")),
        ("@word [draft]", json!("hello [draft]")),
    ];
    for (text, expected) in &table {
        assert_eq!(resolve(&json!(text)).as_ref(), Ok(expected), "{text:?}");
    }
    assert!(table.len() >= 100, "{}", table.len());
}

#[test]
fn a_table_of_texts_and_their_errors() {
    let table: Vec<(&str, &str)> = vec![
        // The ref, the part that is missing, and what was there.
        (
            "@lookup.nick",
            "`@lookup.nick`: `@lookup` has no key `nick`; it is an object with the keys `friends`, `logins`, `name`, `none`",
        ),
        (
            "hi @lookup.nick!",
            "`@lookup.nick`: `@lookup` has no key `nick`; it is an object with the keys `friends`, `logins`, `name`, `none`",
        ),
        ("@list[3]", "`@list[3]`: `@list` has no item 3; it is an array of 3"),
        (
            "@list.99999999999",
            "`@list[99999999999]`: `@list` has no item 99999999999; it is an array of 3",
        ),
        (
            "@list.first",
            "`@list.first`: `@list` is an array of 3, which has no key `first`; take an item first, as in `@list[0]`",
        ),
        (
            "@list[\"0\"]",
            "`@list[\"0\"]`: `@list` is an array of 3, which has no key `0`; take an item first, as in `@list[0]`",
        ),
        ("@list[2][1]", "`@list[2][1]`: `@list[2]` has no item 1; it is an array of 1"),
        ("@word.x", "`@word.x`: `@word` is a string, so there is no `.x` in it"),
        ("@word[0]", "`@word[0]`: `@word` is a string, so there is no `[0]` in it"),
        ("@nil.x", "`@nil.x`: `@nil` is null, so there is no `.x` in it"),
        ("@lookup.none.x", "`@lookup.none.x`: `@lookup.none` is null, so there is no `.x` in it"),
        ("@input.yes.x", "`@input.yes.x`: `@input.yes` is a boolean, so there is no `.x` in it"),
        ("@index.x", "`@index.x`: `@index` is a number, so there is no `.x` in it"),
        (
            "@lookup.friends[0][\"odd key\"]",
            "`@lookup.friends[0]` has no key `odd key`; it is an object with the keys `name`",
        ),
        ("@input.nested[1]", "`@input.nested` has no key `1`; it is an object with the keys `a`"),
        ("@input.missing", "`@input` has no key `missing`; it is an object with the keys"),
        // Brackets that are no part of a path.
        ("@list[-1]", "5..9 `[` after a ref must be followed by a number"),
        ("@list[]", "5..7 `[` after a ref must be followed by a number"),
        ("@list[a]", "5..8 `[` after a ref must be followed by a number"),
        ("@list['a']", "5..10 `[` after a ref must be followed by a number"),
        ("@list[0", "5..7 the `[` after a ref is not closed by `]`"),
        ("@list[", "5..6 `[` after a ref must be followed by a number"),
        ("@list[01]", "5..9 `[` after a ref must be followed by a number"),
        ("@list[99999999999999999999999]", "5..30 `[` after a ref must be followed by a number"),
        ("@input[\"a", "6..9 the key in quotes has no end, or is no JSON string"),
        ("@input[\"a\\", "6..10 the key in quotes has no end, or is no JSON string"),
        ("@input[\"a\\q\"]", "6..13 the key in quotes has no end, or is no JSON string"),
        ("@input[\"a\"", "6..10 the `[` after a ref is not closed by `]`"),
        ("@input[\"a\"x]", "6..12 the `[` after a ref is not closed by `]`"),
        ("@list[x] and @list[y]", "5..8 `[` after a ref"),
    ];
    for (text, expected) in table {
        let error = resolve(&json!(text)).unwrap_err();
        assert!(error.contains(expected), "{text:?} gave {error:?}");
    }
    let both = resolve(&json!("@list[x] and @list[y]")).unwrap_err();
    assert_eq!(both.lines().count(), 2, "all errors at once: {both}");
}

#[test]
fn refs_are_resolved_in_values_of_any_shape_but_not_in_keys() {
    let value = json!({ "@word": ["@word", { "n": "@index", "t": "no @@ref" }, 1, null], "plain": { "a": "@@" } });
    let expected =
        json!({ "@word": ["hello", { "n": 1, "t": "no @ref" }, 1, null], "plain": { "a": "@" } });
    assert_eq!(resolve(&value), Ok(expected));
}

#[test]
fn a_whole_ref_is_known_by_its_looks_whatever_its_root() {
    assert_eq!(looks_like_ref("@lokup.name"), Some("lokup".to_owned()));
    assert_eq!(looks_like_ref("@bob"), Some("bob".to_owned()));
    for text in ["@lokup.name ", "hi @bob", "@@bob", "@", "@1", "@a[", "a@b.c"] {
        assert_eq!(looks_like_ref(text), None, "{text}");
    }
}

#[test]
fn a_ref_has_a_bounded_number_of_parts() {
    let text = |n: usize| format!("@input{}", ".a".repeat(n));
    assert!(parse(&text(REF_PARTS_MAX), &is_root).errors.is_empty());
    let errors = parse(&text(REF_PARTS_MAX + 1), &is_root).errors;
    assert_eq!(errors[0].message, "the ref has more parts than the limit REF_PARTS_MAX of 32");
}

#[test]
fn values_lie_in_one_another_to_a_bounded_depth() {
    let nested = |n: usize| (0..n).fold(json!("@word"), |value, _| json!([value]));
    assert!(resolve(&nested(INPUT_DEPTH_MAX)).is_ok());
    let error = resolve(&nested(INPUT_DEPTH_MAX + 1)).unwrap_err();
    assert!(error.contains("the limit INPUT_DEPTH_MAX of 64"), "{error}");
}

#[test]
fn refs_cannot_multiply_a_value_without_bound() {
    let big = "x".repeat(RESOLVED_BYTES_MAX / 2);
    let scope = BTreeMap::from([("a".to_owned(), json!(big)), ("b".to_owned(), json!([big]))]);
    let resolve = |value: Value| {
        Wired::parse(&value, &Path::top(), &|name| scope.contains_key(name))
            .unwrap()
            .resolve(&scope)
    };
    assert!(resolve(json!(["@a"])).is_ok());
    assert!(resolve(json!("@a!")).is_ok());
    for value in
        [json!(["@a", "@a"]), json!("@a@@ @a"), json!({ "x": "@b", "y": "@b" }), json!("@b @b")]
    {
        let error = resolve(value).unwrap_err();
        assert_eq!(error, ResolveError::TooLarge { bytes_max: RESOLVED_BYTES_MAX });
        assert!(error.to_string().contains("RESOLVED_BYTES_MAX of 4194304"));
    }
}

/// Texts that are mostly made of what refs are made of.
fn refish() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[@.\\[\\]\"?0-9a-z_ \\\\]{0,6}",
        3 => prop::sample::select(vec![
            "@input", "@lookup", "@list", "@word", "@nil", "@gone", "@@", "@", ".name", ".friends", "[0]", "[2]", "[\"a\"]",
            "[\"odd key\"]", "?", ".0", "[", "]", "\"", "\\", "é", "日", ".",
        ])
        .prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn parsing_never_panics_and_loses_nothing(text in refish()) {
        let parsed = parse(&text, &is_root);
        let mut end = 0;
        for found in parsed.refs() {
            prop_assert!(end <= found.span.start && found.span.end <= text.len());
            prop_assert!(text[found.span.start..].starts_with('@'));
            // What a ref is written as is read as the same ref.
            let again = parse(&found.to_string(), &|_| true);
            let again = again.only_ref().unwrap();
            prop_assert_eq!((&again.root, again.optional), (&found.root, found.optional));
            let keys = |found: &stepwell_graph::refs::Ref| {
                found.path.iter().map(|part| part.key.clone()).collect::<Vec<_>>()
            };
            prop_assert_eq!(keys(again), keys(found));
            for part in &found.path {
                prop_assert!(end < part.span.start && part.span.end <= found.span.end);
                end = part.span.start;
            }
            end = found.span.end;
        }
        for error in &parsed.errors {
            prop_assert!(text.get(error.span.start..error.span.end).is_some());
        }
        // Escaped again, and with the refs as they were written, the text is what it was.
        let mut whole = String::new();
        for piece in &parsed.pieces {
            match piece {
                Piece::Text(literal) => whole.push_str(literal),
                Piece::Ref(found) => whole.push_str(&text[found.span.start..found.span.end]),
            }
        }
        prop_assert_eq!(whole.replace("@@", "@"), text.replace("@@", "@").replace("@@", "@"));
    }

    #[test]
    fn resolving_never_panics(text in refish()) {
        let _ = resolve(&json!({ "a": [text] }));
    }

    #[test]
    fn text_without_refs_is_never_changed(text in any::<String>()) {
        let text = text.replace('@', "");
        prop_assert_eq!(resolve(&json!(text)), Ok(json!(text)));
    }

    #[test]
    fn text_with_an_at_that_begins_no_known_root_is_never_changed(before in "[a-z ]{0,5}", after in "[A-Z ][a-z@ ]{0,8}") {
        let text = format!("{before}@{after}").replace("@@", "@ ");
        let has_ref = parse(&text, &is_root).refs().next().is_some();
        prop_assume!(!has_ref && !text.contains("@@"));
        prop_assert_eq!(resolve(&json!(text)), Ok(json!(text)));
    }

    #[test]
    fn escaping_every_at_gives_the_text_itself(text in refish()) {
        prop_assert_eq!(resolve(&json!(text.replace('@', "@@"))), Ok(json!(text)));
    }
}
