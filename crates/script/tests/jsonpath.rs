//! JSONPath: queries of RFC 9535 and conditions, as data.

use proptest::prelude::*;
use serde_json::{Value, json};
use stepwell_script::{
    ErrorKind, JsonPath, PATH_BYTES_MAX, PATH_DEPTH_MAX, PATH_WORK_MAX, ScriptError,
};

const PLENTY: usize = 1 << 20;

fn select(path: &str, value: &Value) -> Result<Vec<Value>, ScriptError> {
    JsonPath::compile(path)?.select(value, PLENTY)
}

fn selects(value: &Value, cases: &[(&str, Value)]) {
    for (path, expected) in cases {
        assert_eq!(select(path, value).map(Value::from).as_ref(), Ok(expected), "{path}");
    }
}

fn holds(value: &Value, cases: &[(&str, bool)]) {
    for (source, expected) in cases {
        let path = JsonPath::compile(source).unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_eq!(path.matches(value), Ok(*expected), "{source}");
    }
}

/// The bookstore of section 1.5.
fn store() -> Value {
    json!({ "store": {
        "book": [
            {"category": "reference", "author": "Nigel Rees", "title": "Sayings of the Century", "price": 8.95},
            {"category": "fiction", "author": "Evelyn Waugh", "title": "Sword of Honour", "price": 12.99},
            {"category": "fiction", "author": "Herman Melville", "title": "Moby Dick", "isbn": "0-553-21311-3", "price": 8.99},
            {"category": "fiction", "author": "J. R. R. Tolkien", "title": "The Lord of the Rings", "isbn": "0-395-19395-8", "price": 22.99},
        ],
        "bicycle": {"color": "red", "price": 399},
    }})
}

#[test]
fn the_bookstore_of_the_rfc() {
    selects(
        &store(),
        &[
            (
                "$.store.book[*].author",
                json!(["Nigel Rees", "Evelyn Waugh", "Herman Melville", "J. R. R. Tolkien"]),
            ),
            (
                "$..author",
                json!(["Nigel Rees", "Evelyn Waugh", "Herman Melville", "J. R. R. Tolkien"]),
            ),
            ("$.store.bicycle.*", json!(["red", 399])),
            ("$.store..price", json!([399, 8.95, 12.99, 8.99, 22.99])),
            ("$..book[2].title", json!(["Moby Dick"])),
            ("$..book[2].author", json!(["Herman Melville"])),
            ("$..book[2].publisher", json!([])),
            ("$..book[-1].title", json!(["The Lord of the Rings"])),
            ("$..book[0,1].title", json!(["Sayings of the Century", "Sword of Honour"])),
            ("$..book[:2].title", json!(["Sayings of the Century", "Sword of Honour"])),
            ("$..book[?@.isbn].title", json!(["Moby Dick", "The Lord of the Rings"])),
            ("$..book[?@.price<10].title", json!(["Sayings of the Century", "Moby Dick"])),
            (
                "$..book[?(@.category=='fiction' && @.price > 20)].title",
                json!(["The Lord of the Rings"]),
            ),
            (
                "$.store.book[?@.price == $.store.book[0].price].title",
                json!(["Sayings of the Century"]),
            ),
        ],
    );
    assert_eq!(select("$..*", &store()).unwrap().len(), 27);
}

#[test]
fn selectors_of_the_rfc() {
    // Sections 2.3.1 to 2.3.4 and 2.5.
    let names = json!({"o": {"j j": {"k.k": 3}}, "'": {"@": 2}});
    selects(
        &names,
        &[
            ("$.o['j j']", json!([{"k.k": 3}])),
            ("$.o['j j']['k.k']", json!([3])),
            ("$.o[\"j j\"][\"k.k\"]", json!([3])),
            ("$[\"'\"][\"@\"]", json!([2])),
            ("$['\\'']['@']", json!([2])),
        ],
    );
    let items = json!(["a", "b", "c", "d", "e", "f", "g"]);
    selects(
        &items,
        &[
            ("$[1]", json!(["b"])),
            ("$[-2]", json!(["f"])),
            ("$[10]", json!([])),
            ("$[1:3]", json!(["b", "c"])),
            ("$[5:]", json!(["f", "g"])),
            ("$[1:5:2]", json!(["b", "d"])),
            ("$[5:1:-2]", json!(["f", "d"])),
            ("$[::-1]", json!(["g", "f", "e", "d", "c", "b", "a"])),
            ("$[0, 3]", json!(["a", "d"])),
            ("$[0:2, 5]", json!(["a", "b", "f"])),
            ("$[0, 0]", json!(["a", "a"])),
        ],
    );
    let wild = json!({"o": {"j": 1, "k": 2}, "a": [5, 3]});
    selects(
        &wild,
        &[
            ("$", json!([wild])),
            ("$[*]", json!([[5, 3], {"j": 1, "k": 2}])),
            ("$.o[*]", json!([1, 2])),
            ("$.o[*, *]", json!([1, 2, 1, 2])),
            ("$.a[*]", json!([5, 3])),
        ],
    );
    let descend = json!({"o": {"j": 1, "k": 2}, "a": [5, 3, [{"j": 4}, {"k": 6}]]});
    selects(
        &descend,
        &[
            ("$..j", json!([4, 1])),
            ("$..[0]", json!([5, {"j": 4}])),
            ("$.o..[*, *]", json!([1, 2, 1, 2])),
        ],
    );
    let nulls = json!({"a": null, "b": [null], "c": [{}], "null": 1});
    selects(
        &nulls,
        &[
            ("$.a", json!([null])),
            ("$.a[0]", json!([])),
            ("$.a.d", json!([])),
            ("$.b[0]", json!([null])),
            ("$.b[*]", json!([null])),
            ("$.b[?@]", json!([null])),
            ("$.b[?@==null]", json!([null])),
            ("$.c[?@.d==null]", json!([])),
            ("$.null", json!([1])),
        ],
    );
}

#[test]
fn filters_of_the_rfc() {
    // Section 2.3.5.
    let value = json!({
        "a": [3, 5, 1, 2, 4, 6, {"b": "j"}, {"b": "k"}, {"b": {}}, {"b": "kilo"}],
        "o": {"p": 1, "q": 2, "r": 3, "s": 5, "t": {"u": 6}}, "e": "f",
    });
    selects(
        &value,
        &[
            ("$.a[?@.b == 'kilo']", json!([{"b": "kilo"}])),
            ("$.a[?(@.b == 'kilo')]", json!([{"b": "kilo"}])),
            ("$.a[?@>3.5]", json!([5, 4, 6])),
            ("$.a[?@.b]", json!([{"b": "j"}, {"b": "k"}, {"b": {}}, {"b": "kilo"}])),
            (
                "$[?@.*]",
                json!([[3, 5, 1, 2, 4, 6, {"b": "j"}, {"b": "k"}, {"b": {}}, {"b": "kilo"}], {"p": 1, "q": 2, "r": 3, "s": 5, "t": {"u": 6}}]),
            ),
            (
                "$[?@[?@.b]]",
                json!([[3, 5, 1, 2, 4, 6, {"b": "j"}, {"b": "k"}, {"b": {}}, {"b": "kilo"}]]),
            ),
            ("$.o[?@<3, ?@<3]", json!([1, 2, 1, 2])),
            ("$.a[?@<2 || @.b == \"k\"]", json!([1, {"b": "k"}])),
            ("$.a[?match(@.b, \"[jk]\")]", json!([{"b": "j"}, {"b": "k"}])),
            ("$.a[?search(@.b, \"[jk]\")]", json!([{"b": "j"}, {"b": "k"}, {"b": "kilo"}])),
            ("$.o[?@>1 && @<4]", json!([2, 3])),
            ("$.o[?@.u || @.x]", json!([{"u": 6}])),
            ("$.a[?@.b == $.x]", json!([3, 5, 1, 2, 4, 6])),
            (
                "$.a[?@ == @]",
                json!([3, 5, 1, 2, 4, 6, {"b": "j"}, {"b": "k"}, {"b": {}}, {"b": "kilo"}]),
            ),
            ("$.a[?length(@.b) == 4]", json!([{"b": "kilo"}])),
            (
                "$[?count(@.*) > 4 && count(@.*) < 6]",
                json!([{"p": 1, "q": 2, "r": 3, "s": 5, "t": {"u": 6}}]),
            ),
            ("$.a[?!@.b && @ < 3]", json!([1, 2])),
            ("$[?value(@..u) == 6]", json!([{"p": 1, "q": 2, "r": 3, "s": 5, "t": {"u": 6}}])),
        ],
    );
}

#[test]
fn comparisons_of_the_rfc_hold_as_conditions() {
    // The table of section 2.3.5.3, without filters around.
    let value = json!({"obj": {"x": "y"}, "arr": [2, 3]});
    holds(
        &value,
        &[
            ("$.absent1 == $.absent2", true),
            ("$.absent == 'g'", false),
            ("$.absent1 != $.absent2", false),
            ("$.absent != 'g'", true),
            ("1 <= 2", true),
            ("1 > 2", false),
            ("13 == '13'", false),
            ("'a' <= 'b'", true),
            ("'a' > 'b'", false),
            ("$.obj == $.arr", false),
            ("$.obj != $.arr", true),
            ("$.obj == $.obj", true),
            ("$.obj != $.obj", false),
            ("$.arr == $.arr", true),
            ("$.obj == 17", false),
            ("$.obj != 17", true),
            ("$.obj <= $.arr", false),
            ("$.obj < $.arr", false),
            ("$.obj <= $.obj", true),
            ("1 <= $.arr", false),
            ("1 >= $.arr", false),
            ("true <= true", true),
            ("true > true", false),
        ],
    );
}

#[test]
fn a_path_holds_if_it_selects_anything() {
    let value =
        json!({"flag": null, "off": false, "items": [], "customer": {"active": true}, "list": [1]});
    holds(
        &value,
        &[
            ("$.flag", true),
            ("$.off", true),
            ("$.missing", false),
            ("$.items", true),
            ("$.items[0]", false),
            ("$.list[?@ > 5]", false),
            ("$.list[?@ == 1]", true),
            ("$.customer.active", true),
            ("$", true),
        ],
    );
}

#[test]
fn conditions_are_about_the_whole_value() {
    let order = json!({
        "kind": "email", "amount": 120, "tier": "gold", "tags": ["a", "b"], "limit": 2, "none": null, "name": "O'Neil",
        "items": [{"sku": "x", "n": 1}, {"sku": "y", "n": 5}], "odd key": 1, "nested": {"$": "dollar", "@": "at"},
    });
    holds(
        &order,
        &[
            ("$.kind == \"email\"", true),
            ("$.kind=='email'", true),
            ("$.kind == \"postal\"", false),
            ("\"email\" == $.kind", true),
            ("$.kind != \"postal\"", true),
            ("$.amount > 100", true),
            ("$.amount <= 100", false),
            ("$.amount > 100 && $.tier == 'gold'", true),
            ("$.amount > 500 || $.tier == 'gold'", true),
            ("($.amount > 500 || $.tier == 'gold') && $.kind == 'email'", true),
            ("!($.amount > 100)", false),
            ("!$.missing", true),
            ("$.kind && $.tier", true),
            ("$.kind && $.missing", false),
            ("$.none == null", true),
            ("$.missing == null", false),
            ("length($.tags) == 2", true),
            ("length($.tags) == $.limit", true),
            ("count($.items[*]) > 1", true),
            ("match($.kind, 'e.*l')", true),
            ("search($.kind, 'mai')", true),
            ("value($..sku) == 'x'", false),
            ("$.items[?@.n > $.limit]", true),
            ("$.items[?@.n > $.limit] && $.kind == 'email'", true),
            ("$.items[?@.n > $.amount] || false == true", false),
            ("$['odd key'] == 1", true),
            ("$.name == \"O'Neil\"", true),
            ("$.nested['$'] == 'dollar' && $.nested['@'] == 'at'", true),
            ("$.items[0].sku == 'x'", true),
            ("$.items[-1].n >= 5", true),
            ("5 <= $.items[-1]['n']", true),
            ("$.items[-1].sku != 'x' && $.items[ -2 ].sku == 'x'", true),
            ("length($.items[-1].sku) == 1", true),
            ("match($.items[-1].sku, 'y')", true),
            ("search('aya', $.items[-1].sku)", true),
            ("$.items[?@.n == $.items[-1].n]", true),
            ("$.items[-1] && $.items[-9] == $.missing", true),
            ("count($.items[-1]) == 1", true),
            ("value($.items[-1].n) == 5", true),
            ("$.kind == '$.kind'", false),
            ("$ == $", true),
        ],
    );
    holds(
        &json!("email"),
        &[("$ == 'email'", true), ("$ != 'email'", false), ("length($) == 5", true)],
    );
    let condition = JsonPath::compile("$.amount > 100").unwrap();
    assert!(condition.is_expression());
    assert_eq!(condition.select(&order, PLENTY), Ok(vec![json!(true)]));
    assert!(!JsonPath::compile("$.items[?@.n > 1]").unwrap().is_expression());
}

#[test]
fn errors_say_where() {
    let cases = [
        ("", "the path is empty: `$` is the whole value"),
        ("$.", "1:3 in dot member name, must start with"),
        ("$..[", "1:5 `[` is not closed"),
        ("$.a]", "1:4 `]` closes nothing"),
        ("$.a[?(@.b]", "1:10 `]` closes nothing"),
        ("$['a", "1:3 the text has no closing quote"),
        ("$.a b", "1:4 unexpected ` `"),
        (" $.a", "1:1 "),
        ("$.a ==", "1:"),
        ("$.a == == 1", "1:"),
        ("$.a = 1", "1:"),
        ("$.a[01]", "1:"),
        ("$[?@.a == @.*]", "1:"),
        ("@.a == 1", "1:1 `@` stands only inside a filter; the whole value is `$`"),
        ("$.a == 1, $.b", "1:9 a condition is one expression"),
        ("$.a == 1] || $.b[?@", "1:9 `]` closes nothing"),
        ("kind == 'x'", "1:5 unexpected ` ` in long-hand segment (a path begins with `$`)"),
        ("length($.a)", "1:"),
        ("$.é[", "1:5 `[` is not closed"),
    ];
    for (source, expected) in cases {
        let error = JsonPath::compile(source).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Compile, "{source}");
        let got = match &error.position {
            Some(at) => format!("{}:{} {}", at.line, at.column, error.message),
            None => error.message.clone(),
        };
        assert!(got.starts_with(expected), "{source}\n   expected {expected}\n        got {got}");
    }
}

#[test]
fn sources_and_work_are_bounded() {
    let long = format!("$.{}", "a".repeat(PATH_BYTES_MAX));
    assert_eq!(
        JsonPath::compile(&long).unwrap_err().message,
        "the path has 8194 bytes, more than 8192"
    );
    for (open, close) in [("[?@", "]"), ("[?(", "@)]"), ("[?!(", "@)]")] {
        let nested = |n: usize| format!("${}{}", open.repeat(n), close.repeat(n));
        let message = format!("nested more than {PATH_DEPTH_MAX} levels deep");
        assert_eq!(JsonPath::compile(&nested(500)).unwrap_err().message, message);
    }
    let parens = |n: usize| format!("{}$.a == 1{}", "(".repeat(n), ")".repeat(n));
    assert!(JsonPath::compile(&parens(PATH_DEPTH_MAX)).is_ok());
    assert!(JsonPath::compile(&parens(PATH_DEPTH_MAX + 1)).is_err());

    let deep = (0..90).fold(json!(1), |inner, n| json!({"a": inner, "b": n}));
    let error = select("$..*..*..*..*..*", &deep).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TimedOut);
    assert!(error.message.contains(&PATH_WORK_MAX.to_string()), "{}", error.message);
    assert!(select("$..b", &deep).is_ok());
    let wide =
        json!({"list": (0..20_000).map(|n| json!({"id": n})).collect::<Vec<_>>(), "wanted": 7});
    assert_eq!(select("$.list[?@.id == $.wanted]", &wide), Ok(vec![json!({"id": 7})]));
    assert_eq!(
        select("$.list[?count($..id) > @.id]", &wide).unwrap_err().kind,
        ErrorKind::TimedOut
    );

    let error = JsonPath::compile("$..*").unwrap().select(&wide, 1000).unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (ErrorKind::OutputTooLarge, "the selected values are longer than 1000 bytes")
    );
}

fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..4i64).prop_map(Value::from),
        "[ab]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[abc]", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn no_source_panics(source in "[$@.\\[\\]()?!=<>&|*,:'\"abc012 -]{0,40}", value in json_value()) {
        for source in [source.clone(), format!("${source}"), format!("$.a {source} $.b")] {
            if let Ok(path) = JsonPath::compile(&source) {
                let matches = path.matches(&value).unwrap();
                let selected = path.select(&value, PLENTY).unwrap();
                prop_assert_eq!(matches, if path.is_expression() { selected == [json!(true)] } else { !selected.is_empty() });
            }
        }
    }

    /// A condition sees only the members that it names, which must make no difference.
    #[test]
    fn a_condition_is_a_filter_on_the_value(
        value in json_value(),
        member in "[abc]",
        operator in prop::sample::select(&["==", "!=", "<", "<=", ">", ">="][..]),
        literal in prop::sample::select(&["1", "'a'", "null", "true", "$.b", "$.a.b"][..]),
    ) {
        let condition = JsonPath::compile(&format!("$.{member} {operator} {literal}")).unwrap();
        let filter = JsonPath::compile(&format!("$[?@.{member} {operator} {}]", literal.replace('$', "@"))).unwrap();
        prop_assert_eq!(condition.matches(&value).unwrap(), filter.matches(&json!([value])).unwrap());
    }
}
